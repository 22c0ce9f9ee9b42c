/* Rings that are walked, and a profile of the OpenCL device that there is. */
#include "device/device.h"
#include "job/fixture.h"
#include "advise/measure/chase.h"
#include "advise/measure/probe.h"

/* ---- rings ---------------------------------------------------------------------- */

/* Each word of a node, and no other, is met once before the first one is met again. */
static void rings_are_one_cycle(void **state) {
    static const measure_ring rings[] = {{.bytes = 128, .step = 128},
                                         {.bytes = 256, .step = 128, .second = 64},
                                         {.bytes = 4096, .step = 128},
                                         {.bytes = 96 << 10, .step = 512, .second = 16},
                                         {.bytes = 1 << 20, .step = 4}};
    (void)state;
    for (size_t r = 0; r < sizeof rings / sizeof *rings; r++) {
        const measure_ring *ring = &rings[r];
        size_t count = ring->bytes / 4, met = 0;
        uint32_t *words = calloc(count, sizeof *words), at = 0;
        bool *seen = calloc(count, sizeof *seen);
        measure_ring_link(ring, words);
        do {
            assert_true(at < count && !seen[at]);
            assert_true(at * 4 % ring->step == 0 ||
                        (ring->second && at * 4 % ring->step == ring->second));
            seen[at] = true;
            at = words[at];
            met++;
        } while (at != 0);
        assert_int_equal(met, ring->bytes / ring->step * (ring->second ? 2 : 1));
        free(words);
        free(seen);
    }
}

/* ---- profiles -------------------------------------------------------------------- */

/* What is written is read again, with the same numbers. */
static void expect_same(fixture *f, const hd_device *device, const char *profile) {
    const hd_device *read;
    const char *path = fixture_write(f, "mine.yaml", profile, strlen(profile));
    if (hd_device_read(f->arena, &f->diag, path, &read) != HD_OK)
        fail_msg("%s\n%s", f->seen.text, profile);
    assert_string_equal(read->title, device->title);
    assert_string_equal(hd_device_print(f->arena, read), hd_device_print(f->arena, device));
}

static void profiles_are_read_as_they_were_written(void **state) {
    fixture *f = *state;
    static const char *const figures[] = {"warp",       "l1",     "l2",      "w",       "blocks",
                                          "threads",    "regs",   "segment", "maxregs", "sms",
                                          "coalescing", "l2tags", "l1write", "banks",   "bank",
                                          "epsilon",    "tiles",  "l1tags",  "compiler"};
    enum { COUNT = sizeof figures / sizeof *figures };
    const hd_device *device;
    hd_figure_source sources[COUNT];
    for (int s = 0; s < COUNT; s++)
        sources[s] = (hd_figure_source){
            figures[s], s % 2 ? "a \"source\": with {all} that \\ YAML's, #quotes\ttake"
                              : "one that is so long that it takes several lines, although it says "
                                "hardly more than one that is short would say in a single one of "
                                "these"};
    assert_int_equal(
        hd_device_find(
            f->arena, &f->diag,
            "warp:32 l1:48k/32 l2:40m/32 w:1,6.9,12.3 blocks:32 threads:2048 regs:65536 "
            "segment:128 maxregs:255 sms:108 coalescing:half-warp l1tags:128/4 "
            "l2tags:128/16 l1write:evict banks:16 bank:8 epsilon:64 tiles:512-20,AoS-48,SoA",
            &device),
        HD_OK);
    hd_device odd = *device;
    odd.title = "A: \"device\" # of\nours";
    const char *text = hd_device_profile(f->arena, &odd, "two\nlines\1", sources, COUNT);
    odd.title = "A: \"device\" # of?ours";
    expect_same(f, &odd, text);
    assert_true(!strncmp(text, "# two\n# lines?\ntitle: ", 22));
    size_t longest = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        longest = strcspn(line, "\n") > longest ? strcspn(line, "\n") : longest;
    assert_true(longest <= 100);
    odd.l1 = (hd_cache){0}; /* without a line, and so without tags */
    expect_same(f, &odd, hd_device_profile(f->arena, &odd, "", sources, COUNT - 1));
}

static void the_device_here_has_a_profile(void **state) {
    fixture *f = *state;
    hd_probe probe;
    if (hd_probe_device(f->arena, &f->diag, "0:0", &probe) != HD_OK)
        fail_msg("%s", f->seen.text);
    const hd_device *d = probe.device;
    expect_same(f, d, probe.profile);
    assert_string_equal(d->title, probe.of.name);
    assert_string_equal(probe.of.id, "0:0");
    assert_true(d->w_l1 == 1 && d->w_l2 >= 1 && d->w_dram >= d->w_l2);
    assert_non_null(strstr(probe.profile, "source: \"query: CL_DEVICE_MAX_COMPUTE_UNITS\""));
    assert_non_null(strstr(probe.profile, "\"measured: "));
    assert_non_null(strstr(probe.profile, "is assumed: blocks"));
    assert_non_null(strstr(probe.profile, "\"assumed, as "));
    assert_int_equal(f->seen.errors, 0);
}

static void another_name_lists_the_devices(void **state) {
    fixture *f = *state;
    hd_probe probe;
    assert_int_equal(hd_probe_device(f->arena, &f->diag, "99:99", &probe), HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "no device is called '99:99'; there are: "));
    assert_non_null(strstr(f->seen.text, "0:0 "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_are_one_cycle),
        TEST(profiles_are_read_as_they_were_written),
        TEST(the_device_here_has_a_profile),
        TEST(another_name_lists_the_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
