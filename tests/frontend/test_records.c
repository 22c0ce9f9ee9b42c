/* Structs as records, parameters as they are written. */
#include "folder.h"
#include "source.h"

static const hd_record *record(const bench *b, const char *name) {
    const hd_record *r = kir_find_record(b->module, name);
    if (!r)
        fail_msg("no record %s", name);
    return r;
}

static void assert_field(const hd_record *r, uint32_t i, const char *name, const char *type,
                         uint32_t offset, uint32_t size, uint32_t align, uint32_t count) {
    assert_true(i < r->field_count);
    assert_string_equal(r->fields[i].name, name);
    assert_string_equal(r->fields[i].type, type);
    assert_int_equal(r->fields[i].offset, offset);
    assert_int_equal(r->fields[i].size, size);
    assert_int_equal(r->fields[i].align, align);
    assert_int_equal(r->fields[i].count, count);
}

static void fields_have_offsets_sizes_and_types(void **state) {
    bench *b = *state;
    compile(b, "typedef struct { float x, y; } vec2;\n"
               "struct body { float4 pos; float m[2][3]; vec2 v[2]; char c; float3 n;"
               " double d; };\n"
               "__kernel void k(__global struct body *p) { p[0].c = 1; }\n");
    assert_int_equal(b->module->record_count, 2);
    const hd_record *v = record(b, "vec2"), *r = record(b, "body");
    assert_string_equal(v->spelling, "vec2");
    assert_string_equal(r->spelling, "struct body");
    assert_int_equal(v->size, 8);
    assert_int_equal(r->size, 96);
    assert_int_equal(r->align, 16);
    assert_int_equal(r->place.line, 2);
    assert_string_equal(r->place.file, b->path);
    assert_int_equal(r->field_count, 6);
    assert_field(r, 0, "pos", "float4", 0, 16, 16, 1);
    assert_field(r, 1, "m", "float", 16, 24, 4, 6);
    assert_field(r, 2, "v", "vec2", 40, 16, 4, 2);
    assert_ptr_equal(r->fields[2].record, v);
    assert_field(r, 3, "c", "char", 56, 1, 1, 1);
    assert_field(r, 4, "n", "float3", 64, 16, 16, 1);
    assert_field(r, 5, "d", "double", 80, 8, 8, 1);
    assert_null(r->fields[0].record);
}

static void unions_and_bit_fields_are_opaque(void **state) {
    bench *b = *state;
    compile(b, "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n"
               "union both { int i; float f[3]; };\n"
               "struct cell { char a; union both u; uint b : 3, c : 7; int d;\n"
               "    union { float f; double g; }; };\n"
               "__kernel void k(__global struct cell *p) { p[0].d = 1; }\n");
    assert_int_equal(b->module->record_count, 1);
    const hd_record *r = record(b, "cell");
    assert_int_equal(r->field_count, 5);
    assert_field(r, 1, "u", "union both", 4, 12, 4, 1);
    assert_field(r, 2, "b", "uint", 16, 4, 4, 1);
    assert_field(r, 3, "d", "int", 20, 4, 4, 1);
    assert_field(r, 4, "f", "union", 24, 8, 8, 1);
}

static void unnamed_members_belong_to_the_outer_struct(void **state) {
    bench *b = *state;
    compile(b, "struct cell { int a; struct { short x; int y; }; struct { char r, g; } rgb; };\n"
               "__kernel void k(__global struct cell *p) { p[0].y = 1; }\n");
    assert_int_equal(b->module->record_count, 2);
    const hd_record *r = record(b, "cell");
    assert_int_equal(r->field_count, 4);
    assert_field(r, 1, "x", "short", 4, 2, 2, 1);
    assert_field(r, 2, "y", "int", 8, 4, 4, 1);
    assert_field(r, 3, "rgb", "struct", 12, 2, 1, 1);
    assert_ptr_equal(r->fields[3].record, record(b, "cell.rgb"));
    assert_field(r->fields[3].record, 1, "g", "char", 1, 1, 1, 1);
}

static void packed_structs_align_their_fields_less(void **state) {
    bench *b = *state;
    compile(b, "struct __attribute__((packed)) tight { char c; int v; };\n"
               "__kernel void k(__global struct tight *p) { p[get_global_id(0)].v = 1; }\n");
    const hd_record *r = record(b, "tight");
    assert_int_equal(r->size, 5);
    assert_int_equal(r->align, 1);
    assert_field(r, 1, "v", "int", 1, 4, 1, 1);
}

