/*
 * OpenCL's bindings for C++ (<CL/opencl.hpp>, <CL/cl2.hpp>) in the host of OpenCL kernels. A
 * cl::Buffer holds a cl_mem and shares it with its copies, so the flow is that of a cl_mem. What
 * differs is the text of calls:
 *
 *     cl::Buffer d(context, CL_MEM_READ_WRITE, n * sizeof(body));
 *     queue.enqueueReadBuffer(d, CL_TRUE, 0, n * sizeof(body), all);
 *     cl::KernelFunctor<cl::Buffer, int> move(program, "move");
 *
 *     cl::Buffer d(heddle::create_body_buffer(context, CL_MEM_READ_WRITE, n * sizeof(body)));
 *     heddle::read_body(queue, d, CL_TRUE, 0, n * sizeof(body), all);
 *     heddle::KernelFunctor<cl::Buffer, int> move(program, "move");
 *
 * Each edit is of a token, so that versions of a function (opencl_host.c) can have it, too.
 */
#include "opencl_host.h"

/* ---- what is called --------------------------------------------------------------------------- */

bool rw_is_of_bindings(const rewriter *rw, CXCursor declaration) {
    return !strcmp(rw_outermost_namespace(rw->arena, declaration), "cl");
}

/* The function that a call names; in a template one of those that it may name. */
static CXCursor named_function(const rewriter *rw, CXCursor call) {
    CXCursor callee = rw_callee(rw->arena, call);
    hd_cursors inside = hd_cursor_children(rw->arena, call);
    if (!clang_Cursor_isNull(callee) || !inside.count)
        return callee;
    CXCursor named = clang_getCursorReferenced(rw_bare(rw->arena, inside.data[0]));
    return clang_getCursorKind(named) == CXCursor_OverloadedDeclRef &&
                   clang_getNumOverloadedDecls(named)
               ? clang_getOverloadedDecl(named, 0)
               : clang_getNullCursor();
}

const char *rw_called_name(const rewriter *rw, CXCursor call) {
    CXCursor named = named_function(rw, call);
    return rw_spelling(rw->arena, clang_Cursor_isNull(named) ? call : named);
}

bool rw_passes_on(const rewriter *rw, CXCursor e) {
    return clang_getCursorKind(e) == CXCursor_CallExpr &&
           hd_has_word("move forward", rw_called_name(rw, e)) &&
           clang_Location_isInSystemHeader(clang_getCursorLocation(named_function(rw, e)));
}

static bool is_class(const rewriter *rw, CXType type, const char *name) {
    CXCursor declared = clang_getTypeDeclaration(clang_getCanonicalType(type));
    return !strcmp(rw_spelling(rw->arena, declared), name) && rw_is_of_bindings(rw, declared);
}

bool rw_is_buffer_class(const rewriter *rw, CXType type) { return is_class(rw, type, "Buffer"); }

/* Of the bindings' classes that hold a buffer or a kernel. */
static bool is_handle_class(const rewriter *rw, CXType type) {
    return is_class(rw, type, "Buffer") || is_class(rw, type, "Kernel") ||
           is_class(rw, type, "KernelFunctor") || is_class(rw, type, "make_kernel");
}

bool rw_is_construction(const rewriter *rw, CXCursor e) {
    if (clang_getCursorKind(e) == CXCursor_CallExpr) {
        CXCursor callee = clang_getCursorReferenced(e);
        return is_handle_class(rw, clang_getCursorType(e)) &&
               (clang_getCursorKind(callee) == CXCursor_Constructor ||
                (clang_Cursor_isNull(callee) && clang_Cursor_getNumArguments(e) < 0));
    }
    CXType type = clang_getCursorType(e); /* the list of a variable in a template */
    return (clang_getCursorKind(e) == CXCursor_UnexposedExpr && type.kind == CXType_Invalid) ||
           (clang_getCursorKind(e) == CXCursor_InitListExpr && type.kind == CXType_Void);
}

bool rw_is_empty(CXCursor call) {
    return clang_getCursorKind(clang_getCursorReferenced(call)) == CXCursor_Constructor &&
           !clang_Cursor_getNumArguments(call);
}

