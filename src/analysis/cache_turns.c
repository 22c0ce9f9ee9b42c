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
 *
 * What an SM does to its L1 is nobody else's business, and how long a block is stands in the
 * trace's index. So some rounds of turns are planned ahead, each SM takes all its turns of these
 * rounds at once, and what L2 is asked for is put into order afterwards: the state of one L1, and
 * of the blocks that use it, stays in the host's cache meanwhile.
 */
#include "analysis/cache_parts.h"

enum { REQUESTS_AT_ONCE = 1 << 13, ROUNDS_MOST = 64 }; /* of an SM */

/* A block that has a place. */
typedef struct resident {
    const hd_trace_block *block;
    hd_trace_stream *stream; /* NULL before its first turn */
    uint64_t planned, taken; /* turns */
    bool gone;               /* from its place, where all its turns are planned */
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
} taking;

/* ---- plans ------------------------------------------------------------------------------------ */

/* The next block that has MIs; NULL: there is none. */
static resident *next_resident(taking *t) {
    const hd_trace_launch *l = t->turns->launch;
    const hd_block_choice *rows = &t->turns->rows;
    while (t->next < l->block_count && (!hd_block_chosen(rows, t->next) || !l->blocks[t->next].mis))
        t->next++;
    if (t->next == l->block_count)
        return NULL;
    resident *r = t->free;
    if (r) {
        t->free = r->next_free;
    } else {
        r = hd_new(t->arena, resident);
        hd_push(t->arena, &t->residents, r);
    }
    *r = (resident){.block = &l->blocks[t->next++]};
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
    if (!r->gone || r->taken < r->block->mis)
        return;
    r->next_free = t->free;
    t->free = r;
}

/* One round of the SM. A block without MIs leaves its place to the next one, or nobody. */
static void plan_round(taking *t, sm_turns *sm) {
    for (uint32_t p = 0; p < sm->held;) {
        resident *r = sm->places[p];
        if (r->planned == r->block->mis) {
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

static hd_status take_turn(taking *t, uint32_t sm, resident *r, bool *goes_on) {
    const cache_turns *turns = t->turns;
    const hd_event *event;
    hd_status status = HD_OK;
    if (!r->stream)
        status = hd_trace_stream_open(turns->trace, turns->diag, turns->launch->launch.number,
                                      r->block->block, &r->stream);
    if (status || (status = hd_trace_stream_next(r->stream, turns->diag, &event)) || !event)
        return status;
    turns->issue(turns->user, sm, event);
    *goes_on = turns->goes_on(turns->user, event->active);
    if (++r->taken < r->block->mis)
        return HD_OK;
    status = hd_trace_stream_next(r->stream, turns->diag, &event); /* that it ends here */
    hd_trace_stream_close(r->stream);
    r->stream = NULL;
    free_resident(t, r);
    return status;
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
    begin(&t);
    while (!status && *complete && plan(&t, rounds)) {
        for (uint32_t sm = 0; sm < turns->sms && !status; sm++)
            status = take_turns(&t, sm, complete);
        rounds = rounds_after(rounds, turns->end_rounds(turns->user) / turns->sms);
    }
    end(&t);
    return status;
}
