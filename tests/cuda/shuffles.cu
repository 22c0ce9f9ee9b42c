// expect: broadcast int 64 = int(i / 32) * 32 + 3
// expect: up int 64 = (i % 8 < 2 ? i : i - 2)
// expect: down float 64 = (i % 32 < 31 ? i + 1 : i) + 0.5
// expect: flipped int 64 = xor(i, 5)
// expect: quarter int 64 = int(i / 8) * 8 + (i + 3) % 8
// expect: wide double 64 = int(i / 32) * 32 + 31 - i % 32 + 0.25
// expect: longs long 64 = (i % 32 < 16 ? i + 16 : i) * 1e12
// expect: sum int 64 = int(i / 32) * 1024 + 496
// expect: far int 64 = (i % 32 < 31 ? i + 1 : i) * 1000 + (i % 32 < 1 ? i : i - 1)
// expect: far_flipped int 64 = xor(i, 3) * 1000 + int(i / 32) * 32 + 31
//
// Values of other threads of a warp, in segments of 32 and 8 threads, in 32 and 64 bits. Of a lane and
// a distance five bits count.
__global__ void shuffle(int *broadcast, int *up, float *down, int *flipped, int *quarter,
                        double *wide, long long *longs, int *sum, int *far,
                        int *far_flipped) {
    const unsigned all = 0xffffffffu;
    int t = threadIdx.x;
    broadcast[t] = __shfl_sync(all, t, 3);
    up[t] = __shfl_up_sync(all, t, 2, 8);
    down[t] = __shfl_down_sync(all, t + 0.5f, 1);
    flipped[t] = __shfl_xor_sync(all, t, 5);
    quarter[t] = __shfl_sync(all, t, t + 3, 8);
    wide[t] = __shfl_sync(all, t + 0.25, 31 - t % 32);
    longs[t] = __shfl_down_sync(all, t * 1000000000000ll, 16);
    int s = t;
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_xor_sync(all, s, d);
    sum[t] = s;
    far[t] = __shfl_down_sync(all, t, 33) * 1000 + __shfl_up_sync(all, t, 65);
    far_flipped[t] = __shfl_xor_sync(all, t, 35) * 1000 + __shfl_sync(all, t, -1);
}
