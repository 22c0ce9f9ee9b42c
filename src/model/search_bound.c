/*
 * Branch and bound for records of too many fields for all their subsets.
 *
 * A cluster is worth having only if it costs less than its fields alone: it saves
 * something. So the best layout is the set of disjoint clusters that saves most,
 * all other fields standing alone, and only clusters that save need to be known.
 * A first layout comes from joining, again and again, the two clusters that save
 * most by it. Then two searches follow each other:
 *
 *   1. Which clusters save. Sets of fields are grown field by field. What a set
 *      and all it may grow into can save at most follows from bounds on its
 *      accesses (model/cost_bound.c); one that cannot save more than a part of it does
 *      is given up.
 *   2. Which of them to take: branch on the first field not yet decided, take
 *      one of the clusters that start with it or leave it alone. The bound gives
 *      each field its largest share of any cluster's saving (saving / fields).
 *
 * Both stop when time is up; the first layout then stands, and what is known bounds
 * what may have been missed.
 */
#include <stdlib.h>

#include "model/search_internal.h"

typedef struct bounding {
    hd_arena *arena;
    uint32_t fields;
    const saving_bounds *known;
    double deadline;
    uint64_t most_nodes; /* 0: no limit */
    bool late;
    uint64_t nodes;
    uint32_t order[HD_MAX_FIELDS];           /* fields, those with most to save first */
    hd_cost_vector later[HD_MAX_FIELDS + 1]; /* what the fields from a place on could save */
    hd_vec(saver) savers;
    uint32_t first[HD_MAX_FIELDS + 1]; /* savers, by the place of their first field */
    hd_cost_vector share[HD_MAX_FIELDS];
    uint32_t taken[HD_MAX_FIELDS], taken_count;
    saver best[HD_MAX_FIELDS];
    uint32_t best_count;
    hd_cost_vector best_saving;
} bounding;

static const hd_cost_vector NOTHING = {{0}};

static bool out_of_time(bounding *b) {
    if (!b->late && (++b->nodes & 255) == 0)
        b->late = (b->most_nodes && b->nodes > b->most_nodes) || hd_clock() > b->deadline;
    return b->late;
}

/* ---- a first layout ------------------------------------------------------------------- */

/* The clusters that are being joined, and what joining two of them saves. */
typedef struct joining {
    saver clusters[HD_MAX_FIELDS], joined[HD_MAX_FIELDS][HD_MAX_FIELDS];
    hd_cost_vector gain[HD_MAX_FIELDS][HD_MAX_FIELDS]; /* [i][j], j < i */
    uint32_t count;
} joining;

static void try_join(bounding *b, joining *j, uint32_t x, uint32_t y) {
    const saver *a = &j->clusters[x], *c = &j->clusters[y];
    hd_cost_vector apart = a->saving;
    hd_cost_add(&apart, &c->saving);
    j->gain[x][y] = NOTHING;
    saver *both = &j->joined[x][y];
    *both = (saver){.mask = a->mask | c->mask};
    if (out_of_time(b) || !saving_may_exceed(b->known, both->mask, &apart))
        return;
    both->saving = saving_of_cluster(b->known, both->mask, &both->tile);
    j->gain[x][y] = saving_minus(&both->saving, &apart);
}

/* Puts the union of clusters x and y, y < x, in y's place. */
static void join(bounding *b, joining *j, uint32_t x, uint32_t y) {
    uint32_t last = --j->count;
    j->clusters[y] = j->joined[x][y];
    j->clusters[x] = j->clusters[last];
    for (uint32_t i = 0; i < j->count; i++) {
        if (i < y)
            try_join(b, j, y, i);
        else if (i > y)
            try_join(b, j, i, y);
        if (i != y && i < x) {
            j->gain[x][i] = j->gain[last][i];
            j->joined[x][i] = j->joined[last][i];
        } else if (i > x) {
            j->gain[i][x] = j->gain[last][i];
            j->joined[i][x] = j->joined[last][i];
        }
    }
}

static void find_first_layout(bounding *b) {
    joining *j = hd_new(b->arena, joining);
    j->count = b->fields;
    for (uint32_t x = 0; x < b->fields; x++) {
        j->clusters[x].mask = (uint64_t)1 << x;
        for (uint32_t y = 0; y < x; y++)
            try_join(b, j, x, y);
    }
    for (;;) {
        uint32_t best_x = 0, best_y = 0;
        hd_cost_vector best = NOTHING;
        for (uint32_t x = 0; x < j->count; x++)
            for (uint32_t y = 0; y < x; y++)
                if (saving_greater(&j->gain[x][y], &best)) {
                    best = j->gain[x][y];
                    best_x = x;
                    best_y = y;
                }
        if (best_x == best_y)
            break;
        join(b, j, best_x, best_y);
    }
    for (uint32_t i = 0; i < j->count; i++)
        if (saving_greater(&j->clusters[i].saving, &NOTHING)) {
            b->best[b->best_count++] = j->clusters[i];
            hd_cost_add(&b->best_saving, &j->clusters[i].saving);
        }
}

