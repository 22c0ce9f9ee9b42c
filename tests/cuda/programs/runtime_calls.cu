// What the runtime tells of the device and of kernels, with the calls of CUDA 12 that are not in 13's
// headers.
// options: -lcuda -w
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <algorithm>
#include <cstring>
#include <dlfcn.h>

#include "check.h"

struct record {
    double weight;
    char kind;
};

__global__ void weigh(double *sums, record one, char scale, int n) {
    __shared__ double part[64];
    part[threadIdx.x] = one.weight * scale * threadIdx.x;
    __syncthreads();
    sums[threadIdx.x] = part[n - 1 - threadIdx.x];
}

static void device() {
    int value, version, least, greatest;
    unsigned flags;
    char bus[32];
    CUDA(cudaDriverGetVersion(&version));
    CUDA(cudaRuntimeGetVersion(&value));
    CHECK(value == CUDART_VERSION && version >= value);
    FAILS(cudaErrorInvalidValue, cudaRuntimeGetVersion(nullptr));
    FAILS(cudaErrorInvalidValue, cudaDriverGetVersion(nullptr));
    CUDA(cudaGetDevice(&value));
    CHECK(value == 0);
    FAILS(cudaErrorInvalidValue, cudaGetDevice(nullptr));
    CUDA(cudaInitDevice(0, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid));
    CUDA(cudaGetDeviceFlags(&flags));
    CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
    CUDA(cudaInitDevice(0, cudaDeviceScheduleSpin, 0)); // which has no flags that are valid
    CUDA(cudaGetDeviceFlags(&flags));
    CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
    FAILS(cudaErrorInvalidDevice, cudaInitDevice(1, 0, 0));
    FAILS(cudaErrorInvalidValue,
          cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
    FAILS(cudaErrorInvalidValue, cudaSetDeviceFlags(0x100));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceFlags(nullptr));
    cudaDeviceProp wanted = {};
    value = -1;
    CUDA(cudaChooseDevice(&value, &wanted));
    CHECK(value == 0);
    FAILS(cudaErrorInvalidValue, cudaChooseDevice(nullptr, &wanted));
    int devices[] = {0, 0};
    CUDA(cudaSetValidDevices(devices, 1));
    CUDA(cudaSetValidDevices(nullptr, 0));
    FAILS(cudaErrorInvalidValue, cudaSetValidDevices(nullptr, 1));
    FAILS(cudaErrorInvalidValue, cudaSetValidDevices(devices, 2)); // more than there are
    devices[0] = 1;
    FAILS(cudaErrorInvalidDevice, cudaSetValidDevices(devices, 1));
    CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    value = -1;
    CUDA(cudaDeviceGetByPCIBusId(&value, bus));
    CHECK(value == 0);
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&value, "0010:01:00.0"));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&value, nullptr));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(bus, 4, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(bus, sizeof bus, 1));
    // No peers.
    FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
    FAILS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));
    FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    FAILS(cudaErrorInvalidDevice,
          cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(&value, (cudaDeviceP2PAttr)9, 0, 1));
    // Hints, which are as they are set.
    cudaFuncCache cache;
    cudaSharedMemConfig banks;
    CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferEqual));
    CUDA(cudaDeviceGetCacheConfig(&cache));
    CHECK(cache == cudaFuncCachePreferEqual);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetCacheConfig(nullptr));
    CUDA(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
    CUDA(cudaDeviceGetSharedMemConfig(&banks));
    CHECK(banks == cudaSharedMemBankSizeFourByte);
    FAILS(cudaErrorInvalidValue, cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)9));
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);
    CUDA(cudaCtxResetPersistingL2Cache());
    CUDA(cudaProfilerStart());
    CUDA(cudaProfilerStop());
    cudaChannelFormatDesc channel =
        cudaCreateChannelDesc(8, 16, 24, 32, cudaChannelFormatKindUnsigned);
    CHECK(channel.x == 8 && channel.y == 16 && channel.z == 24 && channel.w == 32);
    CHECK(channel.f == cudaChannelFormatKindUnsigned);
    // The driver's functions.
    void *found, *same;
    cudaDriverEntryPointQueryResult result;
    CUDA(cudaGetDriverEntryPoint("cuMemFree", &found, cudaEnableDefault, &result));
    CHECK(found == (void *)cuMemFree_v2 && result == cudaDriverEntryPointSuccess);
    CUDA(cudaGetDriverEntryPointByVersion("cuMemFree", &same, 12000, cudaEnableLegacyStream,
                                          &result));
    CHECK(found == same);
    CUDA(cudaGetDriverEntryPoint("cuNothing", &found, cudaEnableDefault, &result));
    CHECK(!found && result == cudaDriverEntryPointSymbolNotFound);
    CUDA(cudaGetDriverEntryPoint("cuNothing", &found, cudaEnableDefault, nullptr));
    FAILS(cudaErrorInvalidValue,
          cudaGetDriverEntryPoint(nullptr, &found, cudaEnableDefault, &result));
    FAILS(cudaErrorInvalidValue,
          cudaGetDriverEntryPointByVersion("cuMemFree", &same, 99000, cudaEnableDefault, &result));
}

