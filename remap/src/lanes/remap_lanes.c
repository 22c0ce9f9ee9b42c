/* Rows to runs and back (lanes.h). Compiled once for each HD_LANES_NAME; see CMakeLists.txt. */
#include "remap/lanes/remap_lanes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))
#define SEPARATE static __attribute__((noinline))
#define UNROLL _Pragma("GCC unroll 16")

typedef uint64_t lane_of_8 __attribute__((vector_size(16), aligned(1), may_alias));

#if defined __AVX512BW__
#include "remap/lanes/avx512.h"
#elif defined __AVX2__
#include "remap/lanes/avx2.h"
#else
#include "remap/lanes/base.h"
#endif

enum { PIECE = 16, VECTOR = PIECE * LANES, MOST_WORDS = 16 };

ALWAYS size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* In each lane: word j of vector k becomes word k of vector j. */
ALWAYS void transpose(size_t u, vector v[MOST_WORDS]) {
    const size_t n = PIECE / u;
    vector mixed[MOST_WORDS];
    UNROLL for (size_t stage = 1; stage < n; stage *= 2) {
        UNROLL for (size_t k = 0; k < n / 2; k++) {
            mixed[2 * k] = low(u, v[k], v[k + n / 2]);
            mixed[2 * k + 1] = high(u, v[k], v[k + n / 2]);
        }
        UNROLL for (size_t k = 0; k < n; k++) v[k] = mixed[k];
    }
}

/* Prefetches as many lines as were written. */
ALWAYS void prefetch_ahead(hd_remap_ahead *ahead, size_t lines) {
    if (!ahead)
        return;
    for (; lines && ahead->rows; lines--) {
        __builtin_prefetch(ahead->next, 0, 2);
        ahead->next += REMAP_LINE;
        if (ahead->next < ahead->end)
            continue;
        __builtin_prefetch(ahead->end - 1, 0, 2); /* it may lie in one line more */
        ahead->end += ahead->row;
        ahead->next = ahead->end - ahead->bytes;
        ahead->rows--;
    }
}

ALWAYS void put_lines(char *to, const char *from, size_t lines, bool streaming,
                      hd_remap_ahead *ahead) {
    for (size_t i = 0; i < lines; i++) {
        UNROLL for (size_t part = 0; part < REMAP_LINE; part += VECTOR) {
            vector v = load(from + i * REMAP_LINE + part);
            if (streaming)
                store_streaming(to + i * REMAP_LINE + part, v);
            else
                store(to + i * REMAP_LINE + part, v);
        }
        prefetch_ahead(ahead, 1);
    }
}

ALWAYS void copy_line(char *to, const char *from) { put_lines(to, from, 1, false, NULL); }

/* The first `bytes` of a lane, fewer than 16, and not a byte more. */
ALWAYS void store_part(char *to, lane_of_8 lane, size_t bytes) {
    uint64_t rest = lane[0];
    if (bytes & 8) {
        memcpy(to, &rest, 8);
        to += 8;
        rest = lane[1];
    }
    if (bytes & 4) {
        memcpy(to, &rest, 4);
        to += 4;
        rest >>= 32;
    }
    if (bytes & 2) {
        memcpy(to, &rest, 2);
        to += 2;
        rest >>= 16;
    }
    if (bytes & 1)
        memcpy(to, &rest, 1);
}

/* ---- rows to runs -------------------------------------------------------------------------- */

/* A piece of 64 / u rows, of which `words` are wanted. */
ALWAYS void unzip_piece(size_t u, bool streaming, char *to, size_t run, const char *from,
                        size_t row, size_t words) {
    const size_t n = PIECE / u;
    UNROLL for (size_t part = 0; part < REMAP_LINE / VECTOR; part++) {
        vector v[MOST_WORDS];
        UNROLL for (size_t k = 0; k < n; k++) v[k] =
            join(from + (part * n * LANES + k) * row, n * row);
        transpose(u, v);
        UNROLL for (size_t k = 0; k < n; k++) if (k < words && streaming)
            store_streaming(to + k * run + part * VECTOR, v[k]);
        else if (k < words) store(to + k * run + part * VECTOR, v[k]);
    }
}

