// One block reads what another one writes.
// option: races
// buffer: v int 16
// run: race 16/8
// fault: * race
__kernel void race(__global int *v) {
    int i = get_global_id(0);
    v[i] = v[15 - i] + 1;
}
