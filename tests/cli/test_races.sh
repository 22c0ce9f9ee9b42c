# heddle run --races: programs that order their threads by warps, fences and atomics are clean, and
# race without what orders them (-DNO_SYNC). What is told stands at a line of the program.
source "$(dirname "$0")/lib.sh"
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
cuda=$(dirname "$nvcc")/../include

# orders FILE KERNEL BLOCKS THREADS LINE [OPTION...]: clean, and else a race at that line.
orders() {
    local file=$1 kernel=$2 line=$5 sizes=(--global $(($3 * $4)) --local "$4")
    shift 5
    accepts run "$file" -e "$kernel" "${sizes[@]}" --races --options "-DSYNC=1 $*"
    call run "$file" -e "$kernel" "${sizes[@]}" --races --options "-DSYNC=0 $*"
    [ "$status" -eq 2 ] || complain "$kernel without what orders it: exit status $status, not 2"
    says "^$file:$line:[0-9]+: error: race: "
}

# ---- warps ----------------------------------------------------------------------------

cat >warps.cu <<'END'
__global__ void exchange(float *o) {
    __shared__ float s[128];
    unsigned t = threadIdx.x, w = t & ~31u, l = t & 31u;
    s[t] = t;
    if (SYNC) __syncwarp();
    o[blockIdx.x * 128 + t] = s[w + ((l + 1) & 31)];
}
__global__ void halves(float *o) {
    __shared__ float s[128];
    unsigned t = threadIdx.x, w = t & ~31u, l = t & 31u;
    s[t] = t;
    if (l < 16) {
        __syncwarp(0xffffu);
        o[blockIdx.x * 128 + t] = s[w + (SYNC ? l ^ 1 : l ^ 16)];
    } else {
        __syncwarp(0xffff0000u);
        o[blockIdx.x * 128 + t] = s[w + (l ^ 1)];
    }
}
__global__ void voted(float *o) {
    __shared__ float s[128];
    unsigned t = threadIdx.x, w = t & ~31u, l = t & 31u;
    s[t] = t;
    float x = 1;
    if (SYNC) x = __shfl_xor_sync(0xffffffffu, s[t], 1);
    float y = s[w + ((l + 1) & 31)];
    unsigned b = SYNC ? __ballot_sync(0xffffffffu, x > 3) : 0;
    s[w + ((l + 2) & 31)] = y + b;
    o[blockIdx.x * 128 + t] = y;
}
__global__ void other_warp(float *o) { /* a barrier of warps orders no others */
    __shared__ float s[64];
    s[threadIdx.x] = 1;
    __syncwarp();
    if (SYNC) __syncthreads();
    o[threadIdx.x] = s[threadIdx.x ^ 32];
}
END
orders warps.cu exchange 2 128 6
orders warps.cu halves 2 128 14
orders warps.cu voted 2 128 26
orders warps.cu other_warp 1 64 36

cat >tiles.cu <<'END'
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void tiles(float *o) { /* one of each warp */
    __shared__ __align__(32) half a[4][256];
    __shared__ __align__(32) float s[4][256];
    unsigned w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int i = l; i < 256; i += 32)
        a[w][i] = __float2half(1);
    __syncwarp();
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    load_matrix_sync(left, a[w], 16);
    load_matrix_sync(right, a[w], 16);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(s[w], sum, 16, mem_row_major);
    if (SYNC) __syncwarp();
    o[threadIdx.x] = s[w][l];
}
END
orders tiles.cu tiles 1 128 19
accepts run tiles.cu --global 128 --local 128 --races --options "-DSYNC=1 --cuda-path="

# ---- blocks ---------------------------------------------------------------------------