#if defined __AVX512BW__
/* Some lanes of rows that fill a line of each of their words: n = 16 / u vectors for each lane. */
ALWAYS void join_group(size_t u, size_t lanes, vector v[], const char *from, size_t row) {
    const size_t n = PIECE / u;
    UNROLL for (size_t k = 0; k < n; k++) {
        vector joined[LANES];
        if (lanes == LANES)
            join_lines(from + k * row, n * row, joined);
        else if (lanes == 2)
            join_pairs(from + k * row, n * row, joined);
        else
            joined[0] = join(from + k * row, n * row);
        UNROLL for (size_t lane = 0; lane < lanes; lane++) v[lane * n + k] = joined[lane];
    }
}

/* A piece of as many words as rows, each of whose lines is loaded once. */
enum { HAS_LINES = 1 };
ALWAYS void unzip_lines(size_t u, bool streaming, char *to, size_t run, const char *from,
                        size_t row) {
    const size_t n = PIECE / u;
    vector v[REMAP_LINE];
    join_group(u, LANES, v, from, row);
    UNROLL for (size_t lane = 0; lane < LANES; lane++) {
        transpose(u, v + lane * n);
        UNROLL for (size_t k = lane * n; k < lane * n + n; k++) if (streaming)
            store_streaming(to + k * run, v[k]);
        else store(to + k * run, v[k]);
    }
}
#else
enum { HAS_LINES = 0 };
ALWAYS void unzip_lines(size_t u, bool streaming, char *to, size_t run, const char *from,
                        size_t row) {
    (void)u, (void)streaming, (void)to, (void)run, (void)from, (void)row;
}
#endif

typedef void unzip_piece_fn(char *to, size_t run, const char *from, size_t row, size_t words);

/* The same where fewer rows, or fewer bytes of a row, may be touched. */
static void unzip_rest(unzip_piece_fn *piece, size_t u, char *to, size_t run, const char *from,
                       size_t row, size_t rows, size_t words) {
    char in[REMAP_LINE * PIECE] = {0}, out[MOST_WORDS * REMAP_LINE];
    for (size_t i = 0; i < rows; i++)
        memcpy(in + i * PIECE, from + i * row, words * u);
    piece(out, REMAP_LINE, in, PIECE, words);
    for (size_t j = 0; j < words; j++)
        memcpy(to + j * run, out + j * REMAP_LINE, rows * u);
}

typedef void unzip_lines_fn(char *to, size_t run, const char *from, size_t row);

/* The last rows begin so early that they are whole. */
ALWAYS void unzip(unzip_piece_fn *piece, unzip_lines_fn *lines, unzip_piece_fn *to_scratch,
                  size_t u, char *to, size_t run, const char *from, size_t row, size_t rows,
                  size_t words, const char *end) {
    const size_t group = REMAP_LINE / u, n = PIECE / u;
    for (size_t begun = 0; begun < rows; begun += group)
        for (size_t j = 0, wanted; j < words; j += wanted) {
            size_t i = rows < group ? 0 : least(begun, rows - group), left = least(rows, group);
            const char *at = from + i * row + j * u;
            wanted = least(words - j, n);
            if (left == group && lines && words - j >= group) {
                wanted = group;
                lines(to + j * run + i * u, run, at, row);
                continue;
            }
            if (left == group && (wanted == n || (size_t)(end - at) >= (group - 1) * row + PIECE))
                piece(to + j * run + i * u, run, at, row, wanted);
            else
                unzip_rest(to_scratch, u, to + j * run + i * u, run, at, row, left, wanted);
        }
}

/* ---- rows to runs that begin anywhere ------------------------------------------------------ */

#if defined __AVX512BW__
/* Pieces that are read at once: as many as the registers hold. */
#define SIDE_BY_SIDE(u) ((u) == 4 ? 2 : (u) == 8 ? 4 : 1)

/* Word j of row k to row j of vector k. */
ALWAYS void load_group(size_t u, size_t lanes, vector v[], const char *from, size_t row) {
    join_group(u, lanes, v, from, row);
    UNROLL for (size_t lane = 0; lane < lanes; lane++) transpose(u, v + lane * (PIECE / u));
}

