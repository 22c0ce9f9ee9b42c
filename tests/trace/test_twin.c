/*
 * A reader of trace files written from docs/trace-format.md alone: one file in memory, no
 * index, one address at a time. It must hear what the program's reader hears.
 */
#include "events.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

/* ---- bytes ---------------------------------------------------------------------- */

typedef struct slice {
    const uint8_t *at, *end;
} slice;

static uint64_t fixed(const uint8_t *at, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value += (uint64_t)at[i] << 8 * i;
    return value;
}
static uint8_t byte(slice *s) {
    assert_true(s->at < s->end);
    return *s->at++;
}
static uint64_t varint(slice *s) {
    uint64_t value = 0;
    uint8_t b;
    int shift = 0;
    do {
        b = byte(s);
        value += (uint64_t)(b & 127) << shift;
        shift += 7;
    } while (b & 128);
    return value;
}
static uint64_t unfolded(uint64_t value) { return value % 2 ? ~(value / 2) : value / 2; }
static uint64_t signed_number(slice *s) { return unfolded(varint(s)); }
static char *text(slice *s, hd_arena *arena) {
    uint64_t length = varint(s);
    if (!length)
        return NULL;
    char *copy = hd_strndup(arena, (const char *)s->at, length - 1);
    s->at += length - 1;
    assert_true(s->at <= s->end);
    return copy;
}

/* ---- launches ------------------------------------------------------------------- */

static void read_records(slice *s, hd_arena *arena, hd_record *records, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        hd_record *r = &records[i];
        r->name = text(s, arena);
        r->spelling = text(s, arena);
        r->size = (uint32_t)varint(s);
        r->align = (uint32_t)varint(s);
        r->field_count = (uint32_t)varint(s);
        r->fields = hd_new_array(arena, hd_field, r->field_count);
        for (uint32_t f = 0; f < r->field_count; f++) {
            hd_field *field = &r->fields[f];
            field->name = text(s, arena);
            field->type = text(s, arena);
            field->offset = (uint32_t)varint(s);
            field->size = (uint32_t)varint(s);
            field->align = (uint32_t)varint(s);
            field->count = (uint32_t)varint(s);
            uint64_t row = varint(s);
            field->record = row ? &records[row - 1] : NULL;
        }
    }
}

static hd_event_launch read_table(slice s, hd_arena *arena) {
    hd_event_launch l = {.kernel = text(&s, arena)};
    l.file_count = (uint32_t)varint(&s);
    const char **files = hd_new_array(arena, const char *, l.file_count);
    for (uint32_t i = 0; i < l.file_count; i++)
        files[i] = text(&s, arena);
    uint64_t record_count = varint(&s);
    hd_record *records = hd_new_array(arena, hd_record, record_count);
    read_records(&s, arena, records, record_count);
    l.buffer_count = (uint32_t)varint(&s);
    hd_event_buffer *buffers = hd_new_array(arena, hd_event_buffer, l.buffer_count);
    for (uint32_t i = 0; i < l.buffer_count; i++) {
        buffers[i].name = text(&s, arena);
        buffers[i].type = text(&s, arena);
        buffers[i].space = (kir_space)varint(&s);
        buffers[i].base = varint(&s);
        buffers[i].bytes = varint(&s);
        buffers[i].element_bytes = (uint32_t)varint(&s);
        uint64_t row = varint(&s);
        buffers[i].record = row ? &records[row - 1] : NULL;
    }
    l.access_count = (uint32_t)varint(&s);
    hd_event_access *accesses = hd_new_array(arena, hd_event_access, l.access_count);
    for (uint32_t i = 0; i < l.access_count; i++) {
        accesses[i].kind = (hd_access_kind)varint(&s);
        accesses[i].space = (kir_space)varint(&s);
        accesses[i].width = (uint32_t)varint(&s);
        accesses[i].buffer = (int32_t)varint(&s) - 1;
        accesses[i].record = text(&s, arena);
        accesses[i].field = text(&s, arena);
        accesses[i].file = (uint32_t)varint(&s);
        accesses[i].line = (uint32_t)varint(&s);
        accesses[i].column = (uint32_t)varint(&s);
        accesses[i].pc = varint(&s);
    }
    l.files = files, l.buffers = buffers, l.accesses = accesses;
    assert_ptr_equal(s.at, s.end);
    return l;
}

