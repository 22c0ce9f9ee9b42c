// Kernels as the driver has them: of libraries and fat binaries, their parameters and attributes,
// how many blocks an SM has at once, and launches of blocks that wait for one another.
// options: -lcuda -w -std=c++17
#include <cooperative_groups.h>
#include <cuda.h>
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string>

#include "check.h"

static const char text[] = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 total = 11;
.visible .entry scale(.param .u64 x, .param .f32 factor, .param .align 8 .b8 more[24], .param .u8 flag)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .shared .align 4 .b8 room[1024];
    ld.param.u64 %rd1, [x];
    ld.param.f32 %f1, [factor];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    mov.u32 %r2, room;
    mad.lo.u32 %r3, %r1, 4, %r2;
    st.shared.f32 [%r3], %f2;
    ld.shared.f32 %f2, [%r3];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd3], %f2;
    ret;
}
)";

extern "C" __global__ void triple(int *x) { x[threadIdx.x] *= 3; }

// Every block adds what the block after it has written.
__global__ void exchange(int *from, int *to) {
    from[blockIdx.x] = 10 * blockIdx.x;
    cooperative_groups::this_grid().sync();
    to[blockIdx.x] = blockIdx.x + from[(blockIdx.x + 1) % gridDim.x];
}

static int attribute(CUdevice_attribute which) {
    int value;
    DRIVER(cuDeviceGetAttribute(&value, which, 0));
    return value;
}

// The largest fat binary of this program, as nvcc has put it there; its linker has another one.
static std::string fat_binary() {
    std::string file;
    FILE *self = std::fopen("/proc/self/exe", "rb");
    char part[1 << 16];
    for (size_t n; self && (n = std::fread(part, 1, sizeof part, self));)
        file.append(part, n);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file.data();
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file.data() + head->e_shoff);
    const char *names = file.data() + sections[head->e_shstrndx].sh_offset;
    std::string found;
    for (int i = 0; i < head->e_shnum; i++) {
        if (std::strcmp(names + sections[i].sh_name, ".nv_fatbin"))
            continue;
        const size_t end = sections[i].sh_offset + sections[i].sh_size;
        for (size_t at = sections[i].sh_offset; at < end; at += 8) {
            unsigned short
                words[4]; // a magic number, a version, bytes of the head; bytes behind it
            unsigned long long bytes;
            std::memcpy(words, &file[at], sizeof words);
            std::memcpy(&bytes, &file[at + 8], sizeof bytes);
            if (words[0] == 0xed50 && words[1] == 0xba55 && words[3] + bytes > found.size())
                found = file.substr(at, words[3] + bytes);
        }
    }
    std::fclose(self);
    return found;
}

