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
 */
#include "locality/coalesce.h"
#include "locality/tally.h"
#include "locality/warp.h"

enum { KEPT = 256 };

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

/* ---- requests that come again ---------------------------------------------------- */

/* What a request of a strided event depends on, and what became of it. */
typedef struct kept {
    uint64_t mask; /* of the warp's lanes; 0: this place is free */
    int64_t stride;
    uint32_t width, start; /* start: of lane 0, modulo the segment */
    hd_coalesce_counts result;
} kept;

typedef struct stream {
    hd_tally_stream base;
    kept kept[KEPT];
} stream;

struct hd_coalesce {
    const hd_device *device;
    uint32_t request; /* lanes that are joined */
    hd_tally *tally;
};

/* ---- one event -------------------------------------------------------------------- */

/* The transactions of the warp whose lanes are `first` up to `end`. */
static hd_coalesce_counts count_warp(const hd_coalesce *c, const hd_event *e, uint32_t first,
                                     uint32_t end, uint32_t width) {
    uint64_t address[MOST_LANES];
    uint32_t segment = hd_device_segment_for(c->device, width);
    rule r = {(uint32_t)__builtin_ctz(segment), c->device->coalescing == HD_COALESCE_HALF_WARP};
    hd_coalesce_counts sum = {0};
    for (uint32_t from = first; from < end; from += c->request) {
        uint32_t to = end - from < c->request ? end : from + c->request;
        uint32_t count = warp_addresses(e, from, to, address);
        join(address, count, width, r, &sum);
        if (c->request == c->device->warp)
            sum.bytes_used = different_bytes(address, count, width);
    }
    if (c->request != c->device->warp)
        sum.bytes_used = different_bytes(address, warp_addresses(e, first, end, address), width);
    return sum;
}

/* The same for a strided event: from the table, if it is there. */
static hd_coalesce_counts recall_warp(stream *s, const hd_event *e, uint32_t first, uint32_t end,
                                      uint64_t mask, uint32_t width) {
    const hd_coalesce *counter = hd_tally_self(s);
    uint32_t start = (uint32_t)(hd_event_address(e, first) & (counter->device->segment - 1));
    kept *k = &s->kept[warp_hash(e, mask, width, start) >> 32 & (KEPT - 1)];
    if (k->mask != mask || k->stride != e->stride || k->width != width || k->start != start)
        *k = (kept){mask, e->stride, width, start, count_warp(counter, e, first, end, width)};
    return k->result;
}

void hd_coalesce_add(hd_coalesce_counts *sum, const hd_coalesce_counts *more) {
    hd_tally_add(sum, more, sizeof *sum);
}

static void count_event(void *self, const hd_event *e) {
    stream *s = self;
    const hd_coalesce *counter = hd_tally_self(s);
    const hd_event_launch *launch = hd_tally_launch(s);
    const hd_event_access *access = &launch->accesses[e->access];
    kir_space space = hd_event_space(launch, e);
    hd_coalesce_counts counts = {.mis = 1, .lane_accesses = e->active};
    uint32_t warp = counter->device->warp;
    bool moves = space == KIR_GLOBAL || space == KIR_CONSTANT;
    for (uint32_t first = 0; first < e->threads; first += warp) {
        uint32_t end = e->threads - first < warp ? e->threads : first + warp;
        uint64_t mask = warp_mask(e, first, end);
        counts.requests += mask != 0;
        if (!mask || !moves)
            continue;
        hd_coalesce_counts more = e->address || warp > 64
                                      ? count_warp(counter, e, first, end, access->width)
                                      : recall_warp(s, e, first, end, mask, access->width);
        hd_coalesce_add(&counts, &more);
    }
    hd_coalesce_add(hd_tally_row(s, e->access), &counts);
    if (space == KIR_GLOBAL)
        hd_coalesce_add(hd_tally_all(s), &counts);
}

/* ---- the counter ------------------------------------------------------------------------ */

hd_coalesce *hd_coalesce_new(hd_arena *arena, const hd_device *device) {
    hd_coalesce *counter = hd_new(arena, hd_coalesce);
    const hd_tally_work work = {counter, sizeof(stream), sizeof(hd_coalesce_counts), count_event};
    *counter = (hd_coalesce){device, hd_device_request_lanes(device), hd_tally_new(arena, &work)};
    return counter;
}

hd_sink hd_coalesce_sink(hd_coalesce *counter) { return hd_tally_sink(counter->tally); }

void hd_coalesce_free(hd_coalesce *counter) { hd_tally_free(counter->tally); }

const hd_coalesce_counts *hd_coalesce_of(const hd_coalesce *counter, uint32_t launch,
                                         uint32_t access) {
    return hd_tally_of(counter->tally, launch, access);
}

const hd_coalesce_counts *hd_coalesce_of_launch(const hd_coalesce *counter, uint32_t launch) {
    return hd_tally_of_launch(counter->tally, launch);
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
