/* What pictures as SVG share. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "base/base.h"

/* The first of ... 0.1, 0.2, 0.5, 1, 2, 5, 10 ... that is not below `least`. */
double report_round_up(double least);
/* A text at a place, escaped; `more` has further attributes, each after a blank. */
void report_svg_text(hd_arena *arena, hd_str *out, double x, double y, const char *more,
                     const char *text);

#endif
