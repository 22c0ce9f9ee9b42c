#include "table2/turns.h"

enum { MOST_ROUNDS = 200 };

/* Each round starts with another layout, and every other one goes backwards. */
static hd_status run_round(const hd_stopwatch *watch, turns *t) {
    for (uint32_t turn = 0; turn < t->count; turn++) {
        uint32_t step = t->rounds % 2 ? t->count - turn : turn;
        uint32_t i = (t->rounds + step) % t->count;
        hd_status status = watch->time(watch->state, i, &t->seconds[i][t->rounds]);
        if (status != HD_OK)
            return status;
    }
    t->rounds++;
    return HD_OK;
}

static hd_status run_rounds(const hd_stopwatch *watch, uint32_t rounds, double least_seconds,
                            turns *t) {
    double start = watch->now(watch->state), unused;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < t->count && status == HD_OK; i++)
        status = watch->time(watch->state, i, &unused); /* warm */
    while (status == HD_OK && t->rounds < MOST_ROUNDS &&
           (t->rounds < rounds || watch->now(watch->state) - start < least_seconds))
        status = run_round(watch, t);
    return status;
}

static hd_status prepare(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_stopwatch *watch, uint32_t i, const hd_layout *layout) {
    const char *why;
    hd_status status = watch->prepare(watch->state, i, layout, &why);
    if (status != HD_OK && i)
        hd_fail(diag, status, NULL, "%s in the layout %s: %s", job->path,
                hd_layout_print(arena, job->record, layout), why ? why : "it cannot be timed");
    return status;
}

hd_status take_turns(hd_arena *arena, const hd_diag *diag, const hd_job *job, const char *device,
                     const hd_layout *const *layouts, uint32_t count, uint32_t rounds,
                     double least_seconds, turns *result) {
    hd_device_clock *clock;
    *result = (turns){.count = count, .seconds = hd_new_array(arena, double *, count)};
    for (uint32_t i = 0; i < count; i++)
        result->seconds[i] = hd_new_array(arena, double, MOST_ROUNDS);
    hd_status status = hd_device_clock_open(arena, diag, job, device, &clock);
    if (status == HD_OK) {
        hd_stopwatch watch = hd_device_clock_stopwatch(clock);
        for (uint32_t i = 0; i < count && status == HD_OK; i++)
            status = prepare(arena, diag, job, &watch, i, layouts[i]);
        if (status == HD_OK)
            status = run_rounds(&watch, rounds, least_seconds, result);
    }
    hd_device_clock_close(clock);
    return status;
}

hd_interval turns_ratio(hd_arena *arena, const turns *t, uint32_t a, uint32_t b) {
    double *ratios = hd_new_array(arena, double, t->rounds);
    for (uint32_t round = 0; round < t->rounds; round++)
        ratios[round] = t->seconds[b][round] > 0 ? t->seconds[a][round] / t->seconds[b][round] : 1;
    return hd_interval_of_median(ratios, t->rounds, 0.05);
}
