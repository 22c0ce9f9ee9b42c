/* Every field of every element is read, and one is written. */
typedef struct sample {
    float a, b, c, d, sum;
} sample;

__kernel void add(__global sample *samples) {
    size_t i = get_global_id(0);
    samples[i].sum = samples[i].a * samples[i].b + samples[i].c * samples[i].d;
}
