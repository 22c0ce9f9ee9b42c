// Clusters: blocks that are there together, wait for each other and reach each other's shared memory.
//
// options: -std=c++17 -gencode arch=compute_90,code=compute_90
#include <cooperative_groups.h>
#include <cstring>

#include "check.h"

namespace cg = cooperative_groups;

enum { BINS = 64, THREADS = 128 };

// A histogram whose bins lie in the shared memory of the cluster's blocks.
__global__ void bins_of_cluster(const int *values, int n, int *bins) {
    extern __shared__ int own[];
    cg::cluster_group cluster = cg::this_cluster();
    int blocks = cluster.num_blocks(), each = BINS / blocks;
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        own[i] = 0;
    cluster.sync();
    int first = (blockIdx.x * blockDim.x + threadIdx.x), step = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += step) {
        int bin = values[i] % BINS;
        atomicAdd(cluster.map_shared_rank(own, bin / each) + bin % each, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * each + i], own[i]);
}

// Each block tells the next one in its cluster, whose size the kernel says.
__global__ void __cluster_dims__(2, 2, 1) round_about(int *out) {
    __shared__ int from[2];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    int block = blockIdx.x + gridDim.x * blockIdx.y;
    int *there = cluster.map_shared_rank(from, next);
    if (threadIdx.x == 0) {
        there[0] = block;
        there[1] = cluster.query_shared_rank(there);
    }
    cg::cluster_group::arrival_token token = cluster.barrier_arrive();
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += i;
    cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
    if (threadIdx.x == 0) {
        out[4 * block] = from[0];
        out[4 * block + 1] = from[1];
        out[4 * block + 2] = rank;
        out[4 * block + 3] = cluster.block_index().x + 10 * cluster.block_index().y +
                             100 * cluster.dim_blocks().x + 1000 * cluster.dim_blocks().y + 0 * sum;
    }
    cluster.sync();
}

// What the registers say, and instructions as they are.
__global__ void registers(unsigned *out) {
    __shared__ unsigned word;
    unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&word)), there, rank, size,
             number, count, explicitly, back, last;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
                 : "=r"(explicitly));
    if (threadIdx.x == 0)
        word = 1000 * blockIdx.x;
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::
            : "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(own), "r"(size - 1 - rank));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(back) : "r"(there));
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(last) : "r"(there) : "memory");
    asm volatile("barrier.cluster.arrive.relaxed;\n barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0) {
        unsigned *to = out + 8 * blockIdx.x;
        to[0] = rank;
        to[1] = size;
        to[2] = number;
        to[3] = count;
        to[4] = explicitly;
        to[5] = back;
        to[6] = last / 1000;
        to[7] = word;
    }
}

static void launch(dim3 grid, dim3 cluster, int shared, const void *kernel, void **args) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelExC(&config, kernel, args));
    CUDA(cudaDeviceSynchronize());
}

static void check_bins(int blocks) {
    int n = 5000, *values, *bins, wanted[BINS] = {};
    CUDA(cudaMallocManaged(&values, n * sizeof(int)));
    CUDA(cudaMallocManaged(&bins, BINS * sizeof(int)));
    memset(bins, 0, BINS * sizeof(int));
    for (int i = 0; i < n; i++) {
        values[i] = i * 7919 % 1000;
        wanted[values[i] % BINS]++;
    }
    void *args[] = {&values, &n, &bins};
    launch(8, blocks, BINS / blocks * sizeof(int), (const void *)bins_of_cluster, args);
    CHECK(!memcmp(bins, wanted, sizeof wanted));
}

static void check_round_about() {
    const int x = 4, y = 6;
    int *out;
    CUDA(cudaMallocManaged(&out, 4 * x * y * sizeof(int)));
    round_about<<<dim3(x, y), 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < x * y; b++) {
        int bx = b % x, by = b / x, rank = bx % 2 + by % 2 * 2, before = (rank + 3) % 4;
        int from = (bx / 2 * 2 + before % 2) + x * (by / 2 * 2 + before / 2);
        CHECK(out[4 * b] == from && out[4 * b + 1] == rank && out[4 * b + 2] == rank);
        CHECK(out[4 * b + 3] == bx % 2 + 10 * (by % 2) + 200 + 2000);
    }
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, round_about));
    CHECK(a.clusterDimMustBeSet == 1 && a.requiredClusterWidth == 2 && a.requiredClusterDepth == 1);
    round_about<<<dim3(3, 2), 32>>>(out);
    CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);
}

