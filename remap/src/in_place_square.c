/*
 * Square matrices change pairs of blocks. Both blocks of a pair are transposed into the scratch,
 * and written from there to each other's place, whose lines are cached by then; meanwhile the next
 * pair is prefetched.
 *
 * Nearly square ones are brought to squares, or squares to them, by rows that move apart or
 * together.
 */
#include <stdlib.h>

#include "remap/remap_in_place.h"

enum {
    BLOCK_ROW = 384,
    SHORT_ROW = 192,
    ROW_STEP = 4096,
    ROW_AHEAD = 16 << 10,
    LARGE_ROW = 64 << 10
};

/* ---- squares ------------------------------------------------------------------------------- */

typedef struct square {
    char *data;
    uint64_t side;
    size_t bytes, row;
    uint64_t block, blocks, group; /* elements; rows that are read at once */
    size_t pitch;                  /* of a block's rows in the scratch */
} square;

/* A block, by its first row and column. */
typedef struct block {
    uint64_t row, column, rows, columns;
    char *data;
} block;

static block block_of(const square *s, uint64_t i, uint64_t j) {
    block b = {.row = i * s->block, .column = j * s->block};
    b.rows = hd_remap_least(s->block, s->side - b.row);
    b.columns = hd_remap_least(s->block, s->side - b.column);
    b.data = s->data + b.row * s->row + b.column * s->bytes;
    return b;
}

/* The blocks of the next pair, and how far they were prefetched. */
typedef struct request {
    block blocks[2];
    uint64_t at, count, row;
} request;

static void ask_rows(const square *s, request *r, uint64_t rows) {
    for (; rows && r->at < r->count; rows--) {
        const block *b = &r->blocks[r->at];
        const char *row = b->data + r->row * s->row;
        hd_remap_prefetch_run(row, (size_t)b->columns * s->bytes);
        if (++r->row == b->rows) {
            r->row = 0;
            r->at++;
        }
    }
}

/* Some rows of a block, transposed, into `scratch`, by way of `rows`. */
static void fetch_rows(const hd_remap_engine *engine, const square *s, const block *b,
                       uint64_t first, char *scratch, char *rows) {
    int word = hd_remap_word(s->bytes);
    size_t count = (size_t)hd_remap_least(b->rows - first, s->group);
    size_t bytes = (size_t)b->columns * s->bytes;
    const char *from = b->data + first * s->row;
    for (size_t r = 0; r < count; r++)
        hd_remap_copy_near(engine, rows + r * s->pitch, from + r * s->row, bytes);
    if (word >= 0) {
        engine->lanes->unzip[word](scratch + first * s->bytes, s->pitch, rows, s->pitch, count,
                                   (size_t)b->columns, rows + count * s->pitch);
        return;
    }
    for (uint64_t c = 0; c < b->columns; c++)
        hd_remap_copy_values(scratch + c * s->pitch + first * s->bytes, s->bytes,
                             rows + c * s->bytes, s->pitch, s->bytes, count);
}

static void fetch_block(const hd_remap_engine *engine, const square *s, const block *b,
                        char *scratch, char *rows, request *next) {
    for (uint64_t r = 0; r < b->rows; r += s->group) {
        ask_rows(s, next, s->group / 2);
        fetch_rows(engine, s, b, r, scratch, rows);
    }
}

static void put_block(const hd_remap_engine *engine, const square *s, const block *b,
                      const char *scratch, request *next) {
    for (uint64_t r = 0; r < b->rows; r++) {
        ask_rows(s, next, r % 2);
        hd_remap_copy_near(engine, b->data + r * s->row, scratch + r * s->pitch,
                           (size_t)b->columns * s->bytes);
    }
}

/* A row of blocks left of the diagonal, and those that they change places with. */
static void square_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const square *s = user;
    char *other = scratch + s->block * s->pitch, *rows = other + s->block * s->pitch;
    /* Long rows and short ones by turns. */
    uint64_t i = task % 2 ? s->blocks - 1 - task / 2 : task / 2;
    for (uint64_t j = 0; j <= i; j++) {
        block left = block_of(s, i, j), right = block_of(s, j, i);
        request next = {.count = j < i ? 1 + (j + 1 < i) : 0};
        if (next.count) {
            next.blocks[0] = block_of(s, i, j + 1);
            next.blocks[1] = block_of(s, j + 1, i);
        }
        fetch_block(engine, s, &left, scratch, rows, &next);
        if (j < i)
            fetch_block(engine, s, &right, other, rows, &next);
        put_block(engine, s, &right, scratch, &next);
        if (j < i)
            put_block(engine, s, &left, other, &next);
    }
}

static square square_of(char *data, uint64_t side, size_t bytes) {
    square s = {.data = data, .side = side, .bytes = bytes, .row = (size_t)side * bytes};
    size_t row = bytes > 1 ? BLOCK_ROW : SHORT_ROW;
    s.block = bytes < row / 16 ? row / bytes : 16;
    while (s.block > 1 && s.block * bytes > LARGE_ROW)
        s.block /= 2;
    s.blocks = (side + s.block - 1) / s.block;
    s.group = bytes < REMAP_LINE / 4 ? REMAP_LINE / bytes : hd_remap_least(4, s.block);
    s.pitch = (size_t)hd_align_up(s.block * bytes, REMAP_LINE) + REMAP_LINE;
    return s;
}

