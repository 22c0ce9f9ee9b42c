/* Launches and their tables, as bytes of a chunk; docs/trace-format.md has them. */
#include "part.h"
#include "table.h"

/* That a row has at least: one for each varint and text. */
enum { FILE_BYTES = 1, RECORD_BYTES = 5, FIELD_BYTES = 7, BUFFER_BYTES = 7, ACCESS_BYTES = 10 };

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

/* How much a record is when the records inside it are written out. */
typedef struct extent {
    uint32_t fields, depth;
} extent;

/* A few rows that name each other many times would be more fields than memory can hold: a
 * record's extent, from those of the rows before it, is bounded. */
static const char *extent_fault(const record_list *list, size_t row, extent *extents) {
    const hd_record *record = list->rows.data[row];
    extent sum = {record->field_count, 1};
    for (uint32_t i = 0; i < record->field_count; i++) {
        int64_t inner = records_row(list, record->fields[i].record);
        if (inner < 0)
            continue;
        sum.fields += extents[inner].fields;
        if (sum.depth <= extents[inner].depth)
            sum.depth = extents[inner].depth + 1;
    }
    extents[row] = sum;
    return sum.fields > RECORD_FIELDS_MAX || sum.depth > RECORD_DEPTH_MAX
               ? "a record has more than 4096 fields in all, or records more than 64 deep"
               : NULL;
}

