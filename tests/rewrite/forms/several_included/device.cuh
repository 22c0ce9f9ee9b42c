#include "grid.cuh"

__device__ inline float grid::flux(const Cell &a, const Cell &b) { return 0.5f * (a.u + b.u) + (a.h - b.h); }
__device__ inline void grid::mark(Cell *cell, int by) { cell->flag += by; }
