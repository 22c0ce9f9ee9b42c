/*
 * The kernel data layout graph, and its clusters (Kofler et al., sections 3.1 and 3.3).
 *
 * Of one launch, the distance of two fields is that of the two accesses to them that are
 * farthest apart, in the direction in which they are. Accesses between which no way leads say
 * nothing; fields without any other pair are unreachable from each other.
 *
 * The document has one kernel. A job launches several, with the same record, so each edge gets
 * the distance that more than half of the work-items keep: those of all launches that reach one
 * of the two fields or both, where a launch that reaches only one counts as unreachable. A mean
 * would be made by the one launch with the longest loops, and a field that is mostly used alone
 * should not come to another because a small launch touches both.
 */
#include <stdlib.h>

#include "model/layout_graph.h"

static hd_layout_graph *graph_new(hd_arena *arena, const hd_record *record) {
    uint32_t n = record->field_count;
    hd_layout_graph *g = hd_new(arena, hd_layout_graph);
    *g = (hd_layout_graph){record, 0, hd_new_array(arena, uint64_t, n *n)};
    for (uint32_t i = 0; i < n * n; i++)
        g->distance[i] = i % (n + 1) ? HD_UNREACHABLE : 0;
    return g;
}

/* ---- one launch ---------------------------------------------------------------------- */

enum { NO_FIELD = -1 };

static void lengthen(uint64_t *distance, uint64_t bytes) {
    if (bytes != HD_UNREACHABLE && (*distance == HD_UNREACHABLE || *distance < bytes))
        *distance = bytes;
}

/* The longest way between accesses to `a` and to `b`, or accesses to all fields. */
static uint64_t longest(const uint64_t *found, uint32_t n, uint32_t a, uint32_t b) {
    const uint32_t from[] = {a, n}, to[] = {b, n};
    uint64_t distance = HD_UNREACHABLE;
    for (int i = 0; i < 4; i++) {
        lengthen(&distance, found[from[i / 2] * (n + 1) + to[i % 2]]);
        lengthen(&distance, found[to[i % 2] * (n + 1) + from[i / 2]]);
    }
    return distance;
}

static void find_distances(hd_arena *arena, const hd_kernel_info *info, hd_ways *ways,
                           hd_layout_graph *graph) {
    uint32_t n = graph->record->field_count, many = (n + 1) * (n + 1);
    /* The field that each access reaches; `n` stands for all of them, where it is not known which.
     * NO_FIELD also where no work-item comes by. */
    int *fields = hd_new_array(arena, int, info->access_count);
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *access = &info->accesses[i];
        bool reaches = hd_ways_passes(ways, i) && access->space == KIR_GLOBAL &&
                       access->record == graph->record;
        fields[i] = !reaches ? NO_FIELD : access->field < 0 ? (int)n : access->field;
        if (fields[i] == (int)n)
            graph->reached = UINT64_MAX >> (64 - n);
        else if (fields[i] >= 0)
            graph->reached |= (uint64_t)1 << fields[i];
    }
    uint64_t *found = hd_new_array(arena, uint64_t, many);
    for (uint32_t i = 0; i < many; i++)
        found[i] = HD_UNREACHABLE;
    for (uint32_t i = 0; i < info->access_count; i++)
        for (uint32_t k = 0; k < info->access_count && fields[i] >= 0; k++)
            if (fields[k] >= 0)
                lengthen(&found[(uint32_t)fields[i] * (n + 1) + (uint32_t)fields[k]],
                         hd_ways_bytes(ways, i, k));
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (a != b)
                graph->distance[a * n + b] = longest(found, n, a, b);
}

/* The same of one launch. */
static hd_layout_graph *layout_graph_of_launch(hd_arena *arena, const hd_job *job,
                                               const hd_launch *launch) {
    const hd_cost_options options = {.loops = HD_LOOPS_KOFLER};
    hd_layout_graph *graph = graph_new(arena, job->record);
    hd_arena *scratch = hd_arena_new();
    const hd_kernel_info *info = hd_job_analyse(scratch, job, launch);
    uint64_t *lengths = hd_new_array(scratch, uint64_t, info->flow->loop_count);
    for (uint32_t l = 0; l < info->flow->loop_count; l++)
        lengths[l] = hd_loop_length(&info->trips[l], &options);
    find_distances(scratch, info, hd_ways_make(scratch, info, lengths), graph);
    hd_arena_free(scratch);
    return graph;
}

