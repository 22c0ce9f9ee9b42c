/*
 * May the blocks of a launch run side by side, and nothing of the results or of
 * the trace depend on how they do? They may when no block can see what another
 * one writes:
 *
 *     buffers that are only read, or only written
 *     buffers with atomics whose results nobody uses, of operations whose order
 *     does not matter
 *     buffers of which every block touches a stretch of its own: all addresses
 *     are affine, move by the same number of bytes from block to block, span no
 *     more than that inside a block, and stay where 32-bit indices cannot wrap
 *     around
 *
 * A buffer of records counts field by field, as long as the field of every access
 * to it is known: velocities may be written while all blocks read positions.
 *
 * Anything else runs block after block. (A kernel in which two blocks write the
 * same place without atomics is not race-free; there the last writer wins.)
 * launch.c asks, and has further reasons to run blocks one by one.
 */
#include "vm/launch.h"

/* What a launch does to one buffer, or one variable. */
typedef struct use {
    bool reads, writes;
    bool ordered;   /* results depend on the order of blocks all the same */
    bool scattered; /* some access is not affine in what is known */
    bool indirect;  /* nor can it be, in any launch: loaded values are in it */
    bool started;
    int64_t step; /* bytes from block to block */
    int64_t low, high;
} use;

static bool is_used(const kir_kernel *k, kir_value v) {
    for (kir_value u = 0; u < k->inst_count; u++)
        for (uint32_t a = 0; a < k->insts[u].arg_count; a++)
            if (k->insts[u].args[a] == v)
                return true;
    return false;
}

static bool order_matters(const kir_inst *atomic) {
    switch ((kir_rmw)atomic->index) {
    case KIR_RMW_ADD:
    case KIR_RMW_SUB:
    case KIR_RMW_AND:
    case KIR_RMW_OR:
    case KIR_RMW_XOR:
    case KIR_RMW_MIN:
    case KIR_RMW_MAX:
    case KIR_RMW_UMIN:
    case KIR_RMW_UMAX: return false;
    default: return true;
    }
}

/* ---- stretches ----------------------------------------------------------------------- */

/* Least and greatest value of one term over the threads and iterations of a block. */
static bool range_of_term(const hd_kernel_info *info, const hd_launch *l, const hd_term *t,
                          int64_t *low, int64_t *high) {
    int64_t most;
    if (t->kind == HD_SYM_LOCAL && t->index < l->dims) {
        most = (int64_t)l->local[t->index] - 1;
    } else if (t->kind == HD_SYM_LOOP) {
        const hd_trip *trip = &info->trips[t->index];
        if (trip->kind > HD_TRIP_BOUND)
            return false;
        most = (int64_t)trip->count;
    } else {
        return false;
    }
    int64_t end, *side = t->factor < 0 ? low : high;
    return !__builtin_mul_overflow(t->factor, most, &end) &&
           !__builtin_add_overflow(*side, end, side);
}

static void add_stretch(use *u, const hd_kernel_info *info, const hd_launch *l, const hd_access *a,
                        uint32_t dimension) {
    int64_t low = a->address.constant, high = low, step = 0;
    bool known = a->affine && dimension < 3;
    for (uint32_t i = 0; i < a->address.term_count && known; i++) {
        const hd_term *t = &a->address.terms[i];
        if (t->kind != HD_SYM_GROUP)
            known = range_of_term(info, l, t, &low, &high);
        else if (t->index == dimension)
            step = t->factor;
    }
    known &= !__builtin_add_overflow(high, a->width, &high);
    if (u->started && step != u->step)
        known = false;
    u->scattered |= !known;
    u->low = u->started && u->low < low ? u->low : low;
    u->high = u->started && u->high > high ? u->high : high;
    u->step = step;
    u->started = true;
}

/* Affine forms know nothing of indices that wrap around, which could make blocks meet. */
static bool has_own_stretch(const use *u, uint64_t blocks) {
    const int64_t far = (int64_t)1 << 31;
    int64_t step = u->step < 0 ? -u->step : u->step, all;
    if (u->scattered || u->low < -far || u->high > far || u->high - u->low > step ||
        __builtin_mul_overflow(step, (int64_t)(blocks - 1), &all))
        return false;
    return u->step < 0 ? u->low >= all - far : u->high <= far - all;
}

/* ---- the launch ----------------------------------------------------------------------- */

/* Uses: HD_MAX_FIELDS of each buffer of the job, then one of each variable. */
typedef struct uses {
    hd_arena *arena;
    const vm_program *program;
    const hd_job *job;
    const hd_launch *launch;
    bool *by_field; /* [buffer_count] */
    use *use;
    uint32_t count;
} uses;

