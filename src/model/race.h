/*
 * A race of layouts: which is fastest, when every time is another.
 *
 * All that are still in run in turns, a round after the other, and the original is always among
 * them. What slows the machine for a while slows a whole round, so times are compared within
 * rounds: a racer's *ratio* in a round is its time over that of another one in the same round. In
 * the place of the time may be another cost of a run, such as its energy.
 * The median of the ratios is known up to an interval (interval.c), and
 *
 *     a racer is slower than the leader      when the interval of its ratio to the leader lies
 *                                            above 1: it drops out
 *     a racer is faster than the original    when that of its ratio to the original lies below
 *                                            1 - margin
 *
 * docs/search.md says how sure that is.
 */
#ifndef HD_RACE_H
#define HD_RACE_H

#include <signal.h>

#include "model/propose.h"

/* ---- interval.c: medians without a distribution ------------------------------- */

typedef struct hd_interval {
    double median;
    double low, high; /* 0 and infinity: too few values */
} hd_interval;

/* The median of `count` values, and an interval that the median of what they are drawn from
 * lies outside of with a probability of at most `error`. Sorts the values. */
hd_interval hd_interval_of_median(double *values, uint32_t count, double error);
/* The least count that gives an interval. */
uint32_t hd_interval_least(double error);

/* ---- race.c --------------------------------------------------------------------- */

/* What a run of a racer has taken. */
typedef struct hd_lap {
    double seconds;
    double joules; /* where energy counts, else 0 */
    double cost;   /* what the race is about: one of these, or their product */
} hd_lap;

/* What times layouts, such as a device. Racers are known by their numbers, from 0, the original. */
typedef struct hd_stopwatch {
    void *state;
    /* Makes a racer ready, in the job's placement where `placement` is NULL, and sees that it
     * computes what the original does. When it cannot be timed, *why is a line that says so.
     * Without one the failure has been reported, and ends the race; for the original it is always
     * so. */
    hd_status (*prepare)(void *state, uint32_t racer, const hd_layout *layout,
                         const hd_placement *placement, const char **why);
    /* A failure has been reported, and ends the race. */
    hd_status (*run)(void *state, uint32_t racer, hd_lap *lap);
    void (*release)(void *state, uint32_t racer);
    double (*now)(void *state); /* seconds; budgets count by it */
} hd_stopwatch;

typedef enum hd_race_end {
    HD_RACE_FINISHED,
    HD_RACE_SLOWER,  /* dropped out, surely slower than another */
    HD_RACE_REFUSED, /* could not be made ready: `why` */
    HD_RACE_DIFFERS, /* computes something else: `why` */
    HD_RACE_UNTRIED  /* the budget was too small for it */
} hd_race_end;

typedef struct hd_racer {
    const hd_layout *layout;
    const hd_placement *placement; /* NULL: the job's */
    const char *by;                /* who proposed it */
    hd_race_end end;
    const char *why;
    hd_lap *laps;           /* [rounds] */
    uint32_t first, rounds; /* the first round that it ran in, and in how many */
    size_t capacity;        /* of `laps` */
    hd_interval ratio;      /* of its cost to the original's */
    bool as_fast;           /* as the leader, as far as can be told */
} hd_racer;

typedef struct hd_race_options {
    double budget;                     /* seconds, for all */
    uint32_t most_rounds;              /* 0: as many as the budget allows */
    double margin;                     /* 0: HD_NOTICEABLE */
    double error;                      /* probability of a wrong verdict; 0: 0.05 */
    const volatile sig_atomic_t *stop; /* the race ends when set; may be NULL */
    /* What is being done, and the share of the budget that is spent; may be NULL. */
    void (*progress)(void *user, const char *what, double spent);
    void *user;
} hd_race_options;

typedef struct hd_race {
    hd_racer *racers; /* [0]: the original; then the proposals in their order */
    uint32_t count;
    /* Of those that are as fast as the leader and faster than the original the best, or another
     * within the margin of it that is nearer to the original (of one layout, that in the job's
     * placement); 0, leave the original, where
     * there are none. */
    uint32_t winner;
    uint32_t leader; /* of the least median ratio */
    uint32_t rounds;
    uint32_t least_rounds; /* with fewer nothing can be told */
    bool hindered;         /* the system kept a layout out: another time it may run */
    bool stopped;          /* by race_options.stop; what was timed till then stands */
    double seconds;        /* that it took */
} hd_race;

/* tie.c. <0: `a` is nearer to what the source has: fewest clusters, then most clusters left as AoS,
 * then the smallest tiles; from a record of arrays it is most clusters. */
int hd_layout_nearer(const hd_record *record, const hd_layout *a, const hd_layout *b);

/* Races the original and the proposals until nothing is left to decide or the budget is used.
 * After a failure *race has what was timed. */
hd_status hd_race_run(hd_arena *arena, const hd_record *record, const hd_proposal *proposals,
                      uint32_t count, const hd_stopwatch *stopwatch, const hd_race_options *options,
                      hd_race *race);

#endif
