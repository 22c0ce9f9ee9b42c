// alone
// toolkit
// options: -std=c++17
// Graphs whose parameters change, by node and by another graph; what an update refuses; clones, and
// what a graph keeps for the program.
#include <cstring>

#include "check.h"

__global__ void add(int *x, int value) { x[threadIdx.x] += value; }
__global__ void scale(int *x, int factor) { x[threadIdx.x] *= factor; }
__device__ int table[32];

enum { N = 32, BYTES = N * sizeof(int) };
static int ended;
static void end(void *user) { ended += *(int *)user; }
static void put(void *user) { *(int *)user += 1; }

static cudaKernelNodeParams launch(void (*kernel)(int *, int), void **args) {
    cudaKernelNodeParams p = {};
    p.func = (void *)kernel;
    p.gridDim = 1;
    p.blockDim = N;
    p.kernelParams = args;
    return p;
}

// Fill, add, copy to the host: built by hand with nodes of any kind.
struct Chain {
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, copy;
};
static Chain chain(int *x, int *host, int first, int value) {
    Chain c;
    CUDA(cudaGraphCreate(&c.graph, 0));
    cudaGraphNodeParams p = {cudaGraphNodeTypeMemset};
    p.memset.dst = x;
    p.memset.elementSize = 4;
    p.memset.width = N;
    p.memset.height = 1;
    p.memset.value = first;
    CUDA(cudaGraphAddNode(&c.fill, c.graph, nullptr, nullptr, 0, &p));
    void *args[] = {&x, &value};
    p = {cudaGraphNodeTypeKernel};
    p.kernel.func = (void *)add;
    p.kernel.gridDim = 1;
    p.kernel.blockDim = N;
    p.kernel.kernelParams = args;
    CUDA(cudaGraphAddNode(&c.kernel, c.graph, &c.fill, nullptr, 1, &p));
    p = {cudaGraphNodeTypeMemcpy};
    p.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(x, BYTES, BYTES, 1);
    p.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, BYTES, BYTES, 1);
    p.memcpy.copyParams.extent = make_cudaExtent(BYTES, 1, 1);
    p.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaGraphAddNode(&c.copy, c.graph, &c.kernel, nullptr, 1, &p));
    return c;
}
static void runs(cudaGraphExec_t exec, const int *host, int wanted) {
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(host[i] == wanted);
}