/* Some pieces of all rows. The rows before stay in registers. */
ALWAYS void unzip_across(size_t u, unzip_piece_fn *piece, const hd_remap_carry *runs, char *kept,
                         size_t skipped, const char *from, size_t row, size_t rows, size_t words) {
    const size_t group = REMAP_LINE / u, n = SIDE_BY_SIDE(u) * PIECE / u;
    vector before[MOST_WORDS], v[MOST_WORDS];
    (void)piece;
    UNROLL for (size_t k = 0; k < n; k++) before[k] = load(kept + (k < words ? k : 0) * REMAP_LINE);
    for (size_t i = 0; i < rows; i += group, from += group * row, skipped += REMAP_LINE) {
        load_group(u, SIDE_BY_SIDE(u), v, from, row);
        UNROLL for (size_t k = 0; k < n; k++) if (k < words) {
            store_streaming(runs[k].line + skipped, line_across(u, before[k], v[k], runs[k].phase));
            before[k] = v[k];
        }
    }
    UNROLL for (size_t k = 0; k < n; k++) if (k < words) store(kept + k * REMAP_LINE, before[k]);
}
#else
#define SIDE_BY_SIDE(u) 1

ALWAYS void unzip_across(size_t u, unzip_piece_fn *piece, const hd_remap_carry *runs, char *kept,
                         size_t skipped, const char *from, size_t row, size_t rows, size_t words) {
    const size_t group = REMAP_LINE / u;
    char both[MOST_WORDS][2 * REMAP_LINE];
    for (size_t i = 0; i < rows; i += group) {
        for (size_t k = 0; k < words; k++)
            copy_line(both[k], kept + k * REMAP_LINE);
        piece(both[0] + REMAP_LINE, sizeof both[0], from + i * row, row, words);
        for (size_t k = 0; k < words; k++) {
            put_lines(runs[k].line + skipped + i * u, both[k] + runs[k].phase, 1, true, NULL);
            copy_line(kept + k * REMAP_LINE, both[k] + REMAP_LINE);
        }
    }
}
#endif

typedef void unzip_across_fn(const hd_remap_carry *runs, char *kept, size_t skipped,
                             const char *from, size_t row, size_t rows, size_t words);

/* The last words go through a scratch, group by group, where their rows end with the memory. */
ALWAYS void unzip_words_across(unzip_across_fn *across, size_t u, const hd_remap_carry *runs,
                               char *kept, size_t skipped, const char *from, size_t row,
                               size_t rows, size_t words, const char *end) {
    const size_t bytes = SIDE_BY_SIDE(u) * PIECE, n = bytes / u;
    char in[REMAP_LINE * PIECE];
    for (size_t j = 0, wanted; j < words; j += wanted) {
        const char *at = from + j * u;
        size_t whole = rows, group = REMAP_LINE / u;
        wanted = least(words - j, n);
        while (wanted < n && whole && (size_t)(end - at) < (whole - 1) * row + bytes)
            whole -= group;
        if (whole)
            across(runs + j, kept + j * REMAP_LINE, skipped, at, row, whole, wanted);
        for (size_t i = whole; i < rows; i += group) {
            for (size_t r = 0; r < group; r++)
                memcpy(in + r * bytes, at + (i + r) * row, wanted * u);
            across(runs + j, kept + j * REMAP_LINE, skipped + i * u, in, bytes, group, wanted);
        }
    }
}

/* ---- rows to runs without gaps ------------------------------------------------------------- */

#if defined __AVX512BW__
/* Lines of the runs of some words. `last` has the last rows of a word, and `before` those that
 * come before: at first of the word before. The last rows reach back into whole lines of their run;
 * what follows those makes one line more where the run ends in the next one. */
ALWAYS void unzip_along(size_t u, char *kept, char *to, const char *from, size_t row, size_t rows,
                        hd_remap_ahead *ahead) {
    const size_t lanes = SIDE_BY_SIDE(u), group = REMAP_LINE / u, words = lanes * PIECE / u,
                 run = rows * u;
    size_t whole = rows / group, rest = run - whole * REMAP_LINE;
    vector before[MOST_WORDS], last[MOST_WORDS], v[MOST_WORDS];
    load_group(u, lanes, last, from + (rows - group) * row, row);
    before[0] = load(kept);
    UNROLL for (size_t k = 1; k < words; k++) before[k] = last[k - 1];
    store(kept, last[words - 1]);
    for (size_t i = 0; i < whole; i++, from += group * row) {
        load_group(u, lanes, v, from, row);
        UNROLL for (size_t k = 0; k < words; k++) {
            size_t over = (uintptr_t)(to + k * run) % REMAP_LINE;
            store_streaming(to + k * run - over + i * REMAP_LINE,
                            line_across(u, before[k], v[k], REMAP_LINE - over));
            before[k] = v[k];
        }
        prefetch_ahead(ahead, words);
    }
    UNROLL for (size_t k = 0; k < words; k++) {
        size_t over = (uintptr_t)(to + k * run) % REMAP_LINE;
        if (over + rest < REMAP_LINE)
            continue;
        vector end = line_across(u, last[k], last[k], REMAP_LINE - rest);
        store_streaming(to + k * run - over + whole * REMAP_LINE,
                        line_across(u, before[k], end, REMAP_LINE - over));
    }
    prefetch_ahead(ahead, words * rest / REMAP_LINE);
}
#endif

