/*
 * Source edits for chosen layouts.
 *
 * The kernel file is parsed by clang; the tree says what every name means, the
 * text stays what the user wrote, and edits are made on the text where the tree
 * says so. A kernel in a new layout differs from the original in three ways:
 *
 *   - behind the record's declaration stand the generated functions (prelude.c),
 *     which hold the layout's address map;
 *   - parameters that point to the record become the layout's allocations and
 *     the number of elements (function.c);
 *   - each access calls the functions (walk.c).
 *
 *     kernel void k(global R *p) { int i = get_global_id(0); p[i].x += p[i + 1].x; }
 *
 *     kernel void k(__global uchar *p, ulong p_count) {
 *         R_ref p_ref = R_make((__global uchar *)p, p_count);
 *         int i = get_global_id(0); (*R_x(p_ref, i)) += (*R_x(p_ref, i + 1)); }
 *
 * Included headers and, where they are in the way, macros are first put into one flat text
 * (flat.h), whose edits go back to where it was written (output.c). Which declarations hold
 * laid-out records follows from what the kernels are given (pointer_flow.c).
 *
 * Safety comes from following values: an expression that leads to laid-out records may stand
 * only where it is known to be rewritten right; any other is a refusal at its place, and then
 * nothing is made. Last, the result is parsed again, and a result that doesn't compile is a
 * refusal too.
 */
#include <stdlib.h>

#include "internal.h"
#include "kernel/cuda_calls.h"
#include "rewrite/rewrite_host.h"

/* ---- one reading of the flat text --------------------------------------------------- */

/* Host code that launches kernels: f<<<...>>>(...), also in a macro, or a call that does it. */
static bool launches_kernels(const rewriter *rw) {
    const source *src = &rw->src;
    for (size_t t = 0; t < src->token_count; t++)
        if (rw_token_is(src, t, "<<<") || rw_token_is(src, t, "hipLaunchKernelGGL") ||
            hd_cuda_call_launches(rw_token_text(src, t)))
            return true;
    return false;
}

static bool is_emptied(const rewriter *rw) {
    return strstr(rw->src.text, HD_WITHOUT_LAUNCHES) != NULL;
}

/* All edits of the flat text, or refusals. */
static hd_status make_edits(rewriter *rw) {
    if (rw->request->with_host && is_emptied(rw))
        return hd_fail(rw->diag, HD_EUNSUPPORTED, &(hd_place){.file = rw->request->path},
                       "this copy has the program's kernels without the host code that launches "
                       "them: its functions are empty, and main() with them; rewrite the "
                       "recording, which knows the program's own files, or name these with "
                       "--source FILE");
    hd_status status = rw_find_records(rw);
    if (status != HD_OK || rw->refusals.count)
        return status;
    rw->of_program = rw->request->of_program && rw->is_cuda;
    rw->with_host = rw->request->with_host && rw->is_cuda && launches_kernels(rw);
    for (uint32_t i = 0; i < rw->record_count; i++) /* the host has no one pointer for these */
        rw->with_host &= !rw->records[i].record->of_arrays;
    rw_flow_run(rw);
    frame file = {clang_getTranslationUnitCursor(rw->src.unit), NULL};
    hd_cursors all = hd_cursor_children(rw->arena, file.cursor);
    for (size_t i = 0; i < all.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(all.data[i]);
        if (clang_isDeclaration(kind) &&
            !clang_Location_isInSystemHeader(clang_getCursorLocation(all.data[i])))
            /* variables stand together in one statement, which is what is around them */
            rw_walk(rw, &(frame){all.data[i], kind == CXCursor_VarDecl ? &file : NULL});
    }
    rw_edit_instantiations(rw);
    rw_edit_device_vectors(rw);
    rw_check_all_seen(rw);
    return HD_OK;
}

/* By their places; those of one file stay together. */
static int compare_refusals(const void *left, const void *right) {
    const hd_place *a = &((const refusal *)left)->place, *b = &((const refusal *)right)->place;
    int files = strcmp(a->file, b->file);
    if (files || a->line == b->line)
        return files ? files : (a->column > b->column) - (a->column < b->column);
    return a->line < b->line ? -1 : 1;
}

/* Refuses what names a variable, from `at` on. */
static void refuse_names_of(rewriter *rw, CXCursor at, CXCursor variable_named, const char *why) {
    hd_cursors inside = hd_cursor_children(rw->arena, at);
    if (clang_getCursorKind(at) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(at), variable_named))
        rw_refuse(rw, at, "%s", why);
    for (size_t i = 0; i < inside.count; i++)
        refuse_names_of(rw, inside.data[i], variable_named, why);
}

