// The driver's streams, events, host functions and captures.
// options: -lcuda -w
#include <cuda.h>
#include <dlfcn.h>
#include <thread>

#include "check.h"

__global__ void add(int *x, int value) { x[threadIdx.x] += value; }

static const unsigned n = 32;
static CUdeviceptr x;
static CUfunction function;
static int host[n];

static void launch(CUstream stream, int value) {
    void *args[] = {&x, &value};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, stream, args, nullptr));
}
static int first(CUstream stream) {
    DRIVER(cuMemcpyDtoHAsync(host, x, sizeof host, stream));
    DRIVER(cuStreamSynchronize(stream));
    for (unsigned i = 1; i < n; i++)
        CHECK(host[i] == host[0]);
    return host[0];
}

static void properties() {
    CUstream plain, urgent, late;
    CUstreamAttrValue value = {}, other = {};
    unsigned flags;
    int priority, least, greatest;
    unsigned long long ids[3];
    CUdevice device = -1;
    CUstream none = (CUstream)&value;
    DRIVER(cuCtxGetStreamPriorityRange(&least, &greatest));
    DRIVER(cuStreamCreate(&plain, CU_STREAM_DEFAULT));
    DRIVER(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, greatest - 10));
    DRIVER(cuStreamCreateWithPriority(&late, CU_STREAM_DEFAULT, least + 10));
    CHECK(cuStreamCreateWithPriority(&late, 8, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamCreateWithPriority(nullptr, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuStreamGetFlags(urgent, &flags));
    CHECK(flags == CU_STREAM_NON_BLOCKING);
    DRIVER(cuStreamGetFlags(plain, &flags));
    CHECK(flags == CU_STREAM_DEFAULT && cuStreamGetFlags(plain, nullptr) == 1);
    CHECK(cuStreamGetFlags(none, &flags) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuStreamGetPriority(urgent, &priority)); // the nearest that there is
    CHECK(priority == greatest);
    DRIVER(cuStreamGetPriority(late, &priority));
    CHECK(priority == least && cuStreamGetPriority(late, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamGetPriority(none, &priority) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuStreamGetId(plain, &ids[0]));
    DRIVER(cuStreamGetId(urgent, &ids[1]));
    DRIVER(cuStreamGetId(nullptr, &ids[2]));
    CHECK(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    CHECK(cuStreamGetId(none, ids) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuStreamGetDevice(plain, &device));
    CHECK(device == 0 && cuStreamGetDevice(none, &device) == CUDA_ERROR_INVALID_HANDLE);
    // Attributes: as they are at first, set, copied.
    DRIVER(cuStreamGetAttribute(plain, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    CHECK(value.syncPolicy == CU_SYNC_POLICY_AUTO);
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    DRIVER(cuStreamSetAttribute(plain, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    DRIVER(cuStreamGetAttribute(urgent, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
    CHECK(value.priority == greatest);
    value.priority = -1;
    DRIVER(cuStreamSetAttribute(plain, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
    DRIVER(cuStreamGetPriority(plain, &priority));
    CHECK(priority == -1);
    DRIVER(cuStreamCopyAttributes(late, plain));
    DRIVER(cuStreamGetAttribute(late, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &other));
    CHECK(other.syncPolicy == CU_SYNC_POLICY_YIELD);
    DRIVER(cuStreamGetAttribute(late, CU_STREAM_ATTRIBUTE_PRIORITY, &other));
    CHECK(other.priority == -1);
    CHECK(cuStreamGetAttribute(late, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &other) == 1);
    CHECK(cuStreamSetAttribute(late, CU_STREAM_ATTRIBUTE_PRIORITY, nullptr) == 1);
    CHECK(cuStreamSetAttribute(none, CU_STREAM_ATTRIBUTE_PRIORITY, &value) ==
          CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuStreamCopyAttributes(none, plain) == CUDA_ERROR_INVALID_HANDLE);
    for (CUstream stream : {plain, urgent, late})
        DRIVER(cuStreamDestroy(stream));
}

static void events(CUstream stream) {
    CUevent start, end, plain;
    float took = -1;
    CHECK(cuEventCreate(&end, CU_EVENT_INTERPROCESS) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuEventCreate(&start, CU_EVENT_DEFAULT));
    DRIVER(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
    DRIVER(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    DRIVER(cuEventQuery(start)); // of what was never recorded all is done
    CHECK(cuEventElapsedTime(&took, start, end) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuEventRecordWithFlags(start, stream, CU_EVENT_RECORD_DEFAULT));
    launch(stream, 1);
    DRIVER(cuEventRecord(end, stream));
    DRIVER(cuStreamWaitEvent(nullptr, end, CU_EVENT_WAIT_DEFAULT));
    DRIVER(cuEventSynchronize(end));
    DRIVER(cuEventQuery(end));
    DRIVER(cuEventElapsedTime(&took, start, end));
    CHECK(took >= 0 && cuEventElapsedTime(nullptr, start, end) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuEventRecord(plain, stream));
    CHECK(cuEventElapsedTime(&took, start, plain) == CUDA_ERROR_INVALID_HANDLE);
    // A node of its own is made in a capture alone.
    CHECK(cuEventRecordWithFlags(start, stream, CU_EVENT_RECORD_EXTERNAL) == 1);
    CHECK(cuStreamWaitEvent(stream, start, CU_EVENT_WAIT_EXTERNAL) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuEventRecordWithFlags(start, stream, 9) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamWaitEvent(stream, start, 9) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuStreamQuery(stream));
    DRIVER(cuEventDestroy_v2(plain));
    CHECK(cuEventQuery(plain) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEventSynchronize(plain) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuStreamWaitEvent(stream, plain, 0) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEventRecordWithFlags(plain, stream, 0) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEventDestroy_v2(plain) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuStreamQuery((CUstream)&took) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuEventDestroy(start));
    DRIVER(cuEventDestroy(end));
}

// The host's functions stand in the stream's order: each sees what the kernels before it did.
struct seen {
    int calls, value;
    CUstream stream;
};
static void CUDA_CB note(void *user) {
    seen *s = (seen *)user;
    s->calls++;
    s->value = host[0];
}
static void CUDA_CB note_stream(CUstream stream, CUresult status, void *user) {
    CHECK(status == CUDA_SUCCESS);
    ((seen *)user)->stream = stream;
    note(user);
}
static void host_functions(CUstream stream) {
    seen first_seen = {}, last_seen = {};
    DRIVER(cuMemsetD32(x, 0, n));
    launch(stream, 3);
    DRIVER(cuMemcpyDtoHAsync(host, x, sizeof host, stream));
    DRIVER(cuLaunchHostFunc(stream, note, &first_seen));
    launch(stream, 4);
    DRIVER(cuMemcpyDtoHAsync(host, x, sizeof host, stream));
    DRIVER(cuStreamAddCallback(stream, note_stream, &last_seen, 0));
    DRIVER(cuStreamSynchronize(stream));
    CHECK(first_seen.calls == 1 && first_seen.value == 3);
    CHECK(last_seen.calls == 1 && last_seen.value == 7 && last_seen.stream == stream);
    CHECK(cuLaunchHostFunc(stream, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchHostFunc((CUstream)&x, note, &last_seen) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuStreamAddCallback(stream, note_stream, &last_seen, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamAddCallback(stream, nullptr, &last_seen, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamAddCallback((CUstream)&x, note_stream, &last_seen, 0) ==
          CUDA_ERROR_INVALID_HANDLE);
}

// What a capture tells of itself, with events in it that are nodes.
static void captures(CUstream stream) {
    typedef CUresult info(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
                          const CUgraphNode **, size_t *);
    info *info_v2 = (info *)dlsym(RTLD_DEFAULT, "cuStreamGetCaptureInfo_v2");
    CUstreamCaptureStatus status;
    cuuint64_t id = 0, id_v2 = 0;
    CUgraph graph, same;
    const CUgraphNode *after, *after_v2;
    const CUgraphEdgeData *edges = (const CUgraphEdgeData *)&id;
    size_t count = 9, count_v2 = 9;
    CUevent event;
    CUgraphNodeType type;
    CUgraphNode nodes[8];
    CUgraphExec exec;
    DRIVER(cuEventCreate(&event, 0));
    DRIVER(cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    DRIVER(cuStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &after, &edges, &count));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    DRIVER(cuMemsetD32(x, 0, n));
    DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    DRIVER(cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    launch(stream, 5);
    DRIVER(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    DRIVER(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    DRIVER(cuStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &after, &edges, &count));
    DRIVER(info_v2(stream, &status, &id_v2, &same, &after_v2, &count_v2));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id && id == id_v2 && graph == same);
    CHECK(count == 1 && count_v2 == 1 && after[0] == after_v2[0] && !edges);
    DRIVER(cuGraphNodeGetType(after[0], &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    CHECK(cuStreamIsCapturing(stream, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(info_v2((CUstream)&x, &status, &id, &same, &after, &count) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuStreamGetCaptureInfo_v3((CUstream)&x, &status, &id, &same, &after, &edges, &count) ==
          CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuStreamEndCapture(stream, &same));
    CHECK(same == graph);
    count = 8;
    DRIVER(cuGraphGetNodes(graph, nodes, &count));
    CHECK(count == 3);
    DRIVER(cuGraphNodeGetType(nodes[1], &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    float took;
    CUevent before;
    DRIVER(cuEventCreate(&before, 0));
    DRIVER(cuEventRecord(before, stream));
    CHECK(cuEventElapsedTime(&took, before, event) == CUDA_ERROR_INVALID_HANDLE); // not yet
    DRIVER(cuGraphLaunch(exec, stream));
    DRIVER(cuGraphLaunch(exec, stream));
    CHECK(first(stream) == 10);
    DRIVER(cuEventElapsedTime(&took, before, event));
    CHECK(took >= 0);
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(graph));
    // While a stream captures for which the default stream waits, nothing can be asked of that.
    CUstream blocking;
    DRIVER(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    DRIVER(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(cuStreamIsCapturing(nullptr, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    CHECK(cuStreamGetCaptureInfo_v3(nullptr, &status, &id, &same, &after, &edges, &count) ==
          CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    DRIVER(cuStreamEndCapture(blocking, &graph)); // which did no harm
    DRIVER(cuGraphDestroy(graph));
    DRIVER(cuStreamDestroy(blocking));
    DRIVER(cuEventDestroy(event));
    DRIVER(cuEventDestroy(before));
}

// Who may allocate while a stream captures.
static void modes(CUstream stream) {
    const CUresult fails = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    auto allocate = [] {
        CUdeviceptr y;
        CUresult error = cuMemAlloc(&y, 4);
        if (!error)
            DRIVER(cuMemFree(y));
        return error;
    };
    CUcontext context;
    DRIVER(cuCtxGetCurrent(&context));
    CUstreamCaptureMode mode = (CUstreamCaptureMode)7;
    CHECK(cuThreadExchangeStreamCaptureMode(&mode) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuThreadExchangeStreamCaptureMode(nullptr) == CUDA_ERROR_INVALID_VALUE);
    // By the mode of the capture, and that of the thread: the one that captures, another one.
    const CUstreamCaptureMode all[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                       CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                       CU_STREAM_CAPTURE_MODE_RELAXED};
    const bool here[3][3] = {{0, 0, 1}, {0, 0, 1}, {1, 1, 1}};
    const bool there[3][3] = {{0, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    for (int c = 0; c < 3; c++)
        for (int t = 0; t < 3; t++)
            for (bool other : {false, true}) {
                const bool may = other ? there[c][t] : here[c][t];
                CUgraph graph;
                DRIVER(cuStreamBeginCapture(stream, all[c]));
                auto attempt = [&] {
                    DRIVER(cuCtxSetCurrent(context));
                    CUstreamCaptureMode mine = all[t];
                    DRIVER(cuThreadExchangeStreamCaptureMode(&mine));
                    CHECK(mine == CU_STREAM_CAPTURE_MODE_GLOBAL);
                    CHECK(allocate() == (may ? CUDA_SUCCESS : fails));
                    DRIVER(cuThreadExchangeStreamCaptureMode(&mine));
                    CHECK(mine == all[t]);
                };
                if (other)
                    std::thread(attempt).join();
                else
                    attempt();
                CHECK(cuStreamEndCapture(stream, &graph) ==
                      (may ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
                if (may)
                    DRIVER(cuGraphDestroy(graph));
            }
    // A device that captures cannot be waited for, however relaxed; nor can another thread end it.
    CUgraph graph;
    DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(cuCtxSynchronize() == fails);
    CHECK(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    std::thread([&] {
        DRIVER(cuCtxSetCurrent(context));
        CHECK(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    }).join();
    DRIVER(cuStreamEndCapture(stream, &graph));
    DRIVER(cuGraphDestroy(graph));
}

int main() {
    CUcontext context;
    CUstream stream;
    DRIVER(cuInit(0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxSetCurrent(context));
    CUDA(cudaGetFuncBySymbol(&function, (const void *)add));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuMemAlloc(&x, sizeof host));
    DRIVER(cuMemsetD32(x, 0, n));
    properties();
    events(stream);
    CHECK(first(stream) == 1);
    host_functions(stream);
    captures(stream);
    modes(stream);
    DRIVER(cuMemFree(x));
    return DONE;
}
