/*
 * What the analyses of a run count of each static access, in all launches of its kernel.
 *
 *     hd_access_table table = {.arena = arena};
 *     for each launch: hear its events with hd_counters, then
 *         hd_access_table_add(&table, launch, counters, NULL);
 */
#ifndef HD_ACCESS_TABLE_H
#define HD_ACCESS_TABLE_H

#include "analysis/analysis.h"
#include "analysis/cache.h"

/* An access of a kernel. Its texts are the table's. */
typedef struct hd_access_row {
    const char *kernel;
    hd_access_kind kind;
    kir_space space;
    uint32_t width;
    const char *file; /* NULL: not known */
    uint32_t line, column;
    uint64_t pc;
    const char *buffer, *record, *field; /* NULL: not known, or none */
    hd_launch_counts counts;
    hd_cache_sum cached; /* zeros where no caches were simulated */
} hd_access_row;

/* All zero but for `arena`: an empty table. Rows stand as the launches have them. */
typedef struct hd_access_table {
    hd_arena *arena;
    hd_access_row *data;
    size_t count, capacity;
    size_t next; /* where the next access of a kernel that was met before is looked for first */
} hd_access_table;

/* Adds what was counted of a launch to the rows of its accesses, and what caches served of them:
 * cached[launch->access_count], or NULL. */
void hd_access_table_add(hd_access_table *table, const hd_event_launch *launch,
                         const hd_tally *counters, const hd_cache_sum *cached);
/* Of what was counted of an access the part that counts for its launches, too: accesses to global
 * memory, and the passes of local memory's banks. */
hd_launch_counts hd_access_row_moved(const hd_access_row *row);
/* "bodies.x"; without names, what the tool that made a trace calls the access. */
const char *hd_access_row_target(hd_arena *arena, const hd_access_row *row);

/* With their columns; for these the context is a row whose file need not be named. The access, and
 * hd_access_row_moved() of it. */
extern const hd_member hd_access_row_members[];
/* The same for text, without analyses that have nothing to say of the sum of these accesses. */
const hd_member *hd_access_row_columns(hd_arena *arena, const hd_launch_counts *sum);

#endif
