/* SoA of vectors: which fields come together, and that such layouts are taken where gathers gain by
 * them, and not where they move more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/advise.h"
#include "advise/vectors.h"
#include "support.h"

enum { COUNT = 1 << 14 };

/* A job of one launch over `struct r`. The indices of idx are anywhere. */
static void open_job(hd_sample *s, kir_form form, const char *record, const char *work) {
    *s = (hd_sample){.arena = hd_arena_new(), .diag = {hd_sample_message, NULL}};
    s->folder = folder_make(s->arena);
    const char *kernel =
        hd_format(s->arena,
                  "struct r { %s };\nextern \"C\" __global__ void k(struct r *p, "
                  "const int *idx, float *out) {\n"
                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    %s\n}\n",
                  record, work);
    const char *job = hd_format(
        s->arena,
        "kernel: k.cu\nbuffers:\n  - {name: p, type: r, count: %d}\n  - {name: idx, type: int, "
        "count: %d, init: [{generator: uniform, low: 0, high: %d, seed: 7}]}\n"
        "  - {name: out, type: float, count: %d}\nlaunches:\n  - {kernel: k, blocks: [%d], "
        "threads: "
        "[256], args: [{name: p, buffer: p}, {name: idx, buffer: idx}, {name: out, buffer: "
        "out}]}\n",
        COUNT, COUNT, COUNT - 1, COUNT, COUNT / 256);
    char *path = hd_format(s->arena, "%s/job.yaml", s->folder);
    if (hd_write_file(&s->diag, hd_format(s->arena, "%s/k.cu", s->folder), kernel,
                      strlen(kernel)) ||
        hd_write_file(&s->diag, path, job, strlen(job)) ||
        hd_job_read(s->arena, &s->diag, path, &s->job) ||
        hd_frontend_of(s->arena, &s->diag, s->job->kernel_path, NULL, form, NULL, &s->module) ||
        hd_job_resolve(s->arena, &s->diag, s->job, s->module))
        fail_msg("%s", kernel);
}

static const hd_device *device_of(hd_sample *s) {
    const hd_device *device;
    assert_int_equal(hd_device_find(s->arena, &s->diag, "tesla-p100", &device), HD_OK);
    return device;
}

#define BODY "float x, y, z, m, vx, vy, vz;"

