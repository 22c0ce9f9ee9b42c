/* Reductions of a group of a warp. */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

namespace cooperative_groups {

/* Each thread with those of a distance that halves; where there are not all, one after the other. */
template <unsigned N, typename P, typename T, typename Op>
__device__ T reduce(const thread_block_tile<N, P> &tile, T v, Op op) {
    if (__popc(tile.__heddle_mask()) == N) {
        for (unsigned distance = N / 2; distance; distance /= 2)
            v = op(v, tile.shfl_xor(v, distance));
        return v;
    }
    T result = tile.shfl(v, 0);
    for (unsigned rank = 1; rank < __popc(tile.__heddle_mask()); rank++)
        result = op(result, tile.shfl(v, rank));
    return result;
}
template <typename T, typename Op> __device__ T reduce(const coalesced_group &group, T v, Op op) {
    T result = group.shfl(v, 0);
    for (unsigned rank = 1; rank < group.size(); rank++)
        result = op(result, group.shfl(v, rank));
    return result;
}

} // namespace cooperative_groups

#endif
