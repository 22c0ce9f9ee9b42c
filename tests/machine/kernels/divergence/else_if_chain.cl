// A chain of else-ifs, whose last condition no lane meets.
// buffer: out int 40
// run: chain 40/20
// expect: out = i < 5 ? i : i < 10 ? -i : i % 3 == 0 ? 1000 : i % 3 == 1 ? 2000 + i : 3000
__kernel void chain(__global int *out) {
    int i = get_global_id(0);
    if (i < 5)
        out[i] = i;
    else if (i < 10)
        out[i] = -i;
    else if (i % 3 == 0)
        out[i] = 1000;
    else if (i % 3 == 1)
        out[i] = 2000 + i;
    else if (i > 100)
        out[i] = 9999;
    else
        out[i] = 3000;
}
