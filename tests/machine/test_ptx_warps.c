/*
 * PTX's functions of warps, with and without .sync, in whole warps, in parts of them and in
 * branches: each against a plain loop over the lanes (ptx_rows.h says how a row is run). Of the
 * two warps the second one has only its first 8 lanes in what threads below 40 do.
 */
#include "ptx_rows.h"

#include "oracle/shuffle.h"

enum { LANES = 32, FEW = 40, MASK = 0x0ff0f0f3 };

static uint32_t lane(const numbers *n) { return n->thread % LANES; }

/* ---- who takes part ------------------------------------------------------------------------ */

typedef enum part { ALL, MASKED, BELOW_40 } part;

static bool takes_part(part p, const numbers *n) {
    return p == ALL || (p == MASKED ? (uint32_t)MASK >> lane(n) & 1 : n->thread < FEW);
}
/* %u: takes part, and goes on; others leave 7. */
#define IN_MASK                                                                            \
    "mov.u32 %w, 7; and.b32 %t8, %t0, 31; mov.u32 %t7, 0x0ff0f0f3; shr.u32 %t7, %t7, %t8;" \
    "and.b32 %t7, %t7, 1; setp.ne.u32 %u, %t7, 0; @!%u bra done;"
#define IF_BELOW_40 "mov.u32 %w, 7; setp.lt.u32 %u, %t0, 40; @!%u bra done;"

/* ---- votes ----------------------------------------------------------------------------------- */

typedef struct vote {
    char mode; /* of all, any, uni, ballot */
    part part;
    bool is_negated;
} vote;

static uint64_t w_vote(const numbers *n) {
    const vote *v = n->of;
    uint32_t ballot = 0, members = 0;
    if (!takes_part(v->part, n))
        return 7;
    for (uint32_t k = 0; k < LANES; k++) {
        const numbers other = lane_of(n, k);
        if (!takes_part(v->part, &other))
            continue;
        members |= 1u << k;
        ballot |= (uint32_t)((other.x & 1) != v->is_negated) << k;
    }
    switch (v->mode) {
    case 'l': return ballot == members;
    case 'y': return ballot != 0;
    case 'i': return ballot == members || !ballot;
    default: return ballot;
    }
}
#define VOTE(...)                         \
    w_vote, &(const vote) { __VA_ARGS__ }
#define ODD "and.b32 %t1, %x, 1; setp.ne.u32 %p, %t1, 0;"
#define SAID " selp.u32 %w, 1, 0, %q;"
#define DONE " done:"

/* Odd are: all, all but one, one, none of a warp's lanes; or any. */
static void make_odd(uint32_t round, uint64_t *in) {
    uint64_t seed = round;
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t kind = (round + t / LANES) % 5, at = t % LANES;
        in[t * NUMBERS] = hd_next_random(&seed);
        if (kind < 4) /* lane 4 is in every part */
            in[t * NUMBERS] = kind == 0 ? 1 : kind == 1 ? at != 4 : kind == 2 ? at == 4 : 0;
        in[t * NUMBERS + 1] = in[t * NUMBERS + 2] = 0;
    }
}

static void votes(void **state) {
    (void)state;
    const row rows[] = {
        {ODD "vote.sync.all.pred %q, %p, -1;" SAID, VOTE('l', ALL)},
        {ODD "vote.sync.any.pred %q, %p, -1;" SAID, VOTE('y', ALL)},
        {ODD "vote.sync.uni.pred %q, %p, -1;" SAID, VOTE('i', ALL)},
        {ODD "vote.sync.ballot.b32 %w, %p, -1;", VOTE('b', ALL)},
        {ODD "vote.sync.all.pred %q, !%p, -1;" SAID, VOTE('l', ALL, true)},
        {IN_MASK ODD "vote.sync.all.pred %q, %p, 0x0ff0f0f3;" SAID DONE, VOTE('l', MASKED)},
        {IN_MASK ODD "vote.sync.any.pred %q, !%p, 0x0ff0f0f3;" SAID DONE, VOTE('y', MASKED, true)},
        {IN_MASK ODD "vote.sync.uni.pred %q, %p, 0x0ff0f0f3;" SAID DONE, VOTE('i', MASKED)},
        {IN_MASK ODD "vote.sync.ballot.b32 %w, !%p, 0x0ff0f0f3;" DONE, VOTE('b', MASKED, true)},
        {ODD "vote.all.pred %q, %p;" SAID, VOTE('l', ALL)},
        {ODD "vote.any.pred %q, %p;" SAID, VOTE('y', ALL)},
        {ODD "vote.uni.pred %q, %p;" SAID, VOTE('i', ALL)},
        {ODD "vote.ballot.b32 %w, %p;", VOTE('b', ALL)},
        {IF_BELOW_40 ODD "vote.all.pred %q, %p;" SAID DONE, VOTE('l', BELOW_40)},
        {IF_BELOW_40 ODD "vote.any.pred %q, !%p;" SAID DONE, VOTE('y', BELOW_40, true)},
        {IF_BELOW_40 ODD "vote.uni.pred %q, %p;" SAID DONE, VOTE('i', BELOW_40)},
        {IF_BELOW_40 ODD "vote.ballot.b32 %w, %p;" DONE, VOTE('b', BELOW_40)},
    };
    uint64_t in[THREADS * NUMBERS];
    for (uint32_t round = 0; round < 5; round++) {
        make_odd(round, in);
        check_rows_on(rows, sizeof rows / sizeof *rows, in);
    }
}

