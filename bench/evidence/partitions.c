/*
 * All partitions with all tiles, of which a record of eight fields has millions, without the
 * search that is to be checked. A layout's transactions are the sum of those of its clusters, so
 * it is enough to know every set of fields with every tile, each as part of one layout of two
 * clusters; and the fewest of a set are those of one of its subsets with its first field, as a
 * cluster, and the fewest of the rest.
 */
#include "evidence/partitions.h"

#include <math.h>

typedef struct sets {
    program *p;
    uint32_t fields;
    double *least;  /* [set]: of it as one cluster, with the best tile */
    uint64_t *tile; /* [set]: that tile */
} sets;

static void offer(sets *s, uint64_t set, uint64_t tile, double transactions) {
    if (transactions >= s->least[set])
        return;
    s->least[set] = transactions;
    s->tile[set] = tile;
}

/* The transactions of two clusters that together are all fields. */
static void price_pair(sets *s, uint64_t set, uint64_t tile) {
    const uint64_t all = ((uint64_t)1 << s->fields) - 1;
    const uint64_t masks[] = {set, all & ~set}, tiles[] = {tile, tile};
    hd_arena *arena = hd_arena_new();
    hd_layout *layout = hd_layout_of_masks(arena, masks, tiles, masks[1] ? 2 : 1, false);
    double of[2] = {0, 0};
    hd_cost_line *lines;
    size_t count;
    hd_cost_of_layout(arena, s->p->model, layout, &lines, &count);
    for (size_t i = 0; i < count; i++) {
        const hd_access *access = lines[i].access;
        if (access->record == s->p->job->record && access->field >= 0)
            of[!(set >> access->field & 1)] += lines[i].executions * lines[i].transactions;
    }
    offer(s, masks[0], tile, of[0]);
    if (masks[1])
        offer(s, masks[1], tile, of[1]);
    hd_arena_free(arena);
}

static void price_all(sets *s) {
    uint64_t tiles[HD_MAX_TILES];
    uint32_t tile_count = hd_cost_tiles(s->p->model, tiles);
    uint64_t sets_of_first = (uint64_t)1 << (s->fields - 1); /* the others are their complements */
    for (uint64_t rest = 0; rest < sets_of_first; rest++)
        for (uint32_t t = 0; t < tile_count; t++)
            price_pair(s, rest << 1 | 1, tiles[t]);
}

/* The fewest of each set, however it is split, and the cluster that its first field is in then. */
static uint64_t *split_all(hd_arena *arena, const sets *s) {
    uint64_t count = (uint64_t)1 << s->fields;
    double *fewest = hd_new_array(arena, double, count);
    uint64_t *cluster = hd_new_array(arena, uint64_t, count);
    for (uint64_t set = 1; set < count; set++) {
        uint64_t first = set & (0 - set), others = set & ~first, with = others;
        fewest[set] = s->least[set];
        cluster[set] = set;
        while (with) {
            with = (with - 1) & others;
            double sum = s->least[first | with] + fewest[set & ~(first | with)];
            if (sum < fewest[set]) {
                fewest[set] = sum;
                cluster[set] = first | with;
            }
        }
    }
    return cluster;
}

hd_layout *partitions_fewest(program *p) {
    sets s = {.p = p, .fields = p->job->record->field_count};
    if (s.fields > PARTITIONS_MOST_FIELDS)
        return NULL;
    hd_arena *arena = hd_arena_new();
    uint64_t count = (uint64_t)1 << s.fields, masks[HD_MAX_FIELDS], tiles[HD_MAX_FIELDS];
    uint32_t clusters = 0;
    s.least = hd_new_array(arena, double, count);
    s.tile = hd_new_array(arena, uint64_t, count);
    for (uint64_t set = 0; set < count; set++)
        s.least[set] = HUGE_VAL;
    price_all(&s);
    const uint64_t *cluster = split_all(arena, &s);
    for (uint64_t left = count - 1; left; left &= ~masks[clusters++]) {
        masks[clusters] = cluster[left];
        tiles[clusters] = s.tile[cluster[left]];
    }
    hd_layout *layout = hd_layout_of_masks(p->arena, masks, tiles, clusters, false);
    hd_arena_free(arena);
    return layout;
}
