/*
 * The text form (docs/trace-format.md), read. The text is gone through twice by the same parser:
 * first to check every line and to learn what the launches are (a plain text says only in its lines
 * which accesses, how many blocks and threads there are), then to hand the events to the sink.
 */
#include <stdio.h>

#include "base/scan.h"
#include "bytes.h"
#include "decode.h"
#include "part.h"
#include "trace_table.h"
#include "trace/trace.h"

/* A launch of the text, and which row of its table a pc has. */
typedef struct text_launch {
    hd_event_launch launch;
    bool declared; /* has a '# launch' line */
    unsigned line; /* of that, or of its first block */
    bool stopped;
    uint64_t next_block; /* after the last one */
    hd_vec(const char *) files;
    hd_vec(hd_record *) records;
    hd_vec(hd_event_buffer) buffers;
    hd_vec(hd_event_access) accesses;
    hd_hash_table rows; /* of the accesses, by their pcs */
} text_launch;

typedef struct hd_trace_text {
    hd_arena *arena;
    hd_diag diag;
    hd_scan in;       /* its status: HD_OK until the first fault */
    const char *line; /* the current one */
    hd_vec(text_launch) launches;
    int64_t launch; /* the current one, or -1 */
    bool started;   /* the sink has heard of that launch */
    bool in_block;
    uint64_t block, lines;    /* number, and events of it so far */
    uint64_t *mask, *address; /* [LANES_MAX / 64], [LANES_MAX] */
    const hd_sink *sink;      /* NULL the first time through */
    void *stream;
    reading reading; /* of the text twice */
} text_reader;

/* ---- words and numbers ---------------------------------------------------------- */

/* The next word, empty after a fault. `what` is what should stand here. */
static hd_span get_word(text_reader *r, const char *what) {
    hd_span w = hd_scan_until(&r->in, "");
    if (!w.length)
        hd_scan_fail(&r->in, w.at, "here must be %s", what);
    return w;
}

static uint64_t number_of(text_reader *r, hd_span w, unsigned base, uint64_t most,
                          const char *what) {
    uint64_t value = 0;
    if (r->in.status)
        return 0;
    if (!hd_span_number(w, base, UINT64_MAX, &value))
        hd_scan_fail(&r->in, w.at, "'%.*s' is not %s, %s number up to %llu",
                     (int)(w.length < 40 ? w.length : 40), w.at, what,
                     base == 16 ? "a hexadecimal" : "a decimal", (unsigned long long)most);
    else if (value > most)
        hd_scan_fail(&r->in, w.at, "%s is %llu at most", what, (unsigned long long)most);
    else
        return value;
    return 0;
}
static uint64_t get_number(text_reader *r, uint64_t most, const char *what) {
    return number_of(r, get_word(r, what), 10, most, what);
}
/* A name: NULL for '-', and %xx undone. */
static const char *get_name(text_reader *r, const char *what) {
    hd_span w = get_word(r, what);
    if (r->in.status || hd_span_is(w, "-"))
        return NULL;
    char *name = hd_alloc(r->arena, w.length + 1), *to = name;
    for (size_t i = 0; i < w.length; i++) {
        uint64_t code;
        if (w.at[i] != '%') {
            *to++ = w.at[i];
            continue;
        }
        if (i + 2 >= w.length ||
            !hd_span_number((hd_span){w.at + i + 1, 2}, 16, UINT64_MAX, &code)) {
            hd_scan_fail(&r->in, w.at + i, "'%%' must be followed by two hexadecimal digits");
            return NULL;
        }
        if (code)
            *to++ = (char)code;
        i += 2;
    }
    *to = '\0';
    return name;
}

/* A row of a table of `count`, or -1 for '-'. */
static int32_t get_row(text_reader *r, size_t count, const char *what) {
    hd_span w = get_word(r, what);
    if (r->in.status || hd_span_is(w, "-"))
        return -1;
    if (!count) {
        hd_scan_fail(&r->in, w.at, "there is no %s yet; write '-', or a line for it before", what);
        return -1;
    }
    return (int32_t)number_of(r, w, 10, count - 1, what);
}

