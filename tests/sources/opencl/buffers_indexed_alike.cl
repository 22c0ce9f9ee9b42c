//: suggests pull 64: arrays: [{record: element, fields: [x, y, mass]}]
// Three buffers that are always gathered at the same index.
__kernel void pull(__global const float *x, __global const float *y, __global const float *mass,
                   __global const int *near, __global float *out, const int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int j = near[i];
    out[i] = (x[j] - x[i]) * (y[j] - y[i]) * mass[j] * mass[i];
}
