/*
 * What a request to memory is split into: which lanes of a warp join in one, all or those of a
 * half-warp, and how long the segments are. analysis/coalesce.c counts the transactions of a run by
 * this rule, model/shape.c those of an affine access.
 */
#include "device/device.h"

uint32_t hd_device_request_lanes(const hd_device *device) {
    return device->coalescing == HD_COALESCE_HALF_WARP ? device->warp / 2 : device->warp;
}

uint32_t hd_device_epsilon(const hd_device *device, const char **why) {
    const hd_cache *l1 = &device->l1, *l2 = &device->l2;
    const char *reason;
    if (!why)
        why = &reason;
    if (device->epsilon) {
        *why = "what its profile says, with the source";
        return device->epsilon;
    }
    if (l1->size) {
        *why = l1->tag > l1->line ? "a sector of its L1, which is what a miss brings of a line"
                                  : "a line of its L1";
        return l1->line;
    }
    if (l2->size) {
        *why =
            l2->tag > l2->line
                ? "a sector of its L2, which is what a miss brings of a line, as its L1 does not "
                  "hold global memory"
                : "a line of its L2, as its L1 does not hold global memory";
        return l2->line;
    }
    *why = "a transaction, as no cache of it holds global memory";
    return device->segment;
}

uint32_t hd_device_segment_for(const hd_device *device, uint32_t width) {
    if (device->coalescing == HD_COALESCE_WARP || width > 2)
        return device->segment;
    return width == 2 ? device->segment / 2 : device->segment / 4;
}
