/*
 * Graphs: work with what it comes after, and executable copies of it, which are replayed in an
 * order that keeps to that.
 */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H

#include "cuda/work.h"

typedef struct cuda_graph cuda_graph;

typedef struct cuda_node {
    cuda_graph *graph;
    cuda_work work;                   /* kept */
    hd_vec(struct cuda_node *) after; /* what it comes after */
    uint32_t place;                   /* among the nodes of the graph */
    uint64_t number, of;              /* in the graph, from 1; of the node that it is a copy of */
    uint64_t capture;                 /* whose end it must have been joined at; 0: none */
    bool disabled;
    /* Of a launch: hints, as they were set. */
    char (*attributes)[CUDA_ATTRIBUTE_BYTES]; /* NULL: none was */
} cuda_node;

/* What a program wants to be called when nobody has the object any more. */
typedef struct cuda_user_object {
    cuda_host_call end;
    uint32_t uses;
} cuda_user_object;
typedef struct cuda_graph_use {
    cuda_user_object *object;
    uint32_t count;
} cuda_graph_use;

/* A number that kernels set, and that decides what is run: the handle is its address. It is set to the
 * first value when a graph is launched, where that is wanted. */
typedef struct cuda_condition {
    uint32_t *value;
    uint32_t first;
    bool is_set;
    uint32_t uses;
} cuda_condition;

/* What a node runs of its graphs: cudaGraphConditionalNodeType. */
typedef enum cuda_branch_kind { CUDA_IF, CUDA_WHILE, CUDA_SWITCH } cuda_branch_kind;
typedef struct cuda_branch {
    const uint32_t *value;
    cuda_branch_kind kind;
    uint32_t count;
    cuda_graph **graphs; /* NULL: empty ones, to be made */
} cuda_branch;

struct cuda_graph {
    hd_arena *arena;
    hd_vec(cuda_node *) nodes; /* in the order that they were made in, each after those it comes
                                * after unless edges were added later */
    hd_vec(cuda_graph_use) objects;
    hd_vec(cuda_condition *) conditions;
    uint64_t id, of; /* from 1; of the graph that it is a copy of */
    uint64_t made;   /* nodes so far */
    bool is_inner;   /* of a node, which ends it */
};

typedef struct cuda_graph_exec {
    cuda_graph *graph; /* a copy */
    const cuda_node *
        *of;           /* the node that each of it was made of; the address alone, since that node
                           * may be gone */
    cuda_node **order; /* that they run in */
    uint64_t flags;
} cuda_graph_exec;

/* Memory that nodes allocate: it is there, at one address, from when the node is made. If the graph
 * frees it, it goes with the last node or step that uses it; else the program frees it. */
typedef struct cuda_graph_memory {
    void *address;
    size_t bytes;
    uint64_t number; /* of the allocation */
    uint32_t uses;
    bool is_freed;
    int properties[22]; /* cudaMemPoolProps, as the program gave them */
} cuda_graph_memory;

/* Work that allocates, and that frees what a node of the graph allocates; a use, which is dropped
 * with the work. */
cuda_error cuda_graph_memory_make(cuda_process *p, size_t bytes, cuda_work *work);
cuda_error cuda_graph_memory_end(const cuda_graph *graph, const void *address, cuda_work *work);
void cuda_graph_memory_drop(cuda_graph_memory *memory);

cuda_graph *cuda_graph_make(cuda_process *p);
void cuda_graph_end(cuda_process *p, cuda_graph *graph);
cuda_error cuda_graph_copy(cuda_process *p, const cuda_graph *graph, cuda_graph **copy);
/* Whether nodes allocate or free: what they do is of the one graph that they were added to, which a program
 * does not copy, nor take apart. */
bool cuda_graph_allocates(const cuda_graph *graph);

/* A use more of an object, `count` times; and less, which is an INVALID_VALUE where the graph has not
 * as many. A use of nobody's any more ends it. */
void cuda_graph_retain(cuda_graph *graph, cuda_user_object *object, uint32_t count);
cuda_error cuda_graph_release(cuda_process *p, cuda_graph *graph, cuda_user_object *object,
                              uint32_t count);
void cuda_user_object_release(cuda_process *p, cuda_user_object *object, uint32_t count);

/* A condition of the graph, and whether this is the address of one. */
cuda_error cuda_condition_make(cuda_process *p, cuda_graph *graph, uint32_t first, bool is_set,
                               uint32_t **value);
bool cuda_condition_is(const cuda_graph *graph, const uint32_t *value);
cuda_error cuda_branch_copy(cuda_process *p, const cuda_branch *branch, cuda_branch **copy);
cuda_error cuda_branch_run(cuda_process *p, const cuda_branch *branch);

/* Adds a node that comes after these, which are checked to be nodes of the graph. */
cuda_error cuda_graph_add(cuda_process *p, cuda_graph *graph, cuda_node *const *after, size_t count,
                          const cuda_work *work, cuda_node **node);
cuda_error cuda_graph_add_edge(cuda_process *p, cuda_node *from, cuda_node *to);
cuda_error cuda_graph_remove_edge(cuda_process *p, cuda_node *from, cuda_node *to);
void cuda_node_end(cuda_process *p, cuda_node *node);
/* A node that comes after itself; NULL: none does. */
cuda_node *cuda_graph_circle(const cuda_graph *graph);
/* Gives a node other work of the same kind; of a graph, only one of the same shape. */
cuda_error cuda_node_set(cuda_process *p, cuda_node *node, const cuda_work *work);
/* What a launch has by its attributes is that of the other one. */
static inline void cuda_keep_launch_attributes(hd_ptx_launch_size *to,
                                               const hd_ptx_launch_size *from) {
    to->cooperative = from->cooperative;
    memcpy(to->cluster, from->cluster, sizeof to->cluster);
}
/* Where an attribute of a launch is kept; the room is made where there is none. */
void *cuda_node_attribute(cuda_node *node, int id);

/* An INVALID_VALUE when nodes come after each other in a circle. */
cuda_error cuda_graph_exec_make(cuda_process *p, const cuda_graph *graph, uint64_t flags,
                                cuda_graph_exec **exec);
void cuda_graph_exec_end(cuda_process *p, cuda_graph_exec *exec);
/* Its node that was made of this one; NULL: there is none. */
cuda_node *cuda_graph_exec_node(const cuda_graph_exec *exec, const cuda_node *node);

/* How graphs differ: cudaGraphExecUpdateResult, and where. */
typedef enum cuda_difference {
    CUDA_SAME = 0,
    CUDA_OTHER_SHAPE = 2,
    CUDA_OTHER_KIND = 3,
    CUDA_OTHER_PARAMETERS = 5 /* in a way that an executable graph does not take */
} cuda_difference;
typedef struct cuda_graph_difference {
    cuda_difference what;
    const cuda_node *node, *from; /* of the other graph; NULL: none of it, no edge */
} cuda_graph_difference;
/* Takes the work of a graph of the same shape. */
cuda_error cuda_graph_exec_update(cuda_process *p, cuda_graph_exec *exec, const cuda_graph *graph,
                                  cuda_graph_difference *difference);
cuda_error cuda_graph_exec_run(cuda_process *p, cuda_graph_exec *exec);
/* Runs a graph once, as a node of another one. */
cuda_error cuda_graph_run(cuda_process *p, const cuda_graph *graph);

#endif
