/*
 * Launches that are recorded. Such a one runs alone: all queues of its context are finished
 * before it, so that memory holds what it will find, and its own after it.
 */
#include "opencl/layer.h"

#include <stdlib.h>
#include <string.h>

#include "opencl/opencl_machine.h"
#include "recording/recording.h"

typedef struct layer_recorder {
    layer *layer;
    hd_recording *recording;
    hd_recording_host host;
    cl_command_queue queue; /* of the launch */
    /* What was read last: memory of an address. */
    void *bytes;
    size_t room;
    uint64_t address;
    bool is_read;
} layer_recorder;

static void say(void *user, const char *line) {
    (void)user;
    layer_say(line);
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* What the host maps, or lends, may change without a command that is seen. */
static uint64_t version(void *user, uint64_t address) {
    const layer_recorder *r = user;
    const layer_whole *w = layer_whole_at(r->layer, address);
    const bool is_hosts = !w || w->mapped || w->is_shared || w->image || r->layer->has_extensions ||
                          w->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR);
    return is_hosts ? 0 : w->changes + 1;
}

static const void *held(void *user, uint64_t address, size_t bytes) {
    layer_recorder *r = user;
    const layer_whole *w = layer_whole_at(r->layer, address);
    if (r->is_read && r->address == address)
        return r->bytes;
    if (!w)
        return NULL;
    if (bytes > r->room) {
        r->bytes = hd_checked(realloc(r->bytes, bytes));
        r->room = bytes;
    }
    r->address = address;
    r->is_read = !layer_move(r->layer->target, r->queue, w, r->bytes, false);
    return r->is_read ? r->bytes : NULL;
}

layer_recorder *layer_recorder_new(layer *l) {
    layer_recorder *r = hd_new(l->arena, layer_recorder);
    r->layer = l;
    r->host = (hd_recording_host){
        .user = r, .say = say, .held = held, .version = version, .extension = ".cl"};
    r->recording = hd_recording_open(l->arena, &r->host);
    return r->recording ? r : NULL;
}

void layer_recorder_end(const layer_recorder *r) { hd_recording_end(r->recording); }

const char *layer_recorded_job(const layer_recorder *r, const layer_program *p) {
    return hd_recording_path(r->recording, p);
}

/* ---- arguments ----------------------------------------------------------------------------------- */

/* PoCL puts "_cl_" before what OpenCL C has a function of ("distance"). */
static const char *name_of(const layer *l, cl_kernel kernel, cl_uint index) {
    static const char by_pocl[] = "_cl_";
    const size_t more = strlen(by_pocl);
    char name[256];
    if (l->target->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof name, name, NULL))
        return NULL;
    return hd_strdup(l->arena, strncmp(name, by_pocl, more) ? name : name + more);
}

/* NULL, or what keeps it from a recording. */
static const char *add_args(const layer_recorder *r, cl_kernel kernel, const layer_kernel *k) {
    const layer *l = r->layer;
    for (cl_uint i = 0; i < k->args.count; i++) {
        const layer_arg *a = &k->args.data[i];
        const char *name = name_of(l, kernel, i);
        if (!name)
            return "arguments whose names the driver does not tell";
        const layer_arg_kind kind = layer_arg_kind_of(l, kernel, i, a);
        if (kind == LAYER_ARG_LOCAL) {
            hd_recording_arg_text(r->recording, name, hd_format(l->arena, "local: %zu", a->bytes));
        } else if (kind == LAYER_ARG_SAMPLER) {
            hd_recording_arg_text(r->recording, name,
                                  layer_sampler_of(l, *(const cl_sampler *)a->value)->text);
        } else if (kind == LAYER_ARG_BUFFER || kind == LAYER_ARG_IMAGE) {
            const layer_buffer *b = layer_arg_buffer(l, a);
            hd_recording_arg_memory(r->recording, name, b->whole->address + b->offset);
        } else {
            hd_recording_arg_bytes(r->recording, name, a->value, a->bytes);
        }
    }
    return NULL;
}

