/*
 * Records to a layout and back.
 *
 * The records are taken in blocks of a power of two, so that each block fits the first-level
 * cache many times over. For a layout's cluster with shorter tiles than that, a block is some whole
 * tiles; in longer ones, and with `soa`, it is a piece of each field's run. The block's output is
 * put in order in an area for each cluster or for each run, and streamed out of there.
 *
 * What is moved at once is a field, fields that lie side by side on both sides, or, where
 * neighbours of one word's size lie in runs, a matrix of words that the vector functions transpose.
 *
 * Large data needs no areas where all that is moved are words that fill whole lines of every run or
 * tile: they go straight there, and records of few words of one size come straight back.
 */
#include "remap/host.h"

enum {
    BLOCK_BYTES = 4096,
    MOST_RECORDS = 1024,
    MOST_BYTES = 256 << 10,
    FOLLOWED_TILE = 512, /* bytes; processors see by themselves what is read next */
    AHEAD_BYTES = 8192,  /* of longer tiles */
    STEP_BYTES = 1024
};

/* Fields `field` to field + count - 1 of a record. */
typedef struct move {
    uint32_t field, count;
    size_t offset; /* in the record */
    size_t bytes;  /* of a word, or of all that is copied at once */
    int word;      /* which of the sizes of words, -1: copied */
    size_t head;   /* records before the first that begins a line of its run */
    size_t run;    /* bytes from one run to the next */
} move;

/* Where a block's output is put in order: of a cluster's tiles, or of a field's run. */
typedef struct area {
    size_t at; /* in the scratch */
    uint32_t cluster;
    int field;    /* -1: all of the cluster */
    size_t bytes; /* of a block */
    bool gaps;    /* some of them belong to no value */
} area;

typedef struct job {
    const hd_remap *map;
    char *records;
    char *const *parts;
    uint64_t block; /* records */
    uint64_t blocks, tasks;
    uint32_t move_count, area_count;
    move moves[HD_MAX_FIELDS];
    area areas[HD_MAX_FIELDS];
    uint32_t area_of[HD_MAX_FIELDS]; /* of each field */
    bool jumps; /* blocks do not follow one another everywhere: long tiles end */
    size_t scratch_bytes;
} job;

static const hd_cluster_place *place_of(const job *j, uint32_t field) {
    return &j->map->layout->clusters[j->map->layout->fields[field].cluster];
}

/* Is a block within one tile? */
static bool is_long(const job *j, uint32_t cluster) {
    return j->map->layout->layout->clusters[cluster].tile >= j->block;
}

/* So many records that the lines of a block can wait in the store buffer while the next block is
 * read, but that the smallest field's values fill a line. */
static uint64_t choose_block(const hd_record *record) {
    uint64_t records = MOST_RECORDS, least = 1;
    for (uint32_t f = 0; f < record->field_count; f++)
        while (least * record->fields[f].size < HD_LINE)
            least *= 2;
    while (records > least && records * record->size > BLOCK_BYTES)
        records /= 2;
    while (records > 1 && records * record->size > MOST_BYTES)
        records /= 2;
    return records;
}

/* ---- what is moved at once ----------------------------------------------------------------- */

static bool can_join(const job *j, const move *m, uint32_t f) {
    const hd_map *map = j->map->layout;
    const hd_field *field = &map->record->fields[f], *first = &map->record->fields[m->field];
    const hd_field_place *place = &map->fields[f], *first_place = &map->fields[m->field];
    uint32_t cluster = place->cluster;
    bool beside = field->offset == m->offset + m->bytes * (m->word < 0 ? 1 : m->count);
    if (!beside)
        return false;
    if (m->word >= 0 && is_long(j, cluster) && is_long(j, first_place->cluster))
        return field->size == first->size && place->size == field->size;
    if (cluster != first_place->cluster || is_long(j, cluster))
        return false;
    if (map->clusters[cluster].tile == 1)
        return place->run == first_place->run + m->bytes;
    uint64_t run = map->clusters[cluster].tile * m->bytes;
    return m->word >= 0 && field->size == first->size && place->size == field->size &&
           place->run == first_place->run + m->count * run;
}

