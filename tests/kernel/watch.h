/*
 * What the analysis says of a kernel, against a run of it by the machine in
 * interpret.h: every access's address, field and guards, every loop's count.
 * Include after cmocka.h.
 */
#ifndef TEST_WATCH_H
#define TEST_WATCH_H

#include "interpret.h"

typedef struct watch {
    const hd_kernel_info *info;
    uint64_t *runs; /* of each access, by this work-item */
    uint64_t checked, guards_checked, unfinished;
    uint64_t *entered, *passes; /* of each loop, over all work-items */
} watch;

static bool holds(int64_t value, kir_pred pred) { return machine_compare(pred, 64, value, 0); }

static bool guards_hold(const watch *w, const hd_access *a, const hd_point *point) {
    for (uint32_t g = 0; g < a->guard_count; g++) {
        int64_t value;
        assert_true(hd_affine_evaluate(w->info, a->guards[g].expr, point, &value));
        if (!holds(value, a->guards[g].pred))
            return false;
    }
    return true;
}

static uint64_t watch_element_bytes(const kir_kernel *kernel, const hd_access *a) {
    uint32_t bytes = a->param >= 0 ? kernel->params[a->param].element_bytes : 0;
    return a->record ? a->record->size : bytes ? bytes : a->width;
}

static void check_access(machine *m, kir_value inst, void *user) {
    watch *w = user;
    const kir_inst *i = &m->kernel->insts[inst];
    int64_t pointer = m->values[i->args[i->op == KIR_STORE ? 1 : 0]];
    int64_t offset = extend((uint64_t)pointer, BASE_SHIFT), value, index, inner;
    for (uint32_t k = 0; k < w->info->access_count; k++) {
        const hd_access *a = &w->info->accesses[k];
        if (a->inst != inst)
            continue;
        w->runs[k]++;
        assert_true(guards_hold(w, a, &m->point));
        w->guards_checked += a->guard_count;
        if (!a->computable || i->op == KIR_COPY) /* which has two pointers */
            continue;
        w->checked++;
        assert_true(hd_affine_evaluate(w->info, a->address, &m->point, &value));
        assert_int_equal(extend((uint64_t)value, BASE_SHIFT), offset);
        assert_true(hd_affine_evaluate(w->info, a->index, &m->point, &index));
        assert_true(hd_affine_evaluate(w->info, a->inner, &m->point, &inner));
        uint64_t size = watch_element_bytes(m->kernel, a);
        uint64_t start = a->field >= 0 ? a->record->fields[a->field].offset : 0;
        assert_int_equal((uint64_t)index * size + start + (uint64_t)inner, value);
        if (a->field >= 0) {
            assert_true(inner >= 0 && inner + a->width <= a->record->fields[a->field].size);
        }
    }
}

static void check_loop(machine *m, uint32_t loop, uint64_t runs, void *user) {
    watch *w = user;
    const hd_trip *trip = &w->info->trips[loop];
    uint64_t count = trip->after_body ? runs : runs - 1;
    w->entered[loop]++;
    w->passes[loop] += count;
    if (trip->kind <= HD_TRIP_BOUND && trip->early_exit)
        assert_true(count <= trip->count);
    else if (trip->kind <= HD_TRIP_BOUND)
        assert_int_equal(count, trip->count);
    if (trip->kind != HD_TRIP_UNKNOWN && trip->affine && !trip->early_exit) {
        int64_t start;
        uint64_t passes;
        assert_true(hd_affine_evaluate(w->info, trip->start, &m->point, &start));
        assert_true(hd_trip_passes(start, trip->step, trip->pred, &passes));
        assert_int_equal(passes + trip->after_body, count);
    }
}

/* How often an unconditional access runs: the product of its loops' trips, when all
 * guards hold. Only where every loop around has a fixed count. */
static void check_runs(const watch *w, const machine *m) {
    for (uint32_t k = 0; k < w->info->access_count; k++) {
        const hd_access *a = &w->info->accesses[k];
        uint64_t expected = 1;
        uint32_t block = m->kernel->insts[a->inst].block; /* or the head of the loop inside */
        bool fixed = !a->conditional && m->kernel->insts[a->inst].op != KIR_CALL;
        for (int32_t l = a->loop; l >= 0; l = w->info->flow->loops[l].parent) {
            const hd_trip *trip = &w->info->trips[l];
            bool before = !trip->after_body && trip->test != KIR_NONE &&
                          hd_flow_dominates(w->info->flow, block, trip->test);
            fixed &= trip->kind <= HD_TRIP_BOUND && !trip->early_exit;
            expected *= trip->count + before;
            block = w->info->flow->loops[l].header;
        }
        if (fixed && a->loop < 0)
            assert_int_equal(w->runs[k], guards_hold(w, a, &m->point));
        else if (fixed && a->guard_count == 0)
            assert_int_equal(w->runs[k], expected);
    }
}

static void run_item(const hd_kernel_info *info, watch *w, const int64_t group[3],
                     const int64_t local[3], uint32_t seed) {
    hd_arena *arena = hd_arena_new();
    machine m = {.kernel = info->kernel,
                 .flow = info->flow,
                 .launch = info->binding,
                 .on_access = check_access,
                 .on_leave = check_loop,
                 .user = w,
                 .seed = seed};
    m.iteration = hd_new_array(arena, int64_t, info->flow->loop_count);
    m.values = hd_new_array(arena, int64_t, info->kernel->inst_count);
    m.point.iteration = m.iteration;
    machine_place(&m, group, local);
    memset(w->runs, 0, info->access_count * sizeof *w->runs);
    if (machine_run(&m))
        check_runs(w, &m);
    else
        w->unfinished++;
    hd_arena_free(arena);
}

static void watch_split(uint64_t linear, const uint64_t size[3], int64_t id[3]) {
    for (uint32_t d = 0; d < 3; d++) {
        id[d] = (int64_t)(linear % size[d]);
        linear /= size[d];
    }
}

static void run_launch(hd_arena *arena, const hd_kernel_info *info, watch *w) {
    const hd_binding *b = &info->binding;
    uint64_t size[3], groups[3];
    *w = (watch){.info = info};
    w->runs = hd_new_array(arena, uint64_t, info->access_count + 1);
    w->entered = hd_new_array(arena, uint64_t, info->flow->loop_count + 1);
    w->passes = hd_new_array(arena, uint64_t, info->flow->loop_count + 1);
    for (uint32_t d = 0; d < 3; d++) {
        size[d] = d < b->dims ? b->local[d] : 1;
        groups[d] = d < b->dims ? b->global[d] / b->local[d] : 1;
    }
    for (uint64_t g = 0; g < groups[0] * groups[1] * groups[2]; g++)
        for (uint64_t l = 0; l < size[0] * size[1] * size[2]; l++) {
            int64_t group[3], local[3];
            watch_split(g, groups, group);
            watch_split(l, size, local);
            run_item(info, w, group, local, (uint32_t)(g * 77 + l));
        }
}

#endif
