#include <cstdio>
#include <utility>

#include "device.cuh"
#include "grid.cuh"

namespace grid {
__global__ void advance(const Cell *from, Cell *to, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= n - 1) {
        if (i < n)
            to[i] = from[i];
        return;
    }
    to[i].h = from[i].h + dt * (flux(from[i - 1], from[i]) - flux(from[i], from[i + 1]));
    to[i].u = from[i].u;
    to[i].flag = from[i].flag;
    mark(to + i, i % 2);
}

Solver::Solver(int n) : n(n), current(nullptr), next(nullptr) {
    CHECK(cudaMalloc(&current, n * sizeof(Cell)));
    CHECK(cudaMalloc(&next, n * sizeof(Cell)));
}
Solver::~Solver() {
    cudaFree(current);
    cudaFree(next);
}
void Solver::upload(const Cell *host) {
    CHECK(cudaMemcpy(current, host, n * sizeof(Cell), cudaMemcpyHostToDevice));
}
void Solver::download(Cell *host) const {
    CHECK(cudaMemcpy(host, current, n * sizeof(Cell), cudaMemcpyDeviceToHost));
}
void Solver::run(int steps) {
    for (int s = 0; s < steps; s++) {
        advance<<<(n + 31) / 32, 32>>>(current, next, n, 0.25f);
        std::swap(current, next);
    }
}
} // namespace grid
