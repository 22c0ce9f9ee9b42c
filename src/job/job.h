/*
 * Jobs: what to run. docs/job.md describes the files and has examples, docs/graphs.md those with
 * graphs, which fill buffers and launch a kernel once for each of their levels.
 *
 *     hd_job *job;
 *     status = hd_job_read(arena, diag, "nbody.yaml", &job);
 *     status = hd_job_resolve(arena, diag, job, module);       ties it to compiled kernels
 *     hd_kernel_info *info = hd_job_analyse(arena, job, &job->launches[0]);
 */
#ifndef HD_JOB_H
#define HD_JOB_H

#include <signal.h>
#include <string.h>

#include "driver/placement.h"
#include "job/graph.h"
#include "kernel/host_code.h"
#include "kernel/kernel.h"

typedef enum hd_generator {
    HD_GEN_ZERO,
    HD_GEN_CONSTANT,    /* `low` */
    HD_GEN_UNIFORM,     /* low ≤ v < high (integers: ≤ high); from `seed` */
    HD_GEN_IOTA,        /* low + step * i */
    HD_GEN_MODULO,      /* i mod (integer) high, plus low */
    HD_GEN_PERMUTATION, /* of 0..count-1; from `seed` */
    HD_GEN_GRAPH        /* a `part` of a `graph` */
} hd_generator;

typedef struct hd_job_graph {
    const char *name;
    hd_graph *graph;
    hd_levels *levels; /* NULL until a launch asks for them */
    hd_place place;
} hd_job_graph;

/* Whether what an entry says of guesses names this. */
static inline bool hd_is_guess(const char *guess, const char *word) {
    return guess && strstr(guess, word);
}

typedef struct hd_init {
    const char *field; /* dotted path of a field ("pos.x", "d[1]"); NULL: the whole element */
    hd_generator generator;
    double low, high, step;
    uint64_t seed;
    bool skips_opaque; /* what has no scalar type stays as it is, and is counted all the same */
    const hd_job_graph *graph;
    hd_graph_part part;
    hd_place place; /* of the entry in the job file */
} hd_init;

typedef kir_image hd_image;

typedef struct hd_buffer {
    const char *name;
    const char *type;
    const hd_image *image; /* NULL: it is none; `type` and `count` are of its texels */
    uint64_t count;
    const char *file;  /* initial bytes, or NULL; already resolved beside the job */
    const void *bytes; /* of a job that a program made: all initial bytes; NULL: `file`, `inits` */
    uint64_t at;       /* address on the machine; 0: any */
    hd_placement placement; /* on a device */
    hd_init *inits;
    uint32_t init_count;
    hd_place place;
    const char *note;  /* of a draft: where the count comes from */
    bool is_counted;   /* of a draft: the host code says it */
    const char *guess; /* what is none of the program's: "contents", "count", "count, contents" */
    /* filled by hd_job_resolve() */
    const hd_record *record; /* or NULL for scalars and vectors */
    kir_type scalar;         /* of scalars and vectors */
    uint32_t element_bytes;
    const struct hd_job_arrays *arrays; /* that it is a field of, or NULL */
    uint32_t array_field;
} hd_buffer;

/* Buffers that are indexed alike, as the fields of one record. */
typedef struct hd_job_arrays {
    const char *name; /* of the record */
    const char *const *fields;
    uint32_t field_count;
    hd_place place;
    /* filled by hd_job_resolve() */
    uint32_t *buffers; /* [field_count]: index into job->buffers */
    hd_record *record; /* of_arrays; its fields have the buffers' names */
} hd_job_arrays;

/* A record that the kernels know nothing of, as the members of a C struct. */
typedef struct hd_job_declared {
    const char *name, *fields;
    /* What a kernel multiplies the number of a field by in v[i + k * n]: "n", "nx*ny", "4096"; NULL:
     * elements lie one after another. */
    const char *stride;
    hd_place place;
    hd_record *record; /* by_job; filled by hd_job_resolve() */
} hd_job_declared;

