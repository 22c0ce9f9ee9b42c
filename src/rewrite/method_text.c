/*
 * Methods that change the element that they are called on, as functions of its place.
 *
 *     struct R { ... __device__ void step(float dt) { x += v * dt; } };
 *     p[i].step(0.5f);
 *
 *     static __device__ inline void R_step(R_ref at, long long i, float dt) {
 *         (*R_x(at, i)) += (*R_v(at, i)) * dt; }
 *     R_step(p, i, 0.5f);
 *
 * The method itself stays, for C structs. A copy that is stored when the method has ended would not
 * do: another thread may have written other fields meanwhile, or the same where the method wrote
 * nothing. Where it takes other records by reference and is given elements, these are places, too:
 *
 *     p[i].take(p[j]);     R_take(p, i, R_at(p, j));     static void R_take(R_ref at, long long i, R_ref o)
 *
 * so there is one function for each choice of parameters. Its text is the method's, in which each
 * member is replaced; where the whole object is used, no text is made.
 */
#include <stdlib.h>

#include "internal.h"

typedef struct piece {
    range at;
    const char *text;
} piece;

typedef hd_vec(piece) piece_list;

typedef struct writer {
    rewriter *rw;
    laid_record *l;
    accessors *f;
    CXCursor method, call; /* the first call that asked for it */
    hd_cursors parameters;
    uint64_t places; /* parameters that are given elements */
    const char *ref, *index;
    piece_list pieces;
    bool gives_itself; /* it returns *this */
    bool needs_later;  /* it names what is declared between the struct and its definition */
} writer;

/* ---- what a member belongs to ------------------------------------------------------------------ */

/* An object whose place is known: `this`, or a parameter that is given an element. */
typedef struct object {
    const char *ref, *index;
    bool is_implicit; /* a member without a word before it */
} object;

static bool fail(writer *w, CXCursor at, const char *why) {
    hd_place call = rw_place_of(&w->rw->src, clang_getRangeStart(clang_getCursorExtent(w->call)));
    return !rw_refuse(w->rw, at,
                      "%s, in the method '%s', which changes the element of '%s' that it is called "
                      "on (%s:%u:%u); name the fields one by one, or call it on a copy and store "
                      "that",
                      why, rw_spelling(w->rw->arena, w->method), w->l->record->name, call.file,
                      call.line, call.column);
}

static bool is_place(const writer *w, CXCursor named) {
    for (size_t i = 0; i < w->parameters.count && i < 64; i++)
        if ((w->places >> i & 1) && clang_equalCursors(w->parameters.data[i], named))
            return true;
    return false;
}

static bool is_this(rewriter *rw, CXCursor e) {
    e = rw_bare(rw->arena, e);
    if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref)
        e = rw_bare(rw->arena, rw_only_child(rw->arena, e));
    return clang_getCursorKind(e) == CXCursor_CXXThisExpr;
}

static bool read_object(writer *w, CXCursor member, object *result) {
    hd_cursors inside = hd_cursor_children(w->rw->arena, member);
    size_t last = inside.count;
    while (last && !clang_isExpression(clang_getCursorKind(inside.data[last - 1])))
        last--; /* names of types before the member's */
    *result = (object){.ref = w->ref, .index = w->index, .is_implicit = !last};
    if (!last || is_this(w->rw, inside.data[last - 1]))
        return true;
    CXCursor named = clang_getCursorReferenced(rw_bare(w->rw->arena, inside.data[last - 1]));
    *result = (object){rw_spelling(w->rw->arena, named), "0", false};
    return is_place(w, named);
}

/* ---- pieces of the new text ---------------------------------------------------------------------- */

static void replace(writer *w, range at, const char *text) {
    hd_push(w->rw->arena, &w->pieces, (piece){at, text});
}

/* The text of a member's access, which ends with its name. */
static bool member_range(writer *w, CXCursor member, range *at) {
    rewriter *rw = w->rw;
    if (rw_range_of(&rw->src, member, at)) {
        size_t last = rw_token_ending(&rw->src, at->end);
        if (rw_token_is(&rw->src, last, rw_spelling(rw->arena, member)))
            return true;
    }
    return !rw_refuse_macro(rw, member);
}

static bool write_code(writer *w, const frame *at);

