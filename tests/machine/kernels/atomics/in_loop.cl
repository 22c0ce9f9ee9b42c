// Lanes take part in other trips: an atomic under divergence.
// buffer: out int 4
// run: votes 16/16
// expect: out = sum(q, 0, 16, sum(r, 0, q % 5, r % 4 == i))
__kernel void votes(__global int *out) {
    int i = get_global_id(0);
    for (int k = 0; k < i % 5; k++)
        atomic_inc(&out[k % 4]);
}
