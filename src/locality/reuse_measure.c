/* The first reading of the trace: how long blocks are, and what their MIs take of the units. */
#include "locality/reuse_plan.h"

typedef struct measuring {
    reuse_plan *plan;
    reuse_aggregate *aggregate;
    reuse_block *block;
    uint32_t worker;
    uint64_t mi; /* that comes next */
    uint64_t read;
} measuring;

static void measure_event(void *stream, const hd_event *event) {
    measuring *m = stream;
    reuse_meter_add(m->plan, m->worker, &m->read, event->active);
    if (!reuse_is_analysed(m->plan, m->block, event))
        return;
    if (m->plan->units)
        issue_note(m->plan, m->aggregate, m->block, m->mi, event);
    m->mi++;
}

/* True when the trace's index has all that is to be known. */
static bool is_known(const reuse_plan *plan, const hd_event_launch *launch) {
    bool all = !plan->units;
    for (uint32_t a = 0; a < launch->access_count; a++)
        all = all && plan->spaces >> launch->accesses[a].space & 1;
    return all;
}

static hd_status measure_block(reuse_plan *plan, reuse_aggregate *aggregate, reuse_block *block,
                               uint32_t worker) {
    measuring m = {plan, aggregate, block, worker, 0, 0};
    if (is_known(plan, &block->launch->launch))
        return HD_OK;
    hd_status status = reuse_read_block(plan, block, measure_event, &m);
    if (!plan->units)
        block->length = m.mi;
    return status;
}

typedef struct job {
    reuse_plan *plan;
    hd_arena *const *arenas; /* of each worker */
} job;

static hd_status measure_aggregate(void *self, uint32_t worker, uint64_t number) {
    const job *j = self;
    reuse_plan *plan = j->plan;
    reuse_aggregate *a = &plan->aggregates[number];
    hd_status status = HD_OK;
    for (uint64_t b = a->first; b < a->first + a->count && plan->units && !plan->by_warp; b++)
        plan->blocks[b].slots = hd_new_array(j->arenas[worker], uint32_t, plan->blocks[b].length);
    if (plan->units)
        issue_begin(j->arenas[worker], plan, a);
    for (uint64_t b = a->first; b < a->first + a->count && !status; b++)
        status = measure_block(plan, a, &plan->blocks[b], worker);
    if (plan->units && !status)
        issue_end(plan, a);
    for (uint64_t b = a->first; b < a->first + a->count && !plan->units; b++)
        a->issues = plan->blocks[b].length > a->issues ? plan->blocks[b].length : a->issues;
    return status;
}

/* Lengths with all MIs, as the index has them, and what tables of that length take. */
static hd_status size_tables(reuse_plan *plan) {
    for (uint64_t n = 0; n < plan->aggregate_count; n++) {
        reuse_aggregate *a = &plan->aggregates[n];
        for (uint64_t b = a->first; b < a->first + a->count; b++) {
            reuse_block *block = &plan->blocks[b];
            block->length = block->index->mis;
            a->length = block->length > a->length ? block->length : a->length;
            plan->tables += plan->units && !plan->by_warp ? block->length * sizeof(uint32_t) : 0;
        }
        plan->tables += plan->units ? issue_bytes(plan, a) : 0;
        if (plan->tables > plan->memory)
            return reuse_no_room(plan, plan->tables);
    }
    return HD_OK;
}

hd_status reuse_measure(reuse_plan *plan, uint32_t workers, hd_arena *const *arenas) {
    job j = {plan, arenas};
    hd_status status = size_tables(plan);
    reuse_meter_begin(plan, "measuring");
    if (status != HD_OK)
        return status;
    uint64_t failed;
    status = reuse_in_parallel(workers, plan->aggregate_count, measure_aggregate, &j, &failed);
    const reuse_aggregate *a = &plan->aggregates[failed];
    return status ? reuse_say_fault(plan, a->first, a->count) : HD_OK;
}
