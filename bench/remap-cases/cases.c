/* Jobs of remap/examples at the sizes of table 2. */
#include "remap-cases/cases.h"

#include <stdlib.h>

#include "../../remap/examples/kmeans/reference.h"
#include "../../remap/examples/nn/reference.h"
#include "../../remap/examples/spmv/reference.h"
#include "heddle/remap.h"

enum { TILE = 16 }; /* of nw/plain.cl */

/* ---- changing a job ---------------------------------------------------------------- */

static void set_count(hd_job *job, const char *buffer, uint64_t count) {
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (!strcmp(job->buffers[b].name, buffer))
            job->buffers[b].count = count;
}

static void set_value(hd_arena *arena, hd_launch *launch, const char *name, uint64_t value) {
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (!strcmp(launch->args[a].name, name))
            launch->args[a].value_text = hd_format(arena, "%llu", (unsigned long long)value);
}

/* One work-item for each of `count` things. */
static void set_launch(hd_arena *arena, hd_job *job, const char *argument, uint64_t count) {
    job->launches[0].global[0] = count;
    set_value(arena, &job->launches[0], argument, count);
}

/* ---- k-means, sparse matrix-vector product ------------------------------------------- */

static hd_status fit_kmeans(hd_arena *arena, const hd_diag *diag, hd_job *job, version v,
                            uint64_t points, const char *scratch) {
    (void)diag, (void)v, (void)scratch;
    set_count(job, "features", points * FEATURES);
    set_count(job, "membership", points);
    set_launch(arena, job, "points", points);
    return HD_OK;
}

/* The columns of the elements are whole numbers below that of rows. */
static hd_status fit_spmv(hd_arena *arena, const hd_diag *diag, hd_job *job, version v,
                          uint64_t elements, const char *scratch) {
    uint64_t rows = elements / SPMV_ROW;
    (void)diag, (void)scratch;
    set_count(job, "data", elements);
    set_count(job, "vector", v == PLAIN ? rows : elements);
    set_count(job, "column", elements);
    set_count(job, "products", elements);
    set_launch(arena, job, "count", elements);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (!strcmp(job->buffers[b].name, "column"))
            job->buffers[b].inits[0].high = (double)(rows - 1);
    return HD_OK;
}

/* ---- Needleman-Wunsch ------------------------------------------------------------------ */

/* The job has the longest diagonal of tiles; here it gets all of them, as nw/plain.c does. */
static void add_diagonals(hd_arena *arena, hd_job *job, uint64_t tiles) {
    const hd_launch longest = job->launches[0];
    job->launch_count = (uint32_t)(2 * tiles - 1);
    job->launches = hd_new_array(arena, hd_launch, job->launch_count);
    for (uint32_t d = 0; d < job->launch_count; d++) {
        uint64_t first = d < tiles ? 0 : d - tiles + 1, last = d < tiles ? d : tiles - 1;
        hd_launch *launch = &job->launches[d];
        *launch = longest;
        launch->args = hd_new_array(arena, hd_arg, longest.arg_count);
        memcpy(launch->args, longest.args, longest.arg_count * sizeof *longest.args);
        launch->global[0] = (last - first + 1) * TILE;
        set_value(arena, launch, "first_column", first);
        set_value(arena, launch, "diagonal", d);
    }
}

static hd_status fit_nw(hd_arena *arena, const hd_diag *diag, hd_job *job, version v, uint64_t size,
                        const char *scratch) {
    uint64_t side = size + 1, places = v == PLAIN ? side * side : (2 * side - 1) * side;
    (void)diag, (void)scratch;
    set_count(job, "scores", places);
    set_count(job, "similarity", places);
    set_value(arena, &job->launches[0], "side", side);
    add_diagonals(arena, job, size / TILE);
    return HD_OK;
}

/* ---- nearest neighbour ------------------------------------------------------------------ */