static void kernels() {
    const int n = 64;
    const char *name;
    size_t at, bytes;
    cudaFunction_t function;
    cudaKernel_t kernel;
    int blocks;
    void *host = (void *)weigh;
    CUDA(cudaFuncGetName(&name, host));
    CHECK(std::strstr(name, "weigh"));
    FAILS(cudaErrorInvalidValue, cudaFuncGetName(nullptr, host));
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetName(&name, (void *)&bytes));
    const size_t params[][2] = {{0, 8}, {8, sizeof(record)}, {24, 1}, {28, 4}};
    for (int i = 0; i < 4; i++) {
        CUDA(cudaFuncGetParamInfo(host, i, &at, &bytes));
        CHECK(at == params[i][0] && bytes == params[i][1]);
    }
    FAILS(cudaErrorInvalidValue, cudaFuncGetParamInfo(host, 4, &at, &bytes));
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetParamInfo(&bytes, 0, &at, &bytes));
    CUDA(cudaFuncSetSharedMemConfig(host, cudaSharedMemBankSizeEightByte));
    FAILS(cudaErrorInvalidValue, cudaFuncSetSharedMemConfig(host, (cudaSharedMemConfig)9));
    // As the driver knows it, which launches it.
    CUDA(cudaGetFuncBySymbol(&function, host));
    CUDA(cudaGetKernel(&kernel, host));
    cudaFunction_t no_function;
    cudaKernel_t no_kernel;
    FAILS(cudaErrorInvalidDeviceFunction, cudaGetFuncBySymbol(&no_function, (void *)&bytes));
    FAILS(cudaErrorInvalidDeviceFunction, cudaGetKernel(&no_kernel, (const void *)&bytes));
    double *sums, got[n];
    record one = {2.5, 'a'};
    char scale = 3;
    int count = n;
    CUDA(cudaMalloc(&sums, sizeof got));
    void *args[] = {&sums, &one, &scale, &count};
    for (int way = 0; way < 2; way++) {
        CUDA(cudaMemset(sums, 0, sizeof got));
        if (way)
            DRIVER(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, n, 1, 1, 0, nullptr, args, nullptr));
        else
            DRIVER(cuLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, nullptr, args, nullptr));
        CUDA(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            CHECK(got[i] == 2.5 * 3 * (n - 1 - i));
    }
    CUDA(cudaFree(sums));
    // How many of its blocks an SM has at once.
    cudaDeviceProp device;
    cudaFuncAttributes facts;
    CUDA(cudaGetDeviceProperties(&device, 0));
    CUDA(cudaFuncGetAttributes(&facts, host));
    CHECK(facts.sharedSizeBytes == n * sizeof(double) && facts.numRegs <= 32);
    CHECK(facts.maxDynamicSharedSizeBytes ==
          (int)(device.sharedMemPerBlock - facts.sharedSizeBytes));
    const int of_block = (int)(facts.sharedSizeBytes + device.reservedSharedMemPerBlock);
    const int of_sm = (int)device.sharedMemPerMultiprocessor;
    for (int threads : {64, 512})
        for (int dynamic : {0, 10000}) {
            CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &blocks, host, threads, dynamic, cudaOccupancyDisableCachingOverride));
            CHECK(blocks ==
                  std::min({device.maxThreadsPerMultiProcessor / threads,
                            device.maxBlocksPerMultiProcessor, of_sm / (of_block + dynamic)}));
        }
    FAILS(cudaErrorInvalidValue,
          cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, host, 64, 0, 8));
    CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, host, 8, 64));
    CHECK((int)bytes == of_sm / 8 - of_block);
    CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, host, 1,
                                                   64)); // all that a launch can have
    CHECK((int)bytes == facts.maxDynamicSharedSizeBytes);
    FAILS(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, host, 0, 64));
    FAILS(cudaErrorInvalidDeviceFunction,
          cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &bytes, 1, 64));
    // What is not asked for cannot be had, and is no more than there is.
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel(host, dim3(1), dim3(n), args,
                                                  facts.maxDynamicSharedSizeBytes + 1, nullptr));
}

