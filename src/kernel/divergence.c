/*
 * Divergence: which values are the same for all lanes that are active together, seen
 * by the machine, which compares the lanes of a block, or by the cost model, which
 * compares those of a warp.
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
 * The block's view: a uniform value may be kept in one cell for the whole block,
 * which each execution overwrites; it then still holds a lane's own value whenever
 * the lane uses it. So a value that is used outside of a loop that lanes leave one by
 * one is varying everywhere. And that is so whether phis are written when their block
 * starts or as soon as some lanes take an edge to it. (The second is why a header's
 * phi is varying when a back edge starts inside an inner loop that lanes leave one by
 * one: those still inside have not yet done with the old value.)
 *
 * The warp's view: lanes have values of their own, and all that counts is whether
 * those that are active where a value is used agree. What is more, the launch is
 * known: a local id of dimension 1 is the same for a warp whose block is 32 wide, and
 * so is any affine form in such ids, in group ids and in loop counters. And functions
 * of a warp or sub-group give all its lanes one answer.
 */
#include <stdlib.h>

#include "kernel/kernel_analysis.h"

enum { TOP = -1 }; /* the level of the blocks in no loop */

typedef struct analysis {
    const kir_kernel *kernel;
    const hd_flow *flow;
    hd_divergence *result;
    uint32_t warp;      /* lanes that are compared: 0: all of the block */
    uint32_t *position; /* of a block in flow->rpo */
    bool *reached;      /* by block: reached from a cycle that is no natural loop */
    bool *meets;        /* by block: lanes that parted meet here */
    bool *meets_again;  /* by loop: lanes that parted meet at the start of the next iteration */
    bool *parts;        /* by loop: lanes leave it by different exits */
    bool *own;          /* by value: varying by itself, whatever its arguments are */
    bool *agreed;       /* by value: uniform by itself, whatever its arguments are */
    uint32_t *label;    /* by block: scratch of one walk */
    bool changed;
} analysis;

/* ---- values -------------------------------------------------------------------- */

static int by_name(const void *key, const void *entry) {
    return strcmp(key, *(const char *const *)entry);
}

/* In these names, sorted. Those that also write through a pointer are not among them: every lane
 * has its own memory to be written. */
