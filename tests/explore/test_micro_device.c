/*
 * Micro-kernels on an OpenCL device: in layouts and in all placements that it has, and with the
 * host's share of the work, they leave what plain C computes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "advise/explore/micro.h"
#include "advise/measure/session.h"
#include "one_context.h"
#include "sanitized.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%s:%u: %s\n", message->place.file ? message->place.file : "",
                  message->place.line, message->text);
}
static const hd_diag diag = {tell, NULL};

typedef struct point_run {
    hd_arena *arena;
    hd_session session;
    hd_micro micro;
    void **contents, **expected;
} point_run;

static void open_point(point_run *p, hd_micro_folder *folder, const char *text) {
    hd_micro_point point;
    *p = (point_run){.arena = hd_arena_new()};
    assert_true(hd_micro_parse(text, &point));
    assert_int_equal(hd_micro_load(p->arena, folder, &point, &p->micro), HD_OK);
    const hd_job *job = p->micro.job;
    assert_int_equal(hd_session_open(p->arena, &diag, job, NULL, &p->session), HD_OK);
    p->contents = hd_new_array(p->arena, void *, job->buffer_count);
    p->expected = hd_new_array(p->arena, void *, job->buffer_count);
    assert_int_equal(hd_job_all_contents(p->arena, &diag, job, p->contents), HD_OK);
    memcpy(p->expected, p->contents, job->buffer_count * sizeof *p->expected);
    size_t bytes = job->buffers[0].count * job->buffers[0].element_bytes;
    p->expected[0] = memcpy(hd_alloc(p->arena, bytes), p->contents[0], bytes);
    hd_micro_compute(&p->micro, p->expected[0], 0, p->micro.shape.objects);
}

static void close_point(point_run *p) {
    hd_session_close(&p->session);
    hd_arena_free(p->arena);
}

/* layout NULL: as the kernel is written. */
static void make_version(point_run *p, const char *layout_text, hd_placement placement,
                         hd_version *version) {
    const hd_job *job = p->micro.job;
    hd_rewritten *rewritten = NULL;
    hd_layout *layout;
    hd_record_layout chosen = {job->record, NULL};
    const hd_placing placing = {.placement = placement, .all = true};
    if (layout_text) {
        assert_int_equal(hd_layout_parse(p->arena, &diag, job->record, layout_text, &layout),
                         HD_OK);
        chosen.layout = layout;
        assert_int_equal(hd_rewrite_job(p->arena, &diag, job, &chosen, 1, &rewritten), HD_OK);
    }
    assert_int_equal(hd_version_make(&p->session, rewritten, &chosen, layout_text ? 1 : 0, &placing,
                                     p->contents, version),
                     HD_OK);
}

static void check_version(point_run *p, const char *text, const char *layout,
                          hd_placement placement) {
    hd_version version;
    double seconds;
    bool equal, bit_equal;
    const hd_job *job = p->micro.job;
    void **outputs = hd_new_array(p->arena, void *, job->buffer_count);
    make_version(p, layout, placement, &version);
    assert_int_equal(hd_version_outputs(&p->session, p->arena, &version, outputs, &seconds), HD_OK);
    uint64_t on_host = p->micro.shape.on_host;
    hd_micro_compute(&p->micro, outputs[0], p->micro.shape.objects - on_host, on_host);
    hd_status status =
        hd_contents_compare(p->arena, &diag, job, &(hd_contents){"in plain C", p->expected},
                            &(hd_contents){"on the device", outputs}, &equal, &bit_equal);
    if (status != HD_OK)
        fail_msg("%s in layout %s, placement %s", text, layout ? layout : "aos",
                 hd_placement_name(placement));
    hd_version_free(&p->session, &version);
}

static void run_point(hd_micro_folder *folder, const char *text, const char *layout) {
    point_run p;
    open_point(&p, folder, text);
    for (hd_placement placement = 0; placement < HD_PLACEMENTS; placement++)
        if (!p.session.gpu->api->lacks(p.session.gpu, placement))
            check_version(&p, text, layout, placement);
    close_point(&p);
}

/* Devices compile a kernel once for each layout and size of groups. */
static void results_on_a_device(void **state) {
    static const struct {
        const char *point, *layout;
    } runs[] = {
        {"objects=9000 group=64 sparsity=3 granularity=5 split=0.37", NULL},
        {"objects=4096 group=64 sparsity=64 intensity=22.4", NULL},
        {"objects=4096 group=64 fields=3 type=mixed indirect=4 branches=8 sparsity=2 aggregate=3 "
         "intensity=3 granularity=3 split=0.25",
         "{f0,f1}:4{f2,result,unused}:16"},
    };
    (void)state;
    hd_arena *arena = hd_arena_new();
    char *path;
    assert_int_equal(hd_scratch_make(arena, &diag, &path), HD_OK);
    hd_micro_folder folder = {.arena = arena, .diag = &diag, .path = path, .backend = "opencl"};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
        if (IS_TRIED(r, 4))
            run_point(&folder, runs[r].point, runs[r].layout);
    hd_scratch_remove(path);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_on_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
