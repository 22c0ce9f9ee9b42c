/* Kernels that are launched: recorded, in another layout, or as the program asks for. */
#include "opencl/layer.h"

cl_int layer_enqueue(const layer *l, const layer_launch *launch, cl_kernel kernel) {
    return l->target->clEnqueueNDRangeKernel(launch->queue, kernel, launch->dims, launch->offset,
                                             launch->global, launch->local, launch->wait_count,
                                             launch->wait, launch->event);
}

/* The buffers that its arguments name are used, as far as their parameters say. */
static cl_int use_args(layer *l, const layer_launch *launch) {
    const layer_kernel *k = launch->kernel;
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < k->args.count && !error; i++) {
        const layer_arg *a = &k->args.data[i];
        if (layer_arg_kind_of(l, launch->handle, i, a) != LAYER_ARG_BUFFER)
            continue;
        const layer_buffer *b = layer_arg_buffer(l, a);
        error = layer_use_buffer(l, b, 0, b->bytes,
                                 layer_arg_is_written(l, launch->handle, i) ? LAYER_CHANGE
                                                                            : LAYER_READ);
    }
    return error;
}

cl_int layer_launch_as_is(layer *l, const layer_launch *launch) {
    const cl_int error = use_args(l, launch);
    return error ? error : layer_enqueue(l, launch, launch->handle);
}

static CL_API_ENTRY cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel handle,
                                              cl_uint dims, const size_t *offset,
                                              const size_t *global, const size_t *local,
                                              cl_uint wait_count, const cl_event *wait,
                                              cl_event *event) {
    layer *l = layer_enter();
    layer_launch launch = {
        queue, handle, layer_kernel_of(l, handle), dims, offset, global, local, wait_count,
        wait,  event};
    const bool is_followed = launch.kernel && global && dims >= 1 && dims <= 3;
    const cl_int error = !is_followed  ? layer_enqueue(l, &launch, handle)
                         : l->apply    ? layer_launch_applied(l, &launch)
                         : l->recorder ? layer_launch_recorded(l, l->recorder, &launch)
                                       : layer_launch_as_is(l, &launch);
    layer_leave(l);
    return error;
}

/* A launch of one thread. */
static CL_API_ENTRY cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel,
                                                   cl_uint wait_count, const cl_event *wait,
                                                   cl_event *event) {
    const size_t one = 1;
    return launch(queue, kernel, 1, NULL, &one, &one, wait_count, wait, event);
}

void layer_launches(cl_icd_dispatch *table) {
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueTask = launch_task;
}
