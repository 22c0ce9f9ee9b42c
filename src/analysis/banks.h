/*
 * Conflicts of banks: how many passes the shared (local) memory of an SM takes for each warp's
 * share of an MI, and how many of these it would not need, counted on events.
 */
#ifndef HD_BANKS_H
#define HD_BANKS_H

#include "base/result.h"
#include "device/device.h"
#include "analysis/tally.h"

typedef struct hd_banks_counts {
    uint64_t local_requests; /* executions of an access to local memory by a warp */
    uint64_t passes;         /* that the banks take for them */
    uint64_t conflicts;      /* of these, what would go if no two words shared a bank */
} hd_banks_counts;

/* Counts accesses to local memory; of an access of which the source does not say the space, the
 * executions that go there. */
hd_tally_work hd_banks_work(hd_arena *arena, const hd_device *device);

#endif
