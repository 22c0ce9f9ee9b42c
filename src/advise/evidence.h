/*
 * Evidence: what a run of the job on the machine shows of its layouts.
 *
 * The static cost answers at once, but some of it may rest on assumptions: loops of unknown
 * length, conditions on data, indices that are read from memory. Then the job is run, all of it or
 * as much as a limit of work allows, and heard: shapes are measured (analysis/shapes.h), so that
 * the search prices all layouts by what was counted, and the best of them are put through the
 * simulation of caches (analysis/cache.h) with a trace of the same run. The limit is counted in
 * accesses of lanes, not in seconds, so that the same question has the same answer everywhere.
 *
 *     hd_evidence *e;
 *     hd_evidence_hear(arena, diag, job, devices, device_count, &options, expected, &e);
 *     if (!e->why)
 *         hd_evidence_judge(arena, diag, e, d, &options, &cost, &search, &found, &judged);
 *     hd_evidence_free(e);
 */
#ifndef HD_ADVISE_EVIDENCE_H
#define HD_ADVISE_EVIDENCE_H

#include <signal.h>

#include "analysis/cache.h"
#include "advise/touched.h"
#include "analysis/shapes.h"
#include "machine/vm.h"
#include "model/search.h"

/* Accesses of lanes that are heard unless a limit is given, and how many times as many are run. */
#define HD_EVIDENCE_LIMIT ((uint64_t)16 << 20)
enum { HD_EVIDENCE_UNHEARD = 16 };

typedef struct hd_evidence_options {
    uint64_t limit; /* accesses of lanes that are heard; 0: HD_EVIDENCE_LIMIT; UINT64_MAX: all */
    uint32_t candidates; /* layouts whose caches are simulated; 0: 12; and besides them: */
    hd_layout *const *layouts;
    uint32_t layout_count;
    bool whole_blocks;                 /* none is heard in part */
    const volatile sig_atomic_t *stop; /* ends it when set; may be NULL */
    /* What is being done, and the share of it that is, from any one thread; may be NULL. */
    void (*progress)(void *user, const char *doing, double done);
    void *user;
} hd_evidence_options;

static inline void hd_evidence_show(const hd_evidence_options *options, const char *doing,
                                    double done) {
    if (options->progress)
        options->progress(options->user, doing, done);
}

/* Accesses of lanes that are heard at most. */
static inline uint64_t hd_evidence_limit(const hd_evidence_options *options) {
    return options->limit ? options->limit : HD_EVIDENCE_LIMIT;
}
/* Those of a run of the whole job that is for one more question: four times as many. */
static inline uint64_t hd_evidence_limit_again(const hd_evidence_options *options) {
    const uint64_t limit = hd_evidence_limit(options);
    return limit < UINT64_MAX / 4 ? limit * 4 : UINT64_MAX;
}

typedef struct hd_evidence {
    /* Why nothing was heard, as "buffer 'next' has no contents, ..."; NULL: something was. */
    const char *why;
    uint64_t runs, run_count;     /* of launches, heard; that the job asks for */
    uint64_t blocks, block_count; /* heard; of all runs that the job asks for */
    uint64_t lane_accesses;       /* heard */
    uint64_t
        part_blocks; /* of those that were heard, these only until each thread had come so far: */
    hd_vm_far part;
    double part_of; /* accesses of a thread, where whole blocks were run as well; else 0 */
    uint64_t
        behind; /* their threads that had come less than half as far, since they waited for others */
    const char *made_up; /* buffers that kernels read, and whose contents Heddle made up; or NULL */
    hd_touched touched;  /* the record, by threads of the blocks that were heard */
    bool is_silent;      /* all was run, and no access executed: `why` says so */
    bool stopped;        /* by hd_evidence_options.stop */
    double seconds;      /* that it took to run and to hear */
    double operations[HD_OPERATIONS]; /* of single lanes, in the blocks that were heard */
    const hd_measured **measured;     /* of each device */
    /* Of evidence.c and who reads the run again: */
    hd_shapes **shapes; /* of each device */
    uint32_t device_count;
    char *folder;      /* of the trace, or NULL */
    const char *trace; /* its file */
} hd_evidence;

