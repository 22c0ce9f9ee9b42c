// alone
// toolkit
// options: -std=c++14 -lnvrtc -lcuda
// Functions of mathematics in kernels that are compiled while the program runs.
#include <cmath>
#include <cuda.h>
#include <nvrtc.h>
#include <string>

#include "check.h"

#define CU(call) CHECK((call) == CUDA_SUCCESS)

static const char source[] = R"(
extern "C" __global__ void reals(float *f, double *d, int *i, float x, double y) {
    int k = 0;
    f[k++] = sinf(x), f[k++] = powf(x, 2.5f), f[k++] = fmaf(x, x, 1), f[k++] = expf(-x);
    f[k++] = ldexpf(x, 3), f[k++] = frexpf(x * 64, &i[0]), f[k++] = atan2f(x, 2), f[k++] = sqrtf(x);
    f[k++] = fmaxf(x, 7), f[k++] = rsqrtf(x), f[k++] = floorf(-x), f[k++] = __fdividef(x, 2);
    float s, c;
    sincosf(x, &s, &c);
    f[k++] = s, f[k++] = c;
    k = 0;
    d[k++] = cos(y), d[k++] = pow(y, 3), d[k++] = fmod(y, 0.7), d[k++] = cbrt(y), d[k++] = tgamma(y);
    d[k++] = hypot(y, 2), d[k++] = log1p(y), d[k++] = __dadd_rn(y, 1), d[k++] = fma(y, y, y);
    k = 1;
    i[k++] = __float2int_rz(x * 10), i[k++] = __popc(255), i[k++] = __clz(1), i[k++] = __mulhi(1 << 30, 8);
    i[k++] = isnan(x) ? 1 : 0, i[k++] = __float_as_int(x), i[k++] = ilogbf(x * 40), i[k++] = max(3, 9);
    i[k++] = (int)llrint(y * 100), i[k++] = __brev(1) == 0x80000000u, i[k++] = abs(-5);
    i[k++] = __ffs(8), i[k++] = __double2hiint(1.0);
}
)";

static bool near(double a, double b, double part) {
    return std::fabs(a - b) <= part * std::fabs(b);
}

int main() {
    CUDA(cudaFree(nullptr));
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, source, "math.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    const char *options[] = {"-arch=compute_80"};
    nvrtcResult result = nvrtcCompileProgram(program, 1, options);
    size_t bytes;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, ' ');
    nvrtcGetProgramLog(program, &log[0]);
    if (result != NVRTC_SUCCESS)
        std::printf("%s\n", log.c_str());
    CHECK(result == NVRTC_SUCCESS);
    CHECK(nvrtcGetPTXSize(program, &bytes) == NVRTC_SUCCESS);
    std::string ptx(bytes, ' ');
    CHECK(nvrtcGetPTX(program, &ptx[0]) == NVRTC_SUCCESS);
    CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
    CUmodule module;
    CUfunction f;
    CU(cuModuleLoadData(&module, ptx.c_str()));
    CU(cuModuleGetFunction(&f, module, "reals"));
    float *real, x = 1.25f;
    double *wide, y = 2.375;
    int *whole;
    CUDA(cudaMallocManaged(&real, 64 * sizeof *real));
    CUDA(cudaMallocManaged(&wide, 64 * sizeof *wide));
    CUDA(cudaMallocManaged(&whole, 64 * sizeof *whole));
    void *args[] = {&real, &wide, &whole, &x, &y};
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    CUDA(cudaDeviceSynchronize());
    int exponent;
    const double wanted[] = {std::sin(1.25),
                             std::pow(1.25, 2.5),
                             1.25 * 1.25 + 1,
                             std::exp(-1.25),
                             10,
                             std::frexp(80., &exponent),
                             std::atan2(1.25, 2),
                             std::sqrt(1.25),
                             7,
                             1 / std::sqrt(1.25),
                             -2,
                             0.625,
                             std::sin(1.25),
                             std::cos(1.25)};
    for (int i = 0; i < 14; i++)
        CHECK(near(real[i], wanted[i], 1e-6));
    const double doubles[] = {std::cos(y),   std::pow(y, 3), std::fmod(y, 0.7),
                              std::cbrt(y),  std::tgamma(y), std::hypot(y, 2),
                              std::log1p(y), y + 1,          y * y + y};
    for (int i = 0; i < 9; i++)
        CHECK(near(wide[i], doubles[i], 1e-14));
    const int integers[] = {exponent, 12, 8, 31, 2, 0, 0x3fa00000, 5, 9, 238, 1, 5, 4, 0x3ff00000};
    for (int i = 0; i < 14; i++)
        CHECK(whole[i] == integers[i]);
    return DONE;
}
