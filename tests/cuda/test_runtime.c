/*
 * The runtime interface without the machine (stand_in/ptx.h): memory, copies and their bounds,
 * errors, streams, events, captures and graphs, as a program sees them.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "cuda/fatbin.h"
#include "cuda/runtime/abi.h"
#include "cuda/stand_in/ptx.h"

/* Of CUDA's headers. */
typedef void *handle;
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_CONFIGURATION = 9,
    INVALID_PITCH = 12,
    INVALID_SYMBOL = 13,
    INVALID_DIRECTION = 21,
    INVALID_FUNCTION = 98,
    INVALID_DEVICE = 101,
    NO_IMAGE = 209,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    ILLEGAL_STATE = 401,
    ILLEGAL_ADDRESS = 700,
    INVALID_CLUSTER = 912,
    OUT_OF_RESOURCES = 701,
    ASSERTION = 710,
    ALREADY_REGISTERED = 712,
    NOT_REGISTERED = 713,
    TOO_MANY_BLOCKS = 720,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALID = 901,
    CAPTURE_MERGE = 902,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURE_IMPLICIT = 906,
    HOST_TO_HOST = 0,
    TO_DEVICE = 1,
    TO_HOST = 2,
    ON_DEVICE = 3,
    BY_ADDRESS = 4
};

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
int __cudaGetKernel(handle *, const void *);
int __cudaLaunchKernel(handle, dim3, dim3, void **, size_t, handle);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, handle);
int cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
int cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, handle);
int cudaFuncGetAttributes(cudaFuncAttributes *, const void *);
int cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaMalloc3D(cudaPitchedPtr *, cudaExtent);
int cudaHostAlloc(void **, size_t, unsigned);
int cudaFreeHost(void *);
int cudaHostRegister(void *, size_t, unsigned);
int cudaHostUnregister(void *);
int cudaHostGetDevicePointer(void **, void *, unsigned);
int cudaMallocAsync(void **, size_t, handle);
int cudaFreeAsync(void *, handle);
int cudaDeviceGetDefaultMemPool(handle *, int);
int cudaMemPoolGetAttribute(handle, int, void *);
int cudaMemGetInfo(size_t *, size_t *);
int cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, handle);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy3D(const cudaMemcpy3DParms *);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *);
int cudaGetSymbolSize(size_t *, const void *);
int cudaMemset(void *, int, size_t);
int cudaMemsetAsync(void *, int, size_t, handle);
int cudaMemset2D(void *, size_t, int, size_t, size_t);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int);
const char *cudaGetErrorString(int);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetDeviceCount(int *);
int cudaSetDevice(int);
int cudaGetDeviceProperties(cudaDeviceProp *, int);
int cudaDeviceGetAttribute(int *, int, int);
int cudaStreamCreate(handle *);
int cudaStreamCreateWithFlags(handle *, unsigned);
int cudaStreamDestroy(handle);
int cudaStreamSynchronize(handle);
int cudaStreamIsCapturing(handle, int *);
int cudaStreamBeginCapture(handle, int);
int cudaStreamEndCapture(handle, handle *);
int cudaStreamWaitEvent(handle, handle, unsigned);
int cudaLaunchHostFunc(handle, void (*)(void *), void *);
int cudaEventCreate(handle *);
int cudaEventCreateWithFlags(handle *, unsigned);
int cudaEventDestroy(handle);
int cudaEventRecord(handle, handle);
int cudaEventQuery(handle);
int cudaEventElapsedTime(float *, handle, handle);
int cudaGraphCreate(handle *, unsigned);
int cudaGraphDestroy(handle);
int cudaGraphAddKernelNode(handle *, handle, const handle *, size_t, const cudaKernelNodeParams *);
int cudaGraphAddMemsetNode(handle *, handle, const handle *, size_t, const cudaMemsetParams *);
int cudaGraphAddHostNode(handle *, handle, const handle *, size_t, const cudaHostNodeParams *);
int cudaGraphAddEmptyNode(handle *, handle, const handle *, size_t);
int cudaGraphAddChildGraphNode(handle *, handle, const handle *, size_t, handle);
int cudaGraphAddDependencies(handle, const handle *, const handle *, const cudaGraphEdgeData *,
                             size_t);
int cudaGraphGetNodes(handle, handle *, size_t *);
int cudaGraphGetEdges(handle, handle *, handle *, cudaGraphEdgeData *, size_t *);
int cudaGraphNodeGetType(handle, int *);
int cudaGraphInstantiate(handle *, handle, unsigned long long);
int cudaGraphExecDestroy(handle);
int cudaGraphExecKernelNodeSetParams(handle, handle, const cudaKernelNodeParams *);
int cudaGraphNodeSetEnabled(handle, handle, unsigned);
int cudaGraphExecUpdate(handle, handle, cudaGraphExecUpdateResultInfo *);
int cudaGraphLaunch(handle, handle);
int cudaGraphClone(handle *, handle);

/* ---- a program's fat binary -------------------------------------------------------------------- */

