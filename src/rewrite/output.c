/*
 * From edits of the flat text to files.
 *
 * Each edit goes to the file where its text was written. Where the flat text has that more than
 * once (a header that is included twice, a macro that is used twice), all copies must ask for the
 * same; a copy that the preprocessor left out has no say.
 *
 * The files go into a folder of their own, each under the name by which it is included there. A
 * header that is included by one that does not change is found only beside that one: so all
 * headers on the way to one that changes go there, too. So do all others that lie below the
 * kernel's folder, that the new folder can be compiled as the old one was; what lies elsewhere
 * stays there.
 */
#include <stdlib.h>

#include "internal.h"

/* An edit in its file. */
typedef struct file_edit {
    range at;
    draft parts;
    const flat_node *node;
    unsigned flat; /* where it stands in the flat text */
    bool is_added, is_used;
} file_edit;

typedef hd_vec(file_edit) file_edits;

typedef struct output {
    rewriter *rw;
    file_edits *edits; /* [files of the flat text] */
    bool *changed;     /* [file] */
    hd_vec(hd_rewritten_file) files;
    hd_vec(hd_header_elsewhere) elsewhere;
} output;

static void refuse_here(rewriter *rw, unsigned offset, const char *why) {
    hd_place place = rw_flat_place(rw->flat, offset);
    rw_refuse_at(rw, &place, "%s", why);
}

static bool map_edit(output *o, const edit *e) {
    rewriter *rw = o->rw;
    flat_spot spot;
    if (!rw_flat_spot(rw->flat, e->at, &spot))
        return false;
    file_edit result = {
        .at = spot.at, .node = spot.node, .flat = e->at.begin, .is_added = e->is_added};
    for (size_t i = 0; i < e->parts.count; i++) {
        part p = e->parts.data[i];
        if (!p.text && !rw_flat_spot_in(rw->flat, spot.node, p.old, &p.old))
            return false;
        hd_push(rw->arena, &result.parts, p);
    }
    hd_push(rw->arena, &o->edits[spot.node->file], result);
    return true;
}

static bool same_edit(const file_edit *a, const file_edit *b) {
    if (a->at.begin != b->at.begin || a->at.end != b->at.end || a->parts.count != b->parts.count)
        return false;
    for (size_t i = 0; i < a->parts.count; i++) {
        const part *p = &a->parts.data[i], *q = &b->parts.data[i];
        if (!p->text != !q->text || (p->text && strcmp(p->text, q->text)) ||
            p->old.begin != q->old.begin || p->old.end != q->old.end)
            return false;
    }
    return true;
}

/* ---- copies of one text ------------------------------------------------------------------- */

/* The edit of a place, from this node or, for NULL, from any. */
static const file_edit *edit_of(const file_edits *edits, const flat_node *node, range at) {
    for (size_t i = 0; i < edits->count; i++)
        if ((!node || edits->data[i].node == node) && edits->data[i].at.begin == at.begin &&
            edits->data[i].at.end == at.end)
            return &edits->data[i];
    return NULL;
}

/* Looks at every other copy of the text that `e` changes. */
static void check_copies(output *o, const file_edit *e, const flat_node *node) {
    rewriter *rw = o->rw;
    unsigned offset;
    if (node != e->node && node->file == e->node->file &&
        rw_flat_offset(node, e->at.begin, &offset) &&
        !rw_is_within(&rw->inactive, (range){offset, offset + 1})) {
        const file_edit *same = edit_of(&o->edits[node->file], node, e->at);
        if (!same || !same_edit(same, e)) {
            hd_place here = rw_flat_place(rw->flat, e->flat);
            hd_place first = rw_flat_use(rw->flat, e->node), second = rw_flat_use(rw->flat, node);
            if (e->node->kind == FLAT_FILE)
                rw_refuse_at(
                    rw, &here,
                    "this text is included more than once, at %s:%u and %s:%u, and would have to "
                    "change differently; make two headers of it",
                    first.file, first.line, second.file, second.line);
            else
                rw_refuse_at(
                    rw, &here,
                    "this part of a macro means different things where it is used, at %s:%u and "
                    "%s:%u; make two macros of it, or a function",
                    first.file, first.line, second.file, second.line);
        }
    }
    for (size_t i = 0; i < node->items.count; i++)
        if (node->items.data[i].node)
            check_copies(o, e, node->items.data[i].node);
}

