/*
 * The nearest micro-kernels: what was measured of kernels that are like a job's.
 *
 *     hd_nearest_points(arena, diag, study, &of, &points);      once for a device
 *     hd_features_count(diag, job, profile, limit, &features);
 *     hd_nearest_find(points, study->point_count, &features, &nearest);
 *     ranking = hd_nearest_rank(arena, &nearest, HD_QUANTITY_ENERGY);
 *     judge = hd_nearest_judge(arena, job->record, &ranking);
 *
 * docs/explore.md, "Nearest micro-kernels", has the distance and the policy.
 */
#ifndef HD_NEAREST_H
#define HD_NEAREST_H

#include "advise/explore/features.h"
#include "advise/explore/study.h"
#include "model/propose.h"

/* So many of them are asked, and what is farther than that is like none of them. */
enum { HD_NEIGHBOURS = 5 };
#define HD_NEAREST_FAR 2.0

/* A layout and placement, and what was counted of a kernel in it: how much data it moves. */
typedef struct hd_counted {
    hd_placed_layout variant;
    double cost[HD_OBJECTIVES]; /* hd_counted_cost() */
} hd_counted;

typedef struct hd_counted_all {
    const hd_counted *all;
    uint32_t count;
} hd_counted_all;

/* A point that was measured, with its features and what was counted of it. */
typedef struct hd_nearest_point {
    const hd_study_point *of;
    hd_features features;
    hd_counted_all counted;
} hd_nearest_point;

/* What a study is of. */
typedef struct hd_nearest_device {
    const char *backend; /* "opencl" or "cuda" */
    const hd_device *profile;
    bool integrated; /* host and device share their memory */
} hd_nearest_device;

/* The points of a study, each run once on the machine: [study->point_count]. */
hd_status hd_nearest_points(hd_arena *arena, const hd_diag *diag, const hd_study *study,
                            const hd_nearest_device *device, hd_nearest_point **points);

typedef struct hd_neighbour {
    const hd_nearest_point *point;
    double distance;
    double weight; /* 1 in all */
} hd_neighbour;

typedef struct hd_nearest {
    hd_neighbour all[HD_NEIGHBOURS]; /* the nearest first */
    uint32_t count;
    bool far; /* no point is nearer than HD_NEAREST_FAR: it says nothing */
} hd_nearest;

/* Those that are nearer than HD_NEAREST_FAR, or, where none is, the nearest one. A neighbour weighs
 * the less the farther it is: 1 / (1/4 + distance). */
void hd_nearest_find(const hd_nearest_point *points, uint32_t count, const hd_features *features,
                     hd_nearest *nearest);

/* What one layout and placement takes of what another one does, over the neighbours: the weighted
 * geometric mean of the ratios of medians, and the quartiles that it has by the spread of each
 * measurement and by how much neighbours differ. False: there is no neighbour where both are known. */
bool hd_nearest_ratio(const hd_nearest *nearest, hd_objective objective,
                      const hd_placed_layout *one, const hd_placed_layout *other,
                      hd_interval *ratio);

typedef struct hd_nearest_entry {
    hd_placed_layout variant;
    hd_interval ratio; /* to the first of all */
} hd_nearest_entry;

typedef struct hd_nearest_ranking {
    hd_nearest_entry *all; /* that every neighbour knows; what takes least first */
    uint32_t count;        /* 0: too far, or nothing is known */
} hd_nearest_ranking;

hd_nearest_ranking hd_nearest_rank(hd_arena *arena, const hd_nearest *nearest,
                                   hd_objective objective);

/* The layouts of a ranking for this record, each once. They are of all fields, as those of the
 * micro-kernels are: neighbours use as large a share of their record. */
hd_judge hd_nearest_judge(hd_arena *arena, const hd_record *record,
                          const hd_nearest_ranking *ranking);

/* ---- a choice without measuring -------------------------------------------------------------- */

/* What moves the data of a kernel in a placement, whose objects take `bytes`: by time in bytes from
 * memory, where each level's bytes weigh what the device's profile says that a transaction costs
 * there; by energy in joules; by their product in that of both. Copies to where kernels find the
 * data and back go over the link or, where device and host share their memory, are read and written
 * there. */
double hd_counted_cost(const hd_nearest_device *device, const hd_variant_counts *counts,
                       double bytes, const char *placement, hd_objective objective);

/*
 * The rule of thumb, unless another variant takes less by what was measured of the nearest
 * micro-kernels: less at two of them and at most, and at all together by more than a standard error.
 * Where the variant moves more data than the rule's by more than it did there, what was measured
 * there does not carry over, and the rule stays; nor is data copied that the rule leaves in place.
 * Of the variants that are left the one that the neighbours rank first.
 */
hd_placed_layout hd_nearest_choose(hd_arena *arena, const hd_nearest *nearest,
                                   hd_objective objective, const hd_placed_layout *rule,
                                   const hd_counted_all *counted);

#endif
