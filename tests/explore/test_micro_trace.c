/*
 * What a micro-kernel does, measured from what the machine announces: the addresses of lanes, the
 * instructions and the operations. Nothing here knows how the generator places threads or writes
 * loops. Each dimension must be what was asked for, and all others as they were.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/micro.h"
#include "sanitized.h"
#include "vm/vm.h"

enum { LANES = 32, MOST_FIELDS = 64 };

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%s:%u: %s\n", message->place.file ? message->place.file : "",
                  message->place.line, message->text);
}
static const hd_diag diag = {tell, NULL};

/* ---- what is heard ----------------------------------------------------------------------------- */

/* A member of the objects, as loads and stores show it. */
typedef struct member {
    const char *name;
    uint32_t width, objects; /* that it was touched of */
    uint8_t *touched;        /* [objects of the buffer] */
    bool is_stored;
} member;

typedef struct heard {
    hd_arena *arena;
    const hd_event_launch *launch; /* while it runs */
    hd_event_buffer objects;       /* the buffer whose elements are records */
    uint32_t threads;              /* of a block */
    member members[MOST_FIELDS];
    uint32_t member_count;
    uint64_t bytes, index_loads, blocks, twice;
    uint64_t loads; /* of the first member, by a block */
    /* Of the first member's loads by 32 lanes at once: where neighbouring lanes lie apart, in
     * bytes, once for each pair. */
    hd_vec(int64_t) apart;
    uint64_t warps;
} heard;

static hd_status hear_launch(void *self, const hd_event_launch *launch) {
    heard *h = self;
    h->launch = launch;
    h->threads = launch->block_threads;
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        if (launch->buffers[b].record)
            h->objects = launch->buffers[b];
    return HD_OK;
}

static void *hear_block(void *self, uint64_t block) {
    heard *h = self;
    (void)block;
    h->blocks++;
    return h;
}

static member *member_of(heard *h, const hd_event_access *access) {
    for (uint32_t m = 0; m < h->member_count; m++)
        if (!strcmp(h->members[m].name, access->field))
            return &h->members[m];
    assert_true(h->member_count < MOST_FIELDS);
    member *m = &h->members[h->member_count++];
    *m = (member){hd_strdup(h->arena, access->field), access->width};
    m->touched = hd_new_array(h->arena, uint8_t, h->objects.bytes / h->objects.element_bytes);
    m->is_stored = access->kind == HD_STORE;
    return m;
}

static void hear_distances(heard *h, const hd_event *event) {
    h->loads++;
    for (uint32_t l = 0; l < event->threads; l++) {
        h->warps += l % LANES == 0;
        if (l % LANES)
            hd_push(h->arena, &h->apart,
                    (int64_t)(hd_event_address(event, l) - hd_event_address(event, l - 1)));
    }
}

static void hear_event(void *stream, const hd_event *event) {
    heard *h = stream;
    const hd_event_access *access = &h->launch->accesses[event->access];
    if (!access->field) {
        h->index_loads += event->active;
        return;
    }
    member *m = member_of(h, access);
    assert_int_equal(event->active, event->threads);
    assert_true(m->width == access->width && m->is_stored == (access->kind == HD_STORE));
    h->bytes += (uint64_t)access->width * event->active;
    for (uint32_t l = 0; l < event->threads; l++) {
        uint64_t byte = hd_event_address(event, l) - h->objects.base;
        assert_true(byte < h->objects.bytes);
        uint64_t object = byte / h->objects.element_bytes;
        h->twice += m->touched[object];
        m->objects += !m->touched[object];
        m->touched[object] = 1;
    }
    if (m == h->members)
        hear_distances(h, event);
}

/* ---- what is measured --------------------------------------------------------------------------- */

/* A run: what was heard, of a launch that `counts` is of. */
typedef struct run {
    heard heard;
    hd_vm_counts counts;
    uint64_t all_objects;
} run;

typedef struct kernels {
    hd_micro_folder folder;
    uint32_t number;
} kernels;

