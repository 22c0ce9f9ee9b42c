/*
 * Divergence: which values are the same for all lanes that are active together.
 *
 * The machine runs a block's lanes together, and those that went different ways
 * wait for each other. Blocks have keys in reverse post-order, each loop in one
 * run of keys; of all waiting lanes those at the lowest key go first, and lanes
 * that took a back edge wait until nobody is left inside that iteration. So the
 * lanes of a loop are all in the same iteration, and each block runs once in each
 * iteration of the loops around it, with all lanes that come by. From this
 * follows what is varying:
 *
 *   - what comes from a lane's id, its private memory or an atomic, and all that
 *     is computed from it;
 *   - a phi where lanes meet that a varying branch had sent different ways;
 *   - a value made in a loop that lanes leave one by one, where it is used
 *     outside of the loop:
 *
 *         while (w[lane] > j) j++;    inside, j is the same for all lanes
 *         p[j].x = 0;                 here each has the j it left with
 *
 * Where lanes meet is found as in LLVM's SyncDependenceAnalysis (after Karrenberg
 * and Hack, "Improving Performance of OpenCL on CPUs", 2012, and Rosemann, Moll
 * and Hack, "An Abstract Interpretation for SPMD Divergence on Reducible Control
 * Flow Graphs", 2021), level by level. The blocks of one loop that lie in no
 * inner loop, and each inner loop as one node, are a graph without cycles: the
 * level. From each edge out of a node at which lanes part, a label of its own
 * flows along the level's edges; a node that two labels reach is a meeting and
 * sends on a label of its own. Labels that reach a back edge as well as an exit
 * show that lanes leave the loop one by one; where they may leave by several
 * exits, the loop is a node at which lanes part, one level further out.
 *
 * Cycles that are no natural loops have no iterations to be in step with. In all
 * that is reached from one every phi and every load is varying.
 *
 * A uniform value may be kept in one cell for the whole block, which each
 * execution overwrites; it then still holds a lane's own value whenever the lane
 * uses it. That is so whether phis are written when their block starts or as soon
 * as some lanes take an edge to it. (The second is why a header's phi is varying
 * when a back edge starts inside an inner loop that lanes leave one by one: those
 * still inside have not yet done with the old value.)
 */
#include <stdlib.h>

#include "kernel/analysis.h"

enum { TOP = -1 }; /* the level of the blocks in no loop */

typedef struct analysis {
    const kir_kernel *kernel;
    const hd_flow *flow;
    hd_divergence *result;
    uint32_t *position; /* of a block in flow->rpo */
    bool *reached;      /* by block: reached from a cycle that is no natural loop */
    bool *meets;        /* by block: lanes that parted meet here */
    bool *staggered;    /* by loop: lanes leave it in different iterations */
    bool *parts;        /* by loop: lanes leave it by different exits */
    bool *own;          /* by value: varying by itself, whatever its arguments are */
    uint32_t *label;    /* by block: scratch of one walk */
    bool changed;
} analysis;

/* ---- values -------------------------------------------------------------------- */

static int by_name(const void *key, const void *entry) {
    return strcmp(key, *(const char *const *)entry);
}

/* Built-in functions whose result follows from their arguments; sorted. Those that also write
 * through a pointer are not among them: every lane has its own memory to be written. */
