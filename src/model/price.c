/*
 * The price of a layout (Peng et al., sections III and IV).
 *
 *     price of an access = executions × transactions ×
 *                          (W_L1 × h1 + W_L2 × h2 + W_DRAM × (1 − h1 − h2))
 *
 * executions are warps × iterations; transactions come from the lanes'
 * addresses (shape.c, segments.c); h1 and h2 are the shares of them that an
 * earlier access brought into L1, or only into L2, and that are still there
 * (stream.c). Stores and atomics skip L1. Of the segments that one request asks for in a line of
 * L2, which comes from memory as a whole, all but one are L2's; a store makes no use of what came beside
 * other segments. What a register keeps over the
 * iterations of a loop costs nothing in all but one of them (kernel/kept.c).
 * Prices add up in a cost vector: the
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

#include "model/cost_internal.h"

/* ---- prices ---------------------------------------------------------------------------------- */

/* The number that a place has in the model. */
static void number_place(const hd_cost_model *model, geometry *place) {
    hd_hash_table *places = &model->counted->places;
    uint64_t number = hd_hash_get_key(places, place);
    if (number == HD_NO_VALUE) {
        geometry *kept = hd_new(model->arena, geometry);
        *kept = *place;
        number = hd_hash_add_key(places, kept, places->count);
    }
    place->number = (uint32_t)number;
}

static void place_cluster(const hd_cost_model *model, const hd_cluster *cluster,
                          cluster_geometry *g) {
    cost_cluster_geometry(model->record, cluster, model->soa_from, g);
    for (uint32_t i = 0; i < cluster->count; i++)
        number_place(model, &g->place[cluster->order[i]]);
}

static uint32_t number_count(const hd_cost_model *model, const count_of *of) {
    count_memo *memo = model->counted;
    uint64_t number = hd_hash_get_key(&memo->numbers, of);
    if (number != HD_NO_VALUE)
        return (uint32_t)number;
    count_of *kept = hd_new(model->arena, count_of);
    *kept = *of;
    hd_push(model->arena, &memo->kinds, kept);
    return (uint32_t)hd_hash_add_key(&memo->numbers, kept, memo->kinds.count - 1);
}

void cost_number_counts(hd_cost_model *model) {
    const uint32_t lines[] = {model->device->l1.line, model->device->l2.line};
    count_memo *memo = model->counted = hd_new(model->arena, count_memo);
    memo->numbers = (hd_hash_table){.arena = model->arena, .key_bytes = sizeof(count_of)};
    memo->places = (hd_hash_table){.arena = model->arena, .key_bytes = offsetof(geometry, number)};
    memo->rows = (hd_hash_table){.arena = model->arena};
    for (uint32_t i = 0; i < model->uses.count; i++) {
        use *u = &model->uses.data[i];
        number_place(model, &u->fixed);
        u->units = number_count(
            model, &(count_of){.shape = u->shape, .unit = u->segment, .width = u->width});
        u->lines =
            u->segment < lines[1]
                ? number_count(model,
                               &(count_of){.shape = u->shape, .unit = lines[1], .width = u->width})
                : u->units;
        const bool is_store = u->access->kind == HD_STORE;
        for (uint32_t b = 0; b < u->before_count; b++)
            for (int level = 0; level < 2; level++) {
                earlier *e = &u->before[b];
                e->covered[level] = number_count(
                    model, &(count_of){.shape = u->shape,
                                       .unit = is_store && u->segment < lines[level] ? u->segment
                                                                                     : lines[level],
                                       .width = u->width,
                                       .other_width = model->uses.data[e->use].width,
                                       .dindex = e->dindex,
                                       .dinner = e->dinner});
            }
    }
}

static double count(const hd_cost_model *model, const count_of *of, const geometry *place,
                    const geometry *other) {
    const shape *s = model->shapes.data[of->shape];
    uint32_t width = (uint32_t)of->width, unit = (uint32_t)of->unit;
    return other ? cost_shape_covered(s, place, width, other, (uint32_t)of->other_width, of->dindex,
                                      of->dinner, unit)
                 : cost_shape_units(s, place, width, unit);
}

