// A graph that is captured from two streams and replayed, with its argument changed.
#include "check.h"

__global__ void increase(int *x, int value) { x[threadIdx.x] += value; }
__global__ void multiply(int *x, const int *y) { x[threadIdx.x] *= y[threadIdx.x]; }

int main() {
    const int n = 64, bytes = n * sizeof(int);
    int *x, *y, host[n];
    cudaStream_t a, b;
    cudaEvent_t parted, met;
    CUDA(cudaMalloc(&x, bytes));
    CUDA(cudaMalloc(&y, bytes));
    CUDA(cudaMemset(y, 0, bytes));
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreate(&b));
    CUDA(cudaEventCreate(&parted));
    CUDA(cudaEventCreate(&met));
    CUDA(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CUDA(cudaMemsetAsync(x, 0, bytes, a));
    CUDA(cudaEventRecord(parted, a));
    CUDA(cudaStreamWaitEvent(b, parted, 0));
    increase<<<1, n, 0, b>>>(y, 1);
    CUDA(cudaEventRecord(met, b));
    increase<<<1, n, 0, a>>>(x, 5);
    CUDA(cudaStreamWaitEvent(a, met, 0));
    multiply<<<1, n, 0, a>>>(x, y);
    CUDA(cudaMemcpyAsync(host, x, bytes, cudaMemcpyDeviceToHost, a));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamEndCapture(a, &graph));
    size_t count;
    CUDA(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK(count == 5);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 1; round <= 3; round++) {
        CUDA(cudaGraphLaunch(exec, a));
        CUDA(cudaStreamSynchronize(a));
        for (int i = 0; i < n; i++)
            CHECK(host[i] == 5 * round);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    return DONE;
}
