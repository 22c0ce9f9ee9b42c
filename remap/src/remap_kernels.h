/*
 * Remapping kernels: their text, and how they are launched for a piece of the data. Private.
 *
 * A kernel moves one chunk: `count` units from unit `first` on. What a unit is depends on the map
 * and the direction (hd_remap_units()). Its parameters, in this order:
 *
 *     the device's side   one pointer for each part of the map, to the whole of it
 *     the staging memory  the chunk's units as they lie on the host, the first one at byte 0; for a
 *                         gather to the device: the whole source
 *     the numbers         only for maps with an index array that have no device code of their own:
 *                         those of the chunk's units, 4 or 8 bytes each
 *     first, count        64 bits each
 *
 * Memory begins at a multiple of 16 bytes.
 *
 *     map            direction    unit     numbers
 *     records        both         element
 *     matrices       both         row
 *     gather         to device    place    the unit's element
 *     scatter, user  to device    element  the unit's place
 *     all of these   from device  element  the unit's place; one without is left in staging
 */
#ifndef HD_REMAP_KERNELS_H
#define HD_REMAP_KERNELS_H

#include "driver/compute.h"
#include "remap/remap_map.h"

typedef enum hd_remap_dialect { HD_REMAP_OPENCL_C, HD_REMAP_CUDA_C } hd_remap_dialect;

/* What is chosen for a device, by trying; 0 everywhere: good for a device that is not known. */
typedef struct hd_remap_tuning {
    uint32_t group;    /* work-items of a group */
    uint32_t per_item; /* values that each moves at a time */
    bool direct;       /* without local memory (processors as devices) */
} hd_remap_tuning;

/* The program that has the map's kernel. The text needs no other file; it lives in `arena`. */
const char *hd_remap_kernel_text(hd_arena *arena, const hd_remap *map, hd_remap_direction direction,
                                 hd_remap_dialect dialect, const hd_remap_tuning *tuning);
#define HD_REMAP_KERNEL "hd_remap_kernel"

/* How the kernel is launched for a chunk of `count` units. */
hd_compute_launch hd_remap_launch_of(const hd_remap *map, const hd_remap_tuning *tuning,
                                     uint64_t count);

/* The units of a direction. Chunks begin at multiples of `step` units. */
typedef struct hd_remap_units {
    uint64_t count;        /* of the whole map */
    uint64_t bytes;        /* of one, as it lies on the host */
    uint64_t step;         /* so that chunks split no tile */
    uint32_t number_bytes; /* 0: the kernel takes no numbers */
} hd_remap_units;
hd_remap_units hd_remap_units_of(const hd_remap *map, hd_remap_direction direction);

#endif
