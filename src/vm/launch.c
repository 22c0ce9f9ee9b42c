/*
 * A launch: workers take block after block, each runs one at a time.
 *
 * A worker is a frame, masks, local and private memory for one block. It is kept
 * with the compiled kernel, because kernels are launched again and again.
 */
#include "vm/launch.h"

#include <pthread.h>
#include <stdlib.h>

/* One launch while it runs. */
typedef struct running {
    hd_vm *vm;
    vm_compiled *compiled;
    const hd_launch *launch;
    const vm_bound_place *args;
    const hd_sink *sink;
    pthread_mutex_t lock;
    hd_block_choice blocks; /* to run */
    uint64_t next, end;     /* block to start, if it is chosen; blocks of the launch */
    uint64_t done, total;   /* of the chosen ones */
    uint64_t fault_block;   /* the lowest block with a fault, UINT64_MAX: none */
    char *fault;
    uint32_t fault_inst;
    hd_status status; /* of the sink */
    bool stopped;
} running;

/* ---- a worker's block ------------------------------------------------------------------------ */

/* Bytes of host memory between two lanes' private memory: an odd number of cache lines, so that
 * lanes do not fall into the same cache set. */
static uint64_t private_stride(const vm_program *p) {
    return ((p->private_bytes + 63) / 64 | 1) * 64;
}

static hd_status make_worker(hd_vm *vm, vm_worker *w, const vm_program *p) {
    vm_run *r = &w->run;
    r->private_stride = private_stride(p);
    uint64_t private_bytes = r->private_stride * p->lanes;
    r->frame = vm_host_memory(vm, p->frame_bytes);
    r->private_memory = vm_host_memory(vm, private_bytes);
    if (!r->frame || !r->private_memory)
        return vm_no_memory(vm, &p->kernel->place, "the values of a block of this kernel",
                            p->frame_bytes + private_bytes);
    w->arena = hd_arena_new();
    r->program = p;
    r->lanes = p->lanes;
    r->padded = p->padded;
    r->active.lane = vm_new_aligned(w->arena, p->padded);
    r->words = (p->padded + 63) / 64;
    r->bits = hd_new_array(w->arena, uint64_t, r->words);
    r->spans = hd_new_array(w->arena, vm_span, p->padded / VM_CHUNK);
    r->cached = hd_new_array(w->arena, uint32_t, p->memory_count);
    r->flow = vm_flow_state_new(w->arena, p);
    return HD_OK;
}

static void set_regions(hd_vm *vm, vm_worker *w, const vm_bound *b) {
    vm_run *r = &w->run;
    const vm_program *p = r->program;
    uint32_t n = 0;
    r->region_count = (uint32_t)(p->pieces.count + b->locals.count + vm->regions.count);
    if (w->region_capacity < r->region_count) {
        w->region_capacity = r->region_count;
        r->regions = hd_new_array(w->arena, vm_region, r->region_count);
    }
    for (size_t i = 0; i < p->pieces.count; i++)
        r->regions[n++] = (vm_region){.name = "private",
                                      .space = KIR_PRIVATE,
                                      .base = VM_PRIVATE_BASE + p->pieces.data[i].offset,
                                      .bytes = p->pieces.data[i].bytes,
                                      .preset = p->pieces.data[i].is_param,
                                      .host = r->private_memory + p->pieces.data[i].offset};
    for (size_t i = 0; i < b->locals.count; i++) {
        r->regions[n] = b->locals.data[i];
        r->regions[n++].host = w->local_memory + b->locals.data[i].base;
    }
    for (size_t i = 0; i < vm->regions.count; i++)
        r->regions[n++] = vm->regions.data[i];
}

static hd_status prepare_worker(running *x, vm_worker *w, const hd_event_launch *event,
                                const vm_bound *b) {
    hd_vm *vm = x->vm;
    vm_run *r = &w->run;
    hd_status status = w->arena ? HD_OK : make_worker(vm, w, x->compiled->program);
    if (!status && w->local_capacity < b->local_end) {
        w->local_memory = vm_host_memory(vm, b->local_end);
        w->local_capacity = w->local_memory ? b->local_end : 0;
        if (!w->local_memory)
            status = vm_no_memory(vm, &x->launch->place, "a block's local memory", b->local_end);
    }
    if (status)
        return status;
    set_regions(vm, w, b);
    memset(r->cached, 0, r->program->memory_count * sizeof *r->cached);
    r->launch = event;
    r->grid = hd_grid_of(x->launch->dims, x->launch->global, x->launch->local);
    r->statics = b->statics;
    r->sink = x->sink;
    r->options = &vm->options;
    r->heap = vm->heap;
    r->instructions = r->thread_instructions = r->mis = r->lane_accesses = 0;
    vm_fill_launch(r, x->args);
    return HD_OK;
}

