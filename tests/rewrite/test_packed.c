/*
 * Random packed records, in OpenCL C and CUDA C and in several layouts: what can be rewritten
 * leaves the same values on the machine; what cannot is refused by name. The host's header is
 * compiled by all compilers that are there, as C and C++, and its struct and its converters are
 * compared with the struct of the kernel's own text.
 */
#include "advise/verify.h"
#include "kit.h"
#include "layout/random_record.h"
#include "sanitized.h"
#include "ready.h"

enum { RECORDS = SANITIZED ? 3 : 7, FIELDS = 7, COUNT = 67 };

typedef struct sample {
    kit *k;
    dice dice;
    const char *path;        /* of the job */
    const char *declaration; /* of R, for kernels and hosts alike */
    const char *names[FIELDS], *places[FIELDS];
    uint32_t field_count;
} sample;

/* ---- programs ----------------------------------------------------------------------- */

static const char *const types[] = {"char", "short", "int", "float", "double", "inner"};

/* How the struct is packed: what stands before it, behind `struct`, and behind it. */
static const char *const ways[][3] = {
    {"", "__attribute__((packed)) ", ""},
    {"", "__attribute__((packed, aligned(8))) ", ""},
    {"", "__attribute__((packed, aligned(2))) ", ""},
    {"#pragma pack(push, 1)\n", "", "#pragma pack(pop)\n"},
    {"#pragma pack(push, 2)\n", "", "#pragma pack(pop)\n"},
    {"#pragma pack(push, 4)\n", "", "#pragma pack(pop)\n"},
    {"", "", ""}, /* and some fields are */
};
enum { WAYS = sizeof ways / sizeof *ways };

static void add_field(sample *s, hd_str *out, uint32_t f, bool is_packed) {
    hd_arena *arena = s->k->arena;
    uint32_t type = roll(&s->dice, 6), length = roll(&s->dice, 3) ? 0 : 1 + roll(&s->dice, 4);
    const char *index = length ? hd_format(arena, "[%u]", length - 1) : "";
    s->names[f] = hd_format(arena, "f%u", f);
    s->places[f] = hd_format(arena, "%s%s%s", s->names[f], index, type == 5 ? ".b" : "");
    hd_str_printf(out, "    %s %s", types[type], s->names[f]);
    if (length)
        hd_str_printf(out, "[%u]", length);
    hd_str_printf(out, "%s;\n",
                  is_packed            ? " __attribute__((packed))"
                  : roll(&s->dice, 12) ? ""
                                       : " __attribute__((aligned(4)))");
}

static void declare(sample *s) {
    hd_str out = {.arena = s->k->arena};
    const char *const *way = ways[roll(&s->dice, WAYS)];
    bool by_field = way == ways[WAYS - 1];
    s->field_count = 2 + roll(&s->dice, FIELDS - 1);
    hd_str_printf(&out, "typedef struct %s{ char a; float b; } inner;\n",
                  roll(&s->dice, 2) ? "__attribute__((packed)) " : "");
    hd_str_printf(&out, "%stypedef struct %s{\n", way[0], way[1]);
    for (uint32_t f = 0; f < s->field_count; f++)
        add_field(s, &out, f, by_field && roll(&s->dice, 2));
    hd_str_printf(&out, "} R;\n%s", way[2]);
    s->declaration = hd_str_text(&out);
}

