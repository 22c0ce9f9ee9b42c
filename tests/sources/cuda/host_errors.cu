// Code of the host that does not compile, and headers that are not there, matter to no kernel.
//: headers both
//: kernels good, scale<float>
//: left out : 'helper_cuda.h' file not found
//: left out : 'boost/nothing.hpp' file not found
//: left out : use of undeclared identifier 'checkCudaErrors'
//: left out : use of undeclared identifier 'boost'
//: accesses good: load p.x 4, store p.x 4
#include <cstdio>

#include "helper_cuda.h"
#include <boost/nothing.hpp>

struct point { float x, y; };

template <class T> __global__ void scale(T *p, T s) { p[threadIdx.x] *= s; }
__global__ void good(point *p) { p[threadIdx.x].x += 1; }

class owner {
    int a;
    boost::vector<int> v;
    void run() { checkCudaErrors(a); }
};

int main() {
    float *d;
    checkCudaErrors(cudaMalloc(&d, 4));
    for (int i = 0; i < 3; i++) {
        scale<<<1, 1>>>(d, 3.0f);
        checkCudaErrors(i);
    }
    if (checkCudaErrors(3)) {
        printf("x");
    } else {
        printf("y");
    }
    return 0;
}
