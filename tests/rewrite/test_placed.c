/* The job that goes with rewritten kernels: its buffers, its arguments, and the way of the
 * contents there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rewrite/placed.h"
#include "rewrite/rewrite.h"
#include "support.h"

static const char kernel[] = "typedef struct pair { float a; char b; } pair;\n"
                             "kernel void k(global int *before, global pair *p, float x,\n"
                             "              global const pair *q, local int *room) {\n"
                             "    int i = get_global_id(0);\n"
                             "    p[i].a = q[i].a * x + before[i];\n"
                             "    p[i].b = q[i].b;\n"
                             "    room[i] = 0;\n"
                             "}\n";

static const char job_text[] =
    "kernel: kernel.cl\n"
    "record: pair\n"
    "buffers:\n"
    "  - {name: first, type: pair, count: 10, init: [{field: a, generator: iota},\n"
    "     {field: b, generator: iota}]}\n"
    "  - {name: numbers, type: int, count: 7, init: [{generator: iota}]}\n"
    "  - {name: second, type: pair, count: 33}\n"
    "launches:\n"
    "  - kernel: k\n"
    "    global: [4]\n"
    "    local: [4]\n"
    "    args: [{name: x, value: 2}, {name: q, buffer: first}, {name: room, local: 64},\n"
    "           {name: p, buffer: second}, {name: before, buffer: numbers}]\n";

static void **contents_of(hd_sample *s) {
    void **contents = hd_new_array(s->arena, void *, s->job->buffer_count);
    for (uint32_t b = 0; b < s->job->buffer_count; b++)
        assert_int_equal(hd_job_contents(s->arena, &s->diag, &s->job->buffers[b], &contents[b]),
                         HD_OK);
    return contents;
}

static hd_placed_job *placed_in(hd_sample *s, const char *text, const kir_module *module) {
    hd_layout *layout = NULL;
    hd_placed_job *placed = NULL;
    if (text)
        assert_int_equal(hd_layout_parse(s->arena, &s->diag, s->job->record, text, &layout), HD_OK);
    assert_int_equal(hd_job_in_layout(s->arena, &s->diag, s->job,
                                      &(hd_record_layout){s->job->record, layout}, text ? 1 : 0,
                                      NULL, module, &placed),
                     HD_OK);
    return placed;
}

/* Argument `a` is for the parameter of the same number. */
static void check_arg(const hd_placed_job *placed, uint32_t a, const char *name, const char *buffer,
                      uint64_t count) {
    const hd_launch *launch = &placed->job->launches[0];
    const hd_arg *arg = &launch->args[a];
    uint64_t value = 0;
    assert_true(a < launch->arg_count);
    assert_string_equal(arg->name, name);
    assert_int_equal(arg->param, a);
    if (buffer)
        assert_string_equal(placed->job->buffers[arg->buffer].name, buffer);
    if (arg->kind == HD_ARG_VALUE)
        memcpy(&value, arg->value, arg->value_bytes);
    if (count) {
        assert_int_equal(arg->value_bytes, 8);
        assert_int_equal(value, count);
    }
}

static void allocations_stand_for_records(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, kernel, job_text);
    const hd_placed_job *placed = placed_in(&s, "soa", NULL);
    assert_int_equal(placed->job->buffer_count, 3);
    assert_string_equal(placed->job->buffers[0].type, "uchar");
    assert_int_equal(placed->job->buffers[0].count, placed->buffers[0].map->allocation_bytes[0]);
    assert_int_equal(placed->job->buffers[1].count, 7);
    assert_null(placed->job->record);
    assert_null(placed->job->launches[0].kernel);
    assert_int_equal(placed->job->launches[0].arg_count, 7);
    check_arg(placed, 0, "before", "numbers", 0);
    check_arg(placed, 1, "p", "second", 0);
    check_arg(placed, 2, "p_count", NULL, 33);
    check_arg(placed, 3, "x", NULL, 0);
    check_arg(placed, 4, "q", "first", 0);
    check_arg(placed, 5, "q_count", NULL, 10);
    assert_int_equal(placed->job->launches[0].args[6].kind, HD_ARG_LOCAL);
    hd_sample_close(&s);
}

static void discrete_arrays_are_buffers_of_their_own(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, kernel, job_text);
    const hd_placed_job *placed = placed_in(&s, "{b}{a}:4/da", NULL);
    assert_int_equal(placed->job->buffer_count, 5);
    assert_int_equal(placed->job->buffers[3].count, 33);
    assert_int_equal(placed->job->buffers[4].count, 36 * 4);
    check_arg(placed, 1, "p_0", "second_0", 0);
    check_arg(placed, 2, "p_1", "second_1", 0);
    check_arg(placed, 3, "p_count", NULL, 33);
    check_arg(placed, 5, "q_0", "first_0", 0);
    hd_sample_close(&s);
}

static void contents_come_back(void **state) {
    (void)state;
    static const char *const layouts[] = {NULL, "aos", "soa", "da", "{b}:4{a}:16"};
    hd_sample s;
    hd_sample_open(&s, kernel, job_text);
    for (int i = 0; i < 5; i++) {
        const hd_placed_job *placed = placed_in(&s, layouts[i], NULL);
        void **before = contents_of(&s), *there[5], *after[3];
        hd_placed_scatter(s.arena, placed, before, there);
        hd_placed_gather(s.arena, placed, there, after);
        assert_ptr_equal(after[1], before[1]);
        for (uint32_t e = 0; e < 10; e++)
            assert_memory_equal((char *)after[0] + e * 8, (char *)before[0] + e * 8, 5);
    }
    hd_sample_close(&s);
}

