/*
 * What the files of the front end share. Nobody else includes this.
 */
#ifndef HD_FRONTEND_INTERNAL_H
#define HD_FRONTEND_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Target.h>

#include "frontend/build.h"

/* Pointers to small numbers. */
typedef hd_hash_table front_pointer_map;
static inline void front_pointer_map_set(hd_arena *arena, front_pointer_map *map, const void *key,
                                         uint32_t value) {
    map->arena = arena;
    hd_hash_set(map, (uintptr_t)key, value);
}
/* KIR_NONE when there is none. */
static inline uint32_t front_pointer_map_get(const front_pointer_map *map, const void *key) {
    return (uint32_t)hd_hash_get(map, (uintptr_t)key);
}

static inline bool starts_with(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

/* What libclang knows of a kernel that LLVM IR has forgotten. */
typedef struct front_signature {
    const char *name; /* of the function in LLVM IR */
    hd_place place;
    kir_param *params;
    hd_place *param_places;
    uint32_t param_count;
} front_signature;

/* Lines of a file, from 1. */
typedef struct front_lines {
    unsigned first, last;
} front_lines;

/* A source file as debug information knows it, and its index in kir_module.files. */
typedef struct front_known_file {
    const char *path; /* absolute, without links */
    uint32_t index;
    bool is_system; /* a header of CUDA's, clang's or the system's; not in kir_module.files */
    hd_vec(front_lines) generated; /* by the rewriter */
} front_known_file;

/* A kernel of the LLVM module. */
typedef struct front_entry {
    LLVMValueRef function;
    const char *symbol; /* its name in LLVM IR: "_Z5scaleIfEvPT_S0_" */
    const char *source; /* its name in the source: "scale<float>" */
    const char *name;   /* the same, but the symbol where overloads share that name */
    bool is_left_out;   /* front->left_out says why */
} front_entry;

typedef hd_vec(const char *) front_words;

/* A message of a compiler, or of ours that is not said yet. */
typedef struct front_message {
    hd_severity severity;
    hd_status status; /* that an error is worth */
    hd_place place;
    hd_place masked; /* where the user's text leads there; line 0: at `place` itself */
    const char *text;
} front_message;
typedef hd_vec(front_message) front_messages;

/* A kernel whose loop was split. */
typedef struct front_split {
    LLVMValueRef function;
    kir_split split;
} front_split;

/* What is left out of the file, and why. */
typedef struct front_left_out {
    const char *kernel;   /* its name; NULL: it is none */
    const char *function; /* of the device, by its plain name; NULL: it is none */
    bool is_header;       /* that is missing */
    front_message message;
} front_left_out;

/* mask.c: a file of which something is left out. */
typedef struct front_mask front_mask;
/* A function of which a statement is left out, by its lines. */
typedef struct front_masked_lines {
    front_mask *mask;
    uint32_t function;
    unsigned first, last;
} front_masked_lines;

/* One run of the front end. */
typedef struct front_state {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path;
    char **options; /* of the user, one word each */
    uint32_t option_count;
    front_words known;     /* of those, what is told of images and samplers (images.c) */
    unsigned architecture; /* that options of nvcc ask for, 80 for sm_80; 0: none */
    uint32_t wave;         /* lanes of a wave, of HIP; 0: it is CUDA C */
    front_words language;  /* see front_language() */
    bool is_cuda;          /* CUDA C; else OpenCL C */
    kir_form form;
    int macros;                 /* file in memory with the user's macros for CUDA C, or -1 */
    front_words system_folders; /* of headers that are not the user's */
    kir_module *module;
    hd_vec(front_entry) entries;
    hd_vec(kir_file) files;
    hd_vec(front_known_file) known_files;
    front_pointer_map debug_files; /* DIFile to index in known_files */
    hd_vec(hd_record *) records;
    hd_vec(const char *) headers; /* texts */
    hd_vec(front_signature) signatures;
    const char *const *wanted; /* names of kernels, NULL at the end; NULL: all of the user's */
    front_messages errors;     /* of the whole file, as the compiler saw it first */
    hd_vec(front_left_out) left_out;
    hd_vec(front_split) splits;
    hd_vec(front_mask *) masks;
    front_words missing; /* headers that are not there, and count as empty */
    int nothing;         /* an empty file in memory, or -1 */
    hd_vec(front_masked_lines) masked_lines;
    LLVMContextRef context;
    LLVMModuleRef llvm;
} front_state;

/* clang.c: ready to read `path` with the user's options, for a device as in kir_module. */
front_state front_of(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                     const char *device);

/* files.c: source files by name, and places in them. */
uint32_t front_file(front_state *front, const char *folder, const char *name);
/* Shares the module's file of this name if there is one, so that a place has its text. */
hd_place front_place(front_state *front, const char *name, unsigned line, unsigned column);
bool front_is_system_file(front_state *front, const char *name);
hd_place front_place_of(front_state *front, LLVMValueRef instruction, uint32_t *file);
/* The function of a header that the user called, where an instruction came out of one; else
 * NULL. */
const char *front_function_of(front_state *front, LLVMValueRef instruction);
/* It came out of a function that has this in its name. */
bool front_is_inside(front_state *front, LLVMValueRef instruction, const char *function);

/* nvcc.c: options that only nvcc has become clang's. */
void front_translate_nvcc(front_state *front);

/* command.c: fills front->language, the options that clang and libclang share: language,
 * target, headers and the user's own, and front->system_folders. */
hd_status front_language(front_state *front);
/* The same and what libclang needs besides. */
void front_libclang_words(front_state *front, front_words *words);
/* Adds those that stand in a text with blanks between, and those of another list. */
void front_add_words(front_state *front, front_words *words, const char *text);
void front_add_list(front_state *front, front_words *words, const front_words *list);
/* The clang that compiles. */
const char *front_clang(front_state *front);

/* prelude.c: the path of these headers ("-include a.h ...") precompiled, for words of the language,
 * of the user and for folders; NULL: include them as they are. */
const char *front_prelude(front_state *front, const front_words *language, const front_words *user,
                          const front_words *folders, const char *headers);

/* clang_compile.c: runs clang; *exit_status is waitpid's. */
hd_status front_run(front_state *front, const front_words *words, hd_str *output, hd_str *messages,
                    int *exit_status);
/* Source to bitcode; clang's messages become ours. What does not compile is left out,
 * and noted in front->left_out; an error where nothing helps. */
hd_status front_compile(front_state *front, hd_str *bitcode);
/* Says what is there, at most 20 warnings of it; the status of the first error. */
hd_status front_tell(front_state *front, const front_messages *messages);

/* mask.c: leaves out what an error is in; false where nothing more can go. */
bool front_mask_error(front_state *front, const front_message *error);
/* A header that is missing counts as empty. */
void front_mask_header(front_state *front, const char *name);
/* There is code for the device that stands at this line: true where a statement of it was left
 * out, which then goes as a whole. */
bool front_mask_device_function(front_state *front, const char *path, unsigned line);
/* Words by which clang reads masked files instead of the true ones. */
hd_status front_mask_words(front_state *front, front_words *words);
/* The same for missing headers alone. */
hd_status front_missing_words(front_state *front, front_words *words);
/* The text of masked file i, and its path. */
const char *front_masked_text(const front_state *front, size_t i, const char **path);
void front_masks_end(front_state *front);

/* clang.c: a kernel goes out of the module, for this reason. */
void front_leave_out(front_state *front, front_entry *entry, hd_status status,
                     const hd_place *place, const char *reason);

/* entry.c: finds the kernels of the LLVM module that are asked for. */
hd_status front_entries(front_state *front);
bool front_is_entry(const front_state *front, LLVMValueRef function);
/* What the source calls a function: "math::scale<float>". */
const char *front_function_name(front_state *front, LLVMValueRef function);
/* An operand of a node of metadata, as a value and as metadata; NULL: it has none there. */
LLVMValueRef front_operand(front_state *front, LLVMValueRef node, unsigned index);
LLVMMetadataRef front_operand_of(front_state *front, LLVMMetadataRef node, unsigned index);
/* The name of a DISubprogram, or NULL. */
const char *front_debug_name(front_state *front, LLVMMetadataRef subprogram);
/* A function's file, as debug information has it, and line; NULL: none is known. */
const char *front_function_file(front_state *front, LLVMValueRef function, unsigned *line,
                                bool *is_system);

/* records.c: structs and signatures of kernels. */
hd_status front_declarations(front_state *front);

/* prepare.c: printf, copies of vectors, functions without effects, of CUDA C. */
void front_prepare(front_state *front);
/* 2 or 4 for a built-in vector type of CUDA (float4, uchar2), else 0; those of 3 are structs
 * like others. */
unsigned front_cuda_vector_lanes(const char *name);
void front_mark_pure(front_state *front, LLVMValueRef function);
/* What a call says of the alignment of the pointer that it is given; 1: nothing. */
uint64_t front_argument_alignment(LLVMValueRef call, unsigned index);
/* The address `offset` bytes behind a pointer, which is to the same object. */
LLVMValueRef front_byte_address(front_state *front, LLVMBuilderRef builder, LLVMValueRef pointer,
                                uint64_t offset);

/* inlining.c: refuses kernels that come to recursion, or that inlining would make too long. */
void front_check_inlining(front_state *front);

/* compiled.c: LLVM's own pipeline for the target of the form; and the name of that target. */
hd_status front_optimise(front_state *front);
const char *front_triple(kir_form form);
/* split_loop.c: splits the only loop of a kernel where nvcc does, and notes it in front->splits. */
hd_status front_split_loops(front_state *front, LLVMBuilderRef builder);

/* passes.c: drops what no kernel reaches, checks inlining, then runs the fixed list of passes. */
hd_status front_simplify(front_state *front);
/* Runs LLVM's passes of this list, for a target where `machine` is not NULL. */
hd_status front_run_passes(front_state *front, LLVMTargetMachineRef machine, const char *list);

/* ---- from LLVM IR to kir: one kernel --------------------------------- */

/* A kernel under construction. */
typedef struct front_lowering {
    front_builder out;
    front_state *front;
    hd_arena *arena;
    LLVMValueRef function;
    LLVMTargetDataRef layout;
    const front_signature *signature;
    kir_kernel *kernel;
    hd_vec(kir_static) statics;
    LLVMBasicBlockRef *order; /* blocks in reverse post-order */
    uint32_t *ends;           /* of these: where they end, behind the jumps of inline assembly */
    front_values owners;      /* of blocks behind these: in which of them they stand */
    front_pointer_map blocks, values, spaces, globals;
    front_pointer_map members;       /* see front_member_address */
    hd_hash_table lanes;             /* see front_lane */
    front_pointer_map first_results; /* of what makes several at once: index in results */
    front_values results;
} front_lowering;

/* Records the first failure of a kernel: HD_EUNSUPPORTED at the place at work. What fails is %0 from
 * there on, so that whoever asked goes on to its end. */
void front_cannot(front_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Address spaces have the numbers of NVPTX and AMDGPU; else those of SPIR. */
static inline bool front_has_device_spaces(const front_state *front) {
    return front->is_cuda || front->form == KIR_FOR_NVIDIA || front->form == KIR_FOR_AMD;
}
/* spaces.c: which space a generic pointer really points into. */
void front_infer_spaces(front_lowering *l);
kir_space front_space_of(const front_lowering *l, LLVMValueRef pointer);

/* lower.c */
hd_status front_lower_kernel(front_state *front, const front_entry *entry, kir_kernel **kernel);
kir_type front_lower_type(front_lowering *l, LLVMTypeRef type);
kir_value front_value_of(front_lowering *l, LLVMValueRef value);
void front_set_value(front_lowering *l, LLVMValueRef value, kir_value result);
/* Of an instruction whose value is a struct, or a single one. */
void front_set_results(front_lowering *l, LLVMValueRef inst, uint32_t count,
                       const kir_value *results);
const char *front_print_value(front_lowering *l, LLVMValueRef value);
kir_value front_lower_binary(front_lowering *l, LLVMOpcode opcode, LLVMValueRef value);
kir_value front_lower_conversion(front_lowering *l, LLVMOpcode opcode, LLVMValueRef value);

/* address.c: getelementptr to ADDR, and which struct an address steps into. */
kir_value front_lower_gep(front_lowering *l, LLVMValueRef gep);
/* The address for an access of one member: says which struct it steps into even
 * where LLVM dropped the step because it adds no bytes. */
kir_value front_member_address(front_lowering *l, LLVMValueRef pointer);
/* Bytes of the struct that a pointer points at; 0 when it is none or not known. */
uint64_t front_pointee_bytes(front_lowering *l, LLVMValueRef pointer);
/* The record of a struct, or of the elements of an array; NULL: none. */
const hd_record *front_element_record(front_lowering *l, LLVMTypeRef type);

/* constant.c */
kir_value front_lower_constant(front_lowering *l, LLVMValueRef constant);

/* atomic.c: LLVM's atomic instructions and OpenCL's atomic built-ins. */
void front_set_order(front_lowering *l, kir_value value, LLVMValueRef instruction);
void front_lower_rmw(front_lowering *l, LLVMValueRef instruction);
void front_lower_cmpxchg(front_lowering *l, LLVMValueRef instruction);

/* clang_call.c: calls of built-ins and intrinsics. */
typedef struct front_call {
    LLVMValueRef inst;
    const char *name;  /* without mangling: "atomic_add" */
    const char *types; /* the mangled parameter types behind it: "PU3AS1Vii" */
    uint32_t arg_count;
    kir_value *args;
    kir_type type;    /* of the result */
    kir_value result; /* for whoever lowers the call to fill in; KIR_NONE: there is none */
} front_call;
void front_lower_call(front_lowering *l, LLVMValueRef instruction);
/* A function that gives memory of the device's heap: malloc, new. */
bool front_allocates(const char *function);
/* texture.c: a kernel is given a texture by this argument, as the address of its array. */
bool front_is_texture(LLVMValueRef argument);
/* The parameter that an object is; KIR_NONE: it is none by itself. */
uint32_t front_object_index(const front_lowering *l, LLVMValueRef object);
/* A number that is known of the object that this parameter is: a parameter more, "tex.width". */
kir_value front_number_of_object(front_lowering *l, uint32_t index, const char *what);
/* One of the functions that heddle_textures.h declares; false for another. */
bool front_lower_texture(front_lowering *l, front_call *call);
/* images.c: what the options tell of images and samplers takes the place of what asks for it. */
hd_status front_know_objects(front_state *front);
/* An image or a sampler of a kernel, as a parameter of kir. */
void front_declare_object(front_lowering *l, kir_param *param);
/* One of the functions that heddle_images.h declares; false for another. */
bool front_lower_image(front_lowering *l, front_call *call);
/* The call under another name. */
kir_value front_same(front_lowering *l, const front_call *call, const char *name);
/* What a recipe says of its arguments, with signs; KIR_NONE where that is no value. */
kir_value front_cook(front_lowering *l, const front_call *call, const char *recipe);
/* The code of the scalar that the first mangled parameter consists of or
 * points to: 'f', 'i', 'j' …; 'H' for half. */
char front_first_type_code(const char *types);
/* clang_builtin.c and atomic.c: false when the call is none of theirs. */
void front_set_written_order(front_lowering *l, kir_value value, const front_call *call,
                             uint32_t order_at, uint32_t scope_at);
bool front_lower_atomic_call(front_lowering *l, front_call *call);
bool front_lower_builtin(front_lowering *l, front_call *call);
/* lane.c: one lane of a vector. */
kir_value front_lane(front_lowering *l, kir_value vector, kir_value lane);
/* sub_group.c */
bool front_lower_sub_group(front_lowering *l, front_call *call);
/* nvptx.c: intrinsics behind "llvm.nvvm.", inline assembly. */
void front_lower_nvvm(front_lowering *l, front_call *call, const char *name);
void front_lower_assembly(front_lowering *l, LLVMValueRef call);
/* wmma.c: intrinsics behind "llvm.nvvm.wmma.". */
void front_lower_wmma(front_lowering *l, const front_call *call, const char *name);
/* convert.c */
bool front_lower_convert(front_lowering *l, front_call *call);

#endif
