/* What is written is read: every event, from any number of threads, in bounded memory. */
#include "events.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Shapes of launches: lanes, accesses, blocks, events, launches. */
static const spec specs[] = {
    {1, 1, 1, 3, 20, 1},         {2, 7, 3, 5, 300, 2},     {3, 32, 100, 4, 2000, 3},
    {4, 64, 5, 40, 50, 1},       {5, 100, 17, 6, 800, 4},  {6, 256, 8, 6, 1500, 2},
    {7, 1024, 30, 3, 900, 1},    {8, 65, 2, 2500, 2, 2},   {9, 256, 4, 2, 20000, 1},
    {10, 1024, 100, 2, 3000, 1}, {11, 65536, 3, 1, 40, 1},
};
enum { SPECS = sizeof specs / sizeof *specs };

static void events_come_back_as_they_were(void **state) {
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        bench b;
        bench_open(&b);
        write_spec(&b, &specs[i]);
        assert_same(hear_spec(&b, &specs[i]), hear_file(&b, b.path));
        assert_int_equal(b.messages.count, 0);
        bench_close(&b);
    }
}

/* As many masks as events: more than a part may have. */
static void produce_masks(const hd_sink *sink, void *stream) {
    enum { THREADS = 1024, EVENTS = 20000 };
    uint64_t mask[THREADS / 64];
    for (uint64_t n = 0; n < EVENTS; n++) {
        uint64_t first = n % THREADS, second = (n / THREADS + first + 1) % THREADS;
        memset(mask, 0, sizeof mask);
        mask[first / 64] |= (uint64_t)1 << first % 64;
        mask[second / 64] |= (uint64_t)1 << second % 64;
        sink->event(stream, &(hd_event){.threads = THREADS,
                                        .active = 2,
                                        .position = n,
                                        .mask = mask,
                                        .base = 64 * n,
                                        .stride = 4});
    }
}

static void masks_without_end_come_back(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    heard direct = {.arena = b.arena};
    hd_trace_writer *writer;
    assert_int_equal(
        hd_trace_create(b.arena, &b.diag, b.path, &(hd_trace_header){NULL, 2}, &writer), HD_OK);
    const hd_sink sinks[] = {hd_trace_sink(writer), heard_sink(&direct)};
    hd_sink sink = hd_sink_tee(b.arena, sinks, 2);
    const spec s = {12, 1024, 1, 1, 0, 1};
    made_launch m;
    make_launch(&m, &s, 0);
    assert_int_equal(sink.launch(sink.self, &m.launch), HD_OK);
    void *stream = sink.open_block(sink.self, 0);
    produce_masks(&sink, stream);
    assert_int_equal(sink.close_block(sink.self, stream, 0, true), HD_OK);
    assert_int_equal(sink.end_launch(sink.self, true), HD_OK);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_same(&direct, hear_file(&b, b.path));
    bench_close(&b);
}

static void contents_are_those_of_the_run(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec *s = &specs[4];
    write_spec(&b, s);
    heard *h = hear_spec(&b, s);
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.path, &trace), HD_OK);
    const hd_trace_contents *c = hd_trace_get(trace);
    struct stat info;
    assert_int_equal(stat(b.path, &info), 0);
    assert_int_equal(c->version, HD_TRACE_VERSION);
    assert_string_equal(c->source, "job.yaml");
    assert_int_equal(c->spaces, 1 << KIR_GLOBAL | 1 << KIR_LOCAL);
    assert_int_equal(c->bytes, info.st_size);
    assert_true(c->complete);
    assert_null(c->missing);
    assert_int_equal(c->launch_count, s->launches);
    uint64_t bytes = 0;
    for (size_t i = 0; i < h->blocks.count; i++) {
        const hd_trace_launch *l = &c->launches[i / s->blocks];
        const hd_trace_block *block = &l->blocks[i % s->blocks];
        assert_true(l->complete);
        assert_int_equal(l->block_count, s->blocks);
        assert_int_equal(block->block, i % s->blocks);
        assert_int_equal(block->mis, h->blocks.data[i]->hashes.count);
        assert_int_equal(block->lane_accesses, h->blocks.data[i]->lane_accesses);
        bytes += block->bytes;
    }
    assert_true(bytes > 0 && bytes < c->bytes);
    hd_trace_close(trace);
    bench_close(&b);
}

