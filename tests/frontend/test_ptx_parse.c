/*
 * The PTX parser: what it makes of each form, what it says of what is no PTX, that it reads every
 * kept text as a scanner without grammar does, and that damaged texts are errors at most.
 */
#include <dirent.h>

#include "source.h"

#include "ptx_text.h"
#include "sanitized.h"
#include "source_text.h"

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"

/* Parses a copy that ends where the text does. */
static hd_status parse_bytes(bench *b, const char *text, size_t length, ptx_module **module) {
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    b->messages.count = 0;
    hd_status status = ptx_parse(b->arena, &b->diag, "t.ptx", copy, length, module);
    free(copy);
    assert_int_equal(status != HD_OK, b->messages.count == 1);
    assert_int_equal(status != HD_OK, !*module);
    return status;
}

static ptx_module *parse(bench *b, const char *text) {
    ptx_module *module;
    hd_status status = parse_bytes(b, text, strlen(text), &module);
    if (status)
        print_error("%u:%u: %s\nof\n%s\n", b->messages.data[0].line, b->messages.data[0].column,
                    b->messages.data[0].text, text);
    assert_int_equal(status, HD_OK);
    return module;
}

static const ptx_function *function(const ptx_module *m, const char *name) {
    for (uint32_t f = 0; f < m->function_count; f++)
        if (!strcmp(m->functions[f].name, name))
            return &m->functions[f];
    fail_msg("there is no function %s", name);
    return NULL;
}

static const ptx_variable *variable(const ptx_module *m, const char *name) {
    for (uint32_t v = 0; v < m->variable_count; v++)
        if (!strcmp(m->variables[v].name, name))
            return &m->variables[v];
    fail_msg("there is no variable %s", name);
    return NULL;
}

/* The body of a kernel, as ptx_text.h prints it. */
static const char *body(bench *b, const char *text) {
    const char *all = hd_format(b->arena, HEAD ".visible .entry k() {\n%s\n}\n", text);
    return print_body(b->arena, function(parse(b, all), "k"));
}

/* ---- the module ---------------------------------------------------------------------------- */

static void a_module_has_its_version_target_and_files(void **state) {
    bench *b = *state;
    const ptx_module *m =
        parse(b, "// one\n\n.version 7.8 .target sm_90a, debug\n"
                 ".address_size 64 .file 3 \"a \\\"b\\\" \\\\ \\303\\244.cu\", 1, 2\n"
                 ".file 1 \"b.cu\"\n");
    assert_string_equal(m->path, "t.ptx");
    assert_string_equal(m->target, "sm_90a");
    assert_int_equal(m->file_count, 4);
    assert_string_equal(m->files[0], "t.ptx");
    assert_string_equal(m->files[1], "b.cu");
    assert_string_equal(m->files[3], "a \"b\" \\ \303\244.cu");
}

static void comments_and_line_markers_are_blanks(void **state) {
    bench *b = *state;
    assert_string_equal(body(b, "# 12 \"x.h\" 3\n/* ret; \n * */ add.s32/**/%r1,// ;\n%r2 , 4\t;"
                                "\n  #pragma once\n\f\v\rret;"),
                        "add.s32%r1,%r2,4;\nret;\n");
}

static void functions_have_parameters_and_properties(void **state) {
    bench *b = *state;
    const ptx_module *m =
        parse(b, HEAD ".func (.param .b32 r) f (.param .align 8 .b8 a[24], .reg .f32 x);\n"
                      ".visible .entry k (.param .u64 .ptr .shared .align 16 p, .param .u64 .ptr q,"
                      " .param .v4 .f32 v) .maxntid 256 .reqntid 8, 4 .minnctapersm 2 .maxnreg 32"
                      " .pragma \"nounroll\"; .reqnctapercluster 2, 1, 1 { ret; }\n"
                      ".weak .func (.param .b32 r) f (.param .align 8 .b8 a[24], .reg .f32 x)"
                      " .noreturn { trap; }\n"
                      ".alias g, f; .visible .entry bare { }\n");
    assert_int_equal(m->function_count, 4);
    const ptx_function *f = &m->functions[0], *k = &m->functions[1];
    assert_string_equal(f->name, "f");
    assert_true(f->has_body && !f->is_entry);
    assert_int_equal(f->place.line, 6);
    assert_int_equal(f->result_count, 1);
    assert_int_equal(f->param_count, 2);
    assert_int_equal(f->params[0].count, 24);
    assert_int_equal(f->params[0].align, 8);
    assert_true(f->params[0].is_array);
    assert_int_equal(f->params[1].space, PTX_REG);
    assert_int_equal(f->params[1].type, PTX_F32);
    assert_true(k->is_entry);
    assert_int_equal(k->most_threads[0], 256);
    assert_int_equal(k->most_threads[1], 1);
    assert_int_equal(k->required_threads[0], 8);
    assert_int_equal(k->required_threads[1], 4);
    assert_int_equal(k->required_threads[2], 1);
    assert_true(k->params[0].is_pointer && k->params[1].is_pointer && !k->params[2].is_pointer);
    assert_int_equal(k->params[0].pointee_space, PTX_SHARED);
    assert_int_equal(k->params[0].pointee_align, 16);
    assert_int_equal(k->params[0].space, PTX_PARAM);
    assert_int_equal(k->params[1].pointee_space, PTX_NO_SPACE);
    assert_int_equal(k->params[2].vector, 4);
    assert_int_equal(function(m, "bare")->param_count, 0);
    assert_string_equal(print_body(b->arena, function(m, "g")), "trap;\n");
}

/* ---- variables ------------------------------------------------------------------------------- */

