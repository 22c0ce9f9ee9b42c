/*
 * Files that are cut off, damaged, or made to deceive. Whatever is done to a file, opening and
 * replaying it either fails with exactly one message or gives events of the original, in their
 * order and from the start of each block; and where checksums were made right again, at least
 * events that a launch can have.
 */
#include "events.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "fuzz/files/trace_sums.h"
#include "trace/chunk.h"

/* ---- files in memory ------------------------------------------------------------ */

typedef struct memory_file {
    int fd;
    char path[40];
} memory_file;

static memory_file memory_file_new(void) {
    memory_file f = {.fd = memfd_create("trace", 0)};
    assert_true(f.fd >= 0);
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}
static void memory_file_set(const memory_file *f, const uint8_t *data, size_t length) {
    assert_int_equal(ftruncate(f->fd, (off_t)length), 0);
    assert_int_equal(pwrite(f->fd, data, length, 0), (ssize_t)length);
}

/* ---- a sink that compares ------------------------------------------------------- */

/* Against `all`, or, where that is NULL, only whether events can be. */
typedef struct judge {
    const heard *all;
    const hd_event_launch *launch;
    uint64_t next_block;
    uint64_t blocks, events;
} judge;
typedef struct judged_block {
    judge *judge;
    const heard_block *expected;
    size_t count;
    uint64_t hash, position;
} judged_block;

static hd_status judge_launch(void *self, const hd_event_launch *launch) {
    judge *j = self;
    assert_true(launch->block_threads > 0 && launch->block_count > 0);
    j->launch = launch;
    j->next_block = 0;
    return HD_OK;
}
static void *judge_open(void *self, uint64_t block) {
    judge *j = self;
    judged_block *b = calloc(1, sizeof *b);
    assert_true(block >= j->next_block && block < j->launch->block_count);
    j->next_block = block + 1;
    b->judge = j;
    if (j->all) {
        b->expected = heard_find(j->all, j->launch->number, block);
        assert_non_null(b->expected);
    }
    return b;
}
static void judge_event(void *stream, const hd_event *e) {
    judged_block *b = stream;
    b->judge->events++;
    assert_true(e->access < b->judge->launch->access_count);
    assert_int_equal(e->threads, b->judge->launch->block_threads);
    assert_true(!b->count || e->position > b->position);
    if (e->threads % 64)
        assert_true(e->mask[e->threads / 64] >> e->threads % 64 == 0);
    b->position = e->position;
    b->hash = event_hash(b->hash, e);
    b->count++;
    if (!b->expected)
        return;
    assert_true(b->count <= b->expected->hashes.count);
    assert_true(b->hash == b->expected->hashes.data[b->count - 1]);
}
static hd_status judge_close(void *self, void *stream, uint64_t block, bool complete) {
    judge *j = self;
    judged_block *b = stream;
    (void)block;
    j->blocks += complete;
    if (complete && b->expected)
        assert_int_equal(b->count, b->expected->hashes.count);
    free(b);
    return HD_OK;
}

/* Opens and replays; the judge says what came. *missing, if wanted, is what the file says. */
static hd_status judge_file(const char *path, judge *j, char *missing, size_t room) {
    hd_arena *arena = hd_arena_new();
    messages m = {0};
    hd_diag diag = {take_message, &m};
    hd_sink sink = {j, judge_launch, judge_open, judge_event, judge_close, NULL};
    hd_trace *trace;
    hd_status status = hd_trace_open(arena, &diag, path, &trace);
    if (!status) {
        const hd_trace_contents *c = hd_trace_get(trace);
        assert_true(c->complete == !c->missing);
        if (missing)
            snprintf(missing, room, "%s", c->missing ? c->missing : "");
        status = hd_trace_replay(trace, &diag, &everything, &sink);
        hd_trace_close(trace);
    } else if (missing) {
        snprintf(missing, room, "%s", m.text);
    }
    assert_int_equal(m.count, status != HD_OK);
    assert_true(!status || status == HD_EINPUT);
    if (status && !strstr(m.text, "no trace file"))
        assert_non_null(strstr(m.text, "byte"));
    hd_arena_free(arena);
    return status;
}

/* ---- what is damaged ------------------------------------------------------------ */

