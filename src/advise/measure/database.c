/*
 * The profile database: its file, statements, training runs, trees and answers.
 *
 * Everything that is written at once is one transaction of SQLite with a rollback journal, so
 * a process that is killed leaves what it had finished, and the journal of the rest is undone
 * by whoever opens the file next. (SQLite's write-ahead log would do the same a little faster,
 * but needs memory shared by all users of the file, which home folders on a network do not
 * have.) A second process that writes waits for the first, whose transactions take
 * milliseconds.
 *
 * A file is checked before anything is written to it. The checks only read, so a file that
 * fails one stays as it is.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "advise/measure/database.h"

struct hd_database {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path;
    sqlite3 *sql; /* NULL: the file broke under it */
};

#define PROFILE_COLUMNS "kernel, layout, date, repeats, median, low, high"

/* SCHEMA is the version of the tables below, and MARK tells our files from others': "hdlp". */
enum { SCHEMA = 2, MARK = 0x68646c70, PATIENCE_MS = 10000 };

static const char tables[] =
    "CREATE TABLE device (id INTEGER PRIMARY KEY, backend TEXT NOT NULL, platform TEXT NOT NULL,"
    "  name TEXT NOT NULL, driver TEXT NOT NULL, UNIQUE (backend, platform, name, driver));"
    "CREATE TABLE measurement (id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,"
    "  kernel TEXT NOT NULL, layout TEXT NOT NULL, date TEXT NOT NULL, repeats INTEGER NOT NULL,"
    "  median REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL);"
    "CREATE INDEX measurement_of ON measurement (device, kernel, layout);"
    "CREATE TABLE training (measurement INTEGER PRIMARY KEY REFERENCES measurement,"
    "  length INTEGER NOT NULL, fields INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    "  tile INTEGER NOT NULL);"
    "CREATE TABLE tree (device INTEGER PRIMARY KEY REFERENCES device, date TEXT NOT NULL,"
    "  text TEXT NOT NULL);"
    "CREATE TABLE answer (key TEXT PRIMARY KEY, value TEXT NOT NULL, date TEXT NOT NULL);"
    "CREATE TABLE variant (id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,"
    "  kernel TEXT NOT NULL, profile TEXT NOT NULL, point TEXT NOT NULL, layout TEXT NOT NULL, "
    "placement TEXT NOT NULL,"
    "  date TEXT NOT NULL, repeats INTEGER NOT NULL, median REAL NOT NULL, low REAL NOT NULL,"
    "  high REAL NOT NULL, whole_repeats INTEGER NOT NULL, whole_median REAL NOT NULL,"
    "  whole_low REAL NOT NULL, whole_high REAL NOT NULL, joules_repeats INTEGER NOT NULL,"
    "  joules_median REAL NOT NULL, joules_low REAL NOT NULL, joules_high REAL NOT NULL,"
    "  whole_joules_repeats INTEGER NOT NULL, whole_joules_median REAL NOT NULL,"
    "  whole_joules_low REAL NOT NULL, whole_joules_high REAL NOT NULL,"
    "  meter TEXT NOT NULL, modelled INTEGER NOT NULL, missing TEXT NOT NULL,"
    "  requests INTEGER NOT NULL, transactions INTEGER NOT NULL, l1_bytes INTEGER NOT NULL,"
    "  l2_bytes INTEGER NOT NULL, dram_bytes INTEGER NOT NULL, integer INTEGER NOT NULL,"
    "  fp32 INTEGER NOT NULL, fp64 INTEGER NOT NULL, counters TEXT NOT NULL,"
    "  UNIQUE (device, kernel, profile, point, layout, placement));";

static hd_place place_of(const hd_database *database) { return (hd_place){.file = database->path}; }

/* ---- statements ----------------------------------------------------------- */

/* Whether the file holds something else than it should; SQLITE_ERROR is a table that is not
 * there or has other columns. */
static bool is_damage(int code) {
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
}

/* The file can no longer be used: from here on the database is like none. */
static void give_up(hd_database *database) {
    hd_place place = place_of(database);
    int code = sqlite3_errcode(database->sql);
    const char *mend = code == SQLITE_BUSY ? "end the process that holds it"
                       : is_damage(code)
                           ? "delete it, or name another one in HEDDLE_DATABASE"
                           : "see that its disk can be written, or name another one in "
                             "HEDDLE_DATABASE";
    hd_warn(database->diag, &place, "the profile database fails (%s); %s; what follows is not kept",
            sqlite3_errmsg(database->sql), mend);
    sqlite3_close_v2(database->sql);
    database->sql = NULL;
}

