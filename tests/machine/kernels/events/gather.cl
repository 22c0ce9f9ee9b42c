// Addresses that follow from data: a list.
// buffer: index int 4 = {3 0 3 1}
// buffer: in short 4 = i
// buffer: out short 4
// run: gather 4/4
// event: 0.0 L 4 index+0 stride 4 lanes 0-3
// event: 0.1 L 2 in: 6 0 6 2 lanes 0-3
// event: 0.2 S 2 out+0 stride 2 lanes 0-3
// expect: out = {3 0 3 1}
__kernel void gather(__global const int *index, __global const short *in, __global short *out) {
    int i = get_global_id(0);
    out[i] = in[index[i]];
}
