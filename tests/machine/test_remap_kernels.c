/*
 * Remapping kernels, in OpenCL C and in CUDA C, on Heddle's own machine: what they compute, races
 * between their items, accesses beyond their memory, and what a GPU's warps would move for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "analysis/coalesce.h"
#include "oracle/remap.h"
#include "ready.h"
#include "remap/remap_kernels.h"
#include "maps.h"
#include "random_maps.h"
#include "sanitized.h"
#include "machine/vm.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%s:%u: %s\n", message->place.file ? message->place.file : "-",
                  message->place.line, message->text);
}
static const hd_diag diag = {tell, NULL};

/* One kernel for the whole of a map. */
typedef struct scene {
    hd_arena *arena;
    const hd_remap *map;
    hd_remap_direction direction;
    hd_remap_dialect dialect;
    hd_remap_units units;
    unsigned char *memory[HD_MAX_FIELDS + 2]; /* parts, staging, numbers */
    uint64_t bytes[HD_MAX_FIELDS + 2];
    uint32_t count;
} scene;

static void add_memory(scene *s, uint64_t bytes, uint64_t seed) {
    unsigned char *memory = hd_alloc(s->arena, (size_t)bytes);
    for (uint64_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)(hd_next_random(&seed) >> 32);
    s->memory[s->count] = memory;
    s->bytes[s->count++] = bytes;
}

static void add_numbers(scene *s) {
    const hd_remap_numbers *all = &s->map->element;
    if (!s->units.number_bytes)
        return;
    if (s->map->kind != HD_REMAP_GATHER || s->direction == HD_REMAP_FROM_DEVICE)
        assert_int_equal(hd_remap_places_of(&diag, s->map, &all), HD_OK);
    add_memory(s, s->units.count * all->bytes, 0);
    memcpy(s->memory[s->count - 1], all->data, (size_t)s->bytes[s->count - 1]);
}

static scene scene_of(hd_arena *arena, const hd_remap *map, hd_remap_direction direction,
                      hd_remap_dialect dialect) {
    scene s = {.arena = arena, .map = map, .direction = direction, .dialect = dialect};
    s.units = hd_remap_units_of(map, direction);
    for (uint32_t p = 0; p < map->parts; p++)
        add_memory(&s, map->bytes[p], p);
    add_memory(&s, map->source_bytes, 77);
    add_numbers(&s);
    return s;
}

/* ---- the job ------------------------------------------------------------------------------- */

static const char *memory_name(const scene *s, uint32_t m) {
    if (m < s->map->parts)
        return hd_format(s->arena, "part%u", m);
    return m == s->map->parts ? "staging" : "numbers";
}

static const char *job_text(const scene *s) {
    hd_compute_launch launch = hd_remap_launch_of(s->map, NULL, s->units.count);
    hd_str text = {.arena = s->arena};
    hd_str_printf(&text, "kernel: kernel.%s\nbuffers:\n",
                  s->dialect == HD_REMAP_CUDA_C ? "cu" : "cl");
    for (uint32_t m = 0; m < s->count; m++) {
        uint32_t each = m > s->map->parts ? s->units.number_bytes : 1;
        hd_str_printf(&text, "  - {name: %s, type: %s, count: %llu}\n", memory_name(s, m),
                      each == 8   ? "ulong"
                      : each == 4 ? "uint"
                                  : "uchar",
                      (unsigned long long)s->bytes[m] / each);
    }
    bool cuda = s->dialect == HD_REMAP_CUDA_C;
    hd_str_printf(&text, "launches:\n  - kernel: %s\n    %s: [%llu]\n    %s: [%u]\n    args:\n",
                  HD_REMAP_KERNEL, cuda ? "blocks" : "global",
                  (unsigned long long)(launch.global[0] / (cuda ? launch.local[0] : 1)),
                  cuda ? "threads" : "local", (unsigned)launch.local[0]);
    for (uint32_t m = 0; m < s->count; m++)
        hd_str_printf(&text, "      - {name: %s, buffer: %s}\n", memory_name(s, m),
                      memory_name(s, m));
    hd_str_printf(&text, "      - {name: first, value: 0}\n      - {name: count, value: %llu}\n",
                  (unsigned long long)s->units.count);
    return hd_str_text(&text);
}

