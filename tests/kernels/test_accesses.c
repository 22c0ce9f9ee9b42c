/*
 * What is said of the accesses of every kernel in these folders, against a run of
 * the kernel: work-item by work-item, by the machine in tests/kernel/interpret.h.
 * The launch is that of the `flags` at the head of the file.
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
#include "kernel/watch.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    if (message->severity == HD_ERROR)
        print_message("%s:%u: %s\n", message->place.file, message->place.line, message->text);
}
static const hd_diag diag = {tell, NULL};

/* ---- the head of the file ----------------------------------------------------------- */

typedef struct flags {
    hd_binding launch;
    const char *values[8]; /* name=value */
    uint32_t value_count;
    const char *options;
    bool wrong; /* the file must not compile */
} flags;

static uint32_t read_sizes(const char *text, uint64_t sizes[3]) {
    uint32_t count = 0;
    char *end = (char *)text;
    for (; count < 3 && *end; count++)
        sizes[count] = strtoull(*end == ',' ? end + 1 : end, &end, 10);
    return count;
}

static void read_flag(flags *f, const char *name, const char *value) {
    if (!strcmp(name, "-g"))
        f->launch.dims = read_sizes(value, f->launch.global);
    else if (!strcmp(name, "--local"))
        read_sizes(value, f->launch.local);
    else if (!strcmp(name, "--options"))
        f->options = value;
    else if (!strcmp(name, "-a")) {
        assert_true(f->value_count < 8);
        f->values[f->value_count++] = value;
    }
}

/* "// flags: -g 64,64 --local 8,8 -a n=64": every flag has a value. */
static flags read_head(hd_arena *arena, const char *path) {
    flags f = {.launch = {.dims = 1, .global = {64, 1, 1}, .local = {1, 1, 1}}};
    char *text;
    size_t length;
    assert_int_equal(hd_read_file(arena, &diag, path, &text, &length), HD_OK);
    f.wrong = strstr(text, "// error: ") != NULL;
    const char *head = strstr(text, "// flags: ");
    if (!head)
        return f;
    head += strlen("// flags: ");
    char *rest, *words = hd_strndup(arena, head, strcspn(head, "\r\n"));
    for (char *name = strtok_r(words, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const char *value = strtok_r(NULL, " ", &rest);
        assert_non_null(value);
        read_flag(&f, name, value);
    }
    return f;
}

static void bind_values(hd_arena *arena, const kir_kernel *kernel, flags *f) {
    int64_t *params = hd_new_array(arena, int64_t, kernel->param_count + 1);
    bool *known = hd_new_array(arena, bool, kernel->param_count + 1);
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        const char *name = kernel->params[p].name;
        size_t length = strlen(name);
        known[p] = kernel->params[p].type.kind == KIR_INT;
        params[p] = 64;
        for (uint32_t v = 0; v < f->value_count; v++)
            if (!strncmp(f->values[v], name, length) && f->values[v][length] == '=')
                params[p] = strtoll(f->values[v] + length + 1, NULL, 0);
    }
    f->launch.param_count = kernel->param_count;
    f->launch.params = params;
    f->launch.param_known = known;
}

/* ---- all kernels ------------------------------------------------------------------------ */

typedef struct total {
    uint32_t kernels;
    uint64_t checked, guards, unfinished;
} total;

static void check_file(const char *path, total *sum) {
    hd_arena *arena = hd_arena_new();
    kir_module *module;
    flags f = read_head(arena, path);
    if (!f.wrong) {
        print_message("%s\n", path);
        assert_int_equal(hd_frontend(arena, &diag, path, f.options, &module), HD_OK);
        for (uint32_t k = 0; k < module->kernel_count; k++) {
            const kir_kernel *kernel = module->kernels[k];
            watch w;
            bind_values(arena, kernel, &f);
            run_launch(arena, hd_kernel_analyse(arena, module, kernel, &f.launch), &w);
            sum->kernels++;
            sum->checked += w.checked;
            sum->guards += w.guards_checked;
            sum->unfinished += w.unfinished;
        }
    }
    hd_arena_free(arena);
}

static void what_runs_is_what_was_said(void **state) {
    (void)state;
    const char *source = getenv("HEDDLE_SOURCE");
    assert_non_null(source);
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/tests/kernels/*/*.cl", source);
    glob_t files;
    total sum = {0};
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_file(files.gl_pathv[i], &sum);
    globfree(&files);
    assert_true(sum.kernels > 80 && sum.checked > 500000 && sum.guards > 100000);
    assert_true(sum.unfinished < 200); /* the values read are made up, so some loops go on */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_runs_is_what_was_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