/* ---- several threads ------------------------------------------------------------ */

/* Workers that take blocks in order, and loiter at random. */
typedef struct pool {
    const hd_sink *sink;
    const spec *s;
    const hd_event_launch *launch;
    pthread_mutex_t lock;
    uint64_t next, step;
    uint64_t seed;
} pool;

static void *take_block(pool *p, uint64_t *block) {
    pthread_mutex_lock(&p->lock);
    *block = p->next;
    void *stream = NULL;
    if (*block < p->s->blocks)
        stream = p->sink->open_block(p->sink->self, *block);
    p->next += p->step;
    pthread_mutex_unlock(&p->lock);
    return stream;
}

static void loiter(uint64_t *random) {
    uint64_t microseconds = random_below(random, 4) ? 0 : random_below(random, 3000);
    nanosleep(&(struct timespec){0, (long)microseconds * 1000}, NULL);
}

static void *work(void *arg) {
    pool *p = arg;
    uint64_t block;
    for (void *stream; (stream = take_block(p, &block));) {
        uint64_t random = p->seed + block;
        loiter(&random);
        produce_block(p->sink, stream, p->launch, block_seed(p->s, p->launch->number, block),
                      p->s->events);
        loiter(&random);
        p->sink->close_block(p->sink->self, stream, block, true);
    }
    return NULL;
}

static void produce_by(const spec *s, const hd_sink *sink, int threads, uint64_t first,
                       uint64_t step) {
    for (uint32_t n = 0; n < s->launches; n++) {
        made_launch m;
        make_launch(&m, s, n);
        assert_int_equal(sink->launch(sink->self, &m.launch), HD_OK);
        pool p = {sink, s, &m.launch, PTHREAD_MUTEX_INITIALIZER, first, step, (uint64_t)threads};
        pthread_t workers[8];
        for (int t = 0; t < threads; t++)
            assert_int_equal(pthread_create(&workers[t], NULL, work, &p), 0);
        for (int t = 0; t < threads; t++)
            pthread_join(workers[t], NULL);
        assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
    }
}

static void write_by(bench *b, const spec *s, int threads, const char *path, uint64_t first,
                     uint64_t step) {
    hd_trace_writer *writer;
    assert_int_equal(
        hd_trace_create(b->arena, &b->diag, path, &(hd_trace_header){"job.yaml", 2}, &writer),
        HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    produce_by(s, &sink, threads, first, step);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
}

static void bytes_do_not_depend_on_threads(void **state) {
    (void)state;
    for (int i = 2; i < SPECS; i++) {
        bench b;
        bench_open(&b);
        char *one, *many;
        size_t one_length, many_length;
        write_by(&b, &specs[i], 1, b.path, 0, 1);
        assert_int_equal(hd_read_file(b.arena, &b.diag, b.path, &one, &one_length), HD_OK);
        write_by(&b, &specs[i], 4, b.path, 0, 1);
        assert_int_equal(hd_read_file(b.arena, &b.diag, b.path, &many, &many_length), HD_OK);
        assert_int_equal(one_length, many_length);
        assert_memory_equal(one, many, one_length);
        assert_same(hear_spec(&b, &specs[i]), hear_file(&b, b.path));
        bench_close(&b);
    }
}

/* Threads that each read every third block of one trace. */
typedef struct block_reader {
    bench *b;
    hd_trace *trace;
    heard heard;
    uint64_t first;
} block_reader;

static void *read_blocks(void *arg) {
    block_reader *r = arg;
    const hd_trace_contents *c = hd_trace_get(r->trace);
    hd_sink sink = heard_sink(&r->heard);
    for (uint32_t l = 0; l < c->launch_count; l++)
        for (uint64_t i = r->first; i < c->launches[l].block_count; i += 3) {
            r->heard.launch = &c->launches[l].launch;
            if (hd_trace_replay_block(r->trace, &r->b->diag, l, c->launches[l].blocks[i].block,
                                      &sink))
                return NULL;
        }
    return r;
}

static void any_block_is_read_alone_by_any_thread(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec *s = &specs[3];
    write_by(&b, s, 3, b.path, 1, 2); /* blocks 1, 3, 5, ... */
    heard *all = hear_spec(&b, s);
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.path, &trace), HD_OK);
    assert_int_equal(hd_trace_get(trace)->launches[0].block_count, s->blocks / 2);
    block_reader readers[3];
    pthread_t threads[3];
    for (uint64_t t = 0; t < 3; t++) {
        readers[t] = (block_reader){&b, trace, {.arena = hd_arena_new()}, t};
        assert_int_equal(pthread_create(&threads[t], NULL, read_blocks, &readers[t]), 0);
    }
    size_t found = 0;
    for (int t = 0; t < 3; t++) {
        void *result;
        pthread_join(threads[t], &result);
        assert_non_null(result);
        for (size_t i = 0; i < readers[t].heard.blocks.count; i++, found++) {
            const heard_block *block = readers[t].heard.blocks.data[i];
            assert_int_equal(block->block % 2, 1);
            assert_same_block(block, heard_find(all, block->launch, block->block));
        }
        hd_arena_free(readers[t].heard.arena);
    }
    assert_int_equal(found, s->blocks / 2);
    heard nothing = {.arena = b.arena};
    hd_sink sink = heard_sink(&nothing);
    assert_int_equal(hd_trace_replay_block(trace, &b.diag, 0, 2, &sink), HD_EINPUT);
    assert_non_null(strstr(b.messages.text, "no block 2"));
    hd_trace_close(trace);
    bench_close(&b);
}