/* Where a copy of a source comes from: what is told of the copy stands there, too, line by line. */
typedef struct hd_job_origin {
    const char *copy, *from; /* resolved beside the job */
} hd_job_origin;

/* A text of the job file, where it stands. */
typedef struct hd_job_text {
    const char *text; /* NULL: it is not there */
    hd_place place;
} hd_job_text;

/* An entry of `indices`: which whole numbers are those of elements (numbering.h). */
typedef struct hd_job_indices {
    hd_job_text from, argument, end, length, rows;
    hd_job_text *to, *points, *none;
    uint32_t to_count, point_count, none_count;
    hd_place place;
} hd_job_indices;

/* A scalar in an element of a buffer, which is read while the job runs. */
typedef struct hd_spot {
    const char *buffer_name, *field;
    uint64_t element;
    hd_place place;
    /* filled by hd_job_resolve() */
    uint32_t buffer, offset; /* bytes from the start of the buffer to it, less those of elements */
    kir_type type;           /* one lane */
    bool is_signed;
} hd_spot;

typedef enum hd_arg_kind { HD_ARG_BUFFER, HD_ARG_VALUE, HD_ARG_LOCAL } hd_arg_kind;

typedef struct hd_arg {
    const char *name;
    hd_arg_kind kind;
    const char *buffer_name;
    uint64_t offset;        /* bytes of the buffer before the place that the argument points to */
    const char *value_text; /* as written; a vector as "1, 2, 3, 4" */
    const char *bytes_text; /* the argument itself, two hexadecimal digits for each byte, or NULL */
    uint64_t local_bytes;
    const char *round_text; /* of a draft: "round: 0, step: 2", as the launch is in a group */
    const hd_spot *from;    /* of a value that is read when the launch is to run; NULL: it stays */
    const char *guess;      /* "value" where it is one; else NULL */
    bool is_sampler;        /* `value_text` is its number */
    bool is_derived;        /* of an image: "photo.width", which hd_job_resolve() has added */
    hd_place place;
    const char *note; /* of a draft: NULL: as the host code has it */
    /* filled by hd_job_resolve() */
    uint32_t param;    /* index of the kernel's parameter; KIR_NONE: it is a variable */
    uint32_t variable; /* then: index of the kernel's static (__device__, __constant__) */
    uint32_t buffer;   /* index into job->buffers */
    uint8_t *value;    /* bytes of the scalar, vector or struct, as the device takes them */
    uint32_t value_bytes;
    kir_type type; /* where the value is read */
} hd_arg;

typedef enum hd_held_kind {
    HD_HELD_FILE, /* the bytes of a file */
    HD_HELD_COPY, /* those of another buffer */
    HD_HELD_FILL, /* `value` in every scalar */
    HD_HELD_SET   /* `value` in element `element`, or in its `field` */
} hd_held_kind;

/* What a buffer, or an element of one, holds before a launch or after it. */
typedef struct hd_held {
    hd_held_kind kind;
    const char *buffer_name, *file; /* the file with its bytes, already resolved beside the job */
    const char *from_name, *value_text, *field;
    uint64_t element;
    hd_place place;
    /* filled by hd_job_resolve() */
    uint32_t buffer, from; /* index into job->buffers */
} hd_held;

/* When the rounds of a group of launches end: the element, or its first scalar, has this value when
 * a round is to begin. The first one runs in any case. */
typedef struct hd_until {
    hd_spot spot;
    const char *value_text;
    uint32_t number;  /* of the group in the job */
    uint8_t value[8]; /* filled by hd_job_resolve() */
} hd_until;

