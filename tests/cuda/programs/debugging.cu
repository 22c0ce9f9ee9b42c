// Built without optimisation, for a debugger: everything lies in local memory.
// options: -G
#include "check.h"

struct point {
    float x, y;
    int tag[3];
};

__device__ point turn(point p, int quarters) {
    for (int i = 0; i < quarters; i++) {
        float x = p.x;
        p.x = -p.y;
        p.y = x;
        p.tag[i % 3]++;
    }
    return p;
}

__global__ void turn_all(point *points, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        points[i] = turn(points[i], i % 5);
}

int main() {
    const int n = 70;
    point host[n], *points;
    for (int i = 0; i < n; i++)
        host[i] = {(float)i, 1, {0, 0, 0}};
    CUDA(cudaMalloc(&points, sizeof host));
    CUDA(cudaMemcpy(points, host, sizeof host, cudaMemcpyHostToDevice));
    turn_all<<<3, 32>>>(points, n);
    CUDA(cudaMemcpy(host, points, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        const float xs[] = {(float)i, -1, (float)-i, 1}, ys[] = {1, (float)i, -1, (float)-i};
        CHECK(host[i].x == xs[i % 5 % 4] && host[i].y == ys[i % 5 % 4]);
        CHECK(host[i].tag[0] + host[i].tag[1] + host[i].tag[2] == i % 5);
    }
    return DONE;
}
