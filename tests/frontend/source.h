/* What the tests of the front end share: source text in, kir or messages out. */
#ifndef HD_TESTS_FRONTEND_SOURCE_H
#define HD_TESTS_FRONTEND_SOURCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontend/frontend.h"

#define UNUSED __attribute__((unused))

typedef struct seen_message {
    hd_severity severity;
    const char *file, *text, *line_text;
    unsigned line, column;
} seen_message;

typedef struct bench {
    hd_arena *arena;
    hd_diag diag;
    hd_vec(seen_message) messages;
    kir_module *module;
    hd_status status;
    char path[64];
} bench;

static void collect(const hd_message *m, void *user) {
    bench *b = user;
    seen_message seen = {m->severity,
                         m->place.file ? hd_strdup(b->arena, m->place.file) : NULL,
                         hd_strdup(b->arena, m->text),
                         m->place.text ? hd_strdup(b->arena, m->place.text) : NULL,
                         m->place.line,
                         m->place.column};
    hd_push(b->arena, &b->messages, seen);
}

static UNUSED int make_bench(void **state) {
    bench *b = calloc(1, sizeof *b);
    b->arena = hd_arena_new();
    b->diag = (hd_diag){collect, b};
    *state = b;
    return 0;
}

static UNUSED int drop_bench(void **state) {
    bench *b = *state;
    hd_arena_free(b->arena);
    free(b);
    return 0;
}

/* Runs the front end over `source`; status, messages and module are in the bench. */
static UNUSED void run_front_on(bench *b, const char *source, const char *options, bool is_cuda) {
    strcpy(b->path, is_cuda ? "/tmp/heddle-frontend-XXXXXX.cu" : "/tmp/heddle-frontend-XXXXXX.cl");
    int fd = mkstemps(b->path, 3);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, source, strlen(source)), (ssize_t)strlen(source));
    close(fd);
    b->messages.count = 0;
    b->status = hd_frontend(b->arena, &b->diag, b->path, options, &b->module);
    unlink(b->path);
}

static UNUSED void run_front(bench *b, const char *source, const char *options) {
    run_front_on(b, source, options, false);
}

static UNUSED const kir_kernel *first_kernel(const bench *b) {
    for (size_t i = 0; b->status && i < b->messages.count; i++)
        print_error("%s:%u: %s\n", b->messages.data[i].file, b->messages.data[i].line,
                    b->messages.data[i].text);
    assert_int_equal(b->status, HD_OK);
    assert_non_null(b->module);
    assert_true(b->module->kernel_count >= 1);
    return b->module->kernels[0];
}

/* Compiles what must compile; the first kernel. */
static UNUSED const kir_kernel *compile(bench *b, const char *source) {
    run_front(b, source, NULL);
    return first_kernel(b);
}

/* How many instructions with this opcode a kernel has. */
static UNUSED uint32_t count_op(const kir_kernel *k, kir_op op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->inst_count; i++)
        count += k->insts[i].op == op;
    return count;
}

/* The n-th instruction (from 0) with this opcode, in program order. */
static UNUSED const kir_inst *nth(const kir_kernel *k, kir_op op, uint32_t n) {
    for (uint32_t i = 0; i < k->inst_count; i++)
        if (k->insts[i].op == op && n-- == 0)
            return &k->insts[i];
    fail_msg("kernel %s has too few %s", k->name, kir_op_name(op));
    return NULL;
}

static UNUSED const kir_inst *arg(const kir_kernel *k, const kir_inst *inst, uint32_t n) {
    assert_true(n < inst->arg_count);
    return &k->insts[inst->args[n]];
}

/* The address of a load, store or atomic. */
static UNUSED const kir_inst *address(const kir_kernel *k, const kir_inst *inst) {
    return arg(k, inst, inst->op == KIR_STORE ? 1 : 0);
}

static UNUSED int64_t constant(const kir_kernel *k, kir_value value) {
    int64_t number = 0;
    assert_true(kir_const_int(k, value, &number));
    return number;
}

/* Asserts the shape of an address: offset, its one scale (0: none), record, field offset. */
static UNUSED void assert_addr(const kir_inst *a, int64_t offset, int64_t scale, const char *record,
                               uint32_t field_offset) {
    assert_int_equal(a->op, KIR_ADDR);
    assert_int_equal(a->offset, offset);
    assert_int_equal(a->arg_count, scale ? 2 : 1);
    if (scale)
        assert_int_equal(a->scale[0], scale);
    if (record)
        assert_string_equal(a->record, record);
    else
        assert_null(a->record);
    assert_int_equal(a->field_offset, field_offset);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_bench, drop_bench)

#endif
