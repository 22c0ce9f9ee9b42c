// Pointers in device memory that are set with bytes that are counted, or reached by their address.
// in: Cell=soa
#include <cuda_runtime.h>

struct Cell {
    float x, y;
};

__device__ Cell *grid;

__global__ void k() { grid[threadIdx.x].x += 1; }
__global__ void init(Cell *c) { c[threadIdx.x].x = 0; }

int main(int argc, char **) {
    Cell *d;
    void *where;
    cudaMalloc(&d, 64 * sizeof(Cell));
    init<<<1, 64>>>(d);
    cudaMemcpyToSymbol(grid, &d, 8); //! the pointer 'grid' has more bytes in a layout; write 'sizeof\(grid\)'
    cudaGetSymbolAddress(&where, grid); //! goes to 'cudaGetSymbolAddress'
    k<<<1, argc * 64>>>();
    return cudaFree(d);
}
