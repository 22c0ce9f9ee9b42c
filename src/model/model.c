/*
 * Making a cost model: every launch of the job becomes a list of uses, each with
 * its shape and its earlier accesses (see price.c for what is done with them),
 * and the distances between them become answers or questions.
 */
#include "model/cost_internal.h"

const hd_record *hd_cost_record(const hd_cost_model *model) { return model->record; }
const hd_device *hd_cost_device(const hd_cost_model *model) { return model->device; }
uint32_t hd_cost_unit(const hd_cost_model *model) { return model->grain.modulus; }
uint64_t hd_cost_used_fields(const hd_cost_model *model) {
    uint64_t used = 0;
    for (uint32_t f = 0; f < model->record->field_count; f++)
        used |= (uint64_t)(model->of_field[f].count > 0) << f;
    return used;
}

const hd_questions *hd_cost_questions(const hd_cost_model *model) { return &model->questions; }

bool hd_loop_is_guessed(const hd_trip *trip) {
    return trip->kind == HD_TRIP_UNKNOWN || (trip->kind == HD_TRIP_VARYING && trip->mean < 0);
}

uint64_t hd_loop_guess(const hd_trip *trip, const hd_cost_options *options) {
    if (options->loops == HD_LOOPS_NUMBER)
        return options->length;
    if (options->loops == HD_LOOPS_PENG)
        return 100;
    return trip->hint == HD_HINT_WORK_GROUP ? 256
           : trip->hint == HD_HINT_NDRANGE  ? 1000000
                                            : 512000;
}

uint64_t hd_loop_length(const hd_trip *trip, const hd_cost_options *options) {
    if (!hd_loop_is_guessed(trip))
        return trip->count;
    uint64_t all = hd_loop_guess(trip, options);
    return !trip->unrolled ? all : trip->is_rest ? all % trip->unrolled : all / trip->unrolled;
}

/* ---- geometry ------------------------------------------------------------------------ */

void cost_cluster_geometry(const hd_record *record, const hd_cluster *cluster, uint64_t soa_from,
                           cluster_geometry *result) {
    uint64_t run[HD_MAX_FIELDS];
    bool soa = cluster->tile >= soa_from;
    uint64_t bytes = soa ? 0 : hd_cluster_tile(record, cluster, run);
    result->cluster = cluster;
    result->soa = soa;
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t f = cluster->order[i];
        uint64_t step = hd_align_up(record->fields[f].size, record->fields[f].align);
        result->place[f] =
            soa ? (geometry){1, step, 0, step} : (geometry){cluster->tile, bytes, run[f], step};
    }
}

static double bytes_of_fields(const hd_record *record, uint64_t fields) {
    double bytes = 0;
    for (; fields; fields &= fields - 1)
        bytes += record->fields[__builtin_ctzll(fields)].size;
    return bytes;
}

/* The fields lie in the cluster at the distances that they have in the struct. */
static bool lie_as_in_struct(const hd_record *record, const cluster_geometry *g, uint64_t fields) {
    uint32_t first = (uint32_t)__builtin_ctzll(fields);
    if (fields & ~g->cluster->mask || g->soa || g->place[first].tile != 1)
        return false;
    for (uint64_t left = fields; left; left &= left - 1) {
        int f = __builtin_ctzll(left);
        if (g->place[f].run - g->place[first].run !=
            (uint64_t)record->fields[f].offset - record->fields[first].offset)
            return false;
    }
    return true;
}

/* The lanes of a vector are loaded and stored as one where they lie aligned like one. */
static bool lies_as_vector(const hd_record *record, const cluster_geometry *g, const use *whole) {
    uint32_t first = (uint32_t)__builtin_ctzll(whole->parts);
    int32_t number =
        record->whole ? hd_record_field_at(record->whole, record->fields[first].offset) : -1;
    uint32_t lanes = number < 0 ? 0 : record->whole->fields[number].lanes;
    const geometry *place = &g->place[first];
    return !lanes ||
           (lanes != 3 && place->run % whole->width == 0 && place->bytes % whole->width == 0);
}

