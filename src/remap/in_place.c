/*
 * Transposes within the memory that the matrix lies in; structs to `soa` are one, of as many rows
 * as a run has room for, and back again another.
 *
 * A square matrix is transposed by pairs of blocks. Another one is cut in chunks of `b` elements,
 * and transposed in two passes, each of which reads and writes everything once:
 *
 *     rows x columns, b divides rows            rows x columns, b divides columns
 *       each panel of b rows by itself:           chunks: rows x columns/b  ->  columns/b x rows
 *         b x columns  ->  columns x b            each panel of b columns by itself:
 *       chunks:                                     rows x b  ->  b x rows
 *         rows/b x columns  ->  columns x rows/b
 *
 * A panel fits the scratch. Chunks move along the cycles of their permutation (Windley,
 * "Transposing matrices in a digital computer", The Computer Journal, 1959, follows such cycles
 * element by element): a chunk's successor is known, so it is asked for early, and long cycles are
 * cut in pieces for the threads by keeping aside the chunks at the cuts.
 *
 * Where no b is good, some rows are kept aside, which leaves a number of rows that has one; a
 * third pass then makes room for them in every run.
 */
#include <stdlib.h>

#include "remap/host.h"

enum {
    SMALL_PANEL = 64 << 10,
    BLOCK_BYTES = 256, /* of a row of a square's block */
    LEAST_CHUNK = 64,  /* bytes */
    GOOD_CHUNK = 2048,
    PANEL_BYTES = 1 << 20, /* at most */
    AHEAD_BYTES = 4096,
    MOST_WORDS = 64, /* that are zipped */
    MOST_PIECES = 8  /* of a cycle, for each thread */
};

typedef struct matrix {
    char *data;
    uint64_t rows, columns;
    size_t bytes; /* of an element */
} matrix;

/* ---- a panel by itself --------------------------------------------------------------------- */

/* rows x columns elements at `data` to columns x rows, by way of `scratch`. */
static void transpose_panel(const hd_remap_engine *engine, const matrix *m, char *data,
                            char *scratch) {
    int word = hd_remap_word(m->bytes);
    size_t rows = (size_t)m->rows, columns = (size_t)m->columns;
    size_t row = columns * m->bytes, run = rows * m->bytes, all = rows * row;
    if (word >= 0 && rows <= MOST_WORDS && rows < columns) {
        const char *from[MOST_WORDS];
        for (size_t r = 0; r < rows; r++)
            from[r] = data + r * row;
        engine->lanes->zip[word](scratch, run, from, 0, columns, rows);
    } else if (word >= 0) {
        engine->lanes->unzip[word](scratch, run, data, row, rows, columns, data + all);
    } else {
        for (size_t c = 0; c < columns; c++)
            hd_remap_copy_values(scratch + c * run, m->bytes, data + c * m->bytes, row, m->bytes,
                                 rows);
    }
    memcpy(data, scratch, all);
}

typedef struct panels {
    matrix panel; /* of the first one */
    uint64_t count, tasks;
} panels;

static void panels_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const panels *p = user;
    size_t bytes = (size_t)(p->panel.rows * p->panel.columns) * p->panel.bytes;
    uint64_t begin = p->count * task / p->tasks, end = p->count * (task + 1) / p->tasks;
    for (uint64_t i = begin; i < end; i++)
        transpose_panel(engine, &p->panel, p->panel.data + i * bytes, scratch);
}

static hd_status transpose_panels(const hd_remap_engine *engine, matrix panel, uint64_t count) {
    size_t bytes = (size_t)(panel.rows * panel.columns) * panel.bytes;
    panels p = {panel, count, hd_remap_tasks(engine, count, count * bytes)};
    if (panel.rows == 1 || panel.columns == 1)
        return HD_OK;
    return hd_remap_run(engine, p.tasks, bytes, panels_task, &p);
}

/* ---- squares ------------------------------------------------------------------------------- */

typedef struct square {
    matrix all;
    uint64_t block, blocks; /* rows */
} square;

