/*
 * The parts of the static search:
 *
 *   table.c     prices of clusters, computed once and shared by all layouts
 *   rank.c      the best layouts so far
 *   tie.c       which of two layouts of equal cost is the better one
 *   exhaust.c   scores every partition
 *   saving.c    what clusters save, and the most they could
 *   subset.c    the optimum by all subsets of the fields
 *   bound.c     branch and bound over the clusters that save anything
 *   search.c    chooses between them and says what is proven
 */
#ifndef HD_SEARCH_INTERNAL_H
#define HD_SEARCH_INTERNAL_H

#include "model/search.h"

/* ---- rank.c ------------------------------------------------------------------- */

/* A layout without its arena: a cluster's fields and tile. */
typedef struct candidate {
    hd_cost_vector cost;
    uint32_t count;
    uint64_t masks[HD_MAX_FIELDS], tiles[HD_MAX_FIELDS];
    uint64_t group; /* hd_masks_group(): of equal ones a single one is ranked */
} candidate;

/* The `limit` best candidates seen, best first; of those that differ only in the places of
 * fields that no access touches, or in tiles that make no difference, the best one, and of those
 * of one cost the MOST_EQUAL plainest, so that the ranking shows more than what is alike. */
enum { MOST_EQUAL = 2 };
typedef struct ranking {
    const hd_record *record;
    uint64_t used; /* fields that some access touches */
    uint32_t unit; /* hd_cost_unit() */
    candidate *best;
    uint32_t count, limit;
} ranking;
ranking ranking_new(hd_arena *arena, const hd_cost_model *model, uint32_t limit);
/* True when a layout of this cost and number of clusters might still enter. */
bool ranking_admits(const ranking *r, const hd_cost_vector *cost);
void ranking_add(ranking *r, const candidate *c);

/* tie.c. <0: the layout whose clusters have the tiles `a` is the plainer one. */
int tiles_nearer(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count);

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

/* The cheapest option under answers that were met. */
typedef struct met_best {
    uint64_t answers;
    uint32_t option;
    hd_cost_vector price;
} met_best;

typedef struct priced {
    uint64_t questions; /* that the prices depend on */
    option *options;    /* none is worse than another in every way */
    uint32_t count;
    double *least_bytes; /* [questions], over the options */
    hd_vec(met_best) best;
} priced;

typedef struct price_table price_table;
price_table *price_table_new(hd_arena *arena, hd_cost_model *model);
priced *price_table_get(price_table *table, uint64_t mask);
/* Price of the cluster `mask` laid out as option `o` of it, under `answers`. */
const hd_cost_vector *option_price(price_table *table, uint64_t mask, const priced *of, uint32_t o,
                                   uint64_t answers);

/* The option of the cluster `mask` that is cheapest under `answers`; valid until the
 * next call for this cluster. */
const met_best *cheapest_option(price_table *table, uint64_t mask, priced *of, uint64_t answers);

/* ---- exhaust.c ----------------------------------------------------------- */

/* Scores every partition of the record's fields; returns how many. */
uint64_t search_exhaust(hd_arena *arena, hd_cost_model *model, price_table *table, ranking *best);

/* ---- saving.c ------------------------------------------------------------------------ */

/* What is known of savings before any cluster is priced. */
typedef struct saving_bounds {
    hd_cost_model *model;
    uint32_t fields;
    uint64_t tiles[HD_MAX_TILES];
    uint32_t tile_count;
    hd_cost_vector alone[HD_MAX_FIELDS]; /* price of each field alone */
    hd_cost_vector hope[HD_MAX_FIELDS];  /* the most that it can save in any cluster */
} saving_bounds;
saving_bounds *saving_bounds_make(hd_arena *arena, hd_cost_model *model);

hd_cost_vector saving_minus(const hd_cost_vector *a, const hd_cost_vector *b);
/* Order of cost vectors without tolerance: bounds must not be rounded away. */
bool saving_greater(const hd_cost_vector *a, const hd_cost_vector *b);
/* Price of the fields of `mask`, each alone. */
hd_cost_vector saving_alone(const saving_bounds *b, uint64_t mask);
/* What the cluster saves with its best tile; zero, not less, if it saves nothing. */
hd_cost_vector saving_of_cluster(const saving_bounds *b, uint64_t mask, uint64_t *tile);
/* False: the cluster `mask` saves no more than `least`. */
bool saving_may_exceed(const saving_bounds *b, uint64_t mask, const hd_cost_vector *least);

/* ---- subset.c, bound.c: the clusters worth having ------------------------------------------- */

/* A cluster, its best tile, and what it saves against its fields alone. */
typedef struct saver {
    uint64_t mask, tile;
    hd_cost_vector saving;
} saver;

typedef struct bound_effort {
    uint64_t nodes; /* clusters priced, or nodes visited */
    bool late;      /* time ran out */
} bound_effort;

enum { MOST_SUBSET_FIELDS = 20 };

/* Both put the clusters that save most into *found, leaving out fields that stand
 * alone, and return the most that any layout can save: what these clusters save,
 * unless time ran out. */
hd_cost_vector search_subsets(hd_arena *arena, const saving_bounds *bounds, candidate *found,
                              bound_effort *effort);
hd_cost_vector search_bound(hd_arena *arena, const saving_bounds *bounds,
                            const hd_search_options *options, candidate *found,
                            bound_effort *effort);

/* Exact cost of a candidate under its own answers. */
hd_cost_vector candidate_cost(hd_cost_model *model, const candidate *c);

#endif
