/*
 * Matrices of PTX's warps, from text to memory: wmma in all its shapes, types and layouts against
 * the product element by element, mma with fragments dealt out as PTX ISA lists them, ldmatrix and
 * stmatrix, and cp.async on the way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

#include "frontend/ptx/ast.h"
#include "oracle/bits.h"
#include "oracle/mma.h"
#include "machine/vm.h"

enum { LANES = 32, BUFFERS = 4, BUFFER_BYTES = 8192 };

/* ---- running ---------------------------------------------------------------------- */

/* The kernel's %a to %d, the addresses of four buffers. */
typedef struct bench {
    hd_arena *arena;
    uint8_t buffers[BUFFERS][BUFFER_BYTES];
} bench;

static void say(const hd_message *m, void *user) {
    (void)user;
    print_error("%s:%u:%u: %s\n", m->place.file, m->place.line, m->place.column, m->text);
}

static void run_warp(bench *b, const char *body) {
    const char *text = hd_format(
        b->arena,
        ".version 8.7\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n"
        " .reg .b32 %%r<32>, %%x<32>, %%y<32>, %%z<32>; .reg .f32 %%f<32>;\n"
        " .reg .f64 %%v<9>; .reg .b64 %%a, %%b, %%c, %%d, %%l<9>;\n"
        " .shared .align 16 .b8 tile[4096];\n"
        " ld.param.u64 %%a, [a]; ld.param.u64 %%b, [b];\n"
        " ld.param.u64 %%c, [c]; ld.param.u64 %%d, [d]; mov.u32 %%r0, %%tid.x;\n"
        "%s\n ret;\n}\n",
        body);
    const hd_diag diag = {say, NULL};
    ptx_module *ptx;
    kir_module *module;
    hd_job *job;
    hd_vm *vm = NULL;
    const hd_job_flags flags = {.kernel_path = "k.ptx",
                                .dims = 1,
                                .global = {LANES, 1, 1},
                                .local = {LANES, 1, 1},
                                .count = BUFFER_BYTES};
    const hd_vm_options options = {.workers = 1};
    void *contents[BUFFERS] = {NULL};
    hd_status status = ptx_parse(b->arena, &diag, "k.ptx", text, strlen(text), &ptx);
    if (!status)
        status = ptx_lower(b->arena, &diag, ptx, &module);
    if (!status)
        status = hd_job_from_flags(b->arena, &diag, &flags, module, &job);
    uint32_t last = 0;
    for (uint32_t i = 0; !status && i < job->buffer_count; i++) { /* of those that are used */
        last = i;
        contents[i] = hd_new_array(b->arena, uint8_t, BUFFER_BYTES * 16);
        memcpy(contents[i], b->buffers[job->buffers[i].name[0] - 'a'], BUFFER_BYTES);
    }
    if (!status)
        status = hd_vm_open(b->arena, &diag, job, contents, &options, &vm);
    if (!status)
        status = hd_vm_run(vm, 0, NULL, NULL);
    if (status)
        fail_msg("%s", body);
    memcpy(b->buffers[3], hd_vm_contents(vm, last), BUFFER_BYTES);
    hd_vm_close(vm);
}

static int setup(void **state) {
    bench *b = calloc(1, sizeof *b);
    b->arena = hd_arena_new();
    *state = b;
    return 0;
}

static int teardown(void **state) {
    bench *b = *state;
    hd_arena_free(b->arena);
    free(b);
    return 0;
}

/* ---- elements: small whole numbers, which every type holds ------------------------- */

static uint32_t bits_of(const char *type) {
    return !strcmp(type, "f64")                            ? 64
           : strstr("f32 s32 tf32", type)                  ? 32
           : !strcmp(type, "f16") || !strcmp(type, "bf16") ? 16
                                                           : 8;
}

