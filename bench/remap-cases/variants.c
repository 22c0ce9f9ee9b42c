/* Jobs in this folder, with options for their kernels. */
#include "remap-cases/variants.h"

#define KMEANS "bench/remap-cases/kmeans.yaml"
#define NW "bench/remap-cases/nw-cells.yaml"
#define NN "bench/remap-cases/nn-fields.yaml"
#define SPMV "remap/examples/spmv/remapped.yaml"
#define SAME(job) {job, job}
#define OPTIONS(text) {text, text " -DREMAPPED"}

const variant variants[VARIANTS] = {
    {"k-means", "8 features", SAME(KMEANS), OPTIONS("-DFEATURES=8"), NULL},
    {"k-means", "32 features", SAME(KMEANS), OPTIONS("-DFEATURES=32"), NULL},
    {"k-means", "34 features", SAME(KMEANS), OPTIONS("-DFEATURES=34"), NULL},
    {"k-means", "centroids not counted", SAME(KMEANS), OPTIONS(""), "centroids"},
    {"NW", "a work-item for each cell", SAME(NW), OPTIONS(""), NULL},
    {"NW", "the same, similarities stay in rows", SAME(NW), OPTIONS("-DSIMILARITY_IN_ROWS"), NULL},
    {"SpMV", "a vector of 65536", {"bench/remap-cases/spmv.yaml", SPMV}, OPTIONS(""), NULL},
    {"NN", "4 fields", SAME(NN), OPTIONS("-DFIELDS=4 -DUSED=4"), NULL},
    {"NN", "7 fields", SAME(NN), OPTIONS("-DFIELDS=7 -DUSED=7"), NULL},
    {"NN", "2 of 8 fields", SAME(NN), OPTIONS("-DFIELDS=8 -DUSED=2"), NULL},
    {"NN", "what is looked for in memory", SAME(NN),
     OPTIONS("-DFIELDS=8 -DUSED=8 -DTARGET_IN_MEMORY"), NULL},
};

hd_status read_variant(hd_arena *arena, const hd_diag *diag, const variant *v, version which,
                       hd_job **job) {
    const char *path = hd_format(arena, "%s/%s", HEDDLE_SOURCE, v->jobs[which]);
    hd_status status = hd_job_read(arena, diag, path, job);
    if (status == HD_OK)
        (*job)->options =
            hd_format(arena, "-I%s/remap/include %s", HEDDLE_SOURCE, v->options[which]);
    return status;
}
