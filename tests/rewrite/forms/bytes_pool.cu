// void pointers of a C interface: wrappers of malloc, buffers in a table, casts at each use.
// in: vertex={px,py}{color}
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

typedef struct vertex_s {
    float px, py;
    uint32_t color;
} vertex;

typedef unsigned char byte;

#define TRY(x)                                                                                     \
    if ((x) != cudaSuccess) {                                                                      \
        puts(#x);                                                                                  \
        exit(1);                                                                                   \
    }

__global__ void shade(void *raw, unsigned n) {
    vertex *v = reinterpret_cast<vertex *>(raw);
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i].color ^= (unsigned)v[i].px;
}

__global__ void shift(const vertex *from, vertex *to, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        vertex v = from[n - 1 - i];
        v.py += 1;
        to[i] = v;
    }
}

struct buffers {
    byte *front;
    byte *back;
    size_t bytes;
};

static void swap_buffers(buffers &b) {
    byte *t = b.front;
    b.front = b.back;
    b.back = t;
}

int main() {
    const unsigned n = 90;
    buffers b = {NULL, NULL, n * sizeof(vertex)};
    vertex *host = (vertex *)malloc(b.bytes);
    for (unsigned i = 0; i < n; i++)
        host[i] = vertex{2.0f * i, 1.0f, i * 3};
    TRY(cudaMalloc((void **)&b.front, b.bytes));
    TRY(cudaMalloc((void **)&b.back, b.bytes));
    TRY(cudaMemset(b.back, 0, b.bytes));
    TRY(cudaMemcpy(b.front, host, b.bytes, cudaMemcpyHostToDevice));
    for (int k = 0; k < 3; k++) {
        shade<<<3, 32>>>(b.front, n);
        shift<<<3, 32>>>((const vertex *)b.front, (vertex *)b.back, n);
        swap_buffers(b);
    }
    TRY(cudaMemcpy(host, b.front, b.bytes, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += (host[i].px + host[i].py + host[i].color) * (i + 1);
    printf("%.2f\n", sum);
    cudaFree(b.front);
    cudaFree(b.back);
    free(host);
    return 0;
}
