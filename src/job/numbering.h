/*
 * New numbers for elements of a job's buffers, with all that holds their numbers (`indices` of a job
 * file, docs/job.md).
 *
 * Buffers whose elements are numbered alike are one *numbering*: of the job
 *
 *     indices:
 *       - {from: neighbours, to: [nodes, mass]}
 *       - {from: first, rows: nodes, to: neighbours}
 *
 * `nodes` and `mass` are one, `neighbours` another. The elements of that lie in rows, one for each
 * node, so it is *owned* by the first: when nodes get new numbers their rows move whole, each in its
 * old order, and `first` says where they lie then. A kernel that goes through rows does just what it
 * did before, elsewhere, so that its results are the same bits.
 *
 *     hd_numbering_order(arena, diag, job, contents, n, &(hd_order_by){HD_ORDER_RCM}, &order);
 *     hd_job_renumber(arena, diag, job, contents, n, order, &renumbered);
 *     run renumbered->job to `outputs`
 *     hd_renumbered_gather(arena, diag, renumbered, outputs, results);
 *
 * An order is order[new] = old, as in mapping.h.
 */
#ifndef HD_JOB_NUMBERING_H
#define HD_JOB_NUMBERING_H

#include "job/job.h"
#include "order/orders.h"

enum { HD_NO_NUMBERING = -1 };

/* Whole numbers in the elements of a buffer. */
typedef struct hd_number_field {
    const char *text; /* as the job names it: "nodes.first" */
    hd_place place;
    uint32_t buffer;
    const hd_leaf *leaves; /* in each element; each has one lane */
    uint32_t leaf_count;
} hd_number_field;

/* Each value of a field, or of a launch's argument, is the number of an element. */
typedef struct hd_index {
    hd_number_field from;
    const char *kernel, *argument; /* NULL: it is the field */
    uint32_t to;                   /* numbering */
    const int64_t *none;           /* values that stand for no element */
    uint32_t none_count;
    hd_place place;
} hd_index;

/* Where the row of an element begins, and where it ends: at `end`, after `length` elements, or where
 * the next row begins and the last one with the numbering. */
typedef enum hd_row_end { HD_ROW_END_NEXT, HD_ROW_END_FIELD, HD_ROW_END_LENGTH } hd_row_end;
typedef struct hd_index_rows {
    hd_number_field first, end;
    hd_row_end ends;
    uint32_t of, to; /* numberings: row i is that of element i of `of`, and consists of `to`'s */
    hd_place place;
} hd_index_rows;

typedef struct hd_numbering {
    const char *name; /* of its first buffer */
    uint64_t count;
    uint32_t *buffers;
    uint32_t buffer_count;
    int32_t owner; /* the entry of `rows` whose rows its elements lie in, or -1 */
    bool is_free; /* may be renumbered: its elements have numbers that are declared, and no owner */
    hd_number_field points[3]; /* coordinates, whole or real numbers */
    uint32_t point_count;
} hd_numbering;

/* What hd_job_resolve() makes of `indices`: hd_job.numberings, NULL where the job has none. */
typedef struct hd_numberings {
    hd_numbering *numberings;
    uint32_t numbering_count;
    hd_index *indices;
    uint32_t index_count;
    hd_index_rows *rows;
    uint32_t row_count;
    int32_t *of; /* [job->buffer_count]: the numbering of each buffer, or HD_NO_NUMBERING */
} hd_numberings;

/* The free numbering of this buffer (NULL: the first that is free); an error, which names those that
 * there are, when there is none. */
hd_status hd_numbering_find(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const char *buffer, uint32_t *numbering);

/* ---- numbering.c: jobs in new numbers ------------------------------------------------------ */

/* The values of a field of rows, before and after. */
typedef struct hd_row_values {
    uint64_t *first[2], *end[2]; /* end[...]: NULL where `ends` is HD_ROW_END_NEXT */
} hd_row_values;

