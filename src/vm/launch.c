/*
 * The machine as a whole: memory, compiled kernels, and the workers that run a
 * launch's blocks.
 *
 *     hd_vm_open   buffers get addresses and contents, kernels are compiled
 *     hd_vm_run    block after block is handed to whichever worker is free
 *
 * A worker is a frame, masks, local and private memory for one block. It is kept
 * with the compiled kernel, because kernels are launched again and again.
 */
#include "vm/launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

typedef struct worker {
    hd_run run;
    uint8_t *local_memory;
    uint64_t local_capacity;
    uint32_t region_capacity;
    hd_arena *arena;
} worker;

/* A kernel compiled for blocks of one size, and its workers. */
typedef struct compiled {
    const kir_kernel *kernel;
    hd_program *program;
    worker *workers; /* [vm->worker_count], made when first needed */
} compiled;

/* A variable at file scope and the region that it has. */
typedef struct placed {
    const kir_static *variable;
    uint64_t address;
} placed;

struct hd_vm {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    hd_vm_options options;
    uint32_t worker_count;
    hd_vec(hd_region) regions; /* global and constant memory, ascending */
    hd_vec(void *) owned;      /* host memory to free */
    hd_vec(placed) statics;
    hd_vec(compiled) compiled;
    uint64_t next_address;
    uint32_t launches; /* run so far */
};

/* One launch while it runs. */
typedef struct running {
    hd_vm *vm;
    compiled *compiled;
    const hd_launch *launch;
    const hd_bound_arg *args;
    const hd_sink *sink;
    pthread_mutex_t lock;
    uint64_t next, end;      /* blocks to start */
    uint64_t done, total;
    uint64_t fault_block;    /* the lowest block with a fault, UINT64_MAX: none */
    char *fault;
    uint32_t fault_inst;
    hd_status status;        /* of the sink */
    bool stopped;
} running;

/* ---- memory ------------------------------------------------------------------------------ */

/* Zeroed by the system when it is large, so that what is never used costs nothing. */
static void *host_memory(hd_vm *vm, uint64_t bytes) {
    void *block = calloc(1, bytes + PAGE);
    if (!block)
        abort();
    hd_push(vm->arena, &vm->owned, block);
    return (void *)hd_align_up((uintptr_t)block, bytes >= PAGE ? PAGE : 64);
}

void *hd_new_aligned(hd_arena *arena, size_t bytes) {
    enum { LINE = 64 };
    return (void *)hd_align_up((uintptr_t)hd_alloc(arena, bytes + LINE), LINE);
}

static uint64_t add_region(hd_vm *vm, hd_region region) {
    region.base = vm->next_address;
    region.buffer = (int32_t)vm->regions.count;
    region.host = host_memory(vm, region.bytes);
    vm->next_address = hd_align_up(region.base + region.bytes, PAGE) + PAGE;
    hd_push(vm->arena, &vm->regions, region);
    return region.base;
}

static hd_status add_buffer(hd_vm *vm, uint32_t index, const void *contents) {
    const hd_buffer *b = &vm->job->buffers[index];
    void *own = NULL;
    if (!contents) {
        hd_status status = hd_job_contents(vm->arena, vm->diag, vm->job, b, &own);
        if (status)
            return status;
        contents = own;
    }
    hd_region region = {.name = b->name, .space = KIR_GLOBAL, .bytes = b->count * b->element_bytes,
                        .element_bytes = b->element_bytes, .record = b->record};
    if (vm->options.check_uninitialised && own && !b->file && !b->init_count)
        region.written = host_memory(vm, (region.bytes + 7) / 8);
    add_region(vm, region);
    memcpy(vm->regions.data[index].host, contents, region.bytes);
    return HD_OK;
}

/* A constant table is one for each kernel, a __device__ variable one for all that name it. */
static bool is_same_variable(const kir_static *a, const kir_static *b) {
    return a == b || (a->space == KIR_GLOBAL && b->space == KIR_GLOBAL && !strcmp(a->name, b->name));
}

