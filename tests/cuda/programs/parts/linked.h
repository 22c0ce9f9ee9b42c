// What the two files of linked.cu know of each other.
#pragma once

__device__ int other(int x);
extern __device__ int counted;
extern __constant__ int factor;
extern __device__ int (*const table[2])(int);

// Compiled in both.
template <typename T> __device__ __noinline__ T most(T a, T b) { return a > b ? a : b; }
