/* libcuda.so.1 for tests: memory of the host, threads one after the other (README.md). */
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    NOT_FOUND = 500,
    MOST = 4096
};

typedef struct allocation {
    void *bytes;
    size_t size;
    int is_managed, is_preferred, is_read_mostly; /* hints */
    int is_on_host; /* prefetched there; kernels would wait for pages */
} allocation;

typedef struct module {
    void *library;
    void (*run)(void (*thread)(void **), void **params, const unsigned *blocks,
                const unsigned *threads);
} module;

typedef struct function {
    module *of;
    void (*thread)(void **params);
} function;

typedef struct event {
    double seconds;
    int recorded;
} event;

/* A range of the host's memory: allocated by the driver, or registered with it. */
typedef struct pinned {
    char *bytes;
    size_t size;
    int registered;
} pinned;

typedef struct stream {
    int is_open;
} stream;

static struct {
    int started, context, modules, events;
    pinned pinned[MOST];
    stream streams[64];
    allocation memory[MOST];
    size_t used;
    function functions[MOST];
    unsigned function_count;
} state;

static size_t number_of(const char *variable, size_t otherwise) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static allocation *find(uint64_t memory, size_t size) {
    for (int m = 0; m < MOST; m++) {
        allocation *a = &state.memory[m];
        if (a->bytes && memory >= (uintptr_t)a->bytes &&
            memory + size <= (uintptr_t)a->bytes + a->size)
            return a;
    }
    return NULL;
}

/* ---- devices ---------------------------------------------------------------------- */

int cuInit(unsigned flags);
int cuGetErrorName(int error, const char **name);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int number);
int cuDeviceGetName(char *name, int length, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxGetDevice(int *device);
int cuStreamCreate(void **made, unsigned flags);
int cuStreamDestroy_v2(void *destroyed);
int cuStreamSynchronize(void *waited_for);
int cuStreamWaitEvent(void *waiting, void *waited_for, unsigned flags);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *on);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *on);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t memory);
int cuMemAllocHost_v2(void **memory, size_t bytes);
int cuMemFreeHost(void *memory);
int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags);
int cuMemHostUnregister(void *memory);
int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags);
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
int cuMemAllocManaged(uint64_t *memory, size_t bytes, unsigned flags);
int cuMemAdvise(uint64_t memory, size_t bytes, int advice, int device);
int cuMemPrefetchAsync(uint64_t memory, size_t bytes, int device, void *on);
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer);
int cuModuleLoadData(void **loaded, const void *image);
int cuModuleUnload(void *loaded);
int cuModuleGetFunction(void **found, void *loaded, const char *name);
int cuModuleGetGlobal_v2(uint64_t *memory, size_t *bytes, void *loaded, const char *name);
int cuFuncGetAttribute(int *value, int attribute, void *of);
int cuFuncSetAttribute(void *of, int attribute, int value);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *all_bytes);
int cuMemAlloc_v2(uint64_t *memory, size_t bytes);
int cuMemFree_v2(uint64_t memory);
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *on);
int cuLaunchKernel(void *launched, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,
                   void *on, void **params, void **extra);
int cuEventCreate(void **made, unsigned flags);
int cuEventRecord(void *recorded, void *on);
int cuEventElapsedTime(float *milliseconds, void *start, void *end);
int cuEventDestroy_v2(void *destroyed);

int cuInit(unsigned flags) {
    REQUIRE(flags == 0);
    FAIL_ON_REQUEST();
    state.started = 1;
    return number_of("FAKE_CUDA_DEVICES", 1) ? 0 : NO_DEVICE;
}

int cuGetErrorName(int error, const char **name) {
    *name = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == NO_DEVICE   ? "CUDA_ERROR_NO_DEVICE"
            : error == NOT_FOUND   ? "CUDA_ERROR_NOT_FOUND"
            : error == 46          ? "CUDA_ERROR_DEVICE_UNAVAILABLE"
                                   : NULL;
    return *name ? 0 : INVALID_VALUE;
}

int cuDriverGetVersion(int *version) {
    *version = (int)number_of("FAKE_CUDA_VERSION", 12040);
    return 0;
}

int cuDeviceGetCount(int *count) {
    REQUIRE(state.started);
    FAIL_ON_REQUEST();
    *count = (int)number_of("FAKE_CUDA_DEVICES", 1);
    return 0;
}

int cuDeviceGet(int *device, int number) {
    FAIL_ON_REQUEST();
    *device = 70 + number;
    return 0;
}

