/* The host's header: compiled as C, C++, OpenCL C and CUDA C; its offsets are those of
 * hd_map_address(), and its converters work for records of arrays and records taken apart. */
#include <dlfcn.h>

#include "kit.h"
#include "layout/random_record.h"

enum { COUNT = 61 };

static bool runs(const char *command) { return system(command) == 0; }

static void run(const char *command) {
    if (!runs(command))
        fail_msg("%s", command);
}

/* The header, and a table of its offset functions. */
static void *build(kit *k, const hd_record *record, const hd_layout *layout, int number) {
    hd_str text = {.arena = k->arena};
    hd_record_layout chosen[] = {{record, layout}};
    hd_str_printf(&text, "%s",
                  hd_rewrite_host_header(k->arena, chosen[0].record, chosen[0].layout, "r"));
    kit_write(k, "r.h", hd_str_text(&text));
    hd_str source = {.arena = k->arena};
    hd_str_add(&source, "#include \"r.h\"\n#include \"r.h\"\n");
    for (uint32_t f = 0; f < record->field_count; f++)
        hd_str_printf(&source,
                      "size_t offset%u(size_t n, size_t e) { return r_%s_offset(n, e); }\n", f,
                      record->fields[f].name);
    kit_write(k, "r.c", hd_str_text(&source));
    const char *library = hd_format(k->arena, "%s/r%d.so", k->folder, number);
    run(hd_format(k->arena,
                  "cd %s && cc -std=c99 -Wall -Wextra -Werror -fPIC -shared r.c -o %s && "
                  "cc -x c++ -Wall -Wextra -Werror -fsyntax-only r.c",
                  k->folder, library));
    void *loaded = dlopen(library, RTLD_NOW);
    assert_non_null(loaded);
    return loaded;
}

static void check_offsets(kit *k, const hd_record *record, const hd_layout *layout, void *library) {
    for (uint64_t count = 1; count <= COUNT; count += 20) {
        hd_map *map;
        assert_int_equal(hd_map_make(k->arena, &k->diag, record, layout, count, &map), HD_OK);
        for (uint32_t f = 0; f < record->field_count; f++) {
            size_t (*offset)(size_t, size_t) =
                (size_t (*)(size_t, size_t))dlsym(library, hd_format(k->arena, "offset%u", f));
            assert_non_null(offset);
            for (uint64_t e = 0; e < count; e++)
                assert_int_equal(offset(count, e), hd_map_address(map, f, e));
        }
    }
}

/* A kernel that uses an offset, in both languages of kernels. */
static void check_kernels(kit *k, const hd_record *record) {
    const char *field = record->fields[0].name;
    kit_write(k, "k.cl",
              hd_format(k->arena,
                        "#include \"r.h\"\nkernel void k(global ulong *o) "
                        "{ o[0] = r_%s_offset(7, 3) + r_allocations; }\n",
                        field));
    kit_write(k, "k.cu",
              hd_format(k->arena,
                        "#include \"r.h\"\n__global__ void k(unsigned long long *o) "
                        "{ o[0] = r_%s_offset(7, 3) + r_allocations; }\n",
                        field));
    kir_module *module = NULL;
    for (int i = 0; i < 2; i++)
        if (hd_frontend(k->arena, &k->diag,
                        hd_format(k->arena, "%s/k.%s", k->folder, i ? "cu" : "cl"), "", &module))
            fail_msg("%s", kit_said(k));
    if (access("/usr/local/cuda/bin/nvcc", X_OK) == 0)
        run(hd_format(k->arena, "cd %s && /usr/local/cuda/bin/nvcc -c -o k.o k.cu", k->folder));
    else
        print_message("nvcc is not installed: only clang reads the header as CUDA C\n");
}

static void offsets_are_those_of_the_map_in_every_language(void **state) {
    kit *k = *state;
    dice d = {77};
    for (int i = 0; i < 12; i++) {
        hd_record *record = random_record(k->arena, &d, 6, 0);
        hd_layout *layout = random_layout(k->arena, &d, record);
        void *library = build(k, record, layout, i);
        check_offsets(k, record, layout, library);
        dlclose(library);
        if (i < 2)
            check_kernels(k, record);
    }
}

