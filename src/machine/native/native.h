/*
 * Native code for the machine: what the operations of a kernel (internal.h) become.
 *
 *     operations of a node ──► groups ──► LLVM IR as text ──► libheddle-native ──► a function
 *
 * A function stands for the operations of one node or of one edge, and does what the interpreter
 * does with them: the same cells, the same events, the same faults. So either may run any node of any
 * block, and blocks go on in native code as soon as there is some.
 */
#ifndef HD_VM_NATIVE_H
#define HD_VM_NATIVE_H

#include "machine/lane_flow.h"
#include "machine/native/llvm/llvm.h"

/* A memory instruction of a group: one loop over the lanes makes all of them, and they are announced when
 * it has ended, in this order. */
typedef struct vm_group_member {
    uint32_t op;     /* of program->ops */
    uint32_t leader; /* the one that knows the region of both */
    uint32_t row;    /* of r->saved, where its addresses are; UINT32_MAX: nobody asks */
} vm_group_member;

typedef struct vm_group {
    vm_group_member *members;
    uint32_t count;
    uint32_t mis[KIR_GENERIC]; /* by space, which does not depend on addresses */
    bool is_generic;           /* that of some does */
} vm_group;

/* A kernel as IR. */
typedef struct vm_native_text {
    const char *ir;
    size_t length;
    uint32_t range_count;
    bool *
        has; /* [range_count] there is a function @fN for range N: of the nodes, then of all edges */
    vm_group *groups;
    uint32_t group_count, rows; /* rows of r->saved that it needs, each of 8 bytes for each lane */
} vm_native_text;

/* `traced`: addresses are kept, since somebody will hear of them. */
vm_native_text vm_native_write(hd_arena *arena, const vm_program *program, bool traced);

/* ---- native.c: when there is code, and whose it is ------------------------------------------------ */

typedef void vm_native_fn(vm_run *run);

/* The code of a kernel, for launches that somebody hears of or not. */
typedef struct vm_native_code {
    vm_native_fn **fn; /* [range_count]; NULL: the interpreter does it */
    vm_group *groups;
    uint32_t rows;
    bool traced;
    void *handle;
    hd_arena *arena;
} vm_native_code;

/* NULL: there is to be none. */
struct vm_native *vm_native_new(hd_arena *arena, const vm_program *program);
/* Before the program's memory goes; waits for a thread that compiles it. May be NULL. */
void vm_native_free(struct vm_native *native);
/* A worker begins a launch, and still has the counts of the last one. */
void vm_native_begin_launch(vm_run *r);
/* The code that this run may use, or NULL: there is none yet. To be asked at any node. */
const vm_native_code *vm_native_enter(vm_run *r);

/* libheddle-native, see llvm.h. NULL: it is not there, or LLVM is not. */
typedef struct vm_native_library {
    hd_native_target_fn *target;
    hd_native_compile_fn *compile;
    hd_native_load_fn *load;
    hd_native_unload_fn *unload;
} vm_native_library;
const vm_native_library *vm_native_open(void);

/* ---- code_cache.c */

/* Whether the code of this IR is on disk; it may be damaged. */
bool vm_native_is_kept(hd_arena *arena, const vm_native_library *llvm, const char *ir,
                       size_t length);
/* A module's machine code, to be freed, compiled now or before; NULL: *message, to be freed. */
void *vm_native_object(hd_arena *arena, const vm_native_library *llvm, const char *ir,
                       size_t length, size_t *bytes, char **message);

/* ---- cell_lives.c: which cells are read later ------------------------------------------------- */

typedef struct vm_cell_lives vm_cell_lives;
vm_cell_lives *vm_cell_lives_of(hd_arena *arena, const vm_program *program, uint32_t range_count);
/* The set behind the last operation of a node, or of one of its edges; the caller may change it. */
uint64_t *vm_live_at_end(hd_arena *arena, const vm_cell_lives *l, uint32_t node,
                         const vm_edge *edge);
/* From behind an operation to before it. */
void vm_live_step(const vm_cell_lives *l, const vm_op *op, uint64_t *live);
bool vm_is_live(const vm_cell_lives *l, const uint64_t *live, uint32_t cell);
uint32_t vm_live_words(const vm_cell_lives *l);

/* ---- lane_ir.c: one operation on the lanes of a chunk ------------------------------------------- */

/* How a value of the text is stored: as a cell's element, or a condition as an i1. */
enum { VM_BIT = VM_F64 + 1 };
typedef struct vm_ir_value {
    uint32_t name; /* 0: a constant */
    uint8_t type;  /* vm_elem or VM_BIT */
    bool varying;  /* of all lanes of a chunk */
    uint64_t bits; /* of a constant, which is uniform */
} vm_ir_value;

/* An address: so many bytes behind another value. */
typedef struct vm_ir_place {
    uint32_t base; /* a value's name; 0: nothing is known */
    int64_t offset;
} vm_ir_place;

/* base + index * scale, which has been computed. */
typedef struct vm_ir_step {
    uint32_t base, index, result;
    int64_t scale;
} vm_ir_step;

typedef struct vm_ir {
    hd_arena *arena;
    hd_str before, body;        /* what is done once, and for each chunk */
    uint32_t names, first;      /* the last name, and the last one before this group */
    hd_vec(vm_ir_place) places; /* of the names behind `first` */
    hd_vec(uint32_t) splats;    /* of the same: their names for all lanes, or 0 */
    hd_vec(vm_ir_step) steps;
} vm_ir;

/* A group begins: there is no text, and nothing is known of values. */
void vm_ir_begin(vm_ir *ir);
vm_ir_place vm_ir_place_of(const vm_ir *ir, vm_ir_value address);

/* "<16 x float>", "float" */
const char *vm_ir_type(uint8_t type, bool varying);
/* As the names of LLVM's functions end: "f32". */
const char *vm_ir_suffix(uint8_t type);
/* "%v12", or a constant spelt out as `varying` asks. */
const char *vm_ir_ref(vm_ir *ir, vm_ir_value v, bool varying);
/* Appends "%vN = ..." for a new value. */
vm_ir_value vm_ir_emit(vm_ir *ir, uint8_t type, bool varying, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
vm_ir_value vm_ir_constant(uint8_t type, uint64_t bits);
/* The same value in another type of its width, or a condition as a byte and back. */
vm_ir_value vm_ir_as(vm_ir *ir, vm_ir_value v, uint8_t type);
vm_ir_value vm_ir_splat(vm_ir *ir, vm_ir_value v);

/* How many operands an operation of lanes.h has, and their types. */
typedef struct vm_signature {
    uint32_t operands;
    uint8_t type[3];
    uint8_t result;
} vm_signature;
/* False: this one is left to the interpreter. */
bool vm_native_knows(uint16_t code, vm_signature *signature);
vm_ir_value vm_ir_operation(vm_ir *ir, const vm_op *op, const vm_ir_value *x);

#endif
