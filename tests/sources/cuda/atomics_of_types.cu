// Atomics of each type, and loops of compare-and-swap.
//: headers both
//: run k 4: 6 1 -1 3
//: run limits 4: 0 2 3 3
//: run doubles 4: 6 1 2 3
//: run by_swap 4: 7 1 2 3
__global__ void k(int *o) {
    __shared__ int low, high, bits;
    __shared__ unsigned turn;
    int i = threadIdx.x;
    if (i == 0) {
        low = 5;
        high = -5;
        bits = 0;
        turn = 0;
        o[0] = 0;
    }
    __syncthreads();
    atomicAdd(o, i);
    atomicMin(&low, i - 1);
    atomicMax(&high, i);
    atomicOr(&bits, 1 << i);
    atomicXor(&bits, 16);
    atomicInc(&turn, 2);
    __syncthreads();
    if (i)
        o[i] = i == 1 ? (int)turn : i == 2 ? low : high + bits - 15;
}
__global__ void limits(unsigned *o) {
    unsigned i = threadIdx.x;
    if (i == 1)
        atomicMax(o + 1, 2u);
    if (i == 2)
        atomicExch(o + 2, 3u);
    if (i == 0)
        atomicDec(o, 9u), atomicMin(o, 0u), atomicAnd(o + 3, 3u), atomicSub(o + 1, 0u);
}
__global__ void doubles(double *o) {
    if (threadIdx.x)
        atomicAdd(o, (double)threadIdx.x);
}
__device__ float add(float *to, float v) {
    int *bits = (int *)to, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_int(v + __int_as_float(seen)));
    } while (old != seen);
    return __int_as_float(old);
}
__global__ void by_swap(float *o) {
    add(o, threadIdx.x ? threadIdx.x : 1);
}
