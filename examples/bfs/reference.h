/* Breadth-first search in plain C; see bfs.cl. */
#ifndef BFS_REFERENCE_H
#define BFS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct bfs_node {
    uint32_t first, end, distance;
} bfs_node;

/* From the `source_count` nodes of sources[]. Their own operands do not lead to them. */
void bfs_search(bfs_node *nodes, size_t count, const uint32_t *operands, const uint32_t *sources,
                size_t source_count);

#endif
