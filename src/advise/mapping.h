/*
 * Which thread does what, for a job: the stages of order/orders.h and new numbers for data
 * (job/numbering.h), each tried on the machine.
 *
 *     hd_mapping *mapping;
 *     hd_map_job(arena, diag, job, &question, &mapping);
 *     mapping->steps[0]                      the job as it is, or unsorted
 *     mapping->steps[mapping->best].orders   what to rewrite it with
 *
 * Orders are made from a trace of the job. What they do is not estimated: the rewritten kernels run
 * on the machine with the map that they read, and it is their transactions, reuse and caches that
 * are counted, and their results that are compared.
 */
#ifndef HD_ADVISE_MAPPING_H
#define HD_ADVISE_MAPPING_H

#include "base/ranks.h"
#include "job/numbering.h"
#include "analysis/cache.h"
#include "analysis/coalesce.h"
#include "analysis/reuse.h"
#include "analysis/throttle.h"
#include "order/orders.h"
#include "advise/measure/measure.h"
#include "rewrite/thread_map.h"

typedef struct hd_map_question {
    const hd_device *device;
    hd_stages stages;      /* `whole_blocks` is found out for each kernel */
    bool orders_data;      /* new numbers are tried, too, where the job declares `indices` and
                            * threads are not shuffled */
    const char *numbering; /* a buffer of the numbering; NULL: the first free one */
    /* Unsorted input, to begin with; 0: as the job has it. */
    uint64_t shuffled_threads, shuffled_data; /* seeds */
    bool reuse, caches;                       /* are looked at */
    bool throttle;                            /* of the best step, how many blocks at once, too */
    const hd_measure_options *measure;        /* each step is timed on a device; NULL: not */
    uint32_t workers;
    /* Over these each makes the graphs and orders of some launches; all run the steps, and come to the
     * same results. NULL: this process alone. */
    const hd_ranks *ranks;
    const hd_trace_watch *watch; /* or NULL */
} hd_map_question;

/* The data reuse characteristic of a step in one scenario: of all streams together. */
typedef struct hd_map_reuse {
    uint32_t scenario;
    uint64_t degree; /* sum over all distances */
    uint64_t first;  /* at distance 1 */
    uint64_t domain; /* the largest distance that has a degree */
    const hd_reuse *all;
} hd_map_reuse;

enum { HD_MAP_SCENARIOS = 3, HD_MAP_MOST_STEPS = 16 };

typedef struct hd_map_launch hd_map_launch;
typedef struct hd_map_step {
    /* "original" or "unsorted", "threads", "warps", "blocks", "data by rcm", ... */
    const char *name;
    const char *what;          /* what was done, in words */
    hd_coalesce_counts counts; /* global memory, all launches; with what reading the map takes */
    hd_cache_counts caches;
    uint64_t reuse_distances, block_bytes; /* of launches with graphs; mapping.h */
    hd_map_reuse reuse[HD_MAP_SCENARIOS];  /* 2, 3 and 4 */
    uint32_t reuse_count;
    double seconds; /* to make its orders, with the stages before; the trace not counted */
    bool bit_equal; /* results to the original's; else within its tolerance */
    hd_timing time; /* with `measure` */
    double speedup, speedup_low, speedup_high; /* of the original's time to it, as medians */
    double pays_after; /* runs of the job until making its orders is worth while; NaN: never, or
                        * nobody knows the time */
    const hd_order_file *orders; /* NULL: threads stay */
    const char *data;            /* by which order its data have new numbers; NULL: as they were */
    const hd_numbering *numbering; /* of these data; NULL: as they were */
    const uint32_t *data_order;    /* [numbering->count]: order[new] = old */
    hd_renumbered *renumbered;     /* of the job with its data as this run began with; or NULL */
    hd_rewritten *rewritten;       /* with `orders`, else NULL */
    const hd_job *job;             /* that was run */
    const hd_map_launch *launches; /* as its graphs have them; NULL: it has none */
    uint32_t launch_count;
} hd_map_step;

/* What a launch's order rests on, for people. */
struct hd_map_launch {
    uint32_t launch; /* the first one of the job; of a trace, its number there */
    const char *kernel;
    uint32_t threads, block_threads;
    const char *together;          /* why only whole blocks move; NULL: any thread may */
    const char *untouched;         /* why it keeps its order; NULL: it may get one */
    bool moved;                    /* it has one */
    hd_sharing_cost before, after; /* of its graph */
};

typedef struct hd_mapping {
    const hd_job *job; /* in the order that it began with; NULL: of a trace */
    const hd_device *device;
    hd_map_step *steps; /* the first is what it began with */
    uint32_t step_count;
    const hd_map_step *original;   /* where it began with a random order of a job; else NULL */
    uint32_t best;                 /* the step to take; 0: leave it */
    const char *reason;            /* of that, in words */
    const hd_map_launch *launches; /* as the best step has them */
    uint32_t launch_count;
    const hd_throttling *throttling; /* of the best step; NULL: not asked for */
    const char *measured_on;         /* the device's name; NULL: nothing was timed */
    bool complete;                   /* false: it was stopped */
} hd_mapping;

/* Tries the stages on a resolved job. HD_EINPUT: the job does not run on the machine, or its
 * `indices` are not what its buffers hold; HD_EUNSUPPORTED: its kernels cannot be rewritten;
 * HD_EDIFFER: a rewritten one gave other results. */
hd_status hd_map_job(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                     const hd_map_question *question, hd_mapping **mapping);
/* The same from a trace alone, of which nothing can be run: transactions and requests of its steps
 * are those of the graphs (hd_sharing_count()), there are no caches, reuse, times or new numbers, and
 * runs of a kernel with the same sizes share an order. Threads stay in their blocks where the trace
 * has accesses to local memory. HD_EINPUT: the trace does not tell threads from each other. */
hd_status hd_map_trace(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                       const hd_map_question *question, hd_mapping **mapping);

#endif
