/*
 * Netlists in the .bench format of the ISCAS'89 and ITC'99 circuits, as graphs:
 *
 *     # a comment
 *     INPUT(a)
 *     OUTPUT(y)
 *     y = NAND(a, q)
 *     q = DFF(y)
 *
 * A node is an input or a gate (flip-flops are gates), in the order of the file; an
 * edge leads from a gate's operand to the gate. Signals may be used before they are
 * defined. The graph is in CSR form: the successors of node n are
 * to[first[n]] .. to[first[n + 1] - 1], ascending.
 */
#ifndef HD_BENCH_NETLIST_H
#define HD_BENCH_NETLIST_H

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "base/base.h"

typedef struct netlist {
    int32_t nodes, edges;
    int32_t *first;   /* [nodes + 1] */
    int32_t *to;      /* [edges] */
    int32_t *inputs;  /* [input_count]: nodes without operands */
    int32_t input_count;
} netlist;

typedef struct netlist_edge {
    int32_t from, to;
} netlist_edge;

static inline int netlist_edge_order(const void *a, const void *b) {
    const netlist_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* CSR of edges[]; sorts them. Nodes that no edge leads to are the inputs. */
static inline netlist *netlist_of_edges(hd_arena *arena, int32_t nodes, netlist_edge *edges,
                                        int32_t edge_count) {
    netlist *n = hd_new(arena, netlist);
    *n = (netlist){.nodes = nodes, .edges = edge_count,
                   .first = hd_new_array(arena, int32_t, nodes + 1),
                   .to = hd_new_array(arena, int32_t, edge_count),
                   .inputs = hd_new_array(arena, int32_t, nodes)};
    bool *entered = hd_new_array(arena, bool, nodes);
    if (edge_count)
        qsort(edges, (size_t)edge_count, sizeof *edges, netlist_edge_order);
    for (int32_t e = 0; e < edge_count; e++) {
        n->first[edges[e].from + 1]++;
        n->to[e] = edges[e].to;
        entered[edges[e].to] = true;
    }
    for (int32_t v = 0; v < nodes; v++) {
        n->first[v + 1] += n->first[v];
        if (!entered[v])
            n->inputs[n->input_count++] = v;
    }
    return n;
}

/* ---- reading ---------------------------------------------------------------- */

typedef struct netlist_name {
    const char *text;
    size_t length;
    int32_t node;
    uint32_t line; /* of its first use or its definition */
} netlist_name;

typedef struct netlist_reader {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path, *at;
    uint32_t line;
    hd_vec(netlist_name) nodes;    /* every definition, in the order of the file */
    hd_vec(netlist_name) operands; /* `node` is the gate that it feeds */
} netlist_reader;

static inline hd_status netlist_fail(const netlist_reader *r, uint32_t line, const char *what) {
    const hd_place place = {.file = r->path, .line = line};
    return hd_fail(r->diag, HD_EINPUT, &place,
                   "%s; a line is 'INPUT(a)', 'OUTPUT(a)', 'c = NAND(a, b)' or a comment after '#'",
                   what);
}

static inline void netlist_blanks(netlist_reader *r) {
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

/* The next name on this line; its length is 0 when there is none. */
static inline netlist_name netlist_word(netlist_reader *r) {
    netlist_blanks(r);
    netlist_name name = {.text = r->at, .line = r->line};
    while (isgraph((unsigned char)*r->at) && !strchr("(),=#", *r->at))
        r->at++;
    name.length = (size_t)(r->at - name.text);
    netlist_blanks(r);
    return name;
}

static inline bool netlist_take(netlist_reader *r, char c) {
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static inline bool netlist_is(netlist_name name, const char *text) {
    return name.length == strlen(text) && !strncasecmp(name.text, text, name.length);
}

/* "(a, b, ...)": what feeds the last node, or the one name of INPUT and OUTPUT. */
static inline hd_status netlist_operands(netlist_reader *r, netlist_name head, bool is_gate) {
    if (!netlist_take(r, '('))
        return netlist_fail(r, r->line, "'(' is missing here");
    do {
        netlist_name operand = netlist_word(r);
        if (!operand.length)
            return netlist_fail(r, r->line, "the name of a signal is missing here");
        operand.node = (int32_t)r->nodes.count - 1;
        if (is_gate)
            hd_push(r->arena, &r->operands, operand);
        else if (netlist_is(head, "INPUT"))
            hd_push(r->arena, &r->nodes, operand);
    } while (is_gate && netlist_take(r, ','));
    if (!netlist_take(r, ')'))
        return netlist_fail(r, r->line, "')' is missing here");
    return HD_OK;
}

static inline hd_status netlist_statement(netlist_reader *r) {
    netlist_name head = netlist_word(r);
    hd_status status = HD_OK;
    if (head.length && netlist_take(r, '=')) {
        hd_push(r->arena, &r->nodes, head);
        if (!netlist_word(r).length)
            return netlist_fail(r, r->line, "the kind of a gate is missing after '='");
        status = netlist_operands(r, head, true);
    } else if (netlist_is(head, "INPUT") || netlist_is(head, "OUTPUT")) {
        status = netlist_operands(r, head, false);
    } else if (head.length) {
        return netlist_fail(r, r->line, "this is no statement");
    }
    netlist_blanks(r);
    if (status == HD_OK && *r->at && *r->at != '\n' && *r->at != '#')
        status = netlist_fail(r, r->line, "there is more on this line than a statement");
    r->at += strcspn(r->at, "\n");
    return status;
}

static inline int netlist_name_order(const void *a, const void *b) {
    const netlist_name *x = a, *y = b;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->text, y->text, shorter);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Names to nodes: every operand is looked up among the sorted definitions. */
static inline hd_status netlist_link(netlist_reader *r, netlist **result) {
    int32_t nodes = (int32_t)r->nodes.count;
    netlist_edge *edges = hd_new_array(r->arena, netlist_edge, r->operands.count);
    for (int32_t v = 0; v < nodes; v++)
        r->nodes.data[v].node = v;
    if (nodes)
        qsort(r->nodes.data, (size_t)nodes, sizeof *r->nodes.data, netlist_name_order);
    for (int32_t v = 1; v < nodes; v++)
        if (!netlist_name_order(&r->nodes.data[v - 1], &r->nodes.data[v]))
            return netlist_fail(r, r->nodes.data[v].line, "this signal is defined twice");
    for (size_t e = 0; e < r->operands.count; e++) {
        const netlist_name *operand = &r->operands.data[e];
        const netlist_name *found = nodes ? bsearch(operand, r->nodes.data, (size_t)nodes,
                                                    sizeof *found, netlist_name_order)
                                          : NULL;
        if (!found)
            return netlist_fail(r, operand->line, "a signal on this line is defined nowhere");
        edges[e] = (netlist_edge){.from = found->node, .to = operand->node};
    }
    *result = netlist_of_edges(r->arena, nodes, edges, (int32_t)r->operands.count);
    return HD_OK;
}

static inline hd_status netlist_read(hd_arena *arena, const hd_diag *diag, const char *path,
                                     netlist **result) {
    char *text;
    size_t length;
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    if (status != HD_OK)
        return status;
    netlist_reader r = {.arena = arena, .diag = diag, .path = path, .at = text, .line = 1};
    for (; *r.at && status == HD_OK; r.line++) {
        status = netlist_statement(&r);
        r.at += *r.at == '\n';
    }
    return status == HD_OK ? netlist_link(&r, result) : status;
}

/* ---- making one up ---------------------------------------------------------- */

/* A netlist of this size whose gates have operands near them, mostly before them, as a
 * synthesised circuit has; the first `inputs` nodes are its inputs. */
static inline netlist *netlist_generate(hd_arena *arena, int32_t nodes, int32_t edge_count,
                                        int32_t inputs) {
    enum { REACH = 4096 };
    netlist_edge *edges = hd_new_array(arena, netlist_edge, edge_count);
    uint64_t random = 1;
    for (int32_t e = 0; e < edge_count; e++) {
        int32_t to = inputs + e % (nodes - inputs);
        random = random * 6364136223846793005u + 1442695040888963407u;
        int32_t reach = to < REACH ? to : REACH;
        edges[e] = (netlist_edge){.from = to - 1 - (int32_t)((random >> 33) % (uint64_t)reach),
                                  .to = to};
    }
    return netlist_of_edges(arena, nodes, edges, edge_count);
}

/* ---- breadth-first search ------------------------------------------------------ */

/* The level of every node, 0 for the inputs, -1 where no path leads to; and how many
 * levels there are. */
static inline int32_t *netlist_levels(hd_arena *arena, const netlist *n, int32_t *level_count) {
    int32_t *level = hd_new_array(arena, int32_t, n->nodes);
    int32_t *queue = hd_new_array(arena, int32_t, n->nodes);
    int32_t head = 0, tail = 0;
    for (int32_t v = 0; v < n->nodes; v++)
        level[v] = -1;
    for (int32_t i = 0; i < n->input_count; i++)
        level[queue[tail++] = n->inputs[i]] = 0;
    while (head < tail) {
        int32_t v = queue[head++];
        *level_count = level[v] + 1;
        for (int32_t e = n->first[v]; e < n->first[v + 1]; e++)
            if (level[n->to[e]] < 0)
                level[queue[tail++] = n->to[e]] = level[v] + 1;
    }
    return level;
}

#endif
