/* Every work-item goes over all elements, and uses two of their fields. */
typedef struct star {
    float position, mass;
    float speed, age, pull;
} star;

__kernel void pull(__global star *stars, int count) {
    size_t i = get_global_id(0);
    float at = stars[i].position, sum = 0;
    for (int j = 0; j < count; j++) {
        float d = stars[j].position - at;
        sum += stars[j].mass * d / (d * d + 0.01f);
    }
    stars[i].pull = sum;
}