static kir_space get_space(text_reader *r) {
    hd_span w = get_word(r, "a space");
    for (kir_space space = KIR_PRIVATE; space <= KIR_GENERIC; space++)
        if (hd_span_is(w, kir_space_name(space)))
            return space;
    hd_scan_fail(&r->in, w.at,
                 "'%.*s' is no space; it must be private, global, local, constant or generic",
                 (int)(w.length < 40 ? w.length : 40), w.at);
    return KIR_GLOBAL;
}

static hd_access_kind get_kind(text_reader *r) {
    hd_span w = get_word(r, "L, S or A");
    const char *kind = w.length == 1 ? memchr(text_kinds, *w.at, 3) : NULL;
    if (!kind)
        hd_scan_fail(&r->in, w.at, "this must be L, S or A: a load, a store or an atomic");
    return kind ? (hd_access_kind)(kind - text_kinds) : HD_LOAD;
}

static void end_line(text_reader *r) {
    if (!r->in.status && !hd_scan_ends(&r->in))
        hd_scan_fail(&r->in, r->in.at, "the line must end here");
}

/* ---- accesses by their pc ------------------------------------------------------- */

/* The row of a pc, or UINT32_MAX. */
static uint32_t find_access(const text_launch *l, uint64_t pc) {
    return (uint32_t)hd_hash_get(&l->rows, pc);
}

static void add_access(text_reader *r, text_launch *l, const char *at, hd_event_access access) {
    if (l->accesses.count == TABLE_ROWS_MAX) {
        hd_scan_fail(&r->in, at, "a launch has at most %d accesses", TABLE_ROWS_MAX);
        return;
    }
    l->rows.arena = r->arena;
    hd_hash_add(&l->rows, access.pc, l->accesses.count);
    hd_push(r->arena, &l->accesses, access);
}

static int compare_pc(const void *a, const void *b) {
    uint64_t x = ((const hd_event_access *)a)->pc, y = ((const hd_event_access *)b)->pc;
    return x < y ? -1 : x > y;
}

/* ---- launches ------------------------------------------------------------------- */

static text_launch *current_launch(text_reader *r) {
    return r->launch < 0 ? NULL : &r->launches.data[r->launch];
}

/* The first time through: the launch is complete, and its tables are what they will be. */
static void settle_launch(text_reader *r) {
    text_launch *l = current_launch(r);
    if (!l || r->in.status)
        return;
    if (!l->declared) {
        if (l->accesses.count)
            qsort(l->accesses.data, l->accesses.count, sizeof *l->accesses.data, compare_pc);
        for (size_t i = 0; i < l->accesses.count; i++)
            hd_hash_set(&l->rows, l->accesses.data[i].pc, i);
        l->launch.groups[0] = l->launch.block_count = l->next_block;
    }
    l->launch.files = l->files.data;
    l->launch.file_count = (uint32_t)l->files.count;
    l->launch.buffers = l->buffers.data;
    l->launch.buffer_count = (uint32_t)l->buffers.count;
    for (size_t i = 0; i < l->accesses.count; i++)
        if (l->accesses.data[i].pc == i)
            l->accesses.data[i].pc = 0;
    l->launch.accesses = l->accesses.data;
    l->launch.access_count = (uint32_t)l->accesses.count;
    const char *fault = launch_fault(&l->launch);
    hd_place place = {.file = r->in.file, .line = l->line, .column = 1};
    if (fault)
        r->in.status = hd_fail(&r->diag, HD_EINPUT, &place, "%s", fault);
}

/* Second time through: what the sink says ends the reading. */
static void sink_status(text_reader *r, hd_status status) {
    r->in.status = r->in.status ? r->in.status : status;
}

static void close_block(text_reader *r, bool complete) {
    if (r->in_block && r->sink && r->sink->close_block)
        sink_status(r, r->sink->close_block(r->sink->self, r->stream, r->block, complete));
    r->in_block = false;
}

static void end_launch(text_reader *r) {
    close_block(r, !r->in.status && !r->reading.stopped);
    if (!r->sink)
        settle_launch(r);
    else if (r->started && r->sink->end_launch)
        sink_status(r,
                    r->sink->end_launch(r->sink->self, !current_launch(r)->stopped &&
                                                           !r->in.status && !r->reading.stopped));
}

