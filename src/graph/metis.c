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
#include "graph/graph.h"

typedef struct parser {
    hd_arena *arena; /* of this file only */
    const hd_diag *diag;
    const char *path, *text, *end, *at;
    const char *header;
    uint64_t nodes, edges;                      /* of the header */
    uint64_t sizes, node_weights, edge_weights; /* numbers before the neighbours, and after each */
    hd_vec(uint32_t) to;
    uint32_t *first;
    const char **lines; /* where each node's line begins */
} parser;

#define FAIL(p, at, ...) fail_at((p), (at), hd_format((p)->arena, __VA_ARGS__))
static hd_status fail_at(const parser *p, const char *at, const char *what) {
    hd_place place = hd_place_in(p->arena, p->path, p->text, (size_t)(at - p->text));
    return hd_fail(p->diag, HD_EINPUT, &place, "%s", what);
}

/* ---- numbers and lines -------------------------------------------------------------- */

static void skip_blanks(parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r')
        p->at++;
}

static bool at_line_end(parser *p) {
    skip_blanks(p);
    return p->at == p->end || *p->at == '\n';
}

static void skip_line(parser *p) {
    const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
    p->at = newline ? newline + 1 : p->end;
}

static void skip_comments(parser *p) {
    while (p->at < p->end && *p->at == '%')
        skip_line(p);
}

static hd_status read_number(parser *p, const char *what, uint64_t *number) {
    skip_blanks(p);
    const char *begin = p->at;
    *number = 0;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++)
        if (*number > UINT64_MAX / 10 || *number * 10 > UINT64_MAX - (uint64_t)(*p->at - '0'))
            return FAIL(p, begin, "%s is beyond 2^64", what);
        else
            *number = *number * 10 + (uint64_t)(*p->at - '0');
    bool ends = p->at == p->end || strchr(" \t\r\n", *p->at);
    if (p->at == begin || !ends || (p->at < p->end && !*p->at))
        return FAIL(p, begin, "%s is missing or no whole number", what);
    return HD_OK;
}

/* ---- the header ----------------------------------------------------------------------- */

/* "011": sizes of nodes, weights of nodes, weights of edges. */
static hd_status read_format(parser *p) {
    uint64_t format, constraints = 1;
    bool given = false;
    skip_blanks(p);
    const char *at = p->at;
    hd_status status = read_number(p, "fmt, the third number of the header,", &format);
    if (status != HD_OK)
        return status;
    if (p->at - at > 3 || format > 111 || format % 10 > 1 || format / 10 % 10 > 1)
        return FAIL(p, at,
                    "fmt, the third number of the header, has up to three digits, each 0 "
                    "or 1: sizes of nodes, weights of nodes, weights of edges");
    if (!at_line_end(p)) {
        at = p->at;
        given = true;
        status = read_number(p, "ncon, the fourth number of the header,", &constraints);
    }
    bool weighted = format / 10 % 10;
    if (status == HD_OK && given && (!weighted || !constraints || constraints > 1000))
        return FAIL(p, at,
                    "ncon, the fourth number of the header, is how many weights a node "
                    "has: from 1 to 1000, and only where fmt says that nodes have any");
    p->sizes = format / 100;
    p->node_weights = weighted ? constraints : 0;
    p->edge_weights = format % 10;
    return status;
}

static hd_status read_header(parser *p) {
    skip_comments(p);
    const char *at = p->header = p->at;
    hd_status status = read_number(p, "the number of nodes, first in the header,", &p->nodes);
    if (status == HD_OK)
        status = read_number(p, "the number of edges, second in the header,", &p->edges);
    if (status == HD_OK && !at_line_end(p))
        status = read_format(p);
    if (status == HD_OK && !at_line_end(p))
        return FAIL(p, p->at, "the header has at most four numbers: nodes, edges, fmt and ncon");
    if (status != HD_OK)
        return status;
    /* Nodes take a line each and neighbours a byte, so a small file cannot ask for much. */
    uint64_t room = (uint64_t)(p->end - p->text);
    if (!p->nodes || p->nodes > HD_GRAPH_MOST || p->edges > HD_GRAPH_MOST / 2)
        return FAIL(p, at,
                    "%llu nodes and %llu edges; a graph has from 1 to 2^31 - 1 nodes and at "
                    "most 2^30 - 1 edges",
                    (unsigned long long)p->nodes, (unsigned long long)p->edges);
    if (p->nodes > room)
        return FAIL(p, at, "the header says %llu nodes, but the file has fewer lines",
                    (unsigned long long)p->nodes);
    skip_line(p);
    return HD_OK;
}

/* ---- the nodes -------------------------------------------------------------------------- */

static hd_status read_weights(parser *p, const char *what, uint64_t count) {
    uint64_t weight;
    hd_status status = HD_OK;
    for (uint64_t i = 0; i < count && status == HD_OK; i++)
        status = read_number(p, what, &weight);
    return status;
}

