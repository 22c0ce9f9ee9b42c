/*
 * Shapes that were counted (measured.h), as the model takes them.
 *
 * Clumps are what segments.c calls patterns, with residues of the first lane. Where they are cut
 * follows from how fields lie in clusters: with tile t, bytes b >= t * p of a tile and steps of p
 * bytes in a run, elements i = q * t + r and j = u * t + s, i < j, are
 *
 *     (u - q) * b + (s - r) * p  >=  ((u - q) * t + s - r) * p  =  (j - i) * p
 *
 * bytes apart. (b >= t * p, since a run of t values is t * p bytes less what pads the last one, a
 * tile is padded to a multiple of the field's alignment, and p is one.) When the bytes that are
 * touched of an element end `reach` bytes behind its first one at most, those of i and j are
 * (j - i) * p - reach + 1 apart at least, and share no segment of m bytes if that is m or more:
 * where (j - i) * p >= m + reach - 1.
 *
 * The period: in a segment or line of m bytes, m a power of two, element i is at byte
 * q * b + run + r * p modulo m. Where sizes are multiples of alignments, of which a is the least,
 * each run is a multiple of t * a bytes (or begins at a greater alignment), and so is b. All these
 * are powers of two, so q matters modulo m / (t * a) alone, i modulo m / a, and where t * a exceeds
 * m, modulo t. An attribute may make an alignment greater than a size; then b may be any multiple
 * of a, and i matters modulo m * t.
 */
#include <stdlib.h>

#include "model/cost_internal.h"

static uint32_t longest_unit(const hd_device *device) {
    uint32_t unit = device->segment;
    if (device->l1.size && device->l1.line > unit)
        unit = device->l1.line;
    if (device->l2.size && device->l2.line > unit)
        unit = device->l2.line;
    return unit;
}

hd_cost_grain hd_cost_grain_of(const hd_record *record, const hd_device *device) {
    hd_cost_grain grain = {.modulus = longest_unit(device)};
    uint32_t align = record->align;
    bool whole = true; /* sizes are multiples of alignments */
    for (uint32_t f = 0; f < record->field_count; f++) {
        const hd_field *field = &record->fields[f];
        align = field->align < align ? field->align : align;
        whole = whole && field->size % field->align == 0;
    }
    /* A tile whose shortest run fills whole units costs what `soa` costs. */
    for (grain.level_count = 1; grain.level_count < MAX_LEVELS; grain.level_count++)
        if (align << grain.level_count >= grain.modulus)
            break;
    uint32_t longest = 1u << (grain.level_count - 1), units = grain.modulus / align;
    grain.period = !whole ? grain.modulus * longest : units > longest ? units : longest;
    return grain;
}

uint64_t hd_cost_gap(const hd_field *field, uint64_t reach, uint32_t segment) {
    uint64_t step = hd_align_up(field->size, field->align);
    return (segment + reach - 1 + step - 1) / step;
}

/* ---- shapes ------------------------------------------------------------------------------ */

static bool same_places(const hd_measured_clump *a, const hd_measured_clump *b) {
    return a->lanes == b->lanes &&
           (a->residue == HD_ANY_RESIDUE) == (b->residue == HD_ANY_RESIDUE) &&
           !memcmp(a->index, b->index, a->lanes * sizeof *a->index) &&
           !memcmp(a->inner, b->inner, a->lanes * sizeof *a->inner);
}

static lane_pattern pattern_of(hd_arena *arena, const hd_measured_clump *clump) {
    int64_t *places = hd_new_array(arena, int64_t, 2 * clump->lanes);
    for (uint32_t i = 0; i < clump->lanes; i++) {
        places[i] = clump->index[i];
        places[clump->lanes + i] = clump->inner[i];
    }
    return (lane_pattern){.lanes = clump->lanes,
                          .half = clump->lanes,
                          .index = places,
                          .inner = places + clump->lanes,
                          .anywhere = clump->residue == HD_ANY_RESIDUE};
}

static int by_value(const void *a, const void *b) {
    uint32_t x = ((const residue *)a)->value, y = ((const residue *)b)->value;
    return (x > y) - (x < y);
}

