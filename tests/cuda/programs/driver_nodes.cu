// alone
// toolkit
// options: -std=c++17 -lcuda
// Graphs by the driver's interface: kernels by function and by packed arguments, copies, fills, and
// all of it changed.
#include <cuda.h>

#include "check.h"

#define CU(call) CHECK((call) == CUDA_SUCCESS)

extern "C" __global__ void multiply(int *x, int factor, int term) {
    x[threadIdx.x] = x[threadIdx.x] * factor + term;
}

enum { N = 64, BYTES = N * sizeof(int) };

int main() {
    CUfunction f;
    int *x, host[N], factor = 3, term = 1;
    CUDA(cudaMalloc(&x, BYTES));
    CUDA(cudaGetFuncBySymbol(&f, (const void *)multiply));
    CUgraph graph;
    CUgraphNode fill, kernel, packed, copy;
    CUgraphExec exec;
    CU(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS m = {};
    m.dst = (CUdeviceptr)x;
    m.value = 2;
    m.elementSize = 4;
    m.width = N;
    m.height = 1;
    CU(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &m, nullptr));
    void *args[] = {&x, &factor, &term};
    CUDA_KERNEL_NODE_PARAMS k = {};
    k.func = f;
    k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
    k.blockDimX = N;
    k.kernelParams = args;
    CU(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &k));
    struct {
        int *x;
        int factor, term;
    } buffer = {x, 10, 5};
    size_t bytes = sizeof buffer;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    k.kernelParams = nullptr;
    k.extra = extra;
    CU(cuGraphAddKernelNode(&packed, graph, &kernel, 1, &k));
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = (CUdeviceptr)x;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = host;
    c.WidthInBytes = BYTES;
    c.Height = c.Depth = 1;
    CU(cuGraphAddMemcpyNode(&copy, graph, &packed, 1, &c, nullptr));
    CU(cuGraphInstantiate(&exec, graph, 0));
    buffer.factor = 0; // what a node has is its own
    CU(cuGraphLaunch(exec, nullptr));
    CU(cuStreamSynchronize(nullptr));
    CHECK(host[0] == (2 * 3 + 1) * 10 + 5 && host[N - 1] == 75);

    CU(cuGraphKernelNodeGetParams(packed, &k));
    CHECK(k.func == f && !k.kern && k.blockDimX == N && !k.extra && *(int *)k.kernelParams[2] == 5);
    k.kernelParams = args;
    factor = 100;
    CU(cuGraphExecKernelNodeSetParams(exec, packed, &k));
    CU(cuGraphLaunch(exec, nullptr));
    CHECK(host[1] == 701);
    m.value = 1;
    CU(cuGraphExecMemsetNodeSetParams(exec, fill, &m, nullptr));
    CUDA_MEMCPY3D got;
    CU(cuGraphMemcpyNodeGetParams(copy, &got));
    CHECK(got.srcDevice == (CUdeviceptr)x && got.dstHost == host && got.WidthInBytes == BYTES);
    CHECK(got.srcMemoryType == CU_MEMORYTYPE_DEVICE && got.dstMemoryType == CU_MEMORYTYPE_HOST);
    got.dstHost = host + 1;
    got.WidthInBytes = BYTES - 4;
    CU(cuGraphExecMemcpyNodeSetParams(exec, copy, &got, nullptr));
    CU(cuGraphLaunch(exec, nullptr));
    CHECK(host[0] == 701 && host[1] == 401 && host[N - 1] == 401);
    buffer.factor = 1;
    bytes = 4;
    k.kernelParams = nullptr;
    k.extra = extra;
    CHECK(cuGraphExecKernelNodeSetParams(exec, packed, &k) == CUDA_ERROR_INVALID_VALUE);

    // The first forms of calls, of programs that were made with an older toolkit.
    CUresult (*old)(CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *);
    CUdriverProcAddressQueryResult found;
    CU(cuGetProcAddress("cuGraphExecUpdate", (void **)&old, 11080, 0, &found));
    CUgraphNode node;
    CUgraphExecUpdateResult result;
    CU(old(exec, graph, &node, &result));
    CHECK(result == CU_GRAPH_EXEC_UPDATE_SUCCESS && !node);
    CU(cuGraphLaunch(exec, nullptr));
    CHECK(host[0] == 75);
    CU(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
    CHECK(old(exec, graph, &node, &result) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);

    // Edges, in both forms.
    CUresult (*edges)(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
    CU(cuGetProcAddress("cuGraphGetEdges", (void **)&edges, 12000, 0, &found));
    size_t count = 8, later = 8;
    CUgraphNode from[8], to[8];
    CUgraphEdgeData data[8];
    CU(edges(graph, from, to, &count));
    CU(cuGraphGetEdges(graph, from, to, data, &later));
    CHECK(count == 3 && later == 3 && from[2] == packed && to[2] == copy && !data[2].type);
    CU(cuGraphExecDestroy(exec));
    CU(cuGraphDestroy(graph));
    CUDA(cudaFree(x));
    return DONE;
}
