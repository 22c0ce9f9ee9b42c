/*
 * Statements on the profile database, for files that keep rows of their own there. The tables are
 * all in database.c. None of these fails for its caller, as in database.h.
 */
#ifndef HD_MEASURE_DATABASE_SQL_H
#define HD_MEASURE_DATABASE_SQL_H

#include <sqlite3.h>

#include "measure/database.h"

/* The columns that tell a device, and `WHERE` for the one of a profile: they take
 * HD_DEVICE_TYPES and HD_DEVICE_VALUES. */
#define HD_DEVICE_COLUMNS "backend, platform, name, driver"
#define HD_DEVICE_IS " backend = ? AND platform = ? AND name = ? AND driver = ?"
#define HD_DEVICE_TYPES "tttt"
#define HD_DEVICE_VALUES(device)                                            \
    (device)->backend, (device)->platform, (device)->name, (device)->driver

/* A statement with its parameters: `types` has a letter for each, t for a text, i for a
 * uint64_t, d for a double. NULL when there is no database. */
sqlite3_stmt *hd_database_query(hd_database *database, const char *text, const char *types, ...);
/* The next row; false after the last one, when the statement is gone. A statement that is
 * not read to its end is finalized by who has it. */
bool hd_database_next(hd_database *database, sqlite3_stmt *statement);
/* A statement without rows. What is between BEGIN and COMMIT is done at the latter, all or none. */
void hd_database_run(hd_database *database, const char *text, const char *types, ...);
/* A column; "" for NULL. */
const char *hd_database_text(hd_arena *arena, sqlite3_stmt *statement, int column);
/* Adds the device if it is not known yet; inside of BEGIN and COMMIT. */
void hd_database_add_device(hd_database *database, const hd_profiled_device *device);

#endif
