/*
 * Learning tiles as C5.0 learns a tree with its default settings.
 *
 * There is one attribute, the bytes of a cluster, and a class for each tile. The patterns are
 * sorted by bytes, so a node of the tree is a run of them, and a test `bytes <= threshold`
 * parts the run in two:
 *
 *     bytes   8   8   8  16  16  24  24
 *     tile    1   1   2   4   4   4   8        <= 8: AoS, else 4
 *
 * Growing: the threshold whose parts have the least entropy, so the most information gain, is
 * taken, and the runs on its sides go on alone. No part is smaller than two patterns, or than a
 * tenth of the run for each class (25 at most). A gain has to pay for naming the threshold among
 * those that could have been taken. (C5.0 uses the gain ratio to choose between attributes;
 * here there is only one.)
 *
 * Pruning: a node becomes a leaf when that is expected to make no more errors on new cases. From
 * e errors in n patterns so many are expected as the upper limit of a confidence interval of
 * their rate, at confidence 25%. Then the subtrees that cost the fewest errors for each leaf that
 * they save go, as long as the tree stays within a standard error of where it was.
 *
 * J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann 1993, chapters 2 and 4,
 * and "Improved Use of Continuous Attributes in C4.5", JAIR 4, 1996, on naming thresholds. The
 * global pruning, the least size of a part and the tolerance of a tenth of an error are those of
 * the C5.0 that RuleQuest publishes.
 */
#include <math.h>
#include <stdlib.h>

#include "model/tile_learn.h"

enum { LEAST_CASES = 2, MOST_LEAST_CASES = 25 };

/* Gains that differ by rounding only are equal: then the lowest threshold is taken. */
static const double same = 1e-9;

/* ---- runs of patterns --------------------------------------------------------- */

typedef struct learner {
    hd_arena *arena;
    const hd_tile_pattern *patterns; /* by bytes */
} learner;

/* How many patterns of each class. */
typedef struct counts {
    uint32_t of[HD_TILE_CLASSES], all;
} counts;

static void count_pattern(counts *c, const hd_tile_pattern *pattern, int change) {
    c->of[hd_tile_class(pattern->tile)] += (uint32_t)change;
    c->all += (uint32_t)change;
}

static double times_log(double n) { return n > 0 ? n * log2(n) : 0; }

/* Bits that tell the classes of all patterns. */
static double information(const counts *c) {
    double bits = times_log(c->all);
    for (uint32_t k = 0; k < HD_TILE_CLASSES; k++)
        bits -= times_log(c->of[k]);
    return bits;
}

/* ---- growing -------------------------------------------------------------------- */

/* A node while the tree is made. */
typedef struct node node;
struct node {
    node *low, *high; /* no low: a leaf */
    uint64_t threshold;
    uint32_t class;               /* the most frequent one, and of equals the smallest tile */
    uint32_t cases, misses;       /* patterns, and those of other classes than `class` */
    uint32_t leaves, leaf_misses; /* of the subtree */
};

/* Where the run is cut: the first pattern of its upper part; 0 when nothing is gained. */
static size_t find_cut(const learner *l, size_t first, size_t end, const counts *all) {
    const hd_tile_pattern *p = l->patterns;
    counts low = {0}, high = *all;
    double base = information(all), least = INFINITY;
    double part = fmax(LEAST_CASES, fmin(ceil(0.1 * all->all / HD_TILE_CLASSES), MOST_LEAST_CASES));
    uint32_t cuts = 0;
    size_t best = 0;
    for (size_t i = first + 1; i < end; i++) {
        count_pattern(&low, &p[i - 1], 1);
        count_pattern(&high, &p[i - 1], -1);
        if (p[i - 1].bytes == p[i].bytes || low.all < part || high.all < part)
            continue;
        double bits = information(&low) + information(&high);
        cuts++;
        if (bits < least - same) {
            least = bits;
            best = i;
        }
    }
    if (!best)
        return 0;
    /* The bits for naming one of so many cuts, or the place of this one in the whole range. */
    double range =
        (double)(p[end - 1].bytes - p[first].bytes) / (double)(p[best].bytes - p[best - 1].bytes);
    return base - least - log2(fmin(range, cuts)) > same ? best : 0;
}

static node *grow_tree(const learner *l, size_t first, size_t end) {
    node *n = hd_new(l->arena, node);
    counts all = {0};
    for (size_t i = first; i < end; i++)
        count_pattern(&all, &l->patterns[i], 1);
    for (uint32_t k = 1; k < HD_TILE_CLASSES; k++)
        if (all.of[k] > all.of[n->class])
            n->class = k;
    n->cases = all.all;
    n->misses = all.all - all.of[n->class];
    if (!n->misses || n->cases < 2 * LEAST_CASES)
        return n;
    size_t cut = find_cut(l, first, end, &all);
    if (!cut)
        return n;
    n->threshold = l->patterns[cut - 1].bytes;
    n->low = grow_tree(l, first, cut);
    n->high = grow_tree(l, cut, end);
    return n;
}

