/*
 * YAML with places, from libyaml's events.
 *
 * The events of a file come in order, so the tree is built with one stack: the entries of each
 * open list and map lie on it, the innermost's on top, and are copied to the arena when it
 * ends. The check afterwards walks the tree beside the tables of keys.
 */
#include "base/yaml.h"

#include <stdlib.h>
#include <yaml.h>

/* No file of ours nests more than 6 deep. */
enum { MOST_DEPTH = 32, MOST_SHOWN = 80 };

typedef struct builder {
    hd_arena *arena, *scratch;
    const hd_diag *diag;
    hd_yaml_file *file;
    yaml_parser_t parser;
    hd_vec(hd_yaml) open; /* entries of the lists and maps that have not ended, in scratch */
} builder;

/* ---- places ---------------------------------------------------------------- */

static hd_place place_of(const hd_yaml_file *file, uint32_t line, uint32_t column) {
    const char *text = line <= file->line_count ? file->lines[line - 1] : NULL;
    return (hd_place){.file = file->path, .line = line, .column = column, .text = text};
}

hd_place hd_yaml_place(const hd_yaml_file *file, const hd_yaml *at) {
    return place_of(file, at->line, at->column);
}

/* ---- the tree ---------------------------------------------------------------- */

static hd_status fail_at(const builder *b, yaml_mark_t mark, const char *text) {
    hd_place place = place_of(b->file, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1);
    return hd_fail(b->diag, HD_EINPUT, &place, "%s", text);
}

static hd_status no_memory(const builder *b) {
    return hd_fail(b->diag, HD_ESYSTEM, &(hd_place){.file = b->file->path},
                   "there is not enough memory to read this file");
}

static hd_status next_event(builder *b, yaml_event_t *event) {
    const yaml_parser_t *p = &b->parser;
    if (yaml_parser_parse(&b->parser, event))
        return HD_OK;
    *event = (yaml_event_t){.type = YAML_NO_EVENT};
    if (p->error == YAML_MEMORY_ERROR)
        return no_memory(b);
    return fail_at(b, p->problem_mark,
                   hd_format(b->arena, "this is not YAML: %s%s%s",
                             p->problem ? p->problem : "unreadable", p->context ? " " : "",
                             p->context ? p->context : ""));
}

static hd_status build(builder *b, const yaml_event_t *event, unsigned depth, hd_yaml *node);

/* The nodes up to the end of a list or map. */
static hd_status build_items(builder *b, unsigned depth, hd_yaml *node) {
    size_t first = b->open.count;
    for (;;) {
        yaml_event_t event;
        hd_yaml item;
        hd_status status = next_event(b, &event);
        bool ended = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        bool is_key = node->kind == HD_YAML_MAP && (b->open.count - first) % 2 == 0;
        if (status == HD_OK && !ended)
            status = build(b, &event, depth + 1, &item);
        if (status == HD_OK && !ended && is_key && item.kind != HD_YAML_TEXT)
            status = fail_at(b, event.start_mark, "a key must be a single word");
        yaml_event_delete(&event);
        if (status != HD_OK)
            return status;
        if (ended)
            break;
        hd_push(b->scratch, &b->open, item);
    }
    size_t count = b->open.count - first;
    hd_yaml *items = hd_new_array(b->arena, hd_yaml, count);
    if (count)
        memcpy(items, b->open.data + first, count * sizeof *items);
    b->open.count = first;
    node->items = items;
    node->count = (uint32_t)(node->kind == HD_YAML_MAP ? count / 2 : count);
    return HD_OK;
}

/* The node that begins with this event. */
static hd_status build(builder *b, const yaml_event_t *event, unsigned depth, hd_yaml *node) {
    yaml_mark_t mark = event->start_mark;
    *node = (hd_yaml){.line = (uint32_t)mark.line + 1, .column = (uint32_t)mark.column + 1};
    if (depth > MOST_DEPTH)
        return fail_at(b, mark, "this is nested too deep; take brackets and indentation out");
    switch (event->type) {
    case YAML_SCALAR_EVENT: {
        const char *text = (const char *)event->data.scalar.value;
        if (strlen(text) != event->data.scalar.length)
            return fail_at(b, mark, "there is a zero byte in this text; take it out");
        node->text = hd_strndup(b->arena, text, event->data.scalar.length);
        return HD_OK;
    }
    case YAML_SEQUENCE_START_EVENT: node->kind = HD_YAML_LIST; return build_items(b, depth, node);
    case YAML_MAPPING_START_EVENT: node->kind = HD_YAML_MAP; return build_items(b, depth, node);
    default: return fail_at(b, mark, "aliases are not read here; write the value out");
    }
}

