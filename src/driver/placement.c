/* The names of placements. */
#include "driver/placement.h"

static const struct {
    const char *name, *phrase;
} placements[HD_PLACEMENTS] = {
    [HD_PLACEMENT_DEVICE] = {"device", "in device memory"},
    [HD_PLACEMENT_HOST] = {"host", "in pinned host memory"},
    [HD_PLACEMENT_FINE] = {"fine", "in fine-grained shared memory"},
    [HD_PLACEMENT_COARSE] = {"coarse", "in coarse-grained shared memory"},
    [HD_PLACEMENT_MANAGED] = {"managed", "in managed memory"},
    [HD_PLACEMENT_HINTED] = {"hinted", "in managed memory with hints"}};

const char *hd_placement_name(hd_placement placement) { return placements[placement].name; }

const char *hd_placement_phrase(hd_placement placement) { return placements[placement].phrase; }

const char *hd_placement_calls(hd_placement placement, const char *backend) {
    static const char *const calls[HD_PLACEMENTS][2] = {
        [HD_PLACEMENT_DEVICE] = {"clCreateBuffer(), clEnqueueWriteBuffer() and "
                                 "clEnqueueReadBuffer()",
                                 "cudaMalloc() and cudaMemcpy()"},
        [HD_PLACEMENT_HOST] = {"clCreateBuffer() with CL_MEM_ALLOC_HOST_PTR, which the host maps",
                               "cudaHostAlloc() with cudaHostAllocMapped"},
        [HD_PLACEMENT_FINE] = {"clSVMAlloc() with CL_MEM_SVM_FINE_GRAIN_BUFFER, and "
                               "clSetKernelArgSVMPointer()",
                               NULL},
        [HD_PLACEMENT_COARSE] = {"clSVMAlloc(), clEnqueueSVMMap() where the host uses it, and "
                                 "clSetKernelArgSVMPointer()",
                                 NULL},
        [HD_PLACEMENT_MANAGED] = {NULL, "cudaMallocManaged()"},
        [HD_PLACEMENT_HINTED] = {NULL, "cudaMallocManaged(), cudaMemAdvise() and "
                                       "cudaMemPrefetchAsync() before kernels and after them"}};
    return calls[placement][!strcmp(backend, "cuda")];
}

bool hd_placement_parse(const char *name, hd_placement *placement) {
    for (int p = 0; p < HD_PLACEMENTS; p++)
        if (!strcmp(name, placements[p].name)) {
            *placement = (hd_placement)p;
            return true;
        }
    return false;
}

const char *hd_placement_names(hd_arena *arena) {
    hd_str names = {.arena = arena};
    for (int p = 0; p < HD_PLACEMENTS; p++)
        hd_str_printf(&names, "%s%s", p ? ", " : "", placements[p].name);
    return hd_str_text(&names);
}
