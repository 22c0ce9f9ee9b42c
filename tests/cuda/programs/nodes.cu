// Lists in device memory: addresses in it, in a struct by value, and what the host changes between launches.
#include "check.h"

struct Node {
    int value;
    Node *next;
};

struct View {
    int *sums, n;
};

__global__ void walk(Node *const *heads, View view) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (Node *at = heads[i]; at; at = at->next)
        sum += at->value++;
    if (i < view.n)
        view.sums[i] += sum;
}

int main() {
    const int n = 64, length = 3;
    static Node nodes[n * length];
    static Node *heads[n];
    static int sums[n];
    Node *memory, **firsts;
    View view = {nullptr, n};
    CUDA(cudaMalloc(&memory, sizeof nodes));
    CUDA(cudaMalloc(&firsts, sizeof heads));
    CUDA(cudaMalloc(&view.sums, sizeof sums));
    for (int i = 0; i < n * length; i++)
        nodes[i] = {i, i % length == length - 1 ? nullptr : memory + i + 1};
    for (int i = 0; i < n; i++)
        heads[i] = memory + i * length;
    CUDA(cudaMemcpy(memory, nodes, sizeof nodes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(firsts, heads, sizeof heads, cudaMemcpyHostToDevice));
    for (int step = 0; step < 2; step++) {
        CUDA(cudaMemset(view.sums, 0, sizeof sums));
        walk<<<1, n>>>(firsts, view);
    }
    CUDA(cudaMemcpy(sums, view.sums, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(sums[i] == 9 * i + 3 + length);
    return DONE;
}
