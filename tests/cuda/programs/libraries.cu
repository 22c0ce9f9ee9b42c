// alone
// toolkit
// options: -lcuda
// Libraries of PTX by the runtime, what modules have in them, several texts that are linked, and
// values that streams write and wait for.
#include <cstring>
#include <cuda.h>

#include "check.h"

#define CU(call) CHECK((call) == CUDA_SUCCESS)

static const char library_text[] = R"(
.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 count = 5;
.visible .entry first(.param .u64 at, .param .u32 term) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [term];
    ld.global.u32 %r2, [count];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd1], %r3;
    ret;
}
.visible .entry second(.param .u64 at) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    .shared .align 4 .b8 room[1024];
    ld.param.u64 %rd1, [at];
    mov.u32 %r1, 9;
    st.global.u32 [%rd1], %r1;
    ret;
}
)";
static const char caller[] = R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 x);
.visible .entry calls(.param .u64 at) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    .param .b32 x;
    .param .b32 y;
    ld.param.u64 %rd1, [at];
    ld.global.u32 %r1, [%rd1];
    st.param.b32 [x], %r1;
    call.uni (y), twice, (x);
    ld.param.b32 %r2, [y];
    st.global.u32 [%rd1], %r2;
    ret;
}
)";
static const char called[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 x) {
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [x];
    shl.b32 %r2, %r1, 1;
    st.param.b32 [result], %r2;
    ret;
}
)";

static int read(const int *at) {
    int value;
    CUDA(cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost));
    return value;
}

static void libraries(int *x) {
    cudaLibrary_t library;
    cudaKernel_t kernel, all[4] = {};
    unsigned count;
    CUDA(cudaLibraryLoadData(&library, library_text, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA(cudaLibraryGetKernelCount(&count, library));
    CHECK(count == 2);
    CUDA(cudaLibraryEnumerateKernels(all, 4, library));
    CHECK(all[0] && all[1] && all[0] != all[1] && !all[2]);
    CUDA(cudaLibraryGetKernel(&kernel, library, "first"));
    CHECK(kernel == all[0] || kernel == all[1]);
    int term = 37;
    void *args[] = {&x, &term};
    CUDA(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, 0));
    CHECK(read(x) == 42);
    int *variable, sent = 100;
    size_t bytes;
    CUDA(cudaLibraryGetGlobal((void **)&variable, &bytes, library, "count"));
    CHECK(bytes == 4 && read(variable) == 5);
    CUDA(cudaMemcpy(variable, &sent, 4, cudaMemcpyHostToDevice));
    CUDA(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, 0));
    CHECK(read(x) == 137);
    CUDA(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096,
                                         0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "third") == cudaErrorSymbolNotFound);
    CHECK(cudaLibraryGetGlobal((void **)&variable, &bytes, library, "no") ==
          cudaErrorSymbolNotFound);
    CUDA(cudaLibraryUnload(library));
    CHECK(cudaLibraryUnload(library) == cudaErrorInvalidResourceHandle);
    CHECK(cudaLibraryLoadFromFile(&library, "nowhere.ptx", nullptr, nullptr, 0, nullptr, nullptr,
                                  0) == cudaErrorFileNotFound);
    FILE *file = std::fopen("kernels.ptx", "w");
    CHECK(file && std::fputs(library_text, file) >= 0 && !std::fclose(file));
    CUDA(
        cudaLibraryLoadFromFile(&library, "kernels.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA(cudaLibraryGetKernel(&kernel, library, "second"));
    CUDA(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, 0));
    CHECK(read(x) == 9);
    CUDA(cudaLibraryUnload(library));
    cudaGetLastError();
}

