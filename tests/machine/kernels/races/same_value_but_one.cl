// All threads but one store the same value.
// option: races
// buffer: found int 1
// run: mark 8/8
// fault: 7:14 race: this writes byte 0 of 'found', which thread 4 of block 0 has written here
__kernel void mark(__global int *found) { int i = get_global_id(0);
    found[0] = i == 5 ? 2 : 1;
}