static void start_launch(text_reader *r, const text_launch *launch) {
    if (r->launch >= 0)
        end_launch(r);
    r->launch++;
    r->in_block = false;
    if (!r->sink) {
        hd_push(r->arena, &r->launches, *launch);
        current_launch(r)->line = hd_scan_place(&r->in, r->line).line;
    }
    if (!r->sink || r->in.status)
        return;
    if (r->sink->launch)
        sink_status(r, r->sink->launch(r->sink->self, &current_launch(r)->launch));
    r->started = !r->in.status;
}

/* ---- lines that begin with '#' -------------------------------------------------- */

static void read_launch(text_reader *r) {
    text_launch l = {.declared = true};
    hd_event_launch *launch = &l.launch;
    const char *at = r->in.at;
    launch->number = (uint32_t)get_number(r, UINT32_MAX, "the launch's number");
    launch->kernel = get_name(r, "the kernel's name");
    launch->dims = (uint32_t)get_number(r, UINT32_MAX, "the number of dimensions");
    for (int d = 0; d < 3; d++)
        launch->groups[d] = get_number(r, UINT64_MAX, "a number of groups");
    for (int d = 0; d < 3; d++)
        launch->local[d] = get_number(r, LANES_MAX, "a local size");
    for (int d = 0; d < 3; d++)
        launch->offset[d] = get_number(r, UINT64_MAX, "an offset");
    end_line(r);
    launch->block_count = launch->groups[0] * launch->groups[1] * launch->groups[2];
    launch->block_threads = (uint32_t)(launch->local[0] * launch->local[1] * launch->local[2]);
    const text_launch *before = current_launch(r);
    if (before && launch->number <= before->launch.number)
        hd_scan_fail(&r->in, at, "launch %u comes after launch %u; numbers must ascend",
                     launch->number, before->launch.number);
    if (!r->in.status)
        start_launch(r, &l);
}

/* Reads the members of a row; it may name the first `records` records, and all buffers. */
static void read_members(text_reader *r, const text_launch *l, row_kind kind, size_t records,
                         void *row) {
    const row_form *form = &row_forms[kind];
    for (uint32_t i = 0; i < form->count; i++) {
        const member *m = &form->members[form->text_order ? form->text_order[i] : i];
        int32_t number;
        switch (m->kind) {
        case MEMBER_TEXT:
            *(const char **)(void *)((uint8_t *)row + m->at) = get_name(r, m->what);
            break;
        case MEMBER_SPACE: member_set(m, row, get_space(r)); break;
        case MEMBER_KIND: member_set(m, row, get_kind(r)); break;
        case MEMBER_ADDRESS:
            member_set(m, row, number_of(r, get_word(r, m->what), 16, m->most, m->what));
            break;
        case MEMBER_RECORD:
            number = get_row(r, records, m->what);
            member_set_record(m, row, number < 0 || r->in.status ? NULL : l->records.data[number]);
            break;
        case MEMBER_BUFFER:
            number = get_row(r, l->buffers.count, m->what);
            member_set(m, row, (uint64_t)(number + (int64_t)1));
            break;
        default: member_set(m, row, get_number(r, m->most, m->what));
        }
    }
}

/* There is room for one row more. */
static void check_count(text_reader *r, row_kind kind, size_t count) {
    if (count == row_forms[kind].most)
        hd_scan_fail(&r->in, r->line, "a launch has at most %u %ss", row_forms[kind].most,
                     row_forms[kind].name);
}

