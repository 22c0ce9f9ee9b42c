/* Launches and their tables, as bytes of a chunk; docs/trace-format.md has them. */
#include "part.h"
#include "trace_table.h"

/* ---- what a trace can hold ------------------------------------------------------ */

const char *sizes_fault(const hd_event_launch *l) {
    if (l->dims < 1 || l->dims > 3)
        return "a launch has not one to three dimensions";
    uint64_t blocks = 1, threads = 1;
    for (int d = 0; d < 3; d++)
        if (__builtin_mul_overflow(blocks, l->groups[d], &blocks) ||
            __builtin_mul_overflow(threads, l->local[d], &threads))
            return "a launch is larger than any can be";
    if (!blocks || blocks != l->block_count || blocks == UINT64_MAX)
        return "a launch's number of blocks is not that of its groups";
    if (!threads || threads != l->block_threads)
        return "a launch's threads are not those of its local size";
    if (threads > LANES_MAX)
        return "a launch has more than 65536 threads in a block";
    return NULL;
}

static const char *access_fault(const hd_event_launch *l, const hd_event_access *a) {
    if ((unsigned)a->kind > HD_ATOMIC || (unsigned)a->space > KIR_GENERIC)
        return "an access is of an unknown kind or space";
    if (!a->width || a->width > ACCESS_WIDTH_MAX)
        return "an access has not 1 to 65536 bytes";
    if (a->buffer < -1 || (a->buffer >= 0 && (uint32_t)a->buffer >= l->buffer_count))
        return "an access has a buffer that is not in the table";
    if (a->line && a->file >= l->file_count)
        return "an access has a file that is not in the table";
    return NULL;
}

static const char *record_fault(const hd_record *record) {
    if (!record->name || record->field_count > HD_MAX_FIELDS)
        return "a record has no name, or more than 64 fields";
    for (uint32_t i = 0; i < record->field_count; i++) {
        const hd_field *field = &record->fields[i];
        if (!field->name || !field->count || field->offset > record->size ||
            field->size > record->size - field->offset)
            return "a field has no name, or is not inside its record";
    }
    return NULL;
}

/* A few rows that name each other many times would be more fields than memory can hold: the fields
 * and the depth of a record when those inside it are written out are bounded. */
static const char *records_fault(const hd_event_launch *l) {
    record_list list = {.arena = hd_arena_new()};
    records_collect(&list, l);
    size_t count = list.rows.count;
    const char *fault = count > RECORD_ROWS_MAX ? "a table has too many records" : NULL;
    uint32_t *fields = hd_new_array(list.arena, uint32_t, count);
    uint32_t *depth = hd_new_array(list.arena, uint32_t, count);
    for (size_t row = 0; row < count && !fault; row++) {
        const hd_record *record = list.rows.data[row];
        fault = record_fault(record);
        fields[row] = fault ? 0 : record->field_count;
        depth[row] = 1;
        for (uint32_t i = 0; i < record->field_count && !fault; i++) {
            int64_t inner = records_row(&list, record->fields[i].record);
            if (inner < 0)
                continue;
            fields[row] += fields[inner];
            if (depth[row] <= depth[inner])
                depth[row] = depth[inner] + 1;
        }
        if (fields[row] > RECORD_FIELDS_MAX || depth[row] > RECORD_DEPTH_MAX)
            fault = "a record has more than 4096 fields in all, or records more than 64 deep";
    }
    hd_arena_free(list.arena);
    return fault;
}

const char *tables_fault(const hd_event_launch *l) {
    const char *fault = l->kernel ? NULL : "a launch has no kernel";
    if (!fault && (l->file_count > TABLE_ROWS_MAX || l->buffer_count > TABLE_ROWS_MAX ||
                   l->access_count > TABLE_ROWS_MAX))
        fault = "a table has more than 65536 rows";
    for (uint32_t i = 0; i < l->file_count && !fault; i++)
        if (!l->files[i])
            fault = "a file of the table has no name";
    for (uint32_t i = 0; i < l->buffer_count && !fault; i++)
        if ((unsigned)l->buffers[i].space > KIR_GENERIC ||
            l->buffers[i].bytes > UINT64_MAX - l->buffers[i].base)
            fault = "a buffer is of an unknown space, or beyond all addresses";
    for (uint32_t i = 0; i < l->access_count && !fault; i++)
        fault = access_fault(l, &l->accesses[i]);
    return fault ? fault : records_fault(l);
}

