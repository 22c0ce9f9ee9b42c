#include "reference.h"

static double square(double value) { return value * value; }

static double distance_of(const weather *record, const weather *target) {
    return sqrt(square((double)record->latitude - target->latitude) +
                square((double)record->longitude - target->longitude) +
                square((double)record->height - target->height) +
                square((double)record->temperature - target->temperature) +
                square((double)record->pressure - target->pressure) +
                square((double)record->humidity - target->humidity) +
                square((double)record->wind - target->wind) +
                square((double)record->rain - target->rain));
}

static weather new_record(uint64_t i) {
    return (weather){.latitude = host_uniform(1, i, 0, 1),
                     .longitude = host_uniform(2, i, 0, 1),
                     .height = host_uniform(3, i, 0, 1),
                     .temperature = host_uniform(4, i, 0, 1),
                     .pressure = host_uniform(5, i, 0, 1),
                     .humidity = host_uniform(6, i, 0, 1),
                     .wind = host_uniform(7, i, 0, 1),
                     .rain = host_uniform(8, i, 0, 1)};
}

static size_t nearest(const float *distance, size_t count) {
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        least = distance[i] < distance[least] ? i : least;
    return least;
}

int main(int argc, char **argv) {
    size_t count = host_size(argc, argv, 65536);
    weather *records = host_new(count * sizeof *records), target = new_record(count);
    float *distance = host_new(count * sizeof *distance);

    for (size_t i = 0; i < count; i++)
        records[i] = new_record(i);
    host h = measure(records, target, distance, count);
    for (size_t i = 0; i < count; i++)
        host_expect("distance", i, distance[i], distance_of(&records[i], &target), 1e-5, 0);
    host_report(&h, "records", count);
    printf("the nearest is record %zu\n", nearest(distance, count));
    host_close(&h);
    free(distance);
    free(records);
    return 0;
}
