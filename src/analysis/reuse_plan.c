/* The six scenarios as streams of aggregates. */
#include "analysis/reuse_parts.h"

/* ---- options ------------------------------------------------------------------------- */

static hd_status refuse(const hd_diag *diag, const char *what) {
    return hd_fail(diag, HD_EINPUT, NULL, "%s", what);
}

static hd_status check_parameters(const hd_diag *diag, const hd_reuse_options *o) {
    if (o->scenario < 1 || o->scenario > 6)
        return hd_fail(diag, HD_EINPUT, NULL, "there is no scenario %u; they are 1 to 6",
                       o->scenario);
    if (o->scenario == 4 && !o->k)
        return refuse(diag, "scenario 4 needs K, the number of blocks that run at once: --k 8");
    if (o->spaces >> KIR_PRIVATE & 1)
        return refuse(diag, "threads have the same addresses in private memory, so that none "
                            "reuses what another used; take global, constant or local");
    if (o->spaces >> KIR_LOCAL & 1 && o->scenario != 2)
        return refuse(diag, "every block has its own local memory, which goes with scenario 2, "
                            "each block by itself");
    if (o->scenario < 5)
        return HD_OK;
    if (!o->clusters || !o->units)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "scenario %u needs core clusters, and load/store units for each: --clusters "
                       "16 --units 32",
                       o->scenario);
    if (o->units % REUSE_WARP != 0 && REUSE_WARP % o->units != 0)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "%u load/store units fit no warp; use a multiple or a divisor of 32",
                       o->units);
    uint64_t all = (uint64_t)o->clusters * o->units;
    if (o->scenario == 6 && all % REUSE_WARP != 0 && REUSE_WARP % all != 0)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "%u clusters of %u units are %llu, which fit no warp; use a multiple or a "
                       "divisor of 32",
                       o->clusters, o->units, (unsigned long long)all);
    return HD_OK;
}

hd_status hd_reuse_check(hd_arena *arena, const hd_diag *diag, const hd_reuse_options *o) {
    const hd_order *blocks;
    const hd_order *warps;
    hd_status status = check_parameters(diag, o);
    if (status == HD_OK)
        status = hd_find_block_order(arena, diag, o->block_order, &blocks);
    return status ? status : hd_find_warp_order(arena, diag, o->warp_order, &warps);
}

/* ---- blocks in their order ------------------------------------------------------------- */

static hd_status order_blocks(hd_arena *arena, reuse_plan *plan, const hd_reuse_options *o) {
    const hd_trace_contents *contents = hd_trace_get(plan->trace);
    const hd_order *by;
    uint64_t first = 0, end, count = 0, number_end = o->end_launch ? o->end_launch : UINT64_MAX;
    hd_status status = HD_OK;
    hd_find_block_order(arena, plan->diag, o->block_order, &by);
    while (first < contents->launch_count &&
           contents->launches[first].launch.number < o->first_launch)
        first++;
    for (end = first; end < contents->launch_count; end++) {
        if (contents->launches[end].launch.number >= number_end)
            break;
        count += contents->launches[end].block_count;
    }
    if (first == end)
        return refuse(plan->diag, contents->launch_count
                                      ? "the trace has none of the chosen launches"
                                      : "the trace has no launches");
    plan->blocks = hd_new_array(arena, reuse_block, count);
    for (uint64_t l = first; l < end && !status; l++) {
        const hd_trace_launch *launch = &contents->launches[l];
        const hd_schedule_input input = {plan->trace,  plan->diag, launch,      plan->element_bytes,
                                         plan->spaces, o->seed,    plan->memory};
        uint64_t *order = hd_new_array(arena, uint64_t, launch->block_count);
        status = by->fill(&input, order);
        for (uint64_t i = 0; i < launch->block_count && !status; i++) {
            const hd_trace_block *index = &launch->blocks[order[i]];
            uint64_t turn = by == hd_block_orders ? index->block : i;
            plan->blocks[plan->block_count++] =
                (reuse_block){.launch = launch, .index = index, .turn = turn};
        }
    }
    if (!status && !count)
        status = refuse(plan->diag, "the trace has no complete block");
    return status;
}

