// `register` is no longer C++, but nvcc takes it.
//: headers both
//: run k 2: 2 3
__global__ void k(int *o) {
    register int i = threadIdx.x;
    register float x = 2;
    o[i] = x + i;
}