int cuDeviceGetName(char *name, int length, int device) {
    const char *wanted = getenv("FAKE_CUDA_NAME");
    if (wanted)
        snprintf(name, (size_t)length, "%s", wanted);
    else
        snprintf(name, (size_t)length, "Fake GPU %d", device - 70);
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    static const int known[][2] = {{1, 1024},  {8, 48 << 10}, {10, 32}, {16, 2},     {38, 1 << 20},
                                   {39, 1536}, {75, 8},       {76, 6},  {82, 65536}, {106, 16},
                                   {19, 1},    {83, 1},       {89, 1}};
    REQUIRE(device >= 70);
    FAIL_ON_REQUEST();
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k][0] == attribute) {
            *value = (size_t)attribute == number_of("FAKE_CUDA_LACKS", 0) ? 0 : known[k][1];
            return 0;
        }
    REQUIRE(!"an attribute that Heddle asks for");
    return INVALID_VALUE;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    REQUIRE(state.started && device >= 70);
    FAIL_ON_REQUEST();
    *context = &state;
    return 0;
}

int cuCtxSetCurrent(void *context) {
    REQUIRE(context == &state);
    FAIL_ON_REQUEST();
    state.context = 1;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    REQUIRE(device >= 70);
    REQUIRE(state.used == 0);
    REQUIRE(state.modules == 0);
    REQUIRE(state.events == 0);
    for (int p = 0; p < MOST; p++)
        REQUIRE(!state.pinned[p].bytes);
    for (int t = 0; t < 64; t++)
        REQUIRE(!state.streams[t].is_open);
    state.context = 0;
    return 0;
}

int cuCtxGetCurrent(void **context) {
    REQUIRE(state.started);
    FAIL_ON_REQUEST();
    *context = state.context ? &state : NULL;
    return 0;
}

int cuCtxGetDevice(int *device) {
    REQUIRE(state.context);
    FAIL_ON_REQUEST();
    *device = 70;
    return 0;
}

/* ---- streams ------------------------------------------------------------------------ */

/* Commands run when they are given, so what a stream waits for has been. */
static int is_stream(const void *handle) {
    const stream *s = handle;
    return !s || (s >= state.streams && s < state.streams + 64 && s->is_open);
}

int cuStreamCreate(void **made, unsigned flags) {
    REQUIRE(state.context && !flags);
    FAIL_ON_REQUEST();
    int s = 0;
    while (s < 64 && state.streams[s].is_open)
        s++;
    REQUIRE(s < 64);
    state.streams[s].is_open = 1;
    *made = &state.streams[s];
    return 0;
}

int cuStreamDestroy_v2(void *destroyed) {
    REQUIRE(destroyed && is_stream(destroyed));
    ((stream *)destroyed)->is_open = 0;
    return 0;
}

int cuStreamSynchronize(void *waited_for) {
    REQUIRE(state.context && is_stream(waited_for));
    FAIL_ON_REQUEST();
    return 0;
}

int cuStreamWaitEvent(void *waiting, void *waited_for, unsigned flags) {
    REQUIRE(is_stream(waiting) && ((event *)waited_for)->recorded && !flags);
    FAIL_ON_REQUEST();
    return 0;
}

/* ---- modules ------------------------------------------------------------------------ */

/* A file of its own for each module: each has variables of its own. */
static void *open_image(const char *image) {
    char path[] = "/tmp/fake-cuda-XXXXXX";
    size_t size;
    memcpy(&size, image, sizeof size);
    int file = mkstemp(path);
    if (file < 0)
        return NULL;
    int written = write(file, image + sizeof size, size) == (ssize_t)size;
    close(file);
    void *library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    return library;
}

int cuModuleLoadData(void **loaded, const void *image) {
    REQUIRE(state.context);
    void *library = open_image(image);
    int failure = fake_failure(__func__);
    if (failure || !library) {
        if (library)
            dlclose(library);
        return failure ? failure : INVALID_IMAGE;
    }
    module *m = calloc(1, sizeof *m);
    m->library = library;
    *(void **)&m->run = dlsym(library, "fake_run");
    state.modules++;
    *loaded = m;
    return 0;
}

int cuModuleUnload(void *loaded) {
    module *m = loaded;
    for (unsigned f = 0; f < state.function_count; f++)
        if (state.functions[f].of == m)
            state.functions[f] = (function){0};
    dlclose(m->library);
    free(m);
    state.modules--;
    return 0;
}

