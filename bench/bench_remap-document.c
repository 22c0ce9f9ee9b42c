/*
 * What Che, Sheaffer and Skadron, "Dymaxion: Optimizing memory access patterns for heterogeneous
 * systems" (SC 2011), measure in figure 15 and in chapter 6 (figures 17 and 18, table 3), on the
 * devices of this machine. remap/docs/reproduce-remap.md has what this prints, with comments.
 *
 *     bench_remap-document [POINTS]    of k-means; 1250000 if not given, the document's
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/report/report.h"
#include "remap-document/document.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    unsigned long points = argc > 1 ? strtoul(argv[1], NULL, 10) : 1250000;
    if (argc > 2 || !points || points > INT32_MAX) {
        fprintf(stderr, "usage: bench_remap-document [POINTS]\n");
        return 2;
    }
    hd_status status = print_tiles(&diag);
    if (status == HD_OK)
        status = print_two_devices(&diag, points);
    return status == HD_OK ? 0 : 2;
}
