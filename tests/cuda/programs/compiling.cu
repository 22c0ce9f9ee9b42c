// alone
// toolkit
// options: -std=c++14 -lnvrtc -lcuda
// Kernels that are compiled while the program runs, by NVRTC or by what stands in for it: headers in
// memory, options, names of templates, and errors.
#include <cstring>
#include <cuda.h>
#include <nvrtc.h>
#include <string>

#include "check.h"

#define CU(call) CHECK((call) == CUDA_SUCCESS)

static const char source[] = R"(
#include "shapes/scale.h"
namespace things {
template <class T, int N> __global__ void fill(T *x, T value) {
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        x[i] = value + T(i);
}
__device__ float factors[4] = {1, 2, 4, 8};
}
extern "C" __global__ void apply(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = scaled(x[i]) * OFFSET * things::factors[i % 4];
}
)";
static const char header[] = R"(
#pragma once
__device__ inline float scaled(float x) { return x * 3; }
)";

static nvrtcProgram made(const char *text, int headers) {
    const char *texts[] = {header}, *names[] = {"shapes/scale.h"};
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, text, "kernels.cu", headers, texts, names) == NVRTC_SUCCESS);
    return program;
}
static std::string log_of(nvrtcProgram program) {
    size_t bytes;
    CHECK(nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS && bytes);
    std::string log(bytes, ' ');
    CHECK(nvrtcGetProgramLog(program, &log[0]) == NVRTC_SUCCESS);
    return log;
}
static bool has(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

static void runs() {
    nvrtcProgram program = made(source, 1);
    const char *names[] = {"things::fill<float, 100>", "&things::factors", "apply"};
    for (const char *name : names)
        CHECK(nvrtcAddNameExpression(program, name) == NVRTC_SUCCESS);
    const char *options[] = {"--gpu-architecture=compute_75", "-DOFFSET=10", "--std=c++14",
                             "-lineinfo"};
    nvrtcResult result = nvrtcCompileProgram(program, 4, options);
    if (result != NVRTC_SUCCESS)
        std::printf("%s\n", log_of(program).c_str());
    CHECK(result == NVRTC_SUCCESS);
    size_t bytes;
    CHECK(nvrtcGetPTXSize(program, &bytes) == NVRTC_SUCCESS);
    std::string ptx(bytes, ' ');
    CHECK(nvrtcGetPTX(program, &ptx[0]) == NVRTC_SUCCESS);
    CHECK(has(ptx, ".entry apply") && has(ptx, ".target sm_75"));
    const char *fill_name, *factors_name, *apply_name, *none;
    CHECK(nvrtcGetLoweredName(program, names[0], &fill_name) == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(program, names[1], &factors_name) == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(program, names[2], &apply_name) == NVRTC_SUCCESS);
    CHECK(!std::strcmp(apply_name, "apply"));
    CHECK(nvrtcGetLoweredName(program, "other", &none) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CHECK(nvrtcAddNameExpression(program, "late") ==
          NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);

    CUmodule module;
    CUfunction fill, apply;
    CUdeviceptr factors, x;
    float value = 5, host[100];
    int n = 100;
    CU(cuModuleLoadData(&module, ptx.c_str()));
    CU(cuModuleGetFunction(&fill, module, fill_name));
    CU(cuModuleGetFunction(&apply, module, apply_name));
    CU(cuModuleGetGlobal(&factors, &bytes, module, factors_name));
    CHECK(bytes == 4 * sizeof(float));
    CU(cuMemAlloc(&x, sizeof host));
    void *fill_args[] = {&x, &value}, *args[] = {&x, &n};
    CU(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, nullptr, fill_args, nullptr));
    CU(cuLaunchKernel(apply, 2, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
    CU(cuMemcpyDtoH(host, x, sizeof host));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == (5 + i) * 3 * 10 * (1 << i % 4));
    CU(cuMemFree(x));
    CU(cuModuleUnload(module));
    CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS && !program);
}

static void fails() {
    nvrtcProgram program = made("__global__ void k(int *x) {\n    x[0] = nowhere;\n}\n", 0);
    CHECK(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION);
    std::string log = log_of(program);
    CHECK(has(log, "kernels.cu") && has(log, "nowhere") && (has(log, ":2:") || has(log, "(2)")));
    CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
    program = made("__global__ void k() {}\n", 0);
    const char *wrong[] = {"--no-such-option"};
    CHECK(nvrtcCompileProgram(program, 1, wrong) == NVRTC_ERROR_INVALID_OPTION);
    CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
    CHECK(!std::strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"));
    // Functions without a word of where they run.
    program = made("int twice(int x) { return 2 * x; }\n"
                   "__global__ void k(int *x) { *x = twice(*x); }\n",
                   0);
    const char *device[] = {"-default-device",   "--builtin-move-forward=true",
                            "-device-int128",    "--maxrregcount=32",
                            "--use_fast_math",   "--relocatable-device-code=true",
                            "--define-macro=X=1"};
    CHECK(nvrtcCompileProgram(program, 7, device) == NVRTC_SUCCESS);
    CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
    int count, major, minor;
    CHECK(nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0);
    CHECK(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major >= 12);
}

int main() {
    CUDA(cudaFree(nullptr));
    runs();
    fails();
    return DONE;
}
