/* Adds up every STRIDE-th float: after the page on memory coalescing of Modal's GPU glossary. */
__kernel void add(__global const float *restrict in, __global float *restrict out, long n) {
    long t = get_global_id(0), threads = get_global_size(0);
    float sum = 0;
    for (long j = t * STRIDE; j < n; j += threads * STRIDE)
        sum = sum * 1.000000119f + in[j];
    if (t < n)
        out[t] = sum;
}
