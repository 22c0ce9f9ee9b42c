// Functions of double and float against the host's, within the errors that CUDA documents.
// rounds
#include <cmath>

#include "check.h"

const int functions = 10;

__global__ void compute(const double *x, double *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = x[i], *r = y + functions * i;
    float f = (float)v, *s = z + functions * i;
    r[0] = sin(v), r[1] = cos(v), r[2] = exp(v / 10), r[3] = log(v + 20), r[4] = sqrt(v + 20);
    r[5] = pow(v + 20, 1.5), r[6] = atan2(v, 3.0), r[7] = cbrt(v), r[8] = fmod(v, 0.7), r[9] = erf(v);
    s[0] = sinf(f), s[1] = cosf(f), s[2] = expf(f / 10), s[3] = logf(f + 20), s[4] = sqrtf(f + 20);
    s[5] = powf(f + 20, 1.5f), s[6] = atan2f(f, 3.0f), s[7] = cbrtf(f), s[8] = fmodf(f, 0.75f),
    s[9] = rsqrtf(f + 20);
}

static bool near(double a, double b, double error) {
    return std::fabs(a - b) <= error * std::fmax(1e-3, std::fabs(b));
}

int main() {
    const int n = 400;
    static double x[n], y[functions * n];
    static float z[functions * n];
    double *dx, *dy;
    float *dz;
    for (int i = 0; i < n; i++)
        x[i] = (i - n / 2) / 16.0;
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMalloc(&dz, sizeof z));
    CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    compute<<<4, 100>>>(dx, dy, dz, n);
    CUDA(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(z, dz, sizeof z, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        double v = x[i];
        const double wanted[functions] = {sin(v), cos(v), exp(v / 10), log(v + 20), sqrt(v + 20),
                                          pow(v + 20, 1.5), atan2(v, 3.0), cbrt(v), fmod(v, 0.7),
                                          erf(v)};
        const double wanted_float[functions] = {sin(v), cos(v), exp(v / 10), log(v + 20),
                                                sqrt(v + 20), pow(v + 20, 1.5), atan2(v, 3.0),
                                                cbrt(v), fmod(v, 0.75), 1 / sqrt(v + 20)};
        for (int f = 0; f < functions; f++) {
            CHECK(near(y[functions * i + f], wanted[f], 1e-12));
            CHECK(near(z[functions * i + f], wanted_float[f], 2e-5));
        }
    }
    return DONE;
}
