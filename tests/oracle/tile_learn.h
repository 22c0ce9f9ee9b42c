/*
 * Tiles learned the slow way, by a tree: every node keeps its own copy of its patterns and
 * every number is counted again from them; limits of confidence are found by bisection of their
 * definitions instead of solved. src/model/tile_learn.c must give the same steps.
 */
#ifndef TESTS_ORACLE_TILE_LEARN_H
#define TESTS_ORACLE_TILE_LEARN_H

#include <math.h>

#include "model/tile_learn.h"

typedef struct slow_node {
    hd_tile_pattern *patterns;
    size_t count;
    struct slow_node *low, *high;
    uint64_t threshold;
} slow_node;

static size_t slow_of_tile(const slow_node *n, uint64_t tile) {
    size_t count = 0;
    for (size_t i = 0; i < n->count; i++)
        count += n->patterns[i].tile == tile;
    return count;
}

static uint64_t slow_best_tile(const slow_node *n) {
    uint64_t best = 1;
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        if (slow_of_tile(n, hd_tile_of_class(k)) > slow_of_tile(n, best))
            best = hd_tile_of_class(k);
    return best;
}

static size_t slow_misses(const slow_node *n) {
    return n->count - slow_of_tile(n, slow_best_tile(n));
}

/* Entropy times patterns. */
static double slow_information(const slow_node *n) {
    double entropy = 0;
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++) {
        double share = (double)slow_of_tile(n, hd_tile_of_class(k)) / (double)n->count;
        if (share > 0)
            entropy -= share * log2(share);
    }
    return entropy * (double)n->count;
}

/* The patterns with low <= bytes <= high. */
static slow_node *slow_part(hd_arena *arena, const slow_node *n, uint64_t low, uint64_t high) {
    slow_node *part = hd_new(arena, slow_node);
    part->patterns = hd_new_array(arena, hd_tile_pattern, n->count + 1);
    for (size_t i = 0; i < n->count; i++)
        if (n->patterns[i].bytes >= low && n->patterns[i].bytes <= high)
            part->patterns[part->count++] = n->patterns[i];
    return part;
}

/* The smallest value above `above`, or UINT64_MAX. */
static uint64_t slow_next_value(const slow_node *n, uint64_t above, bool or_equal) {
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < n->count; i++) {
        uint64_t bytes = n->patterns[i].bytes;
        if ((bytes > above || (or_equal && bytes == above)) && bytes < next)
            next = bytes;
    }
    return next;
}

static void slow_grow(hd_arena *arena, slow_node *n) {
    if (n->count < 4 || !slow_misses(n))
        return;
    double part = fmax(2, fmin(25, 0.1 * (double)n->count / 17)), least = INFINITY, cuts = 0;
    uint64_t first = slow_next_value(n, 0, true), last = first, best = 0;
    for (uint64_t v = first; v != UINT64_MAX; v = slow_next_value(n, v, false))
        last = v;
    for (uint64_t v = first; v < last; v = slow_next_value(n, v, false)) {
        const slow_node *low = slow_part(arena, n, 0, v);
        const slow_node *high = slow_part(arena, n, v + 1, UINT64_MAX);
        if ((double)low->count < part || (double)high->count < part)
            continue;
        cuts++;
        double information = slow_information(low) + slow_information(high);
        if (information < least - 1e-9) {
            least = information;
            best = v;
        }
    }
    if (!cuts)
        return;
    double range = (double)(last - first) / (double)(slow_next_value(n, best, false) - best);
    if (slow_information(n) - least - log2(fmin(range, cuts)) <= 1e-9)
        return;
    n->threshold = best;
    n->low = slow_part(arena, n, 0, best);
    n->high = slow_part(arena, n, best + 1, UINT64_MAX);
    slow_grow(arena, n->low);
    slow_grow(arena, n->high);
}

/* The rate of errors at which so few would be seen only with probability 0.25. */
static double slow_limit(double cases, double misses) {
    double low = misses ? (misses + 0.5) / cases : 0, high = 1;
    if (misses && misses + 0.5 >= cases)
        return (misses + 0.67 * (cases - misses)) / cases;
    for (int i = 0; i < 200; i++) {
        double rate = (low + high) / 2, away = misses + 0.5 - cases * rate;
        bool within = misses ? away * away < 0.6925 * 0.6925 * cases * rate * (1 - rate)
                             : pow(1 - rate, cases) > 0.25;
        *(within ? &low : &high) = rate;
    }
    return low;
}

