/*
 * The CUDA back end on the two libraries of fake_cuda: what it asks of them, in which order, and
 * what is left when one of them refuses.
 */
#include <dlfcn.h>

#include "frontend/frontend.h"
#include "job/fixture.h"
#include "driver/cuda_library.h"
#include "advise/measure/probe.h"
#include "advise/measure/session.h"

/* ---- a job --------------------------------------------------------------------- */

static const char kernels[] =
    "#include \"k.cuh\"\n"
    "__constant__ float table[4] = {1, 2, 3, 4};\n"
    "__constant__ float weights[4];\n"
    "namespace deep { __device__ int calls = 100; }\n"
    "__device__ int state[2];\n"
    "template <typename T> __global__ void scale(T *values, T factor, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        values[i] = values[i] * factor + table[i % 4] + weights[i % 4] + SHIFT;\n"
    "}\n"
    "template __global__ void scale<float>(float *, float, int);\n"
    "extern \"C\" __global__ void count(int *seen) {\n"
    "    deep::calls += 1;\n"
    "    state[0] += 2;\n"
    "    seen[0] = deep::calls;\n"
    "}\n";

static const char job_text[] =
    "kernel: k.cu\n"
    "options: -DSHIFT=MORE -Wall --cuda-gpu-arch=sm_70\n"
    "buffers:\n"
    "  - {name: values, type: float, count: 8, init: [{generator: iota}]}\n"
    "  - {name: weights, type: float, count: 4, init: [{generator: iota, low: 10, step: 10}]}\n"
    "  - {name: seen, type: int, count: 1}\n"
    "  - {name: state, type: int, count: 2, init: [{generator: constant, low: 5}]}\n"
    "launches:\n"
    "  - kernel: scale<float>\n"
    "    blocks: [2]\n"
    "    threads: [4]\n"
    "    args: [{name: values, buffer: values}, {name: factor, value: 2}, {name: n, value: 7},\n"
    "           {name: weights, buffer: weights}]\n"
    "  - kernel: count\n"
    "    blocks: [1]\n"
    "    threads: [1]\n"
    "    repeat: 3\n"
    "    args: [{name: seen, buffer: seen}, {name: state, buffer: state}]\n";

static hd_job *make_job(fixture *f, const char *text, const char *header) {
    hd_job *job;
    kir_module *module;
    fixture_write(f, "k.cu", text, strlen(text));
    fixture_write(f, "k.cuh", header, strlen(header));
    if (fixture_read(f, job_text, &job) != HD_OK ||
        hd_frontend(f->arena, &f->diag, job->kernel_path, job->options, &module) != HD_OK ||
        hd_job_resolve(f->arena, &f->diag, job, module) != HD_OK)
        fail_msg("%s", f->seen.text);
    memset(&f->seen, 0, sizeof f->seen);
    return job;
}

static hd_status run(fixture *f, const hd_job *job, void **contents, hd_timing *timing) {
    memset(&f->seen, 0, sizeof f->seen);
    return hd_measure_run(f->arena, &f->diag, job, NULL, contents, timing);
}

static void expect_results(void *const *contents) {
    const float *values = contents[0];
    for (int i = 0; i < 8; i++)
        assert_true(
            values[i] ==
            (i < 7 ? 2.0f * (float)i + (float)(i % 4 + 1) + (float)(10 * (i % 4 + 1)) + 1000 : 7));
    assert_int_equal(((const int *)contents[2])[0], 103);
    assert_int_equal(((const int *)contents[3])[0], 5 + 3 * 2);
    assert_int_equal(((const int *)contents[3])[1], 5);
}

/* ---- the tests --------------------------------------------------------------------- */

static void devices_are_listed(void **state) {
    fixture *f = *state;
    uint32_t count;
    const char *missing;
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    const hd_compute_device *devices = hd_compute_named("cuda")->list(f->arena, &count, &missing);
    unsetenv("FAKE_CUDA_DEVICES");
    assert_int_equal(count, 2);
    assert_string_equal(devices[1].id, "cuda:1");
    assert_string_equal(devices[1].name, "Fake GPU 1");
    assert_string_equal(devices[1].backend, "cuda");
    assert_non_null(strstr(devices[1].driver, "CUDA 12.4 NVRTC 13.0"));
    assert_false(devices[1].is_processor);
}