static void write_text(const char *path, const char *text) {
    assert_int_equal(hd_write_file(&diag, path, text, strlen(text)), HD_OK);
}

static hd_job *job_of(const scene *s) {
    char *folder;
    const char *text;
    hd_job *job;
    kir_module *module;
    assert_int_equal(hd_scratch_make(s->arena, &diag, &folder), HD_OK);
    text = hd_remap_kernel_text(s->arena, s->map, s->direction, s->dialect, NULL);
    write_text(
        hd_format(s->arena, "%s/kernel.%s", folder, s->dialect == HD_REMAP_CUDA_C ? "cu" : "cl"),
        text);
    const char *path = hd_format(s->arena, "%s/job.yaml", folder);
    write_text(path, job_text(s));
    assert_int_equal(hd_job_read(s->arena, &diag, path, &job), HD_OK);
    assert_int_equal(hd_frontend(s->arena, &diag, job->kernel_path, job->options, &module), HD_OK);
    assert_int_equal(hd_job_resolve(s->arena, &diag, job, module), HD_OK);
    hd_scratch_remove(folder);
    return job;
}

/* ---- what it computes
 * ---------------------------------------------------------------------------- */

/* Bytes of the device's side that hold no element are left or zero. */
static void check_parts(const scene *s, const hd_vm *vm) {
    void *left[HD_MAX_FIELDS], *zero[HD_MAX_FIELDS];
    for (uint32_t p = 0; p < s->map->parts; p++) {
        left[p] = hd_alloc(s->arena, (size_t)s->bytes[p]);
        zero[p] = hd_alloc(s->arena, (size_t)s->bytes[p]);
        memcpy(left[p], s->memory[p], (size_t)s->bytes[p]);
    }
    slow_apply(s->map, left, s->memory[s->map->parts]);
    slow_apply(s->map, zero, s->memory[s->map->parts]);
    for (uint32_t p = 0; p < s->map->parts; p++) {
        const unsigned char *is = hd_vm_contents(vm, p), *a = left[p], *b = zero[p];
        for (uint64_t i = 0; i < s->bytes[p]; i++)
            if (is[i] != a[i] && is[i] != b[i])
                fail_msg("kind %d: byte %llu of part %u is %u, not %u", s->map->kind,
                         (unsigned long long)i, p, is[i], a[i]);
    }
}

static void check_source(const scene *s, const hd_vm *vm) {
    unsigned char *expected = s->memory[s->map->parts];
    slow_revert(s->map, expected, (void *const *)s->memory);
    const unsigned char *is = hd_vm_contents(vm, s->map->parts);
    for (uint64_t i = 0; i < s->map->source_bytes; i++)
        if (is[i] != expected[i])
            fail_msg("kind %d: byte %llu of the source is %u, not %u", s->map->kind,
                     (unsigned long long)i, is[i], expected[i]);
}

/* Runs the map's kernel and checks it; counts what warps of `device` move where that is given. */
static hd_coalesce_counts run(const hd_remap *map, hd_remap_direction direction,
                              hd_remap_dialect dialect, const char *device) {
    hd_arena *arena = hd_arena_new();
    scene s = scene_of(arena, map, direction, dialect);
    const hd_device *profile;
    assert_int_equal(hd_device_find(arena, &diag, device ? device : "h100", &profile), HD_OK);
    const hd_tally_work counter_work = hd_coalesce_work(arena, profile);
    hd_tally *counter = hd_tally_new(arena, &counter_work, 1);
    hd_sink sink = hd_tally_sink(counter);
    hd_vm_options options = {.check_races = !device};
    hd_vm *vm;
    assert_int_equal(hd_vm_open(arena, &diag, job_of(&s), (void *const *)s.memory, &options, &vm),
                     HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, &sink, NULL), HD_OK);
    (direction == HD_REMAP_TO_DEVICE ? check_parts : check_source)(&s, vm);
    hd_coalesce_counts counts = *(const hd_coalesce_counts *)hd_tally_of_launch(counter, 0, 0);
    hd_tally_free(counter);
    hd_vm_close(vm);
    hd_arena_free(arena);
    return counts;
}

