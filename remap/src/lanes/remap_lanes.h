/*
 * What the host engine does with vectors. remap_lanes.c is compiled once for each instruction set, whose
 * vectors are in avx512.h, avx2.h and base.h. From AoS to SoA, rows are unzipped to runs; from SoA
 * to AoS, runs are zipped to rows.
 *
 * Words of u bytes, u = 1, 2, 4, 8, 16, lie in rows and are wanted in runs, or the other way
 * round. In both cases 16 bytes of a row, a piece, hold 16 / u words, and 64 / u rows fill a line
 * of 64 bytes of each of 16 / u runs:
 *
 *     u = 4    row 0   a0 b0 c0 d0          a0 a1 a2 ... a15
 *              row 1   a1 b1 c1 d1    <->   b0 b1 b2 ... b15
 *              ...                          c0 c1 c2 ... c15
 *              row 15  a15 b15 c15 d15      d0 d1 d2 ... d15
 *
 * A vector has 1, 2 or 4 lanes of 16 bytes, each with the piece of another row. Interleaving
 * vectors k and k + n/2 of the n = 16 / u, log2 n times, transposes every lane.
 */
#ifndef HD_REMAP_LANES_H
#define HD_REMAP_LANES_H

#include <stdbool.h>
#include <stddef.h>

enum { REMAP_LINE = 64, REMAP_WORD_SIZES = 5 }; /* words of 1 << 0 .. 1 << 4 bytes */

/* Rows that are prefetched, for the second-level cache, while lines are written that lie one after
 * another: a line for each. Many requests at once would fill the queues to memory, and nothing
 * would be written meanwhile. */
typedef struct hd_remap_ahead {
    const char *next, *end; /* of the row that is prefetched */
    size_t row, bytes;      /* from one to the next; of each */
    size_t rows;            /* that are left */
} hd_remap_ahead;

/* Bytes on their way to memory: what does not fill a line yet is kept until the next block comes.
 */
typedef struct hd_remap_stream {
    char *to;              /* where the next byte to be written goes */
    hd_remap_ahead *ahead; /* prefetched meanwhile; or NULL */
    size_t carried;
    char kept[REMAP_LINE]; /* the carried bytes are its last ones */
} hd_remap_stream;

/* A run whose next rows come in lines that lie across its own. */
typedef struct hd_remap_carry {
    char *line;   /* its next one, which begins in the rows that are kept */
    size_t phase; /* so many bytes after the first of them, 1 to 64 */
} hd_remap_carry;

/* How a vector of 64 bytes is put together in each of some rounds: bytes of the first two lines it
 * is taken from (one: of that alone), then byte 64 + i of index[k], k > 1, is byte i of the k-th,
 * and byte i < 64 what the vector had there. */
enum { REMAP_MOST_TAKEN = 16 };
typedef struct hd_remap_shuffle {
    _Alignas(REMAP_LINE) unsigned char index[REMAP_MOST_TAKEN][REMAP_LINE];
    /* Streams, and the offsets of lines in their part of a round. */
    unsigned count, from[REMAP_MOST_TAKEN], at[REMAP_MOST_TAKEN];
} hd_remap_shuffle;

/* A stream of rounds of `step` bytes. */
typedef struct hd_remap_strand {
    char *data;
    size_t step;
    bool streaming; /* written by streaming stores */
} hd_remap_strand;

/* Lines that are prefetched while others are written, evenly: after each step, which writes one or
 * two, `next` grows by `pace`, both in parts of a line. */
enum { REMAP_PACE_BITS = 16 };
typedef struct hd_remap_lines {
    const char *const *lines;
    size_t next, pace;
} hd_remap_lines;