bool cost_is_whole_in(const hd_record *record, const cluster_geometry *g, const use *whole) {
    const geometry *place = &g->place[whole->field];
    uint64_t end = record->fields[whole->field].offset + (uint64_t)whole->access->inner.constant +
                   whole->width;
    return lie_as_in_struct(record, g, whole->parts) && lies_as_vector(record, g, whole) &&
           (whole->access->inner.term_count || end <= record->size ||
            (place->bytes == record->size && place->run == record->fields[whole->field].offset));
}

/* The parts of field f's own field in the struct, where they lie in the cluster as they do there:
 * they come along together, as in a struct that is not taken apart. Else f alone. */
static uint64_t unit_of(const hd_record *record, const cluster_geometry *g, uint32_t f,
                        double *bytes) {
    *bytes = record->fields[f].size;
    if (!record->whole)
        return (uint64_t)1 << f;
    int32_t number = hd_record_field_at(record->whole, record->fields[f].offset);
    const hd_field *around = number < 0 ? NULL : &record->whole->fields[number];
    uint64_t parts = 0;
    for (uint32_t i = 0; i < record->field_count && around; i++)
        if (record->fields[i].offset >= around->offset &&
            record->fields[i].offset < around->offset + around->size)
            parts |= (uint64_t)1 << i;
    if (!parts || !lie_as_in_struct(record, g, parts))
        return (uint64_t)1 << f;
    *bytes = around->size;
    return parts;
}

double cost_fetched_bytes(const hd_record *record, const cluster_geometry *g, uint64_t fields,
                          uint32_t line) {
    uint64_t mask = g->cluster->mask, units[HD_MAX_FIELDS], come = 0;
    double bytes[HD_MAX_FIELDS], sum = 0;
    for (uint64_t left = mask; left;) { /* numbered by their first fields */
        uint32_t f = (uint32_t)__builtin_ctzll(left);
        units[f] = unit_of(record, g, f, &bytes[f]);
        come |= units[f] & fields ? (uint64_t)1 << f : 0;
        left &= ~units[f];
    }
    for (uint64_t left = mask; left;) {
        uint32_t f = (uint32_t)__builtin_ctzll(left);
        bool with = come >> f & 1;
        for (uint64_t near = come; near && !with && !g->soa; near &= near - 1)
            with = g->place[f].run / line == g->place[__builtin_ctzll(near)].run / line;
        sum += with ? bytes[f] : 0;
        left &= ~units[f];
    }
    return sum;
}

/* ---- making the model: one launch at a time ----------------------------------------------- */

/* What was made of an access of the launch. */
typedef struct made_shape {
    const hd_access *access;
    uint32_t number;
    double warps;
    bool stepped;
} made_shape;

typedef struct launch_builder {
    hd_cost_model *model;
    const hd_job *job;
    const hd_launch *launch;
    uint32_t number;
    hd_kernel_info *info;
    uint64_t *lengths; /* of the loops */
    shape_context shapes;
    hd_vec(made_shape) made;
    const hd_measured_launch *heard; /* NULL: the launch was not heard */
} launch_builder;

/* The number of a shape, which is kept when it is new. */
static uint32_t keep_shape(hd_cost_model *model, const shape *made) {
    uint32_t number = 0, levels = model->grain.level_count;
    while (number < model->shapes.count &&
           !cost_shape_equal(model->shapes.data[number], made, levels))
        number++;
    if (number == model->shapes.count)
        hd_push(model->arena, &model->shapes, cost_shape_copy(model->arena, made, levels));
    return number;
}

/* The same lanes reach the same places of elements: fields of one element in one block of code. */
static bool are_placed_alike(const launch_builder *b, const hd_access *x, const hd_access *y) {
    const kir_inst *insts = b->info->kernel->insts;
    return insts[x->inst].block == insts[y->inst].block && x->computable == y->computable &&
           !x->shares && !y->shares && hd_affine_equal(x->index, y->index) &&
           hd_affine_equal(x->inner, y->inner);
}

