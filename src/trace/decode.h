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
    part_model model;
    cursor columns[COLUMN_COUNT];
    uint32_t left;          /* events of the part that are still to come */
    uint64_t lane_accesses; /* of these */
} decoder;

/* What the head of a part says of it. */
typedef struct part_head {
    uint32_t launch, part;
    bool last;
    uint64_t block, first_position;
    uint32_t events;
    uint64_t lane_accesses;
} part_head;

/* A part's columns, which stay until its last event; the model knows the launch
 * (part_model_launch()). NULL, or what is wrong with them: they may come from anybody. */
const char *decoder_begin(decoder *d, const part_head *head, const uint8_t *columns, size_t count);
/* The next event while any are left; valid until the one after it is asked for. NULL, or what is
 * wrong with it or, where it is the last one, with the columns. */
const char *decoder_next(decoder *d, hd_event *event);

#endif
