//: found smooth 64: float v[3], stride n
//: layouts smooth 64: aos soa aosoa:16
// Neighbours before and behind, v[i - 1 + k * n], in each column.
__kernel void smooth(__global const float *v, __global float *out, const int n) {
    int i = get_global_id(0);
    if (i < 1 || i >= n - 1)
        return;
    out[i] = v[i - 1] + v[i + 1];
    out[i + n] = v[i - 1 + n] + v[n + i + 1] + v[i + n];
    out[i + 2 * n] = v[i + 2 * n - 1] - v[2 * n + 1 + i] * v[i + n * 2];
}
