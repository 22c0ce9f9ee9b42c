/*
 * Layouts of a job, timed on a device.
 *
 * The original is made first, and what it leaves in the buffers is what every other version
 * is compared with, once. It runs twice for that, and again when a version differs: where its own
 * runs leave different values no version can be checked, and nothing is measured. A layout that
 * cannot be rewritten, built or allocated is no failure of the measurement: its first message
 * becomes the reason why it is left out.
 */
#include "measure/stopwatch.h"

struct hd_device_clock {
    hd_arena *arena;
    const hd_diag *diag;
    hd_session session;
    bool whole;      /* times are */
    void **contents; /* of the job's buffers, before a run */
    void **expected; /* after a run of the original */
    hd_vec(hd_version) versions;
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
        return status ? status : hd_version_repeats(session, version, clock->expected, 1);
    }
    hd_reason r = {clock->arena, NULL};
    const hd_diag keeper = {hd_keep_reason, &r};
    session->diag = &keeper;
    status = prepare_layout(clock, layout, placement, version);
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

static hd_status run(void *state, uint32_t racer, double *seconds) {
    hd_device_clock *clock = state;
    hd_version *version = version_of(clock, racer);
    if (!clock->whole)
        return hd_version_run(&clock->session, version, seconds);
    hd_run_seconds parts;
    hd_status status = hd_version_run_whole(&clock->session, version, &parts);
    *seconds = hd_run_whole(&parts);
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

void hd_device_clock_close(hd_device_clock *clock) {
    for (size_t v = 0; v < clock->versions.count; v++)
        hd_version_free(&clock->session, &clock->versions.data[v]);
    hd_session_close(&clock->session);
}
