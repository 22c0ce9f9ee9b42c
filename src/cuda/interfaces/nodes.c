/* What nodes of graphs do: adding them, their parameters, and changing these in graphs and in
 * executable ones. */
#include "cuda/interfaces/call.h"

static bool is_graph(const cuda_process *p, cuda_handle graph) {
    return cuda_handle_is(p, graph, CUDA_GRAPH);
}
static bool is_node(const cuda_process *p, cuda_handle node) {
    return cuda_handle_is(p, node, CUDA_GRAPH_NODE);
}

/* ---- parameters, and the work that they are ---------------------------------------------------- */

/* The driver's later forms have members behind those that both interfaces have. */
#ifdef CUDART
typedef cudaKernelNodeParams kernel_params;
typedef cudaMemsetParams fill_params;
typedef cudaMemcpyNodeParams copy_params;
#else
typedef struct kernel_params { /* CUDA_KERNEL_NODE_PARAMS */
    cudaKernelNodeParams first;
    cuda_handle kernel, context;
} kernel_params;
typedef struct fill_params { /* CUDA_MEMSET_NODE_PARAMS_v2 */
    cudaMemsetParams first;
    cuda_handle context;
} fill_params;
typedef struct copy_params { /* CUDA_MEMCPY_NODE_PARAMS */
    int flags, reserved;
    cuda_handle context;
    call_box_params copyParams;
} copy_params;
#endif

/* Of any kind: cudaGraphNodeParams, CUgraphNodeParams. */
typedef struct node_params {
    int kind, reserved[3];
    union {
        long long room[29];
        kernel_params kernel;
        copy_params copy;
        fill_params fill;
        cudaHostNodeParams host;
        cudaChildGraphNodeParams child;
        cuda_handle event;
        cudaMemAllocNodeParams alloc;
        void *freed;
        cudaConditionalNodeParams condition;
    };
    long long reserved_behind;
} node_params;

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

static cuda_work child_work(cuda_process *p, cuda_handle child) {
    return is_graph(p, child) && !cuda_graph_allocates(child)
               ? (cuda_work){.kind = CUDA_WORK_GRAPH, .graph = child}
               : cuda_work_failed(CUDA_INVALID_VALUE);
}

static cuda_work launch_of(cuda_process *p, const void *which, const cudaKernelNodeParams *n) {
    const hd_ptx_launch_size size = {{n->gridDim.x, n->gridDim.y, n->gridDim.z},
                                     {n->blockDim.x, n->blockDim.y, n->blockDim.z},
                                     n->sharedMemBytes};
    if (n->extra && n->kernelParams)
        return cuda_work_failed(CUDA_INVALID_VALUE);
    return n->extra ? call_packed_launch(p, which, &size, n->extra)
                    : call_launch(p, which, &size, n->kernelParams);
}

#ifdef CUDART
static cuda_work launch_work(cuda_process *p, const kernel_params *n) {
    return n ? launch_of(p, n->func, n) : cuda_work_failed(CUDA_INVALID_VALUE);
}
#else
static cuda_work launch_work(cuda_process *p, const kernel_params *n) {
    return n ? launch_of(p, n->first.func ? n->first.func : n->kernel, &n->first)
             : cuda_work_failed(CUDA_INVALID_VALUE);
}
static cuda_work first_launch_work(cuda_process *p, const cudaKernelNodeParams *n) {
    return n ? launch_of(p, n->func, n) : cuda_work_failed(CUDA_INVALID_VALUE);
}
#endif

static cuda_work fill_work(const cudaMemsetParams *n) {
    if (!n)
        return cuda_work_failed(CUDA_INVALID_VALUE);
    return (cuda_work){.kind = CUDA_WORK_FILL,
                       .fill = {{n->dst, n->pitch, 0},
                                {n->width * n->elementSize, n->height, 1},
                                n->value,
                                n->elementSize}};
}

