/*
 * PTX as it stands in a text: what parse.c makes and lower.c reads. No types are checked here
 * beyond what the grammar asks for; names are resolved by who lowers.
 *
 * An instruction keeps its opcode as words, "ld.global.nc.v4.f32" as {"ld", "global", "nc", "v4",
 * "f32"}, since most modifiers are independent of each other and few matter to kir.
 */
#ifndef HD_FRONT_PTX_AST_H
#define HD_FRONT_PTX_AST_H

#include "kernel/feature.h"

/* X(enumerator, text, bits) */
/* clang-format off */
#define PTX_TYPES(X)                                                                            \
    X(NO_TYPE, "no type", 0) X(PRED, "pred", 1)                                                 \
    X(B8, "b8", 8) X(B16, "b16", 16) X(B32, "b32", 32) X(B64, "b64", 64) X(B128, "b128", 128)   \
    X(U8, "u8", 8) X(U16, "u16", 16) X(U32, "u32", 32) X(U64, "u64", 64)                        \
    X(S8, "s8", 8) X(S16, "s16", 16) X(S32, "s32", 32) X(S64, "s64", 64)                        \
    X(F16, "f16", 16) X(F16X2, "f16x2", 32) X(BF16, "bf16", 16) X(BF16X2, "bf16x2", 32)         \
    X(TF32, "tf32", 32) X(F32, "f32", 32) X(F64, "f64", 64)                                     \
    X(E4M3X2, "e4m3x2", 16) X(E5M2X2, "e5m2x2", 16)
/* clang-format on */
typedef enum ptx_type {
#define X(name, text, bits) PTX_##name,
    PTX_TYPES(X)
#undef X
} ptx_type;

typedef enum ptx_space {
    PTX_NO_SPACE, /* of an address: generic */
    PTX_REG,
    PTX_CONST,
    PTX_GLOBAL,
    PTX_LOCAL,
    PTX_PARAM,
    PTX_SHARED
} ptx_space;

/* Who may use a name: its own part of the text alone, or all parts. */
typedef enum ptx_linkage {
    PTX_INTERNAL,
    PTX_EXTERN, /* another part defines it */
    PTX_VISIBLE,
    PTX_WEAK,  /* several parts may define it, and one of them counts */
    PTX_COMMON /* the same; the largest counts */
} ptx_linkage;

typedef struct ptx_place {
    uint32_t line, column;
} ptx_place; /* in the PTX text, from 1 */

typedef enum ptx_operand_kind {
    PTX_NAME,    /* a register, special register ("%tid.x"), variable, label or function */
    PTX_INTEGER, /* integer; two's complement */
    PTX_FLOAT,   /* 0f..., 0d... or decimal: integer holds the bits of `type`, F32 or F64 */
    PTX_ADDRESS, /* [name + integer] or [integer]; name NULL then. What stands behind a comma in it,
                    as in a texture's [name, {x, y}], is in `list` */
    PTX_VECTOR,  /* {a, b, ...} of `list` */
    PTX_PAIR,    /* a|b: list[0] and list[1] */
    PTX_SINK     /* _ */
} ptx_operand_kind;

typedef struct ptx_operand {
    ptx_operand_kind kind;
    bool negated;     /* !%p */
    const char *name; /* with its dot and what stands behind it: "%tid.x" */
    int64_t integer;  /* also what is added to a NAME: "table+16" */
    ptx_type type;
    struct ptx_operand *list;
    uint32_t count;
    ptx_place place;
} ptx_operand;

/* `.loc`: where the source of what follows stands. */
typedef struct ptx_source {
    uint32_t file, line, column; /* file: index into ptx_module.files; line 0: none */
    const struct ptx_source
        *inlined_at; /* the call in the source that it was inlined at, or NULL */
} ptx_source;

typedef struct ptx_inst {
    ptx_place place;
    const ptx_source *source;
    const char *label;     /* a label that stands here: then there are no words */
    const char *predicate; /* @p, or NULL */
    bool unless;           /* @!p */
    const char *const *words;
    uint32_t word_count;
    ptx_operand *operands;
    uint32_t operand_count;
    /* call: results are operands[0] as a VECTOR (empty: none), then the function's NAME, arguments
     * as a VECTOR, and where the function is a register the NAME of its prototype or targets */
} ptx_inst;