/* Shapes are made in an arena of their own. */
static made_shape make_shape(launch_builder *b, const hd_access *access) {
    const hd_flow *flow = b->info->flow;
    made_shape made = {.access = access};
    shape_context context = b->shapes;
    context.arena = hd_arena_new();
    /* Iterations of every loop in which the access runs; elsewhere the loops' own. */
    uint64_t *lengths = hd_new_array(context.arena, uint64_t, flow->loop_count + 1);
    memcpy(lengths, b->lengths, flow->loop_count * sizeof *lengths);
    for (int32_t loop = access->loop; loop >= 0; loop = flow->loops[loop].parent)
        lengths[loop] +=
            !hd_loop_is_guessed(&b->info->trips[loop]) && hd_runs_with_test(b->info, access, loop);
    context.lengths = lengths;
    made.number =
        keep_shape(b->model, cost_shape_make(&context, access, &made.warps, &made.stepped));
    hd_arena_free(context.arena);
    return made;
}

static made_shape shape_of(launch_builder *b, const hd_access *access) {
    for (size_t i = 0; i < b->made.count; i++)
        if (are_placed_alike(b, b->made.data[i].access, access))
            return b->made.data[i];
    made_shape made = make_shape(b, access);
    hd_push(b->model->arena, &b->made, made);
    return made;
}

/* The job's buffer behind a parameter, or a variable of CUDA. */
static bool find_buffer(const launch_builder *b, const hd_access *access, uint32_t *buffer) {
    for (uint32_t i = 0; i < b->launch->arg_count; i++) {
        const hd_arg *arg = &b->launch->args[i];
        bool found = arg->param == KIR_NONE ? (int64_t)arg->variable == access->static_index
                                            : (int64_t)arg->param == access->param;
        if (found && arg->kind == HD_ARG_BUFFER) {
            *buffer = arg->buffer;
            return true;
        }
    }
    return false;
}

static geometry fixed_geometry(const launch_builder *b, const hd_access *access) {
    const hd_record *record = access->record;
    if (record)
        return (geometry){1, record->size ? record->size : 1,
                          access->field >= 0 ? record->fields[access->field].offset : 0,
                          record->size};
    uint32_t element =
        access->param >= 0 ? b->info->kernel->params[access->param].element_bytes : 0;
    uint32_t bytes = element ? element : access->width;
    return (geometry){1, bytes ? bytes : 1, 0, bytes};
}

/* ---- what an access rests on ---------------------------------------------------------------- */

static bool share_counters(hd_affine a, hd_affine b) {
    for (uint32_t i = 0; i < a.term_count; i++)
        if (a.terms[i].kind != HD_SYM_LOCAL &&
            hd_affine_factor(b, a.terms[i].kind, a.terms[i].index))
            return true;
    return false;
}

/* What is assumed of a loop around an access; NULL: nothing. */
static const char *assumed_of_loop(const launch_builder *b, int32_t loop) {
    const hd_trip *trip = &b->info->trips[loop];
    unsigned line = b->info->flow->loops[loop].line;
    if (hd_loop_is_guessed(trip))
        return hd_format(b->model->arena, "the loop at line %u is taken to run %llu times", line,
                         (unsigned long long)b->lengths[loop]);
    if (trip->kind == HD_TRIP_VARYING && !trip->affine)
        return hd_format(b->model->arena,
                         "the loop at line %u is taken to run %llu times, the mean of all threads",
                         line, (unsigned long long)b->lengths[loop]);
    if (trip->early_exit)
        return hd_format(b->model->arena, "the loop at line %u is taken to run to its end", line);
    return NULL;
}

/* What executions and transactions that were derived take as given; NULL: they are exact.
 * `stepped`: every iteration was followed. */
static const char *assumed_of(const launch_builder *b, const hd_access *a, bool stepped) {
    for (int32_t loop = a->loop; loop >= 0; loop = b->info->flow->loops[loop].parent) {
        const char *assumed = assumed_of_loop(b, loop);
        if (assumed)
            return assumed;
    }
    if (!stepped && cost_access_is_stepped(&b->shapes, a))
        return "all threads are taken to run each loop for the mean of its lengths";
    if (a->conditional)
        return "a condition on data is taken to hold";
    if (a->shares)
        return "all elements of the array field are taken to be used alike";
    if (!cost_access_is_regular(&b->shapes, a) && !a->computable)
        return "every lane is taken to have a segment of its own";
    if (!a->affine && !a->computable)
        return "the element that all lanes share is taken to be anywhere";
    if (!a->affine && !cost_access_is_followed(&b->shapes, a))
        return "the index is computed for a sample of threads and iterations";
    if (share_counters(a->index, a->inner))
        return "index and place in the field are taken to be independent";
    return b->info->flow->irreducible ? "control flow is irreducible" : NULL;
}

