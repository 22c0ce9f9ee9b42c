/* Commands as a program asks for them: copies, fills, maps, launches and markers. */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

/* ---- copies ------------------------------------------------------------------------------------------ */

/* Bytes from a place to behind the last of a box there; false: more than can be counted. */
static bool end_of(const platform_place *p, const size_t region[3], size_t offset, size_t *end) {
    size_t rows, slices;
    return !__builtin_mul_overflow(region[1] - 1, p->row, &rows) &&
           !__builtin_mul_overflow(region[2] - 1, p->slice, &slices) &&
           !__builtin_add_overflow(rows, slices, end) &&
           !__builtin_add_overflow(*end, region[0], end) &&
           !__builtin_add_overflow(*end, offset, end);
}

static cl_int copy_box(machine *m, platform_command *c) {
    for (size_t z = 0; z < c->region[2]; z++)
        for (size_t y = 0; y < c->region[1]; y++) {
            char *to = c->to.at + z * c->to.slice + y * c->to.row;
            memmove(to, c->from.at + z * c->from.slice + y * c->from.row, c->region[0]);
            hd_ptx_wrote(m->ptx, to, c->region[0]);
        }
    return CL_SUCCESS;
}

/* A side of a copy: memory of the platform, or of the host. */
typedef struct side {
    bool is_host;
    cl_mem memory;
    char *host;
    size_t offset, row, slice;
    const size_t *origin; /* of a box; NULL: the bytes at `offset` */
} side;

