/* Graphs that a program builds by hand or captures, their edges, and their replay. What nodes do is in
 * nodes.c. */
#include <stdio.h>

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

/* ---- graphs ------------------------------------------------------------------------------------ */

CALL(NAMES(cudaGraphCreate, cuGraphCreate), (cuda_handle * graph, unsigned flags), graph, flags) {
    return GIVE(flags ? NULL : graph, cuda_graph_make(p));
}
CALL(NAMES(cudaGraphDestroy, cuGraphDestroy), (cuda_handle graph), graph) {
    if (!is_graph(p, graph) || ((cuda_graph *)graph)->is_inner)
        return CUDA_INVALID_VALUE;
    cuda_graph_end(p, graph);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphClone, cuGraphClone), (cuda_handle * result, cuda_handle graph), result,
     graph) {
    cuda_graph *copy;
    if (!result || !is_graph(p, graph) || cuda_graph_allocates(graph))
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_copy(p, graph, &copy);
    if (!error)
        *result = copy;
    return error;
}

CALL(NAMES(cudaGraphNodeFindInClone, cuGraphNodeFindInClone),
     (cuda_handle * result, cuda_handle node, cuda_handle graph), result, node, graph) {
    const cuda_node *original = node;
    const cuda_graph *copy = graph;
    if (!result || !is_node(p, node) || !is_graph(p, graph) || copy->of != original->graph->id)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < copy->nodes.count; i++)
        if (copy->nodes.data[i]->of == original->number)
            return GIVE(result, copy->nodes.data[i]);
    return CUDA_INVALID_VALUE;
}

/* ---- objects of the program, which graphs keep ------------------------------------------------- */

typedef void object_function(void *user);
enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };

static bool is_object(const cuda_process *p, cuda_handle object, unsigned count) {
    return cuda_handle_is(p, object, CUDA_USER_OBJECT) && count;
}

CALL(NAMES(cudaUserObjectCreate, cuUserObjectCreate),
     (cuda_handle * result, void *user, object_function *destroy, unsigned uses, unsigned flags),
     result, user, destroy, uses, flags) {
    if (!result || !destroy || !uses || flags != NO_DESTRUCTOR_SYNC)
        return CUDA_INVALID_VALUE;
    cuda_user_object *object = cuda_handle_new(p, CUDA_USER_OBJECT, sizeof *object);
    *object = (cuda_user_object){{destroy, user}, uses};
    *result = object;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaUserObjectRetain, cuUserObjectRetain), (cuda_handle object, unsigned count), object,
     count) {
    if (!is_object(p, object, count))
        return CUDA_INVALID_VALUE;
    ((cuda_user_object *)object)->uses += count;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaUserObjectRelease, cuUserObjectRelease), (cuda_handle object, unsigned count),
     object, count) {
    if (!is_object(p, object, count) || ((cuda_user_object *)object)->uses < count)
        return CUDA_INVALID_VALUE;
    cuda_user_object_release(p, object, count);
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphRetainUserObject, cuGraphRetainUserObject),
     (cuda_handle graph, cuda_handle object, unsigned count, unsigned flags), graph, object, count,
     flags) {
    cuda_user_object *kept = object;
    if (!is_graph(p, graph) || !is_object(p, object, count) || flags > MOVE ||
        (flags == MOVE && kept->uses < count))
        return CUDA_INVALID_VALUE;
    cuda_graph_retain(graph, kept, count);
    if (flags == MOVE) /* the caller's are the graph's */
        kept->uses -= count;
    return CUDA_SUCCESS;
}
CALL(NAMES(cudaGraphReleaseUserObject, cuGraphReleaseUserObject),
     (cuda_handle graph, cuda_handle object, unsigned count), graph, object, count) {
    return is_graph(p, graph) && is_object(p, object, count)
               ? cuda_graph_release(p, graph, object, count)
               : CUDA_INVALID_VALUE;
}

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

