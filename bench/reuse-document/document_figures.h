/* The pictures of docs/figures. */
#ifndef HD_BENCH_REUSE_DOCUMENT_FIGURES_H
#define HD_BENCH_REUSE_DOCUMENT_FIGURES_H

#include "reuse-document/runs.h"

/* Writes them as SVG files into `folder`, which must be there. */
hd_status write_figures(const document *d, const char *folder);

#endif
