/*
 * A calibration that other programs' work has spoilt does not stay, nor does what moves have told. The engine is made up: commands
 * do nothing, and take seconds of a clock that only they turn, longer where they are disturbed. What
 * the same engine does undisturbed is the twin: its plan is the right one.
 */
#include "moves.h"
#include "opencl_fixture.h"

enum { SIDE = 256, BYTES = SIDE * SIDE * 4, SEEDS = 40 };

typedef enum disturbance {
    QUIET,
    SLOW,             /* all takes longer */
    SPOILS_ZERO_COPY, /* the fastest does */
    NO_MEMORY,        /* for staging */
    BURSTS,           /* all does for a while, now and then */
    WILD              /* each command as it likes */
} disturbance;

/* Commands of a device that go here before they go nowhere. */
typedef struct engine {
    hd_compute_api api;
    const hd_compute_api *real;
    disturbance by;
    uint64_t seed;
    double now, burst_ends;
    bool is_zero_copy;
    unsigned launches, zero_copies;
    hd_remap *map; /* what all tests move, from the host to the memory */
    hd_remap_memory memory;
    void *host;
} engine;
static engine machine;

static double machine_clock(void) { return machine.now; }

/* From 0 to 1. */
static double chance(void) { return (double)(hd_next_random(&machine.seed) >> 11) * 0x1p-53; }

static void spend(double seconds) {
    switch (machine.by) {
    case QUIET:
    case NO_MEMORY: break;
    case SLOW: seconds *= 3; break;
    case SPOILS_ZERO_COPY: seconds *= machine.is_zero_copy ? 5 : 1; break;
    case BURSTS:
        if (machine.now > machine.burst_ends && chance() < 0.1)
            machine.burst_ends = machine.now + 3e-3 * chance();
        seconds *= machine.now < machine.burst_ends ? 6 : 1;
        break;
    case WILD: seconds *= 1 + 9 * chance(); break;
    }
    machine.now += seconds;
}

static const char *fake_write(hd_compute *gpu, hd_compute_queue *queue, hd_compute_memory to,
                              uint64_t first, const void *from, uint64_t bytes) {
    (void)gpu, (void)queue, (void)to, (void)first, (void)from;
    spend((double)bytes * 1e-9);
    return NULL;
}

static const char *fake_read(hd_compute *gpu, hd_compute_queue *queue, void *to,
                             hd_compute_memory from, uint64_t first, uint64_t bytes) {
    (void)gpu, (void)queue, (void)to, (void)from, (void)first;
    spend((double)bytes * 1e-9);
    return NULL;
}

/* Out of the host's memory it takes half the time, which makes zero-copy the best by far. */
static const char *fake_launch(hd_compute *gpu, hd_compute_queue *queue, void *kernel,
                               const hd_compute_launch *launch,
                               const hd_compute_argument *arguments, uint32_t argument_count,
                               hd_compute_timer *timer) {
    (void)gpu, (void)queue, (void)kernel, (void)arguments, (void)argument_count, (void)timer;
    spend((double)launch->global[0] * (machine.is_zero_copy ? 25e-6 : 50e-6));
    machine.launches++;
    machine.zero_copies += machine.is_zero_copy;
    return NULL;
}

static const char *fake_share(hd_compute *gpu, void *host, uint64_t bytes, bool written,
                              hd_compute_shared *shared) {
    (void)gpu;
    *shared = (hd_compute_shared){1, host, bytes, written, false};
    machine.is_zero_copy = true;
    return NULL;
}

static const char *fake_unshare(hd_compute *gpu, hd_compute_queue *queue, bool failed,
                                hd_compute_shared *shared) {
    (void)gpu, (void)queue, (void)failed, (void)shared;
    machine.is_zero_copy = false;
    return NULL;
}

static const char *fake_allocate(hd_compute *gpu, hd_placement placement, uint64_t bytes,
                                 hd_compute_memory *memory) {
    if (machine.by != NO_MEMORY)
        return machine.real->allocate(gpu, placement, bytes, memory);
    snprintf(gpu->doing, sizeof gpu->doing, "allocate");
    return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
}

/* ---- the device ---------------------------------------------------------------------------- */