/* Records that are in no memory that a kernel is given, but in arrays that it names. */
static void refuse_named_arrays(rewriter *rw, const laid_record *l) {
    hd_cursors all = hd_cursor_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    hd_cursors functions = rw_functions(rw->arena, rw->src.unit);
    for (size_t i = 0; i < all.count && rw->is_cuda; i++) {
        CXCursor named = all.data[i];
        if (clang_getCursorKind(named) != CXCursor_VarDecl ||
            rw_laid_record_of(rw, rw_innermost(clang_getCursorType(named))) != l ||
            !rw_is_device_variable(rw->arena, named))
            continue;
        const char *name = rw_spelling(rw->arena, named);
        rw_refuse(rw, named,
                  "'%s' is an array with a name in device memory, whose bytes no layout moves; "
                  "allocate it with cudaMalloc(), and give kernels a parameter '%s *'",
                  name, l->spelling);
        for (size_t f = 0; f < functions.count; f++)
            refuse_names_of(rw, functions.data[f], named,
                            hd_format(rw->arena, "'%s' is used by its name; %s", name,
                                      rw_is_device_function(rw->arena, functions.data[f])
                                          ? "reach it through a parameter"
                                          : "copy it with cudaMemcpy()"));
    }
}

hd_status rw_tell_refusals(rewriter *rw) {
    if (rw->refusals.count)
        qsort(rw->refusals.data, rw->refusals.count, sizeof *rw->refusals.data, compare_refusals);
    for (size_t i = 0; i < rw->refusals.count; i++)
        hd_fail(rw->diag, HD_EUNSUPPORTED, &rw->refusals.data[i].place, "%s",
                rw->refusals.data[i].text);
    return rw->refusals.count ? HD_EUNSUPPORTED : HD_OK;
}

static hd_status make_result(rewriter *rw, CXIndex index, hd_rewritten **result) {
    hd_rewritten *made = hd_new(rw->arena, hd_rewritten);
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < rw->record_count && !rw->refusals.count; i++) {
        const laid_record *l = &rw->records[i];
        hd_place place = {.file = rw->src.path};
        bool is_reached = rw->with_host && l->accessors[SPACE_GLOBAL].is_used;
        if (l->kernels || l->record->of_arrays || is_reached)
            continue;
        refuse_named_arrays(rw, l);
        if (!rw->refusals.count)
            status =
                hd_fail(rw->diag, HD_EINPUT, &place,
                        "no kernel of this file takes a '%s%s *'%s; there is nothing to rewrite",
                        rw->is_cuda ? "" : "__global ", l->spelling,
                        rw->is_cuda ? " (a template's 'T *' is not seen to be one)" : "");
    }
    if (status == HD_OK && !rw->refusals.count) {
        rw_edit_preludes(rw);
        rw_make_files(rw, made);
    }
    if (status == HD_OK)
        status = rw_tell_refusals(rw);
    if (status == HD_OK)
        status = rw_check_files(rw, index, made);
    if (status == HD_OK) {
        made->host_header = rw_host_header(rw->arena, rw->request->layouts, rw->record_count);
        made->is_program = rw->with_host;
        made->has_host_launches = rw->is_cuda && (launches_kernels(rw) || is_emptied(rw));
        made->laid_params = rw->laid_params.data;
        made->laid_param_count = (uint32_t)rw->laid_params.count;
        *result = made;
    }
    return status;
}

/* ---- from one flat text to the next ---------------------------------------------------- */

typedef enum outcome { DONE, AGAIN } outcome;

/* Reads the flat text once; AGAIN when there is more to put into it first. */
static outcome read_once(rewriter *rw, CXIndex index, bool is_first, hd_status *status,
                         hd_rewritten **result) {
    hd_place place = {.file = rw->request->path};
    CXTranslationUnit unit = rw_clang_parse(index, rw->command, rw->request->path, rw->flat->text);
    if (!unit) {
        *status = hd_fail(rw->diag, HD_EINPUT, &place, "libclang cannot parse this file with '%s'",
                          rw->request->options ? rw->request->options : "");
        return DONE;
    }
    rw->variables.count = rw->seen.count = rw->refusals.count = 0;
    rw->macro_uses.count = rw->inactive.count = rw->laid_params.count = 0;
    rw->values = NULL;
    rw->memory_calls.count = 0;
    rw->has_templates = rw->has_vectors = rw->copies_symbols = false;
    rw_source_open(&rw->src, rw->flat, unit);
    outcome next = DONE;
    const char *lead = is_first && rw->request->other_count
                           ? "with the program's files read as one: "
                       : is_first ? ""
                                  : "with its headers and macros put in place, this file does not "
                                    "compile, so it cannot be rewritten: ";
    if (rw_clang_errors(&rw->src, rw->diag, is_first ? HD_EINPUT : HD_EUNSUPPORTED, lead)) {
        *status = is_first ? HD_EINPUT : HD_EUNSUPPORTED;
    } else if (is_first && rw_flat_include(rw->flat, unit)) {
        next = AGAIN;
    } else {
        rw_macros_read(rw);
        next = rw_macros_expand(rw) ? AGAIN : DONE;
        if (next == DONE) {
            *status = rw->task->edits(rw);
            next = *status == HD_OK && rw->is_expanding ? AGAIN : DONE;
            if (next == DONE && *status == HD_OK)
                *status = rw->task->result(rw, index, result);
        }
    }
    clang_disposeTranslationUnit(unit);
    return next;
}

