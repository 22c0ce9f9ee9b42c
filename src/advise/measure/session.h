/*
 * Devices that jobs run on.
 *
 * A session is one device (driver/compute.h): of OpenCL for kernels in OpenCL C, of CUDA for those
 * in CUDA C. A version is the job in one layout, ready to run there.
 *
 *     hd_session_open(arena, diag, job, "0:1", &session);
 *     hd_version_make(&session, NULL, NULL, 0, NULL, contents, &version);   the original
 *     hd_version_run(&session, &version, &seconds);
 *     hd_version_read(&session, &version, outputs);
 *     hd_version_free(&session, &version);
 *     hd_session_close(&session);
 */
#ifndef HD_MEASURE_SESSION_H
#define HD_MEASURE_SESSION_H

#include "driver/cuda_library.h"
#include "advise/measure/measure.h"
#include "rewrite/placed.h"

/* ---- session.c ------------------------------------------------------------ */

typedef struct hd_session {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    hd_compute_device device;
    hd_compute *gpu;
    hd_compute_queue queue; /* timed */
} hd_session;

/* The device for the job's language that is called `device` (hd_measure_options.device).
 * Release with hd_session_close(), also after a failure. */
hd_status hd_session_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const char *device, hd_session *session);
void hd_session_close(hd_session *session);

/* ---- version.c: the job in one layout --------------------------------------- */

typedef struct hd_ready_launch hd_ready_launch;
struct ready_write;

/* Other placements than the job's. */
typedef struct hd_placing {
    hd_placement placement;
    bool all; /* of all buffers; otherwise of those of the job's record */
} hd_placing;

typedef struct hd_version {
    hd_arena *arena; /* its own: versions come and go in a session */
    const hd_placed_job *placed;
    void **initial;  /* [placed->job->buffer_count], the bytes that every run starts from */
    double *seconds; /* [placed->job->launch_count], of the last hd_version_run() */
    hd_compute_memory *memories; /* [placed->job->buffer_count] */
    void **views;  /* [placed->job->buffer_count], of memory in place that the host has; or NULL */
    void **copies; /* [placed->job->buffer_count], where hd_version_run_whole() copies what it
                      brings back; or NULL */
    bool *written; /* [placed->job->buffer_count], by kernels, as far as can be told; or NULL,
                      where nobody asks */
    hd_compute_program *program;
    hd_vec(void *) samplers;   /* of arguments */
    bool keeps_state;          /* kernels may write variables that no buffer stands for */
    hd_ready_launch *launches; /* [placed->job->launch_count], arguments set */
    struct ready_write *last;  /* [placed->job->last_count], what is written after all launches */
} hd_version;

/* The kernels of `rewritten`, which are in these layouts; NULL: the original. Buffers lie where
 * `placing` says, NULL: where the job says; HD_EUNSUPPORTED where the device has no such memory.
 * `contents` are the initial bytes of the job's buffers in C's layout. Release with
 * hd_version_free(), also after a failure. */
hd_status hd_version_make(hd_session *session, const hd_rewritten *rewritten,
                          const hd_record_layout *layouts, uint32_t layout_count,
                          const hd_placing *placing, void *const *contents, hd_version *version);
void hd_version_free(hd_session *session, hd_version *version);

/* Fills the buffers, runs all launches, and adds up the kernels' times. */
hd_status hd_version_run(hd_session *session, hd_version *version, double *seconds);
/* The two steps of that. The second runs each launch repeats[launch] times, NULL: as the job says,
 * and gives the time of all its repetitions together in seconds[launch]. */
hd_status hd_version_fill(hd_session *session, const hd_version *version);
hd_status hd_version_launch(hd_session *session, hd_version *version, const uint64_t *repeats,
                            double *seconds);
/* A run from the host's memory and back: all buffers are brought to the kernels, and those that
 * kernels may write are brought back. In place that is what it takes for memory to change hands;
 * the host's own writing of what a run starts from is in no time. */
hd_status hd_version_run_whole(hd_session *session, hd_version *version, hd_run_seconds *seconds);
/* The same where the host writes nothing: memory in place starts from what the last run left. */
hd_status hd_version_run_again(hd_session *session, hd_version *version, hd_run_seconds *seconds);
/* The bytes of every buffer in C's layout, padding zero where a layout was undone; from
 * `arena`. */
hd_status hd_version_read(hd_session *session, hd_arena *arena, const hd_version *version,
                          void **contents);

/* measure_energy.c: the energy of a run, all launches of the job: of the kernels alone, which are repeated
 * on what they leave, or of whole runs. */
hd_status hd_version_energy(hd_session *session, hd_version *version, bool whole, hd_meter *meter,
                            const hd_energy_options *options, hd_energy *energy);
/* The meter that a question means, for the session's device; NULL: the model. */
hd_status hd_session_meter(const hd_session *session, const hd_energy_question *question,
                           hd_meter **meter);
/* The modelled energy of a version, whose run, of its kernels or a whole one, takes so many
 * seconds. */
hd_energy hd_version_modelled(const hd_session *session, const hd_version *version, bool whole,
                              const hd_energy_question *question, const hd_layout *layout,
                              double seconds);

/* A run, and what it leaves: hd_version_run(), hd_version_read(). */
hd_status hd_version_outputs(hd_session *session, hd_arena *arena, hd_version *version,
                             void **contents, double *seconds);

/* Whether `times` more runs of the original leave `expected`, what its first run has left. If
 * not, that is reported as HD_EINPUT: no version of the job can be checked. */
enum { HD_REPEATS_AFTER_DIFFERENCE = 3 };
hd_status hd_version_repeats(hd_session *session, hd_version *original, void *const *expected,
                             uint32_t times);

/* ---- program.c: its kernels ----------------------------------------------------- */

/* A kernel file to compile: errors in it stand in `file`; `path` is where the text is on disk,
 * if it includes anything. What it includes is looked for beside that, in `folder`, unless it is
 * NULL, and then beside the job's kernel file. */
typedef struct hd_program_text {
    const char *file, *text, *path, *folder;
} hd_program_text;
/* The text has no #include, so that it needs no file. */
static inline bool hd_text_is_alone(const char *text) { return !strstr(text, "include"); }

/* What is compiled for the launches of a resolved job; it lives in `arena`. */
hd_compute_source hd_program_source(hd_arena *arena, const hd_job *job,
                                    const hd_program_text *text);
/* version->program. */
hd_status hd_version_build(hd_session *session, const hd_program_text *text, hd_version *version);
/* version->launches, once all memories are there. */
hd_status hd_version_ready(hd_session *session, hd_version *version);

/* ---- session.c: messages -------------------------------------------------------- */

/* Reports that `doing` failed with the error of this name, at `place`, or without one at the
 * job. */
hd_status hd_session_fail(const hd_session *session, const hd_place *place, const char *doing,
                          const char *error);

/* What keeps a version from running, where that is no failure: the first error, in a line. */
typedef struct hd_reason {
    hd_arena *arena;
    const char *text; /* NULL: there was none */
} hd_reason;
/* The function of an hd_diag whose user is an hd_reason. */
void hd_keep_reason(const hd_message *message, void *reason);
#endif