static double runs_of_loop(const launch_builder *b, const hd_access *access, int32_t loop) {
    const hd_trip *trip = &b->info->trips[loop];
    double runs = trip->kind == HD_TRIP_VARYING ? trip->mean : (double)trip->count;
    return hd_loop_is_guessed(trip) ? (double)b->lengths[loop]
                                    : runs + hd_runs_with_test(b->info, access, loop);
}

/* Executions, lanes and places as the source tells them. */
static void derive_use(launch_builder *b, use *u) {
    const hd_access *access = u->access;
    double iterations = 1;
    for (int32_t loop = access->loop; loop >= 0; loop = b->info->flow->loops[loop].parent) {
        iterations *= runs_of_loop(b, access, loop);
        u->degree += hd_loop_is_guessed(&b->info->trips[loop]) && u->degree < HD_MAX_DEGREE;
    }
    const made_shape made = shape_of(b, access);
    u->shape = made.number;
    u->executions = made.warps * (made.stepped ? 1 : iterations) * (double)b->launch->repeat;
    u->lanes = b->model->shapes.data[u->shape]->lanes;
    u->requests = b->model->shapes.data[u->shape]->requests;
    u->counted = -1;
    u->assumption = assumed_of(b, access, made.stepped);
    u->origin = u->assumption ? HD_ORIGIN_ASSUMED : HD_ORIGIN_DERIVED;
}

/* The same as it was counted. Where no layout changes the transactions the derived shape stays,
 * for what earlier accesses cover. */
static void count_use(launch_builder *b, use *u, const hd_measured_access *counted) {
    if (counted->moves) {
        hd_arena *arena = hd_arena_new();
        u->shape = keep_shape(b->model, cost_shape_measured(arena, b->model->grain, counted));
        hd_arena_free(arena);
        u->counted = -1;
    } else {
        derive_use(b, u);
        u->degree = 0;
        u->assumption = NULL;
        u->counted = counted->executions > 0 ? counted->transactions / counted->executions : 0;
    }
    u->scattered = false;
    u->origin = HD_ORIGIN_COUNTED;
    u->executions = counted->executions;
    u->lanes = counted->lanes;
    u->requests = counted->requests;
}

/* Of a loop for whose iterations a register keeps the value one is done, outside of it. */
static void keep_in_register(const launch_builder *b, use *u) {
    const hd_access *access = u->access;
    const hd_loop *loops = b->info->flow->loops;
    uint32_t unknown = 0;
    u->done = 1;
    u->loop = access->loop;
    for (; access->kept >= 0 && hd_loop_holds(b->info->flow, access->kept, u->loop);
         u->loop = loops[u->loop].parent) {
        double runs = runs_of_loop(b, access, u->loop);
        u->done /= runs > 1 ? runs : 1;
    }
    for (int32_t loop = u->loop; loop >= 0; loop = loops[loop].parent)
        unknown += hd_loop_is_guessed(&b->info->trips[loop]);
    u->degree = unknown < u->degree ? unknown : u->degree;
}

