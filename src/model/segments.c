/*
 * How many segments the lanes of a warp touch, from their addresses.
 *
 * For each pattern and each residue the lanes' addresses are computed with the
 * field's geometry, cut into aligned units (segments, lines, sectors), and each
 * unit is counted once. Lanes side by side touch a run of units, and so does one
 * wide access; runs are what is sorted and joined here. Two accesses whose indices
 * differ by a constant can be compared in the same way, since the residue of one
 * gives that of the other: the share of the later one's units that the earlier one
 * touches too is the exact form of the "index accordance" of Peng et al., section
 * IV-F, which asks only whether a whole struct more than covers the distance.
 *
 * Sums wrap around: an address that no buffer reaches must not stop the analysis.
 */
#include "model/cost_internal.h"

/* Units first .. last. */
typedef struct run {
    int64_t first, last;
} run;

typedef struct units {
    uint32_t count;
    run runs[MAX_LANES];
} units;

/* Adds a run; joins it with the one before where they meet. */
static void add_run(units *u, run more) {
    run *before = u->count ? &u->runs[u->count - 1] : NULL;
    if (before && more.first >= before->first && more.first - 1 <= before->last) {
        if (more.last > before->last)
            before->last = more.last;
    } else {
        u->runs[u->count++] = more;
    }
}

static void sort_runs(units *u) {
    bool sorted = true;
    for (uint32_t i = 1; i < u->count && sorted; i++)
        sorted = u->runs[i - 1].last < u->runs[i].first;
    if (sorted)
        return;
    for (uint32_t i = 1; i < u->count; i++) { /* nearly sorted nearly always */
        run value = u->runs[i];
        uint32_t at = i;
        for (; at > 0 && u->runs[at - 1].first > value.first; at--)
            u->runs[at] = u->runs[at - 1];
        u->runs[at] = value;
    }
    uint32_t count = u->count;
    u->count = 0;
    for (uint32_t i = 0; i < count; i++)
        add_run(u, u->runs[i]);
}

/* Divided by 2 to the shift, rounded down. */
static int64_t shifted(int64_t a, uint32_t shift) { return a >> shift; }

/* One way of reading a pattern: geometry, and how far index and inner are moved. */
typedef struct reading {
    const geometry *place;
    uint32_t width;
    int64_t index, inner;
} reading;

/* The units of the lanes from `first` up to `end`. */
static void collect(units *u, const lane_pattern *pattern, uint32_t first, uint32_t end,
                    const reading *r, uint32_t unit) {
    const geometry g = *r->place;
    uint32_t tile = (uint32_t)__builtin_ctzll(g.tile), shift = (uint32_t)__builtin_ctz(unit);
    uint64_t width = r->width ? r->width - 1 : 0;
    u->count = 0;
    for (uint32_t i = first; i < end; i++) {
        int64_t index = (int64_t)((uint64_t)r->index + (uint64_t)pattern->index[i]);
        uint64_t number = (uint64_t)shifted(index, tile);
        uint64_t in_tile = (uint64_t)index - (number << tile);
        int64_t at = (int64_t)(number * g.bytes + g.run + in_tile * g.step + (uint64_t)r->inner +
                               (uint64_t)pattern->inner[i]);
        int64_t last = (int64_t)((uint64_t)at + width);
        run more = {shifted(at, shift), shifted(last < at ? at : last, shift)};
        add_run(u, more);
    }
    sort_runs(u);
}

static double count_units(const units *u) {
    double count = 0;
    for (uint32_t i = 0; i < u->count; i++)
        count += (double)(u->runs[i].last - u->runs[i].first + 1);
    return count;
}

static uint32_t level_of(uint64_t tile) { return (uint32_t)__builtin_ctzll(tile); }

double cost_shape_units(const shape *s, const geometry *place, uint32_t width, uint32_t unit) {
    units mine;
    double sum = 0;
    for (uint32_t p = 0; p < s->pattern_count; p++) {
        const lane_pattern *pattern = &s->patterns[p];
        const residues *list = &s->levels[level_of(place->tile)][p];
        for (uint32_t i = 0; i < list->count; i++)
            for (uint32_t j = 0; j < s->inner.count; j++) {
                reading r = {place, width, list->data[i].value, s->inner.data[j].value};
                collect(&mine, pattern, 0, pattern->half, &r, unit); /* each request by itself */
                double count = count_units(&mine);
                collect(&mine, pattern, pattern->half, pattern->lanes, &r, unit);
                count += count_units(&mine);
                sum += count * list->data[i].share * s->inner.data[j].share;
            }
    }
    return sum * s->lane_copies;
}

/* Units that stand in both. */
static double common(const units *a, const units *b) {
    double count = 0;
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        const run *x = &a->runs[i], *y = &b->runs[j];
        int64_t first = x->first > y->first ? x->first : y->first;
        int64_t last = x->last < y->last ? x->last : y->last;
        if (first <= last)
            count += (double)(last - first + 1);
        if (x->last <= y->last)
            i++;
        else
            j++;
    }
    return count;
}

/* What is compared of a shape with that of an earlier access. */
typedef struct comparison {
    const geometry *place, *other;
    uint32_t width, other_width, unit;
    int64_t dindex, dinner;
    double all, both; /* units of the later one; those that the earlier one touches too */
} comparison;

static void compare(comparison *c, const lane_pattern *pattern, int64_t index, int64_t inner,
                    double share) {
    units mine, theirs;
    reading now = {c->place, c->width, index, inner};
    reading before = {c->other, c->other_width, index + c->dindex, inner + c->dinner};
    collect(&mine, pattern, 0, pattern->lanes, &now, c->unit);
    collect(&theirs, pattern, 0, pattern->lanes, &before, c->unit);
    c->all += count_units(&mine) * share;
    c->both += common(&mine, &theirs) * share;
}

/* A pattern that may stand anywhere: some places, spread over the period. */
static void compare_anywhere(comparison *c, const lane_pattern *pattern, double share) {
    enum { PLACES = 128, APART = 97 };
    for (int64_t i = 0; i < PLACES; i++)
        compare(c, pattern, i * APART, 0, share / PLACES);
}

double cost_shape_covered(const shape *s, const geometry *place, uint32_t width,
                          const geometry *other, uint32_t other_width, int64_t dindex,
                          int64_t dinner, uint32_t unit) {
    comparison c = {place, other, width, other_width, unit, dindex, dinner, 0, 0};
    uint32_t seen = 0;
    for (uint32_t p = 0; p < s->pattern_count; p++) {
        const residues *list = &s->levels[level_of(place->tile)][p];
        for (uint32_t i = 0; i < list->count; i++) {
            uint32_t any = seen++ * 0x9e3779b9u >> 16; /* in no step with the residues */
            if (s->sparse_cover && any % s->sparse_cover)
                continue;
            if (s->patterns[p].anywhere)
                compare_anywhere(&c, &s->patterns[p], list->data[i].share);
            for (uint32_t j = 0; j < s->inner.count && !s->patterns[p].anywhere; j++)
                compare(&c, &s->patterns[p], list->data[i].value, s->inner.data[j].value,
                        list->data[i].share * s->inner.data[j].share);
        }
    }
    return c.all > 0 ? c.both / c.all : 0;
}
