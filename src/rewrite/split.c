/*
 * Records that are taken apart (layout.h): their fields are parts such as "pos.x" and "d[1]", but
 * the source still declares `struct vec pos; float d[3];`.
 *
 *     p[i].pos.x, p[i].d[1]   (*R_pos_x(p_ref, i)), (*R_d_1(p_ref, i))
 *     p[i].d[k]               (*R_d(p_ref, i, k)), which chooses
 *     v = p[i].pos            v = R_pos_load(p_ref, i)
 *     p[i].pos = v            R_pos_store(p_ref, i, v)
 *
 * A path in C is what stands behind the element; the number of an element of an array of several
 * dimensions is counted in the order of memory, as in the fields' names.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"

/* ---- types along a path ------------------------------------------------------------ */

/* The type of a member, also of a struct or union without a name in it. */
static bool find_member(rewriter *rw, CXType type, const char *name, CXType *found) {
    cursors fields = rw_fields(rw->arena, clang_getCanonicalType(type));
    for (size_t i = 0; i < fields.count; i++) {
        const char *own = rw_spelling(rw->arena, fields.data[i]);
        CXType of = clang_getCursorType(fields.data[i]);
        if (!strcmp(own, name)) {
            *found = of;
            return true;
        }
        if ((!*own || strchr(own, '(')) && find_member(rw, of, name, found))
            return true;
    }
    return false;
}

/* Indices of an element of an array of several dimensions, "[1][2]". */
static const char *indices_text(hd_arena *arena, const field_type *type, uint64_t flat_index) {
    hd_str text = {.arena = arena};
    uint64_t inner = 1;
    for (uint32_t d = 0; d < type->dim_count; d++)
        inner *= type->dims[d];
    for (uint32_t d = 0; d < type->dim_count; d++) {
        inner /= type->dims[d];
        hd_str_printf(&text, "[%" PRIu64 "]", flat_index / inner);
        flat_index %= inner;
    }
    return hd_str_text(&text);
}

static CXType element_type(CXType type) {
    CXType t = type;
    while (rw_is_array(t)) {
        CXType inner = clang_getArrayElementType(t);
        t = inner.kind == CXType_Invalid ? clang_getArrayElementType(clang_getCanonicalType(t))
                                         : inner;
    }
    return t;
}

/* Walks "pos.x" or "m[5]" from the record; *in_c is the path as C writes it. */
static bool follow(rewriter *rw, const laid_record *l, const char *path, CXType *type,
                   const char **in_c) {
    hd_str text = {.arena = rw->arena};
    *type = clang_getCursorType(l->declaration);
    for (const char *at = path; *at;) {
        if (*at == '[') {
            field_type array = {0};
            rw_read_type(rw, *type, &array);
            hd_str_add(&text, indices_text(rw->arena, &array, strtoull(at + 1, NULL, 10)));
            *type = element_type(*type);
            at += strcspn(at, "]") + 1;
            continue;
        }
        at += *at == '.';
        size_t length = strcspn(at, ".[");
        const char *name = hd_strndup(rw->arena, at, length);
        if (!find_member(rw, *type, name, type))
            return false;
        hd_str_printf(&text, "%s%s", text.length ? "." : "", name);
        at += length;
    }
    *in_c = hd_str_text(&text);
    return true;
}

void rw_split_types(rewriter *rw, laid_record *l) {
    l->paths = hd_new_array(rw->arena, const char *, l->record->field_count);
    for (uint32_t f = 0; f < l->record->field_count; f++) {
        CXType type;
        if (!follow(rw, l, l->record->fields[f].name, &type, &l->paths[f])) {
            rw_refuse(rw, l->declaration,
                      "'%s' has no part '%s' here; analyse the file again, with the same options",
                      l->record->name, l->record->fields[f].name);
            return;
        }
        rw_read_type(rw, type, &l->types[f]);
    }
}

/* ---- a part in the source ----------------------------------------------------------------- */

/* An expression behind an element, as far as it leads into the record. */
typedef struct reached {
    const frame *at; /* the whole expression so far */
    hd_str path;     /* "d[*]" */
    hd_str name;     /* of the choosing function: "d" */
    draft indices;   /* those that vary: ", k" for each */
    int field;       /* of the record; -1: more than one */
    bool varies;
} reached;

bool rw_path_matches(const char *field, const char *path, uint64_t numbers[MOST_STARS]) {
    for (; *path; path++, field++) {
        if (*path == '*') {
            char *end;
            *numbers++ = strtoull(field, &end, 10);
            if (end == field)
                return false;
            field = end - 1;
        } else if (*path != *field) {
            return false;
        }
    }
    return !*field;
}

static int field_of(const laid_record *l, const char *path) {
    uint64_t numbers[MOST_STARS];
    for (uint32_t f = 0; f < l->record->field_count; f++)
        if (rw_path_matches(l->record->fields[f].name, path, numbers))
            return (int)f;
    return -1;
}

