#include "cuda/cuda_graph.h"

#include <stdlib.h>

#include "cuda/cuda_memory.h"

/* ---- graphs ---------------------------------------------------------------------------------- */

cuda_graph *cuda_graph_make(cuda_process *p) {
    cuda_graph *graph = cuda_handle_new(p, CUDA_GRAPH, sizeof *graph);
    graph->arena = hd_arena_new();
    return graph;
}

/* Ends what a node or step is to do, with the graph that it may hold. */
static void drop(cuda_process *p, cuda_work *held) {
    if (held->kind == CUDA_WORK_GRAPH)
        cuda_graph_end(p, held->graph);
    cuda_work_drop(held);
}

static cuda_error replace(cuda_process *p, cuda_work *held, const cuda_work *work) {
    cuda_work kept;
    cuda_error error = cuda_work_keep(p, work, &kept);
    if (error)
        return error;
    drop(p, held);
    *held = kept;
    return CUDA_SUCCESS;
}

static void free_node(cuda_process *p, cuda_node *node) {
    drop(p, &node->work);
    cuda_handle_free(p, node);
}

void cuda_graph_end(cuda_process *p, cuda_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(p, graph->nodes.data[i]);
    hd_arena_free(graph->arena);
    cuda_handle_free(p, graph);
}

static size_t place_of(const cuda_graph *graph, const cuda_node *node) {
    size_t i = 0;
    while (i < graph->nodes.count && graph->nodes.data[i] != node)
        i++;
    return i;
}

static bool is_among(const cuda_node *node, cuda_node *const *nodes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

cuda_error cuda_graph_add(cuda_process *p, cuda_graph *graph, cuda_node *const *after, size_t count,
                          const cuda_work *work, cuda_node **result) {
    for (size_t i = 0; i < count; i++)
        if (!cuda_handle_is(p, after[i], CUDA_GRAPH_NODE) || after[i]->graph != graph ||
            is_among(after[i], after, i))
            return CUDA_INVALID_VALUE;
    cuda_work kept;
    cuda_error error = cuda_work_keep(p, work, &kept);
    if (error)
        return error;
    cuda_node *node = cuda_handle_new(p, CUDA_GRAPH_NODE, sizeof *node);
    node->graph = graph;
    node->work = kept;
    for (size_t i = 0; i < count; i++)
        hd_push(graph->arena, &node->after, after[i]);
    hd_push(graph->arena, &graph->nodes, node);
    *result = node;
    return CUDA_SUCCESS;
}

cuda_error cuda_graph_add_edge(cuda_process *p, cuda_node *from, cuda_node *to) {
    if (!cuda_handle_is(p, from, CUDA_GRAPH_NODE) || !cuda_handle_is(p, to, CUDA_GRAPH_NODE) ||
        from->graph != to->graph || from == to)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < to->after.count; i++)
        if (to->after.data[i] == from)
            return CUDA_INVALID_VALUE;
    hd_push(to->graph->arena, &to->after, from);
    return CUDA_SUCCESS;
}

static bool take_edge(cuda_node *from, cuda_node *to) {
    for (size_t i = 0; i < to->after.count; i++)
        if (to->after.data[i] == from) {
            to->after.data[i] = to->after.data[--to->after.count];
            return true;
        }
    return false;
}

cuda_error cuda_graph_remove_edge(cuda_process *p, cuda_node *from, cuda_node *to) {
    if (!cuda_handle_is(p, from, CUDA_GRAPH_NODE) || !cuda_handle_is(p, to, CUDA_GRAPH_NODE))
        return CUDA_INVALID_VALUE;
    return take_edge(from, to) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

void cuda_node_end(cuda_process *p, cuda_node *node) {
    cuda_graph *graph = node->graph;
    size_t at = place_of(graph, node);
    for (size_t i = 0; i < graph->nodes.count; i++)
        take_edge(node, graph->nodes.data[i]);
    memmove(&graph->nodes.data[at], &graph->nodes.data[at + 1],
            (graph->nodes.count - at - 1) * sizeof(cuda_node *));
    graph->nodes.count--;
    free_node(p, node);
}

cuda_error cuda_node_set(cuda_process *p, cuda_node *node, const cuda_work *work) {
    return node->work.kind == work->kind ? replace(p, &node->work, work) : CUDA_INVALID_VALUE;
}

cuda_error cuda_graph_copy(cuda_process *p, const cuda_graph *graph, cuda_graph **result) {
    cuda_graph *copy = cuda_graph_make(p);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cuda_node *node;
        cuda_error error = cuda_graph_add(p, copy, NULL, 0, &graph->nodes.data[i]->work, &node);
        if (error) {
            cuda_graph_end(p, copy);
            return error;
        }
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cuda_node *node = graph->nodes.data[i];
        for (size_t k = 0; k < node->after.count; k++)
            hd_push(copy->arena, &copy->nodes.data[i]->after,
                    copy->nodes.data[place_of(graph, node->after.data[k])]);
    }
    *result = copy;
    return CUDA_SUCCESS;
}

