/*
 * A race of layouts (race.h).
 *
 * Half of the budget may go into making racers ready, which for a kernel is to rewrite and
 * to compile it; as many get ready as can also run the least number of rounds that tells
 * anything. Then it goes round by round:
 *
 *     round 0    original  A  B  C
 *     round 1    C  B  A  original        each round starts with another one, and every
 *     round 2    B  C  original  A        other round goes backwards
 *     ...
 *     a look     intervals are computed; who is surely slower drops out
 *
 * There is a look after the least number of rounds, and then whenever the rounds are half as
 * many more. All verdicts of a race together are wrong with a probability of at most `error`:
 * each pair of racers gets an equal share of it, and of a pair's share look i gets
 * 1 / (i (i + 1)), which all looks together use up (Bonferroni's inequality).
 */
#include <math.h>

#include "search/race.h"

typedef struct runner {
    hd_arena *arena;
    const hd_record *record;
    const hd_stopwatch *stopwatch;
    const hd_race_options *options;
    hd_race *race;
    double margin, error;   /* of one pair */
    double start, ready;    /* when it began, and when the original was ready */
    double turn;            /* seconds of one turn of the original, with all that goes with it */
    uint32_t capacity;      /* of rounds */
    uint32_t looks, looked; /* how many, and the rounds at the last */
} runner;

static double elapsed(const runner *r) { return r->stopwatch->now(r->stopwatch->state) - r->start; }

static bool is_in(const hd_racer *racer) { return racer->end == HD_RACE_FINISHED; }

/* ---- nearness -------------------------------------------------------------------- */

static uint32_t tiled_clusters(const hd_layout *layout) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < layout->count; c++)
        count += layout->clusters[c].tile != HD_TILE_AOS;
    return count;
}

static uint64_t longest_tile(const hd_layout *layout) {
    uint64_t longest = 1;
    for (uint32_t c = 0; c < layout->count; c++)
        longest = layout->clusters[c].tile > longest ? layout->clusters[c].tile : longest;
    return longest;
}

int hd_layout_nearer(const hd_record *record, const hd_layout *a, const hd_layout *b) {
    if (a->count != b->count)
        return (a->count < b->count) != record->of_arrays ? -1 : 1;
    if (tiled_clusters(a) != tiled_clusters(b))
        return tiled_clusters(a) < tiled_clusters(b) ? -1 : 1;
    uint64_t x = longest_tile(a), y = longest_tile(b);
    return x < y ? -1 : x > y;
}

/* ---- getting ready ---------------------------------------------------------------- */

static double share_of_pair(const runner *r, uint32_t racers) {
    double error = r->options->error > 0 ? r->options->error : 0.05;
    return error / (racers * (racers - 1) / 2.0);
}

static uint32_t least_rounds(const runner *r, uint32_t racers) {
    return hd_interval_least(share_of_pair(r, racers) / 2);
}

/* Whether one more can get ready, when `entered` have and `tried` were tried. */
static bool can_afford(const runner *r, uint32_t tried, uint32_t entered) {
    double budget = r->options->budget, now = elapsed(r);
    double each = (now - r->ready) / tried;
    double rounds = least_rounds(r, entered + 1) * (entered + 1) * r->turn;
    return now + each <= budget / 2 && now + each + rounds <= budget;
}

static hd_status prepare_original(runner *r) {
    const hd_stopwatch *watch = r->stopwatch;
    double unused;
    const char *why;
    hd_status status = watch->prepare(watch->state, 0, r->race->racers[0].layout, &why);
    r->ready = elapsed(r);
    if (status == HD_OK)
        status = watch->time(watch->state, 0, &unused);
    r->turn = elapsed(r) - r->ready;
    r->ready = elapsed(r);
    return status;
}

static void prepare_racer(runner *r, uint32_t i) {
    hd_racer *racer = &r->race->racers[i];
    hd_status status = r->stopwatch->prepare(r->stopwatch->state, i, racer->layout, &racer->why);
    racer->end = status == HD_OK        ? HD_RACE_FINISHED
                 : status == HD_EDIFFER ? HD_RACE_DIFFERS
                                        : HD_RACE_REFUSED;
}

static hd_status prepare_all(runner *r) {
    uint32_t entered = 1;
    hd_status status = prepare_original(r);
    for (uint32_t i = 1; i < r->race->count && status == HD_OK; i++) {
        if (i > 1 && !can_afford(r, i - 1, entered))
            break;
        if (r->options->progress)
            r->options->progress(r->options->user, hd_format(r->arena, "building layout %u of %u",
                                                             i, r->race->count - 1));
        prepare_racer(r, i);
        entered += is_in(&r->race->racers[i]);
    }
    r->error = entered > 1 ? share_of_pair(r, entered) : 1;
    r->race->least_rounds = entered > 1 ? least_rounds(r, entered) : 1;
    return status;
}

/* ---- rounds ------------------------------------------------------------------------- */

