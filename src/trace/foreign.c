/*
 * Traces of other tools, read: which kind a file is of, and the first way through its text, which
 * checks every line and remembers where each instruction of a warp stands (32 bytes for a line of
 * some hundred). foreign_send.c goes through them again, block by block.
 */
#include <unistd.h>

#include "foreign_entry.h"

enum { START_MOST = 1 << 16 }; /* bytes of a file that tell what it is */

/* ---- kinds ------------------------------------------------------------------------------- */

static bool is_xz(hd_span start) {
    return start.length >= 6 && !memcmp(start.at,
                                        "\xfd"
                                        "7zXZ\0",
                                        6);
}
static bool is_zstd(hd_span start) {
    return start.length >= 4 && !memcmp(start.at, "\x28\xb5\x2f\xfd", 4);
}
static const foreign_format xz = {
    .tool = "xz", .is_one = is_xz, .refused = "unpack it first, with 'xz -dk FILE'"};
static const foreign_format zstd = {
    .tool = "zstd", .is_one = is_zstd, .refused = "unpack it first, with 'zstd -dk FILE'"};

/* The first that says so is it. */
static const foreign_format *const formats[] = {&xz,
                                                &zstd,
                                                &foreign_accel_sim_raw,
                                                &foreign_accel_sim,
                                                &foreign_cutracer,
                                                &foreign_cutracer_text,
                                                &foreign_omniprobe,
                                                &foreign_omniprobe_csv,
                                                &foreign_rocprof,
                                                &foreign_mem_trace};

static const foreign_format *format_of(hd_span start) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->is_one(start))
            return formats[i];
    return NULL;
}

const char *hd_foreign_kinds(hd_arena *arena) {
    hd_str text = {.arena = arena};
    const char *last = "";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!formats[i]->refused && strcmp(last, formats[i]->tool) != 0)
            hd_str_printf(&text, "%s%s", text.length ? ", " : "", last = formats[i]->tool);
    return hd_str_text(&text);
}

const char *hd_foreign_tool(const char *path) {
    char *start = malloc(START_MOST);
    int file;
    const foreign_format *format = NULL;
    if (start && hd_open_file(&hd_silent, path, &file, NULL) == HD_OK) {
        ssize_t length = read(file, start, START_MOST);
        format = length > 0 ? format_of((hd_span){start, (size_t)length}) : NULL;
        close(file);
    }
    free(start);
    return format ? format->tool : NULL;
}

bool foreign_starts(hd_span start, const char *text) {
    while (start.length && strchr(" \t\r\n", *start.at))
        start = (hd_span){start.at + 1, start.length - 1};
    return start.length >= strlen(text) && !memcmp(start.at, text, strlen(text));
}

bool foreign_has(hd_span start, const char *text) {
    return memmem(start.at, start.length, text, strlen(text)) != NULL;
}

/* ---- words and numbers --------------------------------------------------------------------- */

hd_span foreign_word(foreign *f, const char *what) {
    hd_span word = hd_scan_until(&f->in, "");
    if (!word.length)
        hd_scan_fail(&f->in, word.at, "here must be %s: the line was cut off or damaged", what);
    return word;
}

uint64_t foreign_number(foreign *f, hd_span word, unsigned base, uint64_t most, const char *what) {
    uint64_t number = 0;
    if (!f->in.status && !hd_span_number(word, base, most, &number))
        hd_scan_fail(&f->in, word.at, "'%.*s' is not %s, %s number up to %llu",
                     (int)(word.length < 40 ? word.length : 40), word.at, what,
                     base == 16 ? "a hexadecimal" : "a decimal", (unsigned long long)most);
    return number;
}

uint64_t foreign_address(foreign *f, hd_span word, const char *what) {
    bool marked = word.length > 2 && word.at[0] == '0' && word.at[1] == 'x';
    if (!f->in.status && !marked)
        hd_scan_fail(&f->in, word.at,
                     "here must be %s, as 0x7f32c0: the line was cut off or damaged", what);
    return marked ? foreign_number(f, (hd_span){word.at + 2, word.length - 2}, 16, UINT64_MAX, what)
                  : 0;
}