static bool is_pure_function(const char *name) {
    /* clang-format off */
    static const char *const names[] = {
        "abs", "abs_diff", "acos", "acosh", "acospi", "add_rd", "add_ru", "add_rz", "add_sat",
        "all", "any", "asin", "asinh", "asinpi", "atan", "atan2", "atan2pi", "atanh", "atanpi",
        "bit_reverse", "bitselect", "byte_perm", "cbrt", "ceil", "clamp", "clz", "copysign", "cos",
        "cosh", "cospi", "cross", "ctz", "cyl_bessel_i0", "cyl_bessel_i1", "degrees", "distance",
        "div_rd", "div_ru", "div_rz", "dot", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp",
        "exp10", "exp2", "expm1", "fabs", "fast_distance", "fast_length", "fast_normalize", "fdim",
        "floor", "fma", "fma_rd", "fma_ru", "fma_rz", "fmax", "fmin", "fmod", "hadd", "half_cos",
        "half_divide", "half_exp", "half_exp10", "half_exp2", "half_log", "half_log10", "half_log2",
        "half_powr", "half_recip", "half_rsqrt", "half_sin", "half_sqrt", "half_tan", "hypot",
        "ilogb", "isequal", "isfinite", "isgreater", "isgreaterequal", "isinf", "isless",
        "islessequal", "islessgreater", "isnan", "isnormal", "isnotequal", "isordered",
        "isunordered", "j0", "j1", "jn", "ldexp", "length", "lgamma", "log", "log10", "log1p",
        "log2", "logb", "mad", "mad24", "mad_hi", "mad_sat", "max", "maxmag", "min", "minmag",
        "mix", "mul24", "mul_hi", "mul_rd", "mul_ru", "mul_rz", "nan", "native_cos",
        "native_divide", "native_exp", "native_exp10", "native_exp2", "native_log", "native_log10",
        "native_log2", "native_powr", "native_recip", "native_rsqrt", "native_sin", "native_sqrt",
        "native_tan", "nextafter", "norm3d", "norm4d", "normalize", "normcdf", "normcdfinv",
        "popcount", "pow", "pown", "powr", "radians", "rcbrt", "remainder", "rhadd", "rhypot",
        "rint", "rnorm3d", "rnorm4d", "rootn", "rotate", "round", "rsqrt", "select", "shuffle",
        "shuffle2", "sign", "signbit", "sin", "sinh", "sinpi", "smoothstep", "sqrt", "sqrt_rd",
        "sqrt_ru", "sqrt_rz", "step", "sub_rd", "sub_ru", "sub_rz", "sub_sat", "tan", "tanh",
        "tanpi", "tgamma", "trunc", "upsample", "y0", "y1", "yn"};
    /* clang-format on */
    if (!strncmp(name, "u_", 2)) /* the form for unsigned integers */
        name += 2;
    return !strncmp(name, "convert_", 8) ||
           bsearch(name, names, sizeof names / sizeof *names, sizeof *names, by_name);
}

/* Calls that every lane of the block makes together and gets the same answer from. */
static bool is_block_wide(const kir_inst *inst) {
    return inst->op == KIR_CALL && !strncmp(inst->name, "barrier_", strlen("barrier_"));
}

static bool is_cast(kir_op op) {
    return op == KIR_ADDR || op == KIR_SPACECAST || op == KIR_BITCAST || op == KIR_FREEZE;
}

/* The space that a pointer points into, as far as it can be seen. */
static kir_space space_of(const kir_kernel *kernel, kir_value pointer) {
    const kir_inst *inst = &kernel->insts[pointer];
    while (inst->type.space == KIR_GENERIC && is_cast(inst->op) &&
           kernel->insts[inst->args[0]].type.kind == KIR_PTR)
        inst = &kernel->insts[inst->args[0]];
    bool is_buffer = inst->op == KIR_PARAM && inst->type.space == KIR_GENERIC;
    return is_buffer ? KIR_GLOBAL : inst->type.space;
}

/* Loads from struct parameters that nothing can have written are the same for all
 * lanes: marks those parameters and all pointers made from them. */
