/*
 * Graphs that are made up: like those that circuits and meshes have, of any size, and the same
 * for the same numbers on every machine.
 *
 * A mesh. Nodes stand on a grid that is about a cube. Each cell of the grid is cut into six
 * tetrahedra that share a diagonal (Kuhn's subdivision), which joins a node to 14 others: to
 * the seven at 0 or 1 steps in each direction, and the seven on the other side. Meshes of real
 * bodies have a little more, so the other diagonals are there for as many edges as are wanted;
 * with fewer, edges are left out. Numbers run through the grid row by row, and are shuffled
 * within every WINDOW of them: near in space is near in number, as a mesher leaves it, but
 * neighbours do not march in step.
 *
 * A circuit. Inputs come first, then flip-flops, then gates. Every gate has a level that was
 * drawn for it, one operand from the level below, and the others from any below, so levels are
 * what was drawn. Operands are near in number, as cells of one module are in a file, but for
 * one in HUB_ONE_IN, which is drawn with a strong preference for few: resets, enables and
 * select lines that feed many gates. Of a few that lie near, a signal that nothing reads yet is
 * taken first, so most have one reader, and few none.
 */
#include "job/graph.h"

/* From 0 up to but not with `below`, which is above 0. */
static uint64_t draw_below(uint64_t *random, uint64_t below) {
    return hd_next_random(random) % below;
}

static hd_status wrong_size(const hd_diag *diag, const hd_graph_size *size, const char *kind,
                            uint64_t nodes, uint64_t least, uint64_t most, uint64_t edges) {
    return hd_fail(diag, HD_EINPUT, size->place,
                   "a %s of %llu nodes has from %llu to %llu edges, not %llu", kind,
                   (unsigned long long)nodes, (unsigned long long)least, (unsigned long long)most,
                   (unsigned long long)edges);
}

enum { MESH_NODES = 144649, MESH_EDGES = 1074393, WINDOW = 64, KUHN = 7, DIRECTIONS = 13 };

/* What a made-up graph may have; much more than that would be made for minutes. */
enum { MOST_NODES = 50000000 };

/* `degree`: edges for a node, where the user asks for no number of them. */
static hd_status check_nodes(const hd_diag *diag, const hd_graph_size *size, const char *kind,
                             uint64_t nodes, uint64_t least, uint64_t degree) {
    enum { BYTES = 32 }; /* for each node and edge, on the way */
    if (nodes < least || nodes > MOST_NODES)
        return hd_fail(diag, HD_EINPUT, size->place,
                       "a %s is made with %llu to %d nodes, not %llu; a larger one comes from a "
                       "file",
                       kind, (unsigned long long)least, MOST_NODES, (unsigned long long)nodes);
    uint64_t most = nodes * DIRECTIONS, edges = size->edges ? size->edges : nodes * degree;
    uint64_t bytes = (nodes + (edges < most ? edges : most)) * BYTES, room = hd_memory_free();
    if (bytes <= room)
        return HD_OK;
    return hd_fail(diag, HD_ESYSTEM, size->place,
                   "to make a %s of %llu nodes takes about %llu MiB of memory, and %llu MiB are "
                   "free; ask for fewer nodes",
                   kind, (unsigned long long)nodes, (unsigned long long)(bytes >> 20),
                   (unsigned long long)(room >> 20));
}

/* ---- meshes ------------------------------------------------------------------------ */

/* Half of a node's 26 neighbours on the grid; Kuhn's first. */
static const int directions[DIRECTIONS][3] = {
    {1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, 0, 1},  {0, 1, 1},  {1, 1, 1},
    {-1, 1, 0}, {-1, 0, 1}, {0, -1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}};

typedef struct grid {
    uint64_t nodes, width, height; /* the last layer, and its last row, may be short */
    uint32_t *number;              /* of the node at each place */
} grid;

static grid make_grid(hd_arena *arena, uint64_t *random, uint64_t nodes) {
    grid g = {.nodes = nodes, .width = 1, .number = hd_new_array(arena, uint32_t, nodes)};
    while ((g.width + 1) * (g.width + 1) * (g.width + 1) <= nodes)
        g.width++;
    g.height = g.width;
    for (uint64_t i = 0; i < nodes; i++)
        g.number[i] = (uint32_t)i;
    for (uint64_t begin = 0; begin < nodes; begin += WINDOW)
        for (uint64_t count = nodes - begin < WINDOW ? nodes - begin : WINDOW; count > 1; count--) {
            uint64_t i = begin + count - 1, j = begin + draw_below(random, count);
            uint32_t swapped = g.number[i];
            g.number[i] = g.number[j];
            g.number[j] = swapped;
        }
    return g;
}

/* The place one step along a direction; false where the grid has none. */
static bool step(const grid *g, uint64_t place, const int *direction, uint64_t *next) {
    uint64_t x = place % g->width, y = place / g->width % g->height;
    if ((direction[0] < 0 && !x) || (direction[0] > 0 && x + 1 == g->width) ||
        (direction[1] < 0 && !y) || (direction[1] > 0 && y + 1 == g->height))
        return false;
    *next = place + (uint64_t)direction[0] + (uint64_t)direction[1] * g->width +
            (uint64_t)direction[2] * g->width * g->height;
    return *next < g->nodes;
}

