/* Scans of a group of a warp. */
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename T, typename Op>
__device__ T inclusive_scan(const Group &group, T v, Op op) {
    for (unsigned distance = 1; distance < group.size(); distance *= 2) {
        T before = group.shfl_up(v, distance);
        if (group.thread_rank() >= distance)
            v = op(before, v);
    }
    return v;
}
template <typename Group, typename T> __device__ T inclusive_scan(const Group &group, T v) {
    return inclusive_scan(group, v, plus<T>());
}
/* The first thread has nothing before it. */
template <typename Group, typename T, typename Op>
__device__ T exclusive_scan(const Group &group, T v, Op op) {
    T before = group.shfl_up(inclusive_scan(group, v, op), 1);
    return group.thread_rank() ? before : T();
}
template <typename Group, typename T> __device__ T exclusive_scan(const Group &group, T v) {
    return exclusive_scan(group, v, plus<T>());
}

} // namespace cooperative_groups

#endif
