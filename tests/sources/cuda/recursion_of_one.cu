// A kernel that comes to recursion is left out, and the others go on.
//: kernels good
//: left out recursive: recursion is not supported: deep calls itself here
__device__ int deep(int n) { return n ? deep(n - 1) : 0; }
__global__ void recursive(int *p) { p[0] = deep(p[1]); }
__global__ void good(int *p) { p[0] = 1; }
