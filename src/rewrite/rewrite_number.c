/*
 * Records that a job declares of a buffer of numbers, whose kernels index it by hand:
 *
 *     v[i + 2 * n]      (*R_mx(v_ref, i))            in columns, `stride: n`
 *     v[i + k * n]      (*R_choose(v_ref, i, k))
 *     v[5 * i + 2]      (*R_mx(v_ref, i))            one element after another
 *     v[e]              (*R_number(v_ref, e))        where `e` does not come apart (subscript.c)
 *     v + 5 * i         R_at(v_ref, i, 0)
 *
 * A reference to such numbers has, beside the index, the number of a field; what is added to the
 * pointer goes to both. R_choose takes the accessor of a field by its number, R_number divides.
 */
#include <inttypes.h>

#include "internal.h"

bool rw_are_numbers(const pointee *what) {
    return what->of && hd_record_declared(what->of->record)->by_job;
}

static const frame *frame_of(rewriter *rw, CXCursor cursor, const frame *up) {
    frame *f = hd_new(rw->arena, frame);
    *f = (frame){cursor, up};
    return f;
}

/* What is added to the pointer that an expression begins with, and that pointer. */
static const frame *base_of(rewriter *rw, const frame *at, addends *index) {
    CXCursor e = at->cursor;
    hd_cursors inside = hd_cursor_children(rw->arena, e);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(e);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    bool is_sum = clang_getCursorKind(e) == CXCursor_BinaryOperator &&
                  (op == CXBinaryOperator_Add || op == CXBinaryOperator_Sub);
    switch (clang_getCursorKind(e)) {
    case CXCursor_UnexposedExpr:
    case CXCursor_ParenExpr:
        return inside.count == 1 ? base_of(rw, frame_of(rw, inside.data[0], at), index) : at;
    case CXCursor_UnaryOperator:
        if (unary != CXUnaryOperator_Deref && unary != CXUnaryOperator_AddrOf)
            return at;
        return base_of(rw, frame_of(rw, inside.data[0], at), index);
    case CXCursor_ArraySubscriptExpr: is_sum = true; break;
    default: break;
    }
    if (!is_sum || inside.count != 2)
        return at;
    int p = rw_record_value_of(rw, inside.data[0]).depth > 0 ? 0 : 1;
    addend more = {inside.data[1 - p], op == CXBinaryOperator_Sub};
    hd_push(rw->arena, index, more);
    return base_of(rw, frame_of(rw, inside.data[p], at), index);
}

static bool says_stride(rewriter *rw, const laid_record *l, const frame *at) {
    record_value v = rw_record_value_of(rw, at->cursor);
    if (v.depth >= 0 && v.what.of == l) {
        addends index = {0};
        base_of(rw, at, &index);
        if (rw_index_says_stride(rw, l, rw_count_of(rw, l), &index))
            return true;
    }
    hd_cursors inside = hd_cursor_children(rw->arena, at->cursor);
    for (size_t i = 0; i < inside.count; i++)
        if (says_stride(rw, l, frame_of(rw, inside.data[i], at)))
            return true;
    return false;
}

/* Where none of a function's indices says the stride, each may be of any field: a walk over all
 * numbers. */
static bool is_known_field(rewriter *rw, laid_record *l, const frame *at) {
    const frame *function = rw_function_around(at);
    if (!l->record->in_columns || !function)
        return true;
    if (!clang_equalCursors(l->asked, function->cursor)) {
        l->asked = function->cursor;
        l->says_stride = says_stride(rw, l, function);
    }
    return l->says_stride;
}

/* ---- edits ------------------------------------------------------------------------------------- */

static const char *function_name(rewriter *rw, const accessors *f, const char **name,
                                 const char *ending) {
    if (!*name)
        *name = rw_free_name(
            rw, hd_format(rw->arena, "%.*s%s", (int)strlen(f->ref) - 4, f->ref, ending));
    return *name;
}

/* The whole index, which is taken apart when it is used. */
static void draft_whole_index(rewriter *rw, draft *d, const frame *at, const addends *index) {
    for (size_t i = 0; i < index->count; i++) {
        range text;
        const addend *a = &index->data[i];
        if (!rw_range_of(&rw->src, a->e, &text)) {
            rw_refuse_macro(rw, a->e);
            return;
        }
        rw_draft_text(rw, d, "%s", a->negative ? " - (" : i ? " + (" : "(");
        rw_draft_old(rw, d, text);
        rw_draft_text(rw, d, ")");
        rw_walk_child(rw, at, a->e);
    }
    if (!index->count)
        rw_draft_text(rw, d, "0");
}

