/*
 * Device profiles in YAML: one file for each device, every figure with its
 * source, because a figure that nobody can check is worth little.
 *
 *     title: NVIDIA Tesla M2050
 *     warp: {value: 32, source: "CUDA C Programming Guide"}
 *     l1:   {size: 64k, line: 128, source: "Peng et al., table II"}
 *     w:    {l1: 1, l2: 30, dram: 100, source: "Peng et al., section IV-C"}
 *
 * libcyaml checks the structure against the schema below and keeps every value
 * as text; the values are then read by the table that the synthetic form uses.
 * What libcyaml has to complain about comes through its log. It is caught here,
 * with the place, and said in our own words.
 */
#include <cyaml/cyaml.h>
#include <stdio.h>

#include "device/internal.h"

/* ---- the schema ----------------------------------------------------------- */

/* A figure as text. Which members are set depends on its kind. */
typedef struct figure_text {
    char *parts[HD_MAX_PARTS];
    char *source;
} figure_text;

typedef struct profile_text {
    char *title;
    figure_text figures[HD_FIGURES]; /* as in hd_figures */
} profile_text;

#define TEXT(key, type, member)                                                                    \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, type, member, 1, CYAML_UNLIMITED)
#define PART(key, index) TEXT(key, figure_text, parts[index])

static const cyaml_schema_field_t number_schema[] = {
    PART("value", 0), TEXT("source", figure_text, source), CYAML_FIELD_END};
static const cyaml_schema_field_t cache_schema[] = {
    PART("size", 0), PART("line", 1), TEXT("source", figure_text, source), CYAML_FIELD_END};
static const cyaml_schema_field_t weights_schema[] = {PART("l1", 0), PART("l2", 1), PART("dram", 2),
                                                      TEXT("source", figure_text, source),
                                                      CYAML_FIELD_END};

#define FIGURE(key, index, schema)                                                                 \
    CYAML_FIELD_MAPPING(key, CYAML_FLAG_DEFAULT, profile_text, figures[index], schema)
#define OPTIONAL_FIGURE(key, index, schema)                                                        \
    CYAML_FIELD_MAPPING(key, CYAML_FLAG_OPTIONAL, profile_text, figures[index], schema)

/* clang-format off */
static const cyaml_schema_field_t profile_schema[] = {
    TEXT("title", profile_text, title),
    FIGURE("warp", 0, number_schema),
    FIGURE("l1", 1, cache_schema),
    FIGURE("l2", 2, cache_schema),
    FIGURE("w", 3, weights_schema),
    FIGURE("blocks", 4, number_schema),
    FIGURE("threads", 5, number_schema),
    FIGURE("regs", 6, number_schema),
    FIGURE("segment", 7, number_schema),
    FIGURE("maxregs", 8, number_schema),
    FIGURE("sms", 9, number_schema),
    OPTIONAL_FIGURE("coalescing", 10, number_schema),
    CYAML_FIELD_END,
};
/* clang-format on */
static const cyaml_schema_value_t document_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, profile_text, profile_schema)};

/* ---- what libcyaml complains about ----------------------------------------- */

enum { MAX_DEPTH = 4 };

/* The message, and the entries of the backtrace after it, innermost first. */
typedef struct complaint {
    hd_arena *arena;
    const char *text;
    const char *fields[MAX_DEPTH]; /* NULL: inside a mapping, at no field of it */
    int depth;
    unsigned line, column;
} complaint;

static void hear(cyaml_log_t level, void *context, const char *format, va_list args) {
    complaint *c = context;
    char *text = hd_vformat(c->arena, format, args);
    text[strcspn(text, "\n")] = '\0';
    const char *after = strstr(text, ": ");
    unsigned line, column;
    const char *place = strstr(text, "(line: ");
    if (level < CYAML_LOG_ERROR)
        return;
    if (!c->text) {
        c->text = after ? after + 2 : text;
        return;
    }
    if (!place || sscanf(place, "(line: %u, column: %u)", &line, &column) != 2)
        return;
    if (!c->line) {
        c->line = line;
        c->column = column;
    }
    const char *quote = strchr(text, '\'');
    if (c->depth < MAX_DEPTH)
        c->fields[c->depth++] = quote && quote < place
                                    ? hd_strndup(c->arena, quote + 1, strcspn(quote + 1, "'"))
                                    : NULL;
}

