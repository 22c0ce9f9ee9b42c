/*
 * Blocks in order: a sink for work that threads do side by side and that must be taken in the
 * order of blocks.
 *
 * Each open block has a *stream*: the work's state for it, which hears the events in the block's
 * thread, makes *pieces* of them, bytes of any kind, and puts them. Pieces are handed on in the
 * order of blocks, those of one block in the order in which they were put:
 *
 *     block     7 (open)      8 (closed)   9 (open)   10 (open)
 *     pieces    handed on     wait         wait       wait
 *               at once
 *
 * The first block in the queue hands on its pieces itself; what the others put is copied and waits.
 * When the first one closes, its thread hands on what waits of the closed ones after it, and the
 * next open one is first. When too much waits, threads of blocks that are not first wait
 * themselves; the first one never does, so that all get on.
 *
 *     typedef struct stream {
 *         hd_in_order_stream base;         first, so that a stream is one of these
 *         ...
 *     } stream;
 *     hd_in_order_work work = {.self = a, .stream_bytes = sizeof(stream), .queues = 1, ...};
 *     hd_in_order *order = hd_in_order_new(arena, &work);
 *     hd_sink sink = hd_in_order_sink(order);
 */
#ifndef HD_EVENT_IN_ORDER_H
#define HD_EVENT_IN_ORDER_H

#include "machine/event.h"

typedef struct hd_in_order hd_in_order;

/* What every stream begins with. */
typedef struct hd_in_order_stream {
    void *self;     /* of the work */
    uint64_t block; /* that it is for */
    /* in_order.c's own */
    hd_in_order *owner;
    struct hd_in_order_block *place; /* NULL: it waits for none */
    bool first;                      /* in its queue, as it will stay */
    struct hd_in_order_stream *next, *next_idle;
} hd_in_order_stream;

/* What is done. All functions but `event` may be NULL; so may `piece` and `end_block` where
 * nothing is put. */
typedef struct hd_in_order_work {
    void *self;
    size_t stream_bytes; /* of a stream, which begins as zeros and is used for one block after the
                          * other without being cleared */
    /* Block n waits for the blocks before it with the same n mod `queues`; 0: for none. */
    uint32_t queues;
    size_t most_waiting; /* bytes of pieces */

    hd_status (*launch)(void *self, const hd_event_launch *launch);
    hd_status (*end_launch)(void *self, bool complete);

    /* In the block's thread. `close_block` puts what is left, and returns whether what was put
     * counts: if it does not, pieces that wait are dropped, and `end_block` says so. */
    void (*open_block)(void *stream);
    void (*event)(void *stream, const hd_event *event);
    bool (*close_block)(void *stream, bool complete);
    /* After it, one call at a time: adds what the stream has counted to what is common. */
    void (*add_up)(void *stream, bool complete);
    void (*free_stream)(void *stream); /* what it holds; not itself */

    /* In the order of blocks; for each queue one call at a time. A piece may be changed in place.
     * What `end_block` returns, when not HD_OK, is returned by all further calls of the sink. */
    void (*piece)(void *self, uint64_t block, void *data, size_t count);
    hd_status (*end_block)(void *self, uint64_t block, bool counts);
} hd_in_order_work;

/* In the arena; what it takes besides is freed by hd_in_order_free(). */
hd_in_order *hd_in_order_new(hd_arena *arena, const hd_in_order_work *work);
hd_sink hd_in_order_sink(hd_in_order *order);
/* Hands on a piece of the stream's block, or a copy later. */
void hd_in_order_put(hd_in_order_stream *stream, void *data, size_t count);
void hd_in_order_free(hd_in_order *order);

#endif
