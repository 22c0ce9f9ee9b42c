/*
 * Branch and bound for records of too many fields for all their subsets.
 *
 * A cluster is worth having only if it costs less than its fields alone: it saves
 * something. So the best layout is the set of disjoint clusters that saves most,
 * all other fields standing alone, and only clusters that save need to be known.
 * Two searches follow each other:
 *
 *   1. Which clusters save. Sets of fields are grown field by field. What a set
 *      and all it may grow into can save at most follows from bounds on its
 *      accesses (cost/bound.c): the larger the struct, the more transactions, so
 *      the fields that are there pay for each that joins. A set that cannot save
 *      more than a part of it does is given up.
 *   2. Which of them to take: branch on the first field not yet decided, take
 *      one of the clusters that start with it or leave it alone. The bound gives
 *      each field its largest share of any cluster's saving (saving / fields).
 *
 * Both stop when time is up; what is then known bounds what may have been missed.
 */
#include <stdlib.h>

#include "search/internal.h"

typedef struct saver {
    uint64_t mask, tile;
    hd_cost_vector saving;
} saver;

typedef struct bounding {
    hd_arena *arena;
    hd_cost_model *model;
    uint32_t fields;
    const saving_bounds *known;
    double deadline;
    bool late;
    uint64_t nodes;
    uint32_t order[HD_MAX_FIELDS];       /* fields, those with most to save first */
    uint64_t later[HD_MAX_FIELDS + 1];   /* set of the fields from a place in it on */
    hd_vec(saver) savers;
    uint32_t first[HD_MAX_FIELDS + 1];  /* savers, by the place of their first field */
    hd_cost_vector share[HD_MAX_FIELDS];
    uint32_t taken[HD_MAX_FIELDS], taken_count;
    uint32_t best[HD_MAX_FIELDS], best_count;
    hd_cost_vector best_saving;
} bounding;

static const hd_cost_vector NOTHING = {{0}};

static hd_cost_vector scaled(const hd_cost_vector *a, double factor) {
    hd_cost_vector r;
    for (int d = 0; d <= HD_MAX_DEGREE; d++)
        r.v[d] = a->v[d] * factor;
    return r;
}

static bool out_of_time(bounding *b) {
    if (!b->late && (++b->nodes & 255) == 0 && search_clock() > b->deadline)
        b->late = true;
    return b->late;
}

/* ---- which clusters save -------------------------------------------------------------- */

/* Prices `mask`; keeps it if it saves more than `achieved`, which it then raises. */
static void price_cluster(bounding *b, uint64_t mask, hd_cost_vector *achieved) {
    saver s = {.mask = mask};
    s.saving = saving_of_cluster(b->known, mask, &s.tile);
    if (!saving_greater(&s.saving, achieved))
        return;
    hd_push(b->arena, &b->savers, s);
    *achieved = s.saving;
}

/* The most that `mask` can save when `more` of the fields from place `next` on join it. */
static hd_cost_vector hope_with(const bounding *b, uint64_t mask, uint64_t bytes, uint32_t next,
                                uint32_t more) {
    uint64_t later = b->later[next], allowed = mask | later;
    uint64_t size = bytes + (uint64_t)more * b->known->least_size;
    hd_cost_vector sum = {{0}}, best[HD_MAX_FIELDS];
    for (uint64_t left = mask; left; left &= left - 1) {
        hd_cost_vector hope = saving_hope(b->known, (uint32_t)__builtin_ctzll(left), size, allowed);
        hd_cost_add(&sum, &hope);
    }
    uint32_t kept = 0;
    for (; later && more; later &= later - 1) { /* the `more` best of them, best first */
        hd_cost_vector hope = saving_hope(b->known, (uint32_t)__builtin_ctzll(later), size, allowed);
        if (kept == more && !saving_greater(&hope, &best[kept - 1]))
            continue;
        uint32_t at = kept < more ? kept++ : kept - 1;
        for (; at > 0 && saving_greater(&hope, &best[at - 1]); at--)
            best[at] = best[at - 1];
        best[at] = hope;
    }
    for (uint32_t i = 0; i < kept; i++)
        hd_cost_add(&sum, &best[i]);
    return sum;
}

/* Whether `mask`, grown by any fields from `next` on or not at all, might save more
 * than `achieved`. */
static bool may_save(const bounding *b, uint64_t mask, uint64_t bytes, uint32_t next,
                     const hd_cost_vector *achieved) {
    bool single = !(mask & (mask - 1));
    for (uint32_t more = single; next + more <= b->fields; more++) {
        hd_cost_vector hope = hope_with(b, mask, bytes, next, more);
        if (saving_greater(&hope, achieved))
            return true;
    }
    return false;
}

/* Prices `mask` and all that it can grow into by fields from `next` on. `achieved`
 * is what some part of it saves: whatever saves no more is not worth taking, since
 * that part and the other fields alone save as much. */
static void grow(bounding *b, uint64_t mask, uint64_t bytes, uint32_t next,
                 hd_cost_vector achieved) {
    if (out_of_time(b) || !may_save(b, mask, bytes, next, &achieved))
        return;
    if (mask & (mask - 1))
        price_cluster(b, mask, &achieved);
    for (uint32_t at = next; at < b->fields; at++) {
        uint32_t f = b->order[at];
        grow(b, mask | (uint64_t)1 << f, bytes + b->known->size[f], at + 1, achieved);
    }
}

