/*
 * Small files in CUDA C and OpenCL C, each the essence of one thing that programs do, in cuda/ and
 * opencl/. What is expected of a file stands in its first lines:
 *
 *     //: headers toolkit          NVIDIA's, where there is a toolkit; own: Heddle's (the usual);
 *                                  both: once with each
 *     //: options -DN=3            of the compiler; "-I include" is that folder beside the file
 *     //: wants scale<float>       this kernel is asked for by name
 *     //: kernels a, scale<float>  those that the file gives, and no others
 *     //: left out NAME: TEXT      a warning; NAME may be missing
 *     //: warns TEXT               another warning
 *     //: refused TEXT             an error, and no kernels
 *     //: accesses K: load p.x 4, store o 4
 *                                  of kernel K to memory that it is given, in order: kind, what, bytes
 *     //: run K 4: 1 2 3 4         a block of 4 threads, of which K's first buffer holds this then;
 *                                  before, element i of each buffer is i
 *     //: values n=3 tex.width=4   of parameters, for these and for accesses; others have the count
 *     //: prints TEXT              what the run prints, \n for the end of a line
 *     //: found K 64: float v[5], stride n
 *                                  the record that is found in the indices of kernel K, of 64 threads
 *     //: layouts K 64: soa {v[0],v[1]}{v[2]}:8
 *                                  K is rewritten to these layouts of its record, or of the one that is
 *                                  found, and does the same on the machine
 *     //: not rewritten K 64: TEXT an error of a rewriting to aos
 *     //: suggests K 64: TEXT      the declaration that would make a record
 *
 * Whatever a file does not say it expects is no message and no failure. All files are read in this
 * one process, since CI has little time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <dirent.h>

#include <cmocka.h>

#include "advise/verify.h"
#include "frontend/frontend.h"
#include "job/job.h"
#include "kernel/kernel.h"
#include "cli/report/members.h"
#include "rewrite/rewrite.h"
#include "ready.h"
#include "sanitized.h"
#include "source_text.h"
#include "machine/vm.h"

/* One reading of a file. */
typedef struct reading {
    hd_arena *arena;
    const char *path, *text, *options, *all_options;
    const char *wants;
    hd_diag diag;
    kir_module *module;
    hd_status status;
    hd_str errors, warnings, printed;
    hd_str faults; /* what is not as expected */
} reading;

static void take_message(const hd_message *m, void *user) {
    reading *r = user;
    hd_str *to = m->severity == HD_ERROR ? &r->errors : &r->warnings;
    if (m->severity != HD_NOTE)
        hd_str_printf(to, "%u: %s\n", m->place.line, m->text);
}

static void fault(reading *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hd_str_printf(&r->faults, "  %s\n", hd_vformat(r->arena, format, args));
    va_end(args);
}

/* ---- what a file expects ------------------------------------------------------ */

/* What stands behind "//: WORD " in the n-th line of that word; NULL: there are fewer. */
static const char *expectation(const reading *r, const char *word, unsigned n) {
    const char *mark = hd_format(r->arena, "//: %s ", word), *at = r->text;
    for (at = strstr(at, mark); at && n; n--)
        at = strstr(at + 1, mark);
    if (!at)
        return NULL;
    at += strlen(mark);
    return hd_strndup(r->arena, at, strcspn(at, "\n"));
}

static void check_kernels(reading *r) {
    const char *names = expectation(r, "kernels", 0);
    hd_str found = {.arena = r->arena};
    for (uint32_t k = 0; r->module && k < r->module->kernel_count; k++)
        hd_str_printf(&found, "%s%s", k ? ", " : "", r->module->kernels[k]->name);
    if (names && strcmp(names, hd_str_text(&found)) != 0)
        fault(r, "kernels: %s", hd_str_text(&found));
}

static bool is_left_out(const reading *r, const char *name, const char *reason) {
    for (uint32_t i = 0; r->module && i < r->module->left_out_count; i++) {
        const kir_left_out *left = &r->module->left_out[i];
        if (!strcmp(left->name ? left->name : "", name) && strstr(left->reason, reason))
            return true;
    }
    return false;
}

/* Each warning is of something that is left out, or of what the file says. */
static void check_warnings(reading *r) {
    const char *line;
    unsigned n = 0;
    for (; (line = expectation(r, "warns", n)) != NULL; n++)
        if (!strstr(hd_str_text(&r->warnings), line))
            fault(r, "does not warn: %s", line);
    if (!n && !expectation(r, "left out", 0) && r->warnings.length)
        fault(r, "warns: %s", hd_str_text(&r->warnings));
}

static void check_left_out(reading *r) {
    const char *line;
    for (unsigned n = 0; (line = expectation(r, "left out", n)) != NULL; n++) {
        const char *colon = strchr(line, ':');
        const char *name = hd_strndup(r->arena, line, (size_t)(colon - line));
        if (!is_left_out(r, name, colon + 2))
            fault(r, "not left out: %s", line);
    }
}

