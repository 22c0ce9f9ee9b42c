// A product of matrices as kernels for Hopper have it: one thread asks for tiles by tensor maps, two
// warpgroups multiply those that have come, and blocks of a cluster share tiles of B.
//
// options: -std=c++17 -gencode arch=compute_90a,code=compute_90a
#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

#include "check.h"

enum { BM = 128, BN = 64, BK = 64, STAGES = 3, CLUSTER = 2 };

__device__ static uint32_t shared_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ static void wait(uint64_t *barrier, uint32_t parity) {
    asm volatile("{\n"
                 ".reg .pred P1;\n"
                 "LAB_WAIT:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
                 "@P1 bra DONE;\n"
                 "bra LAB_WAIT;\n"
                 "DONE:\n"
                 "}\n" ::"r"(shared_of(barrier)),
                 "r"(parity)
                 : "memory");
}
__device__ static void load(void *to, const CUtensorMap *map, uint64_t *barrier, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_of(to)),
                 "l"((uint64_t)map), "r"(shared_of(barrier)), "r"(x), "r"(y)
                 : "memory");
}
__device__ static void load_for_all(void *to, const CUtensorMap *map, uint64_t *barrier, int x,
                                    int y, uint16_t mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
                 "multicast::cluster [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(shared_of(to)),
                 "l"((uint64_t)map), "r"(shared_of(barrier)), "h"(mask), "r"(x), "r"(y)
                 : "memory");
}
__device__ static uint64_t describe(const void *p) {
    uint64_t a = shared_of(p);
    return (a & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}
__device__ static void multiply(float (&d)[32], uint64_t a, uint64_t b) {
    asm volatile("{\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%"
                 "22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
                 " %32, %33, 1, 1, 1, 0, 0;\n}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                   "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                   "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b));
}

struct tiles {
    alignas(1024) __nv_bfloat16 a[STAGES][BM * BK], b[STAGES][BN * BK];
    alignas(8) uint64_t full[STAGES], empty[STAGES];
};

__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(384)
    gemm(const __grid_constant__ CUtensorMap of_a, const __grid_constant__ CUtensorMap of_b,
         float *c, int n, int k) {
    extern __shared__ __align__(1024) char raw[];
    tiles &t = *(tiles *)raw;
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    int group = threadIdx.x / 128, steps = k / BK;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(&t.full[s])),
                         "r"(1));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(&t.empty[s])),
                         "r"(2 * CLUSTER));
        }
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int i = 0; i < steps; i++) {
                int s = i % STAGES, round = i / STAGES;
                wait(&t.empty[s], (round & 1) ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                                 shared_of(&t.full[s])),
                             "r"((BM + BN) * BK * 2)
                             : "memory");
                load(t.a[s], &of_a, &t.full[s], i * BK, blockIdx.x * BM);
                if (rank == 0)
                    load_for_all(t.b[s], &of_b, &t.full[s], i * BK, blockIdx.y * BN,
                                 (1 << CLUSTER) - 1);
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[32] = {};
        for (int i = 0; i < steps; i++) {
            int s = i % STAGES;
            wait(&t.full[s], i / STAGES & 1);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int kk = 0; kk < BK / 16; kk++)
                multiply(d, describe(&t.a[s][(group - 1) * 64 * BK + kk * 16]),
                         describe(&t.b[s][kk * 16]));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(0) : "memory");
            // each block of the cluster hears that this stage is free
            if (threadIdx.x % 128 < CLUSTER)
                asm volatile(
                    "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(
                        shared_of(&t.empty[s])),
                    "r"(threadIdx.x % 128)
                    : "memory");
        }
        int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
        for (int i = 0; i < 32; i++) {
            int row = blockIdx.x * BM + (group - 1) * 64 + 16 * warp + lane / 4 + 8 * (i / 2 % 2);
            int column = blockIdx.y * BN + i / 4 * 8 + lane % 4 * 2 + i % 2;
            c[row * n + column] = d[i];
        }
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

int main() {
    const int m = 256, n = 128, k = 320;
    __nv_bfloat16 *a, *b;
    float *c;
    CUDA(cudaMallocManaged(&a, m * k * 2));
    CUDA(cudaMallocManaged(&b, n * k * 2));
    CUDA(cudaMallocManaged(&c, m * n * 4));
    for (int i = 0; i < m * k; i++)
        a[i] = __nv_bfloat16(float(i * 7 % 13 - 6));
    for (int i = 0; i < n * k; i++)
        b[i] = __nv_bfloat16(float(i * 5 % 11 - 5));
    void *function;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                          cudaEnableDefault, &found));
    auto make = (decltype(&cuTensorMapEncodeTiled))function;
    CUtensorMap maps[2];
    for (int which = 0; which < 2; which++) {
        cuuint64_t sizes[] = {k, cuuint64_t(which ? n : m)}, strides[] = {k * 2};
        cuuint32_t box[] = {BK, cuuint32_t(which ? BN : BM)}, steps[] = {1, 1};
        CHECK(make(&maps[which], CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, which ? b : a, sizes, strides,
                   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    }
    CUDA(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(tiles)));
    gemm<<<dim3(m / BM, n / BN), 384, sizeof(tiles)>>>(maps[0], maps[1], c, n, k);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int x = 0; x < k; x++)
                sum += float(a[i * k + x]) * float(b[j * k + x]);
            CHECK(c[i * n + j] == sum);
        }
    return DONE;
}
