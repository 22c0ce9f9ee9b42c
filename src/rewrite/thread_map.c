/*
 * Ids read through a map (thread_map.h).
 *
 * The names of ids change wherever they stand as words, also in macros: get_global_id becomes
 * heddle_get_global_id, a macro that takes them from `heddle_ids`; blockIdx becomes
 * heddle_ids.block. So every function in which such a word ends up has a `heddle_ids`: a kernel
 * makes it, all others get it as their first parameter, and so do those that call them. Which
 * functions these are is seen in the compiler's tree, where macros are gone:
 *
 *     int item(int n) { return min(get_global_id(0), n); }          reads
 *     float f(global float *a, int n) { return a[item(n)]; }        calls
 *
 *     int item(heddle_ids_t heddle_ids, int n) { return min(heddle_get_global_id(0), n); }
 *     float f(heddle_ids_t heddle_ids, global float *a, int n) { return a[item(heddle_ids, n)]; }
 *
 * Where the tree and the words do not agree (a name put together with ##), the text that was made,
 * read again, has an id of its own left, and that is a refusal.
 */
#include "rewrite/thread_map.h"

#include "internal.h"
#include "kernel/cuda_calls.h"

enum { NONE = -1 };

/* A function of the user's, in all its declarations. */
typedef struct function {
    CXCursor canonical;
    hd_cursors declarations;
    bool needs; /* ids, by itself or by what it calls */
    bool is_kernel, is_refused;
    const hd_mapped_kernel *mapped;
} function;

/* A call, or a name that is none, from a function to one of several. */
typedef struct use {
    int from; /* NONE: not in a function */
    CXCursor at;
    hd_cursors callees;
    bool is_call;
} use;

/* A function of the system's, and whether it reads ids. */
typedef struct foreign {
    CXCursor canonical;
    bool reads;
} foreign;

typedef struct mapper {
    rewriter *rw;
    const hd_thread_map_request *request;
    bool moves_threads; /* else blocks only, and local ids stay */
    hd_vec(function) functions;
    hd_vec(use) uses;
    hd_vec(foreign) foreigners;
} mapper;

/* ---- names ------------------------------------------------------ */

typedef struct id_name {
    const char *name, *mapped;
    bool of_thread; /* it stays where blocks move as a whole */
    bool is_cuda;
} id_name;

static const id_name id_names[] = {
    {"get_global_id", "heddle_get_global_id", false, false},
    {"get_group_id", "heddle_get_group_id", false, false},
    {"get_global_linear_id", "heddle_get_global_linear_id", false, false},
    {"get_local_id", "heddle_get_local_id", true, false},
    {"get_local_linear_id", "heddle_get_local_linear_id", true, false},
    {"blockIdx", "heddle_ids.block", false, true},
    {"threadIdx", "heddle_ids.thread", true, true},
};

static const id_name *id_of(const mapper *m, const char *name) {
    for (size_t i = 0; i < sizeof id_names / sizeof *id_names; i++)
        if (id_names[i].is_cuda == m->rw->is_cuda && !strcmp(id_names[i].name, name) &&
            (m->moves_threads || !id_names[i].of_thread))
            return &id_names[i];
    return NULL;
}

/* Ids that only the hardware knows, which no map changes. */
static bool is_lane_name(const mapper *m, const char *name) {
    static const char registers[] = "__nvvm_read_ptx_sreg_";
    if (m->rw->is_cuda) {
        const char *which = name + sizeof registers - 1;
        return !strncmp(name, registers, sizeof registers - 1) &&
               (!strncmp(which, "ctaid", 5) ||
                (m->moves_threads && (!strncmp(which, "tid", 3) || !strncmp(which, "laneid", 6) ||
                                      !strncmp(which, "warpid", 6))));
    }
    return m->moves_threads &&
           (!strcmp(name, "get_sub_group_id") || !strcmp(name, "get_sub_group_local_id"));
}

/* A declaration of the user's, not the language's. */
static bool is_users(CXCursor declaration) {
    CXSourceLocation at = clang_getCursorLocation(declaration);
    CXFile file;
    clang_getFileLocation(at, &file, NULL, NULL, NULL);
    return file && !clang_Location_isInSystemHeader(at);
}

