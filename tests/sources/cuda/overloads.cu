// Overloads that nvcc has beyond those of C++.
//: headers both
//: run k 3: 13 12 10
#include <cmath>
__global__ void k(int *o, const float *f, const double *d, long long *l, unsigned *u, size_t n) {
    int i = threadIdx.x;
    long j = i;
    short s = i;
    o[i] = min(i, 3u) + min(n, (size_t)5) + abs(-i) + abs(j) + abs(l[i]) + min(s, s) + min(u[i], i);
    o[i] += max(f[i], d[i]) + min(d[i], f[i]) + max(f[i], 0.0) + fmax(f[i], 0) + pow(f[i], 2) * 0;
    if (isfinite(f[i]) && std::isfinite(d[i]) && !isnan(f[i]) && !isinf(d[i]) && !std::isnan(d[i]))
        o[i] += 11;
    o[i] -= 10 * i + pow(2, i) + std::pow(f[i], 2.0f) * 0 - std::abs(d[i]) * 0 - sqrt(f[i]) * 0;
}