static void variables_of_every_space(void **state) {
    bench *b = *state;
    const ptx_module *m = parse(
        b, HEAD ".extern .shared .align 16 .b8 dynamic[];\n"
                ".visible .global .attribute(.managed) .align 256 .f64 a, c[4][2];\n"
                ".align 4 .global .u8 many<3>; .func .attribute(.unified(1, 2)) f();\n"
                ".global .texref t; .global .samplerref s = { filter_mode = nearest };\n"
                ".visible .entry k() { .reg .pred %p<4>; .reg .b32 x, %r<10>; .reg .v4 .f32 q;\n"
                ".local .align 8 .b8 depot[40]; .shared .v2 .u16 pair[2]; .param .b64 p; }\n");
    const ptx_variable *d = variable(m, "dynamic"), *c = variable(m, "c");
    assert_true(d->linkage == PTX_EXTERN && d->is_unsized && d->is_array);
    assert_int_equal(d->align, 16);
    assert_int_equal(d->space, PTX_SHARED);
    assert_int_equal(c->count, 8);
    assert_int_equal(c->align, 256);
    assert_null(c->init);
    assert_false(variable(m, "a")->is_array);
    assert_int_equal(variable(m, "a")->count, 1);
    assert_int_equal(variable(m, "t")->type, PTX_B64);
    assert_int_equal(variable(m, "many2")->align, 4);
    assert_int_equal(variable(m, "many2")->range, 0);
    const ptx_function *k = function(m, "k");
    static const char *const names[] = {"%p", "x", "%r", "q", "depot", "pair", "p"};
    static const uint32_t ranges[] = {4, 0, 10, 0, 0, 0, 0};
    static const ptx_space spaces[] = {PTX_REG,   PTX_REG,    PTX_REG,  PTX_REG,
                                       PTX_LOCAL, PTX_SHARED, PTX_PARAM};
    assert_int_equal(k->variable_count, 7);
    for (uint32_t v = 0; v < 7; v++) {
        assert_string_equal(k->variables[v].name, names[v]);
        assert_int_equal(k->variables[v].range, ranges[v]);
        assert_int_equal(k->variables[v].space, spaces[v]);
    }
    assert_int_equal(k->variables[3].vector, 4);
    assert_int_equal(k->variables[4].count, 40);
    assert_int_equal(k->variables[5].vector, 2);
}

/* Bytes that ptxas 13.0 puts into its file for the same declarations. */
static void initialisers_are_bytes(void **state) {
    static const struct {
        const char *declaration, *bytes;
    } cases[] = {
        {".u8 x[4] = {1, -1, 0xff, 300}", "01ffff2c"},
        {".s32 x = -5 / 2", "feffffff"},
        {".s32 x = -1 >> 1", "ffffffff"},
        {".u64 x = 0x8000000000000000 >> 63", "0100000000000000"},
        {".u32 x = 5 % 3", "02000000"},
        {".u32 x = (.s64)-1 > 5U ? 3 : 4", "03000000"},
        {".u32 x = !0", "01000000"},
        {".u32 x[] = {1, 2, 3}", "010000000200000003000000"},
        {".u32 x[3] = {0b101, 017, 0XfF}", "050000000f000000ff000000"},
        {".u32 x[][2] = {{1}, {2, 3}}", "01000000000000000200000003000000"},
        {".u16 x[2][2] = {{1}}", "0100000000000000"},
        {".v2 .f32 x[2][2] = {{{1.0, 2.0}, {3.0, 4.0}}, {{5.0, 6.0}}}",
         "0000803f00000040000040400000804000"
         "00a0400000c0400000000000000000"},
        {".v2.u32 x = {1, 2}", "0100000002000000"},
        {".f32 x[4] = {-1.5, 1.5+2.0, .5, 1e3}", "0000c0bf000060400000003f00007a44"},
        {".f32 x[3] = {1., 0F3F800000, 0d3ff8000000000000}", "0000803f0000803f0000c03f"},
        {".f64 x = 0.1", "9a9999999999b93f"},
        {".f64 x = 0f3f800000", "0000803f00000000"},
        {".b64 x = 0f3f800000", "0000803f00000000"},
        {".b32 x = 0d3ff0000000000000", "0000803f"},
        {".b32 x = WARP_SZ * 2", "40000000"},
        {".u32 x[2] = {}", "0000000000000000"},
        {".u32 x = (1.0 < 2.0) ? 3 : 4", "03000000"},
    };
    bench *b = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ptx_module *m =
            parse(b, hd_format(b->arena, HEAD ".visible .global %s;", cases[i].declaration));
        const ptx_variable *x = variable(m, "x");
        hd_str hex = {.arena = b->arena};
        for (uint64_t at = 0; at < x->count * x->vector * ptx_type_bits(x->type) / 8; at++)
            hd_str_printf(&hex, "%02x", x->init[at]);
        assert_string_equal(hd_str_text(&hex), cases[i].bytes);
        assert_false(x->is_unsized);
    }
}

static void assert_relocation(const ptx_variable *v, uint32_t number, uint64_t offset,
                              uint32_t bytes, const char *name, int64_t addend, bool is_generic) {
    assert_true(number < v->relocation_count);
    const struct ptx_relocation *to = &v->relocations[number];
    assert_int_equal(to->offset, offset);
    assert_int_equal(to->bytes, bytes);
    assert_string_equal(to->name, name);
    assert_int_equal(to->addend, addend);
    assert_int_equal(to->is_generic, is_generic);
}

static void addresses_in_initialisers_are_relocations(void **state) {
    bench *b = *state;
    const ptx_module *m =
        parse(b, HEAD ".global .u32 a; .func f() { ret; }\n"
                      ".global .u64 p[4] = {a, generic(a)+8, 5, f};\n"
                      ".global .u32 half[2] = {1, a};\n"
                      ".global .u8 m[10] = {7, 0xFF(generic(a)+4), 0xFF00(generic(a)+4),"
                      " 0xFF0000(generic(a)+4), 0xFF000000(generic(a)+4),"
                      " 0xFF00000000(generic(a)+4), 0xFF0000000000(generic(a)+4),"
                      " 0xFF000000000000(generic(a)+4), 0xFF00000000000000(generic(a)+4),"
                      " 0xFF00(a)};\n");
    const ptx_variable *p = variable(m, "p"), *masked = variable(m, "m");
    assert_int_equal(p->relocation_count, 3);
    assert_relocation(p, 0, 0, 8, "a", 0, false);
    assert_relocation(p, 1, 8, 8, "a", 8, true);
    assert_relocation(p, 2, 24, 8, "f", 0, false);
    assert_int_equal(p->init[16], 5);
    assert_int_equal(p->init[0], 0);
    assert_relocation(variable(m, "half"), 0, 4, 4, "a", 0, false);
    assert_int_equal(masked->relocation_count, 2);
    assert_relocation(masked, 0, 1, 8, "a", 4, true);
    assert_int_equal(masked->relocations[0].shift, 0);
    assert_relocation(masked, 1, 9, 1, "a", 0, false);
    assert_int_equal(masked->relocations[1].shift, 8);
}

static void a_definition_takes_the_place_of_its_declaration(void **state) {
    bench *b = *state;
    const ptx_module *m = parse(b, HEAD ".extern .global .u32 x, y; .visible .global .u32 x = 4;\n"
                                        ".extern .global .u32 x;\n");
    assert_int_equal(m->variable_count, 2);
    assert_string_equal(m->variables[0].name, "x");
    assert_int_equal(m->variables[0].init[0], 4);
    assert_int_equal(m->variables[1].linkage, PTX_EXTERN);
}

