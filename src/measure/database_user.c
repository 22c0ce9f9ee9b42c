/* The profile database's place, by the XDG Base Directory Specification. */
#include <stdlib.h>

#include "measure/database.h"

/* NULL for an empty one, which the specification takes as not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

hd_database *hd_database_open_user(hd_arena *arena, const hd_diag *diag) {
    const char *own = variable("HEDDLE_DATABASE"), *data = variable("XDG_DATA_HOME");
    const char *home = variable("HOME");
    if (own)
        return hd_database_open(arena, diag, own);
    if (data && *data == '/') /* others are to be ignored */
        own = hd_format(arena, "%s/heddle/profiles.db", data);
    else if (home)
        own = hd_format(arena, "%s/.local/share/heddle/profiles.db", home);
    if (own)
        return hd_database_open(arena, diag, own);
    hd_warn(diag, NULL,
            "neither HOME nor HEDDLE_DATABASE says where the profile database is; set one of "
            "them; going on without it");
    return NULL;
}