/* The block of rows from `row` and columns from `column` on, transposed, into `scratch`. */
static void fetch_block(const hd_remap_engine *engine, const square *s, char *scratch, uint64_t row,
                        uint64_t column) {
    size_t bytes = s->all.bytes, step = (size_t)s->all.columns * bytes;
    uint64_t rows = s->all.rows - row, columns = s->all.columns - column;
    const char *from = s->all.data + row * step + column * bytes;
    size_t run = (size_t)s->block * bytes;
    int word = hd_remap_word(bytes);
    rows = rows < s->block ? rows : s->block;
    columns = columns < s->block ? columns : s->block;
    if (word >= 0)
        engine->lanes->unzip[word](scratch, run, from, step, (size_t)rows, (size_t)columns,
                                   s->all.data + s->all.rows * step);
    else
        for (uint64_t c = 0; c < columns; c++)
            hd_remap_copy_values(scratch + c * run, bytes, from + c * bytes, step, bytes,
                                 (size_t)rows);
}

static void put_block(const square *s, const char *scratch, uint64_t row, uint64_t column) {
    size_t bytes = s->all.bytes, step = (size_t)s->all.columns * bytes;
    uint64_t rows = s->all.rows - row, columns = s->all.columns - column;
    rows = rows < s->block ? rows : s->block;
    columns = columns < s->block ? columns : s->block;
    for (uint64_t r = 0; r < rows; r++)
        memcpy(s->all.data + (row + r) * step + column * bytes, scratch + r * s->block * bytes,
               (size_t)columns * bytes);
}

/* A row of blocks left of the diagonal, and those that they change places with. */
static void square_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const square *s = user;
    char *other = scratch + s->block * s->block * s->all.bytes;
    /* Long rows and short ones by turns. */
    uint64_t i = task % 2 ? s->blocks - 1 - task / 2 : task / 2;
    for (uint64_t j = 0; j <= i; j++) {
        fetch_block(engine, s, scratch, i * s->block, j * s->block);
        if (j < i) {
            fetch_block(engine, s, other, j * s->block, i * s->block);
            put_block(s, other, i * s->block, j * s->block);
        }
        put_block(s, scratch, j * s->block, i * s->block);
    }
}

static hd_status transpose_square(const hd_remap_engine *engine, const matrix *m) {
    square s = {.all = *m, .block = m->bytes < BLOCK_BYTES / 16 ? BLOCK_BYTES / m->bytes : 16};
    s.blocks = (m->rows + s.block - 1) / s.block;
    return hd_remap_run(engine, s.blocks, (size_t)(2 * s.block * s.block) * m->bytes, square_task,
                        &s);
}

/* ---- chunks -------------------------------------------------------------------------------- */

/* Chunk number i * columns + j goes to number j * rows + i. */
typedef struct chunks {
    char *data;
    uint64_t rows, columns;
    size_t bytes;
    uint64_t *seen,
        *short_cycles; /* bits: chunks that a cycle has; those that short ones begin at */
    uint64_t longest;  /* piece */
    uint64_t piece_count, tasks;
    struct piece *pieces;
    char *kept; /* the chunks at the cuts */
} chunks;

/* Chunks from `hole` back to the one that goes where `next` was, which is kept aside. */
typedef struct piece {
    uint64_t hole, next_hole;
    const char *next;
} piece;

static inline bool has_bit(const uint64_t *bits, uint64_t i) { return bits[i / 64] >> i % 64 & 1; }
static inline void set_bit(uint64_t *bits, uint64_t i) { bits[i / 64] |= (uint64_t)1 << i % 64; }

/* The chunk that goes to `place`. */
static inline uint64_t source_of(const chunks *c, uint64_t place) {
    if (place <= UINT32_MAX && c->rows <= UINT32_MAX && c->columns <= UINT32_MAX) {
        uint32_t rows = (uint32_t)c->rows, number = (uint32_t)place;
        return (uint64_t)(number % rows) * c->columns + number / rows;
    }
    return place % c->rows * c->columns + place / c->rows;
}

static void ask_for(const chunks *c, uint64_t chunk) {
    for (size_t line = 0; line < c->bytes; line += HD_LINE)
        __builtin_prefetch(c->data + chunk * c->bytes + line, 1);
}

/* Fills the hole from behind, and so on, until the chunk is kept aside that comes next. */
static void move_piece(const chunks *c, const piece *p) {
    uint64_t hole = p->hole, ahead = hole;
    for (size_t asked = 0; asked < AHEAD_BYTES; asked += c->bytes)
        ask_for(c, ahead = source_of(c, ahead));
    for (uint64_t from; (from = source_of(c, hole)) != p->next_hole; hole = from) {
        ask_for(c, ahead = source_of(c, ahead));
        memcpy(c->data + hole * c->bytes, c->data + from * c->bytes, c->bytes);
    }
    memcpy(c->data + hole * c->bytes, p->next, c->bytes);
}