/* A name that stands for an id of the language. (clang declares a function of OpenCL C where it is
 * first called.) */
static const id_name *named_id(const mapper *m, CXCursor at) {
    const id_name *id = clang_getCursorKind(at) == CXCursor_DeclRefExpr
                            ? id_of(m, rw_spelling(m->rw->arena, at))
                            : NULL;
    CXCursor declared = clang_getCursorReferenced(at);
    bool is_own = m->rw->is_cuda ? is_users(declared) : !rw_is_function(declared);
    return id && !is_own ? id : NULL;
}

/* ---- what reads ids ------------------------------------------------------ */

static CXCursor canonical_of(CXCursor declaration) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(declaration);
    return clang_getCanonicalCursor(clang_Cursor_isNull(pattern) ? declaration : pattern);
}

static int find_function(const mapper *m, CXCursor declaration) {
    CXCursor canonical = canonical_of(declaration);
    for (size_t f = 0; f < m->functions.count; f++)
        if (clang_equalCursors(m->functions.data[f].canonical, canonical))
            return (int)f;
    return NONE;
}

/* "ns::reduce<float, 256>" is made from `reduce`. */
static bool is_made_from(const char *kernel, const char *name) {
    size_t length = strcspn(kernel, "<"), begin = length;
    while (begin && kernel[begin - 1] != ':')
        begin--;
    return strlen(name) == length - begin && !strncmp(kernel + begin, name, length - begin);
}

static int add_function(mapper *m, CXCursor declaration) {
    int f = find_function(m, declaration);
    if (f == NONE) {
        function made = {.canonical = canonical_of(declaration),
                         .is_kernel = rw_is_kernel(m->rw->arena, declaration)};
        const char *name = rw_spelling(m->rw->arena, declaration);
        for (uint32_t k = 0; k < m->request->kernel_count && made.is_kernel; k++)
            if (is_made_from(m->request->kernels[k].name, name))
                made.mapped = &m->request->kernels[k];
        f = (int)m->functions.count;
        hd_push(m->rw->arena, &m->functions, made);
    }
    hd_push(m->rw->arena, &m->functions.data[f].declarations, declaration);
    return f;
}

/* Whether a function of the system's reads ids, by itself or by what it calls. */
static bool foreign_reads(mapper *m, CXCursor callee);

static bool reads_inside(mapper *m, CXCursor at) {
    hd_cursors inside = hd_cursor_children(m->rw->arena, at);
    enum CXCursorKind kind = clang_getCursorKind(at);
    if (kind == CXCursor_DeclRefExpr) {
        const char *name = rw_spelling(m->rw->arena, at);
        if (id_of(m, name) || is_lane_name(m, name))
            return true;
    }
    if (kind == CXCursor_CallExpr && foreign_reads(m, rw_callee(m->rw->arena, at)))
        return true;
    for (size_t i = 0; i < inside.count; i++)
        if (reads_inside(m, inside.data[i]))
            return true;
    return false;
}

static bool foreign_reads(mapper *m, CXCursor callee) {
    CXCursor canonical = clang_getCanonicalCursor(callee);
    CXCursor definition = clang_getCursorDefinition(callee);
    if (clang_Cursor_isNull(callee) || clang_Cursor_isNull(definition) || is_users(definition))
        return false;
    for (size_t i = 0; i < m->foreigners.count; i++)
        if (clang_equalCursors(m->foreigners.data[i].canonical, canonical))
            return m->foreigners.data[i].reads;
    size_t mine = m->foreigners.count;
    hd_push(m->rw->arena, &m->foreigners, (foreign){canonical, false});
    CXCursor body = rw_body(m->rw->arena, definition);
    bool reads = !clang_Cursor_isNull(body) && reads_inside(m, body);
    m->foreigners.data[mine].reads = reads;
    return reads;
}

