/*
 * The job in one layout, ready to run.
 *
 * The original takes its buffers as the C arrays they are. In a rewritten
 * version every buffer of the laid-out record becomes the allocations of its
 * address map, and each kernel parameter that pointed to the record becomes
 * those pointers in order, then the element count as a ulong (src/rewrite):
 *
 *     kernel void move(global body *b, float dt)
 *     kernel void move(global uchar *b_0, global uchar *b_1, ulong b_count, float dt)
 */
#include "measure/opencl.h"

/* ---- buffers ------------------------------------------------------------ */

static hd_status make_memory(hd_session *session, const hd_buffer *buffer, hd_device_buffer *made,
                             uint32_t m) {
    cl_ulong limit = 0;
    clGetDeviceInfo(session->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof limit, &limit, NULL);
    if (limit && made->bytes[m] > limit)
        return hd_fail(session->diag, HD_EINPUT, &buffer->place,
                       "buffer '%s' takes %llu bytes, but %s allocates at most %llu; give it fewer "
                       "elements, or smaller tiles",
                       buffer->name, (unsigned long long)made->bytes[m], session->device_name,
                       (unsigned long long)limit);
    cl_int error;
    made->memories[m] =
        clCreateBuffer(session->context, CL_MEM_READ_WRITE, made->bytes[m], NULL, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, &buffer->place,
                              hd_format(session->arena, "allocate %llu bytes for buffer '%s'",
                                        (unsigned long long)made->bytes[m], buffer->name));
    return HD_OK;
}

static hd_status make_buffer(hd_session *session, const hd_buffer *buffer, const hd_layout *layout,
                             void *contents, hd_device_buffer *made) {
    hd_arena *arena = session->arena;
    hd_map *map = NULL;
    hd_status status = HD_OK;
    if (layout && buffer->record == session->job->record)
        status = hd_map_make(arena, session->diag, buffer->record, layout, buffer->count, &map);
    if (status != HD_OK)
        return status;
    made->map = map;
    made->count = map ? map->allocation_count : 1;
    made->memories = hd_new_array(arena, cl_mem, made->count);
    made->initial = hd_new_array(arena, uint8_t *, made->count);
    made->bytes = hd_new_array(arena, uint64_t, made->count);
    for (uint32_t m = 0; m < made->count && status == HD_OK; m++) {
        made->bytes[m] = map ? map->allocation_bytes[m] : buffer->count * buffer->element_bytes;
        status = make_memory(session, buffer, made, m);
    }
    for (uint32_t m = 0; m < made->count && status == HD_OK; m++)
        made->initial[m] = map ? hd_alloc(arena, made->bytes[m]) : contents;
    if (map && status == HD_OK)
        hd_map_scatter(map, contents, (void *const *)made->initial);
    return status;
}

/* ---- kernels ------------------------------------------------------------ */

typedef struct arg_setter {
    hd_session *session;
    const hd_launch *launch;
    const hd_arg *arg;
    cl_kernel kernel;
    cl_uint index; /* of the device's next parameter */
} arg_setter;

static hd_status set_next(arg_setter *s, size_t size, const void *value) {
    cl_int error = clSetKernelArg(s->kernel, s->index++, size, value);
    if (error == CL_SUCCESS)
        return HD_OK;
    return hd_opencl_fail(s->session, error, &s->arg->place,
                          hd_format(s->session->arena, "set argument '%s' of kernel '%s'",
                                    s->arg->name, s->launch->kernel_name));
}

static hd_status set_arg(arg_setter *s, const hd_version *version) {
    const hd_arg *arg = s->arg;
    if (arg->kind == HD_ARG_LOCAL)
        return set_next(s, arg->local_bytes, NULL);
    if (arg->kind == HD_ARG_VALUE)
        return set_next(s, arg->value_bytes, arg->value);
    const hd_device_buffer *buffer = &version->buffers[arg->buffer];
    hd_status status = HD_OK;
    for (uint32_t m = 0; m < buffer->count && status == HD_OK; m++)
        status = set_next(s, sizeof(cl_mem), &buffer->memories[m]);
    if (status == HD_OK && buffer->map) {
        cl_ulong count = buffer->map->count;
        status = set_next(s, sizeof count, &count);
    }
    return status;
}

static hd_status check_local_size(const hd_session *session, const hd_launch *launch,
                                  cl_kernel kernel) {
    size_t limit = 0;
    uint64_t size = launch->local[0] * launch->local[1] * launch->local[2];
    clGetKernelWorkGroupInfo(kernel, session->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit,
                             &limit, NULL);
    if (limit && size > limit)
        return hd_fail(session->diag, HD_EINPUT, &launch->place,
                       "the local size of the launch of '%s' is %llu, but %s runs this kernel with "
                       "at most %zu work-items in a group; make 'local' smaller",
                       launch->kernel_name, (unsigned long long)size, session->device_name, limit);
    return HD_OK;
}

static hd_status make_kernel(hd_session *session, const hd_launch *launch, hd_version *version,
                             cl_kernel *made) {
    cl_int error;
    *made = clCreateKernel(version->program, launch->kernel_name, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(
            session, error, &launch->place,
            hd_format(session->arena, "make the kernel '%s'", launch->kernel_name));
    hd_status status = check_local_size(session, launch, *made);
    arg_setter setter = {.session = session, .launch = launch, .kernel = *made};
    for (uint32_t p = 0; p < launch->kernel->param_count && status == HD_OK; p++)
        for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++)
            if (launch->args[a].param == p) {
                setter.arg = &launch->args[a];
                status = set_arg(&setter, version);
            }
    return status;
}