static void nodes(int *x, int *y) {
    int host[N], other[N], two = 2, five = 5;
    Chain c = chain(x, host, 10, 1);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, c.graph, 0));
    runs(exec, host, 11);

    // Another kernel with other arguments; the graph itself stays as it is.
    void *args[] = {&x, &five};
    cudaKernelNodeParams p = launch(scale, args);
    CUDA(cudaGraphExecKernelNodeSetParams(exec, c.kernel, &p));
    runs(exec, host, 50);
    CUDA(cudaGraphKernelNodeGetParams(c.kernel, &p));
    CHECK(p.func == (void *)add && p.blockDim.x == N && *(int *)p.kernelParams[1] == 1);
    CHECK(*(int **)p.kernelParams[0] == x);

    // Filled and copied elsewhere; of the kernel, too, or else it counts on.
    cudaMemsetParams fill;
    CUDA(cudaGraphMemsetNodeGetParams(c.fill, &fill));
    CHECK(fill.dst == x && fill.value == 10 && fill.width == N && fill.elementSize == 4);
    fill.dst = y;
    fill.value = 3;
    CUDA(cudaGraphExecMemsetNodeSetParams(exec, c.fill, &fill));
    cudaMemcpy3DParms copy;
    CUDA(cudaGraphMemcpyNodeGetParams(c.copy, &copy));
    CHECK(copy.srcPtr.ptr == x && copy.dstPtr.ptr == host && copy.extent.width == BYTES);
    CHECK(copy.kind == cudaMemcpyDeviceToHost && copy.extent.height == 1);
    copy.srcPtr.ptr = y;
    copy.dstPtr.ptr = other;
    CUDA(cudaGraphExecMemcpyNodeSetParams(exec, c.copy, &copy));
    runs(exec, other, 3);
    CHECK(host[0] == 50);
    CUDA(cudaGraphExecMemcpyNodeSetParams1D(exec, c.copy, host, y, BYTES, cudaMemcpyDeviceToHost));
    void *of_y[] = {&y, &two};
    p.func = (void *)scale;
    p.kernelParams = of_y;
    CUDA(cudaGraphExecKernelNodeSetParams(exec, c.kernel, &p));
    runs(exec, host, 6);

    // In the graph, for those that are made of it from then on.
    cudaGraphNodeParams any = {cudaGraphNodeTypeKernel};
    any.kernel.func = (void *)scale;
    any.kernel.gridDim = 1;
    any.kernel.blockDim = N;
    any.kernel.kernelParams = args;
    CUDA(cudaGraphNodeSetParams(c.kernel, &any));
    any.kernel.kernelParams = of_y;
    CUDA(cudaGraphExecNodeSetParams(exec, c.kernel, &any));
    runs(exec, host, 6);
    cudaGraphExec_t second;
    CUDA(cudaGraphInstantiate(&second, c.graph, 0));
    runs(second, host, 50);

    // By symbol, both ways.
    int sent[N], *symbol;
    for (int i = 0; i < N; i++)
        sent[i] = 100 + i;
    CUDA(cudaGetSymbolAddress((void **)&symbol, table));
    CUDA(cudaGraphMemcpyNodeSetParamsToSymbol(c.copy, table, sent, BYTES, 0,
                                              cudaMemcpyHostToDevice));
    CUDA(cudaGraphMemcpyNodeGetParams(c.copy, &copy));
    CHECK(copy.dstPtr.ptr == symbol && copy.kind == cudaMemcpyHostToDevice);
    cudaGraphExec_t third;
    CUDA(cudaGraphInstantiateWithFlags(&third, c.graph, 0));
    CUDA(cudaGraphMemcpyNodeSetParamsFromSymbol(c.copy, other, table, BYTES - 8, 8,
                                                cudaMemcpyDeviceToHost));
    CUDA(cudaGraphMemcpyNodeGetParams(c.copy, &copy));
    CHECK(copy.srcPtr.ptr == symbol + 2 && copy.dstPtr.ptr == other);
    CUDA(cudaGraphLaunch(third, 0)); // with the copy as it was then
    CUDA(cudaGraphExecDestroy(third));
    CUDA(cudaGraphInstantiateWithFlags(&third, c.graph, cudaGraphInstantiateFlagUseNodePriority));
    CUDA(cudaGraphLaunch(third, 0));
    CHECK(other[0] == 102 && other[29] == 131);
    CUDA(cudaGraphExecDestroy(third));
    CHECK(cudaGraphInstantiateWithFlags(&third, nullptr, 0) == cudaErrorInvalidValue);
    CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(c.copy, other, table, BYTES, 8,
                                                 cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CUDA(cudaGraphExecMemcpyNodeSetParamsToSymbol(second, c.copy, table, sent, BYTES, 0,
                                                  cudaMemcpyHostToDevice));
    CUDA(cudaGraphLaunch(second, 0));
    CUDA(cudaGraphExecMemcpyNodeSetParamsFromSymbol(second, c.copy, host, table, BYTES - 4, 4,
                                                    cudaMemcpyDeviceToHost));
    CUDA(cudaGraphLaunch(second, 0));
    CHECK(host[0] == 101 && host[30] == 131 && host[31] == 50);

    // What is wrong.
    CHECK(cudaGraphExecKernelNodeSetParams(exec, c.fill, &p) == cudaErrorInvalidValue);
    CHECK(cudaGraphExecMemsetNodeSetParams(exec, c.kernel, &fill) == cudaErrorInvalidValue);
    any.type = cudaGraphNodeTypeHost;
    CHECK(cudaGraphExecNodeSetParams(exec, c.kernel, &any) == cudaErrorInvalidValue);
    cudaGraph_t empty;
    cudaGraphNode_t stranger;
    CUDA(cudaGraphCreate(&empty, 0));
    CUDA(cudaGraphAddKernelNode(&stranger, empty, nullptr, 0, &p));
    CHECK(cudaGraphExecKernelNodeSetParams(exec, stranger, &p) == cudaErrorInvalidValue);
    CHECK(cudaGraphMemcpyNodeGetParams(c.kernel, &copy) == cudaErrorInvalidValue);
    p.blockDim.x = 4096;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, c.kernel, &p) == cudaErrorInvalidConfiguration);
    runs(exec, host, 6); // nothing of these has changed it
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphExecDestroy(second));
    CUDA(cudaGraphDestroy(empty));
    CUDA(cudaGraphDestroy(c.graph));
}

