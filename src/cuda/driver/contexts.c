/*
 * Contexts, and what the driver alone tells of the device. All contexts share what there is on the
 * device; it goes with the last of them.
 */
#include <stdio.h>

#include "cuda/interfaces/call.h"

enum { DEPTH = 64, CONTEXT_API = 3020 };

typedef struct context {
    unsigned flags; /* of the primary context, as they are set for the device */
    uint64_t id;
} context;

static bool initialised;
static context *primary; /* once made it keeps its handle, which is one while it is in use */
static unsigned primary_uses, contexts; /* under the process's lock */
static uint64_t made_contexts;

static __thread context *stack[DEPTH]; /* the current one is the last */
static __thread unsigned depth;

/* ---- contexts, and the beginning of calls ------------------------------------------------------ */

bool call_is_context(const cuda_process *p, const void *handle) {
    return cuda_handle_is(p, handle, CUDA_CONTEXT) && (handle != primary || primary_uses);
}

cuda_handle call_context(void) { return depth ? stack[depth - 1] : NULL; }

static context *make(cuda_process *p, unsigned flags) {
    context *made = cuda_handle_new(p, CUDA_CONTEXT, sizeof *made);
    made->flags = flags;
    made->id = ++made_contexts;
    return made;
}

/* One context less. */
static void end(cuda_process *p) {
    if (!--contexts)
        cuda_reset(p);
}

static cuda_error push(context *c) {
    if (depth == DEPTH)
        return CUDA_INVALID_VALUE;
    stack[depth++] = c;
    return CUDA_SUCCESS;
}

static context *retain(cuda_process *p) {
    if (!primary)
        primary = make(p, 0);
    contexts += !primary_uses++;
    return primary;
}

/* What the runtime works in is current where nothing else is. */
static void take_runtimes(cuda_process *p) {
    if (!depth && p->is_runtimes)
        push(retain(p));
}

cuda_error call_begin(cuda_process **p, call_need need) {
    *p = cuda_enter();
    initialised |= (*p)->is_runtimes;
    if (need == CALL_NEEDS_NOTHING)
        return CUDA_SUCCESS;
    if (!initialised)
        return CUDA_NOT_INITIALIZED;
    if (need == CALL_NEEDS_DEVICE)
        return CUDA_SUCCESS;
    cuda_error error = (*p)->sticky;
    if (!error)
        error = cuda_need_machine(*p);
    if (need == CALL_NEEDS_MACHINE)
        return error;
    take_runtimes(*p);
    return call_is_context(*p, call_context()) ? error : CUDA_INVALID_CONTEXT;
}

/* What only the runtime has a number for is a wrong value to the driver. */
int call_end(cuda_process *p, cuda_error error) {
    cuda_leave(p);
    return error && !cuda_error_driver_name(error) ? CUDA_INVALID_VALUE : (int)error;
}

CALL_AT(CALL_NEEDS_NOTHING, cuInit, (unsigned flags), flags) {
    initialised |= !flags;
    return flags ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
}

EXPORT int cuGetErrorName(int error, const char **name) {
    cuda_error result = GIVE(name, cuda_error_driver_name(error));
    return result || !*name ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
}
EXPORT int cuGetErrorString(int error, const char **text) {
    cuda_error result = GIVE(text, cuda_error_driver_name(error) ? cuda_error_text(error) : NULL);
    return result || !*text ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
}

/* ---- the device -------------------------------------------------------------------------------- */

