/* The plan, and the file of figures that it is made from. */
#include <unistd.h>

#include "moves.h"
#include "opencl_fixture.h"

static const char *path_of_figures(const fixture *f) {
    return hd_remap_figures_path(f->arena, f->device->gpu);
}

/* One folder for all: PoCL keeps its kernels there, too. */
static int set_up_figures(void **state) {
    if (set_up_in_folder(state) != 0)
        return -1;
    fixture *f = *state;
    hd_remap_figures_write(f->device->gpu, &(hd_remap_figures){0});
    return access(path_of_figures(f), R_OK);
}

static hd_remap *small_map(fixture *f) {
    hd_remap *map;
    assert_int_equal(hd_remap_transpose(&f->diag, 100, 100, 4, &map), HD_OK);
    return map;
}

/* ---- the choice -------------------------------------------------------------------------- */

/* Figures that nobody measures: each test says which strategy they make the best. */
static hd_remap_figures made_up(void) {
    hd_remap_figures figures = {0};
    for (int d = 0; d < 2; d++) {
        figures.transfers[d] = (hd_remap_transfer_figures){1e-5, 1e-6, 1e9, 1e9, 0.75};
        for (int k = 0; k < HD_REMAP_KINDS; k++)
            figures.kinds[k][d] = (hd_remap_kind_figures){.transfer = 1e9,
                                                          .remap = 4e9,
                                                          .host = 5e8,
                                                          .zero_copy = 5e8,
                                                          .tuning = {256, 8, false},
                                                          .settled = true};
    }
    return figures;
}

static hd_remap_choice choose(fixture *f, const hd_remap_figures *figures, uint64_t rows) {
    hd_remap *map;
    hd_remap_choice choice;
    hd_remap_figures_write(f->device->gpu, figures);
    f->device->figures = NULL; /* the file is looked at again */
    assert_int_equal(hd_remap_transpose(&f->diag, rows, 1000, 4, &map), HD_OK);
    assert_int_equal(
        hd_remap_plan(&f->diag, f->device, map, HD_REMAP_TO_DEVICE, HD_REMAP_IN_DEVICE, &choice),
        HD_OK);
    hd_remap_free(map);
    return choice;
}

#define assert_near(a, b) assert_true((a) > 0.98 * (b) && (a) < 1.02 * (b))

static void chunks_where_they_hide_something(void **state) {
    fixture *f = *state;
    hd_remap_figures figures = made_up();
    hd_remap_choice choice = choose(f, &figures, 100000); /* 0.4 s of transfer, 0.1 of remap */
    assert_int_equal(choice.strategy, HD_REMAP_CHUNKED);
    assert_near(choice.transfer, 0.4);
    assert_near(choice.remap, 0.1);
    assert_near(choice.seconds[HD_REMAP_BULK], 0.5);
    assert_near(choice.seconds[HD_REMAP_CHUNKED], 0.4 + 0.25 * 0.1);
    assert_near(choice.seconds[HD_REMAP_HOST], 0.8);
    assert_near(choice.seconds[HD_REMAP_ZERO_COPY], 0.8);
    assert_true(choice.chunk_bytes >= 64 << 10 && choice.chunk_bytes < 40000000);
    assert_non_null(strstr(choice.why, "chunked is expected to take 42"));
}

static void one_piece_where_they_do_not(void **state) {
    fixture *f = *state;
    hd_remap_figures figures = made_up();
    figures.transfers[0].overlap = 0;
    assert_int_equal(choose(f, &figures, 100000).strategy, HD_REMAP_BULK);
    figures.transfers[0].overlap = 0.75;
    figures.transfers[0].chunk = 1;
    assert_int_equal(choose(f, &figures, 100000).strategy, HD_REMAP_BULK);
}

static void the_host_where_it_is_faster(void **state) {
    fixture *f = *state;
    hd_remap_figures figures = made_up();
    figures.kinds[HD_REMAP_TRANSPOSE][0].remap = 1e8;
    figures.kinds[HD_REMAP_TRANSPOSE][0].host = 1e10;
    assert_int_equal(choose(f, &figures, 100000).strategy, HD_REMAP_HOST);
    figures.kinds[HD_REMAP_TRANSPOSE][0].zero_copy = 2e10;
    hd_remap_choice choice = choose(f, &figures, 100000);
    assert_int_equal(choice.strategy, HD_REMAP_ZERO_COPY);
    assert_non_null(strstr(choice.why, "zero-copy is expected to take 20"));
    figures.kinds[HD_REMAP_TRANSPOSE][0].zero_copy = 0; /* the device does not reach it */
    choice = choose(f, &figures, 100000);
    assert_int_equal(choice.strategy, HD_REMAP_HOST);
    assert_true(choice.seconds[HD_REMAP_ZERO_COPY] == 0);
}