/* Pieces of long cycles come first, then parts of the bits of short ones. */
static void chunks_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const chunks *c = user;
    (void)engine;
    if (task < c->piece_count) {
        move_piece(c, &c->pieces[task]);
        return;
    }
    uint64_t parts = c->tasks - c->piece_count, part = task - c->piece_count;
    uint64_t words = (c->rows * c->columns + 63) / 64;
    for (uint64_t w = words * part / parts; w < words * (part + 1) / parts; w++)
        for (uint64_t bits = c->short_cycles[w]; bits; bits &= bits - 1) {
            uint64_t start = w * 64 + (uint64_t)__builtin_ctzll(bits);
            memcpy(scratch, c->data + start * c->bytes, c->bytes);
            move_piece(c, &(piece){start, start, scratch});
        }
}

/* Cuts a long cycle, keeping aside the chunks at the cuts. */
static void cut_cycle(chunks *c, uint64_t start, uint64_t length) {
    uint64_t count = (length + c->longest - 1) / c->longest, at = start, done = 0;
    for (uint64_t k = 0; k < count; k++) {
        piece *p = &c->pieces[c->piece_count + k];
        char *kept = c->kept + (c->piece_count + k) * c->bytes;
        p->hole = at;
        memcpy(kept, c->data + at * c->bytes, c->bytes);
        piece *before = &c->pieces[c->piece_count + (k ? k - 1 : count - 1)];
        before->next_hole = at;
        before->next = kept;
        for (; done < length * (k + 1) / count; done++)
            at = source_of(c, at);
    }
    c->piece_count += count;
}

/* Finds every cycle. */
static void find_cycles(chunks *c) {
    for (uint64_t start = 0; start < c->rows * c->columns; start++) {
        if (has_bit(c->seen, start) || source_of(c, start) == start)
            continue;
        uint64_t length = 0, at = start;
        do {
            set_bit(c->seen, at);
            at = source_of(c, at);
            length++;
        } while (at != start);
        if (length > c->longest)
            cut_cycle(c, start, length);
        else
            set_bit(c->short_cycles, start);
    }
}

static hd_status transpose_chunks(const hd_remap_engine *engine, char *data, uint64_t rows,
                                  uint64_t columns, size_t bytes) {
    uint64_t count = rows * columns, pieces = (uint64_t)engine->threads * MOST_PIECES;
    size_t words = (size_t)(count / 64 + 1);
    chunks c = {.data = data, .rows = rows, .columns = columns, .bytes = bytes};
    if (rows == 1 || columns == 1)
        return HD_OK;
    c.longest = count / pieces + 1;
    c.seen = calloc(2 * words, sizeof *c.seen);
    c.pieces = malloc((size_t)(2 * pieces) * sizeof *c.pieces); /* each is over half as long */
    c.kept = malloc((size_t)(2 * pieces) * bytes);
    hd_status status = HD_OK;
    if (!c.seen || !c.pieces || !c.kept)
        status =
            hd_fail(engine->diag, HD_ESYSTEM, NULL,
                    "no memory for the cycles of %zu chunks of %zu bytes", (size_t)count, bytes);
    if (status == HD_OK) {
        c.short_cycles = c.seen + words;
        find_cycles(&c);
        c.tasks = c.piece_count + pieces;
        status = hd_remap_run(engine, c.tasks, bytes, chunks_task, &c);
    }
    free(c.seen);
    free(c.pieces);
    free(c.kept);
    return status;
}

/* ---- two passes ---------------------------------------------------------------------------- */

/* The largest divisor of `length` such that chunks of so many elements have GOOD_CHUNK bytes or
 * little more, and panels of `across` elements times it at most `panel`. */
static uint64_t divisor_within(uint64_t length, uint64_t across, size_t bytes, uint64_t panel) {
    uint64_t best = 1;
    for (uint64_t b = 1; b * bytes <= 2 * GOOD_CHUNK && b * across * bytes <= panel; b++)
        if (length % b == 0)
            best = b;
    return best;
}

