// K-means over records of features: the nearest centre of each, from constant memory, and sums for
// new centres with atomics in shared memory.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "inputs.h"

enum { FEATURES = 8, CENTRES = 16, THREADS = 256 };

struct Point {
    float features[FEATURES];
    float distance;
    int centre;
};

__constant__ float centres[CENTRES][FEATURES];

__global__ void assign(Point *points, int count, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float own[FEATURES], least = INFINITY;
    int nearest = 0;
#pragma unroll
    for (int f = 0; f < FEATURES; f++)
        own[f] = points[i].features[f];
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
#pragma unroll
        for (int f = 0; f < FEATURES; f++)
            distance += (own[f] - centres[c][f]) * (own[f] - centres[c][f]);
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    if (points[i].centre != nearest)
        atomicAdd(changed, 1);
    points[i].centre = nearest;
    points[i].distance = least;
}

__global__ void sum_up(const Point *points, int count, float *sums, int *sizes) {
    __shared__ float own_sums[CENTRES * FEATURES];
    __shared__ int own_sizes[CENTRES];
    for (int k = threadIdx.x; k < CENTRES * FEATURES; k += blockDim.x)
        own_sums[k] = 0;
    if (threadIdx.x < CENTRES)
        own_sizes[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int centre = points[i].centre;
        for (int f = 0; f < FEATURES; f++)
            atomicAdd(&own_sums[centre * FEATURES + f], points[i].features[f]);
        atomicAdd(&own_sizes[centre], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < CENTRES * FEATURES; k += blockDim.x)
        atomicAdd(&sums[k], own_sums[k]);
    if (threadIdx.x < CENTRES)
        atomicAdd(&sizes[threadIdx.x], own_sizes[threadIdx.x]);
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 19);
    int times = input_argument(argc, argv, 2, 125);
    Point *points = (Point *)malloc(count * sizeof(Point)), *d_points;
    for (int i = 0; i < count; i++) {
        for (int f = 0; f < FEATURES; f++)
            points[i].features[f] = input_unit(120, i * FEATURES + f) + (i * (f + 3) / 7 % 5);
        points[i].centre = -1;
    }
    float own[CENTRES][FEATURES], *d_sums;
    for (int c = 0; c < CENTRES; c++)
        for (int f = 0; f < FEATURES; f++)
            own[c][f] = points[c * 37 % count].features[f];
    int sizes[CENTRES], changed, *d_sizes, *d_changed;
    double moves = 0;
    CHECK(cudaMalloc(&d_points, count * sizeof(Point)));
    CHECK(cudaMalloc(&d_sums, sizeof own));
    CHECK(cudaMalloc(&d_sizes, sizeof sizes));
    CHECK(cudaMalloc(&d_changed, sizeof(int)));
    CHECK(cudaMemcpy(d_points, points, count * sizeof(Point), cudaMemcpyHostToDevice));
    for (int t = 0; t < times; t++) {
        CHECK(cudaMemcpyToSymbol(centres, own, sizeof own));
        CHECK(cudaMemset(d_changed, 0, sizeof(int)));
        CHECK(cudaMemset(d_sums, 0, sizeof own));
        CHECK(cudaMemset(d_sizes, 0, sizeof sizes));
        assign<<<(count + THREADS - 1) / THREADS, THREADS>>>(d_points, count, d_changed);
        sum_up<<<128, THREADS>>>(d_points, count, d_sums, d_sizes);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(own, d_sums, sizeof own, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(sizes, d_sizes, sizeof sizes, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&changed, d_changed, sizeof changed, cudaMemcpyDeviceToHost));
        for (int c = 0; c < CENTRES; c++)
            for (int f = 0; f < FEATURES; f++)
                own[c][f] /= sizes[c] ? sizes[c] : 1;
        moves += changed;
    }
    CHECK(cudaMemcpy(points, d_points, count * sizeof(Point), cudaMemcpyDeviceToHost));
    double distance = 0;
    for (int i = 0; i < count; i++)
        distance += points[i].distance;
    printf("distance %.5e, centres %.5e, more than %d moved: %d\n", distance,
           sum_of_floats(own[0], CENTRES * FEATURES), count, moves > count);
    CHECK(cudaFree(d_points));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_sizes));
    CHECK(cudaFree(d_changed));
    free(points);
    return 0;
}