/* ---- accesses -------------------------------------------------------------------- */

static hd_job *job_of(reading *r, const char *kernel, uint64_t threads) {
    uint32_t value_count;
    const char *given = expectation(r, "values", 0);
    char **values = hd_split_words(r->arena, given ? given : "", &value_count);
    hd_job_flags flags = {.kernel_path = r->path,
                          .options = r->all_options,
                          .entry = kernel,
                          .dims = 1,
                          .global = {threads, 1, 1},
                          .local = {threads, 1, 1},
                          .count = threads,
                          .values = (const char *const *)values,
                          .value_count = value_count};
    hd_job *job = NULL;
    if (hd_job_from_flags(r->arena, &r->diag, &flags, r->module, &job) ||
        hd_job_resolve(r->arena, &r->diag, job, r->module))
        return NULL;
    return job;
}

static const char *accesses_of(reading *r, const hd_job *job) {
    hd_binding binding = hd_job_binding(r->arena, job, &job->launches[0]);
    const hd_kernel_info *info =
        hd_kernel_analyse(r->arena, r->module, job->launches[0].kernel, &binding);
    hd_str text = {.arena = r->arena};
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *a = &info->accesses[i];
        if (a->space != KIR_PRIVATE)
            hd_str_printf(&text, "%s%s %s %u", text.length ? ", " : "",
                          hd_access_kind_name(a->kind), hd_access_target(r->arena, info->kernel, a),
                          a->width);
    }
    return hd_str_text(&text);
}

static void check_accesses(reading *r) {
    const char *line;
    for (unsigned n = 0; (line = expectation(r, "accesses", n)) != NULL; n++) {
        const char *colon = strstr(line, ": ");
        const hd_job *job = job_of(r, hd_strndup(r->arena, line, (size_t)(colon - line)), 32);
        const char *found = job ? accesses_of(r, job) : "no job";
        if (strcmp(found, colon + 2) != 0)
            fault(r, "accesses: %s", found);
    }
}

/* ---- running ------------------------------------------------------------------------ */

static void print(void *user, const char *text, size_t length) {
    reading *r = user;
    for (size_t i = 0; i < length; i++)
        hd_str_printf(&r->printed, text[i] == '\n' ? "\\n" : "%c", text[i]);
}

static void set_element(const hd_buffer *buffer, uint8_t *bytes, uint64_t i) {
    kir_type type = buffer->scalar;
    uint32_t size = type.bits / 8u;
    for (uint32_t lane = 0; lane < type.lanes; lane++) {
        uint64_t number = i * type.lanes + lane;
        float single = (float)number;
        double real = (double)number;
        _Float16 half = (_Float16)number;
        const void *from = type.kind != KIR_FLOAT ? (const void *)&number
                           : type.bits == 16      ? (const void *)&half
                           : type.bits == 32      ? (const void *)&single
                                                  : (const void *)&real;
        memcpy(bytes + (i * type.lanes + lane) * size, from, size);
    }
}

static void **contents_of(reading *r, const hd_job *job) {
    void **contents = hd_new_array(r->arena, void *, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        contents[b] = hd_new_array(r->arena, uint8_t, buffer->count * buffer->element_bytes);
        for (uint64_t i = 0; i < buffer->count && !buffer->record && buffer->scalar.lanes; i++)
            set_element(buffer, contents[b], i);
    }
    return contents;
}

static double real_at(kir_type type, const uint8_t *at) {
    _Float16 half = 0;
    float single = 0;
    double real = 0;
    memcpy(type.bits == 16   ? (void *)&half
           : type.bits == 32 ? (void *)&single
                             : (void *)&real,
           at, type.bits / 8u);
    return type.bits == 16 ? (double)half : type.bits == 32 ? (double)single : real;
}

static const char *numbers_of(reading *r, const hd_buffer *buffer, const uint8_t *bytes) {
    hd_str text = {.arena = r->arena};
    kir_type type = buffer->scalar;
    uint32_t size = type.bits / 8u;
    for (uint64_t i = 0; i < buffer->count * type.lanes; i++) {
        uint64_t bits = 0;
        memcpy(&bits, bytes + i * size, size);
        if (type.kind == KIR_FLOAT)
            hd_str_printf(&text, "%s%.9g", i ? " " : "", real_at(type, bytes + i * size));
        else
            hd_str_printf(&text, "%s%lld", i ? " " : "",
                          (long long)kir_sign_extend(bits, type.bits));
    }
    return hd_str_text(&text);
}

