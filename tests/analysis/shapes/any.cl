/* Fields of many sizes and kinds of access. test_shapes.c makes up the events. */
typedef struct part {
    uchar low, high;
} part;

typedef struct thing {
    uchar a;
    ushort b;
    float c;
    double d[3];
    float4 e;
    uint f;
    part g;
} thing;

__kernel void fields(__global thing *p, __global float *out, __global const uint *at) {
    uint i = get_global_id(0);
    uint j = at[i], k = at[i + 1] % 3;
    p[j].a += 1;
    p[j].b += 2;
    p[j].d[k] = p[j].c;
    p[j].e = p[j].e * p[j].e;
    p[j].g.high = p[j].g.low;
    double2 pair = vload2(0, p[j].d); /* may lie in two segments */
    out[j] = (float)(p[j].d[2] + pair.x + pair.y) + p[i].f;
    atomic_add(&p[j].f, k);
}

__kernel void arrays(__global float *x, __global double *y, __global part *z,
                     __global const uint *at) {
    uint j = at[get_global_id(0)];
    x[j] = (float)y[j];
    z[j].low = z[j].high;
}
