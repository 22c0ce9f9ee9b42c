// An index that wraps around 32 bits: blocks that seem to be far apart share their elements.
// buffer: p int 8 = 1
// run: steps 96/8
// expect: p = ((1 * 3 + 0) * 3 + 4) * 3 + 8
// pocl: no order of blocks is right or wrong
__kernel void steps(__global int *p) {
    uint g = get_group_id(0), l = get_local_id(0);
    uint index = g * 0x40000000u;
    if (g % 4 == 0)
        p[index + l] = p[index + l] * 3 + (int)g;
}