static void libraries(CUstream stream) {
    CUlibrary library, same;
    CUmodule module, module2;
    CUkernel kernel;
    CUfunction function;
    const char *name;
    size_t at, bytes;
    int value;
    char path[] = "driver_kernels_XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    std::fputs(text, file);
    std::fclose(file);
    DRIVER(cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    std::remove(path);
    CHECK(cuLibraryLoadFromFile(&same, path, nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_ERROR_FILE_NOT_FOUND);
    DRIVER(cuLibraryGetKernel(&kernel, library, "scale"));
    DRIVER(cuKernelGetLibrary(&same, kernel));
    CHECK(same == library);
    CHECK(cuKernelGetLibrary(&same, (CUkernel)&library) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuKernelGetLibrary(nullptr, kernel) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuLibraryGetModule(&module, library));
    CHECK(cuLibraryGetModule(&module2, (CUlibrary)&kernel) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLibraryGetModule(nullptr, library) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuModuleGetFunction(&function, module, "scale"));
    DRIVER(cuFuncGetModule(&module2, function));
    CHECK(module2 == module);
    CHECK(cuFuncGetModule(&module2, (CUfunction)&kernel) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuFuncGetName(&name, function));
    CHECK(!std::strcmp(name, "scale"));
    DRIVER(cuKernelGetName(&name, kernel));
    CHECK(!std::strcmp(name, "scale"));
    CHECK(cuFuncGetName(&name, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncGetName(nullptr, function) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuKernelGetName(&name, (CUkernel)&name) == CUDA_ERROR_INVALID_HANDLE);
    // Its parameters: a pointer, a number, 24 bytes of their own alignment, a byte.
    const size_t params[][2] = {{0, 8}, {8, 4}, {16, 24}, {40, 1}};
    for (int i = 0; i < 4; i++) {
        DRIVER(cuFuncGetParamInfo(function, i, &at, &bytes));
        CHECK(at == params[i][0] && bytes == params[i][1]);
        DRIVER(cuKernelGetParamInfo(kernel, i, &at, nullptr));
        CHECK(at == params[i][0]);
    }
    CHECK(cuFuncGetParamInfo(function, 4, &at, &bytes) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuKernelGetParamInfo(kernel, 0, nullptr, &bytes) == CUDA_ERROR_INVALID_VALUE);
    // Attributes are as they were set; those that are facts cannot be.
    DRIVER(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, 0));
    CHECK(value == 1024);
    DRIVER(
        cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
    CHECK(value == attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) - 1024);
    DRIVER(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, kernel, 0));
    DRIVER(
        cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
    CHECK(value == 60000);
    DRIVER(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 0));
    DRIVER(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, kernel,
                                0));
    CHECK(value == 50);
    CHECK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 8, kernel, 0) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20, kernel,
                               0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 1) ==
          CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 1) ==
          CUDA_ERROR_INVALID_DEVICE);
    DRIVER(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    CHECK(cuKernelSetCacheConfig(kernel, (CUfunc_cache)9, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 1) == CUDA_ERROR_INVALID_DEVICE);
    DRIVER(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED));
    CHECK(cuFuncSetCacheConfig((CUfunction)&value, CU_FUNC_CACHE_PREFER_L1) ==
          CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    CHECK(cuFuncSetSharedMemConfig(function, (CUsharedconfig)9) == CUDA_ERROR_INVALID_VALUE);

    float x[32];
    CUdeviceptr device;
    for (int i = 0; i < 32; i++)
        x[i] = i;
    DRIVER(cuMemAlloc(&device, sizeof x));
    DRIVER(cuMemcpyHtoD(device, x, sizeof x));
    float factor = 1.5f;
    char more[24], flag = 1;
    void *args[] = {&device, &factor, more, &flag};
    DRIVER(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 60000, stream, args, nullptr));
    DRIVER(cuMemcpyDtoH(x, device, sizeof x));
    for (int i = 0; i < 32; i++)
        CHECK(x[i] == i * 1.5f);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 60004, stream, args, nullptr) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, stream, args, nullptr) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, stream, args, nullptr) ==
          CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemFree(device));
    DRIVER(cuLibraryUnload(library));
    CHECK(cuKernelGetName(&name, kernel) == CUDA_ERROR_INVALID_HANDLE);
}

static void fat_binaries(CUstream stream) {
    const std::string image = fat_binary();
    CUmodule module;
    CUfunction function;
    CUdeviceptr device;
    int x[32];
    CHECK(!image.empty());
    DRIVER(cuModuleLoadFatBinary(&module, image.data()));
    CHECK(cuModuleLoadFatBinary(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuModuleGetFunction(&function, module, "triple"));
    CHECK(cuModuleGetFunction(&function, module, "quadruple") == CUDA_ERROR_NOT_FOUND);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    DRIVER(cuMemAlloc(&device, sizeof x));
    DRIVER(cuMemcpyHtoD(device, x, sizeof x));
    void *args[] = {&device};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, args, nullptr));
    DRIVER(cuMemcpyDtoH(x, device, sizeof x));
    for (int i = 0; i < 32; i++)
        CHECK(x[i] == 3 * i);
    DRIVER(cuMemFree(device));
    DRIVER(cuModuleUnload(module));
}

static size_t no_shared(int) { return 0; }