/* ---- instructions ------------------------------------------------------------------------------ */

static void operands_of_every_form(void **state) {
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"mov.u32 %r1, %tid.x;", "mov.u32%r1,%tid.x;"},
        {"ld .global .L2::128B .v2 .f32 {a, b}, [c];", "ld.global.L2::128B.v2.f32{a,b},[c];"},
        {"@!p bra L;", "@!pbra L;"},
        {"@ p bra.uni $L__1;", "@pbra.uni$L__1;"},
        {"setp.lt.and.f32 p|q, a, b, !r;", "setp.lt.and.f32p|q,a,b,!r;"},
        {"shfl.sync.up.b32 a | p, b, 1, 0, 0xffffffff;", "shfl.sync.up.b32a|p,b,1,0,4294967295;"},
        {"x.b32 _|p, _;", "x.b32_|p,_;"},
        {"tex.x {a,_}|p, [t, s, {x, 1}];", "tex.x{a,_}|p,[t,s,{x,1}];"},
        {"ld.b32 a, [b+-4];", "ld.b32a,[b+-4];"},
        {"ld.b32 a, [b-4];", "ld.b32a,[b+-4];"},
        {"ld.b32 a, [ b + 4*2 + 1 ];", "ld.b32a,[b+9];"},
        {"ld.b32 a, [b+0];", "ld.b32a,[b];"},
        {"ld.b32 a, [16];", "ld.b32a,[16];"},
        {"ld.b32 a, [b+4].unified;", "ld.b32a,[b+4];"},
        {"mov.u64 a, table+16;", "mov.u64a,table+16;"},
        {"add.s32 a, b, -(3 << 2);", "add.s32a,b,-12;"},
        {"add.s32 a, b, WARP_SZ-1;", "add.s32a,b,31;"},
        {"add.s32 a, b, 3|4;", "add.s32a,b,7;"},
        {"add.s32 a, b, 0xFFFFFFFFFFFFFFFF;", "add.s32a,b,-1;"},
        {"fma.f32 a, 0f3F800000, -1.5, 0D4000000000000000;",
         "fma.f32a,0f3F800000,0dBFF8000000000000,0d4000000000000000;"},
        {"fma.f32 a, -0f00000000;", "fma.f32a,0f80000000;"},
        {"vset.s32.u32.lt a.h0, b.b1, c, d;", "vset.s32.u32.lta.h0,b.b1,c,d;"},
        {"call f;", "callf;"},
        {"call.uni (r), f, (a, 5, [b]);", "call.uni(r),f,(a,5,[b]);"},
        {"call (), f, ();", "callf;"},
        {"call (r), %rd1, (a), proto;", "call(r),%rd1,(a),proto;"},
        {"call %rd1, proto;", "call%rd1,proto;"},
        {"wgmma.x {a, b}, [c], 1, -1;", "wgmma.x{a,b},[c],1,-1;"},
        {"ret;", "ret;"},
        {"membar.gl ;", "membar.gl;"},
    };
    bench *b = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hd_str printed = {.arena = b->arena};
        for (const char *at = cases[i].printed; *at; at++) /* blanks there are for the reader */
            if (*at != ' ')
                hd_str_addn(&printed, at, 1);
        hd_str_add(&printed, "\n");
        assert_string_equal(body(b, cases[i].text), hd_str_text(&printed));
    }
}

static void an_element_of_an_array_is_an_address(void **state) {
    bench *b = *state;
    assert_string_equal(body(b, ".shared .v2 .f32 s[9]; .local .u16 l[3];\n"
                                "ld.shared.f32 a, s[2]; mov.u64 b, s[1]; st.u16 l[1], a;\n"
                                "ld.u16 a, l[0]; mov.b64 a, l[0];"),
                        "ld.shared.f32a,[s+16];\nmov.u64b,s+8;\nst.u16[l+2],a;\nld.u16a,[l];\n"
                        "mov.b64a,l;\n");
}

static void instructions_know_their_places_and_words(void **state) {
    bench *b = *state;
    const ptx_module *m = parse(b, HEAD ".entry k() {\nL:\n  @p  ld.global.nc.v4.f32 {a,b,c,d},\n"
                                        "    [x];\n}\n");
    const ptx_inst *insts = function(m, "k")->insts;
    assert_int_equal(function(m, "k")->inst_count, 2);
    assert_string_equal(insts[0].label, "L");
    assert_int_equal(insts[0].word_count, 0);
    assert_int_equal(insts[0].place.line, 5);
    assert_null(insts[1].label);
    assert_int_equal(insts[1].place.line, 6);
    assert_int_equal(insts[1].place.column, 7);
    assert_int_equal(insts[1].word_count, 5);
    assert_string_equal(insts[1].words[0], "ld");
    assert_string_equal(insts[1].words[4], "f32");
    assert_int_equal(insts[1].operands[1].place.line, 7);
    assert_int_equal(insts[1].operands[1].place.column, 5);
}

static void a_call_has_three_operands_or_four(void **state) {
    bench *b = *state;
    const ptx_module *m = parse(b, HEAD ".entry k() { call f; call %rd1, (a), p; }\n");
    const ptx_inst *insts = function(m, "k")->insts;
    assert_int_equal(insts[0].operand_count, 3);
    assert_int_equal(insts[0].operands[0].kind, PTX_VECTOR);
    assert_int_equal(insts[0].operands[0].count, 0);
    assert_int_equal(insts[0].operands[1].kind, PTX_NAME);
    assert_int_equal(insts[0].operands[2].kind, PTX_VECTOR);
    assert_int_equal(insts[1].operand_count, 4);
    assert_string_equal(insts[1].operands[3].name, "p");
}

static void targets_are_lists(void **state) {
    bench *b = *state;
    const ptx_module *m =
        parse(b, HEAD ".entry k() { t: .branchtargets A, B; A: B: brx.idx r, t;\n"
                      "c: .calltargets f, g; { p: .callprototype (.param .b32 _) _ (.param .b64 x,"
                      " .param .align 8 .b8 _[12]); q: .callprototype _; call %r, p; } }\n");
    const ptx_function *k = function(m, "k");
    assert_int_equal(k->targets_count, 2);
    assert_string_equal(k->targets[0].label, "t");
    assert_int_equal(k->targets[0].count, 2);
    assert_string_equal(k->targets[0].names[1], "B");
    assert_string_equal(k->targets[1].names[0], "f");
    assert_int_equal(k->inst_count, 4); /* A:, B:, brx, call */
}

