/*
 * Layout graphs as pictures, after figures 2 and 3 of Kofler, Cosenza and Fahringer, "Automatic
 * Data Layout Optimizations for GPUs": darker edges are shorter ones.
 */
#include <math.h>

#include "cli/report/report_layout_graph.h"
#include "cli/report/plot.h"

enum { SIZE = 640, MARGIN = 110, MOST_LABELLED = 8, LIGHTEST = 200 };

typedef struct drawing {
    hd_arena *arena;
    const hd_layout_graph *graph;
    hd_str *out;
    uint32_t count; /* of the fields */
    uint64_t masks[HD_MAX_FIELDS];
    uint32_t cluster_count;
    double nearest, farthest; /* logarithms */
    double x[HD_MAX_FIELDS], y[HD_MAX_FIELDS], angle[HD_MAX_FIELDS];
    double radius; /* of a vertex */
} drawing;

static double size_of(uint64_t distance) { return log2((double)distance + 1); }

static drawing drawing_new(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                           hd_str *out) {
    drawing d = {.arena = arena, .graph = graph, .out = out, .nearest = 64};
    d.count = graph->record->field_count;
    d.cluster_count = hd_layout_graph_clusters(graph, epsilon, d.masks);
    for (uint32_t i = 0; i < d.count * d.count; i++) {
        uint64_t distance = graph->distance[i];
        if (distance == HD_UNREACHABLE || i % (d.count + 1) == 0)
            continue;
        d.nearest = fmin(d.nearest, size_of(distance));
        d.farthest = fmax(d.farthest, size_of(distance));
    }
    return d;
}

/* From 0, black, for the shortest edge of the graph to LIGHTEST. */
static int grey(const drawing *d, uint64_t distance) {
    double range = d->farthest - d->nearest;
    return range > 0 ? (int)((size_of(distance) - d->nearest) / range * LIGHTEST) : 0;
}

const char *hd_show_distance(hd_arena *arena, uint64_t distance) {
    if (distance == HD_UNREACHABLE)
        return "-";
    return distance < 1000000 ? hd_show_exact(arena, distance)
                              : hd_show_count(arena, (double)distance);
}

/* ---- GraphViz ------------------------------------------------------------------------ */

/* Inside quotes; buffers may have any name, and be fields. */
static const char *quoted(hd_arena *arena, const char *text) {
    hd_str out = {.arena = arena};
    for (text = hd_plain_text(arena, text, false); *text; text++)
        hd_str_printf(&out, "%s%c", strchr("\"\\", *text) ? "\\" : "", *text);
    return hd_str_text(&out);
}

void hd_layout_graph_dot(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                         hd_str *out) {
    const drawing d = drawing_new(arena, graph, epsilon, out);
    hd_str_printf(out, "graph \"%s\" {\n  node [shape=circle];\n",
                  quoted(arena, graph->record->name));
    for (uint32_t c = 0; c < d.cluster_count; c++) {
        hd_str_printf(out, "  subgraph cluster_%u {\n", c);
        for (uint64_t left = d.masks[c]; left; left &= left - 1) {
            uint32_t f = (uint32_t)__builtin_ctzll(left);
            hd_str_printf(out, "    f%u [label=\"%s\\n%u B\"%s];\n", f,
                          quoted(arena, graph->record->fields[f].name),
                          graph->record->fields[f].size,
                          graph->reached >> f & 1 ? "" : ", style=dashed");
        }
        hd_str_add(out, "  }\n");
    }
    for (uint32_t a = 0; a < d.count; a++)
        for (uint32_t b = a + 1; b < d.count; b++) {
            uint64_t distance = hd_layout_distance(graph, a, b);
            if (distance == HD_UNREACHABLE)
                continue;
            int level = grey(&d, distance);
            hd_str_printf(out, "  f%u -- f%u [label=\"%s\", color=\"#%02x%02x%02x\"];\n", a, b,
                          hd_show_distance(arena, distance), level, level, level);
        }
    hd_str_add(out, "}\n");
}

/* ---- SVG -------------------------------------------------------------------------------- */

static void add_edge(const drawing *d, uint32_t a, uint32_t b) {
    int level = grey(d, hd_layout_distance(d->graph, a, b));
    hd_str_printf(d->out,
                  "<path stroke=\"rgb(%d,%d,%d)\" stroke-width=\"%.1f\" d=\"M%.1f %.1fL%.1f "
                  "%.1f\"/>\n",
                  level, level, level, 3 - 2.0 * level / LIGHTEST, d->x[a], d->y[a], d->x[b],
                  d->y[b]);
}

