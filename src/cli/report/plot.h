/*
 * Stems over whole numbers, as the figures of reuse characteristics are drawn: on a terminal
 * and as SVG. Where there are more numbers than columns or pixels, each of these shows the
 * largest of its numbers (and the smallest, below zero), so that no peak is lost.
 */
#ifndef HD_REPORT_PLOT_H
#define HD_REPORT_PLOT_H

#include "base/base.h"

typedef struct hd_stems {
    const char *title, *x, *y; /* of the picture and its axes */
    uint64_t first, count;     /* value[i] stands at first + i; count from 1 on */
    const double *value;       /* finite */
} hd_stems;

/* plot.c: lines of text, at most HD_TABLE_WIDTH wide. The y axis is logarithmic, from 1 on,
 * when the values need it; a line says so. Of zeros alone it shows the title and says so. */
void hd_plot_text(hd_arena *arena, const hd_stems *stems, hd_str *out);

/* svg.c: a file of its own, 800 by 400. The y axis is linear. Of a title that is too long the
 * end stays. */
void hd_plot_svg(hd_arena *arena, const hd_stems *stems, hd_str *out);

/* As it stands between tags: without control characters, '<', '>' and '&' escaped. */
const char *hd_svg_escape(hd_arena *arena, const char *text);

/* The largest and the smallest value of numbers that fall into column `column` of `columns`,
 * 0 where there is none. */
void hd_stems_extent(const hd_stems *stems, uint64_t columns, uint64_t column, double *most,
                     double *least);

/* ---- what pictures as SVG share ------------------------------------------------------------------ */

/* The first of ... 0.1, 0.2, 0.5, 1, 2, 5, 10 ... that is not below `least`. */
double report_round_up(double least);
/* A text at a place, escaped; `more` has further attributes, each after a blank. */
void report_svg_text(hd_str *out, double x, double y, const char *more, const char *text);

#endif