/* The functions that a call or a name may mean. */
static hd_cursors meant_by(mapper *m, CXCursor at) {
    hd_cursors all = {0};
    CXCursor one = clang_getCursorReferenced(at);
    hd_cursors inside = hd_cursor_children(m->rw->arena, at);
    if (clang_getCursorKind(at) == CXCursor_CallExpr && clang_Cursor_isNull(one) && inside.count)
        one = clang_getCursorReferenced(rw_bare(m->rw->arena, inside.data[0]));
    if (clang_getCursorKind(one) == CXCursor_OverloadedDeclRef)
        for (unsigned i = 0; i < clang_getNumOverloadedDecls(one); i++)
            hd_push(m->rw->arena, &all, clang_getOverloadedDecl(one, i));
    else if (rw_is_function(one))
        hd_push(m->rw->arena, &all, one);
    return all;
}

static bool are_same(const hd_cursors *a, const hd_cursors *b) {
    return a->count && b->count &&
           clang_equalCursors(canonical_of(a->data[0]), canonical_of(b->data[0]));
}

static void walk(mapper *m, CXCursor at, int from, const hd_cursors *callee) {
    rewriter *rw = m->rw;
    enum CXCursorKind kind = clang_getCursorKind(at);
    hd_cursors called = {0};
    if (rw_is_function(at)) {
        from = add_function(m, at);
    } else if (kind == CXCursor_CallExpr) {
        called = meant_by(m, at);
        if (called.count && find_function(m, called.data[0]) == NONE &&
            foreign_reads(m, rw_callee(rw->arena, at)))
            rw_refuse(rw, at,
                      "'%s' reads ids in a header of the system, which stay as they are; compute "
                      "this from %s",
                      rw_spelling(rw->arena, at),
                      rw->is_cuda ? "threadIdx and blockIdx" : "get_global_id()");
        hd_push(rw->arena, &m->uses, (use){from, at, called, true});
    } else if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr) {
        const char *name = rw_spelling(rw->arena, at);
        if (named_id(m, at) && from == NONE)
            rw_refuse(rw, at, "this id is read outside of a kernel's functions; read it in one");
        else if (named_id(m, at) && rw->is_cuda &&
                 !rw_is_device_function(rw->arena, m->functions.data[from].declarations.data[0]))
            rw_refuse(rw, at,
                      "this id is read in host code, perhaps in a lambda; make that a function of "
                      "the device");
        else if (named_id(m, at))
            m->functions.data[from].needs = true;
        else if (kind == CXCursor_DeclRefExpr && is_lane_name(m, name))
            rw_refuse(rw, at, "this id is the hardware's, which no map changes; compute it from %s",
                      rw->is_cuda ? "threadIdx and blockIdx" : "get_local_id()");
        hd_cursors named = meant_by(m, at);
        if (named.count && !(callee && are_same(&named, callee)))
            hd_push(rw->arena, &m->uses, (use){from, at, named, false});
    } else if ((kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl ||
                kind == CXCursor_FieldDecl) &&
               id_of(m, rw_spelling(rw->arena, at))) {
        rw_refuse(rw, at, "this has the name of an id; give it another name");
    }
    hd_cursors inside = hd_cursor_children(rw->arena, at);
    for (size_t i = 0; i < inside.count; i++) {
        CXCursor bare = rw_bare(rw->arena, inside.data[i]);
        hd_cursors named = called.count ? meant_by(m, bare) : (hd_cursors){0};
        bool is_callee = called.count && clang_getCursorKind(bare) != CXCursor_CallExpr &&
                         are_same(&named, &called);
        walk(m, is_callee ? bare : inside.data[i], from, is_callee ? &called : NULL);
    }
}

/* Functions whose callees need ids need them, too. */
static void spread(mapper *m) {
    for (bool more = true; more;) {
        more = false;
        for (size_t u = 0; u < m->uses.count; u++) {
            const use *at = &m->uses.data[u];
            for (size_t c = 0; c < at->callees.count && at->is_call && at->from != NONE; c++) {
                int to = find_function(m, at->callees.data[c]);
                if (to == NONE || !m->functions.data[to].needs || m->functions.data[to].is_kernel ||
                    m->functions.data[at->from].needs)
                    continue;
                m->functions.data[at->from].needs = more = true;
            }
        }
    }
}

