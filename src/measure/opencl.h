/*
 * What this folder needs of OpenCL: one device with a queue, programs with
 * located build errors, and the job in one layout, ready to run. Private.
 */
#ifndef HD_MEASURE_OPENCL_H
#define HD_MEASURE_OPENCL_H

#include <CL/cl.h>

#include "measure/measure.h"

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

/* Builds a program; errors stand in `file`, whose text is `source`. */
hd_status hd_session_build(hd_session *session, const char *file, const char *source,
                           cl_program *program);

/* "CL_INVALID_KERNEL_ARGS" */
const char *hd_opencl_error(cl_int error);
/* Reports that `doing` failed with `error`, at the job. */
hd_status hd_opencl_fail(const hd_session *session, cl_int error, const hd_place *place,
                         const char *doing);

/* ---- version.c: the job in one layout ----------------------------------- */

/* A buffer on the device. In a layout it has one memory for each allocation. */
typedef struct hd_device_buffer {
    const hd_map *map; /* NULL: in C's layout */
    uint32_t count;    /* of memories */
    cl_mem *memories;
    uint8_t **initial; /* the bytes that every run starts from */
    uint64_t *bytes;
} hd_device_buffer;

typedef struct hd_version {
    cl_program program;
    cl_kernel *kernels;        /* [job->launch_count], arguments set */
    hd_device_buffer *buffers; /* [job->buffer_count] */
} hd_version;

/* `layout` NULL: the original. `contents` are the initial bytes of the job's
 * buffers in C's layout. Release with hd_version_free(), also after a failure. */
hd_status hd_version_make(hd_session *session, const char *file, const char *source,
                          const hd_layout *layout, void *const *contents, hd_version *version);
void hd_version_free(const hd_session *session, hd_version *version);

/* Fills the buffers, runs all launches, and adds up the kernels' times. */
hd_status hd_version_run(hd_session *session, const hd_version *version, double *seconds);
/* The bytes of every buffer in C's layout, padding zero where a layout was undone. */
hd_status hd_version_read(hd_session *session, const hd_version *version, void **contents);

#endif
