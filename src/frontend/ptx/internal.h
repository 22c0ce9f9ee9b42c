/*
 * What the files that lower PTX share. Nobody else includes this. The map:
 *
 *     lower.c      a module, its kernels, their parameters and variables
 *     ssa.c        registers are variables: blocks, phis, and the order of blocks
 *     operand.c    what an operand is worth, and where a result goes
 *     control.c    labels, branches, predicates, calls
 *     instructions.c  which rule an instruction has, and all that there are
 *     recursion.c  calls of functions that are at work already
 *     rules.c, float.c, convert.c, memory.c, bulk.c, thread.c, mbarrier.c, matrix.c, wmma.c, texture.c
 *                  instructions
 *     pointers.c   addresses, which PTX computes with integers, become addresses of kir
 *     promote.c    private memory becomes values
 *     types.c      floats that are bits in the text, elements of buffers
 *     tables.c     types of registers, words, places
 *     inline.c     inline assembly of CUDA C
 */
#ifndef HD_FRONT_PTX_INTERNAL_H
#define HD_FRONT_PTX_INTERNAL_H

#include "frontend/build.h"
#include "frontend/ptx/ast.h"

/* Where a variable of a function's body, or a parameter of its, is in one inlined copy. */
typedef struct ptx_storage {
    uint32_t first;   /* number of its first variable of SSA, where it has no memory */
    kir_value memory; /* its address, or KIR_NONE */
    bool is_in_frame; /* its memory is on the stack of recursive functions, */
    uint64_t offset;  /* so far behind the top */
} ptx_storage;

/* The names of a function. */
typedef struct ptx_names {
    const ptx_function *function;
    const ptx_variable **variables; /* results, parameters, then those of the body */
    uint32_t count;
    hd_hash_table index; /* of variables, by name; of a range by what stands before its number */
} ptx_names;

/* A copy of a function that calls itself, perhaps through others. */
typedef struct ptx_recursion {
    uint32_t entry, way; /* block; variable: which call it returns to, 0 the one that is inlined */
    front_values ways;   /* blocks behind the other calls, from 1 */
} ptx_recursion;

/* An inlined copy of a function, or the kernel itself. */
typedef struct ptx_instance {
    const ptx_names *names;
    struct ptx_instance *caller;
    hd_hash_table labels; /* blocks */
    ptx_storage *storage;
    uint32_t end;   /* block that a return leads to; KIR_NONE: the kernel's */
    uint32_t carry; /* variable: the carry of add.cc and its like */
    hd_place place; /* of the call */
    uint32_t file;
    bool is_from_source;      /* the place is one of the source */
    ptx_recursion *recursion; /* or NULL */
    uint64_t frame_bytes; /* of memory on the stack, with that of its callers in the recursion */
} ptx_instance;

typedef struct ptx_phi {
    kir_value value;
    uint32_t variable, block;
} ptx_phi;

/* A register and what is added to it, as an address in one block. */
typedef struct ptx_pointed {
    kir_value value;
    uint32_t block, space, zero;
    int64_t offset;
} ptx_pointed;

/* One kernel at work. */
typedef struct ptx_lowering {
    front_builder out;
    hd_arena *arena;
    const hd_diag *diag;
    const ptx_module *ptx;
    struct ptx_shared *shared;
    const ptx_function *entry;
    kir_kernel *kernel;
    hd_vec(kir_static) statics;
    hd_hash_table static_of; /* index by the address of a ptx_variable */
    uint32_t dynamic;        /* the static of all unsized shared arrays, or KIR_NONE */
    kir_value stack;         /* of recursive functions: memory, or KIR_NONE; */
    uint32_t top;            /* variable: bytes of it that are in use */
    /* SSA */
    hd_vec(kir_type) variables;
    hd_hash_table definitions; /* values by variable << 32 | block */
    hd_vec(ptx_phi) phis;
    hd_vec(front_values) phi_lists; /* by block */
    hd_vec(front_values) lists;     /* out.lists */
    hd_hash_table known_pointers;   /* INTTOPTR by ptx_pointed */
    bool is_open;                   /* the current block has no terminator yet */
    bool is_inline;                 /* stands between instructions of others */
    uint32_t first_block;           /* where it begins */
    uint32_t next_block;            /* those from here on, and the first one, are its own */
    front_values given;             /* variables that nobody writes but before it */
    /* the instruction at work */
    ptx_instance *at;
    const ptx_inst *inst;
    const void *what;      /* of its rule */
    kir_value predicate;   /* results count where this holds; KIR_NONE: always */
    front_values pointers; /* integers that the text says are addresses */
    uint32_t length;       /* instructions lowered so far */
} ptx_lowering;