void rw_edit_number(rewriter *rw, const frame *at, const record_value *v, number_form form) {
    laid_record *l = v->what.of;
    accessors *f = rw_accessors_of(v);
    addends index = {0};
    const frame *base = base_of(rw, at, &index);
    draft d = {0}, reference = {0};
    index_parts parts;
    range whole;
    f->is_used = true;
    if (!rw_range_of(&rw->src, at->cursor, &whole)) {
        rw_refuse_macro(rw, at->cursor);
        return;
    }
    bool is_apart = is_known_field(rw, l, at) &&
                    rw_take_index_apart(rw, l, rw_count_of(rw, l), at, &index, whole, &parts);
    CXCursor array = clang_getCursorReferenced(rw_bare(rw->arena, base->cursor));
    bool is_one = is_apart && parts.is_constant && form != NUMBER_REFERENCE &&
                  clang_getCursorKind(array) == CXCursor_ParmDecl &&
                  rw_is_kernel(rw->arena, clang_getCursorSemanticParent(array));
    if (is_one && (parts.constant < 0 || parts.constant >= l->record->field_count)) {
        rw_refuse(rw, at->cursor, "this is field %lld of '%s', which has %u fields, from 0 on",
                  parts.constant, l->record->name, l->record->field_count);
        return;
    }
    if (form == NUMBER_REFERENCE && !is_apart) {
        rw_refuse(rw, at->cursor,
                  "Heddle cannot say which field of '%s' this pointer leads to; write the index "
                  "out where it is used",
                  l->record->name);
        return;
    }
    const char *name = is_one                     ? f->fields[parts.constant]
                       : form == NUMBER_REFERENCE ? f->at
                                                  : function_name(rw, f, &f->choose, "_choose");
    if (!is_apart)
        name = function_name(rw, f, &f->number, "_number");
    if (base == at)
        rw_draft_text(rw, &reference, "%s",
                      rw_reference_name(rw, clang_getCursorReferenced(at->cursor), &v->what));
    else
        rw_draft_reference(rw, &reference, base);
    rw_draft_text(rw, &d, "%s%s(", form == NUMBER_VALUE ? "(*" : "", name);
    for (size_t i = 0; i < reference.count; i++)
        hd_push(rw->arena, &d, reference.data[i]);
    rw_draft_text(rw, &d, ", ");
    if (!is_apart)
        draft_whole_index(rw, &d, at, &index);
    for (size_t i = 0; i < parts.element.count && is_apart; i++)
        hd_push(rw->arena, &d, parts.element.data[i]);
    if (is_apart && !is_one) {
        rw_draft_text(rw, &d, ", ");
        if (parts.is_constant)
            rw_draft_text(rw, &d, "%lld", parts.constant);
        for (size_t i = 0; i < parts.field.count; i++)
            hd_push(rw->arena, &d, parts.field.data[i]);
    }
    rw_draft_text(rw, &d, form == NUMBER_VALUE ? "))" : ")");
    rw_edit(rw, whole, &d);
}

void rw_draft_numbers(hd_str *out, const rewriter *rw, const laid_record *l, space in,
                      const char *type) {
    const rw_dialect *dialect = rw_dialect_of(rw, in);
    const accessors *f = &l->accessors[in];
    uint32_t fields = l->record->field_count;
    if (!f->choose && !f->number)
        return;
    const char *choose = f->choose ? f->choose : hd_format(rw->arena, "%s_field", f->number);
    hd_str_printf(out, "%s%s *%s(%s ref, %s i, %s k) {\n    k += ref.field;\n", dialect->function,
                  type, choose, f->ref, dialect->index, dialect->index);
    if (!l->record->in_columns)
        hd_str_printf(
            out, "    i += k / %u - (k %% %u < 0);\n    k = k %% %u + (k %% %u < 0 ? %u : 0);\n",
            fields, fields, fields, fields, fields);
    hd_str_add(out, "    return ");
    for (uint32_t i = 0; i + 1 < fields; i++)
        hd_str_printf(out, "k == %u ? %s(ref, i)\n           : ", i, f->fields[i]);
    hd_str_printf(out, "%s(ref, i);\n}\n", f->fields[fields - 1]);
    if (!f->number)
        return;
    hd_str_printf(out, "%s%s *%s(%s ref, %s i) {\n", dialect->function, type, f->number, f->ref,
                  dialect->index);
    if (l->record->in_columns)
        hd_str_printf(out,
                      "    %s e = (%s)(ref.index + i);\n    ref.index = 0;\n"
                      "    return %s(ref, (%s)(e %% ref.count), (%s)(e / ref.count));\n}\n",
                      dialect->size, dialect->size, choose, dialect->index, dialect->index);
    else
        hd_str_printf(out, "    return %s(ref, 0, i);\n}\n", choose);
}
