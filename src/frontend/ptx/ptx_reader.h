/*
 * What the files of the PTX parser share: the reader, a recursive descent over tokens. After the
 * first error it sees only the end of the text, whose name is some name, so that every function falls
 * through to its caller and one message results.
 */
#ifndef HD_FRONT_PTX_READER_H
#define HD_FRONT_PTX_READER_H

#include "base/table.h"
#include "frontend/ptx/ast.h"

/* ---- type.c, lex.c: tokens and names -------------------------------------------- */

typedef enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD, /* with dots inside: an opcode, "%tid.x" */
    PTX_TOKEN_DOT,  /* ".global", ".shared::cta" */
    PTX_TOKEN_INTEGER,
    PTX_TOKEN_FLOAT,
    PTX_TOKEN_STRING,
    PTX_TOKEN_MARK
} ptx_token_kind;

typedef struct ptx_token {
    ptx_token_kind kind;
    uint32_t length; /* of its text, of a string without the quotes */
    const char *at;
    ptx_place place;
    uint32_t name;   /* WORD, DOT: number of the name */
    uint32_t mark;   /* MARK: its character, of two the second times 256 */
    int64_t integer; /* INTEGER, and the bits of a FLOAT */
    bool is_unsigned;
    ptx_type type; /* FLOAT: F32 or F64 */
} ptx_token;

#define PTX_MARK2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

/* Words of the grammar; their names come first, so that the number of a name is the word. Spaces stand
 * in the order of ptx_space. */
/* clang-format off */
#define PTX_KEYS(X)                                                                             \
    X(VERSION, ".version") X(TARGET, ".target") X(ADDRESS_SIZE, ".address_size")                \
    X(FILE, ".file") X(LOC, ".loc") X(SECTION, ".section") X(PRAGMA, ".pragma")                 \
    X(VISIBLE, ".visible") X(WEAK, ".weak") X(EXTERN, ".extern") X(COMMON, ".common")           \
    X(ALIAS, ".alias") X(FUNC, ".func") X(ENTRY, ".entry") X(NORETURN, ".noreturn")             \
    X(MAXNTID, ".maxntid") X(REQNTID, ".reqntid") X(MINNCTAPERSM, ".minnctapersm")              \
    X(MAXNCTAPERSM, ".maxnctapersm") X(MAXNREG, ".maxnreg") X(LOCAL_MAXNREG, ".local_maxnreg")  \
    X(REQNCTAPERCLUSTER, ".reqnctapercluster") X(MAXCLUSTERRANK, ".maxclusterrank")             \
    X(EXPLICITCLUSTER, ".explicitcluster") X(BLOCKSARECLUSTERS, ".blocksareclusters")           \
    X(ABI_PRESERVE, ".abi_preserve") X(ABI_PRESERVE_CONTROL, ".abi_preserve_control")           \
    X(BRANCHTARGETS, ".branchtargets") X(CALLTARGETS, ".calltargets")                           \
    X(CALLPROTOTYPE, ".callprototype") X(ATTRIBUTE, ".attribute") X(ALIGN, ".align")            \
    X(PTR, ".ptr") X(V2, ".v2") X(V4, ".v4") X(TEXREF, ".texref") X(SAMPLERREF, ".samplerref")  \
    X(SURFREF, ".surfref") X(UNIFIED, ".unified") X(REG, ".reg") X(CONST, ".const")             \
    X(GLOBAL, ".global") X(LOCAL, ".local") X(PARAM, ".param") X(SHARED, ".shared")             \
    X(SINK, "_") X(WARP_SZ, "WARP_SZ") X(GENERIC, "generic") X(FUNCTION_NAME, "function_name")  \
    X(INLINED_AT, "inlined_at")
/* clang-format on */
typedef enum ptx_keyword {
#define X(name, text) PTX_KEY_##name,
    PTX_KEYS(X)
#undef X
        PTX_KEY_TYPE, /* one for each ptx_type; PTX_NO_TYPE's is no word of PTX */
    PTX_KEYWORDS = PTX_KEY_TYPE + PTX_E5M2X2 + 1
} ptx_keyword;

