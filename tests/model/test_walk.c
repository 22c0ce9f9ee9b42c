/*
 * Executions and transactions of the static cost against a walk of every work-item
 * (oracle/walk.h): all kernels of tests/kernels, and the small jobs of the examples, in
 * several layouts, on a device of each rule. What must be equal is what the model counts
 * exactly; where data decide, where loops end early or differ by thread in no affine
 * way, it has to assume something (oracle/counted.h, counted_why_not).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/jobs.h"
#include "oracle/walk.h"
#include "ready.h"

static void check_job(hd_arena *arena, const char *path, hd_job *job, counted_total *sum) {
    counted c;
    counted_open_all(&c, arena, &jobs_diag, job);
    hd_sink sink = counted_sink(&c);
    uint64_t unfinished = 0;
    for (uint32_t l = 0; l < job->launch_count; l++)
        unfinished += walk_launch(job, c.infos[l], l, &sink);
    if (!unfinished)
        counted_check(&c, path, sum);
    counted_close(&c);
}

static void kernels_are_counted_exactly(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_kernels(check_job, &sum);
    assert_true(sum.jobs > (SANITIZED ? 30 : 100) && sum.exact > (SANITIZED ? 2500 : 9000));
}

static void examples_are_counted_exactly(void **state) {
    (void)state;
    counted_total sum = {0};
    jobs_for_examples(check_job, &sum);
    assert_true(sum.jobs == (SANITIZED ? 5 : 15) && sum.exact > (SANITIZED ? 600 : 2500));
}

int main(void) {
    stand_ready();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_counted_exactly),
        cmocka_unit_test(examples_are_counted_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
