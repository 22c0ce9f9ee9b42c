/* Streams, events, and the addresses of functions by their names. */
#include "cuda/driver/driver.h"

#include <dlfcn.h>
#include <stdio.h>

/* ---- streams ------------------------------------------------------------------------------------------ */

API cuStreamCreate(dr_handle *stream, unsigned flags) {
    RUN(!stream || flags > 1 ? CUDA_INVALID_VALUE
                             : (*stream = cuda_stream_make(p, flags, 0), CUDA_SUCCESS));
}
API cuStreamCreateWithPriority(dr_handle *stream, unsigned flags, int priority) {
    RUN(!stream || flags > 1 ? CUDA_INVALID_VALUE
                             : (*stream = cuda_stream_make(p, flags, priority), CUDA_SUCCESS));
}

#define OF_STREAM(handle, expression)                                   \
    cuda_process *p;                                                    \
    cuda_error error = dr_begin(&p);                                    \
    cuda_stream *stream = error ? NULL : cuda_stream_find(p, (handle)); \
    if (!error)                                                         \
        error = stream ? (expression) : CUDA_INVALID_RESOURCE_HANDLE;   \
    return dr_end(p, error)

static cuda_error end_stream(cuda_process *p, dr_handle handle) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    return stream ? cuda_stream_end(p, stream) : CUDA_INVALID_RESOURCE_HANDLE;
}
API cuStreamDestroy_v2(dr_handle handle) { RUN_ANYWHERE(end_stream(p, handle)); }
API cuStreamSynchronize(dr_handle handle) { RUN(cuda_stream_wait(p, handle)); }
API cuStreamQuery(dr_handle handle) { RUN(cuda_stream_wait(p, handle)); }
API cuStreamGetFlags(dr_handle handle, unsigned *flags) {
    OF_STREAM(handle, flags ? (*flags = stream->flags, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cuStreamGetPriority(dr_handle handle, int *priority) {
    OF_STREAM(handle, priority ? (*priority = stream->priority, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cuStreamGetCtx(dr_handle handle, dr_handle *result) {
    RUN(!cuda_stream_find(p, handle) ? CUDA_INVALID_RESOURCE_HANDLE
        : !result                    ? CUDA_INVALID_VALUE
                                     : (*result = dr_context(), CUDA_SUCCESS));
}

API cuStreamGetCtx_v2(dr_handle handle, dr_handle *result, dr_handle *part) {
    if (part)
        *part = NULL; /* a part of the device, which there are none of */
    return cuStreamGetCtx(handle, result);
}
API cuStreamGetId(dr_handle handle, unsigned long long *id) {
    OF_STREAM(handle, id ? (*id = stream->id, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cuStreamGetDevice(dr_handle handle, int *device) {
    OF_STREAM(handle, device ? (*device = 0, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

typedef struct callback {
    void (*function)(dr_handle stream, int status, void *user);
    dr_handle stream;
    void *user;
} callback;

static void call_back(void *user) {
    const callback *c = user;
    c->function(c->stream, CUDA_SUCCESS, c->user);
}

API cuStreamAddCallback(dr_handle handle,
                        void (*function)(dr_handle stream, int status, void *user), void *user,
                        unsigned flags) {
    callback c = {function, handle, user};
    const cuda_work work = {.kind = CUDA_WORK_HOST, .host = {call_back, &c}};
    OF_STREAM(handle, flags || !function ? CUDA_INVALID_VALUE
                      : stream->capture  ? CUDA_STREAM_CAPTURE_UNSUPPORTED
                                         : cuda_submit(p, handle, &work));
}

/* ---- events ------------------------------------------------------------------------------------------------ */

API cuEventCreate(dr_handle *event, unsigned flags) {
    RUN(!event || flags > 7 ? CUDA_INVALID_VALUE
                            : (*event = cuda_event_make(p, flags), CUDA_SUCCESS));
}

#define OF_EVENT(event, expression)                                                           \
    RUN(cuda_handle_is(p, (event), CUDA_EVENT) ? (expression) : CUDA_INVALID_RESOURCE_HANDLE)

API cuEventDestroy_v2(dr_handle event) {
    RUN_ANYWHERE(cuda_handle_is(p, event, CUDA_EVENT) ? (cuda_event_end(p, event), CUDA_SUCCESS)
                                                      : CUDA_INVALID_RESOURCE_HANDLE);
}
API cuEventRecord(dr_handle event, dr_handle stream) {
    OF_EVENT(event, cuda_event_record(p, event, stream));
}
API cuEventRecordWithFlags(dr_handle event, dr_handle stream, unsigned flags) {
    OF_EVENT(event, flags > 1 ? CUDA_INVALID_VALUE : cuda_event_record(p, event, stream));
}
API cuStreamWaitEvent(dr_handle stream, dr_handle event, unsigned flags) {
    OF_EVENT(event, flags > 1 ? CUDA_INVALID_VALUE : cuda_event_wait(p, event, stream));
}

static cuda_error done(const cuda_event *event) {
    return event->capture ? CUDA_CAPTURED_EVENT : CUDA_SUCCESS;
}
API cuEventSynchronize(dr_handle event) { OF_EVENT(event, done(event)); }
API cuEventQuery(dr_handle event) { OF_EVENT(event, done(event)); }

API cuEventElapsedTime(float *milliseconds, dr_handle start, dr_handle end) {
    RUN(cuda_handle_is(p, start, CUDA_EVENT) && cuda_handle_is(p, end, CUDA_EVENT)
            ? cuda_event_elapsed(start, end, milliseconds)
            : CUDA_INVALID_RESOURCE_HANDLE);
}
API cuEventElapsedTime_v2(float *milliseconds, dr_handle start, dr_handle end) {
    return cuEventElapsedTime(milliseconds, start, end);
}

/* ---- functions by their names --------------------------------------------------------------------------------- */

enum { FOUND = 0, NOT_FOUND = 1, CUDA_12 = 12000, CUDA_13 = 13000 };

static void *own_symbol(const char *name) {
    Dl_info info;
    if (!dladdr((const void *)(uintptr_t)own_symbol, &info))
        return NULL;
    void *self = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    void *found = self ? dlsym(self, name) : NULL;
    if (self)
        dlclose(self);
    return found;
}

/* Functions that have forms with a number and mean the one without it before CUDA 13. */
static bool means_first_form(const char *name, int version) {
    return version < CUDA_13 &&
           (!strcmp(name, "cuMemAdvise") || !strcmp(name, "cuMemPrefetchAsync"));
}

/* The form of a function that a version of CUDA means: mostly the latest. */
static void *form_of(const char *name, int version) {
    char text[128];
    if (means_first_form(name, version))
        return own_symbol(name);
    if (version >= CUDA_12 && !strcmp(name, "cuGraphInstantiate"))
        return own_symbol("cuGraphInstantiateWithFlags");
    const char *const forms[] = {version >= CUDA_13 ? "_v4" : "_v2", "_v2", ""};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s%s", name, forms[i]);
        void *found = own_symbol(text);
        if (found)
            return found;
    }
    return NULL;
}

static int address_of(const char *name, void **result, int version, int *status) {
    if (!name || !result || strncmp(name, "cu", 2) != 0)
        return CUDA_INVALID_VALUE;
    *result = form_of(name, version);
    if (status)
        *status = *result ? FOUND : NOT_FOUND;
    return *result ? CUDA_SUCCESS : CUDA_SYMBOL_NOT_FOUND;
}

API cuGetProcAddress_v2(const char *name, void **result, int version, unsigned long long flags,
                        int *status) {
    (void)flags; /* which default stream: there is one */
    return address_of(name, result, version, status);
}
API cuGetProcAddress(const char *name, void **result, int version, unsigned long long flags) {
    (void)flags;
    return address_of(name, result, version, NULL);
}

/* Tables of functions that are no part of the documented interface: there are none. NVRTC asks for
 * one, and does without it; whoever else asks has NVIDIA's runtime in it, and gives up. */
API cuGetExportTable(const void **table, const void *id) {
    static bool told; /* under the process's lock */
    Dl_info info = {0};
    (void)id;
    if (table)
        *table = NULL;
    const char *file =
        dladdr(__builtin_return_address(0), &info) && info.dli_fname ? info.dli_fname : "a library";
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    cuda_process *p = cuda_enter();
    if (!told && strncmp(name, "libnvrtc", 8) != 0) {
        cuda_say(
            p,
            "error: %s has CUDA's runtime linked in, and kernels as machine code, which only a "
            "GPU can run; use a library that comes as source or PTX",
            name);
        told = true;
    }
    return dr_end(p, CUDA_INVALID_VALUE);
}
