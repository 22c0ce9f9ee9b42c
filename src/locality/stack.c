/*
 * Stack distances of a run: which accesses go through which stack, and in which order.
 *
 * A block's events become batches of line accesses in the thread that they come from
 * (stack_lines.c); a stack takes batches of one block after another (stack_distance.c).
 * Blocks run side by side, though, where the machine may do so. So the blocks of a stack
 * stand in a queue, in their order:
 *
 *     block     7 (open)     8 (closed)    9 (open)   10 (open)
 *     batches   straight     wait          wait       wait
 *               to the stack
 *
 * The first one gives its batches to the stack itself; those of the others wait with their
 * block. When the first ends, its thread serves what has waited with the closed ones
 * after it, and the next open one is first. When too much waits, blocks that are not first
 * wait themselves; the first one never does. With a stack for each block nobody
 * waits: a block takes a stack that is idle, and leaves its counts in the end.
 */
#include <pthread.h>
#include <stdlib.h>

#include "locality/stack.h"
#include "locality/stack_distance.h"

enum { MOST_WAITING = (16 << 20) / sizeof(line_batch) };

/* ---- what there is -------------------------------------------------------------------- */

/* A block that is open, or whose batches wait. */
typedef struct stream {
    struct stream *next; /* in its queue, or of the idle ones */
    hd_stack *analysis;
    struct queue *queue; /* NULL: it has a stack of its own */
    line_stack *own;     /* that stack */
    line_front front;
    line_batch *first, *last; /* that wait */
    bool closed;
    uint64_t mis, lane_accesses;
} stream;

typedef struct queue {
    line_stack *stack;
    stream *first, *last;
} queue;

struct hd_stack {
    hd_arena *arena; /* of the queues */
    const hd_diag *diag;
    hd_stack_options options;
    stack_room room;
    uint32_t shift;
    const hd_event_launch *launch; /* that is running */
    queue **queues;                /* [clusters], or the one of the device; NULL: no block yet */
    uint32_t queue_count;

    pthread_mutex_t lock; /* of what follows, and of the queues */
    pthread_cond_t moved; /* a queue, or less waits */
    size_t waiting;       /* batches */
    stream *idle;
    line_batch *idle_batches;
    hd_vec(line_stack *) idle_stacks;
    hd_stack_result sums;
    uint64_t *counts; /* of stacks that have ended, and repeats */
    uint64_t count_capacity;
    uint64_t repeats;
    bool overflowed;
    hd_stack_result result; /* as it was asked for last */
};

hd_stack *hd_stack_new(hd_arena *arena, const hd_diag *diag, const hd_stack_options *options) {
    hd_stack *a = hd_new(arena, hd_stack);
    a->arena = hd_arena_new();
    a->diag = diag;
    a->options = *options;
    a->room.most = options->memory ? options->memory : (uint64_t)1 << 30;
    a->shift = (uint32_t)__builtin_ctzll(options->line);
    a->queue_count = options->scope == HD_STACK_DEVICE    ? 1
                     : options->scope == HD_STACK_CLUSTER ? options->clusters
                                                          : 0;
    a->queues = hd_new_array(a->arena, queue *, a->queue_count);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->moved, NULL);
    return a;
}

static void free_batches(line_batch *batch) {
    for (line_batch *next; batch; batch = next) {
        next = batch->next;
        free(batch);
    }
}

static void free_streams(stream *s) {
    for (stream *next; s; s = next) {
        next = s->next;
        free_batches(s->first);
        free(s->front.batch);
        free(s);
    }
}

void hd_stack_free(hd_stack *analysis) {
    for (uint32_t q = 0; q < analysis->queue_count; q++)
        if (analysis->queues[q]) {
            line_stack_free(analysis->queues[q]->stack);
            free_streams(analysis->queues[q]->first);
        }
    free_streams(analysis->idle);
    free_batches(analysis->idle_batches);
    for (size_t i = 0; i < analysis->idle_stacks.count; i++)
        line_stack_free(analysis->idle_stacks.data[i]);
    pthread_cond_destroy(&analysis->moved);
    pthread_mutex_destroy(&analysis->lock);
    free(analysis->counts);
    hd_arena_free(analysis->arena);
}

/* ---- counts of stacks that have ended ---------------------------------------------------- */

