/*
 * Branch and bound for records of many fields.
 *
 * A field alone has a price. A cluster is worth having only if it costs less
 * than its fields alone: it saves something. So the best layout is the set of
 * disjoint clusters that saves most, all other fields standing alone, and only
 * clusters that save need to be known. Two searches follow each other:
 *
 *   1. Which clusters save. Sets of fields are grown field by field; a set is
 *      given up when no field in it, nor any that could still join, could save
 *      enough even if all its accesses hit that might.
 *   2. Which of them to take: branch on the first field not yet decided, take
 *      one of the clusters that start with it or leave it alone. The bound gives
 *      each field its largest share of any cluster's saving (saving / fields).
 *
 * Savings are cost vectors; their order is compatible with addition, so sums and
 * shares of them bound as numbers would. Questions (see cost.h) are taken as
 * answered yes throughout, which can only lower prices: the result is a lower
 * bound, and the optimum is proven when the layout found costs that much under
 * its own answers too.
 */
#include <math.h>
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
    uint64_t tiles[HD_MAX_TILES];
    uint32_t tile_count;
    double deadline;
    bool late;
    uint64_t nodes;
    hd_cost_vector alone[HD_MAX_FIELDS];
    hd_cost_vector hope[HD_MAX_FIELDS]; /* most that a field can save in any cluster */
    hd_vec(saver) savers;
    uint32_t first[HD_MAX_FIELDS + 1];  /* savers sorted by their lowest field */
    hd_cost_vector share[HD_MAX_FIELDS];
    hd_cost_vector rest[HD_MAX_FIELDS + 1]; /* sum of shares from a field on */
    uint32_t taken[HD_MAX_FIELDS], taken_count;
    uint32_t best[HD_MAX_FIELDS], best_count;
    hd_cost_vector best_saving;
} bounding;

static const uint64_t ALL_YES = UINT64_MAX;
static const hd_cost_vector NOTHING = {{0}};

static hd_cost_vector scaled(const hd_cost_vector *a, double factor) {
    hd_cost_vector r;
    for (int d = 0; d <= HD_MAX_DEGREE; d++)
        r.v[d] = a->v[d] * factor;
    return r;
}

static hd_cost_vector minus(const hd_cost_vector *a, const hd_cost_vector *b) {
    hd_cost_vector r = *a, negative = scaled(b, -1);
    hd_cost_add(&r, &negative);
    return r;
}

/* Lexicographic order without tolerance: bounds must not be rounded away. */
static bool greater(const hd_cost_vector *a, const hd_cost_vector *b) {
    for (int d = HD_MAX_DEGREE; d >= 0; d--)
        if (a->v[d] != b->v[d])
            return a->v[d] > b->v[d];
    return false;
}

static bool out_of_time(bounding *b) {
    if (!b->late && (++b->nodes & 255) == 0 && search_clock() > b->deadline)
        b->late = true;
    return b->late;
}

/* ---- which clusters save -------------------------------------------------------------- */

static void price_cluster(bounding *b, uint64_t mask) {
    hd_cost_vector separate = {{0}}, best = {{0}};
    uint64_t best_tile = 0;
    for (uint64_t left = mask; left; left &= left - 1)
        hd_cost_add(&separate, &b->alone[__builtin_ctzll(left)]);
    for (uint32_t t = 0; t + 1 < b->tile_count; t++) { /* `soa` is what they cost alone */
        hd_cost_vector price = hd_cluster_price(b->model, mask, b->tiles[t], ALL_YES);
        if (best_tile == 0 || greater(&best, &price)) {
            best = price;
            best_tile = b->tiles[t];
        }
    }
    if (hd_cost_compare(&best, &separate) >= 0)
        return;
    saver s = {mask, best_tile, minus(&separate, &best)};
    hd_push(b->arena, &b->savers, s);
}

/* Grows `mask` by fields from `next` on; `hope` is what its fields might save. */
static void grow(bounding *b, uint64_t mask, uint32_t next, hd_cost_vector hope) {
    if (out_of_time(b))
        return;
    if (mask & (mask - 1))
        price_cluster(b, mask);
    for (uint32_t f = next; f < b->fields; f++) {
        hd_cost_vector more = hope;
        hd_cost_add(&more, &b->hope[f]);
        hd_cost_vector most = more;
        for (uint32_t g = f + 1; g < b->fields; g++)
            hd_cost_add(&most, &b->hope[g]);
        if (greater(&most, &NOTHING))
            grow(b, mask | (uint64_t)1 << f, f + 1, more);
    }
}

