/* Blocks in order: a queue of blocks, each with a queue of pieces. */
#include <stdlib.h>

#include "order.h"

typedef struct piece {
    struct piece *next;
    size_t count;
    uint8_t data[];
} piece;

struct order_block {
    order_block *next;
    uint64_t block;
    bool closed, complete;
    piece *first, *last;
};

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory)
        hd_no_memory(size);
    return memory;
}

void order_start(order *o, order_output output, size_t limit) {
    *o = (order){.output = output, .limit = limit};
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->moved, NULL);
}

order_block *order_open(order *o, uint64_t block) {
    order_block *b = allocate(sizeof *b);
    *b = (order_block){.block = block};
    pthread_mutex_lock(&o->lock);
    if (o->last)
        o->last->next = b;
    else
        o->first = b;
    o->last = b;
    pthread_mutex_unlock(&o->lock);
    return b;
}

/* Takes the first waiting piece off the block. */
static piece *take_piece(order *o, order_block *b) {
    piece *p = b->first;
    if (p) {
        b->first = p->next;
        o->waiting -= sizeof *p + p->count;
    }
    return p;
}

static void add_piece(order *o, order_block *b, const uint8_t *data, size_t count) {
    piece *p = allocate(sizeof *p + count);
    *p = (piece){.count = count};
    memcpy(p->data, data, count);
    if (b->first)
        b->last->next = p;
    else
        b->first = p;
    b->last = p;
    o->waiting += sizeof *p + count;
}

static void drop_pieces(order *o, order_block *b) {
    for (piece *p; (p = take_piece(o, b));)
        free(p);
}

void order_put(order *o, order_block *b, uint8_t *data, size_t count) {
    pthread_mutex_lock(&o->lock);
    while (b != o->first && o->waiting && o->waiting + count > o->limit)
        pthread_cond_wait(&o->moved, &o->lock);
    if (b == o->first)
        o->output.piece(o->output.self, b->block, data, count);
    else
        add_piece(o, b, data, count);
    pthread_mutex_unlock(&o->lock);
}

/* Writes what the oldest blocks have delivered, up to the first that is still open. */
static void advance(order *o) {
    for (order_block *b; (b = o->first);) {
        for (piece *p; (p = take_piece(o, b)); free(p))
            o->output.piece(o->output.self, b->block, p->data, p->count);
        if (!b->closed)
            break;
        o->output.end(o->output.self, b->block, b->complete);
        o->first = b->next;
        if (!o->first)
            o->last = NULL;
        free(b);
    }
    pthread_cond_broadcast(&o->moved);
}

void order_close(order *o, order_block *b, bool complete) {
    pthread_mutex_lock(&o->lock);
    b->closed = true;
    b->complete = complete;
    if (!complete)
        drop_pieces(o, b);
    if (b == o->first)
        advance(o);
    pthread_mutex_unlock(&o->lock);
}

void order_stop(order *o) {
    while (o->first) {
        order_block *b = o->first;
        drop_pieces(o, b);
        o->first = b->next;
        free(b);
    }
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->moved);
}