static void make_room(runner *r) {
    if (r->race->rounds < r->capacity)
        return;
    r->capacity = r->capacity ? 2 * r->capacity : 32;
    for (uint32_t i = 0; i < r->race->count; i++) {
        hd_racer *racer = &r->race->racers[i];
        if (!is_in(racer))
            continue;
        double *more = hd_new_array(r->arena, double, r->capacity);
        if (racer->rounds)
            memcpy(more, racer->seconds, racer->rounds * sizeof *more);
        racer->seconds = more;
    }
}

/* A round counts when all have run. */
static hd_status run_round(runner *r) {
    hd_race *race = r->race;
    uint32_t round = race->rounds;
    make_room(r);
    for (uint32_t turn = 0; turn < race->count; turn++) {
        uint32_t step = round % 2 ? race->count - turn : turn;
        uint32_t i = (round + step) % race->count;
        if (!is_in(&race->racers[i]))
            continue;
        hd_status status =
            r->stopwatch->time(r->stopwatch->state, i, &race->racers[i].seconds[round]);
        if (status != HD_OK)
            return status;
    }
    for (uint32_t i = 0; i < race->count; i++)
        race->racers[i].rounds += is_in(&race->racers[i]);
    race->rounds++;
    return HD_OK;
}

/* ---- looks --------------------------------------------------------------------------- */

/* Of the times of `a` to those of `b`, over the rounds that both ran in. */
static hd_interval ratio_of(const runner *r, const hd_racer *a, const hd_racer *b) {
    uint32_t rounds = a->rounds < b->rounds ? a->rounds : b->rounds;
    hd_arena *arena = hd_arena_new();
    double *ratios = hd_new_array(arena, double, rounds);
    uint32_t look = r->looks ? r->looks : 1;
    for (uint32_t i = 0; i < rounds; i++)
        ratios[i] = b->seconds[i] > 0 ? a->seconds[i] / b->seconds[i] : 1;
    hd_interval interval = hd_interval_of_median(ratios, rounds, r->error / (look * (look + 1.0)));
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

static hd_status run_rounds(runner *r) {
    uint32_t next_look = r->race->least_rounds;
    hd_status status = HD_OK;
    bool settled = false;
    while (status == HD_OK && !settled && elapsed(r) < r->options->budget) {
        if (r->options->progress)
            r->options->progress(r->options->user,
                                 hd_format(r->arena, "measuring, round %u", r->race->rounds + 1));
        status = run_round(r);
        if (status != HD_OK || r->race->rounds < next_look)
            continue;
        settled = look(r);
        next_look = r->race->rounds + (r->race->rounds + 1) / 2;
    }
    return status;
}

/* ---- the verdict ------------------------------------------------------------------------ */

static void choose_winner(runner *r) {
    hd_race *race = r->race;
    r->looks += r->looked != race->rounds;
    find_leader(r);
    const hd_racer *leader = &race->racers[race->leader];
    race->winner = leader->ratio.high < 1 - r->margin ? race->leader : 0;
    for (uint32_t i = 0; i < race->count; i++) {
        hd_racer *racer = &race->racers[i];
        if (!is_in(racer))
            continue;
        hd_interval to_leader = ratio_of(r, racer, leader);
        racer->as_fast = i == race->leader || to_leader.low <= 1;
        if (race->winner && i && racer->as_fast && to_leader.median <= 1 + r->margin &&
            racer->ratio.high < 1 - r->margin &&
            hd_layout_nearer(r->record, racer->layout, race->racers[race->winner].layout) < 0)
            race->winner = i;
    }
}

static void enter(runner *r, const hd_proposal *proposals, uint32_t count) {
    hd_race *race = r->race;
    race->count = count + 1;
    race->racers = hd_new_array(r->arena, hd_racer, race->count);
    race->racers[0] =
        (hd_racer){.layout = hd_layout_original(r->arena, r->record), .by = "original"};
    for (uint32_t i = 0; i < count; i++)
        race->racers[i + 1] = (hd_racer){
            .layout = proposals[i].layout, .by = proposals[i].by, .end = HD_RACE_UNTRIED};
}

hd_status hd_race_run(hd_arena *arena, const hd_record *record, const hd_proposal *proposals,
                      uint32_t count, const hd_stopwatch *stopwatch, const hd_race_options *options,
                      hd_race *race) {
    *race = (hd_race){0};
    runner r = {.arena = arena,
                .record = record,
                .stopwatch = stopwatch,
                .options = options,
                .race = race,
                .margin = options->margin > 0 ? options->margin : 0.01,
                .start = stopwatch->now(stopwatch->state)};
    enter(&r, proposals, count);
    hd_status status = prepare_all(&r);
    if (status == HD_OK && race->least_rounds > 1)
        status = run_rounds(&r);
    if (race->rounds)
        choose_winner(&r);
    for (uint32_t i = 0; i < race->count; i++)
        if (is_in(&race->racers[i]))
            stopwatch->release(stopwatch->state, i);
    race->seconds = elapsed(&r);
    return status;
}
