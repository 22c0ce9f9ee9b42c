/* Bad input: one clear, located message for each, and nothing half made. */
#include "source.h"

typedef struct refusal {
    const char *source;
    hd_status status;
    unsigned line;
    const char *says;
} refusal;

static const refusal refusals[] = {
    {"void f(int x) {}\n", HD_EINPUT, 0, "no kernel in this file"},
    {"int f(int x) { return x ? f(x - 1) : 1; }\n"
     "__kernel void k(__global int *p) { p[0] = f(p[1]); }\n",
     HD_EUNSUPPORTED, 1, "recursion is not supported: f calls itself here; write it as a loop"},
    {"int g(int x);\n"
     "int f(int x) { return x ? g(x - 1) : 1; }\n"
     "int g(int x) {\n    return f(x); }\n"
     "__kernel void k(__global int *p) { p[0] = f(p[1]); }\n",
     HD_EUNSUPPORTED, 4, "recursion is not supported: g calls f, which has called it, here"},
    {"__kernel void k(__global int *p,\n"
     "                read_only image2d_msaa_t im) { p[0] = 3; }\n",
     HD_EUNSUPPORTED, 2, "images of several samples (msaa) are not supported"},
    {"__kernel void k(__global int *p, read_only pipe int q) {\n    read_pipe(q, p); }\n",
     HD_EUNSUPPORTED, 1, "pipes are not supported"},
    {"__kernel void k(__global int *p) {\n"
     "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(4), ^{ p[0] = 3; }); }\n",
     HD_EUNSUPPORTED, 2, "a kernel cannot launch kernels; launch them from the job"},
    {"int helper(int x);\n"
     "__kernel void k(__global int *p) {\n\n    p[0] = helper(2); }\n",
     HD_EUNSUPPORTED, 4, "function helper has no body"},
    {"__kernel void k(__global int *p) {\n    __asm__(\"nop\"); p[0] = 1; }\n", HD_EUNSUPPORTED, 2,
     "inline assembly"},
};

static void unsupported_source_is_refused_at_its_place(void **state) {
    bench *b = *state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        run_front(b, r->source, NULL);
        assert_null(b->module);
        const seen_message *first = NULL;
        size_t errors = 0;
        for (size_t m = 0; m < b->messages.count; m++)
            if (b->messages.data[m].severity == HD_ERROR && !errors++)
                first = &b->messages.data[m];
        assert_non_null(first);
        if (!strstr(first->text, r->says))
            fail_msg("expected '%s', got '%s'", r->says, first->text);
        assert_int_equal(errors, 1);
        assert_int_equal(b->status, r->status);
        assert_int_equal(first->line, r->line);
        assert_string_equal(first->file, b->path);
        if (r->line)
            assert_non_null(first->line_text);
    }
}

static void errors_of_clang_are_passed_on(void **state) {
    bench *b = *state;
    run_front(b,
              "__kernel void k(__global int *p) {\n"
              "    int a = 3\n"
              "    p[0] = a;\n"
              "    p[1] = missing_name;\n"
              "}\n",
              NULL);
    assert_int_equal(b->status, HD_EINPUT);
    assert_null(b->module);
    assert_int_equal(b->messages.count, 2);
    assert_int_equal(b->messages.data[0].line, 2);
    assert_int_equal(b->messages.data[0].column, 14);
    assert_string_equal(b->messages.data[0].text, "expected ';' at end of declaration");
    assert_string_equal(b->messages.data[0].line_text, "    int a = 3");
    assert_int_equal(b->messages.data[1].line, 4);
    assert_non_null(strstr(b->messages.data[1].text, "missing_name"));
}

static void notes_follow_their_error(void **state) {
    bench *b = *state;
    run_front(b,
              "void f(int a, int b) {}\n"
              "__kernel void k(__global int *p) { f(1); }\n",
              NULL);
    assert_int_equal(b->status, HD_EINPUT);
    assert_int_equal(b->messages.count, 2);
    assert_int_equal(b->messages.data[0].severity, HD_ERROR);
    assert_int_equal(b->messages.data[0].line, 2);
    assert_int_equal(b->messages.data[1].severity, HD_NOTE);
    assert_int_equal(b->messages.data[1].line, 1);
}

