/* What a study of micro-kernels shows. The context of all rows is the hd_study. */
#include "cli/report/members.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/report.h"

/* ---- variants ------------------------------------------------------------------------------- */

HD_GETTER(point_of, hd_explored, hd_text(hd_micro_print(view->arena, &row->point)))

static const hd_member place_members[] = {HD_SAME(hd_explored, layout, placement), {0}};
static const hd_member variant_members[] = {
    {"point", .get = point_of}, {HD_SELF, .of = place_members}, {0}};

static const hd_member interval_members[] = {HD_SAME(hd_interval, median, low, high), {0}};

/* "cycles=1000 misses=20" as an object. */
static hd_value variant_counters(const hd_view *view, const void *at) {
    uint32_t count;
    char **words = hd_split_words(view->arena, ((const hd_explored *)at)->counters, &count);
    json_t *counters = json_object();
    for (uint32_t w = 0; w < count; w++) {
        char *value = strchr(words[w], '=');
        if (value) {
            *value++ = 0;
            json_object_set_new(counters, words[w], json_real(strtod(value, NULL)));
        }
    }
    return hd_document(counters);
}

static const hd_member standing_variant_members[] = {
    {HD_SELF, .of = place_members}, {"counters", .get = variant_counters}, {0}};

static const hd_member standing_members[] = {
    {HD_BEHIND(hd_standing, variant), .of = standing_variant_members},
    {HD_IN(hd_standing, value), .of = interval_members},
    HD_SAME(hd_standing, lost, as_good),
    {0}};

/* ---- a point by an objective ---------------------------------------------------------------- */

typedef struct by_objective {
    const hd_ranking *ranking;
    hd_objective objective;
} by_objective;

HD_GETTER(objective_of, by_objective, hd_text(hd_quantities[row->objective].name))
/* The best, and how many are as good. */
static hd_value leaders_of(const hd_view *view, const void *at) {
    const hd_ranking *ranking = ((const by_objective *)at)->ranking;
    if (!ranking->count)
        return hd_text("");
    const char *best = hd_study_print(view->arena, view->context, ranking->all[0].variant);
    uint32_t others = ranking->as_good - 1;
    return hd_text(
        others ? hd_format(view->arena, "%s, or %u other%s", best, others, others == 1 ? "" : "s")
               : best);
}
/* What the worst of those that are not as good loses. */
static hd_value most_lost_of(const hd_view *view, const void *at) {
    const hd_ranking *ranking = ((const by_objective *)at)->ranking;
    (void)view;
    for (uint32_t s = ranking->count; s > 0; s--)
        if (!ranking->all[s - 1].as_good)
            return hd_real(ranking->all[s - 1].lost);
    return hd_null();
}

static const hd_member by_objective_members[] = {
    {"objective", .get = objective_of},
    {NULL, "least %s", .get = leaders_of},
    {NULL, "others lose", HD_SHARE, .get = most_lost_of},
    {"variants", HD_VIA(by_objective, ranking, HD_MANY, all, count), .of = standing_members},
    {0}};

/* ---- lines ---------------------------------------------------------------------------------- */

hd_value hd_line_stops(hd_arena *arena, const hd_study *study, const hd_line *line) {
    hd_line_stop *stops = hd_new_array(arena, hd_line_stop, line->count);
    for (uint32_t s = 0; s < line->count; s++)
        stops[s] = (hd_line_stop){line->dimension, line->stops[s]};
    return hd_with(hd_rows(stops, line->count), study);
}

/* Without energy, by time alone. */
static hd_value objectives_of(const hd_view *view, const void *at) {
    const hd_line_stop *stop = at;
    const hd_study *study = view->context;
    uint32_t count = study->why ? 1 : HD_OBJECTIVES;
    by_objective *all = hd_new_array(view->arena, by_objective, count);
    for (uint32_t o = 0; o < count; o++)
        all[o] = (by_objective){&stop->point->ranking[o], (hd_objective)o};
    return hd_rows(all, count);
}

/* Variants in the order of the point, with a standing's value in watts. */
static hd_value powers_of(const hd_view *view, const void *at) {
    const hd_study_point *point = ((const hd_line_stop *)at)->point;
    hd_standing *all = hd_new_array(view->arena, hd_standing, point->count);
    uint32_t count = 0;
    for (uint32_t v = 0; v < point->count; v++) {
        all[count].variant = point->variants[v];
        count +=
            hd_study_value(view->context, point->variants[v], HD_QUANTITY_POWER, &all[count].value);
    }
    return hd_rows(all, count);
}

