/*
 * Every dimension of the micro-kernels over its whole range: in each layout the kernel leaves on the
 * machine what plain C computes, and counts what the static cost says, derived from the source where
 * no index is read from memory, from measured shapes in any case. What it does is what was asked for
 * (traced.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "advise/explore/micro.h"
#include "explore/traced.h"
#include "advise/measure/measure.h"
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
static void check_derived(hd_arena *arena, const char *text, const hd_micro *micro,
                          hd_cost_model *model, const char *layout) {
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(arena, model, relaid_layout(arena, micro->job, layout), &lines, &count);
    for (size_t l = 0; l < count && !micro->shape.run; l++)
        if (lines[l].origin != HD_ORIGIN_DERIVED)
            fail_msg("%s in layout %s: line %u is assumed: %s", text, layout, lines[l].access->line,
                     lines[l].assumption);
}

/* Its own kernel, as if its objects lay in each of the layouts. */
static void check_moved(variants *v, hd_arena *arena, const char *text, const hd_micro *micro) {
    counted c;
    void **after = hd_new_array(arena, void *, micro->job->buffer_count);
    counted_open_all(&c, arena, &jobs_diag, micro->job);
    c.all = !micro->shape.run;
    hd_sink sink = counted_sink(&c);
    assert_int_equal(relaid_run(arena, &jobs_diag, micro->job, NULL, &sink, after), HD_OK);
    counted_check(&c, text, &v->sum);
    counted_close(&c);
}

/* The record that is computed is the one that the kernel file declares. */
static void check_record(hd_arena *arena, const char *text, const hd_micro *micro) {
    const hd_record *read = micro->job->record;
    const hd_record *made = hd_micro_record(arena, &micro->point, &micro->shape);
    bool same = made->size == read->size && made->align == read->align &&
                made->field_count == read->field_count;
    for (uint32_t f = 0; f < made->field_count && same; f++)
        same = !strcmp(made->fields[f].name, read->fields[f].name) &&
               made->fields[f].offset == read->fields[f].offset &&
               made->fields[f].size == read->fields[f].size;
    if (!same)
        fail_msg("%s: its record is another one", text);
    const hd_job *job = micro->job;
    uint64_t indices = job->buffer_count > 1 ? job->buffers[1].count : 0;
    assert_int_equal(hd_micro_indices(&micro->shape), indices);
}

/* Compilers take most of the time, so that only the kernel that most points share is rewritten to
 * each layout. Others are rewritten to one by turns, and of the rest, addresses are moved. */
static void check_point(variants *v, const char *text) {
    hd_arena *arena = hd_arena_new();
    hd_micro_point point;
    hd_micro micro;
    relaid r;
    const char *layouts[COUNTED_LAYOUTS];
    assert_true(hd_micro_parse(text, &point));
    assert_int_equal(hd_micro_load(arena, &v->folder, &point, &micro), HD_OK);
    relaid_open(&r, arena, text, micro.job);
    r.all = !micro.shape.run;
    check_plain_c(&r, &micro);
    check_record(arena, text, &micro);
    bool shared = !strcmp(hd_micro_name(arena, &point), "micro-float-4");
    uint32_t count = counted_list_layouts(arena, micro.job, layouts);
    for (uint32_t n = 0; n < count; n++) {
        check_derived(arena, text, &micro, r.models[0], layouts[n]);
        if (shared || n == v->number / 2 % count)
            relaid_check(&r, layouts[n], kernel_in(v, &micro, layouts[n]), &v->sum);
    }
    if (!shared)
        check_moved(v, arena, text, &micro);
    v->number++;
    hd_arena_free(arena);
}

static int open_variants(variants *v, const char *backend) {
    hd_arena *arena = hd_arena_new();
    char *path;
    if (hd_scratch_make(arena, &jobs_diag, &path) != HD_OK)
        return -1;
    *v = (variants){
        .folder = {.arena = arena, .diag = &jobs_diag, .path = path, .backend = backend}};
    return 0;
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
    variants *v = *state;
    uint32_t number = 0;
    for (int d = 0; d < HD_DIMENSIONS; d++)
        for (const double *value = hd_dimensions[d].values; *value >= 0; value++) {
            hd_micro_point point = small_point();
            point.value[d] = *value;
            if (d == HD_DIM_FIELDS) /* so that the operations suffice for all of them */
                point.value[HD_DIM_INTENSITY] = 1;
            if (point.value[HD_DIM_OBJECTS] > MOST_OBJECTS || !IS_TRIED(number++, 6))
                continue;
            check_point(v, hd_micro_print(v->folder.arena, &point));
            traced_check(&v->folder, &point);
        }
    assert_true(SANITIZED || v->number > 65);
}

