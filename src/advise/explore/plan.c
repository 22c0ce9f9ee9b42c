/*
 * Plans from what a user asks for.
 */
#include "advise/explore/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/explore/micro.h"

enum { MOST_VALUES = 1024, MOST_POINTS = 1 << 20 };

/* What has values, beside the dimensions. */
enum { LAYOUT = HD_DIMENSIONS, PLACEMENT, NAMES };

typedef struct varied {
    int dimension;
    hd_vec(double) values;
} varied;

typedef struct planner {
    hd_arena *arena;
    const hd_diag *diag;
    hd_micro_point base;
    bool given[NAMES];
    hd_vec(varied) varied;
    hd_vec(hd_plan_line) lines;
    hd_plan *plan;
} planner;

static hd_status refuse(const planner *p, const char *text, const char *why) {
    return hd_fail(p->diag, HD_EINPUT, NULL, "'%s': %s", text, why);
}

/* ---- words -------------------------------------------------------------------------------------- */

static const char *all_dimensions(hd_arena *arena) {
    hd_str out = {.arena = arena};
    for (int d = 0; d < HD_DIMENSIONS; d++)
        hd_str_printf(&out, "%s%s", d ? ", " : "", hd_dimensions[d].name);
    return hd_str_text(&out);
}

/* The next word of a list, up to a comma outside of braces; NULL behind the last. */
static const char *next_word(hd_arena *arena, const char **at) {
    const char *start = *at, *end = start;
    int depth = 0;
    if (!start)
        return NULL;
    for (; *end && (*end != ',' || depth); end++)
        depth += (*end == '{') - (*end == '}');
    *at = *end ? end + 1 : NULL;
    return hd_strndup(arena, start, (size_t)(end - start));
}

/* ---- values ------------------------------------------------------------------------------------- */

static bool is_near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* What leads from the last of the values to `end`: a factor, as between the last two or of 2 for
 * powers of two, else a step, as between them or of 1. False: neither does. */
static bool find_way(const double *values, size_t count, const hd_dimension *d, double end,
                     double *factor, double *step) {
    double last = values[count - 1], before = count > 1 ? values[count - 2] : 0;
    *factor = count == 1 ? (d->is_power ? 2 : 0) : before > 0 ? last / before : 0;
    *step = count == 1 ? 1 : last - before;
    double power = last;
    while (*factor > 1 && power > 0 && power < end && !is_near(power, end))
        power *= *factor;
    if (*factor > 1 && is_near(power, end))
        return true;
    *factor = 0;
    double steps = *step > 0 ? (end - last) / *step : -1;
    return steps >= 0 && steps <= MOST_VALUES && fabs(steps - round(steps)) < 1e-9;
}