typedef struct hd_launch {
    const char *kernel_name;
    uint32_t dims;
    uint64_t global[3], local[3], offset[3]; /* global is a multiple of local */
    uint64_t shared;                         /* bytes of CUDA's dynamic shared memory */
    bool cooperative;                        /* blocks may wait for each other */
    uint32_t cluster[3];                     /* blocks of a cluster; 0: there are none */
    uint64_t repeat;                         /* times this launch is run in a row */
    hd_arg *args;
    uint32_t arg_count;
    hd_held *before; /* what is written into buffers before the launch runs */
    hd_held *after;  /* all buffers that it changes, and what they should hold when it has run */
    uint32_t before_count, after_count;
    bool after_given;      /* false: nothing is known of what it changes */
    bool local_given;      /* false: `local` was chosen, and follows reqd_work_group_size */
    bool shared_given;     /* false: `shared` is 0 for want of a number */
    const hd_until *until; /* NULL: it runs in any case */
    /* Of the work-items in the first dimension as many as it says, times `items_each`, rounded up to
     * whole groups; `global` says the most. NULL: `global` itself. */
    const hd_spot *items_from;
    uint64_t items_each;
    bool begins_round;                  /* of the group of `until`, a second one or later */
    bool in_blocks;                     /* of a job file: its size is given as blocks of threads */
    const struct hd_size_key *size_key; /* the key that tells; NULL: none does */
    hd_place size_place;                /* of that key */
    const char *guess;                  /* "sizes" where they are one; else NULL */
    hd_place place;
    const char *note;         /* of a draft: where the launch comes from */
    const kir_kernel *kernel; /* filled by hd_job_resolve() */
} hd_launch;

/* Of a draft: a group around launches, for a loop of the host code. */
typedef struct hd_draft_group {
    int32_t outer; /* index, or -1 */
    uint64_t repeat;
    const hd_until *until; /* or NULL */
    const char *note;
} hd_draft_group;

/* What a draft prints in a row: a launch, or what is written between launches. */
typedef struct hd_draft_entry {
    uint32_t launch; /* index; KIR_NONE: `held` */
    hd_held held;
    int32_t group; /* index of the innermost, or -1 */
    const char *note;
} hd_draft_entry;

typedef struct hd_job {
    const char *path;        /* of the job file; NULL for one made from flags */
    const char *kernel_path; /* resolved beside the job */
    const char *options;
    /* Of a recording: the files that the kernels' is a copy of, or stands beside in the program, whole
     * paths, the copied one first; and the program with its arguments, as words. */
    const char *const *sources;
    uint32_t source_count;
    const char *program;
    const char *record_name;  /* may be NULL: then the only record that buffers hold */
    const char *const *split; /* fields of the record that are taken apart (layout.h) */
    uint32_t split_count;
    hd_place split_place;
    hd_job_arrays *arrays;
    uint32_t arrays_count;
    hd_job_declared *declared;
    uint32_t declared_count;
    hd_job_graph *graphs;
    uint32_t graph_count;
    hd_job_indices *indices;
    uint32_t indices_count;
    hd_job_origin *origins;
    uint32_t origin_count;
    hd_buffer *buffers;
    uint32_t buffer_count;
    hd_launch *launches;
    uint32_t launch_count;
    hd_draft_entry *entries; /* of a draft, else NULL */
    uint32_t entry_count;
    hd_draft_group *groups;
    uint32_t group_count;
    hd_held *last; /* what is written when all launches have run */
    uint32_t last_count, until_count;
    double relative, absolute; /* tolerance; both 0: bit for bit */
    hd_place record_place;     /* of the `record` key, or of the job */
    hd_place options_place;    /* of the `options` key, or of the job */
    hd_place kernel_place;     /* of the `kernel` key */
    /* filled by hd_job_resolve() */
    const kir_module *module;
    const hd_record *record;     /* the record to lay out, or NULL when there is none; taken apart
                              * where `split` says so: hd_record_declared() is the buffers' */
    const hd_record *several[2]; /* two of several that the buffers hold, when the job does not
                                  * say which is laid out: `record` is NULL then */
    /* Other records of its buffers that are laid out already, for whoever simulates its memory. */
    const hd_record_layout *laid;
    uint32_t laid_count;
    const struct hd_numberings *numberings; /* of `indices` (numbering.h); NULL: there are none */
} hd_job;

