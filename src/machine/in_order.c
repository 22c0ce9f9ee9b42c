/* Blocks in order: queues of blocks, each with a list of pieces. */
#include <pthread.h>
#include <stdlib.h>

#include "machine/in_order.h"

typedef struct piece {
    struct piece *next;
    size_t count;
    uint8_t data[];
} piece;

/* A block that is open, or whose pieces wait. */
typedef struct hd_in_order_block {
    struct hd_in_order_block *next;
    struct queue *queue;
    uint64_t block;
    bool closed, counts;
    piece *first, *last;
} waiting_block;

typedef struct queue {
    waiting_block *first, *last;
} queue;

struct hd_in_order {
    hd_in_order_work work;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* another block is first, or less waits */
    queue *queues;
    waiting_block *spare;
    size_t waiting;              /* bytes */
    hd_in_order_stream *streams; /* all of them */
    hd_in_order_stream *idle;
    hd_status status; /* the first that was not HD_OK */
    bool takes_turns; /* in this launch nobody waits, since the first block may be in this thread */
};

/* ---- pieces ------------------------------------------------------------------------------ */

/* Frees the pieces of a list, and hands them on before if that is wanted. Returns their bytes. */
static size_t use_pieces(const hd_in_order_work *work, const waiting_block *b, piece *p,
                         bool hand_on) {
    size_t bytes = 0;
    for (piece *next; p; p = next) {
        next = p->next;
        bytes += sizeof *p + p->count;
        if (hand_on)
            work->piece(work->self, b->block, p->data, p->count);
        free(p);
    }
    return bytes;
}

/* Hands on what waits of the block that is first in its queue, of which nobody puts anything
 * meanwhile. With the lock, which is released for it. */
static void hand_on_waiting(hd_in_order *o, waiting_block *b) {
    piece *pieces = b->first;
    if (!pieces)
        return;
    b->first = NULL;
    pthread_mutex_unlock(&o->lock);
    size_t bytes = use_pieces(&o->work, b, pieces, true);
    pthread_mutex_lock(&o->lock);
    o->waiting -= bytes;
    pthread_cond_broadcast(&o->moved);
}

void hd_in_order_put(hd_in_order_stream *stream, void *data, size_t count) {
    hd_in_order *o = stream->owner;
    waiting_block *b = stream->place;
    if (!stream->first) {
        pthread_mutex_lock(&o->lock);
        while (!o->takes_turns && b->queue->first != b && o->waiting &&
               o->waiting + count > o->work.most_waiting)
            pthread_cond_wait(&o->moved, &o->lock);
        stream->first = b->queue->first == b;
        if (stream->first) {
            hand_on_waiting(o, b);
        } else {
            piece *p = hd_checked(malloc(sizeof *p + count));
            *p = (piece){.count = count};
            memcpy(p->data, data, count);
            if (b->first)
                b->last->next = p;
            else
                b->first = p;
            b->last = p;
            o->waiting += sizeof *p + count;
        }
        pthread_mutex_unlock(&o->lock);
    }
    if (stream->first)
        o->work.piece(o->work.self, stream->block, data, count);
}

/* ---- blocks ------------------------------------------------------------------------------ */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_in_order *o = self;
    if (o->status)
        return o->status;
    o->takes_turns = launch->takes_turns;
    return o->work.launch ? o->work.launch(o->work.self, launch) : HD_OK;
}

static hd_status end_launch(void *self, bool complete) {
    hd_in_order *o = self;
    hd_status status = o->work.end_launch ? o->work.end_launch(o->work.self, complete) : HD_OK;
    return o->status ? o->status : status;
}

static void *open_block(void *self, uint64_t block) {
    hd_in_order *o = self;
    pthread_mutex_lock(&o->lock);
    hd_in_order_stream *s = o->idle;
    if (s) {
        o->idle = s->next_idle;
    } else {
        s = hd_zeroed(1, o->work.stream_bytes);
        s->self = o->work.self;
        s->owner = o;
        s->next = o->streams;
        o->streams = s;
    }
    s->block = block;
    s->place = NULL;
    if (o->work.queues) {
        queue *q = &o->queues[block % o->work.queues];
        waiting_block *b = o->spare;
        if (b)
            o->spare = b->next;
        else
            b = hd_checked(malloc(sizeof *b));
        *b = (waiting_block){.queue = q, .block = block};
        if (q->first)
            q->last->next = b;
        else
            q->first = b;
        q->last = s->place = b;
    }
    s->first = !s->place || s->place->queue->first == s->place;
    pthread_mutex_unlock(&o->lock);
    if (o->work.open_block)
        o->work.open_block(s);
    return s;
}

/* Where its blocks come first. With the lock, which is released for it. */
static void end_block(hd_in_order *o, uint64_t block, bool counts) {
    if (!o->work.end_block)
        return;
    pthread_mutex_unlock(&o->lock);
    hd_status status = o->work.end_block(o->work.self, block, counts);
    pthread_mutex_lock(&o->lock);
    o->status = o->status ? o->status : status;
}

/* Hands on the closed blocks at the beginning of a queue. They stay first while that is done, so
 * that no other thread does it. With the lock. */
static void advance(hd_in_order *o, queue *q) {
    for (waiting_block *b; (b = q->first) && b->closed;) {
        hand_on_waiting(o, b);
        end_block(o, b->block, b->counts);
        q->first = b->next;
        b->next = o->spare;
        o->spare = b;
    }
    pthread_cond_broadcast(&o->moved);
}

static hd_status close_block(void *self, void *stream, uint64_t block, bool complete) {
    hd_in_order *o = self;
    hd_in_order_stream *s = stream;
    bool counts = o->work.close_block ? o->work.close_block(stream, complete) : complete;
    pthread_mutex_lock(&o->lock);
    if (o->work.add_up)
        o->work.add_up(stream, complete);
    waiting_block *b = s->place;
    s->next_idle = o->idle;
    o->idle = s;
    if (b) {
        b->closed = true;
        b->counts = counts;
        if (!counts) {
            o->waiting -= use_pieces(&o->work, b, b->first, false);
            b->first = NULL;
        }
        if (b->queue->first == b)
            advance(o, b->queue);
    } else {
        end_block(o, block, counts);
    }
    hd_status status = o->status;
    pthread_mutex_unlock(&o->lock);
    return status;
}

/* ---- from beginning to end --------------------------------------------------------------- */

hd_in_order *hd_in_order_new(hd_arena *arena, const hd_in_order_work *work) {
    hd_in_order *o = hd_new(arena, hd_in_order);
    o->work = *work;
    o->queues = hd_new_array(arena, queue, work->queues);
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->moved, NULL);
    return o;
}

hd_sink hd_in_order_sink(hd_in_order *o) {
    return (hd_sink){o, begin_launch, open_block, o->work.event, close_block, end_launch};
}

static void free_blocks(const hd_in_order *o, waiting_block *b) {
    for (waiting_block *next; b; b = next) {
        next = b->next;
        use_pieces(&o->work, b, b->first, false);
        free(b);
    }
}

void hd_in_order_free(hd_in_order *o) {
    for (hd_in_order_stream *s = o->streams, *next; s; s = next) {
        next = s->next;
        if (o->work.free_stream)
            o->work.free_stream(s);
        free(s);
    }
    for (uint32_t q = 0; q < o->work.queues; q++)
        free_blocks(o, o->queues[q].first);
    free_blocks(o, o->spare);
    pthread_cond_destroy(&o->moved);
    pthread_mutex_destroy(&o->lock);
}
