/*
 * The optimum for records of a moderate number of fields, by all their subsets.
 *
 * saved(M) is the most that a layout of the fields M saves against leaving each
 * alone. It is the saving of M as one cluster, or that of the best way to part M.
 * Parts need only be clusters that no parting of themselves beats ("whole"), so
 *
 *     saved(M) = max( saving of M as a cluster,
 *                     saved(M without its first field),
 *                     saving(W) + saved(M without W)   for whole W in M with that field )
 *
 * taken in the order of the bit sets, so that every subset comes before M. Few
 * clusters are whole, and M is priced only if bounds on its accesses
 * (model/cost_bound.c) leave room to beat its best parting: a bound spares most prices.
 * Price and memory are exponential in the fields, with a small base.
 */
#include "model/search_internal.h"

typedef struct subsets {
    const saving_bounds *bounds;
    uint32_t degrees;
    double *saved;    /* [1 << fields][degrees] */
    uint32_t *choice; /* number of the whole cluster taken, or NONE: first field alone */
    hd_vec(saver) by_first[HD_MAX_FIELDS];
    uint64_t priced;
} subsets;

enum { ALONE = -1 };

static hd_cost_vector saved_by(const subsets *s, uint64_t mask) {
    hd_cost_vector v = {{0}};
    for (uint32_t d = 0; d < s->degrees; d++)
        v.v[d] = s->saved[mask * s->degrees + d];
    return v;
}

static void solve(hd_arena *arena, subsets *s, uint64_t mask) {
    uint32_t first = (uint32_t)__builtin_ctzll(mask), choice = (uint32_t)ALONE;
    hd_cost_vector best = saved_by(s, mask & (mask - 1));
    for (uint32_t i = 0; i < s->by_first[first].count; i++) { /* the best way to part it */
        const saver *w = &s->by_first[first].data[i];
        if (w->mask & ~mask)
            continue;
        hd_cost_vector total = saved_by(s, mask & ~w->mask);
        hd_cost_add(&total, &w->saving);
        if (saving_greater(&total, &best)) {
            best = total;
            choice = i;
        }
    }
    if (mask & (mask - 1) && saving_may_exceed(s->bounds, mask, &best)) {
        saver w = {.mask = mask};
        w.saving = saving_of_cluster(s->bounds, mask, &w.tile);
        s->priced++;
        /* Saving more beyond rounding is to leave less cost. */
        hd_cost_vector alone = saving_alone(s->bounds, mask);
        hd_cost_vector cost = saving_minus(&alone, &w.saving), other = saving_minus(&alone, &best);
        if (hd_cost_compare(&cost, &other) < 0) {
            choice = (uint32_t)s->by_first[first].count;
            hd_push(arena, &s->by_first[first], w);
            best = w.saving;
        }
    }
    s->choice[mask] = choice;
    for (uint32_t d = 0; d < s->degrees; d++)
        s->saved[mask * s->degrees + d] = best.v[d];
}

hd_cost_vector search_subsets(hd_arena *arena, const saving_bounds *bounds, candidate *found,
                              bound_effort *effort) {
    subsets *s = hd_new(arena, subsets);
    uint64_t all = ((uint64_t)1 << bounds->fields) - 1;
    hd_cost_vector alone = saving_alone(bounds, all);
    s->bounds = bounds;
    s->degrees = hd_cost_degree(&alone) + 1;
    s->saved = hd_new_array(arena, double, (all + 1) * s->degrees);
    s->choice = hd_new_array(arena, uint32_t, all + 1);
    for (uint64_t mask = 1; mask <= all; mask++)
        solve(arena, s, mask);
    for (uint64_t left = all; left;) {
        uint32_t first = (uint32_t)__builtin_ctzll(left);
        if (s->choice[left] == (uint32_t)ALONE) {
            left &= left - 1;
            continue;
        }
        const saver *w = &s->by_first[first].data[s->choice[left]];
        found->masks[found->count] = w->mask;
        found->tiles[found->count++] = w->tile;
        left &= ~w->mask;
    }
    *effort = (bound_effort){.nodes = s->priced};
    return saved_by(s, all);
}