/* ---- runs to rows -------------------------------------------------------------------------- */

/* A piece of 64 / u rows out of `words` runs, row by row. Fewer words than a piece has, but for
 * the 8 bytes that are stored as fast, are followed by others where no byte lies between rows: the
 * next row is written over them. */
ALWAYS void zip_piece(size_t u, char *to, size_t row, const char *const *from, size_t skipped,
                      size_t words) {
    const size_t n = PIECE / u;
    bool whole = words == n || (row == words * u && row != 8);
    UNROLL for (size_t part = 0; part < REMAP_LINE / VECTOR; part++) {
        vector v[MOST_WORDS];
        UNROLL for (size_t k = 0; k < n; k++) v[k] =
            load(from[k < words ? k : 0] + skipped + part * VECTOR);
        transpose(u, v);
        UNROLL for (int lane = 0; lane < LANES; lane++) UNROLL for (size_t k = 0; k < n; k++) {
            char *at = to + (part * n * LANES + (size_t)lane * n + k) * row;
            if (whole)
                *(lane_of_8 *)at = lane_of(v[k], lane);
            else
                store_part(at, lane_of(v[k], lane), words * u);
        }
    }
}

typedef void zip_piece_fn(char *to, size_t row, const char *const *from, size_t skipped,
                          size_t words);

/* The same for fewer rows. */
static void zip_rest(zip_piece_fn *piece, size_t u, char *to, size_t row, const char *const *from,
                     size_t skipped, size_t rows, size_t words) {
    char in[MOST_WORDS * REMAP_LINE] = {0}, out[REMAP_LINE * PIECE];
    const char *runs[MOST_WORDS] = {0};
    for (size_t j = 0; j < words; j++) {
        memcpy(in + j * REMAP_LINE, from[j] + skipped, rows * u);
        runs[j] = in + j * REMAP_LINE;
    }
    piece(out, PIECE, runs, 0, words);
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * row, out + i * PIECE, words * u);
}

/* Of few runs, one piece is read to the end before the next one is: processors follow a few
 * streams at once, and runs that lie a power of two apart push each other out of the caches. The
 * last piece begins so early that it is whole. */
ALWAYS void zip(zip_piece_fn *piece, size_t u, char *to, size_t row, const char *const *from,
                size_t skipped, size_t rows, size_t words) {
    const size_t group = REMAP_LINE / u, n = PIECE / u;
    size_t beside = words <= 2 * n ? n : words;
    for (size_t first = 0; first < words; first += beside)
        for (size_t i = 0; i < rows; i += group)
            for (size_t piece_at = first; piece_at < least(first + beside, words); piece_at += n) {
                size_t j = words < n ? 0 : least(piece_at, words - n);
                char *at = to + i * row + j * u;
                size_t left = least(rows - i, group), wanted = least(words, n);
                if (left == group)
                    piece(at, row, from + j, skipped + i * u, wanted);
                else
                    zip_rest(piece, u, at, row, from + j, skipped + i * u, left, wanted);
            }
}

/* As many rows as fill a vector of each of `words` runs, a power of two, to lines of rows. */
ALWAYS void zip_vectors(size_t u, size_t words, char *to, const char *const *from, size_t skipped) {
    vector v[MOST_WORDS], mixed[MOST_WORDS];
    UNROLL for (size_t k = 0; k < words; k++) v[k] = load(from[k] + skipped);
    UNROLL for (size_t stage = 1; stage < words; stage *= 2) {
        UNROLL for (size_t k = 0; k < words / 2; k++) {
            mixed[2 * k] = zip_low(u, v[k], v[k + words / 2]);
            mixed[2 * k + 1] = zip_high(u, v[k], v[k + words / 2]);
        }
        UNROLL for (size_t k = 0; k < words; k++) v[k] = mixed[k];
    }
    UNROLL for (size_t k = 0; k < words; k++) store_streaming(to + k * VECTOR, v[k]);
}

