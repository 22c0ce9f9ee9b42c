/* Complex numbers added where a map says, of which no two are alike: after E4_GAS of the artifact
 * SC26-Layout-AD (github.com/ThrudPrimrose). */
typedef struct number {
    double re, im;
}
__attribute__((aligned(16))) number;

__kernel void add(__global const number *restrict x, __global number *restrict y,
                  __global const int *restrict map, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int to = map[i];
    y[to].re += x[i].re;
    y[to].im += x[i].im;
}