static bool *constant_pointers(hd_arena *arena, const kir_kernel *kernel) {
    bool *constant = hd_new_array(arena, bool, kernel->inst_count);
    for (kir_value v = 0; v < kernel->inst_count; v++) {
        const kir_inst *inst = &kernel->insts[v];
        constant[v] = inst->type.kind == KIR_PTR;
        if (inst->op == KIR_PARAM)
            constant[v] = constant[v] && kernel->params[inst->index].by_value_struct;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (kir_value v = 0; v < kernel->inst_count; v++) {
            const kir_inst *inst = &kernel->insts[v];
            bool cast = is_cast(inst->op), reads = inst->op == KIR_LOAD || inst->op == KIR_ICMP;
            bool derived = cast && constant[inst->args[0]];
            if (constant[v] && inst->op != KIR_PARAM && !derived)
                constant[v] = false, changed = true;
            for (uint32_t i = 0; i < inst->arg_count; i++) {
                bool kept = (cast && constant[v]) || reads || (inst->op == KIR_COPY && i == 1);
                if (constant[inst->args[i]] && !kept)
                    constant[inst->args[i]] = false, changed = true;
            }
        }
    }
    return constant;
}

static bool varies_by_itself(const analysis *a, kir_value v, const bool *constant) {
    const kir_inst *inst = &a->kernel->insts[v];
    switch (inst->op) {
    case KIR_QUERY:
        return inst->index == KIR_Q_GLOBAL_ID || inst->index == KIR_Q_LOCAL_ID ||
               inst->index == KIR_Q_GLOBAL_LINEAR_ID || inst->index == KIR_Q_LOCAL_LINEAR_ID;
    case KIR_LOAD: {
        kir_space space = space_of(a->kernel, inst->args[0]);
        bool is_private = space == KIR_PRIVATE || space == KIR_GENERIC;
        return (is_private && !constant[inst->args[0]]) || a->reached[inst->block];
    }
    case KIR_ATOMIC: return true;
    case KIR_CALL: return !is_block_wide(inst) && !is_pure_function(inst->name);
    case KIR_PHI: return a->reached[inst->block];
    default: return false;
    }
}

/* ---- levels ------------------------------------------------------------------------ */

static bool is_inside(const analysis *a, int32_t level, uint32_t block) {
    return level == TOP || hd_flow_in_loop(a->flow, (uint32_t)level, block);
}

/* The inner loop of a level that holds the block, or the level when it lies in none. */
static int32_t child_of(const analysis *a, int32_t level, uint32_t block) {
    int32_t loop = a->flow->loop_of[block];
    while (loop != level && a->flow->loops[loop].parent != level)
        loop = a->flow->loops[loop].parent;
    return loop;
}

static const kir_inst *terminator(const analysis *a, uint32_t block) {
    const kir_block *b = &a->kernel->blocks[block];
    return &a->kernel->insts[b->insts[b->inst_count - 1]];
}

/* The labels from one node on their way through its level. */
typedef struct walk {
    analysis *a;
    int32_t level;
    uint32_t fresh;   /* the next label; numbers of blocks are the labels of meetings */
    uint32_t waiting; /* labelled nodes ahead */
    uint32_t back;    /* the label that reached the level's header again, or KIR_NONE */
    uint32_t exits;   /* edges out of the level that labels took */
} walk;

static void note(analysis *a, bool *fact) {
    a->changed |= !*fact;
    *fact = true;
}

static void arrive(walk *w, uint32_t to, uint32_t label) {
    analysis *a = w->a;
    if (w->level != TOP && to == a->flow->loops[w->level].header) {
        if (w->back != KIR_NONE && w->back != label)
            note(a, &a->meets[to]);
        w->back = label;
    } else if (!is_inside(a, w->level, to)) {
        w->exits++;
    } else if (a->reached[to]) {
        return; /* and from there no way leads back to where labels matter */
    } else if (a->label[to] == KIR_NONE) {
        a->label[to] = label;
        w->waiting++;
    } else if (a->label[to] != label) {
        a->label[to] = to;
        note(a, &a->meets[to]);
    }
}

static bool is_repeated(const kir_inst *end, uint32_t edge) {
    for (uint32_t i = 0; i < edge; i++)
        if (end->to[i] == end->to[edge])
            return true;
    return false;
}

/* Sends a label along the edges of one block that leave `child`, or all when child is the
 * walk's level; KIR_NONE: a fresh one along each. */
