/*
 * What holds for every map on a device whose memory is the host's (PoCL): each strategy, in chunks
 * of any size, and each shape of kernels does what is done element by element, and no byte outside
 * of the buffers is read or written. Buffers of the device lie in guarded memory, too.
 */
#include "remap/remap_device.h"
#include "maps.h"
#include "opencl_fixture.h"
#include "random_maps.h"
#include "sanitized.h"
#include "sides.h"

static const hd_diag quiet = {0};

enum { BASE_ALIGN = 128 }; /* where OpenCL's buffers begin */

/* ---- buffers in guarded memory ---------------------------------------------------------- */

static guarded new_aligned(dice *d, uint64_t bytes) {
    int at_end = (int)roll(d, 2);
    size_t beyond = (BASE_ALIGN - (size_t)bytes % BASE_ALIGN) % BASE_ALIGN;
    guarded g = guarded_new((size_t)bytes, at_end ? beyond : 0, at_end);
    memset(g.data, HOLE_A, g.bytes);
    return g;
}

/* The parts of a map as the device's memory. */
typedef struct device_parts {
    uint32_t count;
    guarded *part;
    hd_remap_memory *memory;
} device_parts;

static device_parts new_parts(fixture *f, dice *d, const hd_remap *map, const guarded *filled) {
    device_parts parts = {.count = hd_remap_parts(map)};
    parts.part = calloc(parts.count, sizeof *parts.part);
    parts.memory = calloc(parts.count, sizeof *parts.memory);
    for (uint32_t p = 0; p < parts.count; p++) {
        guarded *part = &parts.part[p];
        *part = new_aligned(d, hd_remap_bytes(map, p));
        if (filled)
            memcpy(part->data, filled[p].data, part->bytes);
        parts.memory[p].opencl =
            clCreateBuffer(f->opencl.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, part->bytes,
                           part->data, NULL);
        assert_non_null(parts.memory[p].opencl);
    }
    return parts;
}

static void free_parts(device_parts *parts) {
    for (uint32_t p = 0; p < parts->count; p++) {
        clReleaseMemObject(parts->memory[p].opencl);
        assert_true(guarded_is_whole(&parts->part[p]));
        guarded_free(&parts->part[p]);
    }
    free(parts->part);
    free(parts->memory);
}

/* What the buffers hold goes to the memory that they were made of. */
static void look_at(fixture *f, const device_parts *parts) {
    cl_command_queue queue = clCreateCommandQueue(f->opencl.context, f->opencl.id, 0, NULL);
    for (uint32_t p = 0; p < parts->count; p++) {
        void *seen = clEnqueueMapBuffer(queue, parts->memory[p].opencl, CL_TRUE, CL_MAP_READ, 0,
                                        parts->part[p].bytes, 0, NULL, NULL, NULL);
        assert_ptr_equal(seen, parts->part[p].data);
        clEnqueueUnmapMemObject(queue, parts->memory[p].opencl, seen, 0, NULL, NULL);
    }
    clFinish(queue);
    clReleaseCommandQueue(queue);
}

/* ---- there and back --------------------------------------------------------------------- */

static void go_there(fixture *f, dice *d, const hd_remap *map, const expectation *e,
                     const hd_remap_options *options) {
    guarded source = new_aligned(d, e->slow.source.bytes);
    memcpy(source.data, e->slow.source.data, source.bytes);
    device_parts parts = new_parts(f, d, map, NULL);
    if (hd_remap_to_device(&f->diag, f->device, map, parts.memory, source.data, options) != HD_OK)
        fail_msg("%s", f->last.text);
    look_at(f, &parts);
    for (uint32_t p = 0; p < parts.count; p++)
        assert_same(map, &parts.part[p], &e->slow.part[p], &e->holes.part[p]);
    assert_memory_equal(source.data, e->slow.source.data, source.bytes);
    assert_true(guarded_is_whole(&source));
    free_parts(&parts);
    guarded_free(&source);
}

static void go_back(fixture *f, dice *d, const hd_remap *map, const expectation *e,
                    const hd_remap_options *options) {
    guarded back = new_aligned(d, e->back.bytes);
    device_parts parts = new_parts(f, d, map, e->slow.part);
    if (hd_remap_from_device(&f->diag, f->device, map, back.data, parts.memory, options) != HD_OK)
        fail_msg("%s", f->last.text);
    assert_memory_equal(back.data, e->back.data, back.bytes);
    assert_true(guarded_is_whole(&back));
    look_at(f, &parts);
    for (uint32_t p = 0; p < parts.count; p++)
        assert_memory_equal(parts.part[p].data, e->slow.part[p].data, parts.part[p].bytes);
    free_parts(&parts);
    guarded_free(&back);
}

/* ---- strategies --------------------------------------------------------------------------- */

