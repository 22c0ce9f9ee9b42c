/* Sinks in front of sinks: one for several, and one that hears some blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/event.h"

/* A sink that writes down what it hears: "launch 0; open 2; event 2.7; close 2; end". */
typedef struct listener {
    hd_str heard;
    hd_status answer; /* of close_block */
} listener;

typedef struct listened {
    listener *listener;
    unsigned long long block;
} listened;

static hd_status hear_launch(void *self, const hd_event_launch *launch) {
    hd_str_printf(&((listener *)self)->heard, "launch %u; ", launch->number);
    return HD_OK;
}

static void *hear_open(void *self, uint64_t block) {
    listened *state = malloc(sizeof *state);
    assert_non_null(state);
    *state = (listened){self, block};
    hd_str_printf(&state->listener->heard, "open %llu; ", state->block);
    return state;
}

static void hear_event(void *stream, const hd_event *event) {
    const listened *state = stream;
    hd_str_printf(&state->listener->heard, "event %llu.%llu; ", state->block,
                  (unsigned long long)event->position);
}

static hd_status hear_close(void *self, void *stream, uint64_t block, bool complete) {
    listener *l = self;
    hd_str_printf(&l->heard, "%s %llu; ", complete ? "close" : "break", (unsigned long long)block);
    free(stream);
    return l->answer;
}

static hd_status hear_end(void *self, bool complete) {
    hd_str_add(&((listener *)self)->heard, complete ? "end" : "stop");
    return HD_OK;
}

static hd_sink sink_of(listener *l) {
    return (hd_sink){l, hear_launch, hear_open, hear_event, hear_close, hear_end};
}

/* A launch of four blocks with one event each, two of them open at once. */
static hd_status play(const hd_sink *sink) {
    const hd_event_launch launch = {.number = 3, .kernel = "k", .block_count = 4};
    const uint64_t mask = 1;
    hd_status status = sink->launch(sink->self, &launch);
    for (uint64_t b = 0; b < 4; b += 2) {
        void *streams[2];
        for (uint64_t k = 0; k < 2; k++)
            streams[k] = sink->open_block(sink->self, b + k);
        for (uint64_t k = 2; k-- > 0;) {
            hd_event event = {.threads = 1, .active = 1, .position = k, .mask = &mask};
            sink->event(streams[k], &event);
            hd_status closed = sink->close_block(sink->self, streams[k], b + k, b + k != 3);
            status = status ? status : closed;
        }
    }
    hd_status ended = sink->end_launch(sink->self, false);
    return status ? status : ended;
}

static void some_blocks_are_heard_in_whole(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    listener l = {.heard = {.arena = arena}};
    hd_sink some = hd_sink_blocks(arena, sink_of(&l), (hd_block_choice){1, 2, 0, 1});
    assert_int_equal(play(&some), HD_OK);
    assert_string_equal(hd_str_text(&l.heard), "launch 3; open 1; event 1.1; close 1; "
                                               "open 2; event 2.0; close 2; stop");
    hd_arena_free(arena);
}

/* How many are chosen, against a walk over all. */
static void chosen_blocks_are_counted(void **state) {
    (void)state;
    for (uint64_t count = 0; count < 12; count++)
        for (uint64_t first = 0; first < 5; first++)
            for (uint64_t last = first; last < 15; last += 3)
                for (uint64_t of = 1; of < 5; of++)
                    for (uint64_t each = 0; each <= of; each++) {
                        hd_block_choice choice = {first, last, each, of};
                        uint64_t chosen = 0;
                        for (uint64_t b = 0; b < count; b++)
                            chosen +=
                                b >= first && b <= last && (each == 0 || (b - first) % of < each);
                        assert_int_equal(hd_blocks_chosen(&choice, count), chosen);
                    }
}

static void a_tee_hands_everything_to_all(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    listener one = {.heard = {.arena = arena}, .answer = HD_ESYSTEM};
    listener other = {.heard = {.arena = arena}};
    hd_sink both = hd_sink_tee(arena, (hd_sink[]){sink_of(&one), sink_of(&other)}, 2);
    assert_int_equal(play(&both), HD_ESYSTEM);
    assert_string_equal(hd_str_text(&one.heard), hd_str_text(&other.heard));
    assert_non_null(strstr(hd_str_text(&one.heard), "open 3; event 3.1; break 3; "));
    hd_arena_free(arena);
}

static void a_sink_may_leave_calls_out(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_sink none = {0};
    hd_sink some = hd_sink_blocks(arena, none, (hd_block_choice){0, 9, 0, 1}),
            both = hd_sink_tee(arena, &some, 1);
    assert_int_equal(play(&both), HD_OK);
    hd_arena_free(arena);
}

/* Local memory of a block lies behind its variable's address; what is in no buffer is global. */
static void generic_accesses_have_the_space_of_their_buffer(void **state) {
    (void)state;
    const hd_event_access accesses[] = {{.space = KIR_CONSTANT}, {.space = KIR_GENERIC}};
    const hd_event_buffer buffers[] = {
        {.space = KIR_LOCAL, .base = 0x1000, .bytes = 64},
        {.space = KIR_CONSTANT, .base = 0x2000000000, .bytes = 64},
    };
    const hd_event_launch launch = {
        .accesses = accesses, .access_count = 2, .buffers = buffers, .buffer_count = 2};
    const uint64_t mask[] = {0, 4}, address[67] = {[66] = 8};
    const struct {
        uint32_t access;
        uint64_t base;
        kir_space space;
    } cases[] = {{0, 0x1000, KIR_CONSTANT},
                 {1, 0x1000, KIR_LOCAL},
                 {1, 0x1000 + (7ull << 24), KIR_LOCAL},
                 {1, 0x2000000000 + 55, KIR_CONSTANT},
                 {1, 0x2000000000 + 56, KIR_GLOBAL},
                 {1, 0x800, KIR_GLOBAL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hd_event e = {.access = cases[i].access,
                            .threads = 67,
                            .active = 1,
                            .mask = mask,
                            .base = cases[i].base,
                            .address = address};
        assert_int_equal(hd_event_space(&launch, &e), cases[i].space);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_blocks_are_heard_in_whole),
        cmocka_unit_test(chosen_blocks_are_counted),
        cmocka_unit_test(a_tee_hands_everything_to_all),
        cmocka_unit_test(a_sink_may_leave_calls_out),
        cmocka_unit_test(generic_accesses_have_the_space_of_their_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