static void templates_constants_and_variables_run(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    hd_timing timing;
    if (run(f, job, contents, &timing) != HD_OK)
        fail_msg("%s", f->seen.text);
    expect_results(contents);
    assert_true(timing.median > 0 && timing.repeats == 1);
}

static void every_run_starts_from_the_same_variables(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    hd_session session;
    hd_version version = {0};
    void *initial[4], *contents[4];
    double seconds[2], sum;
    for (uint32_t b = 0; b < 4; b++)
        assert_int_equal(hd_job_contents(f->arena, &f->diag, &job->buffers[b], &initial[b]), HD_OK);
    assert_int_equal(hd_session_open(f->arena, &f->diag, job, "cuda:0", &session), HD_OK);
    assert_int_equal(hd_version_make(&session, NULL, NULL, 0, NULL, initial, &version), HD_OK);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(hd_version_fill(&session, &version), HD_OK);
        assert_int_equal(hd_version_launch(&session, &version, NULL, seconds), HD_OK);
        assert_true(seconds[0] > 0 && seconds[1] > 0);
        assert_int_equal(hd_version_read(&session, f->arena, &version, contents), HD_OK);
        expect_results(contents);
    }
    assert_int_equal(hd_version_run(&session, &version, &sum), HD_OK);
    assert_true(sum == version.seconds[0] + version.seconds[1]);
    hd_version_free(&session, &version);
    hd_session_close(&session);
}

static void many_repetitions_are_timed_in_batches(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    job->launches[1].repeat = 1000;
    if (run(f, job, contents, NULL) != HD_OK)
        fail_msg("%s", f->seen.text);
    assert_int_equal(((const int *)contents[2])[0], 1100);
}

/* Each function of the two libraries refuses once; the fake driver sees that nothing is left. */
static void each_call_may_fail(void **state) {
    fixture *f = *state;
    static const char *const functions[] = {"cuInit",
                                            "cuDeviceGetCount",
                                            "cuDeviceGetAttribute",
                                            "cuDevicePrimaryCtxRetain",
                                            "cuCtxSetCurrent",
                                            "cuStreamCreate",
                                            "cuStreamSynchronize",
                                            "cuModuleLoadData",
                                            "cuModuleGetFunction",
                                            "cuModuleGetGlobal_v2",
                                            "cuMemAlloc_v2",
                                            "cuMemcpyHtoDAsync_v2",
                                            "cuMemcpyDtoHAsync_v2",
                                            "cuMemcpyDtoDAsync_v2",
                                            "cuLaunchKernel",
                                            "cuEventCreate",
                                            "cuEventRecord",
                                            "cuEventElapsedTime",
                                            "nvrtcCreateProgram",
                                            "nvrtcAddNameExpression",
                                            "nvrtcCompileProgram",
                                            "nvrtcGetLoweredName",
                                            "nvrtcGetCUBINSize",
                                            "nvrtcGetCUBIN"};
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *wanted = hd_format(f->arena, "%s:1:46", functions[i]);
        setenv("FAKE_CUDA_FAIL", wanted, 1);
        hd_status status = run(f, job, contents, NULL);
        unsetenv("FAKE_CUDA_FAIL");
        if (status == HD_OK || f->seen.errors != 1)
            fail_msg("%s: status %d, %u errors: %s", functions[i], status, f->seen.errors,
                     f->seen.text);
        if (!strncmp(functions[i], "cu", 2))
            assert_non_null(strstr(f->seen.text, "CUDA_ERROR_DEVICE_UNAVAILABLE"));
        if (run(f, job, contents, NULL) != HD_OK) /* and the next one works again */
            fail_msg("after %s: %s", functions[i], f->seen.text);
    }
}

/* ---- placements ------------------------------------------------------------------------ */

