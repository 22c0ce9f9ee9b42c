/* Pictures of a study of micro-kernels. */
#include <math.h>

#include "cli/report/report_explore.h"
#include "cli/report/members.h"
#include "cli/report/plot.h"
#include "cli/report/report.h"

enum { WIDTH = 720, HEIGHT = 380, LEFT = 84, RIGHT = 176, TOP = 40, BOTTOM = 56, TICKS = 5 };
enum { PLOT_WIDTH = WIDTH - LEFT - RIGHT, PLOT_HEIGHT = HEIGHT - TOP - BOTTOM };
enum { COLOURS = 6, DASHES = 6, KEY_LETTERS = 20 };
/* From this ratio on an axis of values is logarithmic. */
#define WIDE 10.0

static const char style[] =
    "<style>.hs text{font:12px Helvetica,Arial,sans-serif;fill:#1c2228}.hs .title{font-size:14px}"
    ".hs .ground{fill:#fcfcfb}.hs .grid{stroke:#dde1e5}.hs .axis{stroke:#1c2228}"
    ".hs .pass{fill:#1c2228;fill-opacity:.07}.hs .at{stroke:#58626c;stroke-dasharray:1 3}"
    ".hs path{fill:none;stroke-width:1.6}.hs .axis,.hs .grid,.hs .at{stroke-width:1}"
    ".hs .c0{stroke:#0a63a8}.hs .c1{stroke:#b4480a}.hs .c2{stroke:#1d7a4c}.hs .c3{stroke:#86359c}"
    ".hs .c4{stroke:#7a6200}.hs .c5{stroke:#a3265c}"
    ".hs .bars{fill-opacity:.75}.hs .b0{fill:#0a63a8}.hs .b1{fill:#b4480a}.hs .b2{fill:#1d7a4c}.hs "
    ".b3{fill:#86359c}"
    ".hs .b4{fill:#7a6200}.hs .b5{fill:#a3265c}"
    "@media(prefers-color-scheme:dark){.hs text{fill:#dfe5ea}.hs .ground{fill:#15191d}"
    ".hs .grid{stroke:#2f373f}.hs .axis{stroke:#dfe5ea}.hs .pass{fill:#dfe5ea}"
    ".hs .at{stroke:#9aa5af}.hs .c0{stroke:#6cb4f2}.hs .c1{stroke:#f2a065}.hs .c2{stroke:#6fcf9d}"
    ".hs .c3{stroke:#cf9ae2}.hs .c4{stroke:#d9bf55}.hs .c5{stroke:#f08fb3}"
    ".hs .b0{fill:#6cb4f2}.hs .b1{fill:#f2a065}.hs .b2{fill:#6fcf9d}.hs .b3{fill:#cf9ae2}"
    ".hs .b4{fill:#d9bf55}.hs .b5{fill:#f08fb3}}</style>\n";

/* ---- what has which colour and dash ----------------------------------------------------------- */

typedef hd_vec(const char *) name_list;

static void add_name(hd_arena *arena, name_list *names, const char *name) {
    for (size_t n = 0; n < names->count; n++)
        if (!strcmp(names->data[n], name))
            return;
    hd_push(arena, names, name);
}

typedef struct chart {
    hd_arena *arena;
    const hd_study *study;
    hd_quantity quantity;
    name_list layouts, placements;    /* of the whole study, in its order, */
    bool *has_layout, *has_placement; /* and which of them are in this picture */
    bool per_object; /* along problem sizes: else these hide all other differences */
    hd_str *out;
    bool is_log; /* the y axis, from low to high */
    double low, high, step;
} chart;

static chart chart_new(hd_arena *arena, const hd_study *study, hd_quantity quantity, hd_str *out) {
    chart c = {.arena = arena, .study = study, .quantity = quantity, .out = out};
    for (uint32_t v = 0; v < study->count; v++) {
        add_name(arena, &c.layouts, study->variants[v].layout);
        add_name(arena, &c.placements, study->variants[v].placement);
    }
    c.has_layout = hd_new_array(arena, bool, c.layouts.count);
    c.has_placement = hd_new_array(arena, bool, c.placements.count);
    return c;
}

