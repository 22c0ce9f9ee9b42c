/*
 * A launch: workers take block after block, each runs one at a time.
 *
 * A worker is a frame, masks, local and private memory for one block. Masks are kept with the
 * compiled kernel, because kernels are launched again and again; the memory, which may be much,
 * is shared by all kernels.
 */
#include "machine/launch.h"
#include "machine/native/native.h"
#include "machine/native/run_native.h"
#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* One launch while it runs. */
typedef struct running {
    hd_vm *vm;
    vm_compiled *compiled;
    const hd_launch *launch;
    const vm_bound *bound;
    const hd_event_launch *event;
    const hd_sink *sink;
    pthread_mutex_t lock;
    hd_block_choice blocks;       /* to run */
    uint64_t next, end;           /* block to start, if it is chosen; blocks of the launch */
    uint64_t done, total;         /* of the chosen ones */
    _Atomic uint64_t fault_block; /* the lowest block with a fault, UINT64_MAX: none */
    char *fault;
    uint32_t fault_inst;
    hd_vm_fault fault_access;
    hd_status status; /* of the sink, or of memory */
    atomic_bool stopped;
    bool takes_turns; /* the blocks, all of which have begun */
} running;

/* ---- a worker's block ------------------------------------------------------------------------ */

/* Bytes of host memory between two lanes' private memory: an odd number of cache lines, so that
 * lanes do not fall into the same cache set. */
static uint64_t private_stride(const vm_program *p) {
    return ((p->private_bytes + 63) / 64 | 1) * 64;
}

static void make_worker(vm_worker *w, const vm_program *p) {
    vm_run *r = &w->run;
    w->arena = hd_arena_new();
    r->program = p;
    r->private_stride = private_stride(p);
    r->lanes = p->lanes;
    r->padded = p->padded;
    r->active.lane = vm_new_aligned(w->arena, p->padded);
    r->words = (p->padded + 63) / 64;
    r->bits = hd_new_array(w->arena, uint64_t, r->words);
    r->spans = hd_new_array(w->arena, vm_span, p->padded / VM_CHUNK);
    r->cached = hd_new_array(w->arena, const vm_region *, p->memory_count);
    r->reach = hd_new_array(w->arena, struct vm_reach, p->memory_count);
    r->calls = vm_native_calls;
    r->flow = vm_flow_state_new(w->arena, p);
}

static hd_status take_memory(const running *x, vm_worker *w, vm_room *room) {
    vm_run *r = &w->run;
    const vm_program *p = r->program;
    uint64_t private_bytes = r->private_stride * p->lanes;
    if (!vm_reserve(&room->frame, p->frame_bytes) ||
        !vm_reserve(&room->private_memory, private_bytes))
        return vm_no_memory(x->vm, &p->kernel->place, "the values of a block of this kernel",
                            p->frame_bytes + private_bytes);
    w->local_bytes = x->bound->local_end;
    if (!vm_reserve(&room->local_memory, w->local_bytes))
        return vm_no_memory(x->vm, &x->launch->place, "a block's local memory", w->local_bytes);
    r->frame = room->frame.at;
    r->private_memory = room->private_memory.at;
    w->local_memory = room->local_memory.at;
    return HD_OK;
}

static void set_regions(vm_worker *w, const vm_bound *b) {
    vm_run *r = &w->run;
    const vm_program *p = r->program;
    uint32_t n = 0;
    r->region_count = (uint32_t)(p->pieces.count + b->locals.count);
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
}

