/* The answer in one line (verdict.h). */
#include "advise/verdict.h"

static const char *print(hd_arena *arena, const hd_verdict *v, const hd_layout *layout) {
    return hd_layout_print(arena, v->record, layout);
}

/* " with pos, vel and 3 more taken apart" */
static const char *say_apart(hd_arena *arena, const hd_verdict *v) {
    enum { NAMED = 3 };
    hd_str out = {.arena = arena};
    for (uint32_t i = 0; i < v->apart_count && i < NAMED; i++)
        hd_str_printf(&out, "%s%s",
                      !i                                                   ? " with "
                      : i + 1 == v->apart_count && v->apart_count <= NAMED ? " and "
                                                                           : ", ",
                      v->apart[i]);
    if (v->apart_count > NAMED)
        hd_str_printf(&out, " and %u more", v->apart_count - NAMED);
    return v->apart_count ? hd_format(arena, "%s taken apart", hd_str_text(&out)) : "";
}

static const char *cost_of(const hd_verdict *v) {
    static const char *const names[HD_OBJECTIVES] = {"cost", "modelled energy",
                                                     "modelled energy-delay product"};
    return names[v->objective];
}

/* Where nothing else can be done about a layout that is refused. */
static const char *say_refused(hd_arena *arena, const hd_verdict *v, const char *original) {
    return hd_format(arena,
                     "leave it as it is; %s would take %.3f of the %s of %s (%s), but Heddle "
                     "cannot rewrite these kernels: %s",
                     print(arena, v, v->refused), v->refused_ratio, cost_of(v), original, v->basis,
                     v->why_refused);
}

const char *hd_verdict_print(hd_arena *arena, const hd_verdict *v) {
    const char *original = hd_record_is_soa(v->record) ? "the arrays" : "AoS";
    if (v->unknown)
        return hd_format(arena, "cannot tell: %s (%s)", v->unknown, v->basis);
    if (!v->layout && v->refused)
        return say_refused(arena, v, original);
    if (!v->layout && v->slower)
        return hd_format(arena, "leave it as it is; what costs less is predicted to be slower (%s)",
                         v->basis);
    if (!v->layout)
        return v->objective == HD_QUANTITY_TIME
                   ? hd_format(arena, "leave it as it is; no layout costs noticeably less (%s)",
                               v->basis)
                   : hd_format(arena, "leave it as it is; no layout %s noticeably %s %s (%s)",
                               v->objective == HD_QUANTITY_ENERGY ? "takes" : "has a",
                               v->objective == HD_QUANTITY_ENERGY ? "less" : "lower", cost_of(v),
                               v->basis);
    hd_str out = {.arena = arena};
    hd_str_printf(&out, "take %s%s, at %.3f of the %s of %s%s%s (%s)", print(arena, v, v->layout),
                  say_apart(arena, v), v->ratio, cost_of(v), original, v->saved ? ": " : "",
                  v->saved ? v->saved : "", v->basis);
    if (v->refused)
        hd_str_printf(&out, "; %s, at %.3f, cannot be had: %s", print(arena, v, v->refused),
                      v->refused_ratio, v->why_refused);
    return hd_str_text(&out);
}

const char *hd_saving_print(hd_arena *arena, const hd_device *device,
                            const hd_energy_counts *before, const hd_energy_counts *after) {
    const hd_device_energy *e = &device->energy;
    const struct {
        const char *from;
        double before, after, picojoules;
    } levels[] = {{"memory", before->dram_bytes, after->dram_bytes, e->dram},
                  {"L2", before->l2_bytes, after->l2_bytes, e->l2},
                  {"L1", before->l1_bytes, after->l1_bytes, e->l1}};
    double most = 0;
    const char *text = NULL;
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        double saved = (levels[l].before - levels[l].after) * levels[l].picojoules;
        if (saved <= most)
            continue;
        most = saved;
        text = levels[l].after > 0
                   ? hd_format(arena, "it moves %.1fx fewer bytes from %s",
                               levels[l].before / levels[l].after, levels[l].from)
                   : hd_format(arena, "it moves no bytes from %s any more", levels[l].from);
    }
    return text;
}
