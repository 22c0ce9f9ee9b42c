/*
 * The optional checks: reads of memory that nobody has written, and races. With
 * either of them blocks run one at a time, so there is one shadow of what they share.
 *
 * Written: a bit for each byte; of private memory, for each byte of each lane. A
 * copy of a struct may copy what nobody has written (its padding); the copy then
 * counts as unwritten there.
 *
 * Races: for each byte of global and local memory who has read it and who has written it, and at
 * which time of theirs (ordering.h). Two accesses by different threads race where they conflict (one
 * is a write, and not both are atomic at a scope that reaches the other) and neither happened before
 * the other. When both are plain stores of one value, it does not matter who comes last: that
 * is noted, and is no fault. The run goes on after a race (races.c keeps the list).
 *
 * Of all accesses of a byte those are forgotten that happened before a later one which all that
 * conflicts with them conflicts with, too: whoever races with the one races with the other. Lanes of a
 * warp that access it together are one entry, and so are all warps of a block. What a block has done
 * that has ended, and that it has told nobody, nobody can ever know: one such entry is enough.
 */
#include <stdlib.h>

#include "machine/launch.h"
#include "machine/ordering.h"

/* Accesses of a byte in one way, at one time, by one instruction. */
typedef struct accesses {
    uint32_t block, time;
    uint32_t warp;  /* or ALL_WARPS of the block */
    uint32_t lanes; /* of the warp */
    uint32_t inst;
    int16_t stored; /* 1 + what was stored, if that was plain; else 0 */
    uint8_t way;    /* vm_way; updates count as atomic writes */
    bool is_block_scope;
    bool is_seen; /* an atomic write that those who read the byte now see, through others or not */
} accesses;

enum { ALL_WARPS = UINT32_MAX, NEVER_KNOWN = UINT32_MAX };

typedef struct byte_times {
    accesses *by;
    uint32_t count, room;
    uint32_t location; /* of ordering.h, of the word that begins here */
    /* The last atomic write, and the last thread that has seen it. */
    uint32_t writer; /* 1 + its block; 0: the last write was no atomic one */
    uint32_t seen_block, seen_lane, seen_time;
    bool is_block_scope; /* of the write */
    bool is_acquired;    /* by that thread at once */
} byte_times;

/* What is known of a region. */
typedef struct watched {
    byte_times *times; /* of its bytes; NULL: not yet, or private */
    uint64_t bytes;    /* of times[] */
    uint8_t *written;  /* bits; NULL: all of it counts as written */
    uint64_t bits;     /* how many */
    bool is_own; /* written[] is freed with the shadow; that of job buffers is the machine's */
} watched;

/* What all blocks share: rows of space. */
struct vm_shadow {
    vm_races *races; /* NULL: they are not looked for */
    vm_orders *orders;
    uint32_t region_count;
    watched *regions;
};

/* What a block has of its own: its threads, and rows of its regions. */
struct vm_block_shadow {
    vm_threads threads;
    uint32_t region_count;
    watched *regions;
};

/* ---- from beginning to end ----------------------------------------------------------------- */

static watched *new_rows(const vm_run *r, const vm_region *regions, uint32_t count) {
    watched *rows = hd_zeroed(count, sizeof *rows);
    for (uint32_t i = 0; i < count && r->options->check_uninitialised; i++) {
        const vm_region *g = &regions[i];
        bool of_block = g->space == KIR_LOCAL || g->space == KIR_PRIVATE;
        rows[i].written = g->written;
        rows[i].bits = g->space == KIR_PRIVATE ? g->bytes * r->lanes : g->bytes;
        rows[i].is_own = of_block && !g->preset;
        if (rows[i].is_own)
            rows[i].written = hd_zeroed((rows[i].bits + 7) / 8, 1);
    }
    return rows;
}

static void forget_times(watched *w) {
    for (uint64_t b = 0; w->times && b < w->bytes; b++)
        free(w->times[b].by);
    free(w->times);
    w->times = NULL;
}

static void free_rows(watched *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        forget_times(&rows[i]);
        if (rows[i].is_own)
            free(rows[i].written);
    }
    free(rows);
}

