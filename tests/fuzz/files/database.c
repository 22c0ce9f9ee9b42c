/* Damage to profile databases: other values in the rows of a sound one, or other bytes. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"

static const char *const columns[][2] = {
    {"device", "name"},         {"device", "backend"},     {"device", "driver"},
    {"measurement", "kernel"},  {"measurement", "layout"}, {"measurement", "date"},
    {"measurement", "repeats"}, {"measurement", "median"}, {"measurement", "low"},
    {"measurement", "high"},    {"measurement", "device"}, {"training", "measurement"},
    {"training", "length"},     {"training", "fields"},    {"training", "bytes"},
    {"training", "tile"},       {"tree", "text"},          {"tree", "date"},
    {"answer", "key"},          {"answer", "value"}};

static const char *const values[] = {"0",
                                     "-1",
                                     "1",
                                     "NULL",
                                     "''",
                                     "1e308",
                                     "-1e308",
                                     "9e999",
                                     "-9223372036854775808",
                                     "9223372036854775807",
                                     "4294967296",
                                     "2147483648",
                                     "'x'",
                                     "zeroblob(100)",
                                     "x'00'",
                                     "x'ff41'",
                                     "hex(zeroblob(60000))",
                                     "replace(hex(zeroblob(30000)),'00','<= 1 (')",
                                     "'<= 1 (AoS SoA)'",
                                     "'<= 0 SoA SoA'",
                                     "'AoS to 8, 64 to 12, SoA'",
                                     "'AoS to 8, 64 to 8, SoA'",
                                     "'<= 18446744073709551615 (<= 1 2 4) (<= 2 3 4)'",
                                     "'SoA SoA'",
                                     "'3'",
                                     "'2026-11-22T10:00:00Z'",
                                     "char(10)",
                                     "'{}'",
                                     "'[1,2'",
                                     "0.5"};

/* Runs a statement on a database that stands in memory; what it can't do is left undone. */
static void change(sqlite3 *sql, uint64_t *random) {
    char *statement;
    uint64_t which = hd_next_random(random) % (sizeof columns / sizeof *columns);
    const char *value = values[hd_next_random(random) % (sizeof values / sizeof *values)];
    switch (hd_next_random(random) % 8) {
    case 0: statement = sqlite3_mprintf("DELETE FROM %s", columns[which][0]); break;
    case 1: statement = sqlite3_mprintf("DROP TABLE %s", columns[which][0]); break;
    case 2:
        statement = sqlite3_mprintf("ALTER TABLE %s RENAME COLUMN %s TO other", columns[which][0],
                                    columns[which][1]);
        break;
    default:
        statement =
            sqlite3_mprintf("UPDATE %s SET %s = %s WHERE rowid %% 3 = %d", columns[which][0],
                            columns[which][1], value, (int)(hd_next_random(random) % 3));
    }
    sqlite3_exec(sql, statement, NULL, NULL, NULL);
    sqlite3_free(statement);
}

static void change_rows(uint64_t *random, bytes *input) {
    sqlite3 *sql;
    if (sqlite3_open(":memory:", &sql))
        abort();
    uint8_t *copy = sqlite3_malloc64(input->length);
    memcpy(copy, input->data, input->length);
    if (!sqlite3_deserialize(sql, "main", copy, (sqlite3_int64)input->length,
                             (sqlite3_int64)input->length,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)) {
        sqlite3_exec(sql, "PRAGMA ignore_check_constraints = 1; PRAGMA foreign_keys = 0", NULL,
                     NULL, NULL);
        for (uint64_t n = 1 + hd_next_random(random) % 3; n; n--)
            change(sql, random);
        sqlite3_int64 length;
        uint8_t *changed = sqlite3_serialize(sql, "main", &length, 0);
        if (changed)
            bytes_set(input, changed, (size_t)length);
        sqlite3_free(changed);
    }
    sqlite3_close(sql);
}

void damage_database(uint64_t *random, const bytes_list *seeds, bytes *input) {
    (void)seeds;
    if (hd_next_random(random) % 4)
        change_rows(random, input);
    else
        for (uint64_t n = 1 + hd_next_random(random) % 8; n && input->length; n--)
            input->data[hd_next_random(random) % input->length] = (uint8_t)hd_next_random(random);
}