/* Pitches of 0 are those of the region, and an origin is where the box begins. */
static cl_int find_place(const side *s, const size_t region[3], platform_place *place) {
    size_t offset = s->offset, end;
    place->row = s->row ? s->row : region[0];
    place->slice = s->slice ? s->slice : region[1] * place->row;
    if (place->row < region[0] || place->slice < region[1] * place->row ||
        (s->slice && s->slice % place->row))
        return CL_INVALID_VALUE;
    if (s->origin)
        offset = s->origin[2] * place->slice + s->origin[1] * place->row + s->origin[0];
    place->at = (s->memory ? s->memory->memory : s->host) + offset;
    if (!end_of(place, region, offset, &end) || (s->memory && end > s->memory->bytes))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int check_memory(cl_command_queue queue, cl_mem memory) {
    return !platform_is(memory, PLATFORM_MEMORY) ? CL_INVALID_MEM_OBJECT
           : memory->context != queue->context   ? CL_INVALID_CONTEXT
                                                 : CL_SUCCESS;
}

static cl_int check_side(cl_command_queue queue, const side *s) {
    if (s->is_host)
        return s->host ? CL_SUCCESS : CL_INVALID_VALUE;
    return check_memory(queue, s->memory);
}

/* Host flags of a buffer that the host reads or writes. */
static bool is_kept_from_host(cl_mem memory, bool reads) {
    return memory->flags &
           (CL_MEM_HOST_NO_ACCESS | (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY));
}

static bool overlap(const side *from, const side *to, const platform_command *c) {
    size_t from_end, to_end;
    if (!from->memory || !to->memory || !end_of(&c->from, c->region, 0, &from_end) ||
        !end_of(&c->to, c->region, 0, &to_end))
        return false;
    return c->from.at < c->to.at + to_end && c->to.at < c->from.at + from_end;
}

/* Fills in where the box stands on both sides. */
static cl_int find_box(cl_command_queue queue, const side *from, const side *to,
                       const size_t *region, platform_command *c) {
    cl_int error;
    if ((error = check_side(queue, from)) || (error = check_side(queue, to)))
        return error;
    if (!region || !region[0] || !region[1] || !region[2])
        return CL_INVALID_VALUE;
    if ((!to->memory && is_kept_from_host(from->memory, true)) ||
        (!from->memory && is_kept_from_host(to->memory, false)))
        return CL_INVALID_OPERATION;
    memcpy(c->region, region, sizeof c->region);
    if ((error = find_place(from, region, &c->from)) || (error = find_place(to, region, &c->to)))
        return error;
    return overlap(from, to, c) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

static cl_int copy(cl_command_queue queue, cl_command_type type, const side *from, const side *to,
                   const size_t *region, bool blocking, cl_uint count, const cl_event *wait,
                   cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, type, count, wait, &c);
    if (!error)
        error = find_box(queue, from, to, region, c);
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    c->held[0] = platform_hold(from->memory);
    c->held[1] = platform_hold(to->memory);
    c->run = copy_box;
    return platform_left(m, platform_submit(m, c, blocking, event));
}

static CL_API_ENTRY cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem memory,
                                                   cl_bool blocking, size_t offset, size_t bytes,
                                                   void *to, cl_uint count, const cl_event *wait,
                                                   cl_event *event) {
    const size_t region[3] = {bytes, 1, 1};
    return copy(queue, CL_COMMAND_READ_BUFFER, &(side){.memory = memory, .offset = offset},
                &(side){.is_host = true, .host = to}, region, blocking, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory,
                                                    cl_bool blocking, size_t offset, size_t bytes,
                                                    const void *from, cl_uint count,
                                                    const cl_event *wait, cl_event *event) {
    const size_t region[3] = {bytes, 1, 1};
    return copy(queue, CL_COMMAND_WRITE_BUFFER,
                &(side){.is_host = true, .host = (char *)(uintptr_t)from},
                &(side){.memory = memory, .offset = offset}, region, blocking, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   size_t from_offset, size_t to_offset,
                                                   size_t bytes, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    const size_t region[3] = {bytes, 1, 1};
    return copy(queue, CL_COMMAND_COPY_BUFFER, &(side){.memory = from, .offset = from_offset},
                &(side){.memory = to, .offset = to_offset}, region, false, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL read_rect(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocking, const size_t *buffer_origin,
                                                 const size_t *host_origin, const size_t *region,
                                                 size_t buffer_row, size_t buffer_slice,
                                                 size_t host_row, size_t host_slice, void *to,
                                                 cl_uint count, const cl_event *wait,
                                                 cl_event *event) {
    return copy(queue, CL_COMMAND_READ_BUFFER_RECT,
                &(side){false, memory, NULL, 0, buffer_row, buffer_slice, buffer_origin},
                &(side){true, NULL, to, 0, host_row, host_slice, host_origin}, region, blocking,
                count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem memory,
                                                  cl_bool blocking, const size_t *buffer_origin,
                                                  const size_t *host_origin, const size_t *region,
                                                  size_t buffer_row, size_t buffer_slice,
                                                  size_t host_row, size_t host_slice,
                                                  const void *from, cl_uint count,
                                                  const cl_event *wait, cl_event *event) {
    return copy(queue, CL_COMMAND_WRITE_BUFFER_RECT,
                &(side){true, NULL, (char *)(uintptr_t)from, 0, host_row, host_slice, host_origin},
                &(side){false, memory, NULL, 0, buffer_row, buffer_slice, buffer_origin}, region,
                blocking, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem from, cl_mem to,
                                                 const size_t *from_origin, const size_t *to_origin,
                                                 const size_t *region, size_t from_row,
                                                 size_t from_slice, size_t to_row, size_t to_slice,
                                                 cl_uint count, const cl_event *wait,
                                                 cl_event *event) {
    return copy(queue, CL_COMMAND_COPY_BUFFER_RECT,
                &(side){false, from, NULL, 0, from_row, from_slice, from_origin},
                &(side){false, to, NULL, 0, to_row, to_slice, to_origin}, region, false, count,
                wait, event);
}

/* ---- commands on one buffer ---------------------------------------------------------------------------- */

/* A command on these bytes of a buffer, which is to be run by `function`, or is none. */
static cl_int begin(cl_command_queue queue, cl_command_type type, cl_mem memory, size_t offset,
                    size_t bytes, cl_uint count, const cl_event *wait, platform_command **command) {
    cl_int error = platform_command_new(queue, type, count, wait, command);
    if (!error && !(error = check_memory(queue, memory)) &&
        (!bytes || offset > memory->bytes || bytes > memory->bytes - offset))
        error = CL_INVALID_VALUE;
    if (error)
        return error;
    (*command)->held[0] = platform_hold(memory);
    (*command)->to.at = memory->memory + offset;
    (*command)->region[0] = bytes;
    return CL_SUCCESS;
}

static cl_int fill(machine *m, platform_command *c) {
    for (size_t i = 0; i < c->region[0]; i += c->pattern_bytes)
        memcpy(c->to.at + i, c->pattern, c->pattern_bytes);
    hd_ptx_wrote(m->ptx, c->to.at, c->region[0]);
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem memory,
                                                   const void *pattern, size_t pattern_bytes,
                                                   size_t offset, size_t bytes, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = begin(queue, CL_COMMAND_FILL_BUFFER, memory, offset, bytes, count, wait, &c);
    const bool is_size = pattern_bytes && pattern_bytes <= sizeof c->pattern &&
                         !(pattern_bytes & (pattern_bytes - 1));
    if (!error && (!pattern || !is_size || offset % pattern_bytes || bytes % pattern_bytes))
        error = CL_INVALID_VALUE;
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    memcpy(c->pattern, pattern, pattern_bytes);
    c->pattern_bytes = pattern_bytes;
    c->run = fill;
    return platform_left(m, platform_submit(m, c, false, event));
}

/* The host writes there, and nobody sees it. */
static cl_int note_mapped(machine *m, platform_command *c) {
    hd_ptx_wrote(m->ptx, c->to.at, c->region[0]);
    return CL_SUCCESS;
}

static CL_API_ENTRY void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 size_t offset, size_t bytes, cl_uint count,
                                                 const cl_event *wait, cl_event *event,
                                                 cl_int *error) {
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    machine *m = machine_enter();
    platform_command *c = NULL;
    void *at = NULL;
    cl_int wrong = begin(queue, CL_COMMAND_MAP_BUFFER, memory, offset, bytes, count, wait, &c);
    if (!wrong && flags & ~(writes | CL_MAP_READ))
        wrong = CL_INVALID_VALUE;
    else if (!wrong && ((flags & CL_MAP_READ && is_kept_from_host(memory, true)) ||
                        (flags & writes && is_kept_from_host(memory, false))))
        wrong = CL_INVALID_OPERATION;
    if (wrong) {
        platform_command_free(m, c);
    } else {
        at = c->to.at;
        c->run = flags & writes ? note_mapped : NULL;
        memory->mapped++;
        wrong = platform_submit(m, c, blocking, event);
    }
    platform_fail(wrong, error);
    platform_leave(m);
    return wrong ? NULL : at;
}

static CL_API_ENTRY cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void *at,
                                             cl_uint count, const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, wait, &c);
    if (!error && !(error = check_memory(queue, memory)) &&
        ((char *)at < memory->memory || (char *)at >= memory->memory + memory->bytes ||
         !memory->mapped))
        error = CL_INVALID_VALUE;
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    memory->mapped--;
    c->held[0] = platform_hold(memory);
    return platform_left(m, platform_submit(m, c, false, event));
}

static CL_API_ENTRY cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint memory_count,
                                               const cl_mem *memories, cl_mem_migration_flags flags,
                                               cl_uint count, const cl_event *wait,
                                               cl_event *event) {
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, count, wait, &c);
    if (!error && (!memory_count || !memories || flags & ~known))
        error = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memory_count && !error; i++)
        error = check_memory(queue, memories[i]);
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    return platform_left(m, platform_submit(m, c, false, event));
}

