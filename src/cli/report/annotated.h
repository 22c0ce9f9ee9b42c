/*
 * Sources with what a run moved: for each line of each file that has accesses the sums over them,
 * and the same for kernels and for fields.
 *
 *     const hd_annotated *a = hd_annotate(arena, device, table);
 *     a->files[0].lines[3].counts.moved.transactions
 */
#ifndef HD_ANNOTATED_H
#define HD_ANNOTATED_H

#include "analysis/access_table.h"

/* What was counted: of a line, a file, a kernel, what accesses lead to, or all. */
typedef struct hd_annotated_sum {
    const char *name;        /* of a kernel, "attract"; "body.x"; "out"; of a line or file NULL */
    hd_launch_counts counts; /* as hd_access_row_moved() */
    hd_cache_sum cached;
} hd_annotated_sum;
typedef hd_vec(hd_annotated_sum) hd_annotated_sums;

/* A line that has accesses. */
typedef struct hd_annotated_line {
    uint32_t number;  /* from 1; 0: the place is not known */
    const char *text; /* NULL: the source is not there */
    hd_vec(const hd_access_row *) accesses;
    hd_annotated_sum sum;
} hd_annotated_line;

typedef struct hd_annotated_file {
    const char *path;                /* NULL: not known */
    const char *text;                /* NULL: not there, or nothing to be shown */
    hd_vec(hd_annotated_line) lines; /* ascending */
    hd_annotated_sum sum;
} hd_annotated_file;

typedef struct hd_annotated {
    const hd_device *device;
    bool has_caches; /* they were simulated; else `cached` is all zero */
    hd_vec(hd_annotated_file) files;
    hd_annotated_sums kernels, targets; /* in the order of the table */
    hd_annotated_sum total;
} hd_annotated;

/* Sums of a table's rows, counted for `device`, perhaps with its caches. The result points into the
 * table. */
hd_annotated *hd_annotate(hd_arena *arena, const hd_device *device, const hd_access_table *table,
                          bool has_caches);

/* What lines are ordered by, the heaviest first: where caches were simulated the dynamic cost, what
 * other analyses weigh counting like transactions that L1 serves; else all weights. */
double hd_annotated_weight(const hd_annotated *annotated, const hd_annotated_sum *sum);

/* The context of both is the hd_annotated. */
extern const hd_member hd_annotated_members[];      /* hd_annotated: files, kernels and targets */
extern const hd_member hd_annotated_file_members[]; /* hd_annotated_file */

extern const hd_member hd_annotated_cache_members[]; /* hd_cache_sum */
extern const hd_member hd_cache_count_members[];     /* hd_cache_counts: sectors to bytes */

/* Source files, each read once. */
typedef struct hd_source_file {
    const char *path, *text;
} hd_source_file;
typedef hd_vec(hd_source_file) hd_source_files;
/* The text of a file; NULL: not there, or nothing to be shown. A trace may name any file: only what
 * looks like source, and is a plain file, is read. */
const char *hd_source_text(hd_arena *arena, hd_source_files *files, const char *path);

#endif
