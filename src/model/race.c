/*
 * A race of layouts (race.h).
 *
 * It goes in heats. Half of the time that is left may go into making racers ready, which for a
 * kernel is to rewrite and to compile it; as many get ready as can also run the least number
 * of rounds that tells anything. Then it goes round by round:
 *
 *     round 0    original  A  B  C
 *     round 1    C  B  A  original        each round starts with another one, and every
 *     round 2    B  C  original  A        other round goes backwards
 *     ...
 *     a look     intervals are computed; who is surely slower drops out
 *
 * Who takes more than twice the leader's time in each of a heat's first three rounds drops out
 * without more ado.
 *
 * There is a look after the least number of rounds, and then whenever the rounds are half as
 * many more. When nothing is left to decide but time, the next ones get ready and join those
 * that are still in.
 *
 * All verdicts of a race together are wrong with a probability of at most `error`: each pair of
 * racers gets an equal share of it, and of a pair's share look i gets 1 / (i (i + 1)), which
 * all looks together use up (Bonferroni's inequality).
 */
#include <math.h>

#include "model/race.h"

enum { HOPELESS_ROUNDS = 3 };

typedef struct runner {
    hd_arena *arena;
    const hd_record *record;
    const hd_stopwatch *stopwatch;
    const hd_race_options *options;
    hd_race *race;
    double margin, error; /* of one pair */
    double start;
    double building;        /* seconds spent on getting others than the original ready */
    double turn;            /* seconds of one turn of the original, with all that goes with it */
    hd_lap *laps;           /* [race->count], of the round that is run */
    uint32_t next;          /* the next racer to get ready */
    uint32_t looks, looked; /* how many, and the rounds at the last */
} runner;

static double elapsed(const runner *r) { return r->stopwatch->now(r->stopwatch->state) - r->start; }

static bool is_stopped(const runner *r) { return r->options->stop && *r->options->stop; }

static bool is_in(const hd_racer *racer) { return racer->end == HD_RACE_FINISHED; }

/* ---- getting ready ---------------------------------------------------------------- */

static uint32_t count_in(const hd_race *race) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < race->count; i++)
        count += is_in(&race->racers[i]);
    return count;
}

/* "building layout 3 of 24" */
static void report_progress(const runner *r, const char *what, uint32_t number) {
    hd_arena *arena = hd_arena_new();
    if (r->options->progress)
        r->options->progress(r->options->user,
                             hd_format(arena, "%s %u of %u", what, number, r->race->count - 1),
                             elapsed(r) / r->options->budget);
    hd_arena_free(arena);
}

/* Those of the next heat, as long as one more can get ready before half of the time that is left is
 * over, and then run. The first of all is always tried. *any is false when there are none. */
static hd_status prepare_heat(runner *r, bool *any) {
    double start = elapsed(r), latest = start + (r->options->budget - start) / 2;
    *any = false;
    while (r->next < r->race->count && !is_stopped(r)) {
        double then = elapsed(r) + (r->next > 1 ? r->building / (r->next - 1) : 0);
        double rounds = r->race->least_rounds * (count_in(r->race) + 1) * r->turn;
        if (r->next > 1 && (then > latest || then + rounds > r->options->budget))
            break;
        report_progress(r, "building layout", r->next);
        hd_racer *racer = &r->race->racers[r->next];
        double before = elapsed(r);
        hd_status status = r->stopwatch->prepare(r->stopwatch->state, r->next++, racer->layout,
                                                 racer->placement, &racer->why);
        racer->first = r->race->rounds;
        racer->end = status == HD_OK        ? HD_RACE_FINISHED
                     : status == HD_EDIFFER ? HD_RACE_DIFFERS
                                            : HD_RACE_REFUSED;
        r->race->hindered |= status == HD_ESYSTEM;
        r->building += elapsed(r) - before;
        if (status != HD_OK && !racer->why)
            return status;
        *any |= is_in(racer);
    }
    return HD_OK;
}

/* ---- rounds ------------------------------------------------------------------------- */

