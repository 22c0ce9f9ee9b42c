/* Graphs that a program builds by hand or captures, and their replay. */
#include "cuda/interfaces/call.h"

static bool is_graph(const cuda_process *p, cuda_handle graph) {
    return cuda_handle_is(p, graph, CUDA_GRAPH);
}
static bool is_node(const cuda_process *p, cuda_handle node) {
    return cuda_handle_is(p, node, CUDA_GRAPH_NODE);
}
static bool is_exec(const cuda_process *p, cuda_handle exec) {
    return cuda_handle_is(p, exec, CUDA_GRAPH_EXEC);
}

/* Allocations are of the one graph that they were added to: it is not copied, nor taken apart. */
static bool allocates(const cuda_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cuda_work_kind kind = graph->nodes.data[i]->work.kind;
        if (kind == CUDA_WORK_ALLOC || kind == CUDA_WORK_FREE)
            return true;
    }
    return false;
}

/* ---- graphs ------------------------------------------------------------------------------------ */

CALL(NAMES(cudaGraphCreate, cuGraphCreate), (cuda_handle * graph, unsigned flags), graph, flags) {
    return GIVE(flags ? NULL : graph, cuda_graph_make(p));
}
CALL(NAMES(cudaGraphDestroy, cuGraphDestroy), (cuda_handle graph), graph) {
    if (!is_graph(p, graph))
        return CUDA_INVALID_VALUE;
    cuda_graph_end(p, graph);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphClone, cuGraphClone), (cuda_handle * result, cuda_handle graph), result,
     graph) {
    cuda_graph *copy;
    if (!result || !is_graph(p, graph) || allocates(graph))
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_copy(p, graph, &copy);
    if (!error)
        *result = copy;
    return error;
}

/* ---- what nodes do ----------------------------------------------------------------------------- */

static cuda_work host_work(const cudaHostNodeParams *n) {
    if (!n || !n->fn)
        return cuda_work_failed(CUDA_INVALID_VALUE);
    return (cuda_work){.kind = CUDA_WORK_HOST, .host = {n->fn, n->userData}};
}

static cuda_work event_work(cuda_process *p, cuda_handle event, cuda_work_kind kind) {
    if (!cuda_handle_is(p, event, CUDA_EVENT))
        return cuda_work_failed(CUDA_INVALID_VALUE);
    return (cuda_work){.kind = kind, .event = event};
}

#ifdef CUDART
static cuda_work launch_work(cuda_process *p, const cudaKernelNodeParams *n) {
    if (!n || n->extra) /* a packed buffer */
        return cuda_work_failed(n ? CUDA_NOT_SUPPORTED : CUDA_INVALID_VALUE);
    const hd_ptx_launch_size size = {{n->gridDim.x, n->gridDim.y, n->gridDim.z},
                                     {n->blockDim.x, n->blockDim.y, n->blockDim.z},
                                     n->sharedMemBytes};
    return call_launch(p, n->func, &size, n->kernelParams);
}

static cuda_work fill_work(const cudaMemsetParams *n) {
    if (!n)
        return cuda_work_failed(CUDA_INVALID_VALUE);
    return (cuda_work){.kind = CUDA_WORK_FILL,
                       .fill = {{n->dst, n->pitch, 0},
                                {n->width * n->elementSize, n->height, 1},
                                n->value,
                                n->elementSize}};
}
#endif

/* ---- adding nodes ------------------------------------------------------------------------------ */

/* What every function of these begins with. */
#define NODE cuda_handle *node, cuda_handle graph, const cuda_handle *after, size_t count
#define PLACE node, graph, after, count

static cuda_error add(cuda_process *p, NODE, const cuda_work work) {
    cuda_node *made;
    if (work.kind == CUDA_WORK_FAILED)
        return work.error;
    if (!node || !is_graph(p, graph) || (count && !after))
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_add(p, graph, (cuda_node *const *)after, count, &work, &made);
    if (!error)
        *node = made;
    return error;
}