static bool is_method(CXCursor e) {
    return clang_getCursorKind(clang_getCursorReferenced(e)) == CXCursor_CXXMethod;
}

/* The next expression around one, without parentheses and conversions of arrays. */
static const frame *next_up(const frame *at) {
    at = at->up;
    while (at && (clang_getCursorKind(at->cursor) == CXCursor_ParenExpr ||
                  (clang_getCursorKind(at->cursor) == CXCursor_UnexposedExpr &&
                   rw_is_pointer(clang_getCursorType(at->cursor)))))
        at = at->up;
    return at;
}

/* One array's subscripts, all of its dimensions: [k] of d, [a][b] of m. */
static bool climb_array(rewriter *rw, reached *r, const frame *below) {
    field_type array = {0};
    rw_read_type(rw, clang_getCursorType(below->cursor), &array);
    uint64_t inner = 1, constant = 0;
    bool varies = false;
    draft index = {0};
    hd_vec(range) numbers = {0}; /* they go, when all are constant */
    for (uint32_t d = 0; d < array.dim_count; d++)
        inner *= array.dims[d];
    for (uint32_t d = 0; d < array.dim_count; d++) {
        const frame *up = next_up(below);
        cursors sides = up ? rw_children(rw->arena, up->cursor) : (cursors){0};
        range base, text;
        long long value;
        if (!up || clang_getCursorKind(up->cursor) != CXCursor_ArraySubscriptExpr ||
            sides.count != 2 || !rw_range_of(&rw->src, sides.data[0], &base) ||
            !rw_index_text(rw, base, &text))
            return false;
        inner /= array.dims[d];
        if (rw_constant_value(sides.data[1], &value) && value >= 0) {
            constant += (uint64_t)value * inner;
            hd_push(rw->arena, &numbers, text);
        } else {
            varies = true;
        }
        rw_draft_text(rw, &index, "%s(int)(", d ? " + " : "");
        rw_draft_old(rw, &index, text);
        rw_draft_text(rw, &index, ")");
        if (inner != 1)
            rw_draft_text(rw, &index, " * %" PRIu64, inner);
        below = up;
    }
    r->at = below;
    if (!varies) {
        for (size_t i = 0; i < numbers.count; i++)
            hd_push(rw->arena, &rw->src.dropped, numbers.data[i]);
        hd_str_printf(&r->path, "[%" PRIu64 "]", constant);
        hd_str_printf(&r->name, "_%" PRIu64, constant);
        return true;
    }
    hd_str_add(&r->path, "[*]");
    rw_draft_text(rw, &r->indices, ", ");
    for (size_t i = 0; i < index.count; i++)
        hd_push(rw->arena, &r->indices, index.data[i]);
    r->varies = true;
    return true;
}

/* One step from a part to a part of it; false: the expression ends here. */
static bool climb(rewriter *rw, reached *r) {
    const frame *up = next_up(r->at);
    if (rw_is_array(clang_getCursorType(r->at->cursor)))
        return climb_array(rw, r, r->at);
    if (!up || clang_getCursorKind(up->cursor) != CXCursor_MemberRefExpr || is_method(up->cursor))
        return false;
    const char *name = rw_spelling(rw->arena, up->cursor);
    hd_str_printf(&r->path, ".%s", name);
    hd_str_printf(&r->name, "_%s", name);
    r->at = up;
    return true;
}

/* ---- generated functions -------------------------------------------------------------------- */

static const char *part_function_of(rewriter *rw, const record_value *v, const reached *r, int kind,
                                    const char *type, uint32_t field) {
    static const char *const endings[] = {"_load", "_store", ""};
    laid_record *l = v->what.of;
    const accessors *f = &l->accessors[v->what.in];
    const char *path = hd_str_text(&r->path);
    for (size_t i = 0; i < l->part_functions.count; i++) {
        const part_function *g = &l->part_functions.data[i];
        if (g->in == v->what.in && (int)g->kind == kind && !strcmp(g->path, path))
            return g->name;
    }
    part_function g = {.in = v->what.in, .path = path, .type = type, .field = field};
    g.kind = kind;
    g.name = rw_free_name(rw, hd_format(rw->arena, "%.*s_%s%s", (int)strlen(f->ref) - 4, f->ref,
                                        hd_str_text(&r->name), endings[kind]));
    hd_push(rw->arena, &l->part_functions, g);
    return g.name;
}

/* ---- edits --------------------------------------------------------------------------- */

