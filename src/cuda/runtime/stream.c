/* Streams, events, host functions, captures. */
#include "cuda/runtime/runtime.h"

enum { STREAM_FLAGS = 1, EVENT_FLAGS = 7, LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

/* ---- streams ------------------------------------------------------------------------------------- */

static cuda_error make_stream(cuda_process *p, rt_handle *stream, unsigned flags, int priority) {
    if (!stream || flags > STREAM_FLAGS)
        return CUDA_INVALID_VALUE;
    if (priority < GREATEST_PRIORITY)
        priority = GREATEST_PRIORITY;
    *stream = cuda_stream_make(p, flags, priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority);
    return CUDA_SUCCESS;
}

API cudaStreamCreate(rt_handle *stream) { RUN(make_stream(p, stream, 0, 0)); }
API cudaStreamCreateWithFlags(rt_handle *stream, unsigned flags) {
    RUN(make_stream(p, stream, flags, 0));
}
API cudaStreamCreateWithPriority(rt_handle *stream, unsigned flags, int priority) {
    RUN(make_stream(p, stream, flags, priority));
}
API cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

static cuda_error end_stream(cuda_process *p, rt_handle handle) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    return stream ? cuda_stream_end(p, stream) : CUDA_INVALID_RESOURCE_HANDLE;
}

API cudaStreamDestroy(rt_handle stream) { RUN(end_stream(p, stream)); }
API cudaStreamSynchronize(rt_handle stream) { RUN(cuda_stream_wait(p, stream)); }
API cudaStreamQuery(rt_handle stream) { RUN(cuda_stream_wait(p, stream)); }
API cudaDeviceSynchronize(void) { RUN(cuda_not_captured(p)); }

/* What a stream is, by `GET`, of `stream`. */
#define OF_STREAM(result, get)                                              \
    cuda_process *p;                                                        \
    cuda_error error = rt_begin(&p);                                        \
    const cuda_stream *stream = error ? NULL : cuda_stream_find(p, handle); \
    if (!error && !stream)                                                  \
        error = CUDA_INVALID_RESOURCE_HANDLE;                               \
    else if (!error && !(result))                                           \
        error = CUDA_INVALID_VALUE;                                         \
    if (!error)                                                             \
        *(result) = (get);                                                  \
    return rt_end(p, error)

API cudaStreamGetFlags(rt_handle handle, unsigned *flags) { OF_STREAM(flags, stream->flags); }
API cudaStreamGetPriority(rt_handle handle, int *priority) {
    OF_STREAM(priority, stream->priority);
}
API cudaStreamGetId(rt_handle handle, unsigned long long *id) { OF_STREAM(id, stream->id); }
API cudaStreamGetDevice(rt_handle handle, int *device) {
    RUN(!cuda_stream_find(p, handle) ? CUDA_INVALID_RESOURCE_HANDLE
        : !device                    ? CUDA_INVALID_VALUE
                                     : (*device = 0, CUDA_SUCCESS));
}

/* ---- attributes: hints about caches and the like, which are kept ------------------------------------ */

typedef struct attribute_value { /* cudaStreamAttrValue */
    char bytes[64];
} attribute_value;

static cuda_error attribute_of(cuda_process *p, rt_handle handle, int id, attribute_value **kept) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (id < 1 || id > CUDA_STREAM_ATTRIBUTES)
        return CUDA_INVALID_VALUE;
    *kept = (attribute_value *)stream->attributes[id - 1];
    return CUDA_SUCCESS;
}

static cuda_error pass_attribute(cuda_process *p, rt_handle stream, int id, attribute_value *value,
                                 bool sets) {
    attribute_value *kept;
    cuda_error error = value ? attribute_of(p, stream, id, &kept) : CUDA_INVALID_VALUE;
    if (!error)
        *(sets ? kept : value) = *(sets ? value : kept);
    return error;
}
API cudaStreamSetAttribute(rt_handle stream, int id, const attribute_value *value) {
    RUN(pass_attribute(p, stream, id, (attribute_value *)(uintptr_t)value, true));
}
API cudaStreamGetAttribute(rt_handle stream, int id, attribute_value *value) {
    RUN(pass_attribute(p, stream, id, value, false));
}

static cuda_error copy_attributes(cuda_process *p, rt_handle to, rt_handle from) {
    cuda_stream *target = cuda_stream_find(p, to);
    const cuda_stream *source = cuda_stream_find(p, from);
    if (!target || !source)
        return CUDA_INVALID_RESOURCE_HANDLE;
    memmove(target->attributes, source->attributes, sizeof target->attributes);
    return CUDA_SUCCESS;
}
API cudaStreamCopyAttributes(rt_handle to, rt_handle from) { RUN(copy_attributes(p, to, from)); }
API cudaCtxResetPersistingL2Cache(void) { RUN(CUDA_SUCCESS); }

/* ---- host functions ---------------------------------------------------------------------------------- */

API cudaLaunchHostFunc(rt_handle stream, void (*function)(void *), void *user) {
    const cuda_work work = {.kind = CUDA_WORK_HOST, .host = {function, user}};
    return rt_submit(stream, &work);
}

typedef struct callback {
    void (*function)(rt_handle stream, cudaError_t status, void *user);
    rt_handle stream;
    void *user;
} callback;

static void call_back(void *user) {
    const callback *c = user;
    c->function(c->stream, CUDA_SUCCESS, c->user);
}

