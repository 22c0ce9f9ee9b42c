/*
 * Remapping kernels on the OpenCL device: every map, both directions, in chunks and as a whole,
 * against maps applied element by element.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/remap.h"
#include "kernel_runs.h"
#include "maps.h"
#include "random_maps.h"
#include "sanitized.h"

static const hd_diag quiet = {0};

enum { LEFT = 0xa5 };

typedef struct scene {
    const opencl *cl;
    const hd_remap *map;
    hd_remap_tuning tuning;
    uint64_t chunk; /* units */
    uint64_t seed;
    region *parts;
    unsigned char *source;
} scene;

static void fill(unsigned char *bytes, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(hd_next_random(&seed) >> 32);
}

static cl_kernel make_kernel(const scene *s, hd_remap_direction direction) {
    hd_arena *arena = hd_arena_new();
    const char *text =
        hd_remap_kernel_text(arena, s->map, direction, HD_REMAP_OPENCL_C, &s->tuning);
    cl_kernel kernel = opencl_kernel(s->cl, text, HD_REMAP_KERNEL);
    hd_arena_free(arena);
    return kernel;
}

/* The map's kernel over all chunks; `source` is read or written. */
static void run_chunks(const scene *s, hd_remap_direction direction) {
    hd_remap_units units = hd_remap_units_of(s->map, direction);
    cl_kernel kernel = make_kernel(s, direction);
    bool whole = s->map->kind == HD_REMAP_GATHER && direction == HD_REMAP_TO_DEVICE;
    for (uint64_t first = 0; first < units.count; first += s->chunk) {
        uint64_t count = units.count - first < s->chunk ? units.count - first : s->chunk;
        uint64_t from = whole ? 0 : first * units.bytes;
        region staging =
            region_new(s->cl, (size_t)(whole ? s->map->source_bytes : count * units.bytes),
                       s->seed / 2 % 2 * 16);
        memcpy(staging.data, s->source + from, staging.bytes);
        region_put(s->cl, &staging);
        launch_chunk(s->cl, kernel, s->map, direction, &s->tuning, s->parts, &staging, first,
                     count);
        region_get(s->cl, &staging);
        memcpy(s->source + from, staging.data, staging.bytes);
        region_free(s->cl, &staging);
    }
    s->cl->library.release_kernel(kernel);
}

/* Bytes that hold no element are left or zero. */
static void check_device(const scene *s, const unsigned char *source) {
    void *left[HD_MAX_FIELDS], *zero[HD_MAX_FIELDS];
    for (uint32_t p = 0; p < s->map->parts; p++) {
        left[p] = malloc((size_t)s->map->bytes[p]);
        zero[p] = calloc(1, (size_t)s->map->bytes[p]);
        memset(left[p], LEFT, (size_t)s->map->bytes[p]);
        region_get(s->cl, &s->parts[p]);
    }
    slow_apply(s->map, left, source);
    slow_apply(s->map, zero, source);
    for (uint32_t p = 0; p < s->map->parts; p++) {
        const unsigned char *is = s->parts[p].data, *a = left[p], *b = zero[p];
        for (uint64_t i = 0; i < s->map->bytes[p]; i++)
            if (is[i] != a[i] && is[i] != b[i])
                fail_msg("kind %d, seed %llu: byte %llu of part %u is %u, not %u", s->map->kind,
                         (unsigned long long)s->seed, (unsigned long long)i, p, is[i], a[i]);
        free(left[p]);
        free(zero[p]);
    }
}

static void check_to_device(scene *s) {
    unsigned char *source = malloc((size_t)s->map->source_bytes);
    fill(source, (size_t)s->map->source_bytes, 7);
    s->source = source;
    for (uint32_t p = 0; p < s->map->parts; p++) {
        memset(s->parts[p].data, LEFT, s->parts[p].bytes);
        region_put(s->cl, &s->parts[p]);
    }
    run_chunks(s, HD_REMAP_TO_DEVICE);
    check_device(s, source);
    free(source);
}

static void check_from_device(scene *s) {
    size_t bytes = (size_t)s->map->source_bytes;
    unsigned char *source = malloc(bytes), *expected = malloc(bytes);
    void *parts[HD_MAX_FIELDS];
    memset(source, LEFT, bytes);
    memset(expected, LEFT, bytes);
    for (uint32_t p = 0; p < s->map->parts; p++) {
        fill(s->parts[p].data, s->parts[p].bytes, p);
        region_put(s->cl, &s->parts[p]);
        parts[p] = s->parts[p].data;
    }
    s->source = source;
    run_chunks(s, HD_REMAP_FROM_DEVICE);
    slow_revert(s->map, expected, parts);
    for (size_t i = 0; i < bytes; i++)
        if (source[i] != expected[i])
            fail_msg("kind %d, seed %llu: byte %zu of the source is %u, not %u", s->map->kind,
                     (unsigned long long)s->seed, i, source[i], expected[i]);
    free(source);
    free(expected);
}

static void check_map(const opencl *cl, const hd_remap *map, const hd_remap_tuning *tuning,
                      uint64_t chunk, uint64_t seed) {
    scene s = {.cl = cl, .map = map, .tuning = *tuning, .chunk = chunk, .seed = seed};
    s.parts = malloc(map->parts * sizeof *s.parts);
    for (uint32_t p = 0; p < map->parts; p++)
        s.parts[p] = region_new(cl, (size_t)map->bytes[p], seed / 2 % 2 * 16);
    check_to_device(&s);
    check_from_device(&s);
    for (uint32_t p = 0; p < map->parts; p++)
        region_free(cl, &s.parts[p]);
    free(s.parts);
}

