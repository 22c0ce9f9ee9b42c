/*
 * Records of arrays: no source declares them. Their fields' types are those of the kernels'
 * parameters, and their functions stand before the first function that needs them.
 */
#include "internal.h"

static const char *plain_name(hd_arena *arena, const char *kernel) {
    const char *name = kernel;
    for (const char *at = kernel; *at && *at != '<'; at++)
        if (*at == ':')
            name = at + 1;
    return hd_strndup(arena, name, strcspn(name, "<"));
}

bool rw_array_is_of(const rewriter *rw, const hd_array_param *a, CXCursor kernel) {
    if (!strcmp(plain_name(rw->arena, a->kernel), rw_spelling(rw->arena, kernel)))
        return true;
    CXString mangled = clang_Cursor_getMangling(kernel);
    const char *symbol = clang_getCString(mangled);
    bool is_one = symbol && !strcmp(a->kernel, symbol);
    clang_disposeString(mangled);
    return is_one;
}

const hd_array_param *rw_array_param_of(const rewriter *rw, CXCursor kernel, CXCursor parameter) {
    const char *name = rw_spelling(rw->arena, parameter);
    for (uint32_t i = 0; i < rw->request->array_count; i++) {
        const hd_array_param *a = &rw->request->arrays[i];
        if (!strcmp(a->param, name) && rw_array_is_of(rw, a, kernel))
            return a;
    }
    return NULL;
}

uint64_t rw_count_of(const rewriter *rw, const laid_record *l) {
    const hd_array_param *first = NULL;
    for (uint32_t i = 0; i < rw->request->array_count; i++) {
        const hd_array_param *a = &rw->request->arrays[i];
        if (a->record != hd_record_declared(l->record))
            continue;
        if (first && first->count != a->count)
            return 0;
        first = a;
    }
    return first ? first->count : 0;
}

/* Numbers are of one type, whichever of the fields they are. */
static void share_type(laid_record *l, uint32_t from) {
    for (uint32_t f = 0; f < l->record->field_count; f++)
        l->types[f] = l->types[from];
}

void rw_array_types(rewriter *rw, laid_record *l) {
    cursors all = rw_functions(rw->arena, rw->src.unit);
    for (size_t k = 0; k < all.count; k++) {
        cursors parameters = {0};
        if (rw_is_kernel(rw->arena, all.data[k]))
            parameters = rw_parameters(rw->arena, all.data[k]);
        for (size_t i = 0; i < parameters.count; i++) {
            const hd_array_param *a = rw_array_param_of(rw, all.data[k], parameters.data[i]);
            if (!a || a->record != hd_record_declared(l->record) || l->types[a->field].element)
                continue;
            field_type *read = &l->types[a->field];
            CXType type = clang_getCursorType(parameters.data[i]);
            if (type.kind != CXType_Pointer && type.kind != CXType_IncompleteArray)
                type = rw_value_type(type);
            rw_read_type(rw, clang_getUnqualifiedType(rw_target_of(type)), read);
            read->element = rw_plain_type(rw->arena, read->element);
            if (a->record->by_job)
                share_type(l, a->field);
        }
    }
    for (uint32_t f = 0; f < l->record->field_count; f++)
        if (!l->types[f].element) /* no kernel of this file takes it */
            l->types[f].element = l->record->fields[f].type;
}

/* ---- the place of the functions ------------------------------------------------------ */

static bool uses(rewriter *rw, CXCursor cursor, const laid_record *l) {
    if (rw_pointee_of(rw, cursor).of == l)
        return true;
    cursors inside = rw_children(rw->arena, cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    for (size_t i = 0; i < inside.count; i++)
        if ((kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
             rw_is_function(cursor)) &&
            uses(rw, inside.data[i], l))
            return true;
    return false;
}

/* True for the last token of a declaration, or of a directive. */
static bool is_end(const source *src, size_t t) {
    unsigned begin = src->tokens[t].at.begin;
    while (begin && src->text[begin - 1] != '\n')
        begin--;
    return rw_token_is(src, t, ";") || rw_token_is(src, t, "}") ||
           src->text[begin + strspn(src->text + begin, " \t")] == '#';
}

unsigned rw_first_use(rewriter *rw, const laid_record *l) {
    cursors all = rw_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    const source *src = &rw->src;
    range at;
    for (size_t i = 0; i < all.count; i++) {
        CXCursor c = all.data[i];
        if (!clang_isDeclaration(clang_getCursorKind(c)) || !rw_range_of(src, c, &at) ||
            !uses(rw, c, l))
            continue;
        size_t first = rw_token_from(src, at.begin);
        while (first && !is_end(src, first - 1))
            first--;
        unsigned begin = src->tokens[first].at.begin, line = begin;
        while (line && strchr(" \t", src->text[line - 1]))
            line--;
        return line && src->text[line - 1] == '\n' ? line - 1 : begin;
    }
    return 0;
}