/* ---- an order -------------------------------------------------------------------------------------- */

/* The first of these nodes that is not done; NULL: all are. */
static cuda_node *first_open(const cuda_graph *graph, cuda_node *const *nodes, size_t count,
                             const bool *is_done) {
    for (size_t i = 0; i < count; i++)
        if (!is_done[place_of(graph, nodes[i])])
            return nodes[i];
    return NULL;
}

/* The nodes, each after those that it comes after, else as they stand; false: there is a circle. */
static bool put_in_order(const cuda_graph *graph, hd_arena *arena, cuda_node **order) {
    size_t count = graph->nodes.count, done = 0;
    bool *is_done = hd_new_array(arena, bool, count + 1);
    while (done < count) {
        size_t before = done;
        for (size_t i = 0; i < count; i++) {
            const cuda_node *node = graph->nodes.data[i];
            if (is_done[i] || first_open(graph, node->after.data, node->after.count, is_done))
                continue;
            is_done[i] = true;
            order[done++] = graph->nodes.data[i];
        }
        if (done == before)
            return false;
    }
    return true;
}

/* What is never done is in a circle or comes after one, so that going back in it ends in the circle. */
cuda_node *cuda_graph_circle(const cuda_graph *graph) {
    size_t count = graph->nodes.count;
    hd_arena *arena = hd_arena_new();
    bool *is_done = hd_new_array(arena, bool, count + 1);
    for (size_t round = 0; round < count; round++)
        for (size_t i = 0; i < count; i++)
            is_done[i] = !first_open(graph, graph->nodes.data[i]->after.data,
                                     graph->nodes.data[i]->after.count, is_done);
    cuda_node *open = first_open(graph, graph->nodes.data, count, is_done);
    for (size_t i = 0; i < count && open; i++)
        open = first_open(graph, open->after.data, open->after.count, is_done);
    hd_arena_free(arena);
    return open;
}

/* ---- executable graphs -------------------------------------------------------------------------------- */

cuda_error cuda_graph_exec_make(cuda_process *p, const cuda_graph *graph, uint64_t flags,
                                cuda_graph_exec **result) {
    hd_arena *arena = hd_arena_new();
    cuda_node **order = hd_new_array(arena, cuda_node *, graph->nodes.count + 1);
    if (!put_in_order(graph, arena, order)) {
        hd_arena_free(arena);
        return CUDA_INVALID_VALUE;
    }
    cuda_graph_exec *exec = cuda_handle_new(p, CUDA_GRAPH_EXEC, sizeof *exec);
    exec->arena = arena;
    exec->steps = hd_new_array(arena, cuda_step, graph->nodes.count + 1);
    exec->flags = flags;
    cuda_error error = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->nodes.count && !error; i++) {
        exec->steps[i].node = order[i];
        error = cuda_work_keep(p, &order[i]->work, &exec->steps[i].work);
        exec->count += !error;
    }
    if (error)
        cuda_graph_exec_end(p, exec);
    else
        *result = exec;
    return error;
}

void cuda_graph_exec_end(cuda_process *p, cuda_graph_exec *exec) {
    for (uint32_t i = 0; i < exec->count; i++)
        drop(p, &exec->steps[i].work);
    hd_arena_free(exec->arena);
    cuda_handle_free(p, exec);
}

