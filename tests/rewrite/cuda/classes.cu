// Classes: what their methods return is read at once, operators that only read.
#include "classes.h"

__device__ float total(const fluid::drop *drops, int n) {
    float sum = 0;
    for (const fluid::drop *d = drops; d != drops + n; d++)
        sum += *d % 2.0f;
    return sum;
}

__global__ void mix(fluid::drop *drops, const fluid::drop *more, float *out, int n) {
    int i = threadIdx.x;
    drops[i].x[0] = drops[i].x[1] = i + 0.5;
    fluid::drop mine = more[i];
    mine.weight += drops[i].at(1) + (drops[i] % 3.0f);
    const fluid::drop::real first = drops[i].at(0);
    drops[i].x[0] = 5;
    out[i] = total(more, n) + first + (more[i] ? 1 : 0);
    drops[i].what = i % 2 ? fluid::drop::oil : fluid::drop::water;
    drops[n + i] = mine;
    if (i == 3)
        drops[i] = fluid::drop(7);
    const fluid::drop &chosen = i % 2 ? drops[i] : more[i];
    if (&chosen == &more[i])
        out[i] += 100;
}
