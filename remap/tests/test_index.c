/*
 * Index transforms: the texts of random maps as C, as OpenCL C on the device and as CUDA C, with
 * every element against hd_remap_find(); division by numbers that only the host knows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <stdlib.h>

#include <cmocka.h>

#include "driver/compute.h"
#include "heddle/index.h"
#include "maps.h"
#include "random_maps.h"

static const hd_diag quiet = {0};

/* ---- a program of many maps ---------------------------------------------------------------- */

/* One function: of a field, or of a map that has none. */
typedef struct transform {
    const hd_remap *map;
    uint32_t field;
} transform;

enum { MAPS = 60, MOST_TRANSFORMS = MAPS * 10 };

typedef struct program {
    hd_arena *arena;
    hd_remap *maps[MAPS];
    uint32_t map_count, count;
    transform transforms[MOST_TRANSFORMS];
    hd_str functions; /* the maps' texts */
    hd_str cases;     /* `case 0: return m0_x(i);` and so on */
} program;

static void add_map(program *p, hd_remap *map) {
    const char *name = hd_format(p->arena, "m%u", p->map_count);
    char *text;
    assert_int_equal(hd_remap_source(&quiet, map, name, &text), HD_OK);
    hd_str_add(&p->functions, text);
    free(text);
    uint32_t fields = map->kind == HD_REMAP_RECORDS ? map->layout->record->field_count : 1;
    for (uint32_t f = 0; f < fields; f++) {
        hd_str_printf(&p->cases, "    case %u: return %s", p->count, name);
        if (map->kind == HD_REMAP_RECORDS)
            hd_str_printf(&p->cases, "_%s", map->layout->record->fields[f].name);
        hd_str_add(&p->cases, "(i);\n");
        p->transforms[p->count++] = (transform){map, f};
    }
    p->maps[p->map_count++] = map;
}

static program begin(void) {
    hd_arena *arena = hd_arena_new();
    return (program){.arena = arena, .functions = {.arena = arena}, .cases = {.arena = arena}};
}

static program random_program(void) {
    static const hd_remap_kind kinds[] = {HD_REMAP_RECORDS,  HD_REMAP_RECORDS, HD_REMAP_TRANSPOSE,
                                          HD_REMAP_DIAGONAL, HD_REMAP_MORTON,  HD_REMAP_USER};
    program p = begin();
    dice d = {20261121};
    while (p.map_count < MAPS) {
        hd_remap *map;
        assert_int_equal(random_map(&quiet, &d, kinds[p.map_count % 6], 1 << 14, &map), HD_OK);
        if (map->kind == HD_REMAP_USER && !map->source)
            hd_remap_free(map);
        else
            add_map(&p, map);
    }
    return p;
}

/* Whose numbers need 64 bits. */
static program large_program(void) {
    static const hd_remap_field fields[] = {{"a", 0, 8, 8}, {"b", 8, 2, 2}, {"c", 12, 4, 4}};
    static const hd_remap_record record = {"large", 16, 8, fields, 3};
    program p = begin();
    hd_remap *map;
    static const char *const layouts[] = {"soa", "aosoa:32", "{a}{b,c}/da", "{a,c}{b}:8"};
    for (int l = 0; l < 4; l++) {
        assert_int_equal(hd_remap_layout(&quiet, &record, layouts[l], 5000000019, &map), HD_OK);
        add_map(&p, map);
    }
    assert_int_equal(hd_remap_transpose(&quiet, 100003, 70001, 4, &map), HD_OK);
    add_map(&p, map);
    assert_int_equal(hd_remap_diagonal(&quiet, 100003, 70001, 4, &map), HD_OK);
    add_map(&p, map);
    assert_int_equal(hd_remap_morton(&quiet, 100003, 7000001, 4, &map), HD_OK);
    add_map(&p, map);
    return p;
}

static void end(program *p) {
    for (uint32_t m = 0; m < p->map_count; m++)
        hd_remap_free(p->maps[m]);
    hd_arena_free(p->arena);
}

/* The text with a function `find(which, i)`; `qualifiers` before it. */
static const char *program_text(program *p, bool wide, const char *qualifiers) {
    return hd_format(p->arena,
                     "%s%s%s%s HD_INDEX find(unsigned int which, HD_INDEX i) {\n"
                     "    switch (which) {\n%s    default: return 0;\n    }\n}\n",
                     wide ? "#define HD_INDEX hd_wide\n" : "", hd_remap_index_text(),
                     hd_str_text(&p->functions), qualifiers, hd_str_text(&p->cases));
}