/* The job's buffer that an access goes to, or -1. */
static int64_t buffer_of(const uses *u, const hd_access *a) {
    for (uint32_t i = 0; i < u->launch->arg_count; i++) {
        const hd_arg *arg = &u->launch->args[i];
        bool is_its = a->static_index >= 0
                          ? arg->param == KIR_NONE && arg->variable == (uint32_t)a->static_index
                          : a->param >= 0 && arg->param == (uint32_t)a->param;
        if (is_its)
            return arg->kind == HD_ARG_BUFFER ? (int64_t)arg->buffer : -1;
    }
    return -1;
}

static use *use_of(const uses *u, const hd_access *a) {
    int64_t buffer = buffer_of(u, a);
    if (buffer >= 0)
        return &u->use[buffer * HD_MAX_FIELDS + (u->by_field[buffer] ? a->field : 0)];
    if (a->static_index >= 0)
        return &u->use[u->job->buffer_count * HD_MAX_FIELDS + (uint32_t)a->static_index];
    return NULL;
}

static bool is_shared(const hd_access *a) {
    return a->space != KIR_PRIVATE && a->space != KIR_LOCAL && a->space != KIR_CONSTANT;
}

/* Reads, writes and orders. False: blocks depend on each other whatever the addresses are. */
static bool gather_uses(uses *u, const hd_kernel_info *info) {
    const kir_kernel *k = u->program->kernel;
    use anywhere = {0};
    bool writes = false;
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *a = &info->accesses[i];
        if (!is_shared(a))
            continue;
        use *own = use_of(u, a) ? use_of(u, a) : &anywhere;
        own->reads |= a->kind == HD_LOAD;
        own->writes |= a->kind != HD_LOAD;
        own->indirect |= a->indirect;
        if (a->kind == HD_ATOMIC)
            own->ordered |= order_matters(&k->insts[a->inst]) || is_used(k, a->inst);
        writes |= a->kind != HD_LOAD;
    }
    bool ordered = false;
    for (uint32_t i = 0; i < u->count; i++)
        ordered |= u->use[i].ordered;
    return !ordered && !anywhere.writes && !(anywhere.reads && writes);
}

/* The launch is analysed for its sizes and scalars. */
static bool have_own_stretches(uses *u) {
    hd_grid grid = hd_grid_of(u->launch->dims, u->launch->global, u->launch->local);
    hd_binding binding = hd_job_binding(u->arena, u->launch);
    const hd_kernel_info *info =
        hd_kernel_analyse(u->arena, u->program->module, u->program->kernel, &binding);
    uint32_t dimension = 0, dimensions = 0; /* with more than one block */
    for (uint32_t d = 0; d < 3; d++)
        if (grid.groups[d] > 1) {
            dimension = d;
            dimensions++;
        }
    if (dimensions > 1)
        dimension = 3;
    for (uint32_t i = 0; i < info->access_count; i++) {
        use *own = is_shared(&info->accesses[i]) ? use_of(u, &info->accesses[i]) : NULL;
        if (own)
            add_stretch(own, info, u->launch, &info->accesses[i], dimension);
    }
    bool all = true;
    for (uint32_t i = 0; i < u->count; i++)
        all &=
            !u->use[i].reads || !u->use[i].writes || has_own_stretch(&u->use[i], grid.block_count);
    return all;
}

bool vm_blocks_are_independent(const vm_program *program, const hd_job *job, const hd_launch *l) {
    if (program->prints || program->allocates)
        return false;
    uses u = {.arena = hd_arena_new(),
              .program = program,
              .job = job,
              .launch = l,
              .count = job->buffer_count * HD_MAX_FIELDS + program->kernel->static_count};
    u.by_field = hd_new_array(u.arena, bool, job->buffer_count);
    u.use = hd_new_array(u.arena, use, u.count);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        u.by_field[b] = job->buffers[b].record != NULL;
    for (uint32_t i = 0; i < program->info->access_count; i++) {
        /* All accesses must know which field of the buffer's own record they are in. */
        const hd_access *a = &program->info->accesses[i];
        int64_t b = buffer_of(&u, a);
        if (b >= 0 && (a->record != job->buffers[b].record || a->field < 0))
            u.by_field[b] = false;
    }
    bool independent = gather_uses(&u, program->info);
    bool any_both = false; /* read and written; then it needs stretches of its own */
    for (uint32_t i = 0; i < u.count; i++) {
        bool both = u.use[i].reads && u.use[i].writes;
        any_both |= both;
        independent &= !(both && u.use[i].indirect);
    }
    if (independent && any_both)
        independent = have_own_stretches(&u);
    hd_arena_free(u.arena);
    return independent;
}
