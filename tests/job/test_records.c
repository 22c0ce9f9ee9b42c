/* Records that a job makes: taken apart, or of arrays; and the accesses that reach them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "folder.h"
#include "support.h"

static const char kernel[] =
    "typedef struct { struct { float x, y; } pos; int kind; float d[3]; } R;\n"
    "__kernel void k(__global R *p, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    float sum = p[i].pos.y + p[i].d[1];\n"
    "    for (int j = 0; j < 3; j++)\n"
    "        sum += p[i + 1].d[j];\n"
    "    p[i].pos.x = sum;\n"
    "}\n";

static const char job[] =
    "kernel: kernel.cl\n%s"
    "buffers:\n"
    "  - {name: p, type: R, count: 1025}\n"
    "launches:\n"
    "  - {kernel: k, global: [1024], args: [{name: p, buffer: p}, {name: n, value: 1}]}\n";

static const hd_access *find(const hd_kernel_info *info, const char *field, uint32_t line) {
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *a = &info->accesses[i];
        if (a->field >= 0 && a->line == line && !strcmp(a->record->fields[a->field].name, field))
            return a;
    }
    fail_msg("no access of %s in line %u", field, line);
    return NULL;
}

static void parts_are_fields(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, kernel, hd_format(hd_arena_new(), job, "split: [pos, d]\n"));
    const hd_record *r = s.job->record;
    static const char *const names[] = {"pos.x", "pos.y", "kind", "d[0]", "d[1]", "d[2]"};
    assert_int_equal(r->field_count, 6);
    for (uint32_t f = 0; f < 6; f++) {
        assert_string_equal(r->fields[f].name, names[f]);
        assert_int_equal(r->fields[f].offset, 4 * f);
        assert_int_equal(r->fields[f].size, 4);
    }
    assert_ptr_equal(hd_record_declared(r), s.job->buffers[0].record);
    hd_kernel_info *info = hd_job_analyse(s.arena, s.job, &s.job->launches[0]);
    assert_ptr_equal(find(info, "pos.y", 4)->record, r);
    assert_int_equal(find(info, "pos.y", 4)->inner.constant, 0);
    assert_int_equal(find(info, "d[1]", 4)->shares, 0);
    assert_int_equal(find(info, "pos.x", 7)->kind, HD_STORE);
    for (uint32_t d = 0; d < 3; d++) {
        const hd_access *a = find(info, hd_format(s.arena, "d[%u]", d), 6);
        assert_int_equal(a->shares, 3);
        assert_int_equal(a->inner.term_count, 0);
        assert_int_equal(a->index.constant, 1);
    }
    hd_sample_close(&s);
}

static void what_is_whole_stays_whole(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, kernel, hd_format(hd_arena_new(), job, "split: [pos]\n"));
    hd_kernel_info *info = hd_job_analyse(s.arena, s.job, &s.job->launches[0]);
    const hd_access *a = find(info, "d", 6);
    assert_int_equal(a->shares, 0);
    assert_int_equal(a->inner.term_count, 1);
    assert_int_equal(find(info, "d", 4)->inner.constant, 4);
    hd_sample_close(&s);
}

/* ---- arrays ------------------------------------------------------------------------ */

static const char arrays_kernel[] =
    "__kernel void k(__global const float *a, __global float *b, __global int *other) {\n"
    "    int i = get_global_id(0);\n"
    "    b[i] = a[i + 2];\n"
    "    other[i] = 1;\n"
    "}\n"
    "__kernel void l(__global float *b) { b[get_global_id(0)] = 0; }\n";

static const char arrays_job[] =
    "kernel: kernel.cl\n"
    "arrays: [{record: point, fields: [x, y]}]\n"
    "buffers:\n"
    "  - {name: y, type: float, count: 1026}\n"
    "  - {name: x, type: float, count: 1026}\n"
    "  - {name: o, type: int, count: 1024}\n"
    "launches:\n"
    "  - kernel: k\n"
    "    global: [1024]\n"
    "    args: [{name: a, buffer: x}, {name: b, buffer: y}, {name: other, buffer: o}]\n"
    "  - {kernel: l, global: [1024], args: [{name: b, buffer: y}]}\n";