typedef struct hd_remap_lanes {
    /* Rows to runs: word j of row i, at from + i * row + j * u, goes to to + j * run + i * u.
     * Bytes up to `end` may be read. */
    void (*unzip[REMAP_WORD_SIZES])(char *to, size_t run, const char *from, size_t row, size_t rows,
                                    size_t words, const char *end);
    /* The same by streaming stores; `to` and `run` are whole lines, and so are `rows` words. */
    void (*unzip_streaming[REMAP_WORD_SIZES])(char *to, size_t run, const char *from, size_t row,
                                              size_t rows, size_t words, const char *end);
    /* The same, where runs begin anywhere in their lines: writes line after line of each, of the
     * rows before, a line of each word at `kept`, and these, the last of which are kept. `kept`
     * begins a line, `rows` words are whole lines; phases of words of 4 bytes and more are
     * multiples of 4. */
    void (*unzip_across[REMAP_WORD_SIZES])(const hd_remap_carry *runs, char *kept, size_t skipped,
                                           const char *from, size_t row, size_t rows, size_t words,
                                           const char *end);
    /* The same to runs without gaps, of 64 bytes at least: writes the lines that end in them. The
     * line at `kept` has the last rows of the word before, and then of the last one. `words` are
     * whole lines, and `to` is a multiple of 4. Of words of 4 and 8 bytes; NULL: the processor
     * can't. */
    void (*unzip_along[REMAP_WORD_SIZES])(char *kept, char *to, const char *from, size_t row,
                                          size_t rows, size_t words, hd_remap_ahead *ahead);
    /* Runs to rows: word i of run j, at from[j] + skipped + i * u, goes to to + i * row + j * u.
     * Writes nothing else, but for up to 16 bytes behind the last row where rows of fewer bytes
     * than that lie without gaps. */
    void (*zip[REMAP_WORD_SIZES])(char *to, size_t row, const char *const *from, size_t skipped,
                                  size_t rows, size_t words);
    /* The same by streaming stores, of 2, 4, 8 or 16 runs, to rows without gaps; `to` begins a
     * line, and `rows` words are whole lines. */
    void (*zip_streaming[REMAP_WORD_SIZES])(char *to, const char *const *from, size_t skipped,
                                            size_t rows, size_t words);
    /* The same of 3, 5, 6, 7 or 12 runs of words of 4 bytes; NULL: the processor can't. */
    void (*zip_places_streaming)(char *to, const char *const *from, size_t skipped, size_t rows,
                                 size_t words);
    /* Words of 2u bytes to their halves, and back; u of them of each make `bytes` bytes, of
     * which the last line may be touched to its end. A half may be NULL: it is left out, or
     * zero. */
    void (*split[REMAP_WORD_SIZES - 1])(char *const to[2], const bool streaming[2],
                                        const char *from, size_t bytes, hd_remap_lines *ahead);
    void (*join[REMAP_WORD_SIZES - 1])(char *to, const char *const from[2], size_t bytes,
                                       hd_remap_lines *ahead);
    /* All vectors of all rounds, which follow each other in `to`. NULL: the processor can't. */
    void (*shuffle)(const hd_remap_strand *to, const hd_remap_strand *from,
                    const hd_remap_shuffle *vectors, size_t count, size_t rounds,
                    hd_remap_lines *ahead);
    /* Writes the `bytes` at `block`, as hd_remap_put() does, where `to` begins a line; by streaming
     * stores or not. The line before the block is changed. */
    void (*put)(hd_remap_stream *stream, char *block, size_t bytes, bool streaming);
    /* Whole lines, by streaming stores. */
    void (*copy_streaming)(char *to, const char *from, size_t lines);
    /* A line of bytes or more, from and to anywhere, not by streaming stores. */
    void (*copy)(char *to, const char *from, size_t bytes);
    /* What was written by streaming stores is visible to other threads after they see what
     * follows. */
    void (*fence)(void);
} hd_remap_lanes;

extern const hd_remap_lanes hd_remap_lanes_base;
#if defined __x86_64__
extern const hd_remap_lanes hd_remap_lanes_avx2, hd_remap_lanes_avx512;
#endif

#endif
