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
#include "measure/session.h"
#include "measure/timing.h"

enum { DEFAULT_REPEATS = 7, MOST_REPEATS = 100000 };

/* ---- comparing ---------------------------------------------------------- */

typedef struct pair {
    hd_session *session;
    hd_version original, rewritten;
} pair;

static hd_status initial_contents(hd_session *session, void ***contents) {
    const hd_job *job = session->job;
    *contents = hd_new_array(session->arena, void *, job->buffer_count);
    return hd_job_all_contents(session->arena, session->diag, job, *contents);
}

static hd_status make_pair(pair *p, const hd_record_layout *layouts, uint32_t layout_count,
                           const hd_rewritten *rewritten) {
    void **contents;
    hd_status status = initial_contents(p->session, &contents);
    if (status == HD_OK)
        status = hd_version_make(p->session, NULL, NULL, 0, contents, &p->original);
    if (status == HD_OK)
        status =
            hd_version_make(p->session, rewritten, layouts, layout_count, contents, &p->rewritten);
    return status;
}

/* One run of each; their outputs must agree. */
static hd_status check_outputs(pair *p, hd_measurement *result) {
    hd_session *session = p->session;
    uint32_t count = session->job->buffer_count;
    void **original = hd_new_array(session->arena, void *, count);
    void **rewritten = hd_new_array(session->arena, void *, count);
    double unused;
    hd_status status = hd_version_run(session, &p->original, &unused);
    if (status == HD_OK)
        status = hd_version_read(session, session->arena, &p->original, original);
    if (status == HD_OK)
        status = hd_version_run(session, &p->rewritten, &unused);
    if (status == HD_OK)
        status = hd_version_read(session, session->arena, &p->rewritten, rewritten);
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

static hd_status time_pair(pair *p, const hd_measure_options *options, hd_measurement *result) {
    hd_arena *arena = p->session->arena;
    hd_vec(double) original = {0}, rewritten = {0}, ratios = {0};
    uint32_t repeats = options->repeats ? options->repeats : DEFAULT_REPEATS;
    double total = 0;
    while (original.count < repeats ||
           (total < options->min_seconds && original.count < MOST_REPEATS)) {
        double a = 0, b = 0;
        hd_status status = HD_OK;
        for (size_t turn = 0; turn < 2 && status == HD_OK; turn++)
            status = (original.count + turn) % 2 == 0
                         ? hd_version_run(p->session, &p->original, &a)
                         : hd_version_run(p->session, &p->rewritten, &b);
        if (status != HD_OK)
            return status;
        hd_push(arena, &original, a);
        hd_push(arena, &rewritten, b);
        hd_push(arena, &ratios, b > 0 ? a / b : 1);
        total += a + b;
    }
    uint32_t count = (uint32_t)original.count;
    hd_timing ratio = hd_timing_of(arena, ratios.data, count);
    result->original = hd_timing_of(arena, original.data, count);
    result->rewritten = hd_timing_of(arena, rewritten.data, count);
    result->speedup = ratio.median;
    result->speedup_low = ratio.low;
    result->speedup_high = ratio.high;
    return HD_OK;
}

hd_status hd_measure_compare(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             const hd_rewritten *rewritten, const hd_measure_options *options,
                             hd_measurement *result) {
    static const hd_measure_options defaults = {0};
    hd_session session;
    pair p = {.session = &session};
    *result = (hd_measurement){0};
    if (!options)
        options = &defaults;
    if (!job->record)
        return hd_job_require_record(diag, job);
    hd_status status = hd_session_open(arena, diag, job, options->device, &session);
    result->device_name = session.device.name;
    result->driver = hd_format(arena, "%s %s", session.device.platform, session.device.driver);
    if (status == HD_OK)
        status = make_pair(&p, layouts, layout_count, rewritten);
    if (status == HD_OK)
        status = check_outputs(&p, result);
    if (status == HD_OK)
        status = time_pair(&p, options, result);
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
    void **initial;
    double seconds = 0;
    hd_status status =
        hd_session_open(arena, diag, job, options ? options->device : NULL, &session);
    if (status == HD_OK)
        status = initial_contents(&session, &initial);
    if (status == HD_OK)
        status = hd_version_make(&session, NULL, NULL, 0, initial, &version);
    if (status == HD_OK)
        status = hd_version_run(&session, &version, &seconds);
    if (status == HD_OK)
        status = hd_version_read(&session, arena, &version, contents);
    if (status == HD_OK && timing)
        *timing = hd_timing_of(arena, &seconds, 1);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}
