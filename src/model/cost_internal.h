/*
 * The parts of the cost model, in the order data flows through them:
 *
 *   steps.c     which lanes execute an access, iteration by iteration
 *   shape.c     where the lanes of an access point: patterns × residues
 *   measured.c  the same where it was counted
 *   segments.c  how many segments that touches, and how many of them an
 *               earlier access touched
 *   stream.c    earlier accesses to the same data, and the bytes in between
 *   model.c     makes the model of a job: its uses, and the questions they leave
 *   alike.c     uses that cost alike, of which one is priced for all
 *   price.c     prices clusters and layouts
 *   bound.c     the least that a field's accesses can cost in a cluster
 *   explain.c   why an access costs what it costs
 */
#ifndef HD_COST_INTERNAL_H
#define HD_COST_INTERNAL_H

#include "base/table.h"
#include "model/cost.h"

/* ---- steps.c ------------------------------------------------------------------ */

/* One execution of an access by a warp. */
typedef struct execution {
    const uint64_t *group;    /* [3] */
    uint64_t warp, active;    /* number in the block; its lanes as bits */
    const int64_t *iteration; /* of every loop around */
} execution;
typedef void execution_fn(const execution *execution, void *user);

struct shape_context;
/* Whether counters of loops decide which lanes execute the access, in a way that can be
 * followed: they stand in guards, or lanes leave a loop around it one by one after
 * numbers of iterations that are affine. */
bool cost_access_is_stepped(const struct shape_context *context, const hd_access *access);
/* Whether that is the same in all blocks. */
bool cost_steps_are_alike(const struct shape_context *context, const hd_access *access);
/* Calls `each` for all executions by the first `blocks` blocks; false when they are too
 * many, or not all can be told. */
bool cost_steps_follow(const struct shape_context *context, const hd_access *access,
                       uint64_t blocks, execution_fn *each, void *user);

/* ---- shape.c ---------------------------------------------------------------- */

/* Of each active lane: the element index, relative to the first lane, and what
 * local ids add to the inner byte offset. */
typedef struct lane_pattern {
    uint32_t lanes;
    uint32_t half; /* of them, those of the warp's first request: all, or of its first half */
    const int64_t *index, *inner;
    bool anywhere; /* every residue costs the same, and is as likely; one stands for all */
} lane_pattern;

/* A residue (of the first lane's element index) and its share of all executions. */
typedef struct residue {
    uint32_t value;
    double share;
} residue;
typedef struct residues {
    residue *data;
    uint32_t count;
} residues;

/* 1 << MAX_LEVELS is MAX_UNIT: fields of single bytes need a level for each power. */
enum { MAX_LEVELS = 9, MAX_LANES = 64, MAX_UNIT = 512, MAX_BLOCK = 1 << 16, MOST_COVERED = 32 };

/* Where the lanes of an access point. Several accesses of several kernels may
 * share one shape; what differs between them (field, width) is not in it.
 * levels[k] holds the index residues modulo `modulus << k` of every pattern. */
typedef struct shape {
    uint32_t pattern_count;
    lane_pattern *patterns;
    residues *levels[MAX_LEVELS];
    residues inner;     /* residues of the rest of the inner offset, modulo `modulus` */
    double lane_copies; /* scattered accesses: one lane stands for so many */
    double lanes;       /* mean number of active lanes */
    double requests;    /* mean number of requests: halves of the warp with an active lane, or 1 */
    uint32_t sparse_cover; /* not 0: of its residues only each so many-th is looked at for shares
                            * that hit, which are estimates anyway */
} shape;

/* What shapes are made of, in one launch. */
typedef struct shape_context {
    hd_arena *arena;
    const hd_kernel_info *info;
    const hd_divergence *divergence; /* of a warp */
    const uint64_t *lengths;         /* iterations of every loop */
    uint32_t warp;
    uint32_t request;     /* lanes whose accesses are joined: all of a warp, or half of them */
    uint32_t modulus;     /* bytes of the longest segment or line; a power of two */
    uint32_t level_count; /* tiles up to 1 << (level_count - 1) */
} shape_context;

/* Makes the shape; *warps is how many (warp, block) pairs have an active lane, in every
 * iteration of the loops around; when *stepped, it is their sum over all iterations. */
shape *cost_shape_make(const shape_context *context, const hd_access *access, double *warps,
                       bool *stepped);
