/*
 * What the reading of a job file is made of: the text of its entries as libcyaml loads them,
 * and the reading of names and numbers. Private to this folder.
 */
#ifndef HD_JOB_READER_H
#define HD_JOB_READER_H

#include "job/job.h"
#include "job/yaml.h"

/* ---- entries as text --------------------------------------------------------- */

typedef struct raw_graph {
    char *name, *file, *generator, *nodes, *edges, *seed;
} raw_graph;

typedef struct raw_init {
    char *field, *generator, *low, *high, *step, *seed, *graph, *part;
} raw_init;

typedef struct raw_buffer {
    char *name, *type, *count, *file;
    raw_init *init;
    uint32_t init_count;
} raw_buffer;

typedef struct raw_arg {
    char *name, *buffer, *value, *local, *level;
} raw_arg;

typedef struct raw_launch {
    char *kernel, *repeat, *shared, *for_levels, *first_level, *last_level;
    char **global, **local, **offset, **blocks, **threads;
    uint32_t global_count, local_count, offset_count, blocks_count, threads_count;
    raw_arg *args;
    uint32_t args_count;
} raw_launch;

typedef struct raw_arrays {
    char *record, **fields;
    uint32_t fields_count;
} raw_arrays;

typedef struct raw_tolerance {
    char *relative, *absolute;
} raw_tolerance;

typedef struct raw_job {
    char *kernel, *options, *record, **split;
    raw_arrays *arrays;
    raw_graph *graphs;
    raw_buffer *buffers;
    raw_launch *launches;
    uint32_t split_count, arrays_count, graphs_count, buffers_count, launches_count;
    raw_tolerance *tolerance;
} raw_job;

/* ---- job.c: values --------------------------------------------------------------- */

/* What every step of reading needs. The path of the entry at hand ("launches[0]")
 * goes beside it. */
typedef struct reader {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_yaml_file *file;
    hd_job *job;
} reader;

#define FAIL(r, at, ...) hd_reader_fail((r), (at), hd_format((r)->arena, __VA_ARGS__))
hd_status hd_reader_fail(const reader *r, const char *path, const char *text);
/* "launches[0]" and "args" as "launches[0].args". */
const char *hd_reader_key(const reader *r, const char *path, const char *key);
/* A whole number from `least`; text NULL leaves *number alone. */
hd_status hd_reader_count(const reader *r, const char *path, const char *name, const char *text,
                          uint64_t least, uint64_t *number);
/* An error when the text is empty. */
hd_status hd_reader_name(const reader *r, const char *path, const char *key, const char *text);
/* The graph of this name; an error at `path` when there is none. */
hd_status hd_reader_graph(const reader *r, const char *path, const char *name,
                          hd_job_graph **graph);

/* ---- launches.c ------------------------------------------------------------------ */

hd_status hd_reader_launches(const reader *r, const raw_job *raw);

#endif
