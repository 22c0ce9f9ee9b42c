/*
 * Groups of threads of a block without a toolkit: the block, tiles of a warp, threads that are active
 * together. A group of a warp is the lanes of a mask.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include <type_traits>

namespace cooperative_groups {

namespace details {

__device__ inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned block_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned lane() { return block_rank() & 31; }
/* Lanes of a warp that the block has. */
__device__ inline unsigned warp_mask() {
    unsigned left = block_size() - (block_rank() & ~31u);
    return left >= 32 ? ~0u : (1u << left) - 1;
}

/* Numbers are shuffled as they are, anything else in words. */
template <typename T, bool is_number = std::is_arithmetic<T>::value> struct shuffled {
    static __device__ T from(unsigned mask, T v, unsigned lane) {
        return __shfl_sync(mask, v, (int)lane);
    }
};
template <typename T> struct shuffled<T, false> {
    static __device__ T from(unsigned mask, const T &v, unsigned lane) {
        unsigned words[(sizeof(T) + 3) / 4] = {};
        T result;
        __builtin_memcpy(words, &v, sizeof(T));
        for (unsigned i = 0; i < sizeof words / 4; i++)
            words[i] = __shfl_sync(mask, words[i], (int)lane);
        __builtin_memcpy(&result, words, sizeof(T));
        return result;
    }
};

/* Lanes by their ranks in a mask, and bits of lanes as bits of ranks. */
__device__ inline unsigned rank_of(unsigned mask, unsigned lane) {
    return __popc(mask & ((1u << lane) - 1));
}
__device__ inline unsigned lane_of(unsigned mask, unsigned rank) {
    unsigned lane = __fns(mask, 0, (int)rank + 1);
    return lane < 32 ? lane : details::lane();
}
__device__ inline unsigned packed(unsigned mask, unsigned bits) {
    unsigned result = 0;
    for (unsigned rank = 0; mask; mask &= mask - 1, rank++)
        result |= (bits >> (__ffs(mask) - 1) & 1) << rank;
    return result;
}

} // namespace details

class coalesced_group;

/* ---- any group ---------------------------------------------------------------------------- */

class thread_group {
  protected:
    unsigned lanes; /* 0: all threads of the block */
    unsigned meta_rank, meta_size;

    __device__ thread_group(unsigned mask, unsigned rank, unsigned size)
        : lanes(mask), meta_rank(rank), meta_size(size) {}
    friend __device__ thread_group tiled_partition(const thread_group &parent, unsigned size);

  public:
    __device__ void sync() const {
        if (lanes)
            __syncwarp(lanes);
        else
            __syncthreads();
    }
    __device__ unsigned long long size() const {
        return lanes ? __popc(lanes) : details::block_size();
    }
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ unsigned long long thread_rank() const {
        return lanes ? details::rank_of(lanes, details::lane()) : details::block_rank();
    }
    __device__ bool is_valid() const { return true; }
};

class thread_block : public thread_group {
    __device__ thread_block() : thread_group(0, 0, 1) {}
    friend __device__ thread_block this_thread_block();

