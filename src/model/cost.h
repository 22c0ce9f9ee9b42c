/*
 * Static cost of a layout: accesses × layout × device → cost vector.
 *
 * The model is that of Peng, Grossman and Sarkar, "Static Cost Estimation for
 * Data Layout Selection on GPUs", sections III and IV; docs/cost.md says where
 * it goes further. One hd_cost_model holds what does not depend on the layout;
 * hd_cost_of_layout() then prices one layout, and hd_cluster_price() one
 * cluster, which is what the search shares between layouts.
 */
#ifndef HD_COST_H
#define HD_COST_H

#include "model/measured.h"
#include "device/device.h"
#include "device/energy_model.h"
#include "job/job.h"
#include "kernel/kernel.h"

/* ---- vector.c: cost vectors (after section IV-H) --------------------------- */

enum { HD_MAX_DEGREE = 7 };

/* v[d] is the cost of accesses inside d loops of unknown length, which are taken to run as
 * hd_loop_length() says. Unit: one L1 hit of one transaction. */
typedef struct hd_cost_vector {
    double v[HD_MAX_DEGREE + 1];
} hd_cost_vector;

void hd_cost_add(hd_cost_vector *sum, const hd_cost_vector *part);
/* The mean of the cost, where each such loop may as well run a tenth as often or ten times as
 * often: a sum of the entries with given weights. */
double hd_cost_mean(const hd_cost_vector *a);
/* <0, 0, >0: by the mean. Means closer than 1e-9 of the larger are equal. */
int hd_cost_compare(const hd_cost_vector *a, const hd_cost_vector *b);
/* Highest degree with a cost; 0 for a zero vector. */
uint32_t hd_cost_degree(const hd_cost_vector *a);
/* Mean of a over that of b; 1 when both are zero. */
double hd_cost_ratio(const hd_cost_vector *a, const hd_cost_vector *b);

/* ---- model.c ------------------------------------------------------------------ */

typedef enum hd_loop_rule {
    HD_LOOPS_PENG,   /* 100 (section IV-G) */
    HD_LOOPS_KOFLER, /* 256, 10^6 or 512*10^3 by kind (Kofler et al., section 3.1) */
    HD_LOOPS_NUMBER  /* `length` */
} hd_loop_rule;

typedef struct hd_cost_options {
    hd_loop_rule loops; /* for loops whose length is not known */
    uint64_t length;
    uint32_t registers; /* per thread; 0: as estimated */
    /* What was counted of the job on this device's rules; NULL: nothing. Launches that were not
     * heard are derived from the source. */
    const hd_measured *measured;
} hd_cost_options;

/* Whether the length of a loop is not known, so that a rule takes the place of it. */
bool hd_loop_is_guessed(const hd_trip *trip);
/* How many iterations it is then taken to have in the source, */
uint64_t hd_loop_guess(const hd_trip *trip, const hd_cost_options *options);
/* and how many a loop has, guessed or known, as the compiler has unrolled it. */
uint64_t hd_loop_length(const hd_trip *trip, const hd_cost_options *options);

typedef struct hd_cost_model hd_cost_model;

/* The job must be resolved and have a record. Everything lives in `arena`. */
hd_status hd_cost_model_make(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_device *device, const hd_cost_options *options,
                             hd_cost_model **model);

/* The same with other weights of its device's levels. What was counted for one is known to both, so
 * that no two threads may use them at once. In the arena of the model, or one that goes sooner. */
hd_cost_model *hd_cost_model_weighed(hd_arena *arena, const hd_cost_model *model, double w_l1,
                                     double w_l2, double w_dram);

const hd_record *hd_cost_record(const hd_cost_model *model);
const hd_device *hd_cost_device(const hd_cost_model *model);

/* Where an access' executions and transactions come from, from sure to unsure. */
typedef enum hd_cost_origin {
    HD_ORIGIN_COUNTED, /* a run was heard */
    HD_ORIGIN_DERIVED, /* they follow from the source and the launch, exactly */
    HD_ORIGIN_ASSUMED  /* they rest on an assumption */
} hd_cost_origin;

/* What one access contributes. Accesses of equal source place and launch kernel
 * are one line of a report. */
