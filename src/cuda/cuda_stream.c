#include "cuda/cuda_stream.h"

#include <stdlib.h>

enum { NON_BLOCKING = 1 };
enum { MODE_GLOBAL = 0, MODE_THREAD = 1, MODE_RELAXED = 2 };

/* cudaLaunchAttributeID, and what these are before they are set: cudaSyncPolicyAuto, and the domain
 * of memory that is ordered beside the default one. */
enum { SYNC_POLICY = 3, DOMAIN_MAP = 9, AUTOMATIC = 1, REMOTE_DOMAIN = 1 };

static void begin(cuda_stream *stream, uint64_t id) {
    stream->id = id;
    stream->attributes[SYNC_POLICY - 1][0] = AUTOMATIC;
    stream->attributes[DOMAIN_MAP - 1][1] = REMOTE_DOMAIN;
}

cuda_streams *cuda_streams_new(cuda_process *p) {
    cuda_streams *s = hd_new(p->arena, cuda_streams);
    begin(&s->legacy, 1);
    begin(&s->per_thread, 2);
    s->made = 2;
    return s;
}

/* ---- streams ----------------------------------------------------------------------------------- */

cuda_stream *cuda_stream_find(cuda_process *p, void *handle) {
    uintptr_t number = (uintptr_t)handle;
    if (number < 2)
        return &p->streams->legacy;
    if (number == 2)
        return &p->streams->per_thread;
    return cuda_handle_is(p, handle, CUDA_STREAM) ? handle : NULL;
}

cuda_stream *cuda_stream_make(cuda_process *p, unsigned flags, int priority) {
    cuda_stream *stream = cuda_handle_new(p, CUDA_STREAM, sizeof *stream);
    stream->flags = flags;
    stream->priority = priority;
    begin(stream, ++p->streams->made);
    hd_push(p->arena, &p->streams->all, stream);
    return stream;
}

/* The stream captures no more. */
static void leave_capture(cuda_stream *stream) {
    cuda_capture *capture = stream->capture;
    stream->capture = NULL;
    stream->frontier.count = 0;
    if (capture && capture->origin == stream)
        capture->origin = NULL;
}

cuda_error cuda_stream_end(cuda_process *p, cuda_stream *stream) {
    cuda_streams *s = p->streams;
    if (stream == &s->legacy || stream == &s->per_thread)
        return CUDA_INVALID_HANDLE;
    leave_capture(stream);
    for (size_t i = 0; i < s->all.count; i++)
        if (s->all.data[i] == stream) {
            s->all.data[i] = s->all.data[--s->all.count];
            break;
        }
    cuda_handle_free(p, stream);
    return CUDA_SUCCESS;
}

void cuda_streams_reset(cuda_process *p) {
    while (p->streams->all.count)
        cuda_stream_end(p, p->streams->all.data[0]);
    leave_capture(&p->streams->per_thread);
}

/* ---- what goes on while streams capture ------------------------------------------------------------ */

/* The stream I of those that can capture; NULL behind the last. */
static cuda_stream *capturing_at(cuda_process *p, size_t i) {
    cuda_streams *s = p->streams;
    return i == 0 ? &s->per_thread : i <= s->all.count ? s->all.data[i - 1] : NULL;
}

static __thread int mode_of_thread = MODE_GLOBAL;

