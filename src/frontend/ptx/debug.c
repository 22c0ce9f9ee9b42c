/* Where things come from: .file and .loc. Sections are passed over. */
#include "frontend/ptx/ptx_reader.h"

enum { FILES_MOST = 1 << 20, INLINED_MOST = 64 };

/* A string's characters; \\ and \" are one each, \123 is an octal number. */
static const char *unescape(ptx_reader *r, const ptx_token *string) {
    hd_str text = {.arena = r->arena};
    hd_str_add(&text, "");
    for (uint32_t i = 0; i < string->length; i++) {
        char c = string->at[i];
        if (c == '\\' && i + 1 < string->length) {
            unsigned code = 0, digits = 0;
            for (; digits < 3 && i + 1 < string->length && string->at[i + 1] >= '0' &&
                   string->at[i + 1] <= '7';
                 digits++)
                code = code * 8 + (unsigned)(string->at[++i] - '0');
            c = digits && code ? (char)code : digits ? '?' : string->at[++i];
        }
        hd_str_addn(&text, &c, 1);
    }
    return hd_str_text(&text);
}

/* .file 1 "name", time, size */
void ptx_read_file(ptx_reader *r) {
    ptx_next(r);
    const uint64_t number = ptx_read_count(r, FILES_MOST);
    const ptx_token name = r->now;
    if (name.kind != PTX_TOKEN_STRING)
        ptx_misread(r, &name, "expected the name of a file in quotes before %s",
                    ptx_spell(r, &name));
    ptx_next(r);
    while (ptx_accept_mark(r, ','))
        ptx_read_integer(r);
    if (r->status || !number)
        return;
    while (r->files.count <= r->first_file + number)
        hd_push(r->scratch, &r->files, NULL);
    r->files.data[r->first_file + number] = unescape(r, &name);
}

/* ---- .loc ----------------------------------------------------------------------------------- */

static ptx_source read_place(ptx_reader *r) {
    ptx_source place = {0};
    const ptx_token file = r->now;
    place.file = (uint32_t)ptx_read_count(r, FILES_MOST);
    place.line = (uint32_t)ptx_read_count(r, UINT32_MAX);
    place.column = (uint32_t)ptx_read_count(r, UINT32_MAX);
    if (!r->status &&
        hd_hash_add(&r->used_files, place.file, r->file_uses.count) == r->file_uses.count)
        hd_push(r->scratch, &r->file_uses, file);
    place.file += place.file ? r->first_file : 0;
    return place;
}

/* The .loc that said this place last: it knows what it was inlined at itself. */
static ptx_located inlined_at(ptx_reader *r, const ptx_source *place) {
    uint64_t known = hd_hash_get_key(&r->places, place);
    if (known != HD_NO_VALUE && r->sources.data[known].depth < INLINED_MOST)
        return r->sources.data[known];
    ptx_source *plain = hd_new(r->arena, ptx_source);
    *plain = *place;
    return (ptx_located){plain, 0};
}

static void remember(ptx_reader *r, const ptx_source *source, uint32_t depth) {
    const ptx_located now = {source, depth};
    uint64_t known = hd_hash_add_key(&r->places, source, r->sources.count);
    if (known == r->sources.count)
        hd_push(r->scratch, &r->sources, now);
    else
        r->sources.data[known] = now;
}

/* function_name label + 4, in .debug_str; the label may be .debug_str itself. */
static void skip_function_name(ptx_reader *r) {
    if (r->now.kind != PTX_TOKEN_DOT && r->now.kind != PTX_TOKEN_WORD)
        ptx_misread(r, &r->now, "expected a label of .debug_str before %s", ptx_spell(r, &r->now));
    ptx_next(r);
    ptx_read_addend(r);
}

void ptx_read_loc(ptx_reader *r) {
    uint32_t depth = 0;
    ptx_next(r);
    ptx_source place = read_place(r);
    while (ptx_accept_mark(r, ',')) {
        if (ptx_accept_key(r, PTX_KEY_FUNCTION_NAME))
            skip_function_name(r);
        else if (ptx_accept_key(r, PTX_KEY_INLINED_AT)) {
            const ptx_source outer = read_place(r);
            const ptx_located at = inlined_at(r, &outer);
            place.inlined_at = at.source;
            depth = at.depth + 1;
        } else
            ptx_misread(r, &r->now, "expected function_name or inlined_at before %s",
                        ptx_spell(r, &r->now));
    }
    ptx_source *source = hd_new(r->arena, ptx_source);
    *source = place;
    r->source = source;
    if (r->scopes.count)
        remember(r, source, depth);
}

void ptx_check_files(ptx_reader *r) {
    for (size_t i = 0; i < r->file_uses.count; i++) {
        const ptx_token *use = &r->file_uses.data[i];
        const uint64_t number = (uint64_t)use->integer, at = r->first_file + number;
        if (number && (at >= r->files.count || !r->files.data[at]))
            ptx_misread(r, use, "there is no .file %s in this text", ptx_spell(r, use));
    }
    r->file_uses.count = 0;
    r->used_files = (hd_hash_table){.arena = r->scratch};
    r->first_file = (uint32_t)r->files.count - 1;
    for (size_t f = 0; f < r->files.count; f++)
        if (!r->files.data[f])
            r->files.data[f] = r->path;
}

/* ---- .section, .pragma -------------------------------------------------------------------- */

void ptx_read_section(ptx_reader *r) {
    ptx_next(r);
    const ptx_token name = r->now;
    if (name.kind != PTX_TOKEN_DOT && name.kind != PTX_TOKEN_WORD)
        ptx_misread(r, &name, "expected the name of a section before %s", ptx_spell(r, &name));
    ptx_next(r);
    ptx_expect_mark(r, '{');
    while (!ptx_is_mark(r, '}') && r->now.kind != PTX_TOKEN_END)
        ptx_next(r);
    if (r->now.kind == PTX_TOKEN_END)
        ptx_misread(r, &r->now, "the text ends within section %s; a '}' is missing",
                    ptx_spell(r, &name));
    ptx_next(r);
}

/* .pragma "nounroll"; advice alone. */
void ptx_read_pragma(ptx_reader *r) {
    ptx_next(r);
    do {
        if (r->now.kind != PTX_TOKEN_STRING)
            ptx_misread(r, &r->now, "expected a string before %s", ptx_spell(r, &r->now));
        ptx_next(r);
    } while (ptx_accept_mark(r, ','));
    ptx_expect_mark(r, ';');
}
