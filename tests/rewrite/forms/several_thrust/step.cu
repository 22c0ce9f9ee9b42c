#include "particle.h"

namespace sim {
__global__ void move(Particle *p, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].v;
        p[i].id++;
    }
}

void step(Particle *p, size_t n) { move<<<(n + 63) / 64, 64>>>(p, n); }
} // namespace sim
