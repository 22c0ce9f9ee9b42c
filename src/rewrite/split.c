/*
 * Records that are taken apart (layout.h): their fields are parts such as "pos.x" and "d[1]", but
 * the source still declares `struct vec pos; float d[3];`.
 *
 *     p[i].pos.x, p[i].d[1]   (*R_pos_x(p_ref, i)), (*R_d_1(p_ref, i))
 *     p[i].d[k]               (*R_d(p_ref, i, k)), which chooses
 *     v = p[i].pos            v = R_pos_load(p_ref, i)
 *     p[i].pos = v            R_pos_store(p_ref, i, v)
 *     p[i].v.y                (*R_v_y(p_ref, i)), of a vector
 *     p[i].v.xy += w          R_v_xy_add(p_ref, i, w)
 *
 * Where the layout keeps the lanes of a vector together it is one: (*(__global float4 *)R_v_x(p_ref,
 * i)), with .xy behind it or whatever stands there. A vector of CUDA C is a struct, whose members are
 * its lanes; its operators are functions of the user's, which the generated ones find.
 *
 * A path in C is what stands behind the element; the number of an element of an array of several
 * dimensions is counted in the order of memory, as in the fields' names.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"

static bool is_vector(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_ExtVector || kind == CXType_Vector;
}

/* ---- lanes by their names ------------------------------------------------------------ */

static int lane_number(char letter) {
    static const char names[] = "xyzw", colours[] = "rgba";
    const char *at = strchr(names, letter);
    if (!at)
        return strchr(colours, letter) ? (int)(strchr(colours, letter) - colours) : -1;
    return (int)(at - names);
}

/* Halves of a vector: of one of 3 they are as of one of 4, whose last lane is nobody's. */
static uint32_t half_lanes(const char *name, uint32_t lanes, uint8_t of[16]) {
    uint32_t half = (lanes + 1) / 2, count = 0;
    bool is_half = !strcmp(name, "lo") || !strcmp(name, "hi");
    bool is_upper = !strcmp(name, "hi") || !strcmp(name, "odd");
    if (!is_half && strcmp(name, "even") != 0 && strcmp(name, "odd") != 0)
        return 0;
    for (uint32_t i = 0; i < half; i++) {
        uint32_t lane = is_half ? i + is_upper * half : 2 * i + is_upper;
        if (lane < lanes)
            of[count++] = (uint8_t)lane;
    }
    return count;
}

static uint32_t swizzle_lanes(const char *swizzle, uint32_t lanes, uint8_t of[16]) {
    uint32_t count = half_lanes(swizzle, lanes, of);
    bool by_digits = (*swizzle == 's' || *swizzle == 'S') && swizzle[1];
    if (count)
        return count;
    for (const char *at = swizzle + by_digits; *at; at++) {
        int lane = !by_digits                     ? lane_number(*at)
                   : isdigit((unsigned char)*at)  ? *at - '0'
                   : isxdigit((unsigned char)*at) ? tolower((unsigned char)*at) - 'a' + 10
                                                  : -1;
        if (lane < 0 || (uint32_t)lane >= lanes || count == 16)
            return 0;
        of[count++] = (uint8_t)lane;
    }
    return count;
}

static const char *swizzle_of(rewriter *rw, CXCursor vector, CXCursor up) {
    const source *src = &rw->src;
    range inner, whole;
    if (!is_vector(clang_getCursorType(vector)) || !rw_range_of(src, vector, &inner) ||
        !rw_range_of(src, up, &whole) || whole.begin > inner.begin || whole.end <= inner.end)
        return NULL;
    size_t last = rw_token_ending(src, whole.end);
    bool is_lanes = last < src->token_count && last && rw_token_is(src, last - 1, ".") &&
                    src->tokens[last - 1].at.begin >= inner.end &&
                    clang_getCursorKind(up) == CXCursor_UnexposedExpr;
    return is_lanes ? rw_token_text(src, last) : NULL;
}

