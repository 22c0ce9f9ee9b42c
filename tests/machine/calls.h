/*
 * Runs many calls of built-in functions at once: a kernel made from a list of
 * expressions, on the machine and on PoCL.
 *
 * Each work-item has three operands x, y and z of type T and an int n, from the
 * input, and stores what every expression gives in a slot of its own. T may be a
 * vector; the slots then hold the same bytes, if the function works component by
 * component. The operands themselves come last, to show that no call has changed
 * what is not its own.
 */
#ifndef HD_TESTS_VM_CALLS_H
#define HD_TESTS_VM_CALLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "advise/measure/measure.h"
#include "one_context.h"
#include "sanitized.h"
#include "support.h"
#include "machine/vm.h"

#define CALLS_UNUSED __attribute__((unused))

enum { CALLS_COUNT = 3072, CALLS_SLOT = CALLS_COUNT * 8 };

/* One expression in x, y, z and n. Its result: 'T', 'I' an int, 'R' what a comparison of Ts
 * gives, or 'X', the type named in `type` (of one component). */
typedef struct call {
    const char *text;
    char result;
    const char *type;
} call;

typedef enum call_mode {
    CALLS_PLAIN,
    CALLS_UNIFORM,   /* all work-items of a group have the same operands */
    CALLS_DIVERGENT, /* every third work-item makes no call */
    CALLS_LOOP,      /* work-items call one, two or three times, with their operands in turn,
                      * and keep what the last call gave while others go on */
    CALLS_UNROLLED   /* the same, but all call three times, and choose */
} call_mode;

typedef struct call_plan {
    const char *type;    /* of a component: "float" */
    uint32_t bytes;      /* of one */
    const char *integer; /* the signed integer as wide */
    const call *calls;
    uint32_t count;
    const char *prelude; /* functions that the expressions use, or "" */
    const char *options; /* of the compiler; NULL: OpenCL C 1.2, as PoCL's */
    uint32_t width;      /* components of T */
    call_mode mode;
} call_plan;

/* x, y, z and n of all work-items, one after another. */
typedef struct call_input {
    uint8_t *data;
    size_t bytes;
} call_input;

static CALLS_UNUSED call_input calls_input_new(uint32_t element_bytes) {
    call_input in = {.bytes = CALLS_COUNT * (3 * (size_t)element_bytes + 4)};
    in.data = calloc(1, in.bytes);
    return in;
}

static CALLS_UNUSED void *calls_operand(const call_input *in, uint32_t element_bytes, uint32_t k) {
    return in->data + (size_t)CALLS_COUNT * element_bytes * k;
}

static CALLS_UNUSED uint64_t calls_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- the kernel ------------------------------------------------------------------- */

static void calls_store(hd_str *s, const call_plan *p, const char *type, const char *from,
                        uint32_t slot) {
    if (p->width == 1)
        hd_str_printf(s, "((__global %s *)(out + %u))[i] = %s;\n", type, slot * CALLS_SLOT, from);
    else
        hd_str_printf(s, "vstore%u(%s, i, (__global %s *)(out + %u));\n", p->width, from, type,
                      slot * CALLS_SLOT);
}

static const char *calls_result_type(const call_plan *p, const call *c) {
    switch (c->result) {
    case 'T': return p->type;
    case 'I': return "int";
    case 'R': return p->width == 1 ? "int" : p->integer;
    default: return c->type;
    }
}

/* A loop whose operands die at the call, and whose other values take their place: a call that
 * wrote to lanes which have left would be seen. */
static void calls_loop(hd_str *s, const call_plan *p, const char *type, const char *text) {
    hd_str_printf(s,
                  "%s v; { T a = x, b = y, c = z; int k = 0;\ndo {\n"
                  "T x = k == 0 ? a : k == 1 ? b : c, y = k == 0 ? b : k == 1 ? c : a;\n"
                  "T z = k == 0 ? c : k == 1 ? a : b;\nv = %s;\n"
                  "T o = k == 1 ? a : c, q = k == 1 ? b : a, r = k == 1 ? c : b;\n",
                  type, text);
    for (uint32_t k = 0; k < 3; k++)
        calls_store(s, p, p->type, (const char *[]){"o", "q", "r"}[k], p->count + k);
    hd_str_add(s, "} while (++k <= (int)(i % 3)); }\n");
}