CALL_EARLY(cuDeviceGet, (int *device, int number), device, number) {
    return device && number ? CUDA_INVALID_DEVICE : GIVE(device, 0);
}
CALL_EARLY(cuDeviceGetName, (char *name, int length, int device), name, length, device) {
    if (!name || device || length < 1)
        return name && device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    snprintf(name, (size_t)length, "%s", cuda_device_name(&p->device));
    return CUDA_SUCCESS;
}
CALL_EARLY(cuDeviceGetUuid, (char *uuid, int device), uuid, device) {
    if (!uuid || device)
        return uuid ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    cuda_device_uuid(&p->device, uuid);
    return CUDA_SUCCESS;
}
CALL_EARLY(cuDeviceTotalMem_v2, (size_t *bytes, int device), bytes, device) {
    return bytes && device ? CUDA_INVALID_DEVICE : GIVE(bytes, (size_t)p->device.memory);
}
/* CUdevprop: the first attributes, in their order. */
CALL_EARLY(cuDeviceGetProperties, (int *properties, int device), properties, device) {
    enum { PROPERTIES = 14 };
    if (!properties || device)
        return properties ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    for (int i = 0; i < PROPERTIES; i++)
        cuda_device_attribute(&p->device, i + 1, &properties[i]);
    return CUDA_SUCCESS;
}
CALL_EARLY(cuDeviceComputeCapability, (int *major, int *minor, int device), major, minor, device) {
    if (!major || !minor || device)
        return major && minor ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    *major = (int)p->device.major;
    *minor = (int)p->device.minor;
    return CUDA_SUCCESS;
}

/* ---- which context is current ------------------------------------------------------------------ */

static cuda_error create(cuda_process *p, cuda_handle *result, unsigned flags, int device) {
    if (!result || !call_are_device_flags(flags))
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    context *made = make(p, flags);
    contexts++;
    *result = made;
    return push(made);
}

/* Parts of a device (CUexecAffinityParam) are for what shares it with other processes. */
static cuda_error check_affinity(const void *params, int count) {
    if (count < 0 || (count && !params))
        return CUDA_INVALID_VALUE;
    return count ? CUDA_UNSUPPORTED_EXEC_AFFINITY : CUDA_SUCCESS;
}

typedef struct create_params { /* CUctxCreateParams */
    const void *affinity;
    int count;
    const void *graphics;
} create_params;

CALL_EARLY(cuCtxCreate_v2, (cuda_handle * result, unsigned flags, int device), result, flags,
           device) {
    return create(p, result, flags, device);
}
CALL_EARLY(cuCtxCreate_v3,
           (cuda_handle * result, const void *params, int count, unsigned flags, int device),
           result, params, count, flags, device) {
    cuda_error error = check_affinity(params, count);
    return error ? error : create(p, result, flags, device);
}
CALL_EARLY(cuCtxCreate_v4,
           (cuda_handle * result, const create_params *params, unsigned flags, int device), result,
           params, flags, device) {
    cuda_error error = params ? check_affinity(params->affinity, params->count) : CUDA_SUCCESS;
    if (!error && params && params->graphics)
        error = CUDA_NOT_SUPPORTED;
    return error ? error : create(p, result, flags, device);
}
CALL_EARLY(cuCtxDestroy_v2, (cuda_handle which), which) {
    if (!call_is_context(p, which) || which == primary)
        return CUDA_INVALID_CONTEXT;
    if (which == call_context())
        depth--;
    cuda_handle_free(p, which);
    end(p);
    return CUDA_SUCCESS;
}
CALL_EARLY(cuCtxPushCurrent_v2, (cuda_handle which), which) {
    return call_is_context(p, which) ? push(which) : CUDA_INVALID_CONTEXT;
}
CALL_AT(CALL_NEEDS_NOTHING, cuCtxPopCurrent_v2, (cuda_handle * result), result) {
    if (!depth)
        return CUDA_INVALID_CONTEXT;
    depth--;
    if (result)
        *result = stack[depth];
    return CUDA_SUCCESS;
}
CALL_EARLY(cuCtxGetCurrent, (cuda_handle * result), result) {
    take_runtimes(p);
    return GIVE(result, call_context());
}
CALL_EARLY(cuCtxSetCurrent, (cuda_handle which), which) {
    if (which && !call_is_context(p, which))
        return CUDA_INVALID_CONTEXT;
    if (depth)
        depth--;
    return which ? push(which) : CUDA_SUCCESS;
}

/* There are no peers. */
CALL(cuCtxEnablePeerAccess, (cuda_handle peer, unsigned flags), peer, flags) {
    if (!call_is_context(p, peer) || peer == call_context())
        return CUDA_INVALID_CONTEXT;
    return flags ? CUDA_INVALID_VALUE : CUDA_PEER_ACCESS_UNSUPPORTED;
}
CALL(cuCtxDisablePeerAccess, (cuda_handle peer), peer) {
    return call_is_context(p, peer) ? CUDA_PEER_ACCESS_NOT_ENABLED : CUDA_INVALID_CONTEXT;
}

