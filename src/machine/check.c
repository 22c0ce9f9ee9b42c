/*
 * The optional checks: reads of memory that nobody has written, and races. With
 * either of them blocks run one after the other, so there is one shadow.
 *
 * Written: a bit for each byte; of private memory, for each byte of each lane. A
 * copy of a struct may copy what nobody has written (its padding); the copy then
 * counts as unwritten there.
 *
 * Races: for each byte of global and local memory who has read it and who has
 * written it, and when. Time is counted in *epochs*: a new one begins with each
 * block and at each barrier. Two accesses by different threads, one of them a write
 * and not both atomic, race when the threads are of one block and the epoch is the
 * same, or are of different blocks, which nothing but the end of the launch
 * orders. (An order that a kernel makes by atomics and fences is not seen.) When both
 * are plain stores of one value, it does not matter who comes last: that is noted, and
 * is no fault. The run goes on after a race (races.c keeps the list).
 *
 * Of all who came before, at most three matter: two different threads of the
 * latest block in its latest epoch, of which one at least is not the one that
 * comes next, and one thread of an earlier block.
 */
#include <stdlib.h>

#include "machine/launch.h"

/* Who has accessed a byte in one way. Threads are block * lanes + lane + 1; 0: nobody. */
typedef struct accessor {
    uint32_t thread, inst;
} accessor;

typedef struct accessors {
    accessor last, other; /* different threads of one block, in `epoch` */
    accessor earlier;     /* a thread of a block before that one */
    uint32_t epoch;
} accessors;

typedef struct byte_times {
    accessors by[VM_UPDATES]; /* [vm_way]; updates count as atomic writes */
    int16_t stored;           /* 1 + what the last write stored, if that was plain; else 0 */
} byte_times;

/* What is known of a region. */
typedef struct watched {
    byte_times *times; /* of its bytes; NULL: not yet, or private */
    uint8_t *written;  /* bits; NULL: all of it counts as written */
    uint64_t bits;     /* how many */
    bool is_own; /* written[] is freed with the shadow; that of job buffers is the machine's */
} watched;

struct vm_shadow {
    vm_races *races; /* NULL: they are not looked for */
    uint32_t epoch;
    uint32_t region_count;
    watched regions[];
};

struct vm_shadow *vm_shadow_new(const vm_run *r, vm_races *races) {
    uint32_t rows = vm_row_count(r);
    struct vm_shadow *s = hd_zeroed(1, sizeof *s + rows * sizeof *s->regions);
    s->races = r->options->check_races ? races : NULL;
    s->region_count = rows;
    for (uint32_t i = 0; i < rows && r->options->check_uninitialised; i++) {
        const vm_region *g = vm_row(r, i);
        watched *w = &s->regions[i];
        bool of_block = g->space == KIR_LOCAL || g->space == KIR_PRIVATE;
        w->written = g->written;
        w->bits = g->space == KIR_PRIVATE ? g->bytes * r->lanes : g->bytes;
        w->is_own = of_block && !g->preset;
        if (w->is_own)
            w->written = hd_zeroed((w->bits + 7) / 8, 1);
    }
    return s;
}

void vm_shadow_free(struct vm_shadow *s) {
    for (uint32_t i = 0; i < s->region_count; i++) {
        free(s->regions[i].times);
        if (s->regions[i].is_own)
            free(s->regions[i].written);
    }
    free(s);
}

void vm_check_barrier(vm_run *r) { r->shadow->epoch++; }

void vm_check_block(vm_run *r) {
    struct vm_shadow *s = r->shadow;
    s->epoch++;
    for (uint32_t i = 0; i < s->region_count; i++)
        if (s->regions[i].is_own)
            memset(s->regions[i].written, 0, (s->regions[i].bits + 7) / 8);
}

/* ---- written ------------------------------------------------------------------------------- */

/* The bits of a region; NULL: all of it counts as written, as what is the process's own does. */
static uint8_t *written_of(const vm_run *r, const vm_region *g) {
    uint32_t row = vm_row_of(r, g);
    return row == UINT32_MAX ? NULL : r->shadow->regions[row].written;
}

