/* Barriers, warps, and what else concerns several threads. docs/kir.md has the calls. */
#include "frontend/ptx/internal.h"

static kir_type word(void) { return ptx_int(32); }

static kir_value call(ptx_lowering *l, const char *name, uint32_t count, const kir_value *args) {
    return front_emit_call(&l->out, name, word(), count, args);
}

/* ---- barriers and fences ----------------------------------------------------- */

/* Barrier 0 of all threads. */
static bool is_whole(ptx_lowering *l, kir_value number, bool has_count) {
    const kir_inst *inst = &l->out.insts.data[number];
    return inst->op == KIR_CONST && !inst->imm[0] && !has_count;
}

/* bar.red.popc.u32 d, number{, threads}, {!}p */
static void lower_reduction(ptx_lowering *l) {
    bool counts = ptx_has(l->inst, "popc"), has_count = l->inst->operand_count > 3;
    const char *mode = counts ? "count" : ptx_has(l->inst, "and") ? "and" : "or";
    kir_value number = ptx_get(l, 1, PTX_U32);
    kir_value threads = has_count ? ptx_get(l, 2, PTX_U32) : ptx_number(l, word(), 0);
    kir_value bit = ptx_get(l, has_count ? 3 : 2, PTX_PRED);
    kir_value args[] = {number, threads, ptx_bool(l, bit)}, d;
    if (is_whole(l, number, has_count))
        d = call(l, hd_format(l->arena, "barrier_%s", mode), 1, &args[2]);
    else
        d = call(l, hd_format(l->arena, "barrier_named_%s", mode), 3, args);
    ptx_put(l, 0, counts ? d : ptx_is_not_zero(l, d), false);
}

static void lower_barrier(ptx_lowering *l) {
    if (ptx_has(l->inst, "warp")) {
        kir_value mask = ptx_get(l, 0, PTX_B32);
        front_emit_call(&l->out, "warp_sync", (kir_type){0}, 1, &mask);
        return;
    }
    if (ptx_has(l->inst, "cluster")) {
        const bool waits = ptx_has(l->inst, "wait");
        front_emit_call(&l->out, waits ? "cluster_wait" : "cluster_arrive", (kir_type){0}, 0, NULL);
        return;
    }
    if (ptx_has(l->inst, "red")) {
        lower_reduction(l);
        return;
    }
    bool has_count = l->inst->operand_count > 1, arrives = ptx_has(l->inst, "arrive");
    kir_value number = ptx_get(l, 0, PTX_U32);
    kir_value threads = has_count ? ptx_get(l, 1, PTX_U32) : ptx_number(l, word(), 0);
    if (is_whole(l, number, has_count) && !arrives)
        ptx_lower_recipe(l, ": barrier:void(3:i32)");
    else
        front_emit_call(&l->out, arrives ? "barrier_arrive" : "barrier_named", (kir_type){0}, 2,
                        (kir_value[]){number, threads});
}

/* membar.cta and .gl; fence.acq_rel.cta and the like, which both releases and acquires unless it says
 * one of the two. */
static void lower_fence(ptx_lowering *l) {
    ptx_lower_recipe(l, ": fence:void(3:i32)");
    ptx_set_order(l, KIR_UNSAID);
    kir_inst *inst = &l->out.insts.data[l->out.insts.count - 1];
    inst->order = inst->order == KIR_ACQ_REL ? KIR_UNSAID : inst->order;
}

/* ---- reductions ------------------------------------------------------------------- */

/* redux.sync.min{.abs}{.NaN}.f32 d, value, mask: by the bits of floats as unsigned numbers of the same
 * order, x. NaN counts for less than all, or, with .NaN, for more, whichever is sought: it is at one of
 * the two ends. */
static void lower_float_redux(ptx_lowering *l) {
    const char *name = ptx_has(l->inst, "min") ? "min" : "max";
    bool is_above = ptx_has(l->inst, "NaN") == !strcmp(name, "max");
    ptx_lower_recipe(
        l, hd_format(l->arena,
                     "bb: s = 0x80000000:i32; y = and(a, xor(s, -1)); x = %s;"
                     "x = select(slt(x, 0), xor(x, -1), xor(x, s));"
                     "x = select(ugt(y, 0x7f800000), %d:i32, x);"
                     "x = warp_reduce_u%s(b, x);"
                     "select(eq(x, 0), 0x7fffffff:i32, select(slt(x, 0), xor(x, s), xor(x, -1)))",
                     ptx_has(l->inst, "abs") ? "y" : "a", is_above ? -1 : 0, name));
}

/* The lowest thread of the mask, and whether it is this one. */
static void lower_elect(ptx_lowering *l) {
    const ptx_operand *to = ptx_operand_at(l, 0);
    kir_value mask = ptx_get(l, 1, PTX_B32);
    kir_value is = ptx_is_not_zero(l, call(l, "elect", 1, &mask));
    bool is_pair = to->kind == PTX_PAIR;
    if (is_pair)
        ptx_put_to(l, &to->list[0], ptx_call1(l, "ctz", mask), false);
    ptx_put_to(l, is_pair ? &to->list[1] : to, is, false);
}

