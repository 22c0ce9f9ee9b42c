# Programs of CUDA 11: a kernel with the library that they ask for, and what was another form then, declared
# here as public listings of its headers have it.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
cp "$kept/vectors.ptx" .
python3 "$kept/fatbin.py" vectors.ptx vectors.fatbin
compile vectors "$programs/vectors.cu" || complain 'vectors cannot be compiled'
g++ -o vectors vectors.o "$libraries/libcudart.so.11.0" -Wl,-rpath-link,"$libraries"
check_program "$programs/vectors.cu" -- ./vectors

cat >forms.c <<'END_OF_C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct cudaDeviceProp {
    char name[256], uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
    int computeMode, textures[40];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
    int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
    int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
    int globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
    int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
};
typedef void *handle;
int cudaGetDeviceProperties(struct cudaDeviceProp *, int);
int cudaRuntimeGetVersion(int *);
int cudaDeviceGetAttribute(int *, int, int);
int cudaMalloc(void **, size_t);
int cudaThreadSynchronize(void);
int cudaStreamCreate(handle *);
int cudaStreamBeginCapture(handle, int);
int cudaStreamGetCaptureInfo(handle, int *, unsigned long long *);
int cudaStreamEndCapture(handle, handle *);
int cudaStreamSetAttribute(handle, int, const void *);
int cudaStreamGetAttribute(handle, int, void *);
int cudaMemsetAsync(void *, int, size_t, handle);
int cudaMemcpyAsync(void *, const void *, size_t, int, handle);
int cudaGraphInstantiate(handle *, handle, handle *, char *, size_t);
int cudaGraphExecUpdate(handle, handle, handle *, int *);
int cudaGraphLaunch(handle, handle);
int cudaGetDriverEntryPoint(const char *, void **, unsigned long long);

#define CHECK(x)                                                       \
    do {                                                               \
        if (!(x)) {                                                    \
            printf("%d: not so: %s\n", __LINE__, #x);                  \
            exit(1);                                                   \
        }                                                              \
    } while (0)

static handle captured(handle stream, char *x, char *host, int value, int more) {
    handle graph;
    int status;
    unsigned long long id = 0;
    CHECK(!cudaStreamBeginCapture(stream, 0));
    CHECK(!cudaMemsetAsync(x, value, 64, stream));
    if (more)
        CHECK(!cudaMemsetAsync(x, value, 32, stream));
    CHECK(!cudaMemcpyAsync(host, x, 64, 2, stream));
    CHECK(!cudaStreamGetCaptureInfo(stream, &status, &id) && status == 1 && id);
    CHECK(!cudaStreamEndCapture(stream, &graph));
    return graph;
}

int main(void) {
    struct {
        struct cudaDeviceProp d;
        unsigned char behind[512];
    } p;
    int value, result;
    CHECK(sizeof p.d == 728);
    memset(&p, 0xa5, sizeof p);
    CHECK(!cudaGetDeviceProperties(&p.d, 0));
    for (size_t i = 0; i < sizeof p.behind; i++)
        CHECK(p.behind[i] == 0xa5);
    CHECK(p.d.warpSize == 32 && p.d.maxThreadsPerBlock == 1024 && p.d.major == 9 && p.d.minor == 0);
    CHECK(!cudaDeviceGetAttribute(&value, 16, 0) && p.d.multiProcessorCount == value);
    CHECK(!cudaDeviceGetAttribute(&value, 97, 0) && p.d.sharedMemPerBlockOptin == (size_t)value);
    CHECK(!cudaDeviceGetAttribute(&value, 39, 0) && p.d.maxThreadsPerMultiProcessor == value);
    CHECK(!cudaDeviceGetAttribute(&value, 106, 0) && p.d.maxBlocksPerMultiProcessor == value);
    CHECK(!cudaDeviceGetAttribute(&value, 111, 0) && p.d.reservedSharedMemPerBlock == (size_t)value);
    CHECK(!cudaRuntimeGetVersion(&value) && value == 11080);

    char host[64], *x, log[8] = "log";
    handle stream, exec, node = &stream;
    struct {
        char bytes[32], behind[64];
    } attribute = {{1, 2, 3}, {0}}, got = {{0}, {7}};
    CHECK(!cudaMalloc((void **)&x, 64) && !cudaStreamCreate(&stream));
    CHECK(!cudaStreamSetAttribute(stream, 1, &attribute));
    CHECK(!cudaStreamGetAttribute(stream, 1, &got));
    CHECK(got.bytes[2] == 3 && got.behind[0] == 7);
    handle graph = captured(stream, x, host, 5, 0);
    CHECK(!cudaGraphInstantiate(&exec, graph, &node, log, sizeof log) && !node && !*log);
    CHECK(!cudaGraphLaunch(exec, stream) && host[63] == 5);
    CHECK(!cudaGraphExecUpdate(exec, captured(stream, x, host, 6, 0), &node, &result) && !result);
    CHECK(!cudaGraphLaunch(exec, stream) && host[63] == 6);
    CHECK(cudaGraphExecUpdate(exec, captured(stream, x, host, 7, 1), &node, &result) == 910);
    CHECK(node && result > 1 && !cudaThreadSynchronize());
    void *found = NULL;
    CHECK(!cudaGetDriverEntryPoint("cuMemAlloc", &found, 0) && found);
    printf("as expected\n");
    return 0;
}
END_OF_C
cc -O1 -Wall -Werror -o forms forms.c "$libraries/libcudart.so.11.0" -Wl,-rpath-link,"$libraries" ||
    complain 'forms cannot be compiled'
accepts run --device h100 -- ./forms
prints '^as expected$'

finish
