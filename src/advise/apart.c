/* Records taken apart, as a try (apart.h). */
#include "advise/apart.h"

#include <math.h>

/* Bounds for a search that nobody asked for; in counts, so that the answer is the same
 * everywhere. */
enum { EXACT_FIELDS = 10, SUBSET_FIELDS = 13, MOST_NODES = 2000 };

static const hd_diag silent = {0};

typedef hd_vec(const char *) names;

/* Takes field after field apart, and what comes out of it again, where the number of fields
 * allows; of the whole record's only those in `used`. */
static const hd_record *split_all(hd_arena *arena, const hd_record *whole, uint64_t used,
                                  names *fields) {
    const hd_place nowhere = {0};
    const hd_record *record = whole;
    for (uint32_t f = 0; f < record->field_count;) {
        const hd_field *field = &record->fields[f];
        const hd_record *more;
        int of = hd_record_field_at(whole, field->offset);
        if (hd_field_has_parts(field) && of >= 0 && used >> of & 1) {
            hd_push(arena, fields, field->name);
            if (hd_record_split(arena, &silent, &nowhere, whole, fields->data,
                                (uint32_t)fields->count, &more) == HD_OK) {
                record = more; /* its first part stands at f now */
                continue;
            }
            fields->count--;
        }
        f++;
    }
    return record;
}

static bool holds_several(const hd_record *record) {
    bool any = false;
    for (uint32_t f = 0; f < record->field_count; f++)
        any |= hd_field_has_parts(&record->fields[f]);
    return any;
}

/* The cost of the best layout to that of the original. */
static double best_ratio(const hd_search_result *search) {
    return search->leave ? 1 : search->ranked[0].ratio;
}

void advise_take_apart(hd_arena *arena, const hd_job *job, const hd_device *device,
                       const hd_cost_options *cost, hd_search_options *search, hd_apart *apart) {
    hd_cost_model *model;
    hd_search_result result;
    hd_search_options quick = *search;
    *apart = (hd_apart){0};
    if (!job->record || job->split_count || hd_record_is_soa(job->record) ||
        !holds_several(job->record) ||
        hd_cost_model_make(arena, &silent, job, device, cost, &model))
        return;
    names fields = {0};
    const hd_record *record = split_all(arena, job->record, hd_cost_used_fields(model), &fields);
    if (!fields.count)
        return;
    quick.exact_fields = quick.exact_fields ? quick.exact_fields : EXACT_FIELDS;
    quick.subset_fields = SUBSET_FIELDS;
    quick.nodes = MOST_NODES;
    hd_search_static(arena, model, &quick, &result);
    apart->fields = fields.data;
    apart->count = (uint32_t)fields.count;
    apart->whole = best_ratio(&result);
    hd_job *parts = hd_new(arena, hd_job);
    *parts = *job;
    parts->record = record;
    parts->split = fields.data;
    parts->split_count = (uint32_t)fields.count;
    if (hd_cost_model_make(arena, &silent, parts, device, cost, &model))
        return;
    hd_search_static(arena, model, &quick, &result);
    apart->parts = parts;
    apart->search = result;
    *search = quick;
    double enough = apart->whole * (1 - HD_NOTICEABLE);
    apart->record = record;
    apart->layout = result.ranked[0].layout;
    apart->ratio = best_ratio(&result);
    if (apart->ratio > enough)
        return;
    hd_attempt attempt = {0};
    if (!job->record->by_job) /* else neither the whole one can be rewritten */
        advise_attempt(arena, parts, &result, &attempt);
    if (attempt.tried && (!attempt.layout || attempt.ratio > enough)) {
        apart->refused = attempt.refused[0].why;
        apart->parts = NULL;
        return;
    }
    apart->pays = true;
}

/* ---- and together again ---------------------------------------------------------------------- */

/* Each part lies where it is in its field in the layout of the record with fewer taken apart. */
static bool is_same_map(const hd_map *parts, const hd_map *fewer) {
    if (parts->allocation_count != fewer->allocation_count)
        return false;
    for (uint32_t f = 0; f < parts->record->field_count; f++) {
        uint32_t offset = parts->record->fields[f].offset;
        uint32_t of = (uint32_t)hd_record_field_at(fewer->record, offset);
        uint32_t inside = offset - fewer->record->fields[of].offset;
        if (parts->clusters[parts->fields[f].cluster].allocation !=
            fewer->clusters[fewer->fields[of].cluster].allocation)
            return false;
        for (uint64_t i = 0; i < parts->count; i++)
            if (hd_map_address(parts, f, i) != hd_map_address(fewer, of, i) + inside)
                return false;
    }
    return true;
}

hd_layout *advise_put_together(hd_arena *arena, const hd_record *parts, const hd_layout *layout,
                               const hd_record *fewer) {
    enum { ELEMENTS = 257 }; /* they fill several tiles, and runs are padded behind them */
    uint64_t masks[HD_MAX_FIELDS] = {0}, tiles[HD_MAX_FIELDS], met = 0;
    hd_map *map, *of_fewer;
    for (uint32_t c = 0; c < layout->count; c++) {
        for (uint64_t left = layout->clusters[c].mask; left; left &= left - 1) {
            uint32_t offset = parts->fields[__builtin_ctzll(left)].offset;
            masks[c] |= (uint64_t)1 << hd_record_field_at(fewer, offset);
        }
        tiles[c] = layout->clusters[c].tile;
        if (met & masks[c])
            return NULL;
        met |= masks[c];
    }
    hd_layout *same = hd_layout_of_masks(arena, masks, tiles, layout->count, layout->discrete);
    bool is_same = hd_map_make(arena, &silent, parts, layout, ELEMENTS, &map) == HD_OK &&
                   hd_map_make(arena, &silent, fewer, same, ELEMENTS, &of_fewer) == HD_OK &&
                   is_same_map(map, of_fewer);
    return is_same ? same : NULL;
}

