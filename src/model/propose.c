/* Who proposes layouts, and their proposals in one list (propose.h). */
#include "model/race.h"

hd_judge hd_judge_cost(hd_arena *arena, const hd_device *device, const hd_search_result *search) {
    enum { MOST = 10 };
    hd_judge judge = {.name = hd_format(arena, "cost on %s", device->name)};
    for (uint32_t i = 0; i < search->ranked_count && i < MOST; i++)
        hd_push(arena, &judge.layouts, search->ranked[i].layout);
    return judge;
}

static uint64_t select_tile(const hd_record *record, const hd_tile_steps *tiles, uint64_t mask) {
    uint64_t bytes = 0;
    for (uint64_t left = mask; left; left &= left - 1)
        bytes += record->fields[__builtin_ctzll(left)].size;
    return tiles ? hd_tile_select(tiles, bytes) : HD_TILE_AOS;
}

hd_judge hd_judge_graph(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                        const hd_tile_steps *tiles) {
    hd_judge judge = {.name = tiles ? "graph and tree" : "graph"};
    uint64_t masks[HD_MAX_FIELDS], selected[HD_MAX_FIELDS], all = 0;
    uint32_t clusters = hd_layout_graph_clusters(graph, epsilon, masks);
    for (uint32_t c = 0; c < clusters; c++) {
        selected[c] = select_tile(graph->record, tiles, masks[c]);
        all |= masks[c];
    }
    hd_push(arena, &judge.layouts, hd_layout_of_masks(arena, masks, selected, clusters, false));
    uint64_t whole = select_tile(graph->record, tiles, all);
    if (tiles)
        hd_push(arena, &judge.layouts, hd_layout_of_masks(arena, &all, &whole, 1, false));
    return judge;
}

hd_judge hd_judge_plain(hd_arena *arena, const hd_record *record) {
    static const uint64_t tiles[] = {HD_TILE_SOA, 16, 4, 64, HD_TILE_AOS};
    hd_judge judge = {.name = "plain"};
    uint64_t all = hd_all_fields(record);
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
        hd_push(arena, &judge.layouts, hd_layout_of_masks(arena, &all, &tiles[t], 1, false));
    return judge;
}

/* ---- all of them --------------------------------------------------------------------- */

/* A layout that is proposed, and the names of those who did. */
typedef struct named_layout {
    hd_layout *layout;
    uint64_t group; /* hd_layout_group() */
    hd_vec(const char *) by;
} named_layout;
typedef hd_vec(named_layout) named_layouts;

/* Of layouts that differ in where fields lie which nobody uses the plainest is proposed. */
static void propose(hd_arena *arena, const hd_record *record, named_layouts *list,
                    hd_layout *layout, uint64_t group, const char *by) {
    size_t i = 0, j = 0;
    while (i < list->count && list->data[i].group != group)
        i++;
    if (i == list->count)
        hd_push(arena, list, (named_layout){layout, group});
    named_layout *known = &list->data[i];
    if (hd_layout_nearer(record, layout, known->layout) < 0)
        known->layout = layout;
    while (j < known->by.count && strcmp(known->by.data[j], by) != 0)
        j++;
    if (j == known->by.count)
        hd_push(arena, &known->by, by);
}

hd_proposal *hd_propose(hd_arena *arena, const hd_record *record, uint64_t used,
                        const hd_judge *judges, uint32_t judge_count, uint32_t most,
                        uint32_t *count) {
    uint64_t original = hd_layout_places(record, hd_layout_original(arena, record), used);
    named_layouts list = {0};
    bool more = true;
    for (uint32_t rank = 0; rank < most && more; rank++) {
        more = false;
        for (uint32_t j = 0; j < judge_count; j++) {
            if (rank >= judges[j].layouts.count)
                continue;
            hd_layout *layout = judges[j].layouts.data[rank];
            more = true;
            if (hd_layout_places(record, layout, used) != original)
                propose(arena, record, &list, layout, hd_layout_group(record, layout, used, 0),
                        judges[j].name);
        }
    }
    *count = list.count < most ? (uint32_t)list.count : most;
    hd_proposal *proposals = hd_new_array(arena, hd_proposal, *count);
    for (uint32_t i = 0; i < *count; i++) {
        const named_layout *n = &list.data[i];
        hd_str names = {.arena = arena};
        for (size_t j = 0; j < n->by.count; j++)
            hd_str_printf(&names, "%s%s", j ? ", " : "", n->by.data[j]);
        proposals[i] = (hd_proposal){n->layout, hd_str_text(&names), NULL};
    }
    return proposals;
}

hd_proposal *hd_propose_placements(hd_arena *arena, const hd_record *record,
                                   const hd_proposal *proposals, uint32_t proposal_count,
                                   const hd_placement *placements, uint32_t placement_count,
                                   uint32_t most, uint32_t *count, uint32_t *left_out) {
    hd_vec(hd_proposal) all = {0};
    hd_proposal original = {hd_layout_original(arena, record), "placement", NULL};
    for (uint32_t p = 0; p < placement_count; p++) {
        original.placement = &placements[p];
        hd_push(arena, &all, original);
    }
    for (uint32_t i = 0; i < proposal_count; i++) {
        hd_proposal one = proposals[i];
        hd_push(arena, &all, one);
        for (uint32_t p = 0; p < placement_count && i < HD_PLACED_LAYOUTS; p++) {
            one.placement = &placements[p];
            hd_push(arena, &all, one);
        }
    }
    *count = all.count < most ? (uint32_t)all.count : most;
    *left_out = (proposal_count + 1) * (placement_count + 1) - 1 - *count;
    return all.data;
}
