// What else one thread may ask for: reductions into tensors and into global memory, copies and sums into
// other blocks of a cluster, whose barriers hear of them; hints. With WAY set a block accesses the shared
// memory of one that has ended.
//
// options: -std=c++17 -gencode arch=compute_90,code=compute_90 -diag-suppress 20054
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include "check.h"
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

__global__ void reduce_box(const __grid_constant__ CUtensorMap map, int x) {
    __shared__ alignas(128) float tile[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        tile[i] = i + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global [%0, {%1}];" ::"l"(&map), "r"(x)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, "
                     "{%1}], [%2];" ::"l"(&map),
                     "r"(x), "r"((unsigned)__cvta_generic_to_shared(tile))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Halves in global memory.
__global__ void add_halves(__half *out) {
    __shared__ alignas(16) __half tile[8];
    if (threadIdx.x < 8)
        tile[threadIdx.x] = __half(float(threadIdx.x));
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 16;" ::
                "l"(__cvta_generic_to_global(out)),
            "r"((unsigned)__cvta_generic_to_shared(tile))
            : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

// Each block gives the other one its numbers, and adds to a sum there.
__global__ void __cluster_dims__(2, 1, 1) exchange(int *out) {
    __shared__ alignas(16) int mine[32], theirs[32];
    __shared__ int count;
    __shared__ uint64_t bar, bar2;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), other = rank ^ 1;
    if (threadIdx.x == 0) {
        count = 0;
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&bar2, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       128);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar2,
                                       32 * 4);
    }
    mine[threadIdx.x] = 100 * rank + threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared,
                           cluster.map_shared_rank(theirs, other), mine, 128,
                           cluster.map_shared_rank(&bar, other));
    {
        int val = threadIdx.x;
        ptx::red_async(ptx::op_add, cluster.map_shared_rank(&count, other), val,
                       cluster.map_shared_rank(&bar2, other));
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
    }
    while (!ptx::mbarrier_try_wait_parity(&bar2, 0)) {
    }
    out[rank * 64 + threadIdx.x] = theirs[threadIdx.x];
    if (threadIdx.x == 0)
        out[rank * 64 + 32] = count;
    cluster.sync();
}

// All blocks of a cluster come to the barrier of the first one.
__global__ void __cluster_dims__(4, 1, 1) gather(int *out) {
    __shared__ uint64_t bar;
    __shared__ int slots[4];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 4);
    cluster.sync();
    if (threadIdx.x == 0) {
        cluster.map_shared_rank(slots, 0)[cluster.block_rank()] = 7 * (cluster.block_rank() + 1);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                             cluster.map_shared_rank(&bar, 0));
    }
    if (cluster.block_rank() == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
        }
        if (threadIdx.x < 4)
            out[blockIdx.x + threadIdx.x] = slots[threadIdx.x];
    }
    cluster.sync();
}

// Hints and fences, which change nothing, and the thread that is elected.
__global__ void misc(int *out) {
    unsigned pred;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                 : "=r"(pred));
    asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile(
        "fence.acq_rel.cluster; fence.sc.cluster; fence.proxy.alias; fence.proxy.async.global;" ::
            : "memory");
    uint64_t pol;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(pol));
    float v;
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(out), "l"(pol));
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(out + 1024));
    out[threadIdx.x] = pred;
}

__global__ void __cluster_dims__(2, 1, 1) ended(int *out) {
    __shared__ int x;
    cg::cluster_group cluster = cg::this_cluster();
    x = blockIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 1) {
        _Pragma("unroll 1") for (int i = 0; i < 100; i++) atomicAdd(out, 1);
        out[1] = *(volatile int *)cluster.map_shared_rank(&x, 0);
    }
}

int main() {
    float *f;
    int *out;
    __half *h;
    CUDA(cudaMallocManaged(&f, 4096));
    CUDA(cudaMallocManaged(&out, 16384));
    CUDA(cudaMallocManaged(&h, 64));
    for (int i = 0; i < 100; i++)
        f[i] = 1000;
    CUtensorMap map;
    cuuint64_t sizes[] = {100};
    cuuint32_t box[] = {64}, steps[] = {1};
    void *fn;
    cudaDriverEntryPointQueryResult q;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &fn, 12000, cudaEnableDefault,
                                          &q));
    CHECK(((decltype(&cuTensorMapEncodeTiled))fn)(
              &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, f, sizes, nullptr, box, steps,
              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    reduce_box<<<3, 32>>>(map, 60);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++)
        CHECK(f[i] == 1000 + (i >= 60 ? 3 * (i - 59) : 0));
    CHECK(f[100] == 0);
    for (int i = 0; i < 8; i++)
        h[i] = __half(0.5f);
    add_halves<<<4, 32>>>(h);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        CHECK(float(h[i]) == 0.5f + 4 * i);
    exchange<<<2, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < 32; i++)
            CHECK(out[r * 64 + i] == 100 * (1 - r) + i);
        CHECK(out[r * 64 + 32] == 31 * 16);
    }
    gather<<<8, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        CHECK(out[i] == 7 * (i % 4 + 1));
    misc<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == (i == 0));
    if (getenv("WAY")) {
        ended<<<2, 32>>>(out);
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    }
    return DONE;
}
