/*
 * NVIDIA's own compiler, where it is installed, takes what gpu-check gives it: the programs and the
 * training kernels in CUDA C, as they are and rewritten. It needs no GPU.
 */
#include "cli/gpu/gpu.h"
#include "job/fixture.h"
#include "advise/measure/session.h"
#include "advise/measure/train.h"
#include "rewrite/rewrite.h"

static const char *const layouts[] = {"aos", "soa", "aosoa:32"};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* sm_90: Hopper. Kernels do not include anything. */
static void expect_image(fixture *f, const hd_job *job, const char *notation) {
    hd_nvrtc_library nvrtc;
    hd_layout *layout;
    hd_rewritten *rewritten;
    const char *missing, *text;
    char *source;
    size_t length;
    if (!hd_nvrtc_open(f->arena, &nvrtc, &missing))
        skip();
    assert_int_equal(hd_layout_parse(f->arena, &f->diag, job->record, notation, &layout), HD_OK);
    assert_int_equal(hd_read_file(f->arena, &f->diag, job->kernel_path, &source, &length), HD_OK);
    text = source;
    if (!hd_layout_equal(layout, hd_layout_original(f->arena, job->record))) {
        const hd_record_layout chosen = {job->record, layout};
        if (hd_rewrite_job(f->arena, &f->diag, job, &chosen, 1, &rewritten) != HD_OK)
            fail_msg("%s in %s: %s", job->path, notation, f->seen.text);
        assert_int_equal(rewritten->file_count, 1);
        text = rewritten->files[0].text;
    }
    const hd_compute_source asked =
        hd_program_source(f->arena, job, &(hd_program_text){job->kernel_path, text, NULL, NULL});
    const char *image, *log, **symbols = hd_new_array(f->arena, const char *, asked.name_count);
    int error = hd_nvrtc_compile(&nvrtc, f->arena, "90", &asked, &image, symbols, &log);
    if (error)
        fail_msg("%s in %s: %s: %s\n%s", job->path, notation, hd_nvrtc_error(&nvrtc, error),
                 log ? log : "", text);
    assert_memory_equal(image, "\177ELF", 4);
}

static void programs_compile(void **state) {
    fixture *f = *state;
    for (const hd_gpu_step *step = hd_gpu_steps; step->name; step++) {
        hd_job *job;
        bool is_nbody4 = !strcmp(step->name, "table2-nbody4"); /* others are there twice */
        if (!step->subject || (!strncmp(step->name, "table2", 6) && !is_nbody4))
            continue;
        if (hd_gpu_load(f->arena, &f->diag, step->subject, KIR_AS_WRITTEN, &job) != HD_OK)
            fail_msg("%s: %s", step->subject, f->seen.text);
        for (int l = 0; l < LAYOUTS; l++)
            expect_image(f, job, layouts[l]);
    }
}

static void training_kernels_compile(void **state) {
    fixture *f = *state;
    static const uint32_t length = 128;
    for (const hd_training_shape *shape = hd_training_shapes; shape->type; shape++) {
        hd_job *job;
        if (shape->fields > 3)
            continue; /* more of the same */
        assert_int_equal(
            hd_training_load(f->arena, &f->diag, f->folder, shape, "cuda", &length, 1, 1, &job),
            HD_OK);
        for (int l = 0; l < LAYOUTS; l++)
            expect_image(f, job, layouts[l]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(programs_compile),
        TEST(training_kernels_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