static void check_points(variants *v, const char *const *points, size_t count) {
    for (size_t p = 0; p < count; p++)
        if (IS_TRIED(p, 3))
            check_point(v, points[p]);
}

/* Values that are no powers of two, and dimensions together. */
static void odd_points(void **state) {
    static const char *const points[] = {
        "objects=5000 group=32 sparsity=3 granularity=5 split=0.37",
        "objects=9000 group=32 transposed=8 sparsity=5 granularity=7 split=0.4",
        "objects=1000 group=32 transposed=2 sparsity=7 intensity=0.15",
        "objects=32 group=32 transposed=32 granularity=3",
        "objects=8192 group=1024 transposed=16 sparsity=2",
        "objects=4096 group=32 indirect=4 transposed=4 sparsity=3 granularity=3",
        "objects=2000 group=128 fields=31 type=mixed intensity=1.1 sparsity=3 split=0.2",
    };
    check_points(*state, points, sizeof points / sizeof *points);
}

static void points_in_cuda(void **state) {
    static const char *const points[] = {
        "objects=8192 group=1024 transposed=16 sparsity=2 intensity=6 type=double",
        "objects=5000 group=32 sparsity=3 granularity=5 split=0.37 indirect=4 type=mixed",
        "objects=3000 group=64 branches=32 fields=3 aggregate=3 type=ushort intensity=5",
    };
    variants v;
    (void)state;
    assert_int_equal(open_variants(&v, "cuda"), 0);
    check_points(&v, points, sizeof points / sizeof *points);
    close_variants(&v);
}

/* A value of the dimension, often one that is no power of two. */
static double random_value(int dimension, uint64_t most) {
    const hd_dimension *d = &hd_dimensions[dimension];
    if (d->is_power)
        return (double)(UINT64_C(1) << rand() % (63 - __builtin_clzll(most) + 1));
    return d->low + (double)(rand() % (most + 1 - (uint64_t)d->low));
}

/* Dimensions together. */
static void dimensions_together(void **state) {
    variants *v = *state;
    srand(22);
    for (int i = 0; i < 40; i++) {
        hd_micro_point point = small_point();
        point.value[HD_DIM_SPARSITY] = random_value(HD_DIM_SPARSITY, 64);
        point.value[HD_DIM_GRANULARITY] = random_value(HD_DIM_GRANULARITY, 7);
        point.value[HD_DIM_OBJECTS] = random_value(HD_DIM_OBJECTS, 8192);
        point.value[HD_DIM_GROUP] = 32 << rand() % 2;
        point.value[HD_DIM_INTENSITY] = 0.4 + rand() % 1000 / 100.0;
        if (i % 3 != 1)
            point.value[HD_DIM_TRANSPOSED] = random_value(HD_DIM_TRANSPOSED, 32);
        if (i % 3 != 2)
            point.value[HD_DIM_INDIRECT] = random_value(HD_DIM_INDIRECT, 32);
        if (i % 5 == 0)
            point.value[HD_DIM_BRANCHES] = random_value(HD_DIM_BRANCHES, 32);
        if (i % 8 == 1) {
            point.value[HD_DIM_FIELDS] = random_value(HD_DIM_FIELDS, 32);
            point.value[HD_DIM_TYPE] = random_value(HD_DIM_TYPE, HD_MICRO_TYPES - 1);
            point.value[HD_DIM_AGGREGATE] = random_value(HD_DIM_AGGREGATE, 8);
            point.value[HD_DIM_INTENSITY] += 1;
        }
        if (i % 4 == 0 && point.value[HD_DIM_OBJECTS] > 2 * traced_unit(&point))
            point.value[HD_DIM_SPLIT] = 0.37;
        if (IS_TRIED(i, 5))
            traced_check(&v->folder, &point);
    }
}

static int open_opencl(void **state) {
    *state = malloc(sizeof(variants));
    return open_variants(*state, "opencl");
}

static int close_opencl(void **state) {
    close_variants(*state);
    free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_of_each_dimension),
        cmocka_unit_test(odd_points),
        cmocka_unit_test(dimensions_together),
        cmocka_unit_test(points_in_cuda),
    };
    return cmocka_run_group_tests(tests, open_opencl, close_opencl);
}
