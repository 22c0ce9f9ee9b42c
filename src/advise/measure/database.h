/*
 * The profile database: what was measured once and need not be measured again.
 *
 * A file of SQLite, one for each user. It holds the measurements of trainings, the trees that were
 * learned from these, and answers: texts under a key, as the command line keeps finished advice.
 * docs/profile-database.md has its schema and what happens to it when a process is killed, or two
 * write at once.
 *
 *     hd_database *database = hd_database_open(arena, diag, path);
 *     if (!hd_database_get_answer(database, arena, key, &value)) {
 *         measure ...
 *         hd_database_put_answer(database, key, value);
 *     }
 *     hd_database_close(database);
 *
 * It only saves time, so nothing here fails. A file that cannot be used is one warning, and
 * then the database is NULL, which every function takes: reading finds nothing, writing does
 * nothing. The same happens to an open one whose file breaks under it.
 */
#ifndef HD_MEASURE_DATABASE_H
#define HD_MEASURE_DATABASE_H

#include <sqlite3.h>

#include "advise/measure/measure.h"

typedef struct hd_database hd_database;

/* ---- database.c ----------------------------------------------------------- */

/* Opens the file at `path`, and makes it, and the folders above it, where there is none. A
 * damaged one, one of a newer version or one that cannot be written is left as it is: NULL,
 * and a warning. The warnings of later calls go to `diag`, too. */
hd_database *hd_database_open(hd_arena *arena, const hd_diag *diag, const char *path);
/* That of this user, $HEDDLE_DATABASE, or heddle/profiles.db in $XDG_DATA_HOME
 * or ~/.local/share. */
hd_database *hd_database_open_user(hd_arena *arena, const hd_diag *diag);
void hd_database_close(hd_database *database);

/* What a measurement ran on. Measurements of another driver are others. */
typedef struct hd_profiled_device {
    const char *backend; /* "opencl", "cuda" */
    const char *platform, *name, *driver;
} hd_profiled_device;

typedef struct hd_profile {
    const char *kernel; /* a hash of all that was run */
    const char *layout; /* in notation */
    const char *date;   /* "2026-11-21T17:30:00Z"; NULL to put it: now */
    hd_timing timing;
} hd_profile;

/* The present time in this form. */
const char *hd_date_now(hd_arena *arena);

/* The text under a key; false when there is none. A later one takes the place of an earlier. */
bool hd_database_get_answer(hd_database *database, hd_arena *arena, const char *key,
                            const char **value);
void hd_database_put_answer(hd_database *database, const char *key, const char *value);

/* ---- training runs and trees ------------------------------------------------- */

/* A measurement of a generated kernel: train.h. */
typedef struct hd_training_run {
    uint32_t length; /* iterations of its loop */
    uint32_t fields; /* of its record, */
    uint32_t bytes;  /* and their sum */
    uint64_t tile;   /* of all fields in one cluster */
    hd_profile profile;
} hd_training_run;

/* All of them or none: what a kill can lose is one call. */
void hd_database_put_training(hd_database *database, const hd_profiled_device *device,
                              const hd_training_run *runs, size_t count);
/* The newest of each kernel, length and tile, by these in order. */
hd_training_run *hd_database_training(hd_database *database, hd_arena *arena,
                                      const hd_profiled_device *device, size_t *count);
void hd_database_forget_training(hd_database *database, const hd_profiled_device *device);

/* A tree that was learned for a device, in the text form of layout/tile_steps.h. */
typedef struct hd_profiled_tree {
    hd_profiled_device device;
    const char *date; /* as in hd_profile */
    const char *text;
} hd_profiled_tree;

/* Takes the place of an earlier one of this device and driver. */
void hd_database_put_tree(hd_database *database, const hd_profiled_tree *tree);
bool hd_database_find_tree(hd_database *database, hd_arena *arena, const hd_profiled_device *device,
                           hd_profiled_tree *tree);
/* All trees, the newest first. */
hd_profiled_tree *hd_database_trees(hd_database *database, hd_arena *arena, size_t *count);

/* ---- statements, for files that keep rows of their own there -------------------- */

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

/* ---- database_key.c: what is the same again ---------------------------------- */

/* 32 hexadecimal digits for a sequence of texts: their 128-bit xxhash. Where one text ends and
 * the next begins counts, and NULL is another text than "". */
const char *hd_hash_texts(hd_arena *arena, const char *const *texts, size_t count);

/* The hash of all that a resolved job runs: its kernels with what they include, options,
 * buffers and what they start with, launches, arguments, graphs, and the record that is laid
 * out; not its tolerance, nor what its files are called. Fails when the file of a buffer
 * cannot be read. */
hd_status hd_job_hash(hd_arena *arena, const hd_diag *diag, const hd_job *job, const char **hash);

#endif
