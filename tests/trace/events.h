/*
 * Events for the tests of this folder: random launches of all shapes, a sink that remembers
 * what it heard, and one that compares.
 *
 * What is remembered of a block is a hash after each of its events, so that a prefix can be
 * told from anything else.
 */
#ifndef HD_TESTS_TRACE_EVENTS_H
#define HD_TESTS_TRACE_EVENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "trace/trace.h"

/* ---- numbers at random, the same in every run ----------------------------------- */

static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static inline uint64_t random_below(uint64_t *state, uint64_t limit) {
    return random_next(state) % limit;
}

/* ---- launches ------------------------------------------------------------------- */

typedef struct spec {
    uint64_t seed;
    uint32_t threads, accesses;
    uint64_t blocks, events; /* of each launch; of each block, about */
    uint32_t launches;
} spec;

enum { SPEC_ACCESSES_MAX = 100 };

/* A launch of a spec, with tables: every third access has no buffer; elements of buffer 1
 * are records of 28 bytes. */
typedef struct made_launch {
    hd_event_launch launch;
    hd_event_access accesses[SPEC_ACCESSES_MAX];
    hd_event_buffer buffers[3];
    hd_field inner_fields[1], fields[2];
    hd_record inner, record;
    const char *files[2];
} made_launch;

static inline void make_tables(made_launch *m, uint64_t seed) {
    m->inner_fields[0] = (hd_field){"w", "float", 0, 16, 4, 4, NULL};
    m->inner = (hd_record){.name = "inner",
                           .spelling = "struct inner",
                           .size = 16,
                           .align = 4,
                           .field_count = 1,
                           .fields = m->inner_fields};
    m->fields[0] = (hd_field){"x", "float", 0, 12, 4, 3, NULL};
    m->fields[1] = (hd_field){"in", "struct inner", 12, 16, 4, 1, &m->inner};
    m->record = (hd_record){.name = "body",
                            .spelling = "body",
                            .size = 28,
                            .align = 4,
                            .field_count = 2,
                            .fields = m->fields};
    m->files[0] = "kernel.cl";
    m->files[1] = "a name, with blanks %.h";
    m->buffers[0] = (hd_event_buffer){"idx", "int", KIR_GLOBAL, 0x10000, 1 << 20, 4, NULL};
    m->buffers[1] =
        (hd_event_buffer){"bodies", "struct body", KIR_GLOBAL, 0x400000, 28 << 16, 28, &m->record};
    m->buffers[2] = (hd_event_buffer){"tile", NULL, KIR_LOCAL, 0, 4096, 0, NULL};
    for (uint32_t i = 0; i < SPEC_ACCESSES_MAX; i++) {
        hd_event_access *a = &m->accesses[i];
        a->kind = (hd_access_kind)(i % 3);
        a->width = 1u << (i + seed) % 5;
        a->buffer = i % 3 == 2 ? -1 : (int32_t)(i % 4 % 3);
        a->space = a->buffer < 0 ? KIR_GENERIC : m->buffers[a->buffer].space;
        a->record = a->buffer == 1 ? "body" : NULL;
        a->field = a->buffer == 1 ? "x" : NULL;
        a->file = i % 2;
        a->line = i;
        a->column = 7;
    }
}

static inline void make_launch(made_launch *m, const spec *s, uint32_t number) {
    memset(m, 0, sizeof *m);
    make_tables(m, s->seed + number / 2);
    m->launch = (hd_event_launch){.number = number,
                                  .kernel = number % 2 ? "relax" : "gather",
                                  .dims = 2,
                                  .groups = {s->blocks, 1, 1},
                                  .local = {1, s->threads, 1},
                                  .offset = {number, 0, 0},
                                  .block_count = s->blocks,
                                  .block_threads = s->threads,
                                  .files = m->files,
                                  .file_count = 2,
                                  .accesses = m->accesses,
                                  .access_count = s->accesses,
                                  .buffers = m->buffers,
                                  .buffer_count = 3};
}

