/*
 * The program of kernels in OpenCL C, in C or C++, for kernels in new layouts. Its calls of OpenCL
 * change their names and nothing else:
 *
 *     d = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(body), NULL, &error);
 *     clSetKernelArg(move, 1, sizeof n, &n);
 *
 *     d = heddle_create_body_buffer(context, CL_MEM_READ_WRITE, n * sizeof(body), NULL, &error);
 *     heddle_set_kernel_arg(move, 1, sizeof n, &n);
 *
 * opencl_text.c has what these do; which buffers are meant, opencl_flow.c. A function that serves
 * buffers of several kinds gets a version for each record behind it, upload_body() behind upload().
 */
#include "opencl_host.h"

/* A call's name that changes. */
typedef struct renaming {
    unsigned at; /* of the name, in the flat text */
    const char *from;
    const char *to, *in_layout; /* in the text as it is; in a version for a record: "upload_%s" */
    int holders[2];             /* of buffers whose kind decides; NO_HOLDER */
} renaming;

typedef struct host {
    host_flow flow;
    const char **stems; /* [layout] */
    hd_vec(renaming) renamings;
    hd_vec(CXCursor) functions; /* generic, of which buffers of a record need a version */
} host;

/* ---- the names in calls ----------------------------------------------------------------------- */

/* Where the name of what is called stands. False: a macro is in the way. */
static bool name_of_call(rewriter *rw, CXCursor call, const char *name, unsigned *at) {
    cursors inside = rw_children(rw->arena, call);
    CXCursor callee = inside.count ? rw_bare(rw->arena, inside.data[0]) : call;
    bool found = rw_offset_of(&rw->src, clang_getCursorLocation(callee), at) &&
                 rw_token_is(&rw->src, rw_token_at(&rw->src, *at), name);
    if (!found)
        rw_refuse_macro(rw, call);
    return found;
}

static int layout_of(kinds of) {
    kinds laid = of & ~KIND_PLAIN;
    return laid && laid == of && !(laid & (laid - 1)) ? __builtin_ctzll(laid) : -1;
}

/* `in_layout` may be NULL: then `to` stands everywhere. */
static void rename_call(host *h, CXCursor call, const char *name, const char *to,
                        const char *in_layout, const int holders[2]) {
    renaming r = {.from = name,
                  .to = to,
                  .in_layout = in_layout,
                  .holders = {holders ? holders[0] : NO_HOLDER, holders ? holders[1] : NO_HOLDER}};
    if (name_of_call(h->flow.rw, call, name, &r.at))
        hd_push(h->flow.rw->arena, &h->renamings, r);
}

static void refuse_use(host *h, const buffer_use *use, kinds laid) {
    const hd_record *record = h->flow.request->layouts[__builtin_ctzll(laid)].record;
    rw_refuse(h->flow.rw, use->call,
              "%s() is given a buffer of '%s', whose bytes lie elsewhere now; %s", use->name,
              record->name, use->what->mend);
}

static bool mentions(host *h, CXCursor call, const char *word) {
    const source *src = &h->flow.rw->src;
    range at;
    if (!rw_range_of(src, call, &at))
        return false;
    for (size_t t = rw_token_from(src, at.begin);
         t < src->token_count && src->tokens[t].at.begin < at.end; t++)
        if (rw_token_is(src, t, word))
            return true;
    return false;
}

static void edit_use(host *h, const buffer_use *use) {
    host_flow *flow = &h->flow;
    kinds all = 0, laid;
    int holders[2] = {use->holders[0], use->count > 1 ? use->holders[1] : NO_HOLDER};
    bool generic = false, differ = false;
    for (uint32_t i = 0; i < use->count; i++) {
        kinds one = rw_kinds_of(flow, use->holders[i]);
        differ |= i && (one ? one : KIND_PLAIN) != (all ? all : KIND_PLAIN);
        all |= one;
        generic |= rw_is_generic(flow, use->holders[i]);
    }
    laid = all & ~KIND_PLAIN;
    if (!laid)
        return;
    if (!use->what->in_layout) {
        refuse_use(h, use, laid);
    } else if (differ) {
        rw_refuse(flow->rw, use->call,
                  "%s() is given buffers of '%s' and of others; copy by way of "
                  "an array of the host",
                  use->name, flow->request->layouts[__builtin_ctzll(laid)].record->name);
    } else if (use->what->makes && mentions(h, use->call, "CL_MEM_USE_HOST_PTR")) {
        rw_refuse(flow->rw, use->call,
                  "with CL_MEM_USE_HOST_PTR the program's own array is the buffer, which cannot be "
                  "laid out; use CL_MEM_COPY_HOST_PTR, and clEnqueueReadBuffer()");
    } else {
        const char *plain = use->what->name;
        int layout = layout_of(all);
        rename_call(h, use->call, use->name,
                    layout >= 0 && !generic
                        ? hd_format(flow->rw->arena, use->what->in_layout, h->stems[layout])
                        : plain,
                    use->what->in_layout, holders);
    }
}

