/* The driver interface without the machine (stand_in/ptx.h): contexts, modules from PTX with their
 * logs, launches with both kinds of arguments, memory, linking, functions by name. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "cuda/stand_in/ptx.h"

/* Of cuda.h. */
typedef void *handle;
typedef unsigned long long address;
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NO_BINARY = 209,
    INVALID_PTX = 218,
    FILE_NOT_FOUND = 301,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    NOT_SUPPORTED = 801
};

int cuInit(unsigned);
int cuGetErrorName(int, const char **);
int cuDeviceGet(int *, int);
int cuDeviceGetName(char *, int, int);
int cuDeviceGetAttribute(int *, int, int);
int cuDeviceTotalMem_v2(size_t *, int);
int cuCtxCreate_v2(handle *, unsigned, int);
int cuCtxDestroy_v2(handle);
int cuCtxGetCurrent(handle *);
int cuCtxSetCurrent(handle);
int cuCtxPushCurrent_v2(handle);
int cuCtxPopCurrent_v2(handle *);
int cuCtxSynchronize(void);
int cuDevicePrimaryCtxRetain(handle *, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuDevicePrimaryCtxReset_v2(int);
int cuCtxGetDevice_v2(int *, handle);
int cuLibraryLoadData(handle *, const void *, int *, void **, unsigned, int *, void **, unsigned);
int cuLibraryGetKernel(handle *, handle, const char *);
int cuLibraryUnload(handle);
int cuKernelGetFunction(handle *, handle);
int cuLaunchKernelEx(const void *, handle, void **, void **);
int cuStreamBeginCapture_v2(handle, int);
int cuStreamEndCapture(handle, handle *);
int cuGraphInstantiateWithFlags(handle *, handle, unsigned long long);
int cuGraphLaunch(handle, handle);
int cuMemsetD2D16_v2(address, size_t, unsigned short, size_t, size_t);
int cuMemcpy3D_v2(const void *);
int cuMemcpyPeer(address, handle, address, handle, size_t);
int cuGraphicsMapResources(void);
int cuModuleLoadData(handle *, const void *);
int cuModuleLoadDataEx(handle *, const void *, unsigned, int *, void **);
int cuModuleLoad(handle *, const char *);
int cuModuleUnload(handle);
int cuModuleGetFunction(handle *, handle, const char *);
int cuModuleGetGlobal_v2(address *, size_t *, handle, const char *);
int cuFuncGetAttribute(int *, int, handle);
int cuFuncSetAttribute(handle, int, int);
int cuOccupancyMaxPotentialBlockSize(int *, int *, handle, size_t (*)(int), size_t, int);
int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   handle, void **, void **);
int cuMemAddressReserve(address *, size_t, size_t, address, unsigned long long);
int cuMemAddressFree(address, size_t);
int cuMemCreate(handle *, size_t, const void *, unsigned long long);
int cuMemRelease(handle);
int cuMemMap(address, size_t, size_t, handle, unsigned long long);
int cuMemUnmap(address, size_t);
int cuMemSetAccess(address, size_t, const void *, size_t);
int cuMemRetainAllocationHandle(handle *, void *);
int cuUserObjectCreate(handle *, void *, void (*)(void *), unsigned, unsigned);
int cuUserObjectRelease(handle, unsigned);
int cuGraphCreate(handle *, unsigned);
int cuGraphDestroy(handle);
int cuGraphClone(handle *, handle);
int cuGraphRetainUserObject(handle, handle, unsigned, unsigned);
int cuGraphReleaseUserObject(handle, handle, unsigned);
int cuLinkCreate_v2(unsigned, int *, void **, handle *);
int cuLinkAddData_v2(handle, int, const void *, size_t, const char *, unsigned, int *, void **);
int cuLinkComplete(handle, void **, size_t *);
int cuLinkDestroy(handle);
int cuMemAlloc_v2(address *, size_t);
int cuMemFree_v2(address);
int cuMemcpyHtoD_v2(address, const void *, size_t);
int cuMemcpyDtoH_v2(void *, address, size_t);
int cuMemsetD32_v2(address, unsigned, size_t);
int cuMemGetAddressRange_v2(address *, size_t *, address);
int cuPointerGetAttribute(void *, int, address);
int cuStreamCreate(handle *, unsigned);
int cuStreamSynchronize(handle);
int cuStreamDestroy_v2(handle);
int cuEventCreate(handle *, unsigned);
int cuEventRecord(handle, handle);
int cuEventElapsedTime(float *, handle, handle);

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".global .align 4 .u32 counter;\n"
    ".visible .entry add(.param .u64 p0, .param .f32 p1, .param .align 8 .b8 p2[24]) { ret; }\n";