/* One edit for each place; others of the same place that differ are refused. */
static void keep_one_each(output *o, unsigned file) {
    rewriter *rw = o->rw;
    file_edits kept = {0};
    for (size_t i = 0; i < o->edits[file].count; i++) {
        const file_edit *e = &o->edits[file].data[i];
        const file_edit *same = edit_of(&kept, NULL, e->at);
        if (!same)
            hd_push(rw->arena, &kept, *e);
        else if (!same_edit(same, e))
            refuse_here(rw, e->flat,
                        hd_format(rw->arena, "%s here, in macros that overlap; write this out",
                                  rw->task->subject));
    }
    o->edits[file] = kept;
}

/* ---- the text of a file ---------------------------------------------------------------------- */

/* In order of their start; insertions first, then the outermost. */
static int compare_edits(const void *left, const void *right) {
    const file_edit *a = left, *b = right;
    if (a->at.begin != b->at.begin)
        return a->at.begin < b->at.begin ? -1 : 1;
    bool a_inserts = a->at.end == a->at.begin, b_inserts = b->at.end == b->at.begin;
    if (a_inserts != b_inserts)
        return a_inserts ? -1 : 1;
    return a->at.end == b->at.end ? 0 : a->at.end > b->at.end ? -1 : 1;
}

/* A text that is being rendered, and what of it is the old one. */
typedef struct rendering {
    const char *old;
    hd_str out;
    hd_vec(hd_kept_text) kept;
} rendering;

static void keep_text(rendering *r, unsigned begin, unsigned end) {
    if (begin < end)
        hd_push(r->out.arena, &r->kept, (hd_kept_text){r->out.length, begin, end - begin});
    hd_str_addn(&r->out, r->old + begin, end - begin);
}

static void render_edits(file_edits *edits, rendering *r, range old) {
    unsigned done = old.begin;
    for (size_t i = 0; i < edits->count; i++) {
        file_edit *e = &edits->data[i];
        if (e->at.begin < done || e->at.end > old.end || e->is_used)
            continue;
        keep_text(r, done, e->at.begin);
        e->is_used = true;
        for (size_t p = 0; p < e->parts.count; p++) {
            if (e->parts.data[p].text)
                hd_str_add(&r->out, e->parts.data[p].text);
            else
                render_edits(edits, r, e->parts.data[p].old);
        }
        done = e->at.end;
    }
    keep_text(r, done, old.end);
}

/* An edit inside of another one, but in none of its old parts, would be lost. */
static rendering rendered(output *o, unsigned file) {
    file_edits *edits = &o->edits[file];
    const char *text = o->rw->flat->files.data[file].text;
    rendering r = {.old = text, .out.arena = o->rw->arena};
    if (edits->count)
        qsort(edits->data, edits->count, sizeof *edits->data, compare_edits);
    render_edits(edits, &r, (range){0, (unsigned)strlen(text)});
    for (size_t i = 0; i < edits->count; i++)
        if (!edits->data[i].is_used)
            refuse_here(o->rw, edits->data[i].flat,
                        hd_format(o->rw->arena, "%s here, in macros that overlap; write this out",
                                  o->rw->task->subject));
    return r;
}

/* ---- names --------------------------------------------------------------------------- */

/* "a/../b" as "b". A name that leads out of the folder begins with "..". */
static const char *normal_path(hd_arena *arena, const char *path) {
    hd_vec(const char *) parts = {0};
    char *copy = hd_strdup(arena, path), *rest = NULL;
    for (char *word = strtok_r(copy, "/", &rest); word; word = strtok_r(NULL, "/", &rest)) {
        bool up = !strcmp(word, "..");
        if (up && parts.count && strcmp(parts.data[parts.count - 1], "..") != 0)
            parts.count--;
        else if (strcmp(word, ".") != 0)
            hd_push(arena, &parts, word);
    }
    hd_str text = {.arena = arena};
    for (size_t i = 0; i < parts.count; i++)
        hd_str_printf(&text, "%s%s", i ? "/" : "", parts.data[i]);
    return hd_str_text(&text);
}