/* A round counts when all have run; one that is stopped does not. */
static hd_status run_round(runner *r) {
    hd_race *race = r->race;
    uint32_t round = race->rounds;
    for (uint32_t turn = 0; turn < race->count; turn++) {
        uint32_t step = round % 2 ? race->count - turn : turn;
        uint32_t i = (round + step) % race->count;
        if (!is_in(&race->racers[i]))
            continue;
        if (is_stopped(r))
            return HD_OK;
        hd_status status = r->stopwatch->run(r->stopwatch->state, i, &r->laps[i]);
        if (status != HD_OK)
            return status;
    }
    for (uint32_t i = 0; i < race->count; i++) {
        hd_racer *racer = &race->racers[i];
        if (!is_in(racer))
            continue;
        if (racer->rounds == racer->capacity)
            racer->laps = hd_grow(r->arena, racer->laps, &racer->capacity, racer->rounds,
                                  sizeof *racer->laps);
        racer->laps[racer->rounds++] = r->laps[i];
    }
    race->rounds++;
    return HD_OK;
}

/* ---- looks --------------------------------------------------------------------------- */

/* Of the costs of `a` to those of `b`, over the rounds that both ran in. */
static hd_interval ratio_of(const runner *r, const hd_racer *a, const hd_racer *b) {
    double look = r->looks ? r->looks : 1;
    uint32_t first = a->first > b->first ? a->first : b->first;
    uint32_t a_end = a->first + a->rounds, b_end = b->first + b->rounds;
    uint32_t end = a_end < b_end ? a_end : b_end, count = 0;
    hd_arena *arena = hd_arena_new();
    double *ratios = hd_new_array(arena, double, end > first ? end - first : 0);
    for (uint32_t round = first; round < end; round++) {
        double x = a->laps[round - a->first].cost, y = b->laps[round - b->first].cost;
        ratios[count++] = y > 0 ? x / y : 1;
    }
    hd_interval interval = hd_interval_of_median(ratios, count, r->error / (look * (look + 1)));
    hd_arena_free(arena);
    return interval;
}

static void find_leader(const runner *r) {
    hd_race *race = r->race;
    race->leader = 0;
    for (uint32_t i = 0; i < race->count; i++) {
        hd_racer *racer = &race->racers[i];
        if (!is_in(racer))
            continue;
        racer->ratio = i ? ratio_of(r, racer, &race->racers[0]) : (hd_interval){1, 1, 1};
        if (racer->ratio.median < race->racers[race->leader].ratio.median)
            race->leader = i;
    }
}

/* Drops who is slower than the leader. True: the others, and whether the leader is faster than
 * the original, are known as closely as the margin asks. */
static bool look(runner *r) {
    hd_race *race = r->race;
    bool settled = true;
    r->looks++;
    r->looked = race->rounds;
    find_leader(r);
    for (uint32_t i = 0; i < race->count; i++) {
        hd_racer *racer = &race->racers[i];
        if (!is_in(racer) || i == race->leader)
            continue;
        hd_interval to_leader = ratio_of(r, racer, &race->racers[race->leader]);
        if (to_leader.low > 1 && i) {
            racer->end = HD_RACE_SLOWER;
            r->stopwatch->release(r->stopwatch->state, i);
        }
        settled = settled && (to_leader.low > 1 ||
                              (to_leader.low >= 1 - r->margin && to_leader.high <= 1 + r->margin));
    }
    hd_interval gain = race->racers[race->leader].ratio;
    return settled && (gain.high < 1 - r->margin || gain.low >= 1 - r->margin);
}

/* Who took more than twice the leader's time in each of a heat's first rounds would only use
 * up time. */
static void drop_hopeless(const runner *r) {
    hd_race *race = r->race;
    find_leader(r);
    const hd_racer *leader = &race->racers[race->leader];
    for (uint32_t i = 1; i < race->count; i++) {
        hd_racer *racer = &race->racers[i];
        bool hopeless = is_in(racer);
        for (uint32_t back = 1; back <= HOPELESS_ROUNDS && hopeless; back++)
            hopeless = racer->laps[racer->rounds - back].cost >
                       2 * leader->laps[leader->rounds - back].cost;
        if (!hopeless)
            continue;
        racer->end = HD_RACE_SLOWER;
        r->stopwatch->release(r->stopwatch->state, i);
    }
}

static bool is_over(const runner *r) {
    uint32_t most = r->options->most_rounds;
    return is_stopped(r) || elapsed(r) >= r->options->budget || (most && r->race->rounds >= most);
}