typedef struct hd_cost_line {
    const hd_access *access;
    const hd_kernel_info *info;
    hd_cost_vector cost;
    double executions;      /* warps × iterations, all launches */
    double transactions;    /* mean for each execution */
    double lanes;           /* mean number of active lanes */
    bool irregular;         /* lanes are not a constant distance apart: see access->reason */
    double ideal;           /* transactions if the lanes' values lay side by side */
    double l1, l2;          /* shares of the transactions that hit there */
    double kept;            /* share of them that cost nothing: a register spares them, or they
                             * belong to the request of another field's line */
    hd_cost_origin origin;  /* the least sure of its launches' */
    const char *assumption; /* HD_ORIGIN_ASSUMED: what it rests on */
} hd_cost_line;

/* Cost of all launches of the job under `layout`. When `lines` is not NULL it
 * receives an arena array of one entry for every global access, the most
 * expensive first. */
hd_cost_vector hd_cost_of_layout(hd_arena *arena, hd_cost_model *model, const hd_layout *layout,
                                 hd_cost_line **lines, size_t *line_count);

/* energy.c: what all launches of the model's job do under `layout`, for the energy model; of the
 * seconds nothing is known. Bytes are those of the transactions of global memory where the cost
 * model sees them served; operations are those of the source, both sides of a branch, in loops as
 * long as the model takes them to be. */
hd_energy_counts hd_cost_energy_counts(hd_arena *arena, hd_cost_model *model, const hd_job *job,
                                       const hd_layout *layout);

/* Of all executions of these accesses. */
double hd_cost_transactions(const hd_cost_line *lines, size_t count);

/* The most expensive first. */
void hd_cost_sort_lines(hd_cost_line *lines, size_t count);

/* explain.c: why it costs that, for the layout the kernel is written in: "lanes
 * 28 bytes apart for 4 bytes each: 7 transactions where 1 would do, …". */
const char *hd_cost_explain(hd_arena *arena, const hd_device *device, const hd_cost_line *line);

/* ---- for the search: prices of single clusters --------------------------------- */

/* Tiles that can differ in cost: 1, 2, 4 … and HD_TILE_SOA for all that are at
 * least as long as a transaction. Ascending; returns how many. */
enum { HD_MAX_TILES = 12 };
uint32_t hd_cost_tiles(const hd_cost_model *model, uint64_t tiles[HD_MAX_TILES]);

/* Whether an access hits may depend on how many bytes the other clusters bring
 * between it and the access before: a "question". Most questions have the same
 * answer under every layout; only the open ones are listed here. Question q is
 * answered yes when the sum of the clusters' bytes of q is at most limits[q]. If
 * more are open than HD_MAX_QUESTIONS, the rest count as answered no. */
enum { HD_MAX_QUESTIONS = 64 };
typedef struct hd_questions {
    uint32_t count;
    const double *limits; /* [count], less what the other buffers bring */
} hd_questions;
const hd_questions *hd_cost_questions(const hd_cost_model *model);

/* Bytes that this cluster brings in each question's interval. */
void hd_cluster_bytes(hd_cost_model *model, uint64_t mask, uint64_t tile, double *bytes);
/* Questions that the price of this cluster depends on, as bits. */
uint64_t hd_cluster_questions(hd_cost_model *model, uint64_t mask);
/* Price of the accesses to this cluster, given the answers. */
hd_cost_vector hd_cluster_price(hd_cost_model *model, uint64_t mask, uint64_t tile,
                                uint64_t answers);
/* No cluster makes the accesses to this field cheaper than this (bound.c). */
hd_cost_vector hd_field_bound(const hd_cost_model *model, uint32_t field);
/* The fields that some access touches, as bits: where others lie costs nothing. */
uint64_t hd_cost_used_fields(const hd_cost_model *model);
/* Bytes of the device's longest segment or line: fields of which none has two share none. */
uint32_t hd_cost_unit(const hd_cost_model *model);
/* Price of all accesses to other buffers, and the questions it depends on. */
uint64_t hd_other_questions(const hd_cost_model *model);
hd_cost_vector hd_other_price(hd_cost_model *model, uint64_t answers);

#endif
