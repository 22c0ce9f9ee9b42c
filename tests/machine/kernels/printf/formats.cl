// Conversions, widths, precisions and flags, from one lane.
// buffer: in int 3 = {42 -7 255}
// run: say 4/4
// prints: 42 -7 ff 0XFF 377
// prints: [   42] [42   ] [00042] [+42]
// prints: 3.500000 3.50 3.5e+00 -0.25
// prints: c % -1234567890123 18446744073709551615
__kernel void say(__global const int *in) {
    if (get_global_id(0) != 2)
        return;
    printf("%d %i %x %#X %o\n", in[0], in[1], in[2], in[2], in[2]);
    printf("[%5d] [%-5d] [%05d] [%+d]\n", in[0], in[0], in[0], in[0]);
    printf("%f %.2f %.1e %g\n", 3.5f, 3.5f, 3.5f, -0.25f);
    printf("%c %% %ld %lu\n", 'c', -1234567890123L, 18446744073709551615UL);
}
