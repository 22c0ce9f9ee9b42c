/*
 * kir: the kernel IR. A small SSA form of one kernel, after inlining, that
 * nothing but the front end needs LLVM for. See docs/kir.md for its text form.
 *
 * A kernel is an array of blocks, a block an array of instructions. An
 * instruction and the value it makes are one thing, named by its index in
 * kir_kernel.insts. Parameters and constants are instructions of block 0, at
 * its start. Every block ends in exactly one terminator; phis stand first in
 * their block. Types are scalars or short vectors; structs exist only in
 * memory, as bytes.
 */
#ifndef HD_KIR_H
#define HD_KIR_H

#include "base/base.h"
#include "kernel/image.h"
#include "layout/layout.h"

/* ---- types --------------------------------------------------------------- */

typedef enum kir_kind { KIR_VOID, KIR_INT, KIR_FLOAT, KIR_PTR } kir_kind;

/* Memory spaces, as in OpenCL; shared memory of CUDA is KIR_LOCAL. */
typedef enum kir_space { KIR_PRIVATE, KIR_GLOBAL, KIR_LOCAL, KIR_CONSTANT, KIR_GENERIC } kir_space;

typedef struct kir_type {
    uint8_t kind;  /* kir_kind */
    uint8_t bits;  /* int: 1, 8, 16, 32, 64; float: 16, 32, 64; ptr: 64 */
    uint8_t lanes; /* 1, or 2..16 of an OpenCL vector (a value of each work-item) */
    uint8_t space; /* kir_space, of pointers */
} kir_type;

/* Bytes of a value in memory (a 3-vector takes 3 elements; its alignment is 4's). */
uint32_t kir_type_bytes(kir_type type);

/* ---- instructions ---------------------------------------------------------- */

/* X(enumerator, text, types, kind)
 *
 * types: of the result, a colon, and of each operand:
 *     i f p   an integer, a float, a pointer     * anything     - none     ? anything or none
 *     r a     the type of the result, of the first operand
 *     s t     a scalar integer, an i1
 * `.` behind an operand: as many of it as there are, or none. Behind that of a conversion, whether it has
 * more bits than the result (>), fewer (<) or any (=); the lanes are the same.
 *
 * kind: C constant-like, P pure, M memory, T terminator, S side effect */
