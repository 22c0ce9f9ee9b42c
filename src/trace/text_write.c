/*
 * The text form, written. A launch that says more than its blocks do has lines for it that
 * begin with '#'; other tools may skip those.
 */
#include "order.h"
#include "bytes.h"
#include "table.h"
#include "text.h"
#include "trace/trace.h"

enum { PIECE_BYTES = 1 << 16 };

typedef struct text_sink {
    hd_text_write *write;
    void *user;
    hd_status status;
    order order;
    const hd_event_launch *launch;
    bool plain;       /* the first launch needs no lines on it */
    bool block_begun; /* something of the oldest block was written */
    uint64_t launches;
    _Atomic uint64_t blocks, mis, lane_accesses; /* of what was written */
} text_sink;

typedef struct text_stream {
    text_sink *sink;
    order_block *place;
    uint64_t lines, lane_accesses;
    bytes text;
} text_stream;

/* ---- words ---------------------------------------------------------------------- */

static void put_words(bytes *out, const char *text) { put_data(out, text, strlen(text)); }

static void put_decimal(bytes *out, uint64_t value) {
    char digits[20];
    int at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    put_data(out, digits + at, sizeof digits - (size_t)at);
}

static void put_hex(bytes *out, uint64_t value) {
    char digits[16];
    int at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    put_data(out, digits + at, sizeof digits - (size_t)at);
}

static void put_number(bytes *out, uint64_t value) {
    put_byte(out, ' ');
    put_decimal(out, value);
}

/* A name as one word: bytes that would end it, and '%', are %xx; NULL is -, the empty name
 * and the name - are %00 and %2d. */
static void put_name(bytes *out, const char *name) {
    put_byte(out, ' ');
    if (!name)
        put_byte(out, '-');
    else if (!*name)
        put_words(out, "%00");
    else if (!strcmp(name, "-"))
        put_words(out, "%2d");
    for (; name && *name && strcmp(name, "-") != 0; name++) {
        uint8_t c = (uint8_t)*name;
        if (c > ' ' && c != '%' && c != 127) {
            put_byte(out, c);
            continue;
        }
        put_byte(out, '%');
        put_byte(out, (uint8_t)"0123456789abcdef"[c >> 4]);
        put_byte(out, (uint8_t)"0123456789abcdef"[c & 15]);
    }
}

static void put_row(bytes *out, int64_t row) {
    if (row < 0)
        put_words(out, " -");
    else
        put_number(out, (uint64_t)row);
}

/* ---- launches ------------------------------------------------------------------- */

static uint64_t pc_of(const hd_event_launch *l, uint32_t access) {
    return l->accesses[access].pc ? l->accesses[access].pc : access;
}

static void put_record(bytes *out, const record_list *list, const hd_record *record) {
    put_words(out, "# record");
    put_name(out, record->name);
    put_name(out, record->spelling);
    put_number(out, record->size);
    put_number(out, record->align);
    put_byte(out, '\n');
    for (uint32_t i = 0; i < record->field_count; i++) {
        const hd_field *field = &record->fields[i];
        put_words(out, "# field");
        put_name(out, field->name);
        put_name(out, field->type);
        put_number(out, field->offset);
        put_number(out, field->size);
        put_number(out, field->align);
        put_number(out, field->count);
        put_row(out, records_row(list, field->record));
        put_byte(out, '\n');
    }
}

static void put_buffer(bytes *out, const record_list *list, const hd_event_buffer *buffer) {
    put_words(out, "# buffer");
    put_name(out, buffer->name);
    put_name(out, buffer->type);
    put_byte(out, ' ');
    put_words(out, kir_space_name(buffer->space));
    put_byte(out, ' ');
    put_hex(out, buffer->base);
    put_number(out, buffer->bytes);
    put_number(out, buffer->element_bytes);
    put_row(out, records_row(list, buffer->record));
    put_byte(out, '\n');
}