static bool add_range(planner *p, varied *v, double end) {
    double factor, step, last = v->values.data[v->values.count - 1];
    if (!find_way(v->values.data, v->values.count, &hd_dimensions[v->dimension], end, &factor,
                  &step))
        return false;
    while (!is_near(last, end)) {
        double next = factor > 0 ? last * factor : last + step;
        last = is_near(next, end) ? end : next;
        hd_push(p->arena, &v->values, last);
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ascending, each once. */
static void sort_values(varied *v) {
    size_t kept = 0;
    qsort(v->values.data, v->values.count, sizeof *v->values.data, by_value);
    for (size_t i = 0; i < v->values.count; i++)
        if (!i || v->values.data[i] != v->values.data[kept - 1])
            v->values.data[kept++] = v->values.data[i];
    v->values.count = kept;
}

static hd_status read_values(planner *p, const char *text, const char *list, varied *v) {
    const char *word;
    while ((word = next_word(p->arena, &list))) {
        const char *dots = strstr(word, "..");
        const char *first = dots ? hd_strndup(p->arena, word, (size_t)(dots - word)) : word;
        double value, end = 0;
        if (!hd_dimension_parse(v->dimension, first, &value) ||
            (dots && !hd_dimension_parse(v->dimension, dots + 2, &end)))
            return refuse(p, text,
                          hd_format(p->arena, "'%s' is no value of %s, which is %s", word,
                                    hd_dimensions[v->dimension].name,
                                    hd_dimension_range(p->arena, v->dimension)));
        hd_push(p->arena, &v->values, value);
        if (dots && (hd_dimensions[v->dimension].names || !add_range(p, v, end)))
            return refuse(p, text,
                          hd_format(p->arena,
                                    "no steps lead to the end of '%s'; give the values before it "
                                    "that make the step or the factor, as 1,2,4..64",
                                    word));
    }
    sort_values(v);
    return HD_OK;
}

/* Each once; whether they are layouts depends on the objects. */
static uint32_t read_layouts(planner *p, const char *list) {
    hd_vec(const char *) layouts = {0};
    const char *word;
    while ((word = next_word(p->arena, &list))) {
        size_t l = 0;
        while (l < layouts.count && strcmp(layouts.data[l], word))
            l++;
        if (l == layouts.count)
            hd_push(p->arena, &layouts, word);
    }
    p->plan->layouts = layouts.data;
    return p->plan->layout_count = (uint32_t)layouts.count;
}

static hd_status read_placements(planner *p, const char *text, const char *list) {
    const char *word;
    while ((word = next_word(p->arena, &list))) {
        hd_placement placement;
        if (!hd_placement_parse(word, &placement))
            return refuse(p, text,
                          hd_format(p->arena, "no placement is called '%s'; there are %s", word,
                                    hd_placement_names(p->arena)));
        p->plan->placements |= UINT32_C(1) << placement;
    }
    return HD_OK;
}

/* "NAME=VALUES": values of a dimension; layouts and placements go into the plan. */
static hd_status read_one(planner *p, const char *text, bool is_fixed) {
    const char *list = strchr(text, '=');
    if (!list || !list[1])
        return refuse(p, text, "this takes a name, '=' and values, as sparsity=1,2,4..64");
    const char *name = hd_strndup(p->arena, text, (size_t)(list++ - text));
    varied v = {.dimension = !strcmp(name, "layout")      ? LAYOUT
                             : !strcmp(name, "placement") ? PLACEMENT
                                                          : hd_dimension_named(name)};
    if (v.dimension < 0)
        return refuse(p, text,
                      hd_format(p->arena,
                                "there is no dimension '%s'; there are %s, layout and placement",
                                name, all_dimensions(p->arena)));
    if (p->given[v.dimension])
        return refuse(p, text, "this dimension is given twice");
    p->given[v.dimension] = true;
    size_t count;
    hd_status status = HD_OK;
    if (v.dimension == LAYOUT) {
        count = read_layouts(p, list);
    } else if (v.dimension == PLACEMENT) {
        status = read_placements(p, text, list);
        count = (size_t)__builtin_popcount(p->plan->placements);
    } else {
        status = read_values(p, text, list, &v);
        count = v.values.count;
    }
    if (status == HD_OK && is_fixed && count != 1)
        return refuse(p, text, "--fix takes one value; --vary takes several");
    if (status != HD_OK || v.dimension >= HD_DIMENSIONS)
        return status;
    if (is_fixed)
        p->base.value[v.dimension] = v.values.data[0];
    else
        hd_push(p->arena, &p->varied, v);
    return HD_OK;
}

/* ---- lines -------------------------------------------------------------------------------------- */

hd_micro_point hd_plan_point(const hd_plan_line *line, uint32_t value) {
    hd_micro_point point = line->base;
    point.value[line->dimension] = line->values[value];
    return point;
}

/* NULL, or why there is no kernel of the point, or no such layout of its objects. */
static const char *why_no_kernel(const void *self, const hd_micro_point *point) {
    const planner *p = self;
    hd_micro_shape shape;
    const char *why = hd_micro_check(p->arena, point, &shape);
    if (why)
        return why;
    hd_first_error error = {.arena = p->arena};
    const hd_diag keeper = {hd_keep_first, &error};
    hd_arena *arena = hd_arena_new();
    const hd_record *record = hd_micro_record(arena, point, &shape);
    hd_layout *layout;
    for (uint32_t l = 0; l < p->plan->layout_count && !why; l++)
        if (hd_layout_parse(arena, &keeper, record, p->plan->layouts[l], &layout))
            why = hd_format(p->arena, "layout=%s: %s", p->plan->layouts[l], error.text);
    hd_arena_free(arena);
    return why;
}

static hd_status add_line(planner *p, const hd_plan_line *line) {
    for (uint32_t i = 0; i < line->count; i++) {
        hd_micro_point point = hd_plan_point(line, i);
        const char *why = why_no_kernel(p, &point);
        if (why)
            return refuse(p, hd_micro_print(p->arena, &point), why);
    }
    hd_push(p->arena, &p->lines, *line);
    return HD_OK;
}

void hd_plan_trim(hd_arena *arena, const hd_diag *diag, hd_plan_line *line,
                  const char *(*why_not)(const void *self, const hd_micro_point *point),
                  const void *self) {
    hd_vec(double) values = {0};
    hd_str gone = {.arena = arena};
    const char *first = NULL;
    for (uint32_t v = 0; v < line->count; v++) {
        hd_micro_point point = hd_plan_point(line, v);
        const char *why = why_not(self, &point);
        if (!why) {
            hd_push(arena, &values, line->values[v]);
            continue;
        }
        first = first ? first : why;
        hd_str_printf(&gone, "%s%s", gone.length ? "," : "",
                      hd_dimension_print(arena, line->dimension, line->values[v]));
    }
    line->values = values.data;
    line->count = (uint32_t)values.count;
    if (first)
        hd_note(diag, NULL, "%s=%s is left out: %s", hd_dimensions[line->dimension].name,
                hd_str_text(&gone), first);
}

/* A line for each dimension that is not fixed, of the values that make kernels. */
static hd_status plan_each(planner *p) {
    const char *why = why_no_kernel(p, &p->base);
    if (why)
        return refuse(p, hd_micro_print(p->arena, &p->base), why);
    for (int d = 0; d < HD_DIMENSIONS; d++) {
        hd_plan_line line = {.dimension = d, .base = p->base, .values = hd_dimensions[d].values};
        if (p->given[d])
            continue;
        while (line.values[line.count] >= 0)
            line.count++;
        hd_plan_trim(p->arena, p->diag, &line, why_no_kernel, p);
        if (line.count)
            hd_push(p->arena, &p->lines, line);
    }
    return HD_OK;
}

/* All combinations, as lines along the last dimension. */
static hd_status plan_combinations(planner *p) {
    const varied *last = &p->varied.data[p->varied.count - 1];
    double lines = 1;
    for (size_t v = 0; v + 1 < p->varied.count; v++)
        lines *= (double)p->varied.data[v].values.count;
    if (lines * (double)last->values.count > MOST_POINTS)
        return hd_fail(p->diag, HD_EINPUT, NULL,
                       "%.0f points are more than a plan may have, %d; vary less",
                       lines * (double)last->values.count, MOST_POINTS);
    for (uint64_t number = 0; number < (uint64_t)lines; number++) {
        hd_plan_line line = {.dimension = last->dimension,
                             .base = p->base,
                             .values = last->values.data,
                             .count = (uint32_t)last->values.count};
        uint64_t rest = number;
        for (size_t v = p->varied.count - 1; v-- > 0;) {
            const varied *other = &p->varied.data[v];
            line.base.value[other->dimension] = other->values.data[rest % other->values.count];
            rest /= other->values.count;
        }
        hd_status status = add_line(p, &line);
        if (status != HD_OK)
            return status;
    }
    return HD_OK;
}

hd_status hd_plan_make(hd_arena *arena, const hd_diag *diag, const hd_plan_request *request,
                       hd_plan *plan) {
    static const char *const usual_layouts[] = {"aos", "soa", "da", "aosoa:4", "aosoa:32"};
    planner p = {.arena = arena, .diag = diag, .base = hd_micro_usual(), .plan = plan};
    hd_status status = HD_OK;
    *plan = (hd_plan){.layouts = usual_layouts,
                      .layout_count = sizeof usual_layouts / sizeof *usual_layouts};
    for (uint32_t f = 0; f < request->fix_count && status == HD_OK; f++)
        status = read_one(&p, request->fix[f], true);
    for (uint32_t v = 0; v < request->vary_count && status == HD_OK; v++)
        status = read_one(&p, request->vary[v], false);
    if (status == HD_OK)
        status = p.varied.count ? plan_combinations(&p) : plan_each(&p);
    plan->is_usual = !p.varied.count;
    plan->base = p.base;
    plan->lines = p.lines.data;
    plan->line_count = (uint32_t)p.lines.count;
    return status;
}
