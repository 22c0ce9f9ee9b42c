// A lattice whose allocation, copies and launches are each behind a function of their own.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float density;
    float velocity[2];
    float pressure;
    float source;
    int type; // 0: fluid, 1: wall, 2: inlet
} Cell;

enum { FLUID, WALL, INLET };

inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}
#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)

/* ------------------------------------------------------------------ kernels */

__device__ float neighbourPressure(const Cell *cells, int x, int y, int width, int height) {
    float sum = 0;
    int count = 0;
    const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
    for (int k = 0; k < 4; k++) {
        int nx = x + dx[k], ny = y + dy[k];
        if (nx < 0 || ny < 0 || nx >= width || ny >= height)
            continue;
        const Cell *other = &cells[ny * width + nx];
        if (other->type == WALL)
            continue;
        sum += other->pressure;
        count++;
    }
    return count ? sum / count : cells[y * width + x].pressure;
}

__global__ void relax(Cell *cells, float *next, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int i = y * width + x;
    next[i] = cells[i].type == FLUID
                  ? 0.5f * cells[i].pressure +
                        0.5f * neighbourPressure(cells, x, y, width, height) + cells[i].source
                  : cells[i].pressure;
}

__global__ void advance(Cell *cells, const float *next, int width, int height, float dt) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    Cell *c = cells + y * width + x;
    c->pressure = next[y * width + x];
    if (c->type != FLUID)
        return;
    int right = min(x + 1, width - 1), up = min(y + 1, height - 1);
    c->velocity[0] -= dt * (next[y * width + right] - c->pressure);
    c->velocity[1] -= dt * (next[up * width + x] - c->pressure);
    c->density += dt * (c->velocity[0] + c->velocity[1]);
}

/* ------------------------------------------------------- host-side wrappers */

Cell *allocateCells(int count) {
    Cell *cells = NULL;
    gpuErrchk(cudaMalloc((void **)&cells, count * sizeof(Cell)));
    return cells;
}

void uploadCells(Cell *device, const Cell *host, int count) {
    gpuErrchk(cudaMemcpy(device, host, count * sizeof(Cell), cudaMemcpyHostToDevice));
}

void downloadCells(Cell *host, const Cell *device, int count) {
    gpuErrchk(cudaMemcpy(host, device, count * sizeof(Cell), cudaMemcpyDeviceToHost));
}

void launchRelax(Cell *cells, float *next, int width, int height) {
    dim3 block(16, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    relax<<<grid, block>>>(cells, next, width, height);
    gpuErrchk(cudaPeekAtLastError());
}

void launchAdvance(Cell *cells, const float *next, int width, int height, float dt) {
    dim3 block(16, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    advance<<<grid, block>>>(cells, next, width, height, dt);
    gpuErrchk(cudaPeekAtLastError());
}

void simulate(Cell *cells, float *next, int width, int height, int steps) {
    for (int s = 0; s < steps; s++) {
        launchRelax(cells, next, width, height);
        launchAdvance(cells, next, width, height, 0.05f);
    }
    gpuErrchk(cudaDeviceSynchronize());
}

/* --------------------------------------------------------------------- main */

int main(int argc, char *argv[]) {
    int width = 45, height = 30, steps = 8;
    if (argc > 2) {
        width = atoi(argv[1]);
        height = atoi(argv[2]);
    }
    int count = width * height;
    Cell *host = (Cell *)calloc(count, sizeof(Cell));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            Cell *c = &host[y * width + x];
            c->type = x == 0 ? INLET : (y == 0 || y == height - 1) ? WALL : FLUID;
            c->pressure = c->type == INLET ? 1.0f : 0.1f;
            c->density = 1.0f;
            c->source = (x * 7 + y * 13) % 31 == 0 ? 0.01f : 0.0f;
        }

    Cell *device = allocateCells(count);
    float *next;
    gpuErrchk(cudaMalloc((void **)&next, count * sizeof(float)));
    uploadCells(device, host, count);
    simulate(device, next, width, height, steps);
    downloadCells(host, device, count);

    double mass = 0, pressure = 0;
    int walls = 0;
    for (int i = 0; i < count; i++) {
        mass += host[i].density;
        pressure += host[i].pressure;
        walls += host[i].type == WALL;
    }
    printf("%d x %d cells, %d walls\n", width, height, walls);
    printf("mass %.5f\npressure %.5f\n", mass, pressure);
    int middle = (height / 2) * width + width / 3;
    printf("middle: p %.6f u (%.6f, %.6f)\n", host[middle].pressure, host[middle].velocity[0],
           host[middle].velocity[1]);

    gpuErrchk(cudaFree(next));
    gpuErrchk(cudaFree(device));
    free(host);
    return 0;
}
