/* What the parts of the remap bench share. */
#ifndef HD_BENCH_REMAP_H
#define HD_BENCH_REMAP_H

#include <stddef.h>
#include <stdint.h>

/* ---- work.c: work on threads --------------------------------------------------------------- */

/* Does units [begin, end) of something. */
typedef void work_fn(const void *job, uint64_t begin, uint64_t end);
/* All of 0 to units - 1, split between the threads in equal parts; the calling thread is one. */
void work_on(unsigned threads, uint64_t units, work_fn *work, const void *job);

/* ---- copy.c: the yardstick ----------------------------------------------------------------- */

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

/* ---- loops.c: what a program would write, compiled with -O3 -------------------------------- */

typedef struct loop {
    char *to;
    const char *from;
    uint64_t run;           /* bytes from a field's run to the next one's */
    uint64_t rows, columns; /* of a matrix */
    const uint32_t *index;
    const struct any_record *record;
} loop;

work_fn *loop_to_soa(unsigned word, unsigned words); /* over records */
work_fn *loop_to_aos(unsigned word, unsigned words);
work_fn *loop_to_tiles(unsigned words, unsigned tile); /* 4-byte words */
work_fn *loop_from_tiles(unsigned words, unsigned tile);
work_fn *loop_transpose(unsigned bytes); /* over rows of the source */
work_fn *loop_gather(unsigned bytes);    /* over places */

/* A struct of fields of several sizes. */
typedef struct mixed {
    double a;
    float b, c;
    short d, e;
    char f, g, h, i;
} mixed;
void loop_mixed_to_soa(const void *job, uint64_t begin, uint64_t end);
void loop_mixed_to_aos(const void *job, uint64_t begin, uint64_t end);

/* A struct of any fields of 1, 2, 4 and 8 bytes. */
enum { MOST_FIELDS = 16 };
typedef struct any_record {
    size_t bytes;
    unsigned count, size[MOST_FIELDS];
    size_t offset[MOST_FIELDS];
    uint64_t run[MOST_FIELDS]; /* where each field's run begins */
} any_record;
void loop_any_to_soa(const void *job, uint64_t begin, uint64_t end);
void loop_any_to_aos(const void *job, uint64_t begin, uint64_t end);

#endif
