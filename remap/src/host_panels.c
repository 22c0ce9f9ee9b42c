/*
 * Words of rows to runs: word j of row i to place i of run j, in panels of some words.
 *
 * A panel is crossed block by block down the rows, and while one block is put, the next one is
 * prefetched, row by row, into the second-level cache. Where runs begin with lines, words go
 * straight to them; where they begin anywhere in their lines, a line of a run is put together from
 * two lines of rows. Of few rows, long panels are read as fast as memory gives them.
 *
 * Where lines can't be written so (small data, which stays in the caches; words of other sizes),
 * a panel is crossed in strips: a strip's rows are copied side by side, since rows that lie a power
 * of two apart would push each other out of the caches, and from there its words go to one area
 * for each run, which is streamed out.
 *
 * In a slanted grid not all words have all rows. A panel is moved where all its words have rows;
 * the corners are moved one by one.
 */
#include "remap/host.h"

enum {
    LINES_BYTES = 256, /* of a row, where lines of runs are put at once */
    LINES_ROWS = 64,
    ACROSS_BYTES = 384, /* where each run has lines of its own */
    ACROSS_ROWS = 64,
    ACROSS_LINES = 6,  /* of each, at least */
    LONG_BYTES = 8192, /* of few rows */
    FEW_ROWS = 256,
    NARROW_BYTES = 2048,    /* of whole rows, at most */
    WHOLE_BYTES = 10 << 10, /* of their blocks, about */
    STRIP_BYTES = 512,      /* of a row */
    BLOCK_BYTES = 256,      /* of a run */
    LARGE_BYTES = 4096,     /* elements that are moved singly */
    PIECE = 16              /* bytes of a row that are read at once, and words at most */
};

typedef hd_remap_grid grid;

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
    return (size_t)hd_align_up(g->block * g->bytes, REMAP_LINE) + REMAP_LINE;
}

/* Some rows of some words, in a block. */
typedef struct strip {
    uint64_t word, words;
    range rows;
} strip;

static size_t staged_row(const grid *g) {
    return (size_t)hd_align_up(g->strip * g->bytes, REMAP_LINE) + REMAP_LINE;
}

