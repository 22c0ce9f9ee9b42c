// Discrete arrays as one record: helpers, local pointers, constant memory stays.
float mean(global const float *a, int i, int n) {
    global const float *before = i ? a + i - 1 : a;
    return (*before + a[i] + *(a + (i + 1 < n ? i + 1 : i))) / 3;
}

kernel void smooth(global float *restrict x, constant float *weights, global const float4 *y,
                   global int *z, int n) {
    int i = get_global_id(0);
    float m = mean(x, i, n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    x[i] = m * weights[i % 4] + y[i].y;
    z[i] += sizeof(x[0]) + (int)y[n - 1 - i].w;
    atomic_add(&z[i], 3);
    atomic_inc(z + i);
    for (global int *p = z + i, *end = p + 1; p < end; ++p)
        *p *= 2;
}