static void more_than_the_device_allocates(void **state) {
    fixture *f = *state;
    hd_remap_figures figures = made_up();
    figures.transfers[0].overlap = 0;
    uint64_t most = f->device->gpu->most_bytes;
    f->device->gpu->most_bytes = 100 << 20;
    hd_remap_choice choice = choose(f, &figures, 100000);
    f->device->gpu->most_bytes = most;
    assert_true(choice.seconds[HD_REMAP_BULK] == 0 && choice.seconds[HD_REMAP_ZERO_COPY] == 0);
    assert_int_equal(choice.strategy, HD_REMAP_CHUNKED);
    assert_true(choice.chunk_bytes <= 100 << 20);
}

static void names_of_strategies(void **state) {
    (void)state;
    assert_string_equal(hd_remap_strategy_name(HD_REMAP_PLANNED), "planned");
    assert_string_equal(hd_remap_strategy_name(HD_REMAP_ZERO_COPY), "zero-copy");
}

/* ---- the file ---------------------------------------------------------------------------- */

static char *read_figures(fixture *f) {
    char *text;
    size_t length;
    assert_int_equal(hd_read_file(f->arena, &f->diag, path_of_figures(f), &text, &length), HD_OK);
    return text;
}

static void write_text(fixture *f, const char *text, size_t length) {
    assert_int_equal(hd_write_file(&f->diag, path_of_figures(f), text, length), HD_OK);
}

static bool is_known(fixture *f) {
    static const hd_remap_figures nothing;
    hd_remap_figures figures;
    hd_remap_figures_read(f->device->gpu, &figures);
    return memcmp(&figures, &nothing, sizeof figures) != 0;
}

static void what_is_written_is_read(void **state) {
    fixture *f = *state;
    hd_remap_figures figures = made_up(), read;
    figures.lessons[0] = (hd_remap_lesson){
        .map = UINT64_MAX,
        .seconds = {[HD_REMAP_BULK] = {3e-3, 1e-3, 2e-3}, [HD_REMAP_HOST] = {1e-3, 1e-3}}};
    figures.lessons[1].map = 7;
    hd_remap_figures_write(f->device->gpu, &figures);
    hd_remap_figures_read(f->device->gpu, &read);
    assert_true(read.lessons[0].map == UINT64_MAX && read.lessons[1].map == 7);
    assert_near(hd_remap_learned(&read.lessons[0], HD_REMAP_BULK), 1e-3);
    assert_true(hd_remap_learned(&read.lessons[0], HD_REMAP_HOST) == 0); /* of two moves */
    for (int d = 0; d < 2; d++) {
        assert_near(read.transfers[d].latency, 1e-5);
        assert_near(read.transfers[d].chunk, 1e-6);
        assert_near(read.transfers[d].overlap, 0.75);
        assert_true(read.kinds[3][d].host == 5e8 && read.kinds[3][d].tuning.per_item == 8);
        assert_true(read.kinds[3][d].transfer == 1e9 && read.kinds[3][d].settled);
    }
    hd_compute others[3] = {*f->device->gpu, *f->device->gpu, *f->device->gpu};
    others[0].device.name = "another device";
    others[1].device.driver = "another driver";
    others[2].units++; /* a part of a device has its name */
    for (int i = 0; i < 3; i++) {
        hd_remap_figures_read(&others[i], &read);
        assert_true(read.transfers[0].transfer == 0);
    }
}

static void a_file_that_ends_too_soon(void **state) {
    fixture *f = *state;
    hd_remap_figures figures = made_up();
    hd_remap_figures_write(f->device->gpu, &figures);
    const char *text = read_figures(f);
    for (size_t length = 0; length < strlen(text); length += 3) {
        write_text(f, text, length);
        assert_false(is_known(f));
    }
    write_text(f, text, strlen(text));
    assert_true(is_known(f));
}

static void lines_that_say_something_else(void **state) {
    static const char *const lines[] = {
        "transfers 2 1 1 1 1 1",
        "transfers 0 1 1 0 1 1",
        "transfers 0 1 1 1 1 1001",
        "transfers 0 nan 1 1 1 1",
        "transfers 0 -1 1 1 1 1",
        "kind 7 0 1 1 1 1 0 0 0 0",
        "kind 0 0 1 1 1 1 2048 0 0 0",
        "kind 0 0 1 1 1 inf 64 8 0 0",
        "kind 0 0 1 1 1 1 64 8 2 0",
        "kind 0 0 1 1 1 1 64 8 1 2",
        "kind 0 0 1 1 0 1 64 8 1 0",
        "kind 0 0 0 1 1 1 64 8 1 0",
        "kind 0 0 1 1 1 1 64 8 1",
        "lesson 0 1 1 1 1",
        "lesson 7 1 1 1",
        "lesson 7 1 1 -1 1",
        "heddle remap figures 9",
        "",
    };
    fixture *f = *state;
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        const char *text = hd_format(f->arena,
                                     "heddle remap figures 3\ndevice %s\ndriver %s\nunits "
                                     "%u\ntransfers 1 1 1 1 1 1\n%s\nend\n",
                                     f->device->gpu->device.name, f->device->gpu->device.driver,
                                     f->device->gpu->units, lines[l]);
        write_text(f, text, strlen(text));
        if (is_known(f))
            fail_msg("'%s' is taken", lines[l]);
    }
}

