/*
 * Netlists in the .bench format of the ISCAS'89 and ITC'99 circuits (Brglez, Bryan and
 * Kozminski, "Combinational profiles of sequential benchmark circuits", ISCAS 1989):
 *
 *     # a comment
 *     INPUT(a)
 *     OUTPUT(y)
 *     y = NAND(a, q)
 *     q = DFF(y)
 *
 * A node is an input or a gate, numbered in the order of the file; flip-flops are gates. A
 * signal may be used before it is defined, so operands are kept by name until the file has
 * ended, and then looked up among the sorted definitions.
 */
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "graph/graph.h"

typedef struct name {
    const char *text; /* in the file's text */
    size_t length;
    uint32_t node; /* the one it defines, or the gate that it feeds */
} name;

typedef struct parser {
    hd_arena *arena; /* of this file only */
    const hd_diag *diag;
    const char *path, *text, *end, *at;
    hd_vec(name) nodes;    /* every definition */
    hd_vec(uint8_t) gates; /* their kinds */
    hd_vec(name) operands;
    hd_vec(name) outputs;
} parser;

static const struct {
    const char *name;
    hd_gate gate;
} spellings[] = {
#define SPELLING(name) {#name, HD_GATE_##name},
    HD_GATES(SPELLING)
#undef SPELLING
        {"BUFF", HD_GATE_BUF},
    {"INV", HD_GATE_NOT},
};

/* Every fault ends in the mend, which is the same for most. */
#define FAIL(p, at, ...) fail_at((p), (at), hd_format((p)->arena, __VA_ARGS__))
static hd_status fail_at(const parser *p, const char *at, const char *what) {
    hd_place place = hd_place_in(p->arena, p->path, p->text, (size_t)(at - p->text));
    return hd_fail(p->diag, HD_EINPUT, &place, "%s", what);
}

static hd_status fail_form(const parser *p, const char *what) {
    return FAIL(p, p->at,
                "%s; a line is 'INPUT(a)', 'OUTPUT(a)', 'c = NAND(a, b)' or a comment after '#'",
                what);
}

