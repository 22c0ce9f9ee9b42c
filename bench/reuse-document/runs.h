/* The applications: traces of their runs, and analyses of these. */
#ifndef HD_BENCH_REUSE_DOCUMENT_RUNS_H
#define HD_BENCH_REUSE_DOCUMENT_RUNS_H

#include "analysis/reuse_shape.h"

/* Those of examples/ as they are there, then those of this folder. */
typedef enum application {
    VECTORADD,
    STA,
    GSIM,
    BFS,
    NBF,
    MOLDYN,
    IRREG,
    EULER,
    VECTORADD_PARAMETERS, /* vectoradd, with its parameters in memory */
    STA_ONCE,             /* sta, gsim and bfs over the whole circuit in one launch */
    GSIM_ONCE,
    BFS_ONCE,
    FIGURE_4, /* the stream of MIs of the document's figure 4 */
    APPLICATIONS
} application;

const char *name_of(application a);

/* All streams of an analysis added up. */
typedef struct sum_of {
    application a;
    hd_reuse_options options;
    hd_reuse_stream stream;
} sum_of;

typedef struct document {
    hd_arena *arena;
    const hd_diag *diag;
    char *folder;  /* of the traces */
    bool one_mesh; /* of the runs over meshes, which take by far most of the time, irreg alone */
    hd_vec(sum_of) sums; /* several tables ask for the same */
} document;

bool is_left_out(const document *d, application a);

/* Writes the traces of all applications that are not left out. What fails has said why, and ends the program. */
void open_document(document *d);
void close_document(const document *d);

/* Options that are not given are the application's. */
hd_reuse *analyse(const document *d, hd_arena *arena, application a, hd_reuse_options options);
/* All streams added up; kept in the document's arena. */
hd_reuse_stream analyse_sum(document *d, application a, hd_reuse_options options);
/* Scenario 2, blocks by kernel. */
uint32_t analyse_kernels(const document *d, hd_arena *arena, application a,
                         hd_reuse_kernel **kernels);
/* The options, with only those launches that go over the data once. */
hd_reuse_options first_pass(application a, hd_reuse_options options);

#endif