/* These hold a use of the memory, until the work is dropped. */
static cuda_work alloc_work(cuda_process *p, const cudaMemAllocNodeParams *n) {
    cuda_work work;
    cuda_error error = n ? cuda_graph_memory_make(p, n->bytesize, &work) : CUDA_INVALID_VALUE;
    if (error)
        return cuda_work_failed(error);
    memcpy(work.memory->properties, n->poolProps, sizeof n->poolProps);
    return work;
}
static cuda_work free_work(cuda_process *p, cuda_handle graph, const void *address) {
    cuda_work work;
    cuda_error error =
        is_graph(p, graph) ? cuda_graph_memory_end(graph, address, &work) : CUDA_INVALID_VALUE;
    return error ? cuda_work_failed(error) : work;
}

static cuda_work branch_work(cuda_process *p, const cuda_graph *graph,
                             const cudaConditionalNodeParams *n, cuda_branch *branch) {
    const uint32_t *value = (const uint32_t *)(uintptr_t)n->handle; /* NOLINT: a handle */
    bool fits = n->size && (n->type == CUDA_IF      ? n->size <= 2
                            : n->type == CUDA_WHILE ? n->size == 1
                                                    : n->type == CUDA_SWITCH);
    if (!fits || !is_graph(p, (cuda_handle)(uintptr_t)graph) || !cuda_condition_is(graph, value))
        return cuda_work_failed(CUDA_INVALID_VALUE);
    *branch = (cuda_branch){value, (cuda_branch_kind)n->type, n->size, NULL};
    return (cuda_work){.kind = CUDA_WORK_BRANCH, .branch = branch};
}

/* ---- adding and changing nodes ----------------------------------------------------------------- */

/* What every function of these begins with. */
#define NODE cuda_handle *node, cuda_handle graph, const cuda_handle *after, size_t count
#define PLACE node, graph, after, count

static cuda_error add(cuda_process *p, NODE, cuda_work work) {
    cuda_node *made;
    if (work.kind == CUDA_WORK_FAILED)
        return work.error;
    cuda_error error = CUDA_INVALID_VALUE;
    if (node && is_graph(p, graph) && (!count || after))
        error = cuda_graph_add(p, graph, (cuda_node *const *)after, count, &work, &made);
    if (!error)
        *node = made;
    if (work.kind == CUDA_WORK_ALLOC || work.kind == CUDA_WORK_FREE)
        cuda_work_drop(&work);
    return error;
}

static cuda_error change(cuda_process *p, cuda_node *node, const cuda_work work) {
    if (!node)
        return CUDA_INVALID_VALUE;
    return work.kind == CUDA_WORK_FAILED ? work.error : cuda_node_set(p, node, &work);
}
static cuda_error set(cuda_process *p, cuda_handle node, const cuda_work work) {
    return change(p, is_node(p, node) ? node : NULL, work);
}
static cuda_error set_in_exec(cuda_process *p, cuda_handle exec, cuda_handle node,
                              const cuda_work work) {
    bool is_exec = cuda_handle_is(p, exec, CUDA_GRAPH_EXEC);
    return change(p, is_exec ? cuda_graph_exec_node(exec, node) : NULL, work);
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
        return set_in_exec(p, exec, node, __VA_ARGS__);                                         \
    }

NODE_CALLS(NAMES(cudaGraphAddHostNode, cuGraphAddHostNode),
           NAMES(cudaGraphHostNodeSetParams, cuGraphHostNodeSetParams),
           NAMES(cudaGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams),
           (const cudaHostNodeParams *params), (params), host_work(params))
NODE_CALLS(NAMES(cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode),
           NAMES(cudaGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent),
           NAMES(cudaGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent),
           (cuda_handle event), (event), event_work(p, event, CUDA_WORK_RECORD))
NODE_CALLS(NAMES(cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode),
           NAMES(cudaGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent),
           NAMES(cudaGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent),
           (cuda_handle event), (event), event_work(p, event, CUDA_WORK_WAIT))
NODE_CALLS(NAMES(cudaGraphAddKernelNode, cuGraphAddKernelNode_v2),
           NAMES(cudaGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2),
           NAMES(cudaGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2),
           (const kernel_params *params), (params), launch_work(p, params))
#ifdef CUDART
NODE_CALLS(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
           (const call_box_params *params), (params), call_box(p, params))
