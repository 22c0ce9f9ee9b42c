/*
 * Forces of springs on their two nodes: each pulls where it is long and pushes where it is short.
 * One work-item for each spring. Forces are whole numbers, so their sums do not depend on an order.
 */
#define UNIT 65536

__kernel void pull(__global const float4 *position, __global const uint2 *ends,
                   __global int *force, uint count) {
    uint s = get_global_id(0);
    if (s >= count)
        return;
    uint2 end = ends[s];
    float4 d = position[end.y] - position[end.x];
    float4 f = d * (1.0f - 1.0f / (dot(d, d) + 0.1f)) * (float)UNIT;
    __global int *a = force + 4 * end.x, *b = force + 4 * end.y;
    atomic_add(a, convert_int_rte(f.x));
    atomic_add(a + 1, convert_int_rte(f.y));
    atomic_add(a + 2, convert_int_rte(f.z));
    atomic_sub(b, convert_int_rte(f.x));
    atomic_sub(b + 1, convert_int_rte(f.y));
    atomic_sub(b + 2, convert_int_rte(f.z));
}