/* A kernel that reads every field of one element, and changes every field of another. */
static void write_program(sample *s, bool is_cuda) {
    hd_str out = {.arena = s->k->arena}, job = {.arena = s->k->arena};
    const char *name = is_cuda ? "k.cu" : "k.cl";
    hd_str_printf(&out, "%s%s\n", s->declaration,
                  is_cuda ? "extern \"C\" __global__ void k(R *p, R *q, float *o) {\n"
                            "    int i = threadIdx.x;\n    R whole = q[i];\n    o[i] = 0"
                          : "__kernel void k(__global R *p, __global R *q, __global float *o) {\n"
                            "    int i = get_global_id(0);\n    R whole = q[i];\n    o[i] = 0");
    for (uint32_t f = 0; f < s->field_count; f++)
        hd_str_printf(&out, " + (float)p[i].%s + (float)whole.%s", s->places[f], s->places[f]);
    hd_str_add(&out, ";\n    p[i] = whole;\n");
    for (uint32_t f = 0; f < s->field_count; f++)
        hd_str_printf(&out, "    p[i].%s += 1;\n", s->places[f]);
    hd_str_add(&out, "}\n");
    kit_write(s->k, name, hd_str_text(&out));
    hd_str_printf(&job,
                  "kernel: %s\noptions: -w %s\nbuffers:\n  - {name: p, type: R, count: %d}\n"
                  "  - {name: q, type: R, count: %d}\n"
                  "  - {name: o, type: float, count: %d}\nlaunches:\n"
                  "  - {kernel: k, %s: [%d], args: [{name: p, buffer: p}, {name: q, buffer: q}, "
                  "{name: o, buffer: o}]}\n",
                  name, is_cuda ? "--cuda-path=" : "", COUNT, COUNT, COUNT,
                  is_cuda ? "blocks: [1], threads" : "global", COUNT);
    s->path = kit_write(s->k, "job.yaml", hd_str_text(&job));
}

/* ---- the header ----------------------------------------------------------------------- */

/* A program that fails where the header's struct, or what its converters move, is not as the
 * kernel's text says. Bytes between the fields are nobody's. */
static void write_host(sample *s, const char *header) {
    hd_str out = {.arena = s->k->arena};
    kit_write(s->k, "k.h", header);
    hd_str_printf(&out,
                  "#include \"k.h\"\n#include <stdlib.h>\n%s\nint main(void) {\n"
                  "    static R from[%d], to[%d];\n    void *at[R_allocations];\n"
                  "    unsigned i, wrong = sizeof(R) != sizeof(R_elem);\n",
                  s->declaration, COUNT, COUNT);
    for (uint32_t f = 0; f < s->field_count; f++)
        hd_str_printf(&out, "    wrong += offsetof(R, %s) != offsetof(R_elem, %s);\n", s->names[f],
                      s->names[f]);
    hd_str_printf(&out,
                  "    for (i = 0; i < sizeof from; i++)\n"
                  "        ((unsigned char *)from)[i] = (unsigned char)(i * 37 + i / 256);\n"
                  "    for (i = 0; i < R_allocations; i++)\n"
                  "        at[i] = malloc(R_bytes(i, %d));\n"
                  "    R_to_layout(from, at, %d);\n    R_from_layout(at, to, %d);\n"
                  "    for (i = 0; i < %d; i++) {\n",
                  COUNT, COUNT, COUNT, COUNT);
    for (uint32_t f = 0; f < s->field_count; f++)
        hd_str_printf(&out,
                      "        wrong += memcmp((char *)&to[i] + offsetof(R, %s),\n"
                      "            (char *)&from[i] + offsetof(R, %s), sizeof from->%s) != 0;\n"
                      "        wrong += memcmp(R_%s(R_make(at, %d), i),\n"
                      "            (char *)&from[i] + offsetof(R, %s), sizeof from->%s) != 0;\n",
                      s->names[f], s->names[f], s->names[f], s->names[f], COUNT, s->names[f],
                      s->names[f]);
    hd_str_add(&out, "    }\n    for (i = 0; i < R_allocations; i++)\n        free(at[i]);\n"
                     "    return wrong != 0;\n}\n");
    kit_write(s->k, "host.c", hd_str_text(&out));
}

static bool is_there(kit *k, const char *program) {
    return system(hd_format(k->arena, "command -v %s >/dev/null", program)) == 0;
}

