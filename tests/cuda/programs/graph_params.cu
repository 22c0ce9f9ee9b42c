// The runtime's nodes of graphs: what they are made with, tell, and are changed to, before and after
// the graph is made executable.
// options: -w
#include <algorithm>
#include <vector>

#include "check.h"

const int n = 48;
__device__ int variable[n];

__global__ void add(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void multiply(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] *= value; }

static std::vector<int> calls;
static void call(void *user) { calls.push_back((int)(size_t)user); }

static int *x, host[n], other_host[n];

static bool all(const int *values, int count, int wanted) {
    return std::count(values, values + count, wanted) == count;
}
static void run(cudaGraphExec_t exec) {
    calls.clear();
    CUDA(cudaGraphLaunch(exec, nullptr));
    CUDA(cudaDeviceSynchronize());
}
static cudaMemcpy3DParms copy_of(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr((void *)from, bytes, bytes, 1);
    c.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
    c.extent = make_cudaExtent(bytes, 1, 1);
    c.kind = kind;
    return c;
}

// A fill, a kernel, two copies and a call, one after the other.
static void parameters() {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, kernel, copy, copy_1d, host_call;
    cudaMemsetParams fill_params = {}, fill_got;
    int value = 5;
    void *args[] = {&x, &value};
    cudaKernelNodeParams params = {}, got;
    cudaHostNodeParams call_params = {call, (void *)1}, call_got;
    fill_params.dst = x, fill_params.value = 7, fill_params.elementSize = 4;
    fill_params.width = n, fill_params.height = 1;
    params.func = (void *)add, params.gridDim = 3, params.blockDim = n / 3;
    params.kernelParams = args;
    cudaMemcpy3DParms box = copy_of(host, x, sizeof host, cudaMemcpyDeviceToHost);
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &fill_params));
    CUDA(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &params));
    CUDA(cudaGraphAddMemcpyNode(&copy, graph, &kernel, 1, &box));
    CUDA(cudaGraphAddMemcpyNode1D(&copy_1d, graph, &copy, 1, other_host, x, 40,
                                  cudaMemcpyDeviceToHost));
    CUDA(cudaGraphAddHostNode(&host_call, graph, &copy_1d, 1, &call_params));
    FAILS(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&copy, graph, nullptr, 0, nullptr));
    // What they tell: the kernel's arguments are its own.
    value = 1000;
    CUDA(cudaGraphKernelNodeGetParams(kernel, &got));
    CHECK(got.func == (void *)add && got.gridDim.x == 3 && got.blockDim.x == n / 3);
    CHECK(got.sharedMemBytes == 0 && got.kernelParams != args && !got.extra);
    CHECK(*(int **)got.kernelParams[0] == x && *(int *)got.kernelParams[1] == 5);
    FAILS(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(fill, &got));
    FAILS(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(kernel, nullptr));
    CUDA(cudaGraphMemsetNodeGetParams(fill, &fill_got));
    CHECK(fill_got.dst == x && fill_got.value == 7 && fill_got.elementSize == 4);
    CHECK(fill_got.width == n && fill_got.height == 1);
    FAILS(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(kernel, &fill_got));
    CUDA(cudaGraphHostNodeGetParams(host_call, &call_got));
    CHECK(call_got.fn == call && call_got.userData == (void *)1);
    FAILS(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(kernel, &call_got));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    run(exec);
    CHECK(all(host, n, 12) && all(other_host, 10, 12) && !other_host[10]);
    CHECK(calls == std::vector<int>({1}));

    // Changed where they are executable, which changes no node of the graph.
    value = 3;
    params.func = (void *)multiply;
    CUDA(cudaGraphExecKernelNodeSetParams(exec, kernel, &params));
    fill_params.value = 20;
    CUDA(cudaGraphExecMemsetNodeSetParams(exec, fill, &fill_params));
    box = copy_of(other_host, x, sizeof host, cudaMemcpyDeviceToHost);
    CUDA(cudaGraphExecMemcpyNodeSetParams(exec, copy, &box));
    CUDA(cudaGraphExecMemcpyNodeSetParams1D(exec, copy_1d, host, x + 1, 8, cudaMemcpyDeviceToHost));
    call_params.userData = (void *)2;
    CUDA(cudaGraphExecHostNodeSetParams(exec, host_call, &call_params));
    FAILS(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, kernel, &fill_params));
    FAILS(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, copy, nullptr));
    FAILS(cudaErrorInvalidValue, cudaGraphExecHostNodeSetParams(exec, copy, &call_params));
    FAILS(cudaErrorInvalidValue,
          cudaGraphExecMemcpyNodeSetParams1D(exec, fill, host, x, 8, cudaMemcpyDeviceToHost));
    std::fill(host, host + n, 0);
    std::fill(other_host, other_host + n, 0);
    run(exec);
    CHECK(all(other_host, n, 60) && host[0] == 60 && host[1] == 60 && !host[2]);
    CHECK(calls == std::vector<int>({2}));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphKernelNodeGetParams(kernel, &got));
    CHECK(got.func == (void *)add);

    // Changed in the graph.
    CUDA(cudaGraphKernelNodeSetParams(kernel, &params));
    fill_params.value = 4;
    CUDA(cudaGraphMemsetNodeSetParams(fill, &fill_params));
    box = copy_of(host, x, sizeof host, cudaMemcpyDeviceToHost);
    CUDA(cudaGraphMemcpyNodeSetParams(copy, &box));
    CUDA(cudaGraphMemcpyNodeSetParams1D(copy_1d, other_host, x, sizeof host,
                                        cudaMemcpyDeviceToHost));
    call_params.userData = (void *)3;
    CUDA(cudaGraphHostNodeSetParams(host_call, &call_params));
    FAILS(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(fill, &params));
    FAILS(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(fill, nullptr));
    FAILS(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams(host_call, &box));
    FAILS(cudaErrorInvalidValue,
          cudaGraphMemcpyNodeSetParams1D(host_call, host, x, 4, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(host_call, nullptr));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    run(exec);
    CHECK(all(host, n, 12) && all(other_host, n, 12) && calls == std::vector<int>({3}));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

// Copies to a variable and from it, graphs in graphs, events, edges, and what instantiating tells.
static void structure() {
    cudaGraph_t graph, child, inside;
    cudaGraphNode_t to, in, from, record, wait, got[4], node;
    cudaGraphEdgeData edges[4];
    cudaGraphExec_t exec;
    cudaEvent_t event, start;
    size_t count;
    unsigned enabled = 9;
    unsigned long long flags = 9;
    float took = -1;
    int source[n], *address;
    for (int i = 0; i < n; i++)
        source[i] = 10 * i;
    CUDA(cudaGetSymbolAddress((void **)&address, variable));
    CUDA(cudaEventCreate(&event));
    CUDA(cudaEventCreate(&start));
    int value = 1;
    void *args[] = {&address, &value};
    cudaKernelNodeParams params = {};
    params.func = (void *)add, params.gridDim = 1, params.blockDim = n, params.kernelParams = args;
    CUDA(cudaGraphCreate(&child, 0));
    CUDA(cudaGraphAddKernelNode(&node, child, nullptr, 0, &params));
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, variable, source, (n - 8) * 4, 32,
                                        cudaMemcpyHostToDevice));
    CUDA(cudaGraphAddChildGraphNode(&in, graph, &to, 1, child));
    CUDA(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &in, 1, host, variable, sizeof host, 0,
                                          cudaMemcpyDeviceToHost));
    CUDA(cudaGraphAddEventRecordNode(&record, graph, &from, 1, event));
    CUDA(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    FAILS(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, variable, source, sizeof host, 4,
                                         cudaMemcpyHostToDevice)); // behind its end
    FAILS(cudaErrorInvalidSymbol,
          cudaGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host, &source, 4, 0,
                                           cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr));
    FAILS(cudaErrorInvalidValue, cudaGraphAddEventWaitNode(&node, graph, nullptr, 0, nullptr));
    // The node's own graph, in which a change is a change of the node.
    CUDA(cudaGraphChildGraphNodeGetGraph(in, &inside));
    FAILS(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(to, &inside));
    count = 1;
    CUDA(cudaGraphGetRootNodes(inside, &node, &count));
    CHECK(count == 1);
    value = 2;
    CUDA(cudaGraphKernelNodeSetParams(node, &params));
    CUDA(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    CUDA(cudaGraphExecGetFlags(exec, &flags));
    CHECK(flags == cudaGraphInstantiateFlagUseNodePriority);
    FAILS(cudaErrorInvalidValue, cudaGraphExecGetFlags(exec, nullptr));
    CUDA(cudaGraphUpload(exec, nullptr));
    FAILS(cudaErrorInvalidValue, cudaGraphUpload(nullptr, nullptr));
    CUDA(cudaMemset(address, 0, sizeof host));
    CUDA(cudaEventRecord(start, nullptr));
    run(exec);
    for (int i = 0; i < n; i++)
        CHECK(host[i] == 2 + (i < 8 ? 0 : 10 * (i - 8)));
    CUDA(cudaEventElapsedTime(&took, start, event));
    CHECK(took >= 0);
    CUDA(cudaGraphNodeGetEnabled(exec, to, &enabled));
    CHECK(enabled == 1);
    CUDA(cudaGraphNodeSetEnabled(exec, to, 0));
    CUDA(cudaGraphNodeGetEnabled(exec, to, &enabled));
    CHECK(enabled == 0);
    FAILS(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, in, 0)); // no copy, fill or kernel
    run(exec);
    CHECK(host[0] == 4 && host[n - 1] == 4 + 10 * (n - 9)); // added to once more
    CUDA(cudaGraphExecDestroy(exec));
    // Edges.
    count = 4;
    edges[0].type = 7;
    CUDA(cudaGraphNodeGetDependencies(from, got, edges, &count));
    CHECK(count == 1 && got[0] == in && !got[1] && edges[0].type == 0);
    count = 4;
    edges[0].from_port = 7;
    CUDA(cudaGraphNodeGetDependentNodes(to, got, edges, &count));
    CHECK(count == 1 && got[0] == in && edges[0].from_port == 0);
    FAILS(cudaErrorInvalidValue, cudaGraphNodeGetDependentNodes(to, nullptr, edges, &count));
    FAILS(cudaErrorInvalidValue, cudaGraphNodeGetDependencies(nullptr, got, edges, &count));
    CUDA(cudaGraphRemoveDependencies(graph, &record, &wait, nullptr, 1));
    FAILS(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, &record, &wait, nullptr, 1));
    CUDA(cudaGraphNodeGetDependencies(wait, nullptr, nullptr, &count));
    CHECK(count == 0);
    CUDA(cudaGraphDestroyNode(wait));
    FAILS(cudaErrorInvalidValue, cudaGraphDestroyNode(wait));
    CUDA(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK(count == 4);
    cudaGraphInstantiateParams told = {};
    CUDA(cudaGraphInstantiateWithParams(&exec, graph, &told));
    CHECK(told.result_out == cudaGraphInstantiateSuccess && !told.errNode_out);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(
        cudaGraphAddDependencies(graph, &from, &to, nullptr, 1)); // a circle, with record behind it
    FAILS(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &told));
    CHECK(told.result_out == cudaGraphInstantiateInvalidStructure);
    CHECK(told.errNode_out == to || told.errNode_out == in || told.errNode_out == from);
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphDestroy(child));
    // Memory of a graph.
    cudaMemAllocNodeParams memory = {}, memory_got;
    void *freed = nullptr;
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
    memory.bytesize = 100;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemAllocNode(&in, graph, nullptr, 0, &memory));
    CUDA(cudaGraphAddMemFreeNode(&from, graph, &in, 1, memory.dptr));
    CUDA(cudaGraphMemAllocNodeGetParams(in, &memory_got));
    CHECK(memory_got.dptr == memory.dptr && memory_got.bytesize == 100);
    CHECK(memory_got.poolProps.location.type == cudaMemLocationTypeDevice);
    CUDA(cudaGraphMemFreeNodeGetParams(from, &freed));
    CHECK(freed == memory.dptr);
    FAILS(cudaErrorInvalidValue, cudaGraphMemAllocNodeGetParams(from, &memory_got));
    FAILS(cudaErrorInvalidValue, cudaGraphMemFreeNodeGetParams(in, &freed));
    CUDA(cudaGraphDestroy(graph));
}

int main() {
    CUDA(cudaMalloc(&x, sizeof host));
    parameters();
    structure();
    CUDA(cudaFree(x));
    return DONE;
}
