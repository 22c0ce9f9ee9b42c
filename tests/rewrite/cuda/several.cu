// Several records, kernels and helpers in headers, atomics, pointers that move.
#include "grid.cuh"

__global__ void fill(bucket *buckets, particle *particles, int n) {
    int i = threadIdx.x;
    particle *p = particles + i;
    bucket *b = &buckets[p->cell % 8];
    p->at.x += p->speed.x;
    p->at = make_float2(p->at.x, p->at.y + p->speed.y);
    if (i == 0)
        for (particle *q = particles, *end = particles + n; q != end; ++q)
            insert(&buckets[q->cell % 8], particles, q - particles);
    __syncthreads();
    hit(&b->mass[0]);
    hit(&buckets[i % 8].mass[1]);
}

__device__ const bucket *fuller(const bucket *a, const bucket *b) {
    return a->count >= b->count ? a : b;
}

__global__ void best(const bucket *buckets, int *out) {
    const bucket *found = buckets, *next = buckets + 1;
    const bucket *both[2] = {found, next};
    for (int i = 1; i < 8; i++)
        found = fuller(found, next++);
    out[0] = found - buckets;
    out[1] = (*found).count;
    out[2] = fuller(both[0], both[1])->first;
    const bucket **place = &found;
    *place = buckets + 7;
    out[3] = found->count + (found > buckets) + (*place)[-1].count;
}