const char *launch_fault(const hd_event_launch *l) {
    const char *fault = sizes_fault(l);
    return fault ? fault : tables_fault(l);
}

/* ---- records -------------------------------------------------------------------- */

int64_t records_row(const record_list *list, const hd_record *record) {
    uint64_t row = record ? hd_hash_get(&list->numbers, (uintptr_t)record) : HD_NO_VALUE;
    return row == HD_NO_VALUE ? -1 : (int64_t)row;
}

static void collect(record_list *list, const hd_record *record) {
    if (!record || records_row(list, record) >= 0)
        return;
    for (uint32_t f = 0; f < record->field_count; f++)
        collect(list, record->fields[f].record);
    hd_hash_add(&list->numbers, (uintptr_t)record, list->rows.count);
    hd_push(list->arena, &list->rows, record);
}

void records_collect(record_list *list, const hd_event_launch *launch) {
    list->numbers.arena = list->arena;
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        collect(list, launch->buffers[b].record);
}

/* ---- rows ----------------------------------------------------------------------- */

static const member file_members[] = {{MEMBER_TEXT, 0, "a file's name"}};

#define MEMBER(kind, T, field, ...) {kind, offsetof(T, field), __VA_ARGS__}
static const member record_members[] = {
    MEMBER(MEMBER_TEXT, hd_record, name, "a record's name"),
    MEMBER(MEMBER_TEXT, hd_record, spelling, "how the source names it"),
    MEMBER(MEMBER_32, hd_record, size, "a size", UINT32_MAX),
    MEMBER(MEMBER_32, hd_record, align, "an alignment", UINT32_MAX),
};
static const member field_members[] = {
    MEMBER(MEMBER_TEXT, hd_field, name, "a field's name"),
    MEMBER(MEMBER_TEXT, hd_field, type, "a field's type"),
    MEMBER(MEMBER_32, hd_field, offset, "an offset", UINT32_MAX),
    MEMBER(MEMBER_32, hd_field, size, "a size", UINT32_MAX),
    MEMBER(MEMBER_32, hd_field, align, "an alignment", UINT32_MAX),
    MEMBER(MEMBER_32, hd_field, count, "a number of elements", UINT32_MAX),
    MEMBER(MEMBER_RECORD, hd_field, record, "record"),
};
static const member buffer_members[] = {
    MEMBER(MEMBER_TEXT, hd_event_buffer, name, "a buffer's name"),
    MEMBER(MEMBER_TEXT, hd_event_buffer, type, "the type of its elements"),
    MEMBER(MEMBER_SPACE, hd_event_buffer, space, "a space"),
    MEMBER(MEMBER_ADDRESS, hd_event_buffer, base, "its first address", UINT64_MAX),
    MEMBER(MEMBER_64, hd_event_buffer, bytes, "its bytes", UINT64_MAX),
    MEMBER(MEMBER_32, hd_event_buffer, element_bytes, "the bytes of an element", UINT32_MAX),
    MEMBER(MEMBER_RECORD, hd_event_buffer, record, "record"),
};
static const member access_members[] = {
    MEMBER(MEMBER_KIND, hd_event_access, kind, "L, S or A"),
    MEMBER(MEMBER_SPACE, hd_event_access, space, "a space"),
    MEMBER(MEMBER_32, hd_event_access, width, "a number of bytes", ACCESS_WIDTH_MAX),
    MEMBER(MEMBER_BUFFER, hd_event_access, buffer, "buffer"),
    MEMBER(MEMBER_TEXT, hd_event_access, record, "a record's name"),
    MEMBER(MEMBER_TEXT, hd_event_access, field, "a field's name"),
    MEMBER(MEMBER_32, hd_event_access, file, "a row of the files", UINT32_MAX),
    MEMBER(MEMBER_32, hd_event_access, line, "a line", UINT32_MAX),
    MEMBER(MEMBER_32, hd_event_access, column, "a column", UINT32_MAX),
    MEMBER(MEMBER_64, hd_event_access, pc, "a pc", UINT64_MAX),
};
#undef MEMBER
static const uint8_t access_text_order[] = {9, 0, 2, 1, 3, 4, 5, 6, 7, 8};