static void add_counts(uint64_t **sum, uint64_t *capacity, const uint64_t *counts,
                       uint64_t footprint) {
    if (footprint >= *capacity) {
        uint64_t wanted = footprint + footprint / 2 + 64;
        *sum = hd_checked(realloc(*sum, wanted * sizeof **sum));
        memset(*sum + *capacity, 0, (wanted - *capacity) * sizeof **sum);
        *capacity = wanted;
    }
    for (uint64_t d = 1; d <= footprint; d++)
        (*sum)[d] += counts[d];
}

static void add_stack(hd_stack_result *sums, const line_stack *stack) {
    uint64_t footprint = line_stack_footprint(stack);
    sums->stacks += footprint > 0;
    sums->cold += footprint;
    if (footprint > sums->footprint)
        sums->footprint = footprint;
}

/* ---- batches ----------------------------------------------------------------------------- */

/* With the lock. */
static line_batch *take_batch(hd_stack *a) {
    line_batch *batch = a->idle_batches;
    if (batch)
        a->idle_batches = batch->next;
    else
        batch = hd_checked(malloc(sizeof *batch));
    batch->next = NULL;
    batch->count = 0;
    return batch;
}

/* The batches of a block that is first, and of which no others come meanwhile. */
static void serve_waiting(hd_stack *a, stream *s, line_stack *stack) {
    size_t count = 0;
    line_batch *batch = s->first, *last = s->last;
    if (!batch)
        return;
    for (; batch; batch = batch->next, count++)
        line_stack_serve(stack, batch);
    pthread_mutex_lock(&a->lock);
    last->next = a->idle_batches;
    a->idle_batches = s->first;
    a->waiting -= count;
    pthread_cond_broadcast(&a->moved);
    pthread_mutex_unlock(&a->lock);
    s->first = s->last = NULL;
}

static void serve_all(hd_stack *a, stream *s, line_stack *stack) {
    serve_waiting(a, s, stack);
    line_stack_serve(stack, s->front.batch);
    s->front.batch->count = 0;
}

/* Puts the full batch of a block behind those that wait. With the lock. */
static void let_wait(hd_stack *a, stream *s) {
    line_batch *batch = s->front.batch;
    batch->next = NULL;
    if (s->last)
        s->last->next = batch;
    else
        s->first = batch;
    s->last = batch;
    a->waiting++;
    s->front.batch = take_batch(a);
}

/* A batch is full. */
static void batch_full(void *user) {
    stream *s = user;
    hd_stack *a = s->analysis;
    if (!s->queue) {
        serve_all(a, s, s->own);
        return;
    }
    pthread_mutex_lock(&a->lock);
    while (s->queue->first != s && a->waiting >= MOST_WAITING)
        pthread_cond_wait(&a->moved, &a->lock);
    bool first = s->queue->first == s;
    if (!first)
        let_wait(a, s);
    pthread_mutex_unlock(&a->lock);
    if (first)
        serve_all(a, s, s->queue->stack);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_stack *a = self;
    a->launch = launch;
    a->sums.launches++;
    return HD_OK;
}

static hd_status end_launch(void *self, bool complete) {
    hd_stack *a = self;
    (void)complete;
    a->launch = NULL;
    return HD_OK;
}

/* With the lock. */
static stream *take_stream(hd_stack *a) {
    stream *s = a->idle;
    if (s) {
        a->idle = s->next;
    } else {
        s = hd_checked(malloc(sizeof *s));
        s->front.batch = take_batch(a);
    }
    line_batch *batch = s->front.batch;
    *s = (stream){.analysis = a};
    s->front = (line_front){
        .shift = a->shift, .warp = a->options.warp, .batch = batch, .full = batch_full, .user = s};
    line_front_begin(&s->front);
    return s;
}

static void enter_queue(hd_stack *a, stream *s, uint32_t number) {
    if (!a->queues[number]) {
        a->queues[number] = hd_new(a->arena, queue);
        a->queues[number]->stack = line_stack_new(&a->room);
    }
    s->queue = a->queues[number];
    if (s->queue->last)
        s->queue->last->next = s;
    else
        s->queue->first = s;
    s->queue->last = s;
}

static void *open_block(void *self, uint64_t block) {
    hd_stack *a = self;
    pthread_mutex_lock(&a->lock);
    stream *s = take_stream(a);
    if (a->queue_count)
        enter_queue(a, s, (uint32_t)(block % a->queue_count));
    else if (a->idle_stacks.count)
        s->own = a->idle_stacks.data[--a->idle_stacks.count];
    else
        s->own = line_stack_new(&a->room);
    pthread_mutex_unlock(&a->lock);
    return s;
}