/* clang-format off */
#define KIR_OPS(X)                                                                              \
    /* leaves */                                                                                \
    X(PARAM, "param", "*:", C)     /* parameter `index` of the kernel */                        \
    X(CONST, "const", "*:", C)     /* imm[] holds the bits of every lane */                     \
    X(UNDEF, "undef", "*:", C)                                                                  \
    X(STATIC, "static", "p:", C)   /* address of static variable `index` of the kernel */       \
    /* work-item query `index` (kir_query); arg: the dimension */                               \
    X(QUERY, "query", "i:i.", P)                                                                \
    /* integer */                                                                               \
    X(ADD, "add", "i:rr", P) X(SUB, "sub", "i:rr", P) X(MUL, "mul", "i:rr", P)                  \
    X(SDIV, "sdiv", "i:rr", P) X(UDIV, "udiv", "i:rr", P) X(SREM, "srem", "i:rr", P)            \
    X(UREM, "urem", "i:rr", P)                                                                  \
    X(AND, "and", "i:rr", P) X(OR, "or", "i:rr", P) X(XOR, "xor", "i:rr", P)                    \
    X(SHL, "shl", "i:rr", P) X(LSHR, "lshr", "i:rr", P) X(ASHR, "ashr", "i:rr", P)              \
    /* floating point */                                                                        \
    X(FADD, "fadd", "f:rr", P) X(FSUB, "fsub", "f:rr", P) X(FMUL, "fmul", "f:rr", P)            \
    X(FDIV, "fdiv", "f:rr", P)                                                                  \
    X(FREM, "frem", "f:rr", P) X(FNEG, "fneg", "f:r", P)                                        \
    X(FMULADD, "fmuladd", "f:rrr", P) /* a*b + c, fused or not, as the device likes */          \
    /* comparison: `pred` says which; result i1 per lane */                                     \
    X(ICMP, "icmp", "*:*a", P) X(FCMP, "fcmp", "*:*a", P)                                       \
    X(SELECT, "select", "*:*rr", P)                                                             \
    /* conversion */                                                                            \
    X(TRUNC, "trunc", "i:i>", P) X(ZEXT, "zext", "i:i<", P) X(SEXT, "sext", "i:i<", P)          \
    X(FPTRUNC, "fptrunc", "f:f>", P) X(FPEXT, "fpext", "f:f<", P)                               \
    X(FPTOSI, "fptosi", "i:f=", P) X(FPTOUI, "fptoui", "i:f=", P)                               \
    X(SITOFP, "sitofp", "f:i=", P) X(UITOFP, "uitofp", "f:i=", P)                               \
    X(BITCAST, "bitcast", "*:*", P) X(PTRTOINT, "ptrtoint", "i:p=", P)                          \
    X(INTTOPTR, "inttoptr", "p:i=", P)                                                          \
    X(SPACECAST, "spacecast", "p:p=", P)                                                        \
    X(FREEZE, "freeze", "*:r", P)                                                               \
    /* vectors */                                                                               \
    X(EXTRACT, "extract", "*:*i", P)   /* vector, lane */                                       \
    X(INSERT, "insert", "*:r*i", P)     /* vector, element, lane */                             \
    /* two vectors; imm[] holds the mask, UINT64_MAX = undef */                                 \
    X(SHUFFLE, "shuffle", "*:*a", P)                                                            \
    /* addresses: args[0] + offset + sum of args[1+k] (sign-extended) * scale[k] */             \
    X(ADDR, "addr", "p:rs.", P)                                                                 \
    X(ALLOCA, "alloca", "p:", P)     /* imm[0] bytes of private memory, imm[1] alignment */     \
    /* memory */                                                                                \
    X(LOAD, "load", "*:p", M)         /* address */                                             \
    X(STORE, "store", "-:*p", M)       /* value, address */                                     \
    X(ATOMIC, "atomic", "?:p*.", M)    /* address, operand[, compare]; `index` is a kir_rmw */  \
    X(COPY, "copy", "-:ppi", M)         /* to, from, bytes: memcpy and memmove */               \
    X(FILL, "fill", "-:pii", M)         /* to, byte value, bytes: memset */                     \
    /* calls of built-in functions and synchronisation */                                       \
    X(CALL, "call", "?:*.", S)        /* `name`: demangled name of the built-in, e.g. "sqrt" */ \
    X(BARRIER, "barrier", "-:i", S)   /* flags */                                               \
    X(FENCE, "fence", "-:i", S)                                                                 \
    /* joining and leaving */                                                                   \
    X(PHI, "phi", "*:r.", P)          /* args[k] comes from block from[k] */                    \
    X(BR, "br", "-:", T)             /* to[0] */                                                \
    X(CONDBR, "condbr", "-:t", T)     /* to[0] if true, else to[1] */                           \
    X(SWITCH, "switch", "-:i", T)     /* to[0] is the default; imm[k] leads to to[k+1] */       \
    X(RET, "ret", "-:", T)                                                                      \
    X(UNREACHABLE, "unreachable", "-:", T)
/* clang-format on */

typedef enum kir_op {
#define X(name, text, args, kind) KIR_##name,
    KIR_OPS(X)
#undef X
        KIR_OP_COUNT
} kir_op;

/* Work-item queries; the dimension is the argument, a constant or not. */
/* clang-format off */
#define KIR_QUERIES(X)                                                                          \
    X(GLOBAL_ID, "global_id") X(LOCAL_ID, "local_id") X(GROUP_ID, "group_id")                   \
    X(GLOBAL_SIZE, "global_size") X(LOCAL_SIZE, "local_size") X(NUM_GROUPS, "num_groups")       \
    X(GLOBAL_OFFSET, "global_offset") X(WORK_DIM, "work_dim")                                   \
    X(ENQUEUED_LOCAL_SIZE, "enqueued_local_size")                                               \
    X(GLOBAL_LINEAR_ID, "global_linear_id") X(LOCAL_LINEAR_ID, "local_linear_id")
/* clang-format on */
typedef enum kir_query {
#define X(name, text) KIR_Q_##name,
    KIR_QUERIES(X)
#undef X
        KIR_QUERY_COUNT
} kir_query;

/* clang-format off */
#define KIR_PREDS(X)                                                                            \
    X(EQ, "eq") X(NE, "ne") X(SLT, "slt") X(SLE, "sle") X(SGT, "sgt") X(SGE, "sge")             \
    X(ULT, "ult") X(ULE, "ule") X(UGT, "ugt") X(UGE, "uge")                                     \
    X(OEQ, "oeq") X(ONE, "one") X(OLT, "olt") X(OLE, "ole") X(OGT, "ogt") X(OGE, "oge")         \
    X(UEQ, "ueq") X(UNE, "une") X(UFLT, "uflt") X(UFLE, "ufle") X(UFGT, "ufgt")                 \
    X(UFGE, "ufge") X(ORD, "ord") X(UNO, "uno") X(FALSE, "false") X(TRUE, "true")
