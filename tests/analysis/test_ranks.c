/* The reuse analysis and stack distances over ranks, threads here, against the same by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/reuse.h"
#include "analysis/stack_ranks.h"
#include "analysis/stack_shared.h"
#include "sanitized.h"
#include "threads_as_ranks.h"

enum { MOST_THREADS = 100, COUNTS = 5 };

static const uint32_t counts[COUNTS] = {1, 2, 3, 4, 8};

static void silent(const hd_message *message, void *user) {
    (void)message;
    (void)user;
}
static const hd_diag diag = {silent, NULL};

/* ---- a random trace -------------------------------------------------------------------------- */

static uint64_t state;
static uint64_t any(uint64_t n) { return hd_next_random(&state) % n; }

static void make_event(const hd_sink *sink, void *stream, uint32_t threads, uint64_t position) {
    uint64_t mask[2] = {0}, address[MOST_THREADS];
    hd_event e = {.access = (uint32_t)any(4), .threads = threads, .position = position};
    bool all = any(2);
    for (uint32_t l = 0; l < threads; l++)
        if (all || any(3) || l + 1 == threads) {
            mask[l / 64] |= (uint64_t)1 << l % 64;
            e.active++;
        }
    e.mask = mask;
    e.base = 0x10000 + any(64) * 64;
    e.stride = (int64_t)(4 * any(12));
    if (any(3) == 0) {
        for (uint32_t l = 0; l < threads; l++)
            address[l] = any(20000) / 4 * 4;
        e.address = address;
    }
    sink->event(stream, &e);
}

static void make_launch(const hd_sink *sink, uint32_t number, uint64_t blocks) {
    static const uint32_t widths[4] = {4, 8, 4, 1};
    hd_event_access accesses[4];
    for (int i = 0; i < 4; i++)
        accesses[i] = (hd_event_access){
            .space = i == 2 ? KIR_CONSTANT : KIR_GLOBAL, .width = widths[i], .buffer = -1};
    const uint32_t threads = 1 + (uint32_t)any(MOST_THREADS);
    const hd_event_launch launch = {.number = number,
                                    .kernel = number % 2 ? "odd" : "even",
                                    .dims = 1,
                                    .groups = {blocks, 1, 1},
                                    .local = {threads, 1, 1},
                                    .block_count = blocks,
                                    .block_threads = threads,
                                    .accesses = accesses,
                                    .access_count = 4};
    assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
    for (uint64_t b = 0; b < blocks; b++) {
        void *stream = sink->open_block(sink->self, b);
        for (uint64_t p = 0, n = any(20); p < n; p++)
            make_event(sink, stream, threads, p);
        assert_int_equal(sink->close_block(sink->self, stream, b, true), HD_OK);
    }
    assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
}

/* A file of some launches, of up to so many blocks each. */
static void make_trace(const char *path, uint64_t seed, uint64_t most_blocks) {
    hd_arena *arena = hd_arena_new();
    const hd_trace_header header = {.source = "random", .spaces = ~0u};
    hd_trace_writer *writer;
    state = seed;
    assert_int_equal(hd_trace_create(arena, &diag, path, &header, &writer), HD_OK);
    const hd_sink sink = hd_trace_sink(writer);
    for (uint32_t l = 0, n = 1 + (uint32_t)any(4); l < n; l++)
        make_launch(&sink, l, 1 + any(most_blocks));
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    hd_arena_free(arena);
}

static const char *trace_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/heddle-ranks-%ld.hdt", (long)getpid());
    return path;
}

/* ---- reuse ----------------------------------------------------------------------------------- */

typedef struct reuse_case {
    const char *path;
    hd_reuse_options options;
    const hd_reuse *want;
    hd_status status; /* that is expected */
} reuse_case;

static bool same_streams(const hd_reuse *a, const hd_reuse *b) {
    bool same = a->stream_count == b->stream_count && a->blocks == b->blocks &&
                a->aggregates == b->aggregates && a->elements == b->elements &&
                a->accesses == b->accesses && a->k == b->k;
    for (uint64_t s = 0; s < a->stream_count && same; s++) {
        const hd_reuse_stream *x = &a->streams[s], *y = &b->streams[s];
        same = x->launch == y->launch && x->number == y->number && x->blocks == y->blocks &&
               x->mis == y->mis && x->accesses == y->accesses && x->domain == y->domain &&
               !memcmp(x->degree, y->degree, (x->domain + 1) * sizeof *x->degree);
    }
    return same;
}