/* ---- matches --------------------------------------------------------------------------------- */

/* Of operands of 32 or 64 bits: who has the same; or, of all, whether each has. */
typedef struct match {
    bool is_wide, of_all;
    part part;
} match;

static uint64_t w_match(const numbers *n) {
    const match *m = n->of;
    uint32_t same = 0, members = 0;
    if (!takes_part(m->part, n))
        return 7;
    for (uint32_t k = 0; k < LANES; k++) {
        const numbers other = lane_of(n, k);
        if (!takes_part(m->part, &other))
            continue;
        members |= 1u << k;
        same |= (uint32_t)(m->is_wide ? other.a == n->a : other.x == n->x) << k;
    }
    if (!m->of_all)
        return same;
    return same == members ? members | UINT64_C(1) << 32 : 0;
}
#define MATCH(...)                          \
    w_match, &(const match) { __VA_ARGS__ }
#define WITH_P " selp.u32 %t2, 1, 0, %p; mov.b64 %d, {%t1, %t2};"

static void matches(void **state) {
    (void)state;
    const row rows[] = {
        {"match.all.sync.b32 %t1|%p, %x, -1;" WITH_P, MATCH(false, true, ALL)},
        {"match.all.sync.b64 %t1|%p, %a, -1;" WITH_P, MATCH(true, true, ALL)},
        {"match.any.sync.b32 %w, %x, -1;", MATCH(false, false, ALL)},
        {"match.any.sync.b64 %w, %a, -1;", MATCH(true, false, ALL)},
        {IN_MASK "match.any.sync.b32 %w, %x, 0x0ff0f0f3;" DONE, MATCH(false, false, MASKED)},
        {"mov.u64 %d, 7; setp.ge.u32 %u, %t0, 40; @%u bra done; activemask.b32 %t3;"
         "match.all.sync.b32 %t1|%p, %x, %t3;" WITH_P DONE,
         MATCH(false, true, BELOW_40)},
    };
    uint64_t in[THREADS * NUMBERS] = {0}, seed = 3;
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t t = 0; t < THREADS;
             t++) { /* all alike; alike in the mask; alike below; any */
            const uint32_t kind = (round + t / LANES) % 4;
            in[t * NUMBERS] = kind == 0   ? 5
                              : kind == 1 ? ((uint32_t)MASK >> t % LANES & 1) + 1
                              : kind == 2 ? (hd_next_random(&seed) % 3 << 32) | 9
                                          : hd_next_random(&seed) % 4;
        }
        check_rows_on(rows, sizeof rows / sizeof *rows, in);
    }
}

/* ---- shuffles -------------------------------------------------------------------------------- */

/* %t1 and %t2: b and c of each lane by itself. */
#define BOTH "and.b32 %t1, %y, 0xff; and.b32 %t2, %z, 0x1f1f;"

static uint64_t d_shuffle(const numbers *n) {
    const oracle_way *way = n->of;
    uint32_t values[LANES];
    bool all[LANES];
    for (uint32_t k = 0; k < LANES; k++)
        values[k] = lane_of(n, k).x, all[k] = true;
    const oracle_shuffled s =
        oracle_shuffle(*way, values, all, lane(n), n->y & 0xff, n->z & 0x1f1f);
    return s.value | (uint64_t)s.in_range << 32;
}
#define SHUFFLE(way)                       \
    d_shuffle, &(const oracle_way) { way }
#define BOTH_OF " selp.u32 %t4, 1, 0, %p; mov.b64 %d, {%t3, %t4};"