static bool write_children(writer *w, const frame *at) {
    hd_cursors inside = hd_cursor_children(w->rw->arena, at->cursor);
    bool good = true;
    for (size_t i = 0; i < inside.count; i++)
        good &= write_code(w, &(frame){inside.data[i], at});
    return good;
}

static bool write_field(writer *w, const frame *at, const object *of) {
    rewriter *rw = w->rw;
    CXCursor member = clang_getCursorReferenced(at->cursor);
    const char *name = rw_spelling(rw->arena, member), *why;
    int field = rw_field_of_member(rw, w->l, member, name);
    range whole;
    if (field < 0)
        return fail(w, at->cursor, hd_format(rw->arena, "'%s' is no field of its own", name));
    if (rw_field_escapes(rw, at, &why))
        return fail(w, at->cursor, hd_format(rw->arena, "the address of field '%s' %s", name, why));
    if (!member_range(w, at->cursor, &whole))
        return false;
    bool is_member = w->l->types[field].members;
    replace(w, whole,
            hd_format(rw->arena, "(*%s(%s, %s))%s%s", w->f->fields[field], of->ref, of->index,
                      is_member ? "." : "", is_member ? name : ""));
    return true;
}

/* A call of another method of the object. */
static bool write_call(writer *w, const frame *call, const frame *member, const object *of) {
    rewriter *rw = w->rw;
    CXCursor method = clang_getCursorReferenced(member->cursor);
    int count = clang_Cursor_getNumArguments(call->cursor);
    range whole;
    if (!member_range(w, member->cursor, &whole))
        return false;
    if (!rw_method_changes(rw, method)) {
        rw_check_method(rw, call, method, w->l);
        w->f->loads = true;
        replace(w, whole,
                hd_format(rw->arena, "%s(%s, %s).%s", w->f->load, of->ref, of->index,
                          rw_spelling(rw->arena, method)));
    } else {
        bool gives_itself;
        const char *name = rw_element_method(rw, w->l, method, 0, w->call, &gives_itself);
        size_t open = rw_token_from(&rw->src, whole.end);
        if (!name || !rw_token_is(&rw->src, open, "("))
            return false;
        if (gives_itself && !rw_is_unused(rw, call))
            return fail(w, call->cursor, "what another method returns leads into the element");
        whole.end = rw->src.tokens[open].at.end;
        replace(w, whole,
                hd_format(rw->arena, "%s(%s, %s%s", name, of->ref, of->index, count ? ", " : ""));
    }
    bool good = true;
    for (int i = 0; i < count; i++)
        good &= write_code(w, &(frame){clang_Cursor_getArgument(call->cursor, (unsigned)i), call});
    return good;
}

/* What the struct names without saying so: its types, constants and static members. */
static void write_name(writer *w, CXCursor name) {
    rewriter *rw = w->rw;
    range at;
    CXCursor named = clang_getCursorReferenced(name);
    CXCursor around = clang_getCursorSemanticParent(named);
    const char *argument = rw_argument_of_record(rw, w->l, named);
    if (argument && rw_range_of(&rw->src, name, &at)) {
        replace(w, at, argument);
        return;
    }
    if (clang_getCursorKind(around) == CXCursor_EnumDecl)
        around = clang_getCursorSemanticParent(around);
    if (!clang_equalCursors(around, rw_pattern_of(w->l->declaration)) ||
        !rw_range_of(&rw->src, name, &at))
        return;
    size_t t = rw_token_at(&rw->src, at.begin);
    if (t && !rw_token_is(&rw->src, t - 1, "::") && !rw_token_is(&rw->src, t + 1, "::"))
        replace(w, (range){at.begin, at.begin}, hd_format(rw->arena, "%s::", w->l->spelling));
}

static bool write_member(writer *w, const frame *at) {
    CXCursor member = clang_getCursorReferenced(at->cursor);
    object of;
    if (!read_object(w, at->cursor, &of))
        return write_children(w, at);
    if (clang_getCursorKind(member) == CXCursor_FieldDecl)
        return write_field(w, at, &of);
    if (clang_getCursorKind(member) != CXCursor_CXXMethod) {
        write_name(w, at->cursor);
        return of.is_implicit || fail(w, at->cursor, "a static member is reached by an object");
    }
    const frame *call = at->up;
    if (clang_CXXMethod_isStatic(member) || !call ||
        clang_getCursorKind(call->cursor) != CXCursor_CallExpr)
        return fail(w, at->cursor, "a method is named");
    return write_call(w, call, at, &of);
}