static const hd_placement of_cuda[] = {HD_PLACEMENT_DEVICE, HD_PLACEMENT_HOST, HD_PLACEMENT_MANAGED,
                                       HD_PLACEMENT_HINTED};

static hd_status run_placed(fixture *f, hd_job *job, hd_placing placing, void **contents,
                            hd_run_seconds *seconds) {
    hd_session session;
    hd_version version = {0};
    void *initial[4];
    memset(&f->seen, 0, sizeof f->seen);
    assert_int_equal(hd_job_all_contents(f->arena, &f->diag, job, initial), HD_OK);
    hd_status status = hd_session_open(f->arena, &f->diag, job, "cuda:0", &session);
    if (status == HD_OK)
        status = hd_version_make(&session, NULL, NULL, 0, &placing, initial, &version);
    for (int r = 0; r < 2 && status == HD_OK; r++)
        status = hd_version_run_whole(&session, &version, seconds);
    if (status == HD_OK)
        status = hd_version_read(&session, f->arena, &version, contents);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}

static void every_placement_gives_the_same(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    setenv("FAKE_CUDA_PREFETCHED", "1", 1);
    for (size_t p = 0; p < sizeof of_cuda / sizeof *of_cuda; p++) {
        void *contents[4];
        hd_run_seconds seconds;
        if (run_placed(f, job, (hd_placing){of_cuda[p], true}, contents, &seconds) != HD_OK)
            fail_msg("%s: %s", hd_placement_name(of_cuda[p]), f->seen.text);
        expect_results(contents);
        assert_true(seconds.kernels > 0 && seconds.to_device >= 0 && seconds.from_device >= 0);
        assert_true(hd_run_whole(&seconds) >= seconds.kernels);
    }
    /* Buffers of one job in several: values in place, the rest copied. */
    void *contents[4];
    job->buffers[0].placement = HD_PLACEMENT_HINTED;
    job->buffers[3].placement = HD_PLACEMENT_HOST;
    if (run(f, job, contents, NULL) != HD_OK)
        fail_msg("%s", f->seen.text);
    expect_results(contents);
    unsetenv("FAKE_CUDA_PREFETCHED");
}

static void placements_that_the_device_lacks_are_refused(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    static const struct {
        hd_placement placement;
        const char *lacks, *why;
    } refused[] = {
        {HD_PLACEMENT_HOST, "19",
         "in pinned host memory on Fake GPU 0: it does not map the host's"},
        {HD_PLACEMENT_MANAGED, "83", "in managed memory on Fake GPU 0: it has no managed memory"},
        {HD_PLACEMENT_HINTED, "89", "CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS"},
        {HD_PLACEMENT_FINE, "0", "shared virtual memory is OpenCL's; take another placement"},
        {HD_PLACEMENT_COARSE, "0", "shared virtual memory is OpenCL's; take another placement"}};
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
        void *contents[4];
        hd_run_seconds seconds;
        setenv("FAKE_CUDA_LACKS", refused[r].lacks, 1);
        hd_status status =
            run_placed(f, job, (hd_placing){refused[r].placement, true}, contents, &seconds);
        unsetenv("FAKE_CUDA_LACKS");
        assert_int_equal(status, HD_EUNSUPPORTED);
        assert_int_equal(f->seen.errors, 1);
        assert_int_equal(f->seen.line, 4);
        if (!strstr(f->seen.text, refused[r].why))
            fail_msg("%s: %s", hd_placement_name(refused[r].placement), f->seen.text);
    }
}