uint32_t rw_lanes_together(const laid_record *l, uint32_t first) {
    const hd_map *map = l->text->map;
    if (!l->vectors || !l->vectors[first])
        return 0;
    const hd_field_place *start = &map->fields[first];
    size_t stem = (size_t)(strrchr(l->paths[first], '.') - l->paths[first]);
    uint32_t lanes = 1;
    while (first + lanes < l->record->field_count &&
           !strncmp(l->paths[first + lanes], l->paths[first], stem + 1) &&
           !strchr(l->paths[first + lanes] + stem + 1, '.'))
        lanes++;
    uint64_t bytes = (uint64_t)lanes * start->size;
    if (lanes == 3 || map->layout->clusters[start->cluster].tile != HD_TILE_AOS ||
        start->run % bytes || map->clusters[start->cluster].tile_bytes % bytes)
        return 0;
    for (uint32_t k = 1; k < lanes; k++)
        if (map->fields[first + k].cluster != start->cluster ||
            map->fields[first + k].run != start->run + (uint64_t)k * start->size)
            return 0;
    return lanes;
}

/* ---- types along a path ------------------------------------------------------------ */

/* The type of a member, also of a struct or union without a name in it. */
static bool find_member(rewriter *rw, CXType type, const char *name, CXType *found) {
    hd_cursors fields = hd_type_fields(rw->arena, clang_getCanonicalType(type));
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

/* A vector whose first lane is `name`, or a struct like one: with members of one scalar type
 * and no padding. Its type in C; NULL: it is none, or no name says it. */
static const char *vector_from(rewriter *rw, CXType type, const char *name) {
    const char *text = rw_plain_type(rw->arena, rw_type_text(rw->arena, type));
    bool is_first = !strcmp(name, "x") || !strcmp(name, "s0");
    if (is_vector(type) || !is_first)
        return is_first ? text : NULL;
    hd_cursors members = hd_type_fields(rw->arena, type);
    long long bytes = 0;
    for (size_t i = 0; i < members.count; i++) {
        CXType first = clang_getCanonicalType(clang_getCursorType(members.data[0]));
        CXType lane = clang_getCanonicalType(clang_getCursorType(members.data[i]));
        if (!clang_equalTypes(lane, first) || lane.kind == CXType_Record || rw_is_array(lane) ||
            is_vector(lane))
            return NULL;
        bytes += clang_Type_getSizeOf(lane);
    }
    is_first = members.count && !strcmp(rw_spelling(rw->arena, members.data[0]), name);
    bool is_dense = bytes == clang_Type_getSizeOf(type);
    return is_first && is_dense && !strchr(text, '(') ? text : NULL;
}

/* Walks "pos.x" or "m[5]" from the record; *in_c is the path as C writes it. *vector becomes the
 * type around a path that ends in its first lane, else NULL. */
static bool follow(rewriter *rw, const laid_record *l, const char *path, CXType *type,
                   const char **in_c, const char **vector) {
    hd_str text = {.arena = rw->arena};
    *type = clang_getCursorType(l->declaration);
    for (const char *at = path; *at;) {
        if (*at == '[') {
            *vector = NULL;
            field_type array = {0};
            rw_read_type(rw, *type, &array);
            hd_str_add(&text, indices_text(rw->arena, &array, strtoull(at + 1, NULL, 10)));
            while (rw_is_array(*type)) {
                CXType inner = clang_getArrayElementType(*type);
                *type = inner.kind == CXType_Invalid
                            ? clang_getArrayElementType(clang_getCanonicalType(*type))
                            : inner;
            }
            at += strcspn(at, "]") + 1;
            continue;
        }
        at += *at == '.';
        size_t length = strcspn(at, ".[");
        const char *name = hd_strndup(rw->arena, at, length);
        *vector = vector_from(rw, *type, name);
        if (is_vector(*type))
            *type = clang_getElementType(clang_getCanonicalType(*type));
        else if (!find_member(rw, *type, name, type))
            return false;
        hd_str_printf(&text, "%s%s", text.length ? "." : "", name);
        at += length;
    }
    *in_c = hd_str_text(&text);
    return true;
}

void rw_split_types(rewriter *rw, laid_record *l) {
    l->paths = hd_new_array(rw->arena, const char *, l->record->field_count);
    l->vectors = hd_new_array(rw->arena, const char *, l->record->field_count);
    for (uint32_t f = 0; f < l->record->field_count; f++) {
        CXType type;
        int declared = hd_record_find(l->record->whole, l->record->fields[f].name);
        if (declared >= 0) {
            l->paths[f] = l->record->fields[f].name;
            l->types[f] = l->declared_types[declared];
            continue;
        }
        if (!follow(rw, l, l->record->fields[f].name, &type, &l->paths[f], &l->vectors[f])) {
            rw_refuse(rw, l->declaration,
                      "'%s' has no part '%s' here; analyse the file again, with the same options",
                      l->record->name, l->record->fields[f].name);
            return;
        }
        rw_read_type(rw, type, &l->types[f]);
        rw_name_type(rw, l, l->declaration, l->paths[f], &l->types[f]);
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
        hd_cursors sides = up ? hd_cursor_children(rw->arena, up->cursor) : (hd_cursors){0};
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
    const char *name = NULL, *swizzle = up ? swizzle_of(rw, r->at->cursor, up->cursor) : NULL;
    uint8_t lanes[16];
    uint32_t count = 0; /* of the vector, of which one lane may be meant */
    if (swizzle)
        count = (uint32_t)clang_getNumElements(
            clang_getCanonicalType(clang_getCursorType(r->at->cursor)));
    if (count && swizzle_lanes(swizzle, count, lanes) == 1)
        name = hd_lane_name(count, lanes[0]);
    if (!name &&
        (!up || clang_getCursorKind(up->cursor) != CXCursor_MemberRefExpr || is_method(up->cursor)))
        return false;
    name = name ? name : rw_spelling(rw->arena, up->cursor);
    hd_str_printf(&r->path, ".%s", name);
    hd_str_printf(&r->name, "_%s", name);
    r->at = up;
    return true;
}

static bool is_same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static const char *ending_of(const part_function *g) {
    static const char *const endings[] = {"_load", "_store", ""};
    static const char *const operators[][2] = {
        {"=", "store"}, {"+=", "add"}, {"-=", "sub"}, {"*=", "mul"},  {"/=", "div"}, {"%=", "rem"},
        {"&=", "and"},  {"|=", "or"},  {"^=", "xor"}, {"<<=", "shl"}, {">>=", "shr"}};
    if (g->kind != PART_CHANGE)
        return endings[g->kind];
    size_t n = 0;
    while (strcmp(operators[n][0], g->op) != 0 && n + 1 < sizeof operators / sizeof *operators)
        n++;
    return operators[n][1];
}

/* The name of the function `g`, which is added where there is none like it. */
static const char *part_function_of(rewriter *rw, const record_value *v, const reached *r,
                                    part_function g) {
    laid_record *l = v->what.of;
    const accessors *f = &l->accessors[v->what.in];
    g.in = v->what.in;
    g.path = hd_str_text(&r->path);
    for (size_t i = 0; i < l->part_functions.count; i++) {
        const part_function *known = &l->part_functions.data[i];
        if (known->in == g.in && known->kind == g.kind && !strcmp(known->path, g.path) &&
            is_same(known->swizzle, g.swizzle) && is_same(known->op, g.op) &&
            is_same(known->operand, g.operand))
            return known->name;
    }
    hd_str lanes = {.arena = rw->arena};
    if (g.swizzle && *g.swizzle)
        hd_str_printf(&lanes, "_%s", g.swizzle + 1);
    if (g.kind == PART_CHANGE)
        hd_str_add(&lanes, "_");
    g.name = rw_free_name(rw, hd_format(rw->arena, "%.*s_%s%s%s", (int)strlen(f->ref) - 4, f->ref,
                                        hd_str_text(&r->name), hd_str_text(&lanes), ending_of(&g)));
    hd_push(rw->arena, &l->part_functions, g);
    return g.name;
}

/* ---- edits --------------------------------------------------------------------------- */

/* Whether what is reached can be written anew: it is no macro's, and its address stays here. */
static bool takes_edit(rewriter *rw, const reached *r, const char *name, range *whole) {
    const char *why;
    if (!rw_range_of(&rw->src, r->at->cursor, whole)) {
        rw_refuse_macro(rw, r->at->cursor);
        return false;
    }
    if (rw_field_escapes(rw, r->at, &why)) {
        rw_refuse(rw, r->at->cursor, "the address of field '%s' %s", name, why);
        return false;
    }
    return true;
}

static void edit_part(rewriter *rw, const reached *r, const frame *base, const record_value *v) {
    laid_record *l = v->what.of;
    const char *name = l->accessors[v->what.in].fields[r->field];
    range whole;
    draft d = {0};
    if (!takes_edit(rw, r, l->record->fields[r->field].name, &whole))
        return;
    if (r->varies)
        name = part_function_of(rw, v, r,
                                (part_function){.kind = PART_SELECT, .field = (uint32_t)r->field});
    rw_draft_text(rw, &d, "(*%s%s(", l->scope, name);
    rw_draft_position(rw, &d, base, v);
    for (size_t i = 0; r->varies && i < r->indices.count; i++)
        hd_push(rw->arena, &d, r->indices.data[i]);
    rw_draft_text(rw, &d, "))");
    rw_edit(rw, whole, &d);
}

/* The first lane of the vector that is reached, if the lanes lie together like one; else -1. */
static int first_lane(const laid_record *l, const reached *r) {
    static const char *const lanes[] = {"x", "s0"};
    for (size_t n = 0; n < sizeof lanes / sizeof *lanes && !r->varies; n++) {
        hd_str name = {.arena = r->path.arena};
        hd_str_printf(&name, "%s.%s", hd_str_text(&r->path), lanes[n]);
        int field = hd_record_find(l->record, hd_str_text(&name));
        if (field >= 0 && rw_lanes_together(l, (uint32_t)field))
            return field;
    }
    return -1;
}

/* A vector whose lanes lie together is one. */
static void edit_vector(rewriter *rw, const reached *r, uint32_t first, const frame *base,
                        const record_value *v) {
    const laid_record *l = v->what.of;
    const accessors *f = &l->accessors[v->what.in];
    range whole;
    draft d = {0};
    if (!takes_edit(rw, r, hd_str_text(&r->path), &whole))
        return;
    rw_draft_text(rw, &d, "(*(%s%s *)%s%s(", f->qualifier, l->vectors[first], l->scope,
                  f->fields[first]);
    rw_draft_position(rw, &d, base, v);
    rw_draft_text(rw, &d, "))");
    rw_edit(rw, whole, &d);
}

/* What is assigned to an expression, and by what operator: "=", or "+=" and its like, which may be
 * a function of C++. */
static bool is_assigned(rewriter *rw, const frame *at, CXCursor *value, const char **op) {
    const frame *up = at->up;
    while (up && clang_getCursorKind(up->cursor) == CXCursor_ParenExpr)
        up = up->up;
    if (!up)
        return false;
    hd_cursors sides = hd_cursor_children(rw->arena, up->cursor);
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(up->cursor);
    const char *name = rw_spelling(rw->arena, up->cursor);
    size_t word = strlen("operator"), length = strlen(name);
    bool is_operator = clang_getCursorKind(up->cursor) == CXCursor_CallExpr &&
                       !strncmp(name, "operator", word) && length > word + 1 &&
                       name[length - 1] == '=' && !strchr("=!<>", name[word]);
    *op = "=";
    if (clang_getCursorKind(up->cursor) == CXCursor_CompoundAssignOperator)
        *op = hd_clang_text(rw->arena, clang_getBinaryOperatorKindSpelling(kind));
    else if (is_operator)
        *op = name + word;
    else if (kind != CXBinaryOperator_Assign &&
             !(rw_is_plain_copy(rw->arena, up->cursor) && is_method(up->cursor)))
        return false;
    if (sides.count < 2 || !rw_same_expression(sides.data[0], at->cursor))
        return false;
    *value = sides.data[sides.count - 1];
    return true;
}

static const char *type_text(rewriter *rw, CXCursor expression) {
    return rw_plain_type(rw->arena, rw_type_text(rw->arena, clang_getCursorType(expression)));
}

/* An argument that its function may change. */
static bool is_changed_argument(rewriter *rw, CXCursor call, CXCursor argument) {
    CXCursor callee = rw_callee(rw->arena, call);
    if (clang_getCursorKind(call) != CXCursor_CallExpr || clang_Cursor_isNull(callee))
        return false;
    hd_cursors parameters = rw_parameters(rw->arena, callee);
    unsigned skip = rw_first_argument(rw, call, callee, parameters.count);
    for (unsigned i = skip; i - skip < parameters.count; i++) {
        CXType type = clang_getCursorType(parameters.data[i - skip]);
        if (rw_same_expression(clang_Cursor_getArgument(call, i), argument))
            return rw_is_reference(type) && !clang_isConstQualifiedType(rw_value_type(type));
    }
    return false;
}

/* A whole part is a copy: no place for a reference, nor for what changes it. */
static void refuse_change_of_copy(rewriter *rw, const reached *r, const laid_record *l) {
    const frame *up = rw_around(r->at), *by_lanes = r->at->up;
    enum CXUnaryOperatorKind unary =
        by_lanes ? clang_getCursorUnaryOperatorKind(by_lanes->cursor) : CXUnaryOperator_Invalid;
    bool is_subscript = up && clang_getCursorKind(up->cursor) == CXCursor_ArraySubscriptExpr &&
                        is_vector(clang_getCursorType(r->at->cursor));
    bool is_reference = up && ((clang_getCursorKind(up->cursor) == CXCursor_VarDecl &&
                                rw_is_reference(clang_getCursorType(up->cursor))) ||
                               is_changed_argument(rw, up->cursor, r->at->cursor));
    if (is_reference)
        rw_refuse(rw, r->at->cursor,
                  "'%s' of '%s' is taken apart in this layout, so no reference can lead to it; "
                  "copy it, reach its parts one by one, or leave it whole (--split)",
                  hd_str_text(&r->path), l->record->name);
    else if (is_subscript || (unary >= CXUnaryOperator_PostInc && unary <= CXUnaryOperator_PreDec))
        rw_refuse(rw, r->at->cursor,
                  "'%s' of '%s' is taken apart in this layout, so it is not changed or indexed "
                  "in place; reach its lanes one by one, or leave it whole (--split)",
                  hd_str_text(&r->path), l->record->name);
    else if (up &&
             is_method(up->cursor)) { /* what it is called on, by its name or by an operator */
        hd_cursors inside = hd_cursor_children(rw->arena, up->cursor);
        bool is_call = clang_getCursorKind(up->cursor) == CXCursor_CallExpr;
        if (!is_call || (inside.count && rw_same_expression(inside.data[0], r->at->cursor)))
            rw_check_method(rw, is_call ? up : up->up, clang_getCursorReferenced(up->cursor), l);
    }
}

/* The text of what follows is walked by the expression around. */
static void edit_whole(rewriter *rw, const reached *r, const frame *base, const record_value *v) {
    laid_record *l = v->what.of;
    CXCursor value;
    CXType type;
    range whole, right;
    draft d = {0};
    const char *in_c, *vector, *op, *path = hd_str_text(&r->path);
    if (r->varies || !follow(rw, l, path, &type, &in_c, &vector) ||
        (clang_getCanonicalType(type).kind != CXType_Record && !is_vector(type)) ||
        clang_getCursorUnaryOperatorKind(r->at->up->cursor) == CXUnaryOperator_AddrOf) {
        rw_refuse(rw, r->at->cursor,
                  "'%s' of '%s' is taken apart in this layout and has no place of its own; reach "
                  "its parts one by one, or leave it whole (--split)",
                  path, l->record->name);
        return;
    }
    const frame *up = next_up(r->at), *end = r->at;
    const char *lanes = up ? swizzle_of(rw, r->at->cursor, up->cursor) : NULL;
    field_type read = {.element = rw_plain_type(rw->arena, rw_type_text(rw->arena, type))};
    if (!rw_name_type(rw, l, r->at->cursor, in_c, &read))
        return;
    part_function g = {.type = read.element};
    end = lanes ? up : end;
    bool stores = is_assigned(rw, end, &value, &op);
    if (!stores)
        refuse_change_of_copy(rw, r, l);
    if (!rw_range_of(&rw->src, end->cursor, &whole) ||
        (stores && !rw_range_of(&rw->src, value, &right))) {
        rw_refuse_macro(rw, r->at->cursor);
        return;
    }
    g.kind = stores ? PART_STORE : PART_LOAD;
    if (lanes || (stores && strcmp(op, "=") != 0)) {
        g.swizzle = lanes ? hd_format(rw->arena, ".%s", lanes) : "";
        g.result = type_text(rw, end->cursor);
    }
    if (stores && g.swizzle) {
        g.kind = PART_CHANGE;
        g.op = op;
        g.operand = type_text(rw, value);
    }
    rw_draft_text(rw, &d, "%s%s(", l->scope, part_function_of(rw, v, r, g));
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
    reached r = {.at = at, .path = {.arena = rw->arena}, .name = {.arena = rw->arena}, .field = -1};
    if (!l->record->whole || field_of(l, name) >= 0 ||
        hd_record_find(hd_record_declared(l->record), name) < 0)
        return false;
    hd_str_add(&r.path, name);
    hd_str_add(&r.name, name);
    bool more = true;
    int first = first_lane(l, &r);
    while (more && first < 0) {
        more = climb(rw, &r);
        r.field = field_of(l, hd_str_text(&r.path));
        if (r.field >= 0)
            break;
        first = first_lane(l, &r);
    }
    if (first >= 0)
        edit_vector(rw, &r, (uint32_t)first, base, v);
    else if (r.field >= 0)
        edit_part(rw, &r, base, v);
    else
        edit_whole(rw, &r, base, v);
    return true;
}

/* ---- changes in place --------------------------------------------------------------------- */

/* Copies the lanes that a change touches between `value` and their places. */
static void copy_lanes(hd_str *out, const rewriter *rw, const laid_record *l,
                       const part_function *g, bool store) {
    size_t stem = strlen(g->path);
    uint8_t of[16];
    uint32_t lanes = 0, set = UINT32_MAX;
    for (uint32_t f = 0; f < l->record->field_count; f++)
        lanes += !strncmp(l->record->fields[f].name, g->path, stem) &&
                 l->record->fields[f].name[stem] == '.';
    if (*g->swizzle) {
        set = 0;
        for (uint32_t n = swizzle_lanes(g->swizzle + 1, lanes, of); n; n--)
            set |= 1u << of[n - 1];
    }
    for (uint32_t f = 0, lane = 0; f < l->record->field_count; f++) {
        const char *name = l->record->fields[f].name;
        if (strncmp(name, g->path, stem) != 0 || name[stem] != '.')
            continue;
        if (set >> lane++ & 1)
            rw_add_copy(out, rw, l, g->in, f, name + stem, store);
    }
}

void rw_add_lanes(hd_str *out, const rewriter *rw, const laid_record *l, const part_function *g) {
    const rw_dialect *dialect = rw_dialect_of(rw, g->in);
    hd_str_printf(out, "%s%s %s(%s ref, %s i) {\n    %s value;\n", dialect->function, g->result,
                  g->name, l->accessors[g->in].ref, dialect->index, g->type);
    copy_lanes(out, rw, l, g, false);
    hd_str_printf(out, "    return value%s;\n}\n", g->swizzle);
}

void rw_add_change(hd_str *out, const rewriter *rw, const laid_record *l, const part_function *g) {
    const rw_dialect *dialect = rw_dialect_of(rw, g->in);
    const accessors *f = &l->accessors[g->in];
    bool is_template = rw->is_cuda;
    hd_str_printf(out, "%s%s%s %s(%s ref, %s i, %s operand) {\n    %s value;\n",
                  is_template ? "template <class V> " : "", dialect->function,
                  is_template ? g->type : g->result, g->name, f->ref, dialect->index,
                  is_template ? "V" : g->operand, g->type);
    if (strcmp(g->op, "=") != 0)
        copy_lanes(out, rw, l, g, false);
    hd_str_printf(out, "    value%s %s operand;\n", g->swizzle, g->op);
    copy_lanes(out, rw, l, g, true);
    hd_str_printf(out, "    return value%s;\n}\n", g->swizzle);
}
