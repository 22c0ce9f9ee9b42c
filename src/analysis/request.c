/*
 * What the memory system makes of the accesses of one event: the counting that analyses share.
 *
 * Where lanes access whole words, these are counted all at once (warp_words.h). Otherwise the addresses
 * of a request are put in order, which they nearly always are, and one walk over them counts segments
 * and bytes. Events that say base and stride repeat the same few requests over and over: what such a
 * request costs depends on the stride, the width, the active lanes and where in its segment it starts,
 * and on nothing else. A small table keeps the latest of them.
 */
#include "analysis/request.h"
#include "analysis/warp_words.h"

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

/* ---- one event -------------------------------------------------------------------- */

/* Whether lanes can be counted all at once: a warp is a request, and the width is a power of two and no
 * more than a segment. Then each word is in one segment, and no two share some of their bytes. */
static bool may_be_words(const hd_device *device, uint32_t width) {
    return device->warp <= WORD_LANES && hd_device_request_lanes(device) == device->warp &&
           device->coalescing != HD_COALESCE_HALF_WARP && width && !(width & (width - 1)) &&
           width <= hd_device_segment_for(device, width);
}

/* The transactions of the warp whose lanes are `first` up to `end`, of which those of `mask` are
 * active. */
static hd_coalesce_counts count_warp(const hd_device *device, const hd_event *e, uint32_t first,
                                     uint32_t end, uint64_t mask, uint32_t width) {
    uint64_t address[MOST_LANES];
    uint32_t segment = hd_device_segment_for(device, width);
    rule r = {(uint32_t)__builtin_ctz(segment), device->coalescing == HD_COALESCE_HALF_WARP};
    hd_coalesce_counts sum = {0};
    uint32_t request = hd_device_request_lanes(device);
    uint32_t words, segments;
    if (may_be_words(device, width) &&
        warp_words_count(e, first, (uint32_t)mask, width, segment, &words, &segments)) {
        sum.transactions = segments;
        sum.bytes_moved = (uint64_t)segments * segment;
        sum.bytes_used = (uint64_t)words * width;
        return sum;
    }
    for (uint32_t from = first; from < end; from += request) {
        uint32_t to = end - from < request ? end : from + request;
        uint32_t count = warp_addresses(e, from, to, address);
        join(address, count, width, r, &sum);
        if (request == device->warp)
            sum.bytes_used = different_bytes(address, count, width);
    }
    if (request != device->warp)
        sum.bytes_used = different_bytes(address, warp_addresses(e, first, end, address), width);
    return sum;
}

/* The same for a strided event: from the table, if it is there. */
static hd_coalesce_counts recall_warp(const hd_device *device, request_memo *memo,
                                      const hd_event *e, uint32_t first, uint32_t end,
                                      uint64_t mask, uint32_t width) {
    int64_t stride = e->stride;
    uint32_t start = (uint32_t)(hd_event_address(e, first) & (device->segment - 1));
    request_kept *k =
        &memo->kept[warp_hash(stride, mask, width, start) >> 32 & (REQUESTS_KEPT - 1)];
    if (k->mask != mask || k->stride != stride || k->width != width || k->start != start)
        *k = (request_kept){mask, stride, width, start,
                            count_warp(device, e, first, end, mask, width)};
    return k->result;
}

hd_coalesce_counts request_count(const hd_device *device, request_memo *memo, const hd_event *e,
                                 uint32_t width, bool moves) {
    hd_coalesce_counts counts = {.mis = 1, .lane_accesses = e->active};
    uint32_t warp = device->warp;
    for (uint32_t first = 0; first < e->threads; first += warp) {
        uint32_t end = e->threads - first < warp ? e->threads : first + warp;
        uint64_t mask = warp_mask(e, first, end);
        counts.requests += mask != 0;
        if (!mask || !moves)
            continue;
        hd_coalesce_counts more = e->address || warp > 64
                                      ? count_warp(device, e, first, end, mask, width)
                                      : recall_warp(device, memo, e, first, end, mask, width);
        counts.transactions += more.transactions;
        counts.bytes_moved += more.bytes_moved;
        counts.bytes_used += more.bytes_used;
    }
    return counts;
}