static void take_over(fixture *f) {
    machine.real = f->device->gpu->api;
    machine.api = *machine.real;
    machine.api.allocate = fake_allocate;
    machine.api.write = fake_write;
    machine.api.read = fake_read;
    machine.api.launch = fake_launch;
    machine.api.share = fake_share;
    machine.api.unshare = fake_unshare;
    f->device->gpu->api = &machine.api;
    f->device->gpu->device.is_processor = true; /* one way to make a kernel */
    f->device->clock = machine_clock;
    f->device->sample_elements = SIDE * SIDE;
    assert_int_equal(
        hd_remap_allocate(&f->diag, f->device, machine.map, HD_REMAP_IN_DEVICE, &machine.memory),
        HD_OK);
}

/* The device as a new process has it. */
static void next_process(fixture *f) {
    hd_remap_release(f->device, machine.map, &machine.memory);
    hd_remap_close(f->device);
    if (hd_remap_open_opencl(&f->diag, f->opencl.context, f->opencl.id, &f->device) != HD_OK)
        fail_msg("%s", f->last.text);
    take_over(f);
}

static int set_up_engine(void **state) {
    if (set_up_in_folder(state) != 0)
        return -1;
    fixture *f = *state;
    machine = (engine){.seed = 1};
    assert_int_equal(hd_remap_transpose(&f->diag, SIDE, SIDE, 4, &machine.map), HD_OK);
    machine.host = aligned_alloc(4096, BYTES);
    memset(machine.host, 1, BYTES);
    take_over(f);
    return 0;
}

static int tear_down_engine(void **state) {
    fixture *f = *state;
    hd_remap_release(f->device, machine.map, &machine.memory);
    hd_remap_free(machine.map);
    free(machine.host);
    return tear_down(state);
}

static hd_remap_choice plan(fixture *f) {
    hd_remap_choice choice;
    if (hd_remap_plan(&f->diag, f->device, machine.map, HD_REMAP_TO_DEVICE, HD_REMAP_IN_DEVICE,
                      &choice) != HD_OK)
        fail_msg("%s", f->last.text);
    return choice;
}

static void move(fixture *f, unsigned times, const hd_remap_options *options) {
    for (unsigned i = 0; i < times; i++)
        if (hd_remap_to_device(&f->diag, f->device, machine.map, &machine.memory, machine.host,
                               options) != HD_OK)
            fail_msg("%s", f->last.text);
}

static hd_remap_kind_figures *figures_of(const fixture *f) {
    return &f->device->figures->kinds[HD_REMAP_TRANSPOSE][HD_REMAP_TO_DEVICE];
}

/* ---- the figures ---------------------------------------------------------------------------- */

static void forget(fixture *f) {
    *f->device->figures = (hd_remap_figures){0};
    f->device->measured[HD_REMAP_TRANSPOSE][HD_REMAP_TO_DEVICE] = false;
}

/* Bursts of other work as long as several moves of each strategy. */
static void a_noisy_machine(void **state) {
    fixture *f = *state;
    hd_remap_choice quiet = plan(f);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        forget(f);
        machine.by = BURSTS;
        machine.seed = seed;
        hd_remap_choice noisy = plan(f);
        if (noisy.strategy != quiet.strategy)
            fail_msg("seed %d: %s", (int)seed, noisy.why);
        for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES; s++)
            assert_true(noisy.seconds[s] < 1.5 * quiet.seconds[s]);
    }
}

/* However wild it is, there are at most twelve rounds, and one that does not count. */
static void measuring_has_an_end(void **state) {
    fixture *f = *state;
    machine.by = WILD;
    plan(f);
    assert_true(machine.zero_copies <= 13);
}

/* Other work hits the fastest strategy, and that alone, each time that it is measured. The next
 * process finds out, and the one after it that it was right. */
static void until_the_next_process(void **state) {
    fixture *f = *state;
    machine.by = SPOILS_ZERO_COPY;
    assert_int_equal(plan(f).strategy, HD_REMAP_HOST);
    machine.by = QUIET;
    for (int process = 0; process < 3; process++) {
        next_process(f);
        unsigned launches = machine.launches;
        assert_int_equal(plan(f).strategy, HD_REMAP_ZERO_COPY);
        assert_int_equal(figures_of(f)->settled, process > 0);
        assert_true((machine.launches > launches) == (process < 2));
    }
}

/* ---- moves ------------------------------------------------------------------------------------- */

/* The next process has nothing to measure. */
static void settle(fixture *f) {
    figures_of(f)->settled = true;
    hd_remap_figures_write(f->device->gpu, f->device->figures);
}

