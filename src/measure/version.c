/*
 * The job in one layout, ready to run.
 *
 * The original takes its buffers as the C arrays they are. In a rewritten
 * version the job is the one that goes with the rewritten kernels
 * (rewrite/placed.h): allocations for arrays of records, and the number of
 * elements behind them.
 *
 *     kernel void move(global body *b, float dt)
 *     kernel void move(global uchar *b_0, global uchar *b_1, ulong b_count, float dt)
 */
#include "measure/session.h"

/* ---- buffers ------------------------------------------------------------ */

static uint64_t bytes_of(const hd_buffer *buffer) { return buffer->count * buffer->element_bytes; }

static hd_status make_memory(hd_session *session, const hd_buffer *buffer, cl_mem *memory) {
    cl_ulong limit = 0;
    uint64_t bytes = bytes_of(buffer);
    clGetDeviceInfo(session->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof limit, &limit, NULL);
    if (limit && bytes > limit)
        return hd_fail(session->diag, HD_EINPUT, &buffer->place,
                       "buffer '%s' takes %llu bytes, but %s allocates at most %llu; give it fewer "
                       "elements, or smaller tiles",
                       buffer->name, (unsigned long long)bytes, session->device_name,
                       (unsigned long long)limit);
    cl_int error;
    *memory = clCreateBuffer(session->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS)
        return hd_opencl_fail(session, error, &buffer->place,
                              hd_format(session->arena, "allocate %llu bytes for buffer '%s'",
                                        (unsigned long long)bytes, buffer->name));
    return HD_OK;
}

/* ---- kernels ------------------------------------------------------------ */

static hd_status set_arg(hd_session *session, const hd_version *version, const hd_launch *launch,
                         const hd_arg *arg, cl_kernel kernel) {
    size_t size = arg->kind == HD_ARG_LOCAL    ? arg->local_bytes
                  : arg->kind == HD_ARG_BUFFER ? sizeof(cl_mem)
                                               : arg->value_bytes;
    const void *value = arg->kind == HD_ARG_LOCAL    ? NULL
                        : arg->kind == HD_ARG_BUFFER ? (const void *)&version->memories[arg->buffer]
                                                     : arg->value;
    cl_int error = clSetKernelArg(kernel, arg->param, size, value);
    if (error == CL_SUCCESS)
        return HD_OK;
    return hd_opencl_fail(session, error, &arg->place,
                          hd_format(session->arena, "set argument '%s' of kernel '%s'", arg->name,
                                    launch->kernel_name));
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
    for (uint32_t a = 0; a < launch->arg_count && status == HD_OK; a++)
        status = set_arg(session, version, launch, &launch->args[a], *made);
    return status;
}

static hd_status build_original(hd_session *session, cl_program *program) {
    const char *path = session->job->kernel_path;
    char *source;
    size_t length;
    hd_status status = hd_read_file(session->arena, session->diag, path, &source, &length);
    return status ? status : hd_session_build(session, path, source, NULL, program);
}

/* Headers may be rewritten, too, so the compiler gets a folder of them. */
static hd_status build_rewritten(hd_session *session, const hd_rewritten *rewritten,
                                 cl_program *program) {
    const char *file = hd_format(session->arena, "%s (rewritten)", rewritten->files[0].path);
    const char *path;
    char *folder;
    hd_status status = hd_scratch_make(session->arena, session->diag, &folder);
    if (status == HD_OK)
        status = hd_rewritten_store(session->arena, session->diag, rewritten, folder, &path);
    if (status == HD_OK)
        status = hd_session_build(session, file, rewritten->files[0].text, folder, program);
    hd_scratch_remove(folder);
    return status;
}

hd_status hd_version_make(hd_session *session, const hd_rewritten *rewritten,
                          const hd_record_layout *layouts, uint32_t layout_count,
                          void *const *contents, hd_version *version) {
    hd_placed_job *placed;
    hd_status status = hd_job_in_layout(session->arena, session->diag, session->job, layouts,
                                        layout_count, NULL, &placed);
    if (status != HD_OK)
        return status;
    const hd_job *job = placed->job;
    version->placed = placed;
    version->kernels = hd_new_array(session->arena, cl_kernel, job->launch_count);
    version->memories = hd_new_array(session->arena, cl_mem, job->buffer_count);
    status = rewritten ? build_rewritten(session, rewritten, &version->program)
                       : build_original(session, &version->program);
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        status = make_memory(session, &job->buffers[b], &version->memories[b]);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = make_kernel(session, &job->launches[l], version, &version->kernels[l]);
    version->initial = hd_new_array(session->arena, void *, job->buffer_count);
    if (status == HD_OK)
        hd_placed_scatter(session->arena, placed, contents, version->initial);
    return status;
}

void hd_version_free(hd_version *version) {
    for (uint32_t l = 0; version->kernels && l < version->placed->job->launch_count; l++)
        if (version->kernels[l])
            clReleaseKernel(version->kernels[l]);
    for (uint32_t b = 0; version->memories && b < version->placed->job->buffer_count; b++)
        if (version->memories[b])
            clReleaseMemObject(version->memories[b]);
    if (version->program)
        clReleaseProgram(version->program);
    *version = (hd_version){0};
}

/* ---- a run -------------------------------------------------------------- */

static hd_status fill_buffers(hd_session *session, const hd_version *version) {
    const hd_job *job = version->placed->job;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        cl_int error = clEnqueueWriteBuffer(session->queue, version->memories[b], CL_TRUE, 0,
                                            bytes_of(buffer), version->initial[b], 0, NULL, NULL);
        if (error != CL_SUCCESS)
            return hd_opencl_fail(session, error, &buffer->place,
                                  hd_format(session->arena, "write buffer '%s'", buffer->name));
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
    const hd_job *job = version->placed->job;
    void **parts = hd_new_array(session->arena, void *, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        parts[b] = hd_alloc(session->arena, bytes_of(buffer));
        cl_int error = clEnqueueReadBuffer(session->queue, version->memories[b], CL_TRUE, 0,
                                           bytes_of(buffer), parts[b], 0, NULL, NULL);
        if (error != CL_SUCCESS)
            return hd_opencl_fail(session, error, &buffer->place,
                                  hd_format(session->arena, "read buffer '%s'", buffer->name));
    }
    hd_placed_gather(session->arena, version->placed, parts, contents);
    return HD_OK;
}