/* All of the job was heard. */
static inline bool hd_evidence_is_whole(const hd_evidence *e) {
    return !e->why && e->blocks == e->block_count && !e->part_blocks;
}

/* Runs the resolved job and hears it for each device. What keeps it from being run or heard
 * (contents that are missing, a fault, a limit below one block) is told: messages of errors come
 * as warnings, and `why` says it in short. Only HD_ESYSTEM is returned as an error. `expected`:
 * accesses of lanes that static cost foresees, on which no more depends than what is tried first. */
hd_status hd_evidence_hear(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                           const hd_device *const *devices, uint32_t device_count,
                           const hd_evidence_options *options, double expected,
                           hd_evidence **evidence);
/* The same in terms of `job`, which is the one that was heard with its record in another form: whole,
 * where it was taken apart. When it is stopped evidence->why says so. */
hd_status hd_evidence_retell(hd_arena *arena, const hd_diag *diag, hd_evidence *evidence,
                             const hd_job *job, const hd_evidence_options *options);
void hd_evidence_free(hd_evidence *evidence);

/* Runs the job without hearing it; ran[l] is each launch as it was run (hd_launch_now()), without a
 * kernel where it was not since its group of launches had ended. False: not all of it was, for want
 * of contents, by a fault or since it is more work than the limit. */
bool hd_evidence_try(hd_arena *arena, const hd_job *job, const hd_evidence_options *options,
                     hd_launch *ran);

/* The same whatever buffers hold: as much as the limit allows. An error: it faults, with messages. */
hd_status hd_evidence_run(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const hd_evidence_options *options);

/* A layout, by what was counted. */
typedef struct hd_judged {
    hd_layout *layout;
    double cost; /* dynamic cost of what was heard; without caches by the model with measured
                    * shapes; where nothing was heard the static cost */
    double
        seconds; /* of the same, by the bounds of throughput alone; 0: the profile has no speeds */
    double joules; /* with idle power for so long; 0: the profile has no figures */
    double
        least; /* what the objective is about: the cost, the joules, or these times the seconds */
    double ratio;            /* of that to the original's */
    hd_energy_counts counts; /* that joules are of */
    hd_cache_sum caches;     /* of what was heard; zeros without caches */
    double transactions;     /* of what was heard; without caches of the job, in the model */
    hd_cost_line *lines;     /* of its accesses, with the hits of the simulation */
    size_t line_count;
} hd_judged;

typedef struct hd_judgement {
    hd_cost_model *model;    /* with measured shapes */
    hd_search_result search; /* by it */
    hd_judged *layouts;      /* the best first; the original is among them */
    uint32_t count;
    uint32_t original;      /* which of them */
    bool heard;             /* false: by static cost, hd_judge_statically() */
    hd_objective objective; /* for the time the cost decided */
    bool simulated;         /* caches decided; else the profile cannot be simulated */
    double margin;          /* gains below this share cannot be told from none */
    bool leave;
} hd_judgement;

/* NULL: the layout was not judged, or nothing was (`judgement` is NULL). */
const hd_judged *hd_judged_as(const hd_judgement *judgement, const hd_layout *layout);

/* When it is stopped there is no judgement, and evidence->why says so. Otherwise:
 * prices all layouts for device number `device` by what was heard, and simulates the best ones,
 * and those of `also`, which the static search found. For the time the cost decides, for other objectives
 * joules and seconds, which the device's profile must have figures for. `before`, or NULL: the judgement of the same job
 * and options when other records lay otherwise, of which layouts were looked at; they are
 * simulated anew. */
hd_status hd_evidence_judge(hd_arena *arena, const hd_diag *diag, hd_evidence *evidence,
                            uint32_t device, const hd_evidence_options *options,
                            const hd_cost_options *cost, const hd_search_options *search,
                            const hd_search_result *also, hd_objective objective,
                            const hd_judgement *before, hd_judgement *judgement);

/* The same for a job that was not heard, by the static cost and what it moves. */
hd_status hd_judge_statically(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              const hd_device *device, const hd_cost_options *cost,
                              const hd_search_options *search, const hd_search_result *also,
                              hd_objective objective, hd_judgement *judgement);

#endif
