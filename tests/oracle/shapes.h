/*
 * Transactions of events in a layout, the slow and obvious way: every lane of every request is
 * moved to where the address map puts its element, and different segments are counted.
 */
#ifndef ORACLE_SHAPES_H
#define ORACLE_SHAPES_H

#include "device/device.h"
#include "machine/event.h"
#include "layout/layout.h"

/* A lane of a warp that reaches the access at hand. */
typedef struct oracle_lane {
    uint32_t lane; /* of the warp */
    uint64_t element;
    uint32_t byte; /* in the field */
} oracle_lane;

/* Different segments of `bytes` bytes that the lanes from `first` up to `end` touch. */
static uint64_t oracle_segments(const hd_map *map, uint32_t field, const oracle_lane *lanes,
                                uint32_t count, uint32_t first, uint32_t end, uint32_t width,
                                uint32_t bytes) {
    uint64_t seen[64 * 64], segments = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (lanes[i].lane < first || lanes[i].lane >= end)
            continue;
        uint64_t at = hd_map_address(map, field, lanes[i].element) + lanes[i].byte;
        for (uint32_t b = 0; b < width; b++) {
            uint64_t segment = (at + b) / bytes, known = 0;
            for (uint64_t s = 0; s < segments; s++)
                known |= seen[s] == segment;
            if (!known)
                seen[segments++] = segment;
        }
    }
    return segments;
}

/* Of a warp, by the device's rules. */
static uint64_t oracle_warp_segments(const hd_device *device, const hd_map *map, uint32_t field,
                                     const oracle_lane *lanes, uint32_t count, uint32_t width) {
    uint32_t request = hd_device_request_lanes(device), sum = 0;
    for (uint32_t first = 0; first < device->warp; first += request)
        sum += (uint32_t)oracle_segments(map, field, lanes, count, first, first + request, width,
                                         hd_device_segment_for(device, width));
    return sum;
}

#endif
