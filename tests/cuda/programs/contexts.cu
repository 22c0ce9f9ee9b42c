// The driver's devices and contexts: what the device is, which context is current, its settings.
// options: -lcuda -w
#include <cuda.h>
#include <cstring>
#include <dlfcn.h>

#include "check.h"

__global__ void square(int *x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }

template <class F> F *named(const char *name) {
    F *found = (F *)dlsym(RTLD_DEFAULT, name);
    CHECK(found);
    return found;
}

static void devices() {
    int count, major, minor, value, version;
    char bus[32], uuid[16], uuid2[16];
    CUdevice device;
    DRIVER(cuDriverGetVersion(&version));
    CHECK(version >= 13000 && cuDriverGetVersion(nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGetCount(&count));
    CHECK(count == 1 && cuDeviceGetCount(nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGet(&device, count) == CUDA_ERROR_INVALID_DEVICE);
    DRIVER(cuDeviceComputeCapability(&major, &minor, device));
    DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(major == value && cuDeviceComputeCapability(&major, nullptr, device) == 1);
    DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    CHECK(minor == value);
    // Some of its properties at once.
    CUdevprop properties;
    DRIVER(cuDeviceGetProperties(&properties, device));
    DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    CHECK(properties.maxThreadsPerBlock == value);
    DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, device));
    CHECK(properties.maxGridSize[1] == value && properties.SIMDWidth == 32);
    DRIVER(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, device));
    CHECK(properties.textureAlign == value);
    CHECK(cuDeviceGetProperties(&properties, 1) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuDeviceGetProperties(nullptr, device) == CUDA_ERROR_INVALID_VALUE);
    // Its place on the bus, in all the forms that it can be asked for in.
    DRIVER(cuDeviceGetPCIBusId(bus, sizeof bus, device));
    CHECK(std::strlen(bus) == 12 && bus[4] == ':' && bus[7] == ':' && bus[10] == '.');
    CHECK(cuDeviceGetPCIBusId(bus, 12, device) == CUDA_ERROR_INVALID_VALUE);
    for (const char *form : {bus, bus + 5}) {
        value = -1;
        DRIVER(cuDeviceGetByPCIBusId(&value, form));
        CHECK(value == device);
    }
    bus[10] = 0;
    DRIVER(cuDeviceGetByPCIBusId(&value, bus));
    CHECK(cuDeviceGetByPCIBusId(&value, "0000:fe:1f.0") == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuDeviceGetByPCIBusId(&value, "elsewhere") == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetByPCIBusId(nullptr, bus) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(named<CUresult(void *, CUdevice)>("cuDeviceGetUuid")(uuid, device));
    DRIVER(cuDeviceGetUuid_v2((CUuuid *)uuid2, device));
    CHECK(!std::memcmp(uuid, uuid2, 16));
    CHECK(cuDeviceGetUuid_v2(nullptr, device) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetUuid_v2((CUuuid *)uuid, 1) == CUDA_ERROR_INVALID_DEVICE);
    // There is no second one.
    DRIVER(cuDeviceCanAccessPeer(&value, 0, 0));
    CHECK(value == 0 && cuDeviceCanAccessPeer(&value, 0, 1) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0) ==
          CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)99, 0, 1) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetP2PAttribute(nullptr, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1) ==
          CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuDeviceGraphMemTrim(device));
    CHECK(cuDeviceGraphMemTrim(1) == CUDA_ERROR_INVALID_DEVICE);
}