static hd_status prepare(const running *x, vm_worker *w, vm_room *room) {
    vm_run *r = &w->run;
    if (!w->arena)
        make_worker(w, x->compiled->program);
    hd_status status = take_memory(x, w, room);
    if (status)
        return status;
    set_regions(w, x->bound);
    r->space = &x->vm->space;
    r->maps = NULL;
    memset(r->cached, 0, r->program->memory_count * sizeof *r->cached);
    memset(r->reach, 0, r->program->memory_count * sizeof *r->reach);
    r->launch = x->event;
    r->grid = hd_grid_of(x->launch->dims, x->launch->global, x->launch->local);
    r->statics = x->bound->statics;
    bool is_named = false; /* what was asked for; else it is behind what variables take */
    for (uint32_t i = 0; i < r->program->kernel->static_count; i++)
        is_named |= r->program->kernel->statics[i].is_dynamic;
    r->dynamic_bytes = x->launch->shared;
    r->shared_bytes = x->bound->local_bytes + (is_named ? 0 : x->launch->shared);
    r->sink = x->sink;
    r->options = &x->vm->options;
    r->heap = x->vm->heap;
    r->workspace = x->launch->cooperative ? vm_space_at(&x->vm->space, x->vm->workspace) : NULL;
    r->takes_turns = x->takes_turns;
    r->extent = x->takes_turns || !x->vm->has_extent ? NULL : &x->vm->extent;
    r->worker_arena = w->arena;
    vm_native_begin_launch(r);
    r->counts = (hd_vm_counts){0};
    vm_fill_launch(r, x->bound->args);
    return HD_OK;
}

static hd_status prepare_worker(const running *x, uint32_t number) {
    return prepare(x, &x->compiled->workers[number], &x->vm->rooms[number]);
}

static void begin_block(const running *x, vm_worker *w, uint64_t block) {
    vm_run *r = &w->run;
    r->block = block;
    hd_grid_ids(r->grid.groups, block, r->group);
    r->position = 0;
    r->block_start = r->counts.instructions;
    r->fault = NULL;
    r->fault_access = (hd_vm_fault){0};
    for (uint32_t i = 0; i < r->region_count; i++)
        if (r->regions[i].space == KIR_LOCAL)
            r->regions[i].base =
                vm_local_base(block) + (uint64_t)(r->regions[i].host - w->local_memory);
    r->native = NULL;
    vm_native_begin_block(r);
    if (w->local_bytes)
        memset(w->local_memory, 0, w->local_bytes);
    if (r->program->private_bytes)
        memset(r->private_memory, 0, r->private_stride * r->lanes);
    if (r->checked)
        vm_check_block(r);
    vm_fill_block(r, x->bound->args);
    vm_begin_nodes(r);
    vm_extent_begin(r);
}

/* Runs a block; false when it did not come to its end. */
static bool run_block(running *x, vm_worker *w, uint64_t block, bool heard, void *stream) {
    vm_run *r = &w->run;
    r->sink = heard ? x->sink : NULL;
    r->stream = stream;
    begin_block(x, w, block);
    if (setjmp(r->escape))
        return false;
    return vm_run_nodes(r);
}

/* ---- handing out blocks ---------------------------------------------------------------------- */

enum { MOST_AT_ONCE = 64, LEAST_TURNS = 32 };

/* Blocks that a worker has taken: those from `next` on that are chosen, and what became of them. Of
 * several the sink hears the last one, if any; that is open already. */
typedef struct batch {
    uint64_t next, end;
    bool hears_last;
    void *stream;
    uint64_t done;
    double seconds[2]; /* of blocks that nobody heard, and of the one that was */
    uint64_t ran[2];
} batch;

static bool must_stop(running *x) {
    const volatile sig_atomic_t *stop = x->vm->options.stop;
    if (stop && *stop)
        atomic_store(&x->stopped, true);
    return atomic_load_explicit(&x->stopped, memory_order_relaxed);
}

static void skip_unchosen(running *x) {
    while (x->next < x->end && !hd_block_chosen(&x->blocks, x->next))
        x->next++;
}

/* A worker takes one after the other where somebody hears each of them. */
static uint64_t most_at_once(const running *x) {
    if (x->sink && !x->sink->wants_block)
        return 1;
    uint64_t most = (x->end - x->next) / ((uint64_t)LEAST_TURNS * x->vm->worker_count);
    return most < 1 ? 1 : most < MOST_AT_ONCE ? most : MOST_AT_ONCE;
}