static cuda_error set(cuda_process *p, cuda_handle node, const cuda_work work) {
    if (!is_node(p, node))
        return CUDA_INVALID_VALUE;
    return work.kind == CUDA_WORK_FAILED ? work.error : cuda_node_set(p, node, &work);
}

static cuda_error set_step(cuda_process *p, cuda_handle exec, cuda_handle node,
                           const cuda_work work) {
    if (!is_exec(p, exec))
        return CUDA_INVALID_VALUE;
    return work.kind == CUDA_WORK_FAILED ? work.error : cuda_graph_exec_set(p, exec, node, &work);
}

/* The calls of a kind of nodes whose work, the expression behind the parameters, can be changed: to
 * add one, to change it, and to change it in an executable graph. */
#define NODE_CALLS(name_to_add, name_to_set, name_to_set_in_exec, parameters, arguments, ...)   \
    CALL(name_to_add, (NODE, CALL_BARE parameters), PLACE, CALL_BARE arguments) {               \
        return add(p, PLACE, __VA_ARGS__);                                                      \
    }                                                                                           \
    CALL(name_to_set, (cuda_handle node, CALL_BARE parameters), node, CALL_BARE arguments) {    \
        return set(p, node, __VA_ARGS__);                                                       \
    }                                                                                           \
    CALL(name_to_set_in_exec, (cuda_handle exec, cuda_handle node, CALL_BARE parameters), exec, \
         node, CALL_BARE arguments) {                                                           \
        return set_step(p, exec, node, __VA_ARGS__);                                            \
    }

NODE_CALLS(NAMES(cudaGraphAddHostNode, cuGraphAddHostNode),
           NAMES(cudaGraphHostNodeSetParams, cuGraphHostNodeSetParams),
           NAMES(cudaGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams),
           (const cudaHostNodeParams *params), (params), host_work(params))
#ifdef CUDART
NODE_CALLS(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
           (const cudaKernelNodeParams *params), (params), launch_work(p, params))
NODE_CALLS(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
           (const cudaMemcpy3DParms *params), (params), call_box(p, params))
NODE_CALLS(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D,
           cudaGraphExecMemcpyNodeSetParams1D, (void *to, const void *from, size_t bytes, int kind),
           (to, from, bytes, kind), cuda_copy_bytes(to, from, bytes, (cuda_direction)kind))
NODE_CALLS(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
           (const cudaMemsetParams *params), (params), fill_work(params))
#endif

CALL(NAMES(cudaGraphAddEmptyNode, cuGraphAddEmptyNode), (NODE), PLACE) {
    return add(p, PLACE, (cuda_work){.kind = CUDA_WORK_EMPTY});
}
CALL(NAMES(cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode), (NODE, cuda_handle child), PLACE,
     child) {
    return !is_graph(p, child) || allocates(child)
               ? CUDA_INVALID_VALUE
               : add(p, PLACE, (cuda_work){.kind = CUDA_WORK_GRAPH, .graph = child});
}
CALL(NAMES(cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode), (NODE, cuda_handle event),
     PLACE, event) {
    return add(p, PLACE, event_work(p, event, CUDA_WORK_RECORD));
}
CALL(NAMES(cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode), (NODE, cuda_handle event), PLACE,
     event) {
    return add(p, PLACE, event_work(p, event, CUDA_WORK_WAIT));
}

#ifdef CUDART
CALL(cudaGraphAddMemcpyNodeToSymbol,
     (NODE, const void *symbol, const void *from, size_t bytes, size_t offset, int kind), PLACE,
     symbol, from, bytes, offset, kind) {
    return add(p, PLACE, call_symbol_copy(p, symbol, from, bytes, offset, kind, true));
}
CALL(cudaGraphAddMemcpyNodeFromSymbol,
     (NODE, void *to, const void *symbol, size_t bytes, size_t offset, int kind), PLACE, to, symbol,
     bytes, offset, kind) {
    return add(p, PLACE, call_symbol_copy(p, symbol, to, bytes, offset, kind, false));
}
#endif