/* clang-format on */
typedef enum kir_pred {
#define X(name, text) KIR_P_##name,
    KIR_PREDS(X)
#undef X
        KIR_PRED_COUNT
} kir_pred;

/* clang-format off */
#define KIR_RMWS(X)                                                                             \
    X(XCHG, "xchg") X(ADD, "add") X(SUB, "sub") X(AND, "and") X(OR, "or") X(XOR, "xor")         \
    X(MIN, "min") X(MAX, "max") X(UMIN, "umin") X(UMAX, "umax") X(INC, "inc") X(DEC, "dec")     \
    X(FADD, "fadd") X(CMPXCHG, "cmpxchg") X(LOAD, "load") X(STORE, "store")                     \
    /* of an i16, and of both halves of an i32 */                                               \
    X(BF16_ADD, "bf16_add") X(F16X2_ADD, "f16x2_add") X(BF16X2_ADD, "bf16x2_add")               \
    X(MBARRIER, "mbarrier") /* of an i64, as below */
/* clang-format on */
typedef enum kir_rmw {
#define X(name, text) KIR_RMW_##name,
    KIR_RMWS(X)
#undef X
        KIR_RMW_COUNT
} kir_rmw;

/* What an atomic or a fence orders, as in PTX: a release tells what its thread has seen and done to who
 * acquires it. Without a word a fence does both, an atomic nothing (it is relaxed), and a load or
 * store is no atomic access; a relaxed one is, as of a volatile variable in CUDA C. */
/* clang-format off */
#define KIR_ORDERS(X)                                                                           \
    X(UNSAID, "") X(RELAXED, "relaxed") X(ACQUIRE, "acquire") X(RELEASE, "release")             \
    X(ACQ_REL, "acq_rel")
/* clang-format on */
typedef enum kir_order {
#define X(name, text) KIR_##name,
    KIR_ORDERS(X)
#undef X
        KIR_ORDER_COUNT
} kir_order;

/* A barrier in memory, an i64: from bit 0 on the arrivals that its phase lacks, the arrivals of each
 * phase, the bytes that the phase lacks (two's complement), and the number of the phase. What the
 * atomic is given takes from the first two and adds to the third; a phase that lacks nothing is over,
 * and the next one begins. */
enum {
    KIR_MBARRIER_ARRIVALS = 20, /* bit, and width of the field before */
    KIR_MBARRIER_BYTES = 40,
    KIR_MBARRIER_BYTES_WIDTH = 21,
    KIR_MBARRIER_PHASE = 61
};

typedef uint32_t kir_value; /* index into kir_kernel.insts */
#define KIR_NONE UINT32_MAX

typedef struct kir_inst {
    kir_op op;
    kir_type type;  /* of the value; KIR_VOID when there is none */
    uint32_t block; /* the block it stands in */
    uint32_t arg_count;
    kir_value *args;
    uint32_t index;   /* PARAM, STATIC, QUERY, ATOMIC: see KIR_OPS */
    kir_pred pred;    /* ICMP, FCMP */
    const char *name; /* CALL */
    uint64_t *imm;    /* CONST, SHUFFLE, SWITCH, ALLOCA */
    uint32_t imm_count;
    /* ADDR */
    int64_t offset;        /* constant bytes */
    int64_t *scale;        /* [arg_count - 1], bytes */
    const char *record;    /* name of the outermost struct that the address steps into, or NULL */
    uint32_t field_offset; /* constant bytes stepped inside that struct */
    /* LOAD, STORE, ATOMIC */
    uint32_t align;
    bool is_volatile;
    /* LOAD, STORE, ATOMIC, FENCE */
    kir_order order;
    bool is_block_scope; /* for the threads of the block alone; else of the device */
    /* PHI: from[arg_count]; terminators: to[to_count] */
    uint32_t *from, *to;
    uint32_t to_count;
    uint32_t file, line, column; /* of the source; file indexes kir_module.files */
} kir_inst;

typedef struct kir_block {
    kir_value *insts; /* in order */
    uint32_t inst_count;
    uint32_t *preds, pred_count; /* filled by kir_finish() */
} kir_block;