static void send(walk *w, uint32_t block, int32_t child, uint32_t label) {
    const kir_inst *end = terminator(w->a, block);
    for (uint32_t i = 0; i < end->to_count; i++) {
        bool leaves = child == w->level || !is_inside(w->a, child, end->to[i]);
        if (leaves && !is_repeated(end, i))
            arrive(w, end->to[i], label == KIR_NONE ? w->fresh++ : label);
    }
}

static void send_from_node(walk *w, uint32_t node, uint32_t label) {
    int32_t child = child_of(w->a, w->level, node);
    if (child == w->level) {
        send(w, node, child, label);
        return;
    }
    const hd_loop *loop = &w->a->flow->loops[child];
    for (uint32_t i = 0; i < loop->exit_count; i++)
        send(w, loop->exits[i], child, label);
}

/* The position behind a node of the level. */
static uint32_t behind(const walk *w, uint32_t node) {
    int32_t child = child_of(w->a, w->level, node);
    bool is_loop = child != w->level && w->a->flow->loops[child].header == node;
    return w->a->position[node] + (is_loop ? w->a->flow->loops[child].block_count : 1);
}

static uint32_t count_exit_edges(const analysis *a, const hd_loop *loop) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        const kir_inst *end = terminator(a, loop->exits[i]);
        for (uint32_t k = 0; k < end->to_count; k++)
            count +=
                !is_inside(a, (int32_t)(loop - a->flow->loops), end->to[k]) && !is_repeated(end, k);
    }
    return count;
}

/* Lanes part at this node, a block of the level or the header of one of its inner loops:
 * notes where they meet again, and what becomes of the level's own loop. */
static void part(analysis *a, int32_t level, uint32_t node) {
    const hd_flow *flow = a->flow;
    const hd_loop *loop = level == TOP ? NULL : &flow->loops[level];
    walk w = {.a = a, .level = level, .fresh = a->kernel->block_count, .back = KIR_NONE};
    uint32_t start = loop ? a->position[loop->header] : 0;
    uint32_t end = loop ? start + loop->block_count : flow->rpo_count;
    for (uint32_t p = start; p < end; p++)
        a->label[flow->rpo[p]] = KIR_NONE;
    send_from_node(&w, node, KIR_NONE);
    for (uint32_t p = behind(&w, node); w.waiting && p < end; p = behind(&w, flow->rpo[p])) {
        uint32_t block = flow->rpo[p];
        if (a->label[block] == KIR_NONE)
            continue;
        if (w.waiting == 1 && !w.exits && w.back == KIR_NONE)
            break; /* all are together again */
        w.waiting--;
        send_from_node(&w, block, a->label[block]);
    }
    if (!loop)
        return;
    if (w.exits && w.back != KIR_NONE)
        note(a, &a->staggered[level]);
    bool several = w.exits > 1 || (a->staggered[level] && count_exit_edges(a, loop) > 1);
    if (several && !a->parts[level]) {
        a->parts[level] = true;
        part(a, loop->parent, loop->header);
    }
}

/* ---- marks spread until nothing changes ---------------------------------------------- */

/* Lanes leave one of the loops that hold `from`, but not `to`, in different iterations. */
static bool is_staggered_between(const analysis *a, uint32_t from, uint32_t to) {
    for (int32_t l = a->flow->loop_of[from]; l >= 0 && !is_inside(a, l, to);
         l = a->flow->loops[l].parent)
        if (a->staggered[l])
            return true;
    return false;
}

/* A back edge to this header starts in an inner loop that lanes leave one by one. */
static bool is_early_header(const analysis *a, uint32_t block) {
    int32_t l = a->flow->loop_of[block];
    if (l < 0 || a->flow->loops[l].header != block)
        return false;
    const hd_loop *loop = &a->flow->loops[l];
    for (uint32_t i = 0; i < loop->latch_count; i++)
        for (int32_t in = a->flow->loop_of[loop->latches[i]]; in != l;
             in = a->flow->loops[in].parent)
            if (a->staggered[in])
                return true;
    return false;
}

