/*
 * Addresses, trip counts and guards against a run of the kernel: every kernel is
 * run for every work-item of small launches by the machine in interpret.h, and what
 * it does is compared with what the analysis says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels.h"
#include "watch.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%u:%u: %s\n", message->place.line, message->place.column, message->text);
}
static const hd_diag diag = {tell, NULL};

static kir_module *parse(hd_arena *arena, const char *text) {
    kir_module *module = NULL;
    assert_int_equal(kir_parse(arena, &diag, "test.kir", text, &module), HD_OK);
    return module;
}

static void check_means(const watch *w) {
    for (uint32_t l = 0; l < w->info->flow->loop_count; l++) {
        const hd_trip *trip = &w->info->trips[l];
        if (trip->kind != HD_TRIP_VARYING || trip->early_exit || !w->entered[l])
            continue;
        double mean = (double)w->passes[l] / (double)w->entered[l];
        assert_true(mean - (double)trip->count <= 0.51 && (double)trip->count - mean <= 0.51);
    }
}

static void what_runs_is_what_was_said(void **state) {
    (void)state;
    const hd_binding launches[] = {
        {.dims = 1, .global = {32}, .local = {8}},
        {.dims = 1, .global = {64}, .local = {64}, .offset = {5}},
        {.dims = 1, .global = {24}, .local = {1}},
        {.dims = 2, .global = {16, 4}, .local = {8, 2}},
        {.dims = 2, .global = {8, 8}, .local = {4, 4}, .offset = {8, 3}},
    };
    const bool known[] = {false, false, true};
    uint64_t checked = 0, guards = 0;
    for (size_t k = 0; k < KERNELS; k++)
        for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
            for (int64_t n = 0; n < 23; n += 11) {
                hd_arena *arena = hd_arena_new();
                const int64_t params[] = {0, 0, n};
                kir_module *module = parse(arena, kernel_text(arena, kernel_names[k]));
                hd_binding binding = launches[i];
                binding.param_count = 3;
                binding.param_known = known;
                binding.params = params;
                watch w;
                run_launch(arena, hd_kernel_analyse(arena, module, module->kernels[0], &binding),
                           &w);
                check_means(&w);
                assert_int_equal(w.unfinished, 0);
                checked += w.checked;
                guards += w.guards_checked;
                hd_arena_free(arena);
            }
    assert_true(checked > 10000 && guards > 1000);
}

/* ---- random index arithmetic ------------------------------------------------------ */

static uint32_t draw(uint32_t *random, uint32_t below) {
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % below;
}

/* A loop of five iterations with random arithmetic on ids, the counter and small
 * constants; every value is the index of a store. */
static const char *random_kernel(hd_arena *arena, uint32_t *random) {
    static const char *const ops[] = {"add", "sub", "add", "or", "xor"};
    static const char *const by_constant[] = {"mul",  "shl",  "and",  "lshr", "ashr",
                                              "udiv", "urem", "sdiv", "srem"};
    static const int constants[] = {1, 2, 3, 4, 7, 8, 15, 16, -4, -1};
    hd_str text = {.arena = arena};
    hd_str_add(&text, RECORDS "kernel \"random\" {\n" PARAMS "b0:\n" LEAVES);
    for (uint32_t i = 0; i < 10; i++)
        hd_str_printf(&text, "  %%c%u = const i64 %d\n", i, constants[i]);
    hd_str_add(&text, "  %z64 = const i64 0\n  %v0 = query global_id i64 %z\n"
                      "  %v1 = query local_id i64 %z\n  %v2 = query group_id i64 %z\n"
                      "  br head\nhead:\n  %v3 = phi i64 [%z64, b0], [%next, body]\n"
                      "  %c = icmp slt i1 %v3, %c4\n  condbr %c, body, done\nbody:\n");
    for (uint32_t v = 4; v < 16; v++) {
        uint32_t op = draw(random, 18), left = draw(random, v);
        bool shift = op == 10 || op == 12 || op == 13; /* never by a negative number */
        uint32_t right = draw(random, op < 9 ? v : shift ? 4 : 10);
        hd_str_printf(&text, "  %%v%u = %s i64 %%v%u, %%%c%u\n", v,
                      op < 9 ? ops[op % 5] : by_constant[op - 9], left, op < 9 ? 'v' : 'c', right);
        hd_str_printf(&text,
                      "  %%a%u = addr ptr.global %%f + %%v%u*4\n"
                      "  store %%one, %%a%u !%u:1\n",
                      v, v, v, v);
    }
    hd_str_add(&text, "  %next = add i64 %v3, %c0\n  br head\ndone:\n  ret\n}\n");
    return hd_str_text(&text);
}