#define MEMBERS(table) sizeof table / sizeof *table, table
const row_form row_forms[] = {
    {"file", sizeof(char *), TABLE_ROWS_MAX, MEMBERS(file_members), NULL},
    {"record", sizeof(hd_record), RECORD_ROWS_MAX, MEMBERS(record_members), NULL},
    {"field", sizeof(hd_field), HD_MAX_FIELDS, MEMBERS(field_members), NULL},
    {"buffer", sizeof(hd_event_buffer), TABLE_ROWS_MAX, MEMBERS(buffer_members), NULL},
    {"access", sizeof(hd_event_access), TABLE_ROWS_MAX, MEMBERS(access_members), access_text_order},
};

uint64_t member_number(const record_list *list, const member *m, const void *row) {
    const void *at = (const uint8_t *)row + m->at;
    switch (m->kind) {
    case MEMBER_64:
    case MEMBER_ADDRESS: return *(const uint64_t *)at;
    case MEMBER_BUFFER: return (uint64_t)(*(const int32_t *)at + (int64_t)1);
    case MEMBER_RECORD: {
        const hd_record *record;
        memcpy(&record, at, sizeof record);
        return (uint64_t)(records_row(list, record) + 1);
    }
    default: return *(const uint32_t *)at;
    }
}

void member_set(const member *m, void *row, uint64_t number) {
    void *at = (uint8_t *)row + m->at;
    if (m->kind == MEMBER_64 || m->kind == MEMBER_ADDRESS)
        *(uint64_t *)at = number;
    else if (m->kind == MEMBER_BUFFER)
        *(int32_t *)at = (int32_t)number - 1;
    else
        *(uint32_t *)at = (uint32_t)number;
}

void member_set_record(const member *m, void *row, const hd_record *record) {
    memcpy((uint8_t *)row + m->at, &record, sizeof record);
}

static void put_row(const record_list *list, row_kind kind, const void *row, bytes *out) {
    const row_form *form = &row_forms[kind];
    for (const member *m = form->members; m < form->members + form->count; m++)
        if (m->kind == MEMBER_TEXT)
            put_text(out, *(const char *const *)(const void *)((const uint8_t *)row + m->at));
        else
            put_varint(out, member_number(list, m, row));
}

static void put_rows(const record_list *list, row_kind kind, const void *rows, uint32_t count,
                     bytes *out) {
    put_varint(out, count);
    for (uint32_t i = 0; i < count; i++)
        put_row(list, kind, (const uint8_t *)rows + i * row_forms[kind].bytes, out);
}

void table_put(const hd_event_launch *launch, bytes *out) {
    record_list list = {.arena = hd_arena_new()};
    records_collect(&list, launch);
    put_text(out, launch->kernel);
    put_rows(&list, ROW_FILE, launch->files, launch->file_count, out);
    put_varint(out, list.rows.count);
    for (size_t i = 0; i < list.rows.count; i++) {
        const hd_record *record = list.rows.data[i];
        put_row(&list, ROW_RECORD, record, out);
        put_rows(&list, ROW_FIELD, record->fields, record->field_count, out);
    }
    put_rows(&list, ROW_BUFFER, launch->buffers, launch->buffer_count, out);
    put_rows(&list, ROW_ACCESS, launch->accesses, launch->access_count, out);
    hd_arena_free(list.arena);
}

/* ---- rows, read ------------------------------------------------------------------- */

