/*
 * An exploration on an OpenCL device of this processor keeps what the processor counts of launches,
 * from perf events that are files.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "advise/explore/explore.h"
#include "advise/measure/counters.h"

enum { READS = 64, COUNT_OF_A_READ = 1000, REPEATS = 3, MOST_LAUNCHES = 256 };

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%s\n", message->text);
}
static const hd_diag diag = {tell, NULL};

/* From one read to the next it counts 1000. */
static int open_fake(struct perf_event_attr *event) {
    (void)event;
    int file = memfd_create("event", 0);
    for (uint64_t r = 1; r <= READS; r++) {
        const uint64_t values[] = {COUNT_OF_A_READ * r, 10 * r, 10 * r};
        assert_true(write(file, values, sizeof values) == sizeof values);
    }
    assert_true(lseek(file, 0, SEEK_SET) == 0);
    return file;
}

static void counters_of_a_launch(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const char *const vary[] = {"objects=2048", "layout=soa", "placement=device"};
    const hd_plan_request request = {.vary = vary, .vary_count = 3};
    const hd_explore_options options = {
        .backend = "opencl", .meter = "model", .repeats = REPEATS, .open_event = open_fake};
    hd_plan plan;
    hd_exploration explored;
    assert_int_equal(hd_plan_make(arena, &diag, &request, &plan), HD_OK);
    assert_int_equal(hd_explore(arena, &diag, NULL, &plan, &options, &explored), HD_OK);
    assert_int_equal(explored.count, 1);
    assert_int_equal(explored.measured, 1);
    assert_true(explored.range.problem > 0 && explored.range.most_threads > 0);
    assert_true(explored.range.bandwidth > 0 && explored.range.bandwidth_objects == 2048);
    if (!explored.counters) { /* not a processor's */
        assert_string_equal(explored.variants[0].counters, "");
        assert_non_null(explored.no_counters);
        hd_arena_free(arena);
        skip();
    }
    assert_string_equal(explored.counters, "cycles, instructions, cache_references, cache_misses, "
                                           "stalled_frontend, stalled_backend");
    /* Each timing is 1000 of each event, in as many launches as take long enough. */
    uint32_t count;
    char **words = hd_split_words(arena, explored.variants[0].counters, &count);
    assert_int_equal(count, HD_PERF_EVENTS);
    for (uint32_t w = 0; w < count; w++) {
        double launches = COUNT_OF_A_READ / strtod(strchr(words[w], '=') + 1, NULL);
        if (launches < 1 || launches > MOST_LAUNCHES ||
            fabs(launches - round(launches)) > 1e-3 * launches)
            fail_msg("%s is for %g launches", words[w], launches);
    }
    assert_int_equal(strncmp(words[0], "cycles=", 7), 0);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counters_of_a_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
