/* The answer and what it rests on: guesses, words, what moves, layouts that were tried, records
 * taken apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/advise.h"
#include "advise/movement.h"
#include "advise/verdict.h"
#include "support.h"

static const char *const job =
    "kernel: kernel.cl\nbuffers:\n  - {name: p, type: r, count: 8192}\n"
    "  - {name: w, type: int, count: 8192}\nlaunches:\n  - kernel: k\n    global: [8192]\n"
    "    local: [128]\n    args: [{name: p, buffer: p}, {name: w, buffer: w}]\n";

/* The advice for a kernel over `struct r`, whose body follows. */
typedef struct subject {
    hd_sample s;
    hd_advice advice;
    hd_cost_options cost;
} subject;

static void ask(subject *t, const char *record, const char *body, bool take_apart) {
    hd_arena *text = hd_arena_new();
    const hd_device *device;
    hd_sample_open(&t->s,
                   hd_format(text,
                             "struct r { %s };\n__kernel void k(__global struct r *p, "
                             "__global int *w) {\n  int i = get_global_id(0);\n%s}\n",
                             record, body),
                   job);
    hd_arena_free(text);
    t->cost = (hd_cost_options){.loops = HD_LOOPS_PENG};
    assert_int_equal(hd_device_find(t->s.arena, &t->s.diag, "tesla-k20c", &device), HD_OK);
    const hd_advise_options options = {
        .devices = &device, .device_count = 1, .cost = t->cost, .take_apart = take_apart};
    assert_int_equal(hd_advise(t->s.arena, &t->s.diag, t->s.job, &options, &t->advice), HD_OK);
}

static hd_basis basis_of(subject *t) {
    const hd_device_advice *first = &t->advice.devices[0];
    return hd_basis_of(t->s.arena, first->accesses, first->access_count, &t->cost);
}

static void nothing_is_guessed_where_all_is_known(void **state) {
    (void)state;
    subject t;
    ask(&t, "float a, b;", "  for (int j = 0; j < 9; j++) p[i].a += p[j].b;\n", false);
    hd_basis basis = basis_of(&t);
    assert_int_equal(basis.count, 0);
    assert_true(basis.assumed == 0);
    assert_string_equal(hd_basis_print(t.s.arena, &basis),
                        "static cost; all of it follows from the source");
    hd_sample_close(&t.s);
}

/* Each kind of guess, with the share of the cost of the lines that it was made for. */
static void guesses_are_told_apart(void **state) {
    (void)state;
    subject t;
    ask(&t, "float a, b, c;",
        "  for (int j = 0; j < w[1]; j++)\n" /* line 4: a loop */
        "    p[i + j].a += 1;\n"
        "  if (w[i] > 2)\n"
        "    p[i].b += 1;\n"       /* line 7: a condition */
        "  p[w[i] & 63].c += 1;\n" /* line 8: a gather */
        "  p[w[0] & 63].c += 1;\n" /* line 9: an index of the warp */,
        false);
    static const struct {
        hd_guess_kind kind;
        uint32_t line;
        uint64_t length;
    } expected[] = {{HD_GUESS_LOOP, 4, 100},
                    {HD_GUESS_CONDITION, 7, 0},
                    {HD_GUESS_GATHER, 8, 0},
                    {HD_GUESS_INDEX, 9, 0}};
    const hd_device_advice *first = &t.advice.devices[0];
    hd_basis basis = basis_of(&t);
    double whole = 0, assumed = 0, of_line[16] = {0};
    for (size_t i = 0; i < first->access_count; i++) {
        const hd_cost_line *line = &first->accesses[i];
        double cost = hd_cost_mean(&line->cost);
        whole += cost;
        of_line[line->access->loop >= 0 ? 4 : line->access->line] += cost;
        bool is_known = line->access->loop < 0 && line->access->line == 6; /* w[i] */
        bool is_index = line->access->loop < 0 && line->access->line > 7 && !line->access->record;
        assumed += is_known || is_index ? 0 : cost;
        of_line[line->access->line] -= is_index ? cost : 0;
    }
    assert_int_equal(basis.count, 4);
    for (uint32_t e = 0; e < 4; e++) {
        uint32_t found = 0;
        while (found < basis.count && basis.guesses[found].kind != expected[e].kind)
            found++;
        assert_true(found < basis.count);
        const hd_guess *g = &basis.guesses[found];
        assert_int_equal(g->line, expected[e].line);
        assert_int_equal(g->last_line, expected[e].line);
        assert_int_equal(g->length, expected[e].length);
        assert_true(fabs(g->share - of_line[g->line] / whole) < 1e-9);
        assert_true(!found || basis.guesses[found - 1].share >= g->share);
    }
    assert_true(fabs(basis.assumed - assumed / whole) < 1e-9);
    const char *text = hd_basis_print(t.s.arena, &basis);
    assert_non_null(strstr(text, "loop at line 4 taken as 100 iterations"));
    assert_non_null(strstr(text, " and 2 more"));
    hd_sample_close(&t.s);
}

