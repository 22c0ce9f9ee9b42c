// Launches by other calls than <<< >>>: with attributes, cooperative, by pointers to arguments.
#include "check.h"

__global__ void mark(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }

int main() {
    const int n = 128;
    int *x, host[n], value = 1;
    CUDA(cudaMalloc(&x, sizeof host));
    void *args[] = {&x, &value};
    auto check = [&] {
        CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            CHECK(host[i] == value);
        value++;
    };
    CUDA(cudaLaunchKernel((const void *)mark, dim3(4), dim3(32), args, 0, 0));
    check();
    CUDA(cudaLaunchCooperativeKernel((const void *)mark, dim3(2), dim3(64), args, 0, 0));
    check();
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    config.gridDim = 1;
    config.blockDim = 128;
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = 0;
    config.attrs = attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, mark, x, value));
    check();
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    CHECK(cudaLaunchKernelEx(&config, mark, x, value) == cudaErrorInvalidClusterSize);
    CHECK(cudaLaunchCooperativeKernel((const void *)mark, dim3(100000), dim3(1024), args, 0, 0) ==
          cudaErrorCooperativeLaunchTooLarge);
    return DONE;
}
