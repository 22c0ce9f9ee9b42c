/*
 * Stack distances of a run: which accesses go through which stack, and in which order.
 *
 * A block's events become batches of line accesses in the thread that they come from
 * (stack_lines.c); a stack takes batches of one block after another (stack_distance.c), which
 * machine/in_order.c sees to: a queue for each stack. With a stack for each block nobody waits: a
 * block takes a stack that is idle, and leaves its counts in the end.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "machine/in_order.h"
#include "analysis/stack.h"
#include "analysis/stack_distance.h"

enum { MOST_WAITING = 16 << 20 };

/* An open block. */
typedef struct stream {
    hd_in_order_stream base;
    line_front front;
    line_batch batch; /* that the front fills */
    line_stack *own;  /* HD_STACK_BLOCK */
    uint64_t mis, lane_accesses;
} stream;

struct hd_stack {
    hd_arena *arena;
    const hd_diag *diag;
    hd_stack_options options;
    stack_room room;
    hd_in_order *order;
    const hd_event_launch *launch; /* that is running */
    line_stack **stacks;           /* [stack_count], made when its first block comes; of clusters,
                                    * or the one of the device */
    uint32_t stack_count;          /* 0: each block has its own */
    hd_stack_result sums;
    uint64_t *counts; /* of stacks that have ended */
    uint64_t count_capacity;
    uint64_t repeats;
    _Atomic bool overflowed, reported; /* a stack; and that was said */
    hd_stack_result result;            /* as it was asked for last */
    uint64_t *result_counts;
};

/* ---- counts of stacks --------------------------------------------------------------------- */

/* To the sums, and to the counts [capacity] from malloc. */
static void add_stack(hd_stack_result *sums, uint64_t **sum, uint64_t *capacity,
                      const line_stack *stack) {
    uint64_t footprint = line_stack_footprint(stack);
    const uint64_t *counts = line_stack_counts(stack);
    sums->stacks += footprint > 0;
    sums->cold += footprint;
    sums->footprint = footprint > sums->footprint ? footprint : sums->footprint;
    if (footprint >= *capacity) {
        uint64_t wanted = footprint + footprint / 2 + 64;
        *sum = hd_checked(realloc(*sum, wanted * sizeof **sum));
        memset(*sum + *capacity, 0, (wanted - *capacity) * sizeof **sum);
        *capacity = wanted;
    }
    for (uint64_t d = 1; d <= footprint; d++)
        (*sum)[d] += counts[d];
}

/* ---- blocks -------------------------------------------------------------------------------- */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_stack *a = self;
    a->launch = launch;
    a->sums.launches++;
    return HD_OK;
}

/* The batch is full, or its block ends. */
static void put_batch(void *user) {
    stream *s = user;
    if (s->own)
        line_stack_serve(s->own, &s->batch);
    else
        hd_in_order_put(&s->base, &s->batch,
                        offsetof(line_batch, line) + s->batch.count * sizeof *s->batch.line);
    s->batch.count = 0;
}

static void serve_batch(void *self, uint64_t block, void *batch, size_t bytes) {
    hd_stack *a = self;
    line_stack **stack = &a->stacks[block % a->stack_count];
    (void)bytes;
    if (!*stack)
        *stack = line_stack_new(&a->room);
    line_stack_serve(*stack, batch);
    if (line_stack_overflowed(*stack))
        a->overflowed = true;
}

static void open_block(void *state) {
    stream *s = state;
    hd_stack *a = s->base.self;
    s->mis = s->lane_accesses = 0;
    s->front = (line_front){.shift = (uint32_t)__builtin_ctzll(a->options.line),
                            .warp = a->options.warp,
                            .batch = &s->batch,
                            .full = put_batch,
                            .user = s};
    if (s->own)
        line_stack_reset(s->own);
    else if (!a->stack_count)
        s->own = line_stack_new(&a->room);
}

static void count_event(void *state, const hd_event *event) {
    stream *s = state;
    const hd_stack *a = s->base.self;
    if (a->options.spaces && !(a->options.spaces >> hd_event_space(a->launch, event) & 1))
        return;
    s->mis++;
    s->lane_accesses += event->active;
    line_front_event(&s->front, event, a->launch->accesses[event->access].width);
}

/* What a block that was stopped has touched counts, too. */
static bool close_block(void *state, bool complete) {
    stream *s = state;
    (void)complete;
    if (s->batch.count)
        put_batch(s);
    return true;
}

