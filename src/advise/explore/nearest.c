/* The nearest micro-kernels, and what they say of layouts and placements (nearest.h). */
#include "advise/explore/nearest.h"

#include <math.h>
#include <stdlib.h>

#include "device/energy_model.h"
#include "advise/explore/micro.h"

/* PCIe 4.0 x16 has 32 GB/s each way, and memory of devices with such a link 16 times that or more. */
static const double link_of_memory = 16;
/* Costs closer than that are alike. */
static const double alike = 1.1;
/* What is measured with a quartile range of less is not known better than that. */
static const double least_half = 0.03;
/* Of a normal distribution, in standard deviations. */
static const double quartile = 0.6745;

/* ---- who is near -------------------------------------------------------------------------------- */

static void insert(hd_nearest *n, const hd_nearest_point *point, double distance) {
    uint32_t at = n->count < HD_NEIGHBOURS ? n->count++ : HD_NEIGHBOURS - 1;
    for (; at > 0 && n->all[at - 1].distance > distance; at--)
        n->all[at] = n->all[at - 1];
    n->all[at] = (hd_neighbour){.point = point, .distance = distance};
}

void hd_nearest_find(const hd_nearest_point *points, uint32_t count, const hd_features *features,
                     hd_nearest *nearest) {
    double sum = 0;
    *nearest = (hd_nearest){0};
    for (uint32_t p = 0; p < count; p++) {
        double distance = hd_features_distance(features, &points[p].features);
        if (nearest->count < HD_NEIGHBOURS || distance < nearest->all[HD_NEIGHBOURS - 1].distance)
            insert(nearest, &points[p], distance);
    }
    nearest->far = !nearest->count || nearest->all[0].distance >= HD_NEAREST_FAR;
    while (nearest->count > 1 && nearest->all[nearest->count - 1].distance >= HD_NEAREST_FAR)
        nearest->count--;
    for (uint32_t i = 0; i < nearest->count; i++)
        sum += nearest->all[i].weight = 1 / (0.25 + nearest->all[i].distance);
    for (uint32_t i = 0; i < nearest->count; i++)
        nearest->all[i].weight /= sum;
}

/* ---- what they say ------------------------------------------------------------------------------- */

static bool is_same(const hd_placed_layout *one, const hd_placed_layout *other) {
    return !strcmp(one->layout, other->layout) && !strcmp(one->placement, other->placement);
}

static const hd_standing *standing_of(const hd_neighbour *neighbour, hd_objective objective,
                                      const hd_placed_layout *variant) {
    const hd_ranking *ranking = &neighbour->point->of->ranking[objective];
    for (uint32_t i = 0; i < ranking->count; i++)
        if (hd_explored_is(ranking->all[i].variant, variant->layout, variant->placement))
            return &ranking->all[i];
    return NULL;
}

/* A ratio of two measurements, by logarithms. */
typedef struct log_ratio {
    double weight, at, half; /* half: of the quartile range */
} log_ratio;

static log_ratio ratio_at(const hd_neighbour *n, hd_objective objective,
                          const hd_placed_layout *one, const hd_placed_layout *other) {
    const hd_standing *a = standing_of(n, objective, one), *b = standing_of(n, objective, other);
    if (!a || !b)
        return (log_ratio){0};
    double of_a = log(a->value.high / a->value.low) / 2;
    double of_b = log(b->value.high / b->value.low) / 2;
    double half = hypot(of_a, of_b);
    if (!isfinite(half))
        return (log_ratio){0};
    return (log_ratio){n->weight / (least_half * least_half + half * half),
                       log(a->value.median / b->value.median), half};
}

bool hd_nearest_ratio(const hd_nearest *nearest, hd_objective objective,
                      const hd_placed_layout *one, const hd_placed_layout *other,
                      hd_interval *ratio) {
    log_ratio known[HD_NEIGHBOURS];
    double mean = 0, weight = 0, squares = 0, measured = 0, between = 0;
    for (uint32_t i = 0; i < nearest->count; i++) {
        known[i] = ratio_at(&nearest->all[i], objective, one, other);
        weight += known[i].weight;
        mean += known[i].weight * known[i].at;
    }
    if (!(weight > 0))
        return false;
    mean /= weight;
    for (uint32_t i = 0; i < nearest->count; i++) {
        double w = known[i].weight / weight, off = known[i].at - mean;
        squares += w * w;
        measured += w * w * known[i].half * known[i].half;
        between += w * off * off;
    }
    double spread = sqrt(measured + quartile * quartile * between * squares);
    *ratio = (hd_interval){exp(mean), exp(mean - spread), exp(mean + spread)};
    return true;
}

