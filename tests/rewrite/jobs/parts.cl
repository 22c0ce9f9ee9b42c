// A record that is taken apart, in OpenCL C.
typedef struct vec { float x, y; } vec;
typedef struct atom {
    vec pos;
    float4 v;
    int m[2][3];
    struct deep { short s; vec inner[2]; } deep;
} atom;

float length2(vec v) { return v.x * v.x + v.y * v.y; }

void put(global atom *a, int k, int value) { a->m[k / 3][k % 3] = value; }

kernel void parts(global atom *a, global const atom *b, global float *out, int n) {
    int i = get_global_id(0);
    a[i].pos.x = b[i].pos.y + (b + i)->pos.x;
    a[i].v.xz = b[i].v.yw;
    for (int k = 0; k < 6; k++)
        put(&a[i], k, b[i].m[1 - k / 3][2 - k % 3] + a[i].m[0][k % 3]);
    a[i].m[1][2]++;
    vec p = b[i].pos;
    a[i].deep.inner[1] = p;
    a[i].deep.inner[0].y = b[b[i].m[0][0] % n].deep.inner[1].x;
    a[i].deep.s = b[i].deep.s + 1;
    a[i].pos = (vec){p.y, p.x};
    out[i] = length2(a[i].pos) + length2(b[n - 1 - i].pos) + sizeof(a->pos);
    atom whole = b[i];
    whole.v.x = 7;
    if (i % 3 == 0) a[i] = whole;
    atomic_add(&a[i].m[0][1], 5);
}
