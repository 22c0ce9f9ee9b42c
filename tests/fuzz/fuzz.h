/*
 * Random OpenCL C kernels, run on Heddle's machine and on an OpenCL device.
 *
 * A kernel is a tree of text: every statement, and every expression in it, is a
 * node that can be dropped, so that a kernel on which the two disagree can be made
 * small by trying to drop one node after the other. Everything a kernel does is
 * defined: variables have values from the start, indices are taken modulo their
 * array's length, signed arithmetic is done on unsigned numbers, conversions to
 * integers saturate, NaNs become numbers before their bits matter. Work-items write
 * only places of their own, or by atomics whose results nobody looks at; they read
 * each other's local memory between barriers, which all of them reach. Floating
 * point is left to operations that have one right result.
 *
 *   tools.h       nodes, and processes side by side
 *   scope.c       types, variables and fields that can be read and written
 *   expression.c, integer.c, real.c   random expressions of a type
 *   statement.c   random statements
 *   kernel.c      random kernels, and the job that runs them
 *   run.c         runs a job here and there, and compares
 *   reduce.c      makes a kernel small
 *   main.c        kernels in batches
 */
#ifndef HD_FUZZ_H
#define HD_FUZZ_H

#include "job/job.h"
#include "tools.h"

/* ---- scope.c: types ---------------------------------------------------------- */

typedef enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE } base;
typedef struct type {
    base base;
    uint32_t lanes;
} type;

const char *fuzz_type_name(hd_arena *arena, type t);
static inline bool is_real(type t) { return t.base >= FLOAT; }
static inline bool is_signed(type t) { return t.base < FLOAT && t.base % 2 == 0; }
static inline bool same_type(type a, type b) { return a.base == b.base && a.lanes == b.lanes; }
static inline type element_of(type t) { return (type){t.base, 1}; }
static inline uint32_t base_bits(base b) {
    return b == FLOAT ? 32 : b == DOUBLE ? 64 : 8u << b / 2;
}
/* The integer type of the same size and lanes. */
static inline type integer_of(type t, bool with_sign) {
    base b = t.base < FLOAT ? (base)(t.base & ~1u) : t.base == FLOAT ? INT : LONG;
    return (type){(base)(b + !with_sign), t.lanes};
}

/* ---- scope.c ----------------------------------------------------------------- */

/* Something with a value: `before`, an index if `length` is not 0, `after`. */
typedef struct place {
    const char *before, *after;
    uint32_t length;
    type type;
    bool writable;
    const char *space; /* of what `&` of it points to: "__private", "__global const", ... */
} place;

/* An array on which atomics may be done: one operation for each array. */
typedef struct counter {
    const char *before; /* "acc + 8" */
    uint32_t length;
    const char *function; /* "atomic_add" */
    type type;
} counter;

typedef struct field {
    const char *name;
    type type;
    uint32_t length; /* of an array; 0: none */
} field;

typedef struct record {
    const char *name; /* behind "struct" */
    field *fields;
    uint32_t field_count;
} record;

/* A whole record that can be read, and perhaps written. */
typedef struct whole {
    const record *record;
    const char *before;
    uint32_t length; /* 0: no index */
    bool writable;
} whole;

typedef struct function {
    const char *name;
    type result;
    type params[4];
    uint32_t param_count;
    bool has_pointer; /* a further parameter: pointer to a private variable of the result's type */
    uint32_t weight;  /* how many statements a call runs, about */
} function;

enum { MOST_WEIGHT = 3000 };

typedef struct gen {
    hd_arena *arena;
    uint64_t random;
    uint32_t number; /* of the kernel: suffix of its global names */
    uint32_t next_name;
    type palette[6]; /* what variables have */
    hd_vec(place) places;
    hd_vec(counter) counters;
    hd_vec(record) records;
    hd_vec(whole) wholes;
    hd_vec(function) functions;
    hd_vec(const char *) labels;  /* that a goto may name here */
    hd_vec(const char *) helpers; /* names of helpers that are already defined */
    node *prelude;                /* small helper functions */
    uint32_t weight;              /* how often what is generated now runs */
    uint32_t cost;                /* of the function at work so far */
    int32_t budget;               /* expressions that may still be made; beyond it they are small */
    uint32_t loop_depth, nesting, depth; /* of loops, of braces, of an expression */
    bool in_loop, in_switch;             /* break means something; continue: in_loop */
    bool goto_loops;                     /* there are loops of gotos, and no barriers */
    bool may_return;
    type result; /* of the function at work; no lanes: it is the kernel */
    uint32_t dims, local[3], global[3], offset[3], lanes, groups;
} gen;