/* The next blocks to run; false: there are none. */
static bool take_batch(running *x, batch *t) {
    const hd_sink *sink = x->sink;
    pthread_mutex_lock(&x->lock);
    skip_unchosen(x);
    bool more = !must_stop(x) && x->next < x->end && x->next < x->fault_block && !x->status;
    *t = (batch){.next = x->next};
    for (uint64_t most = more ? most_at_once(x) : 0; most && x->next < x->end && !t->hears_last;
         most--) {
        t->hears_last = sink && (!sink->wants_block || sink->wants_block(sink->self, x->next));
        if (t->hears_last && sink->open_block)
            t->stream = sink->open_block(sink->self, x->next);
        t->end = ++x->next;
        skip_unchosen(x);
    }
    pthread_mutex_unlock(&x->lock);
    return more;
}

/* Of several faults that of the lowest block counts, since it does not depend on time. */
static void note_end(running *x, vm_run *r, uint64_t block, bool complete, hd_status status) {
    if (complete && !r->fault && !status)
        return;
    pthread_mutex_lock(&x->lock);
    x->status = x->status ? x->status : status;
    if (!complete && !r->fault)
        x->stopped = true;
    if (r->fault && block < x->fault_block) {
        free(x->fault);
        x->fault = r->fault;
        x->fault_inst = r->fault_inst;
        x->fault_access = r->fault_access;
        x->fault_block = block;
    } else {
        free(r->fault);
    }
    r->fault = NULL;
    pthread_mutex_unlock(&x->lock);
}

/* Returns the number of blocks that are done. */
static uint64_t hand_in(running *x, const batch *t) {
    const hd_sink *sink = x->sink;
    pthread_mutex_lock(&x->lock);
    for (uint32_t heard = 0; heard < 2 && sink && sink->block_took; heard++)
        for (uint64_t i = 0; i < t->ran[heard]; i++)
            sink->block_took(sink->self, heard, t->seconds[heard] / (double)t->ran[heard]);
    uint64_t done = x->done += t->done;
    pthread_mutex_unlock(&x->lock);
    return done;
}

static void run_batch(running *x, vm_worker *w, batch *t, hd_str *text) {
    vm_run *r = &w->run;
    bool tells_time = x->sink && x->sink->block_took;
    double start = tells_time ? hd_clock() : 0;
    r->printed = text;
    for (uint64_t block = t->next; block < t->end; block++) {
        bool heard = t->hears_last && block + 1 == t->end;
        bool is_over = block > x->fault_block || must_stop(x);
        if (!hd_block_chosen(&x->blocks, block) || (is_over && !heard))
            continue;
        if (heard && tells_time) {
            double now = hd_clock();
            t->seconds[0] = now - start;
            start = now;
        }
        bool complete = run_block(x, w, block, heard, t->stream);
        hd_status status = HD_OK;
        if (heard && x->sink->close_block)
            status = x->sink->close_block(x->sink->self, t->stream, block, complete);
        if (text && text->length) { /* such launches have one worker */
            x->vm->options.print(x->vm->options.user, text->data, text->length);
            text->length = 0;
        }
        note_end(x, r, block, complete, status);
        t->done += complete;
        t->ran[heard]++;
    }
    if (tells_time)
        t->seconds[t->hears_last] = hd_clock() - start;
}

/* Worker `number` runs blocks until there are none. */
static void work(void *self, uint32_t number) {
    running *x = self;
    vm_worker *w = &x->compiled->workers[number];
    bool prints = w->run.program->prints && x->vm->options.print;
    hd_arena *arena = prints ? hd_arena_new() : NULL;
    hd_str text = {.arena = arena};
    batch t;
    while (take_batch(x, &t)) {
        run_batch(x, w, &t, prints ? &text : NULL);
        uint64_t done = hand_in(x, &t);
        if (number == 0 && x->vm->options.progress)
            x->vm->options.progress(x->vm->options.user, done, x->total);
    }
    w->run.printed = NULL;
    if (arena)
        hd_arena_free(arena);
}

/* ---- blocks that take turns ------------------------------------------------------------------ */