static uint64_t address_of_static(hd_vm *vm, const kir_static *s) {
    for (size_t i = 0; i < vm->statics.count; i++)
        if (is_same_variable(vm->statics.data[i].variable, s))
            return vm->statics.data[i].address;
    hd_region region = {.name = s->name, .space = s->space, .bytes = s->bytes,
                        .read_only = s->space == KIR_CONSTANT, .record = s->record,
                        .element_bytes = s->record ? s->record->size : 0};
    uint64_t base = add_region(vm, region);
    if (s->init)
        memcpy(vm->regions.data[vm->regions.count - 1].host, s->init, s->bytes);
    hd_push(vm->arena, &vm->statics, (placed){s, base});
    return base;
}

/* ---- opening ------------------------------------------------------------------------------- */

static uint32_t lanes_of(const hd_launch *l) {
    uint64_t lanes = 1;
    for (uint32_t d = 0; d < l->dims; d++)
        lanes *= l->local[d];
    return (uint32_t)lanes;
}

static compiled *find_compiled(hd_vm *vm, const hd_launch *l) {
    for (size_t i = 0; i < vm->compiled.count; i++)
        if (vm->compiled.data[i].kernel == l->kernel &&
            vm->compiled.data[i].program->lanes == lanes_of(l))
            return &vm->compiled.data[i];
    return NULL;
}

static hd_status compile_launch(hd_vm *vm, const hd_launch *l) {
    enum { MOST_LANES = 65536 };
    uint64_t lanes = 1;
    for (uint32_t d = 0; d < l->dims; d++)
        lanes *= l->local[d];
    if (lanes > MOST_LANES)
        return hd_fail(vm->diag, HD_EINPUT, &l->place,
                       "a block of %llu threads; no device runs more than %d, most 1024",
                       (unsigned long long)lanes, MOST_LANES);
    if (find_compiled(vm, l))
        return HD_OK;
    compiled c = {.kernel = l->kernel};
    hd_binding binding = hd_job_binding(vm->arena, vm->job, l);
    hd_status status = hd_compile(vm->arena, vm->diag, vm->job->module, l->kernel, &binding,
                                  lanes_of(l), &c.program);
    if (status)
        return status;
    c.workers = hd_new_array(vm->arena, worker, vm->worker_count);
    hd_push(vm->arena, &vm->compiled, c);
    for (uint32_t i = 0; i < l->kernel->static_count; i++)
        if (l->kernel->statics[i].space != KIR_LOCAL)
            address_of_static(vm, &l->kernel->statics[i]);
    return HD_OK;
}

hd_status hd_vm_open(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                     void *const *contents, const hd_vm_options *options, hd_vm **result) {
    hd_vm *vm = hd_new(arena, hd_vm);
    vm->arena = arena;
    vm->diag = diag;
    vm->job = job;
    vm->options = *options;
    vm->next_address = HD_GLOBAL_BASE;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    vm->worker_count = options->workers ? options->workers : cores > 0 ? (uint32_t)cores : 1;
    if (!vm->options.max_instructions)
        vm->options.max_instructions = 10000000000;
    if (!vm->options.local_memory)
        vm->options.local_memory = 65536;
    if (!vm->options.spaces)
        vm->options.spaces = 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < job->buffer_count && !status; i++)
        status = add_buffer(vm, i, contents ? contents[i] : NULL);
    for (uint32_t i = 0; i < job->launch_count && !status; i++)
        status = compile_launch(vm, &job->launches[i]);
    *result = status ? NULL : vm;
    if (status)
        hd_vm_close(vm);
    return status;
}

void *hd_vm_contents(const hd_vm *vm, uint32_t buffer) { return vm->regions.data[buffer].host; }