static handle context;

static int setup(void **state) {
    int device;
    handle none;
    (void)state;
    setenv("HEDDLE_DEVICE", "h100", 1);
    assert_int_equal(cuDeviceGet(&device, 0), NOT_INITIALIZED);
    assert_int_equal(cuInit(0), SUCCESS);
    assert_int_equal(cuDeviceGet(&device, 0), SUCCESS);
    assert_int_equal(cuDeviceGet(&device, 1), INVALID_DEVICE);
    assert_int_equal(cuCtxSynchronize(), INVALID_CONTEXT);
    assert_int_equal(cuCtxGetCurrent(&none), SUCCESS);
    assert_null(none);
    return cuCtxCreate_v2(&context, 0, 0);
}

static void test_contexts(void **state) {
    handle first, second, popped, primary;
    address a, size;
    (void)state;
    assert_int_equal(cuCtxGetCurrent(&first), SUCCESS);
    assert_ptr_equal(first, context);
    assert_int_equal(cuCtxCreate_v2(&second, 0, 0), SUCCESS);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), SUCCESS);
    assert_ptr_equal(popped, second);
    assert_int_equal(cuCtxPushCurrent_v2(second), SUCCESS);
    assert_int_equal(cuCtxDestroy_v2(second), SUCCESS);
    assert_int_equal(cuCtxPushCurrent_v2(second), INVALID_CONTEXT);
    assert_int_equal(cuCtxSetCurrent(NULL), SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&a, 4), INVALID_CONTEXT);
    assert_int_equal(cuDevicePrimaryCtxRetain(&primary, 0), SUCCESS);
    assert_int_equal(cuCtxSetCurrent(primary), SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&a, 4), SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&size, 4), INVALID_CONTEXT);
    assert_int_equal(cuCtxPushCurrent_v2(primary), INVALID_CONTEXT);
    /* Retained again it is the same; a reset leaves it to those who have retained it. */
    assert_int_equal(cuDevicePrimaryCtxRetain(&second, 0), SUCCESS);
    assert_ptr_equal(second, primary);
    assert_int_equal(cuMemFree_v2(a), SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&a, 4), SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxReset_v2(0), SUCCESS);
    assert_int_equal(cuMemFree_v2(a), INVALID_VALUE);
    assert_int_equal(cuCtxPushCurrent_v2(primary), SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&a, 4), SUCCESS);
    /* What ends something needs no context that is current. */
    assert_int_equal(cuCtxPopCurrent_v2(&popped), SUCCESS);
    assert_int_equal(cuCtxSetCurrent(NULL), SUCCESS);
    assert_int_equal(cuMemFree_v2(a), SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
    assert_int_equal(cuCtxSetCurrent(context), SUCCESS);
}

static char noted[256];
static void note(const char *kernel, const hd_ptx_launch_size *size, void *const *args) {
    snprintf(noted, sizeof noted, "%s %u.%u %g %d", kernel, size->grid[0], size->block[0],
             *(float *)args[1], ((int *)args[2])[5]);
}

