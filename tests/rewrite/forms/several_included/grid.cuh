#pragma once
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess)                                                                      \
            std::printf("%s: %s\n", #call, cudaGetErrorString(e));                                 \
    } while (0)

namespace grid {
struct Cell {
    float h, u;
    short flag;
};
__device__ inline float flux(const Cell &a, const Cell &b);
__device__ inline void mark(Cell *cell, int by);
__global__ void advance(const Cell *from, Cell *to, int n, float dt);

class Solver {
public:
    explicit Solver(int n);
    ~Solver();
    void upload(const Cell *host);
    void run(int steps);
    void download(Cell *host) const;

private:
    int n;
    Cell *current, *next;
};
} // namespace grid
