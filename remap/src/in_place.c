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

#include "remap/in_place.h"

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

/* Records behind the last panel: in memory of their own, as runs and as records. */
typedef struct rest {
    uint64_t records;
    size_t length, bytes; /* of a run, of all */
    char *memory, *as_records;
    const char **runs;
} rest;

static hd_status new_rest(const hd_remap_engine *engine, const hd_remap_cut *cut, rest *r) {
    *r = (rest){.records = cut->records - cut->panels * cut->length};
    r->length = (size_t)r->records * cut->bytes;
    r->bytes = (size_t)cut->words * r->length;
    /* Zipping may write some bytes behind the last record. */
    r->memory = malloc(2 * r->bytes + REMAP_LINE);
    r->runs = malloc((size_t)cut->words * sizeof *r->runs);
    if (!r->memory || !r->runs) {
        free(r->memory);
        free(r->runs);
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %zu records",
                       (size_t)r->records);
    }
    r->as_records = r->memory + r->bytes;
    for (uint64_t w = 0; w < cut->words; w++)
        r->runs[w] = r->memory + w * r->length;
    return HD_OK;
}

static void free_rest(rest *r) {
    free(r->memory);
    free(r->runs);
}

static hd_status panels_to_runs(const hd_remap_engine *engine, const runs *all) {
    hd_remap_cut cut = cut_of(all);
    size_t whole = (size_t)cut.panels * cut.chunk;
    rest r;
    hd_status status = new_rest(engine, &cut, &r);
    if (status != HD_OK)
        return status;
    hd_remap_to_runs(engine, &cut, r.memory, r.length, all->data + whole * cut.words, r.records);
    status = hd_remap_panels_to_chunks(engine, &cut);
    if (status == HD_OK)
        status = hd_remap_move_chunks(engine, &cut, false);
    for (uint64_t w = 0; w < cut.words; w++)
        memcpy(all->data + w * cut.run + whole, r.runs[w], r.length);
    free_rest(&r);
    return status;
}

static hd_status panels_from_runs(const hd_remap_engine *engine, const runs *all) {
    hd_remap_cut cut = cut_of(all);
    size_t whole = (size_t)cut.panels * cut.chunk;
    rest r;
    hd_status status = new_rest(engine, &cut, &r);
    if (status != HD_OK)
        return status;
    for (uint64_t w = 0; w < cut.words; w++)
        memcpy(r.memory + w * r.length, all->data + w * cut.run + whole, r.length);
    hd_remap_from_runs(engine, &cut, r.as_records, r.runs, 0, r.records);
    status = hd_remap_move_chunks(engine, &cut, true);
    if (status == HD_OK)
        status = hd_remap_chunks_to_panels(engine, &cut);
    memcpy(all->data + whole * cut.words, r.as_records, r.bytes);
    free_rest(&r);
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

/* What nearly square matrices have beside the square: tails of its rows or columns. */
static hd_status new_tails(const hd_remap_engine *engine, const runs *r, char **tails) {
    size_t bytes = (size_t)((r->records - r->words) * r->words) * r->bytes;
    *tails = malloc(bytes + REMAP_LINE);
    return *tails ? HD_OK
                  : hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %zu rows",
                            (size_t)(r->records - r->words));
}

static hd_status near_to_runs(const hd_remap_engine *engine, const runs *r) {
    uint64_t more = r->records - r->words;
    size_t side = (size_t)r->words * r->bytes;
    /* The records behind the square are the runs of its tails. */
    hd_remap_cut tail = {.records = r->words, .words = more, .bytes = r->bytes};
    char *tails;
    const char **last = malloc((size_t)more * sizeof *last);
    if (!last)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %zu rows", (size_t)more);
    hd_status status = new_tails(engine, r, &tails);
    if (status == HD_OK) {
        for (uint64_t i = 0; i < more; i++)
            last[i] = r->data + (r->words + i) * side;
        hd_remap_from_runs(engine, &tail, tails, last, 0, r->words);
        status = hd_remap_transpose_square(engine, r->data, r->words, r->bytes);
        if (status == HD_OK)
            status = hd_remap_spread_rows(engine, r->data, r->words, side, r->run, tails);
        free(tails);
    }
    free(last);
    return status;
}

static hd_status near_from_runs(const hd_remap_engine *engine, const runs *r) {
    uint64_t more = r->records - r->words;
    size_t side = (size_t)r->words * r->bytes;
    hd_remap_cut tail = {.records = r->words, .words = more, .bytes = r->bytes};
    char *tails;
    hd_status status = new_tails(engine, r, &tails);
    if (status != HD_OK)
        return status;
    status = hd_remap_close_rows(engine, r->data, r->words, side, r->run, tails);
    if (status == HD_OK)
        status = hd_remap_transpose_square(engine, r->data, r->words, r->bytes);
    hd_remap_to_runs(engine, &tail, r->data + r->words * side, side, tails, r->words);
    free(tails);
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

static hd_status move(const hd_remap_engine *engine, const runs *r, bool to_runs) {
    if (is_square(r))
        return hd_remap_transpose_square(engine, r->data, r->words, r->bytes);
    if (is_nearly_square(r))
        return to_runs ? near_to_runs(engine, r) : near_from_runs(engine, r);
    return to_runs ? panels_to_runs(engine, r) : panels_from_runs(engine, r);
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
    return r.words == 1 ? HD_OK : move(engine, &r, to_runs != back); /* one word moves nowhere */
}

static hd_status remap_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                const hd_remap_host_options *options, bool back) {
    hd_remap_engine engine;
    uint64_t bytes = hd_remap_in_place_bytes(map);
    if (hd_remap_needs(diag, map, "map to remap by") != HD_OK)
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
