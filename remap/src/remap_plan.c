/*
 * Which strategy is used, and why.
 *
 * A move is a transfer of t seconds and a remap of r. In bulk it takes latency + t + r. In n
 * chunks, of which each costs c more, and where the fraction v of the shorter one is hidden,
 *
 *     latency + max(t, r) + (1 - v) min(t, r) + v min(t, r) / n + (n - 1) c
 *
 * since the first transfer and the last remap have nothing to hide behind. That is least for
 * n = sqrt(v min(t, r) / c). The host's remap and zero-copy are measured with their transfers, the
 * host's remap in memory in place without any. Of what chunks add to a transfer only the ratio is
 * taken from where transfers were measured, since the kind's other figures are of another moment.
 */
#include <math.h>
#include <stdio.h>

#include "remap/remap_device.h"

enum { FEWEST_CHUNK_BYTES = 64 << 10 };

const char *hd_remap_strategy_name(hd_remap_strategy strategy) {
    static const char *const names[] = {"planned", "chunked", "bulk", "host", "zero-copy"};
    return (unsigned)strategy < HD_REMAP_STRATEGIES ? names[strategy] : "unknown";
}

/* ---- the model --------------------------------------------------------------------------- */

/* In as many chunks as are best: one where nothing is hidden, as long as it is not larger than what
 * a device keeps for chunks. */
static void expect_chunked(double bytes, uint64_t step, const hd_remap_transfer_figures *f,
                           hd_remap_choice *choice) {
    double transfer = choice->transfer * f->transfer / f->staged, remap = choice->remap;
    double longer = fmax(transfer, remap), shorter = fmin(transfer, remap);
    double most = floor(bytes / fmax((double)step, FEWEST_CHUNK_BYTES));
    double n = floor(sqrt(f->overlap * shorter / fmax(f->chunk, 1e-7)));
    n = fmax(fmin(fmax(n, ceil(bytes / HD_REMAP_KEPT)), most), 1);
    choice->seconds[HD_REMAP_CHUNKED] = f->latency + longer + (1 - f->overlap) * shorter +
                                        f->overlap * shorter / n + (n - 1) * f->chunk;
    choice->chunk_bytes = (uint64_t)ceil(bytes / n);
    if (choice->chunk_bytes < step)
        choice->chunk_bytes = step;
}

void hd_remap_expect(const hd_remap_device *device, const hd_remap_figures *figures,
                     const hd_remap *map, hd_remap_direction direction, hd_remap_choice *choice) {
    const hd_remap_transfer_figures *f = &figures->transfers[direction];
    const hd_remap_kind_figures *kind = &figures->kinds[map->kind][direction];
    const hd_remap_units units = hd_remap_units_of(map, direction);
    double source = (double)map->source_bytes;
    double transferred = source + (double)units.count * units.number_bytes;
    choice->transfer = transferred / kind->transfer;
    choice->remap = source / kind->remap;
    choice->seconds[HD_REMAP_BULK] = f->latency + choice->transfer + choice->remap;
    choice->seconds[HD_REMAP_HOST] = f->latency + source / kind->host;
    if (kind->zero_copy > 0)
        choice->seconds[HD_REMAP_ZERO_COPY] = f->latency + source / kind->zero_copy;
    expect_chunked(transferred, units.step * (units.bytes + units.number_bytes), f, choice);
    if (device->gpu->most_bytes && source > (double)device->gpu->most_bytes)
        choice->seconds[HD_REMAP_BULK] = choice->seconds[HD_REMAP_ZERO_COPY] = 0;
}

/* ---- the choice ----------------------------------------------------------------------------- */

hd_remap_strategy hd_remap_least(const hd_remap_choice *choice, hd_remap_strategy but) {
    static const hd_remap_strategy simple_first[] = {HD_REMAP_BULK, HD_REMAP_CHUNKED, HD_REMAP_HOST,
                                                     HD_REMAP_ZERO_COPY};
    hd_remap_strategy best = HD_REMAP_PLANNED;
    for (size_t i = 0; i < sizeof simple_first / sizeof *simple_first; i++) {
        hd_remap_strategy s = simple_first[i];
        if (s != but && choice->seconds[s] > 0 &&
            (best == HD_REMAP_PLANNED || choice->seconds[s] < choice->seconds[best]))
            best = s;
    }
    return best;
}

