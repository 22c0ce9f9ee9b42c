/*
 * Matrices: rows to columns, to diagonals, and in Morton order.
 *
 * A transpose moves word j of row i to place i of run j (host_panels.c). Short runs lie close
 * together: some of them are put in order, and streamed out as one; or go to whole lines, which
 * begin in one run and end in the next.
 *
 * Diagonals are transposes with slanted sides. Element (r, c) lies r * columns + c, and goes to
 * place r of strip d = r + c; seen from the strips, word d of row r lies r * (columns - 1) + d.
 * What differs is which rows of a word there are:
 *
 *                    word     its rows                      from row to row   from run to run
 *     transpose      column   0 to rows - 1                 columns           rows
 *     diagonal       strip    strip - columns + 1 to strip  columns - 1       rows
 *     and its back   row      row to row + columns - 1      rows              columns - 1
 */
#include <stdlib.h>

#include "remap/remap_host.h"

enum {
    SHORT_RUN = 1024, /* bytes */
    FEW_ROWS = 256,
    ZIP_BYTES = 128,    /* of a row for short runs */
    ALONG_BYTES = 256,  /* for those of whole lines */
    IMAGE_BYTES = 4096, /* of short runs that are put at once, about */
    SIDE = 64           /* of a block in Morton order */
};

typedef hd_remap_grid grid;

/* ---- short runs ---------------------------------------------------------------------------- */

typedef struct zipped {
    const grid *grid;
    const char **rows;             /* few; NULL: enough to fill lines of runs */
    uint64_t block, blocks, tasks; /* of words */
    uint64_t step;                 /* words that are put at once */
} zipped;

static void zip_words(const hd_remap_engine *engine, const zipped *z, char *image, uint64_t word,
                      uint64_t words) {
    const grid *g = z->grid;
    if (z->rows)
        engine->lanes->zip[g->word](image, g->run, z->rows, (size_t)word * g->bytes, (size_t)words,
                                    (size_t)g->rows);
    else if (g->word >= 0)
        engine->lanes->unzip[g->word](image, g->run, g->from + word * g->bytes, g->row,
                                      (size_t)g->rows, (size_t)words, g->end);
    for (uint64_t r = 0; r < g->rows && g->word < 0; r++)
        hd_remap_copy_values(image + r * g->bytes, g->run, g->from + r * g->row + word * g->bytes,
                             g->bytes, g->bytes, (size_t)words);
}

/* Up to `words` words from `word` on, which may be the end. */
static hd_remap_ahead words_ahead(const grid *g, uint64_t word, uint64_t words) {
    const char *from = g->from + word * g->bytes;
    size_t bytes = (size_t)hd_remap_least(words, g->words - word) * g->bytes;
    return (hd_remap_ahead){from, from + bytes, g->row, bytes, bytes ? (size_t)g->rows : 0};
}

/* Blocks, step by step, while the next one is prefetched. */
static void zip_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const zipped *z = user;
    const grid *g = z->grid;
    uint64_t word = z->blocks * task / z->tasks * z->block;
    uint64_t last = hd_remap_least(z->blocks * (task + 1) / z->tasks * z->block, g->words);
    hd_remap_ahead ahead;
    hd_remap_stream stream = {.to = g->to + word * g->run, .ahead = &ahead};
    while (word < last) {
        uint64_t end = hd_remap_least(word + z->block, g->words);
        ahead = words_ahead(g, end, z->block);
        for (uint64_t count; word < end; word += count) {
            count = hd_remap_least(end - word, z->step);
            zip_words(engine, z, scratch + REMAP_LINE, word, count);
            hd_remap_put(engine, &stream, scratch + REMAP_LINE, (size_t)count * g->run);
        }
    }
    hd_remap_end(&stream);
}

