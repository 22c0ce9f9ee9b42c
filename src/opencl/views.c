/* Buffers in other layouts (apply.h): what a view has, and when it is converted. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "opencl/apply.h"
#include "remap/remap_device.h"

/* ---- devices ---------------------------------------------------------------------------------------- */

static layer_device *device_of(layer *l, cl_command_queue queue, cl_context context) {
    layer_apply *a = l->apply;
    cl_device_id id;
    cl_int error;
    if (l->target->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &id, NULL))
        return NULL;
    for (size_t d = 0; d < a->devices.count; d++)
        if (a->devices.data[d]->context == context && a->devices.data[d]->id == id)
            return a->devices.data[d];
    layer_device *device = hd_new(a->arena, layer_device);
    *device = (layer_device){.context = context, .id = id};
    cl_device_type type = 0;
    l->target->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    /* Tests want kernels of processors, too. */
    const char *engine = getenv("HEDDLE_LAYER_CONVERTS");
    device->is_processor = type & CL_DEVICE_TYPE_CPU && !(engine && !strcmp(engine, "device"));
    device->queue = l->target->clCreateCommandQueue(context, id, 0, &error);
    if (!device->queue ||
        hd_remap_open_in_layer(&a->diag, l->target, context, id, &device->remap) != HD_OK)
        return NULL;
    hd_push(a->arena, &a->devices, device);
    return device;
}

/* ---- conversions ------------------------------------------------------------------------------------ */

/* Bytes that elements of the layout take in the buffer. */
static size_t bytes_of(const layer_view *v) { return v->count * v->layout->fields.size; }

/* The view's part of the buffer to memory of its own, or back. */
static cl_int copy_part(const layer *l, const layer_whole *w, const layer_view *v, cl_mem copy,
                        bool back) {
    cl_mem from = back ? copy : w->memory, to = back ? w->memory : copy;
    cl_int error = l->target->clEnqueueCopyBuffer(v->device->queue, from, to, back ? 0 : v->offset,
                                                  back ? v->offset : 0, bytes_of(v), 0, NULL, NULL);
    return error ? error : l->target->clFinish(v->device->queue);
}

/* What stands between the fields, of all elements. */
static cl_int copy_gaps(const layer *l, const layer_view *v, cl_mem from, cl_mem to) {
    const layer_layout *layout = v->layout;
    const size_t row = layout->fields.size;
    cl_int error = CL_SUCCESS;
    for (size_t g = 0; g < layout->gaps.count && !error; g++) {
        const size_t at[3] = {layout->gaps.data[g].offset, 0, 0},
                     region[3] = {layout->gaps.data[g].bytes, v->count, 1};
        error = l->target->clEnqueueCopyBufferRect(v->device->queue, from, to, at, at, region, row,
                                                   0, row, 0, 0, NULL, NULL);
    }
    return error ? error : l->target->clFinish(v->device->queue);
}

static cl_mem memory_for(const layer *l, const layer_view *v, cl_int *error) {
    return *error ? NULL
                  : l->target->clCreateBuffer(v->device->context, CL_MEM_READ_WRITE, bytes_of(v),
                                              NULL, error);
}

/* New memory is touched for the first time by a conversion, page by page, which takes longer than to convert
 * where pages are small. Without large ones it is only slower. */
static void ask_for_large_pages(void *at, size_t bytes) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                    from = ((uintptr_t)at + page - 1) / page * page;
    if (from < (uintptr_t)at + bytes)
        madvise((char *)at + (from - (uintptr_t)at), (uintptr_t)at + bytes - from, MADV_HUGEPAGE);
}

static void *map(const layer *l, const layer_view *v, cl_mem memory, cl_map_flags how,
                 size_t bytes) {
    cl_int error;
    void *at = l->target->clEnqueueMapBuffer(v->device->queue, memory, CL_TRUE, how, 0, bytes, 0,
                                             NULL, NULL, &error);
    if (!error && how & CL_MAP_WRITE)
        ask_for_large_pages(at, bytes);
    return error ? NULL : at;
}

