/*
 * Points: what a generated kernel is like, as a value in each dimension.
 *
 * The dimensions are those of Qasem and Teich, "Evaluating the Impact of Data Layout and Placement on
 * the Energy Efficiency of Heterogeneous Applications", sections V and VI; docs/explore.md says what
 * each does to the kernel. A point says nothing of layout and placement: these are what is compared
 * there.
 */
#ifndef HD_MICRO_POINT_H
#define HD_MICRO_POINT_H

#include "base/base.h"

typedef enum hd_dimension_id {
    HD_DIM_INDIRECT, /* runs of neighbouring objects that 32 lanes touch through an index array; 0:
                         * there is none */
    HD_DIM_TRANSPOSED,  /* rows of a matrix that 32 lanes are in; 1: all in one */
    HD_DIM_AGGREGATE,   /* bytes of an object for each byte of it that is used */
    HD_DIM_SPARSITY,    /* objects from one lane's to the next lane's */
    HD_DIM_INTENSITY,   /* operations for each byte that is used */
    HD_DIM_GRANULARITY, /* objects of a thread */
    HD_DIM_FIELDS,      /* that are read of an object */
    HD_DIM_TYPE,        /* of the fields: an hd_micro_type */
    HD_DIM_BRANCHES,    /* ways that the lanes of a warp part to compute */
    HD_DIM_OBJECTS,
    HD_DIM_GROUP, /* threads of a block */
    HD_DIM_SPLIT, /* share of the objects that the host computes */
    HD_DIMENSIONS
} hd_dimension_id;

/* Of HD_DIM_TYPE. MIXED: all of them by turns, computed in double. */
typedef enum hd_micro_type {
    HD_MICRO_FLOAT,
    HD_MICRO_DOUBLE,
    HD_MICRO_UINT,
    HD_MICRO_USHORT,
    HD_MICRO_MIXED,
    HD_MICRO_TYPES
} hd_micro_type;

typedef struct hd_dimension {
    const char *name, *title, *unit; /* "sparsity", "Sparsity", "objects apart" */
    double low, high, usual;         /* usual: where nothing else is said */
    bool is_real;                    /* otherwise whole */
    bool is_power;                   /* a power of two; 0, where `low` is it, too */
    const char *const *names;        /* of its values, where they have some */
    const double *values;            /* of the default plan, ascending; ends with a negative one */
} hd_dimension;

extern const hd_dimension hd_dimensions[HD_DIMENSIONS];

typedef struct hd_micro_point {
    double value[HD_DIMENSIONS];
} hd_micro_point;

/* All dimensions at their usual values. */
hd_micro_point hd_micro_usual(void);
bool hd_micro_equal(const hd_micro_point *a, const hd_micro_point *b);

/* The dimension of this name, or -1. */
int hd_dimension_named(const char *name);
/* A value as text ("0.35", "float"), and read from one. False: `text` is none of the dimension. */
const char *hd_dimension_print(hd_arena *arena, int dimension, double value);
bool hd_dimension_parse(int dimension, const char *text, double *value);
/* What a value of the dimension may be, for a message: "a power of two from 1 to 64". */
const char *hd_dimension_range(hd_arena *arena, int dimension);

/* "sparsity=4 intensity=8": what is not usual, in the order of the dimensions; "usual" where all is.
 * Parsing it again gives the same point; false: it is no point. */
const char *hd_micro_print(hd_arena *arena, const hd_micro_point *point);
bool hd_micro_parse(const char *text, hd_micro_point *point);
/* The same for the name of a file: "sparsity=4,intensity=8". */
const char *hd_micro_file(hd_arena *arena, const hd_micro_point *point);

/* ---- what follows from a point ------------------------------------------------------------- */

/* How an object is built, and how threads go through all of them. */
typedef struct hd_micro_shape {
    uint32_t fields;       /* that are read: f0, f1, ...; `result` is written beside them */
    uint32_t field_bytes;  /* of all that is read, */
    uint32_t result_bytes; /* and of what is written */
    uint32_t unused_bytes; /* of an array behind them, in elements of a byte */
    uint64_t operations;   /* on an object */
    uint32_t rounds;       /* of three additions and two fused multiply-adds, */
    uint32_t fused, adds;  /* and those that are left, after fields - 1 additions */
    uint64_t unit;         /* objects of a group, or of two in a matrix: what is never split */
    uint64_t objects;      /* that there are; those of HD_DIM_OBJECTS, rounded up to units */
    uint64_t on_host;      /* the last of them, which the host computes; the device computes all
                             * others in launches of whole groups */
    uint64_t global[3], local[3]; /* columns, rows and what sparsity is made of */
    uint64_t pitch;               /* objects of a row */
    uint64_t stride;              /* positions from one object of a thread to its next */
    uint32_t run;                 /* neighbouring positions for each index; 0: no index array */
} hd_micro_shape;

/* NULL, or why there is no such kernel: "4 fields take at least 3 operations, which is an intensity
 * of 0.15; ask for that or more". */
const char *hd_micro_check(hd_arena *arena, const hd_micro_point *point, hd_micro_shape *shape);

#endif