cuda_error cuda_capture_exchange_mode(int *mode) {
    if (!mode || *mode < MODE_GLOBAL || *mode > MODE_RELAXED)
        return CUDA_INVALID_VALUE;
    int before = mode_of_thread;
    mode_of_thread = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

/* The capture would not see what the calling thread does beside it. */
static bool forbids(const cuda_capture *capture) {
    if (capture->mode == MODE_RELAXED || mode_of_thread == MODE_RELAXED)
        return false;
    return pthread_equal(capture->thread, pthread_self()) ||
           (capture->mode == MODE_GLOBAL && mode_of_thread == MODE_GLOBAL);
}

static cuda_error check_captures(cuda_process *p, bool all) {
    cuda_error error = CUDA_SUCCESS;
    cuda_stream *stream;
    for (size_t i = 0; (stream = capturing_at(p, i)); i++)
        if (stream->capture && (all || forbids(stream->capture))) {
            stream->capture->invalid = true;
            error = CUDA_STREAM_CAPTURE_UNSUPPORTED;
        }
    return error;
}

cuda_error cuda_not_captured(cuda_process *p) { return check_captures(p, false); }
cuda_error cuda_streams_wait(cuda_process *p) { return check_captures(p, true); }

/* A stream that captures, for whose end work in this one would wait: the legacy stream waits for all
 * that do not say that they do not block it. */
static cuda_stream *captured_before(cuda_process *p, const cuda_stream *target) {
    cuda_stream *stream;
    for (size_t i = 0; target == &p->streams->legacy && (stream = capturing_at(p, i)); i++)
        if (stream->capture && !(stream->flags & NON_BLOCKING))
            return stream;
    return NULL;
}

cuda_error cuda_stream_check(cuda_process *p, const cuda_stream *stream) {
    return captured_before(p, stream) ? CUDA_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

/* Work there would be part of the capture, which it ends. */
static cuda_error check_legacy(cuda_process *p, const cuda_stream *target) {
    cuda_stream *stream = captured_before(p, target);
    if (!stream)
        return CUDA_SUCCESS;
    stream->capture->invalid = true;
    return CUDA_STREAM_CAPTURE_IMPLICIT;
}

static cuda_error capture_work(cuda_process *p, cuda_stream *stream, const cuda_work *work) {
    cuda_capture *capture = stream->capture;
    if (capture->invalid)
        return CUDA_STREAM_CAPTURE_INVALIDATED;
    cuda_node *node;
    cuda_error error = cuda_work_check(p, work);
    if (!error)
        error = cuda_graph_add(p, capture->graph, stream->frontier.data, stream->frontier.count,
                               work, &node);
    if (error) {
        capture->invalid = true;
        return error;
    }
    node->capture = capture->id;
    stream->frontier.count = 0;
    hd_push(capture->graph->arena, &stream->frontier, node);
    return CUDA_SUCCESS;
}

cuda_error cuda_submit(cuda_process *p, void *handle, const cuda_work *work) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    if (work->kind == CUDA_WORK_FAILED)
        return work->error;
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (stream->capture)
        return capture_work(p, stream, work);
    cuda_error error = check_legacy(p, stream);
    return error ? error : cuda_work_run(p, work);
}

cuda_error cuda_stream_wait(cuda_process *p, void *handle) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (!stream->capture)
        return check_legacy(p, stream);
    stream->capture->invalid = true;
    return CUDA_STREAM_CAPTURE_UNSUPPORTED;
}

/* ---- events ---------------------------------------------------------------------------------------- */

cuda_event *cuda_event_make(cuda_process *p, unsigned flags) {
    cuda_event *event = cuda_handle_new(p, CUDA_EVENT, sizeof *event);
    event->flags = flags;
    return event;
}

cuda_error cuda_event_record(cuda_process *p, cuda_event *event, void *handle) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    event->capture = stream->capture;
    event->nodes.count = 0;
    if (!stream->capture) {
        event->recorded = true;
        event->time = hd_clock();
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; i < stream->frontier.count; i++)
        hd_push(p->arena, &event->nodes, stream->frontier.data[i]);
    return CUDA_SUCCESS;
}

static void come_after(cuda_stream *stream, cuda_node *node) {
    for (size_t i = 0; i < stream->frontier.count; i++)
        if (stream->frontier.data[i] == node)
            return;
    hd_push(stream->capture->graph->arena, &stream->frontier, node);
}

cuda_error cuda_event_wait(cuda_process *p, cuda_event *event, void *handle) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (!event->capture) {
        if (!stream->capture || !event->recorded)
            return CUDA_SUCCESS;
        stream->capture->invalid = true;
        return CUDA_STREAM_CAPTURE_ISOLATION;
    }
    if (!event->capture->graph)
        return CUDA_CAPTURED_EVENT; /* its capture has ended */
    if (!stream->capture && stream == &p->streams->legacy)
        return CUDA_STREAM_CAPTURE_IMPLICIT;
    if (stream->capture && stream->capture != event->capture) {
        stream->capture->invalid = event->capture->invalid = true;
        return CUDA_STREAM_CAPTURE_MERGE;
    }
    if (!stream->capture) {
        stream->capture = event->capture;
        stream->frontier = (__typeof__(stream->frontier)){0};
    }
    for (size_t i = 0; i < event->nodes.count; i++)
        come_after(stream, event->nodes.data[i]);
    return CUDA_SUCCESS;
}

cuda_error cuda_event_capture(cuda_process *p, cuda_event *event, void *handle,
                              cuda_work_kind kind) {
    const cuda_stream *stream = cuda_stream_find(p, handle);
    const cuda_work work = {.kind = kind, .event = event};
    if (!stream || !stream->capture)
        return stream ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    return cuda_submit(p, handle, &work);
}

cuda_error cuda_event_elapsed(const cuda_event *start, const cuda_event *end, float *milliseconds) {
    if (!milliseconds)
        return CUDA_INVALID_VALUE;
    if (!start->recorded || !end->recorded || (start->flags | end->flags) & CUDA_EVENT_WITHOUT_TIME)
        return CUDA_INVALID_HANDLE;
    *milliseconds = (float)((end->time - start->time) * 1e3);
    return CUDA_SUCCESS;
}

/* ---- captures ---------------------------------------------------------------------------------------- */

static bool are_nodes(const cuda_process *p, const cuda_graph *graph, cuda_node *const *nodes,
                      size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!nodes || !cuda_handle_is(p, nodes[i], CUDA_GRAPH_NODE) || nodes[i]->graph != graph)
            return false;
    return true;
}