/* The work holds a use of the memory until it is dropped. */
CALL(NAMES(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode),
     (NODE, cudaMemAllocNodeParams *params), PLACE, params) {
    cuda_work work;
    cuda_error error =
        params ? cuda_graph_memory_make(p, params->bytesize, &work) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    params->dptr = work.memory->address;
    memcpy(work.memory->properties, params->poolProps, sizeof params->poolProps);
    error = add(p, PLACE, work);
    cuda_work_drop(&work);
    return error;
}
CALL(NAMES(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode), (NODE, void *address), PLACE, address) {
    cuda_work work;
    cuda_error error =
        is_graph(p, graph) ? cuda_graph_memory_end(graph, address, &work) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    error = add(p, PLACE, work);
    cuda_work_drop(&work);
    return error;
}
CALL(NAMES(cudaGraphDestroyNode, cuGraphDestroyNode), (cuda_handle node), node) {
    if (!is_node(p, node) || allocates(((cuda_node *)node)->graph))
        return CUDA_INVALID_VALUE;
    cuda_node_end(p, node);
    return CUDA_SUCCESS;
}

/* ---- what nodes are ---------------------------------------------------------------------------- */

/* The work of a node of this kind; NULL: it is none. */
static const cuda_work *work_of(const cuda_process *p, cuda_handle node, cuda_work_kind kind) {
    const cuda_node *n = node;
    return is_node(p, node) && n->work.kind == kind ? &n->work : NULL;
}

CALL(NAMES(cudaGraphNodeGetType, cuGraphNodeGetType), (cuda_handle node, int *type), node, type) {
    return GIVE(is_node(p, node) ? type : NULL, (int)((cuda_node *)node)->work.kind);
}
CALL(NAMES(cudaGraphHostNodeGetParams, cuGraphHostNodeGetParams),
     (cuda_handle node, cudaHostNodeParams *params), node, params) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_HOST);
    return GIVE(work ? params : NULL, ((cudaHostNodeParams){work->host.function, work->host.user}));
}
CALL(NAMES(cudaGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams),
     (cuda_handle node, cudaMemAllocNodeParams *params), node, params) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_ALLOC);
    if (!work || !params)
        return CUDA_INVALID_VALUE;
    *params =
        (cudaMemAllocNodeParams){.bytesize = work->memory->bytes, .dptr = work->memory->address};
    memcpy(params->poolProps, work->memory->properties, sizeof params->poolProps);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams),
     (cuda_handle node, void **address), node, address) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_FREE);
    return GIVE(work ? address : NULL, work->memory->address);
}
CALL(NAMES(cudaGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph),
     (cuda_handle node, cuda_handle *graph), node, graph) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_GRAPH);
    return GIVE(work ? graph : NULL, work->graph);
}

#ifdef CUDART
CALL(cudaGraphKernelNodeGetParams, (cuda_handle node, cudaKernelNodeParams *params), node, params) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_LAUNCH);
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
CALL(cudaGraphMemsetNodeGetParams, (cuda_handle node, cudaMemsetParams *params), node, params) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_FILL);
    if (!work || !params)
        return CUDA_INVALID_VALUE;
    const cuda_fill *f = &work->fill;
    *params = (cudaMemsetParams){
        f->to.at, f->to.row, f->value, f->element, f->box.width / f->element, f->box.height};
    return CUDA_SUCCESS;
}
#endif

/* ---- edges ------------------------------------------------------------------------------------- */

/* Lists: with room, at most *count, and then how many there are. */
typedef struct list {
    cuda_handle *room;
    size_t most, count;
} list;

