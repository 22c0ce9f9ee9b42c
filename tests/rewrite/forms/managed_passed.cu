// Managed memory that the host's code hands to what is not seen, or walks in the ways of C++.
// in: Rec=soa
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

struct Rec {
    int key;
    float value;
};

static int by_key(const void *a, const void *b) { return ((const Rec *)a)->key - ((const Rec *)b)->key; }

__global__ void k(Rec *r) { r[threadIdx.x].value += 1; }

int main() {
    Rec *r;
    cudaMallocManaged(&r, 64 * sizeof(Rec));
    qsort(r, 64, sizeof(Rec), by_key); //! goes to 'qsort'
    std::fill(r, r + 64, Rec{1, 2}); //! goes to 'fill'
    std::vector<Rec> copy(r, r + 64); //! goes to 'vector'
    fwrite(r, sizeof(Rec), 64, stdout); //! goes to 'fwrite'
    k<<<1, 64>>>(r);
    cudaDeviceSynchronize();
    return cudaFree(r);
}
