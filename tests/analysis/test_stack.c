/* Stack distances: examples by hand, random traces against tests/oracle, and blocks that come side
 * by side. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/stack.h"
#include "oracle/stack.h"
#include "sanitized.h"

enum { MOST_THREADS = 300, MOST_WORDS = (MOST_THREADS + 63) / 64, ACCESSES = 9, MOST_EVENTS = 24 };

static const uint32_t widths[ACCESSES] = {1, 2, 4, 8, 16, 3, 12, 32, 200};

/* A launch whose access k has width widths[k]. */
static hd_event_launch launch_of(hd_event_access accesses[ACCESSES], uint32_t number) {
    for (int i = 0; i < ACCESSES; i++)
        accesses[i] = (hd_event_access){.space = KIR_GLOBAL, .width = widths[i], .buffer = -1};
    return (hd_event_launch){
        .number = number, .kernel = "k", .dims = 1, .accesses = accesses, .access_count = ACCESSES};
}

/* ---- by hand ---------------------------------------------------------------------- */

/* One block of one thread that reads the bytes of `at` one after another. */
static const hd_stack_result *run_bytes(hd_stack *analysis, const char *at) {
    hd_event_access accesses[ACCESSES];
    hd_event_launch launch = launch_of(accesses, 0);
    const uint64_t mask = 1;
    hd_sink sink = hd_stack_sink(analysis);
    sink.launch(sink.self, &launch);
    void *stream = sink.open_block(sink.self, 0);
    for (uint64_t i = 0; at[i]; i++)
        sink.event(stream, &(hd_event){.threads = 1,
                                       .active = 1,
                                       .position = i,
                                       .mask = &mask,
                                       .base = (uint64_t)at[i] * 4});
    assert_int_equal(sink.close_block(sink.self, stream, 0, true), HD_OK);
    sink.end_launch(sink.self, true);
    return hd_stack_result_of(analysis);
}

static void the_example_of_the_essay(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_stack_options options = {.line = 4, .warp = 32};
    hd_stack *analysis = hd_stack_new(arena, NULL, &options);
    const hd_stack_result *r = run_bytes(analysis, "ABCAAB");
    assert_int_equal(r->line_accesses, 6);
    assert_int_equal(r->cold, 3);
    assert_int_equal(r->footprint, 3);
    assert_int_equal(r->counts[1], 1);
    assert_int_equal(r->counts[2], 0);
    assert_int_equal(r->counts[3], 2);
    assert_int_equal(hd_stack_misses(r, 0), 6);
    assert_int_equal(hd_stack_misses(r, 1), 5);
    assert_int_equal(hd_stack_misses(r, 2), 5);
    assert_int_equal(hd_stack_misses(r, 3), 3);
    assert_int_equal(hd_stack_misses(r, 1000), 3);
    r = run_bytes(analysis, "AD"); /* the next launch; A is second from the top */
    assert_int_equal(r->counts[2], 1);
    assert_int_equal(r->cold, 4);
    assert_int_equal(r->launches, 2);
    assert_int_equal(r->blocks, 2);
    assert_int_equal(r->lane_accesses, 8);
    hd_stack_free(analysis);
    hd_arena_free(arena);
}

static void nothing_heard_is_no_access(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (int scope = HD_STACK_DEVICE; scope <= HD_STACK_BLOCK; scope++) {
        const hd_stack_options options = {128, 32, (hd_stack_scope)scope, 3, 0};
        hd_stack *analysis = hd_stack_new(arena, NULL, &options);
        assert_int_equal(hd_stack_result_of(analysis)->line_accesses, 0);
        const hd_stack_result *r = run_bytes(analysis, "");
        assert_int_equal(r->line_accesses, 0);
        assert_int_equal(r->footprint, 0);
        assert_int_equal(r->stacks, 0);
        assert_int_equal(hd_stack_misses(r, 5), 0);
        hd_stack_free(analysis);
    }
    hd_arena_free(arena);
}

