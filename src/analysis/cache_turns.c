/*
 * Turns: which block issues its next MI.
 *
 * Blocks go to SMs in the order of the launch: the first one to SM 0, the second to SM 1, and so
 * on, around and around until every SM holds as many as it can. Then all of them take turns, SM by
 * SM, and on an SM in the order in which its places were taken; a turn is some MIs of a block, each with all
 * its warps one after the other: a warp does not wait between loads that do not need each other, so a turn
 * goes on until a store or an atomic, or a load that comes again, as in a loop, begins the next one. A block that has ended leaves its place to the next one of the
 * launch, whose first turn is where the old one's would have been.
 *
 *     2 SMs of 2 places, 5 blocks
 *     SM 0    b0 b2        turns    b0 b2 | b1 b3 | b0 b2 | b1 b3 | ...
 *     SM 1    b1 b3        b1 ends:         b4 b3         | b4 b3
 *
 * What an SM does to its L1 is nobody else's business, and how long a block is stands in the
 * trace's index. So some rounds of turns are planned ahead, each SM takes all its turns of these
 * rounds at once, and what L2 is asked for is put into order afterwards: the state of one L1, and
 * of the blocks that use it, stays in the host's cache meanwhile.
 */
#include "analysis/cache_parts.h"

#include <stdlib.h>

enum { REQUESTS_AT_ONCE = 1 << 13, ROUNDS_MOST = 64 }; /* of an SM */

/* A block that has a place. */
typedef struct resident {
    const hd_trace_block *block;
    uint32_t slot;
    hd_trace_stream *stream;        /* NULL before its first turn */
    const hd_event *next;           /* MI, which begins its next turn */
    uint64_t turns, planned, taken; /* turns: that it takes in all */
    bool gone;                      /* from its place, where all its turns are planned */
    struct resident *next_free;
} resident;

typedef struct sm_turns {
    resident **places;        /* [blocks_per_sm] */
    uint32_t held;            /* the first ones of them */
    hd_vec(resident *) turns; /* of the rounds that are planned, NULL at the end of each */
} sm_turns;

typedef struct taking {
    hd_arena *arena;
    const cache_turns *turns;
    uint64_t next; /* row of the block that comes next */
    sm_turns *sms; /* [sms] */
    hd_vec(resident *) residents;
    resident *free;
    uint32_t *counts; /* turns, of each row */
} taking;

/* ---- plans ------------------------------------------------------------------------------------ */

/* Of the rows that are asked for, those with MIs. */
static bool is_chosen(const cache_turns *turns, uint64_t row) {
    return hd_block_chosen(&turns->rows, row) && turns->launch->blocks[row].mis;
}

/* NULL: there is none. */
static resident *next_resident(taking *t) {
    const hd_trace_launch *l = t->turns->launch;
    while (t->next < l->block_count && !is_chosen(t->turns, t->next))
        t->next++;
    if (t->next == l->block_count)
        return NULL;
    resident *r = t->free;
    uint32_t slot = r ? r->slot : (uint32_t)t->residents.count;
    if (r) {
        t->free = r->next_free;
    } else {
        r = hd_new(t->arena, resident);
        hd_push(t->arena, &t->residents, r);
    }
    *r = (resident){.block = &l->blocks[t->next], .slot = slot, .turns = t->counts[t->next]};
    t->next++;
    return r;
}

static void place_first_blocks(taking *t) {
    for (uint32_t p = 0; p < t->turns->blocks_per_sm; p++)
        for (uint32_t sm = 0; sm < t->turns->sms; sm++) {
            resident *r = next_resident(t);
            if (!r)
                return;
            t->sms[sm].places[t->sms[sm].held++] = r;
        }
}

/* Nobody needs it any more once it has left its place and has taken all its turns. */
static void free_resident(taking *t, resident *r) {
    if (!r->gone || r->taken < r->turns)
        return;
    r->next_free = t->free;
    t->free = r;
}

/* One round of the SM. A block without MIs leaves its place to the next one, or nobody. */
static void plan_round(taking *t, sm_turns *sm) {
    for (uint32_t p = 0; p < sm->held;) {
        resident *r = sm->places[p];
        if (r->planned == r->turns) {
            r->gone = true;
            free_resident(t, r);
            r = next_resident(t);
        }
        if (!r) {
            sm->held--;
            memmove(sm->places + p, sm->places + p + 1, (sm->held - p) * sizeof *sm->places);
            continue;
        }
        r->planned++;
        sm->places[p++] = r;
        hd_push(t->arena, &sm->turns, r);
    }
    hd_push(t->arena, &sm->turns, NULL);
}

/* False: no block is left. */
static bool plan(taking *t, uint32_t rounds) {
    bool any = false;
    for (uint32_t sm = 0; sm < t->turns->sms; sm++)
        t->sms[sm].turns.count = 0;
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t sm = 0; sm < t->turns->sms; sm++) {
            plan_round(t, &t->sms[sm]);
            any |= t->sms[sm].turns.count > r + 1;
        }
    return any;
}

