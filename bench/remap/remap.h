/* What the parts of the remap bench share. */
#ifndef HD_BENCH_REMAP_H
#define HD_BENCH_REMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "heddle/remap.h"

/* ---- copy.c: the yardstick ----------------------------------------------------------------- */

/* Does units [begin, end) of something. */
typedef void work_fn(const void *job, uint64_t begin, uint64_t end);
/* All of 0 to units - 1, split between the threads in equal parts; the calling thread is one. */
void work_on(unsigned threads, uint64_t units, work_fn *work, const void *job);

/* Ways of copying by streaming stores. */
typedef struct copy_way {
    const char *name;
    /* 64 bytes each; `to` begins a line. */
    void (*lines)(char *to, const char *from, uint64_t lines);
} copy_way;
/* Those that the processor has; a NULL name ends them. */
const copy_way *copy_ways(void);
void copy_streaming(const copy_way *way, unsigned threads, char *to, const char *from,
                    uint64_t bytes);
/* memcpy() of each thread's part. */
void copy_plainly(unsigned threads, char *to, const char *from, uint64_t bytes);

/* ---- loops.c: what a program would write --------------------------------------------------- */

typedef void loop_fn(char *to, const char *from, uint64_t rows, uint64_t columns,
                     const uint32_t *index, uint64_t begin, uint64_t end);
typedef struct loop {
    loop_fn *run;
    void *library;
    char *to;
    const char *from;
    uint64_t rows, columns; /* of a matrix */
    const uint32_t *index;
} loop;

/* A struct of fields of 1, 2, 4 and 8 bytes. */
enum { MOST_FIELDS = 16 };
typedef struct any_record {
    size_t bytes, align;
    unsigned count, size[MOST_FIELDS];
    size_t offset[MOST_FIELDS];
} any_record;

/* The text of loops over records, to the map's runs or (of fields of one size) its tiles, over rows
 * of a matrix, and over places. tile: 0 for runs. */
const char *loop_records(hd_arena *arena, const any_record *r, const hd_remap *map, unsigned tile,
                         bool back);
const char *loop_transpose(hd_arena *arena, unsigned bytes);
const char *loop_gather(hd_arena *arena, unsigned bytes);

/* Compiles the text, for the loop's `run`. */
hd_status loop_open(hd_arena *arena, const hd_diag *diag, const char *text, loop *l);
void loop_close(loop *l);
/* Does a part of it: a work_fn. */
void loop_part(const void *job, uint64_t begin, uint64_t end);

#endif