/* A field alone. Words are transposed where their runs fill lines. */
static move move_of(const job *j, uint32_t f) {
    const hd_field *field = &j->map->layout->record->fields[f];
    const hd_field_place *place = &j->map->layout->fields[f];
    bool lines = is_long(j, place->cluster) || place_of(j, f)->tile * field->size >= HD_LINE;
    return (move){.field = f,
                  .count = 1,
                  .offset = field->offset,
                  .bytes = field->size,
                  .word = lines && place->size == field->size ? hd_remap_word(field->size) : -1};
}

static void list_moves(job *j) {
    for (uint32_t f = 0; f < j->map->layout->record->field_count; f++) {
        move *last = j->move_count ? &j->moves[j->move_count - 1] : NULL;
        if (!last || !can_join(j, last, f)) {
            j->moves[j->move_count++] = move_of(j, f);
            continue;
        }
        last->count++;
        if (last->word < 0)
            last->bytes += j->map->layout->record->fields[f].size;
    }
}

/* ---- areas --------------------------------------------------------------------------------- */

static void add_area(job *j, area a) {
    a.at = j->scratch_bytes;
    j->areas[j->area_count++] = a;
    j->scratch_bytes += (size_t)hd_align_up(a.bytes, HD_LINE) + HD_LINE;
}

static area area_of_run(const job *j, uint32_t f) {
    const hd_field_place *place = &j->map->layout->fields[f];
    return (area){.cluster = place->cluster,
                  .field = (int)f,
                  .bytes = (size_t)(j->block * place->size),
                  .gaps = place->size != j->map->layout->record->fields[f].size};
}

static area area_of_tiles(const job *j, uint32_t c) {
    const hd_cluster_place *place = &j->map->layout->clusters[c];
    return (area){.cluster = c,
                  .field = -1,
                  .bytes = (size_t)(j->block / place->tile * place->tile_bytes),
                  .gaps = true};
}

static void list_areas(job *j) {
    const hd_map *map = j->map->layout;
    int area_of_cluster[HD_MAX_FIELDS];
    memset(area_of_cluster, -1, sizeof area_of_cluster);
    j->scratch_bytes = HD_LINE;
    for (uint32_t f = 0; f < map->record->field_count; f++) {
        uint32_t c = map->fields[f].cluster;
        if (is_long(j, c)) {
            add_area(j, area_of_run(j, f));
            j->jumps |= map->layout->clusters[c].tile != HD_TILE_SOA;
        } else if (area_of_cluster[c] < 0) {
            area_of_cluster[c] = (int)j->area_count;
            add_area(j, area_of_tiles(j, c));
        }
        j->area_of[f] = is_long(j, c) ? j->area_count - 1 : (uint32_t)area_of_cluster[c];
    }
}

/* A field's value in a record. */
static char *run_at(const job *j, uint32_t field, uint64_t record) {
    return j->parts[place_of(j, field)->allocation] + hd_map_address(j->map->layout, field, record);
}

/* Where the area's output for the block from record `first` on belongs. */
static char *target_of(const job *j, const area *a, uint64_t first) {
    const hd_cluster_place *place = &j->map->layout->clusters[a->cluster];
    if (a->field >= 0)
        return run_at(j, (uint32_t)a->field, first);
    return j->parts[place->allocation] + place->base + first / place->tile * place->tile_bytes;
}

/* The bytes of it: the last value of a run has no gap after it. */
static size_t bytes_of(const job *j, const area *a, uint64_t first, uint64_t count) {
    const hd_cluster_place *place = &j->map->layout->clusters[a->cluster];
    if (count == j->block && !a->gaps)
        return a->bytes;
    if (a->field < 0)
        return (size_t)((count + place->tile - 1) / place->tile * place->tile_bytes);
    size_t step = j->map->layout->fields[a->field].size;
    bool last = first + count == j->map->elements || (first + count) % place->tile == 0;
    size_t gap = step - j->map->layout->record->fields[a->field].size;
    return (size_t)count * step - (last ? gap : 0);
}

/* Neighbours of area `a` that are written alike, with itself. */
static uint32_t count_alike(const job *j, uint32_t a) {
    uint32_t end = a + 1;
    while (end < j->area_count && !j->areas[a].gaps && !j->areas[end].gaps &&
           j->areas[end].bytes == j->areas[a].bytes)
        end++;
    return end - a;
}

/* ---- to the layout ------------------------------------------------------------------------- */

