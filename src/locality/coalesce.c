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

void hd_coalesce_add(hd_coalesce_counts *sum, const hd_coalesce_counts *more) {
    hd_tally_add(sum, more, sizeof *sum);
}

static void count_event(const void *device, void *memo, const hd_event_launch *launch,
                        const hd_event *e, kir_space space, void *counts) {
    bool moves = space == KIR_GLOBAL || space == KIR_CONSTANT;
    *(hd_coalesce_counts *)counts =
        request_count(device, memo, e, launch->accesses[e->access].width, moves);
}

hd_tally_work hd_coalesce_work(hd_arena *arena, const hd_device *device) {
    (void)arena;
    return (hd_tally_work){.self = device,
                           .state_bytes = sizeof(request_memo),
                           .count_bytes = sizeof(hd_coalesce_counts),
                           .spaces = UINT32_MAX,
                           .summed = 1u << KIR_GLOBAL,
                           .period = device->segment,
                           .count = count_event};
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
