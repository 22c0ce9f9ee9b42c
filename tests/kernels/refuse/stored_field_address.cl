// flags: -g 256 --local 64 -n 4096
// accesses: 6
// refuses: 10 the address of field 'n' is stored, compared or cast; read a
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    atomic_add(&(p[i / 4].n), 1); atomic_inc(&p->n); atomic_max(&(p + 3)->n, i);
    atomic_xchg((volatile __global float *)&p[i].x, 1.0f);
    atomic_cmpxchg((volatile __global uint *)&p[i].y, 0u, as_uint(1.5f));
    volatile __global int *z = &p[i].n; z[1] = 0;
}
