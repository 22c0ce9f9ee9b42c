/*
 * A workload through OpenCL's host interface, on PoCL or, when Oclgrind has put itself in
 * the loader's place, on that.
 */
#include <stdio.h>

#include "machine/workload.h"
#include "advise/measure/session.h"

static hd_status run(hd_session *session, hd_version *version, double *seconds) {
    hd_status status = hd_version_fill(session, version);
    double start = hd_clock();
    if (status == HD_OK)
        status = hd_version_launch(session, version, NULL, version->seconds);
    *seconds = hd_clock() - start;
    return status;
}

static hd_status check(hd_session *session, const hd_version *version, const workload *w) {
    void **result = hd_new_array(session->arena, void *, w->job->buffer_count);
    hd_status status = hd_version_read(session, session->arena, version, result);
    if (status == HD_OK && !w->correct(w, result))
        status = hd_fail(session->diag, HD_EDIFFER, NULL, "%s: %s computes something else", w->name,
                         session->device.name);
    return status;
}

hd_status client_run(hd_arena *arena, const hd_diag *diag, const workload *w, const char *device,
                     bool warm_up, uint32_t runs, double *seconds) {
    hd_session session;
    hd_version version = {0};
    hd_status status = hd_session_open(arena, diag, w->job, device, &session);
    if (status == HD_OK)
        status = hd_version_make(&session, NULL, NULL, 0, NULL, w->contents, &version);
    if (status == HD_OK && warm_up)
        status = run(&session, &version, &seconds[0]);
    for (uint32_t r = 0; r < runs && status == HD_OK; r++)
        status = run(&session, &version, &seconds[r]);
    if (status == HD_OK)
        status = check(&session, &version, w);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}
