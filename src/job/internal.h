/*
 * What the reading of a job file is made of (the nodes of its YAML, which stand for entries, and
 * the reading of names and numbers), and the tying of its names to kernels.
 */
#ifndef HD_JOB_INTERNAL_H
#define HD_JOB_INTERNAL_H

#include "base/table.h"
#include "base/yaml.h"
#include "job/job.h"

typedef unsigned long long ull; /* as printf() has it */

/* "a, b, c" of texts that lie so many bytes apart, or "none": for messages. */
const char *job_names(hd_arena *arena, const void *texts, size_t count, size_t stride);
#define JOB_NAMES(arena, rows, count, member)                                     \
    job_names((arena), (count) ? &(rows)->member : NULL, (count), sizeof *(rows))

/* ---- reading: job.c, launches.c --------------------------------------------------- */

/* What every step of reading needs. The entry at hand, a map, goes beside it. */
typedef struct reader {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_yaml_file *file;
    hd_job *job;
    hd_hash_table *graphs, *buffers; /* names and numbers of the job's */
} reader;

#define FAIL(r, at, ...) job_reader_fail((r), (at), hd_format((r)->arena, __VA_ARGS__))
hd_status job_reader_fail(const reader *r, const hd_yaml *at, const char *text);

/* What becomes of the text of a key: hd_yaml_key.as. */
typedef enum job_as {
    JOB_TEXT = 1, /* const char *, */
    JOB_NAME,     /* which is not empty, */
    JOB_PATH,     /* or is a path beside the job's */
    JOB_COUNT,    /* uint64_t from `least` on */
    JOB_REAL,     /* double */
    JOB_PLACED    /* hd_job_text */
} job_as;
/* Gives an entry the members that its keys say; what is not there stays as it is. */
hd_status job_reader_members(const reader *r, const hd_yaml *map, const hd_yaml_key *keys,
                             void *entry);
/* Makes the entries of a list, which may be NULL, each zeroed before: `entries` is a pointer to a
 * pointer to such. */
typedef hd_status job_read_entry(const reader *r, const hd_yaml *map, void *entry, uint32_t number);
hd_status job_reader_entries(const reader *r, const hd_yaml *list, job_read_entry *read,
                             size_t size, void *entries, uint32_t *count);
/* A whole number from `least`; a key that is not there leaves *number alone. */
hd_status job_reader_count(const reader *r, const hd_yaml *map, const char *key, uint64_t least,
                           uint64_t *number);
/* The same of one text. */
hd_status job_reader_whole(const reader *r, const char *key, const hd_yaml *value, uint64_t least,
                           uint64_t *number);
hd_status job_reader_check_guess(const reader *r, const hd_yaml *map, const char *word,
                                 const char *other);
/* The graph that the text of a key names; an error when there is none. */
hd_status job_reader_graph(const reader *r, const hd_yaml *map, const char *key,
                           hd_job_graph **graph);

enum { JOB_LAUNCH_KEYS = 24 };
extern const hd_yaml_key job_spot_keys[], job_arg_keys[], job_held_keys[], job_copy_keys[],
    job_fill_keys[], job_set_keys[], job_launch_keys[JOB_LAUNCH_KEYS], job_indices_keys[];

/* launches.c */
hd_status job_reader_launches(const reader *r, const hd_yaml *list);

/* images.c: `image` of a buffer, which gives it its type and count, and `sampler` of an argument. */
extern const hd_yaml_key job_image_keys[], job_sampler_keys[];
hd_status job_reader_image(const reader *r, const hd_yaml *map, hd_buffer *buffer);
hd_status job_reader_sampler(const reader *r, const hd_yaml *map, hd_arg *arg);

/* indices.c */
hd_status job_reader_indices(const reader *r, const hd_yaml *map, void *entry, uint32_t number);

/* ---- resolving --------------------------------------------------------------------- */

typedef struct resolver {
    hd_arena *arena;
    const hd_diag *diag;
    hd_job *job;
    const kir_module *module;
    hd_hash_table buffers; /* the job's: their numbers */
    const hd_arg ***first; /* [kernel][parameter]: what the first launch gives it, or NULL */
} resolver;

/* An error of the job, at the entry that is wrong. */
#define REFUSE(r, at, ...) hd_fail((r)->diag, HD_EINPUT, &(at)->place, __VA_ARGS__)

/* How a launch gives a kernel this parameter. */
/* The highest dimension whose ids the kernel asks for. */
uint32_t job_dims_of(const kir_kernel *kernel);
static inline hd_arg_kind job_arg_kind(const kir_param *param) {
    if (param->type.kind != KIR_PTR || param->by_value_struct)
        return HD_ARG_VALUE;
    return param->type.space == KIR_LOCAL ? HD_ARG_LOCAL : HD_ARG_BUFFER;
}
/* The largest power of two up to `limit`, itself one, that divides a size: for local sizes. */
static inline uint64_t job_power_dividing(uint64_t size, uint64_t limit) {
    while (size % limit)
        limit /= 2;
    return limit;
}

/* flags.c: whether "name=value" gives this parameter a value, and which of the flags does, or NULL. */
bool job_flag_is_of(const kir_param *param, const char *value);
const char *job_flag_of(const hd_job_flags *flags, const kir_param *param);

/* launches.c: an error when the launch says its size in another way than its kernel takes it. */
hd_status job_launch_check_way(const resolver *r, const hd_launch *launch);

/* ---- images.c -------------------------------------------------------------------- */

/* An error where an image or a sampler is given to what is none, or the reverse, or another image. */
hd_status job_check_object(const resolver *r, const hd_launch *launch, const hd_arg *arg,
                           const kir_param *param);
/* Adds arguments for the parameters that images give. The others are resolved. */
void job_give_images(hd_arena *arena, const hd_job *job, hd_launch *launch);

/* ---- resolve.c: names ------------------------------------------------------------ */

/* The record of the module with this name or spelling, or NULL. */
const hd_record *job_resolver_record(const resolver *r, const char *name);
/* Names, for messages. */
const char *job_resolver_records(const resolver *r);
const char *job_resolver_buffers(const resolver *r);

/* ---- parts.c --------------------------------------------------------------------- */

/* The scalars that the kernel loads of a struct by value without a record, in the order of memory;
 * its bytes where it loads none at known places. */
hd_leaf *job_leaves_of_loads(hd_arena *arena, const kir_kernel *kernel, uint32_t param,
                             uint32_t *count);
hd_leaf *job_leaves_of_bytes(hd_arena *arena, uint32_t bytes);

/* ---- declare.c ------------------------------------------------------------------- */

/* Makes the records that the job declares. */
hd_status job_resolve_declared(const resolver *r);
/* An error when an earlier launch gave this parameter another declared record. */
hd_status job_check_declared(const resolver *r, const hd_launch *launch, const hd_arg *arg);

/* ---- indices.c ------------------------------------------------------------------- */

/* Makes the numberings of `indices`. Launches are resolved. */
hd_status job_resolve_indices(const resolver *r);

/* ---- records.c ------------------------------------------------------------------- */

/* Makes the records of arrays, and finds the one to lay out. Buffers are resolved. */
hd_status job_resolve_records(const resolver *r);
/* What the first launch of its kernel gives the parameter of this argument. */
const hd_arg *job_first_arg(const resolver *r, const hd_launch *launch, const hd_arg *arg);
/* Checks what a launch, whose arguments are resolved, gives of records of arrays. */
hd_status job_resolve_array_args(const resolver *r, const hd_launch *launch);

#endif