/* ---- events of a part ----------------------------------------------------------- */

enum { MASKS = 140000, LISTS = 270000 }; /* more than a part can have */

/* What is remembered of an access. */
typedef struct known {
    uint64_t successor, mask, base, origin, step[3], stride, reference, pattern, unit;
    bool met;
    uint64_t *memory; /* [lanes] or NULL */
} known;

typedef struct twin {
    hd_arena *arena; /* of a part */
    hd_event_launch launch;
    uint64_t lanes, words;
    slice column[18];
    known *known;
    uint64_t *masks[MASKS], mask_count;
    uint64_t *lists[LISTS], list_lanes[LISTS], list_count;
    uint64_t memories;
    uint64_t *active, active_count; /* lanes of the event in hand */
    uint64_t *a;                    /* [lanes] addresses of active lanes */
    uint64_t *address;              /* [lanes] by lane */
} twin;

static void start_part(twin *t) {
    const hd_event_launch *l = &t->launch;
    t->known = hd_new_array(t->arena, known, l->access_count);
    for (uint32_t i = 0; i < l->access_count; i++) {
        known *k = &t->known[i];
        const hd_event_buffer *b =
            l->accesses[i].buffer >= 0 ? &l->buffers[l->accesses[i].buffer] : NULL;
        k->successor = (i + 1) % l->access_count;
        k->base = k->origin = b ? b->base : 0;
        k->reference = i;
        k->unit = b && b->element_bytes ? b->element_bytes : l->accesses[i].width;
    }
    t->masks[0] = hd_new_array(t->arena, uint64_t, t->words);
    for (uint64_t lane = 0; lane < t->lanes; lane++)
        t->masks[0][lane / 64] |= (uint64_t)1 << lane % 64;
    t->mask_count = 1;
    t->list_count = t->memories = 0;
    t->active = hd_new_array(t->arena, uint64_t, t->lanes);
    t->a = hd_new_array(t->arena, uint64_t, t->lanes);
    t->address = hd_new_array(t->arena, uint64_t, t->lanes);
}

static void new_mask(twin *t, const known *k) {
    slice *s = &t->column[4];
    uint64_t *mask = t->masks[t->mask_count++] = hd_new_array(t->arena, uint64_t, t->words);
    assert_true(t->mask_count < MASKS);
    uint8_t way = byte(s);
    if (way == 0)
        for (uint64_t w = 0; w < t->words; w++, s->at += 8)
            mask[w] = fixed(s->at, 8);
    if (way >= 2)
        memcpy(mask, t->masks[way == 2 ? 0 : k->mask], t->words * 8);
    uint64_t lane = 0;
    for (uint64_t n = way ? varint(s) : 0; n; n--, lane++) {
        lane += varint(s);
        mask[lane / 64] ^= (uint64_t)1 << lane % 64;
    }
}

static uint64_t find_base(twin *t, uint64_t access, uint8_t op, uint64_t expected, int sort) {
    known *k = &t->known[access];
    if (op & 32)
        k->step[sort] = signed_number(&t->column[5]);
    k->base = expected + k->step[sort];
    int32_t buffer = t->launch.accesses[access].buffer;
    if (!k->met && buffer < 0)
        k->origin = k->base;
    else if (!k->met) {
        int64_t beyond = (int64_t)(k->base - t->launch.buffers[buffer].base);
        int64_t rest = beyond % (int64_t)k->unit;
        k->origin += (uint64_t)(rest < 0 ? rest + (int64_t)k->unit : rest);
    }
    k->met = true;
    return k->base;
}

static uint64_t scaled(uint64_t d, uint64_t u, uint64_t v) {
    return u == v ? d : (uint64_t)((int64_t)(d * u) / (int64_t)v);
}

static void moved(twin *t, uint64_t access, uint8_t op) {
    known *k = &t->known[access];
    if (op & 64)
        k->reference = varint(&t->column[7]);
    const known *r = &t->known[k->reference];
    assert_non_null(r->memory);
    uint64_t b0 = r->memory[t->active[0]];
    uint64_t expected = r == k ? b0 : k->origin + scaled(b0 - r->origin, k->unit, r->unit);
    uint64_t base = find_base(t, access, op, expected, r == k ? 1 : 2);
    for (uint64_t i = 0; i < t->active_count; i++)
        t->a[i] = base + scaled(r->memory[t->active[i]] - b0, k->unit, r->unit);
}

