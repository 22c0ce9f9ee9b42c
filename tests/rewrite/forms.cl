/*
 * Every form in which a kernel may reach its records. test_run.c runs each of
 * these kernels as it stands and rewritten, and compares all buffers.
 *
 * All kernels have one signature. A work-item writes p[i] and out[4 * i ...]
 * of its own, and reads q, which is not written, anywhere.
 */
#pragma OPENCL FP_CONTRACT OFF
#define TWICE(i) ((i) * 2)
#define PLUS_ONE(i) i + 1
#define SQUARE(e) ((e) * (e))
#define GLOBAL __global
#define DROP(e)

typedef struct vec { float a, b; } vec;

typedef struct R {
    float x;
    int n; /* an index into q */
    float4 v;
    float d[3];
    char c;
    vec w;
    short m[2][3];
    long big;
    vec pair[2];
} R; /* the generated functions stand below this line */

/* ---- helpers ---- */

float ahead(__global const R *r, int k);

/* its last argument, a record, is private and stays */
float blend(GLOBAL const R *first, const __global R *second, R v) {
    return first->x + second[0].v.y + v.x; // both are references
}

float ahead(__global const R *r, int k) { return r[k].x + r[-1].x + (r - 1)->d[1] + (*r).w.b; }

void put(__global R *r, float x) {
    r->x = x;
    r[0].d[2] = x + 1.0f;
}

float sum3(__global const float *d) { return d[0] + d[1] + d[2]; }

float chain(__global const R *r, int i) { return ahead(r + i, 0) + ahead(&r[i + 1], -1); }

/* ---- kernels ---- */

__kernel void fields(__global R *p, __global const R *restrict q, __global const int *index,
                     __global float *out, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    p[i].x = q[i].x + q[ index[i] /* scattered */ ].x;
    p[i].n++;
    --p[i].n;
    p[i].x += 2.0f, p[i].c = (char)(p[i].c + 1);
    p[i].big = q[i].big * 3 + sizeof(q[i]) + sizeof(*p) + sizeof q[0].d + sizeof(struct R);
    p[i].v.xz = q[index[i]].v.yw;
    p[i].v.w = p[i].v.x + q[i].v.s1;
    p[i].d[1] = q[i].d[0] + q[i].d[(i + 1) % 3];
    p[i].w.a = q[i].w.b;
    p[i].w = q[index[i]].w;
    p[i].pair[1].b = q[i].pair[0].a;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++)
            p[i].m[a][b] += q[index[i]].m[1 - a][2 - b];
    __private int p_ref = 1; /* a name that the rewriter would like to use */
    out[4 * i] = p[i].x + (float)p_ref;
    out[4 * i + 1] = SQUARE(q[i].x);
    out[4 * i + 2] = p[i].m[0][1];
    DROP(p[i].nothing)
}

__kernel void nested(__global R *p, __global const R *restrict q, __global const int *index,
                     __global float *out, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        p[i].x = q[q[q[i].n].n].x;
        p[i].d[q[i].n % 3] = q[q[i].n].d[q[index[i]].n % 3];
        (*(p + i)).w.b = (*(q + q[i].n)).w.a;
        (p + i)->c = (q + (index[i]))->c;
        (&p[i])->w.a = (*&q[index[i]]).w.b;
        out[4 * i] = q->x + (*q).d[2] + q[0].x;
        out[4 * i + 1] = (q + i - q[i].n + q[i].n)->x + (i + q)->x;
        out[4 * i + 2] = q[PLUS_ONE(i) - 1].x + q[TWICE(i) / 2].w.a;
        out[4 * i + 3] = q[n > 1 ? index[i] : 0].x + q[(n, i)].x;
    }
}

__kernel void whole(__global R *p, __global const R *restrict q, __global const int *index,
                    __global float *out, int n) {
    __local R tile[16];
    int i = get_global_id(0), l = get_local_id(0);
    if (i < n)
        tile[l] = q[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n) return;
    R v = q[index[i]];
    R both[2] = {v, q[i]};
    v.x = both[1].x + tile[l].x;
    p[i] = v;
    p[i].d[0] = (i % 2 ? q[i] : v).d[0];
    if (i % 3 == 0)
        p[i] = q[q[i].n];
    else if (i % 3 == 1)
        *(p + i) = *q;
    out[4 * i] = blend(q + index[i], &q[i], q[q[i].n]) + blend(q, &p[i], v);
}

__kernel void helpers(__global R *p, __global const R *restrict q, __global const int *index,
                      __global float *out, int n) {
    int i = get_global_id(0);
    if (i < 2 || i + 2 >= n) return; /* helpers look at i - 2 */
    put(&p[i], ahead(&q[i], 1));
    put(p + i, ahead(q + index[i] % (n - 2) + 1, 0));
    __global const R *near = &q[i];
    __global R *own = p + i;
    const __global R *nearer = near - 1;
    own->v = near[-1].v + near->v;
    own[0].big = nearer[1].big;
    out[4 * i] = chain(near, -1) + chain(q, i) + sum3(q[i].d) + sum3(near->d);
    out[4 * i + 1] = sum3(&q[q[i].n].d[0]);
    float3 d = vload3(0, q[index[i]].d);
    vstore3(d + (float3)(1.0f), 0, own->d);
    float whole, part = fract(near->x, &own->w.a);
    whole = part + own->w.a;
    out[4 * i + 2] = whole;
    atomic_add(&p[i].n, q[i].n);
    atomic_max((volatile __global int *)&own->n, 3);
}

__kernel void constant_too(__global R *p, __constant R *q, __global const int *index,
                           __global float *out, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    p[i].x = q[index[i]].x + q[q[i].n].d[2];
    p[i] = q[i];
    __constant R *c = q + i;
    out[4 * i] = c->x + (c - i)->w.a;
}

__kernel void untouched(__global float *out, int n) {
    R v = {.x = 1.0f};
    int p = get_global_id(0); /* no record of a kernel's */
    if (p < n) out[p] += v.x;
}
