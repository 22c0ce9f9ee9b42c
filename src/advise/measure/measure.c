/*
 * Running a job on a device, and comparing two layouts of it.
 *
 * A version's time is the sum of its kernels' times by the device's own clock;
 * transfers and the host are left out. The versions take turns, so that what
 * slows the machine for a while slows both:
 *
 *     original, rewritten        once each, unmeasured; their outputs are compared
 *     original, rewritten        measured, from freshly filled buffers every time
 *     rewritten, original, ...   and the other way round, so that neither always leads
 *
 * Times have long tails, so a version is told by its median and quartiles, and
 * the speedup by those of the ratios of neighbouring runs.
 */
#include <math.h>
#include <stdlib.h>

#include "advise/measure/session.h"

enum { DEFAULT_REPEATS = 7, MOST_REPEATS = 100000 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a share of the sorted values lies, between its neighbours. */
static double quantile(const double *sorted, uint32_t count, double share) {
    double at = share * (count - 1);
    uint32_t below = (uint32_t)at;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

hd_timing hd_timing_of(hd_arena *arena, const double *seconds, uint32_t count) {
    double *sorted = hd_new_array(arena, double, count);
    memcpy(sorted, seconds, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    return (hd_timing){.median = quantile(sorted, count, 0.5),
                       .low = quantile(sorted, count, 0.25),
                       .high = quantile(sorted, count, 0.75),
                       .repeats = count};
}

hd_timing hd_speedup_of(hd_arena *arena, const double *original, const double *rewritten,
                        uint32_t count) {
    double *ratios = hd_new_array(arena, double, count);
    for (uint32_t i = 0; i < count; i++)
        ratios[i] = rewritten[i] > 0 ? original[i] / rewritten[i] : 1;
    return hd_timing_of(arena, ratios, count);
}

/* ---- comparing ---------------------------------------------------------- */

typedef struct pair {
    hd_session *session;
    hd_version original, rewritten;
} pair;

/* One run of each; their outputs must agree. */
static hd_status check_outputs(pair *p, hd_measurement *result) {
    hd_session *session = p->session;
    uint32_t count = session->job->buffer_count;
    void **original = hd_new_array(session->arena, void *, count);
    void **rewritten = hd_new_array(session->arena, void *, count);
    double unused;
    hd_status status = hd_version_outputs(session, session->arena, &p->original, original, &unused);
    if (status == HD_OK)
        status = hd_version_outputs(session, session->arena, &p->rewritten, rewritten, &unused);
    if (status != HD_OK)
        return status;
    const hd_diag silent = {0};
    const hd_contents one = {"originally", original}, other = {"rewritten", rewritten};
    status = hd_contents_compare(session->arena, &silent, session->job, &one, &other,
                                 &result->equal, &result->bit_equal);
    if (status == HD_EDIFFER && /* is it the layout's fault? */
        (status = hd_version_repeats(session, &p->original, original,
                                     HD_REPEATS_AFTER_DIFFERENCE)) == HD_OK)
        status = hd_contents_compare(session->arena, session->diag, session->job, &one, &other,
                                     &result->equal, &result->bit_equal);
    return status;
}

/* Times of the runs of one version. */
typedef struct times {
    hd_vec(double) to_device, kernels, from_device, whole;
} times;

static void add_times(hd_arena *arena, times *t, const hd_run_seconds *seconds) {
    hd_push(arena, &t->to_device, seconds->to_device);
    hd_push(arena, &t->kernels, seconds->kernels);
    hd_push(arena, &t->from_device, seconds->from_device);
    hd_push(arena, &t->whole, hd_run_whole(seconds));
}

static hd_whole_timing whole_timing(hd_arena *arena, const times *t) {
    uint32_t count = (uint32_t)t->whole.count;
    return (hd_whole_timing){
        hd_timing_of(arena, t->to_device.data, count), hd_timing_of(arena, t->kernels.data, count),
        hd_timing_of(arena, t->from_device.data, count), hd_timing_of(arena, t->whole.data, count)};
}

static hd_status time_version(pair *p, hd_version *version, bool whole, hd_run_seconds *seconds) {
    *seconds = (hd_run_seconds){0};
    return whole ? hd_version_run_whole(p->session, version, seconds)
                 : hd_version_run(p->session, version, &seconds->kernels);
}

static void show(const hd_measure_options *options, const char *what, double done) {
    if (options->progress)
        options->progress(options->user, what, done);
}

static hd_status time_pair(pair *p, const hd_measure_options *options, hd_measurement *result) {
    hd_arena *arena = p->session->arena;
    times original = {0}, rewritten = {0};
    uint32_t repeats = options->repeats ? options->repeats : DEFAULT_REPEATS;
    bool whole = options->placement;
    double total = 0;
    while (original.whole.count < repeats ||
           (total < options->min_seconds && original.whole.count < MOST_REPEATS)) {
        hd_run_seconds a = {0}, b = {0};
        hd_status status = HD_OK;
        double of_runs = (double)original.whole.count / repeats;
        show(options, "measuring",
             options->min_seconds > 0 ? fmin(of_runs, total / options->min_seconds) : of_runs);
        for (size_t turn = 0; turn < 2 && status == HD_OK; turn++)
            status = (original.whole.count + turn) % 2 == 0
                         ? time_version(p, &p->original, whole, &a)
                         : time_version(p, &p->rewritten, whole, &b);
        if (status != HD_OK)
            return status;
        add_times(arena, &original, &a);
        add_times(arena, &rewritten, &b);
        total += hd_run_whole(&a) + hd_run_whole(&b);
    }
    uint32_t count = (uint32_t)original.whole.count;
    hd_timing ratio = hd_speedup_of(arena, original.kernels.data, rewritten.kernels.data, count);
    result->original = hd_timing_of(arena, original.kernels.data, count);
    result->rewritten = hd_timing_of(arena, rewritten.kernels.data, count);
    result->speedup = ratio.median;
    result->speedup_low = ratio.low;
    result->speedup_high = ratio.high;
    if (!whole)
        return HD_OK;
    hd_whole_measurement *w = hd_new(arena, hd_whole_measurement);
    ratio = hd_speedup_of(arena, original.whole.data, rewritten.whole.data, count);
    *w = (hd_whole_measurement){whole_timing(arena, &original), whole_timing(arena, &rewritten),
                                ratio.median, ratio.low, ratio.high};
    result->whole = w;
    return HD_OK;
}

/* ---- energy -------------------------------------------------------------- */

/* One version of the two. */
typedef struct metered_side {
    hd_version *version;
    const hd_layout *layout;
    double seconds; /* of a run */
    hd_energy *energy;
} metered_side;

static hd_status meter_pair(pair *p, hd_meter *meter, const hd_measure_options *options,
                            const hd_layout *layout, hd_measurement *result) {
    hd_session *session = p->session;
    const hd_energy_question *question = options->energy;
    const hd_whole_measurement *whole = result->whole;
    hd_energy_pair *energy = hd_new(session->arena, hd_energy_pair);
    const metered_side sides[] = {
        {&p->original, hd_layout_original(session->arena, session->job->record),
         whole ? whole->original.whole.median : result->original.median, &energy->original},
        {&p->rewritten, layout, whole ? whole->rewritten.whole.median : result->rewritten.median,
         &energy->rewritten}};
    result->energy = energy;
    for (size_t i = 0; i < 2; i++) {
        const metered_side *s = &sides[i];
        hd_status status = HD_OK;
        if (meter) {
            show(options, i ? "metering the layout" : "metering the original", (double)i / 2);
            status =
                hd_version_energy(session, s->version, whole, meter, &question->options, s->energy);
        } else {
            *s->energy =
                hd_version_modelled(session, s->version, whole, question, s->layout, s->seconds);
        }
        if (status != HD_OK)
            return status;
    }
    bool is_ratio = !energy->original.missing && !energy->rewritten.missing &&
                    energy->original.joules > 0 && energy->rewritten.joules > 0;
    energy->saving = is_ratio ? energy->original.joules / energy->rewritten.joules : NAN;
    return HD_OK;
}

hd_status hd_measure_compare(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             const hd_rewritten *rewritten, const hd_measure_options *options,
                             hd_measurement *result) {
    static const hd_measure_options defaults = {0};
    hd_session session;
    pair p = {.session = &session};
    void **contents = hd_new_array(arena, void *, job->buffer_count);
    *result = (hd_measurement){0};
    if (!options)
        options = &defaults;
    const hd_placing placing = {options->placement ? *options->placement : HD_PLACEMENT_DEVICE,
                                false};
    if (!job->record)
        return hd_job_require_record(diag, job);
    result->original_placement = hd_job_placement(arena, job);
    result->rewritten_placement =
        options->placement ? hd_placement_name(placing.placement) : result->original_placement;
    hd_status status = hd_session_open(arena, diag, job, options->device, &session);
    result->device_name = session.device.name;
    result->driver = hd_format(arena, "%s %s", session.device.platform, session.device.driver);
    hd_meter *meter = NULL;
    if (status == HD_OK && options->energy)
        status = hd_session_meter(&session, options->energy, &meter);
    if (status == HD_OK)
        status = hd_job_all_contents(arena, diag, job, contents);
    if (status == HD_OK)
        status = hd_version_make(&session, NULL, NULL, 0, NULL, contents, &p.original);
    if (status == HD_OK)
        status = hd_version_make(&session, rewritten, rewritten ? layouts : NULL,
                                 rewritten ? layout_count : 0, options->placement ? &placing : NULL,
                                 contents, &p.rewritten);
    if (status == HD_OK)
        status = check_outputs(&p, result);
    if (status == HD_OK)
        status = time_pair(&p, options, result);
    if (status == HD_OK && options->energy)
        status = meter_pair(&p, meter, options, layouts[0].layout, result);
    if (meter)
        hd_meter_close(meter);
    hd_version_free(&session, &p.original);
    hd_version_free(&session, &p.rewritten);
    hd_session_close(&session);
    return status;
}

/* ---- running once ------------------------------------------------------- */

hd_status hd_measure_run(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_measure_options *options, void **contents, hd_timing *timing) {
    hd_session session;
    hd_version version = {0};
    void **initial = hd_new_array(arena, void *, job->buffer_count);
    double seconds = 0;
    hd_status status =
        hd_session_open(arena, diag, job, options ? options->device : NULL, &session);
    if (status == HD_OK)
        status = hd_job_all_contents(arena, diag, job, initial);
    if (status == HD_OK)
        status = hd_version_make(&session, NULL, NULL, 0, NULL, initial, &version);
    if (status == HD_OK)
        status = hd_version_outputs(&session, arena, &version, contents, &seconds);
    if (status == HD_OK && timing)
        *timing = hd_timing_of(arena, &seconds, 1);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}
