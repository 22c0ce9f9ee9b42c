/* When two outputs agree, and what is said of them when they don't. */
#include <math.h>

#include "job/fixture.h"
#include "advise/measure/measure.h"

typedef struct cell {
    uint32_t a, padding;
    double b;
} cell;

/* A job with one buffer of cells and one of float4. */
typedef struct outputs {
    cell cells[4];
    float weights[2][4];
} outputs;

static hd_job *make_job(fixture *f, double relative, double absolute) {
    hd_job *job = hd_new(f->arena, hd_job);
    job->path = "job.yaml";
    job->kernel_path = "k.cl";
    job->relative = relative;
    job->absolute = absolute;
    job->buffer_count = 2;
    job->buffers = hd_new_array(f->arena, hd_buffer, 2);
    job->buffers[0] = (hd_buffer){.name = "cells", .type = "cell", .count = 4};
    job->buffers[1] = (hd_buffer){.name = "weights", .type = "float4", .count = 2};
    assert_int_equal(hd_job_resolve(f->arena, &f->diag, job, f->module), HD_OK);
    return job;
}

static hd_status compare(fixture *f, const hd_job *job, const outputs *a, const outputs *b,
                         bool *bit_equal) {
    void *before[] = {(void *)a->cells, (void *)a->weights};
    void *after[] = {(void *)b->cells, (void *)b->weights};
    bool equal;
    memset(&f->seen, 0, sizeof f->seen);
    hd_status status = hd_contents_compare(f->arena, &f->diag, job, &(hd_contents){"here", before},
                                           &(hd_contents){"there", after}, &equal, bit_equal);
    assert_true(equal == (status == HD_OK));
    assert_int_equal(f->seen.errors, status == HD_OK ? 0 : 1);
    return status;
}

static void equal_bits_are_equal_whatever_the_padding(void **state) {
    fixture *f = *state;
    outputs a = {.cells = {{1, 2, 3.5}}, .weights = {{1, 2, 3, 4}}}, b = a;
    bool bit_equal;
    b.cells[0].padding = 99;
    assert_int_equal(compare(f, make_job(f, 0, 0), &a, &b, &bit_equal), HD_OK);
    assert_true(bit_equal);
}

static void the_first_difference_is_named_and_all_are_counted(void **state) {
    fixture *f = *state;
    outputs a = {.cells = {{1, 0, 3.5}}}, b = a;
    bool bit_equal;
    b.weights[1][2] = 0.25f;
    assert_int_equal(compare(f, make_job(f, 0, 0), &a, &b, &bit_equal), HD_EDIFFER);
    assert_false(bit_equal);
    assert_non_null(
        strstr(f->seen.text, "'weights[1].s2' is 0 here and 0.25 there; 1 of 16 values differ"));
    assert_non_null(strstr(f->seen.text, "bit for bit"));
    assert_string_equal(f->seen.file, "job.yaml");
    b.cells[2].a = 4000000000u;
    b.cells[3].b = -0.1;
    assert_int_equal(compare(f, make_job(f, 0, 0), &a, &b, &bit_equal), HD_EDIFFER);
    assert_non_null(
        strstr(f->seen.text, "'cells[2].a' is 0 here and 4000000000 there; 3 of 16 values differ"));
}

static void tolerances_are_for_reals_only(void **state) {
    fixture *f = *state;
    outputs a = {.cells = {{100, 0, 1000}}}, b = a;
    bool bit_equal;
    b.cells[0].b = 1000.5;
    assert_int_equal(compare(f, make_job(f, 0, 0), &a, &b, &bit_equal), HD_EDIFFER);
    assert_int_equal(compare(f, make_job(f, 1e-4, 0), &a, &b, &bit_equal), HD_EDIFFER);
    assert_non_null(strstr(f->seen.text, "'cells[0].b' is 1000 here and 1000.5 there"));
    assert_non_null(strstr(f->seen.text, "more than the tolerance"));
    assert_int_equal(compare(f, make_job(f, 1e-3, 0), &a, &b, &bit_equal), HD_OK);
    assert_false(bit_equal);
    assert_int_equal(compare(f, make_job(f, 0, 0.5), &a, &b, &bit_equal), HD_OK);
    assert_int_equal(compare(f, make_job(f, 1e-4, 0.4), &a, &b, &bit_equal), HD_OK);
    assert_int_equal(compare(f, make_job(f, 0, 0.49), &a, &b, &bit_equal), HD_EDIFFER);
    b.cells[0].a = 101;
    assert_int_equal(compare(f, make_job(f, 1, 1000), &a, &b, &bit_equal), HD_EDIFFER);
    assert_non_null(strstr(f->seen.text, "'cells[0].a' is 100 here and 101 there; 1 of 16"));
}

static void what_is_no_number_equals_only_its_like(void **state) {
    fixture *f = *state;
    outputs a = {.weights = {{NAN, INFINITY, 1, 0}}}, b = a;
    bool bit_equal;
    b.weights[0][0] = -a.weights[0][0];
    assert_int_equal(compare(f, make_job(f, 0, 0), &a, &b, &bit_equal), HD_OK);
    b.weights[0][0] = 1;
    assert_int_equal(compare(f, make_job(f, 1, 1e9), &a, &b, &bit_equal), HD_EDIFFER);
    assert_non_null(strstr(f->seen.text, "'weights[0].s0' is nan here and 1 there"));
    b = a;
    b.weights[0][1] = -INFINITY;
    assert_int_equal(compare(f, make_job(f, 1, 1e9), &a, &b, &bit_equal), HD_EDIFFER);
    b.weights[0][1] = 1e30f;
    assert_int_equal(compare(f, make_job(f, 1, 1e9), &a, &b, &bit_equal), HD_EDIFFER);
}

static void a_buffer_that_is_not_given_is_not_compared(void **state) {
    fixture *f = *state;
    outputs a = {.weights = {{1}}}, b = {.weights = {{1}}};
    void *all[] = {(void *)a.cells, (void *)a.weights}, *some[] = {NULL, (void *)b.weights};
    bool equal, bit_equal;
    a.cells[1].a = 7;
    assert_int_equal(hd_contents_compare(f->arena, &f->diag, make_job(f, 0, 0),
                                         &(hd_contents){"here", all}, &(hd_contents){"there", some},
                                         &equal, &bit_equal),
                     HD_OK);
    assert_true(equal && bit_equal);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(equal_bits_are_equal_whatever_the_padding),
        TEST(the_first_difference_is_named_and_all_are_counted),
        TEST(tolerances_are_for_reals_only),
        TEST(what_is_no_number_equals_only_its_like),
        TEST(a_buffer_that_is_not_given_is_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
