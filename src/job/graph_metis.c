/*
 * Graphs in the format of METIS (Karypis and Kumar, "METIS: a software package for
 * partitioning unstructured graphs", manual 5.1, section 4.1):
 *
 *     % a comment
 *     4 3            nodes, edges; then perhaps fmt (which weights there are) and ncon
 *     2 3            the neighbours of node 1
 *     1
 *     1 4
 *     3
 *
 * Every edge stands at both its ends. Weights are read, so that nothing is taken for what it
 * is not, and left out.
 */
#include "base/scan.h"
#include "job/graph.h"

typedef struct parser {
    hd_scan s; /* its arena is of this file only */
    const char *header;
    uint64_t nodes, edges;                      /* of the header */
    uint64_t sizes, node_weights, edge_weights; /* numbers before the neighbours, and after each */
    hd_vec(uint32_t) to;
    uint32_t *first;
    const char **lines; /* where each node's line begins */
} parser;

static void skip_comments(hd_scan *s) {
    while (hd_scan_peek(s) == '%')
        hd_scan_next_line(s);
}

static uint64_t read_number(hd_scan *s, const char *what) {
    uint64_t number;
    hd_scan_blanks(s);
    const char *begin = s->at;
    bool fits = hd_scan_number(s, 10, &number);
    if (!fits && s->at > begin)
        hd_scan_fail(s, begin, "%s is beyond 2^64", what);
    else if (!fits || !hd_scan_is_apart(s))
        hd_scan_fail(s, begin, "%s is missing or no whole number", what);
    return number;
}

/* ---- the header ----------------------------------------------------------------------- */

/* "011": sizes of nodes, weights of nodes, weights of edges. */
static void read_format(parser *p) {
    hd_scan *s = &p->s;
    uint64_t constraints = 1;
    hd_scan_blanks(s);
    const char *at = s->at;
    uint64_t format = read_number(s, "fmt, the third number of the header,");
    if (s->at - at > 3 || format > 111 || format % 10 > 1 || format / 10 % 10 > 1)
        hd_scan_fail(s, at,
                     "fmt, the third number of the header, has up to three digits, each 0 "
                     "or 1: sizes of nodes, weights of nodes, weights of edges");
    bool weighted = format / 10 % 10;
    if (!hd_scan_ends(s)) {
        at = s->at;
        constraints = read_number(s, "ncon, the fourth number of the header,");
        if (!weighted || !constraints || constraints > 1000)
            hd_scan_fail(s, at,
                         "ncon, the fourth number of the header, is how many weights a node "
                         "has: from 1 to 1000, and only where fmt says that nodes have any");
    }
    p->sizes = format / 100;
    p->node_weights = weighted ? constraints : 0;
    p->edge_weights = format % 10;
}

static void read_header(parser *p) {
    hd_scan *s = &p->s;
    skip_comments(s);
    p->header = s->at;
    p->nodes = read_number(s, "the number of nodes, first in the header,");
    p->edges = read_number(s, "the number of edges, second in the header,");
    if (!hd_scan_ends(s))
        read_format(p);
    if (!hd_scan_ends(s))
        hd_scan_fail(s, s->at, "the header has at most four numbers: nodes, edges, fmt and ncon");
    /* Nodes take a line each and neighbours a byte, so a small file cannot ask for much. */
    if (!p->nodes || p->nodes > HD_GRAPH_MOST || p->edges > HD_GRAPH_MOST / 2)
        hd_scan_fail(s, p->header,
                     "%llu nodes and %llu edges; a graph has from 1 to 2^31 - 1 nodes and at "
                     "most 2^30 - 1 edges",
                     (unsigned long long)p->nodes, (unsigned long long)p->edges);
    if (p->nodes > (uint64_t)(s->end - s->text))
        hd_scan_fail(s, p->header, "the header says %llu nodes, but the file has fewer lines",
                     (unsigned long long)p->nodes);
    hd_scan_next_line(s);
}

/* ---- the nodes -------------------------------------------------------------------------- */

static void read_weights(hd_scan *s, const char *what, uint64_t count) {
    for (uint64_t i = 0; i < count && !s->status; i++)
        read_number(s, what);
}

static void read_neighbour(parser *p, uint32_t node) {
    hd_scan *s = &p->s;
    const char *at = s->at;
    uint64_t neighbour = read_number(s, "the number of a neighbour");
    if (!neighbour || neighbour > p->nodes)
        hd_scan_fail(s, at, "%llu is no node; they are numbered from 1 to %llu",
                     (unsigned long long)neighbour, (unsigned long long)p->nodes);
    else if (neighbour == (uint64_t)node + 1)
        hd_scan_fail(s, at, "node %llu is its own neighbour; leave that out",
                     (unsigned long long)neighbour);
    else if (p->to.count == HD_GRAPH_MOST)
        hd_scan_fail(s, at, "there are more than 2^31 - 1 neighbours");
    else
        hd_push(s->arena, &p->to, (uint32_t)(neighbour - 1));
    read_weights(s, "the weight of an edge", p->edge_weights);
}