static uint64_t expected(const transform *t, uint64_t element) {
    uint64_t offset = hd_remap_find(t->map, element, t->field).offset;
    return t->map->kind == HD_REMAP_RECORDS ? offset : offset / t->map->element_bytes;
}

/* An element of number `n` of `of`: all of few, else some of all. */
static uint64_t element_of(const transform *t, uint64_t n, uint64_t of) {
    return of < t->map->elements ? (uint64_t)((double)t->map->elements / of * n) : n;
}

enum { MOST_ELEMENTS = 1 << 14 };

static uint64_t elements_of(const transform *t) {
    return t->map->elements < MOST_ELEMENTS ? t->map->elements : MOST_ELEMENTS;
}

/* ---- as C ----------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text) {
    assert_int_equal(hd_write_file(&quiet, path, text, strlen(text)), HD_OK);
}

static void run(const char *command) {
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void check_c(bool wide) {
    program p = wide ? large_program() : random_program();
    char *folder;
    assert_int_equal(hd_scratch_make(p.arena, &quiet, &folder), HD_OK);
    write_text(hd_format(p.arena, "%s/find.c", folder), program_text(&p, wide, ""));
    run(hd_format(p.arena,
                  "${CC:-cc} -std=c99 -Wall -Wextra -Werror -O2 -shared -fPIC -o %s/find.so "
                  "%s/find.c",
                  folder, folder));
    void *library = dlopen(hd_format(p.arena, "%s/find.so", folder), RTLD_NOW);
    assert_non_null(library);
    unsigned (*find)(unsigned, unsigned);
    unsigned long long (*find_wide)(unsigned, unsigned long long);
    *(void **)&find = *(void **)&find_wide = dlsym(library, "find");
    for (uint32_t t = 0; t < p.count; t++)
        for (uint64_t n = 0; n < elements_of(&p.transforms[t]); n++) {
            uint64_t i = element_of(&p.transforms[t], n, elements_of(&p.transforms[t]));
            uint64_t found = wide ? find_wide(t, i) : find(t, (unsigned)i);
            if (found != expected(&p.transforms[t], i))
                fail_msg("transform %u of element %llu is %llu", t, (unsigned long long)i,
                         (unsigned long long)found);
        }
    dlclose(library);
    hd_scratch_remove(folder);
    end(&p);
}

static void test_c(void **state) {
    (void)state;
    check_c(false);
    check_c(true);
}

/* The header is C++, too, and the texts leave no division. */
static void test_compiled(void **state) {
    (void)state;
    program p = random_program();
    char *folder, *assembly;
    size_t length;
    assert_int_equal(hd_scratch_make(p.arena, &quiet, &folder), HD_OK);
    write_text(hd_format(p.arena, "%s/find.cc", folder), program_text(&p, false, ""));
    run(hd_format(p.arena,
                  "${CC:-cc} -x c++ -Wall -Wextra -Werror -Wno-unused-function "
                  "-fsyntax-only %s/find.cc",
                  folder));
    write_text(hd_format(p.arena, "%s/find.c", folder), program_text(&p, false, ""));
    run(hd_format(p.arena, "${CC:-cc} -O2 -S -o %s/find.s %s/find.c", folder, folder));
    assert_int_equal(
        hd_read_file(p.arena, &quiet, hd_format(p.arena, "%s/find.s", folder), &assembly, &length),
        HD_OK);
    assert_null(strstr(assembly, "div")); /* div and idiv of x86, udiv and sdiv of Arm */
    hd_scratch_remove(folder);
    end(&p);
}

/* ---- as CUDA C ------------------------------------------------------------------------------ */

static void check_cuda(bool wide) {
    program p = wide ? large_program() : random_program();
    char *folder;
    assert_int_equal(hd_scratch_make(p.arena, &quiet, &folder), HD_OK);
    write_text(hd_format(p.arena, "%s/find.cu", folder),
               program_text(&p, wide, "__host__ __device__"));
    run(hd_format(p.arena,
                  "nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc; [ ! -x $nvcc ] || "
                  "$nvcc --ptx -o %s/find.ptx %s/find.cu",
                  folder, folder));
    hd_scratch_remove(folder);
    end(&p);
}

