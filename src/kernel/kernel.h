/*
 * What can be known of a kernel without running it: control flow, affine
 * forms, trip counts, and the list of its accesses.
 */
#ifndef HD_KERNEL_H
#define HD_KERNEL_H

#include "device/device.h"
#include "kernel/kir.h"

/* ---- grid.c: the threads and blocks of a launch ------------------------------ */

/* Sizes are 1 beyond the launch's dimensions, and where they are not known. */
typedef struct hd_grid {
    uint64_t local[3], groups[3];
    uint64_t step[3]; /* threads of a block before this local id counts one further */
    uint64_t block_threads, block_count;
} hd_grid;

hd_grid hd_grid_of(uint32_t dims, const uint64_t global[3], const uint64_t local[3]);
/* The ids of a thread in its block (of grid.local), or of a block (of grid.groups), from its
 * number. */
static inline void hd_grid_ids(const uint64_t sizes[3], uint64_t linear, uint64_t ids[3]) {
    ids[0] = linear % sizes[0];
    ids[1] = linear / sizes[0] % sizes[1];
    ids[2] = linear / sizes[0] / sizes[1];
}

/* ---- control_flow.c: dominators, post-dominators, loops --------------------------- */

typedef struct hd_loop {
    uint32_t header;
    int32_t parent;                /* index of the enclosing loop, or -1 */
    uint32_t depth;                /* 1 for an outermost loop */
    uint32_t *blocks, block_count; /* all of them, inner loops' too */
    uint32_t *latches, latch_count;
    uint32_t *exits, exit_count; /* blocks inside with an edge to outside */
    uint32_t line;               /* of the loop's first instruction */
} hd_loop;

typedef struct hd_flow {
    uint32_t block_count;
    uint32_t *rpo, rpo_count; /* reachable blocks in reverse post-order, each loop in one run */
    uint32_t *idom;  /* immediate dominator; KIR_NONE for the entry and unreachable blocks */
    uint32_t *ipdom; /* immediate post-dominator; KIR_NONE: the (virtual) exit */
    hd_loop *loops;  /* natural loops; an outer loop stands before its inner ones */
    uint32_t loop_count;
    int32_t *loop_of; /* innermost loop of a block, or -1 */
    bool irreducible; /* there is a cycle that is no natural loop */
} hd_flow;

hd_flow *hd_flow_analyse(hd_arena *arena, const kir_kernel *kernel);
bool hd_flow_dominates(const hd_flow *flow, uint32_t a, uint32_t b);
/* True when `outer` is `loop` or stands around it; -1 is the whole kernel. */
bool hd_loop_holds(const hd_flow *flow, int32_t outer, int32_t loop);
/* The innermost loop that holds both, or -1. */
int32_t hd_common_loop(const hd_flow *flow, int32_t a, int32_t b);
/* True when the block lies in `loop` or a loop inside it. */
bool hd_flow_in_loop(const hd_flow *flow, int32_t loop, uint32_t block);
/* The loop that has this header, or -1. */
int32_t hd_flow_loop_at(const hd_flow *flow, uint32_t header);

/* ---- affine.c: sums of symbols times constants ----------------------------- */

typedef enum hd_symbol_kind {
    HD_SYM_GROUP,  /* group id of dimension `index` */
    HD_SYM_LOCAL,  /* local id of dimension `index`; a global id is group * size + local */
    HD_SYM_GLOBAL, /* global id of dimension `index`, when the local size is not known */
    HD_SYM_SIZE,   /* a launch size that is not known: `index` = kir_query * 4 + dimension */
    HD_SYM_PARAM,  /* scalar parameter `index`, when its value is not known */
    HD_SYM_LOOP,   /* iteration number (from 0) of loop `index` */
    HD_SYM_VALUE   /* opaque value `index` of kir: a load, a call, a non-affine operation */
} hd_symbol_kind;

typedef struct hd_term {
    hd_symbol_kind kind;
    uint32_t index;
    int64_t factor;
} hd_term;

/* constant + sum of factor * symbol; terms sorted by kind and index, no zero factors. */
typedef struct hd_affine {
    int64_t constant;
    uint32_t term_count;
    const hd_term *terms;
} hd_affine;

/* What is known of a launch. Unknown sizes are 0; param_known[i] says whether
 * scalar parameter i has the value params[i]. Arrays may be NULL. */
typedef struct hd_binding {
    uint32_t dims; /* 1..3; 0: no launch known */
    uint64_t global[3], local[3], offset[3];
    uint32_t param_count;
    const bool *param_known;
    const int64_t *params;
    const struct hd_record *const *records; /* what pointers point to that the source knows no
                                             * struct of; NULL where it does, or nothing is said */
    const uint64_t *counts;                 /* of records in columns: their elements */
} hd_binding;