static const spec specs[] = {
    {31, 32, 3, 3, 12, 2}, {32, 256, 5, 2, 200, 1}, {33, 1024, 8, 2, 60, 1},
    {34, 64, 1, 30, 3, 3}, {35, 7, 100, 2, 150, 1},
};
enum { SPECS = sizeof specs / sizeof *specs };

typedef struct sample {
    uint8_t *data;
    size_t length;
    heard *all;
} sample;

static sample sample_new(bench *b, const spec *s) {
    sample f = {.all = hear_spec(b, s)};
    write_spec(b, s);
    assert_int_equal(hd_read_file(b->arena, &b->diag, b->path, (char **)&f.data, &f.length), HD_OK);
    return f;
}

/* ---- cut off
 * -------------------------------------------------------------------------------------- */

/* Cut at every byte: complete blocks are all there, and no more. */
static void a_file_cut_anywhere_has_its_complete_blocks(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    sample f = sample_new(&b, &specs[0]);
    memory_file file = memory_file_new();
    uint64_t most = 0;
    for (size_t length = 0; length < f.length; length++) {
        memory_file_set(&file, f.data, length);
        judge j = {.all = f.all};
        char missing[300];
        hd_status status = judge_file(file.path, &j, missing, sizeof missing);
        assert_true(missing[0]);
        assert_true(j.blocks >= most);
        assert_true(!status || (!j.blocks && length < 100));
        most = j.blocks;
    }
    assert_int_equal(most, f.all->blocks.count);
    close(file.fd);
    bench_close(&b);
}

static void what_is_missing_is_said(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    sample f = sample_new(&b, &specs[3]);
    memory_file file = memory_file_new();
    judge j = {.all = f.all};
    char missing[300];
    memory_file_set(&file, f.data, f.length - 1);
    assert_int_equal(judge_file(file.path, &j, missing, sizeof missing), HD_OK);
    assert_int_equal(j.blocks, 90);
    assert_non_null(strstr(missing, "last 32 bytes"));
    memory_file_set(&file, f.data, f.length / 2);
    j = (judge){.all = f.all};
    assert_int_equal(judge_file(file.path, &j, missing, sizeof missing), HD_OK);
    assert_true(j.blocks > 30 && j.blocks < 60);
    char words[80];
    snprintf(words, sizeof words, "launch 1 ('relax') has %u complete blocks of 30",
             (unsigned)j.blocks - 30);
    assert_non_null(strstr(missing, words));
    snprintf(words, sizeof words, "breaks off at byte %zu", f.length / 2);
    assert_non_null(strstr(missing, words));
    for (size_t length = f.length / 2; j.blocks > 1; length--) {
        memory_file_set(&file, f.data, length);
        j = (judge){.all = f.all};
        assert_int_equal(judge_file(file.path, &j, missing, sizeof missing), HD_OK);
    }
    assert_non_null(strstr(missing, "has 1 complete block of 30"));
    close(file.fd);
    bench_close(&b);
}