/*
 * All blocks of a cooperative launch are on the device at once and may wait for each other. Here one
 * runs until it has asked for what another one may write, an atomic or volatile access; then the next
 * one has its turn, in the order of blocks, round after round.
 */
typedef struct resident {
    vm_worker worker;
    vm_room room;
    void *stream;
    hd_str printed;
    bool has_begun, has_ended;
} resident;

typedef enum turn { TURN_ENDED, TURN_OVER, TURN_FAULT } turn;

static turn run_turn(vm_run *r) {
    r->asked = KIR_NONE;
    if (setjmp(r->escape))
        return TURN_FAULT;
    return vm_run_nodes(r) ? TURN_ENDED : TURN_OVER;
}

static void begin_resident(running *x, resident *b, uint64_t block, hd_arena *arena) {
    const vm_run *first = &x->compiled->workers[0].run;
    vm_run *r = &b->worker.run;
    x->status = prepare(x, &b->worker, &b->room);
    if (x->status)
        return;
    r->checked = first->checked;
    r->shadow = first->shadow;
    r->block_shadow = r->checked ? vm_block_shadow_new(r) : NULL;
    b->printed.arena = arena;
    r->printed = r->program->prints && x->vm->options.print ? &b->printed : NULL;
    if (x->sink && x->sink->open_block)
        b->stream = x->sink->open_block(x->sink->self, block);
    r->stream = b->stream;
    b->has_begun = true;
    begin_block(x, &b->worker, block);
}

static void end_resident(running *x, resident *b, uint64_t block, bool complete) {
    hd_status status = HD_OK;
    if (x->sink && x->sink->close_block)
        status = x->sink->close_block(x->sink->self, b->stream, block, complete);
    b->has_ended = true;
    note_end(x, &b->worker.run, block, complete, status);
    x->done += complete;
    if (x->vm->options.progress)
        x->vm->options.progress(x->vm->options.user, x->done, x->total);
}

/* Every block that has not ended asks for the barrier of the grid, and nobody comes to it. */
static void fault_of_waiting(const running *x, vm_run *r) {
    if (!setjmp(r->escape))
        vm_fault(r, r->asked, UINT32_MAX,
                 "the block waits here for all %llu blocks of its grid, and they do not come: %llu "
                 "of them have ended, and the others wait",
                 (unsigned long long)x->total, (unsigned long long)x->done);
}

/* A turn for each block; false where all of them wait in vain. */
static bool run_round(running *x, resident *blocks, hd_arena *arena) {
    const volatile sig_atomic_t *stop = x->vm->options.stop;
    bool moves = false;
    for (uint64_t b = 0; b < x->total && !x->status && !x->fault && !x->stopped; b++) {
        vm_run *r = &blocks[b].worker.run;
        if (!blocks[b].has_begun)
            begin_resident(x, &blocks[b], b, arena);
        if (x->status || blocks[b].has_ended)
            continue;
        turn end = run_turn(r);
        moves |= end != TURN_OVER || r->asked == KIR_NONE;
        if (end != TURN_OVER)
            end_resident(x, &blocks[b], b, end == TURN_ENDED);
        x->stopped |= stop && *stop;
    }
    return moves;
}