static hd_status run_heat(runner *r) {
    uint32_t started = r->race->rounds, next_look = started + r->race->least_rounds;
    hd_status status = HD_OK;
    bool settled = false;
    while (status == HD_OK && !settled && !is_over(r)) {
        uint32_t before = r->race->rounds;
        report_progress(r, "measuring layouts,", count_in(r->race) - 1);
        status = run_round(r);
        if (r->race->rounds == before) /* failed, or stopped */
            continue;
        if (status == HD_OK && r->race->rounds == started + HOPELESS_ROUNDS)
            drop_hopeless(r);
        if (status != HD_OK || r->race->rounds < next_look)
            continue;
        settled = look(r);
        uint32_t rounds = r->race->rounds - started;
        next_look = started + rounds + (rounds + 1) / 2;
    }
    return status;
}

/* ---- the verdict ------------------------------------------------------------------------ */

static bool is_faster(const runner *r, const hd_racer *racer) {
    return racer->as_fast && racer->ratio.high < 1 - r->margin;
}

/* By its layout, then by its placement. */
static bool is_nearer(const runner *r, const hd_racer *a, const hd_racer *b) {
    int order = hd_layout_nearer(r->record, a->layout, b->layout);
    return order < 0 || (order == 0 && !a->placement && b->placement);
}

static void choose_winner(runner *r) {
    hd_race *race = r->race;
    r->looks += r->looked != race->rounds;
    find_leader(r);
    const hd_racer *leader = &race->racers[race->leader], *best = NULL;
    for (uint32_t i = 0; i < race->count; i++) {
        hd_racer *racer = &race->racers[i];
        racer->as_fast = is_in(racer) && racer->rounds &&
                         (racer == leader || ratio_of(r, racer, leader).low <= 1);
        if (i && is_faster(r, racer) && (!best || racer->ratio.median < best->ratio.median))
            best = racer;
    }
    race->winner = best ? (uint32_t)(best - race->racers) : 0;
    for (uint32_t i = 1; best && i < race->count; i++)
        if (is_faster(r, &race->racers[i]) &&
            ratio_of(r, &race->racers[i], best).median <= 1 + r->margin &&
            is_nearer(r, &race->racers[i], &race->racers[race->winner]))
            race->winner = i;
}

hd_status hd_race_run(hd_arena *arena, const hd_record *record, const hd_proposal *proposals,
                      uint32_t count, const hd_stopwatch *stopwatch, const hd_race_options *options,
                      hd_race *race) {
    double error = options->error > 0 ? options->error : 0.05;
    *race = (hd_race){.racers = hd_new_array(arena, hd_racer, count + 1), .count = count + 1};
    runner r = {.arena = arena,
                .record = record,
                .stopwatch = stopwatch,
                .options = options,
                .race = race,
                .margin = options->margin > 0 ? options->margin : HD_NOTICEABLE,
                .error = count ? error / ((count + 1) * count / 2.0) : error,
                .laps = hd_new_array(arena, hd_lap, count + 1),
                .next = 1,
                .start = stopwatch->now(stopwatch->state)};
    race->least_rounds = hd_interval_least(r.error / 2);
    race->racers[0] = (hd_racer){.layout = hd_layout_original(arena, record), .by = "original"};
    for (uint32_t i = 0; i < count; i++)
        race->racers[i + 1] = (hd_racer){.layout = proposals[i].layout,
                                         .placement = proposals[i].placement,
                                         .by = proposals[i].by,
                                         .end = HD_RACE_UNTRIED};
    bool any = true;
    hd_lap unused;
    const char *why;
    hd_status status = stopwatch->prepare(stopwatch->state, 0, race->racers[0].layout, NULL, &why);
    double ready = elapsed(&r);
    if (status == HD_OK)
        status = stopwatch->run(stopwatch->state, 0, &unused);
    r.turn = elapsed(&r) - ready;
    while (status == HD_OK && any && (r.next == 1 || !is_over(&r))) {
        status = prepare_heat(&r, &any);
        if (status == HD_OK && any)
            status = run_heat(&r);
    }
    race->stopped = is_stopped(&r);
    if (race->rounds)
        choose_winner(&r);
    for (uint32_t i = 0; i < race->count; i++) {
        hd_racer *racer = &race->racers[i];
        if (!is_in(racer))
            continue;
        stopwatch->release(stopwatch->state, i);
        if (i && !racer->rounds) /* who got ready when the time was up */
            racer->end = HD_RACE_UNTRIED;
    }
    race->seconds = elapsed(&r);
    return status;
}