static void run_host(sample *s, const char *layout) {
    static const char *const compilers[] = {"cc -std=c99", "c++ -x c++", "clang -std=c99",
                                            "clang -std=c99 -O2", "clang -x c++"};
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        const char *program = hd_strndup(s->k->arena, compilers[c], strcspn(compilers[c], " "));
        if (is_there(s->k, program) &&
            system(hd_format(s->k->arena,
                             "cd %s && %s -Wall -Wextra -Werror -Wno-attributes host.c -o host && "
                             "./host",
                             s->k->folder, compilers[c])))
            fail_msg("%s: the header of this in %s is wrong:\n%s", compilers[c], layout,
                     s->declaration);
    }
}

/* ---- both versions ---------------------------------------------------------------------- */

static hd_job *load(sample *s) {
    kit *k = s->k;
    hd_job *job = NULL;
    kir_module *module = NULL;
    if (hd_job_read(k->arena, &k->diag, s->path, &job) ||
        hd_frontend(k->arena, &k->diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(k->arena, &k->diag, job, module))
        fail_msg("%s%s", kit_said(k), s->declaration);
    return job;
}

/* Counts what was rewritten. Runs of one field are aligned whatever the struct is. */
static void try_layout(sample *s, const hd_job *job, const char *text, uint32_t *done) {
    kit *k = s->k;
    const hd_record_layout layout = {job->record, kit_layout(k, job->record, text)};
    const hd_vm_options options = {.workers = 1};
    hd_rewritten *rewritten = NULL;
    hd_verified verified;
    k->messages.length = 0;
    hd_status status = hd_rewrite_job(k->arena, &k->diag, job, &layout, 1, &rewritten);
    if (status != HD_OK) {
        if (!strcmp(text, "soa") || !strcmp(text, "aosoa:32") ||
            !strstr(kit_said(k), "is packed and would not lie at multiples of"))
            fail_msg("%s: %s%s", text, kit_said(k), s->declaration);
        return;
    }
    if (hd_verify(k->arena, &k->diag, job, &layout, 1, rewritten, &options, &verified))
        fail_msg("%s: %s%s", text, kit_said(k), s->declaration);
    write_host(s, rewritten->host_header);
    run_host(s, text);
    ++*done;
}

static void packed_records_are_right_or_refused(void **state) {
    static const char *const layouts[] = {"aos", "soa", "da", "aosoa:2", "aosoa:32"};
    uint32_t done[5] = {0};
    sample s = {.k = *state, .dice = {20}};
    for (int i = 0; i < RECORDS; i++) {
        declare(&s);
        write_program(&s, i % 2);
        const hd_job *job = load(&s);
        for (int l = 0; l < 5; l++)
            if (l == 1 || l == 4 || i % 3 == 0)
                try_layout(&s, job, layouts[l], &done[l]);
    }
    assert_int_equal(done[1], RECORDS);
    assert_int_equal(done[4], RECORDS);
    assert_in_range(done[0], SANITIZED ? 0 : 1, RECORDS - 1);
}

/* Names that a host's compiler keeps for itself, or that the padding would get. */
static void names_of_members_do_not_collide(void **state) {
    kit *k = *state;
    const char *path = kit_write(k, "k.cl",
                                 "typedef struct { char class, padding0; int class_, bitand;\n"
                                 "char padding_1; float thread_local; } R;\n"
                                 "kernel void k(global R *p) {}\n");
    const hd_record *record = kit_record(k, path, "", "R");
    kit_write(
        k, "h.c",
        hd_format(k->arena, "%s#ifdef __cplusplus\n#include <vector>\n#endif\n",
                  hd_rewrite_host_header(k->arena, record, kit_layout(k, record, "soa"), "R")));
    assert_int_equal(system(hd_format(k->arena,
                                      "cd %s && cc -Wall -Wextra -Werror -fsyntax-only h.c && "
                                      "c++ -x c++ -Wall -Wextra -Werror -fsyntax-only h.c",
                                      k->folder)),
                     0);
}

int main(void) {
    stand_ready();
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
    const struct CMUnitTest tests[] = {
        TEST(packed_records_are_right_or_refused),
        TEST(names_of_members_do_not_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
