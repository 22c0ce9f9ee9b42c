// flags: -g 256 --local 64 -n 256
// accesses: 16
// layouts: da
typedef struct { int add, sub, mn, mx; uint un, ux, an, or_, xo; int inc, dec; uint xchg; int cas; float fx; } A;
__kernel void atoms(__global A *a) {
    size_t i = get_global_id(0), j = i / 8;
    atomic_add(&a[j].add, 3);
    atomic_sub(&a[j].sub, (int)i);
    atomic_min(&a[j].mn, -(int)i);
    atomic_max(&a[j].mx, (int)i);
    atomic_min(&a[j].un, (uint)i);
    atomic_max(&a[j].ux, (uint)i);
    atomic_and(&a[j].an, ~(1u << (i & 31)));
    atomic_or(&a[j].or_, 1u << (i & 31));
    atomic_xor(&a[j].xo, (uint)i * 2654435761u);
    atomic_inc(&a[j].inc);
    atomic_dec(&a[j].dec);
    (void)atomic_xchg(&a[i].xchg, 7u);
    atomic_cmpxchg(&a[i].cas, 0, (int)i);
    atomic_xchg(&a[i].fx, 2.5f);
    atom_add(&a[j].add, 1);
    atom_inc((volatile __global int *)&a[j].inc);
}
