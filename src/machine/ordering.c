/* Barriers, fences, releases and acquisitions, as vector clocks. */
#include <stdlib.h>

#include "machine/ordering.h"

/* ---- from beginning to end --------------------------------------------------------- */

vm_orders *vm_orders_new(uint64_t blocks, bool takes_turns) {
    vm_orders *o = hd_zeroed(1, sizeof *o);
    o->arena = hd_arena_new();
    o->published = hd_zeroed(blocks, sizeof *o->published);
    o->takes_turns = takes_turns;
    return o;
}

static void forget_told(vm_location *l) {
    vm_clock_drop(l->wide);
    l->wide = NULL;
    for (uint32_t i = 0; i < l->part_count; i++)
        vm_clock_drop(l->parts[i].knows);
    l->part_count = 0;
}

void vm_orders_free(vm_orders *o) {
    for (size_t i = 0; i < o->locations.count; i++) {
        forget_told(&o->locations.data[i]);
        free(o->locations.data[i].parts);
    }
    free(o->published);
    hd_arena_free(o->arena);
    free(o);
}

static void forget_thread(vm_thread_order *t) {
    vm_clock_drop(t->knows);
    for (uint32_t s = 0; s < VM_SCOPES; s++) {
        vm_clock_drop(t->fence[s].knows);
        vm_clock_drop(t->seen[s]);
    }
    *t = (vm_thread_order){.time = 1};
}

void vm_threads_begin(vm_threads *t, uint64_t block, uint32_t lanes) {
    if (!t->of)
        t->of = hd_zeroed(lanes, sizeof *t->of);
    t->block = block;
    t->lanes = lanes;
    t->ordered = 0;
    t->latest = 1;
    for (uint32_t l = 0; l < lanes; l++)
        forget_thread(&t->of[l]);
}

void vm_threads_free(vm_threads *t) {
    for (uint32_t l = 0; t->of && l < t->lanes; l++)
        forget_thread(&t->of[l]);
    free(t->of);
}

bool vm_happened_before(const vm_threads *t, uint32_t lane, uint64_t block, uint32_t other,
                        uint32_t time) {
    if (block == t->block && (other == lane || time <= t->ordered))
        return true;
    return vm_clock_knows(t->of[lane].knows, block, other, time);
}

static void go_on(vm_threads *t, uint32_t lane) {
    uint32_t time = ++t->of[lane].time;
    t->latest = time > t->latest ? time : t->latest;
}

/* ---- waiting for each other ---------------------------------------------------------- */

static bool has(const uint64_t *mask, uint32_t lane) {
    return mask && (mask[lane / 64] >> lane % 64 & 1);
}

/* All of the lanes [from, to) wait, or have returned. */
static bool covers(const uint64_t *mask, const uint64_t *returned, uint32_t from, uint32_t to) {
    while (from < to && (has(mask, from) || has(returned, from)))
        from++;
    return from == to;
}

/* What those who have waited know of each other; `time`: of the latest of them. */
static vm_clock *known_together(const vm_threads *t, const uint64_t *mask, const uint64_t *returned,
                                uint32_t time) {
    if (covers(mask, returned, 0, t->lanes))
        return vm_clock_make(&(vm_known){vm_who_block(t->block), time}, 1);
    vm_known *known = hd_zeroed(t->lanes + 1, sizeof *known);
    uint32_t count = 0;
    for (uint32_t single = 0; single < 2; single++)
        for (uint32_t from = 0; from < t->lanes; from += VM_CLOCK_WARP) {
            uint32_t to = from + VM_CLOCK_WARP < t->lanes ? from + VM_CLOCK_WARP : t->lanes;
            bool whole = covers(mask, returned, from, to);
            if (!single && whole)
                known[count++] = (vm_known){vm_who_warp(t->block, from / VM_CLOCK_WARP), time};
            for (uint32_t l = from; single && !whole && l < to; l++)
                if (has(mask, l))
                    known[count++] = (vm_known){vm_who_thread(t->block, l), t->of[l].time};
        }
    vm_clock *clock = vm_clock_make(known, count);
    free(known);
    return clock;
}

/* What atomics have seen becomes known to who stands behind a fence that reaches so far. */
static void acquire_seen(vm_clock **knows, vm_thread_order *t, uint32_t reach) {
    for (uint32_t s = VM_OF_BLOCK; s <= reach; s++) {
        vm_clock_add(knows, t->seen[s]);
        vm_clock_drop(t->seen[s]);
        t->seen[s] = NULL;
    }
}

void vm_order_lanes(vm_threads *t, const uint64_t *mask, const uint64_t *returned, vm_clock *more) {
    vm_clock *all = vm_clock_keep(more), *last = NULL;
    uint32_t time = 0;
    for (uint32_t l = 0; l < t->lanes; l++) {
        if (!has(mask, l) && !has(returned, l))
            continue;
        time = t->of[l].time > time ? t->of[l].time : time;
        if (t->of[l].knows != last) /* most share one */
            vm_clock_add(&all, t->of[l].knows);
        last = t->of[l].knows;
        acquire_seen(&all, &t->of[l], VM_OF_DEVICE); /* as behind a fence */
    }
    vm_clock *own = known_together(t, mask, returned, time);
    vm_clock_add(&all, own);
    vm_clock_drop(own);
    if (covers(mask, returned, 0, t->lanes))
        t->ordered = time;
    for (uint32_t l = 0; l < t->lanes; l++) {
        if (!has(mask, l))
            continue;
        vm_clock_drop(t->of[l].knows);
        t->of[l].knows = vm_clock_keep(all);
        t->of[l].time = time;
        go_on(t, l);
    }
    vm_clock_drop(all);
}