ALWAYS void zip_streaming(size_t u, size_t words, char *to, const char *const *from, size_t skipped,
                          size_t bytes) {
    for (size_t i = 0; i < bytes; i += VECTOR)
        zip_vectors(u, words, to + i * words, from, skipped + i);
}

#if defined __AVX512BW__
/* 64 / u rows of some pieces of runs to lines of rows. Word j of every piece's vectors, transposed,
 * has row j of each lane: those of all pieces, in order, are the lanes of lines. */
ALWAYS void zip_pieces(size_t u, size_t pieces, char *to, const char *const *from, size_t skipped) {
    const size_t n = PIECE / u, lines = pieces * n / LANES;
    vector rows[MOST_WORDS];
    UNROLL for (size_t p = 0; p < pieces; p++) {
        vector v[MOST_WORDS];
        UNROLL for (size_t k = 0; k < n; k++) v[k] = load(from[p * n + k] + skipped);
        transpose(u, v);
        UNROLL for (size_t j = 0; j < n; j++) rows[j * pieces + p] = v[j];
    }
    UNROLL for (size_t line = 0; line < lines; line++) turn_lanes(rows + line * LANES);
    UNROLL for (size_t lane = 0; lane < LANES; lane++)
        UNROLL for (size_t line = 0; line < lines; line++)
            store_streaming(to + (lane * lines + line) * REMAP_LINE, rows[line * LANES + lane]);
}
#endif

/* ---- columns to columns of longer words, and back ------------------------------------------ */

ALWAYS void prefetch_next(hd_remap_lines *ahead) {
    __builtin_prefetch(ahead->lines[ahead->next >> REMAP_PACE_BITS], 0, 3);
    ahead->next += ahead->pace;
}

ALWAYS void split_halves(size_t u, char *const to[2], const bool streaming[2], const char *from,
                         size_t bytes, hd_remap_lines *lines) {
    hd_remap_lines ahead = *lines;
    for (size_t i = 0; i < bytes; i += VECTOR) {
        vector a = load(from + 2 * i), b = load(from + 2 * i + VECTOR);
        prefetch_next(&ahead);
        UNROLL for (int half = 0; half < 2; half++) {
            vector v = half ? unzip_high(u, a, b) : unzip_low(u, a, b);
            if (streaming[half])
                store_streaming(to[half] + i, v);
            else if (to[half])
                store(to[half] + i, v);
        }
    }
    *lines = ahead;
}

ALWAYS void join_halves(size_t u, char *to, const char *const from[2], size_t bytes,
                        hd_remap_lines *lines) {
    hd_remap_lines ahead = *lines;
    for (size_t i = 0; i < bytes; i += VECTOR) {
        vector a = from[0] ? load(from[0] + i) : (vector){0};
        vector b = from[1] ? load(from[1] + i) : (vector){0};
        prefetch_next(&ahead);
        store(to + 2 * i, zip_low(u, a, b));
        store(to + 2 * i + VECTOR, zip_high(u, a, b));
    }
    *lines = ahead;
}

/* ---- out ----------------------------------------------------------------------------------- */

ALWAYS void put_block(hd_remap_stream *stream, char *block, size_t bytes, bool streaming) {
    size_t all = stream->carried + bytes, lines = all / REMAP_LINE;
    if (stream->carried)
        copy_line(block - REMAP_LINE, stream->kept);
    put_lines(stream->to, block - stream->carried, lines, streaming, stream->ahead);
    stream->to += lines * REMAP_LINE;
    stream->carried = all % REMAP_LINE;
    if (stream->carried)
        copy_line(stream->kept, block + bytes - REMAP_LINE);
}

static void put(hd_remap_stream *stream, char *block, size_t bytes, bool streaming) {
    if (streaming)
        put_block(stream, block, bytes, true);
    else
        put_block(stream, block, bytes, false);
}

static void copy_streaming(char *to, const char *from, size_t lines) {
    put_lines(to, from, lines, true, NULL);
}

static void copy(char *to, const char *from, size_t bytes) {
    size_t at = -(uintptr_t)to % REMAP_LINE;
    if (at)
        copy_line(to, from);
    for (; at + REMAP_LINE <= bytes; at += REMAP_LINE)
        copy_line(to + at, from + at);
    if (at < bytes)
        copy_line(to + bytes - REMAP_LINE, from + bytes - REMAP_LINE);
}

