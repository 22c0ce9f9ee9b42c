/*
 * What front ends share to write kir: instruction by instruction (build.c), special registers of
 * PTX (special.c), arithmetic by tables (recipe.c), CUDA's mathematics (libdevice.c), the last touches
 * (tidy.c), and names out of symbols (symbol.c).
 */
#ifndef HD_FRONTEND_BUILD_H
#define HD_FRONTEND_BUILD_H

#include "base/table.h"
#include "kernel/kir.h"

typedef hd_vec(kir_value) front_values;

/* A kernel under construction. Values live in `insts` in the order they were
 * made; `lists` says in which block they stand, and in which order. */
typedef struct front_builder {
    hd_arena *arena;
    hd_vec(kir_inst) insts;
    front_values leaves; /* parameters, constants, statics: the start of block 0 */
    front_values entry;  /* allocas and constant addresses: after the leaves */
    front_values *lists; /* [block_count] */
    uint32_t block_count;
    hd_hash_table known_leaves; /* by front_leaf() */
    front_values *current;      /* where emitted instructions go */
    uint32_t current_block;
    hd_place place; /* of the source's instruction at work */
    uint32_t file;
    hd_status status; /* the first failure; nothing is reported after it */
} front_builder;

/* build.c: instructions one by one. Pointers into insts die with the next emit. */
kir_value front_emit(front_builder *b, kir_op op, kir_type type, uint32_t arg_count,
                     const kir_value *args);
kir_value front_emit1(front_builder *b, kir_op op, kir_type type, kir_value x);
kir_value front_emit2(front_builder *b, kir_op op, kir_type type, kir_value x, kir_value y);
kir_value front_emit_compare(front_builder *b, kir_pred pred, kir_value x, kir_value y);
kir_value front_emit_select(front_builder *b, kir_value condition, kir_value yes, kir_value no);
/* `x pred y` ? x : y */
kir_value front_emit_either(front_builder *b, kir_pred pred, kir_value x, kir_value y);
kir_value front_emit_load(front_builder *b, kir_type type, kir_value address, uint32_t align);
void front_emit_store(front_builder *b, kir_value value, kir_value address, uint32_t align);
kir_value front_emit_atomic(front_builder *b, kir_rmw rmw, kir_type type, uint32_t arg_count,
                            const kir_value *args);
/* The operation of this name, as kir has it, on numbers of a kind; KIR_RMW_COUNT: there is none. */
kir_rmw front_rmw_of(const char *name, bool is_unsigned, bool is_float);
kir_value front_emit_alloca(front_builder *b, uint64_t bytes, uint64_t align);
kir_value front_emit_call(front_builder *b, const char *name, kir_type type, uint32_t arg_count,
                          const kir_value *args);
/* The same of a function that writes a value of this type behind its last argument, a pointer. */
kir_value front_emit_written(front_builder *b, const char *name, kir_type result,
                             uint32_t arg_count, const kir_value *args, kir_type type);
/* base + index * scale + offset; `index` may be KIR_NONE. Joins what the base
 * adds already. */
kir_value front_emit_addr(front_builder *b, kir_value base, kir_value index, int64_t scale,
                          int64_t offset);
/* A leaf in block 0, shared when there is an equal one. imm[type.lanes]. */
kir_value front_leaf(front_builder *b, kir_op op, kir_type type, const uint64_t *imm,
                     uint32_t index);
/* The integer constant in every lane. */
kir_value front_const_int(front_builder *b, kir_type type, int64_t number);
kir_value front_const_real(front_builder *b, kir_type type, double number); /* of one lane */
/* Whether a value is a constant integer of one lane, and which one. */
bool front_is_number(const front_builder *b, kir_value value, int64_t *number);
/* The low bits, or as many more as are missing. */
kir_value front_resize(front_builder *b, kir_value value, kir_type type, bool is_signed);
/* The same bits as another type of the same size. */
kir_value front_bits_as(front_builder *b, kir_value value, kir_type type);
kir_type front_type_of_value(const front_builder *b, kir_value value);
/* A part of a vector, and a vector of parts; a value with one lane is its own part. */
kir_value front_part(front_builder *b, kir_value vector, uint32_t k);
kir_value front_join(front_builder *b, uint32_t count, const kir_value *parts);
/* The same address in another space; emits nothing when it is there already. */
kir_value front_in_space(front_builder *b, kir_value pointer, kir_space space);
kir_type front_int_type(uint8_t bits, uint8_t lanes);
kir_type front_pointer_type(kir_space space);
kir_type front_element_type(kir_type vector);
/* Block 0 begins with the leaves, then allocas and constant addresses: done once, at the end. */
void front_join_entry(front_builder *b);