static bool write_return(writer *w, const frame *at) {
    CXCursor value = rw_only_child(w->rw->arena, at->cursor);
    range whole;
    if (clang_Cursor_isNull(value) || !is_this(w->rw, value) ||
        !rw_is_reference(clang_getCursorResultType(w->method)))
        return write_children(w, at);
    w->gives_itself = true;
    if (!rw_range_of(&w->rw->src, value, &whole))
        return !rw_refuse_macro(w->rw, value);
    replace(w, whole, "");
    return true;
}

/* The function stands just behind the struct, or, where it needs what comes after that, behind the
 * method's own definition. */
static bool is_known_there(writer *w, CXCursor name) {
    rewriter *rw = w->rw;
    CXCursor named = clang_getCursorReferenced(name);
    CXCursor definition = clang_getCursorDefinition(rw_pattern_of(w->method));
    unsigned offset;
    range own;
    if (clang_Cursor_isNull(named) || !rw_range_of(&rw->src, definition, &own) ||
        !rw_offset_of(&rw->src, clang_getCursorLocation(clang_getCanonicalCursor(named)), &offset))
        return true;
    bool is_own = offset >= own.begin && offset < own.end;
    if (is_own || offset < w->l->declared)
        return true;
    w->needs_later = true;
    CXCursor scope = clang_getCursorSemanticParent(rw_pattern_of(w->l->declaration));
    return clang_equalCursors(clang_getCursorLexicalParent(definition), scope) ||
           fail(w, name,
                hd_format(rw->arena, "'%s' is declared behind the struct",
                          rw_spelling(rw->arena, named)));
}

/* False, with a refusal: it uses the object in another way than by its fields. */
static bool write_code(writer *w, const frame *at) {
    rewriter *rw = w->rw;
    CXCursor called;
    switch (clang_getCursorKind(at->cursor)) {
    case CXCursor_CXXThisExpr: return fail(w, at->cursor, "the object is used as a whole");
    case CXCursor_LambdaExpr: return fail(w, at->cursor, "there is a lambda");
    case CXCursor_ReturnStmt: return write_return(w, at);
    case CXCursor_MemberRefExpr: return write_member(w, at);
    case CXCursor_CallExpr: /* of a method: its arguments go with it */
        called = rw_bare(rw->arena, hd_cursor_children(rw->arena, at->cursor).count
                                        ? hd_cursor_children(rw->arena, at->cursor).data[0]
                                        : at->cursor);
        if (clang_getCursorKind(called) == CXCursor_MemberRefExpr &&
            clang_getCursorKind(clang_getCursorReferenced(called)) == CXCursor_CXXMethod) {
            object of;
            if (read_object(w, called, &of))
                return write_member(w, &(frame){called, at});
        }
        return write_children(w, at);
    case CXCursor_DeclRefExpr:
        if (is_place(w, clang_getCursorReferenced(at->cursor)))
            return fail(w, at->cursor, "another element is used as a whole");
        write_name(w, at->cursor);
        return is_known_there(w, at->cursor);
    case CXCursor_TypeRef: write_name(w, at->cursor); return is_known_there(w, at->cursor);
    case CXCursor_VarDecl:
        if (clang_Cursor_getStorageClass(at->cursor) == CX_SC_Static)
            return fail(w, at->cursor, "a variable outlives the call");
        return write_children(w, at);
    default: return write_children(w, at);
    }
}

/* ---- the function ------------------------------------------------------------------------------ */

static void add_replaced(writer *w, hd_str *out, range at) {
    unsigned from = at.begin;
    const char *text = w->rw->src.text;
    for (size_t i = 0; i < w->pieces.count; i++) {
        const piece *p = &w->pieces.data[i];
        if (p->at.begin < from || p->at.end > at.end)
            continue;
        hd_str_addn(out, text + from, p->at.begin - from);
        hd_str_add(out, p->text);
        from = p->at.end;
    }
    hd_str_addn(out, text + from, at.end - from);
}

static bool has_attribute(rewriter *rw, CXCursor method, enum CXCursorKind kind) {
    hd_cursors inside = hd_cursor_children(rw->arena, method);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == kind)
            return true;
    return false;
}

