/* The profile database's place, by the XDG Base Directory Specification. */
#include <stdlib.h>

#include "cli/database.h"

/* NULL for an empty one, which the specification takes as not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

hd_database *cli_open_database(cli *c) {
    const char *own = variable("HEDDLE_DATABASE"), *data = variable("XDG_DATA_HOME");
    const char *home = variable("HOME");
    if (own)
        return hd_database_open(c->arena, &c->diag, own);
    if (data && *data == '/') /* others are to be ignored */
        own = hd_format(c->arena, "%s/heddle/profiles.db", data);
    else if (home)
        own = hd_format(c->arena, "%s/.local/share/heddle/profiles.db", home);
    if (own)
        return hd_database_open(c->arena, &c->diag, own);
    hd_warn(&c->diag, NULL,
            "neither HOME nor HEDDLE_DATABASE says where the profile database is; set one of "
            "them; going on without it");
    return NULL;
}
