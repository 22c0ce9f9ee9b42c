/* What the files of the CUDA back end share. Private. */
#ifndef HD_MEASURE_CUDA_H
#define HD_MEASURE_CUDA_H

#include "driver/cuda_library.h"
#include "measure/session.h"

/* A session's state. */
typedef struct hd_cuda_session {
    hd_cuda_library driver;
    hd_nvrtc_library nvrtc;
    int device;
    void *context;
    uint32_t major, minor; /* of the device's architecture */
} hd_cuda_session;

/* A variable at file scope that a buffer of the job takes the place of. */
typedef struct hd_cuda_variable {
    const char *name, *symbol;
    uint64_t memory;
    size_t bytes;
} hd_cuda_variable;

/* A version's program. */
typedef struct hd_cuda_program {
    const char *image;    /* compiled */
    void *module;         /* and loaded */
    const char **symbols; /* of the launches' kernels */
    hd_cuda_variable *variables;
    uint32_t variable_count;
    bool keeps_state; /* kernels may write variables that no buffer stands for */
} hd_cuda_program;

static inline hd_cuda_session *hd_cuda_of(const hd_session *session) { return session->state; }

/* Reports that `doing` failed with the driver's `error`; HD_OK when that is 0. */
hd_status hd_cuda_check(const hd_session *session, int error, const hd_place *place,
                        const char *doing);

/* ---- cuda_build.c -------------------------------------------------------------- */

/* Compiles for the session's device. What `program` then has lives in `arena`. */
hd_status hd_cuda_compile(hd_session *session, hd_arena *arena, const hd_program_text *text,
                          hd_cuda_program *program);

#endif
