/* Blocks in order: what threads put comes block after block, however they are scheduled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#include "machine/in_order.h"

enum { BLOCKS = 400, PIECES = 5, THREADS = 4, MOST_QUEUES = 8 };

/* Each event is a piece, {block, position}. Every seventh block is stopped after three of them. */
typedef struct listener {
    uint32_t queues;
    uint64_t next[MOST_QUEUES];   /* block that comes next in each queue */
    uint64_t pieces[MOST_QUEUES]; /* of that block */
    uint64_t ended, events, blocks;
    _Atomic bool wrong, partial; /* out of order; a stopped block's pieces were taken */
    hd_status answer;            /* of end_block */
    uint32_t streams;            /* that were freed */
} listener;

typedef struct stream {
    hd_in_order_stream base;
    uint64_t events;
} stream;

static bool is_stopped(uint64_t block) { return block % 7 == 3; }

static void open_block(void *state) { ((stream *)state)->events = 0; }

static void put_event(void *state, const hd_event *event) {
    stream *s = state;
    uint64_t piece[2] = {s->base.block, event->position};
    s->events++;
    hd_in_order_put(&s->base, piece, sizeof piece);
}

static bool close_block(void *state, bool complete) {
    (void)state;
    return complete;
}

static void add_block(void *state, bool complete) {
    stream *s = state;
    listener *l = s->base.self;
    l->blocks += complete;
    l->events += s->events;
}

static void free_stream(void *state) { ((listener *)((stream *)state)->base.self)->streams++; }

static void take_piece(void *self, uint64_t block, void *data, size_t count) {
    listener *l = self;
    const uint64_t *piece = data;
    uint64_t q = block % l->queues;
    l->wrong |= count != 2 * sizeof *piece || piece[0] != block || block != l->next[q] ||
                piece[1] != l->pieces[q];
    l->pieces[q]++;
    l->partial |= is_stopped(block);
}

static hd_status end_block(void *self, uint64_t block, bool counts) {
    listener *l = self;
    uint64_t q = block % l->queues;
    l->wrong |= block != l->next[q] || counts == is_stopped(block);
    l->wrong |= counts && l->pieces[q] != PIECES;
    l->next[q] += l->queues;
    l->pieces[q] = 0;
    __atomic_fetch_add(&l->ended, 1, __ATOMIC_RELAXED);
    return block == 100 ? l->answer : HD_OK;
}

static hd_in_order *order_of(hd_arena *arena, listener *l, uint32_t queues, size_t most_waiting) {
    l->queues = queues ? queues : 1;
    for (uint32_t q = 0; q < l->queues; q++)
        l->next[q] = q;
    return hd_in_order_new(arena, &(hd_in_order_work){.self = l,
                                                      .stream_bytes = sizeof(stream),
                                                      .queues = queues,
                                                      .most_waiting = most_waiting,
                                                      .open_block = open_block,
                                                      .event = put_event,
                                                      .close_block = close_block,
                                                      .add_up = add_block,
                                                      .free_stream = free_stream,
                                                      .piece = take_piece,
                                                      .end_block = end_block});
}

static hd_status play_block(const hd_sink *sink, void *state, uint64_t block) {
    for (uint64_t e = 0; e < (is_stopped(block) ? 3 : PIECES); e++)
        sink->event(state, &(hd_event){.position = e});
    return sink->close_block(sink->self, state, block, !is_stopped(block));
}

/* ---- threads ------------------------------------------------------------------------------- */

/* Threads take the next block, as the machine's do. */
typedef struct play {
    hd_sink sink;
    uint64_t next;
    pthread_mutex_t lock;
    uint32_t failures; /* of close_block */
} play;

static void *play_blocks(void *self) {
    play *p = self;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        uint64_t block = p->next;
        p->next += block < BLOCKS;
        void *state = block < BLOCKS ? p->sink.open_block(p->sink.self, block) : NULL;
        pthread_mutex_unlock(&p->lock);
        if (!state)
            return NULL;
        hd_status status = play_block(&p->sink, state, block);
        pthread_mutex_lock(&p->lock);
        p->failures += status != HD_OK;
        pthread_mutex_unlock(&p->lock);
    }
}

