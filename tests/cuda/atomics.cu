// expect: ints int = 256 -256 -1 255 0 255 170 170
// expect: wraps uint = 6 3 4 250
// expect: longs ulong = 1125899906842624 255 0
// expect: reals float = 128 96
// expect: wide double = 64
// expect: bins int 16 = 16
// expect: taken int = 1
//
// 4 blocks of 64 threads change the same numbers. atomicInc goes from its bound to 0,
// atomicDec from 0 to its bound.
__global__ void start(int *ints, unsigned *wraps, unsigned long long *longs) {
    ints[2] = 1000;
    ints[3] = ints[4] = -1;
    wraps[1] = 8;
    wraps[2] = 3;
    longs[2] = ~0ull;
}

__device__ float add_by_cas(float *address, float value) {
    int *bits = (int *)address, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_int(__int_as_float(seen) + value));
    } while (old != seen);
    return __int_as_float(old);
}

__global__ void change(int *ints, unsigned *wraps, unsigned long long *longs, float *reals,
                       double *wide, int *bins, int *taken) {
    __shared__ int local[16];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 16)
        local[t] = 0;
    __syncthreads();
    atomicAdd(&ints[0], 1);
    atomicSub(&ints[1], 1);
    atomicMin(&ints[2], i - 1);
    atomicMax(&ints[3], i);
    atomicAnd(&ints[4], i);
    atomicOr(&ints[5], i);
    atomicXor(&ints[6], i == 17 ? 170 : 0);
    atomicExch(&ints[7], 170);
    atomicInc(&wraps[0], 9);          // 256 times through 0 .. 9
    atomicDec(&wraps[1], 250);        // 256 times down from 8, then 250 ..
    atomicInc(&wraps[2], 4);          // 256 times through 0 .. 4, from 3
    if (i == 0)
        atomicDec(&wraps[3], 250);    // from 0
    atomicAdd(&longs[0], 1ull << 42);
    atomicMax(&longs[1], (unsigned long long)i);
    atomicMin(&longs[2], (unsigned long long)i);
    atomicAdd(&reals[0], 0.5f);
    add_by_cas(&reals[1], 0.375f);
    atomicAdd(wide, 0.25);
    atomicAdd_block(&local[i % 16], 1);
    atomicCAS(taken, 0, 1);
    atomicCAS(taken, 0, 2);
    __syncthreads();
    if (t < 16)
        atomicAdd_system(&bins[t], local[t]);
}