/* PTX in the text names them as "%tid.x". */
static const char *register_in(const mapper *m, const char *text) {
    static const char *const of_threads[] = {"%tid", "%laneid", "%warpid"};
    if (*text != '"' || !m->rw->is_cuda)
        return NULL;
    if (strstr(text, "%ctaid"))
        return "%ctaid";
    for (size_t i = 0; i < 3 && m->moves_threads; i++)
        if (strstr(text, of_threads[i]))
            return of_threads[i];
    return NULL;
}

static void edit_words(mapper *m) {
    const source *src = &m->rw->src;
    for (size_t t = 0; t < src->token_count; t++) {
        const char *text = rw_token_text(src, t), *in_asm = register_in(m, text);
        const id_name *id = src->tokens[t].is_name ? id_of(m, text) : NULL;
        if (id)
            rw_edit_text(m->rw, src->tokens[t].at, id->mapped);
        hd_place place =
            in_asm ? rw_flat_place(m->rw->flat, src->tokens[t].at.begin) : (hd_place){0};
        if (in_asm)
            rw_refuse_at(m->rw, &place,
                         "inline assembly reads %s, which no map changes; compute it from "
                         "threadIdx and blockIdx",
                         in_asm);
    }
}

/* ---- calls ------------------------------------------------------ */

/* The bracket behind a call's name, which stands in the text as such. */
static bool find_arguments(mapper *m, CXCursor call, CXCursor callee, size_t *open) {
    const source *src = &m->rw->src;
    const char *name = rw_spelling(m->rw->arena, callee);
    range at;
    if (!rw_range_of(src, call, &at))
        return false;
    size_t last = rw_token_ending(src, at.end), t = rw_token_at(src, at.begin);
    for (; t < last; t++)
        if (strchr("([{", src->text[src->tokens[t].at.begin])) {
            size_t close = rw_token_matching(src, t);
            if (close == last)
                break;
            t = close;
        }
    *open = t;
    if (t >= last || !rw_token_is(src, t, "(") || !rw_token_is(src, last, ")"))
        return false;
    return !strcmp(name, "operator()") || rw_token_is(src, t - 1, name) ||
           rw_token_is(src, t - 1, ">");
}

static void edit_call(mapper *m, const use *call) {
    rewriter *rw = m->rw;
    size_t open, needing = 0;
    int to = NONE;
    for (size_t c = 0; c < call->callees.count; c++) {
        int f = find_function(m, call->callees.data[c]);
        bool needs = f != NONE && m->functions.data[f].needs && !m->functions.data[f].is_kernel;
        to = needs ? f : to;
        needing += needs;
    }
    for (size_t c = 0; c < call->callees.count && !rw->is_cuda; c++) {
        int f = find_function(m, call->callees.data[c]);
        if (f != NONE && m->functions.data[f].mapped)
            rw_refuse(rw, call->at,
                      "this calls a kernel that gets a map; put what both do into a function");
    }
    if (to == NONE || m->functions.data[to].is_refused)
        return;
    const char *name = rw_spelling(rw->arena, m->functions.data[to].canonical);
    if (needing < call->callees.count)
        rw_refuse(rw, call->at,
                  "this may call several functions '%s', and not all of them read ids; give them "
                  "different names",
                  name);
    else if (call->from == NONE ||
             (rw->is_cuda && !rw_is_device_function(
                                 rw->arena, m->functions.data[call->from].declarations.data[0])))
        rw_refuse(rw, call->at, "'%s' reads ids, which host code has none of", name);
    else if (!find_arguments(m, call->at, call->callees.data[0], &open))
        rw_refuse_macro(rw, call->at);
    else
        rw_edit_text(rw, rw->src.tokens[open].at,
                     rw_token_is(&rw->src, open + 1, ")") ? "(heddle_ids" : "(heddle_ids, ");
}