static void list_add(list *l, cuda_handle handle) {
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

static cuda_error list_nodes(cuda_process *p, cuda_handle handle, cuda_handle *room, size_t *count,
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

CALL(NAMES(cudaGraphGetNodes, cuGraphGetNodes),
     (cuda_handle graph, cuda_handle *nodes, size_t *count), graph, nodes, count) {
    return list_nodes(p, graph, nodes, count, false);
}
CALL(NAMES(cudaGraphGetRootNodes, cuGraphGetRootNodes),
     (cuda_handle graph, cuda_handle *nodes, size_t *count), graph, nodes, count) {
    return list_nodes(p, graph, nodes, count, true);
}

/* Edges have data since CUDA 13, all zeros here. */
#if defined(CUDART) && CUDART >= 13
#define EDGE_DATA(...) __VA_ARGS__
#else
#define EDGE_DATA(...)
#endif

CALL(NAMES(cudaGraphGetEdges, cuGraphGetEdges),
     (cuda_handle which, cuda_handle *from, cuda_handle *to,
      EDGE_DATA(cudaGraphEdgeData *data, ) size_t *count),
     which, from, to, EDGE_DATA(data, ) count) {
    if (!is_graph(p, which) || !count || !from != !to EDGE_DATA(|| (data && !from)))
        return CUDA_INVALID_VALUE;
    const cuda_graph *graph = which;
    list begins = {from, *count, 0}, ends = {to, *count, 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t k = 0; k < graph->nodes.data[i]->after.count; k++) {
            list_add(&begins, graph->nodes.data[i]->after.data[k]);
            list_add(&ends, graph->nodes.data[i]);
        }
    list_end(&ends, &(size_t){0});
    list_end(&begins, count);
    EDGE_DATA(if (data) memset(data, 0, *count * sizeof *data);)
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphNodeGetDependencies, cuGraphNodeGetDependencies),
     (cuda_handle which, cuda_handle *room, EDGE_DATA(cudaGraphEdgeData *data, ) size_t *count),
     which, room, EDGE_DATA(data, ) count) {
    if (!is_node(p, which) || !count EDGE_DATA(|| (data && !room)))
        return CUDA_INVALID_VALUE;
    const cuda_node *node = which;
    list l = {room, *count, 0};
    for (size_t i = 0; i < node->after.count; i++)
        list_add(&l, node->after.data[i]);
    list_end(&l, count);
    EDGE_DATA(if (data) memset(data, 0, *count * sizeof *data);)
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes),
     (cuda_handle which, cuda_handle *room, EDGE_DATA(cudaGraphEdgeData *data, ) size_t *count),
     which, room, EDGE_DATA(data, ) count) {
    if (!is_node(p, which) || !count EDGE_DATA(|| (data && !room)))
        return CUDA_INVALID_VALUE;
    const cuda_graph *graph = ((cuda_node *)which)->graph;
    list l = {room, *count, 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t k = 0; k < graph->nodes.data[i]->after.count; k++)
            if (graph->nodes.data[i]->after.data[k] == which)
                list_add(&l, graph->nodes.data[i]);
    list_end(&l, count);
    EDGE_DATA(if (data) memset(data, 0, *count * sizeof *data);)
    return CUDA_SUCCESS;
}

typedef cuda_error change_edge(cuda_process *p, cuda_node *from, cuda_node *to);
static cuda_error change_edges(cuda_process *p, cuda_handle graph, const cuda_handle *from,
                               const cuda_handle *to, size_t count, change_edge *change) {
    cuda_error error =
        is_graph(p, graph) && (!count || (from && to)) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        error = is_node(p, from[i]) && ((cuda_node *)from[i])->graph == graph
                    ? change(p, from[i], to[i])
                    : CUDA_INVALID_VALUE;
    return error;
}

CALL(NAMES(cudaGraphAddDependencies, cuGraphAddDependencies),
     (cuda_handle graph, const cuda_handle *from, const cuda_handle *to,
      EDGE_DATA(const cudaGraphEdgeData *data, ) size_t count),
     graph, from, to, EDGE_DATA(data, ) count) {
    EDGE_DATA((void)data;)
    return change_edges(p, graph, from, to, count, cuda_graph_add_edge);
}
CALL(NAMES(cudaGraphRemoveDependencies, cuGraphRemoveDependencies),
     (cuda_handle graph, const cuda_handle *from, const cuda_handle *to,
      EDGE_DATA(const cudaGraphEdgeData *data, ) size_t count),
     graph, from, to, EDGE_DATA(data, ) count) {
    EDGE_DATA((void)data;)
    return is_graph(p, graph) && allocates(graph)
               ? CUDA_INVALID_VALUE
               : change_edges(p, graph, from, to, count, cuda_graph_remove_edge);
}

