/*
 * What programs that try random inputs share: text that can be made smaller, and processes
 * that run side by side.
 */
#ifndef HD_FUZZ_TOOLS_H
#define HD_FUZZ_TOOLS_H

#include "base/base.h"

/* ---- tree.c ------------------------------------------------------------------ */

typedef struct node node;
typedef struct piece {
    const char *text; /* or: */
    node *child;
} piece;
struct node {
    hd_vec(piece) pieces;
    const char *instead; /* what stands there when the node is dropped; NULL: it never is */
    bool dropped;
};

/* A node from a pattern: '@' takes a node, '$' a string, '#' a uint32_t from the arguments.
 * `instead` may be NULL. */
node *fuzz_node(hd_arena *arena, const char *instead, const char *pattern, ...);
node *fuzz_vnode(hd_arena *arena, const char *instead, const char *pattern, va_list args);
/* Appends to a node, by the same pattern. */
void fuzz_add(hd_arena *arena, node *n, const char *pattern, ...);
void fuzz_print(hd_str *out, const node *n);
/* All nodes that can be dropped and are not inside of one that is, parents first. */
typedef hd_vec(node *) node_list;
void fuzz_droppable(hd_arena *arena, node *n, node_list *list);

/* Drops nodes as long as `still` says that the rest is as wrong as before. */
typedef bool fuzz_still_fn(void *user);
void fuzz_shrink(node *root, fuzz_still_fn *still, void *user);

/* ---- processes.c ------------------------------------------------------------- */

/* Some of the inputs of a run. */
typedef struct task {
    uint64_t seed;
    uint32_t first, count;
} task;

/* The seed of one of them. */
uint64_t fuzz_seed(const task *t, uint32_t index);

/* Tries the inputs of a task; how many of them are wrong. */
typedef uint32_t fuzz_batch_fn(const task *t);

/* A program `fuzz_WHAT [--first I] [--count N] [--seed S]`: tries N inputs from number I on,
 * `batch` in each process, one process for each core at a time. Returns the exit status. */
int fuzz_main(const char *what, uint32_t batch, fuzz_batch_fn *run, int argc, char **argv);

#endif
