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

/* ---- the names in calls ----------------------------------------------------------------------- */

static void add_held(const host *h, holding *held, int number) {
    kinds one = rw_kinds_of(h, number);
    one = one ? one : KIND_PLAIN;
    held->differ |= held->any && one != held->all;
    held->all |= one;
    held->is_generic |= rw_is_generic(h, number);
    held->any = true;
}

void rw_rename_token(host *h, size_t number, const char *in_layout, const holding *held) {
    rewriter *rw = h->rw;
    const char *from = rw_token_text(&rw->src, number);
    renaming r = {rw->src.tokens[number].at.begin, from, from, in_layout, held->is_generic};
    if (!held->is_generic)
        r.to = strstr(in_layout, "%s")
                   ? hd_format(rw->arena, in_layout, h->stems[__builtin_ctzll(held->all)])
                   : in_layout;
    hd_push(rw->arena, &h->renamings, r);
}

/* A call's name becomes that of the layout: `in_layout` with the record for %s. */
static void rename_call(host *h, CXCursor call, const char *name, const char *in_layout,
                        const holding *held) {
    rewriter *rw = h->rw;
    hd_cursors inside = hd_cursor_children(rw->arena, call);
    CXCursor callee = inside.count ? rw_bare(rw->arena, inside.data[0]) : call;
    unsigned at;
    if (!held->is_generic && held->all & (held->all - 1))
        return;
    if (!strncmp(in_layout, "heddle::", 8))
        rw_rename_in_bindings(h, call, name, in_layout, held);
    else if (rw_offset_of(&rw->src, clang_getCursorLocation(callee), &at) &&
             rw_token_is(&rw->src, rw_token_at(&rw->src, at), name))
        rw_rename_token(h, rw_token_at(&rw->src, at), in_layout, held);
    else
        rw_refuse_macro(rw, call);
}

/* The program's own array would be the buffer. */
static bool uses_host_memory(const host *h, CXCursor call) {
    const rewriter *rw = h->rw;
    hd_cursors given = rw_arguments(rw, call), parameters = {0};
    CXCursor callee = rw_callee(rw->arena, call);
    range at;
    long long value = 1;
    if (!clang_Cursor_isNull(callee))
        parameters = rw_parameters(rw->arena, callee);
    for (size_t p = 0; p < parameters.count && p < given.count; p++)
        if (!strcmp(rw_spelling(rw->arena, parameters.data[p]), "useHostPtr") &&
            rw_offset_of(&rw->src, clang_getCursorLocation(given.data[p]), &at.begin) &&
            !(rw_constant_value(given.data[p], &value) && !value))
            return true;
    return rw_range_of(&rw->src, call, &at) && rw_has_token(&rw->src, at, "CL_MEM_USE_HOST_PTR");
}

static void edit_use(host *h, const buffer_use *use) {
    holding held = {0};
    for (uint32_t i = 0; i < use->count; i++)
        add_held(h, &held, use->nodes[i]);
    kinds laid = held.all & ~KIND_PLAIN;
    if (!laid)
        return;
    const char *record = h->request->layouts[__builtin_ctzll(laid)].record->name;
    if (!use->what->in_layout)
        rw_refuse(h->rw, use->call,
                  "%s() is given a buffer of '%s', whose bytes lie elsewhere now; %s", use->name,
                  record, use->what->mend);
    else if (held.differ)
        rw_refuse(h->rw, use->call,
                  "%s() is given buffers of '%s' and of others; copy by way of "
                  "an array of the host",
                  use->name, record);
    else if (use->what->makes && uses_host_memory(h, use->call))
        rw_refuse(h->rw, use->call,
                  "with CL_MEM_USE_HOST_PTR the program's own array is the buffer, which cannot be "
                  "laid out; use CL_MEM_COPY_HOST_PTR, and clEnqueueReadBuffer()");
    else
        rename_call(h, use->call, use->name, use->what->in_layout, &held);
    h->creates |= use->what->makes;
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
    hd_push(h->rw->arena, &h->functions, function);
    return true;
}

/* Those whose text depends on the kind of a buffer, by what they call. */
static void find_versions(host *h) {
    for (size_t u = 0; u < h->uses.count; u++) {
        const buffer_use *use = &h->uses.data[u];
        for (uint32_t i = 0; i < use->count && use->what->in_layout; i++)
            if (rw_is_generic(h, use->nodes[i]))
                add_function(h, use->function);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t p = 0; p < h->f->passings.count; p++) {
            const passing *passed = &h->f->passings.data[p];
            if (rw_is_generic(h, passed->inside) && rw_is_generic(h, passed->outside) &&
                has_versions(h, h->f->calls.data[passed->call].callee))
                changed |= add_function(h, passed->function);
        }
    }
}

