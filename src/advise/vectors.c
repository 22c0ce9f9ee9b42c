/* SoA of vectors (vectors.h). */
#include "advise/vectors.h"

#include "advise/movement.h"

typedef struct company {
    const hd_record *record;
    double uses[HD_MAX_FIELDS]; /* executions of the accesses to a field */
    /* Of those to the first, those that also touch the second, of the same element. */
    double with[HD_MAX_FIELDS][HD_MAX_FIELDS];
} company;

static void count_company(company *c, const hd_cost_line *lines, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const hd_access *access = lines[i].access;
        double most[HD_MAX_FIELDS] = {0};
        if (access->record != c->record || access->field < 0)
            continue;
        for (size_t k = 0; k < count; k++) {
            const hd_access *other = lines[k].access;
            double both = lines[k].executions < lines[i].executions ? lines[k].executions
                                                                    : lines[i].executions;
            if (other->record == c->record && other->field >= 0 && other->kind == access->kind &&
                hd_lines_go_together(&lines[i], &lines[k]) && both > most[other->field])
                most[other->field] = both;
        }
        c->uses[access->field] += lines[i].executions;
        for (uint32_t f = 0; f < c->record->field_count; f++)
            c->with[access->field][f] += most[f];
    }
}

/* The least share of the accesses to one of the fields, or to `field`, that touch the other, too. */
static double nearness(const company *c, uint64_t fields, uint32_t field) {
    double least = 1;
    for (; fields; fields &= fields - 1) {
        uint32_t f = (uint32_t)__builtin_ctzll(fields);
        double there = c->with[f][field] / c->uses[f], back = c->with[field][f] / c->uses[field];
        least = there < least ? there : least;
        least = back < least ? back : least;
    }
    return least;
}

static uint64_t bytes_of(const hd_record *record, uint64_t fields) {
    const hd_cluster cluster = hd_cluster_of_mask(fields, HD_TILE_AOS);
    uint64_t run[HD_MAX_FIELDS];
    return hd_cluster_tile(record, &cluster, run);
}

/* No gap comes between the fields, and one vector holds them. */
static bool fits(const hd_record *record, uint64_t fields, uint32_t field) {
    uint64_t sum = record->fields[field].size;
    for (uint64_t left = fields; left; left &= left - 1)
        sum += record->fields[__builtin_ctzll(left)].size;
    return sum <= HD_VECTOR && bytes_of(record, fields | (uint64_t)1 << field) == sum;
}

/* The fields of `rest` that come with those of `fields`. */
static uint64_t grown(const company *c, uint64_t fields, uint64_t rest) {
    for (int next = 0; next >= 0; fields |= next >= 0 ? (uint64_t)1 << next : 0) {
        double best = 0.5;
        next = -1;
        for (uint64_t left = rest & ~fields; left; left &= left - 1) {
            uint32_t f = (uint32_t)__builtin_ctzll(left);
            double near = nearness(c, fields, f);
            if (fits(c->record, fields, f) && near >= best && (next < 0 || near > best)) {
                best = near;
                next = (int)f;
            }
        }
    }
    return fields;
}

/* A quarter of a vector is left. */
static bool is_of_three(uint64_t bytes) {
    return bytes < HD_VECTOR && bytes % 3 == 0 && hd_is_power_of_two(bytes / 3);
}

/* Puts a field of `idle` behind those of the cluster, where it fits what is left. */
static void fill_up(const hd_record *record, hd_cluster *cluster, uint64_t idle) {
    uint64_t bytes = bytes_of(record, cluster->mask);
    for (; idle && is_of_three(bytes); idle &= idle - 1) {
        uint32_t f = (uint32_t)__builtin_ctzll(idle);
        if (record->fields[f].size == bytes / 3 && fits(record, cluster->mask, f)) {
            cluster->mask |= (uint64_t)1 << f;
            cluster->order[cluster->count++] = (uint8_t)f;
            return;
        }
    }
}

hd_layout *advise_vectors(hd_arena *arena, hd_cost_model *model, hd_threes threes) {
    const hd_record *record = hd_cost_record(model);
    uint64_t used = hd_cost_used_fields(model), idle = hd_all_fields(record) & ~used;
    hd_layout *layout = hd_new(arena, hd_layout);
    company *c = hd_new(arena, company);
    hd_cost_line *lines;
    size_t line_count;
    bool any = false;
    hd_cost_of_layout(arena, model, hd_layout_original(arena, record), &lines, &line_count);
    c->record = record;
    count_company(c, lines, line_count);
    layout->clusters = hd_new_array(arena, hd_cluster, record->field_count);
    while (used) {
        hd_cluster *cluster = &layout->clusters[layout->count++];
        *cluster = hd_cluster_of_mask(grown(c, used & -used, used), HD_TILE_AOS);
        used &= ~cluster->mask;
        bool is_of_threes = is_of_three(bytes_of(record, cluster->mask));
        any |= cluster->count > 1 || is_of_threes;
        if (is_of_threes && threes == HD_THREES_APART)
            cluster->tile = HD_TILE_SOA;
        else
            fill_up(record, cluster, idle);
        idle &= ~cluster->mask;
        cluster->padded =
            threes == HD_THREES_PADDED && is_of_three(bytes_of(record, cluster->mask));
    }
    if (idle)
        layout->clusters[layout->count++] = hd_cluster_of_mask(idle, HD_TILE_AOS);
    return any ? layout : NULL;
}
