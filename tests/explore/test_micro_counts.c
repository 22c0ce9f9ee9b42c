/*
 * Every dimension of the micro-kernels over its whole range: in each layout the kernel leaves on the
 * machine what plain C computes, and counts what the static cost says, derived from the source where
 * no index is read from memory, from measured shapes in any case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/micro.h"
#include "measure/measure.h"
#include "oracle/relaid.h"

/* ---- kernels of a folder ------------------------------------------------------------------- */

/* A kernel file in a layout, which the points that share it share, too. */
typedef struct relaid_kernel {
    const char *name, *layout;
    const kir_module *module;
} relaid_kernel;

typedef struct variants {
    hd_micro_folder folder;
    hd_vec(relaid_kernel) kernels;
    uint32_t number; /* of the point */
    counted_total sum;
} variants;

static const kir_module *kernel_in(variants *v, const hd_micro *micro, const char *layout) {
    hd_arena *arena = v->folder.arena;
    const char *name = hd_micro_name(arena, &micro->point);
    for (size_t k = 0; k < v->kernels.count; k++)
        if (!strcmp(v->kernels.data[k].name, name) && !strcmp(v->kernels.data[k].layout, layout))
            return v->kernels.data[k].module;
    relaid_kernel made = {name, hd_strdup(arena, layout), NULL};
    made.module = relaid_compile(arena, micro->job, relaid_layout(arena, micro->job, layout));
    hd_push(arena, &v->kernels, made);
    return made.module;
}

/* ---- a point --------------------------------------------------------------------------------- */

static void check_plain_c(const relaid *r, const hd_micro *micro) {
    const hd_job *job = micro->job;
    void **expected = hd_new_array(r->arena, void *, job->buffer_count);
    bool equal, bit_equal;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        size_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        expected[b] = memcpy(hd_alloc(r->arena, bytes), r->contents[b], bytes);
    }
    hd_micro_compute(micro, expected[0], 0, micro->shape.objects - micro->shape.on_host);
    assert_int_equal(
        hd_contents_compare(r->arena, &jobs_diag, job, &(hd_contents){"in plain C", expected},
                            &(hd_contents){"on the machine", r->after}, &equal, &bit_equal),
        HD_OK);
    assert_true(bit_equal);
}

/* Where no index is read from memory, nothing about the kernel is to be assumed. */
static void check_all_derived(counted *c, const char *text) {
    for (uint32_t n = 0; n < c->layout_count; n++) {
        hd_cost_line *lines;
        size_t count;
        hd_cost_of_layout(c->arena, c->models[0], c->layouts[n], &lines, &count);
        for (size_t l = 0; l < count; l++)
            if (lines[l].origin != HD_ORIGIN_DERIVED)
                fail_msg("%s in layout %s: line %u is assumed: %s", text, c->texts[n],
                         lines[l].access->line, lines[l].assumption);
    }
}

/* Its own kernel, as if its objects lay in each of the layouts. */
static void check_counts(variants *v, hd_arena *arena, const char *text, const hd_micro *micro) {
    counted c;
    void **after = hd_new_array(arena, void *, micro->job->buffer_count);
    counted_open_all(&c, arena, &jobs_diag, micro->job);
    c.all = !micro->shape.run;
    if (c.all)
        check_all_derived(&c, text);
    hd_sink sink = counted_sink(&c);
    assert_int_equal(relaid_run(arena, &jobs_diag, micro->job, NULL, &sink, after), HD_OK);
    counted_check(&c, text, &v->sum);
    counted_close(&c);
}

/* Rewritten: the usual kernel in each layout, others in two of them by turns, since compilers take
 * most of the time. */
static void check_rewritten(variants *v, hd_arena *arena, const char *text, const hd_micro *micro) {
    const char *layouts[COUNTED_LAYOUTS];
    relaid r;
    relaid_open(&r, arena, text, micro->job);
    r.all = !micro->shape.run;
    check_plain_c(&r, micro);
    uint32_t count = counted_list_layouts(arena, micro->job, layouts);
    bool usual = !strcmp(hd_micro_name(arena, &micro->point), "micro-float-4");
    for (uint32_t n = 0; n < count; n++)
        if (usual || n % 3 == v->number % 3)
            relaid_check(&r, layouts[n], kernel_in(v, micro, layouts[n]), &v->sum);
}

