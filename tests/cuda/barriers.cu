// expect: counts int = 24 0 1 1 1 0 0 48 1 1
//
// The barriers that also count, in a block of 48 threads: half of a warp is missing. A
// number that is not 0 counts as true, whatever it is.
__global__ void count(int *out) {
    int t = threadIdx.x;
    int even = __syncthreads_count(t % 2 == 0);
    int all_even = __syncthreads_and(t % 2 == 0);
    int any_47 = __syncthreads_or(t == 47);
    int all = __syncthreads_and(t + 1);
    int minus = __syncthreads_or(t == 5 ? -8 : 0);
    int none = __syncthreads_or(t > 47);
    int zero = __syncthreads_count(0);
    int many = __syncthreads_count(4 << t % 8);
    __shared__ int flags[48];
    flags[t] = t;
    __syncthreads();
    int seen = __syncthreads_and(flags[47 - t] == 47 - t);
    if (t == 17) {
        out[0] = even;
        out[1] = all_even;
        out[2] = any_47;
        out[3] = all;
        out[4] = minus;
        out[5] = none;
        out[6] = zero;
        out[7] = many;
        out[8] = seen;
        out[9] = 1;
    }
}
