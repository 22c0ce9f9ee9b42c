/* Where the profile database of this user is. */
#ifndef HD_CLI_DATABASE_H
#define HD_CLI_DATABASE_H

#include "cli/cli.h"
#include "measure/database.h"

/* $HEDDLE_DATABASE, or heddle/profiles.db in $XDG_DATA_HOME or ~/.local/share; opened, and made
 * where there is none. NULL, after a warning, when it cannot be used: all of database.h takes
 * that. */
hd_database *cli_open_database(cli *c);

#endif
