/* Files of the user's. Apart from own.c, which knows the folders that the build was made in: libraries
 * in the programs of others do without those. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/base.h"

const char *hd_user_file(hd_arena *arena, const char *variable, const char *in_home,
                         const char *name) {
    const char *folder = getenv(variable), *home = getenv("HOME");
    if (folder && *folder == '/') /* others are to be ignored */
        return hd_format(arena, "%s/%s", folder, name);
    return home && *home ? hd_format(arena, "%s/%s/%s", home, in_home, name) : NULL;
}

const char *hd_oldest_file(hd_arena *arena, const char *folder,
                           int (*is_one)(const struct dirent *), int most) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_one, NULL);
    const char *oldest = NULL;
    struct timespec then = {0};
    for (int i = 0; i < count; i++) {
        struct stat found;
        const char *path = hd_format(arena, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        if (count <= most || stat(path, &found))
            continue;
        if (!oldest || found.st_mtim.tv_sec < then.tv_sec ||
            (found.st_mtim.tv_sec == then.tv_sec && found.st_mtim.tv_nsec < then.tv_nsec)) {
            oldest = path;
            then = found.st_mtim;
        }
    }
    if (count >= 0)
        free(entries);
    return oldest;
}
