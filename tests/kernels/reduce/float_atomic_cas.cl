// flags: -g 256 --local 64 -n 256
// accesses: 3
// layouts: aosoa:4
typedef struct { float force; float other; int hits; } node;
inline void atomic_add_f(volatile __global float *addr, const float v) {
    union { uint u; float f; } prev, next;
    do {
        prev.f = *addr;
        next.f = prev.f + v;
    } while (atomic_cmpxchg((volatile __global uint *)addr, prev.u, next.u) != prev.u);
}
__kernel void scatter(__global node *n) {
    int i = get_global_id(0);
    atomic_add_f(&n[i >> 2].force, 1.0f);
    atomic_inc(&n[i >> 2].hits);
}
