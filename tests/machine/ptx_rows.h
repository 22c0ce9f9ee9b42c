/*
 * Instructions of PTX, each run on the machine by 64 threads on odd and random operands, against
 * what the expression in C beside it gives. A thread has three numbers of 64 bits, %a, %b and %c,
 * their low halves %x, %y and %z (as floats %f, %g and %h, as doubles %da, %db and %dc), and
 * leaves %d behind; a body that makes 32 bits leaves %w.
 */
#ifndef HD_TESTS_PTX_ROWS_H
#define HD_TESTS_PTX_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

#include "frontend/ptx/ast.h"
#include "machine/vm.h"

enum { THREADS = 64, NUMBERS = 3 };

typedef struct numbers {
    uint64_t a, b, c;
    uint32_t x, y, z;
    float f, g, h;
    double da, db, dc;
    uint32_t thread;
    const void *of;      /* what the row has beside its expression */
    const uint64_t *all; /* the numbers of all threads */
} numbers;

typedef uint64_t expected_fn(const numbers *n);

typedef struct row {
    const char *body;
    expected_fn *expected;
    const void *of;
} row;

/* ---- running ------------------------------------------------------------------ */

/* `user`: the body. */
static inline void say(const hd_message *m, void *user) {
    print_error("%s\n%s:%u:%u: %s\n", (const char *)user, m->place.file, m->place.line,
                m->place.column, m->text);
}

static inline const char *text_of(hd_arena *arena, const char *body) {
    return hd_format(
        arena,
        ".version 8.7\n.target sm_90\n.address_size 64\n"
        ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
        ".global .align 8 .u64 holder = generic(cell);\n.global .align 4 .u32 cell = 77;\n"
        ".func (.param .b32 r) twice(.param .b32 v) {\n"
        " .reg .b32 %%v;\n ld.param.b32 %%v, [v];\n add.u32 %%v, %%v, %%v;\n"
        " st.param.b32 [r], %%v;\n ret;\n}\n"
        ".func (.param .align 4 .b8 r[8]) swap(.param .align 4 .b8 v[8]) {\n"
        " .reg .b32 %%v<3>;\n ld.param.v2.b32 {%%v0, %%v1}, [v];\n"
        " st.param.b32 [r+4], %%v0;\n st.param.b32 [r], %%v1;\n ret;\n}\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        " .reg .b32 %%x, %%y, %%z, %%w, %%t<9>;\n .reg .b64 %%a, %%b, %%c, %%d, %%in, %%out, "
        "%%l<9>;\n"
        " .reg .f32 %%f, %%g, %%h, %%s<9>;\n .reg .f64 %%da, %%db, %%dc, %%e<9>;\n"
        " .reg .pred %%p, %%q, %%u;\n .reg .b16 %%k<9>;\n"
        " .shared .align 8 .b8 tile[512];\n .local .align 8 .b8 own[64];\n"
        " ld.param.u64 %%in, [in];\n ld.param.u64 %%out, [out];\n"
        " mov.u32 %%t0, %%tid.x;\n mad.wide.u32 %%in, %%t0, 24, %%in;\n"
        " mad.wide.u32 %%out, %%t0, 8, %%out;\n"
        " ld.global.u64 %%a, [%%in];\n ld.global.u64 %%b, [%%in+8];\n ld.global.u64 %%c, "
        "[%%in+16];\n"
        " cvt.u32.u64 %%x, %%a;\n cvt.u32.u64 %%y, %%b;\n cvt.u32.u64 %%z, %%c;\n"
        " mov.b32 %%f, %%x;\n mov.b32 %%g, %%y;\n mov.b32 %%h, %%z;\n"
        " mov.b64 %%da, %%a;\n mov.b64 %%db, %%b;\n mov.b64 %%dc, %%c;\n mov.u64 %%d, 0;\n"
        "%s\n%s st.global.u64 [%%out], %%d;\n ret;\n}\n",
        body, strstr(body, "%w") ? " cvt.u64.u32 %d, %w;\n" : "");
}

