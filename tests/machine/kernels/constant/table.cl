// A table of constants at file scope, read at an index of each lane's own.
// buffer: out int 16
// run: look 16/8
// expect: out = (i * 3) % 7 * ((i * 3) % 7) + 1
__constant int squares[7] = {1, 2, 5, 10, 17, 26, 37};
__kernel void look(__global int *out) {
    int i = get_global_id(0);
    out[i] = squares[i * 3 % 7];
}