static void pattern(twin *t, uint64_t access, uint8_t op) {
    known *k = &t->known[access];
    if (op & 64)
        k->pattern = varint(&t->column[8]);
    assert_true(k->pattern < t->list_count && t->list_lanes[k->pattern] == t->active_count);
    const uint64_t *list = t->lists[k->pattern];
    uint64_t base = find_base(t, access, op, k->base, 0);
    for (uint64_t i = 0; i < t->active_count; i++)
        t->a[i] = base + (list[i] - list[0]);
}

static void new_list(twin *t, uint64_t access, uint8_t op) {
    known *k = &t->known[access];
    t->a[0] = find_base(t, access, op, k->base, 0);
    uint8_t how = byte(&t->column[9]), shift = byte(&t->column[9]);
    for (uint64_t i = 1; i < t->active_count; i++) {
        uint64_t value = 0;
        for (int w = 0; w < how >> 3; w++)
            value += (uint64_t)byte(&t->column[10 + w]) << 8 * w;
        value = (unfolded(value) << shift) * (how & 4 ? k->unit : 1);
        t->a[i] = value + ((how & 3) == 0   ? k->origin
                           : (how & 3) == 1 ? t->a[i - 1]
                                            : k->memory[t->active[i]]);
    }
    assert_true(t->list_count < LISTS);
    k->pattern = t->list_count;
    t->list_lanes[t->list_count] = t->active_count;
    t->lists[t->list_count] = hd_new_array(t->arena, uint64_t, t->active_count);
    memcpy(t->lists[t->list_count++], t->a, t->active_count * 8);
}

static void remember(twin *t, known *k, bool keep) {
    if (keep && !k->memory && (t->memories + 1) * t->lanes <= 524288) {
        k->memory = hd_new_array(t->arena, uint64_t, t->lanes);
        t->memories++;
    }
    for (uint64_t i = 0; i < t->active_count; i++) {
        t->address[t->active[i]] = t->a[i];
        if (keep && k->memory)
            k->memory[t->active[i]] = t->a[i];
    }
}

static hd_event read_event(twin *t, uint64_t position, uint64_t *last, uint64_t *last_mask) {
    uint8_t op = byte(&t->column[0]);
    uint64_t access = *last == UINT64_MAX ? 0 : t->known[*last].successor;
    if (op & 16)
        access = varint(&t->column[1]);
    if (*last != UINT64_MAX)
        t->known[*last].successor = access;
    *last = access;
    if (op & 128)
        position += varint(&t->column[2]) + 1;
    known *k = &t->known[access];
    int way = op >> 2 & 3;
    uint64_t mask = way == 0 ? k->mask : way == 1 ? *last_mask : t->mask_count;
    if (way == 2)
        mask = varint(&t->column[3]);
    else if (way == 3)
        new_mask(t, k);
    k->mask = *last_mask = mask;
    t->active_count = 0;
    for (uint64_t lane = 0; lane < t->lanes; lane++)
        if (t->masks[mask][lane / 64] >> lane % 64 & 1)
            t->active[t->active_count++] = lane;
    hd_event e = {.access = (uint32_t)access,
                  .threads = (uint32_t)t->lanes,
                  .active = (uint32_t)t->active_count,
                  .position = position,
                  .mask = t->masks[mask],
                  .address = t->address};
    if ((op & 3) == 0) {
        if (op & 64)
            k->stride = signed_number(&t->column[6]);
        e.address = NULL;
        e.base = find_base(t, access, op, k->base, 0);
        e.stride = (int64_t)k->stride;
        return e;
    }
    ((void (*[])(twin *, uint64_t, uint8_t)){moved, pattern, new_list})[(op & 3) - 1](t, access,
                                                                                      op);
    remember(t, k, (op & 3) != 1 || k->reference == access);
    return e;
}