static void read_nodes(parser *p) {
    hd_scan *s = &p->s;
    p->first = hd_new_array(s->arena, uint32_t, p->nodes + 1);
    p->lines = hd_new_array(s->arena, const char *, p->nodes);
    for (uint32_t v = 0; v < p->nodes && !s->status; v++) {
        skip_comments(s);
        if (s->at == s->end)
            hd_scan_fail(s, s->at, "the header says %llu nodes, but there are lines for %u only",
                         (unsigned long long)p->nodes, v);
        p->lines[v] = s->at;
        read_weights(s, "the size of a node", p->sizes);
        read_weights(s, "the weight of a node", p->node_weights);
        while (!hd_scan_ends(s))
            read_neighbour(p, v);
        p->first[v + 1] = (uint32_t)p->to.count;
        hd_scan_next_line(s);
    }
    while (s->at < s->end) {
        skip_comments(s);
        if (!hd_scan_ends(s))
            hd_scan_fail(s, s->at, "the header says %llu nodes, but there are more lines",
                         (unsigned long long)p->nodes);
        hd_scan_next_line(s);
    }
}

/* ---- both ends ----------------------------------------------------------------------------- */

/* Where a node's line names a neighbour: for messages, so it reads the line again. */
static const char *find_neighbour(const parser *p, uint32_t node, uint32_t neighbour) {
    const hd_diag quiet = {NULL, NULL};
    hd_scan s = p->s;
    s.diag = &quiet;
    s.at = p->lines[node];
    read_weights(&s, "", p->sizes + p->node_weights);
    while (!hd_scan_ends(&s)) {
        const char *at = s.at;
        if (read_number(&s, "") == (uint64_t)neighbour + 1)
            return at;
        read_weights(&s, "", p->edge_weights);
    }
    return p->lines[node];
}

static void fail_one_way(parser *p, uint32_t v, uint32_t w) {
    hd_scan_fail(&p->s, find_neighbour(p, v, w),
                 "node %u has the neighbour %u, but not the other way round; every edge stands at "
                 "both its ends",
                 v + 1, w + 1);
}

/* Rows of the graph and of the graph turned round are equal, and name no node twice. */
static void check_row(parser *p, const hd_graph *graph, const hd_graph *turned, uint32_t v) {
    uint32_t a = graph->first[v], b = turned->first[v];
    for (; a < graph->first[v + 1]; a++) {
        uint32_t w = graph->to[a];
        if (a > graph->first[v] && w == graph->to[a - 1]) {
            hd_scan_fail(&p->s, find_neighbour(p, v, w),
                         "node %u has the neighbour %u twice; keep one", v + 1, w + 1);
            return;
        }
        if (b == turned->first[v + 1] || turned->to[b] > w) {
            fail_one_way(p, v, w);
            return;
        }
        if (turned->to[b] < w)
            break;
        while (b < turned->first[v + 1] && turned->to[b] == w)
            b++;
    }
    if (b < turned->first[v + 1])
        fail_one_way(p, turned->to[b], v);
}

static hd_graph *parse(hd_arena *arena, parser *p) {
    read_header(p);
    if (!p->s.status)
        read_nodes(p);
    if (p->s.status)
        return NULL;
    /* Taken as directed until both ends are seen to be there. */
    hd_graph raw = {.nodes = (uint32_t)p->nodes,
                    .edges = (uint32_t)p->to.count,
                    .directed = true,
                    .first = p->first,
                    .to = p->to.data};
    hd_graph *turned = hd_graph_transpose(p->s.arena, &raw);
    hd_graph *graph = hd_graph_transpose(arena, turned);
    for (uint32_t v = 0; v < graph->nodes && !p->s.status; v++)
        check_row(p, graph, turned, v);
    if (p->to.count != 2 * p->edges)
        hd_scan_fail(&p->s, p->header, "the header says %llu edges, but there are %llu",
                     (unsigned long long)p->edges, (unsigned long long)p->to.count / 2);
    graph->directed = false;
    graph->edges = (uint32_t)p->edges;
    return graph;
}

hd_status hd_metis_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
                         size_t length, hd_graph **graph) {
    parser p = {.s = hd_scan_bytes(hd_arena_new(), diag, path, text, length)};
    p.s.by_line = true;
    hd_graph *made = parse(arena, &p);
    if (!p.s.status)
        *graph = made;
    hd_arena_free(p.s.arena);
    return p.s.status;
}
