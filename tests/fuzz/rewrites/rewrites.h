/*
 * Random programs over random records, in random layouts: the rewritten kernels must leave the
 * same values as the original ones, on the machine.
 *
 * A program has records (scalars and vectors of all widths, arrays, nested structs), helper
 * functions that take pointers to them, take them by value or return them, and kernels that use
 * them in all forms of docs/rewrite.md. It does nothing undefined: indices are taken modulo what
 * the pointer has, arithmetic is unsigned, loops are short. A work-item writes only to elements
 * of its own, or to buffers that nobody else reads in that kernel.
 *
 *   record.c     record types, and paths to what is in them
 *   pointer.c    pointers to records, and the forms of an element
 *   value.c      expressions
 *   declare.c    pointers and references that are declared, and moved
 *   statement.c  statements
 *   function.c   helper functions
 *   program.c    kernels, the job
 *   check.c      chooses layouts, rewrites a program, runs both versions, compares
 *   main.c       programs in batches; what is wrong is made small
 */
#ifndef HD_FUZZ_REWRITES_H
#define HD_FUZZ_REWRITES_H

#include "fuzz/tools.h"
#include "job/job.h"

/* ---- record.c ------------------------------------------------------------------- */

typedef enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE } base;

typedef struct record record;

typedef struct field {
    const char *name;
    base base;            /* of scalars and vectors */
    uint32_t lanes;       /* 1: a scalar */
    uint32_t sizes[2];    /* of an array's dimensions; 0: none */
    const record *nested; /* of a nested struct, else NULL */
    bool is_split;        /* if the job lays this record out, it takes the field apart */
} field;

struct record {
    const char *name, *spelling; /* "r0", "struct r0" */
    field fields[12];
    uint32_t field_count;
    bool laid_out;   /* buffers hold it; else it is only nested */
    bool in_kernels; /* a parameter of some kernel points to it */
};

/* ---- what can be used where ------------------------------------------------------ */

/* A pointer to records. */
typedef struct pointer {
    const char *name;
    const record *record;
    const char *first; /* index of the first element that may be used, or NULL: 0 */
    uint32_t length;   /* elements that may be used from there on */
    bool writable;
    bool constant;  /* in constant memory */
    uint32_t array; /* that it points into: a number, or 0 when it is not known */
    /* A local variable that may point elsewhere later: */
    bool is_variable;
    uint32_t level;  /* of braces, where it is declared */
    uint32_t behind; /* elements that may be used before it */
} pointer;

/* A private array of pointers, all with `length` elements. */
typedef struct pointer_array {
    const char *name;
    uint32_t count;
    pointer each;
} pointer_array;

/* A private variable that holds a record. */
typedef struct copy {
    const char *name;
    const record *record;
    bool is_fixed; /* a constant, or a reference to one: only read */
} copy;

/* A macro whose body reaches a field of a kernel's parameter. */
typedef struct accessor {
    const char *name;
    pointer of;
    const field *field;
} accessor;

typedef enum param_kind { BY_POINTER, BY_VALUE, BY_REFERENCE, NUMBER } param_kind;
typedef struct param {
    param_kind kind;
    const record *record;
    uint32_t length; /* elements that a pointer must have */
    bool writable;
} param;

typedef struct function {
    const char *name;
    const record *result; /* NULL: a uint */
    uint32_t points_to;   /* not 0: the result is a pointer to so many elements */
    bool result_writable;
    param params[5];
    uint32_t param_count;
    bool writes; /* through a pointer */
} function;

/* A place in memory or in a variable, of a scalar type. */
typedef struct place {
    node *text;
    base base;
    bool is_bare;   /* a field of a record or its element: `&` of it may be taken */
    bool is_global; /* in a laid-out record */
} place;

typedef struct gen {
    hd_arena *arena;
    bool cuda; /* CUDA C, else OpenCL C */
    uint64_t random;
    uint32_t next_name, next_array, depth;
    uint32_t level; /* of braces */
    hd_vec(record *) records;
    hd_vec(pointer) pointers;
    hd_vec(pointer_array) pointer_arrays;
    hd_vec(copy) copies;
    hd_vec(accessor) accessors;
    hd_vec(const char *) numbers; /* names of uint variables that can be read */
    hd_vec(const char *) locals;  /* of those that can be written */
    hd_vec(function) functions;
    hd_vec(const char *) awkward; /* names that rewriting might want, each for one use */
    bool in_kernel;
    uint32_t budget; /* expressions that may still be made */
} gen;