static void begin_block(running *x, vm_worker *w, uint64_t block) {
    vm_run *r = &w->run;
    r->block = block;
    hd_grid_ids(r->grid.groups, block, r->group);
    r->position = 0;
    r->block_start = r->instructions;
    r->fault = NULL;
    for (uint32_t i = 0; i < r->region_count; i++)
        if (r->regions[i].space == KIR_LOCAL)
            r->regions[i].base =
                vm_local_base(block) + (uint64_t)(r->regions[i].host - w->local_memory);
    if (w->local_memory)
        memset(w->local_memory, 0, w->local_capacity);
    if (r->program->private_bytes)
        memset(r->private_memory, 0, r->private_stride * r->lanes);
    if (r->checked)
        vm_check_block(r);
    vm_fill_block(r, x->args);
}

/* Runs a block; false when it did not come to its end. */
static bool run_block(running *x, vm_worker *w, uint64_t block, void *stream) {
    vm_run *r = &w->run;
    r->stream = stream;
    begin_block(x, w, block);
    if (setjmp(r->escape))
        return false;
    vm_run_nodes(r);
    return true;
}

/* ---- handing out blocks ---------------------------------------------------------------------- */

/* The next block to run, already open at the sink; false: there is none. */
static bool next_block(running *x, uint64_t *block, void **stream) {
    pthread_mutex_lock(&x->lock);
    const volatile sig_atomic_t *stop = x->vm->options.stop;
    x->stopped |= stop && *stop;
    while (x->next < x->end && !hd_block_chosen(&x->blocks, x->next))
        x->next++;
    bool more = x->next < x->end && x->next < x->fault_block && !x->status && !x->stopped;
    if (more) {
        *block = x->next++;
        *stream =
            x->sink && x->sink->open_block ? x->sink->open_block(x->sink->self, *block) : NULL;
    }
    pthread_mutex_unlock(&x->lock);
    return more;
}

/* Of several faults that of the lowest block counts, since it does not depend on time. Returns
 * the number of blocks that are done. */
static uint64_t note_end(running *x, vm_run *r, uint64_t block, bool complete, hd_status status) {
    pthread_mutex_lock(&x->lock);
    x->status = x->status ? x->status : status;
    x->done += complete;
    if (!complete && !r->fault)
        x->stopped = true;
    if (r->fault && block < x->fault_block) {
        free(x->fault);
        x->fault = r->fault;
        x->fault_inst = r->fault_inst;
        x->fault_block = block;
    } else {
        free(r->fault);
    }
    r->fault = NULL;
    uint64_t done = x->done;
    pthread_mutex_unlock(&x->lock);
    return done;
}

typedef struct task {
    running *running;
    vm_worker *worker;
    bool is_caller, started;
    pthread_t thread;
} task;

static void *work(void *argument) {
    task *t = argument;
    running *x = t->running;
    vm_run *r = &t->worker->run;
    uint64_t block;
    void *stream;
    while (next_block(x, &block, &stream)) {
        bool prints = r->program->prints && x->vm->options.print;
        hd_arena *arena = prints ? hd_arena_new() : NULL;
        hd_str text = {.arena = arena};
        r->printed = arena ? &text : NULL;
        bool complete = run_block(x, t->worker, block, stream);
        hd_status status = HD_OK;
        if (x->sink && x->sink->close_block)
            status = x->sink->close_block(x->sink->self, stream, block, complete);
        if (arena) { /* such launches have one worker */
            if (text.length)
                x->vm->options.print(x->vm->options.user, text.data, text.length);
            hd_arena_free(arena);
        }
        uint64_t done = note_end(x, r, block, complete, status);
        if (t->is_caller && x->vm->options.progress)
            x->vm->options.progress(x->vm->options.user, done, x->total);
    }
    return NULL;
}

/* The calling thread is the first worker. A thread that cannot be started is done without. */
static void run_workers(running *x, uint32_t count) {
    task *tasks = hd_zeroed(count, sizeof *tasks);
    for (uint32_t i = 0; i < count; i++)
        tasks[i] = (task){x, &x->compiled->workers[i], i == 0};
    for (uint32_t i = 1; i < count; i++)
        tasks[i].started = !pthread_create(&tasks[i].thread, NULL, work, &tasks[i]);
    work(&tasks[0]);
    for (uint32_t i = 1; i < count; i++)
        if (tasks[i].started)
            pthread_join(tasks[i].thread, NULL);
    free(tasks);
}

