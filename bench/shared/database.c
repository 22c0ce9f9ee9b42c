#include "shared/database.h"

#include <stdlib.h>

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

hd_database *open_database(hd_arena *arena, const hd_diag *diag) {
    const char *own = variable("HEDDLE_DATABASE"), *data = variable("XDG_DATA_HOME");
    const char *home = variable("HOME");
    if (!own && data && *data == '/')
        own = hd_format(arena, "%s/heddle/profiles.db", data);
    else if (!own && home)
        own = hd_format(arena, "%s/.local/share/heddle/profiles.db", home);
    return own ? hd_database_open(arena, diag, own) : NULL;
}
