/*
 * Training: which tile is best for a cluster of so many bytes on a device.
 *
 * Generated kernels, each one loop over all fields of an array of records, are run with the
 * records in each tile. From their times a tree is learned (model/tile_learn.h).
 *
 *     shape    the record of a kernel: fields of one type
 *     kernel   a shape and a length, the iterations of its loop
 *     run      the times of a kernel in a tile (hd_training_run, database.h)
 *
 * docs/train.md has the kernels and the reasons for them.
 */
#ifndef HD_MEASURE_TRAIN_H
#define HD_MEASURE_TRAIN_H

#include <signal.h>

#include "advise/measure/database.h"
#include "model/tile_learn.h"

/* ---- train_kernel.c ---------------------------------------------------------- */

typedef struct hd_training_shape {
    const char *type, *sum; /* of a field, and of what fields are added up in */
    uint32_t fields, bytes;
} hd_training_shape;

extern const hd_training_shape hd_training_shapes[]; /* by bytes; the last has no type */
extern const uint32_t hd_training_lengths[];         /* ascending; ends with a 0 */

/* The kernel `train` of a shape, in AoS, for a back end by its name: "opencl" or "cuda". */
const char *hd_training_source(hd_arena *arena, const hd_training_shape *shape,
                               const char *backend);
/* What runs of this kernel are kept under. */
const char *hd_training_hash(hd_arena *arena, const hd_training_shape *shape, const char *backend,
                             uint32_t length);
enum { HD_TRAINING_GROUP = 64 };
/* A resolved job with a launch for each of these lengths, in their order: `groups` groups of
 * HD_TRAINING_GROUP work-items. Its files, and that of the kernel, are written into the folder. */
hd_status hd_training_load(hd_arena *arena, const hd_diag *diag, const char *folder,
                           const hd_training_shape *shape, const char *backend,
                           const uint32_t *lengths, uint32_t length_count, uint32_t groups,
                           hd_job **job);

/* ---- train.c ------------------------------------------------------------------ */

typedef struct hd_train_options {
    const char *device;      /* as in hd_measure_options; of this back end */
    const char *backend;     /* "opencl" or "cuda" */
    const uint32_t *lengths; /* of hd_training_lengths; NULL: all */
    uint32_t length_count;
    const uint32_t *bytes; /* of hd_training_shapes; NULL: all */
    uint32_t byte_count;
    uint32_t repeats;                  /* timed runs of each; 0: 7 */
    bool again;                        /* forgets the runs of this device first */
    const volatile sig_atomic_t *stop; /* ends the training when it is not 0; may be NULL */
    /* What is being done, and how much of all that is to be done has been; may be NULL. */
    void (*progress)(void *user, const char *what, double share);
    void *user;
} hd_train_options;

typedef struct hd_training {
    hd_profiled_device device;
    hd_training_run *runs; /* all that are known of this device, also from before */
    size_t run_count;
    uint32_t planned;  /* kernels that the options ask for, */
    uint32_t kept;     /* how many of them were known, */
    uint32_t measured; /* and how many were measured now */
    bool stopped;
} hd_training;

/* Measures the kernels that the database does not know yet, and keeps them there. After a failure
 * *training has what was measured until then. */
hd_status hd_train(hd_arena *arena, const hd_diag *diag, hd_database *database,
                   const hd_train_options *options, hd_training *training);

/* The runs that are known of a device, of kernels as this version makes them. */
hd_training_run *hd_training_known(hd_database *database, hd_arena *arena,
                                   const hd_profiled_device *device, size_t *count);
/* Runs by kernels, which are in order of bytes, fields and length. */
hd_tile_kernel *hd_training_kernels(hd_arena *arena, const hd_training_run *runs, size_t count,
                                    size_t *kernel_count);

#endif
