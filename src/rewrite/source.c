/*
 * The text of the kernel file, its tokens, and edits of it.
 *
 * All edits are made on the original text by byte ranges, so whatever is not
 * edited stays byte for byte. An edit's replacement is a list of parts, some of
 * them ranges of the old text; these are rendered with the edits that lie in
 * them. So an index that holds an access itself needs no special care:
 *
 *     p[q[i].next].x      edit of the whole:  "(*R_x(p_ref, "  q[i].next  "))"
 *       q[i].next         edit inside:        "(*R_next(q_ref, "  i  "))"
 *                         rendered:  (*R_x(p_ref, (*R_next(q_ref, i))))
 *
 * An edit that lies in another one, but in none of its old parts, would be lost
 * or tear a word apart: rendering counts what it used and fails.
 *
 * Positions come from libclang. Where macros are in play it reports several;
 * this file decides what text a cursor stands for (hd_range_of), and callers
 * check the tokens there, so that no edit ever lands in a macro's body.
 */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

/* ---- tokens ------------------------------------------------------------------ */

static void read_tokens(source *src) {
    CXSourceLocation begin = clang_getLocationForOffset(src->unit, src->file, 0);
    CXSourceLocation end = clang_getLocationForOffset(src->unit, src->file, (unsigned)src->length);
    CXToken *all = NULL;
    unsigned count = 0;
    clang_tokenize(src->unit, clang_getRange(begin, end), &all, &count);
    src->tokens = hd_new_array(src->arena, token, count + 1);
    for (unsigned i = 0; i < count; i++) {
        CXTokenKind kind = clang_getTokenKind(all[i]);
        if (kind == CXToken_Comment)
            continue;
        CXSourceRange extent = clang_getTokenExtent(src->unit, all[i]);
        token *t = &src->tokens[src->token_count++];
        clang_getFileLocation(clang_getRangeStart(extent), NULL, NULL, NULL, &t->at.begin);
        clang_getFileLocation(clang_getRangeEnd(extent), NULL, NULL, NULL, &t->at.end);
        t->is_name = kind == CXToken_Identifier || kind == CXToken_Keyword;
    }
    clang_disposeTokens(src->unit, all, count);
}

void hd_source_open(source *src, hd_arena *arena, const char *path, const char *text,
                    CXTranslationUnit unit) {
    *src = (source){.arena = arena, .path = path, .text = text, .length = strlen(text)};
    src->unit = unit;
    src->file = clang_getFile(unit, path);
    read_tokens(src);
}

bool hd_token_is(const source *src, size_t index, const char *text) {
    if (index >= src->token_count)
        return false;
    range at = src->tokens[index].at;
    return at.end - at.begin == strlen(text) && !memcmp(src->text + at.begin, text, strlen(text));
}

const char *hd_token_text(const source *src, size_t index) {
    if (index >= src->token_count)
        return "";
    range at = src->tokens[index].at;
    return hd_strndup(src->arena, src->text + at.begin, at.end - at.begin);
}