static cuda_error add_callback(cuda_process *p, callback *c) {
    const cuda_stream *stream = cuda_stream_find(p, c->stream);
    if (!stream || stream->capture)
        return stream ? CUDA_STREAM_CAPTURE_UNSUPPORTED : CUDA_INVALID_RESOURCE_HANDLE;
    const cuda_work work = {.kind = CUDA_WORK_HOST, .host = {call_back, c}};
    return cuda_submit(p, c->stream, &work);
}

API cudaStreamAddCallback(rt_handle stream,
                          void (*function)(rt_handle stream, cudaError_t status, void *user),
                          void *user, unsigned flags) {
    callback c = {function, stream, user};
    RUN(flags || !function ? CUDA_INVALID_VALUE : add_callback(p, &c));
}

/* ---- events --------------------------------------------------------------------------------------------- */

static cuda_error make_event(cuda_process *p, rt_handle *event, unsigned flags) {
    if (!event || flags > EVENT_FLAGS ||
        (flags & CUDA_EVENT_INTERPROCESS && !(flags & CUDA_EVENT_WITHOUT_TIME)))
        return CUDA_INVALID_VALUE;
    *event = cuda_event_make(p, flags);
    return CUDA_SUCCESS;
}

API cudaEventCreate(rt_handle *event) { RUN(make_event(p, event, 0)); }
API cudaEventCreateWithFlags(rt_handle *event, unsigned flags) { RUN(make_event(p, event, flags)); }

#define OF_EVENT(event, expression)                                                           \
    RUN(cuda_handle_is(p, (event), CUDA_EVENT) ? (expression) : CUDA_INVALID_RESOURCE_HANDLE)

API cudaEventDestroy(rt_handle event) { OF_EVENT(event, (cuda_event_end(p, event), CUDA_SUCCESS)); }
API cudaEventRecord(rt_handle event, rt_handle stream) {
    OF_EVENT(event, cuda_event_record(p, event, stream));
}
API cudaEventRecordWithFlags(rt_handle event, rt_handle stream, unsigned flags) {
    OF_EVENT(event, flags > 1 ? CUDA_INVALID_VALUE : cuda_event_record(p, event, stream));
}
API cudaStreamWaitEvent(rt_handle stream, rt_handle event, unsigned flags) {
    OF_EVENT(event, flags > 1 ? CUDA_INVALID_VALUE : cuda_event_wait(p, event, stream));
}

/* An event that is captured has no time to wait for. */
static cuda_error done(const cuda_event *event) {
    return event->capture ? CUDA_CAPTURED_EVENT : CUDA_SUCCESS;
}
API cudaEventSynchronize(rt_handle event) { OF_EVENT(event, done(event)); }
API cudaEventQuery(rt_handle event) { OF_EVENT(event, done(event)); }

static cuda_error elapsed(cuda_process *p, float *milliseconds, rt_handle start, rt_handle end) {
    if (!cuda_handle_is(p, start, CUDA_EVENT) || !cuda_handle_is(p, end, CUDA_EVENT))
        return CUDA_INVALID_RESOURCE_HANDLE;
    return cuda_event_elapsed(start, end, milliseconds);
}

API cudaEventElapsedTime(float *milliseconds, rt_handle start, rt_handle end) {
    RUN(elapsed(p, milliseconds, start, end));
}
#if CUDART < 13
API cudaEventElapsedTime_v2(float *milliseconds, rt_handle start, rt_handle end) {
    RUN(elapsed(p, milliseconds, start, end));
}
#endif

/* ---- captures -------------------------------------------------------------------------------------------- */

API cudaStreamBeginCapture(rt_handle stream, int mode) {
    RUN(cuda_capture_begin(p, stream, NULL, mode));
}

API cudaStreamEndCapture(rt_handle stream, rt_handle *graph) {
    RUN(cuda_capture_end(p, stream, graph));
}

API cudaStreamIsCapturing(rt_handle handle, int *status) {
    OF_STREAM(status, cuda_stream_capture_status(stream));
}

static cuda_error capture_info(cuda_process *p, rt_handle handle, int *status,
                               unsigned long long *id, rt_handle *graph, cuda_node *const **after,
                               size_t *count) {
    const cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!status)
        return CUDA_INVALID_VALUE;
    *status = cuda_stream_capture_status(stream);
    if (*status != 1)
        return CUDA_SUCCESS;
    if (id)
        *id = stream->capture->id;
    if (graph)
        *graph = stream->capture->graph;
    if (after)
        *after = stream->frontier.data;
    if (count)
        *count = stream->frontier.count;
    return CUDA_SUCCESS;
}

/* Edges between captured nodes have no data. */
#if CUDART >= 13
API cudaStreamGetCaptureInfo(rt_handle stream, int *status, unsigned long long *id,
                             rt_handle *graph, cuda_node *const **after,
                             const cudaGraphEdgeData **edges, size_t *count) {
    if (edges)
        *edges = NULL;
    RUN(capture_info(p, stream, status, id, graph, after, count));
}
#else
API cudaStreamGetCaptureInfo_v2(rt_handle stream, int *status, unsigned long long *id,
                                rt_handle *graph, cuda_node *const **after, size_t *count) {
    RUN(capture_info(p, stream, status, id, graph, after, count));
}
API cudaStreamGetCaptureInfo_v3(rt_handle stream, int *status, unsigned long long *id,
                                rt_handle *graph, cuda_node *const **after,
                                const cudaGraphEdgeData **edges, size_t *count) {
    if (edges)
        *edges = NULL;
    RUN(capture_info(p, stream, status, id, graph, after, count));
}
#endif

API cudaThreadExchangeStreamCaptureMode(int *mode) {
    static __thread int current;
    if (!mode || *mode < 0 || *mode > 2)
        return rt_last(CUDA_INVALID_VALUE);
    int before = current;
    current = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
