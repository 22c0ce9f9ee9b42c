/*
 * A module of PTX: its directives, variables and functions.
 *
 * A .version within a text begins another part: modules that were compiled apart, one behind the
 * other, are linked by reading them (link.c).
 */
#include "frontend/ptx/ptx_reader.h"
#include "heddle/ptx.h"

/* sampling/sample_texture.c, compiled when this is built. */
static const char sampling[] = {
#include <sampling.inc>
};

enum { VERSION_LEAST = 3, VERSION_MOST = HD_PTX_VERSION_MOST };

/* ---- the head of a text ---------------------------------------------------------------------- */

/* "7.5" of the text that a float was made of. */
static void read_version(ptx_reader *r) {
    const ptx_token number = r->now;
    uint32_t parts[2] = {0, 0}, part = 0, digits = 0;
    for (uint32_t i = 0; i < number.length && part < 2; i++) {
        const char c = number.at[i];
        if (c == '.')
            part++;
        else if (c >= '0' && c <= '9' && ++digits < 8)
            parts[part] = parts[part] * 10 + (uint32_t)(c - '0');
        else
            part = 2;
    }
    if (number.kind != PTX_TOKEN_FLOAT || part != 1) {
        ptx_misread(r, &number, "expected a version of PTX, such as 8.0, before %s",
                    ptx_spell(r, &number));
        return;
    }
    if (parts[0] < VERSION_LEAST || parts[0] > VERSION_MOST)
        ptx_not_taken(r, &number,
                      "PTX of version %u.%u is not supported, only %d.0 to %d.x; compile for "
                      "such a version",
                      parts[0], parts[1], VERSION_LEAST, VERSION_MOST);
    ptx_next(r);
}

/* sm_80, debug */
static void read_target(ptx_reader *r) {
    do {
        const ptx_token name = ptx_expect_name(r, "a target, such as sm_80,");
        if (!r->status && !r->module->target && !strncmp(ptx_text(r, &name), "sm_", 3))
            r->module->target = ptx_text(r, &name);
    } while (ptx_accept_mark(r, ','));
}

/* ---- functions ------------------------------------------------------------------------------- */

static void read_threads(ptx_reader *r, uint32_t sizes[3]) {
    uint32_t given = 0;
    do
        sizes[given++] = (uint32_t)ptx_read_count(r, UINT32_MAX);
    while (given < 3 && ptx_accept_mark(r, ','));
    for (; given < 3; given++)
        sizes[given] = 1;
}

/* What may stand between the parameters and the body. */
static bool read_property(ptx_reader *r, ptx_function *f) {
    const ptx_token word = r->now;
    if (word.kind != PTX_TOKEN_DOT)
        return false;
    if (word.name == PTX_KEY_PRAGMA) {
        ptx_read_pragma(r);
        return true;
    }
    ptx_next(r);
    switch (word.name) {
    case PTX_KEY_ATTRIBUTE: ptx_skip_attribute(r); break;
    case PTX_KEY_MAXNTID: read_threads(r, f->most_threads); break;
    case PTX_KEY_REQNTID: read_threads(r, f->required_threads); break;
    case PTX_KEY_REQNCTAPERCLUSTER: read_threads(r, f->required_cluster); break;
    case PTX_KEY_NORETURN:
    case PTX_KEY_EXPLICITCLUSTER: break;
    case PTX_KEY_BLOCKSARECLUSTERS: f->counts_clusters = true; break;
    case PTX_KEY_MINNCTAPERSM: /* of registers and multiprocessors: nothing that a result shows */
    case PTX_KEY_MAXNCTAPERSM:
    case PTX_KEY_MAXNREG:
    case PTX_KEY_LOCAL_MAXNREG:
    case PTX_KEY_MAXCLUSTERRANK:
    case PTX_KEY_ABI_PRESERVE:
    case PTX_KEY_ABI_PRESERVE_CONTROL: ptx_read_count(r, UINT32_MAX); break;
    default: ptx_not_taken(r, &word, "%s is not supported for a function", ptx_spell(r, &word));
    }
    return true;
}