/* Zeros, ones, ends of ranges, special floats; then random bits. */
static inline uint64_t number_of(uint32_t i, uint64_t *state) {
    static const uint64_t odd[] = {0,
                                   1,
                                   UINT64_MAX,
                                   0x8000000080000000,
                                   0x7fffffff7fffffff,
                                   0x3ff000003f800000, /* 1.0, as double and float */
                                   0xc0040000c0200000, /* -2.5 */
                                   0x7ff000007f800000, /* infinity */
                                   0x7ff800007fc00000, /* NaN */
                                   0x0000000100000001, /* a subnormal */
                                   0x40e4c5c0472648ae,
                                   31,
                                   32,
                                   63,
                                   0x00ff00ff00ff00ff};
    uint64_t random = hd_next_random(state);
    return i < 2 * THREADS ? odd[random % (sizeof odd / sizeof *odd)]
           : i % 2         ? random & 0xffffffff000000ff
                           : random;
}

/* The blocks of a launch, in threads. */
typedef struct grid {
    uint64_t global[3], local[3];
} grid;
static const grid one_block = {{THREADS, 1, 1}, {THREADS, 1, 1}};

/* Without `in` the kernel has `out` alone, a number for each thread. */
static inline hd_status try_launch(void (*report)(const hd_message *m, void *user), void *user,
                                   const char *text, const grid *g, const uint64_t *in,
                                   uint64_t *out) {
    hd_arena *arena = hd_arena_new();
    const hd_diag diag = {report, user};
    ptx_module *ptx;
    kir_module *module;
    hd_job *job;
    hd_vm *vm = NULL;
    const size_t threads = g->global[0] * g->global[1] * g->global[2];
    hd_job_flags flags = {.kernel_path = "k.ptx", .dims = 3, .count = threads * NUMBERS};
    memcpy(flags.global, g->global, sizeof flags.global);
    memcpy(flags.local, g->local, sizeof flags.local);
    const hd_vm_options options = {.workers = 1};
    hd_status status = ptx_parse(arena, &diag, "k.ptx", text, strlen(text), &ptx);
    if (!status)
        status = ptx_lower(arena, &diag, ptx, &module);
    if (!status)
        status = hd_job_from_flags(arena, &diag, &flags, module, &job);
    void *results = hd_new_array(arena, uint64_t, threads *NUMBERS);
    void *contents[] = {in ? (void *)(uintptr_t)in : results, results};
    if (!status)
        status = hd_vm_open(arena, &diag, job, contents, &options, &vm);
    if (!status)
        status = hd_vm_run(vm, 0, NULL, NULL);
    if (!status)
        memcpy(out, hd_vm_contents(vm, in ? 1 : 0), threads * sizeof *out);
    if (vm)
        hd_vm_close(vm);
    hd_arena_free(arena);
    return status;
}

static inline hd_status try_text(void (*report)(const hd_message *m, void *user), void *user,
                                 const char *text, const uint64_t *in, uint64_t *out) {
    return try_launch(report, user, text, &one_block, in, out);
}

static inline void run_text(const char *body, const char *text, const uint64_t *in, uint64_t *out) {
    if (try_text(say, (void *)(uintptr_t)body, text, in, out))
        fail_msg("%s", body);
}

static inline numbers numbers_of(const uint64_t *in, uint32_t thread) {
    numbers n = {.a = in[0], .b = in[1], .c = in[2], .thread = thread};
    n.x = (uint32_t)n.a, n.y = (uint32_t)n.b, n.z = (uint32_t)n.c;
    memcpy(&n.f, &n.x, sizeof n.f), memcpy(&n.g, &n.y, sizeof n.g), memcpy(&n.h, &n.z, sizeof n.h);
    memcpy(&n.da, &n.a, 8), memcpy(&n.db, &n.b, 8), memcpy(&n.dc, &n.c, 8);
    return n;
}

