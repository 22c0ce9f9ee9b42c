// The driver interface beside the runtime: a kernel compiled by NVRTC while the program runs.
// options: -lnvrtc
#include <cuda.h>
#include <cstring>
#include <nvrtc.h>

#include "check.h"

static const char source[] = R"(
extern "C" __global__ void scale(float *x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}
__device__ int calls = 3;
)";

template <class F> F driver(const char *name, unsigned version = 13000) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
    CHECK(result == cudaDriverEntryPointSuccess && found);
    return (F)found;
}

int main() {
    const int n = 300;
    nvrtcProgram program;
    size_t bytes;
    CHECK(!nvrtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr));
    const char *options[] = {"-arch=compute_75", "-lineinfo"};
    CHECK(!nvrtcCompileProgram(program, 2, options));
    CHECK(!nvrtcGetPTXSize(program, &bytes));
    char *ptx = new char[bytes];
    CHECK(!nvrtcGetPTX(program, ptx));

    float *x, host[n];
    for (int i = 0; i < n; i++)
        host[i] = i;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));

    CUmodule module;
    CUfunction scale;
    CHECK(!driver<CUresult (*)(CUmodule *, const void *)>("cuModuleLoadData")(&module, ptx));
    CHECK(!driver<CUresult (*)(CUfunction *, CUmodule, const char *)>("cuModuleGetFunction")(
        &scale, module, "scale"));
    float factor = 2.5f;
    int count = n;
    void *params[] = {&x, &factor, &count};
    auto launch =
        driver<CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, CUstream, void **, void **)>("cuLaunchKernel");
    CHECK(!launch(scale, 3, 1, 1, 128, 1, 1, 0, nullptr, params, nullptr));
    struct {
        float *x;
        float factor;
        int n;
    } packed = {x, 2, n / 2};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CHECK(!launch(scale, 3, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == i * (i < n / 2 ? 5.0f : 2.5f));

    CUdeviceptr calls;
    int value;
    CHECK(!driver<CUresult (*)(CUdeviceptr *, size_t *, CUmodule, const char *)>(
        "cuModuleGetGlobal")(&calls, &size, module, "calls"));
    CHECK(size == sizeof(int));
    CUDA(cudaMemcpy(&value, (void *)calls, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 3);
    // Which of its forms a name means depends on the version that a program is for.
    CHECK(driver<void *>("cuMemAdvise", 12080) != driver<void *>("cuMemAdvise"));
    CHECK(driver<void *>("cuGraphInstantiate") == driver<void *>("cuGraphInstantiateWithFlags"));
    // Graphics are not there; what calls them starts all the same.
    CHECK(driver<CUresult (*)(unsigned, void *, CUstream)>("cuGraphicsMapResources")(
              0, nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(!driver<CUresult (*)(CUmodule)>("cuModuleUnload")(module));
    return DONE;
}
