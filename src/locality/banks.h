/*
 * Conflicts of banks: how many passes the shared (local) memory of an SM takes for each warp's
 * share of an MI, and how many of these it would not need, counted on events.
 *
 *     hd_banks *counter = hd_banks_new(arena, device);
 *     hd_sink sink = hd_banks_sink(counter);           give it to any producer
 *     const hd_banks_counts *row = hd_banks_of(counter, launch, access);
 */
#ifndef HD_BANKS_H
#define HD_BANKS_H

#include "base/result.h"
#include "device/device.h"
#include "event/event.h"

typedef struct hd_banks_counts {
    uint64_t local_requests; /* executions of an access to local memory by a warp */
    uint64_t passes;         /* that the banks take for them */
    uint64_t conflicts;      /* of these, what would go if no two words shared a bank */
} hd_banks_counts;

/* With their columns. */
extern const hd_member hd_banks_members[];

typedef struct hd_banks hd_banks;

hd_banks *hd_banks_new(hd_arena *arena, const hd_device *device);
/* Counts accesses to local memory; of an access of which the source does not say the space, the
 * executions that go there. Blocks that are closed incomplete are left out. Results do not depend
 * on the order of blocks. */
hd_sink hd_banks_sink(hd_banks *counter);
/* Of one access of a launch, and of a whole launch. NULL when there is no such launch or access. */
const hd_banks_counts *hd_banks_of(const hd_banks *counter, uint32_t launch, uint32_t access);
const hd_banks_counts *hd_banks_of_launch(const hd_banks *counter, uint32_t launch);
void hd_banks_free(hd_banks *counter);

#endif
