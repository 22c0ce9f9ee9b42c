/* Remapping in place from the inside: the passes that remap_in_place.c is made of. */
#ifndef HD_REMAP_IN_PLACE_H
#define HD_REMAP_IN_PLACE_H

#include "remap/remap_host.h"

/* The chunks of so few words go to where panels were that have left the caches by then, by
 * streaming stores where chunks are whole lines of large data; those of more words to panels
 * that are still cached: single lines of many runs that a cache has are slow to write by
 * streaming stores. */
enum { REMAP_FEW_WORDS = 12 };

/* Records of some words of `bytes` bytes, which lie one after another or as runs, one for each
 * word, that begin every `run` bytes. Both are cut in panels of `length` records; what a panel has
 * in a run is a chunk. Records behind the last panel are kept aside by the caller.
 *
 * The chunks of one panel together lie in one of as many places as there are panels: those that
 * panel p becomes in place p - shift, those that become panel p in place p + shift, both counted
 * round and round. */
typedef struct hd_remap_cut {
    char *data;
    uint64_t records, words;
    size_t bytes, run;
    uint64_t length, panels, shift;
    size_t chunk; /* bytes */
} hd_remap_cut;

static inline size_t hd_remap_panel_bytes(const hd_remap_cut *c) {
    return (size_t)c->words * c->chunk;
}

/* Chunk `number`, counted run by run, of which the ends are open. Place q has chunks q * words to
 * q * words + words - 1. */
static inline char *hd_remap_chunk(const hd_remap_cut *c, uint64_t number) {
    return c->data + number * c->chunk + number / c->panels * (c->run - c->panels * c->chunk);
}

/* Do chunks begin and end with lines that are written by streaming stores? */
static inline bool hd_remap_in_lines(const hd_remap_engine *engine, const hd_remap_cut *c) {
    return engine->streaming && ((uintptr_t)c->data | c->chunk | c->run) % REMAP_LINE == 0;
}

/* Prefetches `bytes` that will be read and written somewhat later. What comes much later goes to
 * the second-level cache: of requests for the first one a core has only few at a time. */
static inline void hd_remap_prefetch_run(const char *from, size_t bytes) {
    hd_remap_prefetch(from, 0, 1, bytes);
}

/* How many records make a line, or a few lines, of a run. */
static inline uint64_t hd_remap_group_of(size_t bytes) {
    return hd_remap_word(bytes) >= 0 ? REMAP_LINE / bytes : bytes < REMAP_LINE ? REMAP_LINE / 4 : 1;
}

/* Copies to where lines are cached, and so not by streaming stores. */
static inline void hd_remap_copy_near(const hd_remap_engine *engine, char *to, const char *from,
                                      size_t bytes) {
    if (bytes < REMAP_LINE)
        memcpy(to, from, bytes);
    else
        engine->lanes->copy(to, from, bytes);
}

/* ---- in_place_panels.c --------------------------------------------------------------------- */

/* Some words of `records` records at `from` to runs that begin every `pitch` bytes; bytes up to
 * `end` may be read. */
void hd_remap_to_runs(const hd_remap_engine *engine, const hd_remap_cut *cut, char *to,
                      size_t pitch, const char *from, uint64_t records, uint64_t words,
                      const char *end);
/* Values `first` and following of each run to `records` records. */
void hd_remap_from_runs(const hd_remap_engine *engine, const hd_remap_cut *cut, char *to,
                        const char *const *runs, uint64_t first, uint64_t records);

/* Panels of records become their chunks, or back. */
hd_status hd_remap_sweep_panels(const hd_remap_engine *engine, const hd_remap_cut *cut, bool back);
/* What this needs at most, in bytes for each thread; so the others below. */
uint64_t hd_remap_panels_scratch(const hd_remap_cut *cut);

/* ---- in_place_chunks.c --------------------------------------------------------------------- */

/* Chunks go from the panels' places to their runs, or back. */
hd_status hd_remap_move_chunks(const hd_remap_engine *engine, const hd_remap_cut *cut, bool back);
uint64_t hd_remap_chunks_scratch(const hd_remap_cut *cut);

/* ---- in_place_square.c --------------------------------------------------------------------- */

hd_status hd_remap_transpose_square(const hd_remap_engine *engine, char *data, uint64_t side,
                                    size_t bytes);
uint64_t hd_remap_square_scratch(size_t bytes);

/* Rows of `bytes` that lie one after another go to where one begins every `run` bytes, each with
 * its tail of `tails` behind it; or back. */
hd_status hd_remap_shift_rows(const hd_remap_engine *engine, char *data, uint64_t rows,
                              size_t bytes, size_t run, char *tails, bool back);
uint64_t hd_remap_shift_scratch(uint64_t rows, size_t bytes, size_t run);

#endif
