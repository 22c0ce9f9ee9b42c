/*
 * Chunks move along the cycles of their permutation (Windley, "Transposing matrices in a digital
 * computer", The Computer Journal, 1959, follows such cycles element by element). A chunk's
 * successor is known, so it is prefetched early, and long cycles are cut in pieces for the threads
 * by keeping aside the chunks at the cuts. The chunk that is written is the one that was read
 * before: short ones are still cached then, long ones are written by streaming stores.
 */
#include <stdlib.h>

#include "remap/remap_in_place.h"

enum {
    AHEAD_BYTES = 8192,
    STEP_BYTES = 2048,
    STREAMED_CHUNK = 12 << 10, /* left the first-level cache before it is written over */
    LONG_CHUNK = 32 << 10,     /* processors see that it is read, and fetch its rest in time */
    MOST_PIECES = 4            /* of a cycle, for each thread */
};

typedef struct chunks {
    const hd_remap_cut *cut;
    bool back, streaming;
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

static inline void set_bit(uint64_t *bits, uint64_t i) { bits[i / 64] |= (uint64_t)1 << i % 64; }

/* Word w of panel p comes from the panel's place, and goes to number w * panels + p, or back. */
static inline uint64_t source_of(const chunks *c, uint64_t number) {
    const hd_remap_cut *cut = c->cut;
    uint64_t panels = cut->panels, words = cut->words, shift = cut->shift;
    if (number <= UINT32_MAX) {
        uint32_t by = (uint32_t)(c->back ? words : panels), n = (uint32_t)number;
        uint64_t quotient = n / by, rest = n % by;
        if (c->back)
            return rest * panels +
                   (quotient >= shift ? quotient - shift : quotient + panels - shift);
        return (rest >= shift ? rest - shift : rest + panels - shift) * words + quotient;
    }
    if (c->back) {
        uint64_t place = number / words;
        return number % words * panels + (place >= shift ? place - shift : place + panels - shift);
    }
    uint64_t panel = number % panels;
    return (panel >= shift ? panel - shift : panel + panels - shift) * words + number / panels;
}

/* How far along a cycle was prefetched. */
typedef struct reader {
    uint64_t chunk;
    size_t done;
} reader;

static void prefetch_next(const chunks *c, reader *r) {
    if (r->done == c->bytes) {
        r->chunk = source_of(c, r->chunk);
        r->done = 0;
    }
    size_t step = (size_t)hd_remap_least(c->bytes - r->done, STEP_BYTES);
    if (!r->done || c->bytes < LONG_CHUNK)
        hd_remap_prefetch_run(hd_remap_chunk(c->cut, r->chunk) + r->done, step);
    r->done += step;
}

/* Fills the hole from behind, and so on, until the chunk is kept aside that comes next. */
static void move_piece(const hd_remap_engine *engine, const chunks *c, const piece *p) {
    uint64_t hole = p->hole;
    size_t step = (size_t)hd_remap_least(c->bytes, STEP_BYTES);
    char *to = hd_remap_chunk(c->cut, hole);
    reader ahead = {hole, c->bytes};
    for (size_t asked = 0; asked < AHEAD_BYTES; asked += step)
        prefetch_next(c, &ahead);
    for (uint64_t from; (from = source_of(c, hole)) != p->next_hole; hole = from) {
        char *data = hd_remap_chunk(c->cut, from);
        for (size_t done = 0; done < c->bytes; done += step) {
            size_t bytes = (size_t)hd_remap_least(c->bytes - done, step);
            prefetch_next(c, &ahead);
            if (c->streaming)
                engine->lanes->copy_streaming(to + done, data + done, bytes / REMAP_LINE);
            else
                hd_remap_copy_near(engine, to + done, data + done, bytes);
        }
        to = data;
    }
    memcpy(to, p->next, c->bytes);
}

/* Pieces of long cycles come first, then parts of the bits of short ones. */
static void chunks_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const chunks *c = user;
    if (task < c->piece_count) {
        move_piece(engine, c, &c->pieces[task]);
        return;
    }
    uint64_t parts = c->tasks - c->piece_count, part = task - c->piece_count;
    uint64_t words = (c->cut->words * c->cut->panels + 63) / 64;
    for (uint64_t w = words * part / parts; w < words * (part + 1) / parts; w++)
        for (uint64_t bits = c->short_cycles[w]; bits; bits &= bits - 1) {
            uint64_t start = w * 64 + (uint64_t)__builtin_ctzll(bits);
            memcpy(scratch, hd_remap_chunk(c->cut, start), c->bytes);
            move_piece(engine, c, &(piece){start, start, scratch});
        }
}

/* Cuts a long cycle, keeping aside the chunks at the cuts. */
static void cut_cycle(chunks *c, uint64_t start, uint64_t length) {
    uint64_t count = (length + c->longest - 1) / c->longest, at = start, done = 0;
    for (uint64_t k = 0; k < count; k++) {
        piece *p = &c->pieces[c->piece_count + k];
        char *kept = c->kept + (c->piece_count + k) * c->bytes;
        p->hole = at;
        memcpy(kept, hd_remap_chunk(c->cut, at), c->bytes);
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
    for (uint64_t start = 0; start < c->cut->words * c->cut->panels; start++) {
        if ((c->seen[start / 64] >> start % 64 & 1) || source_of(c, start) == start)
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

hd_status hd_remap_move_chunks(const hd_remap_engine *engine, const hd_remap_cut *cut, bool back) {
    uint64_t count = cut->words * cut->panels, pieces = (uint64_t)engine->threads * MOST_PIECES;
    size_t words = (size_t)(count / 64 + 1), bytes = cut->chunk;
    chunks c = {.cut = cut, .back = back, .bytes = bytes};
    if (!count)
        return HD_OK;
    c.streaming = bytes >= STREAMED_CHUNK && hd_remap_in_lines(engine, cut);
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

uint64_t hd_remap_chunks_scratch(const hd_remap_cut *cut) {
    return (2 * MOST_PIECES + 1) * (cut->chunk + sizeof(piece)) + cut->words * cut->panels / 4 + 64;
}