bool kernel_is_pure_function(const char *name) {
    /* clang-format off */
    static const char *const names[] = {
        "abs", "abs_diff", "acos", "acosh", "acospi", "add_rd", "add_ru", "add_rz", "add_sat",
        "all", "any", "asin", "asinh", "asinpi", "atan", "atan2", "atan2pi", "atanh", "atanpi",
        "bf16_add", "bf16_fma", "bf16_mul", "bf16_sub", "bit_reverse", "bitfield_extract",
        "bitfield_insert", "bitselect", "byte_perm", "cbrt", "ceil", "clamp", "cluster_rank_of",
        "cluster_size_x", "cluster_size_y", "cluster_size_z", "clz", "copysign", "cos", "cosh", "cospi", "cross", "ctz", "cyl_bessel_i0", "cyl_bessel_i1", "degrees",
        "distance", "div_rd", "div_ru", "div_rz", "dot", "dp2a_hi_ss", "dp2a_hi_su", "dp2a_hi_us",
        "dp2a_hi_uu", "dp2a_lo_ss", "dp2a_lo_su", "dp2a_lo_us", "dp2a_lo_uu", "dp4a_ss", "dp4a_su",
        "dp4a_us", "dp4a_uu", "e4m3x2_to_half2", "e5m2x2_to_half2", "erf", "erfc", "erfcinv",
        "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fast_distance", "fast_length",
        "fast_normalize", "fdim", "find_msb", "find_nth_set", "float2_to_e4m3x2",
        "float2_to_e5m2x2", "float_to_bf16", "float_to_bf16_rd", "float_to_bf16_ru",
        "float_to_bf16_rz", "floor", "flush", "fma", "fma_rd", "fma_ru", "fma_rz", "fmax",
        "fmax_nan", "fmin", "fmin_nan", "fmod", "hadd", "half_cos", "half_divide", "half_exp",
        "half_exp10", "half_exp2", "half_log", "half_log10", "half_log2", "half_powr", "half_recip",
        "half_rsqrt", "half_sin", "half_sqrt", "half_tan", "has_clusters", "hypot", "ilogb", "is_in_space_const",
        "is_in_space_global", "is_in_space_local", "is_in_space_shared", "isequal", "isfinite",
        "isgreater", "isgreaterequal", "isinf", "isless", "islessequal", "islessgreater", "isnan",
        "isnormal", "isnotequal", "isordered", "isunordered", "j0", "j1", "jn", "ldexp", "length",
        "lgamma", "log", "log10", "log1p", "log2", "logb", "mad", "mad24", "mad_hi", "mad_sat",
        "max", "maxmag", "min", "minmag", "mix", "mul24", "mul_hi", "mul_rd", "mul_ru", "mul_rz",
        "nan", "native_cos", "native_divide", "native_exp", "native_exp10", "native_exp2",
        "native_log", "native_log10", "native_log2", "native_powr", "native_recip", "native_rsqrt",
        "native_sin", "native_sqrt", "native_tan", "native_tanh", "nextafter", "norm3d", "norm4d",
        "normalize", "normcdf", "normcdfinv", "popcount", "pow", "pown", "powr", "prmt", "prmt_b4e",
        "prmt_ecl", "prmt_ecr", "prmt_f4e", "prmt_rc16", "prmt_rc8", "radians", "rcbrt",
        "remainder", "rhadd", "rhypot", "rint", "rnorm3d", "rnorm4d", "rootn", "rotate", "round",
        "round_to_tf32", "round_to_tf32_rn", "round_to_tf32_rz", "rsqrt", "saturate", "select",
        "shuffle", "shuffle2", "sign", "signbit", "sin", "sinh", "sinpi", "smoothstep", "sqrt",
        "sqrt_rd", "sqrt_ru", "sqrt_rz", "step", "sub_rd", "sub_ru", "sub_rz", "sub_sat", "tan",
        "tanh", "tanpi", "tgamma", "trunc", "upsample", "y0", "y1", "yn"};
    /* clang-format on */
    if (!strncmp(name, "u_", 2)) /* the form for unsigned integers */
        name += 2;
    return !strncmp(name, "convert_", 8) ||
           bsearch(name, names, sizeof names / sizeof *names, sizeof *names, by_name);
}

/* Who gets one answer from a function that lanes call together, whatever their operands are. */
typedef enum answered { EACH_LANE, BLOCK, SUB_GROUP, MASK } answered;

enum { WARP_LANES = 32 }; /* of CUDA C */

/* By the start of the function's name; MASK: the lanes that its first argument names. Functions of
 * those lanes of a sub-group that happen to be there have several answers for it. */
static answered answered_together(const kir_inst *call) {
    static const struct {
        const char *start;
        answered who;
    } rows[] = {{"barrier_named_", EACH_LANE}, /* of some warps of the block */
                {"barrier_", BLOCK},
                {"work_group_", BLOCK},
                {"sub_group_shuffle", EACH_LANE},
                {"sub_group_ballot", EACH_LANE},
                {"sub_group_first", EACH_LANE},
                {"sub_group_non_uniform_", EACH_LANE},
                {"sub_group_clustered_", EACH_LANE},
                {"get_num_sub_groups", BLOCK},
                {"get_enqueued_num_sub_groups", BLOCK},
                {"get_max_sub_group_size", BLOCK},
                {"sub_group_", SUB_GROUP},
                {"get_sub_group_size", SUB_GROUP},
                {"warp_all", MASK},
                {"warp_any", MASK},
                {"warp_uni", MASK},
                {"warp_ballot", MASK},
                {"warp_match_all", MASK},
                {"warp_reduce_", MASK}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && call->op == KIR_CALL; i++)
        if (!strncmp(call->name, rows[i].start, strlen(rows[i].start)))
            return strstr(call->name, "_scan_") ? EACH_LANE : rows[i].who;
    return EACH_LANE;
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
    case KIR_CALL: return !kernel_is_pure_function(inst->name); /* but for is_shared() */
    case KIR_PHI: return a->reached[inst->block];
    default: return false;
    }
}