static void verdicts_in_words(void **state) {
    (void)state;
    subject t;
    ask(&t, "float a, b;", "  p[i].a += 1;\n", false);
    const hd_record *record = t.s.job->record;
    const hd_layout *soa = hd_layout_soa(t.s.arena, record);
    const hd_layout *aos = hd_layout_aos(t.s.arena, record);
    static const char *const apart[] = {"c", "d", "e", "f"};
    hd_verdict v = {.record = record, .layout = soa, .ratio = 0.5, .basis = "B"};
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "take soa, at 0.500 of the cost of AoS (B)");
    v.apart = apart;
    v.apart_count = 2;
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "take soa with c and d taken apart, at 0.500 of the cost of AoS (B)");
    v.apart_count = 4;
    assert_non_null(strstr(hd_verdict_print(t.s.arena, &v), "with c, d, e and 1 more taken apart"));
    v.apart_count = 0;
    v.refused = aos;
    v.refused_ratio = 0.25;
    v.why_refused = "k.cl:1:2: why";
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "take soa, at 0.500 of the cost of AoS (B); aos, at 0.250, cannot be had: "
                        "k.cl:1:2: why");
    v.layout = NULL;
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "leave it as it is; aos would take 0.250 of the cost of AoS (B), but "
                        "Heddle cannot rewrite these kernels: k.cl:1:2: why");
    v.refused = NULL;
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "leave it as it is; no layout costs noticeably less (B)");
    v.slower = true;
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "leave it as it is; what costs less is predicted to be slower (B)");
    v.slower = false;
    v.objective = HD_QUANTITY_ENERGY;
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "leave it as it is; no layout takes noticeably less modelled energy (B)");
    v.layout = soa;
    v.saved = "S";
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "take soa, at 0.500 of the modelled energy of AoS: S (B)");
    v.objective = HD_QUANTITY_EDP;
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "take soa, at 0.500 of the modelled energy-delay product of AoS: S (B)");
    v.layout = NULL;
    assert_string_equal(hd_verdict_print(t.s.arena, &v),
                        "leave it as it is; no layout has a noticeably lower modelled "
                        "energy-delay product (B)");
    hd_sample_close(&t.s);
}

/* Of a device whose memory takes ten times what L2 does. */
static void what_saves_energy_is_named(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device device = {.energy = {.l1 = 1, .l2 = 1, .dram = 10}};
    const hd_energy_counts before = {.l1_bytes = 400, .l2_bytes = 300, .dram_bytes = 100};
    hd_energy_counts after = before;
    assert_null(hd_saving_print(arena, &device, &before, &after));
    after.l2_bytes = 150;
    assert_string_equal(hd_saving_print(arena, &device, &before, &after),
                        "it moves 2.0x fewer bytes from L2");
    after.dram_bytes = 80;
    assert_string_equal(hd_saving_print(arena, &device, &before, &after),
                        "it moves 1.2x fewer bytes from memory");
    after.dram_bytes = 0;
    assert_string_equal(hd_saving_print(arena, &device, &before, &after),
                        "it moves no bytes from memory any more");
    after = (hd_energy_counts){.l1_bytes = 500, .l2_bytes = 400, .dram_bytes = 200};
    assert_null(hd_saving_print(arena, &device, &before, &after));
    hd_arena_free(arena);
}

/* 7 floats side by side: each warp moves 7 segments of 128 bytes for 128 bytes, then one. */
static void what_moves_is_counted(void **state) {
    (void)state;
    subject t;
    ask(&t, "float a, b, c, d, e, f, g;", "  p[i].a += p[i].b;\n  p[0].c += 1;\n", false);
    hd_cost_model *model = t.advice.devices[0].model;
    const char *const notations[] = {"aos", "soa", "{a,b}{c,d,e,f,g}"};
    const double segments[] = {7, 1, 2};
    for (int n = 0; n < 3; n++) {
        hd_layout *layout;
        hd_cost_line *lines;
        size_t count;
        assert_int_equal(
            hd_layout_parse(t.s.arena, &t.s.diag, t.s.job->record, notations[n], &layout), HD_OK);
        hd_cost_of_layout(t.s.arena, model, layout, &lines, &count);
        hd_movement m = hd_movement_of(t.s.arena, model, layout, lines, count);
        const double warps = 8192 / 32;
        /* a is read and written, b read; c is one value that all lanes read and write. */
        assert_true(fabs(m.requests - 5 * warps) < 1e-6);
        assert_true(fabs(m.transactions - (3 * segments[n] + 2) * warps) < 1e-6);
        assert_true(fabs(m.moved - 128 * (3 * segments[n] + 2) * warps) < 1e-6);
        assert_true(fabs(m.used - (3 * 128 + 2 * 4) * warps) < 1e-6);
        assert_int_equal(m.company_count, n == 1 ? 0 : 1); /* not c: it is another element's */
        assert_true(n == 1 || (m.companies[0].fields == 3 && m.companies[0].bytes == 8 &&
                               m.companies[0].first == 4 && m.companies[0].last == 4));
    }
    hd_sample_close(&t.s);
}

