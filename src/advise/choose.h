/*
 * The fastest layout of a job on a device, by measurement within a budget.
 *
 * Three judges work together: static cost and the layout graph with the device's tree of tiles
 * propose, the device decides (model/propose.h, model/race.h). What comes out is kept in the
 * profile database, and an equal question is answered from there.
 */
#ifndef HD_ADVISE_CHOOSE_H
#define HD_ADVISE_CHOOSE_H

#include "advise/measure/database.h"
#include "model/race.h"

typedef struct hd_choose_options {
    double budget;      /* seconds, for all that is built and measured; over 0 */
    uint32_t repeats;   /* timed runs of each layout at most; 0: what the budget allows */
    const char *device; /* as in hd_measure_options */
    /* Raced with the layouts, by times of whole runs; none: the job's placement, by times of the
     * kernels. */
    const hd_placement *placements;
    uint32_t placement_count;
    hd_objective objective;           /* what the race is about */
    const hd_energy_question *energy; /* for other objectives than time, where joules come from */
    hd_database *database;            /* may be NULL */
    bool again;                       /* measure, whatever the database knows */
    const char *version;              /* Heddle's: another version asks another question */
    hd_cost_options cost;
    hd_search_options search;
    const volatile sig_atomic_t *stop; /* ends the race when set; may be NULL */
    void (*progress)(void *user, const char *what, double spent); /* as of hd_race_options */
    void *user;
} hd_choose_options;

/* A device profile and what the static search says of it. */
typedef struct advise_static_judge {
    const hd_device *device;
    const hd_search_result *search;
} advise_static_judge;

typedef struct hd_choice_entry {
    const hd_layout *layout;
    const hd_placement *placement; /* NULL: the job's */
    const char *by;                /* who proposed it */
    hd_race_end end;
    const char *why;   /* of one that was refused, or that differs */
    hd_timing timing;  /* repeats 0: not timed */
    double joules;     /* the median of its runs; 0: the objective is the time */
    hd_interval ratio; /* of its time, or what else the objective is, to the original's */
    bool as_fast;      /* as the best by the objective, as far as can be told */
} hd_choice_entry;

typedef struct hd_choice {
    hd_compute_device device;
    const char *date; /* when it was measured: "2026-11-21T17:30:00Z" */
    bool remembered;  /* the database knew: nothing was run */
    bool has_tree;    /* the database has a tree of tiles for the device */
    hd_objective objective;
    const char
        *source; /* of joules: "model", or the meter's name; NULL: the objective is the time */
    bool placed; /* placements were raced, too: times are those of whole runs */
    const char *placement;    /* the job's: hd_job_placement() */
    uint32_t left_out;        /* of the layouts in all placements so many did not race */
    hd_choice_entry *entries; /* [0]: the original */
    uint32_t count;
    uint32_t timed;                                /* besides the original */
    uint32_t winner, leader, rounds, least_rounds; /* as in hd_race */
    uint32_t most_rounds;                          /* hd_choose_options.repeats */
    double seconds;
    bool stopped; /* by hd_choose_options.stop */
} hd_choice;

/* The job must be resolved and have a record. After a failure in the middle *choice has what
 * was measured. */
hd_status advise_choose(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                        const advise_static_judge *judges, uint32_t judge_count,
                        const hd_choose_options *options, hd_choice *choice);

/* Some layout was timed, or computes something else, so that there is a verdict. Otherwise, and
 * where a race was stopped before anything could be told, static cost decides. */
bool hd_choice_decides(const hd_choice *choice);
/* No other layout could be rewritten and built. */
bool hd_choice_all_refused(const hd_choice *choice);

/* ---- answer.c: choices as texts of the database ------------------------------------- */

const char *advise_choice_print(hd_arena *arena, const hd_record *record, const hd_choice *choice);
/* Fills all but `device`, `remembered`, `stopped`, `objective`, `placed`, `placement` and
 * `most_rounds`; false when the text is none of advise_choice_print(). */
bool advise_choice_parse(hd_arena *arena, const hd_record *record, const char *text,
                         hd_choice *choice);

#endif
