#include "cuda/cuda_graph.h"

#include <stdlib.h>

#include "cuda/cuda_memory.h"
#include "cuda/cuda_stream.h"

/* ---- graphs ---------------------------------------------------------------------------------- */

cuda_graph *cuda_graph_make(cuda_process *p) {
    cuda_graph *graph = cuda_handle_new(p, CUDA_GRAPH, sizeof *graph);
    graph->arena = hd_arena_new();
    graph->id = ++p->streams->graphs;
    return graph;
}

static void end_branch(cuda_process *p, cuda_branch *branch) {
    for (uint32_t i = 0; i < branch->count; i++)
        cuda_graph_end(p, branch->graphs[i]);
    free(branch->graphs);
    free(branch);
}

/* Ends what a node is to do, with the graphs that it may hold. */
static void drop(cuda_process *p, cuda_work *held) {
    if (held->kind == CUDA_WORK_GRAPH)
        cuda_graph_end(p, held->graph);
    if (held->kind == CUDA_WORK_BRANCH)
        end_branch(p, held->branch);
    cuda_work_drop(held);
}

static cuda_error keep(cuda_process *p, const cuda_work *work, cuda_work *kept) {
    cuda_error error = cuda_work_keep(p, work, kept);
    if (!error && work->kind == CUDA_WORK_GRAPH)
        kept->graph->is_inner = true;
    return error;
}

static cuda_error replace(cuda_process *p, cuda_work *held, const cuda_work *work) {
    cuda_work kept;
    cuda_error error = keep(p, work, &kept);
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

static void end_condition(cuda_process *p, cuda_condition *condition) {
    if (--condition->uses)
        return;
    cuda_memory_remove_variable(p, condition->value);
    hd_ptx_free(p->machine, condition->value);
    free(condition);
}

static void keep_conditions(cuda_graph *graph, const cuda_graph *other) {
    for (size_t i = 0; i < other->conditions.count; i++) {
        other->conditions.data[i]->uses++;
        hd_push(graph->arena, &graph->conditions, other->conditions.data[i]);
    }
}

void cuda_graph_end(cuda_process *p, cuda_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(p, graph->nodes.data[i]);
    for (size_t i = 0; i < graph->objects.count; i++)
        cuda_user_object_release(p, graph->objects.data[i].object, graph->objects.data[i].count);
    for (size_t i = 0; i < graph->conditions.count; i++)
        end_condition(p, graph->conditions.data[i]);
    hd_arena_free(graph->arena);
    cuda_handle_free(p, graph);
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
    cuda_error error = keep(p, work, &kept);
    if (error)
        return error;
    cuda_node *node = cuda_handle_new(p, CUDA_GRAPH_NODE, sizeof *node);
    node->graph = graph;
    node->work = kept;
    node->place = (uint32_t)graph->nodes.count;
    node->number = ++graph->made;
    for (size_t i = 0; i < count; i++)
        hd_push(graph->arena, &node->after, after[i]);
    hd_push(graph->arena, &graph->nodes, node);
    *result = node;
    return CUDA_SUCCESS;
}

static bool has_edge(const cuda_node *from, const cuda_node *to) {
    return is_among(from, to->after.data, to->after.count);
}

cuda_error cuda_graph_add_edge(cuda_process *p, cuda_node *from, cuda_node *to) {
    if (!cuda_handle_is(p, from, CUDA_GRAPH_NODE) || !cuda_handle_is(p, to, CUDA_GRAPH_NODE) ||
        from->graph != to->graph || from == to || has_edge(from, to))
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
    size_t at = node->place;
    for (size_t i = 0; i < graph->nodes.count; i++)
        take_edge(node, graph->nodes.data[i]);
    memmove(&graph->nodes.data[at], &graph->nodes.data[at + 1],
            (graph->nodes.count - at - 1) * sizeof(cuda_node *));
    graph->nodes.count--;
    for (; at < graph->nodes.count; at++)
        graph->nodes.data[at]->place = (uint32_t)at;
    free_node(p, node);
}

void *cuda_node_attribute(cuda_node *node, int id) {
    if (!node->attributes)
        node->attributes = (char(*)[CUDA_ATTRIBUTE_BYTES])hd_new_array(
            node->graph->arena, char, CUDA_ATTRIBUTES *CUDA_ATTRIBUTE_BYTES);
    return node->attributes[id - 1];
}

cuda_error cuda_graph_copy(cuda_process *p, const cuda_graph *graph, cuda_graph **result) {
    cuda_graph *copy = cuda_graph_make(p);
    copy->of = graph->id;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cuda_node *original = graph->nodes.data[i];
        cuda_node *node;
        cuda_error error = cuda_graph_add(p, copy, NULL, 0, &original->work, &node);
        if (error) {
            cuda_graph_end(p, copy);
            return error;
        }
        node->of = original->number;
        node->disabled = original->disabled;
        for (int id = 1; original->attributes && id <= CUDA_ATTRIBUTES; id++)
            memcpy(cuda_node_attribute(node, id), original->attributes[id - 1],
                   CUDA_ATTRIBUTE_BYTES);
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cuda_node *node = graph->nodes.data[i];
        for (size_t k = 0; k < node->after.count; k++)
            hd_push(copy->arena, &copy->nodes.data[i]->after,
                    copy->nodes.data[node->after.data[k]->place]);
    }
    for (size_t i = 0; i < graph->objects.count; i++)
        cuda_graph_retain(copy, graph->objects.data[i].object, graph->objects.data[i].count);
    keep_conditions(copy, graph);
    *result = copy;
    return CUDA_SUCCESS;
}