static void find_savers(bounding *b) {
    for (uint32_t f = 0; f < b->fields; f++)
        b->alone[f] = hd_cluster_price(b->model, (uint64_t)1 << f, HD_TILE_AOS, ALL_YES);
    for (uint32_t f = 0; f < b->fields; f++) {
        hd_cost_vector least = hd_field_bound(b->model, f);
        b->hope[f] = minus(&b->alone[f], &least);
    }
    for (uint32_t f = 0; f < b->fields; f++) {
        b->first[f] = (uint32_t)b->savers.count;
        hd_cost_vector hope = b->hope[f], most = hope;
        for (uint32_t g = f + 1; g < b->fields; g++)
            hd_cost_add(&most, &b->hope[g]);
        if (greater(&most, &NOTHING))
            grow(b, (uint64_t)1 << f, f + 1, hope);
    }
    b->first[b->fields] = (uint32_t)b->savers.count;
}

/* ---- which of them to take ---------------------------------------------------------------- */

static int saves_more(const void *a, const void *b) {
    const saver *x = a, *y = b;
    return greater(&x->saving, &y->saving) ? -1 : greater(&y->saving, &x->saving);
}

static void prepare_shares(bounding *b) {
    for (uint32_t f = 0; f < b->fields; f++)
        qsort(b->savers.data + b->first[f], b->first[f + 1] - b->first[f], sizeof(saver),
              saves_more);
    for (size_t i = 0; i < b->savers.count; i++) {
        const saver *s = &b->savers.data[i];
        hd_cost_vector share = scaled(&s->saving, 1.0 / __builtin_popcountll(s->mask));
        for (uint64_t left = s->mask; left; left &= left - 1) {
            hd_cost_vector *most = &b->share[__builtin_ctzll(left)];
            if (greater(&share, most))
                *most = share;
        }
    }
}

/* The most that the fields outside `used` can still save. */
static hd_cost_vector still_possible(const bounding *b, uint64_t used, uint32_t from) {
    hd_cost_vector sum = {{0}};
    for (uint32_t f = from; f < b->fields; f++)
        if (!(used >> f & 1))
            hd_cost_add(&sum, &b->share[f]);
    return sum;
}

static void take(bounding *b, uint32_t field, uint64_t used, const hd_cost_vector *saved) {
    if (greater(saved, &b->best_saving)) {
        b->best_saving = *saved;
        b->best_count = b->taken_count;
        memcpy(b->best, b->taken, b->taken_count * sizeof *b->taken);
    }
    while (field < b->fields && used >> field & 1)
        field++;
    if (field == b->fields || out_of_time(b))
        return;
    hd_cost_vector most = still_possible(b, used, field);
    hd_cost_add(&most, saved);
    if (!greater(&most, &b->best_saving))
        return;
    for (uint32_t i = b->first[field]; i < b->first[field + 1]; i++) {
        const saver *s = &b->savers.data[i];
        if (s->mask & used)
            continue;
        hd_cost_vector more = *saved;
        hd_cost_add(&more, &s->saving);
        b->taken[b->taken_count++] = i;
        take(b, field + 1, used | s->mask, &more);
        b->taken_count--;
    }
    take(b, field + 1, used, saved);
}

/* ---- the result ------------------------------------------------------------------------------- */

static candidate best_candidate(const bounding *b) {
    candidate c = {.count = 0};
    uint64_t used = 0;
    for (uint32_t i = 0; i < b->best_count; i++) {
        const saver *s = &b->savers.data[b->best[i]];
        c.masks[c.count] = s->mask;
        c.tiles[c.count++] = s->tile;
        used |= s->mask;
    }
    /* What stands alone costs the same as one `soa` cluster, which is nearer to AoS. */
    uint64_t rest = (b->fields == 64 ? UINT64_MAX : ((uint64_t)1 << b->fields) - 1) & ~used;
    if (rest) {
        c.masks[c.count] = rest;
        c.tiles[c.count++] = rest & (rest - 1) ? HD_TILE_SOA : HD_TILE_AOS;
    }
    return c;
}

bound_result search_bound(hd_arena *arena, hd_cost_model *model, double seconds, ranking *best) {
    bounding *b = hd_new(arena, bounding);
    b->arena = arena;
    b->model = model;
    b->fields = hd_cost_record(model)->field_count;
    b->tile_count = hd_cost_tiles(model, b->tiles);
    b->deadline = search_clock() + seconds;
    find_savers(b);
    prepare_shares(b);
    bool all_known = !b->late;
    take(b, 0, 0, &NOTHING);

    candidate found = best_candidate(b);
    found.cost = candidate_cost(model, &found);
    ranking_add(best, &found);
    bound_result result = {.nodes = b->nodes, .lower = hd_other_price(model, ALL_YES)};
    for (uint32_t f = 0; f < b->fields; f++)
        hd_cost_add(&result.lower, &b->alone[f]);
    hd_cost_vector most = b->best_saving;
    if (!all_known) { /* nothing better is known than every field's own hope */
        most = NOTHING;
        for (uint32_t f = 0; f < b->fields; f++)
            hd_cost_add(&most, &b->hope[f]);
    } else if (b->late) {
        most = still_possible(b, 0, 0);
    }
    result.lower = minus(&result.lower, &most);
    result.proven = !b->late && hd_cost_compare(&found.cost, &result.lower) <= 0;
    return result;
}
