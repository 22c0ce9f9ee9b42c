/* Training runs, and the trees that were learned from them. */
#include "measure/database_sql.h"

/* ---- training runs ------------------------------------------------------------ */

void hd_database_put_training(hd_database *database, const hd_profiled_device *device,
                              const hd_training_run *runs, size_t count) {
    measure_sql_begin(database);
    measure_database_add_device(database, device);
    for (size_t i = 0; i < count; i++) {
        measure_database_add_profile(database, device, &runs[i].profile);
        measure_sql_run(database,
                        "INSERT INTO training (measurement, length, fields, bytes, tile) "
                        "VALUES (last_insert_rowid(), ?, ?, ?, ?)",
                        "iiii", (uint64_t)runs[i].length, (uint64_t)runs[i].fields,
                        (uint64_t)runs[i].bytes, runs[i].tile);
    }
    measure_sql_commit(database);
}

/* A kernel's hash counts its length. `tile < 0`: SoA, the last one. */
static const char newest_runs[] =
    "SELECT length, fields, bytes, tile, " MEASURE_PROFILE_COLUMNS " FROM training "
    "JOIN measurement ON measurement = id WHERE id IN "
    "  (SELECT max(measurement.id) FROM training JOIN measurement ON measurement = id WHERE "
    "   device = (SELECT id FROM device WHERE" MEASURE_DEVICE_IS ") GROUP BY kernel, layout) "
    "ORDER BY fields, kernel, length, tile < 0, tile";

hd_training_run *hd_database_training(hd_database *database, hd_arena *arena,
                                      const hd_profiled_device *device, size_t *count) {
    hd_vec(hd_training_run) runs = {0};
    sqlite3_stmt *row = measure_sql_query(database, newest_runs, MEASURE_DEVICE_TYPES,
                                          MEASURE_DEVICE_VALUES(device));
    while (measure_sql_row(database, row))
        hd_push(arena, &runs,
                (hd_training_run){.length = (uint32_t)sqlite3_column_int64(row, 0),
                                  .fields = (uint32_t)sqlite3_column_int64(row, 1),
                                  .bytes = (uint32_t)sqlite3_column_int64(row, 2),
                                  .tile = (uint64_t)sqlite3_column_int64(row, 3),
                                  .profile = measure_database_profile(arena, row, 4)});
    *count = runs.count;
    return runs.data;
}

void hd_database_forget_training(hd_database *database, const hd_profiled_device *device) {
    measure_sql_begin(database);
    measure_sql_run(database,
                    "DELETE FROM measurement WHERE id IN (SELECT measurement FROM training) AND "
                    "device = (SELECT id FROM device WHERE" MEASURE_DEVICE_IS ")",
                    MEASURE_DEVICE_TYPES, MEASURE_DEVICE_VALUES(device));
    measure_sql_run(
        database, "DELETE FROM training WHERE measurement NOT IN (SELECT id FROM measurement)", "");
    measure_sql_commit(database);
}

/* ---- trees ---------------------------------------------------------------------- */

void hd_database_put_tree(hd_database *database, const hd_profiled_tree *tree) {
    if (!database)
        return;
    measure_sql_begin(database);
    measure_database_add_device(database, &tree->device);
    measure_sql_run(database,
                    "INSERT OR REPLACE INTO tree (device, date, text) "
                    "SELECT id, ?, ? FROM device WHERE" MEASURE_DEVICE_IS,
                    "tt" MEASURE_DEVICE_TYPES,
                    tree->date ? tree->date : hd_date_now(database->arena), tree->text,
                    MEASURE_DEVICE_VALUES(&tree->device));
    measure_sql_commit(database);
}

hd_profiled_tree *hd_database_trees(hd_database *database, hd_arena *arena, size_t *count) {
    hd_vec(hd_profiled_tree) trees = {0};
    sqlite3_stmt *row = measure_sql_query(database,
                                          "SELECT " MEASURE_DEVICE_COLUMNS ", date, text FROM tree "
                                          "JOIN device ON device = id ORDER BY date DESC, id",
                                          "");
    while (measure_sql_row(database, row))
        hd_push(arena, &trees,
                (hd_profiled_tree){.device = {.backend = measure_sql_text(arena, row, 0),
                                              .platform = measure_sql_text(arena, row, 1),
                                              .name = measure_sql_text(arena, row, 2),
                                              .driver = measure_sql_text(arena, row, 3)},
                                   .date = measure_sql_text(arena, row, 4),
                                   .text = measure_sql_text(arena, row, 5)});
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