/* A variable of any space, also parameters and registers. `.reg .b32 %r<5>` is one of count 5. */
typedef struct ptx_variable {
    const char *name;
    const char
        *symbol;   /* of the module's: its name, but where a part has one of its own that others
                           know, too, one that no text can write */
    uint32_t part; /* of the text, from 0 */
    ptx_linkage linkage;
    ptx_place place;
    ptx_space space;
    ptx_type type;
    uint32_t vector;         /* lanes of a .v2 or .v4; else 1 */
    uint32_t range;          /* %r<range>: %r0 to %r(range - 1); else 0 */
    uint32_t align;          /* bytes; 0: that of the type */
    bool is_array;           /* with [] */
    bool is_unsized;         /* [] without a number: extern shared */
    uint64_t count;          /* elements, all dimensions */
    bool is_pointer;         /* .ptr of a parameter */
    ptx_space pointee_space; /* of .ptr; PTX_NO_SPACE: generic */
    uint32_t pointee_align;
    uint8_t *init; /* count * bytes of an element, or NULL; addresses are zero there */
    struct ptx_relocation {
        uint64_t offset; /* bytes from the variable's start */
        uint32_t bytes;  /* 8, or fewer where a mask was written */
        uint32_t shift;  /* bits that the address is shifted right by; 0 but for odd masks */
        const char *name;
        int64_t addend;
        bool is_generic; /* generic(name) */
    } *relocations;
    uint32_t relocation_count;
} ptx_variable;

/* Scopes: `{ ... }` inside a body may declare names anew, so the parser gives each such variable a
 * name of its own and rewrites its uses. */
typedef struct ptx_function {
    const char *name;
    uint32_t part;      /* of the text, from 0 */
    const char *target; /* of that part */
    ptx_linkage linkage;
    ptx_place place;
    bool is_entry, has_body;
    ptx_variable *results; /* of a .func */
    uint32_t result_count;
    ptx_variable *params;
    uint32_t param_count;
    ptx_variable *variables; /* declared in the body: registers, .local, .shared, .param */
    uint32_t variable_count;
    ptx_inst *insts;
    uint32_t inst_count;
    uint32_t required_threads[3], most_threads[3]; /* .reqntid, .maxntid; 0: not given */
    uint32_t required_cluster[3];                  /* .reqnctapercluster */
    bool counts_clusters;                          /* a grid's sizes are of clusters */
    struct ptx_targets { /* .branchtargets: labels; .calltargets: functions */
        const char *label;
        const char *const *names;
        uint32_t count;
    } *targets;
    uint32_t targets_count;
} ptx_function;

typedef struct ptx_module {
    const char *path;
    const char *target; /* "sm_90a", of several the first sm_; of the first part */
    const char **files; /* .file; [0] is the PTX text itself, so that file 1 is files[1]. Those of
                           further parts stand behind */
    uint32_t file_count;
    ptx_variable *variables;
    uint32_t variable_count;
    ptx_function *functions; /* of several declarations and a definition only the definition; an
                                .alias is a copy of its function with a name of its own */
    uint32_t function_count;
} ptx_module;

uint32_t ptx_type_bits(ptx_type type); /* PRED: 1 */
const char *ptx_type_name(ptx_type type);
bool ptx_type_parse(const char *word, ptx_type *type); /* "f32"; false: no type */

/* parse.c: an HD_EINPUT located in the text for what is no PTX, HD_EUNSUPPORTED for a version above
 * 9.x's or below 3.0 and an address size other than 64. The text need not end in a zero. */
hd_status ptx_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
                    size_t length, ptx_module **module);

/* instructions.c: all instructions, registers and functions of PTX that are known by name, one row for each
 * rule, and refused ones; and what counts for an instruction. */
void ptx_add_features(hd_arena *arena, hd_features *all);
hd_feature ptx_feature_of(const ptx_inst *inst);

/* lower.c: every entry with a body becomes a kernel, functions inlined. */
struct kir_module;
hd_status ptx_lower(hd_arena *arena, const hd_diag *diag, const ptx_module *ptx,
                    struct kir_module **module);
/* The same one by one, for texts of which a program runs a part: kernel k, of the k-th entry with a
 * body, is NULL in the module until it is lowered. All that is given stays in use. */
struct ptx_shared;
struct ptx_shared *ptx_lower_begin(hd_arena *arena, const hd_diag *diag, const ptx_module *ptx,
                                   struct kir_module **module);
hd_status ptx_lower_entry(struct ptx_shared *shared, struct kir_module *module, uint32_t k);
/* What an address of a function counts as, by its index. */
int64_t ptx_function_number(uint32_t function);

#endif