void foreign_triple(foreign *f, hd_span word, uint64_t most, uint64_t numbers[3],
                    const char *what) {
    for (int d = 0; d < 3; d++) {
        const char *comma = d < 2 ? memchr(word.at, ',', word.length) : word.at + word.length;
        if (!comma) {
            hd_scan_fail(&f->in, word.at, "%s has three numbers with commas between them", what);
            return;
        }
        size_t length = (size_t)(comma - word.at);
        numbers[d] = foreign_number(f, (hd_span){word.at, length}, 10, most, what);
        word = (hd_span){comma + 1, d < 2 ? word.length - length - 1 : 0};
    }
}

bool foreign_take(foreign *f, const char *text) {
    hd_scan_blanks(&f->in);
    size_t length = strlen(text);
    if ((size_t)(f->in.end - f->in.at) < length || memcmp(f->in.at, text, length) != 0)
        return false;
    f->in.at += length;
    return true;
}

bool foreign_behind(foreign *f, const char *text) {
    const char *at = f->in.at, *end = memchr(at, '\n', (size_t)(f->in.end - at));
    const char *found = memmem(at, (size_t)((end ? end : f->in.end) - at), text, strlen(text));
    if (found)
        f->in.at = found + strlen(text);
    else
        hd_scan_fail(&f->in, at, "the rest of the line has no '%s': it was cut off or damaged",
                     text);
    return found;
}

/* ---- launches and instructions --------------------------------------------------------------- */

foreign_launch *foreign_launch_of(foreign *f, uint64_t id) {
    f->launch_of.arena = f->arena;
    uint64_t at = hd_hash_add(&f->launch_of, id, f->launches.count);
    if (at == f->launches.count) {
        foreign_launch launch = {.id = id, .at = f->line, .row_of = {.arena = f->arena}};
        hd_push(f->arena, &f->launches, launch);
    }
    return &f->launches.data[at];
}

static bool is_row(const foreign_row *row, const warp_access *a) {
    return row->key == a->key && row->kind == a->kind && row->space == a->space &&
           row->width == a->width;
}

uint32_t foreign_row_of(foreign *f, foreign_launch *launch) {
    const warp_access *a = &f->access;
    uint64_t key = a->key * 31 + a->kind * 7 + (uint64_t)a->space * 3 + ((uint64_t)a->width << 40);
    for (;; key++) {
        uint64_t at = hd_hash_add(&launch->row_of, key, launch->rows.count);
        if (at < launch->rows.count && !is_row(&launch->rows.data[at], a))
            continue;
        if (at == launch->rows.count && at == TABLE_ROWS_MAX)
            hd_scan_fail(&f->in, f->line, "a launch has at most %d accesses", TABLE_ROWS_MAX);
        else if (at == launch->rows.count)
            hd_push(f->arena, &launch->rows,
                    ((foreign_row){.key = a->key,
                                   .kind = a->kind,
                                   .space = a->space,
                                   .width = a->width,
                                   .buffer = ROW_NOT_SEEN,
                                   .field = FIELD_NOT_SEEN}));
        return (uint32_t)at;
    }
}

static void touch(foreign *f, uint64_t begin, uint64_t end) {
    touched *t = f->touched;
    uint64_t page = begin / PAGE_BYTES;
    if (!t->pages.count || t->data[t->last].begin / PAGE_BYTES != page) {
        t->last = hd_hash_add(&t->of, page, t->pages.count);
        if (t->last == t->pages.count) {
            hd_push(f->arena, &t->pages, ((touched_range){begin, end}));
            t->data = t->pages.data;
        }
    }
    touched_range *range = &t->data[t->last];
    range->begin = begin < range->begin ? begin : range->begin;
    range->end = end > range->end ? end : range->end;
}