struct vm_shadow *vm_shadow_new(const vm_run *r, vm_races *races, uint64_t blocks,
                                bool takes_turns) {
    struct vm_shadow *s = hd_zeroed(1, sizeof *s);
    s->races = r->options->check_races ? races : NULL;
    s->orders = s->races ? vm_orders_new(blocks, takes_turns) : NULL;
    s->region_count = r->space->count;
    s->regions = new_rows(r, r->space->regions, r->space->count);
    return s;
}

void vm_shadow_free(struct vm_shadow *s) {
    free_rows(s->regions, s->region_count);
    if (s->orders)
        vm_orders_free(s->orders);
    free(s);
}

struct vm_block_shadow *vm_block_shadow_new(const vm_run *r) {
    struct vm_block_shadow *s = hd_zeroed(1, sizeof *s);
    s->region_count = r->region_count;
    s->regions = new_rows(r, r->regions, r->region_count);
    return s;
}

void vm_block_shadow_free(struct vm_block_shadow *s) {
    free_rows(s->regions, s->region_count);
    vm_threads_free(&s->threads);
    free(s);
}

void vm_check_block(vm_run *r) {
    struct vm_block_shadow *s = r->block_shadow;
    if (r->shadow->races)
        vm_threads_begin(&s->threads, r->block, r->lanes);
    for (uint32_t i = 0; i < s->region_count; i++) {
        forget_times(&s->regions[i]);
        if (s->regions[i].is_own)
            memset(s->regions[i].written, 0, (s->regions[i].bits + 7) / 8);
    }
}

static watched *watched_of(const vm_run *r, const vm_region *g) {
    uint32_t row = vm_row_of(r, g);
    if (row == UINT32_MAX)
        return NULL;
    return row < r->region_count ? &r->block_shadow->regions[row]
                                 : &r->shadow->regions[row - r->region_count];
}

/* ---- what orders threads ------------------------------------------------------------------- */

vm_threads *vm_ordered_threads(const vm_run *r) {
    return r->shadow && r->shadow->races ? &r->block_shadow->threads : NULL;
}

void vm_check_together(vm_run *r, const uint64_t *mask) {
    vm_threads *threads = vm_ordered_threads(r);
    if (threads)
        vm_order_lanes(threads, mask, r->flow->returned, NULL);
}

void vm_op_fence(vm_run *r, const vm_op *op) {
    vm_threads *threads = vm_ordered_threads(r);
    const kir_inst *inst = op->more;
    if (!threads)
        return;
    VM_EACH_ACTIVE(r, l)
    vm_order_fence(threads, l, inst->order ? inst->order : KIR_ACQ_REL, inst->is_block_scope);
}

/* ---- written ------------------------------------------------------------------------------- */