static hd_status zip_rows(const hd_remap_engine *engine, grid *g) {
    zipped z = {.grid = g};
    if (g->word >= 0 && g->rows * g->bytes < REMAP_LINE) {
        z.rows = malloc((size_t)g->rows * sizeof *z.rows);
        if (!z.rows)
            return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for the places of %u rows",
                           (unsigned)g->rows);
        for (uint64_t r = 0; r < g->rows; r++)
            z.rows[r] = g->from + r * g->row;
    }
    z.step = hd_remap_most(hd_remap_most(1, REMAP_LINE / g->bytes),
                           IMAGE_BYTES / g->run / REMAP_LINE * REMAP_LINE);
    z.block = hd_align_up(hd_remap_most(ZIP_BYTES / g->bytes, z.step), z.step);
    z.blocks = (g->words + z.block - 1) / z.block;
    z.tasks = hd_remap_tasks(engine, z.blocks, g->words * g->run);
    hd_status status =
        hd_remap_run(engine, z.tasks, 2 * REMAP_LINE + (size_t)(z.step * g->run), zip_task, &z);
    free(z.rows);
    return status;
}

/* ---- short runs of whole lines ------------------------------------------------------------- */

/* The lines that end in words [first, end). */
typedef struct along {
    const grid *grid;
    uint64_t first, end;
    uint64_t block, blocks, tasks; /* of words */
} along;

static void copy_words(const grid *g, uint64_t begin, uint64_t end) {
    for (uint64_t w = begin; w < end; w++)
        hd_remap_copy_values(g->to + w * g->run, g->bytes, g->from + w * g->bytes, g->row, g->bytes,
                             (size_t)g->rows);
}

/* Block by block, while the next one is prefetched. */
static void task_along(const hd_remap_engine *engine, void *user, uint64_t task, char *kept) {
    const along *a = user;
    const grid *g = a->grid;
    uint64_t begin = a->first + a->blocks * task / a->tasks * a->block;
    uint64_t end = a->first + a->blocks * (task + 1) / a->tasks * a->block;
    uint64_t group = REMAP_LINE / g->bytes;
    if (begin > 0)
        hd_remap_copy_values(kept, g->bytes,
                             g->from + (g->rows - group) * g->row + (begin - 1) * g->bytes, g->row,
                             g->bytes, (size_t)group);
    for (uint64_t word = begin, words; word < hd_remap_least(end, a->end); word += words) {
        words = hd_remap_least(a->end - word, a->block);
        hd_remap_ahead ahead = words_ahead(g, word + words, a->block);
        engine->lanes->unzip_along[g->word](kept, g->to + word * g->run, g->from + word * g->bytes,
                                            g->row, (size_t)g->rows, (size_t)words, &ahead);
    }
    if (task == 0)
        copy_words(g, 0, a->first);
    if (task == a->tasks - 1)
        copy_words(g, a->end - 1, g->words);
}

/* Words before the first whole line, and behind the last piece, are copied singly. */
static hd_status rows_along(const hd_remap_engine *engine, grid *g) {
    along a = {.grid = g, .block = ALONG_BYTES / g->bytes};
    uint64_t piece = REMAP_LINE / g->bytes;
    a.first = (uintptr_t)g->to % REMAP_LINE ? piece : 0;
    a.end = g->words - g->words % piece;
    a.blocks = (a.end - a.first + a.block - 1) / a.block;
    a.tasks = hd_remap_tasks(engine, a.blocks, g->words * g->run);
    return hd_remap_run(engine, a.tasks, REMAP_LINE, task_along, &a);
}

/* ---- Morton order -------------------------------------------------------------------------- */

typedef struct morton {
    const hd_remap *map;
    char *to;
    const char *from;
    bool back;
    uint64_t across, down; /* blocks */
    uint64_t of_row[SIDE], of_column[SIDE];
} morton;