/* What one event of `threads` lanes, all active, is: accesses and different lines. */
static void check_event(uint64_t line, uint32_t width, uint64_t base, int64_t stride,
                        const uint64_t *address, uint32_t threads, uint64_t accesses,
                        uint64_t lines) {
    hd_arena *arena = hd_arena_new();
    const hd_stack_options options = {.line = line, .warp = 32};
    hd_stack *analysis = hd_stack_new(arena, NULL, &options);
    hd_sink sink = hd_stack_sink(analysis);
    hd_event_access access = {.space = KIR_GLOBAL, .width = width};
    hd_event_launch launch = {.accesses = &access, .access_count = 1};
    const uint64_t mask[2] = {threads < 64 ? ((uint64_t)1 << threads) - 1 : UINT64_MAX, UINT64_MAX};
    sink.launch(sink.self, &launch);
    void *stream = sink.open_block(sink.self, 0);
    sink.event(stream, &(hd_event){.threads = threads,
                                   .active = threads,
                                   .mask = mask,
                                   .base = base,
                                   .stride = stride,
                                   .address = address});
    sink.close_block(sink.self, stream, 0, true);
    sink.end_launch(sink.self, true);
    const hd_stack_result *r = hd_stack_result_of(analysis);
    assert_int_equal(r->line_accesses, accesses);
    assert_int_equal(r->footprint, lines);
    hd_stack_free(analysis);
    hd_arena_free(arena);
}

static void lines_of_events(void **state) {
    (void)state;
    const uint64_t top = UINT64_MAX - 127;
    const uint64_t back[4] = {0, 256, 128, 0}, far[3] = {0, 1 << 20, 4};
    check_event(128, 4, 0, 4, NULL, 32, 1, 1);
    check_event(128, 4, 4, 4, NULL, 32, 2, 2);
    check_event(128, 4, 0, 4, NULL, 64, 2, 2);
    check_event(128, 4, 0, 0, NULL, 64, 2, 1); /* a line for each warp, the same one */
    check_event(128, 4, 0, 28, NULL, 32, 7, 7);
    check_event(128, 4, 868, -28, NULL, 32, 7, 7);
    check_event(128, 4, 0, 128, NULL, 32, 32, 32);
    check_event(128, 4, 126, 128, NULL, 32, 33, 33);
    check_event(128, 4, 0, 129, NULL, 32, 32, 32);
    check_event(128, 200, 0, 4, NULL, 32, 3, 3);
    check_event(1, 4, 0, 8, NULL, 32, 128, 128);
    check_event(128, 8, UINT64_MAX - 3, 0, NULL, 2, 1, 1); /* memory ends there */
    check_event(128, 4, top, 4, NULL, 64, 2, 2);           /* the second warp wraps around */
    check_event(128, 4, 64, INT64_MIN, NULL, 2, 2, 2);
    check_event(128, 4, 0, 0, back, 4, 3, 3);
    check_event(128, 4, 0, 0, far, 3, 2, 2);
    check_event((uint64_t)1 << 63, 4, 0, (int64_t)1 << 62, NULL, 4, 2, 2);
}

/* Which of a global, a local, a constant and a generic access count. */
static uint64_t heard_of(uint32_t spaces, uint64_t generic_address) {
    hd_arena *arena = hd_arena_new();
    const hd_stack_options options = {.line = 128, .warp = 32, .spaces = spaces};
    hd_stack *analysis = hd_stack_new(arena, NULL, &options);
    hd_sink sink = hd_stack_sink(analysis);
    const kir_space kinds[4] = {KIR_GLOBAL, KIR_LOCAL, KIR_CONSTANT, KIR_GENERIC};
    const uint64_t at[4] = {0x100000000000, 0x2000000, 0x100000010000, generic_address};
    const uint64_t mask[2] = {0, 8};
    const hd_event_buffer buffers[] = {{.space = KIR_LOCAL, .base = 0x2000000, .bytes = 64},
                                       {.space = KIR_GLOBAL, .base = at[0], .bytes = 4096},
                                       {.space = KIR_CONSTANT, .base = at[2], .bytes = 4096}};
    hd_event_access accesses[4];
    for (int i = 0; i < 4; i++)
        accesses[i] = (hd_event_access){.space = kinds[i], .width = 4, .buffer = -1};
    const hd_event_launch launch = {
        .accesses = accesses, .access_count = 4, .buffers = buffers, .buffer_count = 3};
    sink.launch(sink.self, &launch);
    void *stream = sink.open_block(sink.self, 0);
    for (uint32_t i = 0; i < 4; i++)
        sink.event(stream, &(hd_event){.access = i,
                                       .threads = 70,
                                       .active = 1,
                                       .mask = mask,
                                       .base = at[i] - 67 * 4,
                                       .stride = 4});
    sink.close_block(sink.self, stream, 0, true);
    sink.end_launch(sink.self, true);
    uint64_t mis = hd_stack_result_of(analysis)->mis;
    hd_stack_free(analysis);
    hd_arena_free(arena);
    return mis;
}

