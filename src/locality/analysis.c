/* All analyses of the table side by side. */
#include "locality/analysis.h"

struct hd_counters {
#define HD_COUNTER(name) name *name;
    HD_ANALYSES(HD_COUNTER)
#undef HD_COUNTER
    hd_sink sink;
};

#define HD_GROUP(name) {HD_IN(hd_launch_counts, name), .of = name##_members},
const hd_member hd_launch_count_members[] = {HD_ANALYSES(HD_GROUP){0}};
#undef HD_GROUP

enum {
#define HD_NUMBER(name) NUMBER_OF_##name,
    HD_ANALYSES(HD_NUMBER)
#undef HD_NUMBER
        ANALYSES
};

hd_counters *hd_counters_new(hd_arena *arena, const hd_device *device) {
    hd_counters *c = hd_new(arena, hd_counters);
    hd_sink sinks[ANALYSES];
#define HD_START(name)                              \
    c->name = name##_new(arena, device);            \
    sinks[NUMBER_OF_##name] = name##_sink(c->name);
    HD_ANALYSES(HD_START)
#undef HD_START
    c->sink = ANALYSES > 1 ? hd_sink_tee(arena, sinks, ANALYSES) : sinks[0];
    return c;
}

hd_sink hd_counters_sink(hd_counters *counters) { return counters->sink; }

void hd_counters_add(const hd_counters *counters, uint32_t launch, hd_launch_counts *sum) {
    hd_launch_counts more = {0};
#define HD_TAKE(name)                                                            \
    const name##_counts *from_##name = name##_of_launch(counters->name, launch); \
    if (from_##name)                                                             \
        more.name = *from_##name;
    HD_ANALYSES(HD_TAKE)
#undef HD_TAKE
    hd_launch_counts_add(sum, &more);
}

void hd_launch_counts_add(hd_launch_counts *sum, const hd_launch_counts *more) {
    uint64_t *to = (uint64_t *)(void *)sum;
    const uint64_t *from = (const uint64_t *)(const void *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

const hd_coalesce *hd_counters_coalesce(const hd_counters *counters) {
    return counters->hd_coalesce;
}

void hd_counters_free(hd_counters *counters) {
#define HD_FREE(name) name##_free(counters->name);
    HD_ANALYSES(HD_FREE)
#undef HD_FREE
}
