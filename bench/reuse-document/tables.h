/* The tables of docs/reproduce-reuse.md, each printed as Markdown. */
#ifndef HD_BENCH_REUSE_DOCUMENT_TABLES_H
#define HD_BENCH_REUSE_DOCUMENT_TABLES_H

#include "reuse-document/runs.h"

void print_figure_4(const document *d);
void print_vectoradd(const document *d);
/* Blocks by themselves. */
void print_blocks(const document *d);
void print_apart(const document *d);
/* Blocks at once. */
void print_contours(const document *d);
void print_domains(const document *d);
void print_ends(const document *d);
void print_lengths(const document *d);
void print_ranges(const document *d);
/* Load/store units. */
void print_peaks(const document *d);
void print_clusters(const document *d);
/* What took the document's authors too long. */
void print_unfinished(const document *d);

#endif
