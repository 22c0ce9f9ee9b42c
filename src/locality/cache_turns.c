/*
 * Turns: which block issues its next MI.
 *
 * Blocks go to SMs in the order of the launch: the first one to SM 0, the second to SM 1, and so
 * on, around and around until every SM holds as many as it can. Then all of them take turns, SM by
 * SM, and on an SM in the order in which its places were taken; a turn is one MI of a block, all
 * its warps one after the other. A block that has ended leaves its place to the next one of the
 * launch, whose first turn is where the old one's would have been.
 *
 *     2 SMs of 2 places, 5 blocks
 *     SM 0    b0 b2        turns    b0 b2 | b1 b3 | b0 b2 | b1 b3 | ...
 *     SM 1    b1 b3        b1 ends:         b4 b3         | b4 b3
 */
#include <stdlib.h>

#include "locality/cache_parts.h"

typedef struct taking {
    const cache_turns *turns;
    uint64_t next;             /* row of the block that comes next */
    hd_trace_stream **streams; /* [sms * blocks_per_sm] */
    uint32_t *held;            /* [sms]: places that are taken, the first ones */
    uint64_t open;
} taking;

static hd_status take_block(taking *t, hd_trace_stream **place) {
    const cache_turns *turns = t->turns;
    const hd_trace_launch *l = turns->launch;
    hd_status status = hd_trace_stream_open(turns->trace, turns->diag, l->launch.number,
                                            l->blocks[t->next++].block, place);
    t->open += status == HD_OK;
    return status;
}

static hd_status take_first_blocks(taking *t) {
    const cache_turns *turns = t->turns;
    hd_status status = HD_OK;
    for (uint32_t p = 0; p < turns->blocks_per_sm; p++)
        for (uint32_t sm = 0; sm < turns->sms && t->next < turns->end && !status; sm++) {
            status = take_block(t, &t->streams[sm * (size_t)turns->blocks_per_sm + p]);
            t->held[sm] += status == HD_OK;
        }
    return status;
}

/* The block in this place has ended: the next one takes it, or it is gone. */
static hd_status end_block(taking *t, uint32_t sm, hd_trace_stream **places, uint32_t p) {
    hd_status status = HD_OK;
    bool is_next = t->next < t->turns->end;
    hd_trace_stream_close(places[p]);
    t->open--;
    if (is_next)
        status = take_block(t, &places[p]);
    if (is_next && status == HD_OK)
        return HD_OK;
    t->held[sm]--;
    memmove(places + p, places + p + 1, (t->held[sm] - p) * sizeof *places);
    return status;
}

/* One turn for each block of the SM. */
static hd_status turns_of_sm(taking *t, uint32_t sm, bool *complete) {
    const cache_turns *turns = t->turns;
    hd_trace_stream **places = t->streams + sm * (size_t)turns->blocks_per_sm;
    for (uint32_t p = 0; p < t->held[sm];) {
        const hd_event *event;
        hd_status status = hd_trace_stream_next(places[p], turns->diag, &event);
        if (status == HD_OK && !event)
            status = end_block(t, sm, places, p);
        if (status)
            return status;
        if (!event)
            continue;
        turns->issue(turns->user, sm, event);
        if (!(*complete = turns->goes_on(turns->user, event->active)))
            return HD_OK;
        p++;
    }
    return HD_OK;
}

hd_status cache_take_turns(const cache_turns *turns, bool *complete) {
    taking t = {.turns = turns, .next = turns->first};
    size_t places = turns->sms * (size_t)turns->blocks_per_sm;
    t.streams = hd_zeroed(places, sizeof *t.streams);
    t.held = hd_zeroed(turns->sms, sizeof *t.held);
    *complete = true;
    hd_status status = take_first_blocks(&t);
    while (t.open && !status && *complete)
        for (uint32_t sm = 0; sm < turns->sms && !status && *complete; sm++)
            status = turns_of_sm(&t, sm, complete);
    for (uint32_t sm = 0; sm < turns->sms; sm++)
        for (uint32_t p = 0; p < t.held[sm]; p++)
            hd_trace_stream_close(t.streams[sm * (size_t)turns->blocks_per_sm + p]);
    free(t.streams);
    free(t.held);
    return status;
}
