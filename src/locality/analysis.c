/* All analyses of the table side by side. */
#include "locality/analysis.h"
#include "locality/tally.h"

struct hd_counters {
#define LOCALITY_COUNTER(name) name *name;
    HD_ANALYSES(LOCALITY_COUNTER)
#undef LOCALITY_COUNTER
    hd_sink sink;
};

#define HD_GROUP(name) {HD_IN(hd_launch_counts, name), .of = name##_members},
const hd_member hd_launch_count_members[] = {HD_ANALYSES(HD_GROUP){0}};
#undef HD_GROUP

enum {
#define LOCALITY_NUMBER(name) NUMBER_OF_##name,
    HD_ANALYSES(LOCALITY_NUMBER)
#undef LOCALITY_NUMBER
        ANALYSES
};

hd_counters *hd_counters_new(hd_arena *arena, const hd_device *device) {
    hd_counters *c = hd_new(arena, hd_counters);
    hd_sink sinks[ANALYSES];
#define LOCALITY_START(name)                        \
    c->name = name##_new(arena, device);            \
    sinks[NUMBER_OF_##name] = name##_sink(c->name);
    HD_ANALYSES(LOCALITY_START)
#undef LOCALITY_START
    c->sink = ANALYSES > 1 ? hd_sink_tee(arena, sinks, ANALYSES) : sinks[0];
    return c;
}

hd_sink hd_counters_sink(hd_counters *counters) { return counters->sink; }

void hd_counters_add(const hd_counters *counters, uint32_t launch, hd_launch_counts *sum) {
    hd_launch_counts more = {0};
#define LOCALITY_TAKE(name)                                                      \
    const name##_counts *from_##name = name##_of_launch(counters->name, launch); \
    if (from_##name)                                                             \
        more.name = *from_##name;
    HD_ANALYSES(LOCALITY_TAKE)
#undef LOCALITY_TAKE
    hd_launch_counts_add(sum, &more);
}

void hd_counters_add_access(const hd_counters *counters, uint32_t launch, uint32_t access,
                            hd_launch_counts *sum) {
    hd_launch_counts more = {0};
#define LOCALITY_TAKE(name)                                                       \
    const name##_counts *from_##name = name##_of(counters->name, launch, access); \
    if (from_##name)                                                              \
        more.name = *from_##name;
    HD_ANALYSES(LOCALITY_TAKE)
#undef LOCALITY_TAKE
    hd_launch_counts_add(sum, &more);
}

void hd_launch_counts_add(hd_launch_counts *sum, const hd_launch_counts *more) {
    hd_tally_add(sum, more, sizeof *sum);
}

void hd_counters_free(hd_counters *counters) {
#define LOCALITY_FREE(name) name##_free(counters->name);
    HD_ANALYSES(LOCALITY_FREE)
#undef LOCALITY_FREE
}
