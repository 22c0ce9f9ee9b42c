/*
 * The data sharing and volume graph of a trace against the trace itself: for random orders of the
 * threads the transactions, issues and lines are counted a second time from a list of all accesses.
 */
#include "trace/events.h"

#include "analysis/sharing_graph.h"
#include "order/orders.h"

enum { BLOCKS = 5, THREADS = 48, ALL = BLOCKS * THREADS, ACCESSES = 3, ORDERS = 6 };

typedef struct touch {
    uint32_t thread, access, step;
    uint64_t address;
} touch;

typedef struct touch_list {
    hd_arena *arena;
    hd_vec(touch) touches;
} touch_list;

static const hd_event_access accesses[ACCESSES] = {
    {HD_LOAD, KIR_GLOBAL, 4, 0}, {HD_LOAD, KIR_GLOBAL, 8, 0}, {HD_STORE, KIR_LOCAL, 4, -1}};

/* Threads read somewhere, a few of them again and again, at addresses that are often the same. */
static void give_touches(const hd_sink *sink, uint64_t seed, touch_list *list) {
    const hd_event_buffer buffer = {"v", "float", KIR_GLOBAL, 1 << 20, 1 << 14, 4, NULL};
    const hd_event_launch launch = {.kernel = "k",
                                    .dims = 1,
                                    .groups = {BLOCKS, 1, 1},
                                    .local = {THREADS, 1, 1},
                                    .block_count = BLOCKS,
                                    .block_threads = THREADS,
                                    .accesses = accesses,
                                    .access_count = ACCESSES,
                                    .buffers = &buffer,
                                    .buffer_count = 1};
    assert_int_equal(sink->launch(sink->self, &launch), HD_OK);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        void *stream = sink->open_block(sink->self, b);
        uint32_t steps[THREADS][ACCESSES] = {0};
        for (uint32_t i = 0; i < 9; i++) {
            uint64_t mask = 0, address[THREADS] = {0};
            uint32_t access = i % ACCESSES;
            for (uint32_t lane = 0; lane < THREADS; lane++) {
                uint64_t random = hd_next_random(&seed);
                if (i >= 3 && random % 4 == 0)
                    continue;
                mask |= UINT64_C(1) << lane;
                address[lane] = (1 << 20) + (random >> 8) % 200 * 12;
                hd_push(list->arena, &list->touches,
                        (touch){b * THREADS + lane, access, steps[lane][access]++, address[lane]});
            }
            const hd_event e = {.access = access,
                                .position = i,
                                .threads = THREADS,
                                .active = (uint32_t)__builtin_popcountll(mask),
                                .mask = &mask,
                                .address = address};
            if (mask)
                sink->event(stream, &e);
        }
        assert_int_equal(sink->close_block(sink->self, stream, b, true), HD_OK);
    }
    assert_int_equal(sink->end_launch(sink->self, true), HD_OK);
}

/* ---- the twin ----------------------------------------------------------------------------------- */

static uint32_t warp_of(uint32_t place) { return place / THREADS * 2 + place % THREADS / 32; }

/* Different (warp, access, step, segment) of global memory, and of each warp and access the most
 * steps of a lane. */
static hd_sharing_cost count(const touch_list *list, const uint32_t *order, uint64_t segment) {
    hd_sharing_cost cost = {0};
    uint32_t place[ALL], most[BLOCKS * 2][ACCESSES] = {0};
    for (uint32_t p = 0; p < ALL; p++)
        place[order[p]] = p;
    typedef struct key {
        uint64_t segment;
        uint32_t warp, access, step;
    } key;
    hd_vec(key) seen = {0};
    for (size_t i = 0; i < list->touches.count; i++) {
        const touch *t = &list->touches.data[i];
        uint32_t warp = warp_of(place[t->thread]), width = accesses[t->access].width;
        if (t->step + 1 > most[warp][t->access])
            most[warp][t->access] = t->step + 1;
        for (uint64_t s = t->address / segment;
             accesses[t->access].space == KIR_GLOBAL && s <= (t->address + width - 1) / segment;
             s++) {
            bool is_new = true;
            for (size_t k = 0; k < seen.count && is_new; k++)
                is_new = seen.data[k].segment != s || seen.data[k].warp != warp ||
                         seen.data[k].access != t->access || seen.data[k].step != t->step;
            if (is_new)
                hd_push(list->arena, &seen, (key){s, warp, t->access, t->step});
        }
    }
    cost.transactions = seen.count;
    for (uint32_t w = 0; w < BLOCKS * 2; w++)
        for (uint32_t a = 0; a < ACCESSES; a++)
            cost.issues += most[w][a];
    return cost;
}