/* Copies the strip's rows side by side. */
static void stage(const grid *g, const strip *s, char *rows) {
    size_t bytes = (size_t)s->words * g->bytes;
    const char *from = g->from + s->rows.begin * g->row + s->word * g->bytes;
    for (uint64_t r = s->rows.begin; r < s->rows.end; r++, from += g->row, rows += staged_row(g))
        memcpy(rows, from, bytes);
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
    size_t head = -(uintptr_t)to % REMAP_LINE, group = REMAP_LINE / g->bytes;
    range whole = {rows.begin + head / g->bytes, rows.end};
    if (!engine->streaming || g->word < 0 || g->run % REMAP_LINE || head % g->bytes ||
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

static void prefetch_rows(const runs *p, uint64_t begin, uint64_t end) {
    end = end < p->rows.end ? end : p->rows.end;
    if (begin < end)
        hd_remap_prefetch(row_at(p, begin), p->grid->row, end - begin,
                          (size_t)p->words * p->grid->bytes);
}

/* Some words of a block. */
static void put_words(const runs *p, uint64_t first, uint64_t words, range rows) {
    const grid *g = p->grid;
    const hd_remap_lanes *lanes = p->engine->lanes;
    const char *from = row_at(p, rows.begin) + first * g->bytes;
    size_t count = (size_t)(rows.end - rows.begin);
    if (p->across)
        lanes->unzip_across[g->word](p->across + first, p->kept + first * REMAP_LINE,
                                     (rows.begin - p->rows.begin) * g->bytes, from, g->row, count,
                                     (size_t)words, g->end);
    else
        lanes->unzip_streaming[g->word](g->to + (p->word + first) * g->run + rows.begin * g->bytes,
                                        g->run, from, g->row, count, (size_t)words, g->end);
}

/* Block by block, while the next one is prefetched: some rows at once, since by turns with lines
 * that lie far apart (hd_remap_ahead) requests are slower. */
static void put_blocks(const runs *p) {
    const grid *g = p->grid;
    uint64_t step = g->step, steps = (p->words + step - 1) / step;
    if (!g->prefetches) {
        put_words(p, 0, p->words, p->rows);
        return;
    }
    prefetch_rows(p, p->rows.begin, p->rows.begin + g->down);
    for (uint64_t r = p->rows.begin, end; r < p->rows.end; r = end) {
        end = p->rows.end - r < g->down ? p->rows.end : r + g->down;
        for (uint64_t i = 0; i < steps; i++) {
            uint64_t left = p->words - i * step;
            prefetch_rows(p, r + g->down + g->down * i / steps,
                          r + g->down + g->down * (i + 1) / steps);
            put_words(p, i * step, left < step ? left : step, (range){r, end});
        }
    }
}

/* Rows whose runs begin anywhere in their lines. The first rows are put singly, and so is what
 * follows the last whole line. */
static void put_across(const hd_remap_engine *engine, const grid *g, uint64_t word, uint64_t words,
                       range rows, hd_remap_carry *across, char *kept) {
    uint64_t group = REMAP_LINE / g->bytes, count = rows.end - rows.begin;
    range rest = {rows.begin + group, rows.end - count % group};
    runs p = {engine, g, word, words, rest, across, kept};
    engine->lanes->unzip[g->word](kept, REMAP_LINE, row_at(&p, rows.begin), g->row, (size_t)group,
                                  (size_t)words, g->end);
    for (uint64_t w = 0; w < words; w++) {
        char *to = g->to + (word + w) * g->run + rows.begin * g->bytes;
        across[w].phase = REMAP_LINE - (uintptr_t)to % REMAP_LINE;
        across[w].line = to + across[w].phase;
        memcpy(to, kept + w * REMAP_LINE, across[w].phase);
    }
    put_blocks(&p);
    for (uint64_t w = 0; w < words; w++) {
        memcpy(across[w].line + (rest.end - rest.begin) * g->bytes,
               kept + w * REMAP_LINE + across[w].phase, REMAP_LINE - across[w].phase);
        move_singly(g, word + w, (range){rest.end, rows.end});
    }
}

static bool can_put_across(const hd_remap_engine *engine, const grid *g, range rows) {
    return engine->streaming && g->word >= 0 && rows.end - rows.begin >= REMAP_LINE / g->bytes &&
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
        hd_remap_prefetch(
            p->grid->from + next.rows.begin * p->grid->row + next.word * p->grid->bytes,
            p->grid->row, next.rows.end - next.rows.begin, (size_t)next.words * p->grid->bytes);
        move_strip(p, &s);
    }
}

/* Rows that all words of the panel have. */
static void move_panel(const hd_remap_engine *engine, const grid *g, char *scratch, uint64_t word,
                       uint64_t words, range rows) {
    hd_remap_stream *streams = (hd_remap_stream *)(void *)scratch;
    char *areas = scratch + hd_align_up(g->panel * sizeof *streams, REMAP_LINE) + REMAP_LINE;
    panel p = {engine, g, word, words, streams, areas, areas + g->strip * area_bytes(g)};
    range lines = rows_in_lines(engine, g, rows);
    if (lines.begin < lines.end) {
        put_blocks(&(runs){engine, g, word, words, lines, NULL, NULL});
        for (uint64_t w = word; w < word + words; w++) {
            move_singly(g, w, (range){rows.begin, lines.begin});
            move_singly(g, w, (range){lines.end, rows.end});
        }
        return;
    }
    if (can_put_across(engine, g, rows)) {
        char *kept = scratch + hd_align_up(g->panel * sizeof(hd_remap_carry), REMAP_LINE);
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

/* Rows of a panel's block. */
static uint64_t rows_down(const grid *g, bool lines, bool whole) {
    uint64_t group = hd_remap_most(1, REMAP_LINE / g->bytes);
    uint64_t groups = hd_remap_most(ACROSS_ROWS / group, ACROSS_LINES);
    if (lines && whole)
        groups = (WHOLE_BYTES / g->row + group / 2) / group;
    else if (lines)
        groups = hd_remap_most(LINES_ROWS / group, 2);
    return hd_remap_most(1, groups) * group;
}

/* Whole rows of narrow matrices are read one after the other, and few rows as if each were alone:
 * processors follow them. Elsewhere blocks are prefetched. */
static void shape_panels(const hd_remap_engine *engine, grid *g) {
    bool lines = rows_in_lines(engine, g, (range){0, g->rows}).end > 0;
    bool whole = g->words * g->bytes <= NARROW_BYTES && g->words * g->bytes == g->row;
    g->prefetches = !lines || whole || g->rows > FEW_ROWS;
    uint64_t bytes = !lines ? ACROSS_BYTES : g->prefetches ? LINES_BYTES : LONG_BYTES;
    uint64_t most = whole ? g->words : hd_remap_most(4, bytes / g->bytes);
    g->panels = (g->words + most - 1) / most;
    g->panel = hd_align_up((g->words + g->panels - 1) / g->panels, PIECE);
    g->panels = (g->words + g->panel - 1) / g->panel;
    g->down = g->prefetches ? rows_down(g, lines, whole) : g->rows;
    g->step = hd_remap_most(1, REMAP_LINE / g->bytes);
}

hd_status hd_remap_move_grid(const hd_remap_engine *engine, grid *g) {
    uint64_t bytes = g->words * g->rows * g->bytes;
    shape_panels(engine, g);
    uint64_t least = g->bytes < LARGE_BYTES ? 4 : 1;
    g->block = hd_remap_most(least, BLOCK_BYTES / g->bytes);
    g->strip = hd_remap_most(least, STRIP_BYTES / g->bytes);
    g->strip = g->strip < g->panel ? g->strip : g->panel;
    uint64_t tasks = hd_remap_tasks(engine, g->rows / g->block + 1, bytes);
    g->pieces = g->panels < tasks ? tasks : 1;
    size_t scratch = (size_t)hd_align_up(g->panel * sizeof(hd_remap_stream), REMAP_LINE) +
                     REMAP_LINE + (size_t)g->strip * area_bytes(g) +
                     (size_t)g->block * staged_row(g);
    return hd_remap_run(engine, g->panels * g->pieces, scratch, panel_task, g);
}