/* ---- the events of a block ------------------------------------------------------ */

/* What a block's producer has in hand. */
typedef struct producer {
    const hd_sink *sink;
    void *stream;
    const hd_event_launch *launch;
    uint64_t random, position;
    uint64_t *mask, *full, *address; /* [words], [words], [threads] */
    uint64_t (*kept)[4];             /* [accesses]: base, stride and so on of loops */
} producer;

static inline void give(producer *p, hd_event e, const uint64_t *mask) {
    e.threads = p->launch->block_threads;
    e.mask = mask;
    for (uint32_t w = 0; w < (e.threads + 63) / 64; w++)
        e.active += (uint32_t)__builtin_popcountll(mask[w]);
    e.position = p->position++;
    p->sink->event(p->stream, &e);
}

static inline uint64_t address_near(producer *p, uint32_t access) {
    const hd_event_access *a = &p->launch->accesses[access];
    if (random_below(&p->random, 40) == 0)
        return random_next(&p->random);
    if (a->buffer < 0)
        return 0x7f0000000000 + random_below(&p->random, 1 << 20) * a->width;
    const hd_event_buffer *b = &p->launch->buffers[a->buffer];
    uint64_t unit = b->element_bytes ? b->element_bytes : a->width;
    return b->base + random_below(&p->random, b->bytes / unit) * unit + access % 4;
}

/* Some lanes; at least one. Few of them, most of them, a run, or those of before less some. */
static inline const uint64_t *choose_mask(producer *p) {
    uint32_t threads = p->launch->block_threads, words = (threads + 63) / 64;
    uint64_t way = random_below(&p->random, 6);
    if (way < 2)
        return memcpy(p->mask, p->full, words * sizeof *p->mask);
    if (way == 2) {
        memset(p->mask, 0, words * sizeof *p->mask);
        for (uint64_t n = 1 + random_below(&p->random, 3); n; n--) {
            uint64_t lane = random_below(&p->random, threads);
            p->mask[lane / 64] |= (uint64_t)1 << lane % 64;
        }
        return p->mask;
    }
    for (uint64_t n = way == 3 ? threads : 1 + threads / 8; n; n--) {
        uint64_t lane = random_below(&p->random, threads);
        p->mask[lane / 64] &= ~((uint64_t)1 << lane % 64);
    }
    uint64_t lane = random_below(&p->random, threads);
    p->mask[lane / 64] |= (uint64_t)1 << lane % 64;
    return p->mask;
}

/* Fills the addresses of all lanes in one of several ways; false: they are a stride. */
static inline bool choose_addresses(producer *p, uint32_t access, hd_event *e) {
    uint64_t way = random_below(&p->random, 8), base = address_near(p, access);
    uint64_t *kept = p->kept[access];
    uint32_t threads = p->launch->block_threads;
    if (way < 2) {
        e->base = base;
        e->stride = (int64_t)random_below(&p->random, 65) - 32;
        if (way == 1)
            e->stride *= p->launch->accesses[access].width;
        return false;
    }
    uint64_t seed = way == 2 ? kept[0] : p->random;
    for (uint32_t l = 0; l < threads; l++)
        p->address[l] = way == 3   ? base + l * 12 /* a stride after all */
                        : way == 4 ? base + (l ^ 5) * 4
                        : way == 5 ? base + random_below(&seed, 200)
                        : way == 6 ? base + (uint64_t)l * l * 28
                                   : address_near(p, access);
    if (way == 2) /* the same distances as once before */
        for (uint32_t l = 0; l < threads; l++)
            p->address[l] = base + random_below(&seed, 1000) * 4;
    else
        kept[0] = p->random;
    return true;
}

