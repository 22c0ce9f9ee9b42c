// Headers that may be missing, asked for or not; and one that only the device's code needs.
//: headers both
//: kernels good
//: left out : 'generated/config.h' file not found
//: left out bad: use of undeclared identifier 'CONFIGURED_SIZE'
#include "generated/config.h"
#if __has_include("other/config.h")
#include "other/config.h"
#endif
#ifndef THREADS
#define THREADS 64
#endif
__global__ void good(int *p) { p[threadIdx.x % THREADS] = 1; }
__global__ void bad(int *p) { p[CONFIGURED_SIZE] = 1; }
int main() { good<<<1, THREADS>>>(nullptr); }
