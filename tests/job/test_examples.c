/* Every job of examples/ resolves against its own kernels, as the front end reads them. */
#include <glob.h>

#include "frontend/frontend.h"
#include "job/fixture.h"

/* The record to lay out, where the first launch has to do with it. */
static const char *name_record(const hd_job *job) {
    const hd_launch *launch = &job->launches[0];
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (launch->args[a].kind == HD_ARG_BUFFER && job->record &&
            job->buffers[launch->args[a].buffer].record == job->record)
            return job->record_name;
    return NULL;
}

static void every_example_resolves(void **state) {
    fixture *f = *state;
    const char *source = getenv("HEDDLE_SOURCE");
    glob_t found;
    assert_int_equal(
        glob(hd_format(f->arena, "%s/examples/*/*.yaml", source ? source : "."), 0, NULL, &found),
        0);
    size_t with_record = 0;
    for (size_t g = 0; g < found.gl_pathc; g++) {
        hd_job *job;
        kir_module *module = NULL;
        void *bytes;
        memset(&f->seen, 0, sizeof f->seen);
        hd_status status = hd_job_read(f->arena, &f->diag, found.gl_pathv[g], &job);
        if (status == HD_OK)
            status = hd_frontend(f->arena, &f->diag, job->kernel_path, job->options, &module);
        if (status == HD_OK)
            status = hd_job_resolve(f->arena, &f->diag, job, module);
        if (status != HD_OK)
            fail_msg("%s: %s:%u: %s", found.gl_pathv[g], f->seen.file, f->seen.line, f->seen.text);
        with_record += job->record != NULL;
        for (uint32_t b = 0; b < job->buffer_count; b++)
            assert_int_equal(hd_job_contents(f->arena, &f->diag, &job->buffers[b], &bytes), HD_OK);
        hd_job_flags flags = {.kernel_path = job->kernel_path,
                              .entry = job->launches[0].kernel_name,
                              .record = name_record(job)};
        if (hd_job_from_flags(f->arena, &f->diag, &flags, module, &job) != HD_OK)
            fail_msg("%s by flags: %s", flags.kernel_path, f->seen.text);
    }
    assert_true(found.gl_pathc >= 30);
    assert_int_equal(with_record, found.gl_pathc - 2); /* vectoradd has none */
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_example_resolves, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
