/*
 * Kernels of ../programs from their PTX alone, by the driver interface: what can be tested of whole
 * programs where there is no nvcc. Linked with Heddle's libcuda.so.1.
 *
 *     host FOLDER       with vectors.ptx, histogram.ptx and sums.ptx, which make.sh has made
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv) {
    handle context;
    folder = argc > 1 ? argv[1] : ".";
    CU(cuInit(0));
    CU(cuDevicePrimaryCtxRetain(&context, 0));
    CU(cuCtxSetCurrent(context));
    vectors();
    histogram();
    sums();
    CU(cuDevicePrimaryCtxRelease_v2(0));
    printf("as expected\n");
    return 0;
}