/* Its name is free to choose, and it does not stand in a function. */
static bool can_have_versions(const rewriter *rw, CXCursor function) {
    enum CXCursorKind kind = clang_getCursorKind(function);
    for (CXCursor around = clang_getCursorSemanticParent(function);
         clang_isDeclaration(clang_getCursorKind(around));
         around = clang_getCursorSemanticParent(around))
        if (rw_is_function(around))
            return false;
    if (kind == CXCursor_FunctionTemplate)
        kind = clang_getTemplateCursorKind(function);
    return (kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod) &&
           !clang_CXXMethod_isVirtual(function) &&
           strncmp(rw_spelling(rw->arena, function), "operator", 8) != 0;
}

static void refuse_versions(host *h) {
    for (size_t i = 0; i < h->functions.count; i++)
        if (!can_have_versions(h->rw, h->functions.data[i]))
            rw_refuse(h->rw, h->functions.data[i],
                      "'%s' is given buffers of laid-out records here, and other ones elsewhere; "
                      "do what it does with them in a function that is no operator, constructor, "
                      "virtual or local one",
                      rw_spelling(h->rw->arena, h->functions.data[i]));
}

/* Calls of generic functions: what is passed decides the version. */
static void edit_own_calls(host *h) {
    for (size_t c = 0; c < h->f->calls.count; c++) {
        const flow_call *call = &h->f->calls.data[c];
        holding held = {0};
        for (size_t p = 0; p < h->f->passings.count; p++)
            if (h->f->passings.data[p].call == c && rw_is_generic(h, h->f->passings.data[p].inside))
                add_held(h, &held, h->f->passings.data[p].outside);
        if (!held.any || !has_versions(h, call->callee) || !can_have_versions(h->rw, call->callee))
            continue;
        if (held.differ)
            rw_refuse(h->rw, call->cursor,
                      "'%s' is given buffers of laid-out records and others here, and other ones "
                      "elsewhere; make two functions of it",
                      call->name);
        else if (held.all != KIND_PLAIN)
            rename_call(h, call->cursor, call->name, hd_format(h->rw->arena, "%s_%%s", call->name),
                        &held);
    }
}

/* The text of a function or of its declaration, for the buffers of a layout. */
static const char *version_text(host *h, CXCursor function, range at, uint32_t layout) {
    const source *src = &h->rw->src;
    hd_arena *arena = h->rw->arena;
    hd_str text = {.arena = arena};
    unsigned done = at.begin, declared;
    bool has_name = rw_offset_of(src, clang_getCursorLocation(function), &declared);
    for (size_t t = rw_token_from(src, at.begin);
         t < src->token_count && src->tokens[t].at.begin < at.end; t++) {
        range word = src->tokens[t].at;
        const char *to = NULL;
        if (has_name && word.begin == declared)
            to = hd_format(arena, "%s_%s", rw_spelling(arena, function), h->stems[layout]);
        for (size_t r = 0; r < h->renamings.count && !to; r++) {
            const renaming *renamed = &h->renamings.data[r];
            if (renamed->at == word.begin)
                to = renamed->is_generic ? hd_format(arena, renamed->in_layout, h->stems[layout])
                                         : renamed->to;
        }
        if (!to)
            continue;
        hd_str_addn(&text, src->text + done, word.begin - done);
        hd_str_add(&text, to);
        done = word.end;
    }
    hd_str_addn(&text, src->text + done, at.end - done);
    return hd_str_text(&text);
}

/* The layouts that a generic function is called for. */
static kinds layouts_of(host *h, CXCursor function) {
    kinds all = 0;
    for (size_t p = 0; p < h->f->passings.count; p++) {
        const passing *passed = &h->f->passings.data[p];
        if (same_function(h->f->calls.data[passed->call].callee, function) &&
            rw_is_generic(h, passed->inside))
            all |= rw_kinds_of(h, passed->inside) & ~KIND_PLAIN;
    }
    return all;
}

/* Behind each declaration of a generic function, and its definition, those of its versions. */
static void add_versions(host *h, CXCursor at) {
    rewriter *rw = h->rw;
    hd_cursors inside = hd_cursor_children(rw->arena, at);
    for (size_t i = 0; i < inside.count; i++) {
        CXCursor function = inside.data[i];
        enum CXCursorKind kind = clang_getCursorKind(function);
        range text;
        if (clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
            continue;
        if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
            kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl ||
            kind == CXCursor_ClassTemplate)
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
            for (uint32_t l = 0; l < h->request->layout_count; l++)
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
    rewriter *rw = h->rw;
    hd_cursors all = hd_cursor_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
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
                           hd_format(rw->arena, "#include \"%s\"\n\n", h->request->header));
            break;
        }
    }
}

/* ---- the task ------------------------------------------------------------------------------------------ */

