/*
 * examples/vectoradd with its parameters in memory, as a machine finds them: four loads, which
 * all threads do alike, come before the three of the sum.
 *
 * One work-item per element.
 */
typedef struct parameters {
    ulong a, b, c; /* where each vector begins in `data` */
    uint count;
} parameters;

__kernel void add(__constant parameters *p, __global float *data) {
    ulong a = p->a, b = p->b, c = p->c;
    uint count = p->count;
    uint i = get_global_id(0);
    if (i < count)
        data[c + i] = data[a + i] + data[b + i];
}