/* Where a header is looked for from the new folder: beside the file that includes it. NULL: it
 * would not be found there. */
static const char *name_of(const rewriter *rw, const flat_node *header) {
    hd_arena *arena = rw->arena;
    if (!header->up)
        return hd_path_name(rw->flat->files.data[0].path);
    const char *outer = name_of(rw, header->up);
    if (!outer || !header->spelling || *header->spelling == '/')
        return NULL;
    const char *name = normal_path(arena, hd_path_beside(arena, outer, header->spelling));
    return strncmp(name, "../", 3) ? name : NULL;
}

static void add_file(output *o, const flat_node *node, const char *name) {
    rewriter *rw = o->rw;
    for (size_t i = 0; i < o->files.count; i++)
        if (!strcmp(o->files.data[i].name, name))
            return;
    const rendering r = rendered(o, node->file);
    hd_rewritten_file file = {.path = rw->flat->files.data[node->file].path,
                              .name = name,
                              .text = hd_str_text(&r.out),
                              .kept = r.kept.data,
                              .kept_count = r.kept.count,
                              .original = rw->flat->files.data[node->file].text,
                              .is_copy = !o->changed[node->file]};
    for (size_t i = 0; i < o->edits[node->file].count; i++) {
        file_edit *e = &o->edits[node->file].data[i];
        file.edit_count += !e->is_added;
        e->is_used = false; /* it may have another name, too */
    }
    hd_push(rw->arena, &o->files, file);
}

/* The file lies where the new folder's names lead from the kernel's own. */
static bool is_below(const rewriter *rw, const flat_node *node) {
    const char *kernel = rw->flat->files.data[0].path, *name = name_of(rw, node);
    return name && hd_same_file(hd_path_beside(rw->arena, kernel, name),
                                rw->flat->files.data[node->file].path);
}

/* A header by "..." that lies beside a file that goes along is found from the new folder by way
 * of that one's old folder. */
static void add_elsewhere(output *o, const flat_node *node) {
    const rewriter *rw = o->rw;
    const char *path = rw->flat->files.data[node->file].path;
    const char *from = rw->flat->files.data[node->up->file].path;
    bool goes = o->changed[node->up->file] || is_below(rw, node->up);
    bool beside = goes && node->spelling && *node->spelling != '/' &&
                  hd_same_file(hd_path_beside(rw->arena, from, node->spelling), path);
    for (size_t i = 0; i < o->elsewhere.count; i++)
        if (!strcmp(o->elsewhere.data[i].path, path))
            return;
    hd_header_elsewhere header = {path, beside ? hd_path_folder(rw->arena, from) : NULL};
    hd_push(rw->arena, &o->elsewhere, header);
}

/* Adds a file, and what it includes; true where something in them changes. */
static bool add_node(output *o, const flat_node *node) {
    rewriter *rw = o->rw;
    bool needed =
        !node->up || (node->kind == FLAT_FILE && node->items.count && o->changed[node->file]);
    for (size_t i = 0; i < node->items.count; i++)
        if (node->items.data[i].node)
            needed |= add_node(o, node->items.data[i].node);
    if (node->kind != FLAT_FILE || (!needed && !node->items.count))
        return needed;
    const char *name = name_of(rw, node);
    if (needed && !name) {
        hd_place use = rw_flat_use(rw->flat, node);
        rw_refuse_at(rw, &use,
                     "the rewritten '%s' could not be found from another folder as it is included; "
                     "include it by \"...\" with a path below the kernel's folder, or with one "
                     "that an -I completes",
                     rw->flat->files.data[node->file].path);
    } else if (needed || is_below(rw, node)) {
        add_file(o, node, name);
    } else {
        add_elsewhere(o, node);
    }
    return needed;
}

/* ---- all of it ----------------------------------------------------------------------- */

static void put_at(output *o, size_t number, const char *path) {
    for (size_t i = number; i < o->files.count; i++)
        if (hd_same_file(o->files.data[i].path, path)) {
            const hd_rewritten_file file = o->files.data[i];
            o->files.data[i] = o->files.data[number];
            o->files.data[number] = file;
            return;
        }
}