static void put_access(bytes *out, const hd_event_launch *l, uint32_t row) {
    const hd_event_access *a = &l->accesses[row];
    put_words(out, "# access");
    put_number(out, pc_of(l, row));
    put_byte(out, ' ');
    put_byte(out, (uint8_t)text_kinds[a->kind]);
    put_number(out, a->width);
    put_byte(out, ' ');
    put_words(out, kir_space_name(a->space));
    put_row(out, a->buffer);
    put_name(out, a->record);
    put_name(out, a->field);
    put_number(out, a->file);
    put_number(out, a->line);
    put_number(out, a->column);
    put_byte(out, '\n');
}

static void put_launch(bytes *out, const hd_event_launch *l) {
    put_words(out, "# launch");
    put_number(out, l->number);
    put_name(out, l->kernel);
    put_number(out, l->dims);
    for (int d = 0; d < 3; d++)
        put_number(out, l->groups[d]);
    for (int d = 0; d < 3; d++)
        put_number(out, l->local[d]);
    for (int d = 0; d < 3; d++)
        put_number(out, l->offset[d]);
    put_byte(out, '\n');
    for (uint32_t i = 0; i < l->file_count; i++) {
        put_words(out, "# file");
        put_name(out, l->files[i]);
        put_byte(out, '\n');
    }
    record_list list = {.arena = hd_arena_new()};
    records_collect(&list, l);
    for (size_t i = 0; i < list.rows.count; i++)
        put_record(out, &list, list.rows.data[i]);
    for (uint32_t i = 0; i < l->buffer_count; i++)
        put_buffer(out, &list, &l->buffers[i]);
    for (uint32_t i = 0; i < l->access_count; i++)
        put_access(out, l, i);
    hd_arena_free(list.arena);
}

/* ---- the sink ------------------------------------------------------------------- */

static void write_text(text_sink *s, const char *text, size_t count) {
    if (!s->status)
        s->status = s->write(s->user, text, count);
}

static void write_piece(void *self, uint64_t block, uint8_t *data, size_t count) {
    text_sink *s = self;
    (void)block;
    s->block_begun = true;
    write_text(s, (const char *)data, count);
}

static void end_block(void *self, uint64_t block, bool complete) {
    text_sink *s = self;
    (void)block;
    if (s->block_begun && !complete)
        write_text(s, "# block stopped\n", 16);
    s->block_begun = false;
}

static hd_status sink_launch(void *self, const hd_event_launch *launch) {
    text_sink *s = self;
    s->launch = launch;
    order_start(&s->order, (order_output){s, write_piece, end_block}, HD_TRACE_WAITING);
    if (s->launches++ == 0 && s->plain)
        return s->status;
    bytes text = {0};
    put_launch(&text, launch);
    write_text(s, (const char *)text.data, text.count);
    bytes_free(&text);
    return s->status;
}

static void *sink_open_block(void *self, uint64_t block) {
    text_sink *s = self;
    text_stream *stream = memory_grow(NULL, sizeof *stream);
    *stream = (text_stream){.sink = s, .place = order_open(&s->order, block)};
    put_words(&stream->text, "B");
    put_number(&stream->text, block);
    put_number(&stream->text, s->launch->block_threads);
    put_byte(&stream->text, '\n');
    return stream;
}

static void sink_event(void *stream_state, const hd_event *event) {
    text_stream *s = stream_state;
    bytes *out = &s->text;
    const hd_event_access *access = &s->sink->launch->accesses[event->access];
    put_decimal(out, s->lines++);
    put_number(out, pc_of(s->sink->launch, event->access));
    put_byte(out, ' ');
    put_byte(out, (uint8_t)text_kinds[access->kind]);
    put_number(out, access->width);
    s->lane_accesses += event->active;
    for (uint32_t lane = 0; lane < event->threads; lane++)
        if (hd_event_active(event, lane)) {
            put_number(out, lane);
            put_byte(out, ':');
            put_hex(out, hd_event_address(event, lane));
        }
    put_byte(out, '\n');
    if (out->count < PIECE_BYTES)
        return;
    order_put(&s->sink->order, s->place, out->data, out->count);
    out->count = 0;
}

