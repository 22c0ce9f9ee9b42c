/* Memory of the platform, and buffers: memory of the machine's, which the host reads and writes as well. */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

/* ---- making ---------------------------------------------------------------------------------------- */

static bool is_one_of(cl_mem_flags flags, cl_mem_flags several) {
    flags &= several;
    return !(flags & (flags - 1));
}

bool platform_are_flags(cl_mem_flags flags) {
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                       host =
                           CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                       from = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    return !(flags & ~(access | host | from)) && is_one_of(flags, access) &&
           is_one_of(flags, host) &&
           (!(flags & CL_MEM_USE_HOST_PTR) ||
            !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)));
}

cl_mem platform_memory_new(machine *m, cl_context context, cl_mem over, cl_mem_flags flags,
                           size_t bytes, void *host) {
    host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    char *at = over ? over->memory : machine_buffer(m, bytes, host);
    if (!at)
        return NULL;
    cl_mem memory = platform_new(PLATFORM_MEMORY, sizeof *memory);
    memory->type = CL_MEM_OBJECT_BUFFER;
    memory->context = platform_hold(context);
    memory->whole = platform_hold(over);
    memory->flags =
        flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) ? flags : flags | CL_MEM_READ_WRITE;
    memory->bytes = bytes;
    memory->memory = at;
    memory->host = host;
    return memory;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags,
                                                     size_t bytes, void *host, cl_int *error) {
    const bool has_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    machine *m = machine_enter();
    const uint64_t room = platform_memory_size(m);
    const cl_int wrong = !platform_is(context, PLATFORM_CONTEXT) ? CL_INVALID_CONTEXT
                         : !platform_are_flags(flags)            ? CL_INVALID_VALUE
                         : !bytes || bytes > room                ? CL_INVALID_BUFFER_SIZE
                         : has_host != (host != NULL)            ? CL_INVALID_HOST_PTR
                                                                 : CL_SUCCESS;
    cl_mem buffer = wrong ? NULL : platform_memory_new(m, context, NULL, flags, bytes, host);
    if (buffer && flags & CL_MEM_COPY_HOST_PTR) {
        memcpy(buffer->memory, host, bytes);
        hd_ptx_wrote(m->ptx, buffer->memory, bytes);
    }
    platform_fail(wrong ? wrong : buffer ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
    platform_leave(m);
    return buffer;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer_with(cl_context context,
                                                          const cl_mem_properties *how,
                                                          cl_mem_flags flags, size_t bytes,
                                                          void *host, cl_int *error) {
    if (how && *how)
        return platform_fail(CL_INVALID_PROPERTY, error);
    return create_buffer(context, flags, bytes, host, error);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_part(cl_mem whole, cl_mem_flags flags,
                                                   cl_buffer_create_type type, const void *given,
                                                   cl_int *error) {
    const cl_buffer_region *region = given;
    machine *m = machine_enter();
    cl_mem part = NULL;
    const cl_int wrong =
        !platform_is(whole, PLATFORM_MEMORY) || platform_is_image(whole) || whole->whole
            ? CL_INVALID_MEM_OBJECT
        : type != CL_BUFFER_CREATE_TYPE_REGION || !region || !platform_are_flags(flags)
            ? CL_INVALID_VALUE
        : !region->size ? CL_INVALID_BUFFER_SIZE
        : region->origin > whole->bytes || region->size > whole->bytes - region->origin
            ? CL_INVALID_VALUE
        : region->origin % PLATFORM_ALIGN ? CL_MISALIGNED_SUB_BUFFER_OFFSET
                                          : CL_SUCCESS;
    if (!wrong) {
        part = platform_memory_new(m, whole->context, whole, flags, region->size, NULL);
        part->flags = flags ? flags : whole->flags;
        part->offset = region->origin;
        part->memory += region->origin;
        part->host = whole->host ? (char *)whole->host + region->origin : NULL;
    }
    platform_fail(wrong, error);
    platform_leave(m);
    return part;
}

/* ---- their end --------------------------------------------------------------------------------------- */

void platform_end_memory(machine *m, cl_mem memory) {
    while (memory->gone) {
        platform_callback *callback = memory->gone;
        memory->gone = callback->next;
        platform_call_back(callback);
    }
    if (!memory->whole)
        machine_free(m, memory->memory);
    platform_drop(m, memory->whole);
    platform_drop(m, memory->context);
}

PLATFORM_HELD(memory, cl_mem, PLATFORM_MEMORY, CL_INVALID_MEM_OBJECT)

static CL_API_ENTRY cl_int CL_API_CALL set_gone(cl_mem memory,
                                                void(CL_CALLBACK *notify)(cl_mem, void *),
                                                void *user) {
    machine *m = machine_enter();
    if (!platform_is(memory, PLATFORM_MEMORY))
        return platform_left(m, CL_INVALID_MEM_OBJECT);
    if (!notify)
        return platform_left(m, CL_INVALID_VALUE);
    platform_callback *callback = hd_zeroed(1, sizeof *callback);
    *callback =
        (platform_callback){.next = memory->gone, .object = memory, .memory = notify, .user = user};
    memory->gone = callback; /* the last one is called first */
    return platform_left(m, CL_SUCCESS);
}

static CL_API_ENTRY cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info what, size_t room,
                                                   void *to, size_t *needs) {
    static const cl_bool no = CL_FALSE;
    if (!platform_is(memory, PLATFORM_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE: return platform_give(&memory->type, sizeof memory->type, room, to, needs);
    case CL_MEM_FLAGS: return platform_give(&memory->flags, sizeof memory->flags, room, to, needs);
    case CL_MEM_SIZE: return platform_give(&memory->bytes, sizeof memory->bytes, room, to, needs);
    case CL_MEM_HOST_PTR: return platform_give(&memory->host, sizeof(void *), room, to, needs);
    case CL_MEM_MAP_COUNT: return platform_give(&memory->mapped, sizeof(cl_uint), room, to, needs);
    case CL_MEM_REFERENCE_COUNT:
        return platform_give(&memory->object.held, sizeof(cl_uint), room, to, needs);
    case CL_MEM_CONTEXT:
        return platform_give(&memory->context, sizeof memory->context, room, to, needs);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return platform_give(&memory->whole, sizeof memory->whole, room, to, needs);
    case CL_MEM_OFFSET:
        return platform_give(&memory->offset, sizeof memory->offset, room, to, needs);
    case CL_MEM_USES_SVM_POINTER: return platform_give(&no, sizeof no, room, to, needs);
    case CL_MEM_PROPERTIES: return platform_give(NULL, 0, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

void platform_memories(cl_icd_dispatch *table) {
    table->clCreateBuffer = create_buffer;
    table->clCreateBufferWithProperties = create_buffer_with;
    table->clCreateSubBuffer = create_part;
    table->clRetainMemObject = hold_memory;
    table->clReleaseMemObject = release_memory;
    table->clSetMemObjectDestructorCallback = set_gone;
    table->clGetMemObjectInfo = memory_info;
}