/* Bytes of lines, each once for every thread that touches it. */
static uint64_t thread_lines(const touch_list *list, uint64_t line) {
    static bool touched[ALL][(1 << 14) / 32 + 1];
    memset(touched, 0, sizeof touched);
    uint64_t bytes = 0;
    for (size_t i = 0; i < list->touches.count; i++) {
        const touch *t = &list->touches.data[i];
        uint64_t from = t->address - (1 << 20), to = from + accesses[t->access].width - 1;
        for (uint64_t l = from / line; accesses[t->access].space == KIR_GLOBAL && l <= to / line;
             l++)
            if (!touched[t->thread][l]) {
                touched[t->thread][l] = true;
                bytes += line;
            }
    }
    return bytes;
}

/* ---- tests ------------------------------------------------------------------------------------- */

static hd_trace *write_trace(hd_arena *arena, const char *folder, uint64_t seed, touch_list *list) {
    const char *path = hd_format(arena, "%s/run.hdt", folder);
    const hd_trace_header header = {.spaces = 1u << KIR_GLOBAL | 1u << KIR_LOCAL};
    hd_trace_writer *writer;
    hd_trace *trace;
    assert_int_equal(hd_trace_create(arena, NULL, path, &header, &writer), HD_OK);
    hd_sink sink = hd_trace_sink(writer);
    give_touches(&sink, seed, list);
    assert_int_equal(hd_trace_finish(writer, true), HD_OK);
    assert_int_equal(hd_trace_open(arena, NULL, path, &trace), HD_OK);
    return trace;
}

static void counts_of_random_orders(void **state) {
    (void)state;
    char *folder;
    hd_arena *arena = hd_arena_new();
    assert_int_equal(hd_scratch_make(arena, NULL, &folder), HD_OK);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        touch_list list = {.arena = arena};
        const char *text = seed % 2 ? "h200" : "tesla-k20c";
        const hd_device *device;
        hd_sharing *sharing;
        hd_trace *trace = write_trace(arena, folder, seed, &list);
        assert_int_equal(hd_device_find(arena, NULL, text, &device), HD_OK);
        const hd_sharing_options options = {.device = device};
        uint32_t row = 0, order[ALL];
        assert_int_equal(hd_sharing_read(arena, NULL, trace, &row, 1, &options, &sharing), HD_OK);
        assert_int_equal(sharing->threads, ALL);
        for (int o = 0; o < ORDERS; o++) {
            hd_order_random((uint64_t)o + 1, ALL, order);
            hd_sharing_cost twin = count(&list, order, device->segment);
            hd_sharing_cost ours = hd_sharing_count(sharing, order);
            assert_int_equal(ours.transactions, twin.transactions);
            assert_int_equal(ours.issues, twin.issues);
        }
        uint64_t bytes = 0;
        for (uint64_t n = 0; n < sharing->lines.count; n++)
            bytes +=
                (sharing->lines.first[n + 1] - sharing->lines.first[n]) * sharing->lines.weight[n];
        for (uint32_t t = 0; t < ALL; t++)
            bytes += sharing->private_bytes[t];
        assert_int_equal(bytes, thread_lines(&list, device->segment));
        hd_trace_close(trace);
    }
    hd_scratch_remove(folder);
    hd_arena_free(arena);
}

/* With little memory the trace is read in shares, and any number of threads reads it. */
static void shares_and_workers(void **state) {
    (void)state;
    char *folder;
    hd_arena *arena = hd_arena_new();
    touch_list list = {.arena = arena};
    const hd_device *device;
    hd_sharing *one, *other;
    uint32_t row = 0, order[ALL];
    assert_int_equal(hd_scratch_make(arena, NULL, &folder), HD_OK);
    hd_trace *trace = write_trace(arena, folder, 7, &list);
    assert_int_equal(hd_device_find(arena, NULL, "h200", &device), HD_OK);
    const hd_sharing_options plain = {.device = device, .workers = 1};
    const hd_sharing_options shared = {.device = device, .workers = 3, .memory = 20000};
    assert_int_equal(hd_sharing_read(arena, NULL, trace, &row, 1, &plain, &one), HD_OK);
    assert_int_equal(hd_sharing_read(arena, NULL, trace, &row, 1, &shared, &other), HD_OK);
    assert_int_equal(one->requests.first[one->requests.count],
                     other->requests.first[other->requests.count]);
    assert_int_equal(one->lines.first[one->lines.count], other->lines.first[other->lines.count]);
    for (int o = 0; o < ORDERS; o++) {
        hd_order_random((uint64_t)o + 1, ALL, order);
        assert_int_equal(hd_sharing_count(one, order).transactions,
                         hd_sharing_count(other, order).transactions);
        assert_int_equal(hd_sharing_count(one, order).issues,
                         hd_sharing_count(other, order).issues);
    }
    hd_trace_close(trace);
    hd_scratch_remove(folder);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_of_random_orders),
                                       cmocka_unit_test(shares_and_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
