/*
 * What the reading of a job file is made of: the nodes of its YAML, which stand for entries,
 * and the reading of names and numbers. Private to this folder.
 */
#ifndef HD_JOB_READER_H
#define HD_JOB_READER_H

#include "base/table.h"
#include "base/yaml.h"
#include "job/job.h"

/* What every step of reading needs. The entry at hand, a map, goes beside it. */
typedef struct reader {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_yaml_file *file;
    hd_job *job;
    hd_hash_table *graphs; /* names and numbers of the job's */
} reader;

#define FAIL(r, at, ...) job_reader_fail((r), (at), hd_format((r)->arena, __VA_ARGS__))
hd_status job_reader_fail(const reader *r, const hd_yaml *at, const char *text);

/* A whole number from `least`; a key that is not there leaves *number alone. */
hd_status job_reader_count(const reader *r, const hd_yaml *map, const char *key, uint64_t least,
                           uint64_t *number);
/* The same of one text. */
hd_status job_reader_whole(const reader *r, const char *key, const hd_yaml *value, uint64_t least,
                           uint64_t *number);
/* An error when the text is empty. The key is there. */
hd_status job_reader_name(const reader *r, const hd_yaml *map, const char *key, const char **name);
/* The graph that the text of a key names; an error when there is none. */
hd_status job_reader_graph(const reader *r, const hd_yaml *map, const char *key,
                           hd_job_graph **graph);

/* launches.c */
hd_status job_reader_launches(const reader *r, const hd_yaml *list);

#endif
