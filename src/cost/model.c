/*
 * The price of a layout (Peng et al., sections III and IV).
 *
 *     price of an access = executions × transactions ×
 *                          (W_L1 × h1 + W_L2 × h2 + W_DRAM × (1 − h1 − h2))
 *
 * executions are warps × iterations; transactions come from the lanes'
 * addresses (shape.c, segments.c); h1 and h2 are the shares of them that an
 * earlier access brought into L1, or only into L2, and that are still there
 * (stream.c). Stores and atomics skip L1. Prices add up in a cost vector: the
 * entry is the number of enclosing loops of unknown length.
 *
 * All of this depends on the layout only through the cluster that the access'
 * field lies in - but for one thing: whether data are still there depends on
 * the bytes touched in between, to which all clusters contribute. Bounds on
 * those bytes over all layouts answer most such questions once and for all;
 * what stays open is a numbered question, answered for each layout by adding up
 * its clusters. That makes a cluster's price a small table that all layouts
 * with this cluster share.
 */
#include <stdlib.h>

#include "cost/internal.h"

/* A distance that some layouts keep within a cache and others do not. */
typedef struct question {
    const interval *between;
    bool l1;
} question;

struct hd_cost_model {
    hd_arena *arena;
    const hd_record *record;
    const hd_device *device;
    hd_cost_options options;
    uint32_t modulus, level_count;
    hd_vec(shape *) shapes;
    hd_vec(use) uses;
    hd_vec(uint32_t) of_field[HD_MAX_FIELDS]; /* uses of each field */
    hd_vec(uint32_t) others;                  /* uses of other buffers */
    uint64_t soa_from; /* tiles from here on place runs as `soa` does, as far as costs go */
    memo *memo;
    hd_vec(question) asked;
    double limits[HD_MAX_QUESTIONS];
    hd_questions questions;
};

const hd_record *hd_cost_record(const hd_cost_model *model) { return model->record; }
const hd_device *hd_cost_device(const hd_cost_model *model) { return model->device; }
const hd_questions *hd_cost_questions(const hd_cost_model *model) { return &model->questions; }

uint64_t hd_loop_length(const hd_trip *trip, const hd_cost_options *options) {
    if (trip->kind != HD_TRIP_UNKNOWN && (trip->count || trip->kind != HD_TRIP_VARYING))
        return trip->count;
    if (options->loops == HD_LOOPS_NUMBER)
        return options->length;
    if (options->loops == HD_LOOPS_PENG)
        return 100;
    return trip->hint == HD_HINT_WORK_GROUP ? 256
           : trip->hint == HD_HINT_NDRANGE  ? 1000000
                                            : 512000;
}

static bool length_is_unknown(const hd_trip *trip) {
    return trip->kind == HD_TRIP_UNKNOWN || (trip->kind == HD_TRIP_VARYING && !trip->count);
}

/* ---- geometry ------------------------------------------------------------------------ */

void hd_cluster_geometry(const hd_record *record, const hd_cluster *cluster, uint64_t soa_from,
                         cluster_geometry *result) {
    uint64_t run[HD_MAX_FIELDS];
    bool soa = cluster->tile >= soa_from;
    uint64_t bytes = soa ? 0 : hd_cluster_tile(record, cluster, run);
    result->cluster = cluster;
    result->soa = soa;
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t f = cluster->order[i];
        uint64_t step = hd_align_up(record->fields[f].size, record->fields[f].align);
        result->place[f] = soa ? (geometry){1, step, 0, step}
                               : (geometry){cluster->tile, bytes, run[f], step};
    }
}

double hd_fetched_bytes(const hd_record *record, const cluster_geometry *g, uint64_t fields,
                        uint32_t line) {
    uint64_t mask = g->cluster->mask, come = fields & mask;
    if (!g->soa)
        for (uint64_t left = fields & mask; left; left &= left - 1) {
            const geometry *place = &g->place[__builtin_ctzll(left)];
            for (uint64_t mates = mask & ~come; mates; mates &= mates - 1) {
                int mate = __builtin_ctzll(mates);
                if (g->place[mate].run / line == place->run / line)
                    come |= (uint64_t)1 << mate;
            }
        }
    double bytes = 0;
    for (; come; come &= come - 1)
        bytes += record->fields[__builtin_ctzll(come)].size;
    return bytes;
}

