/*
 * What becomes of the fields of records, in the small files of cuda/ and opencl/ that say so in their
 * first lines (test_sources.c has what else those say):
 *
 *     //: fields R: id unsigned int 4 4, mass float 8 4
 *                                  name, type, offset and bytes of each, in order
 *     //: laid out K 64: soa {x}{y}:8
 *     //: laid out K 64 with pos d: soa
 *                                  K, of 64 threads, is rewritten to these layouts, with pos and d taken
 *                                  apart, and does the same on the machine
 *     //: not laid out K 64 with pos: TEXT
 *                                  an error of a rewriting to soa
 *     //: advised K 65536: soa with pos
 *                                  by static cost, with no more taken apart than that
 *     //: header R: uint32_t id;   stands in the header for the host
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <dirent.h>

#include <cmocka.h>

#include "advise/advise.h"
#include "advise/verify.h"
#include "frontend/frontend.h"
#include "ready.h"
#include "sanitized.h"
#include "source_text.h"

typedef struct reading {
    hd_arena *arena;
    const char *path, *text, *options;
    hd_diag diag;
    kir_module *module;
    hd_str errors, faults;
} reading;

static void take_message(const hd_message *m, void *user) {
    reading *r = user;
    if (m->severity == HD_ERROR)
        hd_str_printf(&r->errors, "%u: %s\n", m->place.line, m->text);
}

static void fault(reading *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hd_str_printf(&r->faults, "  %s\n", hd_vformat(r->arena, format, args));
    va_end(args);
}

/* What stands behind "//: WORD " in the n-th line of that word, up to its first ": ", and behind
 * that; false: there are fewer. */
static bool expectation(const reading *r, const char *word, unsigned n, const char **of,
                        const char **rest) {
    const char *mark = hd_format(r->arena, "//: %s ", word), *at = strstr(r->text, mark);
    for (; at && n; n--)
        at = strstr(at + 1, mark);
    if (!at)
        return false;
    at += strlen(mark);
    const char *line = hd_strndup(r->arena, at, strcspn(at, "\n")), *colon = strstr(line, ": ");
    assert_non_null(colon);
    *of = hd_strndup(r->arena, line, (size_t)(colon - line));
    *rest = colon + 2;
    return true;
}

static const hd_record *record_named(const reading *r, const char *name) {
    for (uint32_t i = 0; i < r->module->record_count; i++)
        if (!strcmp(r->module->records[i]->name, name))
            return r->module->records[i];
    return NULL;
}

/* "K 64 with pos d" */
static hd_job *job_of(reading *r, const char *line) {
    uint32_t count;
    char **words = hd_split_words(r->arena, line, &count);
    assert_true(count >= 2);
    uint64_t threads = strtoull(words[1], NULL, 10), local = threads < 256 ? threads : 256;
    hd_job_flags flags = {.kernel_path = r->path,
                          .options = r->options,
                          .entry = words[0],
                          .dims = 1,
                          .global = {threads, 1, 1},
                          .local = {local, 1, 1},
                          .count = threads,
                          .split = (const char *const *)words + 3,
                          .split_count = count > 3 ? count - 3 : 0};
    hd_job *job = NULL;
    return hd_job_from_flags(r->arena, &r->diag, &flags, r->module, &job) ||
                   hd_job_resolve(r->arena, &r->diag, job, r->module)
               ? NULL
               : job;
}

/* ---- one expectation each ----------------------------------------------------------------- */

static void check_fields(reading *r) {
    const char *name, *rest;
    for (unsigned n = 0; expectation(r, "fields", n, &name, &rest); n++) {
        const hd_record *record = record_named(r, name);
        hd_str found = {.arena = r->arena};
        for (uint32_t f = 0; record && f < record->field_count; f++) {
            const hd_field *field = &record->fields[f];
            hd_str_printf(&found, "%s%s %s %u %u", f ? ", " : "", field->name, field->type,
                          field->offset, field->size);
        }
        if (strcmp(hd_str_text(&found), rest) != 0)
            fault(r, "fields %s: %s", name, hd_str_text(&found));
    }
}

static hd_status rewrite(reading *r, const hd_job *job, const char *notation, bool verifies) {
    hd_layout *layout;
    hd_rewritten *rewritten;
    hd_verified verified = {0};
    const hd_vm_options options = {.workers = 1};
    hd_status status = hd_layout_parse(r->arena, &r->diag, job->record, notation, &layout);
    if (status)
        return status;
    const hd_record_layout chosen = {job->record, layout};
    status = hd_rewrite_job(r->arena, &r->diag, job, &chosen, 1, &rewritten);
    return status || !verifies
               ? status
               : hd_verify(r->arena, &r->diag, job, &chosen, 1, rewritten, &options, &verified);
}