static uint64_t count_steps(const grid *g, int from, int to) {
    uint64_t count = 0, next;
    for (uint64_t place = 0; place < g->nodes; place++)
        for (int d = from; d < to; d++)
            count += step(g, place, directions[d], &next);
    return count;
}

/* `wanted` of the `left` edges in these directions, each set of them as likely as any other. */
static hd_graph_edge *add_edges(uint64_t *random, const grid *g, int from, int to, uint64_t left,
                                uint64_t wanted, hd_graph_edge *edge) {
    uint64_t next;
    for (uint64_t place = 0; place < g->nodes; place++)
        for (int d = from; d < to; d++)
            if (step(g, place, directions[d], &next) && draw_below(random, left--) < wanted) {
                *edge++ = (hd_graph_edge){g->number[place], g->number[next]};
                wanted--;
            }
    return edge;
}

hd_status hd_mesh_generate(hd_arena *arena, const hd_diag *diag, const hd_graph_size *size,
                           hd_graph **graph) {
    uint64_t nodes = size->nodes ? size->nodes : MESH_NODES;
    hd_status status = check_nodes(diag, size, "mesh", nodes, 1, MESH_EDGES / MESH_NODES + 1);
    if (status != HD_OK)
        return status;
    hd_arena *scratch = hd_arena_new();
    uint64_t random = size->seed;
    grid g = make_grid(scratch, &random, nodes);
    uint64_t kuhn = count_steps(&g, 0, KUHN), others = count_steps(&g, KUHN, DIRECTIONS);
    uint64_t edges = size->edges ? size->edges : nodes * MESH_EDGES / MESH_NODES;
    if (!size->edges && edges > kuhn + others)
        edges = kuhn + others;
    if (edges > kuhn + others) {
        status = wrong_size(diag, size, "mesh", nodes, 0, kuhn + others, edges);
    } else {
        hd_graph_edge *list = hd_new_array(scratch, hd_graph_edge, edges);
        uint64_t regular = edges < kuhn ? edges : kuhn;
        hd_graph_edge *rest = add_edges(&random, &g, 0, KUHN, kuhn, regular, list);
        add_edges(&random, &g, KUHN, DIRECTIONS, others, edges - regular, rest);
        *graph = hd_graph_of_edges(arena, (uint32_t)nodes, false, list, (uint32_t)edges);
    }
    hd_arena_free(scratch);
    return status;
}

/* ---- circuits ------------------------------------------------------------------------ */

enum {
    NETLIST_NODES = 32229,
    NETLIST_EDGES = 63200,
    INPUT_ONE_IN = 871,    /* b17 has 37 inputs */
    FLIP_FLOP_ONE_IN = 23, /* and 1,415 flip-flops */
    MOST_OPERANDS = 8,
    MOST_LEVELS = 48,
    GATES_PER_LEVEL = 64, /* of small circuits, which are flatter */
    HUB_ONE_IN = 4,
    TRIES = 12,
    REACH = 24 /* places along a level's list that an operand is away at most */
};

typedef hd_vec(uint32_t) level; /* its nodes, ascending */

typedef struct circuit {
    hd_arena *arena;                         /* of the making only */
    uint64_t random;                         /* state of hd_next_random() */
    uint32_t nodes, inputs, sources, levels; /* sources: inputs and flip-flops */
    uint64_t edges;
    uint32_t *level_of;
    uint32_t *operands; /* how many each node has */
    bool *read;         /* whether a node is an operand already */
    level *level;
} circuit;

static circuit plan_circuit(hd_arena *arena, const hd_graph_size *size, uint64_t nodes) {
    circuit c = {.arena = arena,
                 .random = size->seed,
                 .nodes = (uint32_t)nodes,
                 .edges = size->edges ? size->edges : nodes * NETLIST_EDGES / NETLIST_NODES};
    c.inputs = c.nodes / INPUT_ONE_IN + 1;
    c.sources = c.inputs + c.nodes / FLIP_FLOP_ONE_IN;
    uint32_t gates = c.nodes - c.sources;
    c.levels = 1 + gates / GATES_PER_LEVEL;
    if (c.levels > MOST_LEVELS)
        c.levels = MOST_LEVELS;
    c.levels += 1; /* that of the sources */
    c.level_of = hd_new_array(arena, uint32_t, nodes);
    c.operands = hd_new_array(arena, uint32_t, nodes);
    c.read = hd_new_array(arena, bool, nodes);
    c.level = hd_new_array(arena, level, c.levels);
    return c;
}

