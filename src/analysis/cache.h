/*
 * Caches: what L1, L2 and memory serve of a run, under any layout of the record.
 *
 *     const hd_caches *caches;
 *     const hd_caches_options options = {0};
 *     status = hd_caches_run(arena, diag, trace, device, job, layout, &options, &caches);
 *     caches->total.counts.dram_read                       bytes
 *     caches->launches[0].accesses[3].counts.l1_hits       of row 3 of the table of accesses
 *     caches->places[1].counts                             of a field, or of a buffer
 *
 * The simulation reads many blocks of a trace at once, so it takes a trace file and no sink; a job
 * that is to be simulated while it runs is traced into a temporary file. Several simulations, of
 * several layouts say, may read one trace at the same time, each in a thread and an arena of its
 * own. docs/locality.md says how a device is taken to work ("Caches").
 */
#ifndef HD_CACHE_H
#define HD_CACHE_H

#include "base/result.h"
#include "model/cost.h"
#include "device/device.h"
#include "job/job.h"
#include "trace/trace.h"

/* Of an access, a field, a launch or all. They add up. */
typedef struct hd_cache_counts {
    uint64_t requests;     /* executions by a warp with at least one active lane */
    uint64_t transactions; /* segments that they touch, as hd_coalesce_counts has them */
    uint64_t lines;        /* that they touch, of L1's tags; segments where L1 serves no loads */
    uint64_t sectors;      /* that they touch, each once for a request; hd_caches.sector bytes */
    uint64_t l1_hits;      /* of these sectors: served by L1 */
    uint64_t l2_sectors;   /* asked of L2, or written to it */
    uint64_t l2_hits;      /* of these: were there */
    uint64_t l2_partial;   /* of these: stores of some of the bytes */
    uint64_t l2_bytes;     /* from L2 to the SMs */
    uint64_t dram_read;    /* bytes from memory to L2 */
    uint64_t dram_written; /* bytes from L2 to memory, what is left there in the end counted, too */
    uint64_t dram_rows;    /* of memory's banks that were opened for these */
} hd_cache_counts;

/* Counts and their *dynamic cost*: transactions, weighted by the level that served them (the
 * static cost's formula with what was counted in the place of what is estimated). */
typedef struct hd_cache_sum {
    hd_cache_counts counts;
    double cost;
} hd_cache_sum;

/* With their columns. */
extern const hd_member hd_cache_sum_members[];

/* What addresses lead to: a field of a record, or a buffer that has none. */
typedef struct hd_cache_place {
    const char *record; /* NULL: a buffer */
    const char *name;   /* of the field or the buffer; NULL: memory that no buffer is known of */
    int32_t field;      /* of job->record, where a job was given and it is of that; else -1 */
    hd_cache_sum sum;
} hd_cache_place;

typedef struct hd_cache_launch {
    const hd_event_launch *launch; /* the trace's */
    uint64_t blocks;               /* that were run, of launch->block_count */
    uint32_t registers;            /* of a thread; 0: not known */
    uint32_t blocks_per_sm;        /* at once, at most */
    double hottest;                /* atomics of lanes at the sector that has most of them */
    hd_cache_sum *accesses;        /* [launch->access_count] */
    hd_cache_counts *buffers;      /* [launch->buffer_count]: of what lies in each */
    hd_cache_sum sum;
} hd_cache_launch;

/* Counts of accesses to global memory; other spaces have none. */
typedef struct hd_caches {
    const hd_device *device;
    const hd_record *record; /* of the layout; NULL: there is none */
    const hd_layout *layout; /* NULL: as run */
    uint32_t sector;         /* bytes */
    hd_cache_launch *launches;
    uint32_t launch_count;
    hd_cache_place *places; /* fields in their order, then buffers; only those that were accessed */
    uint32_t place_count;
    hd_cache_sum total;
    bool complete; /* false: the reading was stopped */
} hd_caches;

typedef struct hd_caches_options {
    uint32_t registers;      /* of a thread; 0: as estimated of the job; without a job none */
    uint32_t blocks_at_once; /* on an SM, if more fit; 0: as many as fit */
    uint64_t first_launch, end_launch; /* numbers, from the first to before the end; 0, 0: all */
    uint64_t first_block, end_block;   /* the same, of each launch */
    double share; /* of the blocks that the trace has, spread over each launch; 0: all */
    const hd_trace_watch *watch; /* or NULL */
} hd_caches_options;

/* Whether the profile has what a simulation needs: HD_EINPUT names the file and the figures that it
 * lacks, HD_EUNSUPPORTED says that global memory has no cache there. */
hd_status hd_caches_check(const hd_diag *diag, const hd_device *device);

/* Simulates what the trace has of each launch, one launch after the other. With a layout the job is
 * needed, and the trace must be of it (HD_EINPUT says which launch is not): every address in a
 * buffer of the job's record becomes that of its byte in the layout. A job without a layout only
 * tells registers. The result is the arena's and points into the trace's launches. HD_EINPUT also:
 * no such launches, a damaged block, what hd_caches_check() and hd_map_make() refuse. */
hd_status hd_caches_run(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                        const hd_device *device, const hd_job *job, const hd_layout *layout,
                        const hd_caches_options *options, const hd_caches **caches);

/* The lines of a cost with hits, and so prices, as they were simulated: of each access the shares of
 * its sectors; lines of accesses that have none stay as they are. The device is the simulation's. */
void hd_caches_serve(const hd_caches *caches, hd_cost_line *lines, size_t count);

/* The bytes of all levels, for the energy model; operations and time are not known. */
hd_energy_counts hd_caches_energy_counts(const hd_caches *caches);

/* Adds up counts and costs. */
void hd_cache_sum_add(hd_cache_sum *sum, const hd_cache_sum *more);

/* The dynamic cost of what one access counts: costs of several add up, their counts' does not. */
double hd_cache_cost(const hd_device *device, const hd_cache_counts *counts);

#endif