hd_affine hd_affine_add(hd_arena *arena, hd_affine a, hd_affine b, int64_t factor_b);
hd_affine hd_affine_scale(hd_arena *arena, hd_affine a, int64_t factor);
bool hd_affine_equal(hd_affine a, hd_affine b);
int64_t hd_affine_factor(hd_affine a, hd_symbol_kind kind, uint32_t index);
/* True when some HD_SYM_VALUE, or unknown parameter or size, stands in it. */
bool hd_affine_is_opaque(hd_affine a);
/* True when a symbol of this kind stands in it. */
bool hd_affine_has(hd_affine a, hd_symbol_kind kind);
/* "4*i + 16*group(0) + 12", with loops as k0, k1 … and opaque values as %n. */
const char *hd_affine_print(hd_arena *arena, const kir_kernel *kernel, hd_affine a);

/* ---- operations.c: what instructions compute --------------------------------- */

/* Operations on numbers: of a lane and a component of a vector one each, a fused multiply-add two. */
typedef enum hd_operation {
    HD_OPERATION_INTEGER, /* arithmetic, logic, comparisons, addresses */
    HD_OPERATION_FP32,    /* and halves; a function such as sqrt is one */
    HD_OPERATION_FP64,
    /* And the instructions of a GPU that they become, by the units of an SM that serve them. */
    HD_ISSUED_INTEGER,
    HD_ISSUED_FP32,
    HD_ISSUED_FP64,
    HD_ISSUED_SPECIAL, /* approximations of functions, conversions */
    HD_ISSUED_BARRIER,
    HD_ISSUED_WAIT, /* not instructions: how often it waits for memory, see hd_kernel_waits() */
    HD_OPERATIONS
} hd_operation;

/* Which instructions, [inst_count] each: */
typedef struct hd_lane_work {
    /* Loads at which a warp waits anew. Loads of a straight piece of code whose addresses do not come
     * from each other are under way together, and are one wait. */
    bool *waits;
    /* Integers that are the same for a block, which AMD's GPUs compute on a scalar unit, once for all
     * lanes of a warp (AMD, GCN whitepaper). In other forms of kernels none. */
    bool *scalar;
} hd_lane_work;
struct hd_divergence;
hd_lane_work hd_kernel_lane_work(hd_arena *arena, const kir_module *module,
                                 const kir_kernel *kernel, const struct hd_divergence *of_block);
/* Adds what one lane does in an instruction; loads and stores themselves are counted elsewhere. */
void hd_count_operations(const kir_kernel *kernel, const hd_lane_work *work, kir_value value,
                         uint32_t operations[HD_OPERATIONS]);

/* ---- trips.c: how often loops run ------------------------------------------- */

typedef enum hd_trip_kind {
    HD_TRIP_CONSTANT, /* by the source alone */
    HD_TRIP_BOUND,    /* through the binding's launch sizes or scalars */
    HD_TRIP_VARYING,  /* affine, but in ids or outer loop counters: differs by thread */
    HD_TRIP_UNKNOWN
} hd_trip_kind;

/* Which kind of bound a loop has, for heuristics of unknown trip counts
 * (Kofler et al., section 3.1). */
typedef enum hd_trip_hint { HD_HINT_NONE, HD_HINT_WORK_GROUP, HD_HINT_NDRANGE } hd_trip_hint;

typedef struct hd_trip {
    hd_trip_kind kind;
    uint64_t count;    /* CONSTANT, BOUND; for VARYING the mean over the launch, rounded, but
                         * 1 when it is less, if it could be computed, else 0 */
    double mean;       /* the same, not rounded; -1 when it is not known */
    hd_trip_hint hint; /* the bound comes from the local or global size */
    /* A compiler has unrolled the loop by this factor, a power of two, and the bound is what is left
     * of the source's; 0: it has not. is_rest: the loop does what the unrolled one leaves over. */
    uint32_t unrolled;
    bool is_rest;
    bool early_exit;    /* has exits besides the counted one: count is an upper bound */
    const char *reason; /* UNKNOWN: why; names what the bound depends on */
    /* The counted exit's test stands in block `test` (KIR_NONE: there is none). It
     * is passed `count` times and then fails; `count` includes the first run of
     * the body when the test stands at its end (`after_body`). Otherwise the blocks
     * of the loop up to and with the test run count + 1 times. */
    uint32_t test;
    bool after_body;
    /* `affine`: the test is `start + step * iteration pred 0`, so that the trips of
     * any thread can be computed with hd_trip_passes(), plus 1 if after_body. */
    bool affine;
    hd_affine start;
    int64_t step;
    kir_pred pred; /* signed, EQ or NE */
} hd_trip;