static void take_turns(running *x) {
    enum { MOST_VAIN_ROUNDS = 1000 };
    resident *blocks = hd_zeroed(x->total, sizeof *blocks);
    hd_arena *arena = hd_arena_new();
    hd_vm_counts *counts = &x->compiled->workers[0].run.counts;
    const vm_region *workspace = x->compiled->workers[0].run.workspace;
    uint32_t vain = 0;
    x->compiled->workers[0].took_part = true;
    while (x->done < x->total && !x->status && !x->fault && !x->stopped) {
        uint64_t before = workspace ? vm_read_bits(workspace->host, 8) : 0;
        bool moves =
            run_round(x, blocks, arena) || !workspace || before != vm_read_bits(workspace->host, 8);
        vain = moves ? 0 : vain + 1;
        for (uint64_t b = 0; vain > MOST_VAIN_ROUNDS && b < x->total && !x->fault; b++)
            if (!blocks[b].has_ended) {
                fault_of_waiting(x, &blocks[b].worker.run);
                end_resident(x, &blocks[b], b, false);
            }
    }
    for (uint64_t b = 0; b < x->total; b++) {
        resident *block = &blocks[b];
        vm_run *r = &block->worker.run;
        if (block->has_begun && !block->has_ended)
            end_resident(x, block, b, false);
        if (block->printed.length)
            x->vm->options.print(x->vm->options.user, block->printed.data, block->printed.length);
        if (block->has_begun)
            vm_count_operations(r);
        hd_vm_add_counts(counts, &r->counts);
        if (r->block_shadow)
            vm_block_shadow_free(r->block_shadow);
        free(block->room.frame.block);
        free(block->room.private_memory.block);
        free(block->room.local_memory.block);
        hd_arena_free(block->worker.arena);
    }
    hd_arena_free(arena);
    free(blocks);
}

/* A helper makes itself ready, since it may come when all is done. */
static void prepare_and_work(void *self, uint32_t number) {
    running *x = self;
    hd_status status = number ? prepare_worker(x, number) : HD_OK; /* the first one is ready */
    if (status) {
        pthread_mutex_lock(&x->lock);
        x->status = x->status ? x->status : status;
        pthread_mutex_unlock(&x->lock);
        return;
    }
    x->compiled->workers[number].took_part = true;
    work(x, number);
}

/* Blocks with much private memory do without some of the workers, so that all together have no
 * more than this. */
#define MOST_MEMORY ((uint64_t)2 << 30)

static uint32_t workers_for(const running *x) {
    const hd_vm *vm = x->vm;
    uint64_t blocks = x->total, count = vm->worker_count;
    const double come = 50e-6; /* seconds that helpers take */
    const vm_compiled *c = x->compiled;
    bool is_short = c->work_seconds > 0 && c->work_seconds < come && blocks <= c->work_blocks;
    if (x->takes_turns || vm->options.check_races || vm->options.check_uninitialised ||
        blocks < 2 || is_short ||
        (count > 1 && !vm_blocks_are_independent(vm, x->compiled, x->launch, x->bound)))
        count = 1;
    const vm_program *p = x->compiled->program;
    uint64_t fit = MOST_MEMORY / (p->frame_bytes + private_stride(p) * p->lanes + 1);
    count = count < blocks ? count : blocks;
    count = count < fit ? count : fit;
    return (uint32_t)(count ? count : 1);
}

void hd_vm_add_counts(hd_vm_counts *sum, const hd_vm_counts *more) {
    sum->blocks += more->blocks;
    sum->instructions += more->instructions;
    sum->thread_instructions += more->thread_instructions;
    sum->native_instructions += more->native_instructions;
    sum->mis += more->mis;
    sum->cut_blocks += more->cut_blocks;
    sum->behind += more->behind;
    sum->lane_accesses += more->lane_accesses;
    for (uint32_t k = 0; k < HD_OPERATIONS; k++)
        sum->operations[k] += more->operations[k];
}

static hd_status run_workers(running *x, uint32_t workers) {
    hd_vm *vm = x->vm;
    for (uint32_t i = 0; i < workers; i++)
        x->compiled->workers[i].took_part = false;
    x->status = prepare_worker(x, 0);
    if (x->status)
        return x->status;
    vm_run *first = &x->compiled->workers[0].run;
    first->checked = vm->options.check_races || vm->options.check_uninitialised;
    first->shadow = first->checked
                        ? vm_shadow_new(first, &vm->races, x->event->block_count, x->takes_turns)
                        : NULL;
    first->block_shadow = first->checked ? vm_block_shadow_new(first) : NULL;
    if (x->sink && x->sink->launch)
        x->status = x->sink->launch(x->sink->self, x->event);
    if (!x->status && x->takes_turns)
        take_turns(x);
    else if (!x->status)
        hd_crew_run(&vm->crew, workers, prepare_and_work, x);
    if (x->sink && x->sink->end_launch) {
        hd_status status = x->sink->end_launch(x->sink->self, x->done == x->total);
        x->status = x->status ? x->status : status;
    }
    if (first->checked) {
        vm_block_shadow_free(first->block_shadow);
        vm_shadow_free(first->shadow);
    }
    return x->status;
}