static run *run_point(kernels *k, hd_arena *arena, const hd_micro_point *point) {
    run *r = hd_new(arena, run);
    hd_micro micro;
    hd_vm *vm;
    const hd_vm_options options = {.workers = 1};
    r->heard.arena = arena;
    assert_int_equal(hd_micro_load(arena, &k->folder, point, &micro), HD_OK);
    assert_int_equal(hd_vm_open(arena, &diag, micro.job, NULL, &options, &vm), HD_OK);
    const hd_sink sink = {&r->heard, hear_launch, hear_block, hear_event, NULL, NULL};
    assert_int_equal(hd_vm_run(vm, 0, &sink, &r->counts), HD_OK);
    r->all_objects = r->heard.objects.bytes / r->heard.objects.element_bytes;
    hd_vm_close(vm);
    return r;
}

/* Bytes from an object of a lane to the nearest that a neighbouring lane may have. */
static int64_t step_of(const heard *h) {
    int64_t step = INT64_MAX;
    for (size_t a = 0; a < h->apart.count; a++)
        if (llabs(h->apart.data[a]) < step)
            step = llabs(h->apart.data[a]);
    return step;
}

/* Runs of lanes that are `step` apart, among 32 lanes, on the average. */
static double runs_of(const heard *h, int64_t step) {
    uint64_t breaks = 0;
    for (size_t a = 0; a < h->apart.count; a++)
        breaks += h->apart.data[a] != step;
    return 1 + (double)breaks / (double)h->warps;
}

static uint64_t bytes_of_members(const heard *h) {
    uint64_t bytes = 0;
    for (uint32_t m = 0; m < h->member_count; m++)
        bytes += h->members[m].width;
    return bytes;
}

/* Of a float, double, unsigned int, unsigned short, and of all by turns. */
static hd_micro_type type_of(const heard *h) {
    static const uint32_t widths[] = {4, 8, 4, 2};
    bool mixed = true, equal = true;
    uint32_t fields = 0;
    for (uint32_t m = 0; m < h->member_count; m++) {
        if (h->members[m].is_stored)
            continue;
        mixed &= h->members[m].width == widths[fields++ % 4];
        equal &= h->members[m].width == h->members[0].width;
    }
    return mixed && !equal            ? HD_MICRO_MIXED
           : h->members[0].width == 8 ? HD_MICRO_DOUBLE
           : h->members[0].width == 2 ? HD_MICRO_USHORT
                                      : HD_MICRO_FLOAT;
}

/* Every member of the first objects is touched once, of others none. */
static void check_once(const run *r, const char *text) {
    const heard *h = &r->heard;
    assert_int_equal(h->twice, 0);
    for (uint32_t m = 0; m < h->member_count; m++)
        for (uint32_t o = 0; o < r->all_objects; o++)
            if (h->members[m].touched[o] != (o < h->members[0].objects))
                fail_msg("%s: %s of object %u of %u", text, h->members[m].name, o,
                         h->members[0].objects);
}

/* ---- against what was asked for ------------------------------------------------------------------ */

static bool is_integer(const hd_micro_point *point) {
    return point->value[HD_DIM_TYPE] == HD_MICRO_UINT ||
           point->value[HD_DIM_TYPE] == HD_MICRO_USHORT;
}

/* Operations on the fields. Those of integers are counted with those on indices and loop counters,
 * which are what the same kernel has for floats. */
static uint64_t operations_of(kernels *k, hd_arena *arena, const hd_micro_point *point,
                              const run *r) {
    const uint64_t *counts = r->counts.operations;
    uint64_t reals = counts[HD_OPERATION_FP32] + counts[HD_OPERATION_FP64];
    if (!is_integer(point))
        return reals;
    assert_int_equal(reals, 0);
    hd_micro_point twin = *point;
    twin.value[HD_DIM_TYPE] = HD_MICRO_FLOAT;
    twin.value[HD_DIM_INTENSITY] *=
        (double)bytes_of_members(&r->heard) / (4 * r->heard.member_count);
    const run *floats = run_point(k, arena, &twin);
    return counts[HD_OPERATION_INTEGER] - floats->counts.operations[HD_OPERATION_INTEGER];
}

/* Ways that lanes part: how often a block executes what is only there for more intensity, for each
 * time that a lane does. */
static double branches_of(kernels *k, hd_arena *arena, const hd_micro_point *point, const run *r) {
    hd_micro_point more = *point;
    more.value[HD_DIM_INTENSITY] += 4;
    const hd_vm_counts *of_more = &run_point(k, arena, &more)->counts;
    return (double)r->heard.threads * (double)(of_more->instructions - r->counts.instructions) /
           (double)(of_more->thread_instructions - r->counts.thread_instructions);
}

