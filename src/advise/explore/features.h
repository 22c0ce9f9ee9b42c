/*
 * What a kernel is like, as counted in a run on the machine: of a user's job and of a micro-kernel
 * with the same ruler. Features say nothing of layout and placement: lanes count by the elements and
 * fields that they touch, wherever these lie.
 */
#ifndef HD_FEATURES_H
#define HD_FEATURES_H

#include "device/device.h"
#include "job/job.h"

typedef enum hd_feature_id {
    HD_FEATURE_DIVERGENCE, /* segments of a request by the least possible, were each field alone */
    HD_FEATURE_SPARSITY, /* elements from an active lane to the next one, geometric mean; more than
                             * a page of memory apart is a page apart */
    HD_FEATURE_REGULARITY, /* share of requests that begin as far behind the one before as that did */
    HD_FEATURE_INTENSITY,   /* operations for each byte of global memory that lanes ask for */
    HD_FEATURE_GRANULARITY, /* elements of a thread: times that it touches each field in use */
    HD_FEATURE_USED,        /* share of the record's bytes that some access touches */
    HD_FEATURE_FIELDS,      /* that some access touches, */
    HD_FEATURE_FIELD_BYTES, /* and the bytes of them that it touches */
    HD_FEATURE_READS,       /* share of the bytes asked for that are read */
    HD_FEATURE_WORKING_SET, /* bytes in use of all elements, by the device's last cache */
    HD_FEATURE_COVERED,     /* share of the elements that there are which some access touches */
    HD_FEATURE_LANES,       /* share of a block's lanes that are active, mean of instructions */
    HD_FEATURES
} hd_feature_id;

typedef struct hd_feature {
    const char *name; /* "divergence" */
    double doublings; /* of the feature that are a distance of 1 */
} hd_feature;
extern const hd_feature hd_features_all[HD_FEATURES];

/* All positive, as distances are of their logarithms. */
typedef struct hd_features {
    double value[HD_FEATURES];
} hd_features;

/* Runs each launch of the resolved job, which has a record, once, until `limit` accesses of lanes
 * were heard (0: all). HD_EINPUT: a fault, or no access reaches the record. */
hd_status hd_features_count(const hd_diag *diag, const hd_job *job, const hd_device *device,
                            uint64_t limit, hd_features *features);

/* The root of the sum of squares, of each feature log2(a / b) by its doublings. */
double hd_features_distance(const hd_features *a, const hd_features *b);

#endif