/* Lanes of other accesses a step on, or the same elements of other buffers, in a loop. */
static inline void produce_loop(producer *p) {
    uint32_t a = (uint32_t)random_below(&p->random, p->launch->access_count);
    uint32_t b = (uint32_t)random_below(&p->random, p->launch->access_count);
    uint32_t threads = p->launch->block_threads;
    hd_event e = {.access = a};
    bool listed = choose_addresses(p, a, &e);
    uint64_t width_a = p->launch->accesses[a].width, width_b = p->launch->accesses[b].width;
    uint64_t step = random_below(&p->random, 9) * 4 - 16, from = address_near(p, b);
    const uint64_t *mask = choose_mask(p);
    for (uint64_t n = 2 + random_below(&p->random, 6); n; n--) {
        e.address = listed ? p->address : NULL;
        give(p, e, mask);
        if (listed) {
            uint64_t *other = malloc(threads * sizeof *other);
            for (uint32_t l = 0; l < threads; l++)
                other[l] = from + (p->address[l] - p->address[0]) / width_a * width_b;
            give(p, (hd_event){.access = b, .address = other}, mask);
            free(other);
        }
        e.base += step;
        for (uint32_t l = 0; l < threads; l++)
            p->address[l] += step;
        if (random_below(&p->random, 3) == 0)
            mask = choose_mask(p);
    }
}

/* Other accesses with the lanes of `e`, some bytes on, as a struct's fields have them. */
static inline void produce_fields(producer *p, hd_event e, const uint64_t *mask) {
    e.same_lanes = true;
    for (uint64_t n = random_below(&p->random, 4); n; n--) {
        e.access = (uint32_t)random_below(&p->random, p->launch->access_count);
        e.base += random_below(&p->random, 5) * 4 - 8;
        give(p, e, mask);
    }
}

static inline void produce_block(const hd_sink *sink, void *stream, const hd_event_launch *launch,
                                 uint64_t seed, uint64_t events) {
    uint32_t words = (launch->block_threads + 63) / 64;
    producer p = {.sink = sink, .stream = stream, .launch = launch, .random = seed};
    p.mask = calloc(words, sizeof *p.mask);
    p.full = calloc(words, sizeof *p.full);
    p.address = calloc(launch->block_threads, sizeof *p.address);
    p.kept = calloc(launch->access_count, sizeof *p.kept);
    for (uint32_t l = 0; l < launch->block_threads; l++)
        p.full[l / 64] |= (uint64_t)1 << l % 64;
    memcpy(p.mask, p.full, words * sizeof *p.mask);
    while (p.position < events) {
        if (random_below(&p.random, 4) == 0) {
            produce_loop(&p);
            continue;
        }
        hd_event e = {.access = (uint32_t)random_below(&p.random, launch->access_count)};
        if (choose_addresses(&p, e.access, &e))
            e.address = p.address;
        const uint64_t *mask = choose_mask(&p);
        give(&p, e, mask);
        if (e.address)
            produce_fields(&p, e, mask);
        if (random_below(&p.random, 30) == 0)
            p.position += random_below(&p.random, 5);
    }
    free(p.mask);
    free(p.full);
    free(p.address);
    free(p.kept);
}

static inline uint64_t block_seed(const spec *s, uint32_t launch, uint64_t block) {
    return s->seed * 1000003 + launch * 10007 + block;
}

/* All launches of a spec, in this thread; blocks of odd numbers only where `odd`. */
static inline void produce(const spec *s, const hd_sink *sink, bool odd) {
    for (uint32_t n = 0; n < s->launches; n++) {
        made_launch m;
        make_launch(&m, s, n);
        assert_int_equal(sink->launch(sink->self, &m.launch), HD_OK);
        for (uint64_t b = odd; b < s->blocks; b += 1 + odd) {
            void *stream = sink->open_block(sink->self, b);
            produce_block(sink, stream, &m.launch, block_seed(s, n, b), s->events);
            assert_int_equal(sink->close_block(sink->self, stream, b, true), HD_OK);
        }
        assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
    }
}

/* ---- what was heard ------------------------------------------------------------- */

static inline uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0xff51afd7ed558ccd;
    return hash ^ hash >> 32;
}