static void edit_part(rewriter *rw, const reached *r, const frame *base, const record_value *v) {
    laid_record *l = v->what.of;
    const char *name, *why;
    range whole;
    draft d = {0};
    if (!rw_range_of(&rw->src, r->at->cursor, &whole)) {
        rw_refuse_macro(rw, r->at->cursor);
        return;
    }
    if (rw_field_escapes(rw, r->at, &why)) {
        rw_refuse(rw, r->at->cursor, "the address of field '%s' %s",
                  l->record->fields[r->field].name, why);
        return;
    }
    name = r->varies ? part_function_of(rw, v, r, PART_SELECT, "", (uint32_t)r->field)
                     : l->accessors[v->what.in].fields[r->field];
    rw_draft_text(rw, &d, "(*%s%s(", l->scope, name);
    rw_draft_position(rw, &d, base, v);
    for (size_t i = 0; r->varies && i < r->indices.count; i++)
        hd_push(rw->arena, &d, r->indices.data[i]);
    rw_draft_text(rw, &d, "))");
    rw_edit(rw, whole, &d);
}

static bool is_assigned(rewriter *rw, const frame *at, CXCursor *value) {
    const frame *up = at->up;
    while (up && clang_getCursorKind(up->cursor) == CXCursor_ParenExpr)
        up = up->up;
    if (!up)
        return false;
    cursors sides = rw_children(rw->arena, up->cursor);
    bool assigns = clang_getCursorBinaryOperatorKind(up->cursor) == CXBinaryOperator_Assign ||
                   (rw_is_plain_copy(rw->arena, up->cursor) && is_method(up->cursor));
    if (!assigns || sides.count < 2 || !rw_same_expression(sides.data[0], at->cursor))
        return false;
    *value = sides.data[sides.count - 1];
    return true;
}

/* The text of what follows is walked by the expression around. */
static void edit_whole(rewriter *rw, const reached *r, const frame *base, const record_value *v) {
    laid_record *l = v->what.of;
    CXCursor value;
    CXType type;
    range whole, right;
    draft d = {0};
    const char *in_c, *path = hd_str_text(&r->path);
    if (r->varies || !follow(rw, l, path, &type, &in_c) ||
        clang_getCanonicalType(type).kind != CXType_Record ||
        clang_getCursorUnaryOperatorKind(r->at->up->cursor) == CXUnaryOperator_AddrOf) {
        rw_refuse(rw, r->at->cursor,
                  "'%s' of '%s' is taken apart in this layout and has no place of its own; reach "
                  "its parts one by one, or leave it whole (--split)",
                  path, l->record->name);
        return;
    }
    const char *name = rw_plain_type(rw->arena, rw_type_text(rw->arena, type));
    bool stores = is_assigned(rw, r->at, &value);
    /* A whole part is a copy: no place for a reference, nor for a method that changes it. */
    const frame *up = stores ? NULL : rw_around(r->at);
    if (up && clang_getCursorKind(up->cursor) == CXCursor_VarDecl &&
        rw_is_reference(clang_getCursorType(up->cursor)))
        rw_refuse(rw, r->at->cursor,
                  "'%s' of '%s' is taken apart in this layout, so no reference can lead to it; "
                  "copy it, reach its parts one by one, or leave it whole (--split)",
                  path, l->record->name);
    else if (up && is_method(up->cursor))
        rw_check_method(rw, clang_getCursorKind(up->cursor) == CXCursor_CallExpr ? up : up->up,
                        clang_getCursorReferenced(up->cursor), l);
    if (!rw_range_of(&rw->src, r->at->cursor, &whole) ||
        (stores && !rw_range_of(&rw->src, value, &right))) {
        rw_refuse_macro(rw, r->at->cursor);
        return;
    }
    rw_draft_text(rw, &d, "%s%s(", l->scope,
                  part_function_of(rw, v, r, stores ? PART_STORE : PART_LOAD, name, 0));
    rw_draft_position(rw, &d, base, v);
    if (stores) {
        rw_draft_text(rw, &d, ", ");
        rw_draft_old(rw, &d, right);
        whole.end = right.end;
    }
    rw_draft_text(rw, &d, ")");
    rw_edit(rw, whole, &d);
}

bool rw_edit_part(rewriter *rw, const frame *at, const frame *base, const record_value *v) {
    const laid_record *l = v->what.of;
    const char *name = rw_spelling(rw->arena, at->cursor);
    reached r = {.at = at, .path = {.arena = rw->arena}, .name = {.arena = rw->arena}};
    if (!l->record->whole || field_of(l, name) >= 0 ||
        hd_record_find(hd_record_declared(l->record), name) < 0)
        return false;
    hd_str_add(&r.path, name);
    hd_str_add(&r.name, name);
    bool more = true;
    do {
        more = climb(rw, &r);
        r.field = field_of(l, hd_str_text(&r.path));
    } while (more && r.field < 0);
    if (r.field >= 0)
        edit_part(rw, &r, base, v);
    else
        edit_whole(rw, &r, base, v);
    return true;
}
