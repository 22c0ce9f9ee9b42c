/*
 * Stack distances: how many different lines were touched since a line was touched
 * last, for every access of a run, and from that the miss ratio of every LRU cache.
 *
 *     hd_stack_options options = {.line = 128, .warp = 32, .scope = HD_STACK_DEVICE};
 *     hd_stack *analysis = hd_stack_new(arena, diag, &options);
 *     hd_sink sink = hd_stack_sink(analysis);              give it to any producer
 *     const hd_stack_result *result = hd_stack_result_of(analysis);
 *     hd_stack_misses(result, 4096);                       of a cache of 4096 lines
 *     hd_stack_free(analysis);
 *
 * docs/locality.md says what an access of a line is.
 */
#ifndef HD_STACK_H
#define HD_STACK_H

#include "device/device.h"
#include "machine/event.h"

/* Whose accesses go through one stack. */
typedef enum hd_stack_scope {
    HD_STACK_DEVICE,  /* all blocks, one after another; launches too */
    HD_STACK_CLUSTER, /* block n on cluster n mod `clusters`; launches too */
    HD_STACK_BLOCK    /* every block has a stack of its own */
} hd_stack_scope;

enum { HD_STACK_CLUSTERS_MAX = 65536 };

typedef struct hd_stack_options {
    uint64_t line; /* bytes; a power of two */
    uint32_t warp; /* lanes that access together, from 1 on */
    hd_stack_scope scope;
    uint32_t clusters; /* 1 to HD_STACK_CLUSTERS_MAX, for HD_STACK_CLUSTER */
    uint32_t spaces;   /* whose accesses count, bit 1 << kir_space; 0: all that are heard */
    uint64_t memory;   /* bytes that the stacks may take; 0: 1 GiB */
} hd_stack_options;

/* How many accesses a cache of so many lines hits. */
typedef struct hd_stack_point {
    uint64_t lines, hits;
} hd_stack_point;

/* An access of distance d is a hit in a cache of d lines and more. */
typedef struct hd_stack_result {
    uint64_t launches, blocks, mis, lane_accesses; /* that were heard */
    uint64_t line_accesses;
    uint64_t cold;          /* accesses of lines that their stack had not seen: distance infinite */
    uint64_t stacks;        /* with at least one access */
    uint64_t footprint;     /* different lines of the stack that has most */
    const uint64_t *counts; /* [footprint + 1]: accesses of distance d, which begin at 1; NULL where
                             * ranks have divided them, and only these points are known: */
    const hd_stack_point *points; /* [point_count] ascending */
    uint64_t point_count;
} hd_stack_result;

typedef struct hd_stack hd_stack;

hd_stack *hd_stack_new(hd_arena *arena, const hd_diag *diag, const hd_stack_options *options);
/* For any number of launches. Blocks may come from several threads; what those after the
 * one whose turn it is have touched waits in memory, at most 16 MiB of it, then event()
 * waits. Blocks that are closed as not complete count as far as they came. */
hd_sink hd_stack_sink(hd_stack *analysis);
/* What was heard so far; between launches. Lives until it is asked for again, or
 * hd_stack_free(). */
const hd_stack_result *hd_stack_result_of(hd_stack *analysis);
void hd_stack_free(hd_stack *analysis);

/* Misses of a fully associative LRU cache of that many lines for each stack; without counts, lines
 * of a point, 0, or the footprint and more. */
uint64_t hd_stack_misses(const hd_stack_result *result, uint64_t lines);

/* The cache that a stack stands for: the device's, or that of one SM; NULL where there is none. */
static inline const hd_cache *hd_stack_cache(const hd_device *device, hd_stack_scope scope) {
    const hd_cache *cache = scope == HD_STACK_DEVICE ? &device->l2 : &device->l1;
    return cache->size ? cache : NULL;
}

#endif
