/* Streams, their attributes, host functions, events and captures. */
#include "cuda/interfaces/call.h"

enum { STREAM_FLAGS = 1, EVENT_FLAGS = 7, EXTERNAL = 1 };

/* ---- streams ----------------------------------------------------------------------------------- */

static int within_range(int priority) {
    return priority < CUDA_STREAM_GREATEST_PRIORITY ? CUDA_STREAM_GREATEST_PRIORITY
           : priority > CUDA_STREAM_LEAST_PRIORITY  ? CUDA_STREAM_LEAST_PRIORITY
                                                    : priority;
}

static cuda_error make_stream(cuda_process *p, cuda_handle *stream, unsigned flags, int priority) {
    if (!stream || flags > STREAM_FLAGS)
        return CUDA_INVALID_VALUE;
    cuda_stream *made = cuda_stream_make(p, flags, within_range(priority));
    made->context = NAMES(NULL, call_context());
    *stream = made;
    return CUDA_SUCCESS;
}

#ifdef CUDART
CALL(cudaStreamCreate, (cuda_handle * stream), stream) { return make_stream(p, stream, 0, 0); }
#endif
CALL(NAMES(cudaStreamCreateWithFlags, cuStreamCreate), (cuda_handle * stream, unsigned flags),
     stream, flags) {
    return make_stream(p, stream, flags, 0);
}
CALL(NAMES(cudaStreamCreateWithPriority, cuStreamCreateWithPriority),
     (cuda_handle * stream, unsigned flags, int priority), stream, flags, priority) {
    return make_stream(p, stream, flags, priority);
}
CALL_AT(NAMES(CALL_NEEDS_NOTHING, CALL_NEEDS_CONTEXT),
        NAMES(cudaDeviceGetStreamPriorityRange, cuCtxGetStreamPriorityRange),
        (int *least, int *greatest), least, greatest) {
    if (least)
        *least = CUDA_STREAM_LEAST_PRIORITY;
    if (greatest)
        *greatest = CUDA_STREAM_GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}
CALL_ANYWHERE(NAMES(cudaStreamDestroy, cuStreamDestroy_v2), (cuda_handle which), which) {
    cuda_stream *stream = cuda_stream_find(p, which);
    return stream ? cuda_stream_end(p, stream) : CUDA_INVALID_HANDLE;
}
CALL(NAMES(cudaStreamSynchronize, cuStreamSynchronize), (cuda_handle which), which) {
    return cuda_stream_wait(p, which);
}
CALL(NAMES(cudaStreamGetFlags, cuStreamGetFlags), (cuda_handle which, unsigned *flags), which,
     flags) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    return stream ? GIVE(flags, stream->flags) : CUDA_INVALID_HANDLE;
}
CALL(NAMES(cudaStreamGetPriority, cuStreamGetPriority), (cuda_handle which, int *priority), which,
     priority) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    return stream ? GIVE(priority, stream->priority) : CUDA_INVALID_HANDLE;
}
CALL(NAMES(cudaStreamGetId, cuStreamGetId), (cuda_handle which, unsigned long long *id), which,
     id) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    return stream ? GIVE(id, stream->id) : CUDA_INVALID_HANDLE;
}
CALL(NAMES(cudaStreamGetDevice, cuStreamGetDevice), (cuda_handle which, int *device), which,
     device) {
    return cuda_stream_find(p, which) ? GIVE(device, 0) : CUDA_INVALID_HANDLE;
}

/* ---- attributes: hints about caches and the like, which are kept ------------------------------- */

typedef struct attribute_value { /* cudaStreamAttrValue, CUstreamAttrValue */
    char bytes[CALL_ATTRIBUTE_BYTES];
} attribute_value;

/* cudaLaunchAttributeID: those that streams have, all of one kind but the priority. */
enum { WINDOW = 1, SYNC_POLICY = 3, PRIORITY = 8, DOMAIN_MAP, DOMAIN };