/* job.c: reads a job file. Unknown keys, wrong types and bad values are located errors. */
hd_status hd_job_read(hd_arena *arena, const hd_diag *diag, const char *path, hd_job **job);

/* options.c: an error when the job's compiler options are more than macros, headers and how
 * source is compiled: what a job from anybody may say. */
hd_status hd_job_check_options(hd_arena *arena, const hd_diag *diag, const hd_job *job);
/* Folders and headers that the options name are seen from the job's folder; of hd_job_read(). */
void hd_job_place_options(hd_arena *arena, hd_job *job);

/* Flags of the command line for a kernel without a job. Zero and NULL: default. */
typedef struct hd_job_flags {
    const char *kernel_path, *options, *entry;
    const char *record; /* its name; with record_of the members of a struct, "float x, y; int id" */
    const char *record_of; /* the parameter whose buffer holds that record; NULL: it has a name */
    uint32_t dims;
    uint64_t global[3], local[3];
    uint64_t count;           /* elements of every buffer; default: the global size */
    const char *const *split; /* fields of the record that are taken apart */
    uint32_t split_count;
    const char *const *values; /* "name=value" of scalar arguments; others get `count` if
                                * integer, else 1 */
    uint32_t value_count;
} hd_job_flags;
/* Makes and resolves a job for one kernel file from flags: default global size 65536, local 256. */
hd_status hd_job_from_flags(hd_arena *arena, const hd_diag *diag, const hd_job_flags *flags,
                            const kir_module *module, hd_job **job);

/* draft.c: a job for all kernels of a file: launches as the host code has them, and guesses for
 * what that does not say, each with a note that says so. A kernel that no job can launch is left
 * out, with a warning. Not resolved. */
hd_status hd_job_draft(hd_arena *arena, const hd_diag *diag, const hd_job_flags *flags,
                       const kir_module *module, const hd_host *host, hd_job **job);
/* found.c: declares records for buffers of numbers that all kernels index as such, v[i + k * n] or
 * v[5 * i + k], in a resolved job from flags or a draft without any record, and chooses one. It is
 * resolved anew then. */
void hd_job_find_records(hd_arena *arena, hd_job *job);
/* The resolved job with the buffers of its record and those that are indexed alike as one record of
 * arrays, to be resolved; false: there are none. */
bool hd_job_join(hd_arena *arena, const hd_job *job, hd_job *joined);
/* The declaration that would make a record of buffers of a resolved job, as a job file has it; NULL:
 * none fits. */
const char *hd_job_suggest(hd_arena *arena, const hd_job *job);
/* print.c: a draft as the text of a job file, with its notes as comments; `kernel_path` as the job
 * file names it. */
void hd_job_print(hd_str *out, const hd_job *job, const kir_module *module,
                  const char *kernel_path);

/* The file that a rewritten one takes the place of. */
static inline const char *hd_job_source(const hd_job *job) {
    return job->source_count ? job->sources[0] : job->kernel_path;
}

/* images.c */
kir_image_shape hd_image_shape(const hd_image *image);
/* "a 2-D image with layers" */
const char *hd_image_name(hd_arena *arena, kir_image_shape shape);
/* As a job file has it, between braces. */
const char *hd_sampler_text(hd_arena *arena, uint32_t bits);
/* Compiler options for the front end: these, the job's or others, and what its launches tell of images
 * and samplers, so that kernels are compiled for these. */
const char *hd_job_front_options(hd_arena *arena, const hd_job *job, const char *options);

/* records.c: the records of a resolved job that can be laid out, which are more than one where
 * job->several says so. */
const hd_record **hd_job_records(hd_arena *arena, const hd_job *job, uint32_t *count);
/* The job with one of them as its record. */
hd_status hd_job_of_record(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                           const hd_record *record, hd_job **one);

/* Ties names to the compiled kernels: parameters, buffers, records, values.
 * Every mismatch is an error located in the job file. */