/* Bytes of a name that messages show; control characters would upset a terminal. */
static const char *shown(const parser *p, const name *n) {
    char *text = hd_strndup(p->arena, n->text, n->length < 60 ? n->length : 60);
    for (char *c = text; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    return text;
}

/* ---- a line -------------------------------------------------------------------- */

static void skip_blanks(parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r')
        p->at++;
}

/* The next name on this line; its length is 0 when there is none. */
static name take_name(parser *p) {
    skip_blanks(p);
    name n = {.text = p->at};
    while ((unsigned char)*p->at > ' ' && *p->at != 0x7f && !strchr("(),=#", *p->at))
        p->at++;
    n.length = (size_t)(p->at - n.text);
    skip_blanks(p);
    return n;
}

static bool take(parser *p, char c) {
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool is_word(const name *n, const char *word) {
    return n->length == strlen(word) && !strncasecmp(n->text, word, n->length);
}

static hd_status read_kind(parser *p, hd_gate *gate) {
    skip_blanks(p);
    const char *at = p->at;
    name kind = take_name(p);
    if (!kind.length)
        return fail_form(p, "the kind of a gate is missing after '='");
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (is_word(&kind, spellings[i].name) && spellings[i].gate != HD_GATE_INPUT) {
            *gate = spellings[i].gate;
            return HD_OK;
        }
    return FAIL(p, at,
                "'%s' is no kind of gate; there are DFF, BUF, NOT, AND, NAND, OR, NOR, XOR and "
                "XNOR",
                shown(p, &kind));
}

/* "a, b)": names that `add` gets. */
static hd_status read_operands(parser *p, uint32_t *count) {
    if (!take(p, '('))
        return fail_form(p, "'(' is missing here");
    do {
        name operand = take_name(p);
        if (!operand.length)
            return fail_form(p, "the name of a signal is missing here");
        operand.node = (uint32_t)p->nodes.count - 1;
        hd_push(p->arena, &p->operands, operand);
        ++*count;
    } while (take(p, ','));
    return take(p, ')') ? HD_OK : fail_form(p, "')' is missing here");
}

static hd_status read_gate(parser *p, const name *signal) {
    hd_gate gate = HD_GATE_INPUT;
    uint32_t count = 0;
    hd_push(p->arena, &p->nodes, *signal);
    hd_status status = read_kind(p, &gate);
    const char *at = p->at;
    if (status == HD_OK)
        status = read_operands(p, &count);
    hd_push(p->arena, &p->gates, (uint8_t)gate);
    bool takes_one = gate == HD_GATE_NOT || gate == HD_GATE_BUF || gate == HD_GATE_DFF;
    if (status == HD_OK && takes_one && count != 1)
        return FAIL(p, at, "NOT, BUF and DFF take one operand; '%s' has %u", shown(p, signal),
                    count);
    return status;
}

/* INPUT(a) or OUTPUT(a). */
static hd_status read_port(parser *p, bool is_input) {
    if (!take(p, '('))
        return fail_form(p, "'(' is missing here");
    name signal = take_name(p);
    if (!signal.length)
        return fail_form(p, "the name of a signal is missing here");
    if (!take(p, ')'))
        return fail_form(p, "')' is missing here");
    if (is_input) {
        hd_push(p->arena, &p->nodes, signal);
        hd_push(p->arena, &p->gates, HD_GATE_INPUT);
    } else {
        hd_push(p->arena, &p->outputs, signal);
    }
    return HD_OK;
}

static hd_status read_line(parser *p) {
    name head = take_name(p);
    hd_status status = HD_OK;
    if (head.length && take(p, '='))
        status = read_gate(p, &head);
    else if (is_word(&head, "INPUT") || is_word(&head, "OUTPUT"))
        status = read_port(p, is_word(&head, "INPUT"));
    else if (head.length)
        return fail_form(p, "this is no statement");
    skip_blanks(p);
    if (status == HD_OK && p->at < p->end && *p->at != '\n' && *p->at != '#')
        status = fail_form(p, "there is more on this line than a statement");
    return status;
}

/* ---- names to nodes ---------------------------------------------------------------- */

/* Equal names in the order of the file. */
static int compare(const void *a, const void *b) {
    const name *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}
static int compare_definitions(const void *a, const void *b) {
    const name *x = a, *y = b;
    int order = compare(a, b);
    return order ? order : (x->text > y->text) - (x->text < y->text);
}

static hd_status find_node(const parser *p, const name *sorted, const name *used, uint32_t *node) {
    const name *found =
        p->nodes.count ? bsearch(used, sorted, p->nodes.count, sizeof *sorted, compare) : NULL;
    if (!found)
        return FAIL(p, used->text,
                    "the signal '%s' is defined nowhere; define it as INPUT(%s) or as a gate",
                    shown(p, used), shown(p, used));
    *node = found->node;
    return HD_OK;
}

static hd_status link_names(parser *p, hd_graph_edge *edges) {
    name *sorted = hd_new_array(p->arena, name, p->nodes.count);
    hd_status status = HD_OK;
    uint32_t unused;
    size_t count = p->nodes.count;
    for (size_t v = 0; v < count; v++) {
        sorted[v] = p->nodes.data[v];
        sorted[v].node = (uint32_t)v;
    }
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_definitions);
    const name *twice = NULL; /* the first in the file */
    for (size_t v = 1; v < count; v++)
        if (!compare(&sorted[v - 1], &sorted[v]) && (!twice || sorted[v].text < twice->text))
            twice = &sorted[v];
    if (twice)
        return FAIL(p, twice->text, "the signal '%s' is defined twice; keep one definition",
                    shown(p, twice));
    for (size_t e = 0; e < p->operands.count && status == HD_OK; e++) {
        edges[e].to = p->operands.data[e].node;
        status = find_node(p, sorted, &p->operands.data[e], &edges[e].from);
    }
    for (size_t o = 0; o < p->outputs.count && status == HD_OK; o++)
        status = find_node(p, sorted, &p->outputs.data[o], &unused);
    return status;
}

static hd_status parse(hd_arena *arena, parser *p, hd_graph **graph) {
    enum { SHOWN = 6 };
    hd_status status = HD_OK;
    while (p->at < p->end && status == HD_OK) {
        status = read_line(p);
        const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
        p->at = newline ? newline + 1 : p->end;
        if (p->nodes.count > HD_GRAPH_MOST || p->operands.count > HD_GRAPH_MOST)
            return FAIL(p, p->at - 1, "a netlist has at most 2^31 - 1 gates, and operands");
    }
    if (status == HD_OK && !p->nodes.count)
        return FAIL(p, p->end, "there is no input and no gate in this netlist");
    hd_graph_edge *edges = hd_new_array(p->arena, hd_graph_edge, p->operands.count);
    if (status != HD_OK || (status = link_names(p, edges)) != HD_OK)
        return status;
    uint32_t nodes = (uint32_t)p->nodes.count;
    hd_graph *made = hd_graph_of_edges(arena, nodes, true, edges, (uint32_t)p->operands.count);
    made->gates = memcpy(hd_alloc(arena, nodes), p->gates.data, nodes);
    uint32_t *cycle, length = hd_graph_find_cycle(p->arena, made, &cycle);
    if (!length) {
        *graph = made;
        return HD_OK;
    }
    hd_str names = {.arena = p->arena};
    for (uint32_t i = 0; i < length && i < SHOWN; i++)
        hd_str_printf(&names, "%s -> ", shown(p, &p->nodes.data[cycle[i]]));
    hd_str_printf(&names, "%s%s", length > SHOWN ? "... -> " : "",
                  shown(p, &p->nodes.data[cycle[0]]));
    return FAIL(p, p->nodes.data[cycle[0]].text,
                "these gates feed themselves, with no flip-flop between: %s; put a DFF into the "
                "cycle",
                hd_str_text(&names));
}

hd_status hd_netlist_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
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
