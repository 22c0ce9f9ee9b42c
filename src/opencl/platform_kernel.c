/* Kernels of the platform, their arguments, and what programs ask of them. */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

/* ---- making and ending -------------------------------------------------------------------------------- */

static cl_kernel new_kernel(cl_program program, hd_ptx_kernel *found) {
    cl_kernel kernel = platform_new(PLATFORM_KERNEL, sizeof *kernel);
    kernel->program = platform_hold(program);
    program->kernels++;
    kernel->found = found;
    kernel->ir = hd_ptx_kernel_ir(found);
    kernel->arg_count = kir_given_params(kernel->ir);
    kernel->args = hd_zeroed(kernel->arg_count + 1, sizeof *kernel->args);
    return kernel;
}

void platform_end_kernel(machine *m, cl_kernel kernel) {
    for (uint32_t i = 0; i < kernel->arg_count; i++)
        free(kernel->args[i].value);
    free(kernel->args);
    kernel->program->kernels--;
    platform_drop(m, kernel->program);
}

static CL_API_ENTRY cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
                                                        cl_int *error) {
    machine *m = machine_enter();
    const char *why = NULL;
    cl_kernel kernel = NULL;
    cl_int wrong = !platform_is(program, PLATFORM_PROGRAM) ? CL_INVALID_PROGRAM
                   : !program->built || program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                       ? CL_INVALID_PROGRAM_EXECUTABLE
                   : !name ? CL_INVALID_VALUE
                           : CL_SUCCESS;
    if (!wrong) {
        hd_ptx_kernel *found = machine_kernel(m, program->built, name, &why);
        kernel = found ? new_kernel(program, found) : NULL;
        if (why)
            hd_warn(&m->diag, NULL, "there is no kernel %s: %s", name, why);
        wrong = found ? CL_SUCCESS : CL_INVALID_KERNEL_NAME;
    }
    platform_fail(wrong, error);
    platform_leave(m);
    return kernel;
}

