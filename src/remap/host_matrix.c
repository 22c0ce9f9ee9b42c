/*
 * Matrices: rows to columns, to diagonals, and in Morton order.
 *
 * A transpose moves word j of row i to place i of run j. It is done in panels of some words, two
 * pages wide, so that few pages are looked up often. Where runs begin with lines, words go straight
 * to them. Elsewhere a panel is crossed in strips, block by block down the rows: a strip's rows are
 * copied side by side, since rows that lie a power of two apart would push each other out of the
 * caches, while those of the next strip are asked for. From there its words go to one area for
 * each run, which is streamed out.
 *
 * Diagonals are transposes with slanted sides. Element (r, c) lies r * columns + c, and goes to
 * place r of strip d = r + c; seen from the strips, word d of row r lies r * (columns - 1) + d.
 * What differs is which rows of a word there are:
 *
 *                    word     its rows                      from row to row   from run to run
 *     transpose      column   0 to rows - 1                 columns           rows
 *     diagonal       strip    strip - columns + 1 to strip  columns - 1       rows
 *     and its back   row      row to row + columns - 1      rows              columns - 1
 *
 * A panel is transposed where all its words have rows; the corners are moved one by one.
 *
 * Where runs are short, the transpose's other side is a record of `rows` words, and moved so.
 */
#include <stdlib.h>

#include "remap/host.h"

enum {
    PANEL_BYTES = 8192, /* of a row: long enough for the processor to see a stream */
    PANEL_WORDS = 4096,
    STRIP_BYTES = 512, /* of a row */
    BLOCK_BYTES = 256, /* of a run */
    SHORT_RUN = 512,   /* bytes */
    ZIPPED_BYTES = 16 << 10,
    ROW_BYTES = 256, /* of a row for a block of short runs, at least */
    PIECE = 16,      /* words that are read at once, at most */
    SIDE = 64        /* of a block in Morton order */
};

typedef struct grid {
    char *to;
    const char *from, *end; /* of what may be read */
    size_t run, row;        /* bytes from one to the next */
    size_t bytes;           /* of a word */
    int word;               /* which of the sizes of words, -1: none */
    uint64_t words, rows;
    uint64_t before, length; /* word j has rows j - before to j - before + length - 1 of them */
    bool slanted;            /* else all rows */
    uint64_t panel, block;   /* words, rows */
    uint64_t across;         /* words of a strip of a block */
    uint64_t panels, pieces; /* tasks: panels times pieces of the rows */
} grid;

typedef struct range {
    uint64_t begin, end;
} range;

/* ---- panels -------------------------------------------------------------------------------- */

static range rows_of(const grid *g, uint64_t word, range piece) {
    range rows = piece;
    if (!g->slanted)
        return rows;
    uint64_t begin = word > g->before ? word - g->before : 0;
    uint64_t end = word + g->length > g->before ? word + g->length - g->before : 0;
    rows.begin = begin > rows.begin ? begin : rows.begin;
    rows.end = end < rows.end ? end : rows.end;
    return rows;
}

static size_t area_bytes(const grid *g) {
    return (size_t)hd_align_up(g->block * g->bytes, HD_LINE) + HD_LINE;
}

/* Some rows of some words, in a block. */
typedef struct strip {
    uint64_t word, words;
    range rows;
} strip;

static size_t staged_row(const grid *g) {
    return (size_t)hd_align_up(g->across * g->bytes, HD_LINE) + HD_LINE;
}

/* Copies the strip's rows side by side. */
static void stage(const grid *g, const strip *s, char *rows) {
    size_t bytes = (size_t)s->words * g->bytes;
    const char *from = g->from + s->rows.begin * g->row + s->word * g->bytes;
    for (uint64_t r = s->rows.begin; r < s->rows.end; r++, from += g->row, rows += staged_row(g))
        memcpy(rows, from, bytes);
}

/* Asks for the strip's rows. */
static void ask_for(const grid *g, const strip *s) {
    const char *from = g->from + s->rows.begin * g->row + s->word * g->bytes;
    for (uint64_t r = s->rows.begin; r < s->rows.end; r++, from += g->row)
        for (size_t line = 0; line < s->words * g->bytes; line += HD_LINE)
            __builtin_prefetch(from + line, 0, 2);
}

/* A strip to its areas. */
static void collect(const hd_remap_engine *engine, const grid *g, const strip *s, char *areas,
                    char *rows) {
    size_t count = (size_t)(s->rows.end - s->rows.begin), row = staged_row(g);
    stage(g, s, rows);
    if (g->word >= 0) {
        engine->lanes->unzip[g->word](areas, area_bytes(g), rows, row, count, (size_t)s->words,
                                      rows + count * row);
        return;
    }
    for (uint64_t w = 0; w < s->words; w++)
        hd_remap_copy_values(areas + w * area_bytes(g), g->bytes, rows + w * g->bytes, row,
                             g->bytes, count);
}

