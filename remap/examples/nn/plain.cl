/*
 * Nearest neighbours, the distances: how far each record is from the one that is looked for. One
 * work-item for each. The nearest are picked elsewhere.
 */
typedef struct weather {
    float latitude, longitude, height;
    float temperature, pressure, humidity, wind, rain;
} weather;

float square(float value) {
    return value * value;
}

__kernel void distances(__global const weather *records, weather target,
                        __global float *distance, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    float sum = square(records[i].latitude - target.latitude);
    sum += square(records[i].longitude - target.longitude);
    sum += square(records[i].height - target.height);
    sum += square(records[i].temperature - target.temperature);
    sum += square(records[i].pressure - target.pressure);
    sum += square(records[i].humidity - target.humidity);
    sum += square(records[i].wind - target.wind);
    sum += square(records[i].rain - target.rain);
    distance[i] = sqrt(sum);
}
