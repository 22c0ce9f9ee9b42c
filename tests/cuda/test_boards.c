/* What programs are told of the device that a profile names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cuda/cuda_device.h"

enum { CLOCK = 13, SMS = 16, BUS = 37, L2 = 38, MAJOR = 75, MINOR = 76, SHARED = 81, OPT_IN = 97 };

static int attribute_of(const cuda_device *device, int attribute) {
    int value = -1;
    assert_true(cuda_device_attribute(device, attribute, &value));
    return value;
}

static cuda_device found(hd_arena *arena, const char *name) {
    const hd_device *profile;
    cuda_device device;
    assert_int_equal(hd_device_find(arena, NULL, name, &profile), HD_OK);
    cuda_device_of(profile, &device);
    return device;
}

static void boards_have_their_capabilities(void **state) {
    static const struct {
        const char *name;
        int major, minor, shared; /* KiB of an SM */
    } boards[] = {{"v100", 7, 0, 96},      {"t4", 7, 5, 64},    {"a100", 8, 0, 164},
                  {"a10", 8, 6, 100},      {"l4", 8, 9, 100},   {"l40s", 8, 9, 100},
                  {"rtx-3090", 8, 6, 100}, {"h100", 9, 0, 228}, {"rtx-4090", 8, 9, 100},
                  {"b200", 10, 0, 228},    {"h200", 9, 0, 228}, {"rtx-5090", 12, 0, 100},
                  {"mi300x", 9, 0, 228}}; /* any board */
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (size_t b = 0; b < sizeof boards / sizeof *boards; b++) {
        cuda_device d = found(arena, boards[b].name);
        assert_int_equal(attribute_of(&d, MAJOR), boards[b].major);
        assert_int_equal(attribute_of(&d, MINOR), boards[b].minor);
        assert_int_equal(attribute_of(&d, SHARED), boards[b].shared << 10);
        /* a block can have what an SM has but for what the system keeps of it */
        assert_int_equal(attribute_of(&d, OPT_IN) + (int)d.shared_reserved, boards[b].shared << 10);
        assert_int_equal(attribute_of(&d, SMS), d.profile->sms);
        assert_int_equal(attribute_of(&d, L2), d.profile->l2.size);
        assert_string_equal(cuda_device_name(&d), d.profile->title);
    }
    hd_arena_free(arena);
}

/* Memory, clocks and bus together give the bandwidth of the data sheet, in GB/s. */
static void boards_have_the_bandwidth_of_their_data_sheets(void **state) {
    static const struct {
        const char *name;
        double bandwidth, gigabytes;
    } boards[] = {{"v100", 900, 16},      {"t4", 320, 16},        {"a10", 600, 24},
                  {"l4", 300, 24},        {"l40s", 864, 48},      {"rtx-3090", 936, 24},
                  {"rtx-4090", 1008, 24}, {"rtx-5090", 1792, 32}, {"b200", 8000, 192}};
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (size_t b = 0; b < sizeof boards / sizeof *boards; b++) {
        cuda_device d = found(arena, boards[b].name);
        /* two transfers for each cycle of the clock that CUDA tells */
        double bandwidth = 2 * 1e3 * d.mem_clock * d.bus_bits / 8 / 1e9;
        if (bandwidth < 0.97 * boards[b].bandwidth || bandwidth > 1.03 * boards[b].bandwidth)
            fail_msg("%s: %.0f GB/s", boards[b].name, bandwidth);
        assert_true((double)d.memory == boards[b].gigabytes * 1e9);
        assert_in_range(attribute_of(&d, CLOCK), 1000000, 3000000);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boards_have_their_capabilities),
        cmocka_unit_test(boards_have_the_bandwidth_of_their_data_sheets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
