// A graph that is built node by node, with its parameters changed before and after.
#include "check.h"

__global__ void add(int *x, int value) { x[threadIdx.x] += value; }

static void count(void *user) { ++*(int *)user; }

int main() {
    const int n = 32, bytes = n * sizeof(int);
    int *x, host[n], calls = 0, value = 5;
    CUDA(cudaMalloc(&x, bytes));
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, copy, call, all[8];
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill_params = {};
    fill_params.dst = x;
    fill_params.value = 7;
    fill_params.elementSize = 4;
    fill_params.width = n;
    fill_params.height = 1;
    CUDA(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &fill_params));
    void *args[] = {&x, &value};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = 1;
    params.blockDim = n;
    params.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &params));
    CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, x, bytes, cudaMemcpyDeviceToHost));
    cudaHostNodeParams host_params = {count, &calls};
    CUDA(cudaGraphAddHostNode(&call, graph, &copy, 1, &host_params));
    size_t nodes = 8;
    CUDA(cudaGraphGetNodes(graph, all, &nodes));
    CHECK(nodes == 4);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    value = 100; // arguments were copied
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(host[0] == 12 && host[n - 1] == 12 && calls == 1);
    CUDA(cudaGraphExecKernelNodeSetParams(exec, kernel, &params));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(host[0] == 107 && calls == 2);
    CUDA(cudaGraphNodeSetEnabled(exec, kernel, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    CHECK(host[0] == 7 && calls == 3);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    return DONE;
}
