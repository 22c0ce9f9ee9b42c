// Only what is asked for is compiled, so that others are not even looked at.
//: wants good
//: kernels good
__device__ int deep(int n) { return n ? deep(n - 1) : 0; }
__global__ void recursive(int *p) { p[0] = deep(p[1]); }
__global__ void good(int *p) { p[0] = 1; }
