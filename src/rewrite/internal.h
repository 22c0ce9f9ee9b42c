/*
 * What the files of this folder share. Private to it.
 *
 *     place of an expression   its byte range in the flat text (flat.h)
 *     edit                     such a range and what replaces it: text, and parts of the old
 *                              text, which may hold edits themselves
 *     laid-out record          a record, declared or made of arrays, that gets a layout
 *     pointee                  what a declaration's pointers point to: elements of a laid-out
 *                              record, or of one field's array, in an address space
 *     record value             what an expression is when it leads to laid-out records: an
 *                              element, a pointer to one, or a pointer to such pointers
 *     reference                a pointer's counterpart in the new source: a small struct of
 *                              base pointers and an index
 *     position                 a reference and an index: which element is meant
 *     accessors                the generated functions of a record for one address space
 */
#ifndef HD_REWRITE_INTERNAL_H
#define HD_REWRITE_INTERNAL_H

#include <clang-c/Index.h>

#include "flat.h"
#include "frontend/clang/cursor.h"
#include "frontend/frontend.h"
#include "map_text.h"
#include "rewrite.h"

/* ---- source.c: tokens of the flat text, positions, and edits ---------------- */

typedef struct token {
    range at;
    bool is_name;
} token;

/* A piece of a replacement: new text, or (text is NULL) a range of the old. */
typedef struct part {
    const char *text;
    range old;
} part;

typedef hd_vec(part) draft;

typedef struct edit {
    range at;
    draft parts;
    bool is_added; /* generated whole: not a change of the user's text */
} edit;

typedef struct source {
    hd_arena *arena;
    flat *flat;
    const char *path, *text; /* of the kernel file; the flat text */
    size_t length;
    CXTranslationUnit unit;
    CXFile file;
    token *tokens; /* without comments */
    size_t token_count;
    hd_vec(edit) edits;
    range_list dropped; /* text that goes, with what would be edited in it */
    bool skips_host;    /* errors in functions of the host say nothing */
} source;

void rw_source_open(source *src, flat *text, CXTranslationUnit unit);
bool rw_token_is(const source *src, size_t index, const char *text);
/* The first token that begins at or after `offset`; token_count when none does. */
size_t rw_token_from(const source *src, unsigned offset);
/* The token that begins, or ends, exactly at `offset`, or token_count. */
size_t rw_token_at(const source *src, unsigned offset);
size_t rw_token_ending(const source *src, unsigned offset);
/* The bracket that closes the one at `open`, or token_count. */
size_t rw_token_matching(const source *src, size_t open);
/* The end of a template's arguments that begin at `open`, before `end`; `open`: it compares. */
size_t rw_angle_matching(const source *src, size_t open, size_t end);
const char *rw_token_text(const source *src, size_t index);
/* True when a token that begins in a range is this text. */
bool rw_has_token(const source *src, range at, const char *text);
/* True when some token is this name. */
bool rw_source_has_name(const source *src, const char *name);

/* Where `location` lies in the flat text (an argument of a macro: where it was written;
 * the body of a macro: where the macro is used). False: not in it. */
bool rw_offset_of(const source *src, CXSourceLocation location, unsigned *offset);
/* The text that a cursor covers, widened to whole macro uses. False: not in the flat text. */
bool rw_range_of(const source *src, CXCursor cursor, range *result);
/* The end of the macro use whose name stands at `offset`. */
unsigned rw_macro_use_end(const source *src, unsigned offset);
hd_place rw_place_of(const source *src, CXSourceLocation location);
/* The end of the line at `offset`, or `offset` itself when more code or a comment over several
 * lines follows there. */
unsigned rw_line_end(const source *src, unsigned offset);

/* ---- rewrite_clang.c: questions to libclang ---------------------------------------- */

CXTranslationUnit rw_clang_parse(CXIndex index, const hd_parse_command *command, const char *path,
                                 const char *text);