/* Whether the program uses a name that the header would declare. */
static bool is_taken(const host *h, const hd_record_layout *chosen, const char *stem) {
    const rewriter *rw = h->rw;
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

/* What changes kernels and buffers while a program runs, in whatever language it is. */
static const char run_instead[] = "'heddle apply --layout RECORD=LAYOUT -- PROGRAM'";

static hd_status edit_host(rewriter *rw) {
    host *h = rw->user;
    *h = (host){.rw = rw, .request = h->request};
    CXCursor all = clang_getTranslationUnitCursor(rw->src.unit);
    h->stems = hd_new_array(rw->arena, const char *, h->request->layout_count);
    for (uint32_t l = 0; l < h->request->layout_count; l++) {
        const hd_record_layout *chosen = &h->request->layouts[l];
        h->stems[l] = rw_identifier(rw->arena, chosen->record->name);
        while (is_taken(h, chosen, h->stems[l]))
            h->stems[l] = hd_format(rw->arena, "%s_laid", h->stems[l]);
    }
    rw_follow_buffers(h);
    const holding any = {.all = KIND_PLAIN};
    for (size_t t = 0; t < rw->src.token_count; t++)
        if (rw_token_is(&rw->src, t, "clSetKernelArg") &&
            !rw_is_in_bindings(h, t)) /* also in macros: the kernel is seen when
                                                           the program runs */
            rw_rename_token(h, t, "heddle_set_kernel_arg", &any);
    for (size_t c = 0; c < h->f->calls.count; c++) {
        const flow_call *call = &h->f->calls.data[c];
        if (!strcmp(call->name, "setArg") && rw_calls_bindings(rw, call->cursor) &&
            !rw_sets_shared_memory(rw, call->cursor))
            rw_rename_in_bindings(h, call->cursor, "setArg", "heddle::set_arg", &any);
    }
    rw_rename_functors(h);
    rw_refuse_old_bindings(h);
    for (size_t i = 0; i < h->uses.count; i++)
        edit_use(h, &h->uses.data[i]);
    find_versions(h);
    refuse_versions(h);
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
    const hd_host_request *request = h->request;
    hd_rewritten *made = hd_new(rw->arena, hd_rewritten);
    if (!rw->refusals.count && !h->creates)
        return hd_fail(
            rw->diag, HD_EINPUT, &(hd_place){.file = rw->src.path},
            "no buffer that this file makes reaches an argument of a kernel that is laid "
            "out; give the file that calls clCreateBuffer() and clSetKernelArg()");
    if (!rw->refusals.count)
        rw_make_files(rw, made);
    hd_status status = rw_tell_refusals(rw);
    if (status != HD_OK)
        return status;
    made->host_header = rw_opencl_header(rw->arena, request, h->stems, h->has_bindings);
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

/* A host in Python: each line in which it makes a buffer. */
static hd_status refuse_python(hd_arena *arena, const hd_diag *diag,
                               const hd_host_request *request) {
    char *text;
    size_t length;
    hd_place place = {.file = request->path, .line = 1};
    hd_status status = hd_read_file(arena, diag, request->path, &text, &length);
    if (status)
        return status;
    for (char *line = text; *line; line += line[strcspn(line, "\n")] ? 1 : 0, place.line++) {
        size_t end = strcspn(line, "\n");
        place.text = hd_strndup(arena, line, end);
        const char *made = strstr(place.text, "Buffer(");
        made = made ? made : strstr(place.text, "to_device("); /* of pyopencl.array */
        place.column = made ? (unsigned)(made - place.text) + 1 : 0;
        if (made)
            status = hd_fail(diag, HD_EUNSUPPORTED, &place,
                             "a buffer of PyOpenCL's; hosts are rewritten in C and C++ alone: run "
                             "the program as it is: %s",
                             run_instead);
        line += end;
    }
    place = (hd_place){.file = request->path};
    return status
               ? status
               : hd_fail(diag, HD_EUNSUPPORTED, &place,
                         "this is no host in C or C++; run the program as it is: %s", run_instead);
}

hd_status hd_rewrite_opencl_host(hd_arena *arena, const hd_diag *diag,
                                 const hd_host_request *request, hd_rewritten **result) {
    static const rw_task task = {.edits = edit_host,
                                 .result = make_host,
                                 .command = hd_host_command_make,
                                 .subject = "laid-out records are reached"};
    const hd_rewrite_request texts = {.path = request->path, .options = request->options};
    hd_rewritten *program = NULL;
    host own = {.request = request};
    rewriter rw = {.arena = arena, .diag = diag, .request = &texts, .task = &task, .user = &own};
    *result = NULL;
    hd_status status = check_layouts(diag, request);
    const char *ending = strrchr(request->path, '.');
    if (status == HD_OK && ending && !strcmp(ending, ".py"))
        return refuse_python(arena, diag, request);
    if (status == HD_OK)
        status = rw_rewrite_file(&rw, &program);
    return status == HD_OK ? join(arena, diag, request->kernels, program, result) : status;
}
