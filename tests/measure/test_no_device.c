/* Without any OpenCL driver the message says what to install. */
#include "job/fixture.h"
#include "advise/measure/probe.h"

static void the_driver_to_install_is_named(void **state) {
    fixture *f = *state;
    hd_job job = {.kernel_path = "k.cl", .module = &(kir_module){.device = "opencl"}};
    uint32_t count = 1;
    const char *missing;
    hd_compute_named("opencl")->list(f->arena, &count, &missing);
    assert_int_equal(count, 0);
    assert_non_null(strstr(missing, "pocl-opencl-icd"));
    assert_int_equal(hd_measure_run(f->arena, &f->diag, &job, NULL, NULL, NULL), HD_ESYSTEM);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "pocl-opencl-icd"));
    assert_string_equal(f->seen.file, "k.cl");
}

static void nothing_can_be_probed(void **state) {
    fixture *f = *state;
    uint32_t count;
    const char *missing;
    hd_probe probe;
    hd_compute_named("cuda")->list(f->arena, &count, &missing);
    if (count)
        skip();
    assert_int_equal(hd_probe_device(f->arena, &f->diag, NULL, &probe), HD_ESYSTEM);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "there is no device to probe. OpenCL: "));
    assert_non_null(strstr(f->seen.text, "pocl-opencl-icd"));
    assert_non_null(strstr(f->seen.text, missing));
}

int main(void) {
    /* The loader reads this before its first call. */
    setenv("OCL_ICD_VENDORS", "/nonexistent-opencl-vendors", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_driver_to_install_is_named, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(nothing_can_be_probed, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
