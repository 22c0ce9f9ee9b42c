#include <stdio.h>
#include <string.h>

#include "inputs.h"

enum { FOUND = 1024 };

static void hand_over(const int *found, int own, int *next, int *count) {
    memcpy(next + __atomic_fetch_add(count, own, __ATOMIC_RELAXED), found,
           (size_t)own * sizeof *found);
}

/* How many nodes come next. */
static int visit(const int *starts, const int *targets, int *levels, const int *queue, int queued,
                 int *next, int level) {
    int count = 0;
#pragma omp parallel
    {
        int found[FOUND], own = 0;
#pragma omp for schedule(dynamic, 256) nowait
        for (int q = 0; q < queued; q++) {
            int node = queue[q];
            for (int e = starts[node]; e < starts[node + 1]; e++) {
                int target = targets[e], unseen = -1;
                if (__atomic_load_n(&levels[target], __ATOMIC_RELAXED) < 0 &&
                    __atomic_compare_exchange_n(&levels[target], &unseen, level, 0,
                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                    found[own++] = target;
                    if (own == FOUND) {
                        hand_over(found, own, next, &count);
                        own = 0;
                    }
                }
            }
        }
        hand_over(found, own, next, &count);
    }
    return count;
}

int main(int argc, char **argv) {
    int nodes = input_argument(argc, argv, 1, 1 << 19);
    int sources = input_argument(argc, argv, 2, 30);
    int edges = 0;
    int *starts = malloc((size_t)(nodes + 1) * sizeof(int));
    for (int n = 0; n < nodes; n++) {
        starts[n] = edges;
        edges += (int)(input_bits(30, (uint32_t)n) % 12);
    }
    starts[nodes] = edges;
    int *targets = malloc((size_t)edges * sizeof(int));
    int *levels = malloc((size_t)nodes * sizeof(int));
    int *queue = malloc((size_t)nodes * sizeof(int)), *next = malloc((size_t)nodes * sizeof(int));
    for (int e = 0; e < edges; e++)
        targets[e] = (int)(input_bits(31, (uint32_t)e) % (uint32_t)nodes);
    uint32_t sum = 0;
    int deepest = 0;
    for (int s = 0; s < sources; s++) {
#pragma omp parallel for
        for (int n = 0; n < nodes; n++)
            levels[n] = -1;
        queue[0] = (int)(input_bits(32, (uint32_t)s) % (uint32_t)nodes);
        levels[queue[0]] = 0;
        int queued = 1;
        for (int level = 1; queued; level++) {
            queued = visit(starts, targets, levels, queue, queued, next, level);
            int *swap = queue;
            queue = next;
            next = swap;
            deepest = level > deepest ? level : deepest;
        }
        sum = sum * 31 + sum_of_bits((uint32_t *)levels, (size_t)nodes);
    }
    printf("edges %d, deepest %d, all %u\n", edges, deepest, sum);
    free(starts);
    free(targets);
    free(levels);
    free(queue);
    free(next);
    return 0;
}