/* ---- making the model: one launch at a time ----------------------------------------------- */

typedef struct launch_builder {
    hd_cost_model *model;
    const hd_job *job;
    const hd_launch *launch;
    uint32_t number;
    hd_kernel_info *info;
    uint64_t *lengths;
    shape_context shapes;
} launch_builder;

/* Shapes are made in an arena of their own, and kept when they are new. */
static uint32_t add_shape(launch_builder *b, const hd_access *access, double *warps) {
    hd_cost_model *model = b->model;
    shape_context context = b->shapes;
    context.arena = hd_arena_new();
    const shape *made = hd_shape_make(&context, access, warps);
    uint32_t number = 0;
    while (number < model->shapes.count &&
           !hd_shape_equal(model->shapes.data[number], made, model->level_count))
        number++;
    if (number == model->shapes.count)
        hd_push(model->arena, &model->shapes,
                hd_shape_copy(model->arena, made, model->level_count));
    hd_arena_free(context.arena);
    return number;
}

/* The job's buffer behind a parameter. */
static bool find_buffer(const launch_builder *b, const hd_access *access, uint32_t *buffer) {
    for (uint32_t i = 0; access->param >= 0 && i < b->launch->arg_count; i++)
        if (b->launch->args[i].param == (uint32_t)access->param &&
            b->launch->args[i].kind == HD_ARG_BUFFER) {
            *buffer = b->launch->args[i].buffer;
            return true;
        }
    return false;
}

static geometry fixed_geometry(const launch_builder *b, const hd_access *access) {
    uint64_t bytes = access->width;
    uint64_t run = 0;
    if (access->record) {
        bytes = access->record->size;
        run = access->field >= 0 ? access->record->fields[access->field].offset : 0;
    } else if (access->param >= 0 && b->info->kernel->params[access->param].element_bytes) {
        bytes = b->info->kernel->params[access->param].element_bytes;
    }
    return (geometry){1, bytes ? bytes : 1, run, bytes};
}

static double iterations_of(const launch_builder *b, const hd_access *access, uint32_t *degree) {
    double product = 1;
    *degree = 0;
    for (int32_t loop = access->loop; loop >= 0; loop = b->info->flow->loops[loop].parent) {
        product *= (double)b->lengths[loop];
        *degree += length_is_unknown(&b->info->trips[loop]);
    }
    if (*degree > HD_MAX_DEGREE)
        *degree = HD_MAX_DEGREE;
    return product;
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
    u.scattered = !hd_access_is_regular(&b->shapes, access);
    const hd_buffer *buffer = &b->job->buffers[u.buffer];
    u.most_units = (double)(buffer->count * buffer->element_bytes / model->device->segment + 1);
    double warps;
    u.shape = add_shape(b, access, &warps);
    u.executions = warps * iterations_of(b, access, &u.degree) * (double)b->launch->repeat;
    uint32_t number = (uint32_t)model->uses.count;
    hd_push(model->arena, &model->uses, u);
    if (u.field >= 0)
        hd_push(model->arena, &model->of_field[u.field], number);
    else
        hd_push(model->arena, &model->others, number);
}

