/* Why an access costs what it costs, in words. */
#include <stdlib.h>

#include "cost/internal.h"

/* Bytes from one lane to the next along dimension 0, in the record's own layout. */
static int64_t lane_stride(const hd_cost_line *line, const hd_device *device) {
    const hd_access *access = line->access;
    uint64_t local = line->info->binding.dims ? line->info->binding.local[0] : 0;
    uint32_t dimension = local >= device->warp || !local ? 0 : local == 1 ? 1 : 0;
    return hd_affine_factor(access->address, HD_SYM_LOCAL, dimension);
}

static const char *hits_in_words(hd_arena *arena, const hd_cost_line *line) {
    if (line->l1 + line->l2 < 0.005)
        return "all from DRAM";
    if (line->l1 >= 0.995)
        return "all from L1";
    if (line->l2 >= 0.995)
        return "all from L2";
    if (line->l1 < 0.005)
        return hd_format(arena, "%.0f%% from L2", 100 * line->l2);
    if (line->l2 < 0.005)
        return hd_format(arena, "%.0f%% from L1", 100 * line->l1);
    return hd_format(arena, "%.0f%% from L1, %.0f%% from L2", 100 * line->l1, 100 * line->l2);
}

/* "7.0 transactions where 1 would do", or "1 transaction". */
static const char *transactions_in_words(hd_arena *arena, const hd_cost_line *line) {
    if (line->transactions <= line->ideal * 1.05)
        return hd_format(arena, "%.3g transaction%s", line->transactions,
                         line->transactions > 1 ? "s" : "");
    return hd_format(arena, "%.3g transactions where %.3g would do", line->transactions,
                     line->ideal);
}

const char *hd_cost_explain(hd_arena *arena, const hd_device *device, const hd_cost_line *line) {
    const hd_access *access = line->access;
    const char *moved = transactions_in_words(arena, line);
    const char *from = hits_in_words(arena, line);
    if (line->executions <= 0)
        return "never runs: its condition holds for no thread";
    if (line->lanes <= 1.001 && line->transactions <= 1.001)
        return hd_format(arena, "one lane only: %s, %s", moved, from);
    if (line->irregular && access->reason)
        return hd_format(arena, "%s: %s, %s", access->reason, moved, from);
    int64_t stride = llabs(lane_stride(line, device));
    if (stride == 0 && line->transactions <= 1.5)
        return hd_format(arena, "all lanes read one address: %s, %s", moved, from);
    if (stride <= (int64_t)access->width)
        return hd_format(arena, "lanes side by side: %s, %s", moved, from);
    return hd_format(arena, "lanes %lld bytes apart for %u bytes each: %s, %s", (long long)stride,
                     access->width, moved, from);
}
