/* Copies that a group makes together, which are done at once here. */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC

#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename T>
__device__ void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        to[i] = from[i];
}
template <typename Group, typename T>
__device__ void memcpy_async(const Group &group, T *to, size_t most, const T *from, size_t count) {
    memcpy_async(group, to, from, (most < count ? most : count) * sizeof(T));
}
template <typename Group> __device__ void wait(const Group &group) { group.sync(); }
template <unsigned N, typename Group> __device__ void wait_prior(const Group &group) {
    group.sync();
}

} // namespace cooperative_groups

#endif