static void random_index_arithmetic_is_what_runs(void **state) {
    (void)state;
    uint32_t random = 11;
    uint64_t affine = 0, accesses = 0;
    for (int round = 0; round < 150; round++) {
        hd_arena *arena = hd_arena_new();
        kir_module *module = parse(arena, random_kernel(arena, &random));
        uint64_t local = (uint64_t)1 << draw(&random, 5);
        static const int64_t params[3] = {0};
        const hd_binding binding = {.dims = 1, .global = {32}, .local = {local}, .params = params};
        hd_kernel_info *info = hd_kernel_analyse(arena, module, module->kernels[0], &binding);
        watch w;
        run_launch(arena, info, &w);
        for (uint32_t i = 0; i < info->access_count; i++)
            affine += info->accesses[i].affine;
        accesses += info->access_count;
        hd_arena_free(arena);
    }
    assert_true(affine > accesses / 3);
}

/* ---- what the analysis should see, access by access ------------------------------ */

static hd_kernel_info *analyse_groups(hd_arena *arena, const char *text, int64_t n,
                                      uint64_t local) {
    static const bool known[] = {false, false, true};
    int64_t *params = hd_new_array(arena, int64_t, 3);
    params[2] = n;
    const hd_binding binding = {.dims = 1,
                                .global = {1024},
                                .local = {local},
                                .param_count = 3,
                                .param_known = known,
                                .params = params};
    kir_module *module = parse(arena, text);
    return hd_kernel_analyse(arena, module, module->kernels[0], &binding);
}

static hd_kernel_info *analyse(hd_arena *arena, const char *text, int64_t n) {
    return analyse_groups(arena, text, n, 64);
}

static const hd_access *at_line(const hd_kernel_info *info, uint32_t line) {
    for (uint32_t i = 0; i < info->access_count; i++)
        if (info->accesses[i].line == line)
            return &info->accesses[i];
    fail_msg("no access at line %u", line);
    return NULL;
}

static void assert_form(const hd_kernel_info *info, hd_affine form, const char *text) {
    hd_arena *arena = hd_arena_new();
    assert_string_equal(hd_affine_print(arena, info->kernel, form), text);
    hd_arena_free(arena);
}

static void straight_addresses_are_all_affine(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "straight"), 7);
    assert_int_equal(info->access_count, 7);
    for (uint32_t i = 0; i < info->access_count; i++) {
        bool masked = info->accesses[i].line == 5 || info->accesses[i].line == 6;
        assert_int_equal(info->accesses[i].affine, !masked); /* gid & 7 in groups of 64 */
        assert_true(info->accesses[i].computable);
    }
    hd_kernel_info *eights = analyse_groups(arena, kernel_text(arena, "straight"), 7, 8);
    assert_form(eights, at_line(eights, 5)->address, "4*group(0) + 4*local(0)");
    assert_form(eights, at_line(eights, 6)->address, "32*group(0) + 4*local(0)");
    assert_form(info, at_line(info, 3)->address, "1792*group(0) + 28*local(0) + 24");
    assert_int_equal(at_line(info, 3)->field, 3);
    assert_form(info, at_line(info, 4)->address, "768*group(0) + 12*local(0) + 8");
    assert_form(info, at_line(info, 7)->address, "768*group(0) + 12*local(0) + 28");
    const hd_access *nested = at_line(info, 9);
    assert_int_equal(nested->field, 2);
    assert_int_equal(nested->field_byte, 4);
    assert_form(info, nested->index, "192*group(0) + 3*local(0)");
    assert_form(info, nested->inner, "4");
    hd_arena_free(arena);
}

