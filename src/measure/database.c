/*
 * The profile database: its file, measurements and answers.
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
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "measure/database_sql.h"

/* SCHEMA is the version of the tables below, and MARK tells our files from others': "hdlp". */
enum { SCHEMA = 1, MARK = 0x68646c70, PATIENCE_MS = 10000 };

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
    "CREATE TABLE answer (key TEXT PRIMARY KEY, value TEXT NOT NULL, date TEXT NOT NULL);";

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

static void bind(sqlite3_stmt *statement, const char *types, va_list values) {
    for (int i = 0; types[i]; i++) {
        if (types[i] == 't')
            sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
        else if (types[i] == 'i')
            sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)va_arg(values, uint64_t));
        else
            sqlite3_bind_double(statement, i + 1, va_arg(values, double));
    }
}

static sqlite3_stmt *query(hd_database *database, const char *text, const char *types,
                           va_list values) {
    sqlite3_stmt *statement = NULL;
    if (!database || !database->sql)
        return NULL;
    if (sqlite3_prepare_v2(database->sql, text, -1, &statement, NULL) != SQLITE_OK) {
        give_up(database);
        return NULL;
    }
    bind(statement, types, values);
    return statement;
}

sqlite3_stmt *measure_sql_query(hd_database *database, const char *text, const char *types, ...) {
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = query(database, text, types, values);
    va_end(values);
    return statement;
}

bool measure_sql_row(hd_database *database, sqlite3_stmt *statement) {
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

void measure_sql_run(hd_database *database, const char *text, const char *types, ...) {
    va_list values;
    va_start(values, types);
    sqlite3_stmt *statement = query(database, text, types, values);
    va_end(values);
    while (measure_sql_row(database, statement))
        continue;
}

const char *measure_sql_text(hd_arena *arena, sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return hd_strdup(arena, text ? text : "");
}

void measure_sql_begin(hd_database *database) { measure_sql_run(database, "BEGIN IMMEDIATE", ""); }
void measure_sql_commit(hd_database *database) { measure_sql_run(database, "COMMIT", ""); }

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

/* Whether SQLite finds every page and index as it should be. */
static bool is_sound(sqlite3 *sql) {
    sqlite3_stmt *statement = NULL;
    bool sound =
        sqlite3_prepare_v2(sql, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW &&
        !strcmp((const char *)sqlite3_column_text(statement, 0), "ok");
    sqlite3_finalize(statement);
    return sound;
}

static void make_folders(hd_arena *arena, const char *path) {
    char *folder = hd_strdup(arena, path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700); /* a failure shows when the file is opened */
        *slash = '/';
    }
}

/* The journal is made beside the file. */
static bool can_be_written(const hd_database *database) {
    const char *slash = strrchr(database->path, '/');
    const char *folder =
        !slash ? "."
               : hd_strndup(database->arena, database->path,
                            slash == database->path ? 1 : (size_t)(slash - database->path));
    return !sqlite3_db_readonly(database->sql, "main") && !access(folder, W_OK);
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
    if (version > SCHEMA)
        return refuse(database,
                      hd_format(database->arena,
                                "this profile database has version %lld, and this heddle knows "
                                "version %d",
                                (long long)version, SCHEMA),
                      "use the newer heddle, or name another one in HEDDLE_DATABASE");
    if (version < SCHEMA || !is_sound(database->sql))
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
    make_folders(database->arena, database->path);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(database->path, &database->sql, flags, NULL) != SQLITE_OK)
        return refuse_code(database);
    sqlite3_busy_timeout(database->sql, PATIENCE_MS);
    sqlite3_int64 count = number_of(database->sql, "SELECT count(*) FROM sqlite_master");
    if (count < 0)
        return refuse_code(database);
    if (!can_be_written(database))
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

/* ---- measurements ------------------------------------------------------------ */

const char *hd_date_now(hd_arena *arena) {
    char text[32];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return hd_strdup(arena, text);
}

void measure_database_add_device(hd_database *database, const hd_profiled_device *device) {
    measure_sql_run(database,
                    "INSERT OR IGNORE INTO device (" MEASURE_DEVICE_COLUMNS ") VALUES (?, ?, ?, ?)",
                    MEASURE_DEVICE_TYPES, MEASURE_DEVICE_VALUES(device));
}

void measure_database_add_profile(hd_database *database, const hd_profiled_device *device,
                                  const hd_profile *profile) {
    if (!database)
        return;
    measure_sql_run(database,
                    "INSERT INTO measurement (device, " MEASURE_PROFILE_COLUMNS ") "
                    "SELECT id, ?, ?, ?, ?, ?, ?, ? FROM device WHERE" MEASURE_DEVICE_IS,
                    "tttiddd" MEASURE_DEVICE_TYPES, profile->kernel, profile->layout,
                    profile->date ? profile->date : hd_date_now(database->arena),
                    (uint64_t)profile->timing.repeats, profile->timing.median, profile->timing.low,
                    profile->timing.high, MEASURE_DEVICE_VALUES(device));
}

hd_profile measure_database_profile(hd_arena *arena, sqlite3_stmt *statement, int column) {
    return (hd_profile){.kernel = measure_sql_text(arena, statement, column),
                        .layout = measure_sql_text(arena, statement, column + 1),
                        .date = measure_sql_text(arena, statement, column + 2),
                        .timing = {
                            .repeats = (uint32_t)sqlite3_column_int64(statement, column + 3),
                            .median = sqlite3_column_double(statement, column + 4),
                            .low = sqlite3_column_double(statement, column + 5),
                            .high = sqlite3_column_double(statement, column + 6),
                        }};
}

/* ---- answers -------------------------------------------------------------------- */

bool hd_database_get_answer(hd_database *database, hd_arena *arena, const char *key,
                            const char **value) {
    sqlite3_stmt *row =
        measure_sql_query(database, "SELECT value FROM answer WHERE key = ?", "t", key);
    if (!measure_sql_row(database, row))
        return false;
    *value = measure_sql_text(arena, row, 0);
    sqlite3_finalize(row);
    return true;
}

void hd_database_put_answer(hd_database *database, const char *key, const char *value) {
    if (database)
        measure_sql_run(database,
                        "INSERT OR REPLACE INTO answer (key, value, date) VALUES (?, ?, ?)", "ttt",
                        key, value, hd_date_now(database->arena));
}