/* ---- names -------------------------------------------------------------------------------------- */

static void nested_blocks_have_names_of_their_own(void **state) {
    bench *b = *state;
    assert_string_equal(body(b,
                             ".reg .b32 x, t<9>; mov x, t1;\n"
                             "{ .reg .b32 x; .reg .v2 .f32 v; @x mov x, v.y; mov t1, {x, t2}; }\n"
                             "{ mov x, 1; .reg .b32 x; mov x, 2;\n"
                             "  { .reg .b32 t<3>; mov t0, t2; mov t3, t02; mov x+4, t; } }\n"
                             "mov x, t1;"),
                        "movx,t1;\n@x~1movx~1,v~2.y;\nmovt1,{x~1,t2};\nmovx,1;\nmovx~3,2;\n"
                        "movt~4~0,t~4~2;\nmovt3,t02;\nmovx~3+4,t;\nmovx,t1;\n");
}

static void labels_belong_to_their_block(void **state) {
    bench *b = *state;
    assert_string_equal(body(b, "L: { bra L; bra M; { bra L; L: bra L; bra N; } L: bra L; N: }\n"
                                "{ L: bra L; t: .branchtargets L, M; brx.idx r, t; }\n"
                                "bra L; M: N: bra N;"),
                        "L:\nbraL~2;\nbraM;\nbraL~1;\nL~1:\nbraL~1;\nbraN~3;\nL~2:\nbraL~2;\n"
                        "N~3:\nL~4:\nbraL~4;\nbrx.idxr,t~5;\nbraL;\nM:\nN:\nbraN;\n");
    const ptx_module *m = parse(b, HEAD ".entry k() { { L: t: .branchtargets L, M; } M: }\n");
    const struct ptx_targets *t = function(m, "k")->targets;
    assert_string_equal(t->label, "t~2");
    assert_string_equal(t->names[0], "L~1");
    assert_string_equal(t->names[1], "M");
}

static void what_is_declared_in_blocks_is_the_functions(void **state) {
    bench *b = *state;
    const ptx_module *m =
        parse(b, HEAD ".global .u32 g;\n"
                      ".entry k() { { .param .b64 p; } { .param .b64 p; .reg .b32 r<5>; }\n"
                      "  .global .u32 g; mov.u64 x, g; { .const .f32 c = 1.0; mov.u64 x, c; } }\n"
                      ".entry l() { mov.u64 x, g; { .param .b64 p; } }\n");
    const ptx_function *k = function(m, "k");
    assert_int_equal(k->variable_count, 3);
    assert_string_equal(k->variables[0].name, "p~1");
    assert_string_equal(k->variables[1].name, "p~2");
    assert_string_equal(k->variables[2].name, "r~3~");
    assert_int_equal(k->variables[2].range, 5);
    assert_int_equal(m->variable_count, 3);
    assert_string_equal(m->variables[1].name, "g~4~1");
    assert_string_equal(m->variables[2].name, "c~5~2");
    assert_string_equal(print_body(b->arena, k), "mov.u64x,g~4~1;\nmov.u64x,c~5~2;\n");
    assert_string_equal(print_body(b->arena, function(m, "l")), "mov.u64x,g;\n");
    assert_string_equal(function(m, "l")->variables[0].name, "p~1");
}

/* ---- where the source is ------------------------------------------------------------------------ */

static void lines_come_from_loc(void **state) {
    bench *b = *state;
    const ptx_module *m = parse(
        b, HEAD ".entry k() { nop.a; .loc 1 10 3\nnop.b; L:\n"
                ".loc 2 5 1, function_name $in0, inlined_at 1 10 3\nnop.c;\n"
                ".loc 2 9 2, function_name $in1+4, inlined_at 2 5 1\nnop.d;\n"
                ".loc 1 11 1\nnop.e; .loc 2 7 7, inlined_at 1 99 1\nnop.f; }\n"
                ".entry l() { nop.g; .loc 2 9 9, inlined_at 2 5 1\nnop.h; }\n"
                ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n"
                ".section .debug_str { x: .b8 65, 66\n.b8 0\n$in0: $in1: .b16 0x4443 .b8 0 }\n"
                ".section .debug_info { .b32 .debug_str+4 L: .b64 L-x }\n");
    const ptx_inst *k = function(m, "k")->insts, *l = function(m, "l")->insts;
    assert_null(k[0].source);
    assert_int_equal(k[1].source->file, 1);
    assert_int_equal(k[1].source->line, 10);
    assert_int_equal(k[1].source->column, 3);
    assert_null(k[1].source->inlined_at);
    assert_ptr_equal(k[2].source, k[1].source);
    assert_ptr_equal(k[3].source->inlined_at, k[1].source);
    assert_ptr_equal(k[4].source->inlined_at, k[3].source);
    assert_int_equal(k[5].source->line, 11);
    assert_int_equal(k[6].source->inlined_at->line, 99);
    assert_null(k[6].source->inlined_at->inlined_at);
    assert_null(l[0].source);
    assert_null(l[1].source->inlined_at->inlined_at); /* another function's places are forgotten */
}

static void a_place_that_is_inlined_at_itself_ends(void **state) {
    bench *b = *state;
    hd_str text = {.arena = b->arena};
    hd_str_add(&text, HEAD ".file 1 \"a.cu\"\n.entry k() {\n");
    for (int i = 0; i < 1000; i++)
        hd_str_add(&text, ".loc 1 1 1, inlined_at 1 1 1\nnop;\n");
    hd_str_add(&text, "}\n");
    const ptx_function *k = function(parse(b, hd_str_text(&text)), "k");
    for (uint32_t i = 0; i < k->inst_count; i++) {
        unsigned depth = 0;
        for (const ptx_source *s = k->insts[i].source; s; s = s->inlined_at)
            depth++;
        assert_in_range(depth, 2, 100);
    }
}

/* ---- what is no PTX -------------------------------------------------------------------------------- */

