/*
 * The energy of a version: its launches, repeated under a meter, or priced by the model.
 *
 * A launch is repeated on what the one before has left, as when tiles are trained: contents hardly
 * change what a kernel takes, and filling buffers would be metered with it. Only where a launch reads
 * how much it is to do, or a group ends by a value, is it another thing the second time; such a job
 * is metered for one run, and the reading's resolution says what that is worth. Of
 * whole runs what the host itself writes is not metered, as it is not timed.
 */
#include "model/cost.h"
#include "advise/measure/session.h"

typedef struct metered {
    hd_session *session;
    hd_version *version;
    uint64_t *repeats; /* of each launch */
} metered;

static hd_status fill(void *self) {
    const metered *m = self;
    return hd_version_fill(m->session, m->version);
}

static hd_status run(void *self, uint64_t times) {
    metered *m = self;
    const hd_job *job = m->version->placed->job;
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (__builtin_mul_overflow(job->launches[l].repeat, times, &m->repeats[l]))
            m->repeats[l] = UINT64_MAX;
    return hd_version_launch(m->session, m->version, m->repeats, m->version->seconds);
}

static hd_status run_whole(void *self, uint64_t times) {
    const metered *m = self;
    hd_run_seconds seconds;
    hd_status status = HD_OK;
    for (uint64_t i = 0; i < times && status == HD_OK; i++)
        status = hd_version_run_again(m->session, m->version, &seconds);
    return status;
}

static hd_status fill_whole(void *self) {
    const metered *m = self;
    hd_run_seconds seconds;
    return hd_version_run_whole(m->session, m->version, &seconds);
}

static bool runs_once(const hd_job *job) {
    bool once = job->until_count > 0;
    for (uint32_t l = 0; l < job->launch_count; l++)
        once |= hd_launch_reads(&job->launches[l]);
    return once;
}

hd_status hd_version_energy(hd_session *session, hd_version *version, bool whole, hd_meter *meter,
                            const hd_energy_options *options, hd_energy *energy) {
    const hd_job *job = version->placed->job;
    metered m = {session, version, hd_new_array(session->arena, uint64_t, job->launch_count)};
    const hd_energy_work kernels = {
        .run = run, .prepare = fill, .self = &m, .once = runs_once(job)};
    const hd_energy_work all = {.run = run_whole, .prepare = fill_whole, .self = &m};
    return hd_energy_repeat(meter, whole ? &all : &kernels, options, energy);
}

hd_status hd_session_meter(const hd_session *session, const hd_energy_question *question,
                           hd_meter **meter) {
    hd_meter_request request = question->meter;
    request.what = session->device.is_processor ? "package" : "device";
    request.title = session->device.name;
    return hd_meter_open(session->arena, session->diag, &request, meter);
}

static hd_energy unknown(const hd_session *session, double seconds, const char *why) {
    return (hd_energy){.seconds = seconds,
                       .source = "model",
                       .modelled = true,
                       .missing = hd_strdup(session->arena, why)};
}

/* What a whole run brings to a device with memory of its own, and back: copies, or, of buffers that
 * stay with the host, what the kernels' accesses bring of them. */
static double link_bytes(const hd_session *session, const hd_version *version,
                         const hd_energy_counts *counts) {
    const hd_job *job = version->placed->job;
    double copied = 0;
    bool in_place = false;
    if (session->gpu->is_unified || session->device.is_processor)
        return 0;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        bool back = version->written && version->written[b];
        if (buffer->placement == HD_PLACEMENT_DEVICE)
            copied += (double)buffer->count * buffer->element_bytes * (back ? 2 : 1);
        else
            in_place = true;
    }
    return copied + (in_place ? counts->dram_bytes : 0);
}

hd_energy hd_version_modelled(const hd_session *session, const hd_version *version, bool whole,
                              const hd_energy_question *question, const hd_layout *layout,
                              double seconds) {
    hd_arena *arena = session->arena;
    const hd_diag silent = {0};
    const hd_cost_options rules = {0};
    const hd_device *profile = question->profile;
    hd_cost_model *model;
    if (!profile && session->device.is_processor)
        hd_device_host(arena, &silent, &profile);
    if (!profile)
        return unknown(session, seconds,
                       hd_format(arena,
                                 "modelled energy of %s needs its profile: name it by --device",
                                 session->device.name));
    if (hd_cost_model_make(arena, &silent, session->job, profile, &rules, &model) != HD_OK)
        return unknown(session, seconds, "the cost model cannot price this job");
    hd_energy_counts counts = hd_cost_energy_counts(arena, model, session->job, layout);
    counts.seconds = seconds;
    counts.link_bytes = whole ? link_bytes(session, version, &counts) : 0;
    return hd_energy_of_model(arena, profile, &counts, question->options.subtract_idle);
}
