/* What ptxas says of kernels in PTX, where it is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "advise/nvcc_job.h"
#include "advise/ptxas.h"
#include "folder.h"
#include "source_text.h"

typedef struct sample {
    hd_arena *arena;
    hd_diag diag;
    const char *folder;
    char heard[400];
} sample;

static void hear(const hd_message *message, void *user) {
    sample *s = user;
    snprintf(s->heard, sizeof s->heard, "%s", message->text);
}

static void open_sample(sample *s) {
    *s = (sample){.arena = hd_arena_new()};
    s->diag = (hd_diag){hear, s};
    if (!hd_cuda_tool(s->arena, "ptxas")) {
        print_message("there is no ptxas\n");
        hd_arena_free(s->arena);
        skip();
    }
    s->folder = folder_make(s->arena);
}

static void close_sample(sample *s) {
    folder_remove(s->folder);
    hd_arena_free(s->arena);
}

static const char *kept(sample *s, const char *name) {
    return hd_format(s->arena, "%s/tests/frontend/ptx/%s", getenv("HEDDLE_SOURCE"), name);
}

static const char *write_ptx(sample *s, const char *text) {
    const char *path = hd_format(s->arena, "%s/k.ptx", s->folder);
    assert_int_equal(hd_write_file(&s->diag, path, text, strlen(text)), HD_OK);
    return path;
}

static void each_kernel_of_a_file(void **state) {
    (void)state;
    sample s;
    hd_ptxas made;
    open_sample(&s);
    assert_int_equal(
        hd_ptxas_registers(s.arena, &s.diag, kept(&s, "examples-nbody-nbody.ptx"), 90, &made),
        HD_OK);
    assert_string_equal(made.architecture, "sm_90");
    assert_int_equal(made.count, 2);
    const hd_ptxas_kernel *move = hd_ptxas_find(&made, "move"),
                          *attract = hd_ptxas_find(&made, "attract");
    assert_non_null(move);
    assert_non_null(attract);
    assert_null(hd_ptxas_find(&made, "mov"));
    assert_in_range(move->registers, 8, 24);
    assert_true(attract->registers > move->registers);
    assert_int_equal(move->shared + move->spill_stores + move->spill_loads, 0);
    close_sample(&s);
}

static const char templates[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry _Z5scaleIiEvPT_(.param .u64 a) { .shared .align 4 .b8 own[400];\n"
    "  .reg .u64 %rd<2>; .reg .u32 %r<2>; ld.param.u64 %rd1, [a];\n"
    "  st.volatile.shared.u32 [own], 1; ld.volatile.shared.u32 %r1, [own];\n"
    "  st.global.u32 [%rd1], %r1; ret; }\n"
    ".visible .entry _Z5scaleIfEvPT_(.param .u64 a) { ret; }\n";

static void by_the_names_of_the_source(void **state) {
    (void)state;
    sample s;
    hd_ptxas made;
    open_sample(&s);
    assert_int_equal(hd_ptxas_registers(s.arena, &s.diag, write_ptx(&s, templates), 90, &made),
                     HD_OK);
    assert_int_equal(made.count, 2);
    const hd_ptxas_kernel *ints = hd_ptxas_find(&made, "scale<int>");
    assert_non_null(ints);
    assert_string_equal(ints->symbol, "_Z5scaleIiEvPT_");
    assert_ptr_equal(hd_ptxas_find(&made, "_Z5scaleIiEvPT_"), ints);
    assert_int_equal(ints->shared, 400);
    assert_int_equal(hd_ptxas_find(&made, "scale<float>")->shared, 0);
    close_sample(&s);
}

/* 40 registers at once, of which the kernel may have 24. */
static void what_is_spilled(void **state) {
    (void)state;
    sample s;
    hd_ptxas made;
    open_sample(&s);
    hd_str text = {.arena = s.arena};
    hd_str_add(&text,
               ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a) "
               ".maxnreg 24 {\n  .reg .u64 %rd<2>; .reg .u32 %r<41>; ld.param.u64 %rd1, [a];\n");
    for (int k = 0; k < 40; k++)
        hd_str_printf(&text, "  ld.volatile.global.u32 %%r%d, [%%rd1+%d];\n", k, 4 * k);
    for (int k = 0; k < 40; k++)
        hd_str_printf(&text, "  st.volatile.global.u32 [%%rd1+%d], %%r%d;\n", 4 * (39 - k), k);
    hd_str_add(&text, "  ret;\n}\n");
    assert_int_equal(hd_ptxas_registers(s.arena, &s.diag, write_ptx(&s, text.data), 90, &made),
                     HD_OK);
    assert_true(made.kernels[0].registers <= 24);
    assert_true(made.kernels[0].spill_stores >= 4 * 10 && made.kernels[0].spill_loads >= 4 * 10);
    close_sample(&s);
}

static void the_nearest_architecture(void **state) {
    (void)state;
    const struct {
        const char *target;
        uint32_t capability;
        const char *taken;
    } cases[] = {{"sm_80", 35, "sm_80"}, {"sm_80", 70, "sm_80"}, {"sm_75", 70, "sm_75"},
                 {"sm_80", 86, "sm_86"}, {"sm_80", 91, "sm_90"}, {"sm_90a", 90, "sm_90a"}};
    sample s;
    hd_ptxas made;
    open_sample(&s);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *text =
            hd_format(s.arena,
                      ".version 8.0\n.target %s, texmode_independent\n.address_size 64\n"
                      ".visible .entry k() { ret; }\n",
                      cases[k].target);
        const char *path = write_ptx(&s, text);
        assert_int_equal(hd_ptxas_registers(s.arena, &s.diag, path, cases[k].capability, &made),
                         HD_OK);
        assert_string_equal(made.architecture, cases[k].taken);
        assert_int_equal(made.count, 1);
    }
    close_sample(&s);
}

static void what_is_no_ptx(void **state) {
    (void)state;
    sample s;
    hd_ptxas made;
    open_sample(&s);
    assert_int_equal(hd_ptxas_registers(s.arena, &s.diag, write_ptx(&s, "nothing\n"), 90, &made),
                     HD_EINPUT);
    assert_non_null(strstr(s.heard, "ptxas does not assemble"));
    assert_non_null(strstr(s.heard, ".version"));
    assert_int_not_equal(hd_ptxas_registers(s.arena, &s.diag, "/nowhere/k.ptx", 90, &made), HD_OK);
    close_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_of_a_file), cmocka_unit_test(by_the_names_of_the_source),
        cmocka_unit_test(what_is_spilled),       cmocka_unit_test(the_nearest_architecture),
        cmocka_unit_test(what_is_no_ptx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