static void move_singly(const grid *g, uint64_t word, range rows) {
    if (rows.begin < rows.end)
        hd_remap_copy_values(g->to + word * g->run + rows.begin * g->bytes, g->bytes,
                             g->from + rows.begin * g->row + word * g->bytes, g->row, g->bytes,
                             (size_t)(rows.end - rows.begin));
}

/* The rows of `rows` that fill lines of all runs, where the runs begin and end alike in lines;
 * none: they don't. */
static range rows_in_lines(const hd_remap_engine *engine, const grid *g, range rows) {
    char *to = g->to + rows.begin * g->bytes;
    size_t head = -(uintptr_t)to % HD_LINE, group = HD_LINE / g->bytes;
    range whole = {rows.begin + head / g->bytes, rows.end};
    if (!engine->streaming || g->word < 0 || g->run % HD_LINE || head % g->bytes ||
        whole.begin >= rows.end || rows.end - whole.begin < group)
        return (range){0, 0};
    whole.end -= (whole.end - whole.begin) % group;
    return whole;
}

/* Rows straight to their runs, whose lines they fill. */
static void put_lines(const hd_remap_engine *engine, const grid *g, uint64_t word, uint64_t words,
                      range rows) {
    engine->lanes->unzip_past[g->word](g->to + word * g->run + rows.begin * g->bytes, g->run,
                                       g->from + rows.begin * g->row + word * g->bytes, g->row,
                                       (size_t)(rows.end - rows.begin), (size_t)words, g->end);
}

/* A panel on its way. */
typedef struct panel {
    const hd_remap_engine *engine;
    const grid *grid;
    uint64_t word, words;
    hd_remap_stream *streams;
    char *areas, *rows;
} panel;

static void move_strip(const panel *p, const strip *s) {
    const grid *g = p->grid;
    collect(p->engine, g, s, p->areas, p->rows);
    hd_remap_put_all(p->engine, p->streams + (s->word - p->word), (size_t)s->words, p->areas,
                     area_bytes(g), (size_t)(s->rows.end - s->rows.begin) * g->bytes);
}

/* The strip after `s` among rows [.., end) of the panel; without rows: there is none. */
static strip next_strip(const panel *p, strip s, uint64_t end) {
    const grid *g = p->grid;
    s.word += s.words;
    if (s.word == p->word + p->words) {
        s.word = p->word;
        s.rows.begin = s.rows.end;
        s.rows.end = end - s.rows.begin < g->block ? end : s.rows.begin + g->block;
    }
    uint64_t left = p->word + p->words - s.word;
    s.words = left < g->across ? left : g->across;
    return s;
}

static void move_strips(const panel *p, range rows) {
    strip none = {p->word + p->words, 0, {rows.begin, rows.begin}};
    for (strip s = next_strip(p, none, rows.end), next; s.rows.begin < s.rows.end; s = next) {
        next = next_strip(p, s, rows.end);
        ask_for(p->grid, &next);
        move_strip(p, &s);
    }
}

/* Rows that all words of the panel have. */
static void move_panel(const hd_remap_engine *engine, const grid *g, char *scratch, uint64_t word,
                       uint64_t words, range rows) {
    hd_remap_stream *streams = (hd_remap_stream *)(void *)scratch;
    char *areas = scratch + hd_align_up(g->panel * sizeof *streams, HD_LINE) + HD_LINE;
    panel p = {engine, g, word, words, streams, areas, areas + g->across * area_bytes(g)};
    range lines = rows_in_lines(engine, g, rows);
    if (lines.begin < lines.end) {
        put_lines(engine, g, word, words, lines);
        for (uint64_t w = word; w < word + words; w++) {
            move_singly(g, w, (range){rows.begin, lines.begin});
            move_singly(g, w, (range){lines.end, rows.end});
        }
        return;
    }
    for (uint64_t w = 0; w < words; w++)
        streams[w] = (hd_remap_stream){.to = g->to + (word + w) * g->run + rows.begin * g->bytes};
    move_strips(&p, rows);
    for (uint64_t w = 0; w < words; w++)
        hd_remap_end(&streams[w]);
}

static void panel_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const grid *g = user;
    uint64_t word = task / g->pieces * g->panel, piece = task % g->pieces;
    uint64_t words = g->words - word < g->panel ? g->words - word : g->panel;
    uint64_t blocks = (g->rows + g->block - 1) / g->block;
    range rows = {blocks * piece / g->pieces * g->block,
                  blocks * (piece + 1) / g->pieces * g->block};
    rows.end = rows.end < g->rows ? rows.end : g->rows;
    range all = {rows_of(g, word + words - 1, rows).begin, rows_of(g, word, rows).end};
    if (all.begin < all.end)
        move_panel(engine, g, scratch, word, words, all);
    else
        all = (range){rows.end, rows.end};
    for (uint64_t w = word; w < word + words && g->slanted; w++) {
        range own = rows_of(g, w, rows);
        move_singly(g, w, (range){own.begin, own.end < all.begin ? own.end : all.begin});
        move_singly(g, w, (range){own.begin > all.end ? own.begin : all.end, own.end});
    }
}