/* The bits of a region; NULL: all of it counts as written, as what is the process's own does. */
static uint8_t *written_of(const vm_run *r, const vm_region *g) {
    const watched *w = watched_of(r, g);
    return w ? w->written : NULL;
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

static bool is_atomic(vm_way way) { return way >= VM_ATOMIC_READS; }
static bool is_writing(vm_way way) { return way != VM_READS && way != VM_ATOMIC_READS; }

/* What an access does, as entries have it. */
typedef struct touch {
    uint32_t lane, inst;
    vm_way way;
    int16_t stored;
    bool is_block_scope;
} touch;

static bool conflict(const touch *a, const accesses *e, bool same_block) {
    if (!is_writing(a->way) && !is_writing(e->way))
        return false;
    bool reach = same_block || !(a->is_block_scope || e->is_block_scope);
    return !(is_atomic(a->way) && is_atomic(e->way) && reach);
}

/* Whatever conflicts with `e` conflicts with `a`, too; what scopes reach is the same in a block. */
static bool stands_for(const touch *a, const accesses *e, bool same_block) {
    bool reaches = same_block && a->is_block_scope >= e->is_block_scope;
    switch (a->way) {
    case VM_WRITES: return true;
    case VM_READS: return !is_writing(e->way);
    case VM_ATOMIC_READS: return e->way == VM_ATOMIC_READS && reaches;
    default: /* what was seen of this one was seen of the other, too */
        return is_writing(e->way) && e->is_seen && reaches;
    }
}

static uint32_t lanes_of_warp(const vm_run *r, uint32_t warp) {
    uint32_t left = r->lanes - warp * VM_WARP;
    return left >= VM_WARP ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

/* The last thread of an entry whose access did not happen before what `lane` does; UINT32_MAX:
 * there is none. */
static uint32_t unordered(const vm_run *r, const accesses *e, uint32_t lane) {
    const vm_threads *t = &r->block_shadow->threads;
    uint32_t first = e->warp == ALL_WARPS ? 0 : e->warp;
    uint32_t end = e->warp == ALL_WARPS ? (r->lanes - 1) / VM_WARP + 1 : e->warp + 1;
    if (e->block == t->block && e->time <= t->ordered)
        return UINT32_MAX;
    for (uint32_t w = end; w-- > first;) {
        uint32_t left = e->warp == ALL_WARPS ? lanes_of_warp(r, w) : e->lanes;
        while (left) {
            uint32_t last = 31 - (uint32_t)__builtin_clz(left);
            uint32_t other = w * VM_WARP + last;
            if (!vm_happened_before(t, lane, e->block, other, e->time))
                return other;
            left &= ~(UINT32_C(1) << last);
        }
    }
    return UINT32_MAX;
}

static void note(vm_run *r, const vm_region *g, uint64_t offset, const touch *a, const accesses *e,
                 uint32_t other) {
    const vm_met met = {.region = g,
                        .byte = offset,
                        .inst = a->inst,
                        .before_inst = e->inst,
                        .lane = a->lane,
                        .thread = other,
                        .block = e->block,
                        .writes = is_writing(a->way),
                        .has_written = is_writing(e->way),
                        .are_atomic = is_atomic(a->way) && is_atomic(e->way),
                        .same_value = a->stored && e->way == VM_WRITES && a->stored == e->stored};
    const char *what = vm_note_race(r, r->shadow->races, &met);
    if (what)
        vm_fault(r, a->inst, a->lane, "%s", what);
}

/* What a block that has ended has told nobody. */
static bool is_never_known(const vm_run *r, const accesses *e) {
    const vm_orders *o = r->shadow->orders;
    return e->block != r->block && !o->takes_turns && e->time > o->published[e->block];
}

/* Keeps what is still of interest behind `a`; `never`: the ways in which there is one already. */
static bool is_kept(const vm_run *r, accesses *e, const touch *a, uint32_t *never) {
    if (is_never_known(r, e)) {
        uint32_t way = 1u << (2 * e->way + e->is_block_scope);
        e->time = NEVER_KNOWN;
        if (e->warp == ALL_WARPS) {
            e->warp = (r->lanes - 1) / VM_WARP;
            e->lanes = lanes_of_warp(r, e->warp);
        }
        bool is_known = *never & way;
        *never |= way;
        return !is_known;
    }
    if (!stands_for(a, e, e->block == r->block))
        return true;
    bool is_own = e->block == r->block && e->warp == a->lane / VM_WARP;
    if (is_own && e->lanes >> a->lane % VM_WARP & 1 && e->lanes & (e->lanes - 1)) {
        e->lanes &= ~(UINT32_C(1) << a->lane % VM_WARP);
        return true;
    }
    return unordered(r, e, a->lane) != UINT32_MAX;
}

static bool are_alike(const accesses *a, const accesses *b) {
    return a->block == b->block && a->time == b->time && a->inst == b->inst && a->way == b->way &&
           a->stored == b->stored && a->is_block_scope == b->is_block_scope &&
           a->is_seen == b->is_seen;
}

/* All warps of the block have an entry like this one, whose warp is whole. */
static void join_warps(const vm_run *r, byte_times *t, accesses like) {
    uint32_t warps = (r->lanes + VM_WARP - 1) / VM_WARP, whole = 0, kept = 0;
    for (uint32_t i = 0; i < t->count; i++)
        whole += are_alike(&t->by[i], &like) && t->by[i].lanes == lanes_of_warp(r, t->by[i].warp);
    if (warps < 2 || whole < warps)
        return;
    for (uint32_t i = 0; i < t->count; i++)
        if (!are_alike(&t->by[i], &like))
            t->by[kept++] = t->by[i];
    like.warp = ALL_WARPS;
    t->by[kept++] = like;
    t->count = kept;
}

static void add_access(const vm_run *r, byte_times *t, const touch *a) {
    uint32_t warp = a->lane / VM_WARP, bit = UINT32_C(1) << a->lane % VM_WARP;
    accesses own = {.block = (uint32_t)r->block,
                    .time = r->block_shadow->threads.of[a->lane].time,
                    .warp = warp,
                    .lanes = bit,
                    .inst = a->inst,
                    .stored = a->stored,
                    .way = (uint8_t)a->way,
                    .is_block_scope = a->is_block_scope,
                    .is_seen = is_atomic(a->way) && is_writing(a->way)};
    for (uint32_t i = 0; i < t->count; i++) {
        accesses *e = &t->by[i];
        if ((e->warp != warp && e->warp != ALL_WARPS) || !are_alike(e, &own))
            continue;
        if (e->warp != ALL_WARPS) {
            e->lanes |= bit;
            if (e->lanes == lanes_of_warp(r, warp))
                join_warps(r, t, *e);
        }
        return;
    }
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 2;
        t->by = hd_checked(realloc(t->by, t->room * sizeof *t->by));
    }
    t->by[t->count++] = own;
}

/* An atomic write happened before what follows a fence or barrier behind the last access that saw
 * it, whatever the order of the two. */
static bool was_seen(const vm_run *r, const byte_times *t, const accesses *e, uint32_t lane) {
    const vm_threads *threads = &r->block_shadow->threads;
    bool is_own = t->seen_block == r->block && t->seen_lane == lane;
    if (!e->is_seen || !t->seen_time)
        return false;
    return is_own ? t->is_acquired || threads->of[lane].time > t->seen_time
                  : vm_happened_before(threads, lane, t->seen_block, t->seen_lane, t->seen_time);
}

/* Byte `offset` of a region. */
static void check_byte(vm_run *r, const vm_region *g, uint64_t offset, const touch *a,
                       byte_times *t) {
    uint32_t kept = 0, never = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        accesses *e = &t->by[i];
        uint32_t other = UINT32_MAX;
        if (conflict(a, e, e->block == r->block) && !was_seen(r, t, e, a->lane))
            other = unordered(r, e, a->lane);
        if (other != UINT32_MAX)
            note(r, g, offset, a, e, other);
        if (is_kept(r, e, a, &never))
            t->by[kept++] = *e;
    }
    t->count = kept;
    add_access(r, t, a);
}

