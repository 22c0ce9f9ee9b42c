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
 * The addresses of a request are put in order, which they nearly always are, and
 * one walk over them counts segments and bytes. Events that say base and stride
 * repeat the same few requests over and over: what such a request costs depends on
 * the stride, the width, the active lanes and where in its segment it starts, and
 * on nothing else. A small table keeps the latest of them.
 *
 * Each block counts on its own; its sums are added to the launch's when it closes.
 */
#include <stdlib.h>

#include "event/in_order.h"
#include "locality/coalesce.h"

enum { MOST_LANES = 1024, KEPT = 256 };

/* ---- one request -------------------------------------------------------------- */

/* What the segments of a request are. */
typedef struct rule {
    uint32_t shift; /* 2 to this are the bytes of a segment */
    bool shrinks;
} rule;

/* The segment that is being filled: the bytes used of it, from its start. */
typedef struct open_segment {
    bool is_open;
    uint64_t number, first, last;
} open_segment;

/* Counts a segment of which first .. last are used. A transaction that shrinks becomes
 * the smallest aligned 32, 64 or 128 bytes that hold both. */
static void add_segment(rule r, uint64_t first, uint64_t last, hd_coalesce_counts *sum) {
    uint64_t bytes = (uint64_t)1 << r.shift;
    if (r.shrinks)
        for (bytes = 32; (first ^ last) >= bytes;)
            bytes *= 2;
    sum->transactions++;
    sum->bytes_moved += bytes;
}

/* One lane's bytes at .. end. No later lane starts below it, so that what follows in a
 * segment that was left behind makes no difference: that one is used up to its end. */
static void add_lane(open_segment *s, uint64_t at, uint64_t end, rule r, hd_coalesce_counts *sum) {
    uint64_t bytes = (uint64_t)1 << r.shift, mask = bytes - 1;
    uint64_t from = at >> r.shift, last = end >> r.shift, first = at & mask;
    if (s->is_open && from <= s->number) {
        uint64_t reach = last > s->number ? mask : last < s->number ? 0 : end & mask;
        s->last = reach > s->last ? reach : s->last;
        from = s->number + 1;
        first = 0;
    }
    if (from > last)
        return;
    if (s->is_open)
        add_segment(r, s->first, s->last, sum);
    if (from < last) {
        add_segment(r, first, mask, sum);
        sum->transactions += last - from - 1;
        sum->bytes_moved += (last - from - 1) * bytes;
        first = 0;
    }
    *s = (open_segment){true, last, first, end & mask};
}

/* Addresses in order. Counts transactions and the bytes that they move. */
static void join(const uint64_t *address, uint32_t count, uint32_t width, rule r,
                 hd_coalesce_counts *sum) {
    open_segment s = {.is_open = false};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end = address[i] + (width ? width - 1 : 0);
        add_lane(&s, address[i], end < address[i] ? UINT64_MAX : end, r, sum);
    }
    if (s.is_open)
        add_segment(r, s.first, s.last, sum);
}

/* Different bytes among those of the lanes; addresses in order. */
static uint64_t different_bytes(const uint64_t *address, uint32_t count, uint32_t width) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t gap = i + 1 < count ? address[i + 1] - address[i] : width;
        bytes += gap < width ? gap : width;
    }
    return bytes;
}

/* ---- the counter ---------------------------------------------------------------- */

typedef struct launch_counts {
    uint32_t number, access_count;
    hd_coalesce_counts *accesses, all;
} launch_counts;

/* What a request of a strided event depends on, and what became of it. */
typedef struct kept {
    uint64_t mask; /* of the warp's lanes; 0: this place is free */
    int64_t stride;
    uint32_t width, start; /* start: of lane 0, modulo the segment */
    hd_coalesce_counts result;
} kept;

typedef struct stream {
    hd_in_order_stream base;
    uint32_t capacity;
    hd_coalesce_counts *accesses, all;
    kept kept[KEPT];
} stream;

struct hd_coalesce {
    hd_arena *arena; /* of the launches' counts */
    const hd_device *device;
    uint32_t request;              /* lanes that are joined */
    const hd_event_launch *launch; /* that is running */
    hd_vec(launch_counts) launches;
    hd_in_order *order;
};

/* ---- one event -------------------------------------------------------------------- */

/* Addresses of active lanes in order, as they nearly always stand already, or all but. */
static uint32_t gather(const hd_event *e, uint32_t first, uint32_t end, uint64_t *address) {
    uint32_t count = 0;
    for (uint32_t lane = first; lane < end; lane++) {
        if (!hd_event_active(e, lane))
            continue;
        uint64_t value = hd_event_address(e, lane);
        uint32_t at = count++;
        for (; at > 0 && address[at - 1] > value; at--)
            address[at] = address[at - 1];
        address[at] = value;
    }
    return count;
}

/* The transactions of the warp whose lanes are `first` up to `end`. */
static hd_coalesce_counts count_warp(const hd_coalesce *c, const hd_event *e, uint32_t first,
                                     uint32_t end, uint32_t width) {
    uint64_t address[MOST_LANES];
    uint32_t segment = hd_device_segment_for(c->device, width);
    rule r = {(uint32_t)__builtin_ctz(segment), c->device->coalescing == HD_COALESCE_HALF_WARP};
    hd_coalesce_counts sum = {0};
    for (uint32_t from = first; from < end; from += c->request) {
        uint32_t to = end - from < c->request ? end : from + c->request;
        uint32_t count = gather(e, from, to, address);
        join(address, count, width, r, &sum);
        if (c->request == c->device->warp)
            sum.bytes_used = different_bytes(address, count, width);
    }
    if (c->request != c->device->warp)
        sum.bytes_used = different_bytes(address, gather(e, first, end, address), width);
    return sum;
}

/* The same for a strided event: from the table, if it is there. */
static hd_coalesce_counts recall_warp(stream *s, const hd_event *e, uint32_t first, uint32_t end,
                                      uint64_t mask, uint32_t width) {
    const hd_coalesce *counter = s->base.self;
    uint32_t start = (uint32_t)(hd_event_address(e, first) & (counter->device->segment - 1));
    uint64_t hash = (mask ^ (uint64_t)e->stride * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu +
                    ((uint64_t)width << 32 | start) * 0xc4ceb9fe1a85ec53u;
    kept *k = &s->kept[hash >> 32 & (KEPT - 1)];
    if (k->mask != mask || k->stride != e->stride || k->width != width || k->start != start)
        *k = (kept){mask, e->stride, width, start, count_warp(counter, e, first, end, width)};
    return k->result;
}

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
    hd_coalesce_counts counts = {.mis = 1, .lane_accesses = e->active};
    uint32_t warp = counter->device->warp;
    bool moves = space == KIR_GLOBAL || space == KIR_CONSTANT;
    for (uint32_t first = 0; first < e->threads; first += warp) {
        uint32_t end = e->threads - first < warp ? e->threads : first + warp;
        uint64_t mask = 0; /* active lanes; of a warp of several words the first that has any */
        for (uint32_t at = first; at < end && !mask; at += 64) {
            mask = e->mask[at / 64] >> at % 64;
            if (end - at < 64)
                mask &= ((uint64_t)1 << (end - at)) - 1;
        }
        counts.requests += mask != 0;
        if (!mask || !moves)
            continue;
        hd_coalesce_counts more = e->address || warp > 64
                                      ? count_warp(counter, e, first, end, access->width)
                                      : recall_warp(s, e, first, end, mask, access->width);
        hd_coalesce_add(&counts, &more);
    }
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
    counter->request = hd_device_request_lanes(device);
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
