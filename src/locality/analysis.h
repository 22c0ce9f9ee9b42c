/*
 * The table of analyses that count something of each launch and of each of its accesses. `heddle
 * run`, `annotate`, `diff`, `report` and their JSON show what all of them count; as text `run` has a
 * table for each kind of memory (cli/show_run.c).
 *
 * A new one is a file and a row of HD_ANALYSES. A row `hd_thing` stands for
 *
 *     hd_thing_counts              a struct of uint64_t, which add up over launches
 *     hd_thing_members[]           what a reader sees of it
 *     hd_tally_work hd_thing_work(arena, device);
 *
 * and tally.h has all but the counting itself.
 */
#ifndef HD_ANALYSIS_H
#define HD_ANALYSIS_H

#include "locality/banks.h"
#include "locality/coalesce.h"

#define HD_ANALYSES(ROW) ROW(hd_coalesce) ROW(hd_banks)

/* What all of them counted of some launches, or of an access in these. */
typedef struct hd_launch_counts {
#define HD_COUNTS_FIELD(name) name##_counts name;
    HD_ANALYSES(HD_COUNTS_FIELD)
#undef HD_COUNTS_FIELD
} hd_launch_counts;

/* A group of members for each of them. */
extern const hd_member hd_launch_count_members[];

/* All of them, as for a device. */
hd_tally *hd_counters_new(hd_arena *arena, const hd_device *device);
/* Adds what was counted of a launch; nothing if it was not heard. */
void hd_counters_add(const hd_tally *counters, uint32_t launch, hd_launch_counts *sum);
/* The same of one access of it. */
void hd_counters_add_access(const hd_tally *counters, uint32_t launch, uint32_t access,
                            hd_launch_counts *sum);
void hd_launch_counts_add(hd_launch_counts *sum, const hd_launch_counts *more);

#endif
