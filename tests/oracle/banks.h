/*
 * Passes of the banks of shared memory for an event, the slow and obvious way: group by group the
 * different words of each bank, one by one.
 */
#ifndef ORACLE_BANKS_H
#define ORACLE_BANKS_H

#include <stdlib.h>

#include "device/device.h"
#include "machine/event.h"
#include "analysis/banks.h"

/* Lanes whose words of `width` bytes all banks together hold once. */
static uint32_t oracle_group(const hd_device *device, uint32_t width) {
    uint32_t each = device->bank, lanes = device->banks;
    for (; each < width && lanes > 1; each *= 2)
        lanes /= 2;
    return lanes < device->warp ? lanes : device->warp;
}

static uint64_t oracle_passes(const hd_device *device, const hd_event *e, uint32_t first,
                              uint32_t end, uint32_t width) {
    uint64_t most = 0;
    for (uint64_t bank = 0; bank < device->banks; bank++) {
        uint64_t seen[64], count = 0;
        for (uint32_t lane = first; lane < end; lane++)
            for (uint32_t b = 0; b < width && hd_event_active(e, lane); b++) {
                uint64_t word = (hd_event_address(e, lane) + b) / device->bank, i = 0;
                while (i < count && seen[i] != word)
                    i++;
                if (word % device->banks == bank && i == count)
                    seen[count++] = word;
            }
        most = count > most ? count : most;
    }
    return most;
}

static hd_banks_counts oracle_banks(const hd_device *device, const hd_event *e, uint32_t width) {
    hd_banks_counts sum = {0};
    for (uint32_t warp = 0; warp < e->threads; warp += device->warp) {
        uint32_t lanes = oracle_group(device, width), any = 0;
        for (uint32_t first = warp; first < warp + device->warp; first += lanes) {
            uint32_t end = first + lanes < e->threads ? first + lanes : e->threads;
            uint64_t passes = first < end ? oracle_passes(device, e, first, end, width) : 0;
            any |= passes > 0;
            sum.passes += passes;
            sum.conflicts += passes > 1 ? passes - 1 : 0;
        }
        sum.local_requests += any;
    }
    return sum;
}

#endif
