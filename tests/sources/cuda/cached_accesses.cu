// Loads and stores with a hint for the caches are loads and stores.
//: headers both
//: accesses loads: load in 4, load in 4, load in 4, load in 4, store o 4
//: accesses stores: load in 4, store o 4, store o 4, store o 4, store o 4
//: accesses wide: load in 16, store o 16
//: accesses small: load bytes 1, load pairs 4, load reals 8, store o 4
//: run loads 4: 1 4 7 10
__global__ void loads(int *o, const int *in) {
    int i = threadIdx.x;
    o[i] = __ldg(in) + __ldca(in + i) + __ldcg(in + i) + __ldcs(in + i) - __ldlu(in) +
           __ldcv(in + 1);
}
__global__ void stores(int *o, const int *in) {
    int v = in[threadIdx.x];
    __stcs(o, v);
    __stcg(o + 1, v);
    __stwb(o + 2, v);
    __stwt(o + 3, v);
}
__global__ void wide(float4 *o, const float4 *in) {
    __stcs(o + threadIdx.x, __ldcs(in + threadIdx.x));
}
__global__ void small(float *o, const unsigned char *bytes, const short2 *pairs,
                      const double *reals) {
    o[threadIdx.x] = __ldg(bytes) + __ldg(pairs).y + __ldg(reals);
}
