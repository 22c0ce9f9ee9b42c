/* What another order of threads would save (threads.h). */
#include "advise/threads.h"

#include "analysis/sharing_graph.h"
#include "order/orders.h"
#include "rewrite/thread_map.h"

/* The run with most accesses, or NULL. */
static const hd_trace_launch *heaviest(const hd_trace_contents *contents) {
    const hd_trace_launch *most = NULL;
    for (uint32_t l = 0; l < contents->launch_count; l++)
        if (!most || contents->launches[l].lane_accesses > most->lane_accesses)
            most = &contents->launches[l];
    return most;
}

static bool stay_together(const hd_job *job, const char *kernel) {
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (!strcmp(job->launches[l].kernel_name, kernel))
            return hd_threads_stay_together(job->launches[l].kernel, NULL) ||
                   job->launches[l].items_from;
    return true;
}

const hd_thread_gain *hd_thread_gain_of(hd_arena *arena, const hd_job *job, const hd_device *device,
                                        const hd_evidence *evidence,
                                        const hd_evidence_options *options) {
    static const hd_diag silent = {0};
    hd_trace *trace;
    hd_thread_gain *gain = NULL;
    if (evidence->stopped || !hd_evidence_is_whole(evidence) ||
        hd_trace_open(arena, &silent, evidence->trace, &trace))
        return NULL;
    const hd_trace_contents *contents = hd_trace_get(trace);
    const hd_trace_launch *most = heaviest(contents);
    const hd_trace_watch watch = {.stop = options->stop};
    const hd_sharing_options reading = {.device = device, .watch = &watch};
    const hd_stages stages = {.threads = true, .refine = true};
    hd_arena *own = hd_arena_new();
    hd_sharing *sharing;
    if (most && most->lane_accesses <= HD_THREADS_MOST &&
        !stay_together(job, most->launch.kernel) &&
        hd_sharing_read(own, &silent, trace, &(uint32_t){(uint32_t)(most - contents->launches)}, 1,
                        &reading, &sharing) == HD_OK) {
        uint32_t *order = hd_new_array(own, uint32_t, sharing->threads + 1);
        for (uint32_t t = 0; t < sharing->threads; t++)
            order[t] = t;
        uint64_t before = hd_sharing_count(sharing, NULL).transactions;
        uint32_t reads = (sharing->warp * 4 + sharing->segment - 1) / sharing->segment;
        uint64_t after = before;
        if (hd_order_threads(&silent, sharing, &stages, order) == HD_OK)
            after = hd_sharing_count(sharing, order).transactions +
                    (uint64_t)hd_sharing_warps(sharing) * reads;
        if ((double)after <= (1 - HD_THREADS_WORTH) * (double)before) {
            gain = hd_new(arena, hd_thread_gain);
            *gain = (hd_thread_gain){hd_format(arena, "%s", most->launch.kernel), before, after,
                                     1 - (double)after / (double)before};
        }
    }
    hd_arena_free(own);
    hd_trace_close(trace);
    return gain;
}