static hd_status add_launch(launch_builder *b, const hd_diag *diag) {
    hd_cost_model *model = b->model;
    const hd_device *device = model->device;
    hd_binding binding = hd_job_binding(model->arena, b->job, b->launch);
    b->info = hd_kernel_analyse(model->arena, b->job->module, b->launch->kernel, &binding);
    uint32_t loops = b->info->flow->loop_count;
    b->lengths = hd_new_array(model->arena, uint64_t, loops + 1);
    for (uint32_t i = 0; i < loops; i++)
        b->lengths[i] = hd_loop_length(&b->info->trips[i], &model->options);
    b->shapes = (shape_context){.arena = model->arena, .info = b->info, .lengths = b->lengths,
                                .uniform = hd_uniform_values(model->arena, b->info),
                                .warp = device->warp, .modulus = model->modulus,
                                .level_count = model->level_count};
    uint32_t first = (uint32_t)model->uses.count;
    for (uint32_t i = 0; i < b->info->access_count; i++)
        add_use(b, &b->info->accesses[i]);
    uint64_t block_size = 1, blocks = 1;
    for (uint32_t d = 0; d < b->launch->dims; d++) {
        block_size *= b->launch->local[d];
        blocks *= b->launch->global[d] / b->launch->local[d];
    }
    if (b->number == 0 && device->max_threads && block_size > device->max_threads)
        hd_warn(diag, NULL, "launch %u of '%s' has %llu threads in a block, but %s holds %u",
                b->number + 1, b->launch->kernel_name, (unsigned long long)block_size,
                device->name, device->max_threads);
    uint32_t registers = model->options.registers ? model->options.registers
                                                  : b->info->registers;
    stream_context stream = {.arena = model->arena, .info = b->info, .lengths = b->lengths,
                             .record = model->record, .blocks = blocks,
                             .blocks_per_sm = hd_blocks_per_sm(device, block_size, registers),
                             .uses = model->uses.data + first, .first = first,
                             .use_count = (uint32_t)model->uses.count - first};
    hd_stream_link(&stream);
    return HD_OK;
}

/* ---- questions ------------------------------------------------------------------------------ */

/* Bytes of one item of an interval, times how many of it share the cache. */
static double other_bytes(const touched *item, bool l1) {
    return item->laid_out ? 0 : item->bytes * (l1 ? item->per_l1 : item->per_l2);
}

static double record_bytes(const hd_record *record) {
    double bytes = 0;
    for (uint32_t f = 0; f < record->field_count; f++)
        bytes += record->fields[f].size;
    return bytes;
}

/* Least and most bytes of the interval over all layouts. */
static void bound_bytes(const hd_record *record, const interval *between, bool l1, double *least,
                        double *most) {
    *least = *most = 0;
    for (uint32_t i = 0; i < between->count; i++) {
        const touched *item = &between->items[i];
        double times = l1 ? item->per_l1 : item->per_l2, touched_bytes = 0;
        for (uint64_t fields = item->fields; item->laid_out && fields; fields &= fields - 1)
            touched_bytes += record->fields[__builtin_ctzll(fields)].size;
        *least += other_bytes(item, l1) + touched_bytes * times;
        *most += other_bytes(item, l1) + (item->laid_out ? record_bytes(record) * times : 0);
    }
}

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
    double least, most, limit = (double)cache->size;
    bound_bytes(model->record, between, l1, &least, &most);
    if (limit == 0 || least > limit)
        return ANSWER_NO;
    if (most <= limit)
        return ANSWER_YES;
    for (uint32_t i = 0; i < model->asked.count; i++)
        if (model->asked.data[i].l1 == l1 &&
            intervals_equal(model->asked.data[i].between, between))
            return (int32_t)i;
    if (model->asked.count == HD_MAX_QUESTIONS) {
        model->questions.complete = false;
        return ANSWER_NO;
    }
    for (uint32_t i = 0; i < between->count; i++)
        limit -= other_bytes(&between->items[i], l1);
    model->limits[model->asked.count] = limit;
    hd_push(model->arena, &model->asked, (question){between, l1});
    return (int32_t)model->asked.count - 1;
}

static void ask_all(hd_cost_model *model) {
    for (uint32_t i = 0; i < model->uses.count; i++)
        for (uint32_t j = 0; j < model->uses.data[i].before_count; j++) {
            earlier *e = &model->uses.data[i].before[j];
            bool through_l1 = model->uses.data[i].reads && model->uses.data[e->use].reads;
            e->l1 = through_l1 ? ask(model, &e->between, true) : ANSWER_NO;
            e->l2 = ask(model, &e->between, false);
        }
    model->questions.count = (uint32_t)model->asked.count;
    model->questions.limits = model->limits;
}

static uint32_t longest_unit(const hd_device *device) {
    uint32_t unit = device->segment;
    if (device->l1.size && device->l1.line > unit)
        unit = device->l1.line;
    if (device->l2.size && device->l2.line > unit)
        unit = device->l2.line;
    return unit;
}

