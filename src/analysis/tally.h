/*
 * Counts for each access of each launch, and for each launch: what the analyses of analysis.h
 * share.
 *
 * What is counted is a struct of uint64_t, which add up. Each block counts on its own, in its
 * stream; its sums are added to the launch's when it closes. Blocks that are closed incomplete are
 * left out. Results do not depend on the order of blocks. A block may stand for several
 * (hd_tally_weigh()), as in a sample: its sums are added so many times.
 *
 * Several counters can count side by side:
 *
 *     const hd_tally_work works[] = {hd_coalesce_work(arena, device), hd_banks_work(arena, device)};
 *     hd_tally *tally = hd_tally_new(arena, works, 2);
 *     hd_sink sink = hd_tally_sink(tally);                     give it to any producer
 *     const hd_banks_counts *row = hd_tally_of(tally, 1, launch, access);
 *
 * What an event of evenly spaced lanes counts depends on little, and loops repeat the same few of
 * them: a small table keeps what they count and how often they came. So do events of blocks of two
 * dimensions, whose lanes are not evenly spaced but for each event alike.
 */
#ifndef HD_TALLY_H
#define HD_TALLY_H

#include "machine/in_order.h"

enum { HD_TALLY_WORKS = 8, HD_TALLY_WORDS = 16 /* of all works' rows */ };

/* A counter: what it counts of an event. */
typedef struct hd_tally_work {
    const void *self;
    size_t state_bytes; /* of what each thread has of its own; zeros at first */
    size_t count_bytes; /* of a row */
    uint32_t spaces;    /* bit kir_space: events that go there are counted ... */
    uint32_t summed;    /* ... and for the launch, too */
    uint32_t period;    /* moved by so many bytes, a power of two, an event counts the same */
    /* Counts an event, into zeros. */
    void (*count)(const void *self, void *state, const hd_event_launch *launch,
                  const hd_event *event, kir_space space, void *counts);
} hd_tally_work;

typedef struct hd_tally hd_tally;

/* In the arena; what it takes besides is freed by hd_tally_free(). */
hd_tally *hd_tally_new(hd_arena *arena, const hd_tally_work *works, uint32_t count);
hd_sink hd_tally_sink(hd_tally *tally);
/* Blocks that are opened from now on stand for so many; 1 at first. */
void hd_tally_weigh(hd_tally *tally, uint64_t weight);
void hd_tally_free(hd_tally *tally);

/* Adds a row of `bytes` to another one. */
void hd_tally_add(void *sum, const void *more, size_t bytes);

/* Of a work's rows. */
size_t hd_tally_row_bytes(const hd_tally *tally, uint32_t work);
/* A work's row of one access of a launch (its number as the events gave it), and of the whole
 * launch. NULL when there is no such launch or access. */
const void *hd_tally_of(const hd_tally *tally, uint32_t work, uint32_t launch, uint32_t access);
const void *hd_tally_of_launch(const hd_tally *tally, uint32_t work, uint32_t launch);

#endif