static void fence(void) { wait_for_stores(); }

/* ---- the table ----------------------------------------------------------------------------- */

#if defined __AVX512BW__
static void zip_places_streaming(char *to, const char *const *from, size_t skipped, size_t rows,
                                 size_t words) {
    const char *runs[MOST_WORDS];
    for (size_t k = 0; k < words; k++)
        runs[k] = from[k] + skipped;
    if (words == 3)
        zip_by_places(3, to, runs, rows);
    else if (words == 5)
        zip_by_places(5, to, runs, rows);
    else if (words == 6)
        zip_by_places(6, to, runs, rows);
    else if (words == 7)
        zip_by_places(7, to, runs, rows);
    else
        for (size_t i = 0; i < rows * 4; i += REMAP_LINE)
            zip_pieces(4, 3, to + i * 12, runs, i);
}
#define DEFINE_ALONG(u)                                                                          \
    static void unzip_along_##u(char *kept, char *to, const char *from, size_t row, size_t rows, \
                                size_t words, hd_remap_ahead *ahead) {                           \
        for (size_t j = 0; j < words; j += SIDE_BY_SIDE(u) * PIECE / u)                          \
            unzip_along(u, kept, to + j * rows * u, from + j * u, row, rows, ahead);             \
    }
DEFINE_ALONG(4)
DEFINE_ALONG(8)
#else
#define zip_places_streaming NULL
#define unzip_along_4 NULL
#define unzip_along_8 NULL
#endif

#define LINES(u, name) (HAS_LINES ? name##_lines_##u : NULL)

/* Pieces are functions of their own: inlined, they are too much for the registers. */
#define DEFINE_UNZIP(u, name, streaming)                                                      \
    SEPARATE void name##_piece_##u(char *to, size_t run, const char *from, size_t row,        \
                                   size_t words) {                                            \
        unzip_piece(u, streaming, to, run, from, row, words);                                 \
    }                                                                                         \
    SEPARATE void name##_lines_##u(char *to, size_t run, const char *from, size_t row) {      \
        unzip_lines(u, streaming, to, run, from, row);                                        \
    }                                                                                         \
    static void name##_##u(char *to, size_t run, const char *from, size_t row, size_t rows,   \
                           size_t words, const char *end) {                                   \
        unzip(name##_piece_##u, LINES(u, name), unzip_piece_##u, u, to, run, from, row, rows, \
              words, end);                                                                    \
    }
#define DEFINE(u)                                                                                  \
    DEFINE_UNZIP(u, unzip, false)                                                                  \
    DEFINE_UNZIP(u, unzip_streaming, true)                                                         \
    SEPARATE void across_piece_##u(const hd_remap_carry *runs, char *kept, size_t skipped,         \
                                   const char *from, size_t row, size_t rows, size_t words) {      \
        unzip_across(u, unzip_piece_##u, runs, kept, skipped, from, row, rows, words);             \
    }                                                                                              \
    static void unzip_across_##u(const hd_remap_carry *runs, char *kept, size_t skipped,           \
                                 const char *from, size_t row, size_t rows, size_t words,          \
                                 const char *end) {                                                \
        unzip_words_across(across_piece_##u, u, runs, kept, skipped, from, row, rows, words, end); \
    }                                                                                              \
    SEPARATE void zip_piece_##u(char *to, size_t row, const char *const *from, size_t skipped,     \
                                size_t words) {                                                    \
        if (words == PIECE / u)                                                                    \
            zip_piece(u, to, row, from, skipped, PIECE / u);                                       \
        else                                                                                       \
            zip_piece(u, to, row, from, skipped, words);                                           \
    }                                                                                              \
    static void zip_##u(char *to, size_t row, const char *const *from, size_t skipped,             \
                        size_t rows, size_t words) {                                               \
        zip(zip_piece_##u, u, to, row, from, skipped, rows, words);                                \
    }                                                                                              \
    static void zip_streaming_##u(char *to, const char *const *from, size_t skipped, size_t rows,  \
                                  size_t words) {                                                  \
        if (words == 2)                                                                            \
            zip_streaming(u, 2, to, from, skipped, rows *u);                                       \
        else if (words == 4)                                                                       \
            zip_streaming(u, 4, to, from, skipped, rows *u);                                       \
        else if (words == 8)                                                                       \
            zip_streaming(u, 8, to, from, skipped, rows *u);                                       \
        else                                                                                       \
            zip_streaming(u, 16, to, from, skipped, rows *u);                                      \
    }