static cudaGraph_t captured(cudaStream_t stream, int *x, int value, bool fork) {
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMemsetAsync(x, 0, BYTES, stream));
    add<<<1, N, 0, stream>>>(x, value);
    add<<<1, N, 0, stream>>>(x, value);
    if (fork) { // the second comes after the fill alone
        cudaStreamCaptureStatus status;
        unsigned long long id;
        cudaGraph_t into;
        const cudaGraphNode_t *last;
        size_t count;
        CUDA(cudaStreamGetCaptureInfo(stream, &status, &id, &into, &last, nullptr, &count));
        CHECK(status == cudaStreamCaptureStatusActive && count == 1);
        cudaGraphNode_t second = last[0], first, nodes[3];
        size_t all = 3;
        CUDA(cudaGraphGetNodes(into, nodes, &all));
        CHECK(all == 3 && nodes[2] == second);
        first = nodes[1];
        CUDA(cudaGraphRemoveDependencies(into, &first, &second, nullptr, 1));
        CUDA(cudaGraphAddDependencies(into, &nodes[0], &second, nullptr, 1));
        CUDA(cudaStreamUpdateCaptureDependencies(stream, &first, nullptr, 1,
                                                 cudaStreamAddCaptureDependencies));
        add<<<1, N, 0, stream>>>(x, 0);
    } else {
        add<<<1, N, 0, stream>>>(x, 0);
    }
    CUDA(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static void updates(int *x) {
    int host[N];
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    cudaGraph_t first = captured(stream, x, 4, false);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, first, 0));
    for (int value = 5; value < 8; value++) {
        cudaGraph_t next = captured(stream, x, value, false);
        cudaGraphExecUpdateResultInfo info;
        CUDA(cudaGraphExecUpdate(exec, next, &info));
        CHECK(info.result == cudaGraphExecUpdateSuccess && !info.errorNode);
        CUDA(cudaGraphDestroy(next));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost));
        CHECK(host[0] == 2 * value && host[N - 1] == 2 * value);
    }

    // Another shape, another kind, a node more; the executable graph is as it was.
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t forked = captured(stream, x, 9, true);
    CHECK(cudaGraphExecUpdate(exec, forked, &info) == cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode);
    CHECK(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);
    cudaGraphNode_t nodes[8], made;
    size_t count = 8;
    CUDA(cudaGraphGetNodes(forked, nodes, &count));
    CHECK(count == 4 && info.errorNode == nodes[2] && info.errorFromNode == nodes[0]);
    cudaGraph_t longer = captured(stream, x, 9, false);
    count = 8;
    CUDA(cudaGraphGetNodes(longer, nodes, &count));
    CUDA(cudaGraphAddEmptyNode(&made, longer, &nodes[3], 1));
    CHECK(cudaGraphExecUpdate(exec, longer, &info) == cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == made);
    cudaGraph_t other;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 4; i++)
        add<<<1, N, 0, stream>>>(x, 1);
    CUDA(cudaStreamEndCapture(stream, &other));
    CHECK(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorNodeTypeChanged && info.errorNode);
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 14);
    CHECK(cudaGraphExecUpdate(exec, nullptr, &info) == cudaErrorInvalidValue);

    // A launch of a graph is captured as a node, which is a graph.
    cudaGraph_t outer;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaGraphLaunch(exec, stream));
    scale<<<1, N, 0, stream>>>(x, 3);
    CUDA(cudaStreamEndCapture(stream, &outer));
    cudaGraphExec_t whole;
    CUDA(cudaGraphInstantiate(&whole, outer, 0));
    CUDA(cudaGraphLaunch(whole, stream));
    CUDA(cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost));
    CHECK(host[5] == 42);
    count = 8;
    CUDA(cudaGraphGetNodes(outer, nodes, &count));
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(nodes[0], &type));
    CHECK(count == 2 && type == cudaGraphNodeTypeGraph);
    // Another child of the same shape; not of another.
    cudaGraph_t next = captured(stream, x, 1, false);
    CUDA(cudaGraphExecChildGraphNodeSetParams(whole, nodes[0], next));
    CUDA(cudaGraphLaunch(whole, stream));
    CUDA(cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost));
    CHECK(host[5] == 6);
    CHECK(cudaGraphExecChildGraphNodeSetParams(whole, nodes[0], longer) == cudaErrorInvalidValue);
    cudaGraph_t inner;
    CUDA(cudaGraphChildGraphNodeGetGraph(nodes[0], &inner));
    CHECK(cudaGraphDestroy(inner) == cudaErrorInvalidValue);
    for (cudaGraph_t graph : {first, forked, longer, other, outer, next})
        CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphExecDestroy(whole));
    CUDA(cudaStreamDestroy(stream));
}

