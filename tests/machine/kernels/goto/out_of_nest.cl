// goto leaves three loops at once, at another place for every lane.
// buffer: out int 27
// run: jump 27/9
// expect: out = 100 * (i / 9) + 10 * (i / 3 % 3) + i % 3
__kernel void jump(__global int *out) {
    int i = get_global_id(0), a, b, c;
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++)
            for (c = 0; c < 3; c++)
                if (a * 9 + b * 3 + c == i)
                    goto found;
found:
    out[i] = 100 * a + 10 * b + c;
}
