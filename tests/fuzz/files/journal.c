/*
 * Journals of a rewriting in place that was interrupted (src/base/journal.c has the format): with
 * the files that the sound one names as it left them, and a look at all files afterwards. Whatever
 * a journal holds, files that it does not name stay as they are; and all do when it is refused.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

enum { END_LINE = 21 };

/* The files of tests/fuzz/corpus/journal/whole.txt, each as something between old and new. */
static const char *const named[][2] = {
    {"half.cl", "new new old old\n"}, {"done.h", "after\n"}, {"made.h", "of the rewriting\n"}};
enum { NAMED = sizeof named / sizeof *named };

static uint64_t hash_on(uint64_t hash, const void *data, size_t length) {
    const uint8_t *at = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_of(const void *data, size_t length) {
    return hash_on(UINT64_C(0xcbf29ce484222325), data, length);
}

/* ---- a journal that is believed ---------------------------------------------------------- */

static size_t line_after(const bytes *b, size_t at) {
    const uint8_t *end = memchr(b->data + at, '\n', b->length - at);
    return end ? (size_t)(end - b->data) + 1 : b->length;
}

/* The second line says which file the journal is. */
static void name_itself(hd_arena *arena, int fd, bytes *journal) {
    struct statx about;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &about))
        return;
    bool dated = about.stx_mask & STATX_BTIME;
    const char *line = hd_format(
        arena, "written as %llu %lld %u\n", (unsigned long long)about.stx_ino,
        dated ? (long long)about.stx_btime.tv_sec : 0, dated ? about.stx_btime.tv_nsec : 0);
    size_t at = line_after(journal, 0);
    bytes_replace(journal, at, line_after(journal, at) - at, line, strlen(line));
}

static void sum(hd_arena *arena, bytes *journal) {
    if (journal->length < END_LINE || memcmp(journal->data + journal->length - END_LINE, "end ", 4))
        return;
    size_t length = journal->length - END_LINE;
    const char *line =
        hd_format(arena, "end %016llx\n", (unsigned long long)hash_of(journal->data, length));
    bytes_replace(journal, length, END_LINE, line, END_LINE);
}

/* Most of what is damaged is a journal all the same. */
static void settle(hd_arena *arena, const char *path, const bytes *input) {
    bytes journal = {0};
    uint64_t random = hash_of(input->data, input->length);
    int fd = open(path, O_RDWR);
    bytes_set(&journal, input->data, input->length);
    if (fd >= 0 && hd_next_random(&random) % 16)
        name_itself(arena, fd, &journal);
    if (hd_next_random(&random) % 16)
        sum(arena, &journal);
    if (fd < 0 || pwrite(fd, journal.data, journal.length, 0) < 0 ||
        ftruncate(fd, (off_t)journal.length))
        abort();
    close(fd);
    free(journal.data);
}

/* ---- the files ---------------------------------------------------------------------------- */

static bool is_named(const char *name) {
    for (size_t i = 0; i < NAMED; i++)
        if (!strcmp(name, named[i][0]))
            return true;
    return false;
}

/* What calls write in any case. */
static bool is_own(const char *name) {
    return name[0] == '.' || !strcmp(name, "errors") || !strcmp(name, "out") ||
           !strncmp(name, "input", 5) || !strncmp(name, "profiles.db", 11);
}

static uint64_t hash_file(hd_arena *arena, const char *path, const char *name) {
    const hd_diag silent = {NULL, NULL};
    char *text;
    size_t length;
    if (hd_read_file(arena, &silent, path, &text, &length))
        return 0;
    return hash_on(hash_of(name, strlen(name)), text, length);
}

static folder_state look(const limits *l) {
    folder_state now = {0};
    hd_arena *arena = hd_arena_new();
    DIR *open = opendir(l->folder);
    for (struct dirent *e; open && (e = readdir(open));) {
        if (is_own(e->d_name))
            continue;
        uint64_t hash =
            hash_file(arena, hd_format(arena, "%s/%s", l->folder, e->d_name), e->d_name);
        if (is_named(e->d_name))
            now.named += hash;
        else
            now.others += hash;
    }
    if (open)
        closedir(open);
    hd_arena_free(arena);
    return now;
}

folder_state begin_journal(hd_arena *arena, const limits *l, const char *path, const bytes *input) {
    const hd_diag silent = {NULL, NULL};
    settle(arena, path, input);
    for (size_t i = 0; i < NAMED; i++)
        if (hd_write_file(&silent, hd_format(arena, "%s/%s", l->folder, named[i][0]), named[i][1],
                          strlen(named[i][1])))
            abort();
    return look(l);
}

const char *check_journal(const limits *l, folder_state before, bool refused) {
    folder_state now = look(l);
    for (size_t i = 0; i < NAMED; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", l->folder, named[i][0]);
        unlink(path);
    }
    if (now.others != before.others)
        return "a file that the journal does not name has changed";
    if (refused && now.named != before.named)
        return "it is refused, but files have changed";
    return NULL;
}