static void into(int *x) {
    int host[N], calls = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphNode_t fill, last;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemsetParams p = {};
    p.dst = x;
    p.value = 20;
    p.elementSize = 4;
    p.width = N;
    p.height = 1;
    CUDA(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &p));
    CUDA(cudaStreamBeginCaptureToGraph(stream, graph, &fill, nullptr, 1,
                                       cudaStreamCaptureModeGlobal));
    add<<<1, N, 0, stream>>>(x, 1);
    cudaGraph_t same;
    // A node by hand, which the stream goes on from instead.
    cudaHostNodeParams host_params = {put, &calls};
    CUDA(cudaGraphAddHostNode(&last, graph, &fill, 1, &host_params));
    CUDA(cudaStreamUpdateCaptureDependencies(stream, &last, nullptr, 1,
                                             cudaStreamSetCaptureDependencies));
    CUDA(cudaLaunchHostFunc(stream, put, &calls));
    CUDA(cudaStreamEndCapture(stream, &same));
    CHECK(same == graph);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 21 && calls == 2);
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &last, nullptr, 1, 0) ==
          cudaErrorIllegalState);

    // Events of nodes.
    cudaEvent_t a, b, got;
    cudaGraphNode_t record;
    CUDA(cudaEventCreate(&a));
    CUDA(cudaEventCreate(&b));
    CUDA(cudaGraphAddEventRecordNode(&record, graph, &last, 1, a));
    CUDA(cudaGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == a);
    cudaGraphExec_t second;
    CUDA(cudaGraphInstantiate(&second, graph, 0));
    CUDA(cudaGraphExecEventRecordNodeSetEvent(second, record, b));
    CUDA(cudaEventRecord(a, stream));
    CUDA(cudaGraphLaunch(second, stream));
    float time;
    CUDA(cudaEventElapsedTime(&time, a, b));
    CHECK(time >= 0);
    CUDA(cudaGraphEventRecordNodeSetEvent(record, b));
    CUDA(cudaGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == b && cudaGraphEventWaitNodeGetEvent(record, &got) == cudaErrorInvalidValue);
    cudaGraphNode_t wait;
    cudaGraphExec_t waiting;
    CUDA(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, b));
    CUDA(cudaGraphInstantiate(&waiting, graph, 0));
    CUDA(cudaGraphEventWaitNodeSetEvent(wait, a));
    CUDA(cudaGraphEventWaitNodeGetEvent(wait, &got));
    CHECK(got == a);
    CUDA(cudaGraphExecEventWaitNodeSetEvent(waiting, wait, a));
    CUDA(cudaGraphLaunch(waiting, stream));
    CHECK(cudaGraphEventWaitNodeSetEvent(record, a) == cudaErrorInvalidValue);
    CHECK(cudaGraphExecEventWaitNodeSetEvent(waiting, record, a) == cudaErrorInvalidValue);
    CUDA(cudaGraphExecDestroy(waiting));

    // Attributes.
    cudaGraphNode_t launch = nullptr, nodes[8];
    size_t count = 8;
    CUDA(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        cudaGraphNodeType type;
        CUDA(cudaGraphNodeGetType(nodes[i], &type));
        if (type == cudaGraphNodeTypeKernel)
            launch = nodes[i];
    }
    cudaLaunchAttributeValue value = {}, back = {};
    value.priority = -3;
    CUDA(cudaGraphKernelNodeSetAttribute(launch, cudaLaunchAttributePriority, &value));
    CUDA(cudaGraphKernelNodeGetAttribute(launch, cudaLaunchAttributePriority, &back));
    CHECK(back.priority == -3);
    CHECK(cudaGraphKernelNodeGetAttribute(last, cudaLaunchAttributePriority, &back) ==
          cudaErrorInvalidValue);
    cudaKernelNodeParams same_launch;
    cudaGraphNode_t copied;
    CUDA(cudaGraphKernelNodeGetParams(launch, &same_launch));
    CUDA(cudaGraphAddKernelNode(&copied, graph, nullptr, 0, &same_launch));
    back = {};
    CUDA(cudaGraphKernelNodeCopyAttributes(copied, launch));
    CUDA(cudaGraphKernelNodeGetAttribute(copied, cudaLaunchAttributePriority, &back));
    CHECK(back.priority == -3);
    CHECK(cudaGraphKernelNodeCopyAttributes(copied, last) == cudaErrorInvalidValue);

    // The picture names what is in it.
    char text[4096] = "";
    CUDA(cudaGraphDebugDotPrint(graph, "graph.dot", cudaGraphDebugDotFlagsVerbose));
    FILE *file = std::fopen("graph.dot", "r");
    CHECK(file && std::fread(text, 1, sizeof text - 1, file) > 0);
    std::fclose(file);
    CHECK(!std::strncmp(text, "digraph", 7) && std::strstr(text, "add") && std::strstr(text, "->"));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphExecDestroy(second));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

