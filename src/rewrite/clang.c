/*
 * Questions to libclang: parsing as OpenCL C, children, names, kernels.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <llvm/Config/llvm-config.h>

#include "internal.h"

/* The folder of clang's own headers (opencl-c-base.h), which libclang does not
 * always find by itself: <prefix>/bin/clang has them in <prefix>/lib/clang. */
static const char *clang_headers(hd_arena *arena) {
    char resolved[PATH_MAX];
    if (!realpath(HEDDLE_CLANG, resolved))
        return NULL;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(resolved, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return hd_format(arena, "%s/lib/clang/%d/include", resolved, LLVM_VERSION_MAJOR);
}

typedef hd_vec(const char *) strings;

static void add_options(hd_arena *arena, strings *arguments, const char *options) {
    const char *blanks = " \t\r\n";
    for (const char *at = options; at && *(at += strspn(at, blanks));) {
        size_t length = strcspn(at, blanks);
        hd_push(arena, arguments, hd_strndup(arena, at, length));
        at += length;
    }
}

CXTranslationUnit hd_clang_parse(hd_arena *arena, CXIndex index, const char *path, const char *text,
                                 const char *options) {
    static const char *const fixed[] = {"-x",      "cl",
                                        "-target", "spir64-unknown-unknown",
                                        "-Xclang", "-finclude-default-header",
                                        "-Xclang", "-fdeclare-opencl-builtins"};
    strings arguments = {0};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        hd_push(arena, &arguments, fixed[i]);
    const char *headers = clang_headers(arena);
    if (headers) {
        hd_push(arena, &arguments, "-isystem");
        hd_push(arena, &arguments, headers);
    }
    if (!options || !strstr(options, "-cl-std"))
        hd_push(arena, &arguments, "-cl-std=CL2.0");
    hd_push(arena, &arguments, hd_format(arena, "-I%s", hd_path_beside(arena, path, ".")));
    add_options(arena, &arguments, options);
    struct CXUnsavedFile file = {path, text, strlen(text)};
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, path, arguments.data, (int)arguments.count, &file, 1,
                                    CXTranslationUnit_DetailedPreprocessingRecord, &unit);
    return code == CXError_Success ? unit : NULL;
}

bool hd_clang_errors(const source *src, const hd_diag *diag, hd_status status, const char *lead) {
    bool any = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(src->unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(src->unit, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            hd_place place = hd_place_of(src, clang_getDiagnosticLocation(d));
            CXString text = clang_getDiagnosticSpelling(d);
            hd_fail(diag, status, &place, "%s%s", lead, clang_getCString(text));
            clang_disposeString(text);
            any = true;
        }
        clang_disposeDiagnostic(d);
    }
    return any;
}

typedef struct collector {
    hd_arena *arena;
    cursors found;
} collector;

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    collector *c = data;
    hd_push(c->arena, &c->found, cursor);
    return CXChildVisit_Continue;
}

cursors hd_children(hd_arena *arena, CXCursor cursor) {
    collector c = {.arena = arena};
    clang_visitChildren(cursor, collect, &c);
    return c.found;
}

static const char *owned(hd_arena *arena, CXString string) {
    const char *text = clang_getCString(string);
    char *copy = hd_strdup(arena, text ? text : "");
    clang_disposeString(string);
    return copy;
}

const char *hd_spelling(hd_arena *arena, CXCursor cursor) {
    return owned(arena, clang_getCursorSpelling(cursor));
}

const char *hd_type_text(hd_arena *arena, CXType type) {
    return owned(arena, clang_getTypeSpelling(type));
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
bool hd_is_kernel(hd_arena *arena, CXCursor function) {
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(function);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    const char *text = owned(arena, clang_getCursorPrettyPrinted(function, policy));
    clang_PrintingPolicy_dispose(policy);
    const char *name = strstr(text, hd_format(arena, " %s(", hd_spelling(arena, function)));
    const char *end = name ? name : text + strlen(text);
    return has_word(text, end, "kernel") || has_word(text, end, "__kernel");
}