/* Small panels are transposed faster, if only chunks have some lines. */
static uint64_t best_divisor(uint64_t length, uint64_t across, size_t bytes) {
    uint64_t best = divisor_within(length, across, bytes, SMALL_PANEL);
    return best * bytes >= GOOD_CHUNK / 8 ? best
                                          : divisor_within(length, across, bytes, PANEL_BYTES);
}

static bool divides_well(const matrix *m) {
    uint64_t of_rows = best_divisor(m->rows, m->columns, m->bytes);
    uint64_t of_columns = best_divisor(m->columns, m->rows, m->bytes);
    return m->rows == m->columns ||
           (of_rows > of_columns ? of_rows : of_columns) * m->bytes >= LEAST_CHUNK;
}

static hd_status transpose_whole(const hd_remap_engine *engine, const matrix *m) {
    if (m->rows == m->columns)
        return transpose_square(engine, m);
    uint64_t of_rows = best_divisor(m->rows, m->columns, m->bytes);
    uint64_t of_columns = best_divisor(m->columns, m->rows, m->bytes);
    if (of_rows >= of_columns) {
        matrix panel = {m->data, of_rows, m->columns, m->bytes};
        uint64_t count = m->rows / of_rows;
        hd_status status = transpose_panels(engine, panel, count);
        return status == HD_OK ? transpose_chunks(engine, m->data, count, m->columns,
                                                  (size_t)of_rows * m->bytes)
                               : status;
    }
    uint64_t count = m->columns / of_columns;
    matrix panel = {m->data, m->rows, of_columns, m->bytes};
    hd_status status =
        transpose_chunks(engine, m->data, m->rows, count, (size_t)of_columns * m->bytes);
    return status == HD_OK ? transpose_panels(engine, panel, count) : status;
}

/* ---- three passes -------------------------------------------------------------------------- */

/* The chunk, in elements, that the length is cut down to a multiple of. */
static uint64_t forced_chunk(uint64_t across, size_t bytes) {
    uint64_t chunk = 1;
    while (chunk * bytes < GOOD_CHUNK / 2 && 2 * chunk * across * bytes <= PANEL_BYTES)
        chunk *= 2;
    return chunk;
}

/* Runs of `length` bytes that lie one after another to every `run` bytes, or back. */
static void spread_runs(char *data, uint64_t runs, size_t length, size_t run, bool back) {
    for (uint64_t k = 0; k < runs; k++) {
        uint64_t r = back ? k : runs - 1 - k;
        memmove(data + r * (back ? length : run), data + r * (back ? run : length), length);
    }
}

/* Rows from `first` on are kept in `kept`, column by column. */
static void keep_rows(const matrix *m, uint64_t first, char *kept) {
    uint64_t rows = m->rows - first;
    for (uint64_t c = 0; c < m->columns; c++)
        hd_remap_copy_values(kept + c * rows * m->bytes, m->bytes,
                             m->data + (first * m->columns + c) * m->bytes,
                             (size_t)m->columns * m->bytes, m->bytes, (size_t)rows);
}

/* To columns of `run` bytes, of which the rows fill the first ones. */
static hd_status transpose_to_runs(const hd_remap_engine *engine, const matrix *m, size_t run) {
    uint64_t chunk = forced_chunk(m->columns, m->bytes), rest = m->rows % chunk;
    size_t kept_bytes = (size_t)rest * m->bytes;
    matrix most = {m->data, m->rows - rest, m->columns, m->bytes};
    char *kept = malloc((size_t)m->columns * kept_bytes + 1);
    if (!kept)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %zu rows", (size_t)rest);
    keep_rows(m, most.rows, kept);
    hd_status status = most.rows ? transpose_whole(engine, &most) : HD_OK;
    size_t length = (size_t)most.rows * m->bytes;
    if (status == HD_OK) {
        spread_runs(m->data, m->columns, length, run, false);
        for (uint64_t c = 0; c < m->columns; c++)
            memcpy(m->data + c * run + length, kept + c * kept_bytes, kept_bytes);
    }
    free(kept);
    return status;
}

