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
} cuda_node;

struct cuda_graph {
    hd_arena *arena;
    hd_vec(cuda_node *) nodes; /* in the order that they were made in, each after those it comes
                                * after unless edges were added later */
    uint64_t id;
};

typedef struct cuda_step {
    const cuda_node *node; /* it was made of; the address alone, since the node may be gone */
    cuda_work work;
    bool disabled;
} cuda_step;

typedef struct cuda_graph_exec {
    hd_arena *arena;
    cuda_step *steps;
    uint32_t count;
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

/* Adds a node that comes after these, which are checked to be nodes of the graph. */
cuda_error cuda_graph_add(cuda_process *p, cuda_graph *graph, cuda_node *const *after, size_t count,
                          const cuda_work *work, cuda_node **node);
cuda_error cuda_graph_add_edge(cuda_process *p, cuda_node *from, cuda_node *to);
cuda_error cuda_graph_remove_edge(cuda_process *p, cuda_node *from, cuda_node *to);
void cuda_node_end(cuda_process *p, cuda_node *node);
/* A node that comes after itself; NULL: none does. */
cuda_node *cuda_graph_circle(const cuda_graph *graph);
/* Gives a node other work of the same kind. */
cuda_error cuda_node_set(cuda_process *p, cuda_node *node, const cuda_work *work);

/* An INVALID_VALUE when nodes come after each other in a circle. */
cuda_error cuda_graph_exec_make(cuda_process *p, const cuda_graph *graph, uint64_t flags,
                                cuda_graph_exec **exec);
void cuda_graph_exec_end(cuda_process *p, cuda_graph_exec *exec);
/* The step of a node; NULL: there is none. */
cuda_step *cuda_graph_exec_step(cuda_graph_exec *exec, const cuda_node *node);
cuda_error cuda_graph_exec_set(cuda_process *p, cuda_graph_exec *exec, const cuda_node *node,
                               const cuda_work *work);
/* Takes the work of a graph of the same shape; *differs is the first node that is in the way. */
cuda_error cuda_graph_exec_update(cuda_process *p, cuda_graph_exec *exec, const cuda_graph *graph,
                                  const cuda_node **differs);
cuda_error cuda_graph_exec_run(cuda_process *p, cuda_graph_exec *exec);
/* Runs a graph once, as a node of another one. */
cuda_error cuda_graph_run(cuda_process *p, const cuda_graph *graph);

#endif