static void apply_to_run(const hd_remap_engine *engine, const job *j, const move *m, char *scratch,
                         uint64_t first, uint64_t count) {
    const area *a = &j->areas[j->area_of[m->field]];
    size_t record = (size_t)j->map->element_bytes;
    const char *from = j->records + first * record + m->offset;
    size_t apart = m->count > 1 ? a[1].at - a[0].at : 0;
    if (m->word >= 0)
        engine->lanes->unzip[m->word](scratch + a->at, apart, from, record, (size_t)count, m->count,
                                      j->records + j->map->source_bytes);
    else
        hd_remap_copy_values(scratch + a->at, j->map->layout->fields[m->field].size, from, record,
                             m->bytes, (size_t)count);
}

static void apply_to_tiles(const hd_remap_engine *engine, const job *j, const move *m,
                           char *scratch, uint64_t first, uint64_t count) {
    const hd_cluster_place *place = place_of(j, m->field);
    const hd_field_place *field = &j->map->layout->fields[m->field];
    size_t record = (size_t)j->map->element_bytes;
    const char *from = j->records + first * record + m->offset;
    char *to = scratch + j->areas[j->area_of[m->field]].at + field->run;
    if (place->tile == 1) {
        hd_remap_copy_values(to, (size_t)place->tile_bytes, from, record, m->bytes, (size_t)count);
        return;
    }
    for (uint64_t i = 0; i < count; i += place->tile) {
        size_t rows = (size_t)(count - i < place->tile ? count - i : place->tile);
        if (m->word >= 0)
            engine->lanes->unzip[m->word](to, (size_t)place->tile * m->bytes, from, record, rows,
                                          m->count, j->records + j->map->source_bytes);
        else
            hd_remap_copy_values(to, field->size, from, record, m->bytes, rows);
        to += place->tile_bytes;
        from += place->tile * record;
    }
}

/* Where the block begins another tile, its output does not follow the last one's. */
static void follow(const job *j, const area *a, hd_remap_stream *stream, uint64_t first) {
    char *to = target_of(j, a, first);
    if (stream->to + stream->carried == to)
        return;
    hd_remap_end(stream);
    stream->to = to;
}

static void apply_block(const hd_remap_engine *engine, const job *j, hd_remap_stream *streams,
                        char *scratch, uint64_t first, uint64_t count) {
    for (uint32_t a = 0; a < j->area_count && count < j->block; a++)
        memset(scratch + j->areas[a].at, 0, bytes_of(j, &j->areas[a], first, count));
    for (uint32_t m = 0; m < j->move_count; m++)
        if (is_long(j, j->map->layout->fields[j->moves[m].field].cluster))
            apply_to_run(engine, j, &j->moves[m], scratch, first, count);
        else
            apply_to_tiles(engine, j, &j->moves[m], scratch, first, count);
    for (uint32_t a = 0; a < j->area_count && j->jumps; a++)
        follow(j, &j->areas[a], &streams[a], first);
    for (uint32_t a = 0, alike; a < j->area_count; a += alike) {
        char *block = scratch + j->areas[a].at;
        size_t bytes = bytes_of(j, &j->areas[a], first, count);
        alike = count_alike(j, a);
        hd_remap_put_all(engine, &streams[a], alike, block,
                         alike > 1 ? j->areas[a + 1].at - j->areas[a].at : 0, bytes);
    }
}

static void apply_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    hd_remap_stream streams[HD_MAX_FIELDS];
    uint64_t begin = j->blocks * task / j->tasks, end = j->blocks * (task + 1) / j->tasks;
    for (uint32_t a = 0; a < j->area_count; a++)
        streams[a] = (hd_remap_stream){.to = target_of(j, &j->areas[a], begin * j->block)};
    for (uint64_t b = begin; b < end; b++) {
        uint64_t left = j->map->elements - b * j->block;
        apply_block(engine, j, streams, scratch, b * j->block, left < j->block ? left : j->block);
    }
    for (uint32_t a = 0; a < j->area_count; a++)
        hd_remap_end(&streams[a]);
}

/* ---- straight to the runs ------------------------------------------------------------------ */

/* Do all runs of a move go on alike, from tile to tile? */
static bool go_on_alike(const job *j, const move *m) {
    const hd_cluster_place *first = place_of(j, m->field);
    for (uint32_t k = 1; k < m->count; k++) {
        const hd_cluster_place *place = place_of(j, m->field + k);
        bool whole = first->tile >= j->map->elements && place->tile >= j->map->elements;
        if (!whole && (place->tile != first->tile || place->tile_bytes != first->tile_bytes))
            return false;
    }
    return true;
}