/* ---- by turns -------------------------------------------------------------------- */

/* All blocks of launch 0 at once, an event of each at a time. */
static void blocks_are_read_by_turns(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec *s = &specs[3];
    write_by(&b, s, 1, b.path, 0, 1);
    hd_trace *trace;
    heard all = {.arena = b.arena}, turns = {.arena = b.arena};
    const hd_sink whole = heard_sink(&all), sink = heard_sink(&turns);
    assert_int_equal(hd_trace_open(b.arena, &b.diag, b.path, &trace), HD_OK);
    const hd_trace_choice first = {0, 0, UINT64_MAX, 0, NULL};
    assert_int_equal(hd_trace_replay(trace, &b.diag, &first, &whole), HD_OK);
    const hd_trace_launch *l = &hd_trace_get(trace)->launches[0];
    hd_trace_stream **streams = hd_new_array(b.arena, hd_trace_stream *, l->block_count);
    void **heard_by = hd_new_array(b.arena, void *, l->block_count);
    turns.launch = &l->launch;
    for (uint64_t i = 0; i < l->block_count; i++) {
        uint64_t block = l->blocks[i].block;
        assert_int_equal(hd_trace_stream_open(trace, &b.diag, 0, block, &streams[i]), HD_OK);
        heard_by[i] = sink.open_block(sink.self, block);
    }
    for (uint64_t left = l->block_count; left;)
        for (uint64_t i = 0; i < l->block_count; i++) {
            const hd_event *event = NULL;
            if (!streams[i])
                continue;
            assert_int_equal(hd_trace_stream_next(streams[i], &b.diag, &event), HD_OK);
            if (event) {
                sink.event(heard_by[i], event);
                continue;
            }
            hd_trace_stream_close(streams[i]);
            streams[i] = NULL;
            left--;
        }
    assert_int_equal(all.blocks.count, l->block_count);
    for (size_t i = 0; i < turns.blocks.count; i++)
        assert_same_block(turns.blocks.data[i], heard_find(&all, 0, turns.blocks.data[i]->block));
    hd_trace_stream *none;
    assert_int_equal(hd_trace_stream_open(trace, &b.diag, 0, l->launch.block_count, &none),
                     HD_EINPUT);
    hd_trace_close(trace);
    bench_close(&b);
}

/* ---- choices -------------------------------------------------------------------- */

