// Barriers in shared memory, as libcu++ and cooperative groups make them: one for all threads, those of a
// pipeline, pairs between warps that fill and warps that use, copies that a barrier waits for, and threads
// that leave.
// options: -std=c++17 -gencode arch=compute_90,code=compute_90 -diag-suppress 20054
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "check.h"

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int SIDE = 64, ROUNDS = 5;

__global__ void turn(int *x) {
    __shared__ barrier all;
    __shared__ int tile[SIDE], more[SIDE / 2];
    if (threadIdx.x == 0)
        init(&all, blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = x[threadIdx.x];
    auto token = all.arrive();
    all.wait(std::move(token));
    x[threadIdx.x] = tile[SIDE - 1 - threadIdx.x];
    if (threadIdx.x >= SIDE / 2) {
        all.arrive_and_drop();
        return;
    }
    more[threadIdx.x] = 1;
    all.arrive_and_wait();
    x[threadIdx.x] += more[SIDE / 2 - 1 - threadIdx.x];
}

__global__ void staged(const int *x, int *y) {
    __shared__ int tile[2][SIDE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int fetch = 0, i = 0; i < ROUNDS; i++) {
        for (; fetch < ROUNDS && fetch < i + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % 2], x + fetch * SIDE, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        y[i * SIDE + threadIdx.x] = tile[i % 2][SIDE - 1 - threadIdx.x];
        pipe.consumer_release();
    }
}

__global__ void roles(const int *x, int *y) {
    __shared__ int tile[2][SIDE];
    __shared__ barrier ready[2], filled[2];
    auto block = cg::this_thread_block();
    if (threadIdx.x < 2) {
        init(&ready[threadIdx.x], block.size());
        init(&filled[threadIdx.x], block.size());
    }
    block.sync();
    int i = threadIdx.x % SIDE;
    if (threadIdx.x >= SIDE) { // those that fill
        for (int round = 0; round < ROUNDS; round++) {
            ready[round % 2].arrive_and_wait();
            cuda::memcpy_async(&tile[round % 2][i], &x[round * SIDE + i], sizeof(int), filled[round % 2]);
            (void)filled[round % 2].arrive();
        }
        return;
    }
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    for (int round = 0; round < ROUNDS; round++) {
        filled[round % 2].arrive_and_wait();
        y[round * SIDE + i] = tile[round % 2][SIDE - 1 - i];
        (void)ready[round % 2].arrive();
    }
}

__global__ void fetched(const int *x, int *y) {
    __shared__ int tile[SIDE];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, x, sizeof tile);
    cg::wait(block);
    y[threadIdx.x] = tile[SIDE - 1 - threadIdx.x];
}

// Each thread asks its own barrier too early, some in vain, and goes on all the same, round after round; then the
// warps count who is there.
__global__ void asked_early(int *y, int rounds) {
    __shared__ uint64_t own[SIDE];
    auto *at = &own[threadIdx.x];
    int seen = 0;
    for (int round = 1; round <= rounds; round++) {
        bool early, late;
        unsigned bytes = (threadIdx.x + round) % 3 * 16;
        cuda::ptx::mbarrier_init(at, 1);
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(at)),
                     "r"(bytes) : "memory");
        cuda::ptx::mbarrier_arrive(at);
        early = cuda::ptx::mbarrier_try_wait_parity(at, 0);
        seen += round * __popc(__ballot_sync(0xffffffff, early));
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(at)),
                     "r"(bytes) : "memory");
        late = cuda::ptx::mbarrier_try_wait_parity(at, 0);
        seen += 1000 * late;
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(at)) : "memory");
    }
    y[threadIdx.x] = seen;
}

static void check_early(int *y) {
    int seen[SIDE];
    asked_early<<<1, SIDE>>>(y, 3);
    CUDA(cudaMemcpy(seen, y, sizeof seen, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SIDE; i++) {
        int sum = 3000;
        for (int round = 1; round <= 3; round++)
            for (int lane = 0; lane < 32; lane++)
                sum += round * ((i / 32 * 32 + lane + round) % 3 == 0);
        CHECK(seen[i] == sum);
    }
}

static int host[ROUNDS * SIDE];

// Whether the first rounds of y are those of x, each turned.
static bool is_turned(const int *y, int rounds) {
    CUDA(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < rounds * SIDE; i++)
        if (host[i] != i / SIDE * SIDE + SIDE - 1 - i % SIDE)
            return false;
    CUDA(cudaMemset((void *)y, 0, sizeof host));
    return true;
}

int main() {
    int *x, *y;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMalloc(&y, sizeof host));
    for (int i = 0; i < ROUNDS * SIDE; i++)
        host[i] = i;
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    staged<<<1, SIDE>>>(x, y);
    CHECK(is_turned(y, ROUNDS));
    roles<<<1, 2 * SIDE>>>(x, y);
    CHECK(is_turned(y, ROUNDS));
    fetched<<<1, SIDE>>>(x, y);
    CHECK(is_turned(y, 1));
    turn<<<1, SIDE>>>(x);
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SIDE; i++)
        CHECK(host[i] == SIDE - 1 - i + (i < SIDE / 2));
    check_early(y);
    return DONE;
}
