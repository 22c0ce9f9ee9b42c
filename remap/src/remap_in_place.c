/*
 * Transposes within the memory that the matrix lies in; structs to `soa` are one, of as many rows
 * as there are records, and back again another.
 *
 * The longer side of the matrix is seen as records, the shorter one as their words, which go to
 * runs or come from them. That takes two passes, each of which reads and writes everything once:
 *
 *     to runs                                        from runs
 *       each panel of some records by itself           chunks: words x panels -> panels x words
 *         becomes a chunk of each run                  the chunks of each panel by themselves
 *       chunks: panels x words -> words x panels         become its records
 *
 * (in_place_panels.c, in_place_chunks.c). Records that don't fill a panel are kept aside. Square
 * matrices are transposed by pairs of blocks, in one pass, and nearly square ones in a second one
 * (in_place_square.c), since of long records a panel that fits the caches has too few.
 */
#include <stdlib.h>

#include "remap/remap_in_place.h"

enum {
    FAR_PANEL = 512 << 10,
    SHIFT_BYTES = 2 << 20,  /* out of the second-level cache */
    NEAR_PANEL = 352 << 10, /* of which that cache has two */
    LONG_CHUNK = 128 << 10,
    GOOD_CHUNK = 2 << 10, /* at least, as long as that makes no panel larger than: */
    MOST_PANEL = 1 << 20, /* of which some are kept aside */
    SHORT_CHUNK = 512,    /* is moved far slower than a longer one */
    PAGE = 4096,
    NEAR_BYTES = 1 << 20 /* that a nearly square matrix has more than a square */
};

/* ---- panels and chunks --------------------------------------------------------------------- */

typedef struct runs {
    char *data;
    uint64_t records, words;
    size_t bytes, run; /* of a word; from one run to the next */
} runs;

/* A chunk's. Those of a panel begin in different sets of the first-level cache, all of which a page
 * fills. */
static uint64_t chunk_bytes(uint64_t words) {
    uint64_t panel = words > REMAP_FEW_WORDS ? NEAR_PANEL : FAR_PANEL;
    uint64_t chunk = hd_remap_least(panel / words, LONG_CHUNK);
    if (chunk < GOOD_CHUNK)
        chunk = hd_remap_least(GOOD_CHUNK, MOST_PANEL / words);
    if (chunk < PAGE)
        return REMAP_LINE * ((hd_remap_most(chunk / REMAP_LINE, 1) - 1) | 1);
    return chunk / PAGE * PAGE + hd_remap_most(REMAP_LINE, PAGE / words / REMAP_LINE * REMAP_LINE);
}

static hd_remap_cut cut_of(const runs *r) {
    uint64_t group = hd_remap_group_of(r->bytes), length = chunk_bytes(r->words) / r->bytes;
    length = length > group ? length / group * group : group;
    hd_remap_cut cut = {.data = r->data,
                        .records = r->records,
                        .words = r->words,
                        .bytes = r->bytes,
                        .run = r->run,
                        .length = length,
                        .panels = r->records / length,
                        .chunk = (size_t)length * r->bytes};
    size_t open = cut.run - (size_t)cut.panels * cut.chunk, panel = hd_remap_panel_bytes(&cut);
    uint64_t shift = 2 + (r->words - 1) * open / panel;
    if (r->words <= REMAP_FEW_WORDS)
        shift = hd_remap_most(shift, SHIFT_BYTES / panel);
    cut.shift = hd_remap_least(shift, cut.panels);
    return cut;
}

static hd_status no_memory(const hd_remap_engine *engine, uint64_t records) {
    return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %zu records", (size_t)records);
}

