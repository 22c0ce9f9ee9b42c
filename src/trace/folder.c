/*
 * A trace of several ranks: a folder with a file of each, and a line that says how many there are.
 *
 *     run.hdt/ranks            heddle trace of 4 ranks
 *     run.hdt/rank-0000.hdt    a trace file with the blocks that rank 0 has run or heard, and so on
 *
 * While it is written it is PATH.part, and its files are rank-0000.hdt.part, and so on: what a run
 * that was killed leaves can be read.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "trace_output.h"

#define RANKS_FILE "ranks"
#define RANKS_LINE "heddle trace of %u ranks\n"
enum { MOST_RANKS = 1 << 16 };

/* Without a '/' at its end. */
static const char *plain_path(hd_arena *arena, const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return hd_strndup(arena, path, length);
}

static const char *rank_path(hd_arena *arena, const char *folder, uint32_t rank) {
    return hd_format(arena, "%s/rank-%04u.hdt", folder, rank);
}

const char *hd_trace_folder_name(hd_arena *arena, const char *path, bool complete) {
    return hd_format(arena, "%s%s", plain_path(arena, path), complete ? "" : ".part");
}

/* ---- reading ------------------------------------------------------------------------ */

/* 0: this is no such folder. */
static uint32_t read_ranks(const char *path) {
    hd_arena *arena = hd_arena_new();
    FILE *file = fopen(hd_format(arena, "%s/" RANKS_FILE, path), "r");
    unsigned ranks = 0;
    char end = 0;
    if (file && (fscanf(file, "heddle trace of %u ranks%c", &ranks, &end) != 2 || end != '\n'))
        ranks = 0;
    if (file)
        fclose(file);
    hd_arena_free(arena);
    return ranks <= MOST_RANKS ? ranks : 0;
}

bool hd_trace_is_folder(const char *path) {
    struct stat at;
    hd_arena *arena = hd_arena_new();
    bool is_folder = stat(path, &at) == 0 && S_ISDIR(at.st_mode) &&
                     access(hd_format(arena, "%s/" RANKS_FILE, path), F_OK) == 0;
    hd_arena_free(arena);
    return is_folder;
}

hd_status trace_folder_ranks(hd_arena *arena, const hd_diag *diag, const char *path,
                             uint32_t *ranks) {
    hd_place place = {.file = hd_format(arena, "%s/" RANKS_FILE, path), .line = 1};
    *ranks = read_ranks(path);
    return *ranks ? HD_OK
                  : hd_fail(diag, HD_EINPUT, &place,
                            "the trace is damaged: its line is not 'heddle trace of N ranks'; make "
                            "it anew, or use a copy");
}

const char *trace_rank_file(hd_arena *arena, const char *path, uint32_t rank) {
    const char *whole = rank_path(arena, path, rank);
    const char *part = hd_format(arena, "%s.part", whole);
    return access(whole, F_OK) == 0 ? whole : access(part, F_OK) == 0 ? part : NULL;
}

/* ---- writing ------------------------------------------------------------------------ */

static bool is_own(const char *name) {
    unsigned rank;
    int end = 0;
    bool is_rank = sscanf(name, "rank-%u.hdt%n", &rank, &end) == 1 && end &&
                   (!name[end] || !strcmp(name + end, ".part"));
    return is_rank || !strcmp(name, RANKS_FILE);
}

/* Removes a trace's folder, or an empty one; `own_folder`: also while its files are being written. */
static hd_status remove_folder(hd_arena *arena, const hd_diag *diag, const char *path,
                               bool own_folder) {
    hd_place place = {.file = path};
    DIR *folder = opendir(path);
    if (!folder && errno == ENOENT)
        return HD_OK;
    if (!folder)
        return hd_fail(diag, HD_EINPUT, &place,
                       "cannot be the folder of a trace: %s; name another one", strerror(errno));
    hd_vec(const char *) own = {0};
    bool others = false, is_written = false;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        others |= !is_own(entry->d_name);
        const char *file = hd_format(arena, "%s/%s", path, entry->d_name);
        is_written |= output_is_written(file);
        hd_push(arena, &own, file);
    }
    closedir(folder);
    if (others || (own.count && !hd_trace_is_folder(path)))
        return hd_fail(diag, HD_EINPUT, &place,
                       "this folder holds other files than those of a trace; name another one");
    if (is_written && !own_folder)
        return hd_fail(diag, HD_EINPUT, &place,
                       "another heddle is writing this trace; wait until it is done, or name "
                       "another folder");
    for (size_t i = 0; i < own.count; i++)
        unlink(own.data[i]);
    return rmdir(path) == 0 ? HD_OK : hd_fail_errno(diag, HD_ESYSTEM, path, "remove");
}

static hd_status make_folder(hd_arena *arena, const hd_diag *diag, const char *path,
                             uint32_t ranks) {
    const char *part = hd_trace_folder_name(arena, path, false);
    struct stat at;
    if (stat(path, &at) == 0 && !S_ISDIR(at.st_mode))
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                       "this is a file, and a trace of ranks is a folder; name another one");
    if (stat(path, &at) == 0 && !hd_trace_is_folder(path) && rmdir(path) != 0)
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                       "this folder is no trace that could be replaced; name another one");
    hd_status status = remove_folder(arena, diag, part, false);
    if (status == HD_OK && mkdir(part, 0777) != 0)
        status = hd_fail_errno(diag, HD_EINPUT, part, "make this folder");
    const char *line = hd_format(arena, RANKS_LINE, ranks);
    return status
               ? status
               : hd_write_file(diag, hd_format(arena, "%s/" RANKS_FILE, part), line, strlen(line));
}

/* All ranks have come here, and this one with HD_OK. */
static hd_status meet(hd_arena *arena, const hd_diag *diag, const hd_ranks *ranks) {
    const uint8_t here = 1;
    return hd_ranks_gather(ranks, diag, &here, 1, hd_new_array(arena, uint8_t, ranks->count));
}

hd_status hd_trace_folder_begin(hd_arena *arena, const hd_diag *diag, const char *path,
                                const hd_ranks *ranks, const char **own) {
    const char *plain = plain_path(arena, path);
    *own = rank_path(arena, hd_trace_folder_name(arena, path, false), ranks->rank);
    hd_status status = ranks->rank ? HD_OK : make_folder(arena, diag, plain, ranks->count);
    return status ? status : meet(arena, diag, ranks);
}

hd_status hd_trace_folder_end(hd_arena *arena, const hd_diag *diag, const char *path,
                              const hd_ranks *ranks, hd_status status, bool complete) {
    static const hd_diag silent = {NULL, NULL};
    const char *part = hd_trace_folder_name(arena, path, false), *plain = plain_path(arena, path);
    if (status == HD_OK)
        status = meet(arena, diag, ranks);
    if (ranks->rank == 0 && status != HD_OK) {
        (void)remove_folder(arena, &silent, part, true);
    } else if (ranks->rank == 0 && complete) {
        status = remove_folder(arena, diag, plain, false);
        if (status == HD_OK && rename(part, plain) != 0)
            status = hd_fail_errno(diag, HD_ESYSTEM, plain, "name the folder");
    }
    return status ? status : meet(arena, diag, ranks);
}
