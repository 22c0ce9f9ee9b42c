/*
 * What the files of this folder share. Private to it.
 *
 *     place of an expression   its byte range in the text of the kernel file
 *     edit                     such a range and what replaces it: text, and parts
 *                              of the old text, which may hold edits themselves
 *     variable                 a parameter or local that points to laid-out records
 *     reference                its counterpart in the new source: a small struct of
 *                              base pointers and an index
 *     family                   the generated names for one address space
 */
#ifndef HD_REWRITE_INTERNAL_H
#define HD_REWRITE_INTERNAL_H

#include <clang-c/Index.h>

#include "plan.h"
#include "rewrite.h"

typedef struct range {
    unsigned begin, end; /* bytes; end is one past the last */
} range;

/* ---- source.c: the text, its tokens, and edits of it --------------------- */

typedef struct token {
    range at;
    bool is_name;
} token;

/* A piece of a replacement: new text, or (text is NULL) a range of the old. */
typedef struct part {
    const char *text;
    range old;
} part;

typedef struct edit {
    range at;
    hd_vec(part) parts;
    bool is_added; /* generated whole: not a change of the user's text */
    bool is_used;
} edit;

typedef struct source {
    hd_arena *arena;
    const char *path, *text;
    size_t length;
    CXTranslationUnit unit;
    CXFile file;
    token *tokens; /* without comments */
    size_t token_count;
    hd_vec(edit) edits;
    bool has_conflict; /* two different edits of one place */
} source;

void hd_source_open(source *src, hd_arena *arena, const char *path, const char *text,
                    CXTranslationUnit unit);
bool hd_token_is(const source *src, size_t index, const char *text);
/* The first token that begins at or after `offset`; token_count when none does. */
size_t hd_token_from(const source *src, unsigned offset);
/* The token that ends exactly at `offset`, or token_count. */
size_t hd_token_ending(const source *src, unsigned offset);
/* The bracket that closes the one at `open`, or token_count. */
size_t hd_token_matching(const source *src, size_t open);
const char *hd_token_text(const source *src, size_t index);
/* True when some token of the file is this name. */
bool hd_source_has_name(const source *src, const char *name);

/* Where `location` lies in the file as written (an argument of a macro: where
 * it was written; the body of a macro: where the macro is used). False: not in
 * the main file. */
bool hd_offset_of(const source *src, CXSourceLocation location, unsigned *offset);
/* The text that a cursor covers, widened to whole macro uses. False: not in the main file. */
bool hd_range_of(const source *src, CXCursor cursor, range *result);
hd_place hd_place_of(const source *src, CXSourceLocation location);

