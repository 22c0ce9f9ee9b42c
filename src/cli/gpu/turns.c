#include "cli/gpu/gpu.h"
#include "advise/measure/stopwatch.h"

enum { MOST_ROUNDS = 200 };

typedef struct racers {
    const hd_stopwatch *watch;
    const hd_turns_options *options;
    hd_turns *turns;
    double start;
} racers;

static double elapsed(const racers *r) { return r->watch->now(r->watch->state) - r->start; }

/* The first round warms up, and is written over; it alone runs whatever the time is. Each round
 * starts with another layout, and every other one goes backwards. */
static hd_status run_rounds(racers *r) {
    const hd_turns_options *o = r->options;
    hd_turns *t = r->turns;
    double begin = 0;
    for (uint32_t runs = 0;; runs++) {
        for (uint32_t turn = 0; turn < t->count; turn++) {
            uint32_t step = t->rounds % 2 ? t->count - turn : turn;
            uint32_t i = (t->rounds + step) % t->count;
            if (t->why[i])
                continue;
            hd_lap lap;
            hd_status status = r->watch->run(r->watch->state, i, &lap);
            t->seconds[i][t->rounds] = lap.seconds;
            if (status != HD_OK)
                return status;
        }
        double now = elapsed(r);
        bool late = o->last_seconds > 0 && now > o->last_seconds;
        if (!runs)
            begin = now;
        t->rounds += runs || late;
        if (late || t->rounds == MOST_ROUNDS ||
            (runs && t->rounds >= o->rounds && now - begin >= o->seconds))
            return HD_OK;
    }
}

hd_status hd_take_turns(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                        const hd_layout *const *layouts, uint32_t count,
                        const hd_turns_options *options, hd_turns *turns) {
    hd_device_clock *clock;
    *turns = (hd_turns){.count = count,
                        .seconds = hd_new_array(arena, double *, count),
                        .why = hd_new_array(arena, const char *, count),
                        .differs = hd_new_array(arena, bool, count)};
    for (uint32_t i = 0; i < count; i++)
        turns->seconds[i] = hd_new_array(arena, double, MOST_ROUNDS);
    hd_status status = hd_device_clock_open(arena, diag, job, options->device, false, &clock);
    if (status == HD_OK) {
        hd_stopwatch watch = hd_device_clock_stopwatch(clock);
        racers r = {&watch, options, turns, watch.now(watch.state)};
        for (uint32_t i = 0; i < count && status == HD_OK; i++) {
            const char *why = NULL;
            bool late = i && options->build_seconds > 0 && elapsed(&r) > options->build_seconds;
            hd_status made = late ? HD_OK : watch.prepare(watch.state, i, layouts[i], NULL, &why);
            if (late)
                why = "there was no time for it";
            else if (made != HD_OK && !why)
                why = "it cannot be timed";
            turns->why[i] = why ? hd_strdup(arena, why) : NULL;
            turns->differs[i] = made == HD_EDIFFER;
            status = i ? HD_OK : made;
        }
        if (status == HD_OK)
            status = run_rounds(&r);
    }
    hd_device_clock_close(clock);
    return status;
}

hd_interval hd_turns_ratio(hd_arena *arena, const hd_turns *t, uint32_t a, uint32_t b) {
    double *ratios = hd_new_array(arena, double, t->rounds);
    for (uint32_t round = 0; round < t->rounds; round++)
        ratios[round] = t->seconds[b][round] > 0 ? t->seconds[a][round] / t->seconds[b][round] : 1;
    return hd_interval_of_median(ratios, t->rounds, 0.05);
}
