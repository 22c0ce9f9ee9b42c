/*
 * SoA of vectors: fields that the same threads read or write together, of the same element, lie in
 * clusters that one load of a vector brings, as an array of float4 does.
 */
#ifndef HD_ADVISE_VECTORS_H
#define HD_ADVISE_VECTORS_H

#include "model/cost.h"

/* The fields in the order of the record, each with those that come with it in at least half of its
 * accesses, up to HD_VECTOR bytes. One that no access touches may fill a quarter that is left there;
 * the others of these lie in a cluster at the end. With `pads` other clusters of three quarters are
 * padded. NULL: no fields come together. */
hd_layout *advise_vectors(hd_arena *arena, hd_cost_model *model, bool pads);

#endif
