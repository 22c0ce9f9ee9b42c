/*
 * Where the lanes of an access point, without enumerating every execution.
 *
 * The element index of an access is an affine form: constants times group ids,
 * local ids and loop counters. The part in local ids gives the lanes of a warp
 * their places relative to the first lane: a pattern, the same for all warps
 * but for those that a guard or the end of the block cuts short. The rest
 * decides only where the first lane stands; and since segments, lines and tiles
 * repeat, all that matters of it is its residue modulo (tile × segment). So an
 * access is a few patterns, each with the distribution of that residue over all
 * blocks, warps and iterations. Example: for p[global id], 32 lanes, tile 1 and
 * 128-byte segments the pattern is 0, 1 … 31, and the first lane's index has the
 * residues 0, 32, 64 and 96 modulo 128, a quarter each.
 *
 * Distributions over a loop or a dimension of blocks are convolved with the
 * residues of (stride × 0 … n-1), by a sliding window along the cycle that the
 * stride walks: linear in the modulus, whatever n is. An opaque value that is
 * the same for all lanes and comes from data may be any integer, so it spreads
 * the residue evenly over the multiples of its factor. One that differs by lane
 * leaves nothing known of the lanes' distance: each lane is then taken to touch
 * segments of its own (Peng et al., section IV-D), and the pattern is one lane.
 *
 * Otherwise it is with indices that are no affine form but follow from ids, loop
 * counters and scalars all the same, as the (i & -d) * 2 + (i & d - 1) of a
 * butterfly, or a row k % n that all lanes share. They are computed lane by lane:
 * for all warps and iterations where these are few, otherwise for an even sample
 * of them. And where counters decide which lanes execute an access, every
 * iteration is followed (steps.c), if these are few.
 */
#include <stdlib.h>

#include "model/cost_internal.h"

enum { MAX_PATTERNS = 256, MAX_GUARDS = 16, MOST_LANES = 1 << 13, MOST_ITERATIONS = 16 };
#define NEGLIGIBLE 1e-12 /* a share that only rounding left over */

/* ---- distributions of residues: dense arrays of `modulus` doubles -------------- */

/* dense := dense convolved with the residues of stride * {0, …, count - 1}. With `modulus` of them
 * it is spread evenly over all multiples of the stride. */
static void convolve(hd_arena *arena, double *dense, uint32_t modulus, int64_t stride,
                     uint64_t count) {
    uint32_t step = (uint32_t)hd_mod(stride, modulus);
    if (step == 0 || count <= 1)
        return;
    uint32_t cycles = step & -step; /* the greatest common divisor with a power of two */
    uint32_t length = modulus / cycles;
    double turns = (double)(count / length) / (double)count;
    uint32_t window = (uint32_t)(count % length);
    double *walk = hd_new_array(arena, double, length);
    for (uint32_t start = 0; start < cycles; start++) {
        double total = 0, inside = 0;
        for (uint32_t i = 0, at = start; i < length; i++, at = (at + step) % modulus) {
            walk[i] = dense[at];
            total += walk[i];
        }
        for (uint32_t i = 0; i < window; i++)
            inside += walk[(length - i) % length];
        if (window == 0)
            inside = 0;
        for (uint32_t i = 0, at = start; i < length; i++, at = (at + step) % modulus) {
            /* inside = walk[i] + walk[i-1] + … over `window` places back */
            dense[at] = total * turns + inside / (double)count;
            inside +=
                window ? walk[(i + 1) % length] - walk[(i + length - window + 1) % length] : 0;
        }
    }
}

static residues compress(hd_arena *arena, const double *dense, uint32_t modulus) {
    residues list = {0};
    for (uint32_t i = 0; i < modulus; i++)
        list.count += dense[i] > NEGLIGIBLE;
    list.data = hd_new_array(arena, residue, list.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < modulus; i++)
        if (dense[i] > NEGLIGIBLE)
            list.data[n++] = (residue){i, dense[i]};
    return list;
}

/* ---- lanes of one warp ------------------------------------------------------------ */

/* The form's value where all symbols but ids are 0. It wraps around, as it would on
 * the device. */