/* The rest of a row's line. */
static void read_members_of(text_reader *r, text_launch *l, row_kind kind) {
    size_t records = l->records.count, capacity;
    hd_record *record = records ? l->records.data[records - 1] : NULL;
    hd_event_buffer buffer;
    hd_event_access access;
    const char *name;
    hd_scan_blanks(&r->in);
    const char *at = r->in.at;
    switch (kind) {
    case ROW_FILE:
        read_members(r, l, kind, 0, &name);
        check_count(r, kind, l->files.count);
        hd_push(r->arena, &l->files, name);
        break;
    case ROW_RECORD:
        record = hd_new(r->arena, hd_record);
        read_members(r, l, kind, 0, record);
        check_count(r, kind, records);
        hd_push(r->arena, &l->records, record);
        break;
    case ROW_FIELD:
        if (!record || record->field_count == HD_MAX_FIELDS) {
            hd_scan_fail(&r->in, r->line, "a field must follow its record, which has at most %d",
                         HD_MAX_FIELDS);
            break;
        }
        capacity = record->field_count;
        if (!(capacity & (capacity - 1))) /* 0, 1, 2, 4 ...: full */
            record->fields =
                hd_grow(r->arena, record->fields, &capacity, capacity, sizeof(hd_field));
        read_members(r, l, kind, records - 1, &record->fields[record->field_count++]);
        break;
    case ROW_BUFFER:
        read_members(r, l, kind, records, &buffer);
        check_count(r, kind, l->buffers.count);
        hd_push(r->arena, &l->buffers, buffer);
        break;
    case ROW_ACCESS:
        read_members(r, l, kind, 0, &access);
        if (!access.pc && l->accesses.count)
            hd_scan_fail(&r->in, at, "pc 0 must be the first access");
        else if (find_access(l, access.pc) != UINT32_MAX)
            hd_scan_fail(&r->in, at, "pc %llu has an access already",
                         (unsigned long long)access.pc);
        if (!r->in.status)
            add_access(r, l, at, access);
        break;
    }
}

/* A row of one of the launch's tables. */
static bool read_row(text_reader *r, hd_span kind) {
    row_kind row = ROW_FILE;
    while (row <= ROW_ACCESS && !hd_span_is(kind, row_forms[row].name))
        row++;
    if (row > ROW_ACCESS)
        return false;
    text_launch *l = current_launch(r);
    if (!l || !l->declared || r->sink)
        return true; /* a comment, or read the first time */
    if (l->next_block) {
        hd_scan_fail(&r->in, r->line,
                     "a '# %s' line must come between '# launch' and the first block",
                     row_forms[row].name);
        return true;
    }
    read_members_of(r, l, row);
    end_line(r);
    return true;
}

/* Lines that say nothing to this program are comments. */
static void read_remark(text_reader *r) {
    r->in.at++;
    if (hd_scan_ends(&r->in))
        return;
    hd_span kind = get_word(r, "a word");
    if (read_row(r, kind))
        return;
    bool of_launch = hd_span_is(kind, "launch");
    if ((!of_launch && !hd_span_is(kind, "block")) || hd_scan_ends(&r->in))
        return;
    const char *rest = r->in.at;
    hd_span next = get_word(r, "a word");
    if (hd_span_is(next, "stopped") && hd_scan_ends(&r->in)) {
        if (of_launch ? r->launch < 0 : !r->in_block)
            hd_scan_fail(&r->in, r->line, "there is no %s to be stopped",
                         of_launch ? "launch" : "block");
        else if (!of_launch)
            close_block(r, false);
        else if (!r->sink)
            current_launch(r)->stopped = true;
    } else if (of_launch && *next.at >= '0' && *next.at <= '9') {
        r->in.at = rest;
        read_launch(r);
    }
}

/* ---- blocks and events ---------------------------------------------------------- */

static void read_block(text_reader *r) {
    static const text_launch plain = {
        .launch = {.kernel = "", .dims = 1, .groups = {1, 1, 1}, .local = {1, 1, 1}}};
    r->in.at++;
    if (r->launch < 0)
        start_launch(r, &plain);
    close_block(r, true);
    hd_scan_blanks(&r->in);
    const char *at = r->in.at;
    r->block = get_number(r, UINT64_MAX - 2, "the block's number");
    uint64_t threads = get_number(r, LANES_MAX, "the block's number of threads");
    end_line(r);
    if (!r->in.status && !threads)
        hd_scan_fail(&r->in, at, "a block has at least one thread");
    if (r->in.status)
        return;
    text_launch *l = current_launch(r);
    if (!r->sink) {
        if (r->block < l->next_block && l->next_block)
            hd_scan_fail(&r->in, at,
                         "block %llu comes after block %llu; each stands once, in ascending order",
                         (unsigned long long)r->block, (unsigned long long)l->next_block - 1);
        else if (l->declared && r->block >= l->launch.block_count)
            hd_scan_fail(&r->in, at, "the launch has only %llu blocks",
                         (unsigned long long)l->launch.block_count);
        else if (l->launch.block_threads && threads != l->launch.block_threads)
            hd_scan_fail(&r->in, at, "the launch has blocks of %u threads, not of %llu",
                         l->launch.block_threads, (unsigned long long)threads);
        l->next_block = r->block + 1;
        l->launch.block_threads = (uint32_t)threads;
        if (!l->declared)
            l->launch.local[0] = threads;
    } else if (r->sink->open_block)
        r->stream = r->sink->open_block(r->sink->self, r->block);
    r->in_block = true;
    r->lines = 0;
}