uint32_t fuzz_draw(gen *g, uint32_t below);
static inline bool fuzz_chance(gen *g, uint32_t percent) { return fuzz_draw(g, 100) < percent; }
const char *fuzz_name(gen *g, const char *stem);
void fuzz_declare(gen *g, place p);
/* A random place of this type (any: type.lanes 0), to be written or only read; false: none. */
bool fuzz_find(gen *g, type t, bool to_write, place *found);
/* The text of a place; with a random index if it needs one. */
node *fuzz_place(gen *g, place p);
/* A record as a whole, and the places of its fields, "before.field"; with an index if `length`
 * is not 0. */
void fuzz_declare_fields(gen *g, const record *r, const char *before, uint32_t length,
                         bool writable, const char *space);

/* ---- expression.c, integer.c, real.c ----------------------------------------- */

type fuzz_any_type(gen *g);
type fuzz_scalar_type(gen *g);
type fuzz_integer_type(gen *g);
/* A node whose type is exactly `t`. */
node *fuzz_expression(gen *g, type t, uint32_t depth);
node *fuzz_literal(gen *g, type t);
/* A scalar that is true or not. */
node *fuzz_condition(gen *g, uint32_t depth);
/* An index below `length`: "(uint)(...) % 8u". */
node *fuzz_index(gen *g, uint32_t length, uint32_t depth);
node *fuzz_convert(gen *g, type from, type to, node *value);
/* Without NaNs. */
node *fuzz_clean(gen *g, type t, node *value);
node *fuzz_integer_expression(gen *g, type t, uint32_t depth);
node *fuzz_real_expression(gen *g, type t, uint32_t depth);
/* A node with this pattern whose dropped form is a literal of the type. */
node *fuzz_value(gen *g, type t, const char *pattern, ...);
/* "name(argument, argument" of a helper function, without the end. */
node *fuzz_call(gen *g, const function *f, uint32_t depth);
/* Defines a helper function once; `text` is its whole text. */
void fuzz_helper(gen *g, const char *name, const char *text);

/* ---- statement.c ------------------------------------------------------------- */

/* `count` random statements, in a block of their own scope if `braces`. */
node *fuzz_statements(gen *g, uint32_t count, bool braces);
node *fuzz_declaration(gen *g);

/* ---- kernel.c ---------------------------------------------------------------- */

typedef struct kernel {
    uint64_t seed;
    node *source;
    const char *buffers, *launch; /* entries of the job file */
    const char *record;           /* that a buffer holds, or NULL */
    uint32_t buffer_count;
} kernel;

/* Kernel `number` of a file; its names end in it. */
kernel *fuzz_kernel(hd_arena *arena, uint64_t seed, uint32_t number);
/* Writes kernels.cl and job.yaml into a folder. */
hd_status fuzz_write(hd_arena *arena, const hd_diag *diag, const char *folder,
                     kernel *const *kernels, uint32_t count);

/* ---- run.c ------------------------------------------------------------------- */

typedef enum verdict {
    SAME,
    DIFFERENT,
    NOT_RUN /* it does not compile, or the device or the machine could not run it */
} verdict;

/* Runs a folder's job here and there; verdicts[k] is that of kernel k. What is wrong goes to
 * `told`; when the whole job fails all verdicts are NOT_RUN. */
void fuzz_compare(const char *folder, kernel *const *kernels, uint32_t count, verdict *verdicts,
                  hd_str *told);

/* ---- reduce.c ---------------------------------------------------------------- */

/* Drops nodes of the kernel as long as its verdict stays what it is; one that is not run also
 * keeps its message. */
void fuzz_reduce(const char *folder, kernel *k, verdict wanted, const char *why);

#endif