static cuda_error list_edges(cuda_process *p, cuda_handle which, cuda_handle *from, cuda_handle *to,
                             cudaGraphEdgeData *data, size_t *count) {
    if (!is_graph(p, which) || !count || !from != !to || (data && !from))
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
    if (data)
        memset(data, 0, *count * sizeof *data);
    return CUDA_SUCCESS;
}

/* The nodes that one comes after, or those that come after it. */
static cuda_error list_next(cuda_process *p, cuda_handle which, cuda_handle *room,
                            cudaGraphEdgeData *data, size_t *count, bool dependent) {
    if (!is_node(p, which) || !count || (data && !room))
        return CUDA_INVALID_VALUE;
    const cuda_node *node = which;
    const cuda_graph *graph = node->graph;
    list l = {room, *count, 0};
    for (size_t i = 0; !dependent && i < node->after.count; i++)
        list_add(&l, node->after.data[i]);
    for (size_t i = 0; dependent && i < graph->nodes.count; i++)
        for (size_t k = 0; k < graph->nodes.data[i]->after.count; k++)
            if (graph->nodes.data[i]->after.data[k] == which)
                list_add(&l, graph->nodes.data[i]);
    list_end(&l, count);
    if (data)
        memset(data, 0, *count * sizeof *data);
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

/* What allocates is not taken apart. */
static cuda_error remove_edges(cuda_process *p, cuda_handle graph, const cuda_handle *from,
                               const cuda_handle *to, size_t count) {
    return is_graph(p, graph) && cuda_graph_allocates(graph)
               ? CUDA_INVALID_VALUE
               : change_edges(p, graph, from, to, count, cuda_graph_remove_edge);
}

/* The calls have forms with data of edges, _v2 before CUDA 13 and in the driver, and the others without
 * it. What begins a node before all of another is done gives way to its end here, so that edges
 * have no data, which is zeros. */
#define EDGE_CALLS(form, DATA)                                                                   \
    CALL(NAMES(cudaGraphGetEdges##form, cuGraphGetEdges##form),                                  \
         (cuda_handle graph, cuda_handle * from, cuda_handle * to,                               \
          DATA(cudaGraphEdgeData * data, ) size_t *count),                                       \
         graph, from, to, DATA(data, ) count) {                                                  \
        return list_edges(p, graph, from, to, DATA##_OR_NULL(data), count);                      \
    }                                                                                            \
    CALL(NAMES(cudaGraphNodeGetDependencies##form, cuGraphNodeGetDependencies##form),            \
         (cuda_handle node, cuda_handle * room, DATA(cudaGraphEdgeData * data, ) size_t *count), \
         node, room, DATA(data, ) count) {                                                       \
        return list_next(p, node, room, DATA##_OR_NULL(data), count, false);                     \
    }                                                                                            \
    CALL(NAMES(cudaGraphNodeGetDependentNodes##form, cuGraphNodeGetDependentNodes##form),        \
         (cuda_handle node, cuda_handle * room, DATA(cudaGraphEdgeData * data, ) size_t *count), \
         node, room, DATA(data, ) count) {                                                       \
        return list_next(p, node, room, DATA##_OR_NULL(data), count, true);                      \
    }                                                                                            \
    CALL(NAMES(cudaGraphAddDependencies##form, cuGraphAddDependencies##form),                    \
         (cuda_handle graph, const cuda_handle *from, const cuda_handle *to,                     \
          DATA(const cudaGraphEdgeData *data, ) size_t count),                                   \
         graph, from, to, DATA(data, ) count) {                                                  \
        (void)DATA##_OR_NULL(data);                                                              \
        return change_edges(p, graph, from, to, count, cuda_graph_add_edge);                     \
    }                                                                                            \
    CALL(NAMES(cudaGraphRemoveDependencies##form, cuGraphRemoveDependencies##form),              \
         (cuda_handle graph, const cuda_handle *from, const cuda_handle *to,                     \
          DATA(const cudaGraphEdgeData *data, ) size_t count),                                   \
         graph, from, to, DATA(data, ) count) {                                                  \
        (void)DATA##_OR_NULL(data);                                                              \
        return remove_edges(p, graph, from, to, count);                                          \
    }
#if defined(CUDART) && CUDART >= 13
EDGE_CALLS(, EDGE_DATA)
#else
EDGE_CALLS(, NO_EDGE_DATA)
EDGE_CALLS(_v2, EDGE_DATA)
#endif

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

CALL(NAMES(cudaGraphInstantiateWithFlags, cuGraphInstantiateWithFlags),
     (cuda_handle * exec, cuda_handle graph, unsigned long long flags), exec, graph, flags) {
    return instantiate(p, exec, graph, flags);
}
#if defined(CUDART) && CUDART >= 12
CALL(cudaGraphInstantiate, (cuda_handle * exec, cuda_handle graph, unsigned long long flags), exec,
     graph, flags) {
    return instantiate(p, exec, graph, flags);
}
#else
/* What these were in CUDA 11. */
CALL(NAMES(cudaGraphInstantiate, cuGraphInstantiate_v2),
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

/* A node that can be left out: a launch, a copy or a fill. */
static cuda_node *node_in(cuda_process *p, cuda_handle exec, cuda_handle node) {
    cuda_node *found = is_exec(p, exec) ? cuda_graph_exec_node(exec, node) : NULL;
    return found && found->work.kind <= CUDA_WORK_FILL ? found : NULL;
}

CALL(NAMES(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled),
     (cuda_handle exec, cuda_handle node, unsigned enabled), exec, node, enabled) {
    cuda_node *found = node_in(p, exec, node);
    return GIVE(found ? &found->disabled : NULL, !enabled);
}
CALL(NAMES(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled),
     (cuda_handle exec, cuda_handle node, unsigned *enabled), exec, node, enabled) {
    const cuda_node *found = node_in(p, exec, node);
    return GIVE(found ? enabled : NULL, !found->disabled);
}

static cuda_error update(cuda_process *p, cuda_handle exec, cuda_handle graph,
                         cudaGraphExecUpdateResultInfo *info) {
    enum { OTHER_ERROR = 1 };
    cuda_graph_difference difference;
    if (!is_exec(p, exec) || !is_graph(p, graph))
        return CUDA_INVALID_VALUE;
    cuda_error error = cuda_graph_exec_update(p, exec, graph, &difference);
    *info = (cudaGraphExecUpdateResultInfo){
        error && !difference.what ? OTHER_ERROR : (int)difference.what,
        (void *)(uintptr_t)difference.node, (void *)(uintptr_t)difference.from};
    return error;
}

#if !defined(CUDART) || CUDART >= 12
CALL(NAMES(cudaGraphExecUpdate, cuGraphExecUpdate_v2),
     (cuda_handle exec, cuda_handle graph, cudaGraphExecUpdateResultInfo *info), exec, graph,
     info) {
    cudaGraphExecUpdateResultInfo unused;
    return update(p, exec, graph, info ? info : &unused);
}
#endif
#if !defined(CUDART) || CUDART < 12
CALL(NAMES(cudaGraphExecUpdate, cuGraphExecUpdate),
     (cuda_handle exec, cuda_handle graph, cuda_handle *node, int *result), exec, graph, node,
     result) {
    cudaGraphExecUpdateResultInfo info = {0};
    cuda_error error = update(p, exec, graph, &info);
    if (node)
        *node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}
#endif

/* ---- a picture --------------------------------------------------------------------------------- */

enum { WITH_ALL = 1 << 0, WITH_HANDLES = 1 << 10 };

/* A line of the label more. */
static void add_launch(hd_str *out, const cuda_launch *l) {
    hd_str_printf(out, "\\ngrid (%u, %u, %u), block (%u, %u, %u), shared memory %llu",
                  l->size.grid[0], l->size.grid[1], l->size.grid[2], l->size.block[0],
                  l->size.block[1], l->size.block[2], (unsigned long long)l->size.shared);
}

/* What is said of work of each kind, and the flag that asks for more. */
static void add_label(hd_str *out, const cuda_work *work, unsigned flags) {
    enum { OF_LAUNCH = 1 << 2, OF_COPY = 1 << 3, OF_FILL = 1 << 4 };
    switch (work->kind) {
    case CUDA_WORK_LAUNCH:
        hd_str_printf(out, "kernel %s", work->launch.kernel->name);
        if (flags & (WITH_ALL | OF_LAUNCH))
            add_launch(out, &work->launch);
        break;
    case CUDA_WORK_COPY:
        hd_str_add(out, "copy");
        if (flags & (WITH_ALL | OF_COPY))
            hd_str_printf(out, "\\n%zu x %zu x %zu bytes from %p to %p", work->copy.box.width,
                          work->copy.box.height, work->copy.box.depth, work->copy.from.at,
                          work->copy.to.at);
        break;
    case CUDA_WORK_FILL:
        hd_str_add(out, "fill");
        if (flags & (WITH_ALL | OF_FILL))
            hd_str_printf(out, "\\n%zu x %zu bytes at %p with %u", work->fill.box.width,
                          work->fill.box.height, work->fill.to.at, work->fill.value);
        break;
    case CUDA_WORK_HOST: hd_str_add(out, "host function"); break;
    case CUDA_WORK_GRAPH: hd_str_add(out, "graph"); break;
    case CUDA_WORK_WAIT: hd_str_add(out, "wait for an event"); break;
    case CUDA_WORK_RECORD: hd_str_add(out, "record of an event"); break;
    case CUDA_WORK_ALLOC: hd_str_printf(out, "allocation of %zu bytes", work->memory->bytes); break;
    case CUDA_WORK_FREE: hd_str_add(out, "free"); break;
    case CUDA_WORK_BRANCH: hd_str_add(out, "condition"); break;
    default: hd_str_add(out, "empty"); break;
    }
}

/* A graph as a cluster, and those that are in its nodes. */
static void add_cluster(hd_str *out, const cuda_graph *graph, unsigned flags) {
    unsigned long long id = graph->id;
    hd_str_printf(out, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n",
                  id, id);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cuda_node *node = graph->nodes.data[i];
        hd_str_printf(out, "\"graph_%llu_node_%zu\" [shape=\"box\" label=\"%zu: ", id, i, i);
        add_label(out, &node->work, flags);
        if (flags & (WITH_ALL | WITH_HANDLES))
            hd_str_printf(out, "\\nnode %p", (const void *)node);
        hd_str_add(out, "\"];\n");
        for (size_t k = 0; k < node->after.count; k++)
            hd_str_printf(out, "\"graph_%llu_node_%u\" -> \"graph_%llu_node_%zu\";\n", id,
                          node->after.data[k]->place, id, i);
    }
    hd_str_add(out, "}\n");
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cuda_work *work = &graph->nodes.data[i]->work;
        if (work->kind == CUDA_WORK_GRAPH)
            add_cluster(out, work->graph, flags);
        for (uint32_t k = 0; work->kind == CUDA_WORK_BRANCH && k < work->branch->count; k++)
            add_cluster(out, work->branch->graphs[k], flags);
    }
}

CALL(NAMES(cudaGraphDebugDotPrint, cuGraphDebugDotPrint),
     (cuda_handle graph, const char *path, unsigned flags), graph, path, flags) {
    if (!is_graph(p, graph) || !path)
        return CUDA_INVALID_VALUE;
    hd_str out = {.arena = hd_arena_new()};
    hd_str_add(&out, "digraph dot {\n");
    add_cluster(&out, graph, flags);
    hd_str_add(&out, "}\n");
    FILE *file = fopen(path, "w");
    bool written = file && fputs(hd_str_text(&out), file) >= 0;
    if (file)
        written &= !fclose(file);
    hd_arena_free(out.arena);
    return written ? CUDA_SUCCESS : CUDA_OPERATING_SYSTEM;
}