/* A promise that is too high: the best strategy comes to be tried, and its first move tells. */
static void a_rival_that_is_better(void **state) {
    fixture *f = *state;
    machine.by = SPOILS_ZERO_COPY;
    assert_int_equal(plan(f).strategy, HD_REMAP_HOST);
    settle(f);
    machine.by = QUIET;
    move(f, 32, NULL); /* in the 8th and 16th others are tried */
    hd_remap_choice choice = plan(f);
    assert_int_equal(choice.strategy, HD_REMAP_ZERO_COPY);
    assert_non_null(strstr(choice.why, "so long moves of such a map have taken"));
    unsigned before = machine.zero_copies;
    move(f, 1000, NULL);
    assert_true(machine.zero_copies >= before + 1000 - 10);
}

/* One that is too low: after three moves it is given up, and the next process knows. */
static void a_plan_that_does_not_hold(void **state) {
    fixture *f = *state;
    assert_int_equal(plan(f).strategy, HD_REMAP_ZERO_COPY);
    settle(f);
    machine.by = SPOILS_ZERO_COPY;
    move(f, 2, NULL);
    assert_int_equal(plan(f).strategy, HD_REMAP_ZERO_COPY);
    move(f, 1, NULL);
    assert_int_equal(plan(f).strategy, HD_REMAP_HOST);
    assert_false(figures_of(f)->settled); /* they are in doubt */
    move(f, 3, NULL);
    for (int process = 0; process < 3; process++) {
        next_process(f);
        unsigned launches = machine.launches;
        assert_int_equal(plan(f).strategy, HD_REMAP_HOST);
        assert_true((machine.launches > launches) == (process < 2));
    }
}

/* What three moves have told may be spoilt itself. */
static void a_lesson_that_was_spoilt(void **state) {
    fixture *f = *state;
    plan(f);
    machine.by = SPOILS_ZERO_COPY;
    move(f, 10, NULL);
    assert_int_equal(plan(f).strategy, HD_REMAP_HOST);
    machine.by = QUIET;
    move(f, 64, NULL);
    assert_int_equal(plan(f).strategy, HD_REMAP_ZERO_COPY);
}

/* Every other move is disturbed, which tells nothing. */
static void moves_that_are_disturbed(void **state) {
    fixture *f = *state;
    plan(f);
    settle(f);
    for (int i = 0; i < 300; i++) {
        machine.by = i % 2 ? SLOW : QUIET;
        move(f, 1, NULL);
        assert_int_equal(plan(f).strategy, HD_REMAP_ZERO_COPY);
    }
    assert_true(figures_of(f)->settled);
}

/* All was slow when it was measured. The order is right; the figures are in doubt. */
static void figures_that_are_off(void **state) {
    fixture *f = *state;
    machine.by = SLOW;
    plan(f);
    settle(f);
    machine.by = QUIET;
    move(f, 3, NULL);
    assert_false(figures_of(f)->settled);
    settle(f);
    move(f, 300, NULL); /* but once for a map */
    assert_true(figures_of(f)->settled);
}

/* What a program wants otherwise than the plan has it is nothing to learn from, nor are moves while
 * the host works on pieces, and little ones. */
static void moves_that_tell_nothing(void **state) {
    const hd_remap_options own[] = {{.strategy = HD_REMAP_ZERO_COPY},
                                    {.chunk_bytes = 1 << 20},
                                    {.host.threads = 1},
                                    {.host.simd = HD_REMAP_SIMD_NONE}};
    fixture *f = *state;
    plan(f);
    for (int i = 0; i < 4; i++)
        move(f, 10, &own[i]);
    f->device->is_shared = true;
    move(f, 10, NULL);
    f->device->is_shared = false;
    f->device->sample_elements *= 32;
    move(f, 10, NULL);
    assert_true(f->device->figures->lessons[0].map == 0);
}

/* A strategy that cannot be tried is no error, and the move is made. */
static void no_memory_for_a_trial(void **state) {
    fixture *f = *state;
    plan(f);
    figures_of(f)->remap *= 1000; /* chunks and one piece seem to be worth a trial */
    settle(f);
    next_process(f); /* without the memory that this one has kept */
    machine.by = NO_MEMORY;
    unsigned before = machine.zero_copies;
    move(f, 20, NULL);
    assert_int_equal(f->last.count, 0);
    assert_true(machine.zero_copies >= before + 18);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_engine, tear_down_engine)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_noisy_machine),           TEST(measuring_has_an_end),
        TEST(until_the_next_process),    TEST(a_rival_that_is_better),
        TEST(a_plan_that_does_not_hold), TEST(a_lesson_that_was_spoilt),
        TEST(moves_that_are_disturbed),  TEST(figures_that_are_off),
        TEST(moves_that_tell_nothing),   TEST(no_memory_for_a_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