/* The counts of segments.c by their number, remembered: the units that a use touches or, with an
 * earlier access, the share of them that this one touched. */
static double counted(hd_cost_model *model, uint32_t number, const geometry *place,
                      const geometry *other) {
    enum { PLACE_BITS = 20, COUNT_BITS = 24 };
    count_memo *memo = model->counted;
    const count_of *of = memo->kinds.data[number];
    uint64_t second = other ? other->number : 0;
    if ((place->number | second) >> PLACE_BITS || number >> COUNT_BITS)
        return count(model, of, place, other);
    uint64_t key = ((uint64_t)number << PLACE_BITS | place->number) << PLACE_BITS | second;
    uint64_t row = hd_hash_get(&memo->rows, key);
    if (row == HD_NO_VALUE) {
        row = hd_hash_add(&memo->rows, key, memo->counts.count);
        hd_push(model->arena, &memo->counts, count(model, of, place, other));
    }
    return memo->counts.data[row];
}

double cost_at_most(const use *u, double transactions) {
    double most = u->segments * u->requests;
    return u->scattered && transactions > most ? most : transactions;
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
    if (x->field < 0 || !(g->cluster->mask >> x->field & 1) || (g->soa && x->field != u->field))
        return NULL;
    if (x->parts && !cost_is_whole_in(model->record, g, x))
        return NULL;
    return &g->place[x->field];
}

typedef struct hits {
    double kept;   /* share of the transactions that a register spares */
    double l1, l2; /* shares of the transactions; l2: of those that missed L1 or skip it */
} hits;

/* Share of the segments that come with another one of the same request from memory. */
static double share_beside(hd_cost_model *model, const use *u, const geometry *place) {
    if (u->lines == u->units || u->access->kind == HD_STORE)
        return 0;
    const double segments = counted(model, u->units, place, NULL); /* 0: no lane is active */
    return segments > 0 ? 1 - counted(model, u->lines, place, NULL) / segments : 0;
}

static hits hits_of(hd_cost_model *model, const use *u, const geometry *place,
                    const cluster_geometry *g, uint64_t answers) {
    const uint32_t lines[] = {model->device->l1.line, model->device->l2.line};
    /* Of L1 and L2 the best coverage by one earlier access, and by one before the loop for the
     * first iteration. */
    double best[2][2] = {{0}};
    for (uint32_t i = 0; i < u->before_count; i++) {
        const earlier *e = &u->before[i];
        const bool inside[] = {answered(e->l1, answers), answered(e->l2, answers)};
        const geometry *other = inside[0] || inside[1] ? place_of_earlier(model, u, g, e) : NULL;
        double share = -1; /* of lines of the last size */
        for (int level = 0; level < 2 && other; level++) {
            double *most = &best[level][e->first_only];
            if (!inside[level] || e->available <= *most)
                continue;
            if (share < 0 || lines[0] != lines[1])
                share = counted(model, e->covered[level], place, other) * e->available;
            *most = share > *most ? share : *most;
        }
    }
    double l1 = best[0][0] + best[0][1], l2 = best[1][0] + best[1][1];
    l1 = l1 < 1 ? l1 : 1;
    l2 = l2 < 1 ? l2 : 1;
    l2 = l2 > l1 ? l2 : l1;
    l2 += (1 - l2) * share_beside(model, u, place);
    return (hits){1 - u->done, u->done * l1, u->done * (l2 - l1)};
}

static double price_alone(hd_cost_model *model, const use *u, const cluster_geometry *g,
                          uint64_t answers, hits *h, double *transactions) {
    const hd_device *device = model->device;
    const geometry *place = u->field >= 0 ? &g->place[u->field] : &u->fixed;
    *transactions =
        u->counted >= 0 ? u->counted : cost_at_most(u, counted(model, u->units, place, NULL));
    *h = hits_of(model, u, place, g, answers);
    return u->executions * *transactions *
           (device->w_l1 * h->l1 + device->w_l2 * h->l2 +
            device->w_dram * (1 - h->kept - h->l1 - h->l2));
}

