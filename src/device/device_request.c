/*
 * What a request to memory is split into: which lanes of a warp join in one, all or those of a
 * half-warp, and how long the segments are. analysis/coalesce.c counts the transactions of a run by
 * this rule, model/shape.c those of an affine access.
 */
#include "device/device.h"

uint32_t hd_device_request_lanes(const hd_device *device) {
    return device->coalescing == HD_COALESCE_HALF_WARP ? device->warp / 2 : device->warp;
}

uint32_t hd_device_line(const hd_device *device) {
    return device->l1.size ? device->l1.line : device->l2.size ? device->l2.line : device->segment;
}

uint32_t hd_device_segment_for(const hd_device *device, uint32_t width) {
    if (device->coalescing == HD_COALESCE_WARP || width > 2)
        return device->segment;
    return width == 2 ? device->segment / 2 : device->segment / 4;
}
