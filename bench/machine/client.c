/*
 * A workload through OpenCL's host interface, on PoCL or, when Oclgrind has put itself in
 * the loader's place, on that.
 */
#include <stdio.h>

#include "machine/workload.h"
#include "measure/opencl.h"

static cl_int fill(const hd_session *session, const hd_version *version) {
    cl_int error = CL_SUCCESS;
    for (uint32_t b = 0; b < session->job->buffer_count && error == CL_SUCCESS; b++) {
        const hd_buffer *buffer = &session->job->buffers[b];
        error = clEnqueueWriteBuffer(hd_opencl_queue(session), version->memories[b], CL_TRUE, 0,
                                     buffer->count * buffer->element_bytes, version->initial[b], 0,
                                     NULL, NULL);
    }
    return error == CL_SUCCESS ? clFinish(hd_opencl_queue(session)) : error;
}

static cl_int run(const hd_session *session, const hd_version *version, double *seconds) {
    cl_int error = fill(session, version);
    double start = hd_clock();
    for (uint32_t l = 0; l < session->job->launch_count && error == CL_SUCCESS; l++) {
        const hd_launch *launch = &session->job->launches[l];
        size_t global[3], local[3];
        for (uint32_t d = 0; d < 3; d++) {
            global[d] = launch->global[d];
            local[d] = launch->local[d];
        }
        error = clEnqueueNDRangeKernel(hd_opencl_queue(session), version->kernels[l], launch->dims,
                                       NULL, global, local, 0, NULL, NULL);
    }
    cl_int finished = clFinish(hd_opencl_queue(session));
    *seconds = hd_clock() - start;
    return error == CL_SUCCESS ? finished : error;
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
    cl_int error = CL_SUCCESS;
    hd_status status = hd_session_open(arena, diag, w->job, device, &session);
    if (status == HD_OK)
        status = hd_version_make(&session, NULL, NULL, 0, w->contents, &version);
    if (status == HD_OK && warm_up)
        error = run(&session, &version, &seconds[0]);
    for (uint32_t r = 0; r < runs && status == HD_OK && error == CL_SUCCESS; r++)
        error = run(&session, &version, &seconds[r]);
    if (status == HD_OK && error != CL_SUCCESS)
        status = hd_opencl_fail(&session, error, NULL, "run the kernels");
    if (status == HD_OK)
        status = check(&session, &version, w);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}