static void parameters_keep_what_is_written(void **state) {
    bench *b = *state;
    const kir_kernel *k = compile(
        b, "typedef struct node { __global struct node *next; float w; } node_t;\n"
           "__attribute__((reqd_work_group_size(64, 2, 1)))\n"
           "__kernel void k(__global node_t *n, __global const float4 *restrict v, int count,\n"
           "                node_t one, __local double *scratch, __constant void *raw,\n"
           "                float3 f) {\n"
           "    n[0].w = v[0].x + count + one.w + scratch[0] + f.x;\n"
           "}\n");
    assert_string_equal(k->name, "k");
    assert_int_equal(k->place.line, 3);
    assert_int_equal(k->required_local[0], 64);
    assert_int_equal(k->required_local[1], 2);
    assert_int_equal(k->param_count, 7);
    const kir_param *p = k->params;
    const hd_record *node = record(b, "node");
    assert_string_equal(node->spelling, "struct node");

    assert_string_equal(p[0].name, "n");
    assert_string_equal(p[0].type_name, "__global node_t *");
    assert_string_equal(p[0].element_type, "node_t");
    assert_ptr_equal(p[0].record, node);
    assert_int_equal(p[0].element_bytes, 16);
    assert_int_equal(p[0].type.kind, KIR_PTR);
    assert_int_equal(p[0].type.space, KIR_GLOBAL);
    assert_false(p[0].is_const || p[0].is_restrict || p[0].by_value_struct);

    assert_true(p[1].is_const && p[1].is_restrict);
    assert_string_equal(p[1].element_type, "float4");
    assert_int_equal(p[1].element_bytes, 16);
    assert_null(p[1].record);

    assert_string_equal(p[2].type_name, "int");
    assert_int_equal(p[2].bytes, 4);
    assert_null(p[2].element_type);
    assert_int_equal(p[2].type.bits, 32);

    assert_true(p[3].by_value_struct);
    assert_ptr_equal(p[3].record, node);
    assert_int_equal(p[3].bytes, 16);
    assert_int_equal(p[3].type.space, KIR_PRIVATE);

    assert_int_equal(p[4].type.space, KIR_LOCAL);
    assert_int_equal(p[4].element_bytes, 8);
    assert_int_equal(p[5].type.space, KIR_CONSTANT);
    assert_int_equal(p[5].element_bytes, 0);
    assert_int_equal(p[6].type.lanes, 3);
    assert_int_equal(p[6].bytes, 16);
}

static void own_names_of_numbers_are_seen_through(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "typedef float real; typedef real number; typedef float4 vec;\n"
                   "typedef struct { number x; vec v[2]; size_t n; } body;\n"
                   "__kernel void k(__global const number *a, __global vec *v,\n"
                   "                __global body *p, __global size_t *n) {\n"
                   "    p[0].x = a[0] + v[0].x + n[0];\n"
                   "}\n");
    assert_string_equal(k->params[0].element_type, "float");
    assert_string_equal(k->params[1].element_type, "float4");
    assert_string_equal(k->params[2].element_type, "body");
    assert_string_equal(k->params[3].element_type, "size_t");
    const hd_record *body = record(b, "body");
    assert_string_equal(body->fields[0].type, "float");
    assert_string_equal(body->fields[1].type, "float4");
    assert_string_equal(body->fields[2].type, "size_t");
}

static void pointers_to_arrays_point_to_their_elements(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "typedef struct { int key, value; } pair;\n"
                   "__kernel void k(__global float (*a)[8], __global pair p[][4],\n"
                   "                __global int n[][16][2]) {\n"
                   "    a[1][2] = p[2][3].key + n[1][2][1];\n"
                   "}\n");
    assert_int_equal(k->params[0].element_bytes, 4);
    assert_string_equal(k->params[0].element_type, "float");
    assert_int_equal(k->params[1].element_bytes, 8);
    assert_ptr_equal(k->params[1].record, record(b, "pair"));
    assert_int_equal(k->params[2].element_bytes, 4);
}

static void array_parameters_are_pointers(void **state) {
    bench *b = *state;
    const kir_kernel *k =
        compile(b, "typedef struct { int key, value; } pair;\n"
                   "typedef pair pairs[];\n"
                   "__kernel void k(__global pair a[], __constant float c[4], __global pairs p) {\n"
                   "    a[1].key = c[3] + p[2].value;\n"
                   "}\n");
    const hd_record *pair = record(b, "pair");
    assert_ptr_equal(k->params[0].record, pair);
    assert_string_equal(k->params[0].element_type, "pair");
    assert_int_equal(k->params[0].element_bytes, 8);
    assert_int_equal(k->params[0].bytes, 0);
    assert_false(k->params[0].is_const);
    assert_int_equal(k->params[1].element_bytes, 4);
    assert_int_equal(k->params[1].bytes, 0);
    assert_ptr_equal(k->params[2].record, pair);
}