/* "1.23 ms" */
static const char *time_text(hd_arena *arena, double seconds) {
    return seconds < 1e-3 ? hd_format(arena, "%.1f us", seconds * 1e6)
           : seconds < 1  ? hd_format(arena, "%.2f ms", seconds * 1e3)
                          : hd_format(arena, "%.2f s", seconds);
}

static const char *reason(hd_arena *arena, const hd_remap_choice *choice) {
    const char *transfer = time_text(arena, choice->transfer);
    const char *remap = time_text(arena, choice->remap);
    switch (choice->strategy) {
    case HD_REMAP_CHUNKED:
        return hd_format(arena,
                         "chunks of %.1f MiB hide a part of the transfer (%s) and the remapping "
                         "(%s) behind each other",
                         (double)choice->chunk_bytes / (1 << 20), transfer, remap);
    case HD_REMAP_BULK:
        return hd_format(arena,
                         "chunks would hide too little of the transfer (%s) and the remapping (%s) "
                         "to be worth their cost",
                         transfer, remap);
    case HD_REMAP_HOST:
        return hd_format(arena,
                         "the host's remap adds less to the transfer (%s) than the device's (%s)",
                         transfer, remap);
    default: return "the device reaches the host's memory faster than a copy of it is made";
    }
}

/* In place the host remaps, and nothing is transferred. */
static hd_status plan_in_place(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                               hd_remap_direction direction, hd_remap_choice *choice) {
    hd_status status =
        hd_remap_calibrate_in_place(diag, device, map->kind, direction, choice->placement);
    if (status != HD_OK)
        return status;
    hd_arena *arena = hd_arena_new();
    choice->strategy = HD_REMAP_HOST;
    choice->remap = (double)map->source_bytes /
                    device->figures->kinds[map->kind][direction].in_place[choice->placement];
    choice->seconds[HD_REMAP_HOST] = choice->remap;
    snprintf(choice->why, sizeof choice->why,
             "host is expected to take %s: the memory is in place (%s), so nothing is transferred",
             time_text(arena, choice->remap), hd_placement_name((hd_placement)choice->placement));
    hd_arena_free(arena);
    return HD_OK;
}

hd_status hd_remap_plan(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                        hd_remap_direction direction, hd_remap_placement placement,
                        hd_remap_choice *choice) {
    hd_status status = hd_remap_needs(diag, {choice, "place for the choice"});
    if (status == HD_OK)
        *choice = (hd_remap_choice){0};
    if (status == HD_OK)
        status = hd_remap_needs(diag, {device, "device"}, {map, "map to remap by"});
    if (status == HD_OK && direction != HD_REMAP_TO_DEVICE && direction != HD_REMAP_FROM_DEVICE)
        status = hd_fail(diag, HD_EINPUT, NULL, "%d is none of hd_remap_direction", (int)direction);
    if (status == HD_OK)
        status = hd_remap_check_placement(diag, device, placement);
    if (status != HD_OK)
        return status;
    choice->placement = placement;
    if (placement != HD_REMAP_IN_DEVICE)
        return plan_in_place(diag, device, map, direction, choice);
    status = hd_remap_calibrate(diag, device, map->kind, direction);
    if (status != HD_OK)
        return status;
    hd_remap_expect(device, device->figures, map, direction, choice);
    choice->strategy = hd_remap_least(choice, HD_REMAP_PLANNED);
    const hd_remap_lesson *lesson = hd_remap_lesson_of(device, map, direction, false);
    hd_remap_strategy promising = choice->strategy;
    if (lesson)
        hd_remap_apply_lesson(lesson, choice);
    hd_arena *arena = hd_arena_new();
    hd_remap_strategy second = hd_remap_least(choice, choice->strategy);
    snprintf(choice->why, sizeof choice->why, "%s is expected to take %s, %s %s: %s",
             hd_remap_strategy_name(choice->strategy),
             time_text(arena, choice->seconds[choice->strategy]), hd_remap_strategy_name(second),
             time_text(arena, choice->seconds[second]),
             choice->strategy == promising ? reason(arena, choice)
                                           : "so long moves of such a map have taken");
    hd_arena_free(arena);
    return HD_OK;
}
