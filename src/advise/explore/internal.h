/*
 * What the files of an exploration share.
 *
 *     explore.c    the device, its plan, lines
 *     known.c      what is known, missing and refused of a point
 *     run.c        a point on the device: its variants made, checked and timed
 *     explore_energy.c     the energy of a variant, metered or modelled
 *     explore_model.c      a point of a device profile alone
 *     count.c      what the machine counts of a point
 *     keep.c       the profile database
 */
#ifndef HD_EXPLORE_INTERNAL_H
#define HD_EXPLORE_INTERNAL_H

#include "driver/energy.h"
#include "advise/explore/explore.h"
#include "advise/measure/counters.h"
#include "advise/measure/session.h"

/* A kernel is launched so often that one timing takes at least so long: shorter ones say more
 * about starting a kernel than about running it. */
#define EXPLORE_LEAST_SECONDS 2e-3
enum { EXPLORE_REPEATS = 7 }; /* unless options say another number */

typedef hd_vec(hd_placement) explore_placement_list;

typedef struct explore_state {
    hd_arena *arena;
    const hd_diag *diag;
    hd_database *database;
    hd_plan bounded;
    const hd_plan *plan; /* that */
    const hd_explore_options *options;
    hd_exploration *result;
    hd_session session;
    hd_micro_folder folder;
    hd_meter *meter;
    hd_perf perf;
    bool counts;                       /* the processor's counters are the device's */
    explore_placement_list placements; /* of all points, */
    explore_placement_list all;        /* and of the one that all lines share */
    hd_vec(hd_explored) known;
    hd_vec(hd_unexplored) refused;
    double start;
} explore_state;

/* A point while it is measured. */
typedef struct explore_point {
    hd_arena *arena;
    hd_micro micro;
    const hd_layout **layouts; /* [plan->layout_count] */
    hd_variant_counts *counts; /* the same */
    /* The same, without a device: what the models price, each in its arena. */
    struct hd_run_counts *runs;
    hd_arena **arenas;
    void **contents, **expected;
    void *of_host;  /* the objects that the host computes, again and again */
    uint64_t bytes; /* of the objects */
} explore_point;

/* A variant while it is measured. */
typedef struct explore_variant {
    uint32_t layout;
    hd_placement placement;
    hd_version version;
    uint64_t batch; /* launches of a timing */
    double *kernels, *whole;
    hd_perf_counts counted; /* of the launches that are timed, */
    uint64_t launches;      /* and how many these are */
} explore_variant;

/* ---- known.c ---------------------------------------------------------------------------------- */

/* NULL: the variant is not known. */
const hd_explored *explore_find(const explore_state *e, const hd_micro_point *point,
                                const char *layout, hd_placement placement);
/* Those that are neither known nor refused; runs NULL: only their number, which is at most that of
 * layouts times that of placements. */
uint64_t explore_missing(const explore_state *e, const hd_micro_point *point,
                         explore_variant *runs);
/* Which all lines of a plan without a request share. */
bool explore_is_base(const explore_state *e, const hd_micro_point *point);
const explore_placement_list *explore_placements(const explore_state *e,
                                                 const hd_micro_point *point);
/* Keeps them in the database, too. */
void explore_add(explore_state *e, const hd_explored *variants, size_t count);
/* By a signal or the budget; result->stopped and out_of_time say so. */
bool explore_is_over(explore_state *e);
void explore_show(const explore_state *e, const char *what);

/* ---- run.c ------------------------------------------------------------------------------------- */

/* Loads and counts what the point's variants share; p->arena is the caller's to free, also after a
 * failure. */
hd_status explore_load_point(explore_state *e, const hd_micro_point *point, explore_point *p);
/* Measures and keeps variants of a point that is loaded. */
hd_status explore_measure_variants(explore_state *e, explore_point *p, explore_variant *runs,
                                   uint64_t count);
/* A run from the host's data and back, while the host computes its share: the longer of the two.
 * again: from what the last one left in place, so that the host writes nothing. */
hd_status explore_run_whole(explore_state *e, const explore_point *p, explore_variant *v,
                            bool again, double *seconds);

/* ---- explore_energy.c ------------------------------------------------------------------------------------ */

typedef struct explore_metered {
    explore_state *e;
    const explore_point *p;
    explore_variant *v;
    bool is_whole; /* a run from the host's data and back; else the kernel */
} explore_metered;

/* Of a run that takes these seconds. */
hd_status explore_energy(explore_metered *m, const hd_timing *seconds, hd_energy_of *found);

/* ---- explore_model.c: without a device, by options->model ------------------------------------------- */

/* Counts the point's kernel as it is compiled in each layout. */
hd_status explore_count_compiled(const explore_state *e, explore_point *p);
/* Prices and keeps variants of a point that is counted. */
hd_status explore_model_variants(explore_state *e, const explore_point *p,
                                 const explore_variant *variants, uint64_t count);
void explore_free_counts(const explore_state *e, const explore_point *p);
/* NULL, or why nothing is known of such a placement. */
const char *explore_model_lacks(const hd_device *model, hd_placement placement);

#endif