/* Within `tolerance`. */
static void expect(const char *text, int dimension, double found, double asked, double tolerance) {
    if (!(fabs(found - asked) <= tolerance))
        fail_msg("%s: %s is %.9g", text, hd_dimensions[dimension].name, found);
}

/* Objects that are computed together: what sizes are rounded to. */
static double unit_of(const hd_micro_point *point) {
    return point->value[HD_DIM_GROUP] * point->value[HD_DIM_SPARSITY] *
           point->value[HD_DIM_GRANULARITY] * (point->value[HD_DIM_TRANSPOSED] > 1 ? 2 : 1);
}

static void check_places(const hd_micro_point *point, const run *r, const char *text) {
    const double *asked = point->value;
    const heard *h = &r->heard;
    int64_t object = h->objects.element_bytes;
    bool alone = asked[HD_DIM_TRANSPOSED] == LANES || asked[HD_DIM_INDIRECT] == LANES;
    int64_t step = alone ? object * (int64_t)asked[HD_DIM_SPARSITY] : step_of(h);
    double runs = runs_of(h, step);
    if (!alone)
        expect(text, HD_DIM_SPARSITY, (double)step / (double)object, asked[HD_DIM_SPARSITY], 0);
    if (asked[HD_DIM_INDIRECT] > 0) {
        /* Two that follow each other by chance are one: of all that there are, less than one such
         * pair is expected, and what lies between lanes goes the same way. */
        expect(text, HD_DIM_INDIRECT, runs, asked[HD_DIM_INDIRECT],
               4 * asked[HD_DIM_SPARSITY] / (double)h->warps);
        assert_true(runs <= asked[HD_DIM_INDIRECT]);
    } else {
        expect(text, HD_DIM_TRANSPOSED, runs, asked[HD_DIM_TRANSPOSED], 0);
    }
    assert_int_equal(h->index_loads, asked[HD_DIM_INDIRECT] > 0 ? h->loads * r->heard.threads : 0);
}

static void check_amounts(const hd_micro_point *point, const run *r, const char *text) {
    const double *asked = point->value;
    const heard *h = &r->heard;
    double all = (double)r->all_objects, unit = unit_of(point);
    uint64_t used = bytes_of_members(h);
    hd_micro_type type = type_of(h), wanted = (hd_micro_type)asked[HD_DIM_TYPE];
    /* Where types differ, alignment may take bytes, too: up to 7 before each of them, and behind. */
    bool mixed = wanted == HD_MICRO_MIXED;
    expect(text, HD_DIM_AGGREGATE, (double)h->objects.element_bytes / (double)used,
           asked[HD_DIM_AGGREGATE],
           !mixed                        ? 0
           : asked[HD_DIM_AGGREGATE] > 1 ? 7.0 / (double)used
                                         : 7.0 * h->member_count / (double)used);
    expect(text, HD_DIM_TYPE, type, wanted == HD_MICRO_UINT ? HD_MICRO_FLOAT : wanted, 0);
    expect(text, HD_DIM_FIELDS, h->member_count - 1, asked[HD_DIM_FIELDS], 0);
    expect(text, HD_DIM_GRANULARITY, (double)h->loads / (double)h->blocks,
           asked[HD_DIM_GRANULARITY], 0);
    expect(text, HD_DIM_GROUP, (double)r->heard.threads, asked[HD_DIM_GROUP], 0);
    expect(text, HD_DIM_OBJECTS, all, asked[HD_DIM_OBJECTS] + (unit - 1) / 2, (unit - 1) / 2);
    expect(text, HD_DIM_SPLIT, 1 - h->members[0].objects / all, asked[HD_DIM_SPLIT],
           asked[HD_DIM_SPLIT] > 0 ? unit / 2 / all + 1e-9 : 0);
}

static void check_work(kernels *k, hd_arena *arena, const hd_micro_point *point, const run *r,
                       const char *text) {
    const heard *h = &r->heard;
    uint64_t operations = operations_of(k, arena, point, r);
    assert_int_equal(operations % h->members[0].objects, 0);
    expect(text, HD_DIM_INTENSITY, (double)operations / (double)h->bytes,
           point->value[HD_DIM_INTENSITY], 0.5 / (double)bytes_of_members(h) + 1e-9);
    expect(text, HD_DIM_BRANCHES, branches_of(k, arena, point, r), point->value[HD_DIM_BRANCHES],
           1e-9);
}

