// Bits put into a field of another number, base first: of 32 and 64 bits, and by components.
// options: -cl-std=CL3.0
// buffer: a uint 64 = u32(i * 2654435761)
// buffer: x uint 64
// buffer: y ulong 64
// buffer: z uint2 64
// run: k 64/32
// expect: x = u32((a[i] & ~(15 << i % 28)) | (i & 15) << i % 28)
// expect: y = i * 4294967297 & ~(65535 << 24) | 43690 << 24
// expect: z = u32((a[i] & ~255) | (k ? 17 : i))
// pocl: 3.1 has no cl_khr_extended_bit_ops
__kernel void k(__global uint *a, __global uint *x, __global ulong *y, __global uint2 *z) {
    uint i = get_global_id(0);
    x[i] = bitfield_insert(a[i], i, i % 28u, 4u);
    y[i] = bitfield_insert((ulong)i * 4294967297ul, 0xaaaaul, 24u, 16u);
    z[i] = bitfield_insert((uint2)(a[i], a[i]), (uint2)(i, 17u), 0u, 8u);
}