/* Everything that is known of a name; there is one row for each text. */
typedef struct ptx_name {
    const char *text;
    const char *const *words; /* of it as an opcode; NULL: not asked for yet */
    uint32_t word_count;
    uint32_t function, variable; /* of the module, as this part knows it: index + 1; 0: none */
    uint32_t declared; /* in the body at hand, the innermost declaration: index + 1; 0: none */
} ptx_name;

/* What a body declares, while the scope is open that it stands in. */
typedef struct ptx_declaration {
    uint32_t name, outer; /* outer: the one that it hides, as in ptx_name */
    uint32_t scope;       /* index */
    bool is_label;
    const char *renamed;    /* NULL: it keeps its name */
    uint32_t range;         /* as in ptx_variable */
    uint32_t element_bytes; /* of a variable */
} ptx_declaration;

/* A name that may be that of a label to come. */
typedef struct ptx_use {
    const char **where;
    uint32_t name;
} ptx_use;

typedef struct ptx_scope {
    size_t first_declaration, first_use;
} ptx_scope;

/* What a name was to the parts before, while one has something of its own by it. */
typedef struct ptx_hidden {
    uint32_t name, function, variable;
} ptx_hidden;

typedef struct ptx_alias {
    ptx_token alias, function;
} ptx_alias;

/* A .loc that was read. */
typedef struct ptx_located {
    const ptx_source *source;
    uint32_t depth; /* of inlining */
} ptx_located;

typedef struct ptx_reader {
    hd_arena *arena;
    hd_arena *scratch; /* goes with the parse */
    const hd_diag *diag;
    const char *path, *text, *end;
    const char *at, *line_start;
    uint32_t line;
    uint32_t depth; /* of expressions, braces and brackets in each other */
    ptx_token now;
    hd_status status;
    char *spelling; /* room for a name that is looked up */
    size_t spelling_capacity;
    hd_hash_table numbers; /* of names */
    hd_vec(ptx_name) names;

    ptx_module *module;
    uint32_t part;       /* of the text: so many stand before it */
    bool samples;        /* some instruction is of textures or surfaces */
    uint32_t first_file; /* a .file's number in this part, and this: its index */
    hd_vec(ptx_hidden) hidden;
    hd_vec(const char *) files;  /* NULL: not declared */
    hd_vec(ptx_token) file_uses; /* the first .loc of each file: its number is the integer */
    hd_hash_table used_files;
    hd_vec(ptx_variable) variables;
    hd_vec(ptx_function) functions;
    hd_vec(ptx_alias) aliases;

    /* the body at hand */
    hd_vec(ptx_scope) scopes;
    hd_vec(ptx_declaration) declarations;
    hd_vec(ptx_use) uses;
    uint32_t renamed;    /* so many names were made, */
    bool renames_at_top; /* some of them for what stands in no nested block */
    hd_vec(ptx_variable) locals;
    hd_vec(ptx_inst) insts;
    hd_vec(ptx_operand) operands; /* of lists that are not at their end yet */
    hd_vec(struct ptx_targets) targets;
    const ptx_source *source;
    hd_hash_table places; /* of .loc, by file, line and column: index into sources */
    hd_vec(ptx_located) sources;
} ptx_reader;

void ptx_lex_begin(ptx_reader *r);
void ptx_next(ptx_reader *r);
/* The number of the name with this text. */
uint32_t ptx_intern(ptx_reader *r, const char *text, size_t length);
/* The same with `ending` behind it. */
uint32_t ptx_intern_joined(ptx_reader *r, const char *text, size_t length, const char *ending);