/* The records read so far. */
typedef struct read_records {
    hd_record *rows;
    uint32_t count;
} read_records;

static uint32_t get_number(cursor *in) { return (uint32_t)get_limited(in, UINT32_MAX); }

static void get_row(hd_arena *arena, cursor *in, row_kind kind, const read_records *records,
                    void *row) {
    const row_form *form = &row_forms[kind];
    for (const member *m = form->members; m < form->members + form->count; m++)
        if (m->kind == MEMBER_TEXT) {
            *(const char **)(void *)((uint8_t *)row + m->at) = get_text(in, arena);
        } else if (m->kind == MEMBER_RECORD) {
            uint64_t number = get_limited(in, records->count);
            member_set_record(m, row, number ? &records->rows[number - 1] : NULL);
        } else {
            bool is_long = m->kind == MEMBER_64 || m->kind == MEMBER_ADDRESS;
            member_set(m, row,
                       get_limited(in, is_long                    ? UINT64_MAX
                                       : m->kind == MEMBER_BUFFER ? TABLE_ROWS_MAX
                                                                  : UINT32_MAX));
        }
}

/* Memory for rows is asked for before they are read, so there must be as many bytes as rows of
 * their members, each at least one. */
static void *new_rows(hd_arena *arena, cursor *in, row_kind kind, uint32_t *count) {
    uint64_t value = get_limited(in, row_forms[kind].most);
    if (value > (uint64_t)(in->end - in->at) / row_forms[kind].count)
        in->failed = true;
    *count = in->failed ? 0 : (uint32_t)value;
    return hd_alloc_items(arena, *count, row_forms[kind].bytes);
}

static void *get_rows(hd_arena *arena, cursor *in, row_kind kind, const read_records *records,
                      uint32_t *count) {
    uint8_t *rows = new_rows(arena, in, kind, count);
    for (uint32_t i = 0; i < *count && !in->failed; i++)
        get_row(arena, in, kind, records, rows + i * row_forms[kind].bytes);
    return rows;
}

bool table_get(hd_arena *arena, cursor *in, hd_event_launch *launch) {
    launch->kernel = get_text(in, arena);
    launch->files = get_rows(arena, in, ROW_FILE, NULL, &launch->file_count);
    uint32_t count;
    read_records records = {.rows = new_rows(arena, in, ROW_RECORD, &count)};
    for (; records.count < count && !in->failed; records.count++) {
        hd_record *record = &records.rows[records.count];
        get_row(arena, in, ROW_RECORD, NULL, record);
        record->fields = get_rows(arena, in, ROW_FIELD, &records, &record->field_count);
        if (record_fault(record))
            in->failed = true;
    }
    launch->buffers = get_rows(arena, in, ROW_BUFFER, &records, &launch->buffer_count);
    launch->accesses = get_rows(arena, in, ROW_ACCESS, NULL, &launch->access_count);
    return cursor_done(in) && launch->kernel;
}

/* ---- launches ------------------------------------------------------------------- */

void launch_put(const hd_event_launch *launch, uint64_t table, bytes *out) {
    put_varint(out, launch->number);
    put_varint(out, table);
    put_varint(out, launch->dims);
    for (int d = 0; d < 3; d++) {
        put_varint(out, launch->groups[d]);
        put_varint(out, launch->local[d]);
        put_varint(out, launch->offset[d]);
    }
}

bool launch_get(cursor *in, const hd_event_launch *tables, size_t count, hd_event_launch *launch) {
    uint32_t number = get_number(in);
    uint64_t table = get_varint(in);
    if (table >= count)
        return false;
    *launch = tables[table];
    launch->number = number;
    launch->dims = get_number(in);
    launch->block_count = launch->block_threads = 1;
    for (int d = 0; d < 3; d++) {
        launch->groups[d] = get_varint(in);
        launch->local[d] = get_limited(in, LANES_MAX);
        launch->offset[d] = get_varint(in);
        launch->block_count *= launch->groups[d];
        launch->block_threads *= (uint32_t)launch->local[d];
    }
    return cursor_done(in);
}
