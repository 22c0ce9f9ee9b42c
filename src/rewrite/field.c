/*
 * Fields of elements: p[i].x, p->x, (p + i)->x become (*R_x(p_ref, i)), an lvalue of the field's
 * type, and what stands behind it (an index, a member, a component) stays. Methods are called on
 * a copy of the element.
 */
#include "internal.h"

/* True when the text itself says <base> . <name> or <base> -> <name>. */
static bool is_plain(const rewriter *rw, CXCursor base, range whole, const char *name) {
    const source *src = &rw->src;
    range b;
    size_t last = rw_token_ending(src, whole.end);
    if (!rw_range_of(src, base, &b) || !rw_token_is(src, last, name) || last < 2)
        return false;
    return (rw_token_is(src, last - 1, ".") || rw_token_is(src, last - 1, "->")) &&
           src->tokens[last - 2].at.end == b.end && b.begin == whole.begin;
}

/* libclang has no name for a member of what depends on a template's parameter, nor for an unnamed
 * struct or union that a member stands in. */
static const char *member_name(rewriter *rw, CXCursor member) {
    const char *name = rw_spelling(rw->arena, member);
    range whole;
    bool is_known = *name && (!strchr(name, '(') || !strncmp(name, "operator", 8));
    if (is_known || !rw_range_of(&rw->src, member, &whole))
        return name;
    return rw_token_text(&rw->src, rw_token_ending(&rw->src, whole.end));
}

bool rw_edit_field(rewriter *rw, const frame *at) {
    cursors inside = rw_children(rw->arena, at->cursor);
    if (!inside.count)
        return false;
    frame base = {inside.data[0], at};
    record_value v = rw_record_value_of(rw, base.cursor);
    const char *name = member_name(rw, at->cursor), *why;
    CXCursor member = clang_getCursorReferenced(at->cursor);
    range whole = {0, 0};
    if (v.depth < 0 || v.depth > 1 || v.what.field >= 0)
        return false;
    if (clang_getCursorKind(member) == CXCursor_ConversionFunction) {
        rw_check_method(rw, at->up, member, v.what.of);
        rw_walk(rw, &base);
        return true;
    }
    if (!rw_range_of(&rw->src, at->cursor, &whole) || !is_plain(rw, base.cursor, whole, name)) {
        rw_refuse_macro(rw, at->cursor);
        return true;
    }
    if (clang_getCursorKind(member) == CXCursor_CXXMethod) {
        /* p[i].norm(): a method that changes nothing can work on a copy. */
        accessors *f = rw_accessors_of(&v);
        rw_check_method(rw, at->up, member, v.what.of);
        f->loads = true;
        rw_edit_position(rw, at->cursor, &base, &v, "", f->load,
                         hd_format(rw->arena, ").%s", name));
        return true;
    }
    if (rw_edit_part(rw, at, &base, &v))
        return true;
    int field = rw_field_of_member(rw, v.what.of, member, name);
    if (field < 0) {
        rw_refuse(rw, at->cursor,
                  "'%s' is no field of '%s' itself; give the struct or union that "
                  "holds it a name",
                  name, v.what.of->record->name);
    } else if (rw_field_escapes(rw, at, &why)) {
        rw_refuse(rw, at->cursor, "the address of field '%s' %s", name, why);
    } else {
        bool is_member = v.what.of->types[field].members;
        rw_edit_position(rw, at->cursor, &base, &v, "(*", rw_accessors_of(&v)->fields[field],
                         is_member ? hd_format(rw->arena, ")).%s", name) : "))");
    }
    return true;
}