static sqlite3_stmt *prepare(hd_database *database, const char *text, const char *types,
                             va_list values) {
    sqlite3_stmt *statement = NULL;
    if (!database || !database->sql)
        return NULL;
    if (sqlite3_prepare_v2(database->sql, text, -1, &statement, NULL) != SQLITE_OK) {
        give_up(database);
        return NULL;
    }
    for (int i = 0; types[i]; i++) {
        if (types[i] == 't')
            sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
        else if (types[i] == 'i')
            sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)va_arg(values, uint64_t));
        else
            sqlite3_bind_double(statement, i + 1, va_arg(values, double));
    }
    return statement;
}

sqlite3_stmt *hd_database_query(hd_database *database, const char *text, const char *types, ...) {
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = prepare(database, text, types, values);
    va_end(values);
    return statement;
}

bool hd_database_next(hd_database *database, sqlite3_stmt *statement) {
    if (!statement)
        return false;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        give_up(database);
    sqlite3_finalize(statement);
    return false;
}

void hd_database_run(hd_database *database, const char *text, const char *types, ...) {
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = prepare(database, text, types, values);
    va_end(values);
    while (hd_database_next(database, statement))
        continue;
}

const char *hd_database_text(hd_arena *arena, sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return hd_strdup(arena, text ? text : "");
}

/* ---- the file -------------------------------------------------------------- */

