/* Blocks that are not run to their end: each thread does the beginning of what it does in a whole run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/vm.h"
#include "support.h"

enum { BLOCKS = 6, THREADS = 40, MOST = 4096 };

/* What each thread touched, in order. */
typedef struct heard {
    uint32_t count[BLOCKS][THREADS];
    uint64_t events[BLOCKS][THREADS][MOST]; /* access and address */
    uint32_t complete;
} heard;

typedef struct stream {
    heard *to;
    uint64_t block;
} stream;

static void *open_block(void *self, uint64_t block) {
    stream *s = malloc(sizeof *s);
    assert_non_null(s);
    *s = (stream){self, block};
    return s;
}

static void hear(void *self, const hd_event *event) {
    const stream *s = self;
    for (uint32_t l = 0; l < event->threads; l++) {
        uint32_t *count = &s->to->count[s->block][l];
        if (!hd_event_active(event, l))
            continue;
        assert_in_range(*count, 0, MOST - 1);
        s->to->events[s->block][l][(*count)++] =
            (uint64_t)event->access << 56 | hd_event_address(event, l);
    }
}

static hd_status close_block(void *self, void *state, uint64_t block, bool complete) {
    (void)block;
    ((heard *)self)->complete += complete;
    free(state);
    return HD_OK;
}

static const char job_text[] =
    "kernel: kernel.cl\nbuffers:\n"
    "  - {name: a, type: int, count: 1024, init: [{generator: permutation, seed: 3}]}\n"
    "  - {name: b, type: int, count: 240}\n"
    "launches:\n  - kernel: k\n    global: [240]\n    local: [40]\n"
    "    args: [{name: a, buffer: a}, {name: b, buffer: b}]\n";

static hd_vm_counts run(const char *kernel, const hd_vm_extent *extent, heard *to) {
    const hd_sink sink = {
        .self = to, .open_block = open_block, .event = hear, .close_block = close_block};
    const hd_vm_options options = {.workers = 1, .spaces = 1u << KIR_GLOBAL};
    hd_sample s;
    hd_vm *vm;
    hd_vm_counts counts;
    memset(to, 0, sizeof *to);
    hd_sample_open(&s, kernel, job_text);
    assert_int_equal(hd_vm_open(s.arena, &s.diag, s.job, NULL, &options, &vm), HD_OK);
    hd_vm_set_extent(vm, extent);
    assert_int_equal(hd_vm_run(vm, 0, &sink, &counts), HD_OK);
    assert_int_equal(counts.blocks, BLOCKS);
    assert_int_equal(to->complete, BLOCKS);
    hd_vm_close(vm);
    hd_sample_close(&s);
    return counts;
}

static heard whole, part;

/* Each thread has done the beginning of what it does: all of it, or at least `least` accesses. */
static void assert_beginnings(uint32_t least) {
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t l = 0; l < THREADS; l++) {
            const uint32_t count = part.count[b][l];
            assert_in_range(count, 0, whole.count[b][l]);
            if (count < whole.count[b][l])
                assert_in_range(count, least, MOST);
            assert_memory_equal(part.events[b][l], whole.events[b][l],
                                count * sizeof **part.events[b]);
        }
}

/* A walk of so many steps through the permutation, by each thread its own. */
#define WALK(steps)                               \
    "    for (int n = 0; n < " steps "; n++) {\n" \
    "        at = a[at];\n"                       \
    "        sum += at;\n"                        \
    "    }\n"
#define KERNEL(text)                                                               \
    "__kernel void k(__global const int *a, __global int *b) {\n"                  \
    "    int i = get_global_id(0), at = i, sum = 0;\n" text "    b[i] = sum;\n}\n"

static void lanes_in_step_stop_together(void **state) {
    (void)state;
    const hd_vm_extent extent = {.thread = {.accesses = 100}};
    run(KERNEL(WALK("1000")), NULL, &whole);
    const hd_vm_counts counts = run(KERNEL(WALK("1000")), &extent, &part);
    assert_beginnings(100);
    assert_int_equal(counts.cut_blocks, BLOCKS);
    assert_int_equal(counts.behind, 0);
    assert_int_equal(counts.lane_accesses, BLOCKS * THREADS * 100);
    assert_int_equal(whole.count[5][39], 1001);
}

