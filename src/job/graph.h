/*
 * Graphs for jobs: circuits and meshes, from files or made up.
 *
 *     hd_graph *graph;
 *     status = hd_graph_read(arena, diag, "b17.bench", &graph);
 *     for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
 *         visit(graph->to[e]);
 *
 * A graph is in CSR form (compressed sparse rows): the successors of node v are
 * to[first[v]] .. to[first[v + 1] - 1], ascending. A circuit's graph is directed: its nodes are
 * inputs and gates, and an edge leads from a gate's operand to the gate. A mesh's graph is
 * undirected: each edge stands in `to` twice, once at each end.
 *
 * Everything lives in the arena that was handed in. docs/graphs.md describes the files and
 * what the generators make.
 */
#ifndef HD_GRAPH_H
#define HD_GRAPH_H

#include "base/base.h"

/* What a node of a circuit is; the numbers are those of the part `gates`. */
#define HD_GATES(X) X(INPUT) X(DFF) X(BUF) X(NOT) X(AND) X(NAND) X(OR) X(NOR) X(XOR) X(XNOR)
typedef enum hd_gate {
#define HD_GATE_MEMBER(name) HD_GATE_##name,
    HD_GATES(HD_GATE_MEMBER)
#undef HD_GATE_MEMBER
        HD_GATE_KINDS
} hd_gate;

typedef struct hd_graph {
    uint32_t nodes, edges; /* an undirected edge counts once; both are below 2^31 */
    bool directed;
    uint32_t *first; /* [nodes + 1] */
    uint32_t *to;    /* [first[nodes]]: edges, or twice as many in an undirected graph */
    uint8_t *gates;  /* [nodes], of hd_gate; NULL for a mesh */
} hd_graph;

enum { HD_GRAPH_MOST = 0x7fffffff }; /* nodes, and entries of `to` */

/* ---- graph.c ------------------------------------------------------------ */

typedef struct hd_graph_edge {
    uint32_t from, to;
} hd_graph_edge;

/* The graph of these edges, in any order. An undirected one has each edge once in the list. */
hd_graph *hd_graph_of_edges(hd_arena *arena, uint32_t nodes, bool directed,
                            const hd_graph_edge *edges, uint32_t edge_count);

/* The same nodes, all edges turned round: predecessors in the place of successors. */
hd_graph *hd_graph_transpose(hd_arena *arena, const hd_graph *graph);

/* ---- levels.c ----------------------------------------------------------- */

enum { HD_NO_LEVEL = -1 };

/* Nodes by level. */
typedef struct hd_levels {
    uint32_t count;  /* levels */
    int32_t *level;  /* [nodes]; HD_NO_LEVEL: none */
    uint32_t *order; /* nodes that have a level, by level and then by number */
    uint32_t *first; /* [count + 1]: where each level begins in `order` */
} hd_levels;

/* The steps in which a circuit settles: inputs and flip-flops are of level 0, another gate is
 * one above the highest of its operands. In a mesh: the steps of a breadth-first search from
 * node 0, and from the lowest node that it left out, and so on. Every node has a level;
 * a directed graph must have no cycle but through flip-flops (hd_graph_read() sees to it). */
hd_levels *hd_graph_levels(hd_arena *arena, const hd_graph *graph);

/* Length of a cycle of a circuit that no flip-flop is in, its nodes along the edges, from the
 * lowest, in *cycle; 0 when there is none. */
uint32_t hd_graph_find_cycle(hd_arena *arena, const hd_graph *graph, uint32_t **cycle);

/* ---- read.c, netlist.c, metis.c ------------------------------------------ */

/* Reads a file by its ending: .bench or .graph. Faults are told with line and column. */
hd_status hd_graph_read(hd_arena *arena, const hd_diag *diag, const char *path, hd_graph **graph);
/* The same for text at hand; messages call it `path`. The text ends in '\0' at text[length]. */
hd_status hd_netlist_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
                           size_t length, hd_graph **graph);
hd_status hd_metis_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
                         size_t length, hd_graph **graph);

/* ---- generate.c ---------------------------------------------------------- */

typedef struct hd_graph_size {
    uint64_t nodes, edges; /* 0: the default; that of edges follows the nodes */
    uint64_t seed;
    const hd_place *place; /* of messages; may be NULL */
} hd_graph_size;

/* A mesh of tetrahedra in three dimensions; by default 144,649 nodes and 1,074,393 edges. */
hd_status hd_mesh_generate(hd_arena *arena, const hd_diag *diag, const hd_graph_size *size,
                           hd_graph **graph);
/* A circuit; by default 32,229 nodes and 63,200 edges. */
hd_status hd_netlist_generate(hd_arena *arena, const hd_diag *diag, const hd_graph_size *size,
                              hd_graph **graph);

/* ---- parts.c: a graph as arrays of numbers -------------------------------- */

/* Name, and what there is one number for. */
#define HD_GRAPH_PARTS(X)                             \
    X(FIRST, "first", BOUND)                          \
    X(END, "end", NODE)                               \
    X(TO, "to", ARC)                                  \
    X(DEGREE, "degree", NODE)                         \
    X(PREDECESSOR_DEGREE, "predecessor_degree", NODE) \
    X(PREDECESSOR_FIRST, "predecessor_first", BOUND)  \
    X(PREDECESSOR_END, "predecessor_end", NODE)       \
    X(PREDECESSORS, "predecessors", ARC)              \
    X(LEVELS, "levels", NODE)                         \
    X(ORDER, "order", NODE)                           \
    X(GATES, "gates", NODE)                           \
    X(EDGE_FROM, "edge_from", EDGE)                   \
    X(EDGE_TO, "edge_to", EDGE)                       \
    X(EDGE_FIRST, "edge_first", BOUND)                \
    X(BACK_FIRST, "back_first", BOUND)                \
    X(BACK_EDGES, "back_edges", EDGE)
typedef enum hd_graph_part {
#define HD_PART_MEMBER(name, text, unit) HD_PART_##name,
    HD_GRAPH_PARTS(HD_PART_MEMBER)
#undef HD_PART_MEMBER
        HD_PART_KINDS
} hd_graph_part;

/* False when there is no such part. */
bool hd_graph_part_parse(const char *name, hd_graph_part *part);
/* "first, to, ...": all of them. */
const char *hd_graph_part_names(hd_arena *arena);
const char *hd_graph_part_name(hd_graph_part part);

/* How many numbers the part has. `first` and its like have one more than there are nodes;
 * may_drop_last: the last one may be left out, since a record per node has no place for it. */
uint64_t hd_graph_part_count(const hd_graph *graph, hd_graph_part part, bool *may_drop_last);
/* A mesh has no gates. */
bool hd_graph_has_part(const hd_graph *graph, hd_graph_part part);
/* The numbers. */
const uint32_t *hd_graph_part_values(hd_arena *arena, const hd_graph *graph, hd_graph_part part);

#endif
