/* Distances of weather records but for their device: made-up records, main(), and the distances in
 * plain C. */
#ifndef REMAP_NN_REFERENCE_H
#define REMAP_NN_REFERENCE_H

#include "../../../examples/host.h"

/* What a station measured, each as a share of the largest value there is. */
typedef struct weather {
    float latitude, longitude, height;
    float temperature, pressure, humidity, wind, rain;
} weather;

/* Of `count` records from the target. In plain.c and remapped.c. */
host measure(const weather *records, weather target, float *distance, size_t count);

#endif