static cuda_error check_attribute(const cuda_stream *stream, int id, const void *value) {
    bool is_one = id == WINDOW || id == SYNC_POLICY || (id >= PRIORITY && id <= DOMAIN);
    return !stream ? CUDA_INVALID_HANDLE : is_one && value ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CALL(NAMES(cudaStreamSetAttribute, cuStreamSetAttribute),
     (cuda_handle which, int id, const attribute_value *value), which, id, value) {
    cuda_stream *stream = cuda_stream_find(p, which);
    int priority;
    cuda_error error = check_attribute(stream, id, value);
    if (error)
        return error;
    memcpy(stream->attributes[id - 1], value, sizeof *value);
    memcpy(&priority, value, sizeof priority);
    if (id == PRIORITY)
        stream->priority = within_range(priority);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaStreamGetAttribute, cuStreamGetAttribute),
     (cuda_handle which, int id, attribute_value *value), which, id, value) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    cuda_error error = check_attribute(stream, id, value);
    if (error)
        return error;
    memcpy(value, stream->attributes[id - 1], sizeof *value);
    if (id == PRIORITY)
        memcpy(value, &stream->priority, sizeof stream->priority);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaStreamCopyAttributes, cuStreamCopyAttributes), (cuda_handle to, cuda_handle from),
     to, from) {
    cuda_stream *target = cuda_stream_find(p, to);
    const cuda_stream *source = cuda_stream_find(p, from);
    if (!target || !source)
        return CUDA_INVALID_HANDLE;
    memmove(target->attributes, source->attributes, sizeof target->attributes);
    target->priority = source->priority;
    return CUDA_SUCCESS;
}

/* ---- host functions ---------------------------------------------------------------------------- */

typedef void host_function(void *user);
CALL(NAMES(cudaLaunchHostFunc, cuLaunchHostFunc),
     (cuda_handle stream, host_function *function, void *user), stream, function, user) {
    const cuda_work work = {.kind = CUDA_WORK_HOST, .host = {function, user}};
    return cuda_submit(p, stream, &work);
}

typedef void stream_function(cuda_handle stream, int status, void *user);
typedef struct callback {
    stream_function *function;
    cuda_handle stream;
    void *user;
} callback;

static void call_back(void *user) {
    const callback *c = user;
    c->function(c->stream, CUDA_SUCCESS, c->user);
}

CALL(NAMES(cudaStreamAddCallback, cuStreamAddCallback),
     (cuda_handle which, stream_function *function, void *user, unsigned flags), which, function,
     user, flags) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    callback c = {function, which, user};
    const cuda_work work = {.kind = CUDA_WORK_HOST, .host = {call_back, &c}};
    if (flags || !function)
        return CUDA_INVALID_VALUE;
    if (!stream || stream->capture)
        return stream ? CUDA_STREAM_CAPTURE_UNSUPPORTED : CUDA_INVALID_HANDLE;
    return cuda_submit(p, which, &work);
}

/* ---- events ------------------------------------------------------------------------------------ */

static cuda_error make_event(cuda_process *p, cuda_handle *event, unsigned flags) {
    if (!event || flags > EVENT_FLAGS ||
        (flags & CUDA_EVENT_INTERPROCESS && !(flags & CUDA_EVENT_WITHOUT_TIME)))
        return CUDA_INVALID_VALUE;
    *event = cuda_event_make(p, flags);
    return CUDA_SUCCESS;
}

static bool is_event(const cuda_process *p, cuda_handle event) {
    return cuda_handle_is(p, event, CUDA_EVENT);
}

#ifdef CUDART
CALL(cudaEventCreate, (cuda_handle * event), event) { return make_event(p, event, 0); }
#endif
CALL(NAMES(cudaEventCreateWithFlags, cuEventCreate), (cuda_handle * event, unsigned flags), event,
     flags) {
    return make_event(p, event, flags);
}
CALL_ANYWHERE(NAMES(cudaEventDestroy, cuEventDestroy_v2), (cuda_handle event), event) {
    if (!is_event(p, event))
        return CUDA_INVALID_HANDLE;
    cuda_handle_free(p, event);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaEventRecord, cuEventRecord), (cuda_handle event, cuda_handle stream), event,
     stream) {
    return is_event(p, event) ? cuda_event_record(p, event, stream) : CUDA_INVALID_HANDLE;
}
CALL(NAMES(cudaEventRecordWithFlags, cuEventRecordWithFlags),
     (cuda_handle event, cuda_handle stream, unsigned flags), event, stream, flags) {
    if (!is_event(p, event) || flags > EXTERNAL)
        return flags > EXTERNAL ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    return flags == EXTERNAL ? cuda_event_capture(p, event, stream, CUDA_WORK_RECORD)
                             : cuda_event_record(p, event, stream);
}
CALL(NAMES(cudaStreamWaitEvent, cuStreamWaitEvent),
     (cuda_handle stream, cuda_handle event, unsigned flags), stream, event, flags) {
    if (!is_event(p, event) || flags > EXTERNAL)
        return flags > EXTERNAL ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    return flags == EXTERNAL ? cuda_event_capture(p, event, stream, CUDA_WORK_WAIT)
                             : cuda_event_wait(p, event, stream);
}
/* An event that is captured has no time to wait for. */
CALL(NAMES(cudaEventSynchronize, cuEventSynchronize), (cuda_handle event), event) {
    if (!is_event(p, event))
        return CUDA_INVALID_HANDLE;
    return ((cuda_event *)event)->capture ? CUDA_CAPTURED_EVENT : CUDA_SUCCESS;
}
CALL(NAMES(cudaEventElapsedTime, cuEventElapsedTime),
     (float *milliseconds, cuda_handle start, cuda_handle end), milliseconds, start, end) {
    if (!is_event(p, start) || !is_event(p, end))
        return CUDA_INVALID_HANDLE;
    return cuda_event_elapsed(start, end, milliseconds);
}