/* ---- atomic words --------------------------------------------------------------------------- */

/* A read of an atomic access sees the last write where the scope of each reaches the other. */
static bool sees(const vm_run *r, const byte_times *t, const kir_inst *inst) {
    bool is_near = t->writer == r->block + 1 || !(t->is_block_scope || inst->is_block_scope);
    return t->writer && is_near;
}

/* An atomic write that nobody sees any more, and another one by the same lanes. */
static bool is_followed(const accesses *e, const accesses *later) {
    return later->way == VM_ATOMIC_WRITES && e->way == VM_ATOMIC_WRITES &&
           e->block == later->block && e->warp == later->warp && !(e->lanes & ~later->lanes) &&
           e->time < later->time && e->is_block_scope <= later->is_block_scope;
}

/* What was written before is seen no more by who reads the byte. */
static void write_anew(byte_times *t) {
    uint32_t kept = 0;
    t->writer = t->seen_time = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        bool is_last = true;
        t->by[i].is_seen = false;
        for (uint32_t j = i + 1; j < t->count && is_last; j++)
            is_last = !is_followed(&t->by[i], &t->by[j]);
        if (is_last)
            t->by[kept++] = t->by[i];
    }
    t->count = kept;
}

static void note_seen(const vm_run *r, byte_times *t, uint32_t lane, kir_order order) {
    t->is_acquired = order == KIR_ACQUIRE || order == KIR_ACQ_REL;
    t->seen_block = (uint32_t)r->block;
    t->seen_lane = lane;
    t->seen_time = r->block_shadow->threads.of[lane].time;
}