/* What the kernels of a module share. */
typedef struct ptx_shared {
    hd_arena *arena;
    const hd_diag *diag;
    const ptx_module *ptx;
    hd_hash_table functions, variables;      /* of the module: index of the first one by name */
    uint32_t *next_function, *next_variable; /* of the same name, each its part's own */
    hd_hash_table recursive; /* functions: whether they call themselves, once asked */
    bool *is_taken;          /* [functions]: somebody takes the address */
    ptx_names **names;       /* by function, made when first needed */
    uint32_t *file_of;       /* kir's file by PTX's; KIR_NONE: not asked for yet */
    bool *is_header;         /* a header of the toolkit or the system */
    hd_vec(kir_file) files;
    front_values entries; /* functions that are kernels */
    const char **titles;  /* of kernels, by their index */
} ptx_shared;

/* tables.c */
kir_type ptx_kir_type(ptx_type type); /* of a register: bf16 and b16 are i16 */
bool ptx_is_signed(ptx_type type);
bool ptx_is_float(ptx_type type); /* f16 to f64, also packed */
bool ptx_has(const ptx_inst *inst, const char *word);
/* The n-th type among the words from the end, 0 the last; PTX_NO_TYPE where there are fewer. */
ptx_type ptx_type_of(const ptx_inst *inst, uint32_t n);
/* The words with their dots. */
const char *ptx_opcode(hd_arena *arena, const ptx_inst *inst);
/* Sets the place of kir's instructions to that of l->inst. */
void ptx_set_place(ptx_lowering *l);
uint32_t ptx_file(ptx_shared *s, uint32_t file);
/* The source that a place stands for: outside of the toolkit's headers; NULL: none. */
const ptx_source *ptx_user_source(ptx_shared *s, const ptx_source *source);
/* The first failure: HD_EUNSUPPORTED at the instruction at work; nothing is reported after it, and
 * every operand is %0, so that whoever asked goes on to its end as if nothing were. */