static CL_API_ENTRY cl_int CL_API_CALL create_kernels(cl_program program, cl_uint room,
                                                      cl_kernel *kernels, cl_uint *made) {
    machine *m = machine_enter();
    if (!platform_is(program, PLATFORM_PROGRAM))
        return platform_left(m, CL_INVALID_PROGRAM);
    if (!program->built || program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return platform_left(m, CL_INVALID_PROGRAM_EXECUTABLE);
    const uint32_t count = hd_ptx_kernel_count(program->built->module);
    if (kernels && room < count)
        return platform_left(m, CL_INVALID_VALUE);
    for (uint32_t i = 0; kernels && i < count; i++)
        kernels[i] = new_kernel(program, hd_ptx_kernel_at(program->built->module, i));
    if (made)
        *made = count;
    return platform_left(m, CL_SUCCESS);
}

PLATFORM_HELD(kernel, cl_kernel, PLATFORM_KERNEL, CL_INVALID_KERNEL)

static bool is_pointer(const kir_param *p) {
    return p->type.kind == KIR_PTR && !p->by_value_struct;
}

static uint32_t value_bytes(const kir_param *p) {
    return p->by_value_struct ? p->bytes : kir_type_bytes(p->type);
}

static cl_kernel_arg_access_qualifier access_of(const kir_param *p) {
    return p->object != KIR_IMAGE               ? CL_KERNEL_ARG_ACCESS_NONE
           : strstr(p->type_name, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
           : strstr(p->type_name, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                                : CL_KERNEL_ARG_ACCESS_READ_ONLY;
}

/* An image that the kernel can take: of its dimensions, and not kept from what the kernel does. */
static cl_int check_image(const kir_param *p, cl_mem image) {
    const kir_image_shape shape = kir_image_shape_of(p->type_name);
    const kir_image *is = &image->image;
    const uint32_t dims = is->depth ? 3 : is->height ? 2 : 1;
    const bool is_line = image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER,
               is_deep = is->format.order == CL_DEPTH;
    const cl_mem_flags kept =
        access_of(p) == CL_KERNEL_ARG_ACCESS_READ_ONLY ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY;
    return shape.dims == dims && shape.has_layers == (is->layers != 0) &&
                   is_line == (strstr(p->type_name, "buffer") != NULL) &&
                   is_deep == (strstr(p->type_name, "depth") != NULL) && !(image->flags & kept)
               ? CL_SUCCESS
               : CL_INVALID_ARG_VALUE;
}

static cl_int check_sampler(size_t bytes, const void *value) {
    return bytes != sizeof(cl_sampler) ? CL_INVALID_ARG_SIZE
           : !value || !platform_is(*(const cl_sampler *)value, PLATFORM_SAMPLER)
               ? CL_INVALID_SAMPLER
               : CL_SUCCESS;
}

static cl_int check_arg(const kir_param *p, size_t bytes, const void *value) {
    if (p->object == KIR_SAMPLER)
        return check_sampler(bytes, value);
    if (!is_pointer(p))
        return !value                    ? CL_INVALID_ARG_VALUE
               : bytes != value_bytes(p) ? CL_INVALID_ARG_SIZE
                                         : CL_SUCCESS;
    if (p->type.space == KIR_LOCAL)
        return value ? CL_INVALID_ARG_VALUE : bytes ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
    const cl_mem memory = value ? *(const cl_mem *)value : NULL;
    if (bytes != sizeof(cl_mem))
        return CL_INVALID_ARG_SIZE;
    if (p->object == KIR_IMAGE)
        return platform_is_image(memory) ? check_image(p, memory) : CL_INVALID_MEM_OBJECT;
    return !memory || (platform_is(memory, PLATFORM_MEMORY) && !platform_is_image(memory))
               ? CL_SUCCESS
               : CL_INVALID_MEM_OBJECT;
}

static void *copied(const void *value, size_t bytes) {
    return memcpy(hd_zeroed(1, bytes), value, bytes);
}

/* A sampler is the number that the machine takes. */
static void *copied_sampler(cl_sampler s, size_t *bytes) {
    const uint64_t number = kir_sampler_of(s->normalized, s->address, s->filter);
    *bytes = sizeof number;
    return copied(&number, sizeof number);
}

/* A kernel does not hold its arguments. */
static CL_API_ENTRY cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t bytes,
                                               const void *value) {
    machine *m = machine_enter();
    cl_int error = !platform_is(kernel, PLATFORM_KERNEL) ? CL_INVALID_KERNEL
                   : index >= kernel->arg_count          ? CL_INVALID_ARG_INDEX
                                                         : CL_SUCCESS;
    if (!error)
        error = check_arg(&kernel->ir->params[index], bytes, value);
    if (!error) {
        platform_arg *a = &kernel->args[index];
        free(a->value);
        *a = (platform_arg){.is_set = true, .bytes = bytes};
        if (kernel->ir->params[index].object == KIR_SAMPLER)
            a->value = copied_sampler(*(const cl_sampler *)value, &a->bytes);
        else if (!is_pointer(&kernel->ir->params[index]))
            a->value = copied(value, bytes);
        else if (value)
            a->memory = *(const cl_mem *)value;
    }
    return platform_left(m, error);
}

static CL_API_ENTRY cl_kernel CL_API_CALL copy_kernel(cl_kernel kernel, cl_int *error) {
    machine *m = machine_enter();
    cl_kernel copy = NULL;
    if (platform_is(kernel, PLATFORM_KERNEL)) {
        copy = new_kernel(kernel->program, kernel->found);
        for (uint32_t i = 0; i < kernel->arg_count; i++) {
            platform_arg *a = &copy->args[i];
            *a = kernel->args[i];
            if (a->value)
                a->value = copied(a->value, a->bytes);
        }
    }
    platform_fail(copy ? CL_SUCCESS : CL_INVALID_KERNEL, error);
    platform_leave(m);
    return copy;
}

/* ---- asking of kernels ------------------------------------------------------------------------------- */

static CL_API_ENTRY cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info what,
                                                   size_t room, void *to, size_t *needs) {
    if (!platform_is(kernel, PLATFORM_KERNEL))
        return CL_INVALID_KERNEL;
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        return platform_give_text(hd_ptx_kernel_name(kernel->found), room, to, needs);
    case CL_KERNEL_NUM_ARGS:
        return platform_give(&kernel->arg_count, sizeof(cl_uint), room, to, needs);
    case CL_KERNEL_REFERENCE_COUNT:
        return platform_give(&kernel->object.held, sizeof(cl_uint), room, to, needs);
    case CL_KERNEL_CONTEXT:
        return platform_give(&kernel->program->context, sizeof(cl_context), room, to, needs);
    case CL_KERNEL_PROGRAM:
        return platform_give(&kernel->program, sizeof(cl_program), room, to, needs);
    case CL_KERNEL_ATTRIBUTES: return platform_give_text("", room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

static CL_API_ENTRY cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device,
                                                  cl_kernel_work_group_info what, size_t room,
                                                  void *to, size_t *needs) {
    if (!platform_is(kernel, PLATFORM_KERNEL))
        return CL_INVALID_KERNEL;
    if (device && !platform_is(device, PLATFORM_DEVICE))
        return CL_INVALID_DEVICE;
    const hd_ptx_kernel_facts f = hd_ptx_facts(kernel->found);
    const size_t most = PLATFORM_MOST_THREADS,
                 sizes[3] = {f.required_threads[0], f.required_threads[1], f.required_threads[2]};
    cl_ulong local = f.static_shared;
    for (uint32_t i = 0; i < kernel->arg_count; i++)
        if (is_pointer(&kernel->ir->params[i]) && kernel->ir->params[i].type.space == KIR_LOCAL)
            local += kernel->args[i].bytes;
    const cl_ulong own = f.local_bytes;
    machine *m = machine_enter();
    const size_t warp = m->device->warp;
    machine_leave(m);
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE: return platform_give(&most, sizeof most, room, to, needs);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return platform_give(sizes, sizeof sizes, room, to, needs);
    case CL_KERNEL_LOCAL_MEM_SIZE: return platform_give(&local, sizeof local, room, to, needs);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return platform_give(&warp, sizeof warp, room, to, needs);
    case CL_KERNEL_PRIVATE_MEM_SIZE: return platform_give(&own, sizeof own, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

/* "float*" of "__global const float *restrict". */
static const char *plain_type(hd_arena *arena, const char *type) {
    static const char words[] =
        "__global global __local local __constant constant __private private "
        "__read_only read_only __write_only write_only __read_write read_write "
        "const restrict volatile";
    hd_str plain = {.arena = arena};
    while (*type) {
        const size_t blanks = strspn(type, " "), stars = strspn(type + blanks, "*");
        type += blanks;
        const size_t length = stars ? stars : strcspn(type, " *");
        const char *word = hd_strndup(arena, type, length);
        if (!hd_has_word(words, word) && length)
            hd_str_printf(&plain, "%s%s", plain.length && !stars ? " " : "", word);
        type += length;
    }
    return hd_str_text(&plain);
}

static cl_int give_type(const kir_param *p, size_t room, void *to, size_t *needs) {
    hd_arena *arena = hd_arena_new();
    const cl_int error = platform_give_text(plain_type(arena, p->type_name), room, to, needs);
    hd_arena_free(arena);
    return error;
}

static CL_API_ENTRY cl_int CL_API_CALL arg_info(cl_kernel kernel, cl_uint index,
                                                cl_kernel_arg_info what, size_t room, void *to,
                                                size_t *needs) {
    if (!platform_is(kernel, PLATFORM_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= kernel->arg_count)
        return CL_INVALID_ARG_INDEX;
    const kir_param *p = &kernel->ir->params[index];
    const cl_kernel_arg_access_qualifier access = access_of(p);
    const cl_kernel_arg_address_qualifier where =
        !is_pointer(p)                  ? CL_KERNEL_ARG_ADDRESS_PRIVATE
        : p->type.space == KIR_LOCAL    ? CL_KERNEL_ARG_ADDRESS_LOCAL
        : p->type.space == KIR_CONSTANT ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                                        : CL_KERNEL_ARG_ADDRESS_GLOBAL;
    const bool is_const = is_pointer(p) && (p->is_const || p->type.space == KIR_CONSTANT);
    const cl_kernel_arg_type_qualifier how = (is_const ? CL_KERNEL_ARG_TYPE_CONST : 0u) |
                                             (p->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0u);
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return platform_give(&where, sizeof where, room, to, needs);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return platform_give(&access, sizeof access, room, to, needs);
    case CL_KERNEL_ARG_TYPE_NAME: return give_type(p, room, to, needs);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: return platform_give(&how, sizeof how, room, to, needs);
    case CL_KERNEL_ARG_NAME: return platform_give_text(p->name, room, to, needs);
    default: return CL_INVALID_VALUE;
    }
}

void platform_kernels(cl_icd_dispatch *table) {
    table->clCreateKernel = create_kernel;
    table->clCreateKernelsInProgram = create_kernels;
    table->clCloneKernel = copy_kernel;
    table->clRetainKernel = hold_kernel;
    table->clReleaseKernel = release_kernel;
    table->clSetKernelArg = set_arg;
    table->clGetKernelInfo = kernel_info;
    table->clGetKernelWorkGroupInfo = group_info;
    table->clGetKernelArgInfo = arg_info;
}
