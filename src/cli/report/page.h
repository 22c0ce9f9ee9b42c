/*
 * The report page: one HTML file with code, style and data in it. docs/report.md
 * says what the data is and how it stands in the file; src/cli/report/web/ is what
 * shows it.
 */
#ifndef HD_REPORT_PAGE_H
#define HD_REPORT_PAGE_H

#include <jansson.h>

#include "base/base.h"
#include "advise/advise.h"
#include "base/result.h"
#include "analysis/cache.h"
#include "analysis/reuse_shape.h"
#include "trace/trace.h"

/* Fails where Heddle was built without the page (HEDDLE_PAGE=OFF). */
hd_status hd_page_check(const hd_diag *diag);

/* Writes the page with `data`, which stays the caller's, to `path`; the file appears whole or
 * not at all. The same data gives the same bytes. */
hd_status hd_page_write(const hd_diag *diag, const char *path, const json_t *data);

/* ---- what the page says of one run: docs/report.md has the members ------------------------------- */

/* What the page is about. */
typedef struct hd_page_subject {
    const char *name;        /* what the user calls the run */
    const hd_advice *advice; /* on the job that the trace is of, for the page's device, or NULL */
    const char *why;         /* then: why there is none */
    const char *verdict;     /* of the advice, in a sentence without its full stop */
    const char *basis;       /* what that rests on; may be NULL */
    const char *command;     /* that does what it says; NULL: there is none */
} hd_page_subject;

typedef struct hd_page_options {
    const hd_device *device; /* transactions, lines and caches are its */
    bool all;                /* with reuse and stack distances, which take longer than the run */
    hd_reuse_options reuse;  /* element, spaces, memory, orders, workers; of each scenario */
    const uint64_t *k;       /* [k_count] of scenario 4 */
    size_t k_count;
    const uint64_t *units; /* [unit_count] of scenarios 5 and 6 */
    size_t unit_count;
    uint32_t clusters; /* of scenarios 5 and 6, and of one of the stacks */
    /* A file as readers are told of it; may be NULL. */
    const char *(*shown)(const void *user, const char *path);
    /* Called before each step of the work; may be NULL. */
    void (*progress)(void *user, const char *what);
    void *user;
} hd_page_options;

/* Reads the trace once, and with `all` once more for each scenario. */
hd_status hd_page_run(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                      const hd_page_subject *subject, const hd_page_options *options, json_t **run);

/* ---- parts of it ----------------------------------------------------------------------- */

/* page_reuse.c: the members `characteristics` and `blocks`. */
hd_status hd_page_reuse(const hd_diag *diag, hd_trace *trace, const hd_page_options *options,
                        json_t *run);
/* What caches serve; NULL: nothing was simulated. */
typedef struct hd_page_caches {
    const hd_caches *original, *layout; /* as run; in the layout that is advised */
    const char *why;                    /* there is no `original` */
} hd_page_caches;
extern const hd_member hd_page_cache_members[]; /* the member `caches` */

/* page_caches.c: both simulations, in an arena each. */
void hd_page_simulate(hd_arena *arenas[2], hd_trace *trace, const hd_page_subject *subject,
                      const hd_page_options *options, hd_page_caches *caches);
/* page_locality.c: the members from `totals` to `accesses`, `files`, `stacks` and `buffers`.
 * `caches` and `besides`, which hears the same reading, may be NULL. */
hd_status hd_page_locality(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                           const hd_page_options *options, const hd_caches *caches,
                           const hd_sink *besides, json_t *run);
/* page_advice.c: the members `verdict` and `record`, by what was counted of the whole run. */
hd_status hd_page_advice(hd_arena *arena, const hd_diag *diag, const hd_page_subject *subject,
                         const hd_page_options *options, const hd_measured *measured,
                         const hd_page_caches *caches, json_t *run);

#endif