/* ---- generic functions ----------------------------------------------------------------------------- */

static bool same_function(CXCursor a, CXCursor b) {
    return clang_equalCursors(clang_getCanonicalCursor(a), clang_getCanonicalCursor(b));
}

static bool has_versions(const host *h, CXCursor function) {
    for (size_t i = 0; i < h->functions.count; i++)
        if (same_function(h->functions.data[i], function))
            return true;
    return false;
}

static bool add_function(host *h, CXCursor function) {
    if (clang_Cursor_isNull(function) || has_versions(h, function))
        return false;
    hd_push(h->flow.rw->arena, &h->functions, function);
    return true;
}

/* Those whose text depends on the kind of a buffer, by what they call. */
static void find_versions(host *h) {
    host_flow *flow = &h->flow;
    for (size_t u = 0; u < flow->uses.count; u++) {
        const buffer_use *use = &flow->uses.data[u];
        for (uint32_t i = 0; i < use->count && use->what->in_layout; i++)
            if (rw_is_generic(flow, use->holders[i]))
                add_function(h, use->function);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t p = 0; p < flow->passings.count; p++) {
            const passing *passed = &flow->passings.data[p];
            if (rw_is_generic(flow, passed->inside) && rw_is_generic(flow, passed->outside) &&
                has_versions(h, flow->calls.data[passed->call].callee))
                changed |= add_function(h, passed->function);
        }
    }
}

static const char *version_of(host *h, CXCursor function) {
    return hd_format(h->flow.rw->arena, "%s_%%s", rw_spelling(h->flow.rw->arena, function));
}

/* Calls of generic functions: what is passed decides the version. */
static void edit_own_calls(host *h) {
    host_flow *flow = &h->flow;
    for (size_t c = 0; c < flow->calls.count; c++) {
        const host_call *call = &flow->calls.data[c];
        int holders[2] = {NO_HOLDER, NO_HOLDER}, count = 0;
        bool differ = false, generic = false;
        kinds all = 0;
        for (size_t p = 0; p < flow->passings.count; p++) {
            const passing *passed = &flow->passings.data[p];
            if (passed->call != c || !rw_is_generic(flow, passed->inside))
                continue;
            kinds one = rw_kinds_of(flow, passed->outside);
            one = one ? one : KIND_PLAIN;
            differ |= count && one != all;
            all |= one;
            generic |= rw_is_generic(flow, passed->outside);
            holders[count < 2 ? count++ : 1] = passed->outside;
        }
        if (!count || !has_versions(h, call->callee))
            continue;
        int layout = layout_of(all);
        const char *name = rw_spelling(flow->rw->arena, call->callee);
        const char *version = version_of(h, call->callee);
        if (differ)
            rw_refuse(flow->rw, call->cursor,
                      "'%s' is given buffers of laid-out records and others here, and other ones "
                      "elsewhere; make two functions of it",
                      name);
        else if (layout >= 0 || generic)
            rename_call(h, call->cursor, name,
                        layout >= 0 && !generic
                            ? hd_format(flow->rw->arena, version, h->stems[layout])
                            : name,
                        version, holders);
    }
}

/* The text of a function or of its declaration, for the buffers of a layout. */
static const char *version_text(host *h, CXCursor function, range at, uint32_t layout) {
    rewriter *rw = h->flow.rw;
    const char *name = rw_spelling(rw->arena, function);
    hd_str text = {.arena = rw->arena};
    unsigned done = at.begin;
    unsigned declared;
    bool has_name = rw_offset_of(&rw->src, clang_getCursorLocation(function), &declared);
    for (size_t t = rw_token_from(&rw->src, at.begin);
         t < rw->src.token_count && rw->src.tokens[t].at.begin < at.end; t++) {
        range word = rw->src.tokens[t].at;
        const char *to = NULL;
        if (has_name && word.begin == declared)
            to = hd_format(rw->arena, "%s_%s", name, h->stems[layout]);
        for (size_t r = 0; r < h->renamings.count && !to; r++) {
            const renaming *renamed = &h->renamings.data[r];
            bool generic = false;
            for (int i = 0; i < 2; i++)
                generic |= renamed->holders[i] != NO_HOLDER &&
                           rw_is_generic(&h->flow, renamed->holders[i]);
            if (renamed->at == word.begin)
                to = generic ? hd_format(rw->arena, renamed->in_layout, h->stems[layout])
                             : renamed->to;
        }
        if (!to)
            continue;
        hd_str_addn(&text, rw->src.text + done, word.begin - done);
        hd_str_add(&text, to);
        done = word.end;
    }
    hd_str_addn(&text, rw->src.text + done, at.end - done);
    return hd_str_text(&text);
}

