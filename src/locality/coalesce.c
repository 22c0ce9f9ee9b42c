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
 * Requests are counted in request.c.
 */
#include "locality/request.h"
#include "locality/tally.h"

typedef struct stream {
    hd_tally_stream base;
    request_memo memo;
} stream;

struct hd_coalesce {
    const hd_device *device;
    hd_tally *tally;
};

void hd_coalesce_add(hd_coalesce_counts *sum, const hd_coalesce_counts *more) {
    hd_tally_add(sum, more, sizeof *sum);
}

static void count_event(void *self, const hd_event *e) {
    stream *s = self;
    const hd_coalesce *counter = hd_tally_self(s);
    const hd_event_launch *launch = hd_tally_launch(s);
    const hd_event_access *access = &launch->accesses[e->access];
    kir_space space = hd_event_space(launch, e);
    bool moves = space == KIR_GLOBAL || space == KIR_CONSTANT;
    hd_coalesce_counts counts = request_count(counter->device, &s->memo, e, access->width, moves);
    hd_coalesce_add(hd_tally_row(s, e->access), &counts);
    if (space == KIR_GLOBAL)
        hd_coalesce_add(hd_tally_all(s), &counts);
}

/* ---- the counter ------------------------------------------------------------------------ */

hd_coalesce *hd_coalesce_new(hd_arena *arena, const hd_device *device) {
    hd_coalesce *counter = hd_new(arena, hd_coalesce);
    const hd_tally_work work = {counter, sizeof(stream), sizeof(hd_coalesce_counts), count_event};
    *counter = (hd_coalesce){device, hd_tally_new(arena, &work)};
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