/* Blocks with much private memory do without some of the workers, so that all together have no
 * more than this. */
#define MOST_MEMORY ((uint64_t)2 << 30)

static uint32_t workers_for(const running *x) {
    const hd_vm *vm = x->vm;
    uint64_t blocks = x->total, count = vm->worker_count;
    if (vm->options.check_races || vm->options.check_uninitialised || blocks < 2 ||
        (count > 1 && !vm_blocks_are_independent(x->compiled->program, vm->job, x->launch)))
        count = 1;
    const vm_program *p = x->compiled->program;
    uint64_t fit = MOST_MEMORY / (p->frame_bytes + private_stride(p) * p->lanes + 1);
    count = count < blocks ? count : blocks;
    count = count < fit ? count : fit;
    return (uint32_t)(count ? count : 1);
}

static void add_counts(const running *x, uint32_t workers, double seconds, hd_vm_counts *counts) {
    *counts = (hd_vm_counts){
        .blocks = x->done, .seconds = seconds, .workers = workers, .stopped = x->stopped};
    for (uint32_t i = 0; i < workers; i++) {
        const vm_run *r = &x->compiled->workers[i].run;
        counts->instructions += r->instructions;
        counts->thread_instructions += r->thread_instructions;
        counts->mis += r->mis;
        counts->lane_accesses += r->lane_accesses;
    }
}

static hd_status run_launch(hd_arena *arena, running *x, const vm_bound *b, hd_vm_counts *counts) {
    hd_vm *vm = x->vm;
    double start = hd_clock();
    hd_event_launch event = vm_describe(arena, vm, x->launch, b, x->compiled->program);
    x->end = event.block_count;
    x->total = hd_blocks_chosen(&x->blocks, event.block_count);
    bool counts_threads = vm->options.check_races; /* in 32 bits */
    if (counts_threads && event.block_count >= UINT32_MAX / event.block_threads)
        return hd_fail(vm->diag, HD_EUNSUPPORTED, &x->launch->place,
                       "--races can watch fewer than 4,294,967,295 threads; launch fewer blocks");
    uint32_t workers = workers_for(x);
    for (uint32_t i = 0; i < workers; i++) {
        hd_status status = prepare_worker(x, &x->compiled->workers[i], &event, b);
        if (status)
            return status;
    }
    vm_run *first = &x->compiled->workers[0].run;
    first->checked = vm->options.check_races || vm->options.check_uninitialised;
    first->shadow = first->checked ? vm_shadow_new(first, &vm->races) : NULL;
    if (x->sink && x->sink->launch)
        x->status = x->sink->launch(x->sink->self, &event);
    if (!x->status)
        run_workers(x, workers);
    if (x->sink && x->sink->end_launch) {
        hd_status status = x->sink->end_launch(x->sink->self, x->done == x->total);
        x->status = x->status ? x->status : status;
    }
    if (first->checked)
        vm_shadow_free(first->shadow);
    add_counts(x, workers, hd_clock() - start, counts);
    vm->launches++;
    if (x->fault) {
        const kir_inst *inst = &x->launch->kernel->insts[x->fault_inst];
        hd_place place = kir_place(vm->arena, vm->job->module, inst);
        hd_status status = hd_fail(vm->diag, HD_EINPUT, &place, "%s", x->fault);
        free(x->fault);
        x->status = x->status ? x->status : status;
    }
    hd_status raced = vm->options.races_go_on ? HD_OK : hd_vm_report_races(vm);
    return x->status ? x->status : raced;
}

hd_status hd_vm_run_blocks(hd_vm *vm, uint32_t launch, const hd_block_choice *blocks,
                           const hd_sink *sink, hd_vm_counts *counts) {
    const hd_launch *l = &vm->job->launches[launch];
    hd_arena *arena = hd_arena_new();
    hd_vm_counts own = {0};
    vm_bound b = {0};
    running x = {.vm = vm,
                 .compiled = vm_find_compiled(vm, l),
                 .launch = l,
                 .sink = sink,
                 .blocks = *blocks,
                 .next = blocks->first,
                 .fault_block = UINT64_MAX};
    hd_status status = vm_bind(arena, vm, l, &b);
    x.args = b.args;
    if (!status) {
        pthread_mutex_init(&x.lock, NULL);
        status = run_launch(arena, &x, &b, counts ? counts : &own);
        pthread_mutex_destroy(&x.lock);
    }
    hd_arena_free(arena);
    return status;
}