static void check_point(kernels *k, const hd_micro_point *point) {
    hd_arena *arena = hd_arena_new();
    const char *text = hd_micro_print(arena, point);
    const run *r = run_point(k, arena, point);
    check_once(r, text);
    check_places(point, r, text);
    check_amounts(point, r, text);
    check_work(k, arena, point, r, text);
    k->number++;
    hd_arena_free(arena);
}

/* ---- all of them --------------------------------------------------------------------------------- */

static void open_kernels(kernels *k) {
    hd_arena *arena = hd_arena_new();
    char *path;
    assert_int_equal(hd_scratch_make(arena, &diag, &path), HD_OK);
    *k = (kernels){.folder = {.arena = arena, .diag = &diag, .path = path, .backend = "opencl"}};
}

static void close_kernels(kernels *k) {
    hd_scratch_remove(k->folder.path);
    hd_arena_free(k->folder.arena);
}

/* Small, so that groups of 64 objects fill it whatever the values of other dimensions are. */
static hd_micro_point small_point(void) {
    hd_micro_point point = hd_micro_usual();
    point.value[HD_DIM_OBJECTS] = 4096;
    point.value[HD_DIM_GROUP] = 64;
    return point;
}

static void each_dimension_alone(void **state) {
    (void)state;
    kernels k;
    open_kernels(&k);
    uint32_t number = 0;
    for (int d = 0; d < HD_DIMENSIONS; d++)
        for (const double *value = hd_dimensions[d].values; *value >= 0; value++) {
            hd_micro_point point = small_point();
            point.value[d] = *value;
            if (d == HD_DIM_FIELDS) /* so that the operations suffice for all of them */
                point.value[HD_DIM_INTENSITY] = 1;
            if (point.value[HD_DIM_OBJECTS] <= 1 << 16 && IS_TRIED(number++, 4))
                check_point(&k, &point);
        }
    assert_true(SANITIZED || k.number > 65);
    close_kernels(&k);
}

/* A value of the dimension, often one that is no power of two. */
static double random_value(int dimension, uint64_t most) {
    const hd_dimension *d = &hd_dimensions[dimension];
    if (d->is_power)
        return (double)(UINT64_C(1) << rand() % (63 - __builtin_clzll(most) + 1));
    return d->low + (double)(rand() % (most + 1 - (uint64_t)d->low));
}

/* Dimensions together; indices and a matrix both make runs, so that they are told apart alone. */
static void dimensions_together(void **state) {
    (void)state;
    kernels k;
    open_kernels(&k);
    srand(22);
    for (int i = 0; i < 40; i++) {
        hd_micro_point point = small_point();
        point.value[HD_DIM_SPARSITY] = random_value(HD_DIM_SPARSITY, 64);
        point.value[HD_DIM_GRANULARITY] = random_value(HD_DIM_GRANULARITY, 7);
        point.value[HD_DIM_OBJECTS] = random_value(HD_DIM_OBJECTS, 8192);
        point.value[HD_DIM_GROUP] = 32 << rand() % 2;
        point.value[HD_DIM_INTENSITY] = 0.4 + rand() % 1000 / 100.0;
        if (i % 2)
            point.value[HD_DIM_TRANSPOSED] = random_value(HD_DIM_TRANSPOSED, 32);
        else
            point.value[HD_DIM_INDIRECT] = random_value(HD_DIM_INDIRECT, 32);
        if (i % 5 == 0)
            point.value[HD_DIM_BRANCHES] = random_value(HD_DIM_BRANCHES, 32);
        if (i % 8 == 1) {
            point.value[HD_DIM_FIELDS] = random_value(HD_DIM_FIELDS, 32);
            point.value[HD_DIM_TYPE] = random_value(HD_DIM_TYPE, HD_MICRO_TYPES - 1);
            point.value[HD_DIM_AGGREGATE] = random_value(HD_DIM_AGGREGATE, 8);
            point.value[HD_DIM_INTENSITY] += 1;
        }
        if (i % 3 == 0 && point.value[HD_DIM_OBJECTS] > 2 * unit_of(&point))
            point.value[HD_DIM_SPLIT] = 0.37;
        if (IS_TRIED(i, 5))
            check_point(&k, &point);
    }
    close_kernels(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_dimension_alone),
        cmocka_unit_test(dimensions_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