static void test_cuda(void **state) {
    (void)state;
    check_cuda(false);
    check_cuda(true);
}

/* ---- as OpenCL C
 * --------------------------------------------------------------------------------- */

static const char find_all[] =
    "kernel void find_all(uint which, global ulong *found, ulong elements, uint all) {\n"
    "    uint n = get_global_id(0);\n"
    "    ulong i = n;\n"
    "    if (all < elements) i = (ulong)((double)elements / all * n);\n"
    "    found[n] = find(which, (HD_INDEX)i);\n"
    "}\n";

/* The first OpenCL device, with a kernel. */
typedef struct device {
    hd_compute *gpu;
    hd_compute_queue queue;
    hd_compute_program *program;
    void *kernel;
} device;

static device open_device(hd_arena *arena, const char *text, const char *kernel) {
    static const char *const options[] = {"-cl-std=CL1.2", "-Werror"};
    const hd_compute_source source = {.text = text, .options = options, .option_count = 2};
    const hd_compute_api *api = &hd_compute_opencl;
    device d = {0};
    assert_null(api->open(arena, "0:0", &d.gpu));
    assert_null(api->make_queue(d.gpu, false, &d.queue));
    if (api->build(d.gpu, &source, &d.program))
        fail_msg("%s\n%s", d.gpu->log, text);
    assert_null(api->get_kernel(d.gpu, d.program, kernel, 0, &d.kernel));
    return d;
}

static void close_device(device *d) {
    d->gpu->api->release_program(d->gpu, d->program);
    d->gpu->api->release_queue(d->gpu, &d->queue);
    d->gpu->api->close(d->gpu);
}

static hd_compute_memory new_memory(device *d, const void *data, size_t bytes) {
    hd_compute_memory memory;
    assert_null(d->gpu->api->allocate(d->gpu, HD_PLACEMENT_DEVICE, bytes, &memory));
    assert_null(data ? d->gpu->api->write(d->gpu, &d->queue, memory, 0, data, bytes) : NULL);
    return memory;
}

/* Items that are groups of their own: PoCL compiles a kernel for each size of a group. */
static void launch(device *d, uint64_t items, const hd_compute_argument *arguments,
                   uint32_t count) {
    const hd_compute_launch shape = {.dims = 1, .global = {items}, .local = {1}};
    assert_null(d->gpu->api->launch(d->gpu, &d->queue, d->kernel, &shape, arguments, count, NULL));
}

static void read_back(device *d, void *to, hd_compute_memory from, size_t bytes) {
    assert_null(d->gpu->api->read(d->gpu, &d->queue, to, from, 0, bytes));
    assert_null(d->gpu->api->finish(d->gpu, &d->queue));
}

static void check_opencl(bool wide) {
    static uint64_t found[MOST_ELEMENTS];
    program p = wide ? large_program() : random_program();
    device d =
        open_device(p.arena, hd_format(p.arena, "%s%s", program_text(&p, wide, "static"), find_all),
                    "find_all");
    hd_compute_memory memory = new_memory(&d, NULL, sizeof found);
    for (uint32_t t = 0; t < p.count; t++) {
        uint64_t elements = p.transforms[t].map->elements;
        uint32_t all = (uint32_t)elements_of(&p.transforms[t]);
        launch(&d, all,
               (hd_compute_argument[]){{&t, sizeof t, false},
                                       {&memory, sizeof memory, true},
                                       {&elements, sizeof elements, false},
                                       {&all, sizeof all, false}},
               4);
        read_back(&d, found, memory, all * sizeof *found);
        for (uint64_t n = 0; n < all; n++)
            if (found[n] != expected(&p.transforms[t], element_of(&p.transforms[t], n, all)))
                fail_msg("transform %u of element %llu", t, (unsigned long long)n);
    }
    d.gpu->api->release(d.gpu, memory);
    close_device(&d);
    end(&p);
}

static void test_opencl(void **state) {
    (void)state;
    check_opencl(false);
    check_opencl(true);
}

/* ---- division
 * -------------------------------------------------------------------------------------- */

/* Numbers at the ends, around powers of two, and any. */
static uint64_t odd_number(uint64_t n, unsigned bits, uint64_t *seed) {
    uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (n < 3 * bits)
        return ((UINT64_C(1) << n / 3) + n % 3 - 1) & most;
    uint64_t any = hd_next_random(seed) & most;
    return n % 2 ? any >> hd_next_random(seed) % bits : most - (any >> hd_next_random(seed) % bits);
}

