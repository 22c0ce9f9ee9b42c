/*
 * The whole job in one call: which layout is best for each device, and, if
 * wanted, the rewritten kernel and what it gains on a real device.
 */
#ifndef HD_ADVISE_H
#define HD_ADVISE_H

#include "advise/apart.h"
#include "advise/choose.h"
#include "advise/dominating.h"
#include "advise/evidence.h"
#include "advise/movement.h"
#include "advise/recount.h"
#include "advise/threads.h"
#include "advise/timing.h"
#include "advise/measure/measure.h"
#include "model/search.h"

typedef struct hd_advice hd_advice;

typedef struct hd_advise_options {
    /* What is to be least. Without a device joules are modelled, and seconds predicted, of those devices
     * whose profiles have figures; elsewhere the cost decides. */
    hd_objective objective;
    const hd_device *const *devices; /* at least one; the first one's best layout is applied */
    uint32_t device_count;
    hd_cost_options cost;
    hd_search_options search;
    bool run; /* where the static cost rests on assumptions the job is run, and what is counted
               * decides, with these options: */
    hd_evidence_options evidence;
    /* What was found of the same job when its other records lay otherwise, or NULL: what that does
     * not change is not looked for again. */
    const hd_advice *before;
    bool take_apart; /* try the record with its arrays and nested structs taken apart, too */
    bool brief;      /* do not ask what weighs more than the layout, which takes a run */
    bool rewrite;    /* rewrite the kernels in the best layout */
    bool measure;    /* run both versions; implies rewrite */
    hd_measure_options measurement;
    /* Let the device decide, within choose.budget seconds; 0: static cost decides. Of these
     * options objective, device, repeats, cost and search are those above. */
    hd_choose_options choose;
    /* Hears of the advice once static cost has answered, before the job is run for evidence; may be
     * NULL. What it changes of `evidence` counts. */
    void (*costed)(void *user, const hd_advice *advice);
    /* Hears of the advice once all devices are done, before anything is measured or rewritten; may
     * be NULL. What it changes of `choose` counts. */
    void (*ranked)(void *user, const hd_advice *advice);
    void *user;
} hd_advise_options;

/* What is known for one device. */
typedef struct hd_device_advice {
    const hd_device *device;
    hd_cost_model *model;
    hd_search_result search;
    hd_judgement *judged;            /* by evidence, or by energy; NULL: static cost stands */
    const hd_search_result *ranking; /* that decides: `search`, or what `judged` has */
    const hd_layout *best; /* the original when the answer is to leave it; on the first device the
                            * cheapest that the sources can be put in, if any can */
    double ratio;          /* of best, to the original */
    bool leave;
    hd_cost_line *accesses; /* under AoS, the most expensive first */
    size_t access_count;
    hd_cost_vector accesses_cost; /* of all of them */
} hd_device_advice;

struct hd_advice {
    const hd_job *job;  /* the caller's, or that with its record taken apart */
    const char *rounds; /* how many of groups that end early the job has here (rounds.h), or NULL */
    hd_apart apart;
    hd_recount recount;   /* of the first device's best layouts, as they will run */
    hd_time_advice *time; /* what that is in time; NULL: nothing was counted, or it is not known */
    hd_dominating dominating[HD_MOST_DOMINATING]; /* on the first device */
    uint32_t dominating_count;
    hd_attempt attempt; /* at rewriting, for the first device */
    hd_device_advice *devices;
    uint32_t device_count;
    bool assumes;                  /* some of the static cost rests on an assumption */
    hd_evidence *evidence;         /* NULL: the job was not to be run, or there was no need */
    const hd_thread_gain *threads; /* in another order, on the first device; NULL: no gain known */
    /* The answer with made-up indices one after another, where it is another one than with random
     * ones; else NULL. */
    const char *otherwise;
    const char
        *unknown; /* why nothing can be told, and the mend; else NULL. The layout stays then */
    bool ranked;  /* the devices are done: what follows may have failed */
    bool leave;   /* on the first device, or on that which decided */
    const hd_layout *best;   /* there; the original when the answer is to leave it */
    hd_choice *choice;       /* where a device decided, else NULL */
    hd_rewritten *rewritten; /* NULL unless asked for, and when there is nothing to change */
    hd_rewritten *program;   /* the same with its host code; NULL: the file has none */
    bool measured;
    hd_measurement measurement;
};

/* A signal ended the run for evidence, or the race. */
static inline bool hd_advice_is_stopped(const hd_advice *advice) {
    return (advice->evidence && advice->evidence->stopped) ||
           (advice->choice && advice->choice->stopped);
}

/* `job` must be resolved. HD_EDIFFER: measured, and the outputs differ; the
 * advice is complete all the same. Where only the rewriting or the measuring
 * failed, `ranked` is set, and the rest of the advice holds. Where a device was to decide
 * but could not run a single other layout, static cost decides. Where it was stopped nothing is
 * rewritten or measured any more. */
hd_status hd_advise(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                    const hd_advise_options *options, hd_advice *advice);

/* What is written where the advice is applied. */
static inline const hd_rewritten *hd_advice_written(const hd_advice *advice) {
    return advice->program ? advice->program : advice->rewritten;
}

/* Whether a share of the blocks of each launch may run in the place of all: no block reads what another launch
 * leaves, or nothing that is counted depends on contents. */
bool hd_part_stands_for_all(hd_arena *arena, const hd_advice *advice, const hd_cost_options *cost);

/* What a layout that was looked at moves there. */
hd_movement hd_movement_in(hd_arena *arena, const hd_device_advice *of, const hd_layout *layout);
/* In the best layout of the first device, as it was counted where it was. `before`: in the original. */
hd_movement hd_movement_then(hd_arena *arena, const hd_advice *advice, const hd_movement *before);

/* ---- records.c: a job of several records ------------------------------------------------------- */

/* What is advised for one record, given the layouts of the others. */
typedef struct hd_record_advice {
    const hd_record *record;
    hd_advice advice;
    double before, after; /* transactions of its accesses, as the source has it and as advised */
    double part;          /* of all transactions that are saved */
    const char *refused;  /* why it stays although it should not; NULL: nothing hinders */
} hd_record_advice;

typedef struct hd_records_advice {
    hd_record_advice *records; /* that with most transactions first */
    uint32_t count;
    double before, after;     /* transactions of all */
    hd_record_layout *chosen; /* those that change */
    uint32_t chosen_count;
    hd_rewritten *kernels, *program; /* in these, all at once; either NULL: there is none */
} hd_records_advice;

/* For a resolved job whose buffers hold several records. The heaviest is decided first, the others given
 * what was decided before them, and then each once more given all others. Of the options none lets a
 * device decide, and no record is taken apart. */
hd_status hd_advise_records(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const hd_advise_options *options, hd_records_advice *advice);

#endif
