/*
 * Lines of a study, and where the lead changes hands along them.
 *
 * From the first point of a line on all contenders that nobody beats are kept, until none is left
 * that was measured: there another leader's stretch begins, and of the contenders that were left
 * the one that was measured most often, and then came nearest to the best, led up to there. Where
 * no variant is missing, no way to cut the line into stretches has fewer of them, because who is
 * not beaten in a stretch is not beaten in any part of it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "advise/explore/study.h"

/* ---- lines ---------------------------------------------------------------------------------- */

typedef hd_vec(const hd_study_point *) stop_list;
typedef hd_vec(hd_handover) handover_list;

static int by_value(const void *a, const void *b, void *dimension) {
    const hd_study_point *const *x = a, *const *y = b;
    int d = *(int *)dimension;
    double one = (*x)->point.value[d], other = (*y)->point.value[d];
    return (one > other) - (one < other);
}

static void find_handovers(hd_arena *arena, hd_line *line);

/* The lines of a dimension, at study->lines[study->line_count] and on. */
static void add_lines(hd_arena *arena, hd_study *study, int dimension) {
    hd_hash_table known = {.arena = arena, .key_bytes = sizeof(hd_micro_point)};
    stop_list *stops = hd_new_array(arena, stop_list, study->point_count);
    hd_micro_point **bases = hd_new_array(arena, hd_micro_point *, study->point_count);
    const hd_micro_point usual = hd_micro_usual();
    for (uint32_t p = 0; p < study->point_count; p++) {
        hd_micro_point *base = hd_new(arena, hd_micro_point);
        *base = study->points[p].point;
        base->value[dimension] = usual.value[dimension];
        uint64_t number = hd_hash_add_key(&known, base, known.count);
        bases[number] = base;
        hd_push(arena, &stops[number], &study->points[p]);
    }
    for (int through_usual = 1; through_usual >= 0; through_usual--)
        for (size_t b = 0; b < known.count; b++) {
            if (stops[b].count < 2 || hd_micro_equal(bases[b], &usual) != through_usual)
                continue;
            qsort_r(stops[b].data, stops[b].count, sizeof *stops[b].data, by_value, &dimension);
            hd_line *line = &study->lines[study->line_count++];
            *line = (hd_line){.dimension = dimension,
                              .base = *bases[b],
                              .stops = stops[b].data,
                              .count = (uint32_t)stops[b].count};
            if (!hd_dimensions[dimension].names)
                find_handovers(arena, line);
        }
}

void study_find_lines(hd_arena *arena, hd_study *study) {
    study->lines = hd_new_array(arena, hd_line, HD_DIMENSIONS * (size_t)study->point_count / 2 + 1);
    for (int d = 0; d < HD_DIMENSIONS; d++)
        add_lines(arena, study, d);
}

/* ---- contenders along a line ---------------------------------------------------------------- */

/* Those of a line, by an objective: layouts in placements that were measured at most stops, and how
 * they stand among each other. */
typedef struct course {
    const hd_line *line;
    uint32_t count;         /* of contenders */
    const hd_standing **at; /* [stop][contender]; NULL: its value is not known */
} course;

static const hd_standing *standing(const course *c, uint32_t stop, uint32_t who) {
    return c->at[(size_t)stop * c->count + who];
}

/* A layout in a placement. */
typedef struct entrant {
    const hd_explored *like;
    uint32_t measured; /* at how many stops */
} entrant;
typedef hd_vec(entrant) entrant_list;

/* Counts where each was measured. Returns how many stops have any. */
static uint32_t find_entrants(hd_arena *arena, const hd_line *line, hd_objective objective,
                              entrant_list *found) {
    uint32_t stops = 0;
    for (uint32_t s = 0; s < line->count; s++) {
        const hd_ranking *ranking = &line->stops[s]->ranking[objective];
        stops += ranking->count > 0;
        for (uint32_t r = 0; r < ranking->count; r++) {
            size_t f = 0;
            while (f < found->count &&
                   !hd_explored_is(found->data[f].like, ranking->all[r].variant->layout,
                                   ranking->all[r].variant->placement))
                f++;
            if (f == found->count)
                hd_push(arena, found, (entrant){ranking->all[r].variant, 0});
            found->data[f].measured++;
        }
    }
    return stops;
}

/* Rankings are in order, so the first contender of a stop is the best there. */
static void stand(hd_arena *arena, course *c, uint32_t stop, const hd_ranking *ranking,
                  const entrant *contenders) {
    const hd_standing *best = NULL;
    for (uint32_t r = 0; r < ranking->count; r++)
        for (uint32_t k = 0; k < c->count; k++)
            if (hd_explored_is(contenders[k].like, ranking->all[r].variant->layout,
                               ranking->all[r].variant->placement)) {
                hd_standing *own = hd_new(arena, hd_standing);
                *own = ranking->all[r];
                best = best ? best : own;
                own->lost = 1 - best->value.median / own->value.median;
                own->as_good = study_as_good(own->value, best->value);
                c->at[(size_t)stop * c->count + k] = own;
            }
}

static course course_of(hd_arena *arena, const hd_line *line, hd_objective objective) {
    entrant_list found = {0};
    course c = {.line = line};
    uint32_t stops = find_entrants(arena, line, objective, &found);
    for (size_t f = 0; f < found.count; f++)
        if (2 * found.data[f].measured > stops)
            found.data[c.count++] = found.data[f];
    c.at = hd_new_array(arena, const hd_standing *, (size_t)line->count *c.count);
    for (uint32_t s = 0; s < line->count; s++)
        stand(arena, &c, s, &line->stops[s]->ranking[objective], found.data);
    return c;
}

