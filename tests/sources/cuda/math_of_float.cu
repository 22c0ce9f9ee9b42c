// Functions of C++ for floats, by the names of those for doubles.
//: headers both
//: run k 4: 4 4 6 9
__global__ void k(float *o) {
    const float x = threadIdx.x;
    float y[] = {round(x + 3.6f), trunc(4.9f) + rint(x * 0.2f), fmax(x, 2.0f) + cbrt(64.0f),
                 hypot(3.0f, 4.0f) + exp2(2.0f) + fmin(x, 0.0f)};
    o[threadIdx.x] = y[threadIdx.x] + copysign(0.0f, -x) + fma(x, 0.0f, 0.0f) + fdim(x, x) +
                     lround(0.2f) + scalbn(0.0f, 3) + log2(1.0f) + remainder(x, 1.0f) + expm1(0.0f);
}
