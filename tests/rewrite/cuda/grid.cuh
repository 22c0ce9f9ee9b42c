// A device function over two records, and a macro.
#ifndef GRID_CUH
#define GRID_CUH
#include "particle.h"
struct bucket {
    int count, first;
    float mass[2];
};
#define NEXT(i) particles[i].next

__device__ inline int insert(bucket *b, particle *particles, int i) {
    int old = atomicExch(&b->first, i);
    NEXT(i) = old;
    atomicAdd(&b->count, 1);
    return NEXT(i);
}

__device__ inline void hit(float *value) { atomicAdd(value, 1.0f); }
#endif
