/*
 * The tokens of the flat text, positions in it, and edits of it.
 *
 * All edits are made on the flat text by byte ranges, so whatever is not edited stays byte
 * for byte. An edit's replacement is a list of parts, some of them ranges of the old text;
 * these are rendered with the edits that lie in them (output.c). So an index that holds an
 * access itself needs no special care:
 *
 *     p[q[i].next].x      edit of the whole:  "(*R_x(p_ref, "  q[i].next  "))"
 *       q[i].next         edit inside:        "(*R_next(q_ref, "  i  "))"
 *                         rendered:  (*R_x(p_ref, (*R_next(q_ref, i))))
 *
 * Positions come from libclang. Where macros are in play it reports several; this file
 * decides what text a cursor stands for (rw_range_of), and callers check the tokens there,
 * so that no edit ever takes the use of a macro for what it stands for.
 */
#include "internal.h"

/* ---- tokens ------------------------------------------------------------------ */

void rw_source_open(source *src, flat *text, CXTranslationUnit unit) {
    *src = (source){.arena = text->arena, .flat = text, .path = text->files.data[0].path};
    src->text = text->text;
    src->length = text->length;
    src->unit = unit;
    src->file = clang_getFile(unit, src->path);
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

bool rw_token_is(const source *src, size_t index, const char *text) {
    if (index >= src->token_count)
        return false;
    range at = src->tokens[index].at;
    return at.end - at.begin == strlen(text) && !memcmp(src->text + at.begin, text, strlen(text));
}

const char *rw_token_text(const source *src, size_t index) {
    if (index >= src->token_count)
        return "";
    range at = src->tokens[index].at;
    return hd_strndup(src->arena, src->text + at.begin, at.end - at.begin);
}

size_t rw_token_from(const source *src, unsigned offset) {
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

size_t rw_token_at(const source *src, unsigned offset) {
    size_t t = rw_token_from(src, offset);
    return t < src->token_count && src->tokens[t].at.begin == offset ? t : src->token_count;
}

size_t rw_token_ending(const source *src, unsigned offset) {
    size_t next = rw_token_from(src, offset);
    return next && src->tokens[next - 1].at.end == offset ? next - 1 : src->token_count;
}

size_t rw_token_matching(const source *src, size_t open) {
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

size_t rw_angle_matching(const source *src, size_t open, size_t end) {
    int depth = 0;
    for (size_t t = open; t < end && t < src->token_count; t++) {
        depth += rw_token_is(src, t, "<");
        depth -= rw_token_is(src, t, ">") + 2 * rw_token_is(src, t, ">>");
        if (depth <= 0)
            return t;
        if (strchr("([{", src->text[src->tokens[t].at.begin]))
            t = rw_token_matching(src, t);
    }
    return open;
}

bool rw_source_has_name(const source *src, const char *name) {
    for (size_t i = 0; i < src->token_count; i++)
        if (src->tokens[i].is_name && rw_token_is(src, i, name))
            return true;
    return false;
}

bool rw_has_token(const source *src, range at, const char *text) {
    for (size_t t = rw_token_from(src, at.begin);
         t < src->token_count && src->tokens[t].at.begin < at.end; t++)
        if (rw_token_is(src, t, text))
            return true;
    return false;
}

/* ---- positions --------------------------------------------------------------- */

bool rw_offset_of(const source *src, CXSourceLocation location, unsigned *offset) {
    CXFile file;
    clang_getFileLocation(location, &file, NULL, NULL, offset);
    return file && clang_File_isEqual(file, src->file);
}

unsigned rw_macro_use_end(const source *src, unsigned offset) {
    size_t name = rw_token_from(src, offset);
    if (!rw_token_is(src, name + 1, "("))
        return name < src->token_count ? src->tokens[name].at.end : offset;
    size_t close = rw_token_matching(src, name + 1);
    return close < src->token_count ? src->tokens[close].at.end : offset;
}

/* A location inside an argument of a macro has its own place in the file and
 * another one as expansion. When only one end of a cursor lies in an argument,
 * or the ends in different macros, that end is widened to the whole macro use. */
bool rw_range_of(const source *src, CXCursor cursor, range *result) {
    CXSourceRange extent = clang_getCursorExtent(cursor);
    CXSourceLocation start = clang_getRangeStart(extent), stop = clang_getRangeEnd(extent);
    if (!rw_offset_of(src, start, &result->begin) || !rw_offset_of(src, stop, &result->end))
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
            result->end = rw_macro_use_end(src, stop_macro);
    }
    return result->begin < result->end;
}

hd_place rw_place_of(const source *src, CXSourceLocation location) {
    CXFile file;
    unsigned line, column, offset;
    clang_getFileLocation(location, &file, &line, &column, &offset);
    if (file && clang_File_isEqual(file, src->file))
        return rw_flat_place(src->flat, offset);
    hd_place place = {.file = src->path, .line = line, .column = column};
    if (!file)
        return place;
    place.file = hd_clang_text(src->arena, clang_getFileName(file));
    const char *text = clang_getFileContents(src->unit, file, NULL);
    place.text = text ? hd_line_of(src->arena, text, line) : NULL;
    return place;
}

unsigned rw_line_end(const source *src, unsigned offset) {
    const char *rest = src->text + offset;
    size_t length = strcspn(rest, "\n");
    size_t next = rw_token_from(src, offset);
    if (next < src->token_count && src->tokens[next].at.begin < offset + length)
        return offset;
    const char *comment = strstr(rest, "/*");
    if (comment && comment < rest + length) {
        const char *close = strstr(comment, "*/");
        if (!close || close > rest + length)
            return offset;
    }
    return offset + (unsigned)length;
}

void rw_draft_text(rewriter *rw, draft *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    part p = {.text = hd_vformat(rw->arena, format, args)};
    va_end(args);
    hd_push(rw->arena, d, p);
}

void rw_draft_old(rewriter *rw, draft *d, range old) {
    if (old.begin < old.end)
        hd_push(rw->arena, d, (part){.old = old});
}

void rw_edit(rewriter *rw, range at, const draft *d) {
    hd_push(rw->arena, &rw->src.edits, (edit){.at = at, .parts = *d});
}

void rw_edit_text(rewriter *rw, range at, const char *text) {
    draft d = {0};
    rw_draft_text(rw, &d, "%s", text);
    rw_edit(rw, at, &d);
}

void rw_edit_insert(rewriter *rw, unsigned offset, const char *text) {
    for (size_t i = 0; i < rw->src.edits.count; i++) {
        edit *other = &rw->src.edits.data[i];
        if (other->is_added && other->at.begin == offset) {
            rw_draft_text(rw, &other->parts, "%s", text);
            return;
        }
    }
    edit e = {.at = {offset, offset}, .is_added = true};
    rw_draft_text(rw, &e.parts, "%s", text);
    hd_push(rw->arena, &rw->src.edits, e);
}