static void check_registers(unsigned blocks) {
    const unsigned grid = 3 * blocks;
    unsigned *out;
    CUDA(cudaMallocManaged(&out, 8 * grid * sizeof(unsigned)));
    void *args[] = {&out};
    launch(grid, blocks, 0, (const void *)registers, args);
    for (unsigned b = 0; b < grid; b++) {
        const unsigned *own = out + 8 * b, other = blocks - 1 - b % blocks;
        CHECK(own[0] == b % blocks && own[1] == blocks && own[2] == b / blocks && own[3] == 3);
        CHECK(own[4] == 1 && own[5] == other && own[6] == b / blocks * blocks + other);
        CHECK(own[7] == 1000 * b + THREADS);
    }
    registers<<<2, THREADS>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (unsigned b = 0; b < 2; b++) {
        const unsigned *own = out + 8 * b;
        CHECK(own[0] == 0 && own[1] == 1 && own[2] == b && own[3] == 2 && own[4] == 0);
        CHECK(own[5] == 0 && own[6] == b && own[7] == 1000 * b + THREADS);
    }
}

// Launches of graphs have their clusters by an attribute of the node, which other parameters leave.
static void check_graph() {
    unsigned *out;
    cudaGraph_t graph, captured;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaLaunchAttributeValue value = {}, got = {};
    CUDA(cudaMallocManaged(&out, 8 * 8 * sizeof(unsigned)));
    void *args[] = {&out};
    cudaKernelNodeParams params = {};
    params.func = (void *)registers;
    params.gridDim = 8;
    params.blockDim = THREADS;
    params.kernelParams = args;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    value.clusterDim.x = 4;
    CHECK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value) ==
          cudaErrorInvalidValue); // of no height
    value.clusterDim.y = value.clusterDim.z = 1;
    CUDA(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    CUDA(cudaGraphKernelNodeSetParams(node, &params));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    CUDA(cudaGraphLaunch(exec, nullptr));
    CUDA(cudaDeviceSynchronize());
    for (unsigned b = 0; b < 8; b++)
        CHECK(out[8 * b] == b % 4 && out[8 * b + 1] == 4);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));

    cudaStream_t stream;
    cudaLaunchAttribute attribute;
    size_t count = 1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaStreamCreate(&stream));
    config.stream = stream;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaLaunchKernelExC(&config, (const void *)registers, args));
    CUDA(cudaStreamEndCapture(stream, &captured));
    CUDA(cudaGraphGetNodes(captured, &node, &count));
    CUDA(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &got));
    CHECK(got.clusterDim.x == 2 && got.clusterDim.y == 1 && got.clusterDim.z == 1);
    CUDA(cudaGraphInstantiate(&exec, captured, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (unsigned b = 0; b < 8; b++)
        CHECK(out[8 * b] == b % 2 && out[8 * b + 1] == 2);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(captured));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(out));
    cudaGetLastError();
}

int main() {
    int has = 0, most = 0, active = 0;
    CUDA(cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, 0));
    CHECK(has == 1);
    for (int blocks : {1, 2, 4, 8})
        check_bins(blocks);
    check_round_about();
    for (unsigned blocks : {1u, 2u, 3u, 8u})
        check_registers(blocks);
    check_graph();
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaOccupancyMaxPotentialClusterSize(&most, registers, &config));
    CUDA(cudaOccupancyMaxActiveClusters(&active, registers, &config));
    CHECK(most == 8 && active > 0);
    attribute.val.clusterDim.x = 16;
    config.gridDim = 16;
    unsigned *out;
    CUDA(cudaMallocManaged(&out, 8 * 16 * sizeof(unsigned)));
    void *args[] = {&out};
    CHECK(cudaLaunchKernelExC(&config, (const void *)registers, args) ==
          cudaErrorInvalidClusterSize);
    cudaGetLastError();
    CUDA(cudaFuncSetAttribute(registers, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CUDA(cudaLaunchKernelExC(&config, (const void *)registers, args));
    CUDA(cudaDeviceSynchronize());
    CHECK(out[8 * 15 + 6] == 0 && out[7] == THREADS);
    return DONE;
}