/* Where the parts of an access lie as in the struct, they are one request: the first pays for all.
 * Parts that share its executions share its price. */
static double price_of_use(hd_cost_model *model, const use *u, const cluster_geometry *g,
                           uint64_t answers, hits *h, double *transactions) {
    const use *whole = u->whole >= 0 ? &model->uses.data[u->whole] : NULL;
    if (!whole || !cost_is_whole_in(model->record, g, whole))
        return price_alone(model, u, g, answers, h, transactions);
    double own;
    if (u->access->shares) {
        double price = price_alone(model, whole, g, answers, h, &own) / u->access->shares;
        *transactions =
            u->executions > 0 ? own * whole->executions / u->access->shares / u->executions : 0;
        return price;
    }
    *transactions = 0; /* of the first part's request */
    *h = (hits){.kept = 1};
    return u->leads ? price_alone(model, whole, g, answers, h, transactions) : 0;
}

static uint64_t questions_of_use(const hd_cost_model *model, const use *u, uint64_t mask) {
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

static uint64_t questions_of(const hd_cost_model *model, const alike_list *uses, uint64_t mask) {
    uint64_t bits = 0;
    for (uint32_t n = 0; n < uses->count; n++) {
        const use *u = &model->uses.data[uses->data[n].use];
        bits |= questions_of_use(model, u, mask);
        if (u->whole >= 0)
            bits |= questions_of_use(model, &model->uses.data[u->whole], mask);
    }
    return bits;
}

static void add_prices(hd_cost_model *model, const alike_list *uses, const cluster_geometry *g,
                       uint64_t answers, hd_cost_vector *sum) {
    hits h;
    double transactions;
    for (uint32_t i = 0; i < uses->count; i++) {
        const use *u = &model->uses.data[uses->data[i].use];
        sum->v[u->degree] +=
            uses->data[i].times * price_of_use(model, u, g, answers, &h, &transactions);
    }
}

static void add_bytes(const hd_cost_model *model, const hd_cluster *cluster, double *bytes) {
    cluster_geometry g;
    cost_cluster_geometry(model->record, cluster, model->soa_from, &g);
    for (uint32_t q = 0; q < model->questions.count; q++) {
        const question *asked = &model->asked.data[q];
        uint32_t line = asked->l1 ? model->device->l1.line : model->device->l2.line;
        for (uint32_t i = 0; i < asked->between->count; i++) {
            const touched *item = &asked->between->items[i];
            if (item->laid_out && item->fields & cluster->mask)
                bytes[q] += cost_fetched_bytes(model->record, &g, item->fields, line) *
                            (asked->l1 ? item->per_l1 : item->per_l2);
        }
    }
}

void hd_cluster_bytes(hd_cost_model *model, uint64_t mask, uint64_t tile, double *bytes) {
    const hd_cluster cluster = hd_cluster_of_mask(mask, tile);
    memset(bytes, 0, model->questions.count * sizeof *bytes);
    add_bytes(model, &cluster, bytes);
}

uint64_t hd_cluster_questions(hd_cost_model *model, uint64_t mask) {
    uint64_t bits = 0;
    for (uint64_t left = mask; left; left &= left - 1)
        bits |= questions_of(model, &model->alike_of_field[__builtin_ctzll(left)], mask);
    return bits;
}

hd_cost_vector hd_cluster_price(hd_cost_model *model, uint64_t mask, uint64_t tile,
                                uint64_t answers) {
    const hd_cluster cluster = hd_cluster_of_mask(mask, tile);
    cluster_geometry g;
    place_cluster(model, &cluster, &g);
    hd_cost_vector sum = {{0}};
    for (uint64_t left = mask; left; left &= left - 1)
        add_prices(model, &model->alike_of_field[__builtin_ctzll(left)], &g, answers, &sum);
    return sum;
}

uint64_t hd_other_questions(const hd_cost_model *model) {
    return questions_of(model, &model->alike_others, 0);
}

hd_cost_vector hd_other_price(hd_cost_model *model, uint64_t answers) {
    hd_cost_vector sum = {{0}};
    add_prices(model, &model->alike_others, NULL, answers, &sum);
    return sum;
}

uint32_t hd_cost_tiles(const hd_cost_model *model, uint64_t tiles[HD_MAX_TILES]) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < model->grain.level_count; k++)
        tiles[count++] = (uint64_t)1 << k;
    tiles[count++] = HD_TILE_SOA;
    return count;
}

