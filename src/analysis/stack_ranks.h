/*
 * Stack distances of a trace by several ranks, each of which reads a part of it and holds a part of
 * what one alone would hold. Results are those of stack.h, to the last digit.
 *
 *     hd_stack_part part = {.end_launch = UINT64_MAX, .last_block = UINT64_MAX};
 *     hd_stack_over_ranks(arena, diag, trace, &part, &options, ranks, &result);
 */
#ifndef HD_STACK_RANKS_H
#define HD_STACK_RANKS_H

#include "base/ranks.h"
#include "analysis/stack.h"
#include "trace/trace.h"

/* What of the trace, and how. */
typedef struct hd_stack_part {
    uint64_t first_launch, last_launch; /* numbers, inclusive */
    uint64_t first_block, last_block;   /* of each launch, inclusive */
    uint64_t point;                     /* of the result, beside powers of two; 0: none */
    bool with_counts; /* of the result, on the first rank, whatever memory they take there */
    uint64_t slice;   /* lane accesses that a rank reads at a time, about; 0: some 2^18 */
    /* Called now and then with the share that is done; may be NULL. */
    void (*progress)(void *user, const char *doing, double done);
    void *user;
} hd_stack_part;

/* `options->memory` is that of each rank. The result is the arena's; all ranks have it, with points
 * for the powers of two up to the footprint. HD_EINPUT: a damaged block;
 * HD_EUNSUPPORTED: more different lines than 2^32, or than there is memory for. A rank that fails
 * returns; the others then fail at their next exchange. */
hd_status hd_stack_over_ranks(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                              const hd_stack_part *part, const hd_stack_options *options,
                              const hd_ranks *ranks, const hd_stack_result **result);

#endif