/* Do all runs of a move begin alike in their lines, and so do tiles? Then lines of all of them can
 * be written at once. */
static bool find_lines(const job *j, move *m) {
    const hd_map *map = j->map->layout;
    const hd_cluster_place *place = place_of(j, m->field);
    char *first = run_at(j, m->field, 0);
    size_t head = -(uintptr_t)first % HD_LINE;
    m->run = m->count > 1 ? (size_t)(run_at(j, m->field + 1, 0) - first) : HD_LINE;
    for (uint32_t k = 0; k < m->count; k++)
        if (run_at(j, m->field + k, 0) != first + k * m->run)
            return false;
    if (!go_on_alike(j, m))
        return false;
    if (place->tile < map->count &&
        (head || place->tile * m->bytes % HD_LINE || place->tile_bytes % HD_LINE))
        return false;
    m->head = head / m->bytes;
    return m->word >= 0 && map->fields[m->field].size == m->bytes && head % m->bytes == 0 &&
           m->run % HD_LINE == 0;
}

static void move_singly(const job *j, const move *m, uint64_t begin, uint64_t end) {
    size_t record = (size_t)j->map->element_bytes;
    for (uint32_t k = 0; k < m->count && begin < end; k++)
        hd_remap_copy_values(run_at(j, m->field + k, begin), m->bytes,
                             j->records + begin * record + m->offset + k * m->bytes, record,
                             m->bytes, (size_t)(end - begin));
}

/* Whole lines of runs, or of tiles one after another. */
static void move_tiles(const hd_remap_engine *engine, const job *j, const move *m, uint64_t begin,
                       uint64_t end) {
    const hd_cluster_place *place = place_of(j, m->field);
    bool whole = place->tile >= j->map->elements;
    size_t record = (size_t)j->map->element_bytes;
    uint64_t tile = whole ? end - begin : place->tile, first = whole ? 0 : begin % tile;
    const char *from = j->records + begin * record + m->offset;
    char *to = run_at(j, m->field, begin - first);
    for (uint64_t left = end - begin, count; left; left -= count, first = 0) {
        count = hd_remap_least(tile - first, left);
        engine->lanes->unzip_past[m->word](to + first * m->bytes, m->run, from, record,
                                           (size_t)count, m->count,
                                           j->records + j->map->source_bytes);
        from += count * record;
        to += place->tile_bytes;
    }
}

/* The lines that begin in a block. */
static void move_lines(const hd_remap_engine *engine, const job *j, const move *m, uint64_t block) {
    uint64_t all = j->map->elements, head = hd_remap_least(m->head, all),
             group = HD_LINE / m->bytes;
    uint64_t last = all - (all - head) % group;
    uint64_t begin = hd_remap_least(block * j->block + head, last);
    uint64_t end = hd_remap_least((block + 1) * j->block + head, last);
    if (begin < end)
        move_tiles(engine, j, m, begin, end);
    if (block == 0) {
        move_singly(j, m, 0, head);
        move_singly(j, m, last, all);
    }
}

static void lines_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    (void)scratch;
    for (uint64_t b = j->blocks * task / j->tasks; b < j->blocks * (task + 1) / j->tasks; b++)
        for (uint32_t m = 0; m < j->move_count; m++)
            move_lines(engine, j, &j->moves[m], b);
}

/* ---- back ---------------------------------------------------------------------------------- */

static void revert_from_run(const hd_remap_engine *engine, const job *j, const move *m, char *block,
                            uint64_t first, uint64_t count) {
    const char *from[HD_MAX_FIELDS];
    size_t record = (size_t)j->map->element_bytes;
    for (uint32_t k = 0; k < m->count; k++)
        from[k] = run_at(j, m->field + k, first);
    if (m->word >= 0)
        engine->lanes->zip[m->word](block + m->offset, record, from, 0, (size_t)count, m->count);
    else
        hd_remap_copy_values(block + m->offset, record, from[0],
                             j->map->layout->fields[m->field].size, m->bytes, (size_t)count);
}