static void free_workers(const hd_vm *vm, const compiled *c) {
    for (uint32_t i = 0; i < vm->worker_count; i++)
        if (c->workers[i].arena)
            hd_arena_free(c->workers[i].arena);
}

void hd_vm_close(hd_vm *vm) {
    if (!vm)
        return;
    for (size_t i = 0; i < vm->compiled.count; i++)
        free_workers(vm, &vm->compiled.data[i]);
    for (size_t i = 0; i < vm->owned.count; i++)
        free(vm->owned.data[i]);
    vm->owned.count = vm->compiled.count = 0;
}

/* ---- arguments and local memory ---------------------------------------------------------------- */

/* Where everything of one launch is. */
typedef struct binding {
    hd_bound_arg *args;
    hd_bound_static *statics;
    hd_region *locals; /* base: from the block's */
    uint32_t local_count;
    uint64_t local_bytes; /* asked for, without gaps */
    uint64_t local_end;
} binding;

static uint64_t take_local(hd_arena *arena, binding *b, const char *name, uint64_t bytes,
                           uint64_t align, const hd_record *record, uint32_t element_bytes) {
    uint64_t at = hd_align_up(b->local_end, align < 16 ? 16 : align);
    hd_region *more = hd_new_array(arena, hd_region, b->local_count + 1);
    if (b->local_count)
        memcpy(more, b->locals, b->local_count * sizeof *more);
    more[b->local_count] = (hd_region){.name = name, .space = KIR_LOCAL, .base = at, .bytes = bytes,
                                       .record = record, .element_bytes = element_bytes};
    b->locals = more;
    b->local_count++;
    b->local_bytes += bytes;
    b->local_end = hd_align_up(at + bytes + HD_GAP, HD_GAP);
    return at;
}

static void bind_static(hd_arena *arena, hd_vm *vm, const hd_launch *l, binding *b, uint32_t i) {
    const kir_static *s = &l->kernel->statics[i];
    uint32_t element = s->record ? s->record->size : 0;
    for (uint32_t a = 0; a < l->arg_count; a++)
        if (l->args[a].param == KIR_NONE && l->args[a].variable == i) {
            b->statics[i].address = vm->regions.data[l->args[a].buffer].base;
            return;
        }
    if (s->space != KIR_LOCAL) {
        b->statics[i].address = address_of_static(vm, s);
        return;
    }
    b->statics[i].is_local = true;
    b->statics[i].address = take_local(arena, b, s->name, s->is_dynamic ? l->shared : s->bytes,
                                       s->align, s->record, element);
}

static void bind_arg(hd_arena *arena, hd_vm *vm, const hd_launch *l, binding *b,
                     const hd_arg *arg) {
    hd_bound_arg *to = &b->args[arg->param];
    const kir_param *param = &l->kernel->params[arg->param];
    if (arg->kind == HD_ARG_BUFFER) {
        to->address = vm->regions.data[arg->buffer].base;
    } else if (arg->kind == HD_ARG_LOCAL) {
        to->is_local = true;
        to->address = take_local(arena, b, param->name, arg->local_bytes, 128, param->record,
                                 param->element_bytes);
    } else {
        to->bytes = arg->value;
    }
}

static hd_status bind(hd_arena *arena, hd_vm *vm, const hd_launch *l, binding *b) {
    b->args = hd_new_array(arena, hd_bound_arg, l->kernel->param_count);
    b->statics = hd_new_array(arena, hd_bound_static, l->kernel->static_count);
    for (uint32_t i = 0; i < l->kernel->static_count; i++)
        bind_static(arena, vm, l, b, i);
    for (uint32_t i = 0; i < l->arg_count; i++)
        if (l->args[i].param != KIR_NONE)
            bind_arg(arena, vm, l, b, &l->args[i]);
    if (b->local_bytes > vm->options.local_memory)
        return hd_fail(vm->diag, HD_EINPUT, &l->place,
                       "a block of kernel %s needs %llu bytes of local memory, and has %llu; use "
                       "less of it, or allow more with --local-memory",
                       l->kernel->name, (unsigned long long)b->local_bytes,
                       (unsigned long long)vm->options.local_memory);
    return HD_OK;
}

