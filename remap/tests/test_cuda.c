/*
 * A CUDA device, on the libraries of measure/fake_cuda: every strategy moves what the host engine
 * would, each call of the driver may fail, and nothing is left over.
 */
#include <unistd.h>

#include "driver/cuda_library.h"
#include "moves.h"
#include "sanitized.h"

typedef struct fixture {
    hd_arena *arena;
    char *folder; /* of the user's cache */
    hd_cuda_library driver;
    hd_remap_device *device;
    heard last;
    hd_diag diag;
} fixture;

/* As a program does it before it uses the library. */
static void make_context(fixture *f) {
    void *context;
    int device;
    assert_int_equal(f->driver.init(0), 0);
    assert_int_equal(f->driver.get_device(&device, 0), 0);
    assert_int_equal(f->driver.retain_context(&context, device), 0);
    assert_int_equal(f->driver.use_context(context), 0);
}

/* The driver ends the process when memory, modules, streams or events are left. */
static void release_context(fixture *f) { f->driver.release_context(70); }

/* Nobody waits for a calibration of a device that is as slow as this one. */
static void make_up_figures(const fixture *f) {
    hd_remap_figures figures = {0};
    for (int d = 0; d < 2; d++) {
        figures.transfers[d] = (hd_remap_transfer_figures){1e-5, 1e-6, 1e9, 1e9, 0.75};
        for (int k = 0; k < HD_REMAP_KINDS; k++)
            figures.kinds[k][d] = (hd_remap_kind_figures){.transfer = 1e9,
                                                          .remap = 4e9,
                                                          .host = 5e8,
                                                          .zero_copy = 5e8,
                                                          .tuning = {64, 4, false},
                                                          .settled = true};
    }
    hd_remap_figures_write(f->device->gpu, &figures);
}

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    const char *missing;
    f->arena = hd_arena_new();
    f->diag = (hd_diag){hear, &f->last};
    if (hd_scratch_make(f->arena, &f->diag, &f->folder) != HD_OK)
        return -1;
    setenv("XDG_CACHE_HOME", f->folder, 1);
    if (!hd_cuda_open(f->arena, &f->driver, &missing))
        fail_msg("%s", missing);
    make_context(f);
    if (hd_remap_open_cuda(&f->diag, &f->device) != HD_OK)
        fail_msg("%s", f->last.text);
    make_up_figures(f);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    hd_remap_close(f->device);
    release_context(f);
    hd_scratch_remove(f->folder);
    hd_arena_free(f->arena);
    free(f);
    return 0;
}

/* ---- all strategies ------------------------------------------------------------------------- */

static void all_kinds_of_maps(void **state) {
    fixture *f = *state;
    hd_remap *map;
    static uint64_t index[9001];
    for (uint64_t i = 0; i < 9001; i++)
        index[i] = i * i % 7001;
    expect_map(f->device, &f->last,
               hd_remap_layout(&f->diag, &body_record, "{kind}{x,y}{z}/da", 9001, &map), &map);
    expect_map(f->device, &f->last, hd_remap_layout(&f->diag, &body_record, "aosoa:32", 5000, &map),
               &map);
    expect_map(f->device, &f->last, hd_remap_transpose(&f->diag, 2001, 13, 4, &map), &map);
    expect_map(f->device, &f->last, hd_remap_diagonal(&f->diag, 1100, 37, 8, &map), &map);
    expect_map(f->device, &f->last, hd_remap_morton(&f->diag, 1100, 37, 4, &map), &map);
    expect_map(f->device, &f->last, hd_remap_gather(&f->diag, index, 8, 9001, 9000, 4, &map), &map);
}

/* Memory that the driver knows is used as it is. */
static void pinned_memory(void **state) {
    fixture *f = *state;
    hd_remap *map;
    void *pinned;
    hd_remap_options options = {.strategy = HD_REMAP_CHUNKED, .chunk_bytes = 1 << 16};
    assert_int_equal(hd_remap_layout(&f->diag, &body_record, "soa", 20000, &map), HD_OK);
    moves m = moves_new(map);
    unsigned char *pageable = m.source;
    assert_int_equal(f->driver.allocate_host(&pinned, (size_t)map->source_bytes), 0);
    m.source = memcpy(pinned, pageable, (size_t)map->source_bytes);
    expect_to_device(f->device, &m, &options);
    assert_int_equal(f->device->slots[0].pinned.bytes, 0);
    options.strategy = HD_REMAP_ZERO_COPY;
    expect_to_device(f->device, &m, &options);
    options.strategy = HD_REMAP_CHUNKED;
    m.source = pageable;
    expect_to_device(f->device, &m, &options);
    assert_int_not_equal(f->device->slots[0].pinned.bytes, 0);
    assert_int_equal(f->driver.free_host(pinned), 0);
    moves_free(&m);
    hd_remap_free(map);
}

/* This driver runs what is queued at once, so when the first wait fails, all that was queued before
 * it has been done: all chunks. */
