/* All bytes of a buffer, or texels of an image row by row, to memory of the host or from there. */
#include "opencl/layer.h"

/* An error where the host may not do that. */
static cl_int move_by_host(const cl_icd_dispatch *f, cl_command_queue queue, const layer_whole *w,
                           void *host, bool to_device) {
    const size_t origin[3] = {0};
    if (w->image && to_device)
        return f->clEnqueueWriteImage(queue, w->memory, CL_TRUE, origin, w->region, 0, 0, host, 0,
                                      NULL, NULL);
    if (w->image)
        return f->clEnqueueReadImage(queue, w->memory, CL_TRUE, origin, w->region, 0, 0, host, 0,
                                     NULL, NULL);
    return to_device ? f->clEnqueueWriteBuffer(queue, w->memory, CL_TRUE, 0, w->bytes, host, 0,
                                               NULL, NULL)
                     : f->clEnqueueReadBuffer(queue, w->memory, CL_TRUE, 0, w->bytes, host, 0, NULL,
                                              NULL);
}

/* To a buffer, or from there. */
static cl_int move_by_copy(const cl_icd_dispatch *f, cl_command_queue queue, const layer_whole *w,
                           cl_mem copy, bool to_device) {
    const size_t origin[3] = {0};
    if (w->image && to_device)
        return f->clEnqueueCopyBufferToImage(queue, copy, w->memory, 0, origin, w->region, 0, NULL,
                                             NULL);
    if (w->image)
        return f->clEnqueueCopyImageToBuffer(queue, w->memory, copy, origin, w->region, 0, 0, NULL,
                                             NULL);
    return f->clEnqueueCopyBuffer(queue, to_device ? copy : w->memory, to_device ? w->memory : copy,
                                  0, 0, w->bytes, 0, NULL, NULL);
}

cl_int layer_move(const cl_icd_dispatch *f, cl_command_queue queue, const layer_whole *w,
                  void *host, bool to_device) {
    cl_int error = move_by_host(f, queue, w, host, to_device);
    if (error != CL_INVALID_OPERATION)
        return error;
    layer_whole copy = {.bytes = w->bytes};
    copy.memory = f->clCreateBuffer(w->context, CL_MEM_READ_WRITE, w->bytes, NULL, &error);
    if (!copy.memory)
        return error;
    error = to_device ? move_by_host(f, queue, &copy, host, true) : CL_SUCCESS;
    if (!error)
        error = move_by_copy(f, queue, w, copy.memory, to_device);
    if (!error)
        error = to_device ? f->clFinish(queue) : move_by_host(f, queue, &copy, host, false);
    f->clReleaseMemObject(copy.memory);
    return error;
}
