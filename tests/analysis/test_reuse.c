/* The data reuse characteristic: figure 4, and random traces against tests/oracle. */
#include "analysis/reuse_parts.h"
#include "analysis/reuse_scene.h"
#include "analysis/schedule.h"

enum { MOST_THREADS = 100, MOST_BLOCKS = 40, ACCESSES = 6 };

/* There are no buffers, so that the generic one is to global memory. */
static const uint32_t widths[ACCESSES] = {4, 1, 8, 2, 16, 4};
static const kir_space spaces[ACCESSES] = {KIR_GLOBAL, KIR_GENERIC, KIR_GLOBAL,
                                           KIR_LOCAL,  KIR_GLOBAL,  KIR_CONSTANT};

static uint64_t state;
static uint64_t any(uint64_t below) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static const hd_diag diag = {scene_message, NULL};

/* ---- a random trace ----------------------------------------------------------------------- */

static void make_event(const hd_sink *sink, void *stream, uint32_t threads, uint64_t position) {
    uint64_t mask[MOST_THREADS / 64 + 1] = {0}, address[MOST_THREADS], density = any(4);
    uint64_t far = any(3) ? 200 : 100000;
    hd_event e = {.access = (uint32_t)any(ACCESSES),
                  .threads = threads,
                  .mask = mask,
                  .position = position,
                  .base = 0x1000 + any(far),
                  .stride = (int64_t)any(9)};
    for (uint32_t l = 0; l < threads; l++) {
        address[l] = any(far);
        if (density == 3 || any(4) <= density)
            mask[l / 64] |= (uint64_t)1 << l % 64;
    }
    mask[0] |= 1;
    for (uint32_t w = 0; w < MOST_THREADS / 64 + 1; w++)
        e.active += (uint32_t)__builtin_popcountll(mask[w]);
    if (any(2))
        e.address = address;
    sink->event(stream, &e);
}

static void make_launch(const hd_sink *sink, uint32_t number, uint64_t blocks,
                        uint64_t most_events) {
    static const uint32_t sizes[] = {1, 5, 32, 33, 64, 100};
    hd_event_access accesses[ACCESSES];
    uint32_t threads = sizes[any(6)];
    for (int i = 0; i < ACCESSES; i++)
        accesses[i] = (hd_event_access){.space = spaces[i], .width = widths[i], .buffer = -1};
    hd_event_launch launch = {.number = number,
                              .kernel = "k",
                              .dims = 1,
                              .accesses = accesses,
                              .access_count = ACCESSES,
                              .groups = {blocks, 1, 1},
                              .local = {threads, 1, 1},
                              .block_count = blocks,
                              .block_threads = threads};
    assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
    for (uint64_t b = 0; b < blocks; b++) {
        void *stream = sink->open_block(sink->self, b);
        for (uint64_t p = 0, n = any(most_events + 1); p < n; p++)
            make_event(sink, stream, threads, p);
        sink->close_block(sink->self, stream, b, true);
    }
    sink->end_launch(sink->self, true);
}

static void make_scene(scene *s, uint64_t seed, uint64_t most_events) {
    static const uint32_t sizes[] = {4, 1, 2, 8, 12, 28};
    state = seed;
    uint32_t bytes = sizes[any(6)];
    uint32_t second = seed % 5 ? KIR_CONSTANT : KIR_LOCAL;
    scene_open(s, bytes, any(3) ? 1u << KIR_GLOBAL : 1u << KIR_GLOBAL | 1u << second);
    hd_sink sink = scene_sink(s);
    for (uint32_t l = 0, n = 1 + (uint32_t)any(3); l < n; l++)
        make_launch(&sink, l, 1 + any(9), most_events);
    scene_written(s);
}

static bool has_accesses(const scene *s) {
    for (size_t b = 0; b < s->blocks.count; b++)
        if (s->blocks.data[b].mis.count)
            return true;
    return false;
}

