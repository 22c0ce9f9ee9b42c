/* All analyses of the table side by side. */
#include "analysis/analysis.h"

#define ROW_OF(name) &name##_analysis,
const hd_analysis *const hd_analyses[HD_ANALYSIS_COUNT] = {HD_ANALYSES(ROW_OF)};

#define GROUP_OF(name) {HD_IN(hd_launch_counts, of[NUMBER_OF_##name]), .of = name##_members},
const hd_member hd_launch_count_members[] = {HD_ANALYSES(GROUP_OF){0}};

hd_analysis_column hd_analysis_column_of(const hd_analysis *analysis, const hd_member *member) {
    for (const hd_analysis_column *c = analysis->columns; member->title && c->title; c++)
        if (!strcmp(c->title, member->title))
            return *c;
    return (hd_analysis_column){0};
}

bool hd_analysis_counted(uint32_t number, const hd_launch_counts *counts) {
    return hd_member_value(&hd_analyses[number]->members[0], NULL, counts->of[number]).whole > 0;
}

const hd_member *hd_launch_count_columns(hd_arena *arena, uint32_t seen,
                                         const hd_launch_counts *counts) {
    hd_member *groups = hd_new_array(arena, hd_member, HD_ANALYSIS_COUNT + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++) {
        hd_vec(hd_member) list = {0};
        if (i && counts && !hd_analysis_counted(i, counts))
            continue;
        for (const hd_member *m = hd_analyses[i]->members; m->key || m->title; m++) {
            const hd_analysis_column column = hd_analysis_column_of(hd_analyses[i], m);
            if (m->title && (seen == HD_IN_ALL || column.seen & seen))
                hd_push(arena, &list, *m);
        }
        if (!list.count)
            continue;
        hd_push(arena, &list, (hd_member){0});
        groups[count] = hd_launch_count_members[i];
        groups[count++].of = list.data;
    }
    return groups;
}

hd_tally *hd_counters_new(hd_arena *arena, const hd_device *device) {
    hd_tally_work works[HD_ANALYSIS_COUNT];
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++)
        works[i] = hd_analyses[i]->work(arena, device);
    return hd_tally_new(arena, works, HD_ANALYSIS_COUNT);
}

void hd_counters_add(const hd_tally *counters, uint32_t launch, hd_launch_counts *sum) {
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++) {
        const void *more = hd_tally_of_launch(counters, i, launch);
        if (more)
            hd_tally_add(sum->of[i], more, hd_tally_row_bytes(counters, i));
    }
}

void hd_counters_add_access(const hd_tally *counters, uint32_t launch, uint32_t access,
                            hd_launch_counts *sum) {
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++) {
        const void *more = hd_tally_of(counters, i, launch, access);
        if (more)
            hd_tally_add(sum->of[i], more, hd_tally_row_bytes(counters, i));
    }
}

void hd_launch_counts_add(hd_launch_counts *sum, const hd_launch_counts *more) {
    hd_tally_add(sum, more, sizeof *sum);
}

double hd_efficiency(const hd_launch_counts *counts) {
    const hd_coalesce_counts *moved = &counts->moved;
    return moved->bytes_moved ? (double)moved->bytes_used / (double)moved->bytes_moved : 1;
}

uint64_t hd_weight(const hd_launch_counts *counts, uint32_t first) {
    uint64_t sum = 0;
    for (uint32_t i = first; i < HD_ANALYSIS_COUNT; i++)
        sum += hd_analyses[i]->weight ? hd_analyses[i]->weight(counts) : 0;
    return sum;
}
