// Breadth-first search from several nodes of a graph in CSR form, level by level with queues.
#include <cuda_runtime.h>

#include <utility>

#include "cuda_check.h"
#include "inputs.h"

__global__ void forget(int *levels, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        levels[i] = -1;
}

__global__ void begin(int *levels, int *queue, int source) {
    levels[source] = 0;
    queue[0] = source;
}

__global__ void visit(const int *starts, const int *targets, int *levels, const int *queue,
                      int queued, int *next, int *next_count, int level) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queued)
        return;
    int node = queue[q];
    for (int e = starts[node]; e < starts[node + 1]; e++) {
        int target = targets[e];
        if (levels[target] < 0 && atomicCAS(&levels[target], -1, level) < 0)
            next[atomicAdd(next_count, 1)] = target;
    }
}

int main(int argc, char **argv) {
    int nodes = input_argument(argc, argv, 1, 1 << 19);
    int sources = input_argument(argc, argv, 2, 30);
    int edges = 0;
    int *starts = (int *)malloc((nodes + 1) * sizeof(int));
    for (int n = 0; n < nodes; n++) {
        starts[n] = edges;
        edges += input_bits(30, n) % 12;
    }
    starts[nodes] = edges;
    int *targets = (int *)malloc(edges * sizeof(int)), *levels = (int *)malloc(nodes * sizeof(int));
    for (int e = 0; e < edges; e++)
        targets[e] = input_bits(31, e) % nodes;
    int *d_starts, *d_targets, *d_levels, *d_queue, *d_next, *d_count;
    CHECK(cudaMalloc(&d_starts, (nodes + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d_targets, edges * sizeof(int)));
    CHECK(cudaMalloc(&d_levels, nodes * sizeof(int)));
    CHECK(cudaMalloc(&d_queue, nodes * sizeof(int)));
    CHECK(cudaMalloc(&d_next, nodes * sizeof(int)));
    CHECK(cudaMalloc(&d_count, sizeof(int)));
    CHECK(cudaMemcpy(d_starts, starts, (nodes + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_targets, targets, edges * sizeof(int), cudaMemcpyHostToDevice));
    uint32_t sum = 0;
    int deepest = 0;
    for (int s = 0; s < sources; s++) {
        forget<<<(nodes + 255) / 256, 256>>>(d_levels, nodes);
        begin<<<1, 1>>>(d_levels, d_queue, input_bits(32, s) % nodes);
        int queued = 1;
        for (int level = 1; queued; level++) {
            CHECK(cudaMemset(d_count, 0, sizeof(int)));
            visit<<<(queued + 127) / 128, 128>>>(d_starts, d_targets, d_levels, d_queue, queued,
                                                 d_next, d_count, level);
            CHECK(cudaMemcpy(&queued, d_count, sizeof(int), cudaMemcpyDeviceToHost));
            std::swap(d_queue, d_next);
            deepest = level > deepest ? level : deepest;
        }
        CHECK(cudaMemcpy(levels, d_levels, nodes * sizeof(int), cudaMemcpyDeviceToHost));
        sum = sum * 31 + sum_of_bits((uint32_t *)levels, nodes);
    }
    printf("edges %d, deepest %d, all %u\n", edges, deepest, sum);
    for (int *p : {d_starts, d_targets, d_levels, d_queue, d_next, d_count})
        CHECK(cudaFree(p));
    free(starts);
    free(targets);
    free(levels);
    return 0;
}