/* ---- what sinks are told ------------------------------------------------------------------------- */

static int32_t buffer_row(const hd_vm *vm, const hd_launch *l, const binding *b,
                          const hd_access *a) {
    uint64_t address = 0;
    bool local = false;
    if (a->static_index >= 0) {
        address = b->statics[a->static_index].address;
        local = b->statics[a->static_index].is_local;
    } else if (a->param >= 0 && l->kernel->params[a->param].type.kind == KIR_PTR &&
               !l->kernel->params[a->param].by_value_struct) {
        address = b->args[a->param].address;
        local = b->args[a->param].is_local;
    } else {
        return -1;
    }
    for (uint32_t i = 0; i < b->local_count && local; i++)
        if (b->locals[i].base == address)
            return (int32_t)(vm->regions.count + i);
    for (size_t i = 0; i < vm->regions.count && !local; i++)
        if (vm->regions.data[i].base == address)
            return (int32_t)i;
    return -1;
}

static void describe_accesses(hd_arena *arena, const hd_vm *vm, const hd_launch *l,
                              const binding *b, const hd_kernel_info *info, hd_event_launch *e) {
    hd_event_access *rows = hd_new_array(arena, hd_event_access, info->access_count);
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *a = &info->accesses[i];
        rows[i] = (hd_event_access){.kind = a->kind, .space = a->space, .width = a->width,
                                    .buffer = buffer_row(vm, l, b, a), .file = a->file,
                                    .line = a->line, .column = a->column};
        if (a->record)
            rows[i].record = a->record->name;
        if (a->record && a->field >= 0)
            rows[i].field = a->record->fields[a->field].name;
    }
    e->accesses = rows;
    e->access_count = info->access_count;
}

static const char *type_of_region(const hd_vm *vm, size_t i) {
    return i < vm->job->buffer_count ? vm->job->buffers[i].type : NULL;
}

static void describe_buffers(hd_arena *arena, const hd_vm *vm, const binding *b,
                             const hd_program *p, hd_event_launch *e) {
    e->buffer_count = (uint32_t)vm->regions.count + b->local_count + (p->piece_count > 0);
    hd_event_buffer *rows = hd_new_array(arena, hd_event_buffer, e->buffer_count);
    for (uint32_t i = 0; i < e->buffer_count; i++) {
        const hd_region *g = i < vm->regions.count ? &vm->regions.data[i]
                             : i - vm->regions.count < b->local_count
                                 ? &b->locals[i - vm->regions.count] : NULL;
        if (!g) {
            rows[i] = (hd_event_buffer){.name = "private", .space = KIR_PRIVATE,
                                        .base = HD_PRIVATE_BASE, .bytes = p->private_bytes};
            continue;
        }
        rows[i] = (hd_event_buffer){.name = g->name, .type = type_of_region(vm, i),
                                    .space = g->space, .base = g->base, .bytes = g->bytes,
                                    .element_bytes = g->element_bytes, .record = g->record};
        if (g->space == KIR_LOCAL)
            rows[i].base += HD_LOCAL_BASE;
    }
    e->buffers = rows;
}

static hd_event_launch describe(hd_arena *arena, const hd_vm *vm, const hd_launch *l,
                                const binding *b, const hd_program *p) {
    hd_event_launch e = {.number = vm->launches, .kernel = l->kernel->name, .dims = l->dims,
                         .groups = {1, 1, 1}, .local = {1, 1, 1}, .block_count = 1,
                         .block_threads = p->lanes};
    for (uint32_t d = 0; d < l->dims; d++) {
        e.groups[d] = l->global[d] / l->local[d];
        e.local[d] = l->local[d];
        e.offset[d] = l->offset[d];
        e.block_count *= e.groups[d];
    }
    const kir_module *module = vm->job->module;
    const char **files = hd_new_array(arena, const char *, module->file_count);
    for (uint32_t i = 0; i < module->file_count; i++)
        files[i] = module->files[i].name;
    e.files = files;
    e.file_count = module->file_count;
    describe_accesses(arena, vm, l, b, p->info, &e);
    describe_buffers(arena, vm, b, p, &e);
    return e;
}