/* Of the first column of the first row; -1: it cannot be read. */
static sqlite3_int64 number_of(sqlite3 *sql, const char *text) {
    sqlite3_stmt *statement = NULL;
    sqlite3_int64 value = -1;
    if (sqlite3_prepare_v2(sql, text, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static bool refuse(const hd_database *database, const char *why, const char *mend) {
    hd_place place = place_of(database);
    hd_warn(database->diag, &place, "%s; %s; going on without it", why, mend);
    return false;
}

static bool refuse_code(const hd_database *database) {
    int code = sqlite3_errcode(database->sql);
    const char *why = hd_format(database->arena, "cannot use this profile database: %s",
                                sqlite3_errmsg(database->sql));
    return refuse(database, why,
                  is_damage(code)       ? "delete it, or name another one in HEDDLE_DATABASE"
                  : code == SQLITE_BUSY ? "end the process that holds it"
                                        : "name a file that can be written in HEDDLE_DATABASE");
}

static bool check_content(const hd_database *database, sqlite3_int64 mark, sqlite3_int64 version) {
    const char *other = "name another one in HEDDLE_DATABASE";
    if (mark != MARK)
        return refuse(database, "this is the database of another program", other);
    if (version > 0 && version != SCHEMA)
        return refuse(database,
                      hd_format(database->arena,
                                "this profile database has version %lld, and this heddle knows "
                                "version %d",
                                (long long)version, SCHEMA),
                      version > SCHEMA
                          ? "use the newer heddle, or name another one in HEDDLE_DATABASE"
                          : "delete it, or name another one in HEDDLE_DATABASE");
    /* Whether SQLite finds every page and index as it should be. */
    sqlite3_stmt *check = NULL;
    bool sound =
        version >= 1 &&
        sqlite3_prepare_v2(database->sql, "PRAGMA quick_check(1)", -1, &check, NULL) == SQLITE_OK &&
        sqlite3_step(check) == SQLITE_ROW &&
        !strcmp((const char *)sqlite3_column_text(check, 0), "ok");
    sqlite3_finalize(check);
    if (!sound)
        return refuse(database, "this profile database is damaged",
                      "delete it, or name another one in HEDDLE_DATABASE");
    return true;
}

/* Only one of two processes that come to an empty file makes the tables. */
static bool make_tables(const hd_database *database) {
    sqlite3 *sql = database->sql;
    char *marks = hd_format(database->arena, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                            MARK, SCHEMA);
    bool made = sqlite3_exec(sql, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    if (made && number_of(sql, "SELECT count(*) FROM sqlite_master") == 0)
        made = sqlite3_exec(sql, tables, NULL, NULL, NULL) == SQLITE_OK &&
               sqlite3_exec(sql, marks, NULL, NULL, NULL) == SQLITE_OK;
    made = made && sqlite3_exec(sql, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    return made || refuse_code(database);
}

static bool open_file(hd_database *database) {
    char *folder = hd_strdup(database->arena, database->path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700); /* a failure shows when the file is opened */
        *slash = '/';
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(database->path, &database->sql, flags, NULL) != SQLITE_OK)
        return refuse_code(database);
    sqlite3_busy_timeout(database->sql, PATIENCE_MS);
    sqlite3_int64 count = number_of(database->sql, "SELECT count(*) FROM sqlite_master");
    if (count < 0)
        return refuse_code(database);
    /* The journal is made beside the file. */
    if (sqlite3_db_readonly(database->sql, "main") ||
        access(hd_path_folder(database->arena, database->path), W_OK))
        return refuse(database, "this profile database cannot be written",
                      "give yourself the right to, or name another one in HEDDLE_DATABASE");
    sqlite3_int64 mark = number_of(database->sql, "PRAGMA application_id");
    sqlite3_int64 version = number_of(database->sql, "PRAGMA user_version");
    if (!count && !mark && !version)
        return make_tables(database);
    return check_content(database, mark, version);
}

hd_database *hd_database_open(hd_arena *arena, const hd_diag *diag, const char *path) {
    hd_database *database = hd_new(arena, hd_database);
    *database = (hd_database){.arena = arena, .diag = diag, .path = hd_strdup(arena, path)};
    if (open_file(database))
        return database;
    sqlite3_close_v2(database->sql);
    return NULL;
}

void hd_database_close(hd_database *database) {
    if (database)
        sqlite3_close_v2(database->sql);
}

hd_database *hd_database_open_user(hd_arena *arena, const hd_diag *diag) {
    const char *path = getenv("HEDDLE_DATABASE");
    if (!path || !*path)
        path = hd_user_file(arena, "XDG_DATA_HOME", ".local/share", "heddle/profiles.db");
    if (path)
        return hd_database_open(arena, diag, path);
    hd_warn(diag, NULL,
            "neither HOME nor HEDDLE_DATABASE says where the profile database is; set one of "
            "them; going on without it");
    return NULL;
}

/* ---- measurements ------------------------------------------------------------ */

const char *hd_date_now(hd_arena *arena) {
    char text[32];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return hd_strdup(arena, text);
}

void hd_database_add_device(hd_database *database, const hd_profiled_device *device) {
    hd_database_run(database,
                    "INSERT OR IGNORE INTO device (" HD_DEVICE_COLUMNS ") VALUES (?, ?, ?, ?)",
                    HD_DEVICE_TYPES, HD_DEVICE_VALUES(device));
}

/* ---- answers -------------------------------------------------------------------- */

bool hd_database_get_answer(hd_database *database, hd_arena *arena, const char *key,
                            const char **value) {
    sqlite3_stmt *row =
        hd_database_query(database, "SELECT value FROM answer WHERE key = ?", "t", key);
    if (!hd_database_next(database, row))
        return false;
    *value = hd_database_text(arena, row, 0);
    sqlite3_finalize(row);
    return true;
}

void hd_database_put_answer(hd_database *database, const char *key, const char *value) {
    if (database)
        hd_database_run(database,
                        "INSERT OR REPLACE INTO answer (key, value, date) VALUES (?, ?, ?)", "ttt",
                        key, value, hd_date_now(database->arena));
}

/* ---- training runs ------------------------------------------------------------ */

void hd_database_put_training(hd_database *database, const hd_profiled_device *device,
                              const hd_training_run *runs, size_t count) {
    if (!database)
        return;
    hd_database_run(database, "BEGIN IMMEDIATE", "");
    hd_database_add_device(database, device);
    for (size_t i = 0; i < count; i++) {
        const hd_profile *profile = &runs[i].profile;
        hd_database_run(database,
                        "INSERT INTO measurement (device, " PROFILE_COLUMNS ") "
                        "SELECT id, ?, ?, ?, ?, ?, ?, ? FROM device WHERE" HD_DEVICE_IS,
                        "tttiddd" HD_DEVICE_TYPES, profile->kernel, profile->layout,
                        profile->date ? profile->date : hd_date_now(database->arena),
                        (uint64_t)profile->timing.repeats, profile->timing.median,
                        profile->timing.low, profile->timing.high, HD_DEVICE_VALUES(device));
        hd_database_run(database,
                        "INSERT INTO training (measurement, length, fields, bytes, tile) "
                        "VALUES (last_insert_rowid(), ?, ?, ?, ?)",
                        "iiii", (uint64_t)runs[i].length, (uint64_t)runs[i].fields,
                        (uint64_t)runs[i].bytes, runs[i].tile);
    }
    hd_database_run(database, "COMMIT", "");
}

/* A kernel's hash counts its length. `tile < 0`: SoA, the last one. */
static const char newest_runs[] =
    "SELECT length, fields, bytes, tile, " PROFILE_COLUMNS " FROM training "
    "JOIN measurement ON measurement = id WHERE id IN "
    "  (SELECT max(measurement.id) FROM training JOIN measurement ON measurement = id WHERE "
    "   device = (SELECT id FROM device WHERE" HD_DEVICE_IS ") GROUP BY kernel, layout) "
    "ORDER BY fields, kernel, length, tile < 0, tile";

hd_training_run *hd_database_training(hd_database *database, hd_arena *arena,
                                      const hd_profiled_device *device, size_t *count) {
    hd_vec(hd_training_run) runs = {0};
    sqlite3_stmt *row =
        hd_database_query(database, newest_runs, HD_DEVICE_TYPES, HD_DEVICE_VALUES(device));
    while (hd_database_next(database, row))
        hd_push(arena, &runs,
                (hd_training_run){
                    .length = (uint32_t)sqlite3_column_int64(row, 0),
                    .fields = (uint32_t)sqlite3_column_int64(row, 1),
                    .bytes = (uint32_t)sqlite3_column_int64(row, 2),
                    .tile = (uint64_t)sqlite3_column_int64(row, 3),
                    .profile = {.kernel = hd_database_text(arena, row, 4),
                                .layout = hd_database_text(arena, row, 5),
                                .date = hd_database_text(arena, row, 6),
                                .timing = {.repeats = (uint32_t)sqlite3_column_int64(row, 7),
                                           .median = sqlite3_column_double(row, 8),
                                           .low = sqlite3_column_double(row, 9),
                                           .high = sqlite3_column_double(row, 10)}}});
    *count = runs.count;
    return runs.data;
}

void hd_database_forget_training(hd_database *database, const hd_profiled_device *device) {
    hd_database_run(database, "BEGIN IMMEDIATE", "");
    hd_database_run(database,
                    "DELETE FROM measurement WHERE id IN (SELECT measurement FROM training) AND "
                    "device = (SELECT id FROM device WHERE" HD_DEVICE_IS ")",
                    HD_DEVICE_TYPES, HD_DEVICE_VALUES(device));
    hd_database_run(
        database, "DELETE FROM training WHERE measurement NOT IN (SELECT id FROM measurement)", "");
    hd_database_run(database, "COMMIT", "");
}

/* ---- trees ---------------------------------------------------------------------- */

void hd_database_put_tree(hd_database *database, const hd_profiled_tree *tree) {
    if (!database)
        return;
    hd_database_run(database, "BEGIN IMMEDIATE", "");
    hd_database_add_device(database, &tree->device);
    hd_database_run(database,
                    "INSERT OR REPLACE INTO tree (device, date, text) "
                    "SELECT id, ?, ? FROM device WHERE" HD_DEVICE_IS,
                    "tt" HD_DEVICE_TYPES, tree->date ? tree->date : hd_date_now(database->arena),
                    tree->text, HD_DEVICE_VALUES(&tree->device));
    hd_database_run(database, "COMMIT", "");
}

hd_profiled_tree *hd_database_trees(hd_database *database, hd_arena *arena, size_t *count) {
    hd_vec(hd_profiled_tree) trees = {0};
    sqlite3_stmt *row = hd_database_query(database,
                                          "SELECT " HD_DEVICE_COLUMNS ", date, text FROM tree "
                                          "JOIN device ON device = id ORDER BY date DESC, id",
                                          "");
    while (hd_database_next(database, row))
        hd_push(arena, &trees,
                (hd_profiled_tree){.device = {.backend = hd_database_text(arena, row, 0),
                                              .platform = hd_database_text(arena, row, 1),
                                              .name = hd_database_text(arena, row, 2),
                                              .driver = hd_database_text(arena, row, 3)},
                                   .date = hd_database_text(arena, row, 4),
                                   .text = hd_database_text(arena, row, 5)});
    *count = trees.count;
    return trees.data;
}

bool hd_database_find_tree(hd_database *database, hd_arena *arena, const hd_profiled_device *device,
                           hd_profiled_tree *tree) {
    size_t count;
    const hd_profiled_tree *trees = hd_database_trees(database, arena, &count);
    for (size_t i = 0; i < count; i++) {
        const hd_profiled_device *d = &trees[i].device;
        if (!strcmp(d->backend, device->backend) && !strcmp(d->platform, device->platform) &&
            !strcmp(d->name, device->name) && !strcmp(d->driver, device->driver)) {
            *tree = trees[i];
            return true;
        }
    }
    return false;
}
