/*
 * Kernels of ../programs from their PTX alone, by the driver interface: what can be tested of whole
 * programs where there is no nvcc. Linked with Heddle's libcuda.so.1.
 *
 *     host FOLDER           with vectors.ptx, histogram.ptx and sums.ptx, which make.sh has made
 *     host FOLDER link      links two texts, and what cannot be linked
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of cuda.h. */
typedef void *handle;
typedef unsigned long long address;
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(handle *, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuCtxSetCurrent(handle);
int cuModuleLoad(handle *, const char *);
int cuModuleUnload(handle);
int cuModuleGetFunction(handle *, handle, const char *);
int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   handle, void **, void **);
int cuMemAlloc_v2(address *, size_t);
int cuMemFree_v2(address);
int cuMemcpyHtoD_v2(address, const void *, size_t);
int cuMemcpyDtoH_v2(void *, address, size_t);
int cuMemsetD32_v2(address, unsigned, size_t);
int cuGetErrorName(int, const char **);
int cuModuleLoadData(handle *, const void *);
int cuLinkCreate_v2(unsigned, int *, void **, handle *);
int cuLinkAddData_v2(handle, int, void *, size_t, const char *, unsigned, int *, void **);
int cuLinkComplete(handle, void **, size_t *);
int cuLinkDestroy(handle);

static const char *folder;

static void check(int error, const char *what, int line) {
    const char *name = "an unknown error";
    if (!error)
        return;
    cuGetErrorName(error, &name);
    printf("line %d: %s: %s\n", line, what, name);
    exit(1);
}
#define CU(call) check(call, #call, __LINE__)
#define CHECK(condition) check((condition) ? 0 : 999, #condition, __LINE__)

static handle load(const char *name) {
    char path[4096];
    handle module;
    snprintf(path, sizeof path, "%s/%s.ptx", folder, name);
    CU(cuModuleLoad(&module, path));
    return module;
}

static void launch(handle module, const char *name, unsigned grid, unsigned block, void **args) {
    handle kernel;
    CU(cuModuleGetFunction(&kernel, module, name));
    CU(cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 0, NULL, args, NULL));
}

static address filled(const void *data, size_t bytes) {
    address made;
    CU(cuMemAlloc_v2(&made, bytes));
    CU(cuMemcpyHtoD_v2(made, data, bytes));
    return made;
}

static void vectors(void) {
    enum { N = 1000 };
    static float a[N], b[N], got[N];
    for (int i = 0; i < N; i++)
        a[i] = (float)i, b[i] = 0.5f * (float)i;
    handle module = load("vectors");
    address da = filled(a, sizeof a), db = filled(b, sizeof b), sum = filled(got, sizeof got);
    int n = N;
    launch(module, "_Z3addPfPKfS1_i", (N + 127) / 128, 128, (void *[]){&sum, &da, &db, &n});
    CU(cuMemcpyDtoH_v2(got, sum, sizeof got));
    for (int i = 0; i < N; i++)
        CHECK(got[i] == 1.5f * (float)i);
    CU(cuMemFree_v2(da));
    CU(cuMemFree_v2(db));
    CU(cuMemFree_v2(sum));
    CU(cuModuleUnload(module));
}

static void histogram(void) {
    enum { N = 10007 };
    static unsigned char bytes[N];
    unsigned wanted[256] = {0}, got[256];
    for (int i = 0; i < N; i++)
        wanted[bytes[i] = (unsigned char)(i * i % 251)]++;
    handle module = load("histogram");
    address from = filled(bytes, N), counts = filled(got, sizeof got);
    int n = N;
    CU(cuMemsetD32_v2(counts, 0, 256));
    launch(module, "_Z5countPKhiPj", 6, 256, (void *[]){&from, &n, &counts});
    CU(cuMemcpyDtoH_v2(got, counts, sizeof got));
    for (int i = 0; i < 256; i++)
        CHECK(got[i] == wanted[i]);
    CU(cuMemFree_v2(from));
    CU(cuMemFree_v2(counts));
    CU(cuModuleUnload(module));
}