/* ---- a worker's block ------------------------------------------------------------------------------ */

static void make_worker(hd_vm *vm, worker *w, const hd_program *p) {
    w->arena = hd_arena_new();
    hd_run *r = &w->run;
    r->program = p;
    r->lanes = p->lanes;
    r->padded = p->padded;
    r->frame = host_memory(vm, p->frame_bytes);
    r->active.lane = hd_new_aligned(w->arena, p->padded);
    r->bits = hd_new_array(w->arena, uint64_t, (p->padded + 63) / 64);
    r->spans = hd_new_array(w->arena, hd_span, p->padded / HD_CHUNK);
    r->cached = hd_new_array(w->arena, uint32_t, p->memory_count);
    r->addresses = hd_new_aligned(w->arena, p->padded * sizeof *r->addresses);
    r->flow = hd_flow_state_new(w->arena, p);
    /* An odd number of cache lines apart, so that lanes do not fall into the same cache set. */
    r->private_stride = (p->private_bytes / 64 | 1) * 64;
    r->private_memory = host_memory(vm, r->private_stride * p->lanes);
}

static void set_regions(hd_vm *vm, worker *w, const binding *b) {
    hd_run *r = &w->run;
    const hd_program *p = r->program;
    uint32_t n = 0;
    r->region_count = p->piece_count + b->local_count + (uint32_t)vm->regions.count;
    if (w->region_capacity < r->region_count) {
        w->region_capacity = r->region_count;
        r->regions = hd_new_array(w->arena, hd_region, r->region_count);
    }
    for (uint32_t i = 0; i < p->piece_count; i++)
        r->regions[n++] = (hd_region){.name = "private", .space = KIR_PRIVATE,
                                      .base = HD_PRIVATE_BASE + p->pieces[i].offset,
                                      .bytes = p->pieces[i].bytes,
                                      .preset = p->pieces[i].is_param,
                                      .host = r->private_memory + p->pieces[i].offset};
    for (uint32_t i = 0; i < b->local_count; i++) {
        r->regions[n] = b->locals[i];
        r->regions[n++].host = w->local_memory + b->locals[i].base;
    }
    for (size_t i = 0; i < vm->regions.count; i++)
        r->regions[n++] = vm->regions.data[i];
}

static void prepare_worker(running *x, worker *w, const hd_event_launch *event,
                           const binding *b) {
    hd_vm *vm = x->vm;
    hd_run *r = &w->run;
    if (!w->arena)
        make_worker(vm, w, x->compiled->program);
    if (w->local_capacity < b->local_end) {
        w->local_capacity = b->local_end;
        w->local_memory = host_memory(vm, b->local_end);
    }
    set_regions(vm, w, b);
    memset(r->cached, 0, r->program->memory_count * sizeof *r->cached);
    r->launch = event;
    r->statics = b->statics;
    r->sink = x->sink;
    r->spaces = vm->options.spaces;
    r->max_instructions = vm->options.max_instructions;
    r->stop = vm->options.stop;
    r->instructions = r->thread_instructions = r->mis = r->lane_accesses = 0;
    hd_fill_launch(r, x->launch, x->args);
}