/* Those of a lane of the same warp. */
static inline numbers lane_of(const numbers *n, uint32_t lane) {
    const uint32_t thread = n->thread / 32 * 32 + lane;
    return numbers_of(n->all + thread * NUMBERS, thread);
}

/* False: the first thread with another result has been named. */
static inline bool is_as_wanted(const row *r, const uint64_t *in, const uint64_t *out) {
    for (uint32_t t = 0; t < THREADS; t++) {
        numbers n = numbers_of(in + t * NUMBERS, t);
        n.of = r->of, n.all = in;
        uint64_t wanted = r->expected(&n);
        if (out[t] == wanted)
            continue;
        print_error("%s\nof %llx %llx %llx: %llx, but it is %llx\n", r->body,
                    (unsigned long long)n.a, (unsigned long long)n.b, (unsigned long long)n.c,
                    (unsigned long long)out[t], (unsigned long long)wanted);
        return false;
    }
    return true;
}

/* All rows are tried. */
static inline void check_rows_on(const row *rows, size_t count, const uint64_t *in) {
    uint64_t out[THREADS];
    size_t wrong = 0;
    for (size_t r = 0; r < count; r++) {
        hd_arena *arena = hd_arena_new();
        if (try_text(say, (void *)(uintptr_t)rows[r].body, text_of(arena, rows[r].body), in, out) ||
            !is_as_wanted(&rows[r], in, out))
            wrong++;
        hd_arena_free(arena);
    }
    if (wrong)
        fail_msg("%zu of %zu rows are wrong", wrong, count);
}

static inline void check_rows(const row *rows, size_t count) {
    uint64_t in[THREADS * NUMBERS], state = 1;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
        in[i] = number_of(i, &state);
    check_rows_on(rows, count, in);
}
#define CHECK(rows) check_rows(rows, sizeof rows / sizeof *rows)

/* ---- what does not run ---------------------------------------------------------- */

static inline void keep(const hd_message *m, void *user) {
    snprintf(user, 300, "%u: %s", m->place.line, m->text);
}

typedef struct failing_row {
    const char *body, *message;
} failing_row;

static inline void check_failing_rows(const failing_row *rows, size_t count, hd_status expected) {
    uint64_t in[THREADS * NUMBERS] = {0}, out[THREADS];
    for (size_t r = 0; r < count; r++) {
        hd_arena *arena = hd_arena_new();
        char message[300] = "";
        hd_status status = try_text(keep, message, text_of(arena, rows[r].body), in, out);
        if (status != expected || !strstr(message, rows[r].message))
            fail_msg("%s\nends with %d, '%s', which does not say '%s'", rows[r].body, (int)status,
                     message, rows[r].message);
        hd_arena_free(arena);
    }
}
#define CHECK_FAILS(rows, status) check_failing_rows(rows, sizeof rows / sizeof *rows, status)

/* ---- what is expected ------------------------------------------------------------ */

/* NaNs are all one: which bits they have is not told. */
static inline uint64_t of_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return isnan(f) ? 0x7fffffff : bits;
}
static inline uint64_t of_double(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return isnan(d) ? 0x7fffffffffffffff : bits;
}
/* Puts a NaN of %s0 (%e0) into that form. */
#define FLOAT(text)                                                                    \
    text " testp.notanumber.f32 %p, %s0; mov.b32 %w, %s0; @%p mov.u32 %w, 0x7fffffff;"
#define DOUBLE(text)                                                                           \
    text " testp.notanumber.f64 %p, %e0; mov.b64 %d, %e0; @%p mov.u64 %d, 0x7fffffffffffffff;"

#define WANT(name, expression)               \
    static uint64_t name(const numbers *n) { \
        (void)n;                             \
        return (uint64_t)(expression);       \
    }
#define S(v) ((int32_t)(v))
#define L(v) ((int64_t)(v))
#define W(v) ((uint32_t)(v))

#endif
