/* The first reading of the trace: how long blocks are, and what their MIs take of the units. */
#include "locality/reuse_plan.h"

typedef struct measuring {
    reuse_plan *plan;
    reuse_aggregate *aggregate;
    reuse_block *block;
    uint64_t mi; /* that comes next */
} measuring;

/* Of an access; one that is not aligned may touch one more. */
static uint64_t elements_of(const reuse_plan *plan, const reuse_block *block, uint32_t access) {
    uint64_t width = block->launch->launch.accesses[access].width;
    return (width + plan->element_bytes - 1) / plan->element_bytes;
}

static void measure_event(void *stream, const hd_event *event) {
    measuring *m = stream;
    if (!reuse_is_analysed(m->plan, m->block, event))
        return;
    m->block->accesses += event->active * elements_of(m->plan, m->block, event->access);
    if (m->plan->units)
        issue_note(m->plan, m->aggregate, m->block, m->mi, event);
    m->mi++;
}

/* True when the trace's index has all that is to be known. */
static bool is_known(const reuse_plan *plan, const hd_event_launch *launch) {
    bool all = !plan->units;
    for (uint32_t a = 0; a < launch->access_count; a++)
        all = all && plan->spaces >> launch->accesses[a].space & 1 &&
              launch->accesses[a].width <= plan->element_bytes;
    return all;
}

static hd_status measure_block(reuse_plan *plan, reuse_aggregate *aggregate, reuse_block *block) {
    measuring m = {plan, aggregate, block, 0};
    if (is_known(plan, &block->launch->launch)) {
        block->accesses = block->index->lane_accesses;
        return HD_OK;
    }
    hd_status status = reuse_read_block(plan, block, measure_event, &m);
    if (!plan->units)
        block->length = m.mi;
    return status;
}

typedef struct job {
    reuse_plan *plan;
    hd_arena *const *arenas; /* of each worker */
} job;

/* Tables are as long as the blocks with all their MIs. */
static hd_status measure_aggregate(void *self, uint32_t worker, uint64_t number) {
    const job *j = self;
    reuse_plan *plan = j->plan;
    reuse_aggregate *a = &plan->aggregates[number];
    hd_status status = HD_OK;
    for (uint64_t b = a->first; b < a->first + a->count; b++) {
        reuse_block *block = &plan->blocks[b];
        block->length = block->index->mis;
        a->length = block->length > a->length ? block->length : a->length;
        if (plan->units && !plan->by_warp)
            block->slots = hd_new_array(j->arenas[worker], uint32_t, block->length);
    }
    if (plan->units)
        issue_begin(j->arenas[worker], plan, a);
    for (uint64_t b = a->first; b < a->first + a->count && !status; b++)
        status = measure_block(plan, a, &plan->blocks[b]);
    if (plan->units && !status)
        issue_end(plan, a);
    for (uint64_t b = a->first; b < a->first + a->count && !plan->units; b++)
        a->issues = plan->blocks[b].length > a->issues ? plan->blocks[b].length : a->issues;
    return status;
}

hd_status reuse_measure(reuse_plan *plan, uint32_t workers, hd_arena *const *arenas) {
    job j = {plan, arenas};
    return reuse_in_parallel(workers, plan->aggregate_count, measure_aggregate, &j);
}
