/* A part on its way to the file: events in, columns out. */
#ifndef HD_TRACE_ENCODE_H
#define HD_TRACE_ENCODE_H

#include "base/table.h"
#include "part.h"

enum { RECENT_LISTS = 2 };

typedef struct encoder {
    part_model model;
    bytes columns[COLUMN_COUNT];
    uint64_t first_position;
    uint32_t events;
    uint64_t lane_accesses;
    bool full; /* the part must end here */
    /* Ids of the part, by hash. Equal hashes of different data are as good as never, and cost
     * only a match that is then not used. */
    hd_hash_table masks, patterns;
    uint32_t recent[RECENT_LISTS]; /* accesses that remembered addresses last */
    uint32_t lanes_of;             /* the access whose memory has the last event's lanes, all of
                                    * them as far away; or UINT32_MAX */
} encoder;

/* Begins a part; the model knows the launch (part_model_launch()). */
void encoder_begin(encoder *c, uint64_t position);
/* The event's access and lanes are those of the launch, its position not before the next
 * one. Sets `full` when the part is large enough. */
void encoder_event(encoder *c, const hd_event *event);
/* The part's columns, one after the other, as docs/trace-format.md has them. */
void encoder_finish(const encoder *c, bytes *out);
void encoder_free(encoder *c);

#endif