hd_status hd_version_make(hd_session *session, const char *file, const char *source,
                          const hd_layout *layout, void *const *contents, hd_version *version) {
    const hd_job *job = session->job;
    version->kernels = hd_new_array(session->arena, cl_kernel, job->launch_count);
    version->buffers = hd_new_array(session->arena, hd_device_buffer, job->buffer_count);
    hd_status status = hd_session_build(session, file, source, &version->program);
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        status = make_buffer(session, &job->buffers[b], layout, contents[b], &version->buffers[b]);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = make_kernel(session, &job->launches[l], version, &version->kernels[l]);
    return status;
}

void hd_version_free(const hd_session *session, hd_version *version) {
    for (uint32_t l = 0; version->kernels && l < session->job->launch_count; l++)
        if (version->kernels[l])
            clReleaseKernel(version->kernels[l]);
    for (uint32_t b = 0; version->buffers && b < session->job->buffer_count; b++)
        for (uint32_t m = 0; m < version->buffers[b].count; m++)
            if (version->buffers[b].memories[m])
                clReleaseMemObject(version->buffers[b].memories[m]);
    if (version->program)
        clReleaseProgram(version->program);
    *version = (hd_version){0};
}

/* ---- a run -------------------------------------------------------------- */

static hd_status fill_buffers(hd_session *session, const hd_version *version) {
    const hd_job *job = session->job;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_device_buffer *buffer = &version->buffers[b];
        for (uint32_t m = 0; m < buffer->count; m++) {
            cl_int error =
                clEnqueueWriteBuffer(session->queue, buffer->memories[m], CL_TRUE, 0,
                                     buffer->bytes[m], buffer->initial[m], 0, NULL, NULL);
            if (error != CL_SUCCESS)
                return hd_opencl_fail(
                    session, error, &job->buffers[b].place,
                    hd_format(session->arena, "write buffer '%s'", job->buffers[b].name));
        }
    }
    return HD_OK;
}

static cl_int add_time(cl_event event, double *seconds) {
    cl_ulong start, end;
    cl_int status = CL_COMPLETE;
    cl_int error =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (error == CL_SUCCESS && status < 0)
        error = status;
    if (error == CL_SUCCESS)
        error =
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (error == CL_SUCCESS)
        error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (error == CL_SUCCESS)
        *seconds += (double)(end - start) * 1e-9;
    return error;
}

/* Runs `times` repetitions of a launch, at most HD_BATCH. */
enum { HD_BATCH = 256 };
static cl_int run_batch(const hd_session *session, const hd_launch *launch, cl_kernel kernel,
                        uint64_t times, double *seconds) {
    cl_event events[HD_BATCH];
    size_t global[3], local[3], offset[3];
    cl_uint queued = 0;
    cl_int error = CL_SUCCESS;
    for (uint32_t d = 0; d < 3; d++) {
        global[d] = launch->global[d];
        local[d] = launch->local[d];
        offset[d] = launch->offset[d];
    }
    for (uint64_t t = 0; t < times && error == CL_SUCCESS; t++) {
        error = clEnqueueNDRangeKernel(session->queue, kernel, launch->dims, offset, global, local,
                                       0, NULL, &events[queued]);
        queued += error == CL_SUCCESS;
    }
    cl_int finished = clFinish(session->queue);
    if (error == CL_SUCCESS)
        error = finished;
    for (cl_uint e = 0; e < queued; e++) {
        if (error == CL_SUCCESS)
            error = add_time(events[e], seconds);
        clReleaseEvent(events[e]);
    }
    return error;
}

hd_status hd_version_run(hd_session *session, const hd_version *version, double *seconds) {
    const hd_job *job = session->job;
    hd_status status = fill_buffers(session, version);
    *seconds = 0;
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++) {
        const hd_launch *launch = &job->launches[l];
        for (uint64_t done = 0; done < launch->repeat && status == HD_OK; done += HD_BATCH) {
            uint64_t times = launch->repeat - done < HD_BATCH ? launch->repeat - done : HD_BATCH;
            cl_int error = run_batch(session, launch, version->kernels[l], times, seconds);
            if (error != CL_SUCCESS)
                status = hd_opencl_fail(
                    session, error, &launch->place,
                    hd_format(session->arena, "run kernel '%s'", launch->kernel_name));
        }
    }
    return status;
}

hd_status hd_version_read(hd_session *session, const hd_version *version, void **contents) {
    const hd_job *job = session->job;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        const hd_device_buffer *made = &version->buffers[b];
        void **parts = hd_new_array(session->arena, void *, made->count);
        for (uint32_t m = 0; m < made->count; m++) {
            parts[m] = hd_alloc(session->arena, made->bytes[m]);
            cl_int error = clEnqueueReadBuffer(session->queue, made->memories[m], CL_TRUE, 0,
                                               made->bytes[m], parts[m], 0, NULL, NULL);
            if (error != CL_SUCCESS)
                return hd_opencl_fail(session, error, &buffer->place,
                                      hd_format(session->arena, "read buffer '%s'", buffer->name));
        }
        contents[b] = parts[0];
        if (made->map) {
            contents[b] = hd_alloc(session->arena, buffer->count * buffer->element_bytes);
            hd_map_gather(made->map, parts, contents[b]);
        }
    }
    return HD_OK;
}
