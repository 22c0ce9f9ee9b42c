/*
 * What follows elements that got other places: numbers that name them, and rows that belong to
 * them. Everything is checked before anything is written.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "remap/remap_host.h"
#include "remap/remap_order.h"

/* ---- both ways of a map -------------------------------------------------------------------- */

/* *to: of what the caller has (`back`: places) the numbers that it gets. *from: the other way. */
static hd_status ways_of(const hd_diag *diag, const hd_remap *map, bool back,
                         const hd_remap_numbers **to, const hd_remap_numbers **from) {
    hd_status status = hd_remap_needs(diag, {map, "map to renumber by"});
    if (status != HD_OK)
        return status;
    if (!map->element.data)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "this map has no index array; only gathers, scatters and maps of the "
                       "program's own renumber");
    status = hd_remap_places_of(diag, map, back ? from : to);
    *(back ? to : from) = &map->element;
    return status;
}

/* ---- index arrays ---------------------------------------------------------------------------- */

typedef struct indices {
    const hd_remap_numbers *numbers;
    uint32_t bytes;
    char *to;
    const char *from;
    uint64_t count, tasks;
    atomic_uint_fast64_t wrong; /* the first index that has no new number */
} indices;

static void check_indices(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    indices *j = user;
    (void)engine, (void)scratch;
    uint64_t i = j->count * task / j->tasks, end = j->count * (task + 1) / j->tasks;
    for (; i < end; i++) {
        uint64_t number = hd_remap_index_at(j->from, j->bytes, i);
        if (number != HD_REMAP_NONE &&
            (number >= j->numbers->count || hd_remap_number(j->numbers, number) == HD_REMAP_NONE))
            break;
    }
    uint_fast64_t first = atomic_load(&j->wrong);
    while (i < end && i < first && !atomic_compare_exchange_weak(&j->wrong, &first, i))
        ;
}

static void change_indices(const hd_remap_engine *engine, void *user, uint64_t task,
                           char *scratch) {
    const indices *j = user;
    (void)engine, (void)scratch;
    uint64_t i = j->count * task / j->tasks, end = j->count * (task + 1) / j->tasks;
    for (; i < end; i++) {
        uint64_t number = hd_remap_index_at(j->from, j->bytes, i);
        if (number != HD_REMAP_NONE)
            number = hd_remap_number(j->numbers, number);
        uint32_t narrow = (uint32_t)number; /* -1 stays */
        if (j->bytes == 8)
            memcpy(j->to + i * 8, &number, sizeof number);
        else
            memcpy(j->to + i * 4, &narrow, sizeof narrow);
    }
}

static hd_status check_memory(const hd_diag *diag, const indices *j, uint64_t numbers) {
    uint64_t bytes;
    if (j->bytes != 4 && j->bytes != 8)
        return hd_fail(diag, HD_EINPUT, NULL, "indices have 4 or 8 bytes, not %" PRIu32, j->bytes);
    if (j->bytes == 4 && numbers > UINT32_MAX)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "indices of 4 bytes cannot tell %" PRIu64 " numbers apart; use 8", numbers);
    if (__builtin_mul_overflow(j->count, j->bytes, &bytes) || bytes > INT64_MAX / 2)
        return hd_fail(diag, HD_EINPUT, NULL, "%" PRIu64 " indices are more than memory has",
                       j->count);
    if (j->count && (!j->to || !j->from))
        return hd_fail(diag, HD_EINPUT, NULL, "there is no memory (NULL) for the %s",
                       j->from ? "new indices" : "indices");
    if (j->to != j->from && hd_remap_meet(j->to, bytes, j->from, bytes))
        return hd_fail(diag, HD_EINPUT, NULL,
                       "the %" PRIu64 " indices overlap with the new ones; use the same memory for "
                       "both, or memory of their own",
                       j->count);
    return HD_OK;
}

