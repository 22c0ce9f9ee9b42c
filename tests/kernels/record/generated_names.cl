// flags: -g 256 --local 64 -n 4096
// accesses: 4
// layouts: aosoa:4
typedef struct R { float x, y; int at, make, load, store, ref; } R;
float R_at(float a) { return a + 1; }
float R_x(int a) { return a * 2; }
__kernel void k(__global R *R_ref, int R_make, __global float *R_y) {
    int i = get_global_id(0);
    R_ref[i].x = R_at(R_ref[i].y) + R_x(R_make);
    R_y[i] = R_ref[i].at;
    { int R_ref = 2; R_y[i] += R_ref; }
}