/* NULL, or what is not followed. */
static const char *see_args(const layer_recorder *r, cl_kernel kernel, const layer_kernel *k) {
    for (cl_uint i = 0; i < k->args.count; i++) {
        const layer_arg *a = &k->args.data[i];
        const layer_arg_kind kind = layer_arg_kind_of(r->layer, kernel, i, a);
        if (kind == LAYER_ARG_UNKNOWN)
            return "arguments that are not followed (pipes, SVM, images of rare formats)";
        if (kind != LAYER_ARG_BUFFER && kind != LAYER_ARG_IMAGE)
            continue;
        const layer_whole *w = layer_arg_buffer(r->layer, a)->whole;
        hd_recording_see(r->recording, w->address, w->bytes, w->image_text);
    }
    return NULL;
}

/* ---- launches -------------------------------------------------------------------------------------- */

/* False: the kernel itself asks for this size, which the driver knows. */
static bool choose_sizes(const layer *l, const layer_launch *launch, size_t local[3]) {
    size_t most = 0, must[3] = {0};
    cl_device_id device;
    const cl_icd_dispatch *t = l->target;
    const bool has_device =
        !t->clGetCommandQueueInfo(launch->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (has_device &&
        !t->clGetKernelWorkGroupInfo(launch->handle, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                     sizeof must, must, NULL) &&
        must[0]) {
        memcpy(local, must, sizeof must);
        return false;
    }
    if (!has_device ||
        t->clGetKernelWorkGroupInfo(launch->handle, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                    &most, NULL) ||
        !most)
        most = 1;
    machine_choose_local(launch->dims, launch->global, most, local);
    return true;
}

/* The launch is a recorded one, if it is asked for and all it needs is known. */
static void begin(layer_recorder *r, const layer_launch *launch) {
    layer *l = r->layer;
    const layer_kernel *k = launch->kernel;
    if (!hd_recording_asks(r->recording, k->name, k->name))
        return;
    /* What waits for an event that is not set would never be finished. */
    const char *why = l->open_events ? "events of the program that it has not set yet"
                      : k->program   ? NULL
                                     : "programs that are not made of source in one step";
    if (!why) {
        layer_finish_all(l, k->program->context);
        l->target->clFinish(launch->queue); /* an extension may have made it */
        if (launch->wait_count)
            l->target->clWaitForEvents(launch->wait_count, launch->wait);
        r->queue = launch->queue;
        r->is_read = false;
        hd_recording_begin(r->recording, k->program, k->program->text, k->program->options);
        why = see_args(r, launch->handle, k);
        if (!why && hd_recording_before(r->recording))
            why = add_args(r, launch->handle, k);
    }
    if (why)
        hd_recording_leave_out(r->recording, why);
}

static void end(layer_recorder *r, const layer_launch *launch, bool fine) {
    hd_recorded_launch recorded = {
        launch->kernel->name, launch->dims, {1, 1, 1}, {1, 1, 1}, .offset = {0}};
    for (cl_uint d = 0; d < launch->dims; d++) {
        recorded.grid[d] = launch->global[d];
        recorded.block[d] = launch->local[d];
        recorded.offset[d] = launch->offset ? launch->offset[d] : 0;
    }
    r->is_read = false;
    hd_recording_after(r->recording, &recorded, fine);
}

cl_int layer_launch_recorded(layer *l, layer_recorder *r, layer_launch *launch) {
    size_t chosen[3] = {1, 1, 1};
    begin(r, launch);
    if (!launch->local && hd_recording_is_on(r->recording) && choose_sizes(l, launch, chosen))
        launch->local = chosen;
    const cl_int error = layer_launch_as_is(l, launch);
    if (!launch->local)
        launch->local = chosen;
    if (hd_recording_is_on(r->recording))
        end(r, launch, !error && !l->target->clFinish(launch->queue));
    return error;
}
