/*
 * Runs a job on an OpenCL device and compares two layouts of it.
 */
#ifndef HD_MEASURE_H
#define HD_MEASURE_H

#include "job/job.h"
#include "rewrite/rewrite.h"

typedef struct hd_measure_options {
    const char *device;  /* part of a device's or platform's name, or "P:D"; NULL: the first */
    uint32_t repeats;    /* timed runs of each version; 0: 7 */
    double min_seconds;  /* keep repeating until this much was measured; 0: no minimum */
} hd_measure_options;

/* Time of all launches of the job, kernels only, by the device's own clock. */
typedef struct hd_timing {
    double median, low, high; /* seconds; low and high are the quartiles */
    uint32_t repeats;
} hd_timing;

typedef struct hd_measurement {
    const char *device_name, *driver;
    hd_timing original, rewritten;
    /* Median and quartiles of original / rewritten in neighbouring runs. */
    double speedup, speedup_low, speedup_high;
    bool equal;         /* outputs agree */
    bool bit_equal;
} hd_measurement;

/* Runs the original and the rewritten kernels alternating, each on buffers with
 * the same contents; compares every buffer afterwards, bit for bit or within
 * the job's tolerance. A difference is HD_EDIFFER and its message names buffer,
 * element and field. */
hd_status hd_measure_compare(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_layout *layout, const hd_rewritten *rewritten,
                             const hd_measure_options *options, hd_measurement *result);

/* Runs the job once and returns the final bytes of each buffer (C layout). */
hd_status hd_measure_run(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_measure_options *options, void **contents, hd_timing *timing);

typedef struct hd_opencl_device {
    const char *platform, *name, *driver;
    uint32_t platform_index, device_index;
} hd_opencl_device;
hd_status hd_measure_devices(hd_arena *arena, const hd_diag *diag, hd_opencl_device **devices,
                             uint32_t *count);

#endif