DEFINE(1)
DEFINE(2)
DEFINE(4)
DEFINE(8)
DEFINE(16)

#define DEFINE_HALVES(u)                                                                \
    static void split_##u(char *const to[2], const bool streaming[2], const char *from, \
                          size_t bytes, hd_remap_lines *ahead) {                        \
        split_halves(u, to, streaming, from, bytes, ahead);                             \
    }                                                                                   \
    static void join_##u(char *to, const char *const from[2], size_t bytes,             \
                         hd_remap_lines *ahead) {                                       \
        join_halves(u, to, from, bytes, ahead);                                         \
    }
DEFINE_HALVES(1)
DEFINE_HALVES(2)
DEFINE_HALVES(4)
DEFINE_HALVES(8)

#if defined __AVX512VBMI__
/* One vector, in all rounds. Steps are added from memory: pointers take the registers. */
ALWAYS void shuffle_rounds(char *out, const hd_remap_strand *to, const hd_remap_strand *from,
                           const hd_remap_shuffle *s, size_t rounds, hd_remap_lines *lines,
                           size_t taken) {
    hd_remap_lines ahead = *lines;
    const char *at[REMAP_MOST_TAKEN];
    size_t step[REMAP_MOST_TAKEN];
    vector index[REMAP_MOST_TAKEN];
    UNROLL for (size_t k = 0; k < taken; k++) {
        at[k] = from[s->from[k]].data + s->at[k];
        step[k] = from[s->from[k]].step;
        index[k] = load((const char *)s->index[k]);
    }
    size_t out_step = to->step;
    bool streaming = to->streaming;
    for (size_t r = 0; r < rounds; r++) {
        __asm__ volatile("" : : "r"(step) : "memory");
        prefetch_next(&ahead);
        vector v = load(at[0]);
        if (taken == 1)
            v = _mm512_permutexvar_epi8(index[0], v);
        UNROLL for (size_t k = 1; k < taken; k++) v =
            _mm512_permutex2var_epi8(v, index[k], load(at[k]));
        if (streaming)
            store_streaming(out, v);
        else
            store(out, v);
        UNROLL for (size_t k = 0; k < taken; k++) at[k] += step[k];
        out += out_step;
    }
    *lines = ahead;
}

static void shuffle(const hd_remap_strand *to, const hd_remap_strand *from,
                    const hd_remap_shuffle *vectors, size_t count, size_t rounds,
                    hd_remap_lines *ahead) {
#define TAKEN(n)                                                                             \
    case n: shuffle_rounds(to->data + i * REMAP_LINE, to, from, s, rounds, ahead, n); break;
    for (size_t i = 0; i < count; i++) {
        const hd_remap_shuffle *s = &vectors[i];
        switch (s->count) {
            TAKEN(1)
            TAKEN(2)
            TAKEN(3)
            TAKEN(4)
            TAKEN(5)
            TAKEN(6)
            TAKEN(7)
            TAKEN(8)
            TAKEN(9)
            TAKEN(10)
            TAKEN(11)
            TAKEN(12)
            TAKEN(13)
            TAKEN(14)
            TAKEN(15)
            TAKEN(16)
        }
    }
#undef TAKEN
}
#else
#define shuffle NULL
#endif

#define NAME_(name) hd_remap_lanes_##name
#define NAME(name) NAME_(name)
const hd_remap_lanes NAME(HD_LANES_NAME) = {
    {unzip_1, unzip_2, unzip_4, unzip_8, unzip_16},
    {unzip_streaming_1, unzip_streaming_2, unzip_streaming_4, unzip_streaming_8,
     unzip_streaming_16},
    {unzip_across_1, unzip_across_2, unzip_across_4, unzip_across_8, unzip_across_16},
    {NULL, NULL, unzip_along_4, unzip_along_8, NULL},
    {zip_1, zip_2, zip_4, zip_8, zip_16},
    {zip_streaming_1, zip_streaming_2, zip_streaming_4, zip_streaming_8, zip_streaming_16},
    zip_places_streaming,
    {split_1, split_2, split_4, split_8},
    {join_1, join_2, join_4, join_8},
    shuffle,
    put,
    copy_streaming,
    copy,
    fence};
