/* The text form: round trip, messages of the parser, rules of the verifier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernels.h"

typedef struct heard {
    unsigned count, line, column;
    char text[400];
} heard;

static void hear(const hd_message *message, void *user) {
    heard *h = user;
    h->count++;
    h->line = message->place.line;
    h->column = message->place.column;
    strncpy(h->text, message->text, sizeof h->text - 1);
}

static const char *print(hd_arena *arena, const kir_module *module) {
    hd_str out = {.arena = arena};
    kir_print_module(&out, module);
    return hd_str_text(&out);
}

static kir_module *parse(hd_arena *arena, const char *text) {
    kir_module *module = NULL;
    heard h = {0};
    hd_diag diag = {hear, &h};
    if (kir_parse(arena, &diag, "t.kir", text, &module) != HD_OK)
        fail_msg("%u:%u: %s\n%s", h.line, h.column, h.text, text);
    return module;
}

/* Everything that the text form has, in a form that prints as itself. */
static const char everything[] =
    "rule blocks\n"
    "rule vector_structs\n"
    "file \"a \\\"quoted\\\" name.cl\"\n"
    "file \"b\\09.h\"\n"
    "record \"vec\" type \"struct vec\" size 8 align 4 at \"b.h\":3:1 {\n"
    "    \"a\" \"float\" offset 0 size 4 align 4\n"
    "    \"b\" \"float\" offset 4 size 4 align 4\n"
    "}\n"
    "record \"body\" size 32 align 8 {\n"
    "    \"d\" \"float\" offset 0 size 12 align 4 count 3\n"
    "    \"v\" \"struct vec\" offset 16 size 8 align 4 record \"vec\"\n"
    "}\n"
    "kernel \"all\" local 64 2 1 sub_group 16 at \"a.cl\":12:15 {\n"
    "    param \"p\" ptr.global type \"__global body *\" bytes 8 record \"body\" element 32"
    " of \"body\" const restrict\n"
    "    param \"s\" ptr.private type \"body\" bytes 32 record \"body\" element 32 value\n"
    "    param \"h\" f16 bytes 2\n"
    "    static \"table\" constant bytes 4 align 4 init \"00ff7f80\"\n"
    "    static \"tile\" local bytes 320 align 8 record \"body\"\n"
    "    static \"more\" local dynamic bytes 0 align 4\n"
    "    static \"state\" global bytes 400 align 4 zero pointer 8 to 0 + 2 pointer 392 to 3 + 0\n"
    "b0:\n"
    "    %0 = param ptr.global 0\n"
    "    %1 = static ptr.local 1\n"
    "    %2 = const i32 -7\n"
    "    %3 = const i64 9223372036854775807\n"
    "    %4 = const i1 1\n"
    "    %5 = const f32 1.5\n"
    "    %6 = const f32 0.1\n"
    "    %7 = const f32x2 -2.0, 1e+20\n"
    "    %8 = const f64 0x7ff8000000000000\n"
    "    %9 = const f16 0x3c00\n"
    "    %10 = undef f32x4\n"
    "    %11 = query global_id i64 %2 !4:9\n"
    "    %12 = query work_dim i32 !1:4:9\n"
    "    %13 = alloca ptr.private 24 align 8\n"
    "    %14 = addr ptr.global %0 + %11*32 + %2*-4 + -16 in \"body\" + 16\n"
    "    %15 = load f32x2 %14 align 4 volatile !5:3\n"
    "    %16 = shuffle f32x4 %7, %15 [0, 3, undef, 1]\n"
    "    %17 = icmp ult i1 %2, %12\n"
    "    %18 = fcmp une i1 %5, %6\n"
    "    %19 = fmuladd f32 %5, %6, %5\n"
    "    store %19, %1 align 4\n"
    "    %21 = atomic cmpxchg i32 %1, %2, %12\n"
    "    atomic store %1, %2\n"
    "    copy %13, %14, %3 align 8\n"
    "    %24 = call \"sqrt\" f32 %5\n"
    "    call \"prefetch\" %14, %3\n"
    "    barrier %2\n"
    "    %27 = extract f32 %16, %12\n"
    "    condbr %17, b1, b2\n"
    "b1:\n"
    "    switch %2, b3 [0: b2, -1: b3]\n"
    "b2:\n"
    "    %30 = phi i32 [%2, b0], [%12, b1]\n"
    "    br b3\n"
    "b3:\n"
    "    ret\n"
    "}\n";