static void instructions_end_blocks_too(void **state) {
    (void)state;
    const hd_vm_extent extent = {.thread = {.instructions = 500}};
    run(KERNEL(WALK("1000")), NULL, &whole);
    const hd_vm_counts counts = run(KERNEL(WALK("1000")), &extent, &part);
    assert_beginnings(20);
    assert_int_equal(counts.cut_blocks, BLOCKS);
    assert_in_range(counts.instructions, BLOCKS * 500, BLOCKS * 600);
}

/* Some threads take one arm, some the other, and some are done early: nobody hides anybody. */
static void both_arms_of_a_branch_are_heard(void **state) {
    static const char kernel[] =
        KERNEL("    if (i % 5 == 0) {\n" WALK("1000") "    } else if (i % 5 < 3) {\n" WALK(
            "1500") "    } else if (i % 5 == 3) {\n" WALK("20") "    }\n");
    (void)state;
    const hd_vm_extent extent = {.thread = {.accesses = 100}};
    run(kernel, NULL, &whole);
    const hd_vm_counts counts = run(kernel, &extent, &part);
    assert_beginnings(100);
    assert_int_equal(counts.cut_blocks, BLOCKS);
    assert_int_equal(counts.behind, 0);
    for (uint32_t l = 0; l < THREADS; l++)
        assert_int_equal(part.count[2][l], l % 5 < 3 ? 100 : l % 5 == 3 ? 21 : 1);
}

/* Threads go round an outer loop together, but the inner one differs. */
static void threads_of_one_loop_lose_no_lanes_early(void **state) {
    static const char kernel[] = KERNEL("    for (int m = 0; m < 100; m++)\n" WALK("(i + m) % 8"));
    (void)state;
    const hd_vm_extent extent = {.thread = {.accesses = 80}};
    run(kernel, NULL, &whole);
    const hd_vm_counts counts = run(kernel, &extent, &part);
    assert_beginnings(40);
    assert_int_equal(counts.cut_blocks, BLOCKS);
    for (uint32_t l = 0; l < THREADS; l++)
        assert_in_range(part.count[0][l], 60, 80);
}

/* Threads that need each other stop together, and who was far behind is counted. */
static void threads_that_wait_for_each_other_stop_together(void **state) {
    static const char kernel[] =
        KERNEL("    if (i % 2)\n" WALK("1000") "    barrier(CLK_GLOBAL_MEM_FENCE);\n" WALK("10"));
    (void)state;
    const hd_vm_extent extent = {.thread = {.accesses = 100}};
    run(kernel, NULL, &whole);
    const hd_vm_counts counts = run(kernel, &extent, &part);
    assert_beginnings(0);
    assert_int_equal(counts.cut_blocks, BLOCKS);
    assert_int_equal(counts.behind, BLOCKS * THREADS / 2);
}

static void short_blocks_come_to_their_end(void **state) {
    (void)state;
    const hd_vm_extent extent = {.block = {.accesses = 100000}, .thread = {.accesses = 200}};
    run(KERNEL(WALK("100")), NULL, &whole);
    const hd_vm_counts counts = run(KERNEL(WALK("100")), &extent, &part);
    assert_memory_equal(&part, &whole, sizeof part);
    assert_int_equal(counts.cut_blocks, 0);
}

static void a_block_may_be_bounded_as_a_whole(void **state) {
    (void)state;
    const hd_vm_extent extent = {.block = {.accesses = 1000}};
    run(KERNEL(WALK("100")), NULL, &whole);
    const hd_vm_counts counts = run(KERNEL(WALK("100")), &extent, &part);
    assert_beginnings(25);
    assert_int_equal(counts.cut_blocks, BLOCKS);
    assert_int_equal(counts.lane_accesses, BLOCKS * 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_in_step_stop_together),
        cmocka_unit_test(instructions_end_blocks_too),
        cmocka_unit_test(both_arms_of_a_branch_are_heard),
        cmocka_unit_test(threads_of_one_loop_lose_no_lanes_early),
        cmocka_unit_test(threads_that_wait_for_each_other_stop_together),
        cmocka_unit_test(short_blocks_come_to_their_end),
        cmocka_unit_test(a_block_may_be_bounded_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