static void errors_name_the_place(void **state) {
    static const struct {
        const char *text;
        hd_status status;
        unsigned line, column;
        const char *part;
    } cases[] = {
        {"", HD_EINPUT, 1, 1, ".version"},
        {"hello", HD_EINPUT, 1, 1, "expected .version before 'hello'"},
        {"// x\n", HD_EINPUT, 2, 1, "the end of the text"},
        {".version 9\n", HD_EINPUT, 1, 10, "version"},
        {".version 10.0\n", HD_EUNSUPPORTED, 1, 10, "10.0"},
        {".version 2.3\n", HD_EUNSUPPORTED, 1, 10, "2.3"},
        {".version 8.0\n", HD_EINPUT, 2, 1, ".target"},
        {".version 8.0 .target sm_20 .address_size 32", HD_EUNSUPPORTED, 1, 42, "-m64"},
        {HEAD ".entry k() {", HD_EINPUT, 4, 13, "text ends within function 'k'"},
        {HEAD ".entry k() { add.s32 a, b", HD_EINPUT, 4, 26, "expected ';'"},
        {HEAD ".entry k() { { ret; }", HD_EINPUT, 4, 22, "'}' is missing"},
        {HEAD "/* a\n", HD_EINPUT, 4, 1, "comment"},
        {HEAD ".file 1 \"a\n\"", HD_EINPUT, 4, 9, "string"},
        {HEAD ".entry k() { .quux 4; }", HD_EUNSUPPORTED, 4, 14, "'.quux'"},
        {HEAD ".quux 4;", HD_EUNSUPPORTED, 4, 1, "'.quux'"},
        {HEAD ".entry k() .quux { }", HD_EUNSUPPORTED, 4, 12, "'.quux'"},
        {HEAD ".global .v3 .f32 x;", HD_EUNSUPPORTED, 4, 9, "'.v3'"},
        {HEAD ".const[2] .f32 x;", HD_EUNSUPPORTED, 4, 7, "banks"},
        {HEAD ".global x;", HD_EINPUT, 4, 9, "type"},
        {HEAD ".global .u32 .f32 x;", HD_EINPUT, 4, 14, "second type"},
        {HEAD ".global .const .f32 x;", HD_EINPUT, 4, 9, "second state space"},
        {HEAD ".reg .u32 x;", HD_EUNSUPPORTED, 4, 1, "'.reg'"},
        {HEAD ".visible .local .u32 x;", HD_EINPUT, 4, 22, "function"},
        {HEAD ".global .align 3 .u32 x;", HD_EINPUT, 4, 16, "power of two"},
        {HEAD ".global .u32 x[];", HD_EINPUT, 4, 14, "size"},
        {HEAD ".global .u32 x[-1];", HD_EINPUT, 4, 15, "memory"},
        {HEAD ".global .u32 x[0x10000000][0x10000000];", HD_EINPUT, 4, 15, "memory"},
        {HEAD ".global .b8 x[0x20000000] = {1};", HD_EUNSUPPORTED, 4, 29, "256 MiB"},
        {HEAD ".global .u32 x<99999>;", HD_EUNSUPPORTED, 4, 15, "registers"},
        {HEAD ".global .u32 x; .global .f32 x;", HD_EINPUT, 4, 30, "'x' is defined twice"},
        {HEAD ".func f() { } .func f() { }", HD_EINPUT, 4, 21, "'f' is defined twice"},
        {HEAD ".visible .func f() { }\n" HEAD ".visible .func f() { }", HD_EINPUT, 8, 16,
         "'f' is defined twice, first in line 4"},
        {HEAD ".visible .global .u32 x;\n" HEAD ".visible .global .u32 x;", HD_EINPUT, 8, 23,
         "'x' is defined twice, first in line 4"},
        {HEAD ".visible .func x() { }\n" HEAD ".visible .global .u32 x;", HD_EINPUT, 8, 23,
         "'x' is defined twice"},
        {HEAD ".visible .const .u32 x;\n" HEAD ".extern .global .u32 x;", HD_EINPUT, 8, 22,
         "'x' is in another state space than in line 4"},
        {HEAD ".entry k() { }\n.version 8.3\n", HD_EINPUT, 6, 1, ".target"},
        {HEAD ".file 1 \"a\"\n" HEAD ".entry k() { .loc 1 2 3\n }", HD_EINPUT, 8, 19, "no .file"},
        {HEAD ".func f(); .entry f() { }", HD_EINPUT, 4, 19, "'f' is a .entry"},
        {HEAD ".alias g, f;", HD_EINPUT, 4, 11, "'f'"},
        {HEAD ".global .u32 x = 1.5;", HD_EINPUT, 4, 18, "integer"},
        {HEAD ".global .f32 x = 1;", HD_EINPUT, 4, 18, "float"},
        {HEAD ".global .f16 x = 1;", HD_EINPUT, 4, 18, "initialiser"},
        {HEAD ".shared .u32 x = 1;", HD_EINPUT, 4, 18, "initialiser"},
        {HEAD ".global .u32 x[2] = {1, 2, 3};", HD_EINPUT, 4, 28, "more values"},
        {HEAD ".global .u32 x[2][2] = {1, 2};", HD_EINPUT, 4, 25, "expected '{'"},
        {HEAD ".global .v4 .u32 x = {1, 2};", HD_EINPUT, 4, 22, "2 values"},
        {HEAD ".global .u8 x = 0xff0(x);", HD_EINPUT, 4, 17, "mask"},
        {HEAD ".global .u16 x = x;", HD_EINPUT, 4, 18, "address"},
        {HEAD ".global .u32 x = 1 / 0;", HD_EINPUT, 4, 20, "zero"},
        {HEAD ".global .u32 x = 1.0 << 2;", HD_EINPUT, 4, 22, "integers"},
        {HEAD ".global .u32 x = 99999999999999999999;", HD_EINPUT, 4, 18, "64 bits"},
        {HEAD ".global .u32 x = 08;", HD_EINPUT, 4, 18, "'08' is no number"},
        {HEAD ".global .f32 x = 0f3f8;", HD_EINPUT, 4, 18, "'0f3f8' is no number"},
        {HEAD ".entry k() { .reg .u32 x; .reg .f32 x; }", HD_EINPUT, 4, 37, "declared twice"},
        {HEAD ".entry k() { .reg .u32 r<4>, r<5>; }", HD_EINPUT, 4, 30, "declared twice"},
        {HEAD ".entry k(.param .u32 p) { .reg .u32 p; }", HD_EINPUT, 4, 37, "declared twice"},
        {HEAD ".entry k() { L: L: }", HD_EINPUT, 4, 17, "declared twice"},
        {HEAD ".entry k(.global .u32 p) { }", HD_EINPUT, 4, 23, ".param"},
        {HEAD ".entry k() { 5; }", HD_EINPUT, 4, 14, "instruction"},
        {HEAD ".entry k() { %r1 = 5; }", HD_EINPUT, 4, 14, "no instruction"},
        {HEAD ".entry k() { @p { } }", HD_EINPUT, 4, 17, "instruction"},
        {HEAD ".entry k() { ld a, [b; }", HD_EINPUT, 4, 22, "expected ']'"},
        {HEAD ".entry k() { ld a, b[1]; }", HD_EINPUT, 4, 20, "'b' is no variable"},
        {HEAD ".entry k() { mov a, -b; }", HD_EINPUT, 4, 22, "number"},
        {HEAD ".entry k() { mov a, ; }", HD_EINPUT, 4, 21, "operand"},
        {HEAD ".entry k() { mov a, `; }", HD_EINPUT, 4, 21, "'`'"},
        {HEAD ".entry k() { mov a, \x80; }", HD_EINPUT, 4, 21, "0x80"},
        {HEAD ".entry k() {\n.loc 1 2 3\nret; }", HD_EINPUT, 5, 6, "no .file '1'"},
        {HEAD ".entry k() {\n.loc 9999999999 2 3\nret; }", HD_EINPUT, 5, 6, "too large"},
        {HEAD ".section .debug_str { x: .b8 1", HD_EINPUT, 4, 31, "'.debug_str'"},
        {HEAD ".section .debug_x { x: .b8 1", HD_EINPUT, 4, 29, "'.debug_x'"},
        {HEAD "ret;", HD_EINPUT, 4, 1, "directive"},
        {HEAD "}", HD_EINPUT, 4, 1, "directive"},
    };
    bench *b = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ptx_module *module;
        const hd_status status = parse_bytes(b, cases[i].text, strlen(cases[i].text), &module);
        if (status != cases[i].status)
            print_error("of %s\n", cases[i].text);
        assert_int_equal(status, cases[i].status);
        const seen_message *m = &b->messages.data[0];
        if (m->line != cases[i].line || m->column != cases[i].column ||
            !strstr(m->text, cases[i].part))
            print_error("of %s: %u:%u: %s\n", cases[i].text, m->line, m->column, m->text);
        assert_string_equal(m->file, "t.ptx");
        assert_int_equal(m->line, cases[i].line);
        assert_int_equal(m->column, cases[i].column);
        assert_non_null(strstr(m->text, cases[i].part));
    }
}

