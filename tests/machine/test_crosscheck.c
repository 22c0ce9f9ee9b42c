/*
 * The cross-check of the design: for every example and a set of layouts, executions and
 * transactions that the static cost gives for affine accesses equal those of the
 * machine's events. If one of these fails, one of the two is wrong: src/model and
 * src/kernel on the one side, src/machine on the other; tests/model/test_walk.c is a third
 * opinion.
 *
 * Four times: the examples' kernels as they are, their addresses moved to each layout
 * (each access by its number); the examples' kernels rewritten to each layout, whose
 * accesses are told by the fields that their addresses lie in, and by their order; and
 * the kernels of tests/kernels as they are; and kernels whose lanes share what they read
 * (shared/). Rewritten kernels must leave the same contents as the original, too.
 *
 * Not compared is what the model does not claim to count exactly, since data decide it
 * (oracle/counted.h, counted_why_not): accesses under conditions on data, indices read
 * from memory, loops that may end early.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "oracle/relaid.h"
#include "ready.h"

/* ---- the kernels as they are ------------------------------------------------------------ */

/* A kernel that faults on the made-up contents of a job from flags is left out. */
static void check_own(hd_arena *arena, const char *path, hd_job *job, bool all,
                      counted_total *sum) {
    counted c;
    void **after = hd_new_array(arena, void *, job->buffer_count + 1);
    counted_open_all(&c, arena, &jobs_diag, job);
    c.all = all;
    hd_sink sink = counted_sink(&c);
    hd_status status =
        relaid_run(arena, job->path ? &jobs_diag : &jobs_silent, job, NULL, &sink, after);
    assert_true(status == HD_OK || !job->path);
    if (status == HD_OK)
        counted_check(&c, path, sum);
    counted_close(&c);
}

static void check_original(hd_arena *arena, const char *path, hd_job *job, counted_total *sum) {
    check_own(arena, path, job, false, sum);
}

static void check_whole(hd_arena *arena, const char *path, hd_job *job, counted_total *sum) {
    check_own(arena, path, job, true, sum);
}

/* In each n-th layout of `every`, sanitized in fewer. */
static void check_layouts(hd_arena *arena, const char *path, hd_job *job, uint32_t every,
                          counted_total *sum) {
    const char *layouts[COUNTED_LAYOUTS];
    uint32_t count = counted_list_layouts(arena, job, layouts);
    relaid r;
    if (!job->record->spelling)
        return; /* a stand-in: there is nothing to rewrite */
    relaid_open(&r, arena, path, job);
    for (uint32_t n = 0; n < count; n += every)
        if (IS_TRIED(n, 3))
            relaid_check(&r, layouts[n],
                         relaid_compile(arena, job, relaid_layout(arena, job, layouts[n])), sum);
    sum->jobs++;
}

static void check_rewritten(hd_arena *arena, const char *path, hd_job *job, counted_total *sum) {
    check_layouts(arena, path, job, 1, sum);
}

static void check_some_rewritten(hd_arena *arena, const char *path, hd_job *job,
                                 counted_total *sum) {
    check_layouts(arena, path, job, 3, sum);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void kernels_of_examples(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_examples(check_original, &sum);
    assert_true(sum.jobs == (SANITIZED ? 5 : 15) && sum.exact > (SANITIZED ? 600 : 2500));
}

static void rewritten_kernels_of_examples(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_examples(check_rewritten, &sum);
    assert_true(sum.jobs == (SANITIZED ? 5 : 14) && sum.exact > (SANITIZED ? 200 : 2500));
}

static void kernels_as_people_write_them(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_kernels(check_original, &sum);
    assert_true(sum.jobs > (SANITIZED ? 25 : 80) && sum.exact > (SANITIZED ? 2000 : 7000));
}

/* Indices that are read from memory, but are the same for all lanes of a warp. */
static void elements_that_a_warp_shares(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_files("tests/machine/shared/*.yaml", check_whole, &sum);
    assert_true(sum.jobs == (SANITIZED ? 1 : 2) && sum.exact == sum.lines &&
                sum.exact > (SANITIZED ? 150 : 300));
}

/* The programs of ./run bench evidence: gathers, trees, lists, and structs by value. */
static void kernels_of_others(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_files("bench/evidence/*-small.yaml", check_original, &sum);
    jobs_for_files("bench/evidence/*-small.yaml", check_some_rewritten, &sum);
    assert_true(sum.jobs == (SANITIZED ? 4 : 12) && sum.exact > (SANITIZED ? 100 : 500));
}

int main(void) {
    stand_ready();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_examples),
        cmocka_unit_test(rewritten_kernels_of_examples),
        cmocka_unit_test(kernels_as_people_write_them),
        cmocka_unit_test(elements_that_a_warp_shares),
        cmocka_unit_test(kernels_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