/* ---- turns ------------------------------------------------------------------------------------ */

/* Whether an MI begins another turn than the one with access `last`, or -1 behind a store. */
static bool begins_turn(const hd_event_launch *launch, const hd_event *e, int64_t *last) {
    const bool loads = launch->accesses[e->access].kind == HD_LOAD;
    const bool begins = !loads || (int64_t)e->access <= *last;
    *last = loads ? (int64_t)e->access : -1;
    return begins;
}

/* How many turns a block takes. */
static hd_status count_turns(const cache_turns *turns, const hd_trace_block *block,
                             uint32_t *count) {
    hd_trace_stream *stream;
    const hd_event *event = NULL;
    int64_t last = -1;
    bool begins;
    hd_status status = hd_trace_stream_open(turns->trace, turns->diag, turns->launch->launch.number,
                                            block->block, &stream);
    if (status)
        return status;
    *count = 0;
    while (!(status = hd_trace_stream_next(stream, turns->diag, &event)) && event) {
        begins = begins_turn(&turns->launch->launch, event, &last);
        *count += begins || !*count;
    }
    hd_trace_stream_close(stream);
    return status;
}

static hd_status count_all_turns(taking *t) {
    const cache_turns *turns = t->turns;
    hd_status status = HD_OK;
    t->counts = hd_new_array(t->arena, uint32_t, turns->launch->block_count + 1);
    for (uint64_t b = 0; b < turns->launch->block_count && !status; b++)
        if (is_chosen(turns, b))
            status = count_turns(turns, &turns->launch->blocks[b], &t->counts[b]);
    return status;
}

static hd_status take_turn(taking *t, uint32_t sm, resident *r, bool *goes_on) {
    const cache_turns *turns = t->turns;
    int64_t last = -1;
    hd_status status = HD_OK;
    if (!r->stream) {
        status = hd_trace_stream_open(turns->trace, turns->diag, turns->launch->launch.number,
                                      r->block->block, &r->stream);
        if (!status)
            status = hd_trace_stream_next(r->stream, turns->diag, &r->next);
    }
    for (bool first = true; !status && r->next && *goes_on; first = false) {
        if (begins_turn(&turns->launch->launch, r->next, &last) && !first)
            break;
        turns->issue(turns->user, sm, r->slot, first, r->next);
        *goes_on = turns->goes_on(turns->user, r->next->active);
        status = hd_trace_stream_next(r->stream, turns->diag, &r->next);
    }
    if (status || ++r->taken < r->turns)
        return status;
    hd_trace_stream_close(r->stream);
    r->stream = NULL;
    free_resident(t, r);
    return HD_OK;
}

static hd_status take_turns(taking *t, uint32_t sm, bool *goes_on) {
    const sm_turns *s = &t->sms[sm];
    hd_status status = HD_OK;
    for (size_t i = 0; i < s->turns.count && !status; i++)
        if (!s->turns.data[i])
            t->turns->end_round(t->turns->user);
        else if (*goes_on)
            status = take_turn(t, sm, s->turns.data[i], goes_on);
    return status;
}

/* ---- a launch --------------------------------------------------------------------------------- */

static void begin(taking *t) {
    const cache_turns *turns = t->turns;
    t->sms = hd_new_array(t->arena, sm_turns, turns->sms);
    for (uint32_t sm = 0; sm < turns->sms; sm++)
        t->sms[sm].places = hd_new_array(t->arena, resident *, turns->blocks_per_sm);
    place_first_blocks(t);
}

/* Also of blocks that were stopped in their middle. */
static void end(taking *t) {
    for (size_t r = 0; r < t->residents.count; r++)
        if (t->residents.data[r]->stream)
            hd_trace_stream_close(t->residents.data[r]->stream);
    hd_arena_free(t->arena);
}

/* How many are planned after some in which an SM had this many requests. */
static uint32_t rounds_after(uint32_t rounds, size_t requests) {
    uint32_t most = rounds < ROUNDS_MOST / 2 ? rounds * 2 : ROUNDS_MOST;
    size_t fit = requests ? (size_t)REQUESTS_AT_ONCE * rounds / requests : most;
    return fit > most ? most : fit ? (uint32_t)fit : 1;
}

hd_status cache_take_turns(const cache_turns *turns, bool *complete) {
    taking t = {.arena = hd_arena_new(), .turns = turns};
    uint32_t rounds = 1;
    hd_status status = HD_OK;
    *complete = true;
    status = count_all_turns(&t);
    begin(&t);
    while (!status && *complete && plan(&t, rounds)) {
        for (uint32_t sm = 0; sm < turns->sms && !status; sm++)
            status = take_turns(&t, sm, complete);
        rounds = rounds_after(rounds, turns->end_rounds(turns->user) / turns->sms);
    }
    end(&t);
    return status;
}