static void edit_uses(mapper *m) {
    for (size_t u = 0; u < m->uses.count; u++) {
        const use *at = &m->uses.data[u];
        if (at->is_call) {
            edit_call(m, at);
            continue;
        }
        for (size_t c = 0; c < at->callees.count; c++) {
            int f = find_function(m, at->callees.data[c]);
            if (f != NONE && m->functions.data[f].needs && !m->functions.data[f].is_kernel)
                rw_refuse(m->rw, at->at,
                          "'%s' reads ids, and is named here without being called; call it by its "
                          "name",
                          rw_spelling(m->rw->arena, at->at));
        }
    }
}

/* ---- functions ------------------------------------------------------ */

static void edit_list(mapper *m, const function *f, CXCursor declaration) {
    rewriter *rw = m->rw;
    const source *src = &rw->src;
    hd_cursors parameters = rw_parameters(rw->arena, declaration);
    size_t open, close;
    if (!rw_parameter_list(rw, declaration, parameters.count, &open, &close)) {
        rw_refuse_macro(rw, parameters.count ? parameters.data[0] : declaration);
        return;
    }
    bool is_empty = !parameters.count;
    bool is_first =
        clang_equalCursors(declaration, f->canonical) && /* it alone may have defaults */
        clang_Cursor_isNull(clang_getSpecializedCursorTemplate(declaration));
    const char *map = !rw->is_cuda ? "__global const uint *heddle_map, uint heddle_map_first"
                      : is_first   ? "const unsigned *heddle_map = nullptr, "
                                     "unsigned heddle_map_first = 0xffffffffu"
                                   : "const unsigned *heddle_map, unsigned heddle_map_first";
    if (is_empty && close > open + 1) /* void */
        rw_edit_text(rw, src->tokens[open + 1].at, "");
    if (f->mapped)
        rw_edit_text(rw, src->tokens[close].at,
                     hd_format(rw->arena, "%s%s)", is_empty ? "" : ", ", map));
    else
        rw_edit_text(rw, src->tokens[open].at,
                     hd_format(rw->arena, "(heddle_ids_t heddle_ids%s", is_empty ? "" : ", "));
}

static void edit_body(mapper *m, const function *f, CXCursor declaration) {
    rewriter *rw = m->rw;
    CXCursor body = rw_body(rw->arena, declaration);
    range at;
    if (clang_Cursor_isNull(body))
        return;
    if (!rw_range_of(&rw->src, body, &at) ||
        !rw_token_is(&rw->src, rw_token_at(&rw->src, at.begin), "{")) {
        rw_refuse_macro(rw, body);
        return;
    }
    const char *made = !f->mapped ? "heddle_ids_plain()"
                       : f->mapped->whole_blocks
                           ? "heddle_ids_of_blocks(heddle_map, heddle_map_first)"
                           : "heddle_ids_of_threads(heddle_map, "
                             "heddle_map_first)";
    rw_edit_text(rw, (range){at.begin, at.begin + 1},
                 hd_format(rw->arena, "{\n    const heddle_ids_t heddle_ids = %s;", made));
}

/* A function to which nobody can give anything more. */
static bool refuse_function(mapper *m, const function *f) {
    rewriter *rw = m->rw;
    CXCursor at = f->declarations.data[0];
    enum CXCursorKind kind = clang_getCursorKind(at);
    const char *name = rw_spelling(rw->arena, at);
    bool is_operator = !strncmp(name, "operator", 8) && strchr("+-*/%^&|~!=<>[,", name[8]);
    bool is_special = kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
                      kind == CXCursor_ConversionFunction || clang_CXXMethod_isVirtual(at);
    if (is_operator || is_special)
        rw_refuse(rw, at,
                  "'%s' reads ids, and cannot be given them, as %s; read them in the kernel, and "
                  "pass what is made of them",
                  name,
                  is_operator ? "an operator" : "a constructor, conversion or virtual function");
    if (f->mapped && clang_Cursor_isVariadic(at))
        rw_refuse(rw, at, "this kernel takes any number of arguments, and gets two more behind");
    return is_operator || is_special;
}