static inline __attribute__((always_inline)) void move_block(const morton *m, size_t bytes,
                                                             uint64_t row, uint64_t column,
                                                             uint64_t rows, uint64_t columns) {
    uint64_t place = hd_remap_place_in_matrix(m->map, row, column);
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < columns; c++) {
            uint64_t there = (place | m->of_row[r] | m->of_column[c]) * bytes;
            uint64_t here = ((row + r) * m->map->columns + column + c) * bytes;
            memcpy(m->to + (m->back ? here : there), m->from + (m->back ? there : here), bytes);
        }
}

static void morton_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const morton *m = user;
    (void)engine;
    (void)scratch;
    uint64_t row = task * SIDE, rows = m->map->rows - row < SIDE ? m->map->rows - row : SIDE;
    for (uint64_t column = 0; column < m->map->columns; column += SIDE) {
        uint64_t left = m->map->columns - column, columns = left < SIDE ? left : SIDE;
        switch (m->map->element_bytes) {
        case 4: move_block(m, 4, row, column, rows, columns); break;
        case 8: move_block(m, 8, row, column, rows, columns); break;
        default: move_block(m, (size_t)m->map->element_bytes, row, column, rows, columns);
        }
    }
}

static hd_status move_morton(const hd_remap_engine *engine, const hd_remap *map, char *to,
                             const char *from, bool back) {
    morton m = {.map = map, .to = to, .from = from, .back = back};
    for (uint64_t i = 0; i < SIDE; i++) {
        m.of_row[i] = i < map->rows ? hd_remap_place_in_matrix(map, i, 0) : 0;
        m.of_column[i] = i < map->columns ? hd_remap_place_in_matrix(map, 0, i) : 0;
    }
    return hd_remap_run(engine, (map->rows + SIDE - 1) / SIDE, REMAP_LINE, morton_task, &m);
}

/* ---- all of them --------------------------------------------------------------------------- */

static hd_status transpose(const hd_remap_engine *engine, uint64_t rows, uint64_t columns,
                           size_t bytes, char *to, const char *from) {
    grid g = {.to = to,
              .from = from,
              .end = from + rows * columns * bytes,
              .run = (size_t)rows * bytes,
              .row = (size_t)columns * bytes,
              .bytes = bytes,
              .word = hd_remap_word(bytes),
              .words = columns,
              .rows = rows};
    if (rows <= FEW_ROWS && engine->streaming && g.word >= 0 &&
        engine->lanes->unzip_along[g.word] && g.run >= REMAP_LINE &&
        columns >= 2 * REMAP_LINE / bytes && (uintptr_t)to % 4 == 0)
        return rows_along(engine, &g);
    return g.run <= SHORT_RUN ? zip_rows(engine, &g) : hd_remap_move_grid(engine, &g);
}

static hd_status move_diagonal(const hd_remap_engine *engine, const hd_remap *map, char *to,
                               const char *from, bool back) {
    uint64_t rows = map->rows, columns = map->columns, strips = rows + columns - 1;
    size_t bytes = (size_t)map->element_bytes, long_step = (size_t)rows * bytes;
    size_t short_step = (size_t)(columns - 1) * bytes;
    grid g = {.to = to,
              .from = from,
              .end = from + (back ? map->bytes[0] : map->source_bytes),
              .run = back ? short_step : long_step,
              .row = back ? long_step : short_step,
              .bytes = bytes,
              .word = hd_remap_word(bytes),
              .words = back ? rows : strips,
              .rows = back ? strips : rows,
              .slanted = true,
              .before = back ? 0 : columns - 1,
              .length = columns};
    return hd_remap_move_grid(engine, &g);
}

hd_status hd_remap_move_matrix(const hd_remap_engine *engine, const hd_remap *map, char *to,
                               const char *from, bool back) {
    size_t bytes = (size_t)map->element_bytes;
    if (map->kind == HD_REMAP_MORTON)
        return move_morton(engine, map, to, from, back);
    if (map->kind == HD_REMAP_DIAGONAL)
        return move_diagonal(engine, map, to, from, back);
    return back ? transpose(engine, map->columns, map->rows, bytes, to, from)
                : transpose(engine, map->rows, map->columns, bytes, to, from);
}