/* What a field might save in a cluster of any kind. */
static hd_cost_vector hope_anywhere(const bounding *b, uint32_t f) {
    return saving_hope(b->known, f, b->known->size[f] + b->known->least_size, UINT64_MAX);
}

static void order_fields(bounding *b) {
    for (uint32_t f = 0; f < b->fields; f++) {
        hd_cost_vector hope = hope_anywhere(b, f);
        uint32_t at = f;
        for (; at > 0; at--) {
            hd_cost_vector other = hope_anywhere(b, b->order[at - 1]);
            if (!saving_greater(&hope, &other))
                break;
            b->order[at] = b->order[at - 1];
        }
        b->order[at] = f;
    }
    for (uint32_t at = b->fields; at-- > 0;)
        b->later[at] = b->later[at + 1] | (uint64_t)1 << b->order[at];
}

static void find_savers(bounding *b) {
    order_fields(b);
    for (uint32_t at = 0; at < b->fields; at++) {
        uint32_t f = b->order[at];
        b->first[at] = (uint32_t)b->savers.count;
        grow(b, (uint64_t)1 << f, b->known->size[f], at + 1, NOTHING);
    }
    b->first[b->fields] = (uint32_t)b->savers.count;
}

/* No layout saves more. */
static hd_cost_vector every_hope(const bounding *b) {
    hd_cost_vector sum = {{0}};
    for (uint32_t f = 0; f < b->fields; f++) {
        hd_cost_vector hope = hope_anywhere(b, f);
        if (saving_greater(&hope, &NOTHING))
            hd_cost_add(&sum, &hope);
    }
    return sum;
}

/* ---- which of them to take ---------------------------------------------------------------- */

static int saves_more(const void *a, const void *b) {
    const saver *x = a, *y = b;
    return saving_greater(&x->saving, &y->saving) ? -1 : saving_greater(&y->saving, &x->saving);
}

static void prepare_shares(bounding *b) {
    for (uint32_t at = 0; at < b->fields; at++)
        qsort(b->savers.data + b->first[at], b->first[at + 1] - b->first[at], sizeof(saver),
              saves_more);
    for (size_t i = 0; i < b->savers.count; i++) {
        const saver *s = &b->savers.data[i];
        hd_cost_vector share = scaled(&s->saving, 1.0 / __builtin_popcountll(s->mask));
        for (uint64_t left = s->mask; left; left &= left - 1) {
            hd_cost_vector *most = &b->share[__builtin_ctzll(left)];
            if (saving_greater(&share, most))
                *most = share;
        }
    }
}

/* The most that the fields outside `used`, from place `from` on, can still save. */
static hd_cost_vector still_possible(const bounding *b, uint64_t used, uint32_t from) {
    hd_cost_vector sum = {{0}};
    for (uint32_t at = from; at < b->fields; at++)
        if (!(used >> b->order[at] & 1))
            hd_cost_add(&sum, &b->share[b->order[at]]);
    return sum;
}

static void take(bounding *b, uint32_t at, uint64_t used, const hd_cost_vector *saved) {
    if (saving_greater(saved, &b->best_saving)) {
        b->best_saving = *saved;
        b->best_count = b->taken_count;
        memcpy(b->best, b->taken, b->taken_count * sizeof *b->taken);
    }
    while (at < b->fields && used >> b->order[at] & 1)
        at++;
    if (at == b->fields || out_of_time(b))
        return;
    hd_cost_vector most = still_possible(b, used, at);
    hd_cost_add(&most, saved);
    if (!saving_greater(&most, &b->best_saving))
        return;
    for (uint32_t i = b->first[at]; i < b->first[at + 1]; i++) {
        const saver *s = &b->savers.data[i];
        if (s->mask & used)
            continue;
        hd_cost_vector more = *saved;
        hd_cost_add(&more, &s->saving);
        b->taken[b->taken_count++] = i;
        take(b, at + 1, used | s->mask, &more);
        b->taken_count--;
    }
    take(b, at + 1, used, saved);
}

/* ---- the result ------------------------------------------------------------------------------- */

hd_cost_vector search_bound(hd_arena *arena, const saving_bounds *known, double seconds,
                            candidate *found, bound_effort *effort) {
    bounding *b = hd_new(arena, bounding);
    b->arena = arena;
    b->known = known;
    b->fields = known->fields;
    b->deadline = search_clock() + seconds;
    find_savers(b);
    prepare_shares(b);
    bool all_known = !b->late;
    take(b, 0, 0, &NOTHING);
    for (uint32_t i = 0; i < b->best_count; i++) {
        found->masks[found->count] = b->savers.data[b->best[i]].mask;
        found->tiles[found->count++] = b->savers.data[b->best[i]].tile;
    }
    *effort = (bound_effort){.nodes = b->nodes, .late = b->late};
    return !all_known ? every_hope(b) : b->late ? still_possible(b, 0, 0) : b->best_saving;
}
