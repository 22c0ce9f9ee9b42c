// Names for fields where they lie, elements made or moved by bytes, pointers in containers.
// in: T=soa
#include <cuda_runtime.h>

#include <cuda/std/array>

struct T {
    int a;
    float b;
};

__global__ void k(T *p, char *raw) {
    int i = threadIdx.x;
    auto &[a, b] = p[i]; //! this names fields of an element of 'T'.*'auto \[...\]'
    a += 1;
    memcpy(raw, &p[i], 4); //! memcpy moves the bytes.*copy them in a loop
    cuda::std::array<T *, 2> both = {p, p + 1}; //! the pointer 'p' to 'T' is stored in a variable of another type
    both[0]->a = 1;
    int T::*m = &T::a;
    p[i].*m = 3; //! name the field
    new (&p[i]) T{1, 2}; //! the address of an element of 'p' is stored or passed on
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