static void put(void *at, const char *type, uint32_t index, int number) {
    const double wide = number;
    const float single = (float)number;
    const _Float16 half = (_Float16)number;
    uint32_t bytes = bits_of(type) / 8;
    uint8_t *to = (uint8_t *)at + (size_t)index * bytes;
    if (!strcmp(type, "bf16"))
        memcpy(to, (const uint8_t *)&single + 2, 2);
    else
        memcpy(to,
               type[0] == 's' || type[0] == 'u' ? (const void *)&number
               : bytes == 8                     ? (const void *)&wide
               : bytes == 4                     ? (const void *)&single
                                                : (const void *)&half,
               bytes);
}

static int get(const void *at, const char *type, uint32_t index) {
    double wide;
    float single;
    _Float16 half;
    int number;
    const uint8_t *from = (const uint8_t *)at + (size_t)index * (bits_of(type) / 8);
    switch (type[0] == 's' ? 0 : bits_of(type)) {
    case 64: memcpy(&wide, from, 8); return (int)wide;
    case 32: memcpy(&single, from, 4); return (int)single;
    case 16: memcpy(&half, from, 2); return (int)(float)half;
    default: memcpy(&number, from, 4); return number;
    }
}

/* ---- wmma ------------------------------------------------------------------------- */

typedef struct product {
    const char *shape, *type, *c, *d;
    uint32_t m, n, k;
    uint32_t a_registers, b_registers, c_registers, d_registers; /* as PTX ISA has them */
} product;

static const product products[] = {
    {"m16n16k16", "f16", "f32", "f32", 16, 16, 16, 8, 8, 8, 8},
    {"m16n16k16", "f16", "f16", "f16", 16, 16, 16, 8, 8, 4, 4},
    {"m16n16k16", "f16", "f16", "f32", 16, 16, 16, 8, 8, 4, 8},
    {"m16n16k16", "f16", "f32", "f16", 16, 16, 16, 8, 8, 8, 4},
    {"m32n8k16", "f16", "f32", "f32", 32, 8, 16, 8, 8, 8, 8},
    {"m8n32k16", "f16", "f16", "f16", 8, 32, 16, 8, 8, 4, 4},
    {"m8n32k16", "f16", "f16", "f32", 8, 32, 16, 8, 8, 4, 8},
    {"m16n16k16", "bf16", "f32", "f32", 16, 16, 16, 4, 4, 8, 8},
    {"m32n8k16", "bf16", "f32", "f32", 32, 8, 16, 8, 2, 8, 8},
    {"m8n32k16", "bf16", "f32", "f32", 8, 32, 16, 2, 8, 8, 8},
    {"m16n16k8", "tf32", "f32", "f32", 16, 16, 8, 4, 4, 8, 8},
    {"m16n16k16", "s8", "s32", "s32", 16, 16, 16, 2, 2, 8, 8},
    {"m32n8k16", "u8", "s32", "s32", 32, 8, 16, 4, 1, 8, 8},
    {"m8n32k16", "s8", "s32", "s32", 8, 32, 16, 1, 4, 8, 8},
    {"m8n8k4", "f64", "f64", "f64", 8, 8, 4, 1, 1, 2, 2},
};

static const char *list_of(hd_arena *arena, const char *type, char name, uint32_t count) {
    hd_str text = {.arena = arena};
    bool is_float = strcmp(type, "f32") == 0;
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&text, "%s%%%c%u", i ? ", " : "{",
                      !strcmp(type, "f64") ? 'v'
                      : is_float           ? 'f'
                                           : name,
                      i + (!strcmp(type, "f64")      ? (name == 'x'   ? 0u
                                                        : name == 'y' ? 1u
                                                        : name == 'z' ? 2u
                                                                      : 4u)
                           : is_float && name == 'w' ? 8u
                                                     : 0u));
    hd_str_add(&text, "}");
    return hd_str_text(&text);
}

/* Where element (row, column) of a matrix stands. */
static uint32_t at(bool is_row, uint32_t row, uint32_t column, uint32_t stride) {
    return is_row ? row * stride + column : column * stride + row;
}

/* `layouts`: bits that say which of A, B, C and D are in rows. Rows (columns) stand 32 elements
 * apart; with `is_tight` no stride is given, and they touch. */