static void counters_and_walking_pointers_are_inductions(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "nested"), 14);
    assert_int_equal(info->trips[0].kind, HD_TRIP_BOUND);
    assert_int_equal(info->trips[0].count, 4);
    assert_int_equal(info->trips[1].kind, HD_TRIP_CONSTANT);
    assert_int_equal(info->trips[1].count, 3);
    const hd_access *field = at_line(info, 12);
    assert_int_equal(field->field, 1);
    assert_form(info, field->index, "3*k0 + 3"); /* p[i + 1] with i = 2 + 3 k */
    assert_form(info, field->inner, "4*k1");     /* d[1 + j - 1] */
    assert_form(info, at_line(info, 13)->address, "20*k0 + 4*k1");
    assert_form(info, at_line(info, 15)->address, "20*k0 + 12");
    assert_form(info, at_line(info, 18)->address, "56");
    assert_form(info, at_line(info, 19)->address, "80");
    hd_arena_free(arena);
}

/* Steps that name no record: p[i].d[k - 1] by way of a pointer to d, and a float
 * pointer over the whole record, of which nobody can say in which field it ends. */
static void a_field_is_found_without_a_name(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const char *text = KERNEL(
        "untold", "  %m1 = const i64 -1\n  %six = const i64 6\n  %g = query global_id i64 %z\n"
                  "  %k = query group_id i64 %z\n  %km = add i64 %k, %m1\n"
                  "  %pi = addr ptr.global %p + %g*28\n  %d = addr ptr.global %pi + 4\n"
                  "  %a = addr ptr.global %d + %km*4\n  %v = load f32 %a !2:1\n"
                  "  %b = addr ptr.global %pi + -4\n  %id = load i32 %b !3:1\n"
                  "  %flat = mul i64 %g, %six\n  %c = addr ptr.global %p + %flat*4 + 8\n"
                  "  %w = load f32 %c !4:1\n  ret\n");
    hd_kernel_info *info = analyse(arena, text, 0);
    assert_int_equal(at_line(info, 2)->field, 1);
    assert_form(info, at_line(info, 2)->index, "64*group(0) + local(0)");
    assert_form(info, at_line(info, 2)->inner, "4*group(0) - 4");
    assert_int_equal(at_line(info, 3)->field, 3);
    assert_form(info, at_line(info, 3)->index, "64*group(0) + local(0) - 1");
    assert_int_equal(at_line(info, 4)->field, -1);
    assert_true(at_line(info, 4)->affine);
    hd_arena_free(arena);
}

/* node = &p[node->id], or the one behind that: which element is not known, but it is one from its
 * start on, so that fields behind the first are known; and a pointer that walks by halves of
 * elements leads to one of two places. */
static void a_pointer_that_is_found_leads_to_an_element(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const char *text = KERNEL(
        "walking",
        "  %g = query global_id i64 %z\n  %p0 = addr ptr.global %p + %g*28\n  br head\nhead:\n"
        "  %node = phi ptr.global [%p0, b0], [%next, latch]\n"
        "  %half = phi ptr.global [%f, b0], [%half2, latch]\n"
        "  %a = addr ptr.global %node + 24\n  %id = load i32 %a !2:1\n"
        "  %c = icmp slt i1 %id, %z\n  condbr %c, done, body\nbody:\n"
        "  %id64 = sext i64 %id\n  %to = addr ptr.global %p + %id64*28\n"
        "  %odd = icmp sgt i1 %id, %one\n  condbr %odd, far, latch\nfar:\n"
        "  %behind = addr ptr.global %p + %id64*56 + 28\n  br latch\nlatch:\n"
        "  %next = phi ptr.global [%to, body], [%behind, far]\n"
        "  %half2 = addr ptr.global %half + %id64*14 + 14\n  br head\ndone:\n"
        "  %b = addr ptr.global %node + 4\n  %d = load f32 %b !3:1\n"
        "  %h = addr ptr.global %half + 4\n  store %one, %h !4:1\n  ret\n");
    hd_kernel_info *info = analyse(arena, text, 0);
    assert_int_equal(at_line(info, 2)->field, 3);
    assert_int_equal(at_line(info, 2)->index.term_count, 1);
    assert_int_equal(at_line(info, 2)->index.terms[0].factor, 1);
    assert_false(at_line(info, 2)->affine);
    assert_int_equal(at_line(info, 3)->field, 1);
    assert_int_equal(at_line(info, 4)->address.terms[0].factor, 14);
    assert_int_equal(at_line(info, 4)->address.constant, 4);
    hd_arena_free(arena);
}

