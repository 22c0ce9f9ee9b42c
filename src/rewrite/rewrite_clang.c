/*
 * Questions to libclang: parsing, fields, names, functions, types.
 */
#include "internal.h"

CXTranslationUnit rw_clang_parse(CXIndex index, const hd_parse_command *command, const char *path,
                                 const char *text) {
    struct CXUnsavedFile file = {path, text, text ? strlen(text) : 0};
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, path, command->words, command->word_count, &file, text != NULL,
        CXTranslationUnit_DetailedPreprocessingRecord, &unit);
    return code == CXError_Success ? unit : NULL;
}

static bool is_in_host_function(const source *src, CXSourceLocation location) {
    CXCursor at = clang_getCursor(src->unit, location);
    while (clang_isStatement(clang_getCursorKind(at)) ||
           clang_isExpression(clang_getCursorKind(at)))
        at = clang_getCursorSemanticParent(at);
    while (!clang_Cursor_isNull(at) && !rw_is_function(at) &&
           clang_getCursorKind(at) != CXCursor_TranslationUnit &&
           !clang_isInvalid(clang_getCursorKind(at)))
        at = clang_getCursorSemanticParent(at);
    return rw_is_function(at) && !rw_is_device_function(src->arena, at);
}

bool rw_clang_errors(const source *src, const hd_diag *diag, hd_status status, const char *lead) {
    bool any = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(src->unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(src->unit, i);
        bool is_error = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error;
        if (is_error && src->skips_host && is_in_host_function(src, clang_getDiagnosticLocation(d)))
            is_error = false;
        if (is_error) {
            hd_place place = rw_place_of(src, clang_getDiagnosticLocation(d));
            CXString text = clang_getDiagnosticSpelling(d);
            hd_fail(diag, status, &place, "%s%s", lead, clang_getCString(text));
            clang_disposeString(text);
            any = true;
        }
        clang_disposeDiagnostic(d);
    }
    return any;
}

const char *rw_spelling(hd_arena *arena, CXCursor cursor) {
    return hd_clang_text(arena, clang_getCursorSpelling(cursor));
}

const char *rw_type_text(hd_arena *arena, CXType type) {
    return hd_clang_text(arena, clang_getTypeSpelling(type));
}

const char *rw_plain_type(hd_arena *arena, const char *text) {
    static const char words[] = "const volatile __global __constant __local __private";
    for (size_t length = strcspn(text, " ");
         text[length] && hd_has_word(words, hd_strndup(arena, text, length));
         length = strcspn(text, " "))
        text += length + 1;
    return hd_strdup(arena, text);
}

const char *rw_trimmed(hd_arena *arena, const char *text) {
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        length--;
    return hd_strndup(arena, text, length);
}

bool rw_same_expression(CXCursor a, CXCursor b) {
    return clang_getCursorKind(a) == clang_getCursorKind(b) &&
           clang_equalRanges(clang_getCursorExtent(a), clang_getCursorExtent(b));
}

CXCursor rw_only_child(hd_arena *arena, CXCursor cursor) {
    hd_cursors inside = hd_cursor_children(arena, cursor);
    return inside.count == 1 ? inside.data[0] : clang_getNullCursor();
}

CXCursor rw_last_child(hd_arena *arena, CXCursor cursor) {
    hd_cursors inside = hd_cursor_children(arena, cursor);
    return inside.count ? inside.data[inside.count - 1] : clang_getNullCursor();
}

bool rw_is_cast(CXCursor cursor) {
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr: return true;
    default: return false;
    }
}

CXCursor rw_bare(hd_arena *arena, CXCursor cursor) {
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr)
            return cursor;
        CXCursor inside = rw_only_child(arena, cursor);
        if (clang_Cursor_isNull(inside))
            return cursor;
        cursor = inside;
    }
}

bool rw_constant_value(CXCursor expression, long long *value) {
    CXEvalResult result = clang_Cursor_Evaluate(expression);
    bool is_constant = result && clang_EvalResult_getKind(result) == CXEval_Int;
    *value = is_constant ? clang_EvalResult_getAsLongLong(result) : 0;
    if (result)
        clang_EvalResult_dispose(result);
    return is_constant;
}

/* ---- functions ------------------------------------------------------------------ */

/* The first child of this kind, or a null cursor. */
static CXCursor child_of(hd_arena *arena, CXCursor cursor, enum CXCursorKind kind) {
    hd_cursors inside = hd_cursor_children(arena, cursor);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == kind)
            return inside.data[i];
    return clang_getNullCursor();
}

/* True when `text` holds `word` before any '(' that follows `name`. */
static bool has_word(const char *text, const char *end, const char *word) {
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) && at < end; at += length) {
        char before = at == text ? ' ' : at[-1], after = at[length];
        if (strchr(" *)", before) && strchr(" *(", after))
            return true;
    }
    return false;
}

/* libclang has no question for it, but its printer writes the qualifier out
 * even where a macro made it. */
static bool is_opencl_kernel(hd_arena *arena, CXCursor function) {
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(function);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    const char *text = hd_clang_text(arena, clang_getCursorPrettyPrinted(function, policy));
    clang_PrintingPolicy_dispose(policy);
    const char *name = strstr(text, hd_format(arena, " %s(", rw_spelling(arena, function)));
    const char *end = name ? name : text + strlen(text);
    return has_word(text, end, "kernel") || has_word(text, end, "__kernel");
}

bool rw_is_kernel(hd_arena *arena, CXCursor function) {
    return !clang_Cursor_isNull(child_of(arena, function, CXCursor_CUDAGlobalAttr)) ||
           (clang_getCursorKind(function) == CXCursor_FunctionDecl &&
            is_opencl_kernel(arena, function));
}

