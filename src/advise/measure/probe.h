/*
 * A device profile from a live device: what its driver tells of it, short measurements of its
 * memory, and for the rest assumptions that are marked as such. Every figure has its source.
 */
#ifndef HD_MEASURE_PROBE_H
#define HD_MEASURE_PROBE_H

#include "device/device.h"
#include "advise/measure/measure.h"

typedef struct hd_probe {
    hd_compute_device of;
    const hd_device *device;
    const char *profile; /* in YAML */
} hd_probe;

/* Probes the device that `wanted` means, as hd_measure_device_is(); NULL: the first GPU, or else
 * the first device, CUDA's before OpenCL's. */
hd_status hd_probe_device(hd_arena *arena, const hd_diag *diag, const char *wanted,
                          hd_probe *probe);

#endif
