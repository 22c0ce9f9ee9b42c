// What templates may be that is not followed: special versions, members that are templates' own types.
// in: Pair<int>=soa
#include <cuda_runtime.h>

template <class T> struct Pair {
    T a, b;
};
template <class T> struct Traits {
    typedef Pair<T> record;
};

template <class R> __global__ void zero(R *p) { p[threadIdx.x].a = 0; }
template <> __global__ void zero<Pair<int>>(Pair<int> *p) { p[threadIdx.x].b = 1; } //! .

template <class T> __global__ void by_trait(typename Traits<T>::record *p) { p[threadIdx.x].a = 0; }

int main() {
    Pair<int> *p;
    Pair<float> *q;
    cudaMalloc(&p, 64 * sizeof(Pair<int>));
    cudaMalloc(&q, 64 * sizeof(Pair<float>));
    zero<<<1, 64>>>(p);
    by_trait<int><<<1, 64>>>(p);
    by_trait<float><<<1, 64>>>(q);
    cudaFree(q);
    return cudaFree(p);
}