/* x and y are one record: one pair of allocations for both, and the contents both ways. */
static void arrays_share_their_allocations(void **state) {
    (void)state;
    static const char source[] =
        "kernel void k(int n, global float *a, global const double *b, global int *c) {\n"
        "    a[get_global_id(0)] = b[get_global_id(0)] + n; c[0] = 1;\n"
        "}\n"
        "kernel void l(global double *b) { b[get_global_id(0)] = 0; }\n";
    static const char text[] =
        "kernel: kernel.cl\n"
        "arrays: [{record: r, fields: [x, y]}]\n"
        "buffers:\n"
        "  - {name: y, type: double, count: 5, init: [{generator: iota, low: 100}]}\n"
        "  - {name: c, type: int, count: 1}\n"
        "  - {name: x, type: float, count: 5, init: [{generator: iota}]}\n"
        "launches:\n"
        "  - {kernel: k, global: [5], args: [{name: n, value: 3}, {name: a, buffer: x},\n"
        "     {name: b, buffer: y}, {name: c, buffer: c}]}\n"
        "  - {kernel: l, global: [5], args: [{name: b, buffer: y}]}\n";
    hd_sample s;
    hd_sample_open(&s, source, text);
    hd_placed_job *placed = placed_in(&s, "{x,y}", NULL);
    const hd_launch *k = &placed->job->launches[0], *l = &placed->job->launches[1];
    assert_int_equal(placed->job->buffer_count, 2);
    assert_string_equal(placed->job->buffers[0].name, "r");
    assert_int_equal(placed->job->buffers[0].count, 5 * 16);
    assert_int_equal(k->arg_count, 4);
    static const char *const names[] = {"n", "r", "r_count", "c"};
    for (uint32_t a = 0; a < 4; a++) {
        assert_string_equal(k->args[a].name, names[a]);
        assert_int_equal(k->args[a].param, a);
    }
    assert_int_equal(l->arg_count, 2);
    assert_int_equal(l->args[1].value[0], 5);

    void **before = contents_of(&s), *laid_out[2], *back[3];
    hd_placed_scatter(s.arena, placed, before, laid_out);
    for (int e = 0; e < 5; e++) {
        float x;
        double y;
        memcpy(&x, (char *)laid_out[0] + 16 * e, sizeof x);
        memcpy(&y, (char *)laid_out[0] + 16 * e + 8, sizeof y);
        assert_true(x == (float)e && y == 100.0 + e);
    }
    hd_placed_gather(s.arena, placed, laid_out, back);
    for (uint32_t b = 0; b < 3; b++)
        assert_memory_equal(back[b], before[b],
                            s.job->buffers[b].count * s.job->buffers[b].element_bytes);
    assert_int_equal(placed_in(&s, "{x}{y}/da", NULL)->job->launches[0].arg_count, 5);
    hd_sample_close(&s);
}

static void ignore(const hd_message *message, void *user) {
    (void)message;
    ++*(int *)user;
}

/* The rewritten kernels' module ties the launches; the original's does not fit. */
static void kernels_must_be_those_of_the_layout(void **state) {
    (void)state;
    hd_sample s;
    hd_rewritten *rewritten = NULL;
    kir_module *module = NULL;
    hd_layout *layout = NULL;
    hd_placed_job *placed = NULL;
    int messages = 0;
    const hd_diag counting = {ignore, &messages};
    hd_sample_open(&s, kernel, job_text);
    assert_int_equal(hd_layout_parse(s.arena, &s.diag, s.job->record, "soa", &layout), HD_OK);
    assert_int_equal(hd_job_in_layout(s.arena, &counting, s.job,
                                      &(hd_record_layout){s.job->record, layout}, 1, NULL, s.module,
                                      &placed),
                     HD_EINPUT);
    assert_null(placed);
    assert_int_equal(messages, 1);
    assert_int_equal(hd_rewrite_job(s.arena, &s.diag, s.job,
                                    &(hd_record_layout){s.job->record, layout}, 1, &rewritten),
                     HD_OK);
    const char *path;
    char *folder;
    assert_int_equal(hd_scratch_make(s.arena, &s.diag, &folder), HD_OK);
    assert_int_equal(hd_rewritten_store(s.arena, &s.diag, rewritten, folder, &path), HD_OK);
    assert_int_equal(hd_frontend(s.arena, &s.diag, path, "", &module), HD_OK);
    hd_scratch_remove(folder);
    placed = placed_in(&s, "soa", module);
    assert_ptr_equal(placed->job->module, module);
    assert_string_equal(placed->job->launches[0].kernel->name, "k");
    for (uint32_t p = 0; p < placed->job->launches[0].kernel->param_count; p++)
        assert_string_equal(placed->job->launches[0].kernel->params[p].name,
                            placed->job->launches[0].args[p].name);
    hd_sample_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_stand_for_records),
        cmocka_unit_test(discrete_arrays_are_buffers_of_their_own),
        cmocka_unit_test(contents_come_back),
        cmocka_unit_test(arrays_share_their_allocations),
        cmocka_unit_test(kernels_must_be_those_of_the_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