static void clones(int *x) {
    int host[N], one = 1, seven = 7;
    Chain c = chain(x, host, 1, 1);
    cudaUserObject_t object;
    CUDA(cudaUserObjectCreate(&object, &one, end, 1, cudaUserObjectNoDestructorSync));
    CUDA(cudaUserObjectRetain(object, 1));
    CUDA(cudaGraphRetainUserObject(c.graph, object, 1, cudaGraphUserObjectMove));
    CUDA(cudaGraphRetainUserObject(c.graph, object, 2, 0));
    CUDA(cudaGraphReleaseUserObject(c.graph, object, 2));
    CHECK(cudaGraphReleaseUserObject(c.graph, object, 2) == cudaErrorInvalidValue);
    cudaGraph_t copy;
    CUDA(cudaGraphClone(&copy, c.graph));
    cudaGraphNode_t found;
    CUDA(cudaGraphNodeFindInClone(&found, c.kernel, copy));
    CHECK(found != c.kernel);
    void *args[] = {&x, &seven};
    cudaKernelNodeParams p = launch(add, args);
    CUDA(cudaGraphKernelNodeSetParams(found, &p));
    cudaGraphExec_t exec, of_copy;
    CUDA(cudaGraphInstantiate(&exec, c.graph, 0));
    CUDA(cudaGraphInstantiate(&of_copy, copy, 0));
    runs(exec, host, 2);
    runs(of_copy, host, 8);
    CHECK(cudaGraphNodeFindInClone(&found, found, c.graph) == cudaErrorInvalidValue);
    CUDA(cudaUserObjectRelease(object, 1));
    CUDA(cudaGraphDestroy(c.graph));
    CUDA(cudaGraphDestroy(copy));
    CUDA(cudaGraphExecDestroy(exec));
    CHECK(!ended);
    CUDA(cudaGraphExecDestroy(of_copy));
    CHECK(ended == 1);
    CHECK(cudaUserObjectCreate(&object, &one, end, 0, cudaUserObjectNoDestructorSync) ==
          cudaErrorInvalidValue);
}

int main() {
    int *x, *y;
    CUDA(cudaMalloc(&x, BYTES));
    CUDA(cudaMalloc(&y, BYTES));
    nodes(x, y);
    updates(x);
    into(x);
    clones(x);
    CUDA(cudaFree(x));
    CUDA(cudaFree(y));
    return DONE;
}
