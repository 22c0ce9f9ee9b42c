// A template that is given the record here and another type there.
// in: Star=soa
#include <cuda_runtime.h>

struct Star {
    float x, y;
};
struct Moon {
    float x;
};

template <class S> __device__ void pull(S *p, float by) { p->x += by; }

template <class S> __global__ void move(S *p, int n) {
    if (threadIdx.x < n)
        p[threadIdx.x].x += 1;
}

__global__ void both(Star *stars, Moon *moons) {
    pull(stars + threadIdx.x, 1);
    pull(moons + threadIdx.x, 1); //! the template 'pull' is given laid-out records 'Star' elsewhere
}

int main() {
    Star *stars;
    Moon *moons;
    cudaMalloc(&stars, 64 * sizeof(Star));
    cudaMalloc(&moons, 64 * sizeof(Moon));
    move<<<1, 64>>>(stars, 64);
    move<<<1, 64>>>(moons, 64); //! the template 'move' points to 'Star'
    both<<<1, 64>>>(stars, moons);
    cudaFree(moons);
    return cudaFree(stars);
}