NODE_CALLS(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D,
           cudaGraphExecMemcpyNodeSetParams1D, (void *to, const void *from, size_t bytes, int kind),
           (to, from, bytes, kind), cuda_copy_bytes(to, from, bytes, (cuda_direction)kind))
NODE_CALLS(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
           cudaGraphExecMemcpyNodeSetParamsToSymbol,
           (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
           (symbol, from, bytes, offset, kind),
           call_symbol_copy(p, symbol, from, bytes, offset, kind, true))
NODE_CALLS(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
           cudaGraphExecMemcpyNodeSetParamsFromSymbol,
           (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
           (to, symbol, bytes, offset, kind),
           call_symbol_copy(p, symbol, to, bytes, offset, kind, false))
NODE_CALLS(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
           (const cudaMemsetParams *params), (params), fill_work(params))
#else
NODE_CALLS(cuGraphAddKernelNode, cuGraphKernelNodeSetParams, cuGraphExecKernelNodeSetParams,
           (const cudaKernelNodeParams *params), (params), first_launch_work(p, params))

/* Contexts share all memory. */
#define IN_CONTEXT __attribute__((unused)) cuda_handle context
CALL(cuGraphAddMemcpyNode, (NODE, const call_box_params *params, IN_CONTEXT), PLACE, params,
     context) {
    return add(p, PLACE, call_box(p, params));
}
CALL(cuGraphMemcpyNodeSetParams, (cuda_handle node, const call_box_params *params), node, params) {
    return set(p, node, call_box(p, params));
}
CALL(cuGraphExecMemcpyNodeSetParams,
     (cuda_handle exec, cuda_handle node, const call_box_params *params, IN_CONTEXT), exec, node,
     params, context) {
    return set_in_exec(p, exec, node, call_box(p, params));
}
CALL(cuGraphAddMemsetNode, (NODE, const cudaMemsetParams *params, IN_CONTEXT), PLACE, params,
     context) {
    return add(p, PLACE, fill_work(params));
}
CALL(cuGraphMemsetNodeSetParams, (cuda_handle node, const cudaMemsetParams *params), node, params) {
    return set(p, node, fill_work(params));
}
CALL(cuGraphExecMemsetNodeSetParams,
     (cuda_handle exec, cuda_handle node, const cudaMemsetParams *params, IN_CONTEXT), exec, node,
     params, context) {
    return set_in_exec(p, exec, node, fill_work(params));
}
#endif

CALL(NAMES(cudaGraphAddEmptyNode, cuGraphAddEmptyNode), (NODE), PLACE) {
    return add(p, PLACE, (cuda_work){.kind = CUDA_WORK_EMPTY});
}
CALL(NAMES(cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode), (NODE, cuda_handle child), PLACE,
     child) {
    return add(p, PLACE, child_work(p, child));
}
CALL(NAMES(cudaGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams),
     (cuda_handle exec, cuda_handle node, cuda_handle child), exec, node, child) {
    return set_in_exec(p, exec, node, child_work(p, child));
}
static cuda_error add_alloc(cuda_process *p, NODE, cudaMemAllocNodeParams *params) {
    cuda_error error = add(p, PLACE, alloc_work(p, params));
    if (!error)
        params->dptr = ((cuda_node *)*node)->work.memory->address;
    return error;
}
CALL(NAMES(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode),
     (NODE, cudaMemAllocNodeParams *params), PLACE, params) {
    return add_alloc(p, PLACE, params);
}
CALL(NAMES(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode), (NODE, void *address), PLACE, address) {
    return add(p, PLACE, free_work(p, graph, address));
}
CALL(NAMES(cudaGraphDestroyNode, cuGraphDestroyNode), (cuda_handle node), node) {
    if (!is_node(p, node) || cuda_graph_allocates(((cuda_node *)node)->graph))
        return CUDA_INVALID_VALUE;
    cuda_node_end(p, node);
    return CUDA_SUCCESS;
}

/* ---- nodes of any kind ------------------------------------------------------------------------- */

/* What a node is to do that is added or changed. */
static cuda_work work_by_kind(cuda_process *p, const node_params *n) {
    switch (n ? n->kind : CUDA_WORK_FAILED) {
    case CUDA_WORK_LAUNCH: return launch_work(p, &n->kernel);
    case CUDA_WORK_COPY: return call_box(p, &n->copy.copyParams);
    case CUDA_WORK_FILL: return fill_work((const cudaMemsetParams *)&n->fill);
    case CUDA_WORK_HOST: return host_work(&n->host);
    case CUDA_WORK_GRAPH:
        return n->child.ownership ? cuda_work_failed(CUDA_NOT_SUPPORTED)
                                  : child_work(p, n->child.graph);
    case CUDA_WORK_EMPTY: return (cuda_work){.kind = CUDA_WORK_EMPTY};
    case CUDA_WORK_WAIT:
    case CUDA_WORK_RECORD: return event_work(p, n->event, (cuda_work_kind)n->kind);
    default: return cuda_work_failed(n ? CUDA_NOT_SUPPORTED : CUDA_INVALID_VALUE);
    }
}

static cuda_error add_by_kind(cuda_process *p, NODE, node_params *n) {
    if (n && n->kind == CUDA_WORK_ALLOC)
        return add_alloc(p, PLACE, &n->alloc);
    if (n && n->kind == CUDA_WORK_FREE)
        return add(p, PLACE, free_work(p, graph, n->freed));
    if (n && n->kind == CUDA_WORK_BRANCH) {
        cuda_branch branch;
        cuda_error error = add(p, PLACE, branch_work(p, graph, &n->condition, &branch));
        if (!error)
            n->condition.phGraph_out = (void **)((cuda_node *)*node)->work.branch->graphs;
        return error;
    }
    return add(p, PLACE, work_by_kind(p, n));
}

#define ADD_NODE(name, DATA)                                                         \
    CALL(name,                                                                       \
         (cuda_handle * node, cuda_handle graph, const cuda_handle *after,           \
          DATA(const cudaGraphEdgeData *edges, ) size_t count, node_params *params), \
         node, graph, after, DATA(edges, ) count, params) {                          \
        (void)DATA##_OR_NULL(edges);                                                 \
        return add_by_kind(p, PLACE, params);                                        \
    }
#if defined(CUDART) && CUDART >= 13
ADD_NODE(cudaGraphAddNode, EDGE_DATA)
#else
ADD_NODE(NAMES(cudaGraphAddNode, cuGraphAddNode), NO_EDGE_DATA)
ADD_NODE(NAMES(cudaGraphAddNode_v2, cuGraphAddNode_v2), EDGE_DATA)
#endif
#ifdef CUDART
#define OF_CONTEXT(...)
#else
#define OF_CONTEXT(...) __VA_ARGS__
#endif
CALL(NAMES(cudaGraphConditionalHandleCreate, cuGraphConditionalHandleCreate),
     (uint64_t *handle, cuda_handle graph, OF_CONTEXT(cuda_handle context, ) unsigned first,
      unsigned flags),
     handle, graph, OF_CONTEXT(context, ) first, flags) {
    enum { ASSIGN_DEFAULT = 1 };
    uint32_t *value;
    OF_CONTEXT((void)context;)
    if (!handle || !is_graph(p, graph) || flags > ASSIGN_DEFAULT)
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_condition_make(p, graph, first, flags == ASSIGN_DEFAULT, &value);
    return error ? error : GIVE(handle, (uintptr_t)value);
}

CALL(NAMES(cudaGraphNodeSetParams, cuGraphNodeSetParams),
     (cuda_handle node, const node_params *params), node, params) {
    return set(p, node, work_by_kind(p, params));
}
CALL(NAMES(cudaGraphExecNodeSetParams, cuGraphExecNodeSetParams),
     (cuda_handle exec, cuda_handle node, const node_params *params), exec, node, params) {
    return set_in_exec(p, exec, node, work_by_kind(p, params));
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

CALL(NAMES(cudaGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent),
     (cuda_handle node, cuda_handle *event), node, event) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_RECORD);
    return GIVE(work ? event : NULL, work->event);
}
CALL(NAMES(cudaGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent),
     (cuda_handle node, cuda_handle *event), node, event) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_WAIT);
    return GIVE(work ? event : NULL, work->event);
}

