/*
 * What the files of the reuse analysis share.
 *
 * The six scenarios have in common streams of aggregates of blocks, and how many lanes issue at
 * once (chapter VI). Blocks of an aggregate run at the same time, position by position; aggregates
 * of a stream one after another; streams know nothing of each other.
 *
 *     scenario   streams          aggregates of a stream      units
 *     1          one              each block                  unlimited
 *     2          each block       that block                  unlimited
 *     3          one              all blocks of a launch      unlimited
 *     4          one              K blocks                    unlimited
 *     5          each cluster     its blocks                  L
 *     6          one              C blocks                    C * L
 */
#ifndef HD_REUSE_PARTS_H
#define HD_REUSE_PARTS_H

#include <pthread.h>

#include "base/table.h"
#include "analysis/reuse.h"
#include "analysis/schedule.h"

enum { REUSE_WARP = 32 };

typedef struct reuse_block {
    const hd_trace_launch *launch;
    const hd_trace_block *index; /* its row there */
    uint64_t aggregate;          /* row of reuse_plan.aggregates */
    uint64_t turn;               /* in the launch: its place in the order, or number */
    uint32_t place;              /* in the aggregate */
    uint64_t length;             /* MIs that are analysed; all, where units are limited */
    uint32_t *slots;             /* [length] limited units, by MI: see reuse_measure.c */
} reuse_block;

typedef struct reuse_aggregate {
    uint64_t stream;
    uint64_t first, count; /* rows of reuse_plan.blocks */
    uint64_t length;       /* of its longest block, with MIs that are not analysed */
    uint64_t issues;       /* positions that it takes: MIs, or their pieces */
    uint64_t start;        /* the first of them, counted through all streams */
    uint32_t *order;       /* limited units: see reuse_measure.c */
} reuse_aggregate;

/* How far a reading of the trace is. */
typedef struct reuse_meter {
    void (*progress)(void *user, const char *doing, double done); /* or NULL */
    void *user;
    const char *doing;
    uint64_t all; /* lane accesses that are to be read; at least 1 */
    _Atomic uint64_t done;
} reuse_meter;

typedef struct reuse_plan {
    hd_trace *trace;
    const hd_diag *diag;
    const hd_ranks *ranks; /* NULL: one */
    /* Each rank reads blocks bounds[r] .. bounds[r + 1] - 1; aggregates whole where units are
     * limited. */
    uint64_t *bounds, first_own, end_own;
    uint64_t memory; /* bytes that may be taken */
    uint64_t tables; /* of them, by what limited units take */
    reuse_meter *meter;
    uint32_t spaces, element_bytes;
    uint64_t units; /* lanes that issue at once, 0: unlimited */
    bool by_warp;   /* hd_order */
    reuse_block *blocks;
    uint64_t block_count;
    reuse_aggregate *aggregates;
    uint64_t aggregate_count;
    uint64_t *stream_start; /* [stream_count + 1] positions, counted through all streams */
    uint64_t stream_count;
    uint64_t k;
} reuse_plan;

/* reuse_plan.c: checks the options and lays out blocks; lengths are not known yet. */
hd_status reuse_plan_make(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                          const hd_reuse_options *options, reuse_plan *plan);
/* After reuse_measure(): where aggregates and streams start. */
hd_status reuse_plan_place(hd_arena *arena, reuse_plan *plan);
/* The analysis would take so many bytes: an error. */
hd_status reuse_no_room(const reuse_plan *plan, uint64_t bytes);
/* A reading begins. */
void reuse_meter_begin(const reuse_plan *plan, const char *doing);
/* So many lane accesses more were read; `worker` 0 is the calling thread. They are gathered in
 * *pending first. */
void reuse_meter_add(const reuse_plan *plan, uint32_t worker, uint64_t *pending,
                     uint64_t lane_accesses);
/* Reads a block: `event` hears its events, with `stream`. Says nothing of what is wrong with it,
 * since several may be read at once. */
hd_status reuse_read_block(const reuse_plan *plan, const reuse_block *block,
                           void (*event)(void *stream, const hd_event *event), void *stream);
static inline bool reuse_is_analysed(const reuse_plan *plan, const reuse_block *block,
                                     const hd_event *event) {
    return plan->spaces >> hd_event_space(&block->launch->launch, event) & 1;
}

/* Of `count` blocks one could not be read: says what is wrong with the first such. */
hd_status reuse_say_fault(const reuse_plan *plan, uint64_t first, uint64_t count);

/* reuse_measure.c: reads the trace once for the lengths of blocks and, where units are
 * limited, what each MI takes of them. Tables come from the workers' arenas. */
hd_status reuse_measure(reuse_plan *plan, uint32_t workers, hd_arena *const *arenas);

