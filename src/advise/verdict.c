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

/* Where nothing else can be done about a layout that is refused. */
static const char *say_refused(hd_arena *arena, const hd_verdict *v, const char *original) {
    return hd_format(arena,
                     "leave it as it is; %s would take %.3f of the cost of %s (%s), but Heddle "
                     "cannot rewrite these kernels: %s",
                     print(arena, v, v->refused), v->refused_ratio, original, v->basis,
                     v->why_refused);
}

const char *hd_verdict_print(hd_arena *arena, const hd_verdict *v) {
    const char *original = hd_record_is_soa(v->record) ? "the arrays" : "AoS";
    if (!v->layout && v->refused)
        return say_refused(arena, v, original);
    if (!v->layout)
        return hd_format(arena, "leave it as it is; no layout costs noticeably less (%s)",
                         v->basis);
    hd_str out = {.arena = arena};
    hd_str_printf(&out, "take %s%s, at %.3f of the cost of %s (%s)", print(arena, v, v->layout),
                  say_apart(arena, v), v->ratio, original, v->basis);
    if (v->refused)
        hd_str_printf(&out, "; %s, at %.3f, cannot be had: %s", print(arena, v, v->refused),
                      v->refused_ratio, v->why_refused);
    return hd_str_text(&out);
}