/* The parameters behind these are the node's own. */
static cuda_error launch_params(cuda_process *p, cuda_handle node, cudaKernelNodeParams *params) {
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
CALL(NAMES(cudaGraphKernelNodeGetParams, cuGraphKernelNodeGetParams),
     (cuda_handle node, cudaKernelNodeParams *params), node, params) {
    return launch_params(p, node, params);
}
#ifndef CUDART
CALL(cuGraphKernelNodeGetParams_v2, (cuda_handle node, kernel_params *params), node, params) {
    cuda_error error = params ? launch_params(p, node, &params->first) : CUDA_INVALID_VALUE;
    if (!error)
        params->kernel = params->context = NULL;
    return error;
}
#endif
CALL(NAMES(cudaGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams),
     (cuda_handle node, cudaMemsetParams *params), node, params) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_FILL);
    if (!work || !params)
        return CUDA_INVALID_VALUE;
    const cuda_fill *f = &work->fill;
    *params = (cudaMemsetParams){
        f->to.at, f->to.row, f->value, f->element, f->box.width / f->element, f->box.height};
    return CUDA_SUCCESS;
}
/* The same copy; from where the box begins, where the program may have said its position. */
CALL(NAMES(cudaGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams),
     (cuda_handle node, call_box_params *params), node, params) {
    const cuda_work *work = work_of(p, node, CUDA_WORK_COPY);
    return GIVE(work ? params : NULL, call_box_of(&work->copy));
}