/* "tid:address" of one lane; true when it was one. */
static bool read_lane(text_reader *r, const text_launch *l, int64_t *last) {
    hd_span w = get_word(r, "a thread and its address");
    const char *colon = memchr(w.at, ':', w.length);
    uint64_t lane = 0, address = 0;
    if (r->in.status)
        return false;
    if (!colon || !hd_span_number((hd_span){w.at, (size_t)(colon - w.at)}, 10, UINT64_MAX, &lane) ||
        !hd_span_number((hd_span){colon + 1, (size_t)(w.at + w.length - colon - 1)}, 16, UINT64_MAX,
                        &address))
        hd_scan_fail(&r->in, w.at,
                     "this must be a thread, a colon and a hexadecimal address, as 3:1f40");
    else if (lane >= l->launch.block_threads)
        hd_scan_fail(&r->in, w.at, "thread %llu is beyond the block, which has %u threads",
                     (unsigned long long)lane, l->launch.block_threads);
    else if ((int64_t)lane <= *last)
        hd_scan_fail(&r->in, w.at,
                     "thread %llu comes after thread %lld; each stands once, in ascending "
                     "order",
                     (unsigned long long)lane, (long long)*last);
    if (r->in.status)
        return false;
    *last = (int64_t)lane;
    r->mask[lane / 64] |= (uint64_t)1 << lane % 64;
    r->address[lane] = address;
    return true;
}

/* The row of the event's access; a plain text's are made as they come. */
static uint32_t event_access(text_reader *r, text_launch *l, const char *at,
                             const hd_event_access *access) {
    uint32_t row = find_access(l, access->pc);
    if (row == UINT32_MAX && l->declared)
        hd_scan_fail(&r->in, at, "pc %llu has no '# access' line in this launch",
                     (unsigned long long)access->pc);
    else if (row == UINT32_MAX) {
        add_access(r, l, at, *access);
        return (uint32_t)l->accesses.count - 1;
    } else if (l->accesses.data[row].width != access->width)
        hd_scan_fail(&r->in, at, "pc %llu had %u bytes before, not %u; one pc has one width",
                     (unsigned long long)access->pc, l->accesses.data[row].width, access->width);
    else if (l->accesses.data[row].kind != access->kind)
        hd_scan_fail(&r->in, at,
                     "pc %llu was %c before; one pc is always a load, a store or an atomic",
                     (unsigned long long)access->pc, text_kinds[l->accesses.data[row].kind]);
    return row;
}

static void read_event(text_reader *r) {
    if (!r->in_block) {
        hd_scan_fail(&r->in, r->in.at,
                     "an event must be inside a block; 'B <block> <threads>' begins one");
        return;
    }
    text_launch *l = current_launch(r);
    const char *at = r->in.at;
    uint64_t position = get_number(r, UINT64_MAX, "a position");
    if (!r->in.status && position != r->lines)
        hd_scan_fail(&r->in, at,
                     "the position is %llu, but %llu must come next: one for each line of a "
                     "block, from 0",
                     (unsigned long long)position, (unsigned long long)r->lines);
    hd_scan_blanks(&r->in);
    at = r->in.at;
    hd_event_access access = {.space = KIR_GLOBAL, .buffer = -1};
    access.pc = get_number(r, UINT64_MAX, "a pc");
    access.kind = get_kind(r);
    hd_scan_blanks(&r->in);
    const char *width = r->in.at;
    access.width = (uint32_t)get_number(r, ACCESS_WIDTH_MAX, "a number of bytes");
    if (!r->in.status && !access.width)
        hd_scan_fail(&r->in, width, "an access has at least one byte");
    if (r->in.status)
        return;
    hd_event event = {.position = r->lines++, .mask = r->mask, .address = r->address};
    event.access = r->sink ? find_access(l, access.pc) : event_access(r, l, at, &access);
    event.threads = l->launch.block_threads;
    memset(r->mask, 0, (event.threads + 63) / 64 * sizeof *r->mask);
    int64_t last = -1;
    do
        event.active += read_lane(r, l, &last);
    while (!r->in.status && !hd_scan_ends(&r->in));
    if (r->sink && r->sink->event && !r->in.status)
        r->sink->event(r->stream, &event);
}

