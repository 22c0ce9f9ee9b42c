// A buffer in constant memory: uniform and divergent reads.
// buffer: weights float 4 = {0.5 0.25 2 -1}
// buffer: out float 8
// run: weigh 8/8
// expect: out = weights[3] + weights[i % 4]
__kernel void weigh(__constant float *weights, __global float *out) {
    int i = get_global_id(0);
    out[i] = weights[3] + weights[i % 4];
}