/* Adds what stands before the name: where it runs, and what it returns. */
static void add_head(writer *w, hd_str *out) {
    rewriter *rw = w->rw;
    CXType result = clang_getCursorResultType(w->method);
    bool on_host = rw->with_host && (has_attribute(rw, w->method, CXCursor_CUDAHostAttr) ||
                                     rw_is_host(rw, w->method));
    hd_str_printf(out, "static %s%sinline %s ", on_host ? "__host__ " : "",
                  rw_is_host(rw, w->method) ? "" : "__device__ ",
                  w->gives_itself ? "void"
                                  : rw_type_text(rw->arena, clang_getCanonicalType(result)));
}

/* What a parameter is where a call does not give it: only the first declaration says it. */
static void add_default(writer *w, hd_str *out, CXCursor definition, size_t number) {
    const source *src = &w->rw->src;
    CXCursor first = clang_getCanonicalCursor(definition);
    hd_cursors parameters = rw_parameters(w->rw->arena, first);
    range at;
    if (clang_equalCursors(first, definition) || number >= parameters.count ||
        !rw_range_of(src, parameters.data[number], &at))
        return;
    size_t t = rw_token_from(src, at.begin);
    while (t < src->token_count && src->tokens[t].at.begin < at.end && !rw_token_is(src, t, "="))
        t++;
    if (!rw_token_is(src, t, "=") || src->tokens[t].at.begin >= at.end)
        return;
    write_children(w, &(frame){parameters.data[number], NULL});
    hd_str_add(out, " ");
    add_replaced(w, out, (range){src->tokens[t].at.begin, at.end});
}

static bool add_signature(writer *w, hd_str *out, CXCursor definition, const char *name,
                          bool with_defaults) {
    rewriter *rw = w->rw;
    range at;
    add_head(w, out);
    hd_str_printf(out, "%s(%s %s, %s %s", name, w->f->ref, w->ref,
                  rw_dialect_of(rw, SPACE_GLOBAL)->index, w->index);
    for (size_t i = 0; i < w->parameters.count; i++) {
        CXCursor parameter = w->parameters.data[i];
        if (w->places >> i & 1) {
            hd_str_printf(out, ", %s %s", w->f->ref, rw_spelling(rw->arena, parameter));
            continue;
        }
        hd_str_add(out, ", ");
        if (!rw_range_of(&rw->src, parameter, &at))
            return !rw_refuse_macro(rw, parameter);
        add_replaced(w, out, at);
        if (with_defaults)
            add_default(w, out, definition, i);
    }
    hd_str_add(out, ")");
    return true;
}

static int compare_pieces(const void *left, const void *right) {
    const piece *a = left, *b = right;
    return (a->at.begin > b->at.begin) - (a->at.begin < b->at.begin);
}

/* What stands behind the struct; the rest, if any, is inserted behind the method's definition. */
static const char *text_of(writer *w, CXCursor definition, const char *name) {
    rewriter *rw = w->rw;
    hd_str first = {.arena = rw->arena}, rest = first;
    range whole, at;
    CXCursor body = rw_body(rw->arena, definition);
    frame file = {clang_getTranslationUnitCursor(rw->src.unit), NULL};
    frame function = {definition, &file};
    bool good = write_code(w, &(frame){body, &function});
    for (size_t i = 0; i < w->parameters.count; i++)
        if (!(w->places >> i & 1))
            good &= write_children(w, &(frame){w->parameters.data[i], &function});
    if (!good)
        return NULL;
    qsort(w->pieces.data, w->pieces.count, sizeof *w->pieces.data, compare_pieces);
    if (!rw_range_of(&rw->src, body, &at))
        return rw_refuse_macro(rw, body), NULL;
    if (!add_signature(w, &first, definition, name, true))
        return NULL;
    if (w->needs_later) {
        hd_str_add(&first, ";\n");
        hd_str_add(&rest, "\n\n");
        if (!rw_range_of(&rw->src, definition, &whole) ||
            !add_signature(w, &rest, definition, name, false))
            return NULL;
    }
    hd_str *with_body = w->needs_later ? &rest : &first;
    hd_str_add(with_body, " ");
    add_replaced(w, with_body, at);
    if (w->needs_later)
        rw_edit_insert(rw, rw_line_end(&rw->src, whole.end), hd_str_text(&rest));
    else
        hd_str_add(&first, "\n");
    return hd_str_text(&first);
}

