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
#include "remap/remap_host.h"

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
    if (!g->slanted)
        return piece;
    uint64_t begin = word > g->before ? word - g->before : 0;
    uint64_t end = word + g->length > g->before ? word + g->length - g->before : 0;
    return (range){hd_remap_most(begin, piece.begin), hd_remap_least(end, piece.end)};
}

static size_t area_bytes(const grid *g) {
    return (size_t)hd_align_up(g->block * g->bytes, REMAP_LINE) + REMAP_LINE;
}

static size_t staged_row(const grid *g) {
    return (size_t)hd_align_up(g->strip * g->bytes, REMAP_LINE) + REMAP_LINE;
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
static void put_across(runs *p) {
    const grid *g = p->grid;
    const range rows = p->rows;
    uint64_t group = REMAP_LINE / g->bytes, count = rows.end - rows.begin;
    p->engine->lanes->unzip[g->word](p->kept, REMAP_LINE, row_at(p, rows.begin), g->row,
                                     (size_t)group, (size_t)p->words, g->end);
    for (uint64_t w = 0; w < p->words; w++) {
        char *to = g->to + (p->word + w) * g->run + rows.begin * g->bytes;
        p->across[w].phase = REMAP_LINE - (uintptr_t)to % REMAP_LINE;
        p->across[w].line = to + p->across[w].phase;
        memcpy(to, p->kept + w * REMAP_LINE, p->across[w].phase);
    }
    p->rows = (range){rows.begin + group, rows.end - count % group};
    put_blocks(p);
    for (uint64_t w = 0; w < p->words; w++) {
        memcpy(p->across[w].line + (p->rows.end - p->rows.begin) * g->bytes,
               p->kept + w * REMAP_LINE + p->across[w].phase, REMAP_LINE - p->across[w].phase);
        move_singly(g, p->word + w, (range){p->rows.end, rows.end});
    }
}

/* Words of a panel in strips: the rows of each are copied side by side, and go from there to an
 * area for each run, while those that follow are prefetched. */
static void put_strips(const runs *p, hd_remap_stream *streams, char *areas) {
    const grid *g = p->grid;
    const hd_remap_lanes *lanes = p->engine->lanes;
    size_t area = area_bytes(g), row = staged_row(g);
    char *staged = areas + g->strip * area;
    for (uint64_t w = 0; w < p->words; w++)
        streams[w] =
            (hd_remap_stream){.to = g->to + (p->word + w) * g->run + p->rows.begin * g->bytes};
    for (uint64_t r = p->rows.begin, end; r < p->rows.end; r = end) {
        end = hd_remap_least(r + g->block, p->rows.end);
        size_t count = (size_t)(end - r);
        prefetch_rows(p, end, end + g->block);
        for (uint64_t first = 0; first < p->words; first += g->strip) {
            uint64_t words = hd_remap_least(p->words - first, g->strip);
            const char *from = row_at(p, r) + first * g->bytes;
            for (size_t i = 0; i < count; i++)
                memcpy(staged + i * row, from + i * g->row, (size_t)words * g->bytes);
            if (g->word >= 0)
                lanes->unzip[g->word](areas, area, staged, row, count, (size_t)words,
                                      staged + count * row);
            for (uint64_t w = 0; w < words && g->word < 0; w++)
                hd_remap_copy_values(areas + w * area, g->bytes, staged + w * g->bytes, row,
                                     g->bytes, count);
            for (uint64_t w = 0; w < words; w++)
                hd_remap_put(p->engine, &streams[first + w], areas + w * area, count * g->bytes);
        }
    }
    for (uint64_t w = 0; w < p->words; w++)
        hd_remap_end(&streams[w]);
}

/* Rows that all words of the panel have. */
static void move_panel(const hd_remap_engine *engine, const grid *g, char *scratch, uint64_t word,
                       uint64_t words, range rows) {
    range lines = rows_in_lines(engine, g, rows);
    runs p = {engine, g, word, words, rows, NULL, NULL};
    if (lines.begin < lines.end) {
        p.rows = lines;
        put_blocks(&p);
        for (uint64_t w = word; w < word + words; w++) {
            move_singly(g, w, (range){rows.begin, lines.begin});
            move_singly(g, w, (range){lines.end, rows.end});
        }
    } else if (engine->streaming && g->word >= 0 &&
               rows.end - rows.begin >= REMAP_LINE / g->bytes &&
               (g->bytes < 4 || ((uintptr_t)g->to | g->run) % 4 == 0)) {
        p.across = (hd_remap_carry *)(void *)scratch;
        p.kept = scratch + hd_align_up(g->panel * sizeof *p.across, REMAP_LINE);
        put_across(&p);
    } else {
        size_t streams = (size_t)hd_align_up(g->panel * sizeof(hd_remap_stream), REMAP_LINE);
        put_strips(&p, (hd_remap_stream *)(void *)scratch, scratch + streams + REMAP_LINE);
    }
}

static void panel_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const grid *g = user;
    uint64_t word = task / g->pieces * g->panel, piece = task % g->pieces;
    uint64_t words = hd_remap_least(g->words - word, g->panel);
    uint64_t blocks = (g->rows + g->block - 1) / g->block;
    range rows = {blocks * piece / g->pieces * g->block,
                  hd_remap_least(blocks * (piece + 1) / g->pieces * g->block, g->rows)};
    range all = {rows_of(g, word + words - 1, rows).begin, rows_of(g, word, rows).end};
    if (all.begin < all.end)
        move_panel(engine, g, scratch, word, words, all);
    else
        all = (range){rows.end, rows.end};
    for (uint64_t w = word; w < word + words && g->slanted; w++) {
        range own = rows_of(g, w, rows);
        move_singly(g, w, (range){own.begin, hd_remap_least(own.end, all.begin)});
        move_singly(g, w, (range){hd_remap_most(own.begin, all.end), own.end});
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
    g->strip = hd_remap_least(hd_remap_most(least, STRIP_BYTES / g->bytes), g->panel);
    uint64_t tasks = hd_remap_tasks(engine, g->rows / g->block + 1, bytes);
    g->pieces = g->panels < tasks ? tasks : 1;
    size_t scratch = (size_t)hd_align_up(g->panel * sizeof(hd_remap_stream), REMAP_LINE) +
                     REMAP_LINE + (size_t)g->strip * area_bytes(g) +
                     (size_t)g->block * staged_row(g);
    return hd_remap_run(engine, g->panels * g->pieces, scratch, panel_task, g);
}