static const char program_text[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".global .align 4 .u32 counter;\n"
    ".const .align 16 .b8 table[64];\n"
    ".global .attribute(.managed) .align 4 .u32 shared_value;\n"
    ".visible .entry add(.param .u64 p0, .param .f32 p1, .param .align 8 .b8 p2[24]) { ret; }\n"
    ".visible .entry bounded(.param .u32 p0) .maxntid 64, 1, 1 { ret; }\n"
    ".visible .entry nothing() { ret; }\n";

typedef struct program {
    uint8_t bytes[2048];
    struct {
        uint32_t magic, version;
        const void *data, *more;
    } wrapper;
} program;

static void put(uint8_t *at, uint64_t value, size_t bytes) { memcpy(at, &value, bytes); }

static void make_program(program *f, unsigned kind, const char *text, size_t length) {
    size_t padded = (length + 7) / 8 * 8;
    *f = (program){.wrapper = {0x466243b1, 1, f->bytes, NULL}};
    put(f->bytes, 0xba55ed50, 4);
    put(f->bytes + 4, 1, 2);
    put(f->bytes + 6, 16, 2);
    put(f->bytes + 8, 64 + padded, 8);
    put(f->bytes + 16, kind, 2);
    put(f->bytes + 20, 64, 4);
    put(f->bytes + 24, padded, 8);
    put(f->bytes + 44, 75, 4);
    memcpy(f->bytes + 80, text, length);
}

/* Host sides of kernels and variables: addresses alone. */
static const char add_kernel, bounded_kernel, nothing_kernel, unknown_kernel, lost_kernel;
static char counter, table;
static void *shared_value;
static program own;
static void **own_module;

static void register_program(void) {
    make_program(&own, 1, program_text, sizeof program_text);
    own_module = __cudaRegisterFatBinary(&own.wrapper);
    const struct {
        const char *host, *name;
    } kernels[] = {{&add_kernel, "add"},
                   {&bounded_kernel, "bounded"},
                   {&nothing_kernel, "nothing"},
                   {&lost_kernel, "lost"}};
    for (int i = 0; i < 4; i++)
        __cudaRegisterFunction(own_module, kernels[i].host, NULL, kernels[i].name, -1, NULL, NULL,
                               NULL, NULL, NULL);
    __cudaRegisterVar(own_module, &counter, NULL, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(own_module, &table, NULL, "table", 0, 64, 1, 0);
    __cudaRegisterManagedVar(own_module, &shared_value, NULL, "shared_value", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(own_module);
}

static int setup(void **state) {
    (void)state;
    setenv("HEDDLE_DEVICE", "h100", 1);
    register_program();
    return 0;
}

/* Each test begins with a new context. */
static int begin(void **state) {
    (void)state;
    cudaDeviceReset();
    while (cudaGetLastError())
        ;
    stand_in_launched = NULL;
    stand_in_fault = NULL;
    return 0;
}

/* ---- memory -------------------------------------------------------------------------------------- */

static void test_memory(void **state) {
    void *a, *b;
    cudaPointerAttributes attributes;
    int own_value;
    (void)state;
    assert_int_equal(cudaMalloc(&a, 1000), SUCCESS);
    assert_int_equal((uintptr_t)a % 256, 0);
    assert_int_equal(cudaMalloc(&b, 0), SUCCESS);
    assert_null(b);
    assert_int_equal(cudaMalloc(NULL, 4), INVALID_VALUE);
    assert_int_equal(cudaMalloc(&b, (size_t)1 << 60), OUT_OF_MEMORY);
    assert_int_equal(cudaFree((char *)a + 4), INVALID_VALUE);
    assert_int_equal(cudaFreeHost(a), INVALID_VALUE);
    assert_int_equal(cudaPointerGetAttributes(&attributes, (char *)a + 999), SUCCESS);
    assert_int_equal(attributes.type, 2);
    assert_int_equal(cudaPointerGetAttributes(&attributes, &own_value), SUCCESS);
    assert_int_equal(attributes.type, 0);
    assert_int_equal(cudaFree(a), SUCCESS);
    assert_int_equal(cudaFree(a), INVALID_VALUE);
    assert_int_equal(cudaFree(NULL), SUCCESS);
}

static void test_host_memory(void **state) {
    static char memory[4096];
    void *pinned, *mapped;
    (void)state;
    assert_int_equal(cudaHostAlloc(&pinned, 64, 2), SUCCESS);
    assert_int_equal(cudaHostAlloc(&mapped, 64, 99), INVALID_VALUE);
    assert_int_equal(cudaHostGetDevicePointer(&mapped, pinned, 0), SUCCESS);
    assert_ptr_equal(mapped, pinned);
    assert_int_equal(cudaFree(pinned), INVALID_VALUE);
    assert_int_equal(cudaFreeHost(pinned), SUCCESS);
    assert_int_equal(cudaHostRegister(memory + 100, 1000, 0), SUCCESS);
    assert_int_equal(cudaHostRegister(memory, 200, 0), ALREADY_REGISTERED);
    assert_int_equal(cudaHostRegister(memory + 1000, 200, 0), ALREADY_REGISTERED);
    assert_int_equal(cudaHostRegister(memory + 1100, 200, 0), SUCCESS);
    assert_int_equal(cudaHostUnregister(memory), NOT_REGISTERED);
    assert_int_equal(cudaHostUnregister(memory + 100), SUCCESS);
    /* then it is the host's own again */
    assert_int_equal(cudaMalloc(&pinned, 64), SUCCESS);
    assert_int_equal(cudaMemcpy(pinned, memory + 100, 64, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy(memory + 200, pinned, 64, BY_ADDRESS), SUCCESS);
    assert_int_equal(cudaHostUnregister(memory + 1100), SUCCESS);
}

static void test_pools(void **state) {
    handle pool;
    void *a;
    uint64_t used = 1;
    (void)state;
    assert_int_equal(cudaDeviceGetDefaultMemPool(&pool, 0), SUCCESS);
    assert_int_equal(cudaMallocAsync(&a, 512, NULL), SUCCESS);
    assert_int_equal(cudaMemPoolGetAttribute(pool, 7, &used), SUCCESS);
    assert_int_equal(used, 512);
    assert_int_equal(cudaFreeAsync(a, NULL), SUCCESS);
    assert_int_equal(cudaMemPoolGetAttribute(pool, 7, &used), SUCCESS);
    assert_int_equal(used, 0);
    assert_int_equal(cudaMemPoolGetAttribute(pool, 8, &used), SUCCESS);
    assert_int_equal(used, 512);
    assert_int_equal(cudaMallocAsync(&a, 512, (handle)&used), INVALID_HANDLE);
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static void test_copies(void **state) {
    char here[64], there[64];
    void *d, *e, *managed;
    (void)state;
    for (int i = 0; i < 64; i++)
        here[i] = (char)i;
    cudaMalloc(&d, 64);
    cudaMalloc(&e, 64);
    cudaMallocManaged(&managed, 64, 1);
    assert_int_equal(cudaMemcpy(d, here, 64, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy(e, d, 64, ON_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy(there, e, 64, BY_ADDRESS), SUCCESS);
    assert_memory_equal(here, there, 64);
    assert_int_equal(cudaMemcpy(managed, e, 64, TO_HOST), SUCCESS);
    assert_memory_equal(here, managed, 64);
    assert_int_equal(cudaMemcpy(managed, here, 64, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy(here, there, 64, HOST_TO_HOST), SUCCESS);
    /* a byte too many, from the first or the last one on */
    assert_int_equal(cudaMemcpy(d, here, 65, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy((char *)d + 63, here, 2, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy((char *)d + 63, here, 1, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy((char *)d + 64, here, 1, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(d, here, SIZE_MAX, TO_DEVICE), INVALID_VALUE);
    /* the other way round */
    assert_int_equal(cudaMemcpy(d, here, 64, TO_HOST), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(here, there, 64, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(d, here, 64, 5), INVALID_DIRECTION);
    assert_int_equal(cudaMemcpy(d, NULL, 64, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(NULL, NULL, 0, TO_DEVICE), SUCCESS);
    cudaFree(e);
    assert_int_equal(cudaMemcpy(there, e, 64, BY_ADDRESS), INVALID_VALUE);
    assert_int_equal(cudaMemset(d, 7, 64), SUCCESS);
    assert_int_equal(((char *)d)[63], 7);
    assert_int_equal(cudaMemset(d, 7, 65), INVALID_VALUE);
    assert_int_equal(cudaMemset(here, 7, 64), INVALID_VALUE);
}

/* A box of 3 by 2 by 2 in memory with wider rows and planes, byte by byte. */
static void test_boxes(void **state) {
    char here[60], there[60];
    size_t pitch;
    void *d;
    cudaPitchedPtr box;
    (void)state;
    for (int i = 0; i < 60; i++)
        here[i] = (char)i;
    assert_int_equal(cudaMallocPitch(&d, &pitch, 10, 4), SUCCESS);
    assert_true(pitch >= 10 && pitch % 512 == 0);
    assert_int_equal(cudaMemcpy2D(d, pitch, here, 10, 10, 4, TO_DEVICE), SUCCESS);
    assert_int_equal(((char *)d)[3 * pitch + 9], 39);
    assert_int_equal(cudaMemcpy2D(d, pitch, here, 9, 10, 4, TO_DEVICE), INVALID_PITCH);
    assert_int_equal(cudaMemcpy2D(d, pitch, here, 10, 10, 5, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemset2D(d, pitch, 1, 5, 4), SUCCESS);
    assert_int_equal(((char *)d)[3 * pitch + 4] + ((char *)d)[3 * pitch + 5], 1 + 35);

    assert_int_equal(cudaMalloc3D(&box, (cudaExtent){5, 4, 3}), SUCCESS);
    cudaMemcpy3DParms copy = {
        .srcPtr = {here, 5, 5, 4}, .dstPtr = box, .extent = {5, 4, 3}, .kind = TO_DEVICE};
    assert_int_equal(cudaMemcpy3D(&copy), SUCCESS);
    memset(there, -1, sizeof there);
    copy = (cudaMemcpy3DParms){.srcPtr = box,
                               .srcPos = {1, 1, 1},
                               .dstPtr = {there, 5, 5, 4},
                               .dstPos = {0, 2, 0},
                               .extent = {3, 2, 2},
                               .kind = TO_HOST};
    assert_int_equal(cudaMemcpy3D(&copy), SUCCESS);
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++) {
                bool inside = x < 3 && y >= 2 && z < 2;
                int wanted = inside ? (z + 1) * 20 + (y - 2 + 1) * 5 + x + 1 : -1;
                assert_int_equal(there[z * 20 + y * 5 + x], wanted);
            }
    copy.extent.depth = 3; /* one plane too many */
    assert_int_equal(cudaMemcpy3D(&copy), INVALID_VALUE);
}

static void test_symbols(void **state) {
    int value = 7, got = 0;
    size_t bytes;
    void *address;
    (void)state;
    assert_int_equal(cudaGetSymbolSize(&bytes, &table), SUCCESS);
    assert_int_equal(bytes, 64);
    assert_int_equal(cudaMemcpyToSymbol(&table, &value, 4, 60, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpyFromSymbol(&got, &table, 4, 60, TO_HOST), SUCCESS);
    assert_int_equal(got, 7);
    assert_int_equal(cudaMemcpyToSymbol(&table, &value, 4, 61, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpyToSymbol(&table, &value, 4, 0, TO_HOST), INVALID_DIRECTION);
    assert_int_equal(cudaMemcpyToSymbol(&value, &value, 4, 0, TO_DEVICE), INVALID_SYMBOL);
    assert_int_equal(cudaGetSymbolAddress(&address, &counter), SUCCESS);
    assert_int_equal(cudaMemset(address, 0, 4), SUCCESS);
    assert_int_equal(cudaMemset(address, 0, 5), INVALID_VALUE);
    shared_value = NULL;
    cudaDeviceReset();
    assert_true(__cudaInitModule(own_module));
    assert_non_null(shared_value);
    assert_int_equal(cudaMemcpy(&got, shared_value, 4, TO_HOST), SUCCESS);
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static char launched[512];
static void note(const char *kernel, const hd_ptx_launch_size *size, void *const *args) {
    size_t length = strlen(launched);
    snprintf(launched + length, sizeof launched - length, "%s %u.%u+%llu", kernel, size->grid[0],
             size->block[0], (unsigned long long)size->shared);
    length = strlen(launched);
    if (!strcmp(kernel, "add"))
        snprintf(launched + length, sizeof launched - length, " %g", *(float *)args[1]);
    strncat(launched, "; ", sizeof launched - strlen(launched) - 1);
}

static void listen(void) {
    *launched = '\0';
    stand_in_launched = note;
}

static int launch(const void *kernel, unsigned grid, unsigned block, size_t shared, handle stream,
                  float value) {
    void *pointer = NULL;
    char record[24] = {0};
    void *args[] = {&pointer, &value, record};
    return cudaLaunchKernel(kernel, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, shared, stream);
}

static void test_launches(void **state) {
    handle kernel;
    dim3 grid, block;
    size_t shared;
    handle stream;
    (void)state;
    listen();
    assert_int_equal(launch(&add_kernel, 2, 64, 0, NULL, 1.5f), SUCCESS);
    assert_int_equal(__cudaGetKernel(&kernel, &nothing_kernel), SUCCESS);
    assert_int_equal(__cudaPushCallConfiguration((dim3){3, 1, 1}, (dim3){32, 1, 1}, 16, NULL), 0);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), SUCCESS);
    assert_int_equal(__cudaLaunchKernel(kernel, grid, block, NULL, shared, stream), SUCCESS);
    assert_string_equal(launched, "add 2.64+0 1.5; nothing 3.32+16; ");
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), 52);
    /* sizes */
    assert_int_equal(launch(&add_kernel, 1, 1025, 0, NULL, 1), INVALID_CONFIGURATION);
    assert_int_equal(launch(&add_kernel, 0, 64, 0, NULL, 1), INVALID_CONFIGURATION);
    assert_int_equal(launch(&add_kernel, 1, 0, 0, NULL, 1), INVALID_CONFIGURATION);
    assert_int_equal(
        cudaLaunchKernel(&nothing_kernel, (dim3){1, 65536, 1}, (dim3){1, 1, 1}, NULL, 0, NULL),
        INVALID_CONFIGURATION);
    assert_int_equal(
        cudaLaunchKernel(&nothing_kernel, (dim3){1, 1, 1}, (dim3){32, 32, 2}, NULL, 0, NULL),
        INVALID_CONFIGURATION);
    assert_int_equal(launch(&bounded_kernel, 1, 64, 0, NULL, 1), SUCCESS);
    assert_int_equal(launch(&bounded_kernel, 1, 65, 0, NULL, 1), OUT_OF_RESOURCES);
    assert_int_equal(launch(&unknown_kernel, 1, 64, 0, NULL, 1), INVALID_FUNCTION);
    assert_int_equal(launch(&lost_kernel, 1, 64, 0, NULL, 1), INVALID_FUNCTION);
    assert_int_equal(launch(&add_kernel, 1, 64, 0, (handle)&launched, 1), INVALID_HANDLE);
    assert_int_equal(cudaLaunchKernel(&add_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL),
                     INVALID_VALUE);
    /* more than 48 KiB of shared memory is asked for */
    assert_int_equal(launch(&nothing_kernel, 1, 64, 49153, NULL, 1), INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(&nothing_kernel, 8, 227 * 1024 + 1), INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(&nothing_kernel, 8, 227 * 1024), SUCCESS);
    assert_int_equal(launch(&nothing_kernel, 1, 64, 227 * 1024, NULL, 1), SUCCESS);
    /* cooperative: what is on the device at once is 132 SMs of 32 blocks of 64 threads */
    assert_int_equal(cudaLaunchCooperativeKernel(&nothing_kernel, (dim3){132 * 32, 1, 1},
                                                 (dim3){64, 1, 1}, NULL, 0, NULL),
                     SUCCESS);
    assert_int_equal(cudaLaunchCooperativeKernel(&nothing_kernel, (dim3){132 * 32 + 1, 1, 1},
                                                 (dim3){64, 1, 1}, NULL, 0, NULL),
                     TOO_MANY_BLOCKS);
    /* clusters: the grid is of whole ones */
    cudaLaunchAttribute cluster = {.id = 4, .val.cluster = {2, 1, 1}};
    cudaLaunchConfig_t config = {{4, 1, 1}, {32, 1, 1}, 0, NULL, &cluster, 1};
    assert_int_equal(cudaLaunchKernelExC(&config, &nothing_kernel, NULL), SUCCESS);
    cluster.val.cluster[0] = 3;
    assert_int_equal(cudaLaunchKernelExC(&config, &nothing_kernel, NULL), INVALID_CLUSTER);
    config.numAttrs = 0;
    assert_int_equal(cudaLaunchKernelExC(&config, &nothing_kernel, NULL), SUCCESS);
}

static void test_facts(void **state) {
    cudaFuncAttributes a;
    int blocks;
    (void)state;
    assert_int_equal(cudaFuncGetAttributes(&a, &bounded_kernel), SUCCESS);
    assert_int_equal(a.maxThreadsPerBlock, 64);
    assert_int_equal(a.numRegs, 32);
    assert_int_equal(a.ptxVersion, 75);
    /* 64 warps of an SM; 32 registers of 2048 threads are all 65536; 228 KiB of shared memory */
    assert_int_equal(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing_kernel, 256, 0), SUCCESS);
    assert_int_equal(blocks, 8);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing_kernel, 32, 0);
    assert_int_equal(blocks, 32);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &nothing_kernel, 256, 75 * 1024);
    assert_int_equal(blocks, 3);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &bounded_kernel, 65, 0);
    assert_int_equal(blocks, 0);
}

/* Machine code alone, and PTX that is none. */
static void test_images(void **state) {
    static program code, wrong;
    static const char a, b;
    (void)state;
    make_program(&code, 2, "machine code", 12);
    make_program(&wrong, 1, "no PTX", 7);
    void **first = __cudaRegisterFatBinary(&code.wrapper);
    void **second = __cudaRegisterFatBinary(&wrong.wrapper);
    __cudaRegisterFunction(first, &a, NULL, "add", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(second, &b, NULL, "add", -1, NULL, NULL, NULL, NULL, NULL);
    assert_int_equal(launch(&a, 1, 1, 0, NULL, 1), NO_IMAGE);
    assert_int_equal(launch(&b, 1, 1, 0, NULL, 1), INVALID_PTX);
    __cudaUnregisterFatBinary(first);
    __cudaUnregisterFatBinary(second);
    assert_int_equal(launch(&a, 1, 1, 0, NULL, 1), INVALID_FUNCTION);
}

/* ---- errors --------------------------------------------------------------------------------------------- */

static void test_errors(void **state) {
    void *a;
    (void)state;
    assert_int_equal(cudaGetLastError(), SUCCESS);
    cudaMalloc(NULL, 4);
    assert_int_equal(cudaPeekAtLastError(), INVALID_VALUE);
    assert_int_equal(cudaMalloc(&a, 4), SUCCESS);
    assert_int_equal(cudaGetLastError(), INVALID_VALUE);
    assert_int_equal(cudaGetLastError(), SUCCESS);
    assert_string_equal(cudaGetErrorName(700), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(700), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorString(5555), "unrecognized error code");
    assert_int_equal(cudaSetDevice(1), INVALID_DEVICE);
}

/* A fault is told by what comes after the launch, stays, and goes with the context. */
static void test_sticky(void **state) {
    static const struct {
        const char *message;
        int error;
    } faults[] = {{"store of 4 bytes at address 0x10, which is in no buffer", ILLEGAL_ADDRESS},
                  {"the assertion 'x' does not hold", ASSERTION},
                  {"misaligned load of 8 bytes at byte 4 of 'x'", 716},
                  {"the kernel ends itself here (a trap)", 715}};
    void *a;
    (void)state;
    for (int i = 0; i < 4; i++) {
        stand_in_fault = faults[i].message;
        assert_int_equal(launch(&nothing_kernel, 1, 1, 0, NULL, 1), SUCCESS);
        assert_int_equal(cudaGetLastError(), SUCCESS);
        assert_int_equal(cudaDeviceSynchronize(), faults[i].error);
        assert_int_equal(cudaMalloc(&a, 4), faults[i].error);
        assert_int_equal(launch(&nothing_kernel, 1, 1, 0, NULL, 1), faults[i].error);
        assert_int_equal(cudaGetLastError(), faults[i].error);
        assert_int_equal(cudaGetLastError(), faults[i].error);
        assert_int_equal(cudaDeviceReset(), SUCCESS);
        cudaGetLastError();
        assert_int_equal(cudaGetLastError(), SUCCESS);
        assert_int_equal(cudaMalloc(&a, 4), SUCCESS);
    }
}

/* ---- the device -------------------------------------------------------------------------------------------- */

static void test_device(void **state) {
    cudaDeviceProp d;
    int value;
    size_t rest, all;
    (void)state;
    assert_int_equal(cudaGetDeviceCount(&value), SUCCESS);
    assert_int_equal(value, 1);
    assert_int_equal(cudaGetDeviceProperties(&d, 0), SUCCESS);
    assert_string_equal(d.name, "NVIDIA H100 SXM5");
    assert_int_equal(d.major * 10 + d.minor, 90);
    assert_int_equal(d.multiProcessorCount, 132);
    assert_int_equal(d.maxThreadsDim[2], 64);
    assert_int_equal(d.sharedMemPerBlockOptin, 227 * 1024);
    assert_int_equal(d.maxGridSize[0], INT32_MAX);
    assert_int_equal(cudaGetDeviceProperties(&d, 1), INVALID_DEVICE);
    assert_int_equal(cudaDeviceGetAttribute(&value, 10, 0), SUCCESS);
    assert_int_equal(value, 32);
    assert_int_equal(cudaDeviceGetAttribute(&value, 10000, 0), INVALID_VALUE);
    assert_int_equal(cudaMemGetInfo(&rest, &all), SUCCESS);
    assert_true(rest <= all && all == d.totalGlobalMem);
}

/* ---- streams and events -------------------------------------------------------------------------------------- */

static void test_streams(void **state) {
    handle stream, start, end, untimed;
    float milliseconds = -1;
    (void)state;
    assert_int_equal(cudaStreamCreate(&stream), SUCCESS);
    assert_int_equal(cudaEventCreate(&start), SUCCESS);
    assert_int_equal(cudaEventCreate(&end), SUCCESS);
    assert_int_equal(cudaEventCreateWithFlags(&untimed, 2), SUCCESS);
    assert_int_equal(cudaEventElapsedTime(&milliseconds, start, end), INVALID_HANDLE);
    assert_int_equal(cudaEventRecord(start, stream), SUCCESS);
    usleep(2000);
    assert_int_equal(cudaEventRecord(end, stream), SUCCESS);
    assert_int_equal(cudaEventRecord(untimed, stream), SUCCESS);
    assert_int_equal(cudaEventElapsedTime(&milliseconds, start, end), SUCCESS);
    assert_true(milliseconds >= 2);
    assert_int_equal(cudaEventElapsedTime(&milliseconds, start, untimed), INVALID_HANDLE);
    assert_int_equal(cudaEventQuery(end), SUCCESS);
    assert_int_equal(cudaStreamSynchronize(stream), SUCCESS);
    assert_int_equal(cudaStreamDestroy(stream), SUCCESS);
    assert_int_equal(cudaStreamSynchronize(stream), INVALID_HANDLE);
    assert_int_equal(cudaEventDestroy(start), SUCCESS);
    assert_int_equal(cudaEventRecord(start, NULL), INVALID_HANDLE);
}

static void count_up(void *user) {
    void *a;
    if (!cudaMalloc(&a, 4) && !cudaFree(a)) /* the process is not locked */
        ++*(int *)user;
}

static void test_host_function(void **state) {
    int count = 0;
    (void)state;
    assert_int_equal(cudaLaunchHostFunc(NULL, count_up, &count), SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(cudaLaunchHostFunc(NULL, NULL, &count), INVALID_VALUE);
}

/* ---- captures and graphs --------------------------------------------------------------------------------------- */

/* Two streams that part and meet again; replayed twice. */
static void test_capture(void **state) {
    handle a, b, parted, met, graph, exec;
    char here[16] = {0};
    void *d;
    int status;
    size_t count = 0;
    (void)state;
    cudaMalloc(&d, 16);
    cudaMemset(d, 0, 16);
    cudaStreamCreateWithFlags(&a, 1);
    cudaStreamCreateWithFlags(&b, 1);
    cudaEventCreate(&parted);
    cudaEventCreate(&met);
    listen();
    assert_int_equal(cudaStreamBeginCapture(a, 0), SUCCESS);
    assert_int_equal(cudaStreamIsCapturing(a, &status), SUCCESS);
    assert_int_equal(status, 1);
    assert_int_equal(launch(&add_kernel, 1, 1, 0, a, 1), SUCCESS);
    assert_int_equal(cudaEventRecord(parted, a), SUCCESS);
    assert_int_equal(cudaStreamWaitEvent(b, parted, 0), SUCCESS);
    assert_int_equal(launch(&add_kernel, 1, 1, 0, b, 2), SUCCESS);
    assert_int_equal(cudaMemsetAsync(d, 9, 16, a), SUCCESS);
    assert_int_equal(cudaEventRecord(met, b), SUCCESS);
    assert_int_equal(cudaStreamWaitEvent(a, met, 0), SUCCESS);
    assert_int_equal(cudaMemcpyAsync(here, d, 16, TO_HOST, a), SUCCESS);
    assert_int_equal(cudaStreamEndCapture(a, &graph), SUCCESS);
    assert_string_equal(launched, ""); /* nothing has run */
    assert_int_equal(((char *)d)[0], 0);
    assert_int_equal(cudaGraphGetNodes(graph, NULL, &count), SUCCESS);
    assert_int_equal(count, 4);
    count = 0;
    assert_int_equal(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count), SUCCESS);
    assert_int_equal(count, 4);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), SUCCESS);
    assert_int_equal(cudaGraphDestroy(graph), SUCCESS);
    assert_int_equal(cudaGraphLaunch(exec, a), SUCCESS);
    assert_int_equal(cudaGraphLaunch(exec, a), SUCCESS);
    assert_string_equal(launched, "add 1.1+0 1; add 1.1+0 2; add 1.1+0 1; add 1.1+0 2; ");
    assert_int_equal(here[15], 9);
    assert_int_equal(cudaGraphExecDestroy(exec), SUCCESS);
    assert_int_equal(cudaGraphLaunch(exec, a), INVALID_VALUE);
}

static void test_capture_errors(void **state) {
    handle a, b, event, other, graph;
    void *d;
    (void)state;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&event);
    cudaEventCreate(&other);
    assert_int_equal(cudaStreamBeginCapture(NULL, 0), CAPTURE_UNSUPPORTED);
    assert_int_equal(cudaStreamEndCapture(a, &graph), ILLEGAL_STATE);
    /* what cannot be captured makes the capture invalid */
    assert_int_equal(cudaStreamBeginCapture(a, 0), SUCCESS);
    assert_int_equal(cudaMalloc(&d, 4), CAPTURE_UNSUPPORTED);
    assert_int_equal(launch(&nothing_kernel, 1, 1, 0, a, 1), CAPTURE_INVALID);
    assert_int_equal(cudaStreamEndCapture(a, &graph), CAPTURE_INVALID);
    assert_null(graph);
    assert_int_equal(cudaMalloc(&d, 4), SUCCESS);
    /* in the relaxed mode it does not */
    assert_int_equal(cudaStreamBeginCapture(a, 2), SUCCESS);
    assert_int_equal(cudaMalloc(&d, 4), SUCCESS);
    assert_int_equal(cudaStreamEndCapture(a, &graph), SUCCESS);
    /* waiting, the legacy stream, a stream that never comes back */
    assert_int_equal(cudaStreamBeginCapture(a, 0), SUCCESS);
    assert_int_equal(cudaStreamSynchronize(a), CAPTURE_UNSUPPORTED);
    assert_int_equal(cudaStreamEndCapture(a, &graph), CAPTURE_INVALID);
    assert_int_equal(cudaStreamBeginCapture(a, 0), SUCCESS);
    assert_int_equal(launch(&nothing_kernel, 1, 1, 0, NULL, 1), CAPTURE_IMPLICIT);
    assert_int_equal(cudaStreamEndCapture(a, &graph), CAPTURE_INVALID);
    assert_int_equal(cudaStreamBeginCapture(a, 0), SUCCESS);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    assert_int_equal(launch(&nothing_kernel, 1, 1, 0, b, 1), SUCCESS);
    assert_int_equal(cudaStreamEndCapture(b, &graph), CAPTURE_UNMATCHED);
    assert_int_equal(cudaStreamEndCapture(a, &graph), CAPTURE_UNJOINED);
    /* an event from outside, two captures */
    cudaEventRecord(other, b);
    assert_int_equal(cudaStreamBeginCapture(a, 0), SUCCESS);
    assert_int_equal(cudaStreamWaitEvent(a, other, 0), CAPTURE_ISOLATION);
    cudaStreamEndCapture(a, &graph);
    assert_int_equal(cudaStreamBeginCapture(a, 0), SUCCESS);
    assert_int_equal(cudaStreamBeginCapture(b, 0), SUCCESS);
    assert_int_equal(cudaStreamBeginCapture(b, 0), ILLEGAL_STATE);
    cudaEventRecord(event, a);
    assert_int_equal(cudaStreamWaitEvent(b, event, 0), CAPTURE_MERGE);
    cudaStreamEndCapture(a, &graph);
    cudaStreamEndCapture(b, &graph);
}

/* Nodes by hand: launched in the order of their edges, which is not the one they were made in. */
static void test_graph(void **state) {
    handle graph, child, copy, exec, nodes[3], empty, inner, set;
    float values[3] = {1, 2, 3};
    void *pointer = NULL, *d;
    char record[24] = {0};
    int type, count = 0;
    (void)state;
    cudaMalloc(&d, 8);
    cudaMemset(d, 0, 8);
    listen();
    assert_int_equal(cudaGraphCreate(&graph, 0), SUCCESS);
    for (int i = 0; i < 3; i++) {
        void *args[] = {&pointer, &values[i], record};
        cudaKernelNodeParams params = {
            (void *)(uintptr_t)&add_kernel, {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
        assert_int_equal(cudaGraphAddKernelNode(&nodes[i], graph, NULL, 0, &params), SUCCESS);
    }
    const handle from[] = {nodes[2], nodes[1]}, to[] = {nodes[1], nodes[0]};
    assert_int_equal(cudaGraphAddDependencies(graph, from, to, NULL, 2), SUCCESS);
    assert_int_equal(cudaGraphAddDependencies(graph, from, to, NULL, 1), INVALID_VALUE);
    values[0] = 99; /* arguments were taken when the nodes were made */
    assert_int_equal(cudaGraphCreate(&child, 0), SUCCESS);
    cudaHostNodeParams host = {count_up, &count};
    assert_int_equal(cudaGraphAddHostNode(&inner, child, NULL, 0, &host), SUCCESS);
    assert_int_equal(cudaGraphAddChildGraphNode(&empty, graph, nodes, 1, child), SUCCESS);
    cudaMemsetParams fill = {d, 0, 0x1234, 2, 4, 1};
    assert_int_equal(cudaGraphAddMemsetNode(&set, graph, &empty, 1, &fill), SUCCESS);
    assert_int_equal(cudaGraphAddEmptyNode(&empty, graph, &inner, 1), INVALID_VALUE);
    assert_int_equal(cudaGraphNodeGetType(set, &type), SUCCESS);
    assert_int_equal(type, 2);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), SUCCESS);
    assert_int_equal(cudaGraphLaunch(exec, NULL), SUCCESS);
    assert_string_equal(launched, "add 1.1+0 3; add 1.1+0 2; add 1.1+0 1; ");
    assert_int_equal(count, 1);
    assert_int_equal(((uint16_t *)d)[3], 0x1234);
    /* another argument, a node that is left out, and a graph of the same shape */
    values[0] = 7;
    void *args[] = {&pointer, &values[0], record};
    cudaKernelNodeParams params = {
        (void *)(uintptr_t)&add_kernel, {5, 1, 1}, {1, 1, 1}, 0, args, NULL};
    assert_int_equal(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params), SUCCESS);
    assert_int_equal(cudaGraphExecKernelNodeSetParams(exec, set, &params), INVALID_VALUE);
    assert_int_equal(cudaGraphNodeSetEnabled(exec, nodes[1], 0), SUCCESS);
    listen();
    assert_int_equal(cudaGraphLaunch(exec, NULL), SUCCESS);
    assert_string_equal(launched, "add 1.1+0 3; add 5.1+0 7; ");
    assert_int_equal(cudaGraphClone(&copy, graph), SUCCESS);
    cudaGraphExecUpdateResultInfo info;
    assert_int_equal(cudaGraphExecUpdate(exec, copy, &info), SUCCESS);
    assert_int_equal(cudaGraphExecUpdate(exec, child, &info), 910);
    listen();
    assert_int_equal(cudaGraphLaunch(exec, NULL), SUCCESS);
    assert_string_equal(launched, "add 1.1+0 3; add 1.1+0 1; ");
    /* a circle */
    const handle last = nodes[0], first = nodes[2];
    assert_int_equal(cudaGraphAddDependencies(graph, &last, &first, NULL, 1), SUCCESS);
    handle never;
    assert_int_equal(cudaGraphInstantiate(&never, graph, 0), INVALID_VALUE);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaGraphDestroy(child);
    cudaGraphDestroy(copy);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup(f, begin)
    const struct CMUnitTest tests[] = {
        TEST(test_memory),         TEST(test_host_memory),   TEST(test_pools),
        TEST(test_copies),         TEST(test_boxes),         TEST(test_symbols),
        TEST(test_launches),       TEST(test_facts),         TEST(test_images),
        TEST(test_errors),         TEST(test_sticky),        TEST(test_device),
        TEST(test_streams),        TEST(test_host_function), TEST(test_capture),
        TEST(test_capture_errors), TEST(test_graph),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
