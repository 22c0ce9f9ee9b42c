/*
 * Transactions of an event, the slow and obvious way: the protocol of NVIDIA's CUDA C
 * Programming Guide for compute capability 1.2 and 1.3, byte by byte, and for other
 * devices the same with whole warps and without shrinking.
 */
#ifndef ORACLE_COALESCE_H
#define ORACLE_COALESCE_H

#include <stdlib.h>

#include "device/device.h"
#include "machine/event.h"

typedef struct oracle_counts {
    uint64_t requests, transactions, bytes_moved, bytes_used;
} oracle_counts;

static int oracle_by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All bytes that the active lanes first .. first + count - 1 ask for, in the order of
 * lanes, repeated ones too. Free the result. */
static uint64_t *oracle_bytes(const hd_event *e, uint32_t first, uint32_t count, uint32_t width,
                              size_t *byte_count) {
    uint64_t *bytes = malloc((size_t)count * width * sizeof *bytes + 1);
    *byte_count = 0;
    for (uint32_t lane = first; lane < first + count && lane < e->threads; lane++)
        for (uint32_t b = 0; b < width && hd_event_active(e, lane); b++)
            bytes[(*byte_count)++] = hd_event_address(e, lane) + b;
    return bytes;
}

/* Bytes moved for those of `bytes` that lie in the segment at `base`. */
static uint64_t oracle_shrink(const uint64_t *bytes, size_t count, uint64_t base, uint64_t size) {
    while (size > 32) {
        bool lower = false, upper = false;
        for (size_t i = 0; i < count; i++) {
            lower |= bytes[i] >= base && bytes[i] < base + size / 2;
            upper |= bytes[i] >= base + size / 2 && bytes[i] < base + size;
        }
        if (lower && upper)
            break;
        size /= 2;
        base += upper ? size : 0;
    }
    return size;
}

static void oracle_request(const hd_event *e, uint32_t first, uint32_t count, uint32_t width,
                           uint64_t segment, bool shrinks, oracle_counts *sum) {
    size_t byte_count, left = 0;
    uint64_t *bytes = oracle_bytes(e, first, count, width, &byte_count);
    bool *served = calloc(byte_count + 1, 1);
    for (; left < byte_count; left++) {
        if (served[left])
            continue;
        uint64_t base = bytes[left] / segment * segment;
        for (size_t i = 0; i < byte_count; i++)
            served[i] |= bytes[i] / segment * segment == base;
        sum->transactions++;
        sum->bytes_moved += shrinks ? oracle_shrink(bytes, byte_count, base, segment) : segment;
    }
    free(bytes);
    free(served);
}

static oracle_counts oracle_coalesce(const hd_device *device, const hd_event *e, uint32_t width) {
    oracle_counts sum = {0};
    bool halves = device->coalescing == HD_COALESCE_HALF_WARP;
    uint64_t segment = !halves || width > 2 ? device->segment : width == 2 ? 64 : 32;
    uint32_t request = halves ? device->warp / 2 : device->warp;
    for (uint32_t first = 0; first < e->threads; first += device->warp) {
        size_t byte_count;
        uint64_t *bytes = oracle_bytes(e, first, device->warp, width, &byte_count);
        qsort(bytes, byte_count, sizeof *bytes, oracle_by_value);
        for (size_t i = 0; i < byte_count; i++)
            sum.bytes_used += i == 0 || bytes[i] != bytes[i - 1];
        sum.requests += byte_count > 0;
        free(bytes);
        for (uint32_t part = 0; part < device->warp; part += request)
            oracle_request(e, first + part, request, width, segment, halves, &sum);
    }
    return sum;
}

#endif
