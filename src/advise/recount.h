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

/* A layout, by a run of the kernels in it. */
typedef struct hd_recounted {
    const hd_layout *layout;
    double ratio;                    /* of its cost to the original's, as the counts correct it */
    bool counted;                    /* else it could not be rewritten, or did not run */
    uint64_t requests, transactions; /* of global memory, all of the job */
    uint64_t nvcc_requests, nvcc_transactions; /* the same of nvcc's code; 0: not counted */
} hd_recounted;

typedef struct hd_recount {
    bool tried;            /* else there was nothing to count, or the kernels are as written */
    const char *why;       /* nothing was counted; NULL: it was */
    hd_recounted original; /* ratio 1 */
    hd_recounted *layouts; /* the best first; those that were not counted last */
    uint32_t count;
} hd_recount;

/* Counts the best layouts of a ranking, SoA, tiles of a warp, and SoA of vectors with and without
 * padding, for the job's record. Of costs within half a percent that of fewer requests comes first. The cost of a
 * layout is corrected by what the counts say of its transactions, compared with those of `model`.
 * Where nvcc is installed a CUDA file is counted as nvcc compiles it,
 * too, in all these layouts, and its transactions correct the cost. A job of more than four times the limit of options, in accesses of lanes, is not counted. Only
 * HD_ESYSTEM is returned as an error. */
hd_status advise_recount(hd_arena *arena, const hd_job *job, const hd_device *device,
                         hd_cost_model *model, const hd_search_result *ranking,
                         const hd_evidence_options *options, hd_recount *recount);
/* Those that gain by what was counted. */
const hd_search_result *advise_recounted_ranking(hd_arena *arena, const hd_recount *recount);

/* What accesses to the record move in `layout`, if that was counted: of all that the kernels request the
 * rest, which goes elsewhere, is as in the original, of which `before` is. */
void advise_recounted_movement(const hd_recount *recount, const hd_layout *layout,
                               const hd_movement *before, hd_movement *after);

#endif
