/*
 * What the processor counts of this process: perf events of Linux.
 *
 *     hd_perf_open(arena, NULL, &perf);       before threads start that are to be counted
 *     hd_perf_read(&perf, &before);
 *     ...
 *     hd_perf_read(&perf, &after);
 *     hd_perf_add(&sum, &before, &after);
 *     hd_perf_print(arena, &sum, 10);         "cycles=1.23e+06 instructions=2.5e+06", a tenth each
 *
 * All threads of the process that are started after hd_perf_open() are counted with the one that
 * calls it, what the kernel of the system does for them is not. Each event is opened by itself, and
 * is absent without harm.
 */
#ifndef HD_COUNTERS_H
#define HD_COUNTERS_H

#include "base/base.h"

struct perf_event_attr;

enum { HD_PERF_EVENTS = 6 };

typedef struct hd_perf {
    int files[HD_PERF_EVENTS]; /* -1: the processor does not count that */
    const char *names;         /* of those that it counts: "cycles, instructions" */
    const char *why;           /* nothing can be counted, and how to mend it; NULL: something can */
} hd_perf;

/* A processor that has fewer counters than there are events lets them take turns. */
typedef struct hd_perf_counts {
    struct {
        uint64_t count;
        uint64_t enabled, running; /* ns that threads ran, and that it was counted in */
    } of[HD_PERF_EVENTS];
} hd_perf_counts;

/* `open_event` gives a file for an event, or -1 and errno; NULL: the system's perf_event_open().
 * Close it also where nothing can be counted. */
void hd_perf_open(hd_arena *arena, int (*open_event)(struct perf_event_attr *event), hd_perf *perf);
void hd_perf_close(hd_perf *perf);
/* Since hd_perf_open(). */
void hd_perf_read(const hd_perf *perf, hd_perf_counts *counts);
void hd_perf_add(hd_perf_counts *sum, const hd_perf_counts *before, const hd_perf_counts *after);
/* Events that were counted at some time, scaled to all of the time and divided by `runs`; "": none
 * was. */
const char *hd_perf_print(hd_arena *arena, const hd_perf_counts *sum, double runs);

#endif
