// Groups of a block's threads: ranks, shuffles, votes, reductions, waiting.
//: headers both
//: run tiles 8: 6 6 6 6 22 22 22 22
//: run coalesced 8: 0 4 2 4 4 4 6 4
//: run any_group 8: 28 1 2 3 4 5 6 7
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void tiles(int *o) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<4>(block);
    int sum = o[block.thread_rank()];
    for (int d = tile.size() / 2; d > 0; d /= 2)
        sum += tile.shfl_xor(sum, d);
    int same = cg::reduce(tile, o[threadIdx.x], cg::plus<int>());
    tile.sync();
    o[block.thread_rank()] = same == sum && tile.any(tile.thread_rank() == 3) ? sum : -1;
}
__global__ void coalesced(int *o) {
    if (threadIdx.x & 1) {
        auto group = cg::coalesced_threads();
        o[threadIdx.x] = group.size() + group.shfl(0, 0);
    }
}
__device__ int sum(cg::thread_group g, int *room, int v) {
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        room[lane] = v;
        g.sync();
        if (lane < i)
            v += room[lane + i];
        g.sync();
    }
    return v;
}
__global__ void any_group(int *o) {
    __shared__ int room[8];
    int total = sum(cg::this_thread_block(), room, o[threadIdx.x]);
    if (cg::this_grid().thread_rank() == 0)
        o[0] = total;
}
__global__ void grid(int *o) {
    o[0] = 1;
    cg::this_grid().sync();
    o[1] = o[0];
}