static void edit_functions(mapper *m) {
    for (size_t i = 0; i < m->functions.count; i++) {
        function *f = &m->functions.data[i];
        f->is_refused = (f->needs || f->mapped) && refuse_function(m, f);
        if ((!f->needs && !f->mapped) || f->is_refused)
            continue;
        for (size_t d = 0; d < f->declarations.count; d++) {
            CXCursor declaration = f->declarations.data[d];
            if (f->mapped || !f->is_kernel)
                edit_list(m, f, declaration);
            if (f->is_kernel && f->needs)
                edit_body(m, f, declaration);
        }
    }
}

/* `template __global__ void k<float>(float *);` is nothing that libclang shows. */
static void edit_instances(mapper *m) {
    rewriter *rw = m->rw;
    const source *src = &rw->src;
    for (size_t t = 0; t + 1 < src->token_count && rw->is_cuda; t++) {
        if (!rw_token_is(src, t, "template") || rw_token_is(src, t + 1, "<"))
            continue;
        const function *made = NULL;
        for (t++; t < src->token_count && !rw_token_is(src, t, "(") && !rw_token_is(src, t, ";");
             t++)
            for (size_t f = 0; f < m->functions.count; f++)
                if (m->functions.data[f].mapped &&
                    rw_token_is(src, t, rw_spelling(rw->arena, m->functions.data[f].canonical)))
                    made = &m->functions.data[f];
        size_t close = rw_token_is(src, t, "(") ? rw_token_matching(src, t) : src->token_count;
        if (made && close < src->token_count)
            rw_edit_text(rw, src->tokens[close].at,
                         close == t + 1 ? "const unsigned *, unsigned)"
                                        : ", const unsigned *, unsigned)");
    }
}

/* Arguments in a list are as many as there are. */
static void refuse_launches(mapper *m) {
    const source *src = &m->rw->src;
    for (size_t t = 0; t < src->token_count && m->rw->is_cuda; t++)
        if (hd_cuda_call_launches(rw_token_text(src, t))) {
            hd_place place = rw_flat_place(m->rw->flat, src->tokens[t].at.begin);
            rw_refuse_at(m->rw, &place,
                         "this gives a kernel its arguments in a list, which a map makes "
                         "longer by two; launch it as kernel<<<...>>>(...)");
        }
}

/* Behind the comment at the head of the kernel file, before all else of it. */
static unsigned prelude_place(const rewriter *rw) {
    const char *text = rw->flat->files.data[0].text, *at = text;
    for (;;) {
        at += strspn(at, " \t\r\n");
        const char *end = !strncmp(at, "//", 2)   ? strchr(at, '\n')
                          : !strncmp(at, "/*", 2) ? strstr(at, "*/")
                                                  : NULL;
        if (!end)
            break;
        at = *end == '*' ? end + 2 : end;
    }
    unsigned offset = 0;
    return rw_flat_offset(rw->flat->root, (unsigned)(at - text), &offset) ? offset : 0;
}

static void add_prelude(mapper *m) {
    bool threads = false, blocks = false, any = false, cuda = m->rw->is_cuda;
    hd_str text = {.arena = m->rw->arena};
    for (size_t f = 0; f < m->functions.count; f++) {
        const function *of = &m->functions.data[f];
        bool mapped = of->needs && of->mapped;
        any |= of->needs;
        threads |= mapped && !of->mapped->whole_blocks;
        blocks |= mapped && of->mapped->whole_blocks;
    }
    if (!any)
        return;
    rw_add_text(&text, cuda ? "ids.cuda.start" : "ids.opencl.start", NULL);
    if (threads)
        rw_add_text(&text, cuda ? "ids.cuda.threads" : "ids.opencl.threads", NULL);
    if (blocks)
        rw_add_text(&text, cuda ? "ids.cuda.blocks" : "ids.opencl.blocks", NULL);
    rw_edit_insert(m->rw, prelude_place(m->rw),
                   hd_format(m->rw->arena, "%s\n", hd_str_text(&text)));
}

/* ---- the task ------------------------------------------------------ */