static void visit(analysis *a, kir_value v) {
    const kir_inst *inst = &a->kernel->insts[v];
    bool *varying = a->result->varying;
    bool result = a->own[v];
    for (uint32_t i = 0; i < inst->arg_count; i++) {
        kir_value arg = inst->args[i];
        if (!varying[arg] && is_staggered_between(a, a->kernel->insts[arg].block, inst->block))
            note(a, &varying[arg]);
        result |= varying[arg];
    }
    if (inst->op == KIR_PHI)
        result |= a->meets[inst->block] || is_early_header(a, inst->block);
    if (result && inst->type.kind != KIR_VOID && !is_block_wide(inst))
        note(a, &varying[v]);
    if (kir_is_terminator(inst->op) && result && !a->result->splits[inst->block]) {
        note(a, &a->result->splits[inst->block]);
        if (!a->reached[inst->block])
            part(a, a->flow->loop_of[inst->block], inst->block);
    }
}

/* Marks everything that can be reached from a cycle that is no natural loop: such a
 * cycle has an edge back to a block that does not dominate the edge's start. */
static void find_reached(hd_arena *arena, analysis *a) {
    uint32_t *stack = hd_new_array(arena, uint32_t, a->kernel->block_count), depth = 0;
    for (uint32_t p = 0; p < a->flow->rpo_count; p++) {
        uint32_t from = a->flow->rpo[p];
        const kir_inst *end = terminator(a, from);
        for (uint32_t i = 0; i < end->to_count; i++) {
            uint32_t to = end->to[i];
            if (a->position[to] <= p && !a->reached[to] && !hd_flow_dominates(a->flow, to, from)) {
                a->reached[to] = true;
                stack[depth++] = to;
            }
        }
    }
    while (depth) {
        const kir_inst *end = terminator(a, stack[--depth]);
        for (uint32_t i = 0; i < end->to_count; i++)
            if (!a->reached[end->to[i]]) {
                a->reached[end->to[i]] = true;
                stack[depth++] = end->to[i];
            }
    }
}

static analysis prepare(hd_arena *arena, const kir_kernel *kernel, const hd_flow *flow) {
    uint32_t blocks = kernel->block_count, loops = flow->loop_count;
    analysis a = {.kernel = kernel, .flow = flow, .result = hd_new(arena, hd_divergence)};
    a.result->varying = hd_new_array(arena, bool, kernel->inst_count);
    a.result->splits = hd_new_array(arena, bool, blocks);
    a.position = hd_new_array(arena, uint32_t, blocks);
    a.reached = hd_new_array(arena, bool, blocks);
    a.meets = hd_new_array(arena, bool, blocks);
    a.staggered = hd_new_array(arena, bool, loops);
    a.parts = hd_new_array(arena, bool, loops);
    a.own = hd_new_array(arena, bool, kernel->inst_count);
    a.label = hd_new_array(arena, uint32_t, blocks);
    for (uint32_t p = 0; p < flow->rpo_count; p++)
        a.position[flow->rpo[p]] = p;
    find_reached(arena, &a);
    const bool *constant = constant_pointers(arena, kernel);
    for (kir_value v = 0; v < kernel->inst_count; v++)
        a.own[v] = varies_by_itself(&a, v, constant);
    return a;
}

hd_divergence *hd_divergence_analyse(hd_arena *arena, const kir_kernel *kernel,
                                     const hd_flow *flow) {
    analysis a = prepare(arena, kernel, flow);
    do {
        a.changed = false;
        for (uint32_t p = 0; p < flow->rpo_count; p++) {
            const kir_block *block = &kernel->blocks[flow->rpo[p]];
            for (uint32_t i = 0; i < block->inst_count; i++)
                visit(&a, block->insts[i]);
        }
    } while (a.changed);
    return a.result;
}
