/*
 * Energies of springs, half of each at either of its nodes: how far it is from its length of 1. One
 * work-item for each spring. Energies are whole numbers, so their sums do not depend on an order.
 */
#define UNIT 65536

__kernel void stretch(__global const float4 *position, __global const uint2 *ends,
                      __global int *energy, uint count) {
    uint s = get_global_id(0);
    if (s >= count)
        return;
    uint2 end = ends[s];
    float longer = distance(position[end.x], position[end.y]) - 1.0f;
    int half_of_it = convert_int_rte(longer * longer * (UNIT / 2));
    atomic_add(energy + end.x, half_of_it);
    atomic_add(energy + end.y, half_of_it);
}