/* The bytes that an access of a region begins at; NULL: nobody else can see them. */
static byte_times *times_at(vm_run *r, const vm_op *op, const vm_region *g, uint32_t lane,
                            uint64_t offset) {
    watched *w = g->space == KIR_PRIVATE || g->space == KIR_CONSTANT ? NULL : watched_of(r, g);
    if (!w)
        return NULL;
    if (!w->times) {
        w->times = calloc(g->bytes, sizeof *w->times);
        w->bytes = g->bytes;
    }
    if (!w->times)
        vm_fault(
            r, op->inst, lane,
            "the system has no memory to watch '%s' for races: %zu bytes for each of its %llu; "
            "give it fewer elements",
            g->name, sizeof *w->times, (unsigned long long)g->bytes);
    return w->times + offset;
}

static void check_race(vm_run *r, const vm_op *op, const vm_region *g, uint32_t lane,
                       uint64_t offset, uint64_t width, vm_way way) {
    byte_times *times = times_at(r, op, g, lane, offset);
    const vm_memory *plain = way == VM_WRITES && op->fn == vm_op_store ? op->more : NULL;
    uint32_t bytes = plain ? vm_elem_bytes(plain->elem) : 1;
    for (uint64_t b = 0; times && b < width; b++) {
        uint64_t value = plain ? vm_element(r, plain->value[b / bytes], lane) >> b % bytes * 8 : 0;
        touch a = {.lane = lane,
                   .inst = op->inst,
                   .way = way == VM_UPDATES ? VM_ATOMIC_WRITES : way,
                   .stored = plain ? (int16_t)(1 + (value & 0xff)) : 0,
                   .is_block_scope = r->program->kernel->insts[op->inst].is_block_scope};
        check_byte(r, g, offset + b, &a, &times[b]);
        if (way != VM_WRITES)
            continue;
        write_anew(&times[b]);
        vm_order_plain_write(r->shadow->orders, times[b].location);
    }
}

void vm_check_atomic(vm_run *r, const vm_op *op, const vm_target *t, uint32_t lane, uint64_t width,
                     vm_way way, bool writes) {
    const kir_inst *inst = &r->program->kernel->insts[op->inst];
    uint64_t at = vm_lane_address(t, lane);
    const vm_region *g = t->region ? t->region : vm_find_region(r, at, width);
    uint64_t offset = at - g->base;
    if (r->options->check_uninitialised)
        check_written(r, op, g, lane, offset, width, way != VM_ATOMIC_WRITES, is_writing(way));
    vm_threads *threads = vm_ordered_threads(r);
    byte_times *times = threads ? times_at(r, op, g, lane, offset) : NULL;
    if (!times)
        return;
    vm_orders *orders = r->shadow->orders;
    const vm_atomic_order how = {inst->order, inst->is_block_scope};
    bool seen = way != VM_ATOMIC_WRITES && sees(r, times, inst);
    if (seen)
        vm_order_read(orders, threads, lane, times->location, &how);
    for (uint64_t b = 0; b < width; b++) {
        if (writes && !seen)
            write_anew(&times[b]);
        if (seen)
            note_seen(r, &times[b], lane, inst->order);
    }
    check_race(r, op, g, lane, offset, width, way);
    if (!writes)
        return;
    for (uint64_t b = 0; b < width; b++) {
        times[b].writer = (uint32_t)r->block + 1;
        times[b].is_block_scope = inst->is_block_scope;
    }
    vm_order_write(orders, threads, lane, &times->location, &how, seen);
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
    watched *w = watched_of(r, g); /* the heap is the machine's */
    for (uint64_t b = address - g->base; b < address - g->base + bytes; b++) {
        if (w->written)
            w->written[b / 8] &= (uint8_t)~(1u << b % 8);
        if (w->times)
            w->times[b] = (byte_times){.by = w->times[b].by, .room = w->times[b].room};
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