static const char *list_keys(hd_arena *arena, const hd_yaml_key *keys) {
    hd_str s = {.arena = arena};
    for (const hd_yaml_key *key = keys; key->name; key++)
        hd_str_printf(&s, "%s%s", s.length ? ", " : "", key->name);
    return hd_str_text(&s);
}

/* One document, then the end. */
static hd_status build_documents(builder *b, const hd_yaml_form *form) {
    hd_status status = HD_OK;
    uint32_t documents = 0;
    for (bool more = true; more && status == HD_OK;) {
        yaml_event_t event;
        status = next_event(b, &event);
        switch (event.type) {
        case YAML_DOCUMENT_START_EVENT:
            if (documents++)
                status = fail_at(b, event.start_mark,
                                 "a second document begins here; keep one in a file");
            break;
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
        case YAML_NO_EVENT: break;
        case YAML_STREAM_END_EVENT: more = false; break;
        default: status = build(b, &event, 0, &b->file->root);
        }
        yaml_event_delete(&event);
    }
    if (status != HD_OK || documents)
        return status;
    return hd_fail(b->diag, HD_EINPUT, &(hd_place){.file = b->file->path, .line = 1, .column = 1},
                   "the file is empty; %s has the keys: %s", form->what,
                   list_keys(b->arena, form->keys));
}

/* ---- the check ----------------------------------------------------------------- */

/* Where a checked node stands, from the outside in, for messages. */
typedef struct inside {
    const struct inside *outer;
    const hd_yaml_key *key;
    uint32_t number; /* of an entry of the list, from 1; 0: the value itself */
} inside;

typedef struct checker {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_yaml_file *file;
    const hd_yaml_form *form;
} checker;

/* "launch 2, argument 1", "'tolerance'"; nothing for the file itself. */
static void add_words(hd_str *words, const inside *in) {
    if (!in)
        return;
    add_words(words, in->outer);
    const char *comma = words->length ? ", " : "";
    if (in->number && in->key->entry)
        hd_str_printf(words, "%s%s %u", comma, in->key->entry, in->number);
    else if (in->number)
        hd_str_printf(words, "%sentry %u of '%s'", comma, in->number, in->key->name);
    else
        hd_str_printf(words, "%s'%s'", comma, in->key->name);
}

/* " of launch 2, argument 1"; "" for the file itself. */
static const char *of_words(const checker *c, const inside *in) {
    hd_str words = {.arena = c->arena};
    add_words(&words, in);
    return in ? hd_format(c->arena, " of %s", hd_str_text(&words)) : "";
}

static hd_status wrong_kind(const checker *c, const inside *in, const hd_yaml *at,
                            hd_yaml_kind wanted) {
    hd_place place = hd_yaml_place(c->file, at);
    const char *is = wanted == HD_YAML_LIST  ? "a list"
                     : wanted == HD_YAML_MAP ? "a mapping of keys to values"
                                             : "a single value";
    if (!in)
        return hd_fail(c->diag, HD_EINPUT, &place, "%s must be %s, such as '%s'", c->form->what, is,
                       c->form->example);
    const char *example = in->key->example;
    return hd_fail(c->diag, HD_EINPUT, &place, "%s'%s' must be %s%s%s%s",
                   in->number ? "every entry of " : "", in->key->name, is, example ? ": '" : "",
                   example ? example : "", example ? "'" : "");
}

static hd_status check_value(const checker *c, const inside *in, const hd_yaml *value);

