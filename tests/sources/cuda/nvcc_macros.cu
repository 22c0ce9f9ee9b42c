// Macros by which sources know that nvcc reads them.
//: headers both
//: run k 1: 1
#if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 9
#error this is CUDA C
#endif
__global__ void k(int *o) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    o[0] = 1;
#endif
}
