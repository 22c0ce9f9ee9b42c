/*
 * Events become accesses of lines: stack.c's front. A request, which is the share of
 * one warp in an event, touches its lines in the order of the first lane of each.
 */
#ifndef HD_STACK_LINES_H
#define HD_STACK_LINES_H

#include "event/event.h"

enum { STACK_BATCH = 2048 };

/* Accesses that are yet to go through a stack. A request may name a line twice; the stack
 * knows, and the second time is no access. */
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

#endif