static void spaces_are_chosen(void **state) {
    (void)state;
    const uint32_t global = 1 << KIR_GLOBAL, local = 1 << KIR_LOCAL, constant = 1 << KIR_CONSTANT;
    assert_int_equal(heard_of(0, 0), 4);
    assert_int_equal(heard_of(global, 0x100000000010), 2);
    assert_int_equal(heard_of(global, 0x100000010010), 1);
    assert_int_equal(heard_of(global, 0x2000010), 1);
    assert_int_equal(heard_of(global, 0x3000010), 1); /* another block's local memory */
    assert_int_equal(heard_of(global, 0x10), 2);      /* of nothing that is known */
    assert_int_equal(heard_of(local, 0x3000010), 2);
    assert_int_equal(heard_of(constant | local, 0x100000010010), 3);
}

/* ---- at random, against the oracle -------------------------------------------------- */

static uint32_t below(uint32_t n) { return (uint32_t)(random() % n); }

/* An event with what it points to. */
typedef struct made {
    hd_event event;
    uint64_t mask[MOST_WORDS], address[MOST_THREADS];
} made;

/* What the traces of one round have in common. */
typedef struct shape {
    hd_stack_options options;
    uint32_t threads, launches, blocks, events;
    uint32_t way;    /* 0 to 7: only this kind of event; else all */
    uint64_t region; /* bytes that are touched, about */
    bool all_active;
} shape;

static void random_mask(const shape *s, made *m) {
    uint32_t way = s->all_active ? 0 : below(6), limit = below(s->threads);
    for (uint32_t lane = 0; lane < s->threads; lane++) {
        bool active = way == 0   ? true
                      : way == 1 ? lane <= limit
                      : way == 2 ? lane >= limit
                      : way == 3 ? lane == limit
                      : way == 4 ? lane % 2 == limit % 2
                                 : below(3) == 0 || lane == limit;
        m->mask[lane / 64] |= (uint64_t)active << lane % 64;
        m->event.active += active;
    }
    if (!m->event.active) {
        m->mask[0] = 1;
        m->event.active = 1;
    }
}

static uint64_t near(const shape *s) { return 0x1000000 + (uint64_t)random() % s->region; }

static void random_addresses(const shape *s, made *m) {
    uint32_t way = s->way < 8 ? s->way : below(8), width = widths[m->event.access];
    uint32_t factor = 1 + below(40), turn = below(64);
    m->event.base = near(s);
    m->event.stride = way == 0 ? (int64_t)width : way == 1 ? (int64_t)below(2000) - 1000 : 0;
    if (way < 3)
        return;
    m->event.address = m->address;
    for (uint32_t l = 0; l < s->threads; l++)
        m->address[l] = way == 3   ? near(s)
                        : way == 4 ? (uint64_t)(l ^ turn) * 4
                        : way == 5 ? below(100)
                        : way == 6 ? (uint64_t)l / factor * 4
                                   : (uint64_t)(s->threads - l) * factor;
    if (way == 3)
        m->event.base = 0;
    if (below(20) == 0)
        m->event.base = UINT64_MAX - below(300);
}

static void make_event(const shape *s, made *m, uint64_t position) {
    *m = (made){.event = {.threads = s->threads, .position = position, .mask = m->mask}};
    m->event.access = below(s->options.line < 16 ? 6 : ACCESSES);
    random_mask(s, m);
    random_addresses(s, m);
}

typedef struct made_block {
    made events[MOST_EVENTS];
    uint32_t count;
} made_block;

