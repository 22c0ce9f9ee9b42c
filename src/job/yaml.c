/*
 * Reading YAML so that every complaint has a place.
 *
 * libcyaml loads a file into C structs by a schema, but it tells of an error
 * only through its log, as one message followed by a backtrace:
 *
 *     Load: Unexpected key: valu
 *       in mapping (line: 3, column: 12)
 *       in sequence entry '1' (line: 3, column: 5)
 *       in mapping field 'args' (line: 3, column: 3)
 *
 * and after a successful load nothing is left of where an entry stood. So the
 * file is first loaded as a plain libyaml document, whose nodes carry their
 * lines and columns. The backtrace is turned into a path ("args[0]"), the path
 * into a node, and the message into words that name the mend. Later checks find
 * their places by the same paths.
 */
#include <stdlib.h>
#include <yaml.h>

#include "job/yaml.h"

struct hd_yaml_file {
    hd_arena *arena;
    const char *path, *text;
    yaml_document_t document;
};

/* ---- paths -------------------------------------------------------------- */

static hd_place place_at(const hd_yaml_file *file, size_t line, size_t column) {
    return (hd_place){.file = file->path,
                      .line = (unsigned)line + 1,
                      .column = (unsigned)column + 1,
                      .text = hd_line_of(file->arena, file->text, (unsigned)line + 1)};
}

/* The pair of a mapping with this key; the last one, so that a second use is found. */
static yaml_node_pair_t *find_pair(const hd_yaml_file *file, yaml_node_t *mapping, const char *key,
                                   size_t length) {
    yaml_document_t *document = (yaml_document_t *)&file->document;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.top;
         pair > mapping->data.mapping.pairs.start;) {
        yaml_node_t *name = yaml_document_get_node(document, (--pair)->key);
        if (name->type == YAML_SCALAR_NODE && name->data.scalar.length == length &&
            memcmp(name->data.scalar.value, key, length) == 0)
            return pair;
    }
    return NULL;
}

/* One step along a path: *path moves behind ".key" or "[index]". *at_key: the
 * node of the key itself. NULL when there is no such entry. */
static yaml_node_t *step(const hd_yaml_file *file, yaml_node_t *node, const char **path,
                         yaml_node_t **at_key) {
    yaml_document_t *document = (yaml_document_t *)&file->document;
    *at_key = NULL;
    if (**path == '[') {
        char *end;
        unsigned long index = strtoul(*path + 1, &end, 10);
        *path = end + (*end == ']');
        if (node->type != YAML_SEQUENCE_NODE ||
            index >= (size_t)(node->data.sequence.items.top - node->data.sequence.items.start))
            return NULL;
        return yaml_document_get_node(document, node->data.sequence.items.start[index]);
    }
    *path += **path == '.';
    size_t length = strcspn(*path, ".[");
    const char *key = *path;
    *path += length;
    yaml_node_pair_t *pair =
        node->type == YAML_MAPPING_NODE ? find_pair(file, node, key, length) : NULL;
    if (!pair)
        return NULL;
    *at_key = yaml_document_get_node(document, pair->key);
    return yaml_document_get_node(document, pair->value);
}

/* The place of a path's value, or of its last key. */
static hd_place find_place(const hd_yaml_file *file, const char *path, bool want_key) {
    yaml_node_t *node = yaml_document_get_root_node((yaml_document_t *)&file->document);
    yaml_node_t *key = NULL;
    if (!node)
        return (hd_place){.file = file->path};
    while (*path) {
        yaml_node_t *next_key, *next = step(file, node, &path, &next_key);
        if (!next)
            break;
        node = next;
        key = next_key;
    }
    yaml_mark_t mark = want_key && key ? key->start_mark : node->start_mark;
    return place_at(file, mark.line, mark.column);
}

hd_place hd_yaml_place(const hd_yaml_file *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *path = hd_vformat(file->arena, format, args);
    va_end(args);
    return find_place(file, path, false);
}