static void a_zero_byte_is_an_error(void **state) {
    bench *b = *state;
    const char text[] = HEAD "/* \0 */";
    ptx_module *module;
    assert_int_equal(parse_bytes(b, text, sizeof text - 1, &module), HD_EINPUT);
    assert_int_equal(b->messages.data[0].line, 4);
    assert_int_equal(b->messages.data[0].column, 4);
    assert_int_equal(parse_bytes(b, HEAD, sizeof HEAD, &module), HD_EINPUT);
}

/* Brackets in each other may use up neither the stack nor quadratic time. */
static void deep_nesting_is_an_error(void **state) {
    static const char *const openings[] = {
        ".global .u32 x = (",  ".global .u32 x = -", ".global .u32 x = 1?",   ".entry k() { mov {",
        ".entry k() { ld [a,", ".entry k() { {",     ".global .u32 x[2] = {",
    };
    bench *b = *state;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        hd_str text = {.arena = b->arena};
        const char *opening = openings[i], *last = strrchr(opening, ' ') + 1;
        hd_str_printf(&text, HEAD "%s", opening);
        for (int d = 0; d < 100000; d++)
            hd_str_add(&text, last);
        ptx_module *module;
        assert_int_equal(parse_bytes(b, hd_str_text(&text), text.length, &module), HD_EINPUT);
    }
}

/* ---- texts of several parts -------------------------------------------------------------------- */

static void parts_are_linked(void **state) {
    bench *b = *state;
    const ptx_module *m = parse(
        b, HEAD ".file 1 \"a.cu\"\n"
                ".extern .func f(); .extern .global .u32 there; .extern .shared .u32 room[];\n"
                ".visible .global .u32 here = 1; .global .u32 own = 1; .weak .global .u32 w = 1;\n"
                ".common .global .u32 c[2]; .func g() { ret; } .weak .func t() { ret; }\n"
                ".entry k() { .loc 1 7 8\n call f; call g; ret; }\n" HEAD ".file 1 \"b.cu\"\n"
                ".visible .func f() { .loc 1 3 4\n ret; } .visible .global .u32 there = 2;\n"
                ".extern .shared .u32 room[]; .extern .global .u32 here; .global .u32 own = 2;\n"
                ".weak .global .u32 w = 2; .common .global .u32 c[5]; .func g() { ret; }\n"
                ".weak .func t() { ret; } .entry l() { call g; ret; }\n" HEAD
                ".global .u32 here = 3; .visible .func t() { exit; }\n");
    assert_int_equal(m->variable_count, 8);
    assert_int_equal(m->function_count, 6);
    assert_int_equal(function(m, "f")->part, 1);
    assert_string_equal(function(m, "f")->target, "sm_90");
    assert_true(function(m, "f")->has_body);
    assert_int_equal(function(m, "t")->part, 2); /* the one that is not weak */
    assert_int_equal(variable(m, "there")->init[0], 2);
    assert_int_equal(variable(m, "w")->init[0], 1);
    assert_int_equal(variable(m, "c")->count, 5);
    assert_int_equal(variable(m, "here")->init[0], 1);
    uint32_t seen = 0;
    for (uint32_t v = 0; v < m->variable_count; v++) {
        const ptx_variable *own = &m->variables[v];
        if (!strcmp(own->symbol, "own"))
            seen |= own->part == 0 && own->init[0] == 1;
        else if (!strcmp(own->symbol, "own~2"))
            seen |= 2 * (own->part == 1 && own->init[0] == 2);
        else if (!strcmp(own->symbol, "here~3"))
            seen |= 4 * (own->part == 2 && own->init[0] == 3);
    }
    assert_int_equal(seen, 7);
    assert_string_equal(m->files[function(m, "k")->insts[0].source->file], "a.cu");
    assert_string_equal(m->files[function(m, "f")->insts[0].source->file], "b.cu");
}

/* ---- kept texts ---------------------------------------------------------------------------------- */

typedef void of_text(bench *b, const char *name, const char *text);

/* The texts of a folder; 0: there is no such folder. */
static uint32_t each_text(bench *b, const char *folder, of_text *visit) {
    DIR *names = opendir(folder);
    uint32_t count = 0;
    for (const struct dirent *entry; names && (entry = readdir(names)) != NULL;)
        if (hd_ends_in(entry->d_name, ".ptx")) {
            const char *path = hd_format(b->arena, "%s/%s", folder, entry->d_name);
            char *text;
            size_t length;
            assert_int_equal(hd_read_file(b->arena, &b->diag, path, &text, &length), HD_OK);
            visit(b, path, text);
            count++;
        }
    if (names)
        closedir(names);
    return count;
}