void rw_make_files(rewriter *rw, hd_rewritten *result) {
    size_t count = rw->flat->files.count;
    output o = {.rw = rw,
                .edits = hd_new_array(rw->arena, file_edits, count),
                .changed = hd_new_array(rw->arena, bool, count)};
    for (size_t i = 0; i < rw->src.edits.count; i++) {
        const edit *e = &rw->src.edits.data[i];
        if (!rw_is_within(&rw->src.dropped, e->at) && !map_edit(&o, e))
            refuse_here(rw, e->at.begin,
                        hd_format(rw->arena, "%s here, partly by a macro; write it out",
                                  rw->task->subject));
    }
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < o.edits[f].count; i++)
            check_copies(&o, &o.edits[f].data[i], rw->flat->root);
        if (!rw->refusals.count)
            keep_one_each(&o, (unsigned)f);
        o.changed[f] = o.edits[f].count > 0;
    }
    if (!rw->refusals.count)
        add_node(&o, rw->flat->root);
    if (rw->refusals.count)
        return;
    hd_rewritten_file kernel_file = o.files.data[o.files.count - 1];
    o.files.data[o.files.count - 1] = o.files.data[0];
    o.files.data[0] = kernel_file;
    if (rw->all_files) /* which nobody has */
        o.files.data[0] = o.files.data[--o.files.count];
    for (uint32_t i = 0; rw->all_files && i < rw->request->other_count; i++)
        put_at(&o, i, rw->request->others[i]);
    result->files = o.files.data;
    result->file_count = (uint32_t)o.files.count;
    result->elsewhere = o.elsewhere.data;
    result->elsewhere_count = (uint32_t)o.elsewhere.count;
    for (size_t i = 0; i < o.files.count; i++)
        result->edit_count += o.files.data[i].edit_count;
    hd_str options = {.arena = rw->arena};
    for (size_t i = 0; i < o.files.count; i++) {
        const char *folder = hd_path_beside(rw->arena, o.files.data[i].path, ".");
        const char *option = hd_format(rw->arena, "-I '%s' ", folder);
        if (!strstr(hd_str_text(&options), option))
            hd_str_add(&options, option);
    }
    hd_str_add(&options, rw->request->options ? rw->request->options : "");
    result->options = rw_trimmed(rw->arena, hd_str_text(&options));
}

static hd_status parse_again(rewriter *rw, const hd_diag *diag, CXIndex index, const char *path,
                             const char *options) {
    hd_parse_command command;
    hd_status status = rw->task->command(rw->arena, diag, path, options, &command);
    if (status != HD_OK)
        return status;
    CXTranslationUnit unit = rw_clang_parse(index, &command, path, NULL);
    flat again;
    source src;
    bool bad = !unit;
    if (unit) {
        rw_flat_open(&again, rw->arena, path,
                     clang_getFileContents(unit, clang_getFile(unit, path), NULL));
        rw_source_open(&src, &again, unit);
        src.skips_host = rw->is_cuda && !rw->with_host && !rw->task->host_stays;
        bad = rw_clang_errors(&src, diag, HD_EUNSUPPORTED,
                              "the rewritten file would not compile, please report this "
                              "(the line is one of the rewritten text): ");
        if (!bad && rw->task->check)
            bad = rw->task->check(rw, diag, &src) != HD_OK;
        clang_disposeTranslationUnit(unit);
    }
    hd_parse_command_end(&command);
    return bad ? HD_EUNSUPPORTED : HD_OK;
}

hd_status rw_check_files(rewriter *rw, CXIndex index, const hd_rewritten *result) {
    const char *path;
    char *folder;
    hd_status status = hd_scratch_make(rw->arena, rw->diag, &folder);
    if (status != HD_OK)
        return status;
    hd_rewritten_view view = {rw->arena, rw->diag, result, folder};
    const hd_diag diag = {hd_rewritten_tell, &view};
    status = hd_rewritten_store(rw->arena, rw->diag, result, folder, &path);
    if (status == HD_OK)
        status = parse_again(rw, &diag, index, path, result->options);
    hd_scratch_remove(folder);
    return status;
}
