/*
 * How many segments the lanes of a warp touch, from their addresses.
 *
 * For each pattern and each residue the lanes' addresses are computed with the
 * field's geometry, cut into aligned units (segments, lines, sectors), sorted
 * and counted once each. Two accesses whose indices differ by a constant can be
 * compared in the same way, since the residue of one gives that of the other:
 * the share of the later one's units that the earlier one touches too is the
 * exact form of the "index accordance" of Peng et al., section IV-F, which asks
 * only whether a whole struct more than covers the distance.
 */
#include "cost/internal.h"

enum { MAX_UNITS = 64 * 34 };

typedef struct units {
    uint32_t count;
    int64_t data[MAX_UNITS];
} units;

static void sort_unique(units *u) {
    bool sorted = true;
    for (uint32_t i = 1; i < u->count && sorted; i++)
        sorted = u->data[i - 1] < u->data[i];
    if (sorted)
        return;
    for (uint32_t i = 1; i < u->count; i++) { /* nearly sorted nearly always */
        int64_t value = u->data[i];
        uint32_t at = i;
        for (; at > 0 && u->data[at - 1] > value; at--)
            u->data[at] = u->data[at - 1];
        u->data[at] = value;
    }
    uint32_t n = 1;
    for (uint32_t i = 1; i < u->count; i++)
        if (u->data[i] != u->data[n - 1])
            u->data[n++] = u->data[i];
    u->count = n;
}

static int64_t floor_divide(int64_t a, int64_t b) {
    int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
}

/* One way of reading a pattern: geometry, and how far index and inner are moved. */
typedef struct reading {
    const geometry *place;
    uint32_t width;
    int64_t index, inner;
} reading;

static void collect(units *u, const lane_pattern *pattern, const reading *r, uint32_t unit) {
    const int64_t tile = (int64_t)r->place->tile;
    u->count = 0;
    for (uint32_t i = 0; i < pattern->lanes; i++) {
        int64_t index = r->index + pattern->index[i];
        int64_t number = floor_divide(index, tile);
        int64_t at = number * (int64_t)r->place->bytes + (int64_t)r->place->run +
                     (index - number * tile) * (int64_t)r->place->step + r->inner +
                     pattern->inner[i];
        int64_t first = floor_divide(at, unit), last = floor_divide(at + r->width - 1, unit);
        for (int64_t s = first; s <= last && u->count < MAX_UNITS; s++)
            if (u->count == 0 || u->data[u->count - 1] != s)
                u->data[u->count++] = s;
    }
    sort_unique(u);
}

static uint32_t level_of(uint64_t tile) { return (uint32_t)__builtin_ctzll(tile); }

double hd_shape_units(const shape *s, const geometry *place, uint32_t width, uint32_t unit) {
    units mine;
    double sum = 0;
    for (uint32_t p = 0; p < s->pattern_count; p++) {
        const residues *list = &s->levels[level_of(place->tile)][p];
        for (uint32_t i = 0; i < list->count; i++)
            for (uint32_t j = 0; j < s->inner.count; j++) {
                reading r = {place, width, list->data[i].value, s->inner.data[j].value};
                collect(&mine, &s->patterns[p], &r, unit);
                sum += mine.count * list->data[i].share * s->inner.data[j].share;
            }
    }
    return sum * s->lane_copies;
}

static uint32_t common(const units *a, const units *b) {
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->data[i] == b->data[j])
            count++;
        if (a->data[i] <= b->data[j])
            i++;
        else
            j++;
    }
    return count;
}

double hd_shape_covered(const shape *s, const geometry *place, uint32_t width,
                        const geometry *other, uint32_t other_width, int64_t dindex,
                        int64_t dinner, uint32_t unit) {
    units mine, theirs;
    double all = 0, both = 0;
    for (uint32_t p = 0; p < s->pattern_count; p++) {
        const residues *list = &s->levels[level_of(place->tile)][p];
        for (uint32_t i = 0; i < list->count; i++)
            for (uint32_t j = 0; j < s->inner.count; j++) {
                int64_t index = list->data[i].value, inner = s->inner.data[j].value;
                double share = list->data[i].share * s->inner.data[j].share;
                reading now = {place, width, index, inner};
                reading before = {other, other_width, index + dindex, inner + dinner};
                collect(&mine, &s->patterns[p], &now, unit);
                collect(&theirs, &s->patterns[p], &before, unit);
                all += mine.count * share;
                both += common(&mine, &theirs) * share;
            }
    }
    return all > 0 ? both / all : 0;
}