static void run_all(const hd_remap *map) {
    for (int direction = 0; direction < 2; direction++)
        for (int dialect = 0; dialect < 2; dialect++)
            if (IS_TRIED(direction + dialect, 2))
                run(map, (hd_remap_direction)direction, (hd_remap_dialect)dialect, NULL);
}

static void test_random(void **state) {
    (void)state;
    dice d = {42};
    for (int i = 0; i < 2; i++)
        for (hd_remap_kind kind = 0; kind < MAP_KINDS; kind++) {
            hd_remap *map;
            assert_int_equal(random_map(&diag, &d, kind, 1 << 15, &map), HD_OK);
            run_all(map);
            hd_remap_free(map);
        }
}

static void run_both_ways(hd_status made, hd_remap *map) {
    assert_int_equal(made, HD_OK);
    for (int direction = 0; direction < 2; direction++)
        run(map, (hd_remap_direction)direction, HD_REMAP_OPENCL_C, NULL);
    hd_remap_free(map);
}

/* Structs of equal fields, and long values, for which there are special ways. */
static void test_special(void **state) {
    (void)state;
    hd_remap *map;
    for (int i = 0; i < EQUAL_MAPS; i++)
        if (IS_TRIED(i, 5)) {
            hd_status made = equal_map(&diag, i, &map);
            run_both_ways(made, map);
        }
    for (int i = 0; i < LONG_MAPS; i++)
        if (IS_TRIED(i, 4)) {
            hd_status made = long_map(&diag, i, &map);
            run_both_ways(made, map);
        }
}

/* ---- what it moves
 * --------------------------------------------------------------------------------- */

/* No byte is moved that is not asked for, and none twice: the accesses that there are stand for
 * both sides of the map once, in as few transactions as hold them. */
static void check_moves(const hd_remap *map) {
    static const char *const devices[] = {"h100",
                                          "geforce-gtx480"}; /* segments of 32 and of 128 bytes */
    for (int direction = 0; direction < 2; direction++)
        for (int d = 0; d < (SANITIZED ? 1 : 2); d++) {
            hd_coalesce_counts counts =
                run(map, (hd_remap_direction)direction, HD_REMAP_OPENCL_C, devices[d]);
            if (counts.bytes_moved != 2 * map->source_bytes)
                fail_msg("kind %d, direction %d on %s: %llu bytes are moved for %llu", map->kind,
                         direction, devices[d], (unsigned long long)counts.bytes_moved,
                         2 * (unsigned long long)map->source_bytes);
        }
}

static void test_structs_move_nothing_twice(void **state) {
    (void)state;
    static const char *const layouts[] = {"soa", "aosoa:32", "aosoa:4", "{f0}{f1}/da"};
    static const uint32_t sizes[] = {8, 12, 16, 28, 32, 48, 64};
    for (int l = 0; l < 4; l++)
        for (int s = 0; s < (l < 3 ? 7 : 1); s++) {
            equal_record e;
            make_equal(&e, sizes[s] / 4, 4);
            hd_remap *map;
            assert_int_equal(hd_remap_layout(&diag, &e.record, layouts[l], 4096, &map), HD_OK);
            check_moves(map);
            hd_remap_free(map);
        }
}

static void test_transposes_move_nothing_twice(void **state) {
    (void)state;
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
        hd_remap *map;
        assert_int_equal(hd_remap_transpose(&diag, 256, 128, bytes, &map), HD_OK);
        check_moves(map);
        hd_remap_free(map);
        if (bytes < 4) /* a row of a tile is 32 elements */
            continue;
        assert_int_equal(hd_remap_morton(&diag, 128, 256, bytes, &map), HD_OK);
        check_moves(map);
        hd_remap_free(map);
    }
}

int main(void) {
    setenv("CUDA_PATH", "", 1); /* Heddle's own headers, which are read faster */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_special),
                                       cmocka_unit_test(test_structs_move_nothing_twice),
                                       cmocka_unit_test(test_transposes_move_nothing_twice)};
    stand_ready();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
