/* What Nsight Compute writes, in both of its forms and when it fails; correlations of ranks. */
#include <math.h>

#include "cli/gpu/gpu.h"
#include "job/fixture.h"

static hd_gpu_sectors *parse(fixture *f, const char *text, uint32_t expected) {
    hd_gpu_sectors *kernels;
    uint32_t count;
    assert_int_equal(hd_gpu_parse_profile(f->arena, &f->diag, text, &kernels, &count), HD_OK);
    assert_int_equal(count, expected);
    return kernels;
}

#define HEAD "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"CC\""
#define LINE(id, kernel) "\"" id "\",\"42\",\"heddle\",\"127.0.0.1\",\"" kernel "\",\"9.0\""

static void a_column_for_each_metric(void **state) {
    static const char text[] =
        "==PROF== Connected to process 42\n"
        "==PROF== Profiling \"stage\" - 0: 0%....100% - 3 passes\n" HEAD
        ",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"another.sum\","
        "\"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum\","
        "\"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum\","
        "\"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum\",\"l1tex__t_sector_hit_rate.pct\","
        "\"lts__t_sector_hit_rate.pct\"\r\n"
        "\"\",\"\",\"\",\"\",\"\",\"\",\"sector\",\"\",\"sector\",\"sector\",\"sector\",\"%\",\"%"
        "\"\n" LINE(
            "0",
            "stage(element *, unsigned int)") ",\"1,200\",\"9\",\"300\",\"n/"
                                              "a\",\"7\",\"20\",\"60.5\"\n" LINE(
                                                  "1",
                                                  "stage(element *, unsigned "
                                                  "int)") ",\"1,300,000\",\"9\","
                                                          "\"0\",\"n/"
                                                          "a\",\"1\",\"40\",\"n/"
                                                          "a\"\n" LINE(
                                                              "2",
                                                              "scale<"
                                                              "float>") ",\"5\",\"9\",\"6\",\"7\","
                                                                        "\"8\",\"0\",\"0\"\n"
                                                                        "==PROF== Disconnected "
                                                                        "from process 42\n";
    const hd_gpu_sectors *k = parse(*state, text, 2);
    assert_string_equal(k[0].kernel, "stage");
    assert_int_equal(k[0].launches, 2);
    assert_true(k[0].loads == 1301200 && k[0].stores == 300 && k[0].atomics == 8);
    assert_true(fabs(k[0].l1_hits - 0.3) < 1e-9 && isnan(k[0].l2_hits));
    assert_string_equal(k[1].kernel, "scale");
    assert_true(k[1].loads == 5 && k[1].stores == 6 && k[1].atomics == 15);
}

static void a_line_for_each_metric(void **state) {
    static const char text[] =
        HEAD ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" LINE(
            "0", "attract") ",\"Command line profiler metrics\","
                            "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"sector\",\"16,"
                            "384\"\n" LINE(
                                "0",
                                "attract") ",\"Command line profiler metrics\","
                                           "\"lts__t_sector_hit_rate.pct\",\"%\",\"50\"\n" LINE(
                                               "1",
                                               "attract") ",\"Command line profiler metrics\","
                                                          "\"l1tex__t_sectors_pipe_lsu_mem_global_"
                                                          "op_ld.sum\",\"sector\",\"16\"\n" LINE(
                                                              "1",
                                                              "attract") ",\"Command line profiler "
                                                                         "metrics\","
                                                                         "\"lts__t_sector_hit_rate."
                                                                         "pct\",\"%\",\"100\"\n";
    const hd_gpu_sectors *k = parse(*state, text, 1);
    assert_int_equal(k[0].launches, 2);
    assert_true(k[0].loads == 16400 && fabs(k[0].l2_hits - 0.75) < 1e-9);
}

static void failures_are_told(void **state) {
    fixture *f = *state;
    hd_gpu_sectors *kernels;
    uint32_t count;
    assert_int_equal(
        hd_gpu_parse_profile(f->arena, &f->diag,
                             "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not "
                             "have permission to access NVIDIA GPU Performance Counters\n",
                             &kernels, &count),
        HD_EUNSUPPORTED);
    assert_non_null(strstr(f->seen.text, "run it as root, or let the driver's option"));
    assert_int_equal(hd_gpu_parse_profile(f->arena, &f->diag,
                                          "==ERROR== Failed to prepare kernel for profiling\n\n",
                                          &kernels, &count),
                     HD_EUNSUPPORTED);
    assert_string_equal(f->seen.text,
                        "Nsight Compute failed: Failed to prepare kernel for profiling");
    assert_int_equal(hd_gpu_parse_profile(f->arena, &f->diag, "", &kernels, &count),
                     HD_EUNSUPPORTED);
    assert_int_equal(
        hd_gpu_parse_profile(f->arena, &f->diag, HEAD "\n\"\n,,,\"\"\"", &kernels, &count),
        HD_EUNSUPPORTED);
}

static void it_is_called_without_changing_clocks(void **state) {
    fixture *f = *state;
    size_t count;
    const char **words = hd_gpu_profiler_words(f->arena, "/opt/ncu", "/tmp/log", &count);
    bool leaves_clocks = false;
    assert_string_equal(words[0], "/opt/ncu");
    for (size_t w = 0; w + 1 < count; w++)
        leaves_clocks |= !strcmp(words[w], "--clock-control") && !strcmp(words[w + 1], "none");
    assert_true(leaves_clocks);
}

static void profiles_are_found_by_model(void **state) {
    static const char *const names[][2] = {{"NVIDIA H100 80GB HBM3", "h100"},
                                           {"NVIDIA H200", "h200"},
                                           {"NVIDIA A100-SXM4-40GB", "a100"},
                                           {"Tesla K20c", "tesla-k20c"},
                                           {"NVIDIA GeForce GTX 680", "geforce-gtx680"},
                                           {"NVIDIA GeForce RTX 4090", "rtx-4090"},
                                           {"NVIDIA GeForce RTX 4080", NULL},
                                           {"NVIDIA A10", "a10"},
                                           {"NVIDIA A10G", NULL},
                                           {"NVIDIA L4", "l4"},
                                           {"NVIDIA L40S", "l40s"},
                                           {"NVIDIA L40", NULL},
                                           {"Tesla T4", "t4"},
                                           {"Tesla V100-SXM2-16GB", "v100"},
                                           {"Fake GPU 0", NULL}};
    fixture *f = *state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const hd_device *profile;
        assert_int_equal(hd_gpu_find_profile(f->arena, &f->diag, names[n][0], &profile), HD_OK);
        if (names[n][1])
            assert_string_equal(profile->name, names[n][1]);
        else
            assert_null(profile);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_column_for_each_metric),    TEST(a_line_for_each_metric),
        TEST(failures_are_told),           TEST(it_is_called_without_changing_clocks),
        TEST(profiles_are_found_by_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