/* Records behind the last panel are kept in memory of their own, as runs and as records. */
static hd_status by_panels(const hd_remap_engine *engine, const runs *all, bool to_runs) {
    hd_remap_cut cut = cut_of(all);
    size_t whole = (size_t)cut.panels * cut.chunk;
    uint64_t rest = cut.records - cut.panels * cut.length;
    size_t length = (size_t)rest * cut.bytes, bytes = (size_t)cut.words * length;
    /* Zipping may write some bytes behind the last record. */
    char *as_runs = malloc(2 * bytes + REMAP_LINE);
    const char **begin = malloc((size_t)cut.words * sizeof *begin);
    hd_status status = as_runs && begin ? HD_OK : no_memory(engine, rest);
    for (uint64_t w = 0; w < cut.words && status == HD_OK; w++) {
        begin[w] = as_runs + w * length;
        if (!to_runs)
            memcpy(as_runs + w * length, all->data + w * cut.run + whole, length);
    }
    if (status == HD_OK && to_runs) {
        const char *from = all->data + whole * cut.words;
        hd_remap_to_runs(engine, &cut, as_runs, length, from, rest, cut.words, from + bytes);
        status = hd_remap_sweep_panels(engine, &cut, false);
    } else if (status == HD_OK) {
        hd_remap_from_runs(engine, &cut, as_runs + bytes, begin, 0, rest);
    }
    if (status == HD_OK)
        status = hd_remap_move_chunks(engine, &cut, !to_runs);
    if (status == HD_OK && !to_runs)
        status = hd_remap_sweep_panels(engine, &cut, true);
    if (status == HD_OK && !to_runs)
        memcpy(all->data + whole * cut.words, as_runs + bytes, bytes);
    for (uint64_t w = 0; w < cut.words && status == HD_OK && to_runs; w++)
        memcpy(all->data + w * cut.run + whole, begin[w], length);
    free(as_runs);
    free(begin);
    return status;
}

/* ---- squares, and nearly ------------------------------------------------------------------- */

static bool is_square(const runs *r) {
    return r->records == r->words && r->run == r->records * r->bytes;
}

static bool is_nearly_square(const runs *r) {
    return r->run == r->records * r->bytes && r->records > r->words &&
           (r->records - r->words) * r->words * r->bytes <= NEAR_BYTES &&
           cut_of(r).chunk < SHORT_CHUNK;
}

/* The records behind the square are the runs of its tails: the rests of its rows, or columns. */
static hd_status by_nearly_square(const hd_remap_engine *engine, const runs *r, bool to_runs) {
    uint64_t more = r->records - r->words;
    size_t side = (size_t)r->words * r->bytes, bytes = (size_t)more * side;
    hd_remap_cut tail = {.records = r->words, .words = more, .bytes = r->bytes};
    char *tails = malloc(bytes + REMAP_LINE);
    const char **last = malloc((size_t)more * sizeof *last);
    hd_status status = tails && last ? HD_OK : no_memory(engine, more);
    for (uint64_t i = 0; i < more && status == HD_OK; i++)
        last[i] = r->data + (r->words + i) * side;
    if (status == HD_OK && to_runs)
        hd_remap_from_runs(engine, &tail, tails, last, 0, r->words);
    else if (status == HD_OK)
        status = hd_remap_shift_rows(engine, r->data, r->words, side, r->run, tails, true);
    if (status == HD_OK)
        status = hd_remap_transpose_square(engine, r->data, r->words, r->bytes);
    if (status == HD_OK && to_runs)
        status = hd_remap_shift_rows(engine, r->data, r->words, side, r->run, tails, false);
    else if (status == HD_OK)
        hd_remap_to_runs(engine, &tail, r->data + r->words * side, side, tails, r->words, more,
                         tails + bytes);
    free(tails);
    free(last);
    return status;
}

/* ---- maps ---------------------------------------------------------------------------------- */