static void an_unknown_bound_says_so(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    kir_module *module = parse(arena, kernel_text(arena, "nested"));
    hd_kernel_info *info = hd_kernel_analyse(arena, module, module->kernels[0], NULL);
    assert_int_equal(info->trips[0].kind, HD_TRIP_UNKNOWN);
    assert_non_null(strstr(info->trips[0].reason, "depends on parameter n"));
    assert_int_equal(info->trips[1].kind, HD_TRIP_CONSTANT);
    assert_form(info, at_line(info, 13)->address, "20*k0 + 4*k1");
    assert_false(at_line(info, 18)->affine);
    assert_non_null(at_line(info, 18)->reason);
    module = parse(arena, kernel_text(arena, "straight"));
    info = hd_kernel_analyse(arena, module, module->kernels[0], NULL);
    assert_form(info, at_line(info, 4)->address, "12*global(0) + 8");
    assert_form(info, at_line(info, 7)->address, "12*global(0) + 4*n");
    assert_string_equal(at_line(info, 7)->reason,
                        "depends on parameter n, whose value is not known");
    hd_arena_free(arena);
}

static void halving_and_doubling_loops_are_counted(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "reduce"), 0);
    assert_int_equal(info->trips[0].kind, HD_TRIP_BOUND);
    assert_int_equal(info->trips[0].count, 6);
    assert_int_equal(info->trips[0].hint, HD_HINT_WORK_GROUP);
    assert_true(at_line(info, 7)->conditional && at_line(info, 7)->computable);
    info = analyse(arena, kernel_text(arena, "bitonic"), 0);
    assert_int_equal(info->trips[0].kind, HD_TRIP_CONSTANT);
    assert_int_equal(info->trips[0].count, 6);
    assert_int_equal(info->trips[1].kind, HD_TRIP_VARYING);
    assert_int_equal(info->trips[1].count, 4); /* the mean of 1 .. 6, rounded */
    assert_true(at_line(info, 7)->computable && !at_line(info, 7)->affine);
    hd_arena_free(arena);
}

static void unsigned_counters_may_wrap(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "wrapping"), 0);
    assert_int_equal(info->trips[0].kind, HD_TRIP_VARYING);
    assert_int_equal(info->trips[0].count, 1); /* (10 + 9 + ... + 1) / 64 */
    assert_false(info->trips[0].affine);
    assert_int_equal(info->trips[1].kind, HD_TRIP_CONSTANT);
    assert_int_equal(info->trips[1].count, 10);
    assert_form(info, at_line(info, 6)->index, "-k1 + 9");
    hd_arena_free(arena);
}

static void chars_and_shorts_keep_small_ids(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    static const hd_binding small = {.dims = 1, .global = {64}, .local = {64}};
    kir_module *module = parse(arena, kernel_text(arena, "narrow"));
    hd_kernel_info *info = hd_kernel_analyse(arena, module, module->kernels[0], &small);
    assert_form(info, at_line(info, 5)->index, "local(0)");
    assert_form(info, at_line(info, 6)->index, "4*local(0)"); /* 0 .. 252 */
    assert_false(at_line(info, 7)->affine);
    assert_true(at_line(info, 7)->computable);
    info = analyse(arena, kernel_text(arena, "narrow"), 0); /* of 1024 */
    assert_true(at_line(info, 5)->affine);
    assert_false(at_line(info, 6)->affine);
    hd_arena_free(arena);
}