static void reuse_on_rank(const hd_ranks *ranks, void *user) {
    const reuse_case *c = user;
    hd_arena *arena = hd_arena_new();
    hd_reuse_options options = c->options;
    hd_trace *trace;
    hd_reuse *got;
    options.ranks = ranks;
    assert_int_equal(hd_trace_open(arena, &diag, c->path, &trace), HD_OK);
    hd_status status = hd_reuse_analyse(arena, &diag, trace, &options, &got);
    if (status != c->status || (!status && !same_streams(got, c->want))) {
        print_message("scenario %u, rank %u of %u: status %d\n", options.scenario, ranks->rank,
                      ranks->count, (int)status);
        abort();
    }
    hd_trace_close(trace);
    hd_arena_free(arena);
}

static void reuse_of(const char *path, const hd_reuse_options *options) {
    hd_arena *arena = hd_arena_new();
    hd_trace *trace;
    hd_reuse *want;
    assert_int_equal(hd_trace_open(arena, &diag, path, &trace), HD_OK);
    reuse_case c = {.path = path, .options = *options};
    c.status = hd_reuse_analyse(arena, &diag, trace, options, &want);
    c.want = want;
    run_as_ranks(counts[any(COUNTS)], reuse_on_rank, &c);
    hd_trace_close(trace);
    hd_arena_free(arena);
}

static void reuse_of_random_traces(void **unused) {
    (void)unused;
    static const uint32_t units[] = {1, 8, 32, 96};
    const uint64_t rounds = SANITIZED ? 3 : 12;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        make_trace(trace_path(), seed, seed % 4 ? 12 : 40);
        hd_reuse_options o = {.workers = 1 + (uint32_t)any(2), .element_bytes = any(2) ? 4 : 12};
        o.spaces = any(2) ? 1u << KIR_GLOBAL : 1u << KIR_GLOBAL | 1u << KIR_CONSTANT;
        o.memory = any(2) ? 0 : 2000; /* in several shares */
        for (o.scenario = 1; o.scenario <= 6; o.scenario++) {
            o.k = 1 + any(5);
            o.clusters = 1u << any(4);
            o.units = units[any(4)];
            o.warp_order = o.scenario > 4 && any(2) ? "greedy" : NULL;
            o.block_order = any(3) ? NULL : any(2) ? "random" : "sharing";
            reuse_of(trace_path(), &o);
        }
    }
    unlink(trace_path());
}

/* ---- stack distances ------------------------------------------------------------------------- */

typedef struct stack_case {
    const char *path;
    hd_stack_options options;
    hd_stack_part part;
    const hd_stack_result *want;
} stack_case;

/* b is that of one. */
static bool same_result(const hd_stack_result *a, const hd_stack_result *b, bool with_counts) {
    bool same = a->launches == b->launches && a->blocks == b->blocks && a->mis == b->mis &&
                a->lane_accesses == b->lane_accesses && a->line_accesses == b->line_accesses &&
                a->cold == b->cold && a->stacks == b->stacks && a->footprint == b->footprint;
    for (uint64_t d = 1; d <= a->footprint && same && with_counts; d++)
        same = a->counts[d] == b->counts[d];
    for (uint64_t p = 0; p < a->point_count && same; p++)
        same = hd_stack_misses(b, a->points[p].lines) == b->line_accesses - a->points[p].hits;
    return same;
}

static void stack_on_rank(const hd_ranks *ranks, void *user) {
    const stack_case *c = user;
    hd_arena *arena = hd_arena_new();
    hd_trace *trace;
    const hd_stack_result *got;
    assert_int_equal(hd_trace_open(arena, &diag, c->path, &trace), HD_OK);
    hd_status status = hd_stack_over_ranks(arena, &diag, trace, &c->part, &c->options, ranks, &got);
    if (status || !same_result(got, c->want, got->counts) ||
        (!ranks->rank && c->part.with_counts) != !!got->counts ||
        hd_stack_misses(got, c->part.point) != hd_stack_misses(c->want, c->part.point)) {
        print_message("scope %d, rank %u of %u: status %d\n", (int)c->options.scope, ranks->rank,
                      ranks->count, (int)status);
        abort();
    }
    hd_trace_close(trace);
    hd_arena_free(arena);
}

