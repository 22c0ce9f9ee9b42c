/*
 * The text form (docs/trace-format.md), written. A launch that says more than its blocks do has
 * lines for it that begin with '#'; other tools may skip those.
 */
#include "bytes.h"
#include "trace_table.h"
#include "trace/trace.h"

enum { PIECE_BYTES = 1 << 16 };

typedef struct text_sink {
    hd_text_write *write;
    void *user;
    hd_status status;
    const hd_event_launch *launch;
    bool plain;         /* the first launch needs no lines on it */
    uint64_t lines;     /* of the block so far */
    hd_trace_sums sums; /* of what was written */
    bytes text;         /* not yet written */
} text_sink;

/* ---- words ---------------------------------------------------------------------- */

static void put_words(bytes *out, const char *text) { put_data(out, text, strlen(text)); }

static inline void put_digits(bytes *out, uint64_t value, unsigned base) {
    char digits[20];
    int at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value % base];
    while (value /= base);
    put_data(out, digits + at, sizeof digits - (size_t)at);
}
static void put_decimal(bytes *out, uint64_t value) { put_digits(out, value, 10); }
static void put_hex(bytes *out, uint64_t value) { put_digits(out, value, 16); }

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

/* ---- launches ------------------------------------------------------------------- */

static uint64_t pc_of(const hd_event_launch *l, uint32_t access) {
    return l->accesses[access].pc ? l->accesses[access].pc : access;
}

static void put_row(bytes *out, const record_list *list, row_kind kind, const void *row) {
    const row_form *form = &row_forms[kind];
    put_words(out, "# ");
    put_words(out, form->name);
    for (uint32_t i = 0; i < form->count; i++) {
        const member *m = &form->members[form->text_order ? form->text_order[i] : i];
        if (m->kind == MEMBER_TEXT) {
            put_name(out, *(const char *const *)(const void *)((const uint8_t *)row + m->at));
            continue;
        }
        uint64_t number = member_number(list, m, row);
        put_byte(out, ' ');
        if (m->kind == MEMBER_SPACE)
            put_words(out, kir_space_name((kir_space)number));
        else if (m->kind == MEMBER_KIND)
            put_byte(out, (uint8_t)text_kinds[number]);
        else if (m->kind == MEMBER_ADDRESS)
            put_hex(out, number);
        else if (m->kind != MEMBER_RECORD && m->kind != MEMBER_BUFFER)
            put_decimal(out, number);
        else if (number)
            put_decimal(out, number - 1);
        else
            put_byte(out, '-');
    }
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
    record_list list = {.arena = hd_arena_new()};
    records_collect(&list, l);
    for (uint32_t i = 0; i < l->file_count; i++)
        put_row(out, &list, ROW_FILE, &l->files[i]);
    for (size_t i = 0; i < list.rows.count; i++) {
        const hd_record *record = list.rows.data[i];
        put_row(out, &list, ROW_RECORD, record);
        for (uint32_t f = 0; f < record->field_count; f++)
            put_row(out, &list, ROW_FIELD, &record->fields[f]);
    }
    for (uint32_t i = 0; i < l->buffer_count; i++)
        put_row(out, &list, ROW_BUFFER, &l->buffers[i]);
    for (uint32_t i = 0; i < l->access_count; i++) {
        hd_event_access access = l->accesses[i];
        access.pc = pc_of(l, i);
        put_row(out, &list, ROW_ACCESS, &access);
    }
    hd_arena_free(list.arena);
}

/* ---- the sink ------------------------------------------------------------------- */

static void write_text(text_sink *s, const char *text, size_t count) {
    if (!s->status)
        s->status = s->write(s->user, text, count);
}

static void write_piece(text_sink *s) {
    write_text(s, (const char *)s->text.data, s->text.count);
    s->text.count = 0;
}

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    text_sink *s = self;
    s->launch = launch;
    if (s->sums.launches++ == 0 && s->plain)
        return s->status;
    put_launch(&s->text, launch);
    write_piece(s);
    return s->status;
}

static void *open_block(void *self, uint64_t block) {
    text_sink *s = self;
    s->lines = 0;
    s->sums.blocks++;
    put_byte(&s->text, 'B');
    put_number(&s->text, block);
    put_number(&s->text, s->launch->block_threads);
    put_byte(&s->text, '\n');
    return s;
}

static void write_event(void *self, const hd_event *event) {
    text_sink *s = self;
    const hd_event_access *access = &s->launch->accesses[event->access];
    bytes *out = &s->text;
    put_decimal(out, s->lines++);
    put_number(out, pc_of(s->launch, event->access));
    put_byte(out, ' ');
    put_byte(out, (uint8_t)text_kinds[access->kind]);
    put_number(out, access->width);
    for (uint32_t lane = 0; lane < event->threads; lane++)
        if (hd_event_active(event, lane)) {
            put_number(out, lane);
            put_byte(out, ':');
            put_hex(out, hd_event_address(event, lane));
        }
    put_byte(out, '\n');
    s->sums.mis++;
    s->sums.lane_accesses += event->active;
    if (out->count >= PIECE_BYTES)
        write_piece(s);
}

static hd_status close_block(void *self, void *stream, uint64_t block, bool complete) {
    (void)stream, (void)block;
    text_sink *s = self;
    if (!complete)
        put_words(&s->text, "# block stopped\n");
    write_piece(s);
    return s->status;
}

static hd_status end_launch(void *self, bool complete) {
    text_sink *s = self;
    if (!complete)
        write_text(s, "# launch stopped\n", 17);
    return s->status;
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
    const hd_sink sink = {&s, begin_launch, open_block, write_event, close_block, end_launch};
    write_text(&s, TEXT_FIRST_LINE "\n", sizeof TEXT_FIRST_LINE);
    hd_status status = hd_trace_replay(trace, diag, choice, &sink);
    bytes_free(&s.text);
    *sums = s.sums;
    return status;
}
