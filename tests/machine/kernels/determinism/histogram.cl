// Blocks add to the same counters; no lane looks at the old values.
// buffer: in uint 512 = i * 2654435761 >> 7
// buffer: out uint 16
// run: histogram 512/32
// expect: out = sum(q, 0, 512, in[q] % 16 == i)
__kernel void histogram(__global const uint *in, __global uint *out) {
    atomic_inc(&out[in[get_global_id(0)] % 16]);
}
