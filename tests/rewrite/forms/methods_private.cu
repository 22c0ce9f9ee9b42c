// A class with private fields.
// in: Shy=soa
#include <cuda_runtime.h>

class Shy {
    float x; //! 'x' is private.*make it public
    int n;

public:
    __device__ void add(float f) {
        x += f;
        n++;
    }
};

__global__ void k(Shy *s) { s[threadIdx.x].add(1); }

int main() {
    Shy *s;
    cudaMalloc(&s, 64 * sizeof(Shy));
    k<<<1, 64>>>(s);
    return cudaFree(s);
}
