/*
 * Executions and transactions of the static cost against a walk of every work-item
 * (oracle/walk.h): all kernels of tests/kernels, and the small jobs of the examples, in
 * several layouts, on a device of each rule. What must be equal is what the model counts
 * exactly; where data decide, where loops end early or differ by thread in no affine
 * way, it has to assume something (oracle/counted.h, counted_why_not).
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "oracle/counted.h"
#include "oracle/walk.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    if (message->severity == HD_ERROR)
        print_message("%s:%u: %s\n", message->place.file, message->place.line, message->text);
}
static const hd_diag diag = {tell, NULL}, silent = {NULL, NULL};

static void check_job(const char *name, const hd_job *job, counted_total *sum) {
    hd_arena *arena = hd_arena_new();
    const char *layouts[] = {"aos", "soa", "aosoa:4", "aosoa:32", "da",
                             counted_mixed_layout(arena, job->record)};
    bool has_records = false;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        has_records |= job->buffers[b].record == job->record;
    counted c;
    counted_open(&c, arena, &diag, job, layouts, has_records ? 6 : 1);
    hd_sink sink = counted_sink(&c);
    uint64_t unfinished = 0;
    for (uint32_t l = 0; l < job->launch_count; l++)
        unfinished += walk_launch(job, c.infos[l], l, &sink);
    if (!unfinished)
        counted_check(&c, name, sum);
    counted_close(&c);
    hd_arena_free(arena);
}

/* Calls `check` for every file; fails when there is none. */
static void for_files(const char *pattern, void (*check)(const char *path, counted_total *sum),
                      counted_total *sum) {
    const char *source = getenv("HEDDLE_SOURCE");
    char whole[4096];
    glob_t found;
    snprintf(whole, sizeof whole, "%s/%s", source ? source : ".", pattern);
    assert_int_equal(glob(whole, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check(found.gl_pathv[i], sum);
    globfree(&found);
    print_message("%u jobs; of %u counts, %u must be and are exact\n", sum->jobs, sum->lines,
                  sum->exact);
}

/* ---- the kernels of tests/kernels ---------------------------------------------------- */

static uint32_t read_sizes(const char *text, uint64_t sizes[3]) {
    uint32_t count = 0;
    for (char *end = (char *)text; *end && count < 3; count++)
        sizes[count] = strtoull(*end == ',' ? end + 1 : end, &end, 10);
    return count;
}

/* "// flags: -g 64,64 --local 8,8 -a n=64 -o -DX": every flag has a value. False when the
 * file must not compile. */
static bool read_head(hd_arena *arena, const char *path, hd_job_flags *f) {
    char *text, *rest;
    size_t length;
    assert_int_equal(hd_read_file(arena, &diag, path, &text, &length), HD_OK);
    const char **values = hd_new_array(arena, const char *, 8);
    *f = (hd_job_flags){.kernel_path = path, .dims = 1, .global = {64, 1, 1}, .local = {1, 1, 1},
                        .values = values, .count = 65536};
    const char *head = strstr(text, "// flags: ");
    char *words = head ? hd_strndup(arena, head + 10, strcspn(head + 10, "\r\n")) : text + length;
    for (char *name = strtok_r(words, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const char *value = strtok_r(NULL, " ", &rest);
        if (!strcmp(name, "-g"))
            f->dims = read_sizes(value, f->global);
        else if (!strcmp(name, "--local"))
            read_sizes(value, f->local);
        else if (!strcmp(name, "-o"))
            f->options = value;
        else if (!strcmp(name, "-a"))
            values[f->value_count++] = value;
    }
    return !strstr(text, "// error: ");
}

/* Stands for the record where a kernel has none. */
static const hd_record *record_of_nothing(hd_arena *arena) {
    hd_field *field = hd_new(arena, hd_field);
    hd_record *record = hd_new(arena, hd_record);
    *field = (hd_field){.name = "f", .type = "int", .size = 4, .align = 4, .count = 1};
    *record = (hd_record){.name = "none", .size = 4, .align = 4, .field_count = 1,
                          .fields = field};
    return record;
}

static void check_file(const char *path, counted_total *sum) {
    hd_arena *arena = hd_arena_new();
    hd_job_flags flags;
    kir_module *module = NULL;
    if (read_head(arena, path, &flags))
        assert_int_equal(hd_frontend_opencl(arena, &diag, path, flags.options, &module), HD_OK);
    for (uint32_t k = 0; module && k < module->kernel_count; k++) {
        hd_job *job;
        flags.entry = module->kernels[k]->name;
        if (hd_job_from_flags(arena, &silent, &flags, module, &job) ||
            (job->record && hd_record_check(&silent, job->record)))
            continue; /* refused, as by the command line */
        if (!job->record)
            job->record = record_of_nothing(arena);
        check_job(path, job, sum);
    }
    hd_arena_free(arena);
}

static void kernels_are_counted_exactly(void **state) {
    (void)state;
    counted_total sum = {0};
    for_files("tests/kernels/*/*.cl", check_file, &sum);
    assert_true(sum.jobs > 100 && sum.exact > 5000);
}

/* ---- the examples ----------------------------------------------------------------------- */

static void check_example(const char *path, counted_total *sum) {
    hd_arena *arena = hd_arena_new();
    hd_job *job;
    kir_module *module;
    assert_int_equal(hd_job_read(arena, &diag, path, &job), HD_OK);
    assert_int_equal(hd_frontend_opencl(arena, &diag, job->kernel_path, job->options, &module),
                     HD_OK);
    assert_int_equal(hd_job_resolve(arena, &diag, job, module), HD_OK);
    check_job(path, job, sum);
    hd_arena_free(arena);
}

static void examples_are_counted_exactly(void **state) {
    (void)state;
    counted_total sum = {0};
    for_files("examples/*/*-small.yaml", check_example, &sum);
    assert_true(sum.jobs == 6 && sum.exact > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_counted_exactly),
        cmocka_unit_test(examples_are_counted_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