/* "l1.size" for the backtrace entries from `first` outwards; NULL for the top. */
static const char *path_of(const complaint *c, int first) {
    const char *path = NULL;
    for (int i = first; i < c->depth; i++)
        if (c->fields[i])
            path = path ? hd_format(c->arena, "%s.%s", c->fields[i], path) : c->fields[i];
    return path;
}

static const cyaml_schema_field_t *schema_of(const char *mapping) {
    for (const cyaml_schema_field_t *f = profile_schema; mapping && f->key; f++)
        if (!strcmp(f->key, mapping) && f->value.type == CYAML_MAPPING)
            return f->value.mapping.fields;
    return profile_schema;
}

static const char *keys_of(hd_arena *arena, const char *mapping) {
    hd_str s = {.arena = arena};
    for (const cyaml_schema_field_t *f = schema_of(mapping); f->key; f++)
        hd_str_printf(&s, "%s%s", s.length ? ", " : "", f->key);
    return hd_str_text(&s);
}

static const char *named(hd_arena *arena, const char *mapping) {
    return mapping ? hd_format(arena, "'%s'", mapping) : "a profile";
}

/* The last word of the message: the key that it is about. */
static const char *key_of(const complaint *c) {
    const char *blank = c->text ? strrchr(c->text, ' ') : NULL;
    return blank ? blank + 1 : "";
}

/* The complaint in our words. */
static const char *explain(const complaint *c, cyaml_err_t error) {
    const char *mapping = path_of(c, 1), *whole = path_of(c, 0);
    const char *key = key_of(c);
    switch (error) {
    case CYAML_ERR_INVALID_KEY:
        return hd_format(c->arena, "%s has no key '%.40s'; its keys are %s",
                         named(c->arena, mapping), key, keys_of(c->arena, mapping));
    case CYAML_ERR_MAPPING_FIELD_MISSING:
        return hd_format(c->arena, "%s needs the key '%s'; add it", named(c->arena, mapping), key);
    case CYAML_ERR_STRING_LENGTH_MIN:
        return hd_format(c->arena, "'%s' is empty; fill it in", whole ? whole : "");
    case CYAML_ERR_ALIAS:
        return hd_format(c->arena, "%s uses a YAML alias; write the value itself",
                         named(c->arena, whole));
    case CYAML_ERR_LIBYAML_PARSER:
        return hd_format(c->arena, "this is not valid YAML: %s; mend it near here", c->text);
    default:
        break;
    }
    if (c->text && strstr(c->text, "already seen"))
        return hd_format(c->arena, "the key '%s' stands here twice; keep one", key);
    if (whole && schema_of(whole) == profile_schema)
        return hd_format(c->arena, "'%s' must be a single value", whole);
    return hd_format(c->arena, "%s must be a mapping with the keys %s", named(c->arena, whole),
                     keys_of(c->arena, whole));
}

/* ---- reading --------------------------------------------------------------- */

typedef struct source {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path;
    char *text;
    size_t length;
} source;

static hd_status fail_at(const source *s, unsigned line, unsigned column, const char *message) {
    hd_place place = {.file = s->path, .line = line ? line : 1, .column = column};
    place.text = hd_line_of(s->arena, s->text, place.line);
    return hd_fail(s->diag, HD_EINPUT, &place, "%s", message);
}

static bool is_key_at(const char *text, const char *at, const char *key, bool outermost) {
    bool starts = at == text || strchr(outermost ? "\n" : " \t\n{,\"'", at[-1]);
    if (!starts || strncmp(at, key, strlen(key)) != 0)
        return false;
    at += strlen(key);
    at += *at == '"' || *at == '\'';
    return at[strspn(at, " \t")] == ':';
}

