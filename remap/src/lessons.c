/*
 * What planned moves have really taken, and what is learned from it.
 *
 * Figures are those of a sample. A map of the program's may go otherwise (rows that are a power of
 * two long get into each other's way in caches), and figures may be spoilt or old. So the latest
 * three moves of a map by each strategy are noted, and the least of them counts, since whatever
 * disturbs a move only makes it longer. It takes the place of what the figures promise
 *
 *     where it is less, and
 *     when there are three: a plan that does not keep its promise is followed three times.
 *
 * A promise that is too high would keep away the best strategy for ever. So the 8th, 16th, 32nd, ...
 * move since the strategy last changed tries another one, each in its turn, of those that seem to
 * take at most four times as long. Of n moves no more than log2(n) are slower for that.
 *
 * The first three moves by the planned strategy also tell of the figures: where all took more than
 * twice what was promised, or one less than half, the next process measures the kind of map again.
 */
#include <math.h>

#include "remap/remap_device.h"

enum { FIRST_TRIAL = 8, TELLING_PART = 16 /* of a sample: less tells nothing of a plan */ };
static const double MOST_LONGER = 4, OFF = 2;

/* Maps of one kind and these sizes go alike. */
static uint64_t key_of(const hd_remap *map, hd_remap_direction direction) {
    const uint64_t sizes[] = {map->kind,    direction,          map->elements, map->places,
                              map->columns, map->element_bytes, map->parts};
    uint64_t key = hd_hash_bytes(HD_HASH_START, sizes, sizeof sizes);
    return hd_hash_bytes(key, map->bytes, map->parts * sizeof *map->bytes);
}

/* It comes to the front; a new one takes the place of what was used longest ago. */
hd_remap_lesson *hd_remap_lesson_of(hd_remap_device *device, const hd_remap *map,
                                    hd_remap_direction direction, bool make) {
    hd_remap_lesson *lessons = device->figures->lessons, found = {.map = key_of(map, direction)};
    size_t at = 0;
    if (map->source_bytes < (uint64_t)device->sample_elements * 4 / TELLING_PART)
        return NULL;
    while (at < HD_REMAP_LESSONS - 1 && lessons[at].map && lessons[at].map != found.map)
        at++;
    if (lessons[at].map == found.map)
        found = lessons[at];
    else if (!make)
        return NULL;
    memmove(lessons + 1, lessons, at * sizeof *lessons);
    lessons[0] = found;
    return lessons;
}

static double least_of(const double latest[HD_REMAP_LATEST]) {
    double least = latest[0];
    for (int i = 1; i < HD_REMAP_LATEST && latest[i] > 0; i++)
        least = fmin(least, latest[i]);
    return least;
}

double hd_remap_learned(const hd_remap_lesson *lesson, hd_remap_strategy strategy) {
    const double *latest = lesson->seconds[strategy];
    return latest[HD_REMAP_LATEST - 1] > 0 ? least_of(latest) : 0;
}

void hd_remap_apply_lesson(const hd_remap_lesson *lesson, hd_remap_choice *choice) {
    for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES; s++) {
        double least = least_of(lesson->seconds[s]);
        bool is_learned = hd_remap_learned(lesson, s) > 0;
        if (choice->seconds[s] > 0 && least > 0 && (is_learned || least < choice->seconds[s]))
            choice->seconds[s] = least;
    }
    choice->strategy = hd_remap_least(choice, HD_REMAP_PLANNED);
}

hd_remap_strategy hd_remap_to_try(const hd_remap_lesson *lesson, const hd_remap_choice *choice) {
    hd_remap_strategy others[HD_REMAP_STRATEGIES];
    uint32_t count = 0, next = lesson->moves + 1;
    double most = MOST_LONGER * choice->seconds[choice->strategy];
    for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES; s++)
        if (s != (int)choice->strategy && choice->seconds[s] > 0 && choice->seconds[s] <= most)
            others[count++] = s;
    bool tries = next >= FIRST_TRIAL && hd_is_power_of_two(next) && count;
    return tries ? others[lesson->trials % count] : choice->strategy;
}

/* Notes the time; tells whether the first three are off. */
static bool note(double latest[HD_REMAP_LATEST], double seconds, double promised) {
    bool is_third = latest[HD_REMAP_LATEST - 2] > 0 && latest[HD_REMAP_LATEST - 1] == 0;
    memmove(latest + 1, latest, (HD_REMAP_LATEST - 1) * sizeof *latest);
    latest[0] = fmax(seconds, 1e-9);
    double learned = least_of(latest);
    return is_third && (learned > OFF * promised || learned * OFF < promised);
}

void hd_remap_learn(hd_remap_device *device, const hd_remap *map, hd_remap_direction direction,
                    const hd_remap_choice *choice, hd_remap_strategy used, double seconds) {
    hd_remap_lesson *lesson = hd_remap_lesson_of(device, map, direction, true);
    hd_remap_choice now = {0};
    if (!lesson)
        return;
    hd_remap_expect(device, device->figures, map, direction, &now);
    bool doubts =
        note(lesson->seconds[used], seconds, now.seconds[used]) && used == choice->strategy;
    if (doubts)
        device->figures->kinds[map->kind][direction].settled = false;
    lesson->moves++;
    lesson->trials += used != choice->strategy;
    hd_remap_apply_lesson(lesson, &now);
    bool changes = now.strategy != choice->strategy;
    if (changes)
        lesson->moves = 0;
    if (changes || doubts)
        hd_remap_figures_write(device->gpu, device->figures);
}
