// Two blocks write to the same element.
// option: races
// buffer: out int 8
// run: race 16/8
// fault: * race
__kernel void race(__global int *out) {
    int i = get_global_id(0);
    out[i % 8] = i;
}