/* ---- the whole text ------------------------------------------------------------- */

static void read_first_line(text_reader *r) {
    const size_t name = sizeof TEXT_FIRST_LINE - 2; /* without the version */
    hd_span line = hd_scan_rest(&r->in);
    uint64_t version;
    if (line.at != r->line || line.length < name || memcmp(line.at, TEXT_FIRST_LINE, name) != 0 ||
        !hd_span_number((hd_span){line.at + name, line.length - name}, 10, UINT64_MAX, &version) ||
        !version)
        hd_scan_fail(&r->in, r->line,
                     "the first line must be '%s'; of other tools' traces those of %s are read",
                     TEXT_FIRST_LINE, hd_foreign_kinds(r->arena));
    else if (version > 1)
        hd_scan_fail(
            &r->in, r->line + name,
            "the text is of version %llu, and this program reads version 1; use a later Heddle",
            (unsigned long long)version);
}

static void read_text(text_reader *r) {
    hd_scan *in = &r->in;
    r->reading.done = r->reading.told = r->sink ? (uint64_t)(in->end - in->text) : 0;
    r->launch = -1;
    r->in_block = false;
    in->at = in->text;
    do {
        r->line = in->at;
        if (r->line == in->text)
            read_first_line(r);
        else if (hd_scan_ends(in))
            ; /* blank */
        else if (*in->at == '#')
            read_remark(r);
        else if (*in->at == 'B')
            read_block(r);
        else
            read_event(r);
        hd_scan_next_line(in);
        reading_goes_on(&r->reading, (uint64_t)(in->at - r->line));
    } while (!in->status && !r->reading.stopped && in->at < in->end);
    if (r->launch >= 0)
        end_launch(r);
}

hd_status hd_trace_text_open(hd_arena *arena, const hd_diag *diag, const char *path,
                             const hd_trace_watch *watch, hd_trace_text **text) {
    text_reader *r = hd_new(arena, text_reader);
    char *data;
    size_t length;
    hd_status status = hd_read_long_file(arena, diag, path, UINT64_MAX, &data, &length);
    if (status)
        return status;
    r->arena = arena;
    r->diag = diag ? *diag : (hd_diag){0};
    r->in = hd_scan_bytes(arena, &r->diag, hd_strdup(arena, path), data, length);
    r->in.by_line = true;
    r->in.line_most = 200; /* a longer one is not worth a caret */
    r->reading = (reading){.watch = watch, .all = 2 * (uint64_t)length + 1};
    r->mask = hd_new_array(arena, uint64_t, LANES_MAX / 64);
    r->address = hd_new_array(arena, uint64_t, LANES_MAX);
    read_text(r);
    *text = r;
    return r->in.status;
}

uint32_t hd_trace_text_spaces(const hd_trace_text *text) {
    uint32_t spaces = 0;
    for (size_t i = 0; i < text->launches.count; i++) {
        const hd_event_launch *l = &text->launches.data[i].launch;
        for (uint32_t a = 0; a < l->access_count; a++)
            spaces |= 1u << l->accesses[a].space;
    }
    return spaces ? spaces : 1u << KIR_GLOBAL;
}

hd_status hd_trace_text_send(hd_trace_text *text, const hd_sink *sink) {
    text->sink = sink;
    read_text(text);
    hd_status status = text->in.status;
    text->in.status = HD_OK;
    return status;
}
