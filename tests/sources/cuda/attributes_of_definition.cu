// Attributes on the definition alone.
//: kernels k
//: run k 2: 0 2
float twice(float x);
__device__ float twice(float x) { return x * 2; }
__global__ void k(float *o) { o[threadIdx.x] = twice(o[threadIdx.x]); }