/* "launches[0].args[2].name" as "launch 1, argument 3"; the last key is left out. */
static const char *path_in_words(hd_arena *arena, const char *path) {
    static const char *const singular[][2] = {{"launches", "launch"},
                                              {"buffers", "buffer"},
                                              {"graphs", "graph"},
                                              {"args", "argument"},
                                              {"init", "init"}};
    hd_str s = {.arena = arena};
    while (*path) {
        path += *path == '.';
        size_t length = strcspn(path, ".[");
        if (path[length] == '[') {
            unsigned long index = strtoul(path + length + 1, NULL, 10);
            for (size_t i = 0; i < sizeof singular / sizeof *singular; i++)
                if (strlen(singular[i][0]) == length && !strncmp(singular[i][0], path, length))
                    hd_str_printf(&s, "%s%s %lu", s.length ? ", " : "", singular[i][1], index + 1);
            path += length + strcspn(path + length, "]");
            path += *path == ']';
        } else {
            path += length;
        }
    }
    return hd_str_text(&s);
}

/* ---- libcyaml's complaint ----------------------------------------------- */

typedef struct complaint {
    hd_arena *arena;
    const char *message; /* the first one, without "Load: " */
    const char *path;    /* from the backtrace, which starts at the innermost entry */
    bool ends_in_field;
} complaint;

/* Text between the first two quotes. */
static const char *quoted(hd_arena *arena, const char *text) {
    const char *open = strchr(text, '\'');
    const char *close = open ? strchr(open + 1, '\'') : NULL;
    return close ? hd_strndup(arena, open + 1, (size_t)(close - open - 1)) : "";
}

static void hear(cyaml_log_t level, void *context, const char *format, va_list args) {
    complaint *c = context;
    if (level != CYAML_LOG_ERROR)
        return;
    char *text = hd_vformat(c->arena, format, args);
    text[strcspn(text, "\n")] = '\0';
    const char *words = text + strspn(text, " ");
    if (!strncmp(words, "in mapping field", 16)) {
        c->ends_in_field = c->ends_in_field || !*c->path;
        const char *dot = *c->path && *c->path != '[' ? "." : "";
        c->path = hd_format(c->arena, "%s%s%s", quoted(c->arena, words), dot, c->path);
    } else if (!strncmp(words, "in sequence entry", 17)) {
        unsigned long number = strtoul(quoted(c->arena, words), NULL, 10);
        const char *dot = *c->path && *c->path != '[' ? "." : "";
        c->path = hd_format(c->arena, "[%lu]%s%s", number ? number - 1 : 0, dot, c->path);
    } else if (!c->message && strncmp(words, "in mapping", 10) && !strstr(words, "Backtrace")) {
        c->message = strncmp(words, "Load: ", 6) ? words : words + 6;
    }
}

/* What follows `prefix` in the message, or NULL. */
static const char *after(const complaint *c, const char *prefix) {
    size_t length = strlen(prefix);
    return c->message && !strncmp(c->message, prefix, length) ? c->message + length : NULL;
}

/* The keys that the mapping at `path` may have, as "name, buffer, value". */
static const char *allowed_keys(hd_arena *arena, const cyaml_schema_value_t *schema,
                                const char *path) {
    while (*path && schema) {
        path += *path == '.';
        if (*path == '[') {
            schema = schema->type == CYAML_SEQUENCE ? schema->sequence.entry : NULL;
            path += strcspn(path, "]");
            path += *path == ']';
            continue;
        }
        size_t length = strcspn(path, ".[");
        const cyaml_schema_field_t *field =
            schema->type == CYAML_MAPPING ? schema->mapping.fields : NULL;
        while (field && field->key &&
               (strlen(field->key) != length || strncmp(field->key, path, length) != 0))
            field++;
        schema = field && field->key ? &field->value : NULL;
        path += length;
    }
    hd_str s = {.arena = arena};
    if (schema && schema->type == CYAML_MAPPING)
        for (const cyaml_schema_field_t *field = schema->mapping.fields; field->key; field++)
            hd_str_printf(&s, "%s%s", s.length ? ", " : "", field->key);
    return hd_str_text(&s);
}