/* ---- captures ---------------------------------------------------------------------------------- */

CALL(NAMES(cudaStreamBeginCapture, cuStreamBeginCapture_v2), (cuda_handle stream, int mode), stream,
     mode) {
    return cuda_capture_begin(p, stream, mode, NULL, NULL, 0);
}
CALL(NAMES(cudaStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph),
     (cuda_handle stream, cuda_handle graph, const cuda_handle *after,
      const cudaGraphEdgeData *edges, size_t count, int mode),
     stream, graph, after, edges, count, mode) {
    (void)edges;
    return cuda_handle_is(p, graph, CUDA_GRAPH)
               ? cuda_capture_begin(p, stream, mode, graph, (cuda_node *const *)after, count)
               : CUDA_INVALID_VALUE;
}
#define UPDATE_CAPTURE(name, DATA)                                                                 \
    CALL(name,                                                                                     \
         (cuda_handle stream, const cuda_handle *after,                                            \
          DATA(const cudaGraphEdgeData *edges, ) size_t count, unsigned flags),                    \
         stream, after, DATA(edges, ) count, flags) {                                              \
        (void)DATA##_OR_NULL(edges);                                                               \
        return flags > 1                                                                           \
                   ? CUDA_INVALID_VALUE                                                            \
                   : cuda_capture_update(p, stream, (cuda_node *const *)after, count, flags == 1); \
    }
#if defined(CUDART) && CUDART >= 13
UPDATE_CAPTURE(cudaStreamUpdateCaptureDependencies, EDGE_DATA)
#else
UPDATE_CAPTURE(NAMES(cudaStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies),
               NO_EDGE_DATA)
UPDATE_CAPTURE(NAMES(cudaStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2),
               EDGE_DATA)
#endif
CALL(NAMES(cudaStreamEndCapture, cuStreamEndCapture), (cuda_handle stream, cuda_handle *graph),
     stream, graph) {
    return cuda_capture_end(p, stream, graph);
}
CALL(NAMES(cudaStreamIsCapturing, cuStreamIsCapturing), (cuda_handle which, int *status), which,
     status) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    cuda_error error = stream ? cuda_stream_check(p, stream) : CUDA_INVALID_HANDLE;
    return error ? error : GIVE(status, cuda_stream_capture_status(stream));
}

static cuda_error capture_info(cuda_process *p, cuda_handle which, int *status,
                               unsigned long long *id, cuda_handle *graph, cuda_node *const **after,
                               size_t *count) {
    const cuda_stream *stream = cuda_stream_find(p, which);
    if (!stream || !status)
        return stream ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    cuda_error error = cuda_stream_check(p, stream);
    if (error)
        return error;
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

#if defined(CUDART) && CUDART == 11
CALL(cudaStreamGetCaptureInfo, (cuda_handle stream, int *status, unsigned long long *id), stream,
     status, id) {
    return capture_info(p, stream, status, id, NULL, NULL, NULL);
}
#endif
#if defined(CUDART) && CUDART >= 13
#define CAPTURE_INFO_WITH_EDGES cudaStreamGetCaptureInfo
#else
#define CAPTURE_INFO_WITH_EDGES NAMES(cudaStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3)
CALL(NAMES(cudaStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2),
     (cuda_handle stream, int *status, unsigned long long *id, cuda_handle *graph,
      cuda_node *const **after, size_t *count),
     stream, status, id, graph, after, count) {
    return capture_info(p, stream, status, id, graph, after, count);
}
#endif
/* Edges between captured nodes have no data. */
CALL(CAPTURE_INFO_WITH_EDGES,
     (cuda_handle stream, int *status, unsigned long long *id, cuda_handle *graph,
      cuda_node *const **after, const cudaGraphEdgeData **edges, size_t *count),
     stream, status, id, graph, after, edges, count) {
    if (edges)
        *edges = NULL;
    return capture_info(p, stream, status, id, graph, after, count);
}

CALL_AT(CALL_NEEDS_NOTHING,
        NAMES(cudaThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode), (int *mode),
        mode) {
    return cuda_capture_exchange_mode(mode);
}