static int64_t value_at(hd_affine form, const uint64_t group[3], const uint64_t local[3]) {
    uint64_t value = (uint64_t)form.constant;
    for (uint32_t i = 0; i < form.term_count; i++) {
        const hd_term *t = &form.terms[i];
        if (t->kind == HD_SYM_GROUP)
            value += (uint64_t)t->factor * group[t->index];
        else if (t->kind == HD_SYM_LOCAL)
            value += (uint64_t)t->factor * local[t->index];
    }
    return (int64_t)value;
}

/* Least and greatest value that the terms of one kind can have; false when they do
 * not fit 64 bits. */
static bool add_range(hd_affine form, hd_symbol_kind kind, const uint64_t sizes[3], int64_t *low,
                      int64_t *high) {
    for (uint32_t i = 0; i < form.term_count; i++) {
        const hd_term *t = &form.terms[i];
        int64_t end, *side = t->factor < 0 ? low : high;
        if (t->kind == kind && (__builtin_mul_overflow(t->factor, sizes[t->index] - 1, &end) ||
                                __builtin_add_overflow(*side, end, side)))
            return false;
    }
    return true;
}

typedef enum verdict { NEVER, SOMETIMES, ALWAYS } verdict;

/* Whether `value pred 0` holds for values from low to high. */
static verdict verdict_of(int64_t low, int64_t high, kir_pred pred) {
    bool zero = low <= 0 && high >= 0, only_zero = low == 0 && high == 0;
    if (pred == KIR_P_EQ || pred == KIR_P_NE) {
        bool equal = pred == KIR_P_EQ;
        return !zero ? (equal ? NEVER : ALWAYS) : !only_zero ? SOMETIMES : equal ? ALWAYS : NEVER;
    }
    bool first = hd_compare(pred, 64, low, 0), last = hd_compare(pred, 64, high, 0);
    return first && last ? ALWAYS : first || last ? SOMETIMES : NEVER;
}

static const uint64_t origin_ids[3] = {0, 0, 0};

/* Over all threads of a block, or, with NULL, of the launch. */
static verdict verdict_of_guard(const hd_guard *guard, const hd_grid *launch,
                                const uint64_t *group) {
    int64_t low = value_at(guard->expr, group ? group : origin_ids, origin_ids), high = low;
    bool known = (group || add_range(guard->expr, HD_SYM_GROUP, launch->groups, &low, &high)) &&
                 add_range(guard->expr, HD_SYM_LOCAL, launch->local, &low, &high);
    return known ? verdict_of(low, high, guard->pred) : SOMETIMES;
}

/* Guards of ids alone, which can be decided, that do not hold for every thread. */
static uint32_t deciding_guards(const hd_access *access, const hd_grid *launch, hd_guard *guards) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < access->guard_count && count < MAX_GUARDS; i++) {
        hd_affine form = access->guards[i].expr;
        bool of_ids = true;
        for (uint32_t t = 0; t < form.term_count; t++)
            of_ids &= form.terms[t].kind == HD_SYM_GROUP || form.terms[t].kind == HD_SYM_LOCAL;
        if (of_ids && verdict_of_guard(&access->guards[i], launch, NULL) != ALWAYS)
            guards[count++] = access->guards[i];
    }
    return count;
}

/* ---- building ------------------------------------------------------------------------ */

typedef struct builder {
    const shape_context *context;
    const hd_access *access;
    hd_grid launch;
    hd_guard guards[MAX_GUARDS];
    uint32_t guard_count;
    uint32_t modulus; /* of the finest level */
    bool computed;    /* lane by lane */
    const int64_t *iteration;
    hd_vec(lane_pattern) patterns;
    hd_vec(double *) dense; /* by pattern */
    double weight;          /* of an execution that is followed */
    double warps, lanes, requests;
} builder;

static lane_pattern copy_pattern(hd_arena *arena, const lane_pattern *from) {
    uint32_t lanes = from->lanes;
    int64_t *places = hd_new_array(arena, int64_t, 2 * lanes);
    memcpy(places, from->index, lanes * sizeof *places);
    memcpy(places + lanes, from->inner, lanes * sizeof *places);
    return (lane_pattern){lanes, from->half, places, places + lanes, from->anywhere};
}

static bool patterns_equal(const lane_pattern *a, const lane_pattern *b) {
    return a->lanes == b->lanes && a->half == b->half && a->anywhere == b->anywhere &&
           !memcmp(a->index, b->index, a->lanes * sizeof *a->index) &&
           !memcmp(a->inner, b->inner, a->lanes * sizeof *a->inner);
}

