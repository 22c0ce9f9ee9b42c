/* The order of blocks `sharing`: by hand, and random launches against tests/oracle. */
#include "analysis/reuse_scene.h"
#include "analysis/schedule.h"
#include "oracle/sharing.h"

enum { THREADS = 32, MOST_BLOCKS = 900 };

static const hd_event_access access_4 = {.space = KIR_GLOBAL, .width = 4, .buffer = -1};

static hd_event_launch launch_of(uint64_t blocks) {
    return (hd_event_launch){.kernel = "k",
                             .dims = 1,
                             .groups = {blocks, 1, 1},
                             .local = {THREADS, 1, 1},
                             .block_count = blocks,
                             .block_threads = THREADS,
                             .accesses = &access_4,
                             .access_count = 1};
}

/* A block that accesses 4 bytes at each of `address`. */
static void add_block(const hd_sink *sink, uint64_t block, const uint64_t *address, size_t count) {
    void *stream = sink->open_block(sink->self, block);
    for (size_t done = 0, n; done < count; done += n) {
        uint64_t lanes[THREADS] = {0};
        n = count - done < THREADS ? count - done : THREADS;
        memcpy(lanes, address + done, n * sizeof *address);
        const uint64_t mask = ((uint64_t)1 << n) - 1;
        sink->event(stream, &(hd_event){.threads = THREADS,
                                        .active = (uint32_t)n,
                                        .position = done / THREADS,
                                        .mask = &mask,
                                        .address = lanes});
    }
    sink->close_block(sink->self, stream, block, true);
}

static void order_of(const scene *s, uint64_t *order) {
    const hd_schedule_input input = {.trace = s->trace,
                                     .diag = &s->diag,
                                     .launch = hd_trace_get(s->trace)->launches,
                                     .element_bytes = s->element_bytes,
                                     .spaces = s->wanted};
    const hd_order *sharing;
    assert_int_equal(hd_find_block_order(s->arena, &s->diag, "sharing", &sharing), HD_OK);
    assert_int_equal(sharing->fill(&input, order), HD_OK);
}

static void compare(scene *s) {
    uint64_t got[MOST_BLOCKS], want[MOST_BLOCKS];
    order_of(s, got);
    slow_sharing_order(s->arena, s->blocks.data, s->blocks.count, want);
    assert_memory_equal(got, want, s->blocks.count * sizeof *got);
}

/* ---- random launches ---------------------------------------------------------------------- */

/* What blocks of a launch touch: elements that so many of 1000 touch, all by chance; some of
 * their neighbours' and some of far blocks'. */
typedef struct sharing_kind {
    uint64_t blocks;
    uint64_t common[12]; /* up to a 0 */
    uint64_t near, far;
} sharing_kind;

static size_t fill_addresses(const sharing_kind *k, uint64_t block, uint64_t *state,
                             uint64_t *address) {
    size_t count = 0;
    for (size_t c = 0; c < 12 && k->common[c]; c++)
        if (hd_next_random(state) % 1000 < k->common[c])
            for (size_t e = 0; e <= c % 3; e++)
                address[count++] = 0x1000 + 64 * c + 4 * e;
    for (uint64_t i = 0; i < k->near; i++)
        address[count++] = 0x100000 + 4 * (4 * block + hd_next_random(state) % 16);
    for (uint64_t i = 0; i < k->far; i++)
        address[count++] = 0x10000 + 4 * (hd_next_random(state) % (4 * k->blocks));
    return count;
}

static void compare_kind(const sharing_kind *k, uint64_t seed) {
    scene s;
    uint64_t state = seed, address[64];
    scene_open(&s, 4, 1u << KIR_GLOBAL);
    const hd_sink sink = scene_sink(&s);
    const hd_event_launch launch = launch_of(k->blocks);
    assert_int_equal(sink.launch(sink.self, &launch), HD_OK);
    for (uint64_t b = 0; b < k->blocks; b++)
        add_block(&sink, b, address, fill_addresses(k, b, &state, address));
    sink.end_launch(sink.self, true);
    scene_written(&s);
    compare(&s);
    scene_close(&s);
}