/* ---- objects of the program ------------------------------------------------------------------------ */

void cuda_graph_retain(cuda_graph *graph, cuda_user_object *object, uint32_t count) {
    object->uses += count;
    for (size_t i = 0; i < graph->objects.count; i++)
        if (graph->objects.data[i].object == object) {
            graph->objects.data[i].count += count;
            return;
        }
    hd_push(graph->arena, &graph->objects, (cuda_graph_use){object, count});
}

cuda_error cuda_graph_release(cuda_process *p, cuda_graph *graph, cuda_user_object *object,
                              uint32_t count) {
    for (size_t i = 0; i < graph->objects.count; i++) {
        cuda_graph_use *use = &graph->objects.data[i];
        if (use->object != object || use->count < count)
            continue;
        use->count -= count;
        if (!use->count)
            *use = graph->objects.data[--graph->objects.count];
        cuda_user_object_release(p, object, count);
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

void cuda_user_object_release(cuda_process *p, cuda_user_object *object, uint32_t count) {
    object->uses -= count;
    if (object->uses)
        return;
    const cuda_work last = {.kind = CUDA_WORK_HOST, .host = object->end};
    cuda_handle_free(p, object);
    cuda_work_run(p, &last);
}

/* ---- conditions ------------------------------------------------------------------------------------ */

cuda_error cuda_condition_make(cuda_process *p, cuda_graph *graph, uint32_t first, bool is_set,
                               uint32_t **value) {
    *value = hd_ptx_alloc_named(p->machine, "the condition of a graph", sizeof **value, 8);
    if (!*value)
        return CUDA_OUT_OF_MEMORY;
    hd_ptx_wrote(p->machine, *value, sizeof **value);
    cuda_memory_add_variable(p, *value, sizeof **value);
    cuda_condition *made = hd_zeroed(1, sizeof *made);
    *made = (cuda_condition){*value, first, is_set, 1};
    hd_push(graph->arena, &graph->conditions, made);
    return CUDA_SUCCESS;
}

bool cuda_condition_is(const cuda_graph *graph, const uint32_t *value) {
    for (size_t i = 0; i < graph->conditions.count; i++)
        if (graph->conditions.data[i]->value == value)
            return true;
    return false;
}

cuda_error cuda_branch_copy(cuda_process *p, const cuda_branch *branch, cuda_branch **result) {
    cuda_branch *copy = hd_zeroed(1, sizeof *copy);
    *copy = *branch;
    copy->count = 0;
    copy->graphs = hd_zeroed(branch->count, sizeof(cuda_graph *));
    for (uint32_t i = 0; i < branch->count; i++) {
        cuda_error error = CUDA_SUCCESS;
        if (branch->graphs)
            error = cuda_graph_copy(p, branch->graphs[i], &copy->graphs[i]);
        else
            copy->graphs[i] = cuda_graph_make(p);
        if (error) {
            end_branch(p, copy);
            return error;
        }
        copy->graphs[i]->is_inner = true;
        copy->count++;
    }
    *result = copy;
    return CUDA_SUCCESS;
}

cuda_error cuda_branch_run(cuda_process *p, const cuda_branch *branch) {
    cuda_error error = CUDA_SUCCESS;
    uint32_t value = *branch->value;
    switch (branch->kind) {
    case CUDA_IF: value = value ? 0 : 1; break;
    case CUDA_WHILE:
        while (*branch->value && !error && !p->sticky)
            error = cuda_graph_run(p, branch->graphs[0]);
        return error;
    case CUDA_SWITCH: break;
    }
    return value < branch->count ? cuda_graph_run(p, branch->graphs[value]) : CUDA_SUCCESS;
}

/* The first values, also of the graphs in its nodes. */
static void set_conditions(const cuda_graph *graph) {
    for (size_t i = 0; i < graph->conditions.count; i++)
        if (graph->conditions.data[i]->is_set)
            *graph->conditions.data[i]->value = graph->conditions.data[i]->first;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cuda_work *work = &graph->nodes.data[i]->work;
        if (work->kind == CUDA_WORK_GRAPH)
            set_conditions(work->graph);
        for (uint32_t k = 0; work->kind == CUDA_WORK_BRANCH && k < work->branch->count; k++)
            set_conditions(work->branch->graphs[k]);
    }
}

/* ---- an order -------------------------------------------------------------------------------------- */

/* The first of these nodes that is not done; NULL: all are. */
static cuda_node *first_open(cuda_node *const *nodes, size_t count, const bool *is_done) {
    for (size_t i = 0; i < count; i++)
        if (!is_done[nodes[i]->place])
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
            if (is_done[i] || first_open(node->after.data, node->after.count, is_done))
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
            is_done[i] = !first_open(graph->nodes.data[i]->after.data,
                                     graph->nodes.data[i]->after.count, is_done);
    cuda_node *open = first_open(graph->nodes.data, count, is_done);
    for (size_t i = 0; i < count && open; i++)
        open = first_open(open->after.data, open->after.count, is_done);
    hd_arena_free(arena);
    return open;
}

/* ---- differences ----------------------------------------------------------------------------------- */

static cuda_graph_difference differs(cuda_difference what, const cuda_node *node,
                                     const cuda_node *from) {
    return (cuda_graph_difference){what, node, from};
}

/* An edge of `to` that the node of the other graph has not; NULL: there is none. */
static const cuda_node *edge_alone(const cuda_node *to, const cuda_node *other) {
    for (size_t i = 0; i < to->after.count; i++) {
        const cuda_node *from = to->after.data[i];
        if (from->place >= other->graph->nodes.count ||
            !has_edge(other->graph->nodes.data[from->place], other))
            return from;
    }
    return NULL;
}

/* Rows, pitches and kinds of memory may change; a copy of one row remains one. */
static bool takes_parameters(const cuda_work *held, const cuda_work *work) {
    switch (held->kind) {
    case CUDA_WORK_COPY:
        return (held->copy.box.height > 1 || held->copy.box.depth > 1) ==
               (work->copy.box.height > 1 || work->copy.box.depth > 1);
    case CUDA_WORK_FILL: return (held->fill.box.height > 1) == (work->fill.box.height > 1);
    default: return true;
    }
}

static cuda_graph_difference compare(const cuda_graph *graph, const cuda_graph *other);

static bool is_same_branch(const cuda_branch *a, const cuda_branch *b) {
    bool same = a->kind == b->kind && a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = compare(a->graphs[i], b->graphs[i]).what == CUDA_SAME;
    return same;
}

/* How `other` differs from the graph as an executable one cannot: nodes, in the order in which they
 * were made, their kinds, and edges. */
static cuda_graph_difference compare(const cuda_graph *graph, const cuda_graph *other) {
    size_t count = graph->nodes.count, others = other->nodes.count;
    for (size_t i = 0; i < count && i < others; i++) {
        const cuda_node *a = graph->nodes.data[i], *b = other->nodes.data[i];
        if (a->work.kind != b->work.kind)
            return differs(CUDA_OTHER_KIND, b, NULL);
        if (edge_alone(b, a))
            return differs(CUDA_OTHER_SHAPE, b, edge_alone(b, a));
        if (edge_alone(a, b))
            return differs(CUDA_OTHER_SHAPE, b, NULL);
        if (a->work.kind == CUDA_WORK_GRAPH &&
            compare(a->work.graph, b->work.graph).what != CUDA_SAME)
            return differs(CUDA_OTHER_SHAPE, b, NULL);
        if (a->work.kind == CUDA_WORK_BRANCH && !is_same_branch(a->work.branch, b->work.branch))
            return differs(CUDA_OTHER_PARAMETERS, b, NULL);
        if (!takes_parameters(&a->work, &b->work))
            return differs(CUDA_OTHER_PARAMETERS, b, NULL);
    }
    return count == others
               ? differs(CUDA_SAME, NULL, NULL)
               : differs(CUDA_OTHER_SHAPE, others > count ? other->nodes.data[count] : NULL, NULL);
}

cuda_error cuda_node_set(cuda_process *p, cuda_node *node, const cuda_work *work) {
    if (node->work.kind != work->kind ||
        (work->kind == CUDA_WORK_GRAPH && compare(node->work.graph, work->graph).what))
        return CUDA_INVALID_VALUE;
    cuda_work other = *work;
    if (work->kind == CUDA_WORK_LAUNCH) /* attributes of the node stay */
        cuda_keep_launch_attributes(&other.launch.size, &node->work.launch.size);
    return replace(p, &node->work, &other);
}

/* ---- executable graphs -------------------------------------------------------------------------------- */

cuda_error cuda_graph_exec_make(cuda_process *p, const cuda_graph *graph, uint64_t flags,
                                cuda_graph_exec **result) {
    size_t count = graph->nodes.count;
    cuda_graph *copy;
    cuda_error error = cuda_graph_copy(p, graph, &copy);
    if (error)
        return error;
    cuda_node **order = hd_new_array(copy->arena, cuda_node *, count + 1);
    if (!put_in_order(copy, copy->arena, order)) {
        cuda_graph_end(p, copy);
        return CUDA_INVALID_VALUE;
    }
    cuda_graph_exec *exec = cuda_handle_new(p, CUDA_GRAPH_EXEC, sizeof *exec);
    *exec = (cuda_graph_exec){copy, hd_new_array(copy->arena, const cuda_node *, count + 1), order,
                              flags};
    for (size_t i = 0; i < count; i++)
        exec->of[i] = graph->nodes.data[i];
    *result = exec;
    return CUDA_SUCCESS;
}

void cuda_graph_exec_end(cuda_process *p, cuda_graph_exec *exec) {
    cuda_graph_end(p, exec->graph);
    cuda_handle_free(p, exec);
}

cuda_node *cuda_graph_exec_node(const cuda_graph_exec *exec, const cuda_node *node) {
    for (size_t i = 0; i < exec->graph->nodes.count; i++)
        if (exec->of[i] == node)
            return exec->graph->nodes.data[i];
    return NULL;
}

cuda_error cuda_graph_exec_update(cuda_process *p, cuda_graph_exec *exec, const cuda_graph *graph,
                                  cuda_graph_difference *difference) {
    *difference = compare(exec->graph, graph);
    cuda_error error =
        difference->what == CUDA_SAME ? CUDA_SUCCESS : CUDA_GRAPH_EXEC_UPDATE_FAILURE;
    if (!error)
        keep_conditions(exec->graph, graph);
    for (size_t i = 0; i < graph->nodes.count && !error; i++)
        error = replace(p, &exec->graph->nodes.data[i]->work, &graph->nodes.data[i]->work);
    return error;
}

static cuda_error run_in_order(cuda_process *p, cuda_node *const *order, size_t count) {
    cuda_error error = CUDA_SUCCESS;
    for (size_t i = 0; i < count && !error; i++)
        if (!order[i]->disabled)
            error = cuda_work_run(p, &order[i]->work);
    return error;
}

cuda_error cuda_graph_exec_run(cuda_process *p, cuda_graph_exec *exec) {
    set_conditions(exec->graph);
    return run_in_order(p, exec->order, exec->graph->nodes.count);
}

cuda_error cuda_graph_run(cuda_process *p, const cuda_graph *graph) {
    hd_arena *arena = hd_arena_new();
    cuda_node **order = hd_new_array(arena, cuda_node *, graph->nodes.count + 1);
    cuda_error error = put_in_order(graph, arena, order)
                           ? run_in_order(p, order, graph->nodes.count)
                           : CUDA_INVALID_VALUE;
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
    cuda_memory_set_pool(p, address, &p->memory->graph_pool);
    cuda_graph_memory *made = hd_zeroed(1, sizeof *made);
    *made = (cuda_graph_memory){.address = address,
                                .bytes = bytes,
                                .number = cuda_memory_at(p, address)->number,
                                .uses = 1};
    *work = (cuda_work){.kind = CUDA_WORK_ALLOC, .memory = made};
    return CUDA_SUCCESS;
}

bool cuda_graph_allocates(const cuda_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cuda_work_kind kind = graph->nodes.data[i]->work.kind;
        if (kind == CUDA_WORK_ALLOC || kind == CUDA_WORK_FREE)
            return true;
    }
    return false;
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
