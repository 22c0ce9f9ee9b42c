#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "remap-device/device.h"
#include "shared/opencl.h"

enum { MOST_DEVICES = 16 };

/* ---- OpenCL ----------------------------------------------------------------------- */

typedef struct opencl {
    cl_context context;
    cl_command_queue queue;
} opencl;

static bool opencl_copy(hd_gpu_memories *device, uint64_t bytes) {
    opencl *cl = device->own;
    cl_int error = clEnqueueCopyBuffer(cl->queue, device->host_side.opencl,
                                       device->device_side.opencl, 0, 0, bytes, 0, NULL, NULL);
    return error == CL_SUCCESS && clFinish(cl->queue) == CL_SUCCESS;
}

static void opencl_close(hd_gpu_memories *device) {
    opencl *cl = device->own;
    hd_remap_close(device->remap);
    clReleaseMemObject(device->host_side.opencl);
    clReleaseMemObject(device->device_side.opencl);
    clReleaseCommandQueue(cl->queue);
    clReleaseContext(cl->context);
    free(cl);
}

/* Memory that has been written, so that all its pages are there. */
static cl_mem opencl_memory(const opencl *cl, uint64_t bytes) {
    cl_int error;
    cl_uchar zero = 0;
    cl_mem memory = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS ||
        clEnqueueFillBuffer(cl->queue, memory, &zero, 1, 0, bytes, 0, NULL, NULL) != CL_SUCCESS)
        return NULL;
    return memory;
}

static void open_opencl(const hd_diag *diag, cl_device_id id, hd_gpu_memories *device) {
    opencl *cl = calloc(1, sizeof *cl);
    cl_int error;
    if (!cl)
        return;
    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof device->name, device->name, NULL);
    cl->context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    cl->queue = clCreateCommandQueue(cl->context, id, 0, &error);
    device->own = cl;
    device->copy = opencl_copy;
    device->host_side.opencl = opencl_memory(cl, device->bytes);
    device->device_side.opencl = opencl_memory(cl, 2 * device->bytes);
    clFinish(cl->queue);
    if (!device->host_side.opencl || !device->device_side.opencl ||
        hd_remap_open_opencl(diag, cl->context, id, &device->remap) != HD_OK)
        device->remap = NULL;
}

/* ---- both ------------------------------------------------------------------------- */

bool bench_open_device(hd_arena *arena, const hd_diag *diag, unsigned n, uint64_t bytes,
                       hd_gpu_memories *device) {
    const hd_diag quiet = {0};
    cl_device_id ids[MOST_DEVICES];
    unsigned count = find_opencl_devices(ids, MOST_DEVICES);
    if (n < count) {
        *device = (hd_gpu_memories){.bytes = bytes};
        open_opencl(diag, ids[n], device);
        return device->own;
    }
    hd_gpu_cuda cuda;
    bool is_there = n == count && hd_gpu_open_cuda(arena, &quiet, &cuda) == HD_OK;
    if (!is_there)
        return false;
    hd_gpu_make_memories(arena, diag, bytes, device);
    hd_gpu_close_cuda(&cuda);
    memmove(device->name + 6, device->name, sizeof device->name - 7);
    memcpy(device->name, "CUDA: ", 6);
    return true;
}

void bench_close_device(hd_gpu_memories *device) {
    if (device->copy == opencl_copy)
        opencl_close(device);
    else
        hd_gpu_free_memories(device);
}
