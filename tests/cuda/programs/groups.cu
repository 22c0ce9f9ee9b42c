// Cooperative groups: blocks, tiles of a warp, groups of those that took a branch.
// options: -std=c++17
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void work(int *tiles, int *taken, int n) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int value = block.thread_rank() * 3;
    for (int step = tile.size() / 2; step; step /= 2)
        value += tile.shfl_down(value, step);
    if (tile.thread_rank() == 0)
        tiles[block.thread_rank() / 8] = value;
    block.sync();
    if (block.thread_rank() % 3 == 0) {
        auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0)
            atomicAdd(taken, active.size());
    }
}

int main() {
    const int n = 96;
    int *tiles, *taken, got[n / 8], count;
    CUDA(cudaMalloc(&tiles, sizeof got));
    CUDA(cudaMalloc(&taken, sizeof count));
    CUDA(cudaMemset(taken, 0, sizeof count));
    work<<<1, n>>>(tiles, taken, n);
    CUDA(cudaMemcpy(got, tiles, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&count, taken, sizeof count, cudaMemcpyDeviceToHost));
    for (int t = 0; t < n / 8; t++)
        CHECK(got[t] == 3 * (8 * 8 * t + 28));
    CHECK(count == n / 3);
    return DONE;
}