/* All of its blocks are on the device at once. */
static hd_status begin_cooperative(running *x, hd_event_launch *event) {
    hd_vm *vm = x->vm;
    const vm_program *p = x->compiled->program;
    const hd_device *d = vm->options.device;
    uint64_t held = d ? (uint64_t)(d->sms ? d->sms : 1) *
                            hd_blocks_per_sm(d, event->block_threads,
                                             hd_kernel_registers(p->info->kernel, p->info->flow, d))
                      : UINT64_MAX;
    if (event->block_count > held)
        return hd_fail(vm->diag, HD_EINPUT, &x->launch->place,
                       "a cooperative launch of %llu blocks of kernel %s; %s holds %llu of them at "
                       "once; launch no more, each for several parts of the work",
                       (unsigned long long)event->block_count, p->kernel->name, d->name,
                       (unsigned long long)held);
    vm_region *workspace = vm_space_at(&vm->space, vm->workspace);
    if (workspace)
        memset(workspace->host, 0, workspace->bytes);
    x->takes_turns = event->takes_turns = event->block_count > 1;
    if (x->takes_turns)
        x->blocks = hd_all_blocks; /* none can be left out */
    return HD_OK;
}

static hd_status run_launch(hd_arena *arena, running *x, hd_vm_counts *counts) {
    hd_vm *vm = x->vm;
    double start = hd_clock();
    bool is_heard = x->sink && (x->sink->launch || x->sink->event);
    hd_event_launch event =
        vm_describe(arena, vm, x->launch, x->bound, x->compiled->program, is_heard);
    x->event = &event;
    hd_status held = x->launch->cooperative ? begin_cooperative(x, &event) : HD_OK;
    if (held)
        return held;
    x->end = event.block_count;
    x->total = hd_blocks_chosen(&x->blocks, event.block_count);
    bool counts_threads = vm->options.check_races; /* in 32 bits */
    if (counts_threads && event.block_count >= UINT32_MAX / event.block_threads)
        return hd_fail(vm->diag, HD_EUNSUPPORTED, &x->launch->place,
                       "--races can watch fewer than 4,294,967,295 threads; launch fewer blocks");
    vm_space_forget_maps(&vm->space);
    uint32_t workers = workers_for(x);
    hd_status status = run_workers(x, workers);
    double seconds = hd_clock() - start;
    *counts = (hd_vm_counts){
        .blocks = x->done, .seconds = seconds, .workers = workers, .stopped = x->stopped};
    for (uint32_t i = 0; i < workers; i++)
        if (x->compiled->workers[i].took_part) {
            vm_count_operations(&x->compiled->workers[i].run);
            hd_vm_add_counts(counts, &x->compiled->workers[i].run.counts);
        }
    x->compiled->work_seconds = seconds * workers;
    x->compiled->work_blocks = x->total;
    vm->launches++;
    if (x->fault) {
        const vm_program *p = x->compiled->program;
        hd_place place = kir_place(arena, p->module, &p->kernel->insts[x->fault_inst]);
        hd_status fault = hd_fail(vm->diag, HD_EINPUT, &place, "%s", x->fault);
        free(x->fault);
        vm->last_fault = x->fault_access;
        status = status ? status : fault;
    }
    if (vm->options.races_go_on)
        return status;
    bool raced = vm_has_new_race(vm);
    hd_vm_report_races(vm);
    return status ? status : raced ? HD_EINPUT : HD_OK;
}

/* ---- launches ----------------------------------------------------------------------------------- */

