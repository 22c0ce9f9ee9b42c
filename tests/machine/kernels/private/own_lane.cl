// Lanes have private memory of their own, also through barriers and calls.
// buffer: out int 32
// run: own 32/32
// expect: out = i * 64 + 63
__kernel void own(__global int *out) {
    __local int nobody[1];
    int i = get_local_id(0), memory[64];
    for (int k = 0; k < 64; k++)
        memory[k] = i * 64 + k;
    nobody[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int largest = memory[0];
    for (int k = 1; k < 64; k++)
        largest = max(largest, memory[(k * 5 + i) % 64]);
    out[i] = largest;
}
