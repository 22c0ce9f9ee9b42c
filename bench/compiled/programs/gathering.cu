// Elements that are gathered: two fields of each, together.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Vertex {
    float u, v;
    int next;
    float age, heat, mass;
    int owner, mark;
};

__global__ void walk(Vertex *vertices, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = vertices[i].next;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        sum += vertices[at].u * vertices[at].v;
        at = vertices[at].next;
    }
    vertices[i].heat = sum;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Vertex);
    Vertex *vertices = (Vertex *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        vertices[i].u = i % 7;
        vertices[i].v = i % 5;
        vertices[i].next = (int)((i * 2654435761u) % 4096u);
        vertices[i].age = 0;
        vertices[i].heat = 0;
        vertices[i].mass = 1;
        vertices[i].owner = i;
        vertices[i].mark = 0;
    }
    Vertex *d_vertices;
    cudaMalloc(&d_vertices, bytes);
    cudaMemcpy(d_vertices, vertices, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        walk<<<(n + 127) / 128, 128>>>(d_vertices, n);
    cudaMemcpy(vertices, d_vertices, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += vertices[i].heat;
    printf("vertices: %.6f\n", sum);
    cudaFree(d_vertices);
    free(vertices);
    return 0;
}
