/*
 * Private to src/kernel: what its analyses tell each other.
 */
#ifndef HD_KERNEL_ANALYSIS_H
#define HD_KERNEL_ANALYSIS_H

#include "kernel/kernel.h"

/* A switch may lead to one block several times; the block is one successor. */
static inline bool kernel_edge_repeats(const kir_inst *terminator, uint32_t edge) {
    for (uint32_t i = 0; i < edge; i++)
        if (terminator->to[i] == terminator->to[edge])
            return true;
    return false;
}

/* ---- affine.c ------------------------------------------------------------------ */

int64_t kernel_common_divisor(int64_t a, int64_t b); /* the greatest; of 0 and 0 it is 0 */
hd_affine kernel_affine_constant(int64_t constant);
hd_affine kernel_affine_symbol(hd_arena *arena, hd_symbol_kind kind, uint32_t index);
/* The form without its term of this symbol. */
hd_affine kernel_affine_without(hd_arena *arena, hd_affine a, hd_symbol_kind kind, uint32_t index);
/* Where symbols stand in for ids whose range the launch gives: least and greatest
 * value of the form. False when a symbol has no known range. */
bool kernel_affine_range(const hd_binding *launch, hd_affine a, int64_t *low, int64_t *high);
/* Takes apart a = modulus * quotient + rest, where each term of `quotient` had a
 * factor that is a multiple of `modulus`, and rest.constant is in [0, modulus). */
void kernel_affine_split(hd_arena *arena, hd_affine a, int64_t modulus, hd_affine *quotient,
                         hd_affine *rest);
/* An integer operation of kir on two numbers of `bits` bits; false when it has no
 * result (division by zero) or is no such operation. */
bool kernel_fold(kir_op op, uint32_t bits, int64_t a, int64_t b, int64_t *result);
/* Number of groups, or sizes, that are known: 0 when not. */
uint64_t kernel_launch_size(const hd_binding *launch, kir_query query, uint32_t dimension);

/* ---- forms.c: the affine form of every value -------------------------------------- */

typedef enum kernel_base_kind {
    KERNEL_BASE_UNKNOWN, /* loaded, cast from an integer, or one of several */
    KERNEL_BASE_PARAM,
    KERNEL_BASE_STATIC,
    KERNEL_BASE_ALLOCA,
    KERNEL_BASE_ANY /* not reached yet: agrees with every other */
} kernel_base_kind;

/* What a pointer points into. index: parameter, static, or the ALLOCA's value. */
typedef struct kernel_base {
    kernel_base_kind kind;
    uint32_t index;
} kernel_base;

/* Of a pointer: `rest` plus a multiple of `modulus` bytes from its base; modulus 0: just that. */
typedef struct kernel_congruence {
    bool reached;
    int64_t modulus, rest;
} kernel_congruence;

typedef struct kernel_forms {
    hd_arena *arena;
    bool in_blocks; /* launches have no offset */
    const kir_kernel *kernel;
    const hd_flow *flow;
    hd_binding launch; /* with the local size that the kernel requires filled in */
    hd_affine *of;     /* of every scalar integer, and of pointers: bytes from their base */
    kernel_base *base; /* of pointers */
    kernel_congruence *congruence; /* of pointers */
    uint32_t *rank;                /* of a block in reverse post-order */
    /* Header phis found to be init + step * iteration. */
    bool *is_induction;
    int64_t *step;
    /* Iteration in which each loop is left, when that is a known number; else -1. */
    int64_t *last_iteration;
    uint32_t *visited, *generation; /* scratch of kernel_forms_walk */
} kernel_forms;

kernel_forms *kernel_forms_new(hd_arena *arena, const kir_module *module, const kir_kernel *kernel,
                               const hd_flow *flow, const hd_binding *binding);
/* One round over all values; true when it found a new induction variable, so that
 * another round may find more. */
bool kernel_forms_round(kernel_forms *forms);
/* The form of `value` as a user in `block` sees it: outside a loop the loop's
 * iteration number is its last one, or the form is the opaque value itself. */
hd_affine kernel_forms_at(const kernel_forms *forms, kir_value value, uint32_t block);
/* Calls `visit` for `value` and all that it is computed from, through every
 * operation but loads; through phis of loop headers into the loop only when
 * `into_loops`. Stops, and returns true, when `visit` does. */
typedef bool kernel_visit_fn(const kernel_forms *forms, kir_value value, void *user);
bool kernel_forms_walk(const kernel_forms *forms, kir_value value, bool into_loops,
                       kernel_visit_fn *visit, void *user);
/* True when block `from`, a predecessor of a loop's header, lies inside the loop. */
bool kernel_forms_is_latch(const kernel_forms *forms, uint32_t header, uint32_t from);
/* Name of what the pointer points into: "idx", "private memory". */
const char *kernel_forms_base_name(const kernel_forms *forms, kir_value pointer);
/* " at line 12", or nothing where the source does not tell. */
const char *kernel_at_line(const kernel_forms *forms, const kir_inst *inst);
/* Why the form is opaque, as in "depends on parameter n, whose value is not known". `shared` says
 * of each of its terms whether all lanes of a block agree on it; NULL: nothing is known of that. */
