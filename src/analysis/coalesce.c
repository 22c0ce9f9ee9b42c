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
 * (model/segments.c), so that the numbers of both can be compared. On devices that
 * join half-warps a transaction shrinks to the half and the quarter of 128 bytes that
 * alone is used (docs/devices.md).
 *
 * Requests are counted in request.c.
 */
#include "analysis/access_table.h"
#include "analysis/request.h"
#include "base/number.h"

void hd_coalesce_add(hd_coalesce_counts *sum, const hd_coalesce_counts *more) {
    hd_tally_add(sum, more, sizeof *sum);
}

static void count_event(const void *device, void *memo, const hd_event_launch *launch,
                        const hd_event *e, kir_space space, void *counts) {
    bool moves = space == KIR_GLOBAL || space == KIR_CONSTANT;
    hd_coalesce_counts *sum = counts;
    *sum = request_count(device, memo, e, launch->accesses[e->access].width, moves);
    sum->moving = space == KIR_LOCAL ? 0 : sum->requests;
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

static const char *title_of(hd_arena *arena, const hd_device *device) {
    return hd_format(arena, "Global memory on %s, by warps of %u", device->name, device->warp);
}

static const char *sum_of(hd_arena *arena, const hd_launch_counts *counts) {
    return hd_format(arena, "%s, %s, %s moved, %s of it used",
                     hd_show_counted(arena, counts->moved.requests, "request", "s"),
                     hd_show_counted(arena, counts->moved.transactions, "transaction", "s"),
                     hd_show_bytes(arena, counts->moved.bytes_moved),
                     hd_show_share(arena, hd_efficiency(counts)));
}

static uint64_t weight_of(const hd_launch_counts *counts) { return counts->moved.transactions; }

/* ---- what is wrong with an access ----------------------------------------------------------- */

static const hd_rule rule = {
    "heddle/uncoalesced", "Uncoalesced",
    "The lanes of a warp touch more segments of memory than their bytes would fill.",
    "Let neighbouring threads touch neighbouring bytes: lay the record out otherwise ('heddle "
    "advise' finds the layout, 'heddle apply' puts it in place), or let the thread's index be "
    "the last one of an array.",
    "transactions"};

/* What an access would need at the least: a transaction for each of its requests, and those that
 * the bytes asked for fill. A load of one value for a whole warp uses little of its segment, and
 * yet nothing can be done about it, so that it is no finding. */
static hd_access_finding find(hd_arena *a, const hd_device *device, const hd_access_row *row,
                              const char *advise) {
    const hd_launch_counts counts = hd_access_row_moved(row);
    const hd_coalesce_counts *moved = &counts.moved;
    uint32_t segment = hd_device_segment_for(device, row->width);
    uint64_t full = (moved->bytes_used + segment - 1) / segment;
    uint64_t least = full > moved->requests ? full : moved->requests;
    uint64_t wasted = moved->transactions > least ? moved->transactions - least : 0;
    uint64_t each = moved->transactions ? moved->bytes_moved / moved->transactions : 0;
    hd_access_finding f = {.own = moved->transactions, .wasted = wasted, .bytes = wasted * each};
    if (!wasted)
        return f;
    f.text = hd_format(
        a,
        "%s of %s: %.3g transactions for each request of a warp, where %.3g would do; %s of the %s "
        "that it moves in '%s' are in vain.%s",
        hd_access_kind_name(row->kind), hd_access_row_target(a, row),
        (double)moved->transactions / (double)moved->requests,
        (double)least / (double)moved->requests, hd_show_bytes(a, f.bytes),
        hd_show_bytes(a, moved->bytes_moved), row->kernel,
        row->record ? hd_format(a, " Another layout of '%s' may mend that: %s", row->record, advise)
                    : " Let neighbouring threads touch neighbouring elements.");
    return f;
}

const hd_analysis hd_coalesce_analysis = {
    .members = hd_coalesce_members,
    .work = hd_coalesce_work,
    .columns = {{"requests", HD_IN_SHOW, 1},
                {"transactions", HD_IN_SHOW | HD_IN_PROGRAM, 7},
                {"moved", HD_IN_SHOW | HD_IN_PROGRAM, 3},
                {"used", HD_IN_SHOW | HD_IN_PROGRAM, 0}},
    .title = title_of,
    .sum = sum_of,
    .weight = weight_of,
    .rule = &rule,
    .find = find};