static void group_copies_move_elements_of_either_side(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(
        arena,
        RECORDS "kernel \"copy\" {\n  param \"v\" ptr.global element 16\n"
                "  static \"tile\" local bytes 1024 align 16\n"
                "b0:\n  %v = param ptr.global 0\n  %tile = static ptr.local 0\n"
                "  %k = const i64 64\n"
                "  %e = call \"async_work_group_copy\" i64 %tile, %v, %k, %k !5:1\n  ret\n}\n",
        0);
    assert_int_equal(info->access_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(info->accesses[i].width, 16);
        assert_false(info->accesses[i].affine || info->accesses[i].computable);
    }
    hd_arena_free(arena);
}

static void varying_loops_have_their_mean(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "triangle"), 0);
    assert_int_equal(info->trips[0].kind, HD_TRIP_VARYING);
    assert_int_equal(info->trips[0].count, 33); /* mean of 1 .. 64, rounded */
    assert_int_equal(info->trips[1].kind, HD_TRIP_VARYING);
    assert_int_equal(info->trips[1].count, 21); /* sum of i (64 - i) / sum of (64 - i) */
    hd_arena_free(arena);
}

static void bounds_may_be_chosen_squared_or_pointers(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "bounds"), 22);
    const uint64_t counts[] = {5, 5, 22};
    for (uint32_t l = 0; l < 3; l++) {
        assert_int_equal(info->trips[l].kind, HD_TRIP_BOUND);
        assert_int_equal(info->trips[l].count, counts[l]);
    }
    hd_arena_free(arena);
}

static void indirect_accesses_name_the_load(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "strided"), 0);
    const hd_access *index = at_line(info, 12), *indirect = at_line(info, 13);
    assert_true(index->affine && !index->indirect);
    assert_form(info, index->index, "64*group(0) + local(0) + 1024*k0");
    assert_true(indirect->indirect && !indirect->affine && !indirect->computable);
    assert_int_equal(indirect->indirect_load, index->inst);
    assert_string_equal(indirect->reason, "indirect through p at line 12");
    assert_int_equal(indirect->field, 0);
    assert_int_equal(indirect->index.constant, 1);
    assert_int_equal(at_line(info, 14)->kind, HD_ATOMIC);
    assert_int_equal(at_line(info, 14)->space, KIR_LOCAL);
    assert_int_equal(at_line(info, 14)->static_index, 0);
    assert_int_equal(info->trips[0].hint, HD_HINT_NONE);
    hd_arena_free(arena);
}

static void guards_are_found_and_the_rest_is_conditional(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "guarded"), 0);
    const struct {
        uint32_t line, guards;
        bool conditional;
    } expected[] = {{2, 1, false}, {3, 3, false}, {4, 3, false}, {5, 3, false},
                    {6, 2, false}, {7, 2, false}, {8, 1, true},  {9, 1, true}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const hd_access *a = at_line(info, expected[i].line);
        assert_int_equal(a->guard_count, expected[i].guards);
        assert_int_equal(a->conditional, expected[i].conditional);
    }
    assert_form(info, at_line(info, 2)->guards[0].expr, "64*group(0) + local(0) - 20");
    assert_int_equal(at_line(info, 2)->guards[0].pred, KIR_P_SLT);
    hd_arena_free(arena);
}

static void early_exits_leave_an_upper_bound(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_kernel_info *info = analyse(arena, kernel_text(arena, "early"), 0);
    assert_true(info->trips[0].early_exit);
    assert_int_equal(info->trips[0].count, 10);
    assert_false(info->trips[1].early_exit);
    assert_int_equal(info->trips[1].count, 5);
    assert_true(info->trips[1].after_body);
    assert_false(at_line(info, 9)->affine); /* where the first loop was left */
    assert_form(info, at_line(info, 10)->address, "8");
    hd_arena_free(arena);
}

/* ---- copies of records ---------------------------------------------------------------- */

