/*
 * What layouts are selected by, for one device: its profile, which gives epsilon, and the tree of
 * tiles; and the layouts of a job that the table compares.
 */
#ifndef HD_BENCH_TABLE2_SELECTION_H
#define HD_BENCH_TABLE2_SELECTION_H

#include "advise/advise.h"

/* How much is measured. */
typedef struct table_effort {
    double budget;     /* seconds for our choice */
    double seconds;    /* of turns for the comparison, at least */
    uint32_t rounds;   /* at least */
    bool train_a_part; /* few of the training kernels */
} table_effort;

typedef struct table_selection {
    hd_compute_device device;
    const hd_device *profile;
    hd_database *database; /* may be NULL */
    const hd_tile_steps *tree;
    const char *date; /* when the tree was learned */
} table_selection;

/* The profile: `host` for a processor, else that of devices/ whose title names the device. The
 * tree: the database's, or from a training now. */
hd_status select_for_device(hd_arena *arena, const hd_diag *diag, const hd_compute_device *device,
                            hd_database *database, const table_effort *effort,
                            table_selection *result);

typedef enum version {
    VERSION_AOS,
    VERSION_SOA,
    VERSION_CLUSTERS, /* the graph's clusters, each AoS */
    VERSION_TILE,     /* the whole record, with the tile that the tree gives */
    VERSION_BOTH,     /* the clusters, each with its tile: what the document's method selects */
    VERSION_OURS,     /* what wins the race of `heddle advise --budget`, else the original */
    VERSIONS
} version;
extern const char *const version_names[VERSIONS];

/* All but VERSION_OURS, from the graph and the tree (NULL: without VERSION_TILE and
 * VERSION_BOTH, which are NULL then). */
hd_status select_layouts(hd_arena *arena, const hd_diag *diag, const hd_job *job, uint64_t epsilon,
                         const hd_tile_steps *tree, const hd_layout *layouts[VERSIONS]);
/* VERSION_OURS. */
hd_status select_ours(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                      const table_selection *selection, double budget, const hd_layout **layout);

#endif