static void check_written(vm_run *r, const vm_op *op, const vm_region *g, uint32_t lane,
                          uint64_t offset, uint64_t width, bool reads, bool writes) {
    uint8_t *written = written_of(r, g);
    uint64_t first = offset + (g->space == KIR_PRIVATE ? lane * g->bytes : 0);
    for (uint64_t b = first; written && b < first + width; b++) {
        if (reads && !(written[b / 8] >> b % 8 & 1))
            vm_fault(r, op->inst, lane,
                     "load of byte %llu of '%s', which nothing has written; initialise it",
                     (unsigned long long)(offset + (b - first)), g->name);
        if (writes)
            written[b / 8] |= (uint8_t)(1u << b % 8);
    }
}

/* A copy takes along which bytes have been written: padding is copied too, and nobody reads it.
 * Where the two overlap, the end that is overwritten last is taken first. */
static void copy_written(vm_run *r, const vm_region *to, uint64_t to_offset, const vm_region *from,
                         uint64_t from_offset, uint32_t lane, uint64_t width) {
    uint8_t *target = written_of(r, to), *source = written_of(r, from);
    uint64_t t = to_offset + (to->space == KIR_PRIVATE ? lane * to->bytes : 0);
    uint64_t f = from_offset + (from->space == KIR_PRIVATE ? lane * from->bytes : 0);
    for (uint64_t i = 0; target && i < width; i++) {
        uint64_t b = to == from && t > f ? width - 1 - i : i;
        bool written = !source || (source[(f + b) / 8] >> (f + b) % 8 & 1);
        target[(t + b) / 8] &= (uint8_t)~(1u << (t + b) % 8);
        target[(t + b) / 8] |= (uint8_t)(written << (t + b) % 8);
    }
}

/* ---- races ---------------------------------------------------------------------------------- */

static bool is_of_this_block(const vm_run *r, uint32_t thread) {
    return (thread - 1) / r->lanes == r->block;
}

/* Somebody else whom nothing orders before `thread` of the block that runs; NULL: nobody. */
static const accessor *somebody_else(const vm_run *r, const accessors *a, uint32_t thread,
                                     bool is_local) {
    const accessor *earlier = a->earlier.thread && !is_local ? &a->earlier : NULL;
    if (!a->last.thread)
        return NULL;
    if (!is_of_this_block(r, a->last.thread))
        return is_local ? NULL : &a->last; /* another block's local memory is another one */
    if (a->epoch == r->shadow->epoch && a->last.thread != thread)
        return &a->last;
    if (a->epoch == r->shadow->epoch && a->other.thread)
        return &a->other;
    return earlier;
}

static bool is_atomic(vm_way way) { return way >= VM_ATOMIC_READS; }
static bool is_writing(vm_way way) { return way != VM_READS && way != VM_ATOMIC_READS; }

/* Byte `offset` of a region; `stored` as in byte_times. */
static void check_byte(vm_run *r, const vm_op *op, const vm_region *g, uint64_t offset,
                       uint32_t lane, vm_way way, int16_t stored, byte_times *t) {
    uint32_t thread = (uint32_t)(r->block * r->lanes + lane + 1);
    bool same = stored && stored == t->stored;
    for (vm_way before = VM_READS; before < VM_UPDATES; before++) {
        if ((!is_writing(way) && !is_writing(before)) || (is_atomic(way) && is_atomic(before)))
            continue;
        const accessor *other = somebody_else(r, &t->by[before], thread, g->space == KIR_LOCAL);
        if (!other)
            continue;
        const vm_met met = {.region = g,
                            .byte = offset,
                            .inst = op->inst,
                            .before_inst = other->inst,
                            .lane = lane,
                            .thread = (other->thread - 1) % r->lanes,
                            .block = (other->thread - 1) / r->lanes,
                            .writes = is_writing(way),
                            .has_written = is_writing(before),
                            .same_value = same && before == VM_WRITES};
        vm_note_race(r, r->shadow->races, &met);
    }
    accessors *a = &t->by[way == VM_UPDATES ? VM_ATOMIC_WRITES : way];
    bool same_block = a->last.thread && is_of_this_block(r, a->last.thread);
    if (a->last.thread && !same_block)
        a->earlier = a->last;
    if (!same_block || a->epoch != r->shadow->epoch)
        a->other = (accessor){0};
    else if (a->last.thread != thread)
        a->other = a->last;
    a->last = (accessor){thread, op->inst};
    a->epoch = r->shadow->epoch;
    if (is_writing(way))
        t->stored = stored;
}

