/*
 * What the files of the front end share. Nobody else includes this.
 */
#ifndef HD_FRONTEND_INTERNAL_H
#define HD_FRONTEND_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/table.h"
#include "kernel/kir.h"

/* Pointers to small numbers. */
typedef hd_hash_table hd_pointer_map;
static inline void hd_pointer_map_set(hd_arena *arena, hd_pointer_map *map, const void *key,
                                      uint32_t value) {
    map->arena = arena;
    hd_hash_set(map, (uintptr_t)key, value);
}
/* KIR_NONE when there is none. */
static inline uint32_t hd_pointer_map_get(const hd_pointer_map *map, const void *key) {
    return (uint32_t)hd_hash_get(map, (uintptr_t)key);
}

static inline bool starts_with(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

/* What libclang knows of a kernel that LLVM IR has forgotten. */
typedef struct hd_signature {
    const char *name; /* of the function in LLVM IR */
    hd_place place;
    kir_param *params;
    hd_place *param_places;
    uint32_t param_count;
} hd_signature;

/* A source file as debug information knows it, and its index in kir_module.files. */
typedef struct hd_known_file {
    const char *path; /* absolute, without links */
    uint32_t index;
    bool is_system; /* a header of CUDA's, clang's or the system's; not in kir_module.files */
} hd_known_file;

/* A kernel of the LLVM module. */
typedef struct hd_entry {
    LLVMValueRef function;
    const char *symbol; /* its name in LLVM IR: "_Z5scaleIfEvPT_S0_" */
    const char *source; /* its name in the source: "scale<float>" */
    const char *name;   /* the same, but the symbol where overloads share that name */
} hd_entry;

typedef hd_vec(const char *) hd_words;

/* One run of the front end. */
typedef struct hd_front {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path;
    char **options; /* of the user, one word each */
    uint32_t option_count;
    hd_words language;       /* see hd_front_language() */
    bool is_cuda;            /* CUDA C; else OpenCL C */
    int macros;              /* file in memory with the user's macros for CUDA C, or -1 */
    hd_words system_folders; /* of headers that are not the user's */
    kir_module *module;
    hd_vec(hd_entry) entries;
    hd_vec(kir_file) files;
    hd_vec(hd_known_file) known_files;
    hd_pointer_map debug_files; /* DIFile to index in known_files */
    hd_vec(hd_record *) records;
    hd_vec(const char *) headers; /* texts */
    hd_vec(hd_signature) signatures;
    LLVMContextRef context;
    LLVMModuleRef llvm;
} hd_front;

/* clang.c: ready to read `path` with the user's options. */
hd_front hd_front_of(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                     bool is_cuda);

/* files.c: source files by name, and places in them. */
uint32_t hd_front_file(hd_front *front, const char *folder, const char *name);
/* Shares the module's file of this name if there is one, so that a place has its text. */
hd_place hd_front_place(hd_front *front, const char *name, unsigned line, unsigned column);
hd_place hd_front_place_of(hd_front *front, LLVMValueRef instruction, uint32_t *file);
/* The function of a header that the user called, where an instruction came out of one; else
 * NULL. */
const char *hd_front_function_of(hd_front *front, LLVMValueRef instruction);

/* command.c: fills front->language, the options that clang and libclang share: language,
 * target, headers and the user's own, and front->system_folders. */
hd_status hd_front_language(hd_front *front);
/* The same and what libclang needs besides. */
void hd_front_libclang_words(hd_front *front, hd_words *words);
/* The clang that compiles. */
const char *hd_front_clang(hd_front *front);
/* Where it keeps its own files ("include" in it has its headers), or NULL. */
const char *hd_front_resources(hd_front *front);

/* compile.c: source to bitcode; clang's messages become ours. */
hd_status hd_front_compile(hd_front *front, hd_str *bitcode);

/* entry.c: finds the kernels of the LLVM module. */
hd_status hd_front_entries(hd_front *front);
bool hd_front_is_entry(const hd_front *front, LLVMValueRef function);
/* What the source calls a function: "math::scale<float>". */
const char *hd_function_name(hd_front *front, LLVMValueRef function);
/* The same of one that has no body here, from its symbol alone: "scale", "operator+". */
const char *hd_function_of_symbol(hd_arena *arena, const char *symbol);
/* "shapes::B" of _ZTVN6shapes1BE, which holds the addresses of its virtual functions; else NULL. */
const char *hd_class_of_table(hd_arena *arena, const char *symbol);
/* The name of a DISubprogram, or NULL. */
const char *hd_debug_name(hd_front *front, LLVMMetadataRef subprogram);
/* The plain name of a variable: "tile" of "_ZZ6kernelvE4tile", "ns::table" of "_ZN2ns5tableE". */
const char *hd_symbol_name(hd_arena *arena, const char *symbol);

/* records.c: structs and signatures of kernels. */
hd_status hd_front_declarations(hd_front *front);

/* prepare.c: printf, copies of vectors, functions without effects, of CUDA C. */
void hd_front_prepare(hd_front *front);
/* 2 or 4 for a built-in vector type of CUDA (float4, uchar2), else 0; those of 3 are structs
 * like others. */
unsigned hd_cuda_vector_lanes(const char *name);
void hd_front_mark_pure(hd_front *front, LLVMValueRef function);

/* inlining.c: refuses kernels that inlining would make too long; none is recursive. */
hd_status hd_front_check_inlining(hd_front *front);

/* passes.c: refuses recursion, then runs the fixed list of passes. */
hd_status hd_front_simplify(hd_front *front);

/* ---- from LLVM IR to kir: one kernel --------------------------------- */

typedef hd_vec(kir_value) hd_values;

/* A kernel under construction. Values live in `insts` in the order they were
 * made; `lists` says in which block they stand, and in which order. */
typedef struct hd_lowering {
    hd_front *front;
    hd_arena *arena;
    LLVMValueRef function;
    LLVMTargetDataRef layout;
    const hd_signature *signature;
    kir_kernel *kernel;
    hd_vec(kir_inst) insts;
    hd_vec(kir_static) statics;
    hd_values leaves; /* parameters, constants, statics: the start of block 0 */
    hd_values entry;  /* allocas and constant addresses: after the leaves */
    hd_values *lists; /* [block_count] */
    uint32_t block_count;
    LLVMBasicBlockRef *order; /* blocks in reverse post-order */
    hd_pointer_map blocks, values, spaces, globals;
    hd_pointer_map members; /* see hd_member_address */
    hd_pointer_map seconds; /* second results of calls that make a pair */
    hd_values *current;     /* where emitted instructions go */
    uint32_t current_block;
    hd_place place; /* of the LLVM instruction at work */
    uint32_t file;
    hd_status status; /* the first failure; nothing is reported after it */
} hd_lowering;

/* build.c: instructions one by one. Pointers into insts die with the next emit. */
kir_value hd_emit(hd_lowering *l, kir_op op, kir_type type, uint32_t arg_count,
                  const kir_value *args);
kir_value hd_emit1(hd_lowering *l, kir_op op, kir_type type, kir_value a);
kir_value hd_emit2(hd_lowering *l, kir_op op, kir_type type, kir_value a, kir_value b);
kir_value hd_emit_compare(hd_lowering *l, kir_pred pred, kir_value a, kir_value b);
kir_value hd_emit_select(hd_lowering *l, kir_value condition, kir_value yes, kir_value no);
kir_value hd_emit_load(hd_lowering *l, kir_type type, kir_value address, uint32_t align);
void hd_emit_store(hd_lowering *l, kir_value value, kir_value address, uint32_t align);
kir_value hd_emit_alloca(hd_lowering *l, uint64_t bytes, uint64_t align);
kir_value hd_emit_call(hd_lowering *l, const char *name, kir_type type, uint32_t arg_count,
                       const kir_value *args);
/* base + index * scale + offset; `index` may be KIR_NONE. Joins what the base
 * adds already. */
kir_value hd_emit_addr(hd_lowering *l, kir_value base, kir_value index, int64_t scale,
                       int64_t offset);
/* A leaf in block 0, shared when there is an equal one. imm[type.lanes]. */
kir_value hd_leaf(hd_lowering *l, kir_op op, kir_type type, const uint64_t *imm, uint32_t index);
/* The integer constant in every lane. */
kir_value hd_const_int(hd_lowering *l, kir_type type, int64_t number);
kir_type hd_type_of_value(const hd_lowering *l, kir_value value);
/* The same address in another space; emits nothing when it is there already. */
kir_value hd_in_space(hd_lowering *l, kir_value pointer, kir_space space);
kir_type hd_int_type(uint8_t bits, uint8_t lanes);
kir_type hd_pointer_type(kir_space space);
kir_type hd_element_type(kir_type vector);
/* Records the first failure of a kernel: HD_EUNSUPPORTED at the place at work. */
void hd_cannot(hd_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* spaces.c: which space a generic pointer really points into. */
void hd_infer_spaces(hd_lowering *l);
kir_space hd_space_of(const hd_lowering *l, LLVMValueRef pointer);

/* lower.c */
hd_status hd_lower_kernel(hd_front *front, const hd_entry *entry, kir_kernel **kernel);
kir_type hd_lower_type(hd_lowering *l, LLVMTypeRef type);
kir_value hd_value_of(hd_lowering *l, LLVMValueRef value);
void hd_set_value(hd_lowering *l, LLVMValueRef value, kir_value result);
const char *hd_print_value(hd_lowering *l, LLVMValueRef value);
kir_value hd_lower_binary(hd_lowering *l, LLVMOpcode opcode, LLVMValueRef value);
kir_value hd_lower_conversion(hd_lowering *l, LLVMOpcode opcode, LLVMValueRef value);

/* address.c: getelementptr to ADDR, and which struct an address steps into. */
kir_value hd_lower_gep(hd_lowering *l, LLVMValueRef gep);
/* The address for an access of one member: says which struct it steps into even
 * where LLVM dropped the step because it adds no bytes. */
kir_value hd_member_address(hd_lowering *l, LLVMValueRef pointer);
/* Bytes of the struct that a pointer points at; 0 when it is none or not known. */
uint64_t hd_pointee_bytes(hd_lowering *l, LLVMValueRef pointer);
/* Record body of "struct.body.12"; NULL for nameless and non-struct types. */
const hd_record *hd_record_of_type(hd_lowering *l, LLVMTypeRef type);

/* constant.c */
kir_value hd_lower_constant(hd_lowering *l, LLVMValueRef constant);

/* atomic.c: LLVM's atomic instructions and OpenCL's atomic built-ins. */
void hd_lower_rmw(hd_lowering *l, LLVMValueRef instruction);
void hd_lower_cmpxchg(hd_lowering *l, LLVMValueRef instruction);
kir_value hd_emit_atomic(hd_lowering *l, kir_rmw rmw, kir_type type, uint32_t arg_count,
                         const kir_value *args);

/* call.c: calls of built-ins and intrinsics. */
typedef struct hd_call {
    LLVMValueRef inst;
    const char *name;  /* without mangling: "atomic_add" */
    const char *types; /* the mangled parameter types behind it: "PU3AS1Vii" */
    uint32_t arg_count;
    kir_value *args;
    kir_type type; /* of the result */
} hd_call;
void hd_lower_call(hd_lowering *l, LLVMValueRef instruction);
/* The code of the scalar that the first mangled parameter consists of or
 * points to: 'f', 'i', 'j' …; 'H' for half. */
char hd_first_type_code(const char *types);
/* builtin.c and atomic.c: false when the call is none of theirs. */
bool hd_lower_atomic_call(hd_lowering *l, const hd_call *call, kir_value *result);
bool hd_lower_builtin(hd_lowering *l, const hd_call *call, kir_value *result);
/* nvptx.c: intrinsics behind "llvm.nvvm.", inline assembly. */
void hd_lower_nvvm(hd_lowering *l, const hd_call *call, const char *name);
void hd_lower_assembly(hd_lowering *l, LLVMValueRef call);
/* libdevice.c: functions that begin with "__nv_"; *result stays where there is none. */
bool hd_lower_libdevice(hd_lowering *l, const hd_call *call, kir_value *result);
/* convert.c */
bool hd_lower_convert(hd_lowering *l, const hd_call *call, kir_value *result);

/* tidy.c: drops what nobody uses, joins blocks, numbers values in program order. */
void hd_tidy(hd_arena *arena, kir_kernel *kernel, kir_inst *insts, uint32_t inst_count,
             hd_values *lists, uint32_t block_count);

#endif
