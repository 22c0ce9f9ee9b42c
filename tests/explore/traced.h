/*
 * What a micro-kernel does, measured from what the machine announces: the addresses of lanes, the
 * instructions and the operations. Nothing here knows how the generator places threads or writes
 * loops. Each dimension must be what was asked for, so that none moves with another one.
 *
 * Include after cmocka.h.
 */
#ifndef EXPLORE_TRACED_H
#define EXPLORE_TRACED_H

#include <math.h>

#include "advise/explore/micro.h"
#include "oracle/jobs.h"
#include "machine/vm.h"

enum { TRACED_LANES = 32, TRACED_MEMBERS = 64 };

/* ---- what is heard ----------------------------------------------------------------------------- */

/* A member of the objects, as loads and stores show it. */
typedef struct traced_member {
    const char *name;
    uint32_t width, objects; /* that it was touched of */
    uint8_t *touched;        /* [objects of the buffer] */
    bool is_stored;
} traced_member;

typedef struct traced_heard {
    hd_arena *arena;
    const hd_event_launch *launch; /* while it runs */
    hd_event_buffer objects;       /* the buffer whose elements are records */
    uint32_t threads;              /* of a block */
    traced_member members[TRACED_MEMBERS];
    uint32_t member_count;
    uint64_t bytes, index_loads, blocks, twice;
    uint64_t loads; /* of the first member, by a block */
    /* Of the first member's loads by 32 lanes at once: where neighbouring lanes lie apart, in
     * bytes, once for each pair. */
    hd_vec(int64_t) apart;
    uint64_t warps;
} traced_heard;

static hd_status traced_launch(void *self, const hd_event_launch *launch) {
    traced_heard *h = self;
    h->launch = launch;
    h->threads = launch->block_threads;
    for (uint32_t b = 0; b < launch->buffer_count; b++)
        if (launch->buffers[b].record)
            h->objects = launch->buffers[b];
    return HD_OK;
}

static void *traced_open_block(void *self, uint64_t block) {
    traced_heard *h = self;
    (void)block;
    h->blocks++;
    return h;
}

static traced_member *traced_member_of(traced_heard *h, const hd_event_access *access) {
    for (uint32_t m = 0; m < h->member_count; m++)
        if (!strcmp(h->members[m].name, access->field))
            return &h->members[m];
    assert_true(h->member_count < TRACED_MEMBERS);
    traced_member *m = &h->members[h->member_count++];
    *m = (traced_member){hd_strdup(h->arena, access->field), access->width};
    m->touched = hd_new_array(h->arena, uint8_t, h->objects.bytes / h->objects.element_bytes);
    m->is_stored = access->kind == HD_STORE;
    return m;
}

static void traced_distances(traced_heard *h, const hd_event *event) {
    h->loads++;
    for (uint32_t l = 0; l < event->threads; l++) {
        h->warps += l % TRACED_LANES == 0;
        if (l % TRACED_LANES)
            hd_push(h->arena, &h->apart,
                    (int64_t)(hd_event_address(event, l) - hd_event_address(event, l - 1)));
    }
}

static void traced_event(void *stream, const hd_event *event) {
    traced_heard *h = stream;
    const hd_event_access *access = &h->launch->accesses[event->access];
    if (!access->field) {
        h->index_loads += event->active;
        return;
    }
    traced_member *m = traced_member_of(h, access);
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
        traced_distances(h, event);
}

/* ---- what is measured --------------------------------------------------------------------------- */

/* A run: what was heard, of a launch that `counts` is of. */
typedef struct traced {
    traced_heard heard;
    hd_vm_counts counts;
    uint64_t all_objects;
} traced;

static traced *traced_run(hd_micro_folder *folder, hd_arena *arena, const hd_micro_point *point) {
    traced *r = hd_new(arena, traced);
    hd_micro micro;
    hd_vm *vm;
    const hd_vm_options options = {.workers = 1};
    r->heard.arena = arena;
    assert_int_equal(hd_micro_load(arena, folder, point, &micro), HD_OK);
    assert_int_equal(hd_vm_open(arena, &jobs_diag, micro.job, NULL, &options, &vm), HD_OK);
    const hd_sink sink = {&r->heard, traced_launch, traced_open_block, traced_event, NULL, NULL};
    assert_int_equal(hd_vm_run(vm, 0, &sink, &r->counts), HD_OK);
    r->all_objects = r->heard.objects.bytes / r->heard.objects.element_bytes;
    hd_vm_close(vm);
    return r;
}