const char *kernel_forms_reason(const kernel_forms *forms, hd_affine form, const bool *shared);
/* The load that an opaque symbol of the form comes from, or KIR_NONE. */
kir_value kernel_forms_load_of(const kernel_forms *forms, hd_affine form);

/* ---- bases.c: what pointers point into, and where in an element ----------------- */

/* The operands, from *first to before the result, that a pointer is computed from; 0: none are. */
uint32_t kernel_pointer_sources(const kir_kernel *kernel, const kir_inst *inst, uint32_t *first);
/* Fills `base` and `congruence`. */
void kernel_find_pointers(kernel_forms *forms);

/* ---- guards.c: conditions ------------------------------------------------------------- */

/* One of several conditions that must hold together: i1 value == truth. */
typedef struct kernel_condition {
    kir_value value;
    bool truth;
} kernel_condition;
typedef hd_vec(kernel_condition) kernel_conditions;

/* Adds the parts of `value == truth` to `parts`: takes apart `and`, `or`, `not` and
 * their forms as select. Holds when, and only when, every part does. */
void kernel_condition_parts(const kernel_forms *forms, kir_value value, bool truth,
                            kernel_conditions *parts);
kir_pred kernel_pred_not(kir_pred pred);    /* of integers */
kir_pred kernel_pred_signed(kir_pred pred); /* ult -> slt, ... */
/* The conditions under which a block runs. */
typedef struct kernel_guards {
    hd_guard *guards;
    uint32_t count;
    bool conditional; /* also under one that is no guard */
} kernel_guards;
/* Which branches every block depends on; found once for a kernel. */
typedef struct kernel_controls kernel_controls;
kernel_controls *kernel_controls_new(const kernel_forms *forms);
kernel_guards kernel_guards_of_block(const kernel_forms *forms, const kernel_controls *controls,
                                     const hd_trip *trips, uint32_t block);

/* ---- evaluate.c: forms and values at one point of a launch ------------------------------ */

/* The counted exit of a loop. */
typedef struct kernel_exit_test {
    bool found, affine;
    uint32_t block;
    kir_pred pred;
    hd_affine start; /* affine */
    int64_t step;
    kir_value phi, init, next; /* not affine: the counter, before and around the loop */
    kir_value left, right;     /* both sides of the comparison */
} kernel_exit_test;

/* The point, and what is remembered while values are computed there. */
typedef struct hd_evaluator {
    const kernel_forms *f;
    kernel_exit_test *tests; /* of every loop */
    int64_t ids[HD_SYM_GLOBAL + 1][4];
    int64_t *iteration; /* of every loop */
    int64_t *phi;       /* values of the counters that are being run */
    bool *phi_known;
    int64_t *memo; /* values computed at this point: where stamp is the generation */
    uint32_t *stamp, generation;
} hd_evaluator;

hd_evaluator *kernel_evaluator_new(const kernel_forms *forms);
/* False when the value is not known before the kernel runs. */
bool kernel_evaluate_value(hd_evaluator *e, kir_value v, int64_t *result);
bool kernel_evaluate_form(hd_evaluator *e, hd_affine form, int64_t *result);

/* What a form depends on, as a user in `block` sees it. */
typedef struct kernel_dependence {
    uint32_t block;
    bool ids[HD_SYM_GLOBAL + 1][4];
    bool *loops;  /* whose counters stand in it */
    bool any;     /* some id or loop */
    bool unknown; /* some value that cannot be computed before the kernel runs, or the counter
                   * of a loop that is over, which has no iteration to be computed in */
} kernel_dependence;

kernel_dependence kernel_dependence_new(const kernel_forms *forms, uint32_t block);
void kernel_depend_on_form(hd_evaluator *e, hd_affine form, kernel_dependence *d);
/* What the number of passes of a loop's test depends on. */
void kernel_depend_on_test(hd_evaluator *e, uint32_t loop, kernel_dependence *d);

/* ---- divergence.c ------------------------------------------------------------------- */

/* A built-in function whose result follows from its arguments, and that does nothing else. */
bool kernel_is_pure_function(const char *name);

/* ---- kept.c --------------------------------------------------------------------------- */

/* Fills in `kept` and `keepable` of all accesses. */
void kernel_find_kept(const kernel_forms *forms, hd_kernel_info *info);

/* ---- trips.c ------------------------------------------------------------------------ */

/* Fills trips[loop] from the forms so far. With `means`, also the mean counts of
 * loops that vary. The evaluator knows the loops' tests. */
hd_evaluator *kernel_trips_find(const kernel_forms *forms, hd_trip *trips, bool means);

#endif
