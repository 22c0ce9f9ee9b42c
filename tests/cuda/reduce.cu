// expect: whole int = 496 -16 15 31 0 31 0
// expect: part uint = 28 4294967280 4294967287
// expect: sums int 96 = int(i / 32) * 1024 + 496
//
// Reductions over a warp by one function each, over eight of its threads, and by hand
// through shared memory with __syncwarp().
__global__ void reduce(int *whole, unsigned *part, int *sums) {
    __shared__ int tile[96];
    const unsigned all = 0xffffffffu;
    int t = threadIdx.x, lane = t % 32;
    int sum = __reduce_add_sync(all, lane);
    int low = __reduce_min_sync(all, lane - 16), high = __reduce_max_sync(all, lane - 16);
    unsigned any = __reduce_or_sync(all, (unsigned)lane), every = __reduce_and_sync(all, (unsigned)lane);
    unsigned most = __reduce_max_sync(all, (unsigned)lane), odd = __reduce_xor_sync(all, (unsigned)lane);
    if (t == 40) {
        whole[0] = sum;
        whole[1] = low;
        whole[2] = high;
        whole[3] = any;
        whole[4] = every;
        whole[5] = most;
        whole[6] = odd;
    }
    if (lane < 8) { // unsigned: -16 is large
        unsigned least = __reduce_min_sync(0xffu, (unsigned)(lane - 16));
        unsigned most_of_8 = __reduce_max_sync(0xffu, (unsigned)(lane - 16));
        unsigned sum_of_8 = __reduce_add_sync(0xffu, (unsigned)lane);
        if (t == 0) {
            part[0] = sum_of_8;
            part[1] = least;
            part[2] = most_of_8;
        }
    }
    tile[t] = t;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int other = tile[t ^ d];
        __syncwarp();
        tile[t] += other;
        __syncwarp();
    }
    sums[t] = tile[t];
}
