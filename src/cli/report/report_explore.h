/*
 * A study of micro-kernels as pictures, like figures 2 to 8 of Qasem and Teich, and as a page of
 * them. Its tables are in cli/report/members.h.
 *
 * A layout has a colour and a mark, a placement a dash, the same in all pictures of a study. Colours
 * are those of the report page, dark ones where the reader's system asks for them.
 */
#ifndef HD_REPORT_EXPLORE_H
#define HD_REPORT_EXPLORE_H

#include "advise/explore/study.h"

/* ---- explore_svg.c: files of their own -------------------------------------------------------- */

/* A quantity along a line, with quartiles, and where the lead in it passes; along problem sizes time
 * and energy of an object. False, and nothing is added: it is known of no variant there. */
bool hd_line_svg(hd_arena *arena, const hd_study *study, const hd_line *line, hd_quantity quantity,
                 hd_str *out);
/* Bars of a quantity for the layouts in each placement, at the usual point if it has several
 * placements, else at the first one that has. False: none has. */
bool hd_placements_svg(hd_arena *arena, const hd_study *study, hd_quantity quantity, hd_str *out);

/* ---- explore_page.c ----------------------------------------------------------------------------- */

/* What the page says of the device: "NVIDIA H100", "CUDA, driver 570.1", "2026-11-23". */
typedef struct hd_explore_head {
    const char *device, *driver, *date;
} hd_explore_head;

/* A study with its heading: "Kernels alone", "Whole runs, with transfers". */
typedef struct hd_explore_part {
    const char *title;
    const hd_study *study;
} hd_explore_part;

/* One HTML file with findings, handovers, and for each line its table and pictures, of each part; it
 * needs neither scripts nor a network. */
const char *hd_explore_page(hd_arena *arena, const hd_explore_head *head,
                            const hd_explore_part *parts, uint32_t count);

#endif
