// Random numbers of cuRAND, with a state for each thread in memory.
//: headers toolkit
//: kernels start, draw
//: accesses start: store states.d 4, store states.v[0] 4, store states.v[1] 4, store states.v[2] 4, store states.v[3] 4, store states.v[4] 4, store states.d 4, store states.boxmuller_flag 4, store states.boxmuller_flag_double 4, store states.boxmuller_extra 4, store states.boxmuller_extra_double 8
#include <curand_kernel.h>
__global__ void start(curandState *states) { curand_init(1234, 0, 0, &states[threadIdx.x]); }
__global__ void draw(float *o, curandState *states) {
    curandState own = states[threadIdx.x];
    o[threadIdx.x] = curand_uniform(&own);
    states[threadIdx.x] = own;
}
