/* Graphs that a program builds by hand, and their replay. */
#include "cuda/runtime/runtime.h"

static bool is_graph(const cuda_process *p, rt_handle graph) {
    return cuda_handle_is(p, graph, CUDA_GRAPH);
}
static bool is_node(const cuda_process *p, rt_handle node) {
    return cuda_handle_is(p, node, CUDA_GRAPH_NODE);
}
static bool is_exec(const cuda_process *p, rt_handle exec) {
    return cuda_handle_is(p, exec, CUDA_GRAPH_EXEC);
}

/* ---- graphs -------------------------------------------------------------------------------------- */

API cudaGraphCreate(rt_handle *graph, unsigned flags) {
    RUN(!graph || flags ? CUDA_INVALID_VALUE : (*graph = cuda_graph_make(p), CUDA_SUCCESS));
}
API cudaGraphDestroy(rt_handle graph) {
    RUN(is_graph(p, graph) ? (cuda_graph_end(p, graph), CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

static cuda_error copy_graph(cuda_process *p, rt_handle *result, rt_handle graph) {
    cuda_graph *copy;
    if (!result || !is_graph(p, graph))
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_copy(p, graph, &copy);
    if (!error)
        *result = copy;
    return error;
}
API cudaGraphClone(rt_handle *result, rt_handle graph) { RUN(copy_graph(p, result, graph)); }

/* ---- what nodes do ---------------------------------------------------------------------------------- */

static cuda_error launch_of(cuda_process *p, const cudaKernelNodeParams *n, cuda_work *work) {
    if (!n)
        return CUDA_INVALID_VALUE;
    if (n->extra) /* a packed buffer */
        return CUDA_NOT_SUPPORTED;
    return rt_launch_of(p, n->func, n->gridDim, n->blockDim, n->kernelParams, n->sharedMemBytes,
                        false, work);
}

static cuda_error fill_of(const cudaMemsetParams *n, cuda_work *work) {
    if (!n)
        return CUDA_INVALID_VALUE;
    *work = (cuda_work){.kind = CUDA_WORK_FILL,
                        .fill = {{n->dst, n->pitch, 0},
                                 {n->width * n->elementSize, n->height, 1},
                                 n->value,
                                 n->elementSize}};
    return CUDA_SUCCESS;
}

static cuda_error host_of(const cudaHostNodeParams *n, cuda_work *work) {
    if (!n || !n->fn)
        return CUDA_INVALID_VALUE;
    *work = (cuda_work){.kind = CUDA_WORK_HOST, .host = {n->fn, n->userData}};
    return CUDA_SUCCESS;
}

static cuda_error symbol_copy(cuda_process *p, const void *symbol, void *host, size_t bytes,
                              size_t offset, int kind, bool to_symbol, cuda_work *work) {
    void *address;
    cuda_error error = rt_symbol(p, symbol, offset, bytes, &address);
    if (!error)
        *work = to_symbol ? cuda_copy_bytes(address, host, bytes, (cuda_direction)kind)
                          : cuda_copy_bytes(host, address, bytes, (cuda_direction)kind);
    return error;
}

static cuda_error event_work(cuda_process *p, rt_handle event, cuda_work_kind kind,
                             cuda_work *work) {
    if (!cuda_handle_is(p, event, CUDA_EVENT))
        return CUDA_INVALID_VALUE;
    *work = (cuda_work){.kind = kind, .event = event};
    return CUDA_SUCCESS;
}

/* ---- adding nodes ------------------------------------------------------------------------------------- */

static cuda_error add(cuda_process *p, rt_handle *result, rt_handle graph, const rt_handle *after,
                      size_t count, cuda_error error, const cuda_work *work) {
    cuda_node *node;
    if (!error && (!result || !is_graph(p, graph) || (count && !after)))
        error = CUDA_INVALID_VALUE;
    if (!error)
        error = cuda_graph_add(p, graph, (cuda_node *const *)after, count, work, &node);
    if (!error)
        *result = node;
    return error;
}

/* What every function of these begins with. */
#define NODE rt_handle *node, rt_handle graph, const rt_handle *after, size_t count
#define ADD(make)                                         \
    cuda_work work;                                       \
    RUN(add(p, node, graph, after, count, (make), &work))

API cudaGraphAddKernelNode(NODE, const cudaKernelNodeParams *params) {
    ADD(launch_of(p, params, &work));
}
API cudaGraphAddMemcpyNode(NODE, const cudaMemcpy3DParms *params) {
    ADD(rt_copy_of(params, &work));
}
API cudaGraphAddMemcpyNode1D(NODE, void *to, const void *from, size_t bytes, int kind) {
    ADD((work = cuda_copy_bytes(to, from, bytes, (cuda_direction)kind), CUDA_SUCCESS));
}
API cudaGraphAddMemcpyNodeToSymbol(NODE, const void *symbol, const void *from, size_t bytes,
                                   size_t offset, int kind) {
    ADD(symbol_copy(p, symbol, (void *)(uintptr_t)from, bytes, offset, kind, true, &work));
}
API cudaGraphAddMemcpyNodeFromSymbol(NODE, void *to, const void *symbol, size_t bytes,
                                     size_t offset, int kind) {
    ADD(symbol_copy(p, symbol, to, bytes, offset, kind, false, &work));
}
API cudaGraphAddMemsetNode(NODE, const cudaMemsetParams *params) { ADD(fill_of(params, &work)); }
API cudaGraphAddHostNode(NODE, const cudaHostNodeParams *params) { ADD(host_of(params, &work)); }
API cudaGraphAddEmptyNode(NODE) {
    ADD((work = (cuda_work){.kind = CUDA_WORK_EMPTY}, CUDA_SUCCESS));
}
API cudaGraphAddChildGraphNode(NODE, rt_handle child) {
    ADD((work = (cuda_work){.kind = CUDA_WORK_GRAPH, .graph = child},
         is_graph(p, child) ? CUDA_SUCCESS : CUDA_INVALID_VALUE));
}
API cudaGraphAddEventRecordNode(NODE, rt_handle event) {
    ADD(event_work(p, event, CUDA_WORK_RECORD, &work));
}
API cudaGraphAddEventWaitNode(NODE, rt_handle event) {
    ADD(event_work(p, event, CUDA_WORK_WAIT, &work));
}

/* The work holds a use of the memory until it is dropped. */
static cuda_error add_memory(cuda_process *p, rt_handle *node, rt_handle graph,
                             const rt_handle *after, size_t count, cuda_error error,
                             cuda_work *work) {
    if (error)
        return error;
    error = add(p, node, graph, after, count, CUDA_SUCCESS, work);
    cuda_work_drop(work);
    return error;
}

static cuda_error add_allocation(cuda_process *p, rt_handle *node, rt_handle graph,
                                 const rt_handle *after, size_t count,
                                 cudaMemAllocNodeParams *params) {
    cuda_work work;
    cuda_error error =
        params ? cuda_graph_memory_make(p, params->bytesize, &work) : CUDA_INVALID_VALUE;
    if (!error)
        params->dptr = work.memory->address;
    return add_memory(p, node, graph, after, count, error, &work);
}
API cudaGraphAddMemAllocNode(NODE, cudaMemAllocNodeParams *params) {
    RUN(add_allocation(p, node, graph, after, count, params));
}
API cudaGraphAddMemFreeNode(NODE, void *address) {
    cuda_work work;
    RUN(add_memory(p, node, graph, after, count,
                   is_graph(p, graph) ? cuda_graph_memory_end(graph, address, &work)
                                      : CUDA_INVALID_VALUE,
                   &work));
}
API cudaGraphDestroyNode(rt_handle node) {
    RUN(is_node(p, node) ? (cuda_node_end(p, node), CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

/* ---- what nodes are --------------------------------------------------------------------------------------- */

/* The work of a node of this kind; NULL: it is none. */
static const cuda_work *work_of(const cuda_process *p, rt_handle node, cuda_work_kind kind) {
    const cuda_node *n = node;
    return is_node(p, node) && n->work.kind == kind ? &n->work : NULL;
}

API cudaGraphNodeGetType(rt_handle node, int *type) {
    RUN(!is_node(p, node) || !type ? CUDA_INVALID_VALUE
                                   : (*type = (int)((cuda_node *)node)->work.kind, CUDA_SUCCESS));
}

static cuda_error launch_params(const cuda_work *work, cudaKernelNodeParams *params) {
    if (!work || !params)
        return CUDA_INVALID_VALUE;
    const cuda_launch *l = &work->launch;
    *params =
        (cudaKernelNodeParams){.func = (void *)(uintptr_t)l->host,
                               .gridDim = {l->size.grid[0], l->size.grid[1], l->size.grid[2]},
                               .blockDim = {l->size.block[0], l->size.block[1], l->size.block[2]},
                               .sharedMemBytes = (unsigned)l->size.shared,
                               .kernelParams = l->args};
    return CUDA_SUCCESS;
}
API cudaGraphKernelNodeGetParams(rt_handle node, cudaKernelNodeParams *params) {
    RUN(launch_params(work_of(p, node, CUDA_WORK_LAUNCH), params));
}

static cuda_error fill_params(const cuda_work *work, cudaMemsetParams *params) {
    if (!work || !params)
        return CUDA_INVALID_VALUE;
    const cuda_fill *f = &work->fill;
    *params = (cudaMemsetParams){
        f->to.at, f->to.row, f->value, f->element, f->box.width / f->element, f->box.height};
    return CUDA_SUCCESS;
}
API cudaGraphMemsetNodeGetParams(rt_handle node, cudaMemsetParams *params) {
    RUN(fill_params(work_of(p, node, CUDA_WORK_FILL), params));
}

static cuda_error host_params(const cuda_work *work, cudaHostNodeParams *params) {
    if (!work || !params)
        return CUDA_INVALID_VALUE;
    *params = (cudaHostNodeParams){work->host.function, work->host.user};
    return CUDA_SUCCESS;
}
API cudaGraphHostNodeGetParams(rt_handle node, cudaHostNodeParams *params) {
    RUN(host_params(work_of(p, node, CUDA_WORK_HOST), params));
}

static cuda_error allocation_params(const cuda_work *work, cudaMemAllocNodeParams *params) {
    if (!work || !params)
        return CUDA_INVALID_VALUE;
    *params =
        (cudaMemAllocNodeParams){.bytesize = work->memory->bytes, .dptr = work->memory->address};
    return CUDA_SUCCESS;
}
API cudaGraphMemAllocNodeGetParams(rt_handle node, cudaMemAllocNodeParams *params) {
    RUN(allocation_params(work_of(p, node, CUDA_WORK_ALLOC), params));
}
API cudaGraphMemFreeNodeGetParams(rt_handle node, void **address) {
    RUN(!work_of(p, node, CUDA_WORK_FREE) || !address
            ? CUDA_INVALID_VALUE
            : (*address = ((cuda_node *)node)->work.memory->address, CUDA_SUCCESS));
}

API cudaGraphChildGraphNodeGetGraph(rt_handle node, rt_handle *graph) {
    RUN(!work_of(p, node, CUDA_WORK_GRAPH) || !graph
            ? CUDA_INVALID_VALUE
            : (*graph = ((cuda_node *)node)->work.graph, CUDA_SUCCESS));
}

static cuda_error set(cuda_process *p, rt_handle node, cuda_error error, const cuda_work *work) {
    if (!is_node(p, node))
        return CUDA_INVALID_VALUE;
    return error ? error : cuda_node_set(p, node, work);
}
#define SET(make)                    \
    cuda_work work;                  \
    RUN(set(p, node, (make), &work))

API cudaGraphKernelNodeSetParams(rt_handle node, const cudaKernelNodeParams *params) {
    SET(launch_of(p, params, &work));
}
API cudaGraphMemcpyNodeSetParams(rt_handle node, const cudaMemcpy3DParms *params) {
    SET(rt_copy_of(params, &work));
}
API cudaGraphMemcpyNodeSetParams1D(rt_handle node, void *to, const void *from, size_t bytes,
                                   int kind) {
    SET((work = cuda_copy_bytes(to, from, bytes, (cuda_direction)kind), CUDA_SUCCESS));
}
API cudaGraphMemsetNodeSetParams(rt_handle node, const cudaMemsetParams *params) {
    SET(fill_of(params, &work));
}
API cudaGraphHostNodeSetParams(rt_handle node, const cudaHostNodeParams *params) {
    SET(host_of(params, &work));
}

/* ---- edges ----------------------------------------------------------------------------------------------- */

/* Lists: with room, at most *count, and then how many there are. */
typedef struct list {
    rt_handle *room;
    size_t most, count;
} list;

static void list_add(list *l, rt_handle handle) {
    if (l->room && l->count < l->most)
        l->room[l->count] = handle;
    l->count++;
}

static cuda_error list_end(const list *l, size_t *count) {
    for (size_t i = l->count; l->room && i < l->most; i++)
        l->room[i] = NULL;
    *count = l->room && l->count > l->most ? l->most : l->count;
    return CUDA_SUCCESS;
}

static cuda_error list_nodes(cuda_process *p, rt_handle handle, rt_handle *room, size_t *count,
                             bool roots) {
    if (!is_graph(p, handle) || !count)
        return CUDA_INVALID_VALUE;
    const cuda_graph *graph = handle;
    list l = {room, *count, 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (!roots || !graph->nodes.data[i]->after.count)
            list_add(&l, graph->nodes.data[i]);
    return list_end(&l, count);
}

API cudaGraphGetNodes(rt_handle graph, rt_handle *nodes, size_t *count) {
    RUN(list_nodes(p, graph, nodes, count, false));
}
API cudaGraphGetRootNodes(rt_handle graph, rt_handle *nodes, size_t *count) {
    RUN(list_nodes(p, graph, nodes, count, true));
}

static cuda_error list_edges(cuda_process *p, rt_handle handle, rt_handle *from, rt_handle *to,
                             cudaGraphEdgeData *data, size_t *count) {
    if (!is_graph(p, handle) || !count || !from != !to)
        return CUDA_INVALID_VALUE;
    const cuda_graph *graph = handle;
    list begins = {from, *count, 0}, ends = {to, *count, 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t k = 0; k < graph->nodes.data[i]->after.count; k++) {
            if (data && begins.count < begins.most)
                data[begins.count] = (cudaGraphEdgeData){0};
            list_add(&begins, graph->nodes.data[i]->after.data[k]);
            list_add(&ends, graph->nodes.data[i]);
        }
    list_end(&ends, &(size_t){0});
    return list_end(&begins, count);
}

static cuda_error list_before(cuda_process *p, rt_handle handle, rt_handle *room, size_t *count) {
    if (!is_node(p, handle) || !count)
        return CUDA_INVALID_VALUE;
    const cuda_node *node = handle;
    list l = {room, *count, 0};
    for (size_t i = 0; i < node->after.count; i++)
        list_add(&l, node->after.data[i]);
    return list_end(&l, count);
}

static cuda_error list_behind(cuda_process *p, rt_handle handle, rt_handle *room, size_t *count) {
    if (!is_node(p, handle) || !count)
        return CUDA_INVALID_VALUE;
    const cuda_graph *graph = ((cuda_node *)handle)->graph;
    list l = {room, *count, 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t k = 0; k < graph->nodes.data[i]->after.count; k++)
            if (graph->nodes.data[i]->after.data[k] == handle)
                list_add(&l, graph->nodes.data[i]);
    return list_end(&l, count);
}

static cuda_error change_edges(cuda_process *p, rt_handle graph, const rt_handle *from,
                               const rt_handle *to, size_t count, bool adds) {
    cuda_error error =
        is_graph(p, graph) && (!count || (from && to)) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        error = adds ? cuda_graph_add_edge(p, from[i], to[i])
                     : cuda_graph_remove_edge(p, from[i], to[i]);
    return error;
}

#if CUDART >= 13
API cudaGraphGetEdges(rt_handle graph, rt_handle *from, rt_handle *to, cudaGraphEdgeData *data,
                      size_t *count) {
    RUN(list_edges(p, graph, from, to, data, count));
}
API cudaGraphNodeGetDependencies(rt_handle node, rt_handle *nodes, cudaGraphEdgeData *data,
                                 size_t *count) {
    (void)data;
    RUN(list_before(p, node, nodes, count));
}
API cudaGraphNodeGetDependentNodes(rt_handle node, rt_handle *nodes, cudaGraphEdgeData *data,
                                   size_t *count) {
    (void)data;
    RUN(list_behind(p, node, nodes, count));
}
API cudaGraphAddDependencies(rt_handle graph, const rt_handle *from, const rt_handle *to,
                             const cudaGraphEdgeData *data, size_t count) {
    (void)data;
    RUN(change_edges(p, graph, from, to, count, true));
}
API cudaGraphRemoveDependencies(rt_handle graph, const rt_handle *from, const rt_handle *to,
                                const cudaGraphEdgeData *data, size_t count) {
    (void)data;
    RUN(change_edges(p, graph, from, to, count, false));
}
#else
API cudaGraphGetEdges(rt_handle graph, rt_handle *from, rt_handle *to, size_t *count) {
    RUN(list_edges(p, graph, from, to, NULL, count));
}
API cudaGraphNodeGetDependencies(rt_handle node, rt_handle *nodes, size_t *count) {
    RUN(list_before(p, node, nodes, count));
}
API cudaGraphNodeGetDependentNodes(rt_handle node, rt_handle *nodes, size_t *count) {
    RUN(list_behind(p, node, nodes, count));
}
API cudaGraphAddDependencies(rt_handle graph, const rt_handle *from, const rt_handle *to,
                             size_t count) {
    RUN(change_edges(p, graph, from, to, count, true));
}
API cudaGraphRemoveDependencies(rt_handle graph, const rt_handle *from, const rt_handle *to,
                                size_t count) {
    RUN(change_edges(p, graph, from, to, count, false));
}
#endif

/* ---- executable graphs ------------------------------------------------------------------------------------- */

static cuda_error instantiate(cuda_process *p, rt_handle *result, rt_handle graph,
                              unsigned long long flags) {
    cuda_graph_exec *exec;
    if (!result || !is_graph(p, graph) || flags > 15)
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_exec_make(p, graph, flags, &exec);
    if (!error)
        *result = exec;
    return error;
}

API cudaGraphInstantiate(rt_handle *exec, rt_handle graph, unsigned long long flags) {
    RUN(instantiate(p, exec, graph, flags));
}
API cudaGraphInstantiateWithFlags(rt_handle *exec, rt_handle graph, unsigned long long flags) {
    RUN(instantiate(p, exec, graph, flags));
}

static cuda_error instantiate_with(cuda_process *p, rt_handle *exec, rt_handle graph,
                                   cudaGraphInstantiateParams *params) {
    if (!params)
        return CUDA_INVALID_VALUE;
    cuda_error error = instantiate(p, exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error ? 1 : 0;
    return error;
}
API cudaGraphInstantiateWithParams(rt_handle *exec, rt_handle graph,
                                   cudaGraphInstantiateParams *params) {
    RUN(instantiate_with(p, exec, graph, params));
}

API cudaGraphExecDestroy(rt_handle exec) {
    RUN(is_exec(p, exec) ? (cuda_graph_exec_end(p, exec), CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}
API cudaGraphExecGetFlags(rt_handle exec, unsigned long long *flags) {
    RUN(is_exec(p, exec) && flags ? (*flags = ((cuda_graph_exec *)exec)->flags, CUDA_SUCCESS)
                                  : CUDA_INVALID_VALUE);
}

API cudaGraphLaunch(rt_handle exec, rt_handle stream) { RUN(cuda_graph_launch(p, exec, stream)); }
API cudaGraphUpload(rt_handle exec, rt_handle stream) { RUN(cuda_graph_upload(p, exec, stream)); }

static cuda_error set_step(cuda_process *p, rt_handle exec, rt_handle node, cuda_error error,
                           const cuda_work *work) {
    if (!is_exec(p, exec))
        return CUDA_INVALID_VALUE;
    return error ? error : cuda_graph_exec_set(p, exec, node, work);
}
#define SET_STEP(make)                          \
    cuda_work work;                             \
    RUN(set_step(p, exec, node, (make), &work))

API cudaGraphExecKernelNodeSetParams(rt_handle exec, rt_handle node,
                                     const cudaKernelNodeParams *params) {
    SET_STEP(launch_of(p, params, &work));
}
API cudaGraphExecMemcpyNodeSetParams(rt_handle exec, rt_handle node,
                                     const cudaMemcpy3DParms *params) {
    SET_STEP(rt_copy_of(params, &work));
}
API cudaGraphExecMemcpyNodeSetParams1D(rt_handle exec, rt_handle node, void *to, const void *from,
                                       size_t bytes, int kind) {
    SET_STEP((work = cuda_copy_bytes(to, from, bytes, (cuda_direction)kind), CUDA_SUCCESS));
}
API cudaGraphExecMemsetNodeSetParams(rt_handle exec, rt_handle node,
                                     const cudaMemsetParams *params) {
    SET_STEP(fill_of(params, &work));
}
API cudaGraphExecHostNodeSetParams(rt_handle exec, rt_handle node,
                                   const cudaHostNodeParams *params) {
    SET_STEP(host_of(params, &work));
}

static cuda_step *step_of(cuda_process *p, rt_handle exec, rt_handle node) {
    return is_exec(p, exec) ? cuda_graph_exec_step(exec, node) : NULL;
}
API cudaGraphNodeSetEnabled(rt_handle exec, rt_handle node, unsigned enabled) {
    RUN(step_of(p, exec, node) ? (step_of(p, exec, node)->disabled = !enabled, CUDA_SUCCESS)
                               : CUDA_INVALID_VALUE);
}
API cudaGraphNodeGetEnabled(rt_handle exec, rt_handle node, unsigned *enabled) {
    RUN(enabled && step_of(p, exec, node)
            ? (*enabled = !step_of(p, exec, node)->disabled, CUDA_SUCCESS)
            : CUDA_INVALID_VALUE);
}

/* cudaGraphExecUpdateResult */
enum { UPDATED = 0, OTHER_SHAPE = 2, OTHER_KIND = 3 };

static cuda_error update(cuda_process *p, rt_handle exec, rt_handle graph,
                         cudaGraphExecUpdateResultInfo *info) {
    const cuda_node *differs = NULL;
    if (!is_exec(p, exec) || !is_graph(p, graph))
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_exec_update(p, exec, graph, &differs);
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){!error    ? UPDATED
                                                : differs ? OTHER_KIND
                                                          : OTHER_SHAPE,
                                                (void *)(uintptr_t)differs, NULL};
    return error;
}
API cudaGraphExecUpdate(rt_handle exec, rt_handle graph, cudaGraphExecUpdateResultInfo *info) {
    RUN(update(p, exec, graph, info));
}
