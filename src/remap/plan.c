/*
 * Which strategy is used, and why.
 */
#include <stdio.h>

#include "remap/device.h"

const char *hd_remap_strategy_name(hd_remap_strategy strategy) {
    static const char *const names[] = {"planned", "chunked", "bulk", "host", "zero-copy"};
    return (unsigned)strategy < HD_REMAP_STRATEGIES ? names[strategy] : "unknown";
}

hd_remap_tuning hd_remap_tuning_of(const hd_remap_device *device, const hd_remap *map,
                                   hd_remap_direction direction) {
    (void)map;
    (void)direction;
    return (hd_remap_tuning){.direct = device->is_processor};
}

hd_status hd_remap_plan(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                        hd_remap_direction direction, hd_remap_choice *choice) {
    (void)diag;
    (void)map;
    (void)direction;
    *choice = (hd_remap_choice){.strategy = device->is_unified ? HD_REMAP_BULK : HD_REMAP_CHUNKED,
                                .chunk_bytes = 4 << 20};
    snprintf(choice->why, sizeof choice->why, "%s",
             device->is_unified ? "The device's memory is the host's."
                                : "Transfers hide the remapping.");
    return HD_OK;
}