static void check_product(bench *b, const product *p, uint32_t layouts, bool is_tight) {
    static int a[32][32], bb[32][32], c[32][32];
    bool is_row[4];
    uint32_t rows[] = {p->m, p->k, p->m, p->m}, columns[] = {p->k, p->n, p->n, p->n}, stride[4];
    const char *words[4], *types[] = {p->type, p->type, p->c, p->d};
    uint64_t seed = layouts + 1;
    memset(b->buffers, 0, sizeof b->buffers);
    for (uint32_t i = 0; i < 4; i++) {
        is_row[i] = layouts >> i & 1;
        stride[i] = !is_tight ? 32 : is_row[i] ? columns[i] : rows[i];
        words[i] = is_row[i] ? "row" : "col";
    }
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t row = 0; row < rows[i]; row++)
            for (uint32_t column = 0; column < columns[i]; column++) {
                int number = (int)(hd_next_random(&seed) >> 40 & 7) - (p->type[0] == 'u' ? 0 : 3);
                (i == 0 ? a : i == 1 ? bb : c)[row][column] = number;
                put(b->buffers[i], types[i], at(is_row[i], row, column, stride[i]), number);
            }
    const char *end[4];
    for (uint32_t i = 0; i < 4; i++)
        end[i] = is_tight ? "" : ", 32";
    bool is_half = !strcmp(p->type, "f16");
    const char *x = list_of(b->arena,
                            is_half                   ? "b32"
                            : !strcmp(p->type, "f64") ? "f64"
                                                      : "b32",
                            'x', p->a_registers);
    const char *y = list_of(b->arena, !strcmp(p->type, "f64") ? "f64" : "b32", 'y', p->b_registers);
    const char *z = list_of(b->arena, p->c, 'z', p->c_registers);
    const char *w = list_of(b->arena, p->d, 'w', p->d_registers);
    const char *mma_types = is_half
                                ? hd_format(b->arena, "%s.%s", p->d, p->c)
                                : hd_format(b->arena, "%s.%s.%s.%s", p->d, p->type, p->type, p->c);
    run_warp(b, hd_format(b->arena,
                          ".reg .b32 %%w<9>; add.u64 %%l1, %%b, 64; cvta.to.global.u64 %%l2, %%c;\n"
                          "wmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%a]%s;\n"
                          "wmma.load.b.sync.aligned.%s.%s.%s %s, [%%l1+-64]%s;\n"
                          "wmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%l2]%s;\n"
                          "wmma.mma.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n"
                          "wmma.store.d.sync.aligned.%s.%s.global.%s [%%d], %s%s;",
                          words[0], p->shape, p->type, x, end[0], words[1], p->shape, p->type, y,
                          end[1], words[2], p->shape, p->c, z, end[2], words[0], words[1], p->shape,
                          mma_types, w, x, y, z, words[3], p->shape, p->d, w, end[3]));
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t column = 0; column < p->n; column++) {
            int sum = c[row][column];
            for (uint32_t k = 0; k < p->k; k++)
                sum += a[row][k] * bb[k][column];
            int got = get(b->buffers[3], p->d, at(is_row[3], row, column, stride[3]));
            if (got != sum)
                fail_msg("%s of %s, layouts %x: (%u, %u) is %d, not %d", p->shape, p->type, layouts,
                         row, column, got, sum);
        }
}

static void wmma_products(void **state) {
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        for (uint32_t layouts = 0; layouts < 16; layouts++)
            check_product(*state, &products[i], layouts, layouts % 3 == 0);
}

