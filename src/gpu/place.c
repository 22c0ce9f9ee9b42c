/* Where what comes with Heddle is: beside the running program, wherever it was unpacked, or in the
 * tree that it was built from. */
#include <unistd.h>

#include "gpu/gpu.h"

static const char *beside_program(hd_arena *arena, const char *name) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return hd_format(arena, "%s/share/heddle/%s", path, name);
}

const char *hd_gpu_place(hd_arena *arena, const char *name) {
    const char *installed = beside_program(arena, name);
    if (installed && access(installed, R_OK) == 0)
        return installed;
    bool is_bench = !strncmp(name, "table2/", 7);
    return hd_format(arena, "%s/%s%s", HEDDLE_SOURCE_TREE, is_bench ? "bench/" : "", name);
}
