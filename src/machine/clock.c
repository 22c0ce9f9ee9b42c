/* Vector clocks as sorted lists. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "machine/clock.h"

vm_clock *vm_clock_keep(vm_clock *clock) {
    if (clock)
        clock->users++;
    return clock;
}

void vm_clock_drop(vm_clock *clock) {
    if (clock && !--clock->users)
        free(clock);
}

static vm_clock *new_clock(uint32_t most) {
    vm_clock *c = hd_checked(malloc(sizeof *c + most * sizeof *c->known));
    c->users = 1;
    c->count = 0;
    return c;
}

/* What a block's own number says already of its warps and threads is left out. */
static void append(vm_clock *c, vm_known more, uint32_t *whole) {
    bool is_block = !(more.who & 0xffffff);
    bool same_block = c->count && c->known[*whole].who == (more.who & ~UINT64_C(0xffffff));
    if (is_block)
        *whole = c->count;
    else if (same_block && c->known[*whole].time >= more.time)
        return;
    c->known[c->count++] = more;
}

vm_clock *vm_clock_make(const vm_known *known, uint32_t count) {
    vm_clock *c = new_clock(count);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < count; i++)
        append(c, known[i], &whole);
    return c;
}

vm_clock *vm_clock_joined(vm_clock *a, vm_clock *b) {
    if (!b || a == b)
        return vm_clock_keep(a);
    if (!a)
        return vm_clock_keep(b);
    vm_clock *c = new_clock(a->count + b->count);
    uint32_t i = 0, j = 0, whole = 0;
    while (i < a->count || j < b->count) {
        bool has_a = i < a->count && (j == b->count || a->known[i].who <= b->known[j].who);
        bool has_b = j < b->count && (i == a->count || b->known[j].who <= a->known[i].who);
        vm_known next = has_a ? a->known[i] : b->known[j];
        if (has_b && b->known[j].time > next.time)
            next.time = b->known[j].time;
        append(c, next, &whole);
        i += has_a;
        j += has_b;
    }
    return c;
}

void vm_clock_add(vm_clock **to, vm_clock *clock) {
    vm_clock *sum = vm_clock_joined(*to, clock);
    vm_clock_drop(*to);
    *to = sum;
}

void vm_clock_add_one(vm_clock **to, uint64_t who, uint32_t time) {
    vm_clock *one = vm_clock_make(&(vm_known){who, time}, 1);
    vm_clock_add(to, one);
    vm_clock_drop(one);
}

static uint32_t time_of(const vm_clock *c, uint64_t who) {
    uint32_t from = 0, to = c->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (c->known[middle].who < who)
            from = middle + 1;
        else
            to = middle;
    }
    return from < c->count && c->known[from].who == who ? c->known[from].time : 0;
}

bool vm_clock_knows(const vm_clock *c, uint64_t block, uint32_t lane, uint32_t time) {
    return c && (time_of(c, vm_who_block(block)) >= time ||
                 time_of(c, vm_who_warp(block, lane / VM_CLOCK_WARP)) >= time ||
                 time_of(c, vm_who_thread(block, lane)) >= time);
}