/* Those that are kept, and, but sanitized, those that the build made, where there is nvcc. */
static void each_kept_text(bench *b, of_text *visit) {
    const char *made = hd_format(b->arena, "%s/tests/ptx", getenv("HEDDLE_BUILD"));
    assert_true(each_text(b, source_path(b->arena, "tests/frontend/ptx"), visit) > 0);
    if (!SANITIZED) {
        each_text(b, made, visit);
        each_text(b, hd_format(b->arena, "%s/unoptimised", made), visit);
    }
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

/* A word or number of the text; numbers as they are printed. */
static void copy_word(hd_str *out, const char *at, size_t length) {
    char *end;
    const char *word = hd_strndup(out->arena, at, length);
    if (!strcmp(word, "WARP_SZ"))
        hd_str_add(out, "32");
    else if (*word < '0' || *word > '9' || strchr("fFdD", word[1] ? word[1] : ' '))
        hd_str_add(out, word);
    else {
        uint64_t value = strtoull(word, &end, 0);
        if (*end == '.') /* .version */
            hd_str_add(out, word);
        else if (out->length && out->data[out->length - 1] == '-') /* its minus stands there */
            hd_str_printf(out, "%" PRIu64, value);
        else
            hd_str_printf(out, "%" PRId64, (int64_t)value);
    }
}

/* The text without comments, blanks, .loc and .file. Names and numbers stay apart by what stands
 * between them, as opcodes and operands do not: neither do they in what is printed. */
static const char *squeeze(hd_arena *arena, const char *text) {
    hd_str out = {.arena = arena};
    while (*text) {
        const size_t word = strspn(text, "\t ");
        text += word;
        if (!strncmp(text, "//", 2) || !strncmp(text, ".loc\t", 5) || !strncmp(text, ".file\t", 6))
            text += strcspn(text, "\n");
        size_t length = 0;
        while (is_name(text[length]))
            length++;
        if (length)
            copy_word(&out, text, length);
        else if (*text && *text != '\n')
            hd_str_addn(&out, text, 1);
        text += length ? length : *text != '\0';
    }
    return hd_str_text(&out);
}

static const char *without(hd_arena *arena, const char *text, const char *part, const char *by) {
    hd_str out = {.arena = arena};
    for (const char *found; (found = strstr(text, part)) != NULL; text = found + strlen(part)) {
        hd_str_addn(&out, text, (size_t)(found - text));
        hd_str_add(&out, by);
    }
    hd_str_add(&out, text);
    return hd_str_text(&out);
}

/* "name~12" is "name" in the text, "r~3~4" "r4". */
static const char *with_old_names(hd_arena *arena, const char *text) {
    hd_str out = {.arena = arena};
    for (; *text; text++)
        if (*text == '~') {
            text += 1 + strspn(text + 1, "0123456789");
            text -= *text != '~';
        } else
            hd_str_addn(&out, text, 1);
    return hd_str_text(&out);
}

/* Between two instructions stand blocks and directives, which may have labels, and no other
 * instruction. */
static void assert_no_instruction(const char *name, const char *from, const char *to) {
    while (from < to) {
        const size_t label = strcspn(from, ":;");
        if (*from == '{' || *from == '}')
            from++;
        else if (*from == '.')
            from += strcspn(from, ";") + 1;
        else if (!strncmp(from + label, ":.", 2))
            from += label + 1;
        else
            fail_msg("%s: %.*s was not read", name, (int)(to - from), from);
    }
}

static void assert_body_is_in(bench *b, const char *name, const char *text, const ptx_function *f) {
    const char *start = strstr(text, hd_format(b->arena, ".entry%s(", f->name));
    if (!start)
        start = strstr(text, hd_format(b->arena, "%s(", f->name));
    for (; start && strcspn(start, ";") < strcspn(start, "{");) /* a declaration before it */
        start = strstr(start + 1, hd_format(b->arena, "%s(", f->name));
    assert_non_null(start);
    const char *at = start + strcspn(start, "{");
    for (uint32_t i = 0; i < f->inst_count; i++) {
        hd_str printed = {.arena = b->arena};
        print_inst(&printed, &f->insts[i]);
        const char *wanted = with_old_names(b->arena, hd_str_text(&printed));
        const char *found = strstr(at, wanted);
        if (!found)
            fail_msg("%s: %s is not in the text", name, wanted);
        assert_no_instruction(name, at, found);
        at = found + strlen(wanted);
    }
}

/* What is printed of each body is what stands in the text, all of it; in those that nvcc wrote, the
 * others have forms that are printed in another way. */
static void read_as_it_stands(bench *b, const char *name, const char *text) {
    const ptx_module *m = parse(b, text);
    if (strstr(name, "/styles.ptx") || strstr(name, "/statements.ptx"))
        return;
    const char *plain = squeeze(b->arena, text);
    plain = without(b->arena, without(b->arena, plain, ",()", ""), "(),", "");
    plain = without(b->arena, plain, "+0]", "]");
    for (uint32_t f = 0; f < m->function_count; f++)
        if (m->functions[f].has_body)
            assert_body_is_in(b, name, plain, &m->functions[f]);
}

static void kept_texts_are_read_as_they_stand(void **state) {
    each_kept_text(*state, read_as_it_stands);
}

static void every_style_is_read(void **state) {
    bench *b = *state;
    const ptx_module *m = parse(b, source_text(b->arena, "tests/frontend/ptx/styles.ptx"));
    /* It samples a texture, so that what that calls comes behind its own functions. */
    assert_int_equal(m->functions[4].part, 0);
    assert_true(m->function_count > 5);
    for (uint32_t f = 5; f < m->function_count; f++) {
        assert_int_equal(m->functions[f].part, 1);
        assert_memory_equal(m->functions[f].name, "__heddle_", 9);
    }
    assert_string_equal(
        print_body(b->arena, function(m, "hidden")),
        "$L__func_begin0:\nld.param.u64%rd1,[hidden_param_0];\nld.param.u32%r1,[hidden_param_1];\n"
        "ld.param.f32%f1,[hidden_param_2+20];\nmov.u32%r2,%tid.x;\nmov.u32%r3,%ntid.x;\n"
        "and.b32%r4,%r2,31;\nsetp.lt.s32%p1|%p2,%r2,%r1;\nsetp.eq.and.u32%p3,%r4,0,!%p1;\n"
        "@!%p3bra$L__BB0_2;\n@%p1mov.b32{%rs1,%rs2},%r4;\nmov.b32{%rs3,_},%r4;\n"
        "mad.lo.s64%rd2,%rd1,4,16;\nst.param.b64[param0~3],%rd2;\nst.param.b64[param1~4],0;\n"
        "call.uni(retval0~5),vprintf,(param0~3,param1~4);\nld.param.b32%r5,[retval0~5];\n"
        "st.param.b64[param0~6],%rd2;\nmov.f32%f~7~1,0f00000000;\ncall(y~8),square,(%f~7~1);\n"
        "add.f32%f5,y~8,0dBFF8000000000000;\ncall(x),square,(%f1);\n$L__BB0_2:\nLAB_WAIT~10:\n"
        "mbarrier.try_wait.parity.shared::cta.b64P1~9,[%r5+-8],%r6;\n@P1~9bra.uniDONE~11;\n"
        "bra.uniLAB_WAIT~10;\nDONE~11:\nLAB_WAIT~13:\nsetp.ne.u32P1~12,%r5,7;\n"
        "@P1~12bra.uniDONE~14;\nbra.uniLAB_WAIT~13;\nDONE~14:\n"
        "@%p4ld.global.v4.f32{%f1,%f2,%f3,%f4},[%rd1+16];\n"
        "ld.global.L2::cache_hint.b32%r7,[%rd1],%rd3;\nst.shared.u32[partial+4],%r7;\n"
        "ld.global.u32%r7,[pointers+8];\nmov.u64%rd4,pointers+16;\nmov.f32x,quad.y;\n"
        "vadd.s32.u32.s32%r8,%r7.b0,%r7.h1;\natom.global.add.u32_,[%rd1+4],1;\n"
        "fma.rn.f32%f6,%f1,0f40490FDB,0d400921FB54442D18;\n"
        "tex.2d.v4.f32.f32{%f1,%f2,%f3,%f4},[picture,{x,y}];\n"
        "shfl.sync.bfly.b32%r9|%p5,%r8,16,31,-1;\nlop3.b32%r10,%r8,%r9,7,150;\n"
        "brx.idx%r10,targets;\nafter:\ncall(p0~15),%rd4,(p1~16,p2~17),prototype;\n"
        "mov.u64%rd5,__local_depot0;\ncvta.local.u64%rd6,%rd5;\nbar.sync0;\nret;\n"
        "$L__func_end0:\n");
    assert_string_equal(m->files[2], "a folder/with blanks.h");
}

/* Whatever it says: what is read is lowered, too, and what fails has one message, which
 * parse_bytes() checks of the parser. */
static void read_damaged(const char *text, size_t length) {
    bench b = {.arena = hd_arena_new()};
    b.diag = (hd_diag){collect, &b};
    ptx_module *ptx;
    kir_module *kir = NULL;
    if (parse_bytes(&b, text, length, &ptx) == HD_OK) {
        const hd_status status = ptx_lower(b.arena, &b.diag, ptx, &kir);
        assert_int_equal(status != HD_OK, b.messages.count == 1);
    }
    hd_arena_free(b.arena);
}

/* Some bytes are other ones. */
static void flip(const char *text, size_t length, uint64_t *seed) {
    char *flipped = malloc(length);
    memcpy(flipped, text, length);
    for (int flips = 0; flips < 3; flips++) {
        const uint64_t random = hd_next_random(seed);
        flipped[random % length] = (char)(random >> 40);
    }
    read_damaged(flipped, length);
    free(flipped);
}

/* The word or number that `at` is in, or that comes next. */
static size_t word_at(const char *text, size_t *at) {
    while (*at && is_name(text[*at]))
        --*at;
    while (text[*at] && !is_name(text[*at]))
        ++*at;
    size_t length = 0;
    while (is_name(text[*at + length]))
        length++;
    return length;
}

/* A word in the place of another one. */
static void swap_words(const char *text, size_t length, uint64_t *seed) {
    size_t to = hd_next_random(seed) % length, from = hd_next_random(seed) % length;
    const size_t old = word_at(text, &to), new = word_at(text, &from);
    char *swapped = malloc(length + new + 1);
    memcpy(swapped, text, to);
    memcpy(swapped + to, text + from, new);
    memcpy(swapped + to + new, text + to + old, length - to - old);
    read_damaged(swapped, length - old + new);
    free(swapped);
}

/* The text with every form is cut at each byte (sanitized at every third), others at some. */
static void damage(bench *b, const char *name, const char *text) {
    const size_t length = strlen(text);
    const size_t step = strstr(name, "/styles.ptx") ? (SANITIZED ? 3 : 1) : length / 40 + 1;
    uint64_t seed = length;
    (void)b;
    for (size_t end = 0; end <= length; end += step) {
        read_damaged(text, end);
        flip(text, length, &seed);
        swap_words(text, length, &seed);
    }
}

static void damaged_texts_are_errors_at_most(void **state) { each_kept_text(*state, damage); }

static void types_have_names(void **state) {
    (void)state;
    for (int t = PTX_PRED; t <= PTX_E5M2X2; t++) {
        ptx_type found;
        assert_true(ptx_type_parse(ptx_type_name((ptx_type)t), &found));
        assert_int_equal(found, t);
        assert_true(ptx_type_bits(found) > 0);
    }
    assert_false(ptx_type_parse("v4", &(ptx_type){0}));
    assert_int_equal(ptx_type_bits(PTX_BF16X2), 32);
    assert_int_equal(ptx_type_bits(PTX_B128), 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_module_has_its_version_target_and_files),
        TEST(comments_and_line_markers_are_blanks),
        TEST(functions_have_parameters_and_properties),
        TEST(variables_of_every_space),
        TEST(initialisers_are_bytes),
        TEST(addresses_in_initialisers_are_relocations),
        TEST(a_definition_takes_the_place_of_its_declaration),
        TEST(operands_of_every_form),
        TEST(an_element_of_an_array_is_an_address),
        TEST(instructions_know_their_places_and_words),
        TEST(a_call_has_three_operands_or_four),
        TEST(targets_are_lists),
        TEST(nested_blocks_have_names_of_their_own),
        TEST(labels_belong_to_their_block),
        TEST(what_is_declared_in_blocks_is_the_functions),
        TEST(lines_come_from_loc),
        TEST(a_place_that_is_inlined_at_itself_ends),
        TEST(errors_name_the_place),
        TEST(a_zero_byte_is_an_error),
        TEST(deep_nesting_is_an_error),
        TEST(parts_are_linked),
        TEST(kept_texts_are_read_as_they_stand),
        TEST(every_style_is_read),
        TEST(damaged_texts_are_errors_at_most),
        TEST(types_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
