/*
 * Coalescing: what the memory system makes of a warp's accesses.
 *
 * The lanes of a warp (or, on devices of compute capability 1.3, of each half of
 * it) that execute an access together make one request. It becomes a transaction
 * for every aligned segment that it touches:
 *
 *     lane     0    1    2    3  ...                     4 bytes each, 28 apart
 *     address  0    28   56   84   112  140 ...  868
 *     segment  0    0    0    0    0    1   ...  6       7 transactions of 128 bytes
 *
 * A segment counts once for a request, however wide the words, as in the static cost
 * (cost/segments.c), so that the numbers of both can be compared. On devices that
 * join half-warps a transaction shrinks to the half and the quarter of 128 bytes that
 * alone is used (docs/devices.md).
 *
 * Each block counts on its own; its sums are added to the launch's when it closes.
 */
#include <stdlib.h>

#include "event/in_order.h"
#include "locality/request.h"

/* ---- the counter ---------------------------------------------------------------- */

typedef struct launch_counts {
    uint32_t number, access_count;
    hd_coalesce_counts *accesses, all;
} launch_counts;

typedef struct stream {
    hd_in_order_stream base;
    uint32_t capacity;
    hd_coalesce_counts *accesses, all;
    request_memo memo;
} stream;

struct hd_coalesce {
    hd_arena *arena; /* of the launches' counts */
    const hd_device *device;
    const hd_event_launch *launch; /* that is running */
    hd_vec(launch_counts) launches;
    hd_in_order *order;
};

void hd_coalesce_add(hd_coalesce_counts *sum, const hd_coalesce_counts *more) {
    sum->mis += more->mis;
    sum->requests += more->requests;
    sum->lane_accesses += more->lane_accesses;
    sum->transactions += more->transactions;
    sum->bytes_moved += more->bytes_moved;
    sum->bytes_used += more->bytes_used;
}

static void count_event(void *self, const hd_event *e) {
    stream *s = self;
    const hd_coalesce *counter = s->base.self;
    const hd_event_access *access = &counter->launch->accesses[e->access];
    kir_space space = hd_event_space(counter->launch, e);
    bool moves = space == KIR_GLOBAL || space == KIR_CONSTANT;
    hd_coalesce_counts counts = request_count(counter->device, &s->memo, e, access->width, moves);
    hd_coalesce_add(&s->accesses[e->access], &counts);
    if (space == KIR_GLOBAL)
        hd_coalesce_add(&s->all, &counts);
}

/* ---- launches and blocks --------------------------------------------------------------- */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_coalesce *counter = self;
    launch_counts counts = {.number = launch->number, .access_count = launch->access_count};
    counts.accesses = hd_new_array(counter->arena, hd_coalesce_counts, launch->access_count);
    counter->launch = launch;
    hd_push(counter->arena, &counter->launches, counts);
    return HD_OK;
}

static void open_block(void *state) {
    stream *s = state;
    uint32_t count = ((const hd_coalesce *)s->base.self)->launch->access_count;
    if (s->capacity < count) {
        free(s->accesses);
        s->accesses = hd_zeroed(count, sizeof *s->accesses);
        s->capacity = count;
    }
    s->all = (hd_coalesce_counts){0};
    if (count)
        memset(s->accesses, 0, count * sizeof *s->accesses);
}

static void add_block(void *state, bool complete) {
    const stream *s = state;
    const hd_coalesce *counter = s->base.self;
    launch_counts *counts = &counter->launches.data[counter->launches.count - 1];
    if (!complete)
        return;
    for (uint32_t i = 0; i < counts->access_count; i++)
        hd_coalesce_add(&counts->accesses[i], &s->accesses[i]);
    hd_coalesce_add(&counts->all, &s->all);
}

static void free_stream(void *state) { free(((stream *)state)->accesses); }

hd_coalesce *hd_coalesce_new(hd_arena *arena, const hd_device *device) {
    hd_coalesce *counter = hd_new(arena, hd_coalesce);
    counter->arena = hd_arena_new();
    counter->device = device;
    counter->order = hd_in_order_new(arena, &(hd_in_order_work){.self = counter,
                                                                .stream_bytes = sizeof(stream),
                                                                .launch = begin_launch,
                                                                .open_block = open_block,
                                                                .event = count_event,
                                                                .add_up = add_block,
                                                                .free_stream = free_stream});
    return counter;
}

hd_sink hd_coalesce_sink(hd_coalesce *counter) { return hd_in_order_sink(counter->order); }

void hd_coalesce_free(hd_coalesce *counter) {
    hd_in_order_free(counter->order);
    hd_arena_free(counter->arena);
}

/* ---- results ------------------------------------------------------------------------------- */

static int by_number(const void *key, const void *counts) {
    uint32_t number = ((const launch_counts *)counts)->number;
    return *(const uint32_t *)key < number ? -1 : *(const uint32_t *)key > number;
}

static const launch_counts *find_launch(const hd_coalesce *c, uint32_t number) {
    return c->launches.count ? bsearch(&number, c->launches.data, c->launches.count,
                                       sizeof(launch_counts), by_number)
                             : NULL;
}

const hd_coalesce_counts *hd_coalesce_of(const hd_coalesce *counter, uint32_t launch,
                                         uint32_t access) {
    const launch_counts *counts = find_launch(counter, launch);
    return counts && access < counts->access_count ? &counts->accesses[access] : NULL;
}

const hd_coalesce_counts *hd_coalesce_of_launch(const hd_coalesce *counter, uint32_t launch) {
    const launch_counts *counts = find_launch(counter, launch);
    return counts ? &counts->all : NULL;
}

/* ---- what a reader sees of counts --------------------------------------------------------- */

static double ratio_of(uint64_t part, uint64_t all, double of_none) {
    return all ? (double)part / (double)all : of_none;
}

HD_GETTER(each_of, hd_coalesce_counts, hd_real(ratio_of(row->transactions, row->requests, 0)))
HD_GETTER(used_of, hd_coalesce_counts, hd_real(ratio_of(row->bytes_used, row->bytes_moved, 1)))

const hd_member hd_coalesce_members[] = {
    {"requests", "requests", HD_COUNT, HD_AT(hd_coalesce_counts, requests)},
    {"transactions", "transactions", HD_COUNT, HD_AT(hd_coalesce_counts, transactions)},
    {NULL, "each", HD_DIGITS, .get = each_of},
    {"bytes_moved", "moved", HD_BYTES, HD_AT(hd_coalesce_counts, bytes_moved)},
    {"bytes_used", HD_AT(hd_coalesce_counts, bytes_used)},
    {NULL, "used", HD_SHARE, .get = used_of},
    {0}};