static shape random_shape(void) {
    static const uint32_t warps[] = {32, 32, 32, 32, 1, 7, 8, 64, 128};
    shape s = {.options = {.line = (uint64_t)1 << below(13),
                           .warp = warps[below(sizeof warps / sizeof *warps)],
                           .scope = (hd_stack_scope)below(3),
                           .clusters = 1 + below(5)},
               .threads = below(2) ? 1 + below(MOST_THREADS) : 64 * (1 + below(4)),
               .launches = 1 + below(3),
               .blocks = 1 + below(6),
               .events = 1 + below(MOST_EVENTS),
               .way = below(12),
               .region = (uint64_t)1 << (6 + below(16)),
               .all_active = below(2)};
    if (s.options.line < 64 && s.events > 8)
        s.events = 8; /* the oracle is slow */
    return s;
}

/* Hands blocks on as they are, one after another. */
static void send_blocks(const hd_sink *sink, const hd_event_launch *launch, made_block *blocks,
                        uint32_t count) {
    if (sink->launch)
        assert_int_equal(sink->launch(sink->self, launch), HD_OK);
    for (uint32_t b = 0; b < count; b++) {
        void *stream = sink->open_block(sink->self, b);
        for (uint32_t e = 0; e < blocks[b].count; e++)
            sink->event(stream, &blocks[b].events[e].event);
        if (sink->close_block)
            assert_int_equal(sink->close_block(sink->self, stream, b, true), HD_OK);
    }
    if (sink->end_launch)
        sink->end_launch(sink->self, true);
}

static void assert_as_oracle(const hd_stack_result *r, const oracle_stack *o) {
    assert_int_equal(r->mis, o->mis);
    assert_int_equal(r->lane_accesses, o->lane_accesses);
    assert_int_equal(r->line_accesses, o->accesses);
    assert_int_equal(r->cold, o->cold);
    assert_int_equal(r->footprint, oracle_footprint(o));
    for (uint64_t d = 1; d <= r->footprint || d < o->capacity; d++)
        assert_int_equal(d <= r->footprint ? r->counts[d] : 0, d < o->capacity ? o->counts[d] : 0);
}

/* One launch, its blocks' events made and in order. */
static made_block *make_blocks(const shape *s) {
    made_block *blocks = calloc(s->blocks, sizeof *blocks);
    assert_non_null(blocks);
    for (uint32_t b = 0; b < s->blocks; b++) {
        blocks[b].count = below(s->events + 1);
        for (uint32_t e = 0; e < blocks[b].count; e++)
            make_event(s, &blocks[b].events[e], e);
    }
    return blocks;
}

/* All blocks of a launch are open at once, and their events come in any order. */
static void send_mixed(const hd_sink *sink, const hd_event_launch *launch, made_block *blocks,
                       uint32_t count) {
    void *streams[8];
    uint32_t at[8] = {0}, open = count;
    assert_int_equal(sink->launch(sink->self, launch), HD_OK);
    for (uint32_t b = 0; b < count; b++)
        streams[b] = sink->open_block(sink->self, b);
    while (open) {
        uint32_t b = below(count);
        if (!streams[b])
            continue;
        for (uint32_t n = below(20); n && at[b] < blocks[b].count; n--)
            sink->event(streams[b], &blocks[b].events[at[b]++].event);
        if (at[b] < blocks[b].count)
            continue;
        assert_int_equal(sink->close_block(sink->self, streams[b], b, true), HD_OK);
        streams[b] = NULL;
        open--;
    }
    sink->end_launch(sink->self, true);
}

static void random_traces(void **state) {
    (void)state;
    srandom(1);
    for (int round = 0; round < (SANITIZED ? 150 : 400); round++) {
        shape s = random_shape();
        hd_arena *arena = hd_arena_new();
        oracle_stack oracle = {.options = s.options};
        hd_stack *plain = hd_stack_new(arena, NULL, &s.options);
        hd_stack *mixed = hd_stack_new(arena, NULL, &s.options);
        const hd_sink sinks[] = {oracle_stack_sink(&oracle), hd_stack_sink(plain),
                                 hd_stack_sink(mixed)};
        hd_event_access accesses[ACCESSES];
        for (uint32_t l = 0; l < s.launches; l++) {
            hd_event_launch launch = launch_of(accesses, l);
            made_block *blocks = make_blocks(&s);
            send_blocks(&sinks[0], &launch, blocks, s.blocks);
            send_blocks(&sinks[1], &launch, blocks, s.blocks);
            send_mixed(&sinks[2], &launch, blocks, s.blocks);
            free(blocks);
        }
        assert_as_oracle(hd_stack_result_of(plain), &oracle);
        assert_as_oracle(hd_stack_result_of(mixed), &oracle);
        hd_stack_free(plain);
        hd_stack_free(mixed);
        oracle_stack_free(&oracle);
        hd_arena_free(arena);
    }
}

