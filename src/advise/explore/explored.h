/*
 * What is known of micro-kernels on a device, and what it shows.
 *
 *     variant    a point in a layout and a placement: what is run
 *     line       points that differ in one dimension alone: what is looked along
 *
 * docs/explore.md has the measures and how sure the findings are.
 */
#ifndef HD_EXPLORED_H
#define HD_EXPLORED_H

#include "advise/explore/point.h"
#include "advise/measure/measure.h"
#include "machine/vm.h"

/* What the machine counts of a variant, in one run of all of it. The bytes are what each level
 * moved: L1 to registers, L2 to L1, memory to L2 and back. */
typedef struct hd_variant_counts {
    uint64_t requests, transactions, l1_bytes, l2_bytes, dram_bytes;
    uint64_t operations[HD_OPERATIONS];
} hd_variant_counts;

typedef struct hd_energy_of {
    hd_timing joules;  /* of a run, as a timing has seconds; repeats 0: not known */
    const char *meter; /* "nvml:0", "model"; NULL: none */
    bool modelled;
    const char *why; /* it is not known; NULL where it is */
} hd_energy_of;

/* A variant that was run. */
typedef struct hd_explored {
    hd_micro_point point;
    const char *layout;    /* in notation: "aos", "soa", "da", "aosoa:32" */
    const char *placement; /* "device", "host", "fine", ... */
    bool predicted;        /* the seconds are the model's, not measured */
    hd_timing kernels;     /* seconds of the kernel alone */
    hd_energy_of energy;   /* of the kernel */
    hd_timing whole;       /* from the host's data to the host's data: with transfers, and with the
                            * host's share of the work */
    hd_energy_of whole_energy; /* of that */
    hd_variant_counts counts;
    const char *counters; /* of the processor or device, "cycles=1000 misses=20"; "" : none */
    const char *date;
} hd_explored;

/* Whether the variant is this one of its point. */
bool hd_explored_is(const hd_explored *variant, const char *layout, const char *placement);

/* What is compared. The variants of one placement as kernels alone: of device memory, or
 * of the first one where there is none of that; and all of them as whole runs, whose seconds and
 * joules stand in the place of the kernels'. */
hd_explored *hd_explored_kernels(hd_arena *arena, const hd_explored *variants, size_t count,
                                 size_t *kept);
hd_explored *hd_explored_runs(hd_arena *arena, const hd_explored *variants, size_t count);

#endif
