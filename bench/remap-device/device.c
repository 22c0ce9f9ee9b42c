#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/cuda_library.h"
#include "remap-device/device.h"
#include "shared/opencl.h"

enum { MOST_DEVICES = 16 };

/* ---- OpenCL ------------------------------------------------------------------------------- */

typedef struct opencl {
    cl_context context;
    cl_command_queue queue;
} opencl;

static bool opencl_copy(bench_device *device, uint64_t bytes) {
    opencl *cl = device->own;
    cl_int error = clEnqueueCopyBuffer(cl->queue, device->host_side.opencl,
                                       device->device_side.opencl, 0, 0, bytes, 0, NULL, NULL);
    return error == CL_SUCCESS && clFinish(cl->queue) == CL_SUCCESS;
}

static void opencl_close(bench_device *device) {
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

static void open_opencl(const hd_diag *diag, cl_device_id id, bench_device *device) {
    opencl *cl = calloc(1, sizeof *cl);
    cl_int error;
    if (!cl)
        return;
    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof device->name, device->name, NULL);
    cl->context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    cl->queue = clCreateCommandQueue(cl->context, id, 0, &error);
    device->own = cl;
    device->copy = opencl_copy;
    device->close = opencl_close;
    device->host_side.opencl = opencl_memory(cl, device->bytes);
    device->device_side.opencl = opencl_memory(cl, 2 * device->bytes);
    clFinish(cl->queue);
    if (!device->host_side.opencl || !device->device_side.opencl ||
        hd_remap_open_opencl(diag, cl->context, id, &device->remap) != HD_OK)
        device->remap = NULL;
}

/* ---- CUDA --------------------------------------------------------------------------------- */

typedef struct cuda {
    hd_arena *arena;
    hd_cuda_library library;
    int device;
} cuda;

static bool cuda_copy(bench_device *device, uint64_t bytes) {
    cuda *c = device->own;
    return !c->library.copy(device->device_side.cuda, device->host_side.cuda, bytes, NULL) &&
           !c->library.synchronize();
}

static void cuda_close(bench_device *device) {
    cuda *c = device->own;
    hd_remap_close(device->remap);
    c->library.free(device->host_side.cuda);
    c->library.free(device->device_side.cuda);
    c->library.release_context(c->device);
    hd_arena_free(c->arena);
    free(c);
}

static bool open_cuda(const hd_diag *diag, bench_device *device) {
    cuda *c = calloc(1, sizeof *c);
    const char *missing;
    void *context;
    if (!c)
        return false;
    c->arena = hd_arena_new();
    if (!hd_cuda_open(c->arena, &c->library, &missing) || c->library.init(0) ||
        c->library.get_device(&c->device, 0) || c->library.retain_context(&context, c->device) ||
        c->library.use_context(context)) {
        hd_arena_free(c->arena);
        free(c);
        return false;
    }
    snprintf(device->name, sizeof device->name, "CUDA: ");
    c->library.device_name(device->name + 6, (int)sizeof device->name - 6, c->device);
    device->own = c;
    device->copy = cuda_copy;
    device->close = cuda_close;
    if (c->library.allocate(&device->host_side.cuda, device->bytes) ||
        c->library.allocate(&device->device_side.cuda, 2 * device->bytes) ||
        hd_remap_open_cuda(diag, &device->remap) != HD_OK)
        device->remap = NULL;
    return true;
}

bool bench_open_device(const hd_diag *diag, unsigned n, uint64_t bytes, bench_device *device) {
    cl_device_id ids[MOST_DEVICES];
    unsigned count = find_opencl_devices(ids, MOST_DEVICES);
    *device = (bench_device){.bytes = bytes};
    if (n >= count)
        return n == count && open_cuda(diag, device);
    open_opencl(diag, ids[n], device);
    return true;
}