/* A tile whose shortest run fills whole units costs what `soa` costs. */
static uint32_t count_levels(const hd_record *record, uint32_t unit) {
    uint32_t align = record->align;
    for (uint32_t f = 0; f < record->field_count; f++)
        if (record->fields[f].align < align)
            align = record->fields[f].align;
    uint32_t levels = 1;
    while (levels < MAX_LEVELS && align << levels < unit)
        levels++;
    return levels;
}

hd_status hd_cost_model_make(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_device *device, const hd_cost_options *options,
                             hd_cost_model **result) {
    hd_place place = {.file = job->path};
    if (!job->record)
        return hd_fail(diag, HD_EINPUT, &place,
                       "there is no record to lay out: no buffer of the job holds structs");
    hd_cost_model *model = hd_new(arena, hd_cost_model);
    model->arena = arena;
    model->record = job->record;
    model->device = device;
    model->options = *options;
    model->modulus = longest_unit(device);
    model->level_count = count_levels(job->record, model->modulus);
    model->soa_from = (uint64_t)1 << model->level_count;
    model->memo = memo_new(arena);
    model->questions.complete = true;
    for (uint32_t i = 0; i < job->launch_count; i++) {
        launch_builder b = {.model = model, .job = job, .launch = &job->launches[i], .number = i};
        hd_status status = add_launch(&b, diag);
        if (status != HD_OK)
            return status;
    }
    ask_all(model);
    *result = model;
    return HD_OK;
}

/* ---- prices ------------------------------------------------------------------------------------ */

static double units_of(hd_cost_model *model, const use *u, const geometry *place, uint32_t unit) {
    memo_key key;
    memset(&key, 0, sizeof key);
    key.shape = u->shape;
    key.unit = unit;
    key.width = u->width;
    key.place = *place;
    double value;
    if (!memo_get(model->memo, &key, &value)) {
        value = hd_shape_units(model->shapes.data[u->shape], place, u->width, unit);
        memo_put(model->memo, &key, value);
    }
    return value;
}

static double covered_by(hd_cost_model *model, const use *u, const geometry *place,
                         const earlier *e, const geometry *other, uint32_t unit) {
    memo_key key;
    memset(&key, 0, sizeof key);
    key.shape = u->shape;
    key.unit = unit;
    key.width = u->width;
    key.place = *place;
    key.other_width = model->uses.data[e->use].width;
    key.other = *other;
    key.dindex = e->dindex;
    key.dinner = e->dinner;
    double value;
    if (!memo_get(model->memo, &key, &value)) {
        value = hd_shape_covered(model->shapes.data[u->shape], place, u->width, other,
                                 (uint32_t)key.other_width, e->dindex, e->dinner, unit);
        memo_put(model->memo, &key, value);
    }
    return value;
}

static bool answered(int32_t answer, uint64_t answers) {
    return answer == ANSWER_YES || (answer >= 0 && answers >> answer & 1);
}

/* The geometry of an earlier access, if it can share lines with `u`. */
static const geometry *place_of_earlier(const hd_cost_model *model, const use *u,
                                        const cluster_geometry *g, const earlier *e) {
    const use *x = &model->uses.data[e->use];
    if (u->field < 0)
        return x->field < 0 ? &x->fixed : NULL;
    if (x->field < 0 || !(g->cluster->mask >> x->field & 1) ||
        (g->soa && x->field != u->field))
        return NULL;
    return &g->place[x->field];
}

typedef struct hits {
    double l1, l2; /* shares of the transactions; l2: of those that missed L1 or skip it */
} hits;

/* Best coverage by one earlier access, and by one before the loop for the first
 * iteration. */
typedef struct coverage {
    double again, first;
} coverage;

static void cover(coverage *c, const earlier *e, double share) {
    double *best = e->first_only ? &c->first : &c->again;
    if (share * e->available > *best)
        *best = share * e->available;
}

static double covered_share(const coverage *c) {
    return c->again + c->first < 1 ? c->again + c->first : 1;
}