static size_t count_of(const bool *has, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += has[i];
    return sum;
}

static bool value_at(const chart *c, const hd_study_point *point, size_t layout, size_t placement,
                     hd_interval *value) {
    const hd_explored *variant =
        hd_study_variant(point, c->layouts.data[layout], c->placements.data[placement]);
    if (!variant || !hd_study_value(c->study, variant, c->quantity, value))
        return false;
    double by = c->per_object ? 1 / point->point.value[HD_DIM_OBJECTS] : 1;
    *value = (hd_interval){by * value->median, by * value->low, by * value->high};
    return true;
}

/* ---- the y axis ------------------------------------------------------------------------------- */

/* Makes the axis reach over all values of a point; false: there are none. */
static bool reach(chart *c, const hd_study_point *point) {
    bool any = false;
    hd_interval value;
    for (size_t l = 0; l < c->layouts.count; l++)
        for (size_t p = 0; p < c->placements.count; p++)
            if (value_at(c, point, l, p, &value)) {
                c->low = c->high > 0 ? fmin(c->low, value.low) : value.low;
                c->high = fmax(c->high, value.high);
                any = c->has_layout[l] = c->has_placement[p] = true;
            }
    return any;
}

static void round_axis(chart *c, bool from_zero) {
    c->is_log = !from_zero && c->high > WIDE * c->low;
    c->step = report_round_up(c->high / TICKS);
    /* The last of ... 1, 2, 5, 10 ... that is not above it. */
    c->low = c->is_log ? 1 / report_round_up(1 / c->low) : 0;
    c->high = c->is_log ? report_round_up(c->high) : ceil(c->high / c->step) * c->step;
}

static double y_of(const chart *c, double value) {
    double share = c->is_log ? log(value / c->low) / log(c->high / c->low)
                             : (value - c->low) / (c->high - c->low);
    return TOP + PLOT_HEIGHT * (1 - share);
}

/* "20 us", "0", "1.5 kW". */
static void draw_tick(const chart *c, double value) {
    static const char *const prefixes[] = {"a", "f", "p", "n", "u", "m", "", "k", "M", "G"};
    double y = y_of(c, value);
    int group = value > 0 ? (int)floor(log10(value * (1 + 1e-9)) / 3) : 0;
    group = group < -6 ? -6 : group > 3 ? 3 : group;
    hd_str_printf(c->out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, LEFT + PLOT_WIDTH);
    report_svg_text(c->out, LEFT - 8, y + 4, " text-anchor=\"end\"",
                    value > 0 ? hd_format(c->arena, "%.4g %s%s", value / pow(1000, group),
                                          prefixes[group + 6], hd_quantities[c->quantity].unit)
                              : "0");
}

static void draw_y_axis(const chart *c) {
    const hd_quantity_info *q = &hd_quantities[c->quantity];
    /* Powers of ten, or every few of them, with 2 and 5 between them where there is room. */
    double decades = c->is_log ? log10(c->high / c->low) : 0;
    int first = c->is_log ? (int)floor(log10(c->low) + 1e-9) : 0, every = 1 + (int)(decades / 8);
    for (int power = first; c->is_log && pow(10, power) <= c->high * (1 + 1e-9); power += every)
        for (int i = 0; i < (decades > 3 ? 1 : 3); i++) {
            double value = pow(10, power) * (int[]){1, 2, 5}[i];
            if (value >= c->low * (1 - 1e-9) && value <= c->high * (1 + 1e-9))
                draw_tick(c, value);
        }
    for (int i = 0; !c->is_log && i * c->step <= c->high * (1 + 1e-9); i++)
        draw_tick(c, i * c->step);
    report_svg_text(
        c->out, 16, TOP + PLOT_HEIGHT / 2.0,
        hd_format(c->arena, " text-anchor=\"middle\" transform=\"rotate(-90 16 %.1f)\"",
                  TOP + PLOT_HEIGHT / 2.0),
        hd_format(c->arena, "%s%s (%s)%s", q->title, c->per_object ? " of an object" : "", q->unit,
                  (c->quantity == HD_QUANTITY_TIME ? c->study->predicted : c->study->modelled)
                      ? ", modelled"
                      : ""));
}