static void check_layouts(reading *r) {
    const char *of, *rest;
    for (unsigned n = 0; expectation(r, "laid out", n, &of, &rest); n++) {
        const hd_job *job = job_of(r, of);
        while (job && *rest) {
            size_t length = strcspn(rest, " ");
            if (rewrite(r, job, hd_strndup(r->arena, rest, length), true))
                fault(r, "laid out %s: %.*s", of, (int)length, rest);
            rest += length + (rest[length] == ' ');
        }
    }
}

static void check_refusals(reading *r) {
    const char *of, *rest;
    for (unsigned n = 0; expectation(r, "not laid out", n, &of, &rest); n++) {
        const hd_job *job = job_of(r, of);
        if (job && !rewrite(r, job, "soa", false))
            fault(r, "laid out %s", of);
        if (!strstr(hd_str_text(&r->errors), rest))
            fault(r, "%s says: %s", of, hd_str_text(&r->errors));
        r->errors.length = 0;
    }
}

static void check_advice(reading *r) {
    const char *of, *rest;
    const hd_device *device;
    assert_int_equal(hd_device_find(r->arena, &r->diag, "h200", &device), HD_OK);
    const hd_advise_options options = {.devices = &device, .device_count = 1, .take_apart = true};
    for (unsigned n = 0; expectation(r, "advised", n, &of, &rest); n++) {
        const hd_job *job = job_of(r, of);
        hd_advice advice;
        if (!job || hd_advise(r->arena, &r->diag, job, &options, &advice))
            return;
        hd_str found = {.arena = r->arena};
        hd_str_add(&found, hd_layout_print(r->arena, advice.job->record, advice.best));
        for (uint32_t s = 0; s < advice.job->split_count; s++)
            hd_str_printf(&found, "%s %s", s ? "" : " with", advice.job->split[s]);
        if (strcmp(hd_str_text(&found), rest) != 0)
            fault(r, "advised %s: %s", of, hd_str_text(&found));
    }
}

static void check_headers(reading *r) {
    const char *name, *rest;
    for (unsigned n = 0; expectation(r, "header", n, &name, &rest); n++) {
        const hd_record *record = record_named(r, name);
        assert_non_null(record);
        const char *header =
            hd_rewrite_host_header(r->arena, record, hd_layout_soa(r->arena, record), "r");
        if (!strstr(header, rest))
            fault(r, "the header of %s has not: %s", name, rest);
    }
}

/* ---- all files --------------------------------------------------------------------------------- */

static void check_file(hd_arena *arena, const char *path, uint32_t *failed) {
    reading r = {.arena = arena, .path = path};
    size_t length;
    char *text;
    const char *of, *rest;
    r.diag = (hd_diag){take_message, &r};
    r.errors.arena = r.faults.arena = arena;
    assert_int_equal(hd_read_file(arena, NULL, path, &text, &length), HD_OK);
    r.text = text;
    bool says = expectation(&r, "fields", 0, &of, &rest) ||
                expectation(&r, "laid out", 0, &of, &rest) ||
                expectation(&r, "not laid out", 0, &of, &rest);
    if (!says)
        return;
    r.options = hd_ends_in(path, ".cu") ? "--cuda-path=" : "";
    if (!hd_frontend_of(arena, &r.diag, path, r.options, KIR_AS_WRITTEN, NULL, &r.module)) {
        check_fields(&r);
        check_headers(&r);
        check_layouts(&r);
        check_advice(&r);
        if (!r.errors.length)
            check_refusals(&r);
    }
    if (r.faults.length || r.errors.length) {
        print_error("%s:\n%s%s", path, hd_str_text(&r.faults), hd_str_text(&r.errors));
        ++*failed;
    }
}

static void check_folder(const char *folder) {
    hd_arena *arena = hd_arena_new();
    const char *path = source_path(arena, folder);
    uint32_t failed = 0, seen = 0;
    DIR *opened = opendir(path);
    assert_non_null(opened);
    for (struct dirent *entry; (entry = readdir(opened)) != NULL;)
        if (hd_is_kernel_file(entry->d_name) && IS_TRIED(seen++, 3))
            check_file(arena, hd_format(arena, "%s/%s", path, entry->d_name), &failed);
    closedir(opened);
    hd_arena_free(arena);
    assert_int_equal(failed, 0);
}

static void fields_in_cuda_c_are_as_files_say(void **state) {
    (void)state;
    check_folder("tests/sources/cuda");
}

static void fields_in_opencl_c_are_as_files_say(void **state) {
    (void)state;
    check_folder("tests/sources/opencl");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_in_cuda_c_are_as_files_say),
                                       cmocka_unit_test(fields_in_opencl_c_are_as_files_say)};
    stand_ready();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