static void check_race(vm_run *r, const vm_op *op, const vm_region *g, uint32_t lane,
                       uint64_t offset, uint64_t width, vm_way way) {
    uint32_t row = vm_row_of(r, g);
    if (g->space == KIR_PRIVATE || g->space == KIR_CONSTANT || row == UINT32_MAX)
        return;
    byte_times **times = &r->shadow->regions[row].times;
    if (!*times)
        *times = calloc(g->bytes, sizeof **times);
    if (!*times)
        vm_fault(
            r, op->inst, lane,
            "the system has no memory to watch '%s' for races: %zu bytes for each of its %llu; "
            "give it fewer elements",
            g->name, sizeof **times, (unsigned long long)g->bytes);
    const vm_memory *plain = way == VM_WRITES && op->fn == vm_op_store ? op->more : NULL;
    uint32_t bytes = plain ? vm_elem_bytes(plain->elem) : 1;
    for (uint64_t b = 0; b < width; b++) {
        uint64_t value = plain ? vm_element(r, plain->value[b / bytes], lane) >> b % bytes * 8 : 0;
        check_byte(r, op, g, offset + b, lane, way, plain ? (int16_t)(1 + (value & 0xff)) : 0,
                   &(*times)[offset + b]);
    }
}

void vm_check_lane(vm_run *r, const vm_op *op, const vm_target *t, uint32_t lane, uint64_t width,
                   vm_way way) {
    if (!width)
        return;
    uint64_t at = vm_lane_address(t, lane);
    const vm_region *g = t->region ? t->region : vm_find_region(r, at, width);
    bool reads = !is_writing(way) || way == VM_UPDATES;
    if (r->options->check_uninitialised)
        check_written(r, op, g, lane, at - g->base, width, reads, is_writing(way));
    if (r->shadow->races)
        check_race(r, op, g, lane, at - g->base, width, way);
}

void vm_check_access(vm_run *r, const vm_op *op, const vm_target *t, uint64_t width, vm_way way) {
    VM_EACH_ACTIVE(r, l)
    vm_check_lane(r, op, t, l, width, way);
}

void vm_check_allocated(vm_run *r, uint64_t address, uint64_t bytes) {
    const vm_region *g = vm_find_region(r, address, bytes);
    watched *w = &r->shadow->regions[vm_row_of(r, g)]; /* the heap is the machine's */
    for (uint64_t b = address - g->base; b < address - g->base + bytes; b++) {
        if (w->written)
            w->written[b / 8] &= (uint8_t)~(1u << b % 8);
        if (w->times)
            w->times[b] = (byte_times){0};
    }
}

void vm_check_copy(vm_run *r, const vm_op *op, const vm_target *to, const vm_target *from,
                   uint32_t lane, uint64_t width) {
    if (!width)
        return;
    uint64_t target = vm_lane_address(to, lane), source = vm_lane_address(from, lane);
    const vm_region *t = to->region ? to->region : vm_find_region(r, target, width);
    const vm_region *f = from->region ? from->region : vm_find_region(r, source, width);
    if (r->options->check_uninitialised)
        copy_written(r, t, target - t->base, f, source - f->base, lane, width);
    if (r->shadow->races) {
        check_race(r, op, f, lane, source - f->base, width, VM_READS);
        check_race(r, op, t, lane, target - t->base, width, VM_WRITES);
    }
}