static void read_events(twin *t, slice body, uint64_t events, uint64_t position,
                        uint64_t lane_accesses, const hd_sink *sink, void *stream) {
    uint64_t lengths[18], last = UINT64_MAX, last_mask = 0, lanes = 0;
    for (int i = 0; i < 18; i++)
        lengths[i] = varint(&body);
    for (int i = 0; i < 18; i++) {
        t->column[i] = (slice){body.at, body.at + lengths[i]};
        body.at += lengths[i];
    }
    assert_ptr_equal(body.at, body.end);
    start_part(t);
    for (uint64_t n = 0; n < events; n++) {
        hd_event e = read_event(t, position, &last, &last_mask);
        lanes += e.active;
        position = e.position + 1;
        sink->event(stream, &e);
    }
    for (int i = 0; i < 18; i++)
        assert_ptr_equal(t->column[i].at, t->column[i].end);
    assert_int_equal(lanes, lane_accesses);
}

/* ---- the file ------------------------------------------------------------------- */

static uint64_t hash(const void *data, size_t length) { return XXH64(data, length, 0); }

/* The body of the chunk at `at`, its checksum compared. */
static slice chunk_body(hd_arena *arena, const uint8_t *file, size_t at, size_t head) {
    const uint8_t *c = file + at;
    uint64_t stored = fixed(c + 4, 4), raw = fixed(c + 8, 4);
    uint8_t sealed[32];
    memcpy(sealed, c, 16);
    for (int i = 0; i < 8; i++) {
        sealed[16 + i] = (uint8_t)((uint64_t)at >> 8 * i);
        sealed[24 + i] = (uint8_t)(hash(c + 24, stored) >> 8 * i);
    }
    assert_true(fixed(c + 16, 8) == hash(sealed, 32));
    if (!fixed(c + 12, 4))
        return (slice){c + 24 + head, c + 24 + stored};
    uint8_t *body = hd_alloc(arena, raw);
    assert_int_equal(ZSTD_decompress(body, raw, c + 24 + head, stored - head), raw);
    return (slice){body, body + raw};
}

/* Blocks as parts show them, and how many of them pages have listed. */
typedef struct seen_block {
    uint64_t number, bytes, events, lane_accesses;
} seen_block;
typedef struct seen_blocks {
    seen_block rows[4000];
    size_t count, listed, pages;
} seen_blocks;

static void see_part(seen_blocks *seen, const uint8_t *chunk) {
    const uint8_t *head = chunk + 24;
    if (!(fixed(head + 4, 4) & 0x7fffffff))
        seen->rows[seen->count++] = (seen_block){.number = fixed(head + 8, 8)};
    seen_block *row = &seen->rows[seen->count - 1];
    row->bytes += 24 + fixed(chunk + 4, 4);
    row->events += fixed(head + 32, 4);
    row->lane_accesses += fixed(head + 24, 8);
}

static void read_list(seen_blocks *seen, slice *s, uint64_t launch) {
    uint64_t next = seen->listed ? seen->rows[seen->listed - 1].number + 1 : 0;
    assert_int_equal(varint(s), launch);
    for (uint64_t n = varint(s); n; n--, seen->listed++) {
        const seen_block *row = &seen->rows[seen->listed];
        assert_int_equal(next + varint(s), row->number);
        assert_int_equal(varint(s), row->bytes);
        assert_int_equal(varint(s), row->events);
        assert_int_equal(varint(s), row->lane_accesses);
        next = row->number + 1;
    }
    assert_int_equal(seen->listed, seen->count);
    seen->pages++;
}

static void read_end(seen_blocks *seen, slice s, uint64_t launch) {
    read_list(seen, &s, launch);
    uint64_t events = 0, lane_accesses = 0;
    for (size_t i = 0; i < seen->count; i++) {
        events += seen->rows[i].events;
        lane_accesses += seen->rows[i].lane_accesses;
    }
    assert_int_equal(varint(&s), seen->count);
    assert_int_equal(varint(&s), events);
    assert_int_equal(varint(&s), lane_accesses);
    assert_int_equal(byte(&s), 1);
    assert_ptr_equal(s.at, s.end);
    assert_int_equal(seen->pages, 1 + seen->count / 1024);
}

/* The directory has the place of everything but the parts. */
static void read_directory(slice s, const uint64_t *places, uint64_t count) {
    uint64_t place = 0;
    assert_int_equal(byte(&s), 1);
    assert_int_equal(varint(&s), count);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(place += varint(&s), places[i]);
    assert_ptr_equal(s.at, s.end);
}

