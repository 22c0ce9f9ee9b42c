// Parts of a block whose size is known only when it runs. (What NVIDIA's headers make of them may also
// wait for the grid.)
//: run sized 8: 1 1 5 5 9 9 13 13
//: run coalesced 8: 2 2 2 2 2 2 2 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sized(int *o) {
    cg::thread_group group = cg::tiled_partition(cg::this_thread_block(), 2);
    __shared__ int sums[4];
    if (group.thread_rank() == 0)
        sums[threadIdx.x / 2] = 0;
    group.sync();
    atomicAdd(&sums[threadIdx.x / 2], o[threadIdx.x]);
    group.sync();
    o[threadIdx.x] = sums[threadIdx.x / 2] + group.size() - 2;
}
__global__ void coalesced(int *o) {
    cg::coalesced_group all = cg::coalesced_threads(), part = cg::tiled_partition(all, 2);
    o[threadIdx.x] = part.size() + part.thread_rank() - part.shfl((int)threadIdx.x & 1, part.thread_rank());
}