static hd_status read_neighbour(parser *p, uint32_t node) {
    uint64_t neighbour;
    skip_blanks(p);
    const char *at = p->at;
    hd_status status = read_number(p, "the number of a neighbour", &neighbour);
    if (status != HD_OK)
        return status;
    if (!neighbour || neighbour > p->nodes)
        return FAIL(p, at, "%llu is no node; they are numbered from 1 to %llu",
                    (unsigned long long)neighbour, (unsigned long long)p->nodes);
    if (neighbour == (uint64_t)node + 1)
        return FAIL(p, at, "node %llu is its own neighbour; leave that out",
                    (unsigned long long)neighbour);
    if (p->to.count == HD_GRAPH_MOST)
        return FAIL(p, at, "there are more than 2^31 - 1 neighbours");
    hd_push(p->arena, &p->to, (uint32_t)(neighbour - 1));
    return read_weights(p, "the weight of an edge", p->edge_weights);
}

static hd_status read_nodes(parser *p) {
    hd_status status = HD_OK;
    p->first = hd_new_array(p->arena, uint32_t, p->nodes + 1);
    p->lines = hd_new_array(p->arena, const char *, p->nodes);
    for (uint32_t v = 0; v < p->nodes && status == HD_OK; v++) {
        skip_comments(p);
        if (p->at == p->end)
            return FAIL(p, p->at, "the header says %llu nodes, but there are lines for %u only",
                        (unsigned long long)p->nodes, v);
        p->lines[v] = p->at;
        status = read_weights(p, "the size of a node", p->sizes);
        if (status == HD_OK)
            status = read_weights(p, "the weight of a node", p->node_weights);
        while (status == HD_OK && !at_line_end(p))
            status = read_neighbour(p, v);
        p->first[v + 1] = (uint32_t)p->to.count;
        skip_line(p);
    }
    while (status == HD_OK && p->at < p->end) {
        skip_comments(p);
        if (!at_line_end(p))
            return FAIL(p, p->at, "the header says %llu nodes, but there are more lines",
                        (unsigned long long)p->nodes);
        skip_line(p);
    }
    return status;
}

/* ---- both ends ----------------------------------------------------------------------------- */

/* Where a node's line names a neighbour: for messages, so it reads the line again. */
static const char *find_neighbour(const parser *read, uint32_t node, uint32_t neighbour) {
    parser p = *read;
    uint64_t number;
    p.at = p.lines[node];
    p.diag = &(const hd_diag){NULL, NULL};
    read_weights(&p, "", p.sizes + p.node_weights);
    while (!at_line_end(&p)) {
        const char *at = p.at;
        if (read_number(&p, "", &number) != HD_OK || number == (uint64_t)neighbour + 1)
            return at;
        read_weights(&p, "", p.edge_weights);
    }
    return p.lines[node];
}

/* Rows of the graph and of the graph turned round are equal, and name no node twice. */
static hd_status check_row(const parser *p, const hd_graph *graph, const hd_graph *turned,
                           uint32_t v) {
    uint32_t a = graph->first[v], b = turned->first[v];
    for (; a < graph->first[v + 1]; a++) {
        uint32_t w = graph->to[a];
        if (a > graph->first[v] && w == graph->to[a - 1])
            return FAIL(p, find_neighbour(p, v, w), "node %u has the neighbour %u twice; keep one",
                        v + 1, w + 1);
        if (b == turned->first[v + 1] || turned->to[b] > w)
            return FAIL(p, find_neighbour(p, v, w),
                        "node %u has the neighbour %u, but not the other way round; every edge "
                        "stands at both its ends",
                        v + 1, w + 1);
        if (turned->to[b] < w)
            break;
        while (b < turned->first[v + 1] && turned->to[b] == w)
            b++;
    }
    if (b == turned->first[v + 1])
        return HD_OK;
    uint32_t w = turned->to[b];
    return FAIL(p, find_neighbour(p, w, v),
                "node %u has the neighbour %u, but not the other way round; every edge stands at "
                "both its ends",
                w + 1, v + 1);
}

static hd_status parse(hd_arena *arena, parser *p, hd_graph **result) {
    hd_status status = read_header(p);
    if (status == HD_OK)
        status = read_nodes(p);
    if (status != HD_OK)
        return status;
    /* Taken as directed until both ends are seen to be there. */
    hd_graph raw = {.nodes = (uint32_t)p->nodes,
                    .edges = (uint32_t)p->to.count,
                    .directed = true,
                    .first = p->first,
                    .to = p->to.data};
    hd_graph *turned = hd_graph_transpose(p->arena, &raw);
    hd_graph *graph = hd_graph_transpose(arena, turned);
    for (uint32_t v = 0; v < graph->nodes && status == HD_OK; v++)
        status = check_row(p, graph, turned, v);
    if (status != HD_OK)
        return status;
    if (p->to.count != 2 * p->edges)
        return FAIL(p, p->header, "the header says %llu edges, but there are %llu",
                    (unsigned long long)p->edges, (unsigned long long)p->to.count / 2);
    graph->directed = false;
    graph->edges = (uint32_t)p->edges;
    *result = graph;
    return HD_OK;
}

hd_status hd_metis_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
                         size_t length, hd_graph **graph) {
    parser p = {.arena = hd_arena_new(),
                .diag = diag,
                .path = path,
                .text = text,
                .at = text,
                .end = text + length};
    hd_status status = parse(arena, &p, graph);
    hd_arena_free(p.arena);
    return status;
}