edit *hd_edit_new(source *src, range at);
void hd_edit_text(source *src, edit *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hd_edit_old(source *src, edit *e, range old);
void hd_edit_done(source *src);
/* The text with all edits made; NULL when two edits exclude each other. */
const char *hd_source_render(source *src);

/* ---- clang.c: questions to libclang ---------------------------------------- */

typedef hd_vec(CXCursor) cursors;

CXTranslationUnit hd_clang_parse(hd_arena *arena, CXIndex index, const char *path, const char *text,
                                 const char *options);
/* Reports every error of a translation unit; false when there was none. */
bool hd_clang_errors(const source *src, const hd_diag *diag, hd_status status, const char *lead);
cursors hd_children(hd_arena *arena, CXCursor cursor);
const char *hd_spelling(hd_arena *arena, CXCursor cursor);
const char *hd_type_text(hd_arena *arena, CXType type);
bool hd_is_kernel(hd_arena *arena, CXCursor function);

/* ---- prelude.c: the generated functions ------------------------------------ */

typedef enum space { SPACE_GLOBAL, SPACE_CONSTANT, SPACE_COUNT } space;

typedef struct family {
    bool is_used, loads, stores;
    const char *qualifier; /* "__global" */
    const char *ref, *make, *at, *load, *store;
    const char **fields; /* [field]: its accessor */
} family;

/* A field as the kernel's source declares it. */
typedef struct field_type {
    const char *element; /* type of one element */
    bool is_pointer;
    uint64_t dims[8]; /* of an array, outermost first */
    uint32_t dim_count;
} field_type;

typedef struct variable {
    CXCursor declaration;
    const char *name; /* in the old source */
    const char *ref;  /* name of its reference in the new one */
    space in;
    range scope; /* of the function it belongs to */
} variable;

typedef struct rewriter {
    hd_arena *arena;
    const hd_diag *diag;
    source src;
    const hd_record *record;
    const hd_plan *plan;
    CXCursor declaration; /* of the record: its definition */
    const char *spelling; /* of the record where the prelude stands */
    field_type *types;    /* [record->field_count] */
    unsigned prelude;     /* offset of the prelude in the old text */
    family families[SPACE_COUNT];
    hd_vec(variable) variables;
    hd_vec(unsigned) seen; /* offsets of names that libclang explained */
    hd_vec(range) macro_uses;
    hd_vec(const char *) refusals; /* what was reported, to say it once */
    uint32_t kernels;              /* rewritten */
} rewriter;

void hd_family_names(rewriter *rw, space in);
const char *hd_prelude(rewriter *rw);
/* A name made from `name` that the source doesn't use. */
const char *hd_free_name(rewriter *rw, const char *name);

/* ---- record.c: the record in the kernel's source --------------------------- */

/* Finds the record, its fields' types, and the place for the prelude. */
hd_status hd_find_record(rewriter *rw);
typedef enum pointee { POINTEE_OTHER, POINTEE_RECORD, POINTEE_NESTED } pointee;
/* Whether `type` points to the record in a laid-out address space (then
 * *in is set); NESTED: it holds such a pointer further inside. */
pointee hd_pointee_of(const rewriter *rw, CXType type, space *in);
/* Whether what `type` points to has this qualifier: "const", "volatile", "__global". */
bool hd_target_is(const rewriter *rw, CXType type, const char *qualifier);
/* A parameter `R p[16]` in a laid-out address space. */
bool hd_is_fixed_array(const rewriter *rw, CXType type);
bool hd_is_record(const rewriter *rw, CXType type);

/* ---- access.c, function.c: the edits ---------------------------------------- */

/* A cursor and what encloses it. */
typedef struct frame {
    CXCursor cursor;
    const struct frame *up;
} frame;

void hd_refuse(rewriter *rw, CXCursor at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A part of the source that a macro makes. */
void hd_refuse_macro(rewriter *rw, CXCursor at);
void hd_walk(rewriter *rw, const frame *at);
void hd_walk_child(rewriter *rw, const frame *at, CXCursor child);
void hd_walk_children(rewriter *rw, const frame *at);

/* One step of a pointer expression: + or - an index. */
typedef struct step {
    CXCursor index;
    range text;
    bool is_negative, has_comma;
} step;

/* A pointer to a record: a variable and the steps from it. */
typedef struct route {
    const variable *root;
    hd_vec(step) steps;
} route;

typedef enum found { NOT_OURS, OURS, IN_MACRO } found;
/* Takes a pointer expression apart. NOT_OURS: it doesn't lead to a variable of
 * laid-out records in a form that can be rewritten. */
found hd_pointer_route(rewriter *rw, CXCursor pointer, route *result);
found hd_element_route(rewriter *rw, CXCursor element, route *result);
/* Adds the text of the reference, or "reference, index". */
void hd_edit_reference(rewriter *rw, edit *e, const route *p);
void hd_edit_position(rewriter *rw, edit *e, const route *p);
void hd_walk_steps(rewriter *rw, const frame *at, const route *p);
/* Each returns false when the cursor is not of its kind. */
bool hd_edit_field(rewriter *rw, const frame *at);
bool hd_edit_element(rewriter *rw, const frame *at);
bool hd_edit_store(rewriter *rw, const frame *at);
bool hd_edit_sizeof(rewriter *rw, const frame *at);
/* escape.c: true when the address of this field leaves the expression in a way
 * that could reach beyond it; then *why says how. */
bool hd_field_escapes(rewriter *rw, const frame *field, const char **why);

void hd_edit_function(rewriter *rw, const frame *at);
bool hd_edit_call(rewriter *rw, const frame *at);
bool hd_edit_local(rewriter *rw, const frame *at);
/* Refuses every name of a variable that no cursor explained. */
void hd_check_all_seen(rewriter *rw);

#endif
