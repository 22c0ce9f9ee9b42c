/*
 * How many threads of a job touch the record that it is asked about. Where none does, or hardly
 * one, no figure says anything of its layout: not that another one gains, and not that none does.
 */
#ifndef HD_ADVISE_TOUCHED_H
#define HD_ADVISE_TOUCHED_H

#include "machine/event.h"
#include "model/cost.h"

/* Fewer than this share of the threads are none to judge by. */
#define HD_TOUCHED_LEAST 0.01

typedef struct hd_touched {
    double threads; /* that touch it, each once in every run of a launch */
    double of;      /* those of the launches that are given it */
} hd_touched;

static inline bool hd_touched_suffices(const hd_touched *t) {
    return t->threads > 0 && t->threads >= HD_TOUCHED_LEAST * t->of;
}

/* By the prices of its accesses in any layout: of each kernel as many as its most frequent one has,
 * loops of unknown length taken to run once. */
hd_touched hd_touched_by_cost(const hd_job *job, const hd_cost_line *lines, size_t count);

/* Counts the threads of the blocks that are heard. Freed with the arena, when the machine is done. */
typedef struct hd_toucher hd_toucher;
hd_toucher *hd_toucher_new(hd_arena *arena, const hd_job *job, hd_touched *counts);
/* The next run is of this launch. */
void hd_toucher_next(hd_toucher *toucher, uint32_t launch);
hd_sink hd_toucher_sink(hd_toucher *toucher);

#endif
