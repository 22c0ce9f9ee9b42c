// Gravity between all pairs of bodies, with tiles of float4 in shared memory.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

template <int tile>
__global__ void accelerate(const float4 *bodies, float4 *velocities, int count, float step,
                           float softening) {
    __shared__ float4 others[tile];
    int i = blockIdx.x * tile + threadIdx.x;
    float4 own = bodies[min(i, count - 1)];
    float3 sum = make_float3(0, 0, 0);
    for (int from = 0; from < count; from += tile) {
        int j = from + threadIdx.x;
        others[threadIdx.x] = j < count ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < tile; k++) {
            float4 other = others[k];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = other.w * inverse * inverse * inverse;
            sum.x += pull * dx;
            sum.y += pull * dy;
            sum.z += pull * dz;
        }
        __syncthreads();
    }
    if (i < count) {
        velocities[i].x += step * sum.x;
        velocities[i].y += step * sum.y;
        velocities[i].z += step * sum.z;
    }
}

__global__ void move(float4 *bodies, const float4 *velocities, int count, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 body = bodies[i], velocity = velocities[i];
    body.x += step * velocity.x;
    body.y += step * velocity.y;
    body.z += step * velocity.z;
    bodies[i] = body;
}

int main(int argc, char **argv) {
    const int threads = 128;
    int count = input_argument(argc, argv, 1, 8192);
    int steps = input_argument(argc, argv, 2, 8);
    int blocks = (count + threads - 1) / threads;
    size_t bytes = count * sizeof(float4);
    float4 *bodies = (float4 *)malloc(bytes), *d_bodies, *d_velocities;
    for (int i = 0; i < count; i++)
        bodies[i] = make_float4(input_between(100, i, -1, 1), input_between(101, i, -1, 1),
                                input_between(102, i, -1, 1), input_between(103, i, 0.5f, 1.5f));
    CHECK(cudaMalloc(&d_bodies, bytes));
    CHECK(cudaMalloc(&d_velocities, bytes));
    CHECK(cudaMemset(d_velocities, 0, bytes));
    CHECK(cudaMemcpy(d_bodies, bodies, bytes, cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        accelerate<threads><<<blocks, threads>>>(d_bodies, d_velocities, count, 1e-4f, 0.01f);
        move<<<blocks, threads>>>(d_bodies, d_velocities, count, 1e-4f);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bodies, d_bodies, bytes, cudaMemcpyDeviceToHost));
    printf("places %.5e", sum_of_floats(&bodies[0].x, 4 * (size_t)count));
    CHECK(cudaMemcpy(bodies, d_velocities, bytes, cudaMemcpyDeviceToHost));
    printf(", velocities %.5e\n", sum_of_floats(&bodies[0].x, 4 * (size_t)count));
    CHECK(cudaFree(d_bodies));
    CHECK(cudaFree(d_velocities));
    free(bodies);
    return 0;
}