static hd_status check_request(mapper *m) {
    hd_place place = {.file = m->rw->src.path};
    for (uint32_t k = 0; k < m->request->kernel_count; k++) {
        bool found = false;
        for (size_t f = 0; f < m->functions.count; f++)
            found |= m->functions.data[f].is_kernel &&
                     is_made_from(m->request->kernels[k].name,
                                  rw_spelling(m->rw->arena, m->functions.data[f].canonical));
        if (!found)
            return hd_fail(m->rw->diag, HD_EINPUT, &place,
                           "this file has no kernel '%s' that could get a map",
                           m->request->kernels[k].name);
    }
    if (rw_source_has_name(&m->rw->src, "heddle_ids") ||
        rw_source_has_name(&m->rw->src, "heddle_map"))
        return hd_fail(m->rw->diag, HD_EINPUT, &place,
                       "the kernels of this file are given a map already (it has the name "
                       "heddle_map or heddle_ids); rewrite the original");
    return HD_OK;
}

static hd_status make_edits(rewriter *rw) {
    mapper *m = rw->user;
    *m = (mapper){.rw = rw, .request = m->request};
    for (uint32_t k = 0; k < m->request->kernel_count; k++)
        m->moves_threads |= !m->request->kernels[k].whole_blocks;
    hd_cursors all = hd_cursor_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    for (size_t i = 0; i < all.count; i++)
        if (clang_isDeclaration(clang_getCursorKind(all.data[i])) && is_users(all.data[i]))
            walk(m, all.data[i], NONE, NULL);
    hd_status status = check_request(m);
    if (status != HD_OK)
        return status;
    spread(m);
    edit_words(m);
    edit_functions(m);
    edit_uses(m);
    edit_instances(m);
    refuse_launches(m);
    add_prelude(m);
    return HD_OK;
}

static hd_status make_result(rewriter *rw, CXIndex index, hd_rewritten **result) {
    hd_rewritten *made = hd_new(rw->arena, hd_rewritten);
    if (!rw->refusals.count)
        rw_make_files(rw, made);
    hd_status status = rw_tell_refusals(rw);
    if (status == HD_OK)
        status = rw_check_files(rw, index, made);
    made->host_header = "";
    *result = status == HD_OK ? made : NULL;
    return status;
}

/* Ids that are left, but for those of the generated functions. */
static bool has_ids_left(mapper *m, CXCursor at, const source *again, const hd_diag *diag) {
    hd_cursors inside = hd_cursor_children(m->rw->arena, at);
    if (rw_is_function(at) && !strncmp(rw_spelling(m->rw->arena, at), "heddle_ids_", 11))
        return false;
    const id_name *id = named_id(m, at);
    if (id) {
        hd_place place = rw_place_of(again, clang_getCursorLocation(at));
        hd_fail(diag, HD_EUNSUPPORTED, &place,
                "here a macro makes '%s' of parts, so that it cannot be seen in the text; write "
                "the name out",
                id->name);
        return true;
    }
    bool any = false;
    for (size_t i = 0; i < inside.count; i++)
        any |= has_ids_left(m, inside.data[i], again, diag);
    return any;
}

static hd_status check_result(rewriter *rw, const hd_diag *diag, const source *again) {
    hd_cursors all = hd_cursor_children(rw->arena, clang_getTranslationUnitCursor(again->unit));
    bool any = false;
    for (size_t i = 0; i < all.count; i++)
        if (clang_isDeclaration(clang_getCursorKind(all.data[i])) && is_users(all.data[i]))
            any |= has_ids_left(rw->user, all.data[i], again, diag);
    return any ? HD_EUNSUPPORTED : HD_OK;
}

hd_status hd_rewrite_thread_map(hd_arena *arena, const hd_diag *diag,
                                const hd_thread_map_request *request, hd_rewritten **result) {
    static const rw_task task = {.edits = make_edits,
                                 .result = make_result,
                                 .command = hd_parse_command_make,
                                 .host_stays = true,
                                 .subject = "ids are passed on",
                                 .check = check_result};
    const hd_rewrite_request file = {.path = request->path, .options = request->options};
    mapper m = {.request = request};
    rewriter rw = {.arena = arena, .diag = diag, .request = &file, .task = &task, .user = &m};
    return rw_rewrite_file(&rw, result);
}