static void contexts() {
    CUcontext first, second, third, current;
    CUexecAffinityParam part = {};
    CUctxCreateParams parts = {&part, 1, nullptr};
    unsigned version, flags;
    unsigned long long ids[3], id;
    CUdevice device = -1;
    auto create_v3 = named<CUresult(CUcontext *, CUexecAffinityParam *, int, unsigned, CUdevice)>(
        "cuCtxCreate_v3");
    CHECK(cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxGetId(nullptr, &id) == CUDA_ERROR_INVALID_CONTEXT);
    DRIVER(create_v3(&first, nullptr, 0, CU_CTX_SCHED_SPIN, 0));
    DRIVER(cuCtxCreate_v4(&second, nullptr, CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST, 0));
    CHECK(create_v3(&third, &part, 1, 0, 0) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    CHECK(cuCtxCreate_v4(&third, &parts, 0, 0) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    CHECK(cuCtxCreate_v4(&third, nullptr, 0x100, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxCreate_v4(&third, nullptr, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxCreate_v4(&third, nullptr, 0, 1) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuCtxCreate_v4(nullptr, nullptr, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuCtxGetCurrent(&current));
    CHECK(current == second && first != second);
    DRIVER(cuCtxGetFlags(&flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    CHECK(cuCtxGetFlags(nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuCtxGetApiVersion(first, &version));
    CHECK(version >= 3020 && cuCtxGetApiVersion(first, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuCtxGetApiVersion(nullptr, &version));
    DRIVER(cuCtxGetDevice(&device));
    CHECK(device == 0 && cuCtxGetDevice(nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuCtxGetDevice_v2(&device, first));
    DRIVER(cuCtxSynchronize_v2(first));
    DRIVER(cuCtxSynchronize_v2(nullptr));
    // No number is given twice, though a context may come to where another one was.
    DRIVER(cuCtxGetId(first, &ids[0]));
    DRIVER(cuCtxGetId(nullptr, &ids[1]));
    CHECK(cuCtxEnablePeerAccess(second, 0) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxEnablePeerAccess(first, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxEnablePeerAccess(first, 0) == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    CHECK(cuCtxDisablePeerAccess(first) == CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    DRIVER(cuCtxDestroy(second));
    CHECK(cuCtxGetId(second, &id) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxGetApiVersion(second, &version) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxGetDevice_v2(&device, second) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxSynchronize_v2(second) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxEnablePeerAccess(second, 0) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxDisablePeerAccess(second) == CUDA_ERROR_INVALID_CONTEXT);
    DRIVER(cuCtxCreate_v4(&third, nullptr, 0, 0));
    DRIVER(cuCtxGetId(third, &ids[2]));
    CHECK(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    // A stream is of the context that it was made in.
    CUstream stream;
    CUgreenCtx part_of_device = (CUgreenCtx)&stream;
    DRIVER(cuStreamCreate(&stream, 0));
    DRIVER(cuCtxSetCurrent(first));
    DRIVER(cuStreamGetCtx(stream, &current));
    CHECK(current == third);
    DRIVER(cuStreamGetCtx(nullptr, &current));
    CHECK(current == first && cuStreamGetCtx(stream, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuStreamGetCtx_v2(stream, &current, &part_of_device));
    CHECK(current == third && part_of_device == nullptr);
    DRIVER(cuCtxDestroy(third));
    CHECK(cuStreamGetCtx(stream, &current) == CUDA_ERROR_INVALID_CONTEXT);
    DRIVER(cuStreamDestroy(stream));
    CHECK(cuStreamGetCtx(stream, &current) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuCtxDestroy(first));
}

// What is set is what is told, by the runtime too, whose context is the primary one.
static void settings() {
    CUcontext primary, current;
    unsigned flags;
    int active, least, greatest;
    size_t bytes;
    DRIVER(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_YIELD));
    CHECK(cuDevicePrimaryCtxSetFlags_v2(0, 0x100) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDevicePrimaryCtxSetFlags_v2(1, 0) == CUDA_ERROR_INVALID_DEVICE);
    DRIVER(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(flags == CU_CTX_SCHED_YIELD && !active);
    CHECK(cuDevicePrimaryCtxGetState(0, nullptr, &active) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuDevicePrimaryCtxRetain(&primary, 0));
    DRIVER(cuCtxSetCurrent(primary));
    DRIVER(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 1);
    DRIVER(cuCtxGetFlags(&flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD);
    CUDA(cudaGetDeviceFlags(&flags));
    CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
    DRIVER(cuCtxSetFlags(CU_CTX_SCHED_SPIN)); // of the one that is current, which is the device's
    DRIVER(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_SPIN);
    CHECK(cuCtxSetFlags(0x100) == CUDA_ERROR_INVALID_VALUE);
    CUcontext own;
    DRIVER(cuCtxCreate(&own, nullptr, CU_CTX_SCHED_YIELD, 0));
    DRIVER(cuCtxSetFlags(CU_CTX_SCHED_BLOCKING_SYNC));
    DRIVER(cuCtxGetFlags(&flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    // Events of all that a context has done, which another one waits for.
    CUevent event;
    DRIVER(cuEventCreate(&event, 0));
    DRIVER(cuCtxRecordEvent(own, event));
    DRIVER(cuCtxWaitEvent(primary, event));
    DRIVER(cuEventQuery(event));
    CHECK(cuCtxRecordEvent((CUcontext)&event, event) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxWaitEvent(own, (CUevent)&event) == CUDA_ERROR_INVALID_HANDLE);
    DRIVER(cuEventDestroy(event));
    DRIVER(cuCtxDestroy(own));
    CHECK(cuCtxRecordEvent(own, event) == CUDA_ERROR_INVALID_CONTEXT);
    DRIVER(cuCtxSetCurrent(primary));
    DRIVER(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_SPIN);
    CUmoduleLoadingMode loading;
    DRIVER(cuModuleGetLoadingMode(&loading));
    CHECK(loading == CU_MODULE_LAZY_LOADING);
    CHECK(cuModuleGetLoadingMode(nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    CHECK(cuCtxSetLimit((CUlimit)99, 1) == CUDA_ERROR_UNSUPPORTED_LIMIT);
    CHECK(cuCtxGetLimit(&bytes, (CUlimit)99) == CUDA_ERROR_UNSUPPORTED_LIMIT);
    CHECK(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE) == CUDA_ERROR_INVALID_VALUE);
    CUDA(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    CHECK(bytes == 2048);
    CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 16));
    DRIVER(cuCtxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE));
    CHECK(bytes == 1 << 16);
    CUfunc_cache cache;
    CUsharedconfig shared;
    DRIVER(cuCtxGetCacheConfig(&cache));
    CHECK(cache == CU_FUNC_CACHE_PREFER_NONE);
    DRIVER(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    DRIVER(cuCtxGetCacheConfig(&cache));
    CHECK(cache == CU_FUNC_CACHE_PREFER_L1);
    CHECK(cuCtxSetCacheConfig((CUfunc_cache)9) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    DRIVER(cuCtxGetSharedMemConfig(&shared));
    CHECK(shared == CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
    CHECK(cuCtxSetSharedMemConfig((CUsharedconfig)9) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxGetSharedMemConfig(nullptr) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);
    DRIVER(cuCtxGetStreamPriorityRange(nullptr, nullptr));
    DRIVER(cuCtxResetPersistingL2Cache());
    // The runtime works in it.
    int *x, host[32];
    CUDA(cudaMalloc(&x, sizeof host));
    square<<<1, 32>>>(x);
    DRIVER(cuMemcpyDtoH(host, (CUdeviceptr)x, sizeof host));
    for (int i = 0; i < 32; i++)
        CHECK(host[i] == i * i);
    CUDA(cudaFree(x));
    DRIVER(cuCtxGetCurrent(&current));
    CHECK(current == primary);
    DRIVER(cuDevicePrimaryCtxRelease(0));
}

// Functions by their names, and errors in words.
static void names() {
    typedef CUresult find(const char *, void **, int, cuuint64_t);
    find *find_first = named<find>("cuGetProcAddress");
    CUdriverProcAddressQueryResult result;
    void *found, *same;
    const char *text;
    DRIVER(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &result));
    CHECK(result == CU_GET_PROC_ADDRESS_SUCCESS && found == (void *)cuMemAlloc_v2);
    DRIVER(find_first("cuMemAlloc", &same, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
    CHECK(same == found);
    DRIVER(cuGetProcAddress_v2("cuNothing", &found, 12000, 0, &result));
    CHECK(!found && result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(find_first("cuNothing", &found, 12000, 0) == CUDA_ERROR_NOT_FOUND && !found);
    DRIVER(cuGetProcAddress_v2("malloc", &found, 12000, 0, &result));
    CHECK(!found && result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(cuGetProcAddress_v2("cuMemAlloc", &found, 99000, 0, &result) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGetProcAddress_v2(nullptr, &found, 12000, 0, &result) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGetProcAddress_v2("cuInit", nullptr, 12000, 0, &result) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    CHECK(!std::strcmp(text, "invalid argument"));
    CHECK(cuGetErrorString((CUresult)98, &text) == CUDA_ERROR_INVALID_VALUE && !text);
    // There are no tables of functions beside them.
    const void *table = &text;
    CUuuid id = {};
    CHECK(cuGetExportTable(&table, &id) != CUDA_SUCCESS && !table);
    DRIVER(named<CUresult()>("cuProfilerStart")());
    DRIVER(named<CUresult()>("cuProfilerStop")());
}

int main() {
    devices();
    contexts();
    settings();
    names();
    return DONE;
}