/* Lower levels hold more gates, and none is empty. */
static void draw_levels(circuit *c) {
    for (uint32_t v = 0; v < c->nodes; v++) {
        uint32_t gate = v - c->sources, gate_levels = c->levels - 1;
        if (v >= c->sources && gate < gate_levels) {
            c->level_of[v] = gate + 1;
        } else if (v >= c->sources) {
            uint64_t a = draw_below(&c->random, gate_levels),
                     b = draw_below(&c->random, gate_levels);
            bool lower = draw_below(&c->random, 2);
            c->level_of[v] = 1 + (uint32_t)(lower && b < a ? b : a);
        }
        hd_push(c->arena, &c->level[c->level_of[v]], v);
    }
}

/* One operand for each gate and flip-flop, and the others where there is room. */
static void draw_operand_counts(circuit *c) {
    uint64_t left = c->edges - (c->nodes - c->inputs);
    for (uint32_t v = c->inputs; v < c->nodes; v++)
        c->operands[v] = 1;
    while (left) {
        uint32_t v = c->sources + (uint32_t)draw_below(&c->random, c->nodes - c->sources);
        /* Most gates have two; a third operand is four times as rare, and so on. */
        uint32_t have = c->operands[v];
        bool full = have == MOST_OPERANDS;
        if (full || (have > 1 && left > 1 && draw_below(&c->random, have * 4)))
            continue;
        c->operands[v]++;
        left--;
    }
}

static uint32_t draw_near(circuit *c, const level *l, uint32_t node) {
    uint64_t count = l->count, reach = count < REACH ? count : REACH, at = 0, high = count;
    uint32_t drawn = 0;
    while (at < high) { /* the place of the first node from `node` on */
        uint64_t middle = at + (high - at) / 2;
        if (l->data[middle] < node)
            at = middle + 1;
        else
            high = middle;
    }
    /* All gates lie behind all sources, which are matched by how far along they are instead. */
    if (l == c->level)
        at = (uint64_t)node * count / c->nodes;
    for (int tries = 0; tries < TRIES; tries++) {
        drawn = l->data[(at + count + draw_below(&c->random, reach) - reach / 2) % count];
        if (!c->read[drawn])
            break;
    }
    return drawn;
}

static uint32_t draw_operand(circuit *c, uint32_t node, uint32_t nth) {
    /* The level that it is from: a flip-flop may follow any gate. */
    uint32_t top = c->level_of[node];
    const level *from =
        top && !nth ? &c->level[top - 1] : &c->level[draw_below(&c->random, top ? top : c->levels)];
    if (!nth || draw_below(&c->random, HUB_ONE_IN))
        return draw_near(c, from, node);
    double u = (double)(hd_next_random(&c->random) >> 11) * 0x1p-53;
    uint64_t place = (uint64_t)(u * u * u * u * (double)from->count);
    /* Which ones are preferred has nothing to do with their numbers. */
    return from->data[place * 0x9e3779b1u % from->count];
}

static hd_graph *wire(hd_arena *arena, circuit *c) {
    static const uint8_t kinds[] = {HD_GATE_NAND, HD_GATE_NAND, HD_GATE_NAND, HD_GATE_AND,
                                    HD_GATE_NOR,  HD_GATE_OR,   HD_GATE_XOR};
    hd_graph_edge *edges = hd_new_array(c->arena, hd_graph_edge, c->edges);
    uint32_t count = 0;
    for (uint32_t v = 0; v < c->nodes; v++)
        for (uint32_t nth = 0; nth < c->operands[v]; nth++) {
            uint32_t operand = draw_operand(c, v, nth);
            c->read[operand] = true;
            edges[count++] = (hd_graph_edge){operand, v};
        }
    hd_graph *graph = hd_graph_of_edges(arena, c->nodes, true, edges, count);
    graph->gates = hd_alloc(arena, c->nodes);
    for (uint32_t v = 0; v < c->nodes; v++)
        graph->gates[v] = v < c->inputs         ? HD_GATE_INPUT
                          : v < c->sources      ? HD_GATE_DFF
                          : c->operands[v] == 1 ? HD_GATE_NOT
                                                : kinds[draw_below(&c->random, sizeof kinds)];
    return graph;
}

hd_status hd_netlist_generate(hd_arena *arena, const hd_diag *diag, const hd_graph_size *size,
                              hd_graph **graph) {
    uint64_t nodes = size->nodes ? size->nodes : NETLIST_NODES;
    hd_status status =
        check_nodes(diag, size, "netlist", nodes, 2, NETLIST_EDGES / NETLIST_NODES + 1);
    if (status != HD_OK)
        return status;
    hd_arena *scratch = hd_arena_new();
    circuit c = plan_circuit(scratch, size, nodes);
    uint64_t least = nodes - c.inputs,
             most = least + (uint64_t)(nodes - c.sources) * (MOST_OPERANDS - 1);
    if (!size->edges && c.edges < least)
        c.edges = least;
    if (c.edges < least || c.edges > most) {
        status = wrong_size(diag, size, "netlist", nodes, least, most, c.edges);
    } else {
        draw_levels(&c);
        draw_operand_counts(&c);
        *graph = wire(arena, &c);
    }
    hd_arena_free(scratch);
    return status;
}