static void begin_block(running *x, worker *w, uint64_t block) {
    hd_run *r = &w->run;
    const hd_event_launch *e = r->launch;
    r->block = block;
    r->group[0] = block % e->groups[0];
    r->group[1] = block / e->groups[0] % e->groups[1];
    r->group[2] = block / e->groups[0] / e->groups[1];
    r->position = 0;
    r->block_start = r->instructions;
    r->fault = NULL;
    for (uint32_t i = 0; i < r->region_count; i++)
        if (r->regions[i].space == KIR_LOCAL)
            r->regions[i].base = hd_local_base(block) + (uint64_t)(r->regions[i].host -
                                                                    w->local_memory);
    if (w->local_memory)
        memset(w->local_memory, 0, w->local_capacity);
    if (r->program->private_bytes)
        memset(r->private_memory, 0, r->private_stride * r->lanes);
    if (r->checked)
        hd_check_block(r);
    hd_fill_block(r, x->launch, x->args);
}

/* Runs a block; false when it did not come to its end. */
static bool run_block(running *x, worker *w, uint64_t block, void *stream) {
    hd_run *r = &w->run;
    r->stream = stream;
    begin_block(x, w, block);
    if (setjmp(r->escape))
        return false;
    hd_run_nodes(r);
    return true;
}

/* ---- handing out blocks ------------------------------------------------------------------------------ */

/* The next block to run, already open at the sink; false: there is none. */
static bool next_block(running *x, uint64_t *block, void **stream) {
    pthread_mutex_lock(&x->lock);
    const volatile sig_atomic_t *stop = x->vm->options.stop;
    x->stopped |= stop && *stop;
    bool more = x->next < x->end && x->next < x->fault_block && !x->status && !x->stopped;
    if (more) {
        *block = x->next++;
        *stream = x->sink && x->sink->open_block ? x->sink->open_block(x->sink->self, *block) : NULL;
    }
    pthread_mutex_unlock(&x->lock);
    return more;
}

/* Of several faults that of the lowest block counts, since it does not depend on time. */
static void note_end(running *x, hd_run *r, uint64_t block, bool complete, hd_status status) {
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
    pthread_mutex_unlock(&x->lock);
}

static void print_block_text(const hd_vm *vm, const hd_str *text) {
    if (text->length && vm->options.print)
        vm->options.print(vm->options.user, text->data, text->length);
}

typedef struct task {
    running *running;
    worker *worker;
    bool is_caller;
} task;

static void *work(void *argument) {
    task *t = argument;
    running *x = t->running;
    hd_run *r = &t->worker->run;
    uint64_t block;
    void *stream;
    while (next_block(x, &block, &stream)) {
        hd_arena *arena = r->program->prints ? hd_arena_new() : NULL;
        hd_str text = {.arena = arena};
        r->printed = arena ? &text : NULL;
        bool complete = run_block(x, t->worker, block, stream);
        hd_status status = HD_OK;
        if (x->sink && x->sink->close_block)
            status = x->sink->close_block(x->sink->self, stream, block, complete);
        if (arena) { /* such launches have one worker */
            print_block_text(x->vm, &text);
            hd_arena_free(arena);
        }
        note_end(x, r, block, complete, status);
        if (t->is_caller && x->vm->options.progress)
            x->vm->options.progress(x->vm->options.user, x->done, x->total);
    }
    return NULL;
}