/* Nearer to one end, so that the numbers of edges that cross in the middle stay apart. */
static void add_number(const drawing *d, uint32_t a, uint32_t b) {
    hd_str_printf(d->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                  d->x[a] + 0.4 * (d->x[b] - d->x[a]), d->y[a] + 0.4 * (d->y[b] - d->y[a]) + 4,
                  hd_show_distance(d->arena, hd_layout_distance(d->graph, a, b)));
}

typedef void edge_fn(const drawing *d, uint32_t a, uint32_t b);
static void for_edges(const drawing *d, edge_fn *each) {
    for (uint32_t a = 0; a < d->count; a++)
        for (uint32_t b = a + 1; b < d->count; b++)
            if (hd_layout_distance(d->graph, a, b) != HD_UNREACHABLE)
                each(d, a, b);
}

void hd_layout_graph_svg(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                         hd_str *out) {
    drawing d = drawing_new(arena, graph, epsilon, out);
    /* On a circle, cluster by cluster, with a free place between two clusters. */
    const double full = 8 * atan(1), around = SIZE / 2.0 - MARGIN;
    double places = d.count + (d.cluster_count > 1 ? d.cluster_count : 0), at = 0;
    for (uint32_t c = 0; c < d.cluster_count; c++, at++)
        for (uint64_t left = d.masks[c]; left; left &= left - 1, at++) {
            uint32_t f = (uint32_t)__builtin_ctzll(left);
            d.angle[f] = full * (at / places - 0.25);
            d.x[f] = SIZE / 2.0 + around * cos(d.angle[f]);
            d.y[f] = SIZE / 2.0 + around * sin(d.angle[f]);
        }
    d.radius = fmin(22, 0.35 * full * around / places);
    hd_str_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\">\n"
                  "<style>text{stroke:#fff;stroke-width:3px;paint-order:stroke;fill:#000;"
                  "font:12px Helvetica,Arial,sans-serif}circle{fill:#fff;stroke:#000}"
                  "path{stroke-linejoin:round;stroke-linecap:round}</style>\n",
                  SIZE, SIZE, SIZE, SIZE);
    for (uint32_t c = 0; c < d.cluster_count; c++) { /* a ground behind several fields */
        static const char *const colours[] = {"#cfe3f7", "#fbdcc0", "#cdebd0", "#ead3f0",
                                              "#f6e7a9", "#d9d9d9", "#f8cfd6", "#c5ecec"};
        const char *colour = colours[c % (sizeof colours / sizeof *colours)], *step = "M";
        if (hd_is_power_of_two(d.masks[c]))
            continue;
        hd_str_printf(out, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"%.1f\" d=\"", colour,
                      colour, 3 * d.radius);
        for (uint64_t left = d.masks[c]; left; left &= left - 1, step = "L") {
            uint32_t f = (uint32_t)__builtin_ctzll(left);
            hd_str_printf(out, "%s%.1f %.1f", step, d.x[f], d.y[f]);
        }
        hd_str_add(out, "Z\"/>\n");
    }
    for_edges(&d, add_edge);
    for (uint32_t f = 0; f < d.count; f++) {
        const hd_field *field = &graph->record->fields[f];
        double beside = d.radius * 1.5 + 8, to_right = cos(d.angle[f]);
        hd_str_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"%s/>\n", d.x[f], d.y[f],
                      d.radius, graph->reached >> f & 1 ? "" : " stroke-dasharray=\"3 3\"");
        hd_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%u</text>\n", d.x[f],
                      d.y[f] + 4, field->size);
        hd_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                      d.x[f] + beside * to_right, d.y[f] + beside * sin(d.angle[f]) + 4,
                      to_right > 0.3    ? "start"
                      : to_right < -0.3 ? "end"
                                        : "middle",
                      hd_svg_escape(arena, field->name));
    }
    if (d.count <= MOST_LABELLED)
        for_edges(&d, add_number);
    hd_str_printf(out,
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s: bytes of fields, and "
                  "bytes between them; clusters nearer than %s</text>\n</svg>\n",
                  SIZE / 2, SIZE - 14, hd_svg_escape(arena, graph->record->name),
                  hd_show_distance(arena, epsilon));
}
