/*
 * The optional checks: reads of memory that nobody has written, and races. With
 * either of them blocks run one after the other, so there is one shadow.
 *
 * Written: a bit for each byte; of private memory, for each byte of each lane. A
 * copy of a struct may copy what nobody has written (its padding); the copy then
 * counts as unwritten there.
 *
 * Races: for each byte of global and local memory who wrote it last, who read it
 * last, and when. Time is counted in *epochs*: a new one begins with each block
 * and at each barrier. Two accesses by different threads, one of them a write and
 * not both atomic, race when the threads are of one block and the epoch is the
 * same, or are of different blocks, which nothing but the end of the launch
 * orders. (An order that a kernel makes by atomics and fences is not seen.)
 */
#include <stdlib.h>

#include "vm/launch.h"

typedef struct access_time {
    uint64_t thread; /* block * lanes + lane + 1; 0: nobody */
    uint32_t epoch;
    bool atomic;
    bool others; /* readers: more than one thread in this epoch, or of other blocks */
} access_time;

typedef struct byte_times {
    access_time write, read;
} byte_times;

struct hd_shadow {
    bool races, uninitialised;
    uint32_t epoch;
    uint32_t region_count;
    byte_times **times;   /* [region] of its bytes; NULL: not yet, or private */
    uint8_t **written;    /* [region] bits; NULL: all of it counts as written */
    uint64_t *bits;       /* [region] how many; those of job buffers are the machine's */
    bool *is_own;         /* [region] written[] is freed with the shadow */
};

static void *zeroed(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    if (!block)
        abort();
    return block;
}

struct hd_shadow *hd_shadow_new(const hd_run *r, bool races, bool uninitialised) {
    struct hd_shadow *s = zeroed(1, sizeof *s);
    s->races = races;
    s->uninitialised = uninitialised;
    s->region_count = r->region_count;
    s->times = zeroed(r->region_count, sizeof *s->times);
    s->written = zeroed(r->region_count, sizeof *s->written);
    s->bits = zeroed(r->region_count, sizeof *s->bits);
    s->is_own = zeroed(r->region_count, sizeof *s->is_own);
    for (uint32_t i = 0; i < r->region_count && uninitialised; i++) {
        const hd_region *g = &r->regions[i];
        bool of_block = g->space == KIR_LOCAL || g->space == KIR_PRIVATE;
        s->written[i] = g->written;
        s->bits[i] = g->space == KIR_PRIVATE ? g->bytes * r->lanes : g->bytes;
        if (of_block && !g->preset) {
            s->written[i] = zeroed((s->bits[i] + 7) / 8, 1);
            s->is_own[i] = true;
        }
    }
    return s;
}

void hd_shadow_free(struct hd_shadow *s) {
    for (uint32_t i = 0; i < s->region_count; i++) {
        free(s->times[i]);
        if (s->is_own[i])
            free(s->written[i]);
    }
    free(s->times);
    free(s->written);
    free(s->bits);
    free(s->is_own);
    free(s);
}

void hd_check_barrier(hd_run *r) { r->shadow->epoch++; }

void hd_check_block(hd_run *r) {
    struct hd_shadow *s = r->shadow;
    s->epoch++;
    for (uint32_t i = 0; i < s->region_count; i++)
        if (s->is_own[i])
            memset(s->written[i], 0, (s->bits[i] + 7) / 8);
}

/* ---- written ------------------------------------------------------------------------------- */

static void check_written(hd_run *r, const hd_op *op, const hd_region *g, uint32_t lane,
                          uint64_t offset, uint64_t width, bool reads, bool writes) {
    struct hd_shadow *s = r->shadow;
    uint8_t *written = s->written[g - r->regions];
    uint64_t first = offset + (g->space == KIR_PRIVATE ? lane * g->bytes : 0);
    for (uint64_t b = first; written && b < first + width; b++) {
        if (reads && !(written[b / 8] >> b % 8 & 1))
            hd_fault(r, op->inst, lane,
                     "load of byte %llu of '%s', which nothing has written; initialise it",
                     (unsigned long long)(offset + (b - first)), g->name);
        if (writes)
            written[b / 8] |= (uint8_t)(1u << b % 8);
    }
}

/* A copy takes along which bytes have been written: padding is copied too, and nobody reads it.
 * Where the two overlap, the end that is overwritten last is taken first. */
static void copy_written(hd_run *r, const hd_region *to, uint64_t to_offset, const hd_region *from,
                         uint64_t from_offset, uint32_t lane, uint64_t width) {
    struct hd_shadow *s = r->shadow;
    uint8_t *target = s->written[to - r->regions], *source = s->written[from - r->regions];
    uint64_t t = to_offset + (to->space == KIR_PRIVATE ? lane * to->bytes : 0);
    uint64_t f = from_offset + (from->space == KIR_PRIVATE ? lane * from->bytes : 0);
    for (uint64_t i = 0; target && i < width; i++) {
        uint64_t b = to == from && t > f ? width - 1 - i : i;
        bool written = !source || (source[(f + b) / 8] >> (f + b) % 8 & 1);
        target[(t + b) / 8] &= (uint8_t) ~(1u << (t + b) % 8);
        target[(t + b) / 8] |= (uint8_t)(written << (t + b) % 8);
    }
}

