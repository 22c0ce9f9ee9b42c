/* Records taken apart, as a try (apart.h). */
#include "advise/apart.h"

/* Bounds for a search that nobody asked for; in counts, so that the answer is the same
 * everywhere. */
enum { EXACT_FIELDS = 10, SUBSET_FIELDS = 13, MOST_NODES = 2000 };

static const hd_diag silent = {0};

typedef hd_vec(const char *) names;

/* Takes field after field apart, and what comes out of it again, where C's rules and the number
 * of fields allow; of the whole record's only those in `used`. */
static const hd_record *split_all(hd_arena *arena, const hd_record *whole, uint64_t used,
                                  names *fields) {
    const hd_place nowhere = {0};
    const hd_record *record = whole;
    for (uint32_t f = 0; f < record->field_count;) {
        const hd_field *field = &record->fields[f];
        const hd_record *more;
        int of = hd_record_field_at(whole, field->offset);
        bool several = field->count > 1 || field->record;
        if (several && of >= 0 && used >> of & 1) {
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
        any |= record->fields[f].count > 1 || record->fields[f].record;
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

/* Each part lies where it is in its field in the layout of the whole record. */
static bool is_same_map(const hd_map *parts, const hd_map *whole) {
    if (parts->allocation_count != whole->allocation_count)
        return false;
    for (uint32_t f = 0; f < parts->record->field_count; f++) {
        uint32_t offset = parts->record->fields[f].offset;
        uint32_t of = (uint32_t)hd_record_field_at(whole->record, offset);
        uint32_t inside = offset - whole->record->fields[of].offset;
        if (parts->clusters[parts->fields[f].cluster].allocation !=
            whole->clusters[whole->fields[of].cluster].allocation)
            return false;
        for (uint64_t i = 0; i < parts->count; i++)
            if (hd_map_address(parts, f, i) != hd_map_address(whole, of, i) + inside)
                return false;
    }
    return true;
}

hd_layout *advise_put_together(hd_arena *arena, const hd_record *parts, const hd_layout *layout) {
    enum { ELEMENTS = 257 }; /* they fill several tiles, and runs are padded behind them */
    uint64_t masks[HD_MAX_FIELDS] = {0}, tiles[HD_MAX_FIELDS], met = 0;
    hd_map *map, *of_whole;
    for (uint32_t c = 0; c < layout->count; c++) {
        for (uint64_t left = layout->clusters[c].mask; left; left &= left - 1) {
            uint32_t offset = parts->fields[__builtin_ctzll(left)].offset;
            masks[c] |= (uint64_t)1 << hd_record_field_at(parts->whole, offset);
        }
        tiles[c] = layout->clusters[c].tile;
        if (met & masks[c])
            return NULL;
        met |= masks[c];
    }
    hd_layout *whole = hd_layout_of_masks(arena, masks, tiles, layout->count, layout->discrete);
    bool same = hd_map_make(arena, &silent, parts, layout, ELEMENTS, &map) == HD_OK &&
                hd_map_make(arena, &silent, parts->whole, whole, ELEMENTS, &of_whole) == HD_OK &&
                is_same_map(map, of_whole);
    return same ? whole : NULL;
}