void vm_order_arrival(vm_threads *t, uint32_t lane, vm_clock **told) {
    vm_clock_add(told, t->of[lane].knows);
    vm_clock_add_one(told, vm_who_thread(t->block, lane), t->of[lane].time);
    go_on(t, lane);
}

/* ---- fences --------------------------------------------------------------------------- */

static bool acquires(kir_order order) { return order == KIR_ACQUIRE || order == KIR_ACQ_REL; }
static bool releases(kir_order order) { return order == KIR_RELEASE || order == KIR_ACQ_REL; }

void vm_order_fence(vm_threads *threads, uint32_t lane, kir_order order, bool is_block_scope) {
    vm_thread_order *t = &threads->of[lane];
    uint32_t reach = is_block_scope ? VM_OF_BLOCK : VM_OF_DEVICE;
    if (acquires(order))
        acquire_seen(&t->knows, t, reach);
    for (uint32_t s = VM_OF_BLOCK; s <= reach && releases(order); s++) {
        vm_clock_drop(t->fence[s].knows);
        t->fence[s] = (vm_told){vm_clock_keep(t->knows), t->time};
    }
    go_on(threads, lane);
}

/* ---- atomics -------------------------------------------------------------------------- */

/* What a block's threads have told; where blocks run one after the other, nobody asks for that of
 * another block any more. */
static vm_clock **part_of(const vm_orders *o, vm_location *l, uint64_t block) {
    uint32_t i = 0;
    while (i < l->part_count && l->parts[i].block != block)
        i++;
    if (i == l->part_count && i && !o->takes_turns) {
        vm_clock_drop(l->parts[--i].knows);
        l->part_count = i;
    }
    if (i == l->part_count) {
        l->parts = hd_checked(realloc(l->parts, (i + 1) * sizeof *l->parts));
        l->parts[l->part_count++] = (vm_part){.block = block};
    }
    l->parts[i].block = block;
    return &l->parts[i].knows;
}

static void tell(const vm_orders *o, vm_threads *threads, vm_location *l, vm_clock *knows,
                 bool is_block_scope) {
    vm_clock_add(part_of(o, l, threads->block), knows);
    if (is_block_scope)
        return;
    vm_clock_add(&l->wide, knows);
    o->published[threads->block] = threads->latest;
}

/* The scope of the write itself says who sees it, and no more. */
static void tell_by_fences(const vm_orders *o, vm_threads *threads, uint32_t lane, vm_location *l) {
    const vm_thread_order *t = &threads->of[lane];
    for (uint32_t s = VM_OF_BLOCK; s < VM_SCOPES; s++) {
        if (!t->fence[s].time)
            continue;
        vm_clock *knows = vm_clock_keep(t->fence[s].knows);
        vm_clock_add_one(&knows, vm_who_thread(threads->block, lane), t->fence[s].time);
        tell(o, threads, l, knows, s == VM_OF_BLOCK);
        vm_clock_drop(knows);
    }
}

static void release(const vm_orders *o, vm_threads *threads, uint32_t lane, vm_location *l,
                    bool is_block_scope) {
    vm_clock *knows = NULL;
    vm_order_arrival(threads, lane, &knows);
    tell(o, threads, l, knows, is_block_scope);
    vm_clock_drop(knows);
}

void vm_order_read(vm_orders *o, vm_threads *threads, uint32_t lane, uint32_t location,
                   const vm_atomic_order *how) {
    if (!location)
        return;
    vm_location *l = &o->locations.data[location - 1];
    vm_thread_order *t = &threads->of[lane];
    vm_clock *part = *part_of(o, l, threads->block);
    bool acquires_here = acquires(how->order), acquires_all = acquires_here && !how->is_block_scope;
    vm_clock_add(acquires_here ? &t->knows : &t->seen[VM_OF_BLOCK], part);
    vm_clock_add(acquires_all ? &t->knows : &t->seen[VM_OF_DEVICE], l->wide);
}

void vm_order_write(vm_orders *o, vm_threads *threads, uint32_t lane, uint32_t *location,
                    const vm_atomic_order *how, bool goes_on) {
    bool tells = releases(how->order) || threads->of[lane].fence[VM_OF_BLOCK].time;
    if (!*location && !tells)
        return;
    if (!*location) {
        hd_push(o->arena, &o->locations, (vm_location){0});
        *location = (uint32_t)o->locations.count;
    }
    vm_location *l = &o->locations.data[*location - 1];
    if (!goes_on)
        forget_told(l);
    tell_by_fences(o, threads, lane, l);
    if (releases(how->order))
        release(o, threads, lane, l, how->is_block_scope);
}

void vm_order_plain_write(vm_orders *o, uint32_t location) {
    if (location)
        forget_told(&o->locations.data[location - 1]);
}
