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

/* A block at work, or room for one, where several have begun. */
typedef struct seat {
    vm_worker *worker;
    vm_room *room;
    uint64_t block;
    void *stream;
    bool heard;
    bool has_ended;
} seat;

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
    uint32_t workers;
    /* Of a launch with one worker: where it runs the next block, and blocks that have begun and wait for
     * others; all seats but the first are this launch's own. */
    seat *at_work;
    hd_vec(seat *) waiting, own_seats, free_seats;
    hd_arena *arena; /* of those */
    hd_str *text;    /* that blocks print, or NULL */
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

static vm_kept *frame_in(vm_room *room, const vm_program *p) {
    return p->is_apart ? &room->apart : &room->frame;
}

static hd_status take_memory(const running *x, vm_worker *w, vm_room *room) {
    vm_run *r = &w->run;
    const vm_program *p = r->program;
    uint64_t private_bytes = r->private_stride * p->lanes;
    if (!vm_reserve(frame_in(room, p), p->frame_bytes) ||
        !vm_reserve(&room->private_memory, private_bytes))
        return vm_no_memory(x->vm, &p->kernel->place, "the values of a block of this kernel",
                            p->frame_bytes + private_bytes);
    w->local_bytes = x->bound->local_end;
    if (!vm_reserve(&room->local_memory, w->local_bytes))
        return vm_no_memory(x->vm, &x->launch->place, "a block's local memory", w->local_bytes);
    r->frame = frame_in(room, p)->at;
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
    const vm_program *apart = atomic_load(&x->compiled->apart);
    r->program = apart ? apart : x->compiled->program;
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
    if (!r->cluster)
        r->local_base = vm_local_base(block);
    r->position = 0;
    r->block_start = r->counts.instructions;
    r->fault = NULL;
    r->fault_access = (hd_vm_fault){0};
    for (uint32_t i = 0; i < r->region_count; i++)
        if (r->regions[i].space == KIR_LOCAL)
            r->regions[i].base = r->local_base + (uint64_t)(r->regions[i].host - w->local_memory);
    r->native = NULL;
    vm_native_begin_block(r);
    if (w->local_bytes)
        memset(w->local_memory, 0, w->local_bytes);
    if (r->program->private_bytes)
        memset(r->private_memory, 0, r->private_stride * r->lanes);
    if (r->checked)
        vm_check_block(r);
    vm_fill_block(r, x->bound->args);
    vm_fill_structs(r, x->bound->args);
    vm_begin_nodes(r);
    vm_extent_begin(r);
}

/* From here on each lane of the block has values of its own. */
static hd_status part_lanes(running *x, const seat *s) {
    vm_run *r = &s->worker->run;
    const uint8_t *before = r->frame;
    pthread_mutex_lock(&x->lock);
    vm_program *apart = atomic_load(&x->compiled->apart);
    hd_status status = apart ? HD_OK : vm_compile_apart(x->compiled->program, &apart);
    if (!status)
        atomic_store(&x->compiled->apart, apart);
    pthread_mutex_unlock(&x->lock);
    if (!status && !vm_reserve(&s->room->apart, apart->frame_bytes))
        status = vm_no_memory(x->vm, &apart->kernel->place,
                              "the values of a block whose threads wait for each other",
                              apart->frame_bytes);
    if (status)
        return status;
    r->program = apart;
    r->frame = s->room->apart.at;
    r->native = NULL;
    vm_native_begin_launch(r);
    vm_fill_launch(r, x->bound->args);
    vm_fill_block(r, x->bound->args);
    vm_move_values(r, before);
    vm_begin_turns(r);
    return HD_OK;
}