static void check_point(variants *v, const char *text) {
    hd_arena *arena = hd_arena_new();
    hd_micro_point point;
    hd_micro micro;
    assert_true(hd_micro_parse(text, &point));
    assert_int_equal(hd_micro_load(arena, &v->folder, &point, &micro), HD_OK);
    check_counts(v, arena, text, &micro);
    check_rewritten(v, arena, text, &micro);
    v->number++;
    hd_arena_free(arena);
}

static void open_variants(variants *v, const char *backend) {
    hd_arena *arena = hd_arena_new();
    char *path;
    assert_int_equal(hd_scratch_make(arena, &jobs_diag, &path), HD_OK);
    *v = (variants){
        .folder = {.arena = arena, .diag = &jobs_diag, .path = path, .backend = backend}};
}

static void close_variants(variants *v) {
    print_message("%u points; of %u counts, %u must be and are exact; so are %u from measured "
                  "shapes\n",
                  v->number, v->sum.lines, v->sum.exact, v->sum.measured);
    hd_scratch_remove(v->folder.path);
    hd_arena_free(v->folder.arena);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Small, so that groups of 64 objects fill it whatever the values of other dimensions are. */
static hd_micro_point small_point(void) {
    hd_micro_point point = hd_micro_usual();
    point.value[HD_DIM_OBJECTS] = 4096;
    point.value[HD_DIM_GROUP] = 64;
    return point;
}

enum { MOST_OBJECTS = 1 << 14 };

static void every_value_of_each_dimension(void **state) {
    (void)state;
    variants v;
    open_variants(&v, "opencl");
    uint32_t number = 0;
    for (int d = 0; d < HD_DIMENSIONS; d++)
        for (const double *value = hd_dimensions[d].values; *value >= 0; value++) {
            hd_micro_point point = small_point();
            point.value[d] = *value;
            if (d == HD_DIM_FIELDS) /* so that the operations suffice for all of them */
                point.value[HD_DIM_INTENSITY] = 1;
            if (point.value[HD_DIM_OBJECTS] <= MOST_OBJECTS && IS_TRIED(number++, 6))
                check_point(&v, hd_micro_print(v.folder.arena, &point));
        }
    assert_true(SANITIZED || v.number > 65);
    close_variants(&v);
}

static void check_points(const char *backend, const char *const *points, size_t count) {
    variants v;
    open_variants(&v, backend);
    for (size_t p = 0; p < count; p++)
        if (IS_TRIED(p, 3))
            check_point(&v, points[p]);
    close_variants(&v);
}

/* Values that are no powers of two, and dimensions together. */
static void odd_points(void **state) {
    static const char *const points[] = {
        "objects=5000 group=32 sparsity=3 granularity=5 split=0.37",
        "objects=9000 group=32 transposed=8 sparsity=5 granularity=7 split=0.4",
        "objects=1000 group=32 transposed=2 sparsity=7 intensity=0.15",
        "objects=32 group=32 transposed=32 granularity=3",
        "objects=8192 group=1024 transposed=16 sparsity=2",
        "objects=4096 group=32 indirect=4 transposed=4 sparsity=3 granularity=3 type=double",
        "objects=3000 group=64 branches=32 fields=3 aggregate=3 type=ushort intensity=5",
        "objects=2000 group=128 fields=31 type=mixed intensity=1.1 sparsity=3 split=0.2",
    };
    (void)state;
    check_points("opencl", points, sizeof points / sizeof *points);
}

static void points_in_cuda(void **state) {
    static const char *const points[] = {
        "objects=4096 group=64",
        "objects=5000 group=32 sparsity=3 granularity=5 split=0.37",
        "objects=8192 group=1024 transposed=16 sparsity=2 intensity=6",
        "objects=4096 group=32 indirect=4 transposed=4 sparsity=3 type=double",
        "objects=3000 group=64 branches=32 fields=3 aggregate=3 type=ushort intensity=5",
    };
    (void)state;
    check_points("cuda", points, sizeof points / sizeof *points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_of_each_dimension),
        cmocka_unit_test(odd_points),
        cmocka_unit_test(points_in_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