static hd_status sink_close_block(void *self, void *stream_state, uint64_t block, bool complete) {
    text_sink *s = self;
    text_stream *stream = stream_state;
    (void)block;
    if (stream->text.count)
        order_put(&s->order, stream->place, stream->text.data, stream->text.count);
    order_close(&s->order, stream->place, complete);
    s->blocks++;
    s->mis += stream->lines;
    s->lane_accesses += stream->lane_accesses;
    bytes_free(&stream->text);
    free(stream);
    return HD_OK;
}

static hd_status sink_end_launch(void *self, bool complete) {
    text_sink *s = self;
    order_stop(&s->order);
    if (!complete)
        write_text(s, "# launch stopped\n", 17);
    return s->status;
}

static hd_sink sink_of(text_sink *s) {
    return (hd_sink){s,          sink_launch,      sink_open_block,
                     sink_event, sink_close_block, sink_end_launch};
}

static void begin_text(text_sink *s) {
    s->status = s->write(s->user, TEXT_FIRST_LINE "\n", sizeof TEXT_FIRST_LINE);
}

hd_sink hd_trace_text_sink(hd_arena *arena, hd_text_write *write, void *user) {
    text_sink *s = hd_new(arena, text_sink);
    s->write = write;
    s->user = user;
    begin_text(s);
    return sink_of(s);
}

/* ---- plain launches --------------------------------------------------------------- */

/* What the blocks of a launch show of it. */
typedef struct shown {
    bool *accesses;      /* [access_count] */
    uint64_t next_block; /* after the last one */
} shown;

static void *show_block(void *self, uint64_t block) {
    shown *s = self;
    s->next_block = block + 1;
    return s;
}

static void show_event(void *stream, const hd_event *event) {
    shown *s = stream;
    s->accesses[event->access] = true;
}

/* The sizes and accesses are such as the reader makes of plain blocks. */
static bool looks_plain(const hd_event_launch *l) {
    if (l->number || *l->kernel || l->dims != 1 || l->file_count || l->buffer_count)
        return false;
    if (l->groups[1] != 1 || l->groups[2] != 1 || l->local[1] != 1 || l->local[2] != 1 ||
        l->offset[0] || l->offset[1] || l->offset[2])
        return false;
    for (uint32_t i = 0; i < l->access_count; i++) {
        const hd_event_access *a = &l->accesses[i];
        if (a->space != KIR_GLOBAL || a->buffer >= 0 || a->record || a->field || a->file ||
            a->line || a->column || (i && pc_of(l, i) <= pc_of(l, i - 1)))
            return false;
    }
    return true;
}

/* True when a text without any line on launches says all there is of the first one that is
 * chosen: the blocks have every access and the last block. A second reading is the price,
 * paid only where a plain text was imported. */
static bool is_plain(hd_trace *trace, const hd_trace_choice *choice) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    if (!contents->launch_count || choice->launch > 0)
        return false;
    const hd_event_launch *l = &contents->launches[0].launch;
    if (!looks_plain(l))
        return false;
    hd_trace_choice first = *choice;
    first.launch = l->number;
    hd_arena *arena = hd_arena_new();
    shown s = {.accesses = hd_new_array(arena, bool, l->access_count)};
    const hd_sink sink = {.self = &s, .open_block = show_block, .event = show_event};
    bool plain = !hd_trace_replay(trace, NULL, &first, &sink) && s.next_block == l->groups[0];
    for (uint32_t i = 0; i < l->access_count && plain; i++)
        plain = s.accesses[i];
    hd_arena_free(arena);
    return plain;
}

/* ---- a trace, as text --------------------------------------------------------------- */

hd_status hd_trace_text_write(hd_trace *trace, const hd_diag *diag, const hd_trace_choice *choice,
                              hd_text_write *write, void *user, hd_trace_sums *sums) {
    text_sink s = {.write = write, .user = user, .plain = is_plain(trace, choice)};
    begin_text(&s);
    const hd_sink sink = sink_of(&s);
    hd_status status = hd_trace_replay(trace, diag, choice, &sink);
    *sums = (hd_trace_sums){s.launches, s.blocks, s.mis, s.lane_accesses};
    return status;
}
