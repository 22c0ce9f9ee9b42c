// A program with a header cuda.h of its own, in a folder that goes before the toolkit's.
//: headers both
//: options -I include
//: run k 2: 7 8
#include "cuda.h"
__global__ void k(int *o) { o[threadIdx.x] += OWN_CUDA_HEADER; }
