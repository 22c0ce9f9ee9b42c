/*
 * Source edits for a chosen layout.
 *
 * The kernel file is parsed by clang; the tree says what every name means, the
 * text stays what the user wrote, and edits are made on the text where the tree
 * says so. A kernel in a new layout differs from the original in three ways:
 *
 *   - behind the record's declaration stand the generated functions (prelude.c),
 *     which hold the layout's address map;
 *   - parameters that point to the record become the layout's allocations and
 *     the number of elements (function.c);
 *   - each access calls the functions (access.c).
 *
 *     kernel void k(global R *p) { int i = get_global_id(0); p[i].x += p[i + 1].x; }
 *
 *     kernel void k(__global uchar *p, ulong p_count) {
 *         R_ref p_ref = R_make((__global uchar *)p, p_count);
 *         int i = get_global_id(0); (*R_x(p_ref, i)) += (*R_x(p_ref, i + 1)); }
 *
 * Safety comes from following names: a variable that points to laid-out records
 * may appear only in forms that are known to be rewritten right; any other
 * appearance is a refusal at its place, and then nothing is made. Last, the
 * result is parsed again, and a result that doesn't compile is a refusal too.
 */
#include "internal.h"

/* Collects where macros are used, then walks what the file declares. */
static void walk_file(rewriter *rw) {
    cursors all = hd_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    for (size_t i = 0; i < all.count; i++) {
        range at;
        enum CXCursorKind kind = clang_getCursorKind(all.data[i]);
        if ((kind == CXCursor_MacroExpansion || kind == CXCursor_MacroDefinition) &&
            hd_range_of(&rw->src, all.data[i], &at))
            hd_push(rw->arena, &rw->macro_uses, at);
    }
    for (size_t i = 0; i < all.count; i++) {
        CXCursor c = all.data[i];
        if (clang_isDeclaration(clang_getCursorKind(c)) &&
            !clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
            hd_walk(rw, &(frame){c, NULL});
    }
}

static void edit_prelude(rewriter *rw) {
    edit *e = hd_edit_new(&rw->src, (range){rw->prelude, rw->prelude});
    e->is_added = true;
    hd_edit_text(&rw->src, e, "\n%s", hd_prelude(rw));
    hd_edit_done(&rw->src);
}

static uint32_t count_edits(const source *src) {
    uint32_t count = 0;
    for (size_t i = 0; i < src->edits.count; i++)
        count += !src->edits.data[i].is_added;
    return count;
}

/* Parses the result; errors in it are ours, and the user gets no broken file. */
static hd_status check_result(rewriter *rw, CXIndex index, const char *options, const char *text) {
    source again;
    CXTranslationUnit unit = hd_clang_parse(rw->arena, index, rw->src.path, text, options);
    if (!unit)
        return hd_fail(rw->diag, HD_ESYSTEM, &(hd_place){.file = rw->src.path},
                       "libclang cannot parse the rewritten file");
    hd_source_open(&again, rw->arena, rw->src.path, text, unit);
    bool bad = hd_clang_errors(&again, rw->diag, HD_EUNSUPPORTED,
                               "the rewritten kernel would not compile, please report this "
                               "(the line is one of the rewritten text): ");
    clang_disposeTranslationUnit(unit);
    return bad ? HD_EUNSUPPORTED : HD_OK;
}

static hd_status make_edits(rewriter *rw, const char **text) {
    hd_place place = {.file = rw->src.path};
    hd_status status = hd_find_record(rw);
    if (status != HD_OK)
        return status;
    hd_family_names(rw, SPACE_GLOBAL);
    hd_family_names(rw, SPACE_CONSTANT);
    walk_file(rw);
    hd_check_all_seen(rw);
    if (rw->refusals.count)
        return HD_EUNSUPPORTED;
    if (!rw->kernels)
        return hd_fail(rw->diag, HD_EINPUT, &place,
                       "no kernel of this file takes a '__global %s *'; there is nothing to "
                       "rewrite",
                       rw->spelling);
    edit_prelude(rw);
    *text = hd_source_render(&rw->src);
    if (!*text)
        return hd_fail(rw->diag, HD_EUNSUPPORTED, &place,
                       "macros of this file make accesses to '%s' overlap; write them out",
                       rw->record->name);
    return HD_OK;
}

/* Everything between reading the file and the result. */
static hd_status rewrite_text(rewriter *rw, CXIndex index, const char *path, const char *text,
                              const char *options, hd_rewritten **result) {
    const char *slash = strrchr(path, '/');
    hd_place place = {.file = path};
    CXTranslationUnit unit = hd_clang_parse(rw->arena, index, path, text, options);
    if (!unit)
        return hd_fail(rw->diag, HD_EINPUT, &place, "libclang cannot parse this file with '%s'",
                       options ? options : "");
    hd_source_open(&rw->src, rw->arena, path, text, unit);
    const char *new_text = NULL;
    hd_status status = HD_EINPUT;
    if (!hd_clang_errors(&rw->src, rw->diag, HD_EINPUT, ""))
        status = make_edits(rw, &new_text);
    if (status == HD_OK)
        status = check_result(rw, index, options, new_text);
    if (status == HD_OK) {
        uint32_t edits = count_edits(&rw->src);
        hd_rewritten_file *file = hd_new(rw->arena, hd_rewritten_file);
        *file = (hd_rewritten_file){path, slash ? slash + 1 : path, new_text, edits};
        *result = hd_new(rw->arena, hd_rewritten);
        **result =
            (hd_rewritten){.files = file,
                           .file_count = 1,
                           .host_header = hd_rewrite_host_header(
                               rw->arena, rw->record, rw->plan->layout, rw->record->name),
                           .options = hd_format(rw->arena, "%s -I '%s'", options ? options : "",
                                                hd_path_beside(rw->arena, path, ".")),
                           .edit_count = edits};
    }
    clang_disposeTranslationUnit(unit);
    return status;
}

hd_status hd_rewrite(hd_arena *arena, const hd_diag *diag, const hd_rewrite_request *request,
                     hd_rewritten **result) {
    const char *path = request->path, *options = request->options;
    const hd_record *record = request->layouts[0].record;
    const hd_layout *layout = request->layouts[0].layout;
    *result = NULL;
    char *text;
    size_t length;
    hd_plan *plan;
    if (kir_language_of(path) == KIR_CUDA)
        return hd_fail(diag, HD_EUNSUPPORTED, &(hd_place){.file = path},
                       "kernels in CUDA C cannot be rewritten, nor measured so; change the layout "
                       "in the source, or port the kernel to OpenCL C");
    hd_status status = hd_plan_make(arena, diag, record, layout, &plan);
    if (status == HD_OK)
        status = hd_read_file(arena, diag, path, &text, &length);
    if (status != HD_OK)
        return status;
    if (strlen(text) != length)
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                       "this file holds a zero byte; it is no kernel source");
    rewriter rw = {.arena = arena, .diag = diag, .record = record, .plan = plan};
    CXIndex index = clang_createIndex(0, 0);
    status = rewrite_text(&rw, index, path, text, options, result);
    clang_disposeIndex(index);
    return status;
}
