/* Distances of weather records in plain C; see plain.cl. */
#ifndef REMAP_NN_REFERENCE_H
#define REMAP_NN_REFERENCE_H

/* What a station measured, each as a share of the largest value there is. */
typedef struct weather {
    float latitude, longitude, height;
    float temperature, pressure, humidity, wind, rain;
} weather;

double nn_distance(const weather *record, const weather *target);

#endif