cuda_error cuda_capture_begin(cuda_process *p, void *handle, int mode, cuda_graph *into,
                              cuda_node *const *after, size_t count) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (mode < MODE_GLOBAL || mode > MODE_RELAXED || !are_nodes(p, into, after, count))
        return CUDA_INVALID_VALUE;
    if (stream == &p->streams->legacy)
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture)
        return CUDA_ILLEGAL_STATE;
    /* Events know their capture for as long as they live, so it stays. */
    cuda_capture *capture = hd_new(p->arena, cuda_capture);
    *capture = (cuda_capture){.graph = into ? into : cuda_graph_make(p),
                              .is_given = into != NULL,
                              .origin = stream,
                              .id = ++p->streams->captured,
                              .mode = mode,
                              .thread = pthread_self()};
    stream->capture = capture;
    stream->frontier = (__typeof__(stream->frontier)){0};
    for (size_t i = 0; i < count; i++)
        come_after(stream, after[i]);
    return CUDA_SUCCESS;
}

cuda_error cuda_capture_update(cuda_process *p, void *handle, cuda_node *const *after, size_t count,
                               bool instead) {
    cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (!stream->capture || stream->capture->invalid)
        return stream->capture ? CUDA_STREAM_CAPTURE_INVALIDATED : CUDA_ILLEGAL_STATE;
    if (!are_nodes(p, stream->capture->graph, after, count))
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; instead && i < stream->frontier.count; i++)
        stream->frontier.data[i]->capture = 0; /* need not be joined any more */
    if (instead)
        stream->frontier.count = 0;
    for (size_t i = 0; i < count; i++)
        come_after(stream, after[i]);
    return CUDA_SUCCESS;
}

static bool is_in(cuda_node *const *nodes, size_t count, const cuda_node *node) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

/* Every captured node that nothing comes after is what the first stream came to: all others have joined. */
static bool all_joined(const cuda_stream *stream) {
    const cuda_graph *graph = stream->capture->graph;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        bool last = graph->nodes.data[i]->capture == stream->capture->id;
        for (size_t k = 0; k < graph->nodes.count && last; k++)
            last = !is_in(graph->nodes.data[k]->after.data, graph->nodes.data[k]->after.count,
                          graph->nodes.data[i]);
        if (last && !is_in(stream->frontier.data, stream->frontier.count, graph->nodes.data[i]))
            return false;
    }
    return true;
}

cuda_error cuda_capture_end(cuda_process *p, void *handle, void **graph) {
    cuda_stream *stream = cuda_stream_find(p, handle), *other;
    if (!graph)
        return CUDA_INVALID_VALUE;
    *graph = NULL;
    if (!stream)
        return CUDA_INVALID_HANDLE;
    cuda_capture *capture = stream->capture;
    if (!capture)
        return CUDA_ILLEGAL_STATE;
    if (capture->origin != stream)
        return CUDA_STREAM_CAPTURE_UNMATCHED;
    if (capture->mode != MODE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        return CUDA_STREAM_CAPTURE_WRONG_THREAD;
    cuda_error error = capture->invalid      ? CUDA_STREAM_CAPTURE_INVALIDATED
                       : !all_joined(stream) ? CUDA_STREAM_CAPTURE_UNJOINED
                                             : CUDA_SUCCESS;
    for (size_t i = 0; (other = capturing_at(p, i)); i++)
        if (other->capture == capture)
            leave_capture(other);
    if (!error)
        *graph = capture->graph;
    else if (!capture->is_given)
        cuda_graph_end(p, capture->graph);
    capture->graph = NULL;
    return error;
}

int cuda_stream_capture_status(const cuda_stream *stream) {
    return !stream->capture ? 0 : stream->capture->invalid ? 2 : 1;
}

/* ---- replays ------------------------------------------------------------------------------------ */

cuda_error cuda_graph_upload(cuda_process *p, void *exec, void *handle) {
    return !cuda_handle_is(p, exec, CUDA_GRAPH_EXEC) ? CUDA_INVALID_VALUE
           : cuda_stream_find(p, handle)             ? CUDA_SUCCESS
                                                     : CUDA_INVALID_HANDLE;
}

cuda_error cuda_graph_launch(cuda_process *p, void *exec, void *handle) {
    cuda_error error = cuda_graph_upload(p, exec, handle);
    if (error)
        return error;
    cuda_graph_exec *launched = exec;
    if (!cuda_stream_find(p, handle)->capture)
        return cuda_graph_exec_run(p, launched);
    if (cuda_graph_allocates(launched->graph))
        return CUDA_INVALID_VALUE;
    const cuda_work work = {.kind = CUDA_WORK_GRAPH, .graph = launched->graph};
    return cuda_submit(p, handle, &work);
}