/* Where memory of the device is the host's. */
static hd_status move_on_host(const layer *l, const layer_view *v, cl_mem memory, bool back) {
    const hd_diag *diag = &l->apply->diag;
    const uint32_t count = hd_remap_parts(v->map);
    const cl_map_flags change = CL_MAP_READ | CL_MAP_WRITE;
    void **parts = hd_zeroed(count, sizeof *parts);
    void *at = map(l, v, memory, back ? change : CL_MAP_READ, bytes_of(v));
    bool fine = at;
    for (uint32_t p = 0; p < count; p++) {
        parts[p] =
            map(l, v, v->parts[p].opencl, back ? CL_MAP_READ : change, hd_remap_bytes(v->map, p));
        fine &= parts[p] != NULL;
    }
    hd_status status = !fine  ? hd_fail(diag, HD_ESYSTEM, NULL, "the driver does not map memory")
                       : back ? hd_remap_revert(diag, v->map, at, (const void *const *)parts, NULL)
                              : hd_remap_apply(diag, v->map, parts, at, NULL);
    for (uint32_t p = 0; p < count; p++)
        if (parts[p])
            l->target->clEnqueueUnmapMemObject(v->device->queue, v->parts[p].opencl, parts[p], 0,
                                               NULL, NULL);
    if (at)
        l->target->clEnqueueUnmapMemObject(v->device->queue, memory, at, 0, NULL, NULL);
    if (l->target->clFinish(v->device->queue))
        status = HD_ESYSTEM;
    free(parts);
    return status;
}

static hd_status move_on_device(const layer *l, const layer_view *v, cl_mem memory, bool back) {
    const hd_remap_memory source = {.opencl = memory};
    return hd_remap_some_on_device(&l->apply->diag, v->device->remap, v->map,
                                   back ? HD_REMAP_FROM_DEVICE : HD_REMAP_TO_DEVICE, v->count,
                                   v->parts, source);
}

static cl_int move(layer *l, const layer_view *v, cl_mem memory, bool back) {
    layer_apply *a = l->apply;
    a->message = NULL;
    const hd_status status = v->device->is_processor ? move_on_host(l, v, memory, back)
                                                     : move_on_device(l, v, memory, back);
    if (status)
        layer_say(hd_format(a->arena, "error: cannot convert %s: %s", v->layout->record,
                            a->message ? a->message : "the device failed"));
    return status ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* Kernels move the elements. A copy stands for memory that they may not use, or where the part is not
 * at its beginning; the map makes bytes between fields zero, so these are kept aside. */
static cl_int convert(layer *l, layer_whole *w, layer_view *v, bool back) {
    const bool is_direct = !v->offset && !(w->flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)),
               keeps_gaps = back && v->layout->gaps.count;
    cl_int error = CL_SUCCESS;
    layer_finish_all(l, w->context); /* which waits for what the program asked for */
    const double start = hd_clock();
    cl_mem memory = is_direct ? w->memory : memory_for(l, v, &error);
    cl_mem gaps = keeps_gaps ? memory_for(l, v, &error) : NULL;
    if (!error && !is_direct && (!back || keeps_gaps))
        error = copy_part(l, w, v, memory, false);
    if (!error && keeps_gaps)
        error = copy_gaps(l, v, memory, gaps);
    if (!error)
        error = move(l, v, memory, back);
    if (!error && keeps_gaps)
        error = copy_gaps(l, v, gaps, memory);
    if (!error && !is_direct && back)
        error = copy_part(l, w, v, memory, true);
    if (memory && !is_direct)
        l->target->clReleaseMemObject(memory);
    if (gaps)
        l->target->clReleaseMemObject(gaps);
    l->apply->converting += hd_clock() - start;
    if (!l->apply->in_trial) {
        *(back ? &v->layout->back : &v->layout->to) += 1;
        v->layout->bytes += bytes_of(v);
        v->layout->seconds += hd_clock() - start;
    }
    return error;
}

double layer_converting(const layer_apply *a) {
    double seconds = 0;
    for (size_t i = 0; i < a->all.count; i++)
        seconds += a->all.data[i]->seconds;
    return seconds;
}

/* ---- views ------------------------------------------------------------------------------------------- */

static void free_views(layer_whole *w) {
    for (layer_view *v = w->views; v; v = v->next) {
        hd_remap_release(v->device->remap, v->map, v->parts);
        hd_remap_free(v->map);
    }
    w->views = NULL;
}