static uint32_t play_all(const hd_sink *sink) {
    play p = {.sink = *sink};
    pthread_t threads[THREADS];
    const hd_event_launch launch = {.block_count = BLOCKS};
    pthread_mutex_init(&p.lock, NULL);
    assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, play_blocks, &p), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    pthread_mutex_destroy(&p.lock);
    return p.failures;
}

/* Also with room for one piece alone, where threads wait for each other. */
static void pieces_come_in_order(void **unused) {
    (void)unused;
    for (int run = 0; run < 30; run++) {
        hd_arena *arena = hd_arena_new();
        listener l = {0};
        const uint32_t queues = run % 3 ? 1 : MOST_QUEUES;
        hd_in_order *order = order_of(arena, &l, queues, run % 2 ? 1 : 1 << 20);
        const hd_sink sink = hd_in_order_sink(order);
        assert_int_equal(play_all(&sink), 0);
        assert_int_equal(sink.end_launch(sink.self, true), HD_OK);
        assert_false(l.wrong);
        assert_int_equal(l.ended, BLOCKS);
        assert_int_equal(l.blocks, BLOCKS - BLOCKS / 7);
        assert_int_equal(l.events, BLOCKS * PIECES - BLOCKS / 7 * (PIECES - 3));
        hd_in_order_free(order);
        assert_in_range(l.streams, 1, THREADS);
        hd_arena_free(arena);
    }
}

static void an_error_stays(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    listener l = {.answer = HD_ESYSTEM};
    hd_in_order *order = order_of(arena, &l, 1, 1 << 20);
    const hd_sink sink = hd_in_order_sink(order);
    assert_true(play_all(&sink) >= 1);
    assert_int_equal(sink.end_launch(sink.self, true), HD_ESYSTEM);
    assert_int_equal(sink.launch(sink.self, &(hd_event_launch){0}), HD_ESYSTEM);
    hd_in_order_free(order);
    hd_arena_free(arena);
}

/* ---- one thread ---------------------------------------------------------------------------- */

/* Blocks 0 to 3 are opened, and closed in another order; pieces of 3, which is stopped, wait until
 * they are dropped. */
static void blocks_close_in_any_order(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    listener l = {0};
    hd_in_order *order = order_of(arena, &l, 1, 1 << 20);
    const hd_sink sink = hd_in_order_sink(order);
    void *streams[4];
    for (uint64_t b = 0; b < 4; b++)
        streams[b] = sink.open_block(sink.self, b);
    play_block(&sink, streams[3], 3);
    play_block(&sink, streams[1], 1);
    assert_int_equal(l.ended, 0);
    play_block(&sink, streams[0], 0);
    assert_int_equal(l.ended, 2);
    play_block(&sink, streams[2], 2);
    assert_int_equal(l.ended, 4);
    assert_false(l.wrong || l.partial);
    hd_in_order_free(order);
    assert_int_equal(l.streams, 4);
    hd_arena_free(arena);
}

/* Without a queue a block ends when it is closed. */
static void blocks_by_themselves(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    listener l = {0};
    hd_in_order *order = order_of(arena, &l, 0, 0);
    const hd_sink sink = hd_in_order_sink(order);
    void *first = sink.open_block(sink.self, 0), *second = sink.open_block(sink.self, 1);
    sink.close_block(sink.self, second, 1, true);
    assert_int_equal(l.ended, 1);
    sink.close_block(sink.self, first, 0, true);
    assert_int_equal(l.ended, 2);
    hd_in_order_free(order);
    hd_arena_free(arena);
}

/* Of a run that was broken off, nothing is handed on, and nothing leaks. */
static void left_open(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    listener l = {0};
    hd_in_order *order = order_of(arena, &l, 1, 1 << 20);
    const hd_sink sink = hd_in_order_sink(order);
    sink.open_block(sink.self, 0);
    play_block(&sink, sink.open_block(sink.self, 1), 1);
    hd_in_order_free(order);
    assert_int_equal(l.ended, 0);
    assert_int_equal(l.streams, 2);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_in_order), cmocka_unit_test(an_error_stays),
        cmocka_unit_test(blocks_close_in_any_order), cmocka_unit_test(blocks_by_themselves),
        cmocka_unit_test(left_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