/* A process killed while it writes leaves complete blocks in PATH.part. */
static void a_killed_run_can_be_read(void **state) {
    (void)state;
    const spec s = {50, 128, 6, 400, 300, 1};
    bench b;
    bench_open(&b);
    heard *all = hear_spec(&b, &s);
    const char *part = hd_format(b.arena, "%s.part", b.path);
    uint64_t random = 99;
    for (int i = 0; i < 12; i++) {
        pid_t child = fork();
        if (!child) {
            for (;;)
                write_spec(&b, &s);
        }
        nanosleep(&(struct timespec){0, (long)random_below(&random, 60000000)}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (access(part, F_OK) == 0) {
            judge j = {.all = all};
            char missing[300];
            /* Killed before its first bytes it is no trace; later it can be read. */
            if (judge_file(part, &j, missing, sizeof missing))
                assert_int_equal(j.blocks, 0);
            assert_true(missing[0]);
        }
        unlink(part);
        unlink(b.path);
    }
    bench_close(&b);
}

/* ---- damage that checksums find ------------------------------------------------- */

static void flip(uint64_t *random, uint8_t *data, size_t *length) {
    data[random_below(random, *length)] ^= (uint8_t)(1 << random_below(random, 8));
}
static void cut(uint64_t *random, uint8_t *data, size_t *length) {
    (void)data;
    *length = random_below(random, *length + 1);
}
/* A piece of the file somewhere else in it, over what is there. */
static void overwrite(uint64_t *random, uint8_t *data, size_t *length) {
    size_t from = random_below(random, *length), to = random_below(random, *length);
    size_t most = *length - (from > to ? from : to);
    memmove(data + to, data + from, random_below(random, most + 1));
}
/* A piece taken out, so that the rest moves up. */
static void drop(uint64_t *random, uint8_t *data, size_t *length) {
    size_t from = random_below(random, *length);
    size_t count = random_below(random, *length - from + 1);
    memmove(data + from, data + from + count, *length - from - count);
    *length -= count;
}
static void extreme(uint64_t *random, uint8_t *data, size_t *length) {
    static const uint64_t values[] = {
        0,          1,          0x7f,           0xff,           0xffff,    0x7fffffff,
        0x80000000, 0xffffffff, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
    uint64_t value = values[random_below(random, sizeof values / sizeof *values)];
    size_t size = (size_t)1 << random_below(random, 4);
    if (*length < size)
        return;
    size_t at = random_below(random, *length - size + 1);
    if (random_below(random, 2))
        at = at / 4 * 4;
    memcpy(data + at, &value, size);
}

typedef void mutation(uint64_t *random, uint8_t *data, size_t *length);
static mutation *const mutations[] = {flip, flip, cut, overwrite, drop, extreme, extreme};

static void mutate(uint64_t *random, uint8_t *data, size_t *length) {
    for (uint64_t n = 1 + random_below(random, 3); n && *length; n--)
        mutations[random_below(random, sizeof mutations / sizeof *mutations)](random, data, length);
}

static void damage_is_found(void **state) {
    (void)state;
    memory_file file = memory_file_new();
    uint64_t random = 7;
    unsigned failed = 0, whole = 0;
    for (int i = 0; i < SPECS; i++) {
        bench b;
        bench_open(&b);
        sample f = sample_new(&b, &specs[i]);
        uint8_t *copy = hd_alloc(b.arena, f.length);
        for (int n = 0; n < 600; n++) {
            size_t length = f.length;
            memcpy(copy, f.data, length);
            mutate(&random, copy, &length);
            memory_file_set(&file, copy, length);
            judge j = {.all = f.all};
            failed += judge_file(file.path, &j, NULL, 0) != HD_OK;
            whole += j.blocks == f.all->blocks.count;
        }
        bench_close(&b);
    }
    close(file.fd);
    assert_true(failed > 1000);
    assert_true(whole < 600);
}

/* ---- damage that checksums do not find ------------------------------------------ */

/* Where each chunk of the file is, as far as lengths lead. */
static size_t next_chunk(const uint8_t *data, size_t length, size_t at) {
    if (length - at < CHUNK_HEAD_BYTES)
        return length;
    uint64_t stored = load32(data + at + 4);
    return stored > length - at - CHUNK_HEAD_BYTES ? length
                                                   : at + CHUNK_HEAD_BYTES + (size_t)stored;
}

/* The chunks of a file as they are but unpacked, up to the first that lists blocks: so that
 * what is changed in it is columns and tables, not what zstd made of them. */
static size_t unpack(const sample *f, const char *path, uint8_t *to) {
    int fd = open(path, O_RDONLY);
    chunk_source source = {.fd = fd, .size = f->length};
    size_t length = FILE_HEAD_BYTES;
    memcpy(to, f->data, length);
    chunk c;
    for (uint64_t at = FILE_HEAD_BYTES; !chunk_read(&source, at, &c); at += c.bytes) {
        if (c.type == CHUNK_END || c.type == CHUNK_PAGE)
            break;
        size_t head = c.type == CHUNK_PART ? PART_HEAD_BYTES : 0;
        uint8_t *copy = to + length;
        memcpy(copy, f->data + at, CHUNK_HEAD_BYTES + head);
        store32(copy + 4, (uint32_t)(head + c.body_count));
        store32(copy + 12, 0);
        memcpy(copy + CHUNK_HEAD_BYTES + head, chunk_body(&source, &c), c.body_count);
        length += CHUNK_HEAD_BYTES + head + c.body_count;
    }
    source_free(&source);
    close(fd);
    fix_trace_checksums(to, length);
    return length;
}

static void flip_body(uint64_t *random, uint8_t *data, size_t *length) {
    for (uint64_t n = 1 + random_below(random, 4); n; n--) {
        size_t at = FILE_HEAD_BYTES + random_below(random, *length - FILE_HEAD_BYTES);
        data[at] = (uint8_t)random_next(random);
    }
}

static void lies_are_found_or_harmless(void **state) {
    (void)state;
    memory_file file = memory_file_new();
    uint64_t random = 8;
    unsigned opened = 0, events = 0, refused = 0;
    for (int i = 0; i < 2 * SPECS; i++) {
        bench b;
        bench_open(&b);
        sample f = sample_new(&b, &specs[i / 2]);
        uint8_t *raw = hd_alloc(b.arena, f.length * 60 + (1 << 20)), *copy;
        size_t raw_length = f.length;
        memcpy(raw, f.data, f.length);
        if (i % 2)
            raw_length = unpack(&f, b.path, raw);
        memory_file_set(&file, raw, raw_length);
        judge untouched = {.all = f.all};
        assert_int_equal(judge_file(file.path, &untouched, NULL, 0), HD_OK);
        assert_true(untouched.blocks >= specs[i / 2].blocks);
        copy = hd_alloc(b.arena, raw_length);
        for (int n = 0; n < 700; n++) {
            size_t length = raw_length;
            memcpy(copy, raw, length);
            if (n % 2)
                flip_body(&random, copy, &length);
            else
                mutate(&random, copy, &length);
            fix_trace_checksums(copy, length);
            memory_file_set(&file, copy, length);
            judge j = {0};
            hd_status status = judge_file(file.path, &j, NULL, 0);
            opened += !status;
            refused += status != HD_OK && j.events > 0;
            events += j.events > 0;
        }
        bench_close(&b);
    }
    close(file.fd);
    assert_true(opened > 100); /* the lies got through to the decoder ... */
    assert_true(events > 1000);
    assert_true(refused > 300); /* ... which found many */
}

/* ---- parts made by hand --------------------------------------------------------- */

enum { CRAFTED_THREADS = 65536 };

/* A body of `events` times the same bytes in each of the first ten columns. */
typedef struct crafted {
    const char *columns[10]; /* two hexadecimal digits for each byte; NULL: none */
    uint32_t events;
    uint64_t lane_accesses;
    const char *words; /* of the message; NULL: it is sound */
} crafted;

static void craft_body(const crafted *c, bytes *body) {
    bytes columns = {0};
    for (int i = 0; i < COLUMN_COUNT; i++) {
        size_t digits = i < 10 && c->columns[i] ? strlen(c->columns[i]) : 0;
        put_varint(body, digits / 2 * c->events);
        for (uint32_t n = 0; n < c->events; n++)
            for (size_t d = 0; d < digits; d += 2) {
                unsigned value;
                assert_int_equal(sscanf(c->columns[i] + d, "%2x", &value), 1);
                put_byte(&columns, (uint8_t)value);
            }
    }
    put_data(body, columns.data, columns.count);
    bytes_free(&columns);
}

/* Adds a part to a file. */
static void put_part(const part_head *part, const bytes *body, bytes *out) {
    bytes packed = {0};
    uint8_t head[PART_HEAD_BYTES];
    part_head_store(head, part);
    ZSTD_CCtx *packer = ZSTD_createCCtx();
    chunk_make(packer, CHUNK_PART, head, sizeof head, body, &packed);
    chunk_seal(packed.data, out->count);
    put_data(out, packed.data, packed.count);
    ZSTD_freeCCtx(packer);
    bytes_free(&packed);
}

/* A file with that one part after the launch, as a killed run leaves it. */
static void craft_file(const crafted *c, const sample *f, bytes *out) {
    size_t at = FILE_HEAD_BYTES;
    while (load32(f->data + at) != CHUNK_END)
        at = next_chunk(f->data, f->length, at);
    put_data(out, f->data, at);
    bytes body = {0};
    craft_body(c, &body);
    put_part(&(part_head){.last = true, .events = c->events, .lane_accesses = c->lane_accesses},
             &body, out);
    bytes_free(&body);
}

/* Opens and replays; `words` must be in the message, or there is none. */
static void expect_message(const memory_file *file, const uint8_t *data, size_t length,
                           const char *words) {
    hd_arena *arena = hd_arena_new();
    messages m = {0};
    hd_diag diag = {take_message, &m};
    judge j = {0};
    hd_sink sink = {&j, judge_launch, judge_open, judge_event, judge_close, NULL};
    hd_trace *trace;
    memory_file_set(file, data, length);
    hd_status status = hd_trace_open(arena, &diag, file->path, &trace);
    if (!status) {
        status = hd_trace_replay(trace, &diag, &everything, &sink);
        hd_trace_close(trace);
    }
    assert_int_equal(status, words ? HD_EINPUT : HD_OK);
    assert_int_equal(m.count, words != NULL);
    if (words && !strstr(m.text, words))
        fail_msg("not '%s' but: %s", words, m.text);
    hd_arena_free(arena);
}

static const crafted crafts[] = {
    /* strided; new lists of equal addresses; new masks of lane 0 */
    {{"00"}, 3, 3 * CRAFTED_THREADS, NULL},
    {{[0] = "03", [9] = "0100"}, 4, 4 * CRAFTED_THREADS, NULL},
    {{[0] = "03", [9] = "0100"}, 5, 5 * CRAFTED_THREADS, "too many lists"},
    {{[0] = "0c", [4] = "010100"}, 127, 127, NULL},
    {{[0] = "0c", [4] = "010100"}, 128, 128, "too many masks"},
    {{"00"}, 3, 3 * CRAFTED_THREADS - 1, "its lane accesses"},
    {{[0] = "00", [6] = "00"}, 1, CRAFTED_THREADS, "no event uses"},
    {{[0] = "40"}, 1, CRAFTED_THREADS, "ends too early"},
    {{[0] = "20"}, 1, CRAFTED_THREADS, "ends too early"},
    {{[0] = "10", [1] = "01"}, 1, CRAFTED_THREADS, "not in the table"},
    {{[0] = "08", [3] = "01"}, 1, CRAFTED_THREADS, "mask that is not there"},
    {{[0] = "0c", [4] = "0102ffff0300"}, 1, 2, "lane beyond the block"},
    {{[0] = "0c", [4] = "0100"}, 1, 0, "no active lane"},
    {{[0] = "0c", [4] = "0400"}, 1, 0, "unknown way"},
    {{[0] = "01"}, 1, CRAFTED_THREADS, "no addresses yet"},
    {{[0] = "02"}, 1, CRAFTED_THREADS, "pattern that is not there"},
    {{[0] = "03", [9] = "0200"}, 1, CRAFTED_THREADS, "addresses that are not there"},
    {{[0] = "03", [9] = "0300"}, 1, CRAFTED_THREADS, "list is written in an unknown way"},
    {{[0] = "03", [9] = "4900"}, 1, CRAFTED_THREADS, "list is written in an unknown way"},
    {{[0] = "03", [9] = "0140"}, 1, CRAFTED_THREADS, "list is written in an unknown way"},
    {{[0] = "43", [9] = "0100"}, 1, CRAFTED_THREADS, "unknown detail"},
    {{[0] = "80", [2] = "feffffffffffffffff01"}, 1, CRAFTED_THREADS, "position goes back"},
    {{[0] = "80", [2] = "ffffffffffffffffff01"}, 1, CRAFTED_THREADS, "position goes back"},
};

static void columns_are_not_believed(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec s = {36, CRAFTED_THREADS, 1, 1, 0, 1};
    sample f = {0};
    hd_trace_writer *writer;
    assert_int_equal(
        hd_trace_create(b.arena, &b.diag, b.path, &(hd_trace_header){NULL, 2}, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    made_launch m;
    make_launch(&m, &s, 0);
    assert_int_equal(sink.launch(sink.self, &m.launch), HD_OK);
    assert_int_equal(sink.end_launch(sink.self, true), HD_OK);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(hd_read_file(b.arena, &b.diag, b.path, (char **)&f.data, &f.length), HD_OK);
    memory_file file = memory_file_new();
    for (size_t i = 0; i < sizeof crafts / sizeof *crafts; i++) {
        bytes data = {0};
        craft_file(&crafts[i], &f, &data);
        expect_message(&file, data.data, data.count, crafts[i].words);
        bytes_free(&data);
    }
    close(file.fd);
    bench_close(&b);
}

/* ---- parts and pages made by hand ----------------------------------------------- */

/* Heads of parts that follow each other in a launch 0 of 3 blocks; an event each, of all
 * lanes. */
typedef struct crafted_heads {
    part_head heads[3];
    int count;
    const char *words; /* of the message; NULL: they are sound */
} crafted_heads;

#define HEAD(LAUNCH, PART, LAST, BLOCK, POSITION)                                              \
    {.launch = LAUNCH, .part = PART, .last = LAST, .block = BLOCK, .first_position = POSITION}
static const crafted_heads head_crafts[] = {
    {{HEAD(0, 0, false, 0, 0), HEAD(0, 1, true, 0, 7), HEAD(0, 0, true, 2, 0)}, 3, NULL},
    {{HEAD(1, 0, true, 0, 0)}, 1, "not the one that comes next"},
    {{HEAD(0, 1, true, 0, 0)}, 1, "not the one that comes next"},
    {{HEAD(0, 0, false, 0, 0), HEAD(0, 1, true, 1, 1)}, 2, "not the one that comes next"},
    {{HEAD(0, 0, false, 0, 0), HEAD(0, 2, true, 0, 1)}, 2, "not the one that comes next"},
    {{HEAD(0, 0, false, 0, 0), HEAD(0, 0, true, 0, 1)}, 2, "not the one that comes next"},
    {{HEAD(0, 0, true, 1, 0), HEAD(0, 0, true, 1, 0)}, 2, "not in order"},
    {{HEAD(0, 0, true, 1, 0), HEAD(0, 0, true, 0, 0)}, 2, "not in order"},
    {{HEAD(0, 0, true, 3, 0)}, 1, "not of the launch"},
    {{HEAD(0, 0, false, 0, 5), HEAD(0, 1, true, 0, 5)}, 2, "a position goes back"},
    {{HEAD(0, 0, true, 0, UINT64_MAX)}, 1, "a position goes back"},
};

/* A file that ends after the parts. */
static void craft_heads(const crafted_heads *c, const sample *f, uint32_t threads, bytes *out) {
    size_t at = FILE_HEAD_BYTES;
    while (load32(f->data + at) != CHUNK_PART)
        at = next_chunk(f->data, f->length, at);
    put_data(out, f->data, at);
    const crafted one = {{"00"}, 1, 0, NULL};
    for (int i = 0; i < c->count; i++) {
        bytes body = {0};
        part_head head = c->heads[i];
        head.events = 1;
        head.lane_accesses = threads;
        craft_body(&one, &body);
        put_part(&head, &body, out);
        bytes_free(&body);
    }
}

static void parts_come_in_their_order(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec s = {37, 32, 2, 3, 5, 1};
    sample f = sample_new(&b, &s);
    memory_file file = memory_file_new();
    for (size_t i = 0; i < sizeof head_crafts / sizeof *head_crafts; i++) {
        bytes data = {0};
        craft_heads(&head_crafts[i], &f, s.threads, &data);
        expect_message(&file, data.data, data.count, head_crafts[i].words);
        bytes_free(&data);
    }
    close(file.fd);
    bench_close(&b);
}

static size_t find_chunk(const sample *f, uint32_t type) {
    size_t at = FILE_HEAD_BYTES;
    while (load32(f->data + at) != type)
        at = next_chunk(f->data, f->length, at);
    return at;
}

/* An index with right checksums that says something else than the parts. */
static void the_index_is_not_believed(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec s = {38, 32, 2, 1, 5, 1};
    sample f = sample_new(&b, &s);
    memory_file file = memory_file_new();
    uint8_t *part = f.data + find_chunk(&f, CHUNK_PART) + CHUNK_HEAD_BYTES;
    for (int field = 0; field < 3; field++) { /* launch, part, block */
        part[field * 4] ^= 1;
        fix_trace_checksums(f.data, f.length);
        expect_message(&file, f.data, f.length, "not the one that comes next");
        part[field * 4] ^= 1;
    }
    /* ENDL: launch 0, one block: number 0, bytes, events, lane accesses; the sums */
    uint8_t *end = f.data + find_chunk(&f, CHUNK_END) + CHUNK_HEAD_BYTES;
    const uint64_t events = f.all->blocks.data[0]->hashes.count;
    cursor in = {end + 3, end + 100, false};
    get_varint(&in);
    uint8_t *listed = end + (in.at - end);
    assert_true(*listed == events && events < 127);
    get_varint(&in);
    get_varint(&in);
    uint8_t *sum = end + (in.at - end) + 1;
    assert_int_equal(*sum, events);
    ++*listed;
    fix_trace_checksums(f.data, f.length);
    expect_message(&file, f.data, f.length, "sums are not those of its blocks");
    ++*sum;
    fix_trace_checksums(f.data, f.length);
    expect_message(&file, f.data, f.length, "not the events that the index says");
    *listed -= 2, *sum -= 2; /* fewer than there are: none beyond them is heard */
    fix_trace_checksums(f.data, f.length);
    expect_message(&file, f.data, f.length, "not the events that the index says");
    judge other = {0};
    char message[200];
    assert_int_equal(judge_file(file.path, &other, message, sizeof message), HD_EINPUT);
    assert_true(other.events < events);
    ++*listed, ++*sum;
    assert_int_equal(load32(part + 32), events); /* of the part, more than it has bytes for */
    store32(part + 32, UINT32_MAX);
    fix_trace_checksums(f.data, f.length);
    expect_message(&file, f.data, f.length, "not the events that the index says");
    expect_message(&file, f.data, find_chunk(&f, CHUNK_END), "more events than bytes");
    store32(part + 32, (uint32_t)events);
    ++*(end + 3); /* bytes of the block */
    fix_trace_checksums(f.data, f.length);
    expect_message(&file, f.data, f.length, "leaves something out");
    --*(end + 3);
    fix_trace_checksums(f.data, f.length);
    expect_message(&file, f.data, f.length, NULL);
    close(file.fd);
    bench_close(&b);
}

/* Adds a chunk that is no part. */
static void put_chunk(uint32_t type, const bytes *body, bytes *out) {
    bytes made = {0};
    ZSTD_CCtx *packer = ZSTD_createCCtx();
    chunk_make(packer, type, NULL, 0, body, &made);
    chunk_seal(made.data, out->count);
    put_data(out, made.data, made.count);
    ZSTD_freeCCtx(packer);
    bytes_free(&made);
}

/* The file up to its ENDL, then an index that says of its one block that it has so many events. */
static void craft_index(const sample *f, uint64_t events, bytes *out) {
    size_t part = find_chunk(f, CHUNK_PART), end = find_chunk(f, CHUNK_END), last = 0;
    bytes body = {0}, directory = {0};
    put_data(out, f->data, end);
    const uint64_t of_block[] = {0, 1, 0, end - part, events, events, 1, events, events};
    for (size_t i = 0; i < sizeof of_block / sizeof *of_block; i++)
        put_varint(&body, of_block[i]);
    put_byte(&body, 1);
    put_chunk(CHUNK_END, &body, out);
    put_byte(&directory, 1);
    put_varint(&directory, 3);
    const uint32_t types[] = {CHUNK_TABLE, CHUNK_LAUNCH, CHUNK_END};
    for (size_t i = 0; i < 3; i++) {
        put_varint(&directory, find_chunk(f, types[i]) - last);
        last = find_chunk(f, types[i]);
    }
    uint8_t foot[FILE_FOOT_BYTES];
    store64(foot, out->count);
    put_chunk(CHUNK_DIRECTORY, &directory, out);
    store64(foot + 8, out->count + sizeof foot);
    store64(foot + 16, file_hash(foot, 16));
    memcpy(foot + 24, foot_magic, sizeof foot_magic);
    put_data(out, foot, sizeof foot);
    bytes_free(&body);
    bytes_free(&directory);
}

/* Who asks for memory by the index must not get it for events that no file of that size has. */
static void an_index_has_no_more_events_than_bytes(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec s = {38, 32, 2, 1, 5, 1};
    sample f = sample_new(&b, &s);
    memory_file file = memory_file_new();
    static const struct {
        uint64_t events;
        const char *words;
    } cases[] = {{PART_BYTES_MAX / 2, "not the events that the index says"},
                 {(uint64_t)1 << 26, "more events than its parts can hold"},
                 {UINT64_MAX / 2, "more events than its parts can hold"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes data = {0};
        craft_index(&f, cases[i].events, &data);
        expect_message(&file, data.data, data.count, cases[i].words);
        bytes_free(&data);
    }
    close(file.fd);
    bench_close(&b);
}

/* ---- other files
 * --------------------------------------------------------------------------------- */

static hd_status open_bytes(const memory_file *file, const uint8_t *data, size_t length,
                            char *message, size_t room) {
    judge j = {0};
    memory_file_set(file, data, length);
    return judge_file(file->path, &j, message, room);
}

static void other_files_are_told_apart(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    sample f = sample_new(&b, &specs[0]);
    memory_file file = memory_file_new();
    char message[600];
    assert_int_equal(open_bytes(&file, (const uint8_t *)"", 0, message, sizeof message), HD_EINPUT);
    assert_non_null(strstr(message, "no trace file"));
    static const char text[] = "# heddle-trace-text 1\nB 0 32\n0 0 L 4 0:1000\n";
    assert_int_equal(
        open_bytes(&file, (const uint8_t *)text, sizeof text - 1, message, sizeof message),
        HD_EINPUT);
    assert_non_null(strstr(message, "import"));

    store32(f.data + 12, HD_TRACE_VERSION + 1); /* whatever its checksum */
    assert_int_equal(open_bytes(&file, f.data, f.length, message, sizeof message), HD_EINPUT);
    assert_non_null(strstr(message, "version 2"));
    assert_non_null(strstr(message, "later Heddle"));
    store32(f.data + 12, HD_TRACE_VERSION);
    store64(f.data + 16, 1 << 20);
    store64(f.data + 24, file_hash(f.data, 24));
    assert_int_equal(open_bytes(&file, f.data, f.length, message, sizeof message), HD_EINPUT);
    assert_non_null(strstr(message, "features"));
    store64(f.data + 16, FILE_FEATURES);
    store64(f.data + 24, file_hash(f.data, 24));
    f.data[8] = 1, f.data[11] = 4;
    assert_int_equal(open_bytes(&file, f.data, f.length, message, sizeof message), HD_EINPUT);
    assert_non_null(strstr(message, "byte 8"));
    f.data[8] = 4, f.data[11] = 1;
    assert_int_equal(open_bytes(&file, f.data, f.length, message, sizeof message), HD_OK);

    hd_trace *trace;
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.folder, &trace), HD_EINPUT);
    assert_int_equal(hd_trace_open(b.arena, &b.diag, "/nowhere/run.hdt", &trace), HD_EINPUT);
    assert_int_equal(b.messages.count, 2);
    close(file.fd);
    bench_close(&b);
}

/* Damage in one block leaves the others to be read, one by one. */
static void a_damaged_block_is_named(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    sample f = sample_new(&b, &specs[3]);
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.path, &trace), HD_OK);
    size_t at = FILE_HEAD_BYTES, parts = 0;
    while (load32(f.data + at) != CHUNK_PART || parts++ < 4)
        at = next_chunk(f.data, f.length, at);
    f.data[at + CHUNK_HEAD_BYTES + PART_HEAD_BYTES + 1] ^= 1;
    assert_int_equal(hd_write_file(&b.diag, b.path, f.data, f.length), HD_OK);
    hd_trace_close(trace);
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.path, &trace), HD_OK);
    for (uint64_t n = 0; n < 30; n++) {
        judge j = {.all = f.all, .launch = &hd_trace_get(trace)->launches[0].launch};
        hd_sink sink = {&j, judge_launch, judge_open, judge_event, judge_close, NULL};
        assert_int_equal(hd_trace_replay_block(trace, &b.diag, 0, n, &sink),
                         n == 4 ? HD_EINPUT : HD_OK);
        assert_int_equal(j.blocks, n != 4);
    }
    assert_int_equal(b.messages.count, 1);
    assert_non_null(strstr(b.messages.text, hd_format(b.arena,
                                                      "byte %zu: block 4 of launch 0: a "
                                                      "checksum is wrong",
                                                      at)));
    hd_trace_close(trace);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_cut_anywhere_has_its_complete_blocks),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(a_killed_run_can_be_read),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(lies_are_found_or_harmless),
        cmocka_unit_test(columns_are_not_believed),
        cmocka_unit_test(parts_come_in_their_order),
        cmocka_unit_test(the_index_is_not_believed),
        cmocka_unit_test(an_index_has_no_more_events_than_bytes),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(a_damaged_block_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
