/* Launches and their tables, as bytes of a chunk. */
#ifndef HD_TRACE_TABLE_H
#define HD_TRACE_TABLE_H

#include "base/table.h"
#include "bytes.h"
#include "event/event.h"

enum {
    TABLE_ROWS_MAX = 1 << 16, /* of files, buffers or accesses */
    RECORD_ROWS_MAX = 1 << 12,
    RECORD_FIELDS_MAX = 1 << 12, /* of a record, those of records inside it counted, too */
    RECORD_DEPTH_MAX = 64,       /* records inside each other */
    ACCESS_WIDTH_MAX = 1 << 16
};

/* What is wrong with the tables of a launch, with its sizes, with either; NULL when a trace can
 * hold it. */
const char *tables_fault(const hd_event_launch *launch);
const char *sizes_fault(const hd_event_launch *launch);
const char *launch_fault(const hd_event_launch *launch);

/* Records in an order where those inside others stand first. */
typedef struct record_list {
    hd_arena *arena;
    hd_vec(const hd_record *) rows;
    hd_hash_table numbers; /* of the rows, by the records' addresses */
} record_list;
void records_collect(record_list *list, const hd_event_launch *launch);
/* Row of a record of the list, -1 for NULL. */
int64_t records_row(const record_list *list, const hd_record *record);

/* The tables of a launch: kernel, files, records, buffers, accesses. */
void table_put(const hd_event_launch *launch, bytes *out);
bool table_get(hd_arena *arena, cursor *in, hd_event_launch *launch);
/* The rest of it; `table` is the number of its tables in the file. */
void launch_put(const hd_event_launch *launch, uint64_t table, bytes *out);
bool launch_get(cursor *in, hd_event_launch *launch, uint64_t *table);

#endif