/* special.c: a special register of PTX that has a meaning for kir, by its name without the percent
 * sign; false for another. i32, but for those of time, which have 64 bits. */
bool front_special_register(front_builder *b, const char *name, kir_value *result);

/* recipe.c: arithmetic that a text says, "add(a, mul(b, 4))". The values of its letters are given, from
 * a on, and those that it names are added to them; room for 26. */
kir_value front_recipe(front_builder *b, const char *recipe, kir_value *letters, bool is_signed,
                       kir_type result);
/* A row of a table of them. A name with a dot at its end is the beginning of names. */
typedef struct front_named_recipe {
    const char *name, *recipe;
} front_named_recipe;
/* NULL: there is none. */
const char *front_find_recipe(const front_named_recipe *rows, size_t count, const char *name);
#define FRONT_FIND(rows, name) front_find_recipe(rows, sizeof(rows) / sizeof *(rows), name)
/* a / b as CUDA's __fdividef and PTX's div.approx have it: a divisor beyond 2^126 makes zero, or NaN of
 * an infinity. */
#define FRONT_FAST_DIVIDE(divide)                                       \
    "y = fabs(b); select(and(ogt(y, bits:f32(0x7e800000:i32)), olt(y, " \
    "bits:f32(0x7f800000:i32))), "                                      \
    "fmul(a, copysign(bits:f32(0:i32), b)), " divide "(a, b))"
/* special.c: all of them, up to a NULL name. */
extern const front_named_recipe front_special_registers[];

/* libdevice.c: a call of CUDA's mathematics, a function whose name begins so. False: none that is known;
 * without a result it stays as it is. */
#define FRONT_LIBDEVICE "__nv_"
typedef struct front_math {
    const char *name;
    uint32_t arg_count;
    const kir_value *args;
    kir_type type; /* of the result */
    kir_value result;
} front_math;
bool front_libdevice(front_builder *b, front_math *call);
/* What it gives and takes, "f:fi": h, i and l are integers of 16, 32 and 64 bits, f and d floats of 32 and 64,
 * p is a pointer, v nothing; NULL: it is not known. */
const char *front_libdevice_types(hd_arena *arena, const char *symbol);

/* tidy.c: marks all that the values in `work` are computed from as `needed`. */
void front_mark_needed(hd_arena *arena, const kir_inst *insts, front_values work, bool *needed);
/* Drops what nobody uses, joins blocks, numbers values in program order. */
void front_tidy(hd_arena *arena, kir_kernel *kernel, kir_inst *insts, uint32_t inst_count,
                front_values *lists, uint32_t block_count);

/* symbol.c: what C++ names are behind symbols. */
/* "scale" of "_Z5scalePf", "operator+"; what is no such symbol is itself. */
const char *front_function_of_symbol(hd_arena *arena, const char *symbol);
/* "a::b::" of "_ZN1a1b5scaleEv"; "" for what is in no namespace. */
const char *front_scope_of_symbol(hd_arena *arena, const char *symbol);
/* "shapes::B" of _ZTVN6shapes1BE, which holds the addresses of its virtual functions; else NULL. */
const char *front_class_of_table(hd_arena *arena, const char *symbol);
/* The plain name of a variable: "tile" of "_ZZ6kernelvE4tile", "ns::table" of "_ZN2ns5tableE". */
const char *front_symbol_name(hd_arena *arena, const char *symbol);

#endif
