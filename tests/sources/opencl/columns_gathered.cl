//: kernels flux
//: found flux 64: float v[5], stride n
//: layouts flux 64: aos soa da aosoa:8 {v[0],v[1],v[2]}{v[3],v[4]}:4
// Of an unstructured mesh: five numbers of each cell in one buffer, a column for each, gathered.
#define NEIGHBOURS 4
__kernel void flux(const int n, __global const int *next, __global const float *v,
                   __global float *out) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float density = v[i], energy = v[i + 4 * n];
    float sum[5] = {0, 0, 0, 0, 0};
    for (int j = 0; j < NEIGHBOURS; j++) {
        int at = next[i + j * n];
        float p = v[at + 4 * n] / (v[at + 0 * n] + 1);
        sum[0] += v[at + 1 * n] + v[n * 2 + at] + v[at + n * 3];
        for (int k = 1; k < 5; k++)
            sum[k] += p * v[k * n + at] - density * energy;
    }
    for (int k = 0; k < 5; k++)
        out[k * n + i] = sum[k];
}