/* ---- threads ----------------------------------------------------------------------------- */

enum { WORKERS = 4, BLOCKS = 48, BLOCK_EVENTS = 1000, THREADS = 64 };

/* Hands out blocks in order, as the machine does. */
typedef struct machine {
    hd_sink sink;
    pthread_mutex_t lock;
    uint64_t next;
} machine;

static void send_block(const hd_sink *sink, void *stream, uint64_t block) {
    uint64_t mask = UINT64_MAX, random = block * 977 + 1, address[THREADS];
    for (uint64_t e = 0; e < BLOCK_EVENTS; e++) {
        for (uint32_t l = 0; l < THREADS; l++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            address[l] = random >> 44; /* a megabyte */
        }
        sink->event(stream, &(hd_event){.access = 2,
                                        .threads = THREADS,
                                        .active = THREADS,
                                        .position = e,
                                        .mask = &mask,
                                        .address = address});
    }
}

static void *work(void *argument) {
    machine *m = argument;
    for (;;) {
        pthread_mutex_lock(&m->lock);
        uint64_t block = m->next++;
        void *stream = block < BLOCKS ? m->sink.open_block(m->sink.self, block) : NULL;
        pthread_mutex_unlock(&m->lock);
        if (!stream)
            return NULL;
        send_block(&m->sink, stream, block);
        if (m->sink.close_block(m->sink.self, stream, block, true))
            abort();
    }
}

static void run_threads(hd_stack *analysis, int workers) {
    machine m = {.sink = hd_stack_sink(analysis)};
    pthread_t threads[WORKERS];
    hd_event_access accesses[ACCESSES];
    hd_event_launch launch = launch_of(accesses, 0);
    pthread_mutex_init(&m.lock, NULL);
    m.sink.launch(m.sink.self, &launch);
    for (int w = 1; w < workers; w++)
        assert_int_equal(pthread_create(&threads[w], NULL, work, &m), 0);
    work(&m);
    for (int w = 1; w < workers; w++)
        pthread_join(threads[w], NULL);
    m.sink.end_launch(m.sink.self, true);
    pthread_mutex_destroy(&m.lock);
}

/* So many accesses that blocks have to wait for each other; the result is the same. */
static void blocks_in_threads(void **state) {
    (void)state;
    for (int scope = HD_STACK_DEVICE; scope <= HD_STACK_BLOCK; scope++) {
        hd_arena *arena = hd_arena_new();
        const hd_stack_options options = {128, 32, (hd_stack_scope)scope, 3, 0};
        hd_stack *one = hd_stack_new(arena, NULL, &options);
        hd_stack *many = hd_stack_new(arena, NULL, &options);
        run_threads(one, 1);
        run_threads(many, WORKERS);
        const hd_stack_result *a = hd_stack_result_of(one), *b = hd_stack_result_of(many);
        assert_int_equal(a->line_accesses, b->line_accesses);
        assert_int_equal(a->stacks, scope == HD_STACK_DEVICE  ? 1
                                    : scope == HD_STACK_BLOCK ? BLOCKS
                                                              : 3);
        assert_int_equal(a->footprint, b->footprint);
        assert_memory_equal(a->counts, b->counts, (a->footprint + 1) * sizeof *a->counts);
        hd_stack_free(one);
        hd_stack_free(many);
        hd_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_essay),
        cmocka_unit_test(nothing_heard_is_no_access),
        cmocka_unit_test(lines_of_events),
        cmocka_unit_test(spaces_are_chosen),
        cmocka_unit_test(random_traces),
        cmocka_unit_test(blocks_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