/* Reports every error of a translation unit; false when there was none. */
bool rw_clang_errors(const source *src, const hd_diag *diag, hd_status status, const char *lead);
/* libclang's own equality fails for what was reached in two ways. */
bool rw_same_expression(CXCursor a, CXCursor b);
/* The only child; a null cursor when there is none or another one. */
CXCursor rw_only_child(hd_arena *arena, CXCursor cursor);
CXCursor rw_last_child(hd_arena *arena, CXCursor cursor);
/* The value of a constant expression of integers; false: it is none. */
bool rw_constant_value(CXCursor expression, long long *value);
/* A cast that the source writes, of C or C++. */
bool rw_is_cast(CXCursor cursor);
/* Inside of parentheses and conversions that the compiler adds. */
CXCursor rw_bare(hd_arena *arena, CXCursor cursor);
const char *rw_spelling(hd_arena *arena, CXCursor cursor);
const char *rw_type_text(hd_arena *arena, CXType type);
/* A type's text without const, volatile and address spaces before it. */
const char *rw_plain_type(hd_arena *arena, const char *text);
/* Text without blanks at its end. */
const char *rw_trimmed(hd_arena *arena, const char *text);
bool rw_is_kernel(hd_arena *arena, CXCursor function);
bool rw_is_function(CXCursor cursor);
/* Of CUDA C: a kernel, or a function that kernels may call. */
bool rw_is_device_function(hd_arena *arena, CXCursor function);
/* Of CUDA C: a variable in device or constant memory. */
bool rw_is_device_variable(hd_arena *arena, CXCursor declared);
/* All functions and templates of functions of a file but for those of the system's headers, also
 * those in namespaces. */
hd_cursors rw_functions(hd_arena *arena, CXTranslationUnit unit);
/* A function's parameters, also a template's; its body, or a null cursor. */
hd_cursors rw_parameters(hd_arena *arena, CXCursor function);
CXCursor rw_body(hd_arena *arena, CXCursor function);
/* The function that a call calls: the template itself for an instance of one. A null cursor
 * when it is not known. */
CXCursor rw_callee(hd_arena *arena, CXCursor call);
/* The name of the namespace around all others that a declaration is in; "": it is in none. */
const char *rw_outermost_namespace(hd_arena *arena, CXCursor declared);
/* What is called is a copying constructor or assignment that the compiler wrote. */
bool rw_is_plain_copy(hd_arena *arena, CXCursor call);
/* A type, without the reference that it may be. */
CXType rw_value_type(CXType type);
bool rw_is_reference(CXType type);
bool rw_is_pointer(CXType type);
bool rw_is_array(CXType type);
/* What a pointer points to, or an array consists of. */
CXType rw_target_of(CXType type);
/* Pointers and arrays around what a type ends in, references left out. */
int rw_pointer_depth(CXType type);
CXType rw_innermost(CXType type);
/* That is a template's parameter, or made of one. */
bool rw_is_dependent(CXType type);

/* ---- prelude.c: the generated functions ------------------------------------ */

typedef enum space { SPACE_GLOBAL, SPACE_CONSTANT, SPACE_COUNT } space;

/* The generated functions: their names, and which of them are needed. */
typedef struct accessors {
    bool is_used, loads, stores, compares, tests, swaps;
    bool store_is_value;   /* somebody uses what an assignment gives */
    const char *qualifier; /* "__global " */
    const char *ref, *make, *at, *same, *load, *store, *is_set, *memory, *swap, *array;
    const char **fields;         /* [field]: its accessor */
    const char *choose, *number; /* of numbers (rewrite_number.c), where they are needed; or NULL */
} accessors;

/* A field as the kernel's source declares it. */
typedef struct field_type {
    const char *element; /* type of one element */
    bool is_pointer;
    uint64_t align;   /* that a pointer to it promises */
    uint64_t dims[8]; /* of an array, outermost first */
    uint32_t dim_count;
    /* Of a union without a name or a run of bit-fields, whose members are the record's: the text of
     * a type with these members, which `element` names. */
    const char *members;
    const char *copied; /* of a union the member that holds all its bytes, of type */
    struct field_type *as;
} field_type;

/* A part of a record that is taken apart, and that the kernels reach as a whole, or by an index
 * that varies: a function of its own. */