static size_t scratch_of(const square *s) { return (size_t)(2 * s->block + s->group) * s->pitch; }

hd_status hd_remap_transpose_square(const hd_remap_engine *engine, char *data, uint64_t side,
                                    size_t bytes) {
    square s = square_of(data, side, bytes);
    return hd_remap_run(engine, s.blocks, scratch_of(&s), square_task, &s);
}

uint64_t hd_remap_square_scratch(size_t bytes) {
    square s = square_of(NULL, 0, bytes);
    return scratch_of(&s) + 3 * REMAP_LINE;
}

/* ---- rows apart and together --------------------------------------------------------------- */

typedef struct shift {
    char *data;
    uint64_t rows;
    size_t bytes, run, rest; /* of a row; from one to the next; of that, what is behind the row */
    char *tails;             /* the rests of all rows */
    uint64_t tasks;
    char *saved; /* the rows at the tasks' borders that a neighbour overwrites */
    size_t saved_bytes;
} shift;

static uint64_t border_of(const shift *s, uint64_t task) { return s->rows * task / s->tasks; }

/* Rows behind the border that spreading those before it overwrites. */
static uint64_t overwritten_behind(const shift *s, uint64_t border) {
    return (border * s->rest + s->bytes - 1) / s->bytes;
}

/* The first row before the border that closing those behind it overwrites. */
static uint64_t overwritten_from(const shift *s, uint64_t border) {
    return border * s->bytes / s->run;
}

/* Copies a row to where it may overlap what it comes from, from its end on where it goes up, while
 * what comes later is prefetched. */
static void move_row(const shift *s, char *to, const char *from, bool up) {
    const char *end = s->data + s->rows * s->run;
    for (size_t done = 0, bytes; done < s->bytes; done += bytes) {
        bytes = (size_t)hd_remap_least(s->bytes - done, ROW_STEP);
        size_t at = up ? s->bytes - done - bytes : done;
        const char *later = up ? from + at - ROW_AHEAD : from + at + ROW_AHEAD;
        if (later > s->data && end - later > ROW_STEP)
            hd_remap_prefetch_run(later, bytes);
        memmove(to + at, from + at, bytes);
    }
}

static void spread_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const shift *s = user;
    uint64_t border = border_of(s, task);
    uint64_t saved = task ? border + overwritten_behind(s, border) : border;
    (void)engine;
    (void)scratch;
    for (uint64_t r = border_of(s, task + 1); r-- > border;) {
        char *to = s->data + r * s->run;
        move_row(s, to,
                 r < saved ? s->saved + (task - 1) * s->saved_bytes + (r - border) * s->bytes
                           : s->data + r * s->bytes,
                 true);
        memcpy(to + s->bytes, s->tails + r * s->rest, s->rest);
    }
}

static void close_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const shift *s = user;
    uint64_t border = border_of(s, task + 1);
    uint64_t saved = task + 1 < s->tasks ? overwritten_from(s, border) : border;
    (void)engine;
    (void)scratch;
    for (uint64_t r = border_of(s, task); r < border; r++) {
        const char *from = r < saved ? s->data + r * s->run
                                     : s->saved + task * s->saved_bytes + (r - saved) * s->run;
        memcpy(s->tails + r * s->rest, from + s->bytes, s->rest);
        move_row(s, s->data + r * s->bytes, from, false);
    }
}

static uint64_t most_saved(const shift *s) { return overwritten_behind(s, s->rows) + 2; }

uint64_t hd_remap_shift_scratch(uint64_t rows, size_t bytes, size_t run) {
    shift s = {.rows = rows, .bytes = bytes, .run = run, .rest = run - bytes};
    return most_saved(&s) * run + REMAP_LINE;
}

/* Every task has more rows than are saved at a border. */
hd_status hd_remap_shift_rows(const hd_remap_engine *engine, char *data, uint64_t rows,
                              size_t bytes, size_t run, char *tails, bool back) {
    shift s = {.data = data, .rows = rows, .bytes = bytes, .run = run, .rest = run - bytes};
    uint64_t most = most_saved(&s);
    s.tails = tails;
    s.tasks = hd_remap_most(1, hd_remap_least(engine->threads, rows / most));
    s.saved_bytes = (size_t)most * run;
    s.saved = malloc((size_t)s.tasks * s.saved_bytes);
    if (!s.saved)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %u blocks of %zu bytes",
                       (unsigned)s.tasks, s.saved_bytes);
    for (uint64_t task = 1; task < s.tasks; task++) {
        uint64_t border = border_of(&s, task), from = back ? overwritten_from(&s, border) : border;
        uint64_t count = back ? border - from : overwritten_behind(&s, border);
        size_t row = back ? run : bytes;
        memcpy(s.saved + (task - 1) * s.saved_bytes, data + from * row, (size_t)count * row);
    }
    hd_status status =
        hd_remap_run(engine, s.tasks, REMAP_LINE, back ? close_task : spread_task, &s);
    free(s.saved);
    return status;
}