static inline uint32_t draw(gen *g, uint32_t below) {
    return (uint32_t)(hd_next_random(&g->random) >> 32) % below;
}
static inline bool chance(gen *g, uint32_t percent) { return draw(g, 100) < percent; }
static inline const char *new_name(gen *g, const char *stem) {
    return hd_format(g->arena, "%s%u", stem, g->next_name++);
}

/* The same, or now and then one that the rewriter might have chosen itself. */
const char *awkward_name(gen *g, const char *stem);

record *make_record(gen *g, bool laid_out, node *header);
const char *base_name(base b);
uint32_t base_bits(base b);
/* A random scalar in a record, behind `before`: ".pos.v[(i) % 3u].s1". `whole` is the text of the
 * record, e.g. "p[i]" or "(*q)". */
place scalar_in(gen *g, const record *r, node *whole, bool is_arrow, bool is_global);

/* ---- pointer.c ------------------------------------------------------------------- */

/* What a pointer must be. */
typedef enum memory { ANY, GLOBAL, CONSTANT } memory;
typedef struct wish {
    const record *record; /* NULL: any */
    bool to_write;
    uint32_t least; /* elements */
    uint32_t array; /* not 0: it points into this one */
    memory in;
} wish;

bool find_pointer(gen *g, wish wanted, pointer *found);
/* An element: "p[...]", "(*(p + ...))"; with *is_arrow it wants "->" behind it. */
node *element(gen *g, const pointer *p, bool *is_arrow);
/* An element as an lvalue or value. */
node *whole_element(gen *g, const pointer *p);
/* A pointer as a value, of which all is wished but the array: "&p[...]", "p + ...", "p",
 * "c ? p : q", a call. *array is what it points into. NULL: there is none. */
node *address(gen *g, wish wanted, uint32_t *array);
static inline memory memory_of(const pointer *p) { return p->constant ? CONSTANT : GLOBAL; }
/* Any scalar of any record at hand. */
bool find_place(gen *g, bool to_write, place *found);

/* ---- value.c --------------------------------------------------------------------- */

node *value(gen *g);                        /* a uint */
node *index_below(gen *g, uint32_t length); /* "(...) % 5u" */
node *read_place(gen *g, const place *p);   /* as a uint */
node *whole_value(gen *g, const record *r); /* a record; NULL: there is none */
node *call(gen *g, const function *f);      /* NULL: an argument is missing */

/* ---- declare.c ------------------------------------------------------------------- */

/* "__global const ", in some order. */
const char *qualifiers(gen *g, bool writable, bool constant);
/* Statements; NULL: nothing fits. */
node *reference_declaration(gen *g);
node *pointer_declaration(gen *g);
node *pointer_declarations(gen *g);
node *pointer_array_declaration(gen *g);
node *pointer_change(gen *g);

/* ---- statement.c ----------------------------------------------------------------- */

node *statements(gen *g, uint32_t count);

/* ---- function.c ------------------------------------------------------------------ */

/* Begins the text of a function. */
void forget_scope(gen *g, uint32_t budget);
/* Defines one. */
void add_function(gen *g, node *out);
/* A record that buffers hold. */
const record *any_record(gen *g);

/* ---- program.c ------------------------------------------------------------------- */

typedef struct program {
    bool cuda;
    node *source, *header; /* the header's name is "records.h"; NULL: there is none */
    const char *job;
    uint64_t random;              /* for the layouts */
    hd_vec(const char *) records; /* that kernels take */
    hd_vec(const char *) layouts; /* of each, NULL: it stays; chosen when the job is known */
} program;

program *make_program(hd_arena *arena, uint64_t seed);

/* ---- check.c --------------------------------------------------------------------- */

typedef enum verdict { SAME, DIFFERENT, REFUSED, NOT_RUN } verdict;

/* Writes kernels.cl (or .cu), records.h, job.yaml and layouts.txt into a folder. */
void write_program(hd_arena *arena, const char *folder, const program *p);
void remove_program(hd_arena *arena, const char *folder);
/* Of a folder with a program, whose layouts are chosen when it has none, and kept in `keep`.
 * NOT_RUN: the original does not compile. */
verdict check_program(hd_arena *keep, const char *folder, program *p, hd_str *told);

#endif