typedef struct part_function {
    space in;
    const char *path; /* "pos"; "d[*]" with a * for each index that is an argument */
    const char *name;
    const char *type; /* of the whole */
    uint32_t field;   /* of a choice: one of the fields, whose type it has */
    enum { PART_LOAD, PART_STORE, PART_SELECT, PART_CHANGE } kind;
    /* Of several lanes ".xy", and their type; of a change of a vector also "", and "+=", and the
     * type of what stands behind that. */
    const char *swizzle, *op, *operand, *result;
} part_function;

/* A method that changes the element that it is called on, as a function of its place. */
typedef struct element_method {
    CXCursor method;
    uint64_t places; /* parameters that are given elements, as bits */
    const char *name;
    bool gives_itself; /* it returns *this, which the function does not */
} element_method;

typedef struct laid_record {
    const hd_record *record;
    const rw_map_text *text;
    CXCursor declaration; /* of the record: its definition; null for one that no source declares */
    const char *spelling; /* of the record where the functions stand */
    const char *scope;    /* "ns::", before generated names; mostly "" */
    field_type *types;    /* [record->field_count] */
    field_type *declared_types; /* of the record as it is declared; else the same */
    const char **paths;   /* of a record taken apart: of its fields in the declared one, in C */
    const char **vectors; /* and of each first lane the type of its vector; else NULL */
    unsigned declared;    /* where the functions may stand at the earliest, in the flat text */
    accessors accessors[SPACE_COUNT];
    hd_vec(part_function) part_functions;
    hd_vec(element_method) methods;
    hd_vec(const char *) method_texts; /* those that others call first */
    uint32_t kernels;                  /* rewritten */
    CXCursor asked; /* the function that `says_stride` is of (rewrite_number.c) */
    bool says_stride;
    bool has_host_memory; /* the host allocates, copies or frees it */
    bool has_arrays;      /* with names, in device memory */
} laid_record;

/* What the pointers that a declaration holds point to. */
typedef struct pointee {
    laid_record *of; /* NULL: nothing that is laid out */
    int field; /* of a record of arrays; 0 for numbers (rewrite_number.c); -1: whole elements */
    space in;
} pointee;

/* What an expression is when it leads to laid-out records. */
typedef struct record_value {
    pointee what;
    int depth; /* -1: nothing; 0: an element; 1: a pointer; more: pointers to pointers */
} record_value;

typedef struct refusal {
    hd_place place;
    const char *text;
} refusal;

typedef struct macro_use {
    range at; /* from its name to the end of its arguments */
    CXCursor definition;
} macro_use;

/* A macro that is to be expanded, by the place of its name in a file. */
typedef struct expansion {
    unsigned file, origin;
    const char *why_not; /* it cannot be expanded */
    hd_place defined;
} expansion;

typedef struct variable {
    const char *name;
    range scope; /* of the function */
} variable;

typedef struct rewriter rewriter;

/* What is done with a text: kernels are laid out, the calls of their host follow, or kernels take
 * their work from a map. */
typedef struct rw_task {
    hd_status (*edits)(rewriter *rw); /* all edits of the flat text, or refusals */
    hd_status (*result)(rewriter *rw, CXIndex index, hd_rewritten **result);
    /* the words to parse a file of this kind with */
    hd_status (*command)(hd_arena *arena, const hd_diag *diag, const char *path,
                         const char *options, hd_parse_command *command);
    bool host_stays;     /* and must compile with what was made: its launches are as they were */
    const char *subject; /* of messages on macros: "laid-out records are reached" */
    /* What else must hold of the text that was made, parsed again; may be NULL. */
    hd_status (*check)(rewriter *rw, const hd_diag *diag, const source *again);
} rw_task;

