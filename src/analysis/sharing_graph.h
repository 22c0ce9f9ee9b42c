/*
 * The data sharing and volume graph (order/sharing.h) of what a trace has of some launches.
 */
#ifndef HD_LOCALITY_SHARING_H
#define HD_LOCALITY_SHARING_H

#include "device/device.h"
#include "order/sharing.h"
#include "trace/trace.h"

typedef struct hd_sharing_options {
    const hd_device *device; /* its lanes that are joined, its segments */
    uint32_t line;           /* bytes; 0: the device's segment */
    uint64_t memory;  /* bytes that it may take beside the result; 0: 1 GiB. A trace with more
                              * accesses is read several times */
    uint32_t workers; /* 0: one for each core */
    const hd_trace_watch *watch; /* or NULL */
} hd_sharing_options;

/* A line that more threads touch is left out of hd_sharing.lines. */
enum { HD_SHARING_WIDEST = 1024 };

/* Of accesses to global memory by `launches`, rows of the trace, which have the same kernel and
 * sizes; the threads do in each what they do in the others, so one order is for all of them. Blocks
 * that the trace lacks have threads that touch nothing. HD_EINPUT: the trace knows no threads, or
 * a block is damaged; HD_EUNSUPPORTED: 2^32 threads or more. */
hd_status hd_sharing_read(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                          const uint32_t *launches, uint32_t launch_count,
                          const hd_sharing_options *options, hd_sharing **sharing);

#endif