static hits hits_of(hd_cost_model *model, const use *u, const geometry *place,
                    const cluster_geometry *g, uint64_t answers) {
    const hd_device *device = model->device;
    coverage l1 = {0, 0}, l2 = {0, 0};
    for (uint32_t i = 0; i < u->before_count; i++) {
        const earlier *e = &u->before[i];
        bool in_l1 = answered(e->l1, answers), in_l2 = answered(e->l2, answers);
        const geometry *other = in_l1 || in_l2 ? place_of_earlier(model, u, g, e) : NULL;
        if (!other)
            continue;
        if (in_l1)
            cover(&l1, e, covered_by(model, u, place, e, other, device->l1.line));
        if (in_l2)
            cover(&l2, e, covered_by(model, u, place, e, other, device->l2.line));
    }
    hits h = {covered_share(&l1), covered_share(&l2)};
    h.l2 = h.l2 > h.l1 ? h.l2 - h.l1 : 0;
    return h;
}

static double price_of_use(hd_cost_model *model, const use *u, const cluster_geometry *g,
                           uint64_t answers, hits *h, double *transactions) {
    const hd_device *device = model->device;
    const geometry *place = u->field >= 0 ? &g->place[u->field] : &u->fixed;
    *transactions = units_of(model, u, place, device->segment);
    if (*transactions > u->most_units) /* scattered over less than that many segments */
        *transactions = u->most_units;
    *h = hits_of(model, u, place, g, answers);
    return u->executions * *transactions *
           (device->w_l1 * h->l1 + device->w_l2 * h->l2 + device->w_dram * (1 - h->l1 - h->l2));
}

static uint64_t questions_of(const hd_cost_model *model, const use *u, uint64_t mask) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < u->before_count; i++) {
        const earlier *e = &u->before[i];
        int32_t field = model->uses.data[e->use].field;
        if (u->field >= 0 && (field < 0 || !(mask >> field & 1)))
            continue;
        bits |= e->l1 >= 0 ? (uint64_t)1 << e->l1 : 0;
        bits |= e->l2 >= 0 ? (uint64_t)1 << e->l2 : 0;
    }
    return bits;
}

static hd_cluster cluster_of_mask(uint64_t mask, uint64_t tile) {
    hd_cluster cluster = {.mask = mask, .tile = tile};
    for (uint64_t left = mask; left; left &= left - 1)
        cluster.order[cluster.count++] = (uint8_t)__builtin_ctzll(left);
    return cluster;
}

static void add_bytes(const hd_cost_model *model, const hd_cluster *cluster, double *bytes) {
    cluster_geometry g;
    hd_cluster_geometry(model->record, cluster, model->soa_from, &g);
    for (uint32_t q = 0; q < model->questions.count; q++) {
        const question *asked = &model->asked.data[q];
        uint32_t line = asked->l1 ? model->device->l1.line : model->device->l2.line;
        for (uint32_t i = 0; i < asked->between->count; i++) {
            const touched *item = &asked->between->items[i];
            if (item->laid_out && item->fields & cluster->mask)
                bytes[q] += hd_fetched_bytes(model->record, &g, item->fields, line) *
                            (asked->l1 ? item->per_l1 : item->per_l2);
        }
    }
}

void hd_cluster_bytes(hd_cost_model *model, uint64_t mask, uint64_t tile, double *bytes) {
    hd_cluster cluster = cluster_of_mask(mask, tile);
    memset(bytes, 0, model->questions.count * sizeof *bytes);
    add_bytes(model, &cluster, bytes);
}

uint64_t hd_cluster_questions(hd_cost_model *model, uint64_t mask) {
    uint64_t bits = 0;
    for (uint64_t left = mask; left; left &= left - 1) {
        uint32_t field = (uint32_t)__builtin_ctzll(left);
        for (uint32_t i = 0; i < model->of_field[field].count; i++)
            bits |= questions_of(model, &model->uses.data[model->of_field[field].data[i]], mask);
    }
    return bits;
}

hd_cost_vector hd_cluster_price(hd_cost_model *model, uint64_t mask, uint64_t tile,
                                uint64_t answers) {
    hd_cluster cluster = cluster_of_mask(mask, tile);
    cluster_geometry g;
    hd_cluster_geometry(model->record, &cluster, model->soa_from, &g);
    hd_cost_vector sum = {{0}};
    hits h;
    double transactions;
    for (uint64_t left = mask; left; left &= left - 1) {
        uint32_t field = (uint32_t)__builtin_ctzll(left);
        for (uint32_t i = 0; i < model->of_field[field].count; i++) {
            const use *u = &model->uses.data[model->of_field[field].data[i]];
            sum.v[u->degree] += price_of_use(model, u, &g, answers, &h, &transactions);
        }
    }
    return sum;
}

