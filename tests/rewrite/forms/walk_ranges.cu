// Ranges of pointers in the way of the standard library: search, partition, stride, differences.
// in: Item=soa; Item=aosoa:32
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>

struct Item {
    int key;
    float value;
};

__device__ const Item *lower_bound(const Item *first, const Item *last, int key) {
    ptrdiff_t count = last - first;
    while (count > 0) {
        ptrdiff_t step = count / 2;
        const Item *it = first;
        it += step;
        if (it->key < key) {
            first = ++it;
            count -= step + 1;
        } else {
            count = step;
        }
    }
    return first;
}

__device__ float sum(const Item *__restrict__ p, int n) {
    float s = 0;
    const Item *const end = p + n;
    while (p != end)
        s += (*p++).value;
    return s;
}

__global__ void search(const Item *items, int n, int *found, float *sums) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    const Item *begin = items, *end = items + n, *it = lower_bound(begin, end, i);
    found[i] = it == end ? -1 : int(it - begin);
    sums[i] = sum(&items[i / 2], n - i) - sum(items + 1, 1);
}

__global__ void strided(Item *items, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (Item *q = items + blockIdx.x * blockDim.x + threadIdx.x; q < items + n; q += stride) {
        q->value += 1;
        Item *r = items + n - 1 - (q - items);
        if (r > q && (q - items) % 2)
            q[0].key = q[0].key + r[-0].key % 1;
    }
}

int main() {
    const int n = 120;
    Item h[n], *d;
    int found[n], *d_found;
    float sums[n], *d_sums;
    for (int i = 0; i < n; i++)
        h[i].key = 2 * i, h[i].value = i % 11;
    cudaMalloc(&d, n * sizeof *d);
    cudaMalloc(&d_found, sizeof found);
    cudaMalloc(&d_sums, sizeof sums);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    strided<<<1, 32>>>(d, n);
    search<<<4, 32>>>(d, n, d_found, d_sums);
    cudaMemcpy(found, d_found, sizeof found, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
    double total = 0;
    for (int i = 0; i < n; i++)
        total += found[i] * (i % 7) + sums[i] * (i + 1);
    printf("%.3f\n", total);
    cudaFree(d);
    cudaFree(d_found);
    cudaFree(d_sums);
    return 0;
}
