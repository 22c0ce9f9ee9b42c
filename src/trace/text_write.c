/*
 * The text form, written. A launch that says more than its blocks do has lines for it that
 * begin with '#'; other tools may skip those.
 */
#include "bytes.h"
#include "event/in_order.h"
#include "table.h"
#include "text.h"
#include "trace/trace.h"

enum { PIECE_BYTES = 1 << 16 };

typedef struct text_sink {
    hd_text_write *write;
    void *user;
    hd_status status;
    hd_in_order *order;
    const hd_event_launch *launch;
    bool plain;         /* the first launch needs no lines on it */
    bool block_begun;   /* something of the oldest block was written */
    hd_trace_sums sums; /* of what was written */
} text_sink;

typedef struct text_stream {
    hd_in_order_stream base;
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

static void write_piece(void *self, uint64_t block, void *text, size_t count) {
    text_sink *s = self;
    (void)block;
    s->block_begun = true;
    write_text(s, text, count);
}

static hd_status end_block(void *self, uint64_t block, bool complete) {
    text_sink *s = self;
    (void)block;
    if (s->block_begun && !complete)
        write_text(s, "# block stopped\n", 16);
    s->block_begun = false;
    return HD_OK;
}

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    text_sink *s = self;
    s->launch = launch;
    if (s->sums.launches++ == 0 && s->plain)
        return s->status;
    bytes text = {0};
    put_launch(&text, launch);
    write_text(s, (const char *)text.data, text.count);
    bytes_free(&text);
    return s->status;
}

static void open_block(void *state) {
    text_stream *s = state;
    const text_sink *sink = s->base.self;
    s->lines = s->lane_accesses = s->text.count = 0;
    put_words(&s->text, "B");
    put_number(&s->text, s->base.block);
    put_number(&s->text, sink->launch->block_threads);
    put_byte(&s->text, '\n');
}

static void write_event(void *state, const hd_event *event) {
    text_stream *s = state;
    const hd_event_launch *launch = ((const text_sink *)s->base.self)->launch;
    const hd_event_access *access = &launch->accesses[event->access];
    bytes *out = &s->text;
    put_decimal(out, s->lines++);
    put_number(out, pc_of(launch, event->access));
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
    hd_in_order_put(&s->base, out->data, out->count);
    out->count = 0;
}

static bool close_block(void *state, bool complete) {
    text_stream *s = state;
    if (s->text.count)
        hd_in_order_put(&s->base, s->text.data, s->text.count);
    return complete;
}

static void add_block(void *state, bool complete) {
    const text_stream *s = state;
    hd_trace_sums *sums = &((text_sink *)s->base.self)->sums;
    (void)complete;
    sums->blocks++;
    sums->mis += s->lines;
    sums->lane_accesses += s->lane_accesses;
}

static void free_stream(void *state) { bytes_free(&((text_stream *)state)->text); }

/* Nothing of the sink is left but what is in its arena. */
static hd_status end_launch(void *self, bool complete) {
    text_sink *s = self;
    hd_in_order_free_streams(s->order);
    if (!complete)
        write_text(s, "# launch stopped\n", 17);
    return s->status;
}

static hd_sink begin_text(hd_arena *arena, text_sink *s) {
    s->status = s->write(s->user, TEXT_FIRST_LINE "\n", sizeof TEXT_FIRST_LINE);
    s->order = hd_in_order_new(arena, &(hd_in_order_work){.self = s,
                                                          .stream_bytes = sizeof(text_stream),
                                                          .queues = 1,
                                                          .most_waiting = HD_TRACE_WAITING,
                                                          .launch = begin_launch,
                                                          .end_launch = end_launch,
                                                          .open_block = open_block,
                                                          .event = write_event,
                                                          .close_block = close_block,
                                                          .add_up = add_block,
                                                          .free_stream = free_stream,
                                                          .piece = write_piece,
                                                          .end_block = end_block});
    return hd_in_order_sink(s->order);
}

hd_sink hd_trace_text_sink(hd_arena *arena, hd_text_write *write, void *user) {
    text_sink *s = hd_new(arena, text_sink);
    s->write = write;
    s->user = user;
    return begin_text(arena, s);
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
    hd_arena *arena = hd_arena_new();
    text_sink s = {.write = write, .user = user, .plain = is_plain(trace, choice)};
    const hd_sink sink = begin_text(arena, &s);
    hd_status status = hd_trace_replay(trace, diag, choice, &sink);
    hd_in_order_free(s.order);
    hd_arena_free(arena);
    *sums = s.sums;
    return status;
}
