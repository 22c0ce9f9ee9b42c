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

#include "base/scan.h"
#include "job/graph.h"

typedef struct name {
    hd_span text;  /* in the file's text */
    uint32_t node; /* the one it defines, or the gate that it feeds */
} name;

typedef struct parser {
    hd_scan s;             /* its arena is of this file only */
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
static void fail_form(hd_scan *s, const char *what) {
    hd_scan_blanks(s);
    hd_scan_fail(s, s->at,
                 "%s; a line is 'INPUT(a)', 'OUTPUT(a)', 'c = NAND(a, b)' or a comment after '#'",
                 what);
}

/* Bytes of a name that messages show; control characters would upset a terminal. */
static const char *shown(const parser *p, const name *n) {
    char *text = hd_strndup(p->s.arena, n->text.at, n->text.length < 60 ? n->text.length : 60);
    for (char *c = text; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    return text;
}

/* ---- a line -------------------------------------------------------------------- */

/* The next name on this line; `what` is said when there is none, unless it is NULL. */
static name take_name(parser *p, const char *what) {
    name n = {.text = hd_scan_until(&p->s, "(),=#")};
    size_t length = 0; /* without control characters */
    while (length < n.text.length && !iscntrl((unsigned char)n.text.at[length]))
        length++;
    n.text.length = length;
    p->s.at = n.text.at + length;
    if (!n.text.length && what)
        fail_form(&p->s, what);
    return n;
}

static void want(parser *p, const char *token) {
    if (!hd_scan_take(&p->s, token))
        fail_form(&p->s, hd_format(p->s.arena, "'%s' is missing here", token));
}

static const char no_signal[] = "the name of a signal is missing here";

static hd_gate read_kind(parser *p) {
    name kind = take_name(p, "the kind of a gate is missing after '='");
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (hd_span_is_caseless(kind.text, spellings[i].name) && spellings[i].gate != HD_GATE_INPUT)
            return spellings[i].gate;
    hd_scan_fail(&p->s, kind.text.at,
                 "'%s' is no kind of gate; there are DFF, BUF, NOT, AND, NAND, OR, NOR, XOR and "
                 "XNOR",
                 shown(p, &kind));
    return HD_GATE_INPUT;
}

static void read_gate(parser *p, const name *signal) {
    uint32_t count = 0;
    hd_push(p->s.arena, &p->nodes, *signal);
    hd_gate gate = read_kind(p);
    const char *at = p->s.at;
    want(p, "(");
    do {
        name operand = take_name(p, no_signal);
        operand.node = (uint32_t)p->nodes.count - 1;
        hd_push(p->s.arena, &p->operands, operand);
        count++;
    } while (hd_scan_take(&p->s, ","));
    want(p, ")");
    hd_push(p->s.arena, &p->gates, (uint8_t)gate);
    bool takes_one = gate == HD_GATE_NOT || gate == HD_GATE_BUF || gate == HD_GATE_DFF;
    if (takes_one && count != 1)
        hd_scan_fail(&p->s, at, "NOT, BUF and DFF take one operand; '%s' has %u", shown(p, signal),
                     count);
}

static void read_line(parser *p) {
    name head = take_name(p, NULL);
    bool is_input = hd_span_is_caseless(head.text, "INPUT");
    if (head.text.length && hd_scan_take(&p->s, "=")) {
        read_gate(p, &head);
    } else if (is_input || hd_span_is_caseless(head.text, "OUTPUT")) {
        want(p, "(");
        name signal = take_name(p, no_signal);
        want(p, ")");
        if (is_input) {
            hd_push(p->s.arena, &p->nodes, signal);
            hd_push(p->s.arena, &p->gates, HD_GATE_INPUT);
        } else {
            hd_push(p->s.arena, &p->outputs, signal);
        }
    } else if (head.text.length) {
        fail_form(&p->s, "this is no statement");
    }
    if (!hd_scan_ends(&p->s))
        fail_form(&p->s, "there is more on this line than a statement");
}

/* ---- names to nodes ---------------------------------------------------------------- */

/* Equal names in the order of the file. */
static int compare(const void *a, const void *b) {
    const name *x = a, *y = b;
    size_t m = x->text.length, n = y->text.length;
    int order = memcmp(x->text.at, y->text.at, m < n ? m : n);
    return order ? order : (m > n) - (m < n);
}
static int compare_definitions(const void *a, const void *b) {
    const name *x = a, *y = b;
    int order = compare(a, b);
    return order ? order : (x->text.at > y->text.at) - (x->text.at < y->text.at);
}

static uint32_t find_node(parser *p, const name *sorted, const name *used) {
    const name *found =
        p->nodes.count ? bsearch(used, sorted, p->nodes.count, sizeof *sorted, compare) : NULL;
    if (!found)
        hd_scan_fail(&p->s, used->text.at,
                     "the signal '%s' is defined nowhere; define it as INPUT(%s) or as a gate",
                     shown(p, used), shown(p, used));
    return found ? found->node : 0;
}

static void link_names(parser *p, hd_graph_edge *edges) {
    size_t count = p->nodes.count;
    name *sorted = hd_new_array(p->s.arena, name, count);
    for (size_t v = 0; v < count; v++)
        sorted[v] = (name){p->nodes.data[v].text, (uint32_t)v};
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_definitions);
    const name *twice = NULL; /* the first in the file */
    for (size_t v = 1; v < count; v++)
        if (!compare(&sorted[v - 1], &sorted[v]) && (!twice || sorted[v].text.at < twice->text.at))
            twice = &sorted[v];
    if (twice)
        hd_scan_fail(&p->s, twice->text.at, "the signal '%s' is defined twice; keep one definition",
                     shown(p, twice));
    for (size_t e = 0; e < p->operands.count && !p->s.status; e++)
        edges[e] = (hd_graph_edge){.to = p->operands.data[e].node,
                                   .from = find_node(p, sorted, &p->operands.data[e])};
    for (size_t o = 0; o < p->outputs.count && !p->s.status; o++)
        find_node(p, sorted, &p->outputs.data[o]);
}

static hd_graph *parse(hd_arena *arena, parser *p) {
    enum { SHOWN = 6 };
    hd_scan *s = &p->s;
    while (s->at < s->end) {
        read_line(p);
        hd_scan_next_line(s);
        if (p->nodes.count > HD_GRAPH_MOST || p->operands.count > HD_GRAPH_MOST)
            hd_scan_fail(s, s->at - 1, "a netlist has at most 2^31 - 1 gates, and operands");
    }
    if (!p->nodes.count)
        hd_scan_fail(s, s->end, "there is no input and no gate in this netlist");
    hd_graph_edge *edges = hd_new_array(s->arena, hd_graph_edge, p->operands.count);
    if (!s->status)
        link_names(p, edges);
    if (s->status)
        return NULL;
    uint32_t nodes = (uint32_t)p->nodes.count;
    hd_graph *made = hd_graph_of_edges(arena, nodes, true, edges, (uint32_t)p->operands.count);
    made->gates = memcpy(hd_alloc(arena, nodes), p->gates.data, nodes);
    uint32_t *cycle, length = hd_graph_find_cycle(s->arena, made, &cycle);
    if (!length)
        return made;
    hd_str names = {.arena = s->arena};
    for (uint32_t i = 0; i < length && i < SHOWN; i++)
        hd_str_printf(&names, "%s -> ", shown(p, &p->nodes.data[cycle[i]]));
    hd_str_printf(&names, "%s%s", length > SHOWN ? "... -> " : "",
                  shown(p, &p->nodes.data[cycle[0]]));
    hd_scan_fail(s, p->nodes.data[cycle[0]].text.at,
                 "these gates feed themselves, with no flip-flop between: %s; put a DFF into the "
                 "cycle",
                 hd_str_text(&names));
    return NULL;
}

hd_status hd_netlist_parse(hd_arena *arena, const hd_diag *diag, const char *path, const char *text,
                           size_t length, hd_graph **graph) {
    parser p = {.s = hd_scan_bytes(hd_arena_new(), diag, path, text, length)};
    p.s.by_line = true;
    p.s.comment = "#";
    hd_graph *made = parse(arena, &p);
    if (!p.s.status)
        *graph = made;
    hd_arena_free(p.s.arena);
    return p.s.status;
}