/* ---- races ---------------------------------------------------------------------------------- */

static bool is_ordered(const hd_run *r, const access_time *before, uint64_t thread) {
    if (!before->thread || (before->thread == thread && !before->others))
        return true;
    bool same_block = (before->thread - 1) / r->lanes == r->block;
    return same_block && before->epoch < r->shadow->epoch;
}

static void fault_race(hd_run *r, const hd_op *op, const hd_region *g, uint32_t lane,
                       uint64_t offset, const access_time *before, bool write, bool was_write) {
    uint64_t other = before->thread - 1;
    hd_fault(r, op->inst, lane,
             "race: this %s byte %llu of '%s', which thread %llu of block %llu %s with no barrier "
             "between them",
             write ? "writes" : "reads", (unsigned long long)offset, g->name,
             (unsigned long long)(other % r->lanes), (unsigned long long)(other / r->lanes),
             was_write ? "has written" : "has read");
}

static void note_time(const hd_run *r, access_time *t, uint64_t thread, bool atomic, bool reads) {
    bool again = t->thread == thread;
    bool same_block = t->thread && (t->thread - 1) / r->lanes == r->block;
    bool kept = t->thread && !again && (!same_block || t->epoch == r->shadow->epoch);
    bool others = reads && (kept || (t->others && (!same_block || t->epoch == r->shadow->epoch)));
    *t = (access_time){thread, r->shadow->epoch, atomic && (again || !kept || t->atomic), others};
}

static void check_race(hd_run *r, const hd_op *op, const hd_region *g, uint32_t lane,
                       uint64_t offset, uint64_t width, bool reads, bool writes, bool atomic) {
    struct hd_shadow *s = r->shadow;
    if (g->space == KIR_PRIVATE || g->space == KIR_CONSTANT)
        return;
    byte_times **times = &s->times[g - r->regions];
    if (!*times)
        *times = zeroed(g->bytes, sizeof **times);
    uint64_t thread = r->block * r->lanes + lane + 1;
    for (uint64_t b = offset; b < offset + width; b++) {
        byte_times *t = &(*times)[b];
        bool old = g->space == KIR_LOCAL && t->write.thread &&
                   (t->write.thread - 1) / r->lanes != r->block;
        bool old_read = g->space == KIR_LOCAL && t->read.thread &&
                        (t->read.thread - 1) / r->lanes != r->block;
        if (old)
            t->write = (access_time){0};
        if (old_read)
            t->read = (access_time){0};
        if (!is_ordered(r, &t->write, thread) && !(atomic && t->write.atomic))
            fault_race(r, op, g, lane, b, &t->write, writes, true);
        if (writes && !is_ordered(r, &t->read, thread) && !(atomic && t->read.atomic))
            fault_race(r, op, g, lane, b, &t->read, true, false);
        if (writes)
            note_time(r, &t->write, thread, atomic, false);
        if (reads)
            note_time(r, &t->read, thread, atomic, true);
    }
}

static uint64_t address_of(const hd_target *t, uint32_t lane) {
    return t->address ? t->address[lane] : t->base + (uint64_t)(lane * t->stride);
}

static const hd_region *region_at(const hd_run *r, const hd_target *t, uint64_t at,
                                  uint64_t width) {
    return t->region ? t->region : hd_find_region(r, at, width);
}

void hd_check_access(hd_run *r, const hd_op *op, const hd_target *t, uint64_t width, bool reads,
                     bool writes, bool atomic) {
    for (uint32_t l = 0; l < r->lanes; l++) {
        if (!r->active.lane[l])
            continue;
        uint64_t at = address_of(t, l);
        const hd_region *g = region_at(r, t, at, width);
        if (r->shadow->uninitialised)
            check_written(r, op, g, l, at - g->base, width, reads, writes);
        if (r->shadow->races)
            check_race(r, op, g, l, at - g->base, width, reads, writes, atomic);
    }
}

void hd_check_copy(hd_run *r, const hd_op *op, const hd_target *to, const hd_target *from,
                   uint64_t width) {
    for (uint32_t l = 0; l < r->lanes; l++) {
        if (!r->active.lane[l])
            continue;
        uint64_t target = address_of(to, l), source = address_of(from, l);
        const hd_region *t = region_at(r, to, target, width);
        const hd_region *f = region_at(r, from, source, width);
        if (r->shadow->uninitialised)
            copy_written(r, t, target - t->base, f, source - f->base, l, width);
        if (r->shadow->races) {
            check_race(r, op, f, l, source - f->base, width, true, false, false);
            check_race(r, op, t, l, target - t->base, width, false, true, false);
        }
    }
}