/* ---- marks and key ---------------------------------------------------------------------------- */

static void draw_mark(const chart *c, size_t layout, double x, double y) {
    static const char *const marks[] = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
                                        "m-3.5 -3.5h7v7h-7z",
                                        "m0 -4.5l4.3 7.5h-8.6z",
                                        "m0 -5l5 5l-5 5l-5 -5z",
                                        "m-4 -4l8 8m0 -8l-8 8",
                                        "m-5 0h10m-5 -5v10"};
    hd_str_printf(c->out, "<path class=\"c%zu\" d=\"M%.1f %.1f%s\"/>\n", layout % COLOURS, x, y,
                  marks[layout % COLOURS]);
}

static const char *dash_of(size_t placement) {
    static const char *const dashes[] = {"",
                                         " stroke-dasharray=\"7 4\"",
                                         " stroke-dasharray=\"2 3\"",
                                         " stroke-dasharray=\"10 3 2 3\"",
                                         " stroke-dasharray=\"4 2\"",
                                         " stroke-dasharray=\"14 4\""};
    return dashes[placement % DASHES];
}

/* Without its middle where it does not fit the key; all of it as a tooltip. */
static void draw_name(const chart *c, double y, const char *name) {
    const int part = (KEY_LETTERS - 3) / 2;
    size_t length = strlen(name);
    const char *shown = length > KEY_LETTERS ? hd_format(c->arena, "%.*s...%s", part, name,
                                                         name + length - (size_t)part)
                                             : name;
    hd_str_printf(c->out, "<text x=\"%d\" y=\"%.1f\">%s<title>%s</title></text>\n",
                  WIDTH - RIGHT + 50, y + 4, hd_svg_escape(c->arena, shown),
                  hd_svg_escape(c->arena, name));
}

/* Layouts, and of lines placements, where there are several. Returns where the next line is. */
static double draw_key(const chart *c, bool bars) {
    double x = WIDTH - RIGHT + 16, y = TOP + 8;
    for (size_t l = 0; l < c->layouts.count; l++)
        if (c->has_layout[l]) {
            if (bars) {
                hd_str_printf(c->out,
                              "<rect class=\"bars b%zu\" x=\"%.1f\" y=\"%.1f\" width=\"26\" "
                              "height=\"12\"/>\n",
                              l % COLOURS, x, y - 6);
            } else {
                hd_str_printf(c->out, "<path class=\"c%zu\" d=\"M%.1f %.1fh26\"/>\n", l % COLOURS,
                              x, y);
                draw_mark(c, l, x + 13, y);
            }
            draw_name(c, y, c->layouts.data[l]);
            y += 20;
        }
    y += 10;
    bool several = count_of(c->has_placement, c->placements.count) > 1;
    for (size_t p = 0; !bars && several && p < c->placements.count; p++)
        if (c->has_placement[p]) {
            hd_str_printf(c->out, "<path class=\"axis\"%s d=\"M%.1f %.1fh26\"/>\n", dash_of(p), x,
                          y);
            draw_name(c, y, hd_format(c->arena, "in %s", c->placements.data[p]));
            y += 20;
        }
    return y + 10;
}

/* ---- frame ------------------------------------------------------------------------------------ */

