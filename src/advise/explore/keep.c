/*
 * What was explored, in the profile database.
 */
#include <string.h>

#include "advise/explore/explore.h"
#include "advise/measure/database.h"

#define TIMING_COLUMNS(name) name "repeats, " name "median, " name "low, " name "high, "
#define VARIANT_COLUMNS                                                              \
    "point, layout, placement, date, " TIMING_COLUMNS("") TIMING_COLUMNS("whole_")   \
        TIMING_COLUMNS("joules_") TIMING_COLUMNS(                                    \
            "whole_joules_") "meter, modelled, missing, requests, transactions, "    \
                             "l1_bytes, l2_bytes, dram_bytes, integer, fp32, fp64, " \
                             "counters, kernel, profile"
#define TIMING_TYPES "iddd"
#define TIMING_VALUES(t) (uint64_t)(t).repeats, (t).median, (t).low, (t).high

void explore_keep(hd_database *database, const hd_profiled_device *device, const char *profile,
                  const hd_explored *variants, size_t count) {
    if (!database)
        return;
    hd_arena *arena = hd_arena_new();
    hd_database_run(database, "BEGIN IMMEDIATE", "");
    hd_database_add_device(database, device);
    for (size_t i = 0; i < count; i++) {
        const hd_explored *v = &variants[i];
        const hd_variant_counts *c = &v->counts;
        hd_database_run(database,
                        "INSERT OR REPLACE INTO variant (device, " VARIANT_COLUMNS ") "
                        "SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                        "?, ?, ?, ?, ?, "
                        "?, ?, ?, ?, "
                        "?, ?, ?, ? FROM device WHERE" HD_DEVICE_IS,
                        "tttt" TIMING_TYPES TIMING_TYPES TIMING_TYPES TIMING_TYPES
                        "titiiiiiiiittt" HD_DEVICE_TYPES,
                        hd_micro_print(arena, &v->point), v->layout, v->placement, v->date,
                        TIMING_VALUES(v->kernels), TIMING_VALUES(v->whole),
                        TIMING_VALUES(v->energy.joules), TIMING_VALUES(v->whole_energy.joules),
                        v->energy.meter ? v->energy.meter : "", (uint64_t)v->energy.modelled,
                        v->energy.why ? v->energy.why : "", c->requests, c->transactions,
                        c->l1_bytes, c->l2_bytes, c->dram_bytes,
                        c->operations[HD_OPERATION_INTEGER], c->operations[HD_OPERATION_FP32],
                        c->operations[HD_OPERATION_FP64], v->counters,
                        explore_kernel_hash(arena, &v->point, device->backend), profile,
                        HD_DEVICE_VALUES(device));
    }
    hd_database_run(database, "COMMIT", "");
    hd_arena_free(arena);
}

static hd_timing timing_at(sqlite3_stmt *row, int column) {
    return (hd_timing){.repeats = (uint32_t)sqlite3_column_int64(row, column),
                       .median = sqlite3_column_double(row, column + 1),
                       .low = sqlite3_column_double(row, column + 2),
                       .high = sqlite3_column_double(row, column + 3)};
}

static const char *text_or_null(hd_arena *arena, sqlite3_stmt *row, int column) {
    const char *text = hd_database_text(arena, row, column);
    return *text ? text : NULL;
}

/* From the column of the joules on. */
static hd_energy_of energy_at(hd_arena *arena, sqlite3_stmt *row, int column) {
    return (hd_energy_of){.joules = timing_at(row, column),
                          .meter = text_or_null(arena, row, 20),
                          .modelled = sqlite3_column_int(row, 21),
                          .why = text_or_null(arena, row, 22)};
}

