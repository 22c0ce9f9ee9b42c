/*
 * A job from each kernel file of the project (docs/init.md): it is made, its text is read again, and
 * it fits the kernels. Where it has no guess but for contents it runs on the machine. A file may say
 * in its first lines what its job holds, these lines in this order, blanks before them left out:
 *
 *     //: init blocks: [16]
 *     //: init - repeat: 10
 *
 * All files are read in this one process, since CI has little time.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "job/job.h"
#include "ready.h"
#include "sanitized.h"
#include "source_text.h"
#include "machine/vm.h"

/* The file of a job, and what is wrong with it. */
typedef struct attempt {
    hd_arena *arena;
    const char *path, *folder; /* where its job is written */
    hd_str errors;
} attempt;

static void take_message(const hd_message *m, void *user) {
    attempt *a = user;
    if (m->severity == HD_ERROR)
        hd_str_printf(&a->errors, "  %s:%u: %s\n", m->place.file ? m->place.file : "",
                      m->place.line, m->text);
}

static bool is_guess(const char *note) { return note && strstr(note, "guess"); }

static bool has_guess(const hd_job *job) {
    bool guess = false;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        guess |= is_guess(job->buffers[b].note);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        guess |= is_guess(job->launches[l].note) || strstr(job->launches[l].note, "no launch");
        for (uint32_t i = 0; i < job->launches[l].arg_count; i++) /* or a null pointer */
            guess |= is_guess(job->launches[l].args[i].note) || job->launches[l].args[i].bytes_text;
    }
    return guess;
}

/* The lines that the file expects, in order. */
static void check_lines(attempt *a, const char *source, const char *job) {
    static const char mark[] = "//: init ";
    const char *from = job;
    for (const char *at = source; (at = strstr(at, mark)) != NULL;) {
        at += sizeof mark - 1;
        const char *line = hd_strndup(a->arena, at, strcspn(at, "\r\n"));
        const char *found = strstr(from, line);
        if (found)
            from = found + strlen(line);
        else
            hd_str_printf(&a->errors, "  not in the job, or not there: %s\n%s", line, job);
    }
}

static void run(attempt *a, const hd_diag *diag, const hd_job *job) {
    const hd_vm_options options = {.workers = 1, .max_instructions = 50000000};
    hd_vm *vm;
    hd_status status = hd_vm_open(a->arena, diag, job, NULL, &options, &vm);
    if (status != HD_OK)
        return;
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        for (uint64_t r = 0; r < job->launches[l].repeat && status == HD_OK; r++)
            status = hd_vm_run(vm, l, NULL, NULL);
    hd_vm_close(vm);
}

/* The text as a job file beside nothing else: the kernel has its whole path. */
static hd_status read_again(attempt *a, const hd_diag *diag, const hd_str *text,
                            const kir_module *module, hd_job **job) {
    const char *path = hd_format(a->arena, "%s/%p.yaml", a->folder, (void *)a);
    hd_status status = hd_write_file(diag, path, hd_str_text((hd_str *)text), text->length);
    if (status == HD_OK)
        status = hd_job_read(a->arena, diag, path, job);
    unlink(path);
    return status ? status : hd_job_resolve(a->arena, diag, *job, module);
}

static void make_job(attempt *a, const char *source) {
    static const hd_diag silent = {0};
    const hd_diag diag = {take_message, a};
    const char *options = hd_ends_in(a->path, ".cu") ? "--cuda-path=" : "";
    const hd_job_flags flags = {.kernel_path = a->path, .options = options};
    kir_module *module;
    hd_host host;
    hd_job *draft, *job;
    /* What is refused, or wants options, is not this test's. */
    if (hd_frontend(a->arena, &silent, a->path, options, &module) || !module->kernel_count)
        return;
    hd_str text = {.arena = a->arena};
    if (hd_host_read(a->arena, &diag, a->path, options, &host) ||
        hd_job_draft(a->arena, &diag, &flags, module, &host, &draft))
        return;
    hd_job_print(&text, draft, module, a->path);
    check_lines(a, source, hd_str_text(&text));
    if (read_again(a, &diag, &text, module, &job) == HD_OK && host.launch_count &&
        !has_guess(draft))
        run(a, &diag, job);
}

typedef struct all_files {
    glob_t found;
    const char *folder;
    char **faults; /* malloc'd; NULL: none */
} all_files;

static hd_status try_file(void *self, uint32_t worker, uint64_t number) {
    all_files *all = self;
    attempt a = {
        .arena = hd_arena_new(), .path = all->found.gl_pathv[number], .folder = all->folder};
    char *source;
    size_t length;
    (void)worker;
    a.errors.arena = a.arena;
    if (hd_read_file(a.arena, NULL, a.path, &source, &length) == HD_OK)
        make_job(&a, source);
    if (a.errors.length)
        all->faults[number] = strdup(hd_str_text(&a.errors));
    hd_arena_free(a.arena);
    return HD_OK;
}

static void every_file_gives_a_job(void **state) {
    static const char *const patterns[] = {"tests/sources/init/*",   "tests/sources/cuda/*",
                                           "tests/sources/opencl/*", "tests/rewrite/*/*.c[ul]",
                                           "tests/rewrite/*.c[ul]",  "examples/*/*.c[ul]",
                                           "tests/kernels/*/*.c[ul]"};
    hd_arena *arena = hd_arena_new();
    char *folder;
    all_files all = {0};
    uint64_t failed;
    size_t count = SANITIZED ? 1 : sizeof patterns / sizeof *patterns, faults = 0;
    (void)state;
    assert_int_equal(hd_scratch_make(arena, NULL, &folder), HD_OK);
    all.folder = folder;
    for (size_t i = 0; i < count; i++)
        glob(source_path(arena, patterns[i]), i ? GLOB_APPEND : 0, NULL, &all.found);
    assert_true(all.found.gl_pathc > 10);
    all.faults = hd_new_array(arena, char *, all.found.gl_pathc);
    hd_in_parallel(hd_core_count(), all.found.gl_pathc, try_file, &all, &failed);
    for (size_t i = 0; i < all.found.gl_pathc; i++)
        if (all.faults[i]) {
            print_error("%s:\n%s", all.found.gl_pathv[i], all.faults[i]);
            free(all.faults[i]);
            faults++;
        }
    globfree(&all.found);
    hd_scratch_remove(folder);
    hd_arena_free(arena);
    if (faults)
        fail_msg("%zu files give no job that is right", faults);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_gives_a_job)};
    stand_ready();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