#define VOTE(mode, begin, end)                                                                   \
    {"vote.sync." mode, NULL, "pb: " begin "warp_" mode ":i32(b, zext:i32(a))" end, true}, {     \
        "vote." mode, NULL, "p: " begin "warp_" mode ":i32(active_mask:i32(), zext:i32(a))" end, \
            true                                                                                 \
    }
#define SHUFFLED(mode)                                                                      \
    "shuffle_" mode ":own(d, a, b, c) | ne(shuffle_" mode "_pred:i32(d, a, b, c), 0)", true
/* d|p, value, b, c, mask; before PTX 6 of all that are here */
#define SHUFFLE(mode)                                                     \
    {"shfl.sync." mode, NULL, "vuub: " SHUFFLED(mode)}, {                 \
        "shfl." mode, NULL, "vuu: d = active_mask:i32(); " SHUFFLED(mode) \
    }
#define REDUX(words, name) {"redux." words, NULL, "tb: warp_reduce_" name "(b, a)", true}
#define NOTHING(name) {name, NULL, "", false}
#define MIN_MAX "; min and max of f32 are"
/* ---- clusters ------------------------------------------------------------------------ */

/* mapa d, address, rank: where another block of the cluster has what this one has at an address. The
 * shared memories of a cluster's blocks follow each other. */
static void lower_mapa(ptx_lowering *l) {
    const bool is_narrow = ptx_type_of(l->inst, 0) == PTX_U32;
    kir_value address = ptx_get(l, 1, is_narrow ? PTX_U32 : PTX_U64);
    kir_value letters[26] = {ptx_get(l, 2, PTX_U32)}, apart;
    apart = front_recipe(&l->out, "shl(sub(a, %cluster_ctarank), 24)", letters, false, word());
    apart = ptx_resize(l, apart, ptx_type_of_value(l, address), true);
    hd_push(l->arena, &l->pointers, address);
    ptx_put(l, 0, ptx_op(l, KIR_ADD, address, apart), false);
}

/* getctarank d, address */
static void lower_rank(ptx_lowering *l) {
    kir_value pointer = ptx_address(l, 1, ptx_space_of(l->inst));
    pointer = ptx_to(l, KIR_PTRTOINT, ptx_int(64), pointer);
    ptx_put(l, 0, call(l, "cluster_rank_of", 1, &pointer), false);
}

const ptx_rule ptx_thread_rules[] = {
    {"bar", lower_barrier, NULL, true},
    {"barrier", lower_barrier, NULL, true},
    {"membar.proxy", NULL, "", true},
    {"fence.proxy", NULL, "", true},
    {"fence.mbarrier_init", NULL, "", true},
    {"membar", lower_fence, NULL, true},
    {"fence", lower_fence, NULL, true},
    VOTE("all", "ne(", ", 0)"),
    VOTE("any", "ne(", ", 0)"),
    VOTE("uni", "ne(", ", 0)"),
    VOTE("ballot", "", ""),
    {"vote", ptx_lower_wordless, "has no mode", true},
    {"match.all", NULL, "tb: warp_match_all:i32(b, a) | ne(warp_match_all_pred:i32(b, a), 0)",
     true},
    {"match", NULL, "tb: warp_match_any:i32(b, a)", true},
    SHUFFLE("idx"),
    SHUFFLE("up"),
    SHUFFLE("down"),
    SHUFFLE("bfly"),
    {"shfl", ptx_lower_wordless, "has no mode", true},
    {"redux.min.f32", lower_float_redux, NULL, true},
    {"redux.max.f32", lower_float_redux, NULL, true},
    {"redux.f32", ptx_lower_refused, MIN_MAX, true},
    {"redux.f64", ptx_lower_refused, MIN_MAX, true},
    {"redux.f16", ptx_lower_refused, MIN_MAX, true},
    REDUX("add", "add"),
    REDUX("and", "and"),
    REDUX("or", "or"),
    REDUX("xor", "xor"),
    REDUX("min.s32", "min"),
    REDUX("max.s32", "max"),
    REDUX("min", "umin"),
    REDUX("max", "umax"),
    {"mapa", lower_mapa, NULL, false},
    {"getctarank", lower_rank, NULL, false},
    {"activemask", NULL, ": active_mask:i32()", true},
    {"elect", lower_elect, NULL, true},
    {"trap", NULL, ": trap:void()", true},
    /* all others of the block that can run do so first */
    {"nanosleep", NULL, ": yield:void()", true},
    NOTHING("brkpt"),
    NOTHING("pmevent"),
    NOTHING("setmaxnreg"),
    NOTHING("griddepcontrol"),
    {NULL},
};