static bool counts(const hd_stack *a, const hd_event *event) {
    return !a->options.spaces || a->options.spaces >> hd_event_space(a->launch, event) & 1;
}

static void count_event(void *state, const hd_event *event) {
    stream *s = state;
    const hd_event_access *access = &s->analysis->launch->accesses[event->access];
    if (!counts(s->analysis, event))
        return;
    s->mis++;
    s->lane_accesses += event->active;
    line_front_event(&s->front, event, access->width);
}

/* With the lock. */
static void put_away(hd_stack *a, stream *s) {
    s->next = a->idle;
    a->idle = s;
}

static void leave_queue(hd_stack *a, queue *q) {
    stream *s = q->first;
    q->first = s->next;
    if (!q->first)
        q->last = NULL;
    put_away(a, s);
}

/* Ends a block, which its thread has closed, and the closed ones after it if it is the first. */
static void close_queued(hd_stack *a, stream *s) {
    queue *q = s->queue;
    pthread_mutex_lock(&a->lock);
    s->closed = true;
    if (q->first == s) {
        while (q->first && q->first->closed) {
            stream *first = q->first;
            pthread_mutex_unlock(&a->lock);
            serve_all(a, first, q->stack);
            pthread_mutex_lock(&a->lock);
            leave_queue(a, q);
        }
        a->overflowed |= line_stack_overflowed(q->stack);
        pthread_cond_broadcast(&a->moved);
    }
    pthread_mutex_unlock(&a->lock);
}

static void close_own(hd_stack *a, stream *s) {
    serve_all(a, s, s->own);
    pthread_mutex_lock(&a->lock);
    add_stack(&a->sums, s->own);
    add_counts(&a->counts, &a->count_capacity, line_stack_counts(s->own),
               line_stack_footprint(s->own));
    a->overflowed |= line_stack_overflowed(s->own);
    pthread_mutex_unlock(&a->lock);
    line_stack_reset(s->own);
    pthread_mutex_lock(&a->lock);
    hd_push(a->arena, &a->idle_stacks, s->own);
    put_away(a, s);
    pthread_mutex_unlock(&a->lock);
}

static hd_status fail_overflowed(const hd_stack *a) {
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

static hd_status close_block(void *self, void *state, uint64_t block, bool complete) {
    hd_stack *a = self;
    stream *s = state;
    (void)block;
    pthread_mutex_lock(&a->lock);
    a->sums.blocks += complete;
    a->sums.mis += s->mis;
    a->sums.lane_accesses += s->lane_accesses;
    a->repeats += s->front.repeats;
    pthread_mutex_unlock(&a->lock);
    if (s->queue)
        close_queued(a, s);
    else
        close_own(a, s);
    pthread_mutex_lock(&a->lock);
    bool overflowed = a->overflowed;
    pthread_mutex_unlock(&a->lock);
    return overflowed ? fail_overflowed(a) : HD_OK;
}

hd_sink hd_stack_sink(hd_stack *analysis) {
    return (hd_sink){analysis, begin_launch, open_block, count_event, close_block, end_launch};
}

/* ---- results -------------------------------------------------------------------------------- */

const hd_stack_result *hd_stack_result_of(hd_stack *analysis) {
    hd_stack_result *result = &analysis->result;
    *result = analysis->sums;
    for (uint32_t q = 0; q < analysis->queue_count; q++)
        if (analysis->queues[q])
            add_stack(result, analysis->queues[q]->stack);
    uint64_t *counts = hd_new_array(analysis->arena, uint64_t, result->footprint + 1);
    uint64_t capacity = result->footprint + 1;
    if (analysis->count_capacity) /* ended ones, none of which had more lines */
        memcpy(counts, analysis->counts,
               (capacity < analysis->count_capacity ? capacity : analysis->count_capacity) *
                   sizeof *counts);
    for (uint32_t q = 0; q < analysis->queue_count; q++)
        if (analysis->queues[q])
            add_counts(&counts, &capacity, line_stack_counts(analysis->queues[q]->stack),
                       line_stack_footprint(analysis->queues[q]->stack));
    if (result->footprint)
        counts[1] += analysis->repeats;
    result->line_accesses = result->cold;
    for (uint64_t d = 1; d <= result->footprint; d++)
        result->line_accesses += counts[d];
    result->counts = counts;
    return result;
}

uint64_t hd_stack_misses(const hd_stack_result *result, uint64_t lines) {
    uint64_t misses = result->line_accesses;
    for (uint64_t d = 1; d <= result->footprint && d <= lines; d++)
        misses -= result->counts[d];
    return misses;
}
