/* Why an access costs what it costs, in words. */
#include <stdlib.h>

#include "model/cost_internal.h"

static const char *hits_in_words(hd_arena *arena, const hd_cost_line *line) {
    const struct {
        double share;
        const char *all, *some;
    } places[] = {{line->kept, "all kept in a register", "kept in a register"},
                  {line->l1, "all from L1", "from L1"},
                  {line->l2, "all from L2", "from L2"}};
    hd_str text = {.arena = arena};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i].share >= 0.995)
            return places[i].all;
        if (places[i].share >= 0.005)
            hd_str_printf(&text, "%s%.0f%% %s", text.length ? ", " : "", 100 * places[i].share,
                          places[i].some);
    }
    return text.length ? hd_str_text(&text) : "all from DRAM";
}

/* Where a compiler must take pointers to lead to the same bytes, and so repeats the access. */
static const char *repeated_in_words(const hd_access *access) {
    return access->keepable >= 0 && access->kept < 0
               ? "; restrict pointers would keep it in a register"
               : "";
}

const char *hd_cost_explain(hd_arena *arena, const hd_device *device, const hd_cost_line *line) {
    const hd_access *access = line->access;
    const char *moved = line->transactions <= line->ideal * 1.05
                            ? hd_format(arena, "%.3g transaction%s", line->transactions,
                                        line->transactions > 1 ? "s" : "")
                            : hd_format(arena, "%.3g transactions where %.3g would do",
                                        line->transactions, line->ideal);
    const char *from =
        hd_format(arena, "%s%s", hits_in_words(arena, line), repeated_in_words(access));
    if (line->executions <= 0)
        return "never runs: its condition holds for no thread";
    if (access->whole && access->kept < 0 && line->kept >= 0.995)
        return "in one request with the fields before";
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