static void read_launch(twin *t, slice s, const hd_event_launch *tables) {
    uint64_t number = varint(&s);
    t->launch = tables[varint(&s)];
    t->launch.number = (uint32_t)number;
    t->launch.dims = (uint32_t)varint(&s);
    t->launch.block_count = t->lanes = 1;
    for (int d = 0; d < 3; d++) {
        t->launch.block_count *= t->launch.groups[d] = varint(&s);
        t->lanes *= t->launch.local[d] = varint(&s);
        t->launch.offset[d] = varint(&s);
    }
    t->launch.block_threads = (uint32_t)t->lanes;
    t->words = (t->lanes + 63) / 64;
}

static void read_part(twin *t, const uint8_t *head, slice body, const hd_sink *sink,
                      void **stream) {
    uint64_t part = fixed(head + 4, 4), block = fixed(head + 8, 8);
    assert_int_equal(fixed(head, 4), t->launch.number);
    if (!(part & 0x7fffffff))
        *stream = sink->open_block(sink->self, block);
    read_events(t, body, fixed(head + 32, 4), fixed(head + 16, 8), fixed(head + 24, 8), sink,
                *stream);
    if (part & 0x80000000)
        sink->close_block(sink->self, *stream, block, true);
}

static void twin_reads(hd_arena *arena, const uint8_t *file, size_t length, const hd_sink *sink) {
    assert_memory_equal(file, "\x89HDT\r\n\x1a\n", 8);
    assert_int_equal(fixed(file + 8, 4), 0x01020304);
    assert_int_equal(fixed(file + 12, 4), 1);
    assert_true(fixed(file + 24, 8) == hash(file, 24));
    hd_event_launch *tables = hd_new_array(arena, hd_event_launch, 100);
    uint64_t table_count = 0, place_count = 0, places[100];
    void *stream = NULL;
    twin *t = hd_new(arena, twin);
    seen_blocks *seen = hd_new(arena, seen_blocks);
    size_t at = 32;
    for (; memcmp(file + at, "DIRE", 4) != 0; at += 24 + fixed(file + at + 4, 4)) {
        bool is_part = !memcmp(file + at, "PART", 4);
        t->arena = hd_arena_new();
        slice body = chunk_body(is_part ? t->arena : arena, file, at, is_part ? 40 : 0);
        if (!is_part && at > 32)
            places[place_count++] = at;
        if (!memcmp(file + at, "TABL", 4))
            tables[table_count++] = read_table(body, arena);
        else if (!memcmp(file + at, "LNCH", 4)) {
            *seen = (seen_blocks){0};
            read_launch(t, body, tables);
            sink->launch(sink->self, &t->launch);
        } else if (is_part) {
            see_part(seen, file + at);
            read_part(t, file + at + 24, body, sink, &stream);
        } else if (!memcmp(file + at, "PAGE", 4))
            read_list(seen, &body, t->launch.number);
        else if (!memcmp(file + at, "ENDL", 4)) {
            read_end(seen, body, t->launch.number);
            sink->end_launch(sink->self, true);
        }
        hd_arena_free(t->arena);
    }
    read_directory(chunk_body(arena, file, at, 0), places, place_count);
    assert_int_equal(fixed(file + length - 32, 8), at);
    assert_int_equal(fixed(file + length - 24, 8), length);
    assert_memory_equal(file + length - 8, "HDTINDEX", 8);
}

static void the_page_on_the_format_says_all(void **state) {
    (void)state;
    static const spec specs[] = {
        {41, 1, 1, 3, 20, 2},       {42, 33, 7, 5, 400, 3},   {43, 256, 12, 4, 3000, 2},
        {44, 1024, 100, 2, 900, 1}, {45, 100, 3, 1500, 2, 2}, {46, 8192, 100, 1, 250, 1},
        {47, 16, 1, 2, 60000, 1},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        bench b;
        bench_open(&b);
        write_spec(&b, &specs[i]);
        char *file;
        size_t length;
        assert_int_equal(hd_read_file(b.arena, &b.diag, b.path, &file, &length), HD_OK);
        heard h = {.arena = b.arena};
        hd_sink sink = heard_sink(&h);
        twin_reads(b.arena, (const uint8_t *)file, length, &sink);
        assert_same(hear_spec(&b, &specs[i]), &h);
        bench_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_on_the_format_says_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
