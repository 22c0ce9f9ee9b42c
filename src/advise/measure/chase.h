/*
 * Latencies of a device's memory, as pointer chasing measures them: one work-item follows a ring of
 * indices in random order, so that each load waits for the one before. (Saavedra and Smith,
 * "Measuring Cache and TLB Performance and Their Effect on Benchmark Run Times", IEEE Transactions
 * on Computers 44(10), 1995, time loads so; Wong et al., "Demystifying GPU Microarchitecture through
 * Microbenchmarking", ISPASS 2010, do it on a GPU.)
 *
 *     measure_chaser_open(arena, gpu, &chaser);
 *     measure_chase(&chaser, &(measure_ring){.bytes = 8 << 10, .step = 128}, &seconds);
 *     measure_chaser_close(&chaser);
 *
 * Functions return NULL or the driver's error; then gpu->doing says what was tried.
 */
#ifndef HD_MEASURE_CHASE_H
#define HD_MEASURE_CHASE_H

#include "driver/compute.h"

typedef struct measure_chaser {
    hd_arena *arena;
    hd_compute *gpu;
    hd_compute_queue queue;
    hd_compute_program *program;
    void *kernel;
    hd_compute_memory end; /* where a walk ended */
} measure_chaser;

typedef struct measure_ring {
    uint64_t bytes;  /* that it lies in */
    uint32_t step;   /* bytes from a node to the next in memory; both a multiple of 4 */
    uint32_t second; /* a node is two loads, the second so many bytes behind the first; 0: one */
    /* No node is visited twice, and as many bytes behind the ring as it has are written last, so
     * that its own are no longer in a cache of that size. */
    bool is_cold;
} measure_ring;

/* Links the nodes to one cycle: words[i] is the index of the word behind it on the ring. */
void measure_ring_link(const measure_ring *ring, uint32_t *words);

const char *measure_chaser_open(hd_arena *arena, hd_compute *gpu, measure_chaser *chaser);
void measure_chaser_close(measure_chaser *chaser);
/* Seconds of a load. */
const char *measure_chase(measure_chaser *chaser, const measure_ring *ring, double *seconds);

#endif
