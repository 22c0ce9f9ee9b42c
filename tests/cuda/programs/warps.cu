// What the lanes of a warp do together: shuffles, votes, matches, reductions.
#include "check.h"

__global__ void warp(unsigned *out) {
    unsigned lane = threadIdx.x % 32, value = lane * lane;
    unsigned *row = out + 8 * threadIdx.x;
    row[0] = __shfl_sync(~0u, value, 5);
    row[1] = __shfl_up_sync(~0u, value, 3);
    row[2] = __shfl_down_sync(~0u, value, 4, 16);
    row[3] = __shfl_xor_sync(~0u, value, 7);
    row[4] = __ballot_sync(~0u, lane % 3 == 0);
    row[5] = __any_sync(~0u, lane == 31) + 2 * __all_sync(~0u, lane < 31);
    row[6] = __match_any_sync(~0u, lane / 8);
    for (int i = 16; i; i /= 2)
        value += __shfl_xor_sync(~0u, value, i);
    row[7] = value;
    if (lane < 4)
        row[7] += __popc(__activemask());
}

int main() {
    const unsigned n = 64;
    static unsigned got[8 * n];
    unsigned *out;
    CUDA(cudaMalloc(&out, sizeof got));
    warp<<<1, n>>>(out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < n; t++) {
        const unsigned lane = t % 32, *row = got + 8 * t;
        CHECK(row[0] == 25);
        unsigned up = lane < 3 ? lane : lane - 3, down = lane % 16 < 12 ? lane + 4 : lane;
        CHECK(row[1] == up * up);
        CHECK(row[2] == down * down);
        CHECK(row[3] == (lane ^ 7) * (lane ^ 7));
        CHECK(row[4] == 0x49249249);
        CHECK(row[5] == 1);
        CHECK(row[6] == 0xffu << lane / 8 * 8);
        CHECK(row[7] == 10416 + (lane < 4 ? 4 : 0));
    }
    return DONE;
}
