/* The host engine from the inside: threads, streams of output, and a file for each kind of map. */
#ifndef HD_REMAP_HOST_H
#define HD_REMAP_HOST_H

#include "remap/lanes/remap_lanes.h"
#include "remap/remap_map.h"

static inline uint64_t hd_remap_least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t hd_remap_most(uint64_t a, uint64_t b) { return a < b ? b : a; }

/* Whether two pieces of memory have bytes in common. */
static inline bool hd_remap_meet(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
    uintptr_t from = (uintptr_t)a, other = (uintptr_t)b;
    return from < other ? other - from < a_bytes : from - other < b_bytes;
}

/* ---- host_threads.c ------------------------------------------------------------------------ */

typedef struct hd_remap_engine {
    const hd_diag *diag;
    const hd_remap_lanes *lanes;
    uint32_t threads;
    bool streaming; /* by streaming stores: the data is larger than the caches */
} hd_remap_engine;

/* For a remap that reads and writes `bytes` in all. */
hd_status hd_remap_engine_of(const hd_diag *diag, const hd_remap_host_options *options,
                             uint64_t bytes, hd_remap_engine *engine);

/* Does task `task` with `scratch`, which begins a line and is zero at a thread's first task. */
typedef void hd_remap_task_fn(const hd_remap_engine *engine, void *job, uint64_t task,
                              char *scratch);
/* Does tasks 0 to tasks - 1 on the engine's threads, each with a scratch of its own. */
hd_status hd_remap_run(const hd_remap_engine *engine, uint64_t tasks, size_t scratch_bytes,
                       hd_remap_task_fn *task, void *job);
/* In how many tasks to cut `units` of work that moves `bytes`. */
uint64_t hd_remap_tasks(const hd_remap_engine *engine, uint64_t units, uint64_t bytes);

/* ---- host_stream.c: writing whole lines ---------------------------------------------------- */

/* The `bytes` at `block` follow those of before. The line before a block is changed. */
void hd_remap_put(const hd_remap_engine *engine, hd_remap_stream *stream, char *block,
                  size_t bytes);
/* Writes what is carried. */
void hd_remap_end(hd_remap_stream *stream);

/* `count` values of `bytes`, which lie `from_step` apart, to where they lie `to_step` apart. */
void hd_remap_copy_values(char *to, size_t to_step, const char *from, size_t from_step,
                          size_t bytes, size_t count);

/* The number of `bytes` among the sizes of words, or -1. */
static inline int hd_remap_word(uint64_t bytes) {
    return bytes && bytes <= 16 && !(bytes & (bytes - 1)) ? __builtin_ctzll(bytes) : -1;
}

/* ---- host_panels.c: rows to runs ----------------------------------------------------------- */

typedef struct hd_remap_grid {
    char *to;
    const char *from, *end; /* of what may be read */
    size_t run, row;        /* bytes from one to the next */
    size_t bytes;           /* of a word */
    uint64_t words, rows;
    uint64_t before, length; /* word j has rows j - before to j - before + length - 1 of them */
    bool slanted;            /* else all rows */
    int word;                /* which of the sizes of words, -1: none */

    /* Chosen by hd_remap_move_grid(). */
    uint64_t panel;          /* words */
    bool prefetches;         /* for the next block while one is put */
    uint64_t down, step;     /* rows of such a block, words that are put at once */
    uint64_t block, strip;   /* where panels are crossed in strips: rows, words */
    uint64_t panels, pieces; /* tasks: panels times pieces of the rows */
} hd_remap_grid;

hd_status hd_remap_move_grid(const hd_remap_engine *engine, hd_remap_grid *grid);

/* Prefetches `bytes` of each of some rows, for the second-level cache. GCC takes a function that
 * does nothing else for one without effect, and leaves its calls out; hence the empty
 * instruction. */
static inline void hd_remap_prefetch(const char *from, size_t row, uint64_t rows, size_t bytes) {
    for (uint64_t r = 0; r < rows; r++, from += row)
        for (const char *line = from - (uintptr_t)from % REMAP_LINE; line < from + bytes;
             line += REMAP_LINE)
            __builtin_prefetch(line, 0, 2);
    __asm__ volatile("");
}

/* ---- host_records.c, host_matrix.c, host_index.c ------------------------------------------- */

hd_status hd_remap_apply_records(const hd_remap_engine *engine, const hd_remap *map,
                                 void *const to[], const char *from);
hd_status hd_remap_revert_records(const hd_remap_engine *engine, const hd_remap *map, char *to,
                                  const void *const from[]);
/* The vector function for whole records of `words` words, by streaming stores; NULL: none. */
typedef void hd_remap_zip_fn(char *to, const char *const *from, size_t skipped, size_t rows,
                             size_t words);
hd_remap_zip_fn *hd_remap_zip_of(const hd_remap_engine *engine, int word, uint64_t words);
hd_status hd_remap_move_matrix(const hd_remap_engine *engine, const hd_remap *map, char *to,
                               const char *from, bool back);
/* Value i from number numbers[i]; where there is none, what is there stays. */
hd_status hd_remap_move_numbers(const hd_remap_engine *engine, const hd_remap_numbers *numbers,
                                size_t bytes, char *to, const char *from);

/* ---- remap_host.c -------------------------------------------------------------------------------- */

/* What hd_remap_apply(), hd_remap_revert() and those in place do with the engine that they choose,
 * unchecked. */
hd_status hd_remap_apply_by(const hd_remap_engine *engine, const hd_remap *map, void *const to[],
                            const void *from);
hd_status hd_remap_revert_by(const hd_remap_engine *engine, const hd_remap *map, void *to,
                             const void *const from[]);
hd_status hd_remap_in_place_by(const hd_remap_engine *engine, const hd_remap *map, void *data,
                               bool back);

#endif