/* The calling thread is the first worker. A thread that cannot be started is done without. */
static void run_workers(running *x, uint32_t count) {
    pthread_t *threads = calloc(count, sizeof *threads);
    task *tasks = calloc(count, sizeof *tasks);
    bool *started = calloc(count, sizeof *started);
    if (!threads || !tasks || !started)
        abort();
    for (uint32_t i = 0; i < count; i++)
        tasks[i] = (task){x, &x->compiled->workers[i], i == 0};
    for (uint32_t i = 1; i < count; i++)
        started[i] = !pthread_create(&threads[i], NULL, work, &tasks[i]);
    work(&tasks[0]);
    for (uint32_t i = 1; i < count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
    free(threads);
    free(tasks);
    free(started);
}

static uint32_t workers_for(const running *x) {
    const hd_vm *vm = x->vm;
    uint64_t blocks = x->end - x->next, count = vm->worker_count;
    if (vm->options.check_races || vm->options.check_uninitialised || blocks < 2 ||
        (count > 1 && !hd_blocks_are_independent(x->compiled->program, vm->job, x->launch)))
        count = 1;
    return (uint32_t)(count < blocks ? count : blocks ? blocks : 1);
}

static void choose_blocks(running *x, const hd_event_launch *e) {
    const hd_vm_options *o = &x->vm->options;
    bool all = !o->first_block && !o->last_block;
    x->next = all ? 0 : o->first_block;
    x->end = all || o->last_block >= e->block_count ? e->block_count : o->last_block + 1;
    if (x->next > x->end)
        x->next = x->end;
    x->total = x->end - x->next;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void add_counts(const running *x, uint32_t workers, double seconds, hd_vm_counts *counts) {
    *counts = (hd_vm_counts){.blocks = x->done, .seconds = seconds, .workers = workers,
                             .stopped = x->stopped};
    for (uint32_t i = 0; i < workers; i++) {
        const hd_run *r = &x->compiled->workers[i].run;
        counts->instructions += r->instructions;
        counts->thread_instructions += r->thread_instructions;
        counts->mis += r->mis;
        counts->lane_accesses += r->lane_accesses;
    }
}

static hd_status report_fault(running *x) {
    if (!x->fault)
        return x->status;
    hd_vm *vm = x->vm;
    hd_place place =
        kir_place(vm->arena, vm->job->module, &x->launch->kernel->insts[x->fault_inst]);
    hd_status status = hd_fail(vm->diag, HD_EINPUT, &place, "%s", x->fault);
    free(x->fault);
    return x->status ? x->status : status;
}

static hd_status run_launch(hd_arena *arena, running *x, const binding *b, hd_vm_counts *counts) {
    hd_vm *vm = x->vm;
    double start = now();
    hd_event_launch event = describe(arena, vm, x->launch, b, x->compiled->program);
    choose_blocks(x, &event);
    uint32_t workers = workers_for(x);
    struct hd_shadow *shadow = NULL;
    for (uint32_t i = 0; i < workers; i++)
        prepare_worker(x, &x->compiled->workers[i], &event, b);
    hd_run *first = &x->compiled->workers[0].run;
    first->checked = vm->options.check_races || vm->options.check_uninitialised;
    if (first->checked)
        shadow = hd_shadow_new(first, vm->options.check_races, vm->options.check_uninitialised);
    first->shadow = shadow;
    if (x->sink && x->sink->launch)
        x->status = x->sink->launch(x->sink->self, &event);
    if (!x->status)
        run_workers(x, workers);
    bool complete = x->done == x->total;
    if (x->sink && x->sink->end_launch) {
        hd_status status = x->sink->end_launch(x->sink->self, complete);
        x->status = x->status ? x->status : status;
    }
    if (shadow)
        hd_shadow_free(shadow);
    add_counts(x, workers, now() - start, counts);
    vm->launches++;
    return report_fault(x);
}

hd_status hd_vm_run(hd_vm *vm, uint32_t launch, const hd_sink *sink, hd_vm_counts *counts) {
    const hd_launch *l = &vm->job->launches[launch];
    hd_arena *arena = hd_arena_new();
    hd_vm_counts own = {0};
    binding b = {0};
    running x = {.vm = vm, .compiled = find_compiled(vm, l), .launch = l, .sink = sink,
                 .fault_block = UINT64_MAX};
    hd_status status = bind(arena, vm, l, &b);
    x.args = b.args;
    if (!status) {
        pthread_mutex_init(&x.lock, NULL);
        status = run_launch(arena, &x, &b, counts ? counts : &own);
        pthread_mutex_destroy(&x.lock);
    }
    hd_arena_free(arena);
    return status;
}