void foreign_add(foreign *f, const char *at) {
    const warp_access *a = &f->access;
    if (f->in.status || !a->mask)
        return;
    if (a->block[0] > UINT32_MAX || a->block[1] > UINT16_MAX || a->block[2] > UINT16_MAX ||
        a->warp > UINT32_MAX) {
        hd_scan_fail(&f->in, at, "a block's second and third number are at most 65535");
        return;
    }
    foreign_launch *launch = foreign_launch_of(f, a->launch);
    for (int d = 0; d < 3; d++)
        if (launch->groups[d] && a->block[d] >= launch->groups[d])
            hd_scan_fail(&f->in, at, "block %llu,%llu,%llu is beyond the grid of %llu,%llu,%llu",
                         (ull)a->block[0], (ull)a->block[1], (ull)a->block[2],
                         (ull)launch->groups[0], (ull)launch->groups[1], (ull)launch->groups[2]);
        else if (a->block[d] >= launch->extent[d])
            launch->extent[d] = a->block[d] + 1;
    uint32_t row = foreign_row_of(f, launch);
    if (f->in.status)
        return;
    if (a->space == KIR_GLOBAL || a->space == KIR_GENERIC)
        for (uint64_t left = a->mask; left; left &= left - 1) {
            uint64_t address = a->address[__builtin_ctzll(left)];
            if (address > UINT64_MAX - a->width)
                hd_scan_fail(&f->in, at, "an access ends beyond all addresses");
            else
                touch(f, address, address + a->width);
        }
    hd_push(f->arena, &f->entries,
            ((foreign_entry){.block = a->block[2] << 48 | a->block[1] << 32 | a->block[0],
                             .offset = (uint64_t)(at - f->in.text),
                             .launch = (uint32_t)(launch - f->launches.data),
                             .warp = (uint32_t)a->warp,
                             .row = row}));
}

/* ---- the text ---------------------------------------------------------------------------------- */

static void read_lines(foreign *f) {
    hd_scan *in = &f->in;
    do {
        f->line = in->at;
        f->format->read_line(f);
        hd_scan_next_line(in);
        reading_goes_on(&f->reading, (uint64_t)(in->at - f->line));
    } while (!in->status && !f->reading.stopped && in->at < in->end);
    if (!in->status && !f->reading.stopped && f->format->end)
        f->format->end(f);
    if (!in->status && !f->reading.stopped && !f->entries.count)
        hd_scan_fail(in, in->text, "no access to memory is in this trace of %s", f->format->tool);
}

hd_status hd_foreign_open(hd_arena *arena, const hd_diag *diag, const char *path,
                          const hd_trace_record *record, const hd_trace_watch *watch,
                          hd_foreign **result) {
    foreign *f = hd_new(arena, foreign);
    char *text;
    size_t length;
    hd_status status = hd_read_long_file(arena, diag, path, UINT64_MAX, &text, &length);
    if (status)
        return status;
    f->arena = arena;
    f->diag = diag ? *diag : (hd_diag){0};
    f->in = hd_scan_bytes(arena, &f->diag, hd_strdup(arena, path), text, length);
    f->in.by_line = true;
    f->in.line_most = 200; /* a longer one is not worth a caret */
    f->line = f->in.text;
    f->reading = (reading){.watch = watch, .all = 3 * (uint64_t)length + 1};
    f->record = record;
    f->touched = hd_new(arena, touched);
    f->touched->of.arena = arena;
    f->format = format_of((hd_span){text, length < START_MOST ? length : START_MOST});
    const hd_place place = {.file = path};
    if (!f->format)
        return hd_fail(diag, HD_EINPUT, &place,
                       "this is of none of the tools whose traces are read");
    if (f->format->refused)
        return hd_fail(diag, HD_EINPUT, &place, "this is of %s, and is not read: %s",
                       f->format->tool, f->format->refused);
    read_lines(f);
    if (!f->in.status && !f->reading.stopped)
        foreign_settle(f);
    *result = f;
    return f->in.status;
}

const char *hd_foreign_lacks(const hd_foreign *f) {
    return f->format->lacks
               ? hd_format(f->arena, "a trace of %s lacks %s", f->format->tool, f->format->lacks)
               : NULL;
}