static void structs_of_headers_are_records_too(void **state) {
    bench *b = *state;
    char *folder = folder_make(b->arena);
    char *header = hd_format(b->arena, "%s/shape.h", folder);
    const char text[] = "struct shape {\n    REAL x, y;\n};\n"
                        "float area(__global struct shape *s) {\n    return s->x * s->y;\n}\n";
    assert_int_equal(hd_write_file(&b->diag, header, text, strlen(text)), HD_OK);
    char *options = hd_format(b->arena, "-DREAL=float -I \"%s\"", folder);
    run_front(b,
              "#include \"shape.h\"\n"
              "__kernel void k(__global struct shape *p, __global float *q) {\n"
              "    q[0] = area(&p[1]);\n}\n",
              options);
    unlink(header);
    rmdir(folder);
    assert_int_equal(b->status, HD_OK);
    const hd_record *r = record(b, "shape");
    assert_int_equal(r->size, 8);
    assert_string_equal(r->place.file, header);
    assert_string_equal(r->place.text, "struct shape {");
    const kir_kernel *k = b->module->kernels[0];
    const kir_inst *load = nth(k, KIR_LOAD, 1);
    assert_int_equal(load->line, 5); /* where the helper reads, not where it is called */
    assert_string_equal(b->module->files[load->file].name, header);
    assert_string_equal(kir_place(b->arena, b->module, load).text, "    return s->x * s->y;");
    assert_int_equal(nth(k, KIR_STORE, 0)->file, 0);
    assert_string_equal(b->module->files[0].name, b->path);
}

static void check_without_a_size(bench *b, const char *declaration) {
    const kir_kernel *k =
        compile(b, hd_format(b->arena,
                             "%s\n__kernel void k(__global struct list *p, int n) {\n"
                             "    p->data[n] = 3;\n"
                             "}\n",
                             declaration));
    assert_int_equal(b->module->record_count, 0);
    assert_null(k->params[0].record);
    assert_int_equal(b->messages.count, 1);
    assert_int_equal(b->messages.data[0].severity, HD_NOTE);
    assert_int_equal(b->messages.data[0].line, 1);
    assert_addr(address(k, nth(k, KIR_STORE, 0)), 4, 4, NULL, 0);
}

static void a_struct_without_a_size_is_no_record(void **state) {
    check_without_a_size(*state, "struct list { int count; float data[]; };");
}

static void a_struct_with_an_array_of_nothing_is_no_record(void **state) {
    check_without_a_size(*state, "struct list { int count; float data[0]; };");
}

static void too_many_fields_are_refused(void **state) {
    bench *b = *state;
    hd_str source = {.arena = b->arena};
    hd_str_add(&source, "struct small { int a; };\nstruct big {\n");
    for (int i = 0; i <= HD_MAX_FIELDS; i++)
        hd_str_printf(&source, "int f%d;\n", i);
    hd_str_add(&source, "};\n__kernel void k(__global struct big *p) { p[0].f0 = 1; }\n");
    run_front(b, hd_str_text(&source), NULL);
    assert_int_equal(b->status, HD_EUNSUPPORTED);
    assert_null(b->module);
    assert_int_equal(b->messages.count, 1);
    assert_int_equal(b->messages.data[0].line, 2);
    assert_non_null(strstr(b->messages.data[0].text, "struct big has 65 fields"));
}

/* One that is given by value has no layouts. */
static void by_value_there_may_be_many_fields(void **state) {
    bench *b = *state;
    hd_str source = {.arena = b->arena};
    hd_str_add(&source, "struct big {\n");
    for (int i = 0; i < 97; i++)
        hd_str_printf(&source, "int f%d;\n", i);
    hd_str_add(&source, "};\n__kernel void k(struct big b, __global int *p) { p[0] = b.f96; }\n");
    run_front(b, hd_str_text(&source), NULL);
    const kir_kernel *k = first_kernel(b);
    assert_true(k->params[0].by_value_struct);
    assert_null(k->params[0].record);
    assert_int_equal(k->params[0].bytes, 4 * 97);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(fields_have_offsets_sizes_and_types),
        TEST(unions_and_bit_fields_are_opaque),
        TEST(unnamed_members_belong_to_the_outer_struct),
        TEST(packed_structs_align_their_fields_less),
        TEST(parameters_keep_what_is_written),
        TEST(own_names_of_numbers_are_seen_through),
        TEST(array_parameters_are_pointers),
        TEST(pointers_to_arrays_point_to_their_elements),
        TEST(structs_of_headers_are_records_too),
        TEST(a_struct_without_a_size_is_no_record),
        TEST(a_struct_with_an_array_of_nothing_is_no_record),
        TEST(too_many_fields_are_refused),
        TEST(by_value_there_may_be_many_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