static void few_blocks(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        sharing_kind k = {.blocks = 1 + hd_next_random(&(uint64_t){seed}) % 40,
                          .common = {1000, 950, 500, 100},
                          .near = seed % 5,
                          .far = seed % 3};
        k.common[seed % 7 % 4] = 0;
        compare_kind(&k, seed);
    }
}

/* Enough blocks for groups of them, and, in the last, for too many groups. */
static void many_blocks(void **unused) {
    (void)unused;
    static const sharing_kind kinds[] = {
        {.blocks = 700, .common = {1000, 500}, .near = 4},
        {.blocks = MOST_BLOCKS, .common = {600, 990, 400, 450}, .near = 3, .far = 1},
        {.blocks = 800, .common = {999, 995}, .far = 5},
        {.blocks = 600, .common = {500, 500, 520, 490, 510, 530, 470, 480, 500, 540, 460, 500}},
        {.blocks = 700,
         .common = {500, 500, 520, 490, 510, 530, 470, 480, 500, 540, 960, 50},
         .near = 8}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        compare_kind(&kinds[i], i);
}

/* ---- by hand ------------------------------------------------------------------------------ */

static void expect(uint32_t element_bytes, const uint64_t address[][4], const size_t *counts,
                   const uint64_t *order, size_t blocks) {
    scene s;
    uint64_t got[MOST_BLOCKS];
    scene_open(&s, element_bytes, 1u << KIR_GLOBAL);
    const hd_sink sink = hd_trace_sink(s.writer);
    const hd_event_launch launch = launch_of(blocks);
    assert_int_equal(sink.launch(sink.self, &launch), HD_OK);
    for (size_t b = 0; b < blocks; b++)
        add_block(&sink, b, address[b], counts[b]);
    sink.end_launch(sink.self, true);
    scene_written(&s);
    order_of(&s, got);
    assert_memory_equal(got, order, blocks * sizeof *got);
    scene_close(&s);
}

/* The example of schedule.c; blocks without anything to share. */
static void by_hand(void **unused) {
    (void)unused;
    enum { A = 0x100, B = 0x200, C = 0x300, D = 0x400 };
    expect(4, (const uint64_t[][4]){{A, B, C}, {A, D}, {A, B, C}}, (const size_t[]){3, 2, 3},
           (const uint64_t[]){0, 2, 1}, 3);
    expect(4, (const uint64_t[][4]){{A}, {B}, {0}, {C, D}}, (const size_t[]){1, 1, 0, 2},
           (const uint64_t[]){0, 1, 2, 3}, 4);
}

/* A launch whose only block was stopped has none to order. */
static void no_complete_block(void **unused) {
    (void)unused;
    scene s;
    uint64_t order[1] = {7};
    scene_open(&s, 4, 1u << KIR_GLOBAL);
    const hd_sink sink = hd_trace_sink(s.writer);
    const hd_event_launch launch = launch_of(1);
    assert_int_equal(sink.launch(sink.self, &launch), HD_OK);
    sink.close_block(sink.self, sink.open_block(sink.self, 0), 0, false);
    sink.end_launch(sink.self, false);
    scene_written(&s);
    assert_int_equal(hd_trace_get(s.trace)->launches->block_count, 0);
    order_of(&s, order);
    assert_int_equal(order[0], 7);
    scene_close(&s);
}

/* Of the four bytes of block 0 two exist, which are in block 2; block 1 has those at 0. */
static void end_of_addresses(void **unused) {
    (void)unused;
    expect(1, (const uint64_t[][4]){{UINT64_MAX - 1}, {0}, {UINT64_MAX - 3}},
           (const size_t[]){1, 1, 1}, (const uint64_t[]){0, 2, 1}, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(no_complete_block),
                                       cmocka_unit_test(end_of_addresses),
                                       cmocka_unit_test(few_blocks), cmocka_unit_test(many_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