/* How a key is written, for whoever gave it the wrong kind of value. */
static const char *example_of(const char *key) {
    static const char *const examples[][2] = {
        {"kernel", "kernel: nbody.cl"},
        {"options", "options: -DN=4 -DM=8"},
        {"graphs", "graphs: [{name: g, file: b17.bench}]"},
        {"buffers", "buffers: [{name: a, type: float, count: 64}]"},
        {"init", "init: [{generator: uniform, low: 0, high: 1, seed: 1}]"},
        {"launches", "launches: [{kernel: k, global: [64], args: [{name: a, buffer: a}]}]"},
        {"args", "args: [{name: a, buffer: a}, {name: n, value: 64}]"},
        {"global", "global: [1024]"},
        {"local", "local: [64] in a launch, local: 1024 (bytes) in an argument"},
        {"offset", "offset: [0]"},
        {"value", "value: 3, or value: \"1, 2, 3, 4\" for a vector"},
        {"tolerance", "tolerance: {relative: 1e-5, absolute: 1e-7}"}};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (!strcmp(examples[i][0], key))
            return examples[i][1];
    return NULL;
}

static hd_status wrong_type(const hd_yaml_file *file, const hd_diag *diag, const complaint *c,
                            const char *expected) {
    const char *is = !strncmp(expected, "SEQUENCE", 8)  ? "a list"
                     : !strncmp(expected, "MAPPING", 7) ? "a mapping of keys to values"
                                                        : "a single value";
    hd_place place = find_place(file, c->path, false);
    const char *dot = strrchr(c->path, '.');
    const char *key = dot ? dot + 1 : c->path;
    if (!*key)
        return hd_fail(diag, HD_EINPUT, &place, "a job file must be %s, such as 'kernel: k.cl'",
                       is);
    if (key[strlen(key) - 1] == ']') {
        const char *list = hd_strndup(file->arena, key, strcspn(key, "["));
        const char *example = example_of(list);
        return hd_fail(diag, HD_EINPUT, &place, "every entry of '%s' must be %s%s%s%s", list, is,
                       example ? ": '" : "", example ? example : "", example ? "'" : "");
    }
    const char *example = example_of(key);
    return hd_fail(diag, HD_EINPUT, &place, "'%s' must be %s%s%s%s", key, is, example ? ": '" : "",
                   example ? example : "", example ? "'" : "");
}

/* Says what libcyaml found, in our words. */
static hd_status explain(const hd_yaml_file *file, const hd_diag *diag,
                         const cyaml_schema_value_t *schema, const complaint *c,
                         const char *error) {
    hd_arena *arena = file->arena;
    const char *key;
    const char *container = c->path;
    if (after(c, "Missing required") && c->ends_in_field) {
        const char *dot = strrchr(c->path, '.');
        container = hd_strndup(arena, c->path, dot ? (size_t)(dot - c->path) : 0);
    }
    const char *where = path_in_words(arena, container);
    const char *of = *where ? " of " : "";
    if ((key = after(c, "Unexpected key: "))) {
        hd_place place = find_place(
            file, hd_format(arena, "%s%s%s", container, *container ? "." : "", key), true);
        return hd_fail(diag, HD_EINPUT, &place, "unknown key '%s'%s%s; the keys are: %s", key, of,
                       where, allowed_keys(arena, schema, container));
    }
    if ((key = after(c, "Missing required mapping field: "))) {
        hd_place place = find_place(file, container, false);
        const char *example = example_of(key);
        return hd_fail(diag, HD_EINPUT, &place, "the key '%s'%s%s is missing%s%s%s", key, of, where,
                       example ? "; add it, as in '" : "; add it", example ? example : "",
                       example ? "'" : "");
    }
    if ((key = after(c, "Mapping field already seen: "))) {
        hd_place place = find_place(file, c->path, true);
        return hd_fail(diag, HD_EINPUT, &place, "the key '%s' stands here twice; keep one", key);
    }
    if ((key = after(c, "Expecting ")))
        return wrong_type(file, diag, c, key);
    hd_place place = find_place(file, c->path, false);
    return hd_fail(diag, HD_EINPUT, &place, "cannot read this: %s",
                   c->message ? c->message : error);
}

