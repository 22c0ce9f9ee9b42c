/*
 * Contexts, and what the driver alone tells of the device. All contexts share what there is on the
 * device; it goes with the last of them.
 */
#include <stdio.h>

#include "cuda/interfaces/call.h"

enum { DEPTH = 64, CONTEXT_API = 3020 };

typedef struct context {
    unsigned flags;
} context;

static bool initialised;
static context *primary; /* once made it keeps its handle, which is one while it is in use */
static unsigned primary_uses, primary_flags, contexts; /* under the process's lock */

static __thread context *stack[DEPTH]; /* the current one is the last */
static __thread unsigned depth;

/* ---- contexts, and the beginning of calls ------------------------------------------------------ */

static bool is_context(const cuda_process *p, const void *handle) {
    return cuda_handle_is(p, handle, CUDA_CONTEXT) && (handle != primary || primary_uses);
}

cuda_handle call_context(void) { return depth ? stack[depth - 1] : NULL; }

static context *make(cuda_process *p, unsigned flags) {
    context *made = cuda_handle_new(p, CUDA_CONTEXT, sizeof *made);
    made->flags = flags;
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
        primary = make(p, primary_flags);
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
    return is_context(*p, call_context()) ? error : CUDA_INVALID_CONTEXT;
}

int call_end(cuda_process *p, cuda_error error) {
    cuda_leave(p);
    return (int)error;
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
    if (!result || device)
        return result ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    context *made = make(p, flags);
    contexts++;
    *result = made;
    return push(made);
}

/* `params` is of partitions of a device. */
CALL_EARLY(cuCtxCreate_v2, (cuda_handle * result, unsigned flags, int device), result, flags,
           device) {
    return create(p, result, flags, device);
}
CALL_EARLY(cuCtxCreate_v3,
           (cuda_handle * result, const void *params, int count, unsigned flags, int device),
           result, params, count, flags, device) {
    (void)params, (void)count;
    return create(p, result, flags, device);
}
CALL_EARLY(cuCtxCreate_v4, (cuda_handle * result, const void *params, unsigned flags, int device),
           result, params, flags, device) {
    (void)params;
    return create(p, result, flags, device);
}
CALL_EARLY(cuCtxDestroy_v2, (cuda_handle which), which) {
    if (!is_context(p, which) || which == primary)
        return CUDA_INVALID_CONTEXT;
    if (which == call_context())
        depth--;
    cuda_handle_free(p, which);
    end(p);
    return CUDA_SUCCESS;
}
CALL_EARLY(cuCtxPushCurrent_v2, (cuda_handle which), which) {
    return is_context(p, which) ? push(which) : CUDA_INVALID_CONTEXT;
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
    if (which && !is_context(p, which))
        return CUDA_INVALID_CONTEXT;
    if (depth)
        depth--;
    return which ? push(which) : CUDA_SUCCESS;
}

/* There are no peers. */
CALL(cuCtxEnablePeerAccess, (cuda_handle peer, unsigned flags), peer, flags) {
    (void)flags;
    return is_context(p, peer) ? CUDA_PEER_ACCESS_UNSUPPORTED : CUDA_INVALID_CONTEXT;
}
CALL(cuCtxDisablePeerAccess, (cuda_handle peer), peer) {
    return is_context(p, peer) ? CUDA_PEER_ACCESS_NOT_ENABLED : CUDA_INVALID_CONTEXT;
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
    if (!device)
        primary_flags = flags;
    return device ? CUDA_INVALID_DEVICE : CUDA_SUCCESS;
}
CALL_EARLY(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active), device, flags,
           active) {
    if (!flags || !active || device)
        return flags && active ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    *flags = primary_flags;
    *active = primary_uses > 0;
    return CUDA_SUCCESS;
}

/* Of a context that need not be the current one; all are of the one device. */
CALL(cuCtxGetDevice_v2, (int *device, cuda_handle of), device, of) {
    (void)of;
    return GIVE(device, 0);
}
CALL(cuCtxSynchronize_v2, (cuda_handle of), of) {
    (void)of;
    return cuda_not_captured(p);
}
CALL(cuCtxGetId, (cuda_handle of, unsigned long long *id), of, id) {
    return GIVE(id, (uintptr_t)(of ? of : call_context()));
}
CALL(cuCtxGetFlags, (unsigned *flags), flags) {
    return GIVE(flags, ((context *)call_context())->flags);
}
CALL(cuCtxSetFlags, (unsigned flags), flags) {
    ((context *)call_context())->flags = flags;
    return CUDA_SUCCESS;
}
/* All work of a context is done. */
CALL(cuCtxRecordEvent, (cuda_handle of, cuda_handle event), of, event) {
    if (!is_context(p, of) || !cuda_handle_is(p, event, CUDA_EVENT))
        return is_context(p, of) ? CUDA_INVALID_HANDLE : CUDA_INVALID_CONTEXT;
    return cuda_event_record(p, event, NULL);
}
CALL(cuCtxWaitEvent, (cuda_handle of, cuda_handle event), of, event) {
    if (!is_context(p, of) || !cuda_handle_is(p, event, CUDA_EVENT))
        return is_context(p, of) ? CUDA_INVALID_HANDLE : CUDA_INVALID_CONTEXT;
    return cuda_event_wait(p, event, NULL);
}
CALL(cuCtxGetApiVersion, (cuda_handle of, unsigned *version), of, version) {
    return GIVE(of && !is_context(p, of) ? NULL : version, CONTEXT_API);
}

CALL(cuStreamGetCtx, (cuda_handle stream, cuda_handle *result), stream, result) {
    return cuda_stream_find(p, stream) ? GIVE(result, call_context()) : CUDA_INVALID_HANDLE;
}
EXPORT int cuStreamGetCtx_v2(cuda_handle stream, cuda_handle *result, cuda_handle *part) {
    if (part)
        *part = NULL; /* a part of the device, which there are none of */
    return cuStreamGetCtx(stream, result);
}
