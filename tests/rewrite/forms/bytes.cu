// Buffers that are declared as bytes, and cast where they are used.
// in: Drop=soa; Drop=aosoa:32; Drop={size}{x,y,id}
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

struct Drop {
    float x, y, size;
    int id;
};

struct Pool {
    void *memory = nullptr;
    int count;
};

__global__ void fall(unsigned char *bytes, int n, float by) {
    Drop *drops = (Drop *)bytes;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        drops[i].y -= by * drops[i].size;
        reinterpret_cast<Drop *>(bytes)[i].id++;
    }
}

__global__ void grow(Drop *drops, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        drops[i].size += 1;
}

static char *global_buffer;

int main() {
    const int n = 100;
    static Drop host[n];
    uint8_t *first;
    Pool pool;
    for (int i = 0; i < n; i++)
        host[i] = Drop{1.0f * i, 100, 0.5f * (i % 7), i};
    cudaMalloc((void **)&first, sizeof host);
    cudaMalloc(&pool.memory, n * sizeof(Drop));
    pool.count = n;
    if (!pool.memory || cudaMalloc(&global_buffer, sizeof host) != cudaSuccess)
        return 1;
    cudaMemcpy(first, host, sizeof host, cudaMemcpyHostToDevice);
    fall<<<2, 64>>>(first, n, 0.5f);
    cudaMemcpy(pool.memory, first, sizeof host, cudaMemcpyDeviceToDevice);
    grow<<<2, 64>>>(static_cast<Drop *>(pool.memory), pool.count);
    int count = n / 2;
    void *list[] = {&pool.memory, &count};
    cudaLaunchKernel((const void *)grow, dim3(2), dim3(64), list, 0, 0);
    Drop *last = (Drop *)global_buffer;
    cudaMemcpy(last, pool.memory, sizeof host, cudaMemcpyDeviceToDevice);
    grow<<<2, 64>>>(last + 10, n - 10);
    cudaMemcpy(host, global_buffer, sizeof host, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (host[i].x + host[i].y + host[i].size + host[i].id) * (i + 1);
    printf("%.4f\n", sum);
    cudaFree(first);
    cudaFree(pool.memory);
    cudaFree(global_buffer);
    return 0;
}
