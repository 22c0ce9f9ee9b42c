/* What is known of an exploration's points, and what is not. */
#include "advise/explore/internal.h"

/* ---- what is known -------------------------------------------------------------------------------- */

const hd_explored *explore_find(const explore_state *e, const hd_micro_point *point,
                                const char *layout, hd_placement placement) {
    for (size_t i = e->known.count; i-- > 0;)
        if (hd_micro_equal(&e->known.data[i].point, point) &&
            hd_explored_is(&e->known.data[i], layout, hd_placement_name(placement)))
            return &e->known.data[i];
    return NULL;
}

static bool is_refused(const explore_state *e, const char *point, const char *layout,
                       hd_placement placement) {
    for (size_t i = 0; i < e->refused.count; i++)
        if (!strcmp(e->refused.data[i].point, point) &&
            !strcmp(e->refused.data[i].layout, layout) &&
            !strcmp(e->refused.data[i].placement, hd_placement_name(placement)))
            return true;
    return false;
}

/* ---- which variants a point has ---------------------------------------------------------------- */

bool explore_is_base(const explore_state *e, const hd_micro_point *point) {
    return hd_micro_equal(point, &e->plan->base);
}

const explore_placement_list *explore_placements(const explore_state *e,
                                                 const hd_micro_point *point) {
    return explore_is_base(e, point) ? &e->all : &e->placements;
}

uint64_t explore_missing(const explore_state *e, const hd_micro_point *point,
                         explore_variant *runs) {
    hd_arena *arena = hd_arena_new();
    const char *name = hd_micro_print(arena, point);
    const explore_placement_list *placements = explore_placements(e, point);
    uint64_t count = 0;
    for (uint32_t l = 0; l < e->plan->layout_count; l++)
        for (size_t k = 0; k < placements->count; k++) {
            hd_placement placement = placements->data[k];
            if (explore_find(e, point, e->plan->layouts[l], placement) ||
                is_refused(e, name, e->plan->layouts[l], placement))
                continue;
            if (runs)
                runs[count] = (explore_variant){.layout = l, .placement = placement};
            count++;
        }
    hd_arena_free(arena);
    return count;
}

bool explore_is_over(explore_state *e) {
    if (e->options->stop && *e->options->stop)
        e->result->stopped = true;
    if (e->options->budget > 0 && hd_clock() - e->start > e->options->budget)
        e->result->out_of_time = true;
    return e->result->stopped || e->result->out_of_time;
}

void explore_show(const explore_state *e, const char *what) {
    const hd_exploration *r = e->result;
    uint64_t done = r->kept + r->measured + r->skipped + e->refused.count;
    if (e->options->progress)
        e->options->progress(e->options->user, what,
                             r->planned ? (double)done / (double)r->planned : 0);
}

void explore_add(explore_state *e, const hd_explored *variants, size_t count) {
    explore_keep(e->database, &e->result->device, hd_device_print(e->arena, e->result->profile),
                 variants, count);
    e->result->measured += count;
    for (size_t i = 0; i < count; i++)
        hd_push(e->arena, &e->known, variants[i]);
}
