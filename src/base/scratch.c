/* A folder for files that somebody else has to read, such as a compiler. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

hd_status hd_scratch_make(hd_arena *arena, const hd_diag *diag, char **folder) {
    const char *root = getenv("TMPDIR");
    *folder = hd_format(arena, "%s/heddle-XXXXXX", root && *root ? root : "/tmp");
    if (mkdtemp(*folder))
        return HD_OK;
    int error = errno;
    *folder = NULL;
    return hd_fail(diag, HD_ESYSTEM, NULL,
                   "cannot make a temporary folder: %s; set TMPDIR to one with room",
                   strerror(error));
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    remove(path);
    return 0;
}

void hd_scratch_remove(const char *folder) {
    if (folder)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