/* ---- executable graphs ------------------------------------------------------------------------- */

static cuda_error instantiate(cuda_process *p, cuda_handle *result, cuda_handle graph,
                              unsigned long long flags) {
    cuda_graph_exec *exec;
    if (!result || !is_graph(p, graph) || flags > 15)
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_exec_make(p, graph, flags, &exec);
    if (!error)
        *result = exec;
    return error;
}

CALL(NAMES(cudaGraphInstantiate, cuGraphInstantiateWithFlags),
     (cuda_handle * exec, cuda_handle graph, unsigned long long flags), exec, graph, flags) {
    return instantiate(p, exec, graph, flags);
}
#ifndef CUDART
/* What cuGraphInstantiate() was in CUDA 11. */
CALL(cuGraphInstantiate_v2,
     (cuda_handle * exec, cuda_handle graph, cuda_handle *node, char *log, size_t bytes), exec,
     graph, node, log, bytes) {
    if (node)
        *node = NULL;
    if (log && bytes)
        *log = '\0';
    return instantiate(p, exec, graph, 0);
}
#endif
CALL(NAMES(cudaGraphInstantiateWithParams, cuGraphInstantiateWithParams),
     (cuda_handle * exec, cuda_handle graph, cudaGraphInstantiateParams *params), exec, graph,
     params) {
    if (!params)
        return CUDA_INVALID_VALUE;
    enum { MADE = 0, FAILED = 1, INVALID_STRUCTURE = 2 }; /* cudaGraphInstantiateResult */
    cuda_error error = instantiate(p, exec, graph, params->flags);
    params->errNode_out = error && is_graph(p, graph) ? cuda_graph_circle(graph) : NULL;
    params->result_out = !error ? MADE : params->errNode_out ? INVALID_STRUCTURE : FAILED;
    return error;
}
CALL(NAMES(cudaGraphExecDestroy, cuGraphExecDestroy), (cuda_handle exec), exec) {
    if (!is_exec(p, exec))
        return CUDA_INVALID_VALUE;
    cuda_graph_exec_end(p, exec);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphExecGetFlags, cuGraphExecGetFlags),
     (cuda_handle exec, unsigned long long *flags), exec, flags) {
    return GIVE(is_exec(p, exec) ? flags : NULL, ((cuda_graph_exec *)exec)->flags);
}
CALL(NAMES(cudaGraphLaunch, cuGraphLaunch), (cuda_handle exec, cuda_handle stream), exec, stream) {
    return cuda_graph_launch(p, exec, stream);
}
CALL(NAMES(cudaGraphUpload, cuGraphUpload), (cuda_handle exec, cuda_handle stream), exec, stream) {
    return cuda_graph_upload(p, exec, stream);
}

/* The step of a node that can be left out: a launch, a copy or a fill. */
static cuda_step *step_of(cuda_process *p, cuda_handle exec, cuda_handle node) {
    cuda_step *step = is_exec(p, exec) ? cuda_graph_exec_step(exec, node) : NULL;
    return step && step->work.kind <= CUDA_WORK_FILL ? step : NULL;
}

CALL(NAMES(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled),
     (cuda_handle exec, cuda_handle node, unsigned enabled), exec, node, enabled) {
    cuda_step *step = step_of(p, exec, node);
    return GIVE(step ? &step->disabled : NULL, !enabled);
}
CALL(NAMES(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled),
     (cuda_handle exec, cuda_handle node, unsigned *enabled), exec, node, enabled) {
    const cuda_step *step = step_of(p, exec, node);
    return GIVE(step ? enabled : NULL, !step->disabled);
}

/* cudaGraphExecUpdateResult */
enum { UPDATED = 0, OTHER_SHAPE = 2, OTHER_KIND = 3 };

CALL(NAMES(cudaGraphExecUpdate, cuGraphExecUpdate_v2),
     (cuda_handle exec, cuda_handle graph, cudaGraphExecUpdateResultInfo *info), exec, graph,
     info) {
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