/* What comes nearest to `layout` of `parts`: fields whose parts it keeps in one cluster stay there,
 * the others lie alone. */
static hd_layout *gather(hd_arena *arena, const hd_record *parts, const hd_layout *layout,
                         const hd_record *fewer) {
    uint64_t masks[HD_MAX_FIELDS] = {0}, tiles[HD_MAX_FIELDS], placed = 0;
    uint32_t count = 0;
    for (uint32_t c = 0; c < layout->count; c++) {
        uint64_t of_cluster = 0;
        for (uint64_t left = layout->clusters[c].mask; left; left &= left - 1)
            of_cluster |= (uint64_t)1
                          << hd_record_field_at(fewer, parts->fields[__builtin_ctzll(left)].offset);
        tiles[count] = layout->clusters[c].tile;
        for (uint32_t f = 0; f < parts->field_count; f++) {
            uint64_t whole = (uint64_t)1 << hd_record_field_at(fewer, parts->fields[f].offset);
            if (!(layout->clusters[c].mask >> f & 1))
                of_cluster &= ~whole;
        }
        masks[count] = of_cluster;
        placed |= of_cluster;
        count += of_cluster != 0;
    }
    for (uint64_t left = hd_all_fields(fewer) & ~placed; left; left &= left - 1) {
        masks[count] = left & -left;
        tiles[count++] = HD_TILE_AOS;
    }
    return hd_layout_of_masks(arena, masks, tiles, count, layout->discrete);
}

static double price(hd_arena *arena, const hd_job *job, const hd_device *device,
                    const hd_cost_options *cost, const hd_layout *layout) {
    hd_cost_model *model;
    if (hd_cost_model_make(arena, &silent, job, device, cost, &model))
        return INFINITY;
    hd_cost_vector sum = hd_cost_of_layout(arena, model, layout, NULL, NULL);
    return hd_cost_mean(&sum);
}

/* `job` without one of the fields that it takes apart; NULL: others are parts of it. */
static hd_job *with_one_whole(hd_arena *arena, const hd_job *job, const char *field) {
    const hd_place nowhere = {0};
    const char **left = hd_new_array(arena, const char *, job->split_count);
    hd_job *fewer = hd_new(arena, hd_job);
    *fewer = *job;
    fewer->split = left;
    fewer->split_count = 0;
    for (uint32_t n = 0; n < job->split_count; n++)
        if (job->split[n] != field)
            left[fewer->split_count++] = job->split[n];
    return hd_record_split(arena, &silent, &nowhere, hd_record_declared(job->record), left,
                           fewer->split_count, &fewer->record) == HD_OK
               ? fewer
               : NULL;
}

const hd_job *advise_fewest_parts(hd_arena *arena, const hd_job *parts, const hd_device *device,
                                  const hd_cost_options *cost, const hd_layout **layout) {
    const hd_job *job = parts;
    double enough = price(arena, parts, device, cost, *layout) * (1 + HD_NOTICEABLE);
    for (uint32_t s = parts->split_count; s-- > 0;) {
        const hd_job *fewer = with_one_whole(arena, job, parts->split[s]);
        if (!fewer)
            continue;
        const hd_layout *same = advise_put_together(arena, job->record, *layout, fewer->record);
        if (!same) {
            same = gather(arena, job->record, *layout, fewer->record);
            if (price(arena, fewer, device, cost, same) > enough)
                continue;
        }
        job = fewer;
        *layout = same;
    }
    return job;
}

/* ---- joined ----------------------------------------------------------------------------- */

static double best_of(const hd_search_result *search) {
    double ratio = search->leave ? 1 : search->ranked[0].ratio;
    return hd_cost_mean(&search->original) * ratio;
}

void advise_join(hd_arena *arena, const hd_job *job, const hd_device *device,
                 const hd_cost_options *cost, const hd_search_options *search,
                 const hd_search_result *alone, hd_joined *joined) {
    hd_job together;
    hd_cost_model *model;
    hd_search_result result;
    *joined = (hd_joined){0};
    if (!hd_job_join(arena, job, &together) ||
        hd_job_resolve(arena, &silent, &together, job->module) ||
        hd_cost_model_make(arena, &silent, &together, device, cost, &model))
        return;
    hd_search_options quick = *search;
    quick.exact_fields = 8; /* nobody asked for this search, either */
    quick.subset_fields = 10;
    quick.nodes = 1000;
    hd_search_static(arena, model, &quick, &result);
    joined->record = together.record;
    joined->layout = result.ranked[0].layout;
    joined->ratio = best_of(&result) / best_of(alone);
    joined->pays = !result.leave && joined->ratio < 1 - HD_NOTICEABLE;
}
