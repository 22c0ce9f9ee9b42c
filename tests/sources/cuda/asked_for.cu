// A kernel that is asked for and cannot be had is an error with its place.
//: wants bad
//: refused 10: it calls itself_twice, which does not compile
__device__ int itself_twice(int n) {
    return n + unknown_number;
}
__global__ void good(int *p) { p[0] = 1; }

__global__ void bad(int *p) {
    p[0] = itself_twice(p[1]);
}