/* .func (results) name (parameters) properties { or ; */
static void read_function(ptx_reader *r, ptx_linkage linkage, bool is_entry) {
    ptx_function f = {.linkage = linkage, .is_entry = is_entry};
    r->renamed = 0;
    ptx_open_scope(r);
    while (ptx_accept_key(r, PTX_KEY_ATTRIBUTE))
        ptx_skip_attribute(r);
    if (ptx_is_mark(r, '(') && !is_entry)
        ptx_read_params(r, &f.results, &f.result_count);
    const ptx_token name = ptx_expect_name(r, "the name of a function");
    f.name = ptx_text(r, &name);
    f.place = name.place;
    if (ptx_is_mark(r, '('))
        ptx_read_params(r, &f.params, &f.param_count);
    while (read_property(r, &f))
        ;
    if (ptx_accept_mark(r, '{'))
        ptx_read_body(r, &f);
    else if (!ptx_accept_mark(r, ';'))
        ptx_misread(r, &r->now, "expected '{' or ';' before %s", ptx_spell(r, &r->now));
    ptx_close_scope(r);
    ptx_add_function(r, &name, &f);
}

/* The function that an alias stands for may be defined behind it. */
static void settle_aliases(ptx_reader *r) {
    for (size_t i = 0; i < r->aliases.count && !r->status; i++) {
        const ptx_alias *a = &r->aliases.data[i];
        const uint32_t number = r->names.data[a->function.name].function;
        if (!number || !r->functions.data[number - 1].has_body) {
            ptx_misread(r, &a->function, "%s is no function with a body, so it has no other name",
                        ptx_spell(r, &a->function));
            return;
        }
        ptx_function copy = r->functions.data[number - 1];
        copy.name = ptx_text(r, &a->alias);
        copy.place = a->alias.place;
        const uint32_t declared = r->names.data[a->alias.name].function;
        if (declared)
            copy.linkage = r->functions.data[declared - 1].linkage;
        ptx_add_function(r, &a->alias, &copy);
    }
}

/* ---- the module --------------------------------------------------------------------------------- */

/* .visible, .extern and the like, of which there is one. */
static ptx_linkage read_linkage(ptx_reader *r) {
    ptx_linkage linkage = PTX_INTERNAL;
    for (;;)
        if (ptx_accept_key(r, PTX_KEY_EXTERN))
            linkage = PTX_EXTERN;
        else if (ptx_accept_key(r, PTX_KEY_VISIBLE))
            linkage = PTX_VISIBLE;
        else if (ptx_accept_key(r, PTX_KEY_WEAK))
            linkage = PTX_WEAK;
        else if (ptx_accept_key(r, PTX_KEY_COMMON))
            linkage = PTX_COMMON;
        else
            return linkage;
}

static void read_linked(ptx_reader *r) {
    const ptx_linkage linkage = read_linkage(r);
    if (ptx_accept_key(r, PTX_KEY_FUNC))
        read_function(r, linkage, false);
    else if (ptx_accept_key(r, PTX_KEY_ENTRY)) /* the host sees every one */
        read_function(r, linkage ? linkage : PTX_VISIBLE, true);
    else
        ptx_read_variables(r, linkage, ptx_add_variable);
}

static void read_directive(ptx_reader *r) {
    switch (r->now.name) {
    case PTX_KEY_TARGET:
        ptx_next(r);
        read_target(r);
        break;
    case PTX_KEY_ADDRESS_SIZE:
        ptx_next(r);
        const ptx_token here = r->now;
        if (ptx_read_count(r, UINT32_MAX) != 64)
            ptx_not_taken(r, &here,
                          "addresses of %s bits are not supported, only of 64; compile with "
                          "-m64",
                          ptx_spell(r, &here));
        break;
    case PTX_KEY_ALIAS:
        ptx_next(r);
        /* .alias name, function; */
        ptx_alias alias = {.alias = ptx_expect_name(r, "the name of a function")};
        ptx_expect_mark(r, ',');
        alias.function = ptx_expect_name(r, "the name of a function");
        ptx_expect_mark(r, ';');
        hd_push(r->scratch, &r->aliases, alias);
        break;
    case PTX_KEY_FILE: ptx_read_file(r); break;
    case PTX_KEY_LOC: ptx_read_loc(r); break;
    case PTX_KEY_SECTION: ptx_read_section(r); break;
    case PTX_KEY_PRAGMA: ptx_read_pragma(r); break;
    case PTX_KEY_VISIBLE:
    case PTX_KEY_WEAK:
    case PTX_KEY_EXTERN:
    case PTX_KEY_COMMON:
    case PTX_KEY_FUNC:
    case PTX_KEY_ENTRY:
    case PTX_KEY_CONST:
    case PTX_KEY_GLOBAL:
    case PTX_KEY_SHARED:
    case PTX_KEY_ATTRIBUTE:
    case PTX_KEY_ALIGN: read_linked(r); break;
    default: ptx_not_taken(r, &r->now, "%s is not supported in a module", ptx_spell(r, &r->now));
    }
}