/* "10.3 to 18.6 W". */
static hd_value power_shown(const hd_view *view, const void *at) {
    const hd_value powers = powers_of(view, at);
    const hd_standing *all = powers.data;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < powers.count; i++) {
        least = fmin(least, all[i].value.median);
        most = fmax(most, all[i].value.median);
    }
    return powers.count ? hd_text(hd_format(view->arena, "%.3g to %.3g W", least, most))
                        : hd_null();
}

static const hd_member power_members[] = {{HD_BEHIND(hd_standing, variant), .of = place_members},
                                          {HD_IN(hd_standing, value), .of = interval_members},
                                          {0}};

static const char *value_of(const hd_view *view, int dimension, const hd_micro_point *point) {
    return hd_dimension_print(view->arena, dimension, point->value[dimension]);
}

HD_GETTER(stop_value, hd_line_stop, hd_text(value_of(view, row->dimension, &row->point->point)))

const hd_member hd_line_stop_members[] = {
    {"value", "value", HD_PLAIN_WORD, .get = stop_value},
    {"objectives", "best", .get = objectives_of, .of = by_objective_members},
    {NULL, "power", .get = power_shown},
    {"power", .get = powers_of, .of = power_members},
    {0}};

const char *hd_line_title(hd_arena *arena, const hd_line *line) {
    const hd_dimension *d = &hd_dimensions[line->dimension];
    const hd_micro_point usual = hd_micro_usual();
    const char *title = *d->unit ? hd_format(arena, "%s (%s)", d->title, d->unit) : d->title;
    return hd_micro_equal(&line->base, &usual)
               ? title
               : hd_format(arena, "%s at %s", title, hd_micro_print(arena, &line->base));
}

HD_GETTER(line_dimension, hd_line, hd_text(hd_dimensions[row->dimension].name))
HD_GETTER(line_name, hd_line, hd_text(hd_line_title(view->arena, row)))
HD_GETTER(line_base, hd_line, hd_text(hd_micro_print(view->arena, &row->base)))
HD_GETTER(line_stops, hd_line, hd_line_stops(view->arena, view->context, row))

static hd_value line_handovers(const hd_view *view, const void *at) {
    const hd_line *line = at;
    hd_line_handover *all = hd_new_array(view->arena, hd_line_handover, line->handover_count);
    for (uint32_t h = 0; h < line->handover_count; h++)
        all[h] = (hd_line_handover){line, &line->handovers[h]};
    return hd_rows(all, line->handover_count);
}

static const hd_member line_members[] = {
    {"dimension", .get = line_dimension},
    {"title", .get = line_name},
    {"base", .get = line_base},
    {"stops", .get = line_stops, .of = hd_line_stop_members},
    {"handovers", .get = line_handovers, .of = hd_line_handover_members},
    {0}};

/* ---- where the lead changes hands ------------------------------------------------------------- */

hd_value hd_study_handovers(hd_arena *arena, const hd_study *study) {
    hd_vec(hd_line_handover) all = {0};
    for (uint32_t l = 0; l < study->line_count; l++)
        for (uint32_t h = 0; h < study->lines[l].handover_count; h++)
            hd_push(arena, &all,
                    (hd_line_handover){&study->lines[l], &study->lines[l].handovers[h]});
    return hd_with(hd_rows(all.data, all.count), study);
}

HD_GETTER(along, hd_line_handover, hd_text(hd_dimensions[row->line->dimension].name))
HD_GETTER(base, hd_line_handover, hd_text(hd_micro_print(view->arena, &row->line->base)))
HD_GETTER(by, hd_line_handover, hd_text(hd_quantities[row->handover->objective].name))
HD_GETTER(from, hd_line_handover,
          hd_text(hd_study_print(view->arena, view->context, row->handover->from)))
HD_GETTER(to, hd_line_handover,
          hd_text(hd_study_print(view->arena, view->context, row->handover->to)))
/* "11.3 (9.8 to 13)". */
static hd_value place(const hd_view *view, const void *at) {
    const hd_handover *h = ((const hd_line_handover *)at)->handover;
    return hd_text(isnan(h->at)
                       ? "not measured together"
                       : hd_format(view->arena, "%.3g (%.3g to %.3g)", h->at, h->low, h->high));
}
HD_GETTER(last, hd_line_handover,
          hd_text(value_of(view, row->line->dimension, &row->handover->from->point)))
HD_GETTER(first, hd_line_handover,
          hd_text(value_of(view, row->line->dimension, &row->handover->to->point)))