/* One error, at a token; nothing where there was one already. */
void ptx_misread(ptx_reader *r, const ptx_token *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ptx_not_taken(ptx_reader *r, const ptx_token *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The token in words, for messages: "'foo'", "the end of the text". */
const char *ptx_spell(const ptx_reader *r, const ptx_token *token);

static inline bool ptx_is_mark(const ptx_reader *r, uint32_t mark) {
    return r->now.kind == PTX_TOKEN_MARK && r->now.mark == mark;
}
static inline bool ptx_is_key(const ptx_reader *r, ptx_keyword key) {
    return (r->now.kind == PTX_TOKEN_WORD || r->now.kind == PTX_TOKEN_DOT) &&
           r->now.name == (uint32_t)key;
}
bool ptx_accept_mark(ptx_reader *r, uint32_t mark);
void ptx_expect_mark(ptx_reader *r, uint32_t mark);
bool ptx_accept_key(ptx_reader *r, ptx_keyword key);
/* A name without dots; its token. `what` is for the message: "a variable's name". */
ptx_token ptx_expect_name(ptx_reader *r, const char *what);
static inline const char *ptx_text(const ptx_reader *r, const ptx_token *name) {
    return r->names.data[name->name].text;
}

/* Around what may stand in itself; false, with an error, where that is so too often. */
bool ptx_enter(ptx_reader *r);
static inline void ptx_leave(ptx_reader *r) { r->depth--; }

/* A copy of a vector's items that lives as long as the module; hd_keep() of one. */
void *ptx_keep(ptx_reader *r, const void *data, size_t count, size_t item_bytes);
#define PTX_KEEP(r, vec, items, number)                                               \
    ((void)((items) = ptx_keep((r), (vec)->data, (vec)->count, sizeof *(vec)->data)), \
     (void)((number) = (uint32_t)(vec)->count))

/* ---- constant.c -------------------------------------------------------------------- */

/* PTX_S64, PTX_U64, or of a float PTX_F32 and PTX_F64, whose bits these are. */
typedef struct ptx_constant {
    ptx_type type;
    int64_t bits;
} ptx_constant;

bool ptx_starts_constant(const ptx_reader *r);
ptx_constant ptx_read_constant(ptx_reader *r);
int64_t ptx_read_integer(ptx_reader *r);
/* A plain number, no expression, of at most `most`. */
uint64_t ptx_read_count(ptx_reader *r, uint64_t most);
/* "+ 8 - 4", or nothing. */
int64_t ptx_read_addend(ptx_reader *r);
double ptx_constant_value(ptx_constant constant);

/* ---- declare.c ---------------------------------------------------------------------- */

typedef hd_vec(ptx_variable) ptx_variables;

/* Variables up to their ';', handed one by one to `take` with their names. */
typedef void ptx_take_variable(ptx_reader *r, const ptx_token *name, ptx_variable *variable);
void ptx_read_variables(ptx_reader *r, ptx_linkage linkage, ptx_take_variable *take);
/* ".param .b32 a, ...", in parentheses. */
void ptx_read_params(ptx_reader *r, ptx_variable **params, uint32_t *count);
/* The parenthesis behind .attribute. */
void ptx_skip_attribute(ptx_reader *r);

/* ---- scope.c: names in a body --------------------------------------------------------- */

void ptx_open_scope(ptx_reader *r);
void ptx_close_scope(ptx_reader *r);
/* The name that it has from here on. */
const char *ptx_declare_variable(ptx_reader *r, const ptx_token *name, const ptx_variable *variable,
                                 bool rename);
const char *ptx_declare_label(ptx_reader *r, const ptx_token *name);
/* Gives the uses of names in a finished instruction or list their names of now. */
void ptx_rename_inst(ptx_reader *r, ptx_inst *inst);
void ptx_rename_labels(ptx_reader *r, const char **names, uint32_t count);
/* Bytes of an element of the variable that has this name here, 0: there is none. */
uint32_t ptx_element_bytes(const ptx_reader *r, uint32_t name);

/* ---- inst.c, body.c --------------------------------------------------------------------- */

/* The instruction whose opcode was the token before. */
void ptx_read_inst(ptx_reader *r, const ptx_token *opcode, ptx_inst *inst);
/* From its '{', which was read already, to its '}'; the scope of parameters is open. */
void ptx_read_body(ptx_reader *r, ptx_function *function);

/* ---- link.c: functions and variables of the module ---------------------------------------- */

/* Something of the part at hand, which may be there already. */
void ptx_add_variable(ptx_reader *r, const ptx_token *name, ptx_variable *variable);
void ptx_add_function(ptx_reader *r, const ptx_token *name, const ptx_function *function);
/* The part ends: what it has of its own is known no more. */
void ptx_end_part(ptx_reader *r);
/* All parts are there: gives every variable its symbol. */
void ptx_name_symbols(ptx_reader *r);

/* ---- debug.c ------------------------------------------------------------------------------ */

void ptx_read_file(ptx_reader *r);
void ptx_read_loc(ptx_reader *r);
void ptx_read_section(ptx_reader *r);
void ptx_read_pragma(ptx_reader *r);
/* The part ends: every file of a .loc is there. */
void ptx_check_files(ptx_reader *r);

#endif
