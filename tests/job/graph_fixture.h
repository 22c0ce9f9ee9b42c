/* What the tests of graphs share: captured messages, and text as a file of either format. */
#ifndef TESTS_GRAPH_FIXTURE_H
#define TESTS_GRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "job/graph.h"

typedef struct heard {
    unsigned errors, line, column;
    char text[512];
} heard;

static inline void hear(const hd_message *m, void *user) {
    heard *h = user;
    h->errors++;
    h->line = m->place.line;
    h->column = m->place.column;
    snprintf(h->text, sizeof h->text, "%s", m->text);
}

static inline bool wrong(const hd_diag *diag, const char *what, uint32_t node) {
    hd_fail(diag, HD_EINPUT, NULL, "the graph is broken at node %u: %s", node, what);
    return false;
}

static inline bool check_rows(const hd_diag *diag, const hd_graph *graph) {
    for (uint32_t v = 0; v < graph->nodes; v++) {
        if (graph->first[v] > graph->first[v + 1])
            return wrong(diag, "its row ends before it begins", v);
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            if (graph->to[e] >= graph->nodes)
                return wrong(diag, "a successor is no node", v);
            if (e > graph->first[v] && graph->to[e - 1] > graph->to[e])
                return wrong(diag, "its successors do not ascend", v);
        }
    }
    return true;
}

static inline bool check_both_ends(const hd_diag *diag, const hd_graph *graph) {
    hd_arena *arena = hd_arena_new();
    const hd_graph *turned = hd_graph_transpose(arena, graph);
    bool same = true;
    for (uint32_t v = 0; v < graph->nodes && same; v++) {
        same = graph->first[v + 1] == turned->first[v + 1];
        for (uint32_t e = graph->first[v]; same && e < graph->first[v + 1]; e++)
            same = graph->to[e] == turned->to[e] && graph->to[e] != v &&
                   (e == graph->first[v] || graph->to[e - 1] != graph->to[e]);
        if (!same)
            wrong(diag, "an edge stands at one end only, twice, or leads to itself", v);
    }
    hd_arena_free(arena);
    return same;
}

/* Every invariant of job/graph.h; false with a message. */
static inline bool graph_check(const hd_diag *diag, const hd_graph *graph) {
    uint64_t entries = (uint64_t)graph->edges * (graph->directed ? 1 : 2);
    if (graph->nodes > HD_GRAPH_MOST || entries > HD_GRAPH_MOST)
        return wrong(diag, "there are more than 2^31 - 1 of them, or of edges", 0);
    if (graph->first[0] || graph->first[graph->nodes] != entries)
        return wrong(diag, "the rows do not hold all edges", graph->nodes);
    if (!check_rows(diag, graph) || (!graph->directed && !check_both_ends(diag, graph)))
        return false;
    for (uint32_t v = 0; v < graph->nodes && graph->gates; v++)
        if (graph->gates[v] >= HD_GATE_KINDS)
            return wrong(diag, "it is no kind of gate", v);
    return true;
}

typedef hd_status graph_parser(hd_arena *, const hd_diag *, const char *, const char *, size_t,
                               hd_graph **);

/* A fault: the text of a file, and the message that it must give. */
typedef struct fault {
    const char *text, *said;
    unsigned line, column;
} fault;

static inline void check_faults(graph_parser *parse, const fault *faults, size_t count) {
    for (size_t f = 0; f < count; f++) {
        hd_arena *arena = hd_arena_new();
        heard h = {0};
        hd_graph *graph = NULL;
        hd_status status = parse(arena, &(const hd_diag){hear, &h}, "file", faults[f].text,
                                 strlen(faults[f].text), &graph);
        if (status != HD_EINPUT || graph || h.errors != 1 || !strstr(h.text, faults[f].said) ||
            h.line != faults[f].line || h.column != faults[f].column)
            fail_msg("fault %zu: status %d, %u errors, %u:%u: %s", f, status, h.errors, h.line,
                     h.column, h.text);
        hd_arena_free(arena);
    }
}

/* A text gives a sound graph or one message; never half a graph. */
static inline bool check_any(graph_parser *parse, const char *text, size_t length) {
    hd_arena *arena = hd_arena_new();
    heard h = {0};
    const hd_diag diag = {hear, &h};
    hd_graph *graph = NULL;
    /* A block of its own, so that a sanitizer sees one byte too many. */
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    hd_status status = parse(arena, &diag, "file", copy, length, &graph);
    assert_true((status == HD_OK) == (graph != NULL));
    assert_int_equal(h.errors, status == HD_OK ? 0 : 1);
    if (graph)
        assert_true(graph_check(&diag, graph));
    else
        assert_true(h.line >= 1 && h.column >= 1);
    free(copy);
    hd_arena_free(arena);
    return status == HD_OK;
}

/* Every beginning of a text, and many texts with a few bytes changed. */
static inline void check_mutations(graph_parser *parse, const char *text, const char *bytes,
                                   uint32_t rounds) {
    size_t length = strlen(text), choices = strlen(bytes) + 1;
    uint64_t random = 1;
    uint32_t good = 0;
    for (size_t cut = 0; cut <= length; cut++)
        check_any(parse, text, cut);
    for (uint32_t round = 0; round < rounds; round++) {
        char *changed = strdup(text);
        for (uint32_t c = 0; c <= round % 4; c++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            changed[(random >> 33) % length] = bytes[(random >> 13) % choices]; /* also '\0' */
        }
        good += check_any(parse, changed, length);
        free(changed);
    }
    assert_true(good > 0 && good < rounds);
}

/* A file of shared/data, or the test is skipped. */
static inline hd_graph *read_shared(hd_arena *arena, const char *name) {
    const char *root = getenv("HEDDLE_SOURCE");
    heard h = {0};
    hd_graph *graph = NULL;
    const char *path = hd_format(arena, "%s/../shared/data/%s", root ? root : ".", name);
    if (access(path, R_OK) != 0) {
        print_message("../shared/data/%s is not there\n", name);
        hd_arena_free(arena);
        skip();
    }
    if (hd_graph_read(arena, &(const hd_diag){hear, &h}, path, &graph) != HD_OK)
        fail_msg("%u:%u: %s", h.line, h.column, h.text);
    assert_true(graph_check(&(const hd_diag){hear, &h}, graph));
    return graph;
}

#endif