static const char *records_fault(const hd_event_launch *l) {
    record_list list = {.arena = hd_arena_new()};
    records_collect(&list, l);
    const char *fault = list.rows.count > RECORD_ROWS_MAX ? "a table has too many records" : NULL;
    extent *extents = hd_new_array(list.arena, extent, list.rows.count);
    for (size_t i = 0; i < list.rows.count && !fault; i++) {
        fault = record_fault(list.rows.data[i]);
        if (!fault)
            fault = extent_fault(&list, i, extents);
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

static void put_record(const record_list *list, const hd_record *record, bytes *out) {
    put_text(out, record->name);
    put_text(out, record->spelling);
    put_varint(out, record->size);
    put_varint(out, record->align);
    put_varint(out, record->field_count);
    for (uint32_t i = 0; i < record->field_count; i++) {
        const hd_field *field = &record->fields[i];
        put_text(out, field->name);
        put_text(out, field->type);
        put_varint(out, field->offset);
        put_varint(out, field->size);
        put_varint(out, field->align);
        put_varint(out, field->count);
        put_varint(out, (uint64_t)(records_row(list, field->record) + 1));
    }
}

/* The number of rows that follow, `most` at most, of so many bytes each or more: memory for rows is
 * asked for before they are read. (Members are read in statements of their own: initialisers have
 * no order.) */
static uint32_t get_count(cursor *in, uint64_t most, uint64_t least_bytes) {
    uint64_t value = get_limited(in, most);
    if (value > (uint64_t)(in->end - in->at) / least_bytes)
        in->failed = true;
    return in->failed ? 0 : (uint32_t)value;
}

/* A row of the `count` records read so far, NULL for none. */
static hd_record *get_record_row(cursor *in, hd_record *records, uint64_t count) {
    uint64_t row = get_limited(in, count);
    return row ? &records[row - 1] : NULL;
}

static uint32_t get_number(cursor *in) { return (uint32_t)get_limited(in, UINT32_MAX); }

static void get_record(hd_arena *arena, cursor *in, hd_record *records, uint64_t row) {
    hd_record *record = &records[row];
    record->name = get_text(in, arena);
    record->spelling = get_text(in, arena);
    record->size = get_number(in);
    record->align = get_number(in);
    record->field_count = get_count(in, HD_MAX_FIELDS, FIELD_BYTES);
    record->fields = hd_new_array(arena, hd_field, record->field_count);
    for (uint32_t i = 0; i < record->field_count && !in->failed; i++) {
        hd_field *field = &record->fields[i];
        field->name = get_text(in, arena);
        field->type = get_text(in, arena);
        field->offset = get_number(in);
        field->size = get_number(in);
        field->align = get_number(in);
        field->count = get_number(in);
        field->record = get_record_row(in, records, row);
    }
    if (record_fault(record))
        in->failed = true;
}

/* ---- tables --------------------------------------------------------------------- */

static void put_buffer(const record_list *list, const hd_event_buffer *buffer, bytes *out) {
    put_text(out, buffer->name);
    put_text(out, buffer->type);
    put_varint(out, buffer->space);
    put_varint(out, buffer->base);
    put_varint(out, buffer->bytes);
    put_varint(out, buffer->element_bytes);
    put_varint(out, (uint64_t)(records_row(list, buffer->record) + 1));
}

static void put_access(const hd_event_access *access, bytes *out) {
    put_varint(out, access->kind);
    put_varint(out, access->space);
    put_varint(out, access->width);
    put_varint(out, (uint64_t)((int64_t)access->buffer + 1));
    put_text(out, access->record);
    put_text(out, access->field);
    put_varint(out, access->file);
    put_varint(out, access->line);
    put_varint(out, access->column);
    put_varint(out, access->pc);
}

void table_put(const hd_event_launch *launch, bytes *out) {
    record_list list = {.arena = hd_arena_new()};
    records_collect(&list, launch);
    put_text(out, launch->kernel);
    put_varint(out, launch->file_count);
    for (uint32_t i = 0; i < launch->file_count; i++)
        put_text(out, launch->files[i]);
    put_varint(out, list.rows.count);
    for (size_t i = 0; i < list.rows.count; i++)
        put_record(&list, list.rows.data[i], out);
    put_varint(out, launch->buffer_count);
    for (uint32_t i = 0; i < launch->buffer_count; i++)
        put_buffer(&list, &launch->buffers[i], out);
    put_varint(out, launch->access_count);
    for (uint32_t i = 0; i < launch->access_count; i++)
        put_access(&launch->accesses[i], out);
    hd_arena_free(list.arena);
}

static const char *const *get_files(hd_arena *arena, cursor *in, uint32_t *count) {
    *count = get_count(in, TABLE_ROWS_MAX, FILE_BYTES);
    const char **files = hd_new_array(arena, const char *, *count);
    for (uint32_t i = 0; i < *count && !in->failed; i++)
        files[i] = get_text(in, arena);
    return files;
}

static hd_record *get_records(hd_arena *arena, cursor *in, uint32_t *count) {
    *count = get_count(in, RECORD_ROWS_MAX, RECORD_BYTES);
    hd_record *records = hd_new_array(arena, hd_record, *count);
    for (uint32_t i = 0; i < *count && !in->failed; i++)
        get_record(arena, in, records, i);
    return records;
}

static const hd_event_buffer *get_buffers(hd_arena *arena, cursor *in, hd_record *records,
                                          uint32_t record_count, uint32_t *count) {
    *count = get_count(in, TABLE_ROWS_MAX, BUFFER_BYTES);
    hd_event_buffer *buffers = hd_new_array(arena, hd_event_buffer, *count);
    for (uint32_t i = 0; i < *count && !in->failed; i++) {
        hd_event_buffer *buffer = &buffers[i];
        buffer->name = get_text(in, arena);
        buffer->type = get_text(in, arena);
        buffer->space = (kir_space)get_number(in);
        buffer->base = get_varint(in);
        buffer->bytes = get_varint(in);
        buffer->element_bytes = get_number(in);
        buffer->record = get_record_row(in, records, record_count);
    }
    return buffers;
}

static const hd_event_access *get_accesses(hd_arena *arena, cursor *in, uint32_t *count) {
    *count = get_count(in, TABLE_ROWS_MAX, ACCESS_BYTES);
    hd_event_access *accesses = hd_new_array(arena, hd_event_access, *count);
    for (uint32_t i = 0; i < *count && !in->failed; i++) {
        hd_event_access *access = &accesses[i];
        access->kind = (hd_access_kind)get_number(in);
        access->space = (kir_space)get_number(in);
        access->width = get_number(in);
        access->buffer = (int32_t)get_limited(in, TABLE_ROWS_MAX) - 1;
        access->record = get_text(in, arena);
        access->field = get_text(in, arena);
        access->file = get_number(in);
        access->line = get_number(in);
        access->column = get_number(in);
        access->pc = get_varint(in);
    }
    return accesses;
}

bool table_get(hd_arena *arena, cursor *in, hd_event_launch *launch) {
    launch->kernel = get_text(in, arena);
    launch->files = get_files(arena, in, &launch->file_count);
    uint32_t record_count;
    hd_record *records = get_records(arena, in, &record_count);
    launch->buffers = get_buffers(arena, in, records, record_count, &launch->buffer_count);
    launch->accesses = get_accesses(arena, in, &launch->access_count);
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

bool launch_get(cursor *in, hd_event_launch *launch, uint64_t *table) {
    launch->number = get_number(in);
    *table = get_varint(in);
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
