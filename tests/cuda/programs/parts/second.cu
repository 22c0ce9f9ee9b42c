// The second file of modules.cu.
static __device__ int variable = 2;
static __global__ void read(int *x) { *x = variable; }

void read_second(int *x) { read<<<1, 1>>>(x); }