static void add_use(launch_builder *b, const hd_access *access) {
    hd_cost_model *model = b->model;
    use u = {.access = access, .info = b->info, .launch = b->number, .width = access->width};
    if (access->space != KIR_GLOBAL || !find_buffer(b, access, &u.buffer))
        return;
    u.laid_out = access->param >= 0 && access->record == model->record;
    u.field = u.laid_out ? access->field : -1;
    u.fixed = fixed_geometry(b, access);
    u.reads = access->kind == HD_LOAD;
    u.irregular = !cost_access_is_regular(&b->shapes, access);
    u.scattered = u.irregular && !access->computable;
    u.segment = hd_device_segment_for(model->device, u.width);
    /* The fields of a record of arrays are one buffer, the first of them. */
    uint32_t field;
    const hd_job_arrays *arrays = hd_job_arrays_of(b->job, u.buffer, &field);
    if (arrays)
        u.buffer = arrays->buffers[0];
    const hd_buffer *buffer = &b->job->buffers[u.buffer];
    uint64_t bytes = buffer->count * (arrays ? arrays->record->size : buffer->element_bytes);
    u.segments = (double)(bytes / u.segment + 1);
    if (b->heard)
        count_use(b, &u, &b->heard->accesses[access - b->info->accesses]);
    else
        derive_use(b, &u);
    keep_in_register(b, &u);
    u.whole = -1;
    uint32_t number = (uint32_t)model->uses.count;
    hd_push(model->arena, &model->uses, u);
    hd_push(model->arena, u.field >= 0 ? &model->of_field[u.field] : &model->others, number);
}

/* The uses from `first` on are parts of one access: adds it as a whole. Where its parts share
 * executions that were counted, each was counted exactly, and there is nothing to add. */
static void add_whole(launch_builder *b, uint32_t first) {
    hd_cost_model *model = b->model;
    uint32_t number = (uint32_t)model->uses.count;
    use whole = model->uses.data[first];
    const hd_access *part = whole.access;
    for (uint32_t i = first; i < number; i++) {
        if (model->uses.data[i].field < 0)
            return;
        whole.parts |= (uint64_t)1 << model->uses.data[i].field;
    }
    if (part->shares && b->heard)
        return;
    hd_access *access = hd_new(model->arena, hd_access);
    *access = part->shares ? *part->whole : *part;
    access->width = part->whole->width;
    access->kept = part->kept;
    whole.access = access;
    whole.width = access->width;
    whole.segment = hd_device_segment_for(model->device, whole.width);
    whole.part_count = number - first;
    if (part->shares) {
        whole.degree = 0;
        whole.irregular = !cost_access_is_regular(&b->shapes, access);
        whole.scattered = whole.irregular && !access->computable;
        derive_use(b, &whole);
        keep_in_register(b, &whole);
    }
    hd_push(model->arena, &model->uses, whole);
    for (uint32_t i = first; i < number; i++)
        model->uses.data[i].whole = (int32_t)number;
    model->uses.data[first].leads = true;
}

/* Access `i`, and what it is the last part of; `first`: the use of its first part. */
static void add_access(launch_builder *b, uint32_t i, uint32_t *first) {
    const hd_access *access = &b->info->accesses[i];
    const hd_access *before = i ? access - 1 : NULL;
    const hd_access *after = i + 1 < b->info->access_count ? access + 1 : NULL;
    if (!before || !access->whole || before->whole != access->whole)
        *first = (uint32_t)b->model->uses.count;
    add_use(b, access);
    if (access->whole && (!after || after->whole != access->whole) &&
        b->model->uses.count > *first + 1)
        add_whole(b, *first);
}

/* Accesses whose buffer is not known cannot be priced; once for each kernel. */
static void warn_of_uncounted(const launch_builder *b, const hd_diag *diag) {
    for (uint32_t i = 0; i < b->number; i++)
        if (b->job->launches[i].kernel == b->launch->kernel)
            return;
    for (uint32_t i = 0; i < b->info->access_count; i++) {
        const hd_access *a = &b->info->accesses[i];
        uint32_t buffer;
        if (a->space != KIR_GLOBAL || a->param >= 0 || find_buffer(b, a, &buffer))
            continue;
        hd_place place = {b->info->module->files[a->file].name, a->line, a->column, NULL};
        if (a->static_index >= 0)
            hd_warn(diag, &place,
                    "this access is not in the cost: give variable %s a buffer, as an argument of "
                    "that name",
                    b->info->kernel->statics[a->static_index].name);
        else
            hd_warn(diag, &place, "this access is not in the cost: %s",
                    a->reason ? a->reason : "its buffer is not known");
    }
}