static void sums(void) {
    enum { N = 5000, SIZE = 256, COUNT = (N + SIZE - 1) / SIZE };
    static int x[N];
    int n = N, count = COUNT, sum = 0;
    for (int i = 0; i < N; i++)
        x[i] = i % 11;
    handle module = load("sums");
    address dx = filled(x, sizeof x), parts = filled(x, COUNT * sizeof(int)), none = 0;
    launch(module, "_Z6blocksPiS_i", COUNT, SIZE, (void *[]){&dx, &parts, &n});
    launch(module, "_Z6blocksPiS_i", 1, SIZE, (void *[]){&parts, &none, &count});
    launch(module, "_Z3addPiPKii", COUNT, SIZE, (void *[]){&dx, &parts, &n});
    CU(cuMemcpyDtoH_v2(x, dx, sizeof x));
    for (int i = 0; i < N; i++)
        CHECK(x[i] == (sum += i % 11));
    CU(cuMemFree_v2(dx));
    CU(cuMemFree_v2(parts));
    CU(cuModuleUnload(module));
}

static const char squares[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".extern .func (.reg .u32 r) square(.reg .u32 v);\n"
                              ".visible .entry squares(.param .u64 p) {\n"
                              " .reg .u64 a; .reg .u32 t, s;\n ld.param.u64 a, [p];\n"
                              " mov.u32 t, %tid.x;\n call (s), square, (t);\n"
                              " mad.wide.u32 a, t, 4, a;\n st.global.u32 [a], s;\n ret;\n}\n";
static const char square[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                             ".visible .func (.reg .u32 r) square(.reg .u32 v) {\n"
                             " mul.lo.u32 r, v, v;\n ret;\n}\n";

/* Texts that make use of each other. */
static void linked(void) {
    handle state, module;
    void *image;
    unsigned got[32];
    CU(cuLinkCreate_v2(0, NULL, NULL, &state));
    CU(cuLinkAddData_v2(state, 1, (void *)squares, sizeof squares, "squares", 0, NULL, NULL));
    CU(cuLinkAddData_v2(state, 1, (void *)square, sizeof square, "square", 0, NULL, NULL));
    CU(cuLinkComplete(state, &image, NULL));
    CU(cuModuleLoadData(&module, image));
    CU(cuLinkDestroy(state));
    address to = filled(got, sizeof got);
    launch(module, "squares", 1, 32, (void *[]){&to});
    CU(cuMemcpyDtoH_v2(got, to, sizeof got));
    for (unsigned i = 0; i < 32; i++)
        CHECK(got[i] == i * i);
    CU(cuMemFree_v2(to));
    CU(cuModuleUnload(module));
}

/* Those that do not fit, of which the linker's log says why. */
static void defined_twice(void) {
    handle state;
    void *image;
    char log[300];
    int options[] = {5, 6}; /* the log of errors, and its bytes */
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CU(cuLinkCreate_v2(2, options, values, &state));
    for (int i = 0; i < 2; i++)
        CU(cuLinkAddData_v2(state, 1, (void *)square, sizeof square, "square", 0, NULL, NULL));
    CHECK(cuLinkComplete(state, &image, NULL) != 0);
    CHECK(strstr(log, "'square' is defined twice, first in line 4"));
    CU(cuLinkDestroy(state));
}

int main(int argc, char **argv) {
    handle context;
    folder = argc > 1 ? argv[1] : ".";
    CU(cuInit(0));
    CU(cuDevicePrimaryCtxRetain(&context, 0));
    CU(cuCtxSetCurrent(context));
    if (argc > 2) {
        linked();
        defined_twice();
    } else {
        vectors();
        histogram();
        sums();
    }
    CU(cuDevicePrimaryCtxRelease_v2(0));
    printf("as expected\n");
    return 0;
}