static void no_wait_between_chunks(void **state) {
    fixture *f = *state;
    hd_remap *map;
    void *pinned;
    hd_remap_options options = {.strategy = HD_REMAP_CHUNKED, .chunk_bytes = 1 << 16};
    assert_int_equal(hd_remap_layout(&f->diag, &body_record, "soa", 40000, &map), HD_OK);
    moves m = moves_new(map);
    hd_remap_memory *memory = device_parts(f->device, map, NULL);
    assert_int_equal(f->driver.allocate_host(&pinned, (size_t)map->source_bytes), 0);
    memcpy(pinned, m.source, (size_t)map->source_bytes);
    setenv("FAKE_CUDA_FAIL", "cuStreamSynchronize:1:46", 1);
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, memory, pinned, &options),
                     HD_ESYSTEM);
    unsetenv("FAKE_CUDA_FAIL");
    expect_parts(f->device, &m, memory);
    memset(pinned, HOLE_HOST, (size_t)map->source_bytes);
    setenv("FAKE_CUDA_FAIL", "cuStreamSynchronize:1:46", 1);
    assert_int_equal(hd_remap_from_device(&f->diag, f->device, map, pinned, memory, &options),
                     HD_ESYSTEM);
    unsetenv("FAKE_CUDA_FAIL");
    expect_host(&m, pinned);
    assert_int_equal(f->driver.free_host(pinned), 0);
    release_parts(f->device, map, memory);
    moves_free(&m);
    hd_remap_free(map);
}

static void placements(void **state) {
    fixture *f = *state;
    hd_remap *map;
    hd_remap_choice choice;
    assert_int_equal(hd_remap_transpose(&f->diag, 61, 13, 4, &map), HD_OK);
    expect_all_placements(f->device, &f->diag, map);
    f->device->sample_elements = 1 << 12;
    if (hd_remap_plan(&f->diag, f->device, map, HD_REMAP_TO_DEVICE, HD_REMAP_IN_HINTED, &choice))
        fail_msg("%s", f->last.text);
    assert_int_equal(choice.strategy, HD_REMAP_HOST);
    assert_int_equal(choice.placement, HD_REMAP_IN_HINTED);
    hd_remap_free(map);
}

/* Of kernels in several shapes one is kept, for each kind of map. */
static void calibration(void **state) {
    static const hd_remap_figures nothing;
    fixture *f = *state;
    hd_remap_choice choice;
    hd_remap *map;
    hd_remap_figures_write(f->device->gpu, &nothing);
    f->device->sample_elements = 1 << 12;
    for (int d = 0; d < 2; d++) {
        assert_int_equal(hd_remap_morton(&f->diag, 10, 10, 4, &map), HD_OK);
        if (hd_remap_plan(&f->diag, f->device, map, d, HD_REMAP_IN_DEVICE, &choice) != HD_OK)
            fail_msg("%s", f->last.text);
        hd_remap_free(map);
        const hd_remap_kind_figures *kind = &f->device->figures->kinds[HD_REMAP_MORTON][d];
        assert_true(kind->remap > 0 && kind->host > 0 && kind->zero_copy > 0);
        assert_true(kind->tuning.group >= 64 && kind->tuning.per_item && !kind->tuning.direct);
        for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES; s++)
            assert_true(choice.seconds[s] > 0);
    }
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void no_context(void **state) {
    fixture *f = calloc(1, sizeof *f);
    const char *missing;
    hd_remap_device *device;
    (void)state;
    f->arena = hd_arena_new();
    f->diag = (hd_diag){hear, &f->last};
    assert_true(hd_cuda_open(f->arena, &f->driver, &missing));
    assert_int_equal(f->driver.init(0), 0);
    assert_int_equal(hd_remap_open_cuda(&f->diag, &device), HD_EINPUT);
    assert_says(f->last, "cudaFree(0)");
    assert_null(device);
    hd_arena_free(f->arena);
    free(f);
}

static void memory_that_is_too_small(void **state) {
    fixture *f = *state;
    hd_remap *map;
    static float host[100];
    hd_remap_memory memory;
    assert_int_equal(f->driver.allocate(&memory.cuda, 800), 0);
    assert_int_equal(hd_remap_transpose(&f->diag, 10, 10, 4, &map), HD_OK);
    hd_remap_memory late = {.cuda = memory.cuda + 401}, wrong = {.cuda = 4096};
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &late, host, NULL), HD_EINPUT);
    assert_says(f->last, "has 399 bytes; the map needs 400");
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &wrong, host, NULL), HD_EINPUT);
    assert_says(f->last, "of the device's own context");
    assert_int_equal(f->driver.free(memory.cuda), 0);
    hd_remap_free(map);
}

/* ---- calls that fail ------------------------------------------------------------------------ */

/* Memory on both sides, on a device of its own. */
typedef struct attempt {
    hd_remap_device *device;
    const moves *m;
    hd_remap_memory *memory;
    hd_remap_options options;
    bool back;
} attempt;