static void a_damaged_file_is_measured_again(void **state) {
    fixture *f = *state;
    hd_remap *map = small_map(f);
    hd_remap_choice choice;
    write_text(f, "heddle\0remap", 12);
    f->device->figures = NULL;
    assert_int_equal(
        hd_remap_plan(&f->diag, f->device, map, HD_REMAP_FROM_DEVICE, HD_REMAP_IN_DEVICE, &choice),
        HD_OK);
    assert_true(is_known(f));
    assert_true(choice.seconds[choice.strategy] > 0);
    const char *text = read_figures(f); /* and not once more */
    f->device->figures = NULL;
    assert_int_equal(
        hd_remap_plan(&f->diag, f->device, map, HD_REMAP_FROM_DEVICE, HD_REMAP_IN_DEVICE, &choice),
        HD_OK);
    assert_string_equal(text, read_figures(f));
    hd_remap_free(map);
}

static void in_place_nothing_is_transferred(void **state) {
    fixture *f = *state;
    hd_remap *map = small_map(f);
    hd_remap_figures figures = made_up();
    hd_remap_choice choice;
    figures.kinds[HD_REMAP_TRANSPOSE][0].in_place[HD_REMAP_IN_HOST] = 4e9;
    hd_remap_figures_write(f->device->gpu, &figures);
    f->device->figures = NULL;
    assert_int_equal(
        hd_remap_plan(&f->diag, f->device, map, HD_REMAP_TO_DEVICE, HD_REMAP_IN_HOST, &choice),
        HD_OK);
    assert_int_equal(choice.strategy, HD_REMAP_HOST);
    assert_int_equal(choice.placement, HD_REMAP_IN_HOST);
    assert_near(choice.seconds[HD_REMAP_HOST], 4e4 / 4e9);
    assert_true(choice.seconds[HD_REMAP_BULK] == 0 && choice.transfer == 0);
    assert_string_equal(choice.why, "host is expected to take 10.0 us: the memory is in place "
                                    "(host), so nothing is transferred");
    /* The other way is measured, and kept. */
    f->device->sample_elements = 1 << 12;
    assert_int_equal(
        hd_remap_plan(&f->diag, f->device, map, HD_REMAP_FROM_DEVICE, HD_REMAP_IN_HOST, &choice),
        HD_OK);
    assert_true(choice.seconds[HD_REMAP_HOST] > 0);
    f->device->figures = NULL;
    double again = choice.seconds[HD_REMAP_HOST];
    assert_int_equal(
        hd_remap_plan(&f->diag, f->device, map, HD_REMAP_FROM_DEVICE, HD_REMAP_IN_HOST, &choice),
        HD_OK);
    assert_near(choice.seconds[HD_REMAP_HOST], again);
    hd_remap_free(map);
}

static void a_place_that_cannot_be_written(void **state) {
    fixture *f = *state;
    hd_remap *map = small_map(f);
    hd_remap_choice choice;
    const char *file = hd_format(f->arena, "%s/file", f->folder);
    assert_int_equal(hd_write_file(&f->diag, file, "", 0), HD_OK);
    setenv("XDG_CACHE_HOME", file, 1);
    f->last = (heard){0};
    assert_int_equal(
        hd_remap_plan(&f->diag, f->device, map, HD_REMAP_TO_DEVICE, HD_REMAP_IN_DEVICE, &choice),
        HD_OK);
    assert_int_equal(f->last.count, 0);
    setenv("XDG_CACHE_HOME", "relative", 1); /* is to be ignored */
    setenv("HOME", "", 1);
    assert_null(path_of_figures(f));
    setenv("HOME", "/home/u", 1);
    assert_non_null(strstr(path_of_figures(f), "/home/u/.cache/heddle/remap-"));
    hd_remap_free(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_where_they_hide_something),
        cmocka_unit_test(one_piece_where_they_do_not),
        cmocka_unit_test(the_host_where_it_is_faster),
        cmocka_unit_test(more_than_the_device_allocates),
        cmocka_unit_test(names_of_strategies),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_file_that_ends_too_soon),
        cmocka_unit_test(lines_that_say_something_else),
        cmocka_unit_test(a_damaged_file_is_measured_again),
        cmocka_unit_test(in_place_nothing_is_transferred),
        cmocka_unit_test(a_place_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, set_up_figures, tear_down);
}