/* Counts events of each space and block. */
typedef struct counts {
    const hd_event_launch *launch;
    uint64_t of_space[5], launches, blocks, first, last;
} counts;
static hd_status count_launch(void *self, const hd_event_launch *launch) {
    counts *c = self;
    c->launch = launch;
    c->launches++;
    return HD_OK;
}
static void *count_open(void *self, uint64_t block) {
    counts *c = self;
    c->first = c->blocks++ ? c->first : block;
    c->last = block;
    return self;
}
static void count_event(void *stream, const hd_event *e) {
    counts *c = stream;
    c->of_space[c->launch->accesses[e->access].space]++;
}
static counts count(bench *b, hd_trace_choice choice, hd_status expected) {
    counts c = {0};
    hd_sink sink = {&c, count_launch, count_open, count_event, NULL, NULL};
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b->arena, &b->diag, b->path, &trace), HD_OK);
    assert_int_equal(hd_trace_replay(trace, &b->diag, &choice, &sink), expected);
    hd_trace_close(trace);
    return c;
}

static void a_choice_narrows_the_replay(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    write_spec(&b, &specs[4]);
    counts all = count(&b, everything, HD_OK);
    assert_int_equal(all.launches, 4);
    assert_int_equal(all.blocks, 24);
    assert_true(all.of_space[KIR_GLOBAL] && all.of_space[KIR_LOCAL] && all.of_space[KIR_GENERIC]);

    counts local = count(&b, (hd_trace_choice){-1, 0, UINT64_MAX, 1 << KIR_LOCAL}, HD_OK);
    assert_int_equal(local.of_space[KIR_LOCAL], all.of_space[KIR_LOCAL]);
    assert_int_equal(local.of_space[KIR_GLOBAL], 0);
    assert_int_equal(local.blocks, 24);

    counts some = count(&b, (hd_trace_choice){2, 1, 3, 0}, HD_OK);
    assert_int_equal(some.launches, 1);
    assert_int_equal(some.launch->number, 2);
    assert_int_equal(some.blocks, 3);
    assert_int_equal(some.first, 1);
    assert_int_equal(some.last, 3);

    assert_int_equal(b.messages.count, 0);
    count(&b, (hd_trace_choice){4, 0, UINT64_MAX, 0}, HD_EINPUT);
    assert_int_equal(b.messages.count, 1);
    bench_close(&b);
}

/* ---- blocks that stop, streams that wait ---------------------------------------- */