/* s8 that overflows: with .satfinite the sum stays at the end of the range. */
static void wmma_saturates(void **state) {
    bench *b = *state;
    for (uint32_t saturates = 0; saturates < 2; saturates++) {
        memset(b->buffers, 0, sizeof b->buffers);
        for (uint32_t i = 0; i < 256; i++) {
            put(b->buffers[0], "s8", i, 100);
            put(b->buffers[1], "s8", i, 100);
            put(b->buffers[2], "s32", i, INT32_MAX - 7);
        }
        const char *z = list_of(b->arena, "s32", 'z', 8);
        run_warp(b, hd_format(b->arena,
                              "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%%x0, %%x1}, [%%a];\n"
                              "wmma.load.b.sync.aligned.row.m16n16k16.s8 {%%y0, %%y1}, [%%b];\n"
                              "wmma.load.c.sync.aligned.row.m16n16k16.s32 %s, [%%c];\n"
                              "wmma.mma.sync.aligned.row.row.m16n16k16.s32.s8.s8.s32%s %s, {%%x0, "
                              "%%x1}, {%%y0, %%y1}, %s;\n"
                              "wmma.store.d.sync.aligned.row.m16n16k16.s32 [%%d], %s;",
                              z, saturates ? ".satfinite" : "", z, z, z));
        uint32_t wraps = (uint32_t)INT32_MAX - 7 + 160000;
        for (uint32_t i = 0; i < 256; i++)
            assert_int_equal(get(b->buffers[3], "s32", i),
                             saturates ? INT32_MAX : (int)(int32_t)wraps);
    }
}

/* ---- mma, and matrices in shared memory ------------------------------------------------- */

/* Lane l's registers of A, B and C stand side by side in the buffers. */
static void mma_takes_fragments(void **state) {
    bench *b = *state;
    double a[16][32], bb[32][8], c[16][8];
    uint64_t seed = 3;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t i = 0; i < 8; i++) {
            oracle_place p = oracle_of_a(16, 16, 16, lane, i);
            int number = (int)(hd_next_random(&seed) >> 40 & 15) - 7;
            put(b->buffers[0], "f16", 8 * lane + i, number);
            a[p.row][p.column] = number;
        }
        for (uint32_t i = 0; i < 4; i++) {
            oracle_place p = oracle_of_b(16, 16, lane, i);
            int number = (int)(hd_next_random(&seed) >> 40 & 15) - 7;
            put(b->buffers[1], "f16", 4 * lane + i, number);
            bb[p.row][p.column] = number;
            p = oracle_of_c(lane, i);
            number = (int)(hd_next_random(&seed) >> 40 & 127) - 64;
            put(b->buffers[2], "f32", 4 * lane + i, number);
            c[p.row][p.column] = number;
        }
    }
    run_warp(b, "mad.wide.u32 %a, %r0, 16, %a; mad.wide.u32 %b, %r0, 8, %b;\n"
                "mad.wide.u32 %c, %r0, 16, %c; mad.wide.u32 %d, %r0, 16, %d;\n"
                "ld.global.v4.b32 {%x0, %x1, %x2, %x3}, [%a]; ld.global.v2.b32 {%y0, %y1}, [%b];\n"
                "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%c];\n"
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%x0, "
                "%x1, %x2, %x3}, {%y0, %y1}, {%f0, %f1, %f2, %f3};\n"
                "st.global.v4.f32 [%d], {%f4, %f5, %f6, %f7};");
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < 4; i++) {
            oracle_place p = oracle_of_c(lane, i);
            long double sum = oracle_product((const double(*)[32])a, (const double(*)[8])bb,
                                             (const double(*)[8])c, 16, p.row, p.column);
            assert_int_equal(get(b->buffers[3], "f32", 4 * lane + i), (int)sum);
        }
}

/* ---- sums of fractions, which rounding decides ------------------------------------------------ */

/* A half from -4 to 4, of any digits. */
static double fraction(uint64_t *seed) {
    return (double)(_Float16)(((double)(hd_next_random(seed) >> 11) * 0x1p-53 - 0.5) * 8);
}

static void put_fraction(void *at, bool is_single, uint32_t index, double number) {
    const float single = (float)number;
    const _Float16 half = (_Float16)number;
    memcpy((uint8_t *)at + (size_t)index * (is_single ? 4 : 2),
           is_single ? (const void *)&single : (const void *)&half, is_single ? 4 : 2);
}

static long double get_fraction(const void *at, bool is_single, uint32_t index) {
    float single = 0;
    _Float16 half = 0;
    memcpy(is_single ? (void *)&single : (void *)&half,
           (const uint8_t *)at + (size_t)index * (is_single ? 4 : 2), is_single ? 4 : 2);
    return is_single ? (long double)single : (long double)half;
}

