/*
 * The jobs that counts are compared for: the small jobs of the examples, and the kernels
 * of tests/kernels, each launched as the `flags` at the head of its file say.
 *
 * Include after cmocka.h.
 */
#ifndef ORACLE_JOBS_H
#define ORACLE_JOBS_H

#include <glob.h>
#include <stdio.h>

#include "frontend/frontend.h"
#include "job/job.h"
#include "oracle/counted.h"
#include "sanitized.h"

static void jobs_tell(const hd_message *message, void *user) {
    (void)user;
    if (message->severity == HD_ERROR)
        print_message("%s:%u: %s\n", message->place.file, message->place.line, message->text);
}
static const hd_diag jobs_diag = {jobs_tell, NULL}, jobs_silent = {NULL, NULL};

/* Compares a job's counts; everything lives in the arena. */
typedef void jobs_check(hd_arena *arena, const char *path, hd_job *job, counted_total *sum);

/* ---- a kernel file ---------------------------------------------------------------------- */

static uint32_t jobs_sizes(const char *text, uint64_t sizes[3]) {
    uint32_t count = 0;
    for (char *end = (char *)text; *end && count < 3; count++)
        sizes[count] = strtoull(*end == ',' ? end + 1 : end, &end, 10);
    return count;
}

/* "// flags: -g 64,64 --local 8,8 -a n=64 --options -DX": every flag has a value. False when the
 * file must not compile. */
static bool jobs_head(hd_arena *arena, const char *path, hd_job_flags *f) {
    char *text, *rest;
    size_t length;
    assert_int_equal(hd_read_file(arena, &jobs_diag, path, &text, &length), HD_OK);
    const char **values = hd_new_array(arena, const char *, 8);
    *f = (hd_job_flags){.kernel_path = path,
                        .dims = 1,
                        .global = {64, 1, 1},
                        .local = {1, 1, 1},
                        .values = values,
                        .count = 65536};
    const char *head = strstr(text, "// flags: ");
    char *words = head ? hd_strndup(arena, head + 10, strcspn(head + 10, "\r\n")) : text + length;
    for (char *name = strtok_r(words, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const char *value = strtok_r(NULL, " ", &rest);
        if (!strcmp(name, "-g"))
            f->dims = jobs_sizes(value, f->global);
        else if (!strcmp(name, "--local"))
            jobs_sizes(value, f->local);
        else if (!strcmp(name, "--options"))
            f->options = value;
        else if (!strcmp(name, "-a"))
            values[f->value_count++] = value;
    }
    return !strstr(text, "// error: ");
}

/* Stands for the record where a kernel has none. */
static const hd_record *jobs_record(hd_arena *arena) {
    hd_field *field = hd_new(arena, hd_field);
    hd_record *record = hd_new(arena, hd_record);
    *field = (hd_field){.name = "f", .type = "int", .size = 4, .align = 4, .count = 1};
    *record = (hd_record){.name = "none", .size = 4, .align = 4, .field_count = 1, .fields = field};
    return record;
}

static void jobs_of_kernels(hd_arena *arena, const char *path, jobs_check *check,
                            counted_total *sum) {
    hd_job_flags flags;
    kir_module *module = NULL;
    if (jobs_head(arena, path, &flags))
        assert_int_equal(hd_frontend(arena, &jobs_diag, path, flags.options, &module), HD_OK);
    for (uint32_t k = 0; module && k < module->kernel_count; k++) {
        hd_job *job;
        flags.entry = module->kernels[k]->name;
        if (hd_job_from_flags(arena, &jobs_silent, &flags, module, &job) ||
            (job->record && hd_record_check(&jobs_silent, job->record)))
            continue; /* refused, as by the command line */
        if (!job->record)
            job->record = jobs_record(arena);
        check(arena, path, job, sum);
    }
}

static void jobs_of_file(hd_arena *arena, const char *path, jobs_check *check, counted_total *sum) {
    hd_job *job;
    kir_module *module;
    assert_int_equal(hd_job_read(arena, &jobs_diag, path, &job), HD_OK);
    assert_int_equal(hd_frontend(arena, &jobs_diag, job->kernel_path, job->options, &module),
                     HD_OK);
    assert_int_equal(hd_job_resolve(arena, &jobs_diag, job, module), HD_OK);
    if (!job->record)
        job->record = jobs_record(arena);
    check(arena, path, job, sum);
}

/* ---- all of them ------------------------------------------------------------------------ */

static void jobs_for_files(const char *pattern, jobs_check *check, counted_total *sum) {
    const char *source = getenv("HEDDLE_SOURCE");
    char whole[4096];
    glob_t found;
    snprintf(whole, sizeof whole, "%s/%s", source ? source : ".", pattern);
    assert_int_equal(glob(whole, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!IS_TRIED(i, 3))
            continue;
        bool is_job = strstr(found.gl_pathv[i], ".yaml") != NULL;
        hd_arena *arena = hd_arena_new();
        (is_job ? jobs_of_file : jobs_of_kernels)(arena, found.gl_pathv[i], check, sum);
        hd_arena_free(arena);
    }
    globfree(&found);
    print_message(
        "%u jobs; of %u counts, %u must be and are exact; so are %u from measured shapes\n",
        sum->jobs, sum->lines, sum->exact, sum->measured);
}

static inline void jobs_for_kernels(jobs_check *check, counted_total *sum) {
    jobs_for_files("tests/kernels/*/*.cl", check, sum);
}

static inline void jobs_for_examples(jobs_check *check, counted_total *sum) {
    jobs_for_files("examples/*/*-small.yaml", check, sum);
}

#endif
