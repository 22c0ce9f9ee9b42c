/*
 * A launch over ranks (base/ranks.h). All have the same memory before a launch, and again after it.
 *
 * Where no block can see what another one writes, each rank runs a share of the blocks, and what its
 * blocks have changed goes to all others: each compares the memory that the launch may write with a
 * copy made before, a line of 64 bytes at a time, and sends the bytes that differ. Ranks have
 * ascending blocks, and what they have changed is written in their order, so that of two blocks that
 * write one byte the later one wins, as it would alone.
 *
 * Any other launch every rank runs as a whole: what blocks do to each other's memory depends on
 * their order, and atomics add to what others have added. Events are divided all the same: each
 * rank's sink hears a share of the blocks.
 */
#include <stdlib.h>

#include "machine/launch.h"

enum { LINE = 64 };

/* A line in which something has changed; the changed bytes follow. Lines are counted over all
 * regions that may be written. */
typedef struct line_head {
    uint64_t line, changed; /* bit b: byte b */
} line_head;

struct vm_share {
    hd_vm *vm;
    const hd_ranks *ranks;
    bool is_shared;
    vm_written written;
    uint8_t **before; /* [written.count] copies */
};

static bool may_share(hd_arena *arena, const hd_vm *vm, vm_compiled *compiled, const hd_launch *l,
                      const vm_bound *bound, vm_written *written) {
    if (vm->options.check_races || vm->options.check_uninitialised)
        return false;
    double seconds = compiled->work_seconds;
    compiled->work_seconds = 0; /* all ranks must come to the same answer, however long it takes */
    bool may = vm_blocks_can_be_shared(arena, vm, compiled, l, bound, written);
    compiled->work_seconds = seconds;
    return may;
}

hd_status vm_share_begin(hd_arena *arena, hd_vm *vm, const hd_launch *l, const vm_bound *bound,
                         hd_block_choice *blocks, hd_sink *sink, vm_share **result) {
    vm_share *s = *result = hd_new(arena, vm_share);
    vm_compiled *compiled;
    hd_status status = vm_compiled_for(vm, vm->job->module, l, &compiled);
    if (status)
        return status;
    s->vm = vm;
    s->ranks = vm->options.ranks;
    uint64_t count = hd_grid_of(l->dims, l->global, l->local).block_count;
    uint64_t each = count / s->ranks->count, rest = count % s->ranks->count, rank = s->ranks->rank;
    uint64_t first = each * rank + (rank < rest ? rank : rest), blocks_of_it = each + (rank < rest);
    hd_block_choice own = {UINT64_MAX, UINT64_MAX, 0, 1}; /* none */
    if (blocks_of_it)
        own = (hd_block_choice){first, first + blocks_of_it - 1, 0, 1};
    s->is_shared = !memcmp(blocks, &hd_all_blocks, sizeof *blocks) &&
                   may_share(arena, vm, compiled, l, bound, &s->written);
    if (!s->is_shared) {
        *sink = hd_sink_blocks(arena, *sink, own);
        return HD_OK;
    }
    *blocks = own;
    s->before = hd_new_array(arena, uint8_t *, s->written.count);
    for (size_t i = 0; i < s->written.count; i++) {
        const vm_region *region = s->written.data[i];
        s->before[i] = hd_checked(malloc(region->bytes + 1));
        memcpy(s->before[i], region->host, region->bytes);
    }
    return HD_OK;
}

/* ---- what has changed ---------------------------------------------------------------------- */

static uint64_t line_count(const vm_region *region) { return (region->bytes + LINE - 1) / LINE; }

/* Writes the changed lines behind `to`, unless that is NULL; returns their bytes. */
static size_t put_lines(const vm_share *s, uint8_t *to) {
    size_t bytes = 0;
    uint64_t line = 0;
    for (size_t i = 0; i < s->written.count; i++) {
        const vm_region *region = s->written.data[i];
        for (uint64_t at = 0; at < region->bytes; at += LINE, line++) {
            uint64_t count = region->bytes - at < LINE ? region->bytes - at : LINE;
            const uint8_t *now = region->host + at, *before = s->before[i] + at;
            if (!memcmp(now, before, count))
                continue;
            line_head head = {.line = line};
            for (uint64_t b = 0; b < count; b++)
                head.changed |= (uint64_t)(now[b] != before[b]) << b;
            if (to)
                memcpy(to + bytes, &head, sizeof head);
            bytes += sizeof head;
            for (uint64_t b = 0; b < count && to; b++)
                if (head.changed >> b & 1)
                    to[bytes++] = now[b];
            bytes += to ? 0 : (size_t)__builtin_popcountll(head.changed);
        }
    }
    return bytes;
}

/* Lines ascend, and so do the regions that they are in. */
static void take_lines(const vm_share *s, const uint8_t *from, size_t bytes) {
    size_t region = 0;
    uint64_t first = 0; /* line of the region */
    for (size_t at = 0; at < bytes;) {
        line_head head;
        memcpy(&head, from + at, sizeof head);
        at += sizeof head;
        while (head.line - first >= line_count(s->written.data[region]))
            first += line_count(s->written.data[region++]);
        uint8_t *to = s->written.data[region]->host + (head.line - first) * LINE;
        for (uint64_t left = head.changed; left; left &= left - 1)
            to[__builtin_ctzll(left)] = from[at++];
    }
}

/* ---- the end of a launch -------------------------------------------------------------------- */

static void add_counts(const vm_share *s, const hd_vm_counts *more, hd_vm_counts *sum) {
    if (s->is_shared)
        hd_vm_add_counts(sum, more);
    sum->seconds = more->seconds > sum->seconds ? more->seconds : sum->seconds;
    sum->workers = more->workers > sum->workers ? more->workers : sum->workers;
    sum->stopped |= more->stopped;
}

static hd_status exchange(const vm_share *s, hd_vm_counts *counts) {
    const hd_ranks *ranks = s->ranks;
    size_t bytes = sizeof *counts + put_lines(s, NULL);
    hd_piece own = {hd_checked(malloc(bytes)), bytes};
    hd_piece *out = hd_zeroed(ranks->count, sizeof *out), *in = hd_zeroed(ranks->count, sizeof *in);
    memcpy(own.bytes, counts, sizeof *counts); /* how it went on this rank, then its lines */
    put_lines(s, (uint8_t *)own.bytes + sizeof *counts);
    for (uint32_t r = 0; r < ranks->count; r++)
        out[r] = r == ranks->rank ? (hd_piece){0} : own;
    hd_status status = ranks->exchange(ranks->self, s->vm->diag, out, in);
    for (uint32_t r = 0; r < ranks->count && !status; r++) {
        const hd_piece *piece = r == ranks->rank ? &own : &in[r];
        hd_vm_counts other;
        memcpy(&other, piece->bytes, sizeof other);
        if (r != ranks->rank)
            add_counts(s, &other, counts);
        take_lines(s, (const uint8_t *)piece->bytes + sizeof other, piece->count - sizeof other);
    }
    hd_free_pieces(ranks, in);
    free(own.bytes);
    free(out);
    free(in);
    return status;
}

hd_status vm_share_end(vm_share *s, hd_status status, hd_vm_counts *counts) {
    if (!status)
        status = exchange(s, counts);
    for (size_t i = 0; s->is_shared && i < s->written.count; i++)
        free(s->before[i]);
    return status;
}