static void occupancy() {
    CUmodule module;
    CUfunction function;
    int registers, blocks, grid, block;
    size_t bytes;
    DRIVER(cuModuleLoadData(&module, text));
    DRIVER(cuModuleGetFunction(&function, module, "scale"));
    DRIVER(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    CHECK(registers <= 32); // so that they are no limit
    const int threads_of_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    const int blocks_of_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    const int shared_of_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    const int reserved = attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    const int sms = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    for (int threads : {32, 96, 256, 1000, 1024})
        for (int dynamic : {0, 2000, 20000, 45000}) {
            const int by_threads = threads_of_sm / ((threads + 31) / 32 * 32);
            const int by_shared = shared_of_sm / (1024 + dynamic + reserved);
            const int wanted = std::min({by_threads, by_shared, blocks_of_sm});
            DRIVER(
                cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, dynamic));
            CHECK(blocks == wanted);
            DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &blocks, function, threads, dynamic, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
            CHECK(blocks == wanted);
        }
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0) == 1);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, function, 32, 0) == 1);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 32, 0, 8) == 1);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (CUfunction)&blocks, 32, 0) ==
          CUDA_ERROR_INVALID_HANDLE);
    // With what is left for each of them, and no more than a launch may have.
    for (int count : {1, 2, 8, 16}) {
        const int share = shared_of_sm / count - reserved - 1024;
        const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) - 1024;
        DRIVER(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, count, 64));
        CHECK(bytes == (size_t)std::min(share, most));
        DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, bytes));
        CHECK(blocks >= count);
    }
    CHECK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 0, 64) == 1);
    CHECK(cuOccupancyAvailableDynamicSMemPerBlock(nullptr, function, 1, 64) == 1);
    // The best size fills all SMs.
    DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, no_shared, 0, 0, 0));
    CHECK(grid * block == sms * threads_of_sm);
    DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, nullptr, 0, 100, 0));
    CHECK(block <= 100 && grid % sms == 0);
    CHECK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, nullptr, 0, 0, 8) ==
          1);
    CHECK(cuOccupancyMaxPotentialBlockSizeWithFlags(nullptr, &block, function, nullptr, 0, 0, 0) ==
          CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuModuleUnload(module));
}