/* The layouts that a generic function is called for. */
static kinds layouts_of(host *h, CXCursor function) {
    kinds all = 0;
    for (size_t p = 0; p < h->flow.passings.count; p++) {
        const passing *passed = &h->flow.passings.data[p];
        if (same_function(h->flow.calls.data[passed->call].callee, function) &&
            rw_is_generic(&h->flow, passed->inside))
            all |= rw_kinds_of(&h->flow, passed->inside) & ~KIND_PLAIN;
    }
    return all;
}

/* Behind each declaration of a generic function, and its definition, those of its versions. */
static void add_versions(host *h, CXCursor at) {
    rewriter *rw = h->flow.rw;
    cursors inside = rw_children(rw->arena, at);
    for (size_t i = 0; i < inside.count; i++) {
        CXCursor function = inside.data[i];
        enum CXCursorKind kind = clang_getCursorKind(function);
        range text;
        if (clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
            continue;
        if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
            kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl)
            add_versions(h, function);
        for (size_t g = 0; rw_is_function(function) && g < h->functions.count; g++) {
            if (!same_function(h->functions.data[g], function))
                continue;
            if (!rw_range_of(&rw->src, function, &text)) {
                rw_refuse_macro(rw, function);
                continue;
            }
            bool defines = clang_isCursorDefinition(function);
            size_t semicolon = rw_token_from(&rw->src, text.end);
            unsigned end = !defines && rw_token_is(&rw->src, semicolon, ";")
                               ? rw->src.tokens[semicolon].at.end
                               : text.end;
            kinds all = layouts_of(h, function);
            for (uint32_t l = 0; l < h->flow.request->layout_count; l++)
                if (all >> l & 1)
                    rw_edit_insert(rw, end,
                                   hd_format(rw->arena, "%s%s%s", defines ? "\n\n" : "\n",
                                             version_text(h, function, text, l),
                                             defines ? "" : ";"));
        }
    }
}

/* ---- the #include ------------------------------------------------------------------------------------ */

/* The start of a line, above the comments that stand right before it. */
static unsigned above_comments(const source *src, unsigned offset) {
    while (offset && src->text[offset - 1] != '\n')
        offset--;
    for (unsigned line = offset; line;) {
        unsigned begin = line - 1;
        while (begin && src->text[begin - 1] != '\n')
            begin--;
        const char *first = src->text + begin + strspn(src->text + begin, " \t");
        bool is_line = !strncmp(first, "//", 2);
        bool is_block = line >= 3 && !strncmp(src->text + line - 3, "*/", 2);
        if (!is_line && !is_block)
            return line;
        if (is_block) {
            while (begin && strncmp(src->text + begin, "/*", 2) != 0)
                begin--;
            while (begin && src->text[begin - 1] != '\n')
                begin--;
        }
        line = begin;
        if (!line)
            return 0;
    }
    return offset;
}

/* Before the first declaration of each file that has something to change. */
static void add_includes(host *h) {
    rewriter *rw = h->flow.rw;
    cursors all = rw_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    hd_vec(unsigned) files = {0};
    size_t edits = rw->src.edits.count;
    for (size_t i = 0; i < all.count; i++) {
        range at;
        if (!clang_isDeclaration(clang_getCursorKind(all.data[i])) ||
            clang_Location_isInSystemHeader(clang_getCursorLocation(all.data[i])) ||
            !rw_range_of(&rw->src, all.data[i], &at))
            continue;
        for (size_t e = 0; e < edits; e++) {
            range edited = rw->src.edits.data[e].at;
            flat_spot spot;
            bool is_known = edited.begin < at.begin || edited.end > at.end ||
                            !rw_flat_spot(rw->flat, edited, &spot) || spot.node->kind != FLAT_FILE;
            for (size_t f = 0; f < files.count && !is_known; f++)
                is_known = files.data[f] == spot.node->file;
            if (is_known)
                continue;
            hd_push(rw->arena, &files, spot.node->file);
            rw_edit_insert(rw, above_comments(&rw->src, at.begin),
                           hd_format(rw->arena, "#include \"%s\"\n\n", h->flow.request->header));
            break;
        }
    }
}

