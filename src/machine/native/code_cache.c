/*
 * Compiled kernels on disk.
 *
 *     ~/.cache/heddle/native-KEY.o     a mark, the bytes of an object file, their hash
 *
 * The key is of the IR and of what LLVM says of itself and of the processor. Files appear whole; what is
 * damaged is compiled again. Of more than MOST_KEPT the ones that were used longest ago go.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/native/llvm/llvm.h"
#include "machine/native/native.h"

enum { MOST_KEPT = 512 };

typedef struct mark {
    char name[8];
    uint64_t bytes, hash;
} mark;

static const char mark_name[8] = "HDNATIV2";

static const char *path_of(hd_arena *arena, const vm_native_library *llvm, const char *ir,
                           size_t length) {
    const char *target = llvm->target();
    uint64_t first =
        hd_hash_bytes(hd_hash_bytes(HD_HASH_START, target, strlen(target)), ir, length);
    uint64_t second =
        hd_hash_bytes(hd_hash_bytes(~HD_HASH_START, ir, length), target, strlen(target));
    return hd_user_file(arena, "XDG_CACHE_HOME", ".cache",
                        hd_format(arena, "heddle/native-%016llx%016llx.o",
                                  (unsigned long long)first, (unsigned long long)second));
}

static void *read_object(hd_arena *arena, const char *path, size_t *bytes) {
    char *text;
    size_t length;
    mark m;
    if (access(path, R_OK) || hd_read_file(arena, NULL, path, &text, &length) || length < sizeof m)
        return NULL;
    memcpy(&m, text, sizeof m);
    const char *object = text + sizeof m;
    if (memcmp(m.name, mark_name, sizeof mark_name) || m.bytes != length - sizeof m ||
        m.hash != hd_hash_bytes(HD_HASH_START, object, m.bytes))
        return NULL;
    void *copy = malloc(m.bytes);
    if (copy)
        memcpy(copy, object, m.bytes);
    *bytes = m.bytes;
    utimensat(AT_FDCWD, path, NULL, 0); /* used just now */
    return copy;
}

static int is_code(const struct dirent *entry) {
    return !strncmp(entry->d_name, "native-", strlen("native-"));
}

static void write_object(hd_arena *arena, const char *path, const void *object, size_t bytes) {
    mark m = {.bytes = bytes, .hash = hd_hash_bytes(HD_HASH_START, object, bytes)};
    memcpy(m.name, mark_name, sizeof mark_name);
    hd_str all = {.arena = arena};
    hd_str_addn(&all, (const char *)&m, sizeof m);
    hd_str_addn(&all, object, bytes);
    const char *folder = hd_path_folder(arena, path);
    hd_folders folders = {0};
    if (!hd_folders_make(arena, NULL, folder, &folders) &&
        !hd_write_file(NULL, path, all.data, all.length)) {
        const char *oldest = hd_oldest_file(arena, folder, is_code, MOST_KEPT);
        if (oldest)
            unlink(oldest);
    }
}

bool vm_native_is_kept(hd_arena *arena, const vm_native_library *llvm, const char *ir,
                       size_t length) {
    const char *path = path_of(arena, llvm, ir, length);
    return path && !access(path, R_OK);
}

void *vm_native_object(hd_arena *arena, const vm_native_library *llvm, const char *ir,
                       size_t length, size_t *bytes, char **message) {
    const char *path = path_of(arena, llvm, ir, length);
    void *object = path ? read_object(arena, path, bytes) : NULL;
    if (object)
        return object;
    object = llvm->compile(ir, length, bytes, message);
    if (object && path)
        write_object(arena, path, object, *bytes);
    return object;
}