static void test_division(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (uint64_t a = 0; a < 400; a++)
        for (uint64_t b = 0; b < 400; b++) {
            uint64_t dividend = odd_number(b, 64, &seed), divisor = odd_number(a, 64, &seed);
            uint32_t short_dividend = (uint32_t)odd_number(b, 32, &seed);
            uint32_t short_divisor = (uint32_t)odd_number(a, 32, &seed);
            if (divisor) {
                hd_divisor64 by = hd_make_divisor64(divisor);
                assert_int_equal(hd_quotient64(dividend, by), dividend / divisor);
                assert_int_equal(hd_remainder64(dividend, by), dividend % divisor);
            }
            if (short_divisor) {
                hd_divisor32 by = hd_make_divisor32(short_divisor);
                assert_int_equal(hd_quotient32(short_dividend, by), short_dividend / short_divisor);
                assert_int_equal(hd_remainder32(short_dividend, by),
                                 short_dividend % short_divisor);
            }
        }
}

static const char divide[] =
    "kernel void divide(global const uint *a, global const ulong *wide, hd_divisor32 by,\n"
    "                   hd_divisor64 wide_by, global uint *q, global ulong *wide_q,\n"
    "                   uint rows, global uint *t) {\n"
    "    size_t i = get_global_id(0);\n"
    "    q[i] = hd_quotient32(a[i], by);\n"
    "    wide_q[i] = hd_quotient64(wide[i], wide_by);\n"
    "    t[i] = hd_transpose_by(a[i], rows, by);\n"
    "}\n";

enum { DIVIDENDS = 1000, ROWS = 77 };

/* Divisors made on the host, in a kernel. */
static void test_division_on_device(void **state) {
    (void)state;
    static uint32_t a[DIVIDENDS], q[DIVIDENDS], t[DIVIDENDS];
    static uint64_t wide[DIVIDENDS], wide_q[DIVIDENDS];
    hd_arena *arena = hd_arena_new();
    device d =
        open_device(arena, hd_format(arena, "%s%s", hd_remap_index_text(), divide), "divide");
    const uint32_t rows = ROWS;
    uint64_t seed = 5;
    for (unsigned i = 0; i < DIVIDENDS; i++) {
        a[i] = (uint32_t)odd_number(i, 32, &seed);
        wide[i] = odd_number(i, 64, &seed);
    }
    hd_compute_memory memory[] = {
        new_memory(&d, a, sizeof a), new_memory(&d, wide, sizeof wide), new_memory(&d, q, sizeof q),
        new_memory(&d, wide_q, sizeof wide_q), new_memory(&d, t, sizeof t)};
    for (unsigned n = 1; n < 64; n += 3) {
        uint32_t divisor = (uint32_t)odd_number(n, 32, &seed) | 1;
        uint64_t wide_divisor = odd_number(2 * n, 64, &seed) | 1;
        hd_divisor32 by = hd_make_divisor32(divisor);
        hd_divisor64 wide_by = hd_make_divisor64(wide_divisor);
        launch(&d, DIVIDENDS,
               (hd_compute_argument[]){{&memory[0], sizeof *memory, true},
                                       {&memory[1], sizeof *memory, true},
                                       {&by, sizeof by, false},
                                       {&wide_by, sizeof wide_by, false},
                                       {&memory[2], sizeof *memory, true},
                                       {&memory[3], sizeof *memory, true},
                                       {&rows, sizeof rows, false},
                                       {&memory[4], sizeof *memory, true}},
               8);
        read_back(&d, q, memory[2], sizeof q);
        read_back(&d, wide_q, memory[3], sizeof wide_q);
        read_back(&d, t, memory[4], sizeof t);
        for (unsigned i = 0; i < DIVIDENDS; i++) {
            assert_int_equal(q[i], a[i] / divisor);
            assert_int_equal(wide_q[i], wide[i] / wide_divisor);
            assert_int_equal(t[i], ROWS * (a[i] % divisor) + a[i] / divisor);
        }
    }
    for (int m = 0; m < 5; m++)
        d.gpu->api->release(d.gpu, memory[m]);
    close_device(&d);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c),        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_cuda),     cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_division), cmocka_unit_test(test_division_on_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