static uint32_t find_pattern(builder *b, const lane_pattern *wanted) {
    hd_arena *arena = b->context->arena;
    for (uint32_t i = 0; i < b->patterns.count; i++)
        if (patterns_equal(&b->patterns.data[i], wanted))
            return i;
    if (b->patterns.count == MAX_PATTERNS)
        return MAX_PATTERNS - 1;
    hd_push(arena, &b->patterns, copy_pattern(arena, wanted));
    hd_push(arena, &b->dense, hd_new_array(arena, double, b->modulus));
    return (uint32_t)b->patterns.count - 1;
}

static int64_t index_at(const builder *b, hd_affine form, const uint64_t group[3],
                        const uint64_t local[3]) {
    if (!b->computed)
        return value_at(form, group, local);
    hd_point point = {.iteration = b->iteration};
    for (uint32_t d = 0; d < 3; d++) {
        point.group[d] = (int64_t)group[d];
        point.local[d] = (int64_t)local[d];
    }
    int64_t value = 0;
    hd_affine_evaluate(b->context->info, form, &point, &value);
    return value;
}

/* Where a warp stands: its pattern and the index of its first lane. */
typedef struct warp_place {
    uint32_t pattern, lanes; /* lanes 0: none is active */
    uint32_t half;           /* active lanes of the first request */
    int64_t base;
} warp_place;

/* The lanes of a warp that the guards let through, as bits. */
static uint64_t active_lanes(const builder *b, const uint64_t group[3], uint64_t warp) {
    uint64_t first = warp * b->context->warp, active = 0;
    for (uint64_t t = first; t < first + b->context->warp && t < b->launch.block_threads; t++) {
        uint64_t local[3];
        bool holds = true;
        hd_grid_ids(b->launch.local, t, local);
        for (uint32_t g = 0; g < b->guard_count && holds; g++)
            holds = hd_compare(b->guards[g].pred, 64, value_at(b->guards[g].expr, group, local), 0);
        active |= (uint64_t)holds << (t - first);
    }
    return active;
}

/* Where lanes are computed, it is known which of the parts that share an access each lane reaches. */
static bool knows_parts(const builder *b) {
    return b->computed && b->access->shares && b->access->computable;
}

/* Bytes of the lane's place in the part; false when it reaches another one. */
static bool place_in_part(const builder *b, const uint64_t group[3], const uint64_t local[3],
                          uint64_t *in) {
    const hd_access *whole = b->access->whole;
    const hd_field *part = &b->access->record->fields[b->access->field];
    int64_t at = (int64_t)whole->record->fields[whole->field].offset +
                 index_at(b, whole->inner, group, local) - (int64_t)part->offset;
    *in = (uint64_t)at - (uint64_t)b->access->inner.constant;
    return at >= 0 && at < part->size;
}

static warp_place place_warp(builder *b, const uint64_t group[3], uint64_t warp, uint64_t active) {
    int64_t index[MAX_LANES], inner[MAX_LANES];
    warp_place place = {.lanes = 0};
    uint64_t first = warp * b->context->warp, moved = 0;
    for (; active; active &= active - 1) {
        uint64_t local[3], t = first + (uint64_t)__builtin_ctzll(active);
        hd_grid_ids(b->launch.local, t, local);
        int64_t at = index_at(b, b->access->index, group, local);
        uint64_t in = (uint64_t)index_at(b, b->access->inner, group, local) -
                      (uint64_t)b->access->inner.constant;
        if (knows_parts(b) && !place_in_part(b, group, local, &in))
            continue;
        if (place.lanes == 0) { /* whole lines make no difference */
            place.base = at;
            moved = in - (uint64_t)hd_mod((int64_t)in, b->context->modulus);
        }
        place.half += t - first < b->context->request;
        index[place.lanes] = (int64_t)((uint64_t)at - (uint64_t)place.base);
        inner[place.lanes++] = (int64_t)(in - moved);
    }
    const lane_pattern pattern = {place.lanes, place.half, index, inner, false};
    if (place.lanes)
        place.pattern = find_pattern(b, &pattern);
    return place;
}

/* Adds `weight` executions of a warp that is `moved` elements from its place. */
static void add_warp(builder *b, const warp_place *place, int64_t moved, double weight) {
    if (!place->lanes)
        return;
    int64_t base = (int64_t)((uint64_t)place->base + (uint64_t)moved);
    b->dense.data[place->pattern][hd_mod(base, b->modulus)] += weight;
    b->warps += weight;
    b->lanes += weight * place->lanes;
    b->requests += weight * ((place->half > 0) + (place->lanes > place->half));
}