static hd_status try(fixture *f, attempt *a, unsigned char *host) {
    f->last = (heard){0};
    hd_status status = hd_remap_open_cuda(&f->diag, &a->device);
    if (status != HD_OK)
        return status;
    status =
        a->back ? hd_remap_from_device(&f->diag, a->device, a->m->map, host, a->memory, &a->options)
                : hd_remap_to_device(&f->diag, a->device, a->m->map, a->memory, host, &a->options);
    hd_remap_close(a->device);
    return status;
}

/* One call of `function` after the other fails, until there are no more. */
static void each_call_fails(fixture *f, attempt *a, const char *function, uint32_t *failures) {
    uint64_t bytes = a->m->map->source_bytes;
    uint32_t number = 0;
    for (bool failed = true; failed; number++) {
        unsigned char *host = filled(bytes, HOLE_HOST);
        if (!a->back)
            memcpy(host, a->m->source, (size_t)bytes);
        setenv("FAKE_CUDA_FAIL", hd_format(f->arena, "%s:%u:46", function, number + 1), 1);
        hd_status status = try(f, a, host);
        unsetenv("FAKE_CUDA_FAIL");
        failed = status != HD_OK;
        assert_int_equal(f->last.count, failed);
        *failures += failed;
        if (failed)
            expect_untouched(a->m, a->back, host, &f->last);
        else if (a->back)
            expect_host(a->m, host);
        free(host);
        assert_true(number < 100);
    }
}

static void each_call_may_fail(void **state) {
    static const char *const functions[] = {
        "cuCtxGetCurrent",       "cuCtxGetDevice",          "cuDeviceGetAttribute",
        "cuStreamCreate",        "cuMemAlloc_v2",           "cuMemAllocHost_v2",
        "cuMemHostRegister_v2",  "cuMemHostUnregister",     "cuMemHostGetDevicePointer_v2",
        "cuPointerGetAttribute", "cuMemGetAddressRange_v2", "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2",  "cuStreamSynchronize",     "cuStreamWaitEvent",
        "cuEventCreate",         "cuEventRecord",           "cuModuleLoadData",
        "cuModuleGetFunction",   "cuLaunchKernel",          "nvrtcCreateProgram",
        "nvrtcCompileProgram",   "nvrtcGetCUBIN",           "nvrtcAddNameExpression"};
    fixture *f = *state;
    hd_remap *maps[2];
    static uint32_t index[1900];
    uint32_t failures = 0;
    for (uint32_t i = 0; i < 1900; i++)
        index[i] = i * 7 % 1250;
    assert_int_equal(hd_remap_layout(&f->diag, &body_record, "{x,y,z}{kind}/da", 1250, &maps[0]),
                     HD_OK);
    assert_int_equal(hd_remap_gather(&f->diag, index, 4, 1900, 1600, 4, &maps[1]), HD_OK);
    for (int k = 0; k < 2; k++) {
        moves m = moves_new(maps[k]);
        hd_remap_memory *memory = device_parts(f->device, m.map, m.parts);
        for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES * 2; s++) {
            attempt a = {NULL,
                         &m,
                         memory,
                         {s % HD_REMAP_STRATEGIES, 1 << 12, {0}},
                         s >= HD_REMAP_STRATEGIES};
            for (size_t i = 0; s % HD_REMAP_STRATEGIES && i < sizeof functions / sizeof *functions;
                 i++)
                if (IS_TRIED(i + (size_t)s + (size_t)k, 3)) /* the functions by turns */
                    each_call_fails(f, &a, functions[i], &failures);
        }
        release_parts(f->device, m.map, memory);
        moves_free(&m);
        hd_remap_free(maps[k]);
    }
    assert_true(failures > (SANITIZED ? 60 : 200));
}

static void too_much_memory(void **state) {
    fixture *f = *state;
    hd_remap *map;
    static float host[1000];
    hd_remap_memory memory;
    assert_int_equal(f->driver.allocate(&memory.cuda, sizeof host), 0);
    assert_int_equal(hd_remap_transpose(&f->diag, 10, 100, 4, &map), HD_OK);
    setenv("FAKE_CUDA_MEMORY", "4001", 1);
    assert_int_equal(hd_remap_to_device(&f->diag, f->device, map, &memory, host,
                                        &(hd_remap_options){.strategy = HD_REMAP_BULK}),
                     HD_ESYSTEM);
    unsetenv("FAKE_CUDA_MEMORY");
    assert_says(f->last, "Fake GPU 0: CUDA_ERROR_OUT_OF_MEMORY: cannot allocate 4000 bytes");
    assert_int_equal(f->driver.free(memory.cuda), 0);
    hd_remap_free(map);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(int argc, char **argv) {
    /* The loader reads this once, when a process starts. */
    const char *path = getenv("LD_LIBRARY_PATH");
    if (argc == 1 && (!path || strcmp(path, FAKE_CUDA))) {
        setenv("LD_LIBRARY_PATH", FAKE_CUDA, 1);
        execl("/proc/self/exe", argv[0], (char *)NULL);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_context),
        TEST(all_kinds_of_maps),
        TEST(pinned_memory),
        TEST(calibration),
        TEST(placements),
        TEST(no_wait_between_chunks),
        TEST(memory_that_is_too_small),
        TEST(each_call_may_fail),
        TEST(too_much_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
