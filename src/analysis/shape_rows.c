/* Tables of clumps: rows by a hash of what they are. */
#include <stdlib.h>

#include "analysis/shape_rows.h"

static void *grown(void *data, size_t *capacity, size_t wanted, size_t item_bytes) {
    if (wanted <= *capacity)
        return data;
    *capacity = wanted < 64 ? 64 : 2 * wanted;
    return hd_checked(realloc(data, *capacity * item_bytes));
}

static uint64_t hash_of(const shape_clump *clump) {
    uint64_t hash = (uint64_t)clump->lanes << 32 | clump->residue;
    for (uint32_t i = 0; i < 2 * clump->lanes; i++)
        hash = hd_hash_mix(hash, (uint32_t)clump->places[i]);
    return hash;
}

static bool is_row(const shape_rows *rows, size_t row, const shape_clump *clump) {
    const shape_clump own = shape_rows_clump(rows, row);
    return own.lanes == clump->lanes && own.residue == clump->residue &&
           !memcmp(own.places, clump->places, 2 * clump->lanes * sizeof *clump->places);
}

static size_t add_row(shape_rows *rows, const shape_clump *clump) {
    size_t ints = 2 * (size_t)clump->lanes;
    rows->rows = grown(rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows);
    rows->places =
        grown(rows->places, &rows->place_capacity, rows->place_count + ints, sizeof *rows->places);
    memcpy(rows->places + rows->place_count, clump->places, ints * sizeof *rows->places);
    rows->rows[rows->count] = (shape_row){clump->lanes, clump->residue, rows->place_count, {0}};
    rows->place_count += ints;
    return rows->count++;
}

size_t shape_rows_find(shape_rows *rows, const shape_clump *clump) {
    /* Clumps of equal hash follow each other, as if they had the next ones. */
    for (uint64_t hash = hash_of(clump);; hash++) {
        uint64_t row = hd_hash_get(&rows->numbers, hash);
        if (row == HD_NO_VALUE) {
            hd_hash_add(&rows->numbers, hash, rows->count);
            return add_row(rows, clump);
        }
        if (is_row(rows, row, clump))
            return row;
    }
}

uint64_t shape_rows_seen(const shape_rows *rows, size_t row) {
    uint64_t seen = 0;
    for (uint32_t l = rows->level; l < SHAPE_LEVELS; l++)
        seen += rows->rows[row].count[l];
    return seen;
}

/* Drops the rows that no request of the table's level has. */
static void drop_rows(shape_rows *rows) {
    shape_rows left = *rows;
    left.rows = NULL;
    left.places = NULL;
    left.count = left.capacity = left.place_count = left.place_capacity = 0;
    hd_hash_clear(&left.numbers);
    left.generation++;
    for (size_t r = 0; r < rows->count; r++) {
        if (!shape_rows_seen(rows, r))
            continue;
        shape_clump clump = shape_rows_clump(rows, r);
        size_t row = shape_rows_find(&left, &clump);
        memcpy(left.rows[row].count, rows->rows[r].count, sizeof rows->rows[r].count);
    }
    free(rows->rows);
    free(rows->places);
    *rows = left;
}

void shape_rows_fit(shape_rows *rows) {
    while (rows->count > rows->most && rows->level + 1 < SHAPE_LEVELS) {
        rows->level++;
        drop_rows(rows);
    }
}

void shape_rows_merge(shape_rows *rows, const shape_rows *from) {
    if (from->level > rows->level) {
        rows->level = from->level;
        drop_rows(rows);
    }
    for (uint32_t l = 0; l < SHAPE_LEVELS; l++) {
        rows->levels[l].requests += from->levels[l].requests;
        rows->levels[l].transactions += from->levels[l].transactions;
        rows->levels[l].squares += from->levels[l].squares;
    }
    for (size_t r = 0; r < from->count; r++) {
        uint64_t seen = 0;
        for (uint32_t l = rows->level; l < SHAPE_LEVELS; l++)
            seen += from->rows[r].count[l];
        if (!seen)
            continue;
        shape_clump clump = shape_rows_clump(from, r);
        size_t row = shape_rows_find(rows, &clump);
        for (uint32_t l = rows->level; l < SHAPE_LEVELS; l++)
            rows->rows[row].count[l] += from->rows[r].count[l];
        shape_rows_fit(rows);
    }
}

shape_level shape_rows_kept(const shape_rows *rows) {
    shape_level kept = {0};
    for (uint32_t l = rows->level; l < SHAPE_LEVELS; l++) {
        kept.requests += rows->levels[l].requests;
        kept.transactions += rows->levels[l].transactions;
        kept.squares += rows->levels[l].squares;
    }
    return kept;
}

void shape_rows_free(shape_rows *rows) {
    hd_hash_free(&rows->numbers);
    free(rows->rows);
    free(rows->places);
    *rows = (shape_rows){.most = rows->most};
}
