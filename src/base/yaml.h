/*
 * YAML with places: a file as a tree of nodes, each of which knows where it stands, and a
 * check of that tree against the keys that it may have.
 *
 *     static const hd_yaml_key point_keys[] = {
 *         {.name = "x", .needed = true, .example = "x: 3"}, {.name = "y"}, {0}};
 *     static const hd_yaml_form point = {"a point", "x: 3", point_keys};
 *     hd_status status = hd_yaml_read(arena, diag, path, &point, &file);
 *     const hd_yaml *x = hd_yaml_get(&file->root, "x");
 *
 * Values are text; what a text means is for the caller to say, and to complain of at
 * hd_yaml_place(). Time and memory grow with the length of the file and with nothing else:
 * aliases are refused, nesting is bounded.
 */
#ifndef HD_BASE_YAML_H
#define HD_BASE_YAML_H

#include "base/base.h"

typedef enum hd_yaml_kind { HD_YAML_TEXT, HD_YAML_LIST, HD_YAML_MAP } hd_yaml_kind;

/* A value, or a key. */
typedef struct hd_yaml {
    hd_yaml_kind kind;
    uint32_t line, column; /* from 1 */
    uint32_t count;        /* entries of a list, pairs of a map */
    union {
        const char *text;
        const struct hd_yaml *items; /* [count]; of a map: key, value, key, value ... */
    };
} hd_yaml;

typedef struct hd_yaml_file {
    const char *path;
    hd_yaml root;
    const char **lines; /* of the file, without their ends */
    uint32_t line_count;
} hd_yaml_file;

/* A key of a map; a table of them ends with a NULL name. */
typedef struct hd_yaml_key {
    const char *name;
    hd_yaml_kind kind;
    bool needed;
    bool or_text; /* a list of texts may also be one text */
    const struct hd_yaml_key
        *keys;           /* of the map, or of the maps in the list; NULL: a list of texts */
    const char *entry;   /* a word for one entry of the list, for messages: "launch" */
    const char *example; /* how the key is written, or NULL */
    /* The caller's own, which says what it makes of the text: a kind, a place, a bound. */
    int as;
    size_t offset;
    uint64_t least;
} hd_yaml_key;

/* What a whole file is. */
typedef struct hd_yaml_form {
    const char *what, *example; /* "a job file", "kernel: k.cl" */
    const hd_yaml_key *keys;
    bool is_list; /* of maps with these keys, rather than one map */
} hd_yaml_form;

/* Reads a file of one document, and checks kinds, unknown, missing and repeated keys: what does
 * not fit is one located error. */
hd_status hd_yaml_read(hd_arena *arena, const hd_diag *diag, const char *path,
                       const hd_yaml_form *form, hd_yaml_file **file);

/* The value of a key of a map, or NULL. */
const hd_yaml *hd_yaml_get(const hd_yaml *map, const char *key);
/* Its text, or NULL. */
const char *hd_yaml_text(const hd_yaml *map, const char *key);
/* The place of a value or key. */
hd_place hd_yaml_place(const hd_yaml_file *file, const hd_yaml *at);

#endif
