/* Advice in time (timing.h). */
#include "advise/timing.h"

#include <stdlib.h>

/* ---- kernels ------------------------------------------------------------------------------- */

static hd_kernel_time *kernel_of(hd_time_advice *t, const char *name) {
    for (uint32_t k = 0; k < t->count; k++)
        if (!strcmp(t->kernels[k].kernel, name))
            return &t->kernels[k];
    t->kernels[t->count].kernel = name;
    return &t->kernels[t->count++];
}

static double flops(const hd_time_work *w) { return w->energy.fp32 + w->energy.fp64; }

static void add_launches(const hd_job *job, const hd_run_counts *before, const hd_run_counts *after,
                         hd_time_advice *t) {
    for (uint32_t l = 0; l < before->work_count; l++) {
        const hd_time_work *w = &before->works[l], *then = after ? &after->works[l] : NULL;
        if (!(w->runs > 0))
            continue;
        hd_kernel_time *k = kernel_of(t, job->launches[l].kernel_name);
        const hd_time time = hd_time_of(t->device, w);
        hd_time_add(&k->before, &time);
        k->runs += w->runs;
        k->flops += flops(w);
        k->fp64 += w->energy.fp64;
        k->dram_bytes += w->dram_bytes;
        if (!then || !(then->runs > 0))
            continue;
        const hd_time changed = hd_time_of(t->device, then);
        hd_time_add(&k->after, &changed);
        k->flops_after += flops(then);
        k->dram_bytes_after += then->dram_bytes;
    }
}

static int longer(const void *a, const void *b) {
    const double x = ((const hd_kernel_time *)a)->before.seconds;
    const double y = ((const hd_kernel_time *)b)->before.seconds;
    return x < y ? 1 : -(x > y);
}

/* ---- the whole program ---------------------------------------------------------------------- */

/* What kernels do to each buffer: bit 1 << HD_LOAD, ... */
static uint32_t *uses_of(hd_arena *arena, const hd_job *job) {
    uint32_t *uses = hd_new_array(arena, uint32_t, job->buffer_count + 1);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const hd_kernel_info *info = hd_job_analyse(arena, job, launch);
        for (uint32_t i = 0; i < info->access_count; i++)
            for (uint32_t a = 0; a < launch->arg_count; a++)
                if (launch->args[a].kind == HD_ARG_BUFFER && info->accesses[i].param >= 0 &&
                    launch->args[a].param == (uint32_t)info->accesses[i].param)
                    uses[launch->args[a].buffer] |= 1u << info->accesses[i].kind;
    }
    return uses;
}

/* Each byte of the record's is read and written by a conversion. */
static void add_transfers(hd_arena *arena, const hd_job *job, bool converts, hd_time_advice *t) {
    const hd_device_speed *v = &t->device->speed;
    const uint32_t *uses = uses_of(arena, job);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        const double bytes = (double)buffer->count * buffer->element_bytes;
        const bool writes = uses[b] & ~(1u << HD_LOAD);
        const double ways = (uses[b] >> HD_LOAD & 1) + writes;
        if (v->link > 0)
            t->copies += ways * bytes / (v->link * 1e9);
        if (converts && buffer->record &&
            hd_record_declared(buffer->record) == hd_record_declared(job->record))
            t->conversions += ways * 2 * bytes / (v->dram * 1e9);
    }
}

/* Seconds that take as long before and after. */
static hd_time plus(hd_time time, double seconds) {
    time.seconds += seconds;
    return time;
}

/* ---- all ------------------------------------------------------------------------------------ */

hd_time_advice *advise_time(hd_arena *arena, const hd_job *job, const hd_device *device,
                            const hd_recount *recount, const hd_layout *layout) {
    const hd_recounted *of = layout ? hd_recount_of(recount, layout) : NULL;
    const hd_run_counts *before =
        of ? hd_recount_own(recount, of) : hd_recount_deciding(recount, &recount->original);
    const hd_run_counts *after = of ? hd_recount_deciding(recount, of) : NULL;
    if (!before->work_count || !(before->time.seconds > 0))
        return NULL;
    hd_time_advice *t = hd_new(arena, hd_time_advice);
    *t = (hd_time_advice){.device = device,
                          .kernels = hd_new_array(arena, hd_kernel_time, job->launch_count),
                          .before = before->time,
                          .gain = {1, 1, 1},
                          .program = {1, 1, 1}};
    add_launches(job, before, after, t);
    qsort(t->kernels, t->count, sizeof *t->kernels, longer);
    add_transfers(arena, job, after != NULL, t);
    if (!after)
        return t;
    t->after = after->time;
    t->gain = hd_time_gain_of(&before->time, &after->time);
    const hd_time whole = plus(t->before, t->copies);
    const hd_time then = plus(t->after, t->copies + t->conversions);
    t->program = hd_time_gain_of(&whole, &then);
    return t;
}

/* ---- words ---------------------------------------------------------------------------------- */

const char *hd_gain_print(hd_arena *arena, hd_time_gain gain) {
    if (gain.low > 1)
        return hd_format(arena, "%.2g to %.2g times faster", gain.low, gain.high);
    if (gain.high < 1)
        return hd_format(arena, "%.2g to %.2g times slower", 1 / gain.high, 1 / gain.low);
    return hd_format(arena, "about as fast (%.2g to %.2g times)", gain.low, gain.high);
}

const char *hd_bound_print(hd_arena *arena, const hd_time *time) {
    return hd_format(arena, "%s, %.0f%% of %s", hd_time_bound_title(time->bound), 100 * time->share,
                     hd_time_bound_rate(time->bound));
}
