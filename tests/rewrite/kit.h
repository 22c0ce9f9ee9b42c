/*
 * What the tests of the rewriter share: messages, files, records of a kernel.
 */
#ifndef REWRITE_KIT_H
#define REWRITE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "frontend/frontend.h"
#include "rewrite/rewrite.h"

typedef struct kit {
    hd_arena *arena;
    hd_diag diag;
    hd_str messages; /* "line:column: text\n" for each */
    char *folder;
} kit;

static inline void note_message(const hd_message *message, void *user) {
    kit *k = user;
    hd_str_printf(&k->messages, "%u:%u: %s\n", message->place.line, message->place.column,
                  message->text);
}

static inline kit *kit_new(void) {
    hd_arena *arena = hd_arena_new();
    kit *k = hd_new(arena, kit);
    *k = (kit){.arena = arena, .diag = {note_message, k}, .messages = {.arena = arena}};
    k->folder = folder_make(arena);
    return k;
}

static inline int kit_setup(void **state) {
    *state = kit_new();
    return 0;
}

static inline int kit_teardown(void **state) {
    kit *k = *state;
    folder_remove(k->folder);
    hd_arena_free(k->arena);
    return 0;
}

static inline char *kit_write(kit *k, const char *name, const char *text) {
    char *path = hd_format(k->arena, "%s/%s", k->folder, name);
    assert_int_equal(hd_write_file(&k->diag, path, text, strlen(text)), HD_OK);
    return path;
}

static inline const char *kit_said(kit *k) { return hd_str_text(&k->messages); }

static inline const hd_record *kit_record(kit *k, const char *path, const char *options,
                                          const char *name) {
    kir_module *module = NULL;
    if (hd_frontend(k->arena, &k->diag, path, options, &module) != HD_OK)
        fail_msg("%s", kit_said(k));
    const hd_record *record = kir_find_record(module, name);
    assert_non_null(record);
    return record;
}

static inline hd_layout *kit_layout(kit *k, const hd_record *record, const char *text) {
    hd_layout *layout = NULL;
    if (hd_layout_parse(k->arena, &k->diag, record, text, &layout) != HD_OK)
        fail_msg("%s", kit_said(k));
    return layout;
}

static inline hd_status kit_try(kit *k, const char *path, const char *options,
                                const hd_record *record, const hd_layout *layout,
                                hd_rewritten **result) {
    const hd_record_layout chosen = {record, layout};
    const hd_rewrite_request request = {
        .path = path, .options = options, .layouts = &chosen, .layout_count = 1};
    return hd_rewrite(k->arena, &k->diag, &request, result);
}

static inline hd_rewritten *kit_rewrite(kit *k, const char *path, const char *options,
                                        const hd_record *record, const hd_layout *layout) {
    hd_rewritten *result = NULL;
    if (kit_try(k, path, options, record, layout, &result) != HD_OK)
        fail_msg("%s", kit_said(k));
    assert_non_null(result);
    return result;
}

#endif
