/*
 * Layouts of a job, timed on a device.
 *
 * The original is made first, and what it leaves in the buffers is what every other version
 * is compared with, once. It runs twice for that, and again when a version differs: where its own
 * runs leave different values no version can be checked, and nothing is measured. A layout that
 * cannot be rewritten, built or allocated is no failure of the measurement: its first message
 * becomes the reason why it is left out.
 */
#include "advise/measure/stopwatch.h"

struct hd_device_clock {
    hd_arena *arena;
    const hd_diag *diag;
    hd_session session;
    bool whole;      /* times are */
    void **contents; /* of the job's buffers, before a run */
    void **expected; /* after a run of the original */
    hd_vec(hd_version) versions;
    /* hd_device_clock_meter(): */
    hd_objective objective;
    hd_energy_question question;
    hd_meter *meter;                   /* NULL: the model */
    hd_vec(hd_energy) without_seconds; /* modelled, of each racer: a run that took no time */
};

/* ---- versions ------------------------------------------------------------------- */

static hd_version *version_of(hd_device_clock *clock, uint32_t racer) {
    while (clock->versions.count <= racer)
        hd_push(clock->arena, &clock->versions, (hd_version){0});
    return &clock->versions.data[racer];
}

/* ---- the stopwatch ---------------------------------------------------------------- */

/* A layout in a placement, run once: its outputs must be the original's. The original's layout is
 * here in another placement. */
static hd_status prepare_layout(hd_device_clock *clock, const hd_layout *layout,
                                const hd_placement *placement, hd_version *version) {
    hd_session *session = &clock->session;
    const hd_record_layout chosen = {session->job->record, layout};
    hd_arena *arena = hd_arena_new();
    void **outputs = hd_new_array(arena, void *, session->job->buffer_count);
    const hd_placing placing = {placement ? *placement : HD_PLACEMENT_DEVICE, false};
    hd_rewritten *rewritten = NULL;
    double unused;
    bool equal, bit_equal;
    bool moves = !hd_layout_equal(layout, hd_layout_original(arena, session->job->record));
    hd_status status =
        moves ? hd_rewrite_job(arena, session->diag, session->job, &chosen, 1, &rewritten) : HD_OK;
    if (status == HD_OK)
        status = hd_version_make(session, rewritten, &chosen, moves, placement ? &placing : NULL,
                                 clock->contents, version);
    if (status == HD_OK)
        status = hd_version_outputs(session, arena, version, outputs, &unused);
    if (status == HD_OK)
        status = hd_contents_compare(arena, session->diag, session->job,
                                     &(hd_contents){"originally", clock->expected},
                                     &(hd_contents){"rewritten", outputs}, &equal, &bit_equal);
    if (status != HD_OK)
        hd_version_free(session, version);
    hd_arena_free(arena);
    return status;
}

/* What the model says of a racer whose version is ready. */
static hd_status price_energy(hd_device_clock *clock, uint32_t racer, const hd_layout *layout) {
    if (clock->objective == HD_QUANTITY_TIME || clock->meter)
        return HD_OK;
    while (clock->without_seconds.count <= racer)
        hd_push(clock->arena, &clock->without_seconds, (hd_energy){0});
    hd_energy *energy = &clock->without_seconds.data[racer];
    *energy = hd_version_modelled(&clock->session, version_of(clock, racer), clock->whole,
                                  &clock->question, layout, 0);
    energy->joules = (float)energy->joules; /* a sum in another order is the same */
    return energy->missing ? hd_fail(clock->session.diag, HD_EINPUT, NULL, "%s", energy->missing)
                           : HD_OK;
}

static hd_status prepare(void *state, uint32_t racer, const hd_layout *layout,
                         const hd_placement *placement, const char **why) {
    hd_device_clock *clock = state;
    hd_session *session = &clock->session;
    hd_version *version = version_of(clock, racer);
    hd_status status;
    *why = NULL;
    if (!racer) {
        double unused;
        status = hd_version_make(session, NULL, NULL, 0, NULL, clock->contents, version);
        if (status == HD_OK)
            status = hd_version_outputs(session, clock->arena, version, clock->expected, &unused);
        if (status == HD_OK)
            status = hd_version_repeats(session, version, clock->expected, 1);
        return status ? status : price_energy(clock, racer, layout);
    }
    hd_reason r = {clock->arena, NULL};
    const hd_diag keeper = {hd_keep_reason, &r};
    session->diag = &keeper;
    status = prepare_layout(clock, layout, placement, version);
    if (status == HD_OK && (status = price_energy(clock, racer, layout)) != HD_OK)
        hd_version_free(session, version);
    session->diag = clock->diag;
    *why = r.text;
    if (status != HD_EDIFFER)
        return status;
    hd_status again = hd_version_repeats(session, version_of(clock, 0), clock->expected,
                                         HD_REPEATS_AFTER_DIFFERENCE);
    if (again != HD_OK)
        *why = NULL;
    return again != HD_OK ? again : status;
}