/* "step"; of an operator a word for it. */
static const char *word_for(rewriter *rw, CXCursor method) {
    static const struct {
        const char *name, *word;
    } operators[] = {{"operator+=", "add"},      {"operator-=", "subtract"},
                     {"operator*=", "multiply"}, {"operator/=", "divide"},
                     {"operator%=", "reduce"},   {"operator&=", "and"},
                     {"operator|=", "or"},       {"operator^=", "xor"},
                     {"operator<<=", "shift"},   {"operator>>=", "shift_back"}};
    const char *name = rw_spelling(rw->arena, method);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(operators[i].name, name))
            return operators[i].word;
    return strncmp(name, "operator", 8) ? name : NULL;
}

/* The method has a text of its own, and no types of a template. */
static CXCursor definition_of(rewriter *rw, const laid_record *l, CXCursor method) {
    method = rw_pattern_of(method);
    CXCursor definition = clang_getCursorDefinition(method);
    bool is_plain = clang_getCursorKind(method) == CXCursor_CXXMethod && !l->record->whole &&
                    !clang_CXXMethod_isVirtual(method) && word_for(rw, method) &&
                    clang_equalCursors(rw_pattern_of(clang_getCursorSemanticParent(method)),
                                       rw_pattern_of(l->declaration));
    if (!is_plain || clang_Cursor_isNull(definition) ||
        clang_Cursor_isNull(rw_body(rw->arena, definition)))
        return clang_getNullCursor();
    return definition;
}

const char *rw_element_method(rewriter *rw, laid_record *l, CXCursor method, uint64_t places,
                              CXCursor call, bool *gives_itself) {
    CXCursor definition = definition_of(rw, l, method);
    *gives_itself = false;
    for (size_t i = 0; i < l->methods.count; i++) {
        const element_method *known = &l->methods.data[i];
        *gives_itself = known->gives_itself;
        if (known->places == places && clang_equalCursors(known->method, definition))
            return known->name;
    }
    if (clang_Cursor_isNull(definition)) {
        rw_refuse(rw, call,
                  "the method '%s' may change the element of '%s' that it is called on; call it on "
                  "a copy and store that, or make it const",
                  rw_spelling(rw->arena, method), l->record->name);
        return NULL;
    }
    writer w = {.rw = rw,
                .l = l,
                .f = &l->accessors[SPACE_GLOBAL],
                .method = method,
                .call = call,
                .parameters = rw_parameters(rw->arena, definition),
                .places = places,
                .ref = rw_free_name(rw, "at"),
                .index = rw_free_name(rw, "place")};
    const char *name = rw_free_name(
        rw, hd_format(rw->arena, "%s_%s", rw_identifier(rw->arena, rw_unscoped(l->spelling)),
                      word_for(rw, method)));
    size_t number = l->methods.count;
    hd_push(rw->arena, &l->methods, (element_method){definition, places, name, false});
    const char *text = text_of(&w, definition, name);
    l->methods.data[number].gives_itself = *gives_itself = w.gives_itself;
    l->accessors[SPACE_GLOBAL].is_used = true;
    if (text)
        hd_push(rw->arena, &l->method_texts, text);
    return text ? name : NULL;
}

/* ---- calls --------------------------------------------------------------------------------------- */

/* The parameters that are given elements, as bits. */
static uint64_t places_given(rewriter *rw, CXCursor call, CXCursor method, unsigned skip) {
    hd_cursors parameters = rw_parameters(rw->arena, method);
    uint64_t places = 0;
    for (unsigned i = 0; i < parameters.count && i < 64; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, i + skip);
        if (rw_is_reference(clang_getCursorType(parameters.data[i])) &&
            rw_record_value_of(rw, argument).depth == 0)
            places |= (uint64_t)1 << i;
    }
    return places;
}

static void edit_arguments(rewriter *rw, const frame *call, unsigned skip, uint64_t places) {
    int count = clang_Cursor_getNumArguments(call->cursor);
    for (unsigned i = 0; (int)(i + skip) < count; i++) {
        frame argument = {clang_Cursor_getArgument(call->cursor, i + skip), call};
        if (i < 64 && (places >> i & 1))
            rw_edit_reference(rw, &argument);
        else
            rw_walk(rw, &argument);
    }
}