/* A parameter of a kernel. */
typedef struct kir_param {
    const char *name;
    const char *type_name; /* as written: "__global struct body *", "float" */
    kir_type type;
    uint32_t bytes;           /* of a scalar or by-value struct argument */
    const hd_record *record;  /* pointee, when it is a struct; borrowed from the module */
    uint32_t element_bytes;   /* of the pointee; 0 for scalars and void pointers */
    const char *element_type; /* of the pointee: "float4", "struct body"; NULL for scalars */
    bool is_const, is_restrict, by_value_struct;
    kir_object object;       /* the array behind such a one, or a number that is known of one */
    kir_image_format format; /* of an image, where the kernel is compiled for it */
} kir_param;

/* An address that a variable holds from the start: 8 bytes of it are that of another variable of
 * the kernel (or the same one), plus so many bytes. */
typedef struct kir_pointer {
    uint64_t offset;
    uint32_t to; /* index of the static */
    int64_t addend;
} kir_pointer;

/* A variable that lives outside the stack: __local arrays, __constant tables, __device__
 * variables of CUDA (global space; one variable for all kernels that name it). */
typedef struct kir_static {
    const char *name;
    const char *symbol; /* what the compiler calls it, which no other has; NULL: the name */
    kir_space space;
    bool is_dynamic; /* local memory whose size the launch gives; bytes is 0 */
    uint64_t bytes;
    uint32_t align;
    const uint8_t *init; /* NULL: not initialised */
    const kir_pointer *pointers;
    uint32_t pointer_count;
    const hd_record *record; /* element type, when it is a struct */
} kir_static;

static inline const char *kir_symbol(const kir_static *s) {
    return s->symbol ? s->symbol : s->name;
}

/* A loop that the compiler has made two of, before and behind the iteration in which a question of its
 * body is answered otherwise, which is another for each lane: in the second one lanes of a warp are in
 * different iterations. Zeros: there is none. */
typedef struct kir_split {
    hd_place question;
    uint32_t loop, last; /* lines of the loop in the same file: of its head, and its last one */
} kir_split;

typedef struct kir_kernel {
    const char *name;
    hd_place place;
    kir_param *params;
    uint32_t param_count;
    kir_static *statics;
    uint32_t static_count;
    kir_inst *insts;
    uint32_t inst_count;
    kir_block *blocks; /* blocks[0] is the entry */
    uint32_t block_count;
    uint32_t required_local[3];   /* reqd_work_group_size, or 0 */
    uint32_t required_cluster[3]; /* blocks of a cluster, or 0 */
    uint32_t sub_group;           /* lanes of a sub-group that the source asks for, or 0 */
    kir_split split;              /* not in the text form */
} kir_kernel;

/* Lanes of a sub-group, in the order of their linear ids; the last one of a block may have fewer. */
static inline uint32_t kir_sub_group(const kir_kernel *kernel) {
    return kernel->sub_group ? kernel->sub_group : 32;
}

typedef struct kir_file {
    const char *name; /* as the user named it */
    const char *text; /* its contents; NULL when not readable */
} kir_file;

/* What a source language decides about running its kernels. A front end sets the rules of its own;
 * without any, kernels run as in OpenCL C.
 *
 *     blocks            a launch has blocks of threads and no offset; else global and local sizes,
 *                       and perhaps an offset
 *     returned_arrive   threads that have returned count as having arrived at a barrier; else all
 *                       must reach it
 *     printf_counts     printf gives the number of its arguments; else 0
 *     vector_structs    vectors and half are structs, and a vector of three has the size of three
 *                       elements; else they are types like int, and it has the size of four
 *     named_variables   a launch may give a buffer to a variable by its name, as to a parameter
 *     untyped_pointers  a launch may give a buffer to a 64-bit integer, which is its address then
 */
#define KIR_RULES(X)                        \
    X(BLOCKS, "blocks")                     \
    X(RETURNED_ARRIVE, "returned_arrive")   \
    X(PRINTF_COUNTS, "printf_counts")       \
    X(VECTOR_STRUCTS, "vector_structs")     \
    X(NAMED_VARIABLES, "named_variables")   \
    X(UNTYPED_POINTERS, "untyped_pointers")
enum {
#define X(name, text) KIR_RULE_##name,
    KIR_RULES(X)
#undef X
        KIR_RULE_COUNT
};
#define KIR_RULE(name) (1u << KIR_RULE_##name)
#define KIR_HAS(module, name) (((module)->rules & KIR_RULE(name)) != 0)

/* What a front end left out of a file. */
typedef struct kir_left_out {
    const char *name; /* of a kernel or a function of the device; NULL: it is none */
    hd_place place;
    const char *reason;
} kir_left_out;