// Calls of CUDA 12 that changed in 13, from the library that programs of that version have.
struct twelve {
    void *library = dlopen("libcudart.so.12", RTLD_NOW);
    template <class F> F *named(const char *name) {
        CHECK(library);
        F *found = (F *)dlsym(library, name);
        CHECK(found);
        return found;
    }
};
static void calls_of_12() {
    typedef cudaError_t get_properties(void *, int);
    typedef cudaError_t advise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation);
    typedef cudaError_t prefetch(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t);
    typedef cudaError_t advise_old(const void *, size_t, cudaMemoryAdvise, int);
    typedef cudaError_t info_v2(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *,
                                cudaGraph_t *, const cudaGraphNode_t **, size_t *);
    typedef cudaError_t info_v3(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *,
                                cudaGraph_t *, const cudaGraphNode_t **, const cudaGraphEdgeData **,
                                size_t *);
    typedef cudaError_t elapsed(float *, cudaEvent_t, cudaEvent_t);
    twelve t;
    // Its properties, in the layout of CUDA 12, which is 1032 bytes and has clocks in it.
    const size_t size = 1032, clock_at = 348;
    cudaDeviceProp properties;
    char old[2 * size];
    int clock;
    std::memset(old, 0x5a, sizeof old);
    CUDA(cudaGetDeviceProperties(&properties, 0));
    CUDA(t.named<get_properties>("cudaGetDeviceProperties_v2")(old, 0));
    CHECK(!std::memcmp(old, &properties, clock_at)); // the same up to there
    CUDA(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    CHECK(!std::memcmp(old + clock_at, &clock, sizeof clock));
    for (size_t i = size; i < sizeof old; i++)
        CHECK(old[i] == 0x5a);
    CHECK(t.named<get_properties>("cudaGetDeviceProperties_v2")(old, 1) == cudaErrorInvalidDevice);
    CHECK(t.named<get_properties>("cudaGetDeviceProperties_v2")(nullptr, 0) ==
          cudaErrorInvalidValue);
    // Advice and prefetches by a place, and by a number.
    int *x;
    const size_t bytes = 4000;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, other = {cudaMemLocationTypeDevice, 1};
    cudaMemLocation host = {cudaMemLocationTypeHost, 0}, none = {};
    CUDA(cudaMallocManaged(&x, bytes));
    advise *advise_v2 = t.named<advise>("cudaMemAdvise_v2");
    CUDA(advise_v2(x, bytes, cudaMemAdviseSetPreferredLocation, host));
    CUDA(advise_v2(x, bytes, cudaMemAdviseSetReadMostly, none));
    CHECK(advise_v2(x, bytes, cudaMemAdviseSetAccessedBy, other) == cudaErrorInvalidDevice);
    CHECK(advise_v2(x, bytes, cudaMemAdviseSetAccessedBy, none) == cudaErrorInvalidValue);
    CHECK(advise_v2(x, bytes + 1, cudaMemAdviseSetReadMostly, here) == cudaErrorInvalidValue);
    CUDA(t.named<advise_old>("cudaMemAdvise")(x, bytes, cudaMemAdviseSetAccessedBy,
                                              cudaCpuDeviceId));
    CHECK(t.named<advise_old>("cudaMemAdvise")(x, bytes, cudaMemAdviseSetAccessedBy, 1) ==
          cudaErrorInvalidDevice);
    prefetch *prefetch_v2 = t.named<prefetch>("cudaMemPrefetchAsync_v2");
    CUDA(prefetch_v2(x, bytes, here, 0, nullptr));
    CHECK(prefetch_v2(x, bytes, other, 0, nullptr) == cudaErrorInvalidDevice);
    CHECK(prefetch_v2(x, bytes, here, 1, nullptr) == cudaErrorInvalidValue);
    CHECK(prefetch_v2(&here, 4, here, 0, nullptr) == cudaErrorInvalidValue);
    CUDA(cudaFree(x));
    // Captures, whose handles are the same in both.
    cudaStream_t stream;
    cudaStreamCaptureStatus status;
    unsigned long long ids[3] = {};
    cudaGraph_t graphs[3];
    const cudaGraphNode_t *after;
    const cudaGraphEdgeData *edges = (const cudaGraphEdgeData *)&status;
    size_t counts[3] = {9, 9, 9};
    info_v2 *capture_v2 = t.named<info_v2>("cudaStreamGetCaptureInfo_v2");
    info_v3 *capture_v3 = t.named<info_v3>("cudaStreamGetCaptureInfo_v3");
    CUDA(cudaStreamCreate(&stream));
    CUDA(capture_v2(stream, &status, ids, graphs, &after, counts));
    CHECK(status == cudaStreamCaptureStatusNone);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaLaunchHostFunc(stream, [](void *) {}, nullptr));
    CUDA(capture_v2(stream, &status, &ids[0], &graphs[0], &after, &counts[0]));
    CUDA(capture_v3(stream, &status, &ids[1], &graphs[1], &after, &edges, &counts[1]));
    CUDA(
        cudaStreamGetCaptureInfo(stream, &status, &ids[2], &graphs[2], &after, &edges, &counts[2]));
    CHECK(status == cudaStreamCaptureStatusActive && !edges);
    for (int i = 0; i < 3; i++)
        CHECK(ids[i] == ids[0] && graphs[i] == graphs[0] && counts[i] == 1);
    CHECK(capture_v2(stream, nullptr, ids, graphs, &after, counts) == cudaErrorInvalidValue);
    CHECK(capture_v3(nullptr, &status, ids, graphs, &after, &edges, counts) ==
          cudaErrorStreamCaptureImplicit);
    FAILS(cudaErrorStreamCaptureImplicit,
          cudaStreamGetCaptureInfo(nullptr, &status, ids, graphs, &after, &edges, counts));
    CUDA(cudaStreamEndCapture(stream, &graphs[1]));
    CHECK(graphs[1] == graphs[0]);
    CUDA(cudaGraphDestroy(graphs[0]));
    cudaEvent_t start, end;
    float took = -1;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(start, stream));
    CUDA(cudaEventRecord(end, stream));
    CUDA(t.named<elapsed>("cudaEventElapsedTime_v2")(&took, start, end));
    CHECK(took >= 0);
    CUDA(cudaStreamDestroy(stream));
}

