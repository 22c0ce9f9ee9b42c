/*
 * Throttling: blocks that drive each other's lines out of L1, padding by the rule of the profile,
 * and where fewer blocks save nothing.
 */
#include "trace/events.h"

#include "analysis/throttle.h"

typedef struct walk {
    uint32_t blocks, lines, rounds; /* each block reads its own lines, again and again */
} walk;

static void give_walk(const hd_sink *sink, const walk *w) {
    static const hd_event_access access = {HD_LOAD, KIR_GLOBAL, 4, 0};
    const uint64_t bytes = (uint64_t)w->blocks * w->lines * 128, all = UINT32_MAX;
    const hd_event_buffer buffer = {"v", "float", KIR_GLOBAL, 1 << 20, bytes, 4, NULL};
    const hd_event_launch launch = {.kernel = "k",
                                    .dims = 1,
                                    .groups = {w->blocks, 1, 1},
                                    .local = {32, 1, 1},
                                    .block_count = w->blocks,
                                    .block_threads = 32,
                                    .accesses = &access,
                                    .access_count = 1,
                                    .buffers = &buffer,
                                    .buffer_count = 1};
    assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
    for (uint32_t b = 0; b < w->blocks; b++) {
        void *stream = sink->open_block(sink->self, b);
        for (uint32_t i = 0; i < w->rounds * w->lines; i++) {
            const hd_event e = {.position = i,
                                .threads = 32,
                                .active = 32,
                                .mask = &all,
                                .base = (1 << 20) + (uint64_t)(b * w->lines + i % w->lines) * 128,
                                .stride = 4};
            sink->event(stream, &e);
        }
        assert_int_equal(sink->close_block(sink->self, stream, b, true), HD_OK);
    }
    assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
}

static const hd_throttling *try_on(hd_arena *arena, const char *folder, const walk *w,
                                   const char *device_text, const hd_device **device) {
    const char *path = hd_format(arena, "%s/run.hdt", folder);
    const hd_trace_header header = {.spaces = 1u << KIR_GLOBAL};
    const hd_caches_options options = {0};
    const hd_throttling *result;
    hd_trace_writer *writer;
    hd_trace *trace;
    assert_int_equal(hd_trace_create(arena, NULL, path, &header, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    give_walk(&sink, w);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(hd_trace_open(arena, NULL, path, &trace), HD_OK);
    assert_int_equal(hd_device_parse_synthetic(arena, NULL, device_text, device), HD_OK);
    assert_int_equal(hd_throttle(arena, NULL, trace, *device, NULL, NULL, &options, &result),
                     HD_OK);
    hd_trace_close(trace);
    return result;
}

#define DEVICE                                                                                 \
    "warp:32 l1:4k/128 l2:64k/128 w:1,10,100 blocks:8 threads:256 regs:64k segment:128 sms:1 " \
    "l1tags:128/8 l2tags:128/8"

/* L1 holds 32 lines: those of two blocks, each of which reads 12 lines ten times. */
static void two_blocks_fit(void **state) {
    const walk w = {8, 12, 10};
    hd_arena *arena = hd_arena_new();
    char *folder = folder_make(arena);
    const hd_device *device;
    const hd_throttling *t = try_on(arena, folder, &w, DEVICE " shared:2k", &device);
    (void)state;
    assert_true(t->complete);
    assert_int_equal(t->row_count, 4); /* 1, 2, 4, 8 */
    for (uint32_t r = 0; r < 4; r++) {
        assert_int_equal(t->rows[r].blocks_at_once, 1 << r);
        assert_true(t->rows[r].occupancy == (1 << r) / 8.0);
    }
    /* With one block every line comes from L2 once; with eight every line comes every time. */
    assert_int_equal(t->rows[0].sum.counts.l2_bytes, 8 * 12 * 128);
    assert_int_equal(t->rows[3].sum.counts.l2_bytes, 8 * 12 * 128 * 10);
    assert_true(t->rows[t->best].chosen);
    assert_true(t->best < 2);
    assert_int_equal(t->rows[3].local_bytes, 0);
    assert_int_equal(t->rows[3].l1_bytes, 4096);
    /* One storage: L1 loses what is taken of shared memory, by whole ways. */
    assert_int_equal(t->rows[0].local_bytes, 1536);
    assert_int_equal(t->rows[0].l1_bytes, 2560);
    folder_remove(folder);
    hd_arena_free(arena);
}

static void nothing_saved(void **state) {
    const walk w = {8, 12, 1};
    hd_arena *arena = hd_arena_new();
    char *folder = folder_make(arena);
    const hd_device *device;
    const hd_throttling *t = try_on(arena, folder, &w, DEVICE, &device);
    (void)state;
    assert_int_equal(t->best, t->row_count - 1);
    assert_int_equal(t->rows[0].local_bytes, 0); /* the profile does not say how much there is */
    assert_int_equal(t->rows[0].l1_bytes, 4096);
    folder_remove(folder);
    hd_arena_free(arena);
}

/* So many bytes that this number fits and no more, whatever the profile. */
static void padding(void **state) {
    (void)state;
    for (uint32_t shared = 1 << 10; shared <= 300 << 10; shared += 1 << 10)
        for (uint32_t blocks = 1; blocks <= 32; blocks++) {
            const hd_device device = {.shared = shared};
            uint32_t bytes = hd_throttle_local_bytes(&device, blocks);
            if (bytes)
                assert_int_equal(shared / bytes, blocks);
            else /* there are less than 128 bytes between the bounds, or none */
                assert_true(shared / blocks - shared / (blocks + 1) < 256);
        }
    assert_int_equal(hd_throttle_local_bytes(&(hd_device){0}, 4), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_blocks_fit),
                                       cmocka_unit_test(nothing_saved), cmocka_unit_test(padding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