/* "k 4: 1 2 3 4": the kernel, its threads, and the rest. */
static hd_job *job_of_line(reading *r, const char *line, const char **kernel, const char **rest) {
    const char *colon = strstr(line, ": "), *blank = colon;
    while (blank && blank > line && *blank != ' ')
        blank--;
    *kernel = hd_strndup(r->arena, line, (size_t)(blank - line));
    *rest = colon + 2;
    return job_of(r, *kernel, strtoull(blank, NULL, 10));
}

static void run_kernel(reading *r, const char *line) {
    const char *kernel, *numbers;
    const hd_job *job = job_of_line(r, line, &kernel, &numbers);
    hd_vm_options options = {.workers = 1, .print = print, .user = r};
    hd_vm *vm = NULL;
    if (!job || hd_vm_open(r->arena, &r->diag, job, contents_of(r, job), &options, &vm))
        return;
    if (!hd_vm_run(vm, 0, NULL, NULL)) {
        const char *found = numbers_of(r, &job->buffers[0], hd_vm_contents(vm, 0));
        if (strcmp(found, numbers) != 0)
            fault(r, "run %s: %s", kernel, found);
    }
    hd_vm_close(vm);
}

static void check_runs(reading *r) {
    const char *line;
    for (unsigned n = 0; (line = expectation(r, "run", n)) != NULL; n++)
        run_kernel(r, line);
    line = expectation(r, "prints", 0);
    if (line && strcmp(line, hd_str_text(&r->printed)) != 0)
        fault(r, "prints: %s", hd_str_text(&r->printed));
}

/* The folder of headers by its path. */
static const char *options_of(const reading *r) {
    const char *options = r->options ? r->options : "", *folder = strstr(options, "-I include");
    if (!folder)
        return options;
    const char *slash = strrchr(r->path, '/');
    return hd_format(r->arena, "%.*s-I%.*s%s", (int)(folder - options), options,
                     (int)(slash - r->path) + 1, r->path, folder + strlen("-I "));
}

/* ---- records that are found, and layouts -------------------------------------------------- */

static hd_job *found_job(reading *r, const char *line, const char **rest) {
    const char *kernel;
    hd_job *job = job_of_line(r, line, &kernel, rest);
    if (!job)
        return NULL;
    hd_job_find_records(r->arena, job);
    return hd_job_resolve(r->arena, &r->diag, job, r->module) ? NULL : job;
}

static void check_found(reading *r) {
    const char *line, *rest;
    for (unsigned n = 0; (line = expectation(r, "found", n)) != NULL; n++) {
        const hd_job *job = found_job(r, line, &rest);
        hd_str found = {.arena = r->arena};
        for (uint32_t d = 0; job && d < job->declared_count; d++) {
            const hd_job_declared *of = &job->declared[d];
            if (!strcmp(of->name, job->record_name))
                hd_str_printf(&found, "%s%s%s", of->fields, of->stride ? ", stride " : "",
                              of->stride ? of->stride : "");
        }
        if (strcmp(hd_str_text(&found), rest) != 0)
            fault(r, "found: %s", hd_str_text(&found));
    }
    for (unsigned n = 0; (line = expectation(r, "suggests", n)) != NULL; n++) {
        const hd_job *job = found_job(r, line, &rest);
        const char *suggested = job ? hd_job_suggest(r->arena, job) : NULL;
        if (strcmp(suggested ? suggested : "nothing", rest) != 0)
            fault(r, "suggests: %s", suggested ? suggested : "nothing");
    }
}

static void check_layout(reading *r, const hd_job *job, const char *notation) {
    hd_layout *layout;
    hd_rewritten *rewritten;
    hd_verified verified = {0};
    const hd_vm_options options = {.workers = 1};
    if (hd_layout_parse(r->arena, &r->diag, job->record, notation, &layout))
        return;
    const hd_record_layout chosen = {job->record, layout};
    hd_status status = hd_rewrite_job(r->arena, &r->diag, job, &chosen, 1, &rewritten);
    if (!status && hd_verify(r->arena, &r->diag, job, &chosen, 1, rewritten, &options, &verified))
        fault(r, "%s does not do the same", notation);
}

static void check_layouts(reading *r) {
    const char *line, *rest;
    for (unsigned n = 0; (line = expectation(r, "layouts", n)) != NULL; n++) {
        const hd_job *job = found_job(r, line, &rest);
        if (job && !job->record)
            fault(r, "there is no record for: %s", line);
        while (job && job->record && *rest) {
            size_t length = strcspn(rest, " ");
            check_layout(r, job, hd_strndup(r->arena, rest, length));
            rest += length + (rest[length] == ' ');
        }
    }
}

static void check_refused_rewriting(reading *r) {
    const char *line = expectation(r, "not rewritten", 0), *rest;
    if (!line)
        return;
    const hd_job *job = found_job(r, line, &rest);
    if (job && job->record)
        check_layout(r, job, "aos");
    if (!strstr(hd_str_text(&r->errors), rest))
        fault(r, "not refused: %s", line);
    r->errors.length = 0;
}