/* ---- a whole layout -------------------------------------------------------------------------- */

/* Accesses of one place in one kernel are one line, whatever launch they are in. */
static void add_to_line(hd_cost_line *lines, size_t *count, const use *u, double price, hits h,
                        double transactions) {
    hd_cost_line *line = lines;
    for (; line < lines + *count; line++)
        if (line->info->kernel == u->info->kernel &&
            hd_access_is_copy(u->info, line->access, u->access))
            break;
    if (line == lines + *count)
        lines[(*count)++] =
            (hd_cost_line){.access = u->access, .info = u->info, .irregular = u->irregular};
    double before = line->executions, all = before + u->executions;
    double moved = before * line->transactions, more = u->executions * transactions;
    line->cost.v[u->degree] += price;
    if (u->origin > line->origin) {
        line->origin = u->origin;
        line->assumption = u->assumption;
    }
    if (all <= 0)
        return;
    double lanes = u->lanes, ideal = lanes * u->width / u->segment;
    line->kept = moved + more > 0 ? (line->kept * moved + h.kept * more) / (moved + more) : h.kept;
    line->l1 = moved + more > 0 ? (line->l1 * moved + h.l1 * more) / (moved + more) : 0;
    line->l2 = moved + more > 0 ? (line->l2 * moved + h.l2 * more) / (moved + more) : 0;
    line->transactions = (moved + more) / all;
    line->lanes = (line->lanes * before + lanes * u->executions) / all;
    line->ideal =
        (line->ideal * before + (ideal > u->requests ? ideal : u->requests) * u->executions) / all;
    line->executions = all;
}

static int costlier(const void *a, const void *b) {
    return -hd_cost_compare(&((const hd_cost_line *)a)->cost, &((const hd_cost_line *)b)->cost);
}

double hd_cost_transactions(const hd_cost_line *lines, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += lines[i].executions * lines[i].transactions;
    return sum;
}

void hd_cost_sort_lines(hd_cost_line *lines, size_t count) {
    qsort(lines, count, sizeof *lines, costlier);
}

hd_cost_vector hd_cost_of_layout(hd_arena *arena, hd_cost_model *model, const hd_layout *layout,
                                 hd_cost_line **lines, size_t *line_count) {
    double bytes[HD_MAX_QUESTIONS] = {0};
    uint64_t answers = 0;
    cluster_geometry *g = hd_new_array(arena, cluster_geometry, layout->count);
    const cluster_geometry *of_field[HD_MAX_FIELDS] = {NULL};
    for (uint32_t c = 0; c < layout->count; c++) {
        add_bytes(model, &layout->clusters[c], bytes);
        place_cluster(model, &layout->clusters[c], &g[c]);
        for (uint64_t left = layout->clusters[c].mask; left; left &= left - 1)
            of_field[__builtin_ctzll(left)] = &g[c];
    }
    for (uint32_t q = 0; q < model->questions.count; q++)
        if (bytes[q] <= model->limits[q])
            answers |= (uint64_t)1 << q;
    hd_cost_vector sum = {{0}};
    if (lines) {
        *lines = hd_new_array(arena, hd_cost_line, model->uses.count);
        *line_count = 0;
    }
    for (uint32_t i = 0; i < model->uses.count; i++) {
        const use *u = &model->uses.data[i];
        hits h;
        double transactions;
        if (u->parts)
            continue; /* its parts have its price */
        double price = price_of_use(model, u, u->field >= 0 ? of_field[u->field] : NULL, answers,
                                    &h, &transactions);
        sum.v[u->degree] += price;
        if (lines)
            add_to_line(*lines, line_count, u, price, h, transactions);
    }
    if (lines)
        hd_cost_sort_lines(*lines, *line_count);
    return sum;
}
