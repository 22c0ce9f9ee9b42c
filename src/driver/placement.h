/*
 * Where memory lives that kernels use: its placement.
 *
 * Memory in place is the host's and the device's at once: the host writes and reads it by an
 * address of its own, and nothing is copied by the program. Which of the two may use it changes
 * hands (hd_compute_api.to_host, to_device).
 */
#ifndef HD_DRIVER_PLACEMENT_H
#define HD_DRIVER_PLACEMENT_H

#include "base/base.h"

typedef enum hd_placement {
    HD_PLACEMENT_DEVICE,  /* the device's own memory, which data are copied to and from */
    HD_PLACEMENT_HOST,    /* pinned memory of the host, which kernels read and write in place */
    HD_PLACEMENT_FINE,    /* OpenCL's shared virtual memory, fine-grained: needs no mapping */
    HD_PLACEMENT_COARSE,  /* the same, coarse-grained: the host maps it */
    HD_PLACEMENT_MANAGED, /* CUDA's managed memory, whose pages go where they are touched */
    HD_PLACEMENT_HINTED,  /* the same, prefetched, with hints: preferred on the device, and
                             mostly read where kernels do not write it */
    HD_PLACEMENTS
} hd_placement;

/* "device", "host", "fine", "coarse", "managed", "hinted" */
const char *hd_placement_name(hd_placement placement);
/* False: no placement is called so. */
bool hd_placement_parse(const char *name, hd_placement *placement);
/* "device, host, fine, ...": for messages. */
const char *hd_placement_names(hd_arena *arena);
/* "in device memory", "in pinned memory of the host": for sentences. */
const char *hd_placement_phrase(hd_placement placement);
/* What a program calls for such memory, by the name of the back end ("opencl", "cuda"); NULL: it has
 * none. */
const char *hd_placement_calls(hd_placement placement, const char *backend);

#endif