/* ---- one file ------------------------------------------------------------------------- */

static const char *read_with(hd_arena *arena, const char *path, const char *headers) {
    reading r = {.arena = arena, .path = path};
    size_t length;
    r.diag = (hd_diag){take_message, &r};
    r.errors.arena = r.warnings.arena = r.printed.arena = r.faults.arena = arena;
    char *text;
    if (hd_read_file(arena, &r.diag, path, &text, &length))
        return hd_str_text(&r.errors);
    r.text = text;
    r.options = expectation(&r, "options", 0);
    r.wants = expectation(&r, "wants", 0);
    const char *options = hd_format(arena, "%s %s", headers, options_of(&r));
    r.all_options = options;
    const char *wanted[] = {r.wants, NULL};
    r.status = hd_frontend_of(arena, &r.diag, path, options, KIR_AS_WRITTEN,
                              r.wants ? wanted : NULL, &r.module);
    const char *refused = expectation(&r, "refused", 0);
    if (refused && (!r.status || !strstr(hd_str_text(&r.errors), refused)))
        fault(&r, "not refused: %s", refused);
    check_kernels(&r);
    if (!r.status) {
        check_left_out(&r);
        check_warnings(&r);
        check_accesses(&r);
        check_runs(&r);
        check_found(&r);
        check_layouts(&r);
        check_refused_rewriting(&r);
    }
    if (!refused && r.errors.length)
        fault(&r, "%s", hd_str_text(&r.errors));
    return r.faults.length ? hd_str_text(&r.faults) : NULL;
}

typedef struct corpus {
    hd_arena *arena;
    hd_vec(const char *) paths;
    bool has_toolkit;
    char **faults; /* malloc'd; NULL: none */
} corpus;

static hd_status read_one(void *self, uint32_t worker, uint64_t number) {
    corpus *c = self;
    (void)worker;
    if (!IS_TRIED(number, 2))
        return HD_OK;
    const char *path = c->paths.data[number];
    hd_arena *arena = hd_arena_new();
    char *text;
    size_t length;
    const char *faults = NULL, *more = NULL;
    if (hd_read_file(arena, NULL, path, &text, &length))
        text = "";
    bool both = strstr(text, "//: headers both"), toolkit = strstr(text, "//: headers toolkit");
    if (!hd_ends_in(path, ".cu"))
        faults = read_with(arena, path, "");
    else if (!toolkit)
        faults = read_with(arena, path, "--cuda-path=");
    if ((both || toolkit) && c->has_toolkit)
        more = read_with(arena, path, "");
    if (faults || more)
        c->faults[number] =
            strdup(hd_format(arena, "%s:\n%s%s", path, faults ? faults : "", more ? more : ""));
    hd_arena_free(arena);
    return HD_OK;
}

static void list_folder(corpus *c, const char *folder) {
    const char *path = source_path(c->arena, folder);
    DIR *opened = opendir(path);
    assert_non_null(opened);
    for (struct dirent *entry; (entry = readdir(opened)) != NULL;)
        if (hd_is_kernel_file(entry->d_name))
            hd_push(c->arena, &c->paths, hd_format(c->arena, "%s/%s", path, entry->d_name));
    closedir(opened);
}

static int compare_paths(const void *a, const void *b) {
    const char *const *one = a, *const *other = b;
    return strcmp(*one, *other);
}

static bool has_toolkit(void) {
    const char *path = getenv("CUDA_PATH");
    return path ? *path != '\0' : !access("/usr/local/cuda/include/cuda_runtime.h", R_OK);
}

static void every_file_is_as_it_says(void **state) {
    corpus c = {.arena = hd_arena_new(), .has_toolkit = has_toolkit()};
    uint64_t failed;
    size_t count = 0;
    (void)state;
    list_folder(&c, "tests/sources/cuda");
    list_folder(&c, "tests/sources/opencl");
    qsort(c.paths.data, c.paths.count, sizeof *c.paths.data, compare_paths);
    size_t kept = 0;
    for (size_t i = 0; i < c.paths.count; i++)
        if (IS_TRIED(i, 3))
            c.paths.data[kept++] = c.paths.data[i];
    c.paths.count = kept;
    c.faults = hd_new_array(c.arena, char *, c.paths.count);
    hd_in_parallel(hd_core_count(), c.paths.count, read_one, &c, &failed);
    for (size_t i = 0; i < c.paths.count; i++) {
        if (c.faults[i]) {
            print_error("%s", c.faults[i]);
            count++;
        }
        free(c.faults[i]);
    }
    size_t files = c.paths.count;
    hd_arena_free(c.arena);
    if (count)
        fail_msg("%zu of %zu files are not as they say", count, files);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_is_as_it_says)};
    stand_ready();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
