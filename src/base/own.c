/*
 * Heddle's own files: device profiles, headers for CUDA C, the clang that comes along. An
 * installed tree may be moved, so they are looked for from where the program itself lies:
 *
 *     PREFIX/bin/heddle            the program that runs
 *     PREFIX/share/heddle/devices  hd_own_file(arena, "share/heddle/devices", ...)
 *
 * A program in a build folder has nothing beside it and takes the source tree's; the prefix that
 * the build was configured with is the last resort (hd_own_fallback).
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

static const char *existing(hd_arena *arena, const char *folder, const char *name) {
    if (!folder || !name)
        return NULL;
    const char *path = hd_format(arena, "%s/%s", folder, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *hd_own_file(hd_arena *arena, const char *installed, const char *in_source) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    const char *path = NULL;
    if (length > 0 && length < (ssize_t)sizeof program) {
        const char *bin = hd_path_folder(arena, hd_strndup(arena, program, (size_t)length));
        path = existing(arena, hd_path_folder(arena, bin), installed);
    }
    if (!path)
        path = existing(arena, hd_own_fallback.source, in_source);
    return path ? path : existing(arena, hd_own_fallback.prefix, installed);
}

const char *hd_own_program(hd_arena *arena, const char *name) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    if (length > 0 && length < (ssize_t)sizeof program) {
        const char *folder = hd_path_folder(arena, hd_strndup(arena, program, (size_t)length));
        const char *path = existing(arena, folder, name);
        if (!path) /* of a test */
            path = existing(arena, hd_path_folder(arena, folder), name);
        if (path)
            return path;
    }
    return existing(arena, hd_own_fallback.prefix, hd_format(arena, "bin/%s", name));
}
