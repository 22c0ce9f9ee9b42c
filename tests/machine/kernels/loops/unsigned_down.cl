// An unsigned counter that runs down to 0, and one that wraps around.
// buffer: out uint 8
// run: down 8/8
// expect: out = i * (i + 1) / 2 + 1000 * (i + 1)
__kernel void down(__global uint *out) {
    uint i = get_global_id(0), sum = 0, laps = 0;
    for (uint k = i; k > 0; k--)
        sum += k;
    for (uint k = 0u - i - 1u; k != 0; k++)
        laps++;
    out[i] = sum + 1000 * laps;
}
