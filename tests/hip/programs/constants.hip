// Tables in constant memory, which the host fills by their symbol.
#include "check.h"

struct voxel {
    short label, flags;
    float value;
};

__constant__ float weights[8];

__global__ void smooth(const voxel *in, voxel *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 || i + 4 >= n)
        return;
    float sum = 0;
    for (int k = -4; k < 4; k++)
        sum += weights[k + 4] * in[i + k].value;
    out[i].value = sum;
    out[i].label = in[i].label;
}

int main() {
    const int n = 4096;
    float host_weights[8];
    voxel *host = new voxel[n], *in, *out;
    for (int k = 0; k < 8; k++)
        host_weights[k] = 0.125f;
    for (int i = 0; i < n; i++)
        host[i] = {(short)(i % 5), 0, (float)i};
    HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), host_weights, sizeof host_weights));
    HIP_CHECK(hipMalloc(&in, n * sizeof(voxel)));
    HIP_CHECK(hipMalloc(&out, n * sizeof(voxel)));
    HIP_CHECK(hipMemcpy(in, host, n * sizeof(voxel), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(out, 0, n * sizeof(voxel)));
    hipLaunchKernelGGL(smooth, dim3(n / 128), dim3(128), 0, 0, in, out, n);
    HIP_CHECK(hipMemcpy(host, out, n * sizeof(voxel), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));
    delete[] host;
}
