/* Judges that propose layouts, and their proposals in one list (judge.h). */
#include "search/judge.h"

/* ---- static cost --------------------------------------------------------------- */

static uint32_t propose_ranked(const hd_judge *judge, hd_arena *arena, hd_layout **layouts,
                               uint32_t most) {
    const hd_search_result *search = judge->state;
    uint32_t count = search->ranked_count < most ? search->ranked_count : most;
    (void)arena;
    for (uint32_t i = 0; i < count; i++)
        layouts[i] = search->ranked[i].layout;
    return count;
}

hd_judge hd_judge_cost(hd_arena *arena, const hd_device *device, const hd_search_result *search) {
    return (hd_judge){hd_format(arena, "cost on %s", device->name), search, propose_ranked};
}

/* ---- graph and tree --------------------------------------------------------------- */

typedef struct graph_judge {
    const hd_layout_graph *graph;
    uint64_t epsilon;
    const hd_tile_steps *tree; /* NULL: no tiles */
} graph_judge;

static uint64_t select_tile(const graph_judge *g, uint64_t mask) {
    uint64_t bytes = 0;
    for (uint32_t f = 0; f < g->graph->record->field_count; f++)
        if (mask >> f & 1)
            bytes += g->graph->record->fields[f].size;
    return g->tree ? hd_tile_select(g->tree, bytes) : HD_TILE_AOS;
}

static hd_layout *tile_clusters(const graph_judge *g, hd_arena *arena, const uint64_t *masks,
                                uint32_t count) {
    uint64_t tiles[HD_MAX_FIELDS];
    for (uint32_t c = 0; c < count; c++)
        tiles[c] = select_tile(g, masks[c]);
    return hd_layout_normalise(arena, g->graph->record,
                               hd_layout_of_masks(arena, masks, tiles, count, false));
}

static uint32_t propose_clusters(const hd_judge *judge, hd_arena *arena, hd_layout **layouts,
                                 uint32_t most) {
    const graph_judge *g = judge->state;
    uint64_t masks[HD_MAX_FIELDS], all = 0;
    uint32_t clusters = hd_layout_graph_clusters(g->graph, g->epsilon, masks), count = 0;
    if (count < most)
        layouts[count++] = tile_clusters(g, arena, masks, clusters);
    for (uint32_t c = 0; c < clusters; c++)
        all |= masks[c];
    if (g->tree && count < most)
        layouts[count++] = tile_clusters(g, arena, &all, 1);
    return count;
}

hd_judge hd_judge_graph(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon,
                        const hd_tile_steps *tree) {
    graph_judge *state = hd_new(arena, graph_judge);
    *state = (graph_judge){graph, epsilon, tree};
    return (hd_judge){tree ? "graph and tree" : "graph", state, propose_clusters};
}

/* ---- the plain ones ------------------------------------------------------------------ */

static uint32_t propose_plain(const hd_judge *judge, hd_arena *arena, hd_layout **layouts,
                              uint32_t most) {
    static const uint64_t tiles[] = {HD_TILE_SOA, 16, 4, 64, HD_TILE_AOS};
    const hd_record *record = judge->state;
    uint64_t all =
        record->field_count >= 64 ? UINT64_MAX : ((uint64_t)1 << record->field_count) - 1;
    uint32_t count = 0;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles && count < most; t++)
        layouts[count++] = hd_layout_normalise(
            arena, record, hd_layout_of_masks(arena, &all, &tiles[t], 1, false));
    return count;
}

hd_judge hd_judge_plain(hd_arena *arena, const hd_record *record) {
    (void)arena;
    return (hd_judge){"plain", record, propose_plain};
}

/* ---- all of them --------------------------------------------------------------------- */

typedef hd_vec(hd_proposal) proposal_list;

static bool is_named(const char *by, const char *judge) {
    size_t length = strlen(judge);
    for (const char *at = by; (at = strstr(at, judge)) != NULL; at++)
        if ((at == by || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

static void add_proposal(hd_arena *arena, const hd_record *record, uint64_t used,
                         proposal_list *list, hd_layout *layout, const char *by) {
    uint64_t places = hd_layout_places(record, layout, used);
    for (size_t i = 0; i < list->count; i++)
        if (hd_layout_places(record, list->data[i].layout, used) == places) {
            if (!is_named(list->data[i].by, by))
                list->data[i].by = hd_format(arena, "%s, %s", list->data[i].by, by);
            return;
        }
    hd_push(arena, list, (hd_proposal){layout, by});
}

hd_proposal *hd_propose(hd_arena *arena, const hd_record *record, uint64_t used,
                        const hd_judge *judges, uint32_t judge_count, uint32_t most,
                        uint32_t *count) {
    hd_layout ***named = hd_new_array(arena, hd_layout **, judge_count);
    uint32_t *named_count = hd_new_array(arena, uint32_t, judge_count), longest = 0;
    uint64_t original = hd_layout_places(record, hd_layout_original(arena, record), used);
    proposal_list list = {0};
    for (uint32_t j = 0; j < judge_count; j++) {
        named[j] = hd_new_array(arena, hd_layout *, most);
        named_count[j] = judges[j].propose(&judges[j], arena, named[j], most);
        longest = named_count[j] > longest ? named_count[j] : longest;
    }
    for (uint32_t rank = 0; rank < longest; rank++)
        for (uint32_t j = 0; j < judge_count; j++)
            if (rank < named_count[j] && hd_layout_places(record, named[j][rank], used) != original)
                add_proposal(arena, record, used, &list, named[j][rank], judges[j].name);
    *count = list.count < most ? (uint32_t)list.count : most;
    return list.data;
}