/* A copy in another arena. */
shape *cost_shape_copy(hd_arena *arena, const shape *from, uint32_t level_count);
bool cost_shape_equal(const shape *a, const shape *b, uint32_t level_count);
/* Whether a computable access is computed for all its executions, not for a sample of them. */
bool cost_access_is_followed(const shape_context *context, const hd_access *access);
/* False when lanes may point anywhere: a varying opaque symbol stands in the address. */
bool cost_access_is_regular(const shape_context *context, const hd_access *access);

/* ---- measured.c ---------------------------------------------------------------- */

/* The shape that was counted. */
shape *cost_shape_measured(hd_arena *arena, hd_cost_grain grain, const hd_measured_access *access);
/* Lengths of the loops of which `unknown` says so: executions inside over executions around.
 * `warps` are those of all runs of the launch. */
void cost_measured_lengths(const hd_measured_launch *launch, const hd_kernel_info *info,
                           const bool *unknown, double warps, uint64_t *lengths);
/* An error when it is not of this job and device. */
hd_status cost_measured_check(const hd_diag *diag, const hd_measured *measured, const hd_job *job,
                              const hd_device *device);

/* ---- segments.c ---------------------------------------------------------------- */

/* How a field lies in its cluster: address = i / tile * bytes + run + i % tile * step. */
typedef struct geometry {
    uint64_t tile, bytes, run, step;
    uint32_t number; /* of these in the model's count_memo, where it was given one */
} geometry;

/* Mean number of aligned units of `unit` bytes that the active lanes touch, each once for
 * every request. */
double cost_shape_units(const shape *s, const geometry *place, uint32_t width, uint32_t unit);
/* Share of the units that the warp touches that an access (index + dindex, inner + dinner)
 * at geometry `other` touches too. */
double cost_shape_covered(const shape *s, const geometry *place, uint32_t width,
                          const geometry *other, uint32_t other_width, int64_t dindex,
                          int64_t dinner, uint32_t unit);

/* ---- stream.c --------------------------------------------------------------------- */

/* Elements touched between two accesses. */
typedef struct touched {
    bool laid_out; /* elements of the record: `fields`; else `bytes` */
    uint64_t fields;
    double bytes;          /* of one element, in a given layout */
    double per_l1, per_l2; /* distinct elements by all threads that share the cache */
} touched;

/* Bytes of an item that do not depend on the layout, for all threads that share a cache. */
static inline double cost_given_bytes(const touched *item, bool l1) {
    return item->laid_out ? 0 : item->bytes * (l1 ? item->per_l1 : item->per_l2);
}

typedef struct interval {
    touched *items;
    uint32_t count;
} interval;

/* An earlier access that may have brought the data of a later one. */
typedef struct earlier {
    uint32_t use; /* of the earlier access */
    int64_t dindex, dinner;
    double available;    /* share of executions that have this earlier one */
    bool first_only;     /* it stands before a loop that the later one stands in */
    interval between;    /* inclusive */
    int32_t l1, l2;      /* ANSWER_YES, ANSWER_NO, or the number of a question */
    uint32_t covered[2]; /* number of the count of lines of L1, L2 that it shares */
} earlier;
enum { ANSWER_YES = -1, ANSWER_NO = -2 };

/* One global access of one launch. */
typedef struct use {
    const hd_access *access;
    const hd_kernel_info *info;
    uint32_t launch;
    uint32_t buffer;  /* of the job */
    uint32_t segment; /* bytes of its transactions */
    double segments;  /* of them in that buffer */
    bool laid_out;    /* its buffer holds the record that is laid out */
    int32_t field;    /* of that record, else -1 */
    geometry fixed;   /* of other buffers */
    uint32_t width;
    uint32_t shape;
    double executions;      /* warps × iterations × repeats */
    double done;            /* share of them that a compiler does (hd_access.kept) */
    int32_t loop;           /* innermost loop in which it does them, or -1 */
    uint32_t degree;        /* loops of unknown length around that */
    bool reads;             /* served by L1 */
    bool irregular;         /* the index is no affine form for each lane */
    bool scattered;         /* nor can it be computed: lanes may point anywhere */
    double counted;         /* transactions of an execution, where they were counted and no layout
                        * changes them; else -1, and the shape tells */
    double lanes, requests; /* as of its shape, or as counted */
    hd_cost_origin origin;
    const char *assumption; /* of HD_ORIGIN_ASSUMED */
    /* Parts of one access (hd_access.whole) are uses of their own, and so is the access as a whole,
     * which prices them in clusters where they lie as in the struct. */
    uint64_t parts;      /* fields of a whole; 0: it is none */
    uint32_t part_count; /* the uses just before the whole's own */
    int32_t whole;       /* number of a part's whole, or -1 */
    bool leads;          /* the first part */
    earlier *before;     /* nearest first */
    uint32_t before_count;
    uint32_t units; /* number of the count of its segments, */
    uint32_t lines; /* and of that of its lines of L2 */
} use;

