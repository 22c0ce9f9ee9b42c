/*
 * NVIDIA's own compiler, where it is installed: kernels and variables of tests/cuda have the
 * symbols that the back end asks for. It needs no GPU.
 */
#include "frontend/frontend.h"
#include "job/fixture.h"
#include "advise/measure/session.h"

static void expect_symbols(fixture *f, const char *name, const char *const *symbols,
                           const char *variable) {
    const char *source = getenv("HEDDLE_SOURCE");
    hd_nvrtc_library nvrtc;
    hd_job *job;
    kir_module *module;
    char *text;
    size_t length;
    const char *missing;
    if (!hd_nvrtc_open(f->arena, &nvrtc, &missing))
        skip();
    assert_int_equal(hd_job_read(f->arena, &f->diag,
                                 hd_format(f->arena, "%s/tests/cuda/%s.yaml", source, name), &job),
                     HD_OK);
    assert_int_equal(hd_frontend(f->arena, &f->diag, job->kernel_path, job->options, &module),
                     HD_OK);
    assert_int_equal(hd_job_resolve(f->arena, &f->diag, job, module), HD_OK);
    assert_int_equal(hd_read_file(f->arena, &f->diag, job->kernel_path, &text, &length), HD_OK);
    const hd_compute_source asked =
        hd_program_source(f->arena, job, &(hd_program_text){job->kernel_path, text, NULL, NULL});
    const char *image, *log, **found = hd_new_array(f->arena, const char *, asked.name_count);
    int error = hd_nvrtc_compile(&nvrtc, f->arena, "86", &asked, &image, found, &log);
    if (error)
        fail_msg("%s: %s: %s", name, hd_nvrtc_error(&nvrtc, error), log ? log : "");
    for (uint32_t l = 0; l < job->launch_count; l++)
        assert_string_equal(found[l], symbols[l]);
    if (variable)
        assert_string_equal(found[job->launch_count], variable);
    assert_memory_equal(image, "\177ELF", 4);
}

static void kernels_have_their_mangled_names(void **state) {
    static const char *const symbols[] = {"_Z4moveP4bodyf", "_Z8heaviestPK4bodyPf"};
    expect_symbols(*state, "records", symbols, NULL);
}

static void templates_are_instantiated(void **state) {
    static const char *const symbols[] = {"_Z5scaleIiEvPT_6affineIS0_E",
                                          "_Z5scaleIdEvPT_6affineIS0_E",
                                          "_ZN5block3sumILi16EEEvPKiPi", "_Z5shiftI5pointIfEEvPT_"};
    expect_symbols(*state, "templates", symbols, NULL);
}

static void constants_are_found(void **state) {
    static const char *const symbols[] = {"_Z5writePi"};
    expect_symbols(*state, "constant", symbols, "table");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(kernels_have_their_mangled_names),
        TEST(templates_are_instantiated),
        TEST(constants_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
