/* Files of the user's. Apart from own.c, which knows the folders that the build was made in: libraries
 * in the programs of others do without those. */
#include <stdlib.h>

#include "base/base.h"

const char *hd_user_file(hd_arena *arena, const char *variable, const char *in_home,
                         const char *name) {
    const char *folder = getenv(variable), *home = getenv("HOME");
    if (folder && *folder == '/') /* others are to be ignored */
        return hd_format(arena, "%s/%s", folder, name);
    return home && *home ? hd_format(arena, "%s/%s/%s", home, in_home, name) : NULL;
}
