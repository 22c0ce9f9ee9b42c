// Memory that a kernel allocates, keeps, and another one frees.
// alone
#include "check.h"

struct node {
    int value;
    node *next;
};

__device__ node *lists[32];

__global__ void build(int length) {
    node *first = nullptr;
    for (int i = 0; i < length; i++) {
        node *n = new node;
        n->value = threadIdx.x * 100 + i;
        n->next = first;
        first = n;
    }
    lists[threadIdx.x] = first;
}

__global__ void take_down(int *sums) {
    int sum = 0;
    for (node *n = lists[threadIdx.x]; n;) {
        node *next = n->next;
        sum += n->value;
        delete n;
        n = next;
    }
    sums[threadIdx.x] = sum;
}

int main() {
    int *sums, host[32];
    CUDA(cudaMalloc(&sums, sizeof host));
    build<<<1, 32>>>(5);
    take_down<<<1, 32>>>(sums);
    CUDA(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(host[i] == 500 * i + 10);
    return DONE;
}
