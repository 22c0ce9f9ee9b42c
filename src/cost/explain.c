/* Why an access costs what it costs, in words. */
#include <stdlib.h>

#include "cost/internal.h"

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

const char *hd_cost_explain(hd_arena *arena, const hd_device *device, const hd_cost_line *line) {
    const hd_access *access = line->access;
    const char *moved = line->transactions <= line->ideal * 1.05
                            ? hd_format(arena, "%.3g transaction%s", line->transactions,
                                        line->transactions > 1 ? "s" : "")
                            : hd_format(arena, "%.3g transactions where %.3g would do",
                                        line->transactions, line->ideal);
    const char *from = hits_in_words(arena, line);
    if (line->executions <= 0)
        return "never runs: its condition holds for no thread";
    if (line->lanes <= 1.001 && line->transactions <= 1.001)
        return hd_format(arena, "one lane only: %s, %s", moved, from);
    if (line->irregular && access->reason)
        return hd_format(arena, "%s: %s, %s", access->reason, moved, from);
    /* Bytes from one lane to the next, in the record's own layout: along dimension 1 where
     * dimension 0 has one lane. */
    const hd_binding *binding = &line->info->binding;
    bool single = binding->dims && binding->local[0] == 1 && device->warp > 1;
    int64_t stride = llabs(hd_affine_factor(access->address, HD_SYM_LOCAL, single));
    if (stride == 0 && line->transactions <= 1.5)
        return hd_format(arena, "all lanes read one address: %s, %s", moved, from);
    if (stride <= (int64_t)access->width)
        return hd_format(arena, "lanes side by side: %s, %s", moved, from);
    return hd_format(arena, "lanes %lld bytes apart for %u bytes each: %s, %s", (long long)stride,
                     access->width, moved, from);
}