/* Lanes of a block before its local id of this dimension counts one further; 0: not known. */
static uint64_t lanes_before(const hd_binding *launch, uint32_t dimension) {
    uint64_t lanes = 1;
    for (uint32_t d = 0; d < dimension; d++)
        lanes *= kernel_launch_size(launch, KIR_Q_LOCAL_SIZE, d);
    return lanes;
}

/* An affine form in what all lanes of a warp share: block ids, sizes, iterations that they are
 * in together, local ids that change from warp to warp only. */
static bool is_form_of_warp(const analysis *a, const kernel_forms *forms, kir_value v) {
    hd_affine form = forms->of[v];
    for (uint32_t i = 0; i < form.term_count; i++) {
        const hd_term *t = &form.terms[i];
        uint64_t lanes = t->kind == HD_SYM_LOCAL ? lanes_before(&forms->launch, t->index) : a->warp;
        if (t->kind == HD_SYM_VALUE || t->kind == HD_SYM_GLOBAL || !lanes || lanes % a->warp)
            return false;
    }
    return true;
}

/* The number of a warp: the linear local id, and whole warps, divided by the lanes of a warp or
 * a multiple of them. */
static bool is_number_of_warp(const analysis *a, const kernel_forms *forms, const kir_inst *inst) {
    bool shifts = inst->op == KIR_LSHR || inst->op == KIR_ASHR;
    int64_t by;
    if ((!shifts && inst->op != KIR_UDIV && inst->op != KIR_SDIV) ||
        !kir_const_int(a->kernel, inst->args[1], &by) || by < 0 || (shifts && by > 31))
        return false;
    uint64_t divisor = shifts ? (uint64_t)1 << by : (uint64_t)by;
    hd_affine form = kernel_forms_at(forms, inst->args[0], inst->block);
    bool whole = forms->launch.dims && form.constant >= 0 && form.constant % a->warp == 0;
    for (uint32_t d = 0; d < forms->launch.dims; d++)
        whole &=
            kernel_launch_size(&forms->launch, KIR_Q_LOCAL_SIZE, d) == 1 ||
            hd_affine_factor(form, HD_SYM_LOCAL, d) == (int64_t)lanes_before(&forms->launch, d);
    for (uint32_t i = 0; i < form.term_count; i++)
        whole &= form.terms[i].kind == HD_SYM_LOCAL ||
                 (form.terms[i].kind == HD_SYM_GROUP && form.terms[i].factor > 0 &&
                  form.terms[i].factor % a->warp == 0);
    return whole && divisor && divisor % a->warp == 0;
}

/* ---- levels ------------------------------------------------------------------------ */

