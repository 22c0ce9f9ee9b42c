/*
 * What the files of the built-in functions share: tables of functions, and what
 * compiles a call component by component.
 */
#ifndef HD_VM_BUILTIN_H
#define HD_VM_BUILTIN_H

#include "machine/internal.h"

/* One built-in function. Without `compile` nothing is done for it. `shape` says which types it takes, the result's first, a letter
 * each; the *main* type is that of the elements of the first float argument, or of the
 * first argument when there is none:
 *
 *     f  a float, of the main type              F  the same, always a scalar
 *     h  the same, when it is a half            a  a float of any width
 *     x  a float, of as many components as the first argument, at most 4; c: 3 or 4
 *     n  an integer as wide as the main type    w  an integer twice as wide
 *     i  a 32-bit integer                       I  the same, always a scalar
 *     k  a 16-bit integer                       g  n, when that has 32 or 64 bits
 *     r  what a comparison gives: a 32-bit scalar, or a vector as wide as the main type
 *     s  the first argument's type               t  the same, of any number of components
 *     m  integers as wide as the main type, as many as the result's components
 *     d  an integer of any width                e  an integer of 64 bits, a scalar
 *     v  nothing                                _  a value of any type
 *     p  a pointer to private memory            P  any pointer
 *     *  anything, from here on
 *
 * All else that may be a vector is one of as many components as the result, or a scalar that
 * counts for all of them. A call that does not fit is none of this function. */
typedef struct vm_builtin {
    const char *name; /* a '*' at its end stands for any more */
    const char *shape;
    void (*compile)(vm_compiler *c, const void *what);
    const void *what; /* of compile: which one it is */
} vm_builtin;

/* Tables end in a NULL name. Everything in group.c, warp.c, barrier.c, printf.c and of the heap
 * depends on which lanes are active and runs for each of them, even where the result is the same
 * for all. */
extern const vm_builtin vm_integer_builtins[], vm_bit_builtins[], vm_float_builtins[],
    vm_format_builtins[], vm_vector_builtins[], vm_math_builtins[], vm_print_builtins[],
    vm_group_builtins[], vm_warp_builtins[], vm_barrier_builtins[], vm_matrix_builtins[],
    vm_machine_builtins[], vm_bulk_builtins[];

/* warp.c: the lanes of a warp wait for each other in it, or ask who is there. */
bool vm_is_warp_function(const char *name);

/* ---- builtin.c -------------------------------------------------------------------- */

/* Component `k` of argument `i` of the call at work. */
vm_operand vm_call_arg(vm_compiler *c, uint32_t i, uint32_t k);
/* Components of the result, or of the widest argument when there is none. */
uint32_t vm_call_lanes(const vm_compiler *c);
/* How the elements of argument `i` are stored. */
vm_elem vm_call_elem(const vm_compiler *c, uint32_t i);
/* The main type. */
kir_type vm_call_main(const vm_compiler *c);
vm_operand vm_float_constant(vm_compiler *c, vm_elem elem, double value);
/* The rounding that the end of a conversion's name says ("_rtz"), of fenv.h. */
int vm_rounding_of(const char *name, int otherwise);
/* An instruction that runs for every active lane, even where all operands are uniform. */
vm_op *vm_emit_for_lanes(vm_compiler *c, vm_op_fn *fn, const void *more);

/* Handlers that compute a component of the result, by how the first argument's elements are stored. */
typedef struct vm_handlers {
    vm_op_fn *fn[VM_F64 + 1];
} vm_handlers;
/* The `compile` of a function that has such; `what`: vm_handlers. */
void vm_compile_handlers(vm_compiler *c, const void *what);
#define VM_BY_ELEM(...)                         \
    vm_compile_handlers, &(const vm_handlers) { \
        {                                       \
            __VA_ARGS__                         \
        }                                       \
    }

/* One component of a call, for handlers that go lane by lane: vm_op.more. vm_op.imm is the rounding
 * that the function's name says, else FE_TONEAREST. */
typedef struct vm_call {
    const void *what; /* of the caller */
    vm_operand d, x[5];
    uint32_t count; /* arguments */
    bool has_result;
} vm_call;
typedef struct vm_caller {
    vm_op_fn *fn;
    const void *what;
} vm_caller;
/* The `compile` of a function of the active lanes, or of one that may run once for all of them where
 * the operands are the same; `what`: vm_caller. */
void vm_compile_lanes(vm_compiler *c, const void *what);
void vm_compile_each(vm_compiler *c, const void *what);
#define VM_LANES(...)                                    \
    vm_compile_lanes, &(const vm_caller) { __VA_ARGS__ }
#define VM_EACH(...)                                    \
    vm_compile_each, &(const vm_caller) { __VA_ARGS__ }
/* Stores `count` components at the private address that `pointer` is. */
void vm_emit_private_store(vm_compiler *c, kir_value pointer, uint32_t count,
                           const vm_operand *values);

/* ---- loops of handlers ------------------------------------------------------------ */

/* A handler that computes `value` of operands a[j], b[j] and c[j], 16 lanes at a time, active or
 * not: it must be defined for any. `first` stands before the loop. */
#define VM_HANDLER(name, D, A, B, C, first, value)      \
    static void name(vm_run *r, const vm_op *op) {      \
        first;                                          \
        VM_EACH_CHUNK(r, op, at) {                      \
            D *d = VM_CELL(r, op->d, D) + at;           \
            const A *a = VM_ARG(r, op, A, a, at);       \
            const B *b = VM_ARG(r, op, B, b, at);       \
            const C *c = VM_ARG(r, op, C, c, at);       \
            (void)b, (void)c;                           \
            const uint8_t *m = r->active.lane + at;     \
            bool all = r->whole || op->uniform;         \
            for (uint32_t j = 0; j < VM_CHUNK; j++)     \
                d[j] = all || m[j] ? (D)(value) : d[j]; \
        }                                               \
    }

/* Runs a statement for each active lane `lane` of an instruction; of a uniform one only for
 * lane 0, then VM_REPLICATE makes the result that of all. */
#define VM_EACH_LANE(r, op, lane)                                                        \
    VM_EACH_CHUNK(r, op, chunk_)                                                         \
    for (uint32_t lane = chunk_; lane < chunk_ + ((op)->uniform ? 1 : VM_CHUNK); lane++) \
        if ((op)->uniform || (r)->active.lane[lane])
#define VM_REPLICATE(r, op, T, at)                                       \
    for (uint32_t copy_ = 1; (op)->uniform && copy_ < VM_CHUNK; copy_++) \
    VM_CELL(r, at, T)[copy_] = VM_CELL(r, at, T)[0]

/* One lane's element of a cell. */
#define VM_AT(r, operand, T, lane) (VM_CELL(r, (operand).at, T)[(operand).varying ? (lane) : 0])
/* The same of a float of any width. */
static inline double vm_real_at(const vm_run *r, vm_operand operand, uint32_t lane) {
    return vm_real_of(operand.elem, vm_element(r, operand, lane));
}

/* Bits that are 1, without an instruction for it, which not every x86-64 has. */
static inline uint64_t vm_count_ones(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
}

#endif
