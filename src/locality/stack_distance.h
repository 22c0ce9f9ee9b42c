/*
 * One LRU stack of lines, which tells for each access how deep its line was. stack_distance.c
 * says how.
 */
#ifndef HD_STACK_DISTANCE_H
#define HD_STACK_DISTANCE_H

#include "locality/stack_lines.h"

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

/* Different lines so far, each of which had one access without a distance. */
uint64_t line_stack_footprint(const line_stack *stack);
/* [footprint + 1]: accesses at each depth, from 1, the line on top. */
const uint64_t *line_stack_counts(const line_stack *stack);
/* More different lines were touched than it can hold (2^30), or than there is room for; it stopped
 * listening. */
bool line_stack_overflowed(const line_stack *stack);
#endif
