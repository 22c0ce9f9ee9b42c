/*
 * Matrices: rows to columns, to diagonals, and in Morton order.
 *
 * A transpose moves word j of row i to place i of run j. It is done in panels of some words.
 *
 * Where runs begin with lines, words go straight to them, and long panels are read as fast as
 * memory gives them. Where runs begin anywhere in their lines, a line of a run is put together from
 * two lines of rows, and panels are narrow: they are crossed block by block down the rows, and
 * while one block is put, the next one is asked for, row by row, into the second-level cache. That
 * holds for narrow matrices, too, and for bytes, whose panels have too many runs otherwise.
 *
 * Where lines can't be written so (small data, which stays in the caches; words of other sizes),
 * a panel is crossed in strips: a strip's rows are copied side by side, since rows that lie a power
 * of two apart would push each other out of the caches, and from there its words go to one area
 * for each run, which is streamed out.
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
 * Short runs lie close together: some of them are put in order, and streamed out as one.
 */
#include <stdlib.h>

#include "remap/host.h"

enum {
    LONG_PANEL = 8192, /* bytes of a row: long enough for the processor to see a stream */
    PANEL_BYTES = 1024,
    NARROW_BYTES = 2048, /* of whole rows */
    BYTES_PANEL = 512,   /* of words of a byte */
    PANEL_WORDS = 4096,
    CACHED_BYTES = 128 << 10, /* of a panel's block */
    LINES_BYTES = 64 << 10,   /* of one whose lines are put at once */
    MOST_OF_RUN = 8192,       /* bytes that a block has */
    STRIP_BYTES = 512,        /* of a row */
    BLOCK_BYTES = 256,        /* of a run */
    SHORT_RUN = 1024,         /* bytes */
    ROW_BYTES = 512,          /* of a row for short runs */
    IMAGE_BYTES = 4096,       /* of short runs that are put at once */
    PIECE = 16,               /* bytes of a row that are read at once, and words at most */
    SIDE = 64                 /* of a block in Morton order */
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
    uint64_t panel;          /* words */
    bool asks;               /* for the next block while one is put */
    uint64_t down, step;     /* rows of such a block, words that are put at once */
    uint64_t block, strip;   /* where panels are crossed in strips: rows, words */
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
    return (size_t)hd_align_up(g->strip * g->bytes, HD_LINE) + HD_LINE;
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

/* Words of a panel whose runs are written straight: lines of all of them at once, or of each where
 * it begins them. */
typedef struct runs {
    const hd_remap_engine *engine;
    const grid *grid;
    uint64_t word, words;
    range rows;
    hd_remap_carry *across; /* NULL: they begin alike */
    char *kept;
} runs;

static const char *row_at(const runs *p, uint64_t row) {
    return p->grid->from + row * p->grid->row + p->word * p->grid->bytes;
}

static void ask_for_rows(const runs *p, uint64_t begin, uint64_t end) {
    size_t bytes = (size_t)p->words * p->grid->bytes;
    for (uint64_t r = begin; r < end && r < p->rows.end; r++)
        for (size_t line = 0; line < bytes; line += HD_LINE)
            __builtin_prefetch(row_at(p, r) + line, 0, 2);
}

/* Some words of a block. */
static void put_words(const runs *p, uint64_t first, uint64_t words, range rows) {
    const grid *g = p->grid;
    const hd_remap_lanes *lanes = p->engine->lanes;
    const char *from = row_at(p, rows.begin) + first * g->bytes;
    size_t count = (size_t)(rows.end - rows.begin);
    if (p->across)
        lanes->unzip_across[g->word](p->across + first, p->kept + first * HD_LINE,
                                     (rows.begin - p->rows.begin) * g->bytes, from, g->row, count,
                                     (size_t)words, g->end);
    else
        lanes->unzip_past[g->word](g->to + (p->word + first) * g->run + rows.begin * g->bytes,
                                   g->run, from, g->row, count, (size_t)words, g->end);
}

/* Block by block, while the next one is asked for. */
static void put_blocks(const runs *p) {
    const grid *g = p->grid;
    uint64_t step = g->step, steps = (p->words + step - 1) / step;
    if (!g->asks) {
        put_words(p, 0, p->words, p->rows);
        return;
    }
    ask_for_rows(p, p->rows.begin, p->rows.begin + g->down);
    for (uint64_t r = p->rows.begin, end; r < p->rows.end; r = end) {
        end = p->rows.end - r < g->down ? p->rows.end : r + g->down;
        for (uint64_t i = 0; i < steps; i++) {
            uint64_t left = p->words - i * step;
            ask_for_rows(p, r + g->down + g->down * i / steps,
                         r + g->down + g->down * (i + 1) / steps);
            put_words(p, i * step, left < step ? left : step, (range){r, end});
        }
    }
}

static void put_lines(const hd_remap_engine *engine, const grid *g, uint64_t word, uint64_t words,
                      range rows) {
    put_blocks(&(runs){engine, g, word, words, rows, NULL, NULL});
}

/* Rows whose runs begin anywhere in their lines. The first rows are put singly, and so is what
 * follows the last whole line. */
static void put_across(const hd_remap_engine *engine, const grid *g, uint64_t word, uint64_t words,
                       range rows, hd_remap_carry *across, char *kept) {
    uint64_t group = HD_LINE / g->bytes, count = rows.end - rows.begin;
    range rest = {rows.begin + group, rows.end - count % group};
    runs p = {engine, g, word, words, rest, across, kept};
    engine->lanes->unzip[g->word](kept, HD_LINE, row_at(&p, rows.begin), g->row, (size_t)group,
                                  (size_t)words, g->end);
    for (uint64_t w = 0; w < words; w++) {
        char *to = g->to + (word + w) * g->run + rows.begin * g->bytes;
        across[w].phase = HD_LINE - (uintptr_t)to % HD_LINE;
        across[w].line = to + across[w].phase;
        memcpy(to, kept + w * HD_LINE, across[w].phase);
    }
    put_blocks(&p);
    for (uint64_t w = 0; w < words; w++) {
        memcpy(across[w].line + (rest.end - rest.begin) * g->bytes,
               kept + w * HD_LINE + across[w].phase, HD_LINE - across[w].phase);
        move_singly(g, word + w, (range){rest.end, rows.end});
    }
}

static bool can_put_across(const hd_remap_engine *engine, const grid *g, range rows) {
    return engine->streaming && g->word >= 0 && rows.end - rows.begin >= HD_LINE / g->bytes &&
           (g->bytes < 4 || ((uintptr_t)g->to | g->run) % 4 == 0);
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
    s.words = left < g->strip ? left : g->strip;
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
    panel p = {engine, g, word, words, streams, areas, areas + g->strip * area_bytes(g)};
    range lines = rows_in_lines(engine, g, rows);
    if (lines.begin < lines.end) {
        put_lines(engine, g, word, words, lines);
        for (uint64_t w = word; w < word + words; w++) {
            move_singly(g, w, (range){rows.begin, lines.begin});
            move_singly(g, w, (range){lines.end, rows.end});
        }
        return;
    }
    if (can_put_across(engine, g, rows)) {
        char *kept = scratch + hd_align_up(g->panel * sizeof(hd_remap_carry), HD_LINE);
        put_across(engine, g, word, words, rows, (hd_remap_carry *)(void *)scratch, kept);
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

static uint64_t at_most(uint64_t most, uint64_t value) { return value > most ? most : value; }

/* Long panels stream by themselves where each word of a row goes straight to a line of its own;
 * elsewhere blocks are asked for. */
static void shape_panels(const hd_remap_engine *engine, grid *g) {
    bool lines = rows_in_lines(engine, g, (range){0, g->rows}).end > 0;
    uint64_t most = g->bytes == 1 ? BYTES_PANEL : PANEL_BYTES / g->bytes;
    if (g->words * g->bytes <= NARROW_BYTES && g->words * g->bytes == g->row)
        most = g->words;
    g->asks = !lines || g->bytes < 4 || most == g->words;
    if (!g->asks)
        most = LONG_PANEL / g->bytes;
    most = at_most(PANEL_WORDS, at_least(4, most));
    g->panels = (g->words + most - 1) / most;
    g->panel = hd_align_up((g->words + g->panels - 1) / g->panels, PIECE);
    g->panels = (g->words + g->panel - 1) / g->panel;
    g->down = at_most(MOST_OF_RUN, (lines ? LINES_BYTES : CACHED_BYTES) / g->panel) / g->bytes;
    g->down = at_least(HD_LINE, g->down / HD_LINE * HD_LINE);
    g->step = lines ? HD_LINE / g->bytes : at_least(1, PIECE / g->bytes);
}

static hd_status move_grid(const hd_remap_engine *engine, grid *g) {
    uint64_t bytes = g->words * g->rows * g->bytes;
    g->word = hd_remap_word(g->bytes);
    shape_panels(engine, g);
    g->block = at_least(4, BLOCK_BYTES / g->bytes);
    g->strip = at_least(4, STRIP_BYTES / g->bytes);
    g->strip = g->strip < g->panel ? g->strip : g->panel;
    uint64_t tasks = hd_remap_tasks(engine, g->rows / g->block + 1, bytes);
    g->pieces = g->panels < tasks ? tasks : 1;
    size_t scratch = (size_t)hd_align_up(g->panel * sizeof(hd_remap_stream), HD_LINE) + HD_LINE +
                     (size_t)g->strip * area_bytes(g) + (size_t)g->block * staged_row(g);
    return hd_remap_run(engine, g->panels * g->pieces, scratch, panel_task, g);
}

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

/* A block, step by step, while some rows of the next one are asked for. */
static void zip_block(const hd_remap_engine *engine, const zipped *z, hd_remap_stream *stream,
                      char *image, uint64_t block) {
    const grid *g = z->grid;
    uint64_t word = block * z->block,
             words = g->words - word < z->block ? g->words - word : z->block;
    uint64_t steps = (words + z->step - 1) / z->step;
    strip next = {word + z->block, z->block, {0, 0}};
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t left = words - i * z->step, count = left < z->step ? left : z->step;
        next.rows = (range){g->rows * i / steps, g->rows * (i + 1) / steps};
        if (block + 1 < z->blocks)
            ask_for(g, &next);
        zip_words(engine, z, image, word + i * z->step, count);
        hd_remap_put(engine, stream, image, (size_t)count * g->run);
    }
}

static void zip_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const zipped *z = user;
    const grid *g = z->grid;
    uint64_t begin = z->blocks * task / z->tasks, end = z->blocks * (task + 1) / z->tasks;
    hd_remap_stream stream = {.to = g->to + begin * z->block * g->run};
    for (uint64_t b = begin; b < end; b++)
        zip_block(engine, z, &stream, scratch + HD_LINE, b);
    hd_remap_end(&stream);
}

static hd_status zip_rows(const hd_remap_engine *engine, grid *g) {
    zipped z = {.grid = g};
    g->word = hd_remap_word(g->bytes);
    if (g->word >= 0 && g->rows * g->bytes < HD_LINE) {
        z.rows = malloc((size_t)g->rows * sizeof *z.rows);
        if (!z.rows)
            return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for the places of %u rows",
                           (unsigned)g->rows);
        for (uint64_t r = 0; r < g->rows; r++)
            z.rows[r] = g->from + r * g->row;
    }
    z.step = at_least(at_least(1, HD_LINE / g->bytes), IMAGE_BYTES / g->run / HD_LINE * HD_LINE);
    z.block = hd_align_up(at_least(ROW_BYTES / g->bytes, z.step), z.step);
    z.blocks = (g->words + z.block - 1) / z.block;
    z.tasks = hd_remap_tasks(engine, z.blocks, g->words * g->run);
    hd_status status =
        hd_remap_run(engine, z.tasks, 2 * HD_LINE + (size_t)(z.step * g->run), zip_task, &z);
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
