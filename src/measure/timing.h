/* Times with long tails, told by their median and quartiles. */
#ifndef HD_MEASURE_TIMING_H
#define HD_MEASURE_TIMING_H

#include "measure/measure.h"

/* Of at least one time. */
hd_timing hd_timing_of(hd_arena *arena, const double *seconds, uint32_t count);

#endif