void ptx_cannot(ptx_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What is no PTX: HD_EINPUT. */
void ptx_wrong(ptx_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ssa.c */
uint32_t ptx_variable_new(ptx_lowering *l, kir_type type);
void ptx_write(ptx_lowering *l, uint32_t variable, kir_value value);
kir_value ptx_read(ptx_lowering *l, uint32_t variable);
uint32_t ptx_block_new(ptx_lowering *l);
/* Ends the current block with a branch if it is open, and goes on in this one. */
void ptx_block_start(ptx_lowering *l, uint32_t block);
/* Terminators; after them the current block is closed. */
void ptx_end_block(ptx_lowering *l, kir_op op, uint32_t arg_count, const kir_value *args,
                   uint32_t to_count, const uint32_t *to);
void ptx_branch(ptx_lowering *l, uint32_t to);
void ptx_branch_if(ptx_lowering *l, kir_value condition, uint32_t yes, uint32_t no);
/* numbers[k] leads to to[k + 1], all others to to[0]; the numbers stay in use. */
void ptx_switch(ptx_lowering *l, kir_value by, uint32_t count, uint64_t *numbers,
                const uint32_t *to);
/* An instruction that stands in no block any more needs nothing. */
void ptx_drop(ptx_lowering *l, kir_value value);
/* All is lowered: fills in the phis, drops those that are none and what is not reached. Values in
 * `kept` get the names that they have then. */
void ptx_finish_ssa(ptx_lowering *l, front_values *kept);

/* operand.c */
static inline kir_type ptx_type_of_value(const ptx_lowering *l, kir_value value) {
    return front_type_of_value(&l->out, value);
}
static inline kir_type ptx_int(uint8_t bits) { return front_int_type(bits, 1); }
static inline kir_type ptx_real(uint8_t bits) { return (kir_type){KIR_FLOAT, bits, 1, 0}; }
static inline kir_value ptx_number(ptx_lowering *l, kir_type type, int64_t number) {
    return front_const_int(&l->out, type, number);
}
/* An operation whose result has the first operand's type. */
static inline kir_value ptx_op(ptx_lowering *l, kir_op op, kir_value a, kir_value b) {
    return front_emit2(&l->out, op, ptx_type_of_value(l, a), a, b);
}
static inline kir_value ptx_to(ptx_lowering *l, kir_op op, kir_type type, kir_value a) {
    return front_emit1(&l->out, op, type, a);
}
static inline kir_value ptx_is(ptx_lowering *l, kir_pred pred, kir_value a, kir_value b) {
    return front_emit_compare(&l->out, pred, a, b);
}
static inline kir_value ptx_choose(ptx_lowering *l, kir_value c, kir_value yes, kir_value no) {
    return front_emit_select(&l->out, c, yes, no);
}
kir_value ptx_call1(ptx_lowering *l, const char *name, kir_value a); /* of a's type */
kir_value ptx_call2(ptx_lowering *l, const char *name, kir_value a, kir_value b);
kir_value ptx_not(ptx_lowering *l, kir_value a);
static inline kir_value ptx_resize(ptx_lowering *l, kir_value value, kir_type type,
                                   bool is_signed) {
    return front_resize(&l->out, value, type, is_signed);
}
static inline kir_value ptx_bits_as(ptx_lowering *l, kir_value value, kir_type type) {
    return front_bits_as(&l->out, value, type);
}
/* Of l->inst: where an operand is missing, the instruction is refused. */
const ptx_operand *ptx_operand_at(ptx_lowering *l, uint32_t i);
/* The value of operand i as this type. */
kir_value ptx_get(ptx_lowering *l, uint32_t i, ptx_type type);
kir_value ptx_value(ptx_lowering *l, const ptx_operand *operand, ptx_type type);
/* Gives the value to the register that operand i is; narrower integers grow by their sign. */
void ptx_put(ptx_lowering *l, uint32_t i, kir_value value, bool is_signed);
void ptx_put_to(ptx_lowering *l, const ptx_operand *operand, kir_value value, bool is_signed);
/* Registers of PTX alone (front_special_registers has the others). */
extern const front_named_recipe ptx_special_registers[];
/* What a name of the function at work stands for. */
typedef struct ptx_symbol {
    enum {
        PTX_IS_NOTHING,
        PTX_IS_REGISTER, /* and a parameter that is a value */
        PTX_IS_MEMORY,
        PTX_IS_VARIABLE, /* of the module, or a shared one of the body */
        PTX_IS_FUNCTION
    } kind;
    uint32_t number; /* REGISTER: variable of SSA; FUNCTION: index */
    kir_value memory;
    const ptx_variable *variable;
} ptx_symbol;
ptx_symbol ptx_find(ptx_lowering *l, const char *name);
/* The same of the module, as a part of the text knows it. */
ptx_symbol ptx_find_in_module(const ptx_shared *s, const char *name, uint32_t part);
/* The type that a register was declared with; PTX_NO_TYPE: it is none. */
ptx_type ptx_declared(ptx_lowering *l, const ptx_operand *operand);
/* The address of a variable of the module or a shared one: a leaf, a pointer. */
kir_value ptx_static(ptx_lowering *l, const ptx_variable *variable);

/* lower.c */
ptx_lowering ptx_lowering_of(ptx_shared *s, uint32_t function);
void ptx_index_names(ptx_shared *s);
const ptx_names *ptx_names_of(ptx_shared *s, uint32_t function);

/* control.c */
/* Of a variable with all its elements, and where it may stand. */
uint64_t ptx_bytes_of(const ptx_variable *v);
uint32_t ptx_align_of(const ptx_variable *v);
ptx_instance *ptx_instance_new(ptx_lowering *l, const ptx_names *names, bool is_recursive);
void ptx_lower_body(ptx_lowering *l);
/* A function of sampling/, inlined: its result, four words as a vector or one value. */
kir_value ptx_call_library(ptx_lowering *l, const char *name, uint32_t count,
                           const kir_value *args);

/* The functions that the machine has, with the types of what they take: p an address, l 64 bits, u 32. */
typedef struct ptx_machine_function {
    const char *name, *call, *types;
    uint8_t result; /* bits */
} ptx_machine_function;
extern const ptx_machine_function ptx_machine_functions[];

/* recursion.c */
bool ptx_is_recursive(ptx_shared *s, uint32_t function);
/* Around the body of a copy of such a function. */
void ptx_begin_recursion(ptx_lowering *l, ptx_instance *callee);
void ptx_end_recursion(ptx_lowering *l, const ptx_instance *callee);
/* Calls a function that is at work, with values for its parameters, and gives those of its results. */
void ptx_call_again(ptx_lowering *l, ptx_instance *again, const kir_value *args,
                    kir_value *results);
/* The address of a variable that is on the stack. */
kir_value ptx_frame_memory(ptx_lowering *l, const ptx_storage *storage);

/* Instructions, in tables that end in a NULL name. Of several rules for one the first is taken. */
typedef struct ptx_rule {
    const char *name; /* the first word; with dots, others that it has, too: "mul.hi" */
    void (*lower)(ptx_lowering *l); /* NULL: as the recipe `what` says */
    const void *what;
    bool has_effect; /* so that a predicated one is branched around, not computed and dropped */
} ptx_rule;
extern const ptx_rule ptx_jump_rules[], ptx_integer_rules[], ptx_logic_rules[], ptx_float_rules[],
    ptx_convert_rules[], ptx_memory_rules[], ptx_thread_rules[], ptx_mbarrier_rules[],
    ptx_matrix_rules[], ptx_wmma_rules[], ptx_texture_rules[], ptx_bulk_rules[];

/* instructions.c: the first rule of a table whose name the instruction's first word is, and that names none
 * but words of its; and that of the instruction. NULL: there is none. */
const ptx_rule *ptx_find_rule(const ptx_rule *rules, const ptx_inst *inst);
const ptx_rule *ptx_rule_of(const ptx_inst *inst);

/* memory.c: the address that operand i is, a pointer to a space. */
kir_value ptx_address(ptx_lowering *l, uint32_t i, ptx_space space);
void ptx_set_order(ptx_lowering *l, kir_order unsaid);
/* An element, the index of which is an i64, of so many bytes behind it. */
kir_value ptx_address_plus(ptx_lowering *l, uint32_t i, ptx_space space, kir_value index,
                           uint32_t bytes);
/* What an operand of several registers becomes in memory, as elements of a type; and to and from that. */
kir_type ptx_moved_type(ptx_lowering *l, const ptx_operand *operand, ptx_type type);
void ptx_put_vector(ptx_lowering *l, const ptx_operand *operand, kir_value value, bool is_signed);
kir_value ptx_get_vector(ptx_lowering *l, const ptx_operand *operand, ptx_type type,
                         kir_type memory);
/* The word of an atomic operation, "add"; NULL: there is none. And one without a result. */
const char *ptx_operation_of(const ptx_inst *inst);
kir_value ptx_atomic(ptx_lowering *l, const char *word, ptx_type type, kir_value pointer,
                     kir_value operand);
/* The space that a word names, "shared" and "shared::cta"; PTX_NO_SPACE: none. */
ptx_space ptx_space_of(const ptx_inst *inst);
kir_space ptx_kir_space(ptx_space space);
/* An integer as a pointer that may point anywhere. */
kir_value ptx_pointer(ptx_lowering *l, kir_value integer);
static inline kir_value ptx_part(ptx_lowering *l, kir_value vector, uint32_t k) {
    return front_part(&l->out, vector, k);
}
static inline kir_value ptx_join(ptx_lowering *l, uint32_t count, const kir_value *parts) {
    return front_join(&l->out, count, parts);
}

/* mbarrier.c: the barrier hears of a thread's copies, which are done (cp.async.mbarrier.arrive). */
void ptx_lower_async_arrival(ptx_lowering *l);

/* mbarrier.c: so many bytes (i32) that the barrier waits for have come. */
void ptx_complete_bytes(ptx_lowering *l, kir_value barrier, kir_value bytes);
/* memory.c: cp.async of 4, 8 and 16 bytes; bulk.c: of more. */
void ptx_lower_bulk(ptx_lowering *l);
void ptx_lower_store(ptx_lowering *l);
void ptx_lower_atomic(ptx_lowering *l);

/* rules.c: what a recipe says ("tt: add(a, b)"); an empty one does nothing. */
void ptx_lower_recipe(ptx_lowering *l, const char *recipe);
/* float.c: an instruction whose words do not say what it does, and one that is not supported; what
 * else there is to say is in the rule. */
void ptx_lower_wordless(ptx_lowering *l);
void ptx_lower_refused(ptx_lowering *l);
/* Operand i as an integer for a condition: 1 or 0. */
kir_value ptx_bool(ptx_lowering *l, kir_value bit);
kir_value ptx_is_not_zero(ptx_lowering *l, kir_value value);

/* float.c: halves of a packed pair, as f16 or, of bf16x2, i16; and the pair. */
kir_value ptx_half(ptx_lowering *l, kir_value pair, ptx_type type, uint32_t k);
kir_value ptx_pair(ptx_lowering *l, kir_value low, kir_value high);
kir_value ptx_bf16_to_float(ptx_lowering *l, kir_value value);

/* pointers.c: on finished SSA. */
void ptx_find_pointers(ptx_lowering *l);

/* promote.c: before that, private memory whose accesses are all known becomes values. */
void ptx_promote(ptx_lowering *l);

/* types.c: then, floats that the text has as bits, and the elements of buffers. */
void ptx_find_types(ptx_lowering *l);

#endif
