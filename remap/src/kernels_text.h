/*
 * What the writers of remapping kernels share. Private to kernels*.c and compare.c.
 *
 * A kernel is one of the texts in text/, in one language: that of the words below, which
 * text/opencl.cl and text/cuda.cuh define. What is written for a map are macros with its sizes, and
 * lists of its fields, in front of the text.
 *
 *     hd_w1 ... hd_w16      words of 1, 2, 4, 8 and 16 bytes; the last has members x, y, z, w
 *     HD_WORDS(x, y, z, w)  one of 16 bytes
 *     HD_GLOBAL, HD_LOCAL   of pointers; HD_SHARED of the local memory itself
 *     HD_ITEM, HD_GROUP     numbers; HD_ITEMS is how many items a group has
 *     HD_BACK               1: from the device to the host
 *     HD_DEVICE, HD_HOST    of pointers to either side: what is read is constant
 *     HD_PARAMETERS         the kernel's; HD_PARTS those of them that are the device's side, and
 *                           HD_PART_NAMES their names
 *
 * Launches have one dimension.
 */
#ifndef HD_REMAP_KERNELS_TEXT_H
#define HD_REMAP_KERNELS_TEXT_H

#include "remap/remap_kernels.h"

/* A kernel that is being written. */
typedef struct remap_kernel_writer {
    const hd_remap *map;
    bool back; /* from the device to the host */
    hd_remap_dialect dialect;
    hd_remap_tuning tuning; /* nothing is 0 in it */
    hd_str out;
} remap_kernel_writer;

/* Defines the words. */
void remap_kernel_words(remap_kernel_writer *writer);

/* The function of a program's own map, with the index header that it may use. */
void remap_kernel_own_function(remap_kernel_writer *writer);

/* The greatest power of two up to `most` that divides a and b. */
uint32_t remap_common_word(uint64_t a, uint64_t b, uint32_t most);
/* The name of an unsigned type for numbers below `limit`: hd_w4 or hd_w8. */
const char *remap_kernel_number(uint64_t limit);

/* What kernels of processors share, in OpenCL C alone. */
extern const char remap_kernel_vectors[];

/* ---- one file for each kind of map ------------------------------------------------------- */

/* Records that a group moves, and the kernel. */
uint32_t remap_records_of_group(const hd_remap *map, const hd_remap_tuning *tuning);
void remap_kernel_of_records(remap_kernel_writer *writer);

/* A matrix is moved in tiles, one by each group. */
typedef struct remap_matrix_tile {
    uint32_t rows, columns; /* of a diagonal map: diagonals */
    uint64_t across;        /* tiles next to each other */
    uint32_t word;          /* bytes of what an item moves */
    uint32_t packed;        /* elements of a word, or 1 */
} remap_matrix_tile;
remap_matrix_tile remap_matrix_tile_of(const hd_remap *map, const hd_remap_tuning *tuning);
void remap_kernel_of_matrix(remap_kernel_writer *writer);

#endif