static void what_is_advised_was_rewritten(void **state) {
    (void)state;
    subject t;
    ask(&t, "float a, b, c, d;", "  p[i].a += 1;\n", false);
    assert_true(t.advice.attempt.tried && t.advice.attempt.layout && t.advice.attempt.rewritten);
    assert_int_equal(t.advice.attempt.refused_count, 0);
    assert_ptr_equal(t.advice.best, t.advice.attempt.layout);
    hd_sample_close(&t.s);
    /* The address of an element goes where it cannot be followed. */
    ask(&t, "float a, b, c, d;", "  p[i].a += ((__global float *)&p[i])[2];\n", false);
    assert_true(t.advice.attempt.tried && !t.advice.attempt.layout);
    assert_true(t.advice.attempt.refused_count > 0);
    assert_non_null(strstr(t.advice.attempt.refused[0].why, "kernel.cl:4:"));
    hd_sample_close(&t.s);
    ask(&t, "float4 a;", "  p[i].a += 1;\n", false);
    assert_true(t.advice.leave && !t.advice.attempt.tried);
    hd_sample_close(&t.s);
}

static void records_are_taken_apart_where_it_pays(void **state) {
    (void)state;
    static const struct {
        const char *record, *body;
        const char *fields; /* that are tried */
        bool taken, refused;
    } cases[] = {
        {"float d[4]; int n;", "  p[i].d[1] += 1;\n", "d", true, false},
        {"struct s { struct q { float x, y; } q; float z; } s; float t;",
         "  p[i].s.q.y += p[i].t;\n", "s s.q", true, false},
        {"struct { float x, y, z; } s; float t;", "  p[i].s.y += 1;\n", "s", true, false},
        {"float d[4]; int u[2]; int n;", "  p[i].d[1] += 1;\n", "d", true, false}, /* u: unused */
        {"float d[4]; int n;", "  p[i].n += 1;\n", "", false, false},
        {"float a, b;", "  p[i].a += 1;\n", "", false, false},
        /* One that is used whole, in one go. */
        {"float4 d[1]; int n;", "  p[i].n += 1;\n", "", false, false},
        /* The address of the array cannot be followed. */
        {"float d[4]; int n;", "  __global float *q = p[i].d;\n  w[i] = p[i].d[1] + q[2];\n", "d",
         false, true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        subject t;
        ask(&t, cases[c].record, cases[c].body, true);
        const hd_apart *apart = &t.advice.apart;
        hd_str fields = {.arena = t.s.arena};
        for (uint32_t f = 0; f < apart->count; f++)
            hd_str_printf(&fields, "%s%s", f ? " " : "", apart->fields[f]);
        assert_string_equal(apart->count ? hd_str_text(&fields) : "", cases[c].fields);
        if (apart->pays != cases[c].taken)
            fail_msg("%s: %s, at %g of %g, %s", cases[c].record,
                     apart->pays ? "taken apart" : "not taken apart", apart->ratio, apart->whole,
                     apart->refused ? apart->refused : "not refused");
        assert_int_equal(apart->refused != NULL, cases[c].refused);
        if (cases[c].taken) {
            assert_ptr_equal(t.advice.job, apart->parts);
            assert_ptr_equal(hd_record_declared(t.advice.job->record), t.s.job->record);
            assert_true(apart->ratio <= apart->whole * (1 - HD_NOTICEABLE));
            assert_non_null(t.advice.attempt.rewritten);
        } else {
            assert_ptr_equal(t.advice.job, t.s.job);
        }
        hd_sample_close(&t.s);
        ask(&t, cases[c].record, cases[c].body, false);
        assert_ptr_equal(t.advice.job, t.s.job);
        hd_sample_close(&t.s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_guessed_where_all_is_known),
        cmocka_unit_test(guesses_are_told_apart),
        cmocka_unit_test(verdicts_in_words),
        cmocka_unit_test(what_saves_energy_is_named),
        cmocka_unit_test(what_moves_is_counted),
        cmocka_unit_test(what_is_advised_was_rewritten),
        cmocka_unit_test(records_are_taken_apart_where_it_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
