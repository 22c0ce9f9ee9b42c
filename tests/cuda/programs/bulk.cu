// Copies of many bytes that one thread asks for (TMA): plain ones and boxes of tensors, to and from
// shared memory, with barriers that count bytes.
//
// options: -std=c++17 -gencode arch=compute_90,code=compute_90 -diag-suppress 20054
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

#include "check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;

enum { N = 1024, TILE = 256 };

// As the CUDA C++ Programming Guide has it: into shared memory, a change, and back.
__global__ void add_one(int *data, size_t offset) {
    __shared__ alignas(16) int tile[TILE];
    __shared__ barrier ready;
    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    int *own = data + offset + blockIdx.x * TILE;
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, own, cuda::aligned_size_t<16>(sizeof tile), ready);
        token = ready.arrive();
    } else {
        token = ready.arrive();
    }
    ready.wait(std::move(token));
    for (int i = threadIdx.x; i < TILE; i += blockDim.x)
        tile[i] += 1;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(own, tile, sizeof tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

// A ring of stages: one thread asks for the next tiles while all add those that have come.
__global__ void sums(const float *data, int tiles, float *out) {
    enum { STAGES = 3 };
    __shared__ alignas(128) float stage[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], TILE);
        }
    __syncthreads();
    if (threadIdx.x == TILE) { // a warp of its own
        for (int t = 0; t < tiles; t++) {
            int s = t % STAGES;
            while (t >= STAGES && !ptx::mbarrier_try_wait_parity(&empty[s], (t / STAGES - 1) % 2)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[s], sizeof stage[s]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s], data + t * TILE,
                               sizeof stage[s], &full[s]);
        }
    } else if (threadIdx.x < TILE) {
        float sum = 0;
        for (int t = 0; t < tiles; t++) {
            int s = t % STAGES;
            while (!ptx::mbarrier_try_wait_parity(&full[s], t / STAGES % 2)) {
            }
            sum += stage[s][threadIdx.x];
            ptx::mbarrier_arrive(&empty[s]);
        }
        out[threadIdx.x] = sum;
    }
}

// What a block has in shared memory is added to what is in global memory.
template <class T> __global__ void add_up(T *out, const T *in) {
    __shared__ alignas(16) T tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, tile,
                                  sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// A box of a tensor of two dimensions, at any place, as it lies in shared memory.
enum { WIDE = 32, HIGH = 8 };
__global__ void box(const __grid_constant__ CUtensorMap map, int x, int y, int *out) {
    __shared__ alignas(1024) int tile[HIGH * WIDE];
    __shared__ barrier ready;
    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, x, y, ready);
        token = cuda::device::barrier_arrive_tx(ready, 1, sizeof tile);
    } else {
        token = ready.arrive();
    }
    ready.wait(std::move(token));
    for (int i = threadIdx.x; i < HIGH * WIDE; i += blockDim.x)
        out[i] = tile[i];
}
__global__ void put_box(const __grid_constant__ CUtensorMap map, int x, int y) {
    __shared__ alignas(128) int tile[HIGH * WIDE];
    for (int i = threadIdx.x; i < HIGH * WIDE; i += blockDim.x)
        tile[i] = 5000 + i;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}
// Of three dimensions, every second row; halves.
__global__ void box_3d(const __grid_constant__ CUtensorMap map, int x, int y, int z, short *out) {
    __shared__ alignas(128) short tile[2 * 2 * 8];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&ready, 1);
        const int at[] = {x, y, z};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &ready);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ready,
                                       sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&ready, 0)) {
    }
    out[threadIdx.x] = tile[threadIdx.x];
}

// Rank 0 of a cluster loads for all; each block tells rank 0 what it has found.
__global__ void __cluster_dims__(4, 1, 1) for_all(const int *data, int *out) {
    __shared__ alignas(128) int tile[64];
    __shared__ alignas(8) int found[4];
    __shared__ uint64_t ready, told;
    unsigned rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&ready, 1);
        ptx::mbarrier_init(&told, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ready,
                                       sizeof tile);
        if (rank == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &told, sizeof found);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(__cvta_generic_to_global(data + 64 * (blockIdx.x / 4))),
                     "r"((unsigned)sizeof tile), "r"((unsigned)__cvta_generic_to_shared(&ready)),
                     "h"((short)0xf)
                     : "memory");
    while (!ptx::mbarrier_try_wait_parity(&ready, 0)) {
    }
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 16; i++)
            sum += tile[16 * rank + i];
        unsigned to, of;
        asm("mapa.shared::cluster.u32 %0, %1, 0;"
            : "=r"(to)
            : "r"((unsigned)__cvta_generic_to_shared(&found[rank])));
        asm("mapa.shared::cluster.u32 %0, %1, 0;"
            : "=r"(of)
            : "r"((unsigned)__cvta_generic_to_shared(&told)));
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
                to),
            "r"(sum), "r"(of)
            : "memory");
    }
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(&told, 0)) {
        }
        if (threadIdx.x < 4)
            out[blockIdx.x + threadIdx.x] = found[threadIdx.x];
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

