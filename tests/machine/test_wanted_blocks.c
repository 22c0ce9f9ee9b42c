/* A sink that wants some blocks of a launch hears these and no others, and a tally weighs them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/tally.h"
#include "machine/vm.h"
#include "support.h"

enum { BLOCKS = 200, THREADS = 32 };

/* Blocks differ in how much they do. */
static const char kernel[] = "__kernel void k(__global const int *a, __global int *b) {\n"
                             "    int i = get_global_id(0), sum = 0;\n"
                             "    for (int n = 0; n <= (int)get_group_id(0) % 7; n++)\n"
                             "        sum += a[(i + n * 32) % (int)get_global_size(0)];\n"
                             "    b[i] = sum;\n"
                             "}\n";

static char *job_text(hd_arena *arena) {
    int threads = BLOCKS * THREADS;
    return hd_format(
        arena,
        "kernel: kernel.cl\nbuffers:\n"
        "  - {name: a, type: int, count: %d, init: [{generator: permutation, seed: 3}]}\n"
        "  - {name: b, type: int, count: %d}\n"
        "launches:\n  - kernel: k\n    global: [%d]\n    local: [%d]\n"
        "    args: [{name: a, buffer: a}, {name: b, buffer: b}]\n",
        threads, threads, threads, (int)THREADS);
}

/* What a sink was told, of each block. */
typedef struct listener {
    hd_sink counting; /* of the tally */
    hd_tally *tally;
    bool wants_all;
    pthread_mutex_t lock;
    uint32_t asked[BLOCKS], opened[BLOCKS], events[BLOCKS], closed[BLOCKS];
    uint32_t heard, unheard; /* blocks whose time was told */
} listener;

typedef struct listened {
    listener *listener;
    void *counting;
    uint64_t block;
} listened;

static uint64_t weight_of(uint64_t block) { return block % 3 == 1 ? block : 0; }

static bool wants_block(void *self, uint64_t block) {
    listener *l = self;
    l->asked[block]++;
    if (!l->wants_all && weight_of(block))
        hd_tally_weigh(l->tally, weight_of(block));
    return l->wants_all || weight_of(block);
}

static hd_status hear_launch(void *self, const hd_event_launch *launch) {
    listener *l = self;
    assert_int_equal(launch->block_count, BLOCKS);
    return l->counting.launch(l->counting.self, launch);
}

static void *open_block(void *self, uint64_t block) {
    listener *l = self;
    listened *stream = malloc(sizeof *stream);
    assert_non_null(stream);
    *stream = (listened){l, l->counting.open_block(l->counting.self, block), block};
    l->opened[block]++;
    return stream;
}

static void hear_event(void *stream, const hd_event *event) {
    const listened *s = stream;
    s->listener->events[s->block]++;
    s->listener->counting.event(s->counting, event);
}

static hd_status close_block(void *self, void *stream, uint64_t block, bool complete) {
    listener *l = self;
    listened *s = stream;
    hd_status status = l->counting.close_block(l->counting.self, s->counting, block, complete);
    pthread_mutex_lock(&l->lock);
    l->closed[block] += complete && s->block == block;
    pthread_mutex_unlock(&l->lock);
    free(stream);
    return status;
}

static hd_status end_launch(void *self, bool complete) {
    listener *l = self;
    return l->counting.end_launch(l->counting.self, complete);
}

static void block_took(void *self, bool heard, double seconds) {
    listener *l = self;
    assert_true(seconds >= 0);
    l->heard += heard;
    l->unheard += !heard;
}

/* A counter of events. */
static void count_event(const void *self, void *state, const hd_event_launch *launch,
                        const hd_event *event, kir_space space, void *counts) {
    (void)self;
    (void)state;
    (void)launch;
    (void)event;
    (void)space;
    ++*(uint64_t *)counts;
}

static uint64_t run(const hd_sample *s, uint32_t workers, bool wants_all, listener *l, int *b) {
    const hd_tally_work work = {.count_bytes = sizeof(uint64_t),
                                .spaces = 1u << KIR_GLOBAL,
                                .summed = 1u << KIR_GLOBAL,
                                .period = 128,
                                .count = count_event};
    const hd_vm_options options = {.workers = workers};
    hd_vm *vm;
    hd_vm_counts counts;
    *l = (listener){.wants_all = wants_all, .tally = hd_tally_new(s->arena, &work, 1)};
    l->counting = hd_tally_sink(l->tally);
    pthread_mutex_init(&l->lock, NULL);
    const hd_sink sink = {.self = l,
                          .launch = hear_launch,
                          .open_block = open_block,
                          .event = hear_event,
                          .close_block = close_block,
                          .end_launch = end_launch,
                          .wants_block = wants_block,
                          .block_took = block_took};
    assert_int_equal(hd_vm_open(s->arena, &s->diag, s->job, NULL, &options, &vm), HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, &sink, &counts), HD_OK);
    assert_int_equal(counts.blocks, BLOCKS);
    assert_int_equal(counts.workers, workers);
    memcpy(b, hd_vm_contents(vm, 1), BLOCKS * THREADS * sizeof *b);
    hd_vm_close(vm);
    uint64_t total = *(const uint64_t *)hd_tally_of_launch(l->tally, 0, 0);
    hd_tally_free(l->tally);
    pthread_mutex_destroy(&l->lock);
    return total;
}

static void wanted_blocks_are_heard_and_weighed(void **state) {
    static int without[BLOCKS * THREADS], with[BLOCKS * THREADS];
    static listener all, some;
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sample s;
    hd_sample_open(&s, kernel, job_text(arena));
    hd_vm *vm;
    assert_int_equal(hd_vm_open(s.arena, &s.diag, s.job, NULL, &(hd_vm_options){0}, &vm), HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, NULL, NULL), HD_OK);
    memcpy(without, hd_vm_contents(vm, 1), sizeof without);
    hd_vm_close(vm);
    for (uint32_t workers = 1; workers <= 4; workers += 3) {
        uint64_t events = 0, weighed = 0;
        uint64_t whole = run(&s, workers, true, &all, with);
        assert_memory_equal(with, without, sizeof with);
        uint64_t total = run(&s, workers, false, &some, with);
        assert_memory_equal(with, without, sizeof with);
        for (uint64_t b = 0; b < BLOCKS; b++) {
            uint32_t wanted = weight_of(b) != 0;
            assert_int_equal(all.asked[b], 1);
            assert_int_equal(all.closed[b], 1);
            assert_int_equal(all.events[b], b % 7 + 2); /* its loads, and a store */
            assert_int_equal(some.asked[b], 1);
            assert_int_equal(some.opened[b], wanted);
            assert_int_equal(some.closed[b], wanted);
            assert_int_equal(some.events[b], wanted ? all.events[b] : 0);
            events += all.events[b];
            weighed += weight_of(b) * all.events[b];
        }
        assert_int_equal(whole, events);
        assert_int_equal(total, weighed);
        assert_int_equal(all.heard, BLOCKS);
        assert_int_equal(all.unheard, 0);
        assert_int_equal(some.heard, (BLOCKS + 1) / 3);
        assert_int_equal(some.heard + some.unheard, BLOCKS);
    }
    hd_sample_close(&s);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wanted_blocks_are_heard_and_weighed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