static double slow_expected(const slow_node *n) {
    return n->low ? slow_expected(n->low) + slow_expected(n->high)
                  : (double)n->count * slow_limit((double)n->count, (double)slow_misses(n));
}

static void slow_prune(slow_node *n) {
    if (!n->low)
        return;
    slow_prune(n->low);
    slow_prune(n->high);
    slow_node leaf = *n;
    leaf.low = leaf.high = NULL;
    if (slow_expected(&leaf) <= slow_expected(n) + 0.1)
        *n = leaf;
}

static size_t slow_leaves(const slow_node *n) {
    return n->low ? slow_leaves(n->low) + slow_leaves(n->high) : 1;
}
static double slow_tree_misses(const slow_node *n) {
    return n->low ? slow_tree_misses(n->low) + slow_tree_misses(n->high) : (double)slow_misses(n);
}
static double slow_added(const slow_node *n) {
    return (double)slow_misses(n) - slow_tree_misses(n);
}

/* All nodes that have parts, parents first. */
static size_t slow_nodes(slow_node *n, slow_node **list, size_t count) {
    if (!n->low)
        return count;
    list[count++] = n;
    count = slow_nodes(n->low, list, count);
    return slow_nodes(n->high, list, count);
}

static bool slow_is_below(const slow_node *n, const slow_node *above) {
    return above->low && (above->low == n || above->high == n || slow_is_below(n, above->low) ||
                          slow_is_below(n, above->high));
}

/* The cheapest nodes that may go, without those below another of them. */
static size_t slow_cheapest(slow_node *root, double budget, slow_node **chosen) {
    slow_node *all[256];
    size_t count = slow_nodes(root, all, 0), kept = 0;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (slow_added(all[i]) <= budget)
            least = fmin(least, slow_added(all[i]) / (double)(slow_leaves(all[i]) - 1));
    for (size_t i = 0; i < count; i++) {
        bool below = false;
        for (size_t k = 0; k < kept; k++)
            below = below || slow_is_below(all[i], chosen[k]);
        if (!below && slow_added(all[i]) <= budget &&
            slow_added(all[i]) / (double)(slow_leaves(all[i]) - 1) == least)
            chosen[kept++] = all[i];
    }
    return kept;
}

static void slow_prune_globally(slow_node *root) {
    double misses = slow_tree_misses(root);
    double budget = root->count ? sqrt(misses * (1 - misses / (double)root->count)) : 0;
    while (budget > 0) {
        slow_node *chosen[256];
        size_t count = slow_cheapest(root, budget, chosen);
        double added = 0;
        for (size_t i = 0; i < count; i++)
            added += slow_added(chosen[i]);
        if (!count || added > budget)
            return;
        for (size_t i = 0; i < count; i++)
            chosen[i]->low = chosen[i]->high = NULL;
        budget -= added;
    }
}

static void slow_steps(hd_arena *arena, const slow_node *n, uint64_t up_to, hd_tile_steps *steps) {
    if (n->low) {
        slow_steps(arena, n->low, n->threshold, steps);
        slow_steps(arena, n->high, up_to, steps);
    } else if (steps->count && steps->data[steps->count - 1].tile == slow_best_tile(n)) {
        steps->data[steps->count - 1].up_to = up_to;
    } else {
        hd_push(arena, steps, (hd_tile_step){up_to, slow_best_tile(n)});
    }
}

/* At most 256 thresholds. */
static hd_tile_steps *slow_learn(hd_arena *arena, const hd_tile_pattern *patterns, size_t count) {
    slow_node all = {.patterns = (hd_tile_pattern *)patterns, .count = count};
    slow_node *root = slow_part(arena, &all, 0, UINT64_MAX);
    hd_tile_steps *steps = hd_new(arena, hd_tile_steps);
    slow_grow(arena, root);
    slow_prune(root);
    slow_prune_globally(root);
    slow_steps(arena, root, UINT64_MAX, steps);
    return steps;
}

#endif