typedef struct hd_renumbered {
    const hd_job *original;
    hd_job *job;            /* resolved; each buffer's `bytes` hold its contents */
    const uint32_t **order; /* [numberings]: order[new] = old; NULL: as it was */
    uint32_t **number;      /* [numberings]: number[old] = new; NULL: as it was */
    hd_row_values *rows;    /* [row_count] */
} hd_renumbered;

/* The resolved job with the elements of a free numbering in this order, and all that depends on it:
 * its buffers, the rows that it owns and all in those, values that are numbers of such elements,
 * arguments, and what is written between launches. `contents` has the bytes of all buffers of the job
 * (hd_job_all_contents()) and must stay as long as the result; what does not change is borrowed.
 *
 * HD_EINPUT, at the entry of `indices`, for contents that are not what it says: a value that is no
 * element's number, rows that overlap or end before they begin; for an order that is no permutation.
 * HD_EUNSUPPORTED for what cannot follow: `at`, `before`, `bytes` and `offset` of arguments into
 * buffers that are renumbered, fills and settings of where rows lie. */
hd_status hd_job_renumber(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          void *const *contents, uint32_t numbering, const uint32_t *order,
                          hd_renumbered **renumbered);

/* Contents of the original's buffers in the new numbers, and back, as hd_placed_scatter() and
 * hd_placed_gather(): buffers that stay as they are are borrowed from `from`; `from` and `to` have
 * job->buffer_count entries. HD_EINPUT when a value that should be an element's number is none, or
 * when kernels have changed where rows lie. */
hd_status hd_renumbered_scatter(hd_arena *arena, const hd_diag *diag,
                                const hd_renumbered *renumbered, void *const *from, void **to);
hd_status hd_renumbered_gather(hd_arena *arena, const hd_diag *diag,
                               const hd_renumbered *renumbered, void *const *from, void **to);

/* ---- numbering_order.c: orders from a job's data --------------------------------------------- */

typedef enum hd_nets_kind {
    /* A net for each row (an element that owns rows, or any whose fields are numbers): the elements
     * that its numbers lead to, and itself if it is of this numbering. A number of an owned element
     * leads to its owner. */
    HD_NETS_ROWS,
    /* The same, but where a row's element is of this numbering a net of two for it and each of the
     * others: the graph of the numbering, of which hd_order_rcm() makes the order that has the name. */
    HD_NETS_PAIRS
} hd_nets_kind;
/* Which elements of a numbering are touched together, as `contents` have it. Nets may be there
 * several times; each weighs 1. Errors as of hd_job_renumber(). */
hd_status hd_numbering_nets(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            void *const *contents, uint32_t numbering, hd_nets_kind kind,
                            hd_nets *nets);

/* The coordinates of a numbering's elements, points[count * dims]; NULL where none are declared. */
float *hd_numbering_points(hd_arena *arena, const hd_job *job, void *const *contents,
                           uint32_t numbering, uint32_t *dims);

typedef enum hd_order_kind {
    HD_ORDER_RANDOM,    /* by `seed`: unsorted inputs */
    HD_ORDER_RCM,       /* reverse Cuthill-McKee of the pairs */
    HD_ORDER_BISECTION, /* of the pairs, down to parts of 64: compact patches of a mesh */
    HD_ORDER_CURVE,     /* along a Hilbert curve through the points */
    HD_ORDER_TOUCH,     /* as they are first touched, thread by thread */
    HD_ORDER_KINDS
} hd_order_kind;
extern const char *const hd_order_kind_names[HD_ORDER_KINDS]; /* by name */

typedef struct hd_order_by {
    hd_order_kind kind;
    uint64_t seed;
} hd_order_by;
/* An order of a free numbering, of its count. HD_EINPUT also for a curve where there are no
 * points. */
hd_status hd_numbering_order(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             void *const *contents, uint32_t numbering, const hd_order_by *by,
                             uint32_t **order);

#endif