static void test_launches(void **state) {
    handle module, function, other;
    address variable;
    size_t bytes;
    uint64_t pointer = 0;
    float value = 2.5f;
    int record[6] = {0, 0, 0, 0, 0, 42}, got;
    struct {
        uint64_t p0;
        float p1;
        int pad;
        int p2[6];
    } packed = {0, 3.5f, 0, {0, 0, 0, 0, 0, 43}};
    (void)state;
    stand_in_launched = note;
    assert_int_equal(cuModuleLoadData(&module, text), SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, "add"), SUCCESS);
    assert_int_equal(cuModuleGetFunction(&other, module, "sub"), NOT_FOUND);
    assert_int_equal(cuModuleGetGlobal_v2(&variable, &bytes, module, "counter"), SUCCESS);
    assert_int_equal(bytes, 4);
    assert_int_equal(cuMemsetD32_v2(variable, 9, 1), SUCCESS);
    assert_int_equal(cuMemcpyDtoH_v2(&got, variable, 4), SUCCESS);
    assert_int_equal(got, 9);
    void *params[] = {&pointer, &value, record};
    assert_int_equal(cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, params, NULL), SUCCESS);
    assert_string_equal(noted, "add 2.64 2.5 42");
    bytes = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
    assert_int_equal(cuLaunchKernel(function, 3, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), SUCCESS);
    assert_string_equal(noted, "add 3.32 3.5 43");
    bytes = sizeof packed - 8;
    assert_int_equal(cuLaunchKernel(function, 3, 1, 1, 32, 1, 1, 0, NULL, NULL, extra),
                     INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 3, 1, 1, 32, 1, 1, 0, NULL, params, extra),
                     INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(module, 3, 1, 1, 32, 1, 1, 0, NULL, params, NULL),
                     INVALID_HANDLE);
    assert_int_equal(cuFuncGetAttribute(&got, 0, function), SUCCESS);
    assert_int_equal(got, 1024);
    assert_int_equal(cuFuncSetAttribute(function, 8, 100000), SUCCESS);
    int grid, block;
    assert_int_equal(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0),
                     SUCCESS);
    assert_int_equal(grid * block, 132 * 2048);
    assert_int_equal(cuModuleUnload(module), SUCCESS);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                     INVALID_HANDLE);
    assert_int_equal(cuModuleUnload(module), INVALID_HANDLE);
}

/* What newer programs call: libraries, launches with attributes, graphs of streams. */
static void test_libraries(void **state) {
    handle library, kernel, function, stream, graph, exec;
    uint64_t pointer = 0;
    float value = 1.5f;
    int record[6] = {0, 0, 0, 0, 0, 44};
    void *params[] = {&pointer, &value, record};
    struct {
        unsigned grid[3], block[3], shared;
        handle stream;
        struct {
            int id, pad;
            unsigned value[16];
        } *attributes;
        unsigned count;
    } config = {{4, 1, 1}, {32, 1, 1}, 0, NULL, NULL, 0};
    (void)state;
    assert_int_equal(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0), SUCCESS);
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "add"), SUCCESS);
    assert_int_equal(cuKernelGetFunction(&function, kernel), SUCCESS);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), SUCCESS);
    assert_string_equal(noted, "add 4.32 1.5 44");
    __typeof__(*config.attributes) cluster = {4, 0, {2, 1, 1}};
    config.attributes = &cluster;
    config.count = 1;
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), SUCCESS);
    config.count = 0;
    assert_int_equal(cuStreamCreate(&stream, 0), SUCCESS);
    assert_int_equal(cuStreamBeginCapture_v2(stream, 0), SUCCESS);
    config.stream = stream;
    config.grid[0] = 5;
    assert_int_equal(cuLaunchKernelEx(&config, kernel, params, NULL), SUCCESS);
    assert_string_equal(noted, "add 4.32 1.5 44");
    assert_int_equal(cuStreamEndCapture(stream, &graph), SUCCESS);
    assert_int_equal(cuGraphInstantiateWithFlags(&exec, graph, 0), SUCCESS);
    assert_int_equal(cuGraphLaunch(exec, stream), SUCCESS);
    assert_string_equal(noted, "add 5.32 1.5 44");
    assert_int_equal(cuStreamDestroy_v2(stream), SUCCESS);
    assert_int_equal(cuLibraryUnload(library), SUCCESS);
}

/* What is not there can be called. */
static void test_absent(void **state) {
    (void)state;
    assert_int_equal(cuGraphicsMapResources(), NOT_SUPPORTED);
}