static void add_block(void *state, bool complete) {
    stream *s = state;
    hd_stack *a = s->base.self;
    a->sums.blocks += complete;
    a->sums.mis += s->mis;
    a->sums.lane_accesses += s->lane_accesses;
    a->repeats += s->front.repeats;
    if (!s->own)
        return;
    add_stack(&a->sums, &a->counts, &a->count_capacity, s->own);
    if (line_stack_overflowed(s->own))
        a->overflowed = true;
}

static hd_status end_block(void *self, uint64_t block, bool complete) {
    hd_stack *a = self;
    (void)block;
    (void)complete;
    if (!a->overflowed || atomic_exchange(&a->reported, true))
        return HD_OK;
    if (a->room.taken > a->room.most)
        return hd_fail(a->diag, HD_EUNSUPPORTED, NULL,
                       "the lines that are touched take more than the %llu MiB that are allowed: "
                       "allow more with --memory, or choose longer lines, or fewer launches or "
                       "blocks",
                       (unsigned long long)(a->room.most >> 20));
    return hd_fail(a->diag, HD_EUNSUPPORTED, NULL,
                   "the accesses touch more than 2^30 different lines of %llu bytes; choose longer "
                   "lines, or fewer launches or blocks",
                   (unsigned long long)a->options.line);
}

static void free_stream(void *state) {
    stream *s = state;
    if (s->own)
        line_stack_free(s->own);
}

/* ---- from beginning to end ----------------------------------------------------------------- */

hd_stack *hd_stack_new(hd_arena *arena, const hd_diag *diag, const hd_stack_options *options) {
    hd_stack *a = hd_new(arena, hd_stack);
    a->arena = hd_arena_new();
    a->diag = diag;
    a->options = *options;
    a->room.most = options->memory ? options->memory : (uint64_t)1 << 30;
    a->stack_count = options->scope == HD_STACK_DEVICE    ? 1
                     : options->scope == HD_STACK_CLUSTER ? options->clusters
                                                          : 0;
    a->stacks = hd_new_array(a->arena, line_stack *, a->stack_count);
    a->order = hd_in_order_new(a->arena, &(hd_in_order_work){.self = a,
                                                             .stream_bytes = sizeof(stream),
                                                             .queues = a->stack_count,
                                                             .most_waiting = MOST_WAITING,
                                                             .launch = begin_launch,
                                                             .open_block = open_block,
                                                             .event = count_event,
                                                             .close_block = close_block,
                                                             .add_up = add_block,
                                                             .free_stream = free_stream,
                                                             .piece = serve_batch,
                                                             .end_block = end_block});
    return a;
}

hd_sink hd_stack_sink(hd_stack *analysis) { return hd_in_order_sink(analysis->order); }

void hd_stack_free(hd_stack *analysis) {
    hd_in_order_free(analysis->order);
    for (uint32_t s = 0; s < analysis->stack_count; s++)
        if (analysis->stacks[s])
            line_stack_free(analysis->stacks[s]);
    free(analysis->counts);
    free(analysis->result_counts);
    hd_arena_free(analysis->arena);
}

/* ---- results -------------------------------------------------------------------------------- */

const hd_stack_result *hd_stack_result_of(hd_stack *analysis) {
    hd_stack_result *result = &analysis->result;
    *result = analysis->sums;
    free(analysis->result_counts);
    uint64_t capacity = analysis->count_capacity + 1;
    uint64_t *counts = hd_zeroed(capacity, sizeof *counts);
    for (uint64_t d = 0; d < analysis->count_capacity; d++)
        counts[d] = analysis->counts[d];
    for (uint32_t s = 0; s < analysis->stack_count; s++)
        if (analysis->stacks[s])
            add_stack(result, &counts, &capacity, analysis->stacks[s]);
    if (result->footprint)
        counts[1] += analysis->repeats;
    result->line_accesses = result->cold;
    for (uint64_t d = 1; d <= result->footprint; d++)
        result->line_accesses += counts[d];
    result->counts = analysis->result_counts = counts;
    return result;
}

uint64_t hd_stack_misses(const hd_stack_result *result, uint64_t lines) {
    uint64_t misses = result->line_accesses, p = 0;
    if (lines >= result->footprint)
        return result->cold;
    while (!result->counts && p < result->point_count && result->points[p].lines < lines)
        p++;
    if (!result->counts)
        return lines ? misses - result->points[p].hits : misses;
    for (uint64_t d = 1; d <= lines; d++)
        misses -= result->counts[d];
    return misses;
}
