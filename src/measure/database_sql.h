/* What the parts of the profile database share: SQLite with its errors. Private. */
#ifndef HD_MEASURE_DATABASE_SQL_H
#define HD_MEASURE_DATABASE_SQL_H

#include <sqlite3.h>

#include "measure/database.h"

struct hd_database {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path;
    sqlite3 *sql; /* NULL: the file broke under it */
};

/* The columns that tell a device, and `WHERE` for the one of a profile: they take
 * MEASURE_DEVICE_TYPES and MEASURE_DEVICE_VALUES. */
#define MEASURE_DEVICE_COLUMNS "backend, platform, name, driver"
#define MEASURE_DEVICE_IS " backend = ? AND platform = ? AND name = ? AND driver = ?"
#define MEASURE_DEVICE_TYPES "tttt"
#define MEASURE_DEVICE_VALUES(device)                                       \
    (device)->backend, (device)->platform, (device)->name, (device)->driver

/* A statement with its parameters: `types` has a letter for each, t for a text, i for a
 * uint64_t, d for a double. NULL when there is no database. */
sqlite3_stmt *measure_sql_query(hd_database *database, const char *statement, const char *types,
                                ...);
/* The next row; false after the last one, when the statement is gone. A statement that is
 * not read to its end is finalized by who has it. */
bool measure_sql_row(hd_database *database, sqlite3_stmt *statement);
/* A statement without rows. */
void measure_sql_run(hd_database *database, const char *statement, const char *types, ...);
/* "" for NULL. */
const char *measure_sql_text(hd_arena *arena, sqlite3_stmt *statement, int column);

/* Changes between these are made at measure_sql_commit(), all or none. */
void measure_sql_begin(hd_database *database);
void measure_sql_commit(hd_database *database);

/* In a transaction: sees to it that the device is there, and stores a measurement. */
void measure_database_add_device(hd_database *database, const hd_profiled_device *device);
void measure_database_add_profile(hd_database *database, const hd_profiled_device *device,
                                  const hd_profile *profile);
/* Columns from `column` on, in the order of MEASURE_PROFILE_COLUMNS. */
#define MEASURE_PROFILE_COLUMNS "kernel, layout, date, repeats, median, low, high"
hd_profile measure_database_profile(hd_arena *arena, sqlite3_stmt *statement, int column);

#endif