  public:
    static __device__ void sync() { __syncthreads(); }
    static __device__ unsigned size() { return details::block_size(); }
    static __device__ unsigned num_threads() { return size(); }
    static __device__ unsigned thread_rank() { return details::block_rank(); }
    static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __device__ dim3 dim_threads() { return group_dim(); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

/* Blocks count their arrivals in a word that a cooperative launch gives them. The first block adds what
 * makes its highest bit another one when all have come. */
class grid_group {
    static __device__ unsigned *barrier() {
        unsigned high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        unsigned long long workspace = (unsigned long long)high << 32 | low;
        return workspace ? (unsigned *)workspace + 1 : nullptr;
    }

  public:
    static __device__ void sync() {
        unsigned *word = barrier(), old, now;
        if (!word)
            __trap();
        __syncthreads();
        if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
            unsigned add = 1, blocks = gridDim.x * gridDim.y * gridDim.z;
            if (blockIdx.x + blockIdx.y + blockIdx.z == 0)
                add = 0x80000000u - (blocks - 1);
            asm volatile("atom.add.release.gpu.u32 %0,[%1],%2;"
                         : "=r"(old)
                         : "l"(word), "r"(add)
                         : "memory");
            do
                asm volatile("ld.acquire.gpu.u32 %0,[%1];" : "=r"(now) : "l"(word) : "memory");
            while (!((old ^ now) & 0x80000000u));
        }
        __syncthreads();
    }
    static __device__ bool is_valid() { return barrier() != nullptr; }
    static __device__ unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static __device__ unsigned long long block_rank() {
        return blockIdx.x + (unsigned long long)gridDim.x *
                                (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static __device__ unsigned long long size() { return num_blocks() * details::block_size(); }
    static __device__ unsigned long long num_threads() { return size(); }
    static __device__ unsigned long long thread_rank() {
        return block_rank() * details::block_size() + details::block_rank();
    }
    static __device__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __device__ dim3 dim_blocks() { return group_dim(); }
    static __device__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__device__ inline grid_group this_grid() { return grid_group(); }

/* ---- threads that are active together --------------------------------------------------------- */

/* Those of a warp, which its lanes say. */
class __heddle_warp_group : public thread_group {
  public:
    __device__ __heddle_warp_group(unsigned mask, unsigned rank, unsigned size)
        : thread_group(mask, rank, size) {}
    __device__ unsigned meta_group_rank() const { return meta_rank; }
    __device__ unsigned meta_group_size() const { return meta_size; }
    __device__ void sync() const { __syncwarp(lanes); }
    __device__ int any(int holds) const { return __any_sync(lanes, holds); }
    __device__ int all(int holds) const { return __all_sync(lanes, holds); }
    __device__ unsigned __heddle_mask() const { return lanes; }
};

class coalesced_group : public __heddle_warp_group {
    __device__ unsigned lane_at(unsigned rank) const { return details::lane_of(lanes, rank); }

  public:
    __device__ coalesced_group(unsigned mask, unsigned rank = 0, unsigned size = 1)
        : __heddle_warp_group(mask, rank, size) {}
    __device__ unsigned size() const { return __popc(lanes); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ unsigned thread_rank() const { return details::rank_of(lanes, details::lane()); }
    template <typename T> __device__ T shfl(T v, int rank) const {
        return details::shuffled<T>::from(lanes, v, lane_at((unsigned)rank % size()));
    }
    template <typename T> __device__ T shfl_up(T v, int by) const {
        int from = (int)thread_rank() - by;
        return details::shuffled<T>::from(lanes, v, from < 0 ? details::lane() : lane_at(from));
    }
    template <typename T> __device__ T shfl_down(T v, int by) const {
        unsigned from = thread_rank() + by;
        return details::shuffled<T>::from(lanes, v,
                                          from < size() ? lane_at(from) : details::lane());
    }
    __device__ unsigned ballot(int holds) const {
        return details::packed(lanes, __ballot_sync(lanes, holds));
    }
    template <typename T> __device__ unsigned match_any(T v) const {
        return details::packed(lanes, __match_any_sync(lanes, v));
    }
    template <typename T> __device__ unsigned match_all(T v, int &holds) const {
        return details::packed(lanes, __match_all_sync(lanes, v, &holds));
    }
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* ---- tiles of a warp ----------------------------------------------------------------------------- */

template <unsigned N, typename Parent = void> class thread_block_tile : public __heddle_warp_group {
    static_assert(N <= 32 && !(N & (N - 1)), "tiles have 1, 2, 4, 8, 16 or 32 threads here");
    static __device__ unsigned first() { return details::lane() & ~(N - 1); }

  public:
    __device__ thread_block_tile(unsigned rank, unsigned size)
        : __heddle_warp_group(
              (N == 32 ? ~0u : (1u << N % 32) - 1) << first() & details::warp_mask(), rank, size) {}
    template <typename P>
    __device__ thread_block_tile(const thread_block_tile<N, P> &other)
        : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}
    static __device__ unsigned thread_rank() { return details::lane() & (N - 1); }
    static constexpr __host__ __device__ unsigned size() { return N; }
    static constexpr __host__ __device__ unsigned num_threads() { return N; }
    template <typename T> __device__ T shfl(T v, int rank) const {
        return details::shuffled<T>::from(lanes, v, first() + ((unsigned)rank & (N - 1)));
    }
    template <typename T> __device__ T shfl_up(T v, unsigned by) const {
        return details::shuffled<T>::from(lanes, v,
                                          details::lane() - (thread_rank() < by ? 0 : by));
    }
    template <typename T> __device__ T shfl_down(T v, unsigned by) const {
        return details::shuffled<T>::from(lanes, v,
                                          details::lane() + (thread_rank() + by < N ? by : 0));
    }
    template <typename T> __device__ T shfl_xor(T v, unsigned bits) const {
        return details::shuffled<T>::from(lanes, v, first() + ((thread_rank() ^ bits) & (N - 1)));
    }
    __device__ unsigned ballot(int holds) const { return __ballot_sync(lanes, holds) >> first(); }
    template <typename T> __device__ unsigned match_any(T v) const {
        return __match_any_sync(lanes, v) >> first();
    }
    template <typename T> __device__ unsigned match_all(T v, int &holds) const {
        return __match_all_sync(lanes, v, &holds) >> first();
    }
};

template <unsigned N>
__device__ thread_block_tile<N, thread_block> tiled_partition(const thread_block &) {
    return {details::block_rank() / N, (details::block_size() + N - 1) / N};
}
template <unsigned N, unsigned M, typename P>
__device__ thread_block_tile<N, thread_block_tile<M, P>>
tiled_partition(const thread_block_tile<M, P> &parent) {
    static_assert(N <= M, "a tile is no larger than what it is a part of");
    return {parent.thread_rank() / N, M / N};
}
/* Of a size that is not known before. */
__device__ inline thread_group tiled_partition(const thread_group &parent, unsigned size) {
    unsigned rank = parent.thread_rank(), first = details::lane() & ~(size - 1);
    unsigned mask = (size >= 32 ? ~0u : (1u << size) - 1) << first & details::warp_mask();
    return thread_group(mask, rank / size, ((unsigned)parent.size() + size - 1) / size);
}
__device__ inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
    unsigned mask = 0, all = parent.__heddle_mask(), part = parent.thread_rank() / size;
    for (unsigned i = 0; i < size && part * size + i < parent.size(); i++)
        mask |= 1u << details::lane_of(all, part * size + i);
    return coalesced_group(mask, part, (parent.size() + size - 1) / size);
}

/* Those of a group that say the same. */
template <typename Group, typename Label>
__device__ coalesced_group labeled_partition(const Group &group, Label label) {
    return coalesced_group(__match_any_sync(group.__heddle_mask(), label));
}
template <typename Group>
__device__ coalesced_group binary_partition(const Group &group, bool holds) {
    unsigned mask = __ballot_sync(group.__heddle_mask(), holds);
    return coalesced_group(holds ? mask : group.__heddle_mask() & ~mask, holds, 2);
}

/* ---- functions of any group --------------------------------------------------------------------- */

template <typename Group> __device__ void sync(const Group &group) { group.sync(); }
template <typename Group> __device__ unsigned long long thread_rank(const Group &group) {
    return group.thread_rank();
}
template <typename Group> __device__ unsigned long long group_size(const Group &group) {
    return group.size();
}
__device__ inline dim3 group_index(const thread_block &) { return thread_block::group_index(); }
__device__ inline dim3 thread_index(const thread_block &) { return thread_block::thread_index(); }

template <typename Group, typename F> __device__ void invoke_one(const Group &group, F &&f) {
    if (group.thread_rank() == 0)
        f();
}

#define __HEDDLE_OPERATION(name, value)                                                  \
    template <typename T> struct name {                                                  \
        __host__ __device__ T operator()(const T &a, const T &b) const { return value; } \
    };
__HEDDLE_OPERATION(plus, a + b)
__HEDDLE_OPERATION(less, b < a ? b : a)
__HEDDLE_OPERATION(greater, a < b ? b : a)
__HEDDLE_OPERATION(bit_and, a &b)
__HEDDLE_OPERATION(bit_or, a | b)
__HEDDLE_OPERATION(bit_xor, a ^ b)
#undef __HEDDLE_OPERATION

} // namespace cooperative_groups

#endif
