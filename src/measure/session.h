/*
 * Devices that jobs run on.
 *
 * A session is one device, with what its back end needs to use it; a version is the job in one
 * layout, ready to run there. A back end is one table of functions: OpenCL for kernels in
 * OpenCL C, CUDA (its driver and NVRTC, opened at run time) for those in CUDA C.
 *
 *     hd_session_open(arena, diag, job, "0:1", &session);
 *     hd_version_make(&session, NULL, NULL, 0, contents, &version);   the original
 *     hd_version_run(&session, &version, &seconds);
 *     hd_version_read(&session, &version, outputs);
 *     hd_version_free(&session, &version);
 *     hd_session_close(&session);
 */
#ifndef HD_MEASURE_SESSION_H
#define HD_MEASURE_SESSION_H

#include "measure/measure.h"
#include "rewrite/placed.h"

typedef struct hd_backend hd_backend;

/* ---- session.c ------------------------------------------------------------ */

typedef struct hd_session {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    const hd_backend *backend;
    hd_compute_device device;
    void *state; /* the back end's */
} hd_session;

/* The device of the job's back end that is called `device` (hd_measure_options.device).
 * Release with hd_session_close(), also after a failure. */
hd_status hd_session_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const char *device, hd_session *session);
void hd_session_close(hd_session *session);

/* ---- version.c: the job in one layout --------------------------------------- */

typedef struct hd_version {
    hd_arena *arena; /* its own: versions come and go in a session */
    const hd_placed_job *placed;
    void **initial;  /* [placed->job->buffer_count], the bytes that every run starts from */
    double *seconds; /* [placed->job->launch_count], of the last hd_version_run() */
    /* the back end's */
    void *program;
    void **memories; /* [placed->job->buffer_count] */
    void **kernels;  /* [placed->job->launch_count], arguments set */
} hd_version;

/* The kernels of `rewritten`, which are in these layouts; NULL: the original. `contents` are
 * the initial bytes of the job's buffers in C's layout. Release with hd_version_free(), also
 * after a failure. */
hd_status hd_version_make(hd_session *session, const hd_rewritten *rewritten,
                          const hd_record_layout *layouts, uint32_t layout_count,
                          void *const *contents, hd_version *version);
void hd_version_free(hd_session *session, hd_version *version);

/* Fills the buffers, runs all launches, and adds up the kernels' times. */
hd_status hd_version_run(hd_session *session, const hd_version *version, double *seconds);
/* The same; seconds[placed->job->launch_count] gets the time of each launch, all its
 * repetitions together. */
hd_status hd_version_run_each(hd_session *session, const hd_version *version, double *seconds);
/* The bytes of every buffer in C's layout, padding zero where a layout was undone; from
 * `arena`. */
hd_status hd_version_read(hd_session *session, hd_arena *arena, const hd_version *version,
                          void **contents);

/* Whether `times` more runs of the original leave `expected`, what its first run has left. If
 * not, that is reported as HD_EINPUT: no version of the job can be checked. */
enum { HD_REPEATS_AFTER_DIFFERENCE = 3 };
hd_status hd_version_repeats(hd_session *session, const hd_version *original, void *const *expected,
                             uint32_t times);

/* ---- back ends --------------------------------------------------------------- */

/* A kernel file to compile: errors in it stand in `file`; `path` is where the text is on disk,
 * if it includes anything. What it includes is looked for beside that, in `folder`, unless it is
 * NULL, and then beside the job's kernel file. */
typedef struct hd_program_text {
    const char *file, *text, *path, *folder;
} hd_program_text;
/* The text has no #include, so that it needs no file. */
bool hd_text_is_alone(const char *text);

/* Functions report what fails through the session's diag, once. */
struct hd_backend {
    const char *name, *title; /* "opencl", "OpenCL" */
    /* The devices; where there are none, *missing says what is missing and how to mend it. */
    hd_compute_device *(*list)(hd_arena *arena, uint32_t *count, const char **missing);
    /* Opens session->device. */
    hd_status (*open)(hd_session *session);
    void (*close)(hd_session *session);
    /* Compute units or multiprocessors of the device; at least 1. */
    uint32_t (*units)(hd_session *session);
    /* version->program, from a text; version->placed is there. */
    hd_status (*build)(hd_session *session, const hd_program_text *text, hd_version *version);
    hd_status (*allocate)(hd_session *session, const hd_buffer *buffer, void **memory);
    hd_status (*write)(hd_session *session, const hd_buffer *buffer, void *memory,
                       const void *bytes);
    hd_status (*read)(hd_session *session, const hd_buffer *buffer, void *memory, void *bytes);
    /* version->kernels[launch], once all memories are there. */
    hd_status (*make_kernel)(hd_session *session, hd_version *version, uint32_t launch);
    /* Runs all launches of the version, on buffers that are filled, and adds the time of each
     * to its seconds[launch]. */
    hd_status (*run)(hd_session *session, const hd_version *version, double *seconds);
    void (*release_memory)(hd_session *session, void *memory);
    void (*release_kernel)(hd_session *session, void *kernel);
    void (*release_program)(hd_session *session, void *program);
};
extern const hd_backend hd_opencl, hd_cuda;

/* Reports that `doing` failed with the error of this name, at `place`, or without one at the
 * job. */
hd_status hd_session_fail(const hd_session *session, const hd_place *place, const char *doing,
                          const char *error);
/* Reports a build that failed; the place is that of the log's first error in the text. */
hd_status hd_session_fail_build(const hd_session *session, const hd_program_text *text,
                                const char *error, const char *log);
/* The folder of the job's kernel file. */
const char *hd_session_folder(const hd_session *session);

static inline uint64_t hd_buffer_bytes(const hd_buffer *buffer) {
    return buffer->count * buffer->element_bytes;
}

#endif