struct rewriter {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_rewrite_request *request;
    const rw_task *task;
    const char
        *all_files; /* the text that includes all files of a program; NULL: there is one file */
    void *user;     /* the task's own */
    const hd_parse_command *command;
    bool is_cuda;
    bool with_host;       /* host code is rewritten, too */
    bool of_program;      /* it is not, but kernels are as if it were */
    bool follows_handles; /* the host of OpenCL kernels: its buffers and kernels are followed */
    bool has_templates;   /* a template's `T *` may be one to laid-out records */
    bool has_vectors;     /* device_vectors of thrust's hold laid-out records */
    bool copies_symbols;  /* arrays with names are copied by them */
    flat *flat;
    source src;
    laid_record *records;
    uint32_t record_count;
    struct flow *flow;
    hd_vec(variable) variables; /* that must not appear unseen */
    hd_vec(unsigned) seen;      /* offsets of names that libclang explained */
    hd_vec(macro_use) macro_uses;
    range_list inactive; /* directives, and what the preprocessor leaves out */
    hd_vec(refusal) refusals;
    hd_cursors copied; /* parameters of functions of both sides that are given copies of elements */
    hd_cursors launch_arguments;       /* addresses in lists for cudaLaunchKernel() */
    hd_vec(const char *) memory_calls; /* functions of CUDA's that take laid-out records */
    hd_vec(hd_laid_param) laid_params;
    bool has_conflicts;           /* values of two kinds met, so some pointers lead nowhere */
    struct rw_values *values;     /* of names (subscript.c); NULL until somebody asks */
    hd_vec(expansion) expansions; /* requested; they outlive a reading of the flat text */
    bool is_expanding;            /* asked for since the flat text was made */
};

/* rewrite.c: reads the request's file, with its headers and macros put in place, until the task has
 * its result. */
hd_status rw_rewrite_file(rewriter *rw, hd_rewritten **result);
/* Hands on what was refused, in order; HD_OK: nothing was. */
hd_status rw_tell_refusals(rewriter *rw);