/* ---- the task ------------------------------------------------------------------------------------------ */

/* Whether the program uses a name that the header would declare. */
static bool is_taken(const host *h, const hd_record_layout *chosen, const char *stem) {
    const rewriter *rw = h->flow.rw;
    const char *header = hd_rewrite_host_header(rw->arena, chosen->record, chosen->layout, stem);
    size_t length = strlen(stem);
    for (size_t t = 0; t < rw->src.token_count; t++) {
        const char *name = rw->src.text + rw->src.tokens[t].at.begin;
        if (rw->src.tokens[t].is_name && !strncmp(name, stem, length) && name[length] == '_' &&
            strstr(header, hd_format(rw->arena, " %s(", rw_token_text(&rw->src, t))))
            return true;
    }
    return false;
}

static void find_stems(host *h) {
    hd_arena *arena = h->flow.rw->arena;
    const hd_host_request *request = h->flow.request;
    h->stems = hd_new_array(arena, const char *, request->layout_count);
    for (uint32_t l = 0; l < request->layout_count; l++) {
        const hd_record_layout *chosen = &request->layouts[l];
        h->stems[l] = rw_identifier(arena, chosen->record->name);
        while (is_taken(h, chosen, h->stems[l]))
            h->stems[l] = hd_format(arena, "%s_laid", h->stems[l]);
    }
}

static void refuse_bindings(host *h, CXCursor at) {
    rewriter *rw = h->flow.rw;
    cursors inside = rw_children(rw->arena, at);
    for (size_t i = 0; i < inside.count; i++) {
        CXCursor one = inside.data[i];
        if (clang_isDeclaration(clang_getCursorKind(one)) &&
            clang_Location_isInSystemHeader(clang_getCursorLocation(one)))
            continue;
        if (clang_getCursorKind(one) == CXCursor_VarDecl &&
            rw_holds(clang_getCursorType(one), "cl::Buffer"))
            rw_refuse(rw, one,
                      "'%s' is of OpenCL's C++ bindings, which are not followed; use cl_mem and "
                      "the functions of C",
                      rw_spelling(rw->arena, one));
        refuse_bindings(h, one);
    }
}

/* All of them, also in macros: which kernel it is is seen when the program runs. */
static void rename_set_args(host *h) {
    rewriter *rw = h->flow.rw;
    static const char name[] = "clSetKernelArg";
    for (size_t t = 0; t < rw->src.token_count; t++)
        if (rw_token_is(&rw->src, t, name)) {
            renaming r = {rw->src.tokens[t].at.begin,
                          name,
                          "heddle_set_kernel_arg",
                          NULL,
                          {NO_HOLDER, NO_HOLDER}};
            hd_push(rw->arena, &h->renamings, r);
        }
}

static hd_status edit_host(rewriter *rw) {
    host *h = rw->user;
    *h = (host){.flow = {.rw = rw, .request = h->flow.request}};
    host_flow *flow = &h->flow;
    CXCursor all = clang_getTranslationUnitCursor(rw->src.unit);
    flow->function = clang_getNullCursor();
    find_stems(h);
    refuse_bindings(h, all);
    rw_follow_buffers(flow);
    rename_set_args(h);
    for (size_t i = 0; i < flow->uses.count; i++)
        edit_use(h, &flow->uses.data[i]);
    find_versions(h);
    edit_own_calls(h);
    for (size_t r = 0; r < h->renamings.count; r++) {
        const renaming *renamed = &h->renamings.data[r];
        if (strcmp(renamed->from, renamed->to) != 0)
            rw_edit_text(rw, (range){renamed->at, renamed->at + (unsigned)strlen(renamed->from)},
                         renamed->to);
    }
    add_versions(h, all);
    add_includes(h);
    return HD_OK;
}

static hd_status make_host(rewriter *rw, CXIndex index, hd_rewritten **result) {
    host *h = rw->user;
    const hd_host_request *request = h->flow.request;
    hd_rewritten *made = hd_new(rw->arena, hd_rewritten);
    bool creates = false;
    for (size_t r = 0; r < h->renamings.count; r++)
        creates |= !strncmp(h->renamings.data[r].to, "heddle_create_", 14);
    for (size_t g = 0; g < h->functions.count; g++)
        creates |= layouts_of(h, h->functions.data[g]) != 0;
    if (!rw->refusals.count && !creates)
        return hd_fail(
            rw->diag, HD_EINPUT, &(hd_place){.file = rw->src.path},
            "no buffer that this file makes reaches an argument of a kernel that is laid "
            "out; give the file that calls clCreateBuffer() and clSetKernelArg()");
    if (!rw->refusals.count)
        rw_make_files(rw, made);
    hd_status status = rw_tell_refusals(rw);
    if (status != HD_OK)
        return status;
    made->host_header = rw_opencl_header(rw->arena, request, h->stems);
    hd_rewritten checked = *made; /* with what the files include */
    checked.files = hd_new_array(rw->arena, hd_rewritten_file, made->file_count + 1);
    memcpy(checked.files, made->files, made->file_count * sizeof *made->files);
    checked.files[checked.file_count++] = (hd_rewritten_file){.path = request->header,
                                                              .name = request->header,
                                                              .text = made->host_header,
                                                              .original = ""};
    status = rw_check_files(rw, index, &checked);
    *result = status == HD_OK ? made : NULL;
    return status;
}