/* ---- attributes of launches: hints, which are kept, clusters, and whether its blocks may wait for
 * each other ---------------------------------------------------------------------------------------- */

enum { COOPERATIVE = 2, CLUSTER = 4 };

typedef union attribute_value { /* cudaKernelNodeAttrValue, CUkernelNodeAttrValue */
    char bytes[CALL_ATTRIBUTE_BYTES];
    int number;
    unsigned cluster[3];
} attribute_value;

static cuda_node *launch_node(const cuda_process *p, cuda_handle node, int attribute) {
    bool fits = attribute > 0 && attribute <= CUDA_ATTRIBUTES;
    return fits && work_of(p, node, CUDA_WORK_LAUNCH) ? node : NULL;
}

CALL(NAMES(cudaGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute),
     (cuda_handle which, int attribute, const attribute_value *value), which, attribute, value) {
    cuda_node *node = launch_node(p, which, attribute);
    if (!node || !value)
        return CUDA_INVALID_VALUE;
    hd_ptx_launch_size *size = &node->work.launch.size;
    const unsigned *cluster = value->cluster;
    if (attribute == CLUSTER && (!cluster[0] || !cluster[1] || !cluster[2]))
        return CUDA_INVALID_VALUE;
    if (attribute == CLUSTER)
        memcpy(size->cluster, cluster, sizeof size->cluster);
    if (attribute == COOPERATIVE)
        size->cooperative = value->number != 0;
    memcpy(cuda_node_attribute(node, attribute), value, sizeof *value);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute),
     (cuda_handle which, int attribute, attribute_value *value), which, attribute, value) {
    cuda_node *node = launch_node(p, which, attribute);
    if (!node || !value)
        return CUDA_INVALID_VALUE;
    memcpy(value, cuda_node_attribute(node, attribute), sizeof *value);
    /* Of a captured launch they were not set. */
    if (attribute == COOPERATIVE)
        value->number = node->work.launch.size.cooperative;
    if (attribute == CLUSTER)
        memcpy(value->cluster, node->work.launch.size.cluster, sizeof value->cluster);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes),
     (cuda_handle to, cuda_handle from), to, from) {
    cuda_node *target = launch_node(p, to, COOPERATIVE),
              *source = launch_node(p, from, COOPERATIVE);
    if (!target || !source)
        return CUDA_INVALID_VALUE;
    for (int id = 1; id <= CUDA_ATTRIBUTES; id++)
        memcpy(cuda_node_attribute(target, id), cuda_node_attribute(source, id),
               CUDA_ATTRIBUTE_BYTES);
    cuda_keep_launch_attributes(&target->work.launch.size, &source->work.launch.size);
    return CUDA_SUCCESS;
}
