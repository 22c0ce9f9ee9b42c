// Names for fields where they lie, elements moved by bytes, and in containers that are not followed.
// in: T=soa
#include <cuda_runtime.h>

#include <cuda/std/array>
#include <cuda/std/tuple>

struct T {
    int a;
    float b;
};

__global__ void k(T *p, char *raw) {
    int i = threadIdx.x;
    auto &[a, b] = p[i]; //! this names fields of an element of 'T'
    a += 1;
    memcpy(raw, &p[i], 4); //! memcpy moves the bytes
    cuda::std::array<T *, 2> both = {p, p + 1}; //! .
    both[0]->a = 1;
    T *volatile seen = p; //! .
    seen->b = 2;
    int T::*m = &T::a;
    p[i].*m = 3; //! name the field
    new (&p[i]) T{1, 2}; //! .
}

int main() {
    T *p;
    char *raw;
    cudaMalloc(&p, 64 * sizeof(T));
    cudaMalloc(&raw, 64);
    k<<<1, 64>>>(p, raw);
    cudaFree(raw);
    return cudaFree(p);
}