/* The part of the trace through the stack of one. */
static hd_stack *stack_of_one(hd_arena *arena, const stack_case *c) {
    hd_trace *trace;
    hd_stack *one = hd_stack_new(arena, &diag, &c->options);
    const hd_sink sink = hd_stack_sink(one);
    assert_int_equal(hd_trace_open(arena, &diag, c->path, &trace), HD_OK);
    for (uint32_t l = 0; l < hd_trace_get(trace)->launch_count; l++) {
        const hd_trace_choice choice = {.launch = hd_trace_get(trace)->launches[l].launch.number,
                                        .first_block = c->part.first_block,
                                        .last_block = c->part.last_block};
        if ((uint64_t)choice.launch >= c->part.first_launch &&
            (uint64_t)choice.launch <= c->part.last_launch)
            assert_int_equal(hd_trace_replay(trace, &diag, &choice, &sink), HD_OK);
    }
    hd_trace_close(trace);
    return one;
}

static void stacks_of_random_traces(void **unused) {
    (void)unused;
    const uint64_t rounds = SANITIZED ? 20 : 80;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        hd_arena *arena = hd_arena_new();
        make_trace(trace_path(), seed, seed % 4 ? 12 : 60);
        stack_case c = {.path = trace_path()};
        c.options = (hd_stack_options){(uint64_t)1 << any(8), any(3) ? 32 : 7, seed % 3, 1 + any(9),
                                       any(2) ? 1u << KIR_GLOBAL : 0};
        c.part = (hd_stack_part){.last_launch = any(4) ? UINT64_MAX : 1,
                                 .last_block = any(4) ? UINT64_MAX : any(9),
                                 .point = any(2) ? any(3000) : 0,
                                 .with_counts = any(3),
                                 .slice = any(3) ? 1 + any(3000) : 0};
        hd_stack *one = stack_of_one(arena, &c);
        c.want = hd_stack_result_of(one);
        run_as_ranks(counts[any(COUNTS)], stack_on_rank, &c);
        hd_stack_free(one);
        hd_arena_free(arena);
    }
    unlink(trace_path());
}

/* What a rank holds of a stack, against an array. */
static void stretches_of_time(void **unused) {
    (void)unused;
    enum { MOST = 3000 };
    state = 3;
    for (int round = 0; round < 12; round++) {
        bool there[MOST];
        uint64_t count = 1 + any(MOST), left = count;
        stretch s;
        stretch_begin(&s, count);
        memset(there, 1, sizeof there);
        while (left) {
            uint64_t place = any(count), from = 0;
            while (!there[place])
                place = (place + 1) % count;
            for (uint64_t p = place; p < count; p++)
                from += there[p];
            assert_int_equal(stretch_take(&s, place), from);
            there[place] = false;
            assert_int_equal(s.live, --left);
            assert_true(left || !stretch_bytes(&s));
        }
        stretch_free(&s);
    }
}

static void last_times_of_lines(void **unused) {
    (void)unused;
    enum { LINES = 20000, STEPS = 60000 };
    static uint64_t last[LINES];
    line_times times = {0};
    state = 4;
    for (uint64_t t = 1; t <= STEPS; t++) {
        uint64_t line = any(LINES), far = line % 3 ? line : line << 40;
        assert_int_equal(line_times_move(&times, far, t), last[line]);
        last[line] = t;
    }
    line_times_free(&times);
}

/* ---- a rank that is gone --------------------------------------------------------------------- */

static void leave_early(const hd_ranks *ranks, void *user) {
    const stack_case *c = user;
    if (ranks->rank == 1)
        return;
    hd_arena *arena = hd_arena_new();
    hd_trace *trace;
    hd_reuse *reuse;
    const hd_stack_result *result;
    const hd_reuse_options options = {.scenario = 3, .ranks = ranks, .workers = 1};
    assert_int_equal(hd_trace_open(arena, &diag, c->path, &trace), HD_OK);
    if (hd_reuse_analyse(arena, &diag, trace, &options, &reuse) != HD_ESYSTEM ||
        hd_stack_over_ranks(arena, &diag, trace, &c->part, &c->options, ranks, &result) !=
            HD_ESYSTEM)
        abort();
    hd_trace_close(trace);
    hd_arena_free(arena);
}

static void lost_ranks_end_the_others(void **unused) {
    (void)unused;
    stack_case c = {.path = trace_path(), .options = {.line = 128, .warp = 32}};
    c.part = (hd_stack_part){.last_launch = UINT64_MAX, .last_block = UINT64_MAX};
    make_trace(trace_path(), 1, 20);
    run_as_ranks(3, leave_early, &c);
    unlink(trace_path());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reuse_of_random_traces), cmocka_unit_test(stacks_of_random_traces),
        cmocka_unit_test(stretches_of_time), cmocka_unit_test(last_times_of_lines),
        cmocka_unit_test(lost_ranks_end_the_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