/* The statements that compute v. */
static void calls_compute(hd_str *s, const call_plan *p, const char *type, const char *text) {
    static const char turn[] = "{ T t = x; x = y; y = z; z = t; }";
    if (p->mode == CALLS_LOOP)
        calls_loop(s, p, type, text);
    else if (p->mode == CALLS_UNROLLED)
        hd_str_printf(s,
                      "%s v0 = %s; %s\n%s v1 = %s; %s\n%s v2 = %s; %s\n"
                      "%s v = i %% 3 == 0 ? v0 : i %% 3 == 1 ? v1 : v2;\n",
                      type, text, turn, type, text, turn, type, text, turn, type);
    else
        hd_str_printf(s, "%s v = %s;\n", type, text);
}

static const char *calls_kernel(hd_arena *arena, const call_plan *p) {
    hd_str s = {.arena = arena};
    char w[12] = "";
    if (p->width > 1)
        snprintf(w, sizeof w, "%u", p->width);
    if (!strcmp(p->type, "half"))
        hd_str_add(&s, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    if (!strcmp(p->type, "double"))
        hd_str_add(&s, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    hd_str_printf(&s,
                  "typedef %s S;\ntypedef %s%s T;\ntypedef int%s N;\ntypedef u%s%s U;\n"
                  "#define bits_of(v) as_u%s%s(v)\n#define as_T(v) as_%s%s(v)\n%s",
                  p->type, p->type, w, w, p->integer, w, p->integer, w, p->type, w, p->prelude);
    hd_str_printf(&s,
                  "__kernel void k(__global const uchar *in, __global uchar *out) {\n"
                  "size_t i = %s;\n",
                  p->mode == CALLS_UNIFORM ? "get_group_id(0)" : "get_global_id(0)");
    for (uint32_t k = 0; k < 4; k++) {
        const char *type = k == 3 ? "int" : p->type;
        uint32_t at = CALLS_COUNT * p->bytes * k;
        if (p->width == 1)
            hd_str_printf(&s, "%s %c = ((__global const %s *)(in + %u))[i];\n", type, "xyzn"[k],
                          type, at);
        else
            hd_str_printf(&s, "%s%s %c = vload%s(i, (__global const %s *)(in + %u));\n", type, w,
                          "xyzn"[k], w, type, at);
    }
    if (p->mode == CALLS_DIVERGENT)
        hd_str_add(&s, "if (i % 3 != 1) {\n");
    for (uint32_t k = 0; k < p->count; k++) {
        const char *type = calls_result_type(p, &p->calls[k]);
        hd_str_add(&s, "{ ");
        calls_compute(&s, p, hd_format(arena, "%s%s", type, w), p->calls[k].text);
        calls_store(&s, p, type, "v", k);
        hd_str_add(&s, "}\n");
    }
    if (p->mode == CALLS_DIVERGENT)
        hd_str_add(&s, "}\n");
    for (uint32_t k = 0; k < 3; k++)
        calls_store(&s, p, p->type, (const char *[]){"x", "y", "z"}[k], p->count + k);
    hd_str_add(&s, "}\n");
    return hd_str_text(&s);
}

/* ---- running it ------------------------------------------------------------------- */

typedef struct call_run {
    hd_sample sample;
    uint8_t *machine, *pocl; /* the slots; NULL when not run there */
} call_run;

static void calls_job(hd_str *job, const call_plan *p, size_t input_bytes, const char *path) {
    uint32_t groups = CALLS_COUNT / p->width;
    uint32_t local = p->mode == CALLS_UNIFORM ? 4 : 64;
    uint64_t global = p->mode == CALLS_UNIFORM ? 4 * groups : groups;
    hd_str_printf(
        job,
        "kernel: kernel.cl\noptions: %s\nbuffers:\n"
        "  - {name: in, type: uchar, count: %zu, file: %s}\n"
        "  - {name: out, type: uchar, count: %u, init: [{generator: constant, low: 170}]}\n"
        "launches:\n  - kernel: k\n    global: [%llu]\n    local: [%u]\n    args:\n"
        "      - {name: in, buffer: in}\n      - {name: out, buffer: out}\n",
        p->options ? p->options : "-cl-std=CL1.2", input_bytes, path, (p->count + 3) * CALLS_SLOT,
        (unsigned long long)global, local);
}

/* Runs a kernel of two buffers, `in` and `out`; a sanitized build does not ask PoCL. */
static CALLS_UNUSED void calls_run(call_run *run, const call_plan *p, const call_input *in,
                                   bool on_pocl) {
    char path[] = "/tmp/heddle-calls-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, in->data, in->bytes), in->bytes);
    close(file);
    hd_arena *arena = hd_arena_new();
    hd_str job = {.arena = arena};
    calls_job(&job, p, in->bytes, path);
    hd_sample_open(&run->sample, calls_kernel(arena, p), hd_str_text(&job));
    hd_arena_free(arena);
    hd_vm_options options = {.workers = 1};
    hd_vm *vm;
    hd_sample *s = &run->sample;
    assert_int_equal(hd_vm_open(s->arena, &s->diag, s->job, NULL, &options, &vm), HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, NULL, NULL), HD_OK);
    size_t bytes = (size_t)(p->count + 3) * CALLS_SLOT;
    run->machine = hd_alloc(s->arena, bytes);
    memcpy(run->machine, hd_vm_contents(vm, 1), bytes);
    hd_vm_close(vm);
    run->pocl = NULL;
    if (on_pocl && !SANITIZED) {
        void *contents[2];
        assert_int_equal(hd_measure_run(s->arena, &s->diag, s->job, NULL, contents, NULL), HD_OK);
        run->pocl = contents[1];
    }
    unlink(path);
}

/* The bits of result `slot` of work-item i, `bytes` wide. */
static CALLS_UNUSED uint64_t calls_bits(const uint8_t *out, uint32_t slot, uint32_t i,
                                        uint32_t bytes) {
    uint64_t bits = 0;
    memcpy(&bits, out + (size_t)slot * CALLS_SLOT + (size_t)i * bytes, bytes);
    return bits;
}

/* The operands came back as they were. */
static CALLS_UNUSED void calls_check_operands(const call_run *run, const call_plan *p,
                                              const call_input *in) {
    uint32_t used = CALLS_COUNT / p->width * p->width;
    for (uint32_t k = 0; k < 3; k++)
        assert_memory_equal(run->machine + (size_t)(p->count + k) * CALLS_SLOT,
                            calls_operand(in, p->bytes, k), used * p->bytes);
}

/* Lanes that have left a loop keep their results while others call on. */
static CALLS_UNUSED void calls_check_loop(call_plan plan, const call_input *in) {
    call_run loop, unrolled;
    plan.mode = CALLS_LOOP;
    calls_run(&loop, &plan, in, false);
    calls_check_operands(&loop, &plan, in);
    plan.mode = CALLS_UNROLLED;
    calls_run(&unrolled, &plan, in, false);
    for (uint32_t k = 0; k < plan.count; k++)
        if (memcmp(loop.machine + (size_t)k * CALLS_SLOT, unrolled.machine + (size_t)k * CALLS_SLOT,
                   CALLS_SLOT))
            fail_msg("%s of %s%u differs in a loop", plan.calls[k].text, plan.type, plan.width);
    hd_sample_close(&loop.sample);
    hd_sample_close(&unrolled.sample);
}

#endif
