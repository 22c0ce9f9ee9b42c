#include "grid.cuh"

__device__ float grid::flux(const Cell &a, const Cell &b) { return 0.5f * (a.u + b.u) + (a.h - b.h); }
__device__ void grid::mark(Cell *cell, int by) { cell->flag += by; }