hd_status hd_job_resolve(hd_arena *arena, const hd_diag *diag, hd_job *job,
                         const kir_module *module);

/* resolve.c: what a launch's `value` says of an argument with these bytes; NULL where numbers do not
 * say it: pointers, what is too large. */
const char *hd_job_value_text(hd_arena *arena, const kir_module *module, const kir_kernel *kernel,
                              uint32_t param, const void *bytes);

/* resolve.c: an error when the job says something that only the machine can do: buffers at fixed
 * addresses, contents of files between launches, arguments by their bytes. `what` can't do it:
 * "measuring". */
hd_status hd_job_check_portable(const hd_diag *diag, const hd_job *job, const char *what);

/* records.c: an error when there is no record to lay out, or several and no choice. */
hd_status hd_job_require_record(const hd_diag *diag, const hd_job *job);

/* An error when the launch has more work-items than any device runs. */
hd_status hd_launch_check_size(const hd_diag *diag, const hd_launch *launch);

/* ---- spot.c: what is read while the job runs ------------------------------------------------- */

/* Copies the scalar's bytes. */
typedef struct hd_spot_reader {
    hd_status (*read)(void *self, const hd_spot *spot, void *bytes);
    void *self;
} hd_spot_reader;

uint64_t hd_spot_byte(const hd_job *job, const hd_spot *spot); /* of its buffer */
static inline bool hd_launch_reads(const hd_launch *launch) {
    bool reads = launch->items_from;
    for (uint32_t a = 0; a < launch->arg_count; a++)
        reads = reads || launch->args[a].from;
    return reads;
}
/* The launch as it is now: `items_from` and `from` are read and NULL. A size of 0: it does not run. An
 * error when a size is more than its `global`, or a value does not fit. */
hd_status hd_launch_now(hd_arena *arena, const hd_diag *diag, const hd_launch *launch,
                        const hd_spot_reader *reader, hd_launch *now);

/* Whether the launch is not to run, since its `until` has come. At the first launch of a round the value
 * is read, and over[until->number], [job->until_count] and false at first, says whether it is there. */
hd_status hd_launch_is_over(const hd_launch *launch, const hd_spot_reader *reader, bool *over,
                            bool *is_over);

/* accesses.c: what can be known of a launch's kernel. Its accesses stand in terms of the
 * records that are laid out: `record` and `field` of one that reaches job->record are those
 * of the record taken apart, or of the record of arrays that its buffer is a field of. An
 * access that may reach several parts (d[k] with a variable k) becomes one for each of them
 * (hd_access.shares). */
hd_kernel_info *hd_job_analyse(hd_arena *arena, const hd_job *job, const hd_launch *launch);
/* The record of arrays that a buffer of the job is a field of, or NULL. */
const hd_job_arrays *hd_job_arrays_of(const hd_job *job, uint32_t buffer, uint32_t *field);

/* Which buffers kernels may write: [job->buffer_count]. */
bool *hd_job_written(hd_arena *arena, const hd_job *job);
/* Whether the buffer holds job->record, or is one of the arrays that it is made of. */
bool hd_job_is_of_record(const hd_job *job, uint32_t buffer);

/* Where the buffers of job->record lie: "device", or "device, host" where they lie in several
 * placements. */
const char *hd_job_placement(hd_arena *arena, const hd_job *job);

/* binding.c: what is known of a launch, for the analyses. */
hd_binding hd_job_binding(hd_arena *arena, const hd_job *job, const hd_launch *launch);
/* The record that the job declares of what this argument points to, or NULL. */
const hd_record *hd_job_declared_of(const hd_job *job, const hd_arg *arg);

/* declare.c: makes the record that the fields are, which no kernel need be known for. */
hd_status hd_job_declare(hd_arena *arena, const hd_diag *diag, hd_job_declared *declared);

/* index_contents.c: gives buffers of a resolved job whose made-up contents index others numbers over
 * the whole range of these, at random or (`is_near`) one after another; false: there are none. */