static void every_form_prints_as_it_was_read(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    kir_module *module = parse(arena, everything);
    assert_string_equal(print(arena, module), everything);
    assert_int_equal(module->kernels[0]->required_local[1], 2);
    assert_int_equal(module->kernels[0]->sub_group, 16);
    assert_true(module->kernels[0]->params[0].is_restrict);
    assert_true(module->kernels[0]->params[1].by_value_struct);
    assert_int_equal(module->rules, KIR_RULE(BLOCKS) | KIR_RULE(VECTOR_STRUCTS));
    assert_int_equal(module->kernels[0]->statics[0].init[1], 0xff);
    assert_true(module->kernels[0]->statics[2].is_dynamic);
    assert_false(module->kernels[0]->statics[1].is_dynamic);
    assert_null(module->kernels[0]->statics[1].init);
    assert_int_equal(module->kernels[0]->statics[3].init[399], 0);
    assert_int_equal(module->kernels[0]->insts[12].file, 1);
    assert_int_equal(module->kernels[0]->insts[5].imm[0], 0x3fc00000);
    assert_int_equal(module->kernels[0]->blocks[3].pred_count, 2);
    assert_string_equal(module->files[1].name, "b\t.h");
    hd_arena_free(arena);
}

static void kernels_survive_print_and_parse(void **state) {
    (void)state;
    for (size_t i = 0; i < KERNELS; i++) {
        hd_arena *arena = hd_arena_new();
        const char *once = print(arena, parse(arena, kernel_text(arena, kernel_names[i])));
        assert_string_equal(print(arena, parse(arena, once)), once);
        hd_arena_free(arena);
    }
}

static void expect_message(const char *text, unsigned line, const char *part) {
    hd_arena *arena = hd_arena_new();
    heard h = {0};
    hd_diag diag = {hear, &h};
    kir_module *module;
    assert_int_equal(kir_parse(arena, &diag, "t.kir", text, &module), HD_EINPUT);
    assert_null(module);
    assert_int_equal(h.count, 1);
    if (!strstr(h.text, part))
        fail_msg("expected \"%s\" in \"%s\"", part, h.text);
    if (line)
        assert_int_equal(h.line, line);
    hd_arena_free(arena);
}