static void test_logs(void **state) {
    handle module, function, link;
    char log[64] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)(uintptr_t)sizeof log}, *image;
    size_t bytes;
    const char *name;
    (void)state;
    assert_int_equal(cuModuleLoadDataEx(&module, "not PTX", 2, options, values), INVALID_PTX);
    assert_non_null(strstr(log, "this is no PTX"));
    assert_int_equal((size_t)(uintptr_t)values[1], strlen(log));
    assert_int_equal(cuModuleLoadData(&module, "\177ELF and so on"), NO_BINARY);
    assert_int_equal(cuModuleLoad(&module, "/nowhere.ptx"), FILE_NOT_FOUND);
    assert_int_equal(cuGetErrorName(INVALID_PTX, &name), SUCCESS);
    assert_string_equal(name, "CUDA_ERROR_INVALID_PTX");
    assert_int_equal(cuGetErrorName(4711, &name), INVALID_VALUE);
    /* Linking a text gives it back. */
    assert_int_equal(cuLinkCreate_v2(0, NULL, NULL, &link), SUCCESS);
    assert_int_equal(cuLinkAddData_v2(link, 1, text, sizeof text, "a", 0, NULL, NULL), SUCCESS);
    assert_int_equal(cuLinkAddData_v2(link, 0, text, sizeof text, "a", 0, NULL, NULL),
                     NO_BINARY); /* machine code */
    assert_int_equal(cuLinkComplete(link, &image, &bytes), SUCCESS);
    assert_int_equal(cuModuleLoadData(&module, image), SUCCESS);
    assert_int_equal(cuLinkDestroy(link), SUCCESS);
    assert_int_equal(cuModuleUnload(module), SUCCESS);
    /* Of several a module that has what is in each. */
    static const char other[] = ".version 8.0\n.target sm_75\n.visible .entry more() { ret; }";
    assert_int_equal(cuLinkCreate_v2(0, NULL, NULL, &link), SUCCESS);
    assert_int_equal(cuLinkAddData_v2(link, 1, other, sizeof other - 1, "b", 0, NULL, NULL),
                     SUCCESS);
    assert_int_equal(cuLinkAddData_v2(link, 1, text, sizeof text, "a", 0, NULL, NULL), SUCCESS);
    assert_int_equal(cuLinkComplete(link, &image, &bytes), SUCCESS);
    assert_int_equal(bytes, strlen(image) + 1);
    assert_int_equal(cuModuleLoadData(&module, image), SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, "add"), SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, "more"), SUCCESS);
    assert_int_equal(cuLinkDestroy(link), SUCCESS);
    assert_int_equal(cuModuleUnload(module), SUCCESS);
}

static void test_memory(void **state) {
    address a, base;
    size_t bytes;
    unsigned type;
    char here[64] = {1}, there[64] = {0};
    (void)state;
    assert_int_equal(cuMemAlloc_v2(&a, 0), INVALID_VALUE);
    assert_int_equal(cuMemAlloc_v2(&a, (size_t)1 << 60), OUT_OF_MEMORY);
    assert_int_equal(cuMemAlloc_v2(&a, 64), SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(a, here, 64), SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(a, here, 65), INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(there, a, 64), SUCCESS);
    assert_memory_equal(here, there, 64);
    assert_int_equal(cuMemGetAddressRange_v2(&base, &bytes, a + 63), SUCCESS);
    assert_int_equal(base, a);
    assert_int_equal(bytes, 64);
    assert_int_equal(cuMemGetAddressRange_v2(&base, &bytes, a + 64), INVALID_VALUE);
    assert_int_equal(cuPointerGetAttribute(&type, 2, a), SUCCESS);
    assert_int_equal(type, 2);
    assert_int_equal(cuMemFree_v2(a), SUCCESS);
    assert_int_equal(cuMemFree_v2(a), INVALID_VALUE);
}