/* The sum, rounded once: by half a unit of the last of its digits; a sum of doubles before that is as
 * good as exact. */
static void check_sum(const char *what, bool is_single, long double got, long double exact) {
    const long double unit = is_single ? 0x1p-24L : 0x1p-11L;
    const long double least = is_single ? 0x1p-149L : 0x1p-25L; /* of subnormal ones */
    if (!(fabsl(got - exact) <= unit * fabsl(exact) * (1 + 0x1p-20L) + least))
        fail_msg("%s: %La, but it is %La", what, got, exact);
}

static void wmma_rounds_once(void **state) {
    static const struct {
        const char *body;
        bool is_single;
    } rows[] = {
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, "
         "%x7}, [%a];\n"
         "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%y0, %y1, %y2, %y3, %y4, %y5, %y6, "
         "%y7}, [%b];\n"
         "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, "
         "%f7}, [%c];\n"
         "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f8, %f9, %f10, %f11, %f12, %f13, %f14, "
         "%f15}, {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, {%y0, %y1, %y2, %y3, %y4, %y5, %y6, "
         "%y7}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};\n"
         "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d], {%f8, %f9, %f10, %f11, %f12, "
         "%f13, %f14, %f15};",
         true},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, "
         "%x7}, [%a];\n"
         "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%y0, %y1, %y2, %y3, %y4, %y5, %y6, "
         "%y7}, [%b];\n"
         "wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%z0, %z1, %z2, %z3}, [%c];\n"
         "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%z4, %z5, %z6, %z7}, {%x0, %x1, %x2, "
         "%x3, %x4, %x5, %x6, %x7}, {%y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7}, {%z0, %z1, %z2, "
         "%z3};\n"
         "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%d], {%z4, %z5, %z6, %z7};",
         false},
    };
    bench *b = *state;
    double a[16][16], bb[16][16], c[16][16];
    uint64_t seed = 21;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (uint32_t row = 0; row < 16; row++)
            for (uint32_t column = 0; column < 16; column++) {
                put_fraction(b->buffers[0], false, 16 * row + column,
                             a[row][column] = fraction(&seed));
                put_fraction(b->buffers[1], false, 16 * column + row,
                             bb[row][column] = fraction(&seed));
                put_fraction(b->buffers[2], rows[r].is_single, 16 * row + column,
                             c[row][column] = fraction(&seed));
            }
        run_warp(b, rows[r].body);
        for (uint32_t row = 0; row < 16; row++)
            for (uint32_t column = 0; column < 16; column++) {
                long double exact = c[row][column];
                for (uint32_t k = 0; k < 16; k++)
                    exact += (long double)a[row][k] * bb[k][column];
                check_sum(rows[r].is_single ? "wmma of f32" : "wmma of f16", rows[r].is_single,
                          get_fraction(b->buffers[3], rows[r].is_single, 16 * row + column), exact);
            }
    }
}

