/*
 * The simulation of caches: counts done by hand, against a simulator of lists on random traces and
 * layouts, and against stack distances where both must agree; and what is refused.
 */
#include "trace/events.h"

#include <pthread.h>

#include "analysis/stack.h"
#include "oracle/caches.h"
#include "sanitized.h"

/* ---- traces ------------------------------------------------------------------------------------ */

typedef struct scene {
    hd_arena *arena;
    char *folder;
    hd_trace *trace;
} scene;

static void scene_begin(scene *s) {
    s->arena = hd_arena_new();
    s->folder = folder_make(s->arena);
}

static void scene_write(scene *s, void (*events)(const hd_sink *sink, const void *what),
                        const void *what) {
    const char *path = hd_format(s->arena, "%s/run.hdt", s->folder);
    const hd_trace_header header = {.spaces = 1u << KIR_GLOBAL};
    hd_trace_writer *writer;
    assert_int_equal(hd_trace_create(s->arena, NULL, path, &header, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    events(&sink, what);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(hd_trace_open(s->arena, NULL, path, &s->trace), HD_OK);
}

static void scene_end(scene *s) {
    hd_trace_close(s->trace);
    folder_remove(s->folder);
    hd_arena_free(s->arena);
}

static void give_random(const hd_sink *sink, const void *what) { produce(what, sink, false); }
static void give_half(const hd_sink *sink, const void *what) { produce(what, sink, true); }

static const hd_device *device_of(hd_arena *arena, const char *text) {
    const hd_device *device;
    assert_int_equal(hd_device_parse_synthetic(arena, NULL, text, &device), HD_OK);
    return device;
}

/* ---- by hand -------------------------------------------------------------------------------------- */

/* One block of 32 threads that reads 32 floats twice and writes the first 16 of them, then its
 * second launch reads them again. */
static void give_floats(const hd_sink *sink, const void *what) {
    static const hd_event_access accesses[] = {{HD_LOAD, KIR_GLOBAL, 4, 0},
                                               {HD_STORE, KIR_GLOBAL, 4, 0}};
    const hd_event_buffer buffer = {"v", "float", KIR_GLOBAL, 4096, 4096, 4, NULL};
    hd_event_launch launch = {.kernel = "k",
                              .dims = 1,
                              .groups = {1, 1, 1},
                              .local = {32, 1, 1},
                              .block_count = 1,
                              .block_threads = 32,
                              .accesses = accesses,
                              .access_count = 2,
                              .buffers = &buffer,
                              .buffer_count = 1};
    const uint64_t all = UINT32_MAX, some = 0xffff;
    (void)what;
    for (; launch.number < 2; launch.number++) {
        hd_event e = {.threads = 32, .active = 32, .mask = &all, .base = 4096, .stride = 4};
        assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
        void *stream = sink->open_block(sink->self, 0);
        sink->event(stream, &e);
        e.position++;
        sink->event(stream, &e);
        e = (hd_event){1, 32, 16, 2, &some, 4096, 4, NULL, false};
        sink->event(stream, &e);
        assert_int_equal(sink->close_block(sink->self, stream, 0, true), HD_OK);
        assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
    }
}

static void assert_counts(const hd_cache_counts *a, const hd_cache_counts *b) {
    assert_int_equal(a->requests, b->requests);
    assert_int_equal(a->transactions, b->transactions);
    assert_int_equal(a->lines, b->lines);
    assert_int_equal(a->sectors, b->sectors);
    assert_int_equal(a->l1_hits, b->l1_hits);
    assert_int_equal(a->l2_sectors, b->l2_sectors);
    assert_int_equal(a->l2_hits, b->l2_hits);
    assert_int_equal(a->l2_partial, b->l2_partial);
    assert_int_equal(a->l2_bytes, b->l2_bytes);
    assert_int_equal(a->dram_read, b->dram_read);
    assert_int_equal(a->dram_written, b->dram_written);
    assert_int_equal(a->dram_rows, b->dram_rows);
}

#define SMALL "warp:32 l1:1k/32 l2:8k/32 w:1,10,100 blocks:2 threads:256 regs:4k segment:32 sms:2"

static void counts_done_by_hand(void **state) {
    scene s;
    (void)state;
    scene_begin(&s);
    scene_write(&s, give_floats, NULL);
    const hd_caches_options options = {0};
    const hd_caches *c;
    const hd_device *device = device_of(s.arena, SMALL " l1tags:128/2 l2tags:128/4");
    assert_int_equal(hd_caches_run(s.arena, NULL, s.trace, device, NULL, NULL, &options, &c),
                     HD_OK);
    assert_int_equal(c->sector, 32);
    assert_int_equal(c->launch_count, 2);
    /* Four sectors from memory, then from L1; two of them written whole, where they are in L2. */
    const hd_cache_counts load = {2, 8, 2, 8, 4, 4, 0, 0, 128, 128, 0, 1};
    const hd_cache_counts store = {1, 2, 1, 2, 0, 2, 2, 0, 0, 0, 0, 0};
    /* L1 is empty again, L2 is not; what is written last goes to memory in the end. */
    const hd_cache_counts again = {2, 8, 2, 8, 4, 4, 4, 0, 128, 0, 0, 0};
    const hd_cache_counts rest = {1, 2, 1, 2, 0, 2, 2, 0, 0, 0, 64, 0};
    assert_counts(&c->launches[0].accesses[0].counts, &load);
    assert_counts(&c->launches[0].accesses[1].counts, &store);
    assert_counts(&c->launches[1].accesses[0].counts, &again);
    assert_counts(&c->launches[1].accesses[1].counts, &rest);
    assert_true(c->launches[0].accesses[0].cost == 8 * (0.5 * 1 + 0.5 * 100));
    assert_true(c->launches[0].accesses[1].cost == 2 * 10);
    assert_true(c->launches[1].accesses[0].cost == 8 * (0.5 * 1 + 0.5 * 10));
    assert_int_equal(c->place_count, 1);
    assert_string_equal(c->places[0].name, "v");
    assert_int_equal(c->launches[0].blocks_per_sm, 2);
    assert_int_equal(c->total.counts.requests, 6);
    /* Of the launch's only buffer the same. */
    assert_int_equal(c->launches[0].buffers[0].requests, 3);
    assert_memory_equal(&c->launches[0].buffers[0], &c->launches[0].sum.counts,
                        sizeof(hd_cache_counts));
    scene_end(&s);
}

/* ---- against the simulator of lists ------------------------------------------------------------------ */

static const char *const devices[] = {
    "warp:32 l1:4k/32 l2:64k/32 w:1,10,100 blocks:2 threads:512 regs:64k segment:32 sms:3 "
    "l1tags:128/8 l2tags:128/16",
    "warp:32 l1:4k/128 l2:48k/32 w:1,30,100 blocks:8 threads:512 regs:64k segment:128 sms:2 "
    "l1tags:128/4 l2tags:128/8 l1write:evict",
    "warp:32 l1:0 l2:48k/32 w:1,30,100 blocks:1 threads:512 regs:64k segment:128 sms:2 "
    "l2tags:128/6",
    "warp:32 l1:16k/32 l2:128k/64 w:1,30,100 blocks:3 threads:512 regs:64k segment:64 sms:2 "
    "l1tags:128/64 l2tags:256/128",
    "warp:32 l1:0 l2:32k/32 w:1,30,100 blocks:2 threads:512 regs:64k segment:128 sms:2 "
    "coalescing:half-warp l2tags:64/4",
    "warp:64 l1:4k/64 l2:64k/64 w:1,30,100 blocks:4 threads:512 regs:64k segment:64 sms:2 "
    "l1tags:64/4 l2tags:64/16 l1write:evict",
};
enum { DEVICES = sizeof devices / sizeof *devices };

/* A job as make_launch()'s launches run it: the record of the buffer `bodies`, split or not. */
static hd_job *job_of(hd_arena *arena, const spec *s, const char *const *split, uint32_t count) {
    made_launch *m = hd_new(arena, made_launch);
    hd_job *job = hd_new(arena, hd_job);
    const hd_record *record;
    make_launch(m, s, 0);
    assert_int_equal(hd_record_split(arena, NULL, NULL, &m->record, split, count, &record), HD_OK);
    *job = (hd_job){.path = "job.yaml", .record = record, .buffer_count = 1};
    job->buffers = hd_new(arena, hd_buffer);
    *job->buffers =
        (hd_buffer){.name = "bodies", .count = 1 << 16, .record = &m->record, .element_bytes = 28};
    job->launch_count = s->launches;
    job->launches = hd_new_array(arena, hd_launch, s->launches);
    for (uint32_t l = 0; l < s->launches; l++)
        job->launches[l] = (hd_launch){.kernel_name = l % 2 ? "relax" : "gather",
                                       .dims = 2,
                                       .global = {s->blocks, s->threads, 1},
                                       .local = {1, s->threads, 1},
                                       .repeat = 1};
    return job;
}

static void compare(const hd_caches *c, const oracle_caches *o) {
    hd_cache_counts total = {0};
    double cost = 0;
    for (size_t r = 0; r < o->rows.count; r++) {
        const hd_cache_counts *more = &o->rows.data[r].counts;
        const uint64_t *from = &more->requests;
        for (size_t i = 0; i < sizeof total / sizeof total.requests; i++)
            (&total.requests)[i] += from[i];
        cost += hd_cache_cost(o->device, more);
    }
    assert_counts(&c->total.counts, &total);
    assert_true(cost - c->total.cost < 1e-6 * cost && c->total.cost - cost < 1e-6 * cost);
    for (uint32_t l = 0; l < c->launch_count; l++)
        for (uint32_t a = 0; a < c->launches[l].launch->access_count; a++) {
            hd_cache_counts sum = {0};
            for (size_t r = 0; r < o->rows.count; r++)
                for (size_t i = 0; i < sizeof sum / sizeof sum.requests; i++)
                    if (o->rows.data[r].launch == l && o->rows.data[r].access == a)
                        (&sum.requests)[i] += (&o->rows.data[r].counts.requests)[i];
            assert_counts(&c->launches[l].accesses[a].counts, &sum);
        }
    for (uint32_t p = 0; p < c->place_count; p++) {
        const hd_cache_place *place = &c->places[p];
        hd_cache_counts sum = {0};
        for (size_t r = 0; r < o->rows.count; r++) {
            const oracle_row *row = &o->rows.data[r];
            if (!row->record == !place->record && !row->name == !place->name &&
                (!row->record || !strcmp(row->record, place->record)) &&
                (!row->name || !strcmp(row->name, place->name)))
                for (size_t i = 0; i < sizeof sum / sizeof sum.requests; i++)
                    (&sum.requests)[i] += (&row->counts.requests)[i];
        }
        assert_counts(&place->sum.counts, &sum);
    }
}

typedef struct layout_case {
    const char *split[3];
    uint32_t split_count;
    const char *notation; /* NULL: as run */
} layout_case;

static const layout_case layouts[] = {
    {{NULL}, 0, NULL},
    {{NULL}, 0, "soa"},
    {{NULL}, 0, "{x}{in}/da"},
    {{"x"}, 1, "{x[0],in}{x[1],x[2]}:8"},
    {{"x", "in"}, 2, "soa"},
    {{"x", "in"}, 2, NULL},
    {{"x"}, 1, "{x[1]}{x[0],x[2],in}:32"},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static const hd_caches *run_both(const scene *s, const hd_device *device, const hd_job *job,
                                 const hd_layout *layout, oracle_caches *o) {
    const hd_caches_options options = {.registers = 16};
    const hd_caches *c;
    assert_int_equal(hd_caches_run(s->arena, NULL, s->trace, device, job, layout, &options, &c),
                     HD_OK);
    oracle_caches_run(o, s->trace, device, job, layout, options.registers);
    compare(c, o);
    return c;
}

static void random_traces_are_as_with_lists(void **state) {
    static const uint32_t threads[] = {64, 33, 1, 128, 96};
    uint64_t hits = 0, l2_hits = 0, written = 0;
    (void)state;
    for (uint32_t i = 0; i < DEVICES * LAYOUTS; i++) {
        if (!IS_TRIED(i, 5))
            continue;
        const layout_case *l = &layouts[i % LAYOUTS];
        const spec random = {.seed = 100 + i,
                             .threads = threads[i % 5],
                             .accesses = 7 + i % 4,
                             .blocks = i % 3 ? 5 + i % 9 : 60,
                             .events = i % 3 ? 30 : 1, /* then many end at the same time */
                             .launches = 2 + i % 2};
        scene s;
        scene_begin(&s);
        scene_write(&s, give_random, &random);
        const hd_device *device = device_of(s.arena, devices[i % DEVICES]);
        hd_job *job = job_of(s.arena, &random, l->split, l->split_count);
        hd_layout *layout = NULL;
        if (l->notation)
            assert_int_equal(hd_layout_parse(s.arena, NULL, job->record, l->notation, &layout),
                             HD_OK);
        oracle_caches o;
        const hd_caches *c = run_both(&s, device, job, layout, &o);
        hits += c->total.counts.l1_hits;
        l2_hits += c->total.counts.l2_hits;
        written += c->total.counts.dram_written;
        oracle_caches_free(&o);
        scene_end(&s);
    }
    assert_true(hits > 1000 && l2_hits > 1000 && written > 1000);
}

/* Where half of the blocks were heard, half of L2 is left to what outlives a launch. */
static void half_of_the_blocks_are_as_with_lists(void **state) {
    static const char *const large[] = {
        "warp:32 l1:4k/32 l2:1m/32 w:1,10,100 blocks:2 threads:512 regs:64k segment:32 sms:3 "
        "l1tags:128/8 l2tags:128/16",
        "warp:32 l1:0 l2:768k/64 w:1,30,100 blocks:3 threads:512 regs:64k segment:32 sms:2 "
        "l2tags:128/24",
        "warp:32 l1:0 l2:1m/32 w:1,30,100 blocks:3 threads:512 regs:64k segment:32 sms:2 "
        "l2tags:128/64",
    };
    uint64_t dropped = 0;
    (void)state;
    for (uint32_t i = 0; i < sizeof large / sizeof *large; i++) {
        const spec random = {200 + i, 64, 7, 72, 12, 3};
        scene s;
        scene_begin(&s);
        scene_write(&s, give_half, &random);
        const hd_device *device = device_of(s.arena, large[i]);
        oracle_caches o;
        run_both(&s, device, NULL, NULL, &o);
        dropped += o.dropped;
        oracle_caches_free(&o);
        scene_end(&s);
    }
    assert_true(dropped > 100);
}

/* ---- against stack distances --------------------------------------------------------------------------- */

/* One SM, one block at a time, no L1, one set: an access misses where its distance is above the
 * ways. Requests take their lines in another order than stacks do, so each is of one lane. */
static void give_lines(const hd_sink *sink, const void *what) {
    static const hd_event_access access = {HD_LOAD, KIR_GLOBAL, 4, 0};
    const hd_event_buffer buffer = {"v", "float", KIR_GLOBAL, 0, 1 << 20, 4, NULL};
    const hd_event_launch launch = {.kernel = "k",
                                    .dims = 1,
                                    .groups = {3, 1, 1},
                                    .local = {1, 1, 1},
                                    .block_count = 3,
                                    .block_threads = 1,
                                    .accesses = &access,
                                    .access_count = 1,
                                    .buffers = &buffer,
                                    .buffer_count = 1};
    const uint64_t one = 1;
    uint64_t seed = *(const uint64_t *)what;
    assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
    for (uint64_t b = 0; b < 3; b++) {
        void *stream = sink->open_block(sink->self, b);
        for (uint64_t i = 0; i < 3000; i++) {
            uint64_t line = random_below(&seed, 1 + random_below(&seed, 200));
            sink->event(stream,
                        &(hd_event){0, 1, 1, i, &one, line * 128 + 4 * (i % 8), 0, NULL, false});
        }
        assert_int_equal(sink->close_block(sink->self, stream, b, true), HD_OK);
    }
    assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
}

static void a_set_of_all_lines_is_a_stack(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++) {
        scene s;
        scene_begin(&s);
        scene_write(&s, give_lines, &seed);
        const hd_stack_options stack = {.line = 128, .warp = 32, .scope = HD_STACK_DEVICE};
        hd_stack *analysis = hd_stack_new(s.arena, NULL, &stack);
        const hd_sink sink = hd_stack_sink(analysis);
        const hd_trace_choice all = {-1, 0, UINT64_MAX, 0, NULL};
        assert_int_equal(hd_trace_replay(s.trace, NULL, &all, &sink), HD_OK);
        const hd_stack_result *result = hd_stack_result_of(analysis);
        for (uint64_t lines = 1; lines <= 256; lines *= 2) {
            const hd_device *device = device_of(
                s.arena, hd_format(s.arena,
                                   "warp:32 l1:0 l2:%llu/128 w:1,2,3 blocks:1 threads:32 "
                                   "regs:4k sms:1 l2tags:128/%llu",
                                   (unsigned long long)lines * 128, (unsigned long long)lines));
            const hd_caches_options options = {0};
            const hd_caches *c;
            assert_int_equal(
                hd_caches_run(s.arena, NULL, s.trace, device, NULL, NULL, &options, &c), HD_OK);
            const hd_cache_counts *counts = &c->total.counts;
            assert_int_equal(counts->l2_sectors, 9000);
            assert_int_equal(counts->l2_sectors - counts->l2_hits, hd_stack_misses(result, lines));
        }
        hd_stack_free(analysis);
        scene_end(&s);
    }
}

/* ---- several at once, and parts of a trace ---------------------------------------------------------------- */

typedef struct simulating {
    hd_arena *arena;
    hd_trace *trace;
    const hd_device *device;
    const hd_job *job;
    const hd_layout *layout;
    const hd_caches *caches;
    hd_status status;
} simulating;

static void *simulate(void *self) {
    simulating *s = self;
    const hd_caches_options options = {.registers = 16};
    s->status =
        hd_caches_run(s->arena, NULL, s->trace, s->device, s->job, s->layout, &options, &s->caches);
    return NULL;
}

static void several_read_one_trace(void **state) {
    enum { THREADS = 4 };
    const spec random = {7, 64, 9, 20, 60, 2};
    scene s;
    (void)state;
    scene_begin(&s);
    scene_write(&s, give_random, &random);
    hd_job *job = job_of(s.arena, &random, NULL, 0);
    hd_layout *soa = hd_layout_soa(s.arena, job->record);
    simulating all[THREADS], alone[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        alone[i] = (simulating){.arena = hd_arena_new(),
                                .trace = s.trace,
                                .device = device_of(s.arena, devices[i]),
                                .job = job,
                                .layout = i % 2 ? soa : NULL};
        simulate(&alone[i]);
        all[i] = alone[i];
        all[i].arena = hd_arena_new();
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, simulate, &all[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(all[i].status, HD_OK);
        assert_int_equal(alone[i].status, HD_OK);
        assert_counts(&all[i].caches->total.counts, &alone[i].caches->total.counts);
        hd_arena_free(all[i].arena);
        hd_arena_free(alone[i].arena);
    }
    scene_end(&s);
}

static void parts_of_a_trace(void **state) {
    const spec random = {9, 64, 9, 20, 40, 3};
    scene s;
    (void)state;
    scene_begin(&s);
    scene_write(&s, give_random, &random);
    const hd_device *device = device_of(s.arena, devices[0]);
    const hd_caches *c;
    hd_caches_options options = {
        .first_launch = 1, .end_launch = 2, .first_block = 3, .end_block = 10};
    assert_int_equal(hd_caches_run(s.arena, NULL, s.trace, device, NULL, NULL, &options, &c),
                     HD_OK);
    assert_int_equal(c->launch_count, 1);
    assert_int_equal(c->launches[0].launch->number, 1);
    assert_int_equal(c->launches[0].blocks, 7);
    options = (hd_caches_options){.first_launch = 3};
    assert_int_equal(hd_caches_run(s.arena, NULL, s.trace, device, NULL, NULL, &options, &c),
                     HD_EINPUT);
    volatile sig_atomic_t stop = 1;
    const hd_trace_watch watch = {.stop = &stop};
    options = (hd_caches_options){.watch = &watch};
    assert_int_equal(hd_caches_run(s.arena, NULL, s.trace, device, NULL, NULL, &options, &c),
                     HD_OK);
    scene_end(&s);
}

/* Each of so many of 64 blocks, that all read some of 64 KiB, spread over it. */
static void give_some_blocks(const hd_sink *sink, const void *what) {
    const uint64_t *each = what;
    static const hd_event_access accesses[] = {{HD_LOAD, KIR_GLOBAL, 4, 0},
                                               {HD_ATOMIC, KIR_GLOBAL, 4, 0}};
    const hd_event_buffer buffer = {"v", "float", KIR_GLOBAL, 65536, 65536, 4, NULL};
    const hd_event_launch launch = {.kernel = "k",
                                    .dims = 1,
                                    .groups = {64, 1, 1},
                                    .local = {32, 1, 1},
                                    .block_count = 64,
                                    .block_threads = 32,
                                    .accesses = accesses,
                                    .access_count = 2,
                                    .buffers = &buffer,
                                    .buffer_count = 1};
    const uint64_t all = UINT32_MAX;
    assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
    for (uint64_t block = 0; block < 64; block += *each) {
        void *stream = sink->open_block(sink->self, block);
        for (uint64_t n = 0; n < 40; n++) {
            const hd_event e = {.threads = 32,
                                .active = 32,
                                .mask = &all,
                                .position = n,
                                .base = 65536 + (block * 1664 + n % 20 * 1024) % 57344,
                                .stride = 64};
            sink->event(stream, &e);
        }
        /* All lanes add to one word, and then to two, half of them each. */
        hd_event e = {1, 32, 32, 40, &all, 65536, 0, NULL, false};
        sink->event(stream, &e);
        const uint64_t half[32] = {0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64,
                                   0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64};
        e.position++;
        e.address = half;
        sink->event(stream, &e);
        assert_int_equal(sink->close_block(sink->self, stream, block, true), HD_OK);
    }
    assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
}

/* Where only some blocks were heard they have the caches of a slice of the device. */
static void some_blocks_have_a_slice(void **state) {
    const hd_caches_options options = {0};
    const hd_caches *whole, *slice;
    const uint64_t each = 8;
    scene s;
    (void)state;
    scene_begin(&s);
    scene_write(&s, give_some_blocks, &each);
#define OF_SLICE                                                                  \
    " w:1,10,100 blocks:2 threads:512 regs:64k segment:32 l1:4k/32 l1tags:128/8 " \
    "l2tags:128/4"
    /* Of 2 rounds of 2 blocks on 8 SMs a quarter. */
    const hd_device *device = device_of(s.arena, "warp:32 sms:8 l2:32k/32" OF_SLICE);
    const hd_device *quarter = device_of(s.arena, "warp:32 sms:2 l2:8k/32" OF_SLICE);
    assert_int_equal(hd_caches_run(s.arena, NULL, s.trace, device, NULL, NULL, &options, &whole),
                     HD_OK);
    assert_int_equal(hd_caches_run(s.arena, NULL, s.trace, quarter, NULL, NULL, &options, &slice),
                     HD_OK);
    assert_counts(&whole->total.counts, &slice->total.counts);
    assert_true(whole->total.counts.dram_read > 0 && whole->total.counts.l2_hits > 0);
    /* 8 blocks x (32 + 16) lanes at the first word */
    assert_true(whole->launches[0].hottest == 8 * (32 + 16));
    scene_end(&s);
}

/* A share of the blocks that were heard is as if only these had been. */
static void a_share_of_the_blocks(void **state) {
    const uint64_t each = 8, all = 1;
    hd_cache_counts counts[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        const hd_caches_options options = {.share = i ? 1.0 / 8 : 0};
        const hd_caches *c;
        scene s;
        scene_begin(&s);
        scene_write(&s, give_some_blocks, i ? &all : &each);
        const hd_device *device = device_of(s.arena, "warp:32 sms:8 l2:32k/32" OF_SLICE);
        assert_int_equal(hd_caches_run(s.arena, NULL, s.trace, device, NULL, NULL, &options, &c),
                         HD_OK);
        assert_int_equal(c->launches[0].blocks, 8);
        counts[i] = c->total.counts;
        scene_end(&s);
    }
    assert_counts(&counts[0], &counts[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_done_by_hand),
        cmocka_unit_test(random_traces_are_as_with_lists),
        cmocka_unit_test(half_of_the_blocks_are_as_with_lists),
        cmocka_unit_test(a_set_of_all_lines_is_a_stack),
        cmocka_unit_test(several_read_one_trace),
        cmocka_unit_test(parts_of_a_trace),
        cmocka_unit_test(some_blocks_have_a_slice),
        cmocka_unit_test(a_share_of_the_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