/* ---- all launches ---------------------------------------------------------------------- */

/* Launches with equal graphs, as those over the levels of a circuit are. */
typedef struct part {
    const hd_layout_graph *graph;
    double items; /* work-items */
} part;
typedef hd_vec(part) part_list;

static void add_part(hd_arena *arena, part_list *parts, const hd_layout_graph *graph,
                     const hd_launch *launch) {
    uint32_t n = graph->record->field_count;
    double items = (double)launch->repeat;
    for (uint32_t d = 0; d < launch->dims; d++)
        items *= (double)launch->global[d];
    for (size_t i = 0; i < parts->count; i++) {
        part *p = &parts->data[i];
        if (p->graph->reached == graph->reached &&
            !memcmp(p->graph->distance, graph->distance, n * n * sizeof *graph->distance)) {
            p->items += items;
            return;
        }
    }
    hd_push(arena, parts, (part){graph, items});
}

typedef struct kept {
    uint64_t distance;
    double items;
} kept;

static int by_distance(const void *a, const void *b) {
    uint64_t x = ((const kept *)a)->distance, y = ((const kept *)b)->distance;
    return (x > y) - (x < y);
}

/* The distance that more than half of the work-items keep. */
static uint64_t middle(hd_arena *arena, const part_list *parts, uint32_t a, uint32_t b) {
    kept *all = hd_new_array(arena, kept, parts->count);
    size_t count = 0;
    double items = 0, sum = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const part *p = &parts->data[i];
        if (!(p->graph->reached >> a & 1) && !(p->graph->reached >> b & 1))
            continue;
        all[count++] = (kept){hd_layout_distance(p->graph, a, b), p->items};
        items += p->items;
    }
    qsort(all, count, sizeof *all, by_distance);
    for (size_t i = 0; i < count; i++) {
        sum += all[i].items;
        if (2 * sum > items)
            return all[i].distance;
    }
    return HD_UNREACHABLE;
}

hd_status hd_layout_graph_make(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               hd_layout_graph **result) {
    if (!job->record)
        return hd_job_require_record(diag, job);
    hd_arena *scratch = hd_arena_new();
    part_list parts = {0};
    hd_layout_graph *graph = graph_new(arena, job->record);
    uint32_t n = job->record->field_count;
    for (uint32_t i = 0; i < job->launch_count; i++) {
        const hd_layout_graph *one = layout_graph_of_launch(scratch, job, &job->launches[i]);
        add_part(scratch, &parts, one, &job->launches[i]);
        graph->reached |= one->reached;
    }
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            graph->distance[a * n + b] = graph->distance[b * n + a] = middle(scratch, &parts, a, b);
    hd_arena_free(scratch);
    *result = graph;
    return HD_OK;
}

/* ---- clusters ------------------------------------------------------------------------------ */

uint32_t hd_layout_graph_clusters(const hd_layout_graph *graph, uint64_t epsilon,
                                  uint64_t masks[HD_MAX_FIELDS]) {
    uint32_t n = graph->record->field_count, count = 0;
    uint64_t placed = 0;
    for (uint32_t first = 0; first < n; first++) {
        if (placed >> first & 1)
            continue;
        uint64_t cluster = (uint64_t)1 << first, grown = 0;
        while (cluster != grown) {
            uint32_t a = (uint32_t)__builtin_ctzll(cluster & ~grown);
            grown |= (uint64_t)1 << a;
            for (uint32_t b = 0; b < n; b++)
                if (hd_layout_distance(graph, a, b) < epsilon)
                    cluster |= (uint64_t)1 << b;
        }
        placed |= cluster;
        masks[count++] = cluster;
    }
    return count;
}

hd_layout *hd_layout_graph_split(hd_arena *arena, const hd_layout_graph *graph, uint64_t epsilon) {
    uint64_t masks[HD_MAX_FIELDS];
    uint32_t count = hd_layout_graph_clusters(graph, epsilon, masks);
    return hd_layout_of_masks(arena, masks, NULL, count, false);
}
