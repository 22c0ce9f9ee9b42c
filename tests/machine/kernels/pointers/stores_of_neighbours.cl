// Lanes that write what their neighbours write, too: one instruction after the other, of all lanes.
// buffer: up int 65
// buffer: down int 65
// buffer: mixed int 65
// buffer: apart int 128
// pocl: these are races, of which the machine's lockstep alone knows the end
// run: neighbours 64/64
// expect: up = i == 0 ? 1 : 2
// expect: down = i == 0 ? 1 : 2
// expect: mixed = i == 0 ? 1 : 2
// expect: apart = i % 2 + 1
__kernel void neighbours(__global int *up, __global int *down, __global int *mixed,
                         __global int *apart) {
    int i = get_global_id(0);
    __global int *a = up + i, *b = down + (63 - i), *c = mixed + i * 37 % 64, *d = apart + 2 * i;
    a[0] = 1;
    a[1] = 2;
    b[0] = 1;
    b[1] = 2;
    c[0] = 1;
    c[1] = 2;
    d[0] = 1;
    d[1] = 2;
}
