/* All analyses of the table side by side. */
#include "locality/analysis.h"
#include "locality/tally.h"

#define HD_GROUP(name) {HD_IN(hd_launch_counts, name), .of = name##_members},
const hd_member hd_launch_count_members[] = {HD_ANALYSES(HD_GROUP){0}};
#undef HD_GROUP

enum {
#define LOCALITY_NUMBER(name) NUMBER_OF_##name,
    HD_ANALYSES(LOCALITY_NUMBER)
#undef LOCALITY_NUMBER
        ANALYSES
};

hd_tally *hd_counters_new(hd_arena *arena, const hd_device *device) {
#define LOCALITY_WORK(name) name##_work(arena, device),
    const hd_tally_work works[] = {HD_ANALYSES(LOCALITY_WORK)};
#undef LOCALITY_WORK
    return hd_tally_new(arena, works, ANALYSES);
}

void hd_counters_add(const hd_tally *counters, uint32_t launch, hd_launch_counts *sum) {
    hd_launch_counts more = {0};
#define LOCALITY_TAKE(name)                                                                    \
    const name##_counts *from_##name = hd_tally_of_launch(counters, NUMBER_OF_##name, launch); \
    if (from_##name)                                                                           \
        more.name = *from_##name;
    HD_ANALYSES(LOCALITY_TAKE)
#undef LOCALITY_TAKE
    hd_launch_counts_add(sum, &more);
}

void hd_counters_add_access(const hd_tally *counters, uint32_t launch, uint32_t access,
                            hd_launch_counts *sum) {
    hd_launch_counts more = {0};
#define LOCALITY_TAKE(name)                                                                     \
    const name##_counts *from_##name = hd_tally_of(counters, NUMBER_OF_##name, launch, access); \
    if (from_##name)                                                                            \
        more.name = *from_##name;
    HD_ANALYSES(LOCALITY_TAKE)
#undef LOCALITY_TAKE
    hd_launch_counts_add(sum, &more);
}

void hd_launch_counts_add(hd_launch_counts *sum, const hd_launch_counts *more) {
    hd_tally_add(sum, more, sizeof *sum);
}