typedef CUresult encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                        const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                        CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                        CUtensorMapFloatOOBfill);

static encode *find_encode() {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                          cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess);
    return (encode *)function;
}

static void check_bytes() {
    int *data, *copy;
    CUDA(cudaMallocManaged(&data, N * sizeof(int)));
    for (int i = 0; i < N; i++)
        data[i] = 3 * i;
    add_one<<<N / TILE, 128>>>(data, 0);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(data[i] == 3 * i + 1);
    float *numbers, *out;
    const int tiles = 10;
    CUDA(cudaMallocManaged(&numbers, tiles * TILE * sizeof(float)));
    CUDA(cudaMallocManaged(&out, TILE * sizeof(float)));
    for (int i = 0; i < tiles * TILE; i++)
        numbers[i] = i % 100;
    sums<<<1, TILE + 32>>>(numbers, tiles, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < TILE; i++) {
        float sum = 0;
        for (int t = 0; t < tiles; t++)
            sum += (t * TILE + i) % 100;
        CHECK(out[i] == sum);
    }
    CUDA(cudaMallocManaged(&copy, 64 * sizeof(int)));
    for (int i = 0; i < 64; i++)
        copy[i] = 1000;
    add_up<<<N / 64, 64>>>(copy, data);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        int sum = 1000;
        for (int b = 0; b < N / 64; b++)
            sum += data[64 * b + i];
        CHECK(copy[i] == sum);
    }
}

static void check_boxes(encode *make) {
    const int width = 72, height = 20;
    int *tensor, *out;
    CUDA(cudaMallocManaged(&tensor, width * height * sizeof(int)));
    CUDA(cudaMallocManaged(&out, HIGH * WIDE * sizeof(int)));
    for (int i = 0; i < width * height; i++)
        tensor[i] = i + 1;
    const cuuint64_t sizes[] = {70, height}, strides[] = {width * sizeof(int)};
    const cuuint32_t whole[] = {WIDE, HIGH}, steps[] = {1, 1};
    const CUtensorMapSwizzle ways[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                       CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
    const int places[][2] = {{0, 0}, {40, 3}, {-3, -2}, {60, 15}, {200, 0}};
    CUtensorMap map;
    for (int way = 0; way < 4; way++) {
        cuuint32_t some[] = {way ? 8u << (way - 1) : WIDE, 0};
        some[1] = HIGH * WIDE / some[0];
        CHECK(make(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, sizes, strides, some, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, ways[way], CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
        for (auto &place : places) {
            box<<<1, 64>>>(map, place[0], place[1], out);
            CUDA(cudaDeviceSynchronize());
            for (unsigned y = 0; y < some[1]; y++)
                for (unsigned x = 0; x < some[0]; x++) {
                    int from_x = place[0] + (int)x, from_y = place[1] + (int)y;
                    bool inside = from_x >= 0 && from_x < 70 && from_y >= 0 && from_y < height;
                    unsigned at = 4 * (y * some[0] + x), row = at / 128;
                    at ^= row % (1u << way) << 4; // 2, 4 or 8 pieces of 16 bytes
                    CHECK(out[at / 4] == (inside ? tensor[from_y * width + from_x] : 0));
                }
        }
    }
    CHECK(make(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, sizes, strides, whole, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    put_box<<<1, 64>>>(map, 60, 15);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            bool is_in = x >= 60 && x < 70 && y >= 15;
            int wanted = is_in ? 5000 + (y - 15) * WIDE + x - 60 : y * width + x + 1;
            CHECK(tensor[y * width + x] == wanted);
        }
    CHECK(make(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor + 1, sizes, strides, whole, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
}

static void check_3d(encode *make) {
    short *tensor, *out;
    const int x = 16, y = 6, z = 4;
    CUDA(cudaMallocManaged(&tensor, x * y * z * sizeof(short)));
    CUDA(cudaMallocManaged(&out, 32 * sizeof(short)));
    for (int i = 0; i < x * y * z; i++)
        tensor[i] = i;
    const cuuint64_t sizes[] = {x, y, z}, strides[] = {x * 2, x * y * 2};
    const cuuint32_t some[] = {8, 3, 2}, steps[] = {1, 2, 1};
    CUtensorMap map;
    CHECK(make(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, tensor, sizes, strides, some, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    box_3d<<<1, 32>>>(map, 4, 2, 1, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == (1 + i / 16) * x * y + (2 + i / 8 % 2 * 2) * x + 4 + i % 8);
}

static void check_clusters() {
    int *data, *out;
    CUDA(cudaMallocManaged(&data, 128 * sizeof(int)));
    CUDA(cudaMallocManaged(&out, 8 * sizeof(int)));
    for (int i = 0; i < 128; i++)
        data[i] = i * i;
    for_all<<<8, 32>>>(data, out);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < 8; b++) {
        int sum = 0;
        for (int i = 0; i < 16; i++)
            sum += data[16 * b + i];
        CHECK(out[b] == sum);
    }
}

int main() {
    check_bytes();
    encode *make = find_encode();
    check_boxes(make);
    check_3d(make);
    check_clusters();
    return DONE;
}
