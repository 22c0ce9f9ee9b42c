/*
 * What stack.c is made of: events become accesses of lines (stack_lines.c), and one LRU stack of
 * lines tells for each access how deep its line was (stack_distance.c).
 */
#ifndef HD_STACK_DISTANCE_H
#define HD_STACK_DISTANCE_H

#include "machine/event.h"

/* ---- stack_lines.c -------------------------------------------------------------------------- */

enum { STACK_BATCH = 2048 };

/* Accesses that are yet to go through a stack. A request, which is the share of one warp in an
 * event, touches its lines in the order of the first lane of each. It may name a line twice; the
 * stack knows, and the second time is no access. */
typedef struct line_batch {
    uint32_t count;
    bool begins[STACK_BATCH]; /* a request; one may go on in the next batch */
    uint64_t line[STACK_BATCH];
} line_batch;

/* What turns the events of one block into accesses. */
typedef struct line_front {
    uint32_t shift, warp;     /* 2 to the shift are the bytes of a line */
    line_batch *batch;        /* being filled */
    void (*full)(void *user); /* empties the batch */
    void *user;
    uint64_t repeats; /* accesses of the line that was touched last: distance 1, and
                       * nothing else changes, so that they need not go through the stack */
    bool has_top;
    uint64_t top; /* the line that was touched last, if it has_top */
} line_front;

void line_front_event(line_front *front, const hd_event *event, uint32_t width);

/* ---- stack_distance.c ----------------------------------------------------------------------- */

typedef struct line_stack line_stack;

/* Memory that stacks share. */
typedef struct stack_room {
    uint64_t most; /* bytes */
    _Atomic uint64_t taken;
} stack_room;

line_stack *line_stack_new(stack_room *room);
void line_stack_free(line_stack *stack);
/* Empty again, and its counts zero. */
void line_stack_reset(line_stack *stack);

/* The accesses of a batch, one after another. */
void line_stack_serve(line_stack *stack, const line_batch *batch);

/* From now on the stack keeps its lines in the order of their first accesses. */
void line_stack_keep_lines(line_stack *stack);
const uint64_t *line_stack_lines(const line_stack *stack); /* [footprint] */
/* For each of them, how many lines were touched last before it was. */
void line_stack_order(line_stack *stack, uint32_t *order);

/* Different lines so far, each of which had one access without a distance. */
uint64_t line_stack_footprint(const line_stack *stack);
/* [footprint + 1]: accesses at each depth, from 1, the line on top. */
const uint64_t *line_stack_counts(const line_stack *stack);
/* More different lines were touched than it can hold (2^30), or than there is room for; it stopped
 * listening. */
bool line_stack_overflowed(const line_stack *stack);

#endif