static void shuffles(void **state) {
    (void)state;
    const row rows[] = {
        {BOTH "shfl.idx.b32 %t3|%p, %x, %t1, %t2;" BOTH_OF, SHUFFLE(ORACLE_IDX)},
        {BOTH "shfl.up.b32 %t3|%p, %x, %t1, %t2;" BOTH_OF, SHUFFLE(ORACLE_UP)},
        {BOTH "shfl.down.b32 %t3|%p, %x, %t1, %t2;" BOTH_OF, SHUFFLE(ORACLE_DOWN)},
        {BOTH "shfl.bfly.b32 %t3|%p, %x, %t1, %t2;" BOTH_OF, SHUFFLE(ORACLE_BFLY)},
        {BOTH "shfl.sync.idx.b32 %t3|%p, %x, %t1, %t2, -1;" BOTH_OF, SHUFFLE(ORACLE_IDX)},
        {BOTH "shfl.sync.up.b32 %t3|%p, %x, %t1, %t2, -1;" BOTH_OF, SHUFFLE(ORACLE_UP)},
        {BOTH "shfl.sync.down.b32 %t3|%p, %x, %t1, %t2, -1;" BOTH_OF, SHUFFLE(ORACLE_DOWN)},
        {BOTH "shfl.sync.bfly.b32 %t3|%p, %x, %t1, %t2, -1;" BOTH_OF, SHUFFLE(ORACLE_BFLY)},
    };
    uint64_t in[THREADS * NUMBERS], seed = 8;
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
            in[i] = hd_next_random(&seed);
        /* the segments that __shfl_sync makes: all, of 8, and the clamp of `up` */
        static const uint64_t segments[] = {0x1f, 0x181f, 0};
        for (uint32_t t = 0; t < THREADS && round < 3; t++)
            in[t * NUMBERS + 2] = segments[round];
        check_rows_on(rows, sizeof rows / sizeof *rows, in);
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

typedef struct reduction {
    const char *how;
    bool is_signed, in_two;
} reduction;

static uint32_t joined(const reduction *r, uint32_t a, uint32_t b) {
    const bool is_less = r->is_signed ? S(a) < S(b) : a < b;
    return !strcmp(r->how, "add")   ? a + b
           : !strcmp(r->how, "and") ? a & b
           : !strcmp(r->how, "or")  ? a | b
           : !strcmp(r->how, "xor") ? a ^ b
           : !strcmp(r->how, "min") ? (is_less ? a : b)
                                    : (is_less ? b : a);
}

/* In two: the lanes of the mask by themselves, and the others. */
static uint64_t w_redux(const numbers *n) {
    const reduction *r = n->of;
    uint32_t result = n->x;
    for (uint32_t k = 0; k < LANES; k++) {
        const numbers other = lane_of(n, k);
        if (k != lane(n) && (!r->in_two || takes_part(MASKED, n) == takes_part(MASKED, &other)))
            result = joined(r, result, other.x);
    }
    return result;
}
#define REDUX(...)                              \
    w_redux, &(const reduction) { __VA_ARGS__ }
#define IN_TWO(text)                                                                    \
    "and.b32 %t8, %t0, 31; mov.u32 %t7, 0x0ff0f0f3; shr.u32 %t7, %t7, %t8;"             \
    "and.b32 %t7, %t7, 1; setp.ne.u32 %u, %t7, 0; @!%u bra others;" text " 0x0ff0f0f3;" \
    "bra done; others: " text " 0xf00f0f0c; done:"

static void reductions(void **state) {
    (void)state;
    const row rows[] = {
        {"redux.sync.add.u32 %w, %x, -1;", REDUX("add")},
        {"redux.sync.add.s32 %w, %x, -1;", REDUX("add", true)},
        {"redux.sync.and.b32 %w, %x, -1;", REDUX("and")},
        {"redux.sync.or.b32 %w, %x, -1;", REDUX("or")},
        {"redux.sync.xor.b32 %w, %x, -1;", REDUX("xor")},
        {"redux.sync.min.u32 %w, %x, -1;", REDUX("min")},
        {"redux.sync.max.u32 %w, %x, -1;", REDUX("max")},
        {"redux.sync.min.s32 %w, %x, -1;", REDUX("min", true)},
        {"redux.sync.max.s32 %w, %x, -1;", REDUX("max", true)},
        {IN_TWO("redux.sync.add.u32 %w, %x,"), REDUX("add", false, true)},
        {IN_TWO("redux.sync.and.b32 %w, %x,"), REDUX("and", false, true)},
        {IN_TWO("redux.sync.or.b32 %w, %x,"), REDUX("or", false, true)},
        {IN_TWO("redux.sync.xor.b32 %w, %x,"), REDUX("xor", false, true)},
        {IN_TWO("redux.sync.min.s32 %w, %x,"), REDUX("min", true, true)},
        {IN_TWO("redux.sync.max.s32 %w, %x,"), REDUX("max", true, true)},
        {IN_TWO("redux.sync.min.u32 %w, %x,"), REDUX("min", false, true)},
    };
    CHECK(rows);
    uint64_t in[THREADS * NUMBERS], seed = 5;
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++) /* most bits are alike; for and, or */
        in[i] = (0x5a5a5a5a | 1u << hd_next_random(&seed) % 32) &
                ~(uint64_t)(1u << hd_next_random(&seed) % 32);
    check_rows_on(rows, sizeof rows / sizeof *rows, in);
}

/* ---- who is there ---------------------------------------------------------------------------- */

static uint64_t w_active(const numbers *n) {
    uint32_t mask = 0;
    for (uint32_t k = 0; k < LANES; k++)
        mask |= (uint32_t)((lane_of(n, k).x & 1) == (n->x & 1)) << k;
    return mask;
}
WANT(w_few_active, n->thread < LANES ? UINT32_MAX : n->thread < FEW ? 0xff : 7)

static void who_is_there(void **state) {
    (void)state;
    static const row rows[] = {
        {ODD "@%p bra odd; activemask.b32 %w; bra done; odd: activemask.b32 %w; done:", w_active},
        {IF_BELOW_40 "activemask.b32 %w;" DONE, w_few_active},
    };
    CHECK(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes),      cmocka_unit_test(matches),      cmocka_unit_test(shuffles),
        cmocka_unit_test(reductions), cmocka_unit_test(who_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