hd_cursors rw_arguments(const rewriter *rw, CXCursor call) {
    int count = clang_Cursor_getNumArguments(call);
    hd_cursors found = {0}, inside = {0};
    for (int a = 0; a < count; a++)
        hd_push(rw->arena, &found, clang_Cursor_getArgument(call, (unsigned)a));
    if (count < 0)
        inside = hd_cursor_children(rw->arena, call);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_isExpression(clang_getCursorKind(inside.data[i])))
            hd_push(rw->arena, &found, inside.data[i]);
    return found;
}

CXCursor rw_copied_handle(const rewriter *rw, CXCursor construction) {
    hd_cursors given = {0};
    if (rw_is_construction(rw, construction))
        given = rw_arguments(rw, construction);
    return given.count && rw_is_handle(clang_getCursorType(given.data[0])) ? given.data[0]
                                                                           : clang_getNullCursor();
}

bool rw_makes_buffer(const rewriter *rw, CXCursor call) {
    bool is_list = clang_getCursorKind(call) != CXCursor_CallExpr;
    if (rw_constructs_in_place(rw, call))
        return rw_holds(clang_getCursorType(call), OF_BUFFERS) ||
               rw_holds(clang_getCursorType(rw_object_of(rw, call)), OF_BUFFERS);
    return rw_is_construction(rw, call) && !rw_is_empty(call) &&
           clang_Cursor_isNull(rw_copied_handle(rw, call)) &&
           (is_list || is_class(rw, clang_getCursorType(call), "Buffer"));
}

bool rw_is_launch(const rewriter *rw, CXCursor callee) {
    const char *around = rw_spelling(rw->arena, clang_getCursorSemanticParent(callee));
    return !strcmp(rw_spelling(rw->arena, callee), "operator()") &&
           hd_has_word("KernelFunctor make_kernel", around) && rw_is_of_bindings(rw, callee);
}

bool rw_is_opencl(const rewriter *rw, CXCursor call, CXCursor callee) {
    const char *name = rw_spelling(rw->arena, callee);
    if (!rw_is_of_bindings(rw, callee))
        return !strncmp(name, "cl", 2);
    if (rw_is_launch(rw, callee))
        return true;
    return clang_Cursor_isNull(rw_copied_handle(rw, call)) && strncmp(name, "operator", 8) != 0 &&
           !hd_has_word("get getKernel", name);
}

bool rw_constructs_in_place(const rewriter *rw, CXCursor call) {
    CXCursor callee = rw_callee(rw->arena, call);
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(callee)) ||
        !hd_has_word("make_shared make_unique emplace_back emplace_front emplace",
                     rw_spelling(rw->arena, callee)))
        return false;
    hd_cursors given = rw_arguments(rw, call);
    for (size_t i = 0; i < given.count; i++)
        if (rw_is_handle(clang_getCursorType(given.data[i])))
            return false;
    return given.count && rw_is_handle(rw_is_handle(clang_getCursorType(call))
                                           ? clang_getCursorType(call)
                                           : clang_getCursorType(rw_object_of(rw, call)));
}

CXCursor rw_object_of(const rewriter *rw, CXCursor call) {
    hd_cursors inside = hd_cursor_children(rw->arena, call);
    if (!inside.count)
        return clang_getNullCursor();
    CXCursor member = rw_bare(rw->arena, inside.data[0]);
    const char *name = rw_spelling(rw->arena, clang_getCursorReferenced(call));
    hd_cursors of = hd_cursor_children(rw->arena, member);
    if (!strncmp(name, "operator", 8) || clang_getCursorKind(member) != CXCursor_MemberRefExpr)
        return inside.data[0];
    return of.count && clang_isExpression(clang_getCursorKind(of.data[0])) ? of.data[0]
                                                                           : clang_getNullCursor();
}

bool rw_calls_bindings(const rewriter *rw, CXCursor call) {
    return rw_is_construction(rw, call) || rw_is_of_bindings(rw, named_function(rw, call));
}

bool rw_sets_shared_memory(const rewriter *rw, CXCursor call) {
    hd_cursors given = rw_arguments(rw, call);
    const char *name = rw_called_name(rw, call);
    if (!strcmp(name, "clSetKernelArgSVMPointer"))
        return true;
    if (given.count != 2 || strcmp(name, "setArg") != 0 || !rw_calls_bindings(rw, call))
        return false;
    CXType type = clang_getCanonicalType(clang_getCursorType(rw_bare(rw->arena, given.data[1])));
    const char *text = rw_type_text(rw->arena, type);
    return type.kind == CXType_Pointer || strstr(text, "std::vector<") ||
           strstr(text, "std::unique_ptr<");
}