static void random_traces(void **unused) {
    (void)unused;
    static const uint32_t units[] = {1, 2, 4, 8, 16, 32, 64, 96};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        scene s;
        make_scene(&s, seed, seed % 20 ? 8 : 50);
        hd_reuse_options o = {
            .element_bytes = s.element_bytes, .spaces = s.wanted, .workers = 1 + (uint32_t)any(3)};
        if (seed % 7 == 0)
            o.memory = 2000; /* in several shares */
        for (o.scenario = 1; o.scenario <= 6 && has_accesses(&s); o.scenario++) {
            if (o.scenario != 2 && s.wanted >> KIR_LOCAL & 1)
                continue;
            o.k = 1 + any(5);
            o.clusters = 1u << any(4);
            o.units = units[any(o.scenario == 6 ? 7 : 8)];
            o.warp_order = any(2) ? "greedy" : NULL;
            scene_compare(&s, &o);
        }
        scene_close(&s);
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* Figure 4: MIs ABC, DEFG, NAAH, IJPL and MNHH; A is used again by 2, H and N by 3. */
static void figure_4(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    static const char *const text = "# heddle-trace-text 1\n"
                                    "B 0 4\n"
                                    "0 1 L 4 0:100 1:104 2:108 3:100\n"
                                    "1 2 L 4 0:10c 1:110 2:114 3:118\n"
                                    "2 3 L 4 0:134 1:100 2:100 3:11c\n"
                                    "3 4 L 4 0:120 1:124 2:13c 3:12c\n"
                                    "4 5 L 4 0:130 1:134 2:11c 3:11c\n";
    char path[64], file[80];
    snprintf(path, sizeof path, "/tmp/heddle-figure-%ld.txt", (long)getpid());
    snprintf(file, sizeof file, "%s.hdt", path);
    assert_int_equal(hd_write_file(&diag, path, text, strlen(text)), HD_OK);
    const hd_trace_header header = {.source = "figure 4", .spaces = 1u << KIR_GLOBAL};
    hd_trace_writer *writer;
    hd_trace_text *opened;
    hd_trace *trace;
    assert_int_equal(hd_trace_text_open(arena, &diag, path, NULL, &opened), HD_OK);
    assert_int_equal(hd_trace_create(arena, &diag, file, &header, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    assert_int_equal(hd_trace_text_send(opened, &sink), HD_OK);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(hd_trace_open(arena, &diag, file, &trace), HD_OK);
    hd_reuse *reuse;
    const hd_reuse_options o = {.scenario = 1};
    assert_int_equal(hd_reuse_analyse(arena, &diag, trace, &o, &reuse), HD_OK);
    assert_int_equal(reuse->streams[0].domain, 2);
    assert_int_equal(reuse->streams[0].degree[1], 0);
    assert_int_equal(reuse->streams[0].degree[2], 2 + 3);
    assert_int_equal(reuse->accesses, 20);
    hd_trace_close(trace);
    unlink(path);
    unlink(file);
    hd_arena_free(arena);
}

/* Transforms give what pairs do. */
static void correlations(void **unused) {
    (void)unused;
    enum { MOST = 3000 };
    state = 5;
    for (int round = 0; round < 60; round++) {
        uint32_t position[MOST], at = (uint32_t)any(1000000);
        uint64_t weight[MOST], count = 1 + any(round < 30 ? 20 : 800);
        for (uint64_t i = 0; i < count; i++) {
            position[i] = at;
            at += 1 + (uint32_t)any(3);
            weight[i] = round % 2 ? any(1 << 30) * (any(1 << 20) + 1) : any(5);
        }
        uint64_t span = position[count - 1] - position[0];
        uint64_t *want = calloc(span + 2, sizeof *want), *got = calloc(span + 2, sizeof *got);
        for (uint64_t j = 0; j < count; j++)
            for (uint64_t i = 0; i < j; i++)
                want[position[j] - position[i]] += weight[j];
        correlate(position, weight, count, got);
        for (uint64_t d = 0; d <= span; d++)
            assert_true(got[d] == want[d]);
        free(want);
        free(got);
    }
}

/* One element in every MI of a long stream: a list that is too dense for pairs. */
static void dense_list(void **unused) {
    (void)unused;
    enum { LENGTH = 6000 };
    hd_arena *arena = hd_arena_new();
    char path[64];
    snprintf(path, sizeof path, "/tmp/heddle-dense-%ld.hdt", (long)getpid());
    const hd_trace_header header = {.source = "dense", .spaces = 1u << KIR_GLOBAL};
    hd_trace_writer *writer;
    hd_trace *trace;
    assert_int_equal(hd_trace_create(arena, &diag, path, &header, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    const hd_event_access access = {.space = KIR_GLOBAL, .width = 4, .buffer = -1};
    const hd_event_launch launch = {.kernel = "k",
                                    .dims = 1,
                                    .groups = {1, 1, 1},
                                    .local = {3, 1, 1},
                                    .block_count = 1,
                                    .block_threads = 3,
                                    .accesses = &access,
                                    .access_count = 1};
    assert_int_equal(sink.launch(sink.self, &launch), HD_OK);
    void *stream = sink.open_block(sink.self, 0);
    const uint64_t mask = 7;
    for (uint64_t p = 0; p < LENGTH; p++)
        sink.event(
            stream,
            &(hd_event){.threads = 3, .active = 3, .position = p, .mask = &mask, .base = 0x100});
    sink.close_block(sink.self, stream, 0, true);
    sink.end_launch(sink.self, true);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(hd_trace_open(arena, &diag, path, &trace), HD_OK);
    hd_reuse *reuse;
    const hd_reuse_options o = {.scenario = 2};
    assert_true(correlate_cost(LENGTH) < 0.5 * LENGTH * LENGTH);
    assert_int_equal(hd_reuse_analyse(arena, &diag, trace, &o, &reuse), HD_OK);
    assert_int_equal(reuse->streams[0].domain, LENGTH - 1);
    for (uint64_t d = 1; d < LENGTH; d++)
        assert_int_equal(reuse->streams[0].degree[d], 3 * (LENGTH - d));
    hd_trace_close(trace);
    unlink(path);
    hd_arena_free(arena);
}

/* Every order has each block once; `random` depends on its seed alone. */
static void orders_of_blocks(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed < 30; seed++) {
        scene s;
        make_scene(&s, seed, 12);
        const hd_trace_launch *launch = hd_trace_get(s.trace)->launches;
        const hd_schedule_input input = {s.trace, &diag, launch, s.element_bytes, s.wanted, seed};
        for (size_t k = 0; hd_block_orders[k].name; k++) {
            uint64_t order[MOST_BLOCKS], again[MOST_BLOCKS], seen = 0;
            assert_int_equal(hd_block_orders[k].fill(&input, order), HD_OK);
            assert_int_equal(hd_block_orders[k].fill(&input, again), HD_OK);
            for (uint64_t b = 0; b < launch->block_count; b++) {
                assert_int_equal(order[b], again[b]);
                seen |= (uint64_t)1 << order[b];
            }
            assert_true(seen == ((uint64_t)1 << launch->block_count) - 1);
        }
        scene_close(&s);
    }
}

/* The blocks of one launch are what they are among all. */
static void chosen_launches(void **unused) {
    (void)unused;
    uint64_t compared = 0;
    for (uint64_t seed = 1; seed < 30; seed++) {
        scene s;
        make_scene(&s, seed, 12);
        hd_reuse *all, *chosen;
        hd_reuse_options o = {.scenario = 2};
        if (hd_reuse_analyse(s.arena, NULL, s.trace, &o, &all) == HD_OK)
            for (uint64_t i = 0; i < all->stream_count; i++) {
                const hd_reuse_stream *stream = &all->streams[i];
                o.first_launch = stream->launch;
                o.end_launch = stream->launch + 1;
                if (!stream->domain)
                    continue;
                assert_int_equal(hd_reuse_analyse(s.arena, &diag, s.trace, &o, &chosen), HD_OK);
                assert_int_equal(chosen->streams[stream->number].launch, stream->launch);
                assert_int_equal(chosen->streams[stream->number].domain, stream->domain);
                assert_memory_equal(chosen->streams[stream->number].degree, stream->degree,
                                    (stream->domain + 1) * sizeof *stream->degree);
                compared++;
            }
        scene_close(&s);
    }
    assert_true(compared > 20);
}

static void refused(const hd_reuse_options *o) {
    scene s;
    make_scene(&s, 3, 12);
    hd_reuse *reuse;
    assert_int_equal(hd_reuse_analyse(s.arena, NULL, s.trace, o, &reuse), HD_EINPUT);
    assert_null(reuse);
    scene_close(&s);
}

static void bad_options(void **unused) {
    (void)unused;
    refused(&(hd_reuse_options){.scenario = 0});
    refused(&(hd_reuse_options){.scenario = 7});
    refused(&(hd_reuse_options){.scenario = 4});
    refused(&(hd_reuse_options){.scenario = 5, .units = 32});
    refused(&(hd_reuse_options){.scenario = 5, .clusters = 2});
    refused(&(hd_reuse_options){.scenario = 5, .clusters = 2, .units = 24});
    refused(&(hd_reuse_options){.scenario = 6, .clusters = 3, .units = 16});
    refused(&(hd_reuse_options){.scenario = 1, .block_order = "best"});
    refused(&(hd_reuse_options){.scenario = 5, .clusters = 2, .units = 32, .warp_order = "best"});
    refused(&(hd_reuse_options){.scenario = 1, .first_launch = 9});
    refused(&(hd_reuse_options){.scenario = 1, .first_launch = 1, .end_launch = 1});
    refused(&(hd_reuse_options){.scenario = 2, .spaces = 1u << KIR_PRIVATE});
    refused(&(hd_reuse_options){.scenario = 3, .spaces = 1u << KIR_LOCAL});
}

/* ---- little memory --------------------------------------------------------------------------- */

/* A launch of 4 blocks, each with so many loads of 64 lanes at elements below `elements`. */
static void make_loads(const hd_sink *sink, uint64_t loads, uint64_t elements) {
    const hd_event_access access = {.space = KIR_GLOBAL, .width = 4, .buffer = -1};
    const hd_event_launch launch = {.kernel = "k",
                                    .dims = 1,
                                    .groups = {4, 1, 1},
                                    .local = {64, 1, 1},
                                    .block_count = 4,
                                    .block_threads = 64,
                                    .accesses = &access,
                                    .access_count = 1};
    const uint64_t mask = UINT64_MAX;
    uint64_t address[64];
    sink->launch(sink->self, &launch);
    for (uint64_t b = 0; b < 4; b++) {
        void *stream = sink->open_block(sink->self, b);
        for (uint64_t n = 0; n < loads; n++) {
            for (int l = 0; l < 64; l++)
                address[l] = 4 * any(elements);
            sink->event(
                stream,
                &(hd_event){
                    .threads = 64, .active = 64, .position = n, .mask = &mask, .address = address});
        }
        sink->close_block(sink->self, stream, b, true);
    }
    sink->end_launch(sink->self, true);
}

/* In shares, whether elements are many or a few that are touched everywhere, the sums are the
 * same. */
static void shares_add_up(void **unused) {
    (void)unused;
    static const uint64_t elements[] = {100, 1 << 20};
    char path[64];
    snprintf(path, sizeof path, "/tmp/heddle-shares-%ld.hdt", (long)getpid());
    for (int i = 0; i < 2; i++) {
        hd_arena *arena = hd_arena_new();
        hd_trace_writer *writer;
        hd_trace *trace;
        hd_reuse *reuse[2];
        state = 5;
        assert_int_equal(hd_trace_create(arena, &diag, path, &(hd_trace_header){NULL, 2}, &writer),
                         HD_OK);
        hd_sink sink = hd_trace_sink(writer);
        make_loads(&sink, 500, elements[i]);
        assert_int_equal(hd_trace_finish(writer, true), HD_OK);
        assert_int_equal(hd_trace_open(arena, &diag, path, &trace), HD_OK);
        for (int few = 0; few < 2; few++) {
            const hd_reuse_options o = {.scenario = 1, .memory = few ? 50000 : 0, .workers = 2};
            assert_int_equal(hd_reuse_analyse(arena, &diag, trace, &o, &reuse[few]), HD_OK);
        }
        assert_int_equal(reuse[0]->shares, 1);
        assert_true(reuse[1]->shares > 1);
        assert_int_equal(reuse[1]->elements, reuse[0]->elements);
        assert_int_equal(reuse[1]->accesses, 4 * 500 * 64);
        const hd_reuse_stream *a = reuse[0]->streams, *b = reuse[1]->streams;
        assert_int_equal(a->domain, b->domain);
        assert_memory_equal(a->degree, b->degree, (a->domain + 1) * sizeof *a->degree);
        hd_trace_close(trace);
        unlink(path);
        hd_arena_free(arena);
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void count_message(const hd_message *m, void *user) {
    (void)m;
    ++*(int *)user;
}

/* Of all blocks that cannot be read the first one is named, by one message. */
static void damage_is_said_once(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    char path[64], *data;
    size_t length;
    snprintf(path, sizeof path, "/tmp/heddle-damage-%ld.hdt", (long)getpid());
    hd_trace_writer *writer;
    hd_trace *trace;
    hd_reuse *reuse;
    assert_int_equal(hd_trace_create(arena, &diag, path, &(hd_trace_header){NULL, 2}, &writer),
                     HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    make_loads(&sink, 10000, 1 << 20);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(hd_read_file(arena, &diag, path, &data, &length), HD_OK);
    assert_int_equal(hd_trace_open(arena, &diag, path, &trace), HD_OK);
    const hd_trace_launch *launch = hd_trace_get(trace)->launches;
    const char *end = memmem(data, length, "ENDL", 4); /* blocks end here; the last byte of each */
    assert_non_null(end);
    for (uint64_t b = 4; b-- > 0; end -= launch->blocks[b].bytes)
        data[end - data - 1] ^= 1;
    hd_trace_close(trace);
    assert_int_equal(hd_write_file(&diag, path, data, length), HD_OK);
    assert_int_equal(hd_trace_open(arena, &diag, path, &trace), HD_OK);
    for (int i = 0; i < 10; i++) {
        int messages = 0;
        const hd_diag counting = {count_message, &messages};
        const hd_reuse_options o = {
            .scenario = 1 + (uint32_t)i % 2 * 4, .clusters = 4, .units = 32, .workers = 4};
        assert_int_equal(hd_reuse_analyse(arena, &counting, trace, &o, &reuse), HD_EINPUT);
        assert_int_equal(messages, 1);
    }
    hd_trace_close(trace);
    unlink(path);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_said_once), cmocka_unit_test(figure_4),
        cmocka_unit_test(correlations),        cmocka_unit_test(shares_add_up),
        cmocka_unit_test(dense_list),          cmocka_unit_test(orders_of_blocks),
        cmocka_unit_test(chosen_launches),     cmocka_unit_test(bad_options),
        cmocka_unit_test(random_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
