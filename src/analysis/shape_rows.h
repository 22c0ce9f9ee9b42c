/*
 * What shapes.c is made of: tables of clumps, and how often each was seen.
 *
 * Where there are more clumps than a table may hold, it keeps those of a sample of the requests.
 * Every request has a level, from a hash of where in the run it stands: half of all have level 0,
 * a quarter level 1, and so on. A clump counts its requests by their level. When the table is
 * full, its own level rises: requests of lower levels count no more, and clumps that have no
 * others go. So the level at the end is the least at which the clumps of all requests of that
 * level and above fit, whatever their order was and however many tables they were first in:
 * a part of the requests never needs a higher level than all of them. (Gibbons, "Distinct sampling
 * for highly-accurate answers to distinct values queries and event reports", VLDB 2001, keeps a
 * sample of values in this way.)
 */
#ifndef HD_SHAPE_ROWS_H
#define HD_SHAPE_ROWS_H

#include "base/table.h"
#include "model/measured.h"

enum { SHAPE_LEVELS = 20, SHAPE_LANES = 64 };

typedef struct shape_clump {
    uint32_t lanes, residue;
    const int32_t *places; /* [2 * lanes]: elements relative to the first, then bytes inside */
} shape_clump;

typedef struct shape_row {
    uint32_t lanes, residue;
    size_t places; /* where they begin in shape_rows.places */
    uint64_t count[SHAPE_LEVELS];
} shape_row;

/* Requests of one level, and their transactions in the layout that was run. */
typedef struct shape_level {
    uint64_t requests, transactions, squares;
} shape_level;

/* Zeros but for `most` are an empty table; its memory is malloc's. */
typedef struct shape_rows {
    uint64_t most;       /* rows that it may hold */
    uint32_t level;      /* requests below it do not count */
    uint32_t generation; /* changes when rows move */
    hd_hash_table numbers;
    shape_row *rows;
    size_t count, capacity;
    int32_t *places;
    size_t place_count, place_capacity;
    shape_level levels[SHAPE_LEVELS];
} shape_rows;

/* The level of the request that this is the hash of. Of one event, requests may have hashes that
 * are HD_RANDOM_STEP apart. */
static inline uint32_t shape_level_of(uint64_t hash) {
    return (uint32_t)__builtin_ctzll(hash >> 40 | (uint64_t)1 << (SHAPE_LEVELS - 1));
}

/* The row of a clump, which it gets if it has none. Rows move when the level rises: afterwards
 * call shape_rows_fit(). */
size_t shape_rows_find(shape_rows *rows, const shape_clump *clump);
/* Raises the level until the table holds no more rows than it may. */
void shape_rows_fit(shape_rows *rows);
static inline shape_clump shape_rows_clump(const shape_rows *rows, size_t row) {
    const shape_row *r = &rows->rows[row];
    return (shape_clump){r->lanes, r->residue, rows->places + r->places};
}
/* How often a row was seen by requests that count. */
uint64_t shape_rows_seen(const shape_rows *rows, size_t row);
/* Adds all that `from` has, which stays as it is. */
void shape_rows_merge(shape_rows *rows, const shape_rows *from);
/* Requests that count, and their sums. */
shape_level shape_rows_kept(const shape_rows *rows);
void shape_rows_free(shape_rows *rows);

#endif