/* A launch whose arguments are bound. */
static hd_status run_bound(hd_arena *arena, hd_vm *vm, const kir_module *module, const hd_launch *l,
                           const vm_bound *bound, const hd_block_choice *blocks,
                           const hd_sink *sink, hd_vm_counts *counts) {
    hd_vm_counts own;
    running x = {.vm = vm,
                 .launch = l,
                 .bound = bound,
                 .sink = sink,
                 .blocks = *blocks,
                 .next = blocks->first,
                 .fault_block = UINT64_MAX};
    vm->last_fault = (hd_vm_fault){0};
    hd_status status = vm_compiled_for(vm, module, l, &x.compiled);
    if (status)
        return status;
    pthread_mutex_init(&x.lock, NULL);
    status = run_launch(arena, &x, counts ? counts : &own);
    pthread_mutex_destroy(&x.lock);
    return status;
}

hd_status vm_run_launch(hd_vm *vm, const hd_launch *l, const hd_block_choice *blocks,
                        const hd_sink *sink, hd_vm_counts *counts) {
    hd_arena *arena = hd_arena_new();
    vm_bound bound = {0};
    vm_share *share = NULL;
    hd_block_choice own = *blocks;
    hd_sink heard = sink ? *sink : (hd_sink){0};
    hd_vm_counts unused;
    counts = counts ? counts : &unused;
    hd_status status = vm_bind(arena, vm, l, NULL, &bound);
    if (!status && vm->options.ranks)
        status = vm_share_begin(arena, vm, l, &bound, &own, &heard, &share);
    if (!status)
        status =
            run_bound(arena, vm, vm->job->module, l, &bound, &own, sink ? &heard : NULL, counts);
    if (share)
        status = vm_share_end(share, status, counts);
    hd_arena_free(arena);
    return status;
}

/* As a job would say it: no more dimensions than are used, and each argument by its bytes. */
static hd_launch launch_of(hd_arena *arena, const hd_vm_launch_of *live) {
    const kir_kernel *k = live->kernel;
    hd_launch l = {.kernel_name = k->name,
                   .dims = live->dims ? live->dims : 1,
                   .shared = live->shared,
                   .cooperative = live->cooperative,
                   .place = k->place,
                   .kernel = k,
                   .args = hd_new_array(arena, hd_arg, k->param_count),
                   .arg_count = k->param_count};
    for (uint32_t d = 0; d < 3; d++) {
        l.local[d] = live->block[d];
        l.global[d] = (uint64_t)live->grid[d] * live->block[d];
        l.offset[d] = live->offset[d];
        if (!live->dims && (live->grid[d] > 1 || live->block[d] > 1))
            l.dims = d + 1;
    }
    for (uint32_t i = 0; i < k->param_count; i++) {
        const kir_type *type = &k->params[i].type;
        if (type->kind == KIR_PTR && type->space == KIR_LOCAL)
            l.args[i] = (hd_arg){
                .kind = HD_ARG_LOCAL, .param = i, .local_bytes = *(const uint64_t *)live->args[i]};
        else
            l.args[i] = (hd_arg){.kind = HD_ARG_VALUE,
                                 .param = i,
                                 .value = (uint8_t *)live->args[i],
                                 .value_bytes = type->bits == 1 ? 1 : type->bits / 8u};
    }
    return l;
}

hd_status hd_vm_launch(hd_vm *vm, const hd_vm_launch_of *live, const hd_sink *sink,
                       hd_vm_counts *counts) {
    hd_arena *arena = hd_arena_new();
    const hd_launch l = launch_of(arena, live);
    hd_status status = HD_OK;
    vm_bound bound = {0};
    for (uint32_t d = 0; d < 3 && !status; d++)
        if (!live->grid[d] || !live->block[d])
            status = hd_fail(vm->diag, HD_EINPUT, &l.place,
                             "a launch of kernel %s with no blocks, or with blocks of no threads; "
                             "all sizes are at least 1",
                             live->kernel->name);
    if (!status)
        status = vm_bind(arena, vm, &l, live->variables, &bound);
    if (!status)
        status = run_bound(arena, vm, live->module, &l, &bound, &hd_all_blocks, sink, counts);
    hd_arena_free(arena);
    return status;
}
