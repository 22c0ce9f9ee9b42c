/* What the check of rewritten kernels says, of files that are gone when it is read. */
#include "advise/verify.h"
#include "rewrite/kit.h"

static void note_file(const hd_message *message, void *user) {
    kit *k = user;
    hd_str_printf(&k->messages, "%s:%u: %s\n%s\n", message->place.file ? message->place.file : "-",
                  message->place.line, message->text,
                  message->place.text ? message->place.text : "");
}

static hd_job *load(kit *k, const char *kernel) {
    hd_job *job = NULL;
    kir_module *module = NULL;
    kit_write(k, "k.cl", kernel);
    const char *path = kit_write(k, "job.yaml",
                                 "kernel: k.cl\nbuffers:\n  - {name: p, type: R, count: 8}\n"
                                 "  - {name: o, type: float, count: 8}\nlaunches:\n"
                                 "  - {kernel: k, global: [7], args: [{name: p, buffer: p}, "
                                 "{name: o, buffer: o}]}\n");
    if (hd_job_read(k->arena, &k->diag, path, &job) ||
        hd_frontend(k->arena, &k->diag, job->kernel_path, "", &module) ||
        hd_job_resolve(k->arena, &k->diag, job, module))
        fail_msg("%s", kit_said(k));
    return job;
}

/* The helper reads beyond the array `d`, which the rewriter takes at C's word. */
static const char beyond[] = "typedef struct { float x, d[2]; } R;\n"
                             "float f(global const float *d) { return d[4]; }\n"
                             "kernel void k(global R *p, global float *o) {\n"
                             "    int i = get_global_id(0);\n    o[i] = f(p[i].d);\n}\n";

static void a_fault_is_told_by_the_name_of_the_users_file(void **state) {
    kit *k = *state;
    const hd_vm_options options = {.workers = 1};
    hd_job *job = load(k, beyond);
    const hd_record_layout layout = {job->record, kit_layout(k, job->record, "da")};
    hd_rewritten *rewritten;
    hd_verified verified;
    assert_int_equal(hd_rewrite_job(k->arena, &k->diag, job, &layout, 1, &rewritten), HD_OK);
    k->diag.fn = note_file;
    assert_int_equal(hd_verify(k->arena, &k->diag, job, &layout, 1, rewritten, &options, &verified),
                     HD_EINPUT);
    const char *said = kit_said(k);
    if (strstr(said, "temporary") || !verified.ran ||
        !strstr(said, hd_format(k->arena, "%s/k.cl (rewritten):", k->folder)) ||
        !strstr(said, "\nfloat f(global const float *d) { return d[4]; }\n") ||
        !strstr(said, "the original runs through"))
        fail_msg("%s", said);
}

static void a_view_names_no_folder(void **state) {
    kit *k = *state;
    hd_rewritten_file file = {.path = "src/k.cl", .name = "k.cl", .text = ""};
    hd_rewritten rewritten = {.files = &file, .file_count = 1};
    k->diag.fn = note_file;
    hd_rewritten_view view = {k->arena, &k->diag, &rewritten, "/tmp/heddle-abc"};
    const hd_diag diag = {hd_rewritten_tell, &view};
    hd_fail(&diag, HD_EINPUT, &(hd_place){.file = "/tmp/heddle-abc/k.cl", .line = 3},
            "as '/tmp/heddle-abc/r.h' in /tmp/heddle-abc says");
    hd_fail(&diag, HD_EINPUT, &(hd_place){.file = "/tmp/heddle-abcd/k.cl"}, "other");
    view.folder = NULL;
    hd_fail(&diag, HD_EINPUT, NULL, "third");
    assert_string_equal(kit_said(k), "src/k.cl (rewritten):3: as 'r.h' in  says\n\n"
                                     "/tmp/heddle-abcd/k.cl:0: other\n\n-:0: third\n\n");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_fault_is_told_by_the_name_of_the_users_file),
        TEST(a_view_names_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