/* Mappings of two memories in one range, whose parts are one piece for copies. */
static void test_virtual(void **state) {
    enum { GRANULE = 2 << 20 };
    const struct {
        int kind, shared, location, device;
        void *windows;
        char flags[8];
    } wanted = {1, 0, 1, 0, NULL, {0}};
    const int open[] = {1, 0, 3}, closed[] = {1, 0, 0};
    address at;
    handle a, b, again;
    char sent[64] = "across", got[64] = "";
    (void)state;
    assert_int_equal(cuMemAddressReserve(&at, 100, 0, 0, 0), INVALID_VALUE);
    assert_int_equal(cuMemAddressReserve(&at, 3 * GRANULE, 0, 0, 0), SUCCESS);
    assert_int_equal(cuMemCreate(&a, GRANULE, &wanted, 0), SUCCESS);
    assert_int_equal(cuMemCreate(&b, GRANULE, &wanted, 0), SUCCESS);
    assert_int_equal(cuMemMap(at + GRANULE, GRANULE, 0, b, 0), SUCCESS);
    assert_int_equal(cuMemMap(at, GRANULE, 0, a, 0), SUCCESS);
    assert_int_equal(cuMemRelease(a), SUCCESS);
    assert_int_equal(cuMemMap(at + 2 * GRANULE, GRANULE, 0, a, 0), INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoD_v2(at, sent, 64), INVALID_VALUE);
    assert_int_equal(cuMemSetAccess(at, 2 * GRANULE, open, 1), SUCCESS);
    assert_int_equal(cuMemSetAccess(at, 3 * GRANULE, open, 1), INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoD_v2(at + GRANULE - 32, sent, 64), SUCCESS);
    assert_int_equal(cuMemcpyDtoH_v2(got, at + GRANULE - 32, 64), SUCCESS);
    assert_memory_equal(sent, got, 64);
    assert_int_equal(cuMemcpyDtoH_v2(got, at + 2 * GRANULE - 32, 64), INVALID_VALUE);
    assert_int_equal(cuMemSetAccess(at, GRANULE, closed, 1), SUCCESS);
    assert_int_equal(cuMemcpyDtoH_v2(got, at + GRANULE - 32, 32), INVALID_VALUE);
    assert_int_equal(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(at + GRANULE)),
                     SUCCESS);
    assert_ptr_equal(again, b);
    assert_int_equal(cuMemAddressFree(at, 3 * GRANULE), INVALID_VALUE);
    assert_int_equal(cuMemUnmap(at + GRANULE / 2, GRANULE), INVALID_VALUE);
    assert_int_equal(cuMemUnmap(at, 2 * GRANULE), SUCCESS);
    assert_int_equal(cuMemRelease(b), SUCCESS);
    assert_int_equal(cuMemRelease(b), SUCCESS);
    assert_int_equal(cuMemRelease(b), INVALID_VALUE);
    assert_int_equal(cuMemAddressFree(at, 3 * GRANULE), SUCCESS);
}

static void count_end(void *user) { ++*(int *)user; }

/* A graph, its copy and the program have an object; it ends once, with the last of them. */
static void test_objects(void **state) {
    handle object, graph, copy;
    int ends = 0;
    (void)state;
    assert_int_equal(cuUserObjectCreate(&object, &ends, count_end, 2, 0), INVALID_VALUE);
    assert_int_equal(cuUserObjectCreate(&object, &ends, count_end, 2, 1), SUCCESS);
    assert_int_equal(cuGraphCreate(&graph, 0), SUCCESS);
    assert_int_equal(cuGraphRetainUserObject(graph, object, 2, 1), SUCCESS);
    assert_int_equal(cuGraphReleaseUserObject(graph, object, 3), INVALID_VALUE);
    assert_int_equal(cuGraphReleaseUserObject(graph, object, 1), SUCCESS);
    assert_int_equal(cuGraphClone(&copy, graph), SUCCESS);
    assert_int_equal(cuGraphDestroy(graph), SUCCESS);
    assert_int_equal(ends, 0);
    assert_int_equal(cuGraphDestroy(copy), SUCCESS);
    assert_int_equal(ends, 1);
    assert_int_equal(cuUserObjectRelease(object, 1), INVALID_VALUE);
}