/* Buffers that the program has released. */
static void sweep(layer *l) {
    layer_apply *a = l->apply;
    for (size_t i = a->viewed.count; i-- > 0;)
        if (__atomic_load_n(&a->viewed.data[i]->is_gone, __ATOMIC_ACQUIRE)) {
            free_views(a->viewed.data[i]);
            a->viewed.data[i] = a->viewed.data[--a->viewed.count];
        }
}

/* Kernels that convert are compiled for a number of elements. Small buffers share them: theirs is a
 * power of two. */
static uint64_t room_for(uint64_t count, size_t record_bytes) {
    enum { SMALL = 1 << 20 };
    uint64_t room = 64;
    while (room < count)
        room *= 2;
    return room * record_bytes <= SMALL ? room : count;
}

layer_view *layer_view_of(layer *l, cl_command_queue queue, const layer_buffer *b,
                          layer_layout *layout) {
    layer_apply *a = l->apply;
    layer_whole *w = b->whole;
    layer_device *device = device_of(l, queue, w->context);
    for (layer_view *v = w->views; v; v = v->next)
        if (v->layout == layout && v->offset == b->offset && v->bytes == b->bytes &&
            v->device == device)
            return v;
    sweep(l);
    layer_view *v = hd_new(a->arena, layer_view);
    *v = (layer_view){.layout = layout,
                      .offset = b->offset,
                      .bytes = b->bytes,
                      .count = b->bytes / layout->fields.size,
                      .device = device,
                      .next = w->views};
    v->room = device && device->is_processor ? v->count : room_for(v->count, layout->fields.size);
    if (!device || !v->count ||
        hd_remap_layout(&a->diag, &layout->fields, layout->notation, v->room, &v->map))
        return NULL;
    v->parts = hd_new_array(a->arena, hd_remap_memory, hd_remap_parts(v->map));
    if (hd_remap_allocate(&a->diag, device->remap, v->map, HD_REMAP_IN_DEVICE, v->parts)) {
        hd_remap_free(v->map);
        return NULL;
    }
    if (!w->views)
        hd_push(a->arena, &a->viewed, w);
    w->views = v;
    return v;
}

static bool overlaps(const layer_view *v, size_t offset, size_t bytes) {
    return v->offset < offset + bytes && offset < v->offset + v->bytes;
}

cl_int layer_views_settle(layer *l, layer_whole *w, size_t offset, size_t bytes, layer_use use,
                          const layer_view *but) {
    cl_int error = CL_SUCCESS;
    for (layer_view *v = w->views; v && !error; v = v->next) {
        if (v == but || !overlaps(v, offset, bytes))
            continue;
        /* What is written over is not needed. */
        const bool is_lost =
            use == LAYER_WRITE && offset <= v->offset && offset + bytes >= v->offset + bytes_of(v);
        if (v->is_dirty && !is_lost)
            error = convert(l, w, v, true);
        v->is_dirty = false;
        v->is_valid = v->is_valid && !(use & LAYER_WRITE);
    }
    return error;
}

cl_int layer_view_fill(layer *l, layer_whole *w, layer_view *v) {
    if (v->is_valid)
        return CL_SUCCESS;
    cl_int error = layer_views_settle(l, w, v->offset, v->bytes, LAYER_READ, v);
    if (!error)
        error = convert(l, w, v, false);
    v->is_valid = !error;
    return error;
}

void layer_view_written(layer_whole *w, layer_view *v) {
    for (layer_view *other = w->views; other; other = other->next)
        if (other != v && overlaps(other, v->offset, v->bytes))
            other->is_valid = other->is_dirty = false;
    v->is_dirty = true;
    w->changes++;
}

void layer_views_forget(layer_whole *w) {
    for (layer_view *v = w->views; v; v = v->next)
        if (v->is_dirty)
            v->is_valid = v->is_dirty = false;
}

void layer_views_return(layer *l) {
    layer_apply *a = l->apply;
    sweep(l);
    for (size_t i = 0; i < a->viewed.count; i++)
        layer_views_settle(l, a->viewed.data[i], 0, a->viewed.data[i]->bytes, LAYER_READ, NULL);
}
