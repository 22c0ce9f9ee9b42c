/*
 * Layout graphs as pictures: GraphViz text, and SVG of their own.
 */
#ifndef HD_REPORT_LAYOUT_GRAPH_H
#define HD_REPORT_LAYOUT_GRAPH_H

#include "model/layout_graph.h"
#include "cli/report/report.h"

/* "252"; "6.14M" from a million on; "-" when the one cannot be reached from the other. */
const char *hd_show_distance(hd_arena *arena, uint64_t distance);

/* For `dot` or `neato`: a subgraph for each cluster of fields nearer than `epsilon`. */
void hd_layout_graph_dot(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                         hd_str *out);
/* A file of its own: fields on a circle, edges darker where they are shorter, and a ground
 * behind each cluster of several fields. Few edges have their numbers, too. */
void hd_layout_graph_svg(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                         hd_str *out);

#endif