int cuModuleGetFunction(void **found, void *loaded, const char *name) {
    module *m = loaded;
    FAIL_ON_REQUEST();
    void *thread = dlsym(m->library, name);
    if (!thread)
        return NOT_FOUND;
    unsigned f = 0;
    while (f < state.function_count && state.functions[f].of)
        f++;
    REQUIRE(f < MOST);
    state.function_count += f == state.function_count;
    state.functions[f].of = m;
    *(void **)&state.functions[f].thread = thread;
    *found = &state.functions[f];
    return 0;
}

int cuModuleGetGlobal_v2(uint64_t *memory, size_t *bytes, void *loaded, const char *name) {
    module *m = loaded;
    char size_name[64];
    void *(*address)(void);
    unsigned long (*size)(void);
    FAIL_ON_REQUEST();
    snprintf(size_name, sizeof size_name, "%s_size", name);
    *(void **)&address = dlsym(m->library, name);
    *(void **)&size = dlsym(m->library, size_name);
    if (!address || !size)
        return NOT_FOUND;
    *memory = (uintptr_t)address();
    *bytes = size();
    return 0;
}

int cuFuncGetAttribute(int *value, int attribute, void *of) {
    REQUIRE(((function *)of)->of && attribute == 0);
    FAIL_ON_REQUEST();
    *value = 1024;
    return 0;
}

int cuFuncSetAttribute(void *of, int attribute, int value) {
    REQUIRE(((function *)of)->of && attribute == 8);
    FAIL_ON_REQUEST();
    return value <= 100 * 1024 ? 0 : INVALID_VALUE;
}

/* ---- memory ----------------------------------------------------------------------------- */

int cuMemGetInfo_v2(size_t *free_bytes, size_t *all_bytes) {
    REQUIRE(state.context);
    FAIL_ON_REQUEST();
    *all_bytes = number_of("FAKE_CUDA_MEMORY", (size_t)1 << 30);
    *free_bytes = *all_bytes - state.used;
    return 0;
}

int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
    REQUIRE(state.context && bytes);
    FAIL_ON_REQUEST();
    int m = 0;
    while (m < MOST && state.memory[m].bytes)
        m++;
    if (m == MOST || state.used + bytes > number_of("FAKE_CUDA_MEMORY", (size_t)1 << 30))
        return OUT_OF_MEMORY;
    state.memory[m] = (allocation){.bytes = malloc(bytes), .size = bytes};
    state.used += bytes;
    *memory = (uintptr_t)state.memory[m].bytes;
    return 0;
}

int cuMemAllocManaged(uint64_t *memory, size_t bytes, unsigned flags) {
    REQUIRE(flags == 1);
    FAIL_ON_REQUEST();
    int error = cuMemAlloc_v2(memory, bytes);
    if (!error)
        find(*memory, 0)->is_managed = 1;
    return error;
}

int cuMemAdvise(uint64_t memory, size_t bytes, int advice, int device) {
    allocation *a = find(memory, bytes);
    REQUIRE(a && a->is_managed && device >= 70 && advice >= 1 && advice <= 3);
    FAIL_ON_REQUEST();
    if (advice == 3)
        a->is_preferred = 1;
    else
        a->is_read_mostly = advice == 1;
    return 0;
}

int cuMemPrefetchAsync(uint64_t memory, size_t bytes, int device, void *on) {
    allocation *a = find(memory, bytes);
    REQUIRE(a && a->is_managed && (device >= 70 || device == -1) && is_stream(on));
    FAIL_ON_REQUEST();
    a->is_on_host = device == -1;
    return 0;
}

int cuMemFree_v2(uint64_t memory) {
    allocation *a = find(memory, 0);
    REQUIRE(a && (uintptr_t)a->bytes == memory);
    state.used -= a->size;
    free(a->bytes);
    *a = (allocation){0};
    return 0;
}

/* An allocation, or memory of the host that the device sees. */
static int is_known(uint64_t memory, size_t bytes);

/* Variables of modules are no allocations, so their bounds are not known here. */
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *on) {
    REQUIRE(state.context && is_stream(on) && (is_known(to, bytes) || is_known(from, bytes)));
    FAIL_ON_REQUEST();
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return 0;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *on) {
    REQUIRE(state.context && is_stream(on) && is_known(to, bytes));
    FAIL_ON_REQUEST();
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *on) {
    REQUIRE(state.context && is_stream(on) && is_known(from, bytes));
    FAIL_ON_REQUEST();
    static size_t calls;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    if (++calls == number_of("FAKE_CUDA_FLIP", 0))
        ((unsigned char *)to)[bytes > 3 ? 3 : 0] ^= 0x55; /* the exponent of a float */
    return 0;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t memory) {
    const allocation *a = find(memory, 0);
    FAIL_ON_REQUEST();
    if (!a)
        return NOT_FOUND;
    *base = (uintptr_t)a->bytes;
    *bytes = a->size;
    return 0;
}

