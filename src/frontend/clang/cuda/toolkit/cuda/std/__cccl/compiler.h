/* NVIDIA's header is to see the compiler that there is, whatever heddle_functions.h says. */
#undef __NVCC__
#include_next <cuda/std/__cccl/compiler.h>
#define __NVCC__ 1
