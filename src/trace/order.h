/*
 * Blocks in order: threads deliver pieces of many blocks at once, and one output takes them
 * block after block. The oldest open block writes through; what later ones deliver waits in
 * memory, and when that is too much they wait themselves. The oldest never waits, so all get
 * on.
 */
#ifndef HD_TRACE_ORDER_H
#define HD_TRACE_ORDER_H

#include <pthread.h>

#include "base/base.h"

/* The output: both are called in the order of blocks, one call at a time. A piece may be
 * changed in place. */
typedef struct order_output {
    void *self;
    void (*piece)(void *self, uint64_t block, uint8_t *data, size_t count);
    void (*end)(void *self, uint64_t block, bool complete);
} order_output;

typedef struct order_block order_block;
typedef struct order {
    order_output output;
    pthread_mutex_t lock; /* also held while the output is called */
    pthread_cond_t moved; /* there is another oldest block, or more room */
    order_block *first, *last;
    size_t waiting, limit; /* bytes */
} order;

void order_start(order *o, order_output output, size_t limit);
/* Blocks come in the order in which they are opened. */
order_block *order_open(order *o, uint64_t block);
void order_put(order *o, order_block *block, uint8_t *data, size_t count);
/* Of a block that is not complete, pieces that wait are dropped. */
void order_close(order *o, order_block *block, bool complete);
/* Frees what is left, too. */
void order_stop(order *o);

#endif