cuda_step *cuda_graph_exec_step(cuda_graph_exec *exec, const cuda_node *node) {
    for (uint32_t i = 0; i < exec->count; i++)
        if (exec->steps[i].node == node)
            return &exec->steps[i];
    return NULL;
}

cuda_error cuda_graph_exec_set(cuda_process *p, cuda_graph_exec *exec, const cuda_node *node,
                               const cuda_work *work) {
    cuda_step *step = cuda_graph_exec_step(exec, node);
    return step && step->work.kind == work->kind ? replace(p, &step->work, work)
                                                 : CUDA_INVALID_VALUE;
}

cuda_error cuda_graph_exec_update(cuda_process *p, cuda_graph_exec *exec, const cuda_graph *graph,
                                  const cuda_node **differs) {
    hd_arena *arena = hd_arena_new();
    cuda_node **order = hd_new_array(arena, cuda_node *, graph->nodes.count + 1);
    cuda_error error = CUDA_GRAPH_EXEC_UPDATE_FAILURE;
    *differs = NULL;
    if (put_in_order(graph, arena, order) && graph->nodes.count == exec->count) {
        error = CUDA_SUCCESS;
        for (uint32_t i = 0; i < exec->count && !*differs; i++)
            if (order[i]->work.kind != exec->steps[i].work.kind)
                *differs = order[i];
        if (*differs)
            error = CUDA_GRAPH_EXEC_UPDATE_FAILURE;
        for (uint32_t i = 0; i < exec->count && !error; i++)
            error = replace(p, &exec->steps[i].work, &order[i]->work);
    }
    hd_arena_free(arena);
    return error;
}

cuda_error cuda_graph_exec_run(cuda_process *p, cuda_graph_exec *exec) {
    cuda_error error = CUDA_SUCCESS;
    for (uint32_t i = 0; i < exec->count && !error; i++)
        if (!exec->steps[i].disabled)
            error = cuda_work_run(p, &exec->steps[i].work);
    return error;
}

cuda_error cuda_graph_run(cuda_process *p, const cuda_graph *graph) {
    hd_arena *arena = hd_arena_new();
    cuda_node **order = hd_new_array(arena, cuda_node *, graph->nodes.count + 1);
    cuda_error error = put_in_order(graph, arena, order) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    for (size_t i = 0; i < graph->nodes.count && !error; i++)
        error = cuda_work_run(p, &order[i]->work);
    hd_arena_free(arena);
    return error;
}

/* ---- memory of graphs ------------------------------------------------------------------------------- */

cuda_error cuda_graph_memory_make(cuda_process *p, size_t bytes, cuda_work *work) {
    void *address;
    cuda_error error =
        bytes ? cuda_memory_make(p, CUDA_MEMORY_DEVICE, bytes, &address) : CUDA_INVALID_VALUE;
    if (error)
        return error;
    cuda_graph_memory *made = hd_zeroed(1, sizeof *made);
    *made = (cuda_graph_memory){.address = address,
                                .bytes = bytes,
                                .number = cuda_memory_at(p, address)->number,
                                .uses = 1};
    *work = (cuda_work){.kind = CUDA_WORK_ALLOC, .memory = made};
    return CUDA_SUCCESS;
}

cuda_error cuda_graph_memory_end(const cuda_graph *graph, const void *address, cuda_work *work) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cuda_work *made = &graph->nodes.data[i]->work;
        if (made->kind != CUDA_WORK_ALLOC || made->memory->address != address)
            continue;
        if (made->memory->is_freed)
            return CUDA_INVALID_VALUE;
        made->memory->is_freed = true;
        made->memory->uses++;
        *work = (cuda_work){.kind = CUDA_WORK_FREE, .memory = made->memory};
        return CUDA_SUCCESS;
    }
    return CUDA_NOT_SUPPORTED; /* memory of another graph, or of none */
}

void cuda_graph_memory_drop(cuda_graph_memory *memory) {
    if (--memory->uses)
        return;
    cuda_process *p = cuda_enter();
    const cuda_allocation *there = cuda_memory_at(p, memory->address);
    if (memory->is_freed && there && there->number == memory->number)
        cuda_memory_end(p, memory->address, 1 << CUDA_MEMORY_DEVICE, CUDA_INVALID_VALUE);
    cuda_leave(p);
    free(memory);
}