static hd_explored variant_of(hd_arena *arena, sqlite3_stmt *row) {
    hd_explored v = {.layout = hd_database_text(arena, row, 1),
                     .placement = hd_database_text(arena, row, 2),
                     .date = hd_database_text(arena, row, 3),
                     .kernels = timing_at(row, 4),
                     .whole = timing_at(row, 8),
                     .energy = energy_at(arena, row, 12),
                     .whole_energy = energy_at(arena, row, 16),
                     .counters = hd_database_text(arena, row, 31)};
    uint64_t *const counts[] = {&v.counts.requests,
                                &v.counts.transactions,
                                &v.counts.l1_bytes,
                                &v.counts.l2_bytes,
                                &v.counts.dram_bytes,
                                &v.counts.operations[HD_OPERATION_INTEGER],
                                &v.counts.operations[HD_OPERATION_FP32],
                                &v.counts.operations[HD_OPERATION_FP64]};
    for (int c = 0; c < 8; c++)
        *counts[c] = (uint64_t)sqlite3_column_int64(row, 23 + c);
    return v;
}

static const char *newest_profile(hd_database *database, hd_arena *arena,
                                  const hd_profiled_device *device) {
    const char *profile = "";
    sqlite3_stmt *row = hd_database_query(
        database,
        "SELECT profile FROM variant WHERE device = (SELECT id FROM device WHERE" HD_DEVICE_IS
        ") ORDER BY id DESC LIMIT 1",
        HD_DEVICE_TYPES, HD_DEVICE_VALUES(device));
    while (hd_database_next(database, row))
        profile = hd_database_text(arena, row, 0);
    return profile;
}

static bool is_model(const char *backend) { return !strcmp(backend, "model"); }

hd_explored *hd_explored_known(hd_database *database, hd_arena *arena,
                               const hd_profiled_device *device, const char *profile,
                               size_t *count) {
    hd_vec(hd_explored) variants = {0};
    const char *newest = profile ? profile : newest_profile(database, arena, device);
    sqlite3_stmt *row = hd_database_query(database,
                                          "SELECT " VARIANT_COLUMNS " FROM variant WHERE device = "
                                          "(SELECT id FROM device WHERE" HD_DEVICE_IS
                                          ") AND profile = ? ORDER BY id",
                                          HD_DEVICE_TYPES "t", HD_DEVICE_VALUES(device), newest);
    while (hd_database_next(database, row)) {
        hd_explored v = variant_of(arena, row);
        v.predicted = is_model(device->backend);
        /* Kernels of another version of Heddle are others. */
        if (hd_micro_parse(hd_database_text(arena, row, 0), &v.point) &&
            !strcmp(hd_database_text(arena, row, 32),
                    explore_kernel_hash(arena, &v.point, device->backend)))
            hd_push(arena, &variants, v);
    }
    *count = variants.count;
    return variants.data;
}

hd_profiled_device *hd_explored_devices(hd_database *database, hd_arena *arena, size_t *count) {
    hd_vec(hd_profiled_device) devices = {0};
    sqlite3_stmt *row = hd_database_query(
        database,
        "SELECT " HD_DEVICE_COLUMNS " FROM device JOIN (SELECT device, max(variant.id) AS newest "
        "FROM variant GROUP BY device) ON device = device.id ORDER BY newest DESC",
        "");
    while (hd_database_next(database, row))
        hd_push(arena, &devices,
                (hd_profiled_device){.backend = hd_database_text(arena, row, 0),
                                     .platform = hd_database_text(arena, row, 1),
                                     .name = hd_database_text(arena, row, 2),
                                     .driver = hd_database_text(arena, row, 3)});
    *count = devices.count;
    return devices.data;
}

void hd_explored_forget(hd_database *database, const hd_profiled_device *device) {
    hd_database_run(database,
                    "DELETE FROM variant WHERE device = (SELECT id FROM device WHERE" HD_DEVICE_IS
                    ")",
                    HD_DEVICE_TYPES, HD_DEVICE_VALUES(device));
}

const char *explore_kernel_hash(hd_arena *arena, const hd_micro_point *point, const char *backend) {
    const char *const texts[] = {
        is_model(backend) ? "compiled" : "micro", backend, hd_micro_source(arena, point, backend),
        hd_micro_job(arena, point, !strcmp(backend, "cuda") ? "k.cu" : "k.cl")};
    return hd_hash_texts(arena, texts, sizeof texts / sizeof *texts);
}
