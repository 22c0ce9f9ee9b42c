/* The file that a program has read its source from. OpenCL is given a text; a file below the current folder
 * or that of the program, not deep, which has the same bytes is where it comes from. */
#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl/opencl_machine.h"

enum { DEEPEST = 3, MOST_FILES = 10000, LARGEST = 4 << 20 };

/* Files of sizes that a source may have. A walk that finds too many ends. */
static void list_below(machine *m, char *folder) {
    char *const roots[] = {folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    size_t seen = 0;
    while (walk && (entry = fts_read(walk)) && seen++ < MOST_FILES) {
        const bool is_hidden = entry->fts_level && *entry->fts_name == '.';
        if (entry->fts_info == FTS_D && (is_hidden || entry->fts_level >= DEEPEST))
            fts_set(walk, entry, FTS_SKIP);
        if (entry->fts_info != FTS_F || is_hidden || !entry->fts_statp->st_size ||
            entry->fts_statp->st_size > LARGEST)
            continue;
        const char *path = entry->fts_path;
        path += !strncmp(path, "./", 2) ? 2 : 0;
        hd_push(m->arena, &m->files,
                (machine_file){hd_strdup(m->arena, path), (size_t)entry->fts_statp->st_size});
    }
    if (walk)
        fts_close(walk);
}

static void list_files(machine *m) {
    char program[PATH_MAX], here[] = ".";
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    m->has_files = true;
    list_below(m, here);
    if (length <= 0)
        return;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    char *current = realpath(".", NULL);
    if (*program && current && strcmp(current, program) != 0)
        list_below(m, program);
    free(current);
}

const char *machine_source_file(machine *m, const char *text) {
    const size_t length = strlen(text);
    const char *found = NULL;
    hd_arena *arena = hd_arena_new();
    if (!m->has_files)
        list_files(m);
    for (size_t i = 0; i < m->files.count && !found; i++) {
        char *held;
        size_t bytes;
        if (m->files.data[i].bytes == length &&
            !hd_read_file(arena, &hd_silent, m->files.data[i].path, &held, &bytes) &&
            bytes == length && !memcmp(held, text, length))
            found = m->files.data[i].path;
    }
    hd_arena_free(arena);
    return found;
}