/* Bytes from an object of a lane to the nearest that a neighbouring lane may have. */
static int64_t traced_step(const traced_heard *h) {
    int64_t step = INT64_MAX;
    for (size_t a = 0; a < h->apart.count; a++)
        if (llabs(h->apart.data[a]) < step)
            step = llabs(h->apart.data[a]);
    return step;
}

/* Runs of lanes that are `step` apart, among 32 lanes, on the average. */
static double traced_runs(const traced_heard *h, int64_t step) {
    uint64_t breaks = 0;
    for (size_t a = 0; a < h->apart.count; a++)
        breaks += h->apart.data[a] != step;
    return 1 + (double)breaks / (double)h->warps;
}

static uint64_t traced_bytes(const traced_heard *h) {
    uint64_t bytes = 0;
    for (uint32_t m = 0; m < h->member_count; m++)
        bytes += h->members[m].width;
    return bytes;
}

/* Of a float, double, unsigned int, unsigned short, and of all by turns. */
static hd_micro_type traced_type(const traced_heard *h) {
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
static void traced_check_once(const traced *r, const char *text) {
    const traced_heard *h = &r->heard;
    assert_int_equal(h->twice, 0);
    for (uint32_t m = 0; m < h->member_count; m++)
        for (uint32_t o = 0; o < r->all_objects; o++)
            if (h->members[m].touched[o] != (o < h->members[0].objects))
                fail_msg("%s: %s of object %u of %u", text, h->members[m].name, o,
                         h->members[0].objects);
}

/* ---- against what was asked for ------------------------------------------------------------------ */

static bool traced_is_integer(const hd_micro_point *point) {
    return point->value[HD_DIM_TYPE] == HD_MICRO_UINT ||
           point->value[HD_DIM_TYPE] == HD_MICRO_USHORT;
}

/* Operations on the fields. Those of integers are counted with those on indices and loop counters,
 * which are what the same kernel has for floats. */
static uint64_t traced_operations(hd_micro_folder *folder, hd_arena *arena,
                                  const hd_micro_point *point, const traced *r) {
    const uint64_t *counts = r->counts.operations;
    uint64_t reals = counts[HD_OPERATION_FP32] + counts[HD_OPERATION_FP64];
    if (!traced_is_integer(point))
        return reals;
    assert_int_equal(reals, 0);
    hd_micro_point twin = *point;
    twin.value[HD_DIM_TYPE] = HD_MICRO_FLOAT;
    twin.value[HD_DIM_INTENSITY] *= (double)traced_bytes(&r->heard) / (4 * r->heard.member_count);
    const traced *floats = traced_run(folder, arena, &twin);
    return counts[HD_OPERATION_INTEGER] - floats->counts.operations[HD_OPERATION_INTEGER];
}

/* Ways that lanes part: how often a block executes what is only there for more intensity, for each
 * time that a lane does. */
static double traced_branches(hd_micro_folder *folder, hd_arena *arena, const hd_micro_point *point,
                              const traced *r) {
    hd_micro_point more = *point;
    more.value[HD_DIM_INTENSITY] += 4;
    const hd_vm_counts *of_more = &traced_run(folder, arena, &more)->counts;
    return (double)r->heard.threads * (double)(of_more->instructions - r->counts.instructions) /
           (double)(of_more->thread_instructions - r->counts.thread_instructions);
}

/* Within `tolerance`. */
static void traced_expect(const char *text, int dimension, double found, double asked,
                          double tolerance) {
    if (!(fabs(found - asked) <= tolerance))
        fail_msg("%s: %s is %.9g", text, hd_dimensions[dimension].name, found);
}

/* Objects that are computed together: what sizes are rounded to. */
static double traced_unit(const hd_micro_point *point) {
    return point->value[HD_DIM_GROUP] * point->value[HD_DIM_SPARSITY] *
           point->value[HD_DIM_GRANULARITY] * (point->value[HD_DIM_TRANSPOSED] > 1 ? 2 : 1);
}

static void traced_check_places(const hd_micro_point *point, const traced *r, const char *text) {
    const double *asked = point->value;
    const traced_heard *h = &r->heard;
    int64_t object = h->objects.element_bytes;
    bool alone = asked[HD_DIM_TRANSPOSED] == TRACED_LANES || asked[HD_DIM_INDIRECT] == TRACED_LANES;
    int64_t step = alone ? object * (int64_t)asked[HD_DIM_SPARSITY] : traced_step(h);
    double runs = traced_runs(h, step);
    if (!alone)
        traced_expect(text, HD_DIM_SPARSITY, (double)step / (double)object, asked[HD_DIM_SPARSITY],
                      0);
    /* Rows of a matrix whose objects lie where indices say are cut once, by what cuts more. */
    int cut =
        asked[HD_DIM_INDIRECT] > asked[HD_DIM_TRANSPOSED] ? HD_DIM_INDIRECT : HD_DIM_TRANSPOSED;
    /* Two runs that follow each other by chance are one: of all that there are, less than one such
     * pair is expected, and what lies between lanes goes the same way. */
    double chance = asked[HD_DIM_INDIRECT] > 0 ? 4 * asked[HD_DIM_SPARSITY] : 0;
    traced_expect(text, cut, runs, asked[cut], chance / (double)h->warps);
    assert_true(runs <= asked[cut]);
    assert_int_equal(h->index_loads, asked[HD_DIM_INDIRECT] > 0 ? h->loads * r->heard.threads : 0);
}

static void traced_check_amounts(const hd_micro_point *point, const traced *r, const char *text) {
    const double *asked = point->value;
    const traced_heard *h = &r->heard;
    double all = (double)r->all_objects, unit = traced_unit(point);
    uint64_t used = traced_bytes(h);
    hd_micro_type type = traced_type(h), wanted = (hd_micro_type)asked[HD_DIM_TYPE];
    /* Where types differ, alignment may take bytes, too: up to 7 before each of them, and behind. */
    bool mixed = wanted == HD_MICRO_MIXED;
    traced_expect(text, HD_DIM_AGGREGATE, (double)h->objects.element_bytes / (double)used,
                  asked[HD_DIM_AGGREGATE],
                  !mixed                        ? 0
                  : asked[HD_DIM_AGGREGATE] > 1 ? 7.0 / (double)used
                                                : 7.0 * h->member_count / (double)used);
    traced_expect(text, HD_DIM_TYPE, type, wanted == HD_MICRO_UINT ? HD_MICRO_FLOAT : wanted, 0);
    traced_expect(text, HD_DIM_FIELDS, h->member_count - 1, asked[HD_DIM_FIELDS], 0);
    traced_expect(text, HD_DIM_GRANULARITY, (double)h->loads / (double)h->blocks,
                  asked[HD_DIM_GRANULARITY], 0);
    traced_expect(text, HD_DIM_GROUP, (double)r->heard.threads, asked[HD_DIM_GROUP], 0);
    traced_expect(text, HD_DIM_OBJECTS, all, asked[HD_DIM_OBJECTS] + (unit - 1) / 2,
                  (unit - 1) / 2);
    traced_expect(text, HD_DIM_SPLIT, 1 - h->members[0].objects / all, asked[HD_DIM_SPLIT],
                  asked[HD_DIM_SPLIT] > 0 ? unit / 2 / all + 1e-9 : 0);
}

static void traced_check_work(hd_micro_folder *folder, hd_arena *arena, const hd_micro_point *point,
                              const traced *r, const char *text) {
    const traced_heard *h = &r->heard;
    uint64_t operations = traced_operations(folder, arena, point, r);
    assert_int_equal(operations % h->members[0].objects, 0);
    traced_expect(text, HD_DIM_INTENSITY, (double)operations / (double)h->bytes,
                  point->value[HD_DIM_INTENSITY], 0.5 / (double)traced_bytes(h) + 1e-9);
    traced_expect(text, HD_DIM_BRANCHES, traced_branches(folder, arena, point, r),
                  point->value[HD_DIM_BRANCHES], 1e-9);
}

static void traced_check(hd_micro_folder *folder, const hd_micro_point *point) {
    hd_arena *arena = hd_arena_new();
    const char *text = hd_micro_print(arena, point);
    const traced *r = traced_run(folder, arena, point);
    traced_check_once(r, text);
    traced_check_places(point, r, text);
    traced_check_amounts(point, r, text);
    traced_check_work(folder, arena, point, r, text);
    hd_arena_free(arena);
}

#endif