static void fields_that_come_together_are_vectors(void **state) {
    (void)state;
    static const struct {
        const char *record, *work, *padded, *filled, *apart;
    } cases[] = {
        {BODY, "out[i] = p[i].x + p[i].y + p[i].z;", "{x,y,z,m}{vx,vy,vz}", "{x,y,z,m}{vx,vy,vz}",
         "{x,y,z}:soa{m,vx,vy,vz}"},
        {"float m, x, y, z;", "out[i] = p[idx[i]].x + p[idx[i]].y + p[idx[i]].z;", "{x,y,z,m}",
         "{x,y,z,m}", "{x,y,z}:soa{m}"},
        {"float x, y, z; double w;", "out[i] = p[i].x + p[i].y + p[i].z;", "{x,y,z,_}{w}",
         "{x,y,z}{w}", "{x,y,z}:soa{w}"},
        {"float a; short b, c, d; char e;", "out[i] = p[i].b + p[i].c + p[i].d + p[i].e;",
         "{b,c,d,_}{e}{a}", "{b,c,d}{e}{a}", "{b,c,d}:soa{e}{a}"},
        {"double a, b, c;", "out[i] = p[i].a + p[i].b + p[i].c;", "{a,b}{c}", "{a,b}{c}",
         "{a,b}{c}"},
        {"float3 at; double w;", "out[i] = p[i].at.x + p[i].at.z;", "{at,_}{w}", "{at}{w}",
         "{at}:soa{w}"},
        {"float3 at; float m; double w;", "out[i] = p[i].at.y * p[i].m;", "{at,m}{w}", "{at,m}{w}",
         "{at,m}{w}"},
        {BODY, "out[i] = p[i].x + p[i].vx; out[i] += p[idx[i]].y + p[idx[i]].vy;",
         "{x,vx}{y,vy}{z,m,vz}", "{x,vx}{y,vy}{z,m,vz}", "{x,vx}{y,vy}{z,m,vz}"},
        {BODY, "for (int j = 0; j < 64; j++) out[i] += p[j].x; out[i] += p[i].y + p[i].z;",
         "{x}{y,z}{m,vx,vy,vz}", "{x}{y,z}{m,vx,vy,vz}", "{x}{y,z}{m,vx,vy,vz}"},
        {BODY, "p[i].x = p[i].vx; p[i].y = p[i].vy; p[i].z = p[i].vz;", "{x,y,z,m}{vx,vy,vz,_}",
         "{x,y,z,m}{vx,vy,vz}", "{x,y,z}:soa{vx,vy,vz}:soa{m}"},
        {BODY, "out[i] = p[i].x;", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hd_sample s;
        const hd_cost_options options = {.loops = HD_LOOPS_PENG};
        hd_cost_model *model;
        open_job(&s, KIR_AS_WRITTEN, cases[i].record, cases[i].work);
        assert_int_equal(
            hd_cost_model_make(s.arena, &s.diag, s.job, device_of(&s), &options, &model), HD_OK);
        const char *const all[] = {[HD_THREES_FILLED] = cases[i].filled,
                                   [HD_THREES_PADDED] = cases[i].padded,
                                   [HD_THREES_APART] = cases[i].apart};
        for (hd_threes threes = 0; threes < HD_THREES; threes++) {
            const hd_layout *made = advise_vectors(s.arena, model, threes);
            const char *expected = all[threes],
                       *found = made ? hd_layout_print_long(s.arena, s.job->record, made) : "none";
            if (made && hd_layout_check(&s.diag, s.job->record, made) != HD_OK)
                fail_msg("%s: %s", cases[i].work, found);
            if (strcmp(expected ? expected : "none", found) != 0)
                fail_msg("%s: %s, not %s", cases[i].work, found, expected);
        }
        hd_sample_close(&s);
    }
}

static void they_are_taken_where_they_pay(void **state) {
    (void)state;
#define GATHER "const r *b = &p[idx[i]]; out[i] = b->x * b->x + b->y * b->y + b->z * b->z;"
    static const struct {
        const char *record, *work, *layout;
    } cases[] = {
        {BODY, GATHER, "{x,y,z,m}{vx,vy,vz}"},
        {"float x, y, z; double w[2];", GATHER, "{x,y,z,_}{w}"},
        /* 12 bytes of each element and not 16 */
        {BODY, "out[i] = p[i].x + p[i].y * p[i].z;", "soa"},
        /* as many bytes, fewer requests */
        {BODY, "out[i] = p[i].x + p[i].y * p[i].z + p[i].m;", "{x,y,z,m}{vx,vy,vz}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hd_sample s;
        hd_advice advice;
        open_job(&s, KIR_FOR_NVIDIA, cases[i].record, cases[i].work);
        const hd_device *device = device_of(&s);
        const hd_advise_options options = {
            .devices = &device, .device_count = 1, .cost = {.loops = HD_LOOPS_PENG}, .run = true};
        assert_int_equal(hd_advise(s.arena, &s.diag, s.job, &options, &advice), HD_OK);
        const hd_recount *r = &advice.recount;
        assert_null(r->why);
        const char *best = hd_layout_print(s.arena, s.job->record, advice.best);
        if (strcmp(best, cases[i].layout) != 0)
            fail_msg("%s: %s", cases[i].work, best);
        if (strcmp(best, "soa") != 0) /* one request for all fields, which were more */
            assert_true(r->layouts[0].compiled.requests + COUNT / device->warp <=
                        r->original.compiled.requests);
        hd_sample_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_come_together_are_vectors),
        cmocka_unit_test(they_are_taken_where_they_pay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