/* ---- aggregates and streams -------------------------------------------------------------- */

/* Aggregates one after another, each of `size` turns of a launch (0: all). */
static void aggregate_blocks(reuse_plan *plan, uint64_t size) {
    for (uint64_t b = 0; b < plan->block_count; b++) {
        reuse_block *block = &plan->blocks[b];
        if (!b || block->launch != block[-1].launch ||
            (size && block->turn / size != block[-1].turn / size))
            plan->aggregates[plan->aggregate_count++] = (reuse_aggregate){.first = b};
        block->aggregate = plan->aggregate_count - 1;
        block->place = (uint32_t)plan->aggregates[block->aggregate].count++;
        uint64_t all = block->launch->launch.block_count;
        uint64_t at_once = size && size < all ? size : all;
        plan->k = at_once > plan->k ? at_once : plan->k;
    }
}

/* Turn n of a launch goes to cluster n mod C; blocks are put in the order of clusters, and
 * stay in their order there. */
static void deal_to_clusters(hd_arena *arena, reuse_plan *plan, uint64_t clusters) {
    reuse_block *grouped = hd_new_array(arena, reuse_block, plan->block_count);
    uint64_t *next = hd_new_array(arena, uint64_t, clusters + 1);
    for (uint64_t b = 0; b < plan->block_count; b++)
        next[plan->blocks[b].turn % clusters + 1]++;
    for (uint64_t c = 0; c < clusters; c++)
        next[c + 1] += next[c];
    for (uint64_t b = 0; b < plan->block_count; b++) {
        uint64_t cluster = plan->blocks[b].turn % clusters, at = next[cluster]++;
        plan->aggregates[at] = (reuse_aggregate){.stream = cluster, .first = at, .count = 1};
        grouped[at] = plan->blocks[b];
        grouped[at].aggregate = at;
    }
    plan->blocks = grouped;
    plan->aggregate_count = plan->block_count;
}

/* Among the ranks, as many lane accesses for each as can be. */
static void divide_blocks(hd_arena *arena, reuse_plan *plan) {
    const uint32_t ranks = plan->ranks ? plan->ranks->count : 1;
    const uint32_t rank = plan->ranks ? plan->ranks->rank : 0;
    uint64_t all = 0, before = 0, own = 0;
    uint32_t next = 1;
    plan->bounds = hd_new_array(arena, uint64_t, ranks + 1);
    for (uint64_t b = 0; b < plan->block_count; b++)
        all += plan->blocks[b].index->lane_accesses + 1;
    for (uint64_t b = 0; b < plan->block_count; b++) {
        bool may_begin = !plan->units || !plan->blocks[b].place;
        while (may_begin && next < ranks && before >= (unsigned __int128)all * next / ranks)
            plan->bounds[next++] = b;
        before += plan->blocks[b].index->lane_accesses + 1;
        own += next == rank + 1 ? plan->blocks[b].index->lane_accesses : 0;
    }
    while (next <= ranks)
        plan->bounds[next++] = plan->block_count;
    plan->first_own = plan->bounds[rank];
    plan->end_own = plan->bounds[rank + 1];
    plan->meter->all = own + 1;
}

