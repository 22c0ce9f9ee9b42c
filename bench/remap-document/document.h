/* Figures of the document, measured here; tables in Markdown on standard output. What is compared is
 * timed by turns, and of each the median counts. */
#ifndef HD_BENCH_REMAP_DOCUMENT_H
#define HD_BENCH_REMAP_DOCUMENT_H

#include "base/base.h"

/* Sorts the values. */
double median(double *values, uint32_t count);

/* tiles.c, figure 15: the speed of a transpose by the bytes that each thread reads and writes, on
 * all devices. */
hd_status print_tiles(const hd_diag *diag);

/* two_devices.c, figure 18 and table 3: the assignment step of k-means on one device and on two at
 * once, in rows and in columns, and how the points were split. Results are compared with plain
 * C's. */
hd_status print_two_devices(const hd_diag *diag, size_t points);

#endif