/* Of k columns of A: each lane's halves stand side by side. */
static void check_mma_of_halves(bench *b, uint32_t k, const char *body) {
    double a[16][32] = {{0}}, bb[32][8] = {{0}}, c[16][8];
    uint64_t seed = k;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t i = 0; i < k / 2; i++) {
            oracle_place p = oracle_of_a(16, k, 16, lane, i);
            put_fraction(b->buffers[0], false, 8 * lane + i, a[p.row][p.column] = fraction(&seed));
        }
        for (uint32_t i = 0; i < k / 4; i++) {
            oracle_place p = oracle_of_b(k, 16, lane, i);
            put_fraction(b->buffers[1], false, 4 * lane + i, bb[p.row][p.column] = fraction(&seed));
        }
        for (uint32_t i = 0; i < 4; i++) {
            oracle_place p = oracle_of_c(lane, i);
            put_fraction(b->buffers[2], false, 4 * lane + i, c[p.row][p.column] = fraction(&seed));
        }
    }
    run_warp(b, hd_format(b->arena,
                          "mad.wide.u32 %%a, %%r0, 16, %%a; mad.wide.u32 %%b, %%r0, 8, %%b;\n"
                          "mad.wide.u32 %%c, %%r0, 8, %%c; mad.wide.u32 %%d, %%r0, 8, %%d;\n"
                          "ld.global.v4.b32 {%%x0, %%x1, %%x2, %%x3}, [%%a];\n"
                          "ld.global.v2.b32 {%%y0, %%y1}, [%%b];\n"
                          "ld.global.v2.b32 {%%z0, %%z1}, [%%c];\n"
                          "%s\nst.global.v2.b32 [%%d], {%%z2, %%z3};",
                          body));
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < 4; i++) {
            oracle_place p = oracle_of_c(lane, i);
            long double sum = oracle_product((const double(*)[32])a, (const double(*)[8])bb,
                                             (const double(*)[8])c, k, p.row, p.column);
            check_sum(body, false, get_fraction(b->buffers[3], false, 4 * lane + i), sum);
        }
}

static void mma_of_halves_rounds_once(void **state) {
    check_mma_of_halves(*state, 16,
                        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%z2, %z3}, {%x0, %x1, "
                        "%x2, %x3}, {%y0, %y1}, {%z0, %z1};");
    check_mma_of_halves(*state, 8,
                        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%z2, %z3}, {%x0, %x1}, "
                        "{%y0}, {%z0, %z1};");
}

/* cp.async brings 32 rows of 16 bytes to shared memory, the odd ones only their first 4 bytes;
 * ldmatrix deals out four matrices of 8 rows, and stmatrix turns them on the way back. */
static void matrices_move(void **state) {
    bench *b = *state;
    uint16_t *in = (uint16_t *)b->buffers[0], row[32][8];
    for (uint32_t i = 0; i < 32 * 8; i++) {
        in[i] = (uint16_t)(i * 7 + 1);
        row[i / 8][i % 8] = i / 8 % 2 && i % 8 >= 2 ? 0 : in[i];
    }
    const char *copy = "mad.wide.u32 %a, %r0, 16, %a; mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 16, "
                       "%r1; and.b32 %r3, %r0, 1; mad.lo.u32 %r3, %r3, -12, 16;\n"
                       "cp.async.cg.shared.global [%r2], [%a], 16, %r3;\n"
                       "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n"
                       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%x0, %x1, %x2, %x3}, [%r2];\n";
    run_warp(b, hd_format(b->arena,
                          "%smad.wide.u32 %%d, %%r0, 16, %%d;\n"
                          "st.global.v4.b32 [%%d], {%%x0, %%x1, %%x2, %%x3};",
                          copy));
    const uint16_t *out = (const uint16_t *)b->buffers[3];
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < 8; i++) /* matrix i / 2 */
            assert_int_equal(out[8 * lane + i], row[i / 2 * 8 + lane / 4][lane % 4 * 2 + i % 2]);
    run_warp(b, hd_format(b->arena,
                          "%sstmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%%r2+1024], {%%x0, "
                          "%%x1, %%x2, %%x3};\nbar.sync 0;\n"
                          "ld.shared.v4.b32 {%%x0, %%x1, %%x2, %%x3}, [%%r2+1024];\n"
                          "mad.wide.u32 %%d, %%r0, 16, %%d;\n"
                          "st.global.v4.b32 [%%d], {%%x0, %%x1, %%x2, %%x3};",
                          copy));
    for (uint32_t r = 0; r < 32; r++)
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(out[8 * r + i], row[r / 8 * 8 + i][r % 8]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wmma_products, setup, teardown),
        cmocka_unit_test_setup_teardown(wmma_saturates, setup, teardown),
        cmocka_unit_test_setup_teardown(mma_takes_fragments, setup, teardown),
        cmocka_unit_test_setup_teardown(wmma_rounds_once, setup, teardown),
        cmocka_unit_test_setup_teardown(mma_of_halves_rounds_once, setup, teardown),
        cmocka_unit_test_setup_teardown(matrices_move, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