/* Runs a block that has begun, as far as it goes. */
static vm_stop go_on(running *x, const seat *s) {
    vm_run *r = &s->worker->run;
    r->asked = KIR_NONE;
    r->vain = 0;
    r->has_moved = false;
    r->may_wake = true;
    r->gives_way = false;
    if (setjmp(r->escape))
        return VM_STOPPED;
    for (;;) {
        const vm_stop stop = vm_run_nodes(r);
        if (stop != VM_CROWDED)
            return stop;
        const hd_status status = part_lanes(x, s);
        if (status) {
            pthread_mutex_lock(&x->lock);
            x->status = x->status ? x->status : status;
            pthread_mutex_unlock(&x->lock);
            return VM_STOPPED;
        }
    }
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

/* A block has ended, or cannot go on. */
static void close_block(running *x, const seat *s, bool complete) {
    hd_status status = HD_OK;
    if (s->heard && x->sink->close_block)
        status = x->sink->close_block(x->sink->self, s->stream, s->block, complete);
    if (x->text && x->text->length) { /* such launches have one worker */
        x->vm->options.print(x->vm->options.user, x->text->data, x->text->length);
        x->text->length = 0;
    }
    note_end(x, &s->worker->run, s->block, complete, status);
}

/* ---- blocks that wait for others ------------------------------------------------------------- */

/*
 * Where blocks run one after the other, one may wait for what a later one writes: on a device both are
 * there at once. A block whose lanes have asked in vain for long keeps its seat, and the next one begins
 * in another; whenever one has ended or waits, those that wait ask again. No more blocks wait than the
 * device holds.
 */
enum { MOST_VAIN_ASKING = 100, MOST_WAITING = 4096 };

/* Whether what has been asked for in vain so often will not come; where a program goes on beside the
 * kernel, whose threads may write it, no sooner than in a second. */
typedef struct hope {
    uint32_t vain;
    double since;
} hope;

static bool is_lost(const running *x, hope *h, bool moves, uint32_t most) {
    const double most_seconds = x->vm->job ? 0 : 1;
    if (moves || !h->vain)
        h->since = hd_clock();
    h->vain = moves ? 0 : h->vain + 1;
    return h->vain > most && hd_clock() - h->since > most_seconds;
}

static seat *new_seat(running *x) {
    seat *made;
    if (x->free_seats.count)
        return x->free_seats.data[--x->free_seats.count];
    made = hd_new(x->arena, seat);
    made->worker = hd_new(x->arena, vm_worker);
    made->room = hd_new(x->arena, vm_room);
    hd_push(x->arena, &x->own_seats, made);
    x->status = prepare(x, made->worker, made->room);
    const vm_run *first = &x->compiled->workers[0].run;
    vm_run *r = &made->worker->run;
    r->checked = first->checked;
    r->shadow = first->shadow;
    r->printed = x->text;
    r->block_shadow = r->checked && !x->status ? vm_block_shadow_new(r) : NULL;
    return made;
}

static void free_seats(running *x) {
    hd_vm_counts *counts = &x->compiled->workers[0].run.counts;
    for (size_t i = 0; i < x->own_seats.count; i++) {
        seat *s = x->own_seats.data[i];
        vm_run *r = &s->worker->run;
        if (r->frame) {
            vm_count_operations(r);
            hd_vm_add_counts(counts, &r->counts);
        }
        if (r->block_shadow)
            vm_block_shadow_free(r->block_shadow);
        free(r->saved);
        vm_room_free(s->room);
        if (s->worker->arena)
            hd_arena_free(s->worker->arena);
    }
}

/* Blocks that the device holds at once. */
static uint64_t blocks_held(const running *x) {
    const vm_program *p = x->compiled->program;
    const hd_device *d = x->vm->options.device;
    return d ? (uint64_t)(d->sms ? d->sms : 1) *
                   hd_blocks_per_sm(d, x->event->block_threads,
                                    hd_kernel_registers(p->info->kernel, p->info->flow, d))
             : UINT64_MAX;
}

static bool is_over(const running *x) { return x->status || x->fault || x->stopped; }

/* No block that has begun can go on: the first one says so. */
static void give_up(running *x, const seat *s, uint64_t others) {
    vm_run *r = &s->worker->run;
    const bool more = !x->takes_turns && x->next < x->end;
    if (!setjmp(r->escape))
        vm_fault_of_waiting(r, others, more ? ", as many as the device holds at once" : "");
}

/* Those that wait ask again; false: in vain. */
static bool ask_again(running *x) {
    bool any = false;
    for (size_t i = 0; i < x->waiting.count && !x->stopped;) {
        seat *s = x->waiting.data[i];
        vm_stop stop = go_on(x, s);
        any |= s->worker->run.has_moved || stop != VM_STARVED;
        if (stop == VM_STARVED || stop == VM_TURN) {
            i++;
            continue;
        }
        close_block(x, s, stop == VM_ENDED);
        x->done += stop == VM_ENDED;
        hd_push(x->arena, &x->free_seats, s);
        x->waiting.count--;
        memmove(&x->waiting.data[i], &x->waiting.data[i + 1],
                (x->waiting.count - i) * sizeof *x->waiting.data);
    }
    return any;
}

/* Until no more than so many wait. */
static void wait_for_fewer(running *x, size_t most) {
    hope h = {0};
    while (x->waiting.count > most && !is_over(x)) {
        if (is_lost(x, &h, ask_again(x), MOST_VAIN_ASKING)) {
            give_up(x, x->waiting.data[0], x->waiting.count - 1);
            close_block(x, x->waiting.data[0], false);
            x->waiting.data[0] = x->waiting.data[--x->waiting.count];
        }
        must_stop(x);
    }
    while (is_over(x) && x->waiting.count)
        close_block(x, x->waiting.data[--x->waiting.count], false);
}

/* The block keeps its seat; the next one has another. */
static void let_wait(running *x) {
    const uint64_t held = blocks_held(x);
    hd_push(x->arena, &x->waiting, x->at_work);
    x->at_work = new_seat(x);
    const uint64_t most = held < MOST_WAITING ? held : MOST_WAITING;
    wait_for_fewer(x, most - 1);
}

/* Runs a block; VM_STARVED: it waits for others. */
static vm_stop run_block(running *x, seat *s, uint64_t block, bool heard, void *stream) {
    vm_run *r = &s->worker->run;
    r->sink = heard ? x->sink : NULL;
    r->stream = stream;
    s->block = block;
    s->heard = heard;
    s->stream = stream;
    begin_block(x, s->worker, block);
    vm_stop stop = go_on(x, s);
    hope h = {0};
    while (stop == VM_STARVED && x->workers > 1) { /* no block can see what another one writes */
        const bool lost = is_lost(x, &h, r->has_moved, MOST_VAIN_ASKING);
        if (lost)
            give_up(x, s, 0);
        stop = lost || must_stop(x) ? VM_STOPPED : go_on(x, s);
    }
    return stop;
}

static void run_batch(running *x, seat *own, batch *t) {
    bool tells_time = x->sink && x->sink->block_took;
    double start = tells_time ? hd_clock() : 0;
    for (uint64_t block = t->next; block < t->end; block++) {
        bool heard = t->hears_last && block + 1 == t->end;
        bool is_late = block > x->fault_block || must_stop(x) || x->status;
        if (!hd_block_chosen(&x->blocks, block) || (is_late && !heard))
            continue;
        if (heard && tells_time) {
            double now = hd_clock();
            t->seconds[0] = now - start;
            start = now;
        }
        seat *s = x->workers > 1 ? own : x->at_work;
        vm_stop stop = run_block(x, s, block, heard, t->stream);
        if (stop == VM_STARVED) {
            let_wait(x);
            continue;
        }
        close_block(x, s, stop == VM_ENDED);
        t->done += stop == VM_ENDED;
        t->ran[heard]++;
        if (x->waiting.count)
            ask_again(x);
    }
    if (tells_time)
        t->seconds[t->hears_last] = hd_clock() - start;
}

/* Worker `number` runs blocks until there are none. */
static void work(void *self, uint32_t number) {
    running *x = self;
    seat own = {.worker = &x->compiled->workers[number], .room = &x->vm->rooms[number]};
    batch t;
    if (!number)
        x->at_work = &own;
    while (take_batch(x, &t)) {
        run_batch(x, &own, &t);
        uint64_t done = hand_in(x, &t);
        if (number == 0 && x->vm->options.progress)
            x->vm->options.progress(x->vm->options.user, done, x->total);
    }
    if (!number)
        wait_for_fewer(x, 0);
}

/* ---- blocks that take turns ------------------------------------------------------------------ */

/*
 * All blocks of a cooperative launch are on the device at once and may wait for each other. Here one
 * runs until it has asked for what another one may write, an atomic or volatile access; then the next
 * one has its turn, in the order of blocks, round after round.
 */
static void begin_seat(running *x, seat *s, uint64_t block) {
    vm_run *r = &s->worker->run;
    if (x->sink && x->sink->open_block)
        s->stream = x->sink->open_block(x->sink->self, block);
    r->sink = x->sink;
    r->stream = s->stream;
    s->heard = x->sink != NULL;
    s->block = block;
    s->has_ended = false;
    set_regions(s->worker, x->bound); /* the block before has given its local memory back */
    begin_block(x, s->worker, block);
}

static void end_seat(running *x, seat *s, bool complete) {
    vm_run *r = &s->worker->run;
    close_block(x, s, complete);
    for (uint32_t i = 0; r->cluster && i < r->region_count; i++)
        r->regions[i].bytes = r->regions[i].space == KIR_LOCAL ? 0 : r->regions[i].bytes;
    r->live = 0;
    if (r->cluster)
        vm_pass_cluster(r);
    s->has_ended = true;
    x->done += complete;
    if (x->vm->options.progress)
        x->vm->options.progress(x->vm->options.user, x->done, x->total);
}

/* Every block that has not ended asks for the barrier of the grid, and nobody comes to it. */
static void fault_of_grid(const running *x, vm_run *r) {
    if (!setjmp(r->escape))
        vm_fault(r, r->asked, UINT32_MAX,
                 "the block waits here for all %llu blocks of its grid, and they do not come: %llu "
                 "of them have ended, and the others wait",
                 (unsigned long long)x->total, (unsigned long long)x->done);
}

/* What a round has shown: whether some block did more than ask for the barrier of the grid, and more than
 * ask at all. */
typedef struct a_round {
    bool passes, moves;
} a_round;

/* A turn for each block. */
static a_round run_round(running *x, seat **seats, uint64_t count) {
    a_round said = {false, false};
    for (uint64_t b = 0; b < count && !is_over(x); b++) {
        vm_run *r = &seats[b]->worker->run;
        if (seats[b]->has_ended)
            continue;
        const vm_stop stop = go_on(x, seats[b]);
        const bool ends = stop == VM_ENDED || stop == VM_STOPPED;
        said.passes |= ends || r->asked == KIR_NONE;
        said.moves |= ends || r->has_moved;
        if (ends)
            end_seat(x, seats[b], stop == VM_ENDED);
        must_stop(x);
    }
    return said;
}

/* Blocks that are there at once, until all have ended. */
static void run_together(running *x, seat **seats, uint64_t count) {
    enum { MOST_VAIN_PASSES = 1000, MOST_VAIN_ROUNDS = 1 << 16 };
    const vm_region *workspace = x->compiled->workers[0].run.workspace;
    uint32_t vain = 0;
    hope h = {0};
    uint64_t left = count;
    for (uint64_t b = 0; b < count; b++)
        begin_seat(x, seats[b], seats[b]->block);
    while (left && !is_over(x)) {
        uint64_t before = workspace ? vm_read_bits(workspace->host, 8) : 0;
        const a_round said = run_round(x, seats, count);
        bool passes = said.passes || !workspace || before != vm_read_bits(workspace->host, 8);
        vain = passes ? 0 : vain + 1;
        const bool lost = is_lost(x, &h, said.moves, MOST_VAIN_ROUNDS);
        left = 0;
        for (uint64_t b = count; b-- > 0;)
            left += !seats[b]->has_ended;
        for (uint64_t b = 0; b < count && !is_over(x); b++) {
            if (seats[b]->has_ended || (vain <= MOST_VAIN_PASSES && !lost))
                continue;
            if (vain > MOST_VAIN_PASSES)
                fault_of_grid(x, &seats[b]->worker->run);
            else
                give_up(x, seats[b], left - 1);
            end_seat(x, seats[b], false);
        }
    }
    for (uint64_t b = 0; b < count; b++)
        if (!seats[b]->has_ended)
            end_seat(x, seats[b], false);
}

/* Blocks of a cluster; 1: there are none. */
static uint32_t cluster_count(const hd_event_launch *e) {
    return e->cluster[0] ? e->cluster[0] * e->cluster[1] * e->cluster[2] : 1;
}

/* The block of this rank in a cluster; both are counted along the first dimension first. */
static uint64_t block_in_cluster(const hd_event_launch *e, uint64_t number, uint32_t rank) {
    const uint64_t own[3] = {e->cluster[0], e->cluster[1], e->cluster[2]};
    uint64_t at[3], in[3], clusters[3];
    for (uint32_t d = 0; d < 3; d++)
        clusters[d] = e->groups[d] / own[d];
    hd_grid_ids(clusters, number, at);
    hd_grid_ids(own, rank, in);
    for (uint32_t d = 0; d < 3; d++)
        at[d] = at[d] * own[d] + in[d];
    return at[0] + e->groups[0] * (at[1] + e->groups[1] * at[2]);
}

/* Cluster after cluster; in a cooperative launch all blocks at once. */
static void take_turns(running *x) {
    const uint32_t size = cluster_count(x->event);
    const uint64_t at_once = x->launch->cooperative ? x->total : size;
    seat **seats = hd_new_array(x->arena, seat *, at_once);
    vm_run **runs = hd_new_array(x->arena, vm_run *, at_once);
    x->compiled->workers[0].took_part = true;
    for (uint64_t b = 0; b < at_once && !x->status; b++) {
        seats[b] = new_seat(x);
        runs[b] = &seats[b]->worker->run;
    }
    for (uint64_t first = 0; first < x->total && !is_over(x); first += at_once) {
        for (uint64_t b = 0; b < at_once; b++) {
            const uint64_t number = (first + b) / size;
            seats[b]->block = first + b;
            if (size == 1)
                continue;
            vm_cluster *cluster = hd_new(x->arena, vm_cluster);
            *cluster = (vm_cluster){runs + b / size * size, size};
            runs[b]->cluster = cluster;
            runs[b]->rank = (uint32_t)(b % size);
            runs[b]->local_base =
                vm_local_base(number % (VM_LOCAL_BLOCKS / size) * size + runs[b]->rank);
            seats[b]->block = block_in_cluster(x->event, number, runs[b]->rank);
        }
        run_together(x, seats, at_once);
    }
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
    const bool may_wait =
        x->takes_turns || hd_may_wait(first->program->kernel, first->program->info->flow);
    first->checked = vm->options.check_races || vm->options.check_uninitialised;
    first->shadow =
        first->checked ? vm_shadow_new(first, &vm->races, x->event->block_count, may_wait) : NULL;
    first->block_shadow = first->checked ? vm_block_shadow_new(first) : NULL;
    if (x->sink && x->sink->launch)
        x->status = x->sink->launch(x->sink->self, x->event);
    hd_str text = {.arena = x->arena = hd_arena_new()};
    first->printed = x->text = first->program->prints && vm->options.print ? &text : NULL;
    x->workers = workers;
    if (!x->status && x->takes_turns)
        take_turns(x);
    else if (!x->status)
        hd_crew_run(&vm->crew, workers, prepare_and_work, x);
    free_seats(x);
    first->printed = NULL;
    hd_arena_free(x->arena);
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

/* Whole clusters, whose blocks take turns. */
static hd_status begin_clusters(running *x, hd_event_launch *event) {
    enum { MOST = 16 };
    const hd_vm_options *options = &x->vm->options;
    const uint32_t *c = event->cluster, count = cluster_count(event);
    bool fits = count <= MOST;
    for (uint32_t d = 0; d < 3; d++)
        fits &= c[d] && event->groups[d] % c[d] == 0;
    if (!fits)
        return hd_fail(x->vm->diag, HD_EINPUT, &x->launch->place,
                       "a launch of %llu x %llu x %llu blocks in clusters of %u x %u x %u; a "
                       "cluster has at most %d blocks, and a grid whole clusters",
                       (unsigned long long)event->groups[0], (unsigned long long)event->groups[1],
                       (unsigned long long)event->groups[2], c[0], c[1], c[2], MOST);
    if (count > 1 && (options->check_races || options->check_uninitialised))
        return hd_fail(x->vm->diag, HD_EUNSUPPORTED, &x->launch->place,
                       "--races and --uninitialised do not follow what blocks of a cluster do in "
                       "each other's memory; run it without them");
    x->takes_turns |= count > 1;
    return HD_OK;
}

/* All of its blocks are on the device at once. */
static hd_status begin_cooperative(running *x, hd_event_launch *event) {
    hd_vm *vm = x->vm;
    const uint64_t held = blocks_held(x);
    if (event->block_count > held)
        return hd_fail(vm->diag, HD_EINPUT, &x->launch->place,
                       "a cooperative launch of %llu blocks of kernel %s; %s holds %llu of them at "
                       "once; launch no more, each for several parts of the work",
                       (unsigned long long)event->block_count, x->launch->kernel->name,
                       vm->options.device->name, (unsigned long long)held);
    vm_region *workspace = vm_space_at(&vm->space, vm->workspace);
    if (workspace)
        memset(workspace->host, 0, workspace->bytes);
    x->takes_turns |= event->block_count > 1;
    return HD_OK;
}

static hd_status run_launch(hd_arena *arena, running *x, hd_vm_counts *counts) {
    hd_vm *vm = x->vm;
    double start = hd_clock();
    bool is_heard = x->sink && (x->sink->launch || x->sink->event);
    hd_event_launch event =
        vm_describe(arena, vm, x->launch, x->bound, x->compiled->program, is_heard);
    x->event = &event;
    hd_status held = event.cluster[0] ? begin_clusters(x, &event) : HD_OK;
    if (!held && x->launch->cooperative)
        held = begin_cooperative(x, &event);
    if (held)
        return held;
    event.takes_turns = x->takes_turns;
    if (x->takes_turns)
        x->blocks = hd_all_blocks; /* none can be left out */
    x->end = event.block_count;
    x->total = hd_blocks_chosen(&x->blocks, event.block_count);
    bool counts_threads = vm->options.check_races; /* in 32 bits */
    if (counts_threads && event.block_count >= UINT32_MAX / event.block_threads)
        return hd_fail(vm->diag, HD_EUNSUPPORTED, &x->launch->place,
                       "--races can watch fewer than 4,294,967,295 threads; launch fewer blocks");
    vm_space_forget_maps(&vm->space);
    uint32_t workers = workers_for(x);
    event.takes_turns |= workers == 1; /* one block may wait for the next */
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
                   .cluster = {live->cluster[0], live->cluster[1], live->cluster[2]},
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