static void read_statement(ptx_reader *r) {
    if (r->now.kind == PTX_TOKEN_DOT)
        read_directive(r);
    else if (ptx_is_mark(r, PTX_MARK2('@', '@'))) { /* @@DWARF ..., of compilers before CUDA 3 */
        const uint32_t line = r->now.place.line;
        while (r->now.kind != PTX_TOKEN_END && r->now.place.line == line)
            ptx_next(r);
    } else
        ptx_misread(r, &r->now, "expected a directive, such as .visible, before %s",
                    ptx_spell(r, &r->now));
}

static void keep_module(ptx_reader *r) {
    ptx_module *m = r->module;
    ptx_name_symbols(r);
    PTX_KEEP(r, &r->files, m->files, m->file_count);
    PTX_KEEP(r, &r->variables, m->variables, m->variable_count);
    PTX_KEEP(r, &r->functions, m->functions, m->function_count);
}

/* From its .version on, up to the next one or the end. */
static void read_part(ptx_reader *r) {
    ptx_module *m = r->module;
    const char *target = m->target;
    m->target = NULL;
    r->source = NULL;
    ptx_next(r);
    read_version(r);
    while (!r->status && r->now.kind != PTX_TOKEN_END && !ptx_is_key(r, PTX_KEY_VERSION))
        read_statement(r);
    if (!r->status && !m->target)
        ptx_misread(r, &r->now, "there is no .target in this text, such as .target sm_80");
    m->target = target ? target : m->target;
    settle_aliases(r);
    ptx_check_files(r);
    ptx_end_part(r);
}

/* What instructions of textures call, as one more part. */
static void read_sampling(ptx_reader *r) {
    r->text = r->at = r->line_start = sampling;
    r->end = sampling + sizeof sampling;
    r->line = 1;
    ptx_next(r);
    read_part(r);
}

hd_status ptx_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
                    size_t length, ptx_module **module) {
    const char *zero = length ? memchr(text, 0, length) : NULL;
    *module = NULL;
    if (zero) {
        const hd_place place = hd_place_in(arena, path, text, (size_t)(zero - text));
        return hd_fail(diag, HD_EINPUT, &place,
                       "there is a zero byte here; this is no text of PTX");
    }
    if (length > HD_TEXT_MOST)
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                       "this text is longer than 256 MiB");
    hd_arena *scratch = hd_arena_new();
    ptx_reader *r = hd_new(scratch, ptx_reader);
    *r = (ptx_reader){.arena = arena,
                      .scratch = scratch,
                      .diag = diag,
                      .path = hd_strdup(arena, path),
                      .text = text,
                      .end = text + length,
                      .numbers = {.arena = scratch, .key_bytes = HD_TEXT_KEYS},
                      .places = {.arena = scratch, .key_bytes = 3 * sizeof(uint32_t)},
                      .used_files = {.arena = scratch},
                      .module = hd_new(arena, ptx_module)};
    r->module->path = r->path;
    hd_push(r->scratch, &r->files, r->path);
    ptx_lex_begin(r);
    if (!ptx_is_key(r, PTX_KEY_VERSION))
        ptx_misread(r, &r->now, "expected .version before %s: PTX starts with it",
                    ptx_spell(r, &r->now));
    for (; !r->status && ptx_is_key(r, PTX_KEY_VERSION); r->part++)
        read_part(r);
    if (!r->status && r->samples)
        read_sampling(r);
    if (!r->status)
        keep_module(r);
    const hd_status status = r->status;
    if (status == HD_OK)
        *module = r->module;
    hd_arena_free(scratch);
    return status;
}
