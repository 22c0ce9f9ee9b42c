/* A part on its way back: columns in, events out. */
#ifndef HD_TRACE_DECODE_H
#define HD_TRACE_DECODE_H

#include "part.h"
#include "trace/trace.h"

/* Who is told how far a reading is, and ends it. */
typedef struct reading {
    const hd_trace_watch *watch; /* or NULL */
    uint64_t all, done;          /* lane accesses, or bytes of a text; at least 1 */
    uint64_t told;               /* of `done`, when somebody was told last */
    bool stopped;
} reading;

/* So much more is done. False: the reading is to end here. */
bool reading_goes_on(reading *r, uint64_t more);

typedef struct decoder {
    reading *reading;
    part_model model;
    cursor columns[COLUMN_COUNT];
} decoder;

/* What the head of a part says of it. */
typedef struct part_head {
    uint32_t launch, part;
    bool last;
    uint64_t block, first_position;
    uint32_t events;
    uint64_t lane_accesses;
} part_head;

/* The model knows the launch (part_model_launch()). Gives the part's events to `sink`, but for
 * those of spaces that are not in `spaces` (a bit 1 << kir_space each). NULL, or what is wrong with
 * the columns, which may come from anybody; the events before have then been given. */
const char *decoder_events(decoder *d, const part_head *head, const uint8_t *columns, size_t count,
                           uint32_t spaces, const hd_sink *sink, void *stream);
#endif