bool rw_is_function(CXCursor cursor) {
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction: return true;
    default: return false;
    }
}

static void add_functions(hd_arena *arena, CXCursor parent, hd_cursors *found) {
    hd_cursors all = hd_cursor_children(arena, parent);
    for (size_t i = 0; i < all.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(all.data[i]);
        if (clang_Location_isInSystemHeader(clang_getCursorLocation(all.data[i])))
            continue;
        if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
            add_functions(arena, all.data[i], found);
        else if (rw_is_function(all.data[i]))
            hd_push(arena, found, all.data[i]);
    }
}

hd_cursors rw_functions(hd_arena *arena, CXTranslationUnit unit) {
    hd_cursors found = {0};
    add_functions(arena, clang_getTranslationUnitCursor(unit), &found);
    return found;
}

hd_cursors rw_parameters(hd_arena *arena, CXCursor function) {
    hd_cursors inside = hd_cursor_children(arena, function), found = {0};
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == CXCursor_ParmDecl)
            hd_push(arena, &found, inside.data[i]);
    return found;
}

CXCursor rw_body(hd_arena *arena, CXCursor function) {
    CXCursor body = child_of(arena, function, CXCursor_CompoundStmt);
    /* int main() try { ... } catch (...) { ... } */
    return clang_Cursor_isNull(body) ? child_of(arena, function, CXCursor_CXXTryStmt) : body;
}

const char *rw_outermost_namespace(hd_arena *arena, CXCursor declared) {
    CXCursor outermost = clang_getNullCursor();
    for (; !clang_isInvalid(clang_getCursorKind(declared)) &&
           clang_getCursorKind(declared) != CXCursor_TranslationUnit;
         declared = clang_getCursorSemanticParent(declared))
        if (clang_getCursorKind(declared) == CXCursor_Namespace)
            outermost = declared;
    return clang_Cursor_isNull(outermost) ? "" : rw_spelling(arena, outermost);
}

CXCursor rw_callee(hd_arena *arena, CXCursor call) {
    CXCursor callee = clang_getCursorReferenced(call);
    if (clang_Cursor_isNull(
            callee)) { /* in a template, all functions that it may mean: the only one */
        hd_cursors inside = hd_cursor_children(arena, call);
        CXCursor list = clang_getNullCursor();
        if (inside.count)
            list = clang_getCursorReferenced(rw_bare(arena, inside.data[0]));
        if (clang_getCursorKind(list) == CXCursor_OverloadedDeclRef &&
            clang_getNumOverloadedDecls(list) == 1)
            callee = clang_getOverloadedDecl(list, 0);
    }
    if (!rw_is_function(callee))
        return clang_getNullCursor();
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee);
    return clang_Cursor_isNull(pattern) ? callee : pattern;
}

bool rw_is_plain_copy(hd_arena *arena, CXCursor call) {
    if (clang_getCursorKind(call) != CXCursor_CallExpr)
        return false;
    CXCursor callee = clang_getCursorReferenced(call);
    bool copies = clang_getCursorKind(callee) == CXCursor_Constructor ||
                  (clang_getCursorKind(callee) == CXCursor_CXXMethod &&
                   !strcmp(rw_spelling(arena, callee), "operator="));
    return copies && clang_CXXMethod_isDefaulted(callee);
}

/* ---- types ------------------------------------------------------------------------ */

CXType rw_value_type(CXType type) {
    CXType t = clang_getCanonicalType(type);
    return rw_is_reference(t) ? clang_getCanonicalType(clang_getPointeeType(t)) : t;
}

bool rw_is_reference(CXType type) {
    CXType t = clang_getCanonicalType(type);
    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

bool rw_is_pointer(CXType type) { return rw_value_type(type).kind == CXType_Pointer; }

bool rw_is_array(CXType type) {
    enum CXTypeKind kind = rw_value_type(type).kind;
    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
           kind == CXType_VariableArray || kind == CXType_DependentSizedArray;
}

CXType rw_target_of(CXType type) {
    return rw_is_array(type) ? clang_getArrayElementType(type) : clang_getPointeeType(type);
}

int rw_pointer_depth(CXType type) {
    CXType t = rw_value_type(type);
    int depth = 0;
    for (; t.kind == CXType_Pointer || rw_is_array(t); depth++)
        t = clang_getCanonicalType(rw_target_of(t));
    return depth;
}

CXType rw_innermost(CXType type) {
    CXType t = rw_value_type(type);
    while (t.kind == CXType_Pointer || rw_is_array(t))
        t = clang_getCanonicalType(rw_target_of(t));
    return t;
}

bool rw_is_dependent(CXType type) {
    CXType t = rw_innermost(type);
    return t.kind == CXType_Dependent || t.kind == CXType_Unexposed;
}

bool rw_is_device_function(hd_arena *arena, CXCursor function) {
    return !clang_Cursor_isNull(child_of(arena, function, CXCursor_CUDAGlobalAttr)) ||
           !clang_Cursor_isNull(child_of(arena, function, CXCursor_CUDADeviceAttr));
}

bool rw_is_device_variable(hd_arena *arena, CXCursor declared) {
    return !clang_Cursor_isNull(child_of(arena, declared, CXCursor_CUDAConstantAttr)) ||
           (!clang_Cursor_isNull(child_of(arena, declared, CXCursor_CUDADeviceAttr)) &&
            clang_Cursor_isNull(child_of(arena, declared, CXCursor_CUDASharedAttr)));
}

bool rw_is_host(const rewriter *rw, CXCursor function) {
    return rw->is_cuda && !rw_is_device_function(rw->arena, function);
}
