/* A folder of its own for a test of files, and the messages that it gave. */
#ifndef TESTS_BASE_PLACE_H
#define TESTS_BASE_PLACE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"
#include "folder.h"

typedef struct place {
    hd_arena *arena;
    hd_diag diag; /* of messages that are kept here; valid where hear() was called last */
    const char *folder;
    char text[2000]; /* of the last message */
    unsigned messages;
    const char *journal; /* of a change, where a test has one */
} place;

static inline void keep_message(const hd_message *m, void *user) {
    place *p = user;
    p->messages++;
    snprintf(p->text, sizeof p->text, "%s: %s", m->place.file ? m->place.file : "-", m->text);
}

static inline const hd_diag *hear(place *p) {
    p->diag = (hd_diag){keep_message, p};
    return &p->diag;
}

static inline void open_place(place *p) {
    *p = (place){.arena = hd_arena_new()};
    p->folder = folder_make(p->arena);
    hear(p);
}

static inline void close_place(place *p) {
    folder_remove(p->folder);
    hd_arena_free(p->arena);
}

static inline const char *at(const place *p, const char *name) {
    return hd_format(p->arena, "%s/%s", p->folder, name);
}

static inline bool holds(const place *p, const char *name, const char *text) {
    static const hd_diag silent = {NULL, NULL};
    char *found;
    size_t length;
    return hd_read_file(p->arena, &silent, at(p, name), &found, &length) == HD_OK &&
           !strcmp(found, text);
}

/* Files and folders in the folder `path`, hidden ones, too. */
static inline unsigned entries(const char *path) {
    unsigned count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));)
        count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(folder);
    return count;
}

#endif