/* ---- which clusters save -------------------------------------------------------------- */

/* Prices `mask` and all that it can grow into by fields from place `next` on. `hope`
 * is what its fields could save, `achieved` what some part of it does save: whatever
 * saves no more is not worth taking, since that part and the other fields alone save
 * as much. */
static void grow(bounding *b, uint64_t mask, uint32_t next, hd_cost_vector hope,
                 hd_cost_vector achieved) {
    hd_cost_vector most = hope;
    hd_cost_add(&most, &b->later[next]);
    if (out_of_time(b) || !saving_greater(&most, &achieved))
        return;
    if (mask & (mask - 1)) {
        saver s = {.mask = mask};
        s.saving = saving_of_cluster(b->known, mask, &s.tile);
        if (saving_greater(&s.saving, &achieved)) {
            hd_push(b->arena, &b->savers, s);
            achieved = s.saving;
        }
    }
    for (uint32_t at = next; at < b->fields; at++) {
        hd_cost_vector more = hope;
        hd_cost_add(&more, &b->known->hope[b->order[at]]);
        grow(b, mask | (uint64_t)1 << b->order[at], at + 1, more, achieved);
    }
}

/* Takes the fields with most to save first. */
static void find_savers(bounding *b) {
    const hd_cost_vector *hope = b->known->hope;
    for (uint32_t f = 0; f < b->fields; f++) {
        uint32_t at = f;
        for (; at > 0 && saving_greater(&hope[f], &hope[b->order[at - 1]]); at--)
            b->order[at] = b->order[at - 1];
        b->order[at] = f;
    }
    for (uint32_t at = b->fields; at-- > 0;) {
        b->later[at] = b->later[at + 1];
        if (saving_greater(&hope[b->order[at]], &NOTHING))
            hd_cost_add(&b->later[at], &hope[b->order[at]]);
    }
    for (uint32_t at = 0; at < b->fields; at++) {
        uint32_t f = b->order[at];
        b->first[at] = (uint32_t)b->savers.count;
        grow(b, (uint64_t)1 << f, at + 1, hope[f], NOTHING);
    }
    b->first[b->fields] = (uint32_t)b->savers.count;
}

/* ---- which of them to take ---------------------------------------------------------------- */

static int saves_more(const void *a, const void *b) {
    const saver *x = a, *y = b;
    return saving_greater(&x->saving, &y->saving) ? -1 : saving_greater(&y->saving, &x->saving);
}

static void prepare_shares(bounding *b) {
    for (uint32_t at = 0; at < b->fields; at++)
        if (b->first[at] < b->first[at + 1])
            qsort(b->savers.data + b->first[at], b->first[at + 1] - b->first[at], sizeof(saver),
                  saves_more);
    for (size_t i = 0; i < b->savers.count; i++) {
        const saver *s = &b->savers.data[i];
        hd_cost_vector share = s->saving;
        for (int d = 0; d <= HD_MAX_DEGREE; d++)
            share.v[d] *= 1.0 / __builtin_popcountll(s->mask);
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

static void take_savers(bounding *b, uint32_t at, uint64_t used, const hd_cost_vector *saved) {
    if (saving_greater(saved, &b->best_saving)) {
        b->best_saving = *saved;
        b->best_count = b->taken_count;
        for (uint32_t i = 0; i < b->taken_count; i++)
            b->best[i] = b->savers.data[b->taken[i]];
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
        take_savers(b, at + 1, used | s->mask, &more);
        b->taken_count--;
    }
    take_savers(b, at + 1, used, saved);
}

/* ---- the result ----------------------------------------------------------------------------- */

hd_cost_vector search_bound(hd_arena *arena, const saving_bounds *known,
                            const hd_search_options *options, candidate *found,
                            bound_effort *effort) {
    bounding *b = hd_new(arena, bounding);
    b->arena = arena;
    b->known = known;
    b->fields = known->fields;
    b->deadline = hd_clock() + (options->seconds > 0 ? options->seconds : 60);
    b->most_nodes = options->nodes;
    find_first_layout(b);
    find_savers(b);
    prepare_shares(b);
    bool all_known = !b->late;
    take_savers(b, 0, 0, &NOTHING);
    for (uint32_t i = 0; i < b->best_count; i++) {
        found->masks[found->count] = b->best[i].mask;
        found->tiles[found->count++] = b->best[i].tile;
    }
    *effort = (bound_effort){.nodes = b->nodes, .late = b->late};
    return !all_known ? b->later[0] : b->late ? still_possible(b, 0, 0) : b->best_saving;
}
