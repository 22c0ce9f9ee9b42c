// Memory that graphs allocate and free: nodes built by hand, captured ones, and what outlives a graph.
#include "check.h"

__global__ void fill(int *x, int n, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = first + i;
}

__global__ void sum(const int *x, int n, int *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total, x[i]);
}

static bool is_there(const void *address) {
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, address));
    return attributes.type == cudaMemoryTypeDevice;
}

static const int n = 1000;

static void run(cudaGraph_t graph, int *total, int launches) {
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph)); // the executable graph keeps the memory
    *total = 0;
    for (int i = 0; i < launches; i++)
        CUDA(cudaGraphLaunch(exec, nullptr));
    CUDA(cudaDeviceSynchronize());
    CHECK(*total == launches * (n * (n - 1) / 2 + 5 * n));
    CUDA(cudaGraphExecDestroy(exec));
}

int main() {
    int *total;
    CUDA(cudaMallocManaged(&total, sizeof *total));

    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = n * sizeof(int);
    cudaGraph_t graph;
    cudaGraphNode_t made, filled, summed, freed;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &memory));
    int *x = (int *)memory.dptr, first = 5, count = n;
    unsigned long long used, most, zero = 0;
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used == n * sizeof(int));
    void *fill_args[] = {&x, &count, &first}, *sum_args[] = {&x, &count, &total};
    cudaKernelNodeParams kernel = {};
    kernel.gridDim = 4;
    kernel.blockDim = 256;
    kernel.func = (void *)fill;
    kernel.kernelParams = fill_args;
    CUDA(cudaGraphAddKernelNode(&filled, graph, &made, 1, &kernel));
    kernel.func = (void *)sum;
    kernel.kernelParams = sum_args;
    CUDA(cudaGraphAddKernelNode(&summed, graph, &filled, 1, &kernel));
    CUDA(cudaGraphAddMemFreeNode(&freed, graph, &summed, 1, x));
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(made, &type));
    CHECK(type == cudaGraphNodeTypeMemAlloc);
    CUDA(cudaGraphNodeGetType(freed, &type));
    CHECK(type == cudaGraphNodeTypeMemFree);
    run(graph, total, 2);
    CHECK(!is_there(x));

    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync(&x, n * sizeof(int), stream));
    fill<<<4, 256, 0, stream>>>(x, n, 5);
    sum<<<4, 256, 0, stream>>>(x, n, total);
    CUDA(cudaFreeAsync(x, stream));
    CUDA(cudaStreamEndCapture(stream, &graph));
    run(graph, total, 3);
    CHECK(!is_there(x));

    // Not freed in the graph: the program has it afterwards.
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync(&x, n * sizeof(int), stream));
    fill<<<4, 256, 0, stream>>>(x, n, 5);
    sum<<<4, 256, 0, stream>>>(x, n, total);
    CUDA(cudaStreamEndCapture(stream, &graph));
    run(graph, total, 1);
    int last;
    CUDA(cudaMemcpy(&last, x + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    CHECK(last == n - 1 + 5 && is_there(x));
    CUDA(cudaFreeAsync(x, stream));
    CHECK(!is_there(x));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaDeviceGraphMemTrim(0));
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most));
    CHECK(used == 0 && most >= n * sizeof(int));
    CUDA(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most));
    CHECK(most == 0);
    FAILS(cudaErrorInvalidValue,
          cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
    FAILS(cudaErrorInvalidDevice,
          cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemHigh, &most));
    return DONE;
}
