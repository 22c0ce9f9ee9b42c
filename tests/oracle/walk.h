/*
 * Events of a launch without a machine: every work-item runs on its own, by the
 * interpreter of tests/kernel, and lanes that are in the same iteration of all loops
 * around an access when they execute it make one event. Loads give made-up numbers,
 * so that only what does not depend on data is as it would be on a device.
 *
 * Buffer b of the job starts at address (b + 1) << 40; its first byte is the parameter's.
 */
#ifndef ORACLE_WALK_H
#define ORACLE_WALK_H

#include <stdlib.h>

#include "machine/event.h"
#include "job/job.h"
#include "kernel/interpret.h"

/* One access by one lane. `key` tells iterations apart. */
typedef struct walk_step {
    uint32_t access, lane;
    uint64_t key, address;
} walk_step;

typedef struct walk {
    const hd_kernel_info *info;
    const uint64_t *starts; /* [parameter]: of buffers */
    hd_arena *arena;        /* of one block */
    hd_vec(walk_step) steps;
    uint32_t lane;
    uint64_t unfinished; /* work-items that took too many steps */
} walk;

static int walk_order(const void *a, const void *b) {
    const walk_step *x = a, *y = b;
    if (x->access != y->access)
        return x->access < y->access ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

/* Which argument holds the address. */
static uint32_t walk_pointer(const kir_inst *inst, hd_access_kind kind) {
    if (inst->op == KIR_STORE)
        return 1;
    return inst->op == KIR_COPY && kind == HD_LOAD ? 1 : 0;
}

static void walk_access(machine *m, kir_value v, void *user) {
    walk *w = user;
    const kir_inst *inst = &m->kernel->insts[v];
    for (uint32_t k = 0; k < w->info->access_count; k++) {
        const hd_access *a = &w->info->accesses[k];
        if (a->inst != v || a->space != KIR_GLOBAL || a->param < 0 || inst->op == KIR_CALL)
            continue;
        uint64_t pointer = (uint64_t)m->values[inst->args[walk_pointer(inst, a->kind)]];
        int64_t offset = extend(pointer + a->part, BASE_SHIFT);
        walk_step step = {k, w->lane, 0, w->starts[a->param] + (uint64_t)offset};
        for (int32_t l = a->loop; l >= 0; l = w->info->flow->loops[l].parent)
            step.key = step.key << 16 | (uint64_t)(m->iteration[l] & 0xffff);
        hd_push(w->arena, &w->steps, step);
    }
}

static void walk_item(walk *w, const int64_t group[3], const int64_t local[3]) {
    const hd_kernel_info *info = w->info;
    machine m = {.kernel = info->kernel,
                 .flow = info->flow,
                 .launch = info->binding,
                 .on_access = walk_access,
                 .user = w,
                 .seed = 7};
    m.iteration = hd_new_array(w->arena, int64_t, info->flow->loop_count + 1);
    m.values = hd_new_array(w->arena, int64_t, info->kernel->inst_count);
    m.point.iteration = m.iteration;
    machine_place(&m, group, local);
    w->unfinished += !machine_run(&m);
}

static void walk_split(uint64_t linear, const uint64_t size[3], int64_t id[3]) {
    for (uint32_t d = 0; d < 3; d++) {
        id[d] = (int64_t)(linear % size[d]);
        linear /= size[d];
    }
}

/* The events of what the lanes of a block did. */
static void walk_send(walk *w, const hd_sink *sink, void *stream, uint32_t threads) {
    uint64_t *address = hd_new_array(w->arena, uint64_t, threads);
    uint32_t words = (threads + 63) / 64;
    uint64_t *mask = hd_new_array(w->arena, uint64_t, words), position = 0;
    if (w->steps.count)
        qsort(w->steps.data, w->steps.count, sizeof *w->steps.data, walk_order);
    for (size_t i = 0, next; i < w->steps.count; i = next) {
        const walk_step *first = &w->steps.data[i];
        memset(mask, 0, words * sizeof *mask);
        for (next = i; next < w->steps.count; next++) {
            const walk_step *s = &w->steps.data[next];
            if (s->access != first->access || s->key != first->key ||
                mask[s->lane / 64] >> s->lane % 64 & 1)
                break;
            mask[s->lane / 64] |= (uint64_t)1 << s->lane % 64;
            address[s->lane] = s->address;
        }
        hd_event e = {.access = first->access,
                      .threads = threads,
                      .active = (uint32_t)(next - i),
                      .position = position++,
                      .mask = mask,
                      .address = address};
        sink->event(stream, &e);
    }
}

static void walk_blocks(const hd_kernel_info *info, const uint64_t *starts, const hd_sink *sink,
                        uint64_t *unfinished) {
    uint64_t size[3], groups[3], blocks = 1, threads = 1;
    for (uint32_t d = 0; d < 3; d++) {
        size[d] = d < info->binding.dims ? info->binding.local[d] : 1;
        groups[d] = d < info->binding.dims ? info->binding.global[d] / info->binding.local[d] : 1;
        blocks *= groups[d];
        threads *= size[d];
    }
    for (uint64_t block = 0; block < blocks; block++) {
        walk w = {.info = info, .starts = starts, .arena = hd_arena_new()};
        int64_t group[3], local[3];
        walk_split(block, groups, group);
        for (uint64_t t = 0; t < threads; t++) {
            walk_split(t, size, local);
            w.lane = (uint32_t)t;
            walk_item(&w, group, local);
        }
        void *stream = sink->open_block(sink->self, block);
        walk_send(&w, sink, stream, (uint32_t)threads);
        sink->close_block(sink->self, stream, block, true);
        *unfinished += w.unfinished;
        hd_arena_free(w.arena);
    }
}

/* Walks a launch; returns how many work-items took too many steps. */
static uint64_t walk_launch(const hd_job *job, const hd_kernel_info *info, uint32_t number,
                            const hd_sink *sink) {
    hd_arena *arena = hd_arena_new();
    const hd_launch *from = &job->launches[number];
    hd_event_access *accesses = hd_new_array(arena, hd_event_access, info->access_count + 1);
    hd_event_buffer *buffers = hd_new_array(arena, hd_event_buffer, job->buffer_count + 1);
    uint64_t *starts = hd_new_array(arena, uint64_t, info->kernel->param_count + 1), unfinished = 0;
    for (uint32_t k = 0; k < info->access_count; k++)
        accesses[k] = (hd_event_access){.kind = info->accesses[k].kind,
                                        .space = info->accesses[k].space,
                                        .width = info->accesses[k].width,
                                        .buffer = -1,
                                        .line = info->accesses[k].line};
    for (uint32_t b = 0; b < job->buffer_count; b++)
        buffers[b] = (hd_event_buffer){.name = job->buffers[b].name,
                                       .space = KIR_GLOBAL,
                                       .base = (uint64_t)(b + 1) << BASE_SHIFT};
    for (uint32_t a = 0; a < from->arg_count; a++)
        if (from->args[a].kind == HD_ARG_BUFFER)
            starts[from->args[a].param] = buffers[from->args[a].buffer].base;
    hd_grid grid = hd_grid_of(from->dims, from->global, from->local);
    hd_event_launch launch = {.number = number,
                              .kernel = info->kernel->name,
                              .dims = from->dims,
                              .block_count = grid.block_count,
                              .block_threads = (uint32_t)grid.block_threads,
                              .accesses = accesses,
                              .access_count = info->access_count,
                              .buffers = buffers,
                              .buffer_count = job->buffer_count};
    memcpy(launch.groups, grid.groups, sizeof grid.groups);
    memcpy(launch.local, grid.local, sizeof grid.local);
    sink->launch(sink->self, &launch);
    walk_blocks(info, starts, sink, &unfinished);
    sink->end_launch(sink->self, true);
    hd_arena_free(arena);
    return unfinished;
}

#endif