/* How often in a row `start + step * n pred 0` holds, n = 0, 1 ...; false: for ever. */
bool hd_trip_passes(int64_t start, int64_t step, kir_pred pred, uint64_t *passes);

/* ---- access.c: the accesses of a kernel -------------------------------------- */

typedef enum hd_access_kind { HD_LOAD, HD_STORE, HD_ATOMIC } hd_access_kind;
const char *hd_access_kind_name(hd_access_kind kind); /* "load", "store", "atomic" */

/* `a pred b` on integers of `bits` bits (guards.c). */
bool hd_compare(kir_pred pred, uint32_t bits, int64_t a, int64_t b);

/* A branch that decides whether an access runs: `expr pred 0` on signed numbers of 64 bits. Only
 * affine conditions without opaque symbols. */
typedef struct hd_guard {
    hd_affine expr;
    kir_pred pred;
} hd_guard;

/* One static load, store or atomic. A COPY makes a load and a store access; the
 * copy of a whole record makes one load and one store for every field (and
 * sub-field, down to scalars and vectors), as a compiler would. */
typedef struct hd_access {
    uint32_t id; /* position in program order (reverse post-order, then block) */
    kir_value inst;
    hd_access_kind kind;
    kir_space space;
    int32_t param;           /* parameter that the address is based on, or -1 */
    int32_t static_index;    /* static that it is based on, or -1 */
    const hd_record *record; /* of the buffer's elements, or NULL */
    int32_t field;           /* of the record, or -1 when unknown */
    uint32_t field_byte; /* constant bytes inside the field: inner.constant when that is in it */
    uint32_t width;      /* bytes of each thread's access */
    uint32_t part;       /* bytes from the instruction's own address: not 0 where one
                              * instruction is taken as an access for each of several fields */
    hd_affine address;   /* byte offset from the start of the buffer */
    /* The element index, and the bytes inside the field (constant, or variable where
     * an array field is indexed): address = index * record->size + field offset + inner.
     * Field -1: offset 0. Without a record elements are those of the parameter's type,
     * or of `width` bytes when that is not known. */
    hd_affine index, inner;
    bool affine;                   /* no opaque symbol in `address` */
    bool indirect;                 /* an opaque symbol is a load's result */
    kir_value indirect_load;       /* that load, or KIR_NONE */
    bool uniform;                  /* opaque symbols are the same for all lanes of a block that are
                              * active together: lanes differ by the affine rest alone */
    bool computable;               /* hd_affine_evaluate() can compute `address` at any point: it
                              * is affine, or opaque symbols come from ids, loop counters
                              * and known scalars by integer arithmetic alone */
    uint32_t shares;               /* not 0: one of so many accesses that share the instruction's
                              * executions evenly, since it is not known which part each reaches */
    const struct hd_access *whole; /* what this is a part of, if it is one of several parts that
                                    * one access is taken as: the access as it is where they lie
                                    * side by side as in the struct; else NULL */
    const char *reason;            /* not affine: why, e.g. "indirect through idx at line 12" */
    int32_t loop;                  /* innermost loop, or -1 */
    int32_t kept;     /* outermost loop for whose iterations a compiler does it but once,
                              * in a register between (kept.c), or -1 */
    int32_t keepable; /* the same if all pointers that the kernel is given were `restrict` */
    hd_guard *guards; /* affine conditions under which it runs */
    uint32_t guard_count;
    bool conditional; /* also runs under a condition that is not affine */
    uint32_t file, line, column;
} hd_access;

/* It reaches from its field into the next ones: one load or store of several, as compilers make
 * them of neighbours. In the job's terms (hd_job_analyse) it is a part for each field. */
bool hd_access_is_wide(const hd_access *access);
/* "x", of a wide one "{x,y,z,m}"; NULL: the field is not known. */
const char *hd_access_fields(hd_arena *arena, const hd_access *access);

/* Everything an analysis of one kernel under one launch needs. */
typedef struct hd_kernel_info {
    const kir_module *module;
    const kir_kernel *kernel;
    hd_binding binding;
    hd_flow *flow;
    hd_trip *trips;      /* [flow->loop_count] */
    hd_access *accesses; /* of all spaces, in program order */
    uint32_t access_count;
    struct hd_evaluator *evaluator; /* private: of hd_affine_evaluate */
} hd_kernel_info;