static void arrays_are_fields(void **state) {
    (void)state;
    hd_sample s;
    hd_sample_open(&s, arrays_kernel, arrays_job);
    const hd_record *r = s.job->record;
    assert_string_equal(r->name, "point");
    assert_true(r->of_arrays);
    assert_int_equal(r->size, 8);
    assert_string_equal(r->fields[0].name, "x");
    assert_string_equal(hd_layout_print(s.arena, r, hd_layout_original(s.arena, r)), "da");
    hd_kernel_info *info = hd_job_analyse(s.arena, s.job, &s.job->launches[0]);
    assert_int_equal(info->access_count, 3);
    assert_ptr_equal(find(info, "x", 3)->record, r);
    assert_int_equal(find(info, "x", 3)->index.constant, 2);
    assert_int_equal(find(info, "y", 3)->kind, HD_STORE);
    assert_int_equal(info->accesses[2].field, -1);
    hd_sample_close(&s);
}

/* ---- mistakes ----------------------------------------------------------------------- */

typedef struct heard {
    hd_str text;
    int count;
} heard;

static void hear(const hd_message *m, void *user) {
    heard *h = user;
    h->count++;
    hd_str_printf(&h->text, "%u: %s\n", m->place.line, m->text);
}

static void check_mistake(const char *source, const char *text, const char *said) {
    hd_arena *arena = hd_arena_new();
    heard h = {.text = {.arena = arena}};
    hd_diag diag = {hear, &h};
    char *folder = folder_make(arena);
    const char *kernel_path = hd_format(arena, "%s/kernel.cl", folder);
    const char *job_path = hd_format(arena, "%s/job.yaml", folder);
    hd_job *wrong = NULL;
    kir_module *module;
    assert_int_equal(hd_write_file(&diag, kernel_path, source, strlen(source)), HD_OK);
    assert_int_equal(hd_write_file(&diag, job_path, text, strlen(text)), HD_OK);
    hd_status status = hd_job_read(arena, &diag, job_path, &wrong);
    if (status == HD_OK)
        status = hd_frontend(arena, &diag, kernel_path, "", &module);
    if (status == HD_OK)
        status = hd_job_resolve(arena, &diag, wrong, module);
    folder_remove(folder);
    if (status == HD_OK || h.count != 1 || !strstr(hd_str_text(&h.text), said))
        fail_msg("status %d, said: %s\ninstead of: %s", status, hd_str_text(&h.text), said);
    hd_arena_free(arena);
}

static const char *replaced(hd_arena *arena, const char *text, const char *old, const char *new) {
    const char *at = strstr(text, old);
    assert_non_null(at);
    return hd_format(arena, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

static void mistakes_are_located(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    static const struct {
        const char *split, *said;
    } splits[] = {
        {"split: [q]\n", "2: 'R' has no field 'q' to take apart; its fields are pos, kind, d"},
        {"split: [kind]\n",
         "2: field 'kind' of 'R' is one int; only arrays, nested structs and vectors"},
        {"split: [pos, pos]\n", "2: 'R' has no field 'pos' to take apart; its fields are pos.x"}};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        check_mistake(kernel, hd_format(arena, job, splits[i].split), splits[i].said);
    static const struct {
        const char *old, *new, *said;
    } arrays[] = {
        {"[x, y]", "[x, z]", "2: the record 'point' has the field 'z', but there is no buffer"},
        {"[x, y]", "[x, x]", "2: buffer 'x' is a field twice"},
        {"[x, y]", "[x, o]",
         "2: the fields of 'point' have different numbers of elements: 'x' "
         "1026, 'o' 1024"},
        {"{name: b, buffer: y}]}",
         "{name: b, buffer: y}]}\n"
         "  - {kernel: l, global: [1024], args: [{name: b, buffer: x}]}",
         "12: 'b' gets 'x', field 'x' of 'point', in this launch, and 'y', field 'y' of 'point', "
         "in an earlier one; a layout changes a kernel once"},
        {"x, type: float", "x, type: int",
         "10: parameter 'a' points to float, but buffer 'x', a field of 'point', holds int"},
        {"fields: [x, y]}]", "fields: [x]}, {record: point, fields: [y]}]",
         "2: two records of arrays are called 'point'; give one another name"},
        {"arrays:", "split: [x]\narrays:",
         "'split' takes fields of a struct apart, but the record "
         "to lay out is made of arrays"},
        {"x, type: float,", "x, type: float, placement: host,",
         "4: 'y' has placement device, and 'x' has host; both are fields of 'point', so give them "
         "one placement"},
        {"[x, y]", "[]", "2: 'fields' names 0 buffers"}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        check_mistake(arrays_kernel, replaced(arena, arrays_job, arrays[i].old, arrays[i].new),
                      arrays[i].said);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_fields), cmocka_unit_test(what_is_whole_stays_whole),
        cmocka_unit_test(arrays_are_fields), cmocka_unit_test(mistakes_are_located)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