static void the_parser_says_what_it_wanted_and_where(void **state) {
    (void)state;
    expect_message("kernel", 1, "the kernel's name");
    expect_message("kernel \"k\" {\nb0:\n  frob\n}", 3, "'frob' is not an opcode");
    expect_message("kernel \"k\" {\nb0:\n  %a = const i33q 1\n}", 3, "'i33q' is no type");
    expect_message("kernel \"k\" {\nb0:\n  %a = const i32 1x\n}", 3, "'1x' is not a number");
    expect_message("kernel \"k\" {\nb0:\n  br b7\n}", 3, "block 'b7' is used but never made");
    expect_message("kernel \"k\" {\nb0:\n  store %a, %a\n ret }", 3, "value 'a' is used but never");
    expect_message("kernel \"k\" {\nb0: ret\nb0: ret\n}", 3, "'b0' is made twice");
    expect_message("kernel \"k\" {\nb0:\n ret\n", 4, "expected");
    expect_message("record \"r\" size 4 align 3 { }", 1, "power of two");
    expect_message("record \"r\" size 4 align 4 {\n \"x\" \"int\" offset 2 size 4 align 4 }", 2,
                   "does not fit");
    expect_message("kernel \"k\" { param \"p\" ptr.global record \"r\" }", 1, "no record \"r\"");
    expect_message("kernel \"no end {\n", 1, "has no end");
    expect_message("rule pascal\n", 1, "'pascal' is not a rule");
#define RECORD(head, fields) "record \"r\" " head " {\n" fields "}\n"
#define FIELD(numbers) "\"f\" \"float\" " numbers "\n"
    expect_message(RECORD("size 6 align 4", ""), 1, "a size that is a multiple of it");
    expect_message(RECORD("size 8 align 3", ""), 1, "a power of two");
    expect_message(RECORD("size 8 align 4", FIELD("offset 0 size 7 align 1 count 2")), 2,
                   "7 bytes cannot be 2 elements");
    expect_message(RECORD("size 8 align 4", FIELD("offset 2 size 4 align 4")), 2, "aligned to 4");
    expect_message(RECORD("size 8 align 4", FIELD("offset 0 size 4 align 0")), 2, "aligned to 0");
    expect_message(
        RECORD("size 8 align 4", FIELD("offset 0 size 8 align 4") FIELD("offset 4 size 4 align 4")),
        3, "behind the field before it");
    expect_message("kernel \"k\" local 64 0 1 {", 1, "from 1 on");
    expect_message("kernel \"k\" { param \"n\" i32 bytes 8 b0: ret }", 1, "of 8 bytes");
    expect_message(
        RECORD("size 8 align 4",
               "") "kernel \"k\" { param \"p\" ptr.global record \"r\" element 4 b0: ret }",
        3, "records of 8 bytes, not of 4");
    expect_message("kernel \"k\" { static \"s\" local bytes 4 align 3 b0: ret }", 1,
                   "no power of two");
    expect_message("kernel \"k\" { static \"s\" global bytes 5000000000 zero\n b0: ret }", 1,
                   "beyond any device");
    expect_message("kernel \"k\" { static \"s\" local bytes 2 init \"00\"\n b0: ret }", 1,
                   "initialises 1 bytes, but the variable has 2");
    expect_message("nonsense", 1, "expected rule, file, record or kernel");
}

#define BODY(code)                                                         \
    "kernel \"k\" {\n param \"p\" ptr.global param \"n\" i32\nb0:\n"       \
    "  %p = param ptr.global 0\n %n = param i32 1\n %c = const i32 4\n"    \
    "  %f = const f32 1.0\n %t = const i1 1\n %u = undef f32x4\n" code "}"

static void pointers_in_variables_lead_somewhere(void **state) {
    (void)state;
    expect_message(
        "kernel \"k\" { static \"s\" global bytes 8 align 8 zero pointer 4 to 0 b0: ret }", 1,
        "has a pointer at byte 4 to variable 0");
    expect_message(
        "kernel \"k\" { static \"s\" global bytes 8 align 8 zero pointer 0 to 1 b0: ret }", 1,
        "to variable 1");
    expect_message("kernel \"k\" { static \"s\" global bytes 8 align 8 pointer 0 to 0 b0: ret }", 1,
                   "initialised");
    expect_message(
        "kernel \"k\" { static \"s\" global bytes 8 align 8 zero pointer 0 from 0 b0: ret }", 1,
        "needs 'to'");
}