/* Which code the kernels of a module are: the source's, access by access, or what the compiler of a
 * kind of device makes of it. */
typedef enum kir_form {
    KIR_AS_WRITTEN,
    KIR_FOR_NVIDIA,
    KIR_FOR_AMD,
    KIR_FOR_CPU,
    KIR_FORMS
} kir_form;

typedef struct kir_module {
    uint32_t rules; /* a bit for each of KIR_RULES */
    kir_form form;
    const char *device; /* which kind of device compiles the source, "opencl" or "cuda"; NULL: none
                         * does, as when there is only text of kir */
    kir_file *files;
    uint32_t file_count;
    /* The texts of all headers that the kernel file includes, but for the system's: also of those
     * that hold nothing but macros, in no particular order. */
    const char **headers;
    uint32_t header_count;
    hd_record **records;
    uint32_t record_count;
    kir_kernel **kernels;
    uint32_t kernel_count;
    kir_left_out *left_out;
    uint32_t left_out_count;
} kir_module;

/* kir.c: helpers */
/* Names in the text form, by op, query ... */
extern const char *const kir_op_names[KIR_OP_COUNT], *const kir_query_names[KIR_QUERY_COUNT];
extern const char *const kir_pred_names[KIR_PRED_COUNT], *const kir_rmw_names[KIR_RMW_COUNT];
extern const char *const kir_space_names[KIR_GENERIC + 1], *const kir_rule_names[KIR_RULE_COUNT];
extern const char *const kir_order_names[KIR_ORDER_COUNT];
const char *kir_op_name(kir_op op); /* "?" for what is none */
bool kir_is_terminator(kir_op op);
bool kir_is_memory(kir_op op);
bool kir_is_leaf(kir_op op); /* kind C: stands at the start of block 0 */
/* The instruction that ends a block. */
static inline const kir_inst *kir_terminator(const kir_kernel *kernel, uint32_t block) {
    const kir_block *b = &kernel->blocks[block];
    return &kernel->insts[b->insts[b->inst_count - 1]];
}
/* The low `width` bits of `bits` as a signed number; a single bit is 0 or 1. */
int64_t kir_sign_extend(uint64_t bits, uint32_t width);
/* Value of an integer constant, sign-extended (i1: 0 or 1); false when `value` is none. */
bool kir_const_int(const kir_kernel *kernel, kir_value value, int64_t *result);
/* Place of an instruction, with the text of its line. */
hd_place kir_place(hd_arena *arena, const kir_module *module, const kir_inst *inst);
bool kir_calls(const kir_kernel *kernel, const char *function);
/* Whether a kernel of this name is meant: "reduce<float,256>" means "reduce<float, 256U>". */
bool kir_names_kernel(const char *kernel, const char *meant);
const kir_kernel *kir_find_kernel(const kir_module *module, const char *name);
const hd_record *kir_find_record(const kir_module *module, const char *name);
/* The parameters that a launch gives; behind them stand the numbers that are asked of its images. */
uint32_t kir_given_params(const kir_kernel *kernel);
/* Of one of these numbers, "photo.width": what is asked, and of which parameter. */
const char *kir_asked_of_image(const kir_kernel *kernel, uint32_t param, uint32_t *image);

/* verify_kir.c: fills preds and checks every invariant; an error names the
 * instruction. Whoever builds kir calls this last. */
hd_status kir_finish(hd_arena *arena, const hd_diag *diag, kir_kernel *kernel);
/* The same of kernels in a text: errors stand at place(user, instruction), or at
 * place(user, KIR_NONE), the kernel's. */
typedef hd_place kir_place_fn(const void *user, kir_value value);
hd_status kir_finish_at(hd_arena *arena, const hd_diag *diag, kir_kernel *kernel,
                        kir_place_fn *place, const void *user);

/* text.c: the text form; parse.c: and back (tests write kernels in it).
 * kir_print_module() prints all that kir_parse() needs: files, records, kernels. */
const char *kir_space_name(kir_space space);               /* "global" */
const char *kir_type_text(hd_arena *arena, kir_type type); /* "f32x4", "ptr.global" */

void kir_print_module(hd_str *out, const kir_module *module);
/* All but its kernels, and one of them. */
void kir_print_head(hd_str *out, const kir_module *module);
void kir_print(hd_str *out, const kir_kernel *kernel);
hd_status kir_parse(hd_arena *arena, const hd_diag *diag, const char *file, const char *text,
                    kir_module **module);

#endif
