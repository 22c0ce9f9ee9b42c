// Bodies that attract each other, in tiles of shared memory: sums of forces, and of momenta.
// rounds
#include <cmath>

#include "check.h"

__global__ void step(const float4 *from, float4 *to, float4 *speed, int n, float time) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = from[i], force = {0, 0, 0, 0};
    for (int t = 0; t < n; t += blockDim.x) {
        tile[threadIdx.x] = from[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float x = tile[k].x - own.x, y = tile[k].y - own.y, z = tile[k].z - own.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
            float pull = tile[k].w * inverse * inverse * inverse;
            force.x += pull * x, force.y += pull * y, force.z += pull * z;
        }
        __syncthreads();
    }
    float4 v = speed[i];
    v.x += time * force.x, v.y += time * force.y, v.z += time * force.z;
    speed[i] = v;
    to[i] = make_float4(own.x + time * v.x, own.y + time * v.y, own.z + time * v.z, own.w);
}

int main() {
    const int n = 256, size = 64;
    static float4 bodies[n], speeds[n];
    float4 *a, *b, *v;
    for (int i = 0; i < n; i++)
        bodies[i] = make_float4(i % 8, i / 8 % 8, i / 64, 1 + i % 3);
    CUDA(cudaMalloc(&a, sizeof bodies));
    CUDA(cudaMalloc(&b, sizeof bodies));
    CUDA(cudaMalloc(&v, sizeof speeds));
    CUDA(cudaMemcpy(a, bodies, sizeof bodies, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(v, 0, sizeof speeds));
    step<<<n / size, size, size * sizeof(float4)>>>(a, b, v, n, 0.01f);
    step<<<n / size, size, size * sizeof(float4)>>>(b, a, v, n, 0.01f);
    CUDA(cudaMemcpy(speeds, v, sizeof speeds, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(bodies, a, sizeof bodies, cudaMemcpyDeviceToHost));
    double momentum[3] = {}, size_of_it = 0;
    for (int i = 0; i < n; i++) {
        momentum[0] += bodies[i].w * speeds[i].x;
        momentum[1] += bodies[i].w * speeds[i].y;
        momentum[2] += bodies[i].w * speeds[i].z;
        size_of_it += bodies[i].w * std::fabs(speeds[i].x);
    }
    CHECK(size_of_it > 1);
    for (double sum : momentum)
        CHECK(std::fabs(sum) < 1e-4 * size_of_it);
    return DONE;
}
