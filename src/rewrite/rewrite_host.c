/*
 * A CUDA file without its launches. Kernels that take other parameters break the host code that
 * launches them, also where nobody wants to run that host code: in the copy of a source that belongs
 * to a recording. There the bodies of the functions that launch kernels are emptied; all lines stay.
 */
#include "rewrite/rewrite_host.h"

#include <stdlib.h>

#include "rewrite/internal.h"

typedef struct cut {
    CXFile file;
    range at; /* a body, with its braces */
    bool has_result;
} cut;

typedef struct finder {
    hd_arena *arena;
    CXTranslationUnit unit;
    hd_vec(cut) cuts;
    hd_vec(const char *) templates;
    hd_vec(kir_file) headers;
} finder;

/* ---- what launches ------------------------------------------------------------------------ */

/* f<<<...>>>(...), as it is written: in a template clang may not know yet what f is. */
static bool has_launch_marks(const finder *f, CXCursor body) {
    CXToken *tokens = NULL;
    unsigned count = 0;
    bool found = false;
    clang_tokenize(f->unit, clang_getCursorExtent(body), &tokens, &count);
    for (unsigned t = 0; t < count && !found; t++)
        found = !strcmp(hd_clang_text(f->arena, clang_getTokenSpelling(f->unit, tokens[t])), "<<<");
    clang_disposeTokens(f->unit, tokens, count);
    return found;
}

/* Also where a macro does it. */
static bool calls_kernel(const finder *f, CXCursor cursor) {
    CXCursor callee = clang_getCursorKind(cursor) == CXCursor_CallExpr ? rw_callee(f->arena, cursor)
                                                                       : clang_getNullCursor();
    if (!clang_Cursor_isNull(callee) && rw_is_kernel(f->arena, callee))
        return true;
    hd_cursors inside = hd_cursor_children(f->arena, cursor);
    for (size_t i = 0; i < inside.count; i++)
        if (calls_kernel(f, inside.data[i]))
            return true;
    return false;
}

/* Where a body is written; false: in a macro. */
static bool place_of(CXCursor body, cut *result) {
    CXSourceRange extent = clang_getCursorExtent(body);
    CXSourceLocation first = clang_getRangeStart(extent), last = clang_getRangeEnd(extent);
    unsigned expanded[2];
    clang_getSpellingLocation(first, &result->file, NULL, NULL, &result->at.begin);
    clang_getSpellingLocation(last, NULL, NULL, NULL, &result->at.end);
    clang_getExpansionLocation(first, NULL, NULL, NULL, &expanded[0]);
    clang_getExpansionLocation(last, NULL, NULL, NULL, &expanded[1]);
    return result->file && expanded[0] == result->at.begin && expanded[1] == result->at.end &&
           result->at.begin + 1 < result->at.end;
}

/* "math::scale"; namespaces without a name are left out, as one leaves them out in C++. */
static const char *full_name(hd_arena *arena, CXCursor function) {
    const char *name = rw_spelling(arena, function);
    for (CXCursor in = clang_getCursorSemanticParent(function);
         clang_getCursorKind(in) == CXCursor_Namespace; in = clang_getCursorSemanticParent(in)) {
        const char *scope = rw_spelling(arena, in);
        if (*scope && *scope != '(')
            name = hd_format(arena, "%s::%s", scope, name);
    }
    return name;
}

/* It returns something, which compilers want to see; main() need not. */
static bool has_result(hd_arena *arena, CXCursor function) {
    enum CXTypeKind kind = clang_getCursorResultType(function).kind;
    return kind != CXType_Void && kind != CXType_Invalid &&
           strcmp(rw_spelling(arena, function), "main") != 0;
}

static void see_all(finder *f, CXCursor parent) {
    hd_cursors all = hd_cursor_children(f->arena, parent);
    for (size_t i = 0; i < all.count; i++) {
        CXCursor at = all.data[i];
        enum CXCursorKind kind = clang_getCursorKind(at);
        if (clang_Location_isInSystemHeader(clang_getCursorLocation(at)))
            continue;
        CXCursor body = rw_body(f->arena, at);
        bool is_function = rw_is_function(at);
        cut found;
        if (is_function && rw_is_kernel(f->arena, at)) {
            if (kind == CXCursor_FunctionTemplate)
                hd_push(f->arena, &f->templates, full_name(f->arena, at));
        } else if (is_function) {
            if (!clang_Cursor_isNull(body) && !rw_is_device_function(f->arena, at) &&
                (has_launch_marks(f, body) || calls_kernel(f, body)) && place_of(body, &found)) {
                found.has_result = has_result(f->arena, at);
                hd_push(f->arena, &f->cuts, found);
            }
        } else if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
                   kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl ||
                   kind == CXCursor_ClassTemplate) {
            see_all(f, at);
        }
    }
}