CALL_EARLY(cuDevicePrimaryCtxRetain, (cuda_handle * result, int device), result, device) {
    return result && device ? CUDA_INVALID_DEVICE : GIVE(result, retain(p));
}
CALL_EARLY(cuDevicePrimaryCtxRelease_v2, (int device), device) {
    if (device || !primary_uses)
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_CONTEXT;
    if (!--primary_uses)
        end(p);
    return CUDA_SUCCESS;
}
/* What there is on the device goes; who has retained the context has it still. */
CALL_EARLY(cuDevicePrimaryCtxReset_v2, (int device), device) {
    if (!device)
        cuda_reset(p);
    return device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}
CALL_EARLY(cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags), device, flags) {
    if (device || !call_are_device_flags(flags))
        return device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    p->settings.flags = flags;
    return CUDA_SUCCESS;
}
CALL_EARLY(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active), device, flags,
           active) {
    if (!flags || !active || device)
        return flags && active ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    *flags = p->settings.flags;
    *active = primary_uses > 0;
    return CUDA_SUCCESS;
}

/* Of a context that need not be the current one, which NULL is; all are of the one device. */
static context *context_of(cuda_process *p, cuda_handle of) {
    if (!of)
        take_runtimes(p);
    cuda_handle found = of ? of : call_context();
    return call_is_context(p, found) ? found : NULL;
}

CALL_ANYWHERE(cuCtxGetDevice_v2, (int *device, cuda_handle of), device, of) {
    return context_of(p, of) ? GIVE(device, 0) : CUDA_INVALID_CONTEXT;
}
CALL_ANYWHERE(cuCtxSynchronize_v2, (cuda_handle of), of) {
    return context_of(p, of) ? cuda_streams_wait(p) : CUDA_INVALID_CONTEXT;
}
CALL_ANYWHERE(cuCtxGetId, (cuda_handle of, unsigned long long *id), of, id) {
    const context *c = context_of(p, of);
    return c ? GIVE(id, c->id) : CUDA_INVALID_CONTEXT;
}
CALL(cuCtxGetFlags, (unsigned *flags), flags) {
    const context *c = call_context();
    return GIVE(flags, c == primary ? p->settings.flags : c->flags);
}
CALL(cuCtxSetFlags, (unsigned flags), flags) {
    context *c = call_context();
    if (!call_are_device_flags(flags))
        return CUDA_INVALID_VALUE;
    *(c == primary ? &p->settings.flags : &c->flags) = flags;
    return CUDA_SUCCESS;
}
/* All work of a context is done. */
CALL(cuCtxRecordEvent, (cuda_handle of, cuda_handle event), of, event) {
    if (!call_is_context(p, of) || !cuda_handle_is(p, event, CUDA_EVENT))
        return call_is_context(p, of) ? CUDA_INVALID_HANDLE : CUDA_INVALID_CONTEXT;
    return cuda_event_record(p, event, NULL);
}
CALL(cuCtxWaitEvent, (cuda_handle of, cuda_handle event), of, event) {
    if (!call_is_context(p, of) || !cuda_handle_is(p, event, CUDA_EVENT))
        return call_is_context(p, of) ? CUDA_INVALID_HANDLE : CUDA_INVALID_CONTEXT;
    return cuda_event_wait(p, event, NULL);
}
CALL_ANYWHERE(cuCtxGetApiVersion, (cuda_handle of, unsigned *version), of, version) {
    return context_of(p, of) ? GIVE(version, CONTEXT_API) : CUDA_INVALID_CONTEXT;
}

CALL(cuStreamGetCtx, (cuda_handle which, cuda_handle *result), which, result) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (stream->context && !call_is_context(p, stream->context))
        return CUDA_INVALID_CONTEXT; /* it is destroyed */
    return GIVE(result, stream->context ? stream->context : call_context());
}
EXPORT int cuStreamGetCtx_v2(cuda_handle stream, cuda_handle *result, cuda_handle *part) {
    if (part)
        *part = NULL; /* a part of the device, which there are none of */
    return cuStreamGetCtx(stream, result);
}
