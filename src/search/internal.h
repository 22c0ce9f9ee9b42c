/*
 * The parts of the static search:
 *
 *   table.c     prices of clusters, computed once and shared by all layouts
 *   rank.c      the best layouts so far, ties by nearness to AoS
 *   exhaust.c   scores every partition
 *   bound.c     branch and bound over the clusters that save anything
 *   search.c    chooses between them and says what is proven
 */
#ifndef HD_SEARCH_INTERNAL_H
#define HD_SEARCH_INTERNAL_H

#include "search/search.h"

/* ---- rank.c ------------------------------------------------------------------- */

/* A layout without its arena: a cluster's fields and tile. */
typedef struct candidate {
    hd_cost_vector cost;
    uint32_t count;
    uint64_t masks[HD_MAX_FIELDS], tiles[HD_MAX_FIELDS];
} candidate;

/* <0: a is the better one: cheaper, or as cheap and nearer to AoS. */
int candidate_compare(const candidate *a, const candidate *b);

/* The `limit` best candidates seen, best first. */
typedef struct ranking {
    candidate *best;
    uint32_t count, limit;
} ranking;
ranking ranking_new(hd_arena *arena, uint32_t limit);
/* True when a layout of this cost and number of clusters might still enter. */
bool ranking_admits(const ranking *r, const hd_cost_vector *cost);
void ranking_add(ranking *r, const candidate *c);

/* ---- table.c -------------------------------------------------------------------- */

/* A price and the answers, of those the cluster depends on, that it holds under. */
typedef struct met_price {
    uint64_t answers;
    hd_cost_vector price;
} met_price;

/* One way to lay out a cluster. */
typedef struct option {
    uint64_t tile;
    double *bytes; /* [questions] */
    hd_vec(met_price) met;
} option;

typedef struct priced {
    uint64_t questions; /* that the prices depend on */
    option *options;    /* none is worse than another in every way */
    uint32_t count;
} priced;

typedef struct price_table price_table;
price_table *price_table_new(hd_arena *arena, hd_cost_model *model);
priced *price_table_get(price_table *table, uint64_t mask);
/* Price of the cluster `mask` laid out as option `o` of it, under `answers`. */
const hd_cost_vector *option_price(price_table *table, uint64_t mask, const priced *of,
                                   uint32_t o, uint64_t answers);

/* ---- exhaust.c, bound.c ----------------------------------------------------------- */

/* Scores every partition of the record's fields; returns how many. */
uint64_t search_exhaust(hd_arena *arena, hd_cost_model *model, price_table *table, ranking *best);

typedef struct bound_result {
    bool proven;
    hd_cost_vector lower; /* no layout costs less */
    uint64_t nodes;
} bound_result;
bound_result search_bound(hd_arena *arena, hd_cost_model *model, double seconds, ranking *best);

/* Exact cost of a candidate under its own answers. */
hd_cost_vector candidate_cost(hd_cost_model *model, const candidate *c);

double search_clock(void);

#endif
