/*
 * Pictures of addresses over time: how many lane accesses each part of a buffer gets in each
 * part of a run.
 *
 *     hd_picture_set *set = hd_picture_new(arena, mis, 512, 256);
 *     hd_sink sink = hd_picture_sink(set);          blocks one after another
 *     const hd_picture *pictures = hd_pictures_of(set, &count);
 */
#ifndef HD_PICTURE_H
#define HD_PICTURE_H

#include "machine/event.h"

typedef struct hd_picture {
    const char *name;
    kir_space space;
    uint64_t base, bytes;
    uint64_t mis_per_column, bytes_per_row;
    uint32_t columns, rows;
    uint64_t lane_accesses;
    uint64_t *counts; /* [rows * columns], row by row; row 0 is at the buffer's beginning; NULL
                       * when there was no access */
} hd_picture;

typedef struct hd_picture_set hd_picture_set;

/* Of a run of `mis` events (more would go to the last column), at most so many columns and rows
 * each. */
hd_picture_set *hd_picture_new(hd_arena *arena, uint64_t mis, uint32_t columns, uint32_t rows);
/* Counts accesses to buffers in global and constant memory, by address. Blocks must come one
 * after another, as from a trace: time is the number of the event. */
hd_sink hd_picture_sink(hd_picture_set *set);
/* One for each buffer that any launch had, in the order in which they came; 64 at most. */
const hd_picture *hd_pictures_of(const hd_picture_set *set, size_t *count);

#endif
