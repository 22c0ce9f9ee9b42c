/*
 * The sum of two vectors: the plainest kernel that there is. No two work-items touch the same
 * element, and no record is in sight.
 *
 * One work-item per element.
 */
__kernel void add(__global const float *a, __global const float *b, __global float *c,
                  int count) {
    int i = get_global_id(0);
    if (i < count)
        c[i] = a[i] + b[i];
}