/* What a job alone declares of a buffer is found where the kernels index numbers of one type. */
static hd_status check_numbers(const hd_diag *diag, const hd_record *record) {
    const hd_record *declared = hd_record_declared(record);
    bool are_numbers = true;
    for (uint32_t f = 0; f < record->field_count; f++)
        are_numbers &= record->fields[f].count == 1 && !record->fields[f].record &&
                       !strcmp(record->fields[f].type, record->fields[0].type) &&
                       record->fields[f].size == record->align;
    return !declared->by_job || are_numbers
               ? HD_OK
               : hd_fail(diag, HD_EUNSUPPORTED, &record->place,
                         "the kernels know no struct '%s', and its fields differ in type or are "
                         "arrays that are not taken apart ('split'); to rewrite them for a layout, "
                         "declare it in their source, and access its fields by name",
                         record->name);
}

hd_status rw_rewrite_file(rewriter *rw, hd_rewritten **result) {
    const hd_rewrite_request *request = rw->request;
    char *text;
    size_t length;
    hd_parse_command command;
    *result = NULL;
    hd_status status = HD_OK;
    if (rw->all_files)
        length = strlen(text = hd_strdup(rw->arena, rw->all_files));
    else
        status = hd_read_file(rw->arena, rw->diag, request->path, &text, &length);
    if (status != HD_OK)
        return status;
    if (strlen(text) != length)
        return hd_fail(rw->diag, HD_EINPUT, &(hd_place){.file = request->path},
                       "this file holds a zero byte; it is no kernel source");
    status = rw->task->command(rw->arena, rw->diag, request->path, request->options, &command);
    if (status != HD_OK)
        return status;
    enum { MOST_READINGS = 64 }; /* macros that name each other would never end */
    outcome next = AGAIN;
    flat f;
    rw->command = &command;
    rw->is_cuda = command.is_cuda;
    rw->flat = &f;
    rw_flat_open(&f, rw->arena, request->path, text);
    CXIndex index = clang_createIndex(0, 0);
    for (int i = 0; i < MOST_READINGS && next == AGAIN; i++)
        next = read_once(rw, index, i == 0, &status, result);
    clang_disposeIndex(index);
    hd_parse_command_end(&command);
    if (next == DONE)
        return status;
    return hd_fail(rw->diag, HD_EUNSUPPORTED, &(hd_place){.file = request->path},
                   "macros of this file that reach laid-out records name each other; write the "
                   "accesses out");
}

/* Several files become headers of one that is in no folder, and that lies above them all: what one of
 * them asks of a pointer is then seen in the others. */
static void read_as_one(rewriter *rw, hd_rewrite_request *all) {
    hd_arena *arena = rw->arena;
    const hd_rewrite_request *request = rw->request;
    const char *folder = hd_path_folder(arena, request->path);
    const char **files = hd_new_array(arena, const char *, request->other_count + 1);
    hd_str text = {.arena = arena};
    files[0] = request->path;
    for (uint32_t f = 1; f <= request->other_count; f++) {
        files[f] = request->others[f - 1];
        while (!hd_path_below(folder, files[f]) && strcmp(folder, "/") != 0)
            folder = hd_path_folder(arena, folder);
    }
    for (uint32_t f = 0; f <= request->other_count; f++)
        hd_str_printf(&text, "#include \"%s\"\n", hd_path_below(folder, files[f]));
    *all = *request;
    all->path = hd_format(arena, "%s/heddle_all_files.cu", folder);
    all->others = files;
    all->other_count++;
    rw->request = all;
    rw->all_files = hd_str_text(&text);
}

hd_status hd_rewrite(hd_arena *arena, const hd_diag *diag, const hd_rewrite_request *request,
                     hd_rewritten **result) {
    static const rw_task kernels = {.edits = make_edits,
                                    .result = make_result,
                                    .command = hd_parse_command_make,
                                    .subject = "laid-out records are reached"};
    rewriter rw = {.arena = arena, .diag = diag, .request = request, .task = &kernels};
    hd_rewrite_request all;
    *result = NULL;
    for (uint32_t l = 0; l < request->layout_count; l++) {
        hd_status status = check_numbers(diag, request->layouts[l].record);
        if (status != HD_OK)
            return status;
    }
    if (request->other_count)
        read_as_one(&rw, &all);
    return rw_rewrite_file(&rw, result);
}