/* ---- the host's memory --------------------------------------------------------------------- */

static pinned *find_pinned(const void *memory) {
    for (int p = 0; p < MOST; p++)
        if (state.pinned[p].bytes && (const char *)memory >= state.pinned[p].bytes &&
            (const char *)memory < state.pinned[p].bytes + state.pinned[p].size)
            return &state.pinned[p];
    return NULL;
}

static int is_known(uint64_t memory, size_t bytes) {
    const char *at = (const char *)(uintptr_t)memory;
    const pinned *p = find_pinned(at);
    return find(memory, bytes) || (p && at + bytes <= p->bytes + p->size);
}

static void keep_pinned(void *memory, size_t bytes, int registered) {
    int p = 0;
    while (p < MOST && state.pinned[p].bytes)
        p++;
    REQUIRE(p < MOST);
    state.pinned[p] = (pinned){memory, bytes, registered};
}

int cuMemAllocHost_v2(void **memory, size_t bytes) {
    REQUIRE(state.context && bytes);
    FAIL_ON_REQUEST();
    *memory = malloc(bytes);
    keep_pinned(*memory, bytes, 0);
    return 0;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
    REQUIRE(flags == 2);
    FAIL_ON_REQUEST();
    return cuMemAllocHost_v2(memory, bytes);
}

int cuMemFreeHost(void *memory) {
    pinned *p = find_pinned(memory);
    REQUIRE(p && p->bytes == memory && !p->registered);
    *p = (pinned){0};
    free(memory);
    return 0;
}

int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
    REQUIRE(state.context && bytes && flags == 2 && !find_pinned(memory));
    FAIL_ON_REQUEST();
    keep_pinned(memory, bytes, 1);
    return 0;
}

int cuMemHostUnregister(void *memory) {
    pinned *p = find_pinned(memory);
    REQUIRE(p && p->bytes == memory && p->registered);
    *p = (pinned){0};
    FAIL_ON_REQUEST();
    return 0;
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags) {
    REQUIRE(find_pinned(memory) && !flags);
    FAIL_ON_REQUEST();
    *address = (uintptr_t)memory;
    return 0;
}

int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
    REQUIRE(attribute == 2);
    FAIL_ON_REQUEST();
    if (!find_pinned((const void *)(uintptr_t)pointer))
        return INVALID_VALUE;
    *(unsigned *)value = 1;
    return 0;
}

/* With hints for it, memory is with the device when kernels run. */
static int hinted_is_there(void) {
    for (int m = 0; m < MOST; m++)
        if (state.memory[m].is_preferred && state.memory[m].is_on_host)
            return 0;
    return 1;
}

/* ---- launches and events ------------------------------------------------------------------- */

int cuLaunchKernel(void *launched, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,
                   void *on, void **params, void **extra) {
    function *f = launched;
    REQUIRE(state.context && f->of && is_stream(on) && !extra && shared <= 100 * 1024);
    REQUIRE(blocks_x && blocks_y && blocks_z && threads_x * threads_y * threads_z <= 1024);
    REQUIRE(!number_of("FAKE_CUDA_PREFETCHED", 0) || hinted_is_there());
    FAIL_ON_REQUEST();
    f->of->run(f->thread, params, (const unsigned[]){blocks_x, blocks_y, blocks_z},
               (const unsigned[]){threads_x, threads_y, threads_z});
    return 0;
}

int cuEventCreate(void **made, unsigned flags) {
    REQUIRE(state.context && (flags == 0 || flags == 2));
    FAIL_ON_REQUEST();
    *made = calloc(1, sizeof(event));
    state.events++;
    return 0;
}

int cuEventRecord(void *recorded, void *on) {
    event *e = recorded;
    struct timespec now;
    REQUIRE(state.context && is_stream(on));
    FAIL_ON_REQUEST();
    clock_gettime(CLOCK_MONOTONIC, &now);
    *e = (event){(double)now.tv_sec + (double)now.tv_nsec * 1e-9, 1};
    return 0;
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
    const event *a = start, *b = end;
    REQUIRE(a->recorded && b->recorded);
    FAIL_ON_REQUEST();
    *milliseconds = (float)((b->seconds - a->seconds) * 1e3);
    return 0;
}

int cuEventDestroy_v2(void *destroyed) {
    free(destroyed);
    state.events--;
    return 0;
}