/* ---- stretches of one leader ---------------------------------------------------------------- */

typedef struct contender {
    bool beaten;
    uint32_t measured; /* at how many stops of the stretch, */
    double behind;     /* and the sum of the logarithms of its value by the best one's there */
} contender;

/* Whether someone is left who was measured, after this stop. */
static bool goes_on(const course *c, uint32_t stop, const contender *all) {
    bool anyone = false;
    for (uint32_t k = 0; k < c->count; k++) {
        const hd_standing *here = standing(c, stop, k);
        if (!all[k].beaten && (here ? here->as_good : all[k].measured > 0))
            return true;
        anyone |= here != NULL;
    }
    return !anyone;
}

static void pass(const course *c, uint32_t stop, contender *all) {
    for (uint32_t k = 0; k < c->count; k++) {
        const hd_standing *here = standing(c, stop, k);
        if (!here)
            continue;
        all[k].beaten |= !here->as_good;
        all[k].measured++;
        all[k].behind -= log1p(-here->lost);
    }
}

/* Who leads from stop `first` on, and until before which stop; -1: nobody was measured. */
static int leader_from(hd_arena *arena, const course *c, uint32_t first, uint32_t *end) {
    contender *all = hd_new_array(arena, contender, c->count);
    int leader = -1;
    for (*end = first; *end < c->line->count && goes_on(c, *end, all); (*end)++)
        pass(c, *end, all);
    for (uint32_t k = 0; k < c->count; k++)
        if (!all[k].beaten && all[k].measured &&
            (leader < 0 || all[k].measured > all[leader].measured ||
             (all[k].measured == all[leader].measured && all[k].behind < all[leader].behind)))
            leader = (int)k;
    return leader;
}

/* ---- where the lead passes ------------------------------------------------------------------ */

/* Of two contenders, where both were measured. */
typedef struct duel {
    const double *value;      /* of the dimension, */
    const hd_interval *ratio; /* and the next leader's by the old one's, as logarithms */
    uint32_t count, first;    /* the first of those that the next one leads at */
    double low, high;         /* ends of the line */
} duel;

static double ratio_end(const hd_interval *r, int end) {
    return end < 0 ? r->low : end > 0 ? r->high : r->median;
}

/* Where a line through two points of a course is 0. */
static double zero_between(double from, double to, double before, double after) {
    double share = before / (before - after);
    return from <= 0 ? from + share * (to - from) : from * pow(to / from, share);
}

/* Where the low or high ends of the ratios, or their medians, pass 0 next to where the lead changes
 * hands. */
static double passes_at(const duel *d, int end) {
    uint32_t to = d->first;
    if (ratio_end(&d->ratio[to - 1], end) < 0)
        while (to > 0 && ratio_end(&d->ratio[to - 1], end) < 0)
            to--;
    else
        while (to < d->count && ratio_end(&d->ratio[to], end) >= 0)
            to++;
    return to == 0 ? d->low
           : to == d->count
               ? d->high
               : zero_between(d->value[to - 1], d->value[to], ratio_end(&d->ratio[to - 1], end),
                              ratio_end(&d->ratio[to], end));
}

/* Fills at, low and high. `boundary`: the first stop that contender `to` leads. */
static void locate(hd_arena *arena, const course *c, uint32_t from, uint32_t to, uint32_t boundary,
                   hd_handover *h) {
    double *value = hd_new_array(arena, double, c->line->count);
    hd_interval *ratio = hd_new_array(arena, hd_interval, c->line->count);
    int dimension = c->line->dimension;
    duel d = {value,
              ratio,
              0,
              0,
              c->line->stops[0]->point.value[dimension],
              c->line->stops[c->line->count - 1]->point.value[dimension]};
    for (uint32_t s = 0; s < c->line->count; s++) {
        const hd_standing *old = standing(c, s, from), *next = standing(c, s, to);
        if (s == boundary)
            d.first = d.count;
        if (!old || !next)
            continue;
        const hd_interval r = study_ratio(next->value, old->value);
        ratio[d.count] = (hd_interval){log(r.median), log(r.low), log(r.high)};
        value[d.count++] = c->line->stops[s]->point.value[dimension];
    }
    h->at = h->low = h->high = NAN;
    if (d.first == 0 || d.first == d.count)
        return;
    h->at = passes_at(&d, 0);
    h->low = passes_at(&d, -1);
    h->high = passes_at(&d, 1);
}

static const hd_explored *measured_at(const course *c, uint32_t who, uint32_t stop, int step) {
    const hd_standing *found;
    while (!(found = standing(c, stop, who)))
        stop += (uint32_t)step;
    return found->variant;
}

static void find_handovers(hd_arena *arena, hd_line *line) {
    handover_list found = {0};
    for (int o = 0; o < HD_OBJECTIVES; o++) {
        const course c = course_of(arena, line, (hd_objective)o);
        uint32_t begin = 0, end;
        int leader = leader_from(arena, &c, 0, &end);
        while (leader >= 0 && end < line->count) {
            begin = end;
            int next = leader_from(arena, &c, begin, &end);
            hd_handover h = {.objective = (hd_objective)o,
                             .from = measured_at(&c, (uint32_t)leader, begin - 1, -1),
                             .to = measured_at(&c, (uint32_t)next, begin, 1)};
            locate(arena, &c, (uint32_t)leader, (uint32_t)next, begin, &h);
            hd_push(arena, &found, h);
            leader = next;
        }
    }
    line->handovers = found.data;
    line->handover_count = (uint32_t)found.count;
}