/* The fake driver sees that nothing is left, and nothing is released that is not there. */
static void calls_of_placements_may_fail(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    static const struct {
        hd_placement placement;
        const char *call;
    } calls[] = {{HD_PLACEMENT_HOST, "cuMemHostAlloc:2"},
                 {HD_PLACEMENT_HOST, "cuMemHostGetDevicePointer_v2:1"},
                 {HD_PLACEMENT_MANAGED, "cuMemAllocManaged:3"},
                 {HD_PLACEMENT_MANAGED, "cuStreamSynchronize:2"},
                 {HD_PLACEMENT_HINTED, "cuMemAdvise:1"},
                 {HD_PLACEMENT_HINTED, "cuMemAdvise:5"},
                 {HD_PLACEMENT_HINTED, "cuMemPrefetchAsync:2"},
                 {HD_PLACEMENT_HINTED, "cuMemPrefetchAsync:9"}};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        void *contents[4];
        hd_run_seconds seconds;
        setenv("FAKE_CUDA_FAIL", hd_format(f->arena, "%s:46", calls[c].call), 1);
        hd_status status =
            run_placed(f, job, (hd_placing){calls[c].placement, true}, contents, &seconds);
        unsetenv("FAKE_CUDA_FAIL");
        if (status != HD_ESYSTEM || f->seen.errors != 1 ||
            !strstr(f->seen.text, "CUDA_ERROR_DEVICE_UNAVAILABLE"))
            fail_msg("%s: status %d, %u errors: %s", calls[c].call, status, f->seen.errors,
                     f->seen.text);
    }
}

static void too_much_memory_names_the_buffer(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    setenv("FAKE_CUDA_MEMORY", "40", 1);
    assert_int_equal(run(f, job, contents, NULL), HD_ESYSTEM);
    unsetenv("FAKE_CUDA_MEMORY");
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "16 bytes for buffer 'weights'"));
    assert_non_null(strstr(f->seen.text, "CUDA_ERROR_OUT_OF_MEMORY"));
    assert_int_equal(f->seen.line, 5);
}

static void compile_errors_have_a_place(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    job->options = "-DSHIFT=unknown_name";
    assert_int_equal(run(f, job, contents, NULL), HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.file, "/k.cu"));
    assert_int_equal(f->seen.line, 9);
    assert_non_null(strstr(f->seen.source, "SHIFT"));
    assert_non_null(strstr(f->seen.text, "unknown_name"));
    assert_non_null(strstr(f->seen.text, "NVRTC_ERROR_COMPILATION"));
}

static void too_many_threads_are_refused(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    job->launches[0].global[0] = job->launches[0].local[0] = 2048;
    assert_int_equal(run(f, job, contents, NULL), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "make 'threads' smaller"));
    assert_int_equal(f->seen.line, 9);
}

static void shared_memory_is_asked_for(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    job->launches[0].shared = 64 * 1024;
    assert_int_equal(run(f, job, contents, NULL), HD_OK);
    job->launches[0].shared = 200 * 1024;
    assert_int_equal(run(f, job, contents, NULL), HD_ESYSTEM);
    assert_non_null(strstr(f->seen.text, "204800 bytes of shared memory"));
}

static void without_a_device_one_line_says_what_is_missing(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, kernels, "#define MORE 1000\n");
    void *contents[4];
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    assert_int_equal(run(f, job, contents, NULL), HD_ESYSTEM);
    unsetenv("FAKE_CUDA_DEVICES");
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "there is no CUDA device"));
    assert_non_null(strstr(f->seen.text, "CUDA_ERROR_NO_DEVICE"));
    assert_non_null(strstr(f->seen.text, "nvidia-smi"));
}

static void opencl_kernels_stay_with_opencl(void **state) {
    fixture *f = *state;
    hd_job job = {.kernel_path = "k.cl", .module = &(kir_module){.device = "opencl"}};
    assert_int_equal(hd_measure_run(f->arena, &f->diag, &job,
                                    &(hd_measure_options){.device = "cuda:0"}, NULL, NULL),
                     HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "kernels in OpenCL C run on no other"));
}

/* ---- a profile of the device --------------------------------------------------------- */