/* Both are one access of the source: copies of it that a compiler made when it unrolled a loop stand
 * at one place and go to one field, or to one parameter. */
bool hd_access_is_copy(const hd_kernel_info *info, const hd_access *a, const hd_access *b);

/* Never fails on a verified kernel: what cannot be analysed says why. */
hd_kernel_info *hd_kernel_analyse(hd_arena *arena, const kir_module *module,
                                  const kir_kernel *kernel, const hd_binding *binding);

/* What stands up to the test of a loop runs once more than the loop's count: in a `for` the test
 * itself, before an `if (...) break` that counts the loop what is above it. */
bool hd_runs_with_test(const hd_kernel_info *info, const hd_access *access, int32_t loop);
/* How often an access runs in one run of a loop around it; false: that is not known. */
bool hd_runs_in_loop(const hd_kernel_info *info, const hd_access *access, int32_t loop,
                     uint64_t *runs);

/* ranges.c: least and greatest value of a symbol of the access's address or guards, over all threads
 * of the launch and iterations in which the access runs; false: they are not known. */
bool hd_symbol_range(const hd_kernel_info *info, const hd_access *access, const hd_term *term,
                     int64_t *low, int64_t *high);
/* Forms of which the access's address is always one: more than itself where opaque values in it are
 * chosen by a condition (`row = is_first ? 0 : 4 * group`). At most `most` of them, at least 1. */
uint32_t hd_address_choices(hd_arena *arena, const hd_kernel_info *info, const hd_access *access,
                            hd_affine *forms, uint32_t most);

/* One work-item (local size known: group and local; else global) in one iteration
 * of each loop; `iteration` has flow->loop_count numbers, or is NULL for the first. */
typedef struct hd_point {
    int64_t group[3], local[3], global[3];
    const int64_t *iteration;
} hd_point;

/* evaluate.c: the value of a form of this kernel at a point; false when it depends on
 * memory or on scalars or sizes that are not known. Uses scratch memory of `info`, so
 * not from two threads at once. */
bool hd_affine_evaluate(const hd_kernel_info *info, hd_affine form, const hd_point *point,
                        int64_t *value);

/* ---- divergence.c: which values lanes agree on ------------------------------- */

/* A uniform value is the same for all lanes that are active together, where a block's
 * lanes run as docs/machine.md says: of the waiting lanes those at the block that is first
 * in flow->rpo go first; lanes that take a back edge wait until no lane is left in their
 * iteration. */
typedef struct hd_divergence {
    bool *varying;   /* [kernel->inst_count]: the value may differ between lanes */
    bool *splits;    /* [block_count]: the terminator's condition is varying */
    bool *staggered; /* [loop_count]: lanes leave the loop in different iterations */
} hd_divergence;

/* Of all lanes of a block, for the machine. A uniform value may be kept in one cell for all
 * lanes, which every execution overwrites, phis as soon as some lanes take an edge to them: a
 * lane that uses the value later still finds its own. (A cell that two values share must not be
 * overwritten while lanes that wait at a block further behind need the other value.) */
hd_divergence *hd_divergence_of_block(hd_arena *arena, const kir_kernel *kernel,
                                      const hd_flow *flow);
/* Of the lanes of a warp, consecutive ones of a block, in the launch that `info` was made for. A
 * value that is uniform where it is made may differ where it is used, outside of a loop that
 * lanes left one by one: ask hd_is_varying_at(). */
hd_divergence *hd_divergence_of_warp(hd_arena *arena, const hd_kernel_info *info, uint32_t warp);
/* Whether lanes that are active together in `block` may hold different values. */
bool hd_is_varying_at(const hd_kernel_info *info, const hd_divergence *divergence, kir_value value,
                      uint32_t block);

/* together.c: what makes the threads of a block belong together, in words ("it has a barrier"): then
 * only whole blocks may do each other's work. NULL: nothing does, any thread may do any other's.
 * *at, which may be NULL, is the instruction that shows it, KIR_NONE where a variable or a parameter
 * does. */
const char *hd_threads_stay_together(const kir_kernel *kernel, kir_value *at);

/* waits.c: a loop may ask memory for what a thread of another block will write: it reads one place
 * again and again, volatile or by atomics that leave it as it is. */
bool hd_may_wait(const kir_kernel *kernel, const hd_flow *flow);

/* registers.c: 32-bit registers of a thread, as NVIDIA's compiler assigns them for a device; an
 * estimate. NULL: for an SM that has 32 registers for each of its threads, as most have. */
uint32_t hd_kernel_registers(const kir_kernel *kernel, const hd_flow *flow,
                             const hd_device *device);

#endif