typedef struct stream_context {
    hd_arena *arena;
    const hd_kernel_info *info;
    const uint64_t *lengths;
    const hd_record *record;
    const hd_grid *grid;
    uint64_t blocks_per_sm;
    use *uses; /* of this launch, in program order; `first` is the number of uses[0] */
    uint32_t use_count, first;
} stream_context;

/* Finds the earlier accesses of every use of one launch. */
void cost_stream_link(const stream_context *context);

/* ---- model.c ------------------------------------------------------------------------ */

/* A distance that some layouts keep within a cache and others do not. */
typedef struct question {
    const interval *between;
    bool l1;
} question;

typedef hd_vec(uint32_t) use_list; /* numbers of uses */

/* What is counted of a shape, wherever it is placed; all members of one size, so that bytes
 * compare. Without an earlier access `other_width` is 0. */
typedef struct count_of {
    uint64_t shape, unit, width, other_width;
    int64_t dindex, dinner;
} count_of;

/* What was counted of a shape at a place: thousands of clusters share the same few geometries, so
 * nearly every count of a search has been made before. Counts and places have numbers, so that
 * looking one up compares one number. */
typedef struct count_memo {
    hd_hash_table numbers; /* of count_of: in `kinds` */
    hd_vec(const count_of *) kinds;
    hd_hash_table places; /* of geometry: their numbers */
    hd_hash_table rows;   /* by the numbers of a count and its places: in `counts` */
    hd_vec(double) counts;
} count_memo;

/* Uses that cost alike in every layout (alike.c): the first of them, and how many times its
 * executions all of them have. */
typedef struct alike_uses {
    uint32_t use;
    double times;
} alike_uses;
typedef hd_vec(alike_uses) alike_list;

struct hd_cost_model {
    hd_arena *arena;
    const hd_record *record;
    const hd_device *device;
    hd_cost_options options;
    hd_cost_grain grain;
    hd_vec(shape *) shapes;
    hd_vec(use) uses;
    use_list of_field[HD_MAX_FIELDS];                       /* uses of each field */
    use_list others;                                        /* of other buffers */
    alike_list alike_of_field[HD_MAX_FIELDS], alike_others; /* the same, joined */
    uint64_t soa_from; /* tiles from here on place runs as `soa` does, as far as costs go */
    count_memo *counted;
    hd_vec(question) asked;
    double limits[HD_MAX_QUESTIONS];
    hd_questions questions;
};

/* Where the fields of a cluster lie, [field_count]. In a cluster with tile `soa`,
 * or of at least `soa_from` elements, every field has a geometry of its own. */
typedef struct cluster_geometry {
    const hd_cluster *cluster;
    bool soa;
    geometry place[HD_MAX_FIELDS];
} cluster_geometry;
void cost_cluster_geometry(const hd_record *record, const hd_cluster *cluster, uint64_t soa_from,
                           cluster_geometry *geometry);

/* ---- alike.c ------------------------------------------------------------------------ */

/* Joins the uses of the model that cost alike, when its questions are asked. */
void cost_join_alike(hd_cost_model *model);

/* ---- price.c ------------------------------------------------------------------------ */

/* Gives numbers to what is counted of the uses. */
void cost_number_counts(hd_cost_model *model);

/* Whether the parts of a whole lie in the cluster as they do in the struct. */
bool cost_is_whole_in(const hd_record *record, const cluster_geometry *geometry, const use *whole);

/* Bytes of one element's fields that come along when `fields` of the cluster are
 * touched, with lines of `line` bytes: a line brings every field of the element
 * that lies in it (Peng et al., section IV-B5). */
double cost_fetched_bytes(const hd_record *record, const cluster_geometry *geometry,
                          uint64_t fields, uint32_t line);

/* ---- price.c -------------------------------------------------------------------------- */

/* Lanes that may point anywhere touch no more segments than the buffer has. */
double cost_at_most(const use *u, double transactions);

#endif