/* Two records in one header, one of them taken apart. */
static void several_records_share_a_header(void **state) {
    kit *k = *state;
    const char *path = kit_write(k, "k.cl",
                                 "typedef struct { float x; char c; } a;\n"
                                 "typedef struct { int d[2]; struct v { float y; } v; } b;\n"
                                 "kernel void k(global a *p, global b *q) { p->x = q->d[1]; "
                                 "q->v.y = p->c; }\n");
    static const char *const parts[] = {"d", "v"};
    const hd_record *a = kit_record(k, path, "", "a"), *whole = kit_record(k, path, "", "b"), *b;
    assert_int_equal(hd_record_split(k->arena, &k->diag, NULL, whole, parts, 2, &b), HD_OK);
    const hd_record_layout layouts[] = {{a, kit_layout(k, a, "soa")},
                                        {b, kit_layout(k, b, "{d[0],v.y}:4{d[1]}/da")}};
    const hd_rewrite_request request = {.path = path, .layouts = layouts, .layout_count = 2};
    hd_rewritten *r;
    if (hd_rewrite(k->arena, &k->diag, &request, &r) != HD_OK)
        fail_msg("%s", kit_said(k));
    kit_write(k, "h.c",
              hd_format(k->arena,
                        "%s#include <stdlib.h>\nint main(void) {\n"
                        "    struct { int d[2]; float y; } from[9], to[9];\n    int i, e;\n"
                        "    void *at[2];\n"
                        "    for (i = 0; i < 9; i++) { from[i].d[0] = i; from[i].d[1] = -i; "
                        "from[i].y = i; }\n"
                        "    for (i = 0; i < 2; i++) at[i] = malloc(b_bytes(i, 9));\n"
                        "    b_to_layout(from, at, 9);\n    b_from_layout(at, to, 9);\n"
                        "    e = memcmp(from, to, sizeof from) || a_allocations != 1 ||\n"
                        "        *b_d_1(b_make(at, 9), 4) != -4;\n"
                        "    for (i = 0; i < 2; i++) free(at[i]);\n    return e;\n}\n",
                        r->host_header));
    run(hd_format(k->arena, "cd %s && cc -std=c99 -Wall -Wextra -Werror h.c -o h && ./h",
                  k->folder));
}

/* Fields that are called as what the header has of another field, or of the record. */
static void names_of_fields_do_not_collide(void **state) {
    kit *k = *state;
    const char *path =
        kit_write(k, "k.cl",
                  "typedef struct { float x, x_offset; int x_allocation, elem, elem_, "
                  "size_is_right, make; } R;\nkernel void k(global R *p) {}\n");
    const hd_record *record = kit_record(k, path, "", "R");
    kit_write(k, "h.c", hd_rewrite_host_header(k->arena, record, kit_layout(k, record, "da"), "R"));
    run(hd_format(k->arena, "cd %s && cc -std=c99 -Wall -Wextra -Werror -fsyntax-only h.c",
                  k->folder));
}

static void arrays_are_converted(void **state) {
    kit *k = *state;
    hd_field fields[] = {{.name = "x", .type = "float", .size = 4, .align = 4, .count = 1},
                         {.name = "n", .type = "long long", .size = 8, .align = 8, .count = 1}};
    hd_record record = {
        .name = "g", .spelling = "g", .field_count = 2, .fields = fields, .of_arrays = true};
    hd_record_lay_out(&record);
    kit_write(k, "h.c",
              hd_format(k->arena,
                        "%s#include <stdlib.h>\nint main(void) {\n"
                        "    float x[5] = {1, 2, 3, 4, 5}, y[5];\n"
                        "    int64_t n[5] = {5, 6, 7, 8, 9}, m[5];\n"
                        "    void *arrays[2], *back[2], *at[1];\n    int e;\n"
                        "    arrays[0] = x, arrays[1] = n, back[0] = y, back[1] = m;\n"
                        "    at[0] = malloc(g_bytes(0, 5));\n"
                        "    g_to_layout(arrays, at, 5);\n    g_from_layout(at, back, 5);\n"
                        "    e = memcmp(x, y, sizeof x) || memcmp(n, m, sizeof n);\n"
                        "    free(at[0]);\n    return e;\n}\n",
                        hd_rewrite_host_header(k->arena, &record, kit_layout(k, &record, "aosoa:4"),
                                               "g")));
    run(hd_format(k->arena, "cd %s && cc -std=c99 -Wall -Wextra -Werror h.c -o h && ./h",
                  k->folder));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
    const struct CMUnitTest tests[] = {
        TEST(offsets_are_those_of_the_map_in_every_language),
        TEST(several_records_share_a_header),
        TEST(names_of_fields_do_not_collide),
        TEST(arrays_are_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
