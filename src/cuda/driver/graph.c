/* Graphs that are captured from streams, and their replay. */
#include "cuda/driver/driver.h"

static bool is_graph(const cuda_process *p, dr_handle graph) {
    return cuda_handle_is(p, graph, CUDA_GRAPH);
}
static bool is_exec(const cuda_process *p, dr_handle exec) {
    return cuda_handle_is(p, exec, CUDA_GRAPH_EXEC);
}

/* ---- captures -------------------------------------------------------------------------------------- */

API cuStreamBeginCapture_v2(dr_handle stream, int mode) {
    RUN(cuda_capture_begin(p, stream, NULL, mode));
}

API cuStreamEndCapture(dr_handle stream, dr_handle *graph) {
    RUN(cuda_capture_end(p, stream, graph));
}

static cuda_error capture_status(cuda_process *p, dr_handle handle, int *status) {
    const cuda_stream *stream = cuda_stream_find(p, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!status)
        return CUDA_INVALID_VALUE;
    *status = cuda_stream_capture_status(stream);
    return CUDA_SUCCESS;
}
API cuStreamIsCapturing(dr_handle stream, int *status) { RUN(capture_status(p, stream, status)); }

/* ---- graphs ------------------------------------------------------------------------------------------- */

API cuGraphCreate(dr_handle *graph, unsigned flags) {
    RUN(!graph || flags ? CUDA_INVALID_VALUE : (*graph = cuda_graph_make(p), CUDA_SUCCESS));
}
API cuGraphDestroy(dr_handle graph) {
    RUN(is_graph(p, graph) ? (cuda_graph_end(p, graph), CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

static cuda_error list_nodes(cuda_process *p, dr_handle handle, dr_handle *room, size_t *count) {
    if (!is_graph(p, handle) || !count)
        return CUDA_INVALID_VALUE;
    const cuda_graph *graph = handle;
    for (size_t i = 0; room && i < *count; i++)
        room[i] = i < graph->nodes.count ? graph->nodes.data[i] : NULL;
    if (!room || *count > graph->nodes.count)
        *count = graph->nodes.count;
    return CUDA_SUCCESS;
}
API cuGraphGetNodes(dr_handle graph, dr_handle *nodes, size_t *count) {
    RUN(list_nodes(p, graph, nodes, count));
}

/* ---- executable graphs ---------------------------------------------------------------------------------- */

static cuda_error instantiate(cuda_process *p, dr_handle *result, dr_handle graph,
                              unsigned long long flags) {
    cuda_graph_exec *exec;
    if (!result || !is_graph(p, graph) || flags > 15)
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_exec_make(p, graph, flags, &exec);
    if (!error)
        *result = exec;
    return error;
}
API cuGraphInstantiateWithFlags(dr_handle *exec, dr_handle graph, unsigned long long flags) {
    RUN(instantiate(p, exec, graph, flags));
}
/* What cuGraphInstantiate() was in CUDA 11. */
API cuGraphInstantiate_v2(dr_handle *exec, dr_handle graph, dr_handle *node, char *log,
                          size_t bytes) {
    if (node)
        *node = NULL;
    if (log && bytes)
        *log = '\0';
    RUN(instantiate(p, exec, graph, 0));
}
API cuGraphExecDestroy(dr_handle exec) {
    RUN(is_exec(p, exec) ? (cuda_graph_exec_end(p, exec), CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

API cuGraphLaunch(dr_handle exec, dr_handle stream) { RUN(cuda_graph_launch(p, exec, stream)); }
API cuGraphUpload(dr_handle exec, dr_handle stream) { RUN(cuda_graph_upload(p, exec, stream)); }
