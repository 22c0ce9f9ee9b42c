/* Launches and their tables, as bytes of a chunk. */
#ifndef HD_TRACE_TABLE_H
#define HD_TRACE_TABLE_H

#include "base/table.h"
#include "bytes.h"
#include "machine/event.h"

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

/* ---- rows of the tables, as bytes of a chunk and as lines of the text form ---------------- */

typedef enum member_kind {
    MEMBER_TEXT, /* const char * */
    MEMBER_32,   /* uint32_t, and so on */
    MEMBER_64,
    MEMBER_ADDRESS, /* uint64_t */
    MEMBER_SPACE,
    MEMBER_KIND,   /* hd_access_kind */
    MEMBER_RECORD, /* const hd_record *: a row of the records before, or NULL */
    MEMBER_BUFFER  /* int32_t: a row of the buffers, or -1 */
} member_kind;

typedef struct member {
    member_kind kind;
    size_t at;        /* in the struct */
    const char *what; /* where it is missing in a text */
    uint64_t most;    /* in a text, of a number */
} member;

typedef enum row_kind { ROW_FILE, ROW_RECORD, ROW_FIELD, ROW_BUFFER, ROW_ACCESS } row_kind;

typedef struct row_form {
    const char *name; /* of its lines in a text */
    size_t bytes;     /* of the struct */
    uint32_t most;    /* rows of a table */
    uint32_t count;   /* of members, which stand in the order of a chunk */
    const member *members;
    const uint8_t *text_order; /* the members' order in a text; NULL: the same */
} row_form;

extern const row_form row_forms[ROW_ACCESS + 1];

#define TEXT_FIRST_LINE "# heddle-trace-text 1"
static const char text_kinds[] __attribute__((unused)) = "LSA"; /* by hd_access_kind */

/* A member that is no text: 0 for no row of the records or buffers, else the row plus 1. */
uint64_t member_number(const record_list *list, const member *m, const void *row);
void member_set(const member *m, void *row, uint64_t number);
void member_set_record(const member *m, void *row, const hd_record *record);

/* The tables of a launch: kernel, files, records, buffers, accesses. */
void table_put(const hd_event_launch *launch, bytes *out);
bool table_get(hd_arena *arena, cursor *in, hd_event_launch *launch);
/* The rest of it; `table` is the number of its tables in the file. */
void launch_put(const hd_event_launch *launch, uint64_t table, bytes *out);
/* All of it; its tables are among those of the file so far. */
bool launch_get(cursor *in, const hd_event_launch *tables, size_t count, hd_event_launch *launch);

#endif
