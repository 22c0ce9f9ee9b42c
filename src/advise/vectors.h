/*
 * SoA of vectors: fields that the same threads read or write together, of the same element, lie in
 * clusters that one load of a vector brings, as an array of float4 does.
 */
#ifndef HD_ADVISE_VECTORS_H
#define HD_ADVISE_VECTORS_H

#include "model/cost.h"

/* What becomes of three quarters of a vector: a field that no access touches fills them up where there
 * is one; and else they are padded; or they are no vector, since stores of three are three. */
typedef enum hd_threes { HD_THREES_FILLED, HD_THREES_PADDED, HD_THREES_APART, HD_THREES } hd_threes;

/* The fields in the order of the record, each with those that come with it in at least half of its
 * accesses, up to HD_VECTOR bytes. Fields that no access touches lie in a cluster at the end, unless
 * they fill another. NULL: no fields come together. */
hd_layout *advise_vectors(hd_arena *arena, hd_cost_model *model, hd_threes threes);

#endif