static void the_verifier_rejects_what_is_not_kir(void **state) {
    (void)state;
    const struct {
        const char *text, *message;
    } broken[] = {
        {"kernel \"k\" { }", "has no blocks"},
        {"kernel \"k\" { b0: br b1 b1: }", "is empty"},
        {"kernel \"k\" { b0: %c = const i32 1 }", "ends its block, but is no terminator"},
        {BODY("ret ret"), "must be the last instruction"},
        {BODY("br b1 b1: %x = const i32 1 ret"), "must stand at the start of block b0"},
        {BODY("br b1 b1: %y = add i32 %n, %n %x = phi i32 [%n, b0] ret"), "before all other"},
        {BODY("br b1 b1: br b0"), "is the entry"},
        {BODY("%x = add i32 %n ret"), "has 1 operands, must have 2"},
        {BODY("%x = add i32 %n, %f ret"), "operand 1 has type f32, must have i32"},
        {BODY("%x = add f32 %f, %f ret"), "has type f32, must be an integer"},
        {BODY("%x = fadd i32 %n, %n ret"), "must be a float"},
        {BODY("%x = add i24 %n, %n ret"), "which kir does not know"},
        {BODY("%x = icmp olt i1 %n, %n ret"), "predicate of floats"},
        {BODY("%x = fcmp oeq i1 %n, %n ret"), "compares values of type i32"},
        {BODY("%x = icmp eq i32 %n, %n ret"), "must be i1"},
        {BODY("%x = select i32 %n, %n, %n ret"), "must be i1"},
        {BODY("%x = trunc i64 %n ret"), "cannot convert i32 to i64"},
        {BODY("%x = sext i32 %n ret"), "cannot convert i32 to i32"},
        {BODY("%x = bitcast i64 %n ret"), "changes the size"},
        {BODY("%x = fptosi i32 %n ret"), "cannot convert i32 to i32"},
        {BODY("%x = extract i32 %u, %c ret"), "an element of type i32 in a vector of type f32x4"},
        {BODY("%x = extract f32 %u, %c ret"), "takes lane 4 of a vector of 4 lanes"},
        {BODY("%x = shuffle f32x2 %u, %u [0, 8] ret"), "lane 1 of the mask"},
        {BODY("%x = shuffle f32x2 %u, %u [0] ret"), "mask of 1 lanes"},
        {BODY("%x = addr ptr.global %n ret"), "operand 0 has type i32, must have ptr.global"},
        {BODY("%x = addr ptr.local %p ret"), "must have ptr.local"},
        {BODY("%x = addr ptr.global %p + %f*4 ret"), "must be a scalar integer"},
        {BODY("%x = load f32 %n ret"), "operand 0 has type i32, must be a pointer"},
        {BODY("load %p ret"), "must make a value"},
        {BODY("%x = store i32 %n, %p ret"), "makes no value"},
        {BODY("store %p, %n ret"), "operand 1 has type i32, must be a pointer"},
        {BODY("%x = atomic cmpxchg i32 %p, %n ret"), "has 2 operands, must have 3"},
        {BODY("%x = atomic add i32 %p, %f ret"), "operand 1 has type f32"},
        {BODY("copy %p, %n, %c ret"), "must be a pointer"},
        {BODY("barrier %f ret"), "must be an integer"},
        {BODY("%x = query global_id i32 ret"), "has 0 operands, must have 1"},
        {BODY("%x = alloca ptr.private 4 align 3 ret"), "power of two"},
        {BODY("condbr %n, b1, b1 b1: ret"), "operand 0 has type i32, must have i1"},
        {"kernel \"k\" { b0: %x = param i32 3 ret }", "parameter 3 does not exist"},
        {"kernel \"k\" { param \"a\" f32 b0: %x = param i32 0 ret }", "parameter 0 has f32"},
        {"kernel \"k\" { b0: %x = static ptr.local 0 ret }", "static variable 0 does not exist"},
        {"kernel \"k\" { b0: %x = const i32x2 1 ret }", "has 1 numbers for 2 lanes"},
        {BODY("condbr %t, b1, b2 b1: br b2 b2: %x = phi i32 [%n, b1] ret"), "predecessor b0"},
        {BODY("br b1 b1: br b2 b2: %x = phi i32 [%n, b0], [%n, b1] ret"), "does not lead here"},
        {BODY("br b1 b1: %x = phi i32 [%n, b0], [%c, b0] ret"), "two different values"},
        {BODY("condbr %t, b1, b2 b1: %x = add i32 %n, %n br b2 b2: %y = add i32 %x, %n ret"),
         "is not made on every path"},
        {BODY("%x = add i32 %y, %n %y = add i32 %n, %n ret"), "is not made on every path"},
        {BODY("br b1 b1: %x = phi i32 [%y, b0] %y = add i32 %n, %n ret"), "not made on every"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        expect_message(broken[i].text, 0, broken[i].message);
}

/* Rules that no text can break, on kernels built by hand. */
static void the_verifier_rejects_broken_indices(void **state) {
    (void)state;
    for (int which = 0; which < 5; which++) {
        hd_arena *arena = hd_arena_new();
        kir_kernel *kernel = parse(arena, BODY("%x = add i32 %n, %c ret"))->kernels[0];
        heard h = {0};
        hd_diag diag = {hear, &h};
        static const char *const messages[] = {"no value of this kernel", "stands in no block",
                                               "as well", "does not exist", "unknown opcode"};
        switch (which) {
        case 0: kernel->insts[6].args[1] = 99; break;
        case 1:
            kernel->inst_count--;
            kernel->blocks[0].inst_count--;
            kernel->blocks[0].insts[6] = 7;
            kernel->inst_count++;
            break;
        case 2: kernel->blocks[0].insts[6] = 5; break;
        case 3: kernel->blocks[0].insts[6] = 99; break;
        default: kernel->insts[6].op = (kir_op)1000; break;
        }
        assert_int_equal(kir_finish(arena, &diag, kernel), HD_EINPUT);
        assert_int_equal(h.count, 1);
        if (!strstr(h.text, messages[which]))
            fail_msg("expected \"%s\" in \"%s\"", messages[which], h.text);
        hd_arena_free(arena);
    }
}

/* Texts with a piece cut out or doubled give a message or a module, never a crash. */
static void damaged_text_never_crashes(void **state) {
    (void)state;
    uint32_t random = 3, rejected = 0;
    size_t length = strlen(everything);
    for (int round = 0; round < 600; round++) {
        hd_arena *arena = hd_arena_new();
        heard h = {0};
        hd_diag diag = {hear, &h};
        kir_module *module;
        hd_str text = {.arena = arena};
        random = random * 1664525u + 1013904223u;
        size_t at = (random >> 8) % length;
        random = random * 1664525u + 1013904223u;
        size_t size = (random >> 8) % 12, end = at + size < length ? at + size : length;
        hd_str_addn(&text, everything, round % 2 ? at : end);
        hd_str_add(&text, everything + (round % 2 ? end : at));
        hd_status status = kir_parse(arena, &diag, "t.kir", hd_str_text(&text), &module);
        assert_int_equal(h.count, status == HD_OK ? 0 : 1);
        rejected += status != HD_OK;
        hd_arena_free(arena);
    }
    assert_true(rejected > 300);
}

/* docs/kir.md names every opcode, query, comparison and atomic operation. */
static void the_page_names_everything(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const char *source = getenv("HEDDLE_SOURCE");
    char *page;
    size_t length;
    if (!source)
        skip();
    const char *path = hd_format(arena, "%s/docs/kir.md", source);
    assert_int_equal(hd_read_file(arena, NULL, path, &page, &length), HD_OK);
    char *table = strstr(page, "## Instructions");
    assert_non_null(table);
    static const char *const names[] = {
#define X(name, text, ...) text,
        KIR_OPS(X) KIR_PREDS(X) KIR_QUERIES(X) KIR_RMWS(X)
#undef X
    };
    for (char *c = table; *c; c++) /* only words stay, with blanks around */
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && *c != '_')
            *c = ' ';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(table, hd_format(arena, " %s ", names[i])))
            fail_msg("docs/kir.md does not name %s", names[i]);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_prints_as_it_was_read),
        cmocka_unit_test(kernels_survive_print_and_parse),
        cmocka_unit_test(the_parser_says_what_it_wanted_and_where),
        cmocka_unit_test(pointers_in_variables_lead_somewhere),
        cmocka_unit_test(the_verifier_rejects_what_is_not_kir),
        cmocka_unit_test(the_verifier_rejects_broken_indices),
        cmocka_unit_test(damaged_text_never_crashes),
        cmocka_unit_test(the_page_names_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