/* The cheapest level that an earlier access of the cluster could lead to. */
static double least_weight(const hd_cost_model *model, const use *u) {
    const hd_device *device = model->device;
    double again = 0, first = 0;
    bool l1 = false;
    for (uint32_t i = 0; i < u->before_count; i++) {
        const earlier *e = &u->before[i];
        if (e->l1 == ANSWER_NO && e->l2 == ANSWER_NO)
            continue;
        l1 = l1 || e->l1 != ANSWER_NO;
        double *most = e->first_only ? &first : &again;
        *most = e->available > *most ? e->available : *most;
    }
    double share = again + first < 1 ? again + first : 1;
    return device->w_dram - share * (device->w_dram - (l1 ? device->w_l1 : device->w_l2));
}

/* Fewest transactions over every place in clusters of up to the record's size. */
static double least_units(hd_cost_model *model, const use *u) {
    const hd_field *field = &model->record->fields[u->field];
    uint64_t step = hd_align_up(field->size, field->align);
    geometry alone = {1, step, 0, step};
    double least = units_of(model, u, &alone, model->device->segment);
    for (uint32_t k = 0; k < model->level_count; k++)
        for (uint64_t bytes = step << k; bytes <= (uint64_t)model->record->size << k;
             bytes += (uint64_t)field->align << k) {
            for (uint64_t run = 0; run < bytes && run < model->modulus; run += field->align) {
                geometry place = {(uint64_t)1 << k, bytes, run, step};
                double units = units_of(model, u, &place, model->device->segment);
                least = units < least ? units : least;
            }
        }
    return least < u->most_units ? least : u->most_units;
}

hd_cost_vector hd_field_bound(hd_cost_model *model, uint32_t field) {
    hd_cost_vector sum = {{0}};
    for (uint32_t i = 0; i < model->of_field[field].count; i++) {
        const use *u = &model->uses.data[model->of_field[field].data[i]];
        sum.v[u->degree] += u->executions * least_units(model, u) * least_weight(model, u);
    }
    return sum;
}

uint64_t hd_other_questions(const hd_cost_model *model) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < model->others.count; i++)
        bits |= questions_of(model, &model->uses.data[model->others.data[i]], 0);
    return bits;
}

hd_cost_vector hd_other_price(hd_cost_model *model, uint64_t answers) {
    hd_cost_vector sum = {{0}};
    hits h;
    double transactions;
    for (uint32_t i = 0; i < model->others.count; i++) {
        const use *u = &model->uses.data[model->others.data[i]];
        sum.v[u->degree] += price_of_use(model, u, NULL, answers, &h, &transactions);
    }
    return sum;
}

uint32_t hd_cost_tiles(const hd_cost_model *model, uint64_t tiles[HD_MAX_TILES]) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < model->level_count; k++)
        tiles[count++] = (uint64_t)1 << k;
    tiles[count++] = HD_TILE_SOA;
    return count;
}

/* ---- distances ---------------------------------------------------------------------------------- */

static double distance(const hd_cost_model *model, const hd_layout *layout,
                       const interval *between, bool l1) {
    uint32_t line = l1 ? model->device->l1.line : model->device->l2.line;
    double sum = 0;
    for (uint32_t i = 0; i < between->count; i++) {
        const touched *item = &between->items[i];
        sum += other_bytes(item, l1);
        for (uint32_t c = 0; c < layout->count && item->laid_out; c++) {
            cluster_geometry g;
            hd_cluster_geometry(model->record, &layout->clusters[c], model->soa_from, &g);
            sum += hd_fetched_bytes(model->record, &g, item->fields, line ? line : 128) *
                   (l1 ? item->per_l1 : item->per_l2);
        }
    }
    return sum;
}