/* ---- texts without it ------------------------------------------------------------------------ */

static void add_file(finder *f, CXFile file, const char *name, kir_file *to) {
    size_t length = 0;
    const char *text = clang_getFileContents(f->unit, file, &length);
    hd_str kept = {.arena = f->arena};
    for (size_t i = 0; text && i < length; i++) {
        bool is_cut = false;
        const char *instead = "";
        for (size_t c = 0; c < f->cuts.count; c++) {
            const cut *of = &f->cuts.data[c];
            if (i < of->at.begin || i + 1 >= of->at.end || !clang_File_isEqual(of->file, file))
                continue;
            is_cut |= of->at.begin < i && text[i] != '\n';
            instead = of->at.begin == i && of->has_result ? " __builtin_trap(); " : "";
        }
        if (!is_cut)
            hd_str_addn(&kept, &text[i], 1);
        hd_str_add(&kept, instead);
    }
    *to = (kir_file){name, hd_str_text(&kept)};
}

static void take_files(finder *f, hd_without_launches *result) {
    result->files = hd_new_array(f->arena, kir_file, f->cuts.count);
    for (size_t c = 0; c < f->cuts.count; c++) {
        const char *name = hd_clang_text(f->arena, clang_getFileName(f->cuts.data[c].file));
        uint32_t known = 0;
        while (known < result->file_count && strcmp(result->files[known].name, name) != 0)
            known++;
        if (known == result->file_count)
            add_file(f, f->cuts.data[c].file, name, &result->files[result->file_count++]);
    }
    result->headers = f->headers.data;
    result->header_count = (uint32_t)f->headers.count;
    result->templates = f->templates.data;
    result->template_count = (uint32_t)f->templates.count;
}

static void see_header(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData user) {
    finder *f = user;
    size_t length;
    (void)stack;
    const char *text = clang_getFileContents(f->unit, file, &length);
    if (depth && text &&
        !clang_Location_isInSystemHeader(clang_getLocationForOffset(f->unit, file, 0)))
        hd_push(f->arena, &f->headers,
                (kir_file){hd_clang_text(f->arena, clang_getFileName(file)),
                           hd_strndup(f->arena, text, length)});
}

static hd_status check_unit(const finder *f, const hd_diag *diag) {
    for (unsigned i = 0; i < clang_getNumDiagnostics(f->unit); i++) {
        CXDiagnostic one = clang_getDiagnostic(f->unit, i);
        bool is_error = clang_getDiagnosticSeverity(one) >= CXDiagnostic_Error;
        const char *text = hd_clang_text(f->arena, clang_getDiagnosticSpelling(one));
        CXFile file = NULL;
        hd_place place = {0};
        clang_getFileLocation(clang_getDiagnosticLocation(one), &file, &place.line, &place.column,
                              NULL);
        clang_disposeDiagnostic(one);
        if (file)
            place.file = hd_clang_text(f->arena, clang_getFileName(file));
        if (is_error)
            return hd_fail(diag, HD_EINPUT, &place, "%s", text);
    }
    return HD_OK;
}

hd_status hd_take_launches_out(hd_arena *arena, const hd_diag *diag, const char *path,
                               const char *options, hd_without_launches *result) {
    hd_parse_command command;
    *result = (hd_without_launches){0};
    hd_status status = hd_parse_command_make(arena, diag, path, options, &command);
    if (status)
        return status;
    CXIndex index = clang_createIndex(0, 0);
    finder f = {.arena = arena, .unit = rw_clang_parse(index, &command, path, NULL)};
    status = f.unit ? check_unit(&f, diag)
                    : hd_fail(diag, HD_ESYSTEM, &(hd_place){.file = path},
                              "libclang cannot read this file");
    if (!status) {
        see_all(&f, clang_getTranslationUnitCursor(f.unit));
        clang_getInclusions(f.unit, see_header, &f);
        take_files(&f, result);
    }
    if (f.unit)
        clang_disposeTranslationUnit(f.unit);
    clang_disposeIndex(index);
    hd_parse_command_end(&command);
    return status;
}