static bool all_know(const hd_nearest *nearest, hd_objective objective,
                     const hd_placed_layout *variant) {
    for (uint32_t i = 0; i < nearest->count; i++)
        if (!standing_of(&nearest->all[i], objective, variant))
            return false;
    return true;
}

/* qsort's. */
static int by_ratio(const void *a, const void *b) {
    double x = ((const hd_nearest_entry *)a)->ratio.median;
    double y = ((const hd_nearest_entry *)b)->ratio.median;
    return (x > y) - (x < y);
}

/* Sorted by the ratio to any one of them, and then told by that to the first. */
hd_nearest_ranking hd_nearest_rank(hd_arena *arena, const hd_nearest *nearest,
                                   hd_objective objective) {
    hd_nearest_ranking ranking = {0};
    if (nearest->far)
        return ranking;
    const hd_ranking *known = &nearest->all[0].point->of->ranking[objective];
    ranking.all = hd_new_array(arena, hd_nearest_entry, known->count + 1);
    for (uint32_t i = 0; i < known->count; i++) {
        hd_nearest_entry *entry = &ranking.all[ranking.count];
        entry->variant =
            (hd_placed_layout){known->all[i].variant->layout, known->all[i].variant->placement};
        ranking.count += all_know(nearest, objective, &entry->variant);
    }
    for (int turn = 0; turn < 2; turn++) {
        const hd_placed_layout first = ranking.all[0].variant;
        for (uint32_t i = 0; i < ranking.count; i++)
            hd_nearest_ratio(nearest, objective, &ranking.all[i].variant, &first,
                             &ranking.all[i].ratio);
        qsort(ranking.all, ranking.count, sizeof *ranking.all, by_ratio);
    }
    return ranking;
}

static bool has(const hd_judge *judge, const hd_layout *layout) {
    for (size_t i = 0; i < judge->layouts.count; i++)
        if (hd_layout_equal(judge->layouts.data[i], layout))
            return true;
    return false;
}

hd_judge hd_nearest_judge(hd_arena *arena, const hd_record *record,
                          const hd_nearest_ranking *ranking) {
    const hd_diag silent = {0};
    hd_judge judge = {.name = "nearest micro-kernels"};
    for (uint32_t i = 0; i < ranking->count; i++) {
        hd_layout *layout;
        if (hd_layout_parse(arena, &silent, record, ranking->all[i].variant.layout, &layout) ==
                HD_OK &&
            !has(&judge, layout))
            hd_push(arena, &judge.layouts, layout);
    }
    return judge;
}

/* ---- points of a study --------------------------------------------------------------------------- */

static hd_counted_all count_variants(hd_arena *arena, const hd_study_point *point,
                                     const hd_nearest_device *device, double bytes) {
    hd_counted *all = hd_new_array(arena, hd_counted, point->count);
    for (uint32_t i = 0; i < point->count; i++) {
        const hd_explored *v = point->variants[i];
        all[i].variant = (hd_placed_layout){v->layout, v->placement};
        for (int by = 0; by < HD_OBJECTIVES; by++)
            all[i].cost[by] =
                hd_counted_cost(device, &v->counts, bytes, v->placement, (hd_objective)by);
    }
    return (hd_counted_all){all, point->count};
}

static hd_status count_point(hd_arena *arena, const hd_diag *diag, hd_micro_folder *folder,
                             const hd_nearest_device *device, hd_nearest_point *point) {
    hd_arena *scratch = hd_arena_new();
    hd_micro micro;
    hd_status status = hd_micro_load(scratch, folder, &point->of->point, &micro);
    if (status == HD_OK)
        status = hd_features_count(diag, micro.job, device->profile, 0, &point->features);
    if (status == HD_OK) {
        const hd_buffer *objects = &micro.job->buffers[0];
        point->counted = count_variants(arena, point->of, device,
                                        (double)objects->count * objects->element_bytes);
    }
    hd_arena_free(scratch);
    return status;
}

hd_status hd_nearest_points(hd_arena *arena, const hd_diag *diag, const hd_study *study,
                            const hd_nearest_device *device, hd_nearest_point **points) {
    char *path = NULL;
    hd_status status = hd_scratch_make(arena, diag, &path);
    hd_micro_folder folder = {
        .arena = arena, .diag = diag, .path = path, .backend = device->backend};
    *points = hd_new_array(arena, hd_nearest_point, study->point_count);
    for (uint32_t p = 0; p < study->point_count && status == HD_OK; p++) {
        (*points)[p].of = &study->points[p];
        status = count_point(arena, diag, &folder, device, &(*points)[p]);
    }
    hd_scratch_remove(path);
    return status;
}