static uint64_t at_least(uint64_t least, uint64_t value) { return value < least ? least : value; }

static hd_status move_grid(const hd_remap_engine *engine, grid *g) {
    uint64_t bytes = g->words * g->rows * g->bytes;
    g->word = hd_remap_word(g->bytes);
    uint64_t most = at_least(4, PANEL_BYTES / g->bytes);
    most = most < PANEL_WORDS ? most : PANEL_WORDS;
    g->panels = (g->words + most - 1) / most;
    g->panel = hd_align_up((g->words + g->panels - 1) / g->panels, PIECE);
    g->panels = (g->words + g->panel - 1) / g->panel;
    g->block = at_least(4, BLOCK_BYTES / g->bytes);
    g->across = at_least(4, STRIP_BYTES / g->bytes);
    g->across = g->across < g->panel ? g->across : g->panel;
    uint64_t tasks = hd_remap_tasks(engine, g->rows / g->block + 1, bytes);
    g->pieces = g->panels < tasks ? tasks : 1;
    size_t scratch = (size_t)hd_align_up(g->panel * sizeof(hd_remap_stream), HD_LINE) + HD_LINE +
                     (size_t)g->across * area_bytes(g) + (size_t)g->block * staged_row(g);
    return hd_remap_run(engine, g->panels * g->pieces, scratch, panel_task, g);
}

/* ---- short runs ---------------------------------------------------------------------------- */

typedef struct zipped {
    const grid *grid;
    const char **rows;
    uint64_t block, blocks, tasks; /* of words */
} zipped;

static void zip_block(const hd_remap_engine *engine, const zipped *z, char *block, uint64_t word,
                      uint64_t words) {
    const grid *g = z->grid;
    if (g->word >= 0) {
        engine->lanes->zip[g->word](block, g->run, z->rows, (size_t)word * g->bytes, (size_t)words,
                                    (size_t)g->rows);
        return;
    }
    for (uint64_t r = 0; r < g->rows; r++)
        hd_remap_copy_values(block + r * g->bytes, g->run, z->rows[r] + word * g->bytes, g->bytes,
                             g->bytes, (size_t)words);
}

static void zip_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const zipped *z = user;
    const grid *g = z->grid;
    char *block = scratch + HD_LINE;
    uint64_t begin = z->blocks * task / z->tasks, end = z->blocks * (task + 1) / z->tasks;
    hd_remap_stream stream = {.to = g->to + begin * z->block * g->run};
    for (uint64_t b = begin; b < end; b++) {
        uint64_t word = b * z->block, left = g->words - word;
        uint64_t words = left < z->block ? left : z->block;
        zip_block(engine, z, block, word, words);
        hd_remap_put(engine, &stream, block, (size_t)words * g->run);
    }
    hd_remap_end(&stream);
}

static hd_status zip_rows(const hd_remap_engine *engine, grid *g) {
    zipped z = {.grid = g, .rows = malloc((size_t)g->rows * sizeof *z.rows)};
    if (!z.rows)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for the places of %u rows",
                       (unsigned)g->rows);
    g->word = hd_remap_word(g->bytes);
    for (uint64_t r = 0; r < g->rows; r++)
        z.rows[r] = g->from + r * g->row;
    z.block = at_least(ROW_BYTES / g->bytes, ZIPPED_BYTES / g->run);
    z.block = hd_align_up(z.block, HD_LINE);
    z.blocks = (g->words + z.block - 1) / z.block;
    z.tasks = hd_remap_tasks(engine, z.blocks, g->words * g->run);
    hd_status status =
        hd_remap_run(engine, z.tasks, HD_LINE + (size_t)(z.block * g->run), zip_task, &z);
    free(z.rows);
    return status;
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
        case 4:
            move_block(m, 4, row, column, rows, columns);
            break;
        case 8:
            move_block(m, 8, row, column, rows, columns);
            break;
        default:
            move_block(m, (size_t)m->map->element_bytes, row, column, rows, columns);
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
    return hd_remap_run(engine, (map->rows + SIDE - 1) / SIDE, HD_LINE, morton_task, &m);
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
              .words = columns,
              .rows = rows};
    return g.run <= SHORT_RUN ? zip_rows(engine, &g) : move_grid(engine, &g);
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
              .words = back ? rows : strips,
              .rows = back ? strips : rows,
              .slanted = true,
              .before = back ? 0 : columns - 1,
              .length = columns};
    return move_grid(engine, &g);
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