static inline uint64_t event_hash(uint64_t hash, const hd_event *e) {
    hash = mixed(mixed(mixed(hash, e->access), e->position), e->threads);
    uint32_t active = 0;
    for (uint32_t l = 0; l < e->threads; l++)
        if (hd_event_active(e, l)) {
            hash = mixed(mixed(hash, l), hd_event_address(e, l));
            active++;
        }
    assert_int_equal(active, e->active);
    assert_true(active > 0);
    return hash;
}

typedef struct heard_block {
    uint32_t launch;
    uint64_t block;
    hd_vec(uint64_t) hashes; /* after each event */
    uint64_t lane_accesses;
} heard_block;

/* Remembers everything. One thread. */
typedef struct heard {
    hd_arena *arena;
    const hd_event_launch *launch;
    hd_vec(heard_block *) blocks;
    uint64_t launch_hash;
} heard;

static inline uint64_t text_hash(uint64_t hash, const char *text) {
    if (!text)
        return mixed(hash, 1);
    for (; *text; text++)
        hash = mixed(hash, (uint8_t)*text);
    return mixed(hash, 2);
}

static inline uint64_t record_hash(uint64_t hash, const hd_record *r) {
    if (!r)
        return mixed(hash, 3);
    hash = text_hash(text_hash(hash, r->name), r->spelling);
    hash = mixed(mixed(hash, r->size), r->align);
    for (uint32_t f = 0; f < r->field_count; f++) {
        const hd_field *d = &r->fields[f];
        hash = text_hash(text_hash(hash, d->name), d->type);
        hash = mixed(mixed(mixed(mixed(hash, d->offset), d->size), d->align), d->count);
        hash = record_hash(hash, d->record);
    }
    return hash;
}

/* Everything that a launch and its tables say. */
static inline uint64_t launch_hash(uint64_t hash, const hd_event_launch *l) {
    hash = mixed(mixed(text_hash(mixed(hash, l->number), l->kernel), l->dims), l->block_count);
    for (int d = 0; d < 3; d++)
        hash = mixed(mixed(mixed(hash, l->groups[d]), l->local[d]), l->offset[d]);
    for (uint32_t i = 0; i < l->file_count; i++)
        hash = text_hash(hash, l->files[i]);
    for (uint32_t i = 0; i < l->buffer_count; i++) {
        const hd_event_buffer *b = &l->buffers[i];
        hash = text_hash(text_hash(hash, b->name), b->type);
        hash = mixed(mixed(mixed(mixed(hash, b->space), b->base), b->bytes), b->element_bytes);
        hash = record_hash(hash, b->record);
    }
    for (uint32_t i = 0; i < l->access_count; i++) {
        const hd_event_access *a = &l->accesses[i];
        hash = mixed(mixed(mixed(hash, a->kind), a->space), a->width);
        hash = text_hash(text_hash(mixed(hash, (uint64_t)a->buffer), a->record), a->field);
        hash = mixed(mixed(mixed(mixed(hash, a->file), a->line), a->column), a->pc);
    }
    return hash;
}

static inline hd_status hear_launch(void *self, const hd_event_launch *launch) {
    heard *h = self;
    h->launch = launch;
    h->launch_hash = launch_hash(h->launch_hash, launch);
    return HD_OK;
}
typedef struct heard_stream {
    heard *heard;
    heard_block *block;
} heard_stream;
static inline void *hear_open(void *self, uint64_t block) {
    heard *h = self;
    heard_stream *s = hd_new(h->arena, heard_stream);
    s->heard = h;
    s->block = hd_new(h->arena, heard_block);
    s->block->launch = h->launch->number;
    s->block->block = block;
    hd_push(h->arena, &h->blocks, s->block);
    return s;
}
static inline void hear_event(void *stream, const hd_event *e) {
    heard_stream *s = stream;
    size_t count = s->block->hashes.count;
    uint64_t before = count ? s->block->hashes.data[count - 1] : 0;
    s->block->lane_accesses += e->active;
    hd_push(s->heard->arena, &s->block->hashes, event_hash(before, e));
}
static inline hd_status hear_close(void *self, void *stream, uint64_t block, bool complete) {
    (void)self;
    assert_int_equal(((heard_stream *)stream)->block->block, block);
    (void)complete;
    return HD_OK;
}
static inline hd_status hear_end(void *self, bool complete) {
    (void)self;
    (void)complete;
    return HD_OK;
}
static inline hd_sink heard_sink(heard *h) {
    return (hd_sink){h, hear_launch, hear_open, hear_event, hear_close, hear_end};
}