static void a_copied_record_is_copied_field_by_field(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const char *text = KERNEL(
        "copy", "  %size = const i64 28\n  %part = const i64 8\n  %odd = const i64 6\n"
                "  %any = sext i64 %n\n  %mine = alloca ptr.private 28 align 4\n"
                "  %g = query global_id i64 %z\n"
                "  %a = addr ptr.global %p + %g*28 + 28 in \"body\" + 0\n"
                "  copy %mine, %a, %size align 4 !2:1\n  copy %p, %a, %size !3:1\n"
                "  %v = addr ptr.global %a + 16 in \"body\" + 16\n  copy %mine, %v, %part !4:1\n"
                "  fill %v, %z, %odd !5:1\n  %wide = load i64 %v !6:1\n"
                "  %two_fields = addr ptr.global %a + 12\n  %w = load i64 %two_fields !7:1\n"
                "  copy %f, %mine, %any !8:1\n  ret\n");
    kir_module *module = parse(arena, text);
    hd_kernel_info *info = hd_kernel_analyse(arena, module, module->kernels[0], NULL);
    uint32_t loads[9] = {0}, stores[9] = {0}, bytes[9] = {0};
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *a = &info->accesses[i];
        (a->kind == HD_LOAD ? loads : stores)[a->line]++;
        if (a->kind == HD_LOAD && a->space == KIR_GLOBAL)
            bytes[a->line] += a->width;
        if (a->line == 2 && a->kind == HD_LOAD)
            assert_form(info, a->index, "global(0) + 1");
        assert_int_equal(a->id, i);
    }
    assert_int_equal(loads[2], 7); /* x, d[0..2], v.a, v.b, id */
    assert_int_equal(bytes[2], 28);
    assert_int_equal(stores[2], 1);
    assert_int_equal(loads[3], 7);
    assert_int_equal(stores[3], 7);
    assert_int_equal(loads[4], 2);  /* v.a, v.b */
    assert_int_equal(stores[5], 1); /* half of v.b: as a whole */
    assert_int_equal(loads[6], 1);  /* all inside v */
    assert_int_equal(at_line(info, 6)->width, 8);
    assert_int_equal(loads[7], 1); /* d[2] and v.a, in one */
    assert_true(hd_access_is_wide(at_line(info, 7)));
    assert_string_equal(hd_access_fields(arena, at_line(info, 7)), "{d,v}");
    assert_false(at_line(info, 8)->affine);
    hd_arena_free(arena);
}

/* ---- counting by division against counting by steps ----------------------------------- */

static void passes_are_those_of_a_plain_loop(void **state) {
    (void)state;
    const kir_pred preds[] = {KIR_P_EQ, KIR_P_NE, KIR_P_SLT, KIR_P_SLE, KIR_P_SGT, KIR_P_SGE};
    for (size_t p = 0; p < sizeof preds / sizeof *preds; p++)
        for (int64_t start = -20; start <= 20; start++)
            for (int64_t step = -5; step <= 5; step++) {
                uint64_t counted = 0, passes;
                while (counted < 100 && holds(start + step * (int64_t)counted, preds[p]))
                    counted++;
                assert_int_equal(hd_trip_passes(start, step, preds[p], &passes), counted < 100);
                if (counted < 100)
                    assert_int_equal(passes, counted);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_is_what_was_said),
        cmocka_unit_test(random_index_arithmetic_is_what_runs),
        cmocka_unit_test(straight_addresses_are_all_affine),
        cmocka_unit_test(counters_and_walking_pointers_are_inductions),
        cmocka_unit_test(a_field_is_found_without_a_name),
        cmocka_unit_test(a_pointer_that_is_found_leads_to_an_element),
        cmocka_unit_test(an_unknown_bound_says_so),
        cmocka_unit_test(halving_and_doubling_loops_are_counted),
        cmocka_unit_test(unsigned_counters_may_wrap),
        cmocka_unit_test(chars_and_shorts_keep_small_ids),
        cmocka_unit_test(group_copies_move_elements_of_either_side),
        cmocka_unit_test(varying_loops_have_their_mean),
        cmocka_unit_test(bounds_may_be_chosen_squared_or_pointers),
        cmocka_unit_test(indirect_accesses_name_the_load),
        cmocka_unit_test(guards_are_found_and_the_rest_is_conditional),
        cmocka_unit_test(early_exits_leave_an_upper_bound),
        cmocka_unit_test(a_copied_record_is_copied_field_by_field),
        cmocka_unit_test(passes_are_those_of_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