static void what_hosts_define_is_asked_for_once(void **state) {
    bench *b = *state;
    run_front(b,
              "__kernel void k(__global T *p) {\n"
              "    p[WIDTH] = 1; }\n",
              NULL);
    assert_int_equal(b->status, HD_EINPUT);
    assert_int_equal(b->messages.count, 3);
    assert_int_equal(b->messages.data[1].severity, HD_NOTE);
    assert_non_null(strstr(b->messages.data[1].text, "--options=-DT="));
    assert_int_equal(b->messages.data[2].severity, HD_ERROR);
}

static void warnings_pass_but_do_not_flood(void **state) {
    bench *b = *state;
    hd_str source = {.arena = b->arena};
    hd_str_add(&source, "__kernel void k(__global int *p) {\n");
    for (int i = 0; i < 30; i++)
        hd_str_printf(&source, "int v%d;\n", i);
    hd_str_add(&source, "p[0] = 1; }\n");
    run_front(b, hd_str_text(&source), "-Wunused-variable");
    assert_int_equal(b->status, HD_OK);
    assert_int_equal(b->messages.count, 21);
    assert_int_equal(b->messages.data[0].severity, HD_WARNING);
    assert_int_equal(b->messages.data[0].line, 2);
    assert_non_null(strstr(b->messages.data[0].text, "unused variable 'v0'"));
    assert_int_equal(b->messages.data[20].severity, HD_NOTE);
    assert_string_equal(b->messages.data[20].text, "10 more warnings are not shown");
}

static void bad_options_and_files_are_one_error(void **state) {
    bench *b = *state;
    const char *good = "__kernel void k(__global int *p) { p[0] = 1; }\n";
    run_front(b, good, "-no-such-option");
    assert_int_equal(b->status, HD_EINPUT);
    assert_int_equal(b->messages.count, 1);
    assert_non_null(strstr(b->messages.data[0].text, "-no-such-option"));

    run_front(b, good, "-E");
    assert_int_equal(b->status, HD_EINPUT);
    assert_int_equal(b->messages.count, 1);

    run_front(b, "#include \"no-such-file.h\"\n", NULL);
    assert_int_equal(b->status, HD_EINPUT);
    assert_int_equal(b->messages.count, 1);
    assert_int_equal(b->messages.data[0].line, 1);

    b->messages.count = 0;
    kir_module *module;
    assert_int_equal(hd_frontend(b->arena, &b->diag, "/tmp/no/such/kernel.cl", "", &module),
                     HD_EINPUT);
    assert_null(module);
    assert_int_equal(b->messages.count, 1);
    assert_string_equal(b->messages.data[0].file, "/tmp/no/such/kernel.cl");
}

static void the_users_standard_wins(void **state) {
    bench *b = *state;
    const char *source = "__kernel void k(__global int *p) { p[0] = __OPENCL_C_VERSION__; }\n";
    const struct {
        const char *options;
        int64_t version;
    } cases[] = {{NULL, 200}, {"-cl-std=CL1.2", 120}, {"-DA -cl-std=CL3.0", 300}};
    for (size_t i = 0; i < 3; i++) {
        run_front(b, source, cases[i].options);
        assert_int_equal(b->status, HD_OK);
        const kir_kernel *k = b->module->kernels[0];
        assert_int_equal(constant(k, nth(k, KIR_STORE, 0)->args[0]), cases[i].version);
    }
}

static void quoted_options_keep_their_blanks(void **state) {
    bench *b = *state;
    run_front(b, "__kernel void k(__global int *p) { p[0] = VALUE; }\n", "  '-DVALUE=3 + 4'\t-DB ");
    assert_int_equal(b->status, HD_OK);
    const kir_kernel *k = b->module->kernels[0];
    assert_int_equal(constant(k, nth(k, KIR_STORE, 0)->args[0]), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(unsupported_source_is_refused_at_its_place),
        TEST(errors_of_clang_are_passed_on),
        TEST(notes_follow_their_error),
        TEST(what_hosts_define_is_asked_for_once),
        TEST(warnings_pass_but_do_not_flood),
        TEST(bad_options_and_files_are_one_error),
        TEST(the_users_standard_wins),
        TEST(quoted_options_keep_their_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
