/*
 * Counts for each access of each launch, and for each launch: what the analyses of analysis.h
 * share.
 *
 * What is counted is a struct of uint64_t, which add up. Each block counts on its own, in its
 * stream; its sums are added to the launch's when it closes. Blocks that are closed incomplete are
 * left out. Results do not depend on the order of blocks.
 *
 *     typedef struct stream {
 *         hd_tally_stream base;         first, so that a stream is one of these
 *         ...
 *     } stream;
 *     hd_tally *tally = hd_tally_new(arena, &(hd_tally_work){self, sizeof(stream),
 *                                                            sizeof(hd_thing_counts), count_event});
 *
 *     static void count_event(void *state, const hd_event *e) {
 *         hd_thing_counts *row = hd_tally_row(state, e->access), *all = hd_tally_all(state);
 *         ...
 *     }
 */
#ifndef HD_TALLY_H
#define HD_TALLY_H

#include "event/in_order.h"

typedef struct hd_tally hd_tally;

/* Of an open block; zeros at first, but only its counts are cleared from block to block. */
typedef struct hd_tally_stream {
    hd_in_order_stream base; /* its `self` is the tally */
    uint64_t *counts;        /* of the launch and then of its accesses */
    uint32_t capacity;       /* accesses that there is room for */
    uint32_t words;          /* of one row */
} hd_tally_stream;

typedef struct hd_tally_work {
    void *self;          /* hd_tally_self() of every stream */
    size_t stream_bytes; /* of a stream */
    size_t count_bytes;  /* of a row */
    void (*event)(void *stream, const hd_event *event);
} hd_tally_work;

/* In the arena; what it takes besides is freed by hd_tally_free(). */
hd_tally *hd_tally_new(hd_arena *arena, const hd_tally_work *work);
hd_sink hd_tally_sink(hd_tally *tally);
void hd_tally_free(hd_tally *tally);

/* For `event`: whose stream it is, the launch that is running, and what it adds to. */
void *hd_tally_self(const void *stream);
const hd_event_launch *hd_tally_launch(const void *stream);
static inline void *hd_tally_all(void *stream) { return ((hd_tally_stream *)stream)->counts; }
static inline void *hd_tally_row(void *stream, uint32_t access) {
    const hd_tally_stream *s = stream;
    return s->counts + (size_t)(access + 1) * s->words;
}

/* Adds a row of `bytes` to another one. */
void hd_tally_add(void *sum, const void *more, size_t bytes);

/* Of one access of a launch (its number as the events gave it), and of the whole launch. NULL when
 * there is no such launch or access. */
const void *hd_tally_of(const hd_tally *tally, uint32_t launch, uint32_t access);
const void *hd_tally_of_launch(const hd_tally *tally, uint32_t launch);

#endif