/* ---- a choice ---------------------------------------------------------------------------------- */

/* Bytes of copies, and of what kernels take over the link. */
static void find_transfers(const hd_nearest_device *device, const hd_variant_counts *counts,
                           double bytes, const char *placement, double *in_memory, double *link) {
    bool is_copied = !strcmp(placement, "device");
    /* To the device and back, each byte read and written. */
    *in_memory = device->integrated && is_copied ? 4 * bytes : 0;
    *link = device->integrated ? 0 : is_copied ? 2 * bytes : (double)counts->dram_bytes;
}

double hd_counted_cost(const hd_nearest_device *device, const hd_variant_counts *counts,
                       double bytes, const char *placement, hd_objective objective) {
    const hd_device *p = device->profile;
    double in_memory, link, joules = 1;
    find_transfers(device, counts, bytes, placement, &in_memory, &link);
    const hd_energy_counts moved = {.l1_bytes = (double)counts->l1_bytes,
                                    .l2_bytes = (double)counts->l2_bytes,
                                    .dram_bytes = (double)counts->dram_bytes + in_memory,
                                    .link_bytes = link};
    double cost = (moved.l1_bytes * p->w_l1 + moved.l2_bytes * p->w_l2) / p->w_dram +
                  moved.dram_bytes + link_of_memory * link;
    if (objective != HD_QUANTITY_TIME && !hd_energy_modelled(p, &moved, &joules))
        joules = cost; /* the profile has no figures */
    return objective == HD_QUANTITY_TIME     ? cost
           : objective == HD_QUANTITY_ENERGY ? joules
                                             : cost * joules;
}

static double cost_of(const hd_counted_all *counted, const hd_placed_layout *variant,
                      hd_objective objective) {
    for (uint32_t i = 0; i < counted->count; i++)
        if (is_same(&counted->all[i].variant, variant))
            return counted->all[i].cost[objective];
    return NAN;
}

/* What one variant moves of what another one does; NAN: it was not counted. */
static double counted_ratio(const hd_counted_all *counted, hd_objective objective,
                            const hd_placed_layout *one, const hd_placed_layout *other) {
    return cost_of(counted, one, objective) / cost_of(counted, other, objective);
}

/* Whether a variant moves more data than another by more than it did at the neighbours. */
static bool moves_more(const hd_nearest *nearest, hd_objective objective,
                       const hd_counted_all *counted, const hd_placed_layout *one,
                       const hd_placed_layout *other) {
    double here = counted_ratio(counted, objective, one, other), there = 0;
    for (uint32_t i = 0; i < nearest->count; i++)
        there += nearest->all[i].weight *
                 log(counted_ratio(&nearest->all[i].point->counted, objective, one, other));
    return here > 1 && here > alike * exp(there); /* not where one of them was not counted */
}

/* By more than a standard error, and noticeably. */
static bool is_less(const hd_interval *ratio) {
    return log(ratio->median) + log(ratio->high / ratio->median) / quartile <
           -log(1 + HD_NOTICEABLE);
}

/* One neighbour may be an exception, or its measurement may be: at least two agree. */
static bool most_agree(const hd_nearest *nearest, hd_objective objective,
                       const hd_placed_layout *one, const hd_placed_layout *other) {
    uint32_t agree = 0;
    for (uint32_t i = 0; i < nearest->count; i++)
        agree += ratio_at(&nearest->all[i], objective, one, other).at < -log(1 + HD_NOTICEABLE);
    return agree > 1 && 2 * agree > nearest->count;
}

/* Rules leave data in place where device and host share their memory: there a copy only adds. */
static bool copies_more(const hd_placed_layout *variant, const hd_placed_layout *rule) {
    return !strcmp(variant->placement, "device") && strcmp(rule->placement, "device");
}

hd_placed_layout hd_nearest_choose(hd_arena *arena, const hd_nearest *nearest,
                                   hd_objective objective, const hd_placed_layout *rule,
                                   const hd_counted_all *counted) {
    hd_nearest_ranking ranking = hd_nearest_rank(arena, nearest, objective);
    for (uint32_t i = 0; i < ranking.count; i++) {
        const hd_placed_layout *variant = &ranking.all[i].variant;
        hd_interval ratio;
        if (is_same(variant, rule))
            break;
        if (!copies_more(variant, rule) &&
            hd_nearest_ratio(nearest, objective, variant, rule, &ratio) && is_less(&ratio) &&
            most_agree(nearest, objective, variant, rule) &&
            !moves_more(nearest, objective, counted, variant, rule))
            return *variant;
    }
    return *rule;
}