static void open_chart(const chart *c, const char *title, const char *x) {
    const char *escaped = hd_svg_escape(c->arena, title);
    hd_str_printf(c->out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hs\" width=\"%d\" "
                  "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n%s"
                  "<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, escaped, style, WIDTH, HEIGHT);
    report_svg_text(c->out, LEFT, 22, " class=\"title\"", title);
    draw_y_axis(c);
    hd_str_printf(c->out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP,
                  TOP + PLOT_HEIGHT, LEFT + PLOT_WIDTH);
    report_svg_text(c->out, LEFT + PLOT_WIDTH / 2.0, HEIGHT - 12, " text-anchor=\"middle\"", x);
}

static void draw_whisker(const chart *c, const char *class, double x, const hd_interval *value) {
    double low = y_of(c, value->low), high = y_of(c, value->high);
    if (low - high >= 1)
        hd_str_printf(c->out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1fm-3 0h6M%.1f %.1fh6\"/>\n",
                      class, x, low, high, x - 3, low);
}

/* ---- along a line ----------------------------------------------------------------------------- */

/* Where values stand along the x axis. */
typedef struct x_axis {
    const hd_line *line;
    bool is_log, is_even;
    double first, last;
} x_axis;

/* With 0 a factor of two below the least other value of a logarithmic axis. */
static double place_on(const x_axis *x, double value) {
    if (!x->is_log)
        return value;
    double least = x->line->stops[0]->point.value[x->line->dimension];
    least = least > 0 ? least : x->line->stops[1]->point.value[x->line->dimension];
    return value > 0 ? log2(value) : log2(least) - 1;
}

static double value_of(const x_axis *x, uint32_t stop) {
    return x->line->stops[stop]->point.value[x->line->dimension];
}

/* `share` of the way from the first stop to the last, with a margin at both ends. */
static double x_of_share(double share) { return LEFT + PLOT_WIDTH * (0.04 + 0.92 * share); }

static double x_of_value(const x_axis *x, double value) {
    return x_of_share((place_on(x, value) - x->first) / (x->last - x->first));
}

static double x_of_stop(const x_axis *x, uint32_t stop) {
    return x->is_even ? x_of_share(stop / x->last) : x_of_value(x, value_of(x, stop));
}

/* Labels that would overlap the one before them are left out. */
static void draw_stops(const chart *c, const x_axis *x) {
    double free_from = 0;
    for (uint32_t s = 0; s < x->line->count; s++) {
        const char *label = hd_dimension_print(c->arena, x->line->dimension, value_of(x, s));
        double at = x_of_stop(x, s), half = 3.6 * report_text_width(label);
        hd_str_printf(c->out, "<path class=\"axis\" d=\"M%.1f %dv5\"/>\n", at, TOP + PLOT_HEIGHT);
        if (at - half < free_from)
            continue;
        report_svg_text(c->out, at, TOP + PLOT_HEIGHT + 19, " text-anchor=\"middle\"", label);
        free_from = at + half + 4;
    }
}

/* Where the lead passes: the interval as a band, the place itself as a line. */
static bool draw_handovers(const chart *c, const x_axis *x) {
    bool any = false;
    for (uint32_t i = 0; i < x->line->handover_count; i++) {
        const hd_handover *h = &x->line->handovers[i];
        if (h->objective != c->quantity || isnan(h->at))
            continue;
        double low = x_of_value(x, h->low), high = x_of_value(x, h->high);
        hd_str_printf(c->out,
                      "<rect class=\"pass\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n"
                      "<path class=\"at\" d=\"M%.1f %dV%d\"/>\n",
                      low, TOP, fmax(high - low, 2), PLOT_HEIGHT, x_of_value(x, h->at), TOP,
                      TOP + PLOT_HEIGHT);
        any = true;
    }
    return any;
}

/* A line with gaps where the variant was not measured. */
static void draw_series(const chart *c, const x_axis *x, size_t layout, size_t placement) {
    hd_str path = {.arena = c->arena};
    const char *step = "M", *class = hd_format(c->arena, "c%zu", layout % COLOURS);
    for (uint32_t s = 0; s < x->line->count; s++) {
        hd_interval value;
        bool known = value_at(c, x->line->stops[s], layout, placement, &value);
        if (known) {
            double at = x_of_stop(x, s), y = y_of(c, value.median);
            hd_str_printf(&path, "%s%.1f %.1f", step, at, y);
            draw_whisker(c, class, at, &value);
            draw_mark(c, layout, at, y);
        }
        step = known ? "L" : "M";
    }
    if (path.length)
        hd_str_printf(c->out, "<path class=\"%s\"%s d=\"%s\"/>\n", class, dash_of(placement),
                      hd_str_text(&path));
}

bool hd_line_svg(hd_arena *arena, const hd_study *study, const hd_line *line, hd_quantity quantity,
                 hd_str *out) {
    chart c = chart_new(arena, study, quantity, out);
    const hd_dimension *d = &hd_dimensions[line->dimension];
    x_axis x = {.line = line, .is_even = d->names != NULL};
    double least = value_of(&x, 0), last = value_of(&x, line->count - 1);
    x.is_log = !x.is_even && (d->is_power || (least > 0 && last >= 8 * least));
    x.first = x.is_even ? 0 : place_on(&x, least);
    x.last = x.is_even ? line->count - 1 : place_on(&x, last);
    bool any = false;
    c.per_object = line->dimension == HD_DIM_OBJECTS &&
                   (quantity == HD_QUANTITY_TIME || quantity == HD_QUANTITY_ENERGY);
    for (uint32_t s = 0; s < line->count; s++)
        any |= reach(&c, line->stops[s]);
    if (!any)
        return false;
    round_axis(&c, quantity == HD_QUANTITY_POWER);
    open_chart(
        &c, hd_format(arena, "%s: %s", hd_quantities[quantity].title, hd_line_title(arena, line)),
        *d->unit ? hd_format(arena, "%s (%s)", d->title, d->unit) : d->title);
    draw_stops(&c, &x);
    bool passes = draw_handovers(&c, &x);
    for (size_t l = 0; l < c.layouts.count; l++)
        for (size_t p = 0; p < c.placements.count; p++)
            draw_series(&c, &x, l, p);
    double y = draw_key(&c, false);
    if (passes) {
        double left = WIDTH - RIGHT + 16;
        hd_str_printf(out,
                      "<rect class=\"pass\" x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"16\"/>\n"
                      "<path class=\"at\" d=\"M%.1f %.1fv16\"/>\n",
                      left, y - 8, left + 13, y - 8);
        draw_name(&c, y, "the lead passes");
    }
    hd_str_add(out, "</svg>\n");
    return true;
}

/* ---- bars by placement -------------------------------------------------------------------------- */

/* A group for each placement, with a bar for each layout. */
static void draw_bars(const chart *c, const hd_study_point *point) {
    double layouts = (double)count_of(c->has_layout, c->layouts.count);
    double group = PLOT_WIDTH / (double)count_of(c->has_placement, c->placements.count);
    double bar = fmin(0.8 * group / layouts, 48), bottom = TOP + PLOT_HEIGHT;
    double middle = LEFT + group / 2;
    for (size_t p = 0; p < c->placements.count; p++) {
        double x = middle - bar * layouts / 2;
        for (size_t l = 0; c->has_placement[p] && l < c->layouts.count; l++) {
            hd_interval value;
            if (value_at(c, point, l, p, &value)) {
                double y = y_of(c, value.median);
                hd_str_printf(c->out,
                              "<rect class=\"bars b%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                              "height=\"%.1f\"/>\n",
                              l % COLOURS, x + 1, y, bar - 2, bottom - y);
                draw_whisker(c, "axis", x + bar / 2, &value);
            }
            x += c->has_layout[l] ? bar : 0;
        }
        if (c->has_placement[p]) {
            report_svg_text(c->out, middle, bottom + 19, " text-anchor=\"middle\"",
                            c->placements.data[p]);
            middle += group;
        }
    }
}

bool hd_placements_svg(hd_arena *arena, const hd_study *study, hd_quantity quantity, hd_str *out) {
    chart c = chart_new(arena, study, quantity, out);
    const hd_micro_point usual = hd_micro_usual();
    const hd_study_point *point = NULL;
    bool is_usual = false;
    for (uint32_t p = 0; p < study->point_count && !is_usual; p++) {
        const hd_study_point *at = &study->points[p];
        bool several = false; /* placements */
        for (uint32_t v = 1; v < at->count; v++)
            several |= strcmp(at->variants[v]->placement, at->variants[0]->placement) != 0;
        is_usual = several && hd_micro_equal(&at->point, &usual);
        point = is_usual || (several && !point) ? at : point;
    }
    if (!point || !reach(&c, point))
        return false;
    round_axis(&c, true);
    open_chart(&c,
               hd_format(arena, "%s by placement, kernel: %s", hd_quantities[quantity].title,
                         hd_micro_print(arena, &point->point)),
               "Placement");
    draw_bars(&c, point);
    draw_key(&c, true);
    hd_str_add(out, "</svg>\n");
    return true;
}
