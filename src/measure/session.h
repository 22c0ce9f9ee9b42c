/*
 * What this folder needs of OpenCL: one device with a queue, programs with
 * located build errors, and the job in one layout, ready to run. Private.
 */
#ifndef HD_MEASURE_SESSION_H
#define HD_MEASURE_SESSION_H

#include <CL/cl.h>

#include "measure/measure.h"
#include "rewrite/placed.h"

/* ---- opencl.c ----------------------------------------------------------- */

/* One device, with a context and a queue that keeps times. */
typedef struct hd_session {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    const char *device_name, *driver;
} hd_session;

/* Release with hd_session_close(), also after a failure. */
hd_status hd_session_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const char *device, hd_session *session);
void hd_session_close(hd_session *session);

/* Builds a program with the job's options; errors stand in `file`, whose text is `source`.
 * What it includes is looked for in `folder` first, unless that is NULL, then beside the
 * job's kernel file. */
hd_status hd_session_build(hd_session *session, const char *file, const char *source,
                           const char *folder, cl_program *program);

/* "CL_INVALID_KERNEL_ARGS" */
const char *hd_opencl_error(cl_int error);
/* Reports that `doing` failed with `error`, at the job. */
hd_status hd_opencl_fail(const hd_session *session, cl_int error, const hd_place *place,
                         const char *doing);

/* ---- version.c: the job in one layout ----------------------------------- */

typedef struct hd_version {
    const hd_placed_job *placed;
    cl_program program;
    cl_kernel *kernels; /* [placed->job->launch_count], arguments set */
    cl_mem *memories;   /* [placed->job->buffer_count] */
    void **initial;     /* the bytes of each that every run starts from */
} hd_version;

/* The kernels of `rewritten`, which are in these layouts; NULL: the original. `contents` are
 * the initial bytes of the job's buffers in C's layout. Release with hd_version_free(), also after
 * a failure. */
hd_status hd_version_make(hd_session *session, const hd_rewritten *rewritten,
                          const hd_record_layout *layouts, uint32_t layout_count,
                          void *const *contents, hd_version *version);
void hd_version_free(hd_version *version);

/* Fills the buffers, runs all launches, and adds up the kernels' times. */
hd_status hd_version_run(hd_session *session, const hd_version *version, double *seconds);
/* The bytes of every buffer in C's layout, padding zero where a layout was undone. */
hd_status hd_version_read(hd_session *session, const hd_version *version, void **contents);

#endif