static void modules(int *x) {
    CUmodule module;
    CUfunction functions[2], f;
    unsigned count;
    CU(cuModuleLoadData(&module, library_text));
    CU(cuModuleGetFunctionCount(&count, module));
    CHECK(count == 2);
    CU(cuModuleEnumerateFunctions(functions, 2, module));
    const char *names[2];
    for (int i = 0; i < 2; i++) {
        CUfunctionLoadingState state;
        CU(cuFuncGetName(&names[i], functions[i]));
        CU(cuFuncLoad(functions[i]));
        CU(cuFuncIsLoaded(&state, functions[i]));
        CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);
    }
    CHECK(!std::strcmp(names[0], "first") && !std::strcmp(names[1], "second"));
    CU(cuModuleUnload(module));

    // Two texts, one of a file.
    FILE *file = std::fopen("called.ptx", "w");
    CHECK(file && std::fputs(called, file) >= 0 && !std::fclose(file));
    CUlinkState link;
    void *image;
    size_t bytes;
    CU(cuLinkCreate(0, nullptr, nullptr, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, nullptr,
                     nullptr));
    CU(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "called.ptx", 0, nullptr, nullptr));
    CHECK(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "nowhere.ptx", 0, nullptr, nullptr) ==
          CUDA_ERROR_FILE_NOT_FOUND);
    CU(cuLinkComplete(link, &image, &bytes));
    CU(cuModuleLoadData(&module, image));
    CU(cuLinkDestroy(link));
    CU(cuModuleGetFunction(&f, module, "calls"));
    int value = 21;
    CUDA(cudaMemcpy(x, &value, 4, cudaMemcpyHostToDevice));
    void *args[] = {&x};
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    CHECK(read(x) == 42);
    CU(cuModuleUnload(module));
    // What the first calls is not there.
    CU(cuLinkCreate(0, nullptr, nullptr, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, nullptr,
                     nullptr));
    CU(cuLinkComplete(link, &image, &bytes));
    CHECK(cuModuleLoadData(&module, image) == CUDA_ERROR_INVALID_PTX ||
          cuModuleGetFunction(&f, module, "calls") == CUDA_ERROR_INVALID_PTX);
    CU(cuLinkDestroy(link));
}

static void values(int *x) {
    CUdeviceptr at = (CUdeviceptr)x;
    CU(cuStreamWriteValue32_v2(nullptr, at, 7, 0));
    CHECK(read(x) == 7);
    CU(cuStreamWaitValue32_v2(nullptr, at, 7, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuStreamWaitValue32_v2(nullptr, at, 5, CU_STREAM_WAIT_VALUE_GEQ));
    CU(cuStreamWaitValue32_v2(nullptr, at, 2, CU_STREAM_WAIT_VALUE_AND));
    CU(cuStreamWaitValue32_v2(nullptr, at, 8, CU_STREAM_WAIT_VALUE_NOR));
    CHECK(cuStreamWaitValue32_v2(nullptr, at, 8, CU_STREAM_WAIT_VALUE_GEQ) ==
          CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuStreamWaitValue32_v2(nullptr, at, 8, CU_STREAM_WAIT_VALUE_AND) ==
          CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuStreamWaitValue32_v2(nullptr, at + 1, 7, 0) == CUDA_ERROR_INVALID_VALUE);
    CU(cuStreamWriteValue64_v2(nullptr, at, 0x100000002, 0));
    CU(cuStreamWaitValue64_v2(nullptr, at, 0x100000002, CU_STREAM_WAIT_VALUE_EQ));
    CHECK(read(x + 1) == 1);
    CUstreamBatchMemOpParams both[2] = {};
    both[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    both[0].writeValue.address = at;
    both[0].writeValue.value = 11;
    both[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    both[1].waitValue.address = at;
    both[1].waitValue.value = 11;
    both[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    CU(cuStreamBatchMemOp_v2(nullptr, 2, both, 0));
    CHECK(read(x) == 11);
    unsigned on = 1, got = 0;
    CU(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at));
    CU(cuPointerGetAttribute(&got, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at));
    CHECK(got == 1);
}

int main() {
    int *x;
    CUDA(cudaMalloc(&x, 64));
    libraries(x);
    modules(x);
    values(x);
    CUDA(cudaFree(x));
    return DONE;
}