/* ---- with the kernels ------------------------------------------------------------------------------------ */

/* The files of both. A header of both is one file. */
static hd_status join(hd_arena *arena, const hd_diag *diag, const hd_rewritten *kernels,
                      const hd_rewritten *program, hd_rewritten **result) {
    hd_rewritten *both = hd_new(arena, hd_rewritten);
    hd_vec(hd_rewritten_file) files = {0};
    hd_vec(hd_header_elsewhere) elsewhere = {0};
    *both = *kernels;
    for (uint32_t f = 0; f < kernels->file_count; f++)
        hd_push(arena, &files, kernels->files[f]);
    for (uint32_t f = 0; f < program->file_count; f++) {
        const hd_rewritten_file *file = &program->files[f];
        hd_rewritten_file *same = NULL;
        for (size_t k = 0; k < files.count; k++)
            if (!strcmp(files.data[k].name, file->name))
                same = &files.data[k];
        if (same && (!hd_same_file(same->path, file->path) || !same->is_copy))
            return hd_fail(diag, HD_EUNSUPPORTED, &(hd_place){.file = file->path},
                           "kernels and host share a file of this name, in which the kernels "
                           "change; give the host a header of its own");
        if (same)
            *same = *file;
        else
            hd_push(arena, &files, *file);
    }
    for (uint32_t e = 0; e < kernels->elsewhere_count; e++)
        hd_push(arena, &elsewhere, kernels->elsewhere[e]);
    for (uint32_t e = 0; e < program->elsewhere_count; e++)
        hd_push(arena, &elsewhere, program->elsewhere[e]);
    both->files = files.data;
    both->file_count = (uint32_t)files.count;
    both->elsewhere = elsewhere.data;
    both->elsewhere_count = (uint32_t)elsewhere.count;
    both->host_header = program->host_header;
    both->edit_count += program->edit_count;
    *result = both;
    return HD_OK;
}

static hd_status check_layouts(const hd_diag *diag, const hd_host_request *request) {
    for (uint32_t l = 0; l < request->layout_count; l++) {
        const hd_record_layout *chosen = &request->layouts[l];
        hd_place place = {.file = request->path};
        if (chosen->record->of_arrays)
            return hd_fail(diag, HD_EUNSUPPORTED, &place,
                           "'%s' is made of several buffers, which a host in OpenCL cannot give as "
                           "one; make them one buffer of structs first",
                           chosen->record->name);
        if (chosen->layout->discrete)
            return hd_fail(diag, HD_EUNSUPPORTED, &place,
                           "a buffer of this program is one cl_mem, and this layout of '%s' has "
                           "several; choose one without /da",
                           chosen->record->name);
    }
    return HD_OK;
}

hd_status hd_rewrite_opencl_host(hd_arena *arena, const hd_diag *diag,
                                 const hd_host_request *request, hd_rewritten **result) {
    static const rw_task task = {.edits = edit_host,
                                 .result = make_host,
                                 .command = hd_host_command_make,
                                 .subject = "laid-out records are reached"};
    const hd_rewrite_request texts = {.path = request->path, .options = request->options};
    hd_rewritten *program = NULL;
    hd_parse_command command;
    char *text;
    size_t length;
    *result = NULL;
    hd_status status = check_layouts(diag, request);
    if (status == HD_OK)
        status = hd_read_file(arena, diag, request->path, &text, &length);
    if (status == HD_OK)
        status = hd_host_command_make(arena, diag, request->path, request->options, &command);
    if (status != HD_OK)
        return status;
    host own = {.flow = {.request = request}};
    rewriter rw = {.arena = arena,
                   .diag = diag,
                   .request = &texts,
                   .task = &task,
                   .user = &own,
                   .command = &command};
    status = rw_rewrite_text(&rw, text, &program);
    hd_parse_command_end(&command);
    return status == HD_OK ? join(arena, diag, request->kernels, program, result) : status;
}
