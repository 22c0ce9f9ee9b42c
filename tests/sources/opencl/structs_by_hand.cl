//: found move 64: float p[7]
//: layouts move 64: soa da aosoa:4 {p[0],p[1],p[2]}{p[3],p[4],p[5],p[6]}:8
// Elements of seven numbers, by a constant and a variable number of the field.
#define FIELDS 7
__kernel void move(__global float *p, const int n, const float dt) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    int base = i * FIELDS;
    for (int k = 0; k < 3; k++)
        p[base + k] += dt * p[FIELDS * i + k + 3];
    p[i * 7 + 6] = p[7 * (i + 1) - 7] * 0.5f;
    __global float *own = &p[base];
    own[5] += own[0];
}
