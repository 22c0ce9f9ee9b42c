// Templates that go on with themselves, packs of parameters, and if constexpr.
//: headers both
//: options -std=c++17
//: run k 4: 3 8 15 24
template <int N> struct power {
    static __device__ int of(int x) { return x * power<N - 1>::of(x); }
};
template <> struct power<0> {
    static __device__ int of(int) { return 1; }
};
template <class... T> __device__ int sum(T... v) { return (v + ...); }
template <class T> __device__ int kind() {
    if constexpr (sizeof(T) == 8)
        return 8;
    else
        return 2;
}
__global__ void k(int *o) {
    int i = threadIdx.x;
    o[i] = power<2>::of(i + 2) + sum(i, 1, 2) - i - kind<float>() - kind<double>() / 4;
    o[i] += 0 * sizeof(int);
}
