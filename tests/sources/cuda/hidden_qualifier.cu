// A statement that does not compile is never left out of a function that kernels call, though a
// macro hides that it is the device's.
//: kernels good
//: left out hidden: use of undeclared identifier 'missing_call'
//: left out bad: it calls hidden, which does not compile
#define DEV __device__
DEV float hidden(float x) {
    float y = 2;
    missing_call(&y);
    return x * y;
}
__global__ void bad(float *p) { p[0] = hidden(p[1]); }
__global__ void good(float *p) { p[0] = p[1]; }
