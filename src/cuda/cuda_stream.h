/*
 * Streams and events. Work is done where it is handed in, unless its stream is capturing: then it
 * becomes a node of the graph that is captured.
 */
#ifndef CUDA_STREAM_H
#define CUDA_STREAM_H

#include "cuda/cuda_graph.h"

typedef struct cuda_capture {
    cuda_graph *graph;
    bool is_given; /* the graph is the program's */
    struct cuda_stream *origin;
    uint64_t id;
    int mode;
    pthread_t thread; /* that began it */
    bool invalid;     /* something was asked for that cannot be captured */
} cuda_capture;

enum { CUDA_STREAM_LEAST_PRIORITY = 0, CUDA_STREAM_GREATEST_PRIORITY = -5 };

typedef struct cuda_stream {
    unsigned flags; /* 1: does not wait for the legacy stream */
    int priority;
    uint64_t id;
    void *context;                /* of the driver, that it was made in; NULL: the runtime's */
    cuda_capture *capture;        /* NULL: none */
    hd_vec(cuda_node *) frontier; /* what the next node comes after */
    char attributes[CUDA_ATTRIBUTES][CUDA_ATTRIBUTE_BYTES]; /* as they were set */
} cuda_stream;

enum { CUDA_EVENT_BLOCKING = 1, CUDA_EVENT_WITHOUT_TIME = 2, CUDA_EVENT_INTERPROCESS = 4 };

typedef struct cuda_event {
    unsigned flags;
    bool recorded;
    double time;           /* seconds of hd_clock() */
    cuda_capture *capture; /* it was last recorded in, or NULL */
    hd_vec(cuda_node *) nodes;
} cuda_event;

typedef struct cuda_streams {
    cuda_stream legacy, per_thread;
    hd_vec(cuda_stream *) all; /* that are made */
    hd_vec(cuda_capture *) captures;
    uint64_t made, captured, graphs;
} cuda_streams;

cuda_streams *cuda_streams_new(cuda_process *p);
void cuda_streams_reset(cuda_process *p);

/* What a handle names: NULL and 1 the legacy stream, 2 the thread's; NULL where it names none. */
cuda_stream *cuda_stream_find(cuda_process *p, void *handle);
cuda_stream *cuda_stream_make(cuda_process *p, unsigned flags, int priority);
cuda_error cuda_stream_end(cuda_process *p, cuda_stream *stream);

/* Runs it, or captures it. */
cuda_error cuda_submit(cuda_process *p, void *stream, const cuda_work *work);
/* What waits for work is done at once, but not for what is captured. */
cuda_error cuda_stream_wait(cuda_process *p, void *stream);
/* The same for all streams. */
cuda_error cuda_streams_wait(cuda_process *p);
/* Whether the calling thread may do what no capture sees, such as an allocation. */
cuda_error cuda_not_captured(cuda_process *p);
/* Whether a stream can be asked: the legacy stream cannot while one that it waits for captures. */
cuda_error cuda_stream_check(cuda_process *p, const cuda_stream *stream);
/* How far captures stand in the calling thread's way: cudaStreamCaptureMode, exchanged for *mode. */
cuda_error cuda_capture_exchange_mode(int *mode);

cuda_event *cuda_event_make(cuda_process *p, unsigned flags);
cuda_error cuda_event_record(cuda_process *p, cuda_event *event, void *stream);
cuda_error cuda_event_wait(cuda_process *p, cuda_event *event, void *stream);
/* A node that does so when the graph runs, in a stream that captures. */
cuda_error cuda_event_capture(cuda_process *p, cuda_event *event, void *stream,
                              cuda_work_kind kind);
cuda_error cuda_event_elapsed(const cuda_event *start, const cuda_event *end, float *milliseconds);

/* Into a graph, with the first node after these; NULL: a new one. */
cuda_error cuda_capture_begin(cuda_process *p, void *stream, int mode, cuda_graph *into,
                              cuda_node *const *after, size_t count);
/* What the next node comes after: these, too, or instead. */
cuda_error cuda_capture_update(cuda_process *p, void *stream, cuda_node *const *after, size_t count,
                               bool instead);
cuda_error cuda_capture_end(cuda_process *p, void *stream, void **graph);
/* Runs a graph that was instantiated, or looks whether it could be run. */
cuda_error cuda_graph_launch(cuda_process *p, void *exec, void *stream);
cuda_error cuda_graph_upload(cuda_process *p, void *exec, void *stream);
/* cudaStreamCaptureStatus: 0 not capturing, 1 capturing, 2 invalidated. */
int cuda_stream_capture_status(const cuda_stream *stream);

#endif