static const hd_remap_field fields[] = {
    HD_REMAP_FIELD(weather, latitude), HD_REMAP_FIELD(weather, longitude),
    HD_REMAP_FIELD(weather, height),   HD_REMAP_FIELD(weather, temperature),
    HD_REMAP_FIELD(weather, pressure), HD_REMAP_FIELD(weather, humidity),
    HD_REMAP_FIELD(weather, wind),     HD_REMAP_FIELD(weather, rain)};
static const hd_remap_record record = HD_REMAP_RECORD(weather, fields);

/* The host program puts the text of the layout before the kernel's; so does this file. */
static hd_status write_kernel(hd_arena *arena, const hd_diag *diag, const hd_remap *map,
                              hd_job *job, const char *scratch) {
    char *layout, *kernel;
    size_t length;
    const char *path = hd_format(arena, "%s/remapped.cl", scratch);
    const char *source = hd_format(arena, "%s/remap/examples/nn/remapped.cl", HEDDLE_SOURCE);
    hd_status status = hd_read_file(arena, diag, source, &kernel, &length);
    if (status == HD_OK)
        status = hd_remap_source(diag, map, "record", &layout);
    if (status != HD_OK)
        return status;
    const char *text = hd_format(arena, "%s%s", layout, kernel);
    free(layout);
    job->kernel_path = path;
    return hd_write_file(diag, path, text, strlen(text));
}

/* The remapped records are bytes to the kernel. */
static hd_status remap_nn(hd_arena *arena, const hd_diag *diag, hd_job *job, uint64_t count,
                          const char *scratch) {
    hd_remap *map;
    hd_status status = hd_remap_layout(diag, &record, "soa", count, &map);
    if (status != HD_OK)
        return status;
    status = write_kernel(arena, diag, map, job, scratch);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (!strcmp(job->buffers[b].name, "records")) {
            job->buffers[b].type = "uchar";
            job->buffers[b].count = hd_remap_bytes(map, 0);
            job->buffers[b].init_count = 0;
        }
    hd_remap_free(map);
    return status;
}

static hd_status fit_nn(hd_arena *arena, const hd_diag *diag, hd_job *job, version v,
                        uint64_t count, const char *scratch) {
    set_count(job, "records", count);
    set_count(job, "distance", count);
    set_launch(arena, job, "count", count);
    return v == PLAIN ? HD_OK : remap_nn(arena, diag, job, count, scratch);
}

/* ---- the cases ----------------------------------------------------------------------------- */

#define ELEMENTS {"64 k", "128 k", "256 k"}, {65536, 131072, 262144}
#define LETTERS {"2048", "3072", "4096"}, {2048, 3072, 4096}

const remap_case remap_cases[CASES] = {
    {"k-means",
     "kmeans",
     ELEMENTS,
     {{289600, 68224}, {590784, 133824}, {1193152, 267648}},
     fit_kmeans},
    {"NW", "nw", LETTERS, {{1536, 325}, {2432, 497}, {3200, 625}}, fit_nw},
    {"SpMV", "spmv", ELEMENTS, {{9042, 2496}, {19084, 4896}, {35846, 9792}}, fit_spmv},
    {"NN", "nn", ELEMENTS, {{188032, 60800}, {376064, 124132}, {744896, 250496}}, fit_nn},
};

hd_status read_case(hd_arena *arena, const hd_diag *diag, const remap_case *c, version v,
                    uint64_t size, const char *scratch, hd_job **job) {
    bool made = c->fit == fit_nn; /* its remapped kernel */
    const char *path = hd_format(arena, "%s/remap/examples/%s/%s.yaml", HEDDLE_SOURCE, c->folder,
                                 v == PLAIN || made ? "plain" : "remapped");
    hd_status status = hd_job_read(arena, diag, path, job);
    if (status != HD_OK)
        return status;
    (*job)->options = hd_format(arena, "-I%s/remap/include", HEDDLE_SOURCE);
    return c->fit(arena, diag, *job, v, size, scratch);
}