/* The way back: rows of `run` bytes each, of which the columns fill the first ones. */
static hd_status transpose_from_runs(const hd_remap_engine *engine, const matrix *m, size_t run) {
    uint64_t chunk = forced_chunk(m->rows, m->bytes), rest = m->columns % chunk;
    size_t kept_bytes = (size_t)rest * m->bytes, length = (size_t)(m->columns - rest) * m->bytes;
    matrix most = {m->data, m->rows, m->columns - rest, m->bytes};
    char *kept = malloc((size_t)m->rows * kept_bytes + 1);
    if (!kept)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %zu columns", (size_t)rest);
    for (uint64_t r = 0; r < m->rows; r++)
        for (uint64_t i = 0; i < rest; i++)
            memcpy(kept + (i * m->rows + r) * m->bytes, m->data + r * run + length + i * m->bytes,
                   m->bytes);
    spread_runs(m->data, m->rows, length, run, true);
    hd_status status = most.columns ? transpose_whole(engine, &most) : HD_OK;
    if (status == HD_OK)
        memcpy(m->data + m->rows * length, kept, (size_t)m->rows * kept_bytes);
    free(kept);
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
    uint32_t word = word_of_soa(map);
    if (map->kind == HD_REMAP_TRANSPOSE)
        return map->source_bytes;
    return word ? map->layout->record->field_count * (uint64_t)run_of(map, word) : 0;
}

/* The matrix that applying the map transposes; `run` bytes from one run to the next. */
static matrix matrix_of(const hd_remap *map, void *data, size_t *run) {
    uint32_t word = word_of_soa(map);
    if (!word) {
        *run = (size_t)(map->rows * map->element_bytes);
        return (matrix){data, map->rows, map->columns, (size_t)map->element_bytes};
    }
    *run = run_of(map, word);
    uint64_t rows =
        *run % word ? map->elements : *run / word; /* with what is behind the last one */
    return (matrix){data, rows, map->layout->record->field_count, word};
}

static hd_status transpose(const hd_remap_engine *engine, const matrix *m, size_t run) {
    bool gaps = run != m->rows * m->bytes;
    if (!gaps && divides_well(m))
        return transpose_whole(engine, m);
    if (gaps || forced_chunk(m->columns, m->bytes) >= forced_chunk(m->rows, m->bytes))
        return transpose_to_runs(engine, m, run);
    return transpose_from_runs(engine, m, (size_t)m->columns * m->bytes);
}

static hd_status transpose_back(const hd_remap_engine *engine, const matrix *m, size_t run) {
    matrix back = {m->data, m->columns, m->rows, m->bytes};
    if (run != m->rows * m->bytes)
        return transpose_from_runs(engine, &back, run);
    return transpose(engine, &back, (size_t)back.rows * back.bytes);
}

/* A panel or two blocks; what is kept aside; two bits for each chunk. */
uint64_t hd_remap_in_place_scratch(const hd_remap *map) {
    size_t run;
    uint64_t bytes = hd_remap_in_place_bytes(map);
    matrix m = matrix_of(map, NULL, &run);
    if (!bytes)
        return 0;
    uint64_t element = m.bytes > GOOD_CHUNK ? m.bytes : GOOD_CHUNK;
    uint64_t chunk = m.bytes > LEAST_CHUNK ? m.bytes : LEAST_CHUNK;
    uint64_t narrow = m.rows < m.columns ? m.rows : m.columns;
    if (narrow * chunk > PANEL_BYTES)
        chunk = m.bytes;
    return 2 * PANEL_BYTES + (2 * MOST_PIECES + 2 * 16 * 16) * element + bytes / chunk / 4 + 4096;
}

typedef hd_status transpose_fn(const hd_remap_engine *engine, const matrix *m, size_t run);

static hd_status remap_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                const hd_remap_host_options *options, transpose_fn *move) {
    hd_remap_engine engine;
    size_t run;
    uint64_t bytes = hd_remap_in_place_bytes(map);
    if (!bytes)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "only transposes, and structs of fields of one size to `soa`, are remapped "
                       "in place; use hd_remap_apply() or hd_remap_revert()");
    if (!data)
        return hd_fail(diag, HD_EINPUT, NULL, "there is no memory (NULL) for the data");
    hd_status status = hd_remap_engine_of(diag, options, 2 * bytes, &engine);
    matrix m = matrix_of(map, data, &run);
    if (status != HD_OK || m.columns == 1 || (m.rows == 1 && run == m.bytes))
        return status; /* nothing moves */
    return move(&engine, &m, run);
}

hd_status hd_remap_apply_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                  const hd_remap_host_options *options) {
    return remap_in_place(diag, map, data, options, transpose);
}

hd_status hd_remap_revert_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                   const hd_remap_host_options *options) {
    return remap_in_place(diag, map, data, options, transpose_back);
}