/* ---- the text of calls ------------------------------------------------------------------------ */

/* first ... name<...>(...) */
typedef struct call_tokens {
    size_t first, name, open, close;
} call_tokens;

/* Whether a macro's body makes what stands at `location`. */
static bool is_of_macro(CXSourceLocation location) {
    CXFile file;
    unsigned written, at;
    clang_getSpellingLocation(location, NULL, NULL, NULL, &written);
    clang_getFileLocation(location, &file, NULL, NULL, &at);
    return written != at;
}

static bool find_tokens(const host *h, CXCursor call, call_tokens *found) {
    const source *src = &h->rw->src;
    CXSourceRange extent = clang_getCursorExtent(call);
    range at;
    if (is_of_macro(clang_getRangeStart(extent)) || is_of_macro(clang_getCursorLocation(call)) ||
        !rw_range_of(src, call, &at))
        return false;
    found->first = rw_token_at(src, at.begin);
    found->close = rw_token_ending(src, at.end);
    for (found->open = found->first; found->open < found->close; found->open++) {
        bool opens = strchr("([{", src->text[src->tokens[found->open].at.begin]) != NULL;
        size_t closes = opens ? rw_token_matching(src, found->open) : found->open;
        if (closes == found->close)
            break;
        found->open = closes;
    }
    found->name = found->open ? found->open - 1 : 0;
    for (size_t t = found->first; rw_token_is(src, found->name, ">") && t < found->open; t++)
        if (rw_token_is(src, t, "<") && rw_angle_matching(src, t, found->open) + 1 == found->open)
            found->name = t - 1;
    return found->open < found->close && found->close < src->token_count;
}

/* cl::Buffer(...) becomes heddle::create_body_buffer(...); in all else that constructs one, what is
 * in the brackets is put into such a call. */
static void rename_construction(host *h, const call_tokens *at, const char *in_layout,
                                const holding *held) {
    const source *src = &h->rw->src;
    bool is_value = at->name == at->first + 2 && rw_token_is(src, at->first, "cl") &&
                    rw_token_is(src, at->name, "Buffer") && rw_token_is(src, at->open, "(") &&
                    !(at->first && rw_token_is(src, at->first - 1, "new"));
    const char *open = rw_token_text(src, at->open), *close = rw_token_text(src, at->close);
    if (is_value) {
        rw_rename_token(h, at->first, "heddle", held);
        rw_rename_token(h, at->name, in_layout + strlen("heddle::"), held);
    } else {
        rw_rename_token(h, at->open, hd_format(h->rw->arena, "%s%s(", open, in_layout), held);
        rw_rename_token(h, at->close, hd_format(h->rw->arena, ")%s", close), held);
    }
}

/* queue.enqueueReadBuffer(d, ...) becomes heddle::read_body(queue, d, ...). */
static void rename_method(host *h, const call_tokens *at, const char *in_layout,
                          const holding *held) {
    const source *src = &h->rw->src;
    hd_arena *arena = h->rw->arena;
    range arguments = {src->tokens[at->name].at.end, src->tokens[at->open].at.begin};
    const char *of_template =
        hd_strndup(arena, src->text + arguments.begin, arguments.end - arguments.begin);
    const char *first = rw_token_text(src, at->first);
    bool is_pointer = rw_token_is(src, at->name - 1, "->");
    rw_rename_token(
        h, at->first,
        hd_format(arena, "%s%s(%s%s", in_layout, of_template, is_pointer ? "*" : "", first), held);
    bool ends_line = src->text[src->tokens[at->open].at.end] == '\n';
    rw_rename_token(h, at->name - 1, ends_line ? "," : ", ", held);
    for (size_t t = at->name; t <= at->open; t++)
        rw_rename_token(h, t, "", held);
}

/* In a class that is a queue or kernel itself: setArg(0, d) becomes heddle::set_arg(*this, 0, d). */
static void rename_own_method(host *h, const call_tokens *at, const char *in_layout,
                              const holding *held) {
    rw_rename_token(h, at->name, in_layout, held);
    rw_rename_token(h, at->open, "(*this, ", held);
}