/* The inner loop of a level that holds the block, or the level when it lies in none. */
static int32_t child_of(const analysis *a, int32_t level, uint32_t block) {
    int32_t loop = a->flow->loop_of[block];
    while (loop != level && a->flow->loops[loop].parent != level)
        loop = a->flow->loops[loop].parent;
    return loop;
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
            note(a, &a->meets_again[w->level]);
        w->back = label;
    } else if (!hd_flow_in_loop(a->flow, w->level, to)) {
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

/* Sends a label along the edges of one block that leave `child`, or all when child is the
 * walk's level; KIR_NONE: a fresh one along each. */
static void send(walk *w, uint32_t block, int32_t child, uint32_t label) {
    const kir_inst *end = kir_terminator(w->a->kernel, block);
    for (uint32_t i = 0; i < end->to_count; i++) {
        bool leaves = child == w->level || !hd_flow_in_loop(w->a->flow, child, end->to[i]);
        if (leaves && !kernel_edge_repeats(end, i))
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
        const kir_inst *end = kir_terminator(a->kernel, loop->exits[i]);
        for (uint32_t k = 0; k < end->to_count; k++)
            count += !hd_flow_in_loop(a->flow, (int32_t)(loop - a->flow->loops), end->to[k]) &&
                     !kernel_edge_repeats(end, k);
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
        note(a, &a->result->staggered[level]);
    bool several = w.exits > 1 || (a->result->staggered[level] && count_exit_edges(a, loop) > 1);
    if (several && !a->parts[level]) {
        a->parts[level] = true;
        part(a, loop->parent, loop->header);
    }
}

/* ---- marks spread until nothing changes ---------------------------------------------- */

/* A back edge of this loop starts in an inner loop that lanes leave one by one. */
static bool is_repeated_early(const analysis *a, int32_t loop) {
    const hd_loop *l = &a->flow->loops[loop];
    for (uint32_t i = 0; i < l->latch_count; i++)
        for (int32_t in = a->flow->loop_of[l->latches[i]]; in != loop;
             in = a->flow->loops[in].parent)
            if (a->result->staggered[in])
                return true;
    return false;
}

static bool is_same_value(const kir_kernel *kernel, kir_value x, kir_value y) {
    const kir_inst *a = &kernel->insts[x], *b = &kernel->insts[y];
    return x == y || (a->op == KIR_CONST && b->op == KIR_CONST && a->imm_count == b->imm_count &&
                      !memcmp(a->imm, b->imm, a->imm_count * sizeof *a->imm));
}

/* The phi takes different values from blocks inside `loop`, or from those outside of it. */
static bool takes_several(const analysis *a, const kir_inst *phi, int32_t loop, bool inside) {
    kir_value first = KIR_NONE;
    for (uint32_t i = 0; i < phi->arg_count; i++) {
        if ((loop >= 0 && hd_flow_in_loop(a->flow, loop, phi->from[i])) != inside)
            continue;
        if (first != KIR_NONE && !is_same_value(a->kernel, first, phi->args[i]))
            return true;
        first = phi->args[i];
    }
    return false;
}

/* Lanes with different values meet at the phi. Those that come into a loop meet before any of
 * them has come around, so each of the two kinds of edges into a header counts by itself. In a
 * cell for all lanes, those that come around first would overwrite even the same value. */
static bool is_meeting(const analysis *a, const kir_inst *phi) {
    int32_t loop = hd_flow_loop_at(a->flow, phi->block);
    if (a->meets[phi->block] && takes_several(a, phi, loop, false))
        return true;
    if (loop < 0)
        return false;
    return a->warp ? a->meets_again[loop] && takes_several(a, phi, loop, true)
                   : a->meets_again[loop] || is_repeated_early(a, loop);
}

/* Whether lanes that are active in a block may hold different values: they do, or they leave one
 * of the loops that hold the value, but not the block, in different iterations. */
static bool varies_at(const kir_kernel *kernel, const hd_flow *flow, const hd_divergence *d,
                      kir_value value, uint32_t block) {
    bool varies = d->varying[value];
    for (int32_t l = flow->loop_of[kernel->insts[value].block];
         l >= 0 && !varies && !hd_flow_in_loop(flow, l, block); l = flow->loops[l].parent)
        varies = d->staggered[l];
    return varies;
}

static bool differs(const analysis *a, const kir_inst *inst, uint32_t arg) {
    return varies_at(a->kernel, a->flow, a->result, inst->args[arg], inst->block);
}

/* All lanes that are compared get one answer from this call. */
static bool is_shared(const analysis *a, const kir_inst *inst) {
    answered who = answered_together(inst);
    uint32_t slice = who == SUB_GROUP ? kir_sub_group(a->kernel) : WARP_LANES;
    bool in_slices = a->warp && slice % a->warp == 0;
    int64_t width; /* by a shuffle all lanes of a warp may read one of them */
    bool of_mask = who == MASK || (inst->op == KIR_CALL && !strcmp(inst->name, "warp_shuffle") &&
                                   kir_const_int(a->kernel, inst->args[3], &width) &&
                                   width == WARP_LANES && !differs(a, inst, 2));
    return who == BLOCK || (in_slices && (who == SUB_GROUP || (of_mask && !differs(a, inst, 0))));
}

static void visit(analysis *a, kir_value v) {
    const kir_inst *inst = &a->kernel->insts[v];
    bool *varying = a->result->varying;
    bool result = a->own[v];
    for (uint32_t i = 0; i < inst->arg_count; i++)
        if (differs(a, inst, i)) {
            result = true;
            if (!a->warp && !varying[inst->args[i]])
                note(a, &varying[inst->args[i]]);
        }
    result |= inst->op == KIR_PHI && is_meeting(a, inst);
    if (result && inst->type.kind != KIR_VOID && !a->agreed[v] && !is_shared(a, inst))
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
        const kir_inst *end = kir_terminator(a->kernel, from);
        for (uint32_t i = 0; i < end->to_count; i++) {
            uint32_t to = end->to[i];
            if (a->position[to] <= p && !a->reached[to] && !hd_flow_dominates(a->flow, to, from)) {
                a->reached[to] = true;
                stack[depth++] = to;
            }
        }
    }
    while (depth) {
        const kir_inst *end = kir_terminator(a->kernel, stack[--depth]);
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
    a.result->staggered = hd_new_array(arena, bool, loops);
    a.position = hd_new_array(arena, uint32_t, blocks);
    a.reached = hd_new_array(arena, bool, blocks);
    a.meets = hd_new_array(arena, bool, blocks);
    a.meets_again = hd_new_array(arena, bool, loops);
    a.parts = hd_new_array(arena, bool, loops);
    a.own = hd_new_array(arena, bool, kernel->inst_count);
    a.agreed = hd_new_array(arena, bool, kernel->inst_count);
    a.label = hd_new_array(arena, uint32_t, blocks);
    for (uint32_t p = 0; p < flow->rpo_count; p++)
        a.position[flow->rpo[p]] = p;
    find_reached(arena, &a);
    const bool *constant = constant_pointers(arena, kernel);
    for (kir_value v = 0; v < kernel->inst_count; v++)
        a.own[v] = varies_by_itself(&a, v, constant);
    return a;
}

static hd_divergence *spread(analysis *a) {
    do {
        a->changed = false;
        for (uint32_t p = 0; p < a->flow->rpo_count; p++) {
            const kir_block *block = &a->kernel->blocks[a->flow->rpo[p]];
            for (uint32_t i = 0; i < block->inst_count; i++)
                visit(a, block->insts[i]);
        }
    } while (a->changed);
    return a->result;
}

hd_divergence *hd_divergence_of_block(hd_arena *arena, const kir_kernel *kernel,
                                      const hd_flow *flow) {
    analysis a = prepare(arena, kernel, flow);
    return spread(&a);
}

hd_divergence *hd_divergence_of_warp(hd_arena *arena, const hd_kernel_info *info, uint32_t warp) {
    analysis a = prepare(arena, info->kernel, info->flow);
    a.warp = warp;
    for (kir_value v = 0; v < info->kernel->inst_count; v++) {
        const kir_inst *inst = &a.kernel->insts[v];
        a.agreed[v] = inst->type.kind == KIR_INT && inst->type.lanes == 1 &&
                      !a.reached[inst->block] &&
                      (is_form_of_warp(&a, info->evaluator->f, v) ||
                       is_number_of_warp(&a, info->evaluator->f, inst));
    }
    return spread(&a);
}

bool hd_is_varying_at(const hd_kernel_info *info, const hd_divergence *d, kir_value value,
                      uint32_t block) {
    return varies_at(info->kernel, info->flow, d, value, block);
}
