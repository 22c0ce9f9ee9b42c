#include "reference.h"

#include <math.h>

static double square(double value) { return value * value; }

double nn_distance(const weather *record, const weather *target) {
    return sqrt(square((double)record->latitude - target->latitude) +
                square((double)record->longitude - target->longitude) +
                square((double)record->height - target->height) +
                square((double)record->temperature - target->temperature) +
                square((double)record->pressure - target->pressure) +
                square((double)record->humidity - target->humidity) +
                square((double)record->wind - target->wind) +
                square((double)record->rain - target->rain));
}