static void revert_from_tiles(const hd_remap_engine *engine, const job *j, const move *m,
                              char *block, uint64_t first, uint64_t count) {
    const hd_cluster_place *place = place_of(j, m->field);
    const hd_field_place *field = &j->map->layout->fields[m->field];
    size_t record = (size_t)j->map->element_bytes;
    const char *from[HD_MAX_FIELDS];
    for (uint32_t k = 0; k < m->count; k++)
        from[k] = run_at(j, m->field + k, first);
    if (place->tile == 1) {
        hd_remap_copy_values(block + m->offset, record, from[0], (size_t)place->tile_bytes,
                             m->bytes, (size_t)count);
        return;
    }
    for (uint64_t i = 0; i < count; i += place->tile) {
        size_t rows = (size_t)(count - i < place->tile ? count - i : place->tile);
        size_t skipped = (size_t)(i / place->tile * place->tile_bytes);
        char *to = block + i * record + m->offset;
        if (m->word >= 0)
            engine->lanes->zip[m->word](to, record, from, skipped, rows, m->count);
        else
            hd_remap_copy_values(to, record, from[0] + skipped, field->size, m->bytes, rows);
    }
}

/* Is the cluster read in jumps, which processors don't foresee: some lines of a run, then some of
 * another? */
static bool is_read_in_jumps(const job *j, uint32_t number) {
    const hd_cluster *cluster = &j->map->layout->layout->clusters[number];
    uint64_t bytes = j->map->layout->clusters[number].tile_bytes;
    return cluster->tile != HD_TILE_SOA && cluster->tile > 1 && bytes > FOLLOWED_TILE &&
           bytes > cluster->count * HD_LINE;
}

/* The block from record `first` on, where it is read in jumps. */
static void ask_for_block(const job *j, uint64_t first) {
    uint64_t count = first < j->map->elements ? j->map->elements - first : 0;
    for (uint32_t a = 0; a < j->area_count && count; a++)
        if (is_read_in_jumps(j, j->areas[a].cluster))
            hd_remap_ask_for(target_of(j, &j->areas[a], first), 0, 1,
                             bytes_of(j, &j->areas[a], first, hd_remap_least(count, j->block)));
}

static void revert_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    uint64_t begin = j->blocks * task / j->tasks, end = j->blocks * (task + 1) / j->tasks;
    char *block = scratch + HD_LINE;
    hd_remap_stream stream = {.to = j->records + begin * j->block * j->map->element_bytes};
    for (uint64_t b = begin; b < end; b++) {
        uint64_t first = b * j->block, left = j->map->elements - first;
        uint64_t count = left < j->block ? left : j->block;
        ask_for_block(j, first + j->block);
        for (uint32_t m = 0; m < j->move_count; m++)
            if (is_long(j, j->map->layout->fields[j->moves[m].field].cluster))
                revert_from_run(engine, j, &j->moves[m], block, first, count);
            else
                revert_from_tiles(engine, j, &j->moves[m], block, first, count);
        hd_remap_put(engine, &stream, block, (size_t)(count * j->map->element_bytes));
    }
    hd_remap_end(&stream);
}

/* ---- straight from the runs ---------------------------------------------------------------- */

hd_remap_zip_fn *hd_remap_zip_of(const hd_remap_engine *engine, int word, uint64_t words) {
    if (!engine->streaming || word < 0)
        return NULL;
    if (words == 2 || words == 4 || words == 8 || words == 16)
        return engine->lanes->zip_past[word];
    bool few = words == 3 || (words > 4 && words < 8) || words == 12;
    return 1 << word == 4 && few ? engine->lanes->zip_places_past : NULL;
}

/* The vector function for whole records: one move of as many words as it takes, all side by side,
 * from runs or from tiles of whole lines. NULL: there is none. */
static hd_remap_zip_fn *find_rows(const hd_remap_engine *engine, const job *j) {
    const move *m = &j->moves[0];
    const hd_cluster_place *place = place_of(j, m->field);
    uint64_t words = m->count;
    if ((uintptr_t)j->records % HD_LINE || j->move_count != 1 || m->offset ||
        words * m->bytes != j->map->element_bytes || !go_on_alike(j, m))
        return NULL;
    if (place->tile < j->map->elements && place->tile * m->bytes % HD_LINE)
        return NULL;
    return hd_remap_zip_of(engine, m->word, words);
}

/* How records come back from tiles that are read in jumps: so many at once, while as many bytes are
 * asked for that far ahead. */
typedef struct pace {
    uint64_t rows; /* 0: all */
    size_t ahead;
} pace;

