/*
 * Nearest neighbours, the distances: how far each record is from the one that is looked for. One
 * work-item for each. The nearest are picked elsewhere. The records lie as hd_remap_source() says,
 * whose text stands before this one.
 */
typedef struct weather {
    float latitude, longitude, height;
    float temperature, pressure, humidity, wind, rain;
} weather;

float square(float value) {
    return value * value;
}

#define RECORD(field, i) (*(__global const float *)(records + record_##field(i)))

__kernel void distances(__global const uchar *records, weather target,
                        __global float *distance, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    float sum = square(RECORD(latitude, i) - target.latitude);
    sum += square(RECORD(longitude, i) - target.longitude);
    sum += square(RECORD(height, i) - target.height);
    sum += square(RECORD(temperature, i) - target.temperature);
    sum += square(RECORD(pressure, i) - target.pressure);
    sum += square(RECORD(humidity, i) - target.humidity);
    sum += square(RECORD(wind, i) - target.wind);
    sum += square(RECORD(rain, i) - target.rain);
    distance[i] = sqrt(sum);
}