static hd_status explain(const hd_diag *diag, const indices *j, bool back) {
    uint64_t at = atomic_load(&j->wrong), number = hd_remap_index_at(j->from, j->bytes, at);
    if (number < j->numbers->count)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "index %" PRIu64 " is %s %" PRIu64 ", which has no %s in this map", at,
                       back ? "place" : "element", number, back ? "element" : "place");
    return hd_fail(diag, HD_EINPUT, NULL,
                   "index %" PRIu64 " is %" PRId64 "; it must be from 0 to %" PRIu64
                   ", or -1 for none",
                   at, j->bytes == 8 ? (int64_t)number : (int32_t)number, j->numbers->count - 1);
}

static hd_status renumber(const hd_diag *diag, const hd_remap *map, bool back, void *to,
                          const void *from, uint32_t bytes, uint64_t count,
                          const hd_remap_host_options *options) {
    indices j = {.bytes = bytes, .to = to, .from = from, .count = count, .wrong = UINT64_MAX};
    const hd_remap_numbers *others;
    hd_remap_engine engine;
    hd_status status = ways_of(diag, map, back, &j.numbers, &others);
    if (status == HD_OK)
        status = check_memory(diag, &j, others->count);
    if (status == HD_OK)
        status = hd_remap_engine_of(diag, options, 2 * count * bytes, &engine);
    if (status != HD_OK || !count)
        return status;
    j.tasks = hd_remap_tasks(&engine, count, 2 * count * bytes);
    status = hd_remap_run(&engine, j.tasks, 0, check_indices, &j);
    if (status == HD_OK && j.wrong != UINT64_MAX)
        status = explain(diag, &j, back);
    return status == HD_OK ? hd_remap_run(&engine, j.tasks, 0, change_indices, &j) : status;
}

hd_status hd_remap_apply_indices(const hd_diag *diag, const hd_remap *map, void *to,
                                 const void *from, uint32_t index_bytes, uint64_t count,
                                 const hd_remap_host_options *options) {
    return renumber(diag, map, false, to, from, index_bytes, count, options);
}

hd_status hd_remap_revert_indices(const hd_diag *diag, const hd_remap *map, void *to,
                                  const void *from, uint32_t index_bytes, uint64_t count,
                                  const hd_remap_host_options *options) {
    return renumber(diag, map, true, to, from, index_bytes, count, options);
}

/* ---- rows ------------------------------------------------------------------------------------- */

typedef struct row_job {
    const hd_remap_rows *to, *from;
    const hd_remap_numbers *from_row; /* of each new row, the old one */
    uint64_t tasks;
} row_job;

static uint64_t begin_of(const hd_remap_rows *rows, uint64_t row) {
    return hd_remap_index_at(rows->first, rows->first_bytes, row);
}

/* Row by row, as `to` has them: tasks are cut where the values are. */
static void move_rows(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const row_job *j = user;
    (void)engine, (void)scratch;
    uint64_t rows = j->from_row->count, bytes = j->to->value_bytes;
    uint64_t row = rows * task / j->tasks, end = rows * (task + 1) / j->tasks;
    for (; row < end; row++) {
        uint64_t old = hd_remap_number(j->from_row, row), at = begin_of(j->from, old);
        memcpy((char *)j->to->value + begin_of(j->to, row) * bytes,
               (const char *)j->from->value + at * bytes,
               (begin_of(j->from, old + 1) - at) * bytes);
    }
}