const hd_member hd_line_handover_members[] = {
    {NULL, "along", .get = along},
    {NULL, "at", .get = base},
    {"objective", "by", .get = by},
    {NULL, "from", .get = from},
    {NULL, "to", .get = to},
    {NULL, "where", .get = place},
    {"from", HD_VIA(hd_line_handover, handover, HD_BEHIND, from), .of = place_members},
    {"to", HD_VIA(hd_line_handover, handover, HD_BEHIND, to), .of = place_members},
    {"last", .get = last},
    {"first", .get = first},
    {"at", HD_VIA(hd_line_handover, handover, HD_AT, at)},
    {"low", HD_VIA(hd_line_handover, handover, HD_AT, low)},
    {"high", HD_VIA(hd_line_handover, handover, HD_AT, high)},
    {0}};

const char hd_findings_from[] = "The findings are those of Qasem and Teich, \"Evaluating the "
                                "Impact of Data Layout and Placement "
                                "on the Energy Efficiency of Heterogeneous Applications\".";

/* ---- findings ------------------------------------------------------------------------------- */

static const char *verdict_of(const hd_finding *f) { return hd_finding_verdict_print(f->verdict); }

/* What is not known by measuring is said. */
static const char *here(hd_arena *arena, const hd_finding *f) {
    return f->why        ? hd_format(arena, "not known: %s", f->why)
           : f->modelled ? hd_format(arena, "%s (modelled)", verdict_of(f))
                         : verdict_of(f);
}

static const char *shown(hd_arena *arena, const hd_finding *f) {
    return f->why ? NULL : hd_format(arena, "%u of %u", f->showing, f->compared);
}

static const char *where(const hd_view *view, const hd_finding *f) {
    return f->why ? NULL
                  : hd_format(view->arena, "%s by %s, %s",
                              hd_study_print(view->arena, view->context, f->more),
                              hd_study_print(view->arena, view->context, f->less),
                              hd_micro_print(view->arena, &f->more->point));
}

HD_GETTER(here_of, hd_finding, hd_text(here(view->arena, row)))
HD_GETTER(verdict_text, hd_finding, hd_text(verdict_of(row)))
HD_GETTER(shown_of, hd_finding, hd_text(shown(view->arena, row)))
HD_GETTER(where_of, hd_finding, hd_text(where(view, row)))

const hd_member hd_finding_members[] = {
    {"statement", "finding", HD_AT(hd_finding, statement)},
    {NULL, "here", .get = here_of},
    {NULL, "shown by", HD_PLAIN_WORD, .get = shown_of},
    {NULL, "median", HD_RATIO, HD_AT(hd_finding, median.median), HD_UNLESS(hd_finding, why)},
    {NULL, "largest", HD_RATIO, HD_AT(hd_finding, largest.median), HD_UNLESS(hd_finding, why)},
    {NULL, "which is", .get = where_of},
    {"name", HD_AT(hd_finding, name)},
    {"rule", HD_AT(hd_finding, rule)},
    {"verdict", .get = verdict_text},
    HD_SAME(hd_finding, why, compared, showing, modelled),
    {"median", HD_IN(hd_finding, median), HD_UNLESS(hd_finding, why), .of = interval_members},
    {"largest", HD_IN(hd_finding, largest), HD_UNLESS(hd_finding, why), .of = interval_members},
    {"more", HD_BEHIND(hd_finding, more), .of = variant_members},
    {"less", HD_BEHIND(hd_finding, less), .of = variant_members},
    {0}};

/* ---- the study ------------------------------------------------------------------------------ */

HD_GETTER(
    seconds_of, hd_study,
    hd_text(hd_format(view->arena, "%sof %s", row->predicted ? "modelled, not measured; " : "",
                      row->several_placements ? "whole runs, with transfers" : "kernels alone")))
HD_GETTER(energy_text, hd_study,
          hd_text(row->why        ? hd_format(view->arena, "not known: %s", row->why)
                  : row->modelled ? "modelled, not metered"
                                  : row->meter))
HD_GETTER(findings_of, hd_study, hd_rows(row->findings, (size_t)HD_FINDINGS))

const hd_member hd_study_members[] = {
    {"variants", "variants", HD_AT(hd_study, count)},
    {"points", "points", HD_AT(hd_study, point_count)},
    {NULL, "times", .get = seconds_of},
    {NULL, "energy", .get = energy_text},
    HD_SAME(hd_study, several_placements, predicted, meter, modelled, why),
    {"findings", .get = findings_of, .of = hd_finding_members},
    {"lines", HD_MANY(hd_study, lines, line_count), .of = line_members},
    {0}};