static void cooperation(CUstream stream) {
    const int n = 16;
    CUfunction function;
    CUdeviceptr from, to;
    int got[n];
    CUDA(cudaGetFuncBySymbol(&function, (const void *)exchange));
    DRIVER(cuMemAlloc(&from, sizeof got));
    DRIVER(cuMemAlloc(&to, sizeof got));
    void *args[] = {&from, &to};
    DRIVER(cuLaunchCooperativeKernel(function, n, 1, 1, 1, 1, 1, 0, stream, args));
    DRIVER(cuMemcpyDtoH(got, to, sizeof got));
    for (int i = 0; i < n; i++)
        CHECK(got[i] == i + 10 * ((i + 1) % n));
    CHECK(cuLaunchCooperativeKernel(function, 1 << 20, 1, 1, 1, 1, 1, 0, stream, args) ==
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CHECK(cuLaunchCooperativeKernel((CUfunction)&got, n, 1, 1, 1, 1, 1, 0, stream, args) ==
          CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLaunchCooperativeKernel(function, n, 1, 1, 1, 1, 1, 0, (CUstream)&got, args) ==
          CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuMemFree(from));
    DRIVER(cuMemFree(to));
}

// Pools, which belong to the device, so that they need no context; what is allocated does.
static void pools(CUstream stream) {
    CUmemoryPool standard, pool, current;
    CUmemPoolProps properties = {};
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags;
    CUdeviceptr x, y;
    cuuint64_t bytes, threshold = 4096;
    int on = 0;
    DRIVER(cuDeviceGetDefaultMemPool(&standard, 0));
    CHECK(cuDeviceGetDefaultMemPool(&pool, 1) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuMemPoolDestroy(standard) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemPoolCreate(&pool, &properties) == CUDA_ERROR_INVALID_VALUE); // of no kind
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0};
    CHECK(cuMemPoolCreate(&pool, &properties) == CUDA_ERROR_INVALID_VALUE);
    properties.location = host;
    CHECK(cuMemPoolCreate(&pool, &properties) == CUDA_ERROR_NOT_SUPPORTED);
    properties.location = here;
    properties.maxSize = 10000;
    DRIVER(cuMemPoolCreate(&pool, &properties));
    CHECK(cuMemPoolCreate(&pool, nullptr) == CUDA_ERROR_INVALID_VALUE);
    // What the attributes are at first, and after.
    for (CUmemPool_attribute reuse : {CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
                                      CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
                                      CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES})
        for (CUmemoryPool each : {standard, pool}) {
            DRIVER(cuMemPoolGetAttribute(each, reuse, &on));
            CHECK(on == 1);
        }
    on = 0;
    DRIVER(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &on));
    on = 5;
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &on));
    CHECK(on == 0);
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
    CHECK(bytes == 0);
    DRIVER(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
    CHECK(bytes == 4096);
    CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes) == 1);
    CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &threshold) == 1);
    CHECK(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &bytes) == 1);
    CHECK(cuMemPoolGetAttribute((CUmemoryPool)&pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes) == 1);
    // Who has access.
    DRIVER(cuMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    DRIVER(cuMemPoolGetAccess(&flags, pool, &host));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    CHECK(cuMemPoolGetAccess(nullptr, pool, &here) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemPoolSetAccess(pool, &access, 1));
    DRIVER(cuMemPoolSetAccess(pool, nullptr, 0));
    access.location = host;
    CHECK(cuMemPoolSetAccess(pool, &access, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemPoolSetAccess(pool, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
    // From one that is asked for, and from the current one.
    DRIVER(cuMemAllocFromPoolAsync(&x, 6000, pool, stream));
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    CHECK(bytes == 6000);
    CHECK(cuMemAllocFromPoolAsync(&y, 6000, pool, stream) == CUDA_ERROR_OUT_OF_MEMORY); // maxSize
    CHECK(cuMemAllocFromPoolAsync(&y, 4, pool, (CUstream)&x) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemAllocFromPoolAsync(&y, 4, (CUmemoryPool)&x, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAllocFromPoolAsync(nullptr, 4, pool, stream) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuDeviceSetMemPool(0, pool));
    DRIVER(cuDeviceGetMemPool(&current, 0));
    CHECK(current == pool && cuDeviceGetMemPool(&current, 1) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuDeviceSetMemPool(0, (CUmemoryPool)&x) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemAllocAsync(&y, 4000, stream));
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    CHECK(bytes == 10000);
    CHECK(cuMemAllocAsync(&y, 0, stream) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemsetD32Async(y, 7, 1000, stream));
    DRIVER(cuMemFreeAsync(x, stream));
    CHECK(cuMemFreeAsync(x, stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFreeAsync(y, (CUstream)&x) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuMemPoolTrimTo(pool, 0));
    CHECK(cuMemPoolTrimTo((CUmemoryPool)&x, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    CHECK(bytes == 4000);
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes));
    CHECK(bytes == 10000);
    bytes = 0;
    DRIVER(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes));
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes));
    CHECK(bytes == 4000);
    // The device has its first one again when this goes; what was allocated lives on.
    DRIVER(cuMemPoolDestroy(pool));
    DRIVER(cuDeviceGetMemPool(&current, 0));
    CHECK(current == standard && cuMemPoolDestroy(pool) == CUDA_ERROR_INVALID_VALUE);
    int word;
    DRIVER(cuMemcpyDtoH(&word, y + 3996, 4));
    CHECK(word == 7);
    DRIVER(cuMemFree(y));
}

int main() {
    CUcontext context;
    CUstream stream;
    DRIVER(cuInit(0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    libraries(stream);
    fat_binaries(stream);
    occupancy();
    cooperation(stream);
    pools(stream);
    return DONE;
}