/* All warps of all blocks. Without guards every block is like block 0, moved, and so
 * is each that the guards let through as a whole: those are placed once. */
static void add_launch(builder *b) {
    uint64_t warps = (b->launch.block_threads + b->context->warp - 1) / b->context->warp;
    uint64_t group[3] = {0, 0, 0};
    uint64_t blocks = b->guard_count ? b->launch.block_count : 1;
    double weight = b->guard_count ? 1 : (double)b->launch.block_count;
    bool alike = !hd_affine_has(b->access->inner, HD_SYM_GROUP);
    warp_place *whole = NULL;
    int64_t origin = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        hd_grid_ids(b->launch.groups, block, group);
        verdict all = ALWAYS; /* whether the guards let through all of its threads, or none */
        for (uint32_t g = 0; g < b->guard_count && all != NEVER; g++) {
            verdict one = verdict_of_guard(&b->guards[g], &b->launch, group);
            all = one < all ? one : all;
        }
        if (all == NEVER)
            continue;
        int64_t here = value_at(b->access->index, group, origin_ids);
        bool reused = all == ALWAYS && alike;
        if (reused && !whole) {
            whole = hd_new_array(b->context->arena, warp_place, warps);
            for (uint64_t warp = 0; warp < warps; warp++)
                whole[warp] = place_warp(b, group, warp, active_lanes(b, group, warp));
            origin = here;
        }
        for (uint64_t warp = 0; warp < warps; warp++) {
            warp_place place =
                reused ? whole[warp] : place_warp(b, group, warp, active_lanes(b, group, warp));
            int64_t moved = reused ? (int64_t)((uint64_t)here - (uint64_t)origin) : 0;
            add_warp(b, &place, moved, weight);
        }
    }
}

/* Numbers 0 … count - 1, or `most` of them spread evenly. */
static uint64_t sampled(uint64_t i, uint64_t count, uint64_t most) {
    return count <= most
               ? i
               : (uint64_t)((double)i * (double)count / (double)most + (double)(i % 7)) % count;
}

/* Iterations of all loops around an access, or more than are ever computed. */
static uint64_t iterations_of(const shape_context *c, const hd_access *access) {
    const uint64_t enough = 1 << 20;
    uint64_t iterations = 1;
    for (int32_t loop = access->loop; loop >= 0 && iterations < enough;
         loop = c->info->flow->loops[loop].parent) {
        uint64_t length = c->lengths[loop] ? c->lengths[loop] : 1;
        iterations *= length < enough ? length : enough;
    }
    return iterations;
}

/* More blocks than that are sampled. */
static uint64_t most_computed_blocks(const hd_grid *launch) {
    return MOST_LANES / launch->block_threads + 1;
}

bool cost_access_is_followed(const shape_context *context, const hd_access *access) {
    const hd_binding *binding = &context->info->binding;
    hd_grid launch = hd_grid_of(binding->dims, binding->global, binding->local);
    return launch.block_count <= most_computed_blocks(&launch) &&
           iterations_of(context, access) <= MOST_ITERATIONS;
}

/* An index that must be computed lane by lane. */
static void add_computed(builder *b) {
    const shape_context *c = b->context;
    int64_t *iteration = hd_new_array(c->arena, int64_t, c->info->flow->loop_count + 1);
    b->iteration = iteration;
    uint64_t iterations = iterations_of(c, b->access), blocks = b->launch.block_count;
    uint64_t most_blocks = most_computed_blocks(&b->launch), group[3];
    uint64_t some = iterations < MOST_ITERATIONS ? iterations : MOST_ITERATIONS;
    uint64_t some_blocks = blocks < most_blocks ? blocks : most_blocks;
    double weight = (double)blocks / (double)some_blocks / (double)some;
    uint64_t warps = (b->launch.block_threads + c->warp - 1) / c->warp;
    for (uint64_t n = 0; n < some; n++) {
        uint64_t number = sampled(n, iterations, MOST_ITERATIONS);
        for (int32_t loop = b->access->loop; loop >= 0; loop = c->info->flow->loops[loop].parent) {
            uint64_t length = c->lengths[loop] ? c->lengths[loop] : 1;
            iteration[loop] = (int64_t)(number % length);
            number /= length;
        }
        for (uint64_t i = 0; i < some_blocks; i++) {
            hd_grid_ids(b->launch.groups, sampled(i, blocks, most_blocks), group);
            for (uint64_t warp = 0; warp < warps; warp++) {
                warp_place place = place_warp(b, group, warp, active_lanes(b, group, warp));
                add_warp(b, &place, 0, weight);
            }
        }
    }
}