/* ---- reading ------------------------------------------------------------ */

/* Memory for libcyaml from the arena; a header keeps the size for growing. */
static void *arena_memory(void *context, void *old, size_t size) {
    if (!size)
        return NULL;
    enum { HEADER = 16 };
    char *block = (char *)hd_alloc(context, size + HEADER) + HEADER;
    memcpy(block - HEADER, &size, sizeof size);
    if (old) {
        size_t old_size;
        memcpy(&old_size, (char *)old - HEADER, sizeof old_size);
        memcpy(block, old, old_size < size ? old_size : size);
    }
    return block;
}

/* Aliases would let a small file stand for a huge one, and hide where a value stands. */
static const char *find_alias(yaml_parser_t *parser, yaml_mark_t *mark) {
    const char *name = NULL;
    for (bool more = true; more && !name;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return NULL;
        if (event.type == YAML_ALIAS_EVENT) {
            *mark = event.start_mark;
            name = "alias";
        }
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return name;
}

static hd_status load_document(const hd_diag *diag, hd_yaml_file *file, size_t length) {
    yaml_parser_t parser;
    yaml_mark_t mark = {0};
    if (!yaml_parser_initialize(&parser))
        hd_no_memory(0);
    yaml_parser_set_input_string(&parser, (const unsigned char *)file->text, length);
    const char *alias = find_alias(&parser, &mark);
    yaml_parser_delete(&parser);
    if (alias) {
        hd_place place = place_at(file, mark.line, mark.column);
        return hd_fail(diag, HD_EINPUT, &place, "aliases are not read here; write the value out");
    }
    if (!yaml_parser_initialize(&parser))
        hd_no_memory(0);
    yaml_parser_set_input_string(&parser, (const unsigned char *)file->text, length);
    hd_status status = HD_OK;
    if (!yaml_parser_load(&parser, &file->document)) {
        hd_place place = place_at(file, parser.problem_mark.line, parser.problem_mark.column);
        status = hd_fail(diag, HD_EINPUT, &place, "this is not YAML: %s%s%s",
                         parser.problem ? parser.problem : "unreadable", parser.context ? " " : "",
                         parser.context ? parser.context : "");
    }
    yaml_parser_delete(&parser);
    return status;
}

hd_status hd_yaml_open(hd_arena *arena, const hd_diag *diag, const char *path,
                       const cyaml_schema_value_t *schema, hd_yaml_file **opened, void **data) {
    hd_yaml_file *file = hd_new(arena, hd_yaml_file);
    char *text;
    size_t length;
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    if (status != HD_OK)
        return status;
    file->arena = arena;
    file->path = hd_strdup(arena, path);
    file->text = text;
    status = load_document(diag, file, length);
    if (status != HD_OK)
        return status;

    complaint c = {.arena = arena, .path = ""};
    cyaml_config_t config = {.log_fn = hear,
                             .log_ctx = &c,
                             .mem_fn = arena_memory,
                             .mem_ctx = arena,
                             .log_level = CYAML_LOG_ERROR};
    *data = NULL;
    cyaml_err_t error = cyaml_load_data((const uint8_t *)text, length, &config, schema, data, NULL);
    if (error != CYAML_OK) {
        status = explain(file, diag, schema, &c, cyaml_strerror(error));
    } else if (!*data) {
        hd_place place = {.file = path, .line = 1, .column = 1};
        status = hd_fail(diag, HD_EINPUT, &place, "the file is empty; its keys are: %s",
                         allowed_keys(arena, schema, ""));
    }
    if (status != HD_OK) {
        hd_yaml_close(file);
        return status;
    }
    *opened = file;
    return HD_OK;
}

void hd_yaml_close(hd_yaml_file *file) { yaml_document_delete(&file->document); }