/* The bytes of each field where the map is of structs to `soa`, of fields of one size; else 0. */
static uint32_t word_of_soa(const hd_remap *map) {
    const hd_map *layout = map->layout;
    if (map->kind != HD_REMAP_RECORDS || layout->layout->count != 1 ||
        (layout->layout->clusters[0].tile != HD_TILE_SOA && layout->record->field_count > 1))
        return 0;
    uint32_t bytes = layout->fields[0].size;
    for (uint32_t f = 0; f < layout->record->field_count; f++)
        if (layout->fields[f].size != bytes || layout->record->fields[f].size != bytes)
            return 0;
    return layout->record->size == bytes * layout->record->field_count ? bytes : 0;
}

static size_t run_of(const hd_remap *map, uint32_t word) {
    return (size_t)hd_align_up(map->elements * word, HD_RUN_ALIGN);
}

uint64_t hd_remap_in_place_bytes(const hd_remap *map) {
    if (!map)
        return 0;
    uint32_t word = word_of_soa(map);
    if (map->kind == HD_REMAP_TRANSPOSE)
        return map->source_bytes;
    return word ? map->layout->record->field_count * (uint64_t)run_of(map, word) : 0;
}

/* Applying a map brings records to runs, or the other way round. */
static runs runs_of(const hd_remap *map, void *data, bool *to_runs) {
    uint32_t word = word_of_soa(map);
    *to_runs = word || map->rows >= map->columns;
    if (word)
        return (runs){data, map->elements, map->layout->record->field_count, word,
                      run_of(map, word)};
    size_t bytes = (size_t)map->element_bytes;
    uint64_t longer = *to_runs ? map->rows : map->columns;
    return (runs){data, longer, *to_runs ? map->columns : map->rows, bytes, (size_t)longer * bytes};
}

uint64_t hd_remap_in_place_scratch(const hd_remap *map) {
    bool to_runs;
    if (!hd_remap_in_place_bytes(map))
        return 0;
    runs r = runs_of(map, NULL, &to_runs);
    uint64_t square = hd_remap_square_scratch(r.bytes);
    if (is_square(&r))
        return square;
    uint64_t tails = (r.records - r.words) * r.words * r.bytes;
    if (is_nearly_square(&r))
        return square + tails + (r.records - r.words) * sizeof(char *) + REMAP_LINE +
               hd_remap_shift_scratch(r.words, (size_t)r.words * r.bytes, r.run);
    hd_remap_cut cut = cut_of(&r);
    return hd_remap_panels_scratch(&cut) + hd_remap_chunks_scratch(&cut) +
           2 * hd_remap_panel_bytes(&cut) + cut.words * sizeof(char *) + REMAP_LINE;
}

hd_status hd_remap_in_place_by(const hd_remap_engine *engine, const hd_remap *map, void *data,
                               bool back) {
    bool to_runs;
    runs r = runs_of(map, data, &to_runs);
    if (r.words == 1)
        return HD_OK; /* one word moves nowhere */
    if (is_square(&r))
        return hd_remap_transpose_square(engine, r.data, r.words, r.bytes);
    return (is_nearly_square(&r) ? by_nearly_square : by_panels)(engine, &r, to_runs != back);
}

static hd_status remap_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                const hd_remap_host_options *options, bool back) {
    hd_remap_engine engine;
    uint64_t bytes = hd_remap_in_place_bytes(map);
    if (hd_remap_needs(diag, {map, "map to remap by"}) != HD_OK)
        return HD_EINPUT;
    if (!bytes)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "only transposes, and structs of fields of one size to `soa`, are remapped "
                       "in place; use hd_remap_apply() or hd_remap_revert()");
    if (!data)
        return hd_fail(diag, HD_EINPUT, NULL, "there is no memory (NULL) for the data");
    hd_status status = hd_remap_engine_of(diag, options, 2 * bytes, &engine);
    return status == HD_OK ? hd_remap_in_place_by(&engine, map, data, back) : status;
}

hd_status hd_remap_apply_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                  const hd_remap_host_options *options) {
    return remap_in_place(diag, map, data, options, false);
}

hd_status hd_remap_revert_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                   const hd_remap_host_options *options) {
    return remap_in_place(diag, map, data, options, true);
}