/* ---- markers and barriers ------------------------------------------------------------------------------ */

/* Without events to wait for it waits for all before it. */
static cl_int mark(cl_command_queue queue, cl_command_type type, bool is_barrier, cl_uint count,
                   const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    const cl_int error = platform_command_new(queue, type, count, wait, &c);
    if (error)
        return platform_left(m, error);
    c->is_barrier = is_barrier || !count;
    return platform_left(m, platform_submit(m, c, false, event));
}

static CL_API_ENTRY cl_int CL_API_CALL mark_with(cl_command_queue queue, cl_uint count,
                                                 const cl_event *wait, cl_event *event) {
    return mark(queue, CL_COMMAND_MARKER, false, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL barrier_with(cl_command_queue queue, cl_uint count,
                                                    const cl_event *wait, cl_event *event) {
    return mark(queue, CL_COMMAND_BARRIER, true, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL mark_1_1(cl_command_queue queue, cl_event *event) {
    return event ? mark(queue, CL_COMMAND_MARKER, false, 0, NULL, event) : CL_INVALID_VALUE;
}

static CL_API_ENTRY cl_int CL_API_CALL barrier_1_1(cl_command_queue queue) {
    return mark(queue, CL_COMMAND_BARRIER, true, 0, NULL, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL wait_1_1(cl_command_queue queue, cl_uint count,
                                                const cl_event *wait) {
    return count ? mark(queue, CL_COMMAND_BARRIER, true, count, wait, NULL) : CL_INVALID_VALUE;
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static cl_int run_launch(machine *m, platform_command *c) {
    hd_ptx_counts counts = {0};
    return machine_launch(m, c->kernel, &c->size, c->args, &counts) ? CL_OUT_OF_RESOURCES
                                                                    : CL_SUCCESS;
}

static cl_int check_sizes(cl_kernel kernel, cl_uint dims, const size_t *global,
                          const size_t *local) {
    const hd_ptx_kernel_facts f = hd_ptx_facts(kernel->found);
    size_t threads = 1;
    if (dims < 1 || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    for (cl_uint d = 0; d < dims; d++) {
        if (!global || !global[d])
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (local && (!local[d] || global[d] % local[d]))
            return CL_INVALID_WORK_GROUP_SIZE;
        if (local && local[d] > PLATFORM_MOST_THREADS)
            return CL_INVALID_WORK_ITEM_SIZE;
        if (local && f.required_threads[0] && local[d] != f.required_threads[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (!local && f.required_threads[0] && global[d] % f.required_threads[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        threads *= local ? local[d] : 1;
    }
    return threads > PLATFORM_MOST_THREADS ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

/* Arguments as they are now, in memory of the command's. */
static cl_int take_args(platform_command *c, cl_kernel kernel) {
    const uint32_t count = kernel->ir->param_count;
    c->args = hd_zeroed(count + 1, sizeof *c->args);
    c->arg_memories = hd_zeroed(count + 1, sizeof *c->arg_memories);
    c->arg_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const platform_arg *a = &kernel->args[i];
        const uint64_t number = a->memory ? (uint64_t)(uintptr_t)a->memory->memory
                                : kernel->ir->params[i].type.space == KIR_LOCAL ? a->bytes
                                                                                : 0;
        if (!a->is_set)
            return CL_INVALID_KERNEL_ARGS;
        if (a->memory && !platform_is(a->memory, PLATFORM_MEMORY))
            return CL_INVALID_MEM_OBJECT;
        c->args[i] = hd_zeroed(1, (a->value ? a->bytes : 0) + sizeof number);
        if (a->value)
            memcpy(c->args[i], a->value, a->bytes);
        else
            memcpy(c->args[i], &number, sizeof number);
        c->arg_memories[i] = platform_hold(a->memory);
    }
    return CL_SUCCESS;
}

static cl_int launch_as(cl_command_type type, cl_command_queue queue, cl_kernel kernel,
                        cl_uint dims, const size_t *offset, const size_t *global,
                        const size_t *local, cl_uint count, const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, type, count, wait, &c);
    if (!error)
        error = !platform_is(kernel, PLATFORM_KERNEL)        ? CL_INVALID_KERNEL
                : kernel->program->context != queue->context ? CL_INVALID_CONTEXT
                                                             : CL_SUCCESS;
    if (!error)
        error = check_sizes(kernel, dims, global, local);
    if (!error && machine_size(kernel->found, dims, offset, global, local, &c->size))
        error = CL_INVALID_WORK_GROUP_SIZE;
    if (!error)
        error = take_args(c, kernel);
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    c->kernel = kernel->found;
    c->run = run_launch;
    return platform_left(m, platform_submit(m, c, false, event));
}

static CL_API_ENTRY cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint dims, const size_t *offset,
                                              const size_t *global, const size_t *local,
                                              cl_uint count, const cl_event *wait,
                                              cl_event *event) {
    return launch_as(CL_COMMAND_NDRANGE_KERNEL, queue, kernel, dims, offset, global, local, count,
                     wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel,
                                                   cl_uint count, const cl_event *wait,
                                                   cl_event *event) {
    const size_t one = 1;
    return launch_as(CL_COMMAND_TASK, queue, kernel, 1, NULL, &one, &one, count, wait, event);
}

void platform_enqueues(cl_icd_dispatch *table) {
    table->clEnqueueReadBuffer = read_buffer;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueCopyBuffer = copy_buffer;
    table->clEnqueueReadBufferRect = read_rect;
    table->clEnqueueWriteBufferRect = write_rect;
    table->clEnqueueCopyBufferRect = copy_rect;
    table->clEnqueueFillBuffer = fill_buffer;
    table->clEnqueueMapBuffer = map_buffer;
    table->clEnqueueUnmapMemObject = unmap;
    table->clEnqueueMigrateMemObjects = migrate;
    table->clEnqueueMarkerWithWaitList = mark_with;
    table->clEnqueueBarrierWithWaitList = barrier_with;
    table->clEnqueueMarker = mark_1_1;
    table->clEnqueueBarrier = barrier_1_1;
    table->clEnqueueWaitForEvents = wait_1_1;
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueTask = launch_task;
}
