/*
 * Layouts counted as they will run: the kernels are rewritten for a layout in memory, compiled as the
 * originals were, and run on the machine. What the model says of a layout is of the accesses that the
 * original has; a compiler may merge neighbours there that are apart here, or load anew here what it
 * kept there. What is promised is what was counted.
 */
#ifndef HD_ADVISE_RECOUNT_H
#define HD_ADVISE_RECOUNT_H

#include "advise/evidence.h"
#include "advise/movement.h"
#include "model/time.h"

/* What a launch moves of a buffer, all its blocks and runs together; bytes. */
typedef struct hd_buffer_traffic {
    double read, written;           /* that L1 asks for below it, and that are stored there */
    double l2_hits;                 /* of these that L2 has */
    double dram_read, dram_written; /* between L2 and memory */
    double dram_rows;               /* of memory's banks that are opened for it */
} hd_buffer_traffic;

/* Of global memory. */
typedef struct hd_run_counts {
    uint64_t requests, transactions; /* of all of the job */
    double
        cost; /* dynamic, of a share of the blocks; transactions where the profile's caches cannot
                  * be simulated */
    hd_time_work *works; /* of each launch of the job, all of its blocks */
    uint32_t work_count;
    hd_time time; /* of all of it, on the device; zeros: its profile does not tell */
    /* Of the buffers of the job as it is declared: zeros where caches cannot be simulated, NULL of
     * nvcc's code. */
    hd_buffer_traffic *traffic; /* [work_count][buffer_count] */
    uint64_t *bytes;            /* [buffer_count]: that each takes in the layout */
    uint32_t buffer_count;
    double
        joules; /* the same, with idle power where times are known; 0: the profile does not tell */
} hd_run_counts;

/* A layout, by a run of the kernels in it. */
typedef struct hd_recounted {
    const hd_layout *layout;
    bool counted; /* else it could not be rewritten, or did not run */
    double ratio; /* of what the objective is about to the original's, by nvcc's code where there is
                * such; 0: not counted */
    hd_run_counts compiled, nvcc; /* nvcc: zeros where it was not asked, or does not compile them */
    bool asked;                   /* of a layout: nvcc was */
} hd_recounted;

typedef struct hd_recount {
    bool tried;      /* else there was nothing to count, or the kernels are as written */
    const char *why; /* nothing was counted; NULL: it was */
    bool simulated;  /* costs are those of caches */
    /* What is least: for the time the cost, and where the model of time tells layouts apart, that;
     * joules; or joules times seconds. */
    hd_objective objective;
    uint64_t blocks, block_count; /* that ran, of all launches' blocks; zeros: all did */
    hd_recounted original;        /* ratio 1 */
    hd_recounted *layouts;        /* the best first; those that were not counted last */
    uint32_t count;
} hd_recount;

/* Counts the best layouts of a ranking, SoA, tiles of a warp, and SoA of vectors in their
 * forms, for the job's record: transactions and requests of all blocks, and what caches serve of as
 * many blocks as the limit of the options allows. Where nvcc is installed a CUDA file is counted as nvcc
 * compiles it, too, in the layouts that are near the best by then, and that decides. Of costs that are alike (HD_NOTICEABLE) that of fewer transactions
 * comes first, then that of fewer requests. Of a job of more than four times the limit, in accesses of
 * lanes, a share of the blocks of each launch runs, with `by_part`, and stands for all: no
 * block reads what another launch leaves, or none of what is counted depends on it. Else it is not
 * counted. Layouts that were counted `before`, of the same job, are not run again (NULL: none
 * was). Only HD_ESYSTEM is returned as an error. */
hd_status advise_recount(hd_arena *arena, const hd_job *job, const hd_device *device,
                         hd_cost_model *model, bool by_part, const hd_search_result *ranking,
                         const hd_evidence_options *options, hd_objective objective,
                         const hd_recount *before, hd_recount *recount);
/* A job in a layout (NULL: as it is), counted so: all blocks or, of a job of more than four times the limit of
 * the options in accesses of lanes (`expected`, 0: not known), a share of them. The works are the arena's. HD_EINPUT,
 * HD_EUNSUPPORTED: it cannot be rewritten or does not run, with messages. */
hd_status hd_count_in_layout(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_layout *layout, const hd_device *device, double expected,
                             const hd_evidence_options *options, hd_run_counts *counts);
/* Accesses of lanes that the lines of hd_cost_of_layout() foresee, for `expected`. */
double hd_expected_accesses(const hd_cost_line *lines, size_t count);
/* Those of the job that the model is of, in the layout that it has. */
double hd_lane_accesses(hd_arena *arena, hd_cost_model *model);
/* Where there is no other layout to count: the original alone, for its time. */
void advise_count_original(hd_arena *arena, const hd_job *job, const hd_device *device,
                           hd_cost_model *model, bool by_part, const hd_evidence_options *options,
                           hd_recount *recount);
/* What decides about a layout: nvcc's code, where it was asked about that and has compiled the original.
 * And the same of the original. */
const hd_run_counts *hd_recount_deciding(const hd_recount *recount, const hd_recounted *of);
const hd_run_counts *hd_recount_own(const hd_recount *recount, const hd_recounted *of);
/* The layout, or the original; NULL: it was not counted. */
const hd_recounted *hd_recount_of(const hd_recount *recount, const hd_layout *layout);
/* 1: `a` is faster than `b`, the original or another layout, by the model of time and beyond its error; -1:
 * slower; 0: that cannot be told, or times are not known. */
int hd_recount_faster(const hd_recount *recount, const hd_recounted *a, const hd_recounted *b);
/* Those that gain by what was counted: that are faster, or cost less by at least this share and are not slower. */
const hd_search_result *advise_recounted_ranking(hd_arena *arena, const hd_recount *recount,
                                                 double margin);

/* What accesses to the record move in `layout`, if that was counted: of all that the kernels request the
 * rest, which goes elsewhere, is as in the original, of which `before` is. */
void advise_recounted_movement(const hd_recount *recount, const hd_layout *layout,
                               const hd_movement *before, hd_movement *after);

#endif