/* What a warp of an event takes: a slot (units of whole warps), or as many as there are issues
 * of its lanes. */
uint32_t issue_slots_of(const reuse_plan *plan, const hd_event *event, uint32_t warp);
/* After reuse_measure(), with limited units. The issue of the first active lane of a warp, counted
 * from the aggregate's start; further lanes follow at most `units` to an issue. `before` counts the
 * slots of the event's warps before this one. */
uint64_t issue_of(const reuse_plan *plan, const reuse_aggregate *aggregate,
                  const reuse_block *block, uint64_t mi, uint32_t warp, uint32_t before);

/* ---- touch.c --------------------------------------------------------------------------------- */

/* Touches: neighbouring elements, a position, and how many lanes touch each of them there. They
 * are collected in buckets of elements, so that all touches of an element lie in one bucket, and a
 * bucket is small enough for a cache. */
enum {
    TOUCH_BUCKETS = 512,
    TOUCH_CHUNK_LEAST = 16, /* chunks double up to the most */
    TOUCH_CHUNK_MOST = 1024,
    TOUCH_PAGE = 256,
    TOUCH_UNIT = 16 /* elements that are in the same share; divides a page */
};

typedef struct touch {
    uint32_t element; /* in its bucket */
    uint32_t position;
    uint32_t weight : 24, further : 8; /* elements after it in the page, of the same weight */
} touch;

typedef struct touch_chunk {
    struct touch_chunk *next;
    uint32_t count, capacity;
    touch touches[];
} touch_chunk;

typedef struct touches {
    touch_chunk **buckets; /* [source][TOUCH_BUCKETS]; chunks are from malloc */
    uint32_t sources;      /* workers that read, or ranks that do */
    uint32_t workers;
    hd_hash_table pages;  /* of TOUCH_PAGE neighbouring elements: numbered as they are met */
    pthread_mutex_t lock; /* of the pages */
    uint64_t accesses;    /* of elements by lanes */
    uint64_t limit;       /* bytes that they may take */
    _Atomic uint64_t bytes;
    _Atomic uint64_t read; /* lane accesses, until they took more: then the rest is left out */
    bool full_elsewhere;   /* on another rank */
} touches;

/* The second reading of the trace. Of `shares` shares of all elements only those of number
 * `share` are taken, and of these the rank's own. They take more than `limit` bytes, here or on
 * another rank: touches_full(), and they are of no use. */
hd_status touches_collect(const reuse_plan *plan, uint32_t workers, uint32_t share, uint32_t shares,
                          uint64_t limit, touches *all);
static inline bool touches_full(const touches *all) {
    return all->bytes > all->limit || all->full_elsewhere;
}
void touches_free(touches *all);

/* ---- lists.c --------------------------------------------------------------------------------- */

/* Where an element is touched, ascending, and by how many lanes. */
typedef struct position_list {
    uint32_t *position;
    uint64_t *weight;
    uint64_t count, room;
} position_list;

/* What one worker has added up. */
typedef struct lists_sum {
    uint64_t *degree;   /* [stream start + distance] */
    uint64_t *accesses; /* [stream] */
    uint64_t elements;
    unsigned __int128 total; /* of all degrees */
    /* scratch */
    uint32_t *interval; /* of each element */
    uint32_t *length;   /* of each interval: elements */
    uint64_t *ends;     /* of each interval: where its entries end */
    uint64_t *entries, *spare;
    size_t element_room, entry_room;
    position_list held, next;
} lists_sum;

/* Bytes that a worker takes whatever the touches, with streams up to `longest` positions. */
uint64_t lists_bytes_of_worker(const reuse_plan *plan, uint64_t longest);
/* Bytes of the touches and of what workers put in order at the same time. */
uint64_t lists_bytes(const touches *all);

void lists_begin(const reuse_plan *plan, lists_sum *sum);
/* Adds the elements of bucket `number` of all workers. */
void lists_add(const reuse_plan *plan, const touches *all, uint32_t number, lists_sum *sum);
void lists_free(lists_sum *sum);

/* ---- correlate.c ----------------------------------------------------------------------------- */

/* For lists that are too dense for pairs. The work of correlate() for positions that span so many,
 * in pairs' time. */
double correlate_cost(uint64_t span);
/* Bytes that it takes meanwhile. */
uint64_t correlate_bytes(uint64_t span);
/* Adds to degree[d], for every d from 1, the sum of weight[j] over all i < j with
 * position[j] - position[i] = d. Positions ascend; all weights together are less than 2^63.
 * Exact: by a number-theoretic transform modulo 2^64 - 2^32 + 1. */
void correlate(const uint32_t *position, const uint64_t *weight, uint64_t count, uint64_t *degree);

#endif
