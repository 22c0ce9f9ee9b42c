// Managed memory, which the host writes in place.
#include "check.h"

struct node {
    int left, right;
    float key, value;
};

__global__ void scale(node *nodes, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        nodes[i].value = nodes[i].key * by;
}

int main() {
    const int n = 2048;
    node *nodes;
    HIP_CHECK(hipMallocManaged(&nodes, n * sizeof(node)));
    for (int i = 0; i < n; i++) {
        nodes[i].key = (float)i;
        nodes[i].value = 0;
    }
    scale<<<dim3(n / 256), dim3(256)>>>(nodes, 3.0f, n);
    HIP_CHECK(hipDeviceSynchronize());
    std::printf("%g\n", nodes[100].value);
    HIP_CHECK(hipFree(nodes));
}
