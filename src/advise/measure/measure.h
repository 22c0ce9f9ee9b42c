/*
 * Runs a job on a device and compares two layouts of it.
 *
 * Kernels in OpenCL C run through OpenCL, those in CUDA C through CUDA's driver.
 */
#ifndef HD_MEASURE_H
#define HD_MEASURE_H

#include "driver/compute.h"
#include "device/energy_model.h"
#include "job/job.h"
#include "rewrite/rewrite.h"

/* What is metered besides the time. */
typedef struct hd_energy_question {
    hd_meter_request meter; /* by name, "model" among them; without one the device's own, or else
                             * the model */
    hd_energy_options options;
    const hd_device *profile; /* for the model; NULL: `host` of a processor, none of others */
} hd_energy_question;

typedef struct hd_measure_options {
    /* "P:D", "cuda:D", or a part of a device's or platform's name; NULL: the first of those
     * that run the job's kernels */
    const char *device;
    uint32_t repeats;   /* timed runs of each version; 0: 7 */
    double min_seconds; /* keep repeating until this much was measured; 0: no minimum */
    const hd_energy_question *energy; /* NULL: only the time */
    /* Where the other version has the buffers of the job's record: then whole runs are compared,
     * with what brings their data. NULL: where the job says, and kernels alone are. */
    const hd_placement *placement;
    /* What is being done, and the share of it that is; may be NULL. */
    void (*progress)(void *user, const char *what, double done);
    void *user;
} hd_measure_options;

/* Time of all launches of the job, kernels only, by the device's own clock. Such times have long
 * tails. */
typedef struct hd_timing {
    double median, low, high; /* seconds; low and high are the quartiles */
    uint32_t repeats;
} hd_timing;

/* Of a run with what brings its data to the kernels and back. */
typedef struct hd_run_seconds {
    double to_device, kernels, from_device; /* the transfers by the host's clock */
} hd_run_seconds;
static inline double hd_run_whole(const hd_run_seconds *seconds) {
    return seconds->to_device + seconds->kernels + seconds->from_device;
}

/* Of at least one time. */
hd_timing hd_timing_of(hd_arena *arena, const double *seconds, uint32_t count);
/* Of the original's times to another's in neighbouring runs. */
hd_timing hd_speedup_of(hd_arena *arena, const double *original, const double *rewritten,
                        uint32_t count);

/* Energy of all launches of the job, once; with a placement of whole runs. */
typedef struct hd_energy_pair {
    hd_energy original, rewritten;
    double saving; /* joules of the original / of the rewritten; NaN where one is missing or
                    * nothing is left of it without idle power */
} hd_energy_pair;

/* Of one version's whole runs. */
typedef struct hd_whole_timing {
    hd_timing to_device, kernels, from_device, whole;
} hd_whole_timing;

/* Whole runs of both. */
typedef struct hd_whole_measurement {
    hd_whole_timing original, rewritten;
    double speedup, speedup_low, speedup_high; /* as in hd_measurement */
} hd_whole_measurement;

typedef struct hd_measurement {
    const char *device_name, *driver;
    const char *original_placement; /* hd_job_placement() */
    const char *rewritten_placement;
    const hd_whole_measurement *whole; /* of hd_measure_options.placement, else NULL */
    hd_timing original, rewritten;
    /* Median and quartiles of original / rewritten in neighbouring runs. */
    double speedup, speedup_low, speedup_high;
    bool equal; /* outputs agree */
    bool bit_equal;
    const hd_energy_pair *energy; /* NULL: it was not asked for */
} hd_measurement;

/* Runs the original and the rewritten kernels (NULL: the original's, in another placement)
 * alternating, each on buffers with the same contents; compares every buffer afterwards, bit for
 * bit or within the job's tolerance. A difference is HD_EDIFFER and its message names buffer,
 * element and field. */
hd_status hd_measure_compare(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             const hd_rewritten *rewritten, const hd_measure_options *options,
                             hd_measurement *result);

/* compare.c: what the buffers of a job hold after a run, and of which run it is. */
typedef struct hd_contents {
    const char *where;    /* for the message: "on the machine" */
    void *const *buffers; /* the bytes of each in C's layout; a NULL is not compared */
} hd_contents;

/* A value of a leaf that differs in some bit is a real, or a channel of an image that means one, and
 * within the job's tolerance. */
bool hd_values_agree(const hd_job *job, const hd_buffer *buffer, const hd_leaf *leaf, const void *a,
                     const void *b);
/* Compares two runs of a job, value by value: integers and what has no type bit for bit, reals
 * within the job's tolerance. HD_EDIFFER names the first value that differs, as
 * 'bodies[17].vx', with both values, and how many differ. */
hd_status hd_contents_compare(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              const hd_contents *one, const hd_contents *other, bool *equal,
                              bool *bit_equal);

/* Runs the job once and returns the final bytes of each buffer (C layout). */
hd_status hd_measure_run(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_measure_options *options, void **contents, hd_timing *timing);

/* Whether a device is meant by hd_measure_options.device: "0:1" and "cuda:0" are an id, anything
 * else is part of a name. */
bool hd_measure_device_is(const hd_compute_device *device, const char *wanted);
/* The device that a job is run on: hd_measure_options.device. */
hd_status hd_measure_device(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const char *wanted, hd_compute_device *device);

#endif