static void a_profile_has_what_the_driver_tells(void **state) {
    fixture *f = *state;
    hd_probe probe;
    const hd_device *read;
    if (hd_probe_device(f->arena, &f->diag, NULL, &probe) != HD_OK) /* before OpenCL's */
        fail_msg("%s", f->seen.text);
    const hd_device *d = probe.device;
    assert_string_equal(d->title, "Fake GPU 0");
    assert_int_equal(d->warp, 32);
    assert_int_equal(d->sms, 2);
    assert_int_equal(d->max_blocks, 16);
    assert_int_equal(d->max_threads, 1536);
    assert_int_equal(d->registers, 65536);
    assert_int_equal(d->max_registers, 255);
    assert_int_equal(d->l2.size, 1 << 20);
    assert_int_equal(d->segment, d->l1.size ? d->l1.line : d->l2.line);
    assert_true(d->w_l1 == 1 && d->w_l2 >= 1 && d->w_dram >= d->w_l2);
    static const char *const told[] = {
        "warp: {value: 32, source: \"query: CU_DEVICE_ATTRIBUTE_WARP_SIZE\"}",
        "source: \"query: CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE; line ",
        "# and 48 KiB of local memory (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK).",
        "l1: {size: ", "  source: \"measured: "};
    for (size_t t = 0; t < sizeof told / sizeof *told; t++)
        if (!strstr(probe.profile, told[t]))
            fail_msg("no '%s' in %s", told[t], probe.profile);
    const char *path = fixture_write(f, "fake.yaml", probe.profile, strlen(probe.profile));
    assert_int_equal(hd_device_read(f->arena, &f->diag, path, &read), HD_OK);
    assert_string_equal(hd_device_print(f->arena, read), hd_device_print(f->arena, d));
}

/* And the context is released with nothing left, or the fake driver ends the process. */
static void a_probe_that_fails_says_at_what(void **state) {
    fixture *f = *state;
    static const char *const calls[][2] = {
        {"cuDevicePrimaryCtxRetain:1", "cannot open Fake GPU 0: "},
        {"cuStreamCreate:1", "cannot make a stream on Fake GPU 0: "},
        {"nvrtcCompileProgram:1", "cannot compile on Fake GPU 0: "},
        {"cuModuleLoadData:1", "cannot load the compiled kernels on Fake GPU 0: "},
        {"cuMemAlloc_v2:1", "cannot allocate 4 bytes on Fake GPU 0: "},
        {"cuMemAlloc_v2:2", "cannot allocate 4096 bytes on Fake GPU 0: "},
        {"cuLaunchKernel:3", "cannot launch the kernel on Fake GPU 0: "},
        {"cuMemcpyDtoHAsync_v2:2", "cannot read the device's memory on Fake GPU 0: "},
        {"cuEventElapsedTime:2", "cannot time the kernel on Fake GPU 0: "}};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        hd_probe probe;
        memset(&f->seen, 0, sizeof f->seen);
        setenv("FAKE_CUDA_FAIL", hd_format(f->arena, "%s:46", calls[c][0]), 1);
        hd_status status = hd_probe_device(f->arena, &f->diag, "cuda:0", &probe);
        unsetenv("FAKE_CUDA_FAIL");
        if (status != HD_ESYSTEM || f->seen.errors != 1 || !strstr(f->seen.text, calls[c][1]))
            fail_msg("%s: status %d, %u errors: %s", calls[c][0], status, f->seen.errors,
                     f->seen.text);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(int argc, char **argv) {
    /* The loader reads this once, when a process starts. */
    const char *path = getenv("LD_LIBRARY_PATH");
    if (argc == 1 && (!path || strcmp(path, FAKE_CUDA))) {
        setenv("LD_LIBRARY_PATH", FAKE_CUDA, 1);
        execl("/proc/self/exe", argv[0], (char *)NULL);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        TEST(devices_are_listed),
        TEST(templates_constants_and_variables_run),
        TEST(every_run_starts_from_the_same_variables),
        TEST(many_repetitions_are_timed_in_batches),
        TEST(each_call_may_fail),
        TEST(every_placement_gives_the_same),
        TEST(placements_that_the_device_lacks_are_refused),
        TEST(calls_of_placements_may_fail),
        TEST(too_much_memory_names_the_buffer),
        TEST(compile_errors_have_a_place),
        TEST(too_many_threads_are_refused),
        TEST(shared_memory_is_asked_for),
        TEST(without_a_device_one_line_says_what_is_missing),
        TEST(opencl_kernels_stay_with_opencl),
        TEST(a_profile_has_what_the_driver_tells),
        TEST(a_probe_that_fails_says_at_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
