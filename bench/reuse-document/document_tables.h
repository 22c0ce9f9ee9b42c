/* The tables of docs/reproduce-reuse.md, each printed as Markdown. */
#ifndef HD_BENCH_REUSE_DOCUMENT_TABLES_H
#define HD_BENCH_REUSE_DOCUMENT_TABLES_H

#include "reuse-document/runs.h"

void print_figure_4(document *d);
void print_vectoradd(document *d);
/* Blocks by themselves. */
void print_blocks(document *d);
void print_apart(document *d);
/* Blocks at once. */
void print_contours(document *d);
void print_domains(document *d);
void print_ends(document *d);
void print_lengths(document *d);
void print_ranges(document *d);
/* Load/store units. */
void print_peaks(document *d);
void print_clusters(document *d);
/* What took the document's authors too long. */
void print_unfinished(document *d);

#endif