hd_status reuse_plan_make(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                          const hd_reuse_options *o, reuse_plan *plan) {
    const uint64_t least = (uint64_t)64 << 20, memory = o->memory ? o->memory : (uint64_t)1 << 30;
    *plan = (reuse_plan){.trace = trace,
                         .diag = diag,
                         .ranks = o->ranks && o->ranks->count > 1 ? o->ranks : NULL,
                         .memory = memory > least ? memory : least,
                         .meter = hd_new(arena, reuse_meter),
                         .spaces = o->spaces ? o->spaces : 1u << KIR_GLOBAL,
                         .element_bytes = o->element_bytes ? o->element_bytes : 4};
    plan->meter->progress = o->progress;
    plan->meter->user = o->user;
    const hd_order *warps;
    hd_status status = hd_reuse_check(arena, diag, o);
    if (status != HD_OK)
        return status;
    hd_find_warp_order(arena, diag, o->warp_order, &warps);
    plan->by_warp = warps->by_warp;
    plan->units = o->scenario == 5   ? o->units
                  : o->scenario == 6 ? (uint64_t)o->clusters * o->units
                                     : 0;
    status = order_blocks(arena, plan, o);
    if (status != HD_OK)
        return status;
    plan->aggregates = hd_new_array(arena, reuse_aggregate, plan->block_count);
    plan->stream_count = o->scenario == 5 ? o->clusters : o->scenario == 2 ? plan->block_count : 1;
    if (o->scenario == 5)
        deal_to_clusters(arena, plan, o->clusters);
    else
        aggregate_blocks(plan, o->scenario == 3   ? 0
                               : o->scenario == 4 ? o->k
                               : o->scenario == 6 ? o->clusters
                                                  : 1);
    for (uint64_t a = 0; a < plan->aggregate_count && o->scenario == 2; a++)
        plan->aggregates[a].stream = a;
    divide_blocks(arena, plan);
    return HD_OK;
}

hd_status reuse_plan_place(hd_arena *arena, reuse_plan *plan) {
    plan->stream_start = hd_new_array(arena, uint64_t, plan->stream_count + 1);
    uint64_t at = 0, stream = 0;
    for (uint64_t a = 0; a < plan->aggregate_count; a++) {
        reuse_aggregate *aggregate = &plan->aggregates[a];
        while (stream < aggregate->stream)
            plan->stream_start[++stream] = at;
        aggregate->start = at;
        at += aggregate->issues;
    }
    while (stream < plan->stream_count)
        plan->stream_start[++stream] = at;
    if (at < UINT32_MAX)
        return HD_OK;
    return hd_fail(plan->diag, HD_EUNSUPPORTED, NULL,
                   "the streams have %llu memory instructions; fewer than 2^32 can be analysed at "
                   "once: choose launches with --launch",
                   (unsigned long long)at);
}

/* ---- memory ------------------------------------------------------------------------------- */

hd_status reuse_no_room(const reuse_plan *plan, uint64_t bytes) {
    const unsigned shift = 20;
    return hd_fail(plan->diag, HD_EUNSUPPORTED, NULL,
                   "the analysis needs %s%llu MiB for what it keeps of memory instructions and "
                   "elements, and %llu MiB are allowed: allow more with --memory, or choose "
                   "launches with --launch",
                   bytes >= UINT64_MAX / 4 ? "more than " : "",
                   (unsigned long long)((bytes >> shift) + 1),
                   (unsigned long long)(plan->memory >> shift));
}

/* ---- reading ------------------------------------------------------------------------------ */

void reuse_meter_begin(const reuse_plan *plan, const char *doing) {
    plan->meter->doing = doing;
    plan->meter->done = 0;
}

void reuse_meter_add(const reuse_plan *plan, uint32_t worker, uint64_t *pending,
                     uint64_t lane_accesses) {
    enum { GATHERED = 1 << 20 };
    reuse_meter *m = plan->meter;
    if ((*pending += lane_accesses) < GATHERED)
        return;
    uint64_t done = m->done += *pending;
    *pending = 0;
    if (!worker && m->progress)
        m->progress(m->user, m->doing, (double)done / (double)m->all);
}

static void *open_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

hd_status reuse_read_block(const reuse_plan *plan, const reuse_block *block,
                           void (*event)(void *stream, const hd_event *event), void *stream) {
    const hd_sink sink = {.self = stream, .open_block = open_block, .event = event};
    return hd_trace_replay_block(plan->trace, NULL, block->launch->launch.number,
                                 block->index->block, &sink);
}

hd_status reuse_say_fault(const reuse_plan *plan, uint64_t first, uint64_t count) {
    const hd_sink silent = {0};
    hd_status status = HD_OK;
    for (uint64_t b = first; b < first + count && !status; b++)
        status =
            hd_trace_replay_block(plan->trace, plan->diag, plan->blocks[b].launch->launch.number,
                                  plan->blocks[b].index->block, &silent);
    return status
               ? status
               : hd_fail(plan->diag, HD_ESYSTEM, NULL, "the trace was changed while it was read");
}