static void count_call(void *calls) { ++*(int *)calls; }

// Those of edges with data, which were second forms.
static void edges_of_12() {
    typedef cudaError_t add_node(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                 const cudaGraphEdgeData *, size_t, cudaGraphNodeParams *);
    typedef cudaError_t change(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *,
                               const cudaGraphEdgeData *, size_t);
    typedef cudaError_t list(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, cudaGraphEdgeData *,
                             size_t *);
    typedef cudaError_t next(cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *, size_t *);
    typedef cudaError_t update(cudaStream_t, cudaGraphNode_t *, const cudaGraphEdgeData *, size_t,
                               unsigned);
    twelve t;
    int calls = 0;
    cudaGraph_t graph, same;
    cudaGraphNode_t nodes[3], from[4], to[4];
    cudaGraphEdgeData data[4];
    size_t count = 4;
    cudaGraphNodeParams p = {cudaGraphNodeTypeHost};
    p.host.fn = count_call;
    p.host.userData = &calls;
    CUDA(cudaGraphCreate(&graph, 0));
    add_node *add_v2 = t.named<add_node>("cudaGraphAddNode_v2");
    CUDA(add_v2(&nodes[0], graph, nullptr, nullptr, 0, &p));
    CUDA(add_v2(&nodes[1], graph, nodes, nullptr, 1, &p));
    CUDA(add_v2(&nodes[2], graph, nullptr, nullptr, 0, &p));
    CUDA(t.named<change>("cudaGraphAddDependencies_v2")(graph, &nodes[0], &nodes[2], nullptr, 1));
    list *edges_v2 = t.named<list>("cudaGraphGetEdges_v2");
    std::memset(data, 0x5a, sizeof data);
    CUDA(edges_v2(graph, from, to, data, &count));
    CHECK(count == 2 && from[0] == nodes[0] && to[0] == nodes[1] && to[1] == nodes[2]);
    CHECK(!data[1].type && data[2].type == 0x5a);
    CHECK(edges_v2(graph, nullptr, nullptr, data, &count) == cudaErrorInvalidValue);
    count = 4;
    CUDA(t.named<next>("cudaGraphNodeGetDependencies_v2")(nodes[2], from, data, &count));
    CHECK(count == 1 && from[0] == nodes[0]);
    count = 4;
    CUDA(t.named<next>("cudaGraphNodeGetDependentNodes_v2")(nodes[0], to, data, &count));
    CHECK(count == 2 && to[1] == nodes[2]);
    CUDA(
        t.named<change>("cudaGraphRemoveDependencies_v2")(graph, &nodes[0], &nodes[1], nullptr, 1));
    count = 4;
    CUDA(edges_v2(graph, nullptr, nullptr, nullptr, &count));
    CHECK(count == 1);
    // What a captured call comes after, instead of what was captured before it.
    cudaStream_t stream;
    cudaGraphExec_t exec;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                       cudaStreamCaptureModeRelaxed));
    CUDA(cudaLaunchHostFunc(stream, count_call, &calls));
    CUDA(t.named<update>("cudaStreamUpdateCaptureDependencies_v2")(
        stream, &nodes[1], nullptr, 1, cudaStreamSetCaptureDependencies));
    CUDA(cudaLaunchHostFunc(stream, count_call, &calls));
    CUDA(cudaStreamEndCapture(stream, &same));
    CHECK(same == graph);
    count = 4;
    CUDA(t.named<next>("cudaGraphNodeGetDependentNodes_v2")(nodes[1], to, nullptr, &count));
    CHECK(count == 1);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(calls == 5);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

int main() {
    device();
    kernels();
    calls_of_12();
    edges_of_12();
    return DONE;
}