/* Every strategy, with kernels of this shape. Frees the map. */
static void check_strategies(fixture *f, dice *d, hd_status made, hd_remap *map,
                             const hd_remap_tuning *tuning) {
    if (made != HD_OK)
        fail_msg("%s", f->last.text);
    expectation e = expect(d, map);
    bool was_processor = f->device->gpu->device.is_processor;
    for (int to = 0; to < 2; to++) { /* figures are known from then on */
        assert_int_equal(hd_remap_calibrate(&f->diag, f->device, map->kind, to), HD_OK);
        f->device->figures->kinds[map->kind][to].tuning = *tuning;
    }
    f->device->gpu->device.is_processor = tuning->direct;
    for (hd_remap_strategy s = HD_REMAP_PLANNED; s <= HD_REMAP_ZERO_COPY; s++) {
        hd_remap_options options = {.strategy = s, .host = {.threads = 1 + roll(d, 4)}};
        if (s == HD_REMAP_CHUNKED)
            options.chunk_bytes = 1 + roll(d, (uint32_t)hd_remap_source_bytes(map) + 100);
        go_there(f, d, map, &e, &options);
        go_back(f, d, map, &e, &options);
    }
    f->device->gpu->device.is_processor = was_processor;
    free_expectation(&e);
    hd_remap_free(map);
}

/* A kernel is compiled for each map and direction, so they are not many: those that do without
 * local memory, and a sample of the others, all of which tests/machine runs. */
static const hd_remap_tuning direct = {.direct = true};

static void test_random(void **state) {
    static const hd_remap_tuning tunings[] = {
        {0}, {.direct = true}, {.group = 64, .per_item = 5}, {.per_item = 2}};
    fixture *f = *state;
    for (uint64_t seed = 0; seed < 2; seed++)
        for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++) {
            dice d = {HD_RANDOM_STEP * (seed + 1)};
            hd_remap *map;
            hd_status made = random_map(&f->diag, &d, kind, 1 << 18, &map);
            check_strategies(f, &d, made, map, &tunings[(seed + kind) % 4]);
        }
}

/* Structs of equal fields, for which there are special ways. */
static void test_equal_fields(void **state) {
    static const hd_remap_tuning in_local_memory = {0};
    fixture *f = *state;
    for (int i = 0; i < EQUAL_MAPS; i++) {
        dice d = {(uint64_t)(i + 1) * HD_RANDOM_STEP};
        uint32_t bytes = equal_map_bytes(i), fields = equal_map_fields(i);
        hd_remap *map;
        bool is_sample = fields == 6 && bytes != 4;
        if (!IS_TRIED(i, 5) || !(is_sample || fields % 2 || bytes == 4))
            continue;
        hd_status made = equal_map(&f->diag, i, &map);
        check_strategies(f, &d, made, map, is_sample ? &in_local_memory : &direct);
    }
}

/* Structs that local memory or a block has no room for, and elements of matrices and of an index
 * array that are long themselves. */
static void test_long_values(void **state) {
    fixture *f = *state;
    dice d = {HD_RANDOM_STEP};
    for (int i = 0; i < LONG_MAPS; i++) {
        hd_remap *map;
        hd_status made = long_map(&f->diag, i, &map);
        check_strategies(f, &d, made, map, &direct);
    }
}

/* A tile of a matrix has as many values as its group's items are to move, and is as narrow as the
 * matrix. */
static void test_values_of_an_item(void **state) {
    fixture *f = *state;
    for (uint32_t per_item = 1; per_item <= 16; per_item *= 2)
        for (uint64_t columns = 16; columns <= 64; columns *= 4) {
            const hd_remap_tuning tuning = {.group = 256, .per_item = per_item};
            dice d = {per_item};
            hd_remap *map;
            hd_status made = hd_remap_transpose(&f->diag, 1024, columns, 4, &map);
            uint64_t tiles = 1024 * columns / (256 * (columns > 16 && per_item < 2 ? 2 : per_item));
            assert_int_equal(hd_remap_launch_of(map, &tuning, 1024).global[0], tiles * 256);
            if (columns == 16 && IS_TRIED(per_item, 4))
                check_strategies(f, &d, made, map, &tuning);
            else
                hd_remap_free(map);
        }
}

/* ---- in CUDA C ------------------------------------------------------------------------------ */

/* In CUDA C, where the toolkit is; tests/machine runs them. */
static void compile_cuda(const hd_remap *map, hd_remap_direction direction) {
    hd_arena *arena = hd_arena_new();
    const char *text;
    char *folder;
    text = hd_remap_kernel_text(arena, map, direction, HD_REMAP_CUDA_C, NULL);
    assert_int_equal(hd_scratch_make(arena, &quiet, &folder), HD_OK);
    const char *path = hd_format(arena, "%s/kernel.cu", folder);
    assert_int_equal(hd_write_file(&quiet, path, text, strlen(text)), HD_OK);
    const char *command =
        hd_format(arena,
                  "nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc; [ ! -x $nvcc ] || "
                  "$nvcc --ptx -Werror all-warnings -o %s/kernel.ptx %s",
                  folder, path);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
    hd_scratch_remove(folder);
    hd_arena_free(arena);
}

static void test_cuda(void **state) {
    (void)state;
    dice d = {9};
    if (SANITIZED) /* the release build's test has them compiled */
        return;
    for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++) {
        hd_remap *map;
        assert_int_equal(random_map(&quiet, &d, kind, 1 << 16, &map), HD_OK);
        compile_cuda(map, HD_REMAP_TO_DEVICE);
        compile_cuda(map, HD_REMAP_FROM_DEVICE);
        hd_remap_free(map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_equal_fields),
        cmocka_unit_test(test_long_values), cmocka_unit_test(test_values_of_an_item),
        cmocka_unit_test(test_cuda)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