bool hd_job_fill_indices(hd_arena *arena, hd_job *job, bool is_near);
/* The buffer's contents are made up so. */
bool hd_job_has_made_up_indices(const hd_buffer *buffer);

/* contents.c: the initial bytes of a buffer, count * element_bytes, in C's layout. */
hd_status hd_job_contents(hd_arena *arena, const hd_diag *diag, const hd_buffer *buffer,
                          void **bytes);
/* Where a byte of an element lies in the buffer, which a record may have in columns. */
static inline uint64_t hd_buffer_byte(const hd_buffer *buffer, uint64_t element, uint64_t byte) {
    return buffer->record ? hd_record_byte(buffer->record, buffer->count, element, byte)
                          : element * buffer->element_bytes + byte;
}
/* held.c: the bytes of a file that holds just those of a buffer, plain or packed. */
hd_status hd_job_read_held(const hd_diag *diag, const hd_buffer *buffer, const char *file,
                           const hd_place *place, void *bytes);
/* The name is that of a file that zstd has packed. */
bool hd_job_is_packed(const char *file);
/* How many bytes of its buffer a copy, a fill or the setting of an element writes, from *first on.
 * Of a record in columns the scalars of an element lie apart, so it is all of them. */
uint64_t hd_held_bytes(const hd_job *job, const hd_held *held, uint64_t *first);
/* Writes it: `to` holds the bytes that hd_held_bytes() says, `from` those of held->from. */
void hd_job_apply_held(const hd_job *job, const hd_held *held, void *to, const void *from);
/* Those of all buffers of the job, in contents[job->buffer_count]. */
hd_status hd_job_all_contents(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              void **contents);
/* The same, given up half way as soon as *stop is not 0; *bytes is NULL when it never began. */
hd_status hd_job_contents_until(hd_arena *arena, const hd_diag *diag, const hd_buffer *buffer,
                                const volatile sig_atomic_t *stop, void **bytes);

/* type.c: the scalar and vector types of OpenCL C, and the values in a record. */

/* How many bytes one value takes in an array; a 3-vector takes 4 elements. */
uint32_t hd_type_stride(kir_type type);
/* The type with this name ("uint4", "const unsigned int", "float"); false when it is none. */
bool hd_type_parse(const char *name, kir_type *type, bool *is_signed);
/* A number of this type, in one lane, as text and as bytes. Floats: within `double`. */
double hd_type_get(kir_type type, bool is_signed, const void *bytes);
void hd_type_put(kir_type type, double value, void *bytes);
/* Parses one lane exactly (64-bit integers too): decimal, hex, 1e6, 0.5f, true. False when
 * the text is no number, or does not fit. */
bool hd_type_parse_value(kir_type type, bool is_signed, const char *text, void *bytes);
/* The text of one lane, in the shortest form that says the value. */
const char *hd_type_print(hd_arena *arena, kir_type type, bool is_signed, const void *bytes);

/* One scalar or vector in an element of a buffer. */
typedef struct hd_leaf {
    uint32_t offset; /* bytes from the start of the element */
    kir_type type;   /* one byte integers for what has no scalar type, such as a pointer */
    bool is_signed;
    bool opaque;     /* the type is not known: only bytes can be compared */
    bool is_pointer; /* then: a byte of a pointer */
} hd_leaf;
/* The scalars and vectors that a path names, in the order of memory; array fields and nested
 * structs are walked through. "pos" is the field with all in it, "d[1]" and "pos.x" are parts
 * of one; NULL is everything. None: nothing has this name. */
hd_leaf *hd_leaves_of_record(hd_arena *arena, const hd_record *record, const char *path,
                             uint32_t *count);
/* The same for an element of a resolved buffer. */
hd_leaf *hd_leaves_of_buffer(hd_arena *arena, const hd_buffer *buffer, const char *path,
                             uint32_t *count);
/* The path of a leaf: "pos.x", "d[1]"; "" without a record. */
const char *hd_leaf_path(hd_arena *arena, const hd_record *record, const hd_leaf *leaf);

#endif