/* In chunks of one to three steps, or as a whole. */
static void check_random(const opencl *cl, hd_remap_kind kind, uint64_t seed) {
    dice d = {0x9e3779b97f4a7c15ull * (seed + 1)};
    static const hd_remap_tuning tunings[] = {
        {0}, {.direct = true}, {.group = 64, .per_item = 5}, {.per_item = 2}};
    hd_remap *map;
    assert_int_equal(random_map(&quiet, &d, kind, 1 << 18, &map), HD_OK);
    hd_remap_units units = hd_remap_units_of(map, HD_REMAP_TO_DEVICE);
    uint64_t step = units.step == 1 ? 1 + units.count / 3 : units.step;
    uint64_t chunk = roll(&d, 2) ? step * (1 + roll(&d, 3)) : units.count;
    hd_remap_tuning tuning = tunings[(seed + kind) % 4];
    check_map(cl, map, &tuning, chunk, seed);
    hd_remap_free(map);
}

static void test_random(void **state) {
    opencl *cl = *state;
    for (uint64_t seed = 0; seed < 2; seed++)
        for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++)
            if (IS_TRIED(seed + kind, 4))
                check_random(cl, kind, seed);
}

/* Structs of equal fields, for which there are special ways. */
static void check_equal_fields(const opencl *cl, uint32_t bytes, uint32_t fields,
                               const char *layout, uint64_t count) {
    static const hd_remap_tuning tunings[] = {{0}, {.direct = true}};
    equal_record e;
    make_equal(&e, fields, bytes);
    hd_remap *map;
    assert_int_equal(hd_remap_layout(&quiet, &e.record, layout, count, &map), HD_OK);
    for (uint32_t t = 0; t < 2; t++) /* of other sizes one of them, by turns */
        if (bytes == 4 || t == fields % 2)
            check_map(cl, map, &tunings[t], hd_remap_units_of(map, HD_REMAP_TO_DEVICE).step,
                      fields);
    hd_remap_free(map);
}

static void test_equal_fields(void **state) {
    static const char *const layouts[] = {"soa", "aosoa:4", "aosoa:8", "aosoa:16", "aosoa:2048"};
    static const uint64_t counts[] = {4099, 1000, 4096, 17, 8191};
    const opencl *cl = *state;
    int i = 0;
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
        for (uint32_t fields = 1; fields <= 9; fields += fields < 4 ? 1 : 2, i++)
            if (IS_TRIED(i, 7))
                check_equal_fields(cl, bytes, fields, layouts[i % 5], counts[i / 2 % 5]);
}

/* In CUDA C, where the toolkit is; tests/vm runs them. */
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
    for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++) {
        hd_remap *map;
        assert_int_equal(random_map(&quiet, &d, kind, 1 << 16, &map), HD_OK);
        compile_cuda(map, HD_REMAP_TO_DEVICE);
        compile_cuda(map, HD_REMAP_FROM_DEVICE);
        hd_remap_free(map);
    }
}

/* Structs that local memory or a block has no room for. */
static void test_long_structs(void **state) {
    static const char *const layouts[] = {"soa", "aosoa:8", "{a,c}{b}:64", "{a}{b}{c}/da"};
    static const hd_remap_field fields[] = {{"a", 0, 600, 4}, {"b", 600, 3, 1}, {"c", 608, 8, 8}};
    static const hd_remap_record record = {"long", 616, 8, fields, 3};
    static const hd_remap_tuning tunings[] = {{0}, {.direct = true}};
    for (int i = 0; i < 8; i++) {
        hd_remap *map;
        assert_int_equal(hd_remap_layout(&quiet, &record, layouts[i / 2], 333, &map), HD_OK);
        check_map(*state, map, &tunings[i % 2], 333, (uint64_t)i);
        hd_remap_free(map);
    }
}

/* Elements of matrices and of an index array that are long themselves. */
static void test_long_elements(void **state) {
    static const hd_remap_tuning tunings[] = {{0}, {.direct = true}};
    static const uint32_t index[] = {2, 0, 1};
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 4; k++) {
            hd_remap *map;
            assert_int_equal(k == 0   ? hd_remap_transpose(&quiet, 2, 3, 70000, &map)
                             : k == 1 ? hd_remap_diagonal(&quiet, 2, 3, 65552, &map)
                             : k == 2 ? hd_remap_morton(&quiet, 2, 3, 65537, &map)
                                      : hd_remap_scatter(&quiet, index, 4, 3, 3, 70001, &map),
                             HD_OK);
            check_map(*state, map, &tunings[t], 3, 0);
            hd_remap_free(map);
        }
}

typedef struct device {
    hd_arena *arena;
    opencl cl;
} device;

static int open_device(void **state) {
    static device opened;
    opened.arena = hd_arena_new();
    opened.cl = opencl_open(opened.arena);
    *state = &opened.cl;
    return 0;
}

static int close_device(void **state) {
    device *opened = (device *)((char *)*state - offsetof(device, cl));
    opencl_close(&opened->cl);
    hd_arena_free(opened->arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_equal_fields),
        cmocka_unit_test(test_long_structs), cmocka_unit_test(test_long_elements),
        cmocka_unit_test(test_cuda)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