static hd_status run_timed(hd_device_clock *clock, hd_version *version, double *seconds) {
    if (!clock->whole)
        return hd_version_run(&clock->session, version, seconds);
    hd_run_seconds parts;
    hd_status status = hd_version_run_whole(&clock->session, version, &parts);
    *seconds = hd_run_whole(&parts);
    return status;
}

static hd_status find_joules(hd_device_clock *clock, uint32_t racer, double seconds,
                             double *joules) {
    hd_energy energy;
    if (!clock->meter) {
        const hd_energy *none = &clock->without_seconds.data[racer];
        *joules = none->joules + none->idle_watts * seconds;
        return HD_OK;
    }
    hd_status status = hd_version_energy(&clock->session, version_of(clock, racer), clock->whole,
                                         clock->meter, &clock->question.options, &energy);
    *joules = energy.joules;
    return status != HD_OK || !energy.missing
               ? status
               : hd_fail(clock->diag, HD_ESYSTEM, NULL,
                         "the energy of a run is missing: %s; --meter model needs no meter",
                         energy.missing);
}

static hd_status run(void *state, uint32_t racer, hd_lap *lap) {
    hd_device_clock *clock = state;
    *lap = (hd_lap){0};
    hd_status status = run_timed(clock, version_of(clock, racer), &lap->seconds);
    lap->cost = lap->seconds;
    if (status != HD_OK || clock->objective == HD_QUANTITY_TIME)
        return status;
    status = find_joules(clock, racer, lap->seconds, &lap->joules);
    lap->cost = clock->objective == HD_QUANTITY_EDP ? lap->joules * lap->seconds : lap->joules;
    return status;
}

static void release(void *state, uint32_t racer) {
    hd_device_clock *clock = state;
    hd_version_free(&clock->session, version_of(clock, racer));
}

static double now(void *state) {
    (void)state;
    return hd_clock();
}

hd_stopwatch hd_device_clock_stopwatch(hd_device_clock *clock) {
    return (hd_stopwatch){clock, prepare, run, release, now};
}

const char *hd_device_clock_lacks(hd_device_clock *clock, hd_placement placement) {
    hd_compute *gpu = clock->session.gpu;
    return gpu->api->lacks(gpu, placement);
}

/* ---- open and close ------------------------------------------------------------------ */

hd_status hd_device_clock_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               const char *device, bool whole, hd_device_clock **opened) {
    hd_device_clock *clock = hd_new(arena, hd_device_clock);
    *opened = clock;
    clock->arena = arena;
    clock->diag = diag;
    clock->whole = whole;
    clock->contents = hd_new_array(arena, void *, job->buffer_count);
    clock->expected = hd_new_array(arena, void *, job->buffer_count);
    hd_status status = hd_session_open(arena, diag, job, device, &clock->session);
    return status == HD_OK ? hd_job_all_contents(arena, diag, job, clock->contents) : status;
}

hd_status hd_device_clock_meter(hd_device_clock *clock, hd_objective objective,
                                const hd_energy_question *question, double seconds,
                                const char **source) {
    clock->objective = objective;
    clock->question = *question;
    clock->question.options.most_seconds = seconds;
    clock->question.options.idle_seconds = 1e-3; /* idle power belongs to what a run takes */
    hd_status status = hd_session_meter(&clock->session, question, &clock->meter);
    *source =
        clock->meter ? hd_strdup(clock->arena, hd_meter_source_of(clock->meter)->name) : "model";
    return status;
}

void hd_device_clock_close(hd_device_clock *clock) {
    if (clock->meter)
        hd_meter_close(clock->meter);
    for (size_t v = 0; v < clock->versions.count; v++)
        hd_version_free(&clock->session, &clock->versions.data[v]);
    hd_session_close(&clock->session);
}