/* The heard block of a number, or NULL. */
static inline const heard_block *heard_find(const heard *h, uint32_t launch, uint64_t block) {
    for (size_t i = 0; i < h->blocks.count; i++)
        if (h->blocks.data[i]->launch == launch && h->blocks.data[i]->block == block)
            return h->blocks.data[i];
    return NULL;
}

static inline void assert_same_block(const heard_block *a, const heard_block *b) {
    assert_int_equal(a->launch, b->launch);
    assert_int_equal(a->block, b->block);
    assert_int_equal(a->hashes.count, b->hashes.count);
    if (a->hashes.count)
        assert_memory_equal(a->hashes.data, b->hashes.data, a->hashes.count * sizeof(uint64_t));
}

static inline void assert_same(const heard *a, const heard *b) {
    assert_true(a->launch_hash == b->launch_hash);
    assert_int_equal(a->blocks.count, b->blocks.count);
    for (size_t i = 0; i < a->blocks.count; i++)
        assert_same_block(a->blocks.data[i], b->blocks.data[i]);
}

/* ---- files and messages --------------------------------------------------------- */

/* The last message, and how many there were. */
typedef struct messages {
    int count;
    char text[600];
    unsigned line, column;
} messages;

static inline void take_message(const hd_message *message, void *user) {
    messages *m = user;
    m->count++;
    snprintf(m->text, sizeof m->text, "%s", message->text);
    m->line = message->place.line;
    m->column = message->place.column;
    assert_non_null(message->place.file);
}

/* A folder of its own for a test, and an arena. */
typedef struct bench {
    hd_arena *arena;
    messages messages;
    hd_diag diag;
    char *folder;
    const char *path;
} bench;

static inline void bench_open(bench *b) {
    *b = (bench){.arena = hd_arena_new()};
    b->diag = (hd_diag){take_message, &b->messages};
    b->folder = folder_make(b->arena);
    b->path = hd_format(b->arena, "%s/run.hdt", b->folder);
}
static inline void bench_close(bench *b) {
    unlink(b->path);
    unlink(hd_format(b->arena, "%s.part", b->path));
    assert_int_equal(rmdir(b->folder), 0);
    hd_arena_free(b->arena);
}

static const hd_trace_choice everything = {-1, 0, UINT64_MAX, 0};

/* Writes a spec to the bench's file. */
static inline void write_spec(bench *b, const spec *s) {
    hd_trace_writer *writer;
    const hd_trace_header header = {"job.yaml", 1 << KIR_GLOBAL | 1 << KIR_LOCAL};
    assert_int_equal(hd_trace_create(b->arena, &b->diag, b->path, &header, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    produce(s, &sink, false);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
}

static inline heard *hear_spec(bench *b, const spec *s) {
    heard *h = hd_new(b->arena, heard);
    h->arena = b->arena;
    hd_sink sink = heard_sink(h);
    produce(s, &sink, false);
    return h;
}

static inline heard *hear_file(bench *b, const char *path) {
    heard *h = hd_new(b->arena, heard);
    h->arena = b->arena;
    hd_sink sink = heard_sink(h);
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b->arena, &b->diag, path, &trace), HD_OK);
    assert_int_equal(hd_trace_replay(trace, &b->diag, &everything, &sink), HD_OK);
    hd_trace_close(trace);
    return h;
}

#endif