/* What is left of stopped blocks is nothing, whether they had begun to be written or not. */
static void stopped_blocks_leave_nothing(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const spec s = {20, 256, 4, 6, 20000, 1};
    hd_trace_writer *writer;
    assert_int_equal(
        hd_trace_create(b.arena, &b.diag, b.path, &(hd_trace_header){NULL, 2}, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    made_launch m;
    make_launch(&m, &s, 0);
    assert_int_equal(sink.launch(sink.self, &m.launch), HD_OK);
    void *streams[6];
    for (uint64_t n = 0; n < 6; n++) {
        streams[n] = sink.open_block(sink.self, n);
        produce_block(&sink, streams[n], &m.launch, block_seed(&s, 0, n), s.events);
    }
    static const int order[] = {4, 0, 2, 1, 5, 3}; /* 0 and 4 stop, 0 having been written to */
    for (int i = 0; i < 6; i++)
        assert_int_equal(
            sink.close_block(sink.self, streams[order[i]], (uint64_t)order[i], order[i] % 4 != 0),
            HD_OK);
    assert_int_equal(sink.end_launch(sink.self, false), HD_OK);
    const char *part = hd_trace_name(writer, false);
    assert_string_equal(part, hd_format(b.arena, "%s.part", b.path));
    assert_int_equal(hd_trace_finish(writer, false), HD_OK);
    assert_int_not_equal(access(b.path, F_OK), 0); /* it takes no place of a whole one */

    heard *all = hear_spec(&b, &s), *left = hear_file(&b, part);
    assert_int_equal(left->blocks.count, 4);
    for (size_t i = 0; i < 4; i++) {
        static const uint64_t numbers[] = {1, 2, 3, 5};
        assert_int_equal(left->blocks.data[i]->block, numbers[i]);
        assert_same_block(left->blocks.data[i], heard_find(all, 0, numbers[i]));
    }
    hd_trace *trace;
    assert_int_equal(hd_trace_open(b.arena, &b.diag, part, &trace), HD_OK);
    const hd_trace_contents *c = hd_trace_get(trace);
    assert_false(c->complete);
    assert_false(c->launches[0].complete);
    assert_non_null(strstr(c->missing, "launch 0 ('gather') has 4 complete blocks of 6"));
    hd_trace_close(trace);
    assert_int_equal(unlink(part), 0);
    bench_close(&b);
}

/* A stream that cannot be made small: random addresses, many of them. */
static void produce_random(const hd_sink *sink, void *stream, uint64_t seed, uint64_t events,
                           _Atomic uint64_t *delivered) {
    enum { THREADS = 256 };
    uint64_t address[THREADS], mask[THREADS / 64];
    memset(mask, 0xff, sizeof mask);
    for (uint64_t n = 0; n < events; n++) {
        for (int l = 0; l < THREADS; l++)
            address[l] = random_next(&seed);
        sink->event(stream, &(hd_event){.threads = THREADS,
                                        .active = THREADS,
                                        .position = n,
                                        .mask = mask,
                                        .address = address});
        ++*delivered;
    }
}

typedef struct random_block {
    _Atomic uint64_t *delivered; /* events of all blocks */
    const hd_sink *sink;
    uint64_t number, events;
    void *stream;
    pthread_t thread;
} random_block;

/* The first block begins when the others have come to an end, or wait for it. */
static void *random_work(void *arg) {
    random_block *b = arg;
    uint64_t before = UINT64_MAX;
    while (!b->number && *b->delivered != before) {
        before = *b->delivered;
        nanosleep(&(struct timespec){0, 200000000}, NULL);
    }
    produce_random(b->sink, b->stream, b->number, b->events, b->delivered);
    b->sink->close_block(b->sink->self, b->stream, b->number, true);
    return NULL;
}

/* Peak resident memory, in KiB, of a child that writes blocks of so many random events,
 * the first one late. Sanitizers keep freed memory, so only growth is looked at. */
static long peak_of_writing(bench *b, uint64_t events) {
    pid_t child = fork();
    if (!child) {
        hd_trace_writer *writer;
        if (hd_trace_create(b->arena, &b->diag, b->path, &(hd_trace_header){NULL, 2}, &writer))
            _exit(1);
        hd_sink sink = hd_trace_sink(writer);
        const hd_event_access access = {.width = 1, .buffer = -1, .space = KIR_GLOBAL};
        const hd_event_launch launch = {.kernel = "k",
                                        .dims = 1,
                                        .groups = {3, 1, 1},
                                        .local = {256, 1, 1},
                                        .block_count = 3,
                                        .block_threads = 256,
                                        .accesses = &access,
                                        .access_count = 1};
        sink.launch(sink.self, &launch);
        random_block blocks[3];
        _Atomic uint64_t delivered = 0;
        for (uint64_t n = 0; n < 3; n++) {
            blocks[n] =
                (random_block){&delivered, &sink, n, events, sink.open_block(sink.self, n), 0};
            pthread_create(&blocks[n].thread, NULL, random_work, &blocks[n]);
        }
        for (int n = 0; n < 3; n++)
            pthread_join(blocks[n].thread, NULL);
        sink.end_launch(sink.self, true);
        _exit(hd_trace_finish(writer, true) != HD_OK);
    }
    int status;
    struct rusage usage;
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    return usage.ru_maxrss;
}

static void memory_is_bounded(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    /* 2 KiB each that do not shrink: 3 x 32 MiB of file, then 3 x 96 MiB. */
    long shorter = peak_of_writing(&b, 16384), longer = peak_of_writing(&b, 49152);
    struct stat info;
    assert_int_equal(stat(b.path, &info), 0);
    assert_true(info.st_size > 280 << 20);
    assert_true(longer < shorter + (64 << 10));
    bench_close(&b);
}

/* ---- what a producer must not do, and what the system may refuse ---------------- */

static hd_status write_events(bench *b, const hd_event *events, int n, uint64_t first_block) {
    hd_trace_writer *writer;
    assert_int_equal(
        hd_trace_create(b->arena, &b->diag, b->path, &(hd_trace_header){NULL, 2}, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    const spec s = {1, 32, 3, 4, 0, 1};
    made_launch m;
    make_launch(&m, &s, 0);
    assert_int_equal(sink.launch(sink.self, &m.launch), HD_OK);
    void *stream = sink.open_block(sink.self, first_block);
    for (int i = 0; i < n; i++)
        sink.event(stream, &events[i]);
    hd_status closed = sink.close_block(sink.self, stream, first_block, true);
    stream = sink.open_block(sink.self, 1);
    hd_status again = sink.close_block(sink.self, stream, 1, true);
    hd_status ended = sink.end_launch(sink.self, true);
    hd_status finished = hd_trace_finish(writer, true);
    assert_int_equal(finished, ended);
    assert_int_equal(ended, again);
    assert_true(!closed || closed == again);
    assert_int_equal(access(b->path, F_OK) == 0, finished == HD_OK);
    return finished;
}

static void a_producer_that_errs_is_told(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const uint64_t all = 0xffffffff, none = 0, beyond = 0x1ffffffff;
    const hd_event good = {.threads = 32, .active = 32, .mask = &all};
    hd_event bad[][2] = {{good, good}, {good}, {good}, {good}, {good}};
    bad[1][0].access = 3;
    bad[2][0].mask = &none;
    bad[3][0].mask = &beyond;
    bad[4][0].threads = 31;
    static const char *const words[] = {"position", "table", "active lane", "beyond the block",
                                        "lanes of its launch"};
    for (int i = 0; i < 5; i++) {
        b.messages.count = 0;
        assert_int_equal(write_events(&b, bad[i], i ? 1 : 2, 0), HD_EINPUT);
        assert_int_equal(b.messages.count, 1);
        assert_non_null(strstr(b.messages.text, words[i]));
    }
    b.messages.count = 0;
    assert_int_equal(write_events(&b, &good, 1, 2), HD_EINPUT);
    assert_int_equal(b.messages.count, 1);
    assert_non_null(strstr(b.messages.text, "ascending"));
    b.messages.count = 0;
    assert_int_equal(write_events(&b, &good, 1, 0), HD_OK);
    assert_int_equal(b.messages.count, 0);
    bench_close(&b);
}

static void an_unwritable_folder_is_an_error(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    hd_trace_writer *writer;
    const char *path = hd_format(b.arena, "%s/none/run.hdt", b.folder);
    assert_int_equal(hd_trace_create(b.arena, &b.diag, path, &(hd_trace_header){0}, &writer),
                     HD_ESYSTEM);
    assert_int_equal(b.messages.count, 1);
    bench_close(&b);
}

/* A file-size limit is what a full disk is: some writes work, then none. */
static void a_full_disk_ends_the_writing_and_no_more(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    pid_t child = fork();
    if (!child) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {1 << 20, 1 << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
        hd_trace_writer *writer;
        if (hd_trace_create(b.arena, &b.diag, b.path, &(hd_trace_header){NULL, 2}, &writer))
            _exit(1);
        hd_sink sink = hd_trace_sink(writer);
        const spec s = {7, 256, 20, 8, 6000, 1};
        made_launch m;
        make_launch(&m, &s, 0);
        if (sink.launch(sink.self, &m.launch))
            _exit(2);
        pool p = {&sink, &s, &m.launch, PTHREAD_MUTEX_INITIALIZER, 0, 1, 4};
        pthread_t workers[4];
        for (int t = 0; t < 4; t++)
            pthread_create(&workers[t], NULL, work, &p);
        for (int t = 0; t < 4; t++)
            pthread_join(workers[t], NULL);
        if (sink.end_launch(sink.self, true) != HD_ESYSTEM || b.messages.count != 1)
            _exit(3);
        if (hd_trace_finish(writer, true) != HD_ESYSTEM || b.messages.count != 1)
            _exit(4);
        if (!access(b.path, F_OK) || !access(hd_format(b.arena, "%s.part", b.path), F_OK))
            _exit(5);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    bench_close(&b);
}

/* How many complete blocks the file at `path` has. */
static uint64_t blocks_in(bench *b, const char *path) {
    hd_trace *trace;
    uint64_t blocks = 0;
    assert_int_equal(hd_trace_open(b->arena, &b->diag, path, &trace), HD_OK);
    const hd_trace_contents *contents = hd_trace_get(trace);
    for (uint32_t l = 0; l < contents->launch_count; l++)
        blocks += contents->launches[l].block_count;
    hd_trace_close(trace);
    return blocks;
}

/* While a long block is silent the blocks before it come to the file. */
static void blocks_are_in_the_file_soon(void **state) {
    (void)state;
    enum { BLOCKS = 20 };
    bench b;
    bench_open(&b);
    const char *part = hd_format(b.arena, "%s.part", b.path);
    const spec s = {13, 32, 3, BLOCKS + 1, 0, 1};
    const uint64_t all = 0xffffffff;
    const hd_event event = {.threads = 32, .active = 32, .mask = &all};
    hd_trace_writer *writer;
    made_launch m;
    make_launch(&m, &s, 0);
    assert_int_equal(
        hd_trace_create(b.arena, &b.diag, b.path, &(hd_trace_header){NULL, 2}, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    assert_int_equal(sink.launch(sink.self, &m.launch), HD_OK);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        void *stream = sink.open_block(sink.self, block);
        sink.event(stream, &event);
        assert_int_equal(sink.close_block(sink.self, stream, block, true), HD_OK);
    }
    void *last = sink.open_block(sink.self, BLOCKS);
    sink.event(last, &event);
    for (int tenths = 0; tenths < 100 && blocks_in(&b, part) < BLOCKS; tenths++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    assert_int_equal(blocks_in(&b, part), BLOCKS);
    assert_int_equal(sink.close_block(sink.self, last, BLOCKS, false), HD_OK);
    assert_int_equal(sink.end_launch(sink.self, false), HD_OK);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(blocks_in(&b, b.path), BLOCKS);
    assert_int_equal(b.messages.count, 0);
    bench_close(&b);
}

static void abandoning_removes_the_file(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const char *part = hd_format(b.arena, "%s.part", b.path);
    hd_trace_writer *writer;
    assert_int_equal(hd_trace_create(b.arena, &b.diag, b.path, &(hd_trace_header){0}, &writer),
                     HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    assert_int_equal(access(part, F_OK), 0);
    produce(&specs[1], &sink, true);
    hd_trace_abandon(writer);
    assert_int_not_equal(access(part, F_OK), 0);
    assert_int_not_equal(access(b.path, F_OK), 0);
    assert_int_equal(b.messages.count, 0);
    bench_close(&b);
}

/* Else the first to end would give the name to what the other has so far. */
static void a_trace_has_one_writer(void **state) {
    (void)state;
    bench b;
    bench_open(&b);
    const hd_trace_header header = {NULL, 2};
    hd_trace_writer *one, *other;
    assert_int_equal(hd_trace_create(b.arena, &b.diag, b.path, &header, &one), HD_OK);
    assert_int_equal(hd_trace_create(b.arena, &b.diag, b.path, &header, &other), HD_EINPUT);
    assert_null(other);
    assert_int_equal(hd_trace_finish(one, true), HD_OK);
    assert_int_equal(hd_trace_create(b.arena, &b.diag, b.path, &header, &other), HD_OK);
    assert_int_equal(hd_trace_finish(other, false), HD_OK); /* stopped: its .part stays */
    assert_int_equal(hd_trace_create(b.arena, &b.diag, b.path, &header, &other), HD_OK);
    assert_int_equal(hd_trace_finish(other, true), HD_OK);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_back_as_they_were),
        cmocka_unit_test(masks_without_end_come_back),
        cmocka_unit_test(contents_are_those_of_the_run),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(any_block_is_read_alone_by_any_thread),
        cmocka_unit_test(blocks_are_read_by_turns),
        cmocka_unit_test(a_choice_narrows_the_replay),
        cmocka_unit_test(stopped_blocks_leave_nothing),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(a_producer_that_errs_is_told),
        cmocka_unit_test(an_unwritable_folder_is_an_error),
        cmocka_unit_test(a_full_disk_ends_the_writing_and_no_more),
        cmocka_unit_test(blocks_are_in_the_file_soon),
        cmocka_unit_test(abandoning_removes_the_file),
        cmocka_unit_test(a_trace_has_one_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