/* The same residues modulo `modulus`. */
static residues folded(hd_arena *arena, const residue *from, uint32_t count, uint32_t modulus) {
    residues list = {hd_new_array(arena, residue, count), 0};
    for (uint32_t i = 0; i < count; i++)
        list.data[i] = (residue){from[i].value & (modulus - 1), from[i].share};
    qsort(list.data, count, sizeof *list.data, by_value);
    for (uint32_t i = 0; i < count; i++)
        if (list.count && list.data[list.count - 1].value == list.data[i].value)
            list.data[list.count - 1].share += list.data[i].share;
        else
            list.data[list.count++] = list.data[i];
    return list;
}

/* Adds the pattern that the next `count` clumps have, with their residues. */
static void add_pattern(hd_arena *arena, hd_cost_grain grain, const hd_measured_access *access,
                        const hd_measured_clump *clumps, uint32_t count, shape *s) {
    residue *all = hd_new_array(arena, residue, count);
    uint32_t p = s->pattern_count++;
    s->patterns[p] = pattern_of(arena, clumps);
    for (uint32_t i = 0; i < count; i++)
        all[i] = (residue){s->patterns[p].anywhere ? 0 : clumps[i].residue,
                           clumps[i].count / access->executions};
    for (uint32_t k = 0; k < grain.level_count; k++)
        s->levels[k][p] = folded(arena, all, count, grain.modulus << k);
}

shape *cost_shape_measured(hd_arena *arena, hd_cost_grain grain, const hd_measured_access *access) {
    shape *s = hd_new(arena, shape);
    *s = (shape){.lane_copies = 1,
                 .lanes = access->lanes,
                 .requests = access->requests,
                 .sparse_cover = 1 + access->clump_count / MOST_COVERED};
    s->patterns = hd_new_array(arena, lane_pattern, access->clump_count);
    for (uint32_t k = 0; k < grain.level_count; k++)
        s->levels[k] = hd_new_array(arena, residues, access->clump_count);
    s->inner = (residues){hd_new(arena, residue), 1};
    s->inner.data[0] = (residue){0, 1};
    for (uint32_t first = 0, end; first < access->clump_count; first = end) {
        const hd_measured_clump *clump = &access->clumps[first];
        for (end = first + 1; end < access->clump_count && same_places(clump, clump + end - first);)
            end++;
        add_pattern(arena, grain, access, clump, end - first, s);
    }
    return s;
}

/* ---- loops ------------------------------------------------------------------------------- */

/* Most executions of an access whose innermost loop this is; 0: there is none. */
static double executions_in(const hd_measured_launch *launch, const hd_kernel_info *info,
                            int32_t loop) {
    double most = 0;
    for (uint32_t i = 0; i < info->access_count; i++)
        if (info->accesses[i].loop == loop && launch->accesses[i].executions > most)
            most = launch->accesses[i].executions;
    return most;
}

void cost_measured_lengths(const hd_measured_launch *launch, const hd_kernel_info *info,
                           const bool *unknown, double warps, uint64_t *lengths) {
    const hd_flow *flow = info->flow;
    double *runs = hd_zeroed(flow->loop_count + 1, sizeof *runs); /* of each loop's body */
    for (uint32_t l = 0; l < flow->loop_count; l++) {             /* outer ones come first */
        int32_t parent = flow->loops[l].parent;
        double around = parent >= 0 ? runs[parent] : executions_in(launch, info, -1);
        if (around <= 0)
            around = warps;
        runs[l] = executions_in(launch, info, (int32_t)l);
        if (runs[l] > 0 && unknown[l])
            lengths[l] = runs[l] > around ? (uint64_t)(runs[l] / around + 0.5) : 1;
        if (runs[l] <= 0)
            runs[l] = around * (double)lengths[l];
    }
    free(runs);
}

/* ---- whether they belong together --------------------------------------------------------- */

hd_status cost_measured_check(const hd_diag *diag, const hd_measured *measured, const hd_job *job,
                              const hd_device *device) {
    if (measured->job == job && measured->device == device)
        return HD_OK;
    hd_place place = {.file = job->path ? job->path : job->kernel_path};
    return hd_fail(diag, HD_EINPUT, &place,
                   "what was measured is not of this job on %s; hear a run of it with that device",
                   device->name);
}
