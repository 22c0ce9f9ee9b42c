/*
 * What of other people's interfaces Heddle has: instructions and calls, each exact, approximate, or
 * refused. Made from the tables by which they are run.
 */
#ifndef HD_FEATURE_H
#define HD_FEATURE_H

#include "base/base.h"

typedef enum hd_fidelity {
    HD_IS_EXACT,       /* the results that the standard, or a GPU, fixes */
    HD_IS_APPROXIMATE, /* not to the last bit, or without an effect that is not modelled */
    HD_IS_REFUSED      /* told as an error where it is met */
} hd_fidelity;

typedef struct hd_feature {
    const char *group; /* "PTX: floats", "CUDA runtime" */
    const char *name;  /* "add.cc", "cudaMalloc" */
    hd_fidelity fidelity;
    const char *how; /* what differs, and by how much; why; "the same as cudaMalloc"; or NULL */
} hd_feature;

typedef hd_vec(hd_feature) hd_features;

/* "exact". */
const char *hd_fidelity_name(hd_fidelity fidelity);

#endif
