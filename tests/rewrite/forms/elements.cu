// Whole elements: references, exchanges, copies by memcpy() and by assignment.
// in: Item=soa; Item=aosoa:32; Item={key}{value,tag}
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <utility>

struct Item {
    int key;
    float value[3];
    char tag;
};

template <class T> __device__ void exchange(T &a, T &b) {
    T held = a;
    a = b;
    b = held;
}

__device__ void order(Item *a, Item *b) {
    if (b->key < a->key)
        exchange(*a, *b);
}

__global__ void sort(Item *items, int n, int odd) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
    if (i + 1 < n)
        order(&items[i], items + i + 1);
}

__global__ void move(Item *items, Item *other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Item own;
    memcpy(&own, &items[i], sizeof(Item));
    own.value[i % 3] += 1;
    if (i % 4 == 0) {
        memcpy(&other[i], &own, sizeof own);
    } else if (i % 4 == 1) {
        memcpy(other + i, items + (n - 1 - i), sizeof(*items));
    } else {
        const Item &from = items[i];
        auto &to = other[i];
        to = from;
        to.tag = from.tag + 1;
    }
}

int main() {
    const int n = 64;
    Item *items, *other;
    cudaMallocManaged(&items, n * sizeof(Item));
    cudaMallocManaged(&other, n * sizeof(Item));
    for (int i = 0; i < n; i++)
        items[i] = Item{i * 37 % n, {1.0f * i, 0.5f * i, 2}, (char)(i % 100)};
    std::swap(items[3], items[40]);
    for (int k = 0; k < n; k++)
        sort<<<1, 32>>>(items, n, k % 2);
    move<<<2, 32>>>(items, other, n);
    cudaDeviceSynchronize();
    std::swap(items, other);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (items[i].key + items[i].value[1] + items[i].value[2] + items[i].tag) * (i + 1);
    printf("%.4f %d\n", sum, other[5].key);
    cudaFree(items);
    cudaFree(other);
    return 0;
}
