#include "particle.h"

static __device__ inline void kick(particle *p, double dt) {
#pragma unroll
    for (int d = 0; d < 3; d++)
        p->x[d] += dt * p->charge * (d + 1);
}

static __global__ void push(particle *p, int n, double dt) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n)
        return;
    kick(p + i, dt);
    if (p[i].type == 2)
        p[i].charge = -p[i].charge;
}
