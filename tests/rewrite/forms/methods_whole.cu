// Methods that use their object in another way than by its fields.
// in: Cell=soa
#include <cuda_runtime.h>

struct Cell {
    float a, b;
    __device__ void reset() { *this = Cell(); } //! the object is used as a whole, in the method 'reset'
    __device__ float *first() { return &a; } //! the address of field 'a' is stored
    __device__ Cell &add(float v) {
        a += v;
        return *this;
    }
    __device__ void later(float v) {
        auto f = [&] { a += v; }; //! there is a lambda, in the method 'later'
        f();
    }
    __device__ Cell &operator=(float v) {
        a = v;
        return *this;
    }
    __device__ void mix(Cell &other) { other.a = a; }
};

__global__ void k(Cell *cells) {
    int i = threadIdx.x;
    cells[i].reset();
    *cells[i].first() = 1;
    cells[i].later(2);
    cells[i].add(1).add(2); //! what the method 'add' returns leads into the element
    cells[i] = 3.0f; //! the method 'operator=' may change the element
    Cell own = cells[i];
    own.mix(cells[i]); //! 'mix' takes this element of 'Cell' by a reference
}

int main() {
    Cell *cells;
    cudaMalloc(&cells, 64 * sizeof(Cell));
    k<<<1, 64>>>(cells);
    return cudaFree(cells);
}
