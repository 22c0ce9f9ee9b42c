/*
 * Exploring a device: generated kernels in layouts and placements, timed, metered and counted.
 *
 *     hd_plan_make(arena, diag, &request, &plan);
 *     hd_explore(arena, diag, database, &plan, &options, &result);
 *
 * Each variant's result is compared with plain C. What is measured is kept in the profile database
 * point by point, so that an exploration that ends early goes on where it was. docs/explore.md has
 * the method.
 */
#ifndef HD_EXPLORE_H
#define HD_EXPLORE_H

#include <signal.h>

#include "device/device.h"
#include "advise/explore/explored.h"
#include "advise/explore/micro.h"
#include "advise/explore/plan.h"
#include "advise/measure/database.h"

struct perf_event_attr;

typedef struct hd_explore_options {
    const char *device;  /* as in hd_measure_options; of this back end */
    const char *backend; /* "opencl" or "cuda" */
    /* What counts and modelled energy are of; NULL: this machine's processor, or the device as it is
     * probed. */
    const hd_device *profile;
    /* No device: kernels as they are compiled for this profile, their times and energy by its
     * models. Without speeds there are no times, and no idle power. `device`, `profile` and `meter`
     * say nothing then. NULL: a device. */
    const hd_device *model;
    const char *meter;  /* as in hd_meter_request; NULL: the first that can be read, or the model */
    const char *folder; /* that kernels and jobs are left in; NULL: a temporary one */
    uint32_t repeats;   /* timed runs of each variant; 0: 7 */
    double budget;      /* seconds; 0: as long as it takes */
    bool again;         /* forgets what is known of this device first */
    const volatile sig_atomic_t *stop; /* ends it when it is not 0; may be NULL */
    /* What is being done, and the share of all that is to be done that has been; may be NULL. */
    void (*progress)(void *user, const char *what, double share);
    void *user;
    int (*open_event)(struct perf_event_attr *event); /* as hd_perf_open() takes it */
} hd_explore_options;

/* A variant that could not be run, and why. */
typedef struct hd_unexplored {
    const char *point, *layout, *placement, *why;
} hd_unexplored;

typedef struct hd_exploration {
    hd_profiled_device device;
    const hd_device *profile;
    hd_explore_range range;
    hd_explored *variants; /* of the plan, that are known */
    size_t count;
    uint64_t planned, kept, measured; /* variants: of the plan; known before; run now */
    uint64_t skipped; /* since nothing changes along a line between its neighbours */
    /* What the processor counts of kernels, "cycles, instructions", or why nothing; one is NULL. */
    const char *counters, *no_counters;
    hd_unexplored *refused;
    size_t refused_count;
    bool stopped, out_of_time;
    double seconds;
} hd_exploration;

/* After a failure *result has what was measured until then. HD_EDIFFER: a variant computes something
 * else than plain C. */
hd_status hd_explore(hd_arena *arena, const hd_diag *diag, hd_database *database,
                     const hd_plan *plan, const hd_explore_options *options,
                     hd_exploration *result);

/* ---- keep.c: in the profile database --------------------------------------------------------- */

/* All variants that are known of a device, of kernels as this version makes them, with counts and
 * modelled energy of this profile, as hd_device_print() has it; NULL: the one that was last used. */
hd_explored *hd_explored_known(hd_database *database, hd_arena *arena,
                               const hd_profiled_device *device, const char *profile,
                               size_t *count);
/* Devices that something is known of, the one that was explored last first. */
hd_profiled_device *hd_explored_devices(hd_database *database, hd_arena *arena, size_t *count);
void hd_explored_forget(hd_database *database, const hd_profiled_device *device);

/* All of them or none: what a kill can lose is one call. */
void explore_keep(hd_database *database, const hd_profiled_device *device, const char *profile,
                  const hd_explored *variants, size_t count);
/* What variants of a point are kept under. */
const char *explore_kernel_hash(hd_arena *arena, const hd_micro_point *point, const char *backend);

/* ---- count.c: on the machine ------------------------------------------------------------------- */

/* Counts of a micro-kernel in each of these layouts, in one run of it. */
hd_status explore_count(hd_arena *arena, const hd_diag *diag, const hd_micro *micro,
                        const hd_device *device, const hd_layout *const *layouts, uint32_t count,
                        hd_variant_counts *counts);

#endif