static hd_status check_rows(const hd_diag *diag, const hd_remap_rows *to, const hd_remap_rows *from,
                            uint64_t rows) {
    if (!to || !from || !to->first || !from->first)
        return hd_fail(diag, HD_EINPUT, NULL, "rows need an array `first` on both sides (NULL)");
    if ((from->first_bytes != 4 && from->first_bytes != 8) || !from->value_bytes ||
        from->first_bytes != to->first_bytes || from->value_bytes != to->value_bytes)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "`first` and the values have %" PRIu32 " and %" PRIu32 " bytes on one side, "
                       "%" PRIu32 " and %" PRIu32
                       " on the other; both sides need the same, `first` "
                       "4 or 8, values at least 1",
                       from->first_bytes, from->value_bytes, to->first_bytes, to->value_bytes);
    uint64_t begin = 0, bytes;
    for (uint64_t i = 0; i <= rows; i++) {
        uint64_t at = begin_of(from, i);
        if (at < begin || at == HD_REMAP_NONE || (!i && at))
            return hd_fail(diag, HD_EINPUT, NULL,
                           "first[%" PRIu64 "] is %" PRId64
                           "; from 0 on, each must be at least the "
                           "one before",
                           i, (int64_t)at);
        begin = at;
    }
    if (__builtin_mul_overflow(begin, from->value_bytes, &bytes) || bytes > INT64_MAX / 2)
        return hd_fail(diag, HD_EINPUT, NULL, "%" PRIu64 " values are more than memory has", begin);
    if (begin && (!to->value || !from->value))
        return hd_fail(diag, HD_EINPUT, NULL,
                       "rows need memory for their values on both sides (NULL)");
    const void *memory[] = {to->first, to->value, from->first, from->value};
    uint64_t firsts = (rows + 1) * from->first_bytes, sizes[] = {firsts, bytes, firsts, bytes};
    for (int a = 0; a < 2; a++)
        for (int b = a + 1; b < 4; b++)
            if (hd_remap_meet(memory[a], sizes[a], memory[b], sizes[b]))
                return hd_fail(diag, HD_EINPUT, NULL,
                               "memory that the moved rows are written to overlaps with other of "
                               "the call; each array needs its own");
    return HD_OK;
}

/* Writes to->first; the number of values. */
static uint64_t set_firsts(const row_job *j) {
    uint64_t at = 0, rows = j->from_row->count;
    for (uint64_t row = 0; row <= rows; row++) {
        uint32_t narrow = (uint32_t)at;
        char *first = (char *)j->to->first + row * j->to->first_bytes;
        memcpy(first, j->to->first_bytes == 8 ? (void *)&at : &narrow, j->to->first_bytes);
        if (row < rows) {
            uint64_t old = hd_remap_number(j->from_row, row);
            at += begin_of(j->from, old + 1) - begin_of(j->from, old);
        }
    }
    return at;
}

static hd_status move(const hd_diag *diag, const hd_remap *map, bool back, const hd_remap_rows *to,
                      const hd_remap_rows *from, const hd_remap_host_options *options) {
    row_job j = {.to = to, .from = from};
    const hd_remap_numbers *to_row;
    hd_remap_engine engine;
    hd_status status = ways_of(diag, map, back, &to_row, &j.from_row);
    if (status != HD_OK)
        return status;
    uint64_t rows = map->elements, moved = 0;
    while (moved < rows && map->places == rows && hd_remap_number(to_row, moved) != HD_REMAP_NONE)
        moved++;
    if (moved < rows)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "rows move where each of the %" PRIu64 " elements has one place and each of "
                       "the %" PRIu64 " places one element; this map is no permutation",
                       rows, map->places);
    status = check_rows(diag, to, from, rows);
    if (status == HD_OK) /* before anything is written */
        status = hd_remap_engine_of(diag, options, 2 * begin_of(from, rows) * from->value_bytes,
                                    &engine);
    uint64_t values = status == HD_OK ? set_firsts(&j) : 0;
    if (!values)
        return status;
    j.tasks = hd_remap_tasks(&engine, rows, 2 * values * to->value_bytes);
    return hd_remap_run(&engine, j.tasks, 0, move_rows, &j);
}

hd_status hd_remap_apply_rows(const hd_diag *diag, const hd_remap *map, const hd_remap_rows *to,
                              const hd_remap_rows *from, const hd_remap_host_options *options) {
    return move(diag, map, false, to, from, options);
}

hd_status hd_remap_revert_rows(const hd_diag *diag, const hd_remap *map, const hd_remap_rows *to,
                               const hd_remap_rows *from, const hd_remap_host_options *options) {
    return move(diag, map, true, to, from, options);
}