void rw_draft_text(rewriter *rw, draft *d, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rw_draft_old(rewriter *rw, draft *d, range old);
/* Replaces a range by what the draft holds. The same edit may be made twice. */
void rw_edit(rewriter *rw, range at, const draft *d);
void rw_edit_text(rewriter *rw, range at, const char *text);
/* Generated text behind `offset`; several such stand in the order in which they are made. */
void rw_edit_insert(rewriter *rw, unsigned offset, const char *text);

/* CUDA: a function of the host alone. */
bool rw_is_host(const rewriter *rw, CXCursor function);

void rw_name_accessors(rewriter *rw, laid_record *l, space in);
/* `is_shared`: compilers that know nothing of CUDA may read it; `is_c`: extern "C" is around it. */
const char *rw_prelude(rewriter *rw, const laid_record *l, bool is_shared, bool is_c);
/* Adds the copy of a field between `value` with `path` behind it and its place. */
void rw_add_copy(hd_str *out, const rewriter *rw, const laid_record *l, space in, uint32_t field,
                 const char *path, bool store);
/* A name made from `name` that neither the source nor what is generated uses. */
const char *rw_free_name(rewriter *rw, const char *name);
/* How the language writes things. */
const rw_dialect *rw_dialect_of(const rewriter *rw, space in);

/* ---- record.c: the records in the source -------------------------------------- */

/* Finds the records, their fields' types, and the places of their declarations. */
hd_status rw_find_records(rewriter *rw);
/* The type of a field or variable as it is written. */
void rw_read_type(rewriter *rw, CXType type, field_type *result);
/* Where that is a struct, union or enum without a tag: as what lies at `path` in the record. In C
 * the comma makes a value of it, which is in no address space. False, with a refusal: an array. */
bool rw_name_type(rewriter *rw, const laid_record *l, CXCursor where, const char *path,
                  field_type *read);
/* The laid-out record that this type is; NULL: none. */
laid_record *rw_laid_record_of(const rewriter *rw, CXType type);
/* The number of the field that a member is, or that the unnamed union around it is; -1: none. */
int rw_field_of_member(rewriter *rw, const laid_record *l, CXCursor member, const char *name);
/* What a declaration's reference is called in the new source. */
const char *rw_reference_name(rewriter *rw, CXCursor declaration, const pointee *what);
/* True, with a refusal, for a kernel's parameter that cannot move alone: a record of arrays has
 * one reference for all of them. */
bool rw_refuse_shared(rewriter *rw, CXCursor pointer);
/* Places for all preludes, and the preludes. */
void rw_edit_preludes(rewriter *rw);

/* ---- pointer_flow.c: which declarations hold what ---------------------------------------- */

void rw_flow_run(rewriter *rw);
/* Of a function, in its first declaration: its result. */
pointee rw_pointee_of(const rewriter *rw, CXCursor declaration);
/* The object of a call such as functor(x) is an argument that no parameter takes: 1, else 0. */
unsigned rw_first_argument(rewriter *rw, CXCursor call, CXCursor callee, size_t parameters);

/* ---- record_value.c: what expressions lead to ------------------------------------------- */

record_value rw_record_value_of(const rewriter *rw, CXCursor expression);
/* The variable that is declared as a pointer to bytes, and cast to one to laid-out records here; a
 * null cursor: this is no such cast. */
CXCursor rw_opened_bytes(const rewriter *rw, CXCursor cast);
bool rw_points_to_bytes(CXType type);
/* The variable that an expression names, or the function that it calls for a pointer or reference;
 * a null cursor: none. */
CXCursor rw_holder_of(const rewriter *rw, CXCursor expression);
/* A call of a template that returns a `T *`, at a place where `T` is no laid-out record. */
bool rw_is_of_another(const rewriter *rw, CXCursor call, CXCursor holder);
/* In a template a class that is made of its parameters, `buffer<T>`, and of no record. */
bool rw_is_other_class(const rewriter *rw, CXType type);
/* The same of a parameter that is a `T *`. */
bool rw_is_given_another(const rewriter *rw, CXCursor parameter, CXCursor argument);
/* The type of a variable, or of what a function returns. */
static inline CXType rw_held_type(CXCursor holder) {
    return rw_is_function(holder) ? clang_getCursorResultType(holder) : clang_getCursorType(holder);
}
/* The parts of an expression whose value is its own, or an address or target of it: one, or each
 * that is chosen from, or stands in a list. */
hd_cursors rw_carriers_of(const rewriter *rw, CXCursor expression);
/* In OpenCL C the type alone says it: a pointer to a laid-out record in global or constant
 * memory. False in CUDA C. */
bool rw_typed_pointee(const rewriter *rw, CXType type, pointee *result);
static inline accessors *rw_accessors_of(const record_value *v) {
    return &v->what.of->accessors[v->what.in];
}
/* Whether what a pointer points to has this qualifier: "const", "volatile", "__global". */
bool rw_target_is(const rewriter *rw, CXType type, const char *qualifier);

/* A reference, or a type with pointers in it. */
bool rw_has_pointer(CXType type);

/* ---- refuse.c ------------------------------------------------------------------- */

/* A cursor and what encloses it. */
typedef struct frame {
    CXCursor cursor;
    const struct frame *up;
} frame;

/* The function or lambda that holds a frame; NULL: none. */
const frame *rw_function_around(const frame *at);
/* The frame around, without parentheses and conversions that the compiler adds; NULL: none. */
const frame *rw_around(const frame *at);

/* What cannot be done, and what would mend it. True, for who returns it. */
bool rw_refuse(rewriter *rw, CXCursor at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool rw_refuse_at(rewriter *rw, const hd_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A part of the source that a macro makes: the macro is expanded, if that helps. */
bool rw_refuse_macro(rewriter *rw, CXCursor at);
/* A pointer to laid-out records where none can be. */
void rw_refuse_misplaced(rewriter *rw, const frame *at, const record_value *v);
/* Refuses every name of a variable that no cursor explained. */
void rw_check_all_seen(rewriter *rw);

/* ---- macro.c ---------------------------------------------------------------------- */

/* Collects the uses of macros, and what the preprocessor leaves out. */
void rw_macros_read(rewriter *rw);
/* Asks for the macros used in a range of the flat text to be expanded. False when that would not
 * help: then *why may say more, and *defined where the macro is. */
bool rw_macro_request(rewriter *rw, range at, const char **why, hd_place *defined);
/* Expands what was asked for in the flat text; false when there was nothing to expand. */
bool rw_macros_expand(rewriter *rw);

/* ---- walk.c, pointer.c, local.c, function.c: the edits ---------------------------------------- */

void rw_walk(rewriter *rw, const frame *at);
void rw_walk_child(rewriter *rw, const frame *at, CXCursor child);
void rw_walk_children(rewriter *rw, const frame *at);
/* `whole`, a sizeof expression, becomes that of a type or of another expression. */
void rw_edit_sizeof(rewriter *rw, range whole, const char *of);
/* The member of a laid-out record that an expression names, also in a template; and its name. */
CXCursor rw_member_of(rewriter *rw, CXCursor e, const laid_record *l, const char *name);
/* Of an instance the template, or the template's method; else itself. */
CXCursor rw_pattern_of(CXCursor declared);
const char *rw_member_name(rewriter *rw, CXCursor member);

/* Makes the text of a pointer, or of an element whose address is meant, that of a reference. */
void rw_edit_reference(rewriter *rw, const frame *at);
/* Adds "reference, index" of an element, or of what a pointer points to. */
void rw_draft_position(rewriter *rw, draft *d, const frame *at, const record_value *v);
/* Makes the text of `whole` open, the function `name` of the position of `base`, close. Refuses
 * where a macro is in the way. */
void rw_edit_position(rewriter *rw, CXCursor whole, const frame *base, const record_value *v,
                      const char *open, const char *name, const char *close);
/* Adds a pointer as part of something else. */
void rw_draft_reference(rewriter *rw, draft *d, const frame *at);
/* Adds "pointer.index". */
void rw_draft_index(rewriter *rw, draft *d, const frame *pointer);
/* The text of an expression and of its parts; false where macros are in the way. */
bool rw_ranges_of(rewriter *rw, CXCursor whole, const hd_cursors *parts, range *at, range *ranges);
bool rw_begins_with(rewriter *rw, CXCursor e, const char *word);
/* ++, --, += and their like. */
bool rw_is_change(CXCursor e);
/* True when nothing uses the value of an expression. */
bool rw_is_unused(const rewriter *rw, const frame *at);
/* True when the text between two ranges is one token (and blanks). */
bool rw_is_between(const rewriter *rw, range before, const char *word, range behind);

/* What stands between the brackets behind `base`. */
bool rw_index_text(const rewriter *rw, range base, range *text);

/* escape.c: true when the address of this field leaves the expression in a way
 * that could reach beyond it; then *why says how. */
bool rw_field_escapes(rewriter *rw, const frame *field, const char **why);
/* Functions that touch the one value that they are given the address of. */
bool rw_touches_one_value(rewriter *rw, CXCursor call, CXCursor argument);
/* method.c: refuses a call of a method for which a copy of the element will not do. */
void rw_check_method(rewriter *rw, const frame *call, CXCursor method, const laid_record *l);
bool rw_method_changes(rewriter *rw, CXCursor method);
/* instance.c: a parameter `T *` of a device template's own type T, which can be a record's. */
bool rw_is_record_template(const rewriter *rw, CXCursor parameter, const laid_record *l);
/* Of a record that is an instance of a template: what this parameter is there; NULL: it is none. */
const char *rw_argument_of_record(rewriter *rw, const laid_record *l, CXCursor parameter);
/* Other parameters of a template say what the type of this one is made of. */
bool rw_is_found_out(const rewriter *rw, CXCursor parameter);
void rw_edit_type_parameter(rewriter *rw, CXCursor parameter, const pointee *what);
/* element_call.c: memcpy() and std::swap() of elements; false: it is none. */
bool rw_edit_element_call(rewriter *rw, const frame *call);
/* method_text.c: a call of a method that changes an element; false: it is none. */
bool rw_edit_changing_call(rewriter *rw, const frame *call);
/* The function that does what such a method does; NULL, with a refusal: there can be none.
 * `places`: parameters that are given elements. */
const char *rw_element_method(rewriter *rw, laid_record *l, CXCursor method, uint64_t places,
                              CXCursor call, bool *gives_itself);
/* split.c: an access to a part of a record that is taken apart. */
bool rw_edit_part(rewriter *rw, const frame *at, const frame *base, const record_value *v);
/* The lanes of the vector whose first is field `first` lie together like one: their number; else
 * 0. */
uint32_t rw_lanes_together(const laid_record *l, uint32_t first);
/* Functions that give several lanes of a vector that is taken apart, and that change it in its
 * place. */
void rw_add_lanes(hd_str *out, const rewriter *rw, const laid_record *l, const part_function *g);
void rw_add_change(hd_str *out, const rewriter *rw, const laid_record *l, const part_function *g);
/* Whether a field's name is this path, with any number for a star; the numbers. */
enum { MOST_STARS = 8 };
bool rw_path_matches(const char *field, const char *path, uint64_t numbers[MOST_STARS]);
/* Types and paths of the fields of a record that is taken apart. */
void rw_split_types(rewriter *rw, laid_record *l);
/* record.c: the field of a record of arrays, or numbers, that a kernel's parameter is; NULL: none. */
const hd_array_param *rw_array_param_of(const rewriter *rw, CXCursor kernel, CXCursor parameter);
/* It is a parameter of this kernel. */
bool rw_array_is_of(const rewriter *rw, const hd_array_param *a, CXCursor kernel);
/* Elements of the job's arrays of this record; 0: they differ. */
uint64_t rw_count_of(const rewriter *rw, const laid_record *l);

/* rewrite_number.c: pointers to a buffer of numbers that is a record by a job's word */
bool rw_are_numbers(const pointee *what);
/* One of a record of arrays, which share a reference. */
static inline bool rw_is_array_field(const pointee *what) {
    return what->field >= 0 && what->of && what->of->record->of_arrays;
}
typedef enum number_form { NUMBER_VALUE, NUMBER_ADDRESS, NUMBER_REFERENCE } number_form;
void rw_edit_number(rewriter *rw, const frame *at, const record_value *v, number_form form);
/* The generated functions that choose among the fields. `type`: of what they lead to. */
void rw_draft_numbers(hd_str *out, const rewriter *rw, const laid_record *l, space in,
                      const char *type);

/* subscript.c: what is added to a pointer, and the element and field that it says. */
typedef struct addend {
    CXCursor e;
    bool negative;
} addend;
typedef hd_vec(addend) addends;
typedef struct index_parts {
    draft element, field;
    long long constant; /* the field, if `is_constant` */
    bool is_constant;
} index_parts;
/* Takes an index in `inside` apart, and walks what is written again; false: it does not come apart.
 * `count`: elements of the array, which constants of the source may say; 0: not known. */
bool rw_take_index_apart(rewriter *rw, const laid_record *l, uint64_t count, const frame *at,
                         const addends *index, range inside, index_parts *parts);
bool rw_index_says_stride(rewriter *rw, const laid_record *l, uint64_t count, const addends *index);
/* whole.c: host code. Calls of CUDA's runtime that allocate, copy, fill or free laid-out records;
 * false: this is none. */
bool rw_edit_memory_call(rewriter *rw, const frame *at);
/* The variable, a pointer in device memory, that such a call sets or reads by its name, and what it
 * takes from or gives to; null cursors: none. */
CXCursor rw_set_by_name(rewriter *rw, CXCursor call, CXCursor *pointer);
bool rw_edit_set_by_name(rewriter *rw, const frame *call);
/* An array of laid-out records with a name in device memory: __device__ R all[N]. */
bool rw_is_named_array(const rewriter *rw, CXCursor declared);
/* Inside of parentheses, conversions, and casts to void * and its like. */
CXCursor rw_behind_casts(const rewriter *rw, CXCursor e);
/* A null pointer where one to laid-out records is wanted, of this type; false: it is none, or not
 * in host code. */
bool rw_edit_null(rewriter *rw, CXCursor value, CXType type, const pointee *wanted);
bool rw_is_null(const rewriter *rw, CXCursor expression);
/* A pointer that is tested, `if (p)`, or compared with null. */
bool rw_edit_test(rewriter *rw, const frame *at, const record_value *v);
bool rw_edit_null_test(rewriter *rw, const frame *comparison);
bool rw_edit_exchange(rewriter *rw, const frame *call);
/* std::swap(), and std::move() and its like, which take pointers as they are. */
bool rw_is_exchange(rewriter *rw, CXCursor call);
bool rw_is_moved(const rewriter *rw, CXCursor call);
/* The fields that a list in braces gives values, of a struct that is not laid out itself. */
hd_cursors rw_aggregate_fields(rewriter *rw, CXCursor list);
bool rw_edit_aggregate(rewriter *rw, const frame *list);
/* Refuses the name of a function whose parameters change where a pointer keeps it. */
void rw_check_function_name(rewriter *rw, const frame *name);
/* A parameter of a template that is a `T`, whatever that is: a reference as good as a pointer. */
bool rw_takes_any_type(rewriter *rw, CXCursor callee, size_t number);
/* The kernel that an expression names, else a null cursor. */
CXCursor rw_named_kernel(rewriter *rw, CXCursor e);
/* What cudaLaunchKernel() or its like gives the kernel, found in the list of addresses. */
hd_cursors rw_launch_arguments(rewriter *rw, CXCursor call);
/* The address of a pointer in such a list, where it may stand as it is. */
bool rw_is_launch_argument(const rewriter *rw, CXCursor address);
/* Of a variable or a member; a null cursor: none. */
CXCursor rw_initializer(const rewriter *rw, CXCursor declared);
/* How a declaration of this type names a reference: "R_ref", of a template's `T *`
 * "heddle::pointer<T>". */
const char *rw_reference_text(rewriter *rw, const pointee *what);
const char *rw_reference_type(rewriter *rw, CXType type, const pointee *what);
/* Host code that stays as it is, but calls functions whose parameters change: it compiles, which is
 * all that kernels alone need of it. */
void rw_edit_host_calls(rewriter *rw, CXCursor cursor);
/* host_text.c: what is known of the first arguments of a function that knows memory; NULL: it is
 * none. */
const char *rw_memory_roles(const char *name);
/* A text with CUDA's names, as the file has them: it may be HIP. */
const char *rw_host_words(const rewriter *rw, const char *text);
/* What the edited calls call, and what it knows of a record. */
const char *rw_memory_text(rewriter *rw, const laid_record *l);

/* device_vector.c: thrust's. The record whose device_vectors a call gives a raw pointer into, laid out
 * or not; NULL: it is no such call. */
laid_record *rw_unwrapped_record(const rewriter *rw, CXCursor call);
/* A template makes a raw pointer of what its instances say. */
bool rw_unwraps_in_template(const rewriter *rw, CXCursor call);
void rw_edit_device_vectors(rewriter *rw);

bool rw_edit_call(rewriter *rw, const frame *at);
/* A function has a parameter that leads to laid-out records. */
bool rw_takes_records(rewriter *rw, CXCursor function);
bool rw_edit_declarations(rewriter *rw, const frame *at);
/* A variable outside of functions, or a member of a struct. */
bool rw_edit_declared_alone(rewriter *rw, const frame *at);
/* What a constructor makes its members of. */
void rw_edit_members(rewriter *rw, const frame *constructor);
void rw_edit_function(rewriter *rw, const frame *at);
void rw_edit_instantiations(rewriter *rw);
/* The brackets around a function's parameters, as tokens. False: they do not stand in the text as
 * the compiler sees them, or there are other parameters than `count`. */
bool rw_parameter_list(rewriter *rw, CXCursor function, size_t count, size_t *open, size_t *close);
/* The text of each parameter of a list in brackets; false as before. */
bool rw_parameter_ranges(rewriter *rw, size_t open, size_t count, range *at);
/* The range of what names a type before a declared name, without words that stay
 * ("static", "__device__"). False: a macro is in the way. */
bool rw_specifiers(const rewriter *rw, unsigned begin, unsigned name, range *result);
/* True, with a refusal, for what points to volatile records: the generated functions know none. */
bool rw_refuse_volatile(rewriter *rw, CXCursor declared, CXType type);
/* How many pointers a declared name of this type has before it in the new source. */
const char *rw_stars(rewriter *rw, CXType type);

/* ---- output.c: from edits of the flat text to files ----------------------------------- */

/* Refusals where edits do not agree. */
void rw_make_files(rewriter *rw, hd_rewritten *result);
/* Parses the files again; errors in them are ours, and the user gets no broken file. */
hd_status rw_check_files(rewriter *rw, CXIndex index, const hd_rewritten *result);

#endif
