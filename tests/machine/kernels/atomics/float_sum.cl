// A sum of floats by cmpxchg in a loop: lanes that lose try again. The sum is exact.
// buffer: in float 24 = i * 0.25
// buffer: total uint 1
// run: add 24/8
// expect: total = bits(sum(q, 0, 24, in[q]))
__kernel void add(__global const float *in, __global uint *total) {
    float mine = in[get_global_id(0)];
    uint seen = atomic_add(total, 0u), before;
    do {
        before = seen;
        seen = atomic_cmpxchg(total, before, as_uint(as_float(before) + mine));
    } while (seen != before);
}