static void rename_function(host *h, const call_tokens *at, const char *in_layout,
                            const holding *held) {
    const source *src = &h->rw->src;
    bool is_qualified = at->name >= 2 && rw_token_is(src, at->name - 1, "::");
    if (is_qualified)
        rw_rename_token(h, at->name - 2, "heddle", held);
    rw_rename_token(h, at->name, in_layout + (is_qualified ? strlen("heddle::") : 0), held);
}

void rw_rename_in_bindings(host *h, CXCursor call, const char *name, const char *in_layout,
                           const holding *held) {
    const source *src = &h->rw->src;
    call_tokens at;
    bool is_found = find_tokens(h, call, &at);
    bool is_method = is_found && at.name > at.first &&
                     (rw_token_is(src, at.name - 1, ".") || rw_token_is(src, at.name - 1, "->"));
    bool is_own = is_found && !is_method &&
                  clang_getCursorKind(named_function(h->rw, call)) != CXCursor_FunctionDecl &&
                  clang_getTemplateCursorKind(named_function(h->rw, call)) != CXCursor_FunctionDecl;
    h->has_bindings = true;
    if (is_found && rw_makes_buffer(h->rw, call))
        rename_construction(h, &at, in_layout, held);
    else if (is_found && is_method && rw_token_is(src, at.name, name))
        rename_method(h, &at, in_layout, held);
    else if (is_own && at.name == at.first && rw_token_is(src, at.name, name))
        rename_own_method(h, &at, in_layout, held);
    else if (is_found && !is_own && rw_token_is(src, at.name, name))
        rename_function(h, &at, in_layout, held);
    else
        rw_refuse_macro(h->rw, call);
}

bool rw_is_in_bindings(const host *h, size_t number) {
    unsigned at = h->rw->src.tokens[number].at.begin;
    hd_cursors all =
        hd_cursor_children(h->rw->arena, clang_getTranslationUnitCursor(h->rw->src.unit));
    range around;
    for (size_t i = 0; i < all.count; i++)
        if (rw_is_of_bindings(h->rw, all.data[i]) &&
            rw_range_of(&h->rw->src, all.data[i], &around) && around.begin <= at && at < around.end)
            return true;
    return false;
}

/* <CL/cl.hpp> has no template of this name. */
static bool has_functors(const rewriter *rw) {
    hd_cursors all = hd_cursor_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    for (size_t i = 0; i < all.count; i++) {
        hd_cursors inside = {0};
        if (clang_getCursorKind(all.data[i]) == CXCursor_Namespace &&
            rw_is_of_bindings(rw, all.data[i]))
            inside = hd_cursor_children(rw->arena, all.data[i]);
        for (size_t k = 0; k < inside.count; k++)
            if (clang_getCursorKind(inside.data[k]) == CXCursor_ClassTemplate &&
                !strcmp(rw_spelling(rw->arena, inside.data[k]), "KernelFunctor"))
                return true;
    }
    return false;
}

void rw_refuse_old_bindings(host *h) {
    CXCursor first = clang_getNullCursor();
    for (size_t c = 0; c < h->f->calls.count && clang_Cursor_isNull(first); c++)
        if (rw_calls_bindings(h->rw, h->f->calls.data[c].cursor))
            first = h->f->calls.data[c].cursor;
    if (!clang_Cursor_isNull(first) && !has_functors(h->rw))
        rw_refuse(h->rw, first,
                  "these are OpenCL's bindings for C++ from before 2015, which are not followed; "
                  "include <CL/opencl.hpp> or <CL/cl2.hpp>");
}

void rw_rename_functors(host *h) {
    const source *src = &h->rw->src;
    const holding any = {.all = KIND_PLAIN};
    for (size_t t = 2; t < src->token_count; t++) {
        bool is_old = rw_token_is(src, t, "make_kernel") && rw_token_is(src, t + 1, "<");
        if ((!is_old && !rw_token_is(src, t, "KernelFunctor")) || rw_is_in_bindings(h, t))
            continue;
        bool is_qualified = rw_token_is(src, t - 1, "::");
        size_t outer = t - 2;
        if (is_old && is_qualified && t >= 4 && rw_token_is(src, outer, "compatibility")) {
            rw_rename_token(h, outer - 1, "", &any);
            rw_rename_token(h, outer, "", &any);
            outer -= 2;
        }
        if (is_qualified)
            rw_rename_token(h, outer, "heddle", &any);
        rw_rename_token(h, t, is_qualified ? "KernelFunctor" : "heddle::KernelFunctor", &any);
        h->has_bindings = true;
    }
}
