/*
 * Static timing analysis: when the output of each gate of a circuit is settled at the latest,
 * which is its delay after the last of its operands.
 *
 * A launch does one level of the circuit, whose gates need nothing of each other: `order` has
 * all gates by level, those of this level from `first` on. `start` does level 0, inputs and
 * flip-flops, which wait for nobody; `arrive` every other one.
 *
 * One work-item per gate of the level.
 */
typedef struct gate {
    uint first, end; /* its operands are operands[first] to operands[end - 1] */
    float delay, arrival;
} gate;

__kernel void start(__global gate *gates, __global const uint *order, uint first, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint g = order[first + i];
    gates[g].arrival = gates[g].delay;
}

__kernel void arrive(__global gate *gates, __global const uint *operands,
                     __global const uint *order, uint first, uint count) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint g = order[first + i];
    uint begin = gates[g].first;
    uint end = gates[g].end;
    float arrival = 0.0f;
    for (uint a = begin; a < end; a++)
        arrival = fmax(arrival, gates[operands[a]].arrival);
    gates[g].arrival = arrival + gates[g].delay;
}
