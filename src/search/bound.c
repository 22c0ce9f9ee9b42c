/*
 * Branch and bound for records of many fields.
 *
 * A field alone has a price. A cluster is worth having only if it costs less
 * than its fields alone: it saves something. So the best layout is the set of
 * disjoint clusters that saves most, all other fields standing alone, and only
 * clusters that save need to be known. Two searches follow each other:
 *
 *   1. Which clusters save. Sets of fields are grown field by field. What a set
 *      and all it may grow into can save at most follows from bounds on its
 *      accesses (cost/bound.c): the larger the struct, the more transactions, so
 *      the fields that are there pay for each that joins. A set that cannot save
 *      any more is given up.
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
    hd_field_bounds bounds[HD_MAX_FIELDS];
    uint32_t order[HD_MAX_FIELDS];       /* fields, those with most to save first */
    uint64_t later[HD_MAX_FIELDS + 1];   /* set of the fields from a place in it on */
    uint32_t size[HD_MAX_FIELDS], least_size;
    hd_vec(saver) savers;
    uint32_t first[HD_MAX_FIELDS + 1];  /* savers, by the place of their first field */
    hd_cost_vector share[HD_MAX_FIELDS];
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

/* Prices `mask`; keeps it if it saves more than `achieved`, which it then raises. */
static void price_cluster(bounding *b, uint64_t mask, hd_cost_vector *achieved) {
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
    saver s = {mask, best_tile, minus(&separate, &best)};
    if (hd_cost_compare(&best, &separate) >= 0 || !greater(&s.saving, achieved))
        return;
    hd_push(b->arena, &b->savers, s);
    *achieved = s.saving;
}

/* The most that field `f` can save in a cluster of at least `bytes` bytes that
 * takes its other fields from `allowed`. */
static hd_cost_vector hope_of(const bounding *b, uint32_t f, uint64_t bytes, uint64_t allowed) {
    const hd_field_bounds *bounds = &b->bounds[f];
    uint64_t size = bytes / bounds->unit < bounds->sizes ? bytes / bounds->unit : bounds->sizes - 1;
    hd_cost_vector hope = b->alone[f];
    for (uint32_t i = 0; i < bounds->count; i++) {
        const hd_use_bound *u = &bounds->uses[i];
        hope.v[u->degree] -= u->mates & allowed ? u->joined[size] : u->apart[size];
    }
    return hope;
}

/* The most that `mask` can save when `more` of the fields from place `next` on join it. */
static hd_cost_vector hope_with(const bounding *b, uint64_t mask, uint64_t bytes, uint32_t next,
                                uint32_t more) {
    uint64_t later = b->later[next], allowed = mask | later;
    uint64_t size = bytes + (uint64_t)more * b->least_size;
    hd_cost_vector sum = {{0}}, best[HD_MAX_FIELDS];
    for (uint64_t left = mask; left; left &= left - 1) {
        hd_cost_vector hope = hope_of(b, (uint32_t)__builtin_ctzll(left), size, allowed);
        hd_cost_add(&sum, &hope);
    }
    uint32_t kept = 0;
    for (; later && more; later &= later - 1) { /* the `more` best of them, best first */
        hd_cost_vector hope = hope_of(b, (uint32_t)__builtin_ctzll(later), size, allowed);
        if (kept == more && !greater(&hope, &best[kept - 1]))
            continue;
        uint32_t at = kept < more ? kept++ : kept - 1;
        for (; at > 0 && greater(&hope, &best[at - 1]); at--)
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
        if (greater(&hope, achieved))
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
        grow(b, mask | (uint64_t)1 << f, bytes + b->size[f], at + 1, achieved);
    }
}

/* What a field might save in a cluster of any kind. */
static hd_cost_vector hope_anywhere(const bounding *b, uint32_t f) {
    return hope_of(b, f, b->size[f] + b->least_size, UINT64_MAX);
}

static void order_fields(bounding *b) {
    for (uint32_t f = 0; f < b->fields; f++) {
        hd_cost_vector hope = hope_anywhere(b, f);
        uint32_t at = f;
        for (; at > 0; at--) {
            hd_cost_vector other = hope_anywhere(b, b->order[at - 1]);
            if (!greater(&hope, &other))
                break;
            b->order[at] = b->order[at - 1];
        }
        b->order[at] = f;
    }
    for (uint32_t at = b->fields; at-- > 0;)
        b->later[at] = b->later[at + 1] | (uint64_t)1 << b->order[at];
}

static void find_savers(bounding *b) {
    const hd_record *record = hd_cost_record(b->model);
    b->least_size = UINT32_MAX;
    for (uint32_t f = 0; f < b->fields; f++) {
        b->alone[f] = hd_cluster_price(b->model, (uint64_t)1 << f, HD_TILE_AOS, ALL_YES);
        b->bounds[f] = hd_field_bounds_make(b->arena, b->model, f);
        b->size[f] = record->fields[f].size;
        b->least_size = b->size[f] < b->least_size ? b->size[f] : b->least_size;
    }
    order_fields(b);
    for (uint32_t at = 0; at < b->fields; at++) {
        uint32_t f = b->order[at];
        b->first[at] = (uint32_t)b->savers.count;
        grow(b, (uint64_t)1 << f, b->size[f], at + 1, NOTHING);
    }
    b->first[b->fields] = (uint32_t)b->savers.count;
}

/* No layout saves more. */
static hd_cost_vector every_hope(const bounding *b) {
    hd_cost_vector sum = {{0}};
    for (uint32_t f = 0; f < b->fields; f++) {
        hd_cost_vector hope = hope_anywhere(b, f);
        if (greater(&hope, &NOTHING))
            hd_cost_add(&sum, &hope);
    }
    return sum;
}

/* ---- which of them to take ---------------------------------------------------------------- */

static int saves_more(const void *a, const void *b) {
    const saver *x = a, *y = b;
    return greater(&x->saving, &y->saving) ? -1 : greater(&y->saving, &x->saving);
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
            if (greater(&share, most))
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
    if (greater(saved, &b->best_saving)) {
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
    if (!greater(&most, &b->best_saving))
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
    if (!all_known) {
        most = every_hope(b);
    } else if (b->late) {
        most = still_possible(b, 0, 0);
    }
    result.lower = minus(&result.lower, &most);
    for (int d = 0; d <= HD_MAX_DEGREE; d++)
        result.lower.v[d] = result.lower.v[d] > 0 ? result.lower.v[d] : 0;
    result.proven = !b->late && hd_cost_compare(&found.cost, &result.lower) <= 0;
    return result;
}
