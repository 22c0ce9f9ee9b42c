typedef struct r_tag {
    float a, b;
} r;
__kernel void k(__global r *p, __global const int *list, int n) {
    if (n < 0)
        p[list[get_global_id(0)]].a = 1;
}
