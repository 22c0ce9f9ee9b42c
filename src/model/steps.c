/*
 * Which lanes execute an access, iteration by iteration.
 *
 * Most accesses are executed by the same lanes in every iteration of the loops around
 * them, and then one iteration tells all. It is otherwise where a counter stands in a
 * condition, or where lanes leave a loop one by one:
 *
 *     for (j = local id; j < n; j += local size)      the last turn is for some lanes
 *         for (k = j; k < 8; k++)                     fewer and fewer lanes
 *             if (k > 2) p[k].x = 0;
 *
 * Here a warp is followed through all its iterations, as it would run: an iteration
 * of a loop is for the lanes that have it, and the next loop inside starts with
 * those. That is exact, and it takes a step for every lane of every iteration, so
 * that it is given up when there are many; the lengths of such loops are then taken
 * as their means, for all lanes.
 */
#include "model/cost_internal.h"

enum { MOST_STEPS = 1 << 18, MOST_DEPTH = 16 };

bool cost_access_is_stepped(const shape_context *context, const hd_access *access) {
    const hd_kernel_info *info = context->info;
    bool stepped = false;
    uint32_t depth = 0;
    for (uint32_t g = 0; g < access->guard_count; g++)
        stepped |= hd_affine_has(access->guards[g].expr, HD_SYM_LOOP);
    for (int32_t l = access->loop; l >= 0; l = info->flow->loops[l].parent) {
        const hd_trip *trip = &info->trips[l];
        if (trip->kind == HD_TRIP_UNKNOWN || ++depth > MOST_DEPTH ||
            (trip->kind == HD_TRIP_VARYING && (!trip->affine || trip->early_exit)))
            return false;
        stepped |= trip->kind == HD_TRIP_VARYING;
    }
    return stepped && context->warp <= MAX_LANES && access->computable;
}

bool cost_steps_are_alike(const shape_context *context, const hd_access *access) {
    const hd_kernel_info *info = context->info;
    bool differ = !access->affine || hd_affine_has(access->inner, HD_SYM_GROUP);
    for (uint32_t g = 0; g < access->guard_count; g++)
        differ |= hd_affine_has(access->guards[g].expr, HD_SYM_GROUP);
    for (int32_t l = access->loop; l >= 0; l = info->flow->loops[l].parent)
        if (info->trips[l].kind == HD_TRIP_VARYING)
            differ |= hd_affine_is_opaque(info->trips[l].start) ||
                      hd_affine_has(info->trips[l].start, HD_SYM_GROUP);
    return !differ;
}

/* ---- one warp, loop by loop ------------------------------------------------------ */

typedef struct follower {
    const hd_kernel_info *info;
    const hd_access *access;
    int32_t loops[MOST_DEPTH]; /* around the access, outermost first */
    uint32_t depth;
    hd_grid grid;
    uint64_t warp_lanes, steps;
    uint64_t group[3];
    int64_t *iteration;
    execution now;
    execution_fn *each;
    void *user;
} follower;

static hd_point point_of(const follower *f, uint32_t lane) {
    uint64_t local[3];
    hd_point point = {.iteration = f->iteration};
    hd_grid_ids(f->grid.local, f->now.warp * f->warp_lanes + lane, local);
    for (uint32_t d = 0; d < 3; d++) {
        point.group[d] = (int64_t)f->group[d];
        point.local[d] = (int64_t)local[d];
    }
    return point;
}

/* How often a lane reaches the access's place in a loop, at the iterations of those
 * around it. */
static bool runs_of_lane(const follower *f, int32_t loop, uint32_t lane, uint64_t *runs) {
    const hd_trip *trip = &f->info->trips[loop];
    hd_point point = point_of(f, lane);
    int64_t start;
    *runs = trip->count;
    if (trip->kind == HD_TRIP_VARYING) {
        if (!hd_affine_evaluate(f->info, trip->start, &point, &start) ||
            !hd_trip_passes(start, trip->step, trip->pred, runs))
            return false;
        *runs += trip->after_body;
    }
    *runs += hd_runs_with_test(f->info, f->access, loop);
    return true;
}

static bool run_access(follower *f, uint64_t active) {
    f->now.active = 0;
    for (uint64_t left = active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        hd_point point = point_of(f, lane);
        bool holds = true;
        for (uint32_t g = 0; g < f->access->guard_count && holds; g++) {
            int64_t value;
            if (!hd_affine_evaluate(f->info, f->access->guards[g].expr, &point, &value))
                return false;
            holds = hd_compare(f->access->guards[g].pred, 64, value, 0);
        }
        f->now.active |= (uint64_t)holds << lane;
    }
    if (f->now.active)
        f->each(&f->now, f->user);
    return true;
}

/* The loops from number `at` on, for the lanes that are in those before. */
static bool run_loops(follower *f, uint32_t at, uint64_t active) {
    uint64_t runs[MAX_LANES], inside = active;
    if (at == f->depth)
        return run_access(f, active);
    int32_t loop = f->loops[at];
    for (uint64_t left = active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        if (!runs_of_lane(f, loop, lane, &runs[lane]))
            return false;
    }
    for (uint64_t turn = 0; inside; turn++) {
        for (uint64_t left = inside; left; left &= left - 1)
            if (runs[__builtin_ctzll(left)] <= turn)
                inside &= ~(left & -left);
        f->iteration[loop] = (int64_t)turn;
        f->steps += (uint64_t)__builtin_popcountll(inside);
        if (f->steps > MOST_STEPS || (inside && !run_loops(f, at + 1, inside)))
            return false;
    }
    f->iteration[loop] = 0;
    return true;
}

/* ---- all of them ------------------------------------------------------------------- */

bool cost_steps_follow(const shape_context *context, const hd_access *access, uint64_t blocks,
                       execution_fn *each, void *user) {
    const hd_binding *binding = &context->info->binding;
    follower f = {.info = context->info,
                  .access = access,
                  .grid = hd_grid_of(binding->dims, binding->global, binding->local),
                  .warp_lanes = context->warp,
                  .each = each,
                  .user = user};
    uint64_t threads = f.grid.block_threads;
    for (int32_t l = access->loop; l >= 0; l = f.info->flow->loops[l].parent) {
        memmove(f.loops + 1, f.loops, f.depth++ * sizeof *f.loops);
        f.loops[0] = l;
    }
    f.iteration = hd_new_array(context->arena, int64_t, context->info->flow->loop_count + 1);
    f.now = (execution){.group = f.group, .iteration = f.iteration};
    for (uint64_t block = 0; block < blocks; block++) {
        hd_grid_ids(f.grid.groups, block, f.group);
        for (uint64_t first = 0; first < threads; first += f.warp_lanes) {
            uint64_t lanes = threads - first < f.warp_lanes ? threads - first : f.warp_lanes;
            f.now.warp = first / f.warp_lanes;
            f.steps += lanes;
            if (f.steps > MOST_STEPS ||
                !run_loops(&f, 0, lanes < 64 ? ((uint64_t)1 << lanes) - 1 : UINT64_MAX))
                return false;
        }
    }
    return true;
}
