/*
 * Jobs in tests/rewrite/cuda and tests/rewrite/jobs: each is rewritten to the layouts that its
 * lines "# in: record layout; record layout" say, run on the machine, and must leave what the
 * original leaves. nvcc, where it is installed, must take what becomes of CUDA C.
 */
#include <glob.h>

#include "kit.h"
#include "advise/measure/measure.h"
#include "rewrite/placed.h"
#include "sanitized.h"
#include "machine/vm.h"
#include "ready.h"

typedef struct sample {
    kit *k;
    const char *path, *text; /* of the job file */
    hd_job *job;
    void **before, **after; /* contents of its buffers */
} sample;

static void run(sample *s, const hd_job *job, void *const *contents, void **after) {
    const hd_vm_options options = {.workers = 2, .max_instructions = 10000000};
    hd_vm *vm = NULL;
    hd_status status = hd_vm_open(s->k->arena, &s->k->diag, job, contents, &options, &vm);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = hd_vm_run(vm, l, NULL, NULL);
    if (status != HD_OK)
        fail_msg("%s: %s", s->path, kit_said(s->k));
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        size_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        after[b] = memcpy(hd_alloc(s->k->arena, bytes + 1), hd_vm_contents(vm, b), bytes);
    }
    hd_vm_close(vm);
}

static void open_sample(sample *s, kit *k, const char *path) {
    *s = (sample){.k = k, .path = path};
    kir_module *module = NULL;
    size_t length;
    if (hd_read_file(k->arena, &k->diag, path, (char **)&s->text, &length) ||
        hd_job_read(k->arena, &k->diag, path, &s->job) ||
        hd_frontend(k->arena, &k->diag, s->job->kernel_path, s->job->options, &module) ||
        hd_job_resolve(k->arena, &k->diag, s->job, module))
        fail_msg("%s: %s", path, kit_said(k));
    s->before = hd_new_array(k->arena, void *, s->job->buffer_count);
    s->after = hd_new_array(k->arena, void *, s->job->buffer_count);
    for (uint32_t b = 0; b < s->job->buffer_count; b++)
        assert_int_equal(hd_job_contents(k->arena, &k->diag, &s->job->buffers[b], &s->before[b]),
                         HD_OK);
    run(s, s->job, s->before, s->after);
}

static const hd_record *record_named(const sample *s, const char *name) {
    const hd_job *job = s->job;
    for (uint32_t a = 0; a < job->arrays_count; a++)
        if (!strcmp(job->arrays[a].name, name))
            return job->arrays[a].record;
    if (job->record && !strcmp(job->record->name, name))
        return job->record;
    const hd_record *record = kir_find_record(job->module, name);
    if (!record)
        fail_msg("%s has no record '%s'", s->path, name);
    return record;
}

/* "record layout; record layout" */
static uint32_t read_layouts(const sample *s, const char *line, hd_record_layout *layouts) {
    uint32_t count = 0;
    char *copy = hd_strdup(s->k->arena, line), *rest = NULL;
    for (char *one = strtok_r(copy, ";", &rest); one; one = strtok_r(NULL, ";", &rest)) {
        char *name = one + strspn(one, " "), *layout = strchr(name, ' ');
        assert_non_null(layout);
        *layout++ = '\0';
        layouts[count].record = record_named(s, name);
        layouts[count].layout = kit_layout(s->k, layouts[count].record, layout);
        count++;
    }
    return count;
}

static bool has_nvcc(void) { return access("/usr/local/cuda/bin/nvcc", X_OK) == 0; }

static void check_nvcc(const sample *s, const char *path, const char *options) {
    const char *log = hd_format(s->k->arena, "%s/nvcc.log", s->k->folder);
    const char *command = hd_format(s->k->arena,
                                    "/usr/local/cuda/bin/nvcc -arch=sm_80 -ptx %s -o /dev/null %s "
                                    "> %s 2>&1",
                                    options, path, log);
    char *text;
    size_t length;
    if (system(command) == 0)
        return;
    assert_int_equal(hd_read_file(s->k->arena, NULL, log, &text, &length), HD_OK);
    fail_msg("nvcc refuses the rewritten %s:\n%s", s->path, text);
}

static void check_layouts(const sample *s, const char *line, bool with_nvcc) {
    kit *k = s->k;
    hd_record_layout layouts[8];
    hd_rewritten *rewritten = NULL;
    hd_placed_job *placed = NULL;
    kir_module *module = NULL;
    const char *path;
    char *folder;
    uint32_t count = read_layouts(s, line, layouts);
    assert_int_equal(hd_scratch_make(k->arena, &k->diag, &folder), HD_OK);
    if (hd_rewrite_job(k->arena, &k->diag, s->job, layouts, count, &rewritten) ||
        hd_rewritten_store(k->arena, &k->diag, rewritten, folder, &path) ||
        hd_frontend(k->arena, &k->diag, path, rewritten->options, &module) ||
        hd_job_in_layout(k->arena, &k->diag, s->job, layouts, count, NULL, module, &placed))
        fail_msg("%s in '%s': %s", s->path, line, kit_said(k));
    if (with_nvcc && !SANITIZED)
        check_nvcc(s, path, rewritten->options);
    hd_scratch_remove(folder);
    void **to = hd_new_array(k->arena, void *, placed->job->buffer_count);
    void **after = hd_new_array(k->arena, void *, placed->job->buffer_count);
    void **back = hd_new_array(k->arena, void *, s->job->buffer_count);
    hd_placed_scatter(k->arena, placed, s->before, to);
    sample moved = *s;
    run(&moved, placed->job, to, after);
    hd_placed_gather(k->arena, placed, after, back);
    bool equal, same;
    if (hd_contents_compare(k->arena, &k->diag, s->job, &(hd_contents){"original", s->after},
                            &(hd_contents){"rewritten", back}, &equal, &same) != HD_OK)
        fail_msg("%s in '%s': %s", s->path, line, kit_said(k));
}

static void check_job(void **state) {
    kit *k = kit_new();
    sample s;
    const char *path = *state;
    bool first = true, is_cuda = strstr(path, "/cuda/") != NULL;
    open_sample(&s, k, path);
    for (const char *at = s.text; (first || !SANITIZED) && (at = strstr(at, "# in: ")) != NULL;) {
        const char *line = hd_strndup(k->arena, at + 6, strcspn(at + 6, "\n"));
        check_layouts(&s, line, is_cuda && first && has_nvcc());
        at += 6;
        first = false;
    }
    assert_false(first);
    void *kept = k;
    assert_int_equal(kit_teardown(&kept), 0);
}

/* All jobs, or those whose path contains the argument. */
int main(int argc, char **argv) {
    stand_ready();
    hd_arena *arena = hd_arena_new();
    hd_vec(struct CMUnitTest) tests = {0};
    glob_t found;
    const char *source = getenv("HEDDLE_SOURCE");
    const char *pattern = hd_format(arena, "%s/tests/rewrite/{jobs,cuda}/*.yaml", source);
    if (glob(pattern, GLOB_BRACE, NULL, &found) || found.gl_pathc < 9)
        return 1;
    if (!has_nvcc())
        print_message("nvcc is not installed: only clang reads the rewritten CUDA C\n");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *path = found.gl_pathv[i];
        struct CMUnitTest test = {path, check_job, NULL, NULL, path};
        if (argc < 2 || strstr(path, argv[1]))
            hd_push(arena, &tests, test);
    }
    int failed = _cmocka_run_group_tests("jobs", tests.data, tests.count, NULL, NULL);
    globfree(&found);
    hd_arena_free(arena);
    return failed;
}
