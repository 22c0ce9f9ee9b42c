/* What the device's caches serve of the run, as it was and in the layout that is advised, for the
 * report page. */
#include "cli/report/members.h"
#include "cli/report/page.h"
#include "cli/report/report_result.h"

/* One simulation; both read the trace at once, each in an arena of its own. */
typedef struct simulation {
    hd_arena *arena;
    hd_trace *trace;
    const hd_device *device;
    const hd_job *job;       /* or NULL */
    const hd_layout *layout; /* NULL: as run */
    const hd_caches *caches; /* NULL: there is none */
    hd_first_error why;
} simulation;

static hd_status simulate(void *self, uint32_t worker, uint64_t number) {
    (void)worker;
    simulation *s = &((simulation *)self)[number];
    const hd_diag diag = {hd_keep_first, &s->why};
    const hd_caches_options options = {0};
    hd_status status = hd_caches_run(s->arena, &diag, s->trace, s->device, s->job, s->layout,
                                     &options, &s->caches);
    if (status != HD_OK)
        s->caches = NULL;
    return HD_OK; /* the page does without */
}

void hd_page_simulate(hd_arena *arenas[2], hd_trace *trace, const hd_page_subject *subject,
                      const hd_page_options *o, hd_page_caches *caches) {
    const hd_advice *advice = subject->advice;
    uint64_t failed;
    simulation both[2];
    for (int i = 0; i < 2; i++)
        both[i] = (simulation){.arena = arenas[i],
                               .why.arena = arenas[i],
                               .trace = trace,
                               .device = o->device,
                               .job = advice ? advice->job : NULL,
                               .layout = i && advice ? advice->best : NULL};
    const hd_diag diag = {hd_keep_first, &both[0].why};
    *caches = (hd_page_caches){0};
    if (hd_caches_check(&diag, o->device) == HD_OK) {
        if (o->progress)
            o->progress(o->user, "caches");
        bool changes = advice && !advice->leave;
        hd_in_parallel(o->reuse.workers == 1 ? 1 : 2, changes ? 2 : 1, simulate, both, &failed);
        caches->original = both[0].caches;
        caches->layout = changes ? both[1].caches : NULL;
    }
    caches->why = both[0].why.text;
}

/* ---- what the page says of them ------------------------------------------------------------- */

static const hd_member place_members[] = {HD_SAME(hd_cache_place, record, name),
                                          {HD_IN(hd_cache_place, sum), .of = hd_cache_sum_members},
                                          {0}};
static const hd_member simulated_members[] = {
    {HD_IN(hd_caches, total), .of = hd_cache_sum_members},
    {"places", HD_MANY(hd_caches, places, place_count), .of = place_members},
    {0}};
const hd_member hd_page_cache_members[] = {
    {"sector", HD_VIA(hd_page_caches, original, HD_AT, sector)},
    {"original", HD_BEHIND(hd_page_caches, original), .of = simulated_members},
    {"layout", HD_BEHIND(hd_page_caches, layout), .of = simulated_members},
    {0}};