/* Moves line and column on to the first place, from that line on, where `key:`
 * stands; leaves them when there is none. */
static void find_key(const source *s, const char *key, bool outermost, unsigned *line,
                     unsigned *column) {
    const char *line_start = s->text;
    unsigned at_line = 1;
    for (const char *at = s->text; *key && *at; at++) {
        if (at_line >= *line && is_key_at(s->text, at, key, outermost)) {
            *line = at_line;
            *column = (unsigned)(at - line_start) + 1;
            return;
        }
        if (*at == '\n') {
            line_start = at + 1;
            at_line++;
        }
    }
}

/* A complaint about what stands under a key of the profile. */
static hd_status fail_at_key(const source *s, const char *key, const char *message) {
    unsigned line = 1, column = 0;
    find_key(s, key, true, &line, &column);
    return fail_at(s, line, column, message);
}

/* libcyaml places a key that it does not know, or knows already, at the entry
 * before. */
static void correct_place(const source *s, complaint *c, cyaml_err_t error) {
    unsigned line = c->line;
    if (error == CYAML_ERR_UNEXPECTED_EVENT)
        line++;
    else if (error != CYAML_ERR_INVALID_KEY)
        return;
    unsigned column = 0;
    find_key(s, key_of(c), false, &line, &column);
    if (column) {
        c->line = line;
        c->column = column;
    }
}

static hd_status load_text(const source *s, profile_text **profile) {
    complaint c = {.arena = s->arena};
    cyaml_config_t config = {.log_fn = hear,
                             .log_ctx = &c,
                             .log_level = CYAML_LOG_ERROR,
                             .mem_fn = cyaml_mem,
                             .flags = CYAML_CFG_NO_ALIAS};
    cyaml_err_t error = cyaml_load_data((const uint8_t *)s->text, s->length, &config,
                                        &document_schema, (cyaml_data_t **)profile, NULL);
    if (error != CYAML_OK) {
        correct_place(s, &c, error);
        return fail_at(s, c.line, c.column, explain(&c, error));
    }
    if (!*profile)
        return fail_at(s, 1, 0,
                       hd_format(s->arena, "the profile is empty; it needs the keys %s",
                                 keys_of(s->arena, NULL)));
    return HD_OK;
}

static hd_status set_figures(const source *s, const profile_text *profile, hd_device *device) {
    static const size_t part_counts[] = {1, 2, 3, 1};
    for (int i = 0; i < HD_FIGURES; i++) {
        const hd_figure *figure = &hd_figures[i];
        const char *const *parts = (const char *const *)profile->figures[i].parts;
        if (figure->optional && !parts[0])
            parts = &figure->fallback;
        const char *wrong =
            hd_figure_set(s->arena, device, figure, parts, part_counts[figure->kind]);
        if (wrong)
            return fail_at_key(s, figure->key, wrong);
    }
    const char *key, *fault = hd_device_fault(device, &key);
    return fault ? fail_at_key(s, key, fault) : HD_OK;
}

/* "tesla-k20c" of "devices/tesla-k20c.yaml". */
static const char *stem_of(hd_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot ? hd_strndup(arena, name, (size_t)(dot - name)) : hd_strdup(arena, name);
}

hd_status hd_device_read(hd_arena *arena, const hd_diag *diag, const char *path,
                         const hd_device **device) {
    source s = {.arena = arena, .diag = diag, .path = hd_strdup(arena, path)};
    hd_status status = hd_read_file(arena, diag, s.path, &s.text, &s.length);
    if (status != HD_OK)
        return status;
    profile_text *profile = NULL;
    status = load_text(&s, &profile);
    if (status != HD_OK)
        return status;
    hd_device *read = hd_new(arena, hd_device);
    *read = (hd_device){.name = stem_of(arena, path),
                        .title = hd_strdup(arena, profile->title),
                        .source_file = s.path};
    status = set_figures(&s, profile, read);
    cyaml_config_t config = {.mem_fn = cyaml_mem};
    cyaml_free(&config, &document_schema, profile, 0);
    if (status == HD_OK)
        *device = read;
    return status;
}