/* ---- executions that loop counters decide ---------------------------------------------- */

static void add_execution(const execution *e, void *user) {
    builder *b = user;
    b->iteration = e->iteration;
    warp_place place = place_warp(b, e->group, e->warp, e->active);
    add_warp(b, &place, 0, b->weight);
}

/* Every iteration of every warp; false when they are too many. */
static bool add_steps(builder *b) {
    bool alike = cost_steps_are_alike(b->context, b->access);
    uint64_t blocks = alike ? 1 : b->launch.block_count;
    b->computed = true;
    b->weight = alike ? (double)b->launch.block_count : 1;
    if (!cost_steps_follow(b->context, b->access, blocks, add_execution, b)) {
        b->patterns.count = b->dense.count = 0;
        b->warps = b->lanes = b->requests = 0;
        b->computed = false;
        return false;
    }
    for (uint32_t p = 0; p < b->dense.count && alike; p++)
        for (uint32_t i = 0; i < b->access->index.term_count; i++)
            if (b->access->index.terms[i].kind == HD_SYM_GROUP)
                convolve(b->context->arena, b->dense.data[p], b->modulus,
                         b->access->index.terms[i].factor,
                         b->launch.groups[b->access->index.terms[i].index]);
    return true;
}

/* Convolves with everything in `form` but local ids (and block ids, if `blocks`
 * is false: they have been enumerated). */
static void convolve_form(const builder *b, double *dense, uint32_t modulus, hd_affine form,
                          bool blocks, bool locals) {
    hd_arena *arena = b->context->arena;
    for (uint32_t i = 0; i < form.term_count; i++) {
        const hd_term *t = &form.terms[i];
        if (t->kind == HD_SYM_LOOP)
            convolve(arena, dense, modulus, t->factor, b->context->lengths[t->index]);
        else if (t->kind == HD_SYM_GROUP && blocks)
            convolve(arena, dense, modulus, t->factor, b->launch.groups[t->index]);
        else if (t->kind == HD_SYM_LOCAL && locals)
            convolve(arena, dense, modulus, t->factor, b->launch.local[t->index]);
        else if (t->kind == HD_SYM_VALUE || t->kind == HD_SYM_PARAM || t->kind == HD_SYM_SIZE ||
                 t->kind == HD_SYM_GLOBAL)
            convolve(arena, dense, modulus, t->factor, modulus);
    }
}

bool cost_access_is_regular(const shape_context *context, const hd_access *access) {
    const hd_affine *forms[] = {&access->index,
                                access->shares ? &access->whole->inner : &access->inner};
    const kir_kernel *kernel = context->info->kernel;
    for (int f = 0; f < 2; f++)
        for (uint32_t i = 0; i < forms[f]->term_count; i++) {
            const hd_term *t = &forms[f]->terms[i];
            if (t->kind == HD_SYM_GLOBAL ||
                (t->kind == HD_SYM_VALUE &&
                 hd_is_varying_at(context->info, context->divergence, t->index,
                                  kernel->insts[access->inst].block)))
                return false;
        }
    return true;
}

/* One lane that stands for all active ones. */
static void make_scattered(builder *b, shape *s) {
    add_launch(b);
    double warps = b->warps, lanes = b->lanes;
    b->patterns.count = b->dense.count = 0;
    int64_t zero = 0;
    const lane_pattern single = {1, 1, &zero, &zero, false};
    uint32_t pattern = find_pattern(b, &single); /* makes room in `dense` */
    double *dense = b->dense.data[pattern];
    dense[hd_mod(b->access->index.constant, b->modulus)] = warps;
    convolve_form(b, dense, b->modulus, b->access->index, true, true);
    s->lane_copies = warps > 0 ? lanes / warps : 0;
}