/* What was heard of the launch, and the lengths of loops that it tells. */
static void find_heard(launch_builder *b) {
    const hd_measured *measured = b->model->options.measured;
    b->heard =
        measured && measured->launches[b->number].blocks ? &measured->launches[b->number] : NULL;
    if (!b->heard)
        return;
    uint32_t loops = b->info->flow->loop_count, warp = b->model->device->warp;
    bool *unknown = hd_new_array(b->model->arena, bool, loops + 1);
    for (uint32_t l = 0; l < loops; l++)
        unknown[l] = hd_loop_is_guessed(&b->info->trips[l]);
    hd_grid grid = hd_grid_of(b->launch->dims, b->launch->global, b->launch->local);
    uint64_t warps = (grid.block_threads + warp - 1) / warp * grid.block_count;
    cost_measured_lengths(b->heard, b->info, unknown, (double)warps * (double)b->launch->repeat,
                          b->lengths);
}

static void add_launch(launch_builder *b, const hd_diag *diag) {
    hd_cost_model *model = b->model;
    const hd_device *device = model->device;
    b->info = hd_job_analyse(model->arena, b->job, b->launch);
    uint32_t loops = b->info->flow->loop_count;
    b->lengths = hd_new_array(model->arena, uint64_t, loops + 1);
    for (uint32_t i = 0; i < loops; i++)
        b->lengths[i] = hd_loop_length(&b->info->trips[i], &model->options);
    find_heard(b);
    b->shapes =
        (shape_context){.arena = model->arena,
                        .info = b->info,
                        .lengths = b->lengths,
                        .divergence = hd_divergence_of_warp(model->arena, b->info, device->warp),
                        .warp = device->warp,
                        .request = hd_device_request_lanes(device),
                        .modulus = model->grain.modulus,
                        .level_count = model->grain.level_count};
    uint32_t first = (uint32_t)model->uses.count;
    for (uint32_t i = 0, part = 0; i < b->info->access_count; i++)
        add_access(b, i, &part);
    warn_of_uncounted(b, diag);
    hd_grid grid = hd_grid_of(b->launch->dims, b->launch->global, b->launch->local);
    if (b->number == 0 && device->max_threads && grid.block_threads > device->max_threads)
        hd_warn(diag, NULL, "launch %u of '%s' has %llu threads in a block, but %s holds %u",
                b->number + 1, b->launch->kernel_name, (unsigned long long)grid.block_threads,
                device->name, device->max_threads);
    uint32_t registers = model->options.registers;
    if (!registers)
        registers = hd_kernel_registers(b->info->kernel, b->info->flow, device);
    stream_context stream = {.arena = model->arena,
                             .info = b->info,
                             .lengths = b->lengths,
                             .record = model->record,
                             .grid = &grid,
                             .blocks_per_sm =
                                 hd_blocks_per_sm(device, grid.block_threads, registers),
                             .uses = model->uses.data + first,
                             .first = first,
                             .use_count = (uint32_t)model->uses.count - first};
    cost_stream_link(&stream);
}

/* ---- questions ------------------------------------------------------------------------------ */

static bool intervals_equal(const interval *a, const interval *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const touched *x = &a->items[i], *y = &b->items[i];
        if (x->laid_out != y->laid_out || x->fields != y->fields || x->bytes != y->bytes ||
            x->per_l1 != y->per_l1 || x->per_l2 != y->per_l2)
            return false;
    }
    return true;
}

static int32_t ask(hd_cost_model *model, const interval *between, bool l1) {
    const hd_cache *cache = l1 ? &model->device->l1 : &model->device->l2;
    const hd_record *whole = model->record->whole ? model->record->whole : model->record;
    double least = 0, most = 0, limit = (double)cache->size; /* bytes over all layouts */
    for (uint32_t i = 0; i < between->count; i++) {
        const touched *item = &between->items[i];
        double times = item->laid_out ? l1 ? item->per_l1 : item->per_l2 : 0;
        least += cost_given_bytes(item, l1) + bytes_of_fields(model->record, item->fields) * times;
        most += cost_given_bytes(item, l1) + bytes_of_fields(whole, hd_all_fields(whole)) * times;
    }
    if (limit == 0 || least > limit)
        return ANSWER_NO;
    if (most <= limit)
        return ANSWER_YES;
    for (uint32_t i = 0; i < model->asked.count; i++)
        if (model->asked.data[i].l1 == l1 && intervals_equal(model->asked.data[i].between, between))
            return (int32_t)i;
    if (model->asked.count == HD_MAX_QUESTIONS)
        return ANSWER_NO;
    for (uint32_t i = 0; i < between->count; i++)
        limit -= cost_given_bytes(&between->items[i], l1);
    model->limits[model->asked.count] = limit;
    hd_push(model->arena, &model->asked, (question){between, l1});
    return (int32_t)model->asked.count - 1;
}

