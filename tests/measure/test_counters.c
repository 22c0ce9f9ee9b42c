/*
 * What the processor counts, from perf events that are files.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "advise/measure/counters.h"

/* The fake processor: what it counts, as read(2) of an event gives it. Tests run one after another,
 * and perf_event_open() has no argument of ours. */
static struct {
    int file[HD_PERF_EVENTS]; /* by number of the event, in the order in which they are opened */
    uint32_t asked, missing;  /* events; as bits those that there are none of */
    int error;
} fake;

static int open_fake(struct perf_event_attr *event) {
    uint32_t number = fake.asked++;
    /* Threads of the device are counted, and what a user may count. */
    assert_true(event->inherit && event->exclude_kernel && event->type == PERF_TYPE_HARDWARE);
    errno = fake.error;
    if (fake.missing >> number & 1)
        return -1;
    fake.file[number] = memfd_create("event", 0);
    return fake.file[number];
}

/* What the next read gives. */
static void show(uint32_t number, uint64_t count, uint64_t enabled, uint64_t running) {
    const uint64_t values[] = {count, enabled, running};
    assert_true(lseek(fake.file[number], 0, SEEK_SET) == 0);
    assert_true(write(fake.file[number], values, sizeof values) == sizeof values);
    assert_true(lseek(fake.file[number], 0, SEEK_SET) == 0);
}

static void open_all(hd_arena *arena, uint32_t missing, int error, hd_perf *perf) {
    fake.asked = 0;
    fake.missing = missing;
    fake.error = error;
    hd_perf_open(arena, open_fake, perf);
    assert_int_equal(fake.asked, HD_PERF_EVENTS);
}

static void counts_of_a_run(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_perf perf;
    hd_perf_counts before, after, sum = {0};
    open_all(arena, 1 << 4 | 1 << 5, ENOENT, &perf);
    assert_null(perf.why);
    assert_string_equal(perf.names, "cycles, instructions, cache_references, cache_misses");
    assert_string_equal(hd_perf_print(arena, &sum, 1), "");
    for (uint64_t turn = 0; turn < 3; turn++) {
        show(0, 1000 + 5000 * turn, 100 + 200 * turn, 100 + 200 * turn);
        show(1, 7 + 2000 * turn, 200 * turn, 200 * turn);
        show(2, 11 + 60 * turn, 200 * turn, 50 * turn); /* counted a quarter of the time */
        show(3, 99, 200 * turn, 0);                     /* never counted */
        hd_perf_read(&perf, &before);
        show(0, 3000 + 5000 * turn, 200 + 200 * turn, 200 + 200 * turn);
        show(1, 507 + 2000 * turn, 100 + 200 * turn, 100 + 200 * turn);
        show(2, 41 + 60 * turn, 100 + 200 * turn, 25 + 50 * turn);
        show(3, 99, 100 + 200 * turn, 0);
        hd_perf_read(&perf, &after);
        hd_perf_add(&sum, &before, &after);
    }
    assert_string_equal(hd_perf_print(arena, &sum, 6),
                        "cycles=1000 instructions=250 cache_references=60");
    hd_perf_close(&perf);
    hd_arena_free(arena);
}

static void an_event_that_ends_counts_no_more(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_perf perf;
    hd_perf_counts before, after, sum = {0};
    open_all(arena, (uint32_t)~1, ENOENT, &perf);
    assert_string_equal(perf.names, "cycles");
    show(0, 1000, 100, 100);
    hd_perf_read(&perf, &before);
    hd_perf_read(&perf, &after); /* at the end of the file */
    hd_perf_add(&sum, &before, &after);
    assert_string_equal(hd_perf_print(arena, &sum, 1), "");
    hd_perf_close(&perf);
    hd_arena_free(arena);
}

static void why_nothing_is_counted(void **state) {
    static const struct {
        int error;
        const char *says;
    } cases[] = {{EACCES, "sudo sysctl kernel.perf_event_paranoid=2"},
                 {EPERM, "--cap-add PERFMON"},
                 {ENOSYS, "a container must allow perf_event_open"},
                 {ENOENT, "as in most virtual machines"},
                 {EMFILE, "perf_event_open fails: Too many open files"}};
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hd_perf perf;
        hd_perf_counts counts, sum = {0};
        open_all(arena, UINT32_MAX, cases[c].error, &perf);
        assert_string_equal(perf.names, "");
        if (!perf.why || !strstr(perf.why, cases[c].says) || strchr(perf.why, '\n'))
            fail_msg("'%s' is not in '%s'", cases[c].says, perf.why ? perf.why : "");
        hd_perf_read(&perf, &counts);
        hd_perf_add(&sum, &counts, &counts);
        assert_string_equal(hd_perf_print(arena, &sum, 1), "");
        hd_perf_close(&perf);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_of_a_run),
                                       cmocka_unit_test(an_event_that_ends_counts_no_more),
                                       cmocka_unit_test(why_nothing_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