cat >blocks.cu <<'END'
#ifndef FENCE
#define FENCE __threadfence
#endif
__device__ unsigned count;
__global__ void last(const float *in, float *partial, float *o) {
    __shared__ float s[64];
    __shared__ bool is_last;
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (unsigned k = 32; k; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        if (SYNC) FENCE();
        is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
        if (SYNC) FENCE();
    }
    __syncthreads();
    if (!is_last) return;
    float x = 0;
    for (unsigned i = t; i < gridDim.x; i += 64)
        x += partial[i];
    o[t] = x;
    if (t == 0) count = 0;
}
__device__ int lock, shared_sum;
__global__ void locked(int *o) {
    if (threadIdx.x % 32 == 0) {
        bool done = false;
        while (!done)
            if (atomicCAS(&lock, 0, 1) == 0) {
                if (SYNC) __threadfence();
                shared_sum += 1;
                if (SYNC) __threadfence();
                atomicExch(&lock, 0);
                done = true;
            }
    }
    o[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
__device__ int flag, value, out;
__global__ void handed_on(int *o) {
    o[blockIdx.x] = 0;
    if (blockIdx.x == 0) {
        value = 7;
        asm volatile("st.release.gpu.u32 [%0], 1;" : : "l"(&flag) : "memory");
    } else {
        int seen;
        if (SYNC)
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory");
        else
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory");
        if (seen)
            o[blockIdx.x] = value;
    }
}
__global__ void of_block(int *o) { /* atomics for a block alone, from several */
    if (SYNC) atomicAdd(o, 1);
    else atomicAdd_block(o, 1);
}
END
orders blocks.cu last 4 64 25
orders blocks.cu locked 3 64 36
orders blocks.cu handed_on 3 1 57
orders blocks.cu of_block 2 32 62
call run blocks.cu -e last --global 256 --local 64 --races \
    --options "-DSYNC=1 -DFENCE=__threadfence_block"
[ "$status" -eq 2 ] || complain "a fence of a block orders other blocks"
says '^blocks.cu:25:[0-9]+: error: race: this reads byte 0 of .partial.'

# ---- libraries --------------------------------------------------------------------------

cat >tiles.cu <<'END'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void tile(float *o) {
    __shared__ float s[128];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned t = threadIdx.x, base = t & ~15u, r = tile.thread_rank();
    s[t] = t;
    if (SYNC) tile.sync();
    o[blockIdx.x * 128 + t] = s[base + ((r + 1) & 15)];
}
__global__ void grid(float *a, float *o) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    a[i] = i;
    if (SYNC) cg::this_grid().sync();
    o[i] = a[(i + 1) % all];
}
END
orders tiles.cu tile 2 128 9
orders tiles.cu grid 3 64 15

# An mma of 16 x 8 x 8, its matrices handed through shared memory.
cat >mma.cu <<'END'
__global__ void mma(float *o) {
    __shared__ unsigned a[64], b[32];
    __shared__ float c[128];
    unsigned t = threadIdx.x;
    a[t] = a[t + 32] = 0x3c003c00;
    b[t] = 0x3c003c00;
    if (SYNC) __syncwarp();
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                 "{%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[t ^ 1]), "r"(a[(t ^ 1) + 32]), "r"(b[t ^ 1]));
    for (int k = 0; k < 4; k++) c[t * 4 + k] = d[k];
    if (SYNC) __syncwarp();
    for (int k = 0; k < 4; k++) o[t * 4 + k] = c[k * 32 + t];
}
END
orders mma.cu mma 1 32 11

if [ -d "$cuda/cub" ] || [ -d "$cuda/cccl/cub" ]; then
    cat >cub.cu <<'END'
#include <cub/cub.cuh>
__global__ void twice(const int *in, int *o) {
    typedef cub::BlockReduce<int, 128> R;
    typedef cub::BlockScan<int, 128> S;
    __shared__ union { typename R::TempStorage r; typename S::TempStorage s; } temp;
    int x = in[blockIdx.x * 128 + threadIdx.x], y, sum = R(temp.r).Sum(x);
    if (SYNC) __syncthreads();
    int other = R(temp.r).Sum(x * 2);
    __syncthreads();
    S(temp.s).InclusiveSum(x, y);
    o[blockIdx.x * 128 + threadIdx.x] = y + sum + other;
}
END
    orders cub.cu twice 2 128 8
fi

# ---- the run ------------------------------------------------------------------------------

call run warps.cu -e exchange --global 256 --local 128 --races --stop-at-race --options -DSYNC=0
[ "$status" -eq 2 ] || complain "stopped at a race: exit status $status, not 2"
says '^warps.cu:6:[0-9]+: error: race: this reads byte 4 .*; thread 0 of block 0$'
[ "$(grep -c 'error: race' "$work/log/err")" -eq 1 ] || complain "the race is told more than once"
accepts run warps.cu -e exchange --global 256 --local 128 --races --stop-at-race --options -DSYNC=1
refuses 'error: --stop-at-race goes with --races' run warps.cu --stop-at-race

finish