/* Rows and planes: 3 x 2 x 2 bytes at (1, 1, 1) of a box of 8 x 3 x 3. */
static void test_boxes(void **state) {
    address a, b;
    unsigned short rows[16];
    char plane[72], part[12];
    (void)state;
    assert_int_equal(cuMemAlloc_v2(&a, 72), SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&b, 72), SUCCESS);
    assert_int_equal(cuMemsetD32_v2(a, 0, 8), SUCCESS);
    assert_int_equal(cuMemsetD2D16_v2(a, 8, 7, 2, 3), SUCCESS);
    assert_int_equal(cuMemcpyDtoH_v2(rows, a, 32), SUCCESS);
    for (int i = 0; i < 16; i++)
        assert_int_equal(rows[i], i < 12 && i % 4 < 2 ? 7 : 0);
    for (int i = 0; i < 72; i++)
        plane[i] = (char)i;
    assert_int_equal(cuMemcpyHtoD_v2(a, plane, 72), SUCCESS);
    assert_int_equal(cuMemcpyPeer(b, context, a, context, 72), SUCCESS);
    struct side {
        size_t x, y, z, level;
        int type;
        void *host;
        address device;
        handle array;
        void *reserved;
        size_t pitch, height;
    };
    struct {
        struct side from, to;
        size_t width, height, depth;
    } box = {{.x = 1, .y = 1, .z = 1, .type = 2, .device = b, .pitch = 8, .height = 3},
             {.type = 1, .host = part, .pitch = 3, .height = 2},
             3,
             2,
             2};
    assert_int_equal(cuMemcpy3D_v2(&box), SUCCESS);
    for (int i = 0; i < 12; i++)
        assert_int_equal(part[i], (1 + i / 6) * 24 + (1 + i / 3 % 2) * 8 + 1 + i % 3);
    assert_int_equal(cuMemFree_v2(a), SUCCESS);
    assert_int_equal(cuMemFree_v2(b), SUCCESS);
}

static void test_streams(void **state) {
    handle stream, start, end;
    float milliseconds = -1;
    (void)state;
    assert_int_equal(cuStreamCreate(&stream, 1), SUCCESS);
    assert_int_equal(cuEventCreate(&start, 0), SUCCESS);
    assert_int_equal(cuEventCreate(&end, 0), SUCCESS);
    assert_int_equal(cuEventElapsedTime(&milliseconds, start, end), INVALID_HANDLE);
    assert_int_equal(cuEventRecord(start, stream), SUCCESS);
    assert_int_equal(cuEventRecord(end, stream), SUCCESS);
    assert_int_equal(cuEventElapsedTime(&milliseconds, start, end), SUCCESS);
    assert_true(milliseconds >= 0);
    assert_int_equal(cuStreamSynchronize(stream), SUCCESS);
    assert_int_equal(cuStreamDestroy_v2(stream), SUCCESS);
    assert_int_equal(cuStreamSynchronize(stream), INVALID_HANDLE);
}

/* A fault stays until all contexts are gone. */
static void test_fault(void **state) {
    handle module, function;
    address a;
    void *params[] = {&a, &a, &a};
    (void)state;
    stand_in_launched = NULL;
    assert_int_equal(cuModuleLoadData(&module, text), SUCCESS);
    assert_int_equal(cuModuleGetFunction(&function, module, "add"), SUCCESS);
    stand_in_fault = "store of 4 bytes at address 0x10, which is in no buffer";
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), SUCCESS);
    assert_int_equal(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    assert_int_equal(cuMemAlloc_v2(&a, 4), ILLEGAL_ADDRESS);
    assert_int_equal(cuCtxDestroy_v2(context), SUCCESS);
    assert_int_equal(cuCtxCreate_v2(&context, 0, 0), SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&a, 4), SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contexts),  cmocka_unit_test(test_launches),
        cmocka_unit_test(test_libraries), cmocka_unit_test(test_absent),
        cmocka_unit_test(test_boxes),     cmocka_unit_test(test_logs),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_streams),
        cmocka_unit_test(test_virtual),   cmocka_unit_test(test_objects),
        cmocka_unit_test(test_fault),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