/* element OP value */
static bool edit_operator(rewriter *rw, const frame *call, const char *name,
                          const record_value *v) {
    hd_cursors sides = {0};
    range whole, ranges[2];
    draft d = {0};
    hd_push(rw->arena, &sides, clang_Cursor_getArgument(call->cursor, 0));
    hd_push(rw->arena, &sides, clang_Cursor_getArgument(call->cursor, 1));
    if (!rw_ranges_of(rw, call->cursor, &sides, &whole, ranges) || ranges[0].begin != whole.begin ||
        ranges[1].end != whole.end)
        return rw_refuse_macro(rw, call->cursor);
    rw_draft_text(rw, &d, "%s%s(", v->what.of->scope, name);
    rw_draft_position(rw, &d, &(frame){sides.data[0], call}, v);
    rw_draft_text(rw, &d, ", ");
    rw_draft_old(rw, &d, ranges[1]);
    rw_draft_text(rw, &d, ")");
    rw_edit(rw, whole, &d);
    return true;
}

/* element.method( */
static bool edit_named(rewriter *rw, const frame *call, const frame *member, const frame *element,
                       const char *name, const record_value *v) {
    range whole;
    draft d = {0};
    size_t open = rw->src.token_count;
    if (rw_range_of(&rw->src, member->cursor, &whole))
        open = rw_token_from(&rw->src, whole.end);
    if (!rw_token_is(&rw->src, open, "("))
        return rw_refuse_macro(rw, call->cursor);
    rw_draft_text(rw, &d, "%s%s(", v->what.of->scope, name);
    rw_draft_position(rw, &d, element, v);
    rw_draft_text(rw, &d, rw_token_is(&rw->src, open + 1, ")") ? "" : ", ");
    rw_edit(rw, (range){whole.begin, rw->src.tokens[open].at.end}, &d);
    return true;
}

/* The method that a call calls; in a template that of the record which its object is. */
static CXCursor method_of(rewriter *rw, CXCursor call, CXCursor callee) {
    CXCursor method = clang_getCursorReferenced(call);
    CXCursor element = rw_only_child(rw->arena, callee);
    if (!clang_Cursor_isNull(method) || clang_getCursorKind(callee) != CXCursor_MemberRefExpr ||
        clang_Cursor_isNull(element))
        return method;
    record_value v = rw_record_value_of(rw, element);
    return v.depth < 0 ? method : rw_member_of(rw, callee, v.what.of, rw_member_name(rw, callee));
}

bool rw_edit_changing_call(rewriter *rw, const frame *call) {
    hd_cursors inside = hd_cursor_children(rw->arena, call->cursor);
    CXCursor method = clang_getNullCursor();
    if (inside.count)
        method = method_of(rw, call->cursor, rw_bare(rw->arena, inside.data[0]));
    if (clang_getCursorKind(method) != CXCursor_CXXMethod)
        return false;
    unsigned skip =
        rw_first_argument(rw, call->cursor, method, rw_parameters(rw->arena, method).count);
    frame member = {rw_bare(rw->arena, inside.data[0]), call};
    frame element = {skip ? clang_Cursor_getArgument(call->cursor, 0)
                          : rw_only_child(rw->arena, member.cursor),
                     skip ? call : &member};
    if (clang_Cursor_isNull(element.cursor) ||
        (!skip && clang_getCursorKind(member.cursor) != CXCursor_MemberRefExpr))
        return false;
    record_value v = rw_record_value_of(rw, element.cursor);
    bool is_element = v.depth == 0 || (v.depth == 1 && !skip);
    if (!is_element || v.what.field >= 0 || !rw_method_changes(rw, method))
        return false;
    uint64_t places = places_given(rw, call->cursor, method, skip);
    bool gives_itself;
    const char *name =
        rw_element_method(rw, v.what.of, method, places, call->cursor, &gives_itself);
    if (!name)
        return true;
    if (gives_itself && !rw_is_unused(rw, call))
        return rw_refuse(rw, call->cursor,
                         "what the method '%s' returns leads into the element of '%s' and is used "
                         "here; call it in a statement of its own",
                         rw_spelling(rw->arena, method), v.what.of->record->name);
    if (skip ? edit_operator(rw, call, name, &v)
             : edit_named(rw, call, &member, &element, name, &v))
        edit_arguments(rw, call, skip, places);
    return true;
}
