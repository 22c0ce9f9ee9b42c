/*
 * The stages in their order, and who begins. Thread clustering starts from several orders that cost
 * little to make, and refines the best of them; the order that came in is refined, too, so that
 * nothing is lost where it was good.
 */
#include <stdlib.h>

#include "base/table.h"
#include "order/orders.h"

const char *const hd_partitioner_names[HD_PARTITIONERS] = {"greedy", "zoltan", "metis"};

static uint64_t cost_of(const hd_sharing *sharing, const uint32_t *order) {
    hd_sharing_cost cost = hd_sharing_count(sharing, order);
    return cost.transactions + cost.issues;
}

typedef struct sorted_thread {
    uint64_t start;
    uint32_t thread;
} sorted_thread;

static int by_start(const void *a, const void *b) {
    const sorted_thread *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Threads by where they begin with an access. */
static void sort_by_start(hd_arena *arena, const hd_sharing *sharing, uint32_t column,
                          uint32_t *order) {
    const uint64_t *start = &sharing->start[(size_t)column * sharing->threads];
    sorted_thread *sorted = hd_new_array(arena, sorted_thread, sharing->threads);
    for (uint32_t t = 0; t < sharing->threads; t++)
        sorted[t] = (sorted_thread){start[t], t};
    qsort(sorted, sharing->threads, sizeof *sorted, by_start);
    for (uint32_t p = 0; p < sharing->threads; p++)
        order[p] = sorted[p].thread;
}

/* Keeps the better of two orders in `best`. */
static void keep_better(const hd_sharing *sharing, uint64_t *cost, uint32_t *best,
                        const uint32_t *order) {
    uint64_t now = cost_of(sharing, order);
    if (now < *cost) {
        *cost = now;
        memcpy(best, order, sharing->threads * sizeof *best);
    }
}

static void say(const hd_stages *stages, const char *doing, double done) {
    if (stages->progress)
        stages->progress(stages->user, doing, done);
}

/* Into warps of the sizes that they have, by a partitioner. */
static hd_status part_threads(const hd_diag *diag, const hd_sharing *sharing,
                              const hd_stages *stages, uint32_t *order) {
    uint32_t warps = hd_sharing_warps(sharing);
    hd_arena *arena = hd_arena_new();
    uint32_t *sizes = hd_alloc_items(arena, (size_t)warps + 1, sizeof *sizes);
    uint32_t *part = hd_alloc_items(arena, (size_t)sharing->threads + 1, sizeof *part);
    for (uint32_t p = 0; p < sharing->threads; p++)
        sizes[hd_sharing_warp_of(sharing, p)]++;
    hd_status status = stages->partition(diag, stages->partitioner, sharing->threads,
                                         &sharing->lines, warps, sizes, part);
    if (status == HD_OK) {
        uint32_t at = 0;
        for (uint32_t w = 0; w < warps; w++) { /* places where the warps begin */
            uint32_t size = sizes[w];
            sizes[w] = at;
            at += size;
        }
        for (uint32_t t = 0; t < sharing->threads; t++)
            order[sizes[part[t]]++] = t;
    }
    hd_arena_free(arena);
    return status;
}

static hd_status order_threads(const hd_diag *diag, const hd_sharing *sharing,
                               const hd_stages *stages, uint32_t *order) {
    size_t bytes = ((size_t)sharing->threads + 1) * sizeof *order;
    hd_arena *arena = hd_arena_new();
    uint32_t *best = hd_alloc(arena, bytes), *trial = hd_alloc(arena, bytes);
    uint64_t first = cost_of(sharing, order), cost = first, refined;
    memcpy(best, order, bytes - sizeof *order);
    say(stages, "clustering threads", 0);
    hd_status status = HD_OK;
    if (stages->partitioner == HD_PART_GREEDY) {
        memcpy(trial, order, bytes - sizeof *order);
        hd_cluster_threads(sharing, trial);
        if (stages->refine) {
            keep_better(sharing, &cost, best, trial);
            hd_hash_table tried = {.arena = arena};
            for (uint32_t c = 0; c < sharing->starts; c++) {
                sort_by_start(arena, sharing, c, trial);
                uint64_t hash = hd_hash_bytes(HD_HASH_START, trial, bytes - sizeof *order);
                if (hd_hash_add(&tried, hash, c) == c) /* fields of one record give one order */
                    keep_better(sharing, &cost, best, trial);
            }
        } else
            memcpy(best, trial, bytes - sizeof *order);
    } else
        status = part_threads(diag, sharing, stages, best);
    if (status == HD_OK && stages->refine) {
        say(stages, "refining warps", 0);
        /* Where the order that came in is much worse, it is not where the best one is found. */
        bool other = memcmp(best, order, bytes - sizeof *order) && first < cost + cost / 32;
        hd_refine_threads(sharing, stages->workers, best);
        if (other) {
            say(stages, "refining warps", 0.5);
            refined = cost_of(sharing, best);
            hd_refine_threads(sharing, stages->workers, order);
            keep_better(sharing, &refined, best, order);
        }
    }
    if (status == HD_OK)
        memcpy(order, best, bytes - sizeof *order);
    hd_arena_free(arena);
    return status;
}

hd_status hd_order_threads(const hd_diag *diag, const hd_sharing *sharing, const hd_stages *stages,
                           uint32_t *order) {
    hd_status status = HD_OK;
    if (stages->threads && !stages->whole_blocks)
        status = order_threads(diag, sharing, stages, order);
    if (status == HD_OK && stages->warps && !stages->whole_blocks) {
        say(stages, "clustering warps", 0);
        status = hd_cluster_warps(diag, sharing, stages, order);
    }
    if (status == HD_OK && stages->blocks) {
        say(stages, "scheduling blocks", 0);
        hd_schedule_blocks(sharing, order);
    }
    return status;
}