/* ---- pruning by expected errors ----------------------------------------------------- */

/* Errors to be expected beyond the `misses` of `cases` at confidence 0.25: the exact limit
 * where nothing was missed, else that of the normal approximation, whose deviation is 0.6925. */
static double more_misses(double cases, double misses) {
    static const double confidence = 0.25, squared = 0.6925 * 0.6925;
    double half = misses + 0.5;
    if (misses == 0)
        return cases * (1 - pow(confidence, 1 / cases));
    if (half >= cases)
        return 0.67 * (cases - misses);
    double rate = (half + squared / 2 + sqrt(squared * (half * (1 - half / cases) + squared / 4))) /
                  (cases + squared);
    return cases * rate - misses;
}

/* Errors to be expected of the subtree, once pruned. */
static double prune(node *n) {
    double leaf = n->misses + more_misses(n->cases, n->misses);
    if (!n->low)
        return leaf;
    double tree = prune(n->low) + prune(n->high);
    if (leaf > tree + 0.1)
        return tree;
    n->low = NULL;
    return leaf;
}

/* ---- pruning by cost for each leaf ------------------------------------------------------ */

static void sum_leaves(node *n) {
    n->leaves = 1;
    n->leaf_misses = n->misses;
    if (!n->low)
        return;
    sum_leaves(n->low);
    sum_leaves(n->high);
    n->leaves = n->low->leaves + n->high->leaves;
    n->leaf_misses = n->low->leaf_misses + n->high->leaf_misses;
}

static double added_misses(const node *n) { return (double)n->misses - n->leaf_misses; }
static double cost_of_leaf(const node *n) { return added_misses(n) / (n->leaves - 1); }

/* The least cost of all nodes that may go. */
static double least_cost(const node *n, double budget) {
    if (!n->low)
        return INFINITY;
    double least = fmin(least_cost(n->low, budget), least_cost(n->high, budget));
    return added_misses(n) <= budget ? fmin(least, cost_of_leaf(n)) : least;
}

/* The outermost nodes of this cost: what they add, or, with `cut`, makes them leaves. */
static double take_cost(node *n, double budget, double cost, bool cut) {
    if (!n->low)
        return 0;
    if (added_misses(n) > budget || cost_of_leaf(n) > cost)
        return take_cost(n->low, budget, cost, cut) + take_cost(n->high, budget, cost, cut);
    double added = added_misses(n);
    if (cut)
        n->low = NULL;
    return added;
}

static void prune_globally(node *root) {
    sum_leaves(root);
    double misses = root->leaf_misses;
    double budget = root->cases ? sqrt(misses * (1 - misses / root->cases)) : 0;
    while (budget > 0) {
        double cost = least_cost(root, budget);
        double added = take_cost(root, budget, cost, false);
        if (isinf(cost) || added > budget)
            return;
        take_cost(root, budget, cost, true);
        sum_leaves(root);
        budget -= added;
    }
}

/* ---- the steps ------------------------------------------------------------------------- */

static void add_steps(hd_arena *arena, hd_tile_steps *steps, const node *n, uint64_t up_to) {
    if (!n->low) {
        hd_tile_steps_add(arena, steps, up_to, hd_tile_of_class(n->class));
        return;
    }
    add_steps(arena, steps, n->low, n->threshold);
    add_steps(arena, steps, n->high, up_to);
}

static int by_bytes(const void *a, const void *b) {
    uint64_t x = ((const hd_tile_pattern *)a)->bytes, y = ((const hd_tile_pattern *)b)->bytes;
    return (x > y) - (x < y);
}

hd_tile_steps *hd_tile_learn(hd_arena *arena, const hd_tile_pattern *patterns, size_t count) {
    hd_arena *scratch = hd_arena_new();
    hd_tile_pattern *sorted = hd_new_array(scratch, hd_tile_pattern, count + 1);
    if (count)
        memcpy(sorted, patterns, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_bytes);
    const learner l = {scratch, sorted};
    node *root = grow_tree(&l, 0, count);
    prune(root);
    prune_globally(root);
    hd_tile_steps *steps = hd_new(arena, hd_tile_steps);
    add_steps(arena, steps, root, UINT64_MAX);
    hd_arena_free(scratch);
    return steps;
}
