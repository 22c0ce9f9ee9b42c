/* Addresses over time: sums, places, and buffers of several launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/picture.h"

enum { LANES = 70, EVENTS = 500 };

static const hd_event_access accesses[] = {{.space = KIR_GLOBAL, .width = 4, .buffer = 0},
                                           {.space = KIR_GENERIC, .width = 4, .buffer = -1},
                                           {.space = KIR_LOCAL, .width = 4, .buffer = 2}};
static const hd_event_buffer buffers[] = {
    {.name = "a", .space = KIR_GLOBAL, .base = 0x1000, .bytes = 5000},
    {.name = "b", .space = KIR_CONSTANT, .base = 0x8000, .bytes = 40},
    {.name = "tile", .space = KIR_LOCAL, .base = 0x100000, .bytes = 5000},
    {.name = "none", .space = KIR_GLOBAL, .base = 0x9000, .bytes = 0}};

/* Every cell is the number of lanes whose address and time fall into it. */
static void cells(void **unused) {
    (void)unused;
    hd_arena *arena = hd_arena_new();
    hd_picture_set *set = hd_picture_new(arena, 2 * EVENTS, 64, 32);
    const hd_sink sink = hd_picture_sink(set);
    uint64_t state = 9, address[LANES], mask[2];
    uint64_t *want = hd_new_array(arena, uint64_t, 2 * 64 * 64), outside = 0, inside = 0;
    for (uint32_t l = 0; l < 2; l++) {
        const hd_event_launch launch = {.number = l,
                                        .accesses = accesses,
                                        .access_count = 3,
                                        .buffers = buffers,
                                        .buffer_count = 4};
        assert_int_equal(sink.launch(sink.self, &launch), HD_OK);
        void *stream = sink.open_block(sink.self, 0);
        for (uint64_t e = 0; e < EVENTS; e++) {
            uint32_t access = (uint32_t)(hd_next_random(&state) % 3);
            mask[0] = hd_next_random(&state) | 1;
            mask[1] = hd_next_random(&state) & 63;
            uint64_t time = l * EVENTS + e;
            for (uint32_t i = 0; i < LANES; i++) {
                bool in_b = hd_next_random(&state) % 4 == 0;
                uint64_t at = hd_next_random(&state) % (in_b ? 60 : 5200);
                address[i] = (in_b ? 0x8000 : 0x1000) + at;
                if (!(mask[i / 64] >> i % 64 & 1) || access == 2)
                    continue;
                bool is_in = at < (in_b ? 40 : 5000);
                /* 5000 bytes in at most 32 rows: 256 each; 40 bytes: 2 each. */
                if (is_in)
                    want[in_b * 64 * 64 + at / (in_b ? 2 : 256) * 64 + time / 16]++;
                *(is_in ? &inside : &outside) += 1;
            }
            sink.event(stream, &(hd_event){.access = access,
                                           .threads = LANES,
                                           .active = 1,
                                           .position = e,
                                           .mask = mask,
                                           .address = address});
        }
    }
    size_t count;
    const hd_picture *pictures = hd_pictures_of(set, &count);
    assert_int_equal(count, 2);
    assert_string_equal(pictures[0].name, "a");
    assert_int_equal(pictures[0].rows, 20);
    assert_int_equal(pictures[0].columns, 63);
    assert_int_equal(pictures[1].rows, 20);
    assert_int_equal(pictures[0].mis_per_column, 16);
    for (size_t p = 0; p < 2; p++)
        for (uint32_t r = 0; r < pictures[p].rows; r++)
            for (uint32_t c = 0; c < pictures[p].columns; c++)
                assert_int_equal(pictures[p].counts[r * pictures[p].columns + c],
                                 want[p * 64 * 64 + r * 64 + c]);
    assert_int_equal(pictures[0].lane_accesses + pictures[1].lane_accesses, inside);
    assert_true(outside > 100);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
