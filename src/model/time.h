/*
 * Seconds on a device that is not here: from what a launch does, as counted, and the speeds of a device
 * profile.
 *
 *     hd_time_work work;                      counts of a launch (advise/recount.h)
 *     hd_time time = hd_time_of(device, &work);
 *     time.seconds, time.bound, time.share    1.2 ms, HD_BOUND_DRAM, 0.83
 *
 * A launch takes as long as what it keeps busiest, and longer where several things are nearly as busy:
 * the seconds that each of them would need alone (hd_time.of) are joined by a norm (time.c has the
 * formulas, docs/time.md the sources and what the model was compared with).
 */
#ifndef HD_MODEL_TIME_H
#define HD_MODEL_TIME_H

#include "device/energy_model.h"

/* What a launch does, all of its blocks and runs together; lanes' instructions by the units that serve
 * them. Counts may be those of a part, scaled. */
typedef struct hd_time_work {
    double runs;     /* one after another */
    uint64_t blocks; /* of a run */
    uint32_t block_threads;
    uint32_t registers;                  /* of a thread; 0: not known */
    uint64_t shared;                     /* bytes of shared memory of a block */
    double fp32, fp64, integer, special; /* instructions of lanes */
    double barriers, waits;              /* of lanes, too: at barriers, and for memory */
    double active;                       /* share of a warp's lanes that are, above 0 to 1 */
    double requests;                     /* of warps to global memory */
    double passes;                       /* of the banks of shared memory */
    double lines;                        /* of L1 that they touch, each once for a request */
    double l1_bytes;                     /* of the transactions of global memory */
    double l2_bytes;                     /* asked of L2, and written to it */
    double l2_partial;                   /* of these, sectors that were written in part */
    double dram_bytes;                   /* read and written */
    double dram_rows;                    /* that were opened in memory's banks */
    double link_bytes;                   /* over the link, in the direction that has more of them */
    double l1_hits, l2_hits;             /* shares of the loads that are served there */
    double hottest;                      /* lanes' atomics at the sector that has most of them */
    hd_energy_counts energy;             /* as the energy model counts; without seconds */
} hd_time_work;

/* What keeps a launch from being faster. */
#define HD_TIME_BOUNDS(ROW)                              \
    ROW(DRAM, "DRAM", "its bandwidth")                   \
    ROW(L2, "L2", "its bandwidth")                       \
    ROW(L1, "load/store units", "their rate")            \
    ROW(ISSUE, "issue of instructions", "its rate")      \
    ROW(FP32, "fp32 units", "their rate")                \
    ROW(FP64, "fp64 units", "their rate")                \
    ROW(INTEGER, "integer units", "their rate")          \
    ROW(SPECIAL, "special function units", "their rate") \
    ROW(LINK, "link to the host", "its bandwidth")       \
    ROW(LATENCY, "latency", "the time")                  \
    ROW(ATOMICS, "atomics at one address", "their rate") \
    ROW(LAUNCH, "launching", "the time")

typedef enum hd_time_bound {
#define HD_TIME_BOUND(name, title, of) HD_BOUND_##name,
    HD_TIME_BOUNDS(HD_TIME_BOUND)
#undef HD_TIME_BOUND
        HD_BOUNDS
} hd_time_bound;

/* "DRAM", and what its share is of: "its bandwidth". */
const char *hd_time_bound_title(hd_time_bound bound);
const char *hd_time_bound_rate(hd_time_bound bound);

typedef struct hd_time {
    double seconds;
    double low, high;     /* of which it lies between, four times of five */
    hd_time_bound bound;  /* that takes most of it */
    double share;         /* of the seconds that the bound alone needs */
    double of[HD_BOUNDS]; /* seconds that each alone needs */
    double doubt;         /* how many times as far off as usual it may be; 0: as usual */
} hd_time;

/* Whether the profile has what a time needs. */
bool hd_time_is_known(const hd_device *device);
/* What a message says where it has not. */
const char *hd_time_unknown(hd_arena *arena, const hd_device *device);

/* Of a launch with all its runs. The device's time must be known. */
hd_time hd_time_of(const hd_device *device, const hd_time_work *work);
/* Of several, one after another: the bound is that which most of the time goes to. */
hd_time hd_time_of_all(const hd_device *device, const hd_time_work *works, uint32_t count);
/* Adds the time of what follows. */
void hd_time_add(hd_time *sum, const hd_time *more);

/* How many times as fast `after` is as `before`: what both have wrong of the device cancels, so that it is
 * surer than either. */
typedef struct hd_time_gain {
    double times, low, high; /* low: four times of five it lies between these */
} hd_time_gain;
hd_time_gain hd_time_gain_of(const hd_time *before, const hd_time *after);

/* Blocks that an SM holds at once: by threads, registers and shared memory. */
uint32_t hd_time_blocks_per_sm(const hd_device *device, const hd_time_work *work);

/* The joules of the work in that time, and so watts; false: the profile has no figures. */
bool hd_time_joules(const hd_device *device, const hd_time_work *works, uint32_t count,
                    const hd_time *time, double *joules);

#endif
