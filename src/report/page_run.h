/* What the report page says of one run: docs/report.md has the members. */
#ifndef HD_REPORT_PAGE_RUN_H
#define HD_REPORT_PAGE_RUN_H

#include <jansson.h>

#include "device/device.h"
#include "locality/reuse_shape.h"
#include "trace/trace.h"

typedef struct hd_page_options {
    const hd_device *device; /* transactions, lines and caches are its */
    hd_reuse_options reuse;  /* element, spaces, memory, orders, workers; of each scenario */
    const uint64_t *k;       /* [k_count] of scenario 4 */
    size_t k_count;
    const uint64_t *units; /* [unit_count] of scenarios 5 and 6 */
    size_t unit_count;
    uint32_t clusters; /* of scenarios 5 and 6, and of one of the stacks */
    /* Called before each step of the work; may be NULL. */
    void (*progress)(void *user, const char *what);
    void *user;
} hd_page_options;

/* Reads the trace once for each scenario and once for the rest. `name` is what the user calls
 * the run. */
hd_status hd_page_run(hd_arena *arena, const hd_diag *diag, hd_trace *trace, const char *name,
                      const hd_page_options *options, json_t **run);

/* ---- parts of it ----------------------------------------------------------------------- */

/* page_reuse.c: the members `characteristics` and `blocks`. */
hd_status hd_page_reuse(const hd_diag *diag, hd_trace *trace, const hd_page_options *options,
                        json_t *run);
/* page_locality.c: the members from `totals` to `accesses`, `stacks` and `buffers`. */
hd_status hd_page_locality(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                           const hd_page_options *options, json_t *run);

#endif