static void fill_levels(const builder *b, shape *s) {
    const shape_context *c = b->context;
    double *folded = hd_new_array(c->arena, double, b->modulus);
    for (uint32_t k = 0; k < c->level_count; k++) {
        uint32_t modulus = c->modulus << k;
        s->levels[k] = hd_new_array(c->arena, residues, s->pattern_count);
        for (uint32_t p = 0; p < s->pattern_count; p++) {
            memset(folded, 0, modulus * sizeof *folded);
            for (uint32_t i = 0; i < b->modulus; i++)
                folded[i % modulus] += b->dense.data[p][i] / b->warps;
            s->levels[k][p] = compress(c->arena, folded, modulus);
        }
    }
}

/* Fills patterns and residues in the way that the access allows; true when every
 * iteration was followed. */
static bool add_executions(builder *b, bool regular, shape *s) {
    if (cost_access_is_stepped(b->context, b->access) && add_steps(b))
        return true;
    /* A shared opaque value that can be computed need not be taken to be anywhere. */
    if (regular && (b->access->affine || !b->access->computable)) {
        add_launch(b);
        for (uint32_t p = 0; p < b->dense.count; p++)
            convolve_form(b, b->dense.data[p], b->modulus, b->access->index, b->guard_count == 0,
                          false);
    } else if (b->access->computable) {
        b->computed = true;
        add_computed(b);
    } else {
        make_scattered(b, s);
    }
    return false;
}

shape *cost_shape_make(const shape_context *context, const hd_access *access, double *warps,
                       bool *stepped) {
    builder b = {.context = context, .access = access};
    b.launch = hd_grid_of(context->info->binding.dims, context->info->binding.global,
                          context->info->binding.local);
    b.guard_count = deciding_guards(access, &b.launch, b.guards);
    b.modulus = context->modulus << (context->level_count - 1);
    shape *s = hd_new(context->arena, shape);
    s->lane_copies = 1;
    bool regular = cost_access_is_regular(context, access);
    *stepped = add_executions(&b, regular, s);
    *warps = b.warps / (access->shares && !knows_parts(&b) ? access->shares : 1);
    s->lanes = b.warps > 0 ? b.lanes / b.warps : 0;
    s->requests = b.warps > 0 ? b.requests / b.warps : 0;
    s->pattern_count = b.warps > 0 ? (uint32_t)b.patterns.count : 0;
    s->patterns = b.patterns.data;
    double *inner = hd_new_array(context->arena, double, context->modulus);
    inner[hd_mod(access->inner.constant, context->modulus)] = 1;
    if (!b.computed)
        convolve_form(&b, inner, context->modulus, access->inner, b.guard_count == 0 || !regular,
                      !regular);
    s->inner = compress(context->arena, inner, context->modulus);
    fill_levels(&b, s);
    return s;
}

static residues copy_residues(hd_arena *arena, residues from) {
    residues copy = {hd_new_array(arena, residue, from.count), from.count};
    memcpy(copy.data, from.data, from.count * sizeof *from.data);
    return copy;
}

shape *cost_shape_copy(hd_arena *arena, const shape *from, uint32_t level_count) {
    shape *copy = hd_new(arena, shape);
    *copy = *from;
    copy->patterns = hd_new_array(arena, lane_pattern, from->pattern_count);
    for (uint32_t p = 0; p < from->pattern_count; p++)
        copy->patterns[p] = copy_pattern(arena, &from->patterns[p]);
    for (uint32_t k = 0; k < level_count; k++) {
        copy->levels[k] = hd_new_array(arena, residues, from->pattern_count);
        for (uint32_t p = 0; p < from->pattern_count; p++)
            copy->levels[k][p] = copy_residues(arena, from->levels[k][p]);
    }
    copy->inner = copy_residues(arena, from->inner);
    return copy;
}

static bool residues_equal(const residues *a, const residues *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->data[i].value != b->data[i].value || a->data[i].share != b->data[i].share)
            return false;
    return true;
}

bool cost_shape_equal(const shape *a, const shape *b, uint32_t level_count) {
    if (a->pattern_count != b->pattern_count || a->lane_copies != b->lane_copies ||
        a->lanes != b->lanes || a->requests != b->requests || a->sparse_cover != b->sparse_cover ||
        !residues_equal(&a->inner, &b->inner))
        return false;
    for (uint32_t p = 0; p < a->pattern_count; p++)
        if (!patterns_equal(&a->patterns[p], &b->patterns[p]) ||
            !residues_equal(&a->levels[level_count - 1][p], &b->levels[level_count - 1][p]))
            return false;
    return true;
}
