/*
 * Times that the model of model/time.h predicts for layouts of a job, for the profile of the device: of
 * the kernels in CUDA C that are timed, in the form that NVIDIA's compiler makes of them, counted on
 * the machine.
 */
#include "advise/recount.h"
#include "cli/gpu/gpu.h"
#include "frontend/frontend.h"

/* No other layout is begun after this share of the step's time: each takes a few seconds. */
static const double LAST = 0.9;

typedef struct counter {
    hd_gpu_step_run *run;
    const hd_gpu_predictions *of;
    const hd_job *job;
    hd_time *times;
} counter;

static hd_status count_one(void *self, uint32_t worker, uint64_t number) {
    const counter *c = self;
    const hd_gpu_predictions *of = c->of;
    const hd_evidence_options options = {0};
    hd_run_counts counts;
    (void)worker;
    if (of->left_out[number] || !hd_gpu_has_time(c->run, LAST))
        return HD_OK;
    hd_arena *arena = hd_arena_new();
    if (hd_count_in_layout(arena, &hd_silent, c->job, number ? of->layouts[number] : NULL,
                           of->profile, of->accesses, &options, &counts) == HD_OK)
        c->times[number] = counts.time;
    hd_arena_free(arena);
    return HD_OK;
}

hd_status hd_gpu_predict(hd_gpu_step_run *run, const hd_gpu_predictions *of, hd_time *times) {
    hd_job *job;
    uint64_t failed;
    hd_status status =
        hd_gpu_load(run->arena, run->diag, of->subject, hd_form_for(of->profile), &job);
    counter c = {run, of, job, times};
    if (status == HD_OK)
        status = hd_in_parallel(hd_core_count(), of->count, count_one, &c, &failed);
    for (uint32_t i = 0; i < of->count; i++)
        if (!of->left_out[i] && !(times[i].seconds > 0) && !hd_gpu_has_time(run, LAST))
            json_object_set_new(run->result, "cut", json_true());
    return status;
}
