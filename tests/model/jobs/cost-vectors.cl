struct r {
    float x, y;
};
__kernel void k(__global volatile struct r *a, __global const int *size, __global float *out) {
    int M = size[0], N = size[1], t = get_global_id(0);
    float s = 0;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < 128; j++)
            s += a[t].x;
        for (int k = 0; k < N; k++)
            s += a[t].y;
    }
    out[t] = s;
}