/* What shape.c can count in, of which no GPU has more. Blocks are counted warp by warp, so their
 * size must be one that a device could have. */
static hd_status check_sizes(const hd_diag *diag, const hd_device *device, uint32_t unit,
                             const hd_job *job) {
    hd_place place = {.file = device->source_file ? device->source_file : "<device>"};
    if (device->warp > MAX_LANES)
        return hd_fail(diag, HD_EUNSUPPORTED, &place,
                       "costs are counted for warps of up to %d lanes, and 'warp' is %u; lower it",
                       MAX_LANES, device->warp);
    if (unit > MAX_UNIT)
        return hd_fail(diag, HD_EUNSUPPORTED, &place,
                       "costs are counted in segments and lines of up to %d bytes, and the longest "
                       "here has %u; lower it",
                       MAX_UNIT, unit);
    for (uint32_t i = 0; i < job->launch_count; i++) {
        const hd_launch *launch = &job->launches[i];
        uint64_t threads = 1;
        for (uint32_t d = 0; d < launch->dims && threads <= MAX_BLOCK; d++)
            threads = launch->local[d] <= MAX_BLOCK ? threads * launch->local[d] : MAX_BLOCK + 1;
        if (threads > MAX_BLOCK)
            return hd_fail(diag, HD_EINPUT, &launch->place,
                           "launch %u of '%s' has more than %d threads in a block, which no device "
                           "holds; lower its local size",
                           i + 1, launch->kernel_name, MAX_BLOCK);
    }
    return HD_OK;
}

hd_status hd_cost_model_make(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_device *device, const hd_cost_options *options,
                             hd_cost_model **result) {
    hd_status status = hd_job_require_record(diag, job);
    if (status == HD_OK)
        status = check_sizes(diag, device, hd_cost_grain_of(job->record, device).modulus, job);
    if (status == HD_OK && options->measured)
        status = cost_measured_check(diag, options->measured, job, device);
    if (status != HD_OK)
        return status;
    hd_cost_model *model = hd_new(arena, hd_cost_model);
    model->arena = arena;
    model->record = job->record;
    model->device = device;
    model->options = *options;
    model->grain = hd_cost_grain_of(job->record, device);
    model->soa_from = (uint64_t)1 << model->grain.level_count;
    for (uint32_t i = 0; i < job->launch_count; i++) {
        launch_builder b = {.model = model, .job = job, .launch = &job->launches[i], .number = i};
        add_launch(&b, diag);
    }
    for (uint32_t i = 0; i < model->uses.count; i++)
        for (uint32_t j = 0; j < model->uses.data[i].before_count; j++) {
            earlier *e = &model->uses.data[i].before[j];
            bool through_l1 = model->uses.data[i].reads && model->uses.data[e->use].reads;
            e->l1 = through_l1 ? ask(model, &e->between, true) : ANSWER_NO;
            e->l2 = ask(model, &e->between, false);
        }
    model->questions = (hd_questions){(uint32_t)model->asked.count, model->limits};
    cost_number_counts(model);
    cost_join_alike(model);
    *result = model;
    return HD_OK;
}

hd_cost_model *hd_cost_model_weighed(hd_arena *arena, const hd_cost_model *model, double w_l1,
                                     double w_l2, double w_dram) {
    hd_cost_model *other = hd_new(arena, hd_cost_model);
    hd_device *device = hd_new(arena, hd_device);
    *device = *model->device;
    device->w_l1 = w_l1;
    device->w_l2 = w_l2;
    device->w_dram = w_dram;
    *other = *model;
    other->device = device;
    return other;
}
