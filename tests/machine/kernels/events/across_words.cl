// A block of more lanes than a word of the mask has bits, with a gap across the border.
// buffer: out int 130
// run: gap 130/130
// expect: out = i < 60 || i > 70 ? 1 : 0
// event: 0.0 S 4 out+0 stride 4 lanes 0-59,71-129
__kernel void gap(__global int *out) {
    int i = get_global_id(0);
    if (i < 60 || i > 70)
        out[i] = 1;
}