static pace pace_of(const job *j, const move *m) {
    const hd_cluster_place *place = place_of(j, m->field);
    size_t record = (size_t)j->map->element_bytes, tile = (size_t)place->tile_bytes;
    uint64_t group = HD_LINE / m->bytes;
    if (!is_read_in_jumps(j, j->map->layout->fields[m->field].cluster))
        return (pace){0, 0};
    return (pace){hd_remap_most(STEP_BYTES / record / group, 1) * group,
                  hd_remap_most(AHEAD_BYTES / tile, 1) * tile};
}

/* `count` rows of runs, or of a tile, whole lines, after the first `skipped` ones. */
static void zip_rows(hd_remap_zip_fn *zip, const job *j, pace p, char *to, const char *const *from,
                     uint64_t skipped, uint64_t count) {
    size_t bytes = j->moves[0].bytes, record = (size_t)j->map->element_bytes;
    if (!p.rows) {
        zip(to, from, (size_t)skipped * bytes, (size_t)count, j->moves[0].count);
        return;
    }
    for (uint64_t n; count; skipped += n, count -= n, to += n * record) {
        n = hd_remap_least(count, p.rows);
        hd_remap_ask_for(from[0] + p.ahead + skipped * record, 0, 1, (size_t)n * record);
        zip(to, from, (size_t)skipped * bytes, (size_t)n, j->moves[0].count);
    }
}

/* Records [begin, end) of runs, or of tiles one after another. */
static void move_rows(hd_remap_zip_fn *zip, const job *j, uint64_t begin, uint64_t end) {
    const move *m = &j->moves[0];
    const hd_cluster_place *place = place_of(j, m->field);
    const char *from[HD_MAX_FIELDS];
    bool runs = place->tile >= j->map->elements;
    size_t record = (size_t)j->map->element_bytes;
    uint64_t tile = runs ? j->map->elements : place->tile, group = HD_LINE / m->bytes;
    uint64_t first = begin % tile;
    pace p = pace_of(j, m);
    for (uint32_t k = 0; k < m->count; k++)
        from[k] = run_at(j, m->field + k, begin - first);
    for (uint64_t i = begin, count; i < end; i += count, first = 0) {
        count = hd_remap_least(tile - first, end - i);
        uint64_t whole = count - count % group;
        zip_rows(zip, j, p, j->records + i * record, from, first, whole);
        for (uint32_t k = 0; k < m->count && whole < count; k++)
            hd_remap_copy_values(j->records + (i + whole) * record + k * m->bytes, record,
                                 from[k] + (first + whole) * m->bytes, m->bytes, m->bytes,
                                 (size_t)(count - whole));
        for (uint32_t k = 0; k < m->count; k++)
            from[k] += place->tile_bytes;
    }
}

static void rows_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    uint64_t begin = j->blocks * task / j->tasks * j->block;
    uint64_t end = j->blocks * (task + 1) / j->tasks * j->block;
    (void)scratch;
    move_rows(find_rows(engine, j), j, begin, hd_remap_least(end, j->map->elements));
}

/* ---- both ---------------------------------------------------------------------------------- */

static job make_job(const hd_remap_engine *engine, const hd_remap *map, char *records,
                    char *const *parts) {
    job j = {.map = map, .records = records, .parts = parts};
    j.block = choose_block(map->layout->record);
    j.blocks = (map->elements + j.block - 1) / j.block;
    j.tasks = hd_remap_tasks(engine, j.blocks, map->source_bytes);
    list_moves(&j);
    list_areas(&j);
    return j;
}

hd_status hd_remap_apply_records(const hd_remap_engine *engine, const hd_remap *map,
                                 void *const to[], const char *from) {
    job j = make_job(engine, map, (char *)(uintptr_t)from, (char *const *)to);
    bool lines = engine->streaming;
    for (uint32_t m = 0; m < j.move_count && lines; m++)
        lines = find_lines(&j, &j.moves[m]);
    return hd_remap_run(engine, j.tasks, j.scratch_bytes, lines ? lines_task : apply_task, &j);
}

hd_status hd_remap_revert_records(const hd_remap_engine *engine, const hd_remap *map, char *to,
                                  const void *const from[]) {
    job j = make_job(engine, map, to, (char *const *)(uintptr_t)from);
    size_t bytes = HD_LINE + (size_t)(j.block * map->element_bytes);
    return hd_remap_run(engine, j.tasks, bytes, find_rows(engine, &j) ? rows_task : revert_task,
                        &j);
}
