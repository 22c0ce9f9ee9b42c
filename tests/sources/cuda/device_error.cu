// A function of the device that does not compile takes the kernels with it that call it.
//: kernels good
//: left out helper: use of undeclared identifier 'undefined_thing'
//: left out bad: it calls helper, which does not compile
//: left out worse: use of undeclared identifier 'undefined_thing'
__device__ float helper(float x) { return undefined_thing(x); }
__global__ void bad(float *p) { p[0] = helper(p[1]); }
__global__ void worse(float *p) {
    p[0] = 1;
    p[1] = undefined_thing(p[1]);
}
__global__ void good(float *p) { p[0] = p[1]; }
