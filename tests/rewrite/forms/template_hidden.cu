// Templates that say the record by a type of another template, or by an alias.
// in: Pair<int>=soa
#include <cuda_runtime.h>

template <class T> struct Pair {
    T a, b;
};
template <class T> struct Traits {
    typedef Pair<T> record;
};
template <class T> using pair_pointer = Pair<T> *;

template <class T> __global__ void by_trait(typename Traits<T>::record *p) { //! depends on a template's parameter; write 'Pair<int> \*'
    p[threadIdx.x].a = 0;
}
template <class T> __global__ void by_alias(pair_pointer<T> p) { p[threadIdx.x].a = 0; } //! depends on a template's parameter; write 'Pair<int> \*'

int main() {
    Pair<int> *p;
    cudaMalloc(&p, 64 * sizeof(Pair<int>));
    by_trait<int><<<1, 64>>>(p);
    by_alias<int><<<1, 64>>>(p);
    return cudaFree(p);
}
