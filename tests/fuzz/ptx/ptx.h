/*
 * Random CUDA kernels, compiled to PTX by nvcc and read from there, against the same source read
 * by clang: the machine must leave the same bytes. FUZZ_COMPILED (a program of its own): the source
 * as compiled, as written, and, where there is nvcc, from its PTX.
 *
 *   kernel.c      random kernels, which all have the same parameters
 *   record.c      random records, of which each kernel has one
 *   expression.c  random expressions of a type
 *   together.c    what blocks and clusters do together: copies in bulk, products of matrices
 *   twins.cuh     instructions that C has no words for, beside what they do
 *   run.c         a folder with the source, its PTX, and a job for each way
 *   main.c        kernels in batches
 *
 * As in the kernels of fuzz.h, nothing is undefined, and floating point is left to operations that
 * have one right result.
 */
#ifndef HD_FUZZ_PTX_H
#define HD_FUZZ_PTX_H

#include "fuzz/tools.h"

typedef enum type { S8, U8, S16, U16, S32, U32, S64, U64, F32, F64, TYPES } type;

static inline bool is_real(type t) { return t >= F32; }
static inline bool is_signed(type t) { return t < F32 && t % 2 == 0; }
static inline uint32_t bits_of(type t) { return t == F32 ? 32 : t == F64 ? 64 : 8u << t / 2; }
static inline uint32_t bytes_of(type t) { return bits_of(t) / 8; }
const char *type_name(type t);

/* Something with a value; `length` is not 0: with an index behind it. */
typedef struct place {
    const char *name, *suffix; /* the suffix stands behind the index */
    type type;
    uint32_t length;
    bool writable;
} place;

/* A member that is a number, by what stands behind an element: ".m3.x". */
typedef struct leaf {
    const char *path;
    type type;       /* of a half F32 */
    uint32_t length; /* of an array */
    bool is_half, is_bits;
} leaf;

typedef struct record {
    const char *name;
    node *declaration;
    hd_vec(leaf) leaves, arrays;
    uint32_t bytes, align; /* at most; at least */
    bool is_packed;
} record;

enum { RECORDS = 64 }; /* elements of q, of which all threads read any; each has one of r */

typedef struct function {
    const char *name;
    type result, params[3];
    uint32_t param_count;
} function;

typedef struct gen {
    hd_arena *arena;
    uint64_t random;
    uint32_t number, names; /* of the kernel in its file; used up */
    hd_vec(place) places;
    hd_vec(function) functions;
    int32_t budget;
    uint32_t loops; /* around what is generated now */
    uint32_t threads, blocks;
    uint32_t cluster; /* blocks of one; 0: there are none */
    bool has_product; /* of a warpgroup, which takes much of shared memory */
    record *record;
    place getter; /* a function of an element */
    node *before; /* the functions before the kernel */
} gen;

typedef struct input {
    const char *name;
    type type;
} input;
enum { INPUTS = 6, INPUT_LENGTH = 64 };
extern const input inputs[INPUTS];

uint32_t draw(gen *g, uint32_t below);
static inline bool chance(gen *g, uint32_t percent) { return draw(g, 100) < percent; }
/* A name that begins so, and no other has. */
const char *name_of(gen *g, const char *stem);
/* What follows may use the variable; `length` is not 0: an array. */
void declare(gen *g, const char *name, type t, uint32_t length, bool writable);
/* A place of this type, or of any (TYPES); false: none. */
bool find_place(gen *g, type t, bool to_write, place *found);
node *place_node(gen *g, const place *p);

/* expression.c */
node *expression(gen *g, type t, uint32_t depth);
node *condition(gen *g, uint32_t depth);
/* The bits of a value as an unsigned long long; those of all NaNs are the same. */
node *bits_node(gen *g, type t, node *value);

/* record.c */
record *make_record(gen *g);
/* Places for all members of `base`, which is one element, or `length` of them. */
void declare_element(gen *g, const char *base, uint32_t length, bool writable);
node *record_statement(gen *g);
/* A tile of all threads' elements in shared memory. */
node *record_tile(gen *g);
node *record_getter(gen *g);
/* Two kernels: one gives the elements of q their values, one adds those of r to `out`. */
node *record_kernels(gen *g);

/* together.c: a statement of all threads of a block, or of the cluster. */
node *together(gen *g);

typedef struct kernel {
    uint64_t seed;
    node *source;
    uint32_t threads, blocks;
} kernel;

/* kernel.c: kernel k_NUMBER of a file. */
kernel *make_kernel(hd_arena *arena, uint64_t seed, uint32_t number);

/* run.c */
typedef enum verdict { SAME, DIFFERENT, NOT_RUN } verdict;

/* Writes and compiles kernels.cu; false when nvcc does not compile it. */
bool write_kernels(hd_arena *arena, const char *folder, kernel *const *kernels, uint32_t count,
                   hd_str *told);
/* Runs the jobs of the folder; verdicts[k] is that of kernel k. */
void compare_kernels(const char *folder, uint32_t count, verdict *verdicts, hd_str *told);

#endif