bool hd_cost_distance(const hd_cost_model *model, const hd_layout *layout, const hd_access *first,
                      const hd_access *second, double *l1, double *l2) {
    for (uint32_t i = 0; i < model->uses.count; i++) {
        const use *u = &model->uses.data[i];
        for (uint32_t j = 0; u->access == second && j < u->before_count; j++)
            if (model->uses.data[u->before[j].use].access == first) {
                *l1 = distance(model, layout, &u->before[j].between, true);
                *l2 = distance(model, layout, &u->before[j].between, false);
                return true;
            }
    }
    return false;
}

/* ---- a whole layout --------------------------------------------------------------------------- */

static uint64_t answers_for(const hd_cost_model *model, const hd_layout *layout) {
    double bytes[HD_MAX_QUESTIONS] = {0};
    for (uint32_t c = 0; c < layout->count; c++)
        add_bytes(model, &layout->clusters[c], bytes);
    uint64_t answers = 0;
    for (uint32_t q = 0; q < model->questions.count; q++)
        if (bytes[q] <= model->limits[q])
            answers |= (uint64_t)1 << q;
    return answers;
}

/* Accesses of one place in one kernel are one line, whatever launch they are in. */
static hd_cost_line *line_for(hd_cost_line *lines, size_t *count, const use *u) {
    for (size_t i = 0; i < *count; i++)
        if (lines[i].access->inst == u->access->inst && lines[i].access->kind == u->access->kind &&
            lines[i].access->field == u->access->field &&
            lines[i].access->field_byte == u->access->field_byte &&
            lines[i].info->kernel == u->info->kernel)
            return &lines[i];
    lines[*count] =
        (hd_cost_line){.access = u->access, .info = u->info, .scattered = u->scattered};
    return &lines[(*count)++];
}

static void add_to_line(hd_cost_line *line, const use *u, const shape *s, double price, hits h,
                        double transactions, uint32_t segment) {
    double before = line->executions, all = before + u->executions;
    double moved = before * line->transactions, more = u->executions * transactions;
    line->cost.v[u->degree] += price;
    if (all <= 0)
        return;
    double lanes = s->lanes, ideal = lanes * u->width / segment;
    line->l1 = moved + more > 0 ? (line->l1 * moved + h.l1 * more) / (moved + more) : 0;
    line->l2 = moved + more > 0 ? (line->l2 * moved + h.l2 * more) / (moved + more) : 0;
    line->transactions = (moved + more) / all;
    line->lanes = (line->lanes * before + lanes * u->executions) / all;
    line->ideal = (line->ideal * before + (ideal > 1 ? ideal : 1) * u->executions) / all;
    line->executions = all;
}

static int dearer(const void *a, const void *b) {
    return -hd_cost_compare(&((const hd_cost_line *)a)->cost, &((const hd_cost_line *)b)->cost);
}

hd_cost_vector hd_cost_of_layout(hd_arena *arena, hd_cost_model *model, const hd_layout *layout,
                                 hd_cost_line **lines, size_t *line_count) {
    uint64_t answers = answers_for(model, layout);
    cluster_geometry *g = hd_new_array(arena, cluster_geometry, layout->count);
    const cluster_geometry *of_field[HD_MAX_FIELDS] = {NULL};
    for (uint32_t c = 0; c < layout->count; c++) {
        hd_cluster_geometry(model->record, &layout->clusters[c], model->soa_from, &g[c]);
        for (uint64_t left = layout->clusters[c].mask; left; left &= left - 1)
            of_field[__builtin_ctzll(left)] = &g[c];
    }
    hd_cost_vector sum = {{0}};
    if (lines) {
        *lines = hd_new_array(arena, hd_cost_line, model->uses.count);
        *line_count = 0;
    }
    for (uint32_t i = 0; i < model->uses.count; i++) {
        const use *u = &model->uses.data[i];
        hits h;
        double transactions;
        double price = price_of_use(model, u, u->field >= 0 ? of_field[u->field] : NULL, answers,
                                    &h, &transactions);
        sum.v[u->degree] += price;
        if (lines)
            add_to_line(line_for(*lines, line_count, u), u, model->shapes.data[u->shape],
                        price, h, transactions, model->device->segment);
    }
    if (lines)
        qsort(*lines, *line_count, sizeof **lines, dearer);
    return sum;
}