static hd_status check_map(const checker *c, const inside *in, const hd_yaml_key *keys,
                           const hd_yaml *map) {
    uint64_t seen = 0; /* bit k: keys[k] */
    for (uint32_t i = 0; i < map->count; i++) {
        const hd_yaml *word = &map->items[2 * i];
        hd_place place = hd_yaml_place(c->file, word);
        uint32_t k = 0;
        while (keys[k].name && strcmp(keys[k].name, word->text) != 0)
            k++;
        if (!keys[k].name)
            return hd_fail(c->diag, HD_EINPUT, &place, "unknown key '%.*s'%s; the keys are: %s",
                           MOST_SHOWN, word->text, of_words(c, in), list_keys(c->arena, keys));
        if (seen >> k & 1)
            return hd_fail(c->diag, HD_EINPUT, &place, "the key '%s' stands here twice; keep one",
                           word->text);
        seen |= (uint64_t)1 << k;
        hd_status status = check_value(c, &(inside){in, &keys[k], 0}, word + 1);
        if (status != HD_OK)
            return status;
    }
    for (uint32_t k = 0; keys[k].name; k++) {
        hd_place place = hd_yaml_place(c->file, map);
        const char *example = keys[k].example;
        if (keys[k].needed && !(seen >> k & 1))
            return hd_fail(c->diag, HD_EINPUT, &place, "the key '%s'%s is missing; add it%s%s%s",
                           keys[k].name, of_words(c, in), example ? ", as in '" : "",
                           example ? example : "", example ? "'" : "");
    }
    return HD_OK;
}

static hd_status check_value(const checker *c, const inside *in, const hd_yaml *value) {
    const hd_yaml_key *key = in->key;
    hd_status status = HD_OK;
    if (key->or_text && value->kind == HD_YAML_TEXT)
        return HD_OK;
    if (value->kind != key->kind)
        return wrong_kind(c, in, value, key->kind);
    if (key->kind == HD_YAML_MAP)
        return check_map(c, in, key->keys, value);
    for (uint32_t i = 0; key->kind == HD_YAML_LIST && i < value->count && status == HD_OK; i++) {
        const inside entry = {in->outer, key, i + 1};
        hd_yaml_kind kind = key->keys ? HD_YAML_MAP : HD_YAML_TEXT;
        if (value->items[i].kind != kind)
            status = wrong_kind(c, &entry, &value->items[i], kind);
        else if (key->keys)
            status = check_map(c, &entry, key->keys, &value->items[i]);
    }
    return status;
}

/* ---- reading --------------------------------------------------------------------- */

hd_status hd_yaml_read(hd_arena *arena, const hd_diag *diag, const char *path,
                       const hd_yaml_form *form, hd_yaml_file **result) {
    hd_yaml_file *file = hd_new(arena, hd_yaml_file);
    char *text;
    size_t length;
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    if (status != HD_OK)
        return status;
    file->path = hd_strdup(arena, path);
    /* Its lines are those of a copy, cut up. */
    char *rest = hd_strndup(arena, text, length);
    file->line_count = 1;
    for (const char *at = rest; (at = strchr(at, '\n')); at++)
        file->line_count++;
    file->lines = hd_new_array(arena, const char *, file->line_count);
    for (uint32_t l = 0; l < file->line_count; l++)
        file->lines[l] = strsep(&rest, "\n");
    builder b = {.arena = arena, .diag = diag, .file = file};
    if (!yaml_parser_initialize(&b.parser))
        return no_memory(&b);
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, length);
    b.scratch = hd_arena_new();
    status = build_documents(&b, form);
    hd_arena_free(b.scratch);
    yaml_parser_delete(&b.parser);
    if (status != HD_OK)
        return status;
    const checker c = {arena, diag, file, form};
    hd_yaml_kind kind = form->is_list ? HD_YAML_LIST : HD_YAML_MAP;
    if (file->root.kind != kind)
        return wrong_kind(&c, NULL, &file->root, kind);
    const hd_yaml *maps = form->is_list ? file->root.items : &file->root;
    for (uint32_t i = 0; i < (form->is_list ? file->root.count : 1) && status == HD_OK; i++)
        status = maps[i].kind == HD_YAML_MAP ? check_map(&c, NULL, form->keys, &maps[i])
                                             : wrong_kind(&c, NULL, &maps[i], HD_YAML_MAP);
    if (status == HD_OK)
        *result = file;
    return status;
}

const hd_yaml *hd_yaml_get(const hd_yaml *map, const char *key) {
    for (uint32_t i = 0; i < map->count; i++)
        if (!strcmp(map->items[2 * i].text, key))
            return &map->items[2 * i + 1];
    return NULL;
}

const char *hd_yaml_text(const hd_yaml *map, const char *key) {
    const hd_yaml *value = hd_yaml_get(map, key);
    return value ? value->text : NULL;
}
