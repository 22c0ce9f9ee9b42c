// Tiles in tiles, coalesced threads and their parts, scans, reductions of structs, copies of a group.
//: headers both
//: run tiles 8: 101 102 103 104 205 206 207 208
//: run scans 8: 0 1 3 6 4 9 15 22
//: run shuffles 8: 1 2 3 3 5 6 7 7
//: run votes 8: 10 10 10 10 15 15 15 15
//: run parts 8: 12 16 12 16 12 16 12 16
//: run structs 4: 26 26 26 26
//: run copies 8: 7 6 5 4 3 2 1 0
//: run by_label 8: 2 3 3 3 3 3 3 2
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void tiles(int *o) {
    auto block = cg::this_thread_block();
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
    auto pair = cg::tiled_partition<2>(tile);
    o[block.thread_rank()] = 100 * (tile.meta_group_rank() + 1) + 4 * tile.meta_group_rank() +
                             2 * pair.meta_group_rank() + pair.thread_rank() + 1;
    pair.sync();
    cg::sync(block);
}
__global__ void scans(int *o) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int v = o[threadIdx.x], before = cg::exclusive_scan(tile, v);
    v = cg::inclusive_scan(tile, v, cg::plus<int>());
    o[threadIdx.x] = before == v - (int)threadIdx.x ? v : -1;
}
__global__ void shuffles(double *o) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    double v = threadIdx.x;
    v = tile.shfl_down(v, 1) + 0 * tile.shfl_up(v, 2) + 0 * tile.shfl(v, 3);
    o[threadIdx.x] = v;
}
__global__ void votes(unsigned *o) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    unsigned odd = tile.ballot(threadIdx.x & 1 || threadIdx.x > 3);
    o[threadIdx.x] = tile.any(threadIdx.x == 7) == (threadIdx.x > 3) ? odd : 0;
}
__global__ void parts(int *o) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    auto part = cg::binary_partition(tile, threadIdx.x & 1);
    o[threadIdx.x] = cg::reduce(part, o[threadIdx.x], cg::plus<int>());
}
struct both {
    int least;
    short greatest;
    char count;
};
struct join {
    __device__ both operator()(both a, both b) const {
        return {min(a.least, b.least), a.greatest > b.greatest ? a.greatest : b.greatest,
                (char)(a.count + b.count)};
    }
};
__global__ void structs(int *o) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    both v = {(int)threadIdx.x + 10, (short)(threadIdx.x * 4), 1};
    v = cg::reduce(tile, v, join());
    o[threadIdx.x] = v.least + v.greatest + v.count;
}
__global__ void copies(int *o) {
    __shared__ int room[8];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, room, o, sizeof room);
    cg::wait(block);
    o[threadIdx.x] = room[7 - threadIdx.x];
}
__global__ void by_label(int *o) {
    auto group = cg::coalesced_threads();
    auto same = cg::labeled_partition(group, (threadIdx.x + 7) % 8 / 3);
    o[threadIdx.x] = same.size() + 0 * same.shfl(3, 0) + same.all(1) - 1;
}