size_t hd_token_from(const source *src, unsigned offset) {
    size_t low = 0, high = src->token_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (src->tokens[middle].at.begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t hd_token_ending(const source *src, unsigned offset) {
    size_t next = hd_token_from(src, offset);
    return next && src->tokens[next - 1].at.end == offset ? next - 1 : src->token_count;
}

size_t hd_token_matching(const source *src, size_t open) {
    int depth = 0;
    for (size_t i = open; i < src->token_count; i++) {
        char c = src->text[src->tokens[i].at.begin];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i;
    }
    return src->token_count;
}

bool hd_source_has_name(const source *src, const char *name) {
    for (size_t i = 0; i < src->token_count; i++)
        if (src->tokens[i].is_name && hd_token_is(src, i, name))
            return true;
    return false;
}

/* ---- positions --------------------------------------------------------------- */

bool hd_offset_of(const source *src, CXSourceLocation location, unsigned *offset) {
    CXFile file;
    clang_getFileLocation(location, &file, NULL, NULL, offset);
    return file && clang_File_isEqual(file, src->file);
}

/* The end of the macro use whose name stands at `offset`. */
static unsigned end_of_macro_use(const source *src, unsigned offset) {
    size_t name = hd_token_from(src, offset);
    if (!hd_token_is(src, name + 1, "("))
        return name < src->token_count ? src->tokens[name].at.end : offset;
    size_t close = hd_token_matching(src, name + 1);
    return close < src->token_count ? src->tokens[close].at.end : offset;
}

/* A location inside an argument of a macro has its own place in the file and
 * another one as expansion. When only one end of a cursor lies in an argument,
 * or the ends in different macros, that end is widened to the whole macro use. */
bool hd_range_of(const source *src, CXCursor cursor, range *result) {
    CXSourceRange extent = clang_getCursorExtent(cursor);
    CXSourceLocation start = clang_getRangeStart(extent), stop = clang_getRangeEnd(extent);
    if (!hd_offset_of(src, start, &result->begin) || !hd_offset_of(src, stop, &result->end))
        return false;
    unsigned start_macro, stop_macro;
    clang_getExpansionLocation(start, NULL, NULL, NULL, &start_macro);
    clang_getExpansionLocation(stop, NULL, NULL, NULL, &stop_macro);
    bool start_is_argument = start_macro != result->begin;
    bool stop_is_argument = stop_macro != result->end;
    if (!(start_is_argument && stop_is_argument && start_macro == stop_macro)) {
        if (start_is_argument)
            result->begin = start_macro;
        if (stop_is_argument)
            result->end = end_of_macro_use(src, stop_macro);
    }
    return result->begin < result->end;
}

hd_place hd_place_of(const source *src, CXSourceLocation location) {
    CXFile file;
    unsigned line, column;
    clang_getFileLocation(location, &file, &line, &column, NULL);
    hd_place place = {.file = src->path, .line = line, .column = column};
    const char *text = src->text;
    if (!file)
        return place;
    if (!clang_File_isEqual(file, src->file)) {
        CXString name = clang_getFileName(file);
        place.file = hd_strdup(src->arena, clang_getCString(name));
        clang_disposeString(name);
        text = clang_getFileContents(src->unit, file, NULL);
    }
    place.text = text ? hd_line_of(src->arena, text, line) : NULL;
    return place;
}

/* ---- edits --------------------------------------------------------------------- */

edit *hd_edit_new(source *src, range at) {
    hd_push(src->arena, &src->edits, (edit){.at = at});
    return &src->edits.data[src->edits.count - 1];
}

void hd_edit_text(source *src, edit *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    part p = {.text = hd_vformat(src->arena, format, args)};
    va_end(args);
    hd_push(src->arena, &e->parts, p);
}

void hd_edit_old(source *src, edit *e, range old) {
    hd_push(src->arena, &e->parts, (part){.old = old});
}

static bool same_edit(const edit *a, const edit *b) {
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

/* Ends the newest edit. An argument that a macro uses twice is seen twice; the
 * second edit of it must be the first one again. */
void hd_edit_done(source *src) {
    const edit *newest = &src->edits.data[src->edits.count - 1];
    for (size_t i = 0; i + 1 < src->edits.count; i++) {
        const edit *e = &src->edits.data[i];
        if (e->at.begin != newest->at.begin || e->at.end != newest->at.end)
            continue;
        if (!same_edit(e, newest))
            src->has_conflict = true;
        src->edits.count--;
        return;
    }
}

/* In order of their start; insertions first, then the outermost. */
static int compare_edits(const void *left, const void *right) {
    const edit *a = left, *b = right;
    if (a->at.begin != b->at.begin)
        return a->at.begin < b->at.begin ? -1 : 1;
    bool a_inserts = a->at.end == a->at.begin, b_inserts = b->at.end == b->at.begin;
    if (a_inserts != b_inserts)
        return a_inserts ? -1 : 1;
    return a->at.end == b->at.end ? 0 : a->at.end > b->at.end ? -1 : 1;
}

static void render(source *src, hd_str *out, range old) {
    unsigned done = old.begin;
    for (size_t i = 0; i < src->edits.count; i++) {
        edit *e = &src->edits.data[i];
        if (e->at.begin < done || e->at.end > old.end || e->is_used)
            continue;
        hd_str_addn(out, src->text + done, e->at.begin - done);
        e->is_used = true;
        for (size_t p = 0; p < e->parts.count; p++) {
            if (e->parts.data[p].text)
                hd_str_add(out, e->parts.data[p].text);
            else
                render(src, out, e->parts.data[p].old);
        }
        done = e->at.end;
    }
    hd_str_addn(out, src->text + done, old.end - done);
}

const char *hd_source_render(source *src) {
    hd_str out = {.arena = src->arena};
    if (src->edits.count)
        qsort(src->edits.data, src->edits.count, sizeof *src->edits.data, compare_edits);
    render(src, &out, (range){0, (unsigned)src->length});
    for (size_t i = 0; i < src->edits.count; i++)
        if (!src->edits.data[i].is_used)
            return NULL;
    return src->has_conflict ? NULL : hd_str_text(&out);
}
