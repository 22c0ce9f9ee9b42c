// Classes with private fields, virtual functions, bases, and a destructor.
// in: Shy=soa; Child=soa
#include <cuda_runtime.h>

class Shy {
    float x;
    int n;

public:
    __device__ void add(float f) {
        x += f;
        n++;
    }
    __device__ float get() const { return x; }
};

struct Base {
    int id;
};
struct Child : Base {
    float x;
};

__global__ void k(Shy *s, Child *c) {
    s[threadIdx.x].add(1);
    c[threadIdx.x].id = 1;
}

int main() {
    Shy *s;
    Child *c;
    cudaMalloc(&s, 64 * sizeof(Shy));
    cudaMalloc(&c, 64 * sizeof(Child));
    k<<<1, 64>>>(s, c);
    cudaFree(c);
    return cudaFree(s);
}
